// SPDX-License-Identifier: GPL-2.0
/*
 * The program's memory: what is not mapped, read-only, unaligned, too short,
 * in two pages or in many pieces; and that nothing is written that should not
 * be.  A client in h1, a server in h2 that has an open request.
 */
#include "contract.h"

/* The kernel's conversion of control messages has checks of its own */
#define COMPAT		(sizeof(long) == 4)

static char buf[MB(1)];

FIXTURE(ttp_mem) {
	int c, s;
	struct sockaddr_ttp to;		/* the server's address */
	struct sockaddr_ttp tag;	/* of the open request */
	char *edge;
};

FIXTURE_SETUP(ttp_mem)
{
	self->edge = edge();
	self->s = server(2);
	self->to = addr_of(2, port_of(self->s));
	self->c = sock(1);
	ASSERT_EQ(1, put(self->c, buf, 1, 0, self->to));
	self->tag = get_request(self->s);
	ASSERT_NE(0, self->tag.sttp_rpc);
}

FIXTURE_TEARDOWN(ttp_mem)
{
	close(self->c);
	close(self->s);
}

/* Nothing was sent, neither a request nor an answer */
#define NOTHING_HAPPENED() ({						\
	EXPECT_EQ(1, status_of(self->c).rpcs_out);			\
	EXPECT_EQ(0, status_of(self->s).snd_bytes);			\
	EXPECT_EQ(0, status_of(self->s).rcv_bytes);			\
	EXPECT_EQ(5, put(self->s, buf, 5, 0, self->tag));		\
	EXPECT_EQ(5, get_len(self->c));					\
	EXPECT_EQ(-EAGAIN, R(recv(self->c, NULL, 0, MSG_DONTWAIT)));	\
	EXPECT_EQ(-EAGAIN, R(recv(self->s, NULL, 0, MSG_DONTWAIT)));	\
})

/* ---- send calls */

TEST_F(ttp_mem, send_address_ends_in_nothing)
{
	int n;

	for (n = 0; n < 32; n++) {
		EXPECT_EQ(-EFAULT, R(sendto(self->c, buf, 1, 0,
			before_edge(self->edge, &self->to, 32, n), 32)));
		EXPECT_EQ(-EFAULT, R(sendto(self->s, buf, 1, 0,
			before_edge(self->edge, &self->tag, 32, n), 32)));
	}
	EXPECT_EQ(-EFAULT, R(sendto(self->c, buf, 1, 0, (void *)8, 32)));
	EXPECT_EQ(-EFAULT, R(sendto(self->c, buf, 1, 0, (void *)-PAGE, 32)));
	NOTHING_HAPPENED();
	EXPECT_EQ(1, R(sendto(self->c, buf, 1, 0,
			before_edge(self->edge, &self->to, 32, 32), 32)));
	EXPECT_EQ(1, get_len(self->s));
}

TEST_F(ttp_mem, send_address_lengths)
{
	char a[200] = {};
	struct msghdr msg = { .msg_name = a };
	int n;

	memset(a, 0xff, sizeof(a));
	memcpy(a, &self->to, 32);
	for (n = 0; n <= 128; n++) {
		/* without a length, sendmsg has no address, as with UDP */
		msg.msg_namelen = n;
		EXPECT_EQ(!n ? -EDESTADDRREQ : n < 32 ? -EINVAL : 0,
			  R(sendmsg(self->c, &msg, 0)));
		EXPECT_EQ(n < 32 ? -EINVAL : 0,
			  R(sendto(self->c, NULL, 0, 0, (void *)a, n)));
	}
	EXPECT_EQ(-EINVAL, R(sendto(self->c, NULL, 0, 0, (void *)a, 129)));
	EXPECT_EQ(-EINVAL, R(sendto(self->c, NULL, 0, 0, (void *)a, -1)));
	msg.msg_namelen = -1;
	EXPECT_EQ(-EINVAL, R(sendmsg(self->c, &msg, 0)));
	msg.msg_namelen = 200;		/* the kernel takes 128 of them */
	EXPECT_EQ(0, R(sendmsg(self->c, &msg, 0)));
	for (n = 0; n < 2 * 97 + 1; n++)
		EXPECT_EQ(0, get_len(self->s));
	EXPECT_EQ(-EAGAIN, R(recv(self->s, NULL, 0, MSG_DONTWAIT)));
}

