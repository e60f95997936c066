/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A message that a program is composing, in one call or in several (MSG_MORE).
 */
#ifndef _NET_TTP_DRAFT_H
#define _NET_TTP_DRAFT_H

#include "message.h"
#include "sock.h"

/* Memory that one message may take; more would overflow the socket's count */
#define TTP_DRAFT_MAX	(S32_MAX / 4 * 3)

/**
 * enum ttp_draft_how - where the bytes of a message go
 * @TTP_DRAFT_SMALL: copied into one piece; all of a message
 * @TTP_DRAFT_COPY: copied into pages
 * @TTP_DRAFT_PIN: they stay in the pages where they are
 */
enum ttp_draft_how {
	TTP_DRAFT_SMALL,
	TTP_DRAFT_COPY,
	TTP_DRAFT_PIN,
};

/**
 * struct ttp_draft - message that a program is composing
 *
 * Lifetime: of a send call, or from one with MSG_MORE to the one without; then
 * it is ttp_sock.draft, under ttp_sock.draft_lock, and freed by whoever takes
 * it from there.
 *
 * @out: the bytes so far
 * @charged: send buffer taken, TTP_RPC_COST included; 0 before the first part
 * @addr: destination, with the device resolved
 * @send: what the first part has said, or zeros
 */
struct ttp_draft {
	struct ttp_msgout	out;
	u32			charged;
	struct sockaddr_ttp	addr;
	struct ttp_send		send;
};

/**
 * ttp_draft_add() - add bytes
 * @sk: the socket, whose send buffer and whose namespace's memory they take
 * @draft: the message
 * @from: where they are
 * @len: how many, may be 0
 * @how: where they go
 * @timeo: jiffies to wait for room at most, 0 = do not
 *
 * Context: process, may sleep.
 * Return: 0; -EFAULT; -ENOBUFS; -EIO; what ttp_sock_charge_snd() returns.  @draft is
 * unchanged on errors.
 */
int ttp_draft_add(struct sock *sk, struct ttp_draft *draft,
		  struct iov_iter *from, u32 len, enum ttp_draft_how how,
		  long timeo);

/**
 * ttp_draft_cut() - undo ttp_draft_add()
 * @sk: the socket
 * @draft: the message
 * @before: the message before; both are pages, or @before is nothing
 *
 * Context: process.
 */
void ttp_draft_cut(struct sock *sk, struct ttp_draft *draft,
		   const struct ttp_draft *before);

/**
 * ttp_draft_drop() - give back what a message that was not sent has taken
 * @sk: the socket
 * @draft: the message
 *
 * Context: process.
 */
void ttp_draft_drop(struct sock *sk, struct ttp_draft *draft);

/**
 * ttp_draft_discard() - drop the message that the socket's program has not finished
 * @sk: the socket
 *
 * Context: process, may sleep; takes ttp_sock.draft_lock.
 */
void ttp_draft_discard(struct sock *sk);

#endif /* _NET_TTP_DRAFT_H */
