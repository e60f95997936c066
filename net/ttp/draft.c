// SPDX-License-Identifier: GPL-2.0
/*
 * Messages being composed: bytes, and the memory they take.
 */
#include <linux/slab.h>

#include "draft.h"
#include "net.h"
#include "rpc.h"

static void ttp_draft_uncharge(struct sock *sk, struct ttp_draft *draft,
			       u32 cost, u32 truesize)
{
	draft->charged -= cost + truesize;
	ttp_sock_uncharge_snd(sk, cost + truesize);
	ttp_net_uncharge(ttp_net(sock_net(sk)), TTP_MEM_OUT, truesize);
}

static int ttp_draft_charge(struct sock *sk, struct ttp_draft *draft, u32 cost,
			    u32 truesize, long timeo)
{
	int err;

	/* One message may exceed the buffer, but not what can be counted there */
	if ((u64)draft->charged + cost + truesize > TTP_DRAFT_MAX)
		return -ENOBUFS;
	err = ttp_sock_charge_snd(sk, cost + truesize, draft->charged, timeo);
	if (err)
		return err;
	if (!ttp_net_charge(ttp_net(sock_net(sk)), TTP_MEM_OUT, truesize)) {
		ttp_sock_uncharge_snd(sk, cost + truesize);
		return -ENOBUFS;
	}
	draft->charged += cost + truesize;
	return 0;
}

static int ttp_draft_take(struct ttp_msgout *out, struct iov_iter *from,
			  u32 len, enum ttp_draft_how how)
{
	switch (how) {
	case TTP_DRAFT_SMALL:
		return ttp_msgout_copy_small(out, from, len);
	case TTP_DRAFT_PIN:
		return ttp_msgout_pin(out, from, len);
	default:
		return ttp_msgout_copy(out, from, len);
	}
}

int ttp_draft_add(struct sock *sk, struct ttp_draft *draft,
		  struct iov_iter *from, u32 len, enum ttp_draft_how how,
		  long timeo)
{
	u32 cost = draft->charged ? 0 : TTP_RPC_COST;
	u32 before = draft->out.truesize, truesize;
	int err;

	if (how == TTP_DRAFT_SMALL)
		truesize = ttp_msgout_truesize(len);
	else
		truesize = ttp_msgout_growth(&draft->out, from, len,
					     how == TTP_DRAFT_PIN);
	err = ttp_draft_charge(sk, draft, cost, truesize, timeo);
	if (err)
		return err;
	err = ttp_draft_take(&draft->out, from, len, how);
	if (err) {
		ttp_draft_uncharge(sk, draft, cost, truesize);
		if (!draft->charged)	/* room for pieces may be there */
			ttp_msgout_free(&draft->out);
		return err == -ENOMEM ? -ENOBUFS : err;
	}
	DEBUG_NET_WARN_ON_ONCE(draft->out.truesize - before != truesize);
	return 0;
}

void ttp_draft_cut(struct sock *sk, struct ttp_draft *draft,
		   const struct ttp_draft *before)
{
	u32 truesize = draft->out.truesize;

	if (!before->charged) {
		ttp_draft_drop(sk, draft);
		return;
	}
	ttp_msgout_cut(&draft->out, before->out.len, before->out.tail);
	ttp_draft_uncharge(sk, draft, 0, truesize - draft->out.truesize);
}

void ttp_draft_drop(struct sock *sk, struct ttp_draft *draft)
{
	u32 truesize = draft->out.truesize;

	ttp_msgout_free(&draft->out);
	if (draft->charged)
		ttp_draft_uncharge(sk, draft, TTP_RPC_COST, truesize);
}

void ttp_draft_discard(struct sock *sk)
{
	struct ttp_sock *ts = ttp_sk(sk);
	struct ttp_draft *draft;

	mutex_lock(&ts->draft_lock);
	draft = ts->draft;
	WRITE_ONCE(ts->draft, NULL);
	WRITE_ONCE(ts->drafted, 0);
	mutex_unlock(&ts->draft_lock);
	if (!draft)
		return;
	ttp_draft_drop(sk, draft);
	kfree(draft);
}
