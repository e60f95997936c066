// SPDX-License-Identifier: GPL-2.0
/*
 * A host's network card: a device with a transmit queue, or one for each class
 * of traffic, of which the highest goes first.  A queue takes as many bytes as byte
 * queue limits would let it have; the rest waits in the qdisc.  What has arrived
 * may be stamped, by a clock of the card's own.  A card may be told another rate,
 * and its cable be pulled out.
 */
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/if_vlan.h>
#include <net/dst.h>

#include "fabric.h"

static struct fabric_host *host_of(const struct net_device *dev)
{
	return *(struct fabric_host **)netdev_priv(dev);
}

static netdev_tx_t host_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct fabric_host *host = host_of(dev);
	u16 class = skb_get_queue_mapping(skb);
	struct pipe *nic = &host->nic;
	unsigned int len = skb->len;

	if (!netif_carrier_ok(dev)) {
		DEV_STATS_INC(dev, tx_dropped);
		kfree_skb(skb);
		return NETDEV_TX_OK;
	}
	skb_tx_timestamp(skb);
	skb_reset_mac_header(skb);
	memset(skb->cb, 0, sizeof(struct fabric_cb));
	pipe_measure(skb);
	/* The card knows its own classes; the level is for the switches */
	spin_lock_bh(&fabric.lock);
	fabric_cb(skb)->ranked = fabric_cb(skb)->level;
	fabric_cb(skb)->level = class;
	pipe_send(nic, skb);
	if (nic->depth[class].value >= fabric_nic_bytes)
		netif_stop_subqueue(dev, class);
	spin_unlock_bh(&fabric.lock);
	dev_sw_netstats_tx_add(dev, 1, len);
	return NETDEV_TX_OK;
}

/* The last bit has left: the sender's part in the frame ends here */
static void host_sent(struct pipe *p, struct sk_buff *skb)
{
	struct net_device *dev = p->from_host->dev;
	u8 class = fabric_cb(skb)->level;

	fabric_cb(skb)->level = fabric_cb(skb)->ranked;
	skb_orphan(skb);
	skb_dst_drop(skb);
	if (__netif_subqueue_stopped(dev, class) &&
	    p->depth[class].value < fabric_nic_bytes)
		netif_wake_subqueue(dev, class);
}

/* The card's clock: it stands elsewhere than the host's, and runs faster (50 ppm) */
static ktime_t host_stamp(u64 arrival_ps)
{
	u64 ns = div_u64(arrival_ps, 1000);

	return ns_to_ktime(NSEC_PER_SEC + ns + div_u64(ns, 20000));
}

/* Frames have arrived at a host */
void host_receive(struct pipe *p, struct sk_buff_head *frames)
{
	struct net_device *dev = p->to_host->dev;
	struct sk_buff *skb;
	LIST_HEAD(list);
	u64 arrival_ps;

	while ((skb = __skb_dequeue(frames))) {
		if (!netif_running(dev) || !netif_carrier_ok(dev)) {
			DEV_STATS_INC(dev, rx_dropped);
			kfree_skb(skb);
			continue;
		}
		arrival_ps = fabric_cb(skb)->arrival_ps;
		skb_scrub_packet(skb, true);
		if (fabric_stamp)
			skb_hwtstamps(skb)->hwtstamp = host_stamp(arrival_ps);
		skb->priority = 0;
		memset(skb->cb, 0, sizeof(skb->cb));
		/* says whether it is for us, so after the scrubbing */
		skb->protocol = eth_type_trans(skb, dev);
		if (skb->ip_summed == CHECKSUM_NONE)
			skb->ip_summed = CHECKSUM_UNNECESSARY;
		dev_sw_netstats_rx_add(dev, skb->len);
		list_add_tail(&skb->list, &list);
	}
	netif_receive_skb_list(&list);
}

static int host_open(struct net_device *dev)
{
	netif_tx_start_all_queues(dev);
	return 0;
}

static int host_stop(struct net_device *dev)
{
	netif_tx_stop_all_queues(dev);
	return 0;
}

