// SPDX-License-Identifier: GPL-2.0
/*
 * The calls on a socket and the messages that pass, between two hosts and
 * from a host to itself.
 */
#include "ttp_test.h"

static char out[MB(16) + 1], in[MB(16) + 1];

FIXTURE(ttp_sock) {
	int c;			/* client, in h1 */
	int s;			/* server */
	struct sockaddr_ttp to;	/* its address */
};

FIXTURE_VARIANT(ttp_sock) {
	int host;		/* of the server */
};

FIXTURE_VARIANT_ADD(ttp_sock, wire) { 2 };
FIXTURE_VARIANT_ADD(ttp_sock, loop) { 1 };

FIXTURE_SETUP(ttp_sock)
{
	self->s = server(variant->host);
	ASSERT_LE(0, self->s);
	self->to = addr_of(variant->host, port_of(self->s));
	self->c = sock(1);
	ASSERT_LE(0, self->c);
}

FIXTURE_TEARDOWN(ttp_sock)
{
	close(self->c);
	close(self->s);
}

/* Names */

TEST_F(ttp_sock, name_of_a_fresh_socket_is_empty)
{
	struct sockaddr_ttp a, none = { .sttp_family = AF_TTP };
	socklen_t len = sizeof(a);

	memset(&a, 0xff, sizeof(a));
	ASSERT_EQ(0, getsockname(self->c, (void *)&a, &len));
	EXPECT_EQ(sizeof(a), len);
	EXPECT_EQ(0, memcmp(&a, &none, sizeof(a)));
	EXPECT_EQ(-ENOTCONN, R(getpeername(self->c, (void *)&a, &len)));
}

TEST_F(ttp_sock, name_is_cut_to_the_buffer)
{
	struct sockaddr_ttp a;
	socklen_t len = 4;

	memset(&a, 0xff, sizeof(a));
	ASSERT_EQ(0, getsockname(self->s, (void *)&a, &len));
	EXPECT_EQ(sizeof(a), len);
	EXPECT_EQ(self->to.sttp_port, a.sttp_port);
	EXPECT_EQ(-1, a.sttp_ifindex);
}

TEST_F(ttp_sock, bind_sets_the_name)
{
	int eth0 = ifindex(1, "eth0");
	struct sockaddr_ttp a;

	EXPECT_EQ(0, bind_to(self->c, 700, eth0));
	a = own_addr(self->c);
	EXPECT_EQ(700, ntohs(a.sttp_port));
	EXPECT_EQ(eth0, a.sttp_ifindex);
	EXPECT_EQ(-EINVAL, bind_to(self->c, 701, 0));
}

TEST_F(ttp_sock, bind_chooses_a_port_from_32768_up)
{
	int i, port, last = port_of(self->s), same = 0;

	EXPECT_LE(32768, last);
	for (i = 0; i < 16; i++) {
		int fd = server(1);

		port = port_of(fd);
		EXPECT_LE(32768, port);
		same += port == last + 1;
		last = port;
		close(fd);
	}
	EXPECT_GT(8, same);	/* they are random */
}

TEST_F(ttp_sock, a_port_comes_with_connect_listen_or_send)
{
	int fd = sock(1);

	EXPECT_EQ(0, port_of(fd));
	EXPECT_EQ(0, connect_to(fd, self->to));
	EXPECT_LE(32768, port_of(fd));
	EXPECT_EQ(-EINVAL, bind_to(fd, 5, 0));
	close(fd);

	fd = sock(1);
	EXPECT_EQ(0, set_opt(fd, SOL_TTP, TTP_LISTEN, 1));
	EXPECT_LE(32768, port_of(fd));
	EXPECT_EQ(-EINVAL, bind_to(fd, 5, 0));
	close(fd);

	fd = sock(1);
	EXPECT_EQ(1, put(fd, "x", 1, 0, self->to));
	EXPECT_LE(32768, port_of(fd));
	EXPECT_EQ(-EINVAL, bind_to(fd, 5, 0));
	close(fd);
}

TEST_F(ttp_sock, an_address_longer_than_ours_is_fine)
{
	char b[64];

	memset(b, 0xff, sizeof(b));
	memcpy(b, &self->to, sizeof(self->to));
	EXPECT_EQ(0, R(connect(self->c, (void *)b, sizeof(b))));
	EXPECT_EQ(1, R(sendto(self->c, "x", 1, 0, (void *)b, sizeof(b))));
}

