// SPDX-License-Identifier: GPL-2.0
/*
 * The sender's policy; see pacer.h.
 */
#include <linux/math64.h>

#include "pacer.h"

/* Turns taken in one run of the timer */
#define TTP_PACER_BATCH		64U

/* Bytes that the device may be given now */
static u32 ttp_pacer_room(const struct ttp_link *link, u64 now_ns)
{
	u32 limit_ns = READ_ONCE(link->config.backlog_ns);
	u64 behind_ns;

	lockdep_assert_held(&link->pacer.lock);

	behind_ns = ttp_link_behind(link, now_ns);
	if (behind_ns >= limit_ns)
		return 0;
	/* at least one packet, and no more than locks should be held for */
	return min_t(u64, TTP_OUTPUT_BURST,
		     1 + div_u64((limit_ns - behind_ns) * ttp_link_rate(link),
				 BITS_PER_BYTE * 1000));
}

/*
 * Half of the backlog is gone by then.  A timer for each packet would be more
 * exact, and cost more than it gains.
 */
static void ttp_pacer_arm(struct ttp_link *link, u64 now_ns)
{
	u64 half_ns = READ_ONCE(link->config.backlog_ns) / 2;
	u64 behind_ns;

	lockdep_assert_held(&link->pacer.lock);

	if (link->pacer.armed)
		return;
	link->pacer.armed = true;
	behind_ns = ttp_link_behind(link, now_ns);
	now_ns += behind_ns > half_ns ? behind_ns - half_ns : 0;
	hrtimer_start(&link->pacer.timer, ns_to_ktime(now_ns),
		      HRTIMER_MODE_ABS_SOFT);
}

/**
 * ttp_pacer_queue() - put an RPC where it belongs
 * @rpc: the RPC, of which some was sent or granted
 * @wait: whether it waits if there is something to send
 * @oldest: whether it had the turn of who waits longest
 * @sent: bytes that went in its turn
 */
static void ttp_pacer_queue(struct ttp_rpc *rpc, bool wait, bool oldest,
			    u32 sent)
{
	struct ttp_link *link = rpc->key.peer->key.link;
	struct ttp_pacer *pacer = &link->pacer;
	bool more = wait && ttp_output_ready(rpc);

	lockdep_assert_held(&rpc->lock);

	spin_lock(&pacer->lock);
	if (more && rpc->live) {
		ttp_srpt_put(&pacer->queue, &rpc->tx,
			     rpc->out.len - rpc->out.sent, rpc->start_ns);
		ttp_pacer_arm(link, ktime_get_ns());
	} else {
		ttp_srpt_del(&pacer->queue, &rpc->tx);
	}
	ttp_srpt_served(&pacer->queue, oldest, sent);
	spin_unlock(&pacer->lock);
}

/* What the RPC may send at once: nothing, if a shorter one waits */
static u32 ttp_pacer_share(struct ttp_rpc *rpc)
{
	struct ttp_link *link = rpc->key.peer->key.link;
	u32 left = rpc->out.len - rpc->out.sent;
	u32 room = 0;

	spin_lock(&link->pacer.lock);
	if (ttp_srpt_before(&link->pacer.queue, &rpc->tx, left))
		room = ttp_pacer_room(link, ktime_get_ns());
	spin_unlock(&link->pacer.lock);
	return room;
}

/* Its turn; what does not go for want of memory is left to RESEND */
static void ttp_pacer_serve(struct ttp_rpc *rpc, u32 room, bool oldest,
			    struct sk_buff_head *out)
{
	u32 sent = rpc->out.sent;
	bool ok = !room || ttp_output_some(rpc, room, out);

	ttp_pacer_queue(rpc, ok, oldest, rpc->out.sent - sent);
}

void ttp_pacer_push(struct ttp_rpc *rpc, u32 most, struct sk_buff_head *out)
{
	lockdep_assert_held(&rpc->lock);

	/* Nobody waits for what has no bytes */
	if (!rpc->out.len || !ttp_link_rate(rpc->key.peer->key.link))
		ttp_output_some(rpc, most, out);
	else
		ttp_pacer_serve(rpc, min(most, ttp_pacer_share(rpc)), false,
				out);
}

/* Whose turn it is, and how much of it; NULL if the device has enough */
static struct ttp_rpc *ttp_pacer_next(struct ttp_link *link, u32 *room,
				      bool *oldest)
{
	struct ttp_srpt_node *node = NULL;
	struct ttp_rpc *rpc = NULL;

	spin_lock(&link->pacer.lock);
	*room = ttp_pacer_room(link, ktime_get_ns());
	if (*room)
		node = ttp_srpt_next(&link->pacer.queue, oldest);
	if (node) {
		/* Being in the queue it is live, hence has a reference */
		rpc = ttp_rpc_get(container_of(node, struct ttp_rpc, tx));
	}
	spin_unlock(&link->pacer.lock);
	return rpc;
}

static void ttp_pacer_run(struct ttp_link *link, struct sk_buff_head *out)
{
	unsigned int left = TTP_PACER_BATCH;
	struct ttp_rpc *rpc;
	bool oldest;
	u32 room;

	while (left-- && (rpc = ttp_pacer_next(link, &room, &oldest))) {
		spin_lock(&rpc->lock);
		if (rpc->live)
			ttp_pacer_serve(rpc, room, oldest, out);
		spin_unlock(&rpc->lock);
		ttp_rpc_put(rpc);
	}
}

enum hrtimer_restart ttp_pacer_fn(struct hrtimer *timer)
{
	struct ttp_link *link = container_of(timer, struct ttp_link,
					     pacer.timer);
	struct sk_buff_head out;

	__skb_queue_head_init(&out);
	rcu_read_lock();
	ttp_pacer_run(link, &out);
	ttp_output_flush(&out);
	rcu_read_unlock();

	spin_lock(&link->pacer.lock);
	link->pacer.armed = false;
	if (!ttp_srpt_empty(&link->pacer.queue))
		ttp_pacer_arm(link, ktime_get_ns());
	spin_unlock(&link->pacer.lock);
	return HRTIMER_NORESTART;
}
