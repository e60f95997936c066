// SPDX-License-Identifier: GPL-2.0
/*
 * RPC objects: making, finding, ending.
 */
#include <linux/slab.h>
#include <net/net_debug.h>
#include <trace/events/ttp.h>

#include "rpc.h"

static struct kmem_cache *ttp_rpc_slab;

static const struct rhashtable_params ttp_rpc_table = {
	.key_len		= sizeof(struct ttp_rpc_key),
	.key_offset		= offsetof(struct ttp_rpc, key),
	.head_offset		= offsetof(struct ttp_rpc, hash),
	.automatic_shrinking	= true,
};

int ttp_rpc_slab_init(void)
{
	ttp_rpc_slab = KMEM_CACHE(ttp_rpc, SLAB_HWCACHE_ALIGN | SLAB_ACCOUNT);
	return ttp_rpc_slab ? 0 : -ENOMEM;
}

void ttp_rpc_slab_exit(void)
{
	kmem_cache_destroy(ttp_rpc_slab);
}

int ttp_rpc_net_init(struct ttp_net *tn)
{
	return rhashtable_init(&tn->rpcs, &ttp_rpc_table);
}

void ttp_rpc_net_exit(struct ttp_net *tn)
{
	DEBUG_NET_WARN_ON_ONCE(atomic_read(&tn->rpc_count));
	rhashtable_destroy(&tn->rpcs);
}

struct ttp_rpc *ttp_rpc_find(struct ttp_net *tn, struct ttp_peer *peer, u64 id)
{
	struct ttp_rpc_key key;
	struct ttp_rpc *rpc;

	memset(&key, 0, sizeof(key));	/* it is hashed with its padding */
	key.peer = peer;
	key.id = id;
	rpc = rhashtable_lookup(&tn->rpcs, &key, ttp_rpc_table);
	if (rpc && !refcount_inc_not_zero(&rpc->refcnt))
		rpc = NULL;
	return rpc;
}

static void ttp_rpc_free_rcu(struct rcu_head *rcu)
{
	kmem_cache_free(ttp_rpc_slab, container_of(rcu, struct ttp_rpc, rcu));
}

/* What debugging adds to locks is nobody's cost */
static_assert(IS_ENABLED(CONFIG_LOCKDEP) ||
	      sizeof(struct ttp_rpc) <= TTP_RPC_COST);

static enum ttp_mem ttp_rpc_mem(const struct ttp_rpc *rpc)
{
	return rpc->client ? TTP_MEM_OUT : TTP_MEM_RPCS;
}

void ttp_rpc_put(struct ttp_rpc *rpc)
{
	if (!refcount_dec_and_test(&rpc->refcnt))
		return;
	DEBUG_NET_WARN_ON_ONCE(rpc->live || rpc->sk);
	ttp_msgin_purge(&rpc->in);
	ttp_net_uncharge(rpc->tn, ttp_rpc_mem(rpc), TTP_RPC_COST);
	atomic_dec(&rpc->tn->rpc_count);
	ttp_peer_put(rpc->key.peer);
	call_rcu(&rpc->rcu, ttp_rpc_free_rcu);
}

static struct ttp_rpc *ttp_rpc_alloc(struct sock *sk, struct ttp_peer *peer,
				     bool client, gfp_t gfp)
{
	struct ttp_net *tn = peer->key.link->tn;
	struct ttp_rpc *rpc;

	rpc = kmem_cache_zalloc(ttp_rpc_slab, gfp | __GFP_NOWARN);
	if (!rpc)
		return ERR_PTR(-ENOMEM);
	rpc->client = client;
	if (!ttp_net_charge(tn, ttp_rpc_mem(rpc), TTP_RPC_COST)) {
		kmem_cache_free(ttp_rpc_slab, rpc);
		return ERR_PTR(-ENOBUFS);
	}
	rpc->tn = tn;
	rpc->key.peer = ttp_peer_get(peer);
	refcount_set(&rpc->refcnt, 2);		/* the caller's, for being live */
	spin_lock_init(&rpc->lock);
	INIT_LIST_HEAD(&rpc->peer_node);
	INIT_LIST_HEAD(&rpc->sock_node);
	INIT_LIST_HEAD(&rpc->ready_node);
	timerqueue_init(&rpc->timer);
	ttp_msgin_init(&rpc->in);
	rpc->start_ns = ktime_get_ns();
	rpc->heard_ns = rpc->start_ns;
	rpc->progress_ns = rpc->start_ns;
	rpc->timeout_ns = ttp_sock_timeout_ns(sk);
	atomic_inc(&rpc->tn->rpc_count);
	return rpc;
}

