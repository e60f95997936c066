/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which incoming messages may send how much: the receiver's decision.
 *
 * Layer 0: knows neither sk_buffs nor RPCs; the owner locks.  A message that
 * was announced waits here until all of it is granted.  Up to a number of them
 * (overcommitment), each of another peer, are granted a window ahead of what
 * has arrived, those with the least left first; all together no more than a
 * limit.  More than one, for a sender may be busy with other receivers: see
 * Montazeri et al., "Homa: A Receiver-Driven Low-Latency Transport Protocol
 * Using Network Priorities" (SIGCOMM 2018), section 3.5.
 */
#ifndef _NET_TTP_SCHED_H
#define _NET_TTP_SCHED_H

#include "level.h"
#include "share.h"
#include "srpt.h"

/* Messages granted at a time, at most */
#define TTP_SCHED_MAX		32U
/* Decisions in a run: these, and the share of the oldest */
#define TTP_SCHED_PICKS		(TTP_SCHED_MAX + 1)

/**
 * struct ttp_sched_rules - what a receiver allows
 * @incoming: bytes granted and not arrived, of all messages; 0 = as many as
 *	@overcommit of the longest window, fewer while the network loses them
 * @overcommit: messages granted at a time, 1 to TTP_SCHED_MAX
 * @levels: priority levels for granted bytes
 */
struct ttp_sched_rules {
	u64	incoming;
	u32	overcommit;
	u8	levels;
};

/**
 * struct ttp_sched_peer - a sender
 * @queue: its messages that want grants
 * @node: in ttp_sched.peers, by the first of @queue
 * @path: how much of a window the network on the way has room for
 * @late: its last granted packet that told had to wait in the network
 * @msgs: its messages that are known here
 */
struct ttp_sched_peer {
	struct ttp_srpt		queue;
	struct ttp_srpt_node	node;
	struct ttp_share	path;
	bool			late;
	u32			msgs;
};

/**
 * struct ttp_sched_news - what came with bytes of a message
 * @bytes: how many
 * @packet: bytes of a packet
 * @unsent: bytes that its sender might have sent and has not
 * @granted: whether they were granted
 * @judged: whether there is a target for how long these take
 * @timed: whether it is known how long they took
 * @late: whether that was longer than it should be, on the way
 * @again: whether they were sent before, and lost
 */
struct ttp_sched_news {
	u32	bytes;
	u32	packet;
	u32	unsent;
	bool	granted;
	bool	judged;
	bool	timed;
	bool	late;
	bool	again;
};

/**
 * struct ttp_sched_msg - an incoming message
 * @node: in ttp_sched_peer.queue while it wants a grant
 * @age: in ttp_sched.by_age likewise
 * @peer: its sender; NULL when it is not known here
 * @len: bytes of it
 * @received: bytes that have arrived
 * @granted: bytes from the start that the sender may send
 * @window: bytes granted beyond what has arrived
 * @uplink: how much of @window its sender can use: it may be busy with others
 * @counted: bytes that it has in ttp_sched.incoming
 * @level: priority level of the last grant
 * @lowest: lowest level of what is granted and has not arrived; the highest
 *	there is if nothing was granted
 * @closing: 1 + @lowest, when it has all of its grants and not arrived; or 0
 * @favoured: being the oldest it was granted bytes that overtake what it was
 *	granted before; until all of that is here, or it is the first, it gets
 *	its share only, for its sender keeps no more than two levels apart
 * @stalled: the sender is silent; nothing is granted, nothing counted
 * @blocked: there is no room for more of it
 */
struct ttp_sched_msg {
	struct ttp_srpt_node	node;
	struct list_head	age;
	struct ttp_sched_peer	*peer;
	u32			len;
	u32			received;
	u32			granted;
	u32			window;
	struct ttp_share	uplink;
	u32			counted;
	u8			level;
	u8			lowest;
	u8			closing;
	bool			favoured;
	bool			stalled;
	bool			blocked;
};

/**
 * struct ttp_sched - the incoming messages of a device
 * @peers: senders of messages that want a grant (ttp_sched_peer.node)
 * @by_age: these messages, in order of arrival
 * @incoming: bytes granted and not arrived
 * @longest: longest window of those that were granted last, bytes
 * @all: how much of as many of these as are granted at a time
 * @senders: peers with messages that are known here
 * @owed: bytes of its share that the oldest message did not get yet
 * @closing: messages that have all of their grants and have not arrived, by
 *	ttp_sched_msg.lowest
 */
