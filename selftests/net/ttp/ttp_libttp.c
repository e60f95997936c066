// SPDX-License-Identifier: GPL-2.0
/*
 * libttp: addresses as text, by name, by IP address, and back.  ttp_libttp.sh
 * makes the hosts, and says what is in there.
 */
#include <dirent.h>
#include <grp.h>
#include <malloc.h>
#include <netinet/in.h>
#include <sys/resource.h>

#include <libttp.h>

#include "ttp_test.h"

/* A name with what may be in one, and as long as one may be */
#define ODD_DEV "a]b]c]d]e]f]g]h"

static int fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* From here on as anybody */
static bool nobody(void)
{
	return !setgroups(0, NULL) && !setresgid(65534, 65534, 65534) &&
	       !setresuid(65534, 65534, 65534);
}

/* 0 or a negative errno, as the calls of ttp_test.h */
static long resolve(const char *name, int port, int ms,
		    struct sockaddr_ttp *addr)
{
	return R(ttp_resolve(name, port, ms, addr));
}

/* ---- text */

struct text {
	const char *text;
	struct sockaddr_ttp addr;
};

FIXTURE(ttp_libttp) {
	int fds;
};

FIXTURE_SETUP(ttp_libttp)
{
	enter(1);
	self->fds = fds();
}

FIXTURE_TEARDOWN(ttp_libttp)
{
	EXPECT_EQ(self->fds, fds());
}

