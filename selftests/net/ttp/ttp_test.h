/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For the ttp_*.c programs that use the kernel's test harness.  One process
 * plays all hosts (network namespaces h1, h2, ... of ttp_lib.sh): a socket
 * stays where it was made.  Calls return a negative errno when they fail.
 */
#ifndef _TTP_TEST_H
#define _TTP_TEST_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/sockios.h>
#include <linux/ttp.h>

#include "kselftest_harness.h"

#define KB(n)	((n) * 1024L)
#define MB(n)	((n) * 1024L * 1024)

/* Negative errno instead of -1 */
#define R(call) ({ long __r = (call); __r < 0 ? -(long)errno : __r; })

/* Run a shell command; its status */
static inline int __attribute__((format(printf, 1, 2)))
sh(const char *format, ...)
{
	char command[512];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	snprintf(command + n, sizeof(command) - n, " >/dev/null 2>&1");
	return system(command);
}

/* Hosts: 0 is where the program was started */

static inline void enter(int host)
{
	char path[32] = "/proc/1/ns/net";
	int fd;

	if (host)
		snprintf(path, sizeof(path), "/run/netns/h%d", host);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET)) {
		perror(path);
		abort();
	}
	close(fd);
}

static inline int sock(int host)
{
	enter(host);
	return R(socket(AF_TTP, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

static inline int ifindex(int host, const char *dev)
{
	enter(host);
	return if_nametoindex(dev);
}

/* As mac() in hosts.sh; 0 as a host that does not exist */
static inline struct sockaddr_ttp addr_of(int host, int port)
{
	return (struct sockaddr_ttp) {
		.sttp_family = AF_TTP,
		.sttp_port = htons(port),
		.sttp_addr = { 2, 0, 0, 0, host ? 0 : 0x99, host },
	};
}

static inline struct sockaddr_ttp own_addr(int fd)
{
	struct sockaddr_ttp addr = {};
	socklen_t len = sizeof(addr);

	getsockname(fd, (void *)&addr, &len);
	return addr;
}

static inline int port_of(int fd)
{
	return ntohs(own_addr(fd).sttp_port);
}

static inline long bind_to(int fd, int port, int ifindex)
{
	struct sockaddr_ttp addr = {
		.sttp_family = AF_TTP,
		.sttp_port = htons(port),
		.sttp_ifindex = ifindex,
	};

	return R(bind(fd, (void *)&addr, sizeof(addr)));
}

/* A socket that takes requests, on some port */
static inline int server(int host)
{
	int fd = sock(host);

	return fd < 0 || bind_to(fd, 0, 0) ? -1 : fd;
}

static inline long connect_to(int fd, struct sockaddr_ttp addr)
{
	return R(connect(fd, (void *)&addr, sizeof(addr)));
}

/* Options */

static inline long set_opt(int fd, int level, int name, int value)
{
	return R(setsockopt(fd, level, name, &value, sizeof(value)));
}

static inline long get_opt(int fd, int level, int name)
{
	socklen_t len = sizeof(int);
	int value = -1;

	return getsockopt(fd, level, name, &value, &len) ? -errno : value;
}

static inline long set_time(int fd, int name, int ms)
{
	struct timeval tv = { ms / 1000, ms % 1000 * 1000 };

	return R(setsockopt(fd, SOL_SOCKET, name, &tv, sizeof(tv)));
}

static inline struct ttp_status status_of(int fd)
{
	struct ttp_status status = {};
	socklen_t len = sizeof(status);

	getsockopt(fd, SOL_TTP, TTP_STATUS, &status, &len);
	return status;
}

static inline long do_abort(int fd, uint64_t cookie)
{
	return R(setsockopt(fd, SOL_TTP, TTP_ABORT, &cookie, sizeof(cookie)));
}

static inline int inq(int fd)
{
	int n = -1;

	return ioctl(fd, SIOCINQ, &n) ? -errno : n;
}

static inline int outq(int fd)
{
	int n = -1;

	return ioctl(fd, SIOCOUTQ, &n) ? -errno : n;
}

/* Messages */

static inline long put(int fd, const void *buf, size_t len, int flags,
		       struct sockaddr_ttp addr)
{
	return R(sendto(fd, buf, len, flags, (void *)&addr, sizeof(addr)));
}

static inline long put_how_flags(int fd, const void *buf, size_t len, int flags,
				 struct sockaddr_ttp addr, struct ttp_send how)
{
	union {
		char buf[CMSG_SPACE(sizeof(how))];
		struct cmsghdr align;
	} control = {};
	struct iovec iov = { (void *)buf, len };
	struct msghdr msg = {
		.msg_name = &addr,
		.msg_namelen = sizeof(addr),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_TTP;
	cmsg->cmsg_type = TTP_SEND;
	cmsg->cmsg_len = CMSG_LEN(sizeof(how));
	memcpy(CMSG_DATA(cmsg), &how, sizeof(how));
	return R(sendmsg(fd, &msg, flags));
}

static inline long put_how(int fd, const void *buf, size_t len,
			   struct sockaddr_ttp addr, struct ttp_send how)
{
	return put_how_flags(fd, buf, len, 0, addr, how);
}

/* What the last receive call returned besides the bytes */
struct got {
	struct sockaddr_ttp from;
	socklen_t fromlen;
	int flags;
	bool has_info;
	struct ttp_info info;
};

static inline long get(int fd, void *buf, size_t len, int flags,
		       struct got *got)
{
	union {
		char buf[CMSG_SPACE(sizeof(struct ttp_info))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { buf, len };
	struct msghdr msg = {
		.msg_name = &got->from,
		.msg_namelen = sizeof(got->from),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;
	long ret;

	memset(got, 0xff, sizeof(*got));
	got->has_info = false;
	ret = R(recvmsg(fd, &msg, flags));
	got->fromlen = msg.msg_namelen;
	got->flags = msg.msg_flags;
	if (ret < 0)
		return ret;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (cmsg && cmsg->cmsg_level == SOL_TTP &&
	    cmsg->cmsg_type == TTP_INFO &&
	    cmsg->cmsg_len == CMSG_LEN(sizeof(got->info))) {
		memcpy(&got->info, CMSG_DATA(cmsg), sizeof(got->info));
		got->has_info = true;
	}
	return ret;
}

/* Receive a request of any length, and forget it; where to answer */
static inline struct sockaddr_ttp get_request(int fd)
{
	struct got got;

	if (get(fd, NULL, 0, 0, &got) < 0)
		memset(&got.from, 0, sizeof(got.from));
	return got.from;
}

static inline long get_len(int fd)
{
	return R(recv(fd, NULL, 0, MSG_TRUNC));
}

/* Bytes that depend on their place and on a seed */
static inline void fill(void *buf, size_t len, unsigned int seed)
{
	unsigned char *p = buf;
	size_t i;

	for (i = 0; i < len; i++)
		p[i] = seed + i + (i >> 8) * 7;
}

static inline bool filled(const void *buf, size_t len, unsigned int seed)
{
	const unsigned char *p = buf;
	size_t i;

	for (i = 0; i < len; i++)
		if (p[i] != (unsigned char)(seed + i + (i >> 8) * 7))
			return false;
	return true;
}

/* poll() events there are now, or within some time */
static inline int events_in(int fd, int events, int ms)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, ms) < 0 ? -errno : p.revents;
}

#define POLL_ALL (POLLIN | POLLOUT | POLLERR | POLLHUP | POLLRDHUP)

static inline int events(int fd)
{
	return events_in(fd, POLL_ALL, 0);
}

/* Time */

static inline long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static inline void sleep_ms(int ms)
{
	usleep(ms * 1000);
}

/* Where time is that of a busy machine, everything may take much longer */
static inline long at_most(long ms)
{
	const char *kernel = getenv("LAB_KERNEL");

	return kernel && !strncmp(kernel, "uml", 3) ? ms : 10 * ms;
}

/*
 * Timers that count in ticks: where a CPU is taken away for a while, the ticks
 * that it missed come at once
 */
static inline long at_least(long ms)
{
	return at_most(ms) == ms ? ms - 1 : ms * 3 / 4;
}

/* Wait for a condition, up to 10 s */
#define WAIT_FOR(condition) ({						\
	int __tries = 2000;						\
	while (!(condition) && --__tries)				\
		sleep_ms(5);						\
	__tries > 0;							\
})

/* Counters of a host */

static inline long counter(int host, const char *name)
{
	char line[128], word[64];
	long value, found = -1;
	FILE *f;

	enter(host);
	f = fopen("/proc/thread-self/net/ttp/snmp", "r");
	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %ld", word, &value) == 2 &&
		    !strcmp(word, name))
			found = value;
	fclose(f);
	return found;
}

/* Have all RPCs ended, and is all memory given back? */
static inline bool quiet(int host)
{
	return WAIT_FOR(!counter(host, "TtpCurrRpcs") &&
			!counter(host, "TtpCurrMem"));
}

/* A call made in a thread of its own */

struct job {
	long (*fn)(struct job *job);
	int fd;
	size_t len;
	struct sockaddr_ttp addr;
	long ret;
	bool done;
	pid_t tid;
	pthread_t thread;
};

static inline void *job_main(void *arg)
{
	struct job *job = arg;

	__atomic_store_n(&job->tid, syscall(SYS_gettid), __ATOMIC_RELEASE);
	job->ret = job->fn(job);
	__atomic_store_n(&job->done, true, __ATOMIC_RELEASE);
	return NULL;
}

static inline bool task_sleeps(pid_t tid)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(f);
	return state == 'S';
}

static inline bool job_done(struct job *job)
{
	return __atomic_load_n(&job->done, __ATOMIC_ACQUIRE);
}

static inline void job_start(struct job *job)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 128 * 1024);
	if (pthread_create(&job->thread, &attr, job_main, job))
		abort();
	while (!__atomic_load_n(&job->tid, __ATOMIC_ACQUIRE))
		sleep_ms(1);
}

/* Has it come to wait in its call? */
static inline bool job_sleeps(struct job *job)
{
	bool sleeps = WAIT_FOR(job_done(job) || task_sleeps(job->tid));

	return sleeps && !job_done(job);
}

static inline bool job_start_sleeping(struct job *job)
{
	job_start(job);
	return job_sleeps(job);
}

static inline long job_end(struct job *job)
{
	pthread_join(job->thread, NULL);
	return job->ret;
}

static inline long job_recv(struct job *job)
{
	return get_len(job->fd);
}

static inline long job_send(struct job *job)
{
	char *buf = calloc(1, job->len);
	long ret;

	ret = put(job->fd, buf, job->len, 0, job->addr);
	free(buf);
	return ret;
}

#endif /* _TTP_TEST_H */
