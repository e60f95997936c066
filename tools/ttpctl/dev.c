// SPDX-License-Identifier: GPL-2.0
/*
 * ttpctl dev: network devices that TTP uses.
 */
#include "nl.h"
#include "out.h"
#include "ttpctl.h"

static const struct key keys[] = {
	{ "ethertype", KEY_NUMBER, TTP_A_DEV_ETHERTYPE, 2 },
	{ "crc", KEY_SWITCH, TTP_A_DEV_CRC, 1 },
	{ "unsched", KEY_AUTO_SIZE, TTP_A_DEV_UNSCHED, 4 },
	{ "window", KEY_AUTO_SIZE, TTP_A_DEV_WINDOW, 4 },
	{ "ack-every", KEY_NUMBER, TTP_A_DEV_ACK_EVERY, 1 },
	{ "rto-min", KEY_US, TTP_A_DEV_RTO_MIN_US, 4 },
	{ "rto-max", KEY_US, TTP_A_DEV_RTO_MAX_US, 4 },
	{ "rate", KEY_RATE, TTP_A_DEV_RATE_MBPS, 4 },
	{ "backlog", KEY_NS, TTP_A_DEV_BACKLOG_NS, 4 },
	{ "overcommit", KEY_NUMBER, TTP_A_DEV_OVERCOMMIT, 4 },
	{ "incoming", KEY_AUTO_SIZE, TTP_A_DEV_INCOMING, 4 },
	{ "tag", KEY_SWITCH, TTP_A_DEV_TAG, 1 },
	{ "levels", KEY_NUMBER, TTP_A_DEV_LEVELS, 1 },
	{ "pcp-map", KEY_LIST, TTP_A_DEV_PCP_MAP, 8 },
	{ "announce", KEY_AUTO_SIZE, TTP_A_DEV_ANNOUNCE, 4 },
	{ "delay-target", KEY_AUTO_NS, TTP_A_DEV_DELAY_TARGET_NS, 4 },
	{ NULL, 0, 0, 0 }
};

static const struct out_field fields[] = {
	{ TTP_A_DEV_IFINDEX, OUT_NUMBER, "ifindex", NULL, 0, NULL },
	{ TTP_A_DEV_IFNAME, OUT_STRING, "dev", "DEV", 0, NULL },
	{ TTP_A_DEV_MAC, OUT_MAC, "mac", "MAC", 0, NULL },
	{ TTP_A_DEV_UP, OUT_YES, "up", "UP", 0, NULL },
	{ TTP_A_DEV_MTU, OUT_NUMBER, "mtu", "MTU", 0, NULL },
	{ TTP_A_DEV_PEERS, OUT_NUMBER, "peers", "PEERS", 0, NULL },
	{ TTP_A_DEV_RPCS, OUT_NUMBER, "rpcs", "RPCS", 0, NULL },
	{ TTP_A_DEV_ETHERTYPE, OUT_HEX, "ethertype", "ETHERTYPE", 0, NULL },
	{ TTP_A_DEV_CRC, OUT_SWITCH, "crc", "CRC", 0, NULL },
	{ TTP_A_DEV_EPOCH, OUT_HEX, "epoch", "EPOCH", 1, NULL },
	{ TTP_A_DEV_UNSCHED, OUT_AUTO_SIZE, "unsched", "UNSCHED", 1, NULL },
	{ TTP_A_DEV_WINDOW, OUT_AUTO_SIZE, "window", "WINDOW", 1, NULL },
	{ TTP_A_DEV_ACK_EVERY, OUT_NUMBER, "ack_every", "ACK-EVERY", 1, NULL },
	{ TTP_A_DEV_RTO_MIN_US, OUT_US, "rto_min_us", "RTO-MIN", 1, NULL },
	{ TTP_A_DEV_RTO_MAX_US, OUT_US, "rto_max_us", "RTO-MAX", 1, NULL },
	{ TTP_A_DEV_RATE_MBPS, OUT_AUTO_RATE, "rate_mbps", "RATE", 1, NULL },
	{ TTP_A_DEV_SPEED_MBPS, OUT_RATE, "speed_mbps", "SPEED", 1, NULL },
	{ TTP_A_DEV_BACKLOG_NS, OUT_NS, "backlog_ns", "BACKLOG", 1, NULL },
	{ TTP_A_DEV_OVERCOMMIT, OUT_NUMBER, "overcommit", "OVERCOMMIT", 1, NULL },
	{ TTP_A_DEV_INCOMING, OUT_AUTO_SIZE, "incoming", "INCOMING", 1, NULL },
	{ TTP_A_DEV_TAG, OUT_SWITCH, "tag", "TAG", 1, NULL },
	{ TTP_A_DEV_LEVELS, OUT_NUMBER, "levels", "LEVELS", 1, NULL },
	{ TTP_A_DEV_PCP_MAP, OUT_LIST, "pcp_map", "PCP-MAP", 1, NULL },
	{ TTP_A_DEV_ANNOUNCE, OUT_AUTO_SIZE, "announce", "ANNOUNCE", 1, NULL },
	{ TTP_A_DEV_DELAY_TARGET_NS, OUT_AUTO_NS, "delay_target_ns",
	  "DELAY-TARGET", 1, NULL },
	{ 0, 0, NULL, NULL, 0, NULL }
};

static int change(uint8_t cmd, int argc, char **argv)
{
	struct nlmsghdr *nlh;
	unsigned int ifindex;

	if (!argc)
		return usage("DEV is missing");
	/* the words are judged before anything is looked up */
	if (!keys_put(NULL, keys, argc - 1, argv + 1))
		return EXIT_USAGE;
	ifindex = find_dev(argv[0]);
	if (!ifindex)
		return EXIT_ERROR;
	nlh = nl_request(cmd, NLM_F_ACK);
	if (!nlh)
		return EXIT_ERROR;
	mnl_attr_put_u32(nlh, TTP_A_DEV_IFINDEX, ifindex);
	keys_put(nlh, keys, argc - 1, argv + 1);
	return nl_talk(nlh, keys, NULL, NULL);
}

static int add(int argc, char **argv)
{
	return change(TTP_CMD_DEV_ADD, argc, argv);
}

static int set(int argc, char **argv)
{
	if (argc == 1)
		return usage("KEY VALUE is missing");
	return change(TTP_CMD_DEV_SET, argc, argv);
}

static int del(int argc, char **argv)
{
	if (argc > 1)
		return no_more(argc - 1, argv + 1);
	return change(TTP_CMD_DEV_DEL, argc, argv);
}

static int show(int argc, char **argv)
{
	unsigned int ifindex = 0;
	struct nlmsghdr *nlh;

	if (argc > 1)
		return no_more(argc - 1, argv + 1);
	if (argc) {
		ifindex = find_dev(argv[0]);
		if (!ifindex)
			return EXIT_ERROR;
	}
	nlh = nl_request(TTP_CMD_DEV_GET, ifindex ? NLM_F_ACK : NLM_F_DUMP);
	if (!nlh)
		return EXIT_ERROR;
	if (ifindex)
		mnl_attr_put_u32(nlh, TTP_A_DEV_IFINDEX, ifindex);
	return out_list(nlh, keys, fields);
}

static const struct command commands[] = {
	{ "add", add },
	{ "set", set },
	{ "del", del },
	{ "show", show },
	{ NULL, NULL }
};

int dev_run(int argc, char **argv)
{
	return command_run(commands, "command of dev", argc, argv);
}
