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

/* Pages that are taken from the program at a time */
#define TTP_MSG_BATCH		16U

/* At the limit of a memory group a send call fails, before anybody is killed */
#define TTP_MSG_GFP		(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | \
				 __GFP_NOWARN)

/* Bytes that the last page still has room for, if it is ours to write to */
static u32 ttp_msgout_tail(const struct ttp_msgout *out)
{
	return out->tail ? PAGE_SIZE - out->tail : 0;
}

u32 ttp_msgout_truesize(u32 len)
{
	if (len <= TTP_MSG_SMALL)
		return SKB_DATA_ALIGN(len);
	return round_up(len, PAGE_SIZE);
}

u32 ttp_msgout_growth(const struct ttp_msgout *out, const struct iov_iter *from,
		      u32 len, bool pin)
{
	if (pin)
		return iov_iter_npages(from, TTP_WIRE_MAX_MESSAGE) * PAGE_SIZE;
	return round_up(len - min(len, ttp_msgout_tail(out)), PAGE_SIZE);
}

/* Room for more pieces */
static int ttp_msgout_reserve(struct ttp_msgout *out, u32 more)
{
	struct ttp_piece *pieces;
	u32 room;

	if (out->count + more <= out->room)
		return 0;
	room = max(out->count + more, 2 * out->room);
	pieces = kvmalloc_array(room, sizeof(*pieces), TTP_MSG_GFP);
	if (!pieces)
		return -ENOMEM;
	if (out->count)
		memcpy(pieces, out->pieces, out->count * sizeof(*pieces));
	kvfree(out->pieces);
	out->pieces = pieces;
	out->room = room;
	return 0;
}

static void ttp_msgout_append(struct ttp_msgout *out, struct page *page,
			      u32 offset, u32 len)
{
	struct ttp_piece *piece = out->pieces + out->count++;

	piece->page = page;
	piece->offset = offset;
	piece->start = out->len;
	out->len += len;
	out->truesize += PAGE_SIZE;
}

static int ttp_msgout_copy_tail(struct ttp_msgout *out, struct iov_iter *from,
				u32 len)
{
	struct ttp_piece *last = out->pieces + out->count - 1;

	if (copy_page_from_iter(last->page, out->tail, len, from) != len)
		return -EFAULT;
	out->len += len;
	out->tail = (out->tail + len) % PAGE_SIZE;
	return 0;
}

static int ttp_msgout_copy_page(struct ttp_msgout *out, struct iov_iter *from,
				u32 len)
{
	struct page *page = alloc_page(TTP_MSG_GFP);

	if (!page)
		return -ENOMEM;
	if (copy_page_from_iter(page, 0, len, from) != len) {
		put_page(page);
		return -EFAULT;
	}
	ttp_msgout_append(out, page, 0, len);
	out->tail = len % PAGE_SIZE;
	return 0;
}

int ttp_msgout_copy(struct ttp_msgout *out, struct iov_iter *from, u32 len)
{
	u32 before = out->len, tail = out->tail, n;
	int err;

	n = min(len, ttp_msgout_tail(out));
	err = ttp_msgout_reserve(out, DIV_ROUND_UP(len - n, PAGE_SIZE));
	if (!err && n)
		err = ttp_msgout_copy_tail(out, from, n);
	while (!err && out->len - before < len) {
		n = min_t(u32, len - (out->len - before), PAGE_SIZE);
		err = ttp_msgout_copy_page(out, from, n);
		cond_resched();
	}
	if (err)
		ttp_msgout_cut(out, before, tail);
	return err;
}

int ttp_msgout_copy_small(struct ttp_msgout *out, struct iov_iter *from,
			  u32 len)
{
	if (len) {
		out->small = kmalloc(len, TTP_MSG_GFP);
		if (!out->small)
			return -ENOMEM;
		if (!copy_from_iter_full(out->small, len, from)) {
			kfree(out->small);
			out->small = NULL;
			return -EFAULT;
		}
	}
	out->len = len;
	out->truesize = ttp_msgout_truesize(len);
	return 0;
}

/*
 * Pages of the slab, which nobody outside the kernel can name, have no references
 * to take, and iov_iter_get_pages2() takes none.
 */
static int ttp_msgout_pin_pages(struct ttp_msgout *out, struct page **pages,
				u32 offset, u32 len)
{
	u32 i, n, nr = DIV_ROUND_UP(offset + len, PAGE_SIZE);
	bool slab = false;
	int err;

	for (i = 0; i < nr; i++)
		slab |= folio_test_slab(page_folio(pages[i]));
	err = slab ? -EIO : ttp_msgout_reserve(out, nr);
	for (i = 0; i < nr; i++, offset = 0) {
		n = min_t(u32, len, PAGE_SIZE - offset);
		len -= n;
		if (!err)
			ttp_msgout_append(out, pages[i], offset, n);
		else if (!folio_test_slab(page_folio(pages[i])))
			put_page(pages[i]);
	}
	return err;
}

