// SPDX-License-Identifier: GPL-2.0
/*
 * The calls that send and receive, all of them by way of one that sends or
 * receives a message.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "run.h"

static bool is_ours(int fd)
{
	NEED_REAL();
	return sock_of(fd);
}

static bool is_ttp(int fd)
{
	struct sock *s = sock_of(fd);

	NEED_REAL();
	return s && s->state == SOCK_TTP;
}

/* Sending */

EXPORT ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	if (!is_ours(fd))
		return real.sendmsg(fd, msg, flags);
	return send_message(fd, msg, flags);
}

EXPORT ssize_t sendto(int fd, const void *buf, size_t len, int flags,
		      __CONST_SOCKADDR_ARG addr, socklen_t addrlen)
{
	struct iovec iov = { (void *)buf, len };
	struct msghdr msg = {
		.msg_name = (void *)addr.__sockaddr__,
		.msg_namelen = addrlen,
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};

	if (!is_ours(fd))
		return real.sendto(fd, buf, len, flags, addr, addrlen);
	return send_message(fd, &msg, flags);
}

EXPORT ssize_t send(int fd, const void *buf, size_t len, int flags)
{
	struct iovec iov = { (void *)buf, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (!is_ttp(fd))
		return real.send(fd, buf, len, flags);
	return send_message(fd, &msg, flags);
}

EXPORT ssize_t write(int fd, const void *buf, size_t len)
{
	return is_ttp(fd) ? send(fd, buf, len, 0) : real.write(fd, buf, len);
}

EXPORT ssize_t writev(int fd, const struct iovec *iov, int n)
{
	struct msghdr msg = { .msg_iov = (struct iovec *)iov, .msg_iovlen = n };

	if (!is_ttp(fd))
		return real.writev(fd, iov, n);
	return send_message(fd, &msg, 0);
}

EXPORT int sendmmsg(int fd, struct mmsghdr *msgs, unsigned int n, int flags)
{
	unsigned int i;
	ssize_t ret;

	if (!is_ours(fd))
		return real.sendmmsg(fd, msgs, n, flags);
	for (i = 0; i < n; i++) {
		ret = send_message(fd, &msgs[i].msg_hdr, flags);
		if (ret < 0)
			return i ? (int)i : -1;
		msgs[i].msg_len = ret;
	}
	return n;
}

/* Receiving */

EXPORT ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	if (!is_ttp(fd))
		return real.recvmsg(fd, msg, flags);
	return recv_message(fd, msg, flags);
}

EXPORT ssize_t recvfrom(int fd, void *buf, size_t len, int flags,
			__SOCKADDR_ARG addr, socklen_t *addrlen)
{
	struct iovec iov = { buf, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t ret;

	if (!is_ttp(fd))
		return real.recvfrom(fd, buf, len, flags, addr, addrlen);
	if (addr.__sockaddr__ && addrlen) {
		msg.msg_name = addr.__sockaddr__;
		msg.msg_namelen = *addrlen;
	}
	ret = recv_message(fd, &msg, flags);
	if (ret >= 0 && msg.msg_name)
		*addrlen = msg.msg_namelen;
	return ret;
}

EXPORT ssize_t recv(int fd, void *buf, size_t len, int flags)
{
	struct iovec iov = { buf, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (!is_ttp(fd))
		return real.recv(fd, buf, len, flags);
	return recv_message(fd, &msg, flags);
}

EXPORT ssize_t read(int fd, void *buf, size_t len)
{
	return is_ttp(fd) ? recv(fd, buf, len, 0) : real.read(fd, buf, len);
}

EXPORT ssize_t readv(int fd, const struct iovec *iov, int n)
{
	struct msghdr msg = { .msg_iov = (struct iovec *)iov, .msg_iovlen = n };

	if (!is_ttp(fd))
		return real.readv(fd, iov, n);
	return recv_message(fd, &msg, 0);
}

static bool is_over(const struct timespec *end)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > end->tv_sec ||
	       (now.tv_sec == end->tv_sec && now.tv_nsec >= end->tv_nsec);
}

/* As the kernel has it: the time is looked at after each message */
EXPORT int recvmmsg(int fd, struct mmsghdr *msgs, unsigned int n, int flags,
		    struct timespec *limit)
{
	struct timespec end = {};
	unsigned int i;
	ssize_t ret;

	if (!is_ttp(fd))
		return real.recvmmsg(fd, msgs, n, flags, limit);
	if (limit) {
		clock_gettime(CLOCK_MONOTONIC, &end);
		end.tv_sec += limit->tv_sec;
		end.tv_nsec += limit->tv_nsec;
		if (end.tv_nsec >= 1000000000) {
			end.tv_nsec -= 1000000000;
			end.tv_sec++;
		}
	}
	for (i = 0; i < n; i++) {
		ret = recv_message(fd, &msgs[i].msg_hdr,
				   flags & ~MSG_WAITFORONE);
		if (ret < 0)
			return i ? (int)i : -1;
		msgs[i].msg_len = ret;
		if (flags & MSG_WAITFORONE)
			flags |= MSG_DONTWAIT;
		if (limit && is_over(&end))
			return i + 1;
	}
	return n;
}

/* Programs built with _FORTIFY_SOURCE */

EXPORT ssize_t __recv_chk(int fd, void *buf, size_t len, size_t size, int flags)
{
	if (len > size)
		__builtin_trap();
	return recv(fd, buf, len, flags);
}

EXPORT ssize_t __recvfrom_chk(int fd, void *buf, size_t len, size_t size,
			      int flags, __SOCKADDR_ARG addr,
			      socklen_t *addrlen)
{
	if (len > size)
		__builtin_trap();
	return recvfrom(fd, buf, len, flags, addr, addrlen);
}

EXPORT ssize_t __read_chk(int fd, void *buf, size_t len, size_t size)
{
	if (len > size)
		__builtin_trap();
	return read(fd, buf, len);
}
