// SPDX-License-Identifier: GPL-2.0
/*
 * A program that talks UDP, started by ttprun: each call and each way back to
 * UDP.  ttp_ttprun.sh sets the stage: h1 and h2 with TTP, h3 without.
 *
 * Sockets of AF_TTP that it makes itself are not touched by ttprun, and play
 * the programs that know TTP; those of raw_udp() are not seen by it.
 */
#include <sys/epoll.h>
#include <sys/select.h>
#include <netinet/in.h>
#include <netinet/udp.h>

#include "ttp_test.h"

ssize_t __recv_chk(int fd, void *buf, size_t len, size_t size, int flags);
ssize_t __recvfrom_chk(int fd, void *buf, size_t len, size_t size, int flags,
		       struct sockaddr *addr, socklen_t *addrlen);
ssize_t __read_chk(int fd, void *buf, size_t len, size_t size);
int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t size);

static int next_port = 7100;

static struct sockaddr_in ip_of(const char *ip, int port)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_port = htons(port) };

	inet_pton(AF_INET, ip, &in.sin_addr);
	return in;
}

static struct sockaddr_in host_ip(int host, int port)
{
	char ip[32];

	snprintf(ip, sizeof(ip), "10.0.0.%d", host);
	return ip_of(ip, port);
}

static int udp(int host)
{
	enter(host);
	return R(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

/* Not seen by ttprun */
static int raw_udp(int host)
{
	enter(host);
	return R(syscall(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

static long bind_ip(int fd, const char *ip, int port)
{
	struct sockaddr_in in = ip_of(ip, port);

	return R(bind(fd, (void *)&in, sizeof(in)));
}

static long connect_ip(int fd, struct sockaddr_in in)
{
	return R(connect(fd, (void *)&in, sizeof(in)));
}

static int udp_server(int host, int *port)
{
	int fd = udp(host);

	*port = next_port++;
	return bind_ip(fd, "0.0.0.0", *port) ? -1 : fd;
}

/* What the kernel says the descriptor is */
static int kind_of(int fd)
{
	int domain = 0;
	socklen_t len = sizeof(domain);

	syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_DOMAIN, &domain, &len);
	return domain;
}

static long to_ip(int fd, const void *buf, size_t len, struct sockaddr_in in)
{
	return R(sendto(fd, buf, len, 0, (void *)&in, sizeof(in)));
}

/* Open requests that it has received, or made */
static struct ttp_status raw_status(int fd)
{
	struct ttp_status status = {};
	socklen_t len = sizeof(status);

	syscall(SYS_getsockopt, fd, SOL_TTP, TTP_STATUS, &status, &len);
	return status;
}

static long from_ip(int fd, void *buf, size_t len, int flags,
		    struct sockaddr_in *in)
{
	socklen_t inlen = sizeof(*in);

	memset(in, 0xff, sizeof(*in));
	return R(recvfrom(fd, buf, len, flags, (void *)in, &inlen));
}

static bool is_from(const struct sockaddr_in *in, const char *ip, int port)
{
	struct sockaddr_in want = ip_of(ip, port);

	return in->sin_family == AF_INET && in->sin_port == want.sin_port &&
	       in->sin_addr.s_addr == want.sin_addr.s_addr;
}

static int ip_port(int fd)
{
	struct sockaddr_in in = {};
	socklen_t len = sizeof(in);

	getsockname(fd, (void *)&in, &len);
	return ntohs(in.sin_port);
}

/* A native socket that tells what it gets */
static int native(int host, int port)
{
	int fd = sock(host);

	set_opt(fd, SOL_TTP, TTP_RECVINFO, 1);
	return bind_to(fd, port, 0) ? -1 : fd;
}

/* One question and answer over two UDP sockets; 0 if all is right */
static int ask(int client, int server, struct sockaddr_in to)
{
	char buf[16] = "";
	struct sockaddr_in from;

	if (to_ip(client, "hello", 5, to) != 5)
		return 1;
	if (from_ip(server, buf, sizeof(buf), 0, &from) != 5 ||
	    memcmp(buf, "hello", 5))
		return 2;
	if (to_ip(server, "world!", 6, from) != 6)
		return 3;
	if (from_ip(client, buf, sizeof(buf), 0, &from) != 6 ||
	    memcmp(buf, "world!", 6))
		return 4;
	return memcmp(&from, &to, sizeof(from)) ? 5 : 0;
}

/* Started anew by the test of exec: answer one request on descriptor N */
static void __attribute__((constructor)) started_by_exec(void)
{
	const char *fd_text = getenv("TTPRUN_TEST_FD");
	struct sockaddr_in from;
	char buf[16];
	long n;

	if (!fd_text)
		return;
	n = from_ip(atoi(fd_text), buf, sizeof(buf), 0, &from);
	if (n > 0)
		n = to_ip(atoi(fd_text), buf, n, from);
	_exit(n > 0 ? 0 : 1);
}

FIXTURE(udp) {
	int server;
	int port;
	int client;
	struct sockaddr_in to;
};

FIXTURE_SETUP(udp)
{
	self->server = udp_server(2, &self->port);
	ASSERT_GE(self->server, 0);
	ASSERT_EQ(AF_TTP, kind_of(self->server));
	self->client = udp(1);
	ASSERT_GE(self->client, 0);
	self->to = host_ip(2, self->port);
}

FIXTURE_TEARDOWN(udp)
{
	close(self->server);
	close(self->client);
	EXPECT_TRUE(quiet(1));
	EXPECT_TRUE(quiet(2));
}

TEST_F(udp, question_and_answer)
{
	long calls = counter(1, "TtpRpcCompleted");

	enter(1);
	EXPECT_EQ(AF_INET, kind_of(self->client));
	EXPECT_EQ(0, ask(self->client, self->server, self->to));
	EXPECT_EQ(AF_TTP, kind_of(self->client));
	EXPECT_EQ(0, ask(self->client, self->server, self->to));
	EXPECT_EQ(calls + 2, counter(1, "TtpRpcCompleted"));
}

TEST_F(udp, sender_is_the_ip_address)
{
	struct sockaddr_in from;
	char c;

	enter(1);
	ASSERT_EQ(1, to_ip(self->client, "x", 1, self->to));
	ASSERT_EQ(1, from_ip(self->server, &c, 1, 0, &from));
	EXPECT_TRUE(is_from(&from, "10.0.0.1", ip_port(self->client)));
}

TEST_F(udp, connected)
{
	struct sockaddr_in name;
	socklen_t len = sizeof(name);
	struct sockaddr_in from;
	char buf[8];

	enter(1);
	EXPECT_EQ(-1, getpeername(self->client, (void *)&name, &len));
	ASSERT_EQ(0, connect_ip(self->client, self->to));
	EXPECT_EQ(AF_TTP, kind_of(self->client));
	len = sizeof(name);
	EXPECT_EQ(0, getpeername(self->client, (void *)&name, &len));
	EXPECT_TRUE(is_from(&name, "10.0.0.2", self->port));
	EXPECT_EQ(0, getsockname(self->client, (void *)&name, &len));
	EXPECT_TRUE(is_from(&name, "10.0.0.1", ip_port(self->client)));
	len = 4;	/* too short: cut, and the length told */
	EXPECT_EQ(0, getsockname(self->client, (void *)&name, &len));
	EXPECT_EQ(sizeof(name), len);

	EXPECT_EQ(1, send(self->client, "a", 1, 0));
	EXPECT_EQ(1, write(self->client, "b", 1));
	EXPECT_EQ(2, writev(self->client, (struct iovec[]){ { "c", 1 },
							   { "d", 1 } }, 2));
	EXPECT_EQ(1, to_ip(self->client, "e", 1, self->to));
	EXPECT_EQ(1, from_ip(self->server, buf, 8, 0, &from));
	EXPECT_EQ('a', buf[0]);
	EXPECT_EQ(1, to_ip(self->server, "A", 1, from));
	EXPECT_EQ(1, read(self->server, buf, 8));
	EXPECT_EQ('b', buf[0]);
	EXPECT_EQ(1, to_ip(self->server, "B", 1, from));
	EXPECT_EQ(2, readv(self->server, (struct iovec[]){ { buf, 1 },
							  { buf + 4, 4 } }, 2));
	EXPECT_EQ('d', buf[4]);
	EXPECT_EQ(1, to_ip(self->server, "C", 1, from));
	EXPECT_EQ(1, recv(self->server, buf, 8, 0));
	EXPECT_EQ('e', buf[0]);
	EXPECT_EQ(1, to_ip(self->server, "D", 1, from));

	EXPECT_EQ(1, recv(self->client, buf, 8, 0));
	EXPECT_EQ('A', buf[0]);
	EXPECT_EQ(1, read(self->client, buf, 8));
	EXPECT_EQ('B', buf[0]);
	EXPECT_EQ(1, __recv_chk(self->client, buf, 8, 8, 0));
	EXPECT_EQ('C', buf[0]);
	EXPECT_EQ(1, __read_chk(self->client, buf, 8, 8));
	EXPECT_EQ('D', buf[0]);

	/* strangers are not heard, connect() may be repeated and dissolved */
	ASSERT_EQ(0, connect_ip(self->client, host_ip(2, self->port)));
	EXPECT_EQ(0, connect(self->client, (void *)&(struct sockaddr){
			.sa_family = AF_UNSPEC }, sizeof(struct sockaddr)));
	EXPECT_EQ(-ENOTCONN, R(getpeername(self->client, (void *)&name, &len)));
	EXPECT_EQ(-EDESTADDRREQ, R(send(self->client, "x", 1, 0)));
	EXPECT_EQ(0, ask(self->client, self->server, self->to));
}

TEST_F(udp, recvfrom_of_fortified_programs)
{
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	char buf[8];

	enter(1);
	ASSERT_EQ(1, to_ip(self->client, "x", 1, self->to));
	EXPECT_EQ(1, __recvfrom_chk(self->server, buf, 8, 8, 0, (void *)&from,
				    &len));
	EXPECT_TRUE(is_from(&from, "10.0.0.1", ip_port(self->client)));
	EXPECT_EQ(sizeof(from), len);
}

TEST_F(udp, many_messages_in_a_call)
{
	struct iovec out[3] = { { "a", 1 }, { "bb", 2 }, { "ccc", 3 } };
	struct timespec limit = { 0, 100000000 };
	struct mmsghdr msgs[4] = {};
	struct sockaddr_in from[4];
	char bufs[4][8];
	struct iovec in[4];
	int i;

	enter(1);
	for (i = 0; i < 3; i++) {
		msgs[i].msg_hdr.msg_name = &self->to;
		msgs[i].msg_hdr.msg_namelen = sizeof(self->to);
		msgs[i].msg_hdr.msg_iov = out + i;
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	ASSERT_EQ(3, sendmmsg(self->client, msgs, 3, 0));
	EXPECT_EQ(3, msgs[2].msg_len);
	ASSERT_TRUE(WAIT_FOR(raw_status(self->server).rpcs_in == 3));
	for (i = 0; i < 4; i++) {
		in[i] = (struct iovec){ bufs[i], 8 };
		msgs[i].msg_hdr = (struct msghdr){
			.msg_name = from + i, .msg_namelen = sizeof(from[i]),
			.msg_iov = in + i, .msg_iovlen = 1 };
	}
	EXPECT_EQ(1, recvmmsg(self->server, msgs, 1, 0, NULL));
	EXPECT_EQ(2, recvmmsg(self->server, msgs, 4, MSG_WAITFORONE, NULL));
	EXPECT_EQ(2, msgs[0].msg_len);
	EXPECT_EQ(3, msgs[1].msg_len);
	EXPECT_TRUE(is_from(from + 1, "10.0.0.1", ip_port(self->client)));
	EXPECT_EQ(-EAGAIN, R(recvmmsg(self->server, msgs, 4, MSG_DONTWAIT,
				      &limit)));
}

TEST_F(udp, what_a_native_server_gets_is_a_request)
{
	struct sockaddr_in to = host_ip(2, 7050), from;
	int fd = native(2, 7050);
	struct got got;
	char buf[8];

	enter(1);
	ASSERT_EQ(2, to_ip(self->client, "hi", 2, to));
	ASSERT_EQ(2, get(fd, buf, 8, 0, &got));
	EXPECT_EQ(TTP_KIND_REQUEST, got.info.kind);
	EXPECT_EQ(ip_port(self->client), ntohs(got.from.sttp_port));
	EXPECT_EQ(3, put(fd, "you", 3, 0, got.from));
	ASSERT_EQ(3, from_ip(self->client, buf, 8, 0, &from));
	EXPECT_TRUE(is_from(&from, "10.0.0.2", 7050));
	close(fd);
}

TEST_F(udp, answers_go_to_the_oldest_request)
{
	int fd = native(1, 0);
	struct sockaddr_in from;
	struct sockaddr_ttp to = addr_of(2, self->port);
	struct got got;
	char buf[8];
	int i;

	for (i = 1; i <= 3; i++)
		ASSERT_EQ(1, put_how(fd, "?", 1, to,
				     (struct ttp_send){ .cookie = i }));
	for (i = 1; i <= 3; i++)
		ASSERT_EQ(1, from_ip(self->server, buf, 8, 0, &from));
	for (i = 1; i <= 3; i++)
		ASSERT_EQ(1, to_ip(self->server, "!", 1, from));
	for (i = 1; i <= 3; i++) {
		ASSERT_EQ(1, get(fd, buf, 8, 0, &got));
		EXPECT_EQ(TTP_KIND_RESPONSE, got.info.kind);
		EXPECT_EQ(i, got.info.cookie);
	}
	close(fd);
}

TEST_F(udp, a_second_answer_is_a_message_of_its_own)
{
	int fd = native(1, 0);
	struct sockaddr_in from;
	struct got got;
	char buf[8];

	ASSERT_EQ(1, put(fd, "?", 1, 0, addr_of(2, self->port)));
	ASSERT_EQ(1, from_ip(self->server, buf, 8, 0, &from));
	enter(2);
	ASSERT_EQ(3, to_ip(self->server, "one", 3, from));
	ASSERT_EQ(3, to_ip(self->server, "two", 3, from));
	ASSERT_EQ(3, get(fd, buf, 8, 0, &got));
	EXPECT_EQ(TTP_KIND_RESPONSE, got.info.kind);
	ASSERT_EQ(3, get(fd, buf, 8, 0, &got));
	EXPECT_EQ(TTP_KIND_ONEWAY, got.info.kind);
	EXPECT_EQ(0, memcmp(buf, "two", 3));
	close(fd);

	/* and an UDP client gets both from the same address */
	enter(1);
	ASSERT_EQ(1, to_ip(self->client, "?", 1, self->to));
	ASSERT_EQ(1, from_ip(self->server, buf, 8, 0, &from));
	ASSERT_EQ(3, to_ip(self->server, "one", 3, from));
	ASSERT_EQ(3, to_ip(self->server, "two", 3, from));
	ASSERT_EQ(3, from_ip(self->client, buf, 8, 0, &from));
	EXPECT_TRUE(is_from(&from, "10.0.0.2", self->port));
	ASSERT_EQ(3, from_ip(self->client, buf, 8, 0, &from));
	EXPECT_TRUE(is_from(&from, "10.0.0.2", self->port));
	EXPECT_EQ(0, memcmp(buf, "two", 3));
}

TEST_F(udp, an_answer_too_late_arrives)
{
	struct sockaddr_in from;
	char buf[8];

	enter(1);
	ASSERT_EQ(1, to_ip(self->client, "?", 1, self->to));
	ASSERT_EQ(1, from_ip(self->server, buf, 8, 0, &from));
	/* the request ends by its deadline, 1 s */
	EXPECT_EQ(1, raw_status(self->client).rpcs_out);
	ASSERT_TRUE(WAIT_FOR(recv(self->client, buf, 8, MSG_DONTWAIT) < 0 &&
			     !raw_status(self->client).rpcs_out));
	EXPECT_EQ(4, to_ip(self->server, "late", 4, from));
	EXPECT_EQ(4, from_ip(self->client, buf, 8, 0, &from));
	EXPECT_TRUE(is_from(&from, "10.0.0.2", self->port));
}

TEST_F(udp, answer_of_a_host_with_two_addresses)
{
	struct sockaddr_in from;
	char c;

	/* the client compares: it wants that from where it asked */
	enter(1);
	ASSERT_EQ(1, to_ip(self->client, "1", 1, ip_of("10.0.5.2", self->port)));
	ASSERT_EQ(1, to_ip(self->client, "2", 1, self->to));
	ASSERT_EQ(1, from_ip(self->server, &c, 1, 0, &from));
	ASSERT_EQ(1, to_ip(self->server, &c, 1, from));
	ASSERT_EQ(1, from_ip(self->server, &c, 1, 0, &from));
	ASSERT_EQ(1, to_ip(self->server, &c, 1, from));
	ASSERT_EQ(1, from_ip(self->client, &c, 1, 0, &from));
	EXPECT_EQ('1', c);
	EXPECT_TRUE(is_from(&from, "10.0.5.2", self->port));
	ASSERT_EQ(1, from_ip(self->client, &c, 1, 0, &from));
	EXPECT_EQ('2', c);
	EXPECT_TRUE(is_from(&from, "10.0.0.2", self->port));
}

/* Requests that nobody answers; ttp_ttprun.sh gives them 1 s */

TEST_F(udp, unanswered_is_not_told)
{
	struct pollfd p = { .fd = self->client, .events = POLLIN };
	struct timeval tv = { 3, 0 };
	int fd = native(2, 7051);
	fd_set set;
	long start;
	char c;

	enter(1);
	ASSERT_EQ(1, to_ip(self->client, "x", 1, host_ip(2, 7051)));
	start = now_ms();
	EXPECT_EQ(0, poll(&p, 1, 2500));
	EXPECT_GE(now_ms() - start, at_least(2500));
	ASSERT_EQ(1, to_ip(self->client, "x", 1, host_ip(2, 7051)));
	start = now_ms();
	EXPECT_EQ(0, __poll_chk(&p, 1, 2500, sizeof(p)));
	EXPECT_GE(now_ms() - start, at_least(2500));

	ASSERT_EQ(1, to_ip(self->client, "x", 1, host_ip(2, 7051)));
	FD_ZERO(&set);
	FD_SET(self->client, &set);
	start = now_ms();
	EXPECT_EQ(0, select(self->client + 1, &set, NULL, NULL, &tv));
	EXPECT_GE(now_ms() - start, at_least(3000));
	EXPECT_FALSE(FD_ISSET(self->client, &set));

	ASSERT_EQ(1, to_ip(self->client, "x", 1, host_ip(2, 7051)));
	ASSERT_EQ(0, set_time(self->client, SO_RCVTIMEO, 2500));
	start = now_ms();
	EXPECT_EQ(-EAGAIN, R(recv(self->client, &c, 1, 0)));
	EXPECT_GE(now_ms() - start, at_least(2500));
	EXPECT_EQ(-EAGAIN, R(recv(self->client, &c, 1, MSG_DONTWAIT)));
	EXPECT_EQ(AF_TTP, kind_of(self->client));
	close(fd);
}

static long job_recv_udp(struct job *job)
{
	char c = 0;
	long ret = R(recv(job->fd, &c, 1, 0));

	return ret == 1 ? c : ret;
}

TEST_F(udp, a_call_that_blocks_waits_for_the_next_message)
{
	struct job job = { .fn = job_recv_udp, .fd = self->client };
	int fd = native(2, 7052);
	struct got got;
	char buf[8];

	enter(1);
	ASSERT_EQ(1, to_ip(self->client, "x", 1, host_ip(2, 7052)));
	ASSERT_EQ(1, get(fd, buf, 8, 0, &got));
	ASSERT_TRUE(job_start_sleeping(&job));
	ASSERT_TRUE(WAIT_FOR(!raw_status(self->client).rpcs_out));
	sleep_ms(50);
	EXPECT_FALSE(job_done(&job));
	enter(2);
	got.from.sttp_rpc = 0;
	ASSERT_EQ(1, put(fd, "y", 1, 0, got.from));
	EXPECT_EQ('y', job_end(&job));
	close(fd);
}

TEST_F(udp, many_unanswered_do_not_block)
{
	int fd = native(2, 7053), i, requests = 0, oneway = 0;
	struct got got;
	char buf[8];

	enter(1);
	for (i = 0; i < 300; i++)
		ASSERT_EQ(1, to_ip(self->client, "x", 1, host_ip(2, 7053)));
	for (i = 0; i < 300; i++) {
		ASSERT_EQ(1, get(fd, buf, 8, 0, &got));
		requests += got.info.kind == TTP_KIND_REQUEST;
		oneway += got.info.kind == TTP_KIND_ONEWAY;
	}
	EXPECT_EQ(256, requests);
	EXPECT_EQ(44, oneway);
	close(fd);
}

TEST_F(udp, a_program_that_never_receives)
{
	struct pollfd p = { .fd = self->client, .events = POLLIN };
	struct sockaddr_in to = host_ip(2, 7054);
	int fd = native(2, 7054), i;
	struct got got;
	char buf[8];
	long ret;

	enter(1);
	ASSERT_EQ(1, to_ip(self->client, "x", 1, to));
	ASSERT_EQ(1, get(fd, buf, 8, 0, &got));
	ASSERT_EQ(1, put(fd, "y", 1, 0, got.from));
	ASSERT_EQ(1, recv(self->client, buf, 8, 0));
	close(fd);
	/* all of them fail; UDP would not mind */
	ASSERT_EQ(0, fcntl(self->client, F_SETFL, O_NONBLOCK));
	for (i = 0; i < 10000; i++) {
		ASSERT_EQ(1, to_ip(self->client, "x", 1, to)) TH_LOG("%d", i);
		if (i % 100 == 99)
			sleep_ms(1);
	}
	EXPECT_EQ(AF_TTP, kind_of(self->client));
	/* one that is connected is told that it is refused, now and then */
	ASSERT_EQ(0, connect_ip(self->client, to));
	for (i = 0, ret = 1; i < 10000 && ret == 1; i++) {
		ret = R(send(self->client, "x", 1, 0));
		sleep_ms(1);
	}
	EXPECT_EQ(-ECONNREFUSED, ret);
	EXPECT_EQ(1, send(self->client, "x", 1, 0));
	sleep_ms(1);
	EXPECT_EQ(1, poll(&p, 1, 1000));
	EXPECT_EQ(ECONNREFUSED, get_opt(self->client, SOL_SOCKET, SO_ERROR));
	EXPECT_EQ(0, get_opt(self->client, SOL_SOCKET, SO_ERROR));
	EXPECT_EQ(0, poll(&p, 1, 10));
}

/* Back to UDP */

TEST_F(udp, nobody_has_the_port_in_ttp)
{
	int fd = raw_udp(2), port = next_port++;
	struct sockaddr_in from;
	char buf[8];

	ASSERT_EQ(0, bind_ip(fd, "0.0.0.0", port));
	enter(1);
	ASSERT_EQ(2, to_ip(self->client, "hi", 2, host_ip(2, port)));
	EXPECT_EQ(AF_TTP, kind_of(self->client));
	/* what TTP was refused comes by UDP, as soon as it is told */
	ASSERT_TRUE(WAIT_FOR(recv(self->client, buf, 8, MSG_DONTWAIT) < 0 &&
			     kind_of(self->client) == AF_INET));
	ASSERT_EQ(2, from_ip(fd, buf, 8, 0, &from));
	EXPECT_EQ(0, memcmp(buf, "hi", 2));
	ASSERT_EQ(3, to_ip(fd, "you", 3, from));
	EXPECT_EQ(3, from_ip(self->client, buf, 8, 0, &from));
	EXPECT_TRUE(is_from(&from, "10.0.0.2", port));
	close(fd);
}

TEST_F(udp, nobody_has_the_port_at_all)
{
	char c;

	enter(1);
	ASSERT_EQ(0, connect_ip(self->client, host_ip(2, next_port++)));
	ASSERT_EQ(1, send(self->client, "x", 1, 0));
	EXPECT_EQ(-ECONNREFUSED, R(recv(self->client, &c, 1, 0)));
	EXPECT_EQ(AF_INET, kind_of(self->client));
}

TEST_F(udp, a_server_that_was_there_and_is_gone)
{
	struct pollfd p = { .fd = self->client, .events = POLLIN };
	struct sockaddr_in from;
	char buf[8];

	enter(1);
	ASSERT_EQ(0, connect_ip(self->client, self->to));
	ASSERT_EQ(1, send(self->client, "x", 1, 0));
	ASSERT_EQ(1, from_ip(self->server, buf, 8, 0, &from));
	ASSERT_EQ(1, to_ip(self->server, "y", 1, from));
	ASSERT_EQ(1, recv(self->client, buf, 8, 0));
	close(self->server);
	ASSERT_EQ(1, send(self->client, "x", 1, 0));
	EXPECT_EQ(-ECONNREFUSED, R(recv(self->client, buf, 8, 0)));
	ASSERT_EQ(1, send(self->client, "x", 1, 0));
	EXPECT_EQ(1, poll(&p, 1, 5000));
	EXPECT_EQ(-ECONNREFUSED, R(recv(self->client, buf, 8, 0)));
	EXPECT_EQ(-EAGAIN, R(recv(self->client, buf, 8, MSG_DONTWAIT)));
	EXPECT_EQ(AF_TTP, kind_of(self->client));
}

static long job_wait_udp(struct job *job)
{
	return R(poll(&(struct pollfd){ job->fd, POLLIN }, 1, 10000));
}

TEST_F(udp, a_host_without_ttp)
{
	int fd = raw_udp(3), port = next_port++, fd2;
	struct job job = { .fn = job_wait_udp, .fd = self->client };
	struct sockaddr_in from;
	char buf[8];

	ASSERT_EQ(0, bind_ip(fd, "0.0.0.0", port));
	enter(1);
	ASSERT_EQ(2, to_ip(self->client, "hi", 2, host_ip(3, port)));
	EXPECT_EQ(AF_TTP, kind_of(self->client));
	job_start(&job);
	ASSERT_EQ(2, from_ip(fd, buf, 8, 0, &from));
	ASSERT_EQ(3, to_ip(fd, "you", 3, from));
	EXPECT_EQ(1, job_end(&job));
	EXPECT_EQ(3, from_ip(self->client, buf, 8, 0, &from));
	EXPECT_TRUE(is_from(&from, "10.0.0.3", port));
	EXPECT_EQ(AF_INET, kind_of(self->client));

	/* the next socket knows */
	fd2 = udp(1);
	ASSERT_EQ(0, connect_ip(fd2, host_ip(3, port)));
	EXPECT_EQ(AF_INET, kind_of(fd2));
	close(fd2);
	close(fd);
}

TEST_F(udp, several_peers_are_not_given_up_for_one)
{
	struct sockaddr_in from;
	char buf[8];

	enter(1);
	ASSERT_EQ(1, to_ip(self->client, "x", 1, host_ip(2, next_port++)));
	ASSERT_EQ(1, to_ip(self->client, "y", 1, self->to));
	sleep_ms(10);
	EXPECT_EQ(-EAGAIN, R(recv(self->client, buf, 8, MSG_DONTWAIT)));
	EXPECT_EQ(AF_TTP, kind_of(self->client));
	ASSERT_EQ(1, from_ip(self->server, buf, 8, 0, &from));
	ASSERT_EQ(1, to_ip(self->server, "z", 1, from));
	EXPECT_EQ(1, recv(self->client, buf, 8, 0));
	/* nor are they for one that TTP cannot reach */
	EXPECT_EQ(-ENETUNREACH, to_ip(self->client, "x", 1,
				      ip_of("127.0.0.1", 9)));
	EXPECT_EQ(-EHOSTUNREACH, to_ip(self->client, "x", 1,
				       ip_of("10.8.0.1", 9)));
	EXPECT_EQ(AF_TTP, kind_of(self->client));
}

TEST_F(udp, addresses_that_ttp_does_not_have)
{
	static const char * const addrs[] = {
		"127.0.0.1",	/* loopback */
		"224.0.0.1",	/* multicast */
		"10.0.255.255", "255.255.255.255",	/* broadcast */
		"10.8.0.1",	/* behind a router */
		"10.0.0.77",	/* nobody */
		"10.7.0.9",	/* on a device without TTP */
		NULL
	};
	int fd, i;

	for (i = 0; addrs[i]; i++) {
		fd = udp(1);
		set_opt(fd, SOL_SOCKET, SO_BROADCAST, 1);
		EXPECT_EQ(0, connect_ip(fd, ip_of(addrs[i], 9)));
		EXPECT_EQ(AF_INET, kind_of(fd)) TH_LOG("%s", addrs[i]);
		close(fd);
		fd = udp(1);
		set_opt(fd, SOL_SOCKET, SO_BROADCAST, 1);
		EXPECT_EQ(1, to_ip(fd, "x", 1, ip_of(addrs[i], 9)));
		EXPECT_EQ(AF_INET, kind_of(fd)) TH_LOG("%s", addrs[i]);
		close(fd);
	}
}

TEST_F(udp, loopback_works_as_ever)
{
	int server = udp(1), port = next_port++;

	ASSERT_EQ(0, bind_ip(server, "127.0.0.1", port));
	EXPECT_EQ(AF_INET, kind_of(server));
	EXPECT_EQ(0, ask(self->client, server, ip_of("127.0.0.1", port)));
	EXPECT_EQ(AF_INET, kind_of(self->client));
	close(server);
}

/* It would be another network that the new socket is of */
TEST_F(udp, a_socket_of_another_namespace)
{
	int fd = udp(2);

	enter(1);
	EXPECT_EQ(0, bind_ip(fd, "0.0.0.0", next_port++));
	EXPECT_EQ(AF_INET, kind_of(fd));
	close(fd);
}

TEST_F(udp, own_address)
{
	int server = udp(1), port = next_port++;

	ASSERT_EQ(0, bind_ip(server, "10.0.0.1", port));
	EXPECT_EQ(AF_TTP, kind_of(server));
	EXPECT_EQ(0, ask(self->client, server, host_ip(1, port)));
	EXPECT_EQ(AF_TTP, kind_of(self->client));
	close(server);
}

TEST_F(udp, bound_first_udp_in_the_end)
{
	int server = raw_udp(1), port = next_port++, mine;
	struct sockaddr_in from;
	char buf[8];

	ASSERT_EQ(0, bind_ip(server, "127.0.0.1", port));
	ASSERT_EQ(0, set_opt(self->client, IPPROTO_IP, IP_TTL, 17));
	ASSERT_EQ(0, fcntl(self->client, F_SETFL, O_NONBLOCK));
	ASSERT_EQ(0, bind_ip(self->client, "0.0.0.0", 0));
	EXPECT_EQ(AF_TTP, kind_of(self->client));
	EXPECT_EQ(O_NONBLOCK, fcntl(self->client, F_GETFL) & O_NONBLOCK);
	mine = ip_port(self->client);
	EXPECT_GT(mine, 0);
	ASSERT_EQ(0, connect_ip(self->client, ip_of("127.0.0.1", port)));
	EXPECT_EQ(AF_INET, kind_of(self->client));
	EXPECT_EQ(mine, ip_port(self->client));
	EXPECT_EQ(17, get_opt(self->client, IPPROTO_IP, IP_TTL));
	EXPECT_EQ(O_NONBLOCK, fcntl(self->client, F_GETFL) & O_NONBLOCK);
	EXPECT_EQ(FD_CLOEXEC, fcntl(self->client, F_GETFD));
	EXPECT_EQ(1, send(self->client, "x", 1, 0));
	EXPECT_EQ(1, from_ip(server, buf, 8, 0, &from));
	EXPECT_TRUE(is_from(&from, "127.0.0.1", mine));
	close(server);
}

TEST_F(udp, a_port_that_is_taken_in_ttp)
{
	int fd = udp(2), ttp;

	/* as UDP has it */
	set_opt(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	EXPECT_EQ(0, bind_ip(fd, "0.0.0.0", self->port));
	EXPECT_EQ(AF_INET, kind_of(fd));
	close(fd);
	/* without a port of its own it takes another one */
	fd = udp(1);
	ASSERT_EQ(0, connect_ip(fd, self->to));
	ttp = native(1, 0);
	EXPECT_NE(port_of(ttp), ip_port(fd));
	close(ttp);
	close(fd);
	/* and errors of bind() are those of UDP */
	fd = udp(1);
	EXPECT_EQ(-EADDRNOTAVAIL, bind_ip(fd, "10.0.0.2", 0));
	EXPECT_EQ(0, bind_ip(fd, "10.0.0.1", 0));
	EXPECT_EQ(AF_TTP, kind_of(fd));
	EXPECT_EQ(-EINVAL, bind_ip(fd, "10.0.0.1", 0));
	close(fd);
}

TEST_F(udp, options_that_only_udp_has)
{
	struct ip_mreqn mreq = { .imr_multiaddr.s_addr = htonl(0xe0000105),
				 .imr_ifindex = ifindex(1, "eth0") };
	int fd = udp(1);

	EXPECT_EQ(0, setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &mreq,
				sizeof(mreq)));
	EXPECT_EQ(0, bind_ip(fd, "0.0.0.0", next_port++));
	EXPECT_EQ(AF_INET, kind_of(fd));
	close(fd);
	fd = udp(1);
	EXPECT_EQ(0, bind_ip(fd, "0.0.0.0", next_port++));
	EXPECT_EQ(AF_TTP, kind_of(fd));
	EXPECT_EQ(0, setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &mreq,
				sizeof(mreq)));
	EXPECT_EQ(AF_INET, kind_of(fd));
	close(fd);
}

/* What waits */

TEST_F(udp, epoll_from_the_beginning)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = 4711 };
	int epfd = epoll_create1(EPOLL_CLOEXEC), port = next_port++;
	int fd = udp(2);

	ASSERT_EQ(0, epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event));
	ASSERT_EQ(0, bind_ip(fd, "0.0.0.0", port));
	EXPECT_EQ(AF_TTP, kind_of(fd));
	enter(1);
	ASSERT_EQ(1, to_ip(self->client, "x", 1, host_ip(2, port)));
	memset(&event, 0, sizeof(event));
	EXPECT_EQ(1, epoll_wait(epfd, &event, 1, 5000));
	EXPECT_EQ(EPOLLIN, event.events);
	EXPECT_EQ(4711, event.data.u64);
	close(fd);

	/* and there and back */
	fd = udp(1);
	event = (struct epoll_event){ .events = EPOLLIN, .data.u64 = 4712 };
	ASSERT_EQ(0, epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event));
	event.data.u64 = 4713;
	ASSERT_EQ(0, epoll_ctl(epfd, EPOLL_CTL_MOD, fd, &event));
	ASSERT_EQ(0, bind_ip(fd, "0.0.0.0", port));
	EXPECT_EQ(AF_TTP, kind_of(fd));
	ASSERT_EQ(0, connect_ip(fd, ip_of("127.0.0.1", port)));
	EXPECT_EQ(AF_INET, kind_of(fd));
	EXPECT_EQ(0, epoll_wait(epfd, &event, 1, 0));
	ASSERT_EQ(1, send(fd, "x", 1, 0));	/* to itself */
	EXPECT_EQ(1, epoll_wait(epfd, &event, 1, 5000));
	EXPECT_EQ(4713, event.data.u64);
	ASSERT_EQ(0, epoll_ctl(epfd, EPOLL_CTL_DEL, fd, NULL));
	EXPECT_EQ(0, epoll_wait(epfd, &event, 1, 0));
	close(fd);
	close(epfd);
}

