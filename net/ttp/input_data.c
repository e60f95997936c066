// SPDX-License-Identifier: GPL-2.0
/*
 * Receiving DATA: the pieces of requests, responses and one-way messages.
 */
#include <linux/filter.h>
#include <net/busy_poll.h>

#include "end.h"
#include "grant.h"
#include "input.h"
#include "netlink.h"
#include "timer.h"

/*
 * Its socket was shut down, or closed, while the request came in: the client
 * is to hear which, as from the others that close() ends.
 */
static void ttp_input_no_reader(struct ttp_input *in, struct ttp_rpc *rpc)
{
	u8 code = TTP_REJECT_REFUSED;

	smp_rmb();	/* it is closed before it is shut down by that */
	if (!rpc->sk || READ_ONCE(ttp_sk(rpc->sk)->released))
		code = TTP_REJECT_RESET;
	else
		TTP_INC(in->link, RPC_REFUSED);
	ttp_output_note(rpc, TTP_WIRE_REJECT, code, 0, in->out);
	ttp_rpc_end(rpc);
}

/*
 * The socket's filter, and what security modules want, judge a message by its
 * first packet.
 */
static bool ttp_input_filtered(struct ttp_input *in, struct sock *sk,
			       struct sk_buff *skb)
{
	if (in->pkt.data.offset || !sk_filter_trim_cap(sk, skb, skb->len))
		return false;
	TTP_INC(in->link, RPC_FILTERED);
	sk_drops_inc(sk);
	return true;
}

/* They do not want it: the client hears that, a response is gone */
static void ttp_input_unloved(struct ttp_input *in, struct ttp_rpc *rpc)
{
	if (rpc->client)
		ttp_output_ack(rpc, in->out);
	else
		ttp_output_note(rpc, TTP_WIRE_REJECT, TTP_REJECT_REFUSED, 0,
				in->out);
	ttp_rpc_end(rpc);
}

/* The message is complete */
static void ttp_input_complete(struct ttp_input *in, struct ttp_rpc *rpc)
{
	if (!rpc->client && !ttp_rpc_has_reader(rpc)) {
		ttp_input_no_reader(in, rpc);
		return;
	}
	ttp_rpc_schedule(rpc, 0);
	ttp_rpc_not_incoming(rpc);
	if (rpc->sk)
		ttp_room_done(rpc);
	if (rpc->client || rpc->oneway)
		ttp_output_ack(rpc, in->out);
	ttp_rpc_arrived(rpc);
}

/**
 * ttp_input_budget() - make sure there is room for the message
 * @in: a packet of it
 * @rpc: its RPC
 * @first: whether it is the first packet
 *
 * Without room the sender is told (once, and whenever it asks) and the RPC
 * queues for it; with room at last, the sender hears that too.
 *
 * Return: whether the packet's bytes can be kept.
 */
static bool ttp_input_budget(struct ttp_input *in, struct ttp_rpc *rpc,
			     bool first)
{
	if (rpc->in.budget)
		return true;
	/* Its sender knows what it may send, unless it had to wait */
	if (!ttp_grant_admit(rpc, first ? NULL : in->out)) {
		if (first || in->pkt.flags & TTP_WIRE_F_RETRANS)
			ttp_output_note(rpc, TTP_WIRE_FULL, 0, 0, in->out);
		TTP_INC(in->link, IN_NO_BUDGET);
		return false;
	}
	return true;
}

/* A packet may stay here for long: let go of what it does not need for that */
static void ttp_input_strip(struct sk_buff *skb)
{
	skb_orphan(skb);
	skb_dst_drop(skb);
	skb_ext_reset(skb);
	nf_reset_ct(skb);
}

static void ttp_input_not_kept(struct ttp_input *in, int err)
{
	if (err == -EEXIST)
		TTP_INC(in->link, IN_DUPLICATE);
	else if (err == -ENOSPC)
		TTP_INC(in->link, IN_TOO_MANY_HOLES);
	else
		TTP_INC(in->link, IN_NO_MEM);
}

/* Bytes have come without a grant */
static void ttp_input_unsched(const struct ttp_input *in,
			      const struct ttp_rpc *rpc)
{
	struct ttp_cutoffs *cutoffs = &in->link->cutoffs;

	ttp_cutoffs_count(cutoffs, rpc->in.len, in->pkt.payload,
			  !in->pkt.data.offset);
	/* What would be right for one peer need not be for all */
	if (in->pkt.flags & TTP_WIRE_F_RETRANS)
		ttp_cutoffs_lost(cutoffs, ttp_link_bdp(in->link, 0));
}

