/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A network device on which TTP is enabled.
 */
#ifndef _NET_TTP_LINK_H
#define _NET_TTP_LINK_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/refcount.h>

#include "cutoffs.h"
#include "level.h"
#include "net.h"
#include "sched.h"
#include "stamp.h"

/**
 * struct ttp_link_config - settings of a device
 * @ethertype: EtherType, host order; fixed while enabled
 * @crc: whether packets need a CRC32C
 * @ack_every: acknowledgments collected before an ACK packet, 1 to 12
 * @unsched: bytes of a message sent without a grant; 0 = automatic
 * @announce: bytes that a message sends without a grant that is longer than
 *	@unsched; 0 = as many
 * @window: bytes granted beyond what has arrived; 0 = automatic
 * @rto_min_us: floor of the retransmission time-out, us
 * @rto_max_us: ceiling of the backed-off time-out, us
 * @rate_mbps: rate of the link, Mbit/s; 0 = what the device says
 * @backlog_ns: what the device is given ahead, in time at that rate, ns
 * @delay_ns: how long granted bytes may wait in the network; 0 = automatic,
 *	TTP_DELAY_OFF = as long as they do
 * @overcommit: incoming messages granted at a time, 1 to TTP_SCHED_MAX
 * @incoming: bytes granted and not arrived, of all messages; 0 = automatic
 * @tag: whether frames carry their level in a priority tag
 * @levels: priority levels in use, 1 to TTP_LEVELS
 * @pcp: the PCP of each level
 */
struct ttp_link_config {
	u16	ethertype;
	u8	crc;
	u8	ack_every;
	u32	unsched;
	u32	announce;
	u32	window;
	u32	rto_min_us;
	u32	rto_max_us;
	u32	rate_mbps;
	u32	backlog_ns;
	u32	delay_ns;
	u32	overcommit;
	u32	incoming;
	u8	tag;
	u8	levels;
	u8	pcp[TTP_LEVELS];
};

/* Bandwidth times delay where the rate is not known, bytes */
#define TTP_AUTO_BDP		40000U
/* Round-trip time where none was measured, ns */
#define TTP_AUTO_RTT_NS		15000U
/*
 * Least queueing that is put up with, ns: hosts delay packets as well, as their
 * cards gather some for an interrupt
 */
#define TTP_AUTO_DELAY_NS	50000U
/* Automatic values are never more than that, or twice that, bytes */
#define TTP_MAX_BDP		500000U

/*
 * Fractions of a ns in which ttp_pacer.drained counts: an empty frame at 400
 * Gbit/s takes 27 of them
 */
#define TTP_PACER_FRACTION	16U

/*
 * The device never counts as further behind than that, or twice the backlog,
 * ns, and a frame: what recovers from loss is not paced, and what is new must
 * not wait for it for long
 */
#define TTP_PACER_MAX_DEBT_NS	100000U

/**
 * struct ttp_pacer - what waits for a device, see pacer.h
 * @lock: protects all below; BH spinlock, leaf
 * @armed: @timer is queued or runs
 * @drained: when the device will have sent what it was given, monotonic, in
 *	TTP_PACER_FRACTION of a ns
 * @queue: RPCs with bytes that may go (ttp_rpc.tx)
 * @timer: when there is room for more; runs while @queue is not empty
 */
struct ttp_pacer {
	spinlock_t		lock;	/* all below */
	bool			armed;
	u64			drained;
	struct ttp_srpt		queue;
	struct hrtimer		timer;
};

/* A link's use is measured over so many round trips, or ns if these are more */
#define TTP_METER_RTTS		8U
#define TTP_METER_MIN_NS	50000U
/* What is longer ago says nothing, ns */
#define TTP_METER_MAX_NS	NSEC_PER_SEC

/* @delay_ns of struct ttp_link_config: no limit */
#define TTP_DELAY_OFF		U32_MAX

/**
 * struct ttp_meter - how busy a link is with what comes in
 * @start_ns: when the period began, monotonic
 * @cpu: where it is counted
 * @bytes: what that CPU had received by then, modulo
 * @busy: half of the time, in the last period
 */
struct ttp_meter {
	u64		start_ns;
	int		cpu;
	unsigned long	bytes;
	bool		busy;
};

/**
 * struct ttp_granter - incoming messages of a device, see grant.h
 * @lock: protects all below and ttp_peer.sched; BH spinlock, leaf
 * @due: something has happened that may allow a grant.  Lockless
 * @sched: the messages (ttp_rpc.rx)
 * @meter: how busy the link is
 */
