// SPDX-License-Identifier: GPL-2.0
/*
 * Options: each of both levels set and read, every length, every bad pointer,
 * and what they do.
 */
#include "contract.h"

#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/sock_diag.h>

static char buf[MB(1)];

static void be_root(bool root)
{
	if (seteuid(root ? 0 : 65534))
		abort();
}

FIXTURE(ttp_opt) {
	int c, s;		/* client in h1, server in h2 */
	struct sockaddr_ttp to;
	char *edge;
};

FIXTURE_SETUP(ttp_opt)
{
	self->edge = edge();
	self->s = server(2);
	self->to = addr_of(2, port_of(self->s));
	self->c = sock(1);
	ASSERT_LE(0, self->c);
}

FIXTURE_TEARDOWN(ttp_opt)
{
	close(self->c);
	close(self->s);
}

/* ---- SOL_TTP */

static const struct {
	int name, fresh, good;
} numbers[] = {
	{ TTP_RECVINFO, 0, 1 },
	{ TTP_LISTEN, 0, 1 },
	{ TTP_MAX_MSG, 16 << 20, 0x123456 },
	{ TTP_TIMEOUT_MS, 0, 0x12345678 },
	{ TTP_PRIORITY, -1, 5 },
	{ TTP_ZEROCOPY, 0, 1 },
};

#define EACH_NUMBER(i)							\
	unsigned int i;							\
	for (i = 0; i < ARRAY_SIZE(numbers); i++)

TEST_F(ttp_opt, numbers_are_set_and_read)
{
	EACH_NUMBER(i) {
		EXPECT_EQ(numbers[i].fresh,
			  get_opt(self->c, SOL_TTP, numbers[i].name));
		EXPECT_EQ(0, set_opt(self->c, SOL_TTP, numbers[i].name,
				     numbers[i].good));
		EXPECT_EQ(numbers[i].good,
			  get_opt(self->c, SOL_TTP, numbers[i].name));
	}
}

/* The one of another socket has not changed */
TEST_F(ttp_opt, numbers_belong_to_a_socket)
{
	int fd = sock(1);

	EACH_NUMBER(i) {
		EXPECT_EQ(0, set_opt(fd, SOL_TTP, numbers[i].name,
				     numbers[i].good));
		EXPECT_EQ(numbers[i].fresh,
			  get_opt(self->c, SOL_TTP, numbers[i].name));
	}
	close(fd);
}

TEST_F(ttp_opt, numbers_may_be_followed_by_anything)
{
	EACH_NUMBER(i) {
		int value[3] = { numbers[i].good, -1, -1 };

		EXPECT_EQ(0, R(setsockopt(self->c, SOL_TTP, numbers[i].name,
					  value, sizeof(value))));
		EXPECT_EQ(numbers[i].good,
			  get_opt(self->c, SOL_TTP, numbers[i].name));
	}
}

TEST_F(ttp_opt, numbers_into_buffers_of_each_length)
{
	unsigned char b[16];
	socklen_t len;
	unsigned int n;

	EACH_NUMBER(i) {
		ASSERT_EQ(0, set_opt(self->c, SOL_TTP, numbers[i].name,
				     numbers[i].good));
		for (n = 0; n <= 8; n++) {
			socklen_t in = n < 4 ? n : 4;

			memset(b, 0xaa, sizeof(b));
			len = n;
			EXPECT_EQ(0, R(getsockopt(self->c, SOL_TTP,
						  numbers[i].name, b, &len)));
			EXPECT_EQ(in, len);
			EXPECT_EQ(0, memcmp(b, &numbers[i].good, in));
			EXPECT_TRUE(all(b + in, 0xaa, sizeof(b) - in));
		}
		len = -1;
		EXPECT_EQ(-EINVAL, R(getsockopt(self->c, SOL_TTP,
						numbers[i].name, b, &len)));
		len = 0x80000000;
		EXPECT_EQ(-EINVAL, R(getsockopt(self->c, SOL_TTP,
						numbers[i].name, b, &len)));
		len = 0x7fffffff;
		EXPECT_EQ(0, R(getsockopt(self->c, SOL_TTP, numbers[i].name, b,
					  &len)));
		EXPECT_EQ(4, len);
	}
}

