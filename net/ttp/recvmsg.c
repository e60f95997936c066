// SPDX-License-Identifier: GPL-2.0
/*
 * Receiving: from a finished RPC to the program's buffers.
 */
#include <linux/etherdevice.h>
#include <net/busy_poll.h>

#include "af_ttp.h"
#include "grant.h"

#define TTP_RECV_FLAGS \
	(MSG_DONTWAIT | MSG_PEEK | MSG_TRUNC | MSG_WAITALL | MSG_ERRQUEUE | \
	 MSG_CMSG_CLOEXEC | MSG_CMSG_COMPAT | MSG_NOSIGNAL)

#ifdef CONFIG_NET_RX_BUSY_POLL
static bool ttp_recvmsg_polled(void *sk, unsigned long start_time)
{
	return ttp_sock_readable(sk) || sk_busy_loop_timeout(sk, start_time);
}

/* SO_BUSY_POLL: have the device's queue looked at before sleeping */
static bool ttp_recvmsg_poll(struct sock *sk, bool once)
{
	unsigned int id = READ_ONCE(sk->sk_napi_id);

	if (!sk_can_busy_loop(sk) || id < MIN_NAPI_ID)
		return false;
	napi_busy_loop(id, once ? NULL : ttp_recvmsg_polled, sk,
		       READ_ONCE(sk->sk_prefer_busy_poll),
		       READ_ONCE(sk->sk_busy_poll_budget) ?: BUSY_POLL_BUDGET);
	return ttp_sock_readable(sk);
}
#else
static bool ttp_recvmsg_poll(struct sock *sk, bool once)
{
	return false;
}
#endif

/* Wait for something to receive */
static struct ttp_rpc *ttp_recvmsg_next(struct sock *sk, int flags)
{
	long timeo = sock_rcvtimeo(sk, flags & MSG_DONTWAIT);
	struct ttp_rpc *rpc;

	for (;;) {
		rpc = flags & MSG_PEEK ? ttp_sock_peek(sk) : ttp_sock_take(sk);
		if (rpc)
			return rpc;
		if (READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN)
			return NULL;
		if (ttp_recvmsg_poll(sk, !timeo))
			continue;
		if (!timeo)
			return ERR_PTR(-EAGAIN);
		timeo = ttp_sock_wait_readable(sk, timeo);
		if (timeo < 0)
			return ERR_PTR(timeo);
	}
}

/**
 * ttp_recvmsg_begin() - make this call a reader of a message
 * @sk: the socket
 * @rpc: its RPC
 * @peek: whether it was left in the queue
 * @length: bytes of the message, which others may take while we copy
 *
 * Return: false if it was cancelled, or taken by others, just now.
 */
static bool ttp_recvmsg_begin(struct sock *sk, struct ttp_rpc *rpc, bool peek,
			      u32 *length)
{
	bool ours;

	spin_lock_bh(&rpc->lock);
	ours = rpc->sk == sk && (!peek || ttp_sock_is_ready(rpc));
	if (ours) {
		rpc->in.readers++;
		*length = rpc->in.whole ? rpc->in.len : 0;
	}
	spin_unlock_bh(&rpc->lock);
	return ours;
}

/* The last reader frees what others have done with meanwhile */
static void ttp_recvmsg_end(struct ttp_rpc *rpc)
{
	lockdep_assert_held(&rpc->lock);

	if (!--rpc->in.readers && (!rpc->in.whole || !rpc->sk))
		ttp_msgin_purge(&rpc->in);
}

/*
 * Leave the message where it was, or put it back there.  The wake-up that it
 * caused was ours, and is passed on.
 */
static void ttp_recvmsg_leave(struct sock *sk, struct ttp_rpc *rpc, bool peek)
{
	spin_lock_bh(&rpc->lock);
	ttp_recvmsg_end(rpc);
	if (rpc->sk == sk && !peek)
		ttp_sock_untake(sk, rpc);
	else if (rpc->sk == sk && ttp_sock_is_ready(rpc))
		sk->sk_data_ready(sk);
	spin_unlock_bh(&rpc->lock);
}

static void ttp_recvmsg_done(struct sock *sk, struct ttp_rpc *rpc)
{
	struct sk_buff_head out;

	__skb_queue_head_init(&out);
	local_bh_disable();
	rcu_read_lock();
	spin_lock(&rpc->lock);
	ttp_recvmsg_end(rpc);
	ttp_rpc_consumed(rpc);
	spin_unlock(&rpc->lock);
	ttp_grant_waiting(sk, &out);
	ttp_output_flush(&out);
	rcu_read_unlock();
	local_bh_enable();
}

