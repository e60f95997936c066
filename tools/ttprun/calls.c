// SPDX-License-Identifier: GPL-2.0
/*
 * The calls that we stand before: those about descriptors and addresses.
 * io.c has those that send and receive.
 */
#include <errno.h>
#include <string.h>

#include <linux/sockios.h>

#include "run.h"

static void __attribute__((constructor)) start(void)
{
	NEED_REAL();
	say_init();
	tags_init();
	sock_init();
}

static void __attribute__((destructor)) stop(void)
{
	sock_each(send_drain);
	say_end();
}

EXPORT int socket(int domain, int type, int protocol)
{
	int fd;

	NEED_REAL();
	fd = real.socket(domain, type, protocol);
	if (fd < 0 || sock_inside)
		return fd;
	sock_forget(fd);	/* closed behind our back */
	if ((domain == AF_INET || domain == AF_INET6) &&
	    (type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK)) == SOCK_DGRAM &&
	    (!protocol || protocol == IPPROTO_UDP) && !sock_new(fd, domain))
		say_cause(CAUSE_TABLE, NULL);
	return fd;
}

static bool is_ttp(const struct sock *s)
{
	return s && s->state == SOCK_TTP;
}

/* Undo a bind or connect: what is under the descriptor is new again */
static void renew(int fd)
{
	struct sock *s = sock_of(fd);
	int udp = s ? turn_spare(s, false) : -1;

	if (udp < 0)
		return;
	real.dup3(udp, fd, real.fcntl(fd, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0);
	real.close(udp);
}

/* Plain UDP, or failure if that was asked for */
static int give_up(int fd, enum cause cause, const struct host *host)
{
	char text[HOST_TEXT];

	host_text(host, text);
	if (settings.strict) {
		say_cause(cause, text);
		renew(fd);
		errno = say_errno(cause);
		return -1;
	}
	turn_plain(fd, cause, text);
	return 0;
}

static int after_bind(int fd, struct sock *s, in_port_t wanted)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	struct host local;
	enum cause cause;

	if (real.getsockname(fd, (struct sockaddr *)&ss, &len) ||
	    !host_get(&local, &ss, len))
		return 0;
	if (!say_port(wanted)) {
		/* without a port it is for the first peer to decide */
		if (wanted)
			turn_plain(fd, CAUSE_NONE, NULL);
		s->bound = true;
		s->auto_port = true;
		return 0;
	}
	cause = turn_bound(fd, &local, !wanted);
	return cause ? give_up(fd, cause, &local) : 0;
}

EXPORT int bind(int fd, __CONST_SOCKADDR_ARG addr, socklen_t len)
{
	const struct sockaddr *name = addr.__sockaddr__;
	struct sock *s = sock_of(fd);
	struct host host;

	NEED_REAL();
	if (is_ttp(s)) {
		errno = EINVAL;	/* it has a port */
		return -1;
	}
	if (real.bind(fd, name, len))
		return -1;
	if (!s || !host_get(&host, name, len))
		return 0;
	return after_bind(fd, s, host.port);
}

static int after_connect(int fd, const struct host *remote)
{
	enum cause cause;

	if (!say_port(remote->port)) {
		turn_plain(fd, CAUSE_NONE, NULL);
		return 0;
	}
	cause = turn_connected(fd, remote);
	return cause ? give_up(fd, cause, remote) : 0;
}

EXPORT int connect(int fd, __CONST_SOCKADDR_ARG addr, socklen_t len)
{
	const struct sockaddr *name = addr.__sockaddr__;
	struct sock *s = sock_of(fd);
	struct host remote;
	int ret;

	NEED_REAL();
	if (!s)
		return real.connect(fd, name, len);
	if (!host_get(&remote, name, len)) {
		if (is_ttp(s) && len >= sizeof(name->sa_family) &&
		    name->sa_family == AF_UNSPEC)
			return turn_reconnect(fd, NULL);
		if (!is_ttp(s))
			return real.connect(fd, name, len);
		errno = len < sizeof(name->sa_family) ||
			name->sa_family == s->family ? EINVAL : EAFNOSUPPORT;
		return -1;
	}
	if (is_ttp(s)) {
		ret = turn_reconnect(fd, &remote);
		return ret > 0 ? real.connect(fd, name, len) : ret;
	}
	if (real.connect(fd, name, len))
		return -1;
	return after_connect(fd, &remote);
}

/* Names */

static int give_name(int fd, bool peer, void *name, socklen_t *len)
{
	struct host host;
	bool connected;
	struct sock *s;
	sigset_t old;
	int family;

	if (!name || !len) {
		errno = EFAULT;
		return -1;
	}
	sock_lock(&old);
	s = sock_of(fd);
	connected = s && s->connected;
	if (s)
		host = peer ? s->remote : s->local;
	family = s ? s->family : AF_INET;
	sock_unlock(&old);
	if (peer && !connected) {
		errno = ENOTCONN;
		return -1;
	}
	host_copy_out(&host, family, name, len);
	return 0;
}

