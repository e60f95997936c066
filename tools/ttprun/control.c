// SPDX-License-Identifier: GPL-2.0
/*
 * Control messages: those of UDP, for programs that have asked for them.
 */
#include <errno.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "run.h"

/* What of a control buffer is left */
struct room {
	struct msghdr	*msg;
	char		*at;
	size_t		left;
};

/* As the kernel does: cut short if there is too little room */
static void put(struct room *room, int level, int type, const void *data,
		size_t len)
{
	struct cmsghdr head = { .cmsg_level = level, .cmsg_type = type };
	size_t space = CMSG_SPACE(len);

	if (room->left < CMSG_LEN(0)) {
		room->msg->msg_flags |= MSG_CTRUNC;
		return;
	}
	head.cmsg_len = CMSG_LEN(len);
	if (room->left < head.cmsg_len) {
		room->msg->msg_flags |= MSG_CTRUNC;
		head.cmsg_len = room->left;
	}
	memcpy(room->at, &head, sizeof(head));
	memcpy(room->at + CMSG_LEN(0), data, head.cmsg_len - CMSG_LEN(0));
	if (space > room->left)
		space = room->left;
	room->at += space;
	room->left -= space;
}

/* What the kernel has said about the message besides TTP_INFO */
static bool put_stamps(struct room *room, struct msghdr *got)
{
	struct cmsghdr *cmsg;
	bool any = false;

	for (cmsg = CMSG_FIRSTHDR(got); cmsg; cmsg = CMSG_NXTHDR(got, cmsg))
		if (cmsg->cmsg_level == SOL_SOCKET) {
			put(room, SOL_SOCKET, cmsg->cmsg_type, CMSG_DATA(cmsg),
			    cmsg->cmsg_len - CMSG_LEN(0));
			any = true;
		}
	return any;
}

/* A kernel without time stamps for AF_TTP: the present time is little later */
static void put_now(struct room *room, const struct sock *s)
{
	struct timespec ts;
	struct timeval tv;

	if (!sock_flag(s, SOL_SOCKET, SO_TIMESTAMP) &&
	    !sock_flag(s, SOL_SOCKET, SO_TIMESTAMPNS))
		return;
	clock_gettime(CLOCK_REALTIME, &ts);
	if (sock_flag(s, SOL_SOCKET, SO_TIMESTAMPNS)) {
		put(room, SOL_SOCKET, SCM_TIMESTAMPNS, &ts, sizeof(ts));
		return;
	}
	tv.tv_sec = ts.tv_sec;
	tv.tv_usec = ts.tv_nsec / 1000;
	put(room, SOL_SOCKET, SCM_TIMESTAMP, &tv, sizeof(tv));
}

static void put_ipv4(struct room *room, const struct sock *s, int ifindex,
		     const struct host *local)
{
	struct in_pktinfo info = { .ipi_ifindex = ifindex };
	struct sockaddr_storage ss;
	int ttl = 64;
	char tos = 0;

	info.ipi_spec_dst.s_addr = local->addr.s6_addr32[3];
	info.ipi_addr = info.ipi_spec_dst;
	if (sock_flag(s, IPPROTO_IP, IP_PKTINFO))
		put(room, IPPROTO_IP, IP_PKTINFO, &info, sizeof(info));
	if (sock_flag(s, IPPROTO_IP, IP_RECVTTL))
		put(room, IPPROTO_IP, IP_TTL, &ttl, sizeof(ttl));
	if (sock_flag(s, IPPROTO_IP, IP_RECVTOS))
		put(room, IPPROTO_IP, IP_TOS, &tos, sizeof(tos));
	if (sock_flag(s, IPPROTO_IP, IP_RECVORIGDSTADDR))
		put(room, IPPROTO_IP, IP_ORIGDSTADDR, &ss,
		    host_put(local, AF_INET, &ss));
}

static void put_ipv6(struct room *room, const struct sock *s, int ifindex,
		     const struct host *local)
{
	struct in6_pktinfo info = { .ipi6_ifindex = ifindex };
	int hops = 64, class = 0;

	info.ipi6_addr = local->addr;
	if (sock_flag(s, IPPROTO_IPV6, IPV6_RECVPKTINFO))
		put(room, IPPROTO_IPV6, IPV6_PKTINFO, &info, sizeof(info));
	if (sock_flag(s, IPPROTO_IPV6, IPV6_RECVHOPLIMIT))
		put(room, IPPROTO_IPV6, IPV6_HOPLIMIT, &hops, sizeof(hops));
	if (sock_flag(s, IPPROTO_IPV6, IPV6_RECVTCLASS))
		put(room, IPPROTO_IPV6, IPV6_TCLASS, &class, sizeof(class));
}

/* Does it want something that the address of this host is part of? */
static bool wants_local(const struct sock *s)
{
	return sock_flag(s, IPPROTO_IP, IP_PKTINFO) ||
	       sock_flag(s, IPPROTO_IP, IP_RECVORIGDSTADDR) ||
	       sock_flag(s, IPPROTO_IPV6, IPV6_RECVPKTINFO);
}

/**
 * control_out() - fill in the program's control messages
 * @s: socket
 * @from: who sent it
 * @peer: the same as an IP address
 * @got: what the kernel returned
 * @msg: the program's
 * @size: of its control buffer
 */
void control_out(const struct sock *s, const struct sockaddr_ttp *from,
		 const struct host *peer, struct msghdr *got,
		 struct msghdr *msg, size_t size)
{
	struct room room = { msg, msg->msg_control, size };
	struct host local = s->local;

	msg->msg_controllen = 0;
	if (!s->n_options || (!room.at && size))
		return;
	if (!put_stamps(&room, got))
		put_now(&room, s);
	if (host_is_any(&local) && wants_local(s)) {
		peer_local(peer, from->sttp_ifindex, &local);
		local.port = s->local.port;
	}
	if (s->family == AF_INET6)
		put_ipv6(&room, s, from->sttp_ifindex, &local);
	if (host_is_ipv4(peer))
		put_ipv4(&room, s, from->sttp_ifindex, &local);
	msg->msg_controllen = room.at - (char *)msg->msg_control;
}

/*
 * Where to send from, and how, is not TTP's to choose; it is not wrong either.
 * But one datagram cannot become several.
 */
int control_check(const struct msghdr *msg, size_t len)
{
	struct cmsghdr *cmsg;
	uint16_t segment;

	if (!msg->msg_control)
		return 0;
	for (cmsg = CMSG_FIRSTHDR(msg); cmsg;
	     cmsg = CMSG_NXTHDR((struct msghdr *)msg, cmsg)) {
		if (cmsg->cmsg_level != IPPROTO_UDP ||
		    cmsg->cmsg_type != UDP_SEGMENT)
			continue;
		memcpy(&segment, CMSG_DATA(cmsg), sizeof(segment));
		if (segment < len)
			return EIO;
	}
	return 0;
}
