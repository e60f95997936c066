// SPDX-License-Identifier: GPL-2.0
/*
 * ttp_exchange: many messages there and back, every byte of them checked.
 *
 * The bytes of a message follow from its number, so that both sides know what
 * must come.  The server counts how often it was given each number, and says
 * so when asked ("report").
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/ttp.h>

static const char usage[] =
"usage: ttp_exchange server PORT [threads=N] [memory=FILE]\n"
"       ttp_exchange client MAC%DEV PORT [WORD=VALUE]...\n"
"       ttp_exchange report MAC%DEV PORT\n"
"       ttp_exchange idle MAC%DEV PORT SOCKETS\n"
"\n"
"client words:\n"
"  count=N       messages to send (1)\n"
"  flight=N      of them at the same time (1)\n"
"  req=LIST      their lengths, in turn; \"mix\": many, around all limits (64)\n"
"  resp=LIST     lengths of the responses (64)\n"
"  big=N         in a mix, every Nth has 1 MiB (500)\n"
"  oneway=N      every Nth is one-way (0: none)\n"
"  delay_us=N    time that the server takes for each (0)\n"
"  gap_us=N      time between two (0)\n"
"  timeout_ms=N  TTP_TIMEOUT_MS of the socket\n"
"  deadline_ms=N ttp_send.timeout_ms\n"
"  idempotent=1  TTP_F_IDEMPOTENT\n"
"  number=N      of the first message; random else\n"
"  port=N        first port for messages too short to hold a number (2000)\n"
"\n"
"The client prints NAME=VALUE words: messages sent, done, failed, wrong in\n"
"length or content, reported more than once; the time of all and of the\n"
"fastest and slowest (us), and how often which errno.  It exits with 0 if all\n"
"were done and right.  A report has messages, numbers (different ones), twice\n"
"(numbers seen again) and wrong; with memory=FILE, also of the servers that\n"
"had this file before.  idle opens sockets, binds every second and\n"
"connects the others, prints \"ready\" and waits for the end of its input.\n"
"server prints \"ready\" as well.\n";

#define MAX_LEN		(16U << 20)
#define MAGIC_MESSAGE	0x7d3c0001U
#define MAGIC_REPORT	0x7d3c0002U

/* What a message long enough begins with; both hosts are the same machine */
struct head {
	uint64_t	number;
	uint32_t	magic;
	uint32_t	len;
	uint32_t	reply;
	uint32_t	delay_us;
};

/* Number of a message that is too short for it: the client's port is its own */
#define SHORT_NUMBER(port)	(1ULL << 63 | (port))

static const uint32_t mix[] = {
	0, 1, 2, 63, 64, 65,
	1471, 1472, 1473, 1474, 1475, 1476, 1477, 1478, 1479, 1480, 1481,
	1482, 1483, 1484, 1485, 1486, 1487, 1488, 1489, 1490, 1491, 1492,
	1493, 1494, 1495, 1496, 1497, 1498, 1499, 1500, 1501,
	8999, 9000, 9001, 65535, 65536, 65537,
};

