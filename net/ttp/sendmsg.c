// SPDX-License-Identifier: GPL-2.0
/*
 * Sending: from the program's bytes to an RPC.
 */
#include <linux/etherdevice.h>

#include "af_ttp.h"
#include "pacer.h"
#include "timer.h"

/* MSG_BATCH is how the kernel says "sendmmsg, and not the last one" */
#define TTP_SEND_FLAGS \
	(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_CONFIRM | MSG_EOR | MSG_BATCH | \
	 MSG_CMSG_COMPAT)
#define TTP_SEND_ALL_F \
	(TTP_F_ONEWAY | TTP_F_IDEMPOTENT | TTP_F_NOTIFY)

/**
 * struct ttp_sending - a send call
 * @sk: socket
 * @flags: of the call
 * @len: bytes
 * @addr: destination, with the device resolved
 * @link: that device, with a reference
 * @has_send: a struct ttp_send was given
 * @send: the same, else zeros
 */
struct ttp_sending {
	struct sock		*sk;
	int			flags;
	u32			len;
	struct sockaddr_ttp	addr;
	struct ttp_link		*link;
	bool			has_send;
	struct ttp_send		send;
};

/* Control messages */

static int ttp_sendmsg_cmsg(struct ttp_sending *s, struct cmsghdr *cmsg)
{
	if (cmsg->cmsg_type != TTP_SEND || s->has_send ||
	    cmsg->cmsg_len != CMSG_LEN(sizeof(s->send)))
		return -EINVAL;
	memcpy(&s->send, CMSG_DATA(cmsg), sizeof(s->send));
	s->has_send = true;
	if (s->send.flags & ~TTP_SEND_ALL_F)
		return -EINVAL;
	if (s->send.flags & TTP_F_NOTIFY &&
	    (!(s->send.flags & TTP_F_ONEWAY) ||
	     !READ_ONCE(ttp_sk(s->sk)->recvinfo)))
		return -EINVAL;
	return 0;
}

static int ttp_sendmsg_cmsgs(struct ttp_sending *s, struct msghdr *msg)
{
	struct sockcm_cookie unused = {};
	struct cmsghdr *cmsg;
	int err;

	if (!msg->msg_controllen)
		return 0;
	for_each_cmsghdr(cmsg, msg) {
		if (!CMSG_OK(msg, cmsg))
			return -EINVAL;
		if (cmsg->cmsg_level != SOL_TTP)
			continue;
		err = ttp_sendmsg_cmsg(s, cmsg);
		if (err)
			return err;
	}
	/* Those of SOL_SOCKET are checked; the rest is ignored, as by UDP */
	return sock_cmsg_send(s->sk, msg, &unused);
}

/* Destination */

static bool ttp_sendmsg_same(const struct sockaddr_ttp *a,
			     const struct sockaddr_ttp *b)
{
	return a->sttp_port == b->sttp_port &&
	       (!a->sttp_ifindex || a->sttp_ifindex == b->sttp_ifindex) &&
	       ether_addr_equal_unaligned(a->sttp_addr, b->sttp_addr);
}

static int ttp_sendmsg_addr(struct ttp_sending *s, struct msghdr *msg)
{
	DECLARE_SOCKADDR(struct sockaddr_ttp *, name, msg->msg_name);
	struct ttp_sock *ts = ttp_sk(s->sk);
	struct sockaddr_ttp remote;
	bool connected;
	int err;

	spin_lock_bh(&ts->lock);
	connected = ts->connected;
	remote = ts->remote;
	spin_unlock_bh(&ts->lock);

	if (!name) {
		if (!connected)
			return -EDESTADDRREQ;
		s->addr = remote;
		return 0;
	}
	err = ttp_addr_check(name, msg->msg_namelen);
	if (err)
		return err;
	s->addr = *name;
	if (!name->sttp_port || name->sttp_ifindex < 0 ||
	    !is_valid_ether_addr(name->sttp_addr))
		return -EINVAL;
	if (!connected || name->sttp_rpc)
		return 0;
	if (!ttp_sendmsg_same(name, &remote))
		return -EISCONN;
	s->addr = remote;	/* with the device that connect() found */
	return 0;
}

