// SPDX-License-Identifier: GPL-2.0
/*
 * Which incoming messages may send how much.
 */
#include "sched_test.h"

static void ttp_sched_empty_grants_nothing(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 0U);
	t->s.owed = 2 * TTP_SRPT_QUANTUM;
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 0U);
	/* one that is not known */
	ttp_sched_del(&t->s, &t->msg[0]);
	KUNIT_EXPECT_EQ(test, t->s.incoming, 0ULL);
}

static void ttp_sched_short_message_only_counts(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *m = ttp_sched_msg(t, 0, 0, 8000);

	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 0U);
	KUNIT_EXPECT_EQ(test, t->s.incoming, 7000ULL);
	ttp_sched_arrived(&t->s, m, 5000);
	KUNIT_EXPECT_EQ(test, t->s.incoming, 3000ULL);
	/* more than was granted, from a sender that does not care */
	ttp_sched_arrived(&t->s, m, 9000);
	KUNIT_EXPECT_EQ(test, t->s.incoming, 0ULL);
	ttp_sched_del(&t->s, m);
	KUNIT_EXPECT_EQ(test, t->s.incoming, 0ULL);
}

static void ttp_sched_window_is_kept(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *m = ttp_sched_msg(t, 0, 0, 100000);

	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_PTR_EQ(test, t->picks[0], m);
	KUNIT_EXPECT_EQ(test, m->granted, 21000U);
	KUNIT_EXPECT_EQ(test, t->s.incoming, 20000ULL);
	/* less than a step: not worth a GRANT */
	ttp_sched_arrived(&t->s, m, 5999);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 0U);
	ttp_sched_arrived(&t->s, m, 6000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, m->granted, 26000U);
	/* unless it is the end */
	ttp_sched_arrived(&t->s, m, 79000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	ttp_sched_arrived(&t->s, m, 80000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, m->granted, 100000U);
	ttp_sched_arrived(&t->s, m, 90000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 0U);
	KUNIT_EXPECT_TRUE(test, list_empty(&t->s.by_age));
}

static void ttp_sched_least_left_is_granted(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *a = ttp_sched_msg(t, 0, 0, 300000);
	struct ttp_sched_msg *b = ttp_sched_msg(t, 1, 1, 100000);
	struct ttp_sched_msg *c = ttp_sched_msg(t, 2, 2, 200000);

	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 2U);
	KUNIT_EXPECT_PTR_EQ(test, t->picks[0], b);
	KUNIT_EXPECT_PTR_EQ(test, t->picks[1], c);
	KUNIT_EXPECT_EQ(test, a->granted, 10000U);
	/* two of three levels are used, the lowest two */
	KUNIT_EXPECT_EQ(test, b->level, 1);
	KUNIT_EXPECT_EQ(test, c->level, 0);
	/* more has come of another, so that it is before them */
	ttp_sched_arrived(&t->s, a, 250000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_PTR_EQ(test, t->picks[0], a);
	KUNIT_EXPECT_EQ(test, a->level, 1);
}

static void ttp_sched_more_than_levels_share_the_lowest(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	unsigned int i;

	t->rules.overcommit = 5;
	for (i = 0; i < 5; i++)
		ttp_sched_msg(t, i, i, 100000 + i);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 5U);
	KUNIT_EXPECT_EQ(test, t->msg[0].level, 2);
	KUNIT_EXPECT_EQ(test, t->msg[1].level, 1);
	KUNIT_EXPECT_EQ(test, t->msg[2].level, 0);
	KUNIT_EXPECT_EQ(test, t->msg[4].level, 0);
}

static void ttp_sched_one_message_of_a_sender(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *a = ttp_sched_msg(t, 0, 0, 30000);
	struct ttp_sched_msg *b = ttp_sched_msg(t, 1, 0, 40000);
	struct ttp_sched_msg *c = ttp_sched_msg(t, 2, 1, 90000);

	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 2U);
	KUNIT_EXPECT_EQ(test, a->granted, 21000U);
	KUNIT_EXPECT_EQ(test, b->granted, 10000U);
	KUNIT_EXPECT_EQ(test, c->granted, 21000U);
	/* the next one before the former has ended */
	ttp_sched_arrived(&t->s, a, 10000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, a->granted, 30000U);
	KUNIT_EXPECT_TRUE(test, t->again);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, b->granted, 21000U);
}

