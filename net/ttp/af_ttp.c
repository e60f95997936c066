// SPDX-License-Identifier: GPL-2.0
/*
 * The socket family: creation, addresses, poll, ioctl, end.
 */
#include <linux/capability.h>
#include <linux/etherdevice.h>
#include <linux/poll.h>
#include <linux/sockios.h>
#include <linux/swap.h>
#include <net/net_namespace.h>

#include <asm/ioctls.h>

#include "af_ttp.h"
#include "draft.h"
#include "end.h"
#include "grant.h"
#include "rpc.h"

/* Memory of all sockets, for the core's accounting; limits are per netns */
static atomic_long_t ttp_memory_allocated;
static DEFINE_PER_CPU(int, ttp_memory_fw_alloc);
static long ttp_sysctl_mem[3];
static int ttp_sysctl_buf[3] = { 4096, 4 << 20, 4 << 20 };

/* Addresses */

int ttp_addr_check(const struct sockaddr_ttp *addr, int len)
{
	if (len < (int)sizeof(*addr))
		return -EINVAL;
	if (addr->sttp_family != AF_TTP)
		return -EAFNOSUPPORT;
	if (memchr_inv(addr->sttp_pad, 0, sizeof(addr->sttp_pad)) ||
	    addr->sttp_reserved)
		return -EINVAL;
	return 0;
}

struct ttp_link *ttp_addr_link(struct sock *sk,
			       const struct sockaddr_ttp *addr)
{
	struct ttp_net *tn = ttp_net(sock_net(sk));
	int bound = READ_ONCE(sk->sk_bound_dev_if) ?:
		    READ_ONCE(ttp_sk(sk)->ifindex);
	int ifindex = addr->sttp_ifindex ?: bound;
	struct ttp_link *link;

	if (bound && ifindex != bound)
		return ERR_PTR(-EINVAL);
	if (!ifindex)
		return ttp_link_only(tn);
	link = ttp_link_find(tn, ifindex);
	if (link)
		return link;
	return ERR_PTR(dev_get_by_index_rcu(sock_net(sk), ifindex) ?
		       -ENETUNREACH : -ENODEV);
}

static int ttp_bind_check(struct sock *sk, const struct sockaddr_ttp *addr,
			  int len)
{
	struct net *net = sock_net(sk);
	u16 port;
	int err;

	err = ttp_addr_check(addr, len);
	if (err)
		return err;
	if (!is_zero_ether_addr(addr->sttp_addr) || addr->sttp_rpc ||
	    addr->sttp_ifindex < 0)
		return -EINVAL;
	port = ntohs(addr->sttp_port);
	if (port && port < TTP_PORT_PRIVILEGED &&
	    !ns_capable(net->user_ns, CAP_NET_BIND_SERVICE))
		return -EACCES;
	return 0;
}

static int ttp_bind_dev(struct sock *sk, int *ifindex)
{
	struct net *net = sock_net(sk);
	int err = 0;

	if (sk->sk_bound_dev_if) {
		if (*ifindex && *ifindex != sk->sk_bound_dev_if)
			return -EINVAL;
		*ifindex = sk->sk_bound_dev_if;
	}
	if (!*ifindex)
		return 0;
	rcu_read_lock();
	if (!ttp_link_find(ttp_net(net), *ifindex))
		err = dev_get_by_index_rcu(net, *ifindex) ? -EADDRNOTAVAIL :
							    -ENODEV;
	rcu_read_unlock();
	return err;
}

static int ttp_bind(struct socket *sock, struct sockaddr_unsized *uaddr,
		    int len)
{
	struct sockaddr_ttp *addr = (struct sockaddr_ttp *)uaddr;
	struct sock *sk = sock->sk;
	struct ttp_sock *ts = ttp_sk(sk);
	int ifindex, err;

	err = ttp_bind_check(sk, addr, len);
	if (err)
		return err;
	ifindex = addr->sttp_ifindex;
	lock_sock(sk);
	err = READ_ONCE(ts->port) ? -EINVAL : ttp_bind_dev(sk, &ifindex);
	if (!err)
		err = ttp_sock_bind_port(sk, ntohs(addr->sttp_port), ifindex);
	if (!err)
		WRITE_ONCE(ts->listen, true);
	release_sock(sk);
	return err;
}

static void ttp_set_remote(struct ttp_sock *ts,
			   const struct sockaddr_ttp *remote)
{
	spin_lock_bh(&ts->lock);
	ts->connected = remote;
	if (remote)
		ts->remote = *remote;
	spin_unlock_bh(&ts->lock);
}

static int ttp_connect_route(struct sock *sk, struct sockaddr_ttp *remote)
{
	struct ttp_link *link;
	int err;

	rcu_read_lock();
	link = ttp_addr_link(sk, remote);
	err = PTR_ERR_OR_ZERO(link) ?: ttp_link_up(link);
	if (!err)
		remote->sttp_ifindex = link->ifindex;
	rcu_read_unlock();
	return err;
}

