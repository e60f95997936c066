// SPDX-License-Identifier: GPL-2.0
/*
 * Messages that take several calls: MSG_MORE, sendfile(), splice().
 */
#include <sys/sendfile.h>

#include "ttp_test.h"

static char out[MB(16) + 1], in[MB(16) + 1];

FIXTURE(ttp_more) {
	int c;			/* client, in h1 */
	int s;			/* server */
	struct sockaddr_ttp to;	/* its address */
	int file;
};

FIXTURE_VARIANT(ttp_more) {
	int host;		/* of the server */
};

FIXTURE_VARIANT_ADD(ttp_more, wire) { 2 };
FIXTURE_VARIANT_ADD(ttp_more, loop) { 1 };

FIXTURE_SETUP(ttp_more)
{
	char name[] = "/tmp/ttp_more_XXXXXX";

	self->s = server(variant->host);
	ASSERT_LE(0, self->s);
	self->to = addr_of(variant->host, port_of(self->s));
	self->c = sock(1);
	ASSERT_LE(0, self->c);
	self->file = mkstemp(name);
	ASSERT_LE(0, self->file);
	unlink(name);
}

FIXTURE_TEARDOWN(ttp_more)
{
	close(self->c);
	close(self->s);
	close(self->file);
}

/* Send len bytes of out in parts of at most that many */
static long put_parts(int fd, size_t len, size_t most, struct sockaddr_ttp to)
{
	size_t at, n;
	long ret;

	for (at = 0; at < len; at += n) {
		n = 1 + rand() % most;
		if (n > len - at)
			n = len - at;
		ret = put(fd, out + at, n, at + n < len ? MSG_MORE : 0, to);
		if (ret != (long)n)
			return ret < 0 ? ret : -EPROTO;
	}
	return len;
}

/* Is there one message of len bytes, filled with seed? */
static bool arrives(int fd, size_t len, unsigned int seed, struct got *got)
{
	memset(in, 0xff, len + 1);
	return get(fd, in, sizeof(in), 0, got) == (long)len &&
	       filled(in, len, seed);
}

/* Parts */

TEST_F(ttp_more, parts_make_one_message)
{
	static const size_t most[] = { 1, 40, 4096, 5000, 100000 };
	struct got got;
	unsigned int i;
	size_t len;

	for (i = 0; i < ARRAY_SIZE(most); i++) {
		len = most[i] * 17 + i;
		fill(out, len, i);
		ASSERT_EQ(len, put_parts(self->c, len, most[i], self->to));
		ASSERT_TRUE(arrives(self->s, len, i, &got));
		EXPECT_EQ(0, got.flags & MSG_TRUNC);
		fill(out, len, i + 1);
		ASSERT_EQ(len, put_parts(self->s, len, most[i], got.from));
		ASSERT_TRUE(arrives(self->c, len, i + 1, &got));
	}
	EXPECT_EQ(-EAGAIN, R(recv(self->s, in, 1, MSG_DONTWAIT)));
}

TEST_F(ttp_more, nothing_goes_before_the_last_part)
{
	ASSERT_EQ(3, put(self->c, "abc", 3, MSG_MORE, self->to));
	EXPECT_EQ(0, status_of(self->c).rpcs_out);
	EXPECT_EQ(0, outq(self->c));
	sleep_ms(20);
	EXPECT_EQ(-EAGAIN, R(recv(self->s, in, 9, MSG_DONTWAIT)));
	ASSERT_EQ(0, put(self->c, NULL, 0, 0, self->to));
	EXPECT_EQ(3, R(recv(self->s, in, 9, 0)));
	EXPECT_EQ(0, memcmp(in, "abc", 3));
}

TEST_F(ttp_more, empty_parts_make_an_empty_message)
{
	struct got got;

	ASSERT_EQ(0, put(self->c, NULL, 0, MSG_MORE, self->to));
	ASSERT_EQ(0, put(self->c, NULL, 0, MSG_MORE, self->to));
	ASSERT_EQ(0, put(self->c, NULL, 0, 0, self->to));
	ASSERT_EQ(0, get(self->s, in, 9, 0, &got));
	ASSERT_NE(0, got.from.sttp_rpc);
	EXPECT_EQ(-EAGAIN, R(recv(self->s, in, 9, MSG_DONTWAIT)));
	ASSERT_EQ(0, put(self->s, NULL, 0, MSG_MORE, got.from));
	ASSERT_EQ(0, put(self->s, NULL, 0, 0, got.from));
	EXPECT_EQ(0, R(recv(self->c, in, 9, 0)));
}