struct ttp_sched {
	struct ttp_srpt		peers;
	struct list_head	by_age;
	u64			incoming;
	u32			longest;
	struct ttp_share	all;
	u32			senders;
	s64			owed;
	u32			closing[TTP_LEVELS];
};

/**
 * ttp_sched_init() - no message, no sender
 * @s: the scheduler
 *
 * Context: any.
 */
void ttp_sched_init(struct ttp_sched *s);

/**
 * ttp_sched_peer_init() - a sender without messages
 * @peer: the sender
 *
 * Context: any.
 */
void ttp_sched_peer_init(struct ttp_sched_peer *peer);

/**
 * ttp_sched_add() - a message has begun to arrive
 * @s: the scheduler
 * @peer: its sender
 * @msg: the message, not known yet; len, received, granted, window are set
 *
 * Context: any, the owner's lock.
 */
void ttp_sched_add(struct ttp_sched *s, struct ttp_sched_peer *peer,
		   struct ttp_sched_msg *msg);

/**
 * ttp_sched_arrived() - more of a message has arrived
 * @s: the scheduler
 * @msg: the message
 * @received: bytes that are here
 *
 * A stalled message goes on by that.
 *
 * Context: any, the owner's lock.
 */
void ttp_sched_arrived(struct ttp_sched *s, struct ttp_sched_msg *msg,
		       u32 received);

/**
 * ttp_sched_learn() - adjust what senders get
 * @s: the scheduler
 * @msg: a message, known here
 * @overcommit: messages granted at a time
 * @news: what came with more of it
 *
 * A message whose sender does not send what it is granted gets less, and so do all
 * of a sender if the network on the way delays them, and all together if it has
 * no room for so many.
 *
 * Context: any, the owner's lock.
 */
void ttp_sched_learn(struct ttp_sched *s, struct ttp_sched_msg *msg,
		     u32 overcommit, const struct ttp_sched_news *news);

/**
 * ttp_sched_stall() - the sender of a message does not send what it may
 * @s: the scheduler
 * @msg: the message
 *
 * Others may have what it does not use.
 *
 * Context: any, the owner's lock.
 */
void ttp_sched_stall(struct ttp_sched *s, struct ttp_sched_msg *msg);

/**
 * ttp_sched_block() - what was granted last has no room
 * @s: the scheduler
 * @msg: the message
 * @granted: what was granted before
 *
 * Context: any, the owner's lock.
 */
void ttp_sched_block(struct ttp_sched *s, struct ttp_sched_msg *msg,
		     u32 granted);

/**
 * ttp_sched_unblock() - there is room for all of a message
 * @s: the scheduler
 * @msg: the message
 * @granted: what its sender knows that it may send
 *
 * Context: any, the owner's lock.
 */
void ttp_sched_unblock(struct ttp_sched *s, struct ttp_sched_msg *msg,
		       u32 granted);

/**
 * ttp_sched_levelled() - at which level a grant really goes
 * @msg: the message, known here
 * @level: what its sender was told
 *
 * What is not raised overtakes nothing.
 *
 * Context: any, the owner's lock.
 */
void ttp_sched_levelled(struct ttp_sched_msg *msg, u8 level);

/**
 * ttp_sched_lowest() - at which levels a message is on its way
 * @s: the scheduler
 * @msg: the message, known here
 * @lowest: the lowest of them
 *
 * Context: any, the owner's lock.
 */
void ttp_sched_lowest(struct ttp_sched *s, struct ttp_sched_msg *msg,
		      u8 lowest);

/**
 * ttp_sched_del() - forget a message, if it is known
 * @s: the scheduler
 * @msg: the message
 *
 * Context: any, the owner's lock.
 */
void ttp_sched_del(struct ttp_sched *s, struct ttp_sched_msg *msg);

/**
 * ttp_sched_slowed() - whether a sender gets less for the network's sake
 * @peer: the sender
 *
 * Context: any.
 * Return: see above.
 */
bool ttp_sched_slowed(const struct ttp_sched_peer *peer);

/**
 * ttp_sched_run() - grant what should be granted now
 * @s: the scheduler
 * @rules: what is allowed
 * @picks: gets the messages whose granted and level have changed
 * @again: set to whether one got all, so that another one may take its place
 *
 * Context: any, the owner's lock.
 * Return: how many.
 */
unsigned int ttp_sched_run(struct ttp_sched *s,
			   const struct ttp_sched_rules *rules,
			   struct ttp_sched_msg *picks[TTP_SCHED_PICKS],
			   bool *again);

#endif /* _NET_TTP_SCHED_H */
