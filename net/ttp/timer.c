// SPDX-License-Identifier: GPL-2.0
/*
 * Time-outs.
 *
 * ttp_rpc.due_ns says when an RPC wants attention.  The peer's queue holds it
 * at that time or earlier (see ttp_rpc_schedule()).
 */
#include <linux/math64.h>
#include <linux/random.h>
#include <trace/events/ttp.h>

#include "grant.h"
#include "netlink.h"
#include "timer.h"

/* RPCs looked at in one run; the rest of a crowd is spread out in time */
#define TTP_TIMER_BATCH		32U
#define TTP_TIMER_PAUSE_NS	(20 * NSEC_PER_USEC)
/*
 * However far the back-off goes: questions asked before silence is too long.
 * With 10 % loss each way a peer that is alive must not seem dead, not even to
 * an RPC that waits for days.
 */
#define TTP_TIMER_CHANCES	8U
/*
 * Times the limit of silence that a message may stand still although its
 * sender is alive: it holds receive budget that others wait for.
 */
#define TTP_TIMER_STALL		10U
/* Time-outs for which a message may wait behind others in the network */
#define TTP_TIMER_QUEUES	16U
/* More tries than this make no difference to the back-off */
#define TTP_TIMER_MAX_TRIES	64U

/*
 * The early question (a tail loss probe, RFC 8985, of an RPC): if a short
 * request has no answer for longer than such requests to this peer usually
 * take, the programs included, it or its response is probably lost, and it is
 * sent once more.  A server that has it, and is slow, says BUSY.  The time-out
 * would do the same, but its floor is many times what a short RPC takes.
 *
 * One question for so many answers, and never more than a few at once: a peer
 * that slows down must not be slowed down more.  And none, nor a timer that runs
 * so often, where nothing is lost.
 */
#define TTP_TIMER_PROBE_COST	8U
#define TTP_TIMER_PROBE_CREDIT	(32 * TTP_TIMER_PROBE_COST)
/* How long a loss is remembered */
#define TTP_TIMER_PROBE_LOSSY_NS	(10 * NSEC_PER_SEC)
/* Least part of the time-out's floor to wait in any case */
#define TTP_TIMER_PROBE_PART	32U

u32 ttp_timer_rtt_ns(const struct ttp_rpc *rpc)
{
	return READ_ONCE(rpc->key.peer->rtt.srtt_ns);
}

static u64 ttp_timer_rto(struct ttp_rpc *rpc)
{
	struct ttp_peer *peer = rpc->key.peer;
	const struct ttp_link *link = peer->key.link;
	u64 rto_ns;

	spin_lock(&peer->lock);
	rto_ns = ttp_rtt_rto(&peer->rtt,
			     (u64)READ_ONCE(link->config.rto_min_us) *
			     NSEC_PER_USEC,
			     (u64)READ_ONCE(link->config.rto_max_us) *
			     NSEC_PER_USEC, rpc->tries, get_random_u32());
	spin_unlock(&peer->lock);
	return min(rto_ns, div_u64(rpc->timeout_ns, TTP_TIMER_CHANCES));
}

/* When silence will have lasted too long */
static u64 ttp_timer_expiry(const struct ttp_rpc *rpc)
{
	u64 heard_ns = max(rpc->heard_ns,
			   READ_ONCE(rpc->key.peer->heard_ns));
	u64 expiry_ns = heard_ns + rpc->timeout_ns;

	if (rpc->in.budget && (rpc->state == TTP_RPC_INCOMING ||
			       rpc->state == TTP_RPC_OUTGOING))
		expiry_ns = min(expiry_ns, rpc->progress_ns +
				TTP_TIMER_STALL * rpc->timeout_ns);
	if (rpc->deadline_ns)
		expiry_ns = min(expiry_ns, rpc->deadline_ns);
	return expiry_ns;
}

