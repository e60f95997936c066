// SPDX-License-Identifier: GPL-2.0
/*
 * Receiving everything but DATA.
 */
#include "end.h"
#include "grant.h"
#include "input.h"
#include "pacer.h"
#include "ping.h"
#include "timer.h"

/* No network is faster, whatever its time stamps say */
#define TTP_INPUT_MIN_RTT_NS	5000U

/* The only place that translates what the wire says into an errno */
static int ttp_input_errno(u8 type, u8 code)
{
	if (type == TTP_WIRE_UNKNOWN)
		return -ECONNRESET;
	switch (code) {
	case TTP_REJECT_REFUSED:
		return -ECONNREFUSED;
	case TTP_REJECT_TOO_LONG:
		return -EMSGSIZE;
	default:
		return -ECONNRESET;
	}
}

/* Does this side have something to send, that a GRANT could be about? */
static bool ttp_input_sends(const struct ttp_rpc *rpc)
{
	return rpc->state == TTP_RPC_REPLYING ||
	       (rpc->state == TTP_RPC_OUTGOING && !rpc->in.known);
}

static void ttp_input_allow(struct ttp_rpc *rpc, u32 granted, u8 level)
{
	const struct ttp_link *link = rpc->key.peer->key.link;
	u8 levels = READ_ONCE(link->config.levels);

	rpc->out.held = false;
	/* It is its link, but our network */
	ttp_msgout_grant(&rpc->out, granted,
			 min_t(u8, level, ttp_level_scheduled(levels) - 1));
}

static void ttp_input_grant(struct ttp_input *in, struct ttp_rpc *rpc)
{
	bool held = rpc->out.held;

	TTP_INC(in->link, GRANT_IN);
	if (!ttp_input_sends(rpc)) {
		TTP_INC(in->link, IN_MISMATCH);
		return;
	}
	rpc->informed = true;
	ttp_input_allow(rpc, in->pkt.grant.granted, in->pkt.grant.level);
	ttp_rpc_received_up_to(rpc, in->pkt.grant.received);
	if (rpc->out.len || held)
		ttp_pacer_push(rpc, TTP_OUTPUT_BURST, in->out);
	else
		ttp_output_first(rpc, in->out);
	ttp_timer_heard(rpc);
}

/*
 * Answering each RESEND at once, or each GRANT after a FULL that takes back
 * what was sent, would let a peer, or a network that doubles packets, make us
 * send without bound: one in half a round trip is honoured, or, as long as
 * none was measured, and of FULL in any case, in half the floor of the
 * time-out.
 */
static bool ttp_input_too_soon(struct ttp_rpc *rpc, bool full)
{
	const struct ttp_link *link = rpc->key.peer->key.link;
	u64 now_ns = ktime_get_ns();
	u64 rtt_ns;

	rtt_ns = max(ttp_timer_rtt_ns(rpc), TTP_INPUT_MIN_RTT_NS);
	/* What the peer makes of its round trip does not help it here */
	if (!ttp_timer_rtt_ns(rpc) || full)
		rtt_ns = (u64)READ_ONCE(link->config.rto_min_us) *
			 NSEC_PER_USEC;
	if (rpc->resent_ns && now_ns - rpc->resent_ns < rtt_ns / 2)
		return true;
	rpc->resent_ns = now_ns;
	return false;
}

static void ttp_input_send_again(struct ttp_input *in, struct ttp_rpc *rpc,
				 const void *buf)
{
	u32 left = TTP_OUTPUT_BURST;
	u32 sent = rpc->out.sent;
	unsigned int i;
	u32 start, end;

	ttp_rpc_received_up_to(rpc, in->pkt.resend.received);
	if (!rpc->out.len) {
		ttp_output_first(rpc, in->out);
		return;
	}
	for (i = 0; i < in->pkt.count; i++) {
		ttp_wire_get_range(buf, i, &start, &end);
		/* "All that was sent" grants nothing */
		if (end != TTP_WIRE_RANGE_ALL)
			ttp_input_allow(rpc, end, in->pkt.resend.level);
		ttp_output_again(rpc, start, min(end, sent), &left, in->out);
	}
	rpc->out.held = false;
	ttp_pacer_push(rpc, left, in->out);
}

