// SPDX-License-Identifier: GPL-2.0
/*
 * Sending: an answer to the oldest request from there, or a request.
 *
 * Where an answer is not to be expected the message goes one-way: it costs no
 * state here and there.  These are further datagrams to who has asked us, and
 * all once there are many requests that nobody answers.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "run.h"

#define SEND_FLAGS \
	(MSG_DONTWAIT | MSG_NOSIGNAL | MSG_CONFIRM | MSG_EOR | MSG_MORE)

/* Answers to requests that are gone, before the others are forgotten as well */
#define STALE_TAGS	8

/* A second in all, after which a peer that is silent is given up */
#define DRAIN_PAUSE_NS	10000000
#define DRAIN_TRIES	110

struct sending {
	int			fd;
	struct sock		*s;
	unsigned int		gen;
	const struct msghdr	*msg;
	int			flags;
	size_t			len;
	bool			more;	/* not the first part of a message */
	struct host		host;
	struct sockaddr_ttp	to;
	bool			connected;
	bool			oneway;
};

static size_t length(const struct msghdr *msg)
{
	size_t len = 0, i;

	for (i = 0; i < msg->msg_iovlen; i++) {
		len += msg->msg_iov[i].iov_len;
		if (msg->msg_iov[i].iov_len > MAX_IPV6)
			return SIZE_MAX;
	}
	return len;
}

static ssize_t fail(int error)
{
	errno = error;
	return -1;
}

/* What the call is wrong with, whoever it goes to; 0 if nothing */
static int check(struct sending *p)
{
	const struct sockaddr *name = p->msg->msg_name;
	size_t max = p->s->family == AF_INET ? MAX_IPV4 : MAX_IPV6;

	p->len = length(p->msg);
	p->more = p->s->more;
	if (p->len > max || (p->more && p->len + p->s->more_len > max))
		return EMSGSIZE;
	if (p->flags & MSG_OOB)
		return EOPNOTSUPP;
	if (p->more)
		return 0;
	if (!name)
		return p->s->connected ? 0 : EDESTADDRREQ;
	if (!host_get(&p->host, name, p->msg->msg_namelen))
		return p->msg->msg_namelen < sizeof(name->sa_family) ||
		       name->sa_family == AF_INET ? EINVAL : EAFNOSUPPORT;
	if (p->s->family == AF_INET && name->sa_family == AF_INET6)
		return EAFNOSUPPORT;
	return p->host.port ? 0 : EINVAL;
}

/* False if @to is the peer, or there is none; true if it is another one */
static bool is_elsewhere(struct sending *p)
{
	bool elsewhere;
	sigset_t old;

	sock_lock(&old);
	p->connected = p->s->connected;
	if (p->connected && !p->msg->msg_name)
		p->host = p->s->remote;
	elsewhere = p->connected && !host_same(&p->host, &p->s->remote);
	p->to = p->s->to;
	sock_unlock(&old);
	return elsewhere;
}

/* Find @to.  0 if it is found, 1 if the socket is UDP now, or -1 with errno */
static int find(struct sending *p)
{
	char text[HOST_TEXT];
	enum cause cause;

	if (p->s->connected && is_elsewhere(p)) {	/* UDP can, TTP cannot */
		say_verbose("%s: connected elsewhere",
			    host_text(&p->host, text));
		return fail(EISCONN);
	}
	if (p->connected)
		return 0;
	cause = peer_find(&p->host, p->fd, p->flags, &p->to);
	if (!cause)
		return 0;
	/* others talk TTP to it: it cannot be given up */
	if (p->s->proven) {
		say_verbose("%s: cannot be sent to by a socket that has peers in TTP",
			    host_text(&p->host, text));
		return fail(say_errno(cause));
	}
	return turn_udp(p->fd, cause, host_text(&p->host, text)) ? -1 : 1;
}

