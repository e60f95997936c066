// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink: ping.
 */
#include <linux/etherdevice.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include "net.h"
#include "link.h"
#include "ping.h"
#include "netlink.h"
#include "nl_gen.h"

#define TTP_NL_PING_MS	1000U

/**
 * struct ttp_nl_ping - an open question and who wants the answer
 * @ping: must be first
 * @portid: netlink socket
 * @nlh: header of the request
 */
struct ttp_nl_ping {
	struct ttp_ping		ping;
	u32			portid;
	struct nlmsghdr		nlh;
};

/* What netlink_ack() would have said if the answer had been there at once */
static void ttp_nl_ping_ack(const struct ttp_nl_ping *p, int error)
{
	struct nlmsgerr *err;
	struct nlmsghdr *nlh;
	struct sk_buff *skb;

	skb = nlmsg_new(sizeof(*err), GFP_ATOMIC);
	if (!skb)
		return;
	nlh = nlmsg_put(skb, p->portid, p->nlh.nlmsg_seq, NLMSG_ERROR,
			sizeof(*err), NLM_F_CAPPED);
	err = nlmsg_data(nlh);
	err->error = error;
	err->msg = p->nlh;
	nlmsg_end(skb, nlh);
	genlmsg_unicast(p->ping.tn->net, skb, p->portid);
}

static void ttp_nl_ping_done(struct ttp_ping *ping, int error)
{
	struct ttp_nl_ping *p = (struct ttp_nl_ping *)ping;
	struct sk_buff *skb;
	void *hdr;

	if (error) {
		ttp_nl_ping_ack(p, error);
		return;
	}
	skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_ATOMIC);
	if (!skb)
		return;
	hdr = genlmsg_put(skb, p->portid, p->nlh.nlmsg_seq, &ttp_nl_family, 0,
			  TTP_CMD_PING);
	if (!hdr ||
	    nla_put_u32(skb, TTP_A_PING_IFINDEX, ping->ifindex) ||
	    nla_put(skb, TTP_A_PING_MAC, ETH_ALEN, ping->mac) ||
	    nla_put_u64_64bit(skb, TTP_A_PING_RTT_NS, ping->rtt_ns,
			      TTP_A_PING_PAD) ||
	    nla_put_u32(skb, TTP_A_PING_EPOCH, ping->epoch) ||
	    nla_put_u32(skb, TTP_A_PING_MTU, ping->mtu)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, hdr);
	genlmsg_unicast(ping->tn->net, skb, p->portid);
	if (p->nlh.nlmsg_flags & NLM_F_ACK)
		ttp_nl_ping_ack(p, 0);
}

static int ttp_nl_ping_send(struct genl_info *info, struct ttp_ping *ping)
{
	struct nlattr *timeout = info->attrs[TTP_A_PING_TIMEOUT_MS];
	struct nlattr *size = info->attrs[TTP_A_PING_SIZE];
	struct ttp_link *link;
	const u8 *mac;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, TTP_A_PING_MAC)) {
		NL_SET_ERR_MSG(info->extack, "mac is missing");
		return -EINVAL;
	}
	mac = nla_data(info->attrs[TTP_A_PING_MAC]);
	if (!is_valid_ether_addr(mac)) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[TTP_A_PING_MAC],
				    "not the address of one host");
		return -EINVAL;
	}
	link = ttp_netlink_link(info, TTP_A_PING_IFINDEX);
	if (IS_ERR(link))
		return PTR_ERR(link);
	err = ttp_ping_ask(ping, link, mac, size ? nla_get_u32(size) : 0,
			   timeout ? nla_get_u32(timeout) :
				     TTP_NL_PING_MS);
	if (err == -ENETDOWN)
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[TTP_A_PING_IFINDEX],
				    "the device is down");
	else if (err == -EMSGSIZE)
		NL_SET_ERR_MSG_ATTR(info->extack, size,
				    "does not fit the MTU of the device");
	else if (err == -EBUSY)
		NL_SET_ERR_MSG(info->extack, "too many pings at a time");
	return err;
}

int ttp_nl_ping_doit(struct sk_buff *req, struct genl_info *info)
{
	struct ttp_nl_ping *p;
	int err;

	p = kzalloc_obj(*p, GFP_KERNEL_ACCOUNT);
	if (!p)
		return -ENOMEM;
	p->ping.done = ttp_nl_ping_done;
	p->portid = info->snd_portid;
	p->nlh = *info->nlhdr;
	rcu_read_lock();
	err = ttp_nl_ping_send(info, &p->ping);
	rcu_read_unlock();
	if (err) {
		kfree(p);
		return err;
	}
	/* no ACK yet: waiting here would hold up all families */
	return -EINTR;
}
