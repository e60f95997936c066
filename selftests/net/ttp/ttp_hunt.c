// SPDX-License-Identifier: GPL-2.0
/*
 * ttp_hunt [-n RPCS] [-t THREADS] [-u MICROSECONDS] [-l MILLISECONDS]
 *
 * Hunts for wake-ups that get lost: threads share a client's socket, as many
 * share a server's, each in a way of its own (blocking, after poll(), peeking
 * first, with a time limit), and signals interrupt them all the time, one
 * thread or another each few microseconds.  Each RPC must be answered once.
 * If nothing moves for a while, somebody sleeps who should not.
 */
#include <sys/prctl.h>

#include "ttp_test.h"

#define MAX_THREADS	64

static unsigned long rpcs = 1000000, signal_us = 10, patience_ms = 20000;
static unsigned int threads = 8;
static int client, serving;
static struct sockaddr_ttp to;

static unsigned long begun, answered, served, interrupted, signals;
static unsigned char *seen;
static pthread_t all[2 * MAX_THREADS];
static bool over;

static void __attribute__((noreturn, format(printf, 1, 2)))
fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("# ");
	vprintf(format, args);
	va_end(args);
	printf("\n# begun %lu, served %lu, answered %lu, interrupted %lu\n",
	       begun, served, answered, interrupted);
	printf("not ok 1 each RPC is answered once\n1..1\n");
	fflush(stdout);
	_exit(1);
}

static void on_signal(int __attribute__((unused)) sig)
{
	__atomic_add_fetch(&signals, 1, __ATOMIC_RELAXED);
}

static bool again(long ret)
{
	if (ret == -EINTR)
		__atomic_add_fetch(&interrupted, 1, __ATOMIC_RELAXED);
	return ret == -EINTR || ret == -EAGAIN;
}

static bool finished(void)
{
	return __atomic_load_n(&over, __ATOMIC_RELAXED);
}

/* Receive a number, as thread i does it; false at the end */
static bool take(int fd, unsigned int i, uint32_t *number,
		 struct sockaddr_ttp *from)
{
	socklen_t len;
	uint32_t peeked;
	long ret;

	do {
		len = sizeof(*from);
		if (i % 4 == 1) {
			struct pollfd p = { .fd = fd, .events = POLLIN };

			poll(&p, 1, 1000);
		} else if (i % 4 == 2) {
			recv(fd, &peeked, sizeof(peeked), MSG_PEEK);
		}
		if (finished())
			return false;
		ret = R(recvfrom(fd, number, sizeof(*number),
				 i % 4 == 1 ? MSG_DONTWAIT : 0, (void *)from,
				 &len));
	} while (again(ret));
	if (!ret)
		return false;		/* shut down */
	if (ret != sizeof(*number))
		fail("thread %u: received %ld", i, ret);
	return true;
}

static void give(int fd, unsigned int i, uint32_t number,
		 const struct sockaddr_ttp *addr)
{
	long ret;

	do
		ret = put(fd, &number, sizeof(number), 0, *addr);
	while (again(ret) && !finished());
	if (ret != sizeof(number) && !finished())
		fail("thread %u: sent %ld", i, ret);
}

static void *serve(void *arg)
{
	unsigned int i = (uintptr_t)arg;
	struct sockaddr_ttp from;
	uint32_t number;

	while (take(serving, i, &number, &from)) {
		give(serving, i, ~number, &from);
		__atomic_add_fetch(&served, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void *call(void *arg)
{
	unsigned int i = (uintptr_t)arg;
	struct sockaddr_ttp from;
	uint32_t number;

	for (;;) {
		number = __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
		if (number >= rpcs)
			break;
		give(client, i, number, &to);
		/* Perhaps that of another thread, which gets ours, then */
		if (!take(client, i, &number, &from))
			break;
		number = ~number;
		if (number >= rpcs || __atomic_fetch_add(seen + number, 1,
							 __ATOMIC_RELAXED))
			fail("thread %u: answer %u again", i, number);
		__atomic_add_fetch(&answered, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Signals for one and another, and a look at whether all still move */
static void disturb(void)
{
	unsigned long last = 0, now, i = 0;
	long since = now_ms();

	while ((now = __atomic_load_n(&answered, __ATOMIC_RELAXED)) < rpcs) {
		pthread_kill(all[i++ % (2 * threads)], SIGUSR1);
		usleep(signal_us);
		if (now != last)
			since = now_ms();
		last = now;
		if (now_ms() - since > (long)patience_ms)
			fail("nothing moves");
	}
}

static void *thread(unsigned int n, void *(*fn)(void *arg), unsigned int i)
{
	if (pthread_create(&all[n], NULL, fn, (void *)(uintptr_t)i))
		fail("no thread");
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = on_signal };
	unsigned int i;
	int c;

	while ((c = getopt(argc, argv, "n:t:u:l:")) != -1) {
		switch (c) {
		case 'n':
			rpcs = strtoul(optarg, NULL, 0);
			break;
		case 't':
			threads = strtoul(optarg, NULL, 0);
			break;
		case 'u':
			signal_us = strtoul(optarg, NULL, 0);
			break;
		case 'l':
			patience_ms = strtoul(optarg, NULL, 0);
			break;
		default:
			return 2;
		}
	}
	if (!threads || threads > MAX_THREADS)
		return 2;
	prctl(PR_SET_TIMERSLACK, 1);
	seen = calloc(rpcs, 1);
	serving = server(2);
	to = addr_of(2, port_of(serving));
	client = sock(1);
	sigaction(SIGUSR1, &act, NULL);
	for (i = 0; i < threads; i++) {
		thread(i, serve, i);
		thread(threads + i, call, i);
	}
	disturb();
	for (i = 0; i < threads; i++)
		pthread_join(all[threads + i], NULL);
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	shutdown(serving, SHUT_RD);
	for (i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
	if (served != rpcs)
		fail("too many answers");
	printf("# %lu RPCs of %u threads, %lu signals, %lu calls interrupted\n",
	       rpcs, threads, signals, interrupted);
	if (interrupted < rpcs / 100)
		fail("too few calls were interrupted to tell");
	printf("ok 1 each RPC is answered once\n1..1\n");
	return 0;
}
