// SPDX-License-Identifier: GPL-2.0
/*
 * Messages in the program's own pages (MSG_ZEROCOPY), and when it may write to
 * them again.
 */
#include <sys/utsname.h>

#include "ttp_test.h"

#include <linux/errqueue.h>

static char in[MB(4) + 1];

/* Completions */

struct done {
	uint32_t first, last;	/* calls, counted from 0 */
	bool copied;
};

/* The next one; 0, or a negative errno */
static long get_done(int fd, struct done *done)
{
	char control[256];
	struct msghdr msg = {
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct sock_extended_err *err;
	struct cmsghdr *cmsg;
	long ret;

	ret = R(recvmsg(fd, &msg, MSG_ERRQUEUE));
	if (ret)
		return ret;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (!cmsg || cmsg->cmsg_level != SOL_TTP ||
	    cmsg->cmsg_type != TTP_RECVERR ||
	    cmsg->cmsg_len < CMSG_LEN(sizeof(*err)) ||
	    !(msg.msg_flags & MSG_ERRQUEUE))
		return -EPROTO;
	err = (void *)CMSG_DATA(cmsg);
	if (err->ee_origin != SO_EE_ORIGIN_ZEROCOPY || err->ee_errno)
		return -EPROTO;
	done->first = err->ee_info;
	done->last = err->ee_data;
	done->copied = err->ee_code & SO_EE_CODE_ZEROCOPY_COPIED;
	return 0;
}

/* Wait for calls first to last to be done, each told once; how many were copied */
static long wait_done(int fd, uint32_t first, uint32_t last)
{
	uint32_t i, left = last - first + 1;
	static char seen[4096];
	struct done done;
	long ret, copied = 0;

	memset(seen, 0, sizeof(seen));
	while (left) {
		ret = get_done(fd, &done);
		if (ret == -EAGAIN &&
		    events_in(fd, 0, at_most(5000)) & POLLERR)
			continue;
		if (ret)
			return ret;
		for (i = done.first; i <= done.last; i++) {
			if (i < first || i > last || seen[i - first]++)
				return -ERANGE;
			copied += done.copied;
			left--;
		}
	}
	return copied;
}

static char *pages(size_t len)
{
	char *map = mmap(NULL, len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return map == MAP_FAILED ? NULL : map;
}

FIXTURE(ttp_zerocopy) {
	int c;			/* client, in h1 */
	int s;			/* server */
	struct sockaddr_ttp to;	/* its address */
	char *buf;
};

FIXTURE_VARIANT(ttp_zerocopy) {
	int host;		/* of the server */
};

FIXTURE_VARIANT_ADD(ttp_zerocopy, wire) { 2 };
FIXTURE_VARIANT_ADD(ttp_zerocopy, loop) { 1 };

FIXTURE_SETUP(ttp_zerocopy)
{
	self->s = server(variant->host);
	ASSERT_LE(0, self->s);
	self->to = addr_of(variant->host, port_of(self->s));
	self->c = sock(1);
	ASSERT_LE(0, self->c);
	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_ZEROCOPY, 1));
	self->buf = pages(MB(4));
	ASSERT_NE(NULL, self->buf);
}

FIXTURE_TEARDOWN(ttp_zerocopy)
{
	close(self->c);
	close(self->s);
	munmap(self->buf, MB(4));
}

/* The option */

TEST_F(ttp_zerocopy, it_must_be_allowed)
{
	int fd = sock(1);
	struct done done;

	EXPECT_EQ(0, get_opt(fd, SOL_TTP, TTP_ZEROCOPY));
	ASSERT_EQ(8000, put(fd, self->buf, 8000, MSG_ZEROCOPY, self->to));
	ASSERT_EQ(1, put(self->s, "x", 1, 0, get_request(self->s)));
	ASSERT_EQ(1, get_len(fd));
	EXPECT_EQ(-EAGAIN, get_done(fd, &done));
	EXPECT_EQ(-EINVAL, set_opt(fd, SOL_TTP, TTP_ZEROCOPY, 2));
	EXPECT_EQ(-EINVAL, set_opt(fd, SOL_TTP, TTP_ZEROCOPY, -1));
	EXPECT_EQ(0, get_opt(fd, SOL_TTP, TTP_ZEROCOPY));
	EXPECT_EQ(0, set_opt(fd, SOL_TTP, TTP_ZEROCOPY, 1));
	EXPECT_EQ(1, get_opt(fd, SOL_TTP, TTP_ZEROCOPY));
	EXPECT_EQ(0, set_opt(fd, SOL_TTP, TTP_ZEROCOPY, 0));
	EXPECT_EQ(0, get_opt(fd, SOL_TTP, TTP_ZEROCOPY));
	close(fd);
}

