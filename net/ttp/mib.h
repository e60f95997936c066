/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters, per network namespace and per device.
 *
 * A counter only grows, is never removed and never reused.  The list below
 * is all there is: its first column is the constant, its second the name
 * that /proc/net/ttp/snmp and ttpctl show.
 */
#ifndef _NET_TTP_MIB_H
#define _NET_TTP_MIB_H

#include <linux/percpu.h>
#include <linux/types.h>

#define TTP_MIB_LIST(x)							\
	/* packets from and to the wire */				\
	x(IN_PACKETS,		"TtpInPackets")				\
	x(OUT_PACKETS,		"TtpOutPackets")			\
	x(OUT_ERRORS,		"TtpOutErrors")		/* refused below us */ \
	x(IN_BYTES,		"TtpInBytes")		/* payload accepted */ \
	x(OUT_BYTES,		"TtpOutBytes")		/* payload sent */ \
	/* frames dropped before they meant anything */			\
	x(IN_SHORT,		"TtpInShort")		/* shorter than it says */ \
	x(IN_MAGIC,		"TtpInMagic")		/* another protocol */	\
	x(IN_VERSION,		"TtpInVersion")				\
	x(IN_TYPE,		"TtpInType")				\
	x(IN_FIELD,		"TtpInField")		/* impossible value */	\
	x(IN_CRC,		"TtpInCrc")		/* bad or missing CRC */ \
	x(IN_SOURCE,		"TtpInSource")		/* group or own MAC */	\
	x(IN_STALE,		"TtpInStale")		/* wrong epoch */	\
	x(IN_MISMATCH,		"TtpInMismatch")	/* ports or state */	\
	x(IN_NO_RPC,		"TtpInNoRpc")		/* of no open RPC */	\
	x(IN_NO_PEER,		"TtpInNoPeer")		/* peer not known */	\
	x(IN_NO_MEM,		"TtpInNoMem")		/* no memory for it */	\
	x(IN_FILTERED,		"TtpInFiltered")	/* by a socket filter */ \
	/* DATA that was well formed */					\
	x(IN_DUPLICATE,		"TtpInDuplicate")	/* bytes already here */ \
	x(IN_OUT_OF_ORDER,	"TtpInOutOfOrder")			\
	x(IN_TOO_MANY_HOLES,	"TtpInTooManyHoles")			\
	x(IN_NO_BUDGET,		"TtpInNoBudget")	/* while waiting */	\
	x(IN_REPLAY,		"TtpInReplay")		/* of a finished RPC */	\
	/* RPCs */							\
	x(RPC_CLIENT,		"TtpRpcClient")		/* begun here */	\
	x(RPC_SERVER,		"TtpRpcServer")		/* begun by a peer */	\
	x(RPC_ONEWAY_OUT,	"TtpRpcOnewayOut")	/* part of RpcClient */	\
	x(RPC_ONEWAY_IN,	"TtpRpcOnewayIn")	/* part of RpcServer */	\
	x(RPC_COMPLETED,	"TtpRpcCompleted")	/* by a client, well */	\
	x(RPC_FAILED,		"TtpRpcFailed")		/* by a client, not */	\
	x(RPC_ANSWERED,		"TtpRpcAnswered")	/* response acked */	\
	x(RPC_CANCELLED,	"TtpRpcCancelled")	/* by the client */	\
	x(RPC_ABANDONED,	"TtpRpcAbandoned")	/* client silent */	\
	x(RPC_TIMEOUT,		"TtpRpcTimeout")	/* part of RpcFailed */	\
	x(RPC_RESET,		"TtpRpcReset")		/* part of RpcFailed */	\
	x(RPC_REFUSED,		"TtpRpcRefused")	/* no listener here */	\
	x(RPC_TOO_LONG,		"TtpRpcTooLong")	/* refused for length */ \
	x(RPC_LIMIT,		"TtpRpcLimit")		/* max-rpcs-per-peer */	\
	/* recovery */							\
	x(TIMEOUTS,		"TtpTimeouts")		/* RTO expired */	\
	x(RESEND_OUT,		"TtpResendOut")				\
	x(RESEND_IN,		"TtpResendIn")				\
	x(RESEND_IGNORED,	"TtpResendIgnored")	/* too soon */		\
	x(RETRANSMITS,		"TtpRetransmits")	/* DATA sent again */	\
	x(GRANT_OUT,		"TtpGrantOut")				\
	x(GRANT_IN,		"TtpGrantIn")				\
	x(ACK_OUT,		"TtpAckOut")		/* ACK packets */	\
	x(ACK_IN,		"TtpAckIn")				\
	x(ACK_PIGGYBACK,	"TtpAckPiggyback")	/* entries in DATA */	\
	x(BUSY_OUT,		"TtpBusyOut")				\
	x(BUSY_IN,		"TtpBusyIn")				\
	x(FULL_OUT,		"TtpFullOut")				\
	x(FULL_IN,		"TtpFullIn")				\
	x(NEED_ACK_OUT,		"TtpNeedAckOut")			\
	x(NEED_ACK_IN,		"TtpNeedAckIn")				\
	x(UNKNOWN_OUT,		"TtpUnknownOut")			\
	x(UNKNOWN_IN,		"TtpUnknownIn")				\
	x(REJECT_OUT,		"TtpRejectOut")				\
	x(REJECT_IN,		"TtpRejectIn")				\
	x(CANCEL_OUT,		"TtpCancelOut")				\
	x(CANCEL_IN,		"TtpCancelIn")				\
	x(CLOSE_OUT,		"TtpCloseOut")				\
	x(CLOSE_IN,		"TtpCloseIn")				\
	x(PROBE_OUT,		"TtpProbeOut")				\
	x(PROBE_IN,		"TtpProbeIn")				\
	/* peers, sockets, timers */					\
	x(PEER_NEW,		"TtpPeerNew")				\
	x(PEER_RESTART,		"TtpPeerRestart")	/* epoch changed */	\
	x(PEER_DEAD,		"TtpPeerDead")		/* silence too long */	\
	x(PEER_LIMIT,		"TtpPeerLimit")		/* max-peers reached */	\
	x(MEM_LIMIT,		"TtpMemLimit")		/* netns memory limit */ \
	x(TIMER_RUNS,		"TtpTimerRuns")		/* peer timer expired */ \
	x(WAKEUPS,		"TtpWakeups")		/* of readers */

enum ttp_mib_item {
#define TTP_MIB_ENUM(id, name) TTP_MIB_##id,
	TTP_MIB_LIST(TTP_MIB_ENUM)
#undef TTP_MIB_ENUM
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