TEST_F(ttp_more, iovecs_are_gathered_into_parts)
{
	struct iovec iov[3] = { { "a", 1 }, { "", 0 }, { "bc", 2 } };
	struct msghdr msg = {
		.msg_name = &self->to,
		.msg_namelen = sizeof(self->to),
		.msg_iov = iov,
		.msg_iovlen = 3,
	};

	ASSERT_EQ(3, R(sendmsg(self->c, &msg, MSG_MORE)));
	ASSERT_EQ(3, R(sendmsg(self->c, &msg, 0)));
	ASSERT_EQ(6, R(recv(self->s, in, 9, 0)));
	EXPECT_EQ(0, memcmp(in, "abcabc", 6));
}

TEST_F(ttp_more, sendmmsg_makes_parts_too)
{
	struct iovec iov[2] = { { "ab", 2 }, { "c", 1 } };
	struct mmsghdr msg[2] = {};
	int i;

	for (i = 0; i < 2; i++)
		msg[i].msg_hdr = (struct msghdr) {
			.msg_name = &self->to,
			.msg_namelen = sizeof(self->to),
			.msg_iov = iov + i,
			.msg_iovlen = 1,
		};
	ASSERT_EQ(2, R(sendmmsg(self->c, msg, 2, MSG_MORE)));
	EXPECT_EQ(-EAGAIN, R(recv(self->s, in, 9, MSG_DONTWAIT)));
	ASSERT_EQ(1, put(self->c, "d", 1, 0, self->to));
	ASSERT_EQ(4, R(recv(self->s, in, 9, 0)));
	EXPECT_EQ(0, memcmp(in, "abcd", 4));
}

/* Where they go */

TEST_F(ttp_more, parts_on_a_connected_socket)
{
	ASSERT_EQ(0, connect_to(self->c, self->to));
	ASSERT_EQ(2, R(send(self->c, "ab", 2, MSG_MORE)));
	ASSERT_EQ(1, put(self->c, "c", 1, MSG_MORE, self->to));
	ASSERT_EQ(1, R(write(self->c, "d", 1)));
	ASSERT_EQ(4, R(recv(self->s, in, 9, 0)));
	EXPECT_EQ(0, memcmp(in, "abcd", 4));
}

TEST_F(ttp_more, a_part_without_an_address_goes_on)
{
	struct sockaddr_ttp a;

	ASSERT_EQ(2, put(self->c, "ab", 2, MSG_MORE, self->to));
	ASSERT_EQ(2, R(write(self->c, "cd", 2)));
	EXPECT_EQ(-EDESTADDRREQ, R(write(self->c, "cd", 2)));
	EXPECT_EQ(4, inq(self->s));
	a = get_request(self->s);
	/* an answer by tag likewise, also where the socket is connected */
	ASSERT_EQ(0, connect_to(self->s, addr_of(1, port_of(self->c))));
	ASSERT_EQ(3, put(self->s, "xyz", 3, MSG_MORE, a));
	ASSERT_EQ(1, R(send(self->s, "!", 1, 0)));
	ASSERT_EQ(4, R(recv(self->c, in, 9, 0)));
	EXPECT_EQ(0, memcmp(in, "xyz!", 4));
}

