// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: lists of peers, sockets and RPCs, and forgetting peers.
 *
 * A list takes many calls, between which all may change.  Sockets are listed by
 * number, see ttp_sock_next(): each one that is open all the time is there
 * exactly once.  Peers and RPCs are read from their hash tables, a
 * bucket at a time: the same holds unless the table is resized meanwhile, upon
 * which its walk begins again.  Then some are there twice, and the next
 * message, which may be the last one, has NLM_F_DUMP_INTR.
 */
#include <linux/if_ether.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "net.h"
#include "link.h"
#include "peer.h"
#include "sock.h"
#include "rpc.h"
#include "netlink.h"
#include "nl_gen.h"

/**
 * struct ttp_nl_dump_walk - where a list of peers or RPCs is, in cb->ctx
 * @iter: place in the table
 * @ifindex: only of this device, 0 = of all
 * @bucket: bytes of the message before the present bucket
 * @prev_seq: cb->prev_seq of that time
 * @begun: not the first message
 */
struct ttp_nl_dump_walk {
	struct rhashtable_iter	*iter;
	int			ifindex;
	unsigned int		bucket;
	unsigned int		prev_seq;
	bool			begun;
};

typedef int (*ttp_nl_dump_put_t)(struct sk_buff *skb, void *obj);

static int ttp_nl_dump_start(struct netlink_callback *cb, struct rhashtable *ht,
			     const struct nlattr *ifindex)
{
	struct ttp_nl_dump_walk *walk = (struct ttp_nl_dump_walk *)cb->ctx;

	BUILD_BUG_ON(sizeof(*walk) > sizeof(cb->ctx));
	walk->ifindex = ifindex ? nla_get_u32(ifindex) : 0;
	walk->begun = false;
	cb->seq = 1;	/* grows when the list becomes inconsistent */
	walk->iter = kmalloc_obj(*walk->iter, GFP_KERNEL_ACCOUNT);
	if (!walk->iter)
		return -ENOMEM;
	rhashtable_walk_enter(ht, walk->iter);
	return 0;
}

int ttp_nl_walk_done(struct netlink_callback *cb)
{
	struct ttp_nl_dump_walk *walk = (struct ttp_nl_dump_walk *)cb->ctx;

	rhashtable_walk_exit(walk->iter);
	kfree(walk->iter);
	return 0;
}

/* Not done at the start, where some kernels take no text for an error */
static int ttp_nl_dump_check(struct netlink_callback *cb)
{
	struct ttp_nl_dump_walk *walk = (struct ttp_nl_dump_walk *)cb->ctx;
	struct ttp_net *tn = ttp_net(sock_net(cb->skb->sk));
	bool enabled = true;

	if (walk->ifindex && !walk->begun) {
		rcu_read_lock();
		enabled = ttp_link_find(tn, walk->ifindex);
		rcu_read_unlock();
	}
	walk->begun = true;
	if (enabled)
		return 0;
	NL_SET_ERR_MSG(cb->extack, "TTP is not enabled on the device");
	return -ENODEV;
}

/* One message of a list; cancelled if it does not fit */
static int ttp_nl_dump_one(struct sk_buff *skb, struct netlink_callback *cb,
			   u8 cmd, ttp_nl_dump_put_t put, void *obj)
{
	void *hdr;

	hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			  &ttp_nl_family, NLM_F_MULTI, cmd);
	if (!hdr)
		return -EMSGSIZE;
	if (put(skb, obj)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	genl_dump_check_consistent(cb, hdr);
	return 0;
}

/*
 * The message is full.  If an object were the place where the walk stands, its
 * end would let others behind it be missed; so the bucket comes again, unless
 * the message has nothing else.
 */
static void ttp_nl_dump_pause(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct ttp_nl_dump_walk *walk = (struct ttp_nl_dump_walk *)cb->ctx;

	if (!walk->bucket)
		return;
	nlmsg_trim(skb, skb->data + walk->bucket);
	cb->prev_seq = walk->prev_seq;
	walk->iter->p = NULL;
	walk->iter->skip = 0;
}

