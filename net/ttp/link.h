/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A network device on which TTP is enabled.
 */
#ifndef _NET_TTP_LINK_H
#define _NET_TTP_LINK_H

#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/refcount.h>

#include "net.h"

/**
 * struct ttp_link_config - settings of a device
 * @ethertype: EtherType, host order; fixed while enabled
 * @crc: whether packets need a CRC32C
 * @ack_every: acknowledgments collected before an ACK packet, 1 to 12
 * @unsched: bytes of a message sent without a grant; 0 = automatic
 * @window: bytes granted beyond what has arrived; 0 = automatic
 * @rto_min_us: floor of the retransmission time-out, us
 * @rto_max_us: ceiling of the backed-off time-out, us
 */
struct ttp_link_config {
	u16	ethertype;
	u8	crc;
	u8	ack_every;
	u32	unsched;
	u32	window;
	u32	rto_min_us;
	u32	rto_max_us;
};

/* What 0 = automatic stands for until the link rate is taken into account */
#define TTP_AUTO_UNSCHED	40000U
#define TTP_AUTO_WINDOW		65536U

/**
 * struct ttp_link - an enabled device
 *
 * Lifetime: created by ttp_link_add() with one reference, which the list
 * ttp_net.links holds.  Peers hold further ones.  ttp_link_del() takes it
 * out of the list, ends reception, and drops the list's reference after the
 * caller ended all RPCs; from then on @dev is NULL, so nobody keeps a device
 * that wants to go.  Freed after a grace period, since packet handlers and
 * RCU readers may still look at it.
 *
 * @pt: packet handler; its @dev makes it see this device only
 * @dev: the device; NULL once the link is dead.  RCU, written under RTNL
 * @dev_tracker: of the reference on @dev
 * @ifindex: index of the device, also when @dev is gone
 * @tn: namespace
 * @epoch: random number of this incarnation, never 0
 * @born_ns: when the incarnation began, monotonic
 * @forgot_ns: when a peer that had sent requests was forgotten last, monotonic;
 *	0 = never.  Lockless
 * @mac: address of the device, as its peers know it
 * @id_base: secret start of the RPC ids, see ttp_peer.next_id
 * @ending: being disabled; no peer may be added.  Under @peer_lock
 * @mtu: MTU of the device, 0 while it is too small for TTP
 * @config: settings; fields are read and written with READ/WRITE_ONCE()
 * @mib: counters
 * @node: in ttp_net.links
 * @peer_lock: protects @peers; BH spinlock, leaf
 * @peers: ttp_peer.link_node of all peers, least recently created first
 * @refcnt: references
 * @rcu: for freeing
 */
struct ttp_link {
	struct packet_type		pt;
	struct net_device __rcu		*dev;
	netdevice_tracker		dev_tracker;
	int				ifindex;
	struct ttp_net			*tn;
	u32				epoch;
	u64				born_ns;
	u64				forgot_ns;
	u8				mac[ETH_ALEN];
	u64				id_base;
	bool				ending;
	u32				mtu;
	struct ttp_link_config		config;
	struct ttp_mib __percpu		*mib;
	struct list_head		node;
	spinlock_t			peer_lock;	/* peers, ending */
	struct list_head		peers;
	refcount_t			refcnt;
	struct rcu_head			rcu;
};

extern const struct ttp_link_config ttp_link_defaults;

/* The two packet hooks of input.c, handed down so that link.c need not know */
typedef int (*ttp_rcv_t)(struct sk_buff *skb, struct net_device *dev,
			 struct packet_type *pt, struct net_device *orig);
typedef void (*ttp_rcv_list_t)(struct list_head *head,
			       struct packet_type *pt,
			       struct net_device *orig);

/**
 * ttp_link_hooks() - say where received packets go
 * @rcv: for one packet
 * @rcv_list: for a batch
 *
 * Context: process, once, before the first ttp_link_add().
 */
void ttp_link_hooks(ttp_rcv_t rcv, ttp_rcv_list_t rcv_list);

/**
 * ttp_link_add() - enable a device
 * @tn: namespace of the device
 * @dev: the device
 * @config: settings, checked
 * @extack: gets the reason of a refusal
 *
 * Context: process, RTNL held.
 * Return: 0; -EEXIST if enabled already; -EOPNOTSUPP for a device that is not
 * Ethernet; -EINVAL for one whose MTU is too small; -ENOMEM.
 */
int ttp_link_add(struct ttp_net *tn, struct net_device *dev,
		 const struct ttp_link_config *config,
		 struct netlink_ext_ack *extack);

/**
 * ttp_link_unhook() - begin to disable a device
 * @link: the link
 *
 * No packet is received and no new RPC begins any more when it returns.
 * What has to be said to peers may still be sent.
 *
 * Context: process, RTNL held, may sleep for a grace period.
 */
void ttp_link_unhook(struct ttp_link *link);

/**
 * ttp_link_release() - end disabling a device, after its RPCs are gone
 * @link: the link; the list's reference is consumed
 *
 * Context: process, RTNL held, may sleep for a grace period.
 */
void ttp_link_release(struct ttp_link *link);

/**
 * ttp_link_find() - the link of a device index
 * @tn: namespace
 * @ifindex: device
 *
 * Context: RCU read section or RTNL.
 * Return: the link without a reference, or NULL if not enabled.
 */
struct ttp_link *ttp_link_find(struct ttp_net *tn, int ifindex);

/**
 * ttp_link_only() - the link that ifindex 0 means in a destination
 * @tn: namespace
 *
 * Context: RCU read section or RTNL.
 * Return: the link without a reference; ERR_PTR(-ENETUNREACH) if no device
 * is enabled, ERR_PTR(-EDESTADDRREQ) if several are.
 */
struct ttp_link *ttp_link_only(struct ttp_net *tn);

/**
 * ttp_link_set_mtu() - note a changed MTU
 * @link: the link
 * @mtu: of the device
 *
 * Context: RTNL.
 */
void ttp_link_set_mtu(struct ttp_link *link, unsigned int mtu);

/**
 * ttp_link_up() - whether a message could be sent now
 * @link: the link
 *
 * Context: RCU read section.
 * Return: 0; -ENETUNREACH if disabled; -ENETDOWN if the device is down or
 * its MTU is too small.
 */
int ttp_link_up(const struct ttp_link *link);

static inline void ttp_link_get(struct ttp_link *link)
{
	refcount_inc(&link->refcnt);
}

/**
 * ttp_link_put() - drop a reference
 * @link: the link
 *
 * Context: any.
 */
void ttp_link_put(struct ttp_link *link);

/**
 * ttp_link_unsched() - bytes of a message that need no grant
 * @link: the link
 *
 * Context: any.
 * Return: bytes, at least one MTU.
 */
u32 ttp_link_unsched(const struct ttp_link *link);

/**
 * ttp_link_window() - bytes to grant beyond what has arrived
 * @link: the link
 *
 * Context: any.
 * Return: bytes, at least one MTU.
 */
u32 ttp_link_window(const struct ttp_link *link);

#endif /* _NET_TTP_LINK_H */
