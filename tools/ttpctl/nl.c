// SPDX-License-Identifier: GPL-2.0
/*
 * Talking to the generic netlink family "ttp".
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/genetlink.h>

#include "nl.h"
#include "ttpctl.h"

#define DEFAULT_TIMEOUT_MS	10000
/* How often a list is read that changes in a way it cannot tell */
#define LIST_TRIES		5

static struct mnl_socket *sock;
static uint16_t family;
static uint32_t group_id;
static uint32_t seq;	/* of the last request; notifications have 0 */
static char request_buf[4096];
static char reply_buf[65536];
static bool changed;	/* the list of the last request, while it was read */

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* Wait for input; 0, ETIMEDOUT or another errno */
static int wait_input(long long end_ms)
{
	struct pollfd pfd = { mnl_socket_get_fd(sock), POLLIN, 0 };
	long long left;
	int n;

	do {
		left = end_ms - now_ms();
		if (left < 0)
			left = 0;
		else if (left > 1000000)
			left = 1000000;
		n = poll(&pfd, 1, left);
	} while (!n && now_ms() < end_ms);
	return n < 0 ? errno : n ? 0 : ETIMEDOUT;
}

/* One datagram: 1 = the reply has ended, 0 = more to come, < 0 = error */
static int take(size_t len, const struct nlmsghdr *sent,
		const struct key *keys, nl_fn fn, void *arg, char *text,
		size_t size)
{
	const struct nlmsghdr *nlh = (const void *)reply_buf;
	const struct nlmsgerr *err;
	struct nl_attrs attrs;
	int left = len;

	for (; mnl_nlmsg_ok(nlh, left); nlh = mnl_nlmsg_next(nlh, &left)) {
		if (sent ? nlh->nlmsg_seq != sent->nlmsg_seq :
			   nlh->nlmsg_type < NLMSG_MIN_TYPE)
			continue;
		if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
			changed = true;
		if (nlh->nlmsg_type == NLMSG_ERROR) {
			err = mnl_nlmsg_get_payload(nlh);
			if (!err->error)
				return 1;
			nl_explain(nlh, sent, keys, text, size);
			return err->error;
		}
		if (nlh->nlmsg_type == NLMSG_DONE) {
			err = mnl_nlmsg_get_payload(nlh);
			if (mnl_nlmsg_get_payload_len(nlh) < sizeof(int) ||
			    err->error >= 0)
				return 1;
			nl_explain(nlh, sent, keys, text, size);
			return err->error;
		}
		if (nlh->nlmsg_type < NLMSG_MIN_TYPE ||
		    mnl_nlmsg_get_payload_len(nlh) < GENL_HDRLEN)
			continue;
		nl_parse(mnl_nlmsg_get_payload_offset(nlh, GENL_HDRLEN),
			 mnl_nlmsg_get_payload_len(nlh) - GENL_HDRLEN, &attrs);
		if (fn)
			fn(((const struct genlmsghdr *)
			    mnl_nlmsg_get_payload(nlh))->cmd, &attrs, arg);
		if (sent && !(sent->nlmsg_flags & (NLM_F_ACK | NLM_F_DUMP)))
			return 1;
	}
	return 0;
}

int nl_ask(struct nlmsghdr *nlh, const struct key *keys, nl_fn fn, void *arg,
	   unsigned int timeout_ms, char *text, size_t size)
{
	long long end = now_ms() + timeout_ms;
	ssize_t len;
	int err = 0, n;

	changed = false;
	nlh->nlmsg_seq = ++seq;
	if (mnl_socket_sendto(sock, nlh, nlh->nlmsg_len) < 0)
		err = errno;
	while (!err) {
		err = wait_input(end);
		if (err)
			break;
		len = mnl_socket_recvfrom(sock, reply_buf, sizeof(reply_buf));
		if (len < 0) {
			err = errno;
			break;
		}
		n = take(len, nlh, keys, fn, arg, text, size);
		if (n)
			return n < 0 ? -n : 0;
	}
	snprintf(text, size, "%s", strerror(err));
	return err;
}

static void note_family(uint8_t cmd, const struct nl_attrs *attrs, void *arg)
{
	const struct nlattr *attr;
	struct nl_attrs group;

	(void)cmd;
	(void)arg;
	family = nl_number(attrs->a[CTRL_ATTR_FAMILY_ID]);
	if (!attrs->a[CTRL_ATTR_MCAST_GROUPS])
		return;
	mnl_attr_for_each_nested(attr, attrs->a[CTRL_ATTR_MCAST_GROUPS]) {
		nl_parse(mnl_attr_get_payload(attr),
			 mnl_attr_get_payload_len(attr), &group);
		group_id = nl_number(group.a[CTRL_ATTR_MCAST_GRP_ID]);
	}
}

