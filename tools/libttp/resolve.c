// SPDX-License-Identifier: GPL-2.0
/*
 * From the name of a host to its address.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <pthread.h>
#include <string.h>

#include "internal.h"

/* What is neither an address nor may be a name */
static bool is_strange(const char *name)
{
	return !*name || strpbrk(name, ":[]/ \t\n");
}

static int name_error(int err)
{
	switch (err) {
	case EAI_NONAME:
	case EAI_NODATA:
	case EAI_ADDRFAMILY:
		return -ENOENT;
	case EAI_AGAIN:
		return -EAGAIN;
	case EAI_MEMORY:
		return -ENOMEM;
	case EAI_SYSTEM:
		return -errno;
	}
	return -EIO;
}

/* The first address of the host that leads somewhere; if none does, the error
 * of one that is on a network here
 */
static int by_host_name(const char *name, int ifindex, int timeout_ms,
			struct sockaddr_ttp *addr)
{
	struct addrinfo hints = { .ai_socktype = SOCK_DGRAM }, *list, *ai;
	int err, ret = -EHOSTUNREACH;
	struct ttp_ip ip;

	err = getaddrinfo(name, NULL, &hints, &list);
	if (err)
		return name_error(err);
	for (ai = list; ai; ai = ai->ai_next) {
		err = ttp_ip_read(ai->ai_addr, ai->ai_addrlen, &ip);
		if (ifindex)
			ip.ifindex = ifindex;
		if (!err)
			err = ttp_ip_resolve(&ip, timeout_ms, addr);
		if (!err)
			break;
		if (ret == -EHOSTUNREACH)
			ret = err;
	}
	freeaddrinfo(list);
	return err ? ret : 0;
}

static bool by_ethers(const char *name, int ifindex, struct sockaddr_ttp *addr)
{
	struct ether_addr mac;

	if (ether_hostton(name, &mac))
		return false;
	memset(addr, 0, sizeof(*addr));
	addr->sttp_family = AF_TTP;
	addr->sttp_ifindex = ifindex;
	memcpy(addr->sttp_addr, &mac, TTP_MAC_LEN);
	return true;
}

static bool is_ip(const char *name, struct ttp_ip *ip)
{
	if (inet_pton(AF_INET, name, ip->bytes) == 1) {
		ip->family = AF_INET;
		ip->len = sizeof(struct in_addr);
		return true;
	}
	ip->family = AF_INET6;
	ip->len = sizeof(struct in6_addr);
	return inet_pton(AF_INET6, name, ip->bytes) == 1;
}

/* @name is without its device @dev, which is NULL if there was none */
static int by_name(const char *name, const char *dev, int timeout_ms,
		   struct sockaddr_ttp *addr)
{
	struct ttp_ip ip = {};
	bool found = is_ip(name, &ip);
	int err;

	if (!found && is_strange(name))
		return -EINVAL;
	if (dev) {
		err = ttp_text_device(dev, &ip.ifindex);
		if (err)
			return err;
	}
	if (found)
		return ttp_ip_resolve(&ip, timeout_ms, addr);
	if (by_ethers(name, ip.ifindex, addr))
		return 0;
	return by_host_name(name, ip.ifindex, timeout_ms, addr);
}

static int resolve(const char *name, int timeout_ms, struct sockaddr_ttp *addr)
{
	const char *dev = strchr(name, '%');
	size_t len = dev ? (size_t)(dev - name) : strlen(name);
	char host[NI_MAXHOST];
	int err;

	err = ttp_text_parse(name, addr);
	if (err != -EINVAL)
		return err;
	if (len >= sizeof(host))
		return -EINVAL;
	memcpy(host, name, len);
	host[len] = '\0';
	return by_name(host, dev ? dev + 1 : NULL, timeout_ms, addr);
}

int ttp_resolve(const char *name, unsigned short port, int timeout_ms,
		struct sockaddr_ttp *addr)
{
	struct sockaddr_ttp found;
	int err, state;

	/* as in ttp_from_ip() */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	err = resolve(name, timeout_ms, &found);
	pthread_setcancelstate(state, NULL);
	if (err) {
		errno = -err;
		return -1;
	}
	*addr = found;
	if (!addr->sttp_port)
		addr->sttp_port = htons(port);
	return 0;
}
