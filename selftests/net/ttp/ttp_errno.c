// SPDX-License-Identifier: GPL-2.0
/*
 * Every errno, provoked.  Host h1 has eth0 (to h2) and eth1 (to h3) enabled,
 * off0 not enabled, down0 enabled and down; h0 has nothing enabled.
 */
#include "ttp_test.h"

#define ETH1_OF_H1 11		/* its MAC address, for addr_of() */

static char buf[MB(1)];

/* Root's capabilities away and back */
static void be_root(bool root)
{
	if (seteuid(root ? 0 : 65534))
		abort();
}

static void *bad_page(void)	/* the byte before is good */
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(p + 4096, 4096);
	return p + 4096;
}

static long bind_addr(int fd, struct sockaddr_ttp addr, int len)
{
	return R(bind(fd, (void *)&addr, len));
}

/* Creation */

TEST(types_and_protocols)
{
	EXPECT_EQ(-ESOCKTNOSUPPORT, R(socket(AF_TTP, SOCK_STREAM, 0)));
	EXPECT_EQ(-ESOCKTNOSUPPORT, R(socket(AF_TTP, SOCK_SEQPACKET, 0)));
	EXPECT_EQ(-ESOCKTNOSUPPORT, R(socket(AF_TTP, SOCK_RAW, 0)));
	EXPECT_EQ(-ESOCKTNOSUPPORT, R(socket(AF_TTP, SOCK_RDM, 0)));
	EXPECT_EQ(-EPROTONOSUPPORT, R(socket(AF_TTP, SOCK_DGRAM, 1)));
	EXPECT_EQ(-EPROTONOSUPPORT, R(socket(AF_TTP, SOCK_DGRAM, 17)));
}

TEST(calls_that_datagram_sockets_lack)
{
	int fd = sock(1), pair[2];

	EXPECT_EQ(-EOPNOTSUPP, R(listen(fd, 1)));
	EXPECT_EQ(-EOPNOTSUPP, R(accept(fd, NULL, NULL)));
	EXPECT_EQ(-EOPNOTSUPP, R(socketpair(AF_TTP, SOCK_DGRAM, 0, pair)));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0));
	EXPECT_EQ(ENODEV, errno);
	EXPECT_EQ(-ESPIPE, R(lseek(fd, 0, SEEK_SET)));
}

TEST(anybody_may_have_a_socket)
{
	int fd;

	enter(0);
	be_root(false);
	fd = socket(AF_TTP, SOCK_DGRAM, 0);
	EXPECT_LE(0, fd);
	EXPECT_EQ(0, bind_to(fd, 0, 0));
	EXPECT_EQ(-ENETUNREACH, put(fd, "", 1, 0, addr_of(2, 7)));
	EXPECT_EQ(-ENETUNREACH, connect_to(fd, addr_of(2, 7)));
	be_root(true);
}

/* bind */

FIXTURE(ttp_bind) {
	int fd, fd2;		/* in h1 */
	struct sockaddr_ttp a;	/* a good one */
};

FIXTURE_SETUP(ttp_bind)
{
	self->fd = sock(1);
	self->fd2 = sock(1);
	self->a = (struct sockaddr_ttp) {
		.sttp_family = AF_TTP,
		.sttp_port = htons(5000),
	};
}

FIXTURE_TEARDOWN(ttp_bind)
{
	close(self->fd);
	close(self->fd2);
}

TEST_F(ttp_bind, length)
{
	int len;

	for (len = 0; len < 32; len++)
		EXPECT_EQ(-EINVAL, bind_addr(self->fd, self->a, len));
	EXPECT_EQ(0, bind_addr(self->fd, self->a, 32));
}

TEST_F(ttp_bind, family)
{
	self->a.sttp_family = AF_INET;
	EXPECT_EQ(-EAFNOSUPPORT, bind_addr(self->fd, self->a, 32));
	self->a.sttp_family = AF_UNSPEC;
	EXPECT_EQ(-EAFNOSUPPORT, bind_addr(self->fd, self->a, 32));
}

TEST_F(ttp_bind, fields_that_must_be_zero)
{
	struct sockaddr_ttp a = self->a;

	a.sttp_pad[0] = 1;
	EXPECT_EQ(-EINVAL, bind_addr(self->fd, a, 32));
	a = self->a;
	a.sttp_pad[1] = 1;
	EXPECT_EQ(-EINVAL, bind_addr(self->fd, a, 32));
	a = self->a;
	a.sttp_reserved = 1ULL << 63;
	EXPECT_EQ(-EINVAL, bind_addr(self->fd, a, 32));
	a = self->a;
	a.sttp_rpc = 1;
	EXPECT_EQ(-EINVAL, bind_addr(self->fd, a, 32));
	a = self->a;
	a.sttp_addr[5] = 1;
	EXPECT_EQ(-EINVAL, bind_addr(self->fd, a, 32));
}

TEST_F(ttp_bind, device)
{
	EXPECT_EQ(-EINVAL, bind_to(self->fd, 5000, -1));
	EXPECT_EQ(-ENODEV, bind_to(self->fd, 5000, 9999));
	EXPECT_EQ(-EADDRNOTAVAIL, bind_to(self->fd, 5000, ifindex(1, "off0")));
	EXPECT_EQ(-EADDRNOTAVAIL, bind_to(self->fd, 5000, ifindex(1, "lo")));
	/* enabled and down: it may come up */
	EXPECT_EQ(0, bind_to(self->fd, 5000, ifindex(1, "down0")));
}

TEST_F(ttp_bind, privileged_port)
{
	be_root(false);
	EXPECT_EQ(-EACCES, bind_to(self->fd, 1, 0));
	EXPECT_EQ(-EACCES, bind_to(self->fd, 1023, 0));
	EXPECT_EQ(0, bind_to(self->fd, 1024, 0));
	be_root(true);
	EXPECT_EQ(0, bind_to(self->fd2, 1023, 0));
}

TEST_F(ttp_bind, twice)
{
	EXPECT_EQ(0, bind_to(self->fd, 5000, 0));
	EXPECT_EQ(-EINVAL, bind_to(self->fd, 5000, 0));
	EXPECT_EQ(-EINVAL, bind_to(self->fd, 5001, 0));
	EXPECT_EQ(5000, port_of(self->fd));
}

TEST_F(ttp_bind, after_a_failed_one)
{
	EXPECT_EQ(0, bind_to(self->fd, 5000, 0));
	EXPECT_EQ(-EADDRINUSE, bind_to(self->fd2, 5000, 0));
	EXPECT_EQ(0, port_of(self->fd2));
	EXPECT_EQ(0, bind_to(self->fd2, 5001, 0));
}