/**
 * ttp_input_store() - keep the bytes of a packet
 * @in: the packet
 * @rpc: its RPC
 * @skb: the bytes; consumed on success
 *
 * Return: whether something new has come; if not, it was counted.
 */
static bool ttp_input_store(struct ttp_input *in, struct ttp_rpc *rpc,
			    struct sk_buff *skb)
{
	struct sk_buff *kept;
	bool in_order;
	u32 truesize;
	int err;

	/* A program's pages (MSG_ZEROCOPY) are its own again, once we have them */
	if (skb_orphan_frags_rx(skb, GFP_ATOMIC)) {
		ttp_input_not_kept(in, -ENOMEM);
		return false;
	}
	kept = ttp_msgin_fit(&rpc->in, skb);
	truesize = kept->truesize;
	in_order = rpc->in.have.prefix == in->pkt.data.offset;
	err = ttp_sock_charge_rcv(rpc->sk, truesize) ? 0 : -ENOMEM;
	if (!err) {
		ttp_input_strip(kept);
		err = ttp_msgin_add(&rpc->in, kept, in->pkt.data.offset);
		if (err)
			ttp_sock_uncharge_rcv(rpc->sk, truesize);
	}
	if (err) {
		ttp_input_not_kept(in, err);
		if (kept != skb)
			kfree_skb(kept);
		return false;
	}
	sk_mark_napi_id(rpc->sk, skb);
	if (kept != skb)
		consume_skb(skb);
	sock_skb_set_dropcount(rpc->sk, kept);
	rpc->in.truesize += truesize;
	/* A little now and then is not enough */
	if (rpc->in.received >= rpc->in.milestone) {
		rpc->in.milestone = rpc->in.received + rpc->in.len / 16;
		rpc->progress_ns = ktime_get_ns();
	}
	TTP_ADD(in->link, IN_BYTES, in->pkt.payload);
	if (in->pkt.data.offset < rpc->in.unsched)
		ttp_input_unsched(in, rpc);
	if (!in_order)
		TTP_INC(in->link, IN_OUT_OF_ORDER);
	return true;
}

/* The first packet of a message tells its length; the others must agree */
static bool ttp_input_agrees(struct ttp_input *in, struct ttp_rpc *rpc,
			     bool *first)
{
	const struct ttp_packet *pkt = &in->pkt;

	*first = !rpc->in.known;
	if (*first) {
		rpc->in.known = true;
		WRITE_ONCE(rpc->in.len, pkt->data.msg_len);
		rpc->in.unsched = pkt->data.unsched;
		rpc->in.granted = pkt->data.unsched;
	}
	return rpc->in.len == pkt->data.msg_len;
}

/* What the packet tells of the way that it took */
static void ttp_input_news(const struct ttp_input *in,
			   const struct ttp_rpc *rpc,
			   struct ttp_sched_news *news)
{
	const struct ttp_link *link = in->link;
	const struct ttp_peer *peer = rpc->key.peer;
	u32 target_ns;

	memset(news, 0, sizeof(*news));
	news->bytes = in->pkt.payload;
	news->packet = READ_ONCE(link->mtu);
	news->again = in->pkt.flags & TTP_WIRE_F_RETRANS;
	news->granted = in->pkt.data.offset >= rpc->in.unsched;
	if (READ_ONCE(link->config.window))
		return;		/* as wide as the administrator wants it */
	news->unsent = in->pkt.cong * TTP_WIRE_CONG_UNIT;
	target_ns = ttp_peer_target(peer);
	news->judged = target_ns;
	news->timed = in->rtt_ns;
	news->late = news->timed && in->rtt_ns > target_ns;
}

/**
 * ttp_input_piece() - a packet of a message that is coming in
 * @in: the packet
 * @rpc: its RPC, locked
 * @skb: the bytes
 *
 * Return: whether @skb was consumed.
 */
static bool ttp_input_piece(struct ttp_input *in, struct ttp_rpc *rpc,
			    struct sk_buff *skb)
{
	struct ttp_sched_news news;
	bool first, stored, quiet;
	u32 prefix;

