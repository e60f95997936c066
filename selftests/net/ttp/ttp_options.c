// SPDX-License-Identifier: GPL-2.0
/*
 * Options that sockets of all families have, as far as a family has to do
 * something for them.
 */
#include <stddef.h>

#include "ttp_test.h"

#include <linux/bpf.h>
#include <linux/errqueue.h>
#include <linux/filter.h>
#include <linux/net_tstamp.h>

#ifndef SO_RCVMARK
#define SO_RCVMARK	75
#endif
#ifndef SO_RCVPRIORITY
#define SO_RCVPRIORITY	82
#endif

static char out[MB(1)], in[MB(1)];

FIXTURE(ttp_options) {
	int c;			/* client, in h1 */
	int s;			/* server */
	struct sockaddr_ttp to;	/* its address */
};

FIXTURE_VARIANT(ttp_options) {
	int host;		/* of the server */
};

FIXTURE_VARIANT_ADD(ttp_options, wire) { 2 };
FIXTURE_VARIANT_ADD(ttp_options, loop) { 1 };

FIXTURE_SETUP(ttp_options)
{
	self->s = server(variant->host);
	ASSERT_LE(0, self->s);
	self->to = addr_of(variant->host, port_of(self->s));
	self->c = sock(1);
	ASSERT_LE(0, self->c);
}

FIXTURE_TEARDOWN(ttp_options)
{
	close(self->c);
	close(self->s);
}

/* A control message of the next receive call, into data; the call's result */
static long get_cmsg(int fd, int flags, int type, void *data, size_t len,
		     bool *found)
{
	union {
		char buf[1024];
		struct cmsghdr align;
	} control;
	struct iovec iov = { in, sizeof(in) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;
	long ret;

	*found = false;
	ret = R(recvmsg(fd, &msg, flags));
	if (ret < 0)
		return ret;
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != type ||
		    cmsg->cmsg_len < CMSG_LEN(len))
			continue;
		memcpy(data, CMSG_DATA(cmsg), len);
		*found = true;
	}
	return ret;
}

static double seconds(const struct timespec *ts)
{
	return ts->tv_sec + ts->tv_nsec / 1e9;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return seconds(&ts);
}

/* Time stamps of what is received */

TEST_F(ttp_options, time_stamps_of_messages)
{
	static const size_t sizes[] = { 0, 1, 1400, 5000, 100000 };
	struct timespec ts;
	struct timeval tv;
	unsigned int i;
	double before;
	bool found;

	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_TIMESTAMPNS, 1));
	EXPECT_EQ(1, get_opt(self->s, SOL_SOCKET, SO_TIMESTAMPNS));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		before = now();
		ASSERT_EQ(sizes[i], put(self->c, out, sizes[i], 0, self->to));
		ASSERT_TRUE(WAIT_FOR(events(self->s) & POLLIN));
		sleep_ms(30);		/* of which it tells nothing */
		ASSERT_EQ(sizes[i], get_cmsg(self->s, MSG_PEEK, SCM_TIMESTAMPNS,
					     &ts, sizeof(ts), &found));
		EXPECT_TRUE(found);
		ASSERT_EQ(sizes[i], get_cmsg(self->s, 0, SCM_TIMESTAMPNS, &ts,
					     sizeof(ts), &found));
		ASSERT_TRUE(found);
		EXPECT_LE(before, seconds(&ts));
		EXPECT_GE(now() - 0.029, seconds(&ts));
	}
	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_TIMESTAMPNS, 0));
	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_TIMESTAMP, 1));
	before = now();
	ASSERT_EQ(1, put(self->c, "x", 1, 0, self->to));
	ASSERT_EQ(1, get_cmsg(self->s, 0, SCM_TIMESTAMP, &tv, sizeof(tv),
			      &found));
	ASSERT_TRUE(found);
	EXPECT_LE(before - 2e-6, tv.tv_sec + tv.tv_usec / 1e6);
	EXPECT_GE(now(), tv.tv_sec + tv.tv_usec / 1e6);
}

