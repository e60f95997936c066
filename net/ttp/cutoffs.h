/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What lengths of messages come in, and at which levels they should.
 *
 * Only a receiver sees what competes for its link.  It counts, works cutoffs out
 * now and then, and tells them to who sends by others.
 */
#ifndef _NET_TTP_CUTOFFS_H
#define _NET_TTP_CUTOFFS_H

#include <linux/percpu.h>

#include "level.h"

/* How often cutoffs are worked out, ms */
#define TTP_CUTOFFS_PERIOD_MS	100U
/* From fewer bytes than that nothing is concluded */
#define TTP_CUTOFFS_MIN_BYTES	1000000U
/* How often a peer is told that goes on sending by others, ns */
#define TTP_CUTOFFS_TELL_NS	NSEC_PER_MSEC
/* Senders at a time that may be more than the network can hold the starts of */
#define TTP_CUTOFFS_CROWD	8U
/* It could not if of starts one in so many is lost ... */
#define TTP_CUTOFFS_LOSS	8U
/* ... judged by so many losses */
#define TTP_CUTOFFS_LOSSES	32U

/**
 * struct ttp_census - what came in without a grant, on a CPU
 * @begun: messages.  It and the next wrap around
 * @bytes: by length of the message, see ttp_level_bucket()
 */
struct ttp_census {
	unsigned long	begun;
	unsigned long	bytes[TTP_LEVEL_BUCKETS];
};

/**
 * struct ttp_cutoffs - of a device
 * @census: what came in
 * @next: when it is looked at next, jiffies.  Lockless
 * @lock: protects all below; BH spinlock, leaf
 * @version: of @table and @limit; 0 = none yet
 * @table: what peers should send by
 * @limit: what they may send of a message without a grant, bytes; 0 = as much
 *	as they think
 * @crowd: senders at a time, the most of late.  Read without the lock
 * @losses: packets that were lost of starts of messages, since ...
 * @begun: ... so many had begun
 * @sum: of @census, while it is looked at
 * @last: the same at the last time
 * @mean: bytes by bucket, of which the older count less
 */
struct ttp_cutoffs {
	struct ttp_census __percpu	*census;
	unsigned long			next;
	spinlock_t			lock;	/* all below */
	u8				version;
	struct ttp_level_cutoffs	table;
	u32				limit;
	u32				crowd;
	u32				losses;
	unsigned long			begun;
	unsigned long			sum[TTP_LEVEL_BUCKETS];
	unsigned long			last[TTP_LEVEL_BUCKETS];
	u64				mean[TTP_LEVEL_BUCKETS];
};

/**
 * ttp_cutoffs_init() - know nothing
 * @cutoffs: of a device
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int ttp_cutoffs_init(struct ttp_cutoffs *cutoffs);

/**
 * ttp_cutoffs_exit() - free what ttp_cutoffs_init() allocated
 * @cutoffs: of a device
 *
 * Context: any.
 */
void ttp_cutoffs_exit(struct ttp_cutoffs *cutoffs);

/**
 * ttp_cutoffs_count() - bytes have come without a grant
 * @cutoffs: of the device
 * @len: bytes of their message
 * @bytes: how many
 * @first: whether the message begins with them
 *
 * Context: BH disabled.
 */
static inline void ttp_cutoffs_count(struct ttp_cutoffs *cutoffs, u32 len,
				     u32 bytes, bool first)
{
	if (first)
		this_cpu_inc(cutoffs->census->begun);
	this_cpu_add(cutoffs->census->bytes[ttp_level_bucket(len)], bytes);
}

/**
 * ttp_cutoffs_crowd() - note how many send at a time
 * @cutoffs: of the device
 * @senders: how many
 *
 * Context: BH disabled.
 */
void ttp_cutoffs_crowd(struct ttp_cutoffs *cutoffs, u32 senders);

/**
 * ttp_cutoffs_lost() - something was lost of what came without a grant
 * @cutoffs: of the device
 * @bdp: what all should send together without a grant, bytes
 *
 * When the starts of many messages come at once, the network may not have room
 * for all.  If so, senders are told to begin with less, until there were fewer of
 * them for a while.
 *
 * Context: BH disabled.
 */
void ttp_cutoffs_lost(struct ttp_cutoffs *cutoffs, u32 bdp);

/**
 * ttp_cutoffs_update() - work them out, if it is time
 * @cutoffs: of the device
 *
 * Context: BH disabled.
 */
void ttp_cutoffs_update(struct ttp_cutoffs *cutoffs);

#endif /* _NET_TTP_CUTOFFS_H */
