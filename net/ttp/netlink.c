// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family: common parts, counters, parameters and
 * events.  Devices are in nl_dev.c, lists of peers, sockets and RPCs in
 * nl_dump.c, ping in nl_ping.c; the tables, generated from
 * Documentation/netlink/specs/ttp.yaml, in nl_gen.c.
 *
 * The operations of the family run in parallel.  What belongs to devices is
 * done under RTNL, the rest under RCU.
 */
#include <linux/if_ether.h>
#include <net/genetlink.h>
#include <uapi/linux/ttp.h>

#include "mib.h"
#include "net.h"
#include "link.h"
#include "wire.h"
#include "netlink.h"
#include "nl_gen.h"

static_assert(TTP_NL_LIMIT_MEM < TTP_NET_LIMITS);

/* Events are sent; cleared before the family's groups go */
static bool ttp_netlink_on;

static struct sk_buff *ttp_netlink_new(u32 portid, u32 seq, size_t size,
				       u8 cmd, gfp_t gfp, void **hdr)
{
	struct sk_buff *skb;

	skb = genlmsg_new(size, gfp);
	if (!skb)
		return NULL;
	*hdr = genlmsg_put(skb, portid, seq, &ttp_nl_family, 0, cmd);
	if (*hdr)
		return skb;
	nlmsg_free(skb);
	return NULL;
}

struct sk_buff *ttp_netlink_reply(struct genl_info *info, size_t size, u8 cmd,
				  void **hdr)
{
	return ttp_netlink_new(info->snd_portid, info->snd_seq, size, cmd,
			       GFP_KERNEL, hdr);
}

int ttp_netlink_finish(struct genl_info *info, struct sk_buff *skb, void *hdr,
		       int err)
{
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, info);
}

void ttp_netlink_publish(struct ttp_net *tn, struct sk_buff *skb, void *hdr,
			 int err, gfp_t gfp)
{
	if (err) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, hdr);
	genlmsg_multicast_netns(&ttp_nl_family, tn->net, skb, 0,
				TTP_NLGRP_EVENTS, gfp);
}

struct sk_buff *ttp_netlink_event(struct ttp_net *tn, u8 cmd, gfp_t gfp,
				  void **hdr)
{
	if (!READ_ONCE(ttp_netlink_on) ||
	    !genl_has_listeners(&ttp_nl_family, tn->net, TTP_NLGRP_EVENTS))
		return NULL;
	return ttp_netlink_new(0, 0, NLMSG_DEFAULT_SIZE, cmd, gfp, hdr);
}

struct ttp_link *ttp_netlink_link(struct genl_info *info, int attr)
{
	struct ttp_net *tn = ttp_net(genl_info_net(info));
	struct ttp_link *link;

	if (GENL_REQ_ATTR_CHECK(info, attr)) {
		NL_SET_ERR_MSG(info->extack, "ifindex is missing");
		return ERR_PTR(-EINVAL);
	}
	link = ttp_link_find(tn, nla_get_u32(info->attrs[attr]));
	if (link)
		return link;
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[attr],
			    "TTP is not enabled on the device");
	return ERR_PTR(-ENODEV);
}

/* Counters */

