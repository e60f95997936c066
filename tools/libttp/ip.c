// SPDX-License-Identifier: GPL-2.0
/*
 * From IP addresses to those of TTP, and back.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "internal.h"

bool ttp_ip_is_link_local(const struct ttp_ip *ip)
{
	if (ip->family == AF_INET)
		return ip->bytes[0] == 169 && ip->bytes[1] == 254;
	return ip->bytes[0] == 0xfe && (ip->bytes[1] & 0xc0) == 0x80;
}

/* An IPv4 address as programs that only use IPv6 sockets see it */
static void unmap(struct ttp_ip *ip)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (memcmp(ip->bytes, mapped, sizeof(mapped)))
		return;
	ip->family = AF_INET;
	ip->len = sizeof(struct in_addr);
	memmove(ip->bytes, ip->bytes + sizeof(mapped), ip->len);
}

int ttp_ip_read(const struct sockaddr *sa, socklen_t len, struct ttp_ip *ip)
{
	struct sockaddr_in6 in6;
	struct sockaddr_in in;

	memset(ip, 0, sizeof(*ip));
	if (len < sizeof(sa->sa_family))
		return -EINVAL;
	ip->family = sa->sa_family;
	switch (ip->family) {
	case AF_INET:
		if (len < sizeof(in))
			return -EINVAL;
		memcpy(&in, sa, sizeof(in));
		ip->port = in.sin_port;
		ip->len = sizeof(in.sin_addr);
		memcpy(ip->bytes, &in.sin_addr, ip->len);
		return 0;
	case AF_INET6:
		if (len < sizeof(in6))
			return -EINVAL;
		memcpy(&in6, sa, sizeof(in6));
		ip->port = in6.sin6_port;
		ip->len = sizeof(in6.sin6_addr);
		memcpy(ip->bytes, &in6.sin6_addr, ip->len);
		/* elsewhere the field means nothing */
		if (ttp_ip_is_link_local(ip))
			ip->ifindex = in6.sin6_scope_id;
		unmap(ip);
		return 0;
	}
	return -EAFNOSUPPORT;
}

static int ip_write(const struct ttp_ip *ip, struct sockaddr *sa,
		    socklen_t *len)
{
	struct sockaddr_in6 in6 = {
		.sin6_family = AF_INET6,
		.sin6_port = ip->port,
	};
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = ip->port,
	};
	socklen_t need = ip->family == AF_INET ? sizeof(in) : sizeof(in6);

	if (*len < need)
		return -ENOSPC;
	*len = need;
	if (ip->family == AF_INET) {
		memcpy(&in.sin_addr, ip->bytes, sizeof(in.sin_addr));
		memcpy(sa, &in, sizeof(in));
		return 0;
	}
	memcpy(&in6.sin6_addr, ip->bytes, sizeof(in6.sin6_addr));
	if (ttp_ip_is_link_local(ip))
		in6.sin6_scope_id = ip->ifindex;
	memcpy(sa, &in6, sizeof(in6));
	return 0;
}

/* @ip->ifindex, if it is set, says where to look */
int ttp_ip_resolve(struct ttp_ip *ip, int timeout_ms,
		   struct sockaddr_ttp *addr)
{
	struct sockaddr_ttp found = {
		.sttp_family = AF_TTP,
		.sttp_port = ip->port,
	};
	bool own;
	int err;

	if (ip->family == AF_INET6 && ttp_ip_is_link_local(ip) && !ip->ifindex)
		return -EINVAL;
	err = ttp_route_find(ip, &found.sttp_ifindex, &own);
	if (!err && own)
		err = ttp_link_of_own(ip, &found.sttp_ifindex);
	/* own or not, it must be an Ethernet */
	if (!err)
		err = ttp_link_mac(found.sttp_ifindex, found.sttp_addr);
	if (!err && !own) {
		ip->ifindex = found.sttp_ifindex;
		err = ttp_neigh_mac(ip, timeout_ms, found.sttp_addr);
	}
	if (!err)
		*addr = found;
	return err;
}

int ttp_from_ip(const struct sockaddr *ip, socklen_t len, int timeout_ms,
		struct sockaddr_ttp *addr)
{
	struct ttp_ip found;
	int err, state;

	/* a thread that is cancelled would leave descriptors behind */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	err = ttp_ip_read(ip, len, &found);
	if (!err)
		err = ttp_ip_resolve(&found, timeout_ms, addr);
	pthread_setcancelstate(state, NULL);
	if (err)
		errno = -err;
	return err ? -1 : 0;
}

/* Of a neighbour, or of this host if the MAC address is its own */
static int find_ip(const struct sockaddr_ttp *addr, int family,
		   struct ttp_ip *ip)
{
	uint8_t mac[TTP_MAC_LEN];
	int err, ifindex = addr->sttp_ifindex;

	err = ttp_neigh_ip(addr->sttp_addr, ifindex, family, ip);
	if (err != -ENOENT)
		return err;
	if (!ifindex) {
		err = ttp_link_by_mac(addr->sttp_addr, &ifindex);
		return err ? err : ttp_link_own_ip(ifindex, family, ip);
	}
	err = ttp_link_mac(ifindex, mac);
	if (err)
		return err == -EHOSTUNREACH ? -ENOENT : err;
	if (memcmp(mac, addr->sttp_addr, TTP_MAC_LEN))
		return -ENOENT;
	return ttp_link_own_ip(ifindex, family, ip);
}

int ttp_to_ip(const struct sockaddr_ttp *addr, int family, struct sockaddr *ip,
	      socklen_t *len)
{
	struct ttp_ip found;
	int err, state;

	if (addr->sttp_family != AF_TTP ||
	    (family != AF_INET && family != AF_INET6 && family != AF_UNSPEC)) {
		errno = EAFNOSUPPORT;
		return -1;
	}
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	err = find_ip(addr, family == AF_INET6 ? AF_INET6 : AF_INET, &found);
	if (err == -ENOENT && family == AF_UNSPEC)
		err = find_ip(addr, AF_INET6, &found);
	pthread_setcancelstate(state, NULL);
	found.port = addr->sttp_port;
	if (!err)
		err = ip_write(&found, ip, len);
	if (err)
		errno = -err;
	return err ? -1 : 0;
}
