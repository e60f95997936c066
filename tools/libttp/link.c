// SPDX-License-Identifier: GPL-2.0
/*
 * Devices of this host: their MAC addresses, and their IP addresses.
 */
#include <errno.h>
#include <net/if.h>
#include <string.h>

#include <linux/if_arp.h>
#include <linux/if_link.h>

#include "internal.h"

/* Index of the loopback device, in every network namespace */
#define LOOPBACK	1

/* The MAC address of a device that is an Ethernet, else NULL */
static const uint8_t *ether_mac(const struct nlmsghdr *nlh)
{
	const struct ifinfomsg *link = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *mac;

	if (nlh->nlmsg_type != RTM_NEWLINK || link->ifi_type != ARPHRD_ETHER)
		return NULL;
	mac = ttp_nl_attr(nlh, sizeof(*link), IFLA_ADDRESS, TTP_MAC_LEN);
	return mac ? mnl_attr_get_payload(mac) : NULL;
}

static int take_index(const struct nlmsghdr *nlh, void *arg)
{
	const struct ifinfomsg *link = mnl_nlmsg_get_payload(nlh);
	int *ifindex = arg;

	if (nlh->nlmsg_type == RTM_NEWLINK)
		*ifindex = link->ifi_index;
	return MNL_CB_OK;
}

/* As if_nametoindex(), which has the kernel look for a module that might make
 * such a device
 */
int ttp_link_by_name(const char *name)
{
	union ttp_nl_request req;
	int err, ifindex = 0;

	if (strlen(name) >= IFNAMSIZ)
		return -ENODEV;
	ttp_nl_request(&req, RTM_GETLINK, 0, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(&req.nlh, IFLA_IFNAME, name);
	mnl_attr_put_u32(&req.nlh, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	err = ttp_nl_ask(&req, take_index, &ifindex);
	return err ? err : ifindex ? ifindex : -ENODEV;
}

struct link_search {
	uint8_t mac[TTP_MAC_LEN];
	int ifindex;
};

static int take_mac(const struct nlmsghdr *nlh, void *arg)
{
	struct link_search *search = arg;
	const uint8_t *mac = ether_mac(nlh);

	if (mac) {
		memcpy(search->mac, mac, TTP_MAC_LEN);
		search->ifindex = 1;
	}
	return MNL_CB_OK;
}

/* -EHOSTUNREACH if it is not an Ethernet: TTP cannot get there */
int ttp_link_mac(int ifindex, uint8_t *mac)
{
	struct link_search search = {};
	union ttp_nl_request req;
	struct ifinfomsg *link;
	int err;

	link = ttp_nl_request(&req, RTM_GETLINK, 0, sizeof(*link));
	link->ifi_index = ifindex;
	mnl_attr_put_u32(&req.nlh, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	err = ttp_nl_ask(&req, take_mac, &search);
	if (err)
		return err;
	if (!search.ifindex)
		return -EHOSTUNREACH;
	memcpy(mac, search.mac, TTP_MAC_LEN);
	return 0;
}

static int match_mac(const struct nlmsghdr *nlh, void *arg)
{
	const struct ifinfomsg *link = mnl_nlmsg_get_payload(nlh);
	struct link_search *search = arg;
	const uint8_t *mac = ether_mac(nlh);

	if (mac && !search->ifindex && !memcmp(mac, search->mac, TTP_MAC_LEN))
		search->ifindex = link->ifi_index;
	return MNL_CB_OK;
}

int ttp_link_by_mac(const uint8_t *mac, int *ifindex)
{
	struct link_search search = {};
	union ttp_nl_request req;
	int err;

	memcpy(search.mac, mac, TTP_MAC_LEN);
	ttp_nl_request(&req, RTM_GETLINK, NLM_F_DUMP,
		       sizeof(struct ifinfomsg));
	mnl_attr_put_u32(&req.nlh, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	err = ttp_nl_ask(&req, match_mac, &search);
	if (err)
		return err;
	*ifindex = search.ifindex;
	return *ifindex ? 0 : -ENOENT;
}

/* What is looked for among the addresses of this host: the device that has an
 * address, or an address that a device has
 */
struct own_search {
	struct ttp_ip ip;
	bool by_ip;
	bool found;
};

static int match_own(const struct nlmsghdr *nlh, void *arg)
{
	const struct ifaddrmsg *ifa = mnl_nlmsg_get_payload(nlh);
	struct own_search *search = arg;
	struct ttp_ip *ip = &search->ip;
	const struct nlattr *attr;

	if (search->found || nlh->nlmsg_type != RTM_NEWADDR ||
	    ifa->ifa_family != ip->family || ifa->ifa_index == LOOPBACK ||
	    (ip->ifindex && (int)ifa->ifa_index != ip->ifindex))
		return MNL_CB_OK;
	/* where both are there, IFA_ADDRESS is the other end's */
	attr = ttp_nl_attr(nlh, sizeof(*ifa), IFA_LOCAL, ip->len);
	if (!attr)
		attr = ttp_nl_attr(nlh, sizeof(*ifa), IFA_ADDRESS, ip->len);
	if (!attr)
		return MNL_CB_OK;
	if (!search->by_ip)
		memcpy(ip->bytes, mnl_attr_get_payload(attr), ip->len);
	else if (memcmp(ip->bytes, mnl_attr_get_payload(attr), ip->len))
		return MNL_CB_OK;
	ip->ifindex = ifa->ifa_index;
	search->found = true;
	return MNL_CB_OK;
}

static int search_own(struct own_search *search)
{
	union ttp_nl_request req;
	struct ifaddrmsg *ifa;

	ifa = ttp_nl_request(&req, RTM_GETADDR, NLM_F_DUMP, sizeof(*ifa));
	ifa->ifa_family = search->ip.family;
	return ttp_nl_ask(&req, match_own, search);
}

/* The device that has this address, which another host can reach: an address
 * may be on the loopback device as well, or on that alone
 */
int ttp_link_of_own(const struct ttp_ip *ip, int *ifindex)
{
	struct own_search search = { .ip = *ip, .by_ip = true };
	int err = search_own(&search);

	if (err)
		return err;
	*ifindex = search.ip.ifindex;
	return search.found ? 0 : -EHOSTUNREACH;
}

int ttp_link_own_ip(int ifindex, int family, struct ttp_ip *ip)
{
	struct own_search search = {
		.ip = {
			.family = family,
			.ifindex = ifindex,
			.len = family == AF_INET ? sizeof(struct in_addr) :
						   sizeof(struct in6_addr),
		},
	};
	int err = search_own(&search);

	if (err)
		return err;
	*ip = search.ip;
	return search.found ? 0 : -ENOENT;
}
