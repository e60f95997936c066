// SPDX-License-Identifier: GPL-2.0
/*
 * Asking another host for a sign of life, without an RPC.
 */
#include <linux/etherdevice.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "output.h"
#include "ping.h"

/* Open questions of all namespaces, few at any time; BH spinlock, leaf */
static DEFINE_SPINLOCK(ttp_ping_lock);
static LIST_HEAD(ttp_ping_list);

static void ttp_ping_expired(struct timer_list *timer)
{
	struct ttp_ping *ping = container_of(timer, struct ttp_ping, timer);

	spin_lock_bh(&ttp_ping_lock);
	list_del(&ping->node);
	spin_unlock_bh(&ttp_ping_lock);
	ping->done(ping, -ETIMEDOUT);
	kfree(ping);
}

static int ttp_ping_add(struct ttp_ping *ping, u32 timeout_ms)
{
	struct ttp_ping *other;
	unsigned int count = 0;

	spin_lock_bh(&ttp_ping_lock);
	list_for_each_entry(other, &ttp_ping_list, node)
		count += other->tn == ping->tn;
	if (count < TTP_PING_MAX) {
		list_add_tail(&ping->node, &ttp_ping_list);
		mod_timer(&ping->timer, jiffies + msecs_to_jiffies(timeout_ms));
	}
	spin_unlock_bh(&ttp_ping_lock);
	return count < TTP_PING_MAX ? 0 : -EBUSY;
}

int ttp_ping_ask(struct ttp_ping *ping, struct ttp_link *link, const u8 *mac,
		 u32 size, u32 timeout_ms)
{
	struct sk_buff_head out;
	struct ttp_peer *peer;
	int err;

	err = ttp_link_up(link);
	if (err)
		return err;
	ping->tn = link->tn;
	ping->ifindex = link->ifindex;
	ether_addr_copy(ping->mac, mac);
	ping->value = get_random_u32();
	timer_setup(&ping->timer, ttp_ping_expired, 0);

	__skb_queue_head_init(&out);
	local_bh_disable();
	peer = ttp_peer_find(link, mac);
	err = ttp_output_probe(link, mac, peer, TTP_WIRE_PROBE, ping->value,
			       size, &out);
	ping->sent_ns = ktime_get_ns();
	/* from here on it may be answered, or expire, at any time */
	if (!err)
		err = ttp_ping_add(ping, timeout_ms);
	if (err)
		__skb_queue_purge(&out);
	else
		ttp_output_flush(&out);
	if (peer)
		ttp_peer_put(peer);
	local_bh_enable();
	return err;
}

void ttp_ping_answer(struct ttp_link *link, const u8 *mac,
		     const struct ttp_packet *pkt)
{
	struct ttp_ping *ping, *found = NULL;

	spin_lock_bh(&ttp_ping_lock);
	list_for_each_entry(ping, &ttp_ping_list, node) {
		if (ping->tn != link->tn || ping->ifindex != link->ifindex ||
		    ping->value != pkt->note.value ||
		    !ether_addr_equal(ping->mac, mac))
			continue;
		/* else the timer is about to report it */
		if (timer_delete(&ping->timer)) {
			list_del(&ping->node);
			found = ping;
		}
		break;
	}
	spin_unlock_bh(&ttp_ping_lock);
	if (!found)
		return;

	found->rtt_ns = ktime_get_ns() - found->sent_ns;
	found->epoch = pkt->src_epoch;
	found->mtu = pkt->mtu;
	found->done(found, 0);
	kfree(found);
}

void ttp_ping_net_exit(struct ttp_net *tn)
{
	struct ttp_ping *ping, *next;

	spin_lock_bh(&ttp_ping_lock);
	list_for_each_entry_safe(ping, next, &ttp_ping_list, node) {
		if (ping->tn != tn || !timer_delete(&ping->timer))
			continue;
		list_del(&ping->node);
		kfree(ping);
	}
	spin_unlock_bh(&ttp_ping_lock);
	synchronize_rcu();	/* for timers that run */
}
