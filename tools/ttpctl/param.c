// SPDX-License-Identifier: GPL-2.0
/*
 * ttpctl param: limits and defaults of the network namespace; ttpctl info.
 */
#include "nl.h"
#include "out.h"
#include "ttpctl.h"

static const struct key keys[] = {
	{ "dead-timeout", KEY_MS, TTP_A_PARAM_DEAD_TIMEOUT_MS, 4 },
	{ "max-message", KEY_SIZE, TTP_A_PARAM_MAX_MESSAGE, 4 },
	{ "max-peers", KEY_NUMBER, TTP_A_PARAM_MAX_PEERS, 4 },
	{ "max-rpcs-per-peer", KEY_NUMBER, TTP_A_PARAM_MAX_RPCS_PER_PEER, 4 },
	{ "mem", KEY_SIZE, TTP_A_PARAM_MEM, 8 },
	{ "rcvbuf", KEY_SIZE, TTP_A_PARAM_RCVBUF, 4 },
	{ "sndbuf", KEY_SIZE, TTP_A_PARAM_SNDBUF, 4 },
	{ NULL, 0, 0, 0 }
};

const struct out_field param_fields[] = {
	{ TTP_A_PARAM_DEAD_TIMEOUT_MS, OUT_MS, "dead_timeout_ms",
	  "dead-timeout", 0, NULL },
	{ TTP_A_PARAM_MAX_MESSAGE, OUT_SIZE, "max_message", "max-message", 0,
	  NULL },
	{ TTP_A_PARAM_MAX_PEERS, OUT_NUMBER, "max_peers", "max-peers", 0,
	  NULL },
	{ TTP_A_PARAM_MAX_RPCS_PER_PEER, OUT_NUMBER, "max_rpcs_per_peer",
	  "max-rpcs-per-peer", 0, NULL },
	{ TTP_A_PARAM_MEM, OUT_SIZE, "mem", "mem", 0, NULL },
	{ TTP_A_PARAM_RCVBUF, OUT_SIZE, "rcvbuf", "rcvbuf", 0, NULL },
	{ TTP_A_PARAM_SNDBUF, OUT_SIZE, "sndbuf", "sndbuf", 0, NULL },
	{ 0, 0, NULL, NULL, 0, NULL }
};

static const struct out_field info_fields[] = {
	{ TTP_A_INFO_VERSION, OUT_STRING, "version", "version", 0, NULL },
	{ TTP_A_INFO_FAMILY, OUT_NUMBER, "family", "family", 0, NULL },
	{ TTP_A_INFO_WIRE_VERSION, OUT_NUMBER, "wire_version", "wire-version",
	  0, NULL },
	{ 0, 0, NULL, NULL, 0, NULL }
};

static int show_record(uint8_t cmd, const struct out_field *fields)
{
	struct nlmsghdr *nlh = nl_request(cmd, NLM_F_ACK);

	if (!nlh)
		return EXIT_ERROR;
	return nl_talk(nlh, NULL, out_record, (void *)fields);
}

static int show(int argc, char **argv)
{
	if (argc)
		return no_more(argc, argv);
	return show_record(TTP_CMD_PARAM_GET, param_fields);
}

static int set(int argc, char **argv)
{
	struct nlmsghdr *nlh;

	if (!argc)
		return usage("KEY VALUE is missing");
	if (!keys_put(NULL, keys, argc, argv))
		return EXIT_USAGE;
	nlh = nl_request(TTP_CMD_PARAM_SET, NLM_F_ACK);
	if (!nlh)
		return EXIT_ERROR;
	keys_put(nlh, keys, argc, argv);
	return nl_talk(nlh, keys, NULL, NULL);
}

static const struct command commands[] = {
	{ "show", show },
	{ "set", set },
	{ NULL, NULL }
};

int param_run(int argc, char **argv)
{
	return command_run(commands, "command of param", argc, argv);
}

int info_run(int argc, char **argv)
{
	if (argc)
		return no_more(argc, argv);
	return show_record(TTP_CMD_INFO_GET, info_fields);
}
