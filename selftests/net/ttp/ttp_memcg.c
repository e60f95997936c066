// SPDX-License-Identifier: GPL-2.0
/*
 * Memory groups (cgroups): who pays for messages, and what happens at the limit.
 */
#include "ttp_test.h"

#include <sys/stat.h>

static char buf[MB(1)], in[MB(1)];

/* Files of a group */

static const char *group;

static void path_of(char *path, size_t size, const char *file)
{
	snprintf(path, size, "/sys/fs/cgroup/%s/%s", group, file);
}

static long write_group(const char *file, const char *format, ...)
{
	char path[128], text[32];
	va_list args;
	long ret;
	int fd, n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	path_of(path, sizeof(path), file);
	fd = open(path, O_WRONLY);
	ret = fd < 0 ? -errno : R(write(fd, text, n));
	close(fd);
	return ret < 0 ? ret : 0;
}

/* A number in a file, of this name if there are several */
static long read_group(const char *file, const char *name)
{
	char path[128], word[64];
	long value, found = -1;
	FILE *f;

	path_of(path, sizeof(path), file);
	f = fopen(path, "r");
	if (!f)
		return -errno;
	if (!name) {
		if (fscanf(f, "%ld", &value) == 1)
			found = value;
	} else {
		while (fscanf(f, "%63s %ld", word, &value) == 2)
			if (!strcmp(word, name))
				found = value;
	}
	fclose(f);
	return found;
}

static long current_bytes(void)
{
	return read_group("memory.current", NULL);
}

/* In there from here on: sockets belong to the group that makes them */
static bool join_group(const char *name)
{
	char path[128];

	group = name;
	path_of(path, sizeof(path), "");
	mkdir(path, 0755);
	return !write_group("memory.max", "max") &&
	       !write_group("cgroup.procs", "%d", getpid());
}

static bool step_out(void)
{
	int fd = open("/sys/fs/cgroup/cgroup.procs", O_WRONLY);
	bool ok = fd >= 0 && dprintf(fd, "%d", getpid()) > 0;

	close(fd);
	return ok;
}

static bool leave_group(void)
{
	char path[128];

	path_of(path, sizeof(path), "");
	return step_out() && !rmdir(path);
}

FIXTURE(ttp_memcg) {
	int c;
	int s;
	struct sockaddr_ttp to;
	struct sockaddr_ttp nowhere;
};

FIXTURE_SETUP(ttp_memcg)
{
	self->nowhere = addr_of(0, 7);
	memset(buf, 1, sizeof(buf));	/* all of it is there */
	memset(in, 1, sizeof(in));
	self->s = server(2);
	ASSERT_LE(0, self->s);
	self->to = addr_of(2, port_of(self->s));
}

FIXTURE_TEARDOWN(ttp_memcg)
{
	close(self->s);
}

TEST_F(ttp_memcg, what_is_sent_is_the_senders)
{
	long before;
	int i, c;

	ASSERT_TRUE(join_group("sent"));
	c = sock(1);
	ASSERT_LE(0, c);
	ASSERT_EQ(1, put(c, buf, 1, 0, self->nowhere));
	before = current_bytes();
	ASSERT_LT(0, before);
	for (i = 0; i < 3; i++)
		ASSERT_EQ(MB(1), put(c, buf, MB(1), 0, self->nowhere));
	EXPECT_LE(before + MB(3), current_bytes());
	ASSERT_EQ(0, do_abort(c, 0));
	EXPECT_TRUE(WAIT_FOR(current_bytes() < before + MB(1)));
	close(c);
	EXPECT_TRUE(leave_group());
}

TEST_F(ttp_memcg, rpcs_are_the_senders)
{
	long before;
	int i, c;

	ASSERT_TRUE(join_group("rpcs"));
	c = sock(1);
	ASSERT_EQ(1, put(c, buf, 1, 0, self->nowhere));
	before = current_bytes();
	for (i = 0; i < 2000; i++)
		ASSERT_EQ(1, put(c, buf, 1, 0, self->nowhere));
	EXPECT_LE(before + 2000 * 500, current_bytes());
	close(c);
	EXPECT_TRUE(leave_group());
}