/*
 * Undo ttp_rpc_alloc() of an RPC that never was live.  It has been in its
 * socket's list, so that somebody else may have a reference by now.
 */
static void ttp_rpc_unalloc(struct ttp_rpc *rpc)
{
	ttp_rpc_put(rpc);	/* for being live */
	ttp_rpc_put(rpc);
}

void ttp_rpc_set_state(struct ttp_rpc *rpc, enum ttp_rpc_state state)
{
	lockdep_assert_held(&rpc->lock);

	trace_ttp_rpc_state(rpc, state);
	rpc->state = state;
}

static int ttp_rpc_publish(struct ttp_rpc *rpc)
{
	int err;

	err = rhashtable_lookup_insert_fast(&rpc->tn->rpcs, &rpc->hash,
					    ttp_rpc_table);
	if (!err)
		rpc->live = true;
	return err;
}

static int ttp_rpc_publish_client(struct ttp_rpc *rpc)
{
	struct ttp_peer *peer = rpc->key.peer;
	int err;

	spin_lock(&peer->lock);
	err = peer->dead ? -ENETUNREACH : 0;
	if (!err) {
		rpc->epoch = peer->epoch;
		rpc->key.id = peer->next_id;
		err = ttp_rpc_publish(rpc) ? -ENOBUFS : 0;
	}
	if (!err) {
		peer->next_id += 2;
		WRITE_ONCE(peer->rpcs_out, peer->rpcs_out + 1);
		list_add_tail(&rpc->peer_node, &peer->open);
	}
	spin_unlock(&peer->lock);
	return err;
}

/* What goes without a grant of a message */
static u32 ttp_rpc_unsched(const struct ttp_rpc *rpc, u32 len)
{
	const struct ttp_peer *peer = rpc->key.peer;
	u32 unsched = ttp_peer_unsched(peer, len);
	u32 limit = READ_ONCE(peer->limit);

	/* One packet each is not worth a question */
	if (len + TTP_WIRE_DATA_HLEN <= min_t(u32, READ_ONCE(peer->mtu),
					      READ_ONCE(peer->key.link->mtu)))
		return len;
	if (limit)
		unsched = min(unsched, max(limit, TTP_WIRE_MIN_SEGMENT));
	return min(unsched, len);
}

void ttp_rpc_sends(struct ttp_rpc *rpc, const struct ttp_msgout *out)
{
	struct ttp_sock *ts = ttp_sk(rpc->sk);

	lockdep_assert_held(&rpc->lock);

	rpc->out = *out;
	rpc->out.unsched = ttp_rpc_unsched(rpc, out->len);
	rpc->out.granted = rpc->out.unsched;
	if (!rpc->out.fixed)
		rpc->out.level = ttp_peer_level(rpc->key.peer, out->len);
	rpc->snd_cost = TTP_RPC_COST;
	spin_lock(&ts->lock);
	ts->snd_bytes += out->len;
	spin_unlock(&ts->lock);
}

struct ttp_rpc *ttp_rpc_client(struct sock *sk, struct ttp_peer *peer,
			       const struct ttp_rpc_wish *wish,
			       struct ttp_msgout *out)
{
	struct ttp_rpc *rpc;
	int err = -EPIPE;

	rpc = ttp_rpc_alloc(sk, peer, true, GFP_KERNEL);
	if (IS_ERR(rpc))
		return ERR_PTR(-ENOBUFS);
	rpc->oneway = wish->flags & TTP_F_ONEWAY;
	rpc->notify = wish->flags & TTP_F_NOTIFY;
	rpc->idempotent = wish->flags & TTP_F_IDEMPOTENT;
	rpc->cookie = wish->cookie;
	rpc->lport = READ_ONCE(ttp_sk(sk)->port);
	rpc->pport = wish->pport;
	rpc->limit = ttp_sock_max_msg(sk);
	if (wish->timeout_ms)
		rpc->deadline_ns = rpc->start_ns +
				   (u64)wish->timeout_ms * NSEC_PER_MSEC;