static int ttp_sendmsg_route(struct ttp_sending *s)
{
	struct ttp_link *link;
	int err;

	rcu_read_lock();
	link = ttp_addr_link(s->sk, &s->addr);
	err = PTR_ERR_OR_ZERO(link);
	if (!err)
		err = ttp_link_up(link);
	if (!err && !refcount_inc_not_zero(&link->refcnt))
		err = -ENETUNREACH;
	if (!err) {
		s->link = link;
		s->addr.sttp_ifindex = link->ifindex;
	}
	rcu_read_unlock();
	return err;
}

/* The bytes */

static void ttp_sendmsg_discard(struct sock *sk, struct ttp_msgout *out)
{
	u32 truesize = ttp_msgout_truesize(out->len);

	ttp_msgout_free(out);
	ttp_sock_uncharge_snd(sk, TTP_RPC_COST + truesize);
	ttp_net_uncharge(ttp_net(sock_net(sk)), TTP_MEM_OUT, truesize);
}

/* The program's wish, if it has one */
static void ttp_sendmsg_level(const struct ttp_sending *s,
			      struct ttp_msgout *out)
{
	int priority = READ_ONCE(ttp_sk(s->sk)->priority);
	u8 levels = READ_ONCE(s->link->config.levels);

	out->fixed = priority >= 0;
	if (out->fixed)
		out->level = min_t(u8, priority, levels - 1);
}

static int ttp_sendmsg_copy(struct ttp_sending *s, struct msghdr *msg,
			    struct ttp_msgout *out)
{
	long timeo = sock_sndtimeo(s->sk, s->flags & MSG_DONTWAIT);
	struct ttp_net *tn = ttp_net(sock_net(s->sk));
	u32 truesize = ttp_msgout_truesize(s->len);
	int err;

	err = ttp_sock_charge_snd(s->sk, TTP_RPC_COST + truesize, timeo);
	if (err)
		return err;
	if (!ttp_net_charge(tn, TTP_MEM_OUT, truesize)) {
		ttp_sock_uncharge_snd(s->sk, TTP_RPC_COST + truesize);
		return -ENOBUFS;
	}
	err = ttp_msgout_copy(out, &msg->msg_iter, s->len);
	if (err) {
		ttp_sock_uncharge_snd(s->sk, TTP_RPC_COST + truesize);
		ttp_net_uncharge(tn, TTP_MEM_OUT, truesize);
		return err == -ENOMEM ? -ENOBUFS : err;
	}
	ttp_sendmsg_level(s, out);
	return 0;
}

/* A new RPC */

static struct ttp_rpc *ttp_sendmsg_begin(struct ttp_sending *s,
					 struct ttp_msgout *out)
{
	struct ttp_rpc_wish wish = {
		.pport = ntohs(s->addr.sttp_port),
		.flags = s->send.flags,
		.timeout_ms = s->send.timeout_ms,
		.cookie = s->send.cookie,
	};
	unsigned int tries = 4;
	struct ttp_peer *peer;
	struct ttp_rpc *rpc;

	/* The peer may be forgotten just now: then it is met again */
	for (;;) {
		rcu_read_lock();
		peer = ttp_peer_create(s->link, s->addr.sttp_addr, GFP_ATOMIC);
		rcu_read_unlock();
		if (IS_ERR(peer))
			return PTR_ERR(peer) == -ENOMEM ? ERR_PTR(-ENOBUFS) :
							  ERR_CAST(peer);
		rpc = ttp_rpc_client(s->sk, peer, &wish, out);
		ttp_peer_put(peer);
		if (rpc != ERR_PTR(-ENETUNREACH) || !--tries)
			return rpc;
		cond_resched();
	}
}

static int ttp_sendmsg_request(struct ttp_sending *s, struct msghdr *msg)
{
	struct sk_buff_head queue;
	struct ttp_msgout out;
	struct ttp_rpc *rpc;
	int err;

	if (s->len > READ_ONCE(s->link->tn->params.max_message))
		return -EMSGSIZE;
	err = ttp_sock_auto_bind(s->sk);
	if (err)
		return err;
	err = ttp_sendmsg_copy(s, msg, &out);
	if (err)
		return err;

	rpc = ttp_sendmsg_begin(s, &out);
	if (IS_ERR(rpc)) {
		ttp_sendmsg_discard(s->sk, &out);
		return PTR_ERR(rpc);
	}
	__skb_queue_head_init(&queue);
	rcu_read_lock();
	ttp_pacer_push(rpc, TTP_OUTPUT_BURST, &queue);
	ttp_timer_start(rpc);
	spin_unlock(&rpc->lock);
	ttp_output_flush(&queue);
	rcu_read_unlock();
	local_bh_enable();
	ttp_rpc_put(rpc);
	return 0;
}