EXPORT int getsockname(int fd, __SOCKADDR_ARG addr, socklen_t *len)
{
	if (is_ttp(sock_of(fd)))
		return give_name(fd, false, addr.__sockaddr__, len);
	NEED_REAL();
	return real.getsockname(fd, addr.__sockaddr__, len);
}

EXPORT int getpeername(int fd, __SOCKADDR_ARG addr, socklen_t *len)
{
	if (is_ttp(sock_of(fd)))
		return give_name(fd, true, addr.__sockaddr__, len);
	NEED_REAL();
	return real.getpeername(fd, addr.__sockaddr__, len);
}

EXPORT int setsockopt(int fd, int level, int name, const void *value,
		      socklen_t len)
{
	NEED_REAL();
	return option_set(fd, level, name, value, len);
}

EXPORT int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	NEED_REAL();
	return option_get(fd, level, name, value, len);
}

/* UDP says that it is not connected, and does it nevertheless */
EXPORT int shutdown(int fd, int how)
{
	struct sock *s = sock_of(fd);
	int ret;

	NEED_REAL();
	ret = real.shutdown(fd, how);
	if (ret || !is_ttp(s) || s->connected)
		return ret;
	errno = ENOTCONN;
	return -1;
}

/* What AF_TTP does not know may be about devices and their IP addresses */
static int ioctl_by_udp(int fd, unsigned long request, void *arg)
{
	struct sock *s = sock_of(fd);
	int udp, ret, saved;

	udp = s ? turn_spare(s, false) : -1;
	if (udp < 0) {
		errno = ENOTTY;
		return -1;
	}
	ret = real.ioctl(udp, request, arg);
	saved = errno;
	real.close(udp);
	errno = saved;
	return ret;
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;
	int ret;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	NEED_REAL();
	if (!is_ttp(sock_of(fd)))
		return real.ioctl(fd, request, arg);
	if (request == SIOCINQ)
		recv_swallow(fd);
	ret = real.ioctl(fd, request, arg);
	if (!ret || errno != ENOTTY || request >> 8 != SIOCGIFADDR >> 8)
		return ret;
	return ioctl_by_udp(fd, request, arg);
}

/* Descriptors */

EXPORT int close(int fd)
{
	NEED_REAL();
	send_drain(fd);
	sock_forget(fd);
	sock_unwatch(fd);
	return real.close(fd);
}

EXPORT int fclose(FILE *file)
{
	int fd = fileno(file);

	NEED_REAL();
	sock_forget(fd);
	return real.fclose(file);
}

static void forget_range(unsigned int first, unsigned int last)
{
	const unsigned int end = 1 << 20;

	for (; first <= last && first < end; first++) {
		sock_forget(first);
		sock_unwatch(first);
	}
}

EXPORT int close_range(unsigned int first, unsigned int last, int flags)
{
	int ret;

	NEED_REAL();
	ret = real.close_range(first, last, flags);
	if (!ret && !(flags & CLOSE_RANGE_CLOEXEC))
		forget_range(first, last);
	return ret;
}

EXPORT void closefrom(int first)
{
	NEED_REAL();
	forget_range(first < 0 ? 0 : first, ~0U);
	real.closefrom(first);
}

static int duplicate(int fd, int new_fd)
{
	if (new_fd >= 0) {
		sock_also(fd, new_fd);
		sock_unwatch(new_fd);
	}
	return new_fd;
}

EXPORT int dup(int fd)
{
	NEED_REAL();
	return duplicate(fd, real.dup(fd));
}

EXPORT int dup2(int fd, int new_fd)
{
	NEED_REAL();
	return duplicate(fd, real.dup2(fd, new_fd));
}

EXPORT int dup3(int fd, int new_fd, int flags)
{
	NEED_REAL();
	return duplicate(fd, real.dup3(fd, new_fd, flags));
}

static int do_fcntl(int fd, int cmd, void *arg)
{
	int ret;

	NEED_REAL();
	ret = real.fcntl(fd, cmd, arg);
	if (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC)
		duplicate(fd, ret);
	return ret;
}

EXPORT int fcntl(int fd, int cmd, ...)
{
	va_list args;
	void *arg;

	va_start(args, cmd);
	arg = va_arg(args, void *);
	va_end(args);
	return do_fcntl(fd, cmd, arg);
}

EXPORT int fcntl64(int fd, int cmd, ...)
{
	va_list args;
	void *arg;

	va_start(args, cmd);
	arg = va_arg(args, void *);
	va_end(args);
	return do_fcntl(fd, cmd, arg);
}

EXPORT int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
	int ret;

	NEED_REAL();
	ret = real.epoll_ctl(epfd, op, fd, event);
	if (!ret)
		sock_watch(epfd, op, fd, event);
	return ret;
}
