// SPDX-License-Identifier: GPL-2.0
/*
 * Priority levels; see level.h.
 */
#include <linux/bitops.h>
#include <linux/kernel.h>

#include "level.h"

const struct ttp_level_cutoffs ttp_level_defaults = {
	.longest = { U32_MAX, U32_MAX, U32_MAX, U32_MAX, 10000, 1500, 400,
		  0 },
};

u8 ttp_level_control(u8 levels)
{
	return levels - 1;
}

u8 ttp_level_scheduled(u8 levels)
{
	/* 3 of 8, 1 of up to 4 */
	return max(3 * levels / 8, 1);
}

u8 ttp_level_unsched(u8 levels, const struct ttp_level_cutoffs *cutoffs,
		     u32 len)
{
	u8 lowest = min_t(u8, ttp_level_scheduled(levels), levels - 1);
	u8 level = levels > 2 ? levels - 2 : levels - 1;

	/* The table is for all levels; those that are not used are the lowest */
	while (level > lowest && len > cutoffs->longest[level + TTP_LEVELS - levels])
		level--;
	return level;
}

/* Lengths up to that are in the first bucket: few differ in frames */
#define TTP_LEVEL_SHORT_BITS	6U
/* Buckets from a length to twice that */
#define TTP_LEVEL_PARTS		4U

unsigned int ttp_level_bucket(u32 len)
{
	unsigned int bits, part;

	if (len <= BIT(TTP_LEVEL_SHORT_BITS))
		return 0;
	/* The longest of a bucket is a round number */
	bits = fls(--len) - 1;
	part = len >> (bits - 2) & (TTP_LEVEL_PARTS - 1);
	return min((bits - TTP_LEVEL_SHORT_BITS) * TTP_LEVEL_PARTS + part + 1,
		   TTP_LEVEL_BUCKETS - 1);
}

u32 ttp_level_longest(unsigned int bucket)
{
	unsigned int bits = TTP_LEVEL_SHORT_BITS +
			    (bucket - 1) / TTP_LEVEL_PARTS;
	unsigned int part = (bucket - 1) % TTP_LEVEL_PARTS;

	if (!bucket)
		return BIT(TTP_LEVEL_SHORT_BITS);
	if (bucket == TTP_LEVEL_BUCKETS - 1)
		return U32_MAX;
	return (TTP_LEVEL_PARTS + part + 1) << (bits - 2);
}

void ttp_level_cut(const u64 *bytes, struct ttp_level_cutoffs *cutoffs)
{
	const unsigned int levels = TTP_LEVELS - 1 - TTP_LEVEL_UNSCHED;
	unsigned int i, level, done = 0;
	u64 total = 0, sum = 0;

	for (i = 0; i < TTP_LEVEL_BUCKETS; i++)
		total += bytes[i];
	for (level = 0; level <= TTP_LEVEL_UNSCHED; level++)
		cutoffs->longest[level] = U32_MAX;
	cutoffs->longest[TTP_LEVELS - 1] = 0;
	for (i = 0; i < TTP_LEVEL_BUCKETS && done < levels - 1; i++) {
		sum += bytes[i];
		while (done < levels - 1 && sum * levels >= total * (done + 1)) {
			cutoffs->longest[TTP_LEVELS - 2 - done] =
				ttp_level_longest(i);
			done++;
		}
	}
}

bool ttp_level_differ(const struct ttp_level_cutoffs *a,
		      const struct ttp_level_cutoffs *b)
{
	unsigned int i, x, y;

	for (i = 0; i < TTP_LEVELS; i++) {
		x = ttp_level_bucket(a->longest[i]);
		y = ttp_level_bucket(b->longest[i]);
		if (x > y + 1 || y > x + 1)
			return true;
	}
	return false;
}
