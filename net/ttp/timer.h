/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Time-outs: one hrtimer a peer, armed only while an RPC of it or an
 * acknowledgment waits for something.
 */
#ifndef _NET_TTP_TIMER_H
#define _NET_TTP_TIMER_H

#include "output.h"

/**
 * ttp_timer_heard() - a packet of an RPC has arrived
 * @rpc: the RPC
 *
 * Context: BH disabled, rpc->lock held.
 */
void ttp_timer_heard(struct ttp_rpc *rpc) __must_hold(&rpc->lock);

/**
 * ttp_timer_start() - begin to wait for the other side
 * @rpc: the RPC, of which something was sent
 *
 * Context: BH disabled, rpc->lock held.
 */
void ttp_timer_start(struct ttp_rpc *rpc) __must_hold(&rpc->lock);

/**
 * ttp_timer_rtt_ns() - smoothed round-trip time of an RPC's peer
 * @rpc: the RPC
 *
 * Context: BH disabled.
 * Return: ns; 0 if not measured yet.
 */
u32 ttp_timer_rtt_ns(const struct ttp_rpc *rpc);

/**
 * ttp_timer_arrived() - a packet of a message has come
 * @rpc: the RPC
 * @prefix: bytes from the start that were here before
 * @again: whether the packet was sent again
 *
 * Context: BH disabled, rpc->lock held.
 */
void ttp_timer_arrived(struct ttp_rpc *rpc, u32 prefix, bool again)
	__must_hold(&rpc->lock);

/**
 * ttp_timer_answered() - the first packet of a response has come
 * @rpc: the RPC, of which nothing had come
 * @again: whether the packet was sent again
 *
 * Context: BH disabled, rpc->lock held.
 */
void ttp_timer_answered(struct ttp_rpc *rpc, bool again)
	__must_hold(&rpc->lock);

/**
 * ttp_timer_quiet() - whether nothing of a message has come for a while
 * @rpc: the RPC
 *
 * Context: BH disabled, rpc->lock held.
 * Return: see above.
 */
bool ttp_timer_quiet(const struct ttp_rpc *rpc) __must_hold(&rpc->lock);

/**
 * ttp_timer_just_sent() - whether what is sent cannot have been answered yet
 * @rpc: the RPC
 * @rtts: round trips that an answer takes
 *
 * Context: BH disabled, rpc->lock held.
 * Return: true also if it waits here for its turn.
 */
bool ttp_timer_just_sent(const struct ttp_rpc *rpc, u32 rtts)
	__must_hold(&rpc->lock);

/**
 * ttp_timer_fn() - what a peer's timer runs
 * @timer: ttp_peer.timer
 *
 * Context: softirq.
 * Return: HRTIMER_NORESTART; it arms itself.
 */
enum hrtimer_restart ttp_timer_fn(struct hrtimer *timer);

#endif /* _NET_TTP_TIMER_H */
