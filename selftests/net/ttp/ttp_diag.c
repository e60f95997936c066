// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets as others see them: sock_diag, and lists that are read while sockets
 * and RPCs come and go.  Hosts h1 and h2, each with eth0.
 */
#include <stddef.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "diag_nl.h"

#define UID	1234

static int number(const char *name, int otherwise)
{
	return getenv(name) ? atoi(getenv(name)) : otherwise;
}

static struct ttp_diag_req all(void)
{
	return (struct ttp_diag_req) { .sdiag_family = AF_TTP };
}

/* What a question brought: how many, and the last of them */
struct answer {
	int odd;
	struct row row;
};

static void note(const struct row *row, void *arg)
{
	struct answer *answer = arg;

	answer->odd += row->odd;
	answer->row = *row;
}

static long ask(int fd, int type, int flags, const void *req, size_t len,
		struct answer *answer)
{
	struct answer none;
	struct list list = {
		.fd = fd, .fn = note, .arg = answer ? answer : &none,
	};
	long ret;

	memset(list.arg, 0, sizeof(none));
	ret = nl_send(fd, type, flags, req, len);
	if (ret < 0)
		return ret;
	ret = nl_read(&list);
	return ((struct answer *)list.arg)->odd ? -EPROTO : ret;
}

static long dump(int fd, struct ttp_diag_req req, struct answer *answer)
{
	return ask(fd, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, &req, sizeof(req),
		   answer);
}

static struct ttp_diag_req by_cookie(int fd)
{
	struct ttp_diag_req req = all();
	socklen_t len = sizeof(req.tdiag_cookie);

	getsockopt(fd, SOL_SOCKET, SO_COOKIE, req.tdiag_cookie, &len);
	return req;
}

static long look_with(int fd, struct ttp_diag_req req, struct answer *answer)
{
	return ask(fd, SOCK_DIAG_BY_FAMILY, NLM_F_ACK, &req, sizeof(req),
		   answer);
}

static long look(int fd, int sk, struct answer *answer)
{
	return look_with(fd, by_cookie(sk), answer);
}

static long destroy(int fd, int sk)
{
	struct ttp_diag_req req = by_cookie(sk);

	return ask(fd, SOCK_DESTROY, NLM_F_ACK, &req, sizeof(req), NULL);
}

static unsigned long inode(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : st.st_ino;
}

/* Run a function as somebody else; what it returns, up to 255 */
static int as(bool new_userns, int uid, int (*fn)(int sk), int sk)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (new_userns && unshare(CLONE_NEWUSER))
			_exit(254);
		if (uid && setresuid(uid, uid, uid))
			_exit(253);
		_exit(fn(sk));
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
	       WEXITSTATUS(status) : -1;
}

FIXTURE(ttp_diag)
{
	int nl;			/* in h1 */
	int sk;			/* a fresh one in h1 */
	struct answer a;
};

FIXTURE_SETUP(ttp_diag)
{
	self->nl = nl_open(1, NETLINK_SOCK_DIAG);
	self->sk = sock(1);
	ASSERT_LE(0, self->nl);
	ASSERT_LE(0, self->sk);
}

FIXTURE_TEARDOWN(ttp_diag)
{
	close(self->nl);
	close(self->sk);
	EXPECT_TRUE(quiet(1));
	EXPECT_TRUE(quiet(2));
}

/* The module */

static bool loaded(void)
{
	return !access("/sys/module/ttp_diag", F_OK);
}

TEST_F(ttp_diag, asking_loads_the_module)
{
	sh("rmmod ttp_diag");
	ASSERT_FALSE(loaded());
	EXPECT_EQ(1, look(self->nl, self->sk, &self->a));
	EXPECT_TRUE(loaded());
}

TEST_F(ttp_diag, module_stays_while_a_list_is_read)
{
	struct ttp_diag_req req = all();
	struct list list = { .fd = self->nl };
	int fds[200], i;

	for (i = 0; i < 200; i++)
		fds[i] = sock(1);
	ASSERT_LT(0, nl_send(self->nl, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, &req,
			     sizeof(req)));
	EXPECT_NE(0, sh("rmmod ttp_diag"));
	EXPECT_TRUE(loaded());
	EXPECT_EQ(201, nl_read(&list));
	EXPECT_EQ(0, sh("rmmod ttp_diag"));
	EXPECT_FALSE(loaded());

	/* nor does a list that nobody reads to its end keep it for ever */
	ASSERT_LT(0, nl_send(self->nl, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, &req,
			     sizeof(req)));
	EXPECT_NE(0, sh("rmmod ttp_diag"));
	close(self->nl);
	EXPECT_TRUE(WAIT_FOR(!sh("rmmod ttp_diag")));
	for (i = 0; i < 200; i++)
		close(fds[i]);
}

/* Fields */

