/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Sockets of AF_TTP as sock_diag tells of them; see
 * Documentation/networking/ttp.rst, "Looking at sockets".
 *
 * A struct ttp_diag_req follows the header of a SOCK_DIAG_BY_FAMILY message on
 * a netlink socket of NETLINK_SOCK_DIAG: with NLM_F_DUMP all sockets of the
 * network namespace that match, else the one with the cookie.  A SOCK_DESTROY
 * message ends the one with the cookie.  Each answer is a struct ttp_diag_msg
 * with attributes behind it.
 */
#ifndef _UAPI_LINUX_TTP_DIAG_H
#define _UAPI_LINUX_TTP_DIAG_H

#include <linux/types.h>

/* tdiag_flags: the state of a socket */
#define TTP_DIAG_BOUND		0x0001	/* it has a port */
#define TTP_DIAG_LISTENING	0x0002	/* it accepts requests */
#define TTP_DIAG_CONNECTED	0x0004	/* it has a default peer */

/* tdiag_match: fields of the request that the socket's must be equal to */
#define TTP_DIAG_MATCH_PORT	0x0001
#define TTP_DIAG_MATCH_IFINDEX	0x0002
#define TTP_DIAG_MATCH_UID	0x0004

/* tdiag_show: attributes that are wanted besides those that always come */
#define TTP_DIAG_SHOW_MEMINFO	0x0001	/* TTP_DIAG_MEMINFO */
#define TTP_DIAG_SHOW_FILTER	0x0002	/* TTP_DIAG_FILTER */

/**
 * struct ttp_diag_req - which sockets, and what of them
 * @sdiag_family: AF_TTP
 * @sdiag_protocol: must be zero
 * @tdiag_port: with TTP_DIAG_MATCH_PORT: own port, 0 = those without one
 * @tdiag_match: TTP_DIAG_MATCH_*
 * @tdiag_show: TTP_DIAG_SHOW_*; with the filter, messages may have 40 KB
 * @tdiag_flags: what the flags in @tdiag_mask must be: TTP_DIAG_BOUND, ...
 * @tdiag_mask: flags that count; 0 = any state
 * @tdiag_ifindex: with TTP_DIAG_MATCH_IFINDEX: device of the port, 0 = those
 *	whose port is for every device
 * @tdiag_uid: with TTP_DIAG_MATCH_UID: owner, in the user namespace of whoever
 *	asks
 * @tdiag_cookie: as SO_COOKIE tells, the low half first; 0 = any, which only
 *	a dump may ask for
 * @tdiag_reserved: must be zero
 *
 * Unknown bits, a value in a field that is not matched, and bytes behind the
 * structure are refused with EINVAL.
 */
struct ttp_diag_req {
	__u8	sdiag_family;
	__u8	sdiag_protocol;
	__be16	tdiag_port;
	__u32	tdiag_match;
	__u32	tdiag_show;
	__u16	tdiag_flags;
	__u16	tdiag_mask;
	__s32	tdiag_ifindex;
	__u32	tdiag_uid;
	__u32	tdiag_cookie[2];
	__u32	tdiag_reserved[2];
};

/**
 * struct ttp_diag_msg - a socket
 * @tdiag_family: AF_TTP
 * @tdiag_type: SOCK_DGRAM
 * @tdiag_flags: TTP_DIAG_BOUND, ...
 * @tdiag_port: own port, 0 = none yet
 * @tdiag_peer_port: port of the default peer; as all of it 0 if there is none
 * @tdiag_ifindex: device of the port, 0 = every one
 * @tdiag_peer_ifindex: device of the default peer
 * @tdiag_peer_addr: its MAC address
 * @tdiag_pad: zero
 * @tdiag_uid: owner, in the user namespace of whoever asks
 * @tdiag_ino: inode
 * @tdiag_cookie: as SO_COOKIE tells, the low half first
 * @tdiag_reserved: zero
 */
struct ttp_diag_msg {
	__u8	tdiag_family;
	__u8	tdiag_type;
	__u16	tdiag_flags;
	__be16	tdiag_port;
	__be16	tdiag_peer_port;
	__s32	tdiag_ifindex;
	__s32	tdiag_peer_ifindex;
	__u8	tdiag_peer_addr[6];
	__u8	tdiag_pad[2];
	__u32	tdiag_uid;
	__u32	tdiag_ino;
	__u32	tdiag_cookie[2];
	__u32	tdiag_reserved[2];
};

/**
 * enum ttp_diag_attr - attributes behind struct ttp_diag_msg
 * @TTP_DIAG_UNSPEC: none
 * @TTP_DIAG_PAD: for alignment
 * @TTP_DIAG_QUEUES: always: struct ttp_diag_queues
 * @TTP_DIAG_SHUTDOWN: always: u8, bit 0 = SHUT_RD, bit 1 = SHUT_WR
 * @TTP_DIAG_MEMINFO: u32[], by SK_MEMINFO_* of linux/sock_diag.h
 * @TTP_DIAG_FILTER: struct sock_filter[] of a classic socket filter; empty
 *	without CAP_NET_ADMIN
 */
enum ttp_diag_attr {
	TTP_DIAG_UNSPEC,
	TTP_DIAG_PAD,
	TTP_DIAG_QUEUES,
	TTP_DIAG_SHUTDOWN,
	TTP_DIAG_MEMINFO,
	TTP_DIAG_FILTER,

	/* private: */
	__TTP_DIAG_MAX,
};

#define TTP_DIAG_MAX	(__TTP_DIAG_MAX - 1)

/**
 * struct ttp_diag_queues - what a socket has to do
 * @rpcs_out: open RPCs that it began
 * @rpcs_in: open RPCs of others
 * @ready: what receive calls would return: messages and failures
 * @reserved: zero
 * @rcv_bytes: payload of those messages
 * @snd_bytes: payload sent and not acknowledged
 *
 * An attribute, as 64-bit numbers are not aligned in struct ttp_diag_msg.
 */
struct ttp_diag_queues {
	__u32	rpcs_out;
	__u32	rpcs_in;
	__u32	ready;
	__u32	reserved;
	__u64	rcv_bytes;
	__u64	snd_bytes;
};

#endif /* _UAPI_LINUX_TTP_DIAG_H */
