// SPDX-License-Identifier: GPL-2.0
/*
 * TCP: several connections between two hosts, each a stream of messages in
 * both directions.  A call takes the one with the fewest bytes on it.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "out.h"

/**
 * struct conn - one end of a connection
 * @end: its socket
 * @head: of the message that is coming in
 * @got: bytes of that
 * @body: its bytes, if somebody looks at them
 * @size: of @body
 * @busy: bytes of calls that are open on it
 */
struct conn {
	struct end	end;
	struct head	head;
	uint32_t	got;
	uint8_t		*body;
	uint32_t	size;
	uint64_t	busy;
};

static bool send_one(struct end *e, struct out *out)
{
	struct iovec v[2];
	ssize_t n;

	while (out->sent < out->head.length) {
		struct msghdr msg = {
			.msg_iov = v, .msg_iovlen = out_vector(out, v),
		};

		n = sendmsg(e->watch.fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno == EAGAIN)
			return false;
		if (n < 0 && generator)
			fatal("%s: send: %s", hosts[e->at].name,
			      strerror(errno));
		if (n < 0)
			return true;	/* reading will tell */
		out->sent += n;
	}
	return true;
}

/* The bytes of a message: kept if somebody will look at them */
static void keep(struct conn *c, const uint8_t *bytes, uint32_t n)
{
	if (!content_wanted(&c->head))
		return;
	if (c->size < c->head.length) {
		c->size = c->head.length;
		c->body = realloc(c->body, c->size);
		if (!c->body)
			fatal("no memory for %u bytes", c->size);
		memcpy(c->body, &c->head, head_size(&c->head));
	}
	memcpy(c->body + c->got, bytes, n);
}

static void complete(struct conn *c)
{
	struct head head = c->head;
	struct out out = {};
	struct call *call;

	c->got = 0;
	/* One-way messages end where we play the server, too */
	call = head.kind == KIND_ANSWER || head.kind == KIND_ONEWAY ?
	       call_find(head.id) : NULL;
	if (call && call->conn)
		((struct conn *)call->conn)->busy -= call->size + call->answer;
	call_arrived(&head, c->body, c->end.at);
	if (!head_answer(&head))
		return;
	head_of_answer(&out.head, &head);
	out_send(&c->end, &out, send_one);
}

/* Bytes that are wanted next: the head, then the rest */
static uint32_t wanted(const struct conn *c)
{
	if (c->got < MIN_SIZE)
		return MIN_SIZE - c->got;
	if (c->got < head_size(&c->head))
		return head_size(&c->head) - c->got;
	return c->head.length - c->got;
}

/* false: that is not what ttpperf would send */
static bool take(struct conn *c, const uint8_t *bytes, uint32_t n)
{
	uint32_t want;

	while (n) {
		want = wanted(c);
		if (want > n)
			want = n;
		if (c->got < MIN_SIZE || c->got < head_size(&c->head))
			memcpy((uint8_t *)&c->head + c->got, bytes, want);
		else
			keep(c, bytes, want);
		c->got += want;
		bytes += want;
		n -= want;
		if (c->got >= MIN_SIZE && c->got == head_size(&c->head) &&
		    !head_valid(&c->head, c->head.length))
			return false;
		if (c->got >= MIN_SIZE && c->got >= head_size(&c->head) &&
		    c->got == c->head.length)
			complete(c);
	}
	return true;
}

/* Others come and go, but a client needs all of its connections */
static void drop(struct conn *c, const char *why)
{
	if (generator)
		fatal("%s: a connection failed: %s", hosts[c->end.at].name,
		      why);
	while (c->end.queue.first)
		out_done(&c->end);
	close(c->end.watch.fd);
	free(c->body);
	free(c);
}

static void conn_ready(struct watch *w, uint32_t events)
{
	struct conn *c = (struct conn *)w;
	ssize_t n;

	if (events & EPOLLOUT)
		out_flush(&c->end, send_one);
	if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		return;
	n = recv(w->fd, in_buffer, 1 << 20, MSG_DONTWAIT);
	if (n > 0 && !take(c, in_buffer, n))
		drop(c, "this is not ttpperf");
	else if (!n)
		drop(c, "closed");
	else if (n < 0 && errno != EAGAIN)
		drop(c, strerror(errno));
}

static struct conn *new_conn(uint16_t at, int fd)
{
	struct conn *c = calloc(1, sizeof(*c));
	int one = 1;

	if (!c)
		fatal("no memory for a connection");
	c->end.at = at;
	c->end.watch.fd = fd;
	c->end.watch.ready = conn_ready;
	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		fatal("TCP_NODELAY: %s", strerror(errno));
	loop_add(&c->end.watch, EPOLLIN);
	return c;
}

static void listen_ready(struct watch *w, uint32_t events)
{
	struct end *e = (struct end *)w;
	int fd = accept4(w->fd, NULL, NULL, SOCK_CLOEXEC);

	(void)events;
	if (fd >= 0)
		new_conn(e->at, fd);
	else if (errno != EAGAIN && errno != ECONNABORTED)
		fatal("%s: accept: %s", hosts[e->at].name, strerror(errno));
}

static int new_socket(struct host *h)
{
	int fd;

	host_enter(h);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		fatal("%s: TCP socket: %s", h->name, strerror(errno));
	if (opt.cc && setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, opt.cc,
				 strlen(opt.cc)))
		fatal("%s: TCP has no congestion control %s: %s", h->name,
		      opt.cc, strerror(errno));
	return fd;
}

static void tcp_serve(struct host *h)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET, .sin_port = htons(opt.port),
	};
	struct end *e = calloc(1, sizeof(*e));
	int one = 1;

	if (!e)
		fatal("no memory for a socket");
	e->at = h - hosts;
	e->watch.ready = listen_ready;
	e->watch.fd = new_socket(h);
	setsockopt(e->watch.fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(e->watch.fd, (struct sockaddr *)&a, sizeof(a)) ||
	    listen(e->watch.fd, 4096))
		fatal("%s: TCP port %u: %s", h->name, opt.port,
		      strerror(errno));
	loop_add(&e->watch, EPOLLIN);
	h->server = e;
}

/* from->client[to * conns + k] */
static void tcp_dial(struct host *from, struct host *to)
{
	struct sockaddr_in a = {
		.sin_family = AF_INET, .sin_port = htons(opt.port),
		.sin_addr = to->ip,
	};
	struct conn **conns = from->client;
	unsigned int i;
	int fd;

	if (!conns)
		conns = calloc(host_count * opt.conns, sizeof(*conns));
	if (!conns)
		fatal("no memory for connections");
	from->client = conns;
	conns += (to - hosts) * opt.conns;
	for (i = 0; i < opt.conns; i++) {
		fd = new_socket(from);
		if (connect(fd, (struct sockaddr *)&a, sizeof(a)))
			fatal("%s: connect to %s: %s", from->name, to->name,
			      strerror(errno));
		conns[i] = new_conn(from - hosts, fd);
		loop_poll();
	}
}

static void tcp_send(struct call *c)
{
	struct conn **conns = hosts[c->from].client, *best;
	struct out out = {};
	unsigned int i;

	conns += c->to * opt.conns;
	best = conns[0];
	for (i = 1; i < opt.conns; i++)
		if (conns[i]->busy < best->busy)
			best = conns[i];
	c->conn = best;
	best->busy += c->size + c->answer;
	head_of_call(&out.head, c);
	out_send(&best->end, &out, send_one);
}

const struct transport transport_tcp = {
	.name = "tcp", .max_size = MAX_SIZE,
	.serve = tcp_serve, .dial = tcp_dial, .send = tcp_send,
};