TEST_F(ttp_zerocopy, the_option_of_the_socket_layer)
{
	struct utsname name;
	int fd = sock(1);

	ASSERT_EQ(0, uname(&name));
	/* Before 6.8 the kernel lets TCP, UDP and RDS have it only */
	if (!strncmp(name.release, "6.1.", 4)) {
		EXPECT_EQ(-EOPNOTSUPP, set_opt(fd, SOL_SOCKET, SO_ZEROCOPY, 1));
	} else {
		EXPECT_EQ(-EINVAL, set_opt(fd, SOL_SOCKET, SO_ZEROCOPY, 2));
		EXPECT_EQ(0, set_opt(fd, SOL_SOCKET, SO_ZEROCOPY, 1));
		EXPECT_EQ(1, get_opt(fd, SOL_TTP, TTP_ZEROCOPY));
		EXPECT_EQ(0, set_opt(fd, SOL_SOCKET, SO_ZEROCOPY, 0));
		EXPECT_EQ(0, get_opt(fd, SOL_TTP, TTP_ZEROCOPY));
	}
	EXPECT_EQ(0, set_opt(fd, SOL_TTP, TTP_ZEROCOPY, 1));
	EXPECT_EQ(1, get_opt(fd, SOL_SOCKET, SO_ZEROCOPY));
	close(fd);
}

/* Contents and completions */

TEST_F(ttp_zerocopy, requests_and_answers)
{
	static const size_t sizes[] = {
		1, 100, 2048, 2049, 4096, 5000, 65536, 100001, MB(1), MB(4)
	};
	struct got got;
	unsigned int i;
	size_t n;

	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_ZEROCOPY, 1));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		n = sizes[i];
		fill(self->buf, n, i);
		ASSERT_EQ(n, put(self->c, self->buf, n, MSG_ZEROCOPY,
				 self->to));
		ASSERT_EQ(n, get(self->s, in, sizeof(in), 0, &got));
		ASSERT_TRUE(filled(in, n, i));
		ASSERT_EQ(n, put(self->s, self->buf, n, MSG_ZEROCOPY,
				 got.from));
		ASSERT_EQ(n, R(recv(self->c, in, sizeof(in), 0)));
		ASSERT_TRUE(filled(in, n, i));
		ASSERT_LE(0, wait_done(self->c, i, i));
		ASSERT_LE(0, wait_done(self->s, i, i));
	}
}

TEST_F(ttp_zerocopy, unaligned_buffers)
{
	struct got got;
	size_t at, n;
	int i;

	for (i = 0; i < 200; i++) {
		at = rand() % 5000;
		n = 2049 + rand() % 40000;
		fill(self->buf + at, n, i);
		ASSERT_EQ(n, put(self->c, self->buf + at, n, MSG_ZEROCOPY,
				 self->to));
		ASSERT_EQ(n, get(self->s, in, sizeof(in), 0, &got));
		ASSERT_TRUE(filled(in, n, i));
		ASSERT_EQ(0, put(self->s, NULL, 0, 0, got.from));
		ASSERT_EQ(0, get_len(self->c));
	}
	ASSERT_LE(0, wait_done(self->c, 0, 199));
}

