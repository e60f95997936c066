/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A scheduler with messages of some senders, for its tests.
 */
#ifndef _NET_TTP_TESTS_SCHED_TEST_H
#define _NET_TTP_TESTS_SCHED_TEST_H

#include <kunit/test.h>

#include "../sched.h"
#include "../wire.h"

#define PEERS	6

struct ttp_sched_test {
	struct ttp_sched	s;
	struct ttp_sched_peer	peer[PEERS];
	struct ttp_sched_msg	msg[2 * PEERS];
	struct ttp_sched_msg	*picks[TTP_SCHED_PICKS];
	bool			again;
	struct ttp_sched_rules	rules;
	u32			window;
};

static inline int ttp_sched_setup(struct kunit *test)
{
	struct ttp_sched_test *t;
	unsigned int i;

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	if (!t)
		return -ENOMEM;
	ttp_sched_init(&t->s);
	for (i = 0; i < PEERS; i++)
		ttp_sched_peer_init(&t->peer[i]);
	t->rules = (struct ttp_sched_rules) {
		.incoming = 1000000, .overcommit = 2, .levels = 3,
	};
	t->window = 20000;
	test->priv = t;
	return 0;
}

static inline struct ttp_sched_msg *
ttp_sched_msg(struct ttp_sched_test *t, unsigned int i, unsigned int peer,
	      u32 len)
{
	struct ttp_sched_msg *m = &t->msg[i];

	m->len = len;
	m->received = 1000;
	m->granted = min(len, 10000U);
	m->window = t->window;
	ttp_sched_add(&t->s, &t->peer[peer], m);
	return m;
}

static inline unsigned int ttp_sched_go(struct ttp_sched_test *t)
{
	return ttp_sched_run(&t->s, &t->rules, t->picks, &t->again);
}

#endif /* _NET_TTP_TESTS_SCHED_TEST_H */
