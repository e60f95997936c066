/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An RPC: a request and its response, or a one-way message.
 */
#ifndef _NET_TTP_RPC_H
#define _NET_TTP_RPC_H

#include <linux/timerqueue.h>

#include "message.h"
#include "peer.h"
#include "room.h"
#include "sock.h"

/* What an RPC costs as such, in the namespace's memory and in SO_SNDBUF */
#define TTP_RPC_COST	768U

/**
 * enum ttp_rpc_state - where an RPC stands
 * @TTP_RPC_OUTGOING: client: request on its way, or response awaited
 * @TTP_RPC_INCOMING: server: request is coming in
 * @TTP_RPC_READY: a receive call may take it
 * @TTP_RPC_SERVICE: server: the program has the request
 * @TTP_RPC_REPLYING: server: response on its way, or its ack awaited
 * @TTP_RPC_DONE: server: one-way message acknowledged, kept for duplicates
 * @TTP_RPC_DEAD: over; out of every table
 */
enum ttp_rpc_state {
	TTP_RPC_OUTGOING,
	TTP_RPC_INCOMING,
	TTP_RPC_READY,
	TTP_RPC_SERVICE,
	TTP_RPC_REPLYING,
	TTP_RPC_DONE,
	TTP_RPC_DEAD,
};

/**
 * struct ttp_rpc_key - what an RPC is found by
 * @peer: the other side
 * @id: with the role bit of this side's packets
 */
struct ttp_rpc_key {
	struct ttp_peer	*peer;
	u64		id;
} __aligned(sizeof(u64));

/**
 * struct ttp_rpc - an RPC, seen from one side
 *
 * Lifetime: ttp_rpc_client() or ttp_rpc_server() makes it with a reference
 * for being live (table, peer list, timer), one for the socket's list and one
 * for the caller.  ttp_rpc_unlink() ends the life on the wire and drops the
 * first; ttp_sock_leave() takes it from the socket and drops the second.  A
 * finished client RPC waits for its receive call unlinked, but with its
 * socket.  Being in ttp_sock.ready or .waiting needs no reference of its own,
 * as ttp_sock_leave() empties both.  Freed after a grace period.
 *
 * Lock order: @lock, then one of peer->lock, pacer.lock, granter.lock,
 * cutoffs.lock or ttp_sock.lock.  Never two
 * RPCs' locks at once.  Packets are built under @lock, but handed to the
 * device after it is released.
 *
 * Set when made:
 *
 * @hash: in ttp_net.rpcs while live
 * @key: peer and id
 * @refcnt: references
 * @rcu: for freeing
 * @tn: namespace
 * @client: role
 * @oneway: no response follows
 * @notify: a one-way message's acknowledgment is reported
 * @idempotent: client: it may be run again by the server's next incarnation
 * @lport: port of this side
 * @pport: port of the other side
 * @epoch: incarnation of the peer it belongs to; 0 = not known at the start.
 *	Changes under @lock if @idempotent
 * @limit: server: longest response the client takes
 * @cookie: client: of the program
 * @start_ns: client: when it was first sent; server: first packet
 * @timeout_ns: silence that ends it
 * @deadline_ns: when it ends in any case, monotonic; 0 = never
 *
 * @lock: protects all up to @snd_cost; BH spinlock, outermost
 * @state: see enum
 * @live: in table, peer list and timer queue
 * @informed: client: the server is known to have seen it
 * @asked_early: client: asked before a time-out whether the request arrived
 * @told_busy: the other side has said BUSY
 * @tries: time-outs without a sign of life in between
 * @error: positive errno of a failed one
 * @sk: its socket, NULL once that has nothing to do with it
 * @out: message this side sends
 * @in: message this side receives
 * @heard_ns: when a packet of it arrived last
 * @progress_ns: when enough of @in had arrived last, or more of it was up to us
 * @due_ns: when the timer has something to do; 0 = never
 * @asked_ns: when a RESEND was sent last
 * @resent_ns: when a RESEND was honoured last
 * @again_ns: when it began again, with another incarnation of the server; 0 = not
 * @sent_ns: when bytes of @out went for the first time, last
 * @arrived_ns: when DATA of @in arrived last, or was granted after a pause
 * @arrived_cpu: where that was
 * @arrived_bytes: what that CPU had received from the link by then
 * @hole_ns: since when the first hole in @in may be a loss; 0 = there is none
 * @snd_cost: what it has of SO_SNDBUF besides @out.truesize: TTP_RPC_COST
 *	once it sends, until the response is here or a failure was received
 *
 * Under peer->lock:
 *
 * @peer_node: in ttp_peer.open or .served
 * @timer: in ttp_peer.queue if @queued
 * @queued: see @timer
 *
 * Under pacer.lock of the link (whether it is in also under @lock, as for the
 * next one and @wait):
 *
 * @tx: in ttp_pacer.queue while it waits for its turn to send
 *
 * Under granter.lock of the link:
 *
 * @rx: in ttp_granter.sched while its message comes in
 *
 * Under the socket's lock:
 *
 * @sock_node: in ttp_sock.rpcs
 * @ready_node: in ttp_sock.ready, or empty
 * @wait: in ttp_sock.waiting or .growing while there is no room for it
 */
