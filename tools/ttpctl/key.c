// SPDX-License-Identifier: GPL-2.0
/*
 * "KEY VALUE" settings that become attributes of a request.
 */
#include <string.h>

#include <libmnl/libmnl.h>

#include "ttpctl.h"

static bool key_value(const struct key *key, const char *text, uint64_t *value)
{
	uint64_t max = key->bytes == 8 ? UINT64_MAX :
		       (1ULL << (8 * key->bytes)) - 1;
	uint64_t unit = key->type == KEY_US ? 1000 : 1000000;
	uint8_t list[sizeof(*value)];

	switch (key->type) {
	case KEY_SWITCH:
		*value = !strcmp(text, "on");
		if (*value || !strcmp(text, "off"))
			return true;
		usage("%s: \"%s\" is neither on nor off", key->name, text);
		return false;
	case KEY_AUTO_SIZE:
		*value = 0;
		if (!strcmp(text, "auto"))
			return true;
		/* fall through */
	case KEY_SIZE:
		return parse_size(key->name, text, max, value);
	case KEY_RATE:
		*value = 0;
		return !strcmp(text, "auto") ||
		       (parse_rate(key->name, text, value) &&
			in_range(key->name, text, *value, max));
	case KEY_LIST:
		if (!parse_list(key->name, text, list, sizeof(list)))
			return false;
		memcpy(value, list, sizeof(list));
		return true;
	case KEY_AUTO_NS:
		*value = 0;
		if (!strcmp(text, "auto"))
			return true;
		*value = max;
		if (!strcmp(text, "off"))
			return true;
		/* fall through */
	case KEY_NS:
		return parse_time(key->name, text, value) &&
		       in_range(key->name, text, *value, max);
	case KEY_US:
	case KEY_MS:
		if (!parse_time(key->name, text, value))
			return false;
		if (*value % unit) {
			usage("%s: \"%s\" is not a whole number of %s",
			      key->name, text,
			      key->type == KEY_US ? "us" : "ms");
			return false;
		}
		*value /= unit;
		return in_range(key->name, text, *value, max);
	default:
		return parse_number(key->name, text, max, value);
	}
}

const char *key_name(const struct key *keys, uint16_t attr)
{
	for (; keys && keys->name; keys++)
		if (keys->attr == attr)
			return keys->name;
	return NULL;
}

static void unknown_key(const struct key *keys, const char *word)
{
	const char *near = NULL;
	unsigned int best = WORD_NEAR, d;

	for (; keys->name; keys++) {
		d = word_distance(word, keys->name);
		if (d < best) {
			best = d;
			near = keys->name;
		}
	}
	if (near)
		usage("key \"%s\" is unknown, did you mean \"%s\"?", word,
		      near);
	else
		usage("key \"%s\" is unknown", word);
}

bool keys_put(struct nlmsghdr *nlh, const struct key *keys, int argc,
	      char **argv)
{
	const struct key *key;
	uint64_t value, seen = 0;

	for (; argc; argc -= 2, argv += 2) {
		for (key = keys; key->name; key++)
			if (!strcmp(key->name, argv[0]))
				break;
		if (!key->name)
			return unknown_key(keys, argv[0]), false;
		if (argc < 2)
			return usage("key \"%s\" lacks its value", argv[0]),
			       false;
		if (seen & (1ULL << key->attr))
			return usage("key \"%s\" is given twice", argv[0]),
			       false;
		seen |= 1ULL << key->attr;
		if (!key_value(key, argv[1], &value))
			return false;
		if (!nlh)
			continue;
		switch (key->bytes) {
		case 1:
			mnl_attr_put_u8(nlh, key->attr, value);
			break;
		case 2:
			mnl_attr_put_u16(nlh, key->attr, value);
			break;
		case 4:
			mnl_attr_put_u32(nlh, key->attr, value);
			break;
		default:
			mnl_attr_put_u64(nlh, key->attr, value);
		}
	}
	return true;
}
