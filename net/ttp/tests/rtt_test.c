// SPDX-License-Identifier: GPL-2.0
/*
 * Round-trip time estimation: the numbers of RFC 6298, and the bounds.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/time64.h>

#include "../rtt.h"

#define TTP_RTT_TEST_MIN_NS	(1 * NSEC_PER_MSEC)
#define TTP_RTT_TEST_MAX_NS	(200ULL * NSEC_PER_MSEC)

static void ttp_rtt_first_sample_sets_half_deviation(struct kunit *test)
{
	struct ttp_rtt rtt = {};

	KUNIT_EXPECT_TRUE(test, ttp_rtt_sample(&rtt, 100 * NSEC_PER_MSEC));
	KUNIT_EXPECT_EQ(test, rtt.srtt_ns, 100 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, rtt.var_ns, 50 * NSEC_PER_MSEC);
}

static void ttp_rtt_samples_follow_rfc6298(struct kunit *test)
{
	struct ttp_rtt rtt = {};

	ttp_rtt_sample(&rtt, 100000);
	/* RTTVAR = 3/4 * 50000 + 1/4 * 40000, then SRTT = 7/8 + 1/8 * 60000 */
	KUNIT_EXPECT_TRUE(test, ttp_rtt_sample(&rtt, 60000));
	KUNIT_EXPECT_EQ(test, rtt.var_ns, 47500U);
	KUNIT_EXPECT_EQ(test, rtt.srtt_ns, 95000U);
	/* 3/4 * 47500 + 1/4 * 105000, 7/8 * 95000 + 1/8 * 200000 */
	KUNIT_EXPECT_TRUE(test, ttp_rtt_sample(&rtt, 200000));
	KUNIT_EXPECT_EQ(test, rtt.var_ns, 61875U);
	KUNIT_EXPECT_EQ(test, rtt.srtt_ns, 108125U);
	KUNIT_EXPECT_EQ(test, ttp_rtt_rto(&rtt, 0, TTP_RTT_TEST_MAX_NS, 0, 0),
			108125 + 4 * 61875ULL);
}

static void ttp_rtt_steady_samples_converge(struct kunit *test)
{
	struct ttp_rtt rtt = {};
	unsigned int i;

	ttp_rtt_sample(&rtt, 1000000);
	for (i = 0; i < 200; i++)
		ttp_rtt_sample(&rtt, 10000);
	/* integers end a few ns beside the exact value */
	KUNIT_EXPECT_GE(test, rtt.srtt_ns, 9990U);
	KUNIT_EXPECT_LE(test, rtt.srtt_ns, 10010U);
	KUNIT_EXPECT_LE(test, rtt.var_ns, 10U);
}

static void ttp_rtt_absurd_samples_ignored(struct kunit *test)
{
	struct ttp_rtt rtt = {}, before;

	KUNIT_EXPECT_FALSE(test, ttp_rtt_sample(&rtt, 0));
	KUNIT_EXPECT_FALSE(test, ttp_rtt_sample(&rtt, TTP_RTT_MAX_NS + 1));
	KUNIT_EXPECT_FALSE(test, ttp_rtt_sample(&rtt, U32_MAX));
	KUNIT_EXPECT_EQ(test, rtt.srtt_ns, 0U);
	KUNIT_EXPECT_TRUE(test, ttp_rtt_sample(&rtt, TTP_RTT_MAX_NS));
	before = rtt;
	KUNIT_EXPECT_FALSE(test, ttp_rtt_sample(&rtt, TTP_RTT_MAX_NS + 1));
	KUNIT_EXPECT_EQ(test, memcmp(&rtt, &before, sizeof(rtt)), 0);
}

static void ttp_rtt_tiny_samples_stay_positive(struct kunit *test)
{
	struct ttp_rtt rtt = {};
	unsigned int i;

	/* a smoothed time of 0 would mean that there was no sample */
	for (i = 0; i < 100; i++) {
		KUNIT_EXPECT_TRUE(test, ttp_rtt_sample(&rtt, 1));
		KUNIT_EXPECT_GE(test, rtt.srtt_ns, 1U);
	}
	ttp_rtt_sample(&rtt, 9);
	for (i = 0; i < 100; i++)
		ttp_rtt_sample(&rtt, 1);
	KUNIT_EXPECT_GE(test, rtt.srtt_ns, 1U);
}

static void ttp_rtt_floor_is_the_smallest(struct kunit *test)
{
	struct ttp_rtt_floor floor = {};

	ttp_rtt_floor_sample(&floor, 20000, 1);
	KUNIT_EXPECT_EQ(test, floor.ns, 20000U);
	ttp_rtt_floor_sample(&floor, 30000, 2);
	KUNIT_EXPECT_EQ(test, floor.ns, 20000U);
	ttp_rtt_floor_sample(&floor, 10000, 3);
	KUNIT_EXPECT_EQ(test, floor.ns, 10000U);
}

