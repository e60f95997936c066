# SPDX-License-Identifier: GPL-2.0
#
# What the target kernel's headers offer.  Each probe greps for the very thing
# that include/compat uses; version numbers would mislead, as stable and
# distribution kernels carry backports.  Needs KSRC, the tree with include/.

comma := ,
probe = $(shell grep -qsE '$(1)' $(KSRC)/include/$(2) && echo -D$(3))

TTP_PROBES := \
	$(call probe,struct sockaddr_unsized \{,linux/socket.h,TTP_HAVE_SOCKADDR_UNSIZED) \
	$(call probe,\bhrtimer_setup\b,linux/hrtimer.h,TTP_HAVE_HRTIMER_SETUP) \
	$(call probe,\bnetif_get_link_ksettings\b,linux/ethtool.h,TTP_HAVE_NETIF_LINK_KSETTINGS) \
	$(call probe,u32 crc32c\b,linux/crc32.h,TTP_HAVE_CRC32C) \
	$(call probe,\bSOCK_CUSTOM_SOCKOPT\b,linux/net.h,TTP_HAVE_SOCK_CUSTOM_SOCKOPT) \
	$(call probe,struct ubuf_info \*uarg$(comma) bool devmem,linux/skbuff.h,TTP_HAVE_MSG_ZEROCOPY_DEVMEM) \
	$(call probe,const struct sockcm_cookie \*sockc,net/sock.h,TTP_HAVE_SOCK_TX_TIMESTAMP_SOCKC) \
	$(call probe,^	u32 priority;,net/sock.h,TTP_HAVE_SOCKCM_PRIORITY) \
	$(call probe,\bsk_drops_inc\b,net/sock.h,TTP_HAVE_SK_DROPS_INC) \
	$(call probe,\bsk_ioctl\b,net/sock.h,TTP_HAVE_SK_IOCTL) \
	$(call probe,\btimer_delete\b,linux/timer.h,TTP_HAVE_TIMER_DELETE) \
	$(call probe,MODULE_INFO\(import_ns$(comma) ns\),linux/module.h,TTP_HAVE_STRING_NS) \
	$(call probe,struct genl_split_ops \{,net/genetlink.h,TTP_HAVE_GENL_SPLIT_OPS) \
	$(call probe,\bgenl_info_dump\b,net/genetlink.h,TTP_HAVE_GENL_INFO_DUMP) \
	$(call probe,const struct netlink_range_validation \*range,net/netlink.h,TTP_HAVE_CONST_NLA_RANGE)