TEST_F(ttp_mem, send_data_ends_in_nothing)
{
	static const int lens[] = { 1, 2, 100, 1500, 4096, 8000 };
	struct iovec iov[3];
	struct msghdr msg = { &self->to, 32, iov, 3 };
	unsigned int i, more;

	for (i = 0; i < ARRAY_SIZE(lens); i++)
		for (more = 1; more < 200000; more *= 7) {
			char *p = self->edge - lens[i];

			EXPECT_EQ(-EFAULT, put(self->c, p, lens[i] + more, 0,
					       self->to));
			EXPECT_EQ(-EFAULT, put(self->s, p, lens[i] + more, 0,
					       self->tag));
			iov[0] = (struct iovec) { buf, more };
			iov[1] = (struct iovec) { p, lens[i] + 1 };
			iov[2] = (struct iovec) { buf, more };
			msg.msg_name = &self->to;
			EXPECT_EQ(-EFAULT, R(sendmsg(self->c, &msg, 0)));
			msg.msg_name = &self->tag;
			EXPECT_EQ(-EFAULT, R(sendmsg(self->s, &msg, 0)));
		}
	EXPECT_EQ(-EFAULT, put(self->c, NULL, 1, 0, self->to));
	EXPECT_EQ(-EFAULT, put(self->c, (void *)-PAGE, 1, 0, self->to));
	NOTHING_HAPPENED();
}

/* Headers, vectors and control messages of the same send call */
struct parts {
	struct sockaddr_ttp to;
	union how_cmsg control;
	struct iovec iov[2];
	struct msghdr msg;
};

static void parts_set(struct parts *p, struct sockaddr_ttp to, bool has_send)
{
	p->to = to;
	p->control = how_cmsg((struct ttp_send) {});
	p->iov[0] = (struct iovec) { buf, 3 };
	p->iov[1] = (struct iovec) { buf + 3, 4 };
	p->msg = (struct msghdr) {
		.msg_name = &p->to,
		.msg_namelen = 32,
		.msg_iov = p->iov,
		.msg_iovlen = 2,
		.msg_control = has_send ? &p->control : NULL,
		.msg_controllen = has_send ? SEND_SPACE : 0,
	};
}

TEST_F(ttp_mem, send_headers_end_in_nothing)
{
	struct parts p;
	size_t n;
	int i;

	for (i = 0; i < 2; i++) {
		int fd = i ? self->s : self->c;

		parts_set(&p, i ? self->tag : self->to, true);
		for (n = 0; n < sizeof(p.msg); n += 4)
			EXPECT_EQ(-EFAULT, R(sendmsg(fd, before_edge(self->edge,
				&p.msg, sizeof(p.msg), n), 0)));
		for (n = 0; n < sizeof(p.iov); n += 4) {
			p.msg.msg_iov = before_edge(self->edge, p.iov,
						    sizeof(p.iov), n);
			EXPECT_EQ(-EFAULT, R(sendmsg(fd, &p.msg, 0)));
		}
		p.msg.msg_iov = p.iov;
		for (n = 0; n < SEND_SPACE; n++) {
			p.msg.msg_control = before_edge(self->edge, &p.control,
							SEND_SPACE, n);
			EXPECT_EQ(-EFAULT, R(sendmsg(fd, &p.msg, 0)));
		}
		p.msg.msg_control = NULL;
		EXPECT_EQ(COMPAT ? -EINVAL : -EFAULT,
			  R(sendmsg(fd, &p.msg, 0)));
	}
	EXPECT_EQ(-EFAULT, R(sendmsg(self->c, NULL, 0)));
	p.msg.msg_iov = NULL;
	EXPECT_EQ(-EFAULT, R(sendmsg(self->c, &p.msg, 0)));
	NOTHING_HAPPENED();
}

TEST_F(ttp_mem, control_lengths_that_nobody_means)
{
	static const int lens[] = { -1, 0x7fffffff };
	struct parts p;
	int i;

	parts_set(&p, self->to, true);
	for (i = 0; i < 2; i++) {
		long ret;

		p.msg.msg_controllen = lens[i];
		ret = R(sendmsg(self->c, &p.msg, 0));
		EXPECT_TRUE(ret == -ENOBUFS || (COMPAT && ret == -EFAULT));
	}
	NOTHING_HAPPENED();
	/* too short for a header: no control message at all, as with UDP */
	p.msg.msg_controllen = 4;
	EXPECT_EQ(COMPAT ? -EINVAL : 7, R(sendmsg(self->c, &p.msg, 0)));
	EXPECT_EQ(COMPAT ? -EAGAIN : 7,
		  R(recv(self->s, buf, 9, COMPAT ? MSG_DONTWAIT : 0)));
}