TEST_F(ttp_more, parts_to_another_address_are_refused)
{
	int other = server(variant->host);
	struct sockaddr_ttp a = addr_of(variant->host, port_of(other));
	struct sockaddr_ttp b = self->to;
	char odd[64];

	ASSERT_EQ(2, put(self->c, "ab", 2, MSG_MORE, self->to));
	EXPECT_EQ(-EINVAL, put(self->c, "xx", 2, 0, a));
	EXPECT_EQ(-EINVAL, put(self->c, "xx", 2, MSG_MORE, a));
	a = self->to;
	a.sttp_addr[5] ^= 0x40;
	EXPECT_EQ(-EINVAL, put(self->c, "xx", 2, 0, a));
	a = self->to;
	a.sttp_rpc = 4;
	EXPECT_EQ(-EINVAL, put(self->c, "xx", 2, 0, a));
	a = self->to;
	a.sttp_ifindex = 99;
	EXPECT_EQ(-EINVAL, put(self->c, "xx", 2, 0, a));
	a = self->to;
	a.sttp_reserved = 1;
	EXPECT_EQ(-EINVAL, put(self->c, "xx", 2, 0, a));
	EXPECT_EQ(-EINVAL, R(sendto(self->c, "xx", 2, 0, (void *)&b, 31)));
	b.sttp_family = AF_INET;
	EXPECT_EQ(-EAFNOSUPPORT, put(self->c, "xx", 2, 0, b));
	/* the same one, told otherwise */
	b = self->to;
	b.sttp_ifindex = ifindex(1, "eth0");
	ASSERT_EQ(1, put(self->c, "c", 1, MSG_MORE, b));
	memset(odd, 0xff, sizeof(odd));
	memcpy(odd + 1, &self->to, sizeof(self->to));
	ASSERT_EQ(1, R(sendto(self->c, "d", 1, 0, (void *)(odd + 1), 60)));
	ASSERT_EQ(4, R(recv(self->s, in, 9, 0)));
	EXPECT_EQ(0, memcmp(in, "abcd", 4));
	EXPECT_EQ(-EAGAIN, R(recv(other, in, 9, MSG_DONTWAIT)));
	close(other);
}

TEST_F(ttp_more, the_address_is_that_of_the_first_part)
{
	int other = server(variant->host);
	struct sockaddr_ttp a = addr_of(variant->host, port_of(other));
	struct sockaddr none = { .sa_family = AF_UNSPEC };

	ASSERT_EQ(0, connect_to(self->c, self->to));
	ASSERT_EQ(2, R(send(self->c, "ab", 2, MSG_MORE)));
	ASSERT_EQ(0, connect_to(self->c, a));
	ASSERT_EQ(2, R(send(self->c, "cd", 2, MSG_MORE)));
	ASSERT_EQ(0, R(connect(self->c, &none, sizeof(none))));
	ASSERT_EQ(1, R(send(self->c, "e", 1, 0)));
	EXPECT_EQ(5, get_len(self->s));
	close(other);
}

/* How they are sent */

TEST_F(ttp_more, ttp_send_comes_with_the_first_part)
{
	struct ttp_send how = { .cookie = 77, .flags = TTP_F_IDEMPOTENT };
	struct got got;

	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_RECVINFO, 1));
	ASSERT_EQ(0, connect_to(self->c, self->to));
	ASSERT_EQ(1, put(self->c, "a", 1, MSG_MORE, self->to));
	EXPECT_EQ(-EINVAL, put_how(self->c, "x", 1, self->to, how));
	ASSERT_EQ(1, put(self->c, "b", 1, 0, self->to));
	ASSERT_EQ(2, get(self->s, in, 9, 0, &got));
	ASSERT_EQ(1, put(self->s, "r", 1, 0, got.from));
	ASSERT_EQ(1, get(self->c, in, 9, 0, &got));
	EXPECT_EQ(0, got.info.cookie);
}

TEST_F(ttp_more, what_the_first_part_wants_is_done)
{
	struct ttp_send how = {
		.cookie = 78,
		.flags = TTP_F_ONEWAY | TTP_F_NOTIFY,
	};
	struct got got;

	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_RECVINFO, 1));
	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_RECVINFO, 1));
	ASSERT_EQ(1, put_how_flags(self->c, "a", 1, MSG_MORE, self->to,
				   how));
	ASSERT_EQ(1, put(self->c, "b", 1, 0, self->to));
	ASSERT_EQ(2, get(self->s, in, 9, 0, &got));
	EXPECT_EQ(TTP_KIND_ONEWAY, got.info.kind);
	ASSERT_EQ(0, get(self->c, in, 9, 0, &got));
	EXPECT_EQ(TTP_KIND_COMPLETION, got.info.kind);
	EXPECT_EQ(78, got.info.cookie);
	how = (struct ttp_send) { .cookie = 79, .timeout_ms = 30 };
	ASSERT_EQ(1, put_how_flags(self->c, "a", 1, MSG_MORE, self->to,
				   how));
	sleep_ms(50);		/* the time of an RPC begins with it */
	ASSERT_EQ(1, put(self->c, "b", 1, 0, self->to));
	ASSERT_EQ(0, get(self->c, in, 9, 0, &got));
	EXPECT_EQ(ETIMEDOUT, got.info.error);
	EXPECT_EQ(79, got.info.cookie);
}

/* What fails adds nothing */

