// SPDX-License-Identifier: GPL-2.0
/*
 * Messages: what is kept of packets that take more memory than their bytes.
 */
#include <kunit/test.h>
#include <linux/mm.h>

#include "../message.h"

#define TTP_MESSAGE_TEST_LONG	100000U
#define TTP_MESSAGE_TEST_PIECE	128U

static u8 ttp_message_test_byte(u32 at)
{
	return at * 7 + 1;
}

/* A packet of so many bytes in a buffer of such a size */
static struct sk_buff *ttp_message_test_skb(struct kunit *test, u32 size,
					    u32 len)
{
	struct sk_buff *skb = alloc_skb(size, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	for (i = 0; i < len; i++)
		skb_put_u8(skb, ttp_message_test_byte(i));
	return skb;
}

/* One whose bytes are in a page of their own */
static struct sk_buff *ttp_message_test_paged(struct kunit *test, u32 len)
{
	struct sk_buff *skb = alloc_skb(0, GFP_KERNEL);
	struct page *page = alloc_page(GFP_KERNEL);
	u8 *bytes;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_ASSERT_NOT_NULL(test, page);
	bytes = page_address(page);
	for (i = 0; i < len; i++)
		bytes[i] = ttp_message_test_byte(i);
	skb_add_rx_frag(skb, 0, page, 0, len, PAGE_SIZE);
	return skb;
}

static void ttp_message_test_bytes(struct kunit *test, struct sk_buff *skb,
				   u32 len)
{
	u32 i, wrong = 0;
	u8 byte;

	KUNIT_ASSERT_EQ(test, skb->len, len);
	for (i = 0; i < len; i++)
		if (skb_copy_bits(skb, i, &byte, 1) ||
		    byte != ttp_message_test_byte(i))
			wrong++;
	KUNIT_EXPECT_EQ(test, wrong, 0U);
}

/* Is the packet replaced by one that takes less? */
static void ttp_message_test_copied(struct kunit *test, struct sk_buff *skb)
{
	struct ttp_msgin in = { .len = TTP_MESSAGE_TEST_LONG };
	u32 truesize = skb->truesize, len = skb->len;
	struct sk_buff *kept;

	kept = ttp_msgin_fit(&in, skb);
	KUNIT_ASSERT_PTR_NE(test, kept, skb);
	KUNIT_EXPECT_LT(test, kept->truesize, truesize / 2);
	KUNIT_EXPECT_EQ(test, skb_headlen(kept), len);
	ttp_message_test_bytes(test, kept, len);
	/* it is the caller's, and as it was */
	KUNIT_EXPECT_EQ(test, skb->truesize, truesize);
	ttp_message_test_bytes(test, skb, len);
	kfree_skb(kept);
	kfree_skb(skb);
}

static void ttp_message_test_left(struct kunit *test, struct sk_buff *skb,
				  u32 msg_len)
{
	struct ttp_msgin in = { .len = msg_len };
	u32 truesize = skb->truesize, len = skb->len;

	KUNIT_ASSERT_PTR_EQ(test, ttp_msgin_fit(&in, skb), skb);
	KUNIT_EXPECT_EQ(test, skb->truesize, truesize);
	ttp_message_test_bytes(test, skb, len);
	kfree_skb(skb);
}

static void ttp_message_empty_buffers_are_copied(struct kunit *test)
{
	struct sk_buff *skb;

	skb = ttp_message_test_skb(test, SZ_4K, TTP_MESSAGE_TEST_PIECE);
	ttp_message_test_copied(test, skb);
	skb = ttp_message_test_paged(test, TTP_MESSAGE_TEST_PIECE);
	ttp_message_test_copied(test, skb);
}

static void ttp_message_short_ones_are_left(struct kunit *test)
{
	struct sk_buff *skb;

	skb = ttp_message_test_skb(test, SZ_4K, TTP_MESSAGE_TEST_PIECE);
	ttp_message_test_left(test, skb, TTP_MESSAGE_TEST_PIECE);
	skb = ttp_message_test_skb(test, SZ_4K, TTP_MESSAGE_TEST_PIECE);
	ttp_message_test_copied(test, skb);
}

static void ttp_message_filled_buffers_are_left(struct kunit *test)
{
	struct sk_buff *skb;

	skb = ttp_message_test_skb(test, SZ_4K, SZ_4K);
	ttp_message_test_left(test, skb, TTP_MESSAGE_TEST_LONG);
	skb = ttp_message_test_paged(test, PAGE_SIZE);
	ttp_message_test_left(test, skb, TTP_MESSAGE_TEST_LONG);
	/* the usual frame in the usual buffer */
	skb = ttp_message_test_skb(test, 1536, 1428);
	ttp_message_test_left(test, skb, TTP_MESSAGE_TEST_LONG);
}

/* However little there is in it: there are no smaller buffers */
static void ttp_message_smallest_buffers_are_left(struct kunit *test)
{
	struct sk_buff *skb = ttp_message_test_skb(test, 1, 1);

	KUNIT_EXPECT_GT(test, skb->truesize, TTP_MSG_WASTE(skb->len));
	ttp_message_test_left(test, skb, TTP_MESSAGE_TEST_LONG);
}

/* What a sender does with the levels that it is told */
static void ttp_message_grant_keeps_levels_apart(struct kunit *test)
{
	struct ttp_msgout out = { .len = 100000, .unsched = 10000, .level = 4,
				  .granted = 10000, .sent = 10000 };

	ttp_msgout_grant(&out, 30000, 1);
	KUNIT_EXPECT_EQ(test, out.granted, 30000U);
	KUNIT_EXPECT_EQ(test, ttp_msgout_level(&out, 0), 4);
	KUNIT_EXPECT_EQ(test, ttp_msgout_level(&out, 9999), 4);
	KUNIT_EXPECT_EQ(test, ttp_msgout_level(&out, 10000), 1);
	/* nothing new: a late or a double one */
	ttp_msgout_grant(&out, 30000, 3);
	ttp_msgout_grant(&out, 20000, 3);
	KUNIT_EXPECT_EQ(test, ttp_msgout_level(&out, 29999), 1);
	/* raised before what goes without a grant has left, which is no level */
	out.sent = 5000;
	ttp_msgout_grant(&out, 30001, 2);
	KUNIT_EXPECT_EQ(test, ttp_msgout_level(&out, 9999), 4);
	KUNIT_EXPECT_EQ(test, ttp_msgout_level(&out, 10000), 1);
	KUNIT_EXPECT_EQ(test, ttp_msgout_level(&out, 30000), 2);
	out.sent = 10000;
	out.granted = 30000;
	out.granted_level = 1;
	out.level_from = 10000;
	/* more at the same level is no third one */
	ttp_msgout_grant(&out, 30001, 1);
	KUNIT_EXPECT_EQ(test, out.level_from, 10000U);
	/* raised: not what was granted before, though it was not sent yet */
	out.sent = 15000;
	ttp_msgout_grant(&out, 50000, 2);
	KUNIT_EXPECT_EQ(test, ttp_msgout_level(&out, 30000), 1);
	KUNIT_EXPECT_EQ(test, ttp_msgout_level(&out, 30001), 2);
	/* a third level before the first has left: the lower one is safe */
	ttp_msgout_grant(&out, 60000, 3);
	KUNIT_EXPECT_EQ(test, ttp_msgout_level(&out, 59999), 2);
	ttp_msgout_grant(&out, 70000, 0);
	KUNIT_EXPECT_EQ(test, ttp_msgout_level(&out, 30000), 1);
	KUNIT_EXPECT_EQ(test, ttp_msgout_level(&out, 30001), 0);
	out.sent = 30001;
	ttp_msgout_grant(&out, U32_MAX, 2);
	KUNIT_EXPECT_EQ(test, out.granted, 100000U);
	KUNIT_EXPECT_EQ(test, ttp_msgout_level(&out, 69999), 0);
	KUNIT_EXPECT_EQ(test, ttp_msgout_level(&out, 70000), 2);
	/* what the program has chosen */
	out.fixed = true;
	KUNIT_EXPECT_EQ(test, ttp_msgout_level(&out, 70000), 4);
}

/* Which holes mean a loss */
static void ttp_message_raised_may_overtake(struct kunit *test)
{
	struct ttp_msgin in = { .len = 100000, .granted = 20000 };

	KUNIT_EXPECT_EQ(test, ttp_msgin_suspect(&in), 0U);
	in.have.prefix = 5000;
	in.high = 8000;
	/* something is missing before what has come at the same level */
	KUNIT_EXPECT_EQ(test, ttp_msgin_suspect(&in), 8000U);
	KUNIT_EXPECT_TRUE(test, ttp_msgin_relevel(&in, true));
	KUNIT_EXPECT_EQ(test, in.relevelled, 20000U);
	/* what is behind does not tell about what is before */
	in.granted = 40000;
	in.high = 30000;
	KUNIT_EXPECT_EQ(test, ttp_msgin_suspect(&in), 8000U);
	in.low = 12000;
	KUNIT_EXPECT_EQ(test, ttp_msgin_suspect(&in), 12000U);
	KUNIT_EXPECT_FALSE(test, ttp_msgin_relevel(&in, true));
	KUNIT_EXPECT_EQ(test, in.relevelled, 20000U);
	/* all of it has come */
	in.have.prefix = 20000;
	KUNIT_EXPECT_EQ(test, ttp_msgin_suspect(&in), 30000U);
	KUNIT_EXPECT_TRUE(test, ttp_msgin_relevel(&in, true));
	KUNIT_EXPECT_EQ(test, in.relevelled, 40000U);
}

/* Behind what was lowered nothing overtakes: that it has come tells */
static void ttp_message_lowered_does_not_overtake(struct kunit *test)
{
	struct ttp_msgin in = { .len = 100000, .granted = 20000, .high = 8000 };

	in.have.prefix = 8000;
	KUNIT_EXPECT_TRUE(test, ttp_msgin_relevel(&in, false));
	in.granted = 40000;
	in.high = 30000;
	KUNIT_EXPECT_EQ(test, ttp_msgin_suspect(&in), 30000U);
	KUNIT_EXPECT_FALSE(test, ttp_msgin_relevel(&in, true));
	in.have.prefix = 20000;
	KUNIT_EXPECT_TRUE(test, ttp_msgin_relevel(&in, true));
	KUNIT_EXPECT_EQ(test, ttp_msgin_suspect(&in), 30000U);
	in.high = 50000;
	KUNIT_EXPECT_EQ(test, ttp_msgin_suspect(&in), 30000U);
}

/* What of a message is the slowest on its way */
static void ttp_message_lowest_level(struct kunit *test)
{
	struct ttp_msgin in = {
		.len = 100000, .unsched = 20000, .granted = 20000,
		.granted_level = 1,
	};

	KUNIT_EXPECT_EQ(test, ttp_msgin_lowest(&in), TTP_WIRE_TOP_LEVEL);
	in.granted = 40000;
	KUNIT_EXPECT_EQ(test, ttp_msgin_lowest(&in), 1);
	KUNIT_EXPECT_TRUE(test, ttp_msgin_relevel(&in, true));
	in.granted_level = 2;
	KUNIT_EXPECT_EQ(test, ttp_msgin_lowest(&in), 1);
	in.have.prefix = 40000;
	KUNIT_EXPECT_EQ(test, ttp_msgin_lowest(&in), 2);
	KUNIT_EXPECT_TRUE(test, ttp_msgin_relevel(&in, false));
	in.granted = 60000;
	in.granted_level = 0;
	KUNIT_EXPECT_EQ(test, ttp_msgin_lowest(&in), 0);
}

static void ttp_message_up_to_date_minds_the_least_packet(struct kunit *test)
{
	struct ttp_msgin in = { .len = 100000, .granted = 20000 };

	in.received = 20000 - TTP_WIRE_MIN_SEGMENT;
	in.have.prefix = in.received;
	KUNIT_EXPECT_FALSE(test, ttp_msgin_up_to_date(&in));
	/* the rest is too small for a packet of its own */
	in.received++;
	in.have.prefix++;
	KUNIT_EXPECT_TRUE(test, ttp_msgin_up_to_date(&in));
	/* but not if it is a hole, or the end of the message */
	in.have.prefix--;
	KUNIT_EXPECT_FALSE(test, ttp_msgin_up_to_date(&in));
	in.have.prefix++;
	in.len = in.granted;
	KUNIT_EXPECT_FALSE(test, ttp_msgin_up_to_date(&in));
	in.received = in.granted;
	KUNIT_EXPECT_TRUE(test, ttp_msgin_up_to_date(&in));
}

static struct kunit_case ttp_message_cases[] = {
	KUNIT_CASE(ttp_message_empty_buffers_are_copied),
	KUNIT_CASE(ttp_message_short_ones_are_left),
	KUNIT_CASE(ttp_message_filled_buffers_are_left),
	KUNIT_CASE(ttp_message_smallest_buffers_are_left),
	KUNIT_CASE(ttp_message_grant_keeps_levels_apart),
	KUNIT_CASE(ttp_message_raised_may_overtake),
	KUNIT_CASE(ttp_message_lowered_does_not_overtake),
	KUNIT_CASE(ttp_message_lowest_level),
	KUNIT_CASE(ttp_message_up_to_date_minds_the_least_packet),
	{}
};

static struct kunit_suite ttp_message_suite = {
	.name = "ttp_message",
	.test_cases = ttp_message_cases,
};

kunit_test_suite(ttp_message_suite);
