/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is known of another host: the link plane of the protocol.
 */
#ifndef _NET_TTP_PEER_H
#define _NET_TTP_PEER_H

#include <linux/hrtimer.h>
#include <linux/if_ether.h>
#include <linux/timerqueue.h>

#include "link.h"
#include "ranges.h"
#include "reorder.h"
#include "rtt.h"
#include "wire.h"

/* Incarnations of a peer whose late packets are recognised */
#define TTP_PEER_OLD_EPOCHS	4
/* Holes in the set of RPC ids a peer has used */
#define TTP_PEER_MAX_HOLES	512U
/* Requests that were refused last, so that they can be refused again */
#define TTP_PEER_REFUSED	8U
/* Idle time after which a peer may make room for another, ns */
#define TTP_PEER_EVICT_NS	(10 * NSEC_PER_SEC)

/**
 * struct ttp_peer_key - what a peer is found by
 * @link: the device it is reached through
 * @mac: its address
 * @pad: zero
 */
struct ttp_peer_key {
	struct ttp_link	*link;
	u8		mac[ETH_ALEN];
	u8		pad[2];
} __aligned(sizeof(u64));

/**
 * struct ttp_peer - another host (or this one, by its own address)
 *
 * Lifetime: made when the first message goes to it or comes from it; the
 * table ttp_net.peers holds one reference, each RPC one, a queued or running
 * @timer one (@timer_held).  Leaves the table when its link ends, by
 * peer-flush, or when an idle one has to make room; freed after a grace period.
 *
 * @hash: in ttp_net.peers
 * @key: link and MAC address
 * @link_node: in ttp_link.peers, under ttp_link.peer_lock
 * @refcnt: references
 * @rcu: for freeing
 * @forgot_ns: ttp_link.forgot_ns when the peer was met: requests older than
 *	that may have been run for it before
 *
 * @lock: protects all below; BH spinlock, taken inside ttp_rpc.lock, leaf
 * @dead: left the table; no new RPC may begin, no timer be armed
 * @crc_free: it takes packets without CRC
 * @fresh: @stamp was not echoed yet
 * @told_dead: its silence was reported
 * @timer_held: @timer is queued or runs, and owns a reference
 * @ack_count: entries of @acks
 * @mtu: the MTU it told; TTP_WIRE_DEFAULT_MTU before
 * @epoch: its incarnation, 0 = not known
 * @old_epochs: incarnations that ended, latest first
 * @stamp: time stamp of its last packet
 * @stamp_ns: when that arrived, monotonic
 * @heard_ns: when anything arrived from it last, monotonic; 0 = never
 * @rtt: round-trip time
 * @min_rtt: the shortest one
 * @min_path: the same without what packets waited in this host
 * @answer: time from a short request to its response, programs included
 * @credit: what early questions may cost: grows with answers (see timer.c)
 * @lossy_ns: when something was lost last, monotonic; 0 = never.  Lockless
 * @cutoffs: what levels it wants to be sent at
 * @limit: what it wants to be sent of a message without a grant, bytes; 0 = any.
 *	Read without the lock
 * @cutoffs_version: of @cutoffs and @limit; 0 = it has told none
 * @cutoffs_ns: when it was told ours last, monotonic
 * @reorder: how late packets from it come
 * @next_id: id of the next own RPC.  Grows by 2; a peer that is forgotten
 *	and met again starts above, as it starts from the clock
 * @open: own RPCs that are open, in order of id (ttp_rpc.peer_node)
 * @served: RPCs of the peer that are open (ttp_rpc.peer_node)
 * @done: one-way messages of the peer that were read, kept for duplicates
 *	(ttp_rpc.peer_node), in order of reading
 * @rpcs_out: entries of @open
 * @rpcs_in: entries of @served and @done
 * @seen: ids (without the role bit, halved) that the peer has used
 * @refused: those of them that were not run, the last few
 * @refused_at: which entry is the oldest
 * @acks: acknowledgments waiting for a packet to ride in
 * @ack_due_ns: when they leave anyway; 0 = none wait
 * @queue: RPCs by the time they want attention (ttp_rpc.timer)
 * @timer: fires at @timer_ns, if that is not 0
 * @timer_ns: see @timer
 * @tx_packets: packets sent
 * @rx_packets: packets accepted
 * @tx_bytes: payload sent
 * @rx_bytes: payload received
 * @retransmits: DATA packets sent again
 *
 * Under the granter's lock of the link:
 *
 * @sched: messages it sends to this host
 */
