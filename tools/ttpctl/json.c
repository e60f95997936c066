// SPDX-License-Identifier: GPL-2.0
/*
 * Output: JSON by hand.
 */
#include <inttypes.h>
#include <stdio.h>

#include "out.h"
#include "ttpctl.h"

static unsigned int json_depth;
static bool json_comma;

static void json_item(const char *key)
{
	if (json_comma)
		putchar(',');
	if (opt.pretty && json_depth)
		printf("\n%*s", (int)json_depth * 4, "");
	json_comma = true;
	if (key)
		printf(opt.pretty ? "\"%s\": " : "\"%s\":", key);
}

void json_open(const char *key, char bracket)
{
	json_item(key);
	putchar(bracket);
	json_depth++;
	json_comma = false;
}

void json_close(char bracket)
{
	json_depth--;
	if (opt.pretty && json_comma)
		printf("\n%*s", (int)json_depth * 4, "");
	putchar(bracket);
	json_comma = true;
}

void json_number(const char *key, uint64_t value)
{
	json_item(key);
	printf("%" PRIu64, value);
}

void json_list(const char *key, const uint8_t *list, unsigned int n)
{
	unsigned int i;

	json_item(key);
	for (i = 0; i < n; i++)
		printf("%c%u", i ? ',' : '[', list[i]);
	putchar(']');
}

void json_bool(const char *key, bool value)
{
	json_item(key);
	fputs(value ? "true" : "false", stdout);
}

void json_string(const char *key, const char *value)
{
	const unsigned char *p;

	json_item(key);
	putchar('"');
	for (p = (const unsigned char *)value; *p; p++) {
		if (*p < 0x20 || *p >= 0x7f)	/* names of devices are bytes */
			printf("\\u%04x", *p);
		else if (*p == '"' || *p == '\\')
			printf("\\%c", *p);
		else
			putchar(*p);
	}
	putchar('"');
}

void json_end(void)
{
	putchar('\n');
	json_comma = false;
}
