// SPDX-License-Identifier: GPL-2.0
/*
 * Output: attributes as text or JSON.
 */
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>

#include "out.h"
#include "ttpctl.h"

static void out_size(char *buf, size_t size, uint64_t bytes)
{
	static const char units[] = " KMG";
	unsigned int i = 0;

	while (bytes && !(bytes & 1023) && i < 3) {
		bytes >>= 10;
		i++;
	}
	snprintf(buf, size, i ? "%" PRIu64 "%c" : "%" PRIu64, bytes, units[i]);
}

/* Three significant digits or more, no trailing zeros: 950ns 1.23ms 17s */
void out_time(char *buf, size_t size, uint64_t ns)
{
	static const char * const units[] = { "ns", "us", "ms", "s" };
	uint64_t scale = 1;
	unsigned int i = 0, part, digits = 0;

	while (i < 3 && ns >= scale * 1000) {
		scale *= 1000;
		i++;
	}
	part = ns % scale * 1000 / scale;
	if (part) {
		digits = 3;
		while (!(part % 10)) {
			part /= 10;
			digits--;
		}
	}
	if (digits)
		snprintf(buf, size, "%" PRIu64 ".%0*u%s", ns / scale, digits,
			 part, units[i]);
	else
		snprintf(buf, size, "%" PRIu64 "%s", ns / scale,
			 ns ? units[i] : "s");
}

static void out_rate(char *buf, size_t size, uint64_t mbps, bool measured)
{
	if (!mbps)
		snprintf(buf, size, measured ? "unknown" : "auto");
	else if (mbps % 1000)
		snprintf(buf, size, "%" PRIu64 "mbit", mbps);
	else
		snprintf(buf, size, "%" PRIu64 "gbit", mbps / 1000);
}

static void out_list_text(char *buf, size_t size, const struct nlattr *attr)
{
	const uint8_t *list = mnl_attr_get_payload(attr);
	unsigned int i, n = mnl_attr_get_payload_len(attr), at = 0;

	for (i = 0; i < n && at < size; i++)
		at += snprintf(buf + at, size - at, "%s%u", i ? "," : "",
			       list[i]);
}

static const char *enum_name(const struct out_field *field, uint64_t value)
{
	uint64_t i;

	for (i = 0; field->names[i]; i++)
		if (i == value)
			return field->names[i];
	return "unknown";
}

bool out_text(char *buf, size_t size, const struct out_field *field,
	      const struct nl_attrs *attrs)
{
	const struct nlattr *attr = attrs->a[field->attr];
	uint64_t value = nl_number(attr);
	char name[IF_NAMESIZE];

	snprintf(buf, size, "-");
	if (!attr)
		return false;
	switch (field->format) {
	case OUT_NUMBER:
		snprintf(buf, size, "%" PRIu64, value);
		break;
	case OUT_HEX:
		snprintf(buf, size, "0x%" PRIx64, value);
		break;
	case OUT_ID:
		snprintf(buf, size, "0x%016" PRIx64, value);
		break;
	case OUT_STRING:
		snprintf(buf, size, "%.*s", (int)mnl_attr_get_payload_len(attr),
			 mnl_attr_get_str(attr));
		break;
	case OUT_MAC:
		if (mnl_attr_get_payload_len(attr) >= 6)
			format_mac(buf, mnl_attr_get_payload(attr));
		break;
	case OUT_DEV:
		if (!value)
			snprintf(buf, size, "*");
		else if (if_indextoname(value, name))
			snprintf(buf, size, "%s", name);
		else	/* gone meanwhile */
			snprintf(buf, size, "if%" PRIu64, value);
		break;
	case OUT_YES:
		snprintf(buf, size, "%s", value ? "yes" : "no");
		break;
	case OUT_SWITCH:
		snprintf(buf, size, "%s", value ? "on" : "off");
		break;
	case OUT_AUTO_SIZE:
		if (!value) {
			snprintf(buf, size, "auto");
			break;
		}
		/* fall through */
	case OUT_SIZE:
		out_size(buf, size, value);
		break;
	case OUT_AUTO_RATE:
	case OUT_RATE:
		out_rate(buf, size, value, field->format == OUT_RATE);
		break;
	case OUT_LIST:
		out_list_text(buf, size, attr);
		break;
	case OUT_AUTO_NS:
		if (!value || value == UINT32_MAX) {
			snprintf(buf, size, value ? "off" : "auto");
			break;
		}
		/* fall through */
	case OUT_NS:
		out_time(buf, size, value);
		break;
	case OUT_US:
		out_time(buf, size, value * 1000);
		break;
	case OUT_MS:
		out_time(buf, size, value * 1000000);
		break;
	case OUT_ENUM:
		snprintf(buf, size, "%s", enum_name(field, value));
		break;
	}
	return true;
}

static void json_field(const struct out_field *field,
		       const struct nl_attrs *attrs)
{
	char text[OUT_TEXT];

	if (!out_text(text, sizeof(text), field, attrs))
		return;
	switch (field->format) {
	case OUT_ID:
	case OUT_STRING:
	case OUT_MAC:
	case OUT_DEV:
	case OUT_ENUM:
		json_string(field->key, text);
		break;
	case OUT_LIST:
		json_list(field->key, mnl_attr_get_payload(attrs->a[field->attr]),
			  mnl_attr_get_payload_len(attrs->a[field->attr]));
		break;
	case OUT_YES:
	case OUT_SWITCH:
		json_bool(field->key, nl_number(attrs->a[field->attr]));
		break;
	default:
		json_number(field->key, nl_number(attrs->a[field->attr]));
	}
}

bool out_shown(const struct out_field *field)
{
	return field->head && (opt.all || !field->detail);
}

void out_fields(const struct out_field *fields, const struct nl_attrs *attrs)
{
	char text[OUT_TEXT];

	for (; fields->key; fields++) {
		if (opt.json)
			json_field(fields, attrs);
		else if (fields->head &&
			 out_text(text, sizeof(text), fields, attrs))
			printf(" %s %s", fields->head, text);
	}
}

void out_record(uint8_t cmd, const struct nl_attrs *attrs, void *arg)
{
	const struct out_field *fields = arg;
	char text[OUT_TEXT];

	(void)cmd;
	if (opt.json) {
		json_open(NULL, '{');
		out_fields(fields, attrs);
		json_close('}');
		json_end();
		return;
	}
	for (; fields->key; fields++)
		if (out_shown(fields) &&
		    out_text(text, sizeof(text), fields, attrs))
			printf("%-18s %s\n", fields->head, text);
}