TEST_F(ttp_zerocopy, scattered_buffers)
{
	struct iovec iov[300];
	struct msghdr msg = {
		.msg_name = &self->to,
		.msg_namelen = sizeof(self->to),
		.msg_iov = iov,
		.msg_iovlen = 300,
	};
	size_t i, round, total, n, m;
	char *at;

	/* pieces of a packet may be in more pages than it can refer to */
	for (round = 0; round < 6; round++) {
		at = self->buf;
		total = 0;
		for (i = 0; i < 300; i++) {
			n = round & 1 ? 1 + rand() % 30 : 3 + rand() % 9000;
			m = (uint64_t)rand() * 3 % 5000;
			iov[i] = (struct iovec) { at + m, n };
			at += m + n;
		}
		for (i = 0; i < 300; i++) {
			fill(iov[i].iov_base, iov[i].iov_len, i + round);
			total += iov[i].iov_len;
		}
		ASSERT_GE(self->buf + MB(4), at);
		ASSERT_EQ(total, R(sendmsg(self->c, &msg, MSG_ZEROCOPY)));
		ASSERT_EQ(total, R(recv(self->s, in, sizeof(in), 0)));
		for (i = 0, n = 0; i < 300; n += iov[i++].iov_len)
			ASSERT_TRUE(filled(in + n, iov[i].iov_len, i + round));
	}
	EXPECT_EQ(0, do_abort(self->c, 0));
	ASSERT_LE(0, wait_done(self->c, 0, 5));
}

TEST_F(ttp_zerocopy, a_completion_is_reported_by_poll)
{
	struct done done;

	EXPECT_EQ(0, events(self->c) & POLLERR);
	ASSERT_EQ(8000, put(self->c, self->buf, 8000, MSG_ZEROCOPY, self->to));
	ASSERT_EQ(1, put(self->s, "x", 1, 0, get_request(self->s)));
	EXPECT_EQ(POLLERR, events_in(self->c, 0, 1000));
	EXPECT_EQ(1, get_len(self->c));
	EXPECT_EQ(0, get_opt(self->c, SOL_SOCKET, SO_ERROR));
	EXPECT_EQ(POLLERR, events(self->c) & POLLERR);
	ASSERT_EQ(0, get_done(self->c, &done));
	EXPECT_EQ(0, done.first);
	EXPECT_EQ(0, done.last);
	EXPECT_EQ(0, events(self->c) & POLLERR);
	EXPECT_EQ(-EAGAIN, get_done(self->c, &done));
}

TEST_F(ttp_zerocopy, completions_are_told_in_ranges)
{
	struct done done;
	int i;

	for (i = 0; i < 10; i++) {
		ASSERT_EQ(8000, put(self->c, self->buf, 8000, MSG_ZEROCOPY,
				    self->to));
		ASSERT_EQ(1, put(self->s, "x", 1, 0, get_request(self->s)));
		ASSERT_EQ(1, get_len(self->c));
	}
	ASSERT_TRUE(WAIT_FOR(!outq(self->c)));
	ASSERT_EQ(0, get_done(self->c, &done));
	EXPECT_EQ(0, done.first);
	EXPECT_EQ(9, done.last);
}

TEST_F(ttp_zerocopy, a_short_message_is_copied_and_done)
{
	struct sockaddr_ttp nowhere = addr_of(0, 7);

	ASSERT_EQ(2048, put(self->c, self->buf, 2048, MSG_ZEROCOPY, nowhere));
	EXPECT_EQ(1, wait_done(self->c, 0, 0));
	/* an empty one has nothing to be done with */
	ASSERT_EQ(0, put(self->c, NULL, 0, MSG_ZEROCOPY, nowhere));
	ASSERT_EQ(2048, put(self->c, self->buf, 2048, MSG_ZEROCOPY, nowhere));
	EXPECT_EQ(1, wait_done(self->c, 1, 1));
}

TEST_F(ttp_zerocopy, pages_are_taken_until_the_end)
{
	struct sockaddr_ttp nowhere = addr_of(0, 7);
	struct done done;

	ASSERT_EQ(50000, put(self->c, self->buf, 50000, MSG_ZEROCOPY, nowhere));
	sleep_ms(100);
	EXPECT_EQ(-EAGAIN, get_done(self->c, &done));
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_LE(0, wait_done(self->c, 0, 0));
}