static void __attribute__((noreturn)) bad_usage(void)
{
	fputs(usage, stderr);
	exit(2);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void sleep_us(uint64_t us)
{
	struct timespec t = { us / 1000000, us % 1000000 * 1000 };

	if (us)
		nanosleep(&t, NULL);
}

/* ---- content */

static uint64_t pattern(uint64_t seed, uint64_t at)
{
	uint64_t x = (seed ^ at) * 0x9e3779b97f4a7c15ULL;

	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9ULL;
	return x ^ x >> 32;
}

/* Fill, or compare with, the bytes from @at on of message @number */
static bool content(uint8_t *buf, uint32_t at, uint32_t len, uint64_t number,
		    bool response, bool fill)
{
	uint64_t seed = number * 2 + response, word;
	uint32_t n;

	for (; at < len; at += n) {
		n = len - at < 8 ? len - at : 8;
		word = pattern(seed, at);
		if (fill)
			memcpy(buf + at, &word, n);
		else if (memcmp(buf + at, &word, n))
			return false;
	}
	return true;
}

static void make_request(uint8_t *buf, const struct head *head)
{
	if (head->len >= sizeof(*head)) {
		memcpy(buf, head, sizeof(*head));
		content(buf, sizeof(*head), head->len, head->number, false,
			true);
	} else {
		content(buf, 0, head->len, head->number, false, true);
	}
}

/* Understand a request of @len bytes; false if it is damaged */
static bool read_request(uint8_t *buf, uint32_t len,
			 const struct sockaddr_ttp *from, struct head *head)
{
	if (len < sizeof(*head)) {
		/* An echo: so the client sees if the length is wrong */
		*head = (struct head) {
			.number = SHORT_NUMBER(ntohs(from->sttp_port)),
			.magic = MAGIC_MESSAGE, .len = len, .reply = len,
		};
		return content(buf, 0, len, head->number, false, false);
	}
	memcpy(head, buf, sizeof(*head));
	if (head->magic == MAGIC_REPORT)
		return true;
	return head->magic == MAGIC_MESSAGE && head->len == len &&
	       head->reply <= MAX_LEN &&
	       content(buf, sizeof(*head), len, head->number, false, false);
}

/* ---- counting executions */

#define SLOTS	(1U << 18)

static struct seen {
	uint64_t	number[SLOTS];	/* plus 1; 0 = free */
	uint64_t	messages, numbers, twice, wrong;
} *seen;

static pthread_mutex_t seen_lock = PTHREAD_MUTEX_INITIALIZER;

static void map_seen(const char *file)
{
	int fd = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS;

	if (file) {
		fd = open(file, O_RDWR | O_CREAT, 0600);
		if (fd < 0 || ftruncate(fd, sizeof(*seen)))
			err(1, "%s", file);
		flags = MAP_SHARED;
	}
	/* What is used now is not missed later */
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
		    flags | MAP_POPULATE, fd, 0);
	if (seen == MAP_FAILED)
		err(1, "mmap");
}

static void count_message(uint64_t number, bool good)
{
	uint32_t i = pattern(number, 1) % SLOTS;

	pthread_mutex_lock(&seen_lock);
	seen->messages++;
	if (!good) {
		seen->wrong++;
	} else {
		while (seen->number[i] && seen->number[i] != number + 1)
			i = (i + 1) % SLOTS;
		if (seen->number[i]) {
			seen->twice++;
		} else if (seen->numbers < SLOTS / 2) {
			seen->number[i] = number + 1;
			seen->numbers++;
		} else {
			errx(1, "more messages than the server can count");
		}
	}
	pthread_mutex_unlock(&seen_lock);
}

static int report(char *buf, size_t size)
{
	int n;

	pthread_mutex_lock(&seen_lock);
	n = snprintf(buf, size, "messages=%llu numbers=%llu twice=%llu wrong=%llu",
		     (unsigned long long)seen->messages,
		     (unsigned long long)seen->numbers,
		     (unsigned long long)seen->twice,
		     (unsigned long long)seen->wrong);
	pthread_mutex_unlock(&seen_lock);
	return n;
}

/* ---- sockets */

static int make_socket(void)
{
	int fd = socket(AF_TTP, SOCK_DGRAM, 0);

	if (fd < 0)
		err(1, "socket");
	return fd;
}

static void set_option(int fd, int name, uint32_t value)
{
	if (setsockopt(fd, SOL_TTP, name, &value, sizeof(value)))
		err(1, "setsockopt %d", name);
}

static void bind_port(int fd, int port)
{
	struct sockaddr_ttp a = {
		.sttp_family = AF_TTP, .sttp_port = htons(port),
	};

	if (bind(fd, (struct sockaddr *)&a, sizeof(a)))
		err(1, "port %d", port);
}

static void connect_to(int fd, const struct sockaddr_ttp *a)
{
	if (connect(fd, (const struct sockaddr *)a, sizeof(*a)))
		err(1, "connect");
}

static void parse_address(struct sockaddr_ttp *a, const char *text,
			  const char *port)
{
	char dev[IF_NAMESIZE] = "";
	__u8 *m = a->sttp_addr;

	memset(a, 0, sizeof(*a));
	a->sttp_family = AF_TTP;
	a->sttp_port = htons(atoi(port));
	if (sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%%%15s", m, m + 1,
		   m + 2, m + 3, m + 4, m + 5, dev) != 7)
		bad_usage();
	a->sttp_ifindex = if_nametoindex(dev);
	if (!a->sttp_ifindex)
		err(1, "%s", dev);
}

/* Receive one thing; returns its length or -1, *@info zeroed if none came */
static ssize_t receive(int fd, uint8_t *buf, struct sockaddr_ttp *from,
		       struct ttp_info *info, int flags)
{
	struct iovec iov = { buf, MAX_LEN };
	char control[CMSG_SPACE(sizeof(*info))];
	struct msghdr msg = {
		.msg_name = from, .msg_namelen = sizeof(*from),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	ssize_t n;

