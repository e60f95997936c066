// SPDX-License-Identifier: GPL-2.0
/*
 * The neighbour table: MAC addresses of IP addresses, and back.
 *
 * Only who may administer the network can tell the kernel to look for a
 * neighbour.  Anybody may send something there, which makes it look: an empty
 * datagram to the discard port, that no router passes on.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/udp.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <linux/neighbour.h>

#include "internal.h"

#define DISCARD_PORT	9
#define DEFAULT_MS	1000
/* Look again so often, should a notification have been lost */
#define LOOK_AGAIN_MS	250

#define NUD_KNOWN (NUD_PERMANENT | NUD_NOARP | NUD_REACHABLE | NUD_PROBE | \
		   NUD_STALE | NUD_DELAY)

static const uint8_t no_mac[TTP_MAC_LEN];

struct neigh_search {
	struct ttp_ip ip;
	uint8_t mac[TTP_MAC_LEN];
	unsigned int state;	/* 0: there is no entry */
};

/* The MAC address of a neighbour whose is known, else NULL */
static const uint8_t *known_mac(const struct nlmsghdr *nlh)
{
	const struct ndmsg *ndm = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr;
	const uint8_t *mac;

	if (nlh->nlmsg_type != RTM_NEWNEIGH || !(ndm->ndm_state & NUD_KNOWN))
		return NULL;
	attr = ttp_nl_attr(nlh, sizeof(*ndm), NDA_LLADDR, TTP_MAC_LEN);
	if (!attr)
		return NULL;
	mac = mnl_attr_get_payload(attr);
	return memcmp(mac, no_mac, TTP_MAC_LEN) ? mac : NULL;
}

/* An entry of the table, or a notification */
static int take_neigh(const struct nlmsghdr *nlh, void *arg)
{
	const struct ndmsg *ndm = mnl_nlmsg_get_payload(nlh);
	struct neigh_search *search = arg;
	const struct ttp_ip *ip = &search->ip;
	const struct nlattr *dst;
	const uint8_t *mac;

	if (nlh->nlmsg_type != RTM_NEWNEIGH || ndm->ndm_family != ip->family ||
	    ndm->ndm_ifindex != ip->ifindex)
		return MNL_CB_OK;
	dst = ttp_nl_attr(nlh, sizeof(*ndm), NDA_DST, ip->len);
	if (!dst || memcmp(mnl_attr_get_payload(dst), ip->bytes, ip->len))
		return MNL_CB_OK;
	mac = known_mac(nlh);
	if (mac)
		memcpy(search->mac, mac, TTP_MAC_LEN);
	/* whatever it is called, without an address it is not known */
	search->state = mac ? ndm->ndm_state : ndm->ndm_state & ~NUD_KNOWN;
	return MNL_CB_OK;
}

static int look(struct neigh_search *search)
{
	union ttp_nl_request req;
	struct ndmsg *ndm;
	int err;

	search->state = 0;
	ndm = ttp_nl_request(&req, RTM_GETNEIGH, 0, sizeof(*ndm));
	ndm->ndm_family = search->ip.family;
	ndm->ndm_ifindex = search->ip.ifindex;
	mnl_attr_put(&req.nlh, NDA_DST, search->ip.len, search->ip.bytes);
	err = ttp_nl_ask(&req, take_neigh, search);
	return err == -ENOENT ? 0 : err;
}

/* Make the kernel look for a neighbour, or look whether it is still there */
static int provoke(const struct ttp_ip *ip)
{
	struct sockaddr_in6 in6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(DISCARD_PORT),
		.sin6_scope_id = ip->ifindex,
	};
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = htons(DISCARD_PORT),
	};
	bool v4 = ip->family == AF_INET;
	int fd, one = 1, err = 0;

	memcpy(v4 ? (void *)&in.sin_addr : &in6.sin6_addr, ip->bytes, ip->len);
	fd = socket(ip->family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_BINDTOIFINDEX, &ip->ifindex,
		       sizeof(ip->ifindex)) ||
	    setsockopt(fd, v4 ? IPPROTO_IP : IPPROTO_IPV6,
		       v4 ? IP_TTL : IPV6_UNICAST_HOPS, &one, sizeof(one)) ||
	    sendto(fd, NULL, 0, MSG_DONTWAIT,
		   v4 ? (struct sockaddr *)&in : (struct sockaddr *)&in6,
		   v4 ? sizeof(in) : sizeof(in6)) < 0)
		err = -errno;
	close(fd);
	return err == -ENETUNREACH ? -EHOSTUNREACH : err;
}

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* Take notifications until there is none; @search->state tells what of them was
 * about it.  -EAGAIN if some were lost.
 */
static int take_events(struct mnl_socket *events, struct neigh_search *search)
{
	union {
		struct nlmsghdr nlh;
		char bytes[8192];
	} buf;
	ssize_t n;

	for (;;) {
		n = mnl_socket_recvfrom(events, &buf, sizeof(buf));
		if (n > 0)
			mnl_cb_run(&buf, n, 0, 0, take_neigh, search);
		else if (n < 0 && errno == ENOBUFS)
			return -EAGAIN;
		else if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		else
			return 0;
	}
}