TEST_F(ttp_options, time_stamps_of_responses_not_of_failures)
{
	struct sockaddr_ttp nobody = addr_of(variant->host, 9);
	struct scm_timestamping ts;
	unsigned int tries = 0;
	bool found;
	double before;

	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_RECVINFO, 1));
	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_TIMESTAMPING,
			     SOF_TIMESTAMPING_RX_SOFTWARE |
			     SOF_TIMESTAMPING_SOFTWARE));
	/* The kernel begins to stamp a little later than it is told to */
	do {
		ASSERT_EQ(1, put(self->c, "x", 1, 0, self->to));
		before = now();
		ASSERT_EQ(9000, put(self->s, out, 9000, 0,
				    get_request(self->s)));
		ASSERT_EQ(9000, get_cmsg(self->c, 0, SCM_TIMESTAMPING, &ts,
					 sizeof(ts), &found));
	} while (!found && ++tries < 100);
	ASSERT_TRUE(found);
	EXPECT_LE(before, seconds(&ts.ts[0]));
	EXPECT_GE(now(), seconds(&ts.ts[0]));
	EXPECT_EQ(0, ts.ts[2].tv_sec);
	ASSERT_EQ(1, put(self->c, "x", 1, 0, nobody));
	ASSERT_EQ(0, get_cmsg(self->c, 0, SCM_TIMESTAMPING, &ts, sizeof(ts),
			      &found));
	EXPECT_FALSE(found);
}

/* Time stamps of what is sent */

struct sent {
	unsigned int what;	/* SCM_TSTAMP_* */
	unsigned int id;
	double at;
};

/* The next one in the error queue */
static long get_sent(int fd, struct sent *sent)
{
	union {
		char buf[512];
		struct cmsghdr align;
	} control;
	struct msghdr msg = {
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct sock_extended_err err = {};
	struct scm_timestamping ts = {};
	struct cmsghdr *cmsg;
	long ret;

	ret = R(recvmsg(fd, &msg, MSG_ERRQUEUE));
	if (ret < 0)
		return ret;
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
		if (cmsg->cmsg_level == SOL_SOCKET &&
		    cmsg->cmsg_type == SCM_TIMESTAMPING)
			memcpy(&ts, CMSG_DATA(cmsg), sizeof(ts));
		if (cmsg->cmsg_level == SOL_TTP &&
		    cmsg->cmsg_type == TTP_RECVERR)
			memcpy(&err, CMSG_DATA(cmsg), sizeof(err));
	}
	if (err.ee_origin != SO_EE_ORIGIN_TIMESTAMPING ||
	    err.ee_errno != ENOMSG)
		return -EPROTO;
	sent->what = err.ee_info;
	sent->id = err.ee_data;
	sent->at = seconds(&ts.ts[0]);
	return ret;
}

static long wait_sent(int fd, struct sent *sent)
{
	if (!(events_in(fd, 0, at_most(2000)) & POLLERR))
		return -EAGAIN;
	return get_sent(fd, sent);
}

#define TX_ALL	(SOF_TIMESTAMPING_TX_SCHED | SOF_TIMESTAMPING_TX_SOFTWARE | \
		 SOF_TIMESTAMPING_TX_ACK)
#define TX_TELL	(SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_ID | \
		 SOF_TIMESTAMPING_OPT_TSONLY)

