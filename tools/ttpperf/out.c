// SPDX-License-Identifier: GPL-2.0
/*
 * Messages that wait until a socket takes them, first come, first served.
 */
#include <stdlib.h>
#include <sys/epoll.h>

#include "out.h"

uint8_t in_buffer[MAX_SIZE];

/* What is left of a message, as iovecs */
int out_vector(const struct out *out, struct iovec v[2])
{
	uint32_t head = head_size(&out->head), skip = out->sent;
	int n = 0;

	if (skip < head) {
		v[n].iov_base = (char *)&out->head + skip;
		v[n++].iov_len = head - skip;
		skip = head;
	}
	if (out->head.length > skip) {
		v[n].iov_base = (void *)(out->bytes + skip);
		v[n++].iov_len = out->head.length - skip;
	}
	return n;
}

static void out_add(struct end *e, const struct out *out)
{
	struct out *copy = malloc(sizeof(*copy));

	if (!copy)
		fatal("no memory for a message that waits");
	*copy = *out;
	copy->next = NULL;
	if (!e->queue.first)
		e->queue.last = &e->queue.first;
	*e->queue.last = copy;
	e->queue.last = &copy->next;
}

/* One message in opt.corrupt gets a wrong byte, behind its head */
static void out_corrupt(struct out *out)
{
	static unsigned int n;

	if (opt.corrupt && content_wanted(&out->head) &&
	    out->head.length > sizeof(out->head) && ++n % opt.corrupt == 0)
		((uint8_t *)out->bytes)[out->head.length - 1] ^= 1;
}

/* Send a message with the content that belongs to it, now or later */
void out_send(struct end *e, struct out *out,
	      bool (*send_one)(struct end *e, struct out *out))
{
	out->bytes = content_get(&out->head);
	out_corrupt(out);
	if (!e->queue.first && send_one(e, out)) {
		content_free(out->bytes);
		return;
	}
	out_add(e, out);
	if (!e->waits)
		out_flush(e, send_one);
}

void out_done(struct end *e)
{
	struct out *out = e->queue.first;

	e->queue.first = out->next;
	content_free(out->bytes);
	free(out);
}

/* Send what can be sent; be told when there is room for the rest */
void out_flush(struct end *e, bool (*send_one)(struct end *e, struct out *out))
{
	bool waits;

	while (e->queue.first && send_one(e, e->queue.first))
		out_done(e);
	waits = e->queue.first;
	if (waits != e->waits) {
		e->waits = waits;
		loop_change(&e->watch, EPOLLIN | (waits ? EPOLLOUT : 0));
	}
}

/* A host asks with opt.sockets sockets, whomever it asks */
void ends_dial(struct host *from, struct end *(*new_client)(struct host *h))
{
	struct end **ends;
	unsigned int i;

	if (from->client)
		return;
	ends = calloc(opt.sockets, sizeof(*ends));
	if (!ends)
		fatal("no memory for %u sockets", opt.sockets);
	for (i = 0; i < opt.sockets; i++)
		ends[i] = new_client(from);
	from->client = ends;
}
