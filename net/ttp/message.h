/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A message on its way out or in: where its bytes are.
 */
#ifndef _NET_TTP_MESSAGE_H
#define _NET_TTP_MESSAGE_H

#include <linux/rbtree.h>
#include <linux/skbuff.h>
#include <linux/uio.h>

#include "ranges.h"
#include "wire.h"

/* Messages up to this long are kept in one piece and copied into packets */
#define TTP_MSG_SMALL		2048U
/* Acknowledged bytes kept, so that a short piece can be sent with them */
#define TTP_MSG_KEEP		128U
/* A packet that takes more memory than this for its bytes is copied */
#define TTP_MSG_WASTE(len)	(4 * (len) + 128)
/* Holes in an incoming message; a packet that would make more is dropped */
#define TTP_MSG_MAX_HOLES	512U

/**
 * struct ttp_piece - bytes of a message to be sent that are in one page
 * @page: it, with a reference
 * @offset: of the first byte in it
 * @start: of the first byte in the message; they end where the next piece starts
 */
struct ttp_piece {
	struct page	*page;
	u32		offset;
	u32		start;
};

/**
 * struct ttp_msgout - message to be sent
 * @len: bytes
 * @unsched: bytes that go without a grant
 * @granted: bytes from the start that may be sent
 * @sent: bytes from the start that were sent once
 * @acked: bytes from the start that the receiver has
 * @level: priority level of bytes that go without a grant
 * @granted_level: priority level of granted bytes from @level_from on
 * @before_level: priority level of granted bytes below
 * @fixed: the program has chosen @level, for all of it
 * @held: the receiver said FULL; nothing goes until it grants
 * @level_from: see @granted_level
 * @mark: SO_MARK of its packets
 * @priority: SO_PRIORITY of its packets; 0 = by their level
 * @tx_flags: SKBTX_*, time stamps wanted of the last packet
 * @stamp_ack: a time stamp of its acknowledgment is wanted
 * @tskey: what those are known by
 * @shared: others may write to its pages, as sendfile() takes those of a file
 * @truesize: memory taken, a page for each piece that is held
 * @count: entries of @pieces
 * @room: how many there is room for
 * @freed: pieces from the start that were given back
 * @tail: bytes in the last page, if that is ours to add to, and not full; else 0
 * @small: the bytes, if there are no more than TTP_MSG_SMALL
 * @pieces: else in pages
 * @uarg: whom to tell when the program's own pages are not needed any more, with a
 *	reference; NULL if there are none of them
 *
 * Nobody but their owner changes the bytes once they are here, so packets refer
 * to the pages, each with a reference of its own.
 */
struct ttp_msgout {
	u32		len;
	u32		unsched;
	u32		granted;
	u32		sent;
	u32		acked;
	u8		level;
	u8		granted_level;
	u8		before_level;
	bool		fixed;
	bool		held;
	bool		shared;
	u8		tx_flags;
	bool		stamp_ack;
	u32		level_from;
	u32		mark;
	u32		priority;
	u32		tskey;
	u32		truesize;
	u32		count;
	u32		room;
	u32		freed;
	u32		tail;
	void		*small;
	struct ttp_piece *pieces;
	struct ubuf_info *uarg;
};

/**
 * struct ttp_msgin - message being received
 * @len: bytes; valid once @known
 * @known: a packet of it has arrived
 * @budget: room was reserved in the socket's receive buffer, for @unsched bytes
 *	at least
 * @roomy: room for all of a message was reserved that is longer than @unsched
 * @whole: all bytes are here
 * @readers: receive calls that copy from @skbs, which stay for so long
 * @level: priority level of its last packet
 * @granted_level: priority level of granted bytes
 * @before_level: priority level of those before @relevelled
 * @overtakes: bytes from @relevelled on were granted at a higher level
 * @unsched: bytes from the start that come without a grant
 * @granted: bytes from the start that the sender may send
 * @relevelled: from here on bytes were granted at another level than before;
 *	0 = it has not changed
 * @high: one after the last byte that is here
 * @low: one after the last byte below @relevelled that is here
 * @received: bytes that are here
 * @milestone: how many of them count as progress next
 * @reserved: bytes of receive budget taken
 * @excess: those that are not held against others
 * @truesize: memory of @skbs
 * @have: which bytes are here
 * @skbs: packets by offset, not overlapping (skb->rbnode)
 * @newest: the one of @skbs that came last; NULL if there is none
 */
