/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A socket: its port, its queues, its memory.
 */
#ifndef _NET_TTP_SOCK_H
#define _NET_TTP_SOCK_H

#include <net/sock.h>
#include <uapi/linux/ttp.h>

#include "link.h"

/* What a message costs in the receive budget beyond its bytes */
#define TTP_SOCK_OVERHEAD	512U
/* EPOLLOUT: a message of the longest usual MTU would be accepted */
#define TTP_SOCK_SMALL_SEND	9216U
/* Privileged ports end, automatic ports begin here */
#define TTP_PORT_PRIVILEGED	1024U
#define TTP_PORT_AUTO		32768U

struct ttp_draft;
struct ttp_rpc;

/**
 * struct ttp_sock - an AF_TTP socket
 *
 * Lifetime: as any socket; each RPC of it holds a reference.  Looked up by
 * port and listed under RCU, hence freed after a grace period (SOCK_RCU_FREE).
 *
 * @sk: must be first
 * @port_node: in ttp_net.ports while @port is not 0; ttp_net.port_lock
 * @nr: its number in ttp_net.socks, for as long as it is open
 * @port: own port, 0 = none yet; written once under ttp_net.port_lock
 * @ifindex: device the port is held on, 0 = every one
 *
 * Options, written under the socket lock, read with READ_ONCE():
 *
 * @listen: requests are accepted
 * @released: close() was called
 * @recvinfo: struct ttp_info with every receive
 * @max_msg: longest message accepted, 0 = the namespace's limit
 * @timeout_ms: silence that ends an RPC, 0 = the namespace's
 * @priority: -1 = shortest first, else a fixed level
 *
 * @draft_lock: protects the next two for writers; mutex, outermost of ours; its
 *	holder may wait for room in the send buffer
 * @draft: message that the program has not finished (MSG_MORE), or NULL
 * @drafted: send buffer that it takes
 *
 * @offer: gives receive budget that became free to who waits for it
 *
 * @lock: protects all below; BH spinlock, taken inside ttp_rpc.lock, leaf
 * @connected: @remote is set
 * @remote: default peer; its sttp_ifindex is never 0
 * @closed: the socket is going away, or was aborted: no RPC may join
 * @rpcs: all RPCs of the socket (ttp_rpc.sock_node)
 * @ready: what receive calls return next, oldest first (ttp_rpc.ready_node)
 * @waiting: RPCs without receive budget (ttp_rpc.wait)
 * @growing: RPCs of long messages that have it for the start only (ttp_rpc.wait)
 * @roomy: RPCs of long messages that have it for all
 * @starts: bytes of it that the others of them have
 * @excess: bytes of it that are not held against others, see ttp_room_fits()
 * @rpcs_out: own RPCs in @rpcs
 * @rpcs_in: RPCs of others in @rpcs
 * @ready_count: entries of @ready
 * @unread: those of them that are failures or completions, without a message
 * @reserved: receive budget taken, bytes
 * @rcv_bytes: payload in @ready
 * @snd_bytes: payload sent and not acknowledged
 */
struct ttp_sock {
	struct sock		sk;
	struct rhlist_head	port_node;
	u32			nr;
	u16			port;
	int			ifindex;

	bool			listen;
	bool			released;
	bool			recvinfo;
	u32			max_msg;
	u32			timeout_ms;
	int			priority;

	struct mutex		draft_lock;	/* draft, drafted */
	struct ttp_draft	*draft;
	u32			drafted;

	struct work_struct	offer;

	spinlock_t		lock;	/* all below */
	bool			connected;
	bool			closed;
	struct sockaddr_ttp	remote;
	struct list_head	rpcs;
	struct list_head	ready;
	struct ttp_srpt		waiting;
	struct ttp_srpt		growing;
	u32			roomy;
	u64			starts;
	u64			excess;
	u32			rpcs_out;
	u32			rpcs_in;
	u32			ready_count;
	u32			unread;
	u64			reserved;
	u64			rcv_bytes;
	u64			snd_bytes;
};

static inline struct ttp_sock *ttp_sk(const struct sock *sk)
{
	return (struct ttp_sock *)sk;
}

/**
 * ttp_sock_wait_readable() - sleep until a receive call would return something
 * @sk: the socket
 * @timeo: jiffies at most
 *
 * Of several sleepers one is woken per message.  A return for another reason
 * than a signal does not promise anything: look again.
 *
 * Context: process, sleeps.
 * Return: jiffies left; 0 after the time; a negative errno after a signal.
 */