static u8 ttp_recvmsg_kind(const struct ttp_rpc *rpc)
{
	if (rpc->error)
		return TTP_KIND_FAILURE;
	if (!rpc->client)
		return rpc->oneway ? TTP_KIND_ONEWAY : TTP_KIND_REQUEST;
	return rpc->oneway ? TTP_KIND_COMPLETION : TTP_KIND_RESPONSE;
}

static void ttp_recvmsg_info(const struct ttp_rpc *rpc, u32 length,
			     struct msghdr *msg)
{
	const struct ttp_peer *peer = rpc->key.peer;
	struct ttp_info info = {
		.cookie = rpc->cookie,
		.length = length,
		.error = rpc->error,
		.kind = ttp_recvmsg_kind(rpc),
		.level = rpc->in.level,
		.rtt_us = READ_ONCE(peer->rtt.srtt_ns) / NSEC_PER_USEC,
	};

	put_cmsg(msg, SOL_TTP, TTP_INFO, sizeof(info), &info);
}

static void ttp_recvmsg_name(const struct ttp_rpc *rpc, struct msghdr *msg)
{
	DECLARE_SOCKADDR(struct sockaddr_ttp *, name, msg->msg_name);

	if (!name)
		return;
	memset(name, 0, sizeof(*name));
	name->sttp_family = AF_TTP;
	name->sttp_port = htons(rpc->pport);
	name->sttp_ifindex = rpc->key.peer->key.link->ifindex;
	ether_addr_copy(name->sttp_addr, rpc->key.peer->key.mac);
	if (!rpc->client && !rpc->oneway)
		name->sttp_rpc = rpc->key.id;
	msg->msg_namelen = sizeof(*name);
}

/* What the caller gets of one RPC; the same whether it peeks or not */
static int ttp_recvmsg_deliver(struct sock *sk, struct ttp_rpc *rpc, u32 length,
			       struct msghdr *msg, size_t len, int flags)
{
	bool info = READ_ONCE(ttp_sk(sk)->recvinfo);
	u32 copied = min_t(size_t, len, length);
	int err;

	if (rpc->error && !info)
		return -rpc->error;
	err = ttp_msgin_copy(&rpc->in, msg, copied);
	if (err)
		return err;
	if (copied < length)
		msg->msg_flags |= MSG_TRUNC;
	ttp_recvmsg_name(rpc, msg);
	if (rpc->in.newest)
		sock_recv_cmsgs(msg, sk, rpc->in.newest);
	if (info)
		ttp_recvmsg_info(rpc, length, msg);
	return flags & MSG_TRUNC ? length : copied;
}

/*
 * A failure that recvmmsg() met behind messages is put there by the socket layer,
 * and is still to be received.
 */
static int ttp_recvmsg_kept(struct sock *sk, bool peek)
{
	return peek ? -READ_ONCE(sk->sk_err) : sock_error(sk);
}

int ttp_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags)
{
	struct sock *sk = sock->sk;
	bool peek = flags & MSG_PEEK;
	struct ttp_rpc *rpc;
	u32 length;
	int ret;

	if (flags & ~TTP_RECV_FLAGS)
		return -EINVAL;
	msg->msg_namelen = 0;
	if (flags & MSG_ERRQUEUE)
		return sock_recv_errqueue(sk, msg, len, SOL_TTP, TTP_RECVERR);
	ret = ttp_recvmsg_kept(sk, peek);
	if (ret)
		return ret;

	do {
		rpc = ttp_recvmsg_next(sk, flags);
		if (IS_ERR_OR_NULL(rpc))
			return PTR_ERR_OR_ZERO(rpc);
		if (ttp_recvmsg_begin(sk, rpc, peek, &length))
			break;
		ttp_rpc_put(rpc);	/* cancelled or taken just now */
	} while (1);

	ret = ttp_recvmsg_deliver(sk, rpc, length, msg, len, flags);
	if (peek || ret == -EFAULT)
		ttp_recvmsg_leave(sk, rpc, peek);
	else
		ttp_recvmsg_done(sk, rpc);
	ttp_rpc_put(rpc);
	if (msg->msg_get_inq)
		msg->msg_inq = ttp_sock_inq(sk);
	return ret;
}