TEST_F(ttp_zerocopy, nothing_is_copied_where_nobody_wants_it)
{
	struct sockaddr_ttp nowhere = addr_of(0, 7);

	nowhere.sttp_ifindex = ifindex(1, "quiet0");
	ASSERT_EQ(0, sh("ip netns exec h1 ttpctl dev add quiet0 tag off"));
	enter(1);
	ASSERT_EQ(50000, put(self->c, self->buf, 50000, MSG_ZEROCOPY, nowhere));
	sleep_ms(20);
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(0, wait_done(self->c, 0, 0));
	ASSERT_EQ(0, sh("ip netns exec h1 ttpctl dev del quiet0"));
}

TEST_F(ttp_zerocopy, what_is_done_with_is_not_what_is_received)
{
	struct ttp_send how = { .flags = TTP_F_ONEWAY };

	fill(self->buf, 100000, 15);
	ASSERT_EQ(100000, put_how_flags(self->c, self->buf, 100000,
					MSG_ZEROCOPY, self->to, how));
	/* It has arrived, and waits to be read */
	ASSERT_LE(0, wait_done(self->c, 0, 0));
	memset(self->buf, 0xee, 100000);
	ASSERT_EQ(100000, R(recv(self->s, in, sizeof(in), 0)));
	EXPECT_TRUE(filled(in, 100000, 15));
}

TEST_F(ttp_zerocopy, memory_may_be_unmapped_meanwhile)
{
	char *map = pages(100000);

	fill(map, 100000, 9);
	ASSERT_EQ(100000, put(self->c, map, 100000, MSG_ZEROCOPY, self->to));
	ASSERT_EQ(0, munmap(map, 100000));
	ASSERT_EQ(100000, R(recv(self->s, in, sizeof(in), 0)));
	EXPECT_TRUE(filled(in, 100000, 9));
}

TEST_F(ttp_zerocopy, memory_that_is_only_readable)
{
	char *map = pages(100000);

	fill(map, 100000, 10);
	ASSERT_EQ(0, mprotect(map, 100000, PROT_READ));
	ASSERT_EQ(100000, put(self->c, map, 100000, MSG_ZEROCOPY, self->to));
	ASSERT_EQ(100000, R(recv(self->s, in, sizeof(in), 0)));
	EXPECT_TRUE(filled(in, 100000, 10));
	munmap(map, 100000);
}

TEST_F(ttp_zerocopy, a_mapped_file)
{
	char name[] = "/tmp/ttp_zerocopy_XXXXXX", *map;
	int fd = mkstemp(name);

	ASSERT_LE(0, fd);
	unlink(name);
	fill(self->buf, 100000, 11);
	ASSERT_EQ(100000, R(write(fd, self->buf, 100000)));
	map = mmap(NULL, 100000, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, map);
	ASSERT_EQ(100000, put(self->c, map, 100000, MSG_ZEROCOPY, self->to));
	ASSERT_EQ(100000, R(recv(self->s, in, sizeof(in), 0)));
	EXPECT_TRUE(filled(in, 100000, 11));
	munmap(map, 100000);
	close(fd);
}

/* Calls that fail are not counted */

