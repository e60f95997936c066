/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much of a window a sender gets: less, when more does not help.
 *
 * Layer 0; the owner locks.  A sender that is busy with other receivers sits on
 * what it is granted, and a network that is full queues it: both mark bytes that
 * arrive, and its share shrinks by the part of them that is marked, or grows by
 * a step when none is.  The rule is that of Alizadeh et al., "Data Center TCP
 * (DCTCP)" (SIGCOMM 2010), section 3.1; that a receiver applies it to what it
 * grants, by the marks of the sender and of the network each, is Prasopoulos et
 * al., "SIRD: A Sender-Informed, Receiver-Driven Datacenter Transport Protocol"
 * (NSDI 2025), section 4.
 */
#ifndef _NET_TTP_SHARE_H
#define _NET_TTP_SHARE_H

#include <linux/types.h>

/* Unit of ttp_share.alpha */
#define TTP_SHARE_ONE		1024U

/**
 * struct ttp_share - of a sender
 * @bytes: granted ahead at most; 0 = no limit
 * @round: bytes that have arrived in this round
 * @marked: those of them that were marked
 * @alpha: part of the bytes that is marked, smoothed, in TTP_SHARE_ONE
 */
struct ttp_share {
	u32	bytes;
	u32	round;
	u32	marked;
	u32	alpha;
};

/**
 * struct ttp_share_rule - how a share changes
 * @floor: its least, bytes
 * @step: what it grows by when all is well, bytes
 * @gain: weight of a round in @alpha: one in so many
 */
struct ttp_share_rule {
	u32	floor;
	u32	step;
	u32	gain;
};

/**
 * ttp_share_arrived() - bytes of a sender have arrived
 * @share: its share
 * @bytes: how many
 * @marked: whether more of them than could be used were granted
 * @window: its ceiling, bytes; having reached it, it has no limit
 * @rule: how it changes
 *
 * A round ends when as much as the share has arrived.
 *
 * Context: any, the owner's lock.
 */
void ttp_share_arrived(struct ttp_share *share, u32 bytes, bool marked,
		       u32 window, const struct ttp_share_rule *rule);

/**
 * ttp_share_of() - what a sender gets of a window
 * @share: its share
 * @window: the window, bytes
 *
 * Context: any, the owner's lock.
 * Return: bytes, at most @window.
 */
u32 ttp_share_of(const struct ttp_share *share, u32 window);

#endif /* _NET_TTP_SHARE_H */