TEST_F(ttp_mem, send_from_memory_that_can_only_be_read)
{
	struct parts *p = (void *)(self->edge - PAGE);
	int i;

	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, mprotect(p, PAGE, PROT_READ | PROT_WRITE));
		parts_set(p, i ? self->tag : self->to, true);
		fill(p + 1, 100, 3);
		p->iov[0].iov_base = p + 1;
		p->iov[1].iov_base = (char *)(p + 1) + 3;
		ASSERT_EQ(0, mprotect(p, PAGE, PROT_READ));
		EXPECT_EQ(7, R(sendmsg(i ? self->s : self->c, &p->msg, 0)));
		EXPECT_EQ(7, R(recv(i ? self->c : self->s, buf, 9, 0)));
		EXPECT_TRUE(filled(buf, 7, 3));
	}
}

TEST_F(ttp_mem, send_across_a_page_boundary)
{
	char *middle = self->edge - PAGE;
	struct parts p;
	size_t n;

	for (n = 1; n < 80; n++) {
		parts_set(&p, self->to, true);
		if (n < 32)
			p.msg.msg_name = memcpy(middle - n, &self->to, 32);
		else if (n - 32 < SEND_SPACE)
			p.msg.msg_control = memcpy(middle - (n - 32),
						   &p.control, SEND_SPACE);
		fill(middle + 200, 7, n);
		p.iov[0].iov_base = middle + 200;
		p.iov[1].iov_base = middle + 203;
		ASSERT_EQ(7, R(sendmsg(self->c, &p.msg, 0)));
		ASSERT_EQ(7, R(recv(self->s, buf, 9, 0)));
		ASSERT_TRUE(filled(buf, 7, n));
	}
	for (n = 1; n < 3000; n += n < 20 ? 1 : 211) {
		fill(middle - n, 3000, n);
		ASSERT_EQ(3000, put(self->c, middle - n, 3000, 0, self->to));
		memset(middle - n, 0xff, 3001);
		ASSERT_EQ(3000, R(recv(self->s, middle - n, 3000, 0)));
		ASSERT_TRUE(filled(middle - n, 3000, n));
		ASSERT_EQ('\xff', middle[3000 - n]);
	}
}

TEST_F(ttp_mem, nothing_need_be_aligned)
{
	static char mem[1024], in[8192];
	struct parts p;
	struct got got;
	size_t n;

	for (n = 0; n < 16; n++) {
		char *a = mem + n, *c = mem + 128 + n, *v = mem + 256 + n;
		char *m = mem + 512 + n, *d = buf + n;

		parts_set(&p, self->to, true);
		p.iov[0] = (struct iovec) { d, 1 + n };
		p.iov[1] = (struct iovec) { d + 1 + n, 4000 };
		fill(d, 4001 + n, n);
		p.msg.msg_name = memcpy(a, &p.to, 32);
		p.msg.msg_control = memcpy(c, &p.control, SEND_SPACE);
		p.msg.msg_iov = memcpy(v, p.iov, sizeof(p.iov));
		memcpy(m, &p.msg, sizeof(p.msg));
		ASSERT_EQ(4001 + n, R(sendmsg(self->c, (void *)m, 0)));
		memset(in, 0xff, sizeof(in));
		ASSERT_EQ(4001 + n, get(self->s, in + n, 5000, 0, &got));
		ASSERT_TRUE(filled(in + n, 4001 + n, n));
		ASSERT_TRUE(all(in, 0xff, n));
		ASSERT_TRUE(all(in + n + 4001 + n, 0xff, 1000));

		/* and the answer, by a tag that is not aligned either */
		memcpy(a, &got.from, 32);
		ASSERT_EQ(0, R(sendto(self->s, d, 0, 0, (void *)a, 32)));
		ASSERT_EQ(0, get_len(self->c));
	}
}

TEST_F(ttp_mem, receive_nothing_need_be_aligned)
{
	static char mem[1024], in[64];
	size_t n;

	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_RECVINFO, 1));
	for (n = 0; n < 16; n++) {
		char *a = mem + n, *c = mem + 128 + n, *v = mem + 256 + n;
		struct sockaddr_ttp from;
		struct ttp_info info;
		struct cmsghdr h;
		struct iovec iov = { in + n, 9 };
		struct msghdr msg = { a, 32, (void *)v, 1, c, 100 };

		memset(mem, 0xff, sizeof(mem));
		memcpy(v, &iov, sizeof(iov));
		ASSERT_EQ(3, put(self->c, "abc", 3, 0, self->to));
		ASSERT_EQ(3, R(recvmsg(self->s, &msg, 0)));
		EXPECT_EQ(0, memcmp(in + n, "abc", 3));
		memcpy(&from, a, 32);
		EXPECT_EQ(AF_TTP, from.sttp_family);
		EXPECT_EQ(port_of(self->c), ntohs(from.sttp_port));
		EXPECT_TRUE(all(a + 32, 0xff, 64));
		memcpy(&h, c, sizeof(h));
		EXPECT_EQ(SOL_TTP, h.cmsg_level);
		EXPECT_EQ(TTP_INFO, h.cmsg_type);
		EXPECT_EQ(INFO_LEN, h.cmsg_len);
		memcpy(&info, c + INFO_LEN - sizeof(info), sizeof(info));
		EXPECT_EQ(3, info.length);
		EXPECT_TRUE(all(c + INFO_LEN, 0xff, 64));
		ASSERT_EQ(2, put(self->s, buf, 2, 0, from));
		ASSERT_EQ(2, get_len(self->c));
	}
}