TEST_F(ttp_zerocopy, what_fails_is_not_counted)
{
	struct sockaddr_ttp nowhere = addr_of(0, 7);
	char *map = pages(8192);

	ASSERT_EQ(0, munmap(map + 4096, 4096));
	EXPECT_EQ(-EFAULT, put(self->c, map, 8192, MSG_ZEROCOPY, self->to));
	EXPECT_EQ(-EFAULT, put(self->c, map + 4096, 4096, MSG_ZEROCOPY,
			       self->to));
	EXPECT_EQ(-EFAULT, put(self->c, map + 4000, 100, MSG_ZEROCOPY,
			       self->to));
	EXPECT_EQ(-EFAULT, put(self->c, NULL, 10000, MSG_ZEROCOPY, self->to));
	EXPECT_EQ(-EMSGSIZE, put(self->c, self->buf, MB(16) + 1, MSG_ZEROCOPY,
				 self->to));
	nowhere.sttp_port = 0;
	EXPECT_EQ(-EINVAL, put(self->c, self->buf, 8192, MSG_ZEROCOPY,
			       nowhere));
	nowhere = self->to;
	nowhere.sttp_rpc = 12345;
	EXPECT_EQ(-ECONNRESET, put(self->c, self->buf, 8192, MSG_ZEROCOPY,
				   nowhere));
	EXPECT_EQ(-EDESTADDRREQ, R(send(self->c, self->buf, 8192,
					MSG_ZEROCOPY)));
	nowhere = addr_of(0, 7);
	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_SNDBUF, 10000));
	ASSERT_EQ(18000, put(self->c, self->buf, 18000, MSG_ZEROCOPY, nowhere));
	EXPECT_EQ(-EAGAIN, put(self->c, self->buf, 18000,
			       MSG_ZEROCOPY | MSG_DONTWAIT, nowhere));
	ASSERT_EQ(0, do_abort(self->c, 0));
	EXPECT_LE(0, wait_done(self->c, 0, 0));
	ASSERT_EQ(8192, put(self->c, self->buf, 8192, MSG_ZEROCOPY, self->to));
	EXPECT_EQ(8192, get_len(self->s));
	ASSERT_EQ(0, do_abort(self->c, 0));
	EXPECT_LE(0, wait_done(self->c, 1, 1));
	munmap(map, 4096);
}

TEST_F(ttp_zerocopy, what_fails_at_the_last_is_not_counted)
{
	struct sockaddr_ttp a = self->to;
	struct done done;
	int i;

	/* One peer is known, and there is no room for another one */
	ASSERT_EQ(1, put(self->c, "x", 1, 0, self->to));
	ASSERT_EQ(1, get_len(self->s));
	ASSERT_EQ(0, sh("ttpctl -n h1 peer flush; "
			"ttpctl -n h1 param set max-peers 1"));
	enter(1);
	a.sttp_addr[5] = 0x77;
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(-ENOBUFS, put(self->c, self->buf, 1000, MSG_ZEROCOPY,
					a));
		EXPECT_EQ(-ENOBUFS, put(self->c, self->buf, 50000, MSG_ZEROCOPY,
					a));
		ASSERT_EQ(50000, put(self->c, self->buf, 50000, MSG_ZEROCOPY,
				     self->to));
		ASSERT_EQ(50000, get_len(self->s));
	}
	/* also of a message in parts, that stays as it was */
	ASSERT_EQ(10000, put(self->c, self->buf, 10000, MSG_ZEROCOPY | MSG_MORE,
			     a));
	EXPECT_EQ(-ENOBUFS, put(self->c, self->buf, 50000, MSG_ZEROCOPY, a));
	EXPECT_EQ(-ENOBUFS, put(self->c, self->buf, 50000, 0, a));
	EXPECT_EQ(0, sh("ttpctl -n h1 param set max-peers 16384"));
	ASSERT_EQ(700, put(self->c, self->buf, 700, MSG_ZEROCOPY, a));
	EXPECT_LE(10700, outq(self->c));
	ASSERT_EQ(0, do_abort(self->c, 0));
	EXPECT_LE(0, wait_done(self->c, 0, 4));
	EXPECT_EQ(-EAGAIN, get_done(self->c, &done));
}

TEST_F(ttp_zerocopy, pages_take_room_in_the_send_buffer)
{
	struct sockaddr_ttp nowhere = addr_of(0, 7);
	int i, n = 0;

	/* a piece of a page takes all of the page */
	struct iovec iov[64];
	struct msghdr msg = {
		.msg_name = &nowhere,
		.msg_namelen = sizeof(nowhere),
		.msg_iov = iov,
		.msg_iovlen = 64,
	};

	for (i = 0; i < 64; i++)
		iov[i] = (struct iovec) { self->buf + 8192 * i, 2048 };
	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_SNDBUF, 65536 * 4));
	while (R(sendmsg(self->c, &msg, MSG_ZEROCOPY | MSG_DONTWAIT)) == 131072)
		n++;
	EXPECT_EQ(1, n);	/* 2 x 64 pages and 2 x 768 bytes do not fit */
	EXPECT_EQ(131072, outq(self->c));
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(131072, R(sendmsg(self->c, &msg, MSG_ZEROCOPY | MSG_DONTWAIT)));
}

