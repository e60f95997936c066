// SPDX-License-Identifier: GPL-2.0
/*
 * Limits: what others, or a program here, can make a host spend of memory,
 * time and bandwidth, and that whoever keeps within them gets through.
 */
#include "raw.h"

#include <sys/param.h>

/* As in the module: TTP_RPC_COST, TTP_SOCK_OVERHEAD, TTP_OUTPUT_BURST */
#define RPC_COST	768
#define OVERHEAD	512
#define BURST		MB(1)
#define MTU		1500
#define UNSCHED		(40000 + 2 * RAW_MTU)	/* TTP_AUTO_BDP, two frames */

/* Of "mem 64K": for what goes out, and for what comes in */
#define HALF		KB(32)
#define PAGE		4096L

/* Codes of REJECT */
enum { REFUSED = 1, RESET };

static char buf[MB(4)];

FIXTURE(ttp_limits) {
	int c;			/* client in h2 */
	int s;			/* server in h1 */
	struct sockaddr_ttp to;	/* its address */
};

static bool param(int host, const char *what)
{
	return !sh("ttpctl -n h%d param set %s", host, what);
}

/* One whose receive calls end, so that what never comes is a failure */
static int patient(int fd)
{
	return fd < 0 || set_time(fd, SO_RCVTIMEO, 20000) ? -1 : fd;
}

FIXTURE_SETUP(ttp_limits)
{
	self->c = patient(sock(2));
	ASSERT_LE(0, self->c);
	self->s = patient(server(1));
	ASSERT_LE(0, self->s);
	self->to = addr_of(1, port_of(self->s));
	fill(buf, sizeof(buf), 0);
}

FIXTURE_TEARDOWN(ttp_limits)
{
	int host;

	close(self->c);
	close(self->s);
	for (host = 1; host <= 2; host++) {
		EXPECT_TRUE(quiet(host));
		EXPECT_TRUE(param(host, "mem 64M dead-timeout 1s"));
	}
}

/* No CPU time passes there, so that what is slow is slow by design */
static bool in_virtual_time(void)
{
	const char *kernel = getenv("LAB_KERNEL");

	return kernel && !strncmp(kernel, "uml", 3);
}

/* h1 has two devices */
static struct sockaddr_ttp from_h1(struct sockaddr_ttp addr)
{
	addr.sttp_ifindex = ifindex(1, "eth0");
	return addr;
}

/* Answer, although others may have all the memory just now */
static bool answer(int fd, size_t len, struct sockaddr_ttp tag)
{
	long ret;

	WAIT_FOR((ret = put(fd, buf, len, 0, tag)) != -ENOBUFS);
	return ret == (long)len;
}

/* Receive a request and answer it; true if that was possible */
static bool serve(int fd, size_t len, size_t answer_len)
{
	struct got got;

	return get(fd, NULL, 0, MSG_TRUNC, &got) == (long)len &&
	       answer(fd, answer_len, got.from);
}

/* The whole of it through server and client */
static bool completes(int c, int s, size_t len, size_t answer_len,
		      struct sockaddr_ttp to)
{
	return put(c, buf, len, 0, to) == (long)len &&
	       serve(s, len, answer_len) && get_len(c) == (long)answer_len;
}

/* Serve requests that were sent; how many of them get through */
static int serve_all(int c, int s, int n)
{
	struct sockaddr_ttp tag;
	int i;

	for (i = 0; i < n; i++) {
		tag = get_request(s);
		if (!tag.sttp_rpc || !answer(s, 0, tag))
			return i;
	}
	for (i = 0; i < n && !get_len(c); i++)
		;
	return i;
}

/* ---- memory of a network namespace */

TEST_F(ttp_limits, what_can_never_be_received_is_refused)
{
	static const long lens[] = {
		HALF - OVERHEAD + 1, HALF, HALF + 1, KB(64), MB(1),
	};
	unsigned int i;

	ASSERT_TRUE(param(1, "mem 64K"));
	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		EXPECT_EQ(lens[i], put(self->c, buf, lens[i], 0, self->to));
		EXPECT_EQ(-EMSGSIZE, get_len(self->c));
	}
	EXPECT_EQ(0, events(self->s) & POLLIN);
	EXPECT_TRUE(completes(self->c, self->s, 20000, 20000, self->to));
}

/* And what is not refused does not wait for ever either */
TEST_F(ttp_limits, the_longest_request_fits)
{
	long len, most;

	ASSERT_TRUE(param(1, "mem 64K"));
	most = get_opt(self->s, SOL_TTP, TTP_MAX_MSG);
	EXPECT_GT(HALF, most);
	EXPECT_LT(HALF / 2, most);
	for (len = most; len > most - KB(1); len -= 267)
		ASSERT_TRUE(completes(self->c, self->s, len, 0, self->to));
}