	memset(info, 0, sizeof(*info));
	n = recvmsg(fd, &msg, flags);
	if (n < 0)
		return n;
	c = CMSG_FIRSTHDR(&msg);
	if (!c || c->cmsg_level != SOL_TTP || c->cmsg_type != TTP_INFO)
		errx(1, "no TTP_INFO with %zd bytes", n);
	memcpy(info, CMSG_DATA(c), sizeof(*info));
	return n;
}

static uint8_t *message_buffer(void)
{
	uint8_t *buf = malloc(MAX_LEN);

	if (!buf)
		errx(1, "no memory");
	/* What is used now is not missed later */
	memset(buf, 1, 2 << 20);
	return buf;
}

/* ---- server */

static void *serve(void *arg)
{
	uint8_t *buf = message_buffer();
	int fd = (intptr_t)arg, reply;
	struct sockaddr_ttp from;
	struct ttp_info info;
	struct head head;
	ssize_t n, sent;
	bool good;

	for (;;) {
		n = receive(fd, buf, &from, &info, 0);
		if (n < 0)
			err(1, "server: receive");
		good = n == (ssize_t)info.length &&
		       read_request(buf, n, &from, &head);
		if (good && head.magic == MAGIC_REPORT) {
			reply = report((char *)buf, 256);
		} else {
			count_message(head.number, good);
			reply = good ? head.reply : 0;
			sleep_us(good ? head.delay_us : 0);
			content(buf, 0, reply, head.number, true, true);
		}
		if (info.kind == TTP_KIND_ONEWAY)
			continue;
		/* Our device may be down for a while; clients may be gone */
		while ((sent = sendto(fd, buf, reply, 0,
				      (struct sockaddr *)&from,
				      sizeof(from))) < 0 && errno == ENETDOWN)
			sleep_us(1000);
		if (sent < 0 && errno != ECONNRESET)
			warn("server: answer of %d bytes", reply);
	}
	return NULL;
}

static int server(int argc, char **argv)
{
	int fd = make_socket(), threads = 1, i;
	const char *file = NULL;
	pthread_t t;

	for (i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "memory=", 7))
			file = argv[i] + 7;
		else if (sscanf(argv[i], "threads=%d", &threads) != 1)
			bad_usage();
	}
	map_seen(file);
	bind_port(fd, atoi(argv[0]));
	set_option(fd, TTP_RECVINFO, 1);
	puts("ready");
	fflush(stdout);
	while (--threads > 0)
		if (pthread_create(&t, NULL, serve, (void *)(intptr_t)fd))
			errx(1, "no thread");
	serve((void *)(intptr_t)fd);
	return 0;
}

static int ask_report(int argc, char **argv)
{
	struct head head = { .magic = MAGIC_REPORT, .len = sizeof(head) };
	uint8_t *buf = message_buffer();
	struct sockaddr_ttp a;
	int fd = make_socket();
	ssize_t n;

	if (argc != 2)
		bad_usage();
	parse_address(&a, argv[0], argv[1]);
	connect_to(fd, &a);
	if (send(fd, &head, sizeof(head), 0) < 0)
		err(1, "send");
	n = recv(fd, buf, MAX_LEN, 0);
	if (n < 0)
		err(1, "report");
	printf("%.*s\n", (int)n, (char *)buf);
	return 0;
}

/* ---- client */

#define MAX_SIZES	64

struct sizes {
	bool		mix;
	unsigned int	count;
	uint32_t	size[MAX_SIZES];
};

struct message {
	uint64_t	number;
	uint64_t	sent_ns;
	uint32_t	len;
	uint32_t	reply;
	int		fd;
	bool		oneway;
	bool		over;
};

static struct {
	struct sockaddr_ttp server;
	uint64_t	count, flight, big, oneway, delay_us, gap_us;
	uint64_t	timeout_ms, deadline_ms, idempotent, number, port;
	struct sizes	req, resp;
	int		fd, epoll;
	uint8_t		*buf;
	struct message	*messages;
	uint64_t	sent, over;
	uint64_t	done, failed, wrong, twice, min_ns, max_ns;
	unsigned int	errors[256];
} cl = {
	.count = 1, .flight = 1, .big = 500, .port = 2000,
	.req = { .count = 1, .size = { 64 } },
	.resp = { .count = 1, .size = { 64 } },
	.min_ns = -1ULL,
};

static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

