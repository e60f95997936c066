// SPDX-License-Identifier: GPL-2.0
/*
 * Building packets and handing them to the device.
 */
#include <linux/etherdevice.h>
#include <linux/math64.h>
#include <trace/events/ttp.h>

#include "crc.h"
#include "output.h"

/* What every packet tells, from what is known of the device and the peer */

static void ttp_output_fill_peer(struct ttp_packet *pkt, struct ttp_peer *peer,
				 u64 now_ns)
{
	u64 hold_ns = now_ns - peer->stamp_ns;

	lockdep_assert_held(&peer->lock);

	if (peer->fresh && hold_ns <= TTP_OUTPUT_MAX_HOLD_NS) {
		pkt->flags |= TTP_WIRE_F_ECHO;
		pkt->echo = peer->stamp;
		pkt->hold = hold_ns;
	}
	peer->fresh = false;
	peer->tx_packets++;
	peer->tx_bytes += pkt->payload;
	if (pkt->type == TTP_WIRE_DATA && pkt->flags & TTP_WIRE_F_RETRANS)
		peer->retransmits++;
}

static void ttp_output_fill(struct ttp_packet *pkt, struct ttp_link *link,
			    struct ttp_peer *peer)
{
	bool crc = READ_ONCE(link->config.crc);
	u64 now_ns = ktime_get_ns();

	pkt->stamp = now_ns;
	pkt->mtu = READ_ONCE(link->mtu);
	pkt->src_epoch = link->epoch;
	if (peer) {
		spin_lock(&peer->lock);
		ttp_output_fill_peer(pkt, peer, now_ns);
		crc |= !peer->crc_free;
		spin_unlock(&peer->lock);
	} else {
		crc = true;
	}
	if (!READ_ONCE(link->config.crc))
		pkt->flags |= TTP_WIRE_F_NOCRC_OK;
	if (crc)
		pkt->flags |= TTP_WIRE_F_CRC;
}

/**
 * ttp_output_begin() - make a packet with its headers
 * @link: the device
 * @peer: whom to, may be NULL
 * @pkt: what to say; completed here
 * @list: bytes of list entries that the caller will put
 * @linear: bytes of payload that the caller will put
 *
 * Return: the packet, or NULL.
 */
