// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets: ports, queues, memory.
 */
#include <linux/errqueue.h>
#include <linux/export.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "rpc.h"
#include "sock.h"

static const struct rhashtable_params ttp_sock_table = {
	.key_len		= sizeof_field(struct ttp_sock, port),
	.key_offset		= offsetof(struct ttp_sock, port),
	.head_offset		= offsetof(struct ttp_sock, port_node),
	.automatic_shrinking	= true,
};

int ttp_sock_net_init(struct ttp_net *tn)
{
	return rhltable_init(&tn->ports, &ttp_sock_table);
}

void ttp_sock_net_exit(struct ttp_net *tn)
{
	rhltable_destroy(&tn->ports);
}

/* All of a namespace */

int ttp_sock_list(struct sock *sk)
{
	struct ttp_net *tn = ttp_net(sock_net(sk));
	struct ttp_sock *ts = ttp_sk(sk);

	/* 31 bits: what follows the last number must not be the first */
	return xa_alloc(&tn->socks, &ts->nr, ts, xa_limit_31b, GFP_KERNEL);
}

void ttp_sock_unlist(struct sock *sk)
{
	xa_erase(&ttp_net(sock_net(sk))->socks, ttp_sk(sk)->nr);
}

struct ttp_sock *ttp_sock_next(const struct net *net, unsigned long *nr)
{
	return xa_find(&ttp_net(net)->socks, nr, ULONG_MAX, XA_PRESENT);
}
EXPORT_SYMBOL_NS_GPL(ttp_sock_next, "TTP");

/* Ports */

static bool ttp_sock_port_taken(struct ttp_net *tn, u16 port, int ifindex)
{
	struct rhlist_head *list, *pos;
	struct ttp_sock *ts;
	bool taken = false;

	rcu_read_lock();
	list = rhltable_lookup(&tn->ports, &port, ttp_sock_table);
	rhl_for_each_entry_rcu(ts, pos, list, port_node)
		if (!ifindex || !ts->ifindex || ts->ifindex == ifindex)
			taken = true;
	rcu_read_unlock();
	return taken;
}

static u16 ttp_sock_auto_port(struct ttp_net *tn, int ifindex)
{
	u32 base = get_random_u32();
	u32 i, port;

	for (i = 0; i <= U16_MAX - TTP_PORT_AUTO; i++) {
		port = TTP_PORT_AUTO + (base + i) % TTP_PORT_AUTO;
		if (!ttp_sock_port_taken(tn, port, ifindex))
			return port;
		cond_resched();
	}
	return 0;
}

static int __ttp_sock_bind_port(struct ttp_net *tn, struct ttp_sock *ts,
				u16 port, int ifindex)
{
	int err;

	if (ts->port)
		return -EINVAL;
	if (!port)
		port = ttp_sock_auto_port(tn, ifindex);
	else if (ttp_sock_port_taken(tn, port, ifindex))
		port = 0;
	if (!port)
		return -EADDRINUSE;

	WRITE_ONCE(ts->ifindex, ifindex);
	WRITE_ONCE(ts->port, port);
	err = rhltable_insert(&tn->ports, &ts->port_node, ttp_sock_table);
	if (err) {
		WRITE_ONCE(ts->port, 0);
		WRITE_ONCE(ts->ifindex, 0);
	}
	return err;
}

int ttp_sock_bind_port(struct sock *sk, u16 port, int ifindex)
{
	struct ttp_net *tn = ttp_net(sock_net(sk));
	int err;

	mutex_lock(&tn->port_lock);
	err = __ttp_sock_bind_port(tn, ttp_sk(sk), port, ifindex);
	mutex_unlock(&tn->port_lock);
	return err;
}

int ttp_sock_auto_bind(struct sock *sk)
{
	int err;

	if (READ_ONCE(ttp_sk(sk)->port))
		return 0;
	err = ttp_sock_bind_port(sk, 0, READ_ONCE(sk->sk_bound_dev_if));
	return err == -EINVAL ? 0 : err;	/* another thread was faster */
}

void ttp_sock_free_port(struct sock *sk)
{
	struct ttp_net *tn = ttp_net(sock_net(sk));
	struct ttp_sock *ts = ttp_sk(sk);

	mutex_lock(&tn->port_lock);
	if (ts->port)
		rhltable_remove(&tn->ports, &ts->port_node, ttp_sock_table);
	mutex_unlock(&tn->port_lock);
}