TEST_F(ttp_sock, connect_settles_the_device)
{
	struct sockaddr_ttp a;
	socklen_t len = sizeof(a);

	ASSERT_EQ(0, connect_to(self->c, self->to));
	ASSERT_EQ(0, getpeername(self->c, (void *)&a, &len));
	self->to.sttp_ifindex = ifindex(1, "eth0");
	EXPECT_EQ(sizeof(a), len);
	EXPECT_EQ(0, memcmp(&a, &self->to, sizeof(a)));
	EXPECT_EQ(0, own_addr(self->c).sttp_ifindex);
}

TEST_F(ttp_sock, connect_can_be_changed_and_undone)
{
	int other = server(variant->host);
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	struct sockaddr_ttp a = addr_of(variant->host, port_of(other));
	socklen_t len = sizeof(a);

	ASSERT_EQ(0, connect_to(self->c, self->to));
	ASSERT_EQ(0, connect_to(self->c, a));
	EXPECT_EQ(3, R(send(self->c, "abc", 3, 0)));
	EXPECT_EQ(3, get_len(other));
	EXPECT_EQ(0, R(connect(self->c, &none, 2)));
	EXPECT_EQ(-ENOTCONN, R(getpeername(self->c, (void *)&a, &len)));
	EXPECT_EQ(-EDESTADDRREQ, R(send(self->c, "abc", 3, 0)));
	EXPECT_EQ(2, put(self->c, "ab", 2, 0, self->to));
	EXPECT_EQ(2, get_len(self->s));
}

TEST_F(ttp_sock, a_device_may_be_named_or_left_out)
{
	int eth0 = ifindex(1, "eth0");

	self->to.sttp_ifindex = eth0;
	EXPECT_EQ(1, put(self->c, "x", 1, 0, self->to));
	EXPECT_EQ(1, get_len(self->s));
	ASSERT_EQ(0, connect_to(self->c, self->to));
	EXPECT_EQ(1, put(self->c, "x", 1, 0, self->to));
	self->to.sttp_ifindex = 0;	/* then it means the resolved one */
	EXPECT_EQ(1, put(self->c, "x", 1, 0, self->to));
}

TEST_F(ttp_sock, bound_to_a_device_by_option)
{
	ASSERT_EQ(0, R(setsockopt(self->c, SOL_SOCKET, SO_BINDTODEVICE, "eth0",
				  5)));
	EXPECT_EQ(1, put(self->c, "x", 1, 0, self->to));
	EXPECT_EQ(1, get_len(self->s));
	EXPECT_EQ(ifindex(1, "eth0"), own_addr(self->c).sttp_ifindex);
}

/* Messages */

TEST_F(ttp_sock, a_request_and_its_answer)
{
	struct sockaddr_ttp from;
	struct got got;

	ASSERT_EQ(4, put(self->c, "ping", 4, 0, self->to));
	ASSERT_EQ(4, get(self->s, in, 10, 0, &got));
	EXPECT_EQ(0, memcmp(in, "ping", 4));
	EXPECT_EQ(0, got.flags);
	EXPECT_FALSE(got.has_info);
	EXPECT_EQ(sizeof(got.from), got.fromlen);
	EXPECT_NE(0, got.from.sttp_rpc);
	from = addr_of(1, port_of(self->c));
	from.sttp_ifindex = ifindex(variant->host, "eth0");
	from.sttp_rpc = got.from.sttp_rpc;
	EXPECT_EQ(0, memcmp(&from, &got.from, sizeof(from)));

	ASSERT_EQ(5, put(self->s, "pong!", 5, 0, got.from));
	ASSERT_EQ(5, get(self->c, in, 10, 0, &got));
	EXPECT_EQ(0, memcmp(in, "pong!", 5));
	EXPECT_EQ(sizeof(got.from), got.fromlen);
	self->to.sttp_ifindex = ifindex(1, "eth0");
	EXPECT_EQ(0, memcmp(&self->to, &got.from, sizeof(got.from)));
	EXPECT_EQ(-EAGAIN, R(recv(self->c, in, 1, MSG_DONTWAIT)));
	EXPECT_EQ(-EAGAIN, R(recv(self->s, in, 1, MSG_DONTWAIT)));
}

TEST_F(ttp_sock, the_usual_loop_of_a_udp_server)
{
	struct sockaddr_ttp a;
	socklen_t len;
	int i;

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(4, put(self->c, &i, 4, 0, self->to));
		len = sizeof(a);
		ASSERT_EQ(4, R(recvfrom(self->s, in, 9, 0, (void *)&a, &len)));
		ASSERT_EQ(4, R(sendto(self->s, in, 4, 0, (void *)&a, len)));
		ASSERT_EQ(4, R(recv(self->c, in, 9, 0)));
		ASSERT_EQ(0, memcmp(&i, in, 4));
	}
}

