// SPDX-License-Identifier: GPL-2.0
/*
 * How long to wait for what is missing.
 */
#include <kunit/test.h>

#include "../reorder.h"

static void ttp_reorder_none_waits_a_quarter(struct kunit *test)
{
	struct ttp_reorder r = {};

	KUNIT_EXPECT_EQ(test, ttp_reorder_wait(&r, 0), 0U);
	KUNIT_EXPECT_EQ(test, ttp_reorder_wait(&r, 20000), 5000U);
	ttp_reorder_lost(&r);
	KUNIT_EXPECT_EQ(test, r.late_ns, 0U);
}

static void ttp_reorder_late_waits_longer(struct kunit *test)
{
	struct ttp_reorder r = {};

	ttp_reorder_late(&r, 10000);
	KUNIT_EXPECT_EQ(test, ttp_reorder_wait(&r, 20000), 12500U);
	/* the latest counts */
	ttp_reorder_late(&r, 4000);
	KUNIT_EXPECT_EQ(test, ttp_reorder_wait(&r, 20000), 12500U);
	ttp_reorder_late(&r, 16000);
	KUNIT_EXPECT_EQ(test, ttp_reorder_wait(&r, 20000), 20000U);
	KUNIT_EXPECT_EQ(test, ttp_reorder_wait(&r, 400000), 100000U);
}

static void ttp_reorder_is_bounded(struct kunit *test)
{
	struct ttp_reorder r = {};

	ttp_reorder_late(&r, U64_MAX);
	KUNIT_EXPECT_EQ(test, r.late_ns, TTP_REORDER_MAX_NS);
	ttp_reorder_late(&r, U64_MAX);
	KUNIT_EXPECT_EQ(test, r.late_ns, TTP_REORDER_MAX_NS);
}

static void ttp_reorder_losses_shorten(struct kunit *test)
{
	struct ttp_reorder r = {};
	int i;

	ttp_reorder_late(&r, 100000);
	ttp_reorder_lost(&r);
	KUNIT_EXPECT_EQ(test, r.late_ns, 93750U);
	for (i = 0; i < 200; i++)
		ttp_reorder_lost(&r);
	KUNIT_EXPECT_EQ(test, r.late_ns, 0U);
}

static struct kunit_case ttp_reorder_cases[] = {
	KUNIT_CASE(ttp_reorder_none_waits_a_quarter),
	KUNIT_CASE(ttp_reorder_late_waits_longer),
	KUNIT_CASE(ttp_reorder_is_bounded),
	KUNIT_CASE(ttp_reorder_losses_shorten),
	{}
};

static struct kunit_suite ttp_reorder_suite = {
	.name = "ttp_reorder",
	.test_cases = ttp_reorder_cases,
};

kunit_test_suite(ttp_reorder_suite);
