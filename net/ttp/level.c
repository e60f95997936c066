// SPDX-License-Identifier: GPL-2.0
/*
 * Priority levels; see level.h.
 */
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
