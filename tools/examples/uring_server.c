// SPDX-License-Identifier: GPL-2.0
/*
 * Give every request back, as ttp_echo_server, by io_uring: the kernel puts
 * requests into buffers as they come, and each is answered from the buffer that
 * it is in.  A system call serves a batch of requests.
 *
 * One order receives again and again.  Where the kernel does not know how, or
 * with -p, there is an order for each buffer.
 */
#include "uring.h"

static unsigned int n_free, n_requests, n_batches;
static bool plain, armed;
static int fd;

static void receive_all(void)
{
	struct io_uring_sqe *sqe = order();

	io_uring_prep_recvmsg_multishot(sqe, fd, &layout, 0);
	io_uring_sqe_set_data64(sqe, RECEIVE_ALL);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = GROUP;
	armed = true;
}

/* The buffer is free, for one more request */
static void receive(unsigned int i)
{
	struct slot *s = &slots[i];
	struct io_uring_sqe *sqe;

	n_free++;
	s->sending = false;
	if (!plain) {
		io_uring_buf_ring_add(buffers, s->bytes, HEAD + LONGEST, i,
				      BUFFERS - 1, 0);
		io_uring_buf_ring_advance(buffers, 1);
		return;
	}
	s->iov = (struct iovec) { s->bytes, LONGEST };
	s->msg.msg_namelen = sizeof(s->addr);
	sqe = order();
	io_uring_prep_recvmsg(sqe, fd, &s->msg, 0);
	io_uring_sqe_set_data64(sqe, i);
}

/* Answer from the buffer, to s->addr */
static void answer(unsigned int i, void *bytes, size_t len)
{
	struct slot *s = &slots[i];
	struct io_uring_sqe *sqe = order();

	n_requests++;
	n_free--;
	s->sending = true;
	s->iov = (struct iovec) { bytes, len };
	s->msg.msg_namelen = sizeof(s->addr);
	io_uring_prep_sendmsg(sqe, fd, &s->msg, 0);
	io_uring_sqe_set_data64(sqe, i);
}

static void received_one_of_all(const struct io_uring_cqe *cqe)
{
	unsigned int i = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
	struct io_uring_recvmsg_out *out;

	armed = cqe->flags & IORING_CQE_F_MORE;
	if (cqe->res == -EINVAL && !n_requests) {
		plain = true;
		for (i = 0, n_free = 0; i < BUFFERS; i++)
			receive(i);
		return;
	}
	if (cqe->res == -ENOBUFS)	/* all of them are being answered */
		return;
	if (cqe->res < 0)
		errx(1, "receive: %s", strerror(-cqe->res));
	out = io_uring_recvmsg_validate(slots[i].bytes, cqe->res, &layout);
	if (!out)
		errx(1, "the kernel left too few bytes");
	memcpy(&slots[i].addr, io_uring_recvmsg_name(out), sizeof(slots[i].addr));
	answer(i, io_uring_recvmsg_payload(out, &layout),
	       io_uring_recvmsg_payload_length(out, cqe->res, &layout));
}

static bool done(const struct io_uring_cqe *cqe)
{
	unsigned int i = cqe->user_data;

	if (i == STOP)
		return true;
	if (i == RECEIVE_ALL) {
		received_one_of_all(cqe);
	} else if (slots[i].sending) {
		if (cqe->res < 0)
			warnx("%s: %s", name_of(&slots[i].addr),
			      strerror(-cqe->res));
		receive(i);
	} else {
		if (cqe->res < 0)
			errx(1, "receive: %s", strerror(-cqe->res));
		answer(i, slots[i].bytes, cqe->res);
	}
	return false;
}

int main(int argc, char **argv)
{
	uint32_t longest = LONGEST;
	struct io_uring_cqe *cqe;
	unsigned int head, n;
	bool stop = false;

	plain = argc == 3 && !strcmp(argv[1], "-p");
	if (argc != 2 + plain)
		errx(2, "usage: ttp_uring_server [-p] PORT");
	fd = server_socket(argv[1 + plain]);
	if (setsockopt(fd, SOL_TTP, TTP_MAX_MSG, &longest, sizeof(longest)))
		err(1, "TTP_MAX_MSG");
	set_up_ring(&plain);
	for (n = 0; n < BUFFERS; n++)
		receive(n);
	watch_signals();
	puts("ready");
	fflush(stdout);
	while (!stop) {
		if (!plain && !armed && n_free)
			receive_all();
		io_uring_submit_and_wait(&ring, 1);
		n_batches++;
		n = 0;
		io_uring_for_each_cqe(&ring, head, cqe) {
			stop |= done(cqe);
			n++;
		}
		io_uring_cq_advance(&ring, n);
	}
	printf("%s: %u requests in %u batches\n", plain ? "plain" : "multishot",
	       n_requests, n_batches);
	return 0;
}