struct ttp_peer {
	struct rhash_head	hash;
	struct ttp_peer_key	key;
	struct list_head	link_node;
	refcount_t		refcnt;
	struct rcu_head		rcu;
	u64			forgot_ns;

	spinlock_t		lock;	/* all below */
	bool			dead;
	bool			crc_free;
	bool			fresh;
	bool			told_dead;
	bool			timer_held;
	u8			ack_count;
	u16			mtu;
	u32			epoch;
	u32			old_epochs[TTP_PEER_OLD_EPOCHS];
	u32			stamp;
	u64			stamp_ns;
	u64			heard_ns;
	struct ttp_rtt		rtt;
	struct ttp_rtt		answer;
	struct ttp_rtt_floor	min_rtt;
	struct ttp_rtt_floor	min_path;
	u16			credit;
	u64			lossy_ns;
	struct ttp_level_cutoffs	cutoffs;
	u32			limit;
	u8			cutoffs_version;
	u64			cutoffs_ns;
	struct ttp_reorder	reorder;
	u64			next_id;
	struct list_head	open;
	struct list_head	served;
	struct list_head	done;
	u32			rpcs_out;
	u32			rpcs_in;
	struct ttp_ranges	seen;
	u64			refused[TTP_PEER_REFUSED];
	u8			refused_at;
	struct ttp_ack		acks[TTP_WIRE_MAX_ACKS];
	u64			ack_due_ns;
	struct timerqueue_head	queue;
	struct hrtimer		timer;
	u64			timer_ns;
	u64			tx_packets;
	u64			rx_packets;
	u64			tx_bytes;
	u64			rx_bytes;
	u64			retransmits;

	struct ttp_sched_peer	sched;
};

/**
 * ttp_peer_hooks() - say what a peer's timer runs
 * @fn: the timer function, of timer.c
 *
 * Context: process, once, before the first peer.
 */
void ttp_peer_hooks(enum hrtimer_restart (*fn)(struct hrtimer *timer));

/**
 * ttp_peer_net_init() - set up a namespace's table of peers
 * @tn: the namespace
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int ttp_peer_net_init(struct ttp_net *tn);

/**
 * ttp_peer_net_exit() - free a namespace's table of peers, which is empty
 * @tn: the namespace
 *
 * Context: process, may sleep.
 */
void ttp_peer_net_exit(struct ttp_net *tn);

/**
 * ttp_peer_find() - look a peer up
 * @link: device
 * @mac: address
 *
 * Context: RCU read section.
 * Return: the peer with a reference for the caller, or NULL.
 */
struct ttp_peer *ttp_peer_find(struct ttp_link *link, const u8 *mac);

/**
 * ttp_peer_create() - find a peer, or make it
 * @link: device
 * @mac: address
 * @gfp: how to allocate
 *
 * Context: RCU read section; softirq or process.
 * Return: the peer with a reference for the caller; ERR_PTR(-ENOBUFS) when
 * the namespace knows too many, ERR_PTR(-ENOMEM), or ERR_PTR(-ENETUNREACH)
 * when the link is ending.
 */
struct ttp_peer *ttp_peer_create(struct ttp_link *link, const u8 *mac,
				 gfp_t gfp);

/**
 * ttp_peer_unhash() - take a peer out of the table
 * @peer: the peer; the caller ends RPCs that it has
 * @only_idle: leave it alone if it has open RPCs
 *
 * Context: any; takes peer->lock.
 * Return: whether it was in the table and is not any more.
 */
bool ttp_peer_unhash(struct ttp_peer *peer, bool only_idle);

static inline struct ttp_peer *ttp_peer_get(struct ttp_peer *peer)
{
	refcount_inc(&peer->refcnt);
	return peer;
}

/**
 * ttp_peer_put() - drop a reference
 * @peer: the peer
 *
 * Context: any.
 */
void ttp_peer_put(struct ttp_peer *peer);

/**
 * ttp_peer_arm() - make sure the timer fires at a time, or before
 * @peer: the peer
 * @when_ns: monotonic time
 *
 * Does nothing for a peer that left the table.
 *
 * Context: BH disabled, peer->lock held.
 */
void ttp_peer_arm(struct ttp_peer *peer, u64 when_ns) __must_hold(&peer->lock);

/**
 * ttp_peer_disarm() - stop the timer, unless it runs
 * @peer: the peer
 *
 * Context: BH disabled, peer->lock held.
 * Return: whether the timer's reference is the caller's now.
 */