TEST_F(ttp_zerocopy, without_memory_for_completions)
{
	struct sockaddr_ttp nowhere = addr_of(0, 7);
	long ret = 0;
	int i, n = 0;

	/* net.core.optmem_max limits those that are outstanding */
	for (i = 0; i < 2000 && ret >= 0; i++) {
		ret = put(self->c, self->buf, 2049,
			  MSG_ZEROCOPY | MSG_DONTWAIT, nowhere);
		n += ret == 2049;
	}
	EXPECT_TRUE(ret == -ENOBUFS || ret == -EAGAIN);
	EXPECT_LT(10, n);
	EXPECT_EQ(n, status_of(self->c).rpcs_out);
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_LE(0, wait_done(self->c, 0, n - 1));
	ASSERT_EQ(8192, put(self->c, self->buf, 8192, MSG_ZEROCOPY, self->to));
	EXPECT_EQ(8192, get_len(self->s));
}

TEST_F(ttp_zerocopy, close_and_a_dead_process_leave_nothing_behind)
{
	struct sockaddr_ttp nowhere = addr_of(0, 7);
	int status, fd = sock(1);
	pid_t pid;

	ASSERT_EQ(0, set_opt(fd, SOL_TTP, TTP_ZEROCOPY, 1));
	ASSERT_EQ(50000, put(fd, self->buf, 50000, MSG_ZEROCOPY, nowhere));
	ASSERT_EQ(50000, put(fd, self->buf, 50000, MSG_ZEROCOPY | MSG_MORE,
			     self->to));
	close(fd);
	pid = fork();
	if (!pid) {
		fd = sock(1);
		set_opt(fd, SOL_TTP, TTP_ZEROCOPY, 1);
		put(fd, self->buf, 50000, MSG_ZEROCOPY, nowhere);
		put(fd, self->buf, 50000, MSG_ZEROCOPY, self->to);
		_exit(0);
	}
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
}

/* Answers outlive their socket, and so do the pages */
TEST_F(ttp_zerocopy, an_answer_goes_out_after_close)
{
	struct sockaddr_ttp a;

	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_ZEROCOPY, 1));
	ASSERT_EQ(1, put(self->c, "x", 1, 0, self->to));
	a = get_request(self->s);
	fill(self->buf, MB(1), 12);
	ASSERT_EQ(MB(1), put(self->s, self->buf, MB(1), MSG_ZEROCOPY, a));
	close(self->s);
	self->s = server(variant->host);
	ASSERT_EQ(MB(1), R(recv(self->c, in, sizeof(in), 0)));
	EXPECT_TRUE(filled(in, MB(1), 12));
}

TEST_F(ttp_zerocopy, a_server_that_restarts_gets_it_again)
{
	struct ttp_send how = { .flags = TTP_F_IDEMPOTENT };
	struct done done;

	/* all of it is kept until the answer is here */
	ASSERT_EQ(50000, put_how(self->c, self->buf, 50000, self->to, how));
	EXPECT_EQ(-EAGAIN, get_done(self->c, &done));
	ASSERT_EQ(1, put(self->s, "x", 1, 0, get_request(self->s)));
	EXPECT_EQ(1, get_len(self->c));
}

/* Together with parts */