TEST_F(ttp_limits, the_longest_response_fits)
{
	struct sockaddr_ttp tag;
	long most;

	ASSERT_TRUE(param(2, "mem 64K"));
	most = get_opt(self->c, SOL_TTP, TTP_MAX_MSG);
	EXPECT_GT(HALF, most);
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	tag = get_request(self->s);
	EXPECT_EQ(-EMSGSIZE, put(self->s, buf, most + 1, 0, tag));
	EXPECT_EQ(most, put(self->s, buf, most, 0, tag));
	EXPECT_EQ(most, get_len(self->c));
}

TEST_F(ttp_limits, what_can_never_be_sent_gives_enobufs)
{
	ASSERT_TRUE(param(2, "mem 64K"));
	EXPECT_EQ(-ENOBUFS, put(self->c, buf, HALF + 1, 0, self->to));
	EXPECT_EQ(-ENOBUFS, put(self->c, buf, KB(64), MSG_DONTWAIT, self->to));
	/* the bytes alone would fit, the RPC does not */
	EXPECT_EQ(-ENOBUFS, put(self->c, buf, HALF, 0, self->to));
	EXPECT_EQ(0, counter(2, "TtpCurrMem"));
	EXPECT_TRUE(completes(self->c, self->s, HALF - PAGE, 0, self->to));
}

/* Were there one limit for both ways, nothing could be received here */
TEST_F(ttp_limits, two_hosts_that_send_all_they_can)
{
	enum { N = 10, LEN = 12000 };
	int c[3] = { -1, patient(sock(1)), self->c };
	int s[3] = { -1, self->s, patient(server(2)) };
	struct sockaddr_ttp tags[3][N];
	int host, i;

	for (host = 1; host <= 2; host++)
		ASSERT_TRUE(param(host, "mem 256K"));
	for (i = 0; i < N; i++) {
		EXPECT_EQ(LEN, put(c[1], buf, LEN, 0,
				   from_h1(addr_of(2, port_of(s[2])))));
		EXPECT_EQ(LEN, put(c[2], buf, LEN, 0, self->to));
	}
	/* later the sender asks, and hears that all has arrived */
	if (in_virtual_time())
		EXPECT_EQ(-ENOBUFS, put(c[2], buf, LEN, 0, self->to));
	for (i = 0; i < N; i++)
		for (host = 1; host <= 2; host++)
			tags[host][i] = get_request(s[host]);
	for (i = 0; i < N; i++)
		for (host = 1; host <= 2; host++)
			EXPECT_TRUE(answer(s[host], 5000, tags[host][i]));
	for (i = 0; i < N; i++)
		for (host = 1; host <= 2; host++)
			EXPECT_EQ(5000, get_len(c[host]));
	EXPECT_TRUE(quiet(1));
	EXPECT_TRUE(quiet(2));
	close(c[1]);
	close(s[2]);
}

TEST_F(ttp_limits, a_long_message_to_the_own_address)
{
	int s = patient(server(2));
	long len;

	ASSERT_TRUE(param(2, "mem 256K"));
	/* a page less for the RPC */
	len = MIN(KB(128) - PAGE, get_opt(s, SOL_TTP, TTP_MAX_MSG));
	EXPECT_TRUE(completes(self->c, s, len, 100, addr_of(2, port_of(s))));
	EXPECT_TRUE(quiet(2));
	close(s);
}

/* Requests so many that their RPCs alone would fill the server's memory */
TEST_F(ttp_limits, unread_requests_are_bounded)
{
	enum { N = 200, MOST = HALF / RPC_COST + 3 };
	long full = counter(1, "TtpFullOut");
	long rpcs = 0, mem = 0;
	int i;

	ASSERT_TRUE(param(1, "mem 64K"));
	for (i = 0; i < N; i++)
		ASSERT_EQ(0, put(self->c, NULL, 0, 0, self->to));
	EXPECT_TRUE(WAIT_FOR(counter(1, "TtpFullOut") - full >= N - MOST));
	for (i = 0; i < 50; i++) {
		rpcs = MAX(rpcs, counter(1, "TtpCurrRpcs"));
		mem = MAX(mem, counter(1, "TtpCurrMem"));
		sleep_ms(10);
	}
	EXPECT_GE(MOST, rpcs);
	EXPECT_GE(HALF, mem);
	EXPECT_EQ(N, serve_all(self->c, self->s, N));
}

/*
 * The first ones leave no room for the long one; those behind it must not take
 * all of what it waits for, as none of them is received before it.
 */
