// SPDX-License-Identifier: GPL-2.0
/*
 * UDP: a message is a datagram.  What is lost, is lost: the call does not end.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "out.h"

static bool send_one(struct end *e, struct out *out)
{
	struct iovec v[2];
	struct msghdr msg = {
		.msg_name = &out->ip, .msg_namelen = sizeof(out->ip),
		.msg_iov = v, .msg_iovlen = out_vector(out, v),
	};

	if (sendmsg(e->watch.fd, &msg, MSG_DONTWAIT) >= 0)
		return true;
	if (errno == EAGAIN || errno == ENOBUFS)
		return false;
	if (errno == ECONNREFUSED)	/* of an earlier one */
		return true;
	fatal("%s: send %u bytes: %s", hosts[e->at].name, out->head.length,
	      strerror(errno));
}

static void ready(struct watch *w, uint32_t events)
{
	struct end *e = (struct end *)w;
	socklen_t len = sizeof(struct sockaddr_in);
	struct out out = {};
	struct head head;
	ssize_t n;

	if (events & EPOLLOUT)
		out_flush(e, send_one);
	/* One message: to look again for nothing takes time in the lab */
	n = recvfrom(e->watch.fd, in_buffer, sizeof(in_buffer), MSG_DONTWAIT,
		     (struct sockaddr *)&out.ip, &len);
	if (n < 0 && errno != EAGAIN && errno != ECONNREFUSED)
		fatal("%s: receive: %s", hosts[e->at].name, strerror(errno));
	if (n < 0)
		return;
	memset(&head, 0, sizeof(head));
	memcpy(&head, in_buffer, n < (ssize_t)sizeof(head) ? (size_t)n :
							     sizeof(head));
	if (!head_valid(&head, n))
		return;
	call_arrived(&head, in_buffer, e->at);
	head_of_answer(&out.head, &head);
	if (out.head.length && out.head.length <= transport_udp.max_size)
		out_send(e, &out, send_one);
}

static struct end *new_end(struct host *h, uint16_t port)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET, .sin_port = htons(port),
	};
	struct end *e = calloc(1, sizeof(*e));
	int size = 4 << 20;

	host_enter(h);
	if (!e)
		fatal("no memory for a socket");
	e->at = h - hosts;
	e->watch.ready = ready;
	e->watch.fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (e->watch.fd < 0 ||
	    bind(e->watch.fd, (struct sockaddr *)&a, sizeof(a)))
		fatal("%s: UDP port %u: %s", h->name, port, strerror(errno));
	setsockopt(e->watch.fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	setsockopt(e->watch.fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	loop_add(&e->watch, EPOLLIN);
	return e;
}

static void udp_serve(struct host *h)
{
	h->server = new_end(h, opt.port);
}

static struct end *new_client(struct host *h)
{
	return new_end(h, 0);
}

static void udp_dial(struct host *from, struct host *to)
{
	(void)to;
	ends_dial(from, new_client);
}

static void udp_send(struct call *c)
{
	struct end **ends = hosts[c->from].client;
	struct out out = {
		.ip = {
			.sin_family = AF_INET, .sin_port = htons(opt.port),
			.sin_addr = hosts[c->to].ip,
		},
	};

	head_of_call(&out.head, c);
	out_send(ends[c->id % opt.sockets], &out, send_one);
}

const struct transport transport_udp = {
	.name = "udp", .max_size = 65507,
	.serve = udp_serve, .dial = udp_dial, .send = udp_send,
};
