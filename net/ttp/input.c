// SPDX-License-Identifier: GPL-2.0
/*
 * Receiving packets: from the device to the RPC.
 */
#include <linux/etherdevice.h>
#include <trace/events/ttp.h>

#include "crc.h"
#include "end.h"
#include "grant.h"
#include "input.h"
#include "netlink.h"

static void ttp_input_drop(struct sk_buff *skb, enum skb_drop_reason reason)
{
	kfree_skb_reason(skb, reason);
}

/* Count a frame that does not parse, and say why it is dropped */
static enum skb_drop_reason ttp_input_bad(struct ttp_link *link,
					  enum ttp_parse why)
{
	switch (why) {
	case TTP_PARSE_SHORT:
		TTP_INC(link, IN_SHORT);
		return SKB_DROP_REASON_PKT_TOO_SMALL;
	case TTP_PARSE_MAGIC:
		TTP_INC(link, IN_MAGIC);
		return SKB_DROP_REASON_UNHANDLED_PROTO;
	case TTP_PARSE_VERSION:
		TTP_INC(link, IN_VERSION);
		return SKB_DROP_REASON_UNHANDLED_PROTO;
	case TTP_PARSE_TYPE:
		TTP_INC(link, IN_TYPE);
		return SKB_DROP_REASON_UNHANDLED_PROTO;
	default:
		TTP_INC(link, IN_FIELD);
		return SKB_DROP_REASON_INVALID_PROTO;
	}
}

static bool ttp_input_crc_ok(const struct ttp_link *link, struct sk_buff *skb,
			     const struct ttp_packet *pkt)
{
	const struct ethhdr *eth = eth_hdr(skb);

	if (!(pkt->flags & TTP_WIRE_F_CRC))
		return !READ_ONCE(link->config.crc);
	return ttp_crc(skb, eth->h_dest, eth->h_source) == pkt->crc;
}

/* Own address as the source: only what ttp_output_flush() looped back */
static bool ttp_input_source_ok(const struct sk_buff *skb)
{
	const u8 *source = eth_hdr(skb)->h_source;
	bool own = ether_addr_equal(source, skb->dev->dev_addr);

	return is_valid_ether_addr(source) &&
	       own == (skb->pkt_type == PACKET_LOOPBACK);
}

/**
 * ttp_input_check() - judge a frame by itself
 * @link: device
 * @skb: the frame; made linear as far as the headers go, and trimmed to its
 *	true length
 * @pkt: filled in
 * @reason: why it must be dropped
 *
 * Return: whether it is a proper TTP packet; if not, it was counted.
 */
static bool ttp_input_check(struct ttp_link *link, struct sk_buff *skb,
			    struct ttp_packet *pkt,
			    enum skb_drop_reason *reason)
{
	unsigned int frame_len = skb->len;
	enum ttp_parse why;

	if (!pskb_may_pull(skb, sizeof(struct ttp_wire_hdr))) {
		*reason = ttp_input_bad(link, TTP_PARSE_SHORT);
		return false;
	}
	/* A header that ends beyond the frame is for ttp_wire_parse() to say */
	if (!pskb_may_pull(skb, min(frame_len,
				    ttp_wire_hlen((void *)skb->data)))) {
		TTP_INC(link, IN_NO_MEM);
		*reason = SKB_DROP_REASON_NOMEM;
		return false;
	}
	why = ttp_wire_parse(skb->data, frame_len, pkt);
	if (why != TTP_PARSE_OK) {
		*reason = ttp_input_bad(link, why);
		return false;
	}
	if (!ttp_input_source_ok(skb)) {
		TTP_INC(link, IN_SOURCE);
		*reason = SKB_DROP_REASON_OTHERHOST;
		return false;
	}
	/* Short frames are padded, by the sender or by a device on the way */
	if (pskb_trim(skb, sizeof(struct ttp_wire_hdr) + pkt->length)) {
		TTP_INC(link, IN_NO_MEM);
		*reason = SKB_DROP_REASON_NOMEM;
		return false;
	}
	if (!ttp_input_crc_ok(link, skb, pkt)) {
		TTP_INC(link, IN_CRC);
		*reason = SKB_DROP_REASON_INVALID_PROTO;
		return false;
	}
	return true;
}