	spin_lock_bh(&rpc->lock);
	rpc->state = TTP_RPC_OUTGOING;
	if (ttp_sock_join(sk, rpc))
		err = ttp_rpc_publish_client(rpc);
	if (err) {
		ttp_sock_leave(rpc);
		spin_unlock_bh(&rpc->lock);
		ttp_rpc_unalloc(rpc);
		return ERR_PTR(err);
	}
	ttp_rpc_sends(rpc, out);
	TTP_INC(peer->key.link, RPC_CLIENT);
	if (rpc->oneway)
		TTP_INC(peer->key.link, RPC_ONEWAY_OUT);
	return rpc;
}

/*
 * Having seen an id and being in the table change together under peer->lock:
 * whoever finds the id used, and then does not find the RPC, knows that it is
 * over.
 */
static int ttp_rpc_publish_server(struct ttp_rpc *rpc,
				  const struct ttp_packet *pkt)
{
	u32 limit = READ_ONCE(rpc->tn->params.max_rpcs_per_peer);
	struct ttp_peer *peer = rpc->key.peer;
	u64 number = pkt->id >> 1;
	int err;

	lockdep_assert_held(&peer->lock);

	if (peer->dead)
		return -ENOMEM;
	/* A new incarnation was heard of since, which has its own ids */
	if (peer->epoch != pkt->src_epoch)
		return -ESTALE;
	if (ttp_peer_used(peer, number))
		return -EALREADY;
	if (peer->rpcs_in >= limit)
		return -EDQUOT;
	err = ttp_rpc_publish(rpc);
	if (err)
		return err == -EEXIST ? -EALREADY : -ENOMEM;
	err = ttp_peer_uses(peer, number, pkt->data.una);
	if (err) {
		/* Whoever found it meanwhile waits for rpc->lock */
		rhashtable_remove_fast(&rpc->tn->rpcs, &rpc->hash,
				       ttp_rpc_table);
		rpc->live = false;
		return err;
	}
	WRITE_ONCE(peer->rpcs_in, peer->rpcs_in + 1);
	list_add_tail(&rpc->peer_node, &peer->served);
	return 0;
}

struct ttp_rpc *ttp_rpc_server(struct sock *sk, struct ttp_peer *peer,
			       const struct ttp_packet *pkt)
{
	int err = -ECONNREFUSED;
	struct ttp_rpc *rpc;
	bool used;

	/* What is over is over, also when there is no memory */
	spin_lock(&peer->lock);
	used = ttp_peer_used(peer, pkt->id >> 1);
	spin_unlock(&peer->lock);
	if (used)
		return ERR_PTR(-EALREADY);
	rpc = ttp_rpc_alloc(sk, peer, false, GFP_ATOMIC);
	if (IS_ERR(rpc))
		return rpc;
	rpc->key.id = pkt->id ^ TTP_WIRE_ID_SERVER;
	rpc->oneway = pkt->flags & TTP_WIRE_F_ONEWAY;
	rpc->lport = pkt->dport;
	rpc->pport = pkt->sport;
	rpc->epoch = pkt->src_epoch;
	rpc->limit = pkt->data.limit;
	/* Answers outlive what the program wished for its own RPCs */
	rpc->timeout_ns = (u64)READ_ONCE(rpc->tn->params.dead_timeout_ms) *
			  NSEC_PER_MSEC;

	spin_lock(&rpc->lock);
	rpc->state = TTP_RPC_INCOMING;
	if (ttp_sock_join(sk, rpc)) {
		spin_lock(&peer->lock);
		err = ttp_rpc_publish_server(rpc, pkt);
		spin_unlock(&peer->lock);
	}
	if (err) {
		ttp_sock_leave(rpc);
		spin_unlock(&rpc->lock);
		ttp_rpc_unalloc(rpc);
		return ERR_PTR(err);
	}
	TTP_INC(peer->key.link, RPC_SERVER);
	if (rpc->oneway)
		TTP_INC(peer->key.link, RPC_ONEWAY_IN);
	return rpc;
}

