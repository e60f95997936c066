// SPDX-License-Identifier: GPL-2.0
/*
 * From UDP to TTP, and back: another socket takes the place of the present one,
 * with its port, its options, its flags, and whoever watches it by epoll.
 *
 * All that can block or fail comes first, then the places are exchanged under
 * the lock.  If somebody else has done so meanwhile, that stands.
 */
#include <errno.h>
#include <string.h>

#include "run.h"

/* Under each descriptor of @s, @fd instead of what is there.  The lock is held. */
static void swap_one(struct sock *s, int place, int fd)
{
	int flags = real.fcntl(place, F_GETFD);
	struct watch *w;

	for (w = s->watches; w < s->watches + s->n_watches; w++)
		if (w->fd == place)
			real.epoll_ctl(w->epfd, EPOLL_CTL_DEL, place, NULL);
	real.dup3(fd, place, flags & FD_CLOEXEC ? O_CLOEXEC : 0);
	for (w = s->watches; w < s->watches + s->n_watches; w++)
		if (w->fd == place)
			real.epoll_ctl(w->epfd, EPOLL_CTL_ADD, place,
				       &w->event);
}

static void swap_all(struct sock *s, int fd)
{
	int place;

	for (place = sock_next(s, -1); place >= 0; place = sock_next(s, place))
		swap_one(s, place, fd);
}

static void copy_flags(int from, int to)
{
	int flags = real.fcntl(from, F_GETFL);

	if (flags > 0)
		real.fcntl(to, F_SETFL, flags);
}

/* What a socket becomes */
struct turned {
	struct sock	*s;
	unsigned int	gen;
	int		ttp;
	struct host	local;
	struct host	remote;
	struct sockaddr_ttp to;
	bool		bound;
	bool		auto_port;
	bool		connected;
};

static enum cause socket_cause(void)
{
	return errno == EMFILE || errno == ENFILE || errno == ENOBUFS ?
	       CAUSE_TABLE : CAUSE_NO_TTP;
}

/* A thread may have gone elsewhere since it made a socket */
static bool same_netns(int a, int b)
{
	uint64_t ns_a = 0, ns_b = 0;
	socklen_t len = sizeof(ns_a);

	real.getsockopt(a, SOL_SOCKET, SO_NETNS_COOKIE, &ns_a, &len);
	len = sizeof(ns_b);
	real.getsockopt(b, SOL_SOCKET, SO_NETNS_COOKIE, &ns_b, &len);
	return ns_a == ns_b;
}

static enum cause begin(struct turned *t, int fd)
{
	const int one = 1;
	uint32_t max;

	t->s = sock_of(fd);
	if (!t->s)
		return CAUSE_TABLE;
	t->gen = t->s->gen;
	t->bound = t->s->bound;
	t->auto_port = t->s->auto_port;
	max = t->s->family == AF_INET ? MAX_IPV4 : MAX_IPV6;
	t->ttp = real.socket(AF_TTP, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (t->ttp < 0)
		return socket_cause();
	if (!same_netns(fd, t->ttp))
		return CAUSE_NETNS;
	real.setsockopt(t->ttp, SOL_TTP, TTP_RECVINFO, &one, sizeof(one));
	real.setsockopt(t->ttp, SOL_TTP, TTP_MAX_MSG, &max, sizeof(max));
	option_for_ttp(t->s, t->ttp);
	copy_flags(fd, t->ttp);
	return CAUSE_NONE;
}

/* Any port if the wanted one is taken and nobody has asked for it */
static enum cause bind_ttp(struct turned *t, int ifindex, bool any_will_do)
{
	struct sockaddr_ttp addr = {
		.sttp_family = AF_TTP,
		.sttp_port = t->local.port,
		.sttp_ifindex = ifindex,
	};
	socklen_t len = sizeof(addr);
	int ret;

	ret = real.bind(t->ttp, (struct sockaddr *)&addr, sizeof(addr));
	if (ret && errno == EADDRINUSE && any_will_do) {
		addr.sttp_port = 0;
		ret = real.bind(t->ttp, (struct sockaddr *)&addr,
				sizeof(addr));
	}
	if (ret)
		return errno == EADDRINUSE ? CAUSE_PORT : CAUSE_DEVICE;
	real.getsockname(t->ttp, (struct sockaddr *)&addr, &len);
	t->local.port = addr.sttp_port;
	return CAUSE_NONE;
}

static enum cause connect_ttp(int fd, const struct sockaddr_ttp *to)
{
	if (!real.connect(fd, (struct sockaddr *)to, sizeof(*to)))
		return CAUSE_NONE;
	return errno == ENETDOWN ? CAUSE_DOWN : CAUSE_DEVICE;
}

static void disconnect(int fd)
{
	struct sockaddr nobody = { .sa_family = AF_UNSPEC };

	real.connect(fd, &nobody, sizeof(nobody));
}

static void set_state(struct sock *s, const struct turned *t)
{
	s->state = SOCK_TTP;
	s->local = t->local;
	s->bound = t->bound;
	s->auto_port = t->auto_port;
	s->connected = t->connected;
	s->remote = t->remote;
	s->to = t->to;
	s->proven = false;
}

/* The socket that was made takes the place, unless @cause says no */
static enum cause finish(struct turned *t, int fd, enum cause cause)
{
	char text[HOST_TEXT], text2[HOST_TEXT];
	sigset_t old;