TEST_F(ttp_opt, pointers_end_in_nothing)
{
	socklen_t len, *lenp = (void *)(self->edge - 4);
	int n, value;

	EACH_NUMBER(i) {
		int name = numbers[i].name;

		for (n = 0; n < 4; n++) {
			before_edge(self->edge, &numbers[i].good, 4, n);
			EXPECT_EQ(-EFAULT, R(setsockopt(self->c, SOL_TTP, name,
							self->edge - n, 4)));
			len = 4;
			EXPECT_EQ(-EFAULT, R(getsockopt(self->c, SOL_TTP, name,
						self->edge - n, &len)));
			EXPECT_EQ(-EFAULT, R(getsockopt(self->c, SOL_TTP, name,
						&value,
						(void *)(self->edge - n))));
			len = n;	/* that much is there */
			EXPECT_EQ(0, R(getsockopt(self->c, SOL_TTP, name,
						  self->edge - n, &len)));
		}
		EXPECT_EQ(-EFAULT, R(setsockopt(self->c, SOL_TTP, name, NULL,
						4)));
		EXPECT_EQ(numbers[i].fresh, get_opt(self->c, SOL_TTP, name));
		*lenp = 4;
		EXPECT_EQ(0, R(getsockopt(self->c, SOL_TTP, name, &value,
					  lenp)));
		EXPECT_EQ(numbers[i].fresh, value);
	}
}

TEST_F(ttp_opt, pointers_need_not_be_aligned)
{
	char b[16];
	int n, value;

	for (n = 0; n < 4; n++) {
		EACH_NUMBER(i) {
			socklen_t len = 4;

			memcpy(b + n, &numbers[i].good, 4);
			EXPECT_EQ(0, R(setsockopt(self->c, SOL_TTP,
						  numbers[i].name, b + n, 4)));
			memset(b, 0xaa, sizeof(b));
			memcpy(b + 8 + n, &len, 4);
			EXPECT_EQ(0, R(getsockopt(self->c, SOL_TTP,
						  numbers[i].name, b + n,
						  (void *)(b + 8 + n))));
			memcpy(&value, b + n, 4);
			EXPECT_EQ(numbers[i].good, value);
		}
	}
}

TEST_F(ttp_opt, values_out_of_range_change_nothing)
{
	static const struct {
		int name, value;
	} bad[] = {
		{ TTP_RECVINFO, 2 }, { TTP_RECVINFO, -1 },
		{ TTP_LISTEN, 2 }, { TTP_LISTEN, INT32_MIN },
		{ TTP_ZEROCOPY, 2 }, { TTP_ZEROCOPY, 0x100 },
		{ TTP_MAX_MSG, (16 << 20) + 1 }, { TTP_MAX_MSG, -1 },
		{ TTP_PRIORITY, 8 }, { TTP_PRIORITY, -2 },
		{ TTP_PRIORITY, 0x10000 }, { TTP_PRIORITY, INT32_MIN },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		int before = get_opt(self->c, SOL_TTP, bad[i].name);

		EXPECT_EQ(-EINVAL, set_opt(self->c, SOL_TTP, bad[i].name,
					   bad[i].value));
		EXPECT_EQ(before, get_opt(self->c, SOL_TTP, bad[i].name));
	}
	EXPECT_EQ(0, port_of(self->c));
}

TEST_F(ttp_opt, timeout_ms_takes_any_number)
{
	EXPECT_EQ(0, set_opt(self->c, SOL_TTP, TTP_TIMEOUT_MS, -1));
	EXPECT_EQ(-1, get_opt(self->c, SOL_TTP, TTP_TIMEOUT_MS));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(1, put(self->s, buf, 1, 0, get_request(self->s)));
	EXPECT_EQ(1, get_len(self->c));
	EXPECT_EQ(1, put_how(self->c, buf, 1, self->to,
			     (struct ttp_send) { .timeout_ms = -1 }));
	EXPECT_EQ(1, put(self->s, buf, 1, 0, get_request(self->s)));
	EXPECT_EQ(1, get_len(self->c));
}

