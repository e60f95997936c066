// SPDX-License-Identifier: GPL-2.0
/*
 * ttpctl rpc: RPCs in flight.
 */
#include <string.h>

#include "nl.h"
#include "out.h"
#include "ttpctl.h"

static const struct key keys[] = {
	{ "dev", KEY_NUMBER, TTP_A_RPC_IFINDEX, 4 },
	{ NULL, 0, 0, 0 }
};

static const char * const roles[] = { "none", "client", "server", NULL };
static const char * const kinds[] = { "none", "request", "oneway", NULL };
static const char * const states[] = {
	"none", "outgoing", "incoming", "ready", "service", "replying", "done",
	NULL
};

static const struct out_field fields[] = {
	{ TTP_A_RPC_ID, OUT_ID, "id", "ID", 0, NULL },
	{ TTP_A_RPC_ROLE, OUT_ENUM, "role", "ROLE", 0, roles },
	{ TTP_A_RPC_KIND, OUT_ENUM, "kind", "KIND", 0, kinds },
	{ TTP_A_RPC_STATE, OUT_ENUM, "state", "STATE", 0, states },
	{ TTP_A_RPC_IFINDEX, OUT_NUMBER, "ifindex", NULL, 0, NULL },
	{ TTP_A_RPC_IFINDEX, OUT_DEV, "dev", "DEV", 0, NULL },
	{ TTP_A_RPC_LOCAL_PORT, OUT_NUMBER, "local_port", "PORT", 0, NULL },
	{ TTP_A_RPC_MAC, OUT_MAC, "mac", "PEER", 0, NULL },
	{ TTP_A_RPC_PEER_PORT, OUT_NUMBER, "peer_port", "PEER-PORT", 0, NULL },
	{ TTP_A_RPC_OUT_LEN, OUT_NUMBER, "out_len", "OUT-LEN", 0, NULL },
	{ TTP_A_RPC_OUT_SENT, OUT_NUMBER, "out_sent", "SENT", 0, NULL },
	{ TTP_A_RPC_OUT_GRANTED, OUT_NUMBER, "out_granted", "GRANTED", 1,
	  NULL },
	{ TTP_A_RPC_OUT_ACKED, OUT_NUMBER, "out_acked", "ACKED", 0, NULL },
	{ TTP_A_RPC_IN_LEN, OUT_NUMBER, "in_len", "IN-LEN", 0, NULL },
	{ TTP_A_RPC_IN_RECEIVED, OUT_NUMBER, "in_received", "RECEIVED", 0,
	  NULL },
	{ TTP_A_RPC_IN_GRANTED, OUT_NUMBER, "in_granted", "IN-GRANTED", 1,
	  NULL },
	{ TTP_A_RPC_AGE_US, OUT_US, "age_us", "AGE", 0, NULL },
	{ TTP_A_RPC_SILENT_US, OUT_US, "silent_us", "SILENT", 0, NULL },
	{ TTP_A_RPC_RETRIES, OUT_NUMBER, "retries", "RETRIES", 0, NULL },
	{ 0, 0, NULL, NULL, 0, NULL }
};

static void row(uint8_t cmd, const struct nl_attrs *attrs, void *arg)
{
	const uint64_t *port = arg;

	if (!*port || nl_number(attrs->a[TTP_A_RPC_LOCAL_PORT]) == *port)
		out_row(cmd, attrs, NULL);
}

static int show(int argc, char **argv)
{
	const char *dev = NULL, *sock = NULL;
	unsigned int ifindex = 0;
	struct nlmsghdr *nlh;
	uint64_t port = 0;
	int err;

	for (; argc; argc -= 2, argv += 2) {
		const char **word;

		if (!dev && !strcmp(argv[0], "dev"))
			word = &dev;
		else if (!sock && !strcmp(argv[0], "sock"))
			word = &sock;
		else
			return no_more(argc, argv);
		if (argc < 2)
			return usage("\"%s\" lacks its value", argv[0]);
		*word = argv[1];
	}
	if (sock && !parse_number("sock", sock, 65535, &port))
		return EXIT_USAGE;
	if (sock && !port)
		return usage("no socket has port 0");
	if (dev) {
		ifindex = find_dev(dev);
		if (!ifindex)
			return EXIT_ERROR;
	}
	nlh = nl_request(TTP_CMD_RPC_GET, NLM_F_DUMP);
	if (!nlh)
		return EXIT_ERROR;
	if (ifindex)
		mnl_attr_put_u32(nlh, TTP_A_RPC_IFINDEX, ifindex);
	out_table(fields);
	err = nl_talk(nlh, keys, row, &port);
	if (!err)
		out_table_end();
	return err;
}

static const struct command commands[] = {
	{ "show", show },
	{ NULL, NULL }
};

int rpc_run(int argc, char **argv)
{
	return command_run(commands, "command of rpc", argc, argv);
}
