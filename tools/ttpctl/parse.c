// SPDX-License-Identifier: GPL-2.0
/*
 * Values on the command line: numbers, sizes, times, addresses.
 */
#include <ctype.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ttpctl.h"

/* Digits, then perhaps a unit, whose start is returned; NULL if no number */
static const char *leading_number(const char *text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return NULL;
	errno = 0;
	*value = strtoull(text, &end, strncasecmp(text, "0x", 2) ? 10 : 16);
	return errno ? NULL : end;
}

bool in_range(const char *what, const char *text, uint64_t value, uint64_t max)
{
	if (value <= max)
		return true;
	usage("%s: \"%s\" is too large", what, text);
	return false;
}

bool parse_number(const char *what, const char *text, uint64_t max,
		  uint64_t *value)
{
	const char *end = leading_number(text, value);

	if (!end || *end) {
		usage("%s: \"%s\" is not a number", what, text);
		return false;
	}
	return in_range(what, text, *value, max);
}

bool parse_size(const char *what, const char *text, uint64_t max,
		uint64_t *value)
{
	const char *end = leading_number(text, value);
	static const char units[] = "KMG";
	const char *unit;
	unsigned int shift = 0;

	if (end && *end) {
		unit = strchr(units, *end);
		shift = unit ? 10 * (unit - units + 1) : 0;
		if (!unit || end[1])
			end = NULL;
	}
	if (!end) {
		usage("%s: \"%s\" is not a size such as 1500, 64K, 16M or 1G",
		      what, text);
		return false;
	}
	if (!in_range(what, text, *value, max >> shift))
		return false;
	*value <<= shift;
	return true;
}

/* A decimal fraction times @scale, without going through floating point */
static const char *leading_decimal(const char *text, uint64_t scale,
				   uint64_t *value)
{
	const char *p = text;
	uint64_t whole = 0, part = 0;

	for (; isdigit((unsigned char)*p); p++) {
		whole = whole * 10 + (*p - '0');
		if (whole > 1000000000)
			return NULL;
	}
	if (p == text)
		return NULL;
	if (*p == '.') {
		p++;
		if (!isdigit((unsigned char)*p))
			return NULL;
		for (; isdigit((unsigned char)*p); p++) {
			scale /= 10;
			part += (*p - '0') * scale;
			whole *= 10;
			if (!scale)
				return NULL;
		}
	}
	*value = whole * scale + part;
	return p;
}

bool parse_time(const char *what, const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t scale;
	} units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 },
	};
	const char *end;
	unsigned int i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		end = leading_decimal(text, units[i].scale, ns);
		if (end && !strcmp(end, units[i].name))
			return true;
	}
	usage("%s: \"%s\" is not a time such as 100us, 5ms or 1s", what, text);
	return false;
}

bool parse_seconds(const char *what, const char *text, unsigned int *ms)
{
	const char *end;
	uint64_t value;

	end = leading_decimal(text, 1000, &value);
	if (!end || *end || !value || value > 1000000000) {
		usage("%s: \"%s\" is not a number of seconds", what, text);
		return false;
	}
	*ms = value;
	return true;
}

bool parse_rate(const char *what, const char *text, uint64_t *mbps)
{
	const char *end = leading_decimal(text, 1000, mbps);

	if (end && !strcmp(end, "gbit"))
		return true;
	end = leading_decimal(text, 1, mbps);
	if (end && !strcmp(end, "mbit"))
		return true;
	usage("%s: \"%s\" is not a rate such as 25gbit or 2500mbit", what,
	      text);
	return false;
}

/* n numbers of one byte, with commas between them */
bool parse_list(const char *what, const char *text, uint8_t *list,
		unsigned int n)
{
	const char *at = text;
	uint64_t value;
	unsigned int i;

	for (i = 0; i < n; i++) {
		at = leading_number(at, &value);
		if (!at || value > UINT8_MAX || *at != (i < n - 1 ? ',' : '\0'))
			break;
		list[i] = value;
		at++;
	}
	if (i == n)
		return true;
	usage("%s: \"%s\" is not a list of %u numbers", what, text, n);
	return false;
}

bool parse_mac(const char *text, uint8_t *mac)
{
	unsigned int i;
	char *end;

	for (i = 0; i < 6; i++) {
		if (!isxdigit((unsigned char)text[0]))
			return false;
		mac[i] = strtoul(text, &end, 16);
		if (end > text + 2 || *end != (i < 5 ? ':' : '\0'))
			return false;
		text = end + 1;
	}
	return true;
}

void format_mac(char *buf, const uint8_t *mac)
{
	snprintf(buf, MAC_TEXT, "%02x:%02x:%02x:%02x:%02x:%02x",
		 mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
}

unsigned int find_dev(const char *name)
{
	unsigned int ifindex = if_nametoindex(name);

	if (!ifindex)
		fail("device \"%s\" does not exist", name);
	return ifindex;
}
