// SPDX-License-Identifier: GPL-2.0
/*
 * The receiver's policy; see grant.h.
 */
#include "grant.h"

/* Decisions made in one go */
#define TTP_GRANT_PICKS		(2 * TTP_SCHED_MAX)
/* Goes in one run: messages for which there is no room make way for others */
#define TTP_GRANT_ROUNDS	4U

/**
 * struct ttp_grant_pick - a decision
 * @rpc: with a reference
 * @granted: bytes from the start that may be sent
 * @level: priority level of what was not granted before
 */
struct ttp_grant_pick {
	struct ttp_rpc	*rpc;
	u32		granted;
	u8		level;
};

static struct ttp_granter *ttp_granter_of(const struct ttp_rpc *rpc)
{
	return &rpc->key.peer->key.link->granter;
}

bool ttp_grant_admit(struct ttp_rpc *rpc, struct sk_buff_head *out)
{
	lockdep_assert_held(&rpc->lock);

	if (!ttp_sock_reserve(rpc))
		return false;
	if (out) {
		ttp_output_grant(rpc, out);
		ttp_grant_update(rpc);
	}
	return true;
}

void ttp_grant_update(struct ttp_rpc *rpc)
{
	struct ttp_granter *granter = ttp_granter_of(rpc);
	struct ttp_sched_msg *msg = &rpc->rx;

	lockdep_assert_held(&rpc->lock);

	spin_lock(&granter->lock);
	granter->arrived += rpc->in.received - (msg->peer ? msg->received : 0);
	rpc->rx_arrived = granter->arrived;
	if (msg->peer) {
		ttp_sched_arrived(&granter->sched, msg, rpc->in.received);
	} else {
		msg->len = rpc->in.len;
		msg->received = rpc->in.received;
		msg->granted = rpc->in.granted;
		msg->window = ttp_peer_window(rpc->key.peer);
		ttp_sched_add(&granter->sched, &rpc->key.peer->sched, msg);
	}
	WRITE_ONCE(granter->due, true);
	spin_unlock(&granter->lock);
}

bool ttp_grant_queues(struct ttp_rpc *rpc, u64 since_ns)
{
	struct ttp_granter *granter = ttp_granter_of(rpc);
	u32 mbps = ttp_link_rate(rpc->key.peer->key.link);
	u64 bytes = 0;

	lockdep_assert_held(&rpc->lock);

	spin_lock(&granter->lock);
	if (rpc->rx.peer)
		bytes = granter->arrived - rpc->rx_arrived;
	spin_unlock(&granter->lock);
	return mbps && bytes * BITS_PER_BYTE * 1000 >= since_ns / 2 * mbps;
}

void ttp_grant_stalled(struct ttp_rpc *rpc)
{
	struct ttp_granter *granter = ttp_granter_of(rpc);

	lockdep_assert_held(&rpc->lock);

	spin_lock(&granter->lock);
	if (rpc->rx.peer && !rpc->rx.stalled) {
		TTP_INC(rpc->key.peer->key.link, GRANT_STALLED);
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
	ttp_sched_block(&granter->sched, &rpc->rx, rpc->in.granted);
	WRITE_ONCE(granter->due, true);
	spin_unlock(&granter->lock);
}

bool ttp_grant_retry(struct ttp_rpc *rpc)
{
	struct ttp_granter *granter = ttp_granter_of(rpc);

	lockdep_assert_held(&rpc->lock);

	if (!rpc->rx.peer || !rpc->rx.blocked)
		return true;
	if (!rpc->sk || !ttp_sock_reserve(rpc))
		return false;
	spin_lock(&granter->lock);
	ttp_sched_unblock(&granter->sched, &rpc->rx);
	WRITE_ONCE(granter->due, true);
	spin_unlock(&granter->lock);
	return true;
}

/* Carry a decision out; whether there was room for that */
static bool ttp_grant_give(const struct ttp_grant_pick *pick,
			   struct sk_buff_head *out)
{
	struct ttp_rpc *rpc = pick->rpc;

	lockdep_assert_held(&rpc->lock);

	/* It may have ended, or another CPU have gone further */
	if (!rpc->live || !rpc->rx.peer || pick->granted <= rpc->in.granted)
		return true;
	if (!ttp_grant_roomy(rpc) && (!rpc->sk || !ttp_sock_reserve(rpc))) {
		ttp_grant_block(rpc);
		return false;
	}
	/* What goes without a grant has a level above all of these */
	if (pick->level <= rpc->in.granted_level ||
	    rpc->in.granted <= rpc->in.unsched || ttp_msgin_raise(&rpc->in))
		rpc->in.granted_level = pick->level;
	rpc->in.granted = pick->granted;
	ttp_output_grant(rpc, out);
	return true;
}

static unsigned int ttp_grant_decide(struct ttp_link *link,
				     struct ttp_grant_pick *picks)
{
	struct ttp_granter *granter = &link->granter;
	struct ttp_sched_msg *msgs[TTP_GRANT_PICKS];
	struct ttp_sched_rules rules;
	unsigned int i, n;

	ttp_link_rules(link, &rules);
	spin_lock(&granter->lock);
	WRITE_ONCE(granter->due, false);
	n = ttp_sched_run(&granter->sched, &rules, msgs, ARRAY_SIZE(msgs));
	for (i = 0; i < n; i++) {
		/* Being known it is live, hence has a reference */
		picks[i].rpc = ttp_rpc_get(container_of(msgs[i], struct ttp_rpc,
							rx));
		picks[i].granted = msgs[i]->granted;
		picks[i].level = msgs[i]->level;
	}
	spin_unlock(&granter->lock);
	return n;
}

void ttp_grant_run(struct ttp_link *link, struct sk_buff_head *out)
{
	struct ttp_grant_pick picks[TTP_GRANT_PICKS];
	unsigned int rounds = TTP_GRANT_ROUNDS;
	unsigned int i, n;
	bool all;

	if (!READ_ONCE(link->granter.due))
		return;
	do {
		all = true;
		n = ttp_grant_decide(link, picks);
		for (i = 0; i < n; i++) {
			spin_lock(&picks[i].rpc->lock);
			all &= ttp_grant_give(&picks[i], out);
			spin_unlock(&picks[i].rpc->lock);
			ttp_rpc_put(picks[i].rpc);
		}
	} while (!all && --rounds);
}

static bool ttp_grant_one(struct ttp_rpc *rpc, struct sock *sk,
			  struct sk_buff_head *out)
{
	bool granted = false;

	spin_lock(&rpc->lock);
	if (rpc->sk == sk && rpc->live && !rpc->in.budget)
		granted = ttp_grant_admit(rpc, out);
	else if (rpc->sk == sk && rpc->live)
		granted = ttp_grant_retry(rpc);
	spin_unlock(&rpc->lock);
	return granted;
}

void ttp_grant_waiting(struct sock *sk, struct sk_buff_head *out)
{
	struct ttp_rpc *rpc;
	bool granted = true;

	while (granted && (rpc = ttp_sock_next_waiting(sk))) {
		granted = ttp_grant_one(rpc, sk, out);
		ttp_grant_run(rpc->key.peer->key.link, out);
		ttp_rpc_put(rpc);
	}
}