/* Does the request go in one packet, that nothing behind it tells of? */
static bool ttp_timer_short(const struct ttp_rpc *rpc)
{
	const struct ttp_peer *peer = rpc->key.peer;

	/* Acknowledgments may ride along */
	return rpc->client && !rpc->oneway &&
	       rpc->out.len + TTP_WIRE_DATA_HLEN +
	       TTP_WIRE_DATA_ACKS * sizeof(struct ttp_wire_ack) <=
	       min_t(u32, READ_ONCE(peer->mtu), READ_ONCE(peer->key.link->mtu));
}

/* May it be asked early?  Then after how long without an answer, ns */
static u64 ttp_timer_probe_ns(const struct ttp_rpc *rpc)
{
	struct ttp_peer *peer = rpc->key.peer;
	u64 floor_ns = (u64)READ_ONCE(peer->key.link->config.rto_min_us) *
		       NSEC_PER_USEC;
	u64 lossy_ns = READ_ONCE(peer->lossy_ns);
	u64 probe_ns = 0;

	if (!lossy_ns || ktime_get_ns() - lossy_ns > TTP_TIMER_PROBE_LOSSY_NS ||
	    rpc->state != TTP_RPC_OUTGOING || rpc->in.known || rpc->informed ||
	    rpc->out.held || rpc->asked_early || rpc->tries ||
	    !ttp_timer_short(rpc))
		return 0;
	spin_lock(&peer->lock);
	if (peer->answer.srtt_ns && peer->credit >= TTP_TIMER_PROBE_COST)
		probe_ns = ttp_rtt_rto(&peer->answer,
				       floor_ns / TTP_TIMER_PROBE_PART,
				       U64_MAX, 0, 0);
	spin_unlock(&peer->lock);
	return probe_ns < floor_ns ? probe_ns : 0;
}

void ttp_timer_answered(struct ttp_rpc *rpc, bool again)
{
	struct ttp_peer *peer = rpc->key.peer;
	u64 now_ns = ktime_get_ns();
	bool asked = rpc->asked_early || rpc->tries;

	lockdep_assert_held(&rpc->lock);

	/* A server that was slow, and did not miss the request, has said BUSY */
	if (again || (asked && !rpc->told_busy))
		WRITE_ONCE(peer->lossy_ns, now_ns);
	/* To which of two requests is it the answer? */
	if (again || rpc->tries || !ttp_timer_short(rpc) ||
	    (asked && !rpc->told_busy))
		return;
	spin_lock(&peer->lock);
	ttp_rtt_sample(&peer->answer,
		       min_t(u64, U32_MAX, now_ns - rpc->sent_ns));
	peer->credit = min(peer->credit + 1, TTP_TIMER_PROBE_CREDIT);
	spin_unlock(&peer->lock);
}

bool ttp_timer_quiet(const struct ttp_rpc *rpc)
{
	const struct ttp_link *link = rpc->key.peer->key.link;
	u64 quiet_ns = ttp_timer_rtt_ns(rpc) +
		       (u64)READ_ONCE(link->config.rto_min_us) *
		       NSEC_PER_USEC / 2;

	return ktime_get_ns() - rpc->arrived_ns >= quiet_ns;
}

bool ttp_timer_just_sent(const struct ttp_rpc *rpc, u32 rtts)
{
	lockdep_assert_held(&rpc->lock);

	return ttp_rpc_waits(rpc) ||
	       ktime_get_ns() - rpc->sent_ns <
	       (u64)rtts * ttp_timer_rtt_ns(rpc);
}

static void ttp_timer_schedule(struct ttp_rpc *rpc, u64 due_ns)
{
	ttp_rpc_schedule(rpc, min(due_ns, ttp_timer_expiry(rpc)));
}

/*
 * A hole may be closed by a packet that was overtaken: wait as long as packets
 * are late on this path before asking, and ask once per round trip.
 */