/* ---- iovecs */

TEST_F(ttp_mem, iovecs_of_one_byte)
{
	static char from[2048], to[2048];
	struct iovec iov[1024];
	struct msghdr msg = { &self->to, 32, iov, 1024 };
	int i;

	for (i = 0; i < 1024; i++) {
		from[2 * i] = i * 31 >> 2;
		iov[i] = (struct iovec) { from + 2 * i, 1 };
	}
	ASSERT_EQ(1024, R(sendmsg(self->c, &msg, 0)));
	memset(to, 0xff, sizeof(to));
	for (i = 0; i < 1024; i++)	/* from the end */
		iov[i] = (struct iovec) { to + 2046 - 2 * i, 1 };
	msg.msg_name = NULL;
	ASSERT_EQ(1024, R(recvmsg(self->s, &msg, 0)));
	for (i = 0; i < 1024; i++) {
		ASSERT_EQ(from[2 * i], to[2046 - 2 * i]);
		ASSERT_EQ('\xff', to[2047 - 2 * i]);
	}
	EXPECT_EQ(0, msg.msg_flags);
}

TEST_F(ttp_mem, iovecs_too_many_or_too_long)
{
	static struct iovec iov[1025];
	struct msghdr msg = { &self->to, 32, iov, 1025 };

	EXPECT_EQ(-EMSGSIZE, R(sendmsg(self->c, &msg, 0)));
	msg.msg_iovlen = -1;
	EXPECT_EQ(-EMSGSIZE, R(sendmsg(self->c, &msg, 0)));
	msg.msg_name = &self->tag;
	msg.msg_iovlen = 1025;
	EXPECT_EQ(-EMSGSIZE, R(sendmsg(self->s, &msg, 0)));
	msg.msg_iovlen = 2;
	iov[0] = (struct iovec) { buf, -1 };
	EXPECT_EQ(-EINVAL, R(sendmsg(self->s, &msg, 0)));
	iov[0] = (struct iovec) { buf, 1UL << (8 * sizeof(long) - 1) };
	EXPECT_EQ(-EINVAL, R(sendmsg(self->s, &msg, 0)));
	iov[0].iov_len--;	/* a long way to the end of memory */
	EXPECT_GT(0, R(sendmsg(self->s, &msg, 0)));
	msg.msg_name = &self->to;
	EXPECT_GT(0, R(sendmsg(self->c, &msg, 0)));
	NOTHING_HAPPENED();
}

TEST_F(ttp_mem, receive_iovecs_too_many_or_too_long)
{
	static struct iovec iov[1025];
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 1025 };

	ASSERT_EQ(3, put(self->c, "abc", 3, 0, self->to));
	ASSERT_EQ(POLLIN, events_in(self->s, POLLIN, 10000));
	EXPECT_EQ(-EMSGSIZE, R(recvmsg(self->s, &msg, 0)));
	msg.msg_iovlen = 1;
	iov[0] = (struct iovec) { buf, -1 };
	EXPECT_EQ(-EINVAL, R(recvmsg(self->s, &msg, 0)));
	EXPECT_EQ(3, inq(self->s));
	/* a buffer that is not all there is enough for a short message */
	iov[0] = (struct iovec) { self->edge - 3, 1 << 30 };
	EXPECT_EQ(3, R(recvmsg(self->s, &msg, 0)));
	EXPECT_EQ(0, memcmp(self->edge - 3, "abc", 3));
}

/* ---- receive calls */