/* The next object, or the one that the last message had no room for */
static void *ttp_nl_dump_next(struct sk_buff *skb, struct netlink_callback *cb,
			      void *obj)
{
	struct ttp_nl_dump_walk *walk = (struct ttp_nl_dump_walk *)cb->ctx;

	do {
		obj = obj ? rhashtable_walk_next(walk->iter) :
			    rhashtable_walk_peek(walk->iter);
		if (obj == ERR_PTR(-EAGAIN))
			cb->seq++;
	} while (obj == ERR_PTR(-EAGAIN));
	if (walk->iter->skip == 1) {
		walk->bucket = skb->len;
		walk->prev_seq = cb->prev_seq;
	}
	return obj;
}

static int ttp_nl_dump_run(struct sk_buff *skb, struct netlink_callback *cb,
			   u8 cmd, int (*ifindex_of)(const void *obj),
			   ttp_nl_dump_put_t put)
{
	struct ttp_nl_dump_walk *walk = (struct ttp_nl_dump_walk *)cb->ctx;
	const struct rhash_head *last = walk->iter->p;
	void *obj = NULL;
	int err;

	err = ttp_nl_dump_check(cb);
	if (err)
		return err;
	/* Is the place where the last message ended still there? */
	if (rhashtable_walk_start_check(walk->iter)) {
		walk->iter->p = NULL;	/* not all kernels do that */
		cb->seq++;
	} else if (walk->iter->p != last) {
		cb->seq++;
	}
	walk->bucket = 0;
	while ((obj = ttp_nl_dump_next(skb, cb, obj))) {
		if (walk->ifindex && ifindex_of(obj) != walk->ifindex)
			continue;
		err = ttp_nl_dump_one(skb, cb, cmd, put, obj);
		if (err) {
			ttp_nl_dump_pause(skb, cb);
			break;
		}
	}
	rhashtable_walk_stop(walk->iter);
	return skb->len ?: err;
}

/* Peers */

static int ttp_nl_dump_peer_ifindex(const void *obj)
{
	const struct ttp_peer *peer = obj;

	return peer->key.link->ifindex;
}

static int ttp_nl_dump_put_rtt(struct sk_buff *skb, const struct ttp_peer *peer)
{
	const struct ttp_link_config *c = &peer->key.link->config;
	u64 rto_ns;

	rto_ns = ttp_rtt_rto(&peer->rtt, READ_ONCE(c->rto_min_us) * 1000ULL,
			     READ_ONCE(c->rto_max_us) * 1000ULL, 0, 0);
	if (nla_put_u32(skb, TTP_A_PEER_SRTT_NS, peer->rtt.srtt_ns) ||
	    nla_put_u32(skb, TTP_A_PEER_RTTVAR_NS, peer->rtt.var_ns) ||
	    nla_put_u32(skb, TTP_A_PEER_MIN_RTT_NS, peer->min_rtt.ns) ||
	    nla_put_u32(skb, TTP_A_PEER_RTO_US, div_u64(rto_ns, 1000)))
		return -EMSGSIZE;
	return 0;
}

static int ttp_nl_dump_put_traffic(struct sk_buff *skb,
				   const struct ttp_peer *peer)
{
	if (nla_put_u64_64bit(skb, TTP_A_PEER_TX_PACKETS, peer->tx_packets,
			      TTP_A_PEER_PAD) ||
	    nla_put_u64_64bit(skb, TTP_A_PEER_TX_BYTES, peer->tx_bytes,
			      TTP_A_PEER_PAD) ||
	    nla_put_u64_64bit(skb, TTP_A_PEER_RX_PACKETS, peer->rx_packets,
			      TTP_A_PEER_PAD) ||
	    nla_put_u64_64bit(skb, TTP_A_PEER_RX_BYTES, peer->rx_bytes,
			      TTP_A_PEER_PAD) ||
	    nla_put_u64_64bit(skb, TTP_A_PEER_RETRANSMITS, peer->retransmits,
			      TTP_A_PEER_PAD))
		return -EMSGSIZE;
	return 0;
}

