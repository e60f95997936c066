// SPDX-License-Identifier: GPL-2.0
/*
 * Endings that concern many RPCs.
 *
 * They all walk a list whose lock is a leaf, so they take one RPC at a time
 * with a reference, drop the list's lock, and end it under its own.  There may
 * be thousands: where the caller may sleep, each is a step of its own.
 */
#include <linux/rtnetlink.h>

#include "end.h"

/* Sockets */

static struct ttp_rpc *ttp_end_first_of_sock(struct ttp_sock *ts)
{
	struct ttp_rpc *rpc;

	spin_lock_bh(&ts->lock);
	rpc = list_first_entry_or_null(&ts->rpcs, struct ttp_rpc, sock_node);
	if (rpc)
		ttp_rpc_get(rpc);
	spin_unlock_bh(&ts->lock);
	return rpc;
}

/**
 * ttp_end_one() - end an RPC if it is still a socket's
 * @rpc: the RPC; the caller's reference is dropped
 * @sk: the socket
 * @end: how; called with rpc->lock held
 *
 * Return: what @end said.
 */
static bool ttp_end_one(struct ttp_rpc *rpc, struct sock *sk,
			bool (*end)(struct ttp_rpc *rpc,
				    struct sk_buff_head *out))
{
	struct sk_buff_head out;
	bool done = false;

	__skb_queue_head_init(&out);
	local_bh_disable();
	rcu_read_lock();
	spin_lock(&rpc->lock);
	if (rpc->sk == sk)
		done = end(rpc, &out);
	spin_unlock(&rpc->lock);
	ttp_output_flush(&out);
	rcu_read_unlock();
	local_bh_enable();
	ttp_rpc_put(rpc);
	return done;
}

static bool ttp_end_with_socket(struct ttp_rpc *rpc, struct sk_buff_head *out)
{
	bool lives_on = rpc->live && rpc->state == TTP_RPC_REPLYING;

	lockdep_assert_held(&rpc->lock);

	ttp_sock_leave(rpc);
	if (lives_on) {
		/* What was unread of an RPC answered by a peeked tag */
		if (!rpc->in.readers)
			ttp_msgin_purge(&rpc->in);
		return true;
	}
	if (rpc->live && rpc->client) {
		ttp_output_note(rpc, TTP_WIRE_CANCEL, 0, 0, out);
		TTP_INC(rpc->key.peer->key.link, RPC_FAILED);
	} else if (rpc->live && !rpc->oneway) {
		ttp_output_note(rpc, TTP_WIRE_REJECT, TTP_REJECT_RESET, 0,
				out);
	} else if (rpc->live && rpc->state == TTP_RPC_INCOMING) {
		ttp_output_note(rpc, TTP_WIRE_REJECT, TTP_REJECT_RESET, 0,
				out);
	}
	ttp_rpc_end(rpc);
	return true;
}

void ttp_end_socket(struct sock *sk)
{
	struct ttp_sock *ts = ttp_sk(sk);
	struct ttp_rpc *rpc;

	spin_lock_bh(&ts->lock);
	ts->closed = true;
	spin_unlock_bh(&ts->lock);

	while ((rpc = ttp_end_first_of_sock(ts))) {
		ttp_end_one(rpc, sk, ttp_end_with_socket);
		cond_resched();
	}
}

/**
 * ttp_end_find_cookie() - the next own RPC with a cookie
 * @ts: the socket
 * @cookie: of the program; 0 = any
 * @now_ns: those that began later are not meant
 * @left: RPCs to look at; becomes less.  Who was looked at goes to the end
 *	of the list, so that no RPC is looked at over and over again, and none
 *	is passed over if nobody else does that (socket lock)
 *
 * Return: the RPC with a reference, or NULL if there is none among the next
 * few.
 */