TEST_F(ttp_mem, receive_data_ends_in_nothing)
{
	static const int flags[] = { 0, MSG_PEEK, MSG_TRUNC, MSG_WAITALL,
				     MSG_PEEK | MSG_TRUNC, MSG_DONTWAIT };
	unsigned int i, n;
	struct got got;

	fill(buf, 5000, 1);
	ASSERT_EQ(5000, put(self->c, buf, 5000, 0, self->to));
	ASSERT_EQ(2, put(self->c, "ab", 2, 0, self->to));
	EXPECT_TRUE(WAIT_FOR(status_of(self->s).rcv_bytes == 5002));
	for (i = 0; i < ARRAY_SIZE(flags); i++)
		for (n = 0; n < 5000; n += n < 10 ? 1 : 499) {
			ASSERT_EQ(-EFAULT, get(self->s, self->edge - n, 5000,
					       flags[i], &got));
			/* nothing is told about it */
			ASSERT_TRUE(all(&got.from, 0xff, sizeof(got.from)));
			ASSERT_EQ(5000, inq(self->s));
			ASSERT_EQ(POLLIN | POLLOUT, events(self->s));
		}
	EXPECT_EQ(-EFAULT, R(recv(self->s, NULL, 1, 0)));
	EXPECT_EQ(-EFAULT, R(recv(self->s, (void *)-PAGE, 1, 0)));
	EXPECT_EQ(5002, status_of(self->s).rcv_bytes);
	EXPECT_EQ(0, get_opt(self->s, SOL_SOCKET, SO_ERROR));
	memset(buf, 0xff, 5001);
	EXPECT_EQ(5000, get(self->s, buf, 6000, 0, &got));
	EXPECT_TRUE(filled(buf, 5000, 1));
	EXPECT_EQ('\xff', buf[5000]);
	EXPECT_EQ(2, put(self->s, buf, 2, 0, got.from));
	EXPECT_EQ(2, get_len(self->c));
	EXPECT_TRUE(arrives_alone(self->s, 2));
}

TEST_F(ttp_mem, receive_into_memory_that_can_only_be_read)
{
	struct iovec iov[3] = { { buf, 10 }, {}, { buf, 10 } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 3 };

	ASSERT_EQ(0, mprotect(self->edge - PAGE, PAGE, PROT_READ));
	fill(buf + 100, 100, 2);
	ASSERT_EQ(100, put(self->c, buf + 100, 100, 0, self->to));
	EXPECT_EQ(-EFAULT, R(recv(self->s, self->edge - PAGE, 100, 0)));
	EXPECT_EQ(-EFAULT, R(recv(self->s, self->edge - PAGE - 99, 100, 0)));
	iov[1] = (struct iovec) { self->edge - PAGE, 20 };
	EXPECT_EQ(-EFAULT, R(recvmsg(self->s, &msg, 0)));
	EXPECT_EQ(100, R(recv(self->s, self->edge - PAGE - 100, 100, 0)));
	EXPECT_TRUE(filled(self->edge - PAGE - 100, 100, 2));
}

TEST_F(ttp_mem, receive_faults_leave_answers_and_failures_too)
{
	struct got got;

	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_RECVINFO, 1));
	ASSERT_EQ(100, put(self->s, buf, 100, 0, self->tag));
	ASSERT_EQ(POLLIN, events_in(self->c, POLLIN, 10000));
	EXPECT_EQ(-EFAULT, get(self->c, self->edge - 50, 100, 0, &got));
	EXPECT_EQ(100, inq(self->c));
	EXPECT_EQ(100, get(self->c, buf, 100, 0, &got));
	EXPECT_EQ(TTP_KIND_RESPONSE, got.info.kind);
	/* a failure and an empty message have no bytes to fail for */
	ASSERT_EQ(0, put(self->c, buf, 0, 0, addr_of(2, 9)));
	EXPECT_EQ(0, get(self->c, self->edge, 100, 0, &got));
	EXPECT_EQ(ECONNREFUSED, got.info.error);
	ASSERT_EQ(0, put(self->c, buf, 0, 0, self->to));
	EXPECT_EQ(0, get(self->s, self->edge, 100, 0, &got));
	EXPECT_NE(0, got.from.sttp_rpc);
}