TEST_F(ttp_bind, a_port_that_is_taken)
{
	int eth0 = ifindex(1, "eth0"), one = 1;

	EXPECT_EQ(0, bind_to(self->fd, 5000, 0));
	EXPECT_EQ(-EADDRINUSE, bind_to(self->fd2, 5000, 0));
	EXPECT_EQ(-EADDRINUSE, bind_to(self->fd2, 5000, eth0));
	EXPECT_EQ(0, R(setsockopt(self->fd2, SOL_SOCKET, SO_REUSEADDR, &one,
				  sizeof(one))));
	EXPECT_EQ(-EADDRINUSE, bind_to(self->fd2, 5000, 0));
	close(self->fd);
	EXPECT_EQ(0, bind_to(self->fd2, 5000, 0));
	self->fd = -1;
}

TEST_F(ttp_bind, a_port_that_is_taken_on_a_device)
{
	int eth0 = ifindex(1, "eth0"), eth1 = ifindex(1, "eth1");
	int fd = sock(1);

	EXPECT_EQ(0, bind_to(self->fd, 5000, eth0));
	EXPECT_EQ(-EADDRINUSE, bind_to(self->fd2, 5000, eth0));
	EXPECT_EQ(-EADDRINUSE, bind_to(self->fd2, 5000, 0));
	EXPECT_EQ(0, bind_to(self->fd2, 5000, eth1));
	EXPECT_EQ(-EADDRINUSE, bind_to(fd, 5000, 0));
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(-EADDRINUSE, bind_to(fd, 5000, 0));
	EXPECT_EQ(0, bind_to(fd, 5000, eth0));
}

TEST_F(ttp_bind, two_devices_share_a_port)
{
	int c2 = sock(2), c3 = sock(3);

	EXPECT_EQ(0, bind_to(self->fd, 5000, ifindex(1, "eth0")));
	EXPECT_EQ(0, bind_to(self->fd2, 5000, ifindex(1, "eth1")));
	EXPECT_EQ(2, put(c2, buf, 2, 0, addr_of(1, 5000)));
	EXPECT_EQ(3, put(c3, buf, 3, 0, addr_of(ETH1_OF_H1, 5000)));
	EXPECT_EQ(2, get_len(self->fd));
	EXPECT_EQ(3, get_len(self->fd2));
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(-ECONNRESET, get_len(c2));
	EXPECT_EQ(2, put(c2, buf, 2, 0, addr_of(1, 5000)));
	EXPECT_EQ(-ECONNREFUSED, get_len(c2));
}

TEST_F(ttp_bind, a_wildcard_serves_every_device)
{
	int c2 = sock(2), c3 = sock(3);
	struct sockaddr_ttp a;

	EXPECT_EQ(0, bind_to(self->fd, 5000, 0));
	EXPECT_EQ(2, put(c2, buf, 2, 0, addr_of(1, 5000)));
	a = get_request(self->fd);
	EXPECT_EQ(ifindex(1, "eth0"), a.sttp_ifindex);
	EXPECT_EQ(3, put(c3, buf, 3, 0, addr_of(ETH1_OF_H1, 5000)));
	a = get_request(self->fd);
	EXPECT_EQ(ifindex(1, "eth1"), a.sttp_ifindex);
	/* with the tag the device is not looked for */
	EXPECT_EQ(5, put(self->fd, buf, 5, 0, a));
	EXPECT_EQ(5, get_len(c3));
}

static long bind_to_device(int fd, const char *dev)
{
	return R(setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, dev,
			    strlen(dev) + 1));
}

TEST_F(ttp_bind, bound_to_another_device_by_option)
{
	EXPECT_EQ(0, bind_to_device(self->fd, "eth1"));
	EXPECT_EQ(-EINVAL, bind_to(self->fd, 5000, ifindex(1, "eth0")));
	EXPECT_EQ(0, bind_to(self->fd, 5000, 0));
	EXPECT_EQ(ifindex(1, "eth1"), own_addr(self->fd).sttp_ifindex);
	/* so another device's port is free */
	EXPECT_EQ(0, bind_to(self->fd2, 5000, ifindex(1, "eth0")));
}

TEST_F(ttp_bind, bad_pointer)
{
	EXPECT_EQ(-EFAULT, R(bind(self->fd, bad_page(), 32)));
	EXPECT_EQ(-EFAULT, R(bind(self->fd, bad_page() - 31, 32)));
	EXPECT_EQ(-EFAULT, R(connect(self->fd, bad_page(), 32)));
	EXPECT_EQ(-EFAULT, R(getsockname(self->fd, bad_page(),
					 (void *)&self->fd2)));
	EXPECT_EQ(-EFAULT, R(getsockname(self->fd, (void *)&self->a,
					 bad_page())));
}

/* Destinations, of send calls and connect */

FIXTURE(ttp_dest) {
	int fd;			/* in h1 */
	struct sockaddr_ttp a;	/* a good one */
};

FIXTURE_VARIANT(ttp_dest) {
	bool connect;
};

FIXTURE_VARIANT_ADD(ttp_dest, sendto) { false };
FIXTURE_VARIANT_ADD(ttp_dest, connect) { true };

FIXTURE_SETUP(ttp_dest)
{
	self->a = addr_of(2, 9);
	self->a.sttp_ifindex = ifindex(1, "eth0");
	self->fd = sock(1);
}

FIXTURE_TEARDOWN(ttp_dest)
{
	close(self->fd);
}

/* 0 or what it failed with */
static long reach(int fd, struct sockaddr_ttp a, int len, bool to_connect)
{
	if (to_connect)
		return R(connect(fd, (void *)&a, len));
	return R(sendto(fd, NULL, 0, 0, (void *)&a, len));
}

#define REACH(a) reach(self->fd, a, sizeof(a), variant->connect)

TEST_F(ttp_dest, length)
{
	int len;

	for (len = 2; len < 32; len++)
		EXPECT_EQ(-EINVAL, reach(self->fd, self->a, len,
					 variant->connect));
	EXPECT_EQ(0, REACH(self->a));
}

TEST_F(ttp_dest, family)
{
	self->a.sttp_family = AF_INET;
	EXPECT_EQ(-EAFNOSUPPORT, REACH(self->a));
	self->a.sttp_family = AF_UNSPEC;
	EXPECT_EQ(variant->connect ? 0 : -EAFNOSUPPORT, REACH(self->a));
}

TEST_F(ttp_dest, fields)
{
	struct sockaddr_ttp a = self->a;

	a.sttp_pad[0] = 1;
	EXPECT_EQ(-EINVAL, REACH(a));
	a = self->a;
	a.sttp_pad[1] = 1;
	EXPECT_EQ(-EINVAL, REACH(a));
	a = self->a;
	a.sttp_reserved = 1;
	EXPECT_EQ(-EINVAL, REACH(a));
	a = self->a;
	a.sttp_port = 0;
	EXPECT_EQ(-EINVAL, REACH(a));
	a = self->a;
	a.sttp_ifindex = -1;
	EXPECT_EQ(-EINVAL, REACH(a));
	a = self->a;
	a.sttp_rpc = 1;		/* no tag can be connected to; none is open */
	EXPECT_EQ(variant->connect ? -EINVAL : -ECONNRESET, REACH(a));
	EXPECT_EQ(0, REACH(self->a));
}

