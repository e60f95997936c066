// SPDX-License-Identifier: GPL-2.0
/*
 * Messages: flags of each kind, peeking, several at once, tags, sharing, and
 * what is as for UDP.  A client in h1, a server in h2.
 */
#include "contract.h"

static char buf[MB(1)];

FIXTURE(ttp_msg) {
	int c, s;
	struct sockaddr_ttp to;
};

FIXTURE_SETUP(ttp_msg)
{
	self->s = server(2);
	self->to = addr_of(2, port_of(self->s));
	self->c = sock(1);
	ASSERT_LE(0, self->c);
}

FIXTURE_TEARDOWN(ttp_msg)
{
	close(self->c);
	close(self->s);
}

static long try_get(int fd)
{
	return R(recv(fd, buf, sizeof(buf), MSG_DONTWAIT));
}

static bool waiting(int fd, unsigned int bytes)
{
	return WAIT_FOR(status_of(fd).rcv_bytes == bytes);
}

/* ---- flags */

TEST_F(ttp_msg, each_flag_of_a_send_call)
{
	/* what is ours to take, what others will take, and the kernel's own */
	const unsigned int fine = MSG_DONTWAIT | MSG_NOSIGNAL | MSG_CONFIRM |
				  MSG_EOR;
	const unsigned int later = MSG_MORE | MSG_ZEROCOPY;
	const unsigned int inside = 0x00010000 | 0x00040000 | 0x00080000 |
				    0x00100000 | 0x00200000 | 0x08000000 |
				    0x10000000 | 0x20000000 | 0x80000000;
	struct sockaddr_ttp tag;
	unsigned int flag;

	ASSERT_EQ(1, put(self->c, buf, 1, 0, self->to));
	tag = get_request(self->s);
	for (flag = 1; flag; flag <<= 1) {
		if (flag & (later | inside))
			continue;
		if (flag & fine) {
			EXPECT_EQ(3, put(self->c, buf, 3, flag, self->to));
			EXPECT_EQ(3, get_len(self->s));
			continue;
		}
		EXPECT_EQ(-EINVAL, put(self->c, buf, 3, flag, self->to));
		EXPECT_EQ(-EINVAL, put(self->s, buf, 3, flag, tag));
	}
	EXPECT_EQ(-EAGAIN, try_get(self->s));
	EXPECT_EQ(5, put(self->s, buf, 5, 0, tag));
	EXPECT_EQ(5, get_len(self->c));
}

TEST_F(ttp_msg, each_flag_of_a_receive_call)
{
	const unsigned int fine = MSG_DONTWAIT | MSG_PEEK | MSG_TRUNC |
				  MSG_WAITALL | MSG_CMSG_CLOEXEC | MSG_NOSIGNAL;
	unsigned int flag;

	ASSERT_EQ(3, put(self->c, buf, 3, 0, self->to));
	ASSERT_TRUE(waiting(self->s, 3));
	for (flag = 1; flag; flag <<= 1) {
		struct iovec iov = { buf, 2 };
		struct msghdr msg = { NULL, 0, &iov, 1 };

		if (flag == MSG_ERRQUEUE || flag == 0x80000000 ||
		    flag == 0x20000000 || flag == 0x10000000)
			continue;
		EXPECT_EQ(!(flag & fine) ? -EINVAL : flag == MSG_TRUNC ? 3 : 2,
			  R(recvmsg(self->s, &msg, flag | MSG_PEEK)));
		if (flag & fine)
			EXPECT_EQ(MSG_TRUNC, msg.msg_flags & ~MSG_CMSG_CLOEXEC);
	}
	EXPECT_EQ(3, get_len(self->s));
}

