// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: enabling and disabling devices, and their settings.
 */
#include <linux/if_ether.h>
#include <linux/rtnetlink.h>
#include <net/genetlink.h>
#include <net/netdev_lock.h>

#include "net.h"
#include "link.h"
#include "peer.h"
#include "end.h"
#include "netlink.h"
#include "nl_gen.h"

static int ttp_nl_dev_put_config(struct sk_buff *skb,
				 const struct ttp_link_config *c)
{
	if (nla_put_u16(skb, TTP_A_DEV_ETHERTYPE, READ_ONCE(c->ethertype)) ||
	    nla_put_u8(skb, TTP_A_DEV_CRC, READ_ONCE(c->crc)) ||
	    nla_put_u32(skb, TTP_A_DEV_UNSCHED, READ_ONCE(c->unsched)) ||
	    nla_put_u32(skb, TTP_A_DEV_WINDOW, READ_ONCE(c->window)) ||
	    nla_put_u8(skb, TTP_A_DEV_ACK_EVERY, READ_ONCE(c->ack_every)) ||
	    nla_put_u32(skb, TTP_A_DEV_RTO_MIN_US, READ_ONCE(c->rto_min_us)) ||
	    nla_put_u32(skb, TTP_A_DEV_RTO_MAX_US, READ_ONCE(c->rto_max_us)) ||
	    nla_put_u32(skb, TTP_A_DEV_RATE_MBPS, READ_ONCE(c->rate_mbps)) ||
	    nla_put_u32(skb, TTP_A_DEV_BACKLOG_NS, READ_ONCE(c->backlog_ns)) ||
	    nla_put_u32(skb, TTP_A_DEV_OVERCOMMIT, READ_ONCE(c->overcommit)) ||
	    nla_put_u32(skb, TTP_A_DEV_INCOMING, READ_ONCE(c->incoming)) ||
	    nla_put_u8(skb, TTP_A_DEV_TAG, READ_ONCE(c->tag)) ||
	    nla_put_u8(skb, TTP_A_DEV_LEVELS, READ_ONCE(c->levels)) ||
	    nla_put(skb, TTP_A_DEV_PCP_MAP, sizeof(c->pcp), c->pcp) ||
	    nla_put_u32(skb, TTP_A_DEV_ANNOUNCE, READ_ONCE(c->announce)) ||
	    nla_put_u32(skb, TTP_A_DEV_DELAY_TARGET_NS, READ_ONCE(c->delay_ns)))
		return -EMSGSIZE;
	return 0;
}

static int ttp_nl_dev_put_state(struct sk_buff *skb, struct ttp_link *link,
				const struct net_device *dev)
{
	u32 peers = 0, rpcs = 0;
	struct ttp_peer *peer;
	bool up;

	spin_lock_bh(&link->peer_lock);
	list_for_each_entry(peer, &link->peers, link_node) {
		peers++;
		rpcs += READ_ONCE(peer->rpcs_out) + READ_ONCE(peer->rpcs_in);
	}
	spin_unlock_bh(&link->peer_lock);
	rcu_read_lock();
	up = !ttp_link_up(link);
	rcu_read_unlock();

	if (nla_put(skb, TTP_A_DEV_MAC, ETH_ALEN, dev->dev_addr) ||
	    nla_put_u32(skb, TTP_A_DEV_MTU, READ_ONCE(link->mtu)) ||
	    nla_put_u32(skb, TTP_A_DEV_EPOCH, link->epoch) ||
	    nla_put_u32(skb, TTP_A_DEV_SPEED_MBPS, READ_ONCE(link->speed_mbps)) ||
	    nla_put_u32(skb, TTP_A_DEV_PEERS, peers) ||
	    nla_put_u32(skb, TTP_A_DEV_RPCS, rpcs) ||
	    nla_put_u8(skb, TTP_A_DEV_UP, up))
		return -EMSGSIZE;
	return 0;
}

/* All of a device, or only its name; RTNL held */
static int ttp_nl_dev_put(struct sk_buff *skb, struct ttp_link *link,
			  bool all)
{
	const struct net_device *dev = rtnl_dereference(link->dev);
	int err;

	if (nla_put_u32(skb, TTP_A_DEV_IFINDEX, link->ifindex) ||
	    (dev && nla_put_string(skb, TTP_A_DEV_IFNAME, dev->name)))
		return -EMSGSIZE;
	if (!all || !dev)
		return 0;
	err = ttp_nl_dev_put_config(skb, &link->config);
	return err ?: ttp_nl_dev_put_state(skb, link, dev);
}

void ttp_nl_dev_event(struct ttp_link *link, u8 cmd)
{
	struct sk_buff *skb;
	void *hdr;
	int err;

	ASSERT_RTNL();

	skb = ttp_netlink_event(link->tn, cmd, GFP_KERNEL, &hdr);
	if (!skb)
		return;
	err = ttp_nl_dev_put(skb, link, cmd != TTP_CMD_DEV_DEL_NTF);
	ttp_netlink_publish(link->tn, skb, hdr, err, GFP_KERNEL);
}