void ttp_rpc_not_incoming(struct ttp_rpc *rpc)
{
	struct ttp_granter *granter = &rpc->key.peer->key.link->granter;

	lockdep_assert_held(&rpc->lock);

	/* Comes and goes under rpc->lock, too */
	if (!rpc->rx.peer)
		return;
	spin_lock(&granter->lock);
	WRITE_ONCE(granter->due, true);
	ttp_sched_del(&granter->sched, &rpc->rx);
	spin_unlock(&granter->lock);
}

static void ttp_rpc_not_outgoing(struct ttp_rpc *rpc)
{
	struct ttp_link *link = rpc->key.peer->key.link;

	if (!ttp_rpc_waits(rpc))
		return;
	spin_lock(&link->pacer.lock);
	ttp_srpt_del(&link->pacer.queue, &rpc->tx);
	spin_unlock(&link->pacer.lock);
}

void ttp_rpc_unlink(struct ttp_rpc *rpc)
{
	struct ttp_peer *peer = rpc->key.peer;

	lockdep_assert_held(&rpc->lock);

	if (!rpc->live)
		return;
	rpc->live = false;
	rpc->due_ns = 0;
	spin_lock(&peer->lock);
	rhashtable_remove_fast(&rpc->tn->rpcs, &rpc->hash, ttp_rpc_table);
	list_del_init(&rpc->peer_node);
	if (rpc->client)
		WRITE_ONCE(peer->rpcs_out, peer->rpcs_out - 1);
	else
		WRITE_ONCE(peer->rpcs_in, peer->rpcs_in - 1);
	if (rpc->queued)
		timerqueue_del(&peer->queue, &rpc->timer);
	rpc->queued = false;
	spin_unlock(&peer->lock);
	ttp_rpc_not_outgoing(rpc);
	ttp_rpc_not_incoming(rpc);
	/* The caller has a reference, so this is not the last one */
	ttp_rpc_put(rpc);
}

/* Bytes that will not be needed again: free them, tell who counts them */
static void ttp_rpc_drop_out(struct ttp_rpc *rpc)
{
	u32 truesize = rpc->out.truesize;

	ttp_msgout_free(&rpc->out);
	if (rpc->sk)
		ttp_sock_uncharge_snd(rpc->sk, truesize);
	ttp_net_uncharge(rpc->tn, TTP_MEM_OUT, truesize);
}

/* May all of what was sent be needed once more? */
static bool ttp_rpc_keeps(const struct ttp_rpc *rpc)
{
	return rpc->idempotent && rpc->live;
}

void ttp_rpc_received_up_to(struct ttp_rpc *rpc, u32 received)
{
	u32 truesize = rpc->out.truesize;
	u32 grown;

	lockdep_assert_held(&rpc->lock);

	if (ttp_rpc_keeps(rpc))
		return;
	grown = ttp_msgout_acked(&rpc->out, received);
	if (!grown)
		return;
	truesize -= rpc->out.truesize;
	ttp_net_uncharge(rpc->tn, TTP_MEM_OUT, truesize);
	if (!rpc->sk)
		return;
	spin_lock(&ttp_sk(rpc->sk)->lock);
	ttp_sk(rpc->sk)->snd_bytes -= grown;
	spin_unlock(&ttp_sk(rpc->sk)->lock);
	ttp_sock_uncharge_snd(rpc->sk, truesize);
}

void ttp_rpc_delivered(struct ttp_rpc *rpc)
{
	lockdep_assert_held(&rpc->lock);

	rpc->out.sent = rpc->out.len;
	if (ttp_rpc_keeps(rpc))
		return;
	ttp_rpc_received_up_to(rpc, rpc->out.len);
	ttp_rpc_drop_out(rpc);
}

/* What came in of a message that nobody will read */
static void ttp_rpc_drop_in(struct ttp_rpc *rpc)
{
	struct ttp_sock *ts;

	if (!rpc->in.readers)
		ttp_msgin_purge(&rpc->in);
	if (!rpc->sk)
		return;
	ts = ttp_sk(rpc->sk);
	ttp_sock_uncharge_rcv(rpc->sk, rpc->in.truesize);
	rpc->in.truesize = 0;
	spin_lock(&ts->lock);
	ttp_room_give_back(rpc);
	ttp_sock_offer(ts);
	spin_unlock(&ts->lock);
}