TEST_F(ttp_diag, fresh_socket)
{
	struct ttp_diag_req req = by_cookie(self->sk);
	struct row *row = &self->a.row;

	ASSERT_EQ(1, look(self->nl, self->sk, &self->a));
	EXPECT_EQ(AF_TTP, row->msg.tdiag_family);
	EXPECT_EQ(SOCK_DGRAM, row->msg.tdiag_type);
	EXPECT_EQ(0, row->msg.tdiag_flags);
	EXPECT_EQ(0, row->msg.tdiag_port);
	EXPECT_EQ(0, row->msg.tdiag_ifindex);
	EXPECT_EQ(0, row->msg.tdiag_peer_port);
	EXPECT_EQ(0, row->msg.tdiag_peer_ifindex);
	EXPECT_EQ(0, row->msg.tdiag_uid);
	EXPECT_EQ((uint32_t)inode(self->sk), row->msg.tdiag_ino);
	EXPECT_EQ(req.tdiag_cookie[0], row->msg.tdiag_cookie[0]);
	EXPECT_EQ(req.tdiag_cookie[1], row->msg.tdiag_cookie[1]);
	EXPECT_EQ(0, row->shutdown);
	EXPECT_EQ(0, row->queues.rpcs_out);
	EXPECT_EQ(0, row->queues.snd_bytes);
	EXPECT_EQ(-1, row->meminfo);
	EXPECT_EQ(-1, row->filter);
}

TEST_F(ttp_diag, bound_and_listening)
{
	int dev = ifindex(1, "eth0");
	struct row *row = &self->a.row;

	ASSERT_EQ(0, bind_to(self->sk, 4711, dev));
	ASSERT_EQ(1, look(self->nl, self->sk, &self->a));
	EXPECT_EQ(TTP_DIAG_BOUND | TTP_DIAG_LISTENING, row->msg.tdiag_flags);
	EXPECT_EQ(htons(4711), row->msg.tdiag_port);
	EXPECT_EQ(dev, row->msg.tdiag_ifindex);
	ASSERT_EQ(0, set_opt(self->sk, SOL_TTP, TTP_LISTEN, 0));
	ASSERT_EQ(1, look(self->nl, self->sk, &self->a));
	EXPECT_EQ(TTP_DIAG_BOUND, row->msg.tdiag_flags);
}

TEST_F(ttp_diag, connected_and_shut_down)
{
	struct sockaddr_ttp to = addr_of(2, 4711);
	struct row *row = &self->a.row;

	ASSERT_EQ(0, connect_to(self->sk, to));
	ASSERT_EQ(1, look(self->nl, self->sk, &self->a));
	EXPECT_EQ(TTP_DIAG_BOUND | TTP_DIAG_CONNECTED, row->msg.tdiag_flags);
	EXPECT_EQ(htons(4711), row->msg.tdiag_peer_port);
	EXPECT_EQ(ifindex(1, "eth0"), row->msg.tdiag_peer_ifindex);
	EXPECT_EQ(0, memcmp(to.sttp_addr, row->msg.tdiag_peer_addr, 6));
	EXPECT_EQ(htons(port_of(self->sk)), row->msg.tdiag_port);

	shutdown(self->sk, SHUT_WR);
	ASSERT_EQ(1, look(self->nl, self->sk, &self->a));
	EXPECT_EQ(2, row->shutdown);
	shutdown(self->sk, SHUT_RD);
	ASSERT_EQ(1, look(self->nl, self->sk, &self->a));
	EXPECT_EQ(3, row->shutdown);

	to.sttp_family = AF_UNSPEC;
	ASSERT_EQ(0, connect_to(self->sk, to));
	ASSERT_EQ(1, look(self->nl, self->sk, &self->a));
	EXPECT_EQ(TTP_DIAG_BOUND, row->msg.tdiag_flags);
	EXPECT_EQ(0, row->msg.tdiag_peer_port);
	EXPECT_EQ(0, row->msg.tdiag_peer_addr[5]);
}

TEST_F(ttp_diag, rpcs_and_bytes)
{
	int nl2 = nl_open(2, NETLINK_SOCK_DIAG), server_fd = server(2);
	struct row *row = &self->a.row;
	struct sockaddr_ttp from;
	char buf[1000] = {};

	ASSERT_EQ(1000, put(self->sk, buf, 1000, 0,
			    addr_of(2, port_of(server_fd))));
	ASSERT_TRUE(WAIT_FOR(inq(server_fd) == 1000));
	ASSERT_EQ(1, look(self->nl, self->sk, &self->a));
	EXPECT_EQ(1, row->queues.rpcs_out);
	EXPECT_EQ(0, row->queues.rpcs_in);
	EXPECT_EQ(0, row->queues.ready);
	ASSERT_EQ(1, look(nl2, server_fd, &self->a));
	EXPECT_EQ(0, row->queues.rpcs_out);
	EXPECT_EQ(1, row->queues.rpcs_in);
	EXPECT_EQ(1, row->queues.ready);
	EXPECT_EQ(1000, row->queues.rcv_bytes);

	from = get_request(server_fd);
	ASSERT_EQ(1, look(nl2, server_fd, &self->a));
	EXPECT_EQ(1, row->queues.rpcs_in);
	EXPECT_EQ(0, row->queues.ready);
	EXPECT_EQ(0, row->queues.rcv_bytes);
	ASSERT_EQ(10, put(server_fd, buf, 10, 0, from));
	ASSERT_TRUE(WAIT_FOR(inq(self->sk) == 10));
	ASSERT_EQ(1, look(self->nl, self->sk, &self->a));
	EXPECT_EQ(1, row->queues.ready);
	EXPECT_EQ(10, row->queues.rcv_bytes);
	EXPECT_EQ(10, get_len(self->sk));
	close(server_fd);

	/* nobody acknowledges this */
	ASSERT_EQ(1000, put(self->sk, buf, 1000, 0, addr_of(0, 1)));
	ASSERT_EQ(1, look(self->nl, self->sk, &self->a));
	EXPECT_EQ(1000, row->queues.snd_bytes);
	close(nl2);
}

