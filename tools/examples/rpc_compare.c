// SPDX-License-Identifier: GPL-2.0
/*
 * The same remote procedure calls over AF_TTP and over TCP, side by side.
 *
 * One call at a time: a request of some size, and a response that gives it
 * back.  Over TCP both have their length in front, on one connection with
 * TCP_NODELAY.  Everything blocks in system calls, so that it also runs where
 * time is virtual.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <libttp.h>

#define MAX_MESSAGE	(16U << 20)
#define MAX_CLASSES	16
#define DEFAULT_SIZES	"0,64,1024,4096,16384,65536,262144,1048576"
#define DEFAULT_COUNT	1000

static const char usage[] =
	"usage: ttp_compare server [-t ADDRESS] PORT\n"
	"       ttp_compare client [-t ADDRESS] [-n COUNT] [-s SIZES] [-r SEED]\n"
	"                          [-w COUNT] HOST PORT\n"
	"\n"
	"The server answers every request with its own bytes, on the AF_TTP port\n"
	"PORT, and prints \"ready\" once it can.  The client makes calls, compares\n"
	"every byte of every answer and prints latencies by size.  HOST is MAC%DEV,\n"
	"or whatever ttp_resolve(3) knows.\n"
	"\n"
	"  -t ADDRESS  over TCP as well: IP:PORT or [IP6]:PORT of the server\n"
	"  -n COUNT    calls, each of a size drawn from SIZES (default 1000)\n"
	"  -s SIZES    list of sizes in bytes with commas, at most 16; K and M\n"
	"              multiply, SIZExTIMES is drawn more often\n"
	"              (default " DEFAULT_SIZES ")\n"
	"  -r SEED     of the order and the contents (default 1)\n"
	"  -w COUNT    calls before that, which are not counted (default 10)\n"
	"\n"
	"Exit status: 0 if all answers were right, 1 if not, 2 for wrong usage.\n";

struct class {
	size_t size;
	unsigned int weight;
};

struct mix {
	struct class class[MAX_CLASSES];
	unsigned int classes;
	unsigned int weight;
};

/* How the calls of one transport went */
struct result {
	const char *name;
	unsigned int failed;
	unsigned int *class;		/* of each call */
	double *us;			/* its latency; negative if it failed */
	unsigned int calls;
};

static unsigned char request[MAX_MESSAGE], response[MAX_MESSAGE + 1];

static void __attribute__((noreturn)) bad_usage(void)
{
	fputs(usage, stderr);
	exit(2);
}

static unsigned long number(const char *text, unsigned long max)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || n > max)
		bad_usage();
	return n;
}

static uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15;	/* splitmix64 */

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

/* ---- TCP */

static int tcp_socket(char *text, bool server)
{
	struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
	};
	char *port = strrchr(text, ':');
	struct addrinfo *ai;
	int fd, on = 1;

	if (!port)
		bad_usage();
	*port++ = '\0';
	if (*text == '[' && port[-2] == ']') {
		text++;
		port[-2] = '\0';
	}
	if (getaddrinfo(text, port, &hints, &ai))
		bad_usage();
	fd = socket(ai->ai_family, SOCK_STREAM, 0);
	if (fd < 0)
		err(1, "TCP socket");
	if (server) {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
		if (bind(fd, ai->ai_addr, ai->ai_addrlen) || listen(fd, 16))
			err(1, "TCP server on %s port %s", text, port);
	} else {
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		if (connect(fd, ai->ai_addr, ai->ai_addrlen))
			err(1, "TCP connection to %s port %s", text, port);
	}
	freeaddrinfo(ai);
	return fd;
}

static bool read_all(int fd, void *buf, size_t len)
{
	ssize_t n;

	for (; len; buf = (char *)buf + n, len -= n) {
		n = recv(fd, buf, len, MSG_WAITALL);
		if (!n)
			errno = ECONNRESET;
		if (n <= 0)
			return false;
	}
	return true;
}

/* Length and bytes in one system call, if the socket takes them */
static bool tcp_send(int fd, const void *bytes, uint32_t len)
{
	uint32_t prefix = htonl(len);
	struct iovec iov[2] = {
		{ &prefix, sizeof(prefix) },
		{ (void *)bytes, len },
	};
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	ssize_t n;

	while (iov[0].iov_len + iov[1].iov_len) {
		n = sendmsg(fd, &msg, MSG_NOSIGNAL);
		if (n < 0)
			return false;
		for (int i = 0; i < 2; i++) {
			size_t part = (size_t)n < iov[i].iov_len ?
				      (size_t)n : iov[i].iov_len;

			iov[i].iov_base = (char *)iov[i].iov_base + part;
			iov[i].iov_len -= part;
			n -= part;
		}
	}
	return true;
}