TEST_F(ttp_dest, mac)
{
	struct sockaddr_ttp a = self->a;

	memset(a.sttp_addr, 0xff, 6);
	EXPECT_EQ(-EINVAL, REACH(a));
	a = self->a;
	a.sttp_addr[0] |= 1;
	EXPECT_EQ(-EINVAL, REACH(a));
	memset(a.sttp_addr, 0, 6);
	EXPECT_EQ(-EINVAL, REACH(a));
}

TEST_F(ttp_dest, device)
{
	struct sockaddr_ttp a = self->a;

	a.sttp_ifindex = 9999;
	EXPECT_EQ(-ENODEV, REACH(a));
	a.sttp_ifindex = ifindex(1, "off0");
	EXPECT_EQ(-ENETUNREACH, REACH(a));
	a.sttp_ifindex = ifindex(1, "lo");
	EXPECT_EQ(-ENETUNREACH, REACH(a));
	a.sttp_ifindex = ifindex(1, "off1");	/* and down */
	EXPECT_EQ(-ENETUNREACH, REACH(a));
	a.sttp_ifindex = ifindex(1, "down0");
	EXPECT_EQ(-ENETDOWN, REACH(a));
	a.sttp_ifindex = 0;	/* there are several */
	EXPECT_EQ(-EDESTADDRREQ, REACH(a));
	EXPECT_EQ(0, REACH(self->a));
}

TEST_F(ttp_dest, no_device_is_enabled)
{
	close(self->fd);
	self->fd = sock(0);
	self->a.sttp_ifindex = 0;
	EXPECT_EQ(-ENETUNREACH, REACH(self->a));
	self->a.sttp_ifindex = ifindex(0, "lo");
	EXPECT_EQ(-ENETUNREACH, REACH(self->a));
}

TEST_F(ttp_dest, bound_to_a_device_by_option)
{
	EXPECT_EQ(0, bind_to_device(self->fd, "eth1"));
	EXPECT_EQ(-EINVAL, REACH(self->a));
	self->a = addr_of(3, 9);
	EXPECT_EQ(0, REACH(self->a));
	EXPECT_EQ(ifindex(1, "eth1"), own_addr(self->fd).sttp_ifindex);
}

TEST_F(ttp_dest, bound_to_a_device_that_is_not_enabled)
{
	EXPECT_EQ(0, bind_to_device(self->fd, "off0"));
	self->a.sttp_ifindex = 0;
	EXPECT_EQ(-ENETUNREACH, REACH(self->a));
}

TEST_F(ttp_dest, bad_pointer)
{
	EXPECT_EQ(-EFAULT, R(sendto(self->fd, buf, 1, 0, bad_page(), 32)));
	EXPECT_EQ(-EFAULT, R(sendto(self->fd, buf, 1, 0, bad_page() - 31,
				    32)));
}

TEST(no_destination)
{
	int fd = sock(1);
	struct sockaddr_ttp a;
	socklen_t len = 32;

	EXPECT_EQ(-EDESTADDRREQ, R(send(fd, buf, 1, 0)));
	EXPECT_EQ(-EDESTADDRREQ, R(write(fd, buf, 1)));
	EXPECT_EQ(-ENOTCONN, R(getpeername(fd, (void *)&a, &len)));
	a.sttp_family = AF_UNSPEC;
	EXPECT_EQ(-EINVAL, R(connect(fd, (void *)&a, 1)));
	EXPECT_EQ(0, R(connect(fd, (void *)&a, 2)));
	EXPECT_EQ(0, R(connect(fd, (void *)&a, 128)));
}

TEST(another_destination_than_connected_to)
{
	struct sockaddr_ttp a = addr_of(2, 9), b;
	int fd = sock(1);

	a.sttp_ifindex = ifindex(1, "eth0");
	EXPECT_EQ(0, connect_to(fd, a));
	EXPECT_EQ(1, put(fd, buf, 1, 0, a));
	b = a;
	b.sttp_ifindex = 0;
	EXPECT_EQ(1, put(fd, buf, 1, 0, b));
	b = a;
	b.sttp_port = htons(10);
	EXPECT_EQ(-EISCONN, put(fd, buf, 1, 0, b));
	b = a;
	b.sttp_addr[5] = 3;
	EXPECT_EQ(-EISCONN, put(fd, buf, 1, 0, b));
	b = a;
	b.sttp_ifindex = ifindex(1, "eth1");
	EXPECT_EQ(-EISCONN, put(fd, buf, 1, 0, b));
}

/* Sending: a client in h2, a server in h1 with an open request */

FIXTURE(ttp_send) {
	int c, s;
	struct sockaddr_ttp to;
	struct sockaddr_ttp tag;
};

FIXTURE_SETUP(ttp_send)
{
	self->s = server(1);
	self->to = addr_of(1, port_of(self->s));
	self->c = sock(2);
	ASSERT_EQ(1, put(self->c, buf, 1, 0, self->to));
	self->tag = get_request(self->s);
	ASSERT_NE(0, self->tag.sttp_rpc);
}

FIXTURE_TEARDOWN(ttp_send)
{
	close(self->c);
	close(self->s);
}

/* Is the tag open still? */
#define TAG_IS_OPEN() ({						\
	EXPECT_EQ(5, put(self->s, buf, 5, 0, self->tag));		\
	EXPECT_EQ(5, get_len(self->c));					\
})

TEST_F(ttp_send, unknown_flags)
{
	EXPECT_EQ(-EINVAL, put(self->c, buf, 1, MSG_OOB, self->to));
	EXPECT_EQ(-EINVAL, put(self->c, buf, 1, MSG_DONTROUTE, self->to));
	EXPECT_EQ(-EINVAL, put(self->c, buf, 1, MSG_FASTOPEN, self->to));
	EXPECT_EQ(-EINVAL, put(self->s, buf, 1, MSG_OOB, self->tag));
	TAG_IS_OPEN();
}

TEST_F(ttp_send, too_long)
{
	static struct iovec iov[1024];
	struct msghdr msg = {
		.msg_name = &self->to,
		.msg_namelen = 32,
		.msg_iov = iov,
	};
	int i;

	for (i = 0; i < 1024; i++)
		iov[i] = (struct iovec) { buf, sizeof(buf) };
	msg.msg_iovlen = 17;
	EXPECT_EQ(-EMSGSIZE, R(sendmsg(self->c, &msg, 0)));
	msg.msg_iovlen = 1024;
	EXPECT_EQ(-EMSGSIZE, R(sendmsg(self->c, &msg, 0)));
	msg.msg_name = &self->tag;
	msg.msg_iovlen = 17;
	EXPECT_EQ(-EMSGSIZE, R(sendmsg(self->s, &msg, 0)));
	TAG_IS_OPEN();
}

/* A send call with these control bytes */
static long put_control(int fd, struct sockaddr_ttp a, void *control,
			size_t len)
{
	struct iovec iov = { buf, 1 };
	struct msghdr msg = {
		.msg_name = &a,
		.msg_namelen = sizeof(a),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = len,
	};

	return R(sendmsg(fd, &msg, 0));
}

struct one_cmsg {
	struct cmsghdr h;
	struct ttp_send how;
	char more[16];
};