struct ttp_msgin {
	u32			len;
	bool			known;
	bool			budget;
	bool			roomy;
	bool			whole;
	u32			readers;
	u8			level;
	u8			granted_level;
	u8			before_level;
	bool			overtakes;
	u32			unsched;
	u32			granted;
	u32			relevelled;
	u32			high;
	u32			low;
	u32			received;
	u32			milestone;
	u32			reserved;
	u32			excess;
	u32			truesize;
	struct ttp_ranges	have;
	struct rb_root		skbs;
	struct sk_buff		*newest;
};

/**
 * ttp_msgout_truesize() - memory the bytes of a message take that are copied at once
 * @len: bytes of the message
 *
 * Context: any.
 * Return: bytes.
 */
u32 ttp_msgout_truesize(u32 len);

/**
 * ttp_msgout_growth() - memory that more bytes of a message will take, at most
 * @out: the message so far
 * @from: where the bytes are
 * @len: how many
 * @pin: whether their pages will be taken
 *
 * Context: any.
 * Return: bytes; pages that are taken count whole, however little of them is used.
 */
u32 ttp_msgout_growth(const struct ttp_msgout *out, const struct iov_iter *from,
		      u32 len, bool pin);

/**
 * ttp_msgout_copy_small() - make a message of a copy of a few bytes
 * @out: zeros
 * @from: where the bytes are
 * @len: how many, at most TTP_MSG_SMALL
 *
 * Context: process, may sleep.
 * Return: 0; -EFAULT; -ENOMEM.  @out is unchanged on errors.
 */
int ttp_msgout_copy_small(struct ttp_msgout *out, struct iov_iter *from,
			  u32 len);

/**
 * ttp_msgout_copy() - add a copy of bytes to a message
 * @out: zeros, or what was added before
 * @from: where the bytes are
 * @len: how many
 *
 * Context: process, may sleep.
 * Return: 0; -EFAULT; -ENOMEM.  @out is unchanged on errors.
 */
int ttp_msgout_copy(struct ttp_msgout *out, struct iov_iter *from, u32 len);

/**
 * ttp_msgout_pin() - add the very pages that have the bytes to a message
 * @out: zeros, or what was added before
 * @from: where the bytes are
 * @len: how many, not 0
 *
 * Context: process, may sleep.
 * Return: 0; -EFAULT; -ENOMEM; -EIO for pages without references.  @out is unchanged
 * on errors.
 */
int ttp_msgout_pin(struct ttp_msgout *out, struct iov_iter *from, u32 len);

/**
 * ttp_msgout_cut() - undo what was added last
 * @out: the message
 * @len: its length before
 * @tail: its @tail before
 *
 * Context: process.
 */
void ttp_msgout_cut(struct ttp_msgout *out, u32 len, u32 tail);

/**
 * ttp_msgout_rewind() - begin anew, as if nothing had been sent
 * @out: the message, of which nothing was acknowledged
 *
 * Context: any, the owner's lock.
 */
void ttp_msgout_rewind(struct ttp_msgout *out);

/**
 * ttp_msgout_free() - free the bytes
 * @out: the message
 *
 * Context: any, the owner's lock.
 */
void ttp_msgout_free(struct ttp_msgout *out);

/**
 * ttp_msgout_grant() - note what the receiver allows
 * @out: the message
 * @granted: bytes from the start; a lower value than before changes nothing
 * @level: priority level of what was not granted before
 *
 * Context: any, the owner's lock.
 */
void ttp_msgout_grant(struct ttp_msgout *out, u32 granted, u8 level);

/**
 * ttp_msgout_level() - priority level of a piece of a message
 * @out: the message
 * @offset: its first byte
 *
 * Context: any, the owner's lock.
 * Return: the level.
 */
u8 ttp_msgout_level(const struct ttp_msgout *out, u32 offset);

/**
 * ttp_msgout_acked() - note how much the receiver has
 * @out: the message
 * @received: bytes from the start
 *
 * Frees the pages that can no longer be asked for.
 *
 * Context: any, the owner's lock.
 * Return: bytes by which the message's acknowledged part grew.
 */