TEST_F(ttp_limits, a_long_request_is_not_starved)
{
	enum { FIRST = 10, N = 80 };
	long len, most;
	int i;

	ASSERT_TRUE(param(1, "mem 64K"));
	most = get_opt(self->s, SOL_TTP, TTP_MAX_MSG) - RPC_COST;
	for (i = 0; i < N; i++) {
		len = i == FIRST ? most : 100;
		ASSERT_EQ(len, put(self->c, buf, len, 0, self->to));
	}
	EXPECT_EQ(N, serve_all(self->c, self->s, N));
}

/* ---- SO_SNDBUF */

FIXTURE(ttp_failures) {
	int c;			/* client in h2 */
};

FIXTURE_VARIANT(ttp_failures) {
	bool abort;
	int host;		/* of the server that there is not */
	long err;
};

FIXTURE_VARIANT_ADD(ttp_failures, refused) { false, 1, -ECONNREFUSED };
FIXTURE_VARIANT_ADD(ttp_failures, aborted) { true, 0, -ECANCELED };

FIXTURE_SETUP(ttp_failures)
{
	self->c = patient(sock(2));
	ASSERT_LE(0, self->c);
}

FIXTURE_TEARDOWN(ttp_failures)
{
	close(self->c);
	EXPECT_TRUE(quiet(2));
}

/* A program that never receives cannot pile failures up */
TEST_F(ttp_failures, unread_ones_fill_the_send_buffer)
{
	struct sockaddr_ttp to = addr_of(variant->host, 9);
	long failed = counter(2, "TtpRpcFailed"), n = 0, i, most;

	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_SNDBUF, 40000));
	most = get_opt(self->c, SOL_SOCKET, SO_SNDBUF) / RPC_COST;
	while (n < 2 * most && !put(self->c, NULL, 0, MSG_DONTWAIT, to)) {
		if (variant->abort)
			EXPECT_EQ(0, do_abort(self->c, 0));
		n++;
	}
	EXPECT_LE(most - 2, n);
	EXPECT_GE(most + 2, n);
	/* it is not their being under way */
	EXPECT_TRUE(WAIT_FOR(counter(2, "TtpRpcFailed") - failed == n));
	EXPECT_EQ(-EAGAIN, put(self->c, NULL, 0, MSG_DONTWAIT, to));
	EXPECT_EQ(0, events(self->c) & POLLOUT);
	/* waiting would last for ever */
	EXPECT_EQ(-ENOBUFS, put(self->c, buf, 5000, 0, to));
	for (i = 0; i < n && get_len(self->c) == variant->err; i++)
		;
	EXPECT_EQ(n, i);
	EXPECT_EQ(-EAGAIN, R(recv(self->c, NULL, 0, MSG_DONTWAIT)));
	EXPECT_TRUE(quiet(2));
	EXPECT_EQ(POLLOUT, events(self->c));
	EXPECT_EQ(0, put(self->c, NULL, 0, MSG_DONTWAIT, to));
	if (variant->abort)
		EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(variant->err, get_len(self->c));
}

/*
 * A program that waits for EPOLLOUT and then sends does not turn in circles:
 * for each fill of the buffer, event and call agree.
 */
TEST_F(ttp_limits, epollout_means_that_9000_bytes_go)
{
	struct sockaddr_ttp nowhere = addr_of(0, 7);
	long size, used, need = RPC_COST + 3 * PAGE, n, err;

	ASSERT_TRUE(param(2, "dead-timeout 3600s"));
	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_SNDBUF, 20000));
	size = get_opt(self->c, SOL_SOCKET, SO_SNDBUF);
	ASSERT_LT(need + 3 * RPC_COST, size);
	for (n = 0, used = 0; used + RPC_COST <= size; n++) {
		bool on = events(self->c) & POLLOUT;

		EXPECT_EQ(!used || used + need <= size, on);
		err = put(self->c, buf, 9000, MSG_DONTWAIT, nowhere);
		EXPECT_EQ(on ? 9000 : -EAGAIN, err);
		/* begin anew, now with one small message more */
		EXPECT_EQ(n || on ? 0 : -ENOENT, do_abort(self->c, 0));
		while (R(recv(self->c, buf, 1, MSG_DONTWAIT)) == -ECANCELED)
			;
		for (used = 0; used <= n * RPC_COST; used += RPC_COST)
			EXPECT_EQ(0, put(self->c, NULL, 0, MSG_DONTWAIT,
					 nowhere));
	}
	EXPECT_EQ(-EAGAIN, put(self->c, NULL, 0, MSG_DONTWAIT, nowhere));
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(0, events(self->c) & POLLOUT);	/* unread failures */
	while (R(recv(self->c, buf, 1, MSG_DONTWAIT)) == -ECANCELED)
		;
	EXPECT_EQ(POLLOUT, events(self->c));
}

/* ---- a host of packets that takes advantage */