#define CMSG(level, type, ...)						\
	((struct one_cmsg) {						\
		{ CMSG_LEN(sizeof(struct ttp_send)), level, type },	\
		{ __VA_ARGS__ } })
#define PUT_CMSG(...) ({						\
	struct one_cmsg __c = CMSG(__VA_ARGS__);			\
	put_control(self->c, self->to, &__c,				\
		    CMSG_SPACE(sizeof(struct ttp_send)));		\
})

TEST_F(ttp_send, unknown_control_messages)
{
	EXPECT_EQ(1, PUT_CMSG(SOL_TTP, TTP_SEND));
	EXPECT_EQ(-EINVAL, PUT_CMSG(SOL_TTP, 0));
	EXPECT_EQ(-EINVAL, PUT_CMSG(SOL_TTP, TTP_INFO));
	EXPECT_EQ(-EINVAL, PUT_CMSG(SOL_TTP, 3));
	EXPECT_EQ(-EINVAL, PUT_CMSG(SOL_SOCKET, 999));
	EXPECT_EQ(1, PUT_CMSG(SOL_IP, 999));
}

TEST_F(ttp_send, control_message_lengths)
{
	struct one_cmsg two[2] = { CMSG(SOL_TTP, TTP_SEND) };
	struct one_cmsg c = CMSG(SOL_TTP, TTP_SEND);
	size_t n;

	for (n = 0; n < sizeof(c.how) + 16; n++) {
		c.h.cmsg_len = CMSG_LEN(n);
		EXPECT_EQ(n == sizeof(c.how) ? 1 : -EINVAL,
			  put_control(self->c, self->to, &c, CMSG_LEN(n)));
	}
	for (n = 0; n < sizeof(c.h); n++) {
		c.h.cmsg_len = n;
		EXPECT_EQ(-EINVAL, put_control(self->c, self->to, &c,
					       sizeof(c)));
	}
	c.h.cmsg_len = sizeof(c) + 1;
	EXPECT_EQ(-EINVAL, put_control(self->c, self->to, &c, sizeof(c)));
	c.h.cmsg_len = -1;
	EXPECT_EQ(-EINVAL, put_control(self->c, self->to, &c, sizeof(c)));

	memcpy((char *)two + CMSG_SPACE(sizeof(c.how)), two,
	       CMSG_SPACE(sizeof(c.how)));
	EXPECT_EQ(-EINVAL, put_control(self->c, self->to, two,
				       2 * CMSG_SPACE(sizeof(c.how))));
	EXPECT_EQ(1, put_control(self->c, self->to, two,
				 CMSG_SPACE(sizeof(c.how))));
}

TEST_F(ttp_send, control_message_flags)
{
	int i;

	for (i = 3; i < 32; i++)
		EXPECT_EQ(-EINVAL, PUT_CMSG(SOL_TTP, TTP_SEND, 0, 1U << i, 0));
	EXPECT_EQ(-EINVAL, PUT_CMSG(SOL_TTP, TTP_SEND, 0, TTP_F_NOTIFY, 0));
	EXPECT_EQ(-EINVAL, PUT_CMSG(SOL_TTP, TTP_SEND, 0,
				    TTP_F_NOTIFY | TTP_F_ONEWAY, 0));
	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_RECVINFO, 1));
	EXPECT_EQ(-EINVAL, PUT_CMSG(SOL_TTP, TTP_SEND, 0, TTP_F_NOTIFY, 0));
	EXPECT_EQ(1, PUT_CMSG(SOL_TTP, TTP_SEND, 0,
			      TTP_F_NOTIFY | TTP_F_ONEWAY, 0));
}

TEST_F(ttp_send, control_messages_with_a_tag)
{
	struct ttp_send how = { .flags = TTP_F_ONEWAY };

	EXPECT_EQ(-EINVAL, put_how(self->s, buf, 1, self->tag, how));
	how = (struct ttp_send) { .flags = TTP_F_IDEMPOTENT };
	EXPECT_EQ(-EINVAL, put_how(self->s, buf, 1, self->tag, how));
	how = (struct ttp_send) { .cookie = 1ULL << 40 };
	EXPECT_EQ(-EINVAL, put_how(self->s, buf, 1, self->tag, how));
	how = (struct ttp_send) { .timeout_ms = 1000 };
	EXPECT_EQ(-EINVAL, put_how(self->s, buf, 1, self->tag, how));
	how = (struct ttp_send) {};
	EXPECT_EQ(1, put_how(self->s, buf, 1, self->tag, how));
	EXPECT_EQ(1, get_len(self->c));
}

TEST_F(ttp_send, bad_pointers)
{
	char *bad = bad_page();
	struct msghdr msg = { .msg_name = &self->to, .msg_namelen = 32,
			      .msg_iov = (void *)bad, .msg_iovlen = 1 };

	EXPECT_EQ(-EFAULT, put(self->c, bad, 1, 0, self->to));
	EXPECT_EQ(-EFAULT, put(self->c, bad - 100, 101, 0, self->to));
	EXPECT_EQ(-EFAULT, put(self->c, bad - 100, 100000, 0, self->to));
	EXPECT_EQ(100, put(self->c, bad - 100, 100, 0, self->to));
	EXPECT_EQ(0, put(self->c, bad, 0, 0, self->to));
	EXPECT_EQ(-EFAULT, put_control(self->c, self->to, bad, 40));
	EXPECT_EQ(-EFAULT, R(sendmsg(self->c, &msg, 0)));
	EXPECT_EQ(-EFAULT, R(sendmsg(self->c, (void *)bad, 0)));
	EXPECT_EQ(100, get_len(self->s));
	EXPECT_EQ(0, get_len(self->s));

	EXPECT_EQ(-EFAULT, put(self->s, bad - 100, 101, 0, self->tag));
	EXPECT_EQ(-EFAULT, put(self->s, bad - 100, 100000, 0, self->tag));
	EXPECT_EQ(-EFAULT, put_control(self->s, self->tag, bad, 40));
	EXPECT_EQ(0, status_of(self->s).snd_bytes);
	TAG_IS_OPEN();
}