static void parse_sizes(struct sizes *s, const char *v)
{
	char *end;

	s->mix = !strcmp(v, "mix");
	for (s->count = 0; !s->mix && s->count < MAX_SIZES; v = end + 1) {
		s->size[s->count] = strtoul(v, &end, 10);
		if (end == v || s->size[s->count++] > MAX_LEN)
			bad_usage();
		if (!*end)
			return;
	}
	if (!s->mix)
		bad_usage();
}

static void parse_client(char *word)
{
	static const struct {
		const char	*name;
		uint64_t	*value;
	} words[] = {
		{ "count", &cl.count }, { "flight", &cl.flight },
		{ "big", &cl.big }, { "oneway", &cl.oneway },
		{ "delay_us", &cl.delay_us }, { "gap_us", &cl.gap_us },
		{ "timeout_ms", &cl.timeout_ms },
		{ "deadline_ms", &cl.deadline_ms },
		{ "idempotent", &cl.idempotent }, { "number", &cl.number },
		{ "port", &cl.port },
	};
	char *v = strchr(word, '=');
	unsigned int i;

	if (!v)
		bad_usage();
	*v++ = '\0';
	if (!strcmp(word, "req") || !strcmp(word, "resp")) {
		parse_sizes(word[3] == 'p' ? &cl.resp : &cl.req, v);
		return;
	}
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(word, words[i].name)) {
			*words[i].value = strtoull(v, NULL, 0);
			return;
		}
	bad_usage();
}

/* The @step spreads request and response lengths over each other */
static uint32_t pick(const struct sizes *s, uint64_t i, unsigned int step)
{
	unsigned int n = sizeof(mix) / sizeof(mix[0]);
	uint32_t size;

	if (!s->mix)
		return s->size[i % s->count];
	if (cl.big && i % cl.big == cl.big - step)
		return 1 << 20;
	size = mix[(i + i / n * (step - 1)) % n];
	/* The longest would take most of the time */
	return size > 10000 && i / n % 4 ? 200 : size;
}

static void watch(int fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(cl.epoll, EPOLL_CTL_ADD, fd, &e))
		err(1, "epoll_ctl");
}

static int client_socket(int port)
{
	int fd = make_socket();

	if (port)
		bind_port(fd, port);
	connect_to(fd, &cl.server);
	set_option(fd, TTP_RECVINFO, 1);
	if (cl.timeout_ms)
		set_option(fd, TTP_TIMEOUT_MS, cl.timeout_ms);
	watch(fd);
	return fd;
}

static void count_over(struct message *m)
{
	if (m->over)
		cl.twice++;
	else
		cl.over++;
	m->over = true;
	if (m->fd != cl.fd)
		close(m->fd);
	m->fd = -1;
}

static void count_error(struct message *m, int error)
{
	cl.failed++;
	cl.errors[error & 255]++;
	count_over(m);
}

static void send_message(uint64_t i)
{
	struct ttp_send how = {
		.cookie = i + 1, .timeout_ms = cl.deadline_ms,
		.flags = cl.idempotent ? TTP_F_IDEMPOTENT : 0,
	};
	struct message *m = &cl.messages[i];
	struct head head = {
		.magic = MAGIC_MESSAGE, .delay_us = cl.delay_us,
		.len = pick(&cl.req, i, 1), .reply = pick(&cl.resp, i, 2),
	};
	struct iovec iov = { cl.buf, head.len };
	union {
		char		buf[CMSG_SPACE(sizeof(how))];
		struct cmsghdr	align;
	} control = {};
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};

	m->len = head.len;
	m->reply = head.reply;
	m->number = head.number = cl.number + i;
	m->fd = cl.fd;
	if (m->len < sizeof(head)) {
		m->fd = client_socket(cl.port);
		m->number = head.number = SHORT_NUMBER(cl.port++);
		m->reply = m->len;
	}
	if (cl.oneway && i % cl.oneway == cl.oneway - 1) {
		m->oneway = true;
		how.flags |= TTP_F_ONEWAY | TTP_F_NOTIFY;
	}
	make_request(cl.buf, &head);
	control.align.cmsg_level = SOL_TTP;
	control.align.cmsg_type = TTP_SEND;
	control.align.cmsg_len = CMSG_LEN(sizeof(how));
	memcpy(CMSG_DATA(&control.align), &how, sizeof(how));
	m->sent_ns = now_ns();
	cl.sent++;
	if (sendmsg(m->fd, &msg, 0) != (ssize_t)m->len)
		count_error(m, errno);
}

