// SPDX-License-Identifier: GPL-2.0
/*
 * The order of a queue of messages, against a plain search.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "../srpt.h"

#define TTP_SRPT_TEST_N		64

static void ttp_srpt_empty_has_no_next(struct kunit *test)
{
	struct ttp_srpt_node node = {};
	struct ttp_srpt q;
	bool oldest;

	ttp_srpt_init(&q);
	KUNIT_EXPECT_TRUE(test, ttp_srpt_empty(&q));
	KUNIT_EXPECT_NULL(test, ttp_srpt_first(&q));
	KUNIT_EXPECT_NULL(test, ttp_srpt_next(&q, &oldest));
	q.owed = TTP_SRPT_QUANTUM;
	KUNIT_EXPECT_NULL(test, ttp_srpt_next(&q, &oldest));
	ttp_srpt_served(&q, false, 1000);
	KUNIT_EXPECT_EQ(test, q.owed, 0LL);
	KUNIT_EXPECT_TRUE(test, ttp_srpt_before(&q, &node, U32_MAX));
	ttp_srpt_del(&q, &node);
	KUNIT_EXPECT_TRUE(test, ttp_srpt_empty(&q));
}

static void ttp_srpt_least_left_is_first(struct kunit *test)
{
	struct ttp_srpt_node a = {}, b = {}, c = {};
	struct ttp_srpt q;

	ttp_srpt_init(&q);
	ttp_srpt_put(&q, &a, 300, 1);
	ttp_srpt_put(&q, &b, 200, 2);
	ttp_srpt_put(&q, &c, 250, 3);
	KUNIT_EXPECT_PTR_EQ(test, ttp_srpt_first(&q), &b);
	/* it stays, and changes its place when it has grown */
	ttp_srpt_put(&q, &b, 400, 2);
	KUNIT_EXPECT_PTR_EQ(test, ttp_srpt_first(&q), &c);
	ttp_srpt_put(&q, &a, 100, 1);
	KUNIT_EXPECT_PTR_EQ(test, ttp_srpt_first(&q), &a);
	ttp_srpt_del(&q, &a);
	ttp_srpt_del(&q, &a);
	KUNIT_EXPECT_PTR_EQ(test, ttp_srpt_first(&q), &c);
}

static void ttp_srpt_age_breaks_ties(struct kunit *test)
{
	struct ttp_srpt_node a = {}, b = {};
	struct ttp_srpt q;

	ttp_srpt_init(&q);
	ttp_srpt_put(&q, &b, 100, 9);
	ttp_srpt_put(&q, &a, 100, 8);
	KUNIT_EXPECT_PTR_EQ(test, ttp_srpt_first(&q), &a);
}

static void ttp_srpt_before_is_strict(struct kunit *test)
{
	struct ttp_srpt_node a = {}, b = {};
	struct ttp_srpt q;

	ttp_srpt_init(&q);
	ttp_srpt_put(&q, &a, 100, 1);
	KUNIT_EXPECT_TRUE(test, ttp_srpt_before(&q, &b, 99));
	KUNIT_EXPECT_FALSE(test, ttp_srpt_before(&q, &b, 100));
	KUNIT_EXPECT_TRUE(test, ttp_srpt_before(&q, &a, 1000));
}

static void ttp_srpt_after_is_in_order(struct kunit *test)
{
	struct ttp_srpt_node a = {}, b = {}, c = {};
	struct ttp_srpt q;

	ttp_srpt_init(&q);
	ttp_srpt_put(&q, &a, 3, 1);
	ttp_srpt_put(&q, &b, 1, 2);
	ttp_srpt_put(&q, &c, 2, 3);
	KUNIT_EXPECT_PTR_EQ(test, ttp_srpt_after(&b), &c);
	KUNIT_EXPECT_PTR_EQ(test, ttp_srpt_after(&c), &a);
	KUNIT_EXPECT_NULL(test, ttp_srpt_after(&a));
}

