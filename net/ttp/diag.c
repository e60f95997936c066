// SPDX-License-Identifier: GPL-2.0
/*
 * The module ttp_diag: sockets as sock_diag tells of them.
 *
 * It is loaded when somebody asks, and keeps ttp from being removed while it
 * is there.
 */
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sock_diag.h>
#include <net/netlink.h>
#include <uapi/linux/ttp_diag.h>

#include "net.h"
#include "sock.h"

#define TTP_DIAG_FLAGS \
	(TTP_DIAG_BOUND | TTP_DIAG_LISTENING | TTP_DIAG_CONNECTED)
#define TTP_DIAG_MATCH \
	(TTP_DIAG_MATCH_PORT | TTP_DIAG_MATCH_IFINDEX | TTP_DIAG_MATCH_UID)
#define TTP_DIAG_SHOW \
	(TTP_DIAG_SHOW_MEMINFO | TTP_DIAG_SHOW_FILTER)

/* Sockets to look at between two chances for others to run */
#define TTP_DIAG_FEW	256U

static_assert(sizeof(struct ttp_diag_req) == 40);
static_assert(sizeof(struct ttp_diag_msg) == 48);
static_assert(sizeof(struct ttp_diag_queues) == 32);

/* Room for the longest filter, and all else */
#define TTP_DIAG_LONG \
	(BPF_MAXINSNS * sizeof(struct sock_filter) + NLMSG_GOODSIZE)

/**
 * struct ttp_diag_query - a request, and who makes it
 * @net: the namespace
 * @nlh: the message
 * @req: the request in it, checked
 * @portid: of whoever asks
 * @user_ns: what uids mean to him
 * @uid: the owner that the request means, if any
 * @admin: whether he may see filters, and end sockets
 */
struct ttp_diag_query {
	struct net			*net;
	const struct nlmsghdr		*nlh;
	const struct ttp_diag_req	*req;
	u32				portid;
	struct user_namespace		*user_ns;
	kuid_t				uid;
	bool				admin;
};

/**
 * struct ttp_diag_row - a socket at one moment
 * @uid: its owner
 * @msg: what is told of it first
 * @queues: and then
 */
struct ttp_diag_row {
	kuid_t			uid;
	struct ttp_diag_msg	msg;
	struct ttp_diag_queues	queues;
};

/* The request */

static bool ttp_diag_unused(const struct ttp_diag_req *req, u32 bit, u32 field)
{
	return field && !(req->tdiag_match & bit);
}

static int ttp_diag_check(const struct nlmsghdr *nlh)
{
	const struct ttp_diag_req *req = nlmsg_data(nlh);

	if (nlmsg_len(nlh) != sizeof(*req) || req->sdiag_protocol ||
	    req->tdiag_match & ~TTP_DIAG_MATCH ||
	    req->tdiag_show & ~TTP_DIAG_SHOW ||
	    req->tdiag_mask & ~TTP_DIAG_FLAGS ||
	    req->tdiag_flags & ~req->tdiag_mask ||
	    req->tdiag_ifindex < 0 ||
	    req->tdiag_reserved[0] || req->tdiag_reserved[1])
		return -EINVAL;
	if (ttp_diag_unused(req, TTP_DIAG_MATCH_PORT,
			    (__force u16)req->tdiag_port) ||
	    ttp_diag_unused(req, TTP_DIAG_MATCH_IFINDEX, req->tdiag_ifindex) ||
	    ttp_diag_unused(req, TTP_DIAG_MATCH_UID, req->tdiag_uid))
		return -EINVAL;
	return 0;
}

static void ttp_diag_query(struct ttp_diag_query *query,
			   const struct sk_buff *skb,
			   const struct nlmsghdr *nlh)
{
	query->net = sock_net(skb->sk);
	query->nlh = nlh;
	query->req = nlmsg_data(nlh);
	query->portid = NETLINK_CB(skb).portid;
	query->user_ns = sk_user_ns(NETLINK_CB(skb).sk);
	query->uid = make_kuid(query->user_ns, query->req->tdiag_uid);
	query->admin = netlink_net_capable(skb, CAP_NET_ADMIN);
}

static bool ttp_diag_any(const struct ttp_diag_req *req)
{
	return !req->tdiag_cookie[0] && !req->tdiag_cookie[1];
}

/* The sockets */

