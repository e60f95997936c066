// SPDX-License-Identifier: GPL-2.0
/*
 * Building the network that the module's parameters describe.
 */
#include <linux/module.h>

#include "fabric.h"

struct fabric fabric;
u64 fabric_base_ns;

static unsigned int hosts = 2;
module_param(hosts, uint, 0444);
MODULE_PARM_DESC(hosts, "number of hosts, devices fab0 and up (2)");

static unsigned int rack;
module_param(rack, uint, 0444);
MODULE_PARM_DESC(rack, "hosts at one leaf; 0: one switch for all (0)");

static unsigned int spines = 1;
module_param(spines, uint, 0444);
MODULE_PARM_DESC(spines, "switches that join the leaves (1)");

unsigned int fabric_rate = 25000;
module_param_named(rate, fabric_rate, uint, 0444);
MODULE_PARM_DESC(rate, "of the hosts' links, Mbit/s; divides 8,000,000 (25000)");

static unsigned int core_rate;
module_param(core_rate, uint, 0444);
MODULE_PARM_DESC(core_rate, "of links between switches, Mbit/s; 0: like the hosts' (0)");

unsigned int fabric_delay_ns = 500;
module_param_named(delay_ns, fabric_delay_ns, uint, 0444);
MODULE_PARM_DESC(delay_ns, "of one cable and the device at its end (500)");

unsigned int fabric_rx_wait_ns;
module_param_named(rx_wait_ns, fabric_rx_wait_ns, uint, 0444);
MODULE_PARM_DESC(rx_wait_ns, "interrupt moderation of the hosts (0)");

unsigned int fabric_nic_bytes = 16384;
module_param_named(nic_bytes, fabric_nic_bytes, uint, 0444);
MODULE_PARM_DESC(nic_bytes, "a host's card takes no more while it holds so many (16384)");

unsigned int fabric_nic_classes = 1;
module_param_named(nic_classes, fabric_nic_classes, uint, 0444);
MODULE_PARM_DESC(nic_classes, "transmit queues of a host's card, the highest goes first, 1 to 8 (1)");

unsigned int fabric_stamp;
module_param_named(stamp, fabric_stamp, uint, 0444);
MODULE_PARM_DESC(stamp, "1: cards stamp what arrives, by clocks of their own (0)");

unsigned int fabric_buffer_kb = 512;
module_param_named(buffer_kb, fabric_buffer_kb, uint, 0444);
MODULE_PARM_DESC(buffer_kb, "of a port, or of a switch if shared, KiB (512)");

unsigned int fabric_shared;
module_param_named(shared, fabric_shared, uint, 0444);
MODULE_PARM_DESC(shared, "1: one buffer for all ports of a switch (0)");

unsigned int fabric_alpha_8 = 8;
module_param_named(alpha_8, fabric_alpha_8, uint, 0444);
MODULE_PARM_DESC(alpha_8, "shared: eighths of the free buffer that a queue may have (8)");

unsigned int fabric_ecn_kb;
module_param_named(ecn_kb, fabric_ecn_kb, uint, 0644);
MODULE_PARM_DESC(ecn_kb, "mark IP packets behind a longer queue, KiB; 0: never (0)");

unsigned int fabric_loss_ppm;
module_param_named(loss_ppm, fabric_loss_ppm, uint, 0644);
MODULE_PARM_DESC(loss_ppm, "frames that a host's cable loses in each direction, of a million (0)");

unsigned int fabric_spray;
module_param_named(spray, fabric_spray, uint, 0644);
MODULE_PARM_DESC(spray, "1: each frame takes any path; 0: a path for a flow (0)");

unsigned int fabric_sample_ns = 1000;
module_param_named(sample_ns, fabric_sample_ns, uint, 0444);
MODULE_PARM_DESC(sample_ns, "time between two looks at all queues; 0: none (1000)");

static ulong seed = 1;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "of losses and paths (1)");

/* splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom generators") */
u32 fabric_random(void)
{
	u64 x = fabric.random += 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return (x ^ (x >> 31)) >> 32;
}

struct pipe *fabric_new_pipe(void)
{
	struct pipe *p = kvzalloc(sizeof(*p), GFP_KERNEL);

	if (p)
		fabric.pipe[fabric.pipes++] = p;
	return p;
}

static int fabric_join(struct fabric_switch *from, struct fabric_switch *to,
		       struct pipe **port)
{
	struct pipe *p;
	char name[16];

	snprintf(name, sizeof(name), "%s%u",
		 to->index < fabric.leaves ? "leaf" : "spine",
		 to->index < fabric.leaves ? to->index : to->index - fabric.leaves);
	p = switch_port(from, name, core_rate ?: fabric_rate);
	if (!p)
		return -ENOMEM;
	p->to_switch = to;
	p->arrive = switch_receive;
	*port = p;
	return 0;
}

