// SPDX-License-Identifier: GPL-2.0
/*
 * Endings that concern many RPCs.
 *
 * They all walk a list whose lock is a leaf, so they take one RPC at a time
 * with a reference, drop the list's lock, and end it under its own.
 */
#include <linux/rtnetlink.h>

#include "end.h"

/* Sockets */

static struct ttp_rpc *ttp_end_first_of_sock(struct ttp_sock *ts)
{
	struct ttp_rpc *rpc;

	spin_lock(&ts->lock);
	rpc = list_first_entry_or_null(&ts->rpcs, struct ttp_rpc, sock_node);
	if (rpc)
		ttp_rpc_get(rpc);
	spin_unlock(&ts->lock);
	return rpc;
}

static void ttp_end_with_socket(struct ttp_rpc *rpc, struct sk_buff_head *out)
{
	bool lives_on = rpc->live && (rpc->state == TTP_RPC_REPLYING ||
				      rpc->state == TTP_RPC_DONE);

	lockdep_assert_held(&rpc->lock);

	ttp_sock_leave(rpc);
	if (lives_on) {
		/* What was unread of an RPC answered by a peeked tag */
		if (!rpc->in.taken)
			ttp_msgin_purge(&rpc->in);
		return;
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
}

void ttp_end_socket(struct sock *sk)
{
	struct ttp_sock *ts = ttp_sk(sk);
	struct sk_buff_head out;
	struct ttp_rpc *rpc;

	__skb_queue_head_init(&out);
	spin_lock_bh(&ts->lock);
	ts->closed = true;
	spin_unlock_bh(&ts->lock);

	local_bh_disable();
	rcu_read_lock();
	while ((rpc = ttp_end_first_of_sock(ts))) {
		spin_lock(&rpc->lock);
		if (rpc->sk == sk)
			ttp_end_with_socket(rpc, &out);
		spin_unlock(&rpc->lock);
		ttp_rpc_put(rpc);
		ttp_output_flush(&out);
	}
	rcu_read_unlock();
	local_bh_enable();
}

/*
 * The next own RPC with the cookie that is still under way.  One that began
 * after @now_ns is not meant: a sender may have waited for the room of one
 * that was just ended, and could keep us here for ever.
 */
static struct ttp_rpc *ttp_end_find_cookie(struct ttp_sock *ts, u64 cookie,
					   u64 now_ns)
{
	struct ttp_rpc *rpc, *found = NULL;

	spin_lock(&ts->lock);
	list_for_each_entry(rpc, &ts->rpcs, sock_node) {
		if (!rpc->client || (cookie && rpc->cookie != cookie) ||
		    rpc->start_ns > now_ns ||
		    READ_ONCE(rpc->state) != TTP_RPC_OUTGOING)
			continue;
		found = ttp_rpc_get(rpc);
		break;
	}
	spin_unlock(&ts->lock);
	return found;
}

int ttp_end_cookie(struct sock *sk, u64 cookie)
{
	struct ttp_sock *ts = ttp_sk(sk);
	u64 now_ns = ktime_get_ns();
	struct sk_buff_head out;
	struct ttp_rpc *rpc;
	int err = -ENOENT;

	__skb_queue_head_init(&out);
	local_bh_disable();
	rcu_read_lock();
	while ((rpc = ttp_end_find_cookie(ts, cookie, now_ns))) {
		spin_lock(&rpc->lock);
		if (rpc->sk == sk && rpc->state == TTP_RPC_OUTGOING) {
			ttp_output_note(rpc, TTP_WIRE_CANCEL, 0, 0, &out);
			ttp_rpc_fail(rpc, -ECANCELED);
			err = 0;
		}
		spin_unlock(&rpc->lock);
		ttp_rpc_put(rpc);
		ttp_output_flush(&out);
	}
	rcu_read_unlock();
	local_bh_enable();
	return err;
}

/* Peers */

/**
 * ttp_end_first_of_peer() - an RPC that an ended incarnation leaves behind
 * @peer: the peer
 * @epoch: incarnation whose RPCs may stay; 0 = none
 *
 * An own RPC that began before the first packet from the peer bears epoch 0:
 * it belongs to whoever received it, which may have been the former one.
 *
 * Return: the RPC with a reference, or NULL.
 */
static struct ttp_rpc *ttp_end_first_of_peer(struct ttp_peer *peer, u32 epoch)
{
	struct list_head *lists[] = { &peer->open, &peer->served, &peer->done };
	struct ttp_rpc *rpc, *found = NULL;
	unsigned int i;

	spin_lock(&peer->lock);
	for (i = 0; i < ARRAY_SIZE(lists) && !found; i++)
		list_for_each_entry(rpc, lists[i], peer_node)
			if (!epoch || rpc->epoch != epoch) {
				found = ttp_rpc_get(rpc);
				break;
			}
	spin_unlock(&peer->lock);
	return found;
}

static void ttp_end_rpcs_of_peer(struct ttp_peer *peer, u32 epoch, int err)
{
	struct ttp_rpc *rpc;

	while ((rpc = ttp_end_first_of_peer(peer, epoch))) {
		spin_lock(&rpc->lock);
		if (rpc->live)
			ttp_rpc_fail(rpc, err);
		spin_unlock(&rpc->lock);
		ttp_rpc_put(rpc);
	}
}

void ttp_end_peer(struct ttp_peer *peer, u32 epoch)
{
	ttp_end_rpcs_of_peer(peer, epoch, -ECONNRESET);
}

/* Links */

static struct ttp_peer *ttp_end_first_of_link(struct ttp_link *link)
{
	struct ttp_peer *peer;

	spin_lock(&link->peer_lock);
	peer = list_first_entry_or_null(&link->peers, struct ttp_peer,
					link_node);
	if (peer)
		ttp_peer_get(peer);
	spin_unlock(&link->peer_lock);
	return peer;
}

static void ttp_end_peers_of_link(struct ttp_link *link)
{
	struct sk_buff_head out;
	struct ttp_peer *peer;
	bool timer;

	__skb_queue_head_init(&out);
	for (;;) {
		local_bh_disable();
		rcu_read_lock();
		peer = ttp_end_first_of_link(link);
		if (peer) {
			/* Out of the table first: then no RPC can join it */
			ttp_peer_unhash(peer, false);
			ttp_output_probe(link, peer->key.mac, peer,
					 TTP_WIRE_CLOSE, 0, 0, &out);
			ttp_output_flush(&out);
			ttp_end_rpcs_of_peer(peer, 0, -EHOSTUNREACH);
		}
		rcu_read_unlock();
		local_bh_enable();
		if (!peer)
			return;
		/* Its timer may run, and even be queued again meanwhile */
		hrtimer_cancel(&peer->timer);
		spin_lock_bh(&peer->lock);
		timer = ttp_peer_disarm(peer);
		spin_unlock_bh(&peer->lock);
		if (timer)
			ttp_peer_put(peer);
		ttp_peer_put(peer);
		cond_resched();
	}
}

void ttp_end_link(struct ttp_link *link)
{
	ASSERT_RTNL();

	ttp_link_unhook(link);
	ttp_end_peers_of_link(link);
	ttp_link_release(link);
}

void ttp_end_net(struct ttp_net *tn)
{
	struct ttp_link *link, *next;

	ASSERT_RTNL();

	list_for_each_entry_safe(link, next, &tn->links, node)
		ttp_end_link(link);
}
