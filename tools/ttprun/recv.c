// SPDX-License-Identifier: GPL-2.0
/*
 * Receiving: messages are datagrams, whatever they are to TTP; failures of our
 * own requests are what UDP would not have told, but for a refused one.
 */
#include <errno.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "run.h"

#define RECV_FLAGS \
	(MSG_DONTWAIT | MSG_PEEK | MSG_TRUNC | MSG_WAITALL | MSG_CMSG_CLOEXEC)

struct receiving {
	int			fd;
	struct sock		*s;
	unsigned int		gen;
	struct sockaddr_ttp	from;
	struct ttp_info		info;
	struct msghdr		got;
	union {
		char		buf[512];
		struct cmsghdr	align;
	} control;
};

static ssize_t receive(struct receiving *r, struct iovec *iov, size_t n,
		       int flags)
{
	struct cmsghdr *cmsg;
	ssize_t ret;

	r->got = (struct msghdr){
		.msg_name = &r->from,
		.msg_namelen = sizeof(r->from),
		.msg_iov = iov,
		.msg_iovlen = n,
		.msg_control = &r->control,
		.msg_controllen = sizeof(r->control),
	};
	r->info.kind = 0;
	ret = real.recvmsg(r->fd, &r->got, flags);
	if (ret < 0)
		return ret;
	for (cmsg = CMSG_FIRSTHDR(&r->got); cmsg;
	     cmsg = CMSG_NXTHDR(&r->got, cmsg))
		if (cmsg->cmsg_level == SOL_TTP && cmsg->cmsg_type == TTP_INFO)
			memcpy(&r->info, CMSG_DATA(cmsg), sizeof(r->info));
	return ret;
}

static void discard(struct receiving *r)
{
	struct msghdr nothing = {};

	real.recvmsg(r->fd, &nothing, MSG_DONTWAIT);
}

/* The other side does not talk TTP, or not on this port */
static enum cause failure_cause(const struct receiving *r)
{
	if (r->info.error == ECONNREFUSED)
		return CAUSE_REFUSED;
	/* it was never heard of */
	if (r->info.error == ETIMEDOUT && !r->info.rtt_us)
		return CAUSE_SILENT;
	return CAUSE_NONE;
}

/* An own request has failed.  An error that the program is told, or 0 */
static int failed(struct receiving *r)
{
	enum cause cause = failure_cause(r);
	bool give_up = false, connected = false;
	char text[HOST_TEXT];
	struct host host;
	sigset_t old;

	say_failure(r->info.error);
	peer_from_cookie(r->info.cookie, &r->from, &host);
	sock_lock(&old);
	if (sock_is(r->s, r->gen, r->fd)) {
		if (r->s->open)
			r->s->open--;
		connected = r->s->connected;
		give_up = cause && !r->s->proven && copy_only(r->s, &host);
	}
	sock_unlock(&old);
	if (cause == CAUSE_SILENT && !settings.strict)
		peer_silent(&r->from);
	if (give_up && !turn_udp(r->fd, cause, host_text(&host, text)))
		return 0;
	return connected && r->info.error == ECONNREFUSED ? ECONNREFUSED : 0;
}

/* Something has come by TTP */
static void note(struct receiving *r, bool peek)
{
	struct sock *s = r->s;
	sigset_t old;

	sock_lock(&old);
	if (sock_is(s, r->gen, r->fd)) {
		s->proven = true;
		if (s->copies)
			copy_drop(s);
		if (!peek && r->info.kind == TTP_KIND_RESPONSE && s->open)
			s->open--;
		if (!peek && r->info.kind == TTP_KIND_REQUEST)
			tags_add(s, &r->from);
		if (r->info.kind != TTP_KIND_RESPONSE)
			sock_from(s, &r->from, true);
	}
	sock_unlock(&old);
}

static void fill_in(struct receiving *r, struct msghdr *msg)
{
	bool only_ipv6 = r->s->family == AF_INET6 &&
			 sock_flag(r->s, IPPROTO_IPV6, IPV6_V6ONLY);
	size_t size = msg->msg_controllen;
	struct host host;

	msg->msg_flags = r->got.msg_flags &
			 ~(MSG_CTRUNC | MSG_CMSG_CLOEXEC);
	if (r->s->connected)
		host = r->s->remote;
	else if (r->info.kind != TTP_KIND_RESPONSE ||
		 !peer_from_cookie(r->info.cookie, &r->from, &host))
		peer_name(&r->from, r->s->family, only_ipv6, &host);
	host_copy_out(&host, r->s->family, msg->msg_name, &msg->msg_namelen);
	control_out(r->s, &r->from, &host, &r->got, msg, size);
}

/* Such a call has waited for what is no datagram: until when may it go on? */
struct patience {
	bool		begun;
	bool		limited;
	struct timespec	end;
};