TEST_F(udp, poll_and_select_find_messages)
{
	struct pollfd p = { .fd = self->server, .events = POLLIN | POLLOUT };
	struct timespec ts = { 5, 0 };
	fd_set in, out;
	char c;

	EXPECT_EQ(1, poll(&p, 1, 0));
	EXPECT_EQ(POLLOUT, p.revents);
	enter(1);
	ASSERT_EQ(1, to_ip(self->client, "x", 1, self->to));
	p.events = POLLIN;
	EXPECT_EQ(1, ppoll(&p, 1, &ts, NULL));
	EXPECT_EQ(POLLIN, p.revents);
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_SET(self->server, &in);
	FD_SET(self->server, &out);
	EXPECT_EQ(2, pselect(self->server + 1, &in, &out, NULL, &ts, NULL));
	EXPECT_TRUE(FD_ISSET(self->server, &in));
	EXPECT_EQ(1, recv(self->server, &c, 1, 0));
	EXPECT_EQ(1, select(self->server + 1, &in, &out, NULL, NULL));
	EXPECT_FALSE(FD_ISSET(self->server, &in));
	EXPECT_EQ(-EAGAIN, R(recv(self->server, &c, 1, MSG_DONTWAIT)));
}

/* Messages */

TEST_F(udp, lengths)
{
	static char big[65508], buf[65600];
	struct sockaddr_in from;
	int n = 0;

	fill(big, sizeof(big), 3);
	enter(1);
	EXPECT_EQ(-EMSGSIZE, to_ip(self->client, big, 65508, self->to));
	/* undecided, it was the kernel that said so */
	ASSERT_EQ(65507, to_ip(self->client, big, 65507, self->to));
	EXPECT_EQ(-EMSGSIZE, to_ip(self->client, big, 65508, self->to));
	EXPECT_EQ(65507, from_ip(self->server, buf, sizeof(buf), MSG_PEEK,
				 &from));
	EXPECT_EQ(0, ioctl(self->server, FIONREAD, &n));
	EXPECT_EQ(65507, n);
	EXPECT_EQ(65507, from_ip(self->server, buf, sizeof(buf), 0, &from));
	EXPECT_TRUE(filled(buf, 65507, 3));
	EXPECT_EQ(0, ioctl(self->server, FIONREAD, &n));
	EXPECT_EQ(0, n);
	/* nothing is a message, too */
	ASSERT_EQ(0, to_ip(self->server, NULL, 0, from));
	EXPECT_EQ(0, from_ip(self->client, buf, sizeof(buf), 0, &from));
	EXPECT_TRUE(is_from(&from, "10.0.0.2", self->port));
}