TEST_F(ttp_msg, peek_with_every_other_flag)
{
	static const int others[] = {
		0, MSG_TRUNC, MSG_WAITALL, MSG_DONTWAIT,
		MSG_TRUNC | MSG_WAITALL, MSG_TRUNC | MSG_DONTWAIT,
		MSG_WAITALL | MSG_DONTWAIT,
		MSG_TRUNC | MSG_WAITALL | MSG_DONTWAIT,
	};
	struct got first, got;
	unsigned int i, len;

	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_RECVINFO, 1));
	ASSERT_EQ(3, put(self->c, "abc", 3, 0, self->to));
	ASSERT_EQ(9, put(self->c, "012345678", 9, 0, self->to));
	ASSERT_TRUE(waiting(self->s, 12));
	ASSERT_EQ(3, get(self->s, buf, 9, MSG_PEEK, &first));
	for (i = 0; i < ARRAY_SIZE(others); i++)
		for (len = 0; len < 5; len++) {
			long ret = others[i] & MSG_TRUNC || len > 3 ? 3 : len;

			memset(buf, 0xff, 9);
			ASSERT_EQ(ret, get(self->s, buf, len,
					   MSG_PEEK | others[i], &got));
			EXPECT_EQ(0, memcmp(buf, "abc", len < 3 ? len : 3));
			EXPECT_TRUE(all(buf + (len < 3 ? len : 3), 0xff, 4));
			EXPECT_EQ(len < 3 ? MSG_TRUNC : 0,
				  got.flags & MSG_TRUNC);
			EXPECT_EQ(0, memcmp(&first.from, &got.from, 32));
			EXPECT_EQ(0, memcmp(&first.info, &got.info, INFO_LASTS));
			EXPECT_EQ(3, inq(self->s));
			EXPECT_EQ(12, status_of(self->s).rcv_bytes);
		}
	EXPECT_EQ(-EAGAIN, R(recv(self->s, buf, 9, MSG_PEEK | MSG_ERRQUEUE)));
	EXPECT_EQ(3, get_len(self->s));
	EXPECT_TRUE(arrives_alone(self->s, 9));
}

TEST_F(ttp_msg, one_receive_call_one_message)
{
	static const int flags[] = { 0, MSG_WAITALL, MSG_TRUNC };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		ASSERT_EQ(1, put(self->c, "a", 1, 0, self->to));
		ASSERT_EQ(0, put(self->c, "", 0, 0, self->to));
		ASSERT_EQ(2, put(self->c, "bb", 2, 0, self->to));
		EXPECT_EQ(1, R(recv(self->s, buf, 100, flags[i])));
		EXPECT_EQ(0, R(recv(self->s, buf, 100, flags[i])));
		EXPECT_EQ(2, R(recv(self->s, buf, 100, flags[i])));
	}
	EXPECT_EQ(-EAGAIN, try_get(self->s));
}

/* read() of nothing asks for nothing; write() of nothing is a message */
TEST_F(ttp_msg, read_and_write_of_no_bytes)
{
	struct iovec iov = { buf, 0 };

	ASSERT_EQ(0, connect_to(self->c, self->to));
	EXPECT_EQ(0, R(write(self->c, "", 0)));
	EXPECT_EQ(3, R(write(self->c, "abc", 3)));
	ASSERT_TRUE(waiting(self->s, 3));
	EXPECT_EQ(0, R(read(self->s, buf, 0)));
	EXPECT_EQ(0, R(readv(self->s, &iov, 1)));
	EXPECT_EQ(0, R(recv(self->s, buf, 9, 0)));
	EXPECT_TRUE(arrives_alone(self->s, 3));
	EXPECT_EQ(-ESPIPE, R(pread(self->s, buf, 1, 0)));
	EXPECT_EQ(-ESPIPE, R(pwrite(self->c, buf, 1, 0)));
}

TEST_F(ttp_msg, info_of_a_message_cut_short)
{
	struct got got;

	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_RECVINFO, 1));
	ASSERT_EQ(5000, put(self->c, buf, 5000, 0, self->to));
	EXPECT_EQ(10, get(self->s, buf, 10, 0, &got));
	EXPECT_EQ(MSG_TRUNC, got.flags);
	EXPECT_EQ(5000, got.info.length);
	EXPECT_EQ(0, got.info.cookie);
	EXPECT_EQ(TTP_KIND_REQUEST, got.info.kind);
}

/* ---- several at once */

#define MSGS 6

static void many_set(struct mmsghdr *m, struct iovec *iov,
		     struct sockaddr_ttp *to)
{
	int i;