long ttp_sock_wait_readable(struct sock *sk, long timeo);

/**
 * ttp_sock_net_init() - set up a namespace's table of ports
 * @tn: the namespace
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int ttp_sock_net_init(struct ttp_net *tn);

/**
 * ttp_sock_net_exit() - free a namespace's table of ports, which is empty
 * @tn: the namespace
 *
 * Context: process, may sleep.
 */
void ttp_sock_net_exit(struct ttp_net *tn);

/**
 * ttp_sock_init() - set up a fresh socket
 * @sk: zeroed beyond struct sock
 *
 * Context: process.
 */
void ttp_sock_init(struct sock *sk);

/**
 * ttp_sock_list() - add a socket to the list of its namespace
 * @sk: the socket, set up
 *
 * Context: process, may sleep.
 * Return: 0; -ENOMEM; -EBUSY if there are two billion already.
 */
int ttp_sock_list(struct sock *sk);

/**
 * ttp_sock_unlist() - take a socket from that list
 * @sk: the socket
 *
 * Context: process.
 */
void ttp_sock_unlist(struct sock *sk);

/**
 * ttp_sock_next() - the next socket of a namespace, by number
 * @net: the namespace
 * @nr: where to begin, 0 at first; becomes the number of that socket
 *
 * A socket keeps its number while it is open.  So whoever goes on behind the
 * last number that he saw meets each socket that is open all the time exactly
 * once, whatever comes and goes meanwhile.  A new socket has the lowest number
 * that is free: numbers do not grow beyond the most sockets there ever were,
 * and whoever opens new ones cannot keep a list from its end.
 *
 * Context: RCU read section; the socket may be closed at any time in it.
 * Return: the socket without a reference, or NULL if there is no more.
 */
struct ttp_sock *ttp_sock_next(const struct net *net, unsigned long *nr);

/**
 * ttp_sock_bind_port() - take a port
 * @sk: the socket
 * @port: wanted, 0 = any free one from TTP_PORT_AUTO up
 * @ifindex: device, 0 = every one
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL if the socket has one already; -EADDRINUSE if it is taken
 * or if no automatic port is left; -ENOMEM.
 */
int ttp_sock_bind_port(struct sock *sk, u16 port, int ifindex);

/**
 * ttp_sock_auto_bind() - make sure that the socket has a port
 * @sk: the socket
 *
 * Context: process, may sleep.
 * Return: 0; -EADDRINUSE if no automatic port is left; -ENOMEM.
 */
int ttp_sock_auto_bind(struct sock *sk);

/**
 * ttp_sock_free_port() - give the port up
 * @sk: the socket
 *
 * Context: process, may sleep.
 */
void ttp_sock_free_port(struct sock *sk);

/**
 * ttp_sock_listener() - who takes a request
 * @link: device it came through
 * @mac: sender
 * @sport: sender's port
 * @port: port it is for
 *
 * Context: RCU read section.
 * Return: the socket with a reference, or NULL if it must be refused.
 */
struct sock *ttp_sock_listener(struct ttp_link *link, const u8 *mac,
			       u16 sport, u16 port);

/**
 * ttp_sock_max_msg() - longest message the socket accepts
 * @sk: the socket
 *
 * It is the least of TTP_MAX_MSG, max-message and what the namespace's memory
 * can hold.
 *
 * Context: any.
 * Return: bytes.
 */
u32 ttp_sock_max_msg(const struct sock *sk);

/**
 * ttp_sock_timeout_ns() - silence that ends an RPC of the socket
 * @sk: the socket
 *
 * Context: any.
 * Return: ns.
 */
u64 ttp_sock_timeout_ns(const struct sock *sk);

/**
 * ttp_sock_join() - make an RPC one of the socket's
 * @sk: the socket; the RPC gets a reference on it
 * @rpc: the RPC, which gets a reference from the list
 *
 * Context: BH disabled, rpc->lock held.
 * Return: false if the socket is closed.
 */
bool ttp_sock_join(struct sock *sk, struct ttp_rpc *rpc);

/**
 * ttp_sock_leave() - undo ttp_sock_join(), whatever queue it is in
 * @rpc: the RPC; its ->sk becomes NULL
 *
 * Gives back what the RPC took of the socket's memory.
 *
 * Context: BH disabled, rpc->lock held.
 */