TEST_F(ttp_zerocopy, parts_of_a_message_are_counted_each)
{
	struct done done;

	fill(self->buf, 100000, 13);
	ASSERT_EQ(30000, put(self->c, self->buf, 30000, MSG_ZEROCOPY | MSG_MORE,
			     self->to));
	ASSERT_EQ(20000, put(self->c, self->buf + 30000, 20000, MSG_MORE,
			     self->to));
	EXPECT_EQ(-EAGAIN, get_done(self->c, &done));
	/* the second that asks for it is copied, and done at once */
	ASSERT_EQ(20000, put(self->c, self->buf + 50000, 20000,
			     MSG_ZEROCOPY | MSG_MORE, self->to));
	EXPECT_EQ(1, wait_done(self->c, 1, 1));
	memset(self->buf + 50000, 0, 20000);
	EXPECT_EQ(-EFAULT, put(self->c, NULL, 10000, MSG_ZEROCOPY, self->to));
	fill(self->buf, 100000, 13);
	ASSERT_EQ(30000, put(self->c, self->buf + 70000, 30000, MSG_ZEROCOPY,
			     self->to));
	EXPECT_EQ(1, wait_done(self->c, 2, 2));
	ASSERT_EQ(100000, R(recv(self->s, in, sizeof(in), 0)));
	EXPECT_TRUE(filled(in, 100000, 13));
	ASSERT_EQ(0, do_abort(self->c, 0));
	EXPECT_LE(0, wait_done(self->c, 0, 0));
}

TEST_F(ttp_zerocopy, parts_around_the_programs_pages)
{
	fill(self->buf, 30000, 14);
	ASSERT_EQ(100, put(self->c, self->buf, 100, MSG_MORE, self->to));
	ASSERT_EQ(20000, put(self->c, self->buf + 100, 20000,
			     MSG_ZEROCOPY | MSG_MORE, self->to));
	ASSERT_EQ(9900, put(self->c, self->buf + 20100, 9900, 0, self->to));
	ASSERT_EQ(30000, R(recv(self->s, in, sizeof(in), 0)));
	EXPECT_TRUE(filled(in, 30000, 14));
	EXPECT_TRUE(filled(self->buf, 30000, 14));
}

TEST_F(ttp_zerocopy, a_message_in_parts_that_is_given_up)
{
	ASSERT_EQ(30000, put(self->c, self->buf, 30000, MSG_ZEROCOPY | MSG_MORE,
			     self->to));
	ASSERT_EQ(0, shutdown(self->c, SHUT_WR));
	EXPECT_EQ(0, wait_done(self->c, 0, 0));
}

/* With loss, and threads: memory is used again as soon as it is done with */

FIXTURE(zerocopy_loss) {
	int s;
	struct sockaddr_ttp to;
};

FIXTURE_SETUP(zerocopy_loss)
{
	self->s = server(2);
	ASSERT_LE(0, self->s);
	self->to = addr_of(2, port_of(self->s));
}

FIXTURE_TEARDOWN(zerocopy_loss)
{
	close(self->s);
}

#define SLOTS	8
#define SLOT	KB(256)

/* Echoes by zero copy, from the buffer that it reads to when that is free */
static long job_echo_pages(struct job *job)
{
	char *buf = pages(SLOT);
	struct sockaddr_ttp a;
	uint32_t count = 0;
	socklen_t len;
	long n, ret;

	for (;;) {
		len = sizeof(a);
		n = R(recvfrom(job->fd, buf, SLOT, 0, (void *)&a, &len));
		if (n <= 0)
			break;
		ret = put(job->fd, buf, n, MSG_ZEROCOPY, a);
		if (ret != n)
			return ret;
		ret = wait_done(job->fd, count, count);
		if (ret < 0)
			return ret;
		count++;
	}
	munmap(buf, SLOT);
	return n ?: (long)count;
}

