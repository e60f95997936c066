// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/ttp.yaml */
/* YNL-GEN kernel source */
/* To regenerate run: tools/dev/gen-netlink.sh */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "nl_gen.h"

#include <uapi/linux/ttp_netlink.h>

/* Integer value ranges */
static const struct netlink_range_validation ttp_a_dev_ifindex_range = {
	.min	= 1ULL,
	.max	= S32_MAX,
};

static const struct netlink_range_validation ttp_a_dev_unsched_range = {
	.max	= 1048576ULL,
};

static const struct netlink_range_validation ttp_a_dev_window_range = {
	.max	= 1048576ULL,
};

static const struct netlink_range_validation ttp_a_dev_rto_min_us_range = {
	.min	= 100ULL,
	.max	= 10000000ULL,
};

static const struct netlink_range_validation ttp_a_dev_rto_max_us_range = {
	.min	= 100ULL,
	.max	= 10000000ULL,
};

static const struct netlink_range_validation ttp_a_dev_rate_mbps_range = {
	.max	= 1600000ULL,
};

static const struct netlink_range_validation ttp_a_dev_backlog_ns_range = {
	.min	= 100ULL,
	.max	= 1000000ULL,
};

static const struct netlink_range_validation ttp_a_dev_incoming_range = {
	.max	= 268435456ULL,
};

static const struct netlink_range_validation ttp_a_dev_announce_range = {
	.max	= 1048576ULL,
};

static const struct netlink_range_validation ttp_a_peer_ifindex_range = {
	.min	= 1ULL,
	.max	= S32_MAX,
};

static const struct netlink_range_validation ttp_a_rpc_ifindex_range = {
	.min	= 1ULL,
	.max	= S32_MAX,
};

static const struct netlink_range_validation ttp_a_stats_ifindex_range = {
	.min	= 1ULL,
	.max	= S32_MAX,
};

static const struct netlink_range_validation ttp_a_param_dead_timeout_ms_range = {
	.min	= 10ULL,
	.max	= 3600000ULL,
};

static const struct netlink_range_validation ttp_a_param_max_message_range = {
	.min	= 4096ULL,
	.max	= 1073741824ULL,
};

static const struct netlink_range_validation ttp_a_param_max_peers_range = {
	.min	= 1ULL,
	.max	= 1048576ULL,
};

static const struct netlink_range_validation ttp_a_param_max_rpcs_per_peer_range = {
	.min	= 1ULL,
	.max	= 1048576ULL,
};

static const struct netlink_range_validation ttp_a_param_mem_range = {
	.min	= 65536ULL,
	.max	= S64_MAX,
};

static const struct netlink_range_validation ttp_a_param_rcvbuf_range = {
	.min	= 4096ULL,
	.max	= 1073741823ULL,
};

static const struct netlink_range_validation ttp_a_param_sndbuf_range = {
	.min	= 4096ULL,
	.max	= 1073741823ULL,
};

static const struct netlink_range_validation ttp_a_ping_ifindex_range = {
	.min	= 1ULL,
	.max	= S32_MAX,
};

static const struct netlink_range_validation ttp_a_ping_size_range = {
	.max	= 65535ULL,
};

/* TTP_CMD_DEV_GET - do */
static const struct nla_policy ttp_dev_get_nl_policy[TTP_A_DEV_IFINDEX + 1] = {
	[TTP_A_DEV_IFINDEX] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_ifindex_range),
};

/* TTP_CMD_DEV_ADD - do */
static const struct nla_policy ttp_dev_add_nl_policy[TTP_A_DEV_DELAY_TARGET_NS + 1] = {
	[TTP_A_DEV_IFINDEX] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_ifindex_range),
	[TTP_A_DEV_ETHERTYPE] = NLA_POLICY_MIN(NLA_U16, 1536),
	[TTP_A_DEV_CRC] = NLA_POLICY_MAX(NLA_U8, 1),
	[TTP_A_DEV_UNSCHED] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_unsched_range),
	[TTP_A_DEV_WINDOW] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_window_range),
	[TTP_A_DEV_ACK_EVERY] = NLA_POLICY_RANGE(NLA_U8, 1, 12),
	[TTP_A_DEV_RTO_MIN_US] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_rto_min_us_range),
	[TTP_A_DEV_RTO_MAX_US] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_rto_max_us_range),
	[TTP_A_DEV_RATE_MBPS] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_rate_mbps_range),
	[TTP_A_DEV_BACKLOG_NS] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_backlog_ns_range),
	[TTP_A_DEV_OVERCOMMIT] = NLA_POLICY_RANGE(NLA_U32, 1, 32),
	[TTP_A_DEV_INCOMING] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_incoming_range),
	[TTP_A_DEV_TAG] = NLA_POLICY_MAX(NLA_U8, 1),
	[TTP_A_DEV_LEVELS] = NLA_POLICY_RANGE(NLA_U8, 1, 8),
	[TTP_A_DEV_PCP_MAP] = NLA_POLICY_EXACT_LEN(TTP_PCP_MAP_LEN),
	[TTP_A_DEV_ANNOUNCE] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_announce_range),
	[TTP_A_DEV_DELAY_TARGET_NS] = { .type = NLA_U32, },
};

