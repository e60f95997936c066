// SPDX-License-Identifier: GPL-2.0
/*
 * ttp_echo_server PORT: give every request back.
 *
 * This is the loop of any UDP server: the address that recvfrom() fills in
 * says which request sendto() answers.
 */
#include <err.h>
#include <stdlib.h>
#include <sys/socket.h>
#include "addr.h"

#define MAX_MESSAGE	(16 << 20)

int main(int argc, char **argv)
{
	struct sockaddr_ttp a = { .sttp_family = AF_TTP };
	char *buf = malloc(MAX_MESSAGE);
	socklen_t len;
	ssize_t n;
	int fd;

	if (argc != 2 || !buf)
		errx(2, "usage: PORT");
	a.sttp_port = htons(atoi(argv[1]));
	fd = socket(AF_TTP, SOCK_DGRAM, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)))
		err(1, "port %s", argv[1]);
	for (;;) {
		len = sizeof(a);
		n = recvfrom(fd, buf, MAX_MESSAGE, 0, (struct sockaddr *)&a,
			     &len);
		if (n < 0)
			warn("recvfrom");
		else if (sendto(fd, buf, n, 0, (struct sockaddr *)&a, len) < 0)
			warn("sendto");
	}
}