/*
 * The other side asks where we are with its message.  What is on its way need
 * not be sent again: unless nothing has come for a while, just say we live.
 */
static void ttp_input_tell(struct ttp_input *in, struct ttp_rpc *rpc)
{
	if (!ttp_msgin_up_to_date(&rpc->in) && ttp_timer_quiet(rpc))
		ttp_output_resend(rpc, rpc->in.granted, false, in->out);
	else
		ttp_output_note(rpc, TTP_WIRE_BUSY, 0, rpc->in.have.prefix,
				in->out);
}

/* A client asks for a response; the request tells what to answer */
static void ttp_input_asked(struct ttp_input *in, struct ttp_rpc *rpc)
{
	if (rpc->state == TTP_RPC_INCOMING && !rpc->in.budget) {
		if (!rpc->in.known || !ttp_grant_admit(rpc, in->out))
			ttp_output_note(rpc, TTP_WIRE_FULL, 0, 0, in->out);
	} else if (rpc->state == TTP_RPC_INCOMING) {
		ttp_input_tell(in, rpc);
	} else if (rpc->oneway) {
		ttp_output_ack(rpc, in->out);
	} else {
		ttp_output_note(rpc, TTP_WIRE_BUSY, 0, rpc->in.len, in->out);
	}
}

/*
 * Does a client that has seen nothing of the response ask for all of it, which
 * has only just been sent, or waits here for its turn?
 */
static bool ttp_input_on_its_way(const struct ttp_input *in,
				 struct ttp_rpc *rpc, const void *buf)
{
	u32 start, end;

	if (rpc->client || !rpc->out.len || in->pkt.count != 1)
		return false;
	ttp_wire_get_range(buf, 0, &start, &end);
	if (start || end != TTP_WIRE_RANGE_ALL)
		return false;
	return ttp_timer_just_sent(rpc, 2);
}

static void ttp_input_resend(struct ttp_input *in, struct ttp_rpc *rpc,
			     const void *buf)
{
	TTP_INC(in->link, RESEND_IN);
	if (ttp_input_too_soon(rpc, false)) {
		TTP_INC(in->link, RESEND_IGNORED);
		return;
	}
	if (ttp_input_sends(rpc) && ttp_input_on_its_way(in, rpc, buf)) {
		ttp_output_note(rpc, TTP_WIRE_BUSY, 0, 0, in->out);
		rpc->heard_ns = ktime_get_ns();
	} else if (ttp_input_sends(rpc)) {
		rpc->informed = true;
		ttp_input_send_again(in, rpc, buf);
		ttp_timer_heard(rpc);
	} else if (!rpc->client) {
		ttp_input_asked(in, rpc);
		rpc->heard_ns = ktime_get_ns();
	} else {
		TTP_INC(in->link, IN_MISMATCH);
	}
}

/* Has this side received what the other one has sent? */
static void ttp_input_need_ack(struct ttp_input *in, struct ttp_rpc *rpc)
{
	TTP_INC(in->link, NEED_ACK_IN);
	if (!rpc->client) {
		ttp_input_asked(in, rpc);
		rpc->heard_ns = ktime_get_ns();
		return;
	}
	if (rpc->state != TTP_RPC_OUTGOING || rpc->oneway) {
		TTP_INC(in->link, IN_MISMATCH);
		return;
	}
	rpc->informed = true;
	if (!rpc->in.known)
		ttp_output_resend(rpc, rpc->in.granted, true, in->out);
	else if (rpc->in.budget)
		ttp_input_tell(in, rpc);
	else if (!ttp_grant_admit(rpc, in->out))
		ttp_output_note(rpc, TTP_WIRE_FULL, 0, 0, in->out);
	ttp_timer_heard(rpc);
}