void ttp_rpc_end(struct ttp_rpc *rpc)
{
	u32 truesize = rpc->out.truesize;

	lockdep_assert_held(&rpc->lock);

	/* Answered by a peeked tag: the request is still to be received */
	if (rpc->state == TTP_RPC_REPLYING && rpc->in.whole && rpc->sk) {
		ttp_rpc_unlink(rpc);
		ttp_rpc_delivered(rpc);
		return;
	}
	ttp_rpc_set_state(rpc, TTP_RPC_DEAD);
	ttp_rpc_unlink(rpc);
	ttp_sock_leave(rpc);
	ttp_msgout_free(&rpc->out);
	ttp_net_uncharge(rpc->tn, TTP_MEM_OUT, truesize);
	if (!rpc->in.readers)
		ttp_msgin_purge(&rpc->in);
}

bool ttp_rpc_has_reader(const struct ttp_rpc *rpc)
{
	lockdep_assert_held(&rpc->lock);

	return rpc->sk &&
	       !(READ_ONCE(rpc->sk->sk_shutdown) & RCV_SHUTDOWN);
}

void ttp_rpc_consumed(struct ttp_rpc *rpc)
{
	struct ttp_peer *peer = rpc->key.peer;

	lockdep_assert_held(&rpc->lock);

	rpc->in.whole = false;
	ttp_rpc_drop_in(rpc);
	if (!rpc->live) {
		ttp_rpc_end(rpc);
	} else if (rpc->state == TTP_RPC_READY && !rpc->oneway) {
		ttp_rpc_set_state(rpc, TTP_RPC_SERVICE);
	} else if (rpc->state == TTP_RPC_READY) {
		ttp_rpc_set_state(rpc, TTP_RPC_DONE);
		ttp_sock_leave(rpc);
		spin_lock(&peer->lock);
		list_move_tail(&rpc->peer_node, &peer->done);
		spin_unlock(&peer->lock);
		ttp_rpc_schedule(rpc, ktime_get_ns() + 2 * rpc->timeout_ns);
	}
}

static struct ttp_rpc *ttp_rpc_first_done(struct ttp_peer *peer, u64 una)
{
	struct ttp_rpc *rpc;

	spin_lock(&peer->lock);
	rpc = list_first_entry_or_null(&peer->done, struct ttp_rpc, peer_node);
	if (rpc && rpc->key.id < una)
		ttp_rpc_get(rpc);
	else
		rpc = NULL;
	spin_unlock(&peer->lock);
	return rpc;
}

void ttp_rpc_reap_done(struct ttp_peer *peer, u64 una)
{
	unsigned int most = 4;	/* more than arrive, so the list shrinks */
	struct ttp_rpc *rpc;

	while (most-- && (rpc = ttp_rpc_first_done(peer, una))) {
		spin_lock(&rpc->lock);
		ttp_rpc_end(rpc);
		spin_unlock(&rpc->lock);
		ttp_rpc_put(rpc);
	}
}

void ttp_rpc_acked(struct ttp_rpc *rpc)
{
	lockdep_assert_held(&rpc->lock);

	TTP_INC(rpc->key.peer->key.link, RPC_COMPLETED);
	if (!rpc->notify || !ttp_rpc_has_reader(rpc)) {
		ttp_rpc_end(rpc);
		return;
	}
	ttp_rpc_set_state(rpc, TTP_RPC_READY);
	ttp_rpc_unlink(rpc);
	ttp_rpc_delivered(rpc);
	ttp_sock_ready(rpc);
}

void ttp_rpc_stamp_ack(struct ttp_rpc *rpc)
{
	lockdep_assert_held(&rpc->lock);

	if (!rpc->out.stamp_ack || !rpc->sk)
		return;
	rpc->out.stamp_ack = false;	/* once */
	ttp_sock_stamp_ack(rpc->sk, rpc->out.tskey);
}

static void ttp_rpc_count_failure(const struct ttp_rpc *rpc, int err)
{
	struct ttp_link *link = rpc->key.peer->key.link;

	TTP_INC(link, RPC_FAILED);
	if (err == -ETIMEDOUT)
		TTP_INC(link, RPC_TIMEOUT);
	else if (err == -ECONNRESET)
		TTP_INC(link, RPC_RESET);
}