int ttp_nl_dev_get_doit(struct sk_buff *req, struct genl_info *info)
{
	struct ttp_link *link;
	struct sk_buff *skb;
	void *hdr;
	int err;

	skb = ttp_netlink_reply(info, NLMSG_DEFAULT_SIZE, TTP_CMD_DEV_GET,
				&hdr);
	if (!skb)
		return -ENOMEM;
	rtnl_lock();
	link = ttp_netlink_link(info, TTP_A_DEV_IFINDEX);
	err = PTR_ERR_OR_ZERO(link);
	if (!err)
		err = ttp_nl_dev_put(skb, link, true);
	rtnl_unlock();
	return ttp_netlink_finish(info, skb, hdr, err);
}

/* The link with the lowest index above @ifindex; RTNL held */
static struct ttp_link *ttp_nl_dev_next(struct ttp_net *tn, long ifindex)
{
	struct ttp_link *link, *best = NULL;

	list_for_each_entry(link, &tn->links, node)
		if (link->ifindex > ifindex &&
		    (!best || link->ifindex < best->ifindex))
			best = link;
	return best;
}

int ttp_nl_dev_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct ttp_net *tn = ttp_net(sock_net(skb->sk));
	long *last = (long *)cb->ctx;
	struct ttp_link *link;
	int err = 0;
	void *hdr;

	/* in order of index, so that devices may come and go meanwhile */
	rtnl_lock();
	while ((link = ttp_nl_dev_next(tn, *last))) {
		hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				  cb->nlh->nlmsg_seq, &ttp_nl_family,
				  NLM_F_MULTI, TTP_CMD_DEV_GET);
		err = hdr ? ttp_nl_dev_put(skb, link, true) : -EMSGSIZE;
		if (err) {
			if (hdr)
				genlmsg_cancel(skb, hdr);
			break;
		}
		genlmsg_end(skb, hdr);
		*last = link->ifindex;
	}
	rtnl_unlock();
	return skb->len ?: err;
}

/* EtherTypes that would take the frames of others away from them */
static bool ttp_nl_dev_foreign(u16 ethertype)
{
	switch (ethertype) {
	case ETH_P_IP:
	case ETH_P_ARP:
	case ETH_P_IPV6:
	case ETH_P_8021Q:
	case ETH_P_8021AD:
	case ETH_P_PAUSE:
	case ETH_P_SLOW:
	case ETH_P_PAE:
	case ETH_P_LLDP:
	case ETH_P_1588:
		return true;
	default:
		return false;
	}
}

static bool ttp_nl_dev_pcp_ok(const u8 *pcp)
{
	unsigned int i;

	for (i = 0; i < TTP_LEVELS; i++)
		if (pcp[i] > 7)
			return false;
	return true;
}

/* Put the settings of a request into @c, all or, on error, none that matter */
static int ttp_nl_dev_get_config(struct genl_info *info,
				 struct ttp_link_config *c)
{
	struct nlattr **a = info->attrs;
	struct nlattr *bad;

	if (a[TTP_A_DEV_ETHERTYPE])
		c->ethertype = nla_get_u16(a[TTP_A_DEV_ETHERTYPE]);
	if (a[TTP_A_DEV_CRC])
		c->crc = nla_get_u8(a[TTP_A_DEV_CRC]);
	if (a[TTP_A_DEV_UNSCHED])
		c->unsched = nla_get_u32(a[TTP_A_DEV_UNSCHED]);
	if (a[TTP_A_DEV_WINDOW])
		c->window = nla_get_u32(a[TTP_A_DEV_WINDOW]);
	if (a[TTP_A_DEV_ACK_EVERY])
		c->ack_every = nla_get_u8(a[TTP_A_DEV_ACK_EVERY]);
	if (a[TTP_A_DEV_RTO_MIN_US])
		c->rto_min_us = nla_get_u32(a[TTP_A_DEV_RTO_MIN_US]);
	if (a[TTP_A_DEV_RTO_MAX_US])
		c->rto_max_us = nla_get_u32(a[TTP_A_DEV_RTO_MAX_US]);
	if (a[TTP_A_DEV_RATE_MBPS])
		c->rate_mbps = nla_get_u32(a[TTP_A_DEV_RATE_MBPS]);
	if (a[TTP_A_DEV_BACKLOG_NS])
		c->backlog_ns = nla_get_u32(a[TTP_A_DEV_BACKLOG_NS]);
	if (a[TTP_A_DEV_OVERCOMMIT])
		c->overcommit = nla_get_u32(a[TTP_A_DEV_OVERCOMMIT]);
	if (a[TTP_A_DEV_INCOMING])
		c->incoming = nla_get_u32(a[TTP_A_DEV_INCOMING]);
	if (a[TTP_A_DEV_TAG])
		c->tag = nla_get_u8(a[TTP_A_DEV_TAG]);
	if (a[TTP_A_DEV_LEVELS])
		c->levels = nla_get_u8(a[TTP_A_DEV_LEVELS]);
	if (a[TTP_A_DEV_PCP_MAP])
		nla_memcpy(c->pcp, a[TTP_A_DEV_PCP_MAP], sizeof(c->pcp));
	if (a[TTP_A_DEV_ANNOUNCE])
		c->announce = nla_get_u32(a[TTP_A_DEV_ANNOUNCE]);
	if (a[TTP_A_DEV_DELAY_TARGET_NS])
		c->delay_ns = nla_get_u32(a[TTP_A_DEV_DELAY_TARGET_NS]);

