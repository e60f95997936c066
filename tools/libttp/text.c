// SPDX-License-Identifier: GPL-2.0
/*
 * Addresses in text form.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* As isdigit() and isxdigit(), whatever the locale */
static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* All of @text is a decimal number from 1 to @max */
static int number(const char *text, int max)
{
	int n = 0, d;

	for (; *text; text++) {
		d = digit(*text);
		if (d < 0 || d > 9 || n > (max - d) / 10)
			return -EINVAL;
		n = n * 10 + d;
	}
	return n ? n : -EINVAL;
}

/* Six numbers of one or two hex digits; where they end, or NULL */
static const char *parse_mac(const char *text, uint8_t *mac)
{
	int i, high, low;

	for (i = 0; i < TTP_MAC_LEN; i++) {
		if (i && *text++ != ':')
			return NULL;
		high = digit(*text);
		if (high < 0)
			return NULL;
		low = digit(*++text);
		if (low >= 0)
			text++;
		mac[i] = low < 0 ? high : high << 4 | low;
	}
	return text;
}

/* A name goes before an index: there may be a device that is called "2" */
int ttp_text_device(const char *text, int *ifindex)
{
	int index = number(text, INT_MAX), named;

	if (!*text)
		return -EINVAL;
	if (index > 0) {
		named = ttp_link_by_name(text);
		*ifindex = named > 0 ? named : index;
		return 0;
	}
	*ifindex = if_nametoindex(text);
	return *ifindex ? 0 : -errno;
}

/* MAC or MAC%DEV */
static int parse_host(const char *text, struct sockaddr_ttp *addr)
{
	text = parse_mac(text, addr->sttp_addr);
	if (!text || (*text && *text != '%'))
		return -EINVAL;
	return *text ? ttp_text_device(text + 1, &addr->sttp_ifindex) : 0;
}

int ttp_text_parse(const char *text, struct sockaddr_ttp *addr)
{
	struct sockaddr_ttp found = { .sttp_family = AF_TTP };
	char host[TTP_ADDRSTRLEN];
	const char *end = NULL;
	int err, port;

	if (*text == '[') {
		/* names of devices may have a ] in them, but no colon */
		end = strrchr(text++, ']');
		if (!end || end[1] != ':' || end - text >= (int)sizeof(host))
			return -EINVAL;
		port = number(end + 2, 65535);
		if (port < 0)
			return port;
		found.sttp_port = htons(port);
		memcpy(host, text, end - text);
		host[end - text] = '\0';
		text = host;
	}
	err = parse_host(text, &found);
	if (!err)
		*addr = found;
	return err;
}

int ttp_pton(const char *text, struct sockaddr_ttp *addr)
{
	int err = ttp_text_parse(text, addr);

	if (err)
		errno = -err;
	return !err;
}

const char *ttp_ntop(const struct sockaddr_ttp *addr, char *text, size_t size)
{
	const uint8_t *mac = addr->sttp_addr;
	char dev[IF_NAMESIZE + 1] = "%", port[8] = "";
	int saved = errno, n;

	if (addr->sttp_family != AF_TTP || addr->sttp_ifindex < 0) {
		errno = addr->sttp_ifindex < 0 ? EINVAL : EAFNOSUPPORT;
		return NULL;
	}
	if (!addr->sttp_ifindex)
		dev[0] = '\0';
	else if (!if_indextoname(addr->sttp_ifindex, dev + 1))
		snprintf(dev, sizeof(dev), "%%%d", addr->sttp_ifindex);
	if (addr->sttp_port)
		snprintf(port, sizeof(port), "]:%u", ntohs(addr->sttp_port));
	n = snprintf(text, size, "%s%02x:%02x:%02x:%02x:%02x:%02x%s%s",
		     *port ? "[" : "", mac[0], mac[1], mac[2], mac[3], mac[4],
		     mac[5], dev, port);
	errno = saved;
	if (n >= 0 && (size_t)n < size)
		return text;
	errno = ENOSPC;
	return NULL;
}