static int ttp_connect(struct socket *sock, struct sockaddr_unsized *uaddr,
		       int len, int flags)
{
	struct sockaddr_ttp *addr = (struct sockaddr_ttp *)uaddr;
	struct sock *sk = sock->sk;
	struct sockaddr_ttp remote;
	int err;

	if (len < (int)sizeof(addr->sttp_family))
		return -EINVAL;
	if (addr->sttp_family == AF_UNSPEC) {
		lock_sock(sk);
		ttp_set_remote(ttp_sk(sk), NULL);
		sock->state = SS_UNCONNECTED;
		release_sock(sk);
		return 0;
	}
	err = ttp_addr_check(addr, len);
	if (err)
		return err;
	if (addr->sttp_rpc || !addr->sttp_port || addr->sttp_ifindex < 0 ||
	    !is_valid_ether_addr(addr->sttp_addr))
		return -EINVAL;
	remote = *addr;
	lock_sock(sk);
	err = ttp_connect_route(sk, &remote) ?: ttp_sock_auto_bind(sk);
	if (!err) {
		ttp_set_remote(ttp_sk(sk), &remote);
		sock->state = SS_CONNECTED;
	}
	release_sock(sk);
	return err;
}

static int ttp_getname(struct socket *sock, struct sockaddr *uaddr, int peer)
{
	struct sockaddr_ttp *addr = (struct sockaddr_ttp *)uaddr;
	struct ttp_sock *ts = ttp_sk(sock->sk);
	int err = 0;

	memset(addr, 0, sizeof(*addr));
	addr->sttp_family = AF_TTP;
	if (!peer) {
		addr->sttp_port = htons(READ_ONCE(ts->port));
		addr->sttp_ifindex = READ_ONCE(ts->ifindex);
		return sizeof(*addr);
	}
	spin_lock_bh(&ts->lock);
	if (ts->connected)
		*addr = ts->remote;
	else
		err = -ENOTCONN;
	spin_unlock_bh(&ts->lock);
	return err ?: sizeof(*addr);
}

/* State */

static __poll_t ttp_poll(struct file *file, struct socket *sock,
			 poll_table *wait)
{
	struct sock *sk = sock->sk;
	__poll_t mask = 0;
	u8 shutdown;

	sock_poll_wait(file, sock, wait);
	shutdown = READ_ONCE(sk->sk_shutdown);
	if (!skb_queue_empty_lockless(&sk->sk_error_queue))
		mask |= EPOLLERR;
	if (ttp_sock_readable(sk) || READ_ONCE(sk->sk_err) ||
	    shutdown & RCV_SHUTDOWN)
		mask |= EPOLLIN | EPOLLRDNORM;
	if (shutdown & RCV_SHUTDOWN)
		mask |= EPOLLRDHUP;
	if (shutdown == SHUTDOWN_MASK)
		mask |= EPOLLHUP;
	if (ttp_sock_writeable(sk))
		mask |= EPOLLOUT | EPOLLWRNORM | EPOLLWRBAND;
	return mask;
}

/* What is queued; io_uring calls it as it is */
static int ttp_queued(struct sock *sk, int cmd, int *bytes)
{
	struct ttp_sock *ts = ttp_sk(sk);

	switch (cmd) {
	case SIOCINQ:
		*bytes = ttp_sock_inq(sk);
		return 0;
	case SIOCOUTQ:
		spin_lock_bh(&ts->lock);
		*bytes = min_t(u64, ts->snd_bytes, INT_MAX);
		spin_unlock_bh(&ts->lock);
		return 0;
	default:
		return -ENOIOCTLCMD;
	}
}

static int ttp_ioctl(struct socket *sock, unsigned int cmd, unsigned long arg)
{
	int bytes;
	int err;

	err = ttp_queued(sock->sk, cmd, &bytes);
	return err ?: put_user(bytes, (int __user *)arg);
}

static int ttp_shutdown(struct socket *sock, int how)
{
	struct sock *sk = sock->sk;

	if (how < SHUT_RD || how > SHUT_RDWR)
		return -EINVAL;
	lock_sock(sk);
	WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | (how + 1));
	release_sock(sk);
	/* Wakes every sleeper, reader or writer */
	sk->sk_state_change(sk);
	if ((how + 1) & SEND_SHUTDOWN)
		ttp_draft_discard(sk);
	return 0;
}

/* Beginning and end */

static int ttp_release(struct socket *sock)
{
	struct sock *sk = sock->sk;

	if (!sk)
		return 0;
	lock_sock(sk);
	WRITE_ONCE(ttp_sk(sk)->listen, false);
	WRITE_ONCE(ttp_sk(sk)->released, true);
	smp_wmb();	/* pairs with ttp_input_no_reader() */
	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	release_sock(sk);

	ttp_sock_free_port(sk);
	ttp_sock_unlist(sk);
	ttp_end_socket(sk);
	ttp_draft_discard(sk);
	cancel_work_sync(&ttp_sk(sk)->offer);

	sock_orphan(sk);
	sock->sk = NULL;
	sock_prot_inuse_add(sock_net(sk), sk->sk_prot, -1);
	sock_put(sk);
	return 0;
}