int ttp_msgout_pin(struct ttp_msgout *out, struct iov_iter *from, u32 len)
{
	u32 before = out->len, tail = out->tail;
	struct page *pages[TTP_MSG_BATCH];
	size_t offset;
	ssize_t n;
	int err;

	do {
		n = iov_iter_get_pages2(from, pages,
					len - (out->len - before),
					ARRAY_SIZE(pages), &offset);
		if (n <= 0)
			err = n ?: -EFAULT;
		else
			err = ttp_msgout_pin_pages(out, pages, offset, n);
	} while (!err && out->len - before < len);
	if (err)
		ttp_msgout_cut(out, before, tail);
	else
		out->tail = 0;
	return err;
}

void ttp_msgout_cut(struct ttp_msgout *out, u32 len, u32 tail)
{
	while (out->count && out->pieces[out->count - 1].start >= len) {
		put_page(out->pieces[--out->count].page);
		out->truesize -= PAGE_SIZE;
	}
	out->len = len;
	out->tail = tail;
}

void ttp_msgout_free(struct ttp_msgout *out)
{
	u32 i;

	for (i = out->freed; i < out->count; i++)
		put_page(out->pieces[i].page);
	kvfree(out->pieces);
	kfree(out->small);
	if (out->uarg)
		net_zcopy_put(out->uarg);
	out->pieces = NULL;
	out->count = 0;
	out->small = NULL;
	out->uarg = NULL;
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

/* One after the last byte of a piece */
static u32 ttp_msgout_end(const struct ttp_msgout *out, u32 piece)
{
	return piece + 1 < out->count ? out->pieces[piece + 1].start : out->len;
}

/* The piece that has a byte: at once if pages are full, as they are when copied */
static u32 ttp_msgout_find(const struct ttp_msgout *out, u32 offset)
{
	u32 low = 0, high = out->count - 1;
	u32 i = min_t(u32, offset >> PAGE_SHIFT, high);

	while (low < high) {
		if (out->pieces[i].start > offset)
			high = i - 1;
		else if (ttp_msgout_end(out, i) <= offset)
			low = i + 1;
		else
			return i;
		i = low + (high - low) / 2;
	}
	return low;
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
	while (out->freed + 1 < out->count &&
	       ttp_msgout_end(out, out->freed) + TTP_MSG_KEEP <= received) {
		put_page(out->pieces[out->freed++].page);
		out->truesize -= PAGE_SIZE;
	}
	return grown;
}

unsigned int ttp_msgout_frags(const struct ttp_msgout *out, u32 offset,
			      u32 len)
{
	if (!out->pieces || !len)
		return 0;
	return ttp_msgout_find(out, offset + len - 1) -
	       ttp_msgout_find(out, offset) + 1;
}

static void ttp_msgout_fill_page(struct sk_buff *skb, struct page *page,
				 u32 offset, u32 len, bool copy)
{
	if (copy) {
		memcpy_from_page(skb_put(skb, len), page, offset, len);
		return;
	}
	get_page(page);
	/* Not accounted: the page may be a program's, or a file's */
	skb_fill_page_desc_noacc(skb, skb_shinfo(skb)->nr_frags, page, offset,
				 len);
	skb->len += len;
	skb->data_len += len;
	skb->truesize += len;
}

void ttp_msgout_fill(struct ttp_msgout *out, struct sk_buff *skb, u32 offset,
		     u32 len, bool copy)
{
	u32 i, at, n;

	if (!out->pieces) {
		skb_put_data(skb, out->small + offset, len);
		return;
	}
	for (i = ttp_msgout_find(out, offset); len; i++) {
		at = offset - out->pieces[i].start;
		n = min(len, ttp_msgout_end(out, i) - offset);
		ttp_msgout_fill_page(skb, out->pieces[i].page,
				     out->pieces[i].offset + at, n, copy);
		offset += n;
		len -= n;
	}
	if (copy)
		return;
	if (out->uarg)
		skb_zcopy_set(skb, out->uarg, NULL);
	if (out->shared)
		skb_shinfo(skb)->flags |= SKBFL_SHARED_FRAG;
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
	/* What programs may ask for */
	copy->tstamp = skb->tstamp;
	copy->mark = skb->mark;
	copy->priority = skb->priority;
	*skb_hwtstamps(copy) = *skb_hwtstamps(skb);
	return copy;
}

int ttp_msgin_add(struct ttp_msgin *in, struct sk_buff *skb, u32 offset)
{
	u64 start, end;
	int err;

	if (!in->len) {
		/* For what it tells besides */
		ttp_skb_cb(skb)->offset = 0;
		ttp_msgin_link(in, skb);
		in->newest = skb;
		return 0;
	}
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
	in->newest = skb;
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
	in->newest = NULL;
	ttp_ranges_free(&in->have);
}
