// SPDX-License-Identifier: GPL-2.0
/*
 * How RPCs end: what a receive call tells about them, failures, time limits,
 * abort, shutdown, close.
 */
#include "ttp_test.h"

static char buf[MB(2)];

#define ONEWAY	((struct ttp_send) { .flags = TTP_F_ONEWAY })
#define NOTIFY	((struct ttp_send) { 77, TTP_F_ONEWAY | TTP_F_NOTIFY, 0 })
#define COOKIE(n) ((struct ttp_send) { .cookie = n })

FIXTURE(ttp_end) {
	int c;			/* client, in h1 */
	int s;			/* server */
	struct sockaddr_ttp to;	/* its address, and as receive calls give it */
	struct sockaddr_ttp full;
	struct sockaddr_ttp nowhere;
};

FIXTURE_VARIANT(ttp_end) {
	int host;		/* of the server */
};

FIXTURE_VARIANT_ADD(ttp_end, wire) { 2 };
FIXTURE_VARIANT_ADD(ttp_end, loop) { 1 };

FIXTURE_SETUP(ttp_end)
{
	self->s = server(variant->host);
	ASSERT_LE(0, self->s);
	self->to = addr_of(variant->host, port_of(self->s));
	self->full = self->to;
	self->full.sttp_ifindex = ifindex(1, "eth0");
	self->nowhere = addr_of(0, 7);
	self->c = sock(1);
	ASSERT_LE(0, self->c);
}

FIXTURE_TEARDOWN(ttp_end)
{
	close(self->c);
	close(self->s);
}

static long try_get(int fd)
{
	return R(recv(fd, buf, 1, MSG_DONTWAIT));
}

static bool open_in(int fd, unsigned int n)
{
	return WAIT_FOR(status_of(fd).rpcs_in == n);
}

/* struct ttp_info */

TEST_F(ttp_end, info_comes_when_asked_for)
{
	struct got got;

	EXPECT_EQ(3, put(self->c, buf, 3, 0, self->to));
	EXPECT_EQ(3, get(self->s, buf, 9, MSG_PEEK, &got));
	EXPECT_FALSE(got.has_info);
	EXPECT_EQ(0, set_opt(self->s, SOL_TTP, TTP_RECVINFO, 1));
	EXPECT_EQ(3, get(self->s, buf, 9, MSG_PEEK, &got));
	EXPECT_TRUE(got.has_info);
	EXPECT_EQ(0, set_opt(self->s, SOL_TTP, TTP_RECVINFO, 0));
	EXPECT_EQ(3, get(self->s, buf, 9, 0, &got));
	EXPECT_FALSE(got.has_info);
}

TEST_F(ttp_end, info_of_request_and_response)
{
	struct sockaddr_ttp a;
	struct got got;
	int i;

	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_RECVINFO, 1));
	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_RECVINFO, 1));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(3000, put_how(self->c, buf, 3000, self->to,
					COOKIE(1ULL << 63 | i)));
		EXPECT_EQ(100, get(self->s, buf, 100, 0, &got));
		ASSERT_TRUE(got.has_info);
		EXPECT_EQ(0, got.info.cookie);
		EXPECT_EQ(3000, got.info.length);
		EXPECT_EQ(0, got.info.error);
		EXPECT_EQ(TTP_KIND_REQUEST, got.info.kind);
		EXPECT_GT(8, got.info.level);
		EXPECT_EQ(0, got.info.pad);
		a = got.from;

		EXPECT_EQ(70, put(self->s, buf, 70, 0, a));
		EXPECT_EQ(70, get(self->c, buf, 100, 0, &got));
		ASSERT_TRUE(got.has_info);
		EXPECT_EQ(1ULL << 63 | i, got.info.cookie);
		EXPECT_EQ(70, got.info.length);
		EXPECT_EQ(0, got.info.error);
		EXPECT_EQ(TTP_KIND_RESPONSE, got.info.kind);
		EXPECT_GT(8, got.info.level);
		EXPECT_EQ(0, got.info.pad);
	}
	EXPECT_GT(1000000, got.info.rtt_us);
	if (variant->host != 1)
		EXPECT_LE(16, got.info.rtt_us);	/* the cables' length */
}

