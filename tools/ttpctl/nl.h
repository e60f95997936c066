/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Talking to the generic netlink family "ttp".
 */
#ifndef TTPCTL_NL_H
#define TTPCTL_NL_H

#include <libmnl/libmnl.h>
#include <linux/ttp_netlink.h>
#include <stdint.h>

struct key;

/* The highest attribute number of any set, with room for newer modules */
#define NL_MAX_ATTR	63

/*
 * Attributes of one message by number, NULL where absent, the last one where
 * there are several; and all of them as they came.
 */
struct nl_attrs {
	const struct nlattr *a[NL_MAX_ATTR + 1];
	const void *data;
	size_t len;
};

/* Called for each message of a reply or notification */
typedef void (*nl_fn)(uint8_t cmd, const struct nl_attrs *attrs, void *arg);

/*
 * Begin a request in a buffer of its own; flags NLM_F_ACK or NLM_F_DUMP are
 * added to NLM_F_REQUEST.  Connects first; NULL if that failed, after a
 * message.
 */
struct nlmsghdr *nl_request(uint8_t cmd, uint16_t flags);

/*
 * Send the request and hand each answer to @fn.  An error is printed with
 * the kernel's text and the name of the attribute from @keys (or NULL).  A list
 * that the kernel says is not sound is read again, a few times; there is a
 * warning if it never was.  Returns an exit code.
 */
int nl_talk(struct nlmsghdr *nlh, const struct key *keys, nl_fn fn, void *arg);

/* As nl_talk(), without messages: 0 or a positive errno, which @text explains */
int nl_ask(struct nlmsghdr *nlh, const struct key *keys, nl_fn fn, void *arg,
	   unsigned int timeout_ms, char *text, size_t size);

/* Hand notifications to @fn until @timeout_ms (0 = never) are over */
int nl_listen(const char *group, nl_fn fn, void *arg, unsigned int timeout_ms);

/* Attributes */
void nl_parse(const void *data, size_t len, struct nl_attrs *attrs);
uint64_t nl_number(const struct nlattr *attr);

/* Text of the kernel in an error or done message, and the attribute it means */
void nl_explain(const struct nlmsghdr *nlh, const struct nlmsghdr *sent,
		const struct key *keys, char *text, size_t size);

#endif /* TTPCTL_NL_H */