struct ttp_granter {
	spinlock_t		lock;	/* all below */
	bool			due;
	struct ttp_sched	sched;
	struct ttp_meter	meter;
};

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
 * @vid0: the device's filter was told to pass priority tags.  RTNL
 * @ending: being disabled; no peer may be added.  Under @peer_lock
 * @mtu: MTU of the device, 0 while it is too small for TTP
 * @speed_mbps: what the device says of its rate, Mbit/s; 0 = nothing
 * @config: settings; fields are read and written with READ/WRITE_ONCE()
 * @pacer: what waits for the device
 * @granter: what comes in through it
 * @cutoffs: what levels it should come at
 * @stamp: what is known of its card's clock; softirq
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
	bool				vid0;
	bool				ending;
	u32				mtu;
	u32				speed_mbps;
	struct ttp_link_config		config;
	struct ttp_pacer		pacer;
	struct ttp_granter		granter;
	struct ttp_cutoffs		cutoffs;
	struct ttp_stamp __percpu	*stamp;
	struct ttp_mib __percpu		*mib;
	struct list_head		node;
	spinlock_t			peer_lock;	/* peers, ending */
	struct list_head		peers;
	refcount_t			refcnt;
	struct rcu_head			rcu;
};

extern const struct ttp_link_config ttp_link_defaults;

/* Hooks of input.c and pacer.c, handed down so that link.c need not know */
typedef int (*ttp_rcv_t)(struct sk_buff *skb, struct net_device *dev,
			 struct packet_type *pt, struct net_device *orig);
typedef void (*ttp_rcv_list_t)(struct list_head *head,
			       struct packet_type *pt,
			       struct net_device *orig);
typedef enum hrtimer_restart (*ttp_pace_t)(struct hrtimer *timer);

/**
 * ttp_link_hooks() - say where received packets go, and who paces
 * @rcv: for one packet
 * @rcv_list: for a batch
 * @pace: function of ttp_pacer.timer
 *
 * Context: process, once, before the first ttp_link_add().
 */
void ttp_link_hooks(ttp_rcv_t rcv, ttp_rcv_list_t rcv_list, ttp_pace_t pace);

/**
 * ttp_link_add() - enable a device
 * @tn: namespace of the device
 * @dev: the device
 * @config: settings, checked
 * @extack: gets the reason of a refusal
 *
 * The caller notes the speed.
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
 * ttp_link_set_speed() - note what a device says of its rate
 * @link: the link
 *
 * A device that is software only, with nothing below it, has no rate worth
 * the name, whatever it says (veth: 10 Gbit/s).  Without carrier the last rate
 * stays: it comes back with the carrier.
 *
 * Context: RTNL, and the device's own lock, if it has one; may sleep.
 */
void ttp_link_set_speed(struct ttp_link *link);

/**
 * ttp_link_rate() - rate of the link
 * @link: the link
 *
 * Context: any.
 * Return: Mbit/s; 0 if it is not known, so that nothing can be paced.
 */
u32 ttp_link_rate(const struct ttp_link *link);

/**
 * ttp_link_charge() - a frame goes to the device
 * @link: the link
 * @len: its length without preamble, FCS and gap
 *
 * Context: BH disabled; takes pacer.lock.
 */
void ttp_link_charge(struct ttp_link *link, unsigned int len);

/**
 * ttp_link_behind() - how long the device has to send what it was given
 * @link: the link
 * @now_ns: now, monotonic
 *
 * Context: pacer.lock held.
 * Return: ns.
 */
u64 ttp_link_behind(const struct ttp_link *link, u64 now_ns)
	__must_hold(&link->pacer.lock);

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
 * ttp_link_bdp() - bandwidth times delay
 * @link: the link
 * @rtt_ns: round-trip time, ns; 0 = not known
 *
 * What has to be on its way to keep the link busy, so that a message that is
 * longer is not held up for want of a grant.
 *
 * Context: any.
 * Return: bytes, two frames at least.
 */
u32 ttp_link_bdp(const struct ttp_link *link, u32 rtt_ns);

/**
 * ttp_link_busy() - whether the link is busy with what comes in
 * @link: the link
 * @rtt_ns: round-trip time to some peer, ns
 *
 * That is when half of its rate was used in the last several round trips.  Only
 * what came in on this CPU counts: no NIC spreads what it does not know.
 *
 * Context: softirq, granter.lock held.
 * Return: see above; false if the rate is not known.
 */
bool ttp_link_busy(struct ttp_link *link, u32 rtt_ns)
	__must_hold(&link->granter.lock);

/**
 * ttp_link_rules() - what may be granted
 * @link: the link
 * @rules: filled in
 *
 * Context: any.
 */
void ttp_link_rules(const struct ttp_link *link, struct ttp_sched_rules *rules);

#endif /* _NET_TTP_LINK_H */