TEST_F(ttp_sock, connected_sockets_send_recv_read_and_write)
{
	struct iovec iov[2] = { { "ab", 2 }, { "cde", 3 } };
	struct iovec to[2] = { { in, 1 }, { in + 1, 9 } };

	ASSERT_EQ(0, connect_to(self->c, self->to));
	EXPECT_EQ(2, R(write(self->c, "xy", 2)));
	EXPECT_EQ(2, put(self->s, "zz", 2, 0, get_request(self->s)));
	EXPECT_EQ(2, R(read(self->c, in, 9)));
	EXPECT_EQ(0, memcmp(in, "zz", 2));

	EXPECT_EQ(3, R(send(self->c, "xyz", 3, 0)));
	EXPECT_EQ(1, put(self->s, "w", 1, 0, get_request(self->s)));
	EXPECT_EQ(1, R(recv(self->c, in, 9, 0)));

	EXPECT_EQ(5, R(writev(self->c, iov, 2)));
	EXPECT_EQ(5, R(readv(self->s, to, 2)));
	EXPECT_EQ(0, memcmp(in, "abcde", 5));
}

TEST_F(ttp_sock, a_connected_server_answers_by_tag)
{
	struct sockaddr_ttp a, c;

	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_LISTEN, 1));
	c = addr_of(1, port_of(self->c));
	ASSERT_EQ(0, connect_to(self->s, c));
	ASSERT_EQ(1, put(self->c, "x", 1, 0, self->to));
	a = get_request(self->s);
	/* a request of its own, while it has one */
	EXPECT_EQ(2, R(send(self->s, "yy", 2, 0)));
	EXPECT_EQ(2, get_len(self->c));
	EXPECT_EQ(3, put(self->s, "zzz", 3, 0, a));
	EXPECT_EQ(3, get_len(self->c));
}

TEST_F(ttp_sock, a_connected_socket_refuses_strangers)
{
	int stranger = server(1);

	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_LISTEN, 1));
	ASSERT_EQ(0, connect_to(self->s, addr_of(1, port_of(self->c))));
	EXPECT_EQ(1, put(stranger, "x", 1, 0, self->to));
	EXPECT_EQ(-ECONNREFUSED, get_len(stranger));
	EXPECT_EQ(2, put(self->c, "xx", 2, 0, self->to));
	EXPECT_EQ(2, get_len(self->s));
}

static const int sizes[] = {
	0, 1, 2, 45, 46, 47, 255, 256, 1023, 1024, 1400, 1420, 1436, 1440,
	1444, 1448, 1460, 1499, 1500, 1501, 2047, 2048, 2049, 2900, 4095, 4096,
	4097, 8191, 39999, 40000, 40001, 41500, 65535, 65536, 65537, 100000,
	131072, 262143, 500001, 1048575, 1048576,
};

TEST_F(ttp_sock, lengths_from_0_to_1_mib)
{
	struct got got;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		long n = sizes[i];

		fill(out, n, i);
		ASSERT_EQ(n, put(self->c, out, n, 0, self->to));
		memset(in, 0xff, n + 1);
		ASSERT_EQ(n, get(self->s, in, n + 1, 0, &got));
		ASSERT_TRUE(filled(in, n, i));
		ASSERT_EQ('\xff', in[n]);
		ASSERT_EQ(0, got.flags & MSG_TRUNC);
		fill(out, n, i + 1);
		ASSERT_EQ(n, put(self->s, out, n, 0, got.from));
		ASSERT_EQ(n, R(recv(self->c, in, n + 1, 0)));
		ASSERT_TRUE(filled(in, n, i + 1));
	}
}

TEST_F(ttp_sock, the_longest_message)
{
	struct sockaddr_ttp a;
	struct got got;

	fill(out, MB(16), 1);
	EXPECT_EQ(MB(16), get_opt(self->s, SOL_TTP, TTP_MAX_MSG));
	EXPECT_EQ(-EMSGSIZE, put(self->c, out, MB(16) + 1, 0, self->to));
	ASSERT_EQ(MB(16), put(self->c, out, MB(16), 0, self->to));
	ASSERT_EQ(MB(16), get(self->s, in, sizeof(in), 0, &got));
	EXPECT_TRUE(filled(in, MB(16), 1));
	a = got.from;
	EXPECT_EQ(-EMSGSIZE, put(self->s, out, MB(16) + 1, 0, a));
	ASSERT_EQ(MB(16), put(self->s, out, MB(16), 0, a));
	ASSERT_EQ(MB(16), get(self->c, in, sizeof(in), 0, &got));
	EXPECT_TRUE(filled(in, MB(16), 1));
}

