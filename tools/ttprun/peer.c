// SPDX-License-Identifier: GPL-2.0
/*
 * Which IP address is which peer, by libttp, and remembered for a while.
 *
 * The lock of sock.c protects what is remembered; it is not held while libttp
 * asks the kernel.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <time.h>

#include <libttp.h>

#include "run.h"

#define SLOTS		1024
#define MADE_UP		4096
#define IPV6_KNOWN	1024

/* How long to believe: an address, that there is nobody, that a host is silent */
#define KNOWN_MS	30000
#define ABSENT_MS	5000
#define SILENT_MS	60000

/* How long a neighbour is waited for; who asked not to be blocked, gets less */
#define WAIT_MS		1000
#define HURRY_MS	200

/* From an IP address */
struct forth {
	struct host		host;	/* without port */
	struct sockaddr_ttp	addr;
	enum cause		cause;
	int64_t			until_ms;
};

/* From a MAC address */
struct back {
	struct sockaddr_ttp	addr;	/* without port */
	int			family;	/* AF_INET6: only IPv6 */
	struct host		host;
	int64_t			until_ms;
};

static struct forth forth[SLOTS];
static struct back back[SLOTS];

/* Peers without a known IP address: the nth is 169.254.x.y */
static struct sockaddr_ttp made_up[MADE_UP];
static unsigned int n_made_up;

/* IPv6 addresses that requests went to: too long for a cookie */
static struct host ipv6[IPV6_KNOWN];
static unsigned int n_ipv6;

/* Our address towards a peer */
static struct {
	struct host	peer;
	struct host	local;
	int64_t		until_ms;
} locals[SLOTS];

/* Peers that do not talk TTP */
static struct {
	struct sockaddr_ttp	addr;
	int64_t			until_ms;
} silent[SLOTS];

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static unsigned int slot_of_host(const struct host *host)
{
	uint32_t hash = host->scope;
	unsigned int i;

	for (i = 0; i < 4; i++)
		hash = (hash ^ host->addr.s6_addr32[i]) * 2654435761U;
	return hash >> 16 & (SLOTS - 1);
}

static unsigned int slot_of_mac(const struct sockaddr_ttp *addr)
{
	uint32_t hash = addr->sttp_ifindex;
	unsigned int i;

	for (i = 0; i < sizeof(addr->sttp_addr); i++)
		hash = (hash ^ addr->sttp_addr[i]) * 16777619U;
	return hash >> 8 & (SLOTS - 1);
}

static bool same_mac(const struct sockaddr_ttp *a, const struct sockaddr_ttp *b)
{
	return a->sttp_ifindex == b->sttp_ifindex &&
	       !memcmp(a->sttp_addr, b->sttp_addr, sizeof(a->sttp_addr));
}

static bool same_ip(const struct host *a, const struct host *b)
{
	return IN6_ARE_ADDR_EQUAL(&a->addr, &b->addr) && a->scope == b->scope;
}

/* Made up addresses: 169.254.0.1 and on, less what is reserved at both ends */

static void made_up_host(unsigned int n, struct host *host)
{
	memset(host, 0, sizeof(*host));
	host->addr.s6_addr32[2] = htonl(0xffff);
	host->addr.s6_addr32[3] = htonl(0xa9fe0100 + n);
}

static bool made_up_find(const struct host *host, struct sockaddr_ttp *addr)
{
	unsigned int n = ntohl(host->addr.s6_addr32[3]) - 0xa9fe0100;

	if (!host_is_ipv4(host) || n >= n_made_up)
		return false;
	*addr = made_up[n];
	return true;
}

/* For IPv6 it is the address that such a device has by itself */
static void made_up_ipv6(const struct sockaddr_ttp *addr, struct host *host)
{
	const uint8_t *mac = addr->sttp_addr;

	memset(host, 0, sizeof(*host));
	host->scope = addr->sttp_ifindex;
	memcpy(host->addr.s6_addr, (uint8_t[16]){
		0xfe, 0x80, [8] = mac[0] ^ 2, mac[1], mac[2], 0xff, 0xfe,
		mac[3], mac[4], mac[5] }, 16);
}

/* Was it made up for whom we have just heard of?  Then there is no need to ask. */
static bool made_up_ipv6_find(const struct host *host,
			      struct sockaddr_ttp *addr)
{
	const uint8_t *ip = host->addr.s6_addr;
	struct sockaddr_ttp mac = {
		.sttp_ifindex = host->scope,
		.sttp_addr = { ip[8] ^ 2, ip[9], ip[10], ip[13], ip[14],
			       ip[15] },
	};
	const struct back *b = back + slot_of_mac(&mac);

	if (!IN6_IS_ADDR_LINKLOCAL(&host->addr) || !same_mac(&b->addr, &mac) ||
	    !same_ip(&b->host, host))
		return false;
	*addr = b->addr;
	return true;
}

static void make_up(const struct sockaddr_ttp *addr, int family,
		    struct host *host)
{
	unsigned int n;