TEST_F(ttp_options, time_stamps_of_what_was_sent)
{
	static const size_t sizes[] = { 0, 1, 3000, 200000 };
	unsigned int i, seen, acks;
	struct sent sent;
	double before;
	/* what loops back sees no device */
	int wanted = variant->host == 1 ? 1 << SCM_TSTAMP_ACK :
		     1 << SCM_TSTAMP_SCHED | 1 << SCM_TSTAMP_SND |
		     1 << SCM_TSTAMP_ACK;

	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_TIMESTAMPING,
			     TX_ALL | TX_TELL));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		before = now();
		ASSERT_EQ(sizes[i], put(self->c, out, sizes[i], 0, self->to));
		ASSERT_EQ(1, put(self->s, "x", 1, 0, get_request(self->s)));
		ASSERT_EQ(1, get_len(self->c));
		seen = acks = 0;
		while (seen != (unsigned int)wanted) {
			ASSERT_EQ(0, wait_sent(self->c, &sent));
			EXPECT_EQ(i, sent.id);
			EXPECT_LE(before, sent.at);
			EXPECT_GE(now(), sent.at);
			seen |= 1 << sent.what;
			acks += sent.what == SCM_TSTAMP_ACK;
		}
		/* Every device on its way through this kernel tells of it */
		while (!get_sent(self->c, &sent)) {
			EXPECT_EQ(i, sent.id);
			acks += sent.what == SCM_TSTAMP_ACK;
		}
		EXPECT_EQ(1, acks);
		EXPECT_EQ(0, events(self->c) & POLLERR);
	}
}

TEST_F(ttp_options, time_stamps_of_answers_and_oneway_messages)
{
	struct ttp_send oneway = { .flags = TTP_F_ONEWAY };
	struct sent sent;

	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_TIMESTAMPING,
			     SOF_TIMESTAMPING_TX_ACK | TX_TELL));
	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_TIMESTAMPING,
			     SOF_TIMESTAMPING_TX_ACK | TX_TELL));
	ASSERT_EQ(1, put(self->c, "x", 1, 0, self->to));
	ASSERT_EQ(9000, put(self->s, out, 9000, 0, get_request(self->s)));
	ASSERT_EQ(9000, get_len(self->c));
	ASSERT_EQ(0, wait_sent(self->s, &sent));
	EXPECT_EQ(SCM_TSTAMP_ACK, sent.what);
	EXPECT_EQ(0, sent.id);
	ASSERT_EQ(0, wait_sent(self->c, &sent));
	ASSERT_EQ(9000, put_how(self->c, out, 9000, self->to, oneway));
	ASSERT_EQ(9000, get_len(self->s));
	ASSERT_EQ(0, wait_sent(self->c, &sent));
	EXPECT_EQ(SCM_TSTAMP_ACK, sent.what);
	EXPECT_EQ(1, sent.id);
}

TEST_F(ttp_options, what_fails_was_not_acknowledged)
{
	struct sockaddr_ttp nobody = addr_of(variant->host, 9);
	struct sent sent;

	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_TIMESTAMPING,
			     SOF_TIMESTAMPING_TX_ACK | TX_TELL));
	ASSERT_EQ(3000, put(self->c, out, 3000, 0, nobody));
	EXPECT_EQ(-ECONNREFUSED, get_len(self->c));
	ASSERT_EQ(3000, put(self->c, out, 3000, 0, addr_of(0, 7)));
	ASSERT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(-ECANCELED, get_len(self->c));
	EXPECT_EQ(-EAGAIN, get_sent(self->c, &sent));
}

TEST_F(ttp_options, a_time_stamp_with_the_packet)
{
	struct iovec iov = { in, sizeof(in) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	long n;

	if (variant->host == 1)
		return;
	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_TIMESTAMPING,
			     SOF_TIMESTAMPING_TX_SOFTWARE |
			     SOF_TIMESTAMPING_SOFTWARE));
	fill(out, 5000, 3);
	ASSERT_EQ(5000, put(self->c, out, 5000, 0, self->to));
	ASSERT_TRUE(WAIT_FOR(events(self->c) & POLLERR));
	n = R(recvmsg(self->c, &msg, MSG_ERRQUEUE));
	/* the last packet, as it went to the device: it ends as the message */
	ASSERT_LT(100, n);
	EXPECT_EQ(0, memcmp(in + n - 50, out + 5000 - 50, 50));
}