static void ttp_sched_all_together_are_limited(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *a = ttp_sched_msg(t, 0, 0, 300000);
	struct ttp_sched_msg *b = ttp_sched_msg(t, 1, 1, 400000);

	t->rules.incoming = 36000;
	KUNIT_EXPECT_EQ(test, t->s.incoming, 18000ULL);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 2U);
	KUNIT_EXPECT_EQ(test, a->granted, 21000U);
	KUNIT_EXPECT_EQ(test, b->granted, 17000U);
	KUNIT_EXPECT_EQ(test, t->s.incoming, 36000ULL);
	/* a limit that became smaller */
	t->rules.incoming = 1000;
	ttp_sched_arrived(&t->s, a, 10000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 0U);
}

static void ttp_sched_automatic_limit_follows_windows(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;

	t->rules.incoming = 0;
	ttp_sched_msg(t, 0, 0, 100000);
	t->window = 50000;
	ttp_sched_msg(t, 1, 1, 200000);
	ttp_sched_msg(t, 2, 2, 300000);
	/* those that all have without a grant */
	KUNIT_EXPECT_EQ(test, t->s.incoming, 27000ULL);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 2U);
	KUNIT_EXPECT_EQ(test, t->s.incoming, 79000ULL);
	t->s.incoming = 100000;
	ttp_sched_arrived(&t->s, &t->msg[1], 20000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, t->s.incoming, 100000ULL);
}

static void ttp_sched_stalled_makes_way(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *a = ttp_sched_msg(t, 0, 0, 100000);
	struct ttp_sched_msg *b = ttp_sched_msg(t, 1, 1, 200000);

	t->rules.overcommit = 1;
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, b->granted, 10000U);
	ttp_sched_stall(&t->s, a);
	KUNIT_EXPECT_EQ(test, t->s.incoming, 9000ULL);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, b->granted, 21000U);
	/* and goes on when something arrives */
	ttp_sched_arrived(&t->s, a, 9000);
	KUNIT_EXPECT_EQ(test, t->s.incoming, 32000ULL);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, a->granted, 29000U);
}

static void ttp_sched_blocked_makes_way(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *a = ttp_sched_msg(t, 0, 0, 100000);
	struct ttp_sched_msg *b = ttp_sched_msg(t, 1, 1, 200000);

	t->rules.overcommit = 1;
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_PTR_EQ(test, t->picks[0], a);
	ttp_sched_block(&t->s, a, 10000);
	KUNIT_EXPECT_EQ(test, a->granted, 10000U);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_PTR_EQ(test, t->picks[0], b);
	/* what arrives makes no room */
	ttp_sched_arrived(&t->s, a, 9000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 0U);
	ttp_sched_unblock(&t->s, a, 10000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, a->granted, 29000U);
	ttp_sched_del(&t->s, a);
	ttp_sched_del(&t->s, b);
	KUNIT_EXPECT_EQ(test, t->s.incoming, 0ULL);
	KUNIT_EXPECT_TRUE(test, list_empty(&t->s.by_age));
	KUNIT_EXPECT_TRUE(test, ttp_srpt_empty(&t->s.peers));
}

/* The longest message comes first, and a stream of shorter ones after it */
static void ttp_sched_oldest_gets_its_share(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *old = ttp_sched_msg(t, 0, 0, 1000000);
	u64 others = 0;
	unsigned int i;
	u32 before;

	t->rules.overcommit = 1;
	for (i = 0; i < 200; i++) {
		struct ttp_sched_msg *m = ttp_sched_msg(t, 1, 1, 100000);

		while (m->granted < m->len) {
			before = m->granted;
			ttp_sched_go(t);
			others += m->granted - before;
			ttp_sched_arrived(&t->s, m, m->granted);
			ttp_sched_arrived(&t->s, old, old->granted);
		}
		ttp_sched_del(&t->s, m);
	}
	KUNIT_EXPECT_GE(test, old->granted - 10000ULL, others / 25);
	KUNIT_EXPECT_LE(test, old->granted - 10000ULL, others / 15);
}

