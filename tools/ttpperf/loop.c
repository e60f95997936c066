// SPDX-License-Identifier: GPL-2.0
/*
 * The loop: sockets that are ready, and calls that are due.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

#include "ttpperf.h"

#define EVENTS	256
#define BURST	16

const struct generator *generator;
static int epoll = -1;
static bool stopped;

uint64_t now_ns(void)
{
	struct timespec t;

	if (opt.transport->now)
		return opt.transport->now();
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC + t.tv_nsec;
}

static void control(struct watch *w, int op, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.ptr = w };

	if (epoll < 0)
		epoll = epoll_create1(EPOLL_CLOEXEC);
	if (epoll < 0 || epoll_ctl(epoll, op, w->fd, &e))
		fatal("epoll: %s", strerror(errno));
}

void loop_add(struct watch *w, uint32_t events)
{
	control(w, EPOLL_CTL_ADD, events);
}

void loop_change(struct watch *w, uint32_t events)
{
	control(w, EPOLL_CTL_MOD, events);
}

void loop_stop(void)
{
	stopped = true;
}

/* How long to sleep; at most a second, for the sake of progress reports */
static struct timespec pause_until(uint64_t due_ns)
{
	uint64_t now = now_ns(), ns = due_ns > now ? due_ns - now : 0;

	if (ns > NSEC)
		ns = NSEC;
	return (struct timespec){ ns / NSEC, ns % NSEC };
}

static void wait_until(uint64_t due_ns)
{
	struct epoll_event e[EVENTS];
	struct timespec pause;
	struct watch *w;
	int i, n;

	if (opt.transport->wait) {
		opt.transport->wait(due_ns);
		return;
	}
	pause = pause_until(due_ns);
	n = epoll_pwait2(epoll, e, EVENTS, &pause, NULL);
	if (n < 0 && errno != EINTR)
		fatal("epoll: %s", strerror(errno));
	for (i = 0; i < n; i++) {
		w = e[i].data.ptr;
		w->ready(w, e[i].events);
	}
}

/* Look once, without waiting */
void loop_poll(void)
{
	if (epoll >= 0)
		wait_until(0);
}

void loop_run(void)
{
	unsigned int fired = 0;
	uint64_t due, now;

	stopped = false;
	while (!stopped) {
		due = generator ? generator->due() : UINT64_MAX;
		now = due == UINT64_MAX ? 0 : now_ns();
		if (due > now) {
			wait_until(due);
			continue;
		}
		generator->fire(now);
		/* Whoever is late with sending must not be late with reading */
		if (!stopped && ++fired % BURST == 0 && !opt.transport->wait)
			wait_until(0);
	}
}