TEST_F(ttp_options, a_time_stamp_of_one_message)
{
	union {
		char buf[CMSG_SPACE(sizeof(uint32_t))];
		struct cmsghdr align;
	} control = {};
	struct iovec iov = { out, 100 };
	struct msghdr msg = {
		.msg_name = &self->to,
		.msg_namelen = sizeof(self->to),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	uint32_t flags = SOF_TIMESTAMPING_TX_ACK;
	struct sent sent;

	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_TIMESTAMPING, TX_TELL));
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SO_TIMESTAMPING;
	cmsg->cmsg_len = CMSG_LEN(sizeof(flags));
	memcpy(CMSG_DATA(cmsg), &flags, sizeof(flags));
	ASSERT_EQ(100, put(self->c, out, 100, 0, self->to));
	ASSERT_EQ(100, R(sendmsg(self->c, &msg, 0)));
	ASSERT_EQ(0, put(self->s, out, 0, 0, get_request(self->s)));
	ASSERT_EQ(0, put(self->s, out, 0, 0, get_request(self->s)));
	ASSERT_EQ(0, wait_sent(self->c, &sent));
	EXPECT_EQ(0, get_len(self->c));
	EXPECT_EQ(0, get_len(self->c));
	EXPECT_EQ(-EAGAIN, get_sent(self->c, &sent));
	memset(CMSG_DATA(cmsg), 0xff, sizeof(flags));
	EXPECT_EQ(-EINVAL, R(sendmsg(self->c, &msg, 0)));
}

/* Priority and mark */

static long prio_packets(void)
{
	long n = -1;
	FILE *f;

	enter(1);
	f = popen("tc -s qdisc show dev eth0 | "
		  "awk '/pfifo 30:/ { getline; print $4 }'", "r");
	if (!f || fscanf(f, "%ld", &n) != 1)
		n = -1;
	if (f)
		pclose(f);
	return n;
}

TEST_F(ttp_options, priority_goes_to_the_queue)
{
	long before;

	if (variant->host == 1)
		return;
	before = prio_packets();
	ASSERT_LE(0, before);
	ASSERT_EQ(1, put(self->c, "x", 1, 0, self->to));
	EXPECT_EQ(1, get_len(self->s));
	EXPECT_EQ(before, prio_packets());
	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_PRIORITY, 5));
	EXPECT_EQ(5, get_opt(self->c, SOL_SOCKET, SO_PRIORITY));
	enter(1);
	ASSERT_EQ(5000, put(self->c, out, 5000, 0, self->to));
	EXPECT_EQ(5000, get_len(self->s));
	EXPECT_LE(before + 4, prio_packets());
}

TEST_F(ttp_options, marks_are_on_the_packets)
{
	uint32_t mark = 0;
	bool found;

	if (variant->host == 2)		/* they do not leave the namespace */
		return;
	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_RCVMARK, 1));
	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_MARK, 77));
	ASSERT_EQ(5000, put(self->c, out, 5000, 0, self->to));
	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_MARK, 78));
	ASSERT_EQ(5000, get_cmsg(self->s, 0, SO_MARK, &mark, sizeof(mark),
				 &found));
	EXPECT_TRUE(found);
	EXPECT_EQ(77, mark);
}