static u64 ttp_timer_hole_ns(const struct ttp_rpc *rpc)
{
	struct ttp_peer *peer = rpc->key.peer;
	u32 rtt_ns, wait_ns;

	spin_lock(&peer->lock);
	rtt_ns = max(peer->rtt.srtt_ns, TTP_OUTPUT_MIN_RTT_NS);
	wait_ns = ttp_reorder_wait(&peer->reorder, rtt_ns);
	spin_unlock(&peer->lock);
	if (rpc->asked_ns <= rpc->hole_ns)
		return max(rpc->hole_ns + wait_ns,
			   rpc->asked_ns + rtt_ns + rtt_ns / 2);
	/* Asked in vain: less and less often */
	return rpc->asked_ns + max_t(u64, rpc->asked_ns - rpc->hole_ns,
				     rtt_ns + rtt_ns / 2);
}

/*
 * Bytes that came late in spite of others tell how late packets are here;
 * those that had to be sent again, that they were not.
 */
static void ttp_timer_hole_fills(struct ttp_rpc *rpc, bool again, u64 now_ns)
{
	struct ttp_peer *peer = rpc->key.peer;

	spin_lock(&peer->lock);
	if (again)
		ttp_reorder_lost(&peer->reorder);
	else
		ttp_reorder_late(&peer->reorder, now_ns - rpc->hole_ns);
	spin_unlock(&peer->lock);
}

void ttp_timer_arrived(struct ttp_rpc *rpc, u32 prefix, bool again)
{
	u64 now_ns = ktime_get_ns();

	lockdep_assert_held(&rpc->lock);

	ttp_rpc_moves(rpc, now_ns);
	/* Something has come into the first hole */
	if (rpc->hole_ns && rpc->in.have.prefix > prefix)
		ttp_timer_hole_fills(rpc, again, now_ns);
	if (rpc->in.have.prefix >= ttp_msgin_suspect(&rpc->in))
		rpc->hole_ns = 0;
	else if (!rpc->hole_ns || rpc->in.have.prefix > prefix)
		rpc->hole_ns = now_ns;
}

/* Is there a hole that may not be a matter of order only? */
static bool ttp_timer_suspects(const struct ttp_rpc *rpc)
{
	return rpc->hole_ns && rpc->in.received < rpc->in.len &&
	       ttp_timer_rtt_ns(rpc);
}

void ttp_timer_start(struct ttp_rpc *rpc)
{
	u64 now_ns = ktime_get_ns();
	u64 due_ns, rto_ns, probe_ns;

	lockdep_assert_held(&rpc->lock);

	rto_ns = ttp_timer_rto(rpc);
	due_ns = now_ns + rto_ns;
	probe_ns = ttp_timer_probe_ns(rpc);
	if (probe_ns && (ttp_rpc_waits(rpc) ||
			 now_ns < rpc->sent_ns + probe_ns))
		due_ns = now_ns + probe_ns;
	if (ttp_timer_suspects(rpc) && now_ns < rpc->arrived_ns + rto_ns)
		due_ns = min(due_ns, ttp_timer_hole_ns(rpc));
	ttp_timer_schedule(rpc, due_ns);
}

void ttp_timer_heard(struct ttp_rpc *rpc)
{
	lockdep_assert_held(&rpc->lock);

	rpc->tries = 0;
	rpc->heard_ns = ktime_get_ns();
	ttp_timer_start(rpc);
}

/*
 * Is the peer dead, and nobody was told yet?  A program with less patience
 * than the namespace says nothing about that.
 */
static bool ttp_timer_peer_dies(struct ttp_rpc *rpc, u64 now_ns)
{
	struct ttp_peer *peer = rpc->key.peer;
	u64 limit_ns = (u64)READ_ONCE(rpc->tn->params.dead_timeout_ms) *
		       NSEC_PER_MSEC;
	bool dies;

	spin_lock(&peer->lock);
	dies = !peer->told_dead &&
	       now_ns >= max(rpc->heard_ns, peer->heard_ns) + limit_ns;
	if (dies)
		peer->told_dead = true;
	spin_unlock(&peer->lock);
	return dies;
}

/* The peer does not answer: end the RPC */
static void ttp_timer_give_up(struct ttp_rpc *rpc, u64 now_ns,
			      struct sk_buff_head *out)
{
	struct ttp_peer *peer = rpc->key.peer;

