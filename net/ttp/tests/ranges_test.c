// SPDX-License-Identifier: GPL-2.0
/*
 * Range sets: against a bitmap that does the same without any cleverness.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "../ranges.h"

/* Numbers below this are used; beyond it everything is missing */
#define TTP_RANGES_TEST_SPAN	512U

/**
 * struct ttp_ranges_model - set and bitmap that have to agree
 * @set: the set
 * @has: a byte for each number
 */
struct ttp_ranges_model {
	struct ttp_ranges	set;
	bool			has[TTP_RANGES_TEST_SPAN];
};

/* Every gap of the set is one of the model, and there is none beside */
static void ttp_ranges_test_compare(struct kunit *test,
				    const struct ttp_ranges_model *m)
{
	u64 at = 0, from, start, end;
	u32 runs = 0;

	while (at < TTP_RANGES_TEST_SPAN) {
		for (from = at; from < TTP_RANGES_TEST_SPAN && m->has[from];)
			from++;
		if (at && from > at)
			runs++;
		else if (!at)
			KUNIT_ASSERT_EQ(test, m->set.prefix, from);
		if (!ttp_ranges_gap(&m->set, at, TTP_RANGES_TEST_SPAN, &start,
				    &end)) {
			KUNIT_ASSERT_EQ(test, from, TTP_RANGES_TEST_SPAN);
			break;
		}
		KUNIT_ASSERT_EQ(test, start, from);
		for (at = from; at < TTP_RANGES_TEST_SPAN && !m->has[at];)
			at++;
		KUNIT_ASSERT_EQ(test, end, at);
	}
	KUNIT_ASSERT_EQ(test, m->set.nodes, runs);
}

/* The gap that begins a range must be right for any range, too */
static void ttp_ranges_test_query(struct kunit *test,
				  const struct ttp_ranges_model *m,
				  u64 start, u64 end)
{
	u64 at = start, gap_start, gap_end;

	while (at < end && m->has[at])
		at++;
	if (!ttp_ranges_gap(&m->set, start, end, &gap_start, &gap_end)) {
		KUNIT_ASSERT_EQ(test, at, max(start, end));
		return;
	}
	KUNIT_ASSERT_LT(test, at, end);
	KUNIT_ASSERT_EQ(test, gap_start, at);
	while (at < end && !m->has[at])
		at++;
	KUNIT_ASSERT_EQ(test, gap_end, at);
}

static void ttp_ranges_test_set(struct ttp_ranges_model *m, u64 start, u64 end)
{
	memset(m->has + start, true, end - start);
}

/* Add what is missing of a range piece by piece, as users of the set do */
static void ttp_ranges_test_fill(struct kunit *test,
				 struct ttp_ranges_model *m, u64 start, u64 end)
{
	u64 from = start, gap_start, gap_end;
	u32 nodes;
	int err;

	while (ttp_ranges_gap(&m->set, from, end, &gap_start, &gap_end)) {
		nodes = m->set.nodes;
		err = ttp_ranges_add(&m->set, gap_start, gap_end);
		if (err) {
			KUNIT_ASSERT_EQ(test, err, -ENOSPC);
			KUNIT_ASSERT_EQ(test, nodes, m->set.max);
			KUNIT_ASSERT_EQ(test, m->set.nodes, nodes);
			return;
		}
		ttp_ranges_test_set(m, gap_start, gap_end);
		from = gap_end;
	}
}

static void ttp_ranges_test_round(struct kunit *test, struct rnd_state *rnd,
				  struct ttp_ranges_model *m)
{
	u32 reach = 1 + prandom_u32_state(rnd) % 32;
	u64 start, end;

	while (m->set.prefix < TTP_RANGES_TEST_SPAN - 32) {
		start = prandom_u32_state(rnd) % TTP_RANGES_TEST_SPAN;
		end = start + prandom_u32_state(rnd) % reach;
		end = min_t(u64, end, TTP_RANGES_TEST_SPAN);
		if (prandom_u32_state(rnd) % 64) {
			ttp_ranges_test_fill(test, m, start, end);
		} else {
			start = m->set.prefix + start % 16;
			ttp_ranges_raise(&m->set, start);
			ttp_ranges_test_set(m, 0, start);
		}
		ttp_ranges_test_compare(test, m);
		start = prandom_u32_state(rnd) % TTP_RANGES_TEST_SPAN;
		end = prandom_u32_state(rnd) % TTP_RANGES_TEST_SPAN;
		ttp_ranges_test_query(test, m, start, end);
	}
}

