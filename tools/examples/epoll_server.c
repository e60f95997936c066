// SPDX-License-Identifier: GPL-2.0
/*
 * Keep a sum for each of many clients: a request is a number, the answer is
 * what the numbers of that client add up to.  As requests are run at most once,
 * and asked for again where packets are lost, the sums are exact.
 *
 * One thread waits for everything, and one socket serves all clients.
 */
#include <endian.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

#include "example.h"

#define MAX_CLIENTS	(1 << 16)	/* a power of 2 */

static struct client {
	struct sockaddr_ttp addr;	/* of its last request, with the tag */
	uint64_t sum;
} clients[MAX_CLIENTS];

static unsigned long n_clients, n_requests, n_waits;

/* Where the client is in the table, or will be; NULL if that is full */
static struct client *find(const struct sockaddr_ttp *a)
{
	const size_t len = offsetof(struct sockaddr_ttp, sttp_rpc);
	const uint8_t *key = (const uint8_t *)a;
	uint32_t hash = 2166136261;
	struct client *c;
	size_t i;

	for (i = 0; i < len; i++)	/* FNV-1a */
		hash = (hash ^ key[i]) * 16777619;
	for (i = 0; i < MAX_CLIENTS; i++) {
		c = &clients[(hash + i) % MAX_CLIENTS];
		if (!c->addr.sttp_family)
			n_clients++;
		if (!c->addr.sttp_family || !memcmp(&c->addr, a, len)) {
			c->addr = *a;
			return c;
		}
	}
	return NULL;
}

/* False if the answer has to wait for room in the send buffer */
static bool answer(int fd, struct client *c)
{
	uint64_t sum = htobe64(c->sum);

	if (sendto(fd, &sum, sizeof(sum), MSG_DONTWAIT,
		   (struct sockaddr *)&c->addr, sizeof(c->addr)) >= 0)
		return true;
	if (errno == EAGAIN)
		return false;
	warn("%s", name_of(&c->addr));	/* it has gone */
	return true;
}

/* Serve what there is; the client whose answer has to wait, if any */
static struct client *serve(int fd)
{
	struct sockaddr_ttp from;
	struct client *c;
	uint64_t value;
	socklen_t len;
	ssize_t n;

	for (;;) {
		len = sizeof(from);
		n = recvfrom(fd, &value, sizeof(value),
			     MSG_DONTWAIT | MSG_TRUNC,
			     (struct sockaddr *)&from, &len);
		if (n < 0 && errno == EAGAIN)
			return NULL;
		if (n < 0)
			err(1, "recvfrom");
		c = n == sizeof(value) ? find(&from) : NULL;
		if (!c) {
			/* an empty answer says no */
			sendto(fd, NULL, 0, MSG_DONTWAIT,
			       (struct sockaddr *)&from, len);
			continue;
		}
		n_requests++;
		c->sum += be64toh(value);
		if (!answer(fd, c))
			return c;
	}
}

/* Wait for requests; or, while an answer waits, for room */
static void watch(int ep, int fd, int op, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.fd = fd };

	if (epoll_ctl(ep, op, fd, &ev))
		err(1, "epoll_ctl");
}

int main(int argc, char **argv)
{
	int fd, ep = epoll_create1(EPOLL_CLOEXEC), signals;
	struct client *waits = NULL;
	struct epoll_event ev;
	sigset_t set;

	if (argc != 2)
		errx(2, "usage: ttp_epoll_server PORT");
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (ep < 0 || signals < 0)
		err(1, "epoll or signalfd");
	fd = server_socket(argv[1]);
	watch(ep, fd, EPOLL_CTL_ADD, EPOLLIN);
	watch(ep, signals, EPOLL_CTL_ADD, EPOLLIN);
	puts("ready");
	fflush(stdout);
	for (;;) {
		if (epoll_wait(ep, &ev, 1, -1) < 0) {
			if (errno == EINTR)
				continue;
			err(1, "epoll_wait");
		}
		if (ev.data.fd == signals)
			break;
		if (waits && !answer(fd, waits))
			continue;
		waits = serve(fd);
		n_waits += !!waits;
		watch(ep, fd, EPOLL_CTL_MOD, waits ? EPOLLOUT : EPOLLIN);
	}
	printf("%lu clients, %lu requests, waited %lu times\n", n_clients,
	       n_requests, n_waits);
	return 0;
}