static void ttp_input_full(struct ttp_input *in, struct ttp_rpc *rpc)
{
	TTP_INC(in->link, FULL_IN);
	if (!ttp_input_sends(rpc)) {
		TTP_INC(in->link, IN_MISMATCH);
		return;
	}
	/* What it says once more is only a sign of life */
	if (rpc->out.held || ttp_input_too_soon(rpc, true)) {
		rpc->heard_ns = ktime_get_ns();
		return;
	}
	/* Nothing was kept of what it has not acknowledged */
	rpc->out.held = true;
	rpc->out.sent = rpc->out.acked;
	rpc->out.granted = rpc->out.acked;
	/* A GRANT will come; in case it is lost, ask less and less often */
	rpc->heard_ns = ktime_get_ns();
	ttp_timer_start(rpc);
}

static void ttp_input_busy(struct ttp_input *in, struct ttp_rpc *rpc)
{
	TTP_INC(in->link, BUSY_IN);
	if (!rpc->client && rpc->state != TTP_RPC_REPLYING) {
		TTP_INC(in->link, IN_MISMATCH);
		return;
	}
	rpc->informed = true;
	rpc->told_busy = true;
	if (ttp_input_sends(rpc))
		ttp_rpc_received_up_to(rpc, in->pkt.note.value);
	/* Alive, but slow: go on asking, less and less often */
	rpc->heard_ns = ktime_get_ns();
}

/* Does it answer a packet from before the RPC began anew? */
static bool ttp_input_before_again(const struct ttp_input *in,
				   const struct ttp_rpc *rpc)
{
	return rpc->again_ns && in->pkt.flags & TTP_WIRE_F_ECHO &&
	       ktime_get_ns() - rpc->again_ns < NSEC_PER_SEC &&
	       (s32)(in->pkt.echo - (u32)rpc->again_ns) < 0;
}

/* The server is another one by now, and may run the request again */
static void ttp_input_restarted(struct ttp_input *in, struct ttp_rpc *rpc)
{
	if (ttp_input_before_again(in, rpc) || ttp_input_too_soon(rpc, false)) {
		TTP_INC(in->link, RESEND_IGNORED);
		return;
	}
	TTP_INC(in->link, RPC_AGAIN);
	ttp_rpc_again(rpc, in->pkt.src_epoch);
	ttp_pacer_push(rpc, TTP_OUTPUT_BURST, in->out);
	ttp_timer_heard(rpc);
}

/*
 * It says so, or has never seen what was begun with another one, or when none was
 * known: of that a part may have been answered.
 */
static bool ttp_input_other_server(const struct ttp_input *in,
				   const struct ttp_rpc *rpc)
{
	return in->pkt.note.code == TTP_UNKNOWN_EPOCH ||
	       (in->pkt.note.code == TTP_UNKNOWN_NEVER &&
		rpc->epoch != in->pkt.src_epoch);
}

static void ttp_input_unknown_rpc(struct ttp_input *in, struct ttp_rpc *rpc)
{
	u32 left = TTP_OUTPUT_BURST;

	TTP_INC(in->link, UNKNOWN_IN);
	if (rpc->state != TTP_RPC_OUTGOING)
		return;
	if (rpc->idempotent && ttp_input_other_server(in, rpc)) {
		ttp_input_restarted(in, rpc);
		return;
	}
	if (in->pkt.note.code != TTP_UNKNOWN_NEVER || rpc->out.acked ||
	    rpc->in.known) {
		ttp_rpc_fail(rpc, ttp_input_errno(TTP_WIRE_UNKNOWN, 0));
		return;
	}
	if (ttp_input_too_soon(rpc, false)) {
		TTP_INC(in->link, RESEND_IGNORED);
		return;
	}
	/* Begin anew; what FULL had held back counts as never sent */
	rpc->informed = false;
	rpc->sent_ns = ktime_get_ns();
	if (!rpc->out.len)
		ttp_output_first(rpc, in->out);
	else
		ttp_output_again(rpc, 0, rpc->out.sent, &left, in->out);
	ttp_input_allow(rpc, rpc->out.unsched, rpc->out.granted_level);
	if (rpc->out.len)
		ttp_pacer_push(rpc, left, in->out);
	ttp_timer_heard(rpc);
}

