// SPDX-License-Identifier: GPL-2.0
/*
 * Asking another host for a sign of life, without an RPC.
 */
#include <linux/etherdevice.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "output.h"
#include "ping.h"

static void ttp_ping_del(struct ttp_ping *ping)
{
	lockdep_assert_held(&ping->tn->ping_lock);

	list_del(&ping->node);
	ping->tn->ping_count--;
}

static void ttp_ping_expired(struct timer_list *timer)
{
	struct ttp_ping *ping = container_of(timer, struct ttp_ping, timer);
	struct ttp_net *tn = ping->tn;

	spin_lock_bh(&tn->ping_lock);
	ttp_ping_del(ping);
	spin_unlock_bh(&tn->ping_lock);
	ping->done(ping, -ETIMEDOUT);
	kfree(ping);
}

static int ttp_ping_add(struct ttp_ping *ping, u32 timeout_ms)
{
	struct ttp_net *tn = ping->tn;
	int err = -EBUSY;

	spin_lock_bh(&tn->ping_lock);
	if (tn->ping_count < TTP_PING_MAX) {
		tn->ping_count++;
		list_add_tail(&ping->node, &tn->pings);
		mod_timer(&ping->timer, jiffies + msecs_to_jiffies(timeout_ms));
		err = 0;
	}
	spin_unlock_bh(&tn->ping_lock);
	return err;
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
	struct ttp_net *tn = link->tn;

	spin_lock_bh(&tn->ping_lock);
	list_for_each_entry(ping, &tn->pings, node) {
		if (ping->ifindex != link->ifindex ||
		    ping->value != pkt->note.value ||
		    !ether_addr_equal(ping->mac, mac))
			continue;
		/* else the timer is about to report it */
		if (timer_delete(&ping->timer)) {
			ttp_ping_del(ping);
			found = ping;
		}
		break;
	}
	spin_unlock_bh(&tn->ping_lock);
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

	spin_lock_bh(&tn->ping_lock);
	list_for_each_entry_safe(ping, next, &tn->pings, node) {
		if (!timer_delete(&ping->timer))
			continue;	/* it waits for the lock */
		ttp_ping_del(ping);
		kfree(ping);
	}
	spin_unlock_bh(&tn->ping_lock);
}
