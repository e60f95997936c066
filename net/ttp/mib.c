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
#define TTP_MIB_NAME(id, name) [TTP_MIB_##id] = name,
	TTP_MIB_LIST(TTP_MIB_NAME)
#undef TTP_MIB_NAME
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
	/* Not counters: what there is now; all zero when nothing goes on */
	seq_printf(seq, "%-32s\t%d\n", "TtpCurrRpcs",
		   atomic_read(&tn->rpc_count));
	seq_printf(seq, "%-32s\t%d\n", "TtpCurrPeers",
		   atomic_read(&tn->peer_count));
	seq_printf(seq, "%-32s\t%lld\n", "TtpCurrMem",
		   (s64)atomic64_read(&tn->mem_used));
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
