/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who is next: shortest remaining first, and a share for the oldest.
 *
 * Layer 0: knows neither sk_buffs nor RPCs; the owner locks.  That serving the
 * job with the least left first makes the mean waiting time the shortest is
 * Schrage, "A Proof of the Optimality of the Shortest Remaining Processing
 * Time Discipline" (1968); that the longest must not starve by it, and that a
 * share of 5 % for the oldest is enough, is the Homa protocol's.
 */
#ifndef _NET_TTP_SRPT_H
#define _NET_TTP_SRPT_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/types.h>

/* One in so many bytes is for who waits longest */
#define TTP_SRPT_SHARE		20U
/* Bytes of its share that are served at a time */
#define TTP_SRPT_QUANTUM	10000U

/**
 * struct ttp_srpt_node - a message in a queue
 * @by_left: in ttp_srpt.by_left
 * @age: in ttp_srpt.by_age
 * @left: bytes that are left of it
 * @born: breaks ties: the lower, the sooner
 * @in: whether it is in the queue
 */
struct ttp_srpt_node {
	struct rb_node		by_left;
	struct list_head	age;
	u32			left;
	u64			born;
	bool			in;
};

/**
 * struct ttp_srpt - a queue of messages
 * @by_left: by bytes left, then by birth
 * @by_age: who joined first is first
 * @owed: bytes of the share that the first of @by_age did not get yet; less
 *	than 0: it got more at once
 */
struct ttp_srpt {
	struct rb_root_cached	by_left;
	struct list_head	by_age;
	s64			owed;
};

/**
 * ttp_srpt_init() - make an empty queue
 * @q: the queue
 *
 * Context: any.
 */
void ttp_srpt_init(struct ttp_srpt *q);

/**
 * ttp_srpt_put() - put a message into the queue, or at its new place in it
 * @q: the queue
 * @node: the message
 * @left: bytes that are left of it
 * @born: what breaks ties; the same whenever it is put
 *
 * Context: any, the owner's lock.
 */
void ttp_srpt_put(struct ttp_srpt *q, struct ttp_srpt_node *node, u32 left,
		  u64 born);

/**
 * ttp_srpt_del() - take a message out, if it is in
 * @q: the queue
 * @node: the message
 *
 * Context: any, the owner's lock.
 */
void ttp_srpt_del(struct ttp_srpt *q, struct ttp_srpt_node *node);

/**
 * ttp_srpt_first() - the message with the least left
 * @q: the queue
 *
 * Context: any, the owner's lock.
 * Return: it stays in; NULL if there is none.
 */
struct ttp_srpt_node *ttp_srpt_first(const struct ttp_srpt *q);

/**
 * ttp_srpt_after() - the message that comes after another
 * @node: one in a queue
 *
 * Context: any, the owner's lock.
 * Return: it stays in; NULL if there is none.
 */
struct ttp_srpt_node *ttp_srpt_after(const struct ttp_srpt_node *node);

/**
 * ttp_srpt_before() - whether a message would be before all in the queue
 * @q: the queue
 * @node: the message, in it or not
 * @left: bytes that are left of it
 *
 * Context: any, the owner's lock.
 * Return: true as well if the queue is empty or it is the first already.
 */
bool ttp_srpt_before(const struct ttp_srpt *q,
		     const struct ttp_srpt_node *node, u32 left);

/**
 * ttp_srpt_next() - whose turn it is
 * @q: the queue
 * @oldest: set to whether it is the turn of who waits longest
 *
 * Context: any, the owner's lock.
 * Return: the message with the least left, or, when enough of its share has
 * come together, the one that waits longest; it stays in.  NULL if there is
 * none.
 */
struct ttp_srpt_node *ttp_srpt_next(struct ttp_srpt *q, bool *oldest);

/**
 * ttp_srpt_served() - account for what a message got in its turn
 * @q: the queue
 * @oldest: from ttp_srpt_next()
 * @bytes: how much
 *
 * Context: any, the owner's lock.
 */
void ttp_srpt_served(struct ttp_srpt *q, bool oldest, u32 bytes);

static inline bool ttp_srpt_empty(const struct ttp_srpt *q)
{
	return list_empty(&q->by_age);
}

#endif /* _NET_TTP_SRPT_H */