FIXTURE(ttp_peer) {
	struct raw raw;
	int s;			/* server in h1 */
	struct raw_rpc rpc;	/* of the raw host, not sent yet */
	struct counters before;
};

FIXTURE_SETUP(ttp_peer)
{
	int size = 8 << 20;

	ASSERT_TRUE(raw_open(&self->raw, 11));
	setsockopt(self->raw.fd, SOL_SOCKET, SO_RCVBUFFORCE, &size,
		   sizeof(size));
	self->s = patient(server(1));
	ASSERT_LE(0, self->s);
	self->rpc = raw_new_rpc(&self->raw, port_of(self->s));
	fill(buf, sizeof(buf), 0);
	counters_read(&self->before);
}

FIXTURE_TEARDOWN(ttp_peer)
{
	close(self->s);
	EXPECT_TRUE(quiet(1));
	raw_send_plain(&self->raw, CLOSE, NULL);
	close(self->raw.fd);
	EXPECT_TRUE(param(1, "dead-timeout 1s"));
	EXPECT_EQ(0, sh("ttpctl -n h1 dev set eth1 rto-min 1ms rto-max 200ms"));
}

#define GREW(name) counter_grown(&self->before, name)

/* FULL takes back what was sent, GRANT has it sent again */
TEST_F(ttp_peer, full_and_grant_in_turns)
{
	enum { LEN = 200000 };
	static uint8_t bytes[LEN];
	static bool have[LEN];
	struct raw_seen seen = { bytes, have, LEN };
	int i;

	/* what slow machines could be made to send meanwhile is not meant */
	ASSERT_EQ(0, sh("ttpctl -n h1 dev set eth1 rto-max 10s rto-min 10s"));
	ASSERT_TRUE(raw_ask(&self->raw, &self->rpc, self->s));
	ASSERT_EQ(LEN, put(self->s, buf, LEN, 0, self->rpc.tag));
	for (i = 0; i < 100; i++) {
		raw_send_plain(&self->raw, FULL, &self->rpc);
		raw_send_grant(&self->raw, &self->rpc, LEN);
	}
	EXPECT_TRUE(WAIT_FOR(GREW("TtpGrantIn") == 100));
	EXPECT_EQ(100, GREW("TtpFullIn"));
	/* and an honest end */
	raw_send_grant(&self->raw, &self->rpc, LEN);
	EXPECT_TRUE(WAIT_FOR(raw_collect(&self->raw, &self->rpc, &seen)));
	EXPECT_TRUE(filled(bytes, LEN, 0));
	raw_send_ack(&self->raw, &self->rpc);
	EXPECT_TRUE(WAIT_FOR(GREW("TtpRpcAnswered") == 1));
	EXPECT_GE(3 * LEN, GREW("TtpOutBytes"));
}

/* One small packet must not bring a whole long message */
TEST_F(ttp_peer, one_packet_brings_a_burst_at_most)
{
	enum { LEN = MB(4), RANGES = 24 };
	struct frame f;
	long first, i;

	ASSERT_TRUE(raw_ask(&self->raw, &self->rpc, self->s));
	ASSERT_EQ(LEN, put(self->s, buf, LEN, 0, self->rpc.tag));
	first = GREW("TtpOutBytes");
	/* and nothing beyond the unscheduled part, as long as nothing is granted */
	EXPECT_GE(UNSCHED, first);
	EXPECT_LE(UNSCHED - MTU, first);
	for (i = 1; i <= LEN / BURST; i++) {
		raw_drain(&self->raw);
		raw_send_grant(&self->raw, &self->rpc, LEN);
		EXPECT_TRUE(WAIT_FOR(GREW("TtpOutBytes") >= i * BURST));
		EXPECT_GE(first + i * (BURST + MTU), GREW("TtpOutBytes"));
	}
	EXPECT_EQ(LEN, GREW("TtpOutBytes"));
	raw_drain(&self->raw);
	counters_read(&self->before);
	raw_begin(&self->raw, &f, RESEND, &self->rpc);
	for (i = 0; i < RANGES; i++)
		raw_range(&f, LEN / RANGES * i, i + 1 < RANGES ?
			  LEN / RANGES * (i + 1) : LEN);
	raw_end(&f);
	raw_send(&self->raw, &f);
	EXPECT_TRUE(WAIT_FOR(GREW("TtpOutBytes") >= BURST - MTU));
	sleep_ms(20);
	EXPECT_GE(BURST + MTU, GREW("TtpOutBytes"));
	raw_send_ack(&self->raw, &self->rpc);
	EXPECT_TRUE(WAIT_FOR(GREW("TtpRpcAnswered") == 1));
}