	memset(m, 0, MSGS * sizeof(*m));
	for (i = 0; i < MSGS; i++) {
		iov[i] = (struct iovec) { buf + 100 * i, i + 1 };
		m[i].msg_len = 0xaaaa;
		m[i].msg_hdr = (struct msghdr) { to + i, 32, iov + i, 1 };
		to[i] = to[0];
	}
}

TEST_F(ttp_msg, sendmmsg_stops_at_an_error)
{
	struct sockaddr_ttp to[MSGS] = { self->to };
	struct mmsghdr m[MSGS];
	struct iovec iov[MSGS];
	char *at = edge();
	int bad, i;

	for (bad = 0; bad < 3; bad++) {
		many_set(m, iov, to);
		if (bad == 0)
			to[3].sttp_port = 0;
		else if (bad == 1)
			iov[3] = (struct iovec) { at - 2, 4 };
		else
			m[3].msg_hdr.msg_namelen = 31;
		EXPECT_EQ(3, R(sendmmsg(self->c, m, MSGS, 0)));
		for (i = 0; i < 3; i++) {
			EXPECT_EQ(i + 1, m[i].msg_len);
			EXPECT_EQ(i + 1, get_len(self->s));
		}
		for (; i < MSGS; i++)
			EXPECT_EQ(0xaaaa, m[i].msg_len);
		/* then the error, and the rest can go on behind it */
		EXPECT_EQ(bad == 1 ? -EFAULT : -EINVAL,
			  R(sendmmsg(self->c, m + 3, MSGS - 3, 0)));
		EXPECT_EQ(-EAGAIN, try_get(self->s));
		EXPECT_EQ(2, R(sendmmsg(self->c, m + 4, 2, 0)));
		EXPECT_EQ(5, get_len(self->s));
		EXPECT_TRUE(arrives_alone(self->s, 6));
	}
	EXPECT_EQ(0, get_opt(self->c, SOL_SOCKET, SO_ERROR));
}

TEST_F(ttp_msg, sendmmsg_of_answers_stops_at_a_used_tag)
{
	struct sockaddr_ttp to[MSGS] = {}, tags[MSGS];
	struct mmsghdr m[MSGS];
	struct iovec iov[MSGS];
	int i;

	for (i = 0; i < MSGS; i++) {
		ASSERT_EQ(1, put(self->c, buf, 1, 0, self->to));
		tags[i] = get_request(self->s);
	}
	many_set(m, iov, to);
	memcpy(to, tags, sizeof(tags));
	to[2] = to[1];
	EXPECT_EQ(2, R(sendmmsg(self->s, m, MSGS, 0)));
	EXPECT_EQ(-ECONNRESET, R(sendmmsg(self->s, m + 2, MSGS - 2, 0)));
	to[2] = tags[2];
	EXPECT_EQ(MSGS - 2, R(sendmmsg(self->s, m + 2, MSGS - 2, 0)));
	for (i = 0; i < MSGS; i++)
		EXPECT_EQ(i + 1, get_len(self->c));
}

TEST_F(ttp_msg, sendmmsg_stops_where_the_buffer_is_full)
{
	struct sockaddr_ttp to[MSGS] = { addr_of(0, 7) };
	struct mmsghdr m[MSGS];
	struct iovec iov[MSGS];
	int i, n;

	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_SNDBUF, 30000));
	many_set(m, iov, to);
	for (i = 0; i < MSGS; i++)
		iov[i] = (struct iovec) { buf, 20000 };
	n = R(sendmmsg(self->c, m, MSGS, MSG_DONTWAIT));
	EXPECT_LT(0, n);
	EXPECT_GT(MSGS, n);
	EXPECT_EQ(20000 * n, outq(self->c));
	EXPECT_EQ(-EAGAIN, R(sendmmsg(self->c, m, MSGS, MSG_DONTWAIT)));
	EXPECT_EQ(0, do_abort(self->c, 0));
}

