/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters, per network namespace and per device.
 *
 * A counter only grows, is never removed and never reused.  The names that
 * /proc/net/ttp/snmp and ttpctl show are in mib.c.
 */
#ifndef _NET_TTP_MIB_H
#define _NET_TTP_MIB_H

#include <linux/percpu.h>
#include <linux/types.h>

enum ttp_mib_item {
	/* packets from and to the wire */
	TTP_MIB_IN_PACKETS,		/* well-formed packets from the wire */
	TTP_MIB_OUT_PACKETS,		/* packets handed to the device */
	/* packets that could not be built or were refused below */
	TTP_MIB_OUT_ERRORS,
	/* packets that a card has stamped with the time they arrived */
	TTP_MIB_IN_STAMPED,
	TTP_MIB_IN_BYTES,		/* payload accepted */
	/* payload sent, retransmissions included */
	TTP_MIB_OUT_BYTES,

	/* frames dropped before they meant anything */
	TTP_MIB_IN_SHORT,		/* frames shorter than they say */
	TTP_MIB_IN_MAGIC,		/* frames of another protocol */
	TTP_MIB_IN_VERSION,		/* version not spoken here */
	TTP_MIB_IN_TYPE,		/* packet type not known */
	TTP_MIB_IN_FIELD,		/* packets with an impossible value */
	TTP_MIB_IN_CRC,			/* packets with a bad or missing CRC */
	/* frames from or to a group address, or from our own */
	TTP_MIB_IN_SOURCE,
	/* packets of or for an ended incarnation */
	TTP_MIB_IN_STALE,
	/* packets that do not fit the state of their RPC */
	TTP_MIB_IN_MISMATCH,
	TTP_MIB_IN_NO_RPC,		/* packets of no open RPC */
	TTP_MIB_IN_NO_MEM,		/* packets dropped for want of memory */

	/* DATA that was well formed */
	TTP_MIB_IN_DUPLICATE,		/* DATA whose bytes are here already */
	TTP_MIB_IN_OUT_OF_ORDER,	/* DATA that left a hole before it */
	/* DATA that would make one hole too many */
	TTP_MIB_IN_TOO_MANY_HOLES,
	/* DATA beyond what its sender may send */
	TTP_MIB_IN_NOT_GRANTED,
	/* DATA for which the socket has no room yet */
	TTP_MIB_IN_NO_BUDGET,
	TTP_MIB_IN_REPLAY,		/* DATA of a finished RPC */

	/* RPCs */
	TTP_MIB_RPC_CLIENT,		/* RPCs begun here */
	TTP_MIB_RPC_SERVER,		/* RPCs begun by peers */
	/* one-way messages, part of TtpRpcClient */
	TTP_MIB_RPC_ONEWAY_OUT,
	/* one-way messages, part of TtpRpcServer */
	TTP_MIB_RPC_ONEWAY_IN,
	/* RPCs of TtpRpcClient that went well */
	TTP_MIB_RPC_COMPLETED,
	TTP_MIB_RPC_FAILED,		/* RPCs of TtpRpcClient that did not */
	/* responses acknowledged by the client */
	TTP_MIB_RPC_ANSWERED,
	TTP_MIB_RPC_CANCELLED,		/* RPCs of peers that these gave up */
	TTP_MIB_RPC_ABANDONED,		/* RPCs of peers that fell silent */
	/* part of TtpRpcFailed: silence or deadline */
	TTP_MIB_RPC_TIMEOUT,
	/* part of TtpRpcFailed: peer restarted or reset it */
	TTP_MIB_RPC_RESET,
	/* idempotent RPCs begun anew, as the server had restarted */
	TTP_MIB_RPC_AGAIN,
	/* requests for a port without listener */
	TTP_MIB_RPC_REFUSED,
	/* requests and responses that a socket's filter does not want */
	TTP_MIB_RPC_FILTERED,
	/* requests longer than the socket accepts */
	TTP_MIB_RPC_TOO_LONG,
	TTP_MIB_RPC_LIMIT,		/* requests beyond max-rpcs-per-peer */

