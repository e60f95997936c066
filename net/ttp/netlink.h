/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generic netlink family: configuration, state, events.
 */
#ifndef _NET_TTP_NETLINK_H
#define _NET_TTP_NETLINK_H

#include <linux/types.h>
#include <uapi/linux/ttp_netlink.h>

/* Version of the module */
#define TTP_VERSION	"0.1"

struct genl_info;
struct sk_buff;
struct ttp_link;
struct ttp_net;

/**
 * ttp_netlink_init() - register the family
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno.
 */
int ttp_netlink_init(void);

/**
 * ttp_netlink_exit() - unregister the family
 *
 * Context: process, may sleep.
 */
void ttp_netlink_exit(void);

/**
 * ttp_netlink_mem_limit() - tell that the limit of memory was hit
 * @tn: the namespace
 *
 * Context: any; the event is sent by a work item.
 */
void ttp_netlink_mem_limit(struct ttp_net *tn);

/**
 * ttp_netlink_net_init() - set up the events of a namespace
 * @tn: the namespace
 *
 * Context: process.
 */
void ttp_netlink_net_init(struct ttp_net *tn);

/**
 * ttp_netlink_net_exit() - wait for events that are being sent
 * @tn: the namespace, of which nothing is left that could cause any
 *
 * Context: process, may sleep.
 */
void ttp_netlink_net_exit(struct ttp_net *tn);

/**
 * ttp_nl_dev_event() - tell that a device was enabled, changed, disabled
 * @link: the link, whose device is still there
 * @cmd: TTP_CMD_DEV_ADD_NTF, TTP_CMD_DEV_SET_NTF or TTP_CMD_DEV_DEL_NTF
 *
 * Context: process, RTNL held, may sleep.
 */
void ttp_nl_dev_event(struct ttp_link *link, u8 cmd);

/**
 * ttp_netlink_peer_event() - tell that a peer died or restarted
 * @link: the device it is reached by
 * @mac: its address
 * @epoch: the incarnation that died, or the new one
 * @cmd: TTP_CMD_PEER_DEAD or TTP_CMD_PEER_RESTARTED
 *
 * Context: any.
 */
void ttp_netlink_peer_event(struct ttp_link *link, const u8 *mac, u32 epoch,
			    u8 cmd);

/**
 * ttp_netlink_limit_event() - tell that a limit was hit
 * @tn: the namespace
 * @limit: which
 * @link: device of the peer concerned, or NULL
 * @mac: address of the peer concerned, or NULL
 *
 * Does nothing if the last event of this limit is less than a second ago.
 *
 * Context: any.
 */
void ttp_netlink_limit_event(struct ttp_net *tn, enum ttp_nl_limit limit,
			     const struct ttp_link *link, const u8 *mac);

/* For the other files of the family */

/**
 * ttp_netlink_reply() - begin the reply to a request
 * @info: the request
 * @size: bytes of attributes at most
 * @cmd: TTP_CMD_*
 * @hdr: for ttp_netlink_finish()
 *
 * Context: process, may sleep.
 * Return: the message or NULL.
 */
struct sk_buff *ttp_netlink_reply(struct genl_info *info, size_t size, u8 cmd,
				  void **hdr);

/**
 * ttp_netlink_finish() - send a reply, or drop it
 * @info: the request
 * @skb: the message, consumed
 * @hdr: of ttp_netlink_reply()
 * @err: not 0 if the reply is to be dropped
 *
 * Context: process.
 * Return: @err or what came of sending.
 */
int ttp_netlink_finish(struct genl_info *info, struct sk_buff *skb, void *hdr,
		       int err);

/**
 * ttp_netlink_event() - begin an event
 * @tn: the namespace
 * @cmd: TTP_CMD_*
 * @gfp: how to allocate
 * @hdr: for ttp_netlink_publish()
 *
 * Context: as @gfp says.
 * Return: the message; NULL if nobody listens, or without memory.
 */
struct sk_buff *ttp_netlink_event(struct ttp_net *tn, u8 cmd, gfp_t gfp,
				  void **hdr);

/**
 * ttp_netlink_publish() - hand an event to all listeners, or drop it
 * @tn: the namespace
 * @skb: the message, consumed
 * @hdr: of ttp_netlink_event()
 * @err: not 0 if the event is to be dropped
 * @gfp: how to allocate
 *
 * Context: as @gfp says.
 */
void ttp_netlink_publish(struct ttp_net *tn, struct sk_buff *skb, void *hdr,
			 int err, gfp_t gfp);

/**
 * ttp_netlink_link() - the link that a request means
 * @info: the request
 * @attr: its attribute that holds the device index
 *
 * Context: RTNL or RCU read section.
 * Return: the link without a reference; ERR_PTR(-EINVAL) if the attribute is
 * missing, ERR_PTR(-ENODEV) if TTP is not enabled there; both are explained.
 */
struct ttp_link *ttp_netlink_link(struct genl_info *info, int attr);

#endif /* _NET_TTP_NETLINK_H */