TEST_F(udp, truncation)
{
	struct sockaddr_in from;
	char buf[8] = "";
	struct iovec iov = { buf, 2 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	enter(1);
	ASSERT_EQ(5, to_ip(self->client, "12345", 5, self->to));
	ASSERT_EQ(5, to_ip(self->client, "abcde", 5, self->to));
	ASSERT_EQ(5, to_ip(self->client, "ABCDE", 5, self->to));
	EXPECT_EQ(5, from_ip(self->server, buf, 1, MSG_PEEK | MSG_TRUNC,
			     &from));
	EXPECT_TRUE(is_from(&from, "10.0.0.1", ip_port(self->client)));
	EXPECT_EQ(2, recvmsg(self->server, &msg, 0));
	EXPECT_EQ(MSG_TRUNC, msg.msg_flags);
	EXPECT_EQ(0, memcmp(buf, "12", 2));
	EXPECT_EQ(3, recv(self->server, buf, 3, 0));
	EXPECT_EQ(0, memcmp(buf, "abc", 3));
	EXPECT_EQ(5, recv(self->server, buf, 3, MSG_TRUNC));
}

TEST_F(udp, messages_in_parts)
{
	static char big[65507];
	struct sockaddr_in from;
	char buf[8];
	int i;

	enter(1);
	ASSERT_EQ(0, ask(self->client, self->server, self->to));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(1, R(sendto(self->client, "a", 1, MSG_MORE,
				      (void *)&self->to, sizeof(self->to))));
		EXPECT_EQ(-EMSGSIZE, R(send(self->client, big, 65507, 0)));
		EXPECT_EQ(1, R(send(self->client, "b", 1, MSG_MORE)));
		EXPECT_EQ(-EAGAIN, R(recv(self->server, buf, 8, MSG_DONTWAIT)));
		EXPECT_EQ(1, R(send(self->client, "c", 1, 0)));
		ASSERT_EQ(3, from_ip(self->server, buf, 8, 0, &from));
		EXPECT_EQ(0, memcmp(buf, "abc", 3));
		/* an answer */
		EXPECT_EQ(1, R(sendto(self->server, "A", 1, MSG_MORE,
				      (void *)&from, sizeof(from))));
		EXPECT_EQ(1, to_ip(self->server, "B", 1, from));
		ASSERT_EQ(2, from_ip(self->client, buf, 8, 0, &from));
		EXPECT_EQ(0, memcmp(buf, "AB", 2));
		ASSERT_EQ(0, connect_ip(self->client, self->to));
	}
	EXPECT_EQ(0, ask(self->client, self->server, self->to));
}