TEST_F(ttp_msg, recvmmsg_takes_what_there_is)
{
	struct timespec ts = { 0, 50000000 };
	struct sockaddr_ttp from[MSGS] = {};
	struct mmsghdr m[MSGS];
	struct iovec iov[MSGS];
	int i;

	for (i = 1; i <= 3; i++)
		ASSERT_EQ(i, put(self->c, buf, i, 0, self->to));
	ASSERT_TRUE(waiting(self->s, 6));
	many_set(m, iov, from);
	EXPECT_EQ(3, R(recvmmsg(self->s, m, MSGS, MSG_DONTWAIT, NULL)));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(i + 1, m[i].msg_len);
		EXPECT_NE(0, from[i].sttp_rpc);
	}
	EXPECT_EQ(0xaaaa, m[3].msg_len);
	EXPECT_EQ(-EAGAIN, R(recvmmsg(self->s, m, MSGS, MSG_DONTWAIT, NULL)));
	EXPECT_EQ(0, get_opt(self->s, SOL_SOCKET, SO_ERROR));
	/* one at least, and no more than there are */
	ASSERT_EQ(7, put(self->c, buf, 7, 0, self->to));
	EXPECT_EQ(1, R(recvmmsg(self->s, m, MSGS, MSG_WAITFORONE, &ts)));
	EXPECT_EQ(1, m[0].msg_len);	/* of 7: the buffer has one */
	EXPECT_EQ(MSG_TRUNC, m[0].msg_hdr.msg_flags);
}

TEST_F(ttp_msg, recvmmsg_loses_no_message_to_a_fault)
{
	struct sockaddr_ttp from[MSGS] = {};
	struct mmsghdr m[MSGS];
	struct iovec iov[MSGS];
	char *at = edge();
	int i;

	for (i = 1; i <= 4; i++)
		ASSERT_EQ(i, put(self->c, buf, i, 0, self->to));
	ASSERT_TRUE(waiting(self->s, 10));
	many_set(m, iov, from);
	iov[2].iov_base = at;
	EXPECT_EQ(2, R(recvmmsg(self->s, m, MSGS, MSG_DONTWAIT, NULL)));
	/* the kernel keeps the error for the next such call */
	EXPECT_EQ(-EFAULT, R(recvmmsg(self->s, m + 2, 2, MSG_DONTWAIT, NULL)));
	iov[2].iov_base = buf;
	EXPECT_EQ(2, R(recvmmsg(self->s, m + 2, 2, MSG_DONTWAIT, NULL)));
	EXPECT_EQ(3, m[2].msg_len);
	EXPECT_EQ(4, m[3].msg_len);
}

TEST_F(ttp_msg, recvmmsg_loses_no_failure)
{
	struct sockaddr_ttp from[MSGS] = {};
	struct mmsghdr m[MSGS];
	struct iovec iov[MSGS];
	int info;

	for (info = 0; info < 2; info++) {
		ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_RECVINFO, info));
		ASSERT_EQ(1, put(self->c, buf, 1, 0, self->to));
		ASSERT_EQ(1, put(self->s, buf, 1, 0, get_request(self->s)));
		ASSERT_TRUE(waiting(self->c, 1));
		ASSERT_EQ(1, put(self->c, buf, 1, 0, addr_of(0, 9)));
		ASSERT_EQ(0, do_abort(self->c, 0));
		many_set(m, iov, from);
		EXPECT_EQ(1 + info, R(recvmmsg(self->c, m, MSGS, MSG_DONTWAIT,
					       NULL)));
		EXPECT_EQ(info ? -EAGAIN : -ECANCELED,
			  R(recvmmsg(self->c, m, MSGS, MSG_DONTWAIT, NULL)));
		EXPECT_EQ(-EAGAIN, R(recvmmsg(self->c, m, MSGS, MSG_DONTWAIT,
					      NULL)));
	}
}

/* ---- tags */

TEST_F(ttp_msg, tags_are_not_zero_and_not_reused)
{
	uint64_t seen[50];
	struct got got;
	int i, j;

	for (i = 0; i < 50; i++) {
		ASSERT_EQ(1, put(self->c, buf, 1, 0, self->to));
		ASSERT_EQ(1, get(self->s, buf, 1, 0, &got));
		seen[i] = got.from.sttp_rpc;
		EXPECT_NE(0, seen[i]);
		for (j = 0; j < i; j++)
			EXPECT_NE(seen[j], seen[i]);
		if (i % 2)
			continue;
		ASSERT_EQ(1, put(self->s, buf, 1, 0, got.from));
		ASSERT_EQ(1, get_len(self->c));
	}
}