	if (family == AF_INET6) {
		made_up_ipv6(addr, host);
		return;
	}
	for (n = 0; n < n_made_up; n++)
		if (same_mac(made_up + n, addr))
			break;
	/* beyond, the last ones share an address: only replies suffer */
	if (n == MADE_UP)
		n--;
	if (n == n_made_up || n == MADE_UP - 1)
		made_up[n] = *addr;
	if (n == n_made_up)
		n_made_up++;
	made_up_host(n, host);
}

/* What needs no question */
static enum cause plain_cause(const struct host *host)
{
	uint32_t v4 = ntohl(host->addr.s6_addr32[3]);

	if (host_is_any(host) || IN6_IS_ADDR_LOOPBACK(&host->addr))
		return CAUSE_LOOPBACK;
	if (IN6_IS_ADDR_MULTICAST(&host->addr))
		return CAUSE_MULTICAST;
	if (!host_is_ipv4(host))
		return CAUSE_NONE;
	if (v4 >> 24 == IN_LOOPBACKNET)
		return CAUSE_LOOPBACK;
	if (IN_MULTICAST(v4))
		return CAUSE_MULTICAST;
	return v4 == INADDR_BROADCAST ? CAUSE_BROADCAST : CAUSE_NONE;
}

/* The address that all of a network have: UDP is not allowed there unless asked */
static bool is_broadcast(const struct sockaddr_storage *ss, socklen_t len)
{
	bool broadcast = false;
	int fd;

	fd = real.socket(ss->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	if (real.connect(fd, (struct sockaddr *)ss, len))
		broadcast = errno == EACCES;
	real.close(fd);
	return broadcast;
}

static enum cause ask(const struct host *host, bool hurry,
		      struct sockaddr_ttp *addr)
{
	struct sockaddr_storage ss;
	socklen_t len;
	int ret;

	len = host_put(host, host_is_ipv4(host) ? AF_INET : AF_INET6, &ss);
	sock_inside = true;
	ret = ttp_from_ip((struct sockaddr *)&ss, len,
			  hurry ? HURRY_MS : WAIT_MS, addr);
	sock_inside = false;
	if (!ret)
		return CAUSE_NONE;
	switch (errno) {
	case ETIMEDOUT:
		return CAUSE_NEIGHBOUR;
	case EHOSTUNREACH:
		return is_broadcast(&ss, len) ? CAUSE_BROADCAST : CAUSE_REMOTE;
	}
	say_verbose("libttp: %s", strerrordesc_np(errno));
	return CAUSE_LOOKUP;
}

static void remember_back(const struct sockaddr_ttp *addr, int family,
			  const struct host *host, int64_t until_ms)
{
	struct back *b = back + slot_of_mac(addr);

	b->addr = *addr;
	b->family = family;
	b->host = *host;
	b->host.port = 0;
	b->until_ms = until_ms;
}

static void remember(const struct host *host, const struct sockaddr_ttp *addr,
		     enum cause cause)
{
	struct forth *f = forth + slot_of_host(host);

	f->host = *host;
	f->host.port = 0;
	f->cause = cause;
	f->until_ms = now_ms() + (cause ? ABSENT_MS : KNOWN_MS);
	if (cause)
		return;
	f->addr = *addr;
	/* and what it sends comes from there */
	remember_back(addr, host_is_ipv4(host) ? AF_INET : AF_INET6, host,
		      f->until_ms);
}

static bool is_silent(const struct sockaddr_ttp *addr)
{
	unsigned int i = slot_of_mac(addr);

	return silent[i].until_ms > now_ms() &&
	       same_mac(&silent[i].addr, addr);
}

/* It does not answer over TTP: plain UDP for the next time */
void peer_silent(const struct sockaddr_ttp *addr)
{
	unsigned int i = slot_of_mac(addr);
	sigset_t old;

	sock_lock(&old);
	silent[i].addr = *addr;
	silent[i].until_ms = now_ms() + SILENT_MS;
	sock_unlock(&old);
}

static bool recall(const struct host *host, struct sockaddr_ttp *to,
		   enum cause *cause)
{
	struct forth *f = forth + slot_of_host(host);

	if (made_up_find(host, to) || made_up_ipv6_find(host, to)) {
		*cause = CAUSE_NONE;
		return true;
	}
	if (!same_ip(&f->host, host) || f->until_ms <= now_ms())
		return false;
	*to = f->addr;
	*cause = f->cause;
	return true;
}

/**
 * peer_find() - whose address is that?
 * @host: the address
 * @fd: on whose behalf; if its calls must not block this one does not for long
 * @flags: of the call
 * @to: is filled in
 *
 * Return: why it is nobody's.
 */
enum cause peer_find(const struct host *host, int fd, int flags,
		     struct sockaddr_ttp *to)
{
	enum cause cause = plain_cause(host);
	bool hurry, known;
	sigset_t old;

	if (cause)
		return cause;
	sock_lock(&old);
	known = recall(host, to, &cause);
	if (known && !cause && is_silent(to))
		cause = CAUSE_SILENT;
	sock_unlock(&old);
	if (!known) {
		hurry = flags & MSG_DONTWAIT || sock_nonblocking(fd);
		cause = ask(host, hurry, to);
		sock_lock(&old);
		remember(host, to, cause);
		if (!cause && is_silent(to))
			cause = CAUSE_SILENT;
		sock_unlock(&old);
	}
	to->sttp_port = host->port;
	return cause;
}

static bool ask_back(const struct sockaddr_ttp *from, int family,
		     struct host *host)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	int ret;

	sock_inside = true;
	ret = ttp_to_ip(from, family, (struct sockaddr *)&ss, &len);
	sock_inside = false;
	return !ret && host_get(host, &ss, len);
}

