/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of libttprun know of each other.
 *
 * The library stands between a program and libc.  A UDP socket of the program
 * becomes an AF_TTP socket under the same descriptor when its first bind,
 * connect or send shows that it can, so that poll and epoll need no help;
 * whatever is no such socket goes to libc with one look into a table.
 */
#ifndef _TTPRUN_RUN_H
#define _TTPRUN_RUN_H

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/ttp.h>

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))
#define EXPORT		__attribute__((visibility("default")))

/* What UDP carries at most over IPv4 and IPv6.  As TTP_MAX_MSG they tell a
 * program that was started by another which descriptors are ours.
 */
#define MAX_IPV4	65507U
#define MAX_IPV6	65527U

/* ---- real.c: libc's functions */

#define REAL_CALLS(X)							\
	X(socket) X(bind) X(connect) X(getsockname) X(getpeername)	\
	X(setsockopt) X(getsockopt) X(shutdown) X(ioctl) X(fcntl)	\
	X(sendto) X(sendmsg) X(recvmsg) X(read) X(write) X(readv)	\
	X(writev) X(close) X(dup) X(dup2) X(dup3) X(fclose)		\
	X(close_range) X(closefrom) X(epoll_ctl) X(poll) X(ppoll)	\
	X(select) X(pselect) X(sendmmsg) X(recvmmsg) X(send) X(recv)	\
	X(recvfrom)

struct real {
#define X(name) __typeof__(&(name)) name;
	REAL_CALLS(X)
#undef X
};

extern struct real real;
void real_init(void);

/* Constructors of other libraries may call before ours has run */
#define NEED_REAL() do { if (!real.socket) real_init(); } while (0)

/* ---- say.c: settings and messages */

/**
 * enum cause - why a socket is plain UDP
 *
 * Each is told once; the texts are in say.c.
 */
enum cause {
	CAUSE_NONE,
	CAUSE_NO_TTP,		/* the kernel has no AF_TTP */
	CAUSE_NO_DEVICE,	/* no device is enabled */
	CAUSE_DEVICE,		/* that device is not enabled */
	CAUSE_DOWN,		/* it is down */
	CAUSE_LOOPBACK,
	CAUSE_MULTICAST,
	CAUSE_BROADCAST,
	CAUSE_REMOTE,		/* behind a router */
	CAUSE_NEIGHBOUR,	/* nobody has that address */
	CAUSE_SILENT,		/* the host does not talk TTP */
	CAUSE_REFUSED,		/* nobody has that port in TTP */
	CAUSE_PORT,		/* our port is taken in TTP */
	CAUSE_OPTION,		/* a socket option that only UDP has */
	CAUSE_NETNS,		/* the socket is of another network namespace */
	CAUSE_LOOKUP,		/* an error while looking */
	CAUSE_TABLE,		/* a descriptor or sockets too many */
	CAUSE_COUNT,
};

/**
 * struct settings - what the environment says (ttprun sets it)
 * @verbose: TTPRUN_VERBOSE: tell each socket's way
 * @strict: TTPRUN_STRICT: fail where plain UDP would be next
 * @oneway: TTPRUN_ONEWAY: send all as one-way messages
 * @timeout_ms: TTPRUN_TIMEOUT_MS: deadline of a request
 */
struct settings {
	bool		verbose;
	bool		strict;
	bool		oneway;
	uint32_t	timeout_ms;
};

