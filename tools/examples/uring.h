/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring of ttp_uring_server, and its buffers.
 */
#ifndef _TTP_EXAMPLE_URING_H
#define _TTP_EXAMPLE_URING_H

#include <liburing.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>

#include "example.h"

#define BUFFERS		64		/* a power of 2 */
#define LONGEST		(256 << 10)
#define GROUP		1

/* What an order is for: a buffer, by its number, or */
enum { RECEIVE_ALL = BUFFERS, STOP };

/* A buffer, and the message that is received or sent with it */
static struct slot {
	struct msghdr msg;
	struct iovec iov;
	struct sockaddr_ttp addr;
	bool sending;
	char *bytes;
} slots[BUFFERS];

/* What the kernel puts before the bytes of a request */
static struct msghdr layout = { .msg_namelen = sizeof(struct sockaddr_ttp) };
#define HEAD (sizeof(struct io_uring_recvmsg_out) + sizeof(struct sockaddr_ttp))

static struct io_uring ring;
static struct io_uring_buf_ring *buffers;
static struct io_uring_sqe *order(void)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

	if (!sqe)	/* there is one for each buffer, and two */
		errx(1, "the submission queue is full");
	return sqe;
}

/* @plain becomes true where buffers cannot be given to the ring */
static void set_up_ring(bool *plain)
{
	struct io_uring_buf_reg reg = {
		.ring_entries = BUFFERS,
		.bgid = GROUP,
	};
	const size_t page = 4096;
	int i, ret = io_uring_queue_init(BUFFERS + 2, &ring, 0);

	if (ret < 0)
		errx(1, "io_uring: %s", strerror(-ret));
	buffers = aligned_alloc(page, page);
	if (!buffers)
		err(1, "memory");
	reg.ring_addr = (uintptr_t)buffers;
	if (!*plain && io_uring_register_buf_ring(&ring, &reg, 0))
		*plain = true;
	io_uring_buf_ring_init(buffers);
	for (i = 0; i < BUFFERS; i++) {
		slots[i].msg.msg_name = &slots[i].addr;
		slots[i].msg.msg_iov = &slots[i].iov;
		slots[i].msg.msg_iovlen = 1;
		slots[i].bytes = malloc(HEAD + LONGEST);
		if (!slots[i].bytes)
			err(1, "memory");
	}
}

/* SIGTERM and SIGINT become completions */
static void watch_signals(void)
{
	struct io_uring_sqe *sqe = order();
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fd < 0)
		err(1, "signalfd");
	io_uring_prep_poll_add(sqe, fd, POLLIN);
	io_uring_sqe_set_data64(sqe, STOP);
}

#endif /* _TTP_EXAMPLE_URING_H */
