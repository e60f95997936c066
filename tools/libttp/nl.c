// SPDX-License-Identifier: GPL-2.0
/*
 * Requests to rtnetlink, each on a socket of its own: no state is shared, and
 * nothing is left in there when an answer is given up.
 */
#include <errno.h>
#include <string.h>

#include "internal.h"

#define MAX_TRIES	16

/* Begin a request; its header, of @len bytes, is returned, all zero */
void *ttp_nl_request(union ttp_nl_request *req, uint16_t type, uint16_t flags,
		     size_t len)
{
	struct nlmsghdr *nlh;

	memset(req, 0, sizeof(*req));
	nlh = mnl_nlmsg_put_header(req);
	nlh->nlmsg_type = type;
	/* so that the end of an answer shows: dumps have one anyway */
	nlh->nlmsg_flags = NLM_F_REQUEST | (flags ? flags : NLM_F_ACK);
	nlh->nlmsg_seq = 1;
	return mnl_nlmsg_put_extra_header(nlh, len);
}

static int ask(struct mnl_socket *nl, union ttp_nl_request *req, mnl_cb_t fn,
	       void *arg)
{
	/* the kernel sends no more at a time, however many there are */
	union {
		struct nlmsghdr nlh;
		char bytes[8192];
	} reply;
	ssize_t n;
	int ret;

	if (mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) ||
	    mnl_socket_sendto(nl, req, req->nlh.nlmsg_len) < 0)
		return -errno;
	do {
		n = mnl_socket_recvfrom(nl, &reply, sizeof(reply));
		if (n <= 0)
			return n ? -errno : -EPROTO;
		ret = mnl_cb_run(&reply, n, req->nlh.nlmsg_seq,
				 mnl_socket_get_portid(nl), fn, arg);
	} while (ret > 0);
	return ret ? -errno : 0;
}

/* @fn sees each message of the answer; of a table that changes again and again
 * while it is read, some more than once.
 */
int ttp_nl_ask(union ttp_nl_request *req, mnl_cb_t fn, void *arg)
{
	struct mnl_socket *nl;
	int ret, tries = 0;

	do {
		nl = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
		if (!nl)
			return -errno;
		ret = ask(nl, req, fn, arg);
		mnl_socket_close(nl);
	} while (ret == -EINTR && ++tries < MAX_TRIES);
	return ret == -EINTR ? -EBUSY : ret;
}

/* The attribute if it is there and has @len bytes (0: any number) */
const struct nlattr *ttp_nl_attr(const struct nlmsghdr *nlh, size_t head,
				 uint16_t type, size_t len)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, nlh, head)
		if (mnl_attr_get_type(attr) == type &&
		    (!len || mnl_attr_get_payload_len(attr) == len))
			return attr;
	return NULL;
}