static long put_u32(int fd, struct sockaddr_ttp *to, int type, uint32_t value)
{
	union {
		char buf[CMSG_SPACE(sizeof(value))];
		struct cmsghdr align;
	} control = {};
	struct iovec iov = { out, 100 };
	struct msghdr msg = {
		.msg_name = to,
		.msg_namelen = sizeof(*to),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = type;
	cmsg->cmsg_len = CMSG_LEN(sizeof(value));
	memcpy(CMSG_DATA(cmsg), &value, sizeof(value));
	return R(sendmsg(fd, &msg, 0));
}

TEST_F(ttp_options, a_mark_and_a_priority_of_one_message)
{
	uint32_t value = 0;
	bool found;
	long ret;

	if (variant->host == 2)
		return;
	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_RCVMARK, 1));
	ASSERT_EQ(100, put_u32(self->c, &self->to, SO_MARK, 99));
	ASSERT_EQ(100, get_cmsg(self->s, 0, SO_MARK, &value, 4, &found));
	EXPECT_TRUE(found);
	EXPECT_EQ(99, value);
	/* Kernels before 6.14 do not know that one */
	ret = put_u32(self->c, &self->to, SO_PRIORITY, 4);
	if (ret != -EINVAL) {
		ASSERT_EQ(100, ret);
		ASSERT_EQ(100, get_len(self->s));
		ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_RCVPRIORITY, 1));
		ASSERT_EQ(100, put_u32(self->c, &self->to, SO_PRIORITY, 4));
		ASSERT_EQ(100, get_cmsg(self->s, 0, SO_PRIORITY, &value, 4,
					&found));
		EXPECT_TRUE(found);
		EXPECT_EQ(4, value);
	}
}

/* Filters */

/* Only messages that begin with this byte, of which it wants keep bytes */
static long want(int fd, unsigned char byte, unsigned int keep)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, byte, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, keep),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog prog = { ARRAY_SIZE(code), code };

	return R(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &prog,
			    sizeof(prog)));
}

static uint32_t drops(int fd)
{
	uint32_t mem[9] = {};
	socklen_t len = sizeof(mem);

	getsockopt(fd, SOL_SOCKET, SO_MEMINFO, mem, &len);
	return mem[8];
}

TEST_F(ttp_options, a_filter_refuses_requests)
{
	long before = counter(variant->host, "TtpRpcFiltered");
	static const size_t sizes[] = { 1, 1400, 3000, 200000 };
	struct ttp_send oneway = { .flags = TTP_F_ONEWAY };
	unsigned int i;

	ASSERT_EQ(0, want(self->s, 'a', -1));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		memset(out, 'b', sizes[i]);
		ASSERT_EQ(sizes[i], put(self->c, out, sizes[i], 0, self->to));
		EXPECT_EQ(-ECONNREFUSED, get_len(self->c));
		EXPECT_EQ(i + 1, drops(self->s));
		out[0] = 'a';
		ASSERT_EQ(sizes[i], put(self->c, out, sizes[i], 0, self->to));
		ASSERT_EQ(sizes[i], R(recv(self->s, in, sizeof(in), 0)));
		EXPECT_EQ(0, memcmp(in, out, sizes[i]));
	}
	ASSERT_EQ(1, put_how(self->c, "b", 1, self->to, oneway));
	EXPECT_EQ(-ECONNREFUSED, get_len(self->c));
	/* an empty message has no first byte */
	ASSERT_EQ(0, put(self->c, NULL, 0, 0, self->to));
	EXPECT_EQ(-ECONNREFUSED, get_len(self->c));
	EXPECT_EQ(before + i + 2, counter(variant->host, "TtpRpcFiltered"));
	EXPECT_EQ(-EAGAIN, R(recv(self->s, in, 1, MSG_DONTWAIT)));
	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_DETACH_FILTER, 0));
	ASSERT_EQ(1, put(self->c, "b", 1, 0, self->to));
	EXPECT_EQ(1, get_len(self->s));
}

TEST_F(ttp_options, a_filter_does_not_shorten_messages)
{
	ASSERT_EQ(0, want(self->s, 'a', 1));
	memset(out, 'a', 5000);
	ASSERT_EQ(5000, put(self->c, out, 5000, 0, self->to));
	EXPECT_EQ(5000, get_len(self->s));
	ASSERT_EQ(50, put(self->c, out, 50, 0, self->to));
	EXPECT_EQ(50, get_len(self->s));
}