/* A packet meant for a former incarnation of this host */
static void ttp_input_stale(struct ttp_input *in)
{
	TTP_INC(in->link, IN_STALE);
	if (in->pkt.id && !(in->pkt.id & TTP_WIRE_ID_SERVER) &&
	    in->pkt.type != TTP_WIRE_CANCEL)
		ttp_output_reply(in->link, in->mac, &in->pkt, TTP_WIRE_UNKNOWN,
				 TTP_UNKNOWN_EPOCH, 0, in->out);
}

/* How long the packet has waited in this host, as far as the card tells */
static u32 ttp_input_waited(const struct ttp_input *in, u64 now_ns)
{
	if (!in->card_ns)
		return 0;
	return ttp_stamp_wait(this_cpu_ptr(in->link->stamp), in->iif,
			      in->card_ns, now_ns);
}

static void ttp_input_sample(struct ttp_input *in, struct ttp_peer *peer)
{
	const struct ttp_packet *pkt = &in->pkt;
	u64 now_ns = ktime_get_ns();
	u32 waited_ns = ttp_input_waited(in, now_ns);
	u32 rtt_ns = (u32)now_ns - pkt->echo - pkt->hold;

	lockdep_assert_held(&peer->lock);

	WRITE_ONCE(peer->heard_ns, now_ns);
	peer->told_dead = false;
	peer->stamp = pkt->stamp;
	peer->stamp_ns = now_ns;
	peer->fresh = true;
	peer->crc_free = pkt->flags & TTP_WIRE_F_NOCRC_OK;
	peer->rx_packets++;
	peer->rx_bytes += pkt->payload;
	WRITE_ONCE(peer->mtu, pkt->mtu);
	/* Modulo 2^32 ns; ttp_rtt_sample() refuses what cannot be */
	if (!(pkt->flags & TTP_WIRE_F_ECHO) ||
	    !ttp_rtt_sample(&peer->rtt, rtt_ns))
		return;
	ttp_rtt_floor_sample(&peer->min_rtt, rtt_ns, now_ns);
	/*
	 * Who waits for an answer waits for this host as well; the network does
	 * not.  If that leaves nothing the card's clock was set.
	 */
	in->rtt_ns = waited_ns < rtt_ns ? rtt_ns - waited_ns : rtt_ns;
	ttp_rtt_floor_sample(&peer->min_path, in->rtt_ns, now_ns);
}

bool ttp_input_meet(struct ttp_input *in)
{
	struct ttp_peer *peer = in->peer;
	u32 epoch = in->pkt.src_epoch;
	u32 ended = 0;
	bool late;

	spin_lock(&peer->lock);
	late = ttp_peer_epoch_old(peer, epoch);
	if (!late) {
		/* Its goodbye may be the first we hear of that incarnation */
		ended = ttp_peer_set_epoch(peer, epoch);
		ttp_input_sample(in, peer);
	}
	spin_unlock(&peer->lock);

	if (late) {
		TTP_INC(in->link, IN_STALE);
		return false;
	}
	if (ended) {
		TTP_INC(in->link, PEER_RESTART);
		trace_ttp_peer_restart(peer);
		ttp_netlink_peer_event(in->link, in->mac, epoch,
				       TTP_CMD_PEER_RESTARTED);
		ttp_end_peer(peer, ended);
	}
	return true;
}

struct ttp_rpc *ttp_input_find(struct ttp_input *in)
{
	const struct ttp_packet *pkt = &in->pkt;
	struct ttp_rpc *rpc;

	if (!in->peer)
		return NULL;
	rpc = ttp_rpc_find(in->link->tn, in->peer, pkt->id ^ TTP_WIRE_ID_SERVER);
	if (!rpc)
		return NULL;
	spin_lock(&rpc->lock);
	in->mismatch = rpc->lport != pkt->dport || rpc->pport != pkt->sport;
	if (rpc->live && !in->mismatch)
		return rpc;
	spin_unlock(&rpc->lock);
	if (in->mismatch)
		TTP_INC(in->link, IN_MISMATCH);
	ttp_rpc_put(rpc);
	return NULL;
}

void ttp_input_saw(struct ttp_input *in, u32 una, bool refused)
{
	struct ttp_peer *peer = in->peer;
	u64 number = in->pkt.id >> 1;

	if (!peer)
		return;
	spin_lock(&peer->lock);
	if (peer->epoch == in->pkt.src_epoch && !ttp_peer_used(peer, number)) {
		if (refused)
			ttp_peer_refuses(peer, number);
		/* Without memory it may leave a hole, after all */
		ttp_peer_uses(peer, number, una);
	}
	spin_unlock(&peer->lock);
}

