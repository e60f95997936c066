// SPDX-License-Identifier: GPL-2.0
/*
 * ttp_hold: keep a socket, and perhaps an RPC, open for others to look at.
 *
 *   ttp_hold server PORT		bind, never receive
 *   ttp_hold client DEV MAC PORT LEN	send one request, wait for the answer
 *   ttp_hold sockets N			that many sockets, ports 2000 and up
 *   ttp_hold peers DEV N		a request each to hosts that do not exist
 *   ttp_hold nomem			sockets until the kernel has no memory for
 *					this task, and why there is no other
 *
 * Prints "ready" when it is so, and ends when standard input does.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/ttp.h>

static int fail(const char *what)
{
	fprintf(stderr, "ttp_hold: %s: %s\n", what, strerror(errno));
	return 1;
}

static void hold(void)
{
	char c;

	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
}

static int many_sockets(int count)
{
	struct sockaddr_ttp a = { .sttp_family = AF_TTP };
	int fd, i;

	for (i = 0; i < count; i++) {
		fd = socket(AF_TTP, SOCK_DGRAM, 0);
		a.sttp_port = htons(2000 + i);
		if (bind(fd, (struct sockaddr *)&a, sizeof(a)))
			return fail("bind");
	}
	hold();
	return 0;
}

static int many_peers(int fd, const char *dev, int count)
{
	struct sockaddr_ttp a = {
		.sttp_family = AF_TTP,
		.sttp_ifindex = if_nametoindex(dev),
		.sttp_port = htons(1),
		.sttp_addr = { 2 },
	};
	int i;

	for (i = 0; i < count; i++) {
		a.sttp_addr[4] = i >> 8;
		a.sttp_addr[5] = i;
		if (sendto(fd, "x", 1, 0, (struct sockaddr *)&a, sizeof(a)) != 1)
			return fail("sendto");
	}
	hold();
	return 0;
}

static int client(int fd, char **argv)
{
	struct sockaddr_ttp a = {
		.sttp_family = AF_TTP,
		.sttp_ifindex = if_nametoindex(argv[2]),
		.sttp_port = htons(atoi(argv[4])),
	};
	size_t len = atoi(argv[5]);
	char *message = calloc(1, len + 1);
	unsigned int m[6];
	int i;

	if (sscanf(argv[3], "%x:%x:%x:%x:%x:%x", m, m + 1, m + 2, m + 3, m + 4,
		   m + 5) != 6 || !message)
		return 2;
	for (i = 0; i < 6; i++)
		a.sttp_addr[i] = m[i];
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)))
		return fail("connect");
	if (send(fd, message, len, 0) != (ssize_t)len)
		return fail("send");
	hold();
	return 0;
}

static int no_memory(void)
{
	FILE *f = fopen("/proc/self/make-it-fail", "w");
	int i, err = 0;

	if (!f)
		return fail("make-it-fail");
	fputs("1", f);
	fflush(f);
	for (i = 0; i < 200 && !err; i++)
		if (socket(AF_TTP, SOCK_DGRAM, 0) < 0)
			err = errno;
	rewind(f);
	fputs("0", f);
	fclose(f);
	puts(strerror(err));
	/* there is again */
	return socket(AF_TTP, SOCK_DGRAM, 0) < 0 ? fail("socket") : 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_ttp a = { .sttp_family = AF_TTP };
	int fd = socket(AF_TTP, SOCK_DGRAM, 0);

	if (fd < 0)
		return fail("socket");
	if (argc == 2 && !strcmp(argv[1], "nomem"))
		return no_memory();
	if (argc == 6 && !strcmp(argv[1], "client"))
		return client(fd, argv);
	if (argc == 3 && !strcmp(argv[1], "sockets"))
		return many_sockets(atoi(argv[2]));
	if (argc == 4 && !strcmp(argv[1], "peers"))
		return many_peers(fd, argv[2], atoi(argv[3]));
	if (argc != 3 || strcmp(argv[1], "server"))
		return 2;
	a.sttp_port = htons(atoi(argv[2]));
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)))
		return fail("bind");
	hold();
	return 0;
}