TEST_F(ttp_opt, abort_and_status_have_one_direction)
{
	struct ttp_status st = {};
	socklen_t len = 8;

	EXPECT_EQ(-ENOPROTOOPT, R(getsockopt(self->c, SOL_TTP, TTP_ABORT, &st,
					     &len)));
	EXPECT_EQ(-ENOPROTOOPT, R(setsockopt(self->c, SOL_TTP, TTP_STATUS, &st,
					     sizeof(st))));
}

TEST_F(ttp_opt, abort_values)
{
	uint64_t cookie[2] = { 5, -1 };
	struct ttp_send how = { .cookie = 5 };
	struct sockaddr_ttp nowhere = addr_of(0, 7);
	char b[16];
	int n;

	for (n = 0; n < 8; n++) {
		before_edge(self->edge, cookie, 8, n);
		EXPECT_EQ(-EFAULT, R(setsockopt(self->c, SOL_TTP, TTP_ABORT,
						self->edge - n, 8)));
		EXPECT_EQ(-EINVAL, R(setsockopt(self->c, SOL_TTP, TTP_ABORT,
						cookie, n)));
		ASSERT_EQ(1, put_how(self->c, buf, 1, nowhere, how));
		memcpy(b + n, cookie, 8);
		EXPECT_EQ(0, R(setsockopt(self->c, SOL_TTP, TTP_ABORT, b + n,
					  8)));
		EXPECT_EQ(-ECANCELED, get_len(self->c));
	}
	ASSERT_EQ(1, put_how(self->c, buf, 1, nowhere, how));
	EXPECT_EQ(0, R(setsockopt(self->c, SOL_TTP, TTP_ABORT, cookie, 16)));
	EXPECT_EQ(-ECANCELED, get_len(self->c));
}

/* A failed RPC that was not received yet has ended */
TEST_F(ttp_opt, abort_does_not_match_what_has_failed)
{
	struct ttp_send how = { .cookie = 5 };

	ASSERT_EQ(1, put_how(self->c, buf, 1, addr_of(2, 9), how));
	ASSERT_EQ(POLLIN, events_in(self->c, POLLIN, 10000));
	EXPECT_EQ(-ENOENT, do_abort(self->c, 5));
	EXPECT_EQ(-ECONNREFUSED, get_len(self->c));
	EXPECT_EQ(-EAGAIN, R(recv(self->c, buf, 1, MSG_DONTWAIT)));
}

TEST_F(ttp_opt, abort_is_for_this_socket_only)
{
	struct sockaddr_ttp nowhere = addr_of(0, 7);
	struct ttp_send how = { .cookie = 5, .flags = TTP_F_ONEWAY };
	int fd = sock(1);

	ASSERT_EQ(1, put_how(self->c, buf, 1, nowhere, how));
	EXPECT_EQ(-ENOENT, do_abort(fd, 5));
	EXPECT_EQ(-ENOENT, do_abort(fd, 0));
	EXPECT_EQ(0, do_abort(self->c, 5));
	EXPECT_EQ(-ECANCELED, get_len(self->c));
	close(fd);
}

/* ---- TTP_STATUS */

TEST_F(ttp_opt, status_into_buffers_of_each_length)
{
	unsigned char whole[40], b[64];
	socklen_t len = 40;
	unsigned int n;

	ASSERT_EQ(0, connect_to(self->c, self->to));
	ASSERT_EQ(100, send(self->c, buf, 100, 0));
	ASSERT_EQ(1, put(self->s, buf, 1, 0, get_request(self->s)));
	ASSERT_EQ(1, get_len(self->c));
	ASSERT_EQ(0, getsockopt(self->c, SOL_TTP, TTP_STATUS, whole, &len));
	ASSERT_EQ(40, len);
	for (n = 0; n <= 48; n++) {
		socklen_t in = n < 40 ? n : 40;

		memset(b, 0xaa, sizeof(b));
		len = n;
		EXPECT_EQ(0, R(getsockopt(self->c, SOL_TTP, TTP_STATUS, b,
					  &len)));
		EXPECT_EQ(in, len);
		EXPECT_EQ(0, memcmp(b, whole, in));
		EXPECT_TRUE(all(b + in, 0xaa, sizeof(b) - in));
		len = 40;
		EXPECT_EQ(n < 40 ? -EFAULT : 0,
			  R(getsockopt(self->c, SOL_TTP, TTP_STATUS,
				       self->edge - n, &len)));
	}
}