TEST_F(ttp_diag, attributes_on_demand)
{
	struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, 4242) };
	struct sock_fprog prog = { 1, code };
	struct ttp_diag_req req = by_cookie(self->sk);
	struct row *row = &self->a.row;

	req.tdiag_show = TTP_DIAG_SHOW_MEMINFO | TTP_DIAG_SHOW_FILTER;
	ASSERT_EQ(1, look_with(self->nl, req, &self->a));
	EXPECT_LE(SK_MEMINFO_DROPS + 1, row->meminfo);
	EXPECT_EQ(get_opt(self->sk, SOL_SOCKET, SO_RCVBUF), row->rcvbuf);
	EXPECT_EQ(-1, row->filter);
	ASSERT_EQ(0, setsockopt(self->sk, SOL_SOCKET, SO_ATTACH_FILTER, &prog,
				sizeof(prog)));
	ASSERT_EQ(1, look_with(self->nl, req, &self->a));
	EXPECT_EQ(sizeof(code), row->filter);
	EXPECT_EQ(4242, row->first.k);
	req = all();
	req.tdiag_show = TTP_DIAG_SHOW_FILTER;
	ASSERT_EQ(1, dump(self->nl, req, &self->a));
	EXPECT_EQ(sizeof(code), row->filter);
	EXPECT_EQ(-1, row->meminfo);
}

TEST_F(ttp_diag, longest_filter_fits)
{
	static struct sock_filter code[BPF_MAXINSNS];
	struct sock_fprog prog = { BPF_MAXINSNS, code };
	struct ttp_diag_req req = all();
	int i;

	for (i = 0; i < BPF_MAXINSNS; i++)
		code[i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, i);
	/* of all namespaces in some kernels, of each in others */
	for (i = 0; i < 2; i++) {
		enter(i);
		sh("{ echo 1000000 >/proc/sys/net/core/optmem_max; }");
	}
	ASSERT_EQ(0, setsockopt(self->sk, SOL_SOCKET, SO_ATTACH_FILTER, &prog,
				sizeof(prog)));
	req.tdiag_show = TTP_DIAG_SHOW_FILTER;
	ASSERT_EQ(1, dump(self->nl, req, &self->a));
	EXPECT_EQ(sizeof(code), self->a.row.filter);
	req = by_cookie(self->sk);
	req.tdiag_show = TTP_DIAG_SHOW_FILTER;
	ASSERT_EQ(1, look_with(self->nl, req, &self->a));
	EXPECT_EQ(sizeof(code), self->a.row.filter);
}

/* Which sockets */

