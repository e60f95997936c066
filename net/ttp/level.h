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

#endif /* _NET_TTP_LEVEL_H */