TEST_F(ttp_sock, max_msg_limits_requests)
{
	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_MAX_MSG, 5000));
	EXPECT_EQ(5000, get_opt(self->s, SOL_TTP, TTP_MAX_MSG));
	EXPECT_EQ(5000, put(self->c, out, 5000, 0, self->to));
	EXPECT_EQ(5000, get_len(self->s));
	EXPECT_EQ(5001, put(self->c, out, 5001, 0, self->to));
	EXPECT_EQ(-EMSGSIZE, get_len(self->c));
	EXPECT_EQ(MB(1), put(self->c, out, MB(1), 0, self->to));
	EXPECT_EQ(-EMSGSIZE, get_len(self->c));
	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_MAX_MSG, 0));
	EXPECT_EQ(MB(16), get_opt(self->s, SOL_TTP, TTP_MAX_MSG));
	EXPECT_EQ(5001, put(self->c, out, 5001, 0, self->to));
	EXPECT_EQ(5001, get_len(self->s));
}

TEST_F(ttp_sock, max_msg_limits_answers)
{
	struct sockaddr_ttp a;

	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_MAX_MSG, 100));
	EXPECT_EQ(200, put(self->c, out, 200, 0, self->to));
	a = get_request(self->s);
	EXPECT_EQ(-EMSGSIZE, put(self->s, out, 101, 0, a));
	EXPECT_EQ(100, put(self->s, out, 100, 0, a));	/* it stayed open */
	EXPECT_EQ(100, get_len(self->c));
}

TEST_F(ttp_sock, iovecs_are_gathered_and_scattered)
{
	struct iovec iov[1024], to[1024];
	struct msghdr msg = {
		.msg_name = &self->to,
		.msg_namelen = sizeof(self->to),
		.msg_iov = iov,
		.msg_iovlen = 1024,
	};
	size_t i, at = 0, at2 = 0, n;

	for (i = 0; i < 1024; i++) {
		n = i % 5 ? i % 40 : 0;
		iov[i] = (struct iovec) { n ? out + at : NULL, n };
		at += n;
		n = i % 7 ? (i * 13) % 50 : 0;
		to[i] = (struct iovec) { n ? in + at2 : NULL, n };
		at2 += n;
	}
	ASSERT_LT(at, at2);
	fill(out, at, 9);
	ASSERT_EQ(at, R(sendmsg(self->c, &msg, 0)));
	ASSERT_EQ(at, R(readv(self->s, to, 1024)));
	EXPECT_TRUE(filled(in, at, 9));

	msg.msg_iovlen = 1025;
	EXPECT_EQ(-EMSGSIZE, R(sendmsg(self->c, &msg, 0)));
}

TEST_F(ttp_sock, no_iovecs_and_empty_ones_are_an_empty_message)
{
	struct iovec iov[3] = {};
	struct msghdr msg = {
		.msg_name = &self->to,
		.msg_namelen = sizeof(self->to),
		.msg_iov = iov,
	};
	struct got got;
	int i;

	for (i = 0; i <= 3; i++) {
		msg.msg_iovlen = i;
		EXPECT_EQ(0, R(sendmsg(self->c, &msg, 0)));
		EXPECT_EQ(0, get(self->s, in, 1, 0, &got));
		EXPECT_NE(0, got.from.sttp_rpc);
		EXPECT_EQ(0, put(self->s, NULL, 0, 0, got.from));
		EXPECT_EQ(0, get(self->c, in, 1, 0, &got));
		EXPECT_EQ(self->to.sttp_port, got.from.sttp_port);
	}
}

TEST_F(ttp_sock, a_send_call_leaves_the_callers_memory_alone)
{
	struct sockaddr_ttp a = self->to;
	struct msghdr msg = { .msg_name = &a, .msg_namelen = sizeof(a) };
	struct msghdr copy = msg;

	EXPECT_EQ(0, R(sendmsg(self->c, &msg, 0)));
	EXPECT_EQ(0, memcmp(&a, &self->to, sizeof(a)));
	EXPECT_EQ(0, memcmp(&msg, &copy, sizeof(msg)));
}

TEST_F(ttp_sock, data_is_copied_before_the_call_returns)
{
	fill(out, MB(1), 1);
	EXPECT_EQ(MB(1), put(self->c, out, MB(1), 0, self->to));
	memset(out, 0, MB(1));
	EXPECT_EQ(MB(1), R(recv(self->s, in, sizeof(in), 0)));
	EXPECT_TRUE(filled(in, MB(1), 1));
}

