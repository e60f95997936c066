// SPDX-License-Identifier: GPL-2.0
/*
 * Who is next; see srpt.h.
 */
#include <linux/kernel.h>

#include "srpt.h"

static bool ttp_srpt_less_left(struct rb_node *a, const struct rb_node *b)
{
	const struct ttp_srpt_node *x, *y;

	x = rb_entry(a, struct ttp_srpt_node, by_left);
	y = rb_entry(b, struct ttp_srpt_node, by_left);
	return x->left < y->left || (x->left == y->left && x->born < y->born);
}

void ttp_srpt_init(struct ttp_srpt *q)
{
	q->by_left = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&q->by_age);
	q->owed = 0;
}

void ttp_srpt_put(struct ttp_srpt *q, struct ttp_srpt_node *node, u32 left,
		  u64 born)
{
	if (node->in && node->left == left)
		return;
	if (node->in) {
		rb_erase_cached(&node->by_left, &q->by_left);
	} else {
		node->in = true;
		node->born = born;
		list_add_tail(&node->age, &q->by_age);
	}
	node->left = left;
	rb_add_cached(&node->by_left, &q->by_left, ttp_srpt_less_left);
}

void ttp_srpt_del(struct ttp_srpt *q, struct ttp_srpt_node *node)
{
	if (!node->in)
		return;
	node->in = false;
	rb_erase_cached(&node->by_left, &q->by_left);
	list_del(&node->age);
}

struct ttp_srpt_node *ttp_srpt_first(const struct ttp_srpt *q)
{
	struct rb_node *rb = rb_first_cached(&q->by_left);

	return rb ? rb_entry(rb, struct ttp_srpt_node, by_left) : NULL;
}

struct ttp_srpt_node *ttp_srpt_after(const struct ttp_srpt_node *node)
{
	struct rb_node *rb = rb_next(&node->by_left);

	return rb ? rb_entry(rb, struct ttp_srpt_node, by_left) : NULL;
}

bool ttp_srpt_before(const struct ttp_srpt *q,
		     const struct ttp_srpt_node *node, u32 left)
{
	const struct ttp_srpt_node *first = ttp_srpt_first(q);

	return !first || first == node || left < first->left;
}

struct ttp_srpt_node *ttp_srpt_next(struct ttp_srpt *q, bool *oldest)
{
	*oldest = q->owed >= (s64)TTP_SRPT_QUANTUM;
	if (!*oldest)
		return ttp_srpt_first(q);
	return list_first_entry_or_null(&q->by_age, struct ttp_srpt_node, age);
}

void ttp_srpt_served(struct ttp_srpt *q, bool oldest, u32 bytes)
{
	/* With nobody else there, nothing is owed */
	if (ttp_srpt_empty(q))
		q->owed = 0;
	else if (oldest)
		q->owed -= bytes;
	else
		q->owed = min_t(s64, q->owed + bytes / TTP_SRPT_SHARE,
				2 * TTP_SRPT_QUANTUM);
}
