// SPDX-License-Identifier: GPL-2.0
/*
 * ttpctl stats: counters, whatever the module calls them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nl.h"
#include "out.h"
#include "ttpctl.h"

#define MAX_COUNTERS	512

static const struct key keys[] = {
	{ "DEV", KEY_NUMBER, TTP_A_STATS_IFINDEX, 4 },
	{ NULL, 0, 0, 0 }
};

struct counters {
	unsigned int count;
	struct {
		char name[48];
		uint64_t value;
	} c[MAX_COUNTERS];
};

static void collect(uint8_t cmd, const struct nl_attrs *attrs, void *arg)
{
	struct counters *set = arg;
	const struct nlattr *attr;
	struct nl_attrs nest;

	(void)cmd;
	mnl_attr_for_each_payload(attrs->data, attrs->len) {
		if (mnl_attr_get_type(attr) != TTP_A_STATS_COUNTERS ||
		    set->count == MAX_COUNTERS)
			continue;
		nl_parse(mnl_attr_get_payload(attr),
			 mnl_attr_get_payload_len(attr), &nest);
		if (!nest.a[TTP_A_COUNTER_NAME])
			continue;
		snprintf(set->c[set->count].name, sizeof(set->c[0].name), "%s",
			 mnl_attr_get_str(nest.a[TTP_A_COUNTER_NAME]));
		set->c[set->count].value =
			nl_number(nest.a[TTP_A_COUNTER_VALUE]);
		set->count++;
	}
}

static int fetch(unsigned int ifindex, struct counters *set)
{
	struct nlmsghdr *nlh = nl_request(TTP_CMD_STATS_GET, NLM_F_ACK);

	set->count = 0;
	if (!nlh)
		return EXIT_ERROR;
	if (ifindex)
		mnl_attr_put_u32(nlh, TTP_A_STATS_IFINDEX, ifindex);
	return nl_talk(nlh, keys, collect, set);
}

/* The difference to @before, which may lack counters */
static uint64_t since(const struct counters *before, const struct counters *set,
		      unsigned int i)
{
	if (i < before->count && !strcmp(before->c[i].name, set->c[i].name))
		return set->c[i].value - before->c[i].value;
	return set->c[i].value;
}

static void print(const struct counters *before, const struct counters *set)
{
	unsigned int i;
	uint64_t value;

	if (opt.json)
		json_open(NULL, '{');
	for (i = 0; i < set->count; i++) {
		value = since(before, set, i);
		if (opt.json)
			json_number(set->c[i].name, value);
		else if (value || opt.all)
			printf("%-24s %" PRIu64 "\n", set->c[i].name, value);
	}
	if (opt.json) {
		json_close('}');
		json_end();
	}
	fflush(stdout);
}

static int watch(unsigned int ifindex, unsigned int every_ms)
{
	static struct counters sets[2];
	struct timespec ts = { every_ms / 1000, every_ms % 1000 * 1000000L };
	unsigned int i = 0, left = opt.timeout_ms;
	int err;

	err = fetch(ifindex, &sets[i]);
	while (!err && (!opt.timeout_ms || left >= every_ms)) {
		left -= every_ms;
		nanosleep(&ts, NULL);
		i = !i;
		err = fetch(ifindex, &sets[i]);
		if (err)
			break;
		print(&sets[!i], &sets[i]);
		if (!opt.json)
			putchar('\n');
	}
	return err;
}

int stats_run(int argc, char **argv)
{
	static struct counters none, set;
	unsigned int ifindex = 0, every_ms = 0;
	const char *dev = NULL;
	int err;

	for (; argc; argc--, argv++) {
		if (!every_ms && !strcmp(argv[0], "-w")) {
			if (argc < 2)
				return usage("-w lacks its value");
			if (!parse_seconds("-w", argv[1], &every_ms))
				return EXIT_USAGE;
			argc--;
			argv++;
		} else if (!strcmp(argv[0], "reset")) {
			return usage("counters only grow; -w shows differences");
		} else if (!dev && argv[0][0] != '-') {
			dev = argv[0];
		} else {
			return no_more(argc, argv);
		}
	}
	if (dev) {
		ifindex = find_dev(dev);
		if (!ifindex)
			return EXIT_ERROR;
	}
	if (every_ms)
		return watch(ifindex, every_ms);
	err = fetch(ifindex, &set);
	if (!err)
		print(&none, &set);
	return err;
}
