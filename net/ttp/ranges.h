/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An ordered set of half-open ranges [start, end) of 64-bit numbers.
 *
 * Layer 0.  Used for the received bytes of a message and for the RPC ids that
 * a peer has used up.  What is contiguous from zero costs nothing; each range
 * beyond the first hole is one small node in a red-black tree (the work per
 * packet stays logarithmic whatever a peer sends).  Not locked: the owner is.
 */
#ifndef _NET_TTP_RANGES_H
#define _NET_TTP_RANGES_H

#include <linux/rbtree.h>
#include <linux/types.h>

/**
 * struct ttp_ranges - the set
 * @prefix: all numbers below are in the set
 * @root: ranges that start above @prefix, disjoint and not adjacent
 * @nodes: how many there are
 * @max: how many there may be
 */
struct ttp_ranges {
	u64		prefix;
	struct rb_root	root;
	u32		nodes;
	u32		max;
};

/**
 * ttp_ranges_init() - make an empty set
 * @set: the set
 * @max: nodes it may grow to, which bounds its memory
 *
 * Context: any.
 */
void ttp_ranges_init(struct ttp_ranges *set, u32 max);

/**
 * ttp_ranges_free() - empty a set and free its memory
 * @set: the set
 *
 * Context: any; the owner's lock or no other user.
 */
void ttp_ranges_free(struct ttp_ranges *set);

/**
 * ttp_ranges_gap() - find the first missing piece of a range
 * @set: the set
 * @start: first number
 * @end: one after the last
 * @gap_start: first missing number
 * @gap_end: one after the last one of that piece, at most @end
 *
 * Context: any; the owner's lock.
 * Return: false if all of [@start, @end) is in the set.
 */
bool ttp_ranges_gap(const struct ttp_ranges *set, u64 start, u64 end,
		    u64 *gap_start, u64 *gap_end);

/**
 * ttp_ranges_add() - add a piece that ttp_ranges_gap() found
 * @set: the set
 * @start: first number; none of [@start, @end) may be in the set
 * @end: one after the last
 *
 * Context: any; the owner's lock.  Allocates with GFP_ATOMIC.
 * Return: 0; -ENOSPC if it would need more than the allowed nodes; -ENOMEM.
 * The set is unchanged on errors.
 */
int ttp_ranges_add(struct ttp_ranges *set, u64 start, u64 end);

/**
 * ttp_ranges_raise() - add everything below a number
 * @set: the set
 * @floor: the number
 *
 * Context: any; the owner's lock.
 */
void ttp_ranges_raise(struct ttp_ranges *set, u64 floor);

#endif /* _NET_TTP_RANGES_H */