/* Among the first, but not the first: what it is granted waits behind others */
static void ttp_sched_oldest_overtakes_itself(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *old = ttp_sched_msg(t, 0, 0, 1000000);
	struct ttp_sched_msg *a = ttp_sched_msg(t, 1, 1, 500000);

	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 2U);
	KUNIT_EXPECT_EQ(test, old->granted, 21000U);
	KUNIT_EXPECT_EQ(test, old->level, 0);
	/* the other one goes on, this one does not, until enough is owed */
	while (t->s.owed < (s64)TTP_SRPT_QUANTUM) {
		ttp_sched_arrived(&t->s, a, a->granted);
		KUNIT_ASSERT_EQ(test, ttp_sched_go(t), 1U);
		KUNIT_ASSERT_EQ(test, old->granted, 21000U);
	}
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_PTR_EQ(test, t->picks[0], old);
	KUNIT_EXPECT_EQ(test, old->granted, 21000U + TTP_SRPT_QUANTUM);
	KUNIT_EXPECT_EQ(test, old->level, 2);
	/* that has come: what was granted before still waits */
	ttp_sched_arrived(&t->s, old, 1000 + TTP_SRPT_QUANTUM);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 0U);
	/* now all of it is here */
	ttp_sched_arrived(&t->s, old, old->granted);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, old->granted, 21000U + TTP_SRPT_QUANTUM + 20000U);
	KUNIT_EXPECT_EQ(test, old->level, 0);
}

/* What has nobody before it need not overtake itself, and goes on */
static void ttp_sched_oldest_is_first_at_last(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *old = ttp_sched_msg(t, 0, 0, 1000000);
	struct ttp_sched_msg *a = ttp_sched_msg(t, 1, 1, 500000);

	ttp_sched_go(t);
	t->s.owed = TTP_SRPT_QUANTUM;
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_TRUE(test, old->favoured);
	ttp_sched_arrived(&t->s, old, 1000 + TTP_SRPT_QUANTUM + 5000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 0U);
	ttp_sched_del(&t->s, a);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, old->granted, 1000U + TTP_SRPT_QUANTUM + 25000U);
}

/* What has more left does not overtake the last bytes of what has less */
static void ttp_sched_last_bytes_are_not_overtaken(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *m = ttp_sched_msg(t, 0, 0, 20000);
	struct ttp_sched_msg *a, *b, *c;

	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, m->granted, 20000U);
	KUNIT_EXPECT_EQ(test, m->level, 0);
	a = ttp_sched_msg(t, 1, 1, 100000);
	b = ttp_sched_msg(t, 2, 2, 200000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 2U);
	KUNIT_EXPECT_EQ(test, a->level, 0);
	KUNIT_EXPECT_EQ(test, b->level, 0);
	/* it is said to be at a higher one after all */
	ttp_sched_lowest(&t->s, m, 1);
	ttp_sched_lowest(&t->s, a, 1);
	ttp_sched_arrived(&t->s, a, 20000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, a->level, 1);
	/* lost, it stops nobody; nor does it when it is here */
	t->rules.overcommit = 3;
	c = ttp_sched_msg(t, 3, 3, 50000);
	ttp_sched_lowest(&t->s, m, 0);
	ttp_sched_stall(&t->s, m);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, c->level, 2);
	ttp_sched_arrived(&t->s, m, 19000);
	ttp_sched_arrived(&t->s, c, 15000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, c->level, 0);
	ttp_sched_arrived(&t->s, m, 20000);
	ttp_sched_arrived(&t->s, c, 22000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, c->level, 2);
}

/* Nor what of it is on its way at a lower level than it has now */
static void ttp_sched_lower_bytes_are_not_overtaken(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *a = ttp_sched_msg(t, 0, 0, 100000);
	struct ttp_sched_msg *b, *c;

	t->rules.overcommit = 3;
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, a->level, 0);
	b = ttp_sched_msg(t, 1, 1, 200000);
	c = ttp_sched_msg(t, 2, 2, 50000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 2U);
	KUNIT_EXPECT_EQ(test, c->level, 2);
	KUNIT_EXPECT_EQ(test, b->level, 0);
	/* raised, but some of it is still below */
	ttp_sched_arrived(&t->s, a, 15000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, a->level, 1);
	ttp_sched_lowest(&t->s, c, 1);
	ttp_sched_lowest(&t->s, a, 0);
	ttp_sched_arrived(&t->s, c, 10000);
	ttp_sched_arrived(&t->s, b, 15000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 2U);
	KUNIT_EXPECT_EQ(test, c->level, 2);
	KUNIT_EXPECT_EQ(test, c->lowest, 1);
	KUNIT_EXPECT_EQ(test, b->level, 0);
}

/* Where levels do not tell them apart nothing overtakes, and nothing has to wait */
static void ttp_sched_one_level_favours_none(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *old = ttp_sched_msg(t, 0, 0, 1000000);

	ttp_sched_msg(t, 1, 1, 500000);
	t->rules.levels = 1;
	ttp_sched_go(t);
	t->s.owed = TTP_SRPT_QUANTUM;
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 0U);
	KUNIT_EXPECT_FALSE(test, old->favoured);
	/* nor if the level could not be raised */
	t->rules.levels = 3;
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_TRUE(test, old->favoured);
	ttp_sched_levelled(old, 2);
	KUNIT_EXPECT_TRUE(test, old->favoured);
	ttp_sched_levelled(old, 0);
	KUNIT_EXPECT_FALSE(test, old->favoured);
	KUNIT_EXPECT_EQ(test, old->level, 0);
}