static void ttp_diag_look_inside(struct ttp_sock *ts, struct ttp_diag_row *row)
{
	struct ttp_diag_queues *queues = &row->queues;
	struct ttp_diag_msg *msg = &row->msg;

	spin_lock_bh(&ts->lock);
	if (ts->connected) {
		msg->tdiag_flags |= TTP_DIAG_CONNECTED;
		msg->tdiag_peer_port = ts->remote.sttp_port;
		msg->tdiag_peer_ifindex = ts->remote.sttp_ifindex;
		memcpy(msg->tdiag_peer_addr, ts->remote.sttp_addr, ETH_ALEN);
	}
	queues->rpcs_out = ts->rpcs_out;
	queues->rpcs_in = ts->rpcs_in;
	queues->ready = ts->ready_count;
	queues->rcv_bytes = ts->rcv_bytes;
	queues->snd_bytes = ts->snd_bytes;
	spin_unlock_bh(&ts->lock);
}

/* Returns false if the socket was closed just now */
static bool ttp_diag_look(struct ttp_sock *ts, struct ttp_diag_row *row,
			  struct user_namespace *user_ns)
{
	struct ttp_diag_msg *msg = &row->msg;
	struct sock *sk = &ts->sk;

	memset(row, 0, sizeof(*row));
	msg->tdiag_ino = sock_i_ino(sk);
	if (!msg->tdiag_ino)
		return false;
	msg->tdiag_family = AF_TTP;
	msg->tdiag_type = sk->sk_type;
	msg->tdiag_port = htons(READ_ONCE(ts->port));
	if (msg->tdiag_port)
		msg->tdiag_flags |= TTP_DIAG_BOUND;
	if (READ_ONCE(ts->listen))
		msg->tdiag_flags |= TTP_DIAG_LISTENING;
	msg->tdiag_ifindex = READ_ONCE(ts->ifindex);
	row->uid = sock_net_uid(sock_net(sk), sk);
	msg->tdiag_uid = from_kuid_munged(user_ns, row->uid);
	sock_diag_save_cookie(sk, msg->tdiag_cookie);
	ttp_diag_look_inside(ts, row);
	return true;
}

static bool ttp_diag_matches(const struct ttp_diag_query *query,
			     const struct ttp_diag_row *row)
{
	const struct ttp_diag_req *req = query->req;
	const struct ttp_diag_msg *msg = &row->msg;

	if ((msg->tdiag_flags & req->tdiag_mask) != req->tdiag_flags)
		return false;
	if (req->tdiag_match & TTP_DIAG_MATCH_PORT &&
	    req->tdiag_port != msg->tdiag_port)
		return false;
	if (req->tdiag_match & TTP_DIAG_MATCH_IFINDEX &&
	    req->tdiag_ifindex != msg->tdiag_ifindex)
		return false;
	if (req->tdiag_match & TTP_DIAG_MATCH_UID &&
	    !(uid_valid(query->uid) && uid_eq(query->uid, row->uid)))
		return false;
	return ttp_diag_any(req) ||
	       !memcmp(req->tdiag_cookie, msg->tdiag_cookie,
		       sizeof(msg->tdiag_cookie));
}

static int ttp_diag_put(struct sk_buff *skb,
			const struct ttp_diag_query *query, struct sock *sk,
			const struct ttp_diag_row *row, int flags)
{
	u32 show = query->req->tdiag_show;
	struct nlmsghdr *nlh;

	nlh = nlmsg_put(skb, query->portid, query->nlh->nlmsg_seq,
			SOCK_DIAG_BY_FAMILY, sizeof(row->msg), flags);
	if (!nlh)
		return -EMSGSIZE;
	memcpy(nlmsg_data(nlh), &row->msg, sizeof(row->msg));
	if (nla_put_64bit(skb, TTP_DIAG_QUEUES, sizeof(row->queues),
			  &row->queues, TTP_DIAG_PAD) ||
	    nla_put_u8(skb, TTP_DIAG_SHUTDOWN, READ_ONCE(sk->sk_shutdown)) ||
	    (show & TTP_DIAG_SHOW_MEMINFO &&
	     sock_diag_put_meminfo(sk, skb, TTP_DIAG_MEMINFO)) ||
	    (show & TTP_DIAG_SHOW_FILTER &&
	     sock_diag_put_filterinfo(query->admin, sk, skb,
				      TTP_DIAG_FILTER))) {
		nlmsg_cancel(skb, nlh);
		return -EMSGSIZE;
	}
	nlmsg_end(skb, nlh);
	return 0;
}

/* All that match */

/* A few sockets; returns 0 if there are no more, 1, or -EMSGSIZE */
static int ttp_diag_dump_few(struct sk_buff *skb,
			     const struct ttp_diag_query *query,
			     unsigned long *nr)
{
	struct ttp_diag_row row;
	struct ttp_sock *ts;
	unsigned int i;
	int err = 1;

	rcu_read_lock();
	for (i = 0; i < TTP_DIAG_FEW; i++, ++*nr) {
		ts = ttp_sock_next(query->net, nr);
		if (!ts) {
			err = 0;
			break;
		}
		if (!ttp_diag_look(ts, &row, query->user_ns) ||
		    !ttp_diag_matches(query, &row))
			continue;
		if (ttp_diag_put(skb, query, &ts->sk, &row, NLM_F_MULTI)) {
			err = -EMSGSIZE;
			break;
		}
	}
	rcu_read_unlock();
	return err;
}