TEST_F(ttp_opt, status_counts_what_is_open)
{
	struct ttp_status st;
	struct sockaddr_ttp a;

	ASSERT_EQ(0, connect_to(self->c, addr_of(0, 7)));
	ASSERT_EQ(1000, send(self->c, buf, 1000, 0));
	ASSERT_EQ(500, send(self->c, buf, 500, 0));
	st = status_of(self->c);
	EXPECT_EQ(2, st.rpcs_out);
	EXPECT_EQ(0, st.rpcs_in);
	EXPECT_EQ(1500, st.snd_bytes);
	EXPECT_EQ(outq(self->c), st.snd_bytes);
	EXPECT_EQ(0, st.rcv_bytes);
	/* it was never heard */
	EXPECT_EQ(0, st.peer_epoch);
	EXPECT_EQ(0, st.srtt_us);
	EXPECT_EQ(0, do_abort(self->c, 0));
	st = status_of(self->c);
	EXPECT_EQ(2, st.rpcs_out);	/* until that was received */
	EXPECT_EQ(0, st.snd_bytes);

	/* the failures are not bytes; requests of others are */
	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_LISTEN, 1));
	ASSERT_EQ(0, R(connect(self->c, &(struct sockaddr) { AF_UNSPEC }, 2)));
	ASSERT_EQ(700, put(self->s, buf, 700, 0,
			   addr_of(1, port_of(self->c))));
	EXPECT_TRUE(WAIT_FOR(status_of(self->c).rcv_bytes == 700));
	st = status_of(self->c);
	EXPECT_EQ(2, st.rpcs_out);
	EXPECT_EQ(1, st.rpcs_in);
	EXPECT_EQ(0, st.window);
	EXPECT_EQ(0, st.flags);
	EXPECT_EQ(-ECANCELED, get_len(self->c));
	EXPECT_EQ(-ECANCELED, get_len(self->c));
	EXPECT_EQ(0, status_of(self->c).rpcs_out);
	a = get_request(self->c);
	EXPECT_EQ(0, status_of(self->c).rcv_bytes);
	EXPECT_EQ(1, status_of(self->c).rpcs_in);
	EXPECT_EQ(2, put(self->c, buf, 2, 0, a));
	EXPECT_EQ(2, get_len(self->s));
	EXPECT_TRUE(WAIT_FOR(!status_of(self->c).rpcs_in));
}

TEST_F(ttp_opt, status_of_the_peer_goes_with_the_connection)
{
	struct ttp_status st;

	ASSERT_EQ(0, connect_to(self->c, self->to));
	ASSERT_EQ(1, send(self->c, buf, 1, 0));
	ASSERT_EQ(1, put(self->s, buf, 1, 0, get_request(self->s)));
	ASSERT_EQ(1, get_len(self->c));
	st = status_of(self->c);
	EXPECT_EQ(TTP_STATUS_PEER_KNOWN, st.flags);
	EXPECT_NE(0, st.peer_epoch);
	EXPECT_NE(0, st.window);
	ASSERT_EQ(0, R(connect(self->c, &(struct sockaddr) { AF_UNSPEC }, 2)));
	st = status_of(self->c);
	EXPECT_TRUE(all(&st, 0, sizeof(st)));
}

/* ---- what TTP_PRIORITY does */

/* The level that a message of this priority has on the wire */
static int level_of(int c, int s, struct sockaddr_ttp to, int priority,
		    size_t len)
{
	struct ttp_send how = { .flags = TTP_F_ONEWAY };
	struct got got;

	if (set_opt(c, SOL_TTP, TTP_PRIORITY, priority) ||
	    put_how(c, buf, len, to, how) != (long)len ||
	    get(s, NULL, 0, MSG_TRUNC, &got) != (long)len || !got.has_info)
		return -1;
	return got.info.level;
}

