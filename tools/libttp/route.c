// SPDX-License-Identifier: GPL-2.0
/*
 * Where an IP address is: here, on a network of a device, or elsewhere.
 */
#include <errno.h>

#include "internal.h"

struct route_search {
	int ifindex;
	unsigned char type;
	bool gateway;
};

static int take_route(const struct nlmsghdr *nlh, void *arg)
{
	const struct rtmsg *route = mnl_nlmsg_get_payload(nlh);
	struct route_search *search = arg;
	const struct nlattr *attr;

	if (nlh->nlmsg_type != RTM_NEWROUTE)
		return MNL_CB_OK;
	search->type = route->rtm_type;
	search->gateway = ttp_nl_attr(nlh, sizeof(*route), RTA_GATEWAY, 0) ||
			  ttp_nl_attr(nlh, sizeof(*route), RTA_VIA, 0);
	attr = ttp_nl_attr(nlh, sizeof(*route), RTA_OIF, sizeof(uint32_t));
	search->ifindex = attr ? mnl_attr_get_u32(attr) : 0;
	return MNL_CB_OK;
}

/* The kernel's words for: no route, a route that forbids, one that drops */
static int route_error(int err)
{
	switch (err) {
	case -ENETUNREACH:
	case -EACCES:
	case -EINVAL:
		return -EHOSTUNREACH;
	case -EOPNOTSUPP:	/* built without IPv6, or without IPv4 */
		return -EAFNOSUPPORT;
	}
	return err;
}

/* @ifindex is the device that @ip is reached through without a gateway; it is
 * not set if the address is this host's @own
 */
int ttp_route_find(const struct ttp_ip *ip, int *ifindex, bool *own)
{
	struct route_search search = {};
	union ttp_nl_request req;
	struct rtmsg *route;
	int err;

	route = ttp_nl_request(&req, RTM_GETROUTE, 0, sizeof(*route));
	route->rtm_family = ip->family;
	route->rtm_dst_len = ip->len * 8;
	mnl_attr_put(&req.nlh, RTA_DST, ip->len, ip->bytes);
	if (ip->ifindex)
		mnl_attr_put_u32(&req.nlh, RTA_OIF, ip->ifindex);
	err = ttp_nl_ask(&req, take_route, &search);
	if (err)
		return route_error(err);
	*own = search.type == RTN_LOCAL;
	if (*own)
		return 0;
	if (search.type != RTN_UNICAST || search.gateway || !search.ifindex)
		return -EHOSTUNREACH;
	*ifindex = search.ifindex;
	return 0;
}
