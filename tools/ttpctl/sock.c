// SPDX-License-Identifier: GPL-2.0
/*
 * ttpctl sock: AF_TTP sockets.
 */
#include "nl.h"
#include "out.h"
#include "ttpctl.h"

static const struct out_field fields[] = {
	{ TTP_A_SOCK_IFINDEX, OUT_NUMBER, "ifindex", NULL, 0, NULL },
	{ TTP_A_SOCK_IFINDEX, OUT_DEV, "dev", "DEV", 0, NULL },
	{ TTP_A_SOCK_PORT, OUT_NUMBER, "port", "PORT", 0, NULL },
	{ TTP_A_SOCK_LISTENING, OUT_YES, "listening", "LISTENING", 0, NULL },
	{ TTP_A_SOCK_RPCS_OUT, OUT_NUMBER, "rpcs_out", "OUT", 0, NULL },
	{ TTP_A_SOCK_RPCS_IN, OUT_NUMBER, "rpcs_in", "IN", 0, NULL },
	{ TTP_A_SOCK_READY, OUT_NUMBER, "ready", "READY", 0, NULL },
	{ TTP_A_SOCK_RCV_BYTES, OUT_NUMBER, "rcv_bytes", "RCV-BYTES", 0, NULL },
	{ TTP_A_SOCK_SND_BYTES, OUT_NUMBER, "snd_bytes", "SND-BYTES", 0, NULL },
	{ TTP_A_SOCK_RCVBUF, OUT_SIZE, "rcvbuf", "RCVBUF", 1, NULL },
	{ TTP_A_SOCK_SNDBUF, OUT_SIZE, "sndbuf", "SNDBUF", 1, NULL },
	{ TTP_A_SOCK_UID, OUT_NUMBER, "uid", "UID", 0, NULL },
	{ TTP_A_SOCK_INODE, OUT_NUMBER, "inode", "INODE", 1, NULL },
	{ TTP_A_SOCK_PEER_IFINDEX, OUT_NUMBER, "peer_ifindex", NULL, 0, NULL },
	{ TTP_A_SOCK_PEER_MAC, OUT_MAC, "peer_mac", "PEER", 0, NULL },
	{ TTP_A_SOCK_PEER_IFINDEX, OUT_DEV, "peer_dev", "PEER-DEV", 0, NULL },
	{ TTP_A_SOCK_PEER_PORT, OUT_NUMBER, "peer_port", "PEER-PORT", 0, NULL },
	{ 0, 0, NULL, NULL, 0, NULL }
};

static int show(int argc, char **argv)
{
	struct nlmsghdr *nlh;

	if (argc)
		return no_more(argc, argv);
	nlh = nl_request(TTP_CMD_SOCK_GET, NLM_F_DUMP);
	return nlh ? out_list(nlh, NULL, fields) : EXIT_ERROR;
}

static const struct command commands[] = {
	{ "show", show },
	{ NULL, NULL }
};

int sock_run(int argc, char **argv)
{
	return command_run(commands, "command of sock", argc, argv);
}