TEST_F(ttp_diag, only_those_that_match)
{
	int dev = ifindex(1, "eth0"), i, j;
	struct ttp_diag_req req;
	int fd[4];
	static const struct {
		uint32_t match;
		uint16_t mask, flags;
		int port, dev, uid;
		int count, which;
	} tests[] = {
		{ 0, 0, 0, 0, 0, 0, 5, -1 },
		{ TTP_DIAG_MATCH_PORT, 0, 0, 901, 0, 0, 1, 1 },
		{ TTP_DIAG_MATCH_PORT, 0, 0, 0, 0, 0, 2, -1 },
		{ TTP_DIAG_MATCH_PORT, 0, 0, 9999, 0, 0, 0, -1 },
		{ TTP_DIAG_MATCH_IFINDEX, 0, 0, 0, 1, 0, 1, 2 },
		{ TTP_DIAG_MATCH_IFINDEX, 0, 0, 0, 0, 0, 4, -1 },
		{ TTP_DIAG_MATCH_UID, 0, 0, 0, 0, UID, 1, 0 },
		{ TTP_DIAG_MATCH_UID, 0, 0, 0, 0, 0, 4, -1 },
		{ TTP_DIAG_MATCH_UID | TTP_DIAG_MATCH_PORT, 0, 0, 902, 0, UID,
		  0, -1 },
		{ TTP_DIAG_MATCH_UID | TTP_DIAG_MATCH_PORT |
		  TTP_DIAG_MATCH_IFINDEX, 0, 0, 902, 1, 0, 1, 2 },
		{ 0, 1, 1, 0, 0, 0, 3, -1 },
		{ 0, 1, 0, 0, 0, 0, 2, -1 },
		{ 0, 2, 2, 0, 0, 0, 2, -1 },
		{ 0, 3, 1, 0, 0, 0, 1, 3 },
		{ 0, 4, 4, 0, 0, 0, 1, 3 },
		{ 0, 6, 6, 0, 0, 0, 0, -1 },
		{ 0, 0, 0, 0, 0, -1, 1, -1 },	/* -1: the cookie of the first */
	};

	/* by another user; a server; one of a device; a client */
	ASSERT_EQ(0, seteuid(UID));
	fd[0] = socket(AF_TTP, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ASSERT_EQ(0, seteuid(0));
	for (i = 1; i < 4; i++)
		fd[i] = sock(1);
	ASSERT_EQ(0, bind_to(fd[1], 901, 0));
	ASSERT_EQ(0, bind_to(fd[2], 902, dev));
	ASSERT_EQ(0, connect_to(fd[3], addr_of(2, 1)));
	for (j = 0; j < (int)ARRAY_SIZE(tests); j++) {
		req = tests[j].uid < 0 ? by_cookie(fd[0]) : all();
		req.tdiag_match = tests[j].match;
		req.tdiag_mask = tests[j].mask;
		req.tdiag_flags = tests[j].flags;
		req.tdiag_port = htons(tests[j].port);
		req.tdiag_ifindex = tests[j].dev ? dev : 0;
		req.tdiag_uid = tests[j].uid < 0 ? 0 : tests[j].uid;
		EXPECT_EQ(tests[j].count, dump(self->nl, req, &self->a))
			TH_LOG("test %d", j);
		if (tests[j].which >= 0)
			EXPECT_EQ((uint32_t)inode(fd[tests[j].which]),
				  self->a.row.msg.tdiag_ino)
				TH_LOG("test %d", j);
	}
	for (i = 0; i < 4; i++)
		close(fd[i]);
}

TEST_F(ttp_diag, filter_holds_for_one_by_cookie)
{
	struct ttp_diag_req req = by_cookie(self->sk);

	req.tdiag_mask = TTP_DIAG_BOUND;
	EXPECT_EQ(1, look_with(self->nl, req, &self->a));
	req.tdiag_flags = TTP_DIAG_BOUND;
	EXPECT_EQ(-ENOENT, look_with(self->nl, req, &self->a));
}

/* Over several rounds of the walk */
TEST_F(ttp_diag, few_among_many)
{
	struct ttp_diag_req req = all();
	int fds[1000], i;

	for (i = 0; i < 1000; i++)
		fds[i] = sock(1);
	ASSERT_EQ(0, bind_to(fds[0], 901, 0));
	ASSERT_EQ(0, bind_to(fds[999], 902, 0));
	req.tdiag_mask = TTP_DIAG_BOUND;
	req.tdiag_flags = TTP_DIAG_BOUND;
	EXPECT_EQ(2, dump(self->nl, req, &self->a));
	EXPECT_EQ(902, self->a.row.port);
	EXPECT_EQ(1, look(self->nl, fds[999], &self->a));
	EXPECT_EQ(902, self->a.row.port);
	for (i = 0; i < 1000; i++)
		close(fds[i]);
	EXPECT_EQ(1, dump(self->nl, all(), &self->a));
}

TEST_F(ttp_diag, wrong_requests)
{
	static const struct {
		size_t at, size;
		uint64_t value;
	} wrong[] = {
		{ offsetof(struct ttp_diag_req, sdiag_protocol), 1, 1 },
		{ offsetof(struct ttp_diag_req, tdiag_port), 2, 5 },
		{ offsetof(struct ttp_diag_req, tdiag_match), 4, 8 },
		{ offsetof(struct ttp_diag_req, tdiag_match), 4, 1U << 31 },
		{ offsetof(struct ttp_diag_req, tdiag_show), 4, 4 },
		{ offsetof(struct ttp_diag_req, tdiag_show), 4, 1U << 31 },
		{ offsetof(struct ttp_diag_req, tdiag_flags), 2, 1 },
		{ offsetof(struct ttp_diag_req, tdiag_mask), 2, 8 },
		{ offsetof(struct ttp_diag_req, tdiag_mask), 2, 1 << 15 },
		{ offsetof(struct ttp_diag_req, tdiag_ifindex), 4, 5 },
		{ offsetof(struct ttp_diag_req, tdiag_ifindex), 4, -1U },
		{ offsetof(struct ttp_diag_req, tdiag_uid), 4, 5 },
		{ offsetof(struct ttp_diag_req, tdiag_reserved), 4, 1 },
		{ offsetof(struct ttp_diag_req, tdiag_reserved) + 4, 4, 1 },
	};
	char buf[sizeof(struct ttp_diag_req) + 8] = { AF_TTP };
	struct ttp_diag_req req;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		req = all();
		memcpy((char *)&req + wrong[i].at, &wrong[i].value,
		       wrong[i].size);
		EXPECT_EQ(-EINVAL, dump(self->nl, req, NULL))
			TH_LOG("wrong %u", i);
		req = by_cookie(self->sk);
		memcpy((char *)&req + wrong[i].at, &wrong[i].value,
		       wrong[i].size);
		EXPECT_EQ(-EINVAL, look_with(self->nl, req, NULL))
			TH_LOG("wrong %u", i);
		EXPECT_EQ(-EINVAL, ask(self->nl, SOCK_DESTROY, NLM_F_ACK, &req,
				       sizeof(req), NULL));
	}
	for (i = 0; i <= sizeof(buf); i++)
		if (i != sizeof(req))
			EXPECT_EQ(-EINVAL, ask(self->nl, SOCK_DIAG_BY_FAMILY,
					       NLM_F_DUMP | NLM_F_ACK, buf, i,
					       NULL))
				TH_LOG("%u bytes", i);
	/* which one? */
	EXPECT_EQ(-EINVAL, look_with(self->nl, all(), NULL));
	req = all();
	EXPECT_EQ(-EINVAL, ask(self->nl, SOCK_DESTROY, NLM_F_ACK, &req,
			       sizeof(req), NULL));
	req.tdiag_cookie[1] = 77;
	EXPECT_EQ(-ENOENT, look_with(self->nl, req, NULL));
	req.sdiag_family = AF_ECONET;
	EXPECT_EQ(-ENOENT, dump(self->nl, req, NULL));
	req.sdiag_family = 255;
	EXPECT_EQ(-EINVAL, dump(self->nl, req, NULL));
	EXPECT_EQ(1, dump(self->nl, all(), NULL));
}

