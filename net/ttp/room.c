// SPDX-License-Identifier: GPL-2.0
/*
 * Room for incoming messages; see room.h.
 */
#include "room.h"
#include "rpc.h"

/* A message that comes without any grant: what the buffer is for above all */
static bool ttp_room_short(const struct ttp_rpc *rpc)
{
	return rpc->in.unsched == rpc->in.len;
}

/* Where it waits for room: for the start of its message, or for the rest */
static struct ttp_srpt *ttp_room_queue(struct ttp_sock *ts,
				       const struct ttp_rpc *rpc)
{
	return rpc->in.budget ? &ts->growing : &ts->waiting;
}

/* Bytes to reserve next: all of the message once its start has its place */
static u32 ttp_room_wants(const struct ttp_rpc *rpc)
{
	u32 bytes = rpc->in.budget ? rpc->in.len : rpc->in.unsched;

	return bytes + TTP_SOCK_OVERHEAD - rpc->in.reserved;
}

/*
 * Short messages may fill the buffer, starts of long ones seven eighths of it,
 * whole long ones three quarters; starts alone no more than an eighth, so that
 * who holds one gets the rest in the end.  One long message, one start, and
 * whatever comes first, fit in any case; and no message is held against
 * others with more than half of the buffer.
 */
static bool ttp_room_fits(const struct ttp_sock *ts, const struct ttp_rpc *rpc)
{
	u64 used = max_t(u64, ts->reserved,
			 atomic_read(&ts->sk.sk_rmem_alloc));
	u64 limit = READ_ONCE(ts->sk.sk_rcvbuf);
	u32 wants = ttp_room_wants(rpc);

	lockdep_assert_held(&ts->lock);

	used -= min(used, ts->excess);
	if (!used)
		return true;
	if (rpc->in.budget)
		return !ts->roomy || used + wants <= limit - limit / 4;
	if (ttp_room_short(rpc))
		return used + wants <= limit;
	return !ts->starts || (used + wants <= limit - limit / 8 &&
			       ts->starts + wants <= limit / 8);
}

/*
 * Is it this message's turn, or would it be?  While it is the oldest's, others
 * that need as much as that one could take its room for ever.
 */
static bool ttp_room_turn(struct ttp_srpt *q, const struct ttp_rpc *rpc,
			  bool *oldest)
{
	const struct ttp_srpt_node *next = ttp_srpt_next(q, oldest);

	if (next == &rpc->wait)
		return true;
	if (*oldest && (rpc->in.budget || !ttp_room_short(rpc)))
		return false;
	*oldest = false;
	return ttp_srpt_before(q, &rpc->wait, rpc->in.len);
}

/* As in the buffer of the socket, starts alone must not fill the memory */
static bool ttp_room_charge(struct ttp_rpc *rpc, u32 cost)
{
	bool start = !rpc->in.budget && !ttp_room_short(rpc);
	u64 limit = ttp_net_mem_limit(rpc->tn, TTP_MEM_IN) / 8;
	u64 starts = atomic64_read(&rpc->tn->mem_starts);

	if (start && starts && starts + cost > limit)
		return false;
	if (!ttp_net_charge(rpc->tn, TTP_MEM_IN, cost))
		return false;
	if (start)
		atomic64_add(cost, &rpc->tn->mem_starts);
	return true;
}

/* A start has got room for the rest, or ends */
static void ttp_room_no_start(struct ttp_sock *ts, const struct ttp_rpc *rpc)
{
	lockdep_assert_held(&ts->lock);

	ts->starts -= rpc->in.reserved;
	atomic64_sub(rpc->in.reserved, &rpc->tn->mem_starts);
}