TEST_F(ttp_opt, priority_is_the_level_on_the_wire)
{
	int i;

	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_RECVINFO, 1));
	for (i = 0; i < 8; i++) {
		EXPECT_EQ(i, level_of(self->c, self->s, self->to, i, 10));
		EXPECT_EQ(i, level_of(self->c, self->s, self->to, i, 3000));
	}
	/* fewer levels: the top one is for those above */
	ASSERT_EQ(0, sh("ttpctl -n h1 dev set eth0 levels 3"));
	for (i = 0; i < 8; i++)
		EXPECT_EQ(i < 2 ? i : 2,
			  level_of(self->c, self->s, self->to, i, 10));
	ASSERT_EQ(0, sh("ttpctl -n h1 dev set eth0 levels 8"));
	/* and the automatic one goes by length */
	EXPECT_LT(level_of(self->c, self->s, self->to, -1, MB(1)),
		  level_of(self->c, self->s, self->to, -1, 10));
}

TEST_F(ttp_opt, top_priority_needs_a_capability)
{
	be_root(false);
	EXPECT_EQ(-EPERM, set_opt(self->c, SOL_TTP, TTP_PRIORITY, 7));
	EXPECT_EQ(0, set_opt(self->c, SOL_TTP, TTP_PRIORITY, 6));
	be_root(true);
	EXPECT_EQ(0, set_opt(self->c, SOL_TTP, TTP_PRIORITY, 7));
	/* it stays when the capability goes */
	be_root(false);
	EXPECT_EQ(7, get_opt(self->c, SOL_TTP, TTP_PRIORITY));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	be_root(true);
	EXPECT_EQ(1, get_len(self->s));
}

/* With less, no packet of a long message would be granted */
TEST_F(ttp_opt, incoming_is_at_least_one_mtu)
{
	ASSERT_EQ(0, sh("ttpctl -n h2 dev set eth0 incoming 1"));
	EXPECT_EQ(300000, put(self->c, buf, 300000, 0, self->to));
	EXPECT_EQ(POLLIN, events_in(self->s, POLLIN, 10000));
	EXPECT_EQ(300000, R(recv(self->s, buf, sizeof(buf), MSG_DONTWAIT)));
	ASSERT_EQ(0, sh("ttpctl -n h2 dev set eth0 incoming auto"));
}

/* ---- SOL_SOCKET */

TEST_F(ttp_opt, what_a_socket_is)
{
	EXPECT_EQ(AF_TTP, get_opt(self->c, SOL_SOCKET, SO_DOMAIN));
	EXPECT_EQ(SOCK_DGRAM, get_opt(self->c, SOL_SOCKET, SO_TYPE));
	EXPECT_EQ(0, get_opt(self->c, SOL_SOCKET, SO_PROTOCOL));
	EXPECT_EQ(0, get_opt(self->c, SOL_SOCKET, SO_ERROR));
	EXPECT_EQ(-ENOPROTOOPT, set_opt(self->c, SOL_SOCKET, SO_DOMAIN, 2));
	EXPECT_EQ(-ENOPROTOOPT, set_opt(self->c, SOL_SOCKET, SO_TYPE, 2));
	EXPECT_EQ(-ENOPROTOOPT, set_opt(self->c, SOL_SOCKET, SO_PROTOCOL, 2));
	EXPECT_EQ(-ENOPROTOOPT, set_opt(self->c, SOL_SOCKET, SO_ERROR, 2));
	EXPECT_EQ(-ENOPROTOOPT, set_opt(self->c, SOL_SOCKET, 9999, 2));
	EXPECT_EQ(-ENOPROTOOPT, get_opt(self->c, SOL_SOCKET, 9999));
}

TEST_F(ttp_opt, buffers_double_and_have_limits)
{
	static const int names[] = { SO_RCVBUF, SO_SNDBUF };
	static const int forced[] = { SO_RCVBUFFORCE, SO_SNDBUFFORCE };
	int i, most;

	for (i = 0; i < 2; i++) {
		EXPECT_EQ(4194304, get_opt(self->c, SOL_SOCKET, names[i]));
		EXPECT_EQ(0, set_opt(self->c, SOL_SOCKET, names[i], 50000));
		EXPECT_EQ(100000, get_opt(self->c, SOL_SOCKET, names[i]));
		EXPECT_EQ(0, set_opt(self->c, SOL_SOCKET, names[i],
				     0x7fffffff));
		most = get_opt(self->c, SOL_SOCKET, names[i]);
		EXPECT_EQ(0, set_opt(self->c, SOL_SOCKET, names[i], most));
		EXPECT_EQ(most, get_opt(self->c, SOL_SOCKET, names[i]));
		EXPECT_EQ(0, set_opt(self->c, SOL_SOCKET, forced[i],
				     2 * most));
		EXPECT_EQ(4 * most, get_opt(self->c, SOL_SOCKET, names[i]));
		EXPECT_EQ(0, set_opt(self->c, SOL_SOCKET, names[i], 0));
		EXPECT_LT(0, get_opt(self->c, SOL_SOCKET, names[i]));
		EXPECT_GT(10000, get_opt(self->c, SOL_SOCKET, names[i]));
	}
}

