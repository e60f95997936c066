// SPDX-License-Identifier: GPL-2.0
/*
 * Reading netlink attributes.
 */
#include <stdio.h>
#include <string.h>

#include "nl.h"
#include "ttpctl.h"

void nl_parse(const void *data, size_t len, struct nl_attrs *attrs)
{
	const struct nlattr *attr;

	memset(attrs, 0, sizeof(*attrs));
	attrs->data = data;
	attrs->len = len;
	mnl_attr_for_each_payload(data, len)
		if (mnl_attr_get_type(attr) <= NL_MAX_ATTR)
			attrs->a[mnl_attr_get_type(attr)] = attr;
}

uint64_t nl_number(const struct nlattr *attr)
{
	if (!attr)
		return 0;
	switch (mnl_attr_get_payload_len(attr)) {
	case 1:
		return mnl_attr_get_u8(attr);
	case 2:
		return mnl_attr_get_u16(attr);
	case 4:
		return mnl_attr_get_u32(attr);
	case 8:
		return mnl_attr_get_u64(attr);
	default:
		return 0;
	}
}

void nl_explain(const struct nlmsghdr *nlh, const struct nlmsghdr *sent,
		const struct key *keys, char *text, size_t size)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	bool done = nlh->nlmsg_type == NLMSG_DONE;
	size_t skip = done ? sizeof(err->error) : sizeof(*err), off;
	const struct nlattr *bad;
	struct nl_attrs attrs;
	const char *msg = NULL, *name = NULL;

	if (!done && !(nlh->nlmsg_flags & NLM_F_CAPPED))
		skip += err->msg.nlmsg_len - sizeof(err->msg);
	skip = NLMSG_ALIGN(skip);
	if ((nlh->nlmsg_flags & NLM_F_ACK_TLVS) &&
	    skip <= mnl_nlmsg_get_payload_len(nlh)) {
		nl_parse((const char *)err + skip,
			 mnl_nlmsg_get_payload_len(nlh) - skip, &attrs);
		if (attrs.a[NLMSGERR_ATTR_MSG])
			msg = mnl_attr_get_str(attrs.a[NLMSGERR_ATTR_MSG]);
		off = nl_number(attrs.a[NLMSGERR_ATTR_OFFS]);
		if (off && off + sizeof(*bad) <= sent->nlmsg_len) {
			bad = (const void *)((const char *)sent + off);
			name = key_name(keys, mnl_attr_get_type(bad));
		}
	}
	snprintf(text, size, "%s%s%s", name ? name : "", name ? ": " : "",
		 msg ? msg : strerror(-err->error));
}