TEST_F(ttp_more, a_part_too_long_adds_nothing)
{
	struct sockaddr_ttp a;
	struct got got;

	fill(out, 6000, 3);
	ASSERT_EQ(5000, put(self->c, out, 5000, MSG_MORE, self->to));
	EXPECT_EQ(-EMSGSIZE, put(self->c, out, MB(16) - 4999, 0, self->to));
	EXPECT_EQ(-EMSGSIZE, put(self->c, out, MB(16) - 4999, MSG_MORE,
				 self->to));
	EXPECT_EQ(-EMSGSIZE, put(self->c, out, (size_t)1 << 31, 0, self->to));
	ASSERT_EQ(1000, put(self->c, out + 5000, 1000, 0, self->to));
	ASSERT_TRUE(arrives(self->s, 6000, 3, &got));

	/* an answer's limit is the client's */
	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_MAX_MSG, 100));
	ASSERT_EQ(1, put(self->c, "x", 1, 0, self->to));
	a = get_request(self->s);
	ASSERT_EQ(60, put(self->s, out, 60, MSG_MORE, a));
	EXPECT_EQ(-EMSGSIZE, put(self->s, out, 41, 0, a));
	ASSERT_EQ(40, put(self->s, out + 60, 40, 0, a));
	EXPECT_TRUE(arrives(self->c, 60, 3, &got) || 1);
	EXPECT_TRUE(filled(in, 100, 3));
}

TEST_F(ttp_more, the_longest_message_in_parts)
{
	struct got got;
	size_t i;

	fill(out, MB(16), 5);
	for (i = 0; i < 15; i++)
		ASSERT_EQ(MB(1), put(self->c, out + MB(i), MB(1), MSG_MORE,
				     self->to));
	ASSERT_EQ(MB(1), put(self->c, out + MB(15), MB(1), 0, self->to));
	EXPECT_TRUE(arrives(self->s, MB(16), 5, &got));
}

TEST_F(ttp_more, a_part_in_unmapped_memory_adds_nothing)
{
	char *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct got got;

	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(0, munmap(map + 4096, 4096));
	fill(out, 9000, 6);
	ASSERT_EQ(100, put(self->c, out, 100, MSG_MORE, self->to));
	EXPECT_EQ(-EFAULT, put(self->c, map, 5000, 0, self->to));
	EXPECT_EQ(-EFAULT, put(self->c, map, 8192, MSG_MORE, self->to));
	EXPECT_EQ(-EFAULT, put(self->c, map + 4095, 2, 0, self->to));
	EXPECT_EQ(-EFAULT, put(self->c, NULL, 1, 0, self->to));
	ASSERT_EQ(8900, put(self->c, out + 100, 8900, MSG_MORE, self->to));
	EXPECT_EQ(-EFAULT, put(self->c, map, 8192, 0, self->to));
	ASSERT_EQ(0, put(self->c, NULL, 0, 0, self->to));
	EXPECT_TRUE(arrives(self->s, 9000, 6, &got));
	munmap(map, 4096);
}

TEST_F(ttp_more, a_first_part_that_fails_is_none)
{
	EXPECT_EQ(-EFAULT, put(self->c, NULL, 1, MSG_MORE, self->to));
	EXPECT_EQ(-EMSGSIZE, put(self->c, out, MB(16) + 1, MSG_MORE, self->to));
	EXPECT_EQ(-EDESTADDRREQ, R(send(self->c, "a", 1, MSG_MORE)));
	EXPECT_EQ(-EDESTADDRREQ, R(send(self->c, "a", 1, 0)));
	ASSERT_EQ(1, put(self->c, "a", 1, 0, self->to));
	EXPECT_EQ(1, get_len(self->s));
}

