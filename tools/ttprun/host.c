// SPDX-License-Identifier: GPL-2.0
/*
 * IP addresses of both families in one form.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <string.h>

#include "run.h"

/* False: no address of IPv4 or IPv6 */
bool host_get(struct host *host, const void *sa, socklen_t len)
{
	const struct sockaddr *name = sa;
	struct sockaddr_in6 in6;
	struct sockaddr_in in;

	memset(host, 0, sizeof(*host));
	if (!sa || len < sizeof(name->sa_family))
		return false;
	if (name->sa_family == AF_INET && len >= sizeof(in)) {
		memcpy(&in, sa, sizeof(in));
		host->port = in.sin_port;
		host->addr.s6_addr32[2] = htonl(0xffff);
		host->addr.s6_addr32[3] = in.sin_addr.s_addr;
		return true;
	}
	/* RFC 2133 had no scope: UDP takes those, too */
	if (name->sa_family != AF_INET6 || len < 24)
		return false;
	memset(&in6, 0, sizeof(in6));
	memcpy(&in6, sa, len < sizeof(in6) ? len : sizeof(in6));
	host->port = in6.sin6_port;
	host->addr = in6.sin6_addr;
	if (IN6_IS_ADDR_LINKLOCAL(&host->addr))
		host->scope = in6.sin6_scope_id;
	return true;
}

socklen_t host_put(const struct host *host, int family,
		   struct sockaddr_storage *to)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)to;
	struct sockaddr_in *in = (struct sockaddr_in *)to;

	memset(to, 0, sizeof(*in6));
	to->ss_family = family;
	if (family == AF_INET) {
		in->sin_port = host->port;
		in->sin_addr.s_addr = host->addr.s6_addr32[3];
		return sizeof(*in);
	}
	in6->sin6_port = host->port;
	in6->sin6_addr = host->addr;
	in6->sin6_scope_id = host->scope;
	return sizeof(*in6);
}

/* As the kernel does: as much as there is room for, and the whole length */
void host_copy_out(const struct host *host, int family, void *name,
		   socklen_t *len)
{
	struct sockaddr_storage ss;
	socklen_t n = host_put(host, family, &ss);

	if (!name)
		return;
	memcpy(name, &ss, *len < n ? *len : n);
	*len = n;
}

bool host_same(const struct host *a, const struct host *b)
{
	return IN6_ARE_ADDR_EQUAL(&a->addr, &b->addr) && a->port == b->port &&
	       a->scope == b->scope;
}

bool host_is_ipv4(const struct host *host)
{
	return IN6_IS_ADDR_V4MAPPED(&host->addr);
}

bool host_is_any(const struct host *host)
{
	return IN6_IS_ADDR_UNSPECIFIED(&host->addr) ||
	       (host_is_ipv4(host) && !host->addr.s6_addr32[3]);
}

/* ADDR:PORT, with brackets for IPv6; @text has HOST_TEXT bytes */
const char *host_text(const struct host *host, char *text)
{
	char addr[INET6_ADDRSTRLEN], scope[IF_NAMESIZE + 2] = "";
	unsigned int port = ntohs(host->port);

	if (host_is_ipv4(host)) {
		inet_ntop(AF_INET, &host->addr.s6_addr32[3], addr,
			  sizeof(addr));
		snprintf(text, HOST_TEXT, "%s:%u", addr, port);
		return text;
	}
	inet_ntop(AF_INET6, &host->addr, addr, sizeof(addr));
	if (host->scope)
		snprintf(scope, sizeof(scope), "%%%u", host->scope);
	snprintf(text, HOST_TEXT, "[%s%s]:%u", addr, scope, port);
	return text;
}