/* A path that has become longer is known as such after a window or two */
static void ttp_rtt_floor_is_forgotten(struct kunit *test)
{
	const u64 start = 5 * NSEC_PER_SEC, window = TTP_RTT_WINDOW_NS;
	struct ttp_rtt_floor floor = {};

	ttp_rtt_floor_sample(&floor, 10000, start);
	ttp_rtt_floor_sample(&floor, 50000, start + window - 1);
	KUNIT_EXPECT_EQ(test, floor.ns, 10000U);
	ttp_rtt_floor_sample(&floor, 50000, start + window);
	KUNIT_EXPECT_EQ(test, floor.ns, 10000U);
	ttp_rtt_floor_sample(&floor, 40000, start + 2 * window - 1);
	KUNIT_EXPECT_EQ(test, floor.ns, 10000U);
	/* no more than half in a window */
	ttp_rtt_floor_sample(&floor, 50000, start + 2 * window);
	KUNIT_EXPECT_EQ(test, floor.ns, 15000U);
	ttp_rtt_floor_sample(&floor, 50000, start + 3 * window);
	KUNIT_EXPECT_EQ(test, floor.ns, 22500U);
	ttp_rtt_floor_sample(&floor, 20000, start + 3 * window + 1);
	KUNIT_EXPECT_EQ(test, floor.ns, 20000U);
	/* one that cannot have been does not stay for ever */
	ttp_rtt_floor_sample(&floor, 1, start + 3 * window + 2);
	ttp_rtt_floor_sample(&floor, 20000, start + 4 * window);
	KUNIT_EXPECT_EQ(test, floor.ns, 1U);
	ttp_rtt_floor_sample(&floor, 20000, start + 5 * window);
	KUNIT_EXPECT_EQ(test, floor.ns, 1001U);
}

static void ttp_rtt_floor_after_a_pause(struct kunit *test)
{
	const u64 start = NSEC_PER_SEC, window = TTP_RTT_WINDOW_NS;
	struct ttp_rtt_floor floor = {};

	ttp_rtt_floor_sample(&floor, 60000, start);
	/* in the second window, whose start does not depend on when that is */
	ttp_rtt_floor_sample(&floor, 70000, start + 2 * window - 1);
	KUNIT_EXPECT_EQ(test, floor.ns, 60000U);
	ttp_rtt_floor_sample(&floor, 80000, start + 2 * window);
	KUNIT_EXPECT_EQ(test, floor.ns, 70000U);
	ttp_rtt_floor_sample(&floor, 90000, start + 9 * window);
	KUNIT_EXPECT_EQ(test, floor.ns, 90000U);
}

static void ttp_rtt_no_sample_waits_initial(struct kunit *test)
{
	struct ttp_rtt rtt = {};

	KUNIT_EXPECT_EQ(test,
			ttp_rtt_rto(&rtt, TTP_RTT_TEST_MIN_NS,
				    TTP_RTT_TEST_MAX_NS, 0, U32_MAX),
			(u64)TTP_RTT_INITIAL_RTO_NS);
	KUNIT_EXPECT_EQ(test,
			ttp_rtt_rto(&rtt, 2 * TTP_RTT_INITIAL_RTO_NS,
				    TTP_RTT_TEST_MAX_NS, 0, 0),
			2ULL * TTP_RTT_INITIAL_RTO_NS);
}

static void ttp_rtt_floor_is_added_to_smoothed(struct kunit *test)
{
	struct ttp_rtt rtt = { .srtt_ns = 20000, .var_ns = 100 };

	KUNIT_EXPECT_EQ(test,
			ttp_rtt_rto(&rtt, TTP_RTT_TEST_MIN_NS,
				    TTP_RTT_TEST_MAX_NS, 0, 0),
			20000ULL + TTP_RTT_TEST_MIN_NS);
	rtt.var_ns = TTP_RTT_TEST_MIN_NS / 4;		/* the same */
	KUNIT_EXPECT_EQ(test,
			ttp_rtt_rto(&rtt, TTP_RTT_TEST_MIN_NS,
				    TTP_RTT_TEST_MAX_NS, 0, 0),
			20000ULL + TTP_RTT_TEST_MIN_NS);
	rtt.var_ns++;					/* beyond it */
	KUNIT_EXPECT_EQ(test,
			ttp_rtt_rto(&rtt, TTP_RTT_TEST_MIN_NS,
				    TTP_RTT_TEST_MAX_NS, 0, 0),
			20004ULL + TTP_RTT_TEST_MIN_NS);
}

