/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For ttp_diag.c: lists by sock_diag and by the generic netlink family, as they
 * come from the kernel.
 */
#ifndef _DIAG_NL_H
#define _DIAG_NL_H

#include <linux/filter.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>

#include <linux/ttp_diag.h>
#include <linux/ttp_netlink.h>

#include "ttp_test.h"

/* One socket or RPC of a list; @family is 0 for generic netlink */
struct row {
	int family;
	unsigned long ino;
	uint32_t port;
	bool odd;			/* not what the header promises */
	struct ttp_diag_msg msg;
	struct ttp_diag_queues queues;
	int shutdown;
	int meminfo;			/* numbers in there, -1 = absent */
	int rcvbuf;
	int filter;			/* bytes, -1 = absent */
	struct sock_filter first;
};

typedef void (*row_fn)(const struct row *row, void *arg);

/* A list being read */
struct list {
	int fd;
	bool interrupted;		/* NLM_F_DUMP_INTR was seen */
	int parts;
	row_fn fn;
	void *arg;
	void (*between)(void *arg);	/* called between two parts */
};

static inline int nl_open(int host, int protocol)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	int fd;

	enter(host);
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	if (fd < 0 || bind(fd, (void *)&addr, sizeof(addr)))
		return -errno;
	return fd;
}

static inline long nl_send(int fd, int type, int flags, const void *body,
			   size_t len)
{
	struct {
		struct nlmsghdr nlh;
		char body[256];
	} msg = {
		.nlh.nlmsg_len = NLMSG_LENGTH(len),
		.nlh.nlmsg_type = type,
		.nlh.nlmsg_flags = NLM_F_REQUEST | flags,
		.nlh.nlmsg_seq = 7,
	};

	memcpy(msg.body, body, len);
	return R(send(fd, &msg, NLMSG_ALIGN(msg.nlh.nlmsg_len), 0));
}

static inline bool diag_attr(struct row *row, const struct nlattr *a)
{
	const void *data = a + 1;
	int len = a->nla_len - NLA_HDRLEN;

	switch (a->nla_type) {
	case TTP_DIAG_PAD:
		return !len;
	case TTP_DIAG_QUEUES:
		if (len != sizeof(row->queues))
			return false;
		memcpy(&row->queues, data, len);
		return !row->queues.reserved;
	case TTP_DIAG_SHUTDOWN:
		row->shutdown = *(const unsigned char *)data;
		return len == 1;
	case TTP_DIAG_MEMINFO:
		row->meminfo = len / 4;
		row->rcvbuf = ((const uint32_t *)data)[SK_MEMINFO_RCVBUF];
		return true;
	case TTP_DIAG_FILTER:
		row->filter = len;
		if (len >= (int)sizeof(row->first))
			memcpy(&row->first, data, sizeof(row->first));
		return !(len % sizeof(row->first));
	}
	return false;
}

static inline void genl_attr(struct row *row, int cmd, const struct nlattr *a)
{
	const uint32_t *value = (const void *)(a + 1);

	if (cmd == TTP_CMD_SOCK_GET && a->nla_type == TTP_A_SOCK_INODE)
		row->ino = *value;
	if (cmd == TTP_CMD_SOCK_GET && a->nla_type == TTP_A_SOCK_PORT)
		row->port = *value;
	if (cmd == TTP_CMD_RPC_GET && a->nla_type == TTP_A_RPC_LOCAL_PORT)
		row->port = *value;
}

