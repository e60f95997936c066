// SPDX-License-Identifier: GPL-2.0
/*
 * Handing packets to the device; see output.h.
 */
#include <linux/etherdevice.h>

#include "output.h"

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