TEST_F(ttp_end, info_of_a_oneway_message)
{
	struct got got;

	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_RECVINFO, 1));
	EXPECT_EQ(3, put_how(self->c, buf, 3, self->to, ONEWAY));
	EXPECT_EQ(3, get(self->s, buf, 9, 0, &got));
	ASSERT_TRUE(got.has_info);
	EXPECT_EQ(TTP_KIND_ONEWAY, got.info.kind);
	EXPECT_EQ(3, got.info.length);
	EXPECT_EQ(0, got.info.cookie);
	EXPECT_EQ(0, got.info.error);
	EXPECT_EQ(0, got.from.sttp_rpc);
	EXPECT_EQ(port_of(self->c), ntohs(got.from.sttp_port));
}

TEST_F(ttp_end, info_of_a_completion)
{
	struct got got;

	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_RECVINFO, 1));
	EXPECT_EQ(3000, put_how(self->c, buf, 3000, self->to, NOTIFY));
	/* acknowledged, not read */
	EXPECT_EQ(0, get(self->c, buf, 9, 0, &got));
	ASSERT_TRUE(got.has_info);
	EXPECT_EQ(TTP_KIND_COMPLETION, got.info.kind);
	EXPECT_EQ(0, got.info.length);
	EXPECT_EQ(77, got.info.cookie);
	EXPECT_EQ(0, got.info.error);
	EXPECT_EQ(0, memcmp(&self->full, &got.from, sizeof(got.from)));
	EXPECT_EQ(3000, get_len(self->s));
	EXPECT_EQ(-EAGAIN, try_get(self->c));
}

TEST_F(ttp_end, info_of_a_failure)
{
	struct got got;

	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_RECVINFO, 1));
	self->to.sttp_port = htons(9);
	self->full.sttp_port = htons(9);
	EXPECT_EQ(3, put_how(self->c, buf, 3, self->to, COOKIE(42)));
	EXPECT_EQ(0, get(self->c, buf, 9, MSG_PEEK, &got));
	EXPECT_EQ(0, get(self->c, buf, 9, MSG_TRUNC, &got));
	ASSERT_TRUE(got.has_info);
	EXPECT_EQ(TTP_KIND_FAILURE, got.info.kind);
	EXPECT_EQ(0, got.info.length);
	EXPECT_EQ(42, got.info.cookie);
	EXPECT_EQ(ECONNREFUSED, got.info.error);
	EXPECT_EQ(0, got.info.pad);
	EXPECT_EQ(0, memcmp(&self->full, &got.from, sizeof(got.from)));
	EXPECT_EQ(-EAGAIN, try_get(self->c));
}

TEST_F(ttp_end, info_needs_room)
{
	struct msghdr msg = {};

	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_RECVINFO, 1));
	EXPECT_EQ(0, put(self->c, buf, 0, 0, self->to));
	EXPECT_EQ(0, R(recvmsg(self->s, &msg, MSG_PEEK)));
	EXPECT_EQ(MSG_CTRUNC, msg.msg_flags & MSG_CTRUNC);
	EXPECT_EQ(0, R(recv(self->s, buf, 1, 0)));
}

TEST_F(ttp_end, cookies_tell_answers_apart)
{
	struct sockaddr_ttp a[5];
	struct got got;
	int i;

	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_RECVINFO, 1));
	for (i = 0; i < 5; i++) {
		EXPECT_EQ(1, put_how(self->c, buf, 1, self->to, COOKIE(i)));
		a[i] = get_request(self->s);
	}
	for (i = 4; i >= 0; i--) {
		EXPECT_EQ(i, put(self->s, buf, i, 0, a[i]));
		EXPECT_EQ(i, get(self->c, buf, 9, 0, &got));
		EXPECT_EQ(i, got.info.cookie);
	}
}

/* One-way messages */

TEST_F(ttp_end, a_oneway_message_completes_silently)
{
	EXPECT_EQ(3, put_how(self->c, buf, 3, self->to, ONEWAY));
	EXPECT_EQ(3, get_len(self->s));
	EXPECT_TRUE(WAIT_FOR(!status_of(self->c).rpcs_out));
	EXPECT_EQ(0, outq(self->c));
	EXPECT_EQ(-EAGAIN, try_get(self->c));
}

