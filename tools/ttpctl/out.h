/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output: tables of attributes as text or JSON, and JSON by hand.
 */
#ifndef TTPCTL_OUT_H
#define TTPCTL_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nl.h"

enum out_format {	/* text; JSON */
	OUT_NUMBER,	/* 12; 12 */
	OUT_HEX,	/* 0x88b5; 34997 */
	OUT_ID,		/* 16 hex digits; "0x..." as JSON loses long numbers */
	OUT_STRING,
	OUT_MAC,
	OUT_DEV,	/* name of the device of this index; the same */
	OUT_YES,	/* yes, no; true, false */
	OUT_SWITCH,	/* on, off; true, false */
	OUT_SIZE,	/* 64K; 65536 */
	OUT_AUTO_SIZE,	/* 64K, auto; 65536, 0 */
	OUT_RATE,	/* 25gbit, unknown; 25000, 0 */
	OUT_AUTO_RATE,	/* 25gbit, auto; 25000, 0 */
	OUT_LIST,	/* 1,0,2; [1,0,2] */
	OUT_NS,		/* 1.5us; 1500 */
	OUT_AUTO_NS,	/* 1.5us, auto, off; 1500, 0, 4294967295 */
	OUT_US,
	OUT_MS,
	OUT_ENUM,	/* name in both */
};

struct out_field {
	uint16_t attr;
	enum out_format format;
	const char *key;		/* in JSON */
	const char *head;		/* in text; NULL = not shown */
	bool detail;			/* in text only with -s */
	const char * const *names;	/* of OUT_ENUM, by value, ends in NULL */
};

/*
 * Send a request and show the answers as a list of objects: a JSON array, or
 * aligned columns below a heading.  Returns an exit code.  out_table() and
 * its like are the steps, for lists that need more than one request.
 */
int out_list(struct nlmsghdr *nlh, const struct key *keys,
	     const struct out_field *fields);
void out_table(const struct out_field *fields);
void out_row(uint8_t cmd, const struct nl_attrs *attrs, void *arg);
void out_table_end(void);

/* One object: a JSON object, or a line for each field; @fields as argument */
void out_record(uint8_t cmd, const struct nl_attrs *attrs, void *fields);

/* Fields of an object into an open JSON object, or as "head value" words */
void out_fields(const struct out_field *fields, const struct nl_attrs *attrs);

/* Room for any value as text */
#define OUT_TEXT	64

/* Whether text shows the field */
bool out_shown(const struct out_field *field);

/* Value as text; false if the attribute is absent */
bool out_text(char *buf, size_t size, const struct out_field *field,
	      const struct nl_attrs *attrs);
void out_time(char *buf, size_t size, uint64_t ns);

/* Of param.c; monitor shows the same */
extern const struct out_field param_fields[];

/* JSON by hand; @key is NULL in arrays */
void json_open(const char *key, char bracket);
void json_close(char bracket);
void json_list(const char *key, const uint8_t *list, unsigned int n);
void json_number(const char *key, uint64_t value);
void json_string(const char *key, const char *value);
void json_bool(const char *key, bool value);
void json_end(void);	/* line end after the outermost bracket */

#endif /* TTPCTL_OUT_H */