/* Receiving */

TEST_F(ttp_sock, a_small_buffer_gets_the_start_and_the_rest_is_gone)
{
	struct got got;

	fill(out, 5000, 3);
	ASSERT_EQ(5000, put(self->c, out, 5000, 0, self->to));
	ASSERT_EQ(2, put(self->c, "ab", 2, 0, self->to));
	memset(in, 0xff, 1700);
	EXPECT_EQ(1600, get(self->s, in, 1600, 0, &got));
	EXPECT_EQ(MSG_TRUNC, got.flags & MSG_TRUNC);
	EXPECT_TRUE(filled(in, 1600, 3));
	EXPECT_EQ('\xff', in[1600]);
	EXPECT_EQ(2, get(self->s, in, 2, 0, &got));
	EXPECT_EQ(0, got.flags & MSG_TRUNC);
}

TEST_F(ttp_sock, trunc_as_a_flag_returns_the_real_length)
{
	struct got got;

	ASSERT_EQ(5000, put(self->c, out, 5000, 0, self->to));
	EXPECT_EQ(5000, get(self->s, in, 10, MSG_TRUNC | MSG_PEEK, &got));
	EXPECT_EQ(MSG_TRUNC, got.flags & MSG_TRUNC);
	EXPECT_EQ(5000, get(self->s, NULL, 0, MSG_TRUNC | MSG_PEEK, &got));
	EXPECT_EQ(5000, get(self->s, in, 6000, MSG_TRUNC, &got));
	EXPECT_EQ(0, got.flags & MSG_TRUNC);
	EXPECT_EQ(-EAGAIN, R(recv(self->s, in, 1, MSG_DONTWAIT)));
}

TEST_F(ttp_sock, peek_leaves_the_message)
{
	struct got first, got;
	int i;

	ASSERT_EQ(3, put(self->c, "abc", 3, 0, self->to));
	ASSERT_EQ(3, get(self->s, in, 9, MSG_PEEK, &first));
	for (i = 0; i < 3; i++) {
		memset(in, 0, 3);
		EXPECT_EQ(i, get(self->s, in, i, MSG_PEEK, &got));
		EXPECT_EQ(0, memcmp(in, "abc", i));
		EXPECT_EQ(0, memcmp(&first.from, &got.from, sizeof(got.from)));
		EXPECT_EQ(3, inq(self->s));
	}
	EXPECT_EQ(3, get(self->s, in, 9, 0, &got));
	EXPECT_EQ(0, memcmp(&first.from, &got.from, sizeof(got.from)));
	EXPECT_EQ(1, put(self->s, "x", 1, 0, got.from));
	EXPECT_EQ(1, get(self->c, in, 9, MSG_PEEK, &got));
	EXPECT_EQ(1, get(self->c, in, 9, 0, &got));
	EXPECT_EQ(-EAGAIN, R(recv(self->c, in, 1, MSG_DONTWAIT)));
}

TEST_F(ttp_sock, a_peeked_tag_answers_and_the_message_stays)
{
	struct got peeked, got;

	ASSERT_EQ(3000, put(self->c, out, 3000, 0, self->to));
	ASSERT_EQ(3000, get(self->s, NULL, 0, MSG_PEEK | MSG_TRUNC, &peeked));
	EXPECT_EQ(4000, put(self->s, out, 4000, 0, peeked.from));
	EXPECT_EQ(-ECONNRESET, put(self->s, out, 1, 0, peeked.from));
	EXPECT_EQ(4000, get_len(self->c));
	EXPECT_TRUE(WAIT_FOR(!outq(self->s)));
	EXPECT_EQ(-ECONNRESET, put(self->s, out, 1, 0, peeked.from));
	EXPECT_EQ(3000, inq(self->s));
	EXPECT_EQ(3000, get(self->s, in, 9, MSG_PEEK | MSG_TRUNC, &got));
	EXPECT_EQ(3000, get(self->s, in, 9, MSG_TRUNC, &got));
	EXPECT_EQ(0, memcmp(&peeked.from, &got.from, sizeof(got.from)));
	EXPECT_EQ(-ECONNRESET, put(self->s, out, 1, 0, peeked.from));
	EXPECT_EQ(0, status_of(self->s).rpcs_in);
	EXPECT_EQ(0, status_of(self->s).rcv_bytes);
}