TEST_F(ttp_end, a_long_oneway_message)
{
	fill(buf, MB(1), 5);
	EXPECT_EQ(MB(1), put_how(self->c, buf, MB(1), self->to, ONEWAY));
	memset(buf, 0, MB(1));
	EXPECT_EQ(MB(1), R(recv(self->s, buf, sizeof(buf), 0)));
	EXPECT_TRUE(filled(buf, MB(1), 5));
	EXPECT_TRUE(WAIT_FOR(!status_of(self->c).rpcs_out));
}

TEST_F(ttp_end, an_empty_oneway_message)
{
	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_RECVINFO, 1));
	EXPECT_EQ(0, put_how(self->c, buf, 0, self->to, NOTIFY));
	EXPECT_EQ(0, get_len(self->s));
	EXPECT_EQ(0, get_len(self->c));
	EXPECT_EQ(-EAGAIN, try_get(self->s));
}

TEST_F(ttp_end, a_oneway_message_can_not_be_answered)
{
	struct got got;

	EXPECT_EQ(3, put_how(self->c, buf, 3, self->to, ONEWAY));
	EXPECT_EQ(3, get(self->s, buf, 9, 0, &got));
	EXPECT_EQ(0, got.from.sttp_rpc);
	/* that would be a request, and the client takes none */
	EXPECT_EQ(1, put(self->s, buf, 1, 0, got.from));
	EXPECT_EQ(-ECONNREFUSED, get_len(self->s));
}

TEST_F(ttp_end, a_failed_oneway_message_is_reported)
{
	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_LISTEN, 0));
	EXPECT_EQ(3, put_how(self->c, buf, 3, self->to, ONEWAY));
	EXPECT_EQ(-ECONNREFUSED, get_len(self->c));
	EXPECT_EQ(3, put_how(self->c, buf, 3, self->nowhere, ONEWAY));
	EXPECT_EQ(-ETIMEDOUT, get_len(self->c));
}

TEST_F(ttp_end, other_flags_are_accepted)
{
	struct ttp_send how = { .flags = TTP_F_IDEMPOTENT };

	EXPECT_EQ(3, put_how(self->c, buf, 3, self->to, how));
	EXPECT_EQ(3, get_len(self->s));
	how.flags |= TTP_F_ONEWAY;
	EXPECT_EQ(3, put_how(self->c, buf, 3, self->to, how));
	EXPECT_EQ(3, get_len(self->s));
}

/* Failures */

TEST_F(ttp_end, a_failure_is_reported_once)
{
	self->to.sttp_port = htons(9);
	EXPECT_EQ(3, put(self->c, buf, 3, 0, self->to));
	EXPECT_EQ(-ECONNREFUSED, R(recv(self->c, buf, 9, MSG_PEEK)));
	EXPECT_EQ(-ECONNREFUSED, R(recv(self->c, buf, 9, MSG_PEEK)));
	EXPECT_EQ(0, get_opt(self->c, SOL_SOCKET, SO_ERROR));
	EXPECT_EQ(0, inq(self->c));
	EXPECT_EQ(-ECONNREFUSED, R(recv(self->c, buf, 9, 0)));
	EXPECT_EQ(-EAGAIN, try_get(self->c));
	EXPECT_EQ(3, put(self->c, buf, 3, 0, self->to));
}

TEST_F(ttp_end, failures_queue_in_order_with_messages)
{
	struct sockaddr_ttp a[3];
	int i;

	for (i = 0; i < 3; i++) {
		EXPECT_EQ(1, put_how(self->c, buf, 1, self->to, COOKIE(i + 1)));
		a[i] = get_request(self->s);
	}
	EXPECT_EQ(1, put(self->s, buf, 1, 0, a[0]));
	EXPECT_TRUE(WAIT_FOR(status_of(self->c).rcv_bytes == 1));
	EXPECT_EQ(0, do_abort(self->c, 2));
	EXPECT_EQ(3, put(self->s, buf, 3, 0, a[2]));
	EXPECT_TRUE(WAIT_FOR(status_of(self->c).rcv_bytes == 4));
	EXPECT_EQ(1, get_len(self->c));
	EXPECT_EQ(-ECANCELED, get_len(self->c));
	EXPECT_EQ(3, get_len(self->c));
}