void ttp_sock_leave(struct ttp_rpc *rpc);

/**
 * ttp_sock_ready() - offer a finished RPC to receive calls
 * @rpc: the RPC, of a socket
 *
 * Context: BH disabled, rpc->lock held.
 */
void ttp_sock_ready(struct ttp_rpc *rpc);

/**
 * ttp_sock_take() - take the next thing to receive
 * @sk: the socket
 *
 * Context: process.
 * Return: an RPC with a reference for the caller, or NULL.
 */
struct ttp_rpc *ttp_sock_take(struct sock *sk);

/**
 * ttp_sock_peek() - look at the next thing to receive
 * @sk: the socket
 *
 * Context: process.
 * Return: an RPC with a reference for the caller, or NULL.
 */
struct ttp_rpc *ttp_sock_peek(struct sock *sk);

/**
 * ttp_sock_is_ready() - whether a receive call may still take an RPC
 * @rpc: the RPC, of a socket
 *
 * Context: BH disabled, rpc->lock held.
 * Return: see above.
 */
bool ttp_sock_is_ready(const struct ttp_rpc *rpc);

/**
 * ttp_sock_untake() - put back what ttp_sock_take() returned
 * @sk: the socket
 * @rpc: the RPC; the reference stays the caller's
 *
 * Context: process, BH disabled, rpc->lock held.
 */
void ttp_sock_untake(struct sock *sk, struct ttp_rpc *rpc);

/**
 * ttp_sock_readable() - whether a receive call would return something
 * @sk: the socket
 *
 * Context: any.
 * Return: see above.
 */
bool ttp_sock_readable(const struct sock *sk);

/**
 * ttp_sock_inq() - what a receive call would return
 * @sk: the socket
 *
 * Context: process.
 * Return: bytes of the message; 0 if there is none, or if it is a failure or a
 * completion.
 */
int ttp_sock_inq(struct sock *sk);

/**
 * ttp_sock_stamp_ack() - put the time of an acknowledgment into the error queue
 * @sk: the socket
 * @key: what the message is known by
 *
 * Context: BH disabled.
 */
void ttp_sock_stamp_ack(struct sock *sk, u32 key);

/**
 * ttp_sock_offer() - receive budget became free without a receive call
 * @ts: the socket; if messages wait for room, they are looked at soon
 *
 * Context: BH disabled, ts->lock held.
 */
void ttp_sock_offer(struct ttp_sock *ts) __must_hold(&ts->lock);

/**
 * ttp_sock_charge_rcv() - account memory of received packets
 * @sk: the socket
 * @bytes: truesize
 *
 * Context: BH disabled.
 * Return: false if the socket's memory group is at its limit; then nothing
 * was charged.
 */
bool ttp_sock_charge_rcv(struct sock *sk, u32 bytes);

/**
 * ttp_sock_uncharge_rcv() - undo ttp_sock_charge_rcv()
 * @sk: the socket
 * @bytes: truesize
 *
 * Context: any.
 */
void ttp_sock_uncharge_rcv(struct sock *sk, u32 bytes);

/**
 * ttp_sock_charge_snd() - take send buffer for a message
 * @sk: the socket
 * @bytes: truesize
 * @own: what the message has taken before
 * @timeo: jiffies to wait at most, 0 = do not
 *
 * One message may exceed SO_SNDBUF if nothing else is buffered.
 *
 * Context: process, may sleep.
 * Return: 0; -EAGAIN; -EPIPE after SHUT_WR; -ENOBUFS instead of waiting when
 * only receive calls could make room; a signal's errno.
 */
int ttp_sock_charge_snd(struct sock *sk, u32 bytes, u32 own, long timeo);

/**
 * ttp_sock_uncharge_snd() - give send buffer back and wake who waits for it
 * @sk: the socket
 * @bytes: truesize
 *
 * Context: any.
 */
void ttp_sock_uncharge_snd(struct sock *sk, u32 bytes);

/**
 * ttp_sock_writeable() - whether a message of one MTU would be accepted
 * @sk: the socket
 *
 * Context: any.
 * Return: see above.
 */
bool ttp_sock_writeable(const struct sock *sk);

#endif /* _NET_TTP_SOCK_H */