static int ttp_nl_dump_put_peer(struct sk_buff *skb, void *obj)
{
	u64 now_ns = ktime_get_ns(), idle_ns;
	struct ttp_peer *peer = obj;
	int err;

	if (nla_put_u32(skb, TTP_A_PEER_IFINDEX, peer->key.link->ifindex) ||
	    nla_put(skb, TTP_A_PEER_MAC, ETH_ALEN, peer->key.mac))
		return -EMSGSIZE;

	spin_lock_bh(&peer->lock);
	err = nla_put_u32(skb, TTP_A_PEER_EPOCH, peer->epoch) ?:
	      nla_put_u32(skb, TTP_A_PEER_MTU, peer->mtu) ?:
	      nla_put_u32(skb, TTP_A_PEER_RPCS_OUT, peer->rpcs_out) ?:
	      nla_put_u32(skb, TTP_A_PEER_RPCS_IN, peer->rpcs_in) ?:
	      ttp_nl_dump_put_rtt(skb, peer) ?:
	      ttp_nl_dump_put_traffic(skb, peer);
	/* a packet may have arrived after the clock was read */
	if (!err && peer->heard_ns) {
		idle_ns = now_ns - min(now_ns, peer->heard_ns);
		err = nla_put_u32(skb, TTP_A_PEER_IDLE_MS,
				  min_t(u64, div_u64(idle_ns, NSEC_PER_MSEC),
					U32_MAX));
	}
	spin_unlock_bh(&peer->lock);
	return err;
}

int ttp_nl_peer_get_start(struct netlink_callback *cb)
{
	struct ttp_net *tn = ttp_net(sock_net(cb->skb->sk));

	return ttp_nl_dump_start(cb, &tn->peers,
				 genl_info_dump(cb)->attrs[TTP_A_PEER_IFINDEX]);
}

int ttp_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return ttp_nl_dump_run(skb, cb, TTP_CMD_PEER_GET,
			       ttp_nl_dump_peer_ifindex, ttp_nl_dump_put_peer);
}

/* Forget idle peers; returns how many */
static u32 ttp_nl_dump_flush(struct ttp_net *tn, int ifindex, const u8 *mac,
			     struct rhashtable_iter *iter)
{
	struct ttp_peer *peer;
	u32 count = 0;

	rhashtable_walk_enter(&tn->peers, iter);
	rhashtable_walk_start(iter);
	while ((peer = rhashtable_walk_next(iter))) {
		if (IS_ERR(peer))
			continue;	/* resized: seen again, or not at all */
		if ((ifindex && peer->key.link->ifindex != ifindex) ||
		    (mac && memcmp(peer->key.mac, mac, ETH_ALEN)))
			continue;
		count += ttp_peer_unhash(peer, true);
	}
	rhashtable_walk_stop(iter);
	rhashtable_walk_exit(iter);
	return count;
}

int ttp_nl_peer_flush_doit(struct sk_buff *req, struct genl_info *info)
{
	struct nlattr *ifindex = info->attrs[TTP_A_PEER_IFINDEX];
	struct nlattr *mac = info->attrs[TTP_A_PEER_MAC];
	struct rhashtable_iter *iter;
	struct ttp_link *link;
	struct sk_buff *skb;
	void *hdr;
	u32 count;
	int err;

	if (ifindex) {
		rcu_read_lock();
		link = ttp_netlink_link(info, TTP_A_PEER_IFINDEX);
		err = PTR_ERR_OR_ZERO(link);
		rcu_read_unlock();
		if (err)
			return err;
	}
	iter = kmalloc_obj(*iter, GFP_KERNEL_ACCOUNT);
	if (!iter)
		return -ENOMEM;
	skb = ttp_netlink_reply(info, nla_total_size(sizeof(u32)),
				TTP_CMD_PEER_FLUSH, &hdr);
	if (!skb) {
		kfree(iter);
		return -ENOMEM;
	}
	count = ttp_nl_dump_flush(ttp_net(genl_info_net(info)),
				  ifindex ? nla_get_u32(ifindex) : 0,
				  mac ? nla_data(mac) : NULL, iter);
	kfree(iter);
	return ttp_netlink_finish(info, skb, hdr,
				  nla_put_u32(skb, TTP_A_PEER_FLUSHED, count));
}

/* Sockets */