TEST_F(ttp_options, a_filter_drops_responses)
{
	ASSERT_EQ(0, want(self->c, 'a', -1));
	memset(out, 'b', 5000);
	ASSERT_EQ(1, put(self->c, "x", 1, 0, self->to));
	ASSERT_EQ(5000, put(self->s, out, 5000, 0, get_request(self->s)));
	EXPECT_TRUE(WAIT_FOR(!status_of(self->c).rpcs_out));
	EXPECT_TRUE(WAIT_FOR(!status_of(self->s).rpcs_in));
	EXPECT_EQ(-EAGAIN, R(recv(self->c, in, 1, MSG_DONTWAIT)));
	EXPECT_EQ(1, drops(self->c));
	ASSERT_EQ(1, put(self->c, "x", 1, 0, self->to));
	ASSERT_EQ(1, put(self->s, "a", 1, 0, get_request(self->s)));
	EXPECT_EQ(1, get_len(self->c));
}

TEST_F(ttp_options, drops_are_told_with_messages)
{
	uint32_t n = 0;
	bool found;

	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_RXQ_OVFL, 1));
	ASSERT_EQ(0, want(self->s, 'a', -1));
	ASSERT_EQ(1, put(self->c, "b", 1, 0, self->to));
	EXPECT_EQ(-ECONNREFUSED, get_len(self->c));
	ASSERT_EQ(1, put(self->c, "a", 1, 0, self->to));
	ASSERT_EQ(1, get_cmsg(self->s, 0, SO_RXQ_OVFL, &n, sizeof(n), &found));
	EXPECT_TRUE(found);
	EXPECT_EQ(1, n);
}

/* r0 = byte 0 of the message is 'a' and came through a device */
static int load_bpf(void)
{
	struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_6,
		  .src_reg = BPF_REG_1 },
		{ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = BPF_REG_7,
		  .src_reg = BPF_REG_6,
		  .off = offsetof(struct __sk_buff, ifindex) },
		{ .code = BPF_LD | BPF_ABS | BPF_B, .imm = 0 },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_7,
		  .imm = 0, .off = 3 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_0,
		  .imm = 'a', .off = 2 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0,
		  .imm = -1 },
		{ .code = BPF_JMP | BPF_EXIT },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insns = (uintptr_t)code,
		.insn_cnt = ARRAY_SIZE(code),
		.license = (uintptr_t)"GPL",
	};

	return R(syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr)));
}

TEST_F(ttp_options, a_bpf_program_filters)
{
	int prog = load_bpf();

	ASSERT_LE(0, prog);
	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_ATTACH_BPF, prog));
	close(prog);
	ASSERT_EQ(1, put(self->c, "b", 1, 0, self->to));
	EXPECT_EQ(-ECONNREFUSED, get_len(self->c));
	memset(out, 'a', 5000);
	ASSERT_EQ(5000, put(self->c, out, 5000, 0, self->to));
	EXPECT_EQ(5000, get_len(self->s));
}

/* Busy polling */

TEST_F(ttp_options, busy_polling_where_there_is_nothing_to_poll)
{
	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_BUSY_POLL, 50));
	EXPECT_EQ(50, get_opt(self->s, SOL_SOCKET, SO_BUSY_POLL));
	ASSERT_EQ(1, put(self->c, "x", 1, 0, self->to));
	EXPECT_EQ(1, get_len(self->s));
	EXPECT_EQ(0, get_opt(self->s, SOL_SOCKET, SO_INCOMING_NAPI_ID));
	EXPECT_EQ(-EAGAIN, R(recv(self->s, in, 1, MSG_DONTWAIT)));
}

FIXTURE(options_napi) { };
FIXTURE_SETUP(options_napi) { }
FIXTURE_TEARDOWN(options_napi) { }

