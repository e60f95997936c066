/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only place that knows that kernels differ.
 *
 * net/ttp is written for 7.3.  The build outside the kernel tree includes
 * this file before everything else; a function of a newer kernel is supplied
 * behind a probe of that very name (tools/dev/probe.mk), a macro under
 * #ifndef.  In the kernel tree the file does not exist.
 */
#ifndef _TTP_COMPAT_H
#define _TTP_COMPAT_H

#include <linux/export.h>
#include <linux/hrtimer.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/timer.h>
#include <linux/uio.h>
#include <net/sock.h>

#ifndef kmalloc_obj
#define kmalloc_obj(obj, gfp)	kmalloc(sizeof(obj), gfp)
#endif

#ifndef kzalloc_obj
#define kzalloc_obj(obj, gfp)	kzalloc(sizeof(obj), gfp)
#endif

/* sendfile() says "more follows" in a way of its own, too; programs may not */
static inline int ttp_msg_flags(const struct msghdr *msg)
{
#ifdef MSG_SENDPAGE_NOTLAST
	if (msg->msg_flags & MSG_SENDPAGE_NOTLAST &&
	    !user_backed_iter(&msg->msg_iter))
		return (msg->msg_flags & ~MSG_SENDPAGE_NOTLAST) | MSG_MORE;
#endif
	return msg->msg_flags;
}

#ifndef TTP_HAVE_SOCK_CUSTOM_SOCKOPT
#define SOCK_CUSTOM_SOCKOPT	SOCK_SUPPORT_ZC	/* no SO_ZEROCOPY, then */
#endif

#ifndef TTP_HAVE_MSG_ZEROCOPY_DEVMEM
static inline struct ubuf_info *
ttp_msg_zerocopy_realloc(struct sock *sk, size_t size, struct ubuf_info *uarg,
			 bool devmem)
{
	return devmem ? NULL : msg_zerocopy_realloc(sk, size, uarg);
}

#define msg_zerocopy_realloc	ttp_msg_zerocopy_realloc
#endif

/* What a control message of its own can change later is the socket's here */
static inline u32 ttp_sockc_priority(const struct sock *sk,
				     const struct sockcm_cookie *sockc)
{
#ifdef TTP_HAVE_SOCKCM_PRIORITY
	return sockc->priority;
#else
	return READ_ONCE(sk->sk_priority);
#endif
}

#ifndef TTP_HAVE_SOCK_TX_TIMESTAMP_SOCKC
#define _sock_tx_timestamp(sk, sockc, tx_flags, tskey)			\
	_sock_tx_timestamp(sk, (sockc)->tsflags, tx_flags, tskey)
#endif

#ifndef TTP_HAVE_SK_DROPS_INC
#define sk_drops_inc(sk)	atomic_inc(&(sk)->sk_drops)
#endif

/* Only io_uring calls it, where there is sk_ioctl() */
#ifdef TTP_HAVE_SK_IOCTL
#define TTP_PROTO_IOCTL(fn)	.ioctl = fn,
#else
#define TTP_PROTO_IOCTL(fn)
#endif

#ifndef abs_diff
#define abs_diff(a, b) ({						\
	typeof(a) _a = (a);						\
	typeof(b) _b = (b);						\
	_a > _b ? _a - _b : _b - _a;					\
})
#endif

#ifndef TTP_HAVE_SOCKADDR_UNSIZED
#define sockaddr_unsized	sockaddr
#endif

#ifndef TTP_HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*fn)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}
#endif

/* Namespaces of symbols are words there, which no macro makes of strings */
#ifndef TTP_HAVE_STRING_NS
#undef EXPORT_SYMBOL_NS_GPL
#define EXPORT_SYMBOL_NS_GPL(sym, ns)					\
	static_assert(sizeof(ns) > 1);					\
	EXPORT_SYMBOL_GPL(sym)
#undef MODULE_IMPORT_NS
#define MODULE_IMPORT_NS(ns)	static_assert(sizeof(ns) > 1)
#endif

/* Devices have no lock of their own, see net/netdev_lock.h */
#ifndef TTP_HAVE_NETIF_LINK_KSETTINGS
#include <linux/ethtool.h>
#define netif_get_link_ksettings	__ethtool_get_link_ksettings
#endif

#ifndef TTP_HAVE_TIMER_DELETE
#define timer_delete(timer)	del_timer(timer)
#endif

#include "ttp_compat_genl.h"

#endif /* _TTP_COMPAT_H */
