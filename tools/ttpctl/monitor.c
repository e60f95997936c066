// SPDX-License-Identifier: GPL-2.0
/*
 * ttpctl monitor: events as they come, until interrupted or -t is over.
 */
#include <stdio.h>
#include <time.h>

#include "nl.h"
#include "out.h"
#include "ttpctl.h"

static const struct out_field dev_fields[] = {
	{ TTP_A_DEV_IFINDEX, OUT_NUMBER, "ifindex", "ifindex", 0, NULL },
	{ TTP_A_DEV_IFNAME, OUT_STRING, "dev", "dev", 0, NULL },
	{ TTP_A_DEV_MAC, OUT_MAC, "mac", "mac", 0, NULL },
	{ TTP_A_DEV_UP, OUT_YES, "up", "up", 0, NULL },
	{ TTP_A_DEV_MTU, OUT_NUMBER, "mtu", "mtu", 0, NULL },
	{ TTP_A_DEV_ETHERTYPE, OUT_HEX, "ethertype", "ethertype", 0, NULL },
	{ TTP_A_DEV_CRC, OUT_SWITCH, "crc", "crc", 0, NULL },
	{ TTP_A_DEV_EPOCH, OUT_HEX, "epoch", "epoch", 0, NULL },
	{ TTP_A_DEV_UNSCHED, OUT_AUTO_SIZE, "unsched", "unsched", 0, NULL },
	{ TTP_A_DEV_WINDOW, OUT_AUTO_SIZE, "window", "window", 0, NULL },
	{ TTP_A_DEV_ACK_EVERY, OUT_NUMBER, "ack_every", "ack-every", 0, NULL },
	{ TTP_A_DEV_RTO_MIN_US, OUT_US, "rto_min_us", "rto-min", 0, NULL },
	{ TTP_A_DEV_RTO_MAX_US, OUT_US, "rto_max_us", "rto-max", 0, NULL },
	{ TTP_A_DEV_RATE_MBPS, OUT_AUTO_RATE, "rate_mbps", "rate", 0, NULL },
	{ TTP_A_DEV_BACKLOG_NS, OUT_NS, "backlog_ns", "backlog", 0, NULL },
	{ TTP_A_DEV_OVERCOMMIT, OUT_NUMBER, "overcommit", "overcommit", 0, NULL },
	{ TTP_A_DEV_INCOMING, OUT_AUTO_SIZE, "incoming", "incoming", 0, NULL },
	{ TTP_A_DEV_TAG, OUT_SWITCH, "tag", "tag", 0, NULL },
	{ TTP_A_DEV_LEVELS, OUT_NUMBER, "levels", "levels", 0, NULL },
	{ TTP_A_DEV_PCP_MAP, OUT_LIST, "pcp_map", "pcp-map", 0, NULL },
	{ TTP_A_DEV_ANNOUNCE, OUT_AUTO_SIZE, "announce", "announce", 0, NULL },
	{ TTP_A_DEV_DELAY_TARGET_NS, OUT_AUTO_NS, "delay_target_ns",
	  "delay-target", 0, NULL },
	{ 0, 0, NULL, NULL, 0, NULL }
};

static const struct out_field peer_fields[] = {
	{ TTP_A_PEER_MAC, OUT_MAC, "mac", "mac", 0, NULL },
	{ TTP_A_PEER_IFINDEX, OUT_NUMBER, "ifindex", NULL, 0, NULL },
	{ TTP_A_PEER_IFINDEX, OUT_DEV, "dev", "dev", 0, NULL },
	{ TTP_A_PEER_EPOCH, OUT_HEX, "epoch", "epoch", 0, NULL },
	{ 0, 0, NULL, NULL, 0, NULL }
};

static const char * const limits[] = {
	"none", "max-peers", "max-rpcs-per-peer", "mem", NULL
};

static const struct out_field limit_fields[] = {
	{ TTP_A_LIMIT_LIMIT, OUT_ENUM, "limit", "limit", 0, limits },
	{ TTP_A_LIMIT_VALUE, OUT_NUMBER, "value", "value", 0, NULL },
	{ TTP_A_LIMIT_MAC, OUT_MAC, "mac", "mac", 0, NULL },
	{ TTP_A_LIMIT_IFINDEX, OUT_NUMBER, "ifindex", NULL, 0, NULL },
	{ TTP_A_LIMIT_IFINDEX, OUT_DEV, "dev", "dev", 0, NULL },
	{ 0, 0, NULL, NULL, 0, NULL }
};

static const struct out_field no_fields[] = {
	{ 0, 0, NULL, NULL, 0, NULL }
};

static const struct {
	uint8_t cmd;
	const char *name;
	const struct out_field *fields;
} events[] = {
	{ TTP_CMD_DEV_ADD_NTF, "dev-add", dev_fields },
	{ TTP_CMD_DEV_SET_NTF, "dev-set", dev_fields },
	{ TTP_CMD_DEV_DEL_NTF, "dev-del", dev_fields },
	{ TTP_CMD_PEER_DEAD, "peer-dead", peer_fields },
	{ TTP_CMD_PEER_RESTARTED, "peer-restarted", peer_fields },
	{ TTP_CMD_PARAM_SET_NTF, "param-set", param_fields },
	{ TTP_CMD_LIMIT_HIT, "limit-hit", limit_fields },
	{ 0, "unknown", no_fields }
};

static void event(uint8_t cmd, const struct nl_attrs *attrs, void *arg)
{
	char date[32], stamp[64];
	unsigned int i = 0;
	struct timespec ts;

	(void)arg;
	while (events[i].cmd && events[i].cmd != cmd)
		i++;
	clock_gettime(CLOCK_REALTIME, &ts);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", localtime(&ts.tv_sec));
	snprintf(stamp, sizeof(stamp), "%s.%06ld", date, ts.tv_nsec / 1000);
	if (opt.json) {
		json_open(NULL, '{');
		json_string("time", stamp);
		json_string("event", events[i].name);
		out_fields(events[i].fields, attrs);
		json_close('}');
		json_end();
	} else {
		printf("%s %s", stamp, events[i].name);
		out_fields(events[i].fields, attrs);
		putchar('\n');
	}
	fflush(stdout);
}

int monitor_run(int argc, char **argv)
{
	if (argc)
		return no_more(argc, argv);
	return nl_listen(TTP_MCGRP_EVENTS, event, NULL, opt.timeout_ms);
}