static struct sk_buff *ttp_output_begin(struct ttp_link *link,
					struct ttp_peer *peer,
					struct ttp_packet *pkt,
					unsigned int list, unsigned int linear)
{
	unsigned int size = ttp_wire_size(pkt->type);
	struct net_device *dev;
	struct sk_buff *skb;

	dev = rcu_dereference(link->dev);
	if (!dev || !netif_running(dev) || !READ_ONCE(link->mtu))
		return NULL;
	skb = alloc_skb(LL_RESERVED_SPACE(dev) + dev->needed_tailroom + size +
			list + linear, GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return NULL;
	skb_reserve(skb, LL_RESERVED_SPACE(dev));
	skb_reset_network_header(skb);
	skb->dev = dev;
	skb->protocol = link->pt.type;
	ttp_output_fill(pkt, link, peer);
	ttp_wire_build(skb_put(skb, size), pkt);
	return skb;
}

/* Add what needs the finished packet: CRC and Ethernet header */
static void ttp_output_end(struct ttp_link *link, const u8 *mac,
			   const struct ttp_packet *pkt, struct sk_buff *skb,
			   struct sk_buff_head *out)
{
	struct ttp_wire_hdr *hdr = (struct ttp_wire_hdr *)skb->data;

	if (pkt->flags & TTP_WIRE_F_CRC)
		hdr->crc = cpu_to_be32(ttp_crc(skb, mac, skb->dev->dev_addr));
	if (dev_hard_header(skb, skb->dev, ntohs(skb->protocol), mac, NULL,
			    skb->len) < 0) {
		TTP_INC(link, OUT_ERRORS);
		kfree_skb_reason(skb, SKB_DROP_REASON_NOT_SPECIFIED);
		return;
	}
	skb_reset_mac_header(skb);
	TTP_INC(link, OUT_PACKETS);
	trace_ttp_packet_out(link, mac, pkt);
	if (!ether_addr_equal(mac, skb->dev->dev_addr)) {
		ttp_output_class(link, skb, mac, pkt);
		ttp_link_charge(link, skb->len);
	}
	ttp_output_cb(skb)->link = link;
	__skb_queue_tail(out, skb);
}

/* Which counter a packet that carries no data goes to */
static void ttp_output_count(struct ttp_link *link, u8 type)
{
	switch (type) {
	case TTP_WIRE_GRANT:
		TTP_INC(link, GRANT_OUT);
		break;
	case TTP_WIRE_RESEND:
		TTP_INC(link, RESEND_OUT);
		break;
	case TTP_WIRE_CUTOFFS:
		TTP_INC(link, CUTOFFS_OUT);
		break;
	case TTP_WIRE_ACK:
		TTP_INC(link, ACK_OUT);
		break;
	case TTP_WIRE_BUSY:
		TTP_INC(link, BUSY_OUT);
		break;
	case TTP_WIRE_UNKNOWN:
		TTP_INC(link, UNKNOWN_OUT);
		break;
	case TTP_WIRE_NEED_ACK:
		TTP_INC(link, NEED_ACK_OUT);
		break;
	case TTP_WIRE_FULL:
		TTP_INC(link, FULL_OUT);
		break;
	case TTP_WIRE_PROBE:
		TTP_INC(link, PROBE_OUT);
		break;
	case TTP_WIRE_CANCEL:
		TTP_INC(link, CANCEL_OUT);
		break;
	case TTP_WIRE_CLOSE:
		TTP_INC(link, CLOSE_OUT);
		break;
	case TTP_WIRE_REJECT:
		TTP_INC(link, REJECT_OUT);
		break;
	}
}

static void ttp_output_init(struct ttp_packet *pkt, u8 type,
			    const struct ttp_link *link,
			    const struct ttp_rpc *rpc)
{
	memset(pkt, 0, sizeof(*pkt));
	pkt->type = type;
	/* What is not DATA goes first */
	pkt->level = ttp_level_control(READ_ONCE(link->config.levels));
	if (!rpc)
		return;
	pkt->id = rpc->key.id;
	pkt->sport = rpc->lport;
	pkt->dport = rpc->pport;
	pkt->dst_epoch = rpc->epoch;
}

static void ttp_output_simple(struct ttp_link *link, const u8 *mac,
			      struct ttp_peer *peer, struct ttp_packet *pkt,
			      struct sk_buff_head *out)
{
	struct sk_buff *skb;

	skb = ttp_output_begin(link, peer, pkt, 0, 0);
	if (!skb) {
		TTP_INC(link, OUT_ERRORS);
		return;
	}
	ttp_output_count(link, pkt->type);
	ttp_output_end(link, mac, pkt, skb, out);
}

/* DATA */

static_assert(TTP_MSG_KEEP >= TTP_WIRE_MIN_SEGMENT);

static u32 ttp_output_mtu(const struct ttp_rpc *rpc)
{
	const struct ttp_peer *peer = rpc->key.peer;

	return min_t(u32, READ_ONCE(peer->key.link->mtu),
		     READ_ONCE(peer->mtu));
}

/* Acknowledgments that can ride in a packet; oldest first */
static unsigned int ttp_output_take_acks(struct ttp_peer *peer,
					 struct ttp_ack *acks,
					 unsigned int room)
{
	unsigned int n;

	spin_lock(&peer->lock);
	n = min_t(unsigned int, peer->ack_count, room);
	memcpy(acks, peer->acks, n * sizeof(*acks));
	peer->ack_count -= n;
	memmove(peer->acks, peer->acks + n,
		peer->ack_count * sizeof(*acks));
	if (!peer->ack_count)
		peer->ack_due_ns = 0;
	spin_unlock(&peer->lock);
	return n;
}

static void ttp_output_put_acks(struct sk_buff *skb,
				const struct ttp_ack *acks, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		ttp_wire_put_ack(skb_put(skb, sizeof(struct ttp_wire_ack)),
				 acks + i);
}

/* A device without scatter-gather gets linear packets, made so by us */
static bool ttp_output_sg(const struct ttp_link *link)
{
	const struct net_device *dev = rcu_dereference(link->dev);

	return dev && dev->features & NETIF_F_SG;
}

static void ttp_output_data_header(struct ttp_rpc *rpc, struct ttp_packet *pkt,
				   u32 offset, bool again)
{
	ttp_output_init(pkt, TTP_WIRE_DATA, rpc->key.peer->key.link, rpc);
	if (again)
		pkt->flags |= TTP_WIRE_F_RETRANS;
	pkt->level = ttp_msgout_level(&rpc->out, offset);
	pkt->cong = min((rpc->out.granted - rpc->out.sent) / TTP_WIRE_CONG_UNIT,
			(u32)U8_MAX);
	pkt->cutoffs = READ_ONCE(rpc->key.peer->cutoffs_version);
	pkt->data.msg_len = rpc->out.len;
	pkt->data.offset = offset;
	pkt->data.unsched = rpc->out.unsched;
	if (!rpc->client)
		return;
	if (rpc->oneway)
		pkt->flags |= TTP_WIRE_F_ONEWAY;
	pkt->data.limit = rpc->limit;
	pkt->data.age_us = min_t(u64, U32_MAX,
				 div_u64(ktime_get_ns() -
					 (rpc->again_ns ?: rpc->start_ns),
					 NSEC_PER_USEC));
	spin_lock(&rpc->key.peer->lock);
	pkt->data.una = ttp_rpc_una(rpc);
	spin_unlock(&rpc->key.peer->lock);
}

/* The device, and what is above it, tell the socket when they had the packet */
static void ttp_output_stamp(struct ttp_rpc *rpc, struct sk_buff *skb)
{
	if (!rpc->sk)
		return;
	skb_shinfo(skb)->tx_flags |= rpc->out.tx_flags;
	skb_shinfo(skb)->tskey = rpc->out.tskey;
	rpc->out.tx_flags = 0;		/* once, also if it begins anew */
	skb_set_owner_w(skb, rpc->sk);
}

/**
 * ttp_output_data() - send one packet of a message
 * @rpc: the RPC
 * @offset: first byte
 * @end: one after the last byte that may go
 * @again: whether it was sent before
 * @out: gets the packet
 *
 * Return: bytes that went; 0 when there is no memory, no device, or no room
 * in the MTU.
 */
static u32 ttp_output_data(struct ttp_rpc *rpc, u32 offset, u32 end,
			   bool again, struct sk_buff_head *out)
{
	struct ttp_ack acks[TTP_WIRE_DATA_ACKS];
	struct ttp_peer *peer = rpc->key.peer;
	struct ttp_link *link = peer->key.link;
	u32 mtu = ttp_output_mtu(rpc);
	struct ttp_packet pkt;
	struct sk_buff *skb;
	unsigned int frags;
	u32 len;

	if (mtu < TTP_WIRE_MIN_MTU)
		return 0;
	ttp_output_data_header(rpc, &pkt, offset, again);
	pkt.count = ttp_output_take_acks(peer, acks, ARRAY_SIZE(acks));
	len = mtu - TTP_WIRE_DATA_HLEN -
	      pkt.count * sizeof(struct ttp_wire_ack);
	len = min(len, end - offset);
	pkt.payload = len;

	frags = ttp_msgout_frags(&rpc->out, offset, len);
	if (frags > MAX_SKB_FRAGS || !ttp_output_sg(link))
		frags = 0;
	skb = ttp_output_begin(link, peer, &pkt,
			       pkt.count * sizeof(struct ttp_wire_ack),
			       frags ? 0 : len);
	if (!skb) {
		TTP_INC(link, OUT_ERRORS);
		return 0;
	}
	ttp_output_put_acks(skb, acks, pkt.count);
	if (len)
		ttp_msgout_fill(&rpc->out, skb, offset, len, !frags);
	skb->mark = rpc->out.mark;
	skb->priority = rpc->out.priority;
	if (rpc->out.tx_flags && !again && offset + len == rpc->out.len)
		ttp_output_stamp(rpc, skb);
	TTP_ADD(link, OUT_BYTES, len);
	if (again)
		TTP_INC(link, RETRANSMITS);
	if (pkt.count)
		TTP_ADD(link, ACK_PIGGYBACK, pkt.count);
	ttp_output_end(link, peer->key.mac, &pkt, skb, out);
	return len;
}

/*
 * A packet that does not end the message has a least size (TTP_WIRE_MIN_
 * SEGMENT): what is left of a grant below it waits for the next one, or for
 * the end of the message.
 */
static bool ttp_output_too_small(const struct ttp_rpc *rpc, u32 start, u32 end)
{
	return end < rpc->out.len && end - start < TTP_WIRE_MIN_SEGMENT;
}

/* Up to where it may be sent now; @sent or below if nothing */
static u32 ttp_output_end_of(const struct ttp_rpc *rpc)
{
	const struct ttp_msgout *msg = &rpc->out;

	if (msg->held || ttp_output_too_small(rpc, msg->sent, msg->granted))
		return msg->sent;
	return msg->granted;
}

bool ttp_output_ready(const struct ttp_rpc *rpc)
{
	lockdep_assert_held(&rpc->lock);

	return rpc->out.sent < ttp_output_end_of(rpc);
}

bool ttp_output_some(struct ttp_rpc *rpc, u32 most, struct sk_buff_head *out)
{
	struct ttp_msgout *msg = &rpc->out;
	u32 n, done = 0;

	lockdep_assert_held(&rpc->lock);

	if (!msg->len && !msg->held) {
		ttp_output_data(rpc, 0, 0, false, out);
		rpc->sent_ns = ktime_get_ns();
		return true;	/* the time-out mends it */
	}
	while (done < most && ttp_output_ready(rpc)) {
		n = ttp_output_data(rpc, msg->sent, msg->granted, false, out);
		if (!n)
			return false;	/* RESEND or the time-out mends it */
		msg->sent += n;
		done += n;
	}
	if (done)
		rpc->sent_ns = ktime_get_ns();
	return true;
}

void ttp_output_again(struct ttp_rpc *rpc, u32 start, u32 end, u32 *left,
		      struct sk_buff_head *out)
{
	u32 n;

	lockdep_assert_held(&rpc->lock);

	start = max(start, rpc->out.acked);
	end = min3(end, rpc->out.sent, start + *left);
	if (start >= end)
		return;
	/*
	 * Take neighbours along rather than send less than may be sent, even
	 * acknowledged ones: ttp_msgout_acked() keeps as many.
	 */
	if (ttp_output_too_small(rpc, start, end)) {
		end = min(start + TTP_WIRE_MIN_SEGMENT, rpc->out.sent);
		if (ttp_output_too_small(rpc, start, end))
			start = end - min(end, TTP_WIRE_MIN_SEGMENT);
	}
	while (start < end) {
		n = ttp_output_data(rpc, start, end, true, out);
		if (!n)
			return;
		*left -= min(*left, n);
		start += n;
		if (start < end && ttp_output_too_small(rpc, start, end))
			start = end - TTP_WIRE_MIN_SEGMENT;
	}
}

void ttp_output_first(struct ttp_rpc *rpc, struct sk_buff_head *out)
{
	u32 end = min(rpc->out.len, ttp_output_mtu(rpc));

	lockdep_assert_held(&rpc->lock);

	if (!rpc->out.len) {
		ttp_output_data(rpc, 0, 0, true, out);
		return;
	}
	if (rpc->out.freed)
		return;		/* it was received, so the question is moot */
	ttp_output_data(rpc, 0, end, true, out);
}

/* Packets about rpc->in */

void ttp_output_grant(struct ttp_rpc *rpc, struct sk_buff_head *out)
{
	struct ttp_peer *peer = rpc->key.peer;
	struct ttp_packet pkt;

	ttp_output_init(&pkt, TTP_WIRE_GRANT, peer->key.link, rpc);
	pkt.grant.granted = rpc->in.granted;
	pkt.grant.received = rpc->in.have.prefix;
	pkt.grant.level = rpc->in.granted_level;
	ttp_output_simple(peer->key.link, peer->key.mac, peer, &pkt, out);
}

/* The missing ranges below @limit, with everything beyond if @all */
static unsigned int ttp_output_holes(struct ttp_rpc *rpc, u32 limit, bool all,
				     u32 ranges[][2])
{
	u64 start, end, at = 0;
	unsigned int n = 0;

	while (n < TTP_WIRE_MAX_RANGES &&
	       ttp_ranges_gap(&rpc->in.have, at, limit, &start, &end)) {
		ranges[n][0] = start;
		ranges[n][1] = end;
		n++;
		at = end;
	}
	if (!all || n == TTP_WIRE_MAX_RANGES)
		return n;
	if (n && ranges[n - 1][1] == limit)
		n--;
	else
		ranges[n][0] = limit;
	ranges[n++][1] = TTP_WIRE_RANGE_ALL;
	return n;
}

/*
 * What was asked for needs a round trip to come; asking again before that
 * only makes the sender repeat what is on its way.
 */
static bool ttp_output_asked_just_now(struct ttp_rpc *rpc)
{
	u32 rtt_ns = max(READ_ONCE(rpc->key.peer->rtt.srtt_ns),
			 TTP_OUTPUT_MIN_RTT_NS);
	u64 now_ns = ktime_get_ns();

	if (rpc->asked_ns && now_ns < rpc->asked_ns + rtt_ns + rtt_ns / 2)
		return true;
	rpc->asked_ns = now_ns;
	return false;
}

void ttp_output_resend(struct ttp_rpc *rpc, u32 limit, bool all,
		       struct sk_buff_head *out)
{
	struct ttp_peer *peer = rpc->key.peer;
	struct ttp_link *link = peer->key.link;
	u32 ranges[TTP_WIRE_MAX_RANGES][2];
	struct ttp_packet pkt;
	struct sk_buff *skb;
	unsigned int i;

	lockdep_assert_held(&rpc->lock);

	if (ttp_output_asked_just_now(rpc))
		return;
	trace_ttp_resend(rpc, limit, all);
	ttp_output_init(&pkt, TTP_WIRE_RESEND, peer->key.link, rpc);
	pkt.count = ttp_output_holes(rpc, limit, all, ranges);
	if (!pkt.count) {
		/* All that was granted is here, so the GRANT must be lost */
		ttp_output_grant(rpc, out);
		return;
	}
	pkt.resend.received = rpc->in.have.prefix;
	pkt.resend.level = rpc->in.granted_level;
	skb = ttp_output_begin(link, peer, &pkt,
			       pkt.count * sizeof(struct ttp_wire_range), 0);
	if (!skb) {
		TTP_INC(link, OUT_ERRORS);
		return;
	}
	for (i = 0; i < pkt.count; i++)
		ttp_wire_put_range(skb_put(skb, sizeof(struct ttp_wire_range)),
				   ranges[i][0], ranges[i][1]);
	ttp_output_count(link, pkt.type);
	ttp_output_end(link, peer->key.mac, &pkt, skb, out);
}

void ttp_output_note(struct ttp_rpc *rpc, u8 type, u8 code, u32 value,
		     struct sk_buff_head *out)
{
	struct ttp_peer *peer = rpc->key.peer;
	struct ttp_packet pkt;

	ttp_output_init(&pkt, type, peer->key.link, rpc);
	pkt.note.code = code;
	pkt.note.value = value;
	ttp_output_simple(peer->key.link, peer->key.mac, peer, &pkt, out);
}

/* Packets without an RPC */

void ttp_output_reply(struct ttp_link *link, const u8 *mac,
		      const struct ttp_packet *pkt, u8 type, u8 code,
		      u32 value, struct sk_buff_head *out)
{
	struct ttp_packet answer;

	ttp_output_init(&answer, type, link, NULL);
	if (pkt->id)
		answer.id = pkt->id ^ TTP_WIRE_ID_SERVER;
	answer.sport = pkt->dport;
	answer.dport = pkt->sport;
	answer.dst_epoch = pkt->src_epoch;
	answer.note.code = code;
	answer.note.value = value;
	/* The peer's clock runs in the packet itself: no hold time */
	answer.flags = TTP_WIRE_F_ECHO;
	answer.echo = pkt->stamp;
	ttp_output_simple(link, mac, NULL, &answer, out);
}

int ttp_output_probe(struct ttp_link *link, const u8 *mac,
		     struct ttp_peer *peer, u8 type, u32 value, u32 pad,
		     struct sk_buff_head *out)
{
	struct ttp_packet pkt;
	struct sk_buff *skb;

	if (pad > READ_ONCE(link->mtu) - ttp_wire_size(type))
		return -EMSGSIZE;
	ttp_output_init(&pkt, type, link, NULL);
	pkt.note.value = value;
	pkt.payload = pad;
	/* A question goes to whoever is there, also after a restart */
	if (peer && type != TTP_WIRE_PROBE)
		pkt.dst_epoch = READ_ONCE(peer->epoch);
	skb = ttp_output_begin(link, peer, &pkt, 0, pad);
	if (!skb) {
		TTP_INC(link, OUT_ERRORS);
		return -ENOBUFS;
	}
	skb_put_zero(skb, pad);
	ttp_output_count(link, type);
	ttp_output_end(link, mac, &pkt, skb, out);
	return 0;
}

void ttp_output_cutoffs(struct ttp_peer *peer, struct sk_buff_head *out)
{
	struct ttp_link *link = peer->key.link;
	struct ttp_packet pkt;

	ttp_output_init(&pkt, TTP_WIRE_CUTOFFS, link, NULL);
	pkt.dst_epoch = READ_ONCE(peer->epoch);
	spin_lock(&link->cutoffs.lock);
	pkt.table.version = link->cutoffs.version;
	pkt.table.limit = link->cutoffs.limit;
	memcpy(pkt.table.longest, link->cutoffs.table.longest,
	       sizeof(pkt.table.longest));
	spin_unlock(&link->cutoffs.lock);
	ttp_output_simple(link, peer->key.mac, peer, &pkt, out);
}

/* Acknowledgments */

void ttp_output_acks(struct ttp_peer *peer, struct sk_buff_head *out)
{
	struct ttp_link *link = peer->key.link;
	struct ttp_ack acks[TTP_WIRE_MAX_ACKS];
	struct ttp_packet pkt;
	struct sk_buff *skb;

	ttp_output_init(&pkt, TTP_WIRE_ACK, link, NULL);
	pkt.count = ttp_output_take_acks(peer, acks, ARRAY_SIZE(acks));
	if (!pkt.count)
		return;
	pkt.dst_epoch = READ_ONCE(peer->epoch);
	skb = ttp_output_begin(link, peer, &pkt,
			       pkt.count * sizeof(struct ttp_wire_ack), 0);
	if (!skb) {
		TTP_INC(link, OUT_ERRORS);	/* NEED_ACK will ask again */
		return;
	}
	ttp_output_put_acks(skb, acks, pkt.count);
	ttp_output_count(link, pkt.type);
	ttp_output_end(link, peer->key.mac, &pkt, skb, out);
}

void ttp_output_ack_id(struct ttp_peer *peer, const struct ttp_ack *ack,
		       bool now, struct sk_buff_head *out)
{
	u8 every = READ_ONCE(peer->key.link->config.ack_every);

	spin_lock(&peer->lock);
	if (peer->ack_count < ARRAY_SIZE(peer->acks))
		peer->acks[peer->ack_count++] = *ack;
	now |= peer->ack_count >= every;
	if (!now && !peer->ack_due_ns) {
		peer->ack_due_ns = ktime_get_ns() + TTP_OUTPUT_ACK_DELAY_NS;
		ttp_peer_arm(peer, peer->ack_due_ns);
	}
	spin_unlock(&peer->lock);
	if (now)
		ttp_output_acks(peer, out);
}

void ttp_output_ack(struct ttp_rpc *rpc, struct sk_buff_head *out)
{
	struct ttp_ack ack = {
		.id = rpc->key.id,
		.sport = rpc->lport,
		.dport = rpc->pport,
		.received = rpc->in.len,
	};

	ttp_output_ack_id(rpc->key.peer, &ack, false, out);
}
