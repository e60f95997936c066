// SPDX-License-Identifier: GPL-2.0
/*
 * ttp_echo_client MAC%DEV PORT [COUNT [SIZE...]]: send requests to
 * ttp_echo_server, one after the other, and check what comes back.
 */
#include <err.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include "addr.h"

#define MAX_MESSAGE	(16 << 20)

static int echo(int fd, const struct sockaddr_ttp *server, long size)
{
	static char request[MAX_MESSAGE], response[MAX_MESSAGE + 1];
	struct timespec t0, t1;
	ssize_t n;
	long i;

	for (i = 0; i < size; i++)
		request[i] = i * 7 + i / 251;
	clock_gettime(CLOCK_MONOTONIC, &t0);
	n = sendto(fd, request, size, 0, (struct sockaddr *)server,
		   sizeof(*server));
	if (n == size)
		n = recvfrom(fd, response, sizeof(response), 0, NULL, NULL);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	if (n < 0)
		err(1, "%ld bytes", size);
	if (n != size || memcmp(request, response, n)) {
		warnx("%zd wrong bytes of %ld", n, size);
		return 1;
	}
	printf("%ld bytes: %.1f us\n", size, (t1.tv_sec - t0.tv_sec) * 1e6 +
	       (t1.tv_nsec - t0.tv_nsec) / 1e3);
	return 0;
}

int main(int argc, char **argv)
{
	long count = argc > 3 ? atol(argv[3]) : 1, size;
	int fd = socket(AF_TTP, SOCK_DGRAM, 0), bad = 0, i;
	struct sockaddr_ttp server;

	if (argc < 3 || addr_parse(&server, argv[1], atoi(argv[2])))
		errx(2, "usage: MAC%%DEV PORT [COUNT [SIZE...]]");
	if (fd < 0)
		err(1, "socket");
	while (count--)
		for (i = 4; i < argc || i == 4; i++) {
			size = i < argc ? atol(argv[i]) : 64;
			bad |= size > MAX_MESSAGE || echo(fd, &server, size);
		}
	return bad;
}
