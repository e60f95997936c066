// SPDX-License-Identifier: GPL-2.0
/*
 * ttpctl peer: other hosts, and what is known of them.
 */
#include <stdio.h>
#include <string.h>

#include "nl.h"
#include "out.h"
#include "ttpctl.h"

static const struct key keys[] = {
	{ "dev", KEY_NUMBER, TTP_A_PEER_IFINDEX, 4 },
	{ "MAC", KEY_NUMBER, TTP_A_PEER_MAC, 6 },
	{ NULL, 0, 0, 0 }
};

static const struct out_field fields[] = {
	{ TTP_A_PEER_IFINDEX, OUT_NUMBER, "ifindex", NULL, 0, NULL },
	{ TTP_A_PEER_IFINDEX, OUT_DEV, "dev", "DEV", 0, NULL },
	{ TTP_A_PEER_MAC, OUT_MAC, "mac", "MAC", 0, NULL },
	{ TTP_A_PEER_EPOCH, OUT_HEX, "epoch", "EPOCH", 0, NULL },
	{ TTP_A_PEER_MTU, OUT_NUMBER, "mtu", "MTU", 0, NULL },
	{ TTP_A_PEER_SRTT_NS, OUT_NS, "srtt_ns", "SRTT", 0, NULL },
	{ TTP_A_PEER_MIN_RTT_NS, OUT_NS, "min_rtt_ns", "MIN-RTT", 0, NULL },
	{ TTP_A_PEER_RTTVAR_NS, OUT_NS, "rttvar_ns", "RTTVAR", 1, NULL },
	{ TTP_A_PEER_RTO_US, OUT_US, "rto_us", "RTO", 1, NULL },
	{ TTP_A_PEER_RPCS_OUT, OUT_NUMBER, "rpcs_out", "OUT", 0, NULL },
	{ TTP_A_PEER_RPCS_IN, OUT_NUMBER, "rpcs_in", "IN", 0, NULL },
	{ TTP_A_PEER_IDLE_MS, OUT_MS, "idle_ms", "IDLE", 0, NULL },
	{ TTP_A_PEER_TX_PACKETS, OUT_NUMBER, "tx_packets", "TX-PACKETS", 1,
	  NULL },
	{ TTP_A_PEER_TX_BYTES, OUT_NUMBER, "tx_bytes", "TX-BYTES", 1, NULL },
	{ TTP_A_PEER_RX_PACKETS, OUT_NUMBER, "rx_packets", "RX-PACKETS", 1,
	  NULL },
	{ TTP_A_PEER_RX_BYTES, OUT_NUMBER, "rx_bytes", "RX-BYTES", 1, NULL },
	{ TTP_A_PEER_RETRANSMITS, OUT_NUMBER, "retransmits", "RETRANSMITS", 0,
	  NULL },
	{ 0, 0, NULL, NULL, 0, NULL }
};

static const struct out_field flush_fields[] = {
	{ TTP_A_PEER_FLUSHED, OUT_NUMBER, "flushed", "flushed", 0, NULL },
	{ 0, 0, NULL, NULL, 0, NULL }
};

/* [dev DEV] [MAC], both given at most once */
struct selection {
	unsigned int ifindex;
	bool has_mac;
	uint8_t mac[6];
};

static int parse_selection(struct selection *sel, int argc, char **argv)
{
	const char *dev = NULL;

	memset(sel, 0, sizeof(*sel));
	while (argc) {
		if (!dev && !strcmp(argv[0], "dev")) {
			if (argc < 2)
				return usage("DEV is missing");
			dev = argv[1];
			argc -= 2;
			argv += 2;
		} else if (!sel->has_mac && parse_mac(argv[0], sel->mac)) {
			sel->has_mac = true;
			argc--;
			argv++;
		} else {
			return no_more(argc, argv);
		}
	}
	if (dev) {
		sel->ifindex = find_dev(dev);
		if (!sel->ifindex)
			return EXIT_ERROR;
	}
	return EXIT_OK;
}

static void row(uint8_t cmd, const struct nl_attrs *attrs, void *arg)
{
	const struct nlattr *mac = attrs->a[TTP_A_PEER_MAC];
	const struct selection *sel = arg;

	if (sel->has_mac &&
	    (!mac || mnl_attr_get_payload_len(mac) < sizeof(sel->mac) ||
	     memcmp(mnl_attr_get_payload(mac), sel->mac, sizeof(sel->mac))))
		return;
	out_row(cmd, attrs, NULL);
}

static int begin(struct nlmsghdr **nlh, struct selection *sel, uint8_t cmd,
		 int flags, int argc, char **argv)
{
	int err = parse_selection(sel, argc, argv);

	if (err)
		return err;
	*nlh = nl_request(cmd, flags);
	if (!*nlh)
		return EXIT_ERROR;
	if (sel->ifindex)
		mnl_attr_put_u32(*nlh, TTP_A_PEER_IFINDEX, sel->ifindex);
	return EXIT_OK;
}

static int show(int argc, char **argv)
{
	struct selection sel;
	struct nlmsghdr *nlh;
	int err;

	err = begin(&nlh, &sel, TTP_CMD_PEER_GET, NLM_F_DUMP, argc, argv);
	if (err)
		return err;
	out_table(fields);
	err = nl_talk(nlh, keys, row, &sel);
	if (!err)
		out_table_end();
	return err;
}

static int flush(int argc, char **argv)
{
	struct selection sel;
	struct nlmsghdr *nlh;
	int err;

	err = begin(&nlh, &sel, TTP_CMD_PEER_FLUSH, NLM_F_ACK, argc, argv);
	if (err)
		return err;
	if (sel.has_mac)
		mnl_attr_put(nlh, TTP_A_PEER_MAC, sizeof(sel.mac), sel.mac);
	return nl_talk(nlh, keys, out_record, (void *)flush_fields);
}

static const struct command commands[] = {
	{ "show", show },
	{ "flush", flush },
	{ NULL, NULL }
};

int peer_run(int argc, char **argv)
{
	return command_run(commands, "command of peer", argc, argv);
}