TEST_F(ttp_sock, answered_by_a_peeked_tag_received_before_the_ack)
{
	struct got got;

	ASSERT_EQ(3, put(self->c, "abc", 3, 0, self->to));
	ASSERT_EQ(3, get(self->s, in, 9, MSG_PEEK, &got));
	EXPECT_EQ(2, put(self->s, "xy", 2, 0, got.from));
	EXPECT_EQ(3, get(self->s, in, 9, 0, &got));
	EXPECT_EQ(2, get_len(self->c));
	EXPECT_TRUE(WAIT_FOR(!status_of(self->s).rpcs_in));
}

TEST_F(ttp_sock, waitall_and_others_have_no_effect)
{
	ASSERT_EQ(2, put(self->c, "ab", 2, MSG_NOSIGNAL | MSG_CONFIRM | MSG_EOR,
			 self->to));
	EXPECT_EQ(2, R(recv(self->s, in, 100, MSG_WAITALL)));
	ASSERT_EQ(2, put(self->c, "ab", 2, 0, self->to));
	EXPECT_EQ(2, R(recv(self->s, in, 100, MSG_CMSG_CLOEXEC)));
}

TEST_F(ttp_sock, the_oldest_complete_message_comes_first)
{
	struct ttp_send oneway = { .flags = TTP_F_ONEWAY };
	int i;

	for (i = 0; i < 30; i++)
		ASSERT_EQ(4, put_how(self->c, &i, 4, self->to, oneway));
	for (i = 0; i < 30; i++) {
		ASSERT_EQ(4, R(recv(self->s, in, 9, 0)));
		ASSERT_EQ(0, memcmp(in, &i, 4));
	}
}

TEST_F(ttp_sock, sendmmsg_and_recvmmsg)
{
	struct iovec iov[4] = { { "a", 1 }, { "bb", 2 }, {}, { "dddd", 4 } };
	struct mmsghdr msg[4] = {};
	struct sockaddr_ttp from[4];
	int i;

	for (i = 0; i < 4; i++)
		msg[i].msg_hdr = (struct msghdr) {
			.msg_name = &self->to,
			.msg_namelen = sizeof(self->to),
			.msg_iov = iov + i,
			.msg_iovlen = 1,
		};
	ASSERT_EQ(4, R(sendmmsg(self->c, msg, 4, 0)));
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(iov[i].iov_len, msg[i].msg_len);
		iov[i] = (struct iovec) { in + 16 * i, 16 };
		msg[i].msg_hdr.msg_name = from + i;
		msg[i].msg_len = 0;
	}
	ASSERT_EQ(4, R(recvmmsg(self->s, msg, 4, 0, NULL)));
	EXPECT_EQ(0, memcmp(in, "a", 1));
	EXPECT_EQ(0, memcmp(in + 16, "bb", 2));
	EXPECT_EQ(0, memcmp(in + 48, "dddd", 4));
	EXPECT_EQ(0, msg[2].msg_len);
	for (i = 0; i < 4; i++) {
		EXPECT_NE(0, from[i].sttp_rpc);
		EXPECT_EQ(sizeof(from[i]), msg[i].msg_hdr.msg_namelen);
	}
	ASSERT_EQ(4, R(sendmmsg(self->s, msg, 4, 0)));
	ASSERT_EQ(1, R(recvmmsg(self->c, msg, 1, 0, NULL)));
	ASSERT_EQ(3, R(recvmmsg(self->c, msg, 4, MSG_WAITFORONE, NULL)));
}

TEST_F(ttp_sock, ioctl_tells_what_is_queued)
{
	struct sockaddr_ttp a;
	int n;

	EXPECT_EQ(0, inq(self->s));
	EXPECT_EQ(0, outq(self->c));
	EXPECT_EQ(-ENOTTY, R(ioctl(self->c, TIOCSTI, &n)));
	ASSERT_EQ(700, put(self->c, out, 700, 0, self->to));
	ASSERT_EQ(30, put(self->c, out, 30, 0, self->to));
	EXPECT_TRUE(WAIT_FOR(status_of(self->s).rcv_bytes == 730));
	EXPECT_EQ(700, inq(self->s));	/* the next message */
	a = get_request(self->s);
	EXPECT_EQ(30, inq(self->s));
	EXPECT_EQ(900, put(self->s, out, 900, 0, a));
	EXPECT_LE(0, outq(self->s));
	EXPECT_EQ(900, get_len(self->c));
	EXPECT_TRUE(WAIT_FOR(!outq(self->s)));	/* acknowledged */
	a = get_request(self->s);
	EXPECT_EQ(0, inq(self->s));
	EXPECT_EQ(0, put(self->s, out, 0, 0, a));
	EXPECT_EQ(0, get_len(self->c));
	EXPECT_TRUE(WAIT_FOR(!outq(self->c)));
}

