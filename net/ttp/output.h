/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Building packets and handing them to the device.
 *
 * Everything here appends to a queue of the caller's, who hands it over with
 * ttp_output_flush() after releasing all locks, inside the same RCU read
 * section (the packets refer to the device).
 */
#ifndef _NET_TTP_OUTPUT_H
#define _NET_TTP_OUTPUT_H

#include <linux/sizes.h>
#include <linux/skbuff.h>

#include "rpc.h"

/*
 * However much is granted or asked for at once: bytes of a message that one
 * packet makes us send.  What is beyond waits for the next GRANT or RESEND, of
 * which an honest receiver sends several per megabyte; windows are limited
 * accordingly.
 */
#define TTP_OUTPUT_BURST	((u32)SZ_1M)

/* No network is faster, whatever its time stamps say, ns */
#define TTP_OUTPUT_MIN_RTT_NS	2000U
/* Longest time a peer's stamp is held before it is echoed, ns */
#define TTP_OUTPUT_MAX_HOLD_NS	1000000000U
/* How long acknowledgments wait for a packet to ride in, ns */
#define TTP_OUTPUT_ACK_DELAY_NS	50000U

/**
 * struct ttp_output_cb - our part of a packet in the caller's queue
 * @link: whose it is; the queue lives within one RCU read section
 */
struct ttp_output_cb {
	struct ttp_link	*link;
};

static inline struct ttp_output_cb *ttp_output_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct ttp_output_cb) > sizeof(skb->cb));
	return (struct ttp_output_cb *)skb->cb;
}

/**
 * ttp_output_ready() - whether there is something that may be sent
 * @rpc: the RPC
 *
 * Context: BH disabled, rpc->lock held.
 * Return: true if granted bytes were not sent yet, enough for a packet.
 */
bool ttp_output_ready(const struct ttp_rpc *rpc) __must_hold(&rpc->lock);

/**
 * ttp_output_some() - send what may be sent and was not yet
 * @rpc: the RPC
 * @most: bytes after which no further packet begins
 * @out: gets the packets
 *
 * Context: BH disabled, RCU read section, rpc->lock held.
 * Return: false if a packet could not be made.
 */
bool ttp_output_some(struct ttp_rpc *rpc, u32 most, struct sk_buff_head *out)
	__must_hold(&rpc->lock);

/**
 * ttp_output_again() - send a piece of a message once more
 * @rpc: the RPC
 * @start: first byte
 * @end: one after the last; clamped to what was sent and not acknowledged
 * @left: bytes to send at most; becomes less by what was sent
 * @out: gets the packets
 *
 * Context: BH disabled, RCU read section, rpc->lock held.
 */
void ttp_output_again(struct ttp_rpc *rpc, u32 start, u32 end, u32 *left,
		      struct sk_buff_head *out) __must_hold(&rpc->lock);

/**
 * ttp_output_first() - send a message's first packet once more, as a question
 * @rpc: the RPC
 * @out: gets the packet
 *
 * Context: BH disabled, RCU read section, rpc->lock held.
 */
void ttp_output_first(struct ttp_rpc *rpc, struct sk_buff_head *out)
	__must_hold(&rpc->lock);

/**
 * ttp_output_grant() - tell the sender of rpc->in how far it may go
 * @rpc: the RPC
 * @out: gets the packet
 *
 * Context: BH disabled, RCU read section, rpc->lock held.
 */
void ttp_output_grant(struct ttp_rpc *rpc, struct sk_buff_head *out)
	__must_hold(&rpc->lock);

/**
 * ttp_output_resend() - ask for what is missing of rpc->in
 * @rpc: the RPC
 * @limit: bytes from the start to look at
 * @all: ask for everything up to what was sent, also beyond what was granted
 * @out: gets the packet
 *
 * If nothing that was granted is missing, the GRANT is repeated instead.
 * Does nothing if that was asked less than one and a half round trips ago.
 *
 * Context: BH disabled, RCU read section, rpc->lock held.
 */
