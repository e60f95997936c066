// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting: blocking calls, time limits, signals, poll, full buffers, many
 * threads.
 */
#include <sys/epoll.h>
#include <sys/select.h>

#include "ttp_test.h"

static char buf[MB(1)];

FIXTURE(ttp_wait) {
	int c;			/* client, in h1 */
	int s;			/* server */
	struct sockaddr_ttp to;	/* its address */
	struct sockaddr_ttp nowhere;
};

FIXTURE_VARIANT(ttp_wait) {
	int host;		/* of the server */
};

FIXTURE_VARIANT_ADD(ttp_wait, wire) { 2 };
FIXTURE_VARIANT_ADD(ttp_wait, loop) { 1 };

FIXTURE_SETUP(ttp_wait)
{
	self->s = server(variant->host);
	ASSERT_LE(0, self->s);
	self->to = addr_of(variant->host, port_of(self->s));
	self->nowhere = addr_of(0, 7);
	self->c = sock(1);
	ASSERT_LE(0, self->c);
}

FIXTURE_TEARDOWN(ttp_wait)
{
	close(self->c);
	close(self->s);
}

static long job_echo(struct job *job)
{
	char msg[8192];
	long n, done;

	for (done = 0;; done++) {
		struct sockaddr_ttp a;
		socklen_t len = sizeof(a);

		n = R(recvfrom(job->fd, msg, sizeof(msg), 0, (void *)&a, &len));
		if (n <= 0)
			return n ?: done;
		n = put(job->fd, msg, job->len ? job->len : (size_t)n, 0, a);
		if (n < 0)
			return n;
	}
}

/* A send buffer that one message to nowhere fills for a long time */
static long fill_sndbuf(int fd)
{
	return set_opt(fd, SOL_TTP, TTP_TIMEOUT_MS, 1000000) ?:
	       set_opt(fd, SOL_SOCKET, SO_SNDBUF, 10000) ?:
	       put(fd, buf, 50000, 0, addr_of(0, 7));
}

/* Blocking or not */

TEST_F(ttp_wait, a_receive_call_waits_for_a_message)
{
	struct job job = { job_recv, self->s };

	ASSERT_TRUE(job_start_sleeping(&job));
	EXPECT_EQ(5, put(self->c, buf, 5, 0, self->to));
	EXPECT_EQ(5, job_end(&job));
}

TEST_F(ttp_wait, a_receive_call_waits_for_a_failure)
{
	struct job job = { job_recv, self->c };

	EXPECT_EQ(5, put(self->c, buf, 5, 0, self->to));
	ASSERT_TRUE(job_start_sleeping(&job));
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(-ECANCELED, job_end(&job));
}

