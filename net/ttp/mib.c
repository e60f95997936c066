// SPDX-License-Identifier: GPL-2.0
/*
 * Counters: names, sums, and /proc/net/ttp/snmp.
 *
 * The file has the shape of /proc/net/sctp/snmp ("name value" a line), which
 * stock nstat reads when told its path.
 */
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/seq_file_net.h>

#include "mib.h"
#include "net.h"

const char * const ttp_mib_names[__TTP_MIB_ITEMS] = {
	[TTP_MIB_IN_PACKETS]		= "TtpInPackets",
	[TTP_MIB_OUT_PACKETS]		= "TtpOutPackets",
	[TTP_MIB_OUT_ERRORS]		= "TtpOutErrors",
	[TTP_MIB_IN_STAMPED]		= "TtpInStamped",
	[TTP_MIB_IN_BYTES]		= "TtpInBytes",
	[TTP_MIB_OUT_BYTES]		= "TtpOutBytes",
	[TTP_MIB_IN_SHORT]		= "TtpInShort",
	[TTP_MIB_IN_MAGIC]		= "TtpInMagic",
	[TTP_MIB_IN_VERSION]		= "TtpInVersion",
	[TTP_MIB_IN_TYPE]		= "TtpInType",
	[TTP_MIB_IN_FIELD]		= "TtpInField",
	[TTP_MIB_IN_CRC]		= "TtpInCrc",
	[TTP_MIB_IN_SOURCE]		= "TtpInSource",
	[TTP_MIB_IN_STALE]		= "TtpInStale",
	[TTP_MIB_IN_MISMATCH]		= "TtpInMismatch",
	[TTP_MIB_IN_NO_RPC]		= "TtpInNoRpc",
	[TTP_MIB_IN_NO_MEM]		= "TtpInNoMem",
	[TTP_MIB_IN_DUPLICATE]		= "TtpInDuplicate",
	[TTP_MIB_IN_OUT_OF_ORDER]	= "TtpInOutOfOrder",
	[TTP_MIB_IN_TOO_MANY_HOLES]	= "TtpInTooManyHoles",
	[TTP_MIB_IN_NOT_GRANTED]	= "TtpInNotGranted",
	[TTP_MIB_IN_NO_BUDGET]		= "TtpInNoBudget",
	[TTP_MIB_IN_REPLAY]		= "TtpInReplay",
	[TTP_MIB_RPC_CLIENT]		= "TtpRpcClient",
	[TTP_MIB_RPC_SERVER]		= "TtpRpcServer",
	[TTP_MIB_RPC_ONEWAY_OUT]	= "TtpRpcOnewayOut",
	[TTP_MIB_RPC_ONEWAY_IN]		= "TtpRpcOnewayIn",
	[TTP_MIB_RPC_COMPLETED]		= "TtpRpcCompleted",
	[TTP_MIB_RPC_FAILED]		= "TtpRpcFailed",
	[TTP_MIB_RPC_ANSWERED]		= "TtpRpcAnswered",
	[TTP_MIB_RPC_CANCELLED]		= "TtpRpcCancelled",
	[TTP_MIB_RPC_ABANDONED]		= "TtpRpcAbandoned",
	[TTP_MIB_RPC_TIMEOUT]		= "TtpRpcTimeout",
	[TTP_MIB_RPC_RESET]		= "TtpRpcReset",
	[TTP_MIB_RPC_AGAIN]		= "TtpRpcAgain",
	[TTP_MIB_RPC_REFUSED]		= "TtpRpcRefused",
	[TTP_MIB_RPC_FILTERED]		= "TtpRpcFiltered",
	[TTP_MIB_RPC_TOO_LONG]		= "TtpRpcTooLong",
	[TTP_MIB_RPC_LIMIT]		= "TtpRpcLimit",
	[TTP_MIB_TIMEOUTS]		= "TtpTimeouts",
	[TTP_MIB_LOSS_PROBES]		= "TtpLossProbes",
	[TTP_MIB_RESEND_OUT]		= "TtpResendOut",
	[TTP_MIB_RESEND_IN]		= "TtpResendIn",
	[TTP_MIB_RESEND_IGNORED]	= "TtpResendIgnored",
	[TTP_MIB_RETRANSMITS]		= "TtpRetransmits",
	[TTP_MIB_GRANT_OUT]		= "TtpGrantOut",
	[TTP_MIB_GRANT_IN]		= "TtpGrantIn",
	[TTP_MIB_GRANT_STALLED]		= "TtpGrantStalled",
	[TTP_MIB_GRANT_BLOCKED]		= "TtpGrantBlocked",
	[TTP_MIB_GRANT_OLDEST]		= "TtpGrantOldest",
	[TTP_MIB_CUTOFFS_OUT]		= "TtpCutoffsOut",
	[TTP_MIB_CUTOFFS_IN]		= "TtpCutoffsIn",
	[TTP_MIB_ACK_OUT]		= "TtpAckOut",
	[TTP_MIB_ACK_IN]		= "TtpAckIn",
	[TTP_MIB_ACK_PIGGYBACK]		= "TtpAckPiggyback",
	[TTP_MIB_BUSY_OUT]		= "TtpBusyOut",
	[TTP_MIB_BUSY_IN]		= "TtpBusyIn",
	[TTP_MIB_FULL_OUT]		= "TtpFullOut",
	[TTP_MIB_FULL_IN]		= "TtpFullIn",
	[TTP_MIB_NEED_ACK_OUT]		= "TtpNeedAckOut",
	[TTP_MIB_NEED_ACK_IN]		= "TtpNeedAckIn",
	[TTP_MIB_UNKNOWN_OUT]		= "TtpUnknownOut",
	[TTP_MIB_UNKNOWN_IN]		= "TtpUnknownIn",
	[TTP_MIB_REJECT_OUT]		= "TtpRejectOut",
	[TTP_MIB_REJECT_IN]		= "TtpRejectIn",
	[TTP_MIB_CANCEL_OUT]		= "TtpCancelOut",
	[TTP_MIB_CANCEL_IN]		= "TtpCancelIn",
	[TTP_MIB_CLOSE_OUT]		= "TtpCloseOut",
	[TTP_MIB_CLOSE_IN]		= "TtpCloseIn",
	[TTP_MIB_PROBE_OUT]		= "TtpProbeOut",
	[TTP_MIB_PROBE_IN]		= "TtpProbeIn",
	[TTP_MIB_PEER_NEW]		= "TtpPeerNew",
	[TTP_MIB_PEER_RESTART]		= "TtpPeerRestart",
	[TTP_MIB_PEER_DEAD]		= "TtpPeerDead",
	[TTP_MIB_PEER_LIMIT]		= "TtpPeerLimit",
	[TTP_MIB_MEM_LIMIT]		= "TtpMemLimit",
	[TTP_MIB_TIMER_RUNS]		= "TtpTimerRuns",
	[TTP_MIB_WAKEUPS]		= "TtpWakeups",
};