	lockdep_assert_held(&rpc->lock);

	if (!ttp_input_agrees(in, rpc, &first)) {
		TTP_INC(in->link, IN_MISMATCH);
		return false;
	}
	if (in->pkt.data.offset + in->pkt.payload > rpc->in.granted) {
		TTP_INC(in->link, IN_NOT_GRANTED);
		if (first)
			ttp_timer_heard(rpc);
		return false;
	}
	if (!ttp_input_budget(in, rpc, first)) {
		ttp_timer_heard(rpc);
		return false;
	}
	/* A request's very first one was judged before there was an RPC */
	if ((rpc->client || !first) && ttp_input_filtered(in, rpc->sk, skb)) {
		ttp_input_unloved(in, rpc);
		return false;
	}
	rpc->in.level = in->pkt.level;
	quiet = ttp_timer_quiet(rpc);
	if (!rpc->in.len) {
		stored = ttp_input_store(in, rpc, skb);
		ttp_input_complete(in, rpc);
		return stored;
	}
	prefix = rpc->in.have.prefix;
	stored = ttp_input_store(in, rpc, skb);
	ttp_timer_arrived(rpc, prefix, in->pkt.flags & TTP_WIRE_F_RETRANS);
	if (rpc->in.received == rpc->in.len) {
		ttp_input_complete(in, rpc);
		return stored;
	}
	ttp_input_news(in, rpc, &news);
	ttp_grant_update(rpc, &news);
	ttp_timer_heard(rpc);
	/* The sender asks where we are: tell now, not when our own time is up */
	if (in->pkt.flags & TTP_WIRE_F_RETRANS &&
	    (first || (!stored && quiet)))
		ttp_output_resend(rpc, rpc->in.granted, false, in->out);
	return stored;
}

/* A client repeats its request, having heard nothing: say how things stand */
static void ttp_input_repeated(struct ttp_input *in, struct ttp_rpc *rpc)
{
	TTP_INC(in->link, IN_DUPLICATE);
	if (!(in->pkt.flags & TTP_WIRE_F_RETRANS))
		return;		/* the network's copy, nobody waits */
	if (rpc->oneway)
		ttp_output_ack(rpc, in->out);
	else if (rpc->state == TTP_RPC_REPLYING && !ttp_timer_just_sent(rpc, 1))
		ttp_output_first(rpc, in->out);
	else
		ttp_output_note(rpc, TTP_WIRE_BUSY, 0, rpc->in.len, in->out);
}

static void ttp_input_refuse(struct ttp_input *in, u8 code, u32 value)
{
	ttp_input_saw(in, in->pkt.data.una, true);
	ttp_output_reply(in->link, in->mac, &in->pkt, TTP_WIRE_REJECT, code,
			 value, in->out);
}

/* No state, hence no waiting in line: the client asks again.  Once a message */
static void ttp_input_full_reply(struct ttp_input *in)
{
	if (!in->pkt.data.offset || in->pkt.flags & TTP_WIRE_F_RETRANS)
		ttp_output_reply(in->link, in->mac, &in->pkt, TTP_WIRE_FULL, 0,
				 0, in->out);
}

/* What to do about a request for which there is no RPC and can be none */
static void ttp_input_no_server(struct ttp_input *in, int err)
{
	switch (err) {
	case -EALREADY:
		if (in->pkt.flags & TTP_WIRE_F_RETRANS)
			ttp_input_unknown(in);
		else
			TTP_INC(in->link, IN_REPLAY);
		break;
	case -EDQUOT:
		TTP_INC(in->link, RPC_LIMIT);
		ttp_netlink_limit_event(in->link->tn, TTP_NL_LIMIT_MAX_RPCS_PER_PEER,
					in->link, in->mac);
		ttp_input_full_reply(in);
		break;
	case -ENOBUFS:
		TTP_INC(in->link, IN_NO_BUDGET);
		ttp_input_full_reply(in);
		break;
	case -ECONNREFUSED:
		TTP_INC(in->link, RPC_REFUSED);
		ttp_input_refuse(in, TTP_REJECT_REFUSED, 0);
		break;
	case -ESTALE:
		break;		/* counted */
	default:
		TTP_INC(in->link, IN_NO_MEM);
		break;
	}
}

/*
 * Could an incarnation of this host before the present one have received the
 * request?  The client that did not know our epoch tells how old it is.  Or
 * could this one have, and have forgotten the client and its ids since?
 */
