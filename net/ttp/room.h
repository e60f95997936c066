/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Room for incoming messages: a socket's receive budget, and the namespace's
 * memory.
 *
 * What comes of a message without a grant has room before its bytes are kept,
 * all of it before anything is granted, so that no set of half received
 * messages can block each other.
 */
#ifndef _NET_TTP_ROOM_H
#define _NET_TTP_ROOM_H

#include "sock.h"

struct ttp_rpc;

/**
 * ttp_room_reserve() - take receive budget
 * @rpc: the RPC; if it must wait, it joins ttp_sock.waiting or .growing
 *
 * At first for the bytes that come without a grant; when it has that, for all
 * of the message.  One message may exceed SO_RCVBUF if nothing else is
 * buffered, and so may one long message beside short ones and starts.  The
 * shortest is served first, with a share for who waits longest.  The
 * namespace's limit counts it, too: were it to count packets, messages half
 * received could fill it and wait for ever.
 *
 * Context: BH disabled, rpc->lock held.
 * Return: whether it has the budget now.
 */
bool ttp_room_reserve(struct ttp_rpc *rpc) __must_hold(&rpc->lock);

/**
 * ttp_room_give_back() - give receive budget back, and wait for none
 * @rpc: the RPC, which has a socket
 *
 * Context: BH disabled, rpc->lock and its socket's lock held.
 */
void ttp_room_give_back(struct ttp_rpc *rpc) __must_hold(&rpc->lock);

/**
 * ttp_room_done() - a message that came needs no more room
 * @rpc: the RPC, which has a socket
 *
 * Context: BH disabled, rpc->lock held.
 */
void ttp_room_done(struct ttp_rpc *rpc) __must_hold(&rpc->lock);

/**
 * ttp_room_next() - the RPC whose turn it is to get receive budget
 * @sk: the socket
 * @growing: for all of its message, not only for its start
 *
 * Context: any.
 * Return: an RPC with a reference if its message fits now, else NULL.
 */
struct ttp_rpc *ttp_room_next(struct sock *sk, bool growing);

#endif /* _NET_TTP_ROOM_H */
