// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets by io_uring: single shots, many shots, without a copy, in chains.
 */
#include <liburing.h>
#include <sys/utsname.h>

#include "ttp_test.h"

static char out[MB(1)], in[MB(1) + 1];

FIXTURE(ttp_uring) {
	int c;			/* client, in h1, connected */
	int s;			/* server */
	struct sockaddr_ttp to;	/* its address */
	struct io_uring ring;
};

FIXTURE_VARIANT(ttp_uring) {
	int host;		/* of the server */
};

FIXTURE_VARIANT_ADD(ttp_uring, wire) { 2 };
FIXTURE_VARIANT_ADD(ttp_uring, loop) { 1 };

FIXTURE_SETUP(ttp_uring)
{
	self->s = server(variant->host);
	ASSERT_LE(0, self->s);
	self->to = addr_of(variant->host, port_of(self->s));
	self->c = sock(1);
	ASSERT_LE(0, self->c);
	ASSERT_EQ(0, connect_to(self->c, self->to));
	ASSERT_EQ(0, io_uring_queue_init(64, &self->ring, 0));
}

FIXTURE_TEARDOWN(ttp_uring)
{
	io_uring_queue_exit(&self->ring);
	close(self->c);
	close(self->s);
}

static bool kernel_is_6_1(void)
{
	struct utsname name;

	return !uname(&name) && !strncmp(name.release, "6.1.", 4);
}

/* The next completion of what has this mark; its flags */
static long done(struct io_uring *ring, uint64_t mark, unsigned int *flags)
{
	struct __kernel_timespec limit = { .tv_sec = 10 };
	struct io_uring_cqe *cqe;
	long ret;

	io_uring_submit(ring);
	ret = io_uring_wait_cqe_timeout(ring, &cqe, &limit);
	if (ret)
		return ret;
	ret = cqe->user_data == mark ? cqe->res : -EPROTO;
	if (flags)
		*flags = cqe->flags;
	io_uring_cqe_seen(ring, cqe);
	return ret;
}

static bool idle(struct io_uring *ring)
{
	struct io_uring_cqe *cqe;

	io_uring_submit(ring);
	return io_uring_peek_cqe(ring, &cqe) == -EAGAIN;
}

static struct io_uring_sqe *next(struct io_uring *ring, uint64_t mark)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

	sqe->user_data = mark;
	return sqe;
}

/* As the prep functions forget the mark, where it is given before them */
#define DO(mark, prep, ...) ({						\
	struct io_uring_sqe *__sqe = next(&self->ring, mark);		\
	io_uring_prep_##prep(__sqe, ##__VA_ARGS__);			\
	__sqe->user_data = mark;					\
	__sqe;								\
})

TEST_F(ttp_uring, a_request_and_its_answer)
{
	struct sockaddr_ttp from;
	struct iovec iov = { in, sizeof(in) };
	struct msghdr msg = {
		.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};

	fill(out, 100000, 1);
	DO(1, send, self->c, out, 100000, 0);
	EXPECT_EQ(100000, done(&self->ring, 1, NULL));
	DO(2, recvmsg, self->s, &msg, 0);
	ASSERT_EQ(100000, done(&self->ring, 2, NULL));
	EXPECT_TRUE(filled(in, 100000, 1));
	EXPECT_EQ(sizeof(from), msg.msg_namelen);
	EXPECT_NE(0, from.sttp_rpc);
	iov.iov_len = 3000;
	DO(3, sendmsg, self->s, &msg, 0);
	EXPECT_EQ(3000, done(&self->ring, 3, NULL));
	DO(4, recv, self->c, out, sizeof(out), 0);
	ASSERT_EQ(3000, done(&self->ring, 4, NULL));
	EXPECT_TRUE(filled(out, 3000, 1));
}

