/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Generic netlink of kernels without split operations (before 6.2).
 *
 * The generated table nl_gen.c has one entry for a command's do and one for
 * its dump.  The older struct genl_ops has room for both, but a command must
 * not come twice: the two are merged when the family is registered.
 *
 * Included by ttp_compat.h.  Probes, in the target's net/genetlink.h:
 * genl_split_ops -> TTP_HAVE_GENL_SPLIT_OPS,
 * genl_info_dump -> TTP_HAVE_GENL_INFO_DUMP; in net/netlink.h:
 * const struct netlink_range_validation *range -> TTP_HAVE_CONST_NLA_RANGE.
 */
#ifndef _TTP_COMPAT_GENL_H
#define _TTP_COMPAT_GENL_H

#include <net/genetlink.h>
#include <net/netlink.h>

#ifndef TTP_HAVE_GENL_INFO_DUMP
/* of the same use: ->attrs */
#define genl_info_dump(cb)	genl_dumpit_info(cb)
#endif

#ifndef TTP_HAVE_CONST_NLA_RANGE
/* never written through, but not declared const either */
#undef NLA_POLICY_FULL_RANGE
#define NLA_POLICY_FULL_RANGE(tp, _range) {				\
	.type = NLA_ENSURE_UINT_OR_BINARY_TYPE(tp),			\
	.validation_type = NLA_VALIDATE_RANGE_PTR,			\
	.range = (struct netlink_range_validation *)(_range),		\
}
#endif

#ifndef TTP_HAVE_GENL_SPLIT_OPS

#include <linux/slab.h>

/* every member that nl_gen.c sets has the same name and meaning */
#define genl_split_ops		genl_ops
#define split_ops		ops
#define n_split_ops		n_ops

static inline void ttp_compat_genl_merge(struct genl_ops *to,
					 const struct genl_ops *from)
{
	to->cmd = from->cmd;
	to->flags |= from->flags;
	to->validate |= from->validate;
	if (from->doit)
		to->doit = from->doit;
	if (from->dumpit) {
		to->start = from->start;
		to->dumpit = from->dumpit;
		to->done = from->done;
	}
	/* attributes of a do are those of its dump and more */
	if (from->maxattr > to->maxattr) {
		to->policy = from->policy;
		to->maxattr = from->maxattr;
	}
}

static inline int ttp_compat_genl_register(struct genl_family *family)
{
	unsigned int i, j, count = 0;
	struct genl_ops *merged;
	int err;

	merged = kcalloc(family->n_ops, sizeof(*merged), GFP_KERNEL);
	if (!merged)
		return -ENOMEM;
	for (i = 0; i < family->n_ops; i++) {
		for (j = 0; j < count; j++)
			if (merged[j].cmd == family->ops[i].cmd)
				break;
		if (j == count)
			count++;
		ttp_compat_genl_merge(&merged[j], &family->ops[i]);
	}
	family->ops = merged;
	family->n_ops = count;
	err = genl_register_family(family);
	if (err)
		kfree(merged);
	return err;
}

static inline int ttp_compat_genl_unregister(const struct genl_family *family)
{
	int err = genl_unregister_family(family);

	kfree(family->ops);
	return err;
}

#define genl_register_family	ttp_compat_genl_register
#define genl_unregister_family	ttp_compat_genl_unregister

#endif /* !TTP_HAVE_GENL_SPLIT_OPS */
#endif /* _TTP_COMPAT_GENL_H */