/* TTP_CMD_DEV_SET - do */
static const struct nla_policy ttp_dev_set_nl_policy[TTP_A_DEV_DELAY_TARGET_NS + 1] = {
	[TTP_A_DEV_IFINDEX] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_ifindex_range),
	[TTP_A_DEV_ETHERTYPE] = NLA_POLICY_MIN(NLA_U16, 1536),
	[TTP_A_DEV_CRC] = NLA_POLICY_MAX(NLA_U8, 1),
	[TTP_A_DEV_UNSCHED] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_unsched_range),
	[TTP_A_DEV_WINDOW] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_window_range),
	[TTP_A_DEV_ACK_EVERY] = NLA_POLICY_RANGE(NLA_U8, 1, 12),
	[TTP_A_DEV_RTO_MIN_US] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_rto_min_us_range),
	[TTP_A_DEV_RTO_MAX_US] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_rto_max_us_range),
	[TTP_A_DEV_RATE_MBPS] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_rate_mbps_range),
	[TTP_A_DEV_BACKLOG_NS] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_backlog_ns_range),
	[TTP_A_DEV_OVERCOMMIT] = NLA_POLICY_RANGE(NLA_U32, 1, 32),
	[TTP_A_DEV_INCOMING] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_incoming_range),
	[TTP_A_DEV_TAG] = NLA_POLICY_MAX(NLA_U8, 1),
	[TTP_A_DEV_LEVELS] = NLA_POLICY_RANGE(NLA_U8, 1, 8),
	[TTP_A_DEV_PCP_MAP] = NLA_POLICY_EXACT_LEN(TTP_PCP_MAP_LEN),
	[TTP_A_DEV_ANNOUNCE] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_announce_range),
	[TTP_A_DEV_DELAY_TARGET_NS] = { .type = NLA_U32, },
};

/* TTP_CMD_DEV_DEL - do */
static const struct nla_policy ttp_dev_del_nl_policy[TTP_A_DEV_IFINDEX + 1] = {
	[TTP_A_DEV_IFINDEX] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_dev_ifindex_range),
};

/* TTP_CMD_PEER_GET - dump */
static const struct nla_policy ttp_peer_get_nl_policy[TTP_A_PEER_IFINDEX + 1] = {
	[TTP_A_PEER_IFINDEX] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_peer_ifindex_range),
};

/* TTP_CMD_PEER_FLUSH - do */
static const struct nla_policy ttp_peer_flush_nl_policy[TTP_A_PEER_MAC + 1] = {
	[TTP_A_PEER_IFINDEX] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_peer_ifindex_range),
	[TTP_A_PEER_MAC] = NLA_POLICY_EXACT_LEN(TTP_MAC_LEN),
};

/* TTP_CMD_RPC_GET - dump */
static const struct nla_policy ttp_rpc_get_nl_policy[TTP_A_RPC_IFINDEX + 1] = {
	[TTP_A_RPC_IFINDEX] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_rpc_ifindex_range),
};

/* TTP_CMD_STATS_GET - do */
static const struct nla_policy ttp_stats_get_nl_policy[TTP_A_STATS_IFINDEX + 1] = {
	[TTP_A_STATS_IFINDEX] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_stats_ifindex_range),
};

/* TTP_CMD_PARAM_SET - do */
static const struct nla_policy ttp_param_set_nl_policy[TTP_A_PARAM_SNDBUF + 1] = {
	[TTP_A_PARAM_DEAD_TIMEOUT_MS] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_param_dead_timeout_ms_range),
	[TTP_A_PARAM_MAX_MESSAGE] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_param_max_message_range),
	[TTP_A_PARAM_MAX_PEERS] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_param_max_peers_range),
	[TTP_A_PARAM_MAX_RPCS_PER_PEER] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_param_max_rpcs_per_peer_range),
	[TTP_A_PARAM_MEM] = NLA_POLICY_FULL_RANGE(NLA_U64, &ttp_a_param_mem_range),
	[TTP_A_PARAM_RCVBUF] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_param_rcvbuf_range),
	[TTP_A_PARAM_SNDBUF] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_param_sndbuf_range),
};