/* Who sends all at once has none of it kept, nor does room make it so */
TEST_F(ttp_peer, what_was_not_granted_is_dropped)
{
	enum { LEN = MB(1), START = 1500, PIECE = 1000 };
	struct raw_rpc other = raw_new_rpc(&self->raw, port_of(self->s));
	struct got got;
	uint32_t at;

	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_RCVBUF, 40000));
	raw_send_start(&self->raw, &self->rpc, LEN, START, START);
	raw_send_start(&self->raw, &other, LEN, START, START);
	EXPECT_TRUE(WAIT_FOR(GREW("TtpGrantBlocked") == 1));
	EXPECT_TRUE(WAIT_FOR(GREW("TtpInBytes") == 2 * START));
	/* one of them has room for all of it; the other one has not */
	for (at = START; at + PIECE <= LEN; at += PIECE)
		raw_send_data(&self->raw, &other, LEN, at, PIECE, 0);
	EXPECT_TRUE(WAIT_FOR(GREW("TtpInNotGranted") > LEN / PIECE / 2));
	EXPECT_GE(LEN, GREW("TtpInBytes"));
	EXPECT_GT(0, get(self->s, NULL, 0, MSG_DONTWAIT, &got));
	raw_send_plain(&self->raw, CANCEL, &self->rpc);
	raw_send_plain(&self->raw, CANCEL, &other);
	EXPECT_TRUE(WAIT_FOR(GREW("TtpRpcCancelled") == 2));
}

/*
 * A grant may leave less than the least packet: the sender waits for more, and
 * is not taken to be silent
 */
TEST_F(ttp_peer, a_rest_of_a_grant_is_no_silence)
{
	enum { LEN = MB(1), START = 1500 };
	struct raw_rpc other = raw_new_rpc(&self->raw, port_of(self->s));

	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_RCVBUF, 40000));
	raw_send_start(&self->raw, &self->rpc, LEN, START, START);
	EXPECT_TRUE(WAIT_FOR(GREW("TtpGrantOut") == 1));
	raw_send_start(&self->raw, &other, LEN, START, START - 100);
	EXPECT_TRUE(WAIT_FOR(GREW("TtpGrantBlocked") == 1));
	/* several time-outs later, only the other one is silent */
	EXPECT_TRUE(WAIT_FOR(GREW("TtpGrantStalled") >= 1));
	sleep_ms(50);
	EXPECT_EQ(1, GREW("TtpGrantStalled"));
	raw_send_plain(&self->raw, CANCEL, &self->rpc);
	EXPECT_TRUE(WAIT_FOR(GREW("TtpGrantOut") == 2));
	raw_send_plain(&self->raw, CANCEL, &other);
	EXPECT_TRUE(WAIT_FOR(GREW("TtpRpcCancelled") == 2));
}

/* A sender that is alive, but does not go on, has others wait for its room */
TEST_F(ttp_peer, a_message_that_stands_still_ends)
{
	struct frame f = {};
	long begin, ms, len;
	struct got got;
	int i;

	ASSERT_TRUE(param(1, "dead-timeout 100ms"));
	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_RCVBUF, 60000));
	len = get_opt(self->s, SOL_SOCKET, SO_RCVBUF) - OVERHEAD;
	begin = now_ms();
	raw_send_data(&self->raw, &self->rpc, 100000, 0, 8000, 0);
	for (i = 0; i < 400; i++) {
		raw_send_plain(&self->raw, PROBE, NULL);
		sleep_ms(25);
		if (raw_try(&self->raw, REJECT, &self->rpc, &f))
			break;
	}
	ms = now_ms() - begin;
	EXPECT_TRUE(raw_is(&f, REJECT, &self->rpc));
	EXPECT_EQ(RESET, f.pkt[48]);
	if (in_virtual_time()) {
		EXPECT_LE(950, ms);
		EXPECT_GE(1300, ms);
	}
	EXPECT_TRUE(quiet(1));
	EXPECT_EQ(1, GREW("TtpRpcAbandoned"));
	/* all of the receive budget is free */
	self->rpc = raw_new_rpc(&self->raw, port_of(self->s));
	raw_send_data(&self->raw, &self->rpc, 10, 0, 10, 0);
	ASSERT_EQ(10, get(self->s, NULL, 0, MSG_TRUNC, &got));
	self->rpc = raw_new_rpc(&self->raw, port_of(self->s));
	raw_send_all(&self->raw, &self->rpc, len);
	EXPECT_EQ(len, get_len(self->s));
	EXPECT_EQ(0, GREW("TtpFullOut"));
}