/* SO_BINDTODEVICE may come after bind(): then it decides, as with UDP */
static bool ttp_sock_is_on(const struct ttp_sock *ts, int ifindex)
{
	int bound = READ_ONCE(ts->sk.sk_bound_dev_if);

	return !bound || bound == ifindex;
}

/* A connected socket is for its peer alone */
static bool ttp_sock_is_for(struct ttp_sock *ts, int ifindex, const u8 *mac,
			    u16 sport)
{
	bool is_for = true;

	spin_lock_bh(&ts->lock);
	if (ts->connected)
		is_for = ts->remote.sttp_ifindex == ifindex &&
			 ts->remote.sttp_port == cpu_to_be16(sport) &&
			 !memcmp(ts->remote.sttp_addr, mac, ETH_ALEN);
	spin_unlock_bh(&ts->lock);
	return is_for;
}

struct sock *ttp_sock_listener(struct ttp_link *link, const u8 *mac,
			       u16 sport, u16 port)
{
	struct rhlist_head *list, *pos;
	struct ttp_sock *ts;

	list = rhltable_lookup(&link->tn->ports, &port, ttp_sock_table);
	rhl_for_each_entry_rcu(ts, pos, list, port_node) {
		if (ts->ifindex && ts->ifindex != link->ifindex)
			continue;
		if (!READ_ONCE(ts->listen) ||
		    READ_ONCE(ts->sk.sk_shutdown) & RCV_SHUTDOWN ||
		    !ttp_sock_is_on(ts, link->ifindex) ||
		    !ttp_sock_is_for(ts, link->ifindex, mac, sport) ||
		    !refcount_inc_not_zero(&ts->sk.sk_refcnt))
			return NULL;
		return &ts->sk;
	}
	return NULL;
}

/* Limits */

u32 ttp_sock_max_msg(const struct sock *sk)
{
	const struct ttp_net *tn = ttp_net(sock_net(sk));
	u32 limit = READ_ONCE(tn->params.max_message);
	u32 own = READ_ONCE(ttp_sk(sk)->max_msg);
	u64 mem;

	/* What can never have memory would wait for ever; starts may have an eighth */
	mem = ttp_net_mem_limit(tn, TTP_MEM_IN);
	limit = min_t(u64, limit, mem - mem / 8 - TTP_SOCK_OVERHEAD);
	return own ? min(own, limit) : limit;
}

u64 ttp_sock_timeout_ns(const struct sock *sk)
{
	u32 ms = READ_ONCE(ttp_sk(sk)->timeout_ms) ?:
		 READ_ONCE(ttp_net(sock_net(sk))->params.dead_timeout_ms);

	return (u64)ms * NSEC_PER_MSEC;
}

/* The RPCs of a socket */

bool ttp_sock_join(struct sock *sk, struct ttp_rpc *rpc)
{
	struct ttp_sock *ts = ttp_sk(sk);
	bool open;

	lockdep_assert_held(&rpc->lock);

	spin_lock(&ts->lock);
	open = !ts->closed;
	if (open) {
		sock_hold(sk);
		rpc->sk = sk;
		refcount_inc(&rpc->refcnt);
		list_add_tail(&rpc->sock_node, &ts->rpcs);
		if (rpc->client)
			ts->rpcs_out++;
		else
			ts->rpcs_in++;
	}
	spin_unlock(&ts->lock);
	return open;
}

static void ttp_sock_unqueue(struct ttp_sock *ts, struct ttp_rpc *rpc)
{
	lockdep_assert_held(&ts->lock);

	if (!list_empty(&rpc->ready_node)) {
		list_del_init(&rpc->ready_node);
		WRITE_ONCE(ts->ready_count, ts->ready_count - 1);
		if (rpc->in.whole)
			ts->rcv_bytes -= rpc->in.len;
		else
			ts->unread--;
	}
}