struct ttp_rpc {
	struct rhash_head	hash;
	struct ttp_rpc_key	key;
	refcount_t		refcnt;
	struct rcu_head		rcu;
	struct ttp_net		*tn;
	bool			client;
	bool			oneway;
	bool			notify;
	bool			idempotent;
	u16			lport;
	u16			pport;
	u32			epoch;
	u32			limit;
	u64			cookie;
	u64			start_ns;
	u64			timeout_ns;
	u64			deadline_ns;

	spinlock_t		lock;	/* all up to snd_cost */
	enum ttp_rpc_state	state;
	bool			live;
	bool			informed;
	bool			asked_early;
	bool			told_busy;
	u8			tries;
	int			error;
	struct sock		*sk;
	struct ttp_msgout	out;
	struct ttp_msgin	in;
	u64			heard_ns;
	u64			progress_ns;
	u64			due_ns;
	u64			asked_ns;
	u64			resent_ns;
	u64			again_ns;
	u64			sent_ns;
	u64			arrived_ns;
	int			arrived_cpu;
	unsigned long		arrived_bytes;
	u64			hole_ns;
	u32			snd_cost;

	struct list_head	peer_node;
	struct timerqueue_node	timer;
	bool			queued;

	struct ttp_srpt_node	tx;
	struct ttp_sched_msg	rx;

	struct list_head	sock_node;
	struct list_head	ready_node;
	struct ttp_srpt_node	wait;
};

/**
 * ttp_rpc_slab_init() - make the slab of RPC objects
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int ttp_rpc_slab_init(void);

/**
 * ttp_rpc_slab_exit() - destroy the slab, after all objects were freed
 *
 * Context: process, may sleep.
 */
void ttp_rpc_slab_exit(void);

/**
 * ttp_rpc_net_init() - set up a namespace's table of RPCs
 * @tn: the namespace
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int ttp_rpc_net_init(struct ttp_net *tn);

/**
 * ttp_rpc_net_exit() - free a namespace's table of RPCs, which is empty
 * @tn: the namespace
 *
 * Context: process, may sleep.
 */
void ttp_rpc_net_exit(struct ttp_net *tn);

/**
 * struct ttp_rpc_wish - how a client wants its RPC
 * @pport: port of the server
 * @flags: TTP_F_*
 * @timeout_ms: deadline of the whole RPC, 0 = none
 * @cookie: the program's
 */
struct ttp_rpc_wish {
	u16	pport;
	u32	flags;
	u32	timeout_ms;
	u64	cookie;
};

/**
 * ttp_rpc_client() - begin an RPC
 * @sk: its socket, which has a port
 * @peer: the server
 * @wish: the rest
 * @out: the request, which becomes the RPC's on success
 *
 * Context: process; on success BH disabled and rpc->lock held, so that
 * nothing happens to it before the caller has sent the first packets.
 * Return: the RPC with a reference for the caller; ERR_PTR(-ENOBUFS),
 * ERR_PTR(-EPIPE) if the socket is closed, ERR_PTR(-ENETUNREACH) if the peer
 * is going away.
 */
