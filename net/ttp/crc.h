/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CRC32C of a packet.
 */
#ifndef _NET_TTP_CRC_H
#define _NET_TTP_CRC_H

#include <linux/skbuff.h>

/**
 * ttp_crc() - compute a packet's CRC32C
 * @skb: the packet, nothing behind it; skb->data is the common header, linear
 *	as far as that goes
 * @dst: MAC address it is sent to
 * @src: MAC address of its sender
 *
 * Runs over @dst, @src and the packet, in which the crc field itself counts
 * as zero, whatever it holds.  The addresses are in it because a peer is
 * known by nothing else: a frame that ends up at, or seems to come from, the
 * wrong host is not taken for a good one.
 *
 * Context: any.
 * Return: the CRC.
 */
u32 ttp_crc(struct sk_buff *skb, const u8 *dst, const u8 *src);

#endif /* _NET_TTP_CRC_H */