static int wait_known(struct mnl_socket *events, struct neigh_search *search,
		      int timeout_ms)
{
	struct pollfd poll_in = { mnl_socket_get_fd(events), POLLIN, 0 };
	long long end = now_ms() + timeout_ms, left = timeout_ms;
	int err = look(search), n;

	while (!err && !(search->state & (NUD_KNOWN | NUD_FAILED)) &&
	       left > 0) {
		n = poll(&poll_in, 1,
			 left < LOOK_AGAIN_MS ? left : LOOK_AGAIN_MS);
		if (n < 0 && errno != EINTR)
			return -errno;
		err = n > 0 ? take_events(events, search) : -EAGAIN;
		/* the failure may be one from before we asked */
		if (err == -EAGAIN || (!err && search->state & NUD_FAILED))
			err = look(search);
		left = end - now_ms();
	}
	return err ? err : search->state & NUD_KNOWN ? 0 : -ETIMEDOUT;
}

/* Notifications are ordered before anything can happen that they tell */
static int ask_and_wait(struct neigh_search *search, int timeout_ms)
{
	struct mnl_socket *events;
	int err;

	events = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (!events)
		return -errno;
	if (mnl_socket_bind(events, RTMGRP_NEIGH, MNL_SOCKET_AUTOPID))
		err = -errno;
	else
		err = provoke(&search->ip);
	if (!err)
		err = wait_known(events, search, timeout_ms);
	mnl_socket_close(events);
	return err;
}

/* The MAC address of the neighbour @ip on the device @ip->ifindex */
int ttp_neigh_mac(const struct ttp_ip *ip, int timeout_ms, uint8_t *mac)
{
	struct neigh_search search = { .ip = *ip };
	int err = look(&search);

	if (err)
		return err;
	if (search.state & NUD_STALE) {
		/* IP would use it, and have it checked.  So do we: nothing
		 * that TTP sends makes the kernel look whether it is true.
		 */
		provoke(ip);
	} else if (!(search.state & NUD_KNOWN)) {
		err = ask_and_wait(&search,
				   timeout_ms < 0 ? DEFAULT_MS : timeout_ms);
		if (err)
			return err;
	}
	memcpy(mac, search.mac, TTP_MAC_LEN);
	return 0;
}

/* The better of several addresses that a host has: in use, and not only good on
 * this network
 */
static int rank(unsigned int state, const struct ttp_ip *ip)
{
	int used = state & (NUD_PERMANENT | NUD_REACHABLE) ? 3 :
		   state & (NUD_DELAY | NUD_PROBE) ? 2 : 1;

	return used + (ttp_ip_is_link_local(ip) ? 0 : 4);
}

struct back_search {
	struct ttp_ip ip;	/* the best so far; ifindex that of the search */
	const uint8_t *mac;
	int ifindex;
	int rank;		/* 0: none was found */
};

static int match_neigh(const struct nlmsghdr *nlh, void *arg)
{
	const struct ndmsg *ndm = mnl_nlmsg_get_payload(nlh);
	const uint8_t *mac = known_mac(nlh);
	struct back_search *search = arg;
	struct ttp_ip ip = search->ip;
	const struct nlattr *dst;

	if (!mac || memcmp(mac, search->mac, TTP_MAC_LEN) ||
	    ndm->ndm_family != ip.family ||
	    (search->ifindex && ndm->ndm_ifindex != search->ifindex))
		return MNL_CB_OK;
	dst = ttp_nl_attr(nlh, sizeof(*ndm), NDA_DST, ip.len);
	if (!dst)
		return MNL_CB_OK;
	memcpy(ip.bytes, mnl_attr_get_payload(dst), ip.len);
	ip.ifindex = ndm->ndm_ifindex;
	if (rank(ndm->ndm_state, &ip) > search->rank) {
		search->rank = rank(ndm->ndm_state, &ip);
		search->ip = ip;
	}
	return MNL_CB_OK;
}

/* An address of the neighbour with this MAC address; @ifindex 0: on any device */
int ttp_neigh_ip(const uint8_t *mac, int ifindex, int family,
		 struct ttp_ip *ip)
{
	struct back_search search = {
		.mac = mac,
		.ifindex = ifindex,
		.ip = {
			.family = family,
			.len = family == AF_INET ? sizeof(struct in_addr) :
						   sizeof(struct in6_addr),
		},
	};
	union ttp_nl_request req;
	struct ndmsg *ndm;
	int err;

	ndm = ttp_nl_request(&req, RTM_GETNEIGH, NLM_F_DUMP, sizeof(*ndm));
	ndm->ndm_family = family;
	if (ifindex)
		mnl_attr_put_u32(&req.nlh, NDA_IFINDEX, ifindex);
	err = ttp_nl_ask(&req, match_neigh, &search);
	if (err)
		return err;
	*ip = search.ip;
	return search.rank ? 0 : -ENOENT;
}