/* Time limits */

/* Time from before the request until it fails in the expected way */
static long begin_ms;

#define BEGIN(call) ({ begin_ms = now_ms(); call; })

static long time_to_fail(int fd, long err)
{
	long ret = get_len(fd);

	return ret == err ? now_ms() - begin_ms : -1;
}

TEST_F(ttp_end, silence_times_out_after_a_second)
{
	long ms;

	EXPECT_EQ(1, BEGIN(put(self->c, buf, 1, 0, self->nowhere)));
	ms = time_to_fail(self->c, -ETIMEDOUT);
	EXPECT_LE(990, ms);
	EXPECT_GT(at_most(2000), ms);
}

TEST_F(ttp_end, timeout_ms_sets_the_silence_limit)
{
	long ms;

	EXPECT_EQ(0, get_opt(self->c, SOL_TTP, TTP_TIMEOUT_MS));
	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_TIMEOUT_MS, 200));
	EXPECT_EQ(200, get_opt(self->c, SOL_TTP, TTP_TIMEOUT_MS));
	EXPECT_EQ(100000, BEGIN(put(self->c, buf, 100000, 0, self->nowhere)));
	ms = time_to_fail(self->c, -ETIMEDOUT);
	EXPECT_LE(190, ms);
	EXPECT_GT(at_most(900), ms);

	/* longer than the network namespace's */
	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_TIMEOUT_MS, 2500));
	EXPECT_EQ(1, BEGIN(put(self->c, buf, 1, 0, self->nowhere)));
	ms = time_to_fail(self->c, -ETIMEDOUT);
	EXPECT_LE(2490, ms);
	EXPECT_GT(at_most(3500), ms);

	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_TIMEOUT_MS, 0));
	EXPECT_EQ(1, BEGIN(put(self->c, buf, 1, 0, self->nowhere)));
	EXPECT_LE(990, time_to_fail(self->c, -ETIMEDOUT));
}

TEST_F(ttp_end, a_slow_server_never_times_out)
{
	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_TIMEOUT_MS, at_most(200)));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	sleep_ms(4000);
	EXPECT_EQ(-EAGAIN, try_get(self->c));
	EXPECT_EQ(2, put(self->s, buf, 2, 0, get_request(self->s)));
	EXPECT_EQ(2, get_len(self->c));
}

TEST(a_slow_server_never_times_out_for_loss)
{
	int c = sock(1), s = server(2);

	/* the answers to the question whether it is alive get lost */
	EXPECT_EQ(0, sh("tc -n h2 qdisc change dev eth0 root netem limit 1000 "
			"delay 8us loss 10%%"));
	ASSERT_EQ(0, set_opt(c, SOL_TTP, TTP_TIMEOUT_MS, at_most(300)));
	EXPECT_EQ(1, put(c, buf, 1, 0, addr_of(2, port_of(s))));
	sleep_ms(6000);
	EXPECT_EQ(-EAGAIN, try_get(c));
	EXPECT_EQ(2, put(s, buf, 2, 0, get_request(s)));
	EXPECT_EQ(2, get_len(c));
	EXPECT_EQ(0, sh("tc -n h2 qdisc change dev eth0 root netem limit 1000 "
			"delay 8us loss 0%%"));
}

TEST_F(ttp_end, a_deadline_holds_for_a_slow_server_too)
{
	struct ttp_send how = { .timeout_ms = 300 };
	struct sockaddr_ttp a;
	long ms;

	EXPECT_EQ(1, BEGIN(put_how(self->c, buf, 1, self->to, how)));
	a = get_request(self->s);
	ms = time_to_fail(self->c, -ETIMEDOUT);
	EXPECT_LE(290, ms);
	EXPECT_GT(at_most(1000), ms);
	EXPECT_TRUE(open_in(self->s, 0));
	EXPECT_EQ(-ECONNRESET, put(self->s, buf, 1, 0, a));
}

