/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the examples read an address: MAC%DEV, or MAC alone where only one
 * device is enabled.  libttp does the same for names.
 */
#ifndef _TTP_EXAMPLES_ADDR_H
#define _TTP_EXAMPLES_ADDR_H

#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <linux/ttp.h>

/* Fill in @a; returns 0, or -1 if @text is no address or the port no port */
static inline int addr_parse(struct sockaddr_ttp *a, const char *text, int port)
{
	char dev[IF_NAMESIZE] = "";
	__u8 *m = a->sttp_addr;
	int n, end = 0;

	memset(a, 0, sizeof(*a));
	a->sttp_family = AF_TTP;
	a->sttp_port = htons(port);
	n = sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n%%%15[^ ]%n",
		   m, m + 1, m + 2, m + 3, m + 4, m + 5, &end, dev, &end);
	a->sttp_ifindex = if_nametoindex(dev);
	return n < 6 || text[end] || (n == 7 && !a->sttp_ifindex) ||
	       port < 1 || port > 65535 ? -1 : 0;
}

#endif /* _TTP_EXAMPLES_ADDR_H */
