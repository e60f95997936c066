/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The receiver's policy: who may send how much.
 *
 * What comes without a grant needs room in the receive buffer only.  Of longer
 * messages the rest is granted by ttp_sched_run(), which looks at all that
 * come in through a device, once for a batch of packets; room for all of a
 * message is taken when its first grant is given.
 */
#ifndef _NET_TTP_GRANT_H
#define _NET_TTP_GRANT_H

#include "output.h"

/**
 * ttp_grant_admit() - take room for what comes of a message without a grant
 * @rpc: the RPC; its message is known
 * @out: gets a GRANT if it has room now and had to wait; NULL if its sender
 *	knows already that it may send
 *
 * Context: BH disabled, RCU read section, rpc->lock held.
 * Return: whether it has room.
 */
bool ttp_grant_admit(struct ttp_rpc *rpc, struct sk_buff_head *out)
	__must_hold(&rpc->lock);

/**
 * ttp_grant_update() - tell the scheduler what has arrived of a message
 * @rpc: the RPC, live; its message has room
 * @news: what came with it; NULL if nothing has come just now
 *
 * Context: BH disabled, rpc->lock held.
 */
void ttp_grant_update(struct ttp_rpc *rpc, struct ttp_sched_news *news)
	__must_hold(&rpc->lock);

/**
 * ttp_grant_stalled() - a sender does not send what it was granted
 * @rpc: the RPC
 *
 * Context: BH disabled, rpc->lock held.
 */
void ttp_grant_stalled(struct ttp_rpc *rpc) __must_hold(&rpc->lock);

/**
 * ttp_grant_retry() - there may be room for the rest of a message
 * @rpc: the RPC
 *
 * Context: BH disabled, rpc->lock held.
 * Return: false if it waits for room still, or for nothing.
 */
bool ttp_grant_retry(struct ttp_rpc *rpc) __must_hold(&rpc->lock);

/**
 * ttp_grant_run() - grant what should be granted now
 * @link: the device
 * @out: gets the GRANTs
 *
 * Costs nothing if nothing has changed since the last time.
 *
 * Context: BH disabled, RCU read section, no lock held.
 */
void ttp_grant_run(struct ttp_link *link, struct sk_buff_head *out);

/**
 * ttp_grant_waiting() - room has appeared in a socket's receive buffer
 * @sk: the socket
 * @out: gets GRANTs
 *
 * Context: BH disabled, RCU read section, no lock held.
 */
void ttp_grant_waiting(struct sock *sk, struct sk_buff_head *out);

#endif /* _NET_TTP_GRANT_H */