TEST_F(ttp_uring, a_receive_that_waits)
{
	DO(1, recv, self->s, in, sizeof(in), 0);
	EXPECT_TRUE(idle(&self->ring));
	ASSERT_EQ(3, R(send(self->c, "abc", 3, 0)));
	EXPECT_EQ(3, done(&self->ring, 1, NULL));
	EXPECT_EQ(0, memcmp(in, "abc", 3));
}

TEST_F(ttp_uring, several_that_wait_get_one_message_each)
{
	unsigned int seen = 0;
	struct io_uring_cqe *cqe;
	int i;

	for (i = 0; i < 8; i++)
		DO(i, recv, self->s, in + i, 1, 0);
	EXPECT_TRUE(idle(&self->ring));
	for (i = 0; i < 8; i++)
		ASSERT_EQ(1, R(send(self->c, "abcdefgh" + i, 1, 0)));
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, io_uring_wait_cqe(&self->ring, &cqe));
		EXPECT_EQ(1, cqe->res);
		seen |= 1 << (in[cqe->user_data] - 'a');
		io_uring_cqe_seen(&self->ring, cqe);
	}
	EXPECT_EQ(0xff, seen);
	EXPECT_TRUE(idle(&self->ring));
}

TEST_F(ttp_uring, a_send_that_waits_for_room)
{
	struct sockaddr_ttp nowhere = addr_of(0, 7);

	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_SNDBUF, 12000));
	ASSERT_EQ(0, connect_to(self->c, nowhere));
	ASSERT_EQ(18000, R(send(self->c, out, 18000, 0)));
	ASSERT_EQ(0, connect_to(self->c, self->to));
	DO(1, send, self->c, out, 18000, 0);
	EXPECT_TRUE(idle(&self->ring));
	ASSERT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(18000, done(&self->ring, 1, NULL));
	EXPECT_EQ(18000, get_len(self->s));
}

TEST_F(ttp_uring, failures_are_results)
{
	struct sockaddr_ttp nobody = addr_of(variant->host, 9);

	ASSERT_EQ(0, connect_to(self->c, nobody));
	DO(1, recv, self->c, in, sizeof(in), 0);
	EXPECT_TRUE(idle(&self->ring));
	DO(2, send, self->c, "x", 1, 0);
	EXPECT_EQ(1, done(&self->ring, 2, NULL));
	EXPECT_EQ(-ECONNREFUSED, done(&self->ring, 1, NULL));
	DO(3, send, self->c, NULL, 9, 0);
	EXPECT_EQ(-EFAULT, done(&self->ring, 3, NULL));
	DO(4, recv, self->c, in, 1, MSG_DONTWAIT);
	EXPECT_EQ(-EAGAIN, done(&self->ring, 4, NULL));
	ASSERT_EQ(0, shutdown(self->c, SHUT_RDWR));
	DO(5, recv, self->c, in, 1, 0);
	EXPECT_EQ(0, done(&self->ring, 5, NULL));
	DO(6, send, self->c, "x", 1, MSG_NOSIGNAL);
	EXPECT_EQ(-EPIPE, done(&self->ring, 6, NULL));
}

TEST_F(ttp_uring, shutdown_ends_what_waits)
{
	DO(1, recv, self->s, in, 1, 0);
	EXPECT_TRUE(idle(&self->ring));
	ASSERT_EQ(0, shutdown(self->s, SHUT_RD));
	EXPECT_EQ(0, done(&self->ring, 1, NULL));
}

TEST_F(ttp_uring, what_is_cancelled_takes_nothing)
{
	struct io_uring_cqe *cqe;
	int i, both = 0;

	DO(1, recv, self->s, in, 1, 0);
	EXPECT_TRUE(idle(&self->ring));
	DO(2, cancel64, 1, 0);
	for (i = 0; i < 2; i++) {
		io_uring_submit(&self->ring);
		ASSERT_EQ(0, io_uring_wait_cqe(&self->ring, &cqe));
		EXPECT_EQ(cqe->user_data == 1 ? -ECANCELED : 0, cqe->res);
		both |= cqe->user_data;
		io_uring_cqe_seen(&self->ring, cqe);
	}
	EXPECT_EQ(3, both);
	ASSERT_EQ(1, R(send(self->c, "x", 1, 0)));
	EXPECT_EQ(1, get_len(self->s));
}