/* An answer */

static struct ttp_rpc *ttp_sendmsg_find(struct ttp_sending *s)
{
	struct ttp_rpc *rpc = NULL;
	struct ttp_peer *peer;

	rcu_read_lock();
	peer = ttp_peer_find(s->link, s->addr.sttp_addr);
	if (peer) {
		rpc = ttp_rpc_find(s->link->tn, peer, s->addr.sttp_rpc);
		ttp_peer_put(peer);
	}
	rcu_read_unlock();
	return rpc;
}

/* Is it an open request of this socket and this peer? */
static bool ttp_sendmsg_open(struct ttp_sending *s, struct ttp_rpc *rpc)
{
	return rpc->live && !rpc->client && !rpc->oneway && rpc->sk == s->sk &&
	       (rpc->state == TTP_RPC_SERVICE ||
		rpc->state == TTP_RPC_READY) &&
	       rpc->pport == ntohs(s->addr.sttp_port);
}

static bool ttp_sendmsg_reply(struct ttp_sending *s, struct ttp_rpc *rpc,
			      struct ttp_msgout *out)
{
	struct sk_buff_head queue;
	bool open;

	__skb_queue_head_init(&queue);
	local_bh_disable();
	rcu_read_lock();
	spin_lock(&rpc->lock);
	open = ttp_sendmsg_open(s, rpc);
	if (open) {
		ttp_rpc_sends(rpc, out);
		ttp_rpc_set_state(rpc, TTP_RPC_REPLYING);
		rpc->heard_ns = ktime_get_ns();
		rpc->tries = 0;
		ttp_pacer_push(rpc, TTP_OUTPUT_BURST, &queue);
		ttp_timer_start(rpc);
	}
	spin_unlock(&rpc->lock);
	ttp_output_flush(&queue);
	rcu_read_unlock();
	local_bh_enable();
	return open;
}

static int ttp_sendmsg_answer(struct ttp_sending *s, struct msghdr *msg)
{
	struct ttp_msgout out;
	struct ttp_rpc *rpc;
	bool open;
	int err;

	if (s->has_send && (s->send.flags || s->send.cookie ||
			    s->send.timeout_ms))
		return -EINVAL;
	rpc = ttp_sendmsg_find(s);
	if (!rpc)
		return -ECONNRESET;
	spin_lock_bh(&rpc->lock);
	open = ttp_sendmsg_open(s, rpc);
	spin_unlock_bh(&rpc->lock);
	err = -ECONNRESET;
	if (!open)
		goto out;
	err = -EMSGSIZE;
	if (s->len > rpc->limit ||
	    s->len > READ_ONCE(s->link->tn->params.max_message))
		goto out;
	err = ttp_sendmsg_copy(s, msg, &out);
	if (err)
		goto out;
	if (!ttp_sendmsg_reply(s, rpc, &out)) {
		ttp_sendmsg_discard(s->sk, &out);
		err = -ECONNRESET;
	}
out:
	ttp_rpc_put(rpc);
	return err;
}

int ttp_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct ttp_sending s = { .sk = sock->sk, .flags = msg->msg_flags };
	int err;

	if (s.flags & ~TTP_SEND_FLAGS)
		return -EINVAL;
	if (READ_ONCE(sock->sk->sk_shutdown) & SEND_SHUTDOWN)
		return -EPIPE;
	if (len > TTP_WIRE_MAX_MESSAGE)
		return -EMSGSIZE;
	s.len = len;
	err = ttp_sendmsg_cmsgs(&s, msg) ?: ttp_sendmsg_addr(&s, msg) ?:
	      ttp_sendmsg_route(&s);
	if (err)
		return err;
	err = s.addr.sttp_rpc ? ttp_sendmsg_answer(&s, msg) :
				ttp_sendmsg_request(&s, msg);
	ttp_link_put(s.link);
	return err ?: len;
}
