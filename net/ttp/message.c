// SPDX-License-Identifier: GPL-2.0
/*
 * Messages: pages on the way out, packets on the way in.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "message.h"

/**
 * struct ttp_skb_cb - our part of a packet in ttp_msgin.skbs
 * @offset: of its bytes in the message
 */
struct ttp_skb_cb {
	u32	offset;
};

static struct ttp_skb_cb *ttp_skb_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct ttp_skb_cb) > sizeof(skb->cb));
	return (struct ttp_skb_cb *)skb->cb;
}

/* Out */

static u32 ttp_msgout_nr_pages(u32 len)
{
	return DIV_ROUND_UP(len, PAGE_SIZE);
}

u32 ttp_msgout_truesize(u32 len)
{
	if (len <= TTP_MSG_SMALL)
		return SKB_DATA_ALIGN(len);
	return ttp_msgout_nr_pages(len) * PAGE_SIZE;
}

static int ttp_msgout_copy_pages(struct ttp_msgout *out, struct iov_iter *from)
{
	u32 i, n, nr = ttp_msgout_nr_pages(out->len);
	u32 left = out->len;

	out->pages = kvcalloc(nr, sizeof(*out->pages), GFP_KERNEL_ACCOUNT);
	if (!out->pages)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		out->pages[i] = alloc_page(GFP_KERNEL_ACCOUNT);
		if (!out->pages[i])
			return -ENOMEM;
		n = min_t(u32, left, PAGE_SIZE);
		if (copy_page_from_iter(out->pages[i], 0, n, from) != n)
			return -EFAULT;
		left -= n;
		cond_resched();
	}
	return 0;
}

static int ttp_msgout_copy_small(struct ttp_msgout *out, struct iov_iter *from)
{
	if (!out->len)
		return 0;
	out->small = kmalloc(out->len, GFP_KERNEL_ACCOUNT);
	if (!out->small)
		return -ENOMEM;
	return copy_from_iter_full(out->small, out->len, from) ? 0 : -EFAULT;
}

int ttp_msgout_copy(struct ttp_msgout *out, struct iov_iter *from, u32 len)
{
	int err;

	memset(out, 0, sizeof(*out));
	out->len = len;
	out->truesize = ttp_msgout_truesize(len);
	if (len <= TTP_MSG_SMALL)
		err = ttp_msgout_copy_small(out, from);
	else
		err = ttp_msgout_copy_pages(out, from);
	if (err)
		ttp_msgout_free(out);
	return err;
}

void ttp_msgout_free(struct ttp_msgout *out)
{
	u32 i, nr = ttp_msgout_nr_pages(out->len);

	if (out->pages) {
		for (i = out->freed; i < nr && out->pages[i]; i++)
			put_page(out->pages[i]);
		kvfree(out->pages);
	}
	kfree(out->small);
	out->pages = NULL;
	out->small = NULL;
	out->truesize = 0;
}

void ttp_msgout_rewind(struct ttp_msgout *out)
{
	out->granted = out->unsched;
	out->sent = 0;
	out->held = false;
	out->level_from = 0;
}

void ttp_msgout_grant(struct ttp_msgout *out, u32 granted, u8 level)
{
	granted = min(granted, out->len);
	if (granted <= out->granted)
		return;
	/*
	 * The receiver knows which bytes may overtake which.  With a third
	 * level on the way before the first has left, the lower one is safe.
	 */
	if (level != out->granted_level &&
	    out->level_from <= max(out->sent, out->unsched)) {
		out->before_level = out->granted_level;
		out->level_from = out->granted;
		out->granted_level = level;
	} else {
		out->granted_level = min(out->granted_level, level);
	}
	out->granted = granted;
}

u8 ttp_msgout_level(const struct ttp_msgout *out, u32 offset)
{
	if (offset < out->unsched || out->fixed)
		return out->level;
	return offset < out->level_from ? out->before_level :
					  out->granted_level;
}

u32 ttp_msgout_acked(struct ttp_msgout *out, u32 received)
{
	u32 grown;

	received = min(received, out->sent);
	if (received <= out->acked)
		return 0;
	grown = received - out->acked;
	out->acked = received;
	/* The last page goes with the message */
	while (out->pages && out->freed + 1 < ttp_msgout_nr_pages(out->len) &&
	       (out->freed + 1) * PAGE_SIZE + TTP_MSG_KEEP <= received) {
		put_page(out->pages[out->freed++]);
		out->truesize -= PAGE_SIZE;
	}
	return grown;
}

unsigned int ttp_msgout_frags(const struct ttp_msgout *out, u32 offset,
			      u32 len)
{
	if (!out->pages || !len)
		return 0;
	return ((offset + len - 1) >> PAGE_SHIFT) - (offset >> PAGE_SHIFT) + 1;
}

