// SPDX-License-Identifier: GPL-2.0
/*
 * Sending: from the program's bytes to an RPC.
 */
#include <linux/etherdevice.h>
#include <linux/slab.h>

#include "af_ttp.h"
#include "draft.h"
#include "pacer.h"
#include "timer.h"

/*
 * MSG_BATCH is how the kernel says "sendmmsg, and not the last one",
 * MSG_SPLICE_PAGES that the bytes are in pages to be taken as they are.
 */
#define TTP_SEND_FLAGS \
	(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_CONFIRM | MSG_EOR | MSG_MORE | \
	 MSG_ZEROCOPY | MSG_BATCH | MSG_SPLICE_PAGES | MSG_CMSG_COMPAT)
#define TTP_SEND_ALL_F \
	(TTP_F_ONEWAY | TTP_F_IDEMPOTENT | TTP_F_NOTIFY)

/**
 * struct ttp_sending - a send call
 * @sk: socket
 * @msg: what the program has said
 * @len: bytes
 * @more: the message goes on in another call
 * @zerocopy: it wants to know when its pages are its own again
 * @draft: the message, with what earlier calls have added
 * @addr: destination, with the device resolved
 * @link: that device, with a reference
 * @rpc: the one to be answered, with a reference
 * @has_send: a struct ttp_send was given
 * @send: the same, else zeros
 * @sockc: what control messages of the socket layer say
 */
struct ttp_sending {
	struct sock		*sk;
	struct msghdr		*msg;
	u32			len;
	bool			more;
	bool			zerocopy;
	struct ttp_draft	*draft;
	struct sockaddr_ttp	addr;
	struct ttp_link		*link;
	struct ttp_rpc		*rpc;
	bool			has_send;
	struct ttp_send		send;
	struct sockcm_cookie	sockc;
};

/* Is it not the first part of its message? */
static bool ttp_sendmsg_continues(const struct ttp_sending *s)
{
	return s->draft->charged;
}

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

static int ttp_sendmsg_cmsgs(struct ttp_sending *s)
{
	struct msghdr *msg = s->msg;
	struct cmsghdr *cmsg;
	int err;

	sockcm_init(&s->sockc, s->sk);
	s->sockc.mark = READ_ONCE(s->sk->sk_mark);
	if (!msg->msg_controllen)
		return 0;
	for_each_cmsghdr(cmsg, msg) {
		if (!CMSG_OK(msg, cmsg))
			return -EINVAL;
		if (cmsg->cmsg_level != SOL_TTP)
			continue;
		err = ttp_sendmsg_continues(s) ? -EINVAL :
						 ttp_sendmsg_cmsg(s, cmsg);
		if (err)
			return err;
	}
	/* Levels besides SOL_SOCKET are ignored, as by UDP */
	return sock_cmsg_send(s->sk, msg, &s->sockc);
}

/* Destination */

static bool ttp_sendmsg_same(const struct sockaddr_ttp *a,
			     const struct sockaddr_ttp *b)
{
	return a->sttp_port == b->sttp_port &&
	       (!a->sttp_ifindex || a->sttp_ifindex == b->sttp_ifindex) &&
	       ether_addr_equal_unaligned(a->sttp_addr, b->sttp_addr);
}

/* A part of a message goes where the others went */
static int ttp_sendmsg_addr_again(struct ttp_sending *s)
{
	DECLARE_SOCKADDR(struct sockaddr_ttp *, name, s->msg->msg_name);
	int err;

	s->addr = s->draft->addr;
	if (!name)
		return 0;
	err = ttp_addr_check(name, s->msg->msg_namelen);
	if (err)
		return err;
	return ttp_sendmsg_same(name, &s->addr) &&
	       name->sttp_rpc == s->addr.sttp_rpc ? 0 : -EINVAL;
}