TEST_F(udp, destinations_that_are_wrong)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
				    .sin6_port = htons(7) };
	struct sockaddr_in in = self->to;

	/* undecided: the kernel's words; then ours, the same */
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(-EAFNOSUPPORT, R(sendto(self->client, "x", 1, 0,
						  (void *)&in6, sizeof(in6))));
		EXPECT_EQ(-EINVAL, R(sendto(self->client, "x", 1, 0,
					    (void *)&in, 8)));
		in.sin_port = 0;
		EXPECT_EQ(-EINVAL, to_ip(self->client, "x", 1, in));
		EXPECT_EQ(-EDESTADDRREQ, R(send(self->client, "x", 1, 0)));
		EXPECT_EQ(-EOPNOTSUPP, R(sendto(self->client, "x", 1, MSG_OOB,
						(void *)&self->to,
						sizeof(in))));
		enter(1);
		in = self->to;
		EXPECT_EQ(0, ask(self->client, self->server, self->to));
	}
	EXPECT_EQ(AF_TTP, kind_of(self->client));
}

/* Options and control messages */

TEST_F(udp, options)
{
	int value, before;

	EXPECT_EQ(AF_INET, get_opt(self->server, SOL_SOCKET, SO_DOMAIN));
	EXPECT_EQ(IPPROTO_UDP, get_opt(self->server, SOL_SOCKET, SO_PROTOCOL));
	EXPECT_EQ(SOCK_DGRAM, get_opt(self->server, SOL_SOCKET, SO_TYPE));
	EXPECT_EQ(0, get_opt(self->server, SOL_SOCKET, SO_ERROR));
	EXPECT_EQ(0, get_opt(self->server, SOL_SOCKET, SO_REUSEADDR));
	EXPECT_EQ(0, set_opt(self->server, SOL_SOCKET, SO_REUSEADDR, 1));
	EXPECT_EQ(1, get_opt(self->server, SOL_SOCKET, SO_REUSEADDR));
	EXPECT_EQ(0, set_opt(self->server, SOL_SOCKET, SO_BROADCAST, 1));
	EXPECT_EQ(0, set_opt(self->server, SOL_SOCKET, SO_REUSEPORT, 1));
	EXPECT_EQ(0, set_opt(self->server, SOL_SOCKET, SO_RCVBUF, 9000));
	EXPECT_EQ(18000, get_opt(self->server, SOL_SOCKET, SO_RCVBUF));
	EXPECT_EQ(0, set_opt(self->server, IPPROTO_IP, IP_TOS, 0x10));
	EXPECT_EQ(0x10, get_opt(self->server, IPPROTO_IP, IP_TOS));
	EXPECT_EQ(64, get_opt(self->server, IPPROTO_IP, IP_TTL));
	EXPECT_EQ(0, set_opt(self->server, IPPROTO_IP, IP_MTU_DISCOVER,
			     IP_PMTUDISC_DONT));
	EXPECT_EQ(0, set_opt(self->server, IPPROTO_IP, IP_RECVERR, 1));
	EXPECT_EQ(-EINVAL, set_opt(self->server, IPPROTO_IP, IP_TTL, 1000));
	EXPECT_EQ(-ENOPROTOOPT, set_opt(self->server, IPPROTO_IP, 999, 1));
	EXPECT_EQ(-ENOPROTOOPT, set_opt(self->server, IPPROTO_UDP, UDP_SEGMENT,
					1000));
	EXPECT_EQ(0, set_opt(self->server, IPPROTO_UDP, UDP_GRO, 1));
	EXPECT_EQ(-EAGAIN, R(recv(self->server, &value, sizeof(value),
				  MSG_ERRQUEUE | MSG_DONTWAIT)));

	/* what was set before it became TTP */
	enter(1);
	before = get_opt(self->client, SOL_SOCKET, SO_SNDBUF);
	EXPECT_EQ(0, set_opt(self->client, SOL_SOCKET, SO_SNDBUF, before));
	EXPECT_EQ(0, set_time(self->client, SO_RCVTIMEO, 100));
	EXPECT_EQ(0, set_opt(self->client, IPPROTO_IP, IP_TTL, 3));
	EXPECT_EQ(0, connect_ip(self->client, self->to));
	EXPECT_EQ(AF_TTP, kind_of(self->client));
	EXPECT_EQ(3, get_opt(self->client, IPPROTO_IP, IP_TTL));
	EXPECT_EQ(1500, get_opt(self->client, IPPROTO_IP, IP_MTU));
	EXPECT_EQ(-EAGAIN, R(recv(self->client, &value, sizeof(value), 0)));
}

