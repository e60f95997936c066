// SPDX-License-Identifier: GPL-2.0
/*
 * How large a queue was, for how long: peak, mean and percentiles over time.
 */
#include <linux/bitops.h>
#include <linux/math64.h>

#include "fabric.h"

/* Exact below 16, then eight buckets to each power of two (error 12.5 %) */
static unsigned int gauge_bucket(u64 value)
{
	unsigned int shift;

	if (value < 2 << GAUGE_SUB_BITS)
		return value;
	shift = fls64(value) - 1 - GAUGE_SUB_BITS;
	return min_t(unsigned int, GAUGE_BUCKETS - 1,
		     (shift << GAUGE_SUB_BITS) + (value >> shift));
}

/* The largest value of a bucket */
static u64 gauge_bound(unsigned int bucket)
{
	unsigned int shift;

	if (bucket < 2 << GAUGE_SUB_BITS)
		return bucket;
	shift = (bucket >> GAUGE_SUB_BITS) - 1;
	return (((u64)(bucket & ((1 << GAUGE_SUB_BITS) - 1)) +
		 (1 << GAUGE_SUB_BITS) + 1) << shift) - 1;
}

static void gauge_advance(struct gauge *g, u64 now_ns)
{
	u64 ns = now_ns - g->since_ns;

	if (fabric.frozen_ns)
		return;
	g->ns[gauge_bucket(g->value)] += ns;
	g->sum += g->value * ns;
	g->since_ns = now_ns;
}

void gauge_set(struct gauge *g, u64 value, u64 now_ns)
{
	gauge_advance(g, now_ns);
	g->value = value;
	if (!fabric.frozen_ns)
		g->peak = max(g->peak, value);
}

void gauge_reset(struct gauge *g, u64 now_ns)
{
	u64 value = g->value;

	memset(g, 0, sizeof(*g));
	g->value = value;
	g->peak = value;
	g->since_ns = now_ns;
	g->start_ns = now_ns;
}

u64 gauge_mean(struct gauge *g, u64 now_ns)
{
	gauge_advance(g, now_ns);
	return div64_u64(g->sum, max(now_ns - g->start_ns, 1ULL));
}

/* The size that was not exceeded for @percent of the time, at most the peak */
u64 gauge_percentile(struct gauge *g, unsigned int percent, u64 now_ns)
{
	u64 above = div_u64((now_ns - g->start_ns) * (100 - percent), 100);
	u64 ns = 0;
	int i;

	gauge_advance(g, now_ns);
	for (i = GAUGE_BUCKETS - 1; i > 0; i--) {
		ns += g->ns[i];
		if (ns > above)
			break;
	}
	return min(gauge_bound(i), g->peak);
}