TEST_F(ttp_end, a_deadline_beyond_the_silence_limit)
{
	struct ttp_send how = { .timeout_ms = 5000 };
	long ms;

	EXPECT_EQ(1, BEGIN(put_how(self->c, buf, 1, self->nowhere, how)));
	ms = time_to_fail(self->c, -ETIMEDOUT);
	EXPECT_LE(990, ms);
	EXPECT_GT(at_most(2000), ms);
	/* with an answer in time nothing happens */
	EXPECT_EQ(1, put_how(self->c, buf, 1, self->to, how));
	EXPECT_EQ(1, put(self->s, buf, 1, 0, get_request(self->s)));
	EXPECT_EQ(1, get_len(self->c));
}

TEST_F(ttp_end, an_rpc_that_timed_out_disappears_at_the_server)
{
	struct ttp_send how = { .timeout_ms = 100 };

	EXPECT_EQ(1, put_how(self->c, buf, 1, self->to, how));
	EXPECT_TRUE(open_in(self->s, 1));
	EXPECT_EQ(-ETIMEDOUT, get_len(self->c));
	EXPECT_TRUE(open_in(self->s, 0));
	EXPECT_EQ(-EAGAIN, try_get(self->s));
	EXPECT_EQ(0, events(self->s) & POLLIN);
}

/* Abort */

TEST_F(ttp_end, abort_ends_the_rpcs_of_a_cookie)
{
	struct got got;
	int i;

	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_RECVINFO, 1));
	for (i = 0; i < 6; i++)
		EXPECT_EQ(i, put_how(self->c, buf, i, self->to,
				     COOKIE(i % 3 + 1)));
	EXPECT_TRUE(open_in(self->s, 6));
	EXPECT_EQ(-ENOENT, do_abort(self->c, 99));
	EXPECT_EQ(0, do_abort(self->c, 2));
	EXPECT_EQ(-ENOENT, do_abort(self->c, 2));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, get(self->c, buf, 9, 0, &got));
		EXPECT_EQ(TTP_KIND_FAILURE, got.info.kind);
		EXPECT_EQ(ECANCELED, got.info.error);
		EXPECT_EQ(2, got.info.cookie);
	}
	EXPECT_TRUE(open_in(self->s, 4));	/* the unread ones vanished */
	for (i = 0; i < 4; i++)
		EXPECT_EQ(5, put(self->s, buf, 5, 0, get_request(self->s)));
	EXPECT_EQ(-EAGAIN, try_get(self->s));
	for (i = 0; i < 4; i++) {
		EXPECT_EQ(5, get(self->c, buf, 9, 0, &got));
		EXPECT_NE(2, got.info.cookie);
	}
}

TEST_F(ttp_end, abort_of_0_ends_all)
{
	int i;

	EXPECT_EQ(-ENOENT, do_abort(self->c, 0));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(1, put_how(self->c, buf, 1, self->to, COOKIE(5)));
	EXPECT_EQ(MB(1), put(self->c, buf, MB(1), 0, self->nowhere));
	EXPECT_EQ(1, put_how(self->c, buf, 1, self->nowhere, ONEWAY));
	EXPECT_EQ(0, do_abort(self->c, 0));
	for (i = 0; i < 4; i++)
		EXPECT_EQ(-ECANCELED, get_len(self->c));
	EXPECT_EQ(-EAGAIN, try_get(self->c));
	EXPECT_EQ(-ENOENT, do_abort(self->c, 0));
}

TEST_F(ttp_end, abort_lets_the_server_know)
{
	struct sockaddr_ttp a;

	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	a = get_request(self->s);
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_TRUE(open_in(self->s, 0));
	EXPECT_EQ(-ECONNRESET, put(self->s, buf, 1, 0, a));
	EXPECT_EQ(-EAGAIN, try_get(self->s));
	EXPECT_EQ(-ECANCELED, get_len(self->c));
}

TEST_F(ttp_end, abort_concerns_neither_answers_nor_what_has_ended)
{
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(MB(1), put(self->s, buf, MB(1), 0, get_request(self->s)));
	EXPECT_EQ(-ENOENT, do_abort(self->s, 0));
	EXPECT_EQ(POLLIN, events_in(self->c, POLLIN, 10000));
	EXPECT_EQ(-ENOENT, do_abort(self->c, 0));
	EXPECT_EQ(MB(1), get_len(self->c));
}

/* Close */

