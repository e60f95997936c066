// SPDX-License-Identifier: GPL-2.0
/*
 * Enabled network devices.
 */
#include <linux/ethtool.h>
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/math64.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <uapi/linux/ttp.h>

#include "link.h"
#include "wire.h"

const struct ttp_link_config ttp_link_defaults = {
	.ethertype	= TTP_ETHERTYPE,
	.crc		= 1,
	.ack_every	= 4,
	.rto_min_us	= 1000,
	.rto_max_us	= 200000,
	.backlog_ns	= 5000,
	.overcommit	= 8,
	.tag		= true,
	.levels		= TTP_LEVELS,
	/* 802.1Q ranks PCP 1 below PCP 0 */
	.pcp		= { 1, 0, 2, 3, 4, 5, 6, 7 },
};

static ttp_rcv_t ttp_link_rcv;
static ttp_rcv_list_t ttp_link_rcv_list;
static ttp_pace_t ttp_link_pace;

void ttp_link_hooks(ttp_rcv_t rcv, ttp_rcv_list_t rcv_list, ttp_pace_t pace)
{
	ttp_link_rcv = rcv;
	ttp_link_rcv_list = rcv_list;
	ttp_link_pace = pace;
}

static u32 ttp_link_random_epoch(void)
{
	u32 epoch;

	do {
		epoch = get_random_u32();
	} while (!epoch);
	return epoch;
}

