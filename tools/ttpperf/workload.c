// SPDX-License-Identifier: GPL-2.0
/*
 * Message sizes: a file of buckets, or one size.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ttpperf.h"

#define SAMPLES		200000U

static struct bucket {
	double	largest;
	double	smallest;
	double	bend;		/* gives the bucket its mean */
	double	upto;		/* share of the messages */
} *buckets;
static unsigned int bucket_count;
static uint32_t cap;
static uint32_t *sorted;	/* sizes drawn, for deciles and means */
static unsigned int samples;

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void take_samples(unsigned int n)
{
	uint64_t state = 0x5eed;
	unsigned int i;

	samples = n;
	sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		fatal("no memory for %u samples", n);
	for (i = 0; i < n; i++)
		sorted[i] = workload_draw(&state);
	qsort(sorted, n, sizeof(*sorted), by_size);
}

/*
 * In a bucket from a to b with mean m, a + (b - a) u^k has that mean for
 * k = (b - a) / (m - a) - 1, u being uniform in [0, 1).
 */
static void add_bucket(double largest, double mean, double upto)
{
	struct bucket *b;
	double before = bucket_count ? buckets[bucket_count - 1].largest + 1 : 0;

	buckets = realloc(buckets, (bucket_count + 1) * sizeof(*buckets));
	if (!buckets)
		fatal("no memory for a workload");
	b = &buckets[bucket_count++];
	b->largest = largest;
	/* What has its mean at the end has one size */
	b->smallest = mean >= largest - 0.5 || before > largest ?
		      largest : before;
	b->bend = mean > b->smallest ?
		  (largest - b->smallest) / (mean - b->smallest) - 1 : 0;
	b->upto = upto;
}

void workload_load(const char *path, uint32_t limit)
{
	double largest, mean, messages, last = 0;
	unsigned int line = 0;
	char text[256];
	FILE *f = fopen(path, "r");

	if (!f)
		fatal("%s: %s", path, strerror(errno));
	cap = limit;
	while (fgets(text, sizeof(text), f)) {
		line++;
		if (*text == '#' || *text == '\n')
			continue;
		if (sscanf(text, "%lf %lf %lf", &largest, &mean, &messages) != 3 ||
		    largest < 0 || mean > largest || messages < last ||
		    messages > 1.0001)
			fatal("%s:%u: want LARGEST MEAN SHARE, shares growing to 1",
			      path, line);
		add_bucket(largest, mean, messages);
		last = messages;
	}
	fclose(f);
	if (last < 0.999)
		fatal("%s: the shares end at %g, not at 1", path, last);
	take_samples(SAMPLES);
}

void workload_fixed(uint32_t size)
{
	cap = MAX_SIZE;
	add_bucket(size, size, 1);
	take_samples(CLASSES);
}

uint32_t workload_draw(uint64_t *state)
{
	double u = random_unit(state), v = random_unit(state), size;
	unsigned int lo = 0, hi = bucket_count - 1, mid;
	const struct bucket *b;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (buckets[mid].upto > u)
			hi = mid;
		else
			lo = mid + 1;
	}
	b = &buckets[lo];
	size = b->smallest + (b->largest - b->smallest) * pow(v, b->bend);
	if (size > cap)
		size = cap;
	return size < MIN_SIZE ? MIN_SIZE : (uint32_t)lround(size);
}

static unsigned int rank_of(uint32_t size, bool after)
{
	unsigned int lo = 0, hi = samples, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (sorted[mid] < size || (after && sorted[mid] == size))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Decile of a size; equal sizes that belong to several are dealt out */
unsigned int workload_class(uint32_t size, uint64_t *state)
{
	unsigned int first = rank_of(size, false), last = rank_of(size, true);
	unsigned int rank = first + (last - first) * random_unit(state);

	rank = rank * (uint64_t)CLASSES / samples;
	return rank < CLASSES ? rank : CLASSES - 1;
}

double workload_mean(double (*of)(uint32_t size))
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < samples; i++)
		sum += of(sorted[i]);
	return sum / samples;
}

/* The largest size of a decile */
uint32_t workload_bound(unsigned int class)
{
	return sorted[(class + 1) * (samples / CLASSES) - 1];
}
