// SPDX-License-Identifier: GPL-2.0
/*
 * ttp_race: what threads do to sockets, and traffic that accounts for each
 * RPC while others (ttp_race.sh) pull the devices away.  Exit status 0 if all
 * is well; what went on is printed.
 *
 *   ttp_race traffic MS THREADS SERVER CLIENT FAILURES [DEV [MAC]]
 *	echo between the hosts, through DEV of the client; whether RPCs may
 *	fail.  Each has to be answered or to fail, in bounded time.
 *   ttp_race storm MS	sockets opened and closed, on a port that others call
 *   ttp_race signals MESSAGES	signals against threads that receive
 *   ttp_race answers RPCS	two threads answer one request
 *   ttp_race blocked THREADS	close and shutdown against receivers
 *   ttp_race nobody RPCS	time-outs of many RPCs to one host at once
 *   ttp_race senders THREADS	shutdown against senders that wait for room
 */
#include "ttp_test.h"

#define PORT		7
#define MAX_THREADS	64
#define MAX_LEN		100000

static bool stop, stop_servers;
static unsigned long n_sent, n_answered, n_failed, n_refused, n_wrong, n_lost;

#define COUNT(what)	__atomic_add_fetch(&(what), 1, __ATOMIC_RELAXED)
#define READ(what)	__atomic_load_n(&(what), __ATOMIC_ACQUIRE)

static bool stopped(void)
{
	return READ(stop);
}

static void do_stop(void)
{
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
}

static unsigned int rnd(unsigned int *seed, unsigned int below)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 8) % below;
}

/* ---- traffic */

static int server_host, client_host;
static bool may_fail;
static unsigned int pause_us;
static struct sockaddr_ttp server_addr;

static void *echo(void *arg)
{
	char *buf = malloc(MAX_LEN);
	int fd = (long)arg;
	struct got got;
	long n;

	while (!READ(stop_servers)) {
		n = get(fd, buf, MAX_LEN, 0, &got);
		if (n < 0 || got.fromlen != sizeof(got.from) ||
		    !got.from.sttp_rpc)
			continue;
		/* the device may be out of use for a while */
		while (put(fd, buf, n, 0, got.from) == -ENETDOWN)
			usleep(1000);
	}
	free(buf);
	return NULL;
}

/* One RPC, to its end */
static void one_call(int fd, char *msg, char *back, size_t len)
{
	struct got got;
	long n;

	fill(msg, len, 3);
	n = put(fd, msg, len, 0, server_addr);
	if (n != (long)len) {
		COUNT(n_refused);
		if (!may_fail)
			printf("# send: %s\n", strerror(-n));
		usleep(1000);
		return;
	}
	COUNT(n_sent);
	n = get(fd, back, MAX_LEN, 0, &got);
	if (n == -EAGAIN) {
		COUNT(n_lost);
		printf("# %zu bytes: nothing came\n", len);
	} else if (n < 0 || !got.has_info) {
		COUNT(n_wrong);
		printf("# receive: %ld\n", n);
	} else if (got.info.kind == TTP_KIND_FAILURE) {
		COUNT(n_failed);
		if (!may_fail)
			printf("# failed: %s\n", strerror(got.info.error));
	} else if (n != (long)len || !filled(back, len, 3)) {
		COUNT(n_wrong);
		printf("# %zu bytes: %ld others\n", len, n);
	} else {
		COUNT(n_answered);
	}
}

static void *calls(void *arg)
{
	char *msg = malloc(MAX_LEN), *back = malloc(MAX_LEN);
	unsigned int seed = (long)arg;
	int fd = sock(client_host);

	set_opt(fd, SOL_TTP, TTP_RECVINFO, 1);
	set_time(fd, SO_RCVTIMEO, 15000);
	/* one in any case: time may be up before a slow machine gets here */
	do {
		one_call(fd, msg, back, rnd(&seed, 4) ? rnd(&seed, 3000) :
			 rnd(&seed, MAX_LEN));
		if (pause_us)
			usleep(rnd(&seed, 2 * pause_us));
	} while (!stopped());
	close(fd);
	free(msg);
	free(back);
	return NULL;
}

