// SPDX-License-Identifier: GPL-2.0
/*
 * CRC32C of a packet, over linear part, page fragments and fragment list.
 */
#include <linux/crc32c.h>
#include <linux/if_ether.h>

#include "crc.h"
#include "wire.h"

u32 ttp_crc(struct sk_buff *skb, const u8 *dst, const u8 *src)
{
	unsigned int done = 0, n;
	struct skb_seq_state st;
	struct ttp_wire_hdr hdr;
	const u8 *data;
	u32 crc;

	memcpy(&hdr, skb->data, sizeof(hdr));
	hdr.crc = 0;
	crc = crc32c(~0U, dst, ETH_ALEN);
	crc = crc32c(crc, src, ETH_ALEN);
	crc = crc32c(crc, &hdr, sizeof(hdr));
	if (skb->len == sizeof(hdr))
		return ~crc;
	skb_prepare_seq_read(skb, sizeof(hdr), skb->len, &st);
	while ((n = skb_seq_read(done, &data, &st))) {
		crc = crc32c(crc, data, n);
		done += n;
	}
	return ~crc;
}