	if (!rpc->client) {
		TTP_INC(peer->key.link, RPC_ABANDONED);
		/* In case it is only slow */
		if (rpc->state == TTP_RPC_INCOMING)
			ttp_output_note(rpc, TTP_WIRE_REJECT, TTP_REJECT_RESET,
					0, out);
		ttp_rpc_end(rpc);
		return;
	}
	ttp_output_note(rpc, TTP_WIRE_CANCEL, 0, 0, out);
	if (ttp_timer_peer_dies(rpc, now_ns)) {
		TTP_INC(peer->key.link, PEER_DEAD);
		trace_ttp_peer_dead(peer);
	}
	ttp_rpc_fail(rpc, -ETIMEDOUT);
}

/*
 * A message is coming in.  One that waits for room looks itself whether there
 * is some: its place may have become free without anybody receiving, and the
 * sender may not be there any more, which only a GRANT brings to light.
 */
static void ttp_timer_ask_sender(struct ttp_rpc *rpc, struct sk_buff_head *out)
{
	if (rpc->in.budget) {
		ttp_grant_stalled(rpc);
		ttp_output_resend(rpc, rpc->in.granted, false, out);
	} else if (rpc->sk) {
		ttp_grant_admit(rpc, out);
	}
}

/* Client: no response yet, or not all of it */
static void ttp_timer_ask_server(struct ttp_rpc *rpc, struct sk_buff_head *out)
{
	if (rpc->in.known)
		ttp_timer_ask_sender(rpc, out);
	else if (!rpc->informed)
		ttp_output_first(rpc, out);
	else if (rpc->oneway)
		ttp_output_note(rpc, TTP_WIRE_NEED_ACK, 0, 0, out);
	else
		ttp_output_resend(rpc, rpc->in.granted, true, out);
}

/* Does a message come in, of which all is here that was granted? */
static bool ttp_timer_our_turn(const struct ttp_rpc *rpc)
{
	if (rpc->state != TTP_RPC_INCOMING && rpc->state != TTP_RPC_OUTGOING)
		return false;
	return rpc->in.budget && ttp_msgin_up_to_date(&rpc->in);
}

/* Look again, less and less often: the scheduler does not wait for us */
static void ttp_timer_wait_turn(struct ttp_rpc *rpc, u64 now_ns)
{
	u64 pause_ns = max(now_ns - rpc->arrived_ns, ttp_timer_rto(rpc));

	ttp_timer_schedule(rpc, now_ns +
			   min(pause_ns, div_u64(rpc->timeout_ns,
						 TTP_TIMER_CHANCES)));
}

/*
 * Since when we wait for an answer: what we send may wait here for its turn.
 * While it does, there is no silence.
 */
static u64 ttp_timer_wait_since(struct ttp_rpc *rpc, u64 now_ns)
{
	if (!ttp_rpc_waits(rpc))
		return rpc->sent_ns;
	rpc->heard_ns = now_ns;
	return now_ns;
}

/* Has the peer had time to answer? */
static bool ttp_timer_too_early(struct ttp_rpc *rpc, u64 now_ns)
{
	u64 due_ns;

	if (rpc->tries || rpc->state == TTP_RPC_INCOMING ||
	    (rpc->state == TTP_RPC_OUTGOING && rpc->in.known))
		return false;
	due_ns = ttp_timer_wait_since(rpc, now_ns) + ttp_timer_rto(rpc);
	if (now_ns >= due_ns)
		return false;
	ttp_timer_schedule(rpc, due_ns);
	return true;
}

/* It is too soon for a time-out, but is it overdue? */
static bool ttp_timer_probe(struct ttp_rpc *rpc, u64 now_ns,
			    struct sk_buff_head *out)
{
	u64 probe_ns = ttp_timer_probe_ns(rpc);
	struct ttp_peer *peer = rpc->key.peer;
	u64 rto_ns = ttp_timer_rto(rpc);
	u64 since_ns;