u32 ttp_msgout_acked(struct ttp_msgout *out, u32 received);

/**
 * ttp_msgout_fill() - append bytes of a message to a packet
 * @out: the message
 * @skb: packet with room in its linear part if @copy
 * @offset: first byte, at most TTP_MSG_KEEP below @out->acked
 * @len: how many
 * @copy: whether to copy them instead of referring to the pages
 *
 * Context: any, the owner's lock.
 */
void ttp_msgout_fill(struct ttp_msgout *out, struct sk_buff *skb, u32 offset,
		     u32 len, bool copy);

/**
 * ttp_msgout_frags() - page fragments that a piece would need
 * @out: the message
 * @offset: first byte
 * @len: how many
 *
 * Context: any, the owner's lock.
 * Return: the number; 0 if the bytes have to be copied.
 */
unsigned int ttp_msgout_frags(const struct ttp_msgout *out, u32 offset,
			      u32 len);

/**
 * ttp_msgin_init() - begin to wait for a message
 * @in: the message
 *
 * Context: any.
 */
void ttp_msgin_init(struct ttp_msgin *in);

/**
 * ttp_msgin_fit() - what to keep of a packet
 * @in: the message
 * @skb: packet, its data being the payload
 *
 * A message may come in the smallest pieces, each in a buffer for the longest
 * frame.  A message that is a single packet is left as it came: there can be
 * no more of them than of RPCs.
 *
 * Context: any.
 * Return: @skb, or a copy of it in less memory.
 */
struct sk_buff *ttp_msgin_fit(const struct ttp_msgin *in, struct sk_buff *skb);

/**
 * ttp_msgin_add() - put a packet's bytes in
 * @in: the message
 * @skb: packet, its data being the payload; consumed if 0 is returned
 * @offset: of the payload in the message
 *
 * Only the first piece that is not here yet is kept of it.
 *
 * Context: any, the owner's lock.
 * Return: 0; -EEXIST if all of it is here already; -ENOSPC if the message
 * has too many holes; -ENOMEM.
 */
int ttp_msgin_add(struct ttp_msgin *in, struct sk_buff *skb, u32 offset);

/**
 * ttp_msgin_relevel() - what is granted from now on goes at another level
 * @in: the message
 * @up: at a higher one
 *
 * At a higher one it may overtake what was granted before.
 *
 * Context: any, the owner's lock.
 * Return: false if what was granted before the last change is still to come: then
 * there must not be another one.
 */
bool ttp_msgin_relevel(struct ttp_msgin *in, bool up);

/**
 * ttp_msgin_lowest() - level of what is slowest on its way
 * @in: the message
 *
 * Context: any, the owner's lock.
 * Return: the lowest level of granted bytes that have not arrived; the highest
 * there is if none was granted.
 */
u8 ttp_msgin_lowest(const struct ttp_msgin *in);

/**
 * ttp_msgin_suspect() - how far holes may mean that something was lost
 * @in: the message
 *
 * A hole means that if something that was sent later at the same level, or a
 * lower one, has arrived.
 *
 * Context: any, the owner's lock.
 * Return: bytes missing below that are suspect.
 */
u32 ttp_msgin_suspect(const struct ttp_msgin *in);

/**
 * ttp_msgin_up_to_date() - whether all has come that can come now
 * @in: the message
 *
 * A rest of a grant that is too small for a packet comes with the next one.
 *
 * Context: any, the owner's lock.
 * Return: false if something is missing that was granted.
 */
bool ttp_msgin_up_to_date(const struct ttp_msgin *in);

/**
 * ttp_msgin_copy() - copy a whole message to the user
 * @in: the message, of which the caller is a reader
 * @msg: where to
 * @len: bytes, at most the message's length
 *
 * Context: process, may sleep; no lock, @in->readers instead.
 * Return: 0 or -EFAULT.
 */
int ttp_msgin_copy(struct ttp_msgin *in, struct msghdr *msg, u32 len);

/**
 * ttp_msgin_purge() - free the packets
 * @in: the message
 *
 * Context: any, the owner's lock.
 */
void ttp_msgin_purge(struct ttp_msgin *in);

#endif /* _NET_TTP_MESSAGE_H */