	if (!cause) {
		sock_lock(&old);
		if (sock_is(t->s, t->gen, fd) && t->s->state == SOCK_FRESH) {
			swap_all(t->s, t->ttp);
			set_state(t->s, t);
		}
		sock_unlock(&old);
		say_verbose("descriptor %d, %s%s%s: TTP", fd,
			    host_text(&t->local, text),
			    t->connected ? " to " : "", t->connected ?
			    host_text(&t->remote, text2) : "");
	}
	if (t->ttp >= 0)
		real.close(t->ttp);
	return cause;
}

/* Is any device enabled?  To connect sends nothing. */
static enum cause any_device(int fd)
{
	struct sockaddr_ttp somebody = {
		.sttp_family = AF_TTP,
		.sttp_port = htons(1),
		.sttp_addr = { 2, [5] = 1 },
	};

	if (real.connect(fd, (struct sockaddr *)&somebody, sizeof(somebody)) &&
	    errno == ENETUNREACH)
		return CAUSE_NO_DEVICE;
	return CAUSE_NONE;
}

static enum cause have_device(void)
{
	enum cause cause;
	int fd;

	fd = real.socket(AF_TTP, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return socket_cause();
	cause = any_device(fd);
	real.close(fd);
	return cause;
}

/**
 * turn_bound() - a socket that is bound becomes TTP, if that is possible
 * @fd: a descriptor of it, UDP, bound
 * @local: where to
 * @auto_port: the program did not say which port
 *
 * Return: why not.
 */
enum cause turn_bound(int fd, const struct host *local, bool auto_port)
{
	struct turned t = { .ttp = -1 };
	struct sockaddr_ttp own = {};
	enum cause cause = have_device();

	if (!cause && !host_is_any(local))
		cause = peer_find(local, fd, 0, &own);
	if (!cause)
		cause = begin(&t, fd);
	t.local = *local;
	t.bound = true;
	t.auto_port = auto_port;
	if (!cause)
		cause = bind_ttp(&t, own.sttp_ifindex, auto_port);
	return finish(&t, fd, cause);
}

static void get_local(int fd, struct host *local)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	if (real.getsockname(fd, (struct sockaddr *)&ss, &len) ||
	    !host_get(local, &ss, len))
		memset(local, 0, sizeof(*local));
}

/**
 * turn_connected() - a socket that is connected becomes TTP
 * @fd: a descriptor of it, UDP, connected
 * @remote: where to
 *
 * Return: why not.
 */
enum cause turn_connected(int fd, const struct host *remote)
{
	struct turned t = { .ttp = -1 };
	struct sockaddr_ttp to;
	enum cause cause;

	cause = have_device();
	if (!cause)
		cause = peer_find(remote, fd, 0, &to);
	if (!cause)
		cause = begin(&t, fd);
	if (cause)
		return finish(&t, fd, cause);
	get_local(fd, &t.local);
	t.connected = true;
	t.remote = *remote;
	t.to = to;
	cause = bind_ttp(&t, 0, !t.bound || t.auto_port);
	if (!cause)
		cause = connect_ttp(t.ttp, &to);
	return finish(&t, fd, cause);
}

/**
 * turn_sending() - a socket that is about to send its first datagram becomes TTP
 * @fd: a descriptor of it, UDP
 * @remote: where to
 * @flags: of the call
 *
 * Return: why not.
 */
enum cause turn_sending(int fd, const struct host *remote, int flags)
{
	struct turned t = { .ttp = -1 };
	struct sockaddr_ttp to;
	enum cause cause;