struct ttp_rpc *ttp_rpc_client(struct sock *sk, struct ttp_peer *peer,
			       const struct ttp_rpc_wish *wish,
			       struct ttp_msgout *out);

/**
 * ttp_rpc_server() - accept an RPC that a packet begins
 * @sk: socket that takes it
 * @peer: the client
 * @pkt: a DATA packet of the request
 *
 * Context: softirq; on success rpc->lock held.
 * Return: the RPC with a reference for the caller; ERR_PTR(-EALREADY) if the
 * id was used before, ERR_PTR(-EDQUOT) if the client has too many open,
 * ERR_PTR(-ENOBUFS) if there is no room for it now, ERR_PTR(-ECONNREFUSED) if
 * the socket is closed, ERR_PTR(-ESTALE) if the client has restarted,
 * ERR_PTR(-ENOMEM).
 */
struct ttp_rpc *ttp_rpc_server(struct sock *sk, struct ttp_peer *peer,
			       const struct ttp_packet *pkt);

/**
 * ttp_rpc_set_state() - go on to another state
 * @rpc: the RPC
 * @state: which
 *
 * Context: BH disabled, rpc->lock held.
 */
void ttp_rpc_set_state(struct ttp_rpc *rpc, enum ttp_rpc_state state)
	__must_hold(&rpc->lock);

/**
 * ttp_rpc_sends() - attach the message that this side sends
 * @rpc: the RPC, of a socket whose send buffer was charged
 * @out: the message, which becomes the RPC's
 *
 * Context: BH disabled, rpc->lock held.
 */
void ttp_rpc_sends(struct ttp_rpc *rpc, const struct ttp_msgout *out)
	__must_hold(&rpc->lock);

/**
 * ttp_rpc_has_reader() - whether somebody may still receive it
 * @rpc: the RPC
 *
 * Context: BH disabled, rpc->lock held.
 * Return: false without a socket, or after SHUT_RD.
 */
bool ttp_rpc_has_reader(const struct ttp_rpc *rpc) __must_hold(&rpc->lock);

/**
 * ttp_rpc_find() - look an RPC up
 * @tn: the namespace
 * @peer: the other side
 * @id: with the role bit of this side
 *
 * Context: RCU read section.
 * Return: the RPC with a reference for the caller, or NULL.
 */
struct ttp_rpc *ttp_rpc_find(struct ttp_net *tn, struct ttp_peer *peer, u64 id);

static inline struct ttp_rpc *ttp_rpc_get(struct ttp_rpc *rpc)
{
	refcount_inc(&rpc->refcnt);
	return rpc;
}

/**
 * ttp_rpc_put() - drop a reference
 * @rpc: the RPC
 *
 * Context: any; not the last one under rpc->lock.
 */
void ttp_rpc_put(struct ttp_rpc *rpc);

/**
 * ttp_rpc_not_incoming() - nothing more is granted of its incoming message
 * @rpc: the RPC
 *
 * Context: BH disabled, rpc->lock held.
 */
void ttp_rpc_not_incoming(struct ttp_rpc *rpc) __must_hold(&rpc->lock);

/**
 * ttp_rpc_unlink() - end an RPC's life on the wire
 * @rpc: the RPC
 *
 * Takes it out of table, peer list and timer queue.  It stays with its
 * socket.  Does nothing if that has happened.
 *
 * Context: BH disabled, rpc->lock held.
 */
void ttp_rpc_unlink(struct ttp_rpc *rpc) __must_hold(&rpc->lock);

/**
 * ttp_rpc_end() - end an RPC altogether
 * @rpc: the RPC
 *
 * Context: BH disabled, rpc->lock held; the caller holds a reference.
 */
void ttp_rpc_end(struct ttp_rpc *rpc) __must_hold(&rpc->lock);

/**
 * ttp_rpc_fail() - end an RPC and let its client program know
 * @rpc: the RPC; one of a server is just ended
 * @err: negative errno
 *
 * Context: BH disabled, rpc->lock held; the caller holds a reference.
 */