bool ttp_peer_disarm(struct ttp_peer *peer) __must_hold(&peer->lock);

/**
 * ttp_peer_disarmed() - whether a run of the timer is the last for now
 * @peer: the peer
 *
 * Context: the end of the timer's function, peer->lock held.
 * Return: whether the timer's reference is the caller's now; if not, the
 * timer is queued again.
 */
bool ttp_peer_disarmed(struct ttp_peer *peer) __must_hold(&peer->lock);

/**
 * ttp_peer_unsched() - bytes of a message to a peer that need no grant
 * @peer: the peer
 * @len: bytes of the message; 0 = of one that is short enough
 *
 * Context: any.
 * Return: bytes, at least one MTU.
 */
u32 ttp_peer_unsched(const struct ttp_peer *peer, u32 len);

/**
 * ttp_peer_set_cutoffs() - note what levels a peer wants to be sent at
 * @peer: the peer
 * @version: of the table; 0 = it has none
 * @limit: what it wants to be sent of a message without a grant; 0 = any
 * @cutoffs: the table
 *
 * Context: peer->lock held.
 */
void ttp_peer_set_cutoffs(struct ttp_peer *peer, u8 version, u32 limit,
			  const struct ttp_level_cutoffs *cutoffs)
	__must_hold(&peer->lock);

/**
 * ttp_peer_level() - level of what is sent to a peer without a grant
 * @peer: the peer
 * @len: bytes of the message
 *
 * Context: BH disabled; takes peer->lock.
 * Return: the level.
 */
u8 ttp_peer_level(struct ttp_peer *peer, u32 len);

/**
 * ttp_peer_target() - how long a granted packet of a peer should take
 * @peer: the peer
 *
 * Context: any.
 * Return: longest round-trip time with the grant on the way there, ns; 0 = any.
 */
u32 ttp_peer_target(const struct ttp_peer *peer);

/**
 * ttp_peer_window() - bytes to grant a message of a peer beyond what arrived
 * @peer: the peer
 *
 * Context: any.
 * Return: bytes, at least one MTU.
 */
u32 ttp_peer_window(const struct ttp_peer *peer);

/**
 * ttp_peer_set_epoch() - note the incarnation that a packet came from
 * @peer: the peer
 * @epoch: of the packet's sender; 0 after it said goodbye
 *
 * Context: peer->lock held.
 * Return: the former incarnation, which has ended by it; 0 if there was none.
 */
u32 ttp_peer_set_epoch(struct ttp_peer *peer, u32 epoch)
	__must_hold(&peer->lock);

/**
 * ttp_peer_used() - whether a peer has used an id before
 * @peer: the peer
 * @number: the id without role bit, halved
 *
 * Context: peer->lock held.
 * Return: see above.
 */
bool ttp_peer_used(const struct ttp_peer *peer, u64 number)
	__must_hold(&peer->lock);

/**
 * ttp_peer_uses() - note that a peer has used an id
 * @peer: the peer
 * @number: the id without role bit, halved
 * @una: distance to its oldest open RPC, as in struct ttp_wire_data
 *
 * All that the client has finished counts as used, so it leaves no holes.  If
 * there are too many all the same, the lowest is closed: an RPC that was not
 * seen yet will fail by that, if its client still waits, rather than all those
 * to come.
 *
 * Context: peer->lock held.
 * Return: 0 or -ENOMEM.
 */
int ttp_peer_uses(struct ttp_peer *peer, u64 number, u32 una)
	__must_hold(&peer->lock);

/**
 * ttp_peer_refuses() - note that a request was not run, and will not be
 * @peer: the peer
 * @number: its id without role bit, halved
 *
 * Context: peer->lock held.
 */
void ttp_peer_refuses(struct ttp_peer *peer, u64 number)
	__must_hold(&peer->lock);

/**
 * ttp_peer_refused() - whether a request was refused, not long ago
 * @peer: the peer
 * @number: its id without role bit, halved
 *
 * Context: peer->lock held.
 * Return: see above.
 */
bool ttp_peer_refused(const struct ttp_peer *peer, u64 number)
	__must_hold(&peer->lock);

/**
 * ttp_peer_epoch_old() - whether an incarnation is known to have ended
 * @peer: the peer
 * @epoch: the incarnation
 *
 * Context: peer->lock held.
 * Return: true if a packet of it must be late.
 */
bool ttp_peer_epoch_old(const struct ttp_peer *peer, u32 epoch)
	__must_hold(&peer->lock);

#endif /* _NET_TTP_PEER_H */
