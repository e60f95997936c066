// SPDX-License-Identifier: GPL-2.0
/*
 * Socket options.
 *
 * What a program sets is remembered, and set on whatever socket takes the place
 * of the present one.  While that is AF_TTP, options of IP and UDP are judged
 * and answered by a UDP socket that is made for the purpose.
 */
#include <errno.h>
#include <linux/filter.h>
#include <string.h>

#include "run.h"

/* Options that mean: the program wants what only UDP has */
static bool is_only_udp(int level, int name)
{
	if (level == SOL_SOCKET)
		return name == SO_ATTACH_FILTER || name == SO_ATTACH_BPF ||
		       name == SO_ATTACH_REUSEPORT_CBPF ||
		       name == SO_ATTACH_REUSEPORT_EBPF;
	if (level == IPPROTO_IP)
		return (name >= IP_ADD_MEMBERSHIP &&
			name <= IP_ADD_SOURCE_MEMBERSHIP) ||
		       (name >= MCAST_JOIN_GROUP && name <= MCAST_MSFILTER);
	if (level == IPPROTO_IPV6)
		return name == IPV6_ADD_MEMBERSHIP ||
		       (name >= MCAST_JOIN_GROUP && name <= MCAST_MSFILTER);
	/* coalescing datagrams cannot be noticed when it does not happen */
	return level == IPPROTO_UDP && name != UDP_GRO;
}

/* SOL_SOCKET: those that an AF_TTP socket does not have, or not as UDP does */
static bool is_udps(int name)
{
	switch (name) {
	case SO_REUSEADDR:
	case SO_REUSEPORT:
	case SO_BROADCAST:
	case SO_NO_CHECK:
	case SO_SNDBUF:
	case SO_RCVBUF:
		return true;
	}
	return false;
}

/* A buffer may become larger.  A small one would be too small: TTP counts more
 * against it, and for longer.
 */
static void set_buffer(int fd, const struct option *o)
{
	int wanted, now;
	socklen_t len = sizeof(now);

	if (o->len < sizeof(wanted))
		return;
	memcpy(&wanted, o->value, sizeof(wanted));
	if (!real.getsockopt(fd, SOL_SOCKET, o->name, &now, &len) &&
	    wanted > now / 2)
		real.setsockopt(fd, SOL_SOCKET, o->name, &wanted,
				sizeof(wanted));
}

static void set_for_ttp(int fd, const struct option *o)
{
	if (o->level != SOL_SOCKET)
		return;
	if (o->name == SO_SNDBUF || o->name == SO_RCVBUF)
		set_buffer(fd, o);
	else if (!is_udps(o->name))
		real.setsockopt(fd, SOL_SOCKET, o->name, o->value, o->len);
}

/* What of the options concerns the AF_TTP socket @fd */
void option_for_ttp(const struct sock *s, int fd)
{
	unsigned int i;

	for (i = 0; i < s->n_options; i++)
		set_for_ttp(fd, s->options + i);
}

/* All of them, for the UDP socket @fd */
void option_replay(const struct sock *s, int fd)
{
	const struct option *o;

	for (o = s->options; o < s->options + s->n_options; o++)
		real.setsockopt(fd, o->level, o->name, o->value, o->len);
}

static bool note(int fd, int level, int name, const void *value, socklen_t len)
{
	bool noted = true;
	struct sock *s;
	sigset_t old;

	sock_lock(&old);
	s = sock_of(fd);
	if (s)
		noted = sock_note_option(s, level, name, value, len);
	sock_unlock(&old);
	return noted;
}

/* UDP still */
static int set_fresh(int fd, int level, int name, const void *value,
		     socklen_t len)
{
	char what[32];

	if (real.setsockopt(fd, level, name, value, len))
		return -1;
	snprintf(what, sizeof(what), "option %d, %d", level, name);
	if (is_only_udp(level, name))
		turn_plain(fd, CAUSE_OPTION, what);
	else if (!note(fd, level, name, value, len))
		turn_plain(fd, CAUSE_TABLE, what);
	return 0;
}

/* The program asks for UDP's own after all */
static int set_only_udp(int fd, int level, int name, const void *value,
			socklen_t len)
{
	char what[32];

	snprintf(what, sizeof(what), "option %d, %d", level, name);
	if (level == IPPROTO_UDP) {	/* is asked for to see if it is there */
		errno = ENOPROTOOPT;
		return -1;
	}
	if (turn_udp(fd, CAUSE_OPTION, what))
		return -1;
	return real.setsockopt(fd, level, name, value, len);
}

static int set_ttp(int fd, int level, int name, const void *value,
		   socklen_t len)
{
	struct option o = { level, name, len, {} };
	struct sock *s = sock_of(fd);
	int udp, err = 0;

	if (level == SOL_SOCKET && !is_udps(name)) {
		if (real.setsockopt(fd, level, name, value, len))
			return -1;
	} else {
		udp = turn_spare(s, false);
		if (udp < 0)
			return -1;
		if (real.setsockopt(udp, level, name, value, len))
			err = errno;
		real.close(udp);
		if (err) {
			errno = err;
			return -1;
		}
		if (len <= sizeof(o.value)) {
			memcpy(o.value, value, len);
			set_for_ttp(fd, &o);
		}
	}
	if (!note(fd, level, name, value, len)) {
		errno = ENOBUFS;
		return -1;
	}
	return 0;
}

int option_set(int fd, int level, int name, const void *value, socklen_t len)
{
	struct sock *s = sock_of(fd);

	if (!s)
		return real.setsockopt(fd, level, name, value, len);
	if (s->state == SOCK_FRESH)
		return set_fresh(fd, level, name, value, len);
	if (is_only_udp(level, name))
		return set_only_udp(fd, level, name, value, len);
	return set_ttp(fd, level, name, value, len);
}

static int give_number(int number, void *value, socklen_t *len)
{
	if (*len > sizeof(number))
		*len = sizeof(number);
	memcpy(value, &number, *len);
	return 0;
}

int option_get(int fd, int level, int name, void *value, socklen_t *len)
{
	struct sock *s = sock_of(fd);
	int udp, ret, saved;

	if (!s || s->state != SOCK_TTP)
		return real.getsockopt(fd, level, name, value, len);
	if (level == SOL_SOCKET && name == SO_DOMAIN && value && len)
		return give_number(s->family, value, len);
	if (level == SOL_SOCKET && name == SO_ERROR && s->error && value && len)
		return give_number(sock_take_error(s, s->gen, fd), value, len);
	if (level == SOL_SOCKET && name == SO_PROTOCOL && value && len)
		return give_number(IPPROTO_UDP, value, len);
	if (level == SOL_SOCKET && !is_udps(name))
		return real.getsockopt(fd, level, name, value, len);
	udp = turn_spare(s, true);
	if (udp < 0)
		return -1;
	ret = real.getsockopt(udp, level, name, value, len);
	saved = errno;
	real.close(udp);
	errno = saved;
	return ret;
}