static bool ttp_room_take(struct ttp_sock *ts, struct ttp_rpc *rpc)
{
	u32 half = READ_ONCE(ts->sk.sk_rcvbuf) / 2;
	u32 cost = ttp_room_wants(rpc);

	lockdep_assert_held(&ts->lock);

	if (!ttp_room_fits(ts, rpc) || !ttp_room_charge(rpc, cost))
		return false;
	if (rpc->in.budget) {
		rpc->in.roomy = true;
		rpc->in.excess = rpc->in.len - min(rpc->in.len, half);
		ts->excess += rpc->in.excess;
		ts->roomy++;
		ttp_room_no_start(ts, rpc);
	} else if (!ttp_room_short(rpc)) {
		ts->starts += cost;
	}
	ts->reserved += cost;
	rpc->in.reserved += cost;
	return true;
}

bool ttp_room_reserve(struct ttp_rpc *rpc)
{
	struct ttp_sock *ts = ttp_sk(rpc->sk);
	struct ttp_srpt *q;
	bool oldest, fits;

	lockdep_assert_held(&rpc->lock);

	if (rpc->in.roomy)
		return true;
	spin_lock(&ts->lock);
	q = ttp_room_queue(ts, rpc);
	fits = ttp_room_turn(q, rpc, &oldest) && ttp_room_take(ts, rpc);
	if (fits) {
		ttp_srpt_del(q, &rpc->wait);
		ttp_srpt_served(q, oldest, rpc->in.len);
		/* One start less: there may be room for another one */
		if (rpc->in.budget)
			ttp_sock_offer(ts);
		rpc->in.budget = true;
		rpc->progress_ns = ktime_get_ns();
	} else {
		ttp_srpt_put(q, &rpc->wait, rpc->in.len, rpc->start_ns);
	}
	spin_unlock(&ts->lock);
	return fits;
}

void ttp_room_done(struct ttp_rpc *rpc)
{
	struct ttp_sock *ts = ttp_sk(rpc->sk);

	lockdep_assert_held(&rpc->lock);

	/* Comes and goes under rpc->lock, too */
	if (!rpc->wait.in)
		return;
	spin_lock(&ts->lock);
	ttp_srpt_del(ttp_room_queue(ts, rpc), &rpc->wait);
	spin_unlock(&ts->lock);
}

struct ttp_rpc *ttp_room_next(struct sock *sk, bool growing)
{
	struct ttp_sock *ts = ttp_sk(sk);
	struct ttp_srpt *q = growing ? &ts->growing : &ts->waiting;
	struct ttp_srpt_node *node;
	struct ttp_rpc *rpc = NULL;
	bool oldest;

	if (list_empty_careful(&q->by_age))
		return NULL;
	spin_lock_bh(&ts->lock);
	node = ttp_srpt_next(q, &oldest);
	if (node)
		rpc = container_of(node, struct ttp_rpc, wait);
	/* A start that is the oldest must not hold up short messages */
	if (rpc && oldest && !growing && !ttp_room_fits(ts, rpc)) {
		rpc = container_of(ttp_srpt_first(q), struct ttp_rpc, wait);
		if (!ttp_room_short(rpc))
			rpc = NULL;
	}
	if (rpc && ttp_room_fits(ts, rpc))
		ttp_rpc_get(rpc);
	else
		rpc = NULL;
	spin_unlock_bh(&ts->lock);
	return rpc;
}

void ttp_room_give_back(struct ttp_rpc *rpc)
{
	struct ttp_sock *ts = ttp_sk(rpc->sk);

	lockdep_assert_held(&rpc->lock);
	lockdep_assert_held(&ts->lock);

	ttp_net_uncharge(rpc->tn, TTP_MEM_IN, rpc->in.reserved);
	if (rpc->in.roomy)
		ts->roomy--;
	else if (rpc->in.reserved && !ttp_room_short(rpc))
		ttp_room_no_start(ts, rpc);
	ts->excess -= rpc->in.excess;
	rpc->in.excess = 0;
	rpc->in.roomy = false;
	ts->reserved -= rpc->in.reserved;
	rpc->in.reserved = 0;
	ttp_srpt_del(ttp_room_queue(ts, rpc), &rpc->wait);
}