static struct nlmsghdr *new_request(uint16_t type, uint8_t cmd, uint16_t flags)
{
	struct nlmsghdr *nlh;
	struct genlmsghdr *genl;

	memset(request_buf, 0, sizeof(request_buf));
	nlh = mnl_nlmsg_put_header(request_buf);
	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = 1;
	return nlh;
}

static bool connect_family(void)
{
	struct nlmsghdr *nlh;
	int on = 1, err;
	char text[256];

	sock = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!sock || mnl_socket_bind(sock, 0, MNL_SOCKET_AUTOPID))
		return fail("netlink: %s", strerror(errno)), false;
	/* all three are comfort: older kernels may lack them */
	mnl_socket_setsockopt(sock, NETLINK_EXT_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(sock, NETLINK_CAP_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(sock, NETLINK_GET_STRICT_CHK, &on, sizeof(on));

	nlh = new_request(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, NLM_F_ACK);
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, TTP_FAMILY_NAME);
	err = nl_ask(nlh, NULL, note_family, NULL, DEFAULT_TIMEOUT_MS, text,
		     sizeof(text));
	if (err == ENOENT)
		fail("the kernel has no TTP; load the module: modprobe ttp");
	else if (err)
		fail("netlink: %s", text);
	return !err;
}

struct nlmsghdr *nl_request(uint8_t cmd, uint16_t flags)
{
	if (!sock && !connect_family())
		return NULL;
	return new_request(family, cmd, flags);
}

/* The answers of a list, kept until it is known to be sound */
struct kept {
	size_t len;
	uint8_t cmd;
	_Alignas(NLMSG_ALIGNTO) char data[];
};

static struct {
	struct kept **answers;
	size_t count, room;
} list;

static void keep(uint8_t cmd, const struct nl_attrs *attrs, void *arg)
{
	struct kept *kept = malloc(sizeof(*kept) + attrs->len);

	(void)arg;
	if (list.count == list.room) {
		list.room = list.room ? list.room * 2 : 256;
		list.answers = realloc(list.answers,
				       list.room * sizeof(*list.answers));
	}
	if (!kept || !list.answers)
		exit(fail("out of memory"));
	kept->cmd = cmd;
	kept->len = attrs->len;
	memcpy(kept->data, attrs->data, attrs->len);
	list.answers[list.count++] = kept;
}

/* Forget what was kept, after handing it to @fn */
static void hand_over(nl_fn fn, void *arg)
{
	struct nl_attrs attrs;
	size_t i;

	for (i = 0; i < list.count; i++) {
		if (fn) {
			nl_parse(list.answers[i]->data, list.answers[i]->len,
				 &attrs);
			fn(list.answers[i]->cmd, &attrs, arg);
		}
		free(list.answers[i]);
	}
	list.count = 0;
}

int nl_talk(struct nlmsghdr *nlh, const struct key *keys, nl_fn fn, void *arg)
{
	unsigned int ms = opt.timeout_ms ? opt.timeout_ms : DEFAULT_TIMEOUT_MS;
	unsigned int tries = LIST_TRIES;
	char text[512];

	if (!(nlh->nlmsg_flags & NLM_F_DUMP)) {
		if (nl_ask(nlh, keys, fn, arg, ms, text, sizeof(text)))
			return fail("%s", text);
		return EXIT_OK;
	}
	do {
		hand_over(NULL, NULL);
		if (nl_ask(nlh, keys, keep, NULL, ms, text, sizeof(text)))
			return fail("%s", text);
	} while (changed && --tries);
	if (changed)
		fputs("ttpctl: the list changed while it was read: some may be missing, or there twice\n",
		      stderr);
	hand_over(fn, arg);
	return EXIT_OK;
}

int nl_listen(const char *group, nl_fn fn, void *arg, unsigned int timeout_ms)
{
	long long end = timeout_ms ? now_ms() + timeout_ms : INT64_MAX;
	ssize_t len;
	int err;

	if (!sock && !connect_family())
		return EXIT_ERROR;
	if (!group_id || mnl_socket_setsockopt(sock, NETLINK_ADD_MEMBERSHIP,
					       &group_id, sizeof(group_id)))
		return fail("group \"%s\": %s", group,
			    group_id ? strerror(errno) : "not there");
	for (;;) {
		err = wait_input(end);
		if (err == ETIMEDOUT)
			return EXIT_OK;
		if (err)
			return err == EINTR ? EXIT_OK :
			       fail("%s", strerror(err));
		len = mnl_socket_recvfrom(sock, reply_buf, sizeof(reply_buf));
		if (len >= 0)
			take(len, NULL, NULL, fn, arg, NULL, 0);
		else if (errno == ENOBUFS)
			fail("events were lost, they came too fast");
		else
			return fail("%s", strerror(errno));
	}
}
