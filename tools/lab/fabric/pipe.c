// SPDX-License-Identifier: GPL-2.0
/*
 * A transmitter with its queues, and the cable behind it.
 *
 * Times are kept in ps: at 400 Gbit/s a byte takes 20.  Timers fire at the
 * next full ns, but the next frame begins where the last one ended.
 */
#include <linux/if_vlan.h>
#include <linux/math64.h>

#include "fabric.h"

/* IEEE 802.1Q ranks PCP 1 (background) below 0 (best effort, and untagged) */
static const u8 pipe_level[8] = { 1, 0, 2, 3, 4, 5, 6, 7 };

/* Preamble and gap; the check sequence belongs to the frame */
#define PIPE_GAP	20

/* Note on the frame how long it is, and its level */
void pipe_measure(struct sk_buff *skb)
{
	struct fabric_cb *cb = fabric_cb(skb);
	u16 tag = 0;

	cb->size = skb->len + ETH_FCS_LEN;
	if (skb_vlan_tag_present(skb)) {
		cb->size += VLAN_HLEN;
		tag = skb_vlan_tag_get(skb);
	} else if (eth_hdr(skb)->h_proto == htons(ETH_P_8021Q) &&
		   skb_headlen(skb) >= VLAN_ETH_HLEN) {
		tag = ntohs(vlan_eth_hdr(skb)->h_vlan_TCI);
	}
	cb->size = max_t(u32, cb->size, ETH_ZLEN + ETH_FCS_LEN);
	cb->wire = cb->size + PIPE_GAP;
	cb->level = pipe_level[tag >> VLAN_PRIO_SHIFT];
}

static ktime_t pipe_time(u64 ps)
{
	return ns_to_ktime(fabric_base_ns + div_u64(ps + 999, 1000));
}

static void pipe_account(struct pipe *p, const struct fabric_cb *cb, int sign)
{
	struct gauge *depth = &p->depth[cb->level];
	u64 now_ns = fabric_now_ns();
	s64 bytes = sign * (s64)cb->size;

	gauge_set(depth, depth->value + bytes, now_ns);
	gauge_set(&p->total, p->total.value + bytes, now_ns);
	if (p->sw)
		p->sw->used += bytes;
}

/* Begin with the next frame, if there is one, at @now_ps */
static void pipe_start(struct pipe *p, u64 now_ps)
{
	struct fabric_cb *cb;
	int level;

	lockdep_assert_held(&fabric.lock);

	for (level = FABRIC_LEVELS - 1; level >= 0; level--) {
		p->sending = __skb_dequeue(&p->queue[level]);
		if (p->sending)
			break;
	}
	if (!p->sending || fabric.stopping)
		return;
	cb = fabric_cb(p->sending);
	p->free_ps = now_ps + (u64)cb->wire * p->ps_per_byte;
	hrtimer_start(&p->tx, pipe_time(p->free_ps), HRTIMER_MODE_ABS_SOFT);
}

static void pipe_watch(struct pipe *p)
{
	struct sk_buff *first = skb_peek(&p->cable);

	if (first && !fabric.stopping)
		hrtimer_start(&p->rx, ktime_add_ns(pipe_time(fabric_cb(first)->arrival_ps),
						   p->rx_wait_ns),
			      HRTIMER_MODE_ABS_SOFT);
}

static enum hrtimer_restart pipe_sent(struct hrtimer *timer)
{
	struct pipe *p = container_of(timer, struct pipe, tx);
	struct sk_buff *skb;

	spin_lock_bh(&fabric.lock);
	skb = p->sending;
	pipe_account(p, fabric_cb(skb), -1);
	if (p->sent)
		p->sent(p, skb);
	fabric_cb(skb)->arrival_ps = p->free_ps + p->delay_ps;
	__skb_queue_tail(&p->cable, skb);
	if (p->cable.qlen == 1)
		pipe_watch(p);
	/* The timer was late by less than a ns */
	pipe_start(p, p->free_ps);
	spin_unlock_bh(&fabric.lock);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart pipe_arrived(struct hrtimer *timer)
{
	struct pipe *p = container_of(timer, struct pipe, rx);
	unsigned int loss = READ_ONCE(fabric_loss_ppm);
	struct sk_buff_head frames, lost;
	struct sk_buff *skb;
	u64 now_ps;

	__skb_queue_head_init(&frames);
	__skb_queue_head_init(&lost);
	spin_lock_bh(&fabric.lock);
	now_ps = fabric_now_ns() * 1000;
	while ((skb = skb_peek(&p->cable)) &&
	       fabric_cb(skb)->arrival_ps <= now_ps) {
		__skb_unlink(skb, &p->cable);
		if (p->lossy && loss && fabric_random() % 1000000 < loss) {
			p->lost += !fabric.frozen_ns;
			__skb_queue_tail(&lost, skb);
		} else {
			__skb_queue_tail(&frames, skb);
		}
	}
	pipe_watch(p);
	spin_unlock_bh(&fabric.lock);
	__skb_queue_purge(&lost);
	if (!skb_queue_empty(&frames))
		p->arrive(p, &frames);
	return HRTIMER_NORESTART;
}

/* Queue a measured frame; the caller knows that there is room */
void pipe_send(struct pipe *p, struct sk_buff *skb)
{
	const struct fabric_cb *cb = fabric_cb(skb);

	lockdep_assert_held(&fabric.lock);

	if (!fabric.frozen_ns) {
		p->counts[cb->level].frames++;
		p->counts[cb->level].bytes += cb->wire;
	}
	pipe_account(p, cb, 1);
	__skb_queue_tail(&p->queue[cb->level], skb);
	/* It may have become free within the ns that it is now */
	if (!p->sending)
		pipe_start(p, max(p->free_ps, fabric_now_ns() * 1000));
}

/* Bring all gauges up to date */
void pipe_settle(struct pipe *p, u64 now_ns)
{
	int i;

	for (i = 0; i < FABRIC_LEVELS; i++)
		gauge_set(&p->depth[i], p->depth[i].value, now_ns);
	gauge_set(&p->total, p->total.value, now_ns);
}

void pipe_reset(struct pipe *p, u64 now_ns)
{
	int i;

	lockdep_assert_held(&fabric.lock);

	for (i = 0; i < FABRIC_LEVELS; i++)
		gauge_reset(&p->depth[i], now_ns);
	gauge_reset(&p->total, now_ns);
	memset(p->counts, 0, sizeof(p->counts));
	p->lost = 0;
}

void pipe_init(struct pipe *p, u32 rate_mbps, u64 delay_ns)
{
	int i;

	for (i = 0; i < FABRIC_LEVELS; i++)
		__skb_queue_head_init(&p->queue[i]);
	__skb_queue_head_init(&p->cable);
	p->ps_per_byte = PIPE_RATE / rate_mbps;
	p->delay_ps = delay_ns * 1000;
	hrtimer_setup(&p->tx, pipe_sent, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	hrtimer_setup(&p->rx, pipe_arrived, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
}

/* No timer of it runs any more */
void pipe_empty(struct pipe *p)
{
	int i;

	kfree_skb(p->sending);
	p->sending = NULL;
	for (i = 0; i < FABRIC_LEVELS; i++)
		__skb_queue_purge(&p->queue[i]);
	__skb_queue_purge(&p->cable);
}