static int fabric_switches(void)
{
	struct fabric_switch *leaf, *spine;
	unsigned int i, j;
	int err;

	for (i = 0; i < fabric.leaves + fabric.spines; i++)
		fabric.sw[i].index = i;
	for (i = 0; i < fabric.leaves; i++) {
		for (j = 0; j < fabric.spines; j++) {
			leaf = &fabric.sw[i];
			spine = &fabric.sw[fabric.leaves + j];
			err = fabric_join(leaf, spine, &leaf->up[j]) ?:
			      fabric_join(spine, leaf, &spine->down[i]);
			if (err)
				return err;
		}
	}
	return 0;
}

static void fabric_destroy(void)
{
	unsigned int i;

	for (i = 0; fabric.host && i < fabric.hosts; i++)
		host_destroy(&fabric.host[i]);
	report_exit();
	/* Nothing enters any more, but what is inside still moves */
	spin_lock_bh(&fabric.lock);
	fabric.stopping = true;
	spin_unlock_bh(&fabric.lock);
	for (i = 0; i < fabric.pipes; i++) {
		hrtimer_cancel(&fabric.pipe[i]->tx);
		hrtimer_cancel(&fabric.pipe[i]->rx);
	}
	for (i = 0; i < fabric.pipes; i++) {
		pipe_empty(fabric.pipe[i]);
		if (!fabric.pipe[i]->from_host)
			kvfree(fabric.pipe[i]);
	}
	for (i = 0; fabric.host && i < fabric.hosts; i++)
		if (fabric.host[i].dev)
			free_netdev(fabric.host[i].dev);
	kvfree(fabric.pipe);
	kvfree(fabric.host);
	kvfree(fabric.sw);
}

static int fabric_create(void)
{
	unsigned int i;
	int err;

	fabric.sw = kvcalloc(FABRIC_MAX_SWITCHES, sizeof(*fabric.sw), GFP_KERNEL);
	fabric.host = kvcalloc(hosts, sizeof(*fabric.host), GFP_KERNEL);
	fabric.pipe = kvcalloc(2 * hosts + 2 * fabric.leaves * fabric.spines,
			       sizeof(*fabric.pipe), GFP_KERNEL);
	if (!fabric.sw || !fabric.host || !fabric.pipe)
		return -ENOMEM;
	err = report_init() ?: fabric_switches();
	for (i = 0; !err && i < hosts; i++)
		err = host_create(i);
	return err;
}

static int fabric_check(void)
{
	unsigned int leaves = rack ? DIV_ROUND_UP(hosts, rack) : 1;

	if (hosts < 1 || hosts > FABRIC_MAX_HOSTS || rack > FABRIC_MAX_HOSTS) {
		pr_err("1 to %u hosts, please\n", FABRIC_MAX_HOSTS);
		return -EINVAL;
	}
	if (!fabric_rate || PIPE_RATE % fabric_rate ||
	    (core_rate && PIPE_RATE % core_rate)) {
		pr_err("rates in Mbit/s have to divide 8,000,000 (ps for a byte)\n");
		return -EINVAL;
	}
	if (leaves > 1 && (!spines || spines > FABRIC_MAX_SWITCHES ||
			   leaves + spines > FABRIC_MAX_SWITCHES)) {
		pr_err("at most %u switches, and a spine for several leaves\n",
		       FABRIC_MAX_SWITCHES);
		return -EINVAL;
	}
	if (!fabric_nic_bytes || !fabric_buffer_kb) {
		pr_err("neither nic_bytes nor buffer_kb may be 0\n");
		return -EINVAL;
	}
	if (!fabric_nic_classes || fabric_nic_classes > FABRIC_LEVELS) {
		pr_err("a card has 1 to %u classes\n", FABRIC_LEVELS);
		return -EINVAL;
	}
	return 0;
}

static int __init fabric_init(void)
{
	int err = fabric_check();

	if (err)
		return err;
	spin_lock_init(&fabric.lock);
	fabric.hosts = hosts;
	fabric.rack = rack ?: hosts;
	fabric.leaves = DIV_ROUND_UP(hosts, fabric.rack);
	fabric.spines = fabric.leaves > 1 ? spines : 0;
	fabric.random = seed;
	fabric_base_ns = ktime_get_ns();
	err = fabric_create();
	if (err)
		fabric_destroy();
	return err;
}
module_init(fabric_init);

static void __exit fabric_exit(void)
{
	fabric_destroy();
}
module_exit(fabric_exit);

MODULE_DESCRIPTION("A network of switches in virtual time, to measure transports on");
MODULE_LICENSE("GPL");
