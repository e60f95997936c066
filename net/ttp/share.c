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

static void ttp_share_adjust(struct ttp_share *share,
			     const struct ttp_share_rule *rule)
{
	u32 part = div_u64((u64)share->marked * TTP_SHARE_ONE, share->round);

	share->alpha = share->alpha - share->alpha / rule->gain +
		       part / rule->gain;
	if (share->marked)
		share->bytes -= (u64)share->bytes * share->alpha /
				(2 * TTP_SHARE_ONE);
	else
		share->bytes += rule->step;
	share->round = 0;
	share->marked = 0;
}

void ttp_share_arrived(struct ttp_share *share, u32 bytes, bool marked,
		       u32 window, const struct ttp_share_rule *rule)
{
	share->round += bytes;
	if (marked)
		share->marked += bytes;
	if (share->round < ttp_share_of(share, window))
		return;
	share->bytes = ttp_share_of(share, window);
	ttp_share_adjust(share, rule);
	share->bytes = max(share->bytes, rule->floor);
	if (share->bytes >= window)
		share->bytes = 0;
}