TEST_F(ttp_mem, receive_headers_end_in_nothing)
{
	struct iovec iov[2] = { { buf, 1 }, { buf + 1, 9 } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	size_t n;

	ASSERT_EQ(3, put(self->c, "abc", 3, 0, self->to));
	ASSERT_EQ(POLLIN, events_in(self->s, POLLIN, 10000));
	for (n = 0; n < sizeof(msg); n += 4)
		EXPECT_EQ(-EFAULT, R(recvmsg(self->s, before_edge(self->edge,
			&msg, sizeof(msg), n), 0)));
	for (n = 0; n < sizeof(iov); n += 4) {
		msg.msg_iov = before_edge(self->edge, iov, sizeof(iov), n);
		EXPECT_EQ(-EFAULT, R(recvmsg(self->s, &msg, 0)));
	}
	EXPECT_EQ(-EFAULT, R(recvmsg(self->s, NULL, 0)));
	EXPECT_TRUE(arrives_alone(self->s, 3));
}

TEST_F(ttp_mem, name_lengths)
{
	unsigned char name[64];
	struct iovec iov = { buf, 1 };
	socklen_t len;
	unsigned int n;

	ASSERT_EQ(1, put(self->c, buf, 1, 0, self->to));
	for (n = 0; n <= 40; n++) {
		struct msghdr msg = { name, n, &iov, 1 };
		struct sockaddr_ttp whole;

		memset(name, 0xaa, sizeof(name));
		ASSERT_EQ(1, R(recvmsg(self->s, &msg, MSG_PEEK)));
		EXPECT_EQ(32, msg.msg_namelen);
		len = 32;
		ASSERT_EQ(1, R(recvfrom(self->s, buf, 1, MSG_PEEK,
					(void *)&whole, &len)));
		len = n < 32 ? n : 32;
		EXPECT_EQ(0, memcmp(name, &whole, len));
		EXPECT_TRUE(all(name + len, 0xaa, sizeof(name) - len));

		memset(name, 0xaa, sizeof(name));
		len = n;
		ASSERT_EQ(1, R(recvfrom(self->s, buf, 1, MSG_PEEK, (void *)name,
					&len)));
		EXPECT_EQ(32, len);
		len = n < 32 ? n : 32;
		EXPECT_EQ(0, memcmp(name, &whole, len));
		EXPECT_TRUE(all(name + len, 0xaa, sizeof(name) - len));
	}
	/* nobody asks for it */
	EXPECT_EQ(1, R(recvfrom(self->s, buf, 1, MSG_PEEK, NULL, NULL)));
	EXPECT_EQ(1, R(recvfrom(self->s, buf, 1, MSG_PEEK, NULL, &len)));
	EXPECT_TRUE(arrives_alone(self->s, 1));
}

TEST_F(ttp_mem, control_lengths)
{
	union {
		unsigned char buf[128];
		struct cmsghdr h;
	} u;
	size_t n, put_in, info_at = INFO_LEN - sizeof(struct ttp_info);
	struct got got;

	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_RECVINFO, 1));
	ASSERT_EQ(1, put(self->c, buf, 1, 0, self->to));
	ASSERT_EQ(1, get(self->s, buf, 1, MSG_PEEK, &got));
	for (n = 0; n < 64; n++) {
		struct iovec iov = { buf, 1 };
		struct msghdr msg = { NULL, 0, &iov, 1, u.buf, n };
		bool fits = n >= INFO_LEN;

		memset(u.buf, 0xaa, sizeof(u.buf));
		ASSERT_EQ(1, R(recvmsg(self->s, &msg, MSG_PEEK)));
		EXPECT_EQ(fits ? 0 : MSG_CTRUNC, msg.msg_flags);
		put_in = n < sizeof(u.h) ? 0 : fits ? INFO_LEN : n;
		EXPECT_TRUE(all(u.buf + put_in, 0xaa, sizeof(u) - put_in));
		if (!put_in) {
			EXPECT_EQ(0, msg.msg_controllen);
			continue;
		}
		EXPECT_EQ(SOL_TTP, u.h.cmsg_level);
		EXPECT_EQ(TTP_INFO, u.h.cmsg_type);
		EXPECT_EQ(put_in, u.h.cmsg_len);
		if (put_in > info_at + INFO_LASTS)
			put_in = info_at + INFO_LASTS;
		EXPECT_EQ(0, memcmp(u.buf + info_at, &got.info,
				    put_in - info_at));
	}
	/* nowhere to put it: received all the same */
	for (n = 0; n < 2; n++) {
		struct iovec iov = { buf, 1 };
		struct msghdr msg = { NULL, 0, &iov, 1, n ? self->edge : NULL,
				      64 };

		EXPECT_EQ(1, R(recvmsg(self->s, &msg, MSG_PEEK)));
		if (!n)
			EXPECT_EQ(MSG_CTRUNC, msg.msg_flags);
		EXPECT_EQ(0, msg.msg_controllen);
	}
	EXPECT_TRUE(arrives_alone(self->s, 1));
}

/* ---- bytes that nobody has set */

#define RTT_AT		(INFO_LEN - sizeof(struct ttp_info) + INFO_LASTS)

