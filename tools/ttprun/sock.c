// SPDX-License-Identifier: GPL-2.0
/*
 * Which descriptors are sockets that may be, or are, AF_TTP sockets.
 *
 * One lock protects all that is known, and is held for no call that blocks.
 * Signals are held off meanwhile, so that a handler may send and receive.  The
 * table is also read without it: what is there stays mapped for ever, a socket
 * that has ended is used again with another gen, and whoever has seen one makes
 * sure under the lock that it is still the descriptor's.
 *
 * Memory is mapped, not allocated: malloc() is nothing for signal handlers.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "run.h"

#define FD_LIMIT	(1 << 20)
#define SOCKS_AT_ONCE	32

/* This thread is inside libttp, whose own sockets are none of ours */
__thread bool sock_inside __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sigset_t fork_mask;

/* the rest is protected by it */
static struct sock **table;
static int table_end;			/* no descriptor of ours from here on */
static struct sock *unused;
static pid_t owner;
static unsigned int forks;
static uint8_t epfds[FD_LIMIT / 8];	/* descriptors that watch ours */

void sock_lock(sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, old);
	pthread_mutex_lock(&lock);
}

void sock_unlock(const sigset_t *old)
{
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

static void fork_before(void)
{
	sigset_t old;

	sock_lock(&old);
	fork_mask = old;
	forks++;
}

static void fork_parent(void)
{
	sigset_t old = fork_mask;

	sock_unlock(&old);
}

static void fork_child(void)
{
	owner = getpid();
	fork_parent();
}

/* False in a child of vfork(), which shares our memory and must leave it alone */
bool sock_may_change(void)
{
	return owner == getpid();
}

/* May another process have it, too?  The lock need not be held. */
bool sock_shared(const struct sock *s)
{
	return s->forks != forks;
}

struct sock *sock_of(int fd)
{
	if (fd < 0 || fd >= FD_LIMIT || !table)
		return NULL;
	return __atomic_load_n(&table[fd], __ATOMIC_ACQUIRE);
}

/* Is it still what the descriptor means?  The lock is held. */
bool sock_is(const struct sock *s, unsigned int gen, int fd)
{
	return sock_of(fd) == s && s->gen == gen;
}

static void put(int fd, struct sock *s)
{
	__atomic_store_n(&table[fd], s, __ATOMIC_RELEASE);
	if (s && fd >= table_end)
		table_end = fd + 1;
}

static struct sock *get_unused(void)
{
	struct sock *s;
	unsigned int i;

	if (!unused) {
		s = mmap(NULL, SOCKS_AT_ONCE * sizeof(*s),
			 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
		if (s == MAP_FAILED)
			return NULL;
		for (i = 0; i < SOCKS_AT_ONCE; i++) {
			s[i].next_free = unused;
			unused = s + i;
		}
	}
	s = unused;
	unused = s->next_free;
	return s;
}

/* The lock is held.  The last descriptor has gone. */
static void end(struct sock *s)
{
	tags_drop(s, NULL);
	copy_drop(s);
	s->gen++;
	s->next_free = unused;
	unused = s;
}

static void forget(int fd)
{
	struct sock *s = sock_of(fd);
	unsigned int i = 0;

	if (!s)
		return;
	put(fd, NULL);
	while (i < s->n_watches)
		if (s->watches[i].fd == fd)
			s->watches[i] = s->watches[--s->n_watches];
		else
			i++;
	if (!--s->fds)
		end(s);
}

/* NULL if there is no room: then it stays UDP */
struct sock *sock_new(int fd, int family)
{
	struct sock *s = NULL;
	unsigned int gen;
	sigset_t old;

	if (fd >= FD_LIMIT || !table || !sock_may_change())
		return NULL;
	sock_lock(&old);
	forget(fd);	/* closed behind our back */
	s = get_unused();
	if (s) {
		gen = s->gen;
		memset(s, 0, sizeof(*s));
		s->gen = gen;
		s->fds = 1;
		s->family = family;
		s->state = SOCK_FRESH;
		s->forks = forks;
		put(fd, s);
	}
	sock_unlock(&old);
	return s;
}

void sock_forget(int fd)
{
	sigset_t old;

	if (!sock_of(fd) || !sock_may_change())
		return;
	sock_lock(&old);
	forget(fd);
	sock_unlock(&old);
}

/* The lock is held.  All its descriptors are plain UDP now. */
void sock_forget_all(struct sock *s)
{
	int fd;

	for (fd = 0; fd < table_end; fd++)
		if (sock_of(fd) == s)
			forget(fd);
}

/* The next descriptor of a socket after @fd, or -1.  The lock is held. */
int sock_next(const struct sock *s, int fd)
{
	for (fd++; fd < table_end; fd++)
		if (sock_of(fd) == s)
			return fd;
	return -1;
}

/* @new_fd is a duplicate of @fd, and is not what it was before */
void sock_also(int fd, int new_fd)
{
	struct sock *s;
	sigset_t old;

	if ((!sock_of(fd) && !sock_of(new_fd)) || fd == new_fd ||
	    !sock_may_change())
		return;
	sock_lock(&old);
	forget(new_fd);
	s = sock_of(fd);
	if (s && new_fd < FD_LIMIT) {
		s->fds++;
		put(new_fd, s);
	}
	sock_unlock(&old);
}

/* At the end of the program: no lock, nobody else is to be expected */
void sock_each(void (*fn)(int fd))
{
	int fd;

	for (fd = 0; fd < table_end; fd++)
		if (sock_of(fd))
			fn(fd);
}

/* Who watches us by epoll, for when another socket takes the place */

static struct watch *find_watch(struct sock *s, int epfd, int fd)
{
	unsigned int i;

	for (i = 0; i < s->n_watches; i++)
		if (s->watches[i].epfd == epfd && s->watches[i].fd == fd)
			return s->watches + i;
	return NULL;
}

void sock_watch(int epfd, int op, int fd, const struct epoll_event *event)
{
	struct watch *watch;
	struct sock *s;
	sigset_t old;

	if (!sock_of(fd) || epfd < 0 || epfd >= FD_LIMIT || !sock_may_change())
		return;
	sock_lock(&old);
	s = sock_of(fd);
	watch = s ? find_watch(s, epfd, fd) : NULL;
	if (watch && op == EPOLL_CTL_DEL) {
		*watch = s->watches[--s->n_watches];
	} else if (s && op != EPOLL_CTL_DEL) {
		if (!watch && s->n_watches < SOCK_WATCHES)
			watch = s->watches + s->n_watches++;
		if (watch) {
			watch->epfd = epfd;
			watch->fd = fd;
			watch->event = *event;
			epfds[epfd / 8] |= 1 << epfd % 8;
		}
	}
	sock_unlock(&old);
}

/* A descriptor is closed, which may have been one that watches */
void sock_unwatch(int epfd)
{
	struct watch *watch;
	struct sock *s;
	sigset_t old;
	int fd;

	if (epfd < 0 || epfd >= FD_LIMIT || !(epfds[epfd / 8] & 1 << epfd % 8) ||
	    !sock_may_change())
		return;
	sock_lock(&old);
	for (fd = 0; fd < table_end; fd++) {
		s = sock_of(fd);
		watch = s ? find_watch(s, epfd, fd) : NULL;
		if (watch)
			*watch = s->watches[--s->n_watches];
	}
	epfds[epfd / 8] &= ~(1 << epfd % 8);
	sock_unlock(&old);
}

/* Options.  The lock is held. */

/* False if it cannot be remembered */
bool sock_note_option(struct sock *s, int level, int name, const void *value,
		      socklen_t len)
{
	struct option *o = (struct option *)sock_option(s, level, name);

	if (len > SOCK_VALUE || (!o && s->n_options == SOCK_OPTIONS))
		return false;
	if (!o)
		o = s->options + s->n_options++;
	o->level = level;
	o->name = name;
	o->len = len;
	memcpy(o->value, value, len);
	return true;
}

const struct option *sock_option(const struct sock *s, int level, int name)
{
	unsigned int i;

	for (i = 0; i < s->n_options; i++)
		if (s->options[i].level == level && s->options[i].name == name)
			return s->options + i;
	return NULL;
}

/* Is the option, which is a number of one or four bytes, other than 0? */
bool sock_flag(const struct sock *s, int level, int name)
{
	const struct option *o = sock_option(s, level, name);
	static const char zero[SOCK_VALUE];

	return o && memcmp(o->value, zero, o->len);
}

/* Has this address sent us a request?  The lock is held. */
bool sock_from(struct sock *s, const struct sockaddr_ttp *from, bool note)
{
	uint32_t hash = from->sttp_port * 2654435761U ^ from->sttp_ifindex;
	unsigned int i;

	for (i = 0; i < sizeof(from->sttp_addr); i++)
		hash = (hash ^ from->sttp_addr[i]) * 16777619U;
	hash |= 1;	/* 0 is nobody */
	if (note)
		s->seen[hash / 2 % SOCK_SEEN] = hash;
	return s->seen[hash / 2 % SOCK_SEEN] == hash;
}

/* As UDP: an error that came by itself is told once, by whatever call is next */
int sock_take_error(struct sock *s, unsigned int gen, int fd)
{
	int error = 0;
	sigset_t old;

	if (!s->error)
		return 0;
	sock_lock(&old);
	if (sock_is(s, gen, fd)) {
		error = s->error;
		s->error = 0;
	}
	sock_unlock(&old);
	return error;
}

bool sock_nonblocking(int fd)
{
	return real.fcntl(fd, F_GETFL) & O_NONBLOCK;
}

/* A program that was started by another may have been left our sockets */

void sock_adopt(int fd, int family)
{
	struct sock *s = sock_new(fd, family);
	struct sockaddr_ttp addr;
	socklen_t len = sizeof(addr);
	sigset_t old;

	if (!s)
		return;
	sock_lock(&old);
	s->state = SOCK_TTP;
	s->forks--;	/* it came from elsewhere */
	s->proven = true;
	s->bound = true;
	if (!real.getsockname(fd, (struct sockaddr *)&addr, &len))
		s->local.port = addr.sttp_port;
	if (family == AF_INET)
		s->local.addr.s6_addr32[2] = htonl(0xffff);
	len = sizeof(addr);
	if (!real.getpeername(fd, (struct sockaddr *)&addr, &len)) {
		s->connected = true;
		s->to = addr;
	}
	sock_unlock(&old);
	if (s->connected)
		peer_name(&addr, family, false, &s->remote);
}

static void adopt_if_ours(int fd)
{
	uint32_t max;
	int domain;
	socklen_t len = sizeof(domain);

	if (real.getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) ||
	    domain != AF_TTP)
		return;
	len = sizeof(max);
	if (real.getsockopt(fd, SOL_TTP, TTP_MAX_MSG, &max, &len))
		return;
	if (max == MAX_IPV4 || max == MAX_IPV6)
		sock_adopt(fd, max == MAX_IPV4 ? AF_INET : AF_INET6);
}

static void adopt_all(void)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc/self/fd");
	char *end;
	long fd;

	while (dir && (entry = readdir(dir))) {
		fd = strtol(entry->d_name, &end, 10);
		if (!*end && end != entry->d_name && fd != dirfd(dir))
			adopt_if_ours(fd);
	}
	if (dir)
		closedir(dir);
}

void sock_init(void)
{
	table = mmap(NULL, FD_LIMIT * sizeof(*table), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (table == MAP_FAILED)
		table = NULL;
	owner = getpid();
	pthread_atfork(fork_before, fork_parent, fork_child);
	if (table)
		adopt_all();
}