TEST_F(ttp_diag, other_namespaces_are_not_seen)
{
	int nl2 = nl_open(2, NETLINK_SOCK_DIAG);

	EXPECT_EQ(0, dump(nl2, all(), NULL));
	EXPECT_EQ(-ENOENT, look(nl2, self->sk, NULL));
	EXPECT_EQ(-ENOENT, destroy(nl2, self->sk));
	EXPECT_EQ(1, dump(self->nl, all(), NULL));
	/* the netlink socket's namespace counts, not the process's */
	enter(2);
	EXPECT_EQ(1, dump(self->nl, all(), NULL));
	close(nl2);
}

/* What an ordinary user sees of root's socket; 0 if all is as it should be */
static int stranger(int sk)
{
	struct ttp_diag_req req = by_cookie(sk);
	int nl = R(socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG));
	struct answer a;

	if (nl < 0)
		return 1;
	req.tdiag_show = TTP_DIAG_SHOW_FILTER | TTP_DIAG_SHOW_MEMINFO;
	if (look_with(nl, req, &a) != 1)
		return 2;
	if (a.row.msg.tdiag_uid || a.row.meminfo < 1)
		return 3;
	if (a.row.filter)		/* there is one, which he must not see */
		return 4;
	if (destroy(nl, sk) != -EPERM)
		return 5;
	return 0;
}

/* The same in a user namespace where no uid is known */
static int foreigner(int sk)
{
	struct ttp_diag_req req = by_cookie(sk);
	int nl = R(socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG));
	struct answer a;

	if (look(nl, sk, &a) != 1)
		return 1;
	if (a.row.msg.tdiag_uid != 65534)
		return 2;
	req.tdiag_match = TTP_DIAG_MATCH_UID;	/* root is nobody here */
	if (look_with(nl, req, &a) != -ENOENT)
		return 3;
	req.tdiag_uid = 65534;
	if (look_with(nl, req, &a) != -ENOENT)
		return 4;
	return destroy(nl, sk) == -EPERM ? 0 : 5;
}

TEST_F(ttp_diag, other_users_see_but_do_not_touch)
{
	struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, 4242) };
	struct sock_fprog prog = { 1, code };

	ASSERT_EQ(0, setsockopt(self->sk, SOL_SOCKET, SO_ATTACH_FILTER, &prog,
				sizeof(prog)));
	close(self->nl);
	self->nl = -1;
	enter(1);
	EXPECT_EQ(0, as(true, 0, foreigner, self->sk));
	EXPECT_EQ(0, as(false, UID, stranger, self->sk));
}

/* SOCK_DESTROY */

