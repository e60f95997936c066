/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long a packet waited in the own host, by the card's time stamp.
 *
 * Layer 0; the owner keeps one for each CPU.  A card's clock stands elsewhere than
 * the host's and runs at another pace, so only differences within some ms mean
 * something: what came up soonest lately is taken for not having waited at all
 * (as PTP servos and NTP take the shortest delay).  Under load some packet of
 * each batch that a card gathers is the last, and hardly waits.
 */
#ifndef _NET_TTP_STAMP_H
#define _NET_TTP_STAMP_H

#include <linux/types.h>

/* What came up soonest counts for so long, or twice as long, ns */
#define TTP_STAMP_WINDOW_NS	5000000U
/* Longest wait that is believed, ns: beyond, the clock was set */
#define TTP_STAMP_MAX_NS	2000000U

/**
 * struct ttp_stamp - how a card's clock stands to the host's
 * @ifindex: the card; 0 = none yet
 * @least_ns: smallest difference, the host's less the card's
 * @recent_ns: smallest since @since_ns
 * @since_ns: when the present window began, monotonic
 */
struct ttp_stamp {
	int	ifindex;
	s64	least_ns;
	s64	recent_ns;
	u64	since_ns;
};

/**
 * ttp_stamp_wait() - how long a packet waited
 * @s: the clock's state
 * @ifindex: the device it came through first; several have a clock each
 * @card_ns: its stamp
 * @now_ns: now, monotonic
 *
 * Context: any; the owner sees to it that there is one caller.
 * Return: ns; 0 for the first packet of a while, however long it waited.
 */
u32 ttp_stamp_wait(struct ttp_stamp *s, int ifindex, s64 card_ns, u64 now_ns);

#endif /* _NET_TTP_STAMP_H */