static void ttp_rtt_tries_double_up_to_ceiling(struct kunit *test)
{
	struct ttp_rtt rtt = { .srtt_ns = 1000000, .var_ns = 0 };
	unsigned int tries;
	u64 want;

	for (tries = 0; tries < 300; tries++) {
		want = TTP_RTT_TEST_MAX_NS;
		if (tries < 20)
			want = min(want, 2000000ULL << tries);
		KUNIT_EXPECT_EQ(test,
				ttp_rtt_rto(&rtt, TTP_RTT_TEST_MIN_NS,
					    TTP_RTT_TEST_MAX_NS, tries, 0),
				want);
	}
	/* also where the floor alone is above it */
	KUNIT_EXPECT_EQ(test, ttp_rtt_rto(&rtt, 5000000, 3000000, 0, 0),
			3000000ULL);
}

static void ttp_rtt_jitter_takes_up_to_a_quarter(struct kunit *test)
{
	struct ttp_rtt rtt = { .srtt_ns = 1000000, .var_ns = 0 };
	u64 lowest = U64_MAX, highest = 0, rto;
	struct rnd_state rnd;
	unsigned int i;

	/* 4 ms at the second try; none at the first */
	KUNIT_EXPECT_EQ(test, ttp_rtt_rto(&rtt, 1000000, U64_MAX, 0, U32_MAX),
			2000000ULL);
	KUNIT_EXPECT_EQ(test, ttp_rtt_rto(&rtt, 1000000, U64_MAX, 1, 0),
			4000000ULL);
	KUNIT_EXPECT_EQ(test, ttp_rtt_rto(&rtt, 1000000, U64_MAX, 1,
					  0x80000000), 3500000ULL);
	KUNIT_EXPECT_EQ(test, ttp_rtt_rto(&rtt, 1000000, U64_MAX, 1, U32_MAX),
			3000001ULL);
	prandom_seed_state(&rnd, 1);
	for (i = 0; i < 10000; i++) {
		rto = ttp_rtt_rto(&rtt, 1000000, U64_MAX, 1,
				  prandom_u32_state(&rnd));
		lowest = min(lowest, rto);
		highest = max(highest, rto);
	}
	KUNIT_EXPECT_GT(test, lowest, 3000000ULL);
	KUNIT_EXPECT_LE(test, highest, 4000000ULL);
	/* they spread */
	KUNIT_EXPECT_LT(test, lowest, 3010000ULL);
	KUNIT_EXPECT_GT(test, highest, 3990000ULL);
}

static void ttp_rtt_extremes_do_not_overflow(struct kunit *test)
{
	struct ttp_rtt rtt = {};
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		ttp_rtt_sample(&rtt, i & 1 ? 1 : TTP_RTT_MAX_NS);
		KUNIT_ASSERT_GE(test, rtt.srtt_ns, 1U);
		KUNIT_ASSERT_LE(test, rtt.srtt_ns, TTP_RTT_MAX_NS);
		KUNIT_ASSERT_LE(test, rtt.var_ns, TTP_RTT_MAX_NS);
	}
	rtt.srtt_ns = U32_MAX;
	rtt.var_ns = U32_MAX;
	KUNIT_EXPECT_EQ(test, ttp_rtt_rto(&rtt, 0, U64_MAX, 0, 0),
			5ULL * U32_MAX);
	KUNIT_EXPECT_EQ(test, ttp_rtt_rto(&rtt, U32_MAX, U64_MAX, UINT_MAX, 0),
			(5ULL * U32_MAX) << 20);
	KUNIT_EXPECT_EQ(test, ttp_rtt_rto(&rtt, U32_MAX, 0, UINT_MAX, U32_MAX),
			0ULL);
}

static struct kunit_case ttp_rtt_cases[] = {
	KUNIT_CASE(ttp_rtt_first_sample_sets_half_deviation),
	KUNIT_CASE(ttp_rtt_samples_follow_rfc6298),
	KUNIT_CASE(ttp_rtt_steady_samples_converge),
	KUNIT_CASE(ttp_rtt_absurd_samples_ignored),
	KUNIT_CASE(ttp_rtt_tiny_samples_stay_positive),
	KUNIT_CASE(ttp_rtt_floor_is_the_smallest),
	KUNIT_CASE(ttp_rtt_floor_is_forgotten),
	KUNIT_CASE(ttp_rtt_floor_after_a_pause),
	KUNIT_CASE(ttp_rtt_no_sample_waits_initial),
	KUNIT_CASE(ttp_rtt_floor_is_added_to_smoothed),
	KUNIT_CASE(ttp_rtt_tries_double_up_to_ceiling),
	KUNIT_CASE(ttp_rtt_jitter_takes_up_to_a_quarter),
	KUNIT_CASE(ttp_rtt_extremes_do_not_overflow),
	{}
};

static struct kunit_suite ttp_rtt_suite = {
	.name = "ttp_rtt",
	.test_cases = ttp_rtt_cases,
};

kunit_test_suite(ttp_rtt_suite);