static void ttp_msgout_fill_page(struct sk_buff *skb, struct page *page,
				 u32 offset, u32 len, bool copy)
{
	if (copy) {
		memcpy_from_page(skb_put(skb, len), page, offset, len);
		return;
	}
	get_page(page);
	skb_fill_page_desc(skb, skb_shinfo(skb)->nr_frags, page, offset, len);
	skb->len += len;
	skb->data_len += len;
	skb->truesize += len;
}

void ttp_msgout_fill(struct ttp_msgout *out, struct sk_buff *skb, u32 offset,
		     u32 len, bool copy)
{
	u32 at, n;

	if (!out->pages) {
		skb_put_data(skb, out->small + offset, len);
		return;
	}
	while (len) {
		at = offset_in_page(offset);
		n = min_t(u32, len, PAGE_SIZE - at);
		ttp_msgout_fill_page(skb, out->pages[offset >> PAGE_SHIFT], at,
				     n, copy);
		offset += n;
		len -= n;
	}
}

/* In */

void ttp_msgin_init(struct ttp_msgin *in)
{
	memset(in, 0, sizeof(*in));
	ttp_ranges_init(&in->have, TTP_MSG_MAX_HOLES);
	in->skbs = RB_ROOT;
}

static void ttp_msgin_link(struct ttp_msgin *in, struct sk_buff *skb)
{
	struct rb_node **link = &in->skbs.rb_node, *parent = NULL;
	u32 offset = ttp_skb_cb(skb)->offset;

	while (*link) {
		parent = *link;
		if (offset < ttp_skb_cb(rb_to_skb(parent))->offset)
			link = &parent->rb_left;
		else
			link = &parent->rb_right;
	}
	rb_link_node(&skb->rbnode, parent, link);
	rb_insert_color(&skb->rbnode, &in->skbs);
}

struct sk_buff *ttp_msgin_fit(const struct ttp_msgin *in, struct sk_buff *skb)
{
	struct sk_buff *copy;

	if (skb->len == in->len || skb->truesize <= TTP_MSG_WASTE(skb->len))
		return skb;
	copy = alloc_skb(skb->len, GFP_ATOMIC | __GFP_NOWARN);
	if (!copy)
		return skb;
	if (copy->truesize >= skb->truesize ||
	    skb_copy_bits(skb, 0, skb_put(copy, skb->len), skb->len)) {
		kfree_skb(copy);
		return skb;
	}
	return copy;
}

int ttp_msgin_add(struct ttp_msgin *in, struct sk_buff *skb, u32 offset)
{
	u64 start, end;
	int err;

	if (!ttp_ranges_gap(&in->have, offset, offset + skb->len, &start,
			    &end))
		return -EEXIST;
	if (pskb_trim(skb, end - offset) ||
	    (start > offset && !pskb_pull(skb, start - offset)))
		return -ENOMEM;
	err = ttp_ranges_add(&in->have, start, end);
	if (err)
		return err;
	ttp_skb_cb(skb)->offset = start;
	in->received += skb->len;
	in->high = max_t(u32, in->high, end);
	if (start < in->relevelled)
		in->low = max_t(u32, in->low, end);
	ttp_msgin_link(in, skb);
	return 0;
}

bool ttp_msgin_relevel(struct ttp_msgin *in, bool up)
{
	if (in->have.prefix < in->relevelled)
		return false;
	in->overtakes = up;
	in->before_level = in->granted_level;
	in->relevelled = in->granted;
	in->low = in->high;
	return true;
}

u8 ttp_msgin_lowest(const struct ttp_msgin *in)
{
	if (in->granted <= in->unsched)
		return TTP_WIRE_TOP_LEVEL;
	if (in->have.prefix < in->relevelled)
		return min(in->before_level, in->granted_level);
	return in->granted_level;
}

bool ttp_msgin_up_to_date(const struct ttp_msgin *in)
{
	if (in->received >= in->granted)
		return true;
	return in->granted < in->len && in->have.prefix == in->received &&
	       in->granted - in->received < TTP_WIRE_MIN_SEGMENT;
}

u32 ttp_msgin_suspect(const struct ttp_msgin *in)
{
	/* What has come from beyond tells nothing if it may have overtaken */
	if (in->overtakes && in->have.prefix < in->relevelled)
		return in->low;
	return in->high;
}

int ttp_msgin_copy(struct ttp_msgin *in, struct msghdr *msg, u32 len)
{
	struct rb_node *node;

	for (node = rb_first(&in->skbs); node && len; node = rb_next(node)) {
		struct sk_buff *skb = rb_to_skb(node);
		u32 n = min(len, skb->len);

		if (skb_copy_datagram_msg(skb, 0, msg, n))
			return -EFAULT;
		len -= n;
	}
	return 0;
}

void ttp_msgin_purge(struct ttp_msgin *in)
{
	struct sk_buff *skb, *next;

	rbtree_postorder_for_each_entry_safe(skb, next, &in->skbs, rbnode)
		consume_skb(skb);
	in->skbs = RB_ROOT;
	ttp_ranges_free(&in->have);
}