TEST_F(zerocopy_loss, memory_is_used_again_when_it_is_done_with)
{
	struct job echo = { job_echo_pages, self->s };
	unsigned int i, slot, seen = 0, calls = 400;
	char *buf = pages(SLOTS * SLOT), *back = pages(SLOT);
	uint32_t busy[SLOTS] = {}, id = 0;
	size_t n, at;
	int c = sock(1);
	struct done d;
	long ret;

	ASSERT_EQ(0, set_opt(c, SOL_TTP, TTP_ZEROCOPY, 1));
	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_ZEROCOPY, 1));
	job_start(&echo);
	for (i = 0; i < calls; i++) {
		slot = i % SLOTS;
		/* wait for this one to be free, whatever else is done with */
		while (busy[slot]) {
			ret = get_done(c, &d);
			if (ret == -EAGAIN) {
				events_in(c, 0, 1000);
				continue;
			}
			ASSERT_EQ(0, ret);
			for (; d.first <= d.last; d.first++) {
				ASSERT_EQ(d.first + 1, busy[d.first % SLOTS]);
				busy[d.first % SLOTS] = 0;
				/* now it is ours: spoil it */
				memset(buf + SLOT * (d.first % SLOTS), 0xee,
				       SLOT);
				seen++;
			}
		}
		n = 1 + (rand() % 4 ? rand() % 5000 : rand() % (SLOT - 4096));
		at = SLOT * slot + rand() % 4096;
		fill(buf + at, n, i);
		ASSERT_EQ(n, put(c, buf + at, n, MSG_ZEROCOPY, self->to));
		busy[slot] = ++id;
		ASSERT_EQ(n, R(recv(c, back, SLOT, 0)));
		ASSERT_TRUE(filled(back, n, i));
	}
	while (seen < calls) {
		ret = get_done(c, &d);
		if (ret == -EAGAIN && events_in(c, 0, at_most(5000)) & POLLERR)
			continue;
		ASSERT_EQ(0, ret);
		for (; d.first <= d.last; d.first++, seen++) {
			ASSERT_EQ(d.first + 1, busy[d.first % SLOTS]);
			busy[d.first % SLOTS] = 0;
		}
	}
	EXPECT_EQ(-EAGAIN, get_done(c, &d));
	ASSERT_EQ(0, shutdown(self->s, SHUT_RD));
	EXPECT_EQ(calls, job_end(&echo));
	close(c);
	munmap(buf, SLOTS * SLOT);
	munmap(back, SLOT);
}

static long job_many(struct job *job)
{
	char *buf = pages(KB(64));
	long i, ret;

	for (i = 0; i < 100; i++) {
		/* some of them fail; the others are counted all the same */
		if (i % 10 == 3)
			put(job->fd, NULL, 5000, MSG_ZEROCOPY, job->addr);
		ret = put(job->fd, buf, 1 + rand() % KB(64), MSG_ZEROCOPY,
			  job->addr);
		if (ret == -ENOBUFS) {	/* too many outstanding */
			sleep_ms(1);
			i--;
		} else if (ret < 0) {
			return ret;
		}
	}
	return 0;
}

static long job_sink(struct job *job)
{
	struct got got;
	long n = 0;

	while (get(job->fd, NULL, 0, 0, &got) >= 0 && got.fromlen) {
		n++;
		put(job->fd, "", 1, 0, got.from);
	}
	return n;
}

static long job_drain(struct job *job)
{
	long n = 0;

	while (n < 400 && R(recv(job->fd, in, 1, 0)) == 1)
		n++;
	return n;
}

TEST_F(zerocopy_loss, calls_of_4_threads_are_counted_once)
{
	struct job jobs[4], sink = { job_sink, self->s };
	struct job drain;
	int i, c = sock(1);

	ASSERT_EQ(0, set_opt(c, SOL_TTP, TTP_ZEROCOPY, 1));
	job_start(&sink);
	drain = (struct job) { job_drain, c };
	job_start(&drain);
	for (i = 0; i < 4; i++) {
		jobs[i] = (struct job) { job_many, c, 0, self->to };
		job_start(jobs + i);
	}
	EXPECT_LE(0, wait_done(c, 0, 399));
	for (i = 0; i < 4; i++)
		EXPECT_EQ(0, job_end(jobs + i));
	EXPECT_EQ(400, job_end(&drain));
	ASSERT_EQ(0, shutdown(self->s, SHUT_RD));
	EXPECT_EQ(400, job_end(&sink));
	close(c);
}

FIXTURE(zerocopy_end) { };
FIXTURE_SETUP(zerocopy_end) { }
FIXTURE_TEARDOWN(zerocopy_end) { }

TEST_F(zerocopy_end, all_is_given_back)
{
	EXPECT_TRUE(quiet(1));
	EXPECT_TRUE(quiet(2));
}

TEST_HARNESS_MAIN