TEST_F(ttp_uring, a_ring_that_goes_takes_nothing)
{
	struct io_uring ring;

	ASSERT_EQ(0, io_uring_queue_init(4, &ring, 0));
	io_uring_prep_recv(io_uring_get_sqe(&ring), self->s, in, 1, 0);
	EXPECT_TRUE(idle(&ring));
	io_uring_queue_exit(&ring);
	sleep_ms(20);
	ASSERT_EQ(1, R(send(self->c, "x", 1, 0)));
	EXPECT_EQ(1, get_len(self->s));
}

TEST_F(ttp_uring, a_call_is_a_chain)
{
	struct __kernel_timespec limit = { .tv_sec = 5 };
	char reply[16];
	int i;

	/* send, then receive, within a time; beside it the server's two */
	for (i = 0; i < 10; i++) {
		DO(1, send, self->c, "ping", 4, 0)->flags |= IOSQE_IO_LINK;
		DO(2, recv, self->c, reply, sizeof(reply), 0)->flags |=
			IOSQE_IO_LINK;
		DO(3, link_timeout, &limit, 0);
		EXPECT_EQ(4, done(&self->ring, 1, NULL));
		EXPECT_EQ(2, put(self->s, "ok", 2, 0, get_request(self->s)));
		EXPECT_EQ(2, done(&self->ring, 2, NULL));
		EXPECT_EQ(-ECANCELED, done(&self->ring, 3, NULL));
	}
}

TEST_F(ttp_uring, parts_of_a_message_in_a_chain)
{
	DO(1, send, self->c, "abc", 3, MSG_MORE)->flags |= IOSQE_IO_LINK;
	DO(2, send, self->c, "def", 3, 0);
	EXPECT_EQ(3, done(&self->ring, 1, NULL));
	EXPECT_EQ(3, done(&self->ring, 2, NULL));
	EXPECT_EQ(6, R(recv(self->s, in, 9, 0)));
	EXPECT_EQ(0, memcmp(in, "abcdef", 6));
}

TEST_F(ttp_uring, poll_tells_the_state)
{
	DO(1, poll_add, self->s, POLLIN);
	EXPECT_TRUE(idle(&self->ring));
	ASSERT_EQ(1, R(send(self->c, "x", 1, 0)));
	EXPECT_EQ(POLLIN, done(&self->ring, 1, NULL));
	DO(2, poll_add, self->c, POLLOUT);
	EXPECT_EQ(POLLOUT, done(&self->ring, 2, NULL));
}

#ifndef SOCKET_URING_OP_SIOCINQ
#define SOCKET_URING_OP_SIOCINQ		0
#define SOCKET_URING_OP_SIOCOUTQ	1
#endif

TEST_F(ttp_uring, what_is_queued)
{
	struct sockaddr_ttp nowhere = addr_of(0, 7);
	struct io_uring_sqe *sqe;
	int op;

	if (kernel_is_6_1())	/* it has no commands for sockets */
		return;
	ASSERT_EQ(700, R(send(self->c, out, 700, 0)));
	ASSERT_TRUE(WAIT_FOR(inq(self->s) == 700));
	ASSERT_TRUE(WAIT_FOR(events(self->s) & POLLIN));
	ASSERT_EQ(0, connect_to(self->c, nowhere));
	ASSERT_EQ(50, R(send(self->c, out, 50, 0)));
	for (op = 0; op < 2; op++) {
		sqe = next(&self->ring, op);
		io_uring_prep_rw(IORING_OP_URING_CMD, sqe,
				 op ? self->c : self->s, NULL, 0, 0);
		/* cmd_op, for which this liburing has no name */
		sqe->off = op ? SOCKET_URING_OP_SIOCOUTQ :
				SOCKET_URING_OP_SIOCINQ;
		sqe->user_data = op;
		EXPECT_EQ(op ? outq(self->c) : 700,
			  done(&self->ring, op, NULL));
	}
}