void ttp_sock_leave(struct ttp_rpc *rpc)
{
	struct sock *sk = rpc->sk;
	struct ttp_sock *ts;

	lockdep_assert_held(&rpc->lock);

	if (!sk)
		return;
	ts = ttp_sk(sk);
	ttp_sock_uncharge_rcv(sk, rpc->in.truesize);
	rpc->in.truesize = 0;
	spin_lock(&ts->lock);
	ttp_room_give_back(rpc);
	ttp_sock_unqueue(ts, rpc);
	list_del_init(&rpc->sock_node);
	if (rpc->client)
		ts->rpcs_out--;
	else
		ts->rpcs_in--;
	ts->snd_bytes -= rpc->out.len - rpc->out.acked;
	ttp_sock_offer(ts);
	spin_unlock(&ts->lock);

	rpc->sk = NULL;
	ttp_sock_uncharge_snd(sk, rpc->out.truesize + rpc->snd_cost);
	rpc->snd_cost = 0;
	sock_put(sk);
	/* The caller has a reference, so this is not the last one */
	ttp_rpc_put(rpc);
}

static void ttp_sock_queue(struct ttp_sock *ts, struct ttp_rpc *rpc,
			   struct list_head *behind)
{
	lockdep_assert_held(&ts->lock);

	list_add(&rpc->ready_node, behind);
	WRITE_ONCE(ts->ready_count, ts->ready_count + 1);
	if (rpc->in.whole)
		ts->rcv_bytes += rpc->in.len;
	else
		ts->unread++;
}

void ttp_sock_ready(struct ttp_rpc *rpc)
{
	struct sock *sk = rpc->sk;
	struct ttp_sock *ts = ttp_sk(sk);

	lockdep_assert_held(&rpc->lock);

	spin_lock(&ts->lock);
	ttp_sock_queue(ts, rpc, ts->ready.prev);
	spin_unlock(&ts->lock);
	sk->sk_data_ready(sk);
	/* Nobody must wait for room that only receiving would make */
	if (!rpc->in.whole)
		sk->sk_write_space(sk);
}

struct ttp_rpc *ttp_sock_peek(struct sock *sk)
{
	struct ttp_sock *ts = ttp_sk(sk);
	struct ttp_rpc *rpc;

	spin_lock_bh(&ts->lock);
	rpc = list_first_entry_or_null(&ts->ready, struct ttp_rpc, ready_node);
	if (rpc)
		ttp_rpc_get(rpc);
	spin_unlock_bh(&ts->lock);
	return rpc;
}

bool ttp_sock_is_ready(const struct ttp_rpc *rpc)
{
	struct ttp_sock *ts = ttp_sk(rpc->sk);
	bool ready;

	lockdep_assert_held(&rpc->lock);

	spin_lock(&ts->lock);
	ready = !list_empty(&rpc->ready_node);
	spin_unlock(&ts->lock);
	return ready;
}

struct ttp_rpc *ttp_sock_take(struct sock *sk)
{
	struct ttp_sock *ts = ttp_sk(sk);
	struct ttp_rpc *rpc;

	spin_lock_bh(&ts->lock);
	rpc = list_first_entry_or_null(&ts->ready, struct ttp_rpc, ready_node);
	if (rpc) {
		ttp_rpc_get(rpc);
		ttp_sock_unqueue(ts, rpc);
	}
	spin_unlock_bh(&ts->lock);
	return rpc;
}

void ttp_sock_untake(struct sock *sk, struct ttp_rpc *rpc)
{
	struct ttp_sock *ts = ttp_sk(sk);

	lockdep_assert_held(&rpc->lock);

	spin_lock(&ts->lock);
	ttp_sock_queue(ts, rpc, &ts->ready);
	spin_unlock(&ts->lock);
	sk->sk_data_ready(sk);
}

bool ttp_sock_readable(const struct sock *sk)
{
	return READ_ONCE(ttp_sk(sk)->ready_count);
}

int ttp_sock_inq(struct sock *sk)
{
	struct ttp_sock *ts = ttp_sk(sk);
	struct ttp_rpc *rpc;
	int bytes = 0;

	spin_lock_bh(&ts->lock);
	rpc = list_first_entry_or_null(&ts->ready, struct ttp_rpc, ready_node);
	if (rpc && rpc->in.whole)
		bytes = rpc->in.len;
	spin_unlock_bh(&ts->lock);
	return bytes;
}

/* Time stamps */

