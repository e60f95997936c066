/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/ttp.yaml */
/* YNL-GEN kernel header */
/* To regenerate run: tools/dev/gen-netlink.sh */

#ifndef _LINUX_TTP_GEN_H
#define _LINUX_TTP_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/ttp_netlink.h>

int ttp_nl_peer_get_start(struct netlink_callback *cb);
int ttp_nl_rpc_get_start(struct netlink_callback *cb);
int ttp_nl_walk_done(struct netlink_callback *cb);

int ttp_nl_dev_get_doit(struct sk_buff *skb, struct genl_info *info);
int ttp_nl_dev_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int ttp_nl_dev_add_doit(struct sk_buff *skb, struct genl_info *info);
int ttp_nl_dev_set_doit(struct sk_buff *skb, struct genl_info *info);
int ttp_nl_dev_del_doit(struct sk_buff *skb, struct genl_info *info);
int ttp_nl_peer_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int ttp_nl_peer_flush_doit(struct sk_buff *skb, struct genl_info *info);
int ttp_nl_sock_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int ttp_nl_rpc_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int ttp_nl_stats_get_doit(struct sk_buff *skb, struct genl_info *info);
int ttp_nl_param_get_doit(struct sk_buff *skb, struct genl_info *info);
int ttp_nl_param_set_doit(struct sk_buff *skb, struct genl_info *info);
int ttp_nl_ping_doit(struct sk_buff *skb, struct genl_info *info);
int ttp_nl_info_get_doit(struct sk_buff *skb, struct genl_info *info);

enum {
	TTP_NLGRP_EVENTS,
};

extern struct genl_family ttp_nl_family;

#endif /* _LINUX_TTP_GEN_H */