void ttp_output_resend(struct ttp_rpc *rpc, u32 limit, bool all,
		       struct sk_buff_head *out)
	__must_hold(&rpc->lock);

/**
 * ttp_output_note() - send a packet of an RPC that carries little or nothing
 * @rpc: the RPC
 * @type: BUSY, UNKNOWN, NEED_ACK, FULL, CANCEL or REJECT
 * @code: as in struct ttp_wire_note
 * @value: likewise
 * @out: gets the packet
 *
 * Context: BH disabled, RCU read section.
 */
void ttp_output_note(struct ttp_rpc *rpc, u8 type, u8 code, u32 value,
		     struct sk_buff_head *out);

/**
 * ttp_output_reply() - answer a packet without knowing an RPC of it
 * @link: where it came from
 * @mac: who sent it
 * @pkt: the packet
 * @type: UNKNOWN, REJECT, FULL or PROBE_REPLY
 * @code: as in struct ttp_wire_note
 * @value: likewise
 * @out: gets the answer
 *
 * Context: BH disabled, RCU read section.
 */
void ttp_output_reply(struct ttp_link *link, const u8 *mac,
		      const struct ttp_packet *pkt, u8 type, u8 code,
		      u32 value, struct sk_buff_head *out);

/**
 * ttp_output_probe() - send a packet of no RPC
 * @link: where to
 * @mac: whom to
 * @peer: its object, or NULL
 * @type: PROBE or CLOSE
 * @value: of a PROBE
 * @pad: bytes of payload (zeros) of a PROBE
 * @out: gets the packet
 *
 * Context: BH disabled, RCU read section.
 * Return: 0, -EMSGSIZE if it does not fit the device, -ENOBUFS.
 */
int ttp_output_probe(struct ttp_link *link, const u8 *mac,
		     struct ttp_peer *peer, u8 type, u32 value, u32 pad,
		     struct sk_buff_head *out);

/**
 * ttp_output_ack() - acknowledge that all of rpc->in has arrived
 * @rpc: the RPC
 * @out: gets a packet if that is due now
 *
 * Context: BH disabled, RCU read section, rpc->lock held.
 */
void ttp_output_ack(struct ttp_rpc *rpc, struct sk_buff_head *out);

/**
 * ttp_output_ack_id() - acknowledge a message without an RPC
 * @peer: its sender
 * @ack: the acknowledgment
 * @now: do not wait for others
 * @out: gets a packet if that is due
 *
 * Context: BH disabled, RCU read section.
 */
void ttp_output_ack_id(struct ttp_peer *peer, const struct ttp_ack *ack,
		       bool now, struct sk_buff_head *out);

/**
 * ttp_output_cutoffs() - tell a peer at which levels to send
 * @peer: the peer
 * @out: gets the packet
 *
 * Context: BH disabled, RCU read section; takes peer->lock.
 */
void ttp_output_cutoffs(struct ttp_peer *peer, struct sk_buff_head *out);

/**
 * ttp_output_acks() - send the acknowledgments that wait
 * @peer: whom to
 * @out: gets the packet
 *
 * Context: BH disabled, RCU read section.
 */
void ttp_output_acks(struct ttp_peer *peer, struct sk_buff_head *out);

/**
 * ttp_output_class() - tell queues and switches what comes before what
 * @link: the device
 * @skb: a packet to another host; its priority, if set, is the program's wish
 * @mac: whom to
 * @pkt: the same packet
 *
 * Context: BH disabled.
 */
void ttp_output_class(const struct ttp_link *link, struct sk_buff *skb,
		      const u8 *mac, const struct ttp_packet *pkt);

/**
 * ttp_output_flush() - hand packets to the device
 * @out: the packets; empty afterwards
 *
 * Context: BH disabled, RCU read section, no lock of ours held.
 */
void ttp_output_flush(struct sk_buff_head *out);

#endif /* _NET_TTP_OUTPUT_H */