void ttp_rpc_fail(struct ttp_rpc *rpc, int err) __must_hold(&rpc->lock);

/**
 * ttp_rpc_arrived() - offer the message that came in to the program
 * @rpc: the RPC; all of rpc->in is there
 *
 * Context: BH disabled, rpc->lock held; the caller holds a reference.
 */
void ttp_rpc_arrived(struct ttp_rpc *rpc) __must_hold(&rpc->lock);

/**
 * ttp_rpc_consumed() - the program has read the message that came in
 * @rpc: the RPC, which a receive call has taken
 *
 * Context: BH disabled, rpc->lock held; the caller holds a reference.
 */
void ttp_rpc_consumed(struct ttp_rpc *rpc) __must_hold(&rpc->lock);

/**
 * ttp_rpc_reap_done() - forget one-way messages that the peer has finished
 * @peer: the peer
 * @una: id of its oldest open RPC, with the role bit of this side
 *
 * Context: BH disabled, no lock held.
 */
void ttp_rpc_reap_done(struct ttp_peer *peer, u64 una);

/**
 * ttp_rpc_acked() - a one-way message was acknowledged
 * @rpc: a client's RPC
 *
 * Context: BH disabled, rpc->lock held; the caller holds a reference.
 */
void ttp_rpc_acked(struct ttp_rpc *rpc) __must_hold(&rpc->lock);

/**
 * ttp_rpc_stamp_ack() - the other side has the message: tell, if that was wished
 * @rpc: the RPC
 *
 * Context: BH disabled, rpc->lock held.
 */
void ttp_rpc_stamp_ack(struct ttp_rpc *rpc) __must_hold(&rpc->lock);

/**
 * ttp_rpc_again() - begin anew with another incarnation of the server
 * @rpc: a client's RPC that is idempotent and waits for its response
 * @epoch: that incarnation
 *
 * As if nothing had been sent or received.  The caller sends the request.
 *
 * Context: BH disabled, rpc->lock held.
 */
void ttp_rpc_again(struct ttp_rpc *rpc, u32 epoch) __must_hold(&rpc->lock);

/**
 * ttp_rpc_delivered() - the other side has all of rpc->out
 * @rpc: the RPC
 *
 * Frees the bytes and gives the send buffer back, unless the RPC may have to
 * begin anew.
 *
 * Context: BH disabled, rpc->lock held.
 */
void ttp_rpc_delivered(struct ttp_rpc *rpc) __must_hold(&rpc->lock);

/**
 * ttp_rpc_received_up_to() - the other side has the start of rpc->out
 * @rpc: the RPC
 * @received: bytes from the start
 *
 * Context: BH disabled, rpc->lock held.
 */
void ttp_rpc_received_up_to(struct ttp_rpc *rpc, u32 received)
	__must_hold(&rpc->lock);

/**
 * ttp_rpc_waits() - whether it has bytes that wait for their turn to be sent
 * @rpc: the RPC
 *
 * Context: BH disabled, rpc->lock held.
 * Return: see above.
 */
bool ttp_rpc_waits(const struct ttp_rpc *rpc) __must_hold(&rpc->lock);

/**
 * ttp_rpc_schedule() - have the timer look at an RPC
 * @rpc: the RPC
 * @due_ns: when, monotonic; 0 = not
 *
 * Context: BH disabled, rpc->lock held.
 */
void ttp_rpc_schedule(struct ttp_rpc *rpc, u64 due_ns) __must_hold(&rpc->lock);

/**
 * ttp_rpc_moves() - note that more of the incoming message is here, or due
 * @rpc: the RPC
 * @now_ns: now, monotonic
 *
 * Context: BH disabled, rpc->lock held.
 */
void ttp_rpc_moves(struct ttp_rpc *rpc, u64 now_ns) __must_hold(&rpc->lock);

/**
 * ttp_rpc_una() - distance to the oldest open RPC of this client
 * @rpc: a client's RPC
 *
 * Context: BH disabled, peer->lock held.
 * Return: as in struct ttp_wire_data.
 */
u32 ttp_rpc_una(const struct ttp_rpc *rpc);

#endif /* _NET_TTP_RPC_H */