void ttp_input_unknown(struct ttp_input *in)
{
	u8 code = TTP_UNKNOWN_NEVER;

	if (in->peer) {
		spin_lock(&in->peer->lock);
		if (ttp_peer_used(in->peer, in->pkt.id >> 1))
			code = TTP_UNKNOWN_GONE;
		spin_unlock(&in->peer->lock);
	}
	ttp_output_reply(in->link, in->mac, &in->pkt, TTP_WIRE_UNKNOWN, code, 0,
			 in->out);
}

static void ttp_input_card(struct ttp_input *in, struct sk_buff *skb)
{
	/* It may be a driver's cookie instead of a time */
	if (skb_shinfo(skb)->tx_flags & SKBTX_HW_TSTAMP_NETDEV)
		return;
	in->card_ns = ktime_to_ns(skb_hwtstamps(skb)->hwtstamp);
	if (in->card_ns)
		TTP_INC(in->link, IN_STAMPED);
}

static void ttp_input_packet(struct ttp_link *link, struct sk_buff *skb,
			     const struct net_device *orig,
			     struct sk_buff_head *out)
{
	struct ttp_input in = {
		.link = link, .iif = orig->ifindex, .out = out,
	};
	enum skb_drop_reason reason;

	/* What came through this device for another one on top, as a VLAN */
	if (skb->dev != link->pt.dev) {
		ttp_input_drop(skb, SKB_DROP_REASON_OTHERHOST);
		return;
	}
	if (skb->pkt_type != PACKET_HOST && skb->pkt_type != PACKET_LOOPBACK) {
		if (skb->pkt_type != PACKET_OTHERHOST)
			TTP_INC(link, IN_SOURCE);
		ttp_input_drop(skb, SKB_DROP_REASON_OTHERHOST);
		return;
	}
	skb = skb_share_check(skb, GFP_ATOMIC);
	if (!skb) {
		TTP_INC(link, IN_NO_MEM);
		return;
	}
	if (!ttp_input_check(link, skb, &in.pkt, &reason)) {
		ttp_input_drop(skb, reason);
		return;
	}
	TTP_INC(link, IN_PACKETS);
	ttp_input_card(&in, skb);
	ether_addr_copy(in.mac, eth_hdr(skb)->h_source);
	trace_ttp_packet_in(link, in.mac, &in.pkt);
	if (in.pkt.dst_epoch && in.pkt.dst_epoch != link->epoch) {
		ttp_input_stale(&in);
		ttp_input_drop(skb, SKB_DROP_REASON_INVALID_PROTO);
		return;
	}
	in.peer = ttp_peer_find(link, in.mac);
	if (in.peer && !ttp_input_meet(&in)) {
		ttp_input_drop(skb, SKB_DROP_REASON_INVALID_PROTO);
	} else if (in.pkt.type == TTP_WIRE_DATA) {
		ttp_input_data(&in, skb);
	} else {
		ttp_input_control(&in, skb->data);
		consume_skb(skb);
	}
	if (in.peer)
		ttp_peer_put(in.peer);
}

int ttp_input_rcv(struct sk_buff *skb, struct net_device *dev,
		  struct packet_type *pt, struct net_device *orig)
{
	struct ttp_link *link = container_of(pt, struct ttp_link, pt);
	struct sk_buff_head out;

	__skb_queue_head_init(&out);
	ttp_input_packet(link, skb, orig, &out);
	ttp_cutoffs_update(&link->cutoffs);
	ttp_grant_run(link, &out);
	ttp_output_flush(&out);
	return NET_RX_SUCCESS;
}

void ttp_input_rcv_list(struct list_head *head, struct packet_type *pt,
			struct net_device *orig)
{
	struct ttp_link *link = container_of(pt, struct ttp_link, pt);
	struct sk_buff *skb, *next;
	struct sk_buff_head out;

	__skb_queue_head_init(&out);
	list_for_each_entry_safe(skb, next, head, list) {
		skb_list_del_init(skb);
		ttp_input_packet(link, skb, orig, &out);
	}
	ttp_cutoffs_update(&link->cutoffs);
	ttp_grant_run(link, &out);
	ttp_output_flush(&out);
}