static ssize_t tcp_receive(int fd, void *buf)
{
	uint32_t len;

	if (!read_all(fd, &len, sizeof(len)))
		return -1;
	len = ntohl(len);
	if (len > MAX_MESSAGE || !read_all(fd, buf, len))
		return -1;
	return len;
}

static void __attribute__((noreturn)) tcp_serve(int listener)
{
	int fd, on = 1;
	ssize_t n;

	for (;;) {
		fd = accept(listener, NULL, NULL);
		if (fd < 0)
			err(1, "accept");
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		do
			n = tcp_receive(fd, request);
		while (n >= 0 && tcp_send(fd, request, n));
		close(fd);
	}
}

static ssize_t tcp_call(int fd, size_t len, const struct sockaddr_ttp *to)
{
	(void)to;
	return tcp_send(fd, request, len) ? tcp_receive(fd, response) : -1;
}

/* ---- AF_TTP */

static int ttp_socket(void)
{
	int fd = socket(AF_TTP, SOCK_DGRAM, 0);

	if (fd < 0)
		err(1, "AF_TTP socket");
	return fd;
}

static void __attribute__((noreturn)) ttp_serve(int fd)
{
	struct sockaddr_ttp from;
	socklen_t len;
	ssize_t n;

	for (;;) {
		len = sizeof(from);
		n = recvfrom(fd, request, sizeof(request), 0,
			     (struct sockaddr *)&from, &len);
		if (n < 0)
			warn("recvfrom");
		else if (from.sttp_rpc &&
			 sendto(fd, request, n, 0, (struct sockaddr *)&from,
				len) < 0)
			warn("sendto");
	}
}

static ssize_t ttp_call(int fd, size_t len, const struct sockaddr_ttp *to)
{
	if (sendto(fd, request, len, 0, (struct sockaddr *)to, sizeof(*to)) < 0)
		return -1;
	return recvfrom(fd, response, sizeof(response), 0, NULL, NULL);
}

/* ---- server */

static int server(int argc, char **argv)
{
	struct sockaddr_ttp a = { .sttp_family = AF_TTP };
	int fd, listener = -1, c;
	pid_t parent = getpid();

	while ((c = getopt(argc, argv, "t:")) != -1) {
		if (c != 't' || listener >= 0)
			bad_usage();
		listener = tcp_socket(optarg, true);
	}
	if (optind + 1 != argc)
		bad_usage();
	a.sttp_port = htons(number(argv[optind], 65535));
	fd = ttp_socket();
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)))
		err(1, "AF_TTP port %s", argv[optind]);
	puts("ready");
	fflush(stdout);
	if (listener >= 0) {
		switch (fork()) {
		case -1:
			err(1, "fork");
		case 0:
			prctl(PR_SET_PDEATHSIG, SIGTERM);
			if (getppid() != parent)
				return 1;
			close(fd);
			tcp_serve(listener);
		}
		close(listener);
	}
	ttp_serve(fd);
}

/* ---- client */

static void parse_mix(struct mix *mix, const char *text)
{
	struct class *class;
	unsigned long n;
	char *end;

	memset(mix, 0, sizeof(*mix));
	do {
		if (mix->classes == MAX_CLASSES)
			bad_usage();
		class = &mix->class[mix->classes++];
		errno = 0;
		n = strtoul(text, &end, 10);
		if (errno || end == text || *text == '-' || n > MAX_MESSAGE)
			bad_usage();
		if (*end == 'K' || *end == 'M')
			n <<= *end++ == 'K' ? 10 : 20;
		class->size = n;
		class->weight = 1;
		if (*end == 'x')
			class->weight = strtoul(end + 1, &end, 10);
		if (n > MAX_MESSAGE || !class->weight || class->weight > 10000 ||
		    (*end && *end != ','))
			bad_usage();
		mix->weight += class->weight;
		text = end + 1;
	} while (*end);
}

static unsigned int draw(const struct mix *mix, uint64_t *state)
{
	unsigned int i, r = next_random(state) % mix->weight;

	for (i = 0; r >= mix->class[i].weight; i++)
		r -= mix->class[i].weight;
	return i;
}

static void fill(size_t len, uint64_t *state)
{
	uint64_t word;
	size_t i;

	for (i = 0; i < len; i += sizeof(word)) {
		word = next_random(state);
		memcpy(request + i, &word,
		       len - i < sizeof(word) ? len - i : sizeof(word));
	}
}

