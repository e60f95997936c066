// SPDX-License-Identifier: GPL-2.0
/*
 * Many clients of ttp_epoll_server in one process: each has a socket, sends
 * numbers, the next one when the last is answered, and checks the sums.
 */
#include <endian.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "example.h"

static const char usage[] =
	"usage: ttp_epoll_client [-c CLIENTS] [-n CALLS] [-t SECONDS] HOST PORT\n"
	"  -c CLIENTS  at the same time (default 1000)\n"
	"  -n CALLS    of each (default 10)\n"
	"  -t SECONDS  without any answer before it gives up (default 10)\n";

struct client {
	int fd;
	unsigned long left;	/* calls to make */
	uint64_t sum;		/* what the answer must be */
};

static void begin(struct client *c, int ep, const struct sockaddr_ttp *server)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = c };

	c->fd = connected_socket(server);
	if (c->fd < 0)
		err(1, "%s", name_of(server));
	if (epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &ev))
		err(1, "epoll_ctl");
}

static void ask(struct client *c)
{
	uint64_t value = c->sum % 1009 + c->fd;
	uint64_t wire = htobe64(value);

	if (send(c->fd, &wire, sizeof(wire), 0) < 0)
		err(1, "send");
	c->sum += value;
	c->left--;
}

/* Is the answer right? */
static bool check(struct client *c)
{
	uint64_t sum;
	ssize_t n;

	n = recv(c->fd, &sum, sizeof(sum), MSG_DONTWAIT | MSG_TRUNC);
	if (n < 0)
		warn("client %d", c->fd);
	else if (n != sizeof(sum) || be64toh(sum) != c->sum)
		warnx("client %d: the sum is wrong", c->fd);
	else
		return true;
	return false;
}

int main(int argc, char **argv)
{
	unsigned long n = 1000, calls = 10, seconds = 10, i, busy, wrong = 0;
	struct rlimit files;
	struct epoll_event ev;
	struct client *clients, *c;
	struct sockaddr_ttp server;
	int o, ep;

	while ((o = getopt(argc, argv, "c:n:t:")) != -1) {
		if (o == 'c')
			n = number(optarg, 1, 60000);
		else if (o == 'n')
			calls = number(optarg, 1, 1000000000);
		else if (o == 't')
			seconds = number(optarg, 1, 1000000);
		else
			errx(2, "%s", usage);
	}
	if (optind + 2 != argc)
		errx(2, "%s", usage);
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	server = host_addr(argv[optind], argv[optind + 1]);
	clients = calloc(n, sizeof(*clients));
	ep = epoll_create1(EPOLL_CLOEXEC);
	if (!clients || ep < 0)
		err(1, "memory, or epoll");
	for (i = 0; i < n; i++) {
		clients[i].left = calls;
		begin(&clients[i], ep, &server);
	}
	for (i = 0; i < n; i++)
		ask(&clients[i]);
	for (busy = n; busy; ) {
		o = epoll_wait(ep, &ev, 1, seconds * 1000);
		if (!o)
			errx(1, "%lu clients got no answer", busy);
		if (o < 0)
			err(1, "epoll_wait");
		c = ev.data.ptr;
		if (!check(c)) {
			wrong += 1 + c->left;	/* what it will not ask */
			busy--;
		} else if (c->left) {
			ask(c);
		} else {
			busy--;
		}
	}
	printf("%lu clients, %lu calls, %lu wrong\n", n, n * calls, wrong);
	return !!wrong;
}
