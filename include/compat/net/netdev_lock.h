/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Found where the kernel has no header of that name: its devices have no lock
 * of their own, RTNL is enough.
 */
#ifndef _TTP_COMPAT_NETDEV_LOCK_H
#define _TTP_COMPAT_NETDEV_LOCK_H

#include <linux/netdevice.h>

static inline void netdev_lock_ops(struct net_device *dev)
{
}

static inline void netdev_unlock_ops(struct net_device *dev)
{
}

#endif /* _TTP_COMPAT_NETDEV_LOCK_H */
