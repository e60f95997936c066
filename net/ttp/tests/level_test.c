// SPDX-License-Identifier: GPL-2.0
/*
 * Which level a packet is sent at.
 */
#include <kunit/test.h>

#include "../level.h"

static void ttp_level_control_is_highest(struct kunit *test)
{
	u8 n;

	for (n = 1; n <= TTP_LEVELS; n++)
		KUNIT_EXPECT_EQ(test, ttp_level_control(n), n - 1);
}

static void ttp_level_scheduled_are_some(struct kunit *test)
{
	static const u8 want[] = { 0, 1, 1, 1, 1, 1, 2, 2, 3 };
	u8 n;

	for (n = 1; n <= TTP_LEVELS; n++)
		KUNIT_EXPECT_EQ(test, ttp_level_scheduled(n), want[n]);
}

static void ttp_level_of_eight_ranks_by_length(struct kunit *test)
{
	const struct ttp_level_cutoffs *c = &ttp_level_defaults;

	KUNIT_EXPECT_EQ(test, ttp_level_unsched(8, c, 0), 6);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(8, c, 400), 6);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(8, c, 401), 5);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(8, c, 1500), 5);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(8, c, 1501), 4);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(8, c, 10001), 3);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(8, c, U32_MAX), 3);
}

static void ttp_level_of_few_shares(struct kunit *test)
{
	const struct ttp_level_cutoffs *c = &ttp_level_defaults;

	KUNIT_EXPECT_EQ(test, ttp_level_unsched(1, c, 10), 0);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(1, c, 1000000), 0);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(2, c, 10), 1);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(2, c, 1000000), 1);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(4, c, 400), 2);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(4, c, 401), 1);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(4, c, 1000000), 1);
}

static void ttp_level_unsched_is_between(struct kunit *test)
{
	u32 len;
	u8 n, level;

	for (n = 3; n <= TTP_LEVELS; n++) {
		for (len = 1; len < 1U << 24; len *= 2) {
			level = ttp_level_unsched(n, &ttp_level_defaults, len);
			KUNIT_EXPECT_LT(test, level, ttp_level_control(n));
			KUNIT_EXPECT_GE(test, level, ttp_level_scheduled(n));
		}
	}
}

static void ttp_level_buckets_hold_their_lengths(struct kunit *test)
{
	unsigned int i;
	u32 longest;

	for (i = 0; i < TTP_LEVEL_BUCKETS; i++) {
		longest = ttp_level_longest(i);
		KUNIT_EXPECT_EQ(test, ttp_level_bucket(longest), i);
		if (longest < U32_MAX)
			KUNIT_EXPECT_EQ(test, ttp_level_bucket(longest + 1),
					i + 1);
	}
	KUNIT_EXPECT_EQ(test, ttp_level_bucket(0), 0U);
	KUNIT_EXPECT_EQ(test, ttp_level_longest(1), 80U);
	KUNIT_EXPECT_EQ(test, ttp_level_longest(4), 128U);
	KUNIT_EXPECT_EQ(test, ttp_level_longest(TTP_LEVEL_BUCKETS - 1), U32_MAX);
}

static void ttp_level_cut_shares_the_bytes(struct kunit *test)
{
	u64 bytes[TTP_LEVEL_BUCKETS] = { };
	struct ttp_level_cutoffs c;

	bytes[ttp_level_bucket(100)] = 25;
	bytes[ttp_level_bucket(1000)] = 25;
	bytes[ttp_level_bucket(10000)] = 25;
	bytes[ttp_level_bucket(100000)] = 25;
	ttp_level_cut(bytes, &c);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(8, &c, 100), 6);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(8, &c, 1000), 5);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(8, &c, 10000), 4);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(8, &c, 100000), 3);
	KUNIT_EXPECT_EQ(test, c.longest[0], U32_MAX);
	KUNIT_EXPECT_EQ(test, c.longest[TTP_LEVELS - 1], 0U);
}

static void ttp_level_cut_by_one_length(struct kunit *test)
{
	u64 bytes[TTP_LEVEL_BUCKETS] = { };
	struct ttp_level_cutoffs c;

	/* All of one length: nobody is above others */
	bytes[ttp_level_bucket(5000)] = 1000;
	bytes[ttp_level_bucket(100)] = 1;
	ttp_level_cut(bytes, &c);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(8, &c, 100), 6);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(8, &c, 5000), 6);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(8, &c, 6000), 3);
	/* The longest that can be is in the last bucket */
	memset(bytes, 0, sizeof(bytes));
	bytes[TTP_LEVEL_BUCKETS - 1] = 1;
	ttp_level_cut(bytes, &c);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(8, &c, U32_MAX), 6);
}

static void ttp_level_differ_by_more_than_a_bucket(struct kunit *test)
{
	struct ttp_level_cutoffs a = ttp_level_defaults, b = a;

	KUNIT_EXPECT_FALSE(test, ttp_level_differ(&a, &b));
	b.longest[5] = 1600;
	KUNIT_EXPECT_FALSE(test, ttp_level_differ(&a, &b));
	b.longest[5] = 2100;
	KUNIT_EXPECT_TRUE(test, ttp_level_differ(&a, &b));
	KUNIT_EXPECT_TRUE(test, ttp_level_differ(&b, &a));
}

static struct kunit_case ttp_level_cases[] = {
	KUNIT_CASE(ttp_level_control_is_highest),
	KUNIT_CASE(ttp_level_scheduled_are_some),
	KUNIT_CASE(ttp_level_of_eight_ranks_by_length),
	KUNIT_CASE(ttp_level_of_few_shares),
	KUNIT_CASE(ttp_level_unsched_is_between),
	KUNIT_CASE(ttp_level_buckets_hold_their_lengths),
	KUNIT_CASE(ttp_level_cut_shares_the_bytes),
	KUNIT_CASE(ttp_level_cut_by_one_length),
	KUNIT_CASE(ttp_level_differ_by_more_than_a_bucket),
	{}
};

static struct kunit_suite ttp_level_suite = {
	.name = "ttp_level",
	.test_cases = ttp_level_cases,
};

kunit_test_suite(ttp_level_suite);