TEST_F(ttp_wait, dontwait_and_nonblock_do_not_wait)
{
	EXPECT_EQ(-EAGAIN, R(recv(self->s, buf, 1, MSG_DONTWAIT)));
	EXPECT_EQ(-EAGAIN, R(recv(self->s, buf, 1, MSG_DONTWAIT | MSG_PEEK)));
	EXPECT_EQ(0, fcntl(self->s, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(-EAGAIN, R(recv(self->s, buf, 1, 0)));
	EXPECT_EQ(-EAGAIN, R(read(self->s, buf, 1)));

	ASSERT_EQ(50000, fill_sndbuf(self->c));
	EXPECT_EQ(-EAGAIN, put(self->c, buf, 5000, MSG_DONTWAIT, self->to));
	EXPECT_EQ(0, fcntl(self->c, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(-EAGAIN, put(self->c, buf, 5000, 0, self->to));
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(5000, put(self->c, buf, 5000, 0, self->to));
}

TEST_F(ttp_wait, eagain_leaves_the_tag_open)
{
	struct sockaddr_ttp a;

	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	a = get_request(self->s);
	ifindex(variant->host, "eth0");
	ASSERT_EQ(50000, fill_sndbuf(self->s));
	EXPECT_EQ(-EAGAIN, put(self->s, buf, 9000, MSG_DONTWAIT, a));
	EXPECT_EQ(0, do_abort(self->s, 0));
	EXPECT_EQ(9000, put(self->s, buf, 9000, MSG_DONTWAIT, a));
	EXPECT_EQ(9000, get_len(self->c));
}

TEST_F(ttp_wait, rcvtimeo_ends_a_receive_call)
{
	long start = now_ms();

	ASSERT_EQ(0, set_time(self->s, SO_RCVTIMEO, 200));
	EXPECT_EQ(-EAGAIN, R(recv(self->s, buf, 1, 0)));
	EXPECT_LE(at_least(200), now_ms() - start);
	EXPECT_GT(at_most(1500), now_ms() - start);
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(1, R(recv(self->s, buf, 1, 0)));
}

TEST_F(ttp_wait, sndtimeo_ends_a_send_call)
{
	long start;

	ASSERT_EQ(50000, fill_sndbuf(self->c));
	ASSERT_EQ(0, set_time(self->c, SO_SNDTIMEO, 200));
	start = now_ms();
	EXPECT_EQ(-EAGAIN, put(self->c, buf, 9000, 0, self->to));
	EXPECT_LE(at_least(200), now_ms() - start);
	EXPECT_GT(at_most(1500), now_ms() - start);
}

TEST_F(ttp_wait, a_send_call_waits_for_room)
{
	struct job job = { job_send, self->c, 9000, self->to };

	ASSERT_EQ(50000, fill_sndbuf(self->c));
	ASSERT_TRUE(job_start_sleeping(&job));
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(9000, job_end(&job));
	EXPECT_EQ(9000, get_len(self->s));
}

/* Signals */

static int signals;

static void on_signal(int sig)
{
	(void)sig;
	__atomic_add_fetch(&signals, 1, __ATOMIC_RELAXED);
}

static void catch_signal(int flags)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = flags };

	sigaction(SIGUSR1, &sa, NULL);
}

static int signalled(void)
{
	return __atomic_load_n(&signals, __ATOMIC_RELAXED);
}

TEST_F(ttp_wait, a_signal_interrupts_a_receive_call)
{
	struct job job = { job_recv, self->s };

	catch_signal(0);
	ASSERT_TRUE(job_start_sleeping(&job));
	pthread_kill(job.thread, SIGUSR1);
	EXPECT_EQ(-EINTR, job_end(&job));
}

TEST_F(ttp_wait, a_signal_restarts_a_receive_call)
{
	struct job job = { job_recv, self->s };

	catch_signal(SA_RESTART);
	ASSERT_TRUE(job_start_sleeping(&job));
	pthread_kill(job.thread, SIGUSR1);
	EXPECT_TRUE(WAIT_FOR(signalled()));
	ASSERT_TRUE(job_sleeps(&job));
	EXPECT_EQ(5, put(self->c, buf, 5, 0, self->to));
	EXPECT_EQ(5, job_end(&job));
}

TEST_F(ttp_wait, a_signal_interrupts_a_limited_receive_call)
{
	struct job job = { job_recv, self->s };

	catch_signal(SA_RESTART);
	ASSERT_EQ(0, set_time(self->s, SO_RCVTIMEO, 20000));
	ASSERT_TRUE(job_start_sleeping(&job));
	pthread_kill(job.thread, SIGUSR1);
	EXPECT_EQ(-EINTR, job_end(&job));
}

TEST_F(ttp_wait, a_signal_interrupts_a_send_call)
{
	struct job job = { job_send, self->c, 9000, self->to };

	catch_signal(0);
	ASSERT_EQ(50000, fill_sndbuf(self->c));
	ASSERT_TRUE(job_start_sleeping(&job));
	pthread_kill(job.thread, SIGUSR1);
	EXPECT_EQ(-EINTR, job_end(&job));
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(-EAGAIN, R(recv(self->s, buf, 1, MSG_DONTWAIT)));
}

TEST_F(ttp_wait, a_signal_restarts_a_send_call)
{
	struct job job = { job_send, self->c, 9000, self->to };

	catch_signal(SA_RESTART);
	ASSERT_EQ(50000, fill_sndbuf(self->c));
	ASSERT_TRUE(job_start_sleeping(&job));
	pthread_kill(job.thread, SIGUSR1);
	EXPECT_TRUE(WAIT_FOR(signalled()));
	ASSERT_TRUE(job_sleeps(&job));
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(9000, job_end(&job));
	EXPECT_EQ(9000, get_len(self->s));
}

TEST_F(ttp_wait, eintr_leaves_the_tag_open)
{
	struct job job = { job_send, self->s, 9000 };

	catch_signal(0);
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	job.addr = get_request(self->s);
	ASSERT_EQ(50000, fill_sndbuf(self->s));
	ASSERT_TRUE(job_start_sleeping(&job));
	pthread_kill(job.thread, SIGUSR1);
	EXPECT_EQ(-EINTR, job_end(&job));
	EXPECT_EQ(0, do_abort(self->s, 0));
	EXPECT_EQ(7000, put(self->s, buf, 7000, 0, job.addr));
	EXPECT_EQ(7000, get_len(self->c));
}

/* Receives job->len messages and sums up what they say */
static long job_sum(struct job *job)
{
	long sum = 0;
	size_t n = 0;
	int value;

	while (n < job->len) {
		long ret = R(recv(job->fd, &value, sizeof(value), 0));

		if (ret == -EINTR)
			continue;
		if (ret != sizeof(value))
			return ret < 0 ? ret : -EPROTO;
		sum += value;
		n++;
	}
	return sum;
}

TEST_F(ttp_wait, no_message_is_lost_among_signals)
{
	struct ttp_send oneway = { .flags = TTP_F_ONEWAY };
	struct job job = { job_sum, self->s, 400 };
	int i;

	catch_signal(0);
	job_start(&job);
	for (i = 0; i < 400; i++) {
		pthread_kill(job.thread, SIGUSR1);
		ASSERT_EQ(4, put_how(self->c, &i, 4, self->to, oneway));
		usleep(i % 4 * 50);
	}
	EXPECT_EQ(400 * 399 / 2, job_end(&job));
	EXPECT_LT(50, signalled());
	EXPECT_EQ(-EAGAIN, R(recv(self->s, buf, 1, MSG_DONTWAIT)));
}

/* Poll, select, epoll */

TEST_F(ttp_wait, poll_tells_the_state)
{
	EXPECT_EQ(POLLOUT, events(self->c));
	EXPECT_EQ(POLLOUT, events(self->s));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(POLLIN, events_in(self->s, POLLIN, 10000));
	EXPECT_EQ(POLLIN | POLLOUT, events(self->s));
	EXPECT_EQ(1, R(recv(self->s, buf, 1, MSG_PEEK)));
	EXPECT_EQ(POLLIN | POLLOUT, events(self->s));
	EXPECT_EQ(0, put(self->s, NULL, 0, 0, get_request(self->s)));
	EXPECT_EQ(POLLOUT, events(self->s));
	/* an empty message is a message */
	EXPECT_EQ(POLLIN, events_in(self->c, POLLIN, 10000));
	EXPECT_EQ(0, get_len(self->c));
	EXPECT_EQ(POLLOUT, events(self->c));
}

TEST_F(ttp_wait, poll_in_tells_of_a_failure)
{
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(POLLIN | POLLOUT, events(self->c));
	EXPECT_EQ(0, get_opt(self->c, SOL_SOCKET, SO_ERROR));
	EXPECT_EQ(POLLIN | POLLOUT, events(self->c));
	EXPECT_EQ(-ECANCELED, R(recv(self->c, buf, 1, MSG_PEEK)));
	EXPECT_EQ(POLLIN | POLLOUT, events(self->c));
	EXPECT_EQ(-ECANCELED, R(recv(self->c, buf, 1, 0)));
	EXPECT_EQ(POLLOUT, events(self->c));
	EXPECT_EQ(-EAGAIN, R(recv(self->c, buf, 1, MSG_DONTWAIT)));
}

TEST_F(ttp_wait, poll_out_goes_with_the_send_buffer)
{
	ASSERT_EQ(50000, fill_sndbuf(self->c));
	EXPECT_EQ(0, events(self->c));
	EXPECT_EQ(0, events_in(self->c, POLLOUT, 50));
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(POLLIN | POLLOUT, events(self->c));
}

TEST_F(ttp_wait, poll_out_means_that_an_mtu_is_accepted)
{
	int n = 0;

	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_SNDBUF, 40000));
	while (events(self->c) & POLLOUT) {
		ASSERT_EQ(9000, put(self->c, buf, 9000, MSG_DONTWAIT,
				    self->nowhere));
		n++;
		ASSERT_GT(100, n);
	}
	EXPECT_LT(3, n);
	EXPECT_EQ(-EAGAIN, put(self->c, buf, 12000, MSG_DONTWAIT,
			       self->nowhere));
}