	/* recovery */
	TTP_MIB_TIMEOUTS,		/* retransmission time-outs */
	/* requests sent again before that, as answers usually come sooner */
	TTP_MIB_LOSS_PROBES,
	TTP_MIB_RESEND_OUT,		/* RESEND sent */
	TTP_MIB_RESEND_IN,		/* RESEND received */
	/* RESEND that came too soon after another */
	TTP_MIB_RESEND_IGNORED,
	TTP_MIB_RETRANSMITS,		/* DATA packets sent again */
	TTP_MIB_GRANT_OUT,		/* GRANT sent */
	TTP_MIB_GRANT_IN,		/* GRANT received */
	/* messages whose sender did not send what it was granted */
	TTP_MIB_GRANT_STALLED,
	/* messages not granted for want of room in the socket */
	TTP_MIB_GRANT_BLOCKED,
	/* grants out of turn: the share of the message that came first */
	TTP_MIB_GRANT_OLDEST,
	TTP_MIB_CUTOFFS_OUT,		/* CUTOFFS sent */
	TTP_MIB_CUTOFFS_IN,		/* CUTOFFS received */
	TTP_MIB_ACK_OUT,		/* ACK packets sent */
	TTP_MIB_ACK_IN,			/* ACK packets received */
	TTP_MIB_ACK_PIGGYBACK,		/* acknowledgments that rode in DATA */
	TTP_MIB_BUSY_OUT,		/* BUSY sent */
	TTP_MIB_BUSY_IN,		/* BUSY received */
	TTP_MIB_FULL_OUT,		/* FULL sent */
	TTP_MIB_FULL_IN,		/* FULL received */
	TTP_MIB_NEED_ACK_OUT,		/* NEED_ACK sent */
	TTP_MIB_NEED_ACK_IN,		/* NEED_ACK received */
	TTP_MIB_UNKNOWN_OUT,		/* UNKNOWN sent */
	TTP_MIB_UNKNOWN_IN,		/* UNKNOWN received */
	TTP_MIB_REJECT_OUT,		/* REJECT sent */
	TTP_MIB_REJECT_IN,		/* REJECT received */
	TTP_MIB_CANCEL_OUT,		/* CANCEL sent */
	TTP_MIB_CANCEL_IN,		/* CANCEL received */
	TTP_MIB_CLOSE_OUT,		/* CLOSE sent */
	TTP_MIB_CLOSE_IN,		/* CLOSE received */
	TTP_MIB_PROBE_OUT,		/* PROBE sent */
	TTP_MIB_PROBE_IN,		/* PROBE received */

	/* peers, sockets, timers */
	TTP_MIB_PEER_NEW,		/* peers met */
	TTP_MIB_PEER_RESTART,		/* peers seen with a new epoch */
	TTP_MIB_PEER_DEAD,		/* peers silent for too long, once each */
	TTP_MIB_PEER_LIMIT,		/* peers refused for max-peers */
	/* allocations refused for the memory limit */
	TTP_MIB_MEM_LIMIT,
	TTP_MIB_TIMER_RUNS,		/* runs of peer timers */
	TTP_MIB_WAKEUPS,		/* receive calls woken for something */
	__TTP_MIB_ITEMS
};

/**
 * struct ttp_mib - one set of counters, per CPU
 * @item: by enum ttp_mib_item
 */
struct ttp_mib {
	unsigned long item[__TTP_MIB_ITEMS];
};

extern const char * const ttp_mib_names[__TTP_MIB_ITEMS];

/**
 * ttp_mib_fold() - sum a counter over all CPUs
 * @mib: the set
 * @item: which
 *
 * Context: any.
 * Return: the sum; on 32-bit machines it wraps at 2^32.
 */
u64 ttp_mib_fold(const struct ttp_mib __percpu *mib, enum ttp_mib_item item);

struct ttp_net;

/**
 * ttp_mib_proc_init() - create /proc/net/ttp/snmp
 * @tn: the namespace
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int ttp_mib_proc_init(struct ttp_net *tn);

/**
 * ttp_mib_proc_exit() - remove /proc/net/ttp/snmp
 * @tn: the namespace
 *
 * Context: process, may sleep.
 */
void ttp_mib_proc_exit(struct ttp_net *tn);

/* Count in the namespace only */
#define TTP_NET_ADD(tn, id, n) \
	this_cpu_add((tn)->mib->item[TTP_MIB_##id], n)
#define TTP_NET_INC(tn, id)	TTP_NET_ADD(tn, id, 1)

/* Count for a device and for its namespace */
#define TTP_ADD(link, id, n) do {					\
	this_cpu_add((link)->mib->item[TTP_MIB_##id], n);		\
	TTP_NET_ADD((link)->tn, id, n);					\
} while (0)
#define TTP_INC(link, id)	TTP_ADD(link, id, 1)

#endif /* _NET_TTP_MIB_H */