static long left_ms(const struct patience *p)
{
	struct timespec now;
	long ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (p->end.tv_sec - now.tv_sec) * 1000 +
	     (p->end.tv_nsec - now.tv_nsec) / 1000000;
	return ms > 0 ? ms : 0;
}

static void begin_patience(int fd, struct patience *p)
{
	struct timeval tv = {};
	socklen_t len = sizeof(tv);

	p->begun = true;
	real.getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, &len);
	p->limited = tv.tv_sec || tv.tv_usec;
	clock_gettime(CLOCK_MONOTONIC, &p->end);
	p->end.tv_sec += tv.tv_sec;
	p->end.tv_nsec += tv.tv_usec * 1000;
}

/* Before the call is made again; false if its time is over */
static bool wait_again(int fd, int *flags, struct patience *p)
{
	struct pollfd in = { fd, POLLIN, 0 };

	if (*flags & MSG_DONTWAIT || sock_nonblocking(fd))
		return true;
	if (!p->begun)
		begin_patience(fd, p);
	if (!p->limited)
		return true;
	if (real.poll(&in, 1, left_ms(p)) > 0 || left_ms(p))
		return true;
	errno = EAGAIN;
	return false;
}

static bool is_message(const struct receiving *r)
{
	return r->info.kind == TTP_KIND_REQUEST ||
	       r->info.kind == TTP_KIND_RESPONSE ||
	       r->info.kind == TTP_KIND_ONEWAY;
}

/* No message: the end, a failure, or the socket is another one now */
static ssize_t no_message(struct receiving *r, struct msghdr *msg, int flags,
			  bool *again)
{
	int error;

	if (!r->info.kind && sock_of(r->fd) == r->s &&
	    r->s->state == SOCK_TTP) {
		msg->msg_namelen = 0;
		msg->msg_controllen = 0;
		msg->msg_flags = 0;
		return 0;
	}
	*again = true;
	if (!r->info.kind)
		return 0;
	if (flags & MSG_PEEK)
		discard(r);
	error = r->info.kind == TTP_KIND_FAILURE ? failed(r) : 0;
	if (!error)
		return 0;
	*again = false;
	errno = error;
	return -1;
}

static ssize_t recv_ttp(struct receiving *r, struct msghdr *msg, int flags,
			bool *again)
{
	ssize_t ret;

	errno = sock_take_error(r->s, r->gen, r->fd);
	if (errno)
		return -1;
	r->s->sends = 0;
	ret = receive(r, msg->msg_iov, msg->msg_iovlen, flags & RECV_FLAGS);
	if (ret < 0) {
		/* closed behind our back, and something else now */
		*again = errno == ENOTSOCK;
		if (*again)
			sock_forget(r->fd);
		return ret;
	}
	if (!is_message(r))
		return no_message(r, msg, flags, again);
	note(r, flags & MSG_PEEK);
	fill_in(r, msg);
	return ret;
}

ssize_t recv_message(int fd, struct msghdr *msg, int flags)
{
	struct patience patience = {};
	int saved = errno, call_flags = flags;
	bool again = false;
	struct receiving r;
	ssize_t ret;

	do {
		r.fd = fd;
		r.s = sock_of(fd);
		if (!r.s || r.s->state != SOCK_TTP || flags & MSG_ERRQUEUE)
			return real.recvmsg(fd, msg, call_flags);
		r.gen = r.s->gen;
		again = false;
		ret = recv_ttp(&r, msg, call_flags, &again);
	} while (again && wait_again(fd, &call_flags, &patience));
	if (again)
		return -1;
	if (ret >= 0)
		errno = saved;
	return ret;
}

static void keep_error(struct receiving *r, int error)
{
	sigset_t old;

	sock_lock(&old);
	if (sock_is(r->s, r->gen, r->fd))
		r->s->error = error;
	sock_unlock(&old);
}

/*
 * A socket is said to be readable.  Would a receive call return something?
 * What it would not return is taken out: a program that waits by poll() may
 * use calls that block.
 */
bool recv_swallow(int fd)
{
	struct receiving r = { .fd = fd };
	int saved = errno, error = 0;
	ssize_t ret;

	for (;;) {
		r.s = sock_of(fd);
		if (!r.s || r.s->state != SOCK_TTP)
			break;
		r.gen = r.s->gen;
		ret = receive(&r, NULL, 0, MSG_PEEK | MSG_DONTWAIT);
		if (ret < 0 && errno == EAGAIN) {
			errno = saved;
			return r.s->error;
		}
		if (ret < 0 || !r.info.kind || is_message(&r))
			break;
		discard(&r);
		if (r.info.kind == TTP_KIND_FAILURE)
			error = failed(&r);
		if (error)
			keep_error(&r, error);
	}
	errno = saved;
	/* UDP by now: whether it is readable is for another look */
	return r.s && r.s->state == SOCK_TTP;
}