static struct cmsghdr *find_cmsg(struct msghdr *msg, int level, int type)
{
	struct cmsghdr *cmsg;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg))
		if (cmsg->cmsg_level == level && cmsg->cmsg_type == type)
			return cmsg;
	return NULL;
}

TEST_F(udp, control_messages)
{
	char c, control[256] = "";
	struct iovec iov = { &c, 1 };
	struct sockaddr_in from, orig;
	struct msghdr msg = {
		.msg_name = &from, .msg_namelen = sizeof(from),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct in_pktinfo info;
	struct cmsghdr *cmsg;
	struct timeval tv;
	int ttl;

	set_opt(self->server, IPPROTO_IP, IP_PKTINFO, 1);
	set_opt(self->server, IPPROTO_IP, IP_RECVTTL, 1);
	set_opt(self->server, IPPROTO_IP, IP_RECVTOS, 1);
	set_opt(self->server, IPPROTO_IP, IP_RECVORIGDSTADDR, 1);
	set_opt(self->server, SOL_SOCKET, SO_TIMESTAMP, 1);
	enter(1);
	ASSERT_EQ(1, to_ip(self->client, "x", 1, self->to));
	ASSERT_EQ(1, to_ip(self->client, "x", 1, self->to));
	enter(2);
	ASSERT_EQ(1, recvmsg(self->server, &msg, 0));
	EXPECT_EQ(0, msg.msg_flags);
	EXPECT_EQ(sizeof(from), msg.msg_namelen);
	cmsg = find_cmsg(&msg, IPPROTO_IP, IP_PKTINFO);
	ASSERT_NE(NULL, cmsg);
	memcpy(&info, CMSG_DATA(cmsg), sizeof(info));
	EXPECT_EQ(ifindex(2, "eth0"), info.ipi_ifindex);
	EXPECT_EQ(self->to.sin_addr.s_addr, info.ipi_addr.s_addr);
	EXPECT_EQ(self->to.sin_addr.s_addr, info.ipi_spec_dst.s_addr);
	cmsg = find_cmsg(&msg, IPPROTO_IP, IP_TTL);
	ASSERT_NE(NULL, cmsg);
	memcpy(&ttl, CMSG_DATA(cmsg), sizeof(ttl));
	EXPECT_EQ(64, ttl);
	EXPECT_NE(NULL, find_cmsg(&msg, IPPROTO_IP, IP_TOS));
	cmsg = find_cmsg(&msg, IPPROTO_IP, IP_ORIGDSTADDR);
	ASSERT_NE(NULL, cmsg);
	memcpy(&orig, CMSG_DATA(cmsg), sizeof(orig));
	EXPECT_TRUE(is_from(&orig, "10.0.0.2", self->port));
	cmsg = find_cmsg(&msg, SOL_SOCKET, SCM_TIMESTAMP);
	ASSERT_NE(NULL, cmsg);
	memcpy(&tv, CMSG_DATA(cmsg), sizeof(tv));
	EXPECT_LE(labs(tv.tv_sec - time(NULL)), 10);
	EXPECT_EQ(NULL, find_cmsg(&msg, SOL_TTP, TTP_INFO));

	/* the answer, from the address that it came to */
	memset(control, 0, sizeof(control));
	msg.msg_controllen = CMSG_SPACE(sizeof(info));
	cmsg = CMSG_FIRSTHDR(&msg);
	cmsg->cmsg_level = IPPROTO_IP;
	cmsg->cmsg_type = IP_PKTINFO;
	cmsg->cmsg_len = CMSG_LEN(sizeof(info));
	memcpy(CMSG_DATA(cmsg), &info, sizeof(info));
	EXPECT_EQ(1, sendmsg(self->server, &msg, 0));
	EXPECT_EQ(1, recv(self->client, &c, 1, 0));

	/* too little room */
	msg.msg_controllen = CMSG_LEN(4);
	ASSERT_EQ(1, recvmsg(self->server, &msg, 0));
	EXPECT_EQ(MSG_CTRUNC, msg.msg_flags);
	EXPECT_EQ(CMSG_LEN(4), msg.msg_controllen);

	/* one that cannot be cut into several */
	memset(control, 0, sizeof(control));
	msg.msg_controllen = CMSG_SPACE(sizeof(uint16_t));
	cmsg->cmsg_level = IPPROTO_UDP;
	cmsg->cmsg_type = UDP_SEGMENT;
	cmsg->cmsg_len = CMSG_LEN(sizeof(uint16_t));
	iov = (struct iovec){ "abc", 3 };
	CMSG_DATA(cmsg)[0] = 2;
	EXPECT_EQ(-EIO, R(sendmsg(self->server, &msg, 0)));
	CMSG_DATA(cmsg)[0] = 3;
	EXPECT_EQ(3, sendmsg(self->server, &msg, 0));
}

TEST_F(udp, ioctls_about_devices)
{
	struct ifreq ifr = { .ifr_name = "eth0" };
	struct sockaddr_in want = host_ip(2, 0);

	enter(2);
	EXPECT_EQ(0, ioctl(self->server, SIOCGIFADDR, &ifr));
	EXPECT_EQ(0, memcmp(&want, &ifr.ifr_addr, sizeof(want)));
	EXPECT_EQ(0, ioctl(self->server, SIOCGIFMTU, &ifr));
	EXPECT_EQ(1500, ifr.ifr_mtu);
}

TEST_F(udp, shutdown)
{
	char c;

	EXPECT_EQ(-ENOTCONN, R(shutdown(self->server, SHUT_RD)));
	EXPECT_EQ(0, recv(self->server, &c, 1, 0));
	EXPECT_EQ(0, recv(self->server, &c, 1, 0));
	enter(1);
	ASSERT_EQ(0, connect_ip(self->client, self->to));
	EXPECT_EQ(0, shutdown(self->client, SHUT_WR));
	EXPECT_EQ(-EPIPE, R(send(self->client, "x", 1, MSG_NOSIGNAL)));
}

/* Who sends without being known by IP */
TEST_F(udp, sender_without_ip_address)
{
	int fd = native(1, 0), i;
	struct sockaddr_in from, again;
	struct got got;
	char buf[8];

	/* no neighbour: a forwarding entry of the test's own MAC address */
	ASSERT_EQ(0, sh("ip -n h2 neigh del 10.0.0.1 dev eth0"));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(1, put(fd, "?", 1, 0, addr_of(2, self->port)));
		enter(2);
		ASSERT_EQ(1, from_ip(self->server, buf, 8, 0,
				     i ? &again : &from));
	}
	EXPECT_EQ(0xa9fe0000, ntohl(from.sin_addr.s_addr) & 0xffff0000);
	EXPECT_EQ(0, memcmp(&from, &again, sizeof(from)));
	EXPECT_EQ(3, to_ip(self->server, "one", 3, from));
	EXPECT_EQ(3, to_ip(self->server, "two", 3, from));
	EXPECT_EQ(3, to_ip(self->server, "3rd", 3, from));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(3, get(fd, buf, 8, 0, &got));
		EXPECT_EQ(i < 2 ? TTP_KIND_RESPONSE : TTP_KIND_ONEWAY,
			  got.info.kind);
	}
	EXPECT_EQ(0, sh("ip -n h2 neigh add 10.0.0.1 lladdr 02:00:00:00:00:01 dev eth0"));
	close(fd);
}

