/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What TTP keeps per network namespace.
 */
#ifndef _NET_TTP_NET_H
#define _NET_TTP_NET_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rhashtable.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>

#include "mib.h"

/**
 * struct ttp_params - settings of a namespace
 * @dead_timeout_ms: silence after which a peer counts as dead, ms
 * @max_message: longest message, bytes
 * @max_peers: peers remembered
 * @max_rpcs_per_peer: open RPCs that one peer may begin
 * @rcvbuf: SO_RCVBUF of new sockets, bytes
 * @sndbuf: SO_SNDBUF of new sockets, bytes
 * @mem: bytes that all messages and RPCs of the namespace may take; see enum
 *	ttp_mem
 *
 * Written by netlink with WRITE_ONCE(), read with READ_ONCE().
 */
struct ttp_params {
	u32	dead_timeout_ms;
	u32	max_message;
	u32	max_peers;
	u32	max_rpcs_per_peer;
	u32	rcvbuf;
	u32	sndbuf;
	u64	mem;
};

/**
 * enum ttp_mem - the shares of a namespace's memory
 * @TTP_MEM_OUT: own requests, answers, own RPCs: a half
 * @TTP_MEM_IN: messages from others: three eighths
 * @TTP_MEM_RPCS: RPCs of others, as such: an eighth
 *
 * Each has a limit of its own.  Were there one for what goes out and comes in,
 * two hosts that fill it with what they want to send could never receive any
 * of it.  Were there one for messages and RPCs, many that wait could keep the
 * first of them from getting room for its message.
 */
enum ttp_mem {
	TTP_MEM_OUT,
	TTP_MEM_IN,
	TTP_MEM_RPCS,
};

#define TTP_MEM_KINDS	(TTP_MEM_RPCS + 1)

/* Above the values of enum ttp_nl_limit */
#define TTP_NET_LIMITS	4

/**
 * struct ttp_net - a namespace's state
 * @net: the namespace
 * @links: enabled devices, RCU list; changed under RTNL
 * @peers: struct ttp_peer by (link, MAC address)
 * @rpcs: struct ttp_rpc by (peer, id)
 * @ports: struct ttp_sock by port
 * @port_lock: makes checking and taking a port one step; process context
 * @socks: all sockets by ttp_sock.nr, for dumps; changed under its own lock
 *	(process context), read under RCU
 * @params: settings
 * @peer_count: entries of @peers
 * @rpc_count: RPC objects that are not freed yet
 * @mem_used: bytes taken by messages and RPCs
 * @mem_starts: those of them that starts of long messages have, see room.h
 * @mem_event: tells listeners that a limit of @mem_used was hit
 * @ping_lock: protects @pings; BH spinlock, leaf
 * @pings: open questions (ttp_ping.node)
 * @ping_count: entries of @pings
 * @limit_ns: when the last event of each limit was sent; lockless
 * @mib: counters
 */
struct ttp_net {
	struct net		*net;
	struct list_head	links;
	struct rhashtable	peers;
	struct rhashtable	rpcs;
	struct rhltable		ports;
	struct mutex		port_lock;	/* changes of ports */
	struct xarray		socks;
	struct ttp_params	params;
	atomic_t		peer_count;
	atomic_t		rpc_count;
	atomic64_t		mem_used[TTP_MEM_KINDS];
	atomic64_t		mem_starts;
	struct work_struct	mem_event;
	spinlock_t		ping_lock;	/* pings, ping_count */
	struct list_head	pings;
	unsigned int		ping_count;
	atomic64_t		limit_ns[TTP_NET_LIMITS];
	struct ttp_mib __percpu	*mib;
};

extern unsigned int ttp_net_id;

/**
 * ttp_net() - TTP's state of a namespace
 * @net: the namespace
 *
 * Context: any; @net must be alive.
 * Return: its state, never NULL.
 */
struct ttp_net *ttp_net(const struct net *net);

/**
 * ttp_net_init_one() - set up what net.h describes, without the tables
 * @tn: zeroed memory of the namespace
 * @net: the namespace
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int ttp_net_init_one(struct ttp_net *tn, struct net *net);

/**
 * ttp_net_exit_one() - undo ttp_net_init_one()
 * @tn: the namespace's state
 *
 * Context: process, may sleep.
 */
void ttp_net_exit_one(struct ttp_net *tn);

/**
 * ttp_net_mem_limit() - how much a share of the memory may grow to
 * @tn: the namespace
 * @kind: which share
 *
 * Context: any.
 * Return: bytes.
 */
u64 ttp_net_mem_limit(const struct ttp_net *tn, enum ttp_mem kind);

/**
 * ttp_net_mem_used() - memory taken, of all shares
 * @tn: the namespace
 *
 * Context: any.
 * Return: bytes.
 */
u64 ttp_net_mem_used(const struct ttp_net *tn);

/**
 * ttp_net_charge() - take memory from the namespace's limit
 * @tn: the namespace
 * @kind: of which share
 * @bytes: how much
 *
 * Context: any.
 * Return: whether the limit allows it; if not, nothing was taken.
 */
bool ttp_net_charge(struct ttp_net *tn, enum ttp_mem kind, u64 bytes);

/**
 * ttp_net_uncharge() - give back what ttp_net_charge() took
 * @tn: the namespace
 * @kind: of which share
 * @bytes: how much
 *
 * Context: any.
 */
void ttp_net_uncharge(struct ttp_net *tn, enum ttp_mem kind, u64 bytes);

#endif /* _NET_TTP_NET_H */
