/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of libttp know of each other.  Functions return 0 or a
 * negative errno; only the public ones set errno.
 */
#ifndef _LIBTTP_INTERNAL_H
#define _LIBTTP_INTERNAL_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "libttp.h"

#define TTP_MAC_LEN	6

/**
 * struct ttp_ip - an IP address
 * @family: AF_INET or AF_INET6
 * @ifindex: device that it is on, 0 = not told
 * @port: network order
 * @len: of @bytes
 * @bytes: the address
 */
struct ttp_ip {
	int family;
	int ifindex;
	in_port_t port;
	unsigned int len;
	uint8_t bytes[sizeof(struct in6_addr)];
};

/* text.c */
int ttp_text_parse(const char *text, struct sockaddr_ttp *addr);
int ttp_text_device(const char *text, int *ifindex);

/* nl.c: requests to rtnetlink */

/* Room for a request; aligned for what is in it */
union ttp_nl_request {
	struct nlmsghdr nlh;
	char bytes[256];
};

void *ttp_nl_request(union ttp_nl_request *req, uint16_t type, uint16_t flags,
		     size_t len);
int ttp_nl_ask(union ttp_nl_request *req, mnl_cb_t fn, void *arg);
const struct nlattr *ttp_nl_attr(const struct nlmsghdr *nlh, size_t head,
				 uint16_t type, size_t len);

/* link.c: devices of this host */
int ttp_link_by_name(const char *name);
int ttp_link_mac(int ifindex, uint8_t *mac);
int ttp_link_by_mac(const uint8_t *mac, int *ifindex);
int ttp_link_of_own(const struct ttp_ip *ip, int *ifindex);
int ttp_link_own_ip(int ifindex, int family, struct ttp_ip *ip);

/* route.c */
int ttp_route_find(const struct ttp_ip *ip, int *ifindex, bool *own);

/* neigh.c: neighbours */
int ttp_neigh_mac(const struct ttp_ip *ip, int timeout_ms, uint8_t *mac);
int ttp_neigh_ip(const uint8_t *mac, int ifindex, int family,
		 struct ttp_ip *ip);

/* ip.c */
int ttp_ip_resolve(struct ttp_ip *ip, int timeout_ms,
		   struct sockaddr_ttp *addr);
int ttp_ip_read(const struct sockaddr *sa, socklen_t len, struct ttp_ip *ip);
bool ttp_ip_is_link_local(const struct ttp_ip *ip);

#endif /* _LIBTTP_INTERNAL_H */
