// SPDX-License-Identifier: GPL-2.0
/*
 * Ordered set of half-open ranges; see ranges.h.
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "ranges.h"

/**
 * struct ttp_range - a range beyond the prefix
 * @node: in ttp_ranges.root
 * @start: first number
 * @end: one after the last
 */
struct ttp_range {
	struct rb_node	node;
	u64		start;
	u64		end;
};

static struct ttp_range *ttp_range_of(struct rb_node *node)
{
	return node ? rb_entry(node, struct ttp_range, node) : NULL;
}

void ttp_ranges_init(struct ttp_ranges *set, u32 max)
{
	set->prefix = 0;
	set->root = RB_ROOT;
	set->nodes = 0;
	set->max = max;
}

static void ttp_ranges_erase(struct ttp_ranges *set, struct ttp_range *range)
{
	rb_erase(&range->node, &set->root);
	set->nodes--;
	kfree(range);
}

void ttp_ranges_free(struct ttp_ranges *set)
{
	struct ttp_range *range, *next;

	rbtree_postorder_for_each_entry_safe(range, next, &set->root, node)
		kfree(range);
	ttp_ranges_init(set, set->max);
}

/* The last range that starts at or below @at */
static struct ttp_range *ttp_ranges_below(const struct ttp_ranges *set, u64 at)
{
	struct rb_node *node = set->root.rb_node;
	struct ttp_range *best = NULL;

	while (node) {
		struct ttp_range *range = ttp_range_of(node);

		if (range->start <= at) {
			best = range;
			node = node->rb_right;
		} else {
			node = node->rb_left;
		}
	}
	return best;
}

static struct ttp_range *ttp_ranges_after(const struct ttp_ranges *set,
					  struct ttp_range *range)
{
	return ttp_range_of(range ? rb_next(&range->node) :
				    rb_first(&set->root));
}

bool ttp_ranges_gap(const struct ttp_ranges *set, u64 start, u64 end,
		    u64 *gap_start, u64 *gap_end)
{
	struct ttp_range *range, *next;

	start = max(start, set->prefix);
	range = ttp_ranges_below(set, start);
	if (range)
		start = max(start, range->end);
	if (start >= end)
		return false;
	next = ttp_ranges_after(set, range);
	*gap_start = start;
	*gap_end = next ? min(end, next->start) : end;
	return true;
}

/* Swallow the ranges that the prefix has reached */
static void ttp_ranges_absorb(struct ttp_ranges *set)
{
	struct ttp_range *range;

	while ((range = ttp_ranges_after(set, NULL)) &&
	       range->start <= set->prefix) {
		set->prefix = max(set->prefix, range->end);
		ttp_ranges_erase(set, range);
	}
}

void ttp_ranges_raise(struct ttp_ranges *set, u64 floor)
{
	if (floor <= set->prefix)
		return;
	set->prefix = floor;
	ttp_ranges_absorb(set);
}

static void ttp_ranges_link(struct ttp_ranges *set, struct ttp_range *new)
{
	struct rb_node **link = &set->root.rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		if (new->start < ttp_range_of(parent)->start)
			link = &parent->rb_left;
		else
			link = &parent->rb_right;
	}
	rb_link_node(&new->node, parent, link);
	rb_insert_color(&new->node, &set->root);
	set->nodes++;
}

int ttp_ranges_add(struct ttp_ranges *set, u64 start, u64 end)
{
	struct ttp_range *left, *right, *new;

	if (start == set->prefix) {
		ttp_ranges_raise(set, end);
		return 0;
	}
	left = ttp_ranges_below(set, start);
	right = ttp_ranges_after(set, left);
	if (right && right->start == end) {
		right->start = start;
		if (left && left->end == start) {
			right->start = left->start;
			ttp_ranges_erase(set, left);
		}
		return 0;
	}
	if (left && left->end == start) {
		left->end = end;
		return 0;
	}
	if (set->nodes >= set->max)
		return -ENOSPC;
	new = kmalloc_obj(*new, GFP_ATOMIC | __GFP_NOWARN);
	if (!new)
		return -ENOMEM;
	new->start = start;
	new->end = end;
	ttp_ranges_link(set, new);
	return 0;
}
