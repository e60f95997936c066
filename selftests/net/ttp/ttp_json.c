// SPDX-License-Identifier: GPL-2.0
/*
 * ttp_json: exit 0 if standard input is one JSON value or several, one a line.
 * Test machines are too small for a real JSON tool.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static char text[1 << 20];
static const char *p = text;

static void space(void)
{
	while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')
		p++;
}

static bool string(void)
{
	int i;

	if (*p++ != '"')
		return false;
	for (; *p != '"'; p++) {
		if ((unsigned char)*p < 0x20)
			return false;
		if (*p != '\\')
			continue;
		p++;
		if (*p == 'u') {
			for (i = 1; i <= 4; i++)
				if (!isxdigit((unsigned char)p[i]))
					return false;
			p += 4;
		} else if (!*p || !strchr("\"\\/bfnrt", *p)) {
			return false;
		}
	}
	p++;
	return true;
}

static bool number(void)
{
	const char *start = p;

	if (*p == '-')
		p++;
	if (!isdigit((unsigned char)*p) ||
	    (*p == '0' && isdigit((unsigned char)p[1])))
		return false;
	p += strspn(p, "0123456789.eE+-");
	return p > start;
}

static bool value(int depth);

/* Members of an object or an array, behind the opening bracket */
static bool members(char close, int depth)
{
	space();
	if (*p == close)
		return p++, true;
	for (;;) {
		if (close == '}') {
			space();
			if (!string())
				return false;
			space();
			if (*p++ != ':')
				return false;
		}
		if (!value(depth + 1))
			return false;
		if (*p == close)
			return p++, true;
		if (*p++ != ',')
			return false;
	}
}

static bool value(int depth)
{
	static const char * const words[] = { "true", "false", "null" };
	unsigned int i;
	bool ok = false;

	space();
	if (depth > 64)
		return false;
	if (*p == '{' || *p == '[') {
		p++;
		ok = members(p[-1] == '{' ? '}' : ']', depth);
	} else if (*p == '"') {
		ok = string();
	} else if (*p == '-' || isdigit((unsigned char)*p)) {
		ok = number();
	} else {
		for (i = 0; !ok && i < 3; i++)
			if (!strncmp(p, words[i], strlen(words[i]))) {
				p += strlen(words[i]);
				ok = true;
			}
	}
	space();
	return ok;
}

int main(void)
{
	size_t len = fread(text, 1, sizeof(text) - 1, stdin);
	bool ok = len > 0 && !memchr(text, 0, len);

	do {
		ok = ok && value(0);
	} while (ok && *p);
	return !ok;
}