TEST_F(ttp_end, close_resets_unread_requests_at_once)
{
	int i;

	for (i = 0; i < 10; i++)
		EXPECT_EQ(i * 1000, put(self->c, buf, i * 1000, 0, self->to));
	EXPECT_TRUE(open_in(self->s, 10));
	BEGIN(close(self->s));
	for (i = 0; i < 10; i++)
		EXPECT_GT(at_most(500), (unsigned int)time_to_fail(self->c,
							  -ECONNRESET));
}

TEST_F(ttp_end, close_resets_unanswered_requests_at_once)
{
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	get_request(self->s);
	BEGIN(close(self->s));
	EXPECT_GT(at_most(500), (unsigned int)time_to_fail(self->c, -ECONNRESET));
	/* and there is nobody any more */
	EXPECT_EQ(1, BEGIN(put(self->c, buf, 1, 0, self->to)));
	EXPECT_GT(at_most(500), (unsigned int)time_to_fail(self->c, -ECONNREFUSED));
}

TEST_F(ttp_end, close_resets_requests_that_are_coming_in)
{
	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_RCVBUF, 1));
	EXPECT_EQ(9000, put(self->c, buf, 9000, 0, self->to));
	EXPECT_TRUE(WAIT_FOR(status_of(self->s).rcv_bytes == 9000));
	EXPECT_EQ(300000, put(self->c, buf, 300000, 0, self->to));
	EXPECT_TRUE(open_in(self->s, 2));
	close(self->s);
	EXPECT_EQ(-ECONNRESET, get_len(self->c));
	EXPECT_EQ(-ECONNRESET, get_len(self->c));
}

TEST_F(ttp_end, a_killed_server_resets_its_clients)
{
	int pipes[2];
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	if (!pid) {
		get_request(self->s);
		write(pipes[1], "x", 1);
		pause();
	}
	close(self->s);
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	ASSERT_EQ(1, read(pipes[0], &c, 1));
	EXPECT_EQ(0, BEGIN(kill(pid, SIGKILL)));
	EXPECT_GT(at_most(500), (unsigned int)time_to_fail(self->c, -ECONNRESET));
	waitpid(pid, NULL, 0);
}

TEST_F(ttp_end, accepted_answers_go_out_after_close)
{
	struct sockaddr_ttp a[3];
	int i;

	for (i = 0; i < 3; i++)
		EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	for (i = 0; i < 3; i++)
		a[i] = get_request(self->s);
	fill(buf, MB(1), 8);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(MB(1), put(self->s, buf, MB(1), 0, a[i]));
	close(self->s);
	for (i = 0; i < 3; i++) {
		memset(buf, 0, MB(1));
		EXPECT_EQ(MB(1), R(recv(self->c, buf, sizeof(buf), 0)));
		EXPECT_TRUE(filled(buf, MB(1), 8));
	}
}

TEST_F(ttp_end, an_answer_by_a_peeked_tag_goes_out_after_close)
{
	struct got got;

	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(1, get(self->s, buf, 1, MSG_PEEK, &got));
	EXPECT_EQ(500000, put(self->s, buf, 500000, 0, got.from));
	close(self->s);
	EXPECT_EQ(500000, get_len(self->c));
}

TEST_F(ttp_end, a_client_that_closes_gives_its_rpcs_up)
{
	struct sockaddr_ttp a;

	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(2, put(self->c, buf, 2, 0, self->to));
	EXPECT_EQ(MB(1), put(self->c, buf, MB(1), 0, self->nowhere));
	EXPECT_TRUE(open_in(self->s, 2));
	a = get_request(self->s);
	close(self->c);
	EXPECT_TRUE(open_in(self->s, 0));
	EXPECT_EQ(-EAGAIN, try_get(self->s));
	EXPECT_EQ(-ECONNRESET, put(self->s, buf, 1, 0, a));
}

TEST_F(ttp_end, a_oneway_message_survives_its_sender_once_acked)
{
	EXPECT_EQ(3000, put_how(self->c, buf, 3000, self->to, ONEWAY));
	EXPECT_TRUE(WAIT_FOR(!outq(self->c)));
	close(self->c);
	EXPECT_EQ(3000, get_len(self->s));
}

TEST_F(ttp_end, close_with_unread_answers_and_failures)
{
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(MB(1), put(self->s, buf, MB(1), 0, get_request(self->s)));
	EXPECT_EQ(POLLIN, events_in(self->c, POLLIN, 10000));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->nowhere));
	EXPECT_EQ(0, do_abort(self->c, 0));
	close(self->c);
	EXPECT_TRUE(open_in(self->s, 0));
}

