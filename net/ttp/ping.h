/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Asking another host for a sign of life, without an RPC.
 */
#ifndef _NET_TTP_PING_H
#define _NET_TTP_PING_H

#include <linux/if_ether.h>
#include <linux/list.h>
#include <linux/timer.h>

#include "link.h"
#include "wire.h"

/* Questions of a namespace that may be open at the same time */
#define TTP_PING_MAX	64U

/**
 * struct ttp_ping - an open question
 *
 * Lifetime: allocated by the caller of ttp_ping_ask(), as the first member of
 * whatever @done needs.  Whoever deletes the armed timer, or the timer itself,
 * takes it out of the list, calls @done and frees it.
 *
 * @node: in ttp_net.pings
 * @timer: ends the wait
 * @tn: namespace
 * @ifindex: device
 * @mac: who is asked
 * @value: random number that the answer has to repeat
 * @sent_ns: when it was sent, monotonic
 * @rtt_ns: answer: time it took
 * @epoch: answer: incarnation of the peer
 * @mtu: answer: its MTU
 * @done: called once, BH disabled; @error is 0 or -ETIMEDOUT
 */
struct ttp_ping {
	struct list_head	node;
	struct timer_list	timer;
	struct ttp_net		*tn;
	int			ifindex;
	u8			mac[ETH_ALEN];
	u32			value;
	u64			sent_ns;
	u64			rtt_ns;
	u32			epoch;
	u16			mtu;
	void			(*done)(struct ttp_ping *ping, int error);
};

/**
 * ttp_ping_ask() - send a question
 * @ping: zeroed but for @done; belongs to ping.c on success
 * @link: device
 * @mac: whom to ask
 * @size: bytes of payload
 * @timeout_ms: how long to wait
 *
 * Context: process, RCU read section.
 * Return: 0; -EBUSY if too many are open; -EMSGSIZE if @size does not fit the
 * device; -ENETDOWN; -ENOBUFS.
 */
int ttp_ping_ask(struct ttp_ping *ping, struct ttp_link *link, const u8 *mac,
		 u32 size, u32 timeout_ms);

/**
 * ttp_ping_answer() - a PROBE_REPLY came in
 * @link: where
 * @mac: from whom
 * @pkt: the packet
 *
 * Context: softirq, RCU read section, no lock of ours held.
 */
void ttp_ping_answer(struct ttp_link *link, const u8 *mac,
		     const struct ttp_packet *pkt);

/**
 * ttp_ping_net_exit() - drop the questions of a namespace
 * @tn: the namespace, where nobody is left to ask new ones
 *
 * Timers that run at the time are done after a grace period.
 *
 * Context: process.
 */
void ttp_ping_net_exit(struct ttp_net *tn);

#endif /* _NET_TTP_PING_H */