TEST_F(ttp_msg, a_tag_from_before_connect_answers)
{
	int other = server(1), stranger = sock(1);
	struct sockaddr_ttp a;

	ASSERT_EQ(4, put(stranger, buf, 4, 0, self->to));
	a = get_request(self->s);
	ASSERT_EQ(0, connect_to(self->s, addr_of(1, port_of(other))));
	EXPECT_EQ(7, put(self->s, buf, 7, 0, a));
	EXPECT_EQ(7, get_len(stranger));
	/* a new request there is another matter */
	a.sttp_rpc = 0;
	EXPECT_EQ(-EISCONN, put(self->s, buf, 1, 0, a));
	close(other);
	close(stranger);
}

TEST_F(ttp_msg, a_cookie_and_no_flags_with_a_tag)
{
	struct sockaddr_ttp a;

	ASSERT_EQ(1, put(self->c, buf, 1, 0, self->to));
	a = get_request(self->s);
	EXPECT_EQ(-EINVAL, put_how(self->s, buf, 1, a, (struct ttp_send) {
				   .cookie = 1 }));
	EXPECT_EQ(-EINVAL, put_how(self->s, buf, 1, a, (struct ttp_send) {
				   .flags = TTP_F_ONEWAY }));
	EXPECT_EQ(-EINVAL, put_how(self->s, buf, 1, a, (struct ttp_send) {
				   .timeout_ms = 1 }));
	EXPECT_EQ(2, put_how(self->s, buf, 2, a, (struct ttp_send) {}));
	EXPECT_EQ(2, get_len(self->c));
}

/* What the kernel has accepted is not the server's any more */
TEST_F(ttp_msg, a_client_that_gives_up_an_accepted_answer)
{
	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_RCVBUF, 1));
	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_RECVINFO, 1));
	ASSERT_EQ(1, put(self->c, buf, 1, 0, self->to));
	ASSERT_EQ(1, put(self->c, buf, 1, 0, self->to));
	ASSERT_EQ(MB(1), put(self->s, buf, MB(1), 0, get_request(self->s)));
	ASSERT_EQ(MB(1), put(self->s, buf, MB(1), 0, get_request(self->s)));
	close(self->c);
	self->c = -1;
	EXPECT_TRUE(WAIT_FOR(!status_of(self->s).rpcs_in));
	EXPECT_EQ(0, outq(self->s));
	EXPECT_EQ(0, events(self->s) & POLLIN);
	EXPECT_EQ(-EAGAIN, try_get(self->s));
	EXPECT_EQ(0, get_opt(self->s, SOL_SOCKET, SO_ERROR));
}

/* Answers end by the limit of the network namespace, not the socket's */
TEST_F(ttp_msg, an_answer_to_nobody_ends)
{
	long start;

	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_TIMEOUT_MS, 1000000));
	ASSERT_EQ(1, put(self->c, buf, 1, 0, self->to));
	self->to = get_request(self->s);
	ASSERT_EQ(0, sh("ip -n h1 link set eth0 down"));
	start = now_ms();
	ASSERT_EQ(MB(1), put(self->s, buf, MB(1), 0, self->to));
	EXPECT_TRUE(WAIT_FOR(!status_of(self->s).rpcs_in));
	EXPECT_GT(at_most(5000), now_ms() - start);
	EXPECT_EQ(0, outq(self->s));
	EXPECT_EQ(-EAGAIN, try_get(self->s));
	ASSERT_EQ(0, sh("ip -n h1 link set eth0 up"));
	EXPECT_EQ(-ETIMEDOUT, get_len(self->c));
}

/* ... and with nobody left who could have them ended */
TEST_F(ttp_msg, an_answer_to_nobody_ends_after_close)
{
	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_TIMEOUT_MS, 1000000));
	ASSERT_EQ(1, put(self->c, buf, 1, 0, self->to));
	self->to = get_request(self->s);
	ASSERT_EQ(0, sh("ip -n h1 link set eth0 down"));
	ASSERT_EQ(MB(1), put(self->s, buf, MB(1), 0, self->to));
	close(self->s);
	self->s = -1;
	EXPECT_LT(0, counter(2, "TtpCurrMem"));
	EXPECT_TRUE(quiet(2));
	ASSERT_EQ(0, sh("ip -n h1 link set eth0 up"));
	EXPECT_EQ(-ETIMEDOUT, get_len(self->c));
}