TEST_F(ttp_diag, destroyed_client)
{
	int server_fd = server(2);
	struct sockaddr_ttp to = addr_of(2, port_of(server_fd)), from;
	struct got got;
	char buf[10];

	ASSERT_EQ(0, set_opt(self->sk, SOL_TTP, TTP_RECVINFO, 1));
	/* one is answered, one is not, one is one-way to nobody */
	ASSERT_EQ(1, put(self->sk, "a", 1, 0, to));
	from = get_request(server_fd);
	ASSERT_EQ(2, put(server_fd, "xy", 2, 0, from));
	ASSERT_TRUE(WAIT_FOR(inq(self->sk) == 2));
	ASSERT_EQ(1, put_how(self->sk, "b", 1, to,
			     (struct ttp_send) { .cookie = 5 }));
	from = get_request(server_fd);
	ASSERT_EQ(1, put_how(self->sk, "c", 1, addr_of(0, 1), (struct ttp_send) {
			     .cookie = 6, .flags = TTP_F_ONEWAY }));

	ASSERT_EQ(0, destroy(self->nl, self->sk));
	EXPECT_EQ(2, get(self->sk, buf, sizeof(buf), 0, &got));
	EXPECT_EQ(TTP_KIND_RESPONSE, got.info.kind);
	EXPECT_EQ(0, get(self->sk, buf, sizeof(buf), 0, &got));
	EXPECT_EQ(ECONNABORTED, got.info.error);
	EXPECT_EQ(5, got.info.cookie);
	EXPECT_EQ(0, get(self->sk, buf, sizeof(buf), 0, &got));
	EXPECT_EQ(ECONNABORTED, got.info.error);
	EXPECT_EQ(6, got.info.cookie);
	EXPECT_EQ(0, get(self->sk, buf, sizeof(buf), 0, &got));
	EXPECT_FALSE(got.has_info);
	EXPECT_EQ(-EPIPE, put(self->sk, "d", 1, MSG_NOSIGNAL, to));
	EXPECT_EQ(POLL_ALL & ~POLLERR, events(self->sk));
	EXPECT_EQ(0, get_opt(self->sk, SOL_SOCKET, SO_ERROR));
	EXPECT_EQ(0, outq(self->sk));

	/* the server is told */
	EXPECT_TRUE(WAIT_FOR(put(server_fd, "z", 1, 0, from) == -ECONNRESET));
	ASSERT_EQ(1, look(self->nl, self->sk, &self->a));
	EXPECT_EQ(3, self->a.row.shutdown);
	EXPECT_EQ(0, self->a.row.queues.rpcs_out);
	EXPECT_EQ(0, destroy(self->nl, self->sk));
	close(server_fd);
}

TEST_F(ttp_diag, destroyed_server)
{
	int unread = sock(2), unanswered = sock(2), late = sock(2);
	int answered = sock(2);
	struct sockaddr_ttp to, from;

	ASSERT_EQ(0, bind_to(self->sk, 0, 0));
	to = addr_of(1, port_of(self->sk));
	ASSERT_EQ(1, put(unanswered, "a", 1, 0, to));
	get_request(self->sk);
	ASSERT_EQ(1, put(answered, "b", 1, 0, to));
	from = get_request(self->sk);
	ASSERT_EQ(1, put(unread, "c", 1, 0, to));
	ASSERT_TRUE(WAIT_FOR(inq(self->sk) == 1));
	ASSERT_EQ(3, put(self->sk, "xyz", 3, 0, from));

	ASSERT_EQ(0, destroy(self->nl, self->sk));
	EXPECT_EQ(0, get_len(self->sk));
	EXPECT_EQ(-ECONNRESET, get_len(unread));
	EXPECT_EQ(-ECONNRESET, get_len(unanswered));
	EXPECT_EQ(3, get_len(answered));
	ASSERT_EQ(1, put(late, "d", 1, 0, to));
	EXPECT_EQ(-ECONNREFUSED, get_len(late));
	close(unread);
	close(unanswered);
	close(answered);
	close(late);
}

TEST_F(ttp_diag, destroying_wakes_all_sleepers)
{
	struct job recv1 = { .fn = job_recv, .fd = self->sk };
	struct job recv2 = recv1;
	struct job send = {
		.fn = job_send, .fd = self->sk, .len = KB(64),
		.addr = addr_of(0, 1),
	};
	long failures = 0;

	signal(SIGPIPE, SIG_IGN);
	ASSERT_EQ(0, set_opt(self->sk, SOL_SOCKET, SO_SNDBUF, KB(8)));
	ASSERT_EQ(10000, put(self->sk, calloc(1, 10000), 10000, 0,
			     addr_of(0, 1)));
	ASSERT_TRUE(job_start_sleeping(&send));
	ASSERT_TRUE(job_start_sleeping(&recv1));
	ASSERT_TRUE(job_start_sleeping(&recv2));
	ASSERT_EQ(0, destroy(self->nl, self->sk));
	EXPECT_EQ(-EPIPE, job_end(&send));
	job_end(&recv1);
	job_end(&recv2);
	failures += recv1.ret == -ECONNABORTED;
	failures += recv2.ret == -ECONNABORTED;
	failures += get_len(self->sk) == -ECONNABORTED;
	EXPECT_EQ(1, failures);
	EXPECT_EQ(0, get_len(self->sk));
}

/* Returns how many messages were sent */
static long job_send_on(struct job *job)
{
	static char buf[8000];
	long n = 0;

	while (put(job->fd, buf, job->len, 0, job->addr) == (long)job->len)
		n++;
	return n;
}

/* Many, while others send: each is over, and none is forgotten */
TEST_F(ttp_diag, destroying_among_senders)
{
	int server_fd = server(2), i, n = 200, failed = 0;
	struct sockaddr_ttp to = addr_of(2, port_of(server_fd));
	struct job job[4];
	long ret;

	for (i = 0; i < 200; i++)
		ASSERT_EQ(1, put(self->sk, "a", 1, 0, to));
	signal(SIGPIPE, SIG_IGN);
	for (i = 0; i < 4; i++) {
		job[i] = (struct job) { .fn = job_send_on, .fd = self->sk,
					.len = 8000, .addr = to };
		job_start(&job[i]);
	}
	ASSERT_EQ(0, destroy(self->nl, self->sk));
	for (i = 0; i < 4; i++)
		n += job_end(&job[i]);
	while ((ret = get_len(self->sk)) == -ECONNABORTED)
		failed++;
	EXPECT_EQ(0, ret);
	EXPECT_EQ(n, failed);
	close(server_fd);
}