static void ttp_ranges_random_matches_bitmap(struct kunit *test)
{
	static const u32 limits[] = { 0, 1, 2, 7, 1000 };
	struct ttp_ranges_model *m;
	struct rnd_state rnd;
	unsigned int i;

	m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m);
	prandom_seed_state(&rnd, 20260718);
	for (i = 0; i < 100; i++) {
		memset(m->has, 0, sizeof(m->has));
		ttp_ranges_init(&m->set, limits[i % ARRAY_SIZE(limits)]);
		ttp_ranges_test_round(test, &rnd, m);
		ttp_ranges_free(&m->set);
		KUNIT_ASSERT_EQ(test, m->set.nodes, 0U);
	}
}

static void ttp_ranges_test_expect_gap(struct kunit *test,
				       const struct ttp_ranges *set,
				       u64 start, u64 end, u64 gap_start,
				       u64 gap_end)
{
	u64 from = 0, to = 0;

	KUNIT_EXPECT_TRUE(test, ttp_ranges_gap(set, start, end, &from, &to));
	KUNIT_EXPECT_EQ(test, from, gap_start);
	KUNIT_EXPECT_EQ(test, to, gap_end);
}

static void ttp_ranges_test_expect_full(struct kunit *test,
					const struct ttp_ranges *set,
					u64 start, u64 end)
{
	u64 from, to;

	KUNIT_EXPECT_FALSE(test, ttp_ranges_gap(set, start, end, &from, &to));
}

static void ttp_ranges_empty_has_one_gap(struct kunit *test)
{
	struct ttp_ranges set;

	ttp_ranges_init(&set, 4);
	ttp_ranges_test_expect_gap(test, &set, 0, 1, 0, 1);
	ttp_ranges_test_expect_gap(test, &set, 7, U64_MAX, 7, U64_MAX);
	ttp_ranges_test_expect_full(test, &set, 0, 0);
	ttp_ranges_test_expect_full(test, &set, 7, 7);
	ttp_ranges_test_expect_full(test, &set, 7, 3);
	ttp_ranges_free(&set);
	KUNIT_EXPECT_EQ(test, set.max, 4U);
}

static void ttp_ranges_in_order_needs_no_node(struct kunit *test)
{
	struct ttp_ranges set;
	u64 i;

	ttp_ranges_init(&set, 0);
	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, i * 10, i * 10 + 10),
				0);
	KUNIT_EXPECT_EQ(test, set.prefix, 1000ULL);
	KUNIT_EXPECT_EQ(test, set.nodes, 0U);
	ttp_ranges_test_expect_full(test, &set, 0, 1000);
	ttp_ranges_test_expect_gap(test, &set, 0, 1001, 1000, 1001);
}

static void ttp_ranges_neighbours_merge(struct kunit *test)
{
	struct ttp_ranges set;

	ttp_ranges_init(&set, 8);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 20, 30), 0);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 50, 60), 0);
	KUNIT_EXPECT_EQ(test, set.nodes, 2U);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 30, 35), 0);	/* left */
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 45, 50), 0);	/* right */
	KUNIT_EXPECT_EQ(test, set.nodes, 2U);
	ttp_ranges_test_expect_gap(test, &set, 20, 100, 35, 45);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 35, 45), 0);	/* both */
	KUNIT_EXPECT_EQ(test, set.nodes, 1U);
	ttp_ranges_test_expect_full(test, &set, 20, 60);
	ttp_ranges_test_expect_gap(test, &set, 0, 100, 0, 20);
	ttp_ranges_test_expect_gap(test, &set, 25, 100, 60, 100);
	KUNIT_EXPECT_EQ(test, set.prefix, 0ULL);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 0, 20), 0);	/* prefix */
	KUNIT_EXPECT_EQ(test, set.prefix, 60ULL);
	KUNIT_EXPECT_EQ(test, set.nodes, 0U);
}

static void ttp_ranges_full_refuses_and_stays(struct kunit *test)
{
	struct ttp_ranges set;

	ttp_ranges_init(&set, 2);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 10, 20), 0);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 30, 40), 0);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 50, 60), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 22, 28), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 1, 2), -ENOSPC);
	KUNIT_EXPECT_EQ(test, set.nodes, 2U);
	ttp_ranges_test_expect_gap(test, &set, 0, 100, 0, 10);
	ttp_ranges_test_expect_gap(test, &set, 10, 100, 20, 30);
	ttp_ranges_test_expect_gap(test, &set, 30, 100, 40, 100);
	/* what needs no node goes on */
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 20, 25), 0);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 25, 30), 0);
	KUNIT_EXPECT_EQ(test, set.nodes, 1U);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 50, 60), 0);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 0, 10), 0);
	KUNIT_EXPECT_EQ(test, set.prefix, 40ULL);
	ttp_ranges_free(&set);
}

