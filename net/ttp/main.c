// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and unloading: a ladder, and its exact mirror.
 */
#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <net/genetlink.h>

#include "af_ttp.h"
#include "end.h"
#include "input.h"
#include "netlink.h"
#include "pacer.h"
#include "ping.h"
#include "timer.h"

/* Namespaces */

static int __net_init ttp_net_init(struct net *net)
{
	struct ttp_net *tn = ttp_net(net);
	int err;

	err = ttp_net_init_one(tn, net);
	if (err)
		return err;
	err = ttp_peer_net_init(tn);
	if (err)
		goto err_peer;
	err = ttp_rpc_net_init(tn);
	if (err)
		goto err_rpc;
	err = ttp_sock_net_init(tn);
	if (err)
		goto err_sock;
	err = ttp_mib_proc_init(tn);
	if (err)
		goto err_mib;
	ttp_netlink_net_init(tn);
	return 0;

err_mib:
	ttp_sock_net_exit(tn);
err_sock:
	ttp_rpc_net_exit(tn);
err_rpc:
	ttp_peer_net_exit(tn);
err_peer:
	ttp_net_exit_one(tn);
	return err;
}

static void __net_exit ttp_net_pre_exit(struct net *net)
{
	struct ttp_net *tn = ttp_net(net);

	/* Their timers that run are done when the exit functions come */
	ttp_ping_net_exit(tn);
	/* Many namespaces have no link, and nobody is left to add one */
	if (list_empty(&tn->links))
		return;
	rtnl_lock();
	ttp_end_net(tn);
	rtnl_unlock();
}

static void __net_exit ttp_net_exit(struct net *net)
{
	struct ttp_net *tn = ttp_net(net);

	ttp_netlink_net_exit(tn);
	ttp_mib_proc_exit(tn);
	ttp_sock_net_exit(tn);
	ttp_rpc_net_exit(tn);
	ttp_peer_net_exit(tn);
	ttp_net_exit_one(tn);
}

static struct pernet_operations ttp_net_ops = {
	.init		= ttp_net_init,
	.pre_exit	= ttp_net_pre_exit,
	.exit		= ttp_net_exit,
	.id		= &ttp_net_id,
	.size		= sizeof(struct ttp_net),
};

/* Devices come and go */

/* To its peers, a device with another address is another host */
static void ttp_netdev_restart(struct ttp_link *link, struct net_device *dev)
{
	struct ttp_link_config config = link->config;
	struct ttp_net *tn = link->tn;
	u32 mbps = link->speed_mbps;

	if (ether_addr_equal(link->mac, dev->dev_addr))
		return;
	ttp_nl_dev_event(link, TTP_CMD_DEV_DEL_NTF);
	ttp_end_link(link);
	if (ttp_link_add(tn, dev, &config, NULL))
		return;
	link = ttp_link_find(tn, dev->ifindex);
	WRITE_ONCE(link->speed_mbps, mbps);	/* it is the same device */
	ttp_nl_dev_event(link, TTP_CMD_DEV_ADD_NTF);
}

static int ttp_netdev_event(struct notifier_block *nb, unsigned long event,
			    void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct ttp_link *link;

	link = ttp_link_find(ttp_net(dev_net(dev)), dev->ifindex);
	if (!link)
		return NOTIFY_DONE;
	switch (event) {
	case NETDEV_UNREGISTER:		/* also when it moves elsewhere */
		ttp_nl_dev_event(link, TTP_CMD_DEV_DEL_NTF);
		ttp_end_link(link);
		break;
	case NETDEV_CHANGEADDR:
		ttp_netdev_restart(link, dev);
		break;
	case NETDEV_CHANGEMTU:
		ttp_link_set_mtu(link, dev->mtu);
		break;
	case NETDEV_UP:
	case NETDEV_CHANGE:			/* carrier, and speed with it */
		ttp_link_set_speed(link);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block ttp_netdev_notifier = {
	.notifier_call = ttp_netdev_event,
};

/* The module */

static int __init ttp_init(void)
{
	int err;

	ttp_link_hooks(ttp_input_rcv, ttp_input_rcv_list, ttp_pacer_fn);
	ttp_peer_hooks(ttp_timer_fn);
	ttp_mem_init();
	err = ttp_rpc_slab_init();
	if (err)
		return err;
	err = register_pernet_subsys(&ttp_net_ops);
	if (err)
		goto err_pernet;
	err = proto_register(&ttp_prot, 1);
	if (err)
		goto err_proto;
	/* Before anybody can enable a device */
	err = register_netdevice_notifier(&ttp_netdev_notifier);
	if (err)
		goto err_notifier;
	err = ttp_netlink_init();
	if (err)
		goto err_netlink;
	err = sock_register(&ttp_family);
	if (err) {
		pr_notice("ttp: address family %d is in use; build with AF_TTP=22 to take another\n",
			  AF_TTP);
		goto err_family;
	}
	return 0;

err_family:
	ttp_netlink_exit();
err_netlink:
	unregister_netdevice_notifier(&ttp_netdev_notifier);
err_notifier:
	proto_unregister(&ttp_prot);
err_proto:
	unregister_pernet_subsys(&ttp_net_ops);
err_pernet:
	rcu_barrier();
	ttp_rpc_slab_exit();
	return err;
}

static void __exit ttp_exit(void)
{
	sock_unregister(PF_TTP);
	ttp_netlink_exit();
	unregister_netdevice_notifier(&ttp_netdev_notifier);
	proto_unregister(&ttp_prot);
	unregister_pernet_subsys(&ttp_net_ops);
	rcu_barrier();
	ttp_rpc_slab_exit();
}

module_init(ttp_init);
module_exit(ttp_exit);

MODULE_DESCRIPTION("TTP: message RPCs over Ethernet");
MODULE_LICENSE("GPL");
MODULE_VERSION(TTP_VERSION);
MODULE_ALIAS_NETPROTO(PF_TTP);
MODULE_ALIAS_GENL_FAMILY("ttp");