/* Descriptors and processes */

TEST_F(udp, duplicates)
{
	int fd = udp(2), port = next_port++, fd2, fd3, fd4;

	fd2 = dup(fd);
	ASSERT_EQ(0, bind_ip(fd2, "0.0.0.0", port));
	EXPECT_EQ(AF_TTP, kind_of(fd));
	EXPECT_EQ(AF_TTP, kind_of(fd2));
	fd3 = fcntl(fd, F_DUPFD_CLOEXEC, 50);
	EXPECT_GE(fd3, 50);
	EXPECT_EQ(fd3 + 1, dup2(fd3, fd3 + 1));
	fd4 = dup3(fd3, fd3 + 2, O_CLOEXEC);
	EXPECT_EQ(fd3 + 2, fd4);
	EXPECT_EQ(0, close(fd));
	EXPECT_EQ(0, close(fd3 + 1));
	enter(1);
	EXPECT_EQ(0, ask(self->client, fd2, host_ip(2, port)));
	EXPECT_EQ(0, ask(self->client, fd4, host_ip(2, port)));
	EXPECT_EQ(0, close_range(fd3, fd4, 0));
	EXPECT_EQ(0, ask(self->client, fd2, host_ip(2, port)));
	/* a descriptor that becomes something else is no socket any more */
	fd = open("/dev/null", O_RDWR);
	EXPECT_EQ(fd2, dup2(fd, fd2));
	EXPECT_EQ(5, write(fd2, "hello", 5));
	EXPECT_EQ(0, read(fd2, &fd3, 1));
	close(fd);
	close(fd2);
	/* closed where we cannot see it */
	fd = udp(2);
	EXPECT_EQ(0, bind_ip(fd, "0.0.0.0", next_port++));
	syscall(SYS_close, fd);
	EXPECT_EQ(fd, open("/dev/null", O_RDWR));
	EXPECT_EQ(-ENOTSOCK, R(recv(fd, &fd3, 1, 0)));
	EXPECT_EQ(0, read(fd, &fd3, 1));
	close(fd);
}

TEST_F(udp, a_child_answers)
{
	struct sockaddr_in from;
	char buf[8];
	int status;
	pid_t pid;

	enter(1);
	ASSERT_EQ(1, to_ip(self->client, "x", 1, self->to));
	ASSERT_EQ(1, from_ip(self->server, buf, 8, 0, &from));
	pid = fork();
	if (!pid)
		_exit(to_ip(self->server, "child", 5, from) != 5);
	ASSERT_EQ(5, recv(self->client, buf, 8, 0));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	/* the parent does not know, and gets through all the same */
	EXPECT_EQ(0, ask(self->client, self->server, self->to));
	EXPECT_EQ(6, to_ip(self->server, "parent", 6, from));
	EXPECT_EQ(6, recv(self->client, buf, 8, 0));
}

TEST_F(udp, a_child_of_vfork_closes)
{
	pid_t pid;
	int status;

	pid = vfork();
	if (!pid) {
		close(self->server);
		_exit(0);
	}
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	enter(1);
	EXPECT_EQ(0, ask(self->client, self->server, self->to));
}