static void ttp_ranges_raise_absorbs(struct kunit *test)
{
	struct ttp_ranges set;

	ttp_ranges_init(&set, 8);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 10, 20), 0);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 30, 40), 0);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 50, 60), 0);
	ttp_ranges_raise(&set, 0);			/* nothing */
	KUNIT_EXPECT_EQ(test, set.prefix, 0ULL);
	ttp_ranges_raise(&set, 9);			/* short of a range */
	KUNIT_EXPECT_EQ(test, set.prefix, 9ULL);
	KUNIT_EXPECT_EQ(test, set.nodes, 3U);
	ttp_ranges_raise(&set, 10);			/* up to one */
	KUNIT_EXPECT_EQ(test, set.prefix, 20ULL);
	ttp_ranges_raise(&set, 15);			/* back: nothing */
	KUNIT_EXPECT_EQ(test, set.prefix, 20ULL);
	ttp_ranges_raise(&set, 35);			/* into one */
	KUNIT_EXPECT_EQ(test, set.prefix, 40ULL);
	KUNIT_EXPECT_EQ(test, set.nodes, 1U);
	ttp_ranges_raise(&set, 60);			/* over one */
	KUNIT_EXPECT_EQ(test, set.prefix, 60ULL);
	KUNIT_EXPECT_EQ(test, set.nodes, 0U);
	ttp_ranges_raise(&set, U64_MAX);
	ttp_ranges_test_expect_full(test, &set, 0, U64_MAX);
}

static void ttp_ranges_top_of_range_works(struct kunit *test)
{
	struct ttp_ranges set;

	ttp_ranges_init(&set, 2);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, U64_MAX - 10, U64_MAX), 0);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, U64_MAX - 20, U64_MAX - 15),
			0);
	ttp_ranges_test_expect_gap(test, &set, U64_MAX - 20, U64_MAX,
				   U64_MAX - 15, U64_MAX - 10);
	ttp_ranges_test_expect_full(test, &set, U64_MAX - 10, U64_MAX);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 0, U64_MAX - 20), 0);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, U64_MAX - 15, U64_MAX - 10),
			0);
	KUNIT_EXPECT_EQ(test, set.prefix, U64_MAX);
	KUNIT_EXPECT_EQ(test, set.nodes, 0U);
}

static void ttp_ranges_no_memory_leaves_unchanged(struct kunit *test)
{
#ifdef CONFIG_FAILSLAB
	struct ttp_ranges set;

	ttp_ranges_init(&set, 8);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 10, 20), 0);
	current->fail_nth = 1;
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 30, 40), -ENOMEM);
	current->fail_nth = 0;
	KUNIT_EXPECT_EQ(test, set.nodes, 1U);
	ttp_ranges_test_expect_gap(test, &set, 10, 100, 20, 100);
	KUNIT_EXPECT_EQ(test, ttp_ranges_add(&set, 30, 40), 0);
	KUNIT_EXPECT_EQ(test, set.nodes, 2U);
	ttp_ranges_free(&set);
#else
	kunit_skip(test, "needs CONFIG_FAILSLAB");
#endif
}

static struct kunit_case ttp_ranges_cases[] = {
	KUNIT_CASE(ttp_ranges_empty_has_one_gap),
	KUNIT_CASE(ttp_ranges_in_order_needs_no_node),
	KUNIT_CASE(ttp_ranges_neighbours_merge),
	KUNIT_CASE(ttp_ranges_full_refuses_and_stays),
	KUNIT_CASE(ttp_ranges_raise_absorbs),
	KUNIT_CASE(ttp_ranges_top_of_range_works),
	KUNIT_CASE(ttp_ranges_no_memory_leaves_unchanged),
	KUNIT_CASE(ttp_ranges_random_matches_bitmap),
	{}
};

static struct kunit_suite ttp_ranges_suite = {
	.name = "ttp_ranges",
	.test_cases = ttp_ranges_cases,
};

kunit_test_suite(ttp_ranges_suite);