TEST_F(ttp_more, without_room_a_part_adds_nothing)
{
	struct sockaddr_ttp nowhere = addr_of(0, 7);
	struct got got;

	fill(out, 60000, 7);
	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_SNDBUF, 25000));
	ASSERT_EQ(20000, put(self->c, out, 20000, 0, nowhere));
	ASSERT_EQ(20000, put(self->c, out, 20000, MSG_MORE, self->to));
	EXPECT_EQ(-EAGAIN, put(self->c, out, 20000, MSG_DONTWAIT | MSG_MORE,
			       self->to));
	EXPECT_EQ(-EAGAIN, put(self->c, out, 20000, MSG_DONTWAIT, self->to));
	ASSERT_EQ(0, set_time(self->c, SO_SNDTIMEO, 20));
	EXPECT_EQ(-EAGAIN, put(self->c, out, 20000, MSG_MORE, self->to));
	EXPECT_EQ(0, events(self->c) & POLLOUT);
	/* Alone it may be as long as it likes */
	ASSERT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(-ECANCELED, get_len(self->c));
	EXPECT_EQ(POLLOUT, events(self->c) & POLLOUT);
	ASSERT_EQ(20000, put(self->c, out + 20000, 20000,
			     MSG_DONTWAIT | MSG_MORE, self->to));
	EXPECT_EQ(POLLOUT, events(self->c) & POLLOUT);
	ASSERT_EQ(20000, put(self->c, out + 40000, 20000, MSG_DONTWAIT,
			     self->to));
	EXPECT_TRUE(arrives(self->s, 60000, 7, &got));
}

static long job_part(struct job *job)
{
	return put(job->fd, out, job->len, MSG_MORE, job->addr);
}

TEST_F(ttp_more, a_part_waits_for_room)
{
	struct job job = { job_part, self->c, 20000, self->to };
	struct sockaddr_ttp nowhere = addr_of(0, 7);

	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_SNDBUF, 25000));
	ASSERT_EQ(20000, put(self->c, out, 20000, 0, nowhere));
	ASSERT_EQ(20000, put(self->c, out, 20000, MSG_MORE, self->to));
	ASSERT_TRUE(job_start_sleeping(&job));
	/* meanwhile nobody else adds to it */
	EXPECT_EQ(-EAGAIN, put(self->c, "x", 1, MSG_DONTWAIT, self->to));
	ASSERT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(20000, job_end(&job));
	ASSERT_EQ(1, put(self->c, "x", 1, 0, self->to));
	EXPECT_EQ(40001, get_len(self->s));
}

TEST_F(ttp_more, shutdown_ends_a_part_that_waits)
{
	struct job job = { job_part, self->c, 20000, self->to };
	struct sockaddr_ttp nowhere = addr_of(0, 7);

	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_SNDBUF, 25000));
	ASSERT_EQ(20000, put(self->c, out, 20000, 0, nowhere));
	ASSERT_EQ(20000, put(self->c, out, 20000, MSG_MORE, self->to));
	ASSERT_TRUE(job_start_sleeping(&job));
	ASSERT_EQ(0, shutdown(self->c, SHUT_WR));
	EXPECT_EQ(-EPIPE, job_end(&job));
	EXPECT_EQ(-EPIPE, put(self->c, "x", 1, 0, self->to));
}

static void nothing(int __attribute__((unused)) sig)
{
}

TEST_F(ttp_more, a_signal_ends_a_part_that_waits)
{
	struct job job = { job_part, self->c, 20000, self->to };
	struct sigaction act = { .sa_handler = nothing };
	struct sockaddr_ttp nowhere = addr_of(0, 7);
	struct got got;

	ASSERT_EQ(0, sigaction(SIGUSR1, &act, NULL));
	fill(out, 20000, 8);
	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_SNDBUF, 25000));
	ASSERT_EQ(20000, put(self->c, out, 20000, 0, nowhere));
	ASSERT_EQ(20000, put(self->c, out, 20000, MSG_MORE, self->to));
	ASSERT_TRUE(job_start_sleeping(&job));
	ASSERT_EQ(0, pthread_kill(job.thread, SIGUSR1));
	EXPECT_EQ(-EINTR, job_end(&job));
	ASSERT_EQ(0, do_abort(self->c, 0));
	ASSERT_EQ(0, put(self->c, NULL, 0, 0, self->to));
	EXPECT_TRUE(arrives(self->s, 20000, 8, &got));
}

/* What cannot go on is gone */

TEST_F(ttp_more, an_answer_that_nobody_waits_for_is_gone)
{
	struct sockaddr_ttp a;
	int other = sock(1);

	ASSERT_EQ(1, put(other, "x", 1, 0, self->to));
	a = get_request(self->s);
	ASSERT_EQ(5000, put(self->s, out, 5000, MSG_MORE, a));
	close(other);
	EXPECT_TRUE(WAIT_FOR(put(self->s, out, 1, MSG_MORE, a) ==
			     -ECONNRESET));
	/* and the socket is free for others */
	ASSERT_EQ(2, put(self->c, "xy", 2, 0, self->to));
	a = get_request(self->s);
	ASSERT_EQ(3, put(self->s, "abc", 3, 0, a));
	EXPECT_EQ(3, get_len(self->c));
}

