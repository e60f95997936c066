// SPDX-License-Identifier: GPL-2.0
/*
 * How long packets waited in the own host.
 */
#include <kunit/test.h>

#include "../stamp.h"

#define CARD	3
/* The card's clock is ahead by hours */
#define AHEAD	(5LL * 3600 * NSEC_PER_SEC)

/* A packet that arrived at @at_ns and came up @wait_ns later */
static u32 ttp_stamp_packet(struct ttp_stamp *s, u64 at_ns, u32 wait_ns)
{
	return ttp_stamp_wait(s, CARD, (s64)at_ns + AHEAD, at_ns + wait_ns);
}

static void ttp_stamp_soonest_did_not_wait(struct kunit *test)
{
	struct ttp_stamp s = {};

	KUNIT_EXPECT_EQ(test, ttp_stamp_packet(&s, 1000000, 5000), 0U);
	KUNIT_EXPECT_EQ(test, ttp_stamp_packet(&s, 1010000, 25000), 20000U);
	/* sooner than all before */
	KUNIT_EXPECT_EQ(test, ttp_stamp_packet(&s, 1100000, 1000), 0U);
	KUNIT_EXPECT_EQ(test, ttp_stamp_packet(&s, 1110000, 25000), 24000U);
}

static void ttp_stamp_clocks_drift(struct kunit *test)
{
	struct ttp_stamp s = {};
	u64 at_ns;
	u32 wait_ns = 0;

	/* 100 ppm slower than the host's for a second, a packet each 100 us */
	for (at_ns = 0; at_ns < NSEC_PER_SEC; at_ns += 100000) {
		wait_ns = ttp_stamp_wait(&s, CARD,
					 at_ns + AHEAD - at_ns / 10000,
					 at_ns + 1000);
		KUNIT_ASSERT_LE(test, wait_ns,
				2 * TTP_STAMP_WINDOW_NS / 10000);
	}
	/* and all of that is drift */
	KUNIT_EXPECT_GE(test, wait_ns, TTP_STAMP_WINDOW_NS / 10000 / 2);
}

static void ttp_stamp_window_moves(struct kunit *test)
{
	struct ttp_stamp s = {};

	ttp_stamp_packet(&s, 0, 1000);
	ttp_stamp_packet(&s, TTP_STAMP_WINDOW_NS / 2, 11000);
	/* the smallest of the first window counts in the second */
	KUNIT_EXPECT_EQ(test, ttp_stamp_packet(&s, TTP_STAMP_WINDOW_NS, 12000),
			11000U);
	/* in the third one that of the second does */
	KUNIT_EXPECT_EQ(test, ttp_stamp_packet(&s, 2 * TTP_STAMP_WINDOW_NS,
					       14000), 2000U);
}

static void ttp_stamp_pause_begins_anew(struct kunit *test)
{
	struct ttp_stamp s = {};

	ttp_stamp_packet(&s, 0, 1000);
	KUNIT_EXPECT_EQ(test, ttp_stamp_packet(&s, NSEC_PER_SEC, 9000), 0U);
	KUNIT_EXPECT_EQ(test, ttp_stamp_packet(&s, NSEC_PER_SEC + 1000, 10000),
			1000U);
}

static void ttp_stamp_other_card_begins_anew(struct kunit *test)
{
	struct ttp_stamp s = {};

	ttp_stamp_packet(&s, 0, 1000);
	KUNIT_EXPECT_EQ(test, ttp_stamp_wait(&s, CARD + 1, 7, 3000), 0U);
	KUNIT_EXPECT_EQ(test, ttp_stamp_packet(&s, 4000, 50000), 0U);
}

static void ttp_stamp_clock_is_set(struct kunit *test)
{
	struct ttp_stamp s = {};

	ttp_stamp_packet(&s, 0, 1000);
	/* back by an hour, which looks like a wait of an hour */
	KUNIT_EXPECT_EQ(test, ttp_stamp_wait(&s, CARD, 0, 2000), 0U);
	KUNIT_EXPECT_EQ(test, ttp_stamp_wait(&s, CARD, 1000, 5000), 2000U);
	/* forward */
	KUNIT_EXPECT_EQ(test, ttp_stamp_packet(&s, 4000, 1000), 0U);
	KUNIT_EXPECT_EQ(test, ttp_stamp_packet(&s, 5000, 1500), 500U);
	/* what is believed at most */
	KUNIT_EXPECT_EQ(test, ttp_stamp_packet(&s, 6000,
					       TTP_STAMP_MAX_NS + 1000),
			TTP_STAMP_MAX_NS);
	KUNIT_EXPECT_EQ(test, ttp_stamp_packet(&s, 7000,
					       TTP_STAMP_MAX_NS + 1001), 0U);
}

static struct kunit_case ttp_stamp_cases[] = {
	KUNIT_CASE(ttp_stamp_soonest_did_not_wait),
	KUNIT_CASE(ttp_stamp_clocks_drift),
	KUNIT_CASE(ttp_stamp_window_moves),
	KUNIT_CASE(ttp_stamp_pause_begins_anew),
	KUNIT_CASE(ttp_stamp_other_card_begins_anew),
	KUNIT_CASE(ttp_stamp_clock_is_set),
	{}
};

static struct kunit_suite ttp_stamp_suite = {
	.name = "ttp_stamp",
	.test_cases = ttp_stamp_cases,
};

kunit_test_suite(ttp_stamp_suite);