void ttp_rpc_fail(struct ttp_rpc *rpc, int err)
{
	lockdep_assert_held(&rpc->lock);

	if (rpc->client) {
		if (rpc->state != TTP_RPC_OUTGOING)
			return;
		ttp_rpc_count_failure(rpc, err);
	}
	if (!rpc->client || !ttp_rpc_has_reader(rpc)) {
		ttp_rpc_end(rpc);
		return;
	}
	rpc->error = -err;
	ttp_rpc_set_state(rpc, TTP_RPC_READY);
	ttp_rpc_unlink(rpc);
	ttp_rpc_delivered(rpc);
	ttp_rpc_drop_in(rpc);
	ttp_sock_ready(rpc);
}

void ttp_rpc_arrived(struct ttp_rpc *rpc)
{
	lockdep_assert_held(&rpc->lock);

	rpc->in.whole = true;
	ttp_rpc_set_state(rpc, TTP_RPC_READY);
	if (rpc->client) {
		TTP_INC(rpc->key.peer->key.link, RPC_COMPLETED);
		ttp_rpc_unlink(rpc);
		ttp_rpc_delivered(rpc);
		if (!ttp_rpc_has_reader(rpc)) {
			ttp_rpc_end(rpc);
			return;
		}
		/* Receive budget is what limits unread responses */
		ttp_sock_uncharge_snd(rpc->sk, rpc->snd_cost);
		rpc->snd_cost = 0;
	}
	ttp_sock_ready(rpc);
}

void ttp_rpc_again(struct ttp_rpc *rpc, u32 epoch)
{
	lockdep_assert_held(&rpc->lock);

	ttp_rpc_not_incoming(rpc);
	ttp_rpc_drop_in(rpc);
	ttp_msgin_init(&rpc->in);
	ttp_msgout_rewind(&rpc->out);
	WRITE_ONCE(rpc->epoch, epoch);
	rpc->again_ns = ktime_get_ns();
	rpc->informed = false;
	rpc->asked_early = false;
	rpc->told_busy = false;
	rpc->tries = 0;
	rpc->asked_ns = 0;
	rpc->sent_ns = 0;
	rpc->hole_ns = 0;
}

bool ttp_rpc_waits(const struct ttp_rpc *rpc)
{
	lockdep_assert_held(&rpc->lock);

	/* Comes and goes under rpc->lock, too */
	return rpc->tx.in;
}

void ttp_rpc_schedule(struct ttp_rpc *rpc, u64 due_ns)
{
	struct ttp_peer *peer = rpc->key.peer;

	lockdep_assert_held(&rpc->lock);

	rpc->due_ns = due_ns;
	if (!due_ns || !rpc->live)
		return;
	spin_lock(&peer->lock);
	/*
	 * Being looked at too early costs less than moving in the queue for
	 * each packet: the timer compares with due_ns and comes back.
	 */
	if (!rpc->queued || ktime_to_ns(rpc->timer.expires) > due_ns) {
		if (rpc->queued)
			timerqueue_del(&peer->queue, &rpc->timer);
		rpc->timer.expires = ns_to_ktime(due_ns);
		timerqueue_add(&peer->queue, &rpc->timer);
		rpc->queued = true;
		ttp_peer_arm(peer, due_ns);
	}
	spin_unlock(&peer->lock);
}

void ttp_rpc_moves(struct ttp_rpc *rpc, u64 now_ns)
{
	struct ttp_mib __percpu *mib = rpc->key.peer->key.link->mib;

	lockdep_assert_held(&rpc->lock);

	rpc->arrived_ns = now_ns;
	rpc->arrived_cpu = smp_processor_id();
	rpc->arrived_bytes = __this_cpu_read(mib->item[TTP_MIB_IN_BYTES]);
}

u32 ttp_rpc_una(const struct ttp_rpc *rpc)
{
	struct ttp_peer *peer = rpc->key.peer;
	struct ttp_rpc *oldest;

	lockdep_assert_held(&peer->lock);

	oldest = list_first_entry_or_null(&peer->open, struct ttp_rpc,
					  peer_node);
	if (!oldest || oldest->key.id > rpc->key.id)
		return 0;
	return min_t(u64, (rpc->key.id - oldest->key.id) / 2, U32_MAX);
}