static struct ttp_link *ttp_link_alloc(struct ttp_net *tn,
				       struct net_device *dev,
				       const struct ttp_link_config *config)
{
	struct ttp_link *link;

	link = kzalloc_obj(*link, GFP_KERNEL_ACCOUNT);
	if (!link)
		return NULL;
	link->mib = alloc_percpu_gfp(struct ttp_mib, GFP_KERNEL_ACCOUNT);
	if (!link->mib)
		goto err_link;
	link->stamp = alloc_percpu_gfp(struct ttp_stamp, GFP_KERNEL_ACCOUNT);
	if (!link->stamp)
		goto err_mib;
	if (ttp_cutoffs_init(&link->cutoffs))
		goto err_stamp;
	link->tn = tn;
	link->ifindex = dev->ifindex;
	link->config = *config;
	link->epoch = ttp_link_random_epoch();
	link->born_ns = ktime_get_ns();
	ether_addr_copy(link->mac, dev->dev_addr);
	/* Room to grow for centuries, and no two incarnations overlap */
	link->id_base = get_random_u64() >> 2 & ~TTP_WIRE_ID_SERVER;
	spin_lock_init(&link->peer_lock);
	INIT_LIST_HEAD(&link->peers);
	spin_lock_init(&link->pacer.lock);
	ttp_srpt_init(&link->pacer.queue);
	hrtimer_setup(&link->pacer.timer, ttp_link_pace, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	spin_lock_init(&link->granter.lock);
	ttp_sched_init(&link->granter.sched);
	refcount_set(&link->refcnt, 1);
	ttp_link_set_mtu(link, dev->mtu);
	return link;

err_stamp:
	free_percpu(link->stamp);
err_mib:
	free_percpu(link->mib);
err_link:
	kfree(link);
	return NULL;
}

static int ttp_link_check_dev(struct ttp_net *tn, struct net_device *dev,
			      struct netlink_ext_ack *extack)
{
	if (dev->type != ARPHRD_ETHER || !is_valid_ether_addr(dev->dev_addr)) {
		NL_SET_ERR_MSG(extack, "TTP needs an Ethernet device");
		return -EOPNOTSUPP;
	}
	if (dev->mtu < TTP_WIRE_MIN_MTU) {
		NL_SET_ERR_MSG(extack, "the device's MTU is below 256 bytes");
		return -EINVAL;
	}
	if (ttp_link_find(tn, dev->ifindex)) {
		NL_SET_ERR_MSG(extack, "TTP is enabled on the device already");
		return -EEXIST;
	}
	return 0;
}

int ttp_link_add(struct ttp_net *tn, struct net_device *dev,
		 const struct ttp_link_config *config,
		 struct netlink_ext_ack *extack)
{
	struct ttp_link *link;
	int err;

	ASSERT_RTNL();

	err = ttp_link_check_dev(tn, dev, extack);
	if (err)
		return err;
	link = ttp_link_alloc(tn, dev, config);
	if (!link)
		return -ENOMEM;

	/* A NIC that knows which VLANs are wanted drops priority tags otherwise */
	link->vid0 = !vlan_vid_add(dev, htons(ETH_P_8021Q), 0);
	netdev_hold(dev, &link->dev_tracker, GFP_KERNEL);
	rcu_assign_pointer(link->dev, dev);
	list_add_tail_rcu(&link->node, &tn->links);

	link->pt.type = cpu_to_be16(config->ethertype);
	link->pt.dev = dev;
	link->pt.func = ttp_link_rcv;
	link->pt.list_func = ttp_link_rcv_list;
	dev_add_pack(&link->pt);
	return 0;
}

void ttp_link_unhook(struct ttp_link *link)
{
	ASSERT_RTNL();

	spin_lock_bh(&link->peer_lock);
	WRITE_ONCE(link->ending, true);
	spin_unlock_bh(&link->peer_lock);
	list_del_rcu(&link->node);
	dev_remove_pack(&link->pt);	/* waits for handlers that run */
}

void ttp_link_release(struct ttp_link *link)
{
	struct net_device *dev = rtnl_dereference(link->dev);

	ASSERT_RTNL();

	RCU_INIT_POINTER(link->dev, NULL);
	synchronize_net();		/* for whoever is sending through it */
	hrtimer_cancel(&link->pacer.timer);	/* no RPC is left to start it */
	if (link->vid0)
		vlan_vid_del(dev, htons(ETH_P_8021Q), 0);
	netdev_put(dev, &link->dev_tracker);
	ttp_link_put(link);
}

struct ttp_link *ttp_link_find(struct ttp_net *tn, int ifindex)
{
	struct ttp_link *link;

	list_for_each_entry_rcu(link, &tn->links, node, lockdep_rtnl_is_held())
		if (link->ifindex == ifindex)
			return link;
	return NULL;
}

struct ttp_link *ttp_link_only(struct ttp_net *tn)
{
	struct ttp_link *link, *only = NULL;

	list_for_each_entry_rcu(link, &tn->links, node,
				lockdep_rtnl_is_held()) {
		if (only)
			return ERR_PTR(-EDESTADDRREQ);
		only = link;
	}
	return only ?: ERR_PTR(-ENETUNREACH);
}

void ttp_link_set_mtu(struct ttp_link *link, unsigned int mtu)
{
	if (mtu < TTP_WIRE_MIN_MTU)
		mtu = 0;
	WRITE_ONCE(link->mtu, min_t(unsigned int, mtu, U16_MAX));
}

/* Mbit/s; 0 if it is not known, or means nothing */
static u32 ttp_link_ask_speed(struct net_device *dev)
{
	struct ethtool_link_ksettings settings;

	if (dev->priv_flags & IFF_NO_QUEUE && list_empty(&dev->adj_list.lower))
		return 0;
	if (!netif_device_present(dev) ||
	    netif_get_link_ksettings(dev, &settings) ||
	    settings.base.speed == (u32)SPEED_UNKNOWN)
		return 0;
	return settings.base.speed;
}

void ttp_link_set_speed(struct ttp_link *link)
{
	struct net_device *dev = rtnl_dereference(link->dev);
	u32 mbps;

	ASSERT_RTNL();

	mbps = ttp_link_ask_speed(dev);
	if (mbps == link->speed_mbps || (!mbps && !netif_carrier_ok(dev)))
		return;
	spin_lock_bh(&link->pacer.lock);
	WRITE_ONCE(link->speed_mbps, mbps);
	/* Reckoned at another rate */
	link->pacer.drained = 0;
	spin_unlock_bh(&link->pacer.lock);
}

u32 ttp_link_rate(const struct ttp_link *link)
{
	return READ_ONCE(link->config.rate_mbps) ?:
	       READ_ONCE(link->speed_mbps);
}

void ttp_link_charge(struct ttp_link *link, unsigned int len)
{
	u64 now = ktime_get_ns() * TTP_PACER_FRACTION;
	u32 mbps = ttp_link_rate(link);
	u64 bits, drained, debt_ns;

	if (!mbps)
		return;
	if (READ_ONCE(link->config.tag))
		len += VLAN_HLEN;
	debt_ns = max_t(u64, TTP_PACER_MAX_DEBT_NS,
			2 * READ_ONCE(link->config.backlog_ns));
	/* with FCS and padding, then preamble and gap */
	bits = BITS_PER_BYTE * (max_t(u64, len + ETH_FCS_LEN, 64) + 20);
	spin_lock(&link->pacer.lock);
	drained = clamp(link->pacer.drained, now, now + debt_ns *
						  TTP_PACER_FRACTION);
	link->pacer.drained = drained +
			      div_u64(bits * 1000 * TTP_PACER_FRACTION, mbps);
	spin_unlock(&link->pacer.lock);
}

u64 ttp_link_behind(const struct ttp_link *link, u64 now_ns)
{
	u64 now = now_ns * TTP_PACER_FRACTION;

	lockdep_assert_held(&link->pacer.lock);

	if (link->pacer.drained <= now)
		return 0;
	return (link->pacer.drained - now) / TTP_PACER_FRACTION;
}

int ttp_link_up(const struct ttp_link *link)
{
	const struct net_device *dev = rcu_dereference(link->dev);

	if (!dev || READ_ONCE(link->ending))
		return -ENETUNREACH;
	if (!netif_running(dev) || !READ_ONCE(link->mtu))
		return -ENETDOWN;
	return 0;
}

static void ttp_link_free_rcu(struct rcu_head *rcu)
{
	struct ttp_link *link = container_of(rcu, struct ttp_link, rcu);

	ttp_cutoffs_exit(&link->cutoffs);
	free_percpu(link->stamp);
	free_percpu(link->mib);
	kfree(link);
}

void ttp_link_put(struct ttp_link *link)
{
	if (refcount_dec_and_test(&link->refcnt))
		call_rcu(&link->rcu, ttp_link_free_rcu);
}

u32 ttp_link_bdp(const struct ttp_link *link, u32 rtt_ns)
{
	u32 mtu = max(READ_ONCE(link->mtu), TTP_WIRE_MIN_MTU);
	u32 mbps = ttp_link_rate(link);
	u64 bytes = TTP_AUTO_BDP;

	if (mbps)
		bytes = div_u64((u64)mbps * (rtt_ns ?: TTP_AUTO_RTT_NS),
				BITS_PER_BYTE * 1000);
	/* Two switches that store and forward: the sample was a short packet */
	return min_t(u64, bytes + 2 * mtu, TTP_MAX_BDP);
}

static void ttp_link_measure(struct ttp_link *link, u64 now_ns)
{
	unsigned long bytes = this_cpu_read(link->mib->item[TTP_MIB_IN_BYTES]);
	struct ttp_meter *meter = &link->granter.meter;
	u64 took_ns = now_ns - meter->start_ns;

	/* Headers and gaps are not counted: much, if packets are short */
	meter->busy = meter->cpu == smp_processor_id() &&
		      took_ns <= TTP_METER_MAX_NS &&
		      (u64)(bytes - meter->bytes) * BITS_PER_BYTE * 1000 >=
		      took_ns / 2 * ttp_link_rate(link);
	meter->cpu = smp_processor_id();
	meter->bytes = bytes;
	meter->start_ns = now_ns;
}

bool ttp_link_busy(struct ttp_link *link, u32 rtt_ns)
{
	struct ttp_meter *meter = &link->granter.meter;
	u64 now_ns = ktime_get_ns();

	lockdep_assert_held(&link->granter.lock);

	if (!ttp_link_rate(link))
		return false;
	if (now_ns >= meter->start_ns + max_t(u64, (u64)TTP_METER_RTTS * rtt_ns,
					      TTP_METER_MIN_NS))
		ttp_link_measure(link, now_ns);
	return meter->busy;
}

void ttp_link_rules(const struct ttp_link *link, struct ttp_sched_rules *rules)
{
	rules->overcommit = READ_ONCE(link->config.overcommit);
	rules->incoming = READ_ONCE(link->config.incoming);
	if (rules->incoming)
		rules->incoming = max_t(u64, rules->incoming,
					READ_ONCE(link->mtu));
	rules->levels = ttp_level_scheduled(READ_ONCE(link->config.levels));
}