static int ttp_sendmsg_addr(struct ttp_sending *s)
{
	DECLARE_SOCKADDR(struct sockaddr_ttp *, name, s->msg->msg_name);
	struct ttp_sock *ts = ttp_sk(s->sk);
	struct sockaddr_ttp remote;
	bool connected;
	int err;

	if (ttp_sendmsg_continues(s))
		return ttp_sendmsg_addr_again(s);

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
	err = ttp_addr_check(name, s->msg->msg_namelen);
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

/* The program's wishes, if it has some */
static void ttp_sendmsg_wishes(const struct ttp_sending *s)
{
	int priority = READ_ONCE(ttp_sk(s->sk)->priority);
	u8 levels = READ_ONCE(s->link->config.levels);
	struct ttp_msgout *out = &s->draft->out;

	out->mark = s->sockc.mark;
	out->priority = ttp_sockc_priority(s->sk, &s->sockc);
	_sock_tx_timestamp(s->sk, &s->sockc, &out->tx_flags, &out->tskey);
	out->stamp_ack = s->sockc.tsflags & SOF_TIMESTAMPING_TX_ACK;
	out->fixed = priority >= 0;
	if (out->fixed)
		out->level = min_t(u8, priority, levels - 1);
}

static bool ttp_sendmsg_zerocopy(const struct ttp_sending *s)
{
	return s->msg->msg_flags & MSG_ZEROCOPY && s->len &&
	       (s->msg->msg_ubuf || sock_flag(s->sk, SOCK_ZEROCOPY));
}

static bool ttp_sendmsg_sg(const struct ttp_sending *s)
{
	const struct net_device *dev;
	bool sg;

	rcu_read_lock();
	dev = rcu_dereference(s->link->dev);
	sg = dev && dev->features & NETIF_F_SG;
	rcu_read_unlock();
	return sg;
}

/* Pages of which little is used would take the memory of all of them */
static bool ttp_sendmsg_sparse(const struct ttp_sending *s)
{
	return ttp_msgout_growth(&s->draft->out, &s->msg->msg_iter, s->len,
				 true) / 4 > s->len;
}

/*
 * Taking pages costs more than copying the bytes of a short message.  Of a message
 * in parts only one can be waited for, the first that asks for it.
 */
static enum ttp_draft_how ttp_sendmsg_how(const struct ttp_sending *s)
{
	bool pin;

	if (!ttp_sendmsg_continues(s) && !s->more && s->len <= TTP_MSG_SMALL)
		return TTP_DRAFT_SMALL;
	if (s->zerocopy)
		pin = !s->draft->out.uarg && ttp_sendmsg_sg(s);
	else
		pin = s->len && s->msg->msg_flags & MSG_SPLICE_PAGES;
	return pin && !ttp_sendmsg_sparse(s) ? TTP_DRAFT_PIN : TTP_DRAFT_COPY;
}

static int ttp_sendmsg_add(struct ttp_sending *s, enum ttp_draft_how how)
{
	struct msghdr *msg = s->msg;
	int err;

	err = ttp_draft_add(s->sk, s->draft, &msg->msg_iter, s->len, how,
			    sock_sndtimeo(s->sk, msg->msg_flags & MSG_DONTWAIT));
	if (err)
		return err;
	if (s->len && msg->msg_flags & MSG_SPLICE_PAGES &&
	    how == TTP_DRAFT_PIN)
		s->draft->out.shared = true;
	return 0;
}

/*
 * Zero copy: ids count the calls that succeed, so that from here on nothing may be
 * numbered between them until it is known whether this one does.
 */
static int ttp_sendmsg_number(struct ttp_sending *s, enum ttp_draft_how how,
			      struct ubuf_info **uarg)
{
	*uarg = s->msg->msg_ubuf;
	if (*uarg) {
		if (how == TTP_DRAFT_PIN)
			net_zcopy_get(*uarg);
		else
			*uarg = NULL;	/* it will not be waited for */
	} else {
		*uarg = msg_zerocopy_realloc(s->sk, s->len, NULL, false);
		if (!*uarg)
			return -ENOBUFS;
		if (how != TTP_DRAFT_PIN)
			uarg_to_msgzc(*uarg)->zerocopy = 0;
	}
	if (how == TTP_DRAFT_PIN)
		s->draft->out.uarg = *uarg;
	return 0;
}

static void ttp_sendmsg_unnumber(struct ttp_sending *s, struct ubuf_info *uarg)
{
	if (s->draft->out.uarg == uarg)
		s->draft->out.uarg = NULL;
	if (!s->msg->msg_ubuf)
		net_zcopy_put_abort(uarg, true);
	else if (uarg)
		net_zcopy_put(uarg);
}

/* A new RPC */

static struct ttp_rpc *ttp_sendmsg_begin(struct ttp_sending *s)
{
	const struct ttp_send *send = &s->draft->send;
	struct ttp_rpc_wish wish = {
		.pport = ntohs(s->addr.sttp_port),
		.flags = send->flags,
		.timeout_ms = send->timeout_ms,
		.cookie = send->cookie,
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
		rpc = ttp_rpc_client(s->sk, peer, &wish, &s->draft->out);
		ttp_peer_put(peer);
		if (rpc != ERR_PTR(-ENETUNREACH) || !--tries)
			return rpc;
		cond_resched();
	}
}

static int ttp_sendmsg_request(struct ttp_sending *s)
{
	struct sk_buff_head queue;
	struct ttp_rpc *rpc;

	rpc = ttp_sendmsg_begin(s);
	if (IS_ERR(rpc))
		return PTR_ERR(rpc);
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

/**
 * ttp_sendmsg_limit() - how long may the message be?
 * @s: the call
 *
 * Return: bytes; -ECONNRESET for an answer that nobody waits for.
 */
static s64 ttp_sendmsg_limit(struct ttp_sending *s)
{
	s64 limit = READ_ONCE(s->link->tn->params.max_message);

	if (!s->addr.sttp_rpc)
		return limit;
	s->rpc = ttp_sendmsg_find(s);
	if (!s->rpc)
		return -ECONNRESET;
	spin_lock_bh(&s->rpc->lock);
	limit = ttp_sendmsg_open(s, s->rpc) ? min_t(s64, limit, s->rpc->limit) :
					      -ECONNRESET;
	spin_unlock_bh(&s->rpc->lock);
	return limit;
}

static int ttp_sendmsg_answer(struct ttp_sending *s)
{
	struct ttp_rpc *rpc = s->rpc;
	struct sk_buff_head queue;
	bool open;

	__skb_queue_head_init(&queue);
	local_bh_disable();
	rcu_read_lock();
	spin_lock(&rpc->lock);
	open = ttp_sendmsg_open(s, rpc);
	if (open) {
		ttp_rpc_sends(rpc, &s->draft->out);
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
	return open ? 0 : -ECONNRESET;
}

/* The call */

static int ttp_sendmsg_check(struct ttp_sending *s)
{
	s64 limit;
	int err;

	err = ttp_sendmsg_cmsgs(s) ?: ttp_sendmsg_addr(s) ?:
	      ttp_sendmsg_route(s);
	if (err)
		return err;
	if (s->addr.sttp_rpc &&
	    (s->send.flags || s->send.cookie || s->send.timeout_ms))
		return -EINVAL;
	limit = ttp_sendmsg_limit(s);
	if (limit < 0)
		return limit;
	if ((u64)s->draft->out.len + s->len > limit)
		return -EMSGSIZE;
	return s->addr.sttp_rpc ? 0 : ttp_sock_auto_bind(s->sk);
}

static int ttp_sendmsg_finish(struct ttp_sending *s)
{
	struct ttp_sock *ts = ttp_sk(s->sk);

	if (s->more)
		return 0;
	if (s->draft == READ_ONCE(ts->draft))
		WRITE_ONCE(ts->drafted, 0);
	return s->addr.sttp_rpc ? ttp_sendmsg_answer(s) :
				  ttp_sendmsg_request(s);
}

static int ttp_sendmsg_finish_numbered(struct ttp_sending *s,
				       enum ttp_draft_how how)
{
	struct ubuf_info *uarg;
	int err;

	lock_sock(s->sk);
	err = ttp_sendmsg_number(s, how, &uarg);
	if (!err) {
		err = ttp_sendmsg_finish(s);
		if (err)
			ttp_sendmsg_unnumber(s, uarg);
		else if (uarg && how != TTP_DRAFT_PIN)
			net_zcopy_put(uarg);
	}
	release_sock(s->sk);
	return err;
}

/**
 * ttp_sendmsg_part() - add what the call brings to its message, and send that
 * @s: the call; unless it says that more follows, its message is gone on success
 *
 * Return: 0 or a negative errno; then the message is as it was.
 */
static int ttp_sendmsg_part(struct ttp_sending *s)
{
	struct ttp_draft before = *s->draft;
	enum ttp_draft_how how;
	int err;

	err = ttp_sendmsg_check(s);
	if (err)
		goto out;
	s->zerocopy = ttp_sendmsg_zerocopy(s);
	how = ttp_sendmsg_how(s);
	err = ttp_sendmsg_add(s, how);
	if (err)
		goto out;
	if (!before.charged) {
		s->draft->addr = s->addr;
		s->draft->send = s->send;
		ttp_sendmsg_wishes(s);
	}
	if (s->zerocopy)
		err = ttp_sendmsg_finish_numbered(s, how);
	else
		err = ttp_sendmsg_finish(s);
	if (err)
		ttp_draft_cut(s->sk, s->draft, &before);
out:
	if (s->rpc)
		ttp_rpc_put(s->rpc);
	if (s->link)
		ttp_link_put(s->link);
	return err;
}

static int ttp_sendmsg_whole(struct ttp_sending *s)
{
	struct ttp_draft draft = {};

	s->draft = &draft;
	return ttp_sendmsg_part(s);
}

/* Parts of a message */

/* Is a message lost that could not go on for this reason? */
static bool ttp_sendmsg_fatal(int err)
{
	return err == -ECONNRESET || err == -ENETUNREACH || err == -ENODEV;
}

static int ttp_sendmsg_draft(struct ttp_sending *s)
{
	struct ttp_sock *ts = ttp_sk(s->sk);
	int err;

	lockdep_assert_held(&ts->draft_lock);

	if (READ_ONCE(s->sk->sk_shutdown) & SEND_SHUTDOWN)
		return -EPIPE;
	if (!ts->draft) {
		struct ttp_draft *draft;

		draft = kzalloc_obj(*draft, GFP_KERNEL_ACCOUNT);
		if (!draft)
			return -ENOBUFS;
		WRITE_ONCE(ts->draft, draft);
	}
	s->draft = ts->draft;
	err = ttp_sendmsg_part(s);
	if (ttp_sendmsg_fatal(err))
		ttp_draft_drop(s->sk, s->draft);
	if (!err && !s->more)
		s->draft->charged = 0;		/* it is the RPC's */
	WRITE_ONCE(ts->drafted, s->draft->charged);
	if (!s->draft->charged) {
		WRITE_ONCE(ts->draft, NULL);
		kfree(s->draft);
	} else if (!err) {
		/* Whoever polls for room has it, if there is nothing else */
		s->sk->sk_write_space(s->sk);
	}
	return err;
}

static int ttp_sendmsg_in_parts(struct ttp_sending *s)
{
	struct ttp_sock *ts = ttp_sk(s->sk);
	bool whole;
	int err;

	if (s->msg->msg_flags & MSG_DONTWAIT)
		err = mutex_trylock(&ts->draft_lock) ? 0 : -EAGAIN;
	else if (mutex_lock_interruptible(&ts->draft_lock))
		err = sock_intr_errno(sock_sndtimeo(s->sk, 0));
	else
		err = 0;
	if (err)
		return err;
	whole = !s->more && !ts->draft;	/* another thread has sent it just now */
	if (!whole)
		err = ttp_sendmsg_draft(s);
	mutex_unlock(&ts->draft_lock);
	return whole ? ttp_sendmsg_whole(s) : err;
}

int ttp_sendmsg(struct socket *sock, struct msghdr *msg, size_t len)
{
	struct sock *sk = sock->sk;
	int flags = ttp_msg_flags(msg);
	struct ttp_sending s = {
		.sk = sk,
		.msg = msg,
		.more = flags & MSG_MORE,
	};
	int err;

	if (flags & ~TTP_SEND_FLAGS)
		return -EINVAL;
	if (READ_ONCE(sk->sk_shutdown) & SEND_SHUTDOWN)
		return -EPIPE;
	if (len > TTP_WIRE_MAX_MESSAGE)
		return -EMSGSIZE;
	s.len = len;
	if (s.more || READ_ONCE(ttp_sk(sk)->draft))
		err = ttp_sendmsg_in_parts(&s);
	else
		err = ttp_sendmsg_whole(&s);
	return err ?: len;
}

void ttp_splice_eof(struct socket *sock)
{
	struct msghdr msg = { .msg_flags = MSG_NOSIGNAL };

	/* The file was shorter than sendfile() was told: that was the last part */
	if (!READ_ONCE(ttp_sk(sock->sk)->draft))
		return;
	/* If this fails, the message stays, and the program may complete it */
	iov_iter_kvec(&msg.msg_iter, ITER_SOURCE, NULL, 0, 0);
	ttp_sendmsg(sock, &msg, 0);
}
