// SPDX-License-Identifier: GPL-2.0
/*
 * Round-trip time estimation; see rtt.h.
 */
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "rtt.h"

/* What the smallest time grows by at least, ns: it may have been no such thing */
#define TTP_RTT_STEP_NS		1000U
/* More doublings than this exceed any ceiling */
#define TTP_RTT_MAX_SHIFT	20U

bool ttp_rtt_sample(struct ttp_rtt *rtt, u32 sample_ns)
{
	u32 dev, srtt_ns;

	if (!sample_ns || sample_ns > TTP_RTT_MAX_NS)
		return false;
	if (!rtt->srtt_ns) {
		WRITE_ONCE(rtt->srtt_ns, sample_ns);
		rtt->var_ns = sample_ns / 2;
		return true;
	}
	dev = abs_diff(rtt->srtt_ns, sample_ns);
	rtt->var_ns = rtt->var_ns - rtt->var_ns / 4 + dev / 4;
	srtt_ns = rtt->srtt_ns - rtt->srtt_ns / 8 + sample_ns / 8;
	WRITE_ONCE(rtt->srtt_ns, max(srtt_ns, 1U));
	return true;
}

void ttp_rtt_floor_sample(struct ttp_rtt_floor *floor, u32 sample_ns,
			  u64 now_ns)
{
	u64 age_ns = now_ns - floor->since_ns;
	u32 former_ns = floor->ns;

	if (!former_ns) {
		former_ns = sample_ns;
		floor->recent_ns = sample_ns;
		floor->since_ns = now_ns;
	} else if (age_ns >= TTP_RTT_WINDOW_NS) {
		/* What was the smallest of a window counts in the next one */
		former_ns = age_ns < 2 * TTP_RTT_WINDOW_NS ? floor->recent_ns :
							     sample_ns;
		former_ns = min(former_ns, floor->ns +
					   max(floor->ns / 2, TTP_RTT_STEP_NS));
		floor->recent_ns = sample_ns;
		/* The next one begins where this one ends, but for a pause */
		floor->since_ns += TTP_RTT_WINDOW_NS;
		if (age_ns >= 2 * TTP_RTT_WINDOW_NS)
			floor->since_ns = now_ns;
	}
	floor->recent_ns = min(floor->recent_ns, sample_ns);
	WRITE_ONCE(floor->ns, min(former_ns, floor->recent_ns));
}

u64 ttp_rtt_rto(const struct ttp_rtt *rtt, u64 min_ns, u64 max_ns,
		unsigned int tries, u32 random)
{
	u64 rto = max_t(u64, TTP_RTT_INITIAL_RTO_NS, min_ns);

	if (rtt->srtt_ns)
		rto = (u64)rtt->srtt_ns + max(4ULL * rtt->var_ns, min_ns);
	rto <<= min(tries, TTP_RTT_MAX_SHIFT);
	rto = min(rto, max_ns);
	if (tries)
		rto -= mul_u64_u32_shr(rto / 4, random, 32);
	return rto;
}