/* Completions of empty messages give nothing back that would wake a sender */
TEST_F(ttp_limits, unread_completions_do_not_stop_a_sender)
{
	struct ttp_send how = { .flags = TTP_F_ONEWAY | TTP_F_NOTIFY };
	long ret = 0, n = 0, most;

	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_RECVINFO, 1));
	/* for 105: the last is acknowledged when the sender sleeps */
	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_SNDBUF, 40400));
	ASSERT_EQ(0, set_time(self->c, SO_SNDTIMEO, 20000));
	most = get_opt(self->c, SOL_SOCKET, SO_SNDBUF) / RPC_COST;
	while (n < 2 * most && !ret) {
		ret = put_how(self->c, buf, 0, self->to, how);
		n += !ret;
	}
	EXPECT_EQ(-ENOBUFS, ret);
	EXPECT_LE(most - 2, n);
	while (!get_len(self->c) && --n)
		;
	EXPECT_EQ(0, n);
	while (!R(recv(self->s, buf, 1, MSG_DONTWAIT)))
		;
}

/* Whoever takes his time to answer does not stand still */
TEST_F(ttp_limits, a_slow_answer_is_delivered)
{
	struct sockaddr_ttp tag;

	ASSERT_TRUE(param(1, "dead-timeout 100ms"));
	ASSERT_EQ(100000, put(self->c, buf, 100000, 0, self->to));
	tag = get_request(self->s);
	ASSERT_NE(0, tag.sttp_rpc);
	sleep_ms(3000);
	EXPECT_TRUE(answer(self->s, MB(1), tag));
	EXPECT_EQ(MB(1), get_len(self->c));
	EXPECT_EQ(0, counter(1, "TtpRpcAbandoned"));
}

/* Ids that never come leave holes: too many must not stop all others */
TEST_F_TIMEOUT(ttp_peer, abandoned_ids_beside_a_slow_rpc, 300)
{
	struct raw *raw = &self->raw;
	struct raw_rpc slow = self->rpc, rpc;
	struct frame f;
	int i;

	ASSERT_TRUE(raw_ask(raw, &slow, self->s));
	for (i = 0; i < 600; i++) {
		raw_new_rpc(raw, port_of(self->s));	/* is lost */
		rpc = raw_new_rpc(raw, port_of(self->s));
		ASSERT_TRUE(raw_ask(raw, &rpc, self->s));
		raw_send_plain(raw, CANCEL, &rpc);
	}
	EXPECT_EQ(0, GREW("TtpFullOut"));
	EXPECT_EQ(10, put(self->s, buf, 10, 0, slow.tag));
	EXPECT_TRUE(raw_recv(raw, DATA, &slow, &f));
	raw_send_ack(raw, &slow);
	/* cancelled before it came: never run */
	rpc = raw_new_rpc(raw, port_of(self->s));
	raw_send_plain(raw, CANCEL, &rpc);
	raw_send_data(raw, &rpc, 10, 0, 10, FLAG_RETRANS);
	EXPECT_TRUE(raw_recv(raw, UNKNOWN, &rpc, &f));
	EXPECT_EQ(0, events(self->s) & POLLIN);
}

/* The ids of a client whose oldest RPC takes long: refused ones count, too */
TEST_F_TIMEOUT(ttp_peer, thousands_of_ids_beside_a_slow_rpc, 300)
{
	struct raw *raw = &self->raw;
	struct raw_rpc slow = self->rpc, rpc, refused = {};
	const int closed = 77;
	struct frame f;
	int i, s2;

	/* its id is what una of all others points to */
	ASSERT_EQ(raw->first_id, slow.id);
	ASSERT_TRUE(raw_ask(raw, &slow, self->s));
	for (i = 0; i < 2000; i++) {
		rpc = raw_new_rpc(raw, i % 2 ? port_of(self->s) : closed);
		if (i % 2 == 0) {
			raw_send_data(raw, &rpc, 10, 0, 10, 0);
			ASSERT_TRUE(raw_recv(raw, REJECT, &rpc, &f));
			ASSERT_EQ(REFUSED, f.pkt[48]);
			refused = i ? refused : rpc;
			continue;
		}
		ASSERT_TRUE(raw_ask(raw, &rpc, self->s));
		if (i % 4 == 1) {
			raw_send_plain(raw, CANCEL, &rpc);
			continue;
		}
		ASSERT_EQ(10, put(self->s, buf, 10, 0, rpc.tag));
		ASSERT_TRUE(raw_recv(raw, DATA, &rpc, &f));
		raw_send_ack(raw, &rpc);
	}
	EXPECT_EQ(1000, GREW("TtpRpcRefused"));
	EXPECT_EQ(0, GREW("TtpRpcLimit"));
	/* in case the REJECT was lost */
	raw_drain(raw);
	rpc = raw_new_rpc(raw, closed);
	for (i = 0; i < 3; i++) {
		raw_send_data(raw, &rpc, 10, 0, 10, i ? FLAG_RETRANS : 0);
		EXPECT_TRUE(raw_recv(raw, REJECT, &rpc, &f));
		EXPECT_EQ(REFUSED, f.pkt[48]);
	}

	/* the client has given up what was refused: never run it */
	s2 = sock(1);
	ASSERT_EQ(0, bind_to(s2, closed, 0));
	for (i = 0; i < 2; i++) {
		raw_drain(raw);
		raw_send_data(raw, &refused, 10, 0, 10, i ? 0 : FLAG_RETRANS);
		EXPECT_TRUE(i ? WAIT_FOR(GREW("TtpInReplay")) :
			    raw_recv(raw, UNKNOWN, &refused, &f));
		sleep_ms(5);
		EXPECT_EQ(0, events(s2) & POLLIN);
	}
	/* a new one is fine, and so is the old one */
	rpc = raw_new_rpc(raw, closed);
	EXPECT_TRUE(raw_ask(raw, &rpc, s2));
	EXPECT_EQ(10, put(self->s, buf, 10, 0, slow.tag));
	EXPECT_TRUE(raw_recv(raw, DATA, &slow, &f));
	raw_send_ack(raw, &slow);
	close(s2);
}

