/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The receiver's policy: who may send how much.
 *
 * For now each message gets a window of its own, without regard to others.
 */
#ifndef _NET_TTP_GRANT_H
#define _NET_TTP_GRANT_H

#include "output.h"

/**
 * ttp_grant_update() - let the sender of rpc->in go on
 * @rpc: the RPC, of which a packet has arrived
 * @out: gets a GRANT if one is due
 *
 * Context: BH disabled, RCU read section, rpc->lock held.
 */
void ttp_grant_update(struct ttp_rpc *rpc, struct sk_buff_head *out)
	__must_hold(&rpc->lock);

/**
 * ttp_grant_start() - let a message begin that had to wait for room
 * @rpc: the RPC, which has budget now
 * @out: gets the GRANT
 *
 * Context: BH disabled, RCU read section, rpc->lock held.
 */
void ttp_grant_start(struct ttp_rpc *rpc, struct sk_buff_head *out)
	__must_hold(&rpc->lock);

/**
 * ttp_grant_waiting() - room has appeared in a socket's receive buffer
 * @sk: the socket
 * @out: gets a GRANT for each message that fits now
 *
 * Context: BH disabled, RCU read section, no lock held.
 */
void ttp_grant_waiting(struct sock *sk, struct sk_buff_head *out);

#endif /* _NET_TTP_GRANT_H */