static void client_receive(int fd)
{
	struct sockaddr_ttp from;
	struct ttp_info info;
	struct message *m;
	uint64_t ns;
	ssize_t n;

	n = receive(fd, cl.buf, &from, &info, MSG_DONTWAIT);
	if (n < 0) {
		if (errno == EAGAIN || errno == EINTR)
			return;
		err(1, "client: receive");
	}
	if (!info.cookie || info.cookie > cl.sent)
		errx(1, "cookie %llu of nobody, kind %u",
		     (unsigned long long)info.cookie, info.kind);
	m = &cl.messages[info.cookie - 1];
	if (info.kind == TTP_KIND_FAILURE) {
		count_error(m, info.error);
		return;
	}
	ns = now_ns() - m->sent_ns;
	if (ns < cl.min_ns)
		cl.min_ns = ns;
	if (ns > cl.max_ns)
		cl.max_ns = ns;
	cl.done++;
	if (m->oneway ? info.kind != TTP_KIND_COMPLETION || n :
	    info.kind != TTP_KIND_RESPONSE || n != (ssize_t)m->reply ||
	    info.length != m->reply ||
	    memcmp(&from, &cl.server, sizeof(from)) ||
	    !content(cl.buf, 0, n, m->number, true, false))
		cl.wrong++;
	count_over(m);
}

static void client_wait(void)
{
	struct epoll_event events[16];
	int i, n;

	n = epoll_wait(cl.epoll, events, 16, 60000);
	if (!n)
		errx(1, "%llu messages are lost",
		     (unsigned long long)(cl.sent - cl.over));
	for (i = 0; i < n; i++)
		client_receive(events[i].data.fd);
}

static int client(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal };
	uint64_t start_ns, end_ns;
	unsigned int i;

	if (argc < 2)
		bad_usage();
	parse_address(&cl.server, argv[0], argv[1]);
	if (getrandom(&cl.number, sizeof(cl.number), 0) < 0)
		err(1, "getrandom");
	cl.number &= ~(1ULL << 63) >> 1;
	for (i = 2; i < (unsigned int)argc; i++)
		parse_client(argv[i]);
	sigaction(SIGTERM, &sa, NULL);
	cl.epoll = epoll_create1(0);
	cl.buf = message_buffer();
	cl.messages = calloc(cl.count, sizeof(*cl.messages));
	if (cl.epoll < 0 || !cl.messages)
		err(1, "client");
	cl.fd = client_socket(0);
	start_ns = now_ns();
	while (cl.over < cl.sent || (cl.sent < cl.count && !stopped)) {
		if (cl.sent < cl.count && !stopped &&
		    cl.sent - cl.over < cl.flight) {
			send_message(cl.sent);
			sleep_us(cl.gap_us);
		} else {
			client_wait();
		}
	}
	end_ns = now_ns();
	printf("sent=%llu done=%llu failed=%llu wrong=%llu twice=%llu us=%llu",
	       (unsigned long long)cl.sent, (unsigned long long)cl.done,
	       (unsigned long long)cl.failed, (unsigned long long)cl.wrong,
	       (unsigned long long)cl.twice,
	       (unsigned long long)(end_ns - start_ns) / 1000);
	if (cl.done)
		printf(" min_us=%llu max_us=%llu",
		       (unsigned long long)cl.min_ns / 1000,
		       (unsigned long long)cl.max_ns / 1000);
	for (i = 0; i < 256; i++)
		if (cl.errors[i])
			printf(" %s=%u", strerrorname_np(i) ?: "?",
			       cl.errors[i]);
	putchar('\n');
	return cl.done != cl.sent || cl.wrong || cl.twice;
}

/* ---- idle */

static int idle(int argc, char **argv)
{
	struct sockaddr_ttp a;
	int i, fd;
	char c;

	if (argc != 3)
		bad_usage();
	parse_address(&a, argv[0], argv[1]);
	for (i = 0; i < atoi(argv[2]); i++) {
		fd = make_socket();
		if (i % 2)
			connect_to(fd, &a);
		else
			bind_port(fd, 0);
	}
	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "server"))
		return server(argc - 2, argv + 2);
	if (argc > 2 && !strcmp(argv[1], "client"))
		return client(argc - 2, argv + 2);
	if (argc > 2 && !strcmp(argv[1], "report"))
		return ask_report(argc - 2, argv + 2);
	if (argc > 2 && !strcmp(argv[1], "idle"))
		return idle(argc - 2, argv + 2);
	bad_usage();
}