/* A client that is done answers a late GRANT of ours with CANCEL */
TEST_F(ttp_peer, an_acknowledged_message_is_not_cancelled)
{
	struct frame f;

	raw_send_data(&self->raw, &self->rpc, 10, 0, 10, FLAG_ONEWAY);
	ASSERT_TRUE(WAIT_FOR(events(self->s) & POLLIN));
	raw_send_plain(&self->raw, CANCEL, &self->rpc);
	ASSERT_TRUE(WAIT_FOR(GREW("TtpCancelIn")));
	EXPECT_EQ(10, get_len(self->s));
	/* and its end is remembered as before */
	raw_drain(&self->raw);
	raw_send_data(&self->raw, &self->rpc, 10, 0, 10,
		      FLAG_ONEWAY | FLAG_RETRANS);
	EXPECT_TRUE(raw_recv(&self->raw, ACK, NULL, &f));
	raw_send_plain(&self->raw, CANCEL, &self->rpc);
	EXPECT_TRUE(quiet(1));
}

/* Not only reading frees what waiting messages need */
TEST_F(ttp_peer, cancel_lets_the_next_one_in)
{
	struct raw_rpc second;
	struct frame f;
	long ms;

	/* it is not the timer of the one that waits */
	ASSERT_TRUE(param(1, "dead-timeout 3600s"));
	ASSERT_EQ(0, sh("ttpctl -n h1 dev set eth1 rto-max 10s rto-min 10s"));
	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_RCVBUF, 10000));
	second = raw_new_rpc(&self->raw, port_of(self->s));
	raw_send_data(&self->raw, &self->rpc, 18000, 0, 8000, 0);
	raw_send_data(&self->raw, &second, 18000, 0, 8000, 0);
	ASSERT_TRUE(raw_recv(&self->raw, FULL, &second, &f));
	ms = now_ms();
	raw_send_plain(&self->raw, CANCEL, &self->rpc);
	EXPECT_TRUE(raw_recv(&self->raw, GRANT, &second, &f));
	if (in_virtual_time())
		EXPECT_GE(50, now_ms() - ms);
	raw_send_all(&self->raw, &second, 18000);
	EXPECT_EQ(18000, get_len(self->s));
}

/* What nobody will read is refused even when most of it is here */
TEST_F(ttp_peer, shut_rd_refuses_what_is_coming_in)
{
	struct frame f;

	raw_send_data(&self->raw, &self->rpc, 4000, 0, 3000, 0);
	EXPECT_TRUE(WAIT_FOR(GREW("TtpInBytes") == 3000));
	EXPECT_EQ(0, shutdown(self->s, SHUT_RD));
	raw_send_data(&self->raw, &self->rpc, 4000, 3000, 1000, 0);
	ASSERT_TRUE(raw_recv(&self->raw, REJECT, &self->rpc, &f));
	EXPECT_EQ(REFUSED, f.pkt[48]);
	EXPECT_EQ(1, GREW("TtpRpcRefused"));
	EXPECT_EQ(0, get_len(self->s));
	EXPECT_EQ(0, status_of(self->s).rpcs_in);
	EXPECT_EQ(0, status_of(self->s).rcv_bytes);
}

