// SPDX-License-Identifier: GPL-2.0
/*
 * The first datagrams of a socket, until something has come back over TTP: if
 * the other side turns out not to talk it, they are sent again, by UDP.  The
 * lock of sock.c protects what belongs to a socket.
 */
#include <string.h>
#include <sys/mman.h>

#include "run.h"

#define COPIES		16
#define COPY_BYTES	(2 * 65536U)

struct copy {
	uint64_t	cookie;
	struct host	to;
	uint32_t	offset;
	uint32_t	len;
};

struct copies {
	unsigned int	n;
	uint32_t	used;
	struct copy	copies[COPIES];
	char		bytes[COPY_BYTES];
};

static struct copies *get_copies(struct sock *s)
{
	void *p;

	if (s->copies)
		return s->copies;
	p = mmap(NULL, sizeof(*s->copies), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	s->copies = p;
	return s->copies;
}

static void forget_nth(struct copies *c, unsigned int i)
{
	struct copy gone = c->copies[i];

	memmove(c->bytes + gone.offset, c->bytes + gone.offset + gone.len,
		c->used - gone.offset - gone.len);
	c->used -= gone.len;
	c->n--;
	memmove(c->copies + i, c->copies + i + 1,
		(c->n - i) * sizeof(c->copies[0]));
	for (; i < c->n; i++)
		c->copies[i].offset -= gone.len;
}

/* The kernel has read what @msg points to, so we can */
void copy_keep(struct sock *s, uint64_t cookie, const struct host *to,
	       const struct msghdr *msg, size_t len)
{
	struct copies *c = get_copies(s);
	struct copy *copy;
	size_t i;

	if (!c || len > COPY_BYTES)
		return;
	/* the oldest makes room: datagrams may be lost */
	while (c->n == COPIES || c->used + len > COPY_BYTES)
		forget_nth(c, 0);
	copy = c->copies + c->n++;
	copy->cookie = cookie;
	copy->to = *to;
	copy->offset = c->used;
	copy->len = len;
	for (i = 0; i < msg->msg_iovlen; i++) {
		memcpy(c->bytes + c->used, msg->msg_iov[i].iov_base,
		       msg->msg_iov[i].iov_len);
		c->used += msg->msg_iov[i].iov_len;
	}
}

/* It was not sent, or is answered */
void copy_forget(struct sock *s, uint64_t cookie)
{
	struct copies *c = s->copies;
	unsigned int i;

	for (i = 0; c && i < c->n; i++)
		if (c->copies[i].cookie == cookie) {
			forget_nth(c, i);
			return;
		}
}

/* Was nothing sent to others? */
bool copy_only(const struct sock *s, const struct host *to)
{
	const struct copies *c = s->copies;
	unsigned int i;

	for (i = 0; c && i < c->n; i++)
		if (!host_same(&c->copies[i].to, to))
			return false;
	return true;
}

struct copies *copy_take(struct sock *s)
{
	struct copies *c = s->copies;

	s->copies = NULL;
	return c;
}

void copy_free(struct copies *copies)
{
	if (copies)
		munmap(copies, sizeof(*copies));
}

void copy_drop(struct sock *s)
{
	copy_free(copy_take(s));
}

/* Again, by UDP.  Who is not there does not answer: no error is of interest. */
void copy_send(struct copies *copies, int fd, int family, bool connected)
{
	struct sockaddr_storage to;
	unsigned int i;
	socklen_t len;

	for (i = 0; copies && i < copies->n; i++) {
		len = host_put(&copies->copies[i].to, family, &to);
		real.sendto(fd, copies->bytes + copies->copies[i].offset,
			    copies->copies[i].len, MSG_DONTWAIT | MSG_NOSIGNAL,
			    connected ? NULL : (struct sockaddr *)&to,
			    connected ? 0 : len);
	}
	copy_free(copies);
}