/* ---- sharing, and what is as for UDP */

TEST_F(ttp_msg, fionread_is_siocinq)
{
	int n = -1;

	EXPECT_EQ(SIOCINQ, FIONREAD);
	EXPECT_EQ(SIOCOUTQ, TIOCOUTQ);
	ASSERT_EQ(70000, put(self->c, buf, 70000, 0, self->to));
	ASSERT_TRUE(waiting(self->s, 70000));
	EXPECT_EQ(0, ioctl(self->s, FIONREAD, &n));
	EXPECT_EQ(70000, n);
	/* of a message, not of a failure */
	ASSERT_EQ(1, put(self->c, buf, 1, 0, addr_of(2, 9)));
	ASSERT_EQ(POLLIN, events_in(self->c, POLLIN, 10000));
	EXPECT_EQ(0, inq(self->c));
}

TEST_F(ttp_msg, fcntl_and_fionbio)
{
	int on = 1, off = 0;

	EXPECT_EQ(O_RDWR, fcntl(self->c, F_GETFL));
	EXPECT_EQ(FD_CLOEXEC, fcntl(self->c, F_GETFD));
	EXPECT_EQ(0, ioctl(self->s, FIONBIO, &on));
	EXPECT_EQ(O_RDWR | O_NONBLOCK, fcntl(self->s, F_GETFL));
	EXPECT_EQ(-EAGAIN, R(recv(self->s, buf, 1, 0)));
	EXPECT_EQ(0, ioctl(self->s, FIONBIO, &off));
	EXPECT_EQ(O_RDWR, fcntl(self->s, F_GETFL));
	enter(1);
	close(self->c);
	self->c = socket(AF_TTP, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	EXPECT_EQ(O_RDWR | O_NONBLOCK, fcntl(self->c, F_GETFL));
	EXPECT_EQ(0, fcntl(self->c, F_GETFD));
	EXPECT_EQ(-EAGAIN, R(recv(self->c, buf, 1, 0)));
}

static int sigios;

static void on_sigio(int sig)
{
	(void)sig;
	__atomic_add_fetch(&sigios, 1, __ATOMIC_RELAXED);
}

TEST_F(ttp_msg, sigio_tells_of_a_message)
{
	signal(SIGIO, on_sigio);
	ASSERT_EQ(0, fcntl(self->s, F_SETOWN, getpid()));
	EXPECT_EQ(getpid(), fcntl(self->s, F_GETOWN));
	ASSERT_EQ(0, fcntl(self->s, F_SETFL, O_ASYNC));
	EXPECT_EQ(0, sigios);
	ASSERT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_TRUE(WAIT_FOR(__atomic_load_n(&sigios, __ATOMIC_RELAXED)));
	EXPECT_EQ(1, get_len(self->s));
}

TEST_F(ttp_msg, no_sigpipe)
{
	signal(SIGPIPE, on_sigio);
	ASSERT_EQ(0, connect_to(self->c, self->to));
	ASSERT_EQ(0, shutdown(self->c, SHUT_WR));
	EXPECT_EQ(-EPIPE, R(send(self->c, buf, 1, 0)));
	EXPECT_EQ(-EPIPE, R(write(self->c, buf, 1)));
	EXPECT_EQ(0, sigios);
}

TEST_F(ttp_msg, dup_shares_queue_and_options)
{
	int twin = dup(self->s);

	ASSERT_EQ(0, set_opt(twin, SOL_TTP, TTP_RECVINFO, 1));
	EXPECT_EQ(1, get_opt(self->s, SOL_TTP, TTP_RECVINFO));
	EXPECT_EQ(port_of(self->s), port_of(twin));
	ASSERT_EQ(3, put(self->c, buf, 3, 0, self->to));
	EXPECT_EQ(3, get_len(twin));
	EXPECT_EQ(-EAGAIN, try_get(self->s));
	/* closing one closes nothing */
	close(twin);
	ASSERT_EQ(3, put(self->c, buf, 3, 0, self->to));
	EXPECT_EQ(3, get_len(self->s));
}

/* A socket may be on its way while nobody has it: its queue waits */
TEST_F(ttp_msg, a_socket_in_flight_keeps_its_messages)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr h;
	} u = { .h = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec iov = { buf, 1 };
	struct msghdr msg = { NULL, 0, &iov, 1, &u, sizeof(u) };
	struct got got;
	int pair[2], fd;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
	memcpy(CMSG_DATA(&u.h), &self->s, sizeof(int));
	ASSERT_EQ(1, R(sendmsg(pair[0], &msg, 0)));
	close(self->s);
	self->s = -1;
	ASSERT_EQ(3, put(self->c, buf, 3, 0, self->to));
	msg.msg_controllen = sizeof(u);
	ASSERT_EQ(1, R(recvmsg(pair[1], &msg, MSG_CMSG_CLOEXEC)));
	memcpy(&fd, CMSG_DATA(&u.h), sizeof(int));
	ASSERT_EQ(3, get(fd, buf, 9, 0, &got));
	ASSERT_EQ(4, put(fd, buf, 4, 0, got.from));
	EXPECT_EQ(4, get_len(self->c));
	close(fd);
	close(pair[0]);
	close(pair[1]);
}