extern struct settings settings;
void say_init(void);
void say_verbose(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_cause(enum cause cause, const char *what);
int say_errno(enum cause cause);
bool say_port(in_port_t port);
void say_failure(int error);
void say_end(void);

/* ---- host.c: IP addresses, all kept as those of IPv6 */

/**
 * struct host - an IP address and a port
 * @addr: IPv4 as ::ffff:A.B.C.D
 * @scope: device of a link-local one
 * @port: network order
 */
struct host {
	struct in6_addr	addr;
	uint32_t	scope;
	in_port_t	port;
};

#define HOST_TEXT	80

bool host_get(struct host *host, const void *sa, socklen_t len);
socklen_t host_put(const struct host *host, int family,
		   struct sockaddr_storage *to);
void host_copy_out(const struct host *host, int family, void *name,
		   socklen_t *len);
bool host_same(const struct host *a, const struct host *b);
bool host_is_ipv4(const struct host *host);
bool host_is_any(const struct host *host);
const char *host_text(const struct host *host, char *text);

/* ---- peer.c: from IP addresses to peers, and back */

enum cause peer_find(const struct host *host, int fd, int flags,
		     struct sockaddr_ttp *to);
void peer_name(const struct sockaddr_ttp *from, int family, bool only_ipv6,
	       struct host *host);
void peer_local(const struct host *peer, int ifindex, struct host *local);
void peer_silent(const struct sockaddr_ttp *addr);
uint64_t peer_cookie(const struct host *host);
bool peer_from_cookie(uint64_t cookie, const struct sockaddr_ttp *from,
		      struct host *host);

/* ---- sock.c: descriptors and what is known of them */

/* Options that are remembered, for the socket that takes its place */
#define SOCK_OPTIONS	48
#define SOCK_VALUE	32

struct option {
	int		level;
	int		name;
	socklen_t	len;
	char		value[SOCK_VALUE];
};

#define SOCK_WATCHES	16

struct watch {
	int			epfd;
	int			fd;
	struct epoll_event	event;
};

enum state {
	SOCK_FRESH = 1,		/* UDP so far, nothing is decided */
	SOCK_TTP,
};

/* Addresses that have sent us requests, by hash */
#define SOCK_SEEN	256

/* Requests that nobody has answered, beyond which one-way messages follow */
#define SOCK_OPEN	256

/* Messages sent without a receive call, after which failures are looked for:
 * unread ones count against SO_SNDBUF, and some programs only send
 */
#define SOCK_SENDS	64

/**
 * struct sock - a socket of the program; protected by the lock of sock.c
 * @gen: grows when it ends: the memory stays, and is used again
 * @fds: descriptors
 * @family: AF_INET or AF_INET6
 * @state: whether it is UDP still
 * @bound: by the program
 * @auto_port: by the program, but without a port
 * @connected: to @remote, which is @to
 * @proven: something was received over TTP
 * @oneway: one-way messages were sent
 * @more: a message is under construction (MSG_MORE), for @more_to
 * @more_len: bytes of it so far
 * @n_options: used of @options
 * @n_watches: used of @watches
 * @open: own requests without an answer, about
 * @sends: since the last receive call
 * @error: to be returned by the next call
 * @forks: of the process before it was made
 * @local: what getsockname() says
 * @copies: datagrams that may have to be sent again, by UDP
 * @seen: see SOCK_SEEN
 */
struct sock {
	unsigned int		gen;
	unsigned int		fds;
	int			family;
	enum state		state;
	bool			bound;
	bool			auto_port;
	bool			connected;
	bool			proven;
	bool			oneway;
	bool			more;
	size_t			more_len;
	unsigned int		n_options;
	unsigned int		n_watches;
	unsigned int		open;
	unsigned int		sends;
	int			error;
	unsigned int		forks;
	struct host		local;
	struct host		remote;
	struct sockaddr_ttp	to;
	struct sockaddr_ttp	more_to;
	struct copies		*copies;
	struct sock		*next_free;
	struct option		options[SOCK_OPTIONS];
	struct watch		watches[SOCK_WATCHES];
	uint32_t		seen[SOCK_SEEN];
};

extern __thread bool sock_inside __attribute__((tls_model("initial-exec")));

void sock_init(void);
void sock_lock(sigset_t *old);
void sock_unlock(const sigset_t *old);
struct sock *sock_of(int fd);
bool sock_is(const struct sock *s, unsigned int gen, int fd);
struct sock *sock_new(int fd, int family);
void sock_adopt(int fd, int family);
void sock_forget_all(struct sock *s);
void sock_forget(int fd);
void sock_also(int fd, int new_fd);
int sock_next(const struct sock *s, int fd);
void sock_watch(int epfd, int op, int fd, const struct epoll_event *event);
void sock_unwatch(int epfd);
bool sock_may_change(void);
bool sock_note_option(struct sock *s, int level, int name, const void *value,
		      socklen_t len);
const struct option *sock_option(const struct sock *s, int level, int name);
bool sock_flag(const struct sock *s, int level, int name);
bool sock_from(struct sock *s, const struct sockaddr_ttp *from, bool note);
int sock_take_error(struct sock *s, unsigned int gen, int fd);
bool sock_nonblocking(int fd);
bool sock_shared(const struct sock *s);
void sock_each(void (*fn)(int fd));

/* ---- tags.c: requests of others that are not answered */

void tags_init(void);
void tags_add(const struct sock *s, const struct sockaddr_ttp *from);
bool tags_take(const struct sock *s, struct sockaddr_ttp *to);
void tags_put_back(const struct sock *s, const struct sockaddr_ttp *to);
void tags_drop(const struct sock *s, const struct sockaddr_ttp *addr);

/* ---- copy.c: datagrams that may have to be sent again */

void copy_keep(struct sock *s, uint64_t cookie, const struct host *to,
	       const struct msghdr *msg, size_t len);
void copy_forget(struct sock *s, uint64_t cookie);
void copy_drop(struct sock *s);
bool copy_only(const struct sock *s, const struct host *to);
void copy_send(struct copies *copies, int fd, int family, bool connected);
void copy_free(struct copies *copies);
struct copies *copy_take(struct sock *s);

/* ---- turn.c: from UDP to TTP and back */

enum cause turn_bound(int fd, const struct host *local, bool auto_port);
enum cause turn_connected(int fd, const struct host *remote);
enum cause turn_sending(int fd, const struct host *remote, int flags);
int turn_reconnect(int fd, const struct host *remote);
int turn_udp(int fd, enum cause cause, const char *what);
void turn_plain(int fd, enum cause cause, const char *what);
int turn_spare(const struct sock *s, bool connected);

/* ---- option.c */

int option_set(int fd, int level, int name, const void *value, socklen_t len);
int option_get(int fd, int level, int name, void *value, socklen_t *len);
void option_replay(const struct sock *s, int fd);
void option_for_ttp(const struct sock *s, int fd);

/* ---- send.c, recv.c, wait.c */

ssize_t send_message(int fd, const struct msghdr *msg, int flags);
void send_drain(int fd);
ssize_t recv_message(int fd, struct msghdr *msg, int flags);
bool recv_swallow(int fd);

/* ---- control.c: control messages as UDP has them */

void control_out(const struct sock *s, const struct sockaddr_ttp *from,
		 const struct host *peer, struct msghdr *got,
		 struct msghdr *msg, size_t size);
int control_check(const struct msghdr *msg, size_t len);

#endif /* _TTPRUN_RUN_H */