/* Many shots, into buffers that the ring chooses */

#define BUFS	16U
#define BUF	4096U

struct bufs {
	struct io_uring_buf_ring *ring;
	char *data;
};

static long make_bufs(struct io_uring *ring, struct bufs *bufs)
{
	struct io_uring_buf_reg reg = { .ring_entries = BUFS, .bgid = 1 };
	size_t size = BUFS * sizeof(struct io_uring_buf);
	unsigned int i;
	long ret;

	bufs->ring = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bufs->data = calloc(BUFS, BUF);
	reg.ring_addr = (uintptr_t)bufs->ring;
	ret = io_uring_register_buf_ring(ring, &reg, 0);
	if (ret)
		return ret;
	io_uring_buf_ring_init(bufs->ring);
	for (i = 0; i < BUFS; i++)
		io_uring_buf_ring_add(bufs->ring, bufs->data + BUF * i, BUF, i,
				      BUFS - 1, i);
	io_uring_buf_ring_advance(bufs->ring, BUFS);
	return 0;
}

static char *buf_of(struct bufs *bufs, unsigned int flags)
{
	return bufs->data + BUF * (flags >> IORING_CQE_BUFFER_SHIFT);
}

static void give_back(struct bufs *bufs, unsigned int flags)
{
	io_uring_buf_ring_add(bufs->ring, buf_of(bufs, flags), BUF,
			      flags >> IORING_CQE_BUFFER_SHIFT, BUFS - 1, 0);
	io_uring_buf_ring_advance(bufs->ring, 1);
}

static void many(struct io_uring_sqe *sqe)
{
	sqe->buf_group = 1;
	sqe->flags |= IOSQE_BUFFER_SELECT;
}

TEST_F(ttp_uring, one_recv_for_many_messages)
{
	unsigned int flags = IORING_CQE_F_MORE, i, n, got;
	struct bufs bufs;

	ASSERT_EQ(0, make_bufs(&self->ring, &bufs));
	many(DO(1, recv_multishot, self->s, NULL, 0, 0));
	EXPECT_TRUE(idle(&self->ring));
	for (i = 0; i < 100; i += n) {
		n = 1 + i % 8;
		for (got = 0; got < n; got++) {
			fill(out, 1000 + i + got, i + got);
			ASSERT_EQ(1000 + i + got,
				  R(send(self->c, out, 1000 + i + got, 0)));
		}
		for (got = 0; got < n; got++) {
			ASSERT_EQ(1000 + i + got,
				  done(&self->ring, 1, &flags));
			ASSERT_TRUE(flags & IORING_CQE_F_MORE);
			ASSERT_TRUE(flags & IORING_CQE_F_BUFFER);
			ASSERT_TRUE(filled(buf_of(&bufs, flags), 1000 + i + got,
					   i + got));
			give_back(&bufs, flags);
		}
	}
	/* without a buffer the message stays, and the shots are over */
	for (i = 0; i < BUFS + 1; i++)
		ASSERT_EQ(9, R(send(self->c, out, 9, 0)));
	for (i = 0; i < BUFS; i++)
		ASSERT_EQ(9, done(&self->ring, 1, &flags));
	EXPECT_EQ(-ENOBUFS, done(&self->ring, 1, &flags));
	EXPECT_FALSE(flags & IORING_CQE_F_MORE);
	EXPECT_EQ(9, get_len(self->s));
}