void ttp_sock_stamp_ack(struct sock *sk, u32 key)
{
	struct sk_buff *skb = alloc_skb(0, GFP_ATOMIC | __GFP_NOWARN);
	struct sock_exterr_skb *serr;

	if (!skb)
		return;
	serr = SKB_EXT_ERR(skb);
	memset(serr, 0, sizeof(*serr));
	serr->ee.ee_errno = ENOMSG;
	serr->ee.ee_origin = SO_EE_ORIGIN_TIMESTAMPING;
	serr->ee.ee_info = SCM_TSTAMP_ACK;
	serr->ee.ee_data = key;
	skb->tstamp = ktime_get_real();
	if (sock_queue_err_skb(sk, skb))
		kfree_skb(skb);
}

/* Receive budget and memory */

void ttp_sock_offer(struct ttp_sock *ts)
{
	lockdep_assert_held(&ts->lock);

	if ((!ttp_srpt_empty(&ts->waiting) || !ttp_srpt_empty(&ts->growing)) &&
	    !ts->closed)
		schedule_work(&ts->offer);
}

bool ttp_sock_charge_rcv(struct sock *sk, u32 bytes)
{
	struct ttp_sock *ts = ttp_sk(sk);
	bool ok = true;
	int short_of;

	spin_lock(&ts->lock);
	short_of = bytes - sk->sk_forward_alloc;
	if (short_of > 0)
		ok = __sk_mem_schedule(sk, short_of, SK_MEM_RECV);
	if (ok) {
		atomic_add(bytes, &sk->sk_rmem_alloc);
		sk_mem_charge(sk, bytes);
	}
	spin_unlock(&ts->lock);
	return ok;
}

void ttp_sock_uncharge_rcv(struct sock *sk, u32 bytes)
{
	struct ttp_sock *ts = ttp_sk(sk);

	if (!bytes)
		return;
	spin_lock_bh(&ts->lock);
	atomic_sub(bytes, &sk->sk_rmem_alloc);
	sk_mem_uncharge(sk, bytes);
	spin_unlock_bh(&ts->lock);
}

/* Sleeping and waking */

/*
 * Readers and writers sleep on one queue.  Readers are woken one at a time,
 * so a wake-up must not be spent on somebody who cannot use it.
 */
struct ttp_sock_reader {
	struct wait_queue_entry	wait;
	struct ttp_net		*tn;
};

static int ttp_sock_wake_reader(struct wait_queue_entry *wait,
				unsigned int mode, int sync, void *key)
{
	struct ttp_sock_reader *reader;
	int woken;

	if (key && !(key_to_poll(key) & EPOLLIN))
		return 0;
	reader = container_of(wait, struct ttp_sock_reader, wait);
	woken = autoremove_wake_function(wait, mode, sync, key);
	if (woken && key)
		TTP_NET_INC(reader->tn, WAKEUPS);
	return woken;
}

static int ttp_sock_wake_writer(struct wait_queue_entry *wait,
				unsigned int mode, int sync, void *key)
{
	if (key && !(key_to_poll(key) & EPOLLOUT))
		return 0;
	return autoremove_wake_function(wait, mode, sync, key);
}

long ttp_sock_wait_readable(struct sock *sk, long timeo)
{
	struct ttp_sock_reader reader = { .tn = ttp_net(sock_net(sk)) };
	struct wait_queue_entry *wait = &reader.wait;
	long interrupted;

	init_waitqueue_func_entry(wait, ttp_sock_wake_reader);
	INIT_LIST_HEAD(&wait->entry);
	wait->private = current;
	wait->flags |= WQ_FLAG_EXCLUSIVE;
	while (timeo > 0) {
		/*
		 * With a signal pending this leaves the queue, before the
		 * look at what there is: whoever is woken will use it.
		 */
		interrupted = prepare_to_wait_event(sk_sleep(sk), wait,
						    TASK_INTERRUPTIBLE);
		if (ttp_sock_readable(sk) ||
		    READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN)
			break;
		if (interrupted) {
			timeo = sock_intr_errno(timeo);
			break;
		}
		timeo = schedule_timeout(timeo);
	}
	finish_wait(sk_sleep(sk), wait);
	return timeo;
}