/* TTP_CMD_PING - do */
static const struct nla_policy ttp_ping_nl_policy[TTP_A_PING_SIZE + 1] = {
	[TTP_A_PING_IFINDEX] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_ping_ifindex_range),
	[TTP_A_PING_MAC] = NLA_POLICY_EXACT_LEN(TTP_MAC_LEN),
	[TTP_A_PING_TIMEOUT_MS] = NLA_POLICY_RANGE(NLA_U32, 1, 10000),
	[TTP_A_PING_SIZE] = NLA_POLICY_FULL_RANGE(NLA_U32, &ttp_a_ping_size_range),
};

/* Ops table for ttp */
static const struct genl_split_ops ttp_nl_ops[] = {
	{
		.cmd		= TTP_CMD_DEV_GET,
		.doit		= ttp_nl_dev_get_doit,
		.policy		= ttp_dev_get_nl_policy,
		.maxattr	= TTP_A_DEV_IFINDEX,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= TTP_CMD_DEV_GET,
		.dumpit	= ttp_nl_dev_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= TTP_CMD_DEV_ADD,
		.doit		= ttp_nl_dev_add_doit,
		.policy		= ttp_dev_add_nl_policy,
		.maxattr	= TTP_A_DEV_DELAY_TARGET_NS,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= TTP_CMD_DEV_SET,
		.doit		= ttp_nl_dev_set_doit,
		.policy		= ttp_dev_set_nl_policy,
		.maxattr	= TTP_A_DEV_DELAY_TARGET_NS,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= TTP_CMD_DEV_DEL,
		.doit		= ttp_nl_dev_del_doit,
		.policy		= ttp_dev_del_nl_policy,
		.maxattr	= TTP_A_DEV_IFINDEX,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= TTP_CMD_PEER_GET,
		.start		= ttp_nl_peer_get_start,
		.dumpit		= ttp_nl_peer_get_dumpit,
		.done		= ttp_nl_walk_done,
		.policy		= ttp_peer_get_nl_policy,
		.maxattr	= TTP_A_PEER_IFINDEX,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= TTP_CMD_PEER_FLUSH,
		.doit		= ttp_nl_peer_flush_doit,
		.policy		= ttp_peer_flush_nl_policy,
		.maxattr	= TTP_A_PEER_MAC,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= TTP_CMD_SOCK_GET,
		.dumpit	= ttp_nl_sock_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= TTP_CMD_RPC_GET,
		.start		= ttp_nl_rpc_get_start,
		.dumpit		= ttp_nl_rpc_get_dumpit,
		.done		= ttp_nl_walk_done,
		.policy		= ttp_rpc_get_nl_policy,
		.maxattr	= TTP_A_RPC_IFINDEX,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= TTP_CMD_STATS_GET,
		.doit		= ttp_nl_stats_get_doit,
		.policy		= ttp_stats_get_nl_policy,
		.maxattr	= TTP_A_STATS_IFINDEX,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= TTP_CMD_PARAM_GET,
		.doit	= ttp_nl_param_get_doit,
		.flags	= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= TTP_CMD_PARAM_SET,
		.doit		= ttp_nl_param_set_doit,
		.policy		= ttp_param_set_nl_policy,
		.maxattr	= TTP_A_PARAM_SNDBUF,
		.flags		= GENL_UNS_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= TTP_CMD_PING,
		.doit		= ttp_nl_ping_doit,
		.policy		= ttp_ping_nl_policy,
		.maxattr	= TTP_A_PING_SIZE,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= TTP_CMD_INFO_GET,
		.doit	= ttp_nl_info_get_doit,
		.flags	= GENL_CMD_CAP_DO,
	},
};

static const struct genl_multicast_group ttp_nl_mcgrps[] = {
	[TTP_NLGRP_EVENTS] = { "events", },
};

struct genl_family ttp_nl_family __ro_after_init = {
	.name		= TTP_FAMILY_NAME,
	.version	= TTP_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= ttp_nl_ops,
	.n_split_ops	= ARRAY_SIZE(ttp_nl_ops),
	.mcgrps		= ttp_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(ttp_nl_mcgrps),
};