TEST_F(ttp_uring, one_recvmsg_for_many_messages)
{
	struct msghdr msg = {
		.msg_namelen = sizeof(struct sockaddr_ttp),
		.msg_controllen = CMSG_SPACE(sizeof(struct ttp_info)),
	};
	struct io_uring_recvmsg_out *o;
	struct sockaddr_ttp *from;
	struct cmsghdr *cmsg;
	struct ttp_info info;
	unsigned int i, flags;
	struct bufs bufs;
	long n;

	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_RECVINFO, 1));
	ASSERT_EQ(0, make_bufs(&self->ring, &bufs));
	many(DO(1, recvmsg_multishot, self->s, &msg, 0));
	EXPECT_TRUE(idle(&self->ring));
	for (i = 0; i < 50; i++) {
		/* an empty message would end the shots, as the end does */
		n = 1 + i * 13;
		fill(out, n, i);
		ASSERT_EQ(n, R(send(self->c, out, n, 0)));
		ASSERT_LT(n, done(&self->ring, 1, &flags));
		ASSERT_TRUE(flags & IORING_CQE_F_MORE);
		o = (void *)buf_of(&bufs, flags);
		ASSERT_EQ(n, o->payloadlen);
		ASSERT_EQ(sizeof(*from), o->namelen);
		from = io_uring_recvmsg_name(o);
		cmsg = io_uring_recvmsg_cmsg_firsthdr(o, &msg);
		ASSERT_NE(NULL, cmsg);
		ASSERT_EQ(SOL_TTP, cmsg->cmsg_level);
		ASSERT_EQ(TTP_INFO, cmsg->cmsg_type);
		memcpy(&info, CMSG_DATA(cmsg), sizeof(info));
		EXPECT_EQ(TTP_KIND_REQUEST, info.kind);
		EXPECT_EQ(n, info.length);
		EXPECT_TRUE(filled(io_uring_recvmsg_payload(o, &msg), n, i));
		ASSERT_EQ(2, put(self->s, "ok", 2, 0, *from));
		EXPECT_EQ(2, get_len(self->c));
		give_back(&bufs, flags);
	}
}

/* Without a copy */

/* A send without a copy has two completions: sent, and not needed any more */
static long done_zc(struct io_uring *ring, uint64_t mark, bool *told)
{
	unsigned int flags;
	long ret;

	*told = false;
	ret = done(ring, mark, &flags);
	if (ret >= 0 && !(flags & IORING_CQE_F_MORE))
		return -EPROTO;
	if (flags & IORING_CQE_F_NOTIF)
		return -EPROTO;
	*told = flags & IORING_CQE_F_MORE;
	return ret;
}

static long done_notif(struct io_uring *ring, uint64_t mark)
{
	unsigned int flags = 0;
	long ret;

	ret = done(ring, mark, &flags);
	return ret < 0 || !(flags & IORING_CQE_F_NOTIF) ? -EPROTO : 0;
}

TEST_F(ttp_uring, send_zc)
{
	static const size_t sizes[] = { 0, 1, 2048, 2049, 65537, MB(1) };
	struct got got;
	unsigned int i;
	size_t n;
	bool told;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		n = sizes[i];
		fill(out, n, i);
		DO(1, send_zc, self->c, out, n, 0, 0);
		ASSERT_EQ(n, done_zc(&self->ring, 1, &told));
		ASSERT_EQ(n, get(self->s, in, sizeof(in), 0, &got));
		ASSERT_TRUE(filled(in, n, i));
		ASSERT_EQ(0, put(self->s, NULL, 0, 0, got.from));
		EXPECT_EQ(0, get_len(self->c));
		EXPECT_EQ(0, done_notif(&self->ring, 1));
	}
	EXPECT_EQ(0, events(self->c) & POLLERR);
}

TEST_F(ttp_uring, send_zc_is_told_at_the_end)
{
	struct sockaddr_ttp nowhere = addr_of(0, 7);
	bool told;

	ASSERT_EQ(0, connect_to(self->c, nowhere));
	DO(1, send_zc, self->c, out, 50000, 0, 0);
	ASSERT_EQ(50000, done_zc(&self->ring, 1, &told));
	sleep_ms(50);
	EXPECT_TRUE(idle(&self->ring));
	ASSERT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(0, done_notif(&self->ring, 1));
}