u64 ttp_mib_fold(const struct ttp_mib __percpu *mib, enum ttp_mib_item item)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(mib, cpu)->item[item]);
	return sum;
}

static int ttp_mib_seq_show(struct seq_file *seq, void *v)
{
	struct ttp_net *tn = ttp_net(seq_file_single_net(seq));
	unsigned int i;

	for (i = 0; i < __TTP_MIB_ITEMS; i++)
		seq_printf(seq, "%-32s\t%llu\n", ttp_mib_names[i],
			   ttp_mib_fold(tn->mib, i));
	/* Not counters: what there is now; but for peers zero at rest */
	seq_printf(seq, "%-32s\t%d\n", "TtpCurrRpcs",
		   atomic_read(&tn->rpc_count));
	seq_printf(seq, "%-32s\t%d\n", "TtpCurrPeers",
		   atomic_read(&tn->peer_count));
	seq_printf(seq, "%-32s\t%llu\n", "TtpCurrMem", ttp_net_mem_used(tn));
	return 0;
}

int ttp_mib_proc_init(struct ttp_net *tn)
{
	struct proc_dir_entry *dir;

	dir = proc_net_mkdir(tn->net, "ttp", tn->net->proc_net);
	if (!dir)
		return -ENOMEM;
	if (proc_create_net_single("snmp", 0444, dir, ttp_mib_seq_show, NULL))
		return 0;
	remove_proc_entry("ttp", tn->net->proc_net);
	return -ENOMEM;
}

void ttp_mib_proc_exit(struct ttp_net *tn)
{
	remove_proc_subtree("ttp", tn->net->proc_net);
}
