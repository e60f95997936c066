// SPDX-License-Identifier: GPL-2.0
/*
 * What the scheduler learns of senders and of the network from what arrives.
 */
#include "sched_test.h"

/* Rounds of @msg's window arrive, with what @news says, and are granted again */
static void ttp_sched_rounds(struct ttp_sched_test *t,
			     struct ttp_sched_msg *msg, unsigned int rounds,
			     struct ttp_sched_news *news)
{
	while (rounds--) {
		news->bytes = msg->granted - msg->received;
		ttp_sched_arrived(&t->s, msg, msg->granted);
		ttp_sched_learn(&t->s, msg, t->rules.overcommit, news);
		ttp_sched_go(t);
	}
}

static void ttp_sched_stuck_message_gets_less(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *a = ttp_sched_msg(t, 0, 0, 10000000);
	struct ttp_sched_msg *b = ttp_sched_msg(t, 1, 1, 10000000);
	struct ttp_sched_news news = {
		.packet = 1500, .granted = true, .judged = true,
	};

	/* What is sent at once is not stuck */
	news.unsent = t->window / 2;
	ttp_sched_rounds(t, a, 20, &news);
	KUNIT_EXPECT_EQ(test, a->granted - a->received, t->window);
	news.unsent = t->window;
	ttp_sched_rounds(t, a, 20, &news);
	KUNIT_EXPECT_LE(test, a->granted - a->received, 2U * 1500);
	/* The other one, also of the same sender, is not concerned */
	KUNIT_EXPECT_EQ(test, b->granted - b->received, t->window);
	a = ttp_sched_msg(t, 2, 0, 100000);
	ttp_sched_go(t);
	KUNIT_EXPECT_EQ(test, a->granted - a->received, t->window);
}

static void ttp_sched_late_sender_gets_less(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *a = ttp_sched_msg(t, 0, 0, 10000000);
	struct ttp_sched_msg *b = ttp_sched_msg(t, 1, 1, 10000000);
	struct ttp_sched_news news = {
		.packet = 1500, .granted = true, .judged = true,
	};

	KUNIT_EXPECT_FALSE(test, ttp_sched_slowed(&t->peer[0]));
	news.timed = true;
	news.late = true;
	ttp_sched_rounds(t, a, 1, &news);
	/* What is not timed is as the last that was */
	news.timed = false;
	news.late = false;
	ttp_sched_rounds(t, a, 60, &news);
	KUNIT_EXPECT_TRUE(test, ttp_sched_slowed(&t->peer[0]));
	KUNIT_EXPECT_LE(test, a->granted - a->received, 2U * 1500);
	ttp_sched_go(t);
	KUNIT_EXPECT_EQ(test, b->granted - b->received, t->window);
	/* All of that sender get less */
	ttp_sched_del(&t->s, a);
	a = ttp_sched_msg(t, 2, 0, 10000000);
	a->granted = a->received;
	ttp_sched_go(t);
	KUNIT_EXPECT_LE(test, a->granted - a->received, 2U * 1500);
	/* What is not granted says nothing */
	news.granted = false;
	news.timed = true;
	ttp_sched_rounds(t, a, 20, &news);
	KUNIT_EXPECT_TRUE(test, ttp_sched_slowed(&t->peer[0]));
	news.granted = true;
	/* until they are in time again */
	news.timed = true;
	ttp_sched_rounds(t, a, 20, &news);
	KUNIT_EXPECT_GT(test, ttp_share_of(&t->peer[0].path, t->window),
			10U * 1500);
	/* or nobody looks */
	t->peer[0].path.bytes = 1500;
	t->peer[0].late = true;
	news.judged = false;
	ttp_sched_rounds(t, a, 1, &news);
	KUNIT_EXPECT_FALSE(test, ttp_sched_slowed(&t->peer[0]));
}

static void ttp_sched_losses_take_from_all(struct kunit *test)
{
	struct ttp_sched_test *t = test->priv;
	struct ttp_sched_msg *a = ttp_sched_msg(t, 0, 0, 10000000);
	struct ttp_sched_msg *b = ttp_sched_msg(t, 1, 1, 10000000);
	struct ttp_sched_news news = {
		.packet = 1500, .granted = true, .judged = true,
	};
	unsigned int i;

	t->rules.incoming = 0;
	ttp_sched_rounds(t, a, 10, &news);
	KUNIT_EXPECT_EQ(test, t->s.incoming, 2ULL * t->window);
	news.again = true;
	ttp_sched_rounds(t, a, 40, &news);
	ttp_sched_rounds(t, b, 40, &news);
	KUNIT_EXPECT_LE(test, t->s.incoming, (u64)t->window);
	KUNIT_EXPECT_GT(test, t->s.incoming, (u64)t->window / 2);
	/* That of the administrator is not touched */
	t->rules.incoming = 2 * t->window;
	ttp_sched_go(t);
	KUNIT_EXPECT_GT(test, t->s.incoming, (u64)t->window * 3 / 2);
	t->rules.incoming = 0;
	news.again = false;
	for (i = 0; i < 200; i++) {
		ttp_sched_rounds(t, a, 1, &news);
		ttp_sched_rounds(t, b, 1, &news);
	}
	KUNIT_EXPECT_EQ(test, ttp_share_of(&t->s.all, 2 * t->window),
			2 * t->window);
	KUNIT_EXPECT_GT(test, t->s.incoming, (u64)t->window * 3 / 2);
}

static struct kunit_case ttp_sched_learn_cases[] = {
	KUNIT_CASE(ttp_sched_stuck_message_gets_less),
	KUNIT_CASE(ttp_sched_late_sender_gets_less),
	KUNIT_CASE(ttp_sched_losses_take_from_all),
	{}
};

static struct kunit_suite ttp_sched_learn_suite = {
	.name = "ttp_sched_learn",
	.init = ttp_sched_setup,
	.test_cases = ttp_sched_learn_cases,
};

kunit_test_suite(ttp_sched_learn_suite);