TEST_F(ttp_send, after_shutdown)
{
	EXPECT_EQ(0, shutdown(self->c, SHUT_WR));
	EXPECT_EQ(-EPIPE, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(0, shutdown(self->s, SHUT_WR));
	EXPECT_EQ(-EPIPE, put(self->s, buf, 1, 0, self->tag));
}

TEST_F(ttp_send, a_full_buffer)
{
	ASSERT_EQ(0, set_opt(self->s, SOL_SOCKET, SO_SNDBUF, 1));
	self->to = addr_of(0, 7);
	self->to.sttp_ifindex = ifindex(1, "eth0");
	EXPECT_EQ(50000, put(self->s, buf, 50000, 0, self->to));
	EXPECT_EQ(-EAGAIN, put(self->s, buf, 5000, MSG_DONTWAIT, self->to));
	EXPECT_EQ(-EAGAIN, put(self->s, buf, 5000, MSG_DONTWAIT, self->tag));
	EXPECT_EQ(0, do_abort(self->s, 0));
	TAG_IS_OPEN();
}

/* Tags */

TEST_F(ttp_send, a_tag_that_was_used)
{
	TAG_IS_OPEN();
	EXPECT_EQ(-ECONNRESET, put(self->s, buf, 1, 0, self->tag));
	EXPECT_TRUE(WAIT_FOR(!status_of(self->s).rpcs_in));
	EXPECT_EQ(-ECONNRESET, put(self->s, buf, 1, 0, self->tag));
}

TEST_F(ttp_send, a_tag_that_was_invented)
{
	struct sockaddr_ttp a = self->tag;

	a.sttp_rpc += 2;
	EXPECT_EQ(-ECONNRESET, put(self->s, buf, 1, 0, a));
	a.sttp_rpc = self->tag.sttp_rpc ^ 1;
	EXPECT_EQ(-ECONNRESET, put(self->s, buf, 1, 0, a));
	a.sttp_rpc = -1;
	EXPECT_EQ(-ECONNRESET, put(self->s, buf, 1, 0, a));
	a.sttp_rpc = 1;
	EXPECT_EQ(-ECONNRESET, put(self->s, buf, 1, 0, a));
	TAG_IS_OPEN();
}

TEST_F(ttp_send, a_tag_of_another_socket)
{
	int fd = sock(1), fd2 = server(1);

	EXPECT_EQ(-ECONNRESET, put(fd, buf, 1, 0, self->tag));
	EXPECT_EQ(-ECONNRESET, put(fd2, buf, 1, 0, self->tag));
	EXPECT_EQ(-ECONNRESET, put(self->c, buf, 1, 0, self->tag));
	TAG_IS_OPEN();
}

TEST_F(ttp_send, a_tag_of_another_peer)
{
	struct sockaddr_ttp a = self->tag, b = self->to;
	int c = sock(1);

	/* one that is known, and one that is not */
	b.sttp_ifindex = ifindex(1, "eth0");
	EXPECT_EQ(1, put(c, buf, 1, 0, b));
	a.sttp_addr[5] = 1;
	EXPECT_EQ(-ECONNRESET, put(self->s, buf, 1, 0, a));
	a.sttp_addr[5] = 0x77;
	EXPECT_EQ(-ECONNRESET, put(self->s, buf, 1, 0, a));
	a = self->tag;
	a.sttp_port ^= htons(1);
	EXPECT_EQ(-ECONNRESET, put(self->s, buf, 1, 0, a));
	a = self->tag;
	a.sttp_ifindex = ifindex(1, "eth1");
	EXPECT_EQ(-ECONNRESET, put(self->s, buf, 1, 0, a));
	TAG_IS_OPEN();
}

TEST_F(ttp_send, a_tag_with_a_bad_address)
{
	struct sockaddr_ttp a = self->tag;

	a.sttp_port = 0;
	EXPECT_EQ(-EINVAL, put(self->s, buf, 1, 0, a));
	a = self->tag;
	a.sttp_ifindex = 9999;
	EXPECT_EQ(-ENODEV, put(self->s, buf, 1, 0, a));
	a = self->tag;
	a.sttp_reserved = 1;
	EXPECT_EQ(-EINVAL, put(self->s, buf, 1, 0, a));
	TAG_IS_OPEN();
}

TEST_F(ttp_send, a_tag_of_a_client_that_gave_up)
{
	EXPECT_EQ(0, do_abort(self->c, 0));
	EXPECT_TRUE(WAIT_FOR(!status_of(self->s).rpcs_in));
	EXPECT_EQ(-ECONNRESET, put(self->s, buf, 1, 0, self->tag));
	EXPECT_EQ(-ECANCELED, get_len(self->c));

	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	self->tag = get_request(self->s);
	close(self->c);
	EXPECT_TRUE(WAIT_FOR(!status_of(self->s).rpcs_in));
	EXPECT_EQ(-ECONNRESET, put(self->s, buf, 1, 0, self->tag));
	EXPECT_EQ(-EAGAIN, R(recv(self->s, buf, 1, MSG_DONTWAIT)));
}

/* Receiving */

TEST_F(ttp_send, receive_into_bad_pointers)
{
	char *bad = bad_page(), control[64], name[32];
	struct iovec iov = { buf, 100000 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	fill(buf, 100000, 4);
	EXPECT_EQ(100000, put(self->c, buf, 100000, 0, self->to));
	EXPECT_EQ(-EFAULT, R(recv(self->s, bad, 1, 0)));
	EXPECT_EQ(-EFAULT, R(recv(self->s, NULL, 100000, 0)));
	EXPECT_EQ(-EFAULT, R(recv(self->s, bad - 4000, 100000, 0)));
	EXPECT_EQ(-EFAULT, R(recv(self->s, bad - 4000, 100000, MSG_PEEK)));
	EXPECT_EQ(-EFAULT, R(recvmsg(self->s, (void *)bad, 0)));
	msg.msg_iov = (void *)bad;
	EXPECT_EQ(-EFAULT, R(recvmsg(self->s, &msg, 0)));
	msg.msg_iov = &iov;
	EXPECT_EQ(100000, inq(self->s));
	memset(buf, 0, 100000);
	EXPECT_EQ(100000, R(recv(self->s, buf, sizeof(buf), 0)));
	EXPECT_TRUE(filled(buf, 100000, 4));

	/* the rest is as with any socket */
	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_RECVINFO, 1));
	EXPECT_EQ(3, put(self->c, buf, 3, 0, self->to));
	EXPECT_EQ(3, get_len(self->s));
	EXPECT_EQ(3, put(self->c, buf, 3, 0, self->to));
	msg.msg_name = bad;
	msg.msg_namelen = 32;
	EXPECT_EQ(-EFAULT, R(recvmsg(self->s, &msg, MSG_PEEK)));
	msg.msg_name = name;
	msg.msg_control = bad;
	msg.msg_controllen = 64;
	EXPECT_EQ(3, R(recvmsg(self->s, &msg, MSG_PEEK)));
	msg.msg_control = control;
	msg.msg_controllen = 64;
	EXPECT_EQ(3, R(recvmsg(self->s, &msg, 0)));
	EXPECT_LE(CMSG_LEN(sizeof(struct ttp_info)), msg.msg_controllen);
	TAG_IS_OPEN();
}

TEST_F(ttp_send, receive_flags)
{
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(POLLIN, events_in(self->s, POLLIN, 10000));
	EXPECT_EQ(-EINVAL, R(recv(self->s, buf, 1, MSG_OOB)));
	EXPECT_EQ(-EINVAL, R(recv(self->s, buf, 1, MSG_CONFIRM)));
	EXPECT_EQ(-EAGAIN, R(recv(self->s, buf, 1, MSG_ERRQUEUE)));
	EXPECT_EQ(1, R(recv(self->s, buf, 1, 0)));
	EXPECT_EQ(-EAGAIN, R(recv(self->s, buf, 1, MSG_DONTWAIT)));
}