TEST_F(options_napi, busy_polling_finds_messages)
{
	int i, c = sock(1), s = server(2);
	struct sockaddr_ttp to = addr_of(2, port_of(s));

	ASSERT_EQ(0, set_opt(s, SOL_SOCKET, SO_BUSY_POLL, 200));
	ASSERT_EQ(0, set_opt(c, SOL_SOCKET, SO_BUSY_POLL, 200));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(3000, put(c, out, 3000, 0, to));
		ASSERT_EQ(2000, put(s, out, 2000, 0, get_request(s)));
		ASSERT_EQ(2000, get_len(c));
	}
	/* Which queue it was is known */
	EXPECT_LT(0, get_opt(s, SOL_SOCKET, SO_INCOMING_NAPI_ID));
	EXPECT_LT(0, get_opt(c, SOL_SOCKET, SO_INCOMING_NAPI_ID));
	EXPECT_EQ(-EAGAIN, R(recv(s, in, 1, MSG_DONTWAIT)));
	ASSERT_EQ(0, set_time(s, SO_RCVTIMEO, 50));
	EXPECT_EQ(-EAGAIN, R(recv(s, in, 1, 0)));
	close(c);
	close(s);
}

/* With loss, the first packet of a message is not always the first to come */

FIXTURE(options_loss) { };
FIXTURE_SETUP(options_loss) { }
FIXTURE_TEARDOWN(options_loss) { }

TEST_F(options_loss, a_filter_judges_by_the_first_byte)
{
	int i, c = sock(1), s = server(2);
	struct sockaddr_ttp to = addr_of(2, port_of(s));

	ASSERT_EQ(0, want(s, 'a', -1));
	ASSERT_EQ(0, want(c, 'a', -1));
	memset(out, 'a', sizeof(out));
	for (i = 0; i < 100; i++) {
		out[0] = i & 1 ? 'a' : 'b';
		ASSERT_EQ(20000, put(c, out, 20000, 0, to));
		if (i & 1) {
			out[0] = i & 2 ? 'a' : 'b';
			ASSERT_EQ(30000, put(s, out, 30000, 0, get_request(s)));
			if (i & 2) {
				ASSERT_EQ(30000, get_len(c));
			} else {
				ASSERT_TRUE(WAIT_FOR(!status_of(c).rpcs_out));
			}
		} else {
			/* it is refused, or, if that was lost, reset */
			long ret = get_len(c);

			ASSERT_TRUE(ret == -ECONNREFUSED ||
				    ret == -ECONNRESET);
		}
	}
	EXPECT_EQ(-EAGAIN, R(recv(s, in, 1, MSG_DONTWAIT)));
	EXPECT_EQ(-EAGAIN, R(recv(c, in, 1, MSG_DONTWAIT)));
	close(c);
	close(s);
	EXPECT_TRUE(quiet(1));
	EXPECT_TRUE(quiet(2));
}

TEST_F(options_loss, one_time_stamp_a_message)
{
	int i, c = sock(1), s = server(2);
	struct sockaddr_ttp to = addr_of(2, port_of(s));
	unsigned int acks = 0, sent_n = 0;
	struct sent sent;

	ASSERT_EQ(0, set_opt(c, SOL_SOCKET, SO_TIMESTAMPING,
			     SOF_TIMESTAMPING_TX_SOFTWARE |
			     SOF_TIMESTAMPING_TX_ACK | TX_TELL));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(20000, put(c, out, 20000, 0, to));
		ASSERT_EQ(1, put(s, "x", 1, 0, get_request(s)));
		ASSERT_EQ(1, get_len(c));
		while (!get_sent(c, &sent)) {
			EXPECT_EQ(i, sent.id);
			acks += sent.what == SCM_TSTAMP_ACK;
			sent_n += sent.what == SCM_TSTAMP_SND;
		}
	}
	EXPECT_EQ(100, acks);
	/* also once for each device on the way that it was not lost on */
	EXPECT_LT(60, sent_n);
	EXPECT_GE(200, sent_n);
	close(c);
	close(s);
}

TEST_HARNESS_MAIN