TEST_F(ttp_wait, poll_tells_of_shutdown)
{
	int shut_wr = sock(1);

	EXPECT_EQ(0, shutdown(self->s, SHUT_RD));
	EXPECT_EQ(POLLIN | POLLRDHUP | POLLOUT, events(self->s));
	EXPECT_EQ(0, shutdown(self->s, SHUT_WR));
	EXPECT_EQ(POLLIN | POLLRDHUP | POLLHUP, events(self->s) & ~POLLOUT);
	EXPECT_EQ(POLLHUP, events_in(self->s, 0, 10000));

	EXPECT_EQ(0, shutdown(shut_wr, SHUT_WR));
	EXPECT_EQ(0, events(shut_wr) & ~POLLOUT);
	EXPECT_EQ(0, shutdown(shut_wr, SHUT_RD));
	EXPECT_EQ(POLLIN | POLLRDHUP | POLLHUP, events(shut_wr) & ~POLLOUT);
}

static long job_poll(struct job *job)
{
	return events_in(job->fd, job->len, -1);
}

TEST_F(ttp_wait, poll_waits)
{
	struct job in = { job_poll, self->s, POLLIN };
	struct job out = { job_poll, self->c, POLLOUT };
	struct job hup = { job_poll, self->s, POLLRDHUP };

	ASSERT_EQ(50000, fill_sndbuf(self->c));
	ASSERT_TRUE(job_start_sleeping(&in));
	ASSERT_TRUE(job_start_sleeping(&out));
	ASSERT_TRUE(job_start_sleeping(&hup));
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(POLLOUT, job_end(&out));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(POLLIN, job_end(&in));
	EXPECT_TRUE(job_sleeps(&hup));
	EXPECT_EQ(0, shutdown(self->s, SHUT_RD));
	EXPECT_EQ(POLLRDHUP, job_end(&hup));
}