TEST_F(ttp_send, nobody_listens)
{
	EXPECT_EQ(1, put(self->c, buf, 1, 0, addr_of(1, 9)));
	EXPECT_EQ(-ECONNREFUSED, get_len(self->c));
	EXPECT_EQ(MB(1), put(self->c, buf, MB(1), 0, addr_of(1, 9)));
	EXPECT_EQ(-ECONNREFUSED, get_len(self->c));
}

TEST_F(ttp_send, ioctl_with_a_bad_pointer)
{
	EXPECT_EQ(-EFAULT, R(ioctl(self->s, SIOCINQ, bad_page())));
	EXPECT_EQ(-EFAULT, R(ioctl(self->s, SIOCOUTQ, bad_page())));
	EXPECT_EQ(-ENOTTY, R(ioctl(self->s, TIOCSTI, buf)));
}

/* Options */

FIXTURE(ttp_opt) {
	int fd;
};

FIXTURE_SETUP(ttp_opt)
{
	self->fd = sock(1);
}

FIXTURE_TEARDOWN(ttp_opt)
{
	close(self->fd);
}

TEST_F(ttp_opt, unknown)
{
	int levels[] = { SOL_IP, SOL_TTP - 1, SOL_TTP + 1, 0x7fffffff };
	int names[] = { -1, 0, 9, 100, TTP_STATUS };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		EXPECT_EQ(-ENOPROTOOPT, set_opt(self->fd, levels[i], 1, 0));
		EXPECT_EQ(-ENOPROTOOPT, get_opt(self->fd, levels[i], 1));
	}
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		EXPECT_EQ(-ENOPROTOOPT, set_opt(self->fd, SOL_TTP, names[i],
						0));
		if (names[i] != TTP_STATUS)
			EXPECT_EQ(-ENOPROTOOPT, get_opt(self->fd, SOL_TTP,
							names[i]));
	}
	EXPECT_EQ(-ENOPROTOOPT, get_opt(self->fd, SOL_TTP, TTP_ABORT));
}

TEST_F(ttp_opt, zero_or_one)
{
	int names[] = { TTP_RECVINFO, TTP_LISTEN, TTP_ZEROCOPY }, i;

	for (i = 0; i < 3; i++) {
		EXPECT_EQ(0, get_opt(self->fd, SOL_TTP, names[i]));
		EXPECT_EQ(-EINVAL, set_opt(self->fd, SOL_TTP, names[i], 2));
		EXPECT_EQ(-EINVAL, set_opt(self->fd, SOL_TTP, names[i], -1));
		EXPECT_EQ(0, get_opt(self->fd, SOL_TTP, names[i]));
		EXPECT_EQ(0, set_opt(self->fd, SOL_TTP, names[i], 1));
		EXPECT_EQ(1, get_opt(self->fd, SOL_TTP, names[i]));
		EXPECT_EQ(0, set_opt(self->fd, SOL_TTP, names[i], 0));
		EXPECT_EQ(0, get_opt(self->fd, SOL_TTP, names[i]));
	}
}

TEST_F(ttp_opt, lengths_to_set)
{
	int names[] = { TTP_RECVINFO, TTP_LISTEN, TTP_MAX_MSG, TTP_TIMEOUT_MS,
			TTP_PRIORITY, TTP_ZEROCOPY }, one = 1;
	unsigned int i, len;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		for (len = 0; len < 4; len++)
			EXPECT_EQ(-EINVAL, R(setsockopt(self->fd, SOL_TTP,
							names[i], &one, len)));
		EXPECT_EQ(-EFAULT, R(setsockopt(self->fd, SOL_TTP, names[i],
						bad_page(), 4)));
	}
	for (len = 0; len < 8; len++)
		EXPECT_EQ(-EINVAL, R(setsockopt(self->fd, SOL_TTP, TTP_ABORT,
						&one, len)));
	EXPECT_EQ(-EFAULT, R(setsockopt(self->fd, SOL_TTP, TTP_ABORT,
					bad_page(), 8)));
	EXPECT_EQ(-EINVAL, R(setsockopt(self->fd, SOL_TTP, TTP_RECVINFO, &one,
					-1)));
}

TEST_F(ttp_opt, lengths_to_get)
{
	int value = -1;
	socklen_t len;

	EXPECT_EQ(0, set_opt(self->fd, SOL_TTP, TTP_TIMEOUT_MS, 0x01020304));
	len = 2;
	EXPECT_EQ(0, R(getsockopt(self->fd, SOL_TTP, TTP_TIMEOUT_MS, &value,
				  &len)));
	EXPECT_EQ(2, len);
	EXPECT_EQ(0, memcmp(&value, &(int) { 0x01020304 }, 2));
	EXPECT_NE(0x01020304, value);
	len = 0;
	EXPECT_EQ(0, R(getsockopt(self->fd, SOL_TTP, TTP_TIMEOUT_MS, bad_page(),
				  &len)));
	EXPECT_EQ(0, len);
	len = 100;
	EXPECT_EQ(0, R(getsockopt(self->fd, SOL_TTP, TTP_TIMEOUT_MS, buf,
				  &len)));
	EXPECT_EQ(4, len);
	len = -1;
	EXPECT_EQ(-EINVAL, R(getsockopt(self->fd, SOL_TTP, TTP_TIMEOUT_MS,
					&value, &len)));
	len = 4;
	EXPECT_EQ(-EFAULT, R(getsockopt(self->fd, SOL_TTP, TTP_TIMEOUT_MS,
					bad_page(), &len)));
	EXPECT_EQ(-EFAULT, R(getsockopt(self->fd, SOL_TTP, TTP_TIMEOUT_MS,
					&value, bad_page())));
}

TEST_F(ttp_opt, max_msg)
{
	EXPECT_EQ(MB(16), get_opt(self->fd, SOL_TTP, TTP_MAX_MSG));
	EXPECT_EQ(-EINVAL, set_opt(self->fd, SOL_TTP, TTP_MAX_MSG, MB(16) + 1));
	EXPECT_EQ(-EINVAL, set_opt(self->fd, SOL_TTP, TTP_MAX_MSG, -1));
	EXPECT_EQ(0, set_opt(self->fd, SOL_TTP, TTP_MAX_MSG, MB(16)));
	EXPECT_EQ(0, set_opt(self->fd, SOL_TTP, TTP_MAX_MSG, 1));
	EXPECT_EQ(1, get_opt(self->fd, SOL_TTP, TTP_MAX_MSG));
	EXPECT_EQ(0, set_opt(self->fd, SOL_TTP, TTP_MAX_MSG, 0));
	EXPECT_EQ(MB(16), get_opt(self->fd, SOL_TTP, TTP_MAX_MSG));
}