/* Each byte of a message's name and info, whatever was there before */
static bool clean_get(int fd, struct got *got, int flags)
{
	union {
		unsigned char buf[128];
		struct cmsghdr h;
	} u[2];
	struct sockaddr_ttp name[2];
	struct iovec iov = { buf, sizeof(buf) };
	int i;

	for (i = 0; i < 2; i++) {
		struct msghdr msg = { name + i, sizeof(name[i]), &iov, 1,
				      u + i, sizeof(u[i]) };

		memset(u + i, i ? 0xff : 0, sizeof(u[i]));
		memset(name + i, i ? 0xff : 0, sizeof(name[i]));
		if (recvmsg(fd, &msg, MSG_PEEK) < 0)
			return false;
	}
	return get(fd, buf, sizeof(buf), flags, got) >= 0 && got->has_info &&
	       !memcmp(u, u + 1, RTT_AT) &&
	       memcmp(u[1].buf + RTT_AT, "\xff\xff\xff", 3) &&
	       all(u[1].buf + INFO_LEN, 0xff, sizeof(u[1]) - INFO_LEN) &&
	       !memcmp(name, name + 1, sizeof(name[0])) &&
	       !memcmp(name, &got->from, sizeof(name[0])) &&
	       all(name[0].sttp_pad, 0, sizeof(name[0].sttp_pad)) &&
	       !name[0].sttp_reserved && !got->info.pad;
}

TEST_F(ttp_mem, all_bytes_of_name_and_info_are_set)
{
	struct ttp_send notify = { 3, TTP_F_ONEWAY | TTP_F_NOTIFY, 0 };
	struct got got;

	ASSERT_EQ(0, set_opt(self->s, SOL_TTP, TTP_RECVINFO, 1));
	ASSERT_EQ(0, set_opt(self->c, SOL_TTP, TTP_RECVINFO, 1));
	ASSERT_EQ(3000, put(self->c, buf, 3000, 0, self->to));
	EXPECT_TRUE(clean_get(self->s, &got, 0));
	EXPECT_EQ(TTP_KIND_REQUEST, got.info.kind);
	ASSERT_EQ(3000, put(self->s, buf, 3000, 0, got.from));
	EXPECT_TRUE(clean_get(self->c, &got, 0));
	EXPECT_EQ(TTP_KIND_RESPONSE, got.info.kind);
	ASSERT_EQ(20, put_how(self->c, buf, 20, self->to, notify));
	EXPECT_TRUE(clean_get(self->s, &got, 0));
	EXPECT_EQ(TTP_KIND_ONEWAY, got.info.kind);
	EXPECT_TRUE(clean_get(self->c, &got, 0));
	EXPECT_EQ(TTP_KIND_COMPLETION, got.info.kind);
	ASSERT_EQ(20, put(self->c, buf, 20, 0, addr_of(2, 9)));
	EXPECT_TRUE(clean_get(self->c, &got, 0));
	EXPECT_EQ(TTP_KIND_FAILURE, got.info.kind);
	/* of an RPC that never left, to a peer that was never heard */
	ASSERT_EQ(20, put(self->c, buf, 20, 0, addr_of(0, 9)));
	EXPECT_EQ(0, do_abort(self->c, 0));
	do {
		EXPECT_TRUE(clean_get(self->c, &got, 0));
		EXPECT_EQ(ECANCELED, got.info.error);
	} while (status_of(self->c).rpcs_out);
}

TEST_F(ttp_mem, bytes_behind_a_message_are_left_alone)
{
	static const int lens[] = { 0, 1, 7, 255, 256, 1400, 4095, 4096, 9000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		fill(buf, lens[i], i);
		ASSERT_EQ(lens[i], put(self->c, buf, lens[i], 0, self->to));
		memset(buf, 0xaa, 30000);
		ASSERT_EQ(lens[i], R(recv(self->s, buf + 100, 15000, 0)));
		EXPECT_TRUE(filled(buf + 100, lens[i], i));
		EXPECT_TRUE(all(buf, 0xaa, 100));
		EXPECT_TRUE(all(buf + 100 + lens[i], 0xaa, 15000));
	}
}