TEST_F(ttp_wait, select_tells_the_state)
{
	struct timeval none = {}, second = { .tv_sec = 1 };
	fd_set r, w;

	FD_ZERO(&r);
	FD_ZERO(&w);
	FD_SET(self->s, &r);
	FD_SET(self->s, &w);
	EXPECT_EQ(1, select(self->s + 1, &r, &w, NULL, &none));
	EXPECT_TRUE(FD_ISSET(self->s, &w));
	FD_SET(self->s, &r);
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(1, select(self->s + 1, &r, NULL, NULL, &second));
	EXPECT_TRUE(FD_ISSET(self->s, &r));
}

static int epoll_for(int fd, int events)
{
	struct epoll_event e = { .events = events };
	int ep = epoll_create1(0);

	return epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e) ? -errno : ep;
}

static int epoll_events(int ep, int ms)
{
	struct epoll_event e = {};

	return epoll_wait(ep, &e, 1, ms) < 0 ? -errno : (int)e.events;
}

TEST_F(ttp_wait, epoll_by_level)
{
	int ep = epoll_for(self->s, EPOLLIN | EPOLLRDHUP);

	EXPECT_EQ(0, epoll_events(ep, 0));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(EPOLLIN, epoll_events(ep, 1000));
	EXPECT_EQ(1, get_len(self->s));
	EXPECT_EQ(EPOLLIN, epoll_events(ep, 1000));
	EXPECT_EQ(1, get_len(self->s));
	EXPECT_EQ(0, epoll_events(ep, 0));
	EXPECT_EQ(0, shutdown(self->s, SHUT_RDWR));
	EXPECT_EQ(EPOLLIN | EPOLLRDHUP | EPOLLHUP, epoll_events(ep, 0));
}