TEST_F(ttp_opt, priority)
{
	int i;

	EXPECT_EQ(-1, get_opt(self->fd, SOL_TTP, TTP_PRIORITY));
	EXPECT_EQ(-EINVAL, set_opt(self->fd, SOL_TTP, TTP_PRIORITY, -2));
	EXPECT_EQ(-EINVAL, set_opt(self->fd, SOL_TTP, TTP_PRIORITY, 8));
	EXPECT_EQ(0, set_opt(self->fd, SOL_TTP, TTP_PRIORITY, 7));
	EXPECT_EQ(7, get_opt(self->fd, SOL_TTP, TTP_PRIORITY));
	be_root(false);
	for (i = -1; i < 7; i++)
		EXPECT_EQ(0, set_opt(self->fd, SOL_TTP, TTP_PRIORITY, i));
	EXPECT_EQ(-EPERM, set_opt(self->fd, SOL_TTP, TTP_PRIORITY, 7));
	EXPECT_EQ(6, get_opt(self->fd, SOL_TTP, TTP_PRIORITY));
	be_root(true);
}

TEST_F(ttp_opt, abort_without_a_match)
{
	EXPECT_EQ(-ENOENT, do_abort(self->fd, 0));
	EXPECT_EQ(-ENOENT, do_abort(self->fd, 7));
}

/* Devices: h4 and h5, made for each test */

FIXTURE(ttp_dev) {
	int c, s;
	struct sockaddr_ttp to;
};

FIXTURE_SETUP(ttp_dev)
{
	int i;

	ASSERT_EQ(0, sh("printf '%%s\\n' 'netns add h4' 'netns add h5' "
			"'link add t0 netns h4 address 02:00:00:00:00:04 up "
			"type veth peer name t0 netns h5 "
			"address 02:00:00:00:00:05' | ip -batch -"));
	ASSERT_EQ(0, sh("ip -n h5 link set t0 up"));
	for (i = 4; i <= 5; i++)
		ASSERT_EQ(0, sh("ttpctl -n h%d dev add t0", i));
	self->s = server(5);
	self->to = addr_of(5, port_of(self->s));
	self->c = sock(4);
	ASSERT_LE(0, self->c);
	ASSERT_EQ(1, put(self->c, buf, 1, 0, self->to));
	ASSERT_EQ(1, put(self->s, buf, 1, 0, get_request(self->s)));
	ASSERT_EQ(1, get_len(self->c));
}

FIXTURE_TEARDOWN(ttp_dev)
{
	close(self->c);
	close(self->s);
	enter(0);
	sh("printf '%%s\\n' 'netns del h4' 'netns del h5' | ip -batch -");
}

/* Nobody takes the time that programs need to start for the end of a host */
static int patient(void)
{
	return sh("ttpctl -n h4 param set dead-timeout 30s && "
		  "ttpctl -n h5 param set dead-timeout 30s");
}

static long time_to_fail(int fd, long err)
{
	long start = now_ms();
	long ret = get_len(fd);

	return ret == err ? now_ms() - start : -1;
}

TEST_F(ttp_dev, disabled_at_the_client)
{
	int i;

	for (i = 0; i < 5; i++)
		EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_TRUE(WAIT_FOR(status_of(self->s).rpcs_in == 5));
	EXPECT_EQ(0, sh("ttpctl -n h4 dev del t0"));
	for (i = 0; i < 5; i++)
		EXPECT_EQ(-EHOSTUNREACH, get_len(self->c));
	EXPECT_EQ(-ENETUNREACH, put(self->c, buf, 1, 0, self->to));
	EXPECT_TRUE(WAIT_FOR(!status_of(self->s).rpcs_in));
	EXPECT_EQ(-EAGAIN, R(recv(self->s, buf, 1, MSG_DONTWAIT)));
	EXPECT_EQ(0, sh("ttpctl -n h4 dev add t0"));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(1, get_len(self->s));
}

TEST_F(ttp_dev, disabled_at_the_server)
{
	struct sockaddr_ttp a;

	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(2, put(self->c, buf, 2, 0, self->to));
	a = get_request(self->s);
	EXPECT_TRUE(WAIT_FOR(status_of(self->s).rpcs_in == 2));
	EXPECT_EQ(0, sh("ttpctl -n h5 dev del t0"));
	EXPECT_GT(at_most(500), (unsigned int)time_to_fail(self->c, -ECONNRESET));
	EXPECT_GT(at_most(500), (unsigned int)time_to_fail(self->c, -ECONNRESET));
	EXPECT_EQ(-ENETUNREACH, put(self->s, buf, 1, 0, a));
	/* nobody hears what comes now */
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(-ETIMEDOUT, get_len(self->c));
	EXPECT_EQ(0, sh("ttpctl -n h5 dev add t0"));
	EXPECT_EQ(-ECONNRESET, put(self->s, buf, 1, 0, a));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(1, get_len(self->s));
}

TEST_F(ttp_dev, pulled_out)
{
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(1, get_len(self->s));
	EXPECT_EQ(1, put(self->s, buf, 1, 0, addr_of(4, 9)));
	EXPECT_EQ(-ECONNREFUSED, get_len(self->s));
	EXPECT_EQ(0, sh("ip -n h4 link del t0"));
	EXPECT_EQ(-EHOSTUNREACH, get_len(self->c));
	EXPECT_EQ(-ENETUNREACH, put(self->c, buf, 1, 0, self->to));
	self->to.sttp_ifindex = 9999;
	EXPECT_EQ(-ENODEV, put(self->c, buf, 1, 0, self->to));
}

