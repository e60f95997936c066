/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A network of switches in one kernel, for virtual time: see README.md.
 *
 * Locking: fabric.lock guards all pipes, gauges, buffers and samples.  It is
 * taken in process and softirq context, inside a device's transmit lock, and
 * not held while a frame goes up to a host.  Rates of hosts change under RTNL, too.
 * What else there is does not change after the module was loaded.
 * Everything lives from module load to unload.  Then devices go first, so that
 * nothing enters; debugfs and the sampler; all timers, which fabric.stopping
 * keeps from being started again; at last the frames and the pipes.
 */
#ifndef _TTP_FABRIC_H
#define _TTP_FABRIC_H

#include <linux/hrtimer.h>
#include <linux/netdevice.h>
#include <linux/seq_file.h>
#include <linux/skbuff.h>

#define FABRIC_LEVELS		8
#define FABRIC_MAX_HOSTS	250
#define FABRIC_MAX_SWITCHES	64

/* ---- gauge: how large something was, for how long */

#define GAUGE_SUB_BITS		3
#define GAUGE_BUCKETS		(32 << GAUGE_SUB_BITS)

/**
 * struct gauge - a size over time
 * @value: now
 * @peak: the largest since the start
 * @since_ns: when @value began to hold
 * @start_ns: when the measurement began
 * @sum: of value times ns
 * @ns: time spent in each bucket, eight to a power of two
 */
struct gauge {
	u64	value;
	u64	peak;
	u64	since_ns;
	u64	start_ns;
	u64	sum;
	u64	ns[GAUGE_BUCKETS];
};

void gauge_set(struct gauge *g, u64 value, u64 now_ns);
void gauge_reset(struct gauge *g, u64 now_ns);
u64 gauge_mean(struct gauge *g, u64 now_ns);
u64 gauge_percentile(struct gauge *g, unsigned int percent, u64 now_ns);

/* ---- pipe: queues, a transmitter, a cable */

struct fabric_switch;
struct fabric_host;

/* Mbit/s at which a byte takes a ps; rates divide it */
#define PIPE_RATE		8000000U

struct pipe_counts {
	u64	frames;
	u64	bytes;		/* on the wire, with preamble and gap */
	u64	dropped;	/* the buffer was full */
	u64	marked;		/* ECN */
};

/**
 * struct pipe - one direction of a cable, with what feeds it
 * @name: for reports
 * @queue: frames that wait, by level; 7 goes first
 * @depth: bytes that wait or are being sent, by level
 * @total: sum of @depth
 * @counts: by level
 * @lost: frames that the cable lost
 * @sending: the frame on the transmitter, or NULL
 * @tx: end of its transmission
 * @free_ps: when the transmitter is free, exactly
 * @ps_per_byte: of the link rate
 * @delay_ps: how long the cable, and the device at its end, delay a frame
 * @cable: frames on their way, in the order of their arrival
 * @rx: arrival of the first of those
 * @rx_wait_ns: the receiver looks that much later (interrupt moderation)
 * @lossy: whether the cable loses frames at random
 * @sent: called when the last bit is sent, with the lock held, or NULL
 * @arrive: called for each list of frames that arrived, without the lock
 * @sw: the switch that feeds it, NULL for a host
 * @from_host: the host that feeds it, NULL for a switch
 * @to_host: the host at its end, or NULL
 * @to_switch: the switch at its end, or NULL
 */
struct pipe {
	char			name[32];
	struct sk_buff_head	queue[FABRIC_LEVELS];
	struct gauge		depth[FABRIC_LEVELS];
	struct gauge		total;
	struct pipe_counts	counts[FABRIC_LEVELS];
	u64			lost;
	struct sk_buff		*sending;
	struct hrtimer		tx;
	u64			free_ps;
	u32			ps_per_byte;
	u64			delay_ps;
	struct sk_buff_head	cable;
	struct hrtimer		rx;
	u64			rx_wait_ns;
	bool			lossy;
	void			(*sent)(struct pipe *p, struct sk_buff *skb);
	void			(*arrive)(struct pipe *p,
					  struct sk_buff_head *frames);
	struct fabric_switch	*sw;
	struct fabric_host	*from_host;
	struct fabric_host	*to_host;
	struct fabric_switch	*to_switch;
};