TEST_F(ttp_uring, send_zc_of_registered_memory)
{
	struct iovec iov = { out, sizeof(out) };
	bool told;

	ASSERT_EQ(0, io_uring_register_buffers(&self->ring, &iov, 1));
	fill(out, sizeof(out), 7);
	DO(1, send_zc_fixed, self->c, out, sizeof(out), 0, 0, 0);
	ASSERT_EQ(sizeof(out), done_zc(&self->ring, 1, &told));
	ASSERT_EQ(sizeof(out), R(recv(self->s, in, sizeof(in), 0)));
	EXPECT_TRUE(filled(in, sizeof(out), 7));
	DO(2, send_zc_fixed, self->c, out + 777, 5000, 0, 0, 0);
	ASSERT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(0, done_notif(&self->ring, 1));
	ASSERT_EQ(5000, done_zc(&self->ring, 2, &told));
	ASSERT_EQ(5000, R(recv(self->s, in, sizeof(in), 0)));
	EXPECT_EQ(0, memcmp(in, out + 777, 5000));
	ASSERT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(0, done_notif(&self->ring, 2));
}

TEST_F(ttp_uring, sendmsg_zc_answers_by_tag)
{
	struct iovec iov[2] = { { out, 3000 }, { out + 5000, 40000 } };
	struct sockaddr_ttp from;
	struct msghdr msg = {
		.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = iov,
		.msg_iovlen = 2,
	};
	bool told;

	fill(out, 3000, 1);
	fill(out + 5000, 40000, 2);
	ASSERT_EQ(1, R(send(self->c, "x", 1, 0)));
	from = get_request(self->s);
	DO(1, sendmsg_zc, self->s, &msg, 0);
	ASSERT_EQ(43000, done_zc(&self->ring, 1, &told));
	ASSERT_EQ(43000, R(recv(self->c, in, sizeof(in), 0)));
	EXPECT_TRUE(filled(in, 3000, 1));
	EXPECT_TRUE(filled(in + 3000, 40000, 2));
	EXPECT_EQ(0, done_notif(&self->ring, 1));
}

TEST_F(ttp_uring, send_zc_that_fails)
{
	bool told;

	DO(1, send_zc, self->c, NULL, 9000, 0, 0);
	EXPECT_EQ(-EFAULT, done_zc(&self->ring, 1, &told));
	if (told)
		EXPECT_EQ(0, done_notif(&self->ring, 1));
	ASSERT_EQ(0, shutdown(self->c, SHUT_WR));
	DO(2, send_zc, self->c, out, 9000, MSG_NOSIGNAL, 0);
	EXPECT_EQ(-EPIPE, done_zc(&self->ring, 2, &told));
	if (told)
		EXPECT_EQ(0, done_notif(&self->ring, 2));
	EXPECT_TRUE(idle(&self->ring));
}

TEST_F(ttp_uring, a_ring_that_goes_while_its_pages_are_needed)
{
	struct sockaddr_ttp nowhere = addr_of(0, 7);
	struct io_uring ring;
	int i;

	ASSERT_EQ(0, connect_to(self->c, nowhere));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, io_uring_queue_init(4, &ring, 0));
		io_uring_prep_send_zc(io_uring_get_sqe(&ring), self->c, out,
				      20000, 0, 0);
		io_uring_submit(&ring);
		io_uring_queue_exit(&ring);
	}
	ASSERT_EQ(0, do_abort(self->c, 0));
}

FIXTURE(ttp_uring_end) { };
FIXTURE_SETUP(ttp_uring_end) { }
FIXTURE_TEARDOWN(ttp_uring_end) { }

TEST_F(ttp_uring_end, all_is_given_back)
{
	EXPECT_TRUE(quiet(1));
	EXPECT_TRUE(quiet(2));
}

TEST_HARNESS_MAIN
