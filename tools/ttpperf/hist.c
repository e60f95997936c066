// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms of constant relative width (0.2 %), as HdrHistogram has them:
 * exact below 2^HIST_BITS, then 2^HIST_BITS buckets to each power of two.
 */
#include <stdlib.h>

#include "ttpperf.h"

static unsigned int bucket_of(uint64_t v)
{
	unsigned int shift;

	if (v < 2ULL << HIST_BITS)
		return v;
	shift = 63 - __builtin_clzll(v) - HIST_BITS;
	return (shift << HIST_BITS) + (v >> shift);
}

/* The middle of a bucket */
static uint64_t value_of(unsigned int bucket)
{
	unsigned int shift;
	uint64_t v;

	if (bucket < 2U << HIST_BITS)
		return bucket;
	shift = (bucket >> HIST_BITS) - 1;
	v = (bucket & ((1U << HIST_BITS) - 1)) + (1U << HIST_BITS);
	return (v << shift) + (1ULL << shift) / 2;
}

void hist_add(struct hist *h, uint64_t value)
{
	if (!h->bucket) {
		h->bucket = calloc(HIST_BUCKETS, sizeof(*h->bucket));
		if (!h->bucket)
			fatal("no memory for a histogram");
	}
	h->bucket[bucket_of(value)]++;
	h->count++;
	h->sum += value;
	if (value > h->max)
		h->max = value;
}

/* The smallest value that @percent of all do not exceed; 0 if there are none */
uint64_t hist_percentile(const struct hist *h, double percent)
{
	uint64_t rank = h->count * (percent / 100), n = 0;
	unsigned int i;

	if (!h->count)
		return 0;
	if (rank < h->count * (percent / 100))
		rank++;
	if (!rank)
		rank = 1;
	for (i = 0; i < HIST_BUCKETS; i++) {
		n += h->bucket[i];
		if (n >= rank)
			break;
	}
	return value_of(i) < h->max ? value_of(i) : h->max;
}

void hist_each(const struct hist *h,
	       void (*fn)(uint64_t value, uint64_t upto, void *arg), void *arg)
{
	uint64_t n = 0;
	unsigned int i;

	for (i = 0; h->bucket && i < HIST_BUCKETS; i++) {
		if (!h->bucket[i])
			continue;
		n += h->bucket[i];
		fn(value_of(i), n, arg);
	}
}
