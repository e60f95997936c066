// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers, layouts, addresses, ports and devices.  Host h1 has eth0 (to h2)
 * and eth1 (to h3) enabled.
 */
#include "contract.h"

#include <linux/genetlink.h>
#include <linux/netlink.h>

#define ETH1_OF_H1 11		/* its MAC address, for addr_of() */

/* The same for 32-bit programs: this is compiled for both */
#define IS_AT(type, field, at, size)					\
	_Static_assert(offsetof(struct type, field) == (at) &&		\
		       sizeof(((struct type *)0)->field) == (size), #field)
IS_AT(sockaddr_ttp, sttp_family, 0, 2);
IS_AT(sockaddr_ttp, sttp_port, 2, 2);
IS_AT(sockaddr_ttp, sttp_ifindex, 4, 4);
IS_AT(sockaddr_ttp, sttp_addr, 8, 6);
IS_AT(sockaddr_ttp, sttp_pad, 14, 2);
IS_AT(sockaddr_ttp, sttp_rpc, 16, 8);
IS_AT(sockaddr_ttp, sttp_reserved, 24, 8);
_Static_assert(sizeof(struct sockaddr_ttp) == 32, "sockaddr_ttp");
IS_AT(ttp_send, cookie, 0, 8);
IS_AT(ttp_send, flags, 8, 4);
IS_AT(ttp_send, timeout_ms, 12, 4);
_Static_assert(sizeof(struct ttp_send) == 16, "ttp_send");
IS_AT(ttp_info, cookie, 0, 8);
IS_AT(ttp_info, length, 8, 4);
IS_AT(ttp_info, error, 12, 4);
IS_AT(ttp_info, kind, 16, 1);
IS_AT(ttp_info, level, 17, 1);
IS_AT(ttp_info, pad, 18, 2);
IS_AT(ttp_info, rtt_us, 20, 4);
_Static_assert(sizeof(struct ttp_info) == 24, "ttp_info");
IS_AT(ttp_status, rpcs_out, 0, 4);
IS_AT(ttp_status, rpcs_in, 4, 4);
IS_AT(ttp_status, rcv_bytes, 8, 8);
IS_AT(ttp_status, snd_bytes, 16, 8);
IS_AT(ttp_status, srtt_us, 24, 4);
IS_AT(ttp_status, window, 28, 4);
IS_AT(ttp_status, peer_epoch, 32, 4);
IS_AT(ttp_status, flags, 36, 4);
_Static_assert(sizeof(struct ttp_status) == 40, "ttp_status");

static char buf[65536];

TEST(numbers)
{
	EXPECT_EQ(18, AF_TTP);
	EXPECT_EQ(18, PF_TTP);
	EXPECT_EQ(289, SOL_TTP);
	EXPECT_EQ(0x88B5, TTP_ETHERTYPE);
	EXPECT_EQ(1, TTP_RECVINFO);
	EXPECT_EQ(2, TTP_LISTEN);
	EXPECT_EQ(3, TTP_MAX_MSG);
	EXPECT_EQ(4, TTP_TIMEOUT_MS);
	EXPECT_EQ(5, TTP_PRIORITY);
	EXPECT_EQ(6, TTP_ABORT);
	EXPECT_EQ(7, TTP_STATUS);
	EXPECT_EQ(8, TTP_ZEROCOPY);
	EXPECT_EQ(1, TTP_SEND);
	EXPECT_EQ(2, TTP_INFO);
	EXPECT_EQ(1, TTP_F_ONEWAY);
	EXPECT_EQ(2, TTP_F_IDEMPOTENT);
	EXPECT_EQ(4, TTP_F_NOTIFY);
	EXPECT_EQ(1, TTP_KIND_REQUEST);
	EXPECT_EQ(2, TTP_KIND_RESPONSE);
	EXPECT_EQ(3, TTP_KIND_ONEWAY);
	EXPECT_EQ(4, TTP_KIND_COMPLETION);
	EXPECT_EQ(5, TTP_KIND_FAILURE);
	EXPECT_EQ(1, TTP_STATUS_PEER_KNOWN);
	EXPECT_EQ(2, TTP_STATUS_DELAY_LIMIT);
}

/* Version of a generic netlink family, or a negative errno */
static int genl_version(const char *name)
{
	struct {
		struct nlmsghdr n;
		struct genlmsghdr g;
		struct nlattr a;
		char name[16];
	} req = {
		{ sizeof(req), GENL_ID_CTRL, NLM_F_REQUEST },
		{ CTRL_CMD_GETFAMILY, 1 },
		{ NLA_HDRLEN + strlen(name) + 1, CTRL_ATTR_FAMILY_NAME },
	};
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	struct nlmsghdr *n = (void *)buf;
	struct nlattr *a;
	long len;

	strcpy(req.name, name);
	send(fd, &req, sizeof(req), 0);
	len = recv(fd, buf, sizeof(buf), 0);
	close(fd);
	if (len < (long)NLMSG_LENGTH(GENL_HDRLEN) || n->nlmsg_type == NLMSG_ERROR)
		return -ENOENT;
	for (a = (void *)(buf + NLMSG_LENGTH(GENL_HDRLEN));
	     (char *)a < buf + len;
	     a = (void *)((char *)a + NLA_ALIGN(a->nla_len)))
		if (a->nla_type == CTRL_ATTR_VERSION)
			return *(int *)(a + 1);
	return -ENOENT;
}

TEST(generic_netlink_family)
{
	EXPECT_EQ(1, genl_version("ttp"));
	EXPECT_EQ(-ENOENT, genl_version("ttq"));
}

TEST(defaults_of_a_network)
{
	static const char * const lines[] = {
		"dead-timeout +1s", "max-message +16M", "max-peers +16384",
		"max-rpcs-per-peer +4096", "rcvbuf +4M", "sndbuf +4M",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		EXPECT_EQ(0, sh("ttpctl -n h2 param show | grep -Eq '^%s$'",
				lines[i]));
	EXPECT_EQ(0, sh("ttpctl -j -n h2 dev show eth0 | "
			"grep -q '\"levels\":8'"));
	EXPECT_EQ(0, sh("ttpctl -j -n h2 dev show eth0 | "
			"grep -q '\"ethertype\":34997'"));
}

TEST(a_module_with_sockets_stays)
{
	int fd = server(2), c = sock(1);
	struct sockaddr_ttp a = addr_of(2, port_of(fd));

	a.sttp_ifindex = ifindex(1, "eth0");
	EXPECT_NE(0, sh("rmmod ttp"));
	EXPECT_EQ(1, put(c, buf, 1, 0, a));
	EXPECT_EQ(1, get_len(fd));
	EXPECT_NE(0, sh("rmmod ttp"));
	EXPECT_EQ(1, put(c, buf, 1, 0, a));
	EXPECT_EQ(1, get_len(fd));
	close(c);
	close(fd);
}

FIXTURE(ttp_addr) {
	int fd;			/* in h1 */
	int s2, s3;		/* servers */
	int eth0, eth1;		/* of h1 */
	struct sockaddr_ttp to2, to3;
};

FIXTURE_SETUP(ttp_addr)
{
	self->s2 = server(2);
	self->s3 = server(3);
	self->eth0 = ifindex(1, "eth0");
	self->eth1 = ifindex(1, "eth1");
	self->to2 = addr_of(2, port_of(self->s2));
	self->to2.sttp_ifindex = self->eth0;
	self->to3 = addr_of(3, port_of(self->s3));
	self->to3.sttp_ifindex = self->eth1;
	self->fd = sock(1);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(ttp_addr)
{
	close(self->fd);
	close(self->s2);
	close(self->s3);
}

static struct sockaddr_ttp without_device(struct sockaddr_ttp a)
{
	a.sttp_ifindex = 0;
	return a;
}

/* ---- lengths */

TEST_F(ttp_addr, lengths_of_bind_and_connect)
{
	char a[128];
	int n, fd;

	for (n = 0; n <= 128; n++) {
		struct sockaddr_ttp own = { .sttp_family = AF_TTP };

		memset(a, 0xff, sizeof(a));
		memcpy(a, &own, sizeof(own));
		fd = sock(1);
		EXPECT_EQ(n < 32 ? -EINVAL : 0, R(bind(fd, (void *)a, n)));
		EXPECT_EQ(n < 32, !port_of(fd));
		close(fd);

		memcpy(a, &self->to2, sizeof(self->to2));
		fd = sock(1);
		EXPECT_EQ(n < 32 ? -EINVAL : 0, R(connect(fd, (void *)a, n)));
		EXPECT_EQ(n < 32, !port_of(fd));
		close(fd);
	}
	EXPECT_EQ(-EINVAL, R(bind(self->fd, (void *)a, 129)));
	EXPECT_EQ(-EINVAL, R(bind(self->fd, (void *)a, -1)));
	EXPECT_EQ(-EINVAL, R(connect(self->fd, (void *)a, -1)));
}

/* ---- ports */

TEST_F(ttp_addr, the_first_and_the_last_port)
{
	static const int ports[] = { 1, 1023, 1024, 32767, 32768, 65535 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ports); i++) {
		int s = sock(2);
		struct sockaddr_ttp a = addr_of(2, ports[i]);

		a.sttp_ifindex = self->eth0;
		EXPECT_EQ(0, bind_to(s, ports[i], 0));
		EXPECT_EQ(ports[i], port_of(s));
		EXPECT_EQ(3, put(self->fd, buf, 3, 0, a));
		EXPECT_EQ(3, get_len(s));
		close(s);
		EXPECT_EQ(-ECONNRESET, get_len(self->fd));
	}
}

TEST_F(ttp_addr, an_automatic_port_is_taken)
{
	int fd = sock(1), port;

	EXPECT_EQ(0, connect_to(self->fd, self->to2));
	port = port_of(self->fd);
	EXPECT_LE(32768, port);
	EXPECT_EQ(-EADDRINUSE, bind_to(fd, port, 0));
	EXPECT_EQ(-EADDRINUSE, bind_to(fd, port, self->eth1));
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(0, bind_to(fd, port, 0));
	close(fd);
}

TEST_F(ttp_addr, a_port_stays_whatever_is_connected)
{
	struct sockaddr none = { .sa_family = AF_UNSPEC };
	int port;

	EXPECT_EQ(0, connect_to(self->fd, self->to2));
	port = port_of(self->fd);
	EXPECT_EQ(0, connect_to(self->fd, self->to3));
	EXPECT_EQ(port, port_of(self->fd));
	EXPECT_EQ(0, R(connect(self->fd, &none, sizeof(none))));
	EXPECT_EQ(port, port_of(self->fd));
	EXPECT_EQ(1, put(self->fd, buf, 1, 0, self->to2));
	EXPECT_EQ(port, port_of(self->fd));
	EXPECT_EQ(0, set_opt(self->fd, SOL_TTP, TTP_LISTEN, 1));
	EXPECT_EQ(port, port_of(self->fd));
}

TEST_F(ttp_addr, a_port_goes_with_the_last_of_a_socket)
{
	int twin, fd = sock(1);

	EXPECT_EQ(0, bind_to(self->fd, 5000, 0));
	twin = dup(self->fd);
	close(self->fd);
	EXPECT_EQ(-EADDRINUSE, bind_to(fd, 5000, 0));
	close(twin);
	EXPECT_EQ(0, bind_to(fd, 5000, 0));
	self->fd = fd;
}

TEST_F(ttp_addr, failed_calls_take_no_port)
{
	struct sockaddr_ttp a = self->to2;

	a.sttp_reserved = 1;
	EXPECT_EQ(-EINVAL, put(self->fd, buf, 1, 0, a));
	EXPECT_EQ(-EINVAL, connect_to(self->fd, a));
	a = self->to2;
	a.sttp_ifindex = 9999;
	EXPECT_EQ(-ENODEV, put(self->fd, buf, 1, 0, a));
	EXPECT_EQ(-ENODEV, connect_to(self->fd, a));
	a = self->to2;
	a.sttp_rpc = 77;
	EXPECT_EQ(-ECONNRESET, put(self->fd, buf, 1, 0, a));
	EXPECT_EQ(-EINVAL, set_opt(self->fd, SOL_TTP, TTP_LISTEN, 2));
	EXPECT_EQ(0, set_opt(self->fd, SOL_TTP, TTP_LISTEN, 0));
	EXPECT_EQ(0, port_of(self->fd));
	EXPECT_EQ(0, bind_to(self->fd, 5000, 0));
}

TEST_F(ttp_addr, root_of_a_network_has_its_ports)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		int fd, bad = 0;

		if (setegid(65534) || seteuid(65534) ||
		    unshare(CLONE_NEWUSER | CLONE_NEWNET))
			_exit(99);
		fd = socket(AF_TTP, SOCK_DGRAM, 0);
		bad |= bind_to(fd, 80, 0) ? 1 : 0;
		bad |= set_opt(fd, SOL_TTP, TTP_PRIORITY, 7) ? 2 : 0;
		_exit(bad);
	}
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* ---- connect */

TEST_F(ttp_addr, a_failed_connect_changes_nothing)
{
	struct sockaddr_ttp bad = self->to3, a;
	socklen_t len = sizeof(a);

	EXPECT_EQ(0, connect_to(self->fd, self->to2));
	bad.sttp_pad[1] = 1;
	EXPECT_EQ(-EINVAL, connect_to(self->fd, bad));
	bad = self->to3;
	bad.sttp_ifindex = ifindex(1, "lo");
	EXPECT_EQ(-ENETUNREACH, connect_to(self->fd, bad));
	EXPECT_EQ(0, R(getpeername(self->fd, (void *)&a, &len)));
	EXPECT_EQ(0, memcmp(&a, &self->to2, sizeof(a)));
	EXPECT_EQ(3, R(send(self->fd, buf, 3, 0)));
	EXPECT_EQ(3, get_len(self->s2));
}

TEST_F(ttp_addr, connect_finds_the_device_once)
{
	struct sockaddr_ttp a, other;
	socklen_t len = sizeof(a);

	EXPECT_EQ(-EDESTADDRREQ, connect_to(self->fd,
					    without_device(self->to2)));
	ASSERT_EQ(0, sh("ttpctl -n h1 dev del eth1"));
	EXPECT_EQ(0, connect_to(self->fd, without_device(self->to2)));
	EXPECT_EQ(0, R(getpeername(self->fd, (void *)&a, &len)));
	EXPECT_EQ(self->eth0, a.sttp_ifindex);
	ASSERT_EQ(0, sh("ttpctl -n h1 dev add eth1"));
	/* now there are two; the connection has one */
	EXPECT_EQ(1, R(send(self->fd, buf, 1, 0)));
	EXPECT_EQ(2, put(self->fd, buf, 2, 0, self->to2));
	EXPECT_EQ(3, put(self->fd, buf, 3, 0, without_device(self->to2)));
	EXPECT_EQ(1, get_len(self->s2));
	EXPECT_EQ(2, get_len(self->s2));
	EXPECT_EQ(3, get_len(self->s2));
	other = self->to2;
	other.sttp_ifindex = self->eth1;
	EXPECT_EQ(-EISCONN, put(self->fd, buf, 1, 0, other));
	other = self->to2;
	other.sttp_port ^= htons(1);
	EXPECT_EQ(-EISCONN, put(self->fd, buf, 1, 0, other));
}

TEST_F(ttp_addr, the_only_device_need_not_be_named)
{
	EXPECT_EQ(-EDESTADDRREQ, put(self->fd, buf, 1, 0,
				     without_device(self->to2)));
	ASSERT_EQ(0, sh("ttpctl -n h1 dev del eth1"));
	EXPECT_EQ(1, put(self->fd, buf, 1, 0, without_device(self->to2)));
	EXPECT_EQ(1, get_len(self->s2));
	EXPECT_EQ(-ENETUNREACH, put(self->fd, buf, 1, 0, self->to3));
	ASSERT_EQ(0, sh("ttpctl -n h1 dev add eth1"));
	EXPECT_EQ(-EDESTADDRREQ, put(self->fd, buf, 1, 0,
				     without_device(self->to2)));
}

TEST_F(ttp_addr, a_device_settles_what_was_left_out)
{
	int bound = sock(1);

	/* of an option */
	ASSERT_EQ(0, R(setsockopt(self->fd, SOL_SOCKET, SO_BINDTODEVICE, "eth1",
				  5)));
	EXPECT_EQ(3, put(self->fd, buf, 3, 0, without_device(self->to3)));
	EXPECT_EQ(3, get_len(self->s3));
	EXPECT_EQ(-EINVAL, put(self->fd, buf, 3, 0, self->to2));
	EXPECT_EQ(-EINVAL, connect_to(self->fd, self->to2));
	/* of bind */
	EXPECT_EQ(0, bind_to(bound, 5000, self->eth0));
	EXPECT_EQ(2, put(bound, buf, 2, 0, without_device(self->to2)));
	EXPECT_EQ(2, get_len(self->s2));
	EXPECT_EQ(-EINVAL, put(bound, buf, 2, 0, self->to3));
	EXPECT_EQ(-EINVAL, connect_to(bound, self->to3));
	EXPECT_EQ(0, connect_to(bound, without_device(self->to2)));
	close(bound);
}

/* ---- requests by device */

TEST_F(ttp_addr, another_devices_requests_are_refused)
{
	struct sockaddr_ttp a = addr_of(ETH1_OF_H1, 5000);
	int c2 = sock(2), c3 = sock(3);

	EXPECT_EQ(0, bind_to(self->fd, 5000, self->eth0));
	EXPECT_EQ(1, put(c3, buf, 1, 0, a));
	EXPECT_EQ(-ECONNREFUSED, get_len(c3));
	EXPECT_EQ(2, put(c2, buf, 2, 0, addr_of(1, 5000)));
	EXPECT_EQ(2, get_len(self->fd));
	close(c2);
	close(c3);
}

TEST_F(ttp_addr, a_connected_server_is_for_one_peer)
{
	int c2 = sock(2), c3 = sock(3);
	struct sockaddr_ttp a;

	EXPECT_EQ(0, bind_to(self->fd, 5000, 0));
	EXPECT_EQ(0, bind_to(c2, 6000, 0));
	EXPECT_EQ(0, bind_to(c3, 6000, 0));
	a = addr_of(2, 6000);
	a.sttp_ifindex = self->eth0;
	EXPECT_EQ(0, connect_to(self->fd, a));
	EXPECT_EQ(3, put(c3, buf, 3, 0, addr_of(ETH1_OF_H1, 5000)));
	EXPECT_EQ(-ECONNREFUSED, get_len(c3));
	EXPECT_EQ(2, put(c2, buf, 2, 0, addr_of(1, 5000)));
	EXPECT_EQ(2, get_len(self->fd));
	/* dissolved: for all again */
	EXPECT_EQ(0, R(connect(self->fd, &(struct sockaddr) { AF_UNSPEC }, 2)));
	EXPECT_EQ(3, put(c3, buf, 3, 0, addr_of(ETH1_OF_H1, 5000)));
	EXPECT_EQ(3, get_len(self->fd));
	close(c2);
	close(c3);
}

/* ---- this very host */

TEST_F(ttp_addr, a_socket_may_ask_itself)
{
	struct sockaddr_ttp a = addr_of(2, port_of(self->s2));
	struct got got;
	int i;

	for (i = 0; i < 2; i++) {	/* and by connect */
		EXPECT_EQ(5, i ? R(send(self->s2, buf, 5, 0)) :
			  put(self->s2, buf, 5, 0, a));
		EXPECT_EQ(5, get(self->s2, buf, 9, 0, &got));
		EXPECT_EQ(a.sttp_port, got.from.sttp_port);
		EXPECT_EQ(0, memcmp(a.sttp_addr, got.from.sttp_addr, 6));
		EXPECT_NE(0, got.from.sttp_rpc);
		EXPECT_EQ(6, put(self->s2, buf, 6, 0, got.from));
		EXPECT_EQ(6, get(self->s2, buf, 9, 0, &got));
		EXPECT_EQ(0, got.from.sttp_rpc);
		if (!i)
			EXPECT_EQ(0, connect_to(self->s2, a));
	}
}

TEST_F(ttp_addr, the_own_host_by_each_device)
{
	struct sockaddr_ttp a0, a1;
	struct got got;

	EXPECT_EQ(0, bind_to(self->fd, 5000, 0));
	a0 = addr_of(1, 5000);
	a1 = addr_of(ETH1_OF_H1, 5000);
	a0.sttp_ifindex = self->eth0;
	a1.sttp_ifindex = self->eth1;
	EXPECT_EQ(2, put(self->fd, buf, 2, 0, a0));
	EXPECT_EQ(2, get(self->fd, buf, 9, 0, &got));
	EXPECT_EQ(self->eth0, got.from.sttp_ifindex);
	EXPECT_EQ(3, put(self->fd, buf, 3, 0, got.from));
	EXPECT_EQ(3, get_len(self->fd));
	EXPECT_EQ(2, put(self->fd, buf, 2, 0, a1));
	EXPECT_EQ(2, get(self->fd, buf, 9, 0, &got));
	EXPECT_EQ(self->eth1, got.from.sttp_ifindex);
	EXPECT_EQ(4, put(self->fd, buf, 4, 0, got.from));
	EXPECT_EQ(4, get_len(self->fd));
	/* nobody there: as anywhere */
	a0.sttp_port = htons(9);
	EXPECT_EQ(1, put(self->fd, buf, 1, 0, a0));
	EXPECT_EQ(-ECONNREFUSED, get_len(self->fd));
}

FIXTURE(ttp_addr_end) { };
FIXTURE_SETUP(ttp_addr_end) { }
FIXTURE_TEARDOWN(ttp_addr_end) { }

TEST_F(ttp_addr_end, all_is_given_back)
{
	EXPECT_TRUE(quiet(1));
	EXPECT_TRUE(quiet(2));
	EXPECT_TRUE(quiet(3));
}

TEST_HARNESS_MAIN