static int traffic(int ms, int threads)
{
	pthread_t t[MAX_THREADS], s[2];
	unsigned long i;
	int fd;

	fd = sock(server_host);
	set_time(fd, SO_RCVTIMEO, 100);
	if (bind_to(fd, PORT, 0))
		return 1;
	for (i = 0; i < 2; i++)
		pthread_create(&s[i], NULL, echo, (void *)(long)fd);
	for (i = 0; i < (unsigned int)threads; i++)
		pthread_create(&t[i], NULL, calls, (void *)(i + 1));
	sleep_ms(ms);
	do_stop();
	/* the servers go on until the last client has its answer */
	for (i = 0; i < (unsigned int)threads; i++)
		pthread_join(t[i], NULL);
	__atomic_store_n(&stop_servers, true, __ATOMIC_RELEASE);
	for (i = 0; i < 2; i++)
		pthread_join(s[i], NULL);
	close(fd);
	printf("# %lu sent, %lu answered, %lu failed, %lu refused\n", n_sent,
	       n_answered, n_failed, n_refused);
	return n_lost || n_wrong || !n_answered ||
	       n_answered + n_failed != n_sent ||
	       (!may_fail && (n_failed || n_refused));
}

/* ---- sockets that come and go */

static void *open_and_close(void *arg)
{
	unsigned int seed = (long)arg;
	struct got got;
	char buf[64];
	int fd;

	while (!stopped()) {
		fd = sock(1);
		/* one of the threads gets the port, the other calls */
		if (bind_to(fd, PORT, 0))
			put(fd, buf, sizeof(buf), 0, addr_of(2, PORT));
		usleep(rnd(&seed, 300));
		if (get(fd, buf, sizeof(buf), MSG_DONTWAIT, &got) >= 0 &&
		    rnd(&seed, 2))
			put(fd, buf, sizeof(buf), MSG_DONTWAIT, got.from);
		COUNT(n_sent);
		close(fd);
	}
	return NULL;
}

static void *call_without_end(void *arg)
{
	unsigned int seed = (long)arg;
	struct got got;
	int fd = sock(2), i;
	char buf[2000];

	while (!stopped()) {
		for (i = 0; i < 8; i++)
			put(fd, buf, rnd(&seed, sizeof(buf)), MSG_DONTWAIT,
			    addr_of(1, PORT));
		while (get(fd, buf, sizeof(buf), MSG_DONTWAIT, &got) !=
		       -EAGAIN)
			COUNT(n_answered);
		usleep(rnd(&seed, 100));
		if (!rnd(&seed, 16)) {
			close(fd);
			fd = sock(2);
		}
	}
	close(fd);
	return NULL;
}