/* The cable is pulled out, or put in again */
static int host_carrier(struct net_device *dev, bool on)
{
	if (on)
		netif_carrier_on(dev);
	else
		netif_carrier_off(dev);
	return 0;
}

static const struct net_device_ops host_netdev_ops = {
	.ndo_open	 = host_open,
	.ndo_stop	 = host_stop,
	.ndo_start_xmit	 = host_xmit,
	.ndo_change_carrier = host_carrier,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

static int host_link(struct net_device *dev, struct ethtool_link_ksettings *link)
{
	link->base.speed = PIPE_RATE / READ_ONCE(host_of(dev)->nic.ps_per_byte);
	link->base.duplex = DUPLEX_FULL;
	link->base.port = PORT_OTHER;
	return 0;
}

/* Both ends of a cable agree on its rate; while they do, there is no carrier */
static int host_set_link(struct net_device *dev,
			 const struct ethtool_link_ksettings *link)
{
	struct fabric_host *host = host_of(dev);
	bool on = netif_carrier_ok(dev);

	if (!link->base.speed || PIPE_RATE % link->base.speed ||
	    link->base.duplex != DUPLEX_FULL)
		return -EINVAL;
	netif_carrier_off(dev);
	spin_lock_bh(&fabric.lock);
	WRITE_ONCE(host->nic.ps_per_byte, PIPE_RATE / link->base.speed);
	host->port->ps_per_byte = PIPE_RATE / link->base.speed;
	spin_unlock_bh(&fabric.lock);
	if (on)
		netif_carrier_on(dev);
	return 0;
}

static const struct ethtool_ops host_ethtool_ops = {
	.get_link = ethtool_op_get_link,
	.get_link_ksettings = host_link,
	.set_link_ksettings = host_set_link,
};

static void host_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &host_netdev_ops;
	dev->ethtool_ops = &host_ethtool_ops;
	dev->pcpu_stat_type = NETDEV_PCPU_STAT_TSTATS;
	dev->max_mtu = 65535 - VLAN_ETH_HLEN;
	/* Checksums cost nothing here; what a card sends is one frame */
	dev->features = NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_FRAGLIST |
			NETIF_F_HIGHDMA | NETIF_F_HW_VLAN_CTAG_TX;
	dev->hw_features = dev->features;
	dev->vlan_features = NETIF_F_SG | NETIF_F_HW_CSUM;
}

/* Host @i (from 0), with a cable to its switch and one back */
int host_create(unsigned int i)
{
	struct fabric_host *host = &fabric.host[i];
	u8 mac[ETH_ALEN] = { 2, 0, 0, 0, (i + 1) >> 8, i + 1 };
	struct net_device *dev;
	char name[16];
	int err;

	host->sw = &fabric.sw[i / fabric.rack];
	snprintf(name, sizeof(name), "host%u", i + 1);
	host->port = switch_port(host->sw, name, fabric_rate);
	if (!host->port)
		return -ENOMEM;
	host->port->to_host = host;
	host->port->arrive = host_receive;
	host->port->lossy = true;
	host->port->rx_wait_ns = fabric_rx_wait_ns;

	snprintf(host->nic.name, sizeof(host->nic.name), "host%u.nic", i + 1);
	host->nic.from_host = host;
	host->nic.to_switch = host->sw;
	host->nic.sent = host_sent;
	host->nic.arrive = switch_receive;
	host->nic.lossy = true;
	pipe_init(&host->nic, fabric_rate, fabric_delay_ns);
	fabric.pipe[fabric.pipes++] = &host->nic;

	dev = alloc_netdev_mqs(sizeof(host), "fab%d", NET_NAME_ENUM, host_setup,
			       fabric_nic_classes, 1);
	if (!dev)
		return -ENOMEM;
	*(struct fabric_host **)netdev_priv(dev) = host;
	eth_hw_addr_set(dev, mac);
	host->dev = dev;
	err = register_netdev(dev);
	if (err) {
		free_netdev(dev);
		host->dev = NULL;
	}
	return err;
}

void host_destroy(struct fabric_host *host)
{
	if (host->dev)
		unregister_netdev(host->dev);
}
