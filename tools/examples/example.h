/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the examples have in common: numbers on the command line, and the
 * sockets of servers and clients.
 */
#ifndef _TTP_EXAMPLE_H
#define _TTP_EXAMPLE_H

#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <libttp.h>

#define MAX_MESSAGE	(16 << 20)

static inline unsigned long number(const char *text, unsigned long min,
				   unsigned long max)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || n < min || n > max)
		errx(2, "\"%s\" is not a number from %lu to %lu", text, min,
		     max);
	return n;
}

/* A socket that takes requests on @port, of every enabled device */
static inline int server_socket(const char *port)
{
	struct sockaddr_ttp a = {
		.sttp_family = AF_TTP,
		.sttp_port = htons(number(port, 1, 65535)),
	};
	int fd = socket(AF_TTP, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		err(1, "no AF_TTP socket (modprobe ttp)");
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)))
		err(1, "port %s", port);
	return fd;
}

/* The address of @port at @host, in any way that ttp_resolve() knows */
static inline struct sockaddr_ttp host_addr(const char *host, const char *port)
{
	struct sockaddr_ttp a;

	if (ttp_resolve(host, number(port, 1, 65535), -1, &a))
		err(1, "%s", host);
	return a;
}

/* A socket whose send() is a request to @to, and recv() the response; or -1 */
static inline int connected_socket(const struct sockaddr_ttp *to)
{
	int fd = socket(AF_TTP, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || !connect(fd, (const struct sockaddr *)to, sizeof(*to)))
		return fd;
	close(fd);
	return -1;
}

static inline int client_socket(const char *host, const char *port)
{
	struct sockaddr_ttp a = host_addr(host, port);
	int fd = connected_socket(&a);

	if (fd < 0)
		err(1, "%s port %s", host, port);
	return fd;
}

/* For messages to people */
static inline const char *name_of(const struct sockaddr_ttp *a)
{
	static char text[TTP_ADDRSTRLEN];

	return ttp_ntop(a, text, sizeof(text)) ?: "?";
}

#endif /* _TTP_EXAMPLE_H */
