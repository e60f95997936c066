/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Priority levels: which one a packet is sent at.
 *
 * Layer 0.  Of n levels the highest, n - 1, is for control packets; below come
 * those of data that goes without a grant, the shortest messages highest; the
 * lowest are the receiver's, for what it grants.  With few levels they share.
 */
#ifndef _NET_TTP_LEVEL_H
#define _NET_TTP_LEVEL_H

#include <linux/types.h>

/* Levels there can be */
#define TTP_LEVELS	8U
/* Those for data without a grant, of all: from this one up, but the highest */
#define TTP_LEVEL_UNSCHED	3U
/* Lengths are counted in so many buckets, each up to a quarter longer */
#define TTP_LEVEL_BUCKETS	64U

/**
 * struct ttp_level_cutoffs - the longest messages of each level
 * @longest: by level: bytes of the longest message that is sent at that level
 *	without a grant, if it is not short enough for a higher one
 */
struct ttp_level_cutoffs {
	u32	longest[TTP_LEVELS];
};

/* Until the receiver has told others */
extern const struct ttp_level_cutoffs ttp_level_defaults;

/**
 * ttp_level_control() - level of packets that carry no data
 * @levels: levels in use, 1 to TTP_LEVELS
 *
 * Context: any.
 * Return: the level.
 */
u8 ttp_level_control(u8 levels);

/**
 * ttp_level_scheduled() - levels for data that was granted
 * @levels: levels in use, 1 to TTP_LEVELS
 *
 * Context: any.
 * Return: their number, at least 1; they are the lowest.
 */
u8 ttp_level_scheduled(u8 levels);

/**
 * ttp_level_unsched() - level of data that goes without a grant
 * @levels: levels in use, 1 to TTP_LEVELS
 * @cutoffs: of the receiver
 * @len: bytes of the whole message
 *
 * Context: any.
 * Return: the level.
 */
u8 ttp_level_unsched(u8 levels, const struct ttp_level_cutoffs *cutoffs,
		     u32 len);

/**
 * ttp_level_bucket() - where messages of a length are counted
 * @len: bytes of a message
 *
 * Context: any.
 * Return: index of a bucket; longer messages have higher ones.
 */
unsigned int ttp_level_bucket(u32 len);

/**
 * ttp_level_longest() - longest message of a bucket
 * @bucket: index below TTP_LEVEL_BUCKETS
 *
 * Context: any.
 * Return: bytes.
 */
u32 ttp_level_longest(unsigned int bucket);

/**
 * ttp_level_cut() - share the levels out
 * @bytes: by bucket: bytes that came without a grant of messages of that length
 * @cutoffs: filled in, so that about as many are sent at each level
 *
 * That no level gets much more than another is the Homa protocol's (section
 * 3.4 of its paper): it makes the best of few levels.
 *
 * Context: any.
 */
void ttp_level_cut(const u64 *bytes, struct ttp_level_cutoffs *cutoffs);

/**
 * ttp_level_differ() - whether cutoffs are others than before
 * @a: some
 * @b: others
 *
 * Context: any.
 * Return: true if one is longer than the other by more than a bucket.
 */
bool ttp_level_differ(const struct ttp_level_cutoffs *a,
		      const struct ttp_level_cutoffs *b);

#endif /* _NET_TTP_LEVEL_H */