TEST_F(ttp_memcg, at_the_limit_a_send_call_fails)
{
	int i, c[64], n = 0;
	long ret = 0, limit;

	ASSERT_TRUE(join_group("limit"));
	for (i = 0; i < 64; i++)
		c[i] = sock(1);
	limit = current_bytes() + MB(8);
	ASSERT_EQ(0, write_group("memory.max", "%ld", limit));
	for (i = 0; i < 64 && ret >= 0; i++) {
		ret = put(c[i], buf, MB(1), MSG_DONTWAIT, self->nowhere);
		n += ret == MB(1);
	}
	EXPECT_EQ(-ENOBUFS, ret);
	EXPECT_LT(1, n);
	EXPECT_GE(8, n);
	EXPECT_GE(limit, current_bytes());
	EXPECT_EQ(0, read_group("memory.events", "oom_kill"));
	/* It is not for ever */
	for (i = 0; i < n; i++)
		ASSERT_EQ(0, do_abort(c[i], 0));
	EXPECT_TRUE(WAIT_FOR(put(c[63], buf, MB(1), MSG_DONTWAIT,
				 self->nowhere) == MB(1)));
	ASSERT_EQ(0, write_group("memory.max", "max"));
	for (i = 0; i < 64; i++)
		close(c[i]);
	EXPECT_TRUE(leave_group());
}

TEST_F(ttp_memcg, what_is_received_is_the_receivers)
{
	int i, s, c = sock(1);
	struct sockaddr_ttp to;
	long before;

	ASSERT_TRUE(join_group("received"));
	s = server(2);
	to = addr_of(2, port_of(s));
	before = current_bytes();
	for (i = 0; i < 2; i++)
		ASSERT_EQ(MB(1), put(c, buf, MB(1), 0, to));
	EXPECT_TRUE(WAIT_FOR(status_of(s).rcv_bytes == MB(2)));
	EXPECT_TRUE(WAIT_FOR(read_group("memory.stat", "sock") >= MB(2)));
	EXPECT_LE(before + MB(2), current_bytes());
	for (i = 0; i < 2; i++)
		ASSERT_EQ(MB(1), get_len(s));
	close(s);
	EXPECT_TRUE(WAIT_FOR(read_group("memory.stat", "sock") < MB(1)));
	close(c);
	EXPECT_TRUE(leave_group());
}

/* Memory of packets that a socket has */
static long pinned(int fd)
{
	uint32_t mem[9] = {};
	socklen_t len = sizeof(mem);

	getsockopt(fd, SOL_SOCKET, SO_MEMINFO, mem, &len);
	return mem[0];
}

/*
 * What arrives is accepted beyond the limit, as packets of other protocols are,
 * but a socket takes no more than its receive buffer: senders wait.
 */
TEST_F(ttp_memcg, a_receiver_pins_no_more_than_its_buffer)
{
	int i, s, c[20];
	struct sockaddr_ttp to;
	long limit, high = 0;

	ASSERT_EQ(0, sh("ip netns exec h1 ttpctl param set dead-timeout 60s"));
	ASSERT_TRUE(join_group("full"));
	s = server(2);
	ASSERT_EQ(0, set_opt(s, SOL_SOCKET, SO_RCVBUF, KB(200)));
	to = addr_of(2, port_of(s));
	ASSERT_TRUE(step_out());
	for (i = 0; i < 20; i++)
		c[i] = sock(1);
	limit = current_bytes() + KB(64);
	ASSERT_EQ(0, write_group("memory.max", "%ld", limit));
	for (i = 0; i < 20; i++)
		ASSERT_EQ(150000, put(c[i], buf, 150000, 0, to));
	for (i = 0; i < 100; i++) {
		long n = pinned(s);

		high = n > high ? n : high;
		sleep_ms(10);
	}
	EXPECT_LE(150000, high);
	EXPECT_GE(KB(2 * 400), high);	/* packets and what is around them */
	for (i = 0; i < 20; i++) {
		struct got got;

		ASSERT_EQ(150000, get(s, in, sizeof(in), 0, &got));
		ASSERT_EQ(1, put(s, buf, 1, 0, got.from));
	}
	for (i = 0; i < 20; i++) {
		EXPECT_EQ(1, get_len(c[i]));
		close(c[i]);
	}
	EXPECT_EQ(0, read_group("memory.events", "oom_kill"));
	close(s);
	EXPECT_TRUE(leave_group());
}

FIXTURE(ttp_memcg_end) { };
FIXTURE_SETUP(ttp_memcg_end) { }
FIXTURE_TEARDOWN(ttp_memcg_end) { }

TEST_F(ttp_memcg_end, all_is_given_back)
{
	EXPECT_TRUE(quiet(1));
	EXPECT_TRUE(quiet(2));
}

TEST_HARNESS_MAIN