	if (ttp_nl_dev_foreign(c->ethertype)) {
		NL_SET_ERR_MSG_ATTR(info->extack, a[TTP_A_DEV_ETHERTYPE],
				    "the EtherType belongs to another protocol");
		return -EINVAL;
	}
	if (!ttp_nl_dev_pcp_ok(c->pcp)) {
		NL_SET_ERR_MSG_ATTR(info->extack, a[TTP_A_DEV_PCP_MAP],
				    "a PCP is above 7");
		return -EINVAL;
	}
	if (c->rto_min_us > c->rto_max_us) {
		bad = a[TTP_A_DEV_RTO_MIN_US] ?: a[TTP_A_DEV_RTO_MAX_US];
		NL_SET_ERR_MSG_ATTR(info->extack, bad,
				    "the floor of the timeout is above its ceiling");
		return -EINVAL;
	}
	return 0;
}

int ttp_nl_dev_add_doit(struct sk_buff *req, struct genl_info *info)
{
	struct nlattr *attr = info->attrs[TTP_A_DEV_IFINDEX];
	struct ttp_link_config config = ttp_link_defaults;
	struct net *net = genl_info_net(info);
	struct net_device *dev;
	struct ttp_link *link;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, TTP_A_DEV_IFINDEX)) {
		NL_SET_ERR_MSG(info->extack, "ifindex is missing");
		return -EINVAL;
	}
	err = ttp_nl_dev_get_config(info, &config);
	if (err)
		return err;
	rtnl_lock();
	dev = __dev_get_by_index(net, nla_get_u32(attr));
	if (dev) {
		NL_SET_BAD_ATTR(info->extack, attr);
		err = ttp_link_add(ttp_net(net), dev, &config, info->extack);
	} else {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "the device does not exist");
		err = -ENODEV;
	}
	if (!err) {
		link = ttp_link_find(ttp_net(net), dev->ifindex);
		netdev_lock_ops(dev);
		ttp_link_set_speed(link);
		netdev_unlock_ops(dev);
		ttp_nl_dev_event(link, TTP_CMD_DEV_ADD_NTF);
	}
	rtnl_unlock();
	return err;
}

static int ttp_nl_dev_change(struct genl_info *info, struct ttp_link *link)
{
	struct ttp_link_config new = link->config, *c = &link->config;
	unsigned int i;
	int err;

	err = ttp_nl_dev_get_config(info, &new);
	if (err)
		return err;
	if (new.ethertype != c->ethertype) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[TTP_A_DEV_ETHERTYPE],
				    "the EtherType is fixed while TTP is enabled");
		return -EBUSY;
	}
	WRITE_ONCE(c->crc, new.crc);
	WRITE_ONCE(c->unsched, new.unsched);
	WRITE_ONCE(c->window, new.window);
	WRITE_ONCE(c->ack_every, new.ack_every);
	WRITE_ONCE(c->rto_min_us, new.rto_min_us);
	WRITE_ONCE(c->rto_max_us, new.rto_max_us);
	WRITE_ONCE(c->rate_mbps, new.rate_mbps);
	WRITE_ONCE(c->backlog_ns, new.backlog_ns);
	WRITE_ONCE(c->overcommit, new.overcommit);
	WRITE_ONCE(c->incoming, new.incoming);
	WRITE_ONCE(c->tag, new.tag);
	WRITE_ONCE(c->levels, new.levels);
	WRITE_ONCE(c->announce, new.announce);
	WRITE_ONCE(c->delay_ns, new.delay_ns);
	for (i = 0; i < TTP_LEVELS; i++)
		WRITE_ONCE(c->pcp[i], new.pcp[i]);
	WRITE_ONCE(link->granter.due, true);
	ttp_nl_dev_event(link, TTP_CMD_DEV_SET_NTF);
	return 0;
}

int ttp_nl_dev_set_doit(struct sk_buff *req, struct genl_info *info)
{
	struct ttp_link *link;
	int err;

	rtnl_lock();
	link = ttp_netlink_link(info, TTP_A_DEV_IFINDEX);
	err = PTR_ERR_OR_ZERO(link);
	if (!err)
		err = ttp_nl_dev_change(info, link);
	rtnl_unlock();
	return err;
}

int ttp_nl_dev_del_doit(struct sk_buff *req, struct genl_info *info)
{
	struct ttp_link *link;
	int err;

	rtnl_lock();
	link = ttp_netlink_link(info, TTP_A_DEV_IFINDEX);
	err = PTR_ERR_OR_ZERO(link);
	if (!err) {
		/* nobody can look before RTNL is released */
		ttp_nl_dev_event(link, TTP_CMD_DEV_DEL_NTF);
		ttp_end_link(link);
	}
	rtnl_unlock();
	return err;
}
