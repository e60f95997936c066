/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Endings that concern many RPCs, and tell the peers.
 */
#ifndef _NET_TTP_END_H
#define _NET_TTP_END_H

#include "output.h"

/**
 * ttp_end_socket() - a socket is closed
 * @sk: the socket
 *
 * Own RPCs are cancelled, those of others reset; answers that were accepted
 * still go out, without the socket.
 *
 * Context: process.
 */
void ttp_end_socket(struct sock *sk);

/**
 * ttp_end_cookie() - abort a client's RPCs
 * @sk: the socket
 * @cookie: which; 0 = all
 *
 * Context: process, socket lock held.
 * Return: 0; -ENOENT if there is none.
 */
int ttp_end_cookie(struct sock *sk, u64 cookie);

/**
 * ttp_end_abort() - an administrator ends what a socket does
 * @sk: the socket, which stays open, but takes part in nothing any more
 *
 * Own RPCs fail with ECONNABORTED, those of others are reset, answers that were
 * accepted still go out.  Responses that have arrived can be received.
 *
 * Context: process, socket lock held.
 */
void ttp_end_abort(struct sock *sk);

/**
 * ttp_end_peer() - an incarnation of a peer has ended
 * @peer: the peer
 * @epoch: that incarnation
 *
 * Own RPCs to it fail with ECONNRESET, its own are forgotten; those of a later
 * incarnation are left alone.
 *
 * Context: BH disabled, no lock held.
 */
void ttp_end_peer(struct ttp_peer *peer, u32 epoch);

/**
 * ttp_end_link() - disable a device
 * @link: the link; gone afterwards
 *
 * Own RPCs through it fail with EHOSTUNREACH; if the device still works, the
 * peers are told that this incarnation ends.
 *
 * Context: process, RTNL held, may sleep.
 */
void ttp_end_link(struct ttp_link *link);

/**
 * ttp_end_net() - disable all devices of a namespace
 * @tn: the namespace
 *
 * Context: process, RTNL held, may sleep.
 */
void ttp_end_net(struct ttp_net *tn);

#endif /* _NET_TTP_END_H */