	if (!probe_ns)
		return false;
	since_ns = ttp_timer_wait_since(rpc, now_ns);
	if (now_ns >= since_ns + rto_ns)
		return false;
	if (now_ns < since_ns + probe_ns) {
		/* What has waited for long may wait longer: look less often */
		if (since_ns == now_ns)
			probe_ns = clamp(now_ns - rpc->start_ns, probe_ns,
					 max(probe_ns, rto_ns));
		ttp_timer_schedule(rpc, since_ns + probe_ns);
		return true;
	}
	rpc->asked_early = true;
	spin_lock(&peer->lock);
	/* Another CPU may have taken the last of it */
	peer->credit -= min(peer->credit, TTP_TIMER_PROBE_COST);
	spin_unlock(&peer->lock);
	TTP_INC(peer->key.link, LOSS_PROBES);
	ttp_output_first(rpc, out);
	ttp_timer_schedule(rpc, max(since_ns + rto_ns, now_ns + probe_ns));
	return true;
}

/*
 * What was granted at a low level waits in the network for as long as what has
 * higher ones fills this link: then it is not lost, or need not be asked for
 * yet.  That most of it came in on the same CPU is usual: no NIC spreads what
 * it does not know.
 */
static bool ttp_timer_queues(struct ttp_rpc *rpc, u64 now_ns)
{
	const struct ttp_link *link = rpc->key.peer->key.link;
	u64 since_ns = now_ns - rpc->arrived_ns;
	u32 mbps = ttp_link_rate(link);
	unsigned long bytes;

	/* A hole is a loss, and what goes without a grant has higher levels */
	if (!rpc->rx.peer || rpc->tries || !mbps || ttp_timer_suspects(rpc) ||
	    rpc->in.granted <= rpc->in.unsched ||
	    since_ns >= TTP_TIMER_QUEUES * ttp_timer_rto(rpc))
		return false;
	bytes = READ_ONCE(per_cpu_ptr(link->mib, rpc->arrived_cpu)->
			  item[TTP_MIB_IN_BYTES]) - rpc->arrived_bytes;
	if ((u64)bytes * BITS_PER_BYTE * 1000 < since_ns / 2 * mbps)
		return false;
	ttp_timer_schedule(rpc, now_ns + ttp_timer_rto(rpc));
	return true;
}

/* A hole in what comes in: asked for while the rest still arrives */
static bool ttp_timer_hole(struct ttp_rpc *rpc, u64 now_ns,
			   struct sk_buff_head *out)
{
	if (!rpc->in.budget || rpc->tries || !ttp_timer_suspects(rpc) ||
	    now_ns >= rpc->arrived_ns + ttp_timer_rto(rpc))
		return false;
	if (now_ns >= ttp_timer_hole_ns(rpc))
		ttp_output_resend(rpc, ttp_msgin_suspect(&rpc->in), false, out);
	ttp_timer_start(rpc);
	return true;
}

static void ttp_timer_expire(struct ttp_rpc *rpc, u64 now_ns,
			     struct sk_buff_head *out)
{
	if (rpc->state == TTP_RPC_DONE) {
		ttp_rpc_end(rpc);
		return;
	}
	if (rpc->state != TTP_RPC_OUTGOING && rpc->state != TTP_RPC_INCOMING &&
	    rpc->state != TTP_RPC_REPLYING)
		return;
	if (ttp_timer_our_turn(rpc)) {
		rpc->progress_ns = now_ns;
		ttp_grant_retry(rpc);
	}
	if (now_ns >= ttp_timer_expiry(rpc)) {
		ttp_timer_give_up(rpc, now_ns, out);
		return;
	}
	if (ttp_timer_our_turn(rpc)) {
		ttp_timer_wait_turn(rpc, now_ns);
		return;
	}
	if (ttp_timer_hole(rpc, now_ns, out) || ttp_timer_queues(rpc, now_ns) ||
	    ttp_timer_probe(rpc, now_ns, out) ||
	    ttp_timer_too_early(rpc, now_ns))
		return;
	TTP_INC(rpc->key.peer->key.link, TIMEOUTS);
	rpc->tries = min(rpc->tries + 1, TTP_TIMER_MAX_TRIES);
	trace_ttp_timeout(rpc);
	if (rpc->state == TTP_RPC_OUTGOING)
		ttp_timer_ask_server(rpc, out);
	else if (rpc->state == TTP_RPC_REPLYING)
		ttp_output_note(rpc, TTP_WIRE_NEED_ACK, 0, 0, out);
	else
		ttp_timer_ask_sender(rpc, out);
	ttp_timer_schedule(rpc, now_ns + ttp_timer_rto(rpc));
}

