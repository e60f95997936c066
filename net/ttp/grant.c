// SPDX-License-Identifier: GPL-2.0
/*
 * The receiver's policy; see grant.h.
 */
#include "grant.h"

void ttp_grant_update(struct ttp_rpc *rpc, struct sk_buff_head *out)
{
	u32 window = ttp_link_window(rpc->key.peer->key.link);
	struct ttp_msgin *in = &rpc->in;
	u32 want;

	lockdep_assert_held(&rpc->lock);

	/* No overflow: lengths are far below 2^31 */
	want = min(in->len, in->received + window);
	if (want <= in->granted)
		return;
	/* A few packets ahead per GRANT are enough to keep the sender going */
	if (want < in->len && want - in->granted < window / 4)
		return;
	in->granted = want;
	ttp_output_grant(rpc, out);
}

void ttp_grant_start(struct ttp_rpc *rpc, struct sk_buff_head *out)
{
	u32 window = ttp_link_window(rpc->key.peer->key.link);

	lockdep_assert_held(&rpc->lock);

	rpc->in.granted = min(rpc->in.len, window);
	ttp_output_grant(rpc, out);
}

static bool ttp_grant_one(struct ttp_rpc *rpc, struct sock *sk,
			  struct sk_buff_head *out)
{
	bool granted;

	spin_lock(&rpc->lock);
	granted = rpc->sk == sk && rpc->live && !rpc->in.budget &&
		  ttp_sock_reserve(rpc, rpc->in.len);
	if (granted)
		ttp_grant_start(rpc, out);
	spin_unlock(&rpc->lock);
	return granted;
}

void ttp_grant_waiting(struct sock *sk, struct sk_buff_head *out)
{
	struct ttp_rpc *rpc;
	bool granted = true;

	while (granted && (rpc = ttp_sock_next_waiting(sk))) {
		granted = ttp_grant_one(rpc, sk, out);
		ttp_rpc_put(rpc);
	}
}
