// SPDX-License-Identifier: GPL-2.0
/*
 * Switches: where a frame goes, whether there is room, whether it is marked.
 */
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/jhash.h>
#include <net/inet_ecn.h>

#include "fabric.h"

/* Hosts are numbered by their addresses, 02:00:00:00:HI:LO from 1 on */
static struct fabric_host *switch_host(const u8 *mac)
{
	unsigned int i = mac[4] * 256 + mac[5];

	if (mac[0] != 2 || mac[1] || mac[2] || mac[3] || !i || i > fabric.hosts)
		return NULL;
	return &fabric.host[i - 1];
}

/* Equal-cost paths: one for a pair of hosts, for IP one for a connection */
static unsigned int switch_spine(struct sk_buff *skb)
{
	u32 hash;

	if (fabric_spray)
		return fabric_random() % fabric.spines;
	hash = jhash(eth_hdr(skb), 2 * ETH_ALEN, 0);
	if (skb->protocol == htons(ETH_P_IP) &&
	    skb_headlen(skb) >= ETH_HLEN + sizeof(struct iphdr) + 4) {
		const struct iphdr *ip = (void *)(skb->data + ETH_HLEN);

		hash = jhash(skb->data + ETH_HLEN + ip->ihl * 4, 4, hash);
	}
	return hash % fabric.spines;
}

/*
 * Is there room?  A buffer of its own for each port, or one for the switch
 * with dynamic thresholds: a queue may have alpha times what is free
 * (Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory
 * packet switches", 1998).
 */
static bool switch_admits(const struct pipe *p, const struct fabric_cb *cb)
{
	u64 buffer = fabric_buffer_kb * 1024ULL;
	u64 used = p->sw->used;

	if (!fabric_shared)
		return p->total.value + cb->size <= buffer;
	return used + cb->size <= buffer &&
	       p->depth[cb->level].value + cb->size <=
	       (buffer - used) * fabric_alpha_8 / 8;
}

/* Mark by the queue as it is now, as DCTCP wants it (RFC 8257, 3.1) */
static void switch_mark(struct pipe *p, struct sk_buff *skb)
{
	const struct fabric_cb *cb = fabric_cb(skb);

	if (!fabric_ecn_kb || skb->protocol != htons(ETH_P_IP) ||
	    p->depth[cb->level].value <= fabric_ecn_kb * 1024ULL)
		return;
	if (skb_ensure_writable(skb, ETH_HLEN + sizeof(struct iphdr)))
		return;
	skb_set_network_header(skb, ETH_HLEN);
	if (INET_ECN_set_ce(skb) && !fabric.frozen_ns)
		p->counts[cb->level].marked++;
}

static void switch_forward(struct pipe *p, struct sk_buff *skb,
			   struct sk_buff_head *dropped)
{
	const struct fabric_cb *cb = fabric_cb(skb);

	if (!switch_admits(p, cb)) {
		p->counts[cb->level].dropped += !fabric.frozen_ns;
		__skb_queue_tail(dropped, skb);
		return;
	}
	switch_mark(p, skb);
	pipe_send(p, skb);
}

/* The port that leads to a host */
static struct pipe *switch_route(struct fabric_switch *sw,
				 struct fabric_host *host, struct sk_buff *skb)
{
	if (host->sw == sw)
		return host->port;
	if (sw->index < fabric.leaves)
		return sw->up[switch_spine(skb)];
	return sw->down[host->sw->index];
}

static void switch_flood(struct fabric_switch *sw, struct fabric_host *from,
			 struct sk_buff *skb, struct sk_buff_head *dropped)
{
	struct sk_buff *copy;
	unsigned int i;

	for (i = 0; i < fabric.hosts; i++) {
		if (&fabric.host[i] == from)
			continue;
		copy = skb_copy(skb, GFP_ATOMIC);
		if (!copy)
			continue;
		/* addressed for its way, put right again at the end */
		fabric_cb(copy)->flood = i + 1;
		switch_forward(switch_route(sw, &fabric.host[i], copy), copy,
			       dropped);
	}
	__skb_queue_tail(dropped, skb);
}

void switch_receive(struct pipe *p, struct sk_buff_head *frames)
{
	struct fabric_switch *sw = p->to_switch;
	struct sk_buff_head dropped;
	struct fabric_host *host;
	struct sk_buff *skb;

	__skb_queue_head_init(&dropped);
	spin_lock_bh(&fabric.lock);
	while ((skb = __skb_dequeue(frames))) {
		if (fabric_cb(skb)->flood)
			host = &fabric.host[fabric_cb(skb)->flood - 1];
		else
			host = switch_host(eth_hdr(skb)->h_dest);
		if (host)
			switch_forward(switch_route(sw, host, skb), skb,
				       &dropped);
		else
			switch_flood(sw, p->from_host, skb, &dropped);
	}
	spin_unlock_bh(&fabric.lock);
	__skb_queue_purge(&dropped);
}

/* A port of @sw, with its queues and its cable, still to be connected */
struct pipe *switch_port(struct fabric_switch *sw, const char *to,
			 u32 rate_mbps)
{
	struct pipe *p = fabric_new_pipe();

	if (!p)
		return NULL;
	pipe_init(p, rate_mbps, fabric_delay_ns);
	p->sw = sw;
	snprintf(p->name, sizeof(p->name), "%s%u.%s",
		 sw->index < fabric.leaves ? "leaf" : "spine",
		 sw->index < fabric.leaves ? sw->index :
					     sw->index - fabric.leaves, to);
	return p;
}