/* A message of a list as a row */
static inline struct row nl_row(const struct nlmsghdr *nlh)
{
	struct row row = { .shutdown = -1, .meminfo = -1, .filter = -1 };
	const struct genlmsghdr *genl = NLMSG_DATA(nlh);
	bool diag = nlh->nlmsg_type == SOCK_DIAG_BY_FAMILY;
	int head = diag ? sizeof(row.msg) : GENL_HDRLEN;
	int left = (int)NLMSG_PAYLOAD(nlh, 0) - head;
	const struct nlattr *a = NLMSG_DATA(nlh) + head;

	if (left < 0) {
		row.odd = true;
		return row;
	}
	if (diag) {
		memcpy(&row.msg, NLMSG_DATA(nlh), sizeof(row.msg));
		row.family = row.msg.tdiag_family;
		row.ino = row.msg.tdiag_ino;
		row.port = ntohs(row.msg.tdiag_port);
		row.odd = row.family != AF_TTP ||
			  row.msg.tdiag_type != SOCK_DGRAM ||
			  row.msg.tdiag_pad[0] || row.msg.tdiag_pad[1] ||
			  row.msg.tdiag_reserved[0] ||
			  row.msg.tdiag_reserved[1];
	}
	for (; left >= NLA_HDRLEN && a->nla_len >= NLA_HDRLEN &&
	     a->nla_len <= left; a = (void *)a + NLA_ALIGN(a->nla_len)) {
		left -= NLA_ALIGN(a->nla_len);
		if (diag)
			row.odd |= !diag_attr(&row, a);
		else
			genl_attr(&row, genl->cmd, a);
	}
	row.odd |= left > 0 || (diag && row.shutdown < 0);
	return row;
}

/* Read to the end: the number of rows, or a negative errno */
static inline long nl_read(struct list *list)
{
	static char buf[65536];
	const struct nlmsghdr *nlh;
	size_t size = list->between ? 4096 : sizeof(buf);
	long left, rows = 0;
	struct row row;

	for (;; list->parts++) {
		left = R(recv(list->fd, buf, size, MSG_TRUNC));
		if (left < 0)
			return left;
		if (left > (long)size)
			return -EMSGSIZE;
		for (nlh = (void *)buf; NLMSG_OK(nlh, left);
		     nlh = NLMSG_NEXT(nlh, left)) {
			if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
				list->interrupted = true;
			if (nlh->nlmsg_type == NLMSG_ERROR ||
			    nlh->nlmsg_type == NLMSG_DONE) {
				int err = *(const int *)NLMSG_DATA(nlh);

				return err < 0 ? err : rows;
			}
			row = nl_row(nlh);
			rows++;
			if (list->fn)
				list->fn(&row, list->arg);
		}
		if (list->between)
			list->between(list->arg);
	}
}

/* A generic netlink socket of a host, and the family's number */
static inline int genl_open(int host, int *family)
{
	struct {
		struct genlmsghdr genl;
		struct nlattr a;
		char name[4];
	} req = {
		{ .cmd = CTRL_CMD_GETFAMILY, .version = 1 },
		{ NLA_HDRLEN + 4, CTRL_ATTR_FAMILY_NAME },
		"ttp",
	};
	int fd = nl_open(host, NETLINK_GENERIC), left;
	char buf[4096];	/* lists will come in parts of that size */
	const struct nlmsghdr *nlh = (void *)buf;
	const struct nlattr *a = NLMSG_DATA(nlh) + GENL_HDRLEN;

	nl_send(fd, GENL_ID_CTRL, 0, &req, sizeof(req));
	if (recv(fd, buf, sizeof(buf), 0) < (long)NLMSG_LENGTH(GENL_HDRLEN))
		return -1;
	left = NLMSG_PAYLOAD(nlh, GENL_HDRLEN);
	for (; left > NLA_HDRLEN; a = (void *)a + NLA_ALIGN(a->nla_len)) {
		if (a->nla_type == CTRL_ATTR_FAMILY_ID)
			*family = *(const uint16_t *)(a + 1);
		left -= NLA_ALIGN(a->nla_len);
	}
	return fd;
}

/* Ask for a list of the family: 0 or a negative errno */
static inline long genl_dump(int fd, int family, int cmd)
{
	struct genlmsghdr genl = { .cmd = cmd, .version = 1 };
	long ret = nl_send(fd, family, NLM_F_DUMP, &genl, sizeof(genl));

	return ret < 0 ? ret : 0;
}

#endif /* _DIAG_NL_H */