/* As if shut down, but nothing goes on; all who ask for it mean ECONNABORTED */
static int ttp_abort(struct sock *sk, int err)
{
	lock_sock(sk);
	/* Before senders are woken; after failures are ready for receivers */
	WRITE_ONCE(sk->sk_shutdown, sk->sk_shutdown | SEND_SHUTDOWN);
	ttp_end_abort(sk);
	WRITE_ONCE(sk->sk_shutdown, SHUTDOWN_MASK);
	release_sock(sk);
	sk->sk_state_change(sk);
	ttp_draft_discard(sk);
	return 0;
}

static void ttp_destruct(struct sock *sk)
{
	skb_queue_purge(&sk->sk_error_queue);
	sk_mem_reclaim_final(sk);
}

static const struct proto_ops ttp_ops = {
	.family		= PF_TTP,
	.owner		= THIS_MODULE,
	.release	= ttp_release,
	.bind		= ttp_bind,
	.connect	= ttp_connect,
	.socketpair	= sock_no_socketpair,
	.accept		= sock_no_accept,
	.getname	= ttp_getname,
	.poll		= ttp_poll,
	.ioctl		= ttp_ioctl,
	.gettstamp	= sock_gettstamp,
	.listen		= sock_no_listen,
	.shutdown	= ttp_shutdown,
	.setsockopt	= ttp_setsockopt,
	.getsockopt	= ttp_getsockopt,
	.sendmsg	= ttp_sendmsg,
	.recvmsg	= ttp_recvmsg,
	.mmap		= sock_no_mmap,
	.splice_eof	= ttp_splice_eof,
};

struct proto ttp_prot = {
	.name			= "TTP",
	.owner			= THIS_MODULE,
	.obj_size		= sizeof(struct ttp_sock),
	TTP_PROTO_IOCTL(ttp_queued)
	.diag_destroy		= ttp_abort,
	.memory_allocated	= &ttp_memory_allocated,
	.per_cpu_fw_alloc	= &ttp_memory_fw_alloc,
	.sysctl_mem		= ttp_sysctl_mem,
	.sysctl_rmem		= ttp_sysctl_buf,
	.sysctl_wmem		= ttp_sysctl_buf,
};

void __init ttp_mem_init(void)
{
	unsigned long limit = nr_free_buffer_pages() / 8;

	/* As UDP: a limit for all namespaces that nobody should meet */
	limit = max(limit, 128UL);
	ttp_sysctl_mem[0] = limit / 4 * 3;
	ttp_sysctl_mem[1] = limit;
	ttp_sysctl_mem[2] = ttp_sysctl_mem[0] * 2;
}

/* Room became free in the receive buffer, and nobody receives just now */
static void ttp_offer(struct work_struct *work)
{
	struct ttp_sock *ts = container_of(work, struct ttp_sock, offer);
	struct sk_buff_head out;

	__skb_queue_head_init(&out);
	local_bh_disable();
	rcu_read_lock();
	ttp_grant_waiting(&ts->sk, &out);
	ttp_output_flush(&out);
	rcu_read_unlock();
	local_bh_enable();
}

static int ttp_create(struct net *net, struct socket *sock, int protocol,
		      int kern)
{
	struct ttp_net *tn = ttp_net(net);
	struct sock *sk;

	if (sock->type != SOCK_DGRAM)
		return -ESOCKTNOSUPPORT;
	if (protocol)
		return -EPROTONOSUPPORT;
	sk = sk_alloc(net, PF_TTP, GFP_KERNEL, &ttp_prot, kern);
	if (!sk)
		return -ENOBUFS;
	sock->ops = &ttp_ops;
	sock_init_data(sock, sk);
	set_bit(SOCK_SUPPORT_ZC, &sock->flags);		/* io_uring may */
	set_bit(SOCK_CUSTOM_SOCKOPT, &sock->flags);	/* for SO_ZEROCOPY */
	sock_set_flag(sk, SOCK_RCU_FREE);
	sk->sk_destruct = ttp_destruct;
	sk->sk_rcvbuf = READ_ONCE(tn->params.rcvbuf);
	sk->sk_sndbuf = READ_ONCE(tn->params.sndbuf);
	ttp_sock_init(sk);
	INIT_WORK(&ttp_sk(sk)->offer, ttp_offer);

	if (ttp_sock_list(sk)) {
		sock_orphan(sk);
		sock->sk = NULL;
		sock_put(sk);
		return -ENOBUFS;
	}
	sock_prot_inuse_add(net, sk->sk_prot, 1);
	return 0;
}

const struct net_proto_family ttp_family = {
	.family	= PF_TTP,
	.create	= ttp_create,
	.owner	= THIS_MODULE,
};
