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
 * @mem: bytes that all messages of the namespace may take
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

/* Ranges of the parameters that need one; also in the netlink spec */
#define TTP_MIN_DEAD_TIMEOUT_MS	10U
#define TTP_MAX_DEAD_TIMEOUT_MS	3600000U
#define TTP_MIN_MAX_MESSAGE	4096U

/**
 * struct ttp_net - a namespace's state
 * @net: the namespace
 * @links: enabled devices, RCU list; changed under RTNL
 * @peers: struct ttp_peer by (link, MAC address)
 * @rpcs: struct ttp_rpc by (peer, id)
 * @ports: struct ttp_sock by port
 * @port_lock: makes checking and taking a port one step; process context
 * @socks_lock: protects @socks; BH not involved
 * @socks: all sockets, for dumps
 * @params: settings
 * @peer_count: entries of @peers
 * @rpc_count: RPC objects that are not freed yet
 * @mem_used: bytes taken by messages
 * @mib: counters
 */
struct ttp_net {
	struct net		*net;
	struct list_head	links;
	struct rhashtable	peers;
	struct rhashtable	rpcs;
	struct rhltable		ports;
	struct mutex		port_lock;	/* changes of ports */
	spinlock_t		socks_lock;	/* socks */
	struct list_head	socks;
	struct ttp_params	params;
	atomic_t		peer_count;
	atomic_t		rpc_count;
	atomic64_t		mem_used;
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
 * ttp_net_charge() - take memory from the namespace's limit
 * @tn: the namespace
 * @bytes: how much
 *
 * Context: any.
 * Return: whether the limit allows it; if not, nothing was taken.
 */
bool ttp_net_charge(struct ttp_net *tn, u64 bytes);

/**
 * ttp_net_uncharge() - give back what ttp_net_charge() took
 * @tn: the namespace
 * @bytes: how much
 *
 * Context: any.
 */
void ttp_net_uncharge(struct ttp_net *tn, u64 bytes);

#endif /* _NET_TTP_NET_H */