static struct ttp_rpc *ttp_end_find_cookie(struct ttp_sock *ts, u64 cookie,
					   u64 now_ns, u32 *left)
{
	struct ttp_rpc *rpc, *found = NULL;
	unsigned int few = 64;

	spin_lock_bh(&ts->lock);
	while (!found && *left && few--) {
		rpc = list_first_entry_or_null(&ts->rpcs, struct ttp_rpc,
					       sock_node);
		*left = rpc ? *left - 1 : 0;
		if (!rpc)
			break;
		list_move_tail(&rpc->sock_node, &ts->rpcs);
		if (rpc->client && rpc->start_ns <= now_ns &&
		    (!cookie || rpc->cookie == cookie))
			found = ttp_rpc_get(rpc);
	}
	spin_unlock_bh(&ts->lock);
	return found;
}

static bool ttp_end_cancel(struct ttp_rpc *rpc, struct sk_buff_head *out)
{
	lockdep_assert_held(&rpc->lock);

	if (rpc->state != TTP_RPC_OUTGOING)
		return false;
	ttp_output_note(rpc, TTP_WIRE_CANCEL, 0, 0, out);
	ttp_rpc_fail(rpc, -ECANCELED);
	return true;
}

int ttp_end_cookie(struct sock *sk, u64 cookie)
{
	struct ttp_sock *ts = ttp_sk(sk);
	u64 now_ns = ktime_get_ns();
	struct ttp_rpc *rpc;
	int err = -ENOENT;
	u32 left;

	sock_owned_by_me(sk);

	spin_lock_bh(&ts->lock);
	left = ts->rpcs_out + ts->rpcs_in;
	spin_unlock_bh(&ts->lock);
	while (left) {
		rpc = ttp_end_find_cookie(ts, cookie, now_ns, &left);
		if (rpc && ttp_end_one(rpc, sk, ttp_end_cancel))
			err = 0;
		cond_resched();
	}
	return err;
}

static bool ttp_end_aborted(struct ttp_rpc *rpc, struct sk_buff_head *out)
{
	lockdep_assert_held(&rpc->lock);

	if (!rpc->client)
		return ttp_end_with_socket(rpc, out);
	if (rpc->state != TTP_RPC_OUTGOING)
		return false;
	ttp_output_note(rpc, TTP_WIRE_CANCEL, 0, 0, out);
	ttp_rpc_fail(rpc, -ECONNABORTED);
	return true;
}

static struct ttp_rpc *ttp_end_rotate(struct ttp_sock *ts)
{
	struct ttp_rpc *rpc;

	spin_lock_bh(&ts->lock);
	rpc = list_first_entry_or_null(&ts->rpcs, struct ttp_rpc, sock_node);
	if (rpc) {
		list_move_tail(&rpc->sock_node, &ts->rpcs);
		ttp_rpc_get(rpc);
	}
	spin_unlock_bh(&ts->lock);
	return rpc;
}

void ttp_end_abort(struct sock *sk)
{
	struct ttp_sock *ts = ttp_sk(sk);
	struct ttp_rpc *rpc;
	u32 left;

	sock_owned_by_me(sk);

	/* No RPC joins from here on */
	spin_lock_bh(&ts->lock);
	ts->closed = true;
	left = ts->rpcs_out + ts->rpcs_in;
	spin_unlock_bh(&ts->lock);
	for (; left && (rpc = ttp_end_rotate(ts)); left--) {
		ttp_end_one(rpc, sk, ttp_end_aborted);
		cond_resched();
	}
}

/* Peers */

/**
 * struct ttp_end_scope - which RPCs of a peer are over
 * @all: all of them
 * @epoch: else those of this incarnation of the peer
 * @before_ns: and own ones that began before this time and before the first
 *	packet from the peer: they belong to whoever received them, which may
 *	have been that incarnation
 */
struct ttp_end_scope {
	bool	all;
	u32	epoch;
	u64	before_ns;
};

static bool ttp_end_in_scope(const struct ttp_rpc *rpc,
			     const struct ttp_end_scope *scope)
{
	u32 epoch = READ_ONCE(rpc->epoch);

	if (scope->all)
		return true;
	/* It asks whether there is another incarnation, and begins anew */
	if (rpc->idempotent)
		return false;
	return epoch == scope->epoch ||
	       (!epoch && rpc->start_ns <= scope->before_ns);
}