/* One that got all by that makes way, too */
static void ttp_sched_favoured_to_the_end(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *old = ttp_sched_msg(t, 0, 0, 25000);

	ttp_sched_msg(t, 1, 1, 20000);
	ttp_sched_go(t);
	KUNIT_EXPECT_EQ(test, old->granted, 21000U);
	ttp_sched_msg(t, 2, 2, 22000);
	t->s.owed = TTP_SRPT_QUANTUM;
	ttp_sched_go(t);
	KUNIT_EXPECT_EQ(test, old->granted, 25000U);
	KUNIT_EXPECT_TRUE(test, t->again);
}

/* What its sender does not send is not its due */
static void ttp_sched_share_is_bounded(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *old = ttp_sched_msg(t, 0, 0, 1000000);
	unsigned int i;

	ttp_sched_msg(t, 1, 1, 500000);
	ttp_sched_go(t);
	for (i = 0; i < 5; i++) {
		t->s.owed = TTP_SRPT_QUANTUM;
		ttp_sched_go(t);
	}
	KUNIT_EXPECT_EQ(test, old->granted, 21000U + 2 * TTP_SRPT_QUANTUM);
}

/* What is too little for a packet is not granted, whatever the limit */
static void ttp_sched_share_is_a_packet(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *old = ttp_sched_msg(t, 0, 0, 1000000);
	struct ttp_sched_msg *a = ttp_sched_msg(t, 1, 1, 500000);

	ttp_sched_arrived(&t->s, old, 10000);
	ttp_sched_arrived(&t->s, a, 9700);
	t->rules.incoming = 400;
	t->s.owed = TTP_SRPT_QUANTUM;
	ttp_sched_go(t);
	KUNIT_EXPECT_EQ(test, old->granted, 10000U);
	ttp_sched_arrived(&t->s, a, a->granted);
	t->s.owed = TTP_SRPT_QUANTUM;
	ttp_sched_go(t);
	KUNIT_EXPECT_EQ(test, old->granted, 10400U);
}

/* The limit for all holds for the share as well */
static void ttp_sched_share_keeps_the_limit(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *old = ttp_sched_msg(t, 0, 0, 1000000);

	ttp_sched_msg(t, 1, 1, 500000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 2U);
	t->s.owed = TTP_SRPT_QUANTUM;
	t->rules.incoming = t->s.incoming;
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 0U);
	t->rules.incoming += TTP_SRPT_QUANTUM / 4 - 1;
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 0U);
	t->rules.incoming++;
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, old->granted, 21000U + TTP_SRPT_QUANTUM / 4);
	/* the first has its turn anyway */
	t->rules.incoming = 1000000;
	t->s.owed = TTP_SRPT_QUANTUM;
	ttp_sched_arrived(&t->s, old, 600000);
	old->granted = 600000;
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, old->level, 1);
}

static void ttp_sched_who_got_all_makes_way(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	unsigned int i;

	t->window = 1000000;
	t->rules.incoming = U32_MAX;
	t->rules.overcommit = 1;
	for (i = 0; i < 3; i++)
		ttp_sched_msg(t, i, i, 20000);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
		KUNIT_EXPECT_TRUE(test, t->again);
	}
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 0U);
	KUNIT_EXPECT_FALSE(test, t->again);
}

/* Two decisions were on the way: the first found no room, the second did */
static void ttp_sched_unblock_knows_what_was_given(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *a = ttp_sched_msg(t, 0, 0, 100000);

	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	ttp_sched_block(&t->s, a, 10000);
	KUNIT_EXPECT_EQ(test, t->s.incoming, 9000ULL);
	ttp_sched_unblock(&t->s, a, 21000);
	KUNIT_EXPECT_EQ(test, a->granted, 21000U);
	KUNIT_EXPECT_EQ(test, t->s.incoming, 20000ULL);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 0U);
}

static void ttp_sched_tiny_limit_still_grants(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *a = ttp_sched_msg(t, 0, 0, 100000);

	t->rules.incoming = 1500;
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 0U);
	ttp_sched_arrived(&t->s, a, 10000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
	KUNIT_EXPECT_EQ(test, a->granted, 11500U);
}