TEST_F(ttp_dev, moved_to_another_namespace)
{
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(0, sh("ip -n h4 link set t0 netns h5 name t4"));
	EXPECT_EQ(-EHOSTUNREACH, get_len(self->c));
	EXPECT_EQ(-ENETUNREACH, put(self->c, buf, 1, 0, self->to));
	/* not enabled when it comes back */
	EXPECT_EQ(0, sh("ip -n h5 link set t4 netns h4 name t0"));
	EXPECT_EQ(0, sh("ip -n h4 link set t0 up"));
	EXPECT_EQ(-ENETUNREACH, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(0, sh("ttpctl -n h4 dev add t0"));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
}

TEST_F(ttp_dev, renamed)
{
	ASSERT_EQ(0, patient());
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(0, sh("ip -n h4 link set t0 down"));
	EXPECT_EQ(0, sh("ip -n h4 link set t0 name t9"));
	EXPECT_EQ(0, sh("ip -n h4 link set t9 up"));
	EXPECT_EQ(3, put(self->s, buf, 3, 0, get_request(self->s)));
	EXPECT_EQ(3, get_len(self->c));
}

TEST_F(ttp_dev, down)
{
	long ms, start;

	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(1, get_len(self->s));
	EXPECT_EQ(0, set_opt(self->c, SOL_TTP, TTP_TIMEOUT_MS, 20000));
	EXPECT_EQ(2, put(self->c, buf, 2, 0, self->to));
	EXPECT_EQ(2, get_len(self->s));
	start = now_ms();
	EXPECT_EQ(0, sh("ip -n h4 link set t0 down"));
	EXPECT_EQ(-ENETDOWN, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(-ENETDOWN, connect_to(self->c, self->to));
	/* the limit of the first one, by the network namespace */
	EXPECT_EQ(-ETIMEDOUT, get_len(self->c));
	ms = now_ms() - start;
	EXPECT_LE(500, ms);
	EXPECT_GT(at_most(3000), ms);
	EXPECT_EQ(-EAGAIN, R(recv(self->c, buf, 1, MSG_DONTWAIT)));
	EXPECT_EQ(0, sh("ttpctl -n h4 dev del t0"));
	EXPECT_EQ(-ENETUNREACH, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(-EHOSTUNREACH, get_len(self->c));
}

TEST_F(ttp_dev, down_for_a_while_costs_nothing)
{
	struct sockaddr_ttp a;

	ASSERT_EQ(0, patient());
	EXPECT_EQ(100000, put(self->c, buf, 100000, 0, self->to));
	a = get_request(self->s);
	EXPECT_EQ(0, sh("ip -n h5 link set t0 down"));
	EXPECT_EQ(-ENETDOWN, put(self->s, buf, 1, 0, a));
	EXPECT_EQ(0, sh("ip -n h5 link set t0 up"));
	EXPECT_EQ(200000, put(self->s, buf, 200000, 0, a));
	EXPECT_EQ(0, sh("ip -n h5 link set t0 down"));
	EXPECT_EQ(0, sh("ip -n h5 link set t0 up"));
	EXPECT_EQ(200000, get_len(self->c));
}

TEST_F(ttp_dev, mtu_too_small)
{
	struct sockaddr_ttp a;

	ASSERT_EQ(0, patient());
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	a = get_request(self->s);
	EXPECT_EQ(0, sh("ip -n h5 link set t0 mtu 255"));
	EXPECT_EQ(-ENETDOWN, put(self->s, buf, 1, 0, a));
	EXPECT_EQ(0, sh("ip -n h5 link set t0 mtu 256"));
	EXPECT_EQ(30000, put(self->s, buf, 30000, 0, a));
	EXPECT_EQ(30000, get_len(self->c));
	EXPECT_EQ(0, sh("ip -n h4 link set t0 mtu 100"));
	EXPECT_EQ(-ENETDOWN, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(-ENETDOWN, connect_to(self->c, self->to));
	EXPECT_EQ(0, sh("ip -n h4 link set t0 mtu 1500"));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
}

/* Limits */

TEST_F(ttp_dev, max_peers)
{
	struct sockaddr_ttp a = self->to;

	EXPECT_EQ(0, sh("ttpctl -n h4 param set max-peers 2"));
	a.sttp_addr[5] = 0x70;
	EXPECT_EQ(1, put(self->c, buf, 1, 0, a));
	a.sttp_addr[5] = 0x71;
	EXPECT_EQ(-ENOBUFS, put(self->c, buf, 1, 0, a));
	EXPECT_EQ(-ENOBUFS, put(self->c, buf, 100000, 0, a));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	EXPECT_EQ(2, status_of(self->c).rpcs_out);
	EXPECT_LE(1, outq(self->c));	/* the other may be acknowledged */
	EXPECT_EQ(0, sh("ttpctl -n h4 param set max-peers 3"));
	EXPECT_EQ(1, put(self->c, buf, 1, 0, a));
}

TEST_F(ttp_dev, memory)
{
	struct sockaddr_ttp a;

	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	a = get_request(self->s);
	EXPECT_EQ(0, sh("ttpctl -n h4 param set mem 64K"));
	EXPECT_EQ(-ENOBUFS, put(self->c, buf, 100000, 0, self->to));
	EXPECT_EQ(1000, put(self->c, buf, 1000, 0, self->to));
	EXPECT_EQ(1000, get_len(self->s));
	EXPECT_EQ(0, sh("ttpctl -n h5 param set mem 64K"));
	EXPECT_EQ(-ENOBUFS, put(self->s, buf, 100000, 0, a));
	EXPECT_EQ(5, put(self->s, buf, 5, 0, a));
	EXPECT_EQ(5, get_len(self->c));
	EXPECT_TRUE(WAIT_FOR(!outq(self->s)));
}

TEST_F(ttp_dev, max_message)
{
	struct sockaddr_ttp a;

	EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	a = get_request(self->s);
	EXPECT_EQ(0, sh("ttpctl -n h5 param set max-message 50000"));
	EXPECT_EQ(-EMSGSIZE, put(self->s, buf, 50001, 0, a));
	EXPECT_EQ(50000, put(self->s, buf, 50000, 0, a));
	EXPECT_EQ(50000, get_len(self->c));
	/* the server's limit */
	EXPECT_EQ(50001, put(self->c, buf, 50001, 0, self->to));
	EXPECT_EQ(-EMSGSIZE, get_len(self->c));
	EXPECT_EQ(-EINVAL, set_opt(self->s, SOL_TTP, TTP_MAX_MSG, 50001));
}

TEST_F(ttp_dev, max_rpcs_of_a_peer_make_it_wait)
{
	int i;

	EXPECT_EQ(0, sh("ttpctl -n h5 param set max-rpcs-per-peer 3"));
	for (i = 0; i < 10; i++)
		EXPECT_EQ(1, put(self->c, buf, 1, 0, self->to));
	sleep_ms(2500);		/* longer than silence may last */
	EXPECT_EQ(3, status_of(self->s).rpcs_in);
	for (i = 0; i < 10; i++)
		EXPECT_EQ(2, put(self->s, buf, 2, 0, get_request(self->s)));
	for (i = 0; i < 10; i++)
		EXPECT_EQ(2, get_len(self->c));
}

TEST_F(ttp_dev, no_automatic_port_is_left)
{
	struct rlimit { unsigned long soft, hard; } limit = { 40000, 40000 };
	int i, fd, left = port_of(self->c) == 40000 ? 40001 : 40000;

	enter(4);
	ASSERT_EQ(0, syscall(SYS_prlimit64, 0, 7 /* NOFILE */, &limit, NULL));
	for (i = 32768; i < 65536; i++) {
		if (i == left || i == port_of(self->c))
			continue;
		fd = socket(AF_TTP, SOCK_DGRAM, 0);
		ASSERT_EQ(0, bind_to(fd, i, 0));
	}
	fd = sock(4);
	EXPECT_EQ(0, bind_to(fd, 0, 0));
	EXPECT_EQ(left, port_of(fd));
	fd = sock(4);
	EXPECT_EQ(-EADDRINUSE, bind_to(fd, 0, 0));
	EXPECT_EQ(-EADDRINUSE, set_opt(fd, SOL_TTP, TTP_LISTEN, 1));
	EXPECT_EQ(-EADDRINUSE, connect_to(fd, self->to));
	EXPECT_EQ(-EADDRINUSE, put(fd, buf, 1, 0, self->to));
	EXPECT_EQ(0, bind_to(fd, 32767, 0));
}

FIXTURE(ttp_errno_end) { };
FIXTURE_SETUP(ttp_errno_end) { }
FIXTURE_TEARDOWN(ttp_errno_end) { }

TEST_F(ttp_errno_end, all_is_given_back)
{
	EXPECT_TRUE(quiet(1));
	EXPECT_TRUE(quiet(2));
	EXPECT_TRUE(quiet(3));
}

TEST_HARNESS_MAIN