/* ... and one that is lost on the way is closed */
TEST_F(ttp_msg, a_socket_lost_in_flight_is_closed)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr h;
	} u = { .h = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	struct iovec iov = { buf, 1 };
	struct msghdr msg = { NULL, 0, &iov, 1, &u, sizeof(u) };
	int pair[2];

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
	memcpy(CMSG_DATA(&u.h), &self->s, sizeof(int));
	ASSERT_EQ(1, R(sendmsg(pair[0], &msg, 0)));
	close(self->s);
	self->s = -1;
	ASSERT_EQ(3, put(self->c, buf, 3, 0, self->to));
	sleep_ms(10);
	EXPECT_EQ(-EAGAIN, try_get(self->c));
	close(pair[0]);
	close(pair[1]);
	EXPECT_EQ(-ECONNRESET, get_len(self->c));
}

/* The same calls on a socket of UDP, which has to say the same */
TEST_F(ttp_msg, addresses_of_receive_calls_as_for_udp)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(in);
	char *at = edge(), name[64];
	long ret[2][4];
	int udp, i;

	enter(0);
	udp = socket(AF_INET, SOCK_DGRAM, 0);
	ASSERT_EQ(0, bind(udp, (void *)&in, sizeof(in)));
	ASSERT_EQ(0, getsockname(udp, (void *)&in, &len));
	for (i = 0; i < 2; i++) {
		struct iovec iov = { buf, 9 };
		struct msghdr msg = { at, 8, &iov, 1 };
		int fd = i ? self->s : udp, n;

		for (n = 0; n < 4; n++)
			if (i)
				put(self->c, buf, n, 0, self->to);
			else
				sendto(udp, buf, n, 0, (void *)&in, len);
		ASSERT_EQ(POLLIN, events_in(fd, POLLIN, 10000));
		ret[i][0] = R(recvmsg(fd, &msg, 0));
		len = -1;
		ret[i][1] = R(recvfrom(fd, buf, 9, 0, (void *)name, &len));
		ret[i][2] = R(recvfrom(fd, buf, 9, 0, (void *)name,
				       (void *)at));
		msg = (struct msghdr) { name, -1, &iov, 1 };
		ret[i][3] = R(recvmsg(fd, &msg, 0));
		len = sizeof(in);
	}
	EXPECT_EQ(0, memcmp(ret[0], ret[1], sizeof(ret[0])));
	EXPECT_EQ(-EFAULT, ret[1][0]);
	EXPECT_EQ(-EINVAL, ret[1][1]);
	EXPECT_EQ(-EFAULT, ret[1][2]);
	EXPECT_EQ(-EINVAL, ret[1][3]);
	close(udp);
}