TEST_F(ttp_opt, buffers_begin_as_the_parameters_say)
{
	int fd;

	ASSERT_EQ(0, sh("ttpctl -n h1 param set rcvbuf 1M sndbuf 2M"));
	fd = sock(1);
	EXPECT_EQ(MB(1), get_opt(fd, SOL_SOCKET, SO_RCVBUF));
	EXPECT_EQ(MB(2), get_opt(fd, SOL_SOCKET, SO_SNDBUF));
	EXPECT_EQ(4194304, get_opt(self->c, SOL_SOCKET, SO_RCVBUF));
	EXPECT_EQ(4194304, get_opt(self->c, SOL_SOCKET, SO_SNDBUF));
	ASSERT_EQ(0, sh("ttpctl -n h1 param set rcvbuf 4M sndbuf 4M"));
	close(fd);
}

TEST_F(ttp_opt, times_are_set_and_read)
{
	static const int names[] = { SO_RCVTIMEO, SO_SNDTIMEO };
	struct timeval tv, got;
	socklen_t len;
	int i;

	for (i = 0; i < 2; i++) {
		len = sizeof(got);
		EXPECT_EQ(0, R(getsockopt(self->c, SOL_SOCKET, names[i], &got,
					  &len)));
		EXPECT_EQ(0, got.tv_sec + got.tv_usec);
		EXPECT_EQ(0, set_time(self->c, names[i], 12500));
		len = sizeof(got);
		EXPECT_EQ(0, R(getsockopt(self->c, SOL_SOCKET, names[i], &got,
					  &len)));
		EXPECT_EQ(12, got.tv_sec);
		EXPECT_LE(500000, got.tv_usec);
		tv = (struct timeval) { 0, 1000000 };
		EXPECT_EQ(-EDOM, R(setsockopt(self->c, SOL_SOCKET, names[i],
					      &tv, sizeof(tv))));
		EXPECT_EQ(-EINVAL, R(setsockopt(self->c, SOL_SOCKET, names[i],
						&tv, 4)));
	}
	/* none is for ever, not now */
	EXPECT_EQ(0, set_time(self->s, SO_RCVTIMEO, 0));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(1, get_len(self->s));
}

TEST_F(ttp_opt, priority_and_mark_of_a_socket)
{
	EXPECT_EQ(0, get_opt(self->c, SOL_SOCKET, SO_PRIORITY));
	EXPECT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_PRIORITY, 6));
	EXPECT_EQ(6, get_opt(self->c, SOL_SOCKET, SO_PRIORITY));
	EXPECT_EQ(0, get_opt(self->c, SOL_SOCKET, SO_MARK));
	EXPECT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_MARK, 0x77));
	EXPECT_EQ(0x77, get_opt(self->c, SOL_SOCKET, SO_MARK));
	be_root(false);
	EXPECT_EQ(-EPERM, set_opt(self->c, SOL_SOCKET, SO_PRIORITY, 7));
	EXPECT_EQ(-EPERM, set_opt(self->c, SOL_SOCKET, SO_MARK, 1));
	EXPECT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_PRIORITY, 2));
	be_root(true);
	EXPECT_EQ(2, get_opt(self->c, SOL_SOCKET, SO_PRIORITY));
	EXPECT_EQ(0x77, get_opt(self->c, SOL_SOCKET, SO_MARK));
}