TEST_F(ttp_more, a_tag_is_open_while_it_is_answered_in_parts)
{
	struct sockaddr_ttp a;

	ASSERT_EQ(1, put(self->c, "x", 1, 0, self->to));
	a = get_request(self->s);
	ASSERT_EQ(3, put(self->s, "abc", 3, MSG_MORE, a));
	EXPECT_EQ(1, status_of(self->s).rpcs_in);
	ASSERT_EQ(0, put(self->s, NULL, 0, 0, a));
	EXPECT_EQ(3, get_len(self->c));
	EXPECT_EQ(-ECONNRESET, put(self->s, "abc", 3, MSG_MORE, a));
	EXPECT_EQ(-ECONNRESET, put(self->s, "abc", 3, 0, a));
}

TEST_F(ttp_more, shutdown_discards_what_is_unfinished)
{
	long before = counter(1, "TtpCurrMem");

	ASSERT_EQ(50000, put(self->c, out, 50000, MSG_MORE, self->to));
	EXPECT_LE(before + 50000, counter(1, "TtpCurrMem"));
	ASSERT_EQ(0, shutdown(self->c, SHUT_RD));
	EXPECT_LE(before + 50000, counter(1, "TtpCurrMem"));
	ASSERT_EQ(0, shutdown(self->c, SHUT_WR));
	EXPECT_GE(before, counter(1, "TtpCurrMem"));
	EXPECT_EQ(-EPIPE, put(self->c, "x", 1, 0, self->to));
	EXPECT_EQ(-EAGAIN, R(recv(self->s, in, 1, MSG_DONTWAIT)));
}

TEST_F(ttp_more, close_discards_what_is_unfinished)
{
	long before = counter(1, "TtpCurrMem");
	int fd = sock(1);

	ASSERT_EQ(50000, put(fd, out, 50000, MSG_MORE, self->to));
	EXPECT_LE(before + 50000, counter(1, "TtpCurrMem"));
	close(fd);
	EXPECT_GE(before, counter(1, "TtpCurrMem"));
	EXPECT_EQ(-EAGAIN, R(recv(self->s, in, 1, MSG_DONTWAIT)));
}

/* Threads */

static long job_parts(struct job *job)
{
	size_t i;
	char c = job->len;
	long ret;

	for (i = 0; i < 200; i++) {
		char part[7];

		memset(part, c, sizeof(part));
		ret = put(job->fd, part, sizeof(part), MSG_MORE, job->addr);
		if (ret != sizeof(part))
			return ret;
	}
	return 0;
}

TEST_F(ttp_more, parts_of_4_threads_do_not_mix)
{
	unsigned int i, count[5] = {};
	struct job jobs[4];

	for (i = 0; i < 4; i++) {
		jobs[i] = (struct job) { job_parts, self->c, i, self->to };
		job_start(jobs + i);
	}
	for (i = 0; i < 4; i++)
		EXPECT_EQ(0, job_end(jobs + i));
	ASSERT_EQ(0, put(self->c, NULL, 0, 0, self->to));
	ASSERT_EQ(4 * 200 * 7, R(recv(self->s, in, sizeof(in), 0)));
	for (i = 0; i < 4 * 200; i++) {
		ASSERT_EQ(0, memcmp(in + 7 * i, in + 7 * i + 1, 6));
		count[in[7 * i] & 7]++;
	}
	for (i = 0; i < 4; i++)
		EXPECT_EQ(200, count[i]);
}

/* Files */

static bool write_file(int fd, size_t len, unsigned int seed)
{
	fill(out, len, seed);
	return !ftruncate(fd, 0) && pwrite(fd, out, len, 0) == (ssize_t)len;
}

TEST_F(ttp_more, sendfile_makes_one_message)
{
	static const size_t sizes[] = {
		1, 100, 4095, 4096, 4097, 65536, 65537, 300001, MB(2)
	};
	struct got got;
	unsigned int i;
	size_t len;
	off_t at;

	ASSERT_EQ(0, connect_to(self->c, self->to));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		len = sizes[i];
		ASSERT_TRUE(write_file(self->file, len, i));
		at = 0;
		ASSERT_EQ(len, R(sendfile(self->c, self->file, &at, len)));
		ASSERT_TRUE(arrives(self->s, len, i, &got));
		/* an answer: the file goes where the first, empty part went */
		ASSERT_EQ(0, put(self->s, NULL, 0, MSG_MORE, got.from));
		at = 0;
		ASSERT_EQ(len, R(sendfile(self->s, self->file, &at, len)));
		ASSERT_TRUE(arrives(self->c, len, i, &got));
	}
}

