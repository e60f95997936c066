/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the ttp_contract_*.c programs: memory with edges, and calls with every
 * part of them anywhere.
 */
#ifndef _TTP_CONTRACT_H
#define _TTP_CONTRACT_H

#include <stddef.h>

#include "ttp_test.h"

#define PAGE		4096L
#define INFO_LEN	CMSG_LEN(sizeof(struct ttp_info))
/* The round-trip time may be another one each time */
#define INFO_LASTS	offsetof(struct ttp_info, rtt_us)
#define SEND_SPACE	CMSG_SPACE(sizeof(struct ttp_send))

/* End of two pages; what follows is not mapped */
static inline char *edge(void)
{
	char *p = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || munmap(p + 2 * PAGE, PAGE))
		abort();
	return p + 2 * PAGE;
}

/* @n of the @len bytes of @what before the edge, the rest beyond */
static inline void *before_edge(char *at, const void *what, size_t len,
				size_t n)
{
	return memcpy(at - n, what, n < len ? n : len);
}

/* Is this what memset() left there? */
static inline bool all(const void *buf, int byte, size_t len)
{
	const unsigned char *p = buf;

	while (len && *p == (unsigned char)byte) {
		p++;
		len--;
	}
	return !len;
}

/* A struct ttp_send as a control message */
union how_cmsg {
	char buf[CMSG_SPACE(sizeof(struct ttp_send))];
	struct cmsghdr h;
};

static inline union how_cmsg how_cmsg(struct ttp_send how)
{
	union how_cmsg c = {};

	c.h.cmsg_level = SOL_TTP;
	c.h.cmsg_type = TTP_SEND;
	c.h.cmsg_len = CMSG_LEN(sizeof(how));
	memcpy(CMSG_DATA(&c.h), &how, sizeof(how));
	return c;
}

/* One message of @len bytes from @c is the next one at @s, and the last */
static inline bool arrives_alone(int s, long len)
{
	return get_len(s) == len &&
	       R(recv(s, NULL, 0, MSG_DONTWAIT)) == -EAGAIN;
}

#endif /* _TTP_CONTRACT_H */
