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

static struct kunit_case ttp_level_cases[] = {
	KUNIT_CASE(ttp_level_control_is_highest),
	KUNIT_CASE(ttp_level_scheduled_are_some),
	KUNIT_CASE(ttp_level_of_eight_ranks_by_length),
	KUNIT_CASE(ttp_level_of_few_shares),
	KUNIT_CASE(ttp_level_unsched_is_between),
	{}
};

static struct kunit_suite ttp_level_suite = {
	.name = "ttp_level",
	.test_cases = ttp_level_cases,
};

kunit_test_suite(ttp_level_suite);
