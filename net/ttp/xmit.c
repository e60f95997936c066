// SPDX-License-Identifier: GPL-2.0
/*
 * Handing packets to the device; see output.h.
 */
#include <linux/etherdevice.h>
#include <linux/hash.h>
#include <linux/if_vlan.h>
#include <linux/pkt_sched.h>

#include "output.h"

/*
 * The queue disciplines' own order has three steps by default.  What was granted
 * is in no hurry, but no less than what others send; the rest is short.
 */
static u32 ttp_output_priority(const struct ttp_link *link, u8 level)
{
	u8 levels = READ_ONCE(link->config.levels);

	if (level < ttp_level_scheduled(levels))
		return TC_PRIO_BESTEFFORT;
	if (level < ttp_level_control(levels))
		return TC_PRIO_INTERACTIVE;
	return TC_PRIO_CONTROL;
}

/*
 * Tell queues and switches what comes first, unless the program has said it
 * (SO_PRIORITY).  A VLAN device puts its own tag, by its egress-qos-map.
 */
static void ttp_output_tag(const struct ttp_link *link, struct sk_buff *skb,
			   u8 level)
{
	if (is_vlan_dev(skb->dev)) {
		skb->priority = skb->priority ?: level;
		return;
	}
	skb->priority = skb->priority ?: ttp_output_priority(link, level);
	if (READ_ONCE(link->config.tag))
		__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021Q),
				       READ_ONCE(link->config.pcp[level]) <<
				       VLAN_PRIO_SHIFT);
}

/*
 * To queue disciplines that share a link out, and to devices with several queues,
 * each RPC is a flow: dissectors know nothing of the protocol.
 */
static void ttp_output_flow(struct sk_buff *skb, const u8 *mac,
			    const struct ttp_packet *pkt)
{
	__skb_set_sw_hash(skb, hash_64(pkt->id ^ ether_addr_to_u64(mac), 32),
			  true);
}

void ttp_output_class(const struct ttp_link *link, struct sk_buff *skb,
		      const u8 *mac, const struct ttp_packet *pkt)
{
	ttp_output_tag(link, skb, pkt->level);
	ttp_output_flow(skb, mac, pkt);
}

/* A message to our own address: in again at the bottom, as from the wire */
static int ttp_output_loop(struct sk_buff *skb)
{
	skb_pull(skb, ETH_HLEN);
	skb_reset_network_header(skb);
	skb->pkt_type = PACKET_LOOPBACK;
	skb->ip_summed = CHECKSUM_UNNECESSARY;
	return netif_rx(skb);
}

void ttp_output_flush(struct sk_buff_head *out)
{
	struct ttp_link *link;
	struct sk_buff *skb;
	int rc;

	while ((skb = __skb_dequeue(out))) {
		link = ttp_output_cb(skb)->link;
		if (ether_addr_equal(eth_hdr(skb)->h_dest,
				     skb->dev->dev_addr))
			rc = ttp_output_loop(skb);
		else
			rc = dev_queue_xmit(skb);
		if (net_xmit_eval(rc))	/* a macro: looks twice */
			TTP_INC(link, OUT_ERRORS);
	}
}