TEST_F(ttp_wait, epoll_by_edge)
{
	int ep = epoll_for(self->s, EPOLLIN | EPOLLET);

	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(EPOLLIN, epoll_events(ep, 1000));
	EXPECT_EQ(0, epoll_events(ep, 50));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(EPOLLIN, epoll_events(ep, 1000));
	EXPECT_EQ(1, get_len(self->s));
	EXPECT_EQ(1, get_len(self->s));
	EXPECT_EQ(0, epoll_events(ep, 50));
}

TEST_F(ttp_wait, epoll_by_edge_for_room)
{
	int ep = epoll_for(self->c, EPOLLOUT | EPOLLET);

	EXPECT_EQ(EPOLLOUT, epoll_events(ep, 0));
	ASSERT_EQ(50000, fill_sndbuf(self->c));
	EXPECT_EQ(0, epoll_events(ep, 0));
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(EPOLLOUT, epoll_events(ep, 0));
}

/* Full buffers: stalls, never errors */

TEST_F(ttp_wait, a_receive_buffer_for_one_and_50_senders)
{
	struct job job = { job_echo, self->s, 1 };
	int i, c[50];

	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_RCVBUF, 1));
	for (i = 0; i < 50; i++) {
		c[i] = sock(1);
		ASSERT_EQ(20000 + i, put(c[i], buf, 20000 + i, 0, self->to));
	}
	sleep_ms(3000);		/* longer than silence may last */
	job_start(&job);
	for (i = 0; i < 50; i++)
		ASSERT_EQ(1, get_len(c[i]));
	shutdown(self->s, SHUT_RD);
	EXPECT_EQ(50, job_end(&job));
}

/* A server that takes its time, so that there are always some who wait */
static long job_slow(struct job *job)
{
	struct got got;
	long done;

	for (done = 0;; done++) {
		if (get(job->fd, NULL, 0, 0, &got) < 0 || !got.fromlen)
			return done;
		usleep(2000);
		if (put(job->fd, buf, 1, 0, got.from) != 1)
			return -1;
	}
}

/* Calls one after another; the longest that one took, ms */
static long job_calls(struct job *job)
{
	long began, took, longest = 0, i;

	for (i = 0; i < (long)job->len; i++) {
		began = now_ms();
		if (put(job->fd, buf, 20000, 0, job->addr) != 20000 ||
		    get_len(job->fd) != 1)
			return -1;
		took = now_ms() - began;
		longest = took > longest ? took : longest;
	}
	return longest;
}

TEST_F(ttp_wait, a_receive_buffer_for_one_and_50_that_go_on)
{
	struct job slow = { job_slow, self->s }, jobs[50];
	int i, rounds = at_most(1) == 1 ? 10 : 3;
	long began = now_ms(), round, longest, worst = 0;

	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_RCVBUF, 1));
	job_start(&slow);
	for (i = 0; i < 50; i++) {
		jobs[i] = (struct job) { job_calls, sock(1), rounds, self->to };
		job_start(jobs + i);
	}
	for (i = 0; i < 50; i++) {
		longest = job_end(jobs + i);
		ASSERT_LE(0, longest);
		worst = longest > worst ? longest : worst;
		close(jobs[i].fd);
	}
	/* whoever waits, waits for the 49 others, and not for long after that */
	round = (now_ms() - began) / rounds;
	TH_LOG("a round takes %ld ms, the longest call %ld ms", round, worst);
	EXPECT_GE(2 * round + at_most(20), worst);
	shutdown(self->s, SHUT_RD);
	EXPECT_EQ(50 * rounds, job_end(&slow));
}

TEST_F(ttp_wait, a_receive_buffer_for_one_and_one_sender)
{
	struct job job = { job_echo, self->s, 8000 };
	int i;

	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_RCVBUF, 1));
	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_RCVBUF, 1));
	job_start(&job);
	for (i = 0; i < 100; i++)
		ASSERT_EQ(5000, put(self->c, buf, 5000, 0, self->to));
	for (i = 0; i < 100; i++)
		ASSERT_EQ(8000, get_len(self->c));
	shutdown(self->s, SHUT_RD);
	EXPECT_EQ(100, job_end(&job));
}

TEST_F(ttp_wait, long_messages_through_a_small_receive_buffer)
{
	int i;

	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_RCVBUF, 1));
	for (i = 0; i < 5; i++)
		ASSERT_EQ(300000, put(self->c, buf, 300000, 0, self->to));
	for (i = 0; i < 5; i++)
		ASSERT_EQ(300000, get_len(self->s));
}

