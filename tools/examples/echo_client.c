// SPDX-License-Identifier: GPL-2.0
/*
 * Send requests to ttp_echo_server, one after the other, and check what comes
 * back.
 */
#include <time.h>

#include "example.h"

static bool echo(int fd, long size)
{
	static char request[MAX_MESSAGE], response[MAX_MESSAGE + 1];
	struct timespec t0, t1;
	ssize_t n;
	long i;

	for (i = 0; i < size; i++)
		request[i] = i * 7 + i / 251;
	clock_gettime(CLOCK_MONOTONIC, &t0);
	n = send(fd, request, size, 0);
	if (n == size)
		n = recv(fd, response, sizeof(response), 0);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	if (n < 0)
		err(1, "%ld bytes", size);
	if (n != size || memcmp(request, response, n)) {
		warnx("%zd wrong bytes of %ld", n, size);
		return false;
	}
	printf("%ld bytes: %.1f us\n", size, (t1.tv_sec - t0.tv_sec) * 1e6 +
	       (t1.tv_nsec - t0.tv_nsec) / 1e3);
	return true;
}

int main(int argc, char **argv)
{
	long count = argc > 3 ? (long)number(argv[3], 1, 1000000000) : 1, size;
	bool good = true;
	int fd, i;

	if (argc < 3)
		errx(2, "usage: ttp_echo_client HOST PORT [COUNT [SIZE...]]\n"
			"HOST is MAC%%DEV, or whatever ttp_resolve(3) knows");
	fd = client_socket(argv[1], argv[2]);
	while (count--)
		for (i = 4; i < argc || i == 4; i++) {
			size = 64;
			if (i < argc)
				size = number(argv[i], 0, MAX_MESSAGE);
			good &= echo(fd, size);
		}
	return !good;
}