static int ttp_nl_dump_put_queues(struct sk_buff *skb, struct ttp_sock *tsk)
{
	int err;

	spin_lock_bh(&tsk->lock);
	err = nla_put_u32(skb, TTP_A_SOCK_RPCS_OUT, tsk->rpcs_out) ?:
	      nla_put_u32(skb, TTP_A_SOCK_RPCS_IN, tsk->rpcs_in) ?:
	      nla_put_u32(skb, TTP_A_SOCK_READY, tsk->ready_count) ?:
	      nla_put_u64_64bit(skb, TTP_A_SOCK_RCV_BYTES, tsk->rcv_bytes,
				TTP_A_SOCK_PAD) ?:
	      nla_put_u64_64bit(skb, TTP_A_SOCK_SND_BYTES, tsk->snd_bytes,
				TTP_A_SOCK_PAD);
	if (!err && tsk->connected)
		err = nla_put_u32(skb, TTP_A_SOCK_PEER_IFINDEX,
				  tsk->remote.sttp_ifindex) ?:
		      nla_put(skb, TTP_A_SOCK_PEER_MAC, ETH_ALEN,
			      tsk->remote.sttp_addr) ?:
		      nla_put_u32(skb, TTP_A_SOCK_PEER_PORT,
				  ntohs(tsk->remote.sttp_port));
	spin_unlock_bh(&tsk->lock);
	return err;
}

/**
 * struct ttp_nl_dump_sock - a socket to be listed
 * @tsk: the socket
 * @ino: its inode
 * @user_ns: of whoever asks
 */
struct ttp_nl_dump_sock {
	struct ttp_sock		*tsk;
	u32			ino;
	struct user_namespace	*user_ns;
};

static int ttp_nl_dump_put_sock(struct sk_buff *skb, void *obj)
{
	const struct ttp_nl_dump_sock *row = obj;
	struct ttp_sock *tsk = row->tsk;
	struct sock *sk = &tsk->sk;

	return nla_put_u32(skb, TTP_A_SOCK_PORT, READ_ONCE(tsk->port)) ?:
	       nla_put_u32(skb, TTP_A_SOCK_IFINDEX, READ_ONCE(tsk->ifindex)) ?:
	       nla_put_u8(skb, TTP_A_SOCK_LISTENING, READ_ONCE(tsk->listen)) ?:
	       nla_put_u32(skb, TTP_A_SOCK_UID,
			   from_kuid_munged(row->user_ns,
					    sock_net_uid(sock_net(sk), sk))) ?:
	       nla_put_u32(skb, TTP_A_SOCK_INODE, row->ino) ?:
	       nla_put_u32(skb, TTP_A_SOCK_RCVBUF, READ_ONCE(sk->sk_rcvbuf)) ?:
	       nla_put_u32(skb, TTP_A_SOCK_SNDBUF, READ_ONCE(sk->sk_sndbuf)) ?:
	       ttp_nl_dump_put_queues(skb, tsk);
}

int ttp_nl_sock_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct ttp_nl_dump_sock row = {
		.user_ns = sk_user_ns(NETLINK_CB(cb->skb).sk),
	};
	unsigned long *nr = (unsigned long *)cb->ctx;
	struct net *net = sock_net(cb->skb->sk);
	int err = 0;

	rcu_read_lock();
	for (; (row.tsk = ttp_sock_next(net, nr)); ++*nr) {
		row.ino = sock_i_ino(&row.tsk->sk);
		if (!row.ino)
			continue;	/* closed just now */
		err = ttp_nl_dump_one(skb, cb, TTP_CMD_SOCK_GET,
				      ttp_nl_dump_put_sock, &row);
		if (err)
			break;
	}
	rcu_read_unlock();
	return skb->len ?: err;
}

/* RPCs */

static int ttp_nl_dump_rpc_ifindex(const void *obj)
{
	const struct ttp_rpc *rpc = obj;

	return rpc->key.peer->key.link->ifindex;
}

static enum ttp_nl_state ttp_nl_dump_state(const struct ttp_rpc *rpc)
{
	switch (rpc->state) {
	case TTP_RPC_OUTGOING:
		return rpc->in.known ? TTP_NL_STATE_INCOMING :
				       TTP_NL_STATE_OUTGOING;
	case TTP_RPC_INCOMING:
		return TTP_NL_STATE_INCOMING;
	case TTP_RPC_READY:
		return TTP_NL_STATE_READY;
	case TTP_RPC_SERVICE:
		return TTP_NL_STATE_SERVICE;
	case TTP_RPC_REPLYING:
		return TTP_NL_STATE_REPLYING;
	default:
		return TTP_NL_STATE_DONE;
	}
}

