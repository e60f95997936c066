// SPDX-License-Identifier: GPL-2.0
/*
 * The receiver's policy; see grant.h.
 */
#include <trace/events/ttp.h>

#include "grant.h"

/*
 * Goes in one run: messages that have got all, or for which there is no room,
 * make way for others
 */
#define TTP_GRANT_ROUNDS	8U

/**
 * struct ttp_grant_pick - a decision
 * @rpc: with a reference
 * @granted: bytes from the start that may be sent
 * @level: priority level of what was not granted before
 * @oldest: out of turn, as the share of the message that came first
 */
struct ttp_grant_pick {
	struct ttp_rpc	*rpc;
	u32		granted;
	u8		level;
	bool		oldest;
};

static struct ttp_granter *ttp_granter_of(const struct ttp_rpc *rpc)
{
	return &rpc->key.peer->key.link->granter;
}

/*
 * A sender goes on after a pause: what it was asked before, less and less
 * often, tells nothing about what comes now.
 */
static void ttp_grant_expect(struct ttp_rpc *rpc)
{
	const struct ttp_peer *peer = rpc->key.peer;
	u64 now_ns = ktime_get_ns();

	rpc->tries = 0;
	ttp_rpc_moves(rpc, now_ns);
	ttp_rpc_schedule(rpc, now_ns + READ_ONCE(peer->rtt.srtt_ns) +
			 (u64)READ_ONCE(peer->key.link->config.rto_min_us) *
			 NSEC_PER_USEC);
}

bool ttp_grant_admit(struct ttp_rpc *rpc, struct sk_buff_head *out)
{
	lockdep_assert_held(&rpc->lock);

	if (!ttp_room_reserve(rpc))
		return false;
	if (out) {
		ttp_output_grant(rpc, out);
		ttp_grant_update(rpc, NULL);
		ttp_grant_expect(rpc);
	}
	return true;
}

/* What came with a packet, and what the link has to say about it */
static void ttp_grant_learn(struct ttp_rpc *rpc, struct ttp_sched_news *news)
{
	u32 rtt_ns = READ_ONCE(rpc->key.peer->min_rtt.ns);
	struct ttp_link *link = rpc->key.peer->key.link;

	lockdep_assert_held(&link->granter.lock);

	/* What fills this link waits before it, but that is our own doing */
	news->late &= !ttp_link_busy(link, rtt_ns);
	ttp_sched_learn(&link->granter.sched, &rpc->rx,
			READ_ONCE(link->config.overcommit), news);
	trace_ttp_share(rpc, news);
}

void ttp_grant_update(struct ttp_rpc *rpc, struct ttp_sched_news *news)
{
	struct ttp_granter *granter = ttp_granter_of(rpc);
	struct ttp_sched_msg *msg = &rpc->rx;
	u32 senders;

	lockdep_assert_held(&rpc->lock);

	spin_lock(&granter->lock);
	if (msg->peer) {
		ttp_sched_arrived(&granter->sched, msg, rpc->in.received);
		ttp_sched_lowest(&granter->sched, msg,
				 ttp_msgin_lowest(&rpc->in));
	} else {
		msg->len = rpc->in.len;
		msg->received = rpc->in.received;
		msg->granted = rpc->in.granted;
		msg->window = ttp_peer_window(rpc->key.peer);
		ttp_sched_add(&granter->sched, &rpc->key.peer->sched, msg);
	}
	if (news)
		ttp_grant_learn(rpc, news);
	senders = granter->sched.senders;
	WRITE_ONCE(granter->due, true);
	spin_unlock(&granter->lock);
	ttp_cutoffs_crowd(&rpc->key.peer->key.link->cutoffs, senders);
}

void ttp_grant_stalled(struct ttp_rpc *rpc)
{
	struct ttp_granter *granter = ttp_granter_of(rpc);

	lockdep_assert_held(&rpc->lock);

	spin_lock(&granter->lock);
	if (rpc->rx.peer && !rpc->rx.stalled) {
		TTP_INC(rpc->key.peer->key.link, GRANT_STALLED);
		trace_ttp_grant_held(rpc, true);
		ttp_sched_stall(&granter->sched, &rpc->rx);
		WRITE_ONCE(granter->due, true);
	}
	spin_unlock(&granter->lock);
}

/* Is there room for more than what came without a grant? */
static bool ttp_grant_roomy(const struct ttp_rpc *rpc)
{
	return rpc->in.roomy || rpc->in.unsched == rpc->in.len;
}

static void ttp_grant_block(struct ttp_rpc *rpc)
{
	struct ttp_granter *granter = ttp_granter_of(rpc);

	spin_lock(&granter->lock);
	TTP_INC(rpc->key.peer->key.link, GRANT_BLOCKED);
	trace_ttp_grant_held(rpc, false);
	ttp_sched_block(&granter->sched, &rpc->rx, rpc->in.granted);
	/* not at the level that was decided */
	ttp_sched_lowest(&granter->sched, &rpc->rx, ttp_msgin_lowest(&rpc->in));
	WRITE_ONCE(granter->due, true);
	spin_unlock(&granter->lock);
}

bool ttp_grant_retry(struct ttp_rpc *rpc)
{
	struct ttp_granter *granter = ttp_granter_of(rpc);

	lockdep_assert_held(&rpc->lock);

	if (!rpc->rx.peer || !rpc->sk)
		return false;
	if (!rpc->rx.blocked)
		return !rpc->wait.in;	/* or it would be tried for ever */
	if (!ttp_room_reserve(rpc))
		return false;
	spin_lock(&granter->lock);
	ttp_sched_unblock(&granter->sched, &rpc->rx, rpc->in.granted);
	WRITE_ONCE(granter->due, true);
	spin_unlock(&granter->lock);
	return true;
}