static bool ttp_input_too_old(const struct ttp_input *in)
{
	u64 age_ns = (u64)in->pkt.data.age_us * NSEC_PER_USEC;
	u64 now_ns = ktime_get_ns(), forgot_ns;

	if (in->pkt.data.age_us == U32_MAX)
		age_ns = U64_MAX;	/* so old, or older */
	if (!in->pkt.dst_epoch && age_ns >= now_ns - in->link->born_ns)
		return true;
	forgot_ns = in->peer ? in->peer->forgot_ns :
			       READ_ONCE(in->link->forgot_ns);
	return forgot_ns && age_ns > now_ns - forgot_ns;
}

/* The client's oldest open RPC, as an id of this side; 0 if it says nonsense */
static u64 ttp_input_una(const struct ttp_packet *pkt)
{
	if (pkt->data.una > pkt->id >> 1)
		return 0;
	return (pkt->id | TTP_WIRE_ID_SERVER) - 2ULL * pkt->data.una;
}

static struct ttp_rpc *ttp_input_new_rpc(struct ttp_input *in, struct sock *sk)
{
	const struct ttp_packet *pkt = &in->pkt;
	struct ttp_rpc *rpc;

	if (!in->peer) {
		struct ttp_peer *peer;

		peer = ttp_peer_create(in->link, in->mac, GFP_ATOMIC);
		if (IS_ERR(peer))
			return ERR_CAST(peer);
		in->peer = peer;
		if (!ttp_input_meet(in))
			return ERR_PTR(-ESTALE);
	}
	ttp_rpc_reap_done(in->peer, ttp_input_una(pkt));
	rpc = ttp_rpc_server(sk, in->peer, pkt);
	if (IS_ERR(rpc)) {
		struct ttp_rpc *found = NULL;

		/* Another CPU may have begun it since we looked */
		if (PTR_ERR(rpc) == -EALREADY)
			found = ttp_input_find(in);
		else if (PTR_ERR(rpc) == -ESTALE)
			TTP_INC(in->link, IN_STALE);
		if (in->mismatch)
			return ERR_PTR(-ESTALE);	/* counted */
		return found ?: rpc;
	}
	return rpc;
}

/*
 * Was there an RPC of this id?  Of one that is over nobody may say that there
 * is no listener: its program may have run it, and closed the socket.  One
 * that was refused before may be refused again.
 */
static bool ttp_input_over(struct ttp_input *in)
{
	struct ttp_peer *peer = in->peer;
	u64 number = in->pkt.id >> 1;
	bool over;

	if (!peer)
		return false;
	spin_lock(&peer->lock);
	over = ttp_peer_used(peer, number) &&
	       !ttp_peer_refused(peer, number);
	spin_unlock(&peer->lock);
	return over;
}

/* A request without an RPC: begin one, if somebody here takes it */
static struct ttp_rpc *ttp_input_accept(struct ttp_input *in,
					struct sk_buff *skb)
{
	const struct ttp_packet *pkt = &in->pkt;
	struct ttp_rpc *rpc = NULL;
	struct sock *sk;

	if (ttp_input_over(in)) {
		/* Another CPU may have begun it since we looked */
		rpc = ttp_input_find(in);
		if (!rpc && !in->mismatch)
			ttp_input_no_server(in, -EALREADY);
		return rpc;
	}
	if (ttp_input_too_old(in)) {
		TTP_INC(in->link, IN_STALE);
		ttp_output_reply(in->link, in->mac, pkt, TTP_WIRE_UNKNOWN,
				 TTP_UNKNOWN_EPOCH, 0, in->out);
		return NULL;
	}
	sk = ttp_sock_listener(in->link, in->mac, pkt->sport, pkt->dport);
	if (!sk) {
		ttp_input_no_server(in, -ECONNREFUSED);
		return NULL;
	}
	if (pkt->data.msg_len > ttp_sock_max_msg(sk)) {
		TTP_INC(in->link, RPC_TOO_LONG);
		ttp_input_refuse(in, TTP_REJECT_TOO_LONG, ttp_sock_max_msg(sk));
		goto out;
	}
	if (ttp_input_filtered(in, sk, skb)) {
		ttp_input_refuse(in, TTP_REJECT_REFUSED, 0);
		goto out;
	}
	rpc = ttp_input_new_rpc(in, sk);
	if (IS_ERR(rpc)) {
		ttp_input_no_server(in, PTR_ERR(rpc));
		rpc = NULL;
	}
out:
	sock_put(sk);
	return rpc;
}