/* @calls calls, the same ones for the same @seed whatever @call does */
static void run(struct result *res, const struct mix *mix, uint64_t seed,
		unsigned int warm, int fd, const struct sockaddr_ttp *to,
		ssize_t (*call)(int fd, size_t len,
				const struct sockaddr_ttp *to))
{
	unsigned int i, class;
	double start, us;
	size_t size;
	ssize_t n;

	for (i = 0; i < warm + res->calls; i++) {
		class = draw(mix, &seed);
		size = mix->class[class].size;
		fill(size, &seed);
		memset(response, ~request[0], size);
		start = now_us();
		n = call(fd, size, to);
		us = now_us() - start;
		if (n < 0)
			warn("%s: call %u, %zu bytes", res->name, i, size);
		else if ((size_t)n != size || memcmp(request, response, size))
			warnx("%s: call %u, %zu bytes: wrong answer of %zd",
			      res->name, i, size, n);
		else
			goto good;
		us = -1;
		res->failed++;
good:
		if (i < warm)
			continue;
		res->class[i - warm] = class;
		res->us[i - warm] = us;
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_row(const struct result *res, const struct mix *mix,
		      unsigned int class, double *us)
{
	static const double percent[] = { 0, 50, 90, 99, 99.9, 100 };
	unsigned int i, n = 0;
	char size[32] = "all";

	for (i = 0; i < res->calls; i++)
		if (res->us[i] >= 0 &&
		    (class == mix->classes || res->class[i] == class))
			us[n++] = res->us[i];
	qsort(us, n, sizeof(*us), by_value);
	if (class < mix->classes)
		snprintf(size, sizeof(size), "%zu", mix->class[class].size);
	printf("%10s  %-4s %8u", size, res->name, n);
	/* nearest rank: the smallest value that so many are not above */
	for (i = 0; i < sizeof(percent) / sizeof(*percent) && n; i++) {
		unsigned int rank = (percent[i] * n + 99.999999) / 100;

		printf(" %10.1f", us[rank ? rank - 1 : 0]);
	}
	putchar('\n');
}

static void print_table(const struct result *res, unsigned int results,
			const struct mix *mix)
{
	double *us = calloc(res->calls ? res->calls : 1, sizeof(*us));
	unsigned int class, i;

	if (!us)
		err(1, "memory");
	printf("%10s  %-4s %8s %10s %10s %10s %10s %10s %10s  (us)\n", "bytes",
	       "over", "calls", "min", "P50", "P90", "P99", "P99.9", "max");
	for (class = 0; class <= mix->classes; class++)
		for (i = 0; i < results; i++)
			print_row(&res[i], mix, class, us);
	free(us);
}

static int client(int argc, char **argv)
{
	unsigned long count = DEFAULT_COUNT, warm = 10, seed = 1;
	struct result res[2] = { { .name = "TTP" }, { .name = "TCP" } };
	unsigned int results = 1, failed = 0, i;
	struct sockaddr_ttp to;
	int fd[2] = { -1, -1 }, c;
	struct mix mix;

	parse_mix(&mix, DEFAULT_SIZES);
	while ((c = getopt(argc, argv, "t:n:s:r:w:")) != -1) {
		switch (c) {
		case 't':
			fd[1] = tcp_socket(optarg, false);
			results = 2;
			break;
		case 'n':
			count = number(optarg, 100000000);
			break;
		case 's':
			parse_mix(&mix, optarg);
			break;
		case 'r':
			seed = number(optarg, -1UL);
			break;
		case 'w':
			warm = number(optarg, 1000000);
			break;
		default:
			bad_usage();
		}
	}
	if (optind + 2 != argc)
		bad_usage();
	if (ttp_resolve(argv[optind], number(argv[optind + 1], 65535), -1, &to))
		err(2, "%s", argv[optind]);
	fd[0] = ttp_socket();
	for (i = 0; i < results; i++) {
		res[i].calls = count;
		res[i].class = calloc(count + 1, sizeof(*res[i].class));
		res[i].us = calloc(count + 1, sizeof(*res[i].us));
		if (!res[i].class || !res[i].us)
			err(1, "memory");
		run(&res[i], &mix, seed, warm, fd[i], &to,
		    i ? tcp_call : ttp_call);
		failed += res[i].failed;
	}
	print_table(res, results, &mix);
	for (i = 0; i < results; i++)
		if (res[i].failed)
			printf("%s: %u calls failed\n", res[i].name,
			       res[i].failed);
	return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "server"))
		return server(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "client"))
		return client(argc - 1, argv + 1);
	bad_usage();
}
