/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long a packet that is missing may only be late.
 *
 * Layer 0; the owner locks.  A network that spreads packets over several paths
 * delivers them out of order.  The time that is waited before what is missing
 * counts as lost follows what was seen of that, as the reordering window of
 * RACK does (RFC 8985, section 6.2), in time instead of quarters of the
 * round-trip time.
 */
#ifndef _NET_TTP_REORDER_H
#define _NET_TTP_REORDER_H

#include <linux/types.h>

/* Nothing is later than that, whatever is seen, ns */
#define TTP_REORDER_MAX_NS	2000000U

/**
 * struct ttp_reorder - what is known of a path
 * @late_ns: how late packets were, ns; 0 = none was
 */
struct ttp_reorder {
	u32	late_ns;
};

/**
 * ttp_reorder_late() - a packet that was missing has come after all
 * @r: the path
 * @late_ns: time since others showed that it was missing, ns
 *
 * Context: any, the owner's lock.
 */
void ttp_reorder_late(struct ttp_reorder *r, u64 late_ns);

/**
 * ttp_reorder_lost() - a packet that was missing had to be sent again
 * @r: the path
 *
 * What was waited in vain makes the next wait a little shorter, so that one
 * very late packet is forgotten in time.
 *
 * Context: any, the owner's lock.
 */
void ttp_reorder_lost(struct ttp_reorder *r);

/**
 * ttp_reorder_wait() - how long to wait for what is missing
 * @r: the path
 * @rtt_ns: smoothed round-trip time, ns
 *
 * Context: any, the owner's lock.
 * Return: ns: a quarter of the round-trip time, or somewhat longer than what
 * was seen.
 */
u32 ttp_reorder_wait(const struct ttp_reorder *r, u32 rtt_ns);

#endif /* _NET_TTP_REORDER_H */