TEST_F(ttp_more, a_piece_of_a_file)
{
	struct got got;
	off_t at = 1234;

	ASSERT_TRUE(write_file(self->file, 100000, 0));
	memmove(out, out + 1234, 50000);
	ASSERT_EQ(0, connect_to(self->c, self->to));
	ASSERT_EQ(50000, R(sendfile(self->c, self->file, &at, 50000)));
	ASSERT_EQ(50000, get(self->s, in, sizeof(in), 0, &got));
	EXPECT_EQ(0, memcmp(out, in, 50000));
}

TEST_F(ttp_more, a_header_and_a_file)
{
	off_t at = 0;

	ASSERT_TRUE(write_file(self->file, 70000, 4));
	ASSERT_EQ(0, connect_to(self->c, self->to));
	ASSERT_EQ(6, R(send(self->c, "header", 6, MSG_MORE)));
	ASSERT_EQ(70000, R(sendfile(self->c, self->file, &at, 70000)));
	ASSERT_EQ(70006, R(recv(self->s, in, sizeof(in), 0)));
	EXPECT_EQ(0, memcmp(in, "header", 6));
	EXPECT_TRUE(filled(in + 6, 70000, 4));
}

TEST_F(ttp_more, a_file_between_other_parts)
{
	loff_t at = 0;
	int p[2];

	ASSERT_EQ(0, pipe(p));
	ASSERT_TRUE(write_file(self->file, 10000, 4));
	ASSERT_EQ(0, connect_to(self->c, self->to));
	ASSERT_EQ(6, R(send(self->c, "header", 6, MSG_MORE)));
	ASSERT_EQ(10000, R(splice(self->file, &at, p[1], NULL, 10000, 0)));
	ASSERT_EQ(10000, R(splice(p[0], NULL, self->c, NULL, 10000,
				  SPLICE_F_MORE)));
	ASSERT_EQ(7, R(send(self->c, "trailer", 7, 0)));
	ASSERT_EQ(10013, R(recv(self->s, in, sizeof(in), 0)));
	EXPECT_EQ(0, memcmp(in, "header", 6));
	EXPECT_TRUE(filled(in + 6, 10000, 4));
	EXPECT_EQ(0, memcmp(in + 10006, "trailer", 7));
	/* the file's own page was not written to */
	ASSERT_EQ(10000, R(pread(self->file, in, sizeof(in), 0)));
	EXPECT_TRUE(filled(in, 10000, 4));
	close(p[0]);
	close(p[1]);
}

TEST_F(ttp_more, a_file_shorter_than_said)
{
	struct got got;
	off_t at = 0;

	ASSERT_TRUE(write_file(self->file, 70000, 5));
	ASSERT_EQ(0, connect_to(self->c, self->to));
	ASSERT_EQ(70000, R(sendfile(self->c, self->file, &at, MB(1))));
	EXPECT_TRUE(arrives(self->s, 70000, 5, &got));
}

TEST_F(ttp_more, a_file_longer_than_a_message)
{
	off_t at = 0;
	long n;

	ASSERT_EQ(0, ftruncate(self->file, MB(17)));
	ASSERT_EQ(0, connect_to(self->c, self->to));
	n = R(sendfile(self->c, self->file, &at, MB(17)));
	EXPECT_EQ(MB(16), n);
	EXPECT_EQ(-EMSGSIZE, R(sendfile(self->c, self->file, &at, 1)));
	ASSERT_EQ(0, R(send(self->c, NULL, 0, 0)));
	EXPECT_EQ(MB(16), get_len(self->s));
}