/* What the fabric notes on a frame while it has it */
struct fabric_cb {
	u64	arrival_ps;
	u32	wire;		/* bytes on the wire */
	u32	size;		/* bytes in a buffer */
	u8	level;
	u8	ranked;		/* its level in the switches */
	u16	flood;		/* 1 + host, of a copy for all */
};

static inline struct fabric_cb *fabric_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct fabric_cb) > sizeof(skb->cb));
	return (struct fabric_cb *)skb->cb;
}

void pipe_init(struct pipe *p, u32 rate_mbps, u64 delay_ns);
void pipe_empty(struct pipe *p);
void pipe_reset(struct pipe *p, u64 now_ns);
void pipe_settle(struct pipe *p, u64 now_ns);
void pipe_send(struct pipe *p, struct sk_buff *skb);
void pipe_measure(struct sk_buff *skb);

/* ---- hosts and switches */

/**
 * struct fabric_host - a host's network card
 * @dev: its device
 * @nic: from it to its switch: a queue for each class, in order
 * @sw: its switch
 * @port: from that switch to it
 */
struct fabric_host {
	struct net_device	*dev;
	struct pipe		nic;
	struct fabric_switch	*sw;
	struct pipe		*port;
};

/**
 * struct fabric_switch - a switch: any port to any port, store and forward
 * @index: leaves first, then spines
 * @used: bytes in the shared buffer
 * @up: a leaf's ports to the spines
 * @down: a spine's ports to the leaves
 */
struct fabric_switch {
	unsigned int	index;
	u64		used;
	struct pipe	*up[FABRIC_MAX_SWITCHES];
	struct pipe	*down[FABRIC_MAX_SWITCHES];
};

/**
 * struct fabric - all of it
 * @lock: guards pipes, gauges, buffers and @random
 * @hosts: number of hosts
 * @rack: hosts at a leaf
 * @leaves: switches with hosts
 * @spines: switches that join them
 * @pipes: number of pipes
 * @host: the hosts
 * @sw: leaves, then spines
 * @pipe: all pipes, those of the hosts' cards included
 * @random: state of the random numbers
 * @frozen_ns: since when nothing is counted, or 0
 * @stopping: no timer may be started any more
 */
struct fabric {
	spinlock_t		lock;	/* see above */
	unsigned int		hosts;
	unsigned int		rack;
	unsigned int		leaves;
	unsigned int		spines;
	unsigned int		pipes;
	struct fabric_host	*host;
	struct fabric_switch	*sw;
	struct pipe		**pipe;
	u64			random;
	u64			frozen_ns;
	bool			stopping;
};

extern struct fabric fabric;

/* module parameters, see main.c */
extern unsigned int fabric_rate, fabric_delay_ns, fabric_rx_wait_ns;
extern unsigned int fabric_buffer_kb, fabric_shared, fabric_alpha_8;
extern unsigned int fabric_ecn_kb, fabric_loss_ppm, fabric_spray;
extern unsigned int fabric_nic_bytes, fabric_nic_classes, fabric_stamp;
extern unsigned int fabric_sample_ns;

int host_create(unsigned int i);
void host_destroy(struct fabric_host *host);
void host_receive(struct pipe *p, struct sk_buff_head *frames);

struct pipe *switch_port(struct fabric_switch *sw, const char *to,
			 u32 rate_mbps);
void switch_receive(struct pipe *p, struct sk_buff_head *frames);

struct pipe *fabric_new_pipe(void);
u32 fabric_random(void);

int report_init(void);
void report_exit(void);

/* Time since the fabric began, in ps: hundreds of days fit */
extern u64 fabric_base_ns;

static inline u64 fabric_now_ns(void)
{
	return ktime_get_ns() - fabric_base_ns;
}

#endif