static bool ttp_input_request(struct ttp_input *in, struct sk_buff *skb)
{
	bool consumed = false;
	struct ttp_rpc *rpc;

	rpc = ttp_input_find(in);
	if (!rpc && !in->mismatch)
		rpc = ttp_input_accept(in, skb);
	if (!rpc)
		return false;
	if (rpc->state == TTP_RPC_INCOMING)
		consumed = ttp_input_piece(in, rpc, skb);
	else if (rpc->state != TTP_RPC_DEAD)
		ttp_input_repeated(in, rpc);
	spin_unlock(&rpc->lock);
	ttp_rpc_put(rpc);
	return consumed;
}

/* The client's answer to a response that it does not wait for any more */
static void ttp_input_unwanted(struct ttp_input *in)
{
	struct ttp_ack ack = {
		.id = in->pkt.id ^ TTP_WIRE_ID_SERVER,
		.sport = in->pkt.dport,
		.dport = in->pkt.sport,
		.received = in->pkt.data.msg_len,
	};

	TTP_INC(in->link, IN_NO_RPC);
	if (in->peer && in->pkt.dst_epoch)
		ttp_output_ack_id(in->peer, &ack, false, in->out);
}

static bool ttp_input_response(struct ttp_input *in, struct sk_buff *skb)
{
	bool consumed = false;
	struct ttp_rpc *rpc;

	rpc = ttp_input_find(in);
	if (!rpc) {
		if (!in->mismatch)
			ttp_input_unwanted(in);
		return false;
	}
	if (rpc->state != TTP_RPC_OUTGOING || rpc->oneway ||
	    in->pkt.data.msg_len > rpc->limit) {
		TTP_INC(in->link, IN_MISMATCH);
	} else {
		if (!rpc->in.known)
			ttp_timer_answered(rpc, in->pkt.flags &
						TTP_WIRE_F_RETRANS);
		/* Who answers has the request */
		rpc->informed = true;
		ttp_rpc_stamp_ack(rpc);
		ttp_rpc_delivered(rpc);
		consumed = ttp_input_piece(in, rpc, skb);
	}
	spin_unlock(&rpc->lock);
	ttp_rpc_put(rpc);
	return consumed;
}

/* Tell who sends by other cutoffs, unless just told */
static void ttp_input_levels(struct ttp_input *in)
{
	u8 version = READ_ONCE(in->link->cutoffs.version);
	u64 now_ns;
	bool tell;

	if (in->pkt.cutoffs == version || !version || !in->peer)
		return;
	now_ns = ktime_get_ns();
	spin_lock(&in->peer->lock);
	tell = now_ns >= in->peer->cutoffs_ns + TTP_CUTOFFS_TELL_NS;
	if (tell)
		in->peer->cutoffs_ns = now_ns;
	spin_unlock(&in->peer->lock);
	if (tell)
		ttp_output_cutoffs(in->peer, in->out);
}

void ttp_input_data(struct ttp_input *in, struct sk_buff *skb)
{
	struct ttp_packet *pkt = &in->pkt;
	struct ttp_ack ack;
	unsigned int i;
	bool consumed;

	/* Acknowledgments that ride along come first: they free things */
	for (i = 0; i < pkt->count; i++) {
		ttp_wire_get_ack(skb->data, pkt, i, &ack);
		ttp_input_ack(in, &ack);
	}
	ttp_input_levels(in);
	/* Memory kept for those who free memory: no socket of ours is one of them */
	if (skb_pfmemalloc(skb)) {
		TTP_INC(in->link, IN_NO_MEM);
		kfree_skb_reason(skb, SKB_DROP_REASON_NOMEM);
		return;
	}
	__skb_pull(skb, pkt->hlen);
	if (pkt->id & TTP_WIRE_ID_SERVER)
		consumed = ttp_input_response(in, skb);
	else
		consumed = ttp_input_request(in, skb);
	if (consumed)
		return;
	if (pkt->payload)
		kfree_skb_reason(skb, SKB_DROP_REASON_NOT_SPECIFIED);
	else
		consume_skb(skb);	/* it was all header */
}