/* A packet socket that sees the frames of h1 with this mark */
static int tap_for_mark(uint32_t mark)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SKF_AD_OFF + SKF_AD_MARK),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, mark, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0xffff),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog prog = { ARRAY_SIZE(code), code };
	int fd;

	enter(1);
	fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog,
				 sizeof(prog)))
		return -1;
	while (recv(fd, buf, 1, MSG_DONTWAIT) >= 0)
		;
	return fd;
}

TEST_F(ttp_opt, mark_is_on_the_packets)
{
	int tap = tap_for_mark(0x77);

	ASSERT_LE(0, tap);
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(1, get_len(self->s));
	EXPECT_EQ(-EAGAIN, R(recv(tap, buf, 1, MSG_DONTWAIT)));
	EXPECT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_MARK, 0x77));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(1, get_len(self->s));
	EXPECT_LE(0, R(recv(tap, buf, sizeof(buf), MSG_DONTWAIT)));
	close(tap);
}

static long bind_device(int fd, const char *dev)
{
	return R(setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, dev,
			    strlen(dev) + 1));
}

TEST_F(ttp_opt, bindtodevice_is_set_read_and_undone)
{
	char name[IFNAMSIZ] = "x";
	socklen_t len = sizeof(name);

	EXPECT_EQ(0, R(getsockopt(self->c, SOL_SOCKET, SO_BINDTODEVICE, name,
				  &len)));
	EXPECT_EQ(0, len);
	EXPECT_EQ(-ENODEV, bind_device(self->c, "nope"));
	EXPECT_EQ(0, bind_device(self->c, "eth0"));
	len = sizeof(name);
	EXPECT_EQ(0, R(getsockopt(self->c, SOL_SOCKET, SO_BINDTODEVICE, name,
				  &len)));
	EXPECT_EQ(5, len);
	EXPECT_EQ(0, strcmp(name, "eth0"));
	EXPECT_EQ(ifindex(1, "eth0"), get_opt(self->c, SOL_SOCKET,
					      SO_BINDTOIFINDEX));
	/* a contradicting one */
	self->to.sttp_ifindex = ifindex(1, "lo");
	EXPECT_EQ(-EINVAL, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(-EINVAL, connect_to(self->c, self->to));
	EXPECT_EQ(0, bind_device(self->c, ""));
	EXPECT_EQ(-ENETUNREACH, put(self->c, buf, 1, 0, self->to));
	self->to.sttp_ifindex = 0;
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(1, get_len(self->s));
}

TEST_F(ttp_opt, bindtodevice_contradicts_a_connection)
{
	ASSERT_EQ(0, connect_to(self->c, self->to));
	ASSERT_EQ(0, bind_device(self->c, "lo"));
	EXPECT_EQ(-EINVAL, R(send(self->c, buf, 1, 0)));
	ASSERT_EQ(0, bind_device(self->c, "eth0"));
	EXPECT_EQ(1, R(send(self->c, buf, 1, 0)));
	EXPECT_EQ(1, get_len(self->s));
}

/* As a datagram socket of IP, it hears nothing from elsewhere */
TEST_F(ttp_opt, bindtodevice_after_bind_is_for_requests_too)
{
	enter(2);
	ASSERT_EQ(0, bind_device(self->s, "lo"));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(-ECONNREFUSED, get_len(self->c));
	enter(2);
	ASSERT_EQ(0, bind_device(self->s, "eth0"));
	EXPECT_EQ(2, put(self->c, buf, 2, 0, self->to));
	EXPECT_EQ(2, get_len(self->s));
}

static uint64_t cookie_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &len) ? 0 :
								      cookie;
}

TEST_F(ttp_opt, cookie_tells_sockets_apart)
{
	int twin = dup(self->c);

	EXPECT_NE(0, cookie_of(self->c));
	EXPECT_NE(0, cookie_of(self->s));
	EXPECT_NE(cookie_of(self->c), cookie_of(self->s));
	EXPECT_EQ(cookie_of(self->c), cookie_of(self->c));
	EXPECT_EQ(cookie_of(self->c), cookie_of(twin));
	close(twin);
}

static uint32_t meminfo(int fd, int what)
{
	uint32_t m[SK_MEMINFO_VARS];
	socklen_t len = sizeof(m);

	return getsockopt(fd, SOL_SOCKET, SO_MEMINFO, m, &len) ? -1U : m[what];
}