/* RPCs of a peer that are ended between two looks at its lists */
#define TTP_END_BATCH	32U

static unsigned int ttp_end_some_of_peer(struct ttp_peer *peer,
					 const struct ttp_end_scope *scope,
					 struct ttp_rpc **found)
{
	struct list_head *lists[] = { &peer->open, &peer->served, &peer->done };
	struct ttp_rpc *rpc;
	unsigned int i, n = 0;

	spin_lock(&peer->lock);
	for (i = 0; i < ARRAY_SIZE(lists); i++)
		list_for_each_entry(rpc, lists[i], peer_node) {
			if (n == TTP_END_BATCH)
				break;
			if (ttp_end_in_scope(rpc, scope))
				found[n++] = ttp_rpc_get(rpc);
		}
	spin_unlock(&peer->lock);
	return n;
}

static bool ttp_end_batch_of_peer(struct ttp_peer *peer,
				  const struct ttp_end_scope *scope, int err)
{
	struct ttp_rpc *found[TTP_END_BATCH], *rpc;
	unsigned int i, n;

	n = ttp_end_some_of_peer(peer, scope, found);
	for (i = 0; i < n; i++) {
		rpc = found[i];
		spin_lock(&rpc->lock);
		if (rpc->live)
			ttp_rpc_fail(rpc, err);
		spin_unlock(&rpc->lock);
		ttp_rpc_put(rpc);
	}
	return n;
}

void ttp_end_peer(struct ttp_peer *peer, u32 epoch)
{
	struct ttp_end_scope scope = {
		.epoch = epoch,
		.before_ns = ktime_get_ns(),
	};

	while (ttp_end_batch_of_peer(peer, &scope, -ECONNRESET))
		;
}

/* Links */

static struct ttp_peer *ttp_end_first_of_link(struct ttp_link *link)
{
	struct ttp_peer *peer;

	spin_lock_bh(&link->peer_lock);
	peer = list_first_entry_or_null(&link->peers, struct ttp_peer,
					link_node);
	if (peer)
		ttp_peer_get(peer);
	spin_unlock_bh(&link->peer_lock);
	return peer;
}

/* Out of the table first: then no RPC can join it */
static void ttp_end_say_goodbye(struct ttp_peer *peer)
{
	struct ttp_link *link = peer->key.link;
	struct sk_buff_head out;

	__skb_queue_head_init(&out);
	local_bh_disable();
	rcu_read_lock();
	ttp_peer_unhash(peer, false);
	ttp_output_probe(link, peer->key.mac, peer, TTP_WIRE_CLOSE, 0, 0, &out);
	ttp_output_flush(&out);
	rcu_read_unlock();
	local_bh_enable();
}

static void ttp_end_peer_of_link(struct ttp_peer *peer)
{
	const struct ttp_end_scope scope = { .all = true };
	bool more;

	ttp_end_say_goodbye(peer);
	do {
		local_bh_disable();
		more = ttp_end_batch_of_peer(peer, &scope, -EHOSTUNREACH);
		local_bh_enable();
		cond_resched();
	} while (more);
	/* Its timer may run, but is not queued again */
	hrtimer_cancel(&peer->timer);
	spin_lock_bh(&peer->lock);
	more = ttp_peer_disarm(peer);
	spin_unlock_bh(&peer->lock);
	if (more)
		ttp_peer_put(peer);
	ttp_peer_put(peer);
}

void ttp_end_link(struct ttp_link *link)
{
	struct ttp_peer *peer;

	ASSERT_RTNL();

	ttp_link_unhook(link);
	while ((peer = ttp_end_first_of_link(link)))
		ttp_end_peer_of_link(peer);
	ttp_link_release(link);
}

void ttp_end_net(struct ttp_net *tn)
{
	struct ttp_link *link, *next;

	ASSERT_RTNL();

	list_for_each_entry_safe(link, next, &tn->links, node)
		ttp_end_link(link);
}
