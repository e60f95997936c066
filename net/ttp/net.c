// SPDX-License-Identifier: GPL-2.0
/*
 * Per network namespace state: defaults and memory accounting.
 */
#include <linux/mm.h>
#include <linux/percpu.h>
#include <net/net_debug.h>
#include <net/netns/generic.h>

#include "net.h"
#include "netlink.h"

unsigned int ttp_net_id __read_mostly;

struct ttp_net *ttp_net(const struct net *net)
{
	return net_generic(net, ttp_net_id);
}

/* An eighth of the machine's memory */
static u64 ttp_net_default_mem(void)
{
	return (u64)totalram_pages() << PAGE_SHIFT >> 3;
}

int ttp_net_init_one(struct ttp_net *tn, struct net *net)
{
	tn->net = net;
	INIT_LIST_HEAD(&tn->links);
	xa_init_flags(&tn->socks, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	mutex_init(&tn->port_lock);
	spin_lock_init(&tn->ping_lock);
	INIT_LIST_HEAD(&tn->pings);
	atomic_set(&tn->peer_count, 0);
	atomic_set(&tn->rpc_count, 0);
	tn->params = (struct ttp_params) {
		.dead_timeout_ms	= 1000,
		.max_message		= 16 << 20,
		.max_peers		= 16384,
		.max_rpcs_per_peer	= 4096,
		.rcvbuf			= 4 << 20,
		.sndbuf			= 4 << 20,
		.mem			= ttp_net_default_mem(),
	};
	tn->mib = alloc_percpu(struct ttp_mib);
	return tn->mib ? 0 : -ENOMEM;
}

void ttp_net_exit_one(struct ttp_net *tn)
{
	DEBUG_NET_WARN_ON_ONCE(!xa_empty(&tn->socks));
	DEBUG_NET_WARN_ON_ONCE(atomic_read(&tn->peer_count));
	DEBUG_NET_WARN_ON_ONCE(ttp_net_mem_used(tn));
	DEBUG_NET_WARN_ON_ONCE(atomic64_read(&tn->mem_starts));
	free_percpu(tn->mib);
	mutex_destroy(&tn->port_lock);
}

u64 ttp_net_mem_limit(const struct ttp_net *tn, enum ttp_mem kind)
{
	static const u8 eighths[TTP_MEM_KINDS] = {
		[TTP_MEM_OUT]	= 4,
		[TTP_MEM_IN]	= 3,
		[TTP_MEM_RPCS]	= 1,
	};

	return READ_ONCE(tn->params.mem) / 8 * eighths[kind];
}

u64 ttp_net_mem_used(const struct ttp_net *tn)
{
	unsigned int kind;
	u64 used = 0;

	for (kind = 0; kind < TTP_MEM_KINDS; kind++)
		used += atomic64_read(&tn->mem_used[kind]);
	return used;
}

bool ttp_net_charge(struct ttp_net *tn, enum ttp_mem kind, u64 bytes)
{
	s64 used = atomic64_read(&tn->mem_used[kind]);
	u64 limit = ttp_net_mem_limit(tn, kind);

	/* Not added and taken back: others would be refused in between */
	do {
		if (bytes > limit || used > limit - bytes) {
			TTP_NET_INC(tn, MEM_LIMIT);
			ttp_netlink_mem_limit(tn);
			return false;
		}
	} while (!atomic64_try_cmpxchg(&tn->mem_used[kind], &used,
				       used + bytes));
	return true;
}

void ttp_net_uncharge(struct ttp_net *tn, enum ttp_mem kind, u64 bytes)
{
	if (bytes)
		atomic64_sub(bytes, &tn->mem_used[kind]);
}
