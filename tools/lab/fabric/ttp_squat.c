// SPDX-License-Identifier: GPL-2.0
/*
 * ttp_squat: takes TTP's family number, as another module might.
 */
#include <linux/module.h>
#include <linux/net.h>
#include <uapi/linux/ttp.h>

static int ttp_squat_create(struct net *net, struct socket *sock, int protocol,
			    int kern)
{
	return -ESOCKTNOSUPPORT;
}

static const struct net_proto_family ttp_squat_family = {
	.family	= AF_TTP,
	.create	= ttp_squat_create,
	.owner	= THIS_MODULE,
};

static int __init ttp_squat_init(void)
{
	return sock_register(&ttp_squat_family);
}

static void __exit ttp_squat_exit(void)
{
	sock_unregister(AF_TTP);
}

module_init(ttp_squat_init);
module_exit(ttp_squat_exit);
MODULE_DESCRIPTION("Takes the address family of TTP");
MODULE_LICENSE("GPL");