TEST_F(ttp_wait, a_send_buffer_for_one_and_10000_rpcs)
{
	struct job job = { job_echo, self->s, 1 };
	int i, n, rpcs = at_most(1) == 1 ? 10000 : 1000;

	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_SNDBUF, 1));
	job_start(&job);
	/* one thread: 1,000 requests, then as many answers */
	for (n = 0; n < rpcs; n += 1000) {
		for (i = 0; i < 1000; i++)
			ASSERT_EQ(3000, put(self->c, buf, 3000, 0, self->to));
		for (i = 0; i < 1000; i++)
			ASSERT_EQ(1, get_len(self->c));
	}
	shutdown(self->s, SHUT_RD);
	EXPECT_EQ(rpcs, job_end(&job));
}

TEST_F(ttp_wait, a_send_buffer_for_one_answer_and_300_rpcs)
{
	struct job job = { job_echo, self->s, 6000 };
	int i;

	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_SNDBUF, 1));
	job_start(&job);
	for (i = 0; i < 300; i++)
		ASSERT_EQ(1, put(self->c, buf, 1, 0, self->to));
	for (i = 0; i < 300; i++)
		ASSERT_EQ(6000, get_len(self->c));
	shutdown(self->s, SHUT_RD);
	EXPECT_EQ(300, job_end(&job));
}

TEST_F(ttp_wait, a_message_longer_than_the_send_buffer)
{
	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_SNDBUF, 1));
	EXPECT_EQ(500000, put(self->c, buf, 500000, MSG_DONTWAIT, self->to));
	EXPECT_EQ(-EAGAIN, put(self->c, buf, 5000, MSG_DONTWAIT,
			       self->nowhere));
	EXPECT_EQ(500000, get_len(self->s));
}

/* Threads */

static long job_peek_on(struct job *job)
{
	static char msg[1 << 20];
	int i;

	for (i = 0; i < 300; i++)
		if (R(recv(job->fd, msg, sizeof(msg), MSG_PEEK)) !=
		    (long)job->len)
			return -EPROTO;
	return 0;
}

/* Another thread copies nearly all of the time */
TEST_F(ttp_wait, a_peeked_message_is_there_for_others)
{
	struct job job = { job_peek_on, self->s, 1 << 20 };
	static char msg[1 << 20];
	int i;

	ASSERT_EQ(1 << 20, put(self->c, msg, 1 << 20, 0, self->to));
	ASSERT_EQ(POLLIN, events_in(self->s, POLLIN, 10000));
	job_start(&job);
	for (i = 0; i < 300; i++) {
		ASSERT_EQ(1 << 20, inq(self->s));
		ASSERT_EQ(POLLIN | POLLOUT, events(self->s));
		ASSERT_EQ(1, R(recv(self->s, msg, 1,
				    MSG_PEEK | MSG_DONTWAIT)));
		usleep(10);
	}
	EXPECT_EQ(0, job_end(&job));
	EXPECT_EQ(1 << 20, R(recv(self->s, msg, sizeof(msg), MSG_DONTWAIT)));
}

#define MANY 64

static void start_many(struct job *jobs, int n, long (*fn)(struct job *job),
		       int fd, size_t len, struct sockaddr_ttp addr)
{
	int i;

	for (i = 0; i < n; i++) {
		jobs[i] = (struct job) { fn, fd, len, addr };
		if (!job_start_sleeping(jobs + i))
			abort();
	}
}

TEST_F(ttp_wait, shutdown_ends_64_receive_calls)
{
	struct job jobs[MANY];
	int i;

	start_many(jobs, MANY, job_recv, self->s, 0, self->to);
	EXPECT_EQ(0, shutdown(self->s, SHUT_RD));
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(0, job_end(jobs + i));
}

TEST_F(ttp_wait, shutdown_ends_64_send_calls)
{
	struct job jobs[MANY];
	int i;

	ASSERT_EQ(50000, fill_sndbuf(self->c));
	start_many(jobs, MANY, job_send, self->c, 9000, self->to);
	EXPECT_EQ(0, shutdown(self->c, SHUT_WR));
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(-EPIPE, job_end(jobs + i));
}