TEST_F(ttp_sock, outq_counts_what_nobody_acknowledges)
{
	struct sockaddr_ttp nowhere = addr_of(0, 7);

	EXPECT_EQ(700, put(self->c, out, 700, 0, nowhere));
	EXPECT_EQ(3000, put(self->c, out, 3000, 0, nowhere));
	EXPECT_EQ(3700, outq(self->c));
	EXPECT_EQ(3700, status_of(self->c).snd_bytes);
	EXPECT_EQ(2, status_of(self->c).rpcs_out);
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(0, outq(self->c));
}

/* Options of SOL_SOCKET */

TEST_F(ttp_sock, socket_options_read)
{
	uint64_t cookie = 0, zero[16] = {}, meminfo[16];
	socklen_t len = sizeof(cookie);

	EXPECT_EQ(AF_TTP, get_opt(self->c, SOL_SOCKET, SO_DOMAIN));
	EXPECT_EQ(SOCK_DGRAM, get_opt(self->c, SOL_SOCKET, SO_TYPE));
	EXPECT_EQ(0, get_opt(self->c, SOL_SOCKET, SO_PROTOCOL));
	EXPECT_EQ(0, get_opt(self->c, SOL_SOCKET, SO_ACCEPTCONN));
	EXPECT_EQ(0, get_opt(self->c, SOL_SOCKET, SO_ERROR));
	EXPECT_EQ(0, R(getsockopt(self->c, SOL_SOCKET, SO_COOKIE, &cookie,
				  &len)));
	EXPECT_NE(0, cookie);
	len = sizeof(meminfo);
	memcpy(meminfo, zero, sizeof(zero));
	EXPECT_EQ(0, R(getsockopt(self->c, SOL_SOCKET, SO_MEMINFO, meminfo,
				  &len)));
	EXPECT_NE(0, memcmp(meminfo, zero, sizeof(zero)));
}

TEST_F(ttp_sock, buffers_are_4_mib_and_follow_the_kernels_rules)
{
	EXPECT_EQ(4194304, get_opt(self->c, SOL_SOCKET, SO_RCVBUF));
	EXPECT_EQ(4194304, get_opt(self->c, SOL_SOCKET, SO_SNDBUF));
	EXPECT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_RCVBUF, 50000));
	EXPECT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_SNDBUF, 60000));
	EXPECT_EQ(100000, get_opt(self->c, SOL_SOCKET, SO_RCVBUF));
	EXPECT_EQ(120000, get_opt(self->c, SOL_SOCKET, SO_SNDBUF));
	EXPECT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_RCVBUF, 1 << 30));
	EXPECT_GT(1 << 30, get_opt(self->c, SOL_SOCKET, SO_RCVBUF));
}

TEST_F(ttp_sock, socket_options_set)
{
	EXPECT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_PRIORITY, 3));
	EXPECT_EQ(3, get_opt(self->c, SOL_SOCKET, SO_PRIORITY));
	EXPECT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_MARK, 7));
	EXPECT_EQ(7, get_opt(self->c, SOL_SOCKET, SO_MARK));
	EXPECT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_REUSEADDR, 1));
	EXPECT_EQ(1, put(self->c, "x", 1, 0, self->to));
	EXPECT_EQ(1, get_len(self->s));
}

/* Sharing */

TEST_F(ttp_sock, dup_shares_the_tag)
{
	int fd = dup(self->s);

	ASSERT_EQ(1, put(self->c, "x", 1, 0, self->to));
	EXPECT_EQ(2, put(fd, "ab", 2, 0, get_request(self->s)));
	EXPECT_EQ(2, get_len(self->c));
	close(self->s);
	ASSERT_EQ(1, put(self->c, "x", 1, 0, self->to));
	EXPECT_EQ(2, put(fd, "ab", 2, 0, get_request(fd)));
	EXPECT_EQ(2, get_len(self->c));
	close(fd);
}

TEST_F(ttp_sock, fork_shares_the_tag)
{
	struct sockaddr_ttp a;
	int status;
	pid_t pid;

	ASSERT_EQ(1, put(self->c, "x", 1, 0, self->to));
	a = get_request(self->s);
	pid = fork();
	if (!pid)
		_exit(put(self->s, "abc", 3, 0, a));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(3, WEXITSTATUS(status));
	EXPECT_EQ(3, get_len(self->c));
	EXPECT_EQ(-ECONNRESET, put(self->s, "abc", 3, 0, a));
}