TEST_F(ttp_opt, meminfo_tells_of_the_buffers)
{
	uint32_t idle = meminfo(self->c, SK_MEMINFO_WMEM_ALLOC);

	EXPECT_EQ(4194304, meminfo(self->c, SK_MEMINFO_RCVBUF));
	EXPECT_EQ(4194304, meminfo(self->c, SK_MEMINFO_SNDBUF));
	EXPECT_EQ(0, meminfo(self->s, SK_MEMINFO_RMEM_ALLOC));
	ASSERT_EQ(5000, put(self->c, buf, 5000, 0, addr_of(0, 7)));
	EXPECT_LE(idle + 5000, meminfo(self->c, SK_MEMINFO_WMEM_ALLOC));
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(-ECANCELED, get_len(self->c));
	EXPECT_EQ(idle, meminfo(self->c, SK_MEMINFO_WMEM_ALLOC));

	ASSERT_EQ(5000, put(self->c, buf, 5000, 0, self->to));
	EXPECT_TRUE(WAIT_FOR(status_of(self->s).rcv_bytes == 5000));
	EXPECT_LE(5000, meminfo(self->s, SK_MEMINFO_RMEM_ALLOC));
	ASSERT_EQ(5000, get_len(self->s));
	EXPECT_EQ(0, meminfo(self->s, SK_MEMINFO_RMEM_ALLOC));
	EXPECT_EQ(0, meminfo(self->s, SK_MEMINFO_DROPS));
}

TEST_F(ttp_opt, error_is_untouched_by_failures)
{
	struct sockaddr_ttp bad = self->to;

	bad.sttp_pad[0] = 1;
	EXPECT_EQ(-EINVAL, put(self->c, buf, 1, 0, bad));
	EXPECT_EQ(-EFAULT, put(self->c, self->edge, 1, 0, self->to));
	EXPECT_EQ(0, get_opt(self->c, SOL_SOCKET, SO_ERROR));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, addr_of(2, 9)));
	EXPECT_EQ(POLLIN, events_in(self->c, POLLIN, 10000));
	EXPECT_EQ(0, get_opt(self->c, SOL_SOCKET, SO_ERROR));
	EXPECT_EQ(-ECONNREFUSED, R(recv(self->c, buf, 1, MSG_PEEK)));
	EXPECT_EQ(0, get_opt(self->c, SOL_SOCKET, SO_ERROR));
	EXPECT_EQ(0, events(self->c) & POLLERR);
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));	/* no obstacle */
	EXPECT_EQ(-ECONNREFUSED, get_len(self->c));
	EXPECT_EQ(0, get_opt(self->c, SOL_SOCKET, SO_ERROR));
}

TEST_F(ttp_opt, reuse_options_change_nothing)
{
	struct sockaddr_ttp own = own_addr(self->s);
	int fd = sock(2);
	long ret;

	EXPECT_EQ(0, set_opt(fd, SOL_SOCKET, SO_REUSEADDR, 1));
	EXPECT_EQ(1, get_opt(fd, SOL_SOCKET, SO_REUSEADDR));
	EXPECT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_REUSEADDR, 1));
	EXPECT_EQ(-EADDRINUSE, R(bind(fd, (void *)&own, 32)));
	/* newer kernels have it for IP only */
	ret = set_opt(fd, SOL_SOCKET, SO_REUSEPORT, 1);
	EXPECT_TRUE(!ret || ret == -EOPNOTSUPP);
	ret = set_opt(self->s, SOL_SOCKET, SO_REUSEPORT, 1);
	EXPECT_TRUE(!ret || ret == -EOPNOTSUPP);
	EXPECT_EQ(-EADDRINUSE, R(bind(fd, (void *)&own, 32)));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(1, get_len(self->s));
	close(fd);
}

FIXTURE(ttp_opt_end) { };
FIXTURE_SETUP(ttp_opt_end) { }
FIXTURE_TEARDOWN(ttp_opt_end) { }

TEST_F(ttp_opt_end, all_is_given_back)
{
	EXPECT_TRUE(quiet(1));
	EXPECT_TRUE(quiet(2));
}

TEST_HARNESS_MAIN