static void ttp_input_reject(struct ttp_input *in, struct ttp_rpc *rpc)
{
	TTP_INC(in->link, REJECT_IN);
	ttp_rpc_fail(rpc, ttp_input_errno(TTP_WIRE_REJECT, in->pkt.note.code));
}

static void ttp_input_cancel(struct ttp_input *in, struct ttp_rpc *rpc)
{
	TTP_INC(in->link, CANCEL_IN);
	/*
	 * A one-way message that is complete was acknowledged: its client is
	 * done, and answers a late RESEND or GRANT of ours by this.
	 */
	if (rpc->oneway && rpc->state == TTP_RPC_READY)
		return;
	TTP_INC(in->link, RPC_CANCELLED);
	/* Unread it disappears, whatever was answered by a peeked tag */
	ttp_sock_leave(rpc);
	ttp_rpc_end(rpc);
}

static void ttp_input_of_rpc(struct ttp_input *in, struct ttp_rpc *rpc,
			     const void *buf)
{
	lockdep_assert_held(&rpc->lock);

	switch (in->pkt.type) {
	case TTP_WIRE_GRANT:
		ttp_input_grant(in, rpc);
		break;
	case TTP_WIRE_RESEND:
		ttp_input_resend(in, rpc, buf);
		break;
	case TTP_WIRE_BUSY:
		ttp_input_busy(in, rpc);
		break;
	case TTP_WIRE_UNKNOWN:
		ttp_input_unknown_rpc(in, rpc);
		break;
	case TTP_WIRE_NEED_ACK:
		ttp_input_need_ack(in, rpc);
		break;
	case TTP_WIRE_FULL:
		ttp_input_full(in, rpc);
		break;
	case TTP_WIRE_CANCEL:
		ttp_input_cancel(in, rpc);
		break;
	case TTP_WIRE_REJECT:
		ttp_input_reject(in, rpc);
		break;
	}
}

/* A packet about an RPC that this side does not have */
static void ttp_input_orphan(struct ttp_input *in)
{
	struct ttp_ack ack = {
		.id = in->pkt.id ^ TTP_WIRE_ID_SERVER,
		.sport = in->pkt.dport,
		.dport = in->pkt.sport,
	};
	u8 type = in->pkt.type;

	TTP_INC(in->link, IN_NO_RPC);
	if (!(in->pkt.id & TTP_WIRE_ID_SERVER)) {
		if (type == TTP_WIRE_RESEND || type == TTP_WIRE_NEED_ACK)
			ttp_input_unknown(in);
		else if (type == TTP_WIRE_CANCEL)
			ttp_input_saw(in, 0, false);
		return;
	}
	/* A server may only count on what this incarnation says */
	if (!in->peer || !in->pkt.dst_epoch)
		return;
	if (type == TTP_WIRE_NEED_ACK)
		ttp_output_ack_id(in->peer, &ack, true, in->out);
	else if (type == TTP_WIRE_RESEND || type == TTP_WIRE_GRANT)
		ttp_output_reply(in->link, in->mac, &in->pkt, TTP_WIRE_CANCEL,
				 0, 0, in->out);
}