/* Lists while things come and go */

FIXTURE(ttp_diag_churn)
{
	struct rlimit limit;
	int living, others;	/* how many */
	int *fds;		/* the living and others in turn */
	unsigned long *inos;	/* of the living */
	int *seen;		/* how often each was */
	int odd;
	bool thread_ends;
	pthread_t thread;
	unsigned int random;
};

FIXTURE_SETUP(ttp_diag_churn)
{
	struct rlimit more = { 100000, 100000 };
	int i, n = number("SOCKETS", 20000);

	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &self->limit));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &more));
	self->living = n / 2;
	self->others = n / 2;
	self->fds = calloc(n, sizeof(int));
	self->inos = calloc(n / 2, sizeof(long));
	self->seen = calloc(n / 2, sizeof(int));
	self->random = 1;
	enter(1);
	for (i = 0; i < n; i++) {
		self->fds[i] = socket(AF_TTP, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		ASSERT_LE(0, self->fds[i]);
		if (i % 2 == 0)
			self->inos[i / 2] = inode(self->fds[i]);
	}
}

FIXTURE_TEARDOWN(ttp_diag_churn)
{
	int i;

	for (i = 0; i < self->living + self->others; i++)
		close(self->fds[i]);
	setrlimit(RLIMIT_NOFILE, &self->limit);
	EXPECT_TRUE(quiet(1));
}

/* Inodes grow from one socket to the next, until they begin again */
static int which(const FIXTURE_DATA(ttp_diag_churn) *self, unsigned long ino)
{
	int low = 0, high = self->living - 1;

	while (low < high) {
		int middle = (low + high) / 2;

		if (self->inos[middle] < ino)
			low = middle + 1;
		else
			high = middle;
	}
	return self->inos[low] == ino ? low : -1;
}

static void churn_row(const struct row *row, void *arg)
{
	FIXTURE_DATA(ttp_diag_churn) *self = arg;
	int i = which(self, row->ino);

	self->odd += row->odd || !row->ino;
	if (i >= 0)
		self->seen[i]++;
}

/* Close one of the others, and open a new one */
static void churn_one(FIXTURE_DATA(ttp_diag_churn) *self, int first, int count)
{
	unsigned int random = __atomic_add_fetch(&self->random, 1,
						 __ATOMIC_RELAXED);
	int i = first + random * 2654435761U / 16 % count;

	close(self->fds[2 * i + 1]);
	self->fds[2 * i + 1] = socket(AF_TTP, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (self->fds[2 * i + 1] < 0)
		abort();
}

/* Half of them here, half of them in a thread */
static void churn(void *arg)
{
	FIXTURE_DATA(ttp_diag_churn) *self = arg;
	int i;

	for (i = 0; i < 20; i++)
		churn_one(self, 0, self->others / 2);
}

static void *churn_thread(void *arg)
{
	FIXTURE_DATA(ttp_diag_churn) *self = arg;

	while (!__atomic_load_n(&self->thread_ends, __ATOMIC_ACQUIRE)) {
		churn_one(self, self->others / 2, self->others / 2);
		usleep(1);
	}
	return NULL;
}

/*
 * How many of the living were not seen exactly once; @list->fd has asked.  There
 * is an end, although new ones come all the time.
 */
static int churn_read(FIXTURE_DATA(ttp_diag_churn) *self, struct list *list)
{
	int i, wrong = 0;
	long rows;

	list->fn = churn_row;
	list->between = churn;
	list->arg = self;
	self->thread_ends = false;
	memset(self->seen, 0, self->living * sizeof(int));
	if (pthread_create(&self->thread, NULL, churn_thread, self))
		return -1;
	rows = nl_read(list);
	__atomic_store_n(&self->thread_ends, true, __ATOMIC_RELEASE);
	pthread_join(self->thread, NULL);
	for (i = 0; i < self->living; i++)
		wrong += self->seen[i] != 1;
	if (rows < self->living || rows > self->living + self->others)
		return rows < 0 ? rows : -1;
	return wrong;
}

TEST_F_TIMEOUT(ttp_diag_churn, genl_has_each_living_socket_once, 300)
{
	struct list list = {};
	int family = 0, round;

	list.fd = genl_open(1, &family);
	ASSERT_NE(0, family);
	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, genl_dump(list.fd, family, TTP_CMD_SOCK_GET));
		EXPECT_EQ(0, churn_read(self, &list));
		EXPECT_EQ(0, self->odd);
		EXPECT_FALSE(list.interrupted);
	}
	TH_LOG("%d parts", list.parts);
	close(list.fd);
}

