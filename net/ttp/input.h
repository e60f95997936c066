/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Receiving packets.
 */
#ifndef _NET_TTP_INPUT_H
#define _NET_TTP_INPUT_H

#include "output.h"

/**
 * struct ttp_input - a packet on its way through the receive path
 * @link: device it came through
 * @peer: who sent it, NULL if not known (yet)
 * @mac: address of the sender
 * @pkt: its headers
 * @mismatch: its RPC has other ports; was counted
 * @iif: device it arrived on first, which may be one below the link's
 * @card_ns: when, by the card's clock; 0 = not stamped
 * @rtt_ns: round-trip time that it tells, without what it waited in this host,
 *	ns; 0 = none
 * @out: gets the answers
 */
struct ttp_input {
	struct ttp_link		*link;
	struct ttp_peer		*peer;
	u8			mac[ETH_ALEN];
	struct ttp_packet	pkt;
	bool			mismatch;
	int			iif;
	s64			card_ns;
	u32			rtt_ns;
	struct sk_buff_head	*out;
};

/**
 * ttp_input_rcv() - packet handler for one packet
 * @skb: the packet; consumed
 * @dev: device
 * @pt: ttp_link.pt
 * @orig: device it arrived on first
 *
 * Context: softirq, RCU read section.
 * Return: NET_RX_SUCCESS.
 */
int ttp_input_rcv(struct sk_buff *skb, struct net_device *dev,
		  struct packet_type *pt, struct net_device *orig);

/**
 * ttp_input_rcv_list() - packet handler for a batch
 * @head: the packets; all consumed
 * @pt: ttp_link.pt
 * @orig: device they arrived on first
 *
 * Context: softirq, RCU read section.
 */
void ttp_input_rcv_list(struct list_head *head, struct packet_type *pt,
			struct net_device *orig);

/**
 * ttp_input_meet() - note what a packet tells about its sender
 * @in: the packet; @in->peer is set
 *
 * Context: softirq, no lock held.
 * Return: whether the packet is to be looked at further; if not, it was
 * counted.
 */
bool ttp_input_meet(struct ttp_input *in);

/**
 * ttp_input_data() - a DATA packet
 * @in: the packet
 * @skb: its payload; consumed
 *
 * Context: softirq, RCU read section, no lock held.
 */
void ttp_input_data(struct ttp_input *in, struct sk_buff *skb);

/**
 * ttp_input_control() - any other packet
 * @in: the packet
 * @buf: its headers and list
 *
 * Context: softirq, RCU read section, no lock held.
 */
void ttp_input_control(struct ttp_input *in, const void *buf);

/**
 * ttp_input_ack() - one acknowledgment
 * @in: the packet that brought it
 * @ack: what it says
 *
 * Context: softirq, RCU read section, no lock held.
 */
void ttp_input_ack(struct ttp_input *in, const struct ttp_ack *ack);

/**
 * ttp_input_find() - the RPC that a packet is about
 * @in: the packet
 *
 * Context: softirq, RCU read section.
 * Return: the RPC with a reference and rpc->lock held, live and matching in
 * ports; NULL if there is none.  ttp_input_meet() has seen to it that no RPC
 * of another incarnation of the peer is left, but for own ones that are
 * idempotent.
 */
struct ttp_rpc *ttp_input_find(struct ttp_input *in);

/**
 * ttp_input_saw() - have the id of a request count as used
 * @in: a packet of the request, which will not be run
 * @una: what it tells of its client's oldest RPC; 0 = nothing
 * @refused: the client is told so, perhaps more than once
 *
 * One that was refused or cancelled would leave a hole in the set of ids, and
 * would be run if it came late, although its client has given up.  A client
 * that is not known is not made known by this.
 *
 * Context: softirq, no lock held.
 */
void ttp_input_saw(struct ttp_input *in, u32 una, bool refused);

/**
 * ttp_input_unknown() - tell a client what became of its RPC
 * @in: a packet of it, for which no RPC was found
 *
 * Context: softirq, RCU read section, no lock held.
 */
void ttp_input_unknown(struct ttp_input *in);

#endif /* _NET_TTP_INPUT_H */