/* An address of the peer, for a socket of @family */
static void look_back(const struct sockaddr_ttp *from, int family,
		      bool only_ipv6, struct host *host)
{
	bool found = false;
	sigset_t old;

	/* who is known by both is known by IPv4 */
	if (!only_ipv6)
		found = ask_back(from, AF_INET, host);
	if (!found && family == AF_INET6)
		found = ask_back(from, AF_INET6, host);
	sock_lock(&old);
	if (!found)
		make_up(from, family, host);
	remember_back(from, only_ipv6 ? AF_INET6 : AF_INET, host,
		      now_ms() + KNOWN_MS);
	sock_unlock(&old);
}

void peer_name(const struct sockaddr_ttp *from, int family, bool only_ipv6,
	       struct host *host)
{
	const struct back *b = back + slot_of_mac(from);
	bool known, v4;
	sigset_t old;

	sock_lock(&old);
	known = same_mac(&b->addr, from) && b->until_ms > now_ms();
	v4 = host_is_ipv4(&b->host);
	if (family == AF_INET ? !v4 : only_ipv6 && v4)
		known = false;
	if (known)
		*host = b->host;
	sock_unlock(&old);
	if (!known)
		look_back(from, family, only_ipv6, host);
	host->port = from->sttp_port;
}

/* The first IPv4 address of a device, for who talks to nobody known */
static void first_ipv4(int fd, int ifindex, struct host *local)
{
	struct ifreq ifr = {};

	if (if_indextoname(ifindex, ifr.ifr_name) &&
	    !real.ioctl(fd, SIOCGIFADDR, &ifr))
		host_get(local, &ifr.ifr_addr, sizeof(ifr.ifr_addr));
}

static void ask_local(const struct host *peer, int ifindex, struct host *local)
{
	int family = host_is_ipv4(peer) ? AF_INET : AF_INET6;
	struct sockaddr_storage ss;
	socklen_t len = host_put(peer, family, &ss);
	int fd;

	memset(local, 0, sizeof(*local));
	if (family == AF_INET)
		local->addr.s6_addr32[2] = htonl(0xffff);
	fd = real.socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (!real.connect(fd, (struct sockaddr *)&ss, len)) {
		len = sizeof(ss);
		if (!real.getsockname(fd, (struct sockaddr *)&ss, &len))
			host_get(local, &ss, len);
	} else if (family == AF_INET) {
		first_ipv4(fd, ifindex, local);
	}
	local->port = 0;
	real.close(fd);
}

/* The address here that IP would talk to the peer from */
void peer_local(const struct host *peer, int ifindex, struct host *local)
{
	unsigned int i = slot_of_host(peer);
	sigset_t old;
	bool known;

	sock_lock(&old);
	known = same_ip(&locals[i].peer, peer) && locals[i].until_ms > now_ms();
	if (known)
		*local = locals[i].local;
	sock_unlock(&old);
	if (known)
		return;
	ask_local(peer, ifindex, local);
	sock_lock(&old);
	locals[i].peer = *peer;
	locals[i].local = *local;
	locals[i].until_ms = now_ms() + KNOWN_MS;
	sock_unlock(&old);
}

/*
 * A request's cookie tells where it went, as the program named it: a host has
 * several addresses, and programs compare.  Bits 0 to 31 are the IPv4 address,
 * or the place in ipv6[]; 32 and 33 tell which; the rest makes it different
 * from the next.
 */
uint64_t peer_cookie(const struct host *host)
{
	static uint64_t serial;
	uint64_t cookie = __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED) << 34;
	unsigned int i;
	sigset_t old;

	if (host_is_ipv4(host))
		return cookie | 1ULL << 32 | host->addr.s6_addr32[3];
	sock_lock(&old);
	for (i = 0; i < n_ipv6 && !same_ip(ipv6 + i, host); i++)
		;
	if (i == n_ipv6 && i < IPV6_KNOWN)
		ipv6[n_ipv6++] = *host;
	sock_unlock(&old);
	return i < IPV6_KNOWN ? cookie | 2ULL << 32 | i : cookie;
}

bool peer_from_cookie(uint64_t cookie, const struct sockaddr_ttp *from,
		      struct host *host)
{
	unsigned int kind = cookie >> 32 & 3;
	uint32_t low = cookie;

	memset(host, 0, sizeof(*host));
	if (kind == 1) {
		host->addr.s6_addr32[2] = htonl(0xffff);
		host->addr.s6_addr32[3] = low;
	} else if (kind == 2 && low < n_ipv6) {
		*host = ipv6[low];	/* never changes once it is there */
	} else {
		return false;
	}
	host->port = from->sttp_port;
	return true;
}
