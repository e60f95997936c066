// SPDX-License-Identifier: GPL-2.0
/*
 * AF_TTP: a request is a message, and so is the response.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "out.h"

#ifndef SO_SNDBUFFORCE
#define SO_SNDBUFFORCE	32
#endif

/* Let the transport order what waits, rather than our queue; doubled */
#define SEND_BUFFER	(16 << 20)

static bool send_one(struct end *e, struct out *out)
{
	char control[CMSG_SPACE(sizeof(struct ttp_send))] = {};
	struct ttp_send info = { .cookie = out->cookie };
	struct iovec v[2];
	struct msghdr msg = {
		.msg_name = &out->ttp, .msg_namelen = sizeof(out->ttp),
		.msg_iov = v, .msg_iovlen = out_vector(out, v),
	};
	struct cmsghdr *c;

	if (out->head.kind != KIND_ANSWER) {
		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_TTP;
		c->cmsg_type = TTP_SEND;
		c->cmsg_len = CMSG_LEN(sizeof(info));
		if (out->head.kind == KIND_ONEWAY)
			info.flags = TTP_F_ONEWAY;
		memcpy(CMSG_DATA(c), &info, sizeof(info));
	}
	if (sendmsg(e->watch.fd, &msg, MSG_DONTWAIT) >= 0)
		return true;
	if (errno == EAGAIN)
		return false;
	if (errno == ENOBUFS)
		fatal("%s: the namespace has no memory for more messages: ttpctl param set mem",
		      hosts[e->at].name);
	/* Nobody waits for that answer any more */
	if (out->head.kind == KIND_ANSWER &&
	    (errno == ECONNRESET || !generator))
		return true;
	fatal("%s: send %u bytes: %s", hosts[e->at].name, out->head.length,
	      strerror(errno));
}

/* What was received, or a failure; false if nothing was there */
static bool receive(struct end *e, struct sockaddr_ttp *from,
		    struct ttp_info *info, struct head *head)
{
	char control[CMSG_SPACE(sizeof(*info))];
	struct iovec v = { in_buffer, sizeof(in_buffer) };
	struct msghdr msg = {
		.msg_name = from, .msg_namelen = sizeof(*from),
		.msg_iov = &v, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	ssize_t n = recvmsg(e->watch.fd, &msg, MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN)
		return false;
	if (n < 0)
		fatal("%s: receive: %s", hosts[e->at].name, strerror(errno));
	c = CMSG_FIRSTHDR(&msg);
	if (!c || c->cmsg_level != SOL_TTP || c->cmsg_type != TTP_INFO)
		fatal("%s: no TTP_INFO", hosts[e->at].name);
	memcpy(info, CMSG_DATA(c), sizeof(*info));
	memset(head, 0, sizeof(*head));
	memcpy(head, in_buffer, n < (ssize_t)sizeof(*head) ? (size_t)n :
							    sizeof(*head));
	if (info->kind == TTP_KIND_FAILURE || head_valid(head, n))
		return true;
	/* A server answers those who speak its language */
	if (generator)
		fatal("%s: a message of %zd bytes that is not one of ttpperf",
		      hosts[e->at].name, n);
	return false;
}

static void client_ready(struct watch *w, uint32_t events)
{
	struct end *e = (struct end *)w;
	struct sockaddr_ttp from;
	struct ttp_info info;
	struct head head;
	struct call *c;

	if (events & EPOLLOUT)
		out_flush(e, send_one);
	/* One message: to look again for nothing takes time in the lab */
	if (!receive(e, &from, &info, &head))
		return;
	if (info.kind == TTP_KIND_FAILURE) {
		c = call_find(info.cookie);
		if (c && c->serial == info.cookie >> 32)
			call_end(c, info.error);
	} else {
		call_arrived(&head, in_buffer, e->at);
	}
}

static void server_ready(struct watch *w, uint32_t events)
{
	struct end *e = (struct end *)w;
	struct out out = {};
	struct ttp_info info;
	struct head head;

	if (events & EPOLLOUT)
		out_flush(e, send_one);
	if (!receive(e, &out.ttp, &info, &head))
		return;
	call_arrived(&head, in_buffer, e->at);
	if (info.kind != TTP_KIND_REQUEST)
		return;
	head_of_answer(&out.head, &head);
	if (out.head.length)
		out_send(e, &out, send_one);
}

static struct end *new_end(struct host *h, uint16_t port,
			   void (*ready)(struct watch *, uint32_t))
{
	struct sockaddr_ttp a = {
		.sttp_family = AF_TTP, .sttp_port = htons(port),
	};
	struct end *e = calloc(1, sizeof(*e));
	int one = 1, size = SEND_BUFFER;

	host_enter(h);
	if (!e)
		fatal("no memory for a socket");
	e->at = h - hosts;
	e->watch.ready = ready;
	e->watch.fd = socket(AF_TTP, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (e->watch.fd < 0)
		fatal("%s: no AF_TTP socket: %s (modprobe ttp?)", h->name,
		      strerror(errno));
	if (port && bind(e->watch.fd, (struct sockaddr *)&a, sizeof(a)))
		fatal("%s: TTP port %u: %s", h->name, port, strerror(errno));
	if (setsockopt(e->watch.fd, SOL_TTP, TTP_RECVINFO, &one, sizeof(one)))
		fatal("%s: TTP_RECVINFO: %s", h->name, strerror(errno));
	if (setsockopt(e->watch.fd, SOL_SOCKET, SO_SNDBUFFORCE, &size,
		       sizeof(size)))
		setsockopt(e->watch.fd, SOL_SOCKET, SO_SNDBUF, &size,
			   sizeof(size));
	loop_add(&e->watch, EPOLLIN);
	return e;
}

static void ttp_serve(struct host *h)
{
	h->server = new_end(h, opt.port, server_ready);
}

static struct end *new_client(struct host *h)
{
	return new_end(h, 0, client_ready);
}

static void ttp_dial(struct host *from, struct host *to)
{
	(void)to;
	ends_dial(from, new_client);
}

static void ttp_send(struct call *c)
{
	struct end **ends = hosts[c->from].client;
	struct out out = { .ttp = hosts[c->to].ttp };

	out.ttp.sttp_ifindex = hosts[c->from].local && opt.lab ?
			       hosts[c->from].ttp.sttp_ifindex :
			       hosts[c->to].ttp.sttp_ifindex;
	out.ttp.sttp_port = htons(opt.port);
	out.cookie = (uint64_t)c->serial << 32 | c->id;
	head_of_call(&out.head, c);
	out_send(ends[c->id % opt.sockets], &out, send_one);
}

const struct transport transport_ttp = {
	.name = "ttp", .max_size = MAX_SIZE,
	.serve = ttp_serve, .dial = ttp_dial, .send = ttp_send,
};
