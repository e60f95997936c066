/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sender's policy: what goes to the device next, and when.
 *
 * A device is given no more than it sends within ttp_link_config.backlog_ns,
 * so that a short message never waits behind a long one below us; what is
 * beyond waits in ttp_pacer.queue, shortest remaining first.  Without a known
 * rate nothing waits.
 */
#ifndef _NET_TTP_PACER_H
#define _NET_TTP_PACER_H

#include "output.h"

/**
 * ttp_pacer_push() - send what may be sent and was not yet, now or in its turn
 * @rpc: the RPC
 * @most: bytes to send now at most
 * @out: gets the packets that go now
 *
 * Context: BH disabled, RCU read section, rpc->lock held.
 */
void ttp_pacer_push(struct ttp_rpc *rpc, u32 most, struct sk_buff_head *out)
	__must_hold(&rpc->lock);

/**
 * ttp_pacer_fn() - the timer of ttp_pacer: the device can take more
 * @timer: the timer
 *
 * Context: softirq.
 * Return: whether it is started again, with a new time.
 */
enum hrtimer_restart ttp_pacer_fn(struct hrtimer *timer);

#endif /* _NET_TTP_PACER_H */
