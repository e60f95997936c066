/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * AF_TTP: message RPCs straight over Ethernet.
 *
 * Everything a program needs besides the socket calls themselves; see
 * Documentation/networking/ttp.rst.
 */
#ifndef _UAPI_LINUX_TTP_H
#define _UAPI_LINUX_TTP_H

#include <linux/socket.h>
#include <linux/types.h>

/*
 * The module lives on a family number that mainline named but never used
 * (AF_ASH), since AF_MAX cannot grow from outside the kernel tree.
 */
#ifndef AF_TTP
#define AF_TTP		18
#endif
#ifndef PF_TTP
#define PF_TTP		AF_TTP
#endif
#ifndef SOL_TTP
#define SOL_TTP		289
#endif

/* EtherType used unless the device says otherwise: IEEE local experimental 1 */
#define TTP_ETHERTYPE	0x88B5

/**
 * struct sockaddr_ttp - address of an AF_TTP socket
 * @sttp_family: AF_TTP
 * @sttp_port: 1 to 65535; 0 in bind() chooses a free one from 32768 up
 * @sttp_ifindex: device; 0 in bind() is every enabled device, 0 in a
 *	destination is the only enabled device of the network namespace
 * @sttp_addr: MAC address of the peer; zero in bind()
 * @sttp_pad: must be zero
 * @sttp_rpc: 0 starts a new RPC; the non-zero value that a receive call
 *	returned answers that request
 * @sttp_reserved: must be zero
 */
struct sockaddr_ttp {
	__kernel_sa_family_t	sttp_family;
	__be16			sttp_port;
	__s32			sttp_ifindex;
	__u8			sttp_addr[6];
	__u8			sttp_pad[2];
	__aligned_u64		sttp_rpc;
	__u64			sttp_reserved;
};

/* Options at level SOL_TTP */
#define TTP_RECVINFO	1	/* int: a struct ttp_info with every receive */
#define TTP_LISTEN	2	/* int: accept requests; implied by bind() */
#define TTP_MAX_MSG	3	/* u32: longest message accepted, bytes; 0 = netns limit */
#define TTP_TIMEOUT_MS	4	/* u32: silence that ends an RPC, ms; 0 = netns default */
#define TTP_PRIORITY	5	/* int: -1 = automatic, 0 to 7 = fixed level */
#define TTP_ABORT	6	/* u64, set only: end own RPCs of this cookie; 0 = all */
#define TTP_STATUS	7	/* struct ttp_status, get only */
#define TTP_ZEROCOPY	8	/* int: MSG_ZEROCOPY is allowed */

/* Control messages at level SOL_TTP */
#define TTP_SEND	1	/* struct ttp_send, with a send call */
#define TTP_INFO	2	/* struct ttp_info, from a receive call */
#define TTP_RECVERR	3	/* struct sock_extended_err, with MSG_ERRQUEUE */

/* Flags of struct ttp_send */
#define TTP_F_ONEWAY		1U	/* no response */
#define TTP_F_IDEMPOTENT	2U	/* may run again after a restart */
#define TTP_F_NOTIFY		4U	/* with ONEWAY: report the acknowledgment */

/**
 * struct ttp_send - how a message is to be sent
 * @cookie: the program's own mark; comes back in struct ttp_info
 * @flags: TTP_F_ONEWAY, TTP_F_IDEMPOTENT, TTP_F_NOTIFY
 * @timeout_ms: deadline of the whole RPC in ms; 0 = none
 */
struct ttp_send {
	__u64	cookie;
	__u32	flags;
	__u32	timeout_ms;
};

/* Kinds in struct ttp_info */
#define TTP_KIND_REQUEST	1
#define TTP_KIND_RESPONSE	2
#define TTP_KIND_ONEWAY		3
#define TTP_KIND_COMPLETION	4
#define TTP_KIND_FAILURE	5

/**
 * struct ttp_info - what a receive call returned
 * @cookie: the cookie of the request; 0 on a server
 * @length: full length of the message, bytes; 0 for failures and completions
 * @error: positive errno of a failure, else 0
 * @kind: TTP_KIND_*
 * @level: wire level of the last packet, 0 to 7
 * @pad: zero
 * @rtt_us: smoothed round-trip time of the peer, us
 */
struct ttp_info {
	__u64	cookie;
	__u32	length;
	__s32	error;
	__u8	kind;
	__u8	level;
	__u16	pad;
	__u32	rtt_us;
};

/* Flags of struct ttp_status */
#define TTP_STATUS_PEER_KNOWN	1U
#define TTP_STATUS_DELAY_LIMIT	2U

/**
 * struct ttp_status - state of a socket
 * @rpcs_out: own RPCs that are open
 * @rpcs_in: requests of others that are open
 * @rcv_bytes: payload received and not read yet, bytes
 * @snd_bytes: payload sent and not acknowledged yet, bytes
 * @srtt_us: smoothed round-trip time of the connected peer, us
 * @window: bytes that may be sent to it without a grant
 * @peer_epoch: its incarnation, 0 = not known
 * @flags: TTP_STATUS_*
 */
struct ttp_status {
	__u32	rpcs_out;
	__u32	rpcs_in;
	__u64	rcv_bytes;
	__u64	snd_bytes;
	__u32	srtt_us;
	__u32	window;
	__u32	peer_epoch;
	__u32	flags;
};

#endif /* _UAPI_LINUX_TTP_H */