/* Shutdown */

TEST_F(ttp_end, shutdown_checks_its_argument)
{
	EXPECT_EQ(-EINVAL, R(shutdown(self->c, 3)));
	EXPECT_EQ(-EINVAL, R(shutdown(self->c, -1)));
	EXPECT_EQ(0, R(shutdown(self->c, SHUT_RD)));
	EXPECT_EQ(0, R(shutdown(self->c, SHUT_RD)));
	EXPECT_EQ(0, R(shutdown(self->c, SHUT_RDWR)));
}

TEST_F(ttp_end, after_shut_rd_what_is_queued_is_delivered)
{
	struct sockaddr_ttp a;

	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(2, put(self->c, buf, 2, 0, self->to));
	EXPECT_TRUE(WAIT_FOR(status_of(self->s).rcv_bytes == 3));
	EXPECT_EQ(0, shutdown(self->s, SHUT_RD));
	a = get_request(self->s);
	EXPECT_EQ(7, put(self->s, buf, 7, 0, a));	/* sending goes on */
	EXPECT_EQ(7, get_len(self->c));
	a = get_request(self->s);
	EXPECT_NE(0, a.sttp_rpc);
	EXPECT_EQ(0, get_len(self->s));
	EXPECT_EQ(0, try_get(self->s));
	EXPECT_EQ(3, put(self->c, buf, 3, 0, self->to));
	EXPECT_EQ(-ECONNREFUSED, get_len(self->c));
}

TEST_F(ttp_end, after_shut_rd_responses_and_failures_are_dropped)
{
	struct sockaddr_ttp a;

	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	a = get_request(self->s);
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->nowhere));
	EXPECT_EQ(0, shutdown(self->c, SHUT_RD));
	EXPECT_EQ(2, put(self->c, buf, 2, 0, self->to));
	EXPECT_EQ(9000, put(self->s, buf, 9000, 0, a));
	EXPECT_TRUE(open_in(self->s, 1));
	EXPECT_TRUE(WAIT_FOR(status_of(self->c).rpcs_out == 1));
	EXPECT_EQ(0, get_len(self->c));
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(0, get_len(self->c));
	EXPECT_EQ(0, status_of(self->c).rpcs_out);
}

TEST_F(ttp_end, the_end_is_not_an_empty_message)
{
	struct got got;

	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_RECVINFO, 1));
	EXPECT_EQ(0, put(self->c, buf, 0, 0, self->to));
	EXPECT_EQ(POLLIN, events_in(self->s, POLLIN, 10000));
	EXPECT_EQ(0, shutdown(self->s, SHUT_RD));
	EXPECT_EQ(0, get(self->s, buf, 1, 0, &got));
	EXPECT_TRUE(got.has_info);
	EXPECT_EQ(0, get(self->s, buf, 1, 0, &got));
	EXPECT_FALSE(got.has_info);
	EXPECT_EQ(0, got.fromlen);
}

TEST_F(ttp_end, after_shut_wr_sends_and_answers_give_epipe)
{
	struct sockaddr_ttp a;

	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	a = get_request(self->s);
	EXPECT_EQ(0, shutdown(self->s, SHUT_WR));
	EXPECT_EQ(-EPIPE, put(self->s, buf, 1, 0, a));	/* and no SIGPIPE */
	EXPECT_EQ(-EPIPE, put(self->s, buf, 1, 0, addr_of(1, 9)));
	/* requests are still taken */
	EXPECT_EQ(2, put(self->c, buf, 2, 0, self->to));
	EXPECT_EQ(2, get_len(self->s));
}

TEST_F(ttp_end, after_shut_wr_what_was_accepted_goes_on)
{
	EXPECT_EQ(500000, put(self->c, buf, 500000, 0, self->to));
	EXPECT_EQ(0, shutdown(self->c, SHUT_WR));
	EXPECT_EQ(400000, put(self->s, buf, 400000, 0, get_request(self->s)));
	EXPECT_EQ(0, shutdown(self->s, SHUT_WR));
	EXPECT_EQ(400000, get_len(self->c));
	EXPECT_EQ(-EPIPE, put(self->c, buf, 1, 0, self->to));
}