TEST_F(ttp_wait, close_lets_64_receive_calls_go_on)
{
	int c = sock(1), i;
	struct job jobs[MANY];

	start_many(jobs, MANY, job_recv, self->s, 0, self->to);
	close(self->s);
	self->s = -1;
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(5, put(self->c, buf, 5, 0, self->to));
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(5, job_end(jobs + i));
	/* the last one out closed it, and nobody had answered */
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(-ECONNRESET, get_len(self->c));
	EXPECT_EQ(1, put(c, buf, 1, 0, self->to));
	EXPECT_EQ(-ECONNREFUSED, get_len(c));
}

TEST_F(ttp_wait, close_lets_a_send_call_go_on)
{
	struct job job = { job_send, self->c, 9000, self->to };
	int twin = dup(self->c);

	ASSERT_EQ(50000, fill_sndbuf(self->c));
	ASSERT_TRUE(job_start_sleeping(&job));
	close(self->c);
	self->c = twin;
	EXPECT_EQ(0, do_abort(twin, 0));
	EXPECT_EQ(9000, job_end(&job));
	EXPECT_EQ(9000, get_len(self->s));
}

TEST_F(ttp_wait, a_killed_process_ends_64_receive_calls)
{
	struct job jobs[MANY];
	int pipes[2], status;
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	if (!pid) {
		start_many(jobs, MANY, job_recv, self->s, 0, self->to);
		write(pipes[1], "x", 1);
		pause();
	}
	close(self->s);
	self->s = -1;
	ASSERT_EQ(1, read(pipes[0], &c, 1));
	EXPECT_EQ(0, kill(pid, SIGKILL));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(-ECONNREFUSED, get_len(self->c));
}

/* How often has it gone to sleep? */
static long switches(struct job *job)
{
	char path[64], line[128];
	long n = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", job->tid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "voluntary_ctxt_switches: %ld", &n);
	if (f)
		fclose(f);
	return n;
}

static int count_done(struct job *jobs, int n)
{
	int i, done = 0;

	for (i = 0; i < n; i++)
		done += job_done(jobs + i);
	return done;
}

TEST_F(ttp_wait, a_message_wakes_one_of_16_receive_calls)
{
	struct job jobs[16];
	int i, n, ran;
	long slept[16];

	start_many(jobs, 16, job_recv, self->s, 0, self->to);
	for (i = 0; i < 16; i++)
		slept[i] = switches(jobs + i);
	for (n = 1; n <= 16; n++) {
		EXPECT_EQ(5, put(self->c, buf, 5, 0, self->to));
		EXPECT_TRUE(WAIT_FOR(count_done(jobs, 16) == n));
		sleep_ms(5);
		for (i = 0, ran = 0; i < 16; i++)
			ran += job_done(jobs + i) ||
			       switches(jobs + i) != slept[i];
		EXPECT_EQ(n, ran);
	}
	for (i = 0; i < 16; i++)
		EXPECT_EQ(5, job_end(jobs + i));
}

/* Receives until the end; how many messages there were, and in all threads */
static int counted;

static long job_count(struct job *job)
{
	long n = 0;

	while (get_len(job->fd) > 0) {
		n++;
		__atomic_add_fetch(&counted, 1, __ATOMIC_RELAXED);
	}
	return n;
}

static long job_peek(struct job *job)
{
	return R(recv(job->fd, NULL, 0, MSG_PEEK | MSG_TRUNC));
}

TEST_F(ttp_wait, who_peeks_passes_the_wakeup_on)
{
	struct job peek = { job_peek, self->s };
	struct job recv = { job_recv, self->s };

	ASSERT_TRUE(job_start_sleeping(&peek));
	ASSERT_TRUE(job_start_sleeping(&recv));
	EXPECT_EQ(5, put(self->c, buf, 5, 0, self->to));
	EXPECT_EQ(5, job_end(&peek));
	EXPECT_EQ(5, job_end(&recv));
}