static void ttp_timer_rpc(struct ttp_rpc *rpc, u64 now_ns,
			  struct sk_buff_head *out)
{
	spin_lock(&rpc->lock);
	if (rpc->live && rpc->due_ns) {
		if (now_ns < rpc->due_ns)
			ttp_rpc_schedule(rpc, rpc->due_ns);
		else
			ttp_timer_expire(rpc, now_ns, out);
	}
	spin_unlock(&rpc->lock);
	ttp_rpc_put(rpc);
}

static struct ttp_rpc *ttp_timer_next(struct ttp_peer *peer, u64 now_ns)
{
	struct timerqueue_node *node;
	struct ttp_rpc *rpc;

	lockdep_assert_held(&peer->lock);

	node = timerqueue_getnext(&peer->queue);
	if (!node || ktime_to_ns(node->expires) > now_ns)
		return NULL;
	/* Being in the queue it is live, hence has a reference */
	rpc = ttp_rpc_get(container_of(node, struct ttp_rpc, timer));
	timerqueue_del(&peer->queue, node);
	rpc->queued = false;
	return rpc;
}

static void ttp_timer_rearm(struct ttp_peer *peer, u64 earliest_ns)
{
	struct timerqueue_node *node;

	lockdep_assert_held(&peer->lock);

	if (peer->ack_due_ns)
		ttp_peer_arm(peer, peer->ack_due_ns);
	node = timerqueue_getnext(&peer->queue);
	if (node)
		ttp_peer_arm(peer, max_t(u64, ktime_to_ns(node->expires),
					 earliest_ns));
}

enum hrtimer_restart ttp_timer_fn(struct hrtimer *timer)
{
	struct ttp_peer *peer = container_of(timer, struct ttp_peer, timer);
	unsigned int left = TTP_TIMER_BATCH;
	u64 now_ns = ktime_get_ns();
	struct sk_buff_head out;
	bool acks, last, dead;
	struct ttp_rpc *rpc;

	__skb_queue_head_init(&out);
	TTP_INC(peer->key.link, TIMER_RUNS);

	rcu_read_lock();
	spin_lock(&peer->lock);
	peer->timer_ns = 0;
	acks = peer->ack_due_ns && peer->ack_due_ns <= now_ns;
	dead = peer->told_dead;
	while (left-- && (rpc = ttp_timer_next(peer, now_ns))) {
		spin_unlock(&peer->lock);
		ttp_timer_rpc(rpc, now_ns, &out);
		spin_lock(&peer->lock);
	}
	spin_unlock(&peer->lock);
	if (acks)
		ttp_output_acks(peer, &out);
	spin_lock(&peer->lock);
	dead = !dead && peer->told_dead;
	ttp_timer_rearm(peer, now_ns + TTP_TIMER_PAUSE_NS);
	last = ttp_peer_disarmed(peer);
	spin_unlock(&peer->lock);
	ttp_grant_run(peer->key.link, &out);
	ttp_output_flush(&out);
	if (dead)
		ttp_netlink_peer_event(peer->key.link, peer->key.mac,
				       READ_ONCE(peer->epoch),
				       TTP_CMD_PEER_DEAD);
	rcu_read_unlock();

	if (last)
		ttp_peer_put(peer);	/* what ttp_peer_arm() took */
	return HRTIMER_NORESTART;
}