TEST_F(ttp_more, splice_from_a_pipe)
{
	struct got got;
	int p[2];

	ASSERT_EQ(0, pipe(p));
	fill(out, 30000, 6);
	ASSERT_EQ(0, connect_to(self->c, self->to));
	ASSERT_EQ(30000, R(write(p[1], out, 30000)));
	ASSERT_EQ(30000, R(splice(p[0], NULL, self->c, NULL, 30000, 0)));
	EXPECT_TRUE(arrives(self->s, 30000, 6, &got));
	ASSERT_EQ(20000, R(write(p[1], out, 20000)));
	ASSERT_EQ(20000, R(splice(p[0], NULL, self->c, NULL, 20000,
				  SPLICE_F_MORE)));
	EXPECT_EQ(-EAGAIN, R(recv(self->s, in, 1, MSG_DONTWAIT)));
	ASSERT_EQ(10000, R(send(self->c, out + 20000, 10000, 0)));
	EXPECT_TRUE(arrives(self->s, 30000, 6, &got));
	/* pages of the program's own */
	ASSERT_EQ(8192, R(vmsplice(p[1], &(struct iovec) { out, 8192 }, 1, 0)));
	ASSERT_EQ(8192, R(splice(p[0], NULL, self->c, NULL, 8192, 0)));
	EXPECT_TRUE(arrives(self->s, 8192, 6, &got));
	close(p[0]);
	close(p[1]);
}

TEST_F(ttp_more, little_pieces_of_pages_do_not_take_pages)
{
	struct iovec iov[16];
	int i, j, p[2];
	long before;

	ASSERT_EQ(0, pipe(p));
	ASSERT_EQ(0, connect_to(self->c, self->to));
	ASSERT_EQ(0, R(send(self->c, NULL, 0, MSG_MORE)));
	before = counter(1, "TtpCurrMem");
	fill(out, 16, 9);
	for (i = 0; i < 100; i++) {
		for (j = 0; j < 16; j++)
			iov[j] = (struct iovec) { out + j, 1 };
		ASSERT_EQ(16, R(vmsplice(p[1], iov, 16, 0)));
		ASSERT_EQ(16, R(splice(p[0], NULL, self->c, NULL, 16,
				       SPLICE_F_MORE)));
	}
	EXPECT_GE(8192, counter(1, "TtpCurrMem") - before);
	ASSERT_EQ(0, R(send(self->c, NULL, 0, 0)));
	ASSERT_EQ(1600, R(recv(self->s, in, sizeof(in), 0)));
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, memcmp(in + 16 * i, out, 16));
	close(p[0]);
	close(p[1]);
}

TEST_F(ttp_more, splice_does_not_wait_if_told_so)
{
	struct sockaddr_ttp nowhere = addr_of(0, 7);
	int p[2];

	ASSERT_EQ(0, pipe(p));
	ASSERT_EQ(0, connect_to(self->c, self->to));
	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_SNDBUF, 10000));
	ASSERT_EQ(-EISCONN, put(self->c, out, 30000, 0, nowhere));
	ASSERT_EQ(0, connect_to(self->c, nowhere));
	ASSERT_EQ(30000, R(send(self->c, out, 30000, 0)));
	ASSERT_EQ(0, connect_to(self->c, self->to));
	ASSERT_EQ(0, fcntl(self->c, F_SETFL, O_NONBLOCK));
	ASSERT_EQ(20000, R(write(p[1], out, 20000)));
	EXPECT_EQ(-EAGAIN, R(splice(p[0], NULL, self->c, NULL, 20000, 0)));
	ASSERT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(-ECANCELED, get_len(self->c));
	EXPECT_EQ(20000, R(splice(p[0], NULL, self->c, NULL, 20000, 0)));
	EXPECT_EQ(20000, get_len(self->s));
	close(p[0]);
	close(p[1]);
}

TEST_F(ttp_more, splice_from_a_socket_reads_a_message)
{
	int p[2];

	ASSERT_EQ(0, pipe(p));
	ASSERT_EQ(5, put(self->c, "abcde", 5, 0, self->to));
	EXPECT_EQ(5, R(splice(self->s, NULL, p[1], NULL, 100, 0)));
	EXPECT_EQ(5, R(read(p[0], in, 100)));
	EXPECT_EQ(0, memcmp(in, "abcde", 5));
	close(p[0]);
	close(p[1]);
}

FIXTURE(ttp_more_end) { };
FIXTURE_SETUP(ttp_more_end) { }
FIXTURE_TEARDOWN(ttp_more_end) { }

TEST_F(ttp_more_end, all_is_given_back)
{
	EXPECT_TRUE(quiet(1));
	EXPECT_TRUE(quiet(2));
}

TEST_HARNESS_MAIN
