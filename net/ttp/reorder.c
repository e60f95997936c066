// SPDX-License-Identifier: GPL-2.0
/*
 * Reordering; see reorder.h.
 */
#include <linux/kernel.h>

#include "reorder.h"

void ttp_reorder_late(struct ttp_reorder *r, u64 late_ns)
{
	WRITE_ONCE(r->late_ns, clamp_t(u64, late_ns, r->late_ns,
				       TTP_REORDER_MAX_NS));
}

void ttp_reorder_lost(struct ttp_reorder *r)
{
	WRITE_ONCE(r->late_ns, r->late_ns - DIV_ROUND_UP(r->late_ns, 16));
}

u32 ttp_reorder_wait(const struct ttp_reorder *r, u32 rtt_ns)
{
	return max(rtt_ns / 4, r->late_ns + r->late_ns / 4);
}