static int storm(int ms)
{
	void *(*fns[])(void *) = {
		open_and_close, open_and_close, call_without_end,
		call_without_end, call_without_end,
	};
	const unsigned int n = sizeof(fns) / sizeof(fns[0]);
	pthread_t t[sizeof(fns) / sizeof(fns[0])];
	unsigned long i;

	for (i = 0; i < n; i++)
		pthread_create(&t[i], NULL, fns[i], (void *)(i + 1));
	sleep_ms(ms);
	do_stop();
	for (i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	printf("# %lu sockets, %lu answers or failures\n", n_sent, n_answered);
	return !n_sent || !n_answered;
}

/* ---- signals */

static unsigned long interrupted;
static unsigned char seen[100000];

static void *receive_numbers(void *arg)
{
	int fd = (long)arg;
	uint32_t number;
	long n;

	while (!stopped()) {
		n = R(recv(fd, &number, sizeof(number), 0));
		if (n == -EINTR)
			COUNT(interrupted);
		else if (n == sizeof(number) && number < sizeof(seen))
			__atomic_add_fetch(&seen[number], 1, __ATOMIC_RELAXED);
		if (n == sizeof(number))
			COUNT(n_answered);
	}
	return NULL;
}

static void nothing(int sig)
{
	(void)sig;
}

/*
 * One message at a time and many sleepers: a wake-up that goes to a thread
 * with a signal must not be lost, nor the message.
 */
static int signals(unsigned long messages)
{
	struct sigaction sa = { .sa_handler = nothing };
	struct ttp_send oneway = { .flags = TTP_F_ONEWAY };
	int fd = sock(1), out = sock(2);
	unsigned int threads = 16, seed = 1, stalls = 0;
	pthread_t t[16];
	uint32_t i;
	long end;

	sigaction(SIGUSR1, &sa, NULL);
	if (bind_to(fd, PORT, 0))
		return 1;
	for (i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, receive_numbers, (void *)(long)fd);
	enter(2);
	for (i = 0; i < messages; i++) {
		pthread_kill(t[rnd(&seed, threads)], SIGUSR1);
		if (put_how(out, &i, sizeof(i), addr_of(1, PORT), oneway) < 0)
			return 1;
		pthread_kill(t[rnd(&seed, threads)], SIGUSR1);
		pthread_kill(t[rnd(&seed, threads)], SIGUSR1);
		end = now_ms() + 2000;
		while (READ(n_answered) <= i && now_ms() < end) {
			if (rnd(&seed, 4) == 0)
				pthread_kill(t[rnd(&seed, threads)], SIGUSR1);
			usleep(20 + rnd(&seed, 50));
		}
		/* a later message would wake somebody for this one */
		if (READ(n_answered) <= i && ++stalls > 3)
			break;
	}
	do_stop();
	shutdown(fd, SHUT_RD);
	for (i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	for (i = 0; i < messages; i++)
		n_wrong += seen[i] != 1;
	printf("# %lu messages, %lu interruptions, %u stalls, %lu lost or doubled\n",
	       messages, interrupted, stalls, n_wrong);
	close(fd);
	close(out);
	return stalls || n_wrong || !interrupted;
}

/* ---- two threads, one request */

static struct sockaddr_ttp tag;
static pthread_barrier_t barrier;
static int answer_fd;

static void *answer_too(void *arg)
{
	long n;

	for (;;) {
		pthread_barrier_wait(&barrier);
		if (stopped())
			return NULL;
		n = put(answer_fd, "yes", 3, 0, tag);
		if (n == 3)
			COUNT(n_answered);
		else if (n == -ECONNRESET)
			COUNT(n_refused);
		else
			COUNT(n_wrong);
		pthread_barrier_wait(&barrier);
		(void)arg;
	}
}

static int answers(unsigned long rpcs)
{
	int in = sock(1), out = sock(2);
	unsigned long i, bad = 0;
	pthread_t t[2];
	struct got got;
	char buf[8];

	answer_fd = in;
	if (bind_to(in, PORT, 0))
		return 1;
	set_time(out, SO_RCVTIMEO, 5000);
	pthread_barrier_init(&barrier, NULL, 3);
	for (i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, answer_too, NULL);
	for (i = 0; i < rpcs; i++) {
		put(out, "who?", 4, 0, addr_of(1, PORT));
		/* some are answered while they are still to be received */
		if (get(in, buf, sizeof(buf), i % 2 ? MSG_PEEK : 0, &got) != 4)
			bad++;
		tag = got.from;
		pthread_barrier_wait(&barrier);
		if (i % 2 && get(in, buf, sizeof(buf), 0, &got) != 4)
			bad++;
		pthread_barrier_wait(&barrier);
		if (get(out, buf, sizeof(buf), 0, &got) != 3)
			bad++;
	}
	do_stop();
	pthread_barrier_wait(&barrier);
	for (i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (get(out, buf, sizeof(buf), MSG_DONTWAIT, &got) != -EAGAIN)
		bad++;
	close(in);
	close(out);
	printf("# %lu RPCs, %lu answers, %lu refused, %lu wrong, %lu bad\n",
	       rpcs, n_answered, n_refused, n_wrong, bad);
	return bad || n_wrong || n_answered != rpcs || n_refused != rpcs;
}

/* ---- endings against sleepers */

static int blocked(unsigned int threads)
{
	struct job jobs[MAX_THREADS] = {};
	struct ttp_send oneway = { .flags = TTP_F_ONEWAY };
	int fd = sock(1), other, out = sock(2);
	unsigned int i, n = 0;

	if (bind_to(fd, PORT, 0))
		return 1;
	other = dup(fd);
	for (i = 0; i < threads; i++) {
		jobs[i].fn = job_recv;
		jobs[i].fd = fd;
		if (!job_start_sleeping(&jobs[i]))
			return 1;
	}
	/* the descriptor goes; those who sleep have the socket still */
	close(fd);
	for (i = 0; i < threads / 2; i++)
		put_how(out, "123", 3, addr_of(1, PORT), oneway);
	for (i = 0; i < threads * 100 && n < threads / 2; i++) {
		unsigned int j;

		sleep_ms(5);
		for (n = 0, j = 0; j < threads; j++)
			n += job_done(&jobs[j]);
	}
	printf("# %u of %u woke for messages\n", n, threads / 2);
	if (n != threads / 2)
		return 1;
	shutdown(other, SHUT_RDWR);
	close(other);
	for (n = 0, i = 0; i < threads; i++)
		n += job_end(&jobs[i]) == 0;
	printf("# %u of %u woke for the shutdown\n", n, threads - threads / 2);
	close(out);
	return n != threads - threads / 2;
}

static int senders(unsigned int threads)
{
	struct job jobs[MAX_THREADS] = {};
	int fd = sock(1);
	unsigned int i, n = 0, sent = 0;

	set_opt(fd, SOL_SOCKET, SO_SNDBUF, 65536);
	for (i = 0; i < threads; i++) {
		jobs[i].fn = job_send;
		jobs[i].fd = fd;
		jobs[i].len = 60000;
		jobs[i].addr = addr_of(0, PORT);	/* nobody */
		job_start(&jobs[i]);
	}
	sleep_ms(20);
	shutdown(fd, SHUT_WR);
	for (i = 0; i < threads; i++) {
		long ret = job_end(&jobs[i]);

		n += ret == -EPIPE;
		sent += ret == 60000;
	}
	printf("# %u sent, %u EPIPE of %u\n", sent, n, threads);
	close(fd);
	return !n || n + sent != threads;
}

/*
 * All of them expire in the same runs of the peer's timer, with jitter; what
 * that leaks, kmemleak sees once the device is disabled.
 */
static int nobody(unsigned int rpcs)
{
	unsigned int i, n = 0;
	int fd = sock(1);
	struct got got;

	set_opt(fd, SOL_TTP, TTP_RECVINFO, 1);
	set_opt(fd, SOL_TTP, TTP_TIMEOUT_MS, 400);
	set_time(fd, SO_RCVTIMEO, 5000);
	for (i = 0; i < rpcs; i++)
		put(fd, "?", 1, 0, addr_of(0, PORT));
	while (get(fd, NULL, 0, 0, &got) >= 0 && got.has_info)
		if (got.info.error == ETIMEDOUT && ++n == rpcs)
			break;
	printf("# %u of %u timed out\n", n, rpcs);
	close(fd);
	return n != rpcs;
}

static bool one_number(int argc, char **argv, const char *word)
{
	return argc == 3 && !strcmp(argv[1], word);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	/* where the machine is infinitely fast, this is what takes time */
	if (getenv("PAUSE_US"))
		pause_us = atoi(getenv("PAUSE_US"));
	signal(SIGPIPE, SIG_IGN);
	if (argc >= 7 && !strcmp(argv[1], "traffic")) {
		server_host = atoi(argv[4]);
		client_host = atoi(argv[5]);
		may_fail = atoi(argv[6]);
		server_addr = addr_of(server_host, PORT);
		if (argc > 7)
			server_addr.sttp_ifindex = ifindex(client_host, argv[7]);
		if (argc > 8)
			sscanf(argv[8], "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx",
			       server_addr.sttp_addr, server_addr.sttp_addr + 1,
			       server_addr.sttp_addr + 2,
			       server_addr.sttp_addr + 3,
			       server_addr.sttp_addr + 4,
			       server_addr.sttp_addr + 5);
		return traffic(atoi(argv[2]), atoi(argv[3]));
	}
	if (one_number(argc, argv, "storm"))
		return storm(atoi(argv[2]));
	if (one_number(argc, argv, "signals"))
		return signals(atoi(argv[2]));
	if (one_number(argc, argv, "answers"))
		return answers(atoi(argv[2]));
	if (one_number(argc, argv, "blocked"))
		return blocked(atoi(argv[2]));
	if (one_number(argc, argv, "nobody"))
		return nobody(atoi(argv[2]));
	if (one_number(argc, argv, "senders"))
		return senders(atoi(argv[2]));
	return 2;
}