/* As sock_def_write_space(), but whoever waits for room looks for himself */
static void ttp_sock_write_space(struct sock *sk)
{
	struct socket_wq *wq;

	rcu_read_lock();
	wq = rcu_dereference(sk->sk_wq);
	if (skwq_has_sleeper(wq))
		wake_up_interruptible_poll(&wq->wait, EPOLLOUT |
					   EPOLLWRNORM | EPOLLWRBAND);
	sk_wake_async(sk, SOCK_WAKE_SPACE, POLL_OUT);
	rcu_read_unlock();
}

/* Send buffer */

/*
 * Send buffer taken.  All that we charge is even: the odd byte is of a packet that
 * is being freed, whose destructor gives it back after it has woken everybody.
 */
static int ttp_sock_wmem(const struct sock *sk)
{
	return round_down(sk_wmem_alloc_get(sk), 2);
}

static bool ttp_sock_try_charge_snd(struct sock *sk, u32 bytes, u32 own)
{
	struct ttp_sock *ts = ttp_sk(sk);
	int used;
	bool ok;

	spin_lock_bh(&ts->lock);
	used = ttp_sock_wmem(sk);
	ok = used <= own || (u64)used + bytes <= READ_ONCE(sk->sk_sndbuf);
	if (ok)
		refcount_add(bytes, &sk->sk_wmem_alloc);
	spin_unlock_bh(&ts->lock);
	return ok;
}

/* Is the send buffer full of nothing else but failures that were not received? */
static bool ttp_sock_full_of_unread(struct sock *sk, u32 own)
{
	struct ttp_sock *ts = ttp_sk(sk);
	bool full;

	spin_lock_bh(&ts->lock);
	full = ts->unread &&
	       ttp_sock_wmem(sk) == ts->unread * TTP_RPC_COST + own;
	spin_unlock_bh(&ts->lock);
	return full;
}

static int ttp_sock_wait_charge_snd(struct sock *sk, u32 bytes, u32 own,
				    long timeo)
{
	DEFINE_WAIT_FUNC(wait, ttp_sock_wake_writer);
	int err = 0;

	for (;;) {
		/* Not exclusive: a small message may fit where a big one does not */
		prepare_to_wait(sk_sleep(sk), &wait, TASK_INTERRUPTIBLE);
		if (READ_ONCE(sk->sk_shutdown) & SEND_SHUTDOWN) {
			err = -EPIPE;
			break;
		}
		if (ttp_sock_try_charge_snd(sk, bytes, own))
			break;
		if (!timeo) {
			err = -EAGAIN;
			break;
		}
		if (ttp_sock_full_of_unread(sk, own)) {
			err = -ENOBUFS;
			break;
		}
		if (signal_pending(current)) {
			err = sock_intr_errno(timeo);
			break;
		}
		timeo = schedule_timeout(timeo);
	}
	finish_wait(sk_sleep(sk), &wait);
	return err;
}

int ttp_sock_charge_snd(struct sock *sk, u32 bytes, u32 own, long timeo)
{
	if (!(READ_ONCE(sk->sk_shutdown) & SEND_SHUTDOWN) &&
	    ttp_sock_try_charge_snd(sk, bytes, own))
		return 0;
	return ttp_sock_wait_charge_snd(sk, bytes, own, timeo);
}

void ttp_sock_uncharge_snd(struct sock *sk, u32 bytes)
{
	if (!bytes)
		return;
	/* Never the last one: the socket itself holds a share until freed */
	WARN_ON_ONCE(refcount_sub_and_test(bytes, &sk->sk_wmem_alloc));
	sk->sk_write_space(sk);
}

bool ttp_sock_writeable(const struct sock *sk)
{
	int used = ttp_sock_wmem(sk);

	/* What is being composed may always go on, if there is nothing else */
	return used <= READ_ONCE(ttp_sk(sk)->drafted) || used + TTP_RPC_COST +
			ttp_msgout_truesize(TTP_SOCK_SMALL_SEND) <=
			READ_ONCE(sk->sk_sndbuf);
}

void ttp_sock_init(struct sock *sk)
{
	struct ttp_sock *ts = ttp_sk(sk);

	spin_lock_init(&ts->lock);
	INIT_LIST_HEAD(&ts->rpcs);
	INIT_LIST_HEAD(&ts->ready);
	ttp_srpt_init(&ts->waiting);
	ttp_srpt_init(&ts->growing);
	mutex_init(&ts->draft_lock);
	ts->priority = -1;
	sk->sk_write_space = ttp_sock_write_space;
}
