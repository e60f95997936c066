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

/* An eighth of the machine's memory, as TCP's own limit is in that order */
static u64 ttp_net_default_mem(void)
{
	return (u64)totalram_pages() << PAGE_SHIFT >> 3;
}

int ttp_net_init_one(struct ttp_net *tn, struct net *net)
{
	tn->net = net;
	INIT_LIST_HEAD(&tn->links);
	INIT_LIST_HEAD(&tn->socks);
	mutex_init(&tn->port_lock);
	spin_lock_init(&tn->socks_lock);
	atomic_set(&tn->peer_count, 0);
	atomic_set(&tn->rpc_count, 0);
	atomic64_set(&tn->mem_used, 0);
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
	DEBUG_NET_WARN_ON_ONCE(atomic_read(&tn->peer_count));
	DEBUG_NET_WARN_ON_ONCE(atomic64_read(&tn->mem_used));
	free_percpu(tn->mib);
	mutex_destroy(&tn->port_lock);
}

bool ttp_net_charge(struct ttp_net *tn, u64 bytes)
{
	if (atomic64_add_return(bytes, &tn->mem_used) <=
	    READ_ONCE(tn->params.mem))
		return true;
	atomic64_sub(bytes, &tn->mem_used);
	TTP_NET_INC(tn, MEM_LIMIT);
	ttp_netlink_limit_event(tn, TTP_NL_LIMIT_MEM, NULL, NULL);
	return false;
}

void ttp_net_uncharge(struct ttp_net *tn, u64 bytes)
{
	atomic64_sub(bytes, &tn->mem_used);
}