static int ttp_netlink_put_counters(struct sk_buff *skb,
				    const struct ttp_mib __percpu *mib)
{
	struct nlattr *nest;
	unsigned int i;

	for (i = 0; i < __TTP_MIB_ITEMS; i++) {
		nest = nla_nest_start(skb, TTP_A_STATS_COUNTERS);
		if (!nest ||
		    nla_put_string(skb, TTP_A_COUNTER_NAME, ttp_mib_names[i]) ||
		    nla_put_u64_64bit(skb, TTP_A_COUNTER_VALUE,
				      ttp_mib_fold(mib, i), TTP_A_COUNTER_PAD))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	return 0;
}

int ttp_nl_stats_get_doit(struct sk_buff *req, struct genl_info *info)
{
	size_t one = nla_total_size(0) + nla_total_size(32) +
		     nla_total_size_64bit(sizeof(u64));
	const struct ttp_mib __percpu *mib;
	struct ttp_link *link;
	struct sk_buff *skb;
	void *hdr;
	int err = 0;

	skb = ttp_netlink_reply(info, nla_total_size(sizeof(u32)) +
				__TTP_MIB_ITEMS * one, TTP_CMD_STATS_GET, &hdr);
	if (!skb)
		return -ENOMEM;
	rcu_read_lock();
	mib = ttp_net(genl_info_net(info))->mib;
	if (info->attrs[TTP_A_STATS_IFINDEX]) {
		link = ttp_netlink_link(info, TTP_A_STATS_IFINDEX);
		err = PTR_ERR_OR_ZERO(link);
		if (!err)
			mib = link->mib;
		if (!err)
			err = nla_put_u32(skb, TTP_A_STATS_IFINDEX,
					  link->ifindex);
	}
	if (!err)
		err = ttp_netlink_put_counters(skb, mib);
	rcu_read_unlock();
	return ttp_netlink_finish(info, skb, hdr, err);
}

/* Parameters */

static int ttp_netlink_put_params(struct sk_buff *skb,
				  const struct ttp_params *p)
{
	if (nla_put_u32(skb, TTP_A_PARAM_DEAD_TIMEOUT_MS,
			READ_ONCE(p->dead_timeout_ms)) ||
	    nla_put_u32(skb, TTP_A_PARAM_MAX_MESSAGE,
			READ_ONCE(p->max_message)) ||
	    nla_put_u32(skb, TTP_A_PARAM_MAX_PEERS, READ_ONCE(p->max_peers)) ||
	    nla_put_u32(skb, TTP_A_PARAM_MAX_RPCS_PER_PEER,
			READ_ONCE(p->max_rpcs_per_peer)) ||
	    nla_put_u64_64bit(skb, TTP_A_PARAM_MEM, READ_ONCE(p->mem),
			      TTP_A_PARAM_PAD) ||
	    nla_put_u32(skb, TTP_A_PARAM_RCVBUF, READ_ONCE(p->rcvbuf)) ||
	    nla_put_u32(skb, TTP_A_PARAM_SNDBUF, READ_ONCE(p->sndbuf)))
		return -EMSGSIZE;
	return 0;
}

int ttp_nl_param_get_doit(struct sk_buff *req, struct genl_info *info)
{
	struct ttp_net *tn = ttp_net(genl_info_net(info));
	struct sk_buff *skb;
	void *hdr;

	skb = ttp_netlink_reply(info, NLMSG_DEFAULT_SIZE, TTP_CMD_PARAM_GET,
				&hdr);
	if (!skb)
		return -ENOMEM;
	return ttp_netlink_finish(info, skb, hdr,
				  ttp_netlink_put_params(skb, &tn->params));
}

int ttp_nl_param_set_doit(struct sk_buff *req, struct genl_info *info)
{
	struct ttp_net *tn = ttp_net(genl_info_net(info));
	struct ttp_params *p = &tn->params;
	struct nlattr **a = info->attrs;
	struct sk_buff *skb;
	void *hdr;

	/* the policy has checked them, so that all take effect or none */
	if (a[TTP_A_PARAM_DEAD_TIMEOUT_MS])
		WRITE_ONCE(p->dead_timeout_ms,
			   nla_get_u32(a[TTP_A_PARAM_DEAD_TIMEOUT_MS]));
	if (a[TTP_A_PARAM_MAX_MESSAGE])
		WRITE_ONCE(p->max_message,
			   nla_get_u32(a[TTP_A_PARAM_MAX_MESSAGE]));
	if (a[TTP_A_PARAM_MAX_PEERS])
		WRITE_ONCE(p->max_peers,
			   nla_get_u32(a[TTP_A_PARAM_MAX_PEERS]));
	if (a[TTP_A_PARAM_MAX_RPCS_PER_PEER])
		WRITE_ONCE(p->max_rpcs_per_peer,
			   nla_get_u32(a[TTP_A_PARAM_MAX_RPCS_PER_PEER]));
	if (a[TTP_A_PARAM_MEM])
		WRITE_ONCE(p->mem, nla_get_u64(a[TTP_A_PARAM_MEM]));
	if (a[TTP_A_PARAM_RCVBUF])
		WRITE_ONCE(p->rcvbuf, nla_get_u32(a[TTP_A_PARAM_RCVBUF]));
	if (a[TTP_A_PARAM_SNDBUF])
		WRITE_ONCE(p->sndbuf, nla_get_u32(a[TTP_A_PARAM_SNDBUF]));

	skb = ttp_netlink_event(tn, TTP_CMD_PARAM_SET_NTF, GFP_KERNEL, &hdr);
	if (skb)
		ttp_netlink_publish(tn, skb, hdr,
				    ttp_netlink_put_params(skb, p), GFP_KERNEL);
	return 0;
}

int ttp_nl_info_get_doit(struct sk_buff *req, struct genl_info *info)
{
	struct sk_buff *skb;
	int err = 0;
	void *hdr;

	skb = ttp_netlink_reply(info, NLMSG_DEFAULT_SIZE, TTP_CMD_INFO_GET,
				&hdr);
	if (!skb)
		return -ENOMEM;
	if (nla_put_u32(skb, TTP_A_INFO_FAMILY, AF_TTP) ||
	    nla_put_u32(skb, TTP_A_INFO_WIRE_VERSION, TTP_WIRE_VERSION) ||
	    nla_put_string(skb, TTP_A_INFO_VERSION, TTP_VERSION))
		err = -EMSGSIZE;
	return ttp_netlink_finish(info, skb, hdr, err);
}

/* Events */

void ttp_netlink_peer_event(struct ttp_link *link, const u8 *mac, u32 epoch,
			    u8 cmd)
{
	struct sk_buff *skb;
	int err = 0;
	void *hdr;

	skb = ttp_netlink_event(link->tn, cmd, GFP_ATOMIC, &hdr);
	if (!skb)
		return;
	if (nla_put_u32(skb, TTP_A_PEER_IFINDEX, link->ifindex) ||
	    nla_put(skb, TTP_A_PEER_MAC, ETH_ALEN, mac) ||
	    nla_put_u32(skb, TTP_A_PEER_EPOCH, epoch))
		err = -EMSGSIZE;
	ttp_netlink_publish(link->tn, skb, hdr, err, GFP_ATOMIC);
}

static u64 ttp_netlink_limit_value(const struct ttp_params *p,
				   enum ttp_nl_limit limit)
{
	switch (limit) {
	case TTP_NL_LIMIT_MAX_PEERS:
		return READ_ONCE(p->max_peers);
	case TTP_NL_LIMIT_MAX_RPCS_PER_PEER:
		return READ_ONCE(p->max_rpcs_per_peer);
	default:
		return READ_ONCE(p->mem);
	}
}

/* One event a second of each limit is enough */
static bool ttp_netlink_due(s64 last_ns, u64 now_ns)
{
	return !last_ns || now_ns - last_ns >= NSEC_PER_SEC;
}

void ttp_netlink_limit_event(struct ttp_net *tn, enum ttp_nl_limit limit,
			     const struct ttp_link *link, const u8 *mac)
{
	u64 now_ns = ktime_get_ns();
	struct sk_buff *skb;
	int err = 0;
	s64 last_ns;
	void *hdr;

	if (!READ_ONCE(ttp_netlink_on))
		return;
	last_ns = atomic64_read(&tn->limit_ns[limit]);
	if (!ttp_netlink_due(last_ns, now_ns))
		return;
	if (atomic64_cmpxchg(&tn->limit_ns[limit], last_ns, now_ns) != last_ns)
		return;
	skb = ttp_netlink_event(tn, TTP_CMD_LIMIT_HIT, GFP_ATOMIC, &hdr);
	if (!skb)
		return;
	if (nla_put_u8(skb, TTP_A_LIMIT_LIMIT, limit) ||
	    nla_put_u64_64bit(skb, TTP_A_LIMIT_VALUE,
			      ttp_netlink_limit_value(&tn->params, limit),
			      TTP_A_LIMIT_PAD) ||
	    (link && nla_put_u32(skb, TTP_A_LIMIT_IFINDEX, link->ifindex)) ||
	    (mac && nla_put(skb, TTP_A_LIMIT_MAC, ETH_ALEN, mac)))
		err = -EMSGSIZE;
	ttp_netlink_publish(tn, skb, hdr, err, GFP_ATOMIC);
}

/* The limit is hit under locks that are no place for sending events */
static void ttp_netlink_mem_event(struct work_struct *work)
{
	struct ttp_net *tn = container_of(work, struct ttp_net, mem_event);

	rcu_read_lock();
	ttp_netlink_limit_event(tn, TTP_NL_LIMIT_MEM, NULL, NULL);
	rcu_read_unlock();
}

void ttp_netlink_mem_limit(struct ttp_net *tn)
{
	if (ttp_netlink_due(atomic64_read(&tn->limit_ns[TTP_NL_LIMIT_MEM]),
			    ktime_get_ns()))
		schedule_work(&tn->mem_event);
}

void ttp_netlink_net_init(struct ttp_net *tn)
{
	INIT_WORK(&tn->mem_event, ttp_netlink_mem_event);
}

void ttp_netlink_net_exit(struct ttp_net *tn)
{
	cancel_work_sync(&tn->mem_event);
}

int ttp_netlink_init(void)
{
	int err;

	err = genl_register_family(&ttp_nl_family);
	if (!err)
		WRITE_ONCE(ttp_netlink_on, true);
	return err;
}

void ttp_netlink_exit(void)
{
	WRITE_ONCE(ttp_netlink_on, false);
	synchronize_rcu();	/* for events that are being sent */
	genl_unregister_family(&ttp_nl_family);
}