static bool same_addr(const struct sockaddr_ttp *a, const struct sockaddr_ttp *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static struct sockaddr_ttp make(const char *mac, int ifindex, int port)
{
	struct sockaddr_ttp addr = {
		.sttp_family = AF_TTP,
		.sttp_ifindex = ifindex,
		.sttp_port = htons(port),
	};

	sscanf(mac, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &addr.sttp_addr[0],
	       &addr.sttp_addr[1], &addr.sttp_addr[2], &addr.sttp_addr[3],
	       &addr.sttp_addr[4], &addr.sttp_addr[5]);
	return addr;
}

TEST_F(ttp_libttp, reads_every_form)
{
	int eth0 = if_nametoindex("eth0"), odd = if_nametoindex(ODD_DEV), i;
	const char *mac = "02:00:5e:a0:ff:09";
	struct text texts[] = {
		{ "02:00:5e:a0:ff:09", make(mac, 0, 0) },
		{ "2:0:5E:A0:fF:9", make(mac, 0, 0) },
		{ "02:00:5e:a0:ff:09%eth0", make(mac, eth0, 0) },
		{ "02:00:5e:a0:ff:09%lo", make(mac, 1, 0) },
		{ "02:00:5e:a0:ff:09%1", make(mac, 1, 0) },
		{ "02:00:5e:a0:ff:09%2147483647", make(mac, 2147483647, 0) },
		{ "02:00:5e:a0:ff:09%999", make(mac, if_nametoindex("999"), 0) },
		{ "[02:00:5e:a0:ff:09]:1", make(mac, 0, 1) },
		{ "[02:00:5e:a0:ff:09%eth0]:65535", make(mac, eth0, 65535) },
		{ "[02:00:5e:a0:ff:09%1]:080", make(mac, 1, 80) },
		{ "02:00:5e:a0:ff:09%" ODD_DEV, make(mac, odd, 0) },
		{ "[02:00:5e:a0:ff:09%" ODD_DEV "]:7", make(mac, odd, 7) },
		{ "00:00:00:00:00:00", make("0:0:0:0:0:0", 0, 0) },
		{ "ff:ff:ff:ff:ff:ff", make("ff:ff:ff:ff:ff:ff", 0, 0) },
	};
	struct sockaddr_ttp addr;

	ASSERT_GT(odd, 0);
	ASSERT_NE(0, if_nametoindex("999"));
	for (i = 0; i < (int)(sizeof(texts) / sizeof(*texts)); i++) {
		memset(&addr, 0xa5, sizeof(addr));
		EXPECT_EQ(1, ttp_pton(texts[i].text, &addr))
			TH_LOG("%s: %s", texts[i].text, strerror(errno));
		EXPECT_TRUE(same_addr(&addr, &texts[i].addr))
			TH_LOG("%s", texts[i].text);
	}
}

static const char * const malformed[] = {
	"", " ", "eth0", "[", "[]", "[]:", "[]:1", ":", "%", "%eth0",
	"02:00:5e:a0:ff", "02:00:5e:a0:ff:", "02:00:5e:a0:ff:9:",
	"02:00:5e:a0:ff:09:11", "02:00:5e:a0:ff:009", "02:00:5e::ff:09",
	":02:00:5e:a0:ff:09", "02-00-5e-a0-ff-09", "02005ea0ff09",
	"02:00:5e:a0:ff:0g", "0x2:00:5e:a0:ff:09", "+2:00:5e:a0:ff:09",
	" 02:00:5e:a0:ff:09", "02:00:5e:a0:ff:09 ", "02:00:5e:a0:ff:09%",
	"02:00:5e:a0:ff:09:80", "[02:00:5e:a0:ff:09]", "[02:00:5e:a0:ff:09]:",
	"[02:00:5e:a0:ff:09]:0", "[02:00:5e:a0:ff:09]:65536",
	"[02:00:5e:a0:ff:09]:-1", "[02:00:5e:a0:ff:09]:+1",
	"[02:00:5e:a0:ff:09]: 1", "[02:00:5e:a0:ff:09]:1 ",
	"[02:00:5e:a0:ff:09]:80x", "[02:00:5e:a0:ff:09]:0x50",
	"[02:00:5e:a0:ff:09]80", "[02:00:5e:a0:ff:09:80", "02:00:5e:a0:ff:09]:80",
	"[[02:00:5e:a0:ff:09]]:80", "[02:00:5e:a0:ff:09%]:80",
	"[02:00:5e:a0:ff:09]:99999999999999999999",
	"[02:00:5e:a0:ff:09%eth0]:65536",
	"[02:00:5e:a0:ff:09%aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]:1",
};

static const char * const no_device[] = {
	"02:00:5e:a0:ff:09%none", "02:00:5e:a0:ff:09%0",
	"02:00:5e:a0:ff:09%-1", "02:00:5e:a0:ff:09%2147483648",
	"02:00:5e:a0:ff:09%eth0 ", "02:00:5e:a0:ff:09%eth0%eth0",
	"[02:00:5e:a0:ff:09%none]:80", "02:00:5e:a0:ff:09%eth0]:80",
	"02:00:5e:a0:ff:09%a-name-that-is-too-long-for-any-device",
};

TEST_F(ttp_libttp, refuses_what_is_no_address)
{
	struct sockaddr_ttp addr, as_it_was;
	size_t i;

	memset(&addr, 0xa5, sizeof(addr));
	as_it_was = addr;
	for (i = 0; i < sizeof(malformed) / sizeof(*malformed); i++) {
		errno = 0;
		EXPECT_EQ(0, ttp_pton(malformed[i], &addr))
			TH_LOG("\"%s\"", malformed[i]);
		EXPECT_EQ(EINVAL, errno)
			TH_LOG("\"%s\"", malformed[i]);
	}
	for (i = 0; i < sizeof(no_device) / sizeof(*no_device); i++) {
		errno = 0;
		EXPECT_EQ(0, ttp_pton(no_device[i], &addr))
			TH_LOG("\"%s\"", no_device[i]);
		EXPECT_EQ(ENODEV, errno)
			TH_LOG("\"%s\"", no_device[i]);
		EXPECT_EQ(-ENODEV, resolve(no_device[i], 7, 0, &addr))
			TH_LOG("\"%s\"", no_device[i]);
	}
	EXPECT_TRUE(same_addr(&addr, &as_it_was));
}

TEST_F(ttp_libttp, writes_every_form)
{
	int eth0 = if_nametoindex("eth0"), odd = if_nametoindex(ODD_DEV);
	const char *mac = "02:00:5e:a0:ff:09";
	struct text texts[] = {
		{ "02:00:5e:a0:ff:09", make(mac, 0, 0) },
		{ "02:00:5e:a0:ff:09%eth0", make(mac, eth0, 0) },
		{ "[02:00:5e:a0:ff:09]:1", make(mac, 0, 1) },
		{ "[02:00:5e:a0:ff:09%lo]:65535", make(mac, 1, 65535) },
		{ "[02:00:5e:a0:ff:09%" ODD_DEV "]:65535", make(mac, odd, 65535) },
		{ "02:00:5e:a0:ff:09%2147483647", make(mac, 2147483647, 0) },
		{ "[02:00:5e:a0:ff:09%2147483647]:9", make(mac, 2147483647, 9) },
		{ "00:00:00:00:00:00", make("0:0:0:0:0:0", 0, 0) },
	};
	char text[TTP_ADDRSTRLEN + 1];
	size_t i, size, len;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		/* a tag is no part of the text */
		texts[i].addr.sttp_rpc = 5;
		len = strlen(texts[i].text);
		ASSERT_LT(len, TTP_ADDRSTRLEN);
		errno = ENOTTY;
		EXPECT_EQ(&text[0], ttp_ntop(&texts[i].addr, text, len + 1));
		EXPECT_STREQ(texts[i].text, text);
		EXPECT_EQ(ENOTTY, errno);
		for (size = 0; size <= len; size++) {
			memset(text, 'x', sizeof(text));
			EXPECT_EQ(NULL, ttp_ntop(&texts[i].addr, text, size));
			EXPECT_EQ(ENOSPC, errno);
			EXPECT_EQ('x', text[size]);
		}
	}
	texts[0].addr.sttp_family = AF_INET;
	EXPECT_EQ(NULL, ttp_ntop(&texts[0].addr, text, sizeof(text)));
	EXPECT_EQ(EAFNOSUPPORT, errno);
	texts[1].addr.sttp_ifindex = -1;
	EXPECT_EQ(NULL, ttp_ntop(&texts[1].addr, text, sizeof(text)));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(ttp_libttp, what_is_written_is_read)
{
	int dev[] = { 0, 1, if_nametoindex("eth0"), if_nametoindex(ODD_DEV),
		      if_nametoindex("999"), 1000, 2147483647 };
	struct sockaddr_ttp addr, back;
	char text[TTP_ADDRSTRLEN];
	int i, j;

	srandom(1);
	for (i = 0; i < 300; i++) {
		addr = make("0:0:0:0:0:0", dev[random() % 7],
			    random() % 3 ? random() % 65536 : 0);
		for (j = 0; j < 6; j++)
			addr.sttp_addr[j] = random();
		ASSERT_EQ(&text[0], ttp_ntop(&addr, text, sizeof(text)));
		ASSERT_EQ(1, ttp_pton(text, &back));
		ASSERT_TRUE(same_addr(&addr, &back))
			TH_LOG("%s", text);
	}
}

/* ---- IP addresses, as anybody may look for them */

FIXTURE(ttp_libttp_ip) {
	int fds;
	int eth0, eth1;
	struct sockaddr_ttp addr;
};

FIXTURE_VARIANT(ttp_libttp_ip) {
	int family;
	const char *ip[4];	/* of the hosts on the first network */
	const char *own1;	/* of h1 on the second network */
	const char *other1;	/* of h2 there */
	const char *silent;
	const char *behind;	/* a gateway */
	const char *nowhere[12];	/* up to NULL */
};

#define V4								\
	.family = AF_INET,						\
	.ip = { "", "10.0.0.1", "10.0.0.2", "10.0.0.3" },		\
	.own1 = "10.9.0.1",						\
	.other1 = "10.9.0.2",						\
	.silent = "10.0.0.99",						\
	.behind = "10.8.0.1",						\
	.nowhere = {							\
		"10.7.0.1", "127.0.0.1", "127.0.1.1", "0.0.0.0",	\
		"224.0.0.1", "255.255.255.255", "10.0.255.255",		\
		"10.6.0.1", "10.5.0.1", "10.66.0.2", "10.44.0.1"	\
	}

#define V6								\
	.family = AF_INET6,						\
	.ip = { "", "fd00::1", "fd00::2", "fd00::3" },			\
	.own1 = "fd09::1",						\
	.other1 = "fd09::2",						\
	.silent = "fd00::99",						\
	.behind = "fd08::1",						\
	.nowhere = {							\
		"fd07::1", "::1", "::", "ff02::1", "ff02::1%eth0",	\
		"fd06::1", "fd05::1", "fd66::2", "fd44::1",		\
		"::ffff:10.7.0.1"					\
	}

FIXTURE_VARIANT_ADD(ttp_libttp_ip, v4) { V4 };
FIXTURE_VARIANT_ADD(ttp_libttp_ip, v6) { V6 };

/* No neighbour is known */
static void forget(void)
{
	sh("ip -n h1 neigh flush dev eth0; ip -n h1 neigh flush dev eth1");
}

FIXTURE_SETUP(ttp_libttp_ip)
{
	self->eth0 = ifindex(1, "eth0");
	self->eth1 = ifindex(1, "eth1");
	forget();
	ASSERT_TRUE(nobody());
	memset(&self->addr, 0xa5, sizeof(self->addr));
	self->fds = fds();
}

FIXTURE_TEARDOWN(ttp_libttp_ip)
{
	EXPECT_EQ(self->fds, fds());
}

static socklen_t ip_addr(const char *text, int port, struct sockaddr_storage *ss)
{
	struct sockaddr_in6 *in6 = (void *)ss;
	struct sockaddr_in *in = (void *)ss;

	memset(ss, 0, sizeof(*ss));
	in->sin_port = htons(port);
	if (inet_pton(AF_INET, text, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		return sizeof(*in);
	}
	in6->sin6_family = AF_INET6;
	if (inet_pton(AF_INET6, text, &in6->sin6_addr) != 1)
		abort();
	return sizeof(*in6);
}

static long from_ip(const char *text, int port, int ms,
		    struct sockaddr_ttp *addr)
{
	struct sockaddr_storage ip;
	socklen_t len = ip_addr(text, port, &ip);

	return R(ttp_from_ip((void *)&ip, len, ms, addr));
}

/* An IP address as text and port, "" if there is none; link-local ones with
 * their device
 */
static long to_ip(struct sockaddr_ttp addr, int family, char text[64])
{
	struct sockaddr_storage ss;
	struct sockaddr_in6 *in6 = (void *)&ss;
	struct sockaddr_in *in = (void *)&ss;
	socklen_t len = sizeof(ss);
	long ret;

	memset(&ss, 0xa5, sizeof(ss));
	text[0] = '\0';
	ret = R(ttp_to_ip(&addr, family, (void *)&ss, &len));
	if (ret)
		return ret;
	if (in->sin_port != addr.sttp_port)
		return -EPROTO;
	if (ss.ss_family == AF_INET && len == sizeof(*in))
		inet_ntop(AF_INET, &in->sin_addr, text, 64);
	else if (ss.ss_family == AF_INET6 && len == sizeof(*in6))
		inet_ntop(AF_INET6, &in6->sin6_addr, text, 64);
	if (ss.ss_family == AF_INET6 && in6->sin6_scope_id)
		sprintf(text + strlen(text), "%%%u", in6->sin6_scope_id);
	return 0;
}

TEST_F(ttp_libttp_ip, asks_for_an_unknown_neighbour)
{
	struct sockaddr_ttp want = make("2:0:0:0:0:2", self->eth0, 4711);
	long start = now_ms();

	ASSERT_EQ(0, from_ip(variant->ip[2], 4711, -1, &self->addr));
	EXPECT_TRUE(same_addr(&want, &self->addr));
	EXPECT_LE(now_ms() - start, at_most(50));

	/* and then knows it */
	memset(&self->addr, 0xa5, sizeof(self->addr));
	ASSERT_EQ(0, from_ip(variant->ip[2], 4711, 0, &self->addr));
	EXPECT_TRUE(same_addr(&want, &self->addr));

	want = make("2:0:0:0:0:3", self->eth0, 0);
	ASSERT_EQ(0, resolve(variant->ip[3], 0, 5000, &self->addr));
	EXPECT_TRUE(same_addr(&want, &self->addr));
}

TEST_F(ttp_libttp_ip, asks_without_waiting)
{
	struct sockaddr_ttp want = make("2:0:0:0:0:2", self->eth0, 7);
	long start = now_ms(), ret = from_ip(variant->ip[2], 7, 0, &self->addr);

	/* on a virtual cable the answer may be there at once */
	EXPECT_TRUE(!ret || ret == -ETIMEDOUT);
	EXPECT_LE(now_ms() - start, at_most(100));
	ASSERT_TRUE(WAIT_FOR(!from_ip(variant->ip[2], 7, 0, &self->addr)));
	EXPECT_TRUE(same_addr(&want, &self->addr));
}

TEST_F(ttp_libttp_ip, a_silent_neighbour_times_out)
{
	struct sockaddr_ttp as_it_was = self->addr;
	long start = now_ms();

	EXPECT_EQ(-ETIMEDOUT, from_ip(variant->silent, 7, 300, &self->addr));
	EXPECT_GE(now_ms() - start, 300);
	EXPECT_LE(now_ms() - start, at_most(310));
	start = now_ms();
	EXPECT_EQ(-ETIMEDOUT, resolve(variant->silent, 7, -1, &self->addr));
	EXPECT_GE(now_ms() - start, 1000);
	EXPECT_LE(now_ms() - start, at_most(1010));
	/* the kernel gives up after three questions, a second each */
	start = now_ms();
	EXPECT_EQ(-ETIMEDOUT, from_ip(variant->silent, 7, 60000, &self->addr));
	EXPECT_LE(now_ms() - start, at_most(4000));
	EXPECT_EQ(-ETIMEDOUT, from_ip(variant->silent, 7, 0, &self->addr));
	EXPECT_TRUE(same_addr(&as_it_was, &self->addr));
}

static void on_alarm(int signal)
{
	(void)signal;
}

TEST_F(ttp_libttp_ip, signals_do_not_end_the_wait)
{
	struct itimerval every = { { 0, 20000 }, { 0, 20000 } }, never = {};
	struct sigaction sa = { .sa_handler = on_alarm };
	long start = now_ms();

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	EXPECT_EQ(-ETIMEDOUT, from_ip(variant->silent, 7, 300, &self->addr));
	EXPECT_GE(now_ms() - start, 300);
	setitimer(ITIMER_REAL, &never, NULL);
}

static long job_from_ip(struct job *job)
{
	return from_ip(job->len == AF_INET ? "10.0.0.99" : "fd00::99", 7, 500,
		       &job->addr);
}

TEST_F(ttp_libttp_ip, cancelling_a_thread_leaves_nothing_behind)
{
	struct job job = { .fn = job_from_ip, .len = variant->family };

	/* the first thread brings descriptors of the C library into being */
	ASSERT_TRUE(job_start_sleeping(&job));
	pthread_cancel(job.thread);
	pthread_join(job.thread, NULL);
	EXPECT_TRUE(job_done(&job));
}

TEST_F(ttp_libttp_ip, what_is_not_on_a_network_here_is_unreachable)
{
	const char *const *name;

	EXPECT_EQ(-EHOSTUNREACH, resolve(variant->behind, 7, 0, &self->addr));
	for (name = variant->nowhere; *name; name++)
		EXPECT_EQ(-EHOSTUNREACH, resolve(*name, 7, 0, &self->addr))
			TH_LOG("%s", *name);
}

TEST_F(ttp_libttp_ip, own_addresses_are_those_of_their_devices)
{
	struct sockaddr_ttp want = make("2:0:0:0:0:1", self->eth0, 7);
	char name[64];

	ASSERT_EQ(0, from_ip(variant->ip[1], 7, 0, &self->addr));
	EXPECT_TRUE(same_addr(&want, &self->addr));
	want = make("2:0:0:0:1:1", self->eth1, 7);
	ASSERT_EQ(0, from_ip(variant->own1, 7, 0, &self->addr));
	EXPECT_TRUE(same_addr(&want, &self->addr));
	snprintf(name, sizeof(name), "%s%%eth1", variant->own1);
	ASSERT_EQ(0, resolve(name, 7, 0, &self->addr));
	snprintf(name, sizeof(name), "%s%%eth0", variant->own1);
	EXPECT_NE(0, resolve(name, 7, 0, &self->addr));
}

TEST_F(ttp_libttp_ip, each_device_has_its_neighbours)
{
	struct sockaddr_ttp want = make("2:0:0:0:1:2", self->eth1, 7);
	char name[64];

	ASSERT_EQ(0, from_ip(variant->other1, 7, -1, &self->addr));
	EXPECT_TRUE(same_addr(&want, &self->addr));
	snprintf(name, sizeof(name), "%s%%eth1", variant->other1);
	ASSERT_EQ(0, resolve(name, 7, 0, &self->addr));
	EXPECT_TRUE(same_addr(&want, &self->addr));
	snprintf(name, sizeof(name), "%s%%%d", variant->other1, self->eth1);
	ASSERT_EQ(0, resolve(name, 7, 0, &self->addr));
	snprintf(name, sizeof(name), "%s%%none", variant->other1);
	EXPECT_EQ(-ENODEV, resolve(name, 7, 0, &self->addr));
}

TEST_F(ttp_libttp_ip, finds_the_way_back)
{
	int family = variant->family;
	struct sockaddr_ttp addr;
	char text[64];

	ASSERT_EQ(0, from_ip(variant->ip[2], 4711, -1, &addr));
	EXPECT_EQ(0, to_ip(addr, family, text));
	EXPECT_STREQ(variant->ip[2], text);
	addr.sttp_ifindex = 0;
	EXPECT_EQ(0, to_ip(addr, family, text));
	EXPECT_STREQ(variant->ip[2], text);
	EXPECT_EQ(0, to_ip(addr, AF_UNSPEC, text));
	EXPECT_STREQ(variant->ip[2], text);
	/* not with the neighbours of another device */
	addr.sttp_ifindex = self->eth1;
	EXPECT_EQ(-ENOENT, to_ip(addr, family, text));

	ASSERT_EQ(0, from_ip(variant->other1, 7, -1, &addr));
	EXPECT_EQ(0, to_ip(addr, family, text));
	EXPECT_STREQ(variant->other1, text);

	/* own ones */
	ASSERT_EQ(0, from_ip(variant->own1, 7, 0, &addr));
	EXPECT_EQ(0, to_ip(addr, family, text));
	EXPECT_STREQ(variant->own1, text);
	addr.sttp_ifindex = 0;
	EXPECT_EQ(0, to_ip(addr, family, text));
	EXPECT_STREQ(variant->own1, text);
}

TEST_F(ttp_libttp_ip, who_is_not_known_has_no_ip_address)
{
	struct sockaddr_ttp addr = make("2:0:0:0:0:99", self->eth0, 7);
	int family = variant->family;
	struct sockaddr_storage ss;
	socklen_t len = 15;
	char text[64];

	EXPECT_EQ(-ENOENT, to_ip(addr, family, text));
	EXPECT_EQ(-ENOENT, to_ip(addr, AF_UNSPEC, text));
	addr.sttp_ifindex = 0;
	EXPECT_EQ(-ENOENT, to_ip(addr, family, text));
	addr.sttp_ifindex = 12345;
	EXPECT_EQ(-ENODEV, to_ip(addr, family, text));
	/* a silent one is in the table, without a MAC address */
	EXPECT_EQ(-ETIMEDOUT, from_ip(variant->silent, 7, 10, &addr));
	addr = make("0:0:0:0:0:0", self->eth0, 7);
	EXPECT_EQ(-ENOENT, to_ip(addr, family, text));
	addr = make("2:0:0:0:0:1", self->eth0, 7);
	EXPECT_EQ(-EAFNOSUPPORT, to_ip(addr, AF_UNIX, text));
	EXPECT_EQ(-EAFNOSUPPORT, to_ip(addr, -1, text));
	EXPECT_EQ(-1, ttp_to_ip(&addr, family, (void *)&ss, &len));
	EXPECT_EQ(ENOSPC, errno);
	EXPECT_EQ(15, len);
	addr.sttp_family = AF_INET;
	EXPECT_EQ(-EAFNOSUPPORT, to_ip(addr, family, text));
}

/* With n descriptors to spare it works, or fails in a way that shows why */
TEST_F(ttp_libttp_ip, does_not_leak_where_it_runs_out_of_descriptors)
{
	struct rlimit limit;
	char text[64];
	long ret;
	int i, n;

	getrlimit(RLIMIT_NOFILE, &limit);
	n = open("/dev/null", O_RDONLY);
	close(n);
	for (i = 0; i < 4; i++) {
		limit.rlim_cur = n + i;
		setrlimit(RLIMIT_NOFILE, &limit);
		ret = from_ip(variant->silent, 7, 0, &self->addr);
		EXPECT_EQ(i < 2 ? -EMFILE : -ETIMEDOUT, ret)
			TH_LOG("%d left", i);
		ret = from_ip(variant->ip[1], 7, 0, &self->addr);
		EXPECT_EQ(i < 1 ? -EMFILE : 0, ret)
			TH_LOG("%d left", i);
		ret = to_ip(make("2:0:0:0:0:1", self->eth0, 7), variant->family,
			    text);
		EXPECT_EQ(i < 1 ? -EMFILE : 0, ret)
			TH_LOG("%d left", i);
	}
	limit.rlim_cur = n + 100;
	setrlimit(RLIMIT_NOFILE, &limit);
}

TEST_F(ttp_libttp_ip, does_not_leak_memory)
{
	struct mallinfo2 before = {}, after;
	struct sockaddr_ttp addr;
	char text[64];
	int i;

	for (i = 0; i < 60; i++) {
		resolve(variant->ip[1], 7, 0, &addr);
		resolve(variant->silent, 7, 0, &addr);
		resolve(variant->behind, 7, 0, &addr);
		resolve("two.test", 7, 0, &addr);
		resolve("one.ethers", 7, 0, &addr);
		to_ip(addr, variant->family, text);
		if (i == 20)
			before = mallinfo2();
	}
	after = mallinfo2();
	EXPECT_EQ(before.uordblks, after.uordblks);
}

static long job_resolve(struct job *job)
{
	static const char * const names[] = {
		"two.test", "10.0.0.2", "2:0:0:0:0:2%eth0", "[2:0:0:0:0:2]:9",
	};
	struct sockaddr_ttp addr, want = addr_of(2, 0);
	char text[64];
	long i, ret;

	for (i = job->len; i < (long)job->len + 20; i++) {
		ret = resolve(names[i % 4], 9, 5000, &addr);
		if (ret)
			return ret;
		if (memcmp(addr.sttp_addr, want.sttp_addr, 6) ||
		    addr.sttp_port != htons(9))
			return -EPROTO;
		addr.sttp_ifindex = 0;
		if (!to_ip(addr, AF_INET, text) && strcmp(text, "10.0.0.2"))
			return -EPROTO;
		ret = from_ip("10.8.0.1", 9, 5000, &addr);
		if (ret != -EHOSTUNREACH)
			return -EPROTO;
	}
	return 0;
}

TEST_F(ttp_libttp_ip, threads_do_not_disturb_each_other)
{
	struct job jobs[8] = {};
	int i;

	for (i = 0; i < 8; i++) {
		jobs[i].fn = job_resolve;
		jobs[i].len = i;
		job_start(&jobs[i]);
	}
	for (i = 0; i < 8; i++)
		EXPECT_EQ(0, job_end(&jobs[i]));
}

/* ---- what the families do not have in common */

TEST_F(ttp_libttp, refuses_what_is_no_ip_address)
{
	struct sockaddr_storage ss;
	struct sockaddr_ttp addr;
	socklen_t len;

	ip_addr("10.0.0.1", 7, &ss);
	for (len = 0; len < sizeof(struct sockaddr_in); len++)
		EXPECT_EQ(-EINVAL, R(ttp_from_ip((void *)&ss, len, 0, &addr)));
	EXPECT_EQ(0, R(ttp_from_ip((void *)&ss, sizeof(ss), 0, &addr)));
	ip_addr("::ffff:10.0.0.1", 7, &ss);
	for (len = 2; len < sizeof(struct sockaddr_in6); len++)
		EXPECT_EQ(-EINVAL, R(ttp_from_ip((void *)&ss, len, 0, &addr)));
	/* IPv4, as IPv6 sockets have it */
	EXPECT_EQ(0, R(ttp_from_ip((void *)&ss, sizeof(ss), 0, &addr)));
	EXPECT_EQ(1, addr.sttp_addr[5]);
	EXPECT_EQ(htons(7), addr.sttp_port);
	ss.ss_family = AF_UNIX;
	EXPECT_EQ(-EAFNOSUPPORT,
		  R(ttp_from_ip((void *)&ss, sizeof(ss), 0, &addr)));
	ss.ss_family = AF_TTP;
	EXPECT_EQ(-EAFNOSUPPORT,
		  R(ttp_from_ip((void *)&ss, sizeof(ss), 0, &addr)));
}

TEST_F(ttp_libttp, link_local_addresses_have_a_device)
{
	struct sockaddr_ttp addr, want = make("2:0:0:0:0:2", 0, 7);
	struct sockaddr_storage ss;
	struct sockaddr_in6 *in6 = (void *)&ss;
	char text[64], name[64];

	want.sttp_ifindex = if_nametoindex("eth0");
	EXPECT_EQ(-EINVAL, resolve("fe80::ff:fe00:2", 7, 5000, &addr));
	EXPECT_EQ(-ENODEV, resolve("fe80::ff:fe00:2%none", 7, 5000, &addr));
	ASSERT_EQ(0, resolve("fe80::ff:fe00:2%eth0", 7, 5000, &addr));
	EXPECT_TRUE(same_addr(&want, &addr));
	snprintf(name, sizeof(name), "fe80::ff:fe00:2%%%d", want.sttp_ifindex);
	ASSERT_EQ(0, resolve(name, 7, 5000, &addr));
	EXPECT_TRUE(same_addr(&want, &addr));
	EXPECT_EQ(-ETIMEDOUT, resolve("fe80::ff:fe00:2%eth1", 7, 100, &addr));
	ip_addr("fe80::ff:fe00:2", 7, &ss);
	EXPECT_EQ(-EINVAL, R(ttp_from_ip((void *)&ss, sizeof(*in6), 0, &addr)));
	in6->sin6_scope_id = want.sttp_ifindex;
	ASSERT_EQ(0, R(ttp_from_ip((void *)&ss, sizeof(*in6), 0, &addr)));
	EXPECT_TRUE(same_addr(&want, &addr));

	/* own ones */
	ASSERT_EQ(0, resolve("fe80::ff:fe00:1%eth0", 7, 0, &addr));
	EXPECT_EQ(1, addr.sttp_addr[5]);
	EXPECT_EQ(want.sttp_ifindex, addr.sttp_ifindex);

	/* back, the address that is good everywhere is better */
	forget();
	ASSERT_EQ(0, resolve(name, 7, 5000, &addr));
	ASSERT_EQ(0, to_ip(addr, AF_INET6, text));
	EXPECT_STREQ(name, text);
	ASSERT_EQ(0, to_ip(addr, AF_UNSPEC, text));
	EXPECT_STREQ(name, text);
	ASSERT_EQ(0, resolve("fd00::2", 7, 5000, &addr));
	ASSERT_EQ(0, to_ip(addr, AF_INET6, text));
	EXPECT_STREQ("fd00::2", text);
	ASSERT_EQ(0, resolve("10.0.0.2", 7, 5000, &addr));
	ASSERT_EQ(0, to_ip(addr, AF_UNSPEC, text));
	EXPECT_STREQ("10.0.0.2", text);
	ASSERT_EQ(0, to_ip(addr, AF_INET6, text));
	EXPECT_STREQ("fd00::2", text);
}

TEST_F(ttp_libttp, a_neighbour_with_another_card_is_found_out)
{
	struct sockaddr_ttp addr;

	sh("ip -n h1 neigh flush dev eth1; cd /proc/sys/net/ipv4/neigh/eth1;"
	   " echo 1 >delay_first_probe_time; echo 100 >retrans_time_ms;"
	   " echo 3000 >base_reachable_time_ms; true");
	ASSERT_EQ(0, resolve("10.9.0.2", 7, 5000, &addr));
	EXPECT_EQ(2, addr.sttp_addr[5]);
	/* then neither the kernel nor anybody else will look at it again */
	ASSERT_TRUE(WAIT_FOR(!sh("ip -n h1 neigh show 10.9.0.2 dev eth1 |"
				 " grep STALE")));
	ASSERT_EQ(0, sh("ip -n h2 link set eth1 address 02:00:00:00:01:33"));
	EXPECT_TRUE(WAIT_FOR(!resolve("10.9.0.2", 7, 0, &addr) &&
			     addr.sttp_addr[5] == 0x33));
	ASSERT_EQ(0, sh("ip -n h2 link set eth1 address 02:00:00:00:01:02"));
	sh("ip -n h1 neigh flush dev eth1");
}

TEST_F(ttp_libttp, finds_one_of_thousands_of_neighbours)
{
	struct sockaddr_ttp addr = make("2:1:0:0:0:0", if_nametoindex("eth0"), 7);
	char text[64], want[64];
	int i;

	ASSERT_EQ(0, sh("ip -n h1 -batch /tmp/many"));
	for (i = 0; i < 2000; i += 333) {
		addr.sttp_addr[4] = i / 256;
		addr.sttp_addr[5] = i % 256;
		snprintf(want, sizeof(want), "10.0.%d.%d", 100 + i / 256,
			 i % 256);
		EXPECT_EQ(0, to_ip(addr, AF_INET, text));
		EXPECT_STREQ(want, text);
	}
	addr.sttp_addr[1] = 2;
	EXPECT_EQ(-ENOENT, to_ip(addr, AF_INET, text));
	ASSERT_EQ(0, sh("sed -i s/replace/del/ /tmp/many &&"
			" ip -n h1 -batch /tmp/many"));
}

/* ---- names */

/* A name server on h3: "two.dns" is 10.0.0.2, "silent.dns" gets no answer, and
 * there are no others
 */
static void *name_server(void *arg)
{
	static const unsigned char answer[] = {
		0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 10, 0, 0, 2
	};
	struct sockaddr_in from;
	socklen_t len;
	int fd = *(int *)arg;
	unsigned char buf[512];
	ssize_t n;

	for (;;) {
		len = sizeof(from);
		n = recvfrom(fd, buf, sizeof(buf) - sizeof(answer), 0,
			     (void *)&from, &len);
		if (n < 17)
			return NULL;
		if (!memcmp(buf + 12, "\6silent", 7))
			continue;
		buf[2] |= 0x80;		/* an answer */
		buf[3] = 3;		/* no such name */
		if (!memcmp(buf + 12, "\3two\3dns", 9)) {
			buf[3] = 0;
			if (!memcmp(buf + n - 4, "\0\1", 2)) {
				buf[7] = 1;
				memcpy(buf + n, answer, sizeof(answer));
				n += sizeof(answer);
			}
		}
		sendto(fd, buf, n, 0, (void *)&from, len);
	}
}

static int start_name_server(pthread_t *thread, int *fd)
{
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = htons(53),
	};

	enter(3);
	*fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (bind(*fd, (void *)&in, sizeof(in)) ||
	    pthread_create(thread, NULL, name_server, fd))
		return -1;
	enter(1);
	return 0;
}

TEST_F(ttp_libttp, finds_names)
{
	int eth0 = if_nametoindex("eth0"), fd, i;
	struct text texts[] = {
		{ "two.test", make("2:0:0:0:0:2", eth0, 80) },
		{ "two.test%eth0", make("2:0:0:0:0:2", eth0, 80) },
		{ "one.ethers", make("2:0:0:0:0:aa", 0, 80) },
		{ "one.ethers%eth0", make("2:0:0:0:0:aa", eth0, 80) },
		/* in both: that of /etc/ethers */
		{ "both.test", make("2:0:0:0:0:bb", 0, 80) },
		/* the first address is behind a gateway, the second is not */
		{ "several.test", make("2:0:0:0:0:3", eth0, 80) },
		{ "two.dns", make("2:0:0:0:0:2", eth0, 80) },
		{ "2:0:0:0:0:2", make("2:0:0:0:0:2", 0, 80) },
		{ "[2:0:0:0:0:2]:81", make("2:0:0:0:0:2", 0, 81) },
		{ "[2:0:0:0:0:2%eth0]:81", make("2:0:0:0:0:2", eth0, 81) },
	};
	struct sockaddr_ttp addr;
	pthread_t thread;

	ASSERT_EQ(0, start_name_server(&thread, &fd));
	for (i = 0; i < (int)(sizeof(texts) / sizeof(*texts)); i++) {
		memset(&addr, 0xa5, sizeof(addr));
		EXPECT_EQ(0, resolve(texts[i].text, 80, 5000, &addr))
			TH_LOG("%s", texts[i].text);
		EXPECT_TRUE(same_addr(&texts[i].addr, &addr))
			TH_LOG("%s", texts[i].text);
	}
	EXPECT_EQ(-ENOENT, resolve("none.test", 80, 5000, &addr));
	EXPECT_EQ(-ENOENT, resolve("none.test%eth0", 80, 5000, &addr));
	EXPECT_EQ(-ENODEV, resolve("two.test%none", 80, 5000, &addr));
	EXPECT_EQ(-EAGAIN, resolve("silent.dns", 80, 5000, &addr));
	EXPECT_EQ(-EHOSTUNREACH, resolve("behind.test", 80, 5000, &addr));
	EXPECT_EQ(-EHOSTUNREACH, resolve("self.test", 80, 5000, &addr));
	/* of several, the failure that one can do something about */
	EXPECT_EQ(-ETIMEDOUT, resolve("dead.test", 80, 50, &addr));
	shutdown(fd, SHUT_RDWR);
	pthread_join(thread, NULL);
	close(fd);
	/* nobody is there any more */
	EXPECT_EQ(-EAGAIN, resolve("two.dns", 80, 5000, &addr));
}

TEST_F(ttp_libttp, refuses_what_is_no_name)
{
	struct sockaddr_ttp addr, as_it_was;
	char name[2000];
	size_t i;

	memset(&addr, 0xa5, sizeof(addr));
	as_it_was = addr;
	for (i = 0; i < sizeof(malformed) / sizeof(*malformed); i++) {
		/* may be the name of a host, or is an IPv6 address */
		if ((malformed[i][0] && !strpbrk(malformed[i], "[: ")) ||
		    inet_pton(AF_INET6, malformed[i], name) == 1)
			continue;
		EXPECT_EQ(-EINVAL, resolve(malformed[i], 80, 0, &addr))
			TH_LOG("\"%s\"", malformed[i]);
	}
	EXPECT_EQ(-EINVAL, resolve("%eth0", 80, 0, &addr));
	EXPECT_EQ(-EINVAL, resolve("two.test%", 80, 0, &addr));
	EXPECT_EQ(-EINVAL, resolve("two.test:80", 80, 0, &addr));
	EXPECT_EQ(-EINVAL, resolve("10.0.0.2/16", 80, 0, &addr));
	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	EXPECT_EQ(-EINVAL, resolve(name, 80, 0, &addr));
	EXPECT_TRUE(same_addr(&addr, &as_it_was));
}

TEST_HARNESS_MAIN
