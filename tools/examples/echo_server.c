// SPDX-License-Identifier: GPL-2.0
/*
 * Give every request back.
 *
 * This is the loop of any UDP server: the address that recvfrom() fills in
 * says which request sendto() answers.
 */
#include "example.h"

int main(int argc, char **argv)
{
	char *buf = malloc(MAX_MESSAGE);
	struct sockaddr_ttp a;
	socklen_t len;
	ssize_t n;
	int fd;

	if (argc != 2 || !buf)
		errx(2, "usage: ttp_echo_server PORT");
	fd = server_socket(argv[1]);
	for (;;) {
		len = sizeof(a);
		n = recvfrom(fd, buf, MAX_MESSAGE, 0, (struct sockaddr *)&a,
			     &len);
		if (n < 0)
			warn("recvfrom");
		else if (sendto(fd, buf, n, 0, (struct sockaddr *)&a, len) < 0)
			warn("%s", name_of(&a));
	}
}
