// SPDX-License-Identifier: GPL-2.0
/*
 * What peers are told to send by.
 */
#include <kunit/test.h>
#include <linux/jiffies.h>

#include "../cutoffs.h"
#include "../wire.h"

static int ttp_cutoffs_setup(struct kunit *test)
{
	struct ttp_cutoffs *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	test->priv = c;
	return c ? ttp_cutoffs_init(c) : -ENOMEM;
}

static void ttp_cutoffs_teardown(struct kunit *test)
{
	if (test->priv)
		ttp_cutoffs_exit(test->priv);
}

static void ttp_cutoffs_messages(struct ttp_cutoffs *c, unsigned int n, u32 len)
{
	local_bh_disable();
	while (n--)
		ttp_cutoffs_count(c, len, len, true);
	local_bh_enable();
}

/* As if the time had come */
static void ttp_cutoffs_now(struct ttp_cutoffs *c)
{
	local_bh_disable();
	c->next = jiffies;
	ttp_cutoffs_update(c);
	local_bh_enable();
}

static void ttp_cutoffs_losses(struct ttp_cutoffs *c, unsigned int n, u32 bdp)
{
	local_bh_disable();
	while (n--)
		ttp_cutoffs_lost(c, bdp);
	local_bh_enable();
}

static void ttp_cutoffs_follow_the_lengths(struct kunit *test)
{
	struct ttp_cutoffs *c = test->priv;

	KUNIT_EXPECT_EQ(test, c->version, 0);
	ttp_cutoffs_messages(c, 5000, 100);
	ttp_cutoffs_now(c);
	/* Too few to say anything */
	KUNIT_EXPECT_EQ(test, c->version, 0);
	ttp_cutoffs_messages(c, 5000, 100);
	ttp_cutoffs_messages(c, 50, 20000);
	ttp_cutoffs_now(c);
	KUNIT_EXPECT_EQ(test, c->version, 1);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(8, &c->table, 100), 6);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(8, &c->table, 20000), 4);
	/* More of the same is nothing new */
	ttp_cutoffs_messages(c, 10000, 100);
	ttp_cutoffs_messages(c, 50, 20000);
	ttp_cutoffs_now(c);
	KUNIT_EXPECT_EQ(test, c->version, 1);
	/* What was long ago counts less and less */
	ttp_cutoffs_messages(c, 10000, 5000);
	ttp_cutoffs_now(c);
	KUNIT_EXPECT_EQ(test, c->version, 2);
	KUNIT_EXPECT_EQ(test, ttp_level_unsched(8, &c->table, 5000), 6);
}

static void ttp_cutoffs_wait_for_their_time(struct kunit *test)
{
	struct ttp_cutoffs *c = test->priv;

	ttp_cutoffs_messages(c, 1000, 20000);
	c->next = jiffies + HZ;
	local_bh_disable();
	ttp_cutoffs_update(c);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, c->version, 0);
}

static void ttp_cutoffs_version_is_never_zero_again(struct kunit *test)
{
	struct ttp_cutoffs *c = test->priv;

	c->version = 255;
	ttp_cutoffs_messages(c, 100, 20000);
	ttp_cutoffs_now(c);
	KUNIT_EXPECT_EQ(test, c->version, 1);
}

static void ttp_cutoffs_crowd_that_loses_begins_with_less(struct kunit *test)
{
	struct ttp_cutoffs *c = test->priv;

	local_bh_disable();
	ttp_cutoffs_crowd(c, 40);
	ttp_cutoffs_crowd(c, 20);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, c->crowd, 40U);
	ttp_cutoffs_messages(c, 80, 20000);
	ttp_cutoffs_losses(c, TTP_CUTOFFS_LOSSES - 1, 40000);
	KUNIT_EXPECT_EQ(test, c->limit, 0U);
	ttp_cutoffs_losses(c, 1, 40000);
	KUNIT_EXPECT_EQ(test, c->limit, 1000U);
	KUNIT_EXPECT_EQ(test, c->version, 1);
	/* A little less is not worth telling, much less is */
	ttp_cutoffs_losses(c, TTP_CUTOFFS_LOSSES, 30000);
	KUNIT_EXPECT_EQ(test, c->limit, 1000U);
	ttp_cutoffs_losses(c, TTP_CUTOFFS_LOSSES, 100);
	KUNIT_EXPECT_EQ(test, c->limit, TTP_WIRE_MIN_SEGMENT);
	KUNIT_EXPECT_EQ(test, c->version, 2);
	/* 40, 20, 10, 5, 3: gone */
	ttp_cutoffs_now(c);
	ttp_cutoffs_now(c);
	ttp_cutoffs_now(c);
	KUNIT_EXPECT_NE(test, c->limit, 0U);
	ttp_cutoffs_now(c);
	KUNIT_EXPECT_EQ(test, c->limit, 0U);
}

static void ttp_cutoffs_few_losses_are_no_crowd(struct kunit *test)
{
	struct ttp_cutoffs *c = test->priv;

	/* No crowd */
	ttp_cutoffs_losses(c, TTP_CUTOFFS_LOSSES, 40000);
	KUNIT_EXPECT_EQ(test, c->limit, 0U);
	/* A crowd on a cable that loses one in a hundred */
	local_bh_disable();
	ttp_cutoffs_crowd(c, 40);
	local_bh_enable();
	ttp_cutoffs_messages(c, 100 * TTP_CUTOFFS_LOSSES, 1000);
	ttp_cutoffs_losses(c, TTP_CUTOFFS_LOSSES, 40000);
	KUNIT_EXPECT_EQ(test, c->limit, 0U);
	KUNIT_EXPECT_EQ(test, c->version, 0);
}

static struct kunit_case ttp_cutoffs_cases[] = {
	KUNIT_CASE(ttp_cutoffs_follow_the_lengths),
	KUNIT_CASE(ttp_cutoffs_wait_for_their_time),
	KUNIT_CASE(ttp_cutoffs_version_is_never_zero_again),
	KUNIT_CASE(ttp_cutoffs_crowd_that_loses_begins_with_less),
	KUNIT_CASE(ttp_cutoffs_few_losses_are_no_crowd),
	{ }
};

static struct kunit_suite ttp_cutoffs_suite = {
	.name = "ttp_cutoffs",
	.init = ttp_cutoffs_setup,
	.exit = ttp_cutoffs_teardown,
	.test_cases = ttp_cutoffs_cases,
};

kunit_test_suite(ttp_cutoffs_suite);