TEST_F(udp, a_program_that_was_started_answers)
{
	struct sockaddr_in from;
	char buf[8], fd[16];
	int status;
	pid_t pid;

	snprintf(fd, sizeof(fd), "%d", self->server);
	pid = fork();
	if (!pid) {
		enter(2);
		fcntl(self->server, F_SETFD, 0);
		setenv("TTPRUN_TEST_FD", fd, 1);
		execl("/proc/self/exe", "ttp_ttprun", NULL);
		_exit(1);
	}
	enter(1);
	ASSERT_EQ(4, to_ip(self->client, "exec", 4, self->to));
	EXPECT_EQ(4, from_ip(self->client, buf, 8, 0, &from));
	EXPECT_TRUE(is_from(&from, "10.0.0.2", self->port));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* Many at a time; requests may wait for as long as they need */

FIXTURE(load) {
	int server;
	int port;
	int client;
	struct sockaddr_in to;
};

FIXTURE_SETUP(load)
{
	self->server = udp_server(2, &self->port);
	ASSERT_GE(self->server, 0);
	self->client = udp(1);
	ASSERT_GE(self->client, 0);
	self->to = host_ip(2, self->port);
}

FIXTURE_TEARDOWN(load)
{
	close(self->server);
	close(self->client);
}

#define CLIENTS 200

TEST_F(load, two_hundred_clients)
{
	struct sockaddr_in from[CLIENTS], peeked;
	int fds[CLIENTS], i, n, failed = 0;

	enter(1);
	for (i = 0; i < CLIENTS; i++) {
		fds[i] = udp(1);
		if (i % 2)
			ASSERT_EQ(0, connect_ip(fds[i], self->to));
		ASSERT_EQ(sizeof(i), to_ip(fds[i], &i, sizeof(i), self->to));
	}
	for (i = 0; i < CLIENTS; i++) {
		ASSERT_EQ(sizeof(n), from_ip(self->server, &n, sizeof(n),
					     MSG_PEEK, &peeked));
		ASSERT_EQ(sizeof(n), from_ip(self->server, &n, sizeof(n), 0,
					     from + n));
	}
	/* in another order than they asked */
	for (i = CLIENTS - 1; i >= 0; i--)
		ASSERT_EQ(sizeof(i), to_ip(self->server, &i, sizeof(i),
					   from[i]));
	for (i = 0; i < CLIENTS; i++) {
		n = -1;
		failed += recv(fds[i], &n, sizeof(n), 0) != sizeof(n) ||
			  n != i;
		close(fds[i]);
	}
	EXPECT_EQ(0, failed);
}

/* Threads: each client asks, and whoever is free answers */

#define THREADS	4
#define CALLS	50

static long job_serve(struct job *job)
{
	struct sockaddr_in from;
	long n = 0, value;

	while (from_ip(job->fd, &value, sizeof(value), 0, &from) ==
	       sizeof(value) && value >= 0) {
		value++;
		n += to_ip(job->fd, &value, sizeof(value), from) ==
		     sizeof(value);
	}
	return n;
}

static long job_ask(struct job *job)
{
	long i, value, good = 0;

	for (i = 0; i < CALLS; i++) {
		value = i;
		if (send(job->fd, &value, sizeof(value), 0) == sizeof(value) &&
		    recv(job->fd, &value, sizeof(value), 0) == sizeof(value))
			good += value == i + 1;
	}
	return good;
}

TEST_F(load, threads)
{
	struct job clients[THREADS] = {}, servers[THREADS] = {};
	long served = 0, end = -1;
	int i;

	for (i = 0; i < THREADS; i++) {
		servers[i].fn = job_serve;
		servers[i].fd = self->server;
		job_start(servers + i);
		clients[i].fn = job_ask;
		clients[i].fd = udp(1);
		ASSERT_EQ(0, connect_ip(clients[i].fd, self->to));
	}
	for (i = 0; i < THREADS; i++)
		job_start(clients + i);
	for (i = 0; i < THREADS; i++) {
		EXPECT_EQ(CALLS, job_end(clients + i));
		close(clients[i].fd);
	}
	enter(1);
	for (i = 0; i < THREADS; i++)
		to_ip(self->client, &end, sizeof(end), self->to);
	for (i = 0; i < THREADS; i++)
		served += job_end(servers + i);
	EXPECT_EQ(THREADS * CALLS, served);
}

/* A thread that is about to receive when the socket becomes UDP */
TEST_F(udp, a_reader_notices_the_change)
{
	struct job job = { .fn = job_recv_udp, .fd = self->client };

	enter(1);
	ASSERT_EQ(0, bind_ip(self->client, "0.0.0.0", 0));
	ASSERT_TRUE(job_start_sleeping(&job));
	ASSERT_EQ(0, connect_ip(self->client,
				ip_of("127.0.0.1", ip_port(self->client))));
	EXPECT_EQ(AF_INET, kind_of(self->client));
	ASSERT_EQ(1, send(self->client, "z", 1, 0));
	EXPECT_EQ('z', job_end(&job));
}

/* A handler sends and receives, whatever it interrupts */

static int handler_fd;
static struct sockaddr_in handler_to;
static volatile int handled;

/* Again in a while: a timer of its own could leave no time for anything else */
static void call_handler_in(int us)
{
	struct itimerval once = { {}, { 0, us } };

	setitimer(ITIMER_REAL, &once, NULL);
}

static void handler(int signo)
{
	char c;

	(void)signo;
	if (to_ip(handler_fd, "s", 1, handler_to) == 1)
		handled++;
	recv(handler_fd, &c, 1, MSG_DONTWAIT);
	call_handler_in(100 + handled % 7 * 41);
}

TEST_F(load, signal_handlers)
{
	int i, n = 0, port, fd = udp_server(2, &port);
	char c;

	handler_fd = udp(1);
	handler_to = host_ip(2, port);
	enter(1);
	ASSERT_EQ(0, ask(handler_fd, fd, handler_to));
	signal(SIGALRM, handler);
	call_handler_in(100);
	for (i = 0; i < 300; i++) {
		while (to_ip(self->client, "x", 1, self->to) < 0)
			;
		while (recv(self->server, &c, 1, 0) < 0)
			;
		usleep(100);
		while (recv(fd, &c, 1, MSG_DONTWAIT) == 1)
			n++;
	}
	signal(SIGALRM, SIG_IGN);
	EXPECT_GT(handled, 10);
	sleep_ms(20);
	while (recv(fd, &c, 1, MSG_DONTWAIT) == 1)
		n++;
	/* those that waited for longer than their deadline are taken back */
	EXPECT_LE(n, handled);
	EXPECT_GE(n, handled / 2);
	close(fd);
	close(handler_fd);
}

/* As ttprun -n: no plain UDP */

FIXTURE(strict) {
};

FIXTURE_SETUP(strict)
{
}

FIXTURE_TEARDOWN(strict)
{
}

TEST_F(strict, what_cannot_be_fails)
{
	int server = -1, client = udp(1), port;

	EXPECT_EQ(-ENETUNREACH, bind_ip(client, "127.0.0.1", 0));
	EXPECT_EQ(-ENETUNREACH, connect_ip(client, ip_of("127.0.0.1", 9)));
	EXPECT_EQ(-EHOSTUNREACH, connect_ip(client, ip_of("10.8.0.1", 9)));
	EXPECT_EQ(-EHOSTUNREACH, to_ip(client, "x", 1, ip_of("10.0.0.77", 9)));
	EXPECT_EQ(-ENETUNREACH, to_ip(client, "x", 1, ip_of("10.7.0.9", 9)));
	/* and all is as before */
	server = udp_server(2, &port);
	enter(1);
	EXPECT_EQ(0, ask(client, server, host_ip(2, port)));
	close(client);
	close(server);
}

TEST_F(strict, refused_is_refused)
{
	int fd = raw_udp(2), client = udp(1), port = next_port++;
	char c;

	ASSERT_EQ(0, bind_ip(fd, "0.0.0.0", port));
	enter(1);
	ASSERT_EQ(0, connect_ip(client, host_ip(2, port)));
	ASSERT_EQ(1, send(client, "x", 1, 0));
	EXPECT_EQ(-ECONNREFUSED, R(recv(client, &c, 1, 0)));
	EXPECT_EQ(AF_TTP, kind_of(client));
	EXPECT_EQ(-EAGAIN, R(recv(fd, &c, 1, MSG_DONTWAIT)));
	close(fd);
	close(client);
}

/* As ttprun -p 7001,7003 */

FIXTURE(ports) {
};

FIXTURE_SETUP(ports)
{
}

FIXTURE_TEARDOWN(ports)
{
}

TEST_F(ports, only_these)
{
	int in = udp(2), out = udp(2), fd;

	ASSERT_EQ(0, bind_ip(in, "0.0.0.0", 7001));
	ASSERT_EQ(0, bind_ip(out, "0.0.0.0", 7002));
	EXPECT_EQ(AF_TTP, kind_of(in));
	EXPECT_EQ(AF_INET, kind_of(out));
	/* whoever has no port is for the first peer to decide */
	fd = udp(1);
	ASSERT_EQ(0, bind_ip(fd, "0.0.0.0", 0));
	EXPECT_EQ(AF_INET, kind_of(fd));
	EXPECT_EQ(0, ask(fd, in, host_ip(2, 7001)));
	EXPECT_EQ(AF_TTP, kind_of(fd));
	close(fd);
	enter(1);
	fd = udp(1);
	EXPECT_EQ(0, ask(fd, out, host_ip(2, 7002)));
	EXPECT_EQ(AF_INET, kind_of(fd));
	close(fd);
	fd = udp(1);
	ASSERT_EQ(0, bind_ip(fd, "0.0.0.0", 0));
	ASSERT_EQ(0, connect_ip(fd, host_ip(2, 7001)));
	EXPECT_EQ(AF_TTP, kind_of(fd));
	close(fd);
	fd = udp(1);
	ASSERT_EQ(0, connect_ip(fd, host_ip(2, 7002)));
	EXPECT_EQ(AF_INET, kind_of(fd));
	close(fd);
	close(in);
	close(out);
}

/* As ttprun -o */

FIXTURE(oneway) {
};

FIXTURE_SETUP(oneway)
{
}

FIXTURE_TEARDOWN(oneway)
{
}

TEST_F(oneway, all_are)
{
	int server, client = udp(1), port, fd = native(2, 7060);
	struct got got;
	char c;

	server = udp_server(2, &port);
	enter(1);
	ASSERT_EQ(1, to_ip(client, "x", 1, host_ip(2, 7060)));
	ASSERT_EQ(1, get(fd, &c, 1, 0, &got));
	EXPECT_EQ(TTP_KIND_ONEWAY, got.info.kind);
	EXPECT_EQ(0, ask(client, server, host_ip(2, port)));
	EXPECT_EQ(AF_TTP, kind_of(client));
	close(client);
	close(server);
	close(fd);
}

#define LONG_ONES	20
#define LONG_BYTES	60000

static int send_long(int fd, struct sockaddr_in to)
{
	static char big[LONG_BYTES];
	int i, sent = 0;

	for (i = 0; i < LONG_ONES; i++)
		sent += to_ip(fd, big, sizeof(big), to) == sizeof(big);
	return sent;
}

static int count_long(int fd)
{
	int n = 0;

	/* what is still on its way comes now or never */
	sleep_ms(100);
	while (R(recv(fd, NULL, 0, MSG_TRUNC | MSG_DONTWAIT)) == LONG_BYTES)
		n++;
	return n;
}

TEST_F(oneway, what_was_sent_is_not_taken_back)
{
	int client = udp(1), fd = native(2, 7061), status;
	pid_t pid;

	enter(1);
	ASSERT_EQ(LONG_ONES, send_long(client, host_ip(2, 7061)));
	close(client);
	EXPECT_EQ(LONG_ONES, count_long(fd));

	pid = fork();
	if (!pid)
		exit(send_long(udp(1), host_ip(2, 7061)) != LONG_ONES);
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(LONG_ONES, count_long(fd));
	close(fd);
}

/* Where the kernel has IPv6 */

FIXTURE(v6) {
	int server;
	int port;
	struct sockaddr_in6 to;
};

static int udp6(int host)
{
	enter(host);
	return R(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

static struct sockaddr_in6 ip6_of(const char *ip, int port)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
				    .sin6_port = htons(port) };

	inet_pton(AF_INET6, ip, &in6.sin6_addr);
	return in6;
}

static long bind_any6(int fd, int port)
{
	struct sockaddr_in6 in6 = ip6_of("::", port);

	return R(bind(fd, (void *)&in6, sizeof(in6)));
}

/* A question, and whether it comes from there */
static int ask6(int client, int server, struct sockaddr_in6 to,
		const char *from_ip6)
{
	struct sockaddr_in6 from = {}, want;
	socklen_t len = sizeof(from);
	char buf[8];

	if (R(sendto(client, "hello", 5, 0, (void *)&to, sizeof(to))) != 5)
		return 1;
	if (R(recvfrom(server, buf, 8, 0, (void *)&from, &len)) != 5)
		return 2;
	want = ip6_of(from_ip6, ntohs(from.sin6_port));
	if (len != sizeof(from) || memcmp(&from.sin6_addr, &want.sin6_addr,
					  sizeof(want.sin6_addr)))
		return 3;
	if (R(sendto(server, "world!", 6, 0, (void *)&from, len)) != 6)
		return 4;
	if (R(recvfrom(client, buf, 8, 0, (void *)&from, &len)) != 6)
		return 5;
	return memcmp(&from.sin6_addr, &to.sin6_addr, sizeof(to.sin6_addr)) ||
	       from.sin6_port != to.sin6_port ? 6 : 0;
}

FIXTURE_SETUP(v6)
{
	self->server = udp6(2);
	ASSERT_GE(self->server, 0);
	self->port = next_port++;
	self->to = ip6_of("fd00::2", self->port);
}

FIXTURE_TEARDOWN(v6)
{
	close(self->server);
}

TEST_F(v6, both_families)
{
	int client = udp6(1), old = udp(1);
	char buf[8];

	enter(2);
	ASSERT_EQ(0, bind_any6(self->server, self->port));
	EXPECT_EQ(AF_TTP, kind_of(self->server));
	enter(1);
	/* a host that is known by both is called by IPv4 */
	EXPECT_EQ(0, ask6(client, self->server, self->to, "::ffff:10.0.0.1"));
	EXPECT_EQ(AF_TTP, kind_of(client));
	EXPECT_EQ(0, ask6(client, self->server,
			  ip6_of("::ffff:10.0.0.2", self->port),
			  "::ffff:10.0.0.1"));
	ASSERT_EQ(1, to_ip(old, "x", 1, host_ip(2, self->port)));
	ASSERT_EQ(1, recv(self->server, buf, 8, MSG_PEEK));
	EXPECT_EQ(AF_TTP, kind_of(old));
	close(client);
	close(old);
}

TEST_F(v6, only_ipv6)
{
	struct sockaddr_in6 name, want = ip6_of("fd00::1", 0);
	socklen_t len = sizeof(name);
	int client = udp6(1);

	ASSERT_EQ(0, set_opt(self->server, IPPROTO_IPV6, IPV6_V6ONLY, 1));
	enter(2);
	ASSERT_EQ(0, bind_any6(self->server, self->port));
	enter(1);
	ASSERT_EQ(0, connect(client, (void *)&self->to, sizeof(self->to)));
	EXPECT_EQ(AF_TTP, kind_of(client));
	EXPECT_EQ(0, getsockname(client, (void *)&name, &len));
	EXPECT_EQ(0, memcmp(&name.sin6_addr, &want.sin6_addr, 16));
	EXPECT_EQ(0, ask6(client, self->server, self->to, "fd00::1"));
	EXPECT_EQ(AF_INET6, get_opt(client, SOL_SOCKET, SO_DOMAIN));
	EXPECT_EQ(64, get_opt(client, IPPROTO_IPV6, IPV6_UNICAST_HOPS));
	close(client);
}

TEST_F(v6, control_messages_and_lengths)
{
	static char big[65528];
	char control[256];
	struct iovec iov = { big, sizeof(big) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct in6_pktinfo info = {};
	int client = udp6(1);
	struct cmsghdr *cmsg;

	ASSERT_EQ(0, set_opt(self->server, IPPROTO_IPV6, IPV6_V6ONLY, 1));
	ASSERT_EQ(0, set_opt(self->server, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1));
	enter(2);
	ASSERT_EQ(0, bind_any6(self->server, self->port));
	enter(1);
	ASSERT_EQ(0, connect(client, (void *)&self->to, sizeof(self->to)));
	EXPECT_EQ(-EMSGSIZE, R(send(client, big, 65528, 0)));
	ASSERT_EQ(65527, send(client, big, 65527, 0));
	enter(2);
	ASSERT_EQ(65527, recvmsg(self->server, &msg, 0));
	cmsg = find_cmsg(&msg, IPPROTO_IPV6, IPV6_PKTINFO);
	ASSERT_NE(NULL, cmsg);
	memcpy(&info, CMSG_DATA(cmsg), sizeof(info));
	EXPECT_EQ(0, memcmp(&info.ipi6_addr, &self->to.sin6_addr, 16));
	EXPECT_EQ(ifindex(2, "eth0"), info.ipi6_ifindex);
	close(client);
}

TEST_F(v6, sender_without_ip_address)
{
	struct sockaddr_in6 from = {}, want = ip6_of("fe80::ff:fe00:1", 0);
	socklen_t len = sizeof(from);
	int fd = native(1, 0);
	struct got got;
	char c;

	ASSERT_EQ(0, set_opt(self->server, IPPROTO_IPV6, IPV6_V6ONLY, 1));
	enter(2);
	ASSERT_EQ(0, bind_any6(self->server, self->port));
	ASSERT_EQ(0, sh("ip -n h2 neigh del fd00::1 dev eth0"));
	ASSERT_EQ(1, put(fd, "?", 1, 0, addr_of(2, self->port)));
	ASSERT_EQ(1, recvfrom(self->server, &c, 1, 0, (void *)&from, &len));
	EXPECT_EQ(0, memcmp(&from.sin6_addr, &want.sin6_addr, 16));
	EXPECT_EQ(ifindex(2, "eth0"), from.sin6_scope_id);
	ASSERT_EQ(1, sendto(self->server, "!", 1, 0, (void *)&from, len));
	ASSERT_EQ(1, get(fd, &c, 1, 0, &got));
	EXPECT_EQ(TTP_KIND_RESPONSE, got.info.kind);
	EXPECT_EQ(0, sh("ip -n h2 neigh add fd00::1 lladdr 02:00:00:00:00:01 dev eth0"));
	close(fd);
}

TEST_F(v6, loopback_is_udp)
{
	struct sockaddr_in6 to = ip6_of("::1", 9);
	int client = udp6(1);

	EXPECT_EQ(0, connect(client, (void *)&to, sizeof(to)));
	EXPECT_EQ(AF_INET6, kind_of(client));
	close(client);
}

TEST_HARNESS_MAIN