/* False: there is no request from there, and the message is to be @oneway */
static bool take_tag(struct sending *p)
{
	bool taken = false;
	sigset_t old;

	sock_lock(&old);
	if (sock_is(p->s, p->gen, p->fd)) {
		taken = tags_take(p->s, &p->to);
		p->oneway = settings.oneway || p->s->open >= SOCK_OPEN ||
			    sock_from(p->s, &p->to, false);
	}
	sock_unlock(&old);
	return taken;
}

static void keep_tag(struct sending *p)
{
	int saved = errno;
	sigset_t old;

	sock_lock(&old);
	if (sock_is(p->s, p->gen, p->fd))
		tags_put_back(p->s, &p->to);
	sock_unlock(&old);
	errno = saved;
}

/* What the message under construction is after a part of it was sent, or not */
static void note_part(struct sending *p, bool good)
{
	int saved = errno;
	sigset_t old;

	/* the kernel has dropped it */
	if (!good && errno != ECONNRESET && errno != ENETUNREACH &&
	    errno != ENODEV)
		return;
	if (!p->more && !(p->flags & MSG_MORE))
		return;
	sock_lock(&old);
	if (sock_is(p->s, p->gen, p->fd)) {
		p->s->more = good && p->flags & MSG_MORE;
		p->s->more_len = p->more ? p->s->more_len + p->len : p->len;
		if (!p->more)
			p->s->more_to = p->to;
	}
	sock_unlock(&old);
	errno = saved;
}

/* Another part: it goes where the first one went, as with UDP */
static ssize_t send_part(struct sending *p)
{
	struct sockaddr_ttp to = p->s->more_to;
	bool named = to.sttp_rpc || !p->s->connected;
	struct msghdr msg = {
		.msg_name = named ? &to : NULL,
		.msg_namelen = named ? sizeof(to) : 0,
		.msg_iov = p->msg->msg_iov,
		.msg_iovlen = p->msg->msg_iovlen,
	};
	ssize_t ret;

	ret = real.sendmsg(p->fd, &msg, p->flags & SEND_FLAGS);
	note_part(p, ret >= 0);
	return ret;
}

/* As an answer.  False: there is none to give, it is a message of its own. */
static bool send_answer(struct sending *p, ssize_t *ret)
{
	struct msghdr msg = {
		.msg_name = &p->to,
		.msg_namelen = sizeof(p->to),
		.msg_iov = p->msg->msg_iov,
		.msg_iovlen = p->msg->msg_iovlen,
	};
	unsigned int stale = 0;
	sigset_t old;

	while (take_tag(p)) {
		*ret = real.sendmsg(p->fd, &msg, p->flags & SEND_FLAGS);
		if (*ret >= 0) {
			note_part(p, true);
			return true;
		}
		if (errno != ECONNRESET) {
			keep_tag(p);
			return true;
		}
		if (++stale < STALE_TAGS)
			continue;
		sock_lock(&old);
		tags_drop(p->s, &p->to);
		sock_unlock(&old);
	}
	p->to.sttp_rpc = 0;
	return false;
}

static void sent(struct sending *p, uint64_t cookie)
{
	sigset_t old;

	sock_lock(&old);
	if (sock_is(p->s, p->gen, p->fd)) {
		p->s->open += !p->oneway;
		p->s->oneway |= p->oneway;
		if (!p->s->proven && !settings.strict && !(p->flags & MSG_MORE))
			copy_keep(p->s, cookie, &p->host, p->msg, p->len);
	}
	sock_unlock(&old);
}