/*
 * Another CPU may have found no room, just before there was; and the level may not
 * be the one that was decided
 */
static void ttp_grant_given(struct ttp_rpc *rpc)
{
	struct ttp_granter *granter = ttp_granter_of(rpc);

	spin_lock(&granter->lock);
	if (rpc->rx.blocked)
		ttp_sched_unblock(&granter->sched, &rpc->rx,
				  rpc->in.granted);
	ttp_sched_levelled(&rpc->rx, rpc->in.granted_level);
	ttp_sched_lowest(&granter->sched, &rpc->rx,
			 ttp_msgin_lowest(&rpc->in));
	spin_unlock(&granter->lock);
}

/* Its sender keeps two levels apart, not a third */
static void ttp_grant_level(struct ttp_rpc *rpc, u8 level)
{
	struct ttp_msgin *in = &rpc->in;

	/* What goes without a grant has a level of its own, above all of these */
	if (in->granted <= in->unsched ||
	    (level != in->granted_level &&
	     ttp_msgin_relevel(in, level > in->granted_level)))
		in->granted_level = level;
}

/* Carry a decision out; whether there was room for that */
static bool ttp_grant_give(const struct ttp_grant_pick *pick,
			   struct sk_buff_head *out)
{
	struct ttp_rpc *rpc = pick->rpc;
	bool paused;

	lockdep_assert_held(&rpc->lock);

	/* It may have ended, or another CPU have gone further */
	if (!rpc->live || !rpc->rx.peer || pick->granted <= rpc->in.granted)
		return true;
	if (!ttp_grant_roomy(rpc) && (!rpc->sk || !ttp_room_reserve(rpc))) {
		ttp_grant_block(rpc);
		return false;
	}
	ttp_grant_level(rpc, pick->level);
	paused = ttp_msgin_up_to_date(&rpc->in);
	trace_ttp_grant(rpc, pick->granted, rpc->in.granted_level);
	rpc->in.granted = pick->granted;
	ttp_grant_given(rpc);
	if (pick->oldest)
		TTP_INC(rpc->key.peer->key.link, GRANT_OLDEST);
	ttp_output_grant(rpc, out);
	if (paused)
		ttp_grant_expect(rpc);
	return true;
}

static unsigned int ttp_grant_decide(struct ttp_link *link,
				     struct ttp_grant_pick *picks, bool *again)
{
	struct ttp_granter *granter = &link->granter;
	struct ttp_sched_msg *msgs[TTP_SCHED_PICKS];
	struct ttp_sched_rules rules;
	unsigned int i, n;

	ttp_link_rules(link, &rules);
	spin_lock(&granter->lock);
	WRITE_ONCE(granter->due, false);
	n = ttp_sched_run(&granter->sched, &rules, msgs, again);
	for (i = 0; i < n; i++) {
		/* Being known it is live, hence has a reference */
		picks[i].rpc = ttp_rpc_get(container_of(msgs[i], struct ttp_rpc,
							rx));
		picks[i].granted = msgs[i]->granted;
		picks[i].level = msgs[i]->level;
		/* No other grant is given to those that are favoured */
		picks[i].oldest = msgs[i]->favoured;
	}
	spin_unlock(&granter->lock);
	return n;
}

void ttp_grant_run(struct ttp_link *link, struct sk_buff_head *out)
{
	struct ttp_grant_pick picks[TTP_SCHED_PICKS];
	unsigned int rounds = TTP_GRANT_ROUNDS;
	unsigned int i, n;
	bool again;

	if (!READ_ONCE(link->granter.due))
		return;
	do {
		n = ttp_grant_decide(link, picks, &again);
		for (i = 0; i < n; i++) {
			spin_lock(&picks[i].rpc->lock);
			again |= !ttp_grant_give(&picks[i], out);
			spin_unlock(&picks[i].rpc->lock);
			ttp_rpc_put(picks[i].rpc);
		}
	} while (again && --rounds);
	if (again)
		WRITE_ONCE(link->granter.due, true);
}

static bool ttp_grant_one(struct ttp_rpc *rpc, struct sock *sk,
			  struct sk_buff_head *out)
{
	bool granted = false;

	spin_lock(&rpc->lock);
	/* It may have ended, or begun anew, since it was its turn */
	if (rpc->sk != sk || !rpc->live || !rpc->in.known)
		granted = false;
	else if (!rpc->in.budget)
		granted = ttp_grant_admit(rpc, out);
	else
		granted = ttp_grant_retry(rpc);
	spin_unlock(&rpc->lock);
	return granted;
}

static void ttp_grant_waiting_for(struct sock *sk, bool growing,
				  struct sk_buff_head *out)
{
	struct ttp_rpc *rpc;
	bool granted = true;

	while (granted && (rpc = ttp_room_next(sk, growing))) {
		granted = ttp_grant_one(rpc, sk, out);
		ttp_grant_run(rpc->key.peer->key.link, out);
		ttp_rpc_put(rpc);
	}
}

void ttp_grant_waiting(struct sock *sk, struct sk_buff_head *out)
{
	ttp_grant_waiting_for(sk, true, out);
	ttp_grant_waiting_for(sk, false, out);
}
