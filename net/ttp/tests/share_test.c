// SPDX-License-Identifier: GPL-2.0
/*
 * How much of a window a sender gets.
 */
#include <kunit/test.h>

#include "../share.h"

#define STEP	1500U
#define WINDOW	100000U

static const struct ttp_share_rule ttp_share_rule = {
	.floor = STEP, .step = STEP, .gain = 16,
};

/* Rounds of the present share, of which @part of ten are marked */
static void ttp_share_rounds(struct ttp_share *share, unsigned int rounds,
			     unsigned int part)
{
	u32 bytes;

	while (rounds--) {
		bytes = ttp_share_of(share, WINDOW);
		if (part)
			ttp_share_arrived(share, bytes * part / 10, true, WINDOW,
					  &ttp_share_rule);
		ttp_share_arrived(share, bytes - bytes * part / 10, false, WINDOW,
				  &ttp_share_rule);
	}
}

static void ttp_share_starts_with_all(struct kunit *test)
{
	struct ttp_share share = { };

	KUNIT_EXPECT_EQ(test, ttp_share_of(&share, WINDOW), WINDOW);
	ttp_share_arrived(&share, WINDOW - 1, true, WINDOW, &ttp_share_rule);
	KUNIT_EXPECT_EQ(test, ttp_share_of(&share, WINDOW), WINDOW);
	ttp_share_arrived(&share, 1, false, WINDOW, &ttp_share_rule);
	/* One round in 16 of a half, all but a byte */
	KUNIT_EXPECT_EQ(test, ttp_share_of(&share, WINDOW),
			WINDOW - WINDOW * 63 / 2048);
}

static void ttp_share_shrinks_to_a_step(struct kunit *test)
{
	struct ttp_share share = { };

	ttp_share_rounds(&share, 10, 10);
	KUNIT_EXPECT_LT(test, ttp_share_of(&share, WINDOW), WINDOW * 3 / 8);
	ttp_share_rounds(&share, 100, 10);
	KUNIT_EXPECT_EQ(test, ttp_share_of(&share, WINDOW), STEP);
}

static void ttp_share_grows_by_a_step(struct kunit *test)
{
	struct ttp_share share = { .bytes = 3 * STEP };

	ttp_share_rounds(&share, 4, 0);
	KUNIT_EXPECT_EQ(test, ttp_share_of(&share, WINDOW), 7 * STEP);
	ttp_share_rounds(&share, 100, 0);
	KUNIT_EXPECT_EQ(test, ttp_share_of(&share, WINDOW), WINDOW);
}

static void ttp_share_few_marks_take_little(struct kunit *test)
{
	struct ttp_share few = { }, many = { };

	ttp_share_rounds(&few, 40, 1);
	ttp_share_rounds(&many, 40, 8);
	KUNIT_EXPECT_LT(test, ttp_share_of(&many, WINDOW),
			ttp_share_of(&few, WINDOW));
	KUNIT_EXPECT_GT(test, ttp_share_of(&few, WINDOW), WINDOW / 8);
}

static void ttp_share_follows_the_window(struct kunit *test)
{
	struct ttp_share share = { .bytes = WINDOW / 2 };

	KUNIT_EXPECT_EQ(test, ttp_share_of(&share, 20000), 20000U);
	/* Less than all of one window may be all of another */
	ttp_share_arrived(&share, 20000, false, 20000, &ttp_share_rule);
	KUNIT_EXPECT_EQ(test, ttp_share_of(&share, WINDOW), WINDOW);
	/* A window below the floor is never limited */
	ttp_share_arrived(&share, 1000, true, 1000, &ttp_share_rule);
	KUNIT_EXPECT_EQ(test, ttp_share_of(&share, 1000), 1000U);
	KUNIT_EXPECT_EQ(test, share.bytes, 0U);
}

static struct kunit_case ttp_share_cases[] = {
	KUNIT_CASE(ttp_share_starts_with_all),
	KUNIT_CASE(ttp_share_shrinks_to_a_step),
	KUNIT_CASE(ttp_share_grows_by_a_step),
	KUNIT_CASE(ttp_share_few_marks_take_little),
	KUNIT_CASE(ttp_share_follows_the_window),
	{ }
};

static struct kunit_suite ttp_share_suite = {
	.name = "ttp_share",
	.test_cases = ttp_share_cases,
};

kunit_test_suite(ttp_share_suite);