/* The oldest that is among the first has no second turn, and no higher level */
static void ttp_sched_rest_too_small_does_not_count(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *a = ttp_sched_msg(t, 0, 0, 100000);

	ttp_sched_arrived(&t->s, a, 10000 - TTP_WIRE_MIN_SEGMENT);
	KUNIT_EXPECT_EQ(test, t->s.incoming, (u64)TTP_WIRE_MIN_SEGMENT);
	ttp_sched_arrived(&t->s, a, 10001 - TTP_WIRE_MIN_SEGMENT);
	KUNIT_EXPECT_EQ(test, t->s.incoming, 0ULL);
	/* nor is it granted alone */
	t->rules.incoming = TTP_WIRE_MIN_SEGMENT - 1;
	ttp_sched_arrived(&t->s, a, 10000);
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 0U);
	t->rules.incoming = TTP_WIRE_MIN_SEGMENT;
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 1U);
}

static void ttp_sched_lone_message_has_lowest_level(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *a = ttp_sched_msg(t, 0, 0, 1000000);

	while (a->granted < a->len) {
		KUNIT_ASSERT_EQ(test, ttp_sched_go(t), 1U);
		KUNIT_ASSERT_EQ(test, a->level, 0);
		ttp_sched_arrived(&t->s, a, a->granted);
	}
	KUNIT_EXPECT_EQ(test, ttp_sched_go(t), 0U);
	KUNIT_EXPECT_EQ(test, t->s.owed, 0LL);
}

static void ttp_sched_counts_senders(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *a = ttp_sched_msg(t, 0, 0, 100000);
	struct ttp_sched_msg *b = ttp_sched_msg(t, 1, 0, 100000);

	KUNIT_EXPECT_EQ(test, t->s.senders, 1U);
	ttp_sched_msg(t, 2, 1, 100000);
	KUNIT_EXPECT_EQ(test, t->s.senders, 2U);
	ttp_sched_del(&t->s, a);
	ttp_sched_del(&t->s, a);
	KUNIT_EXPECT_EQ(test, t->s.senders, 2U);
	ttp_sched_del(&t->s, b);
	KUNIT_EXPECT_EQ(test, t->s.senders, 1U);
}

static struct kunit_case ttp_sched_cases[] = {
	KUNIT_CASE(ttp_sched_empty_grants_nothing),
	KUNIT_CASE(ttp_sched_counts_senders),
	KUNIT_CASE(ttp_sched_short_message_only_counts),
	KUNIT_CASE(ttp_sched_window_is_kept),
	KUNIT_CASE(ttp_sched_least_left_is_granted),
	KUNIT_CASE(ttp_sched_more_than_levels_share_the_lowest),
	KUNIT_CASE(ttp_sched_one_message_of_a_sender),
	KUNIT_CASE(ttp_sched_all_together_are_limited),
	KUNIT_CASE(ttp_sched_automatic_limit_follows_windows),
	KUNIT_CASE(ttp_sched_stalled_makes_way),
	KUNIT_CASE(ttp_sched_blocked_makes_way),
	KUNIT_CASE(ttp_sched_oldest_gets_its_share),
	KUNIT_CASE(ttp_sched_oldest_overtakes_itself),
	KUNIT_CASE(ttp_sched_oldest_is_first_at_last),
	KUNIT_CASE(ttp_sched_last_bytes_are_not_overtaken),
	KUNIT_CASE(ttp_sched_lower_bytes_are_not_overtaken),
	KUNIT_CASE(ttp_sched_one_level_favours_none),
	KUNIT_CASE(ttp_sched_favoured_to_the_end),
	KUNIT_CASE(ttp_sched_share_is_bounded),
	KUNIT_CASE(ttp_sched_share_is_a_packet),
	KUNIT_CASE(ttp_sched_share_keeps_the_limit),
	KUNIT_CASE(ttp_sched_who_got_all_makes_way),
	KUNIT_CASE(ttp_sched_unblock_knows_what_was_given),
	KUNIT_CASE(ttp_sched_tiny_limit_still_grants),
	KUNIT_CASE(ttp_sched_rest_too_small_does_not_count),
	KUNIT_CASE(ttp_sched_lone_message_has_lowest_level),
	{}
};

static struct kunit_suite ttp_sched_suite = {
	.name = "ttp_sched",
	.init = ttp_sched_setup,
	.test_cases = ttp_sched_cases,
};

kunit_test_suite(ttp_sched_suite);