static int ttp_nl_dump_put_messages(struct sk_buff *skb,
				    const struct ttp_rpc *rpc)
{
	const struct ttp_msgout *out = &rpc->out;
	const struct ttp_msgin *in = &rpc->in;
	int err = 0;

	if (rpc->client || rpc->state == TTP_RPC_REPLYING)
		err = nla_put_u32(skb, TTP_A_RPC_OUT_LEN, out->len) ?:
		      nla_put_u32(skb, TTP_A_RPC_OUT_SENT, out->sent) ?:
		      nla_put_u32(skb, TTP_A_RPC_OUT_GRANTED,
				  max(out->granted, out->unsched)) ?:
		      nla_put_u32(skb, TTP_A_RPC_OUT_ACKED, out->acked);
	if (!err && in->known)
		err = nla_put_u32(skb, TTP_A_RPC_IN_LEN, in->len) ?:
		      nla_put_u32(skb, TTP_A_RPC_IN_RECEIVED, in->received) ?:
		      nla_put_u32(skb, TTP_A_RPC_IN_GRANTED, in->granted);
	return err;
}

/* What a program sent or received is nobody else's: lengths only */
static int ttp_nl_dump_put_rpc(struct sk_buff *skb, void *obj)
{
	u64 now_ns = ktime_get_ns(), age_ns, silent_ns;
	struct ttp_rpc *rpc = obj;
	struct ttp_peer *peer = rpc->key.peer;
	int err;

	if (nla_put_u64_64bit(skb, TTP_A_RPC_ID, rpc->key.id, TTP_A_RPC_PAD) ||
	    nla_put_u8(skb, TTP_A_RPC_ROLE, rpc->client ?
		       TTP_NL_ROLE_CLIENT : TTP_NL_ROLE_SERVER) ||
	    nla_put_u8(skb, TTP_A_RPC_KIND, rpc->oneway ?
		       TTP_NL_KIND_ONEWAY : TTP_NL_KIND_REQUEST) ||
	    nla_put_u32(skb, TTP_A_RPC_IFINDEX, peer->key.link->ifindex) ||
	    nla_put(skb, TTP_A_RPC_MAC, ETH_ALEN, peer->key.mac) ||
	    nla_put_u32(skb, TTP_A_RPC_LOCAL_PORT, rpc->lport) ||
	    nla_put_u32(skb, TTP_A_RPC_PEER_PORT, rpc->pport))
		return -EMSGSIZE;

	spin_lock_bh(&rpc->lock);
	age_ns = now_ns - min(now_ns, rpc->start_ns);
	silent_ns = now_ns - min(now_ns, rpc->heard_ns ?: rpc->start_ns);
	err = nla_put_u8(skb, TTP_A_RPC_STATE, ttp_nl_dump_state(rpc)) ?:
	      ttp_nl_dump_put_messages(skb, rpc) ?:
	      nla_put_u64_64bit(skb, TTP_A_RPC_AGE_US,
				div_u64(age_ns, NSEC_PER_USEC),
				TTP_A_RPC_PAD) ?:
	      nla_put_u64_64bit(skb, TTP_A_RPC_SILENT_US,
				div_u64(silent_ns, NSEC_PER_USEC),
				TTP_A_RPC_PAD) ?:
	      nla_put_u32(skb, TTP_A_RPC_RETRIES, rpc->tries);
	spin_unlock_bh(&rpc->lock);
	return err;
}

int ttp_nl_rpc_get_start(struct netlink_callback *cb)
{
	struct ttp_net *tn = ttp_net(sock_net(cb->skb->sk));

	return ttp_nl_dump_start(cb, &tn->rpcs,
				 genl_info_dump(cb)->attrs[TTP_A_RPC_IFINDEX]);
}

int ttp_nl_rpc_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return ttp_nl_dump_run(skb, cb, TTP_CMD_RPC_GET,
			       ttp_nl_dump_rpc_ifindex, ttp_nl_dump_put_rpc);
}