static void ttp_srpt_longest_wait_gets_its_share(struct kunit *test)
{
	struct ttp_srpt_node a = {}, b = {}, c = {}, *next;
	u64 bytes[2] = {};
	struct ttp_srpt q;
	unsigned int i;
	bool oldest;

	ttp_srpt_init(&q);
	ttp_srpt_put(&q, &a, 1000, 5);
	ttp_srpt_put(&q, &b, 10, 7);
	ttp_srpt_put(&q, &c, 2000, 6);
	for (i = 0; i < 10000; i++) {
		next = ttp_srpt_next(&q, &oldest);
		KUNIT_ASSERT_PTR_EQ(test, next, oldest ? &a : &b);
		ttp_srpt_served(&q, oldest, 1000);
		bytes[oldest] += 1000;
	}
	/* one twentieth of what the others get */
	KUNIT_EXPECT_GE(test, bytes[1], bytes[0] / TTP_SRPT_SHARE - 20000);
	KUNIT_EXPECT_LE(test, bytes[1], bytes[0] / TTP_SRPT_SHARE);
	/* what is owed does not grow without bound */
	ttp_srpt_served(&q, false, U32_MAX);
	KUNIT_EXPECT_EQ(test, q.owed, 20000LL);
	ttp_srpt_served(&q, true, U32_MAX);
	KUNIT_EXPECT_EQ(test, q.owed, 20000LL - U32_MAX);
	/* a turn that was longer than the share makes the next one later */
	q.owed = TTP_SRPT_QUANTUM;
	ttp_srpt_served(&q, true, 1000000);
	for (i = 0; i < 19; i++)
		ttp_srpt_served(&q, false, 1000000);
	ttp_srpt_next(&q, &oldest);
	KUNIT_EXPECT_FALSE(test, oldest);
	ttp_srpt_served(&q, false, 1000000);
	ttp_srpt_next(&q, &oldest);
	KUNIT_EXPECT_TRUE(test, oldest);
}

static struct ttp_srpt_node *ttp_srpt_search(struct ttp_srpt_node *nodes)
{
	struct ttp_srpt_node *best = NULL;
	unsigned int i;

	for (i = 0; i < TTP_SRPT_TEST_N; i++) {
		if (!nodes[i].in)
			continue;
		if (!best || nodes[i].left < best->left ||
		    (nodes[i].left == best->left && nodes[i].born < best->born))
			best = &nodes[i];
	}
	return best;
}

static void ttp_srpt_random_agrees_with_search(struct kunit *test)
{
	struct ttp_srpt_node *nodes;
	struct rnd_state rnd;
	struct ttp_srpt q;
	unsigned int i, n;

	nodes = kunit_kcalloc(test, TTP_SRPT_TEST_N, sizeof(*nodes),
			      GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, nodes);
	prandom_seed_state(&rnd, 1);
	ttp_srpt_init(&q);
	for (i = 0; i < 20000; i++) {
		n = prandom_u32_state(&rnd) % TTP_SRPT_TEST_N;
		if (prandom_u32_state(&rnd) % 3)
			ttp_srpt_put(&q, &nodes[n],
				     prandom_u32_state(&rnd) % 50, n);
		else
			ttp_srpt_del(&q, &nodes[n]);
		KUNIT_ASSERT_PTR_EQ(test, ttp_srpt_first(&q),
				    ttp_srpt_search(nodes));
	}
}

static struct kunit_case ttp_srpt_cases[] = {
	KUNIT_CASE(ttp_srpt_empty_has_no_next),
	KUNIT_CASE(ttp_srpt_least_left_is_first),
	KUNIT_CASE(ttp_srpt_age_breaks_ties),
	KUNIT_CASE(ttp_srpt_before_is_strict),
	KUNIT_CASE(ttp_srpt_after_is_in_order),
	KUNIT_CASE(ttp_srpt_longest_wait_gets_its_share),
	KUNIT_CASE(ttp_srpt_random_agrees_with_search),
	{}
};

static struct kunit_suite ttp_srpt_suite = {
	.name = "ttp_srpt",
	.test_cases = ttp_srpt_cases,
};

kunit_test_suite(ttp_srpt_suite);