TEST_F(ttp_wait, a_sender_does_not_eat_the_readers_wakeup)
{
	struct job send = { job_send, self->c, 90000, self->to };
	struct job recv = { job_recv, self->c };
	struct job poll = { job_poll, self->c, POLLIN };
	struct sockaddr_ttp a;

	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	a = get_request(self->s);
	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_TIMEOUT_MS, 1000000));
	ASSERT_EQ(0, set_opt(self->c, SOL_SOCKET, SO_SNDBUF, 60000));
	ASSERT_EQ(50000, put(self->c, buf, 50000, 0, self->nowhere));
	ASSERT_TRUE(job_start_sleeping(&send));
	ASSERT_TRUE(job_start_sleeping(&poll));
	ASSERT_TRUE(job_start_sleeping(&recv));
	EXPECT_EQ(3, put(self->s, buf, 3, 0, a));
	EXPECT_EQ(3, job_end(&recv));
	EXPECT_TRUE(job_sleeps(&send));
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_EQ(90000, job_end(&send));
	EXPECT_EQ(POLLIN, job_end(&poll));
}

static bool all_sleep(struct job *jobs, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!task_sleeps(jobs[i].tid))
			return false;
	return true;
}

TEST_F(ttp_wait, a_message_is_one_wakeup)
{
	struct ttp_send oneway = { .flags = TTP_F_ONEWAY };
	struct job jobs[8];
	long before, sum = 0;
	int i;

	/* messages of one packet and of many */
	start_many(jobs, 8, job_count, self->s, 0, self->to);
	before = counter(variant->host, "TtpWakeups");
	for (i = 0; i < 200; i++) {
		ASSERT_TRUE(WAIT_FOR(all_sleep(jobs, 8)));
		ASSERT_EQ(1 + i * 40, put_how(self->c, buf, 1 + i * 40,
					      self->to, oneway));
		ASSERT_TRUE(WAIT_FOR(__atomic_load_n(&counted,
						     __ATOMIC_RELAXED) > i));
	}
	EXPECT_EQ(200, counter(variant->host, "TtpWakeups") - before);
	shutdown(self->s, SHUT_RD);
	for (i = 0; i < 8; i++)
		sum += job_end(jobs + i);
	EXPECT_EQ(200, sum);
	counted = 0;
}

/* Sends job->len requests, and receives as many answers, if not its own */
static unsigned char seen[8 * 250];

static long job_client(struct job *job)
{
	int base = job->addr.sttp_reserved, value;
	size_t i;
	long ret;

	job->addr.sttp_reserved = 0;
	for (i = 0; i < job->len; i++) {
		value = base + i;
		ret = put(job->fd, &value, sizeof(value), 0, job->addr);
		if (ret != sizeof(value))
			return ret;
		ret = R(recv(job->fd, &value, sizeof(value), 0));
		if (ret != sizeof(value) || (size_t)value >= sizeof(seen))
			return ret < 0 ? ret : -EPROTO;
		__atomic_add_fetch(seen + value, 1, __ATOMIC_RELAXED);
	}
	return 0;
}

TEST_F(ttp_wait, 8_threads_share_a_socket)
{
	struct job servers[4], clients[8];
	size_t i, sum = 0;

	for (i = 0; i < 4; i++) {
		servers[i] = (struct job) { job_echo, self->s };
		job_start(servers + i);
	}
	for (i = 0; i < 8; i++) {
		clients[i] = (struct job) { job_client, self->c, 250,
					    self->to };
		clients[i].addr.sttp_reserved = 250 * i;
		job_start(clients + i);
	}
	for (i = 0; i < 8; i++)
		EXPECT_EQ(0, job_end(clients + i));
	EXPECT_EQ(0, shutdown(self->s, SHUT_RD));
	for (i = 0; i < 4; i++)
		sum += job_end(servers + i);
	EXPECT_EQ(2000, sum);
	for (i = 0; i < sizeof(seen); i++)
		ASSERT_EQ(1, seen[i]);
}

FIXTURE(ttp_wait_end) { };
FIXTURE_SETUP(ttp_wait_end) { }
FIXTURE_TEARDOWN(ttp_wait_end) { }

TEST_F(ttp_wait_end, all_is_given_back)
{
	EXPECT_TRUE(quiet(1));
	EXPECT_TRUE(quiet(2));
}

TEST_HARNESS_MAIN
