// SPDX-License-Identifier: GPL-2.0
/*
 * How much of a window a sender gets; see share.h.
 */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "share.h"

u32 ttp_share_of(const struct ttp_share *share, u32 window)
{
	return share->bytes ? min(share->bytes, window) : window;
}

/* The next share, after one of @bytes */
static u32 ttp_share_adjust(struct ttp_share *share, u32 bytes,
			    const struct ttp_share_rule *rule)
{
	u32 part = div_u64((u64)share->marked * TTP_SHARE_ONE, share->round);

	share->alpha = share->alpha - share->alpha / rule->gain +
		       part / rule->gain;
	if (share->marked)
		bytes -= (u64)bytes * share->alpha / (2 * TTP_SHARE_ONE);
	else
		bytes += rule->step;
	share->round = 0;
	share->marked = 0;
	return bytes;
}

void ttp_share_arrived(struct ttp_share *share, u32 bytes, bool marked,
		       u32 window, const struct ttp_share_rule *rule)
{
	u32 left;

	share->round += bytes;
	if (marked)
		share->marked += bytes;
	if (share->round < ttp_share_of(share, window))
		return;
	left = max(ttp_share_adjust(share, ttp_share_of(share, window), rule),
		   rule->floor);
	/* Some look without the lock */
	WRITE_ONCE(share->bytes, left < window ? left : 0);
}