	cause = have_device();
	if (!cause)
		cause = peer_find(remote, fd, flags, &to);
	if (!cause)
		cause = begin(&t, fd);
	if (cause)
		return finish(&t, fd, cause);
	get_local(fd, &t.local);
	cause = bind_ttp(&t, 0, !t.bound || t.auto_port);
	/* is the device enabled? */
	if (!cause)
		cause = connect_ttp(t.ttp, &to);
	if (!cause)
		disconnect(t.ttp);
	return finish(&t, fd, cause);
}

/* A UDP socket like @s: for questions, or to take its place */
int turn_spare(const struct sock *s, bool connected)
{
	struct sockaddr_storage ss;
	int fd, saved = errno;
	socklen_t len;

	fd = real.socket(s->family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	option_replay(s, fd);
	if (connected && s->connected) {
		len = host_put(&s->remote, s->family, &ss);
		real.connect(fd, (struct sockaddr *)&ss, len);
	}
	errno = saved;
	return fd;
}

/* The port that the program knows */
static int bind_udp(const struct sock *s, int fd)
{
	struct host local = s->local;
	struct sockaddr_storage ss;
	socklen_t len;

	if (!s->bound) {
		memset(&local.addr, 0, sizeof(local.addr));
		local.scope = 0;
	}
	len = host_put(&local, s->family, &ss);
	if (!real.bind(fd, (struct sockaddr *)&ss, len))
		return 0;
	return s->bound && !s->auto_port ? -1 : 0;
}

/* @fd may be what others wait for, in a call that has begun */
static void wake(int fd, bool shared)
{
	if (!shared)
		real.shutdown(fd, SHUT_RDWR);
	real.close(fd);
}

static bool finish_udp(int fd, int udp, const struct sock *s)
{
	struct sock *now;
	bool ours, connected = s->connected, shared = sock_shared(s);
	int family = s->family, former;
	struct copies *copies = NULL;
	sigset_t old;

	former = real.fcntl(fd, F_DUPFD_CLOEXEC, 0);
	sock_lock(&old);
	now = sock_of(fd);
	ours = now == s && now->state == SOCK_TTP;
	if (ours) {
		swap_all(now, udp);
		copies = copy_take(now);
		sock_forget_all(now);
	}
	sock_unlock(&old);
	if (former >= 0 && ours)
		wake(former, shared);
	else if (former >= 0)
		real.close(former);
	copy_send(copies, fd, family, connected);
	return ours;
}

/**
 * turn_udp() - a TTP socket becomes UDP, and is forgotten
 * @fd: a descriptor of it
 * @cause: why
 * @what: what it is about
 *
 * Return: 0, or -1 with errno.
 */
int turn_udp(int fd, enum cause cause, const char *what)
{
	struct sockaddr_storage ss;
	struct sock *s = sock_of(fd);
	socklen_t len;
	int udp;

	say_cause(cause, what);
	if (settings.strict) {
		errno = say_errno(cause);
		return -1;
	}
	if (!s)
		return 0;
	udp = turn_spare(s, false);
	if (udp < 0)
		return -1;
	copy_flags(fd, udp);
	if (!same_netns(fd, udp) || bind_udp(s, udp)) {
		real.close(udp);
		errno = EADDRINUSE;
		return -1;
	}
	if (s->connected) {
		len = host_put(&s->remote, s->family, &ss);
		real.connect(udp, (struct sockaddr *)&ss, len);
	}
	finish_udp(fd, udp, s);
	real.close(udp);
	return 0;
}

/* UDP it is, and stays */
void turn_plain(int fd, enum cause cause, const char *what)
{
	struct sock *s;
	sigset_t old;

	say_cause(cause, what);
	sock_lock(&old);
	s = sock_of(fd);
	if (s && s->state == SOCK_FRESH)
		sock_forget_all(s);
	sock_unlock(&old);
}

static void set_remote(int fd, const struct host *remote,
		       const struct sockaddr_ttp *to)
{
	struct host local = {};
	struct sock *s;
	sigset_t old;

	if (remote)
		peer_local(remote, to->sttp_ifindex, &local);
	sock_lock(&old);
	s = sock_of(fd);
	if (s) {
		local.port = s->local.port;
		if (!s->bound || host_is_any(&s->local))
			s->local = local;
		s->connected = remote;
		if (remote) {
			s->remote = *remote;
			s->to = *to;
		}
	}
	sock_unlock(&old);
}

/**
 * turn_reconnect() - connect a TTP socket, or dissolve that
 * @fd: a descriptor of it
 * @remote: NULL: to nobody
 *
 * Return: 0 it is done, 1 it has become UDP, or -1 with errno.
 */
int turn_reconnect(int fd, const struct host *remote)
{
	struct sockaddr_ttp to;
	char text[HOST_TEXT];
	enum cause cause;

	if (!remote) {
		disconnect(fd);
		set_remote(fd, NULL, NULL);
		return 0;
	}
	cause = peer_find(remote, fd, 0, &to);
	if (!cause)
		cause = connect_ttp(fd, &to);
	if (!cause) {
		set_remote(fd, remote, &to);
		say_verbose("descriptor %d to %s: TTP", fd,
			    host_text(remote, text));
		return 0;
	}
	return turn_udp(fd, cause, host_text(remote, text)) ? -1 : 1;
}