TEST_F(ttp_msg, control_messages_of_other_levels_as_for_udp)
{
	static const int levels[] = { SOL_IP, SOL_TTP - 1, SOL_TTP + 1, 9999,
				      -1 };
	union how_cmsg c = how_cmsg((struct ttp_send) {});
	struct msghdr msg = { &self->to, 32, NULL, 0, &c, sizeof(c) };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		c.h.cmsg_level = levels[i];
		c.h.cmsg_type = 999;
		EXPECT_EQ(0, R(sendmsg(self->c, &msg, 0)));
		EXPECT_EQ(0, get_len(self->s));
	}
	c.h.cmsg_level = SOL_SOCKET;
	EXPECT_EQ(-EINVAL, R(sendmsg(self->c, &msg, 0)));
	c.h.cmsg_type = SCM_RIGHTS;	/* is ignored there, too */
	EXPECT_EQ(0, R(sendmsg(self->c, &msg, 0)));
	EXPECT_EQ(0, get_len(self->s));
	EXPECT_EQ(-EAGAIN, try_get(self->s));
}

/* ---- shutdown */

TEST_F(ttp_msg, shutdown_is_seen_by_poll_for_ever)
{
	int i;

	ASSERT_EQ(0, shutdown(self->s, SHUT_RD));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(POLLIN | POLLRDHUP, events(self->s) & ~POLLOUT);
		EXPECT_EQ(0, R(recv(self->s, buf, 1, 0)));
		EXPECT_EQ(0, R(recv(self->s, buf, 1, MSG_DONTWAIT)));
		EXPECT_EQ(0, R(recv(self->s, buf, 1, MSG_PEEK)));
		EXPECT_EQ(0, R(read(self->s, buf, 1)));
	}
	ASSERT_EQ(0, shutdown(self->s, SHUT_WR));
	EXPECT_EQ(POLLIN | POLLRDHUP | POLLHUP, events(self->s) & ~POLLOUT);
}

/* The end comes before the buffer, so that nobody waits to hear of it */
TEST_F(ttp_msg, epipe_whatever_the_buffer)
{
	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_SNDBUF, 1));
	ASSERT_EQ(50000, put(self->c, buf, 50000, 0, addr_of(0, 7)));
	EXPECT_EQ(-EAGAIN, put(self->c, buf, 9000, MSG_DONTWAIT, self->to));
	ASSERT_EQ(0, shutdown(self->c, SHUT_WR));
	EXPECT_EQ(-EPIPE, put(self->c, buf, 9000, MSG_DONTWAIT, self->to));
	EXPECT_EQ(-EPIPE, put(self->c, buf, 9000, 0, self->to));
}

FIXTURE(ttp_msg_end) { };
FIXTURE_SETUP(ttp_msg_end) { }
FIXTURE_TEARDOWN(ttp_msg_end) { }

TEST_F(ttp_msg_end, all_is_given_back)
{
	EXPECT_TRUE(quiet(1));
	EXPECT_TRUE(quiet(2));
}

/* The socket layer keeps it, after messages; whatever is called next returns it */
TEST(a_failure_behind_a_message_of_recvmmsg)
{
	int s = server(2), c = sock(1), i;
	struct sockaddr_ttp to = addr_of(2, port_of(s));
	struct iovec iov[2] = { { buf, 1 }, { buf, 1 } };
	struct mmsghdr m[2] = {};

	for (i = 0; i < 2; i++)
		m[i].msg_hdr = (struct msghdr) { NULL, 0, iov + i, 1 };
	ASSERT_EQ(1, put(c, buf, 1, 0, to));
	ASSERT_EQ(1, put(s, buf, 1, 0, get_request(s)));
	ASSERT_TRUE(WAIT_FOR(status_of(c).rcv_bytes == 1));
	ASSERT_EQ(1, put(c, buf, 1, 0, addr_of(0, 9)));
	ASSERT_EQ(0, do_abort(c, 0));
	ASSERT_EQ(1, R(recvmmsg(c, m, 2, MSG_DONTWAIT, NULL)));
	/* a receive call returns it, so poll tells of it */
	EXPECT_EQ(POLLIN, events(c) & POLLIN);
	EXPECT_EQ(-ECANCELED, R(recv(c, buf, 1, MSG_DONTWAIT)));
	EXPECT_EQ(-EAGAIN, R(recv(c, buf, 1, MSG_DONTWAIT)));
	EXPECT_EQ(0, get_opt(c, SOL_SOCKET, SO_ERROR));
}

TEST_HARNESS_MAIN