static int ttp_diag_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long *nr = (unsigned long *)cb->ctx;
	struct ttp_diag_query query;
	int err;

	ttp_diag_query(&query, cb->skb, cb->nlh);
	while ((err = ttp_diag_dump_few(skb, &query, nr)) > 0)
		cond_resched();
	return skb->len ?: err;
}

/* One of them */

/* Returns the socket with a reference, or NULL */
static struct sock *ttp_diag_find_few(const struct ttp_diag_query *query,
				      unsigned long *nr,
				      struct ttp_diag_row *row, bool *more)
{
	struct sock *found = NULL;
	struct ttp_sock *ts;
	unsigned int i;

	rcu_read_lock();
	for (i = 0; !found && i < TTP_DIAG_FEW; i++, ++*nr) {
		ts = ttp_sock_next(query->net, nr);
		*more = ts;
		if (!ts)
			break;
		if (ttp_diag_look(ts, row, query->user_ns) &&
		    ttp_diag_matches(query, row) &&
		    refcount_inc_not_zero(&ts->sk.sk_refcnt))
			found = &ts->sk;
	}
	rcu_read_unlock();
	return found;
}

static struct sock *ttp_diag_find(const struct ttp_diag_query *query,
				  struct ttp_diag_row *row)
{
	unsigned long nr = 0;
	struct sock *sk;
	bool more;

	if (ttp_diag_any(query->req))
		return ERR_PTR(-EINVAL);
	do {
		sk = ttp_diag_find_few(query, &nr, row, &more);
		cond_resched();
	} while (!sk && more);
	return sk ?: ERR_PTR(-ENOENT);
}

static int ttp_diag_get(const struct ttp_diag_query *query, size_t size)
{
	struct ttp_diag_row row;
	struct sk_buff *skb;
	struct sock *sk;
	int err;

	sk = ttp_diag_find(query, &row);
	if (IS_ERR(sk))
		return PTR_ERR(sk);
	skb = nlmsg_new(size, GFP_KERNEL);
	err = skb ? ttp_diag_put(skb, query, sk, &row, 0) : -ENOMEM;
	sock_put(sk);
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	return nlmsg_unicast(query->net->diag_nlsk, skb, query->portid);
}

static int ttp_diag_handle(struct sk_buff *skb, struct nlmsghdr *nlh)
{
	struct netlink_dump_control control = {
		.dump = ttp_diag_dump,
	};
	struct ttp_diag_query query;
	size_t size = NLMSG_GOODSIZE;
	int err;

	err = ttp_diag_check(nlh);
	if (err)
		return err;
	ttp_diag_query(&query, skb, nlh);
	if (query.req->tdiag_show & TTP_DIAG_SHOW_FILTER && query.admin)
		size = TTP_DIAG_LONG;
	if (!(nlh->nlmsg_flags & NLM_F_DUMP))
		return ttp_diag_get(&query, size);
	control.min_dump_alloc = size;
	return netlink_dump_start(query.net->diag_nlsk, skb, nlh, &control);
}

static int ttp_diag_destroy(struct sk_buff *skb, struct nlmsghdr *nlh)
{
	struct ttp_diag_query query;
	struct ttp_diag_row row;
	struct sock *sk;
	int err;

	err = ttp_diag_check(nlh);
	if (err)
		return err;
	ttp_diag_query(&query, skb, nlh);
	if (!query.admin)
		return -EPERM;
	sk = ttp_diag_find(&query, &row);
	if (IS_ERR(sk))
		return PTR_ERR(sk);
	err = sock_diag_destroy(sk, ECONNABORTED);
	sock_put(sk);
	return err;
}

/* The module */

static const struct sock_diag_handler ttp_diag_handler = {
	.owner		= THIS_MODULE,
	.family		= AF_TTP,
	.dump		= ttp_diag_handle,
	.destroy	= ttp_diag_destroy,
};

static int __init ttp_diag_init(void)
{
	return sock_diag_register(&ttp_diag_handler);
}

static void __exit ttp_diag_exit(void)
{
	sock_diag_unregister(&ttp_diag_handler);
}

module_init(ttp_diag_init);
module_exit(ttp_diag_exit);

MODULE_DESCRIPTION("TTP: sockets by sock_diag");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS("TTP");
MODULE_ALIAS_NET_PF_PROTO_TYPE(PF_NETLINK, NETLINK_SOCK_DIAG, AF_TTP);