static int pass_fd(int via, int fd)	/* fd -1: receive one */
{
	union {
		char buf[CMSG_SPACE(sizeof(fd))];
		struct cmsghdr align;
	} control = {};
	struct iovec iov = { "", 1 };
	char byte;
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	if (fd < 0) {
		iov.iov_base = &byte;
		if (recvmsg(via, &msg, 0) < 0)
			return -1;
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
		return fd;
	}
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	return sendmsg(via, &msg, 0);
}

TEST_F(ttp_sock, a_passed_socket_shares_the_tag)
{
	int pair[2], status;
	pid_t pid;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
	pid = fork();
	if (!pid) {
		struct sockaddr_ttp a;
		int fd;

		close(self->s);
		fd = pass_fd(pair[1], -1);
		recv(pair[1], &a, sizeof(a), 0);
		_exit(put(fd, "abc", 3, 0, a));
	}
	ASSERT_EQ(1, put(self->c, "x", 1, 0, self->to));
	self->to = get_request(self->s);
	ASSERT_EQ(1, pass_fd(pair[0], self->s));
	close(self->s);		/* the other process keeps it */
	ASSERT_EQ(32, send(pair[0], &self->to, 32, 0));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(3, WEXITSTATUS(status));
	EXPECT_EQ(3, get_len(self->c));
}

TEST_F(ttp_sock, sockets_of_other_families_are_unharmed)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	EXPECT_EQ(-ENOTSOCK, R(bind(STDIN_FILENO, (void *)&self->to, 32)));
	EXPECT_EQ(-EINVAL, R(bind(fd, (void *)&self->to, 32)));
}

/* Namespaces */

FIXTURE(ttp_netns) { };
FIXTURE_SETUP(ttp_netns) { }
FIXTURE_TEARDOWN(ttp_netns) { }

TEST_F(ttp_netns, ports_are_its_own)
{
	int s1 = server(1), s2 = sock(2), s3 = sock(1);
	int port = port_of(s1);

	EXPECT_EQ(0, bind_to(s2, port, 0));
	EXPECT_EQ(-EADDRINUSE, bind_to(s3, port, 0));
	EXPECT_EQ(1, put(s3, "x", 1, 0, addr_of(2, port)));
	EXPECT_EQ(1, get_len(s2));
	EXPECT_EQ(2, put(s3, "xx", 2, 0, addr_of(1, port)));
	EXPECT_EQ(2, get_len(s1));
	close(s2);
	EXPECT_EQ(-ECONNRESET, get_len(s3));
	EXPECT_EQ(1, put(s3, "x", 1, 0, addr_of(2, port)));
	EXPECT_EQ(-ECONNREFUSED, get_len(s3));
}

TEST_F(ttp_netns, tags_are_its_own)
{
	int s1 = server(1), s2 = server(2);
	struct sockaddr_ttp a;

	EXPECT_EQ(1, put(s1, "x", 1, 0, addr_of(2, port_of(s2))));
	a = get_request(s2);
	EXPECT_EQ(-ECONNRESET, put(s1, "y", 1, 0, a));
	EXPECT_EQ(1, put(s2, "y", 1, 0, a));
	EXPECT_EQ(1, get_len(s1));
}

TEST_F(ttp_netns, counters_are_its_own)
{
	long before = counter(1, "TtpRpcClient");
	int s = server(2), c = sock(2);

	EXPECT_EQ(1, put(c, "x", 1, 0, addr_of(2, port_of(s))));
	EXPECT_EQ(1, get_len(s));
	EXPECT_EQ(before, counter(1, "TtpRpcClient"));
}

TEST_F(ttp_netns, parameters_are_its_own)
{
	int s1 = sock(1), s2 = sock(2);

	EXPECT_EQ(0, sh("ttpctl -n h1 param set max-message 1M"));
	EXPECT_EQ(MB(1), get_opt(s1, SOL_TTP, TTP_MAX_MSG));
	EXPECT_EQ(-EMSGSIZE, put(s1, out, MB(1) + 1, 0, addr_of(2, 9)));
	EXPECT_EQ(MB(16), get_opt(s2, SOL_TTP, TTP_MAX_MSG));
	EXPECT_EQ(0, sh("ttpctl -n h1 param set max-message 16M"));
}

TEST_F(ttp_netns, all_is_given_back)
{
	EXPECT_TRUE(quiet(1));
	EXPECT_TRUE(quiet(2));
}

TEST_HARNESS_MAIN
