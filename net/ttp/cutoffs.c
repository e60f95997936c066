// SPDX-License-Identifier: GPL-2.0
/*
 * Lengths of messages and their levels; see cutoffs.h.
 */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <trace/events/ttp.h>

#include "cutoffs.h"
#include "wire.h"

int ttp_cutoffs_init(struct ttp_cutoffs *cutoffs)
{
	cutoffs->census = alloc_percpu_gfp(struct ttp_census, GFP_KERNEL_ACCOUNT);
	if (!cutoffs->census)
		return -ENOMEM;
	spin_lock_init(&cutoffs->lock);
	cutoffs->table = ttp_level_defaults;
	cutoffs->next = jiffies + msecs_to_jiffies(TTP_CUTOFFS_PERIOD_MS);
	return 0;
}

void ttp_cutoffs_exit(struct ttp_cutoffs *cutoffs)
{
	free_percpu(cutoffs->census);
}

/* Bytes of all CPUs, modulo */
static void ttp_cutoffs_sum(struct ttp_cutoffs *cutoffs)
{
	const struct ttp_census *census;
	unsigned int i;
	int cpu;

	memset(cutoffs->sum, 0, sizeof(cutoffs->sum));
	for_each_possible_cpu(cpu) {
		census = per_cpu_ptr(cutoffs->census, cpu);
		for (i = 0; i < TTP_LEVEL_BUCKETS; i++)
			cutoffs->sum[i] += READ_ONCE(census->bytes[i]);
	}
}

/* Take what is new in; returns the bytes that count */
static u64 ttp_cutoffs_fold(struct ttp_cutoffs *cutoffs)
{
	unsigned int i;
	u64 total = 0;

	lockdep_assert_held(&cutoffs->lock);

	ttp_cutoffs_sum(cutoffs);
	for (i = 0; i < TTP_LEVEL_BUCKETS; i++) {
		cutoffs->mean[i] += cutoffs->sum[i] - cutoffs->last[i];
		cutoffs->last[i] = cutoffs->sum[i];
		total += cutoffs->mean[i];
	}
	return total;
}

/* Who sends by another version will be told */
static void ttp_cutoffs_publish(struct ttp_cutoffs *cutoffs)
{
	lockdep_assert_held(&cutoffs->lock);

	WRITE_ONCE(cutoffs->version, cutoffs->version % U8_MAX + 1);
	trace_ttp_cutoffs(cutoffs);
}

static void ttp_cutoffs_decide(struct ttp_cutoffs *cutoffs)
{
	struct ttp_level_cutoffs table;
	unsigned int i;

	lockdep_assert_held(&cutoffs->lock);

	ttp_level_cut(cutoffs->mean, &table);
	for (i = 0; i < TTP_LEVEL_BUCKETS; i++)
		cutoffs->mean[i] /= 2;
	if (!ttp_level_differ(&table, &cutoffs->table))
		return;
	cutoffs->table = table;
	ttp_cutoffs_publish(cutoffs);
}

void ttp_cutoffs_crowd(struct ttp_cutoffs *cutoffs, u32 senders)
{
	if (senders <= READ_ONCE(cutoffs->crowd))
		return;
	spin_lock(&cutoffs->lock);
	WRITE_ONCE(cutoffs->crowd, max(cutoffs->crowd, senders));
	spin_unlock(&cutoffs->lock);
}

static unsigned long ttp_cutoffs_begun(const struct ttp_cutoffs *cutoffs)
{
	unsigned long begun = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		begun += READ_ONCE(per_cpu_ptr(cutoffs->census, cpu)->begun);
	return begun;
}

static void ttp_cutoffs_limit(struct ttp_cutoffs *cutoffs, u32 limit)
{
	lockdep_assert_held(&cutoffs->lock);

	/* What is a little less is not worth telling everybody */
	if (cutoffs->limit && limit > cutoffs->limit / 2)
		return;
	cutoffs->limit = limit;
	ttp_cutoffs_publish(cutoffs);
}

void ttp_cutoffs_lost(struct ttp_cutoffs *cutoffs, u32 bdp)
{
	unsigned long begun;

	spin_lock(&cutoffs->lock);
	if (++cutoffs->losses >= TTP_CUTOFFS_LOSSES) {
		begun = ttp_cutoffs_begun(cutoffs);
		if (cutoffs->crowd > TTP_CUTOFFS_CROWD &&
		    begun - cutoffs->begun <= cutoffs->losses * TTP_CUTOFFS_LOSS)
			ttp_cutoffs_limit(cutoffs, max(bdp / cutoffs->crowd,
						       TTP_WIRE_MIN_SEGMENT));
		cutoffs->losses = 0;
		cutoffs->begun = begun;
	}
	spin_unlock(&cutoffs->lock);
}

/* Half as many, and again, unless there come more */
static void ttp_cutoffs_disperse(struct ttp_cutoffs *cutoffs)
{
	lockdep_assert_held(&cutoffs->lock);

	WRITE_ONCE(cutoffs->crowd, DIV_ROUND_UP(cutoffs->crowd, 2));
	if (cutoffs->crowd > TTP_CUTOFFS_CROWD / 2 || !cutoffs->limit)
		return;
	cutoffs->limit = 0;
	ttp_cutoffs_publish(cutoffs);
}

void ttp_cutoffs_update(struct ttp_cutoffs *cutoffs)
{
	if (time_before(jiffies, READ_ONCE(cutoffs->next)) ||
	    !spin_trylock(&cutoffs->lock))
		return;
	WRITE_ONCE(cutoffs->next,
		   jiffies + msecs_to_jiffies(TTP_CUTOFFS_PERIOD_MS));
	ttp_cutoffs_disperse(cutoffs);
	if (ttp_cutoffs_fold(cutoffs) >= TTP_CUTOFFS_MIN_BYTES)
		ttp_cutoffs_decide(cutoffs);
	spin_unlock(&cutoffs->lock);
}
