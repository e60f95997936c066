// SPDX-License-Identifier: GPL-2.0
/*
 * Options at level SOL_TTP.
 */
#include <linux/capability.h>
#include <linux/sockptr.h>

#include "af_ttp.h"
#include "end.h"

static int ttp_sockopt_get_u32(sockptr_t val, unsigned int len, u32 *number)
{
	if (len < sizeof(*number))
		return -EINVAL;
	return copy_from_sockptr(number, val, sizeof(*number)) ? -EFAULT : 0;
}

static int ttp_sockopt_listen(struct sock *sk, bool on)
{
	int err = 0;

	/* Whoever listens has a port to be found by */
	if (on)
		err = ttp_sock_auto_bind(sk);
	if (!err)
		WRITE_ONCE(ttp_sk(sk)->listen, on);
	return err;
}

static int ttp_sockopt_max_msg(struct sock *sk, u32 bytes)
{
	if (bytes > READ_ONCE(ttp_net(sock_net(sk))->params.max_message))
		return -EINVAL;
	WRITE_ONCE(ttp_sk(sk)->max_msg, bytes);
	return 0;
}

static int ttp_sockopt_priority(struct sock *sk, int priority)
{
	if (priority < -1 || priority > TTP_WIRE_TOP_LEVEL)
		return -EINVAL;
	if (priority == TTP_WIRE_TOP_LEVEL &&
	    !ns_capable(sock_net(sk)->user_ns, CAP_NET_ADMIN))
		return -EPERM;
	WRITE_ONCE(ttp_sk(sk)->priority, priority);
	return 0;
}

static int ttp_sockopt_set_u32(struct sock *sk, int name, u32 number)
{
	struct ttp_sock *ts = ttp_sk(sk);

	switch (name) {
	case TTP_RECVINFO:
	case TTP_LISTEN:
	case TTP_ZEROCOPY:
		if (number > 1)
			return -EINVAL;
		break;
	}
	switch (name) {
	case TTP_RECVINFO:
		WRITE_ONCE(ts->recvinfo, number);
		return 0;
	case TTP_LISTEN:
		return ttp_sockopt_listen(sk, number);
	case TTP_ZEROCOPY:
		sock_valbool_flag(sk, SOCK_ZEROCOPY, number);
		return 0;
	case TTP_MAX_MSG:
		return ttp_sockopt_max_msg(sk, number);
	case TTP_TIMEOUT_MS:
		WRITE_ONCE(ts->timeout_ms, number);
		return 0;
	case TTP_PRIORITY:
		return ttp_sockopt_priority(sk, number);
	default:
		return -ENOPROTOOPT;
	}
}

static int ttp_sockopt_abort(struct sock *sk, sockptr_t val, unsigned int len)
{
	u64 cookie;
	int err;

	if (len < sizeof(cookie))
		return -EINVAL;
	if (copy_from_sockptr(&cookie, val, sizeof(cookie)))
		return -EFAULT;
	lock_sock(sk);
	err = ttp_end_cookie(sk, cookie);
	release_sock(sk);
	return err;
}

int ttp_setsockopt(struct socket *sock, int level, int name, sockptr_t val,
		   unsigned int len)
{
	struct sock *sk = sock->sk;
	u32 number;
	int err;

	if (level == SOL_SOCKET && name != SO_ZEROCOPY)
		return sock_setsockopt(sock, level, name, val, len);
	if (level == SOL_SOCKET) {
		level = SOL_TTP;
		name = TTP_ZEROCOPY;
	}
	if (level != SOL_TTP)
		return -ENOPROTOOPT;
	if (name == TTP_ABORT)
		return ttp_sockopt_abort(sk, val, len);
	if (name < TTP_RECVINFO || name > TTP_ZEROCOPY || name == TTP_STATUS)
		return -ENOPROTOOPT;
	err = ttp_sockopt_get_u32(val, len, &number);
	if (err)
		return err;
	lock_sock(sk);
	err = ttp_sockopt_set_u32(sk, name, number);
	release_sock(sk);
	return err;
}

static void ttp_sockopt_peer_status(struct ttp_net *tn,
				    const struct sockaddr_ttp *remote,
				    struct ttp_status *status)
{
	struct ttp_peer *peer = NULL;
	struct ttp_link *link;

	rcu_read_lock();
	link = ttp_link_find(tn, remote->sttp_ifindex);
	if (link)
		peer = ttp_peer_find(link, remote->sttp_addr);
	if (peer) {
		spin_lock_bh(&peer->lock);
		status->srtt_us = peer->rtt.srtt_ns / NSEC_PER_USEC;
		status->peer_epoch = peer->epoch;
		spin_unlock_bh(&peer->lock);
		status->window = ttp_peer_unsched(peer, 0);
		status->flags = TTP_STATUS_PEER_KNOWN;
		if (ttp_sched_slowed(&peer->sched))
			status->flags |= TTP_STATUS_DELAY_LIMIT;
		ttp_peer_put(peer);
	}
	rcu_read_unlock();
}

static void ttp_sockopt_status(struct sock *sk, struct ttp_status *status)
{
	struct ttp_sock *ts = ttp_sk(sk);
	struct sockaddr_ttp remote;
	bool connected;

	memset(status, 0, sizeof(*status));
	spin_lock_bh(&ts->lock);
	status->rpcs_out = ts->rpcs_out;
	status->rpcs_in = ts->rpcs_in;
	status->rcv_bytes = ts->rcv_bytes;
	status->snd_bytes = ts->snd_bytes;
	connected = ts->connected;
	remote = ts->remote;
	spin_unlock_bh(&ts->lock);
	if (connected)
		ttp_sockopt_peer_status(ttp_net(sock_net(sk)), &remote, status);
}

static int ttp_sockopt_number(struct sock *sk, int name)
{
	const struct ttp_sock *ts = ttp_sk(sk);

	switch (name) {
	case TTP_RECVINFO:
		return READ_ONCE(ts->recvinfo);
	case TTP_LISTEN:
		return READ_ONCE(ts->listen);
	case TTP_ZEROCOPY:
		return sock_flag(sk, SOCK_ZEROCOPY);
	case TTP_MAX_MSG:
		return ttp_sock_max_msg(sk);
	case TTP_TIMEOUT_MS:
		return READ_ONCE(ts->timeout_ms);
	default:
		return READ_ONCE(ts->priority);
	}
}

int ttp_getsockopt(struct socket *sock, int level, int name,
		   char __user *val, int __user *optlen)
{
	struct ttp_status status;
	const void *from;
	int len, number;
	u32 size;

	if (level != SOL_TTP || name < TTP_RECVINFO || name > TTP_ZEROCOPY ||
	    name == TTP_ABORT)
		return -ENOPROTOOPT;
	if (get_user(len, optlen))
		return -EFAULT;
	if (len < 0)
		return -EINVAL;
	if (name == TTP_STATUS) {
		ttp_sockopt_status(sock->sk, &status);
		from = &status;
		size = sizeof(status);
	} else {
		number = ttp_sockopt_number(sock->sk, name);
		from = &number;
		size = sizeof(number);
	}
	len = min_t(u32, len, size);
	if (put_user(len, optlen) || copy_to_user(val, from, len))
		return -EFAULT;
	return 0;
}