/* A receive call that returns an error writes nothing at all */
TEST_F(ttp_mem, failures_write_nothing)
{
	unsigned char control[64];
	struct sockaddr_ttp name;
	struct iovec iov = { buf, 10 };
	struct msghdr msg = { &name, 32, &iov, 1, control, 64, 0x5555 };
	struct msghdr copy = msg;
	socklen_t len = 77;

	memset(&name, 0xaa, sizeof(name));
	memset(control, 0xaa, sizeof(control));
	memset(buf, 0xaa, 10);
	ASSERT_EQ(1, put(self->c, buf, 1, 0, addr_of(2, 9)));
	EXPECT_EQ(-ECONNREFUSED, R(recvmsg(self->c, &msg, MSG_PEEK)));
	EXPECT_EQ(-ECONNREFUSED, R(recvfrom(self->c, buf, 10, 0, (void *)&name,
					    &len)));
	EXPECT_EQ(-EAGAIN, R(recvmsg(self->c, &msg, MSG_DONTWAIT)));
	EXPECT_EQ(0, memcmp(&msg, &copy, sizeof(msg)));
	EXPECT_EQ(77, len);
	EXPECT_TRUE(all(&name, 0xaa, sizeof(name)));
	EXPECT_TRUE(all(control, 0xaa, sizeof(control)));
	EXPECT_TRUE(all(buf, 0xaa, 10));
}

/* ---- other pointers */

TEST_F(ttp_mem, names_end_in_nothing)
{
	struct sockaddr_ttp a;
	socklen_t len, *lenp = (void *)(self->edge - 4);
	unsigned int n;
	int fd = sock(1);

	for (n = 0; n < 32; n++) {
		struct sockaddr_ttp own = { .sttp_family = AF_TTP };

		EXPECT_EQ(-EFAULT, R(bind(fd, before_edge(self->edge, &own, 32,
							  n), 32)));
		EXPECT_EQ(-EFAULT, R(connect(fd, before_edge(self->edge,
						&self->to, 32, n), 32)));
		len = 32;
		EXPECT_EQ(-EFAULT, R(getsockname(self->s,
						 (void *)(self->edge - n),
						 &len)));
	}
	EXPECT_EQ(-EFAULT, R(bind(fd, NULL, 32)));
	EXPECT_EQ(-EFAULT, R(connect(fd, NULL, 32)));
	EXPECT_EQ(0, port_of(fd));
	EXPECT_EQ(-ENOTCONN, R(getpeername(fd, (void *)&a, &len)));
	for (n = 1; n < 4; n++)
		EXPECT_EQ(-EFAULT, R(getsockname(fd, (void *)&a,
						 (void *)(self->edge - n))));
	*lenp = 32;
	EXPECT_EQ(0, R(getsockname(fd, (void *)&a, lenp)));
	EXPECT_EQ(32, *lenp);
	close(fd);
}

TEST_F(ttp_mem, name_buffers_of_each_length)
{
	unsigned char b[64];
	struct sockaddr_ttp whole;
	socklen_t len, n;
	int peer;

	ASSERT_EQ(0, connect_to(self->c, self->to));
	for (peer = 0; peer < 2; peer++) {
		len = 32;
		ASSERT_EQ(0, (peer ? getpeername : getsockname)(self->c,
			(void *)&whole, &len));
		ASSERT_EQ(32, len);
		for (n = 0; n < 48; n++) {
			socklen_t in = n < 32 ? n : 32;

			memset(b, 0xaa, sizeof(b));
			len = n;
			EXPECT_EQ(0, (peer ? getpeername : getsockname)(self->c,
				(void *)b, &len));
			EXPECT_EQ(32, len);
			EXPECT_EQ(0, memcmp(b, &whole, in));
			EXPECT_TRUE(all(b + in, 0xaa, sizeof(b) - in));
		}
		len = -1;
		EXPECT_EQ(-EINVAL, R((peer ? getpeername : getsockname)(self->c,
			(void *)b, &len)));
	}
}

TEST_F(ttp_mem, ioctl_pointers)
{
	int n;

	for (n = 0; n < 4; n++) {
		EXPECT_EQ(-EFAULT, R(ioctl(self->s, SIOCINQ, self->edge - n)));
		EXPECT_EQ(-EFAULT, R(ioctl(self->s, SIOCOUTQ, self->edge - n)));
	}
	memset(self->edge - 8, 0xaa, 8);
	EXPECT_EQ(0, R(ioctl(self->s, SIOCINQ, self->edge - 5)));
	EXPECT_TRUE(all(self->edge - 5, 0, 4));
	EXPECT_EQ('\xaa', self->edge[-1]);
	EXPECT_EQ('\xaa', self->edge[-6]);
}

FIXTURE(ttp_mem_end) { };
FIXTURE_SETUP(ttp_mem_end) { }
FIXTURE_TEARDOWN(ttp_mem_end) { }

TEST_F(ttp_mem_end, all_is_given_back)
{
	EXPECT_TRUE(quiet(1));
	EXPECT_TRUE(quiet(2));
}

TEST_HARNESS_MAIN