/* Listening */

TEST_F(ttp_end, listen_0_refuses_new_requests_only)
{
	struct sockaddr_ttp a;

	EXPECT_EQ(1, get_opt(self->s, SOL_TTP, TTP_LISTEN));
	EXPECT_EQ(0, get_opt(self->c, SOL_TTP, TTP_LISTEN));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	a = get_request(self->s);
	EXPECT_EQ(0, set_opt(self->s, SOL_TTP, TTP_LISTEN, 0));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(-ECONNREFUSED, get_len(self->c));
	EXPECT_EQ(3, put(self->s, buf, 3, 0, a));
	EXPECT_EQ(3, get_len(self->c));
	EXPECT_EQ(0, set_opt(self->s, SOL_TTP, TTP_LISTEN, 1));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(1, get_len(self->s));
}

TEST_F(ttp_end, a_mere_client_takes_no_requests)
{
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(1, get_len(self->s));
	EXPECT_EQ(1, put(self->s, buf, 1, 0, addr_of(1, port_of(self->c))));
	EXPECT_EQ(-ECONNREFUSED, get_len(self->s));
	EXPECT_EQ(0, set_opt(self->c, SOL_TTP, TTP_LISTEN, 1));
	EXPECT_EQ(1, put(self->s, buf, 1, 0, addr_of(1, port_of(self->c))));
	EXPECT_EQ(1, get_len(self->c));
}

/* Status */

TEST_F(ttp_end, status_counts)
{
	struct ttp_status st = status_of(self->c), none = {};
	struct sockaddr_ttp a;

	EXPECT_EQ(0, memcmp(&st, &none, sizeof(st)));
	EXPECT_EQ(100, put(self->c, buf, 100, 0, self->to));
	EXPECT_EQ(20, put(self->c, buf, 20, 0, self->to));
	EXPECT_EQ(2, status_of(self->c).rpcs_out);
	EXPECT_EQ(0, status_of(self->c).rpcs_in);
	EXPECT_EQ(0, status_of(self->c).flags);
	EXPECT_TRUE(open_in(self->s, 2));
	EXPECT_TRUE(WAIT_FOR(status_of(self->s).rcv_bytes == 120));
	a = get_request(self->s);
	EXPECT_EQ(20, status_of(self->s).rcv_bytes);
	EXPECT_EQ(2, status_of(self->s).rpcs_in);
	EXPECT_EQ(7, put(self->s, buf, 7, 0, a));
	EXPECT_EQ(7, get_len(self->c));
	EXPECT_TRUE(open_in(self->s, 1));
	EXPECT_EQ(1, status_of(self->c).rpcs_out);
}

TEST_F(ttp_end, status_tells_of_the_connected_peer)
{
	struct ttp_status st, part;
	socklen_t len = 8;

	ASSERT_EQ(0, connect_to(self->c, self->to));
	EXPECT_EQ(1, send(self->c, buf, 1, 0));
	EXPECT_EQ(1, put(self->s, buf, 1, 0, get_request(self->s)));
	EXPECT_EQ(1, get_len(self->c));
	st = status_of(self->c);
	EXPECT_EQ(TTP_STATUS_PEER_KNOWN, st.flags & TTP_STATUS_PEER_KNOWN);
	EXPECT_NE(0, st.peer_epoch);
	EXPECT_LE(1500, st.window);
	if (variant->host != 1)
		EXPECT_LE(16, st.srtt_us);

	memset(&part, 0xff, sizeof(part));
	EXPECT_EQ(0, R(getsockopt(self->c, SOL_TTP, TTP_STATUS, &part, &len)));
	EXPECT_EQ(8, len);
	EXPECT_EQ(0, part.rpcs_out);
	EXPECT_EQ(-1LL, part.rcv_bytes);
}

FIXTURE(ttp_end_end) { };
FIXTURE_SETUP(ttp_end_end) { }
FIXTURE_TEARDOWN(ttp_end_end) { }

TEST_F(ttp_end_end, all_is_given_back)
{
	EXPECT_TRUE(quiet(1));
	EXPECT_TRUE(quiet(2));
}

TEST_HARNESS_MAIN