void ttp_input_ack(struct ttp_input *in, const struct ttp_ack *ack)
{
	struct ttp_rpc *rpc = NULL;

	if (in->peer)
		rpc = ttp_rpc_find(in->link->tn, in->peer,
				   ack->id ^ TTP_WIRE_ID_SERVER);
	if (!rpc)
		return;		/* acknowledged twice; nothing to do */
	spin_lock(&rpc->lock);
	if (!rpc->live || rpc->lport != ack->dport ||
	    rpc->pport != ack->sport) {
		TTP_INC(in->link, IN_MISMATCH);
	} else if (rpc->state == TTP_RPC_REPLYING) {
		TTP_INC(in->link, RPC_ANSWERED);
		ttp_rpc_stamp_ack(rpc);
		ttp_rpc_end(rpc);
	} else if (rpc->state == TTP_RPC_OUTGOING && rpc->oneway) {
		ttp_rpc_stamp_ack(rpc);
		ttp_rpc_acked(rpc);
	} else {
		TTP_INC(in->link, IN_MISMATCH);
	}
	spin_unlock(&rpc->lock);
	ttp_rpc_put(rpc);
}

static void ttp_input_ack_list(struct ttp_input *in, const void *buf)
{
	struct ttp_ack ack;
	unsigned int i;

	TTP_INC(in->link, ACK_IN);
	for (i = 0; i < in->pkt.count; i++) {
		ttp_wire_get_ack(buf, &in->pkt, i, &ack);
		ttp_input_ack(in, &ack);
	}
}

static void ttp_input_close(struct ttp_input *in)
{
	struct ttp_peer *peer = in->peer;
	u32 ended = 0;

	TTP_INC(in->link, CLOSE_IN);
	if (!peer)
		return;
	spin_lock(&peer->lock);
	/* The next one may have been heard of meanwhile */
	if (peer->epoch == in->pkt.src_epoch)
		ended = ttp_peer_set_epoch(peer, 0);
	spin_unlock(&peer->lock);
	if (ended)
		ttp_end_peer(peer, ended);
}

static void ttp_input_cutoffs(struct ttp_input *in)
{
	struct ttp_level_cutoffs cutoffs;

	TTP_INC(in->link, CUTOFFS_IN);
	if (!in->peer)
		return;
	BUILD_BUG_ON(sizeof(cutoffs.longest) != sizeof(in->pkt.table.longest));
	memcpy(cutoffs.longest, in->pkt.table.longest, sizeof(cutoffs.longest));
	spin_lock(&in->peer->lock);
	/* The next incarnation may have been heard of meanwhile */
	if (in->peer->epoch == in->pkt.src_epoch)
		ttp_peer_set_cutoffs(in->peer, in->pkt.table.version,
				     in->pkt.table.limit, &cutoffs);
	spin_unlock(&in->peer->lock);
}

/* Packets of no RPC; true if it was one */
static bool ttp_input_of_link(struct ttp_input *in, const void *buf)
{
	switch (in->pkt.type) {
	case TTP_WIRE_ACK:
		ttp_input_ack_list(in, buf);
		return true;
	case TTP_WIRE_CLOSE:
		ttp_input_close(in);
		return true;
	case TTP_WIRE_CUTOFFS:
		ttp_input_cutoffs(in);
		return true;
	case TTP_WIRE_PROBE:
		TTP_INC(in->link, PROBE_IN);
		ttp_output_reply(in->link, in->mac, &in->pkt,
				 TTP_WIRE_PROBE_REPLY, 0, in->pkt.note.value,
				 in->out);
		return true;
	case TTP_WIRE_PROBE_REPLY:
		ttp_ping_answer(in->link, in->mac, &in->pkt);
		return true;
	default:
		return false;
	}
}

void ttp_input_control(struct ttp_input *in, const void *buf)
{
	struct ttp_rpc *rpc;

	if (ttp_input_of_link(in, buf))
		return;
	rpc = ttp_input_find(in);
	if (!rpc) {
		if (!in->mismatch)
			ttp_input_orphan(in);
		return;
	}
	ttp_input_of_rpc(in, rpc, buf);
	spin_unlock(&rpc->lock);
	ttp_rpc_put(rpc);
}