static ssize_t send_request(struct sending *p)
{
	struct ttp_send how = { .timeout_ms = settings.timeout_ms };
	union {
		char buf[CMSG_SPACE(sizeof(how))];
		struct cmsghdr head;
	} control = { .head = {
		.cmsg_len = CMSG_LEN(sizeof(how)),
		.cmsg_level = SOL_TTP,
		.cmsg_type = TTP_SEND,
	} };
	struct msghdr msg = {
		.msg_name = p->connected ? NULL : &p->to,
		.msg_namelen = p->connected ? 0 : sizeof(p->to),
		.msg_iov = p->msg->msg_iov,
		.msg_iovlen = p->msg->msg_iovlen,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t ret;

	how.cookie = peer_cookie(&p->host);
	how.flags = p->oneway ? TTP_F_ONEWAY : 0;
	memcpy(CMSG_DATA(&control.head), &how, sizeof(how));
	ret = real.sendmsg(p->fd, &msg, p->flags & SEND_FLAGS);
	if (ret >= 0) {
		note_part(p, true);
		sent(p, how.cookie);
	}
	return ret;
}

/*
 * A program that has sent something and ends, or closes the socket: UDP would
 * have it on its way by now, TTP would take it back.  So it waits until one-way
 * messages are acknowledged, a round trip as a rule.
 */
void send_drain(int fd)
{
	struct timespec pause = { 0, 20000 };
	struct sock *s = sock_of(fd);
	struct ttp_status status;
	unsigned int open, tries;
	int saved = errno;
	socklen_t len;

	if (!s || s->state != SOCK_TTP || !s->oneway || s->fds > 1 ||
	    sock_shared(s) || !sock_may_change())
		return;
	open = s->open;
	for (tries = 0; tries < DRAIN_TRIES; tries++) {
		len = sizeof(status);
		if (real.getsockopt(fd, SOL_TTP, TTP_STATUS, &status, &len) ||
		    status.rpcs_out <= open)
			break;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < DRAIN_PAUSE_NS)
			pause.tv_nsec *= 2;
	}
	errno = saved;
}

/* *@again: the socket is UDP now */
static ssize_t send_ttp(struct sending *p, bool *again)
{
	char text[HOST_TEXT];
	ssize_t ret;
	int err;

	err = check(p);
	if (!err)
		err = control_check(p->msg, p->len);
	if (!err)
		err = sock_take_error(p->s, p->gen, p->fd);
	if (err)
		return fail(err);
	if (p->more)
		return send_part(p);
	switch (find(p)) {
	case -1:
		return -1;
	case 1:
		*again = true;
		return 0;
	}
	if (send_answer(p, &ret))
		return ret;
	ret = send_request(p);
	if (ret < 0 && errno == ENETUNREACH && !p->s->proven &&
	    !turn_udp(p->fd, CAUSE_DEVICE, host_text(&p->host, text)))
		*again = true;
	return ret;
}

/* The first datagram decides.  False: errno tells why not */
static bool decide(int fd, const struct msghdr *msg, int flags)
{
	const struct sockaddr *name = msg->msg_name;
	char text[HOST_TEXT];
	struct host host;
	enum cause cause;

	if (!say_port(host_get(&host, name, msg->msg_namelen) ?
		      host.port : 0)) {
		turn_plain(fd, CAUSE_NONE, NULL);
		return true;
	}
	cause = turn_sending(fd, &host, flags);
	if (!cause)
		return true;
	host_text(&host, text);
	if (settings.strict) {
		say_cause(cause, text);
		errno = say_errno(cause);
		return false;
	}
	turn_plain(fd, cause, text);
	return true;
}

static bool is_address(const struct sock *s, const struct msghdr *msg)
{
	struct host host;

	return msg->msg_name &&
	       host_get(&host, msg->msg_name, msg->msg_namelen) && host.port &&
	       (s->family == AF_INET6 || host_is_ipv4(&host));
}

ssize_t send_message(int fd, const struct msghdr *msg, int flags)
{
	struct sending p;
	bool again = true;
	ssize_t ret = 0;
	struct sock *s;

	while (again) {
		s = sock_of(fd);
		if (!s)
			return real.sendmsg(fd, msg, flags);
		if (s->state == SOCK_FRESH) {
			/* libc and the kernel know what is wrong */
			if (!is_address(s, msg))
				return real.sendmsg(fd, msg, flags);
			if (!decide(fd, msg, flags))
				return -1;
			continue;
		}
		if (++s->sends >= SOCK_SENDS) {
			s->sends = 0;
			recv_swallow(fd);
			continue;
		}
		p = (struct sending){ .fd = fd, .s = s, .gen = s->gen,
				      .msg = msg, .flags = flags };
		again = false;
		ret = send_ttp(&p, &again);
	}
	return ret;
}
