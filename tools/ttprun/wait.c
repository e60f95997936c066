// SPDX-License-Identifier: GPL-2.0
/*
 * poll() and select() are the kernel's, but for one thing: they find a socket
 * readable when an own request has failed, which receive calls do not return.
 * Programs that call recv() after poll(), without O_NONBLOCK, would wait there
 * for ever.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "run.h"

#define POLL_READABLE	(POLLIN | POLLRDNORM)

static struct timespec now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts;
}

static struct timespec minus(struct timespec a, struct timespec b)
{
	a.tv_sec -= b.tv_sec;
	a.tv_nsec -= b.tv_nsec;
	if (a.tv_nsec < 0) {
		a.tv_sec--;
		a.tv_nsec += 1000000000;
	}
	if (a.tv_sec < 0)
		a = (struct timespec){};
	return a;
}

static struct timespec plus(struct timespec a, struct timespec b)
{
	a.tv_sec += b.tv_sec;
	a.tv_nsec += b.tv_nsec;
	if (a.tv_nsec >= 1000000000) {
		a.tv_sec++;
		a.tv_nsec -= 1000000000;
	}
	return a;
}

static bool is_ttp(int fd)
{
	struct sock *s = sock_of(fd);

	return s && s->state == SOCK_TTP;
}

/* poll() */

static bool any_polled(const struct pollfd *fds, nfds_t n)
{
	nfds_t i;

	NEED_REAL();
	for (i = 0; i < n; i++)
		if (fds[i].events & POLL_READABLE && is_ttp(fds[i].fd))
			return true;
	return false;
}

/* How many are still ready */
static int filter_polled(struct pollfd *fds, nfds_t n)
{
	int ready = 0;
	nfds_t i;

	for (i = 0; i < n; i++) {
		if (fds[i].revents & POLL_READABLE &&
		    !(fds[i].revents & (POLLHUP | POLLRDHUP)) &&
		    is_ttp(fds[i].fd) && !recv_swallow(fds[i].fd))
			fds[i].revents &= ~POLL_READABLE;
		ready += fds[i].revents != 0;
	}
	return ready;
}

static int do_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *limit,
		    const sigset_t *mask)
{
	struct timespec end = {}, left;
	int ret;

	if (!any_polled(fds, n))
		return real.ppoll(fds, n, limit, mask);
	if (limit) {
		left = *limit;
		end = plus(now(), left);
	}
	for (;;) {
		ret = real.ppoll(fds, n, limit ? &left : NULL, mask);
		if (ret <= 0)
			return ret;
		ret = filter_polled(fds, n);
		if (ret)
			return ret;
		if (limit)
			left = minus(end, now());
	}
}

EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
	struct timespec limit = { timeout_ms / 1000,
				  timeout_ms % 1000 * 1000000L };

	if (!any_polled(fds, n))
		return real.poll(fds, n, timeout_ms);
	return do_ppoll(fds, n, timeout_ms < 0 ? NULL : &limit, NULL);
}

EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *limit,
		 const sigset_t *mask)
{
	return do_ppoll(fds, n, limit, mask);
}

/* Programs built with _FORTIFY_SOURCE; @size has been checked by no one else */
EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t size)
{
	if (size / sizeof(*fds) < n)
		__builtin_trap();
	return poll(fds, n, timeout_ms);
}

EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n,
		       const struct timespec *limit, const sigset_t *mask,
		       size_t size)
{
	if (size / sizeof(*fds) < n)
		__builtin_trap();
	return ppoll(fds, n, limit, mask);
}

/* select() */

static bool any_selected(int n, const fd_set *in)
{
	int fd;

	NEED_REAL();
	for (fd = 0; in && fd < n; fd++)
		if (FD_ISSET(fd, in) && is_ttp(fd))
			return true;
	return false;
}

/* How many had to be taken out */
static int filter_selected(int n, fd_set *in)
{
	int fd, out = 0;

	for (fd = 0; fd < n; fd++)
		if (FD_ISSET(fd, in) && is_ttp(fd) && !recv_swallow(fd)) {
			FD_CLR(fd, in);
			out++;
		}
	return out;
}

/* The words of a set that select() looks at: programs have longer ones */
static size_t set_bytes(int n)
{
	return (n + 63) / 64 * 8;
}

static void copy_set(int n, fd_set *to, const fd_set *from)
{
	if (to && from)
		memcpy(to, from, set_bytes(n));
}

static int do_pselect(int n, fd_set *in, fd_set *out, fd_set *except,
		      const struct timespec *limit, const sigset_t *mask)
{
	char sets[3][FD_SETSIZE / 8];
	fd_set *was_in = (fd_set *)sets[0], *was_out = (fd_set *)sets[1];
	fd_set *was_except = (fd_set *)sets[2];
	struct timespec end = {}, left;
	int ret, gone;

	if (n > FD_SETSIZE || !any_selected(n, in))
		return real.pselect(n, in, out, except, limit, mask);
	copy_set(n, was_in, in);
	copy_set(n, was_out, out);
	copy_set(n, was_except, except);
	if (limit) {
		left = *limit;
		end = plus(now(), left);
	}
	for (;;) {
		ret = real.pselect(n, in, out, except, limit ? &left : NULL,
				   mask);
		if (ret <= 0)
			return ret;
		gone = filter_selected(n, in);
		if (ret > gone)
			return ret - gone;
		copy_set(n, in, was_in);
		copy_set(n, out, was_out);
		copy_set(n, except, was_except);
		if (limit)
			left = minus(end, now());
	}
}

EXPORT int pselect(int n, fd_set *in, fd_set *out, fd_set *except,
		   const struct timespec *limit, const sigset_t *mask)
{
	return do_pselect(n, in, out, except, limit, mask);
}

/* Linux tells in @tv what is left */
EXPORT int select(int n, fd_set *in, fd_set *out, fd_set *except,
		  struct timeval *tv)
{
	struct timespec limit, end;
	int ret;

	if (!any_selected(n, in))
		return real.select(n, in, out, except, tv);
	if (!tv)
		return do_pselect(n, in, out, except, NULL, NULL);
	limit = (struct timespec){ tv->tv_sec, tv->tv_usec * 1000 };
	end = plus(now(), limit);
	ret = do_pselect(n, in, out, except, &limit, NULL);
	limit = minus(end, now());
	tv->tv_sec = limit.tv_sec;
	tv->tv_usec = limit.tv_nsec / 1000;
	return ret;
}