TEST_F(ttp_limits, shut_rd_refuses_what_waits_for_room)
{
	struct sockaddr_ttp tag;

	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_RCVBUF, 1));
	EXPECT_EQ(9000, put(self->c, buf, 9000, 0, self->to));
	EXPECT_TRUE(WAIT_FOR(status_of(self->s).rcv_bytes == 9000));
	EXPECT_EQ(30000, put(self->c, buf, 30000, 0, self->to));
	EXPECT_TRUE(WAIT_FOR(status_of(self->s).rpcs_in == 2));
	EXPECT_EQ(0, shutdown(self->s, SHUT_RD));
	tag = get_request(self->s);
	EXPECT_EQ(-ECONNREFUSED, get_len(self->c));
	EXPECT_EQ(0, get_len(self->s));
	EXPECT_EQ(1, status_of(self->s).rpcs_in);
	EXPECT_EQ(7, put(self->s, buf, 7, 0, tag));
	EXPECT_EQ(7, get_len(self->c));
}

/* ---- peers that are gone */

static bool all_time_out(struct raw *raw, int timeout_ms)
{
	struct sockaddr_ttp to = {
		.sttp_family = AF_TTP,
		.sttp_port = htons(9),
		.sttp_ifindex = raw->ifindex,
	};
	int fd = patient(sock(1)), i;

	memcpy(to.sttp_addr, raw->mac, ETH_ALEN);
	set_opt(fd, SOL_TTP, TTP_TIMEOUT_MS, timeout_ms);
	for (i = 0; i < 10; i++)
		if (put(fd, buf, 3000 * i, 0, to) != 3000 * i)
			return false;
	for (i = 0; i < 10 && get_len(fd) == -ETIMEDOUT; i++)
		;
	close(fd);
	return i == 10;
}

TEST_F(ttp_peer, a_peer_dies_once)
{
	struct frame f;
	int i;

	/* a program with little patience says nothing about the peer */
	ASSERT_TRUE(param(1, "dead-timeout 60s"));
	EXPECT_TRUE(all_time_out(&self->raw, 50));
	EXPECT_EQ(10, GREW("TtpRpcTimeout"));
	EXPECT_EQ(0, GREW("TtpPeerDead"));

	ASSERT_TRUE(param(1, "dead-timeout 200ms"));
	for (i = 1; i <= 2; i++) {
		EXPECT_TRUE(all_time_out(&self->raw, 0));
		EXPECT_EQ(i, GREW("TtpPeerDead"));
		EXPECT_TRUE(all_time_out(&self->raw, 0));
		sleep_ms(300);
		EXPECT_EQ(i, GREW("TtpPeerDead"));
		/* it comes back, and may die again */
		raw_send_plain(&self->raw, PROBE, NULL);
		EXPECT_TRUE(raw_recv(&self->raw, PROBE_REPLY, NULL, &f));
	}
}

/* ---- packets that guess an id */

TEST_F(ttp_peer, other_ports_get_no_answer)
{
	static const uint8_t kinds[] = { DATA, RESEND, NEED_ACK };
	struct raw *raw = &self->raw;
	struct raw_rpc rpcs[2], odd;
	struct frame f;
	int i;

	/* one that was received, one that is there to be */
	rpcs[0] = self->rpc;
	ASSERT_TRUE(raw_ask(raw, &rpcs[0], self->s));
	rpcs[1] = raw_new_rpc(raw, port_of(self->s));
	raw_send_data(raw, &rpcs[1], 10, 0, 10, 0);
	EXPECT_TRUE(WAIT_FOR(status_of(self->s).rcv_bytes == 10));
	sleep_ms(20);
	raw_drain(raw);
	counters_read(&self->before);
	for (i = 0; i < 2 * 2 * 3; i++) {
		odd = rpcs[i % 2];
		if (i / 2 % 2)
			odd.sport++;
		else
			odd.dport ^= 1;
		if (kinds[i / 4] == DATA)
			raw_data(raw, &f, &odd, 10, 0, 10);
		else
			raw_begin(raw, &f, kinds[i / 4], &odd);
		if (kinds[i / 4] == RESEND)
			raw_range(&f, 0, 0xffffffff);
		f.pkt[3] |= FLAG_RETRANS;
		raw_end(&f);
		raw_send(raw, &f);
		EXPECT_TRUE(WAIT_FOR(GREW("TtpInMismatch") == i + 1));
	}
	sleep_ms(20);
	EXPECT_EQ(0, events(raw->fd) & POLLIN);
	EXPECT_EQ(i, GREW("TtpInPackets"));
	EXPECT_EQ(0, GREW("TtpOutPackets"));
	/* nor was any harm done */
	EXPECT_EQ(10, put(self->s, buf, 10, 0, rpcs[0].tag));
	EXPECT_TRUE(serve(self->s, 10, 10));
	for (i = 0; i < 2; i++) {
		EXPECT_TRUE(raw_recv(raw, DATA, &rpcs[i], &f));
		raw_send_ack(raw, &rpcs[i]);
	}
}

TEST_HARNESS_MAIN