TEST_F_TIMEOUT(ttp_diag_churn, sock_diag_has_each_living_socket_once, 300)
{
	struct list list = { .fd = nl_open(1, NETLINK_SOCK_DIAG) };
	struct ttp_diag_req req = all();
	int round;

	for (round = 0; round < 3; round++) {
		ASSERT_LT(0, nl_send(list.fd, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP,
				     &req, sizeof(req)));
		EXPECT_EQ(0, churn_read(self, &list));
		EXPECT_EQ(0, self->odd);
		EXPECT_FALSE(list.interrupted);
	}
	TH_LOG("%d parts", list.parts);
	close(list.fd);
}

/* RPCs to nobody, a socket each: some end while they are listed */

#define RPCS	380	/* a table of 512 */
#define LIVING	170	/* no reason to shrink it */
#define MORE	400	/* these make it grow */

FIXTURE(ttp_diag_rpcs)
{
	int family;
	struct list list;
	int fds[RPCS + MORE];
	int seen[65536];
};

static int rpc_to_nobody(void)
{
	struct sockaddr_ttp to = addr_of(0, 1);
	int fd = socket(AF_TTP, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return put(fd, "x", 1, 0, to) == 1 ? fd : -1;
}

static void rpc_row(const struct row *row, void *arg)
{
	FIXTURE_DATA(ttp_diag_rpcs) *self = arg;

	self->seen[row->port & 65535]++;
}

FIXTURE_SETUP(ttp_diag_rpcs)
{
	int i;

	memset(self->fds, -1, sizeof(self->fds));
	ASSERT_EQ(0, sh("ip netns exec h1 ttpctl param set dead-timeout 100s"));
	self->list.fd = genl_open(1, &self->family);
	self->list.fn = rpc_row;
	self->list.arg = self;
	enter(1);
	for (i = 0; i < RPCS; i++) {
		self->fds[i] = rpc_to_nobody();
		ASSERT_LE(0, self->fds[i]);
	}
	sleep_ms(50);	/* a worker makes the table grow */
}

FIXTURE_TEARDOWN(ttp_diag_rpcs)
{
	int i;

	for (i = 0; i < RPCS + MORE; i++)
		close(self->fds[i]);
	close(self->list.fd);
	sh("ip netns exec h1 ttpctl param set dead-timeout 1s");
	EXPECT_TRUE(quiet(1));
}

/*
 * The living are the first of the sockets.  Half of the others are replaced,
 * which takes the one that would have come next, and changes what is before it
 * in its bucket.
 */
static void rpc_replace_others(void *arg)
{
	FIXTURE_DATA(ttp_diag_rpcs) *self = arg;
	int i;

	for (i = LIVING + self->list.parts % 2; i < RPCS; i += 2) {
		close(self->fds[i]);
		self->fds[i] = rpc_to_nobody();
	}
}

TEST_F_TIMEOUT(ttp_diag_rpcs, each_living_rpc_once, 300)
{
	int i, round, wrong = 0;

	for (round = 0; round < number("ROUNDS", 60); round++) {
		memset(self->seen, 0, sizeof(self->seen));
		self->list.between = rpc_replace_others;
		ASSERT_EQ(0, genl_dump(self->list.fd, self->family,
				       TTP_CMD_RPC_GET));
		ASSERT_LE(LIVING, nl_read(&self->list));
		EXPECT_FALSE(self->list.interrupted);
		for (i = 0; i < LIVING; i++)
			wrong += self->seen[port_of(self->fds[i])] != 1;
	}
	EXPECT_EQ(0, wrong);
	EXPECT_LE(10 * round, self->list.parts);
}

static void rpc_begin_more(void *arg)
{
	FIXTURE_DATA(ttp_diag_rpcs) *self = arg;
	int i;

	if (self->list.parts != 1)
		return;
	for (i = RPCS; i < RPCS + MORE; i++)
		self->fds[i] = rpc_to_nobody();
	sleep_ms(50);
}

TEST_F(ttp_diag_rpcs, resized_table_is_told)
{
	int i, ports[RPCS];

	for (i = 0; i < RPCS; i++)
		ports[i] = port_of(self->fds[i]);
	self->list.between = rpc_begin_more;
	ASSERT_EQ(0, genl_dump(self->list.fd, self->family, TTP_CMD_RPC_GET));
	ASSERT_LE(RPCS, nl_read(&self->list));
	EXPECT_TRUE(self->list.interrupted);
	for (i = 0; i < RPCS; i++)
		EXPECT_LE(1, self->seen[ports[i]]);

	/* and the next one is sound again */
	self->list.interrupted = false;
	self->list.between = NULL;
	memset(self->seen, 0, sizeof(self->seen));
	ASSERT_EQ(0, genl_dump(self->list.fd, self->family, TTP_CMD_RPC_GET));
	EXPECT_EQ(RPCS + MORE, nl_read(&self->list));
	EXPECT_FALSE(self->list.interrupted);
	for (i = 0; i < RPCS; i++)
		EXPECT_EQ(1, self->seen[ports[i]]);
}

TEST_HARNESS_MAIN
