// SPDX-License-Identifier: GPL-2.0
/*
 * Packet formats: one table of what each type looks like, and the checks.
 */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "wire.h"

/* Who may send a type, by the role bit of the id */
#define FROM_CLIENT	0x1
#define FROM_SERVER	0x2
#define FROM_NOBODY	0x4	/* of no RPC: id and ports are zero */
#define FROM_EITHER	(FROM_CLIENT | FROM_SERVER)

/**
 * struct ttp_wire_format - shape of a packet type
 * @size: bytes of the type's own header; type exists if @from is set
 * @entry: bytes of a list entry
 * @min: entries at least
 * @max: entries at most
 * @from: FROM_* that may send it
 * @payload: whether bytes may follow the list
 */
struct ttp_wire_format {
	u8	size;
	u8	entry;
	u8	min;
	u8	max;
	u8	from;
	bool	payload;
};

static const struct ttp_wire_format ttp_wire_formats[__TTP_WIRE_TYPES] = {
	[TTP_WIRE_DATA] = {
		.size = sizeof(struct ttp_wire_data),
		.entry = sizeof(struct ttp_wire_ack),
		.max = TTP_WIRE_DATA_ACKS,
		.from = FROM_EITHER,
		.payload = true,
	},
	[TTP_WIRE_GRANT] = {
		.size = sizeof(struct ttp_wire_grant),
		.from = FROM_EITHER,
	},
	[TTP_WIRE_RESEND] = {
		.size = sizeof(struct ttp_wire_resend),
		.entry = sizeof(struct ttp_wire_range),
		.min = 1,
		.max = TTP_WIRE_MAX_RANGES,
		.from = FROM_EITHER,
	},
	[TTP_WIRE_ACK] = {
		.entry = sizeof(struct ttp_wire_ack),
		.min = 1,
		.max = TTP_WIRE_MAX_ACKS,
		.from = FROM_NOBODY,
	},
	[TTP_WIRE_BUSY] = {
		.size = sizeof(struct ttp_wire_note),
		.from = FROM_EITHER,
	},
	[TTP_WIRE_UNKNOWN] = {
		.size = sizeof(struct ttp_wire_note),
		.from = FROM_SERVER,
	},
	[TTP_WIRE_NEED_ACK] = {
		.from = FROM_EITHER,
	},
	[TTP_WIRE_CUTOFFS] = {
		.size = sizeof(struct ttp_wire_cutoffs),
		.from = FROM_NOBODY,
	},
	[TTP_WIRE_FULL] = {
		.from = FROM_EITHER,
	},
	[TTP_WIRE_PROBE] = {
		.size = sizeof(struct ttp_wire_note),
		.from = FROM_NOBODY,
		.payload = true,
	},
	[TTP_WIRE_PROBE_REPLY] = {
		.size = sizeof(struct ttp_wire_note),
		.from = FROM_NOBODY,
		.payload = true,
	},
	[TTP_WIRE_CANCEL] = {
		.from = FROM_CLIENT,
	},
	[TTP_WIRE_CLOSE] = {
		.from = FROM_NOBODY,
	},
	[TTP_WIRE_REJECT] = {
		.size = sizeof(struct ttp_wire_note),
		.from = FROM_SERVER,
	},
};

static_assert(sizeof(struct ttp_wire_hdr) == 48);
static_assert(sizeof(struct ttp_wire_data) == 24);
static_assert(sizeof(struct ttp_wire_ack) == 16);
static_assert(sizeof(struct ttp_wire_grant) == 16);
static_assert(sizeof(struct ttp_wire_resend) == 8);
static_assert(sizeof(struct ttp_wire_range) == 8);
static_assert(sizeof(struct ttp_wire_note) == 8);
static_assert(sizeof(struct ttp_wire_cutoffs) == 40);
/* Full lists fit the smallest MTU, and DATA still has its least payload */
static_assert(sizeof(struct ttp_wire_hdr) + sizeof(struct ttp_wire_ack) *
	      TTP_WIRE_MAX_ACKS <= TTP_WIRE_MIN_MTU);
static_assert(sizeof(struct ttp_wire_hdr) + sizeof(struct ttp_wire_resend) +
	      sizeof(struct ttp_wire_range) * TTP_WIRE_MAX_RANGES <=
	      TTP_WIRE_MIN_MTU);
static_assert(TTP_WIRE_DATA_HLEN + sizeof(struct ttp_wire_ack) *
	      TTP_WIRE_DATA_ACKS + TTP_WIRE_MIN_SEGMENT <= TTP_WIRE_MIN_MTU);

static const struct ttp_wire_format *ttp_wire_format(u8 type)
{
	if (type >= ARRAY_SIZE(ttp_wire_formats) ||
	    !ttp_wire_formats[type].from)
		return NULL;
	return &ttp_wire_formats[type];
}

unsigned int ttp_wire_size(u8 type)
{
	const struct ttp_wire_format *fmt = ttp_wire_format(type);

	return fmt ? sizeof(struct ttp_wire_hdr) + fmt->size : 0;
}

unsigned int ttp_wire_entry_size(u8 type)
{
	const struct ttp_wire_format *fmt = ttp_wire_format(type);

	return fmt ? fmt->entry : 0;
}

unsigned int ttp_wire_hlen(const struct ttp_wire_hdr *hdr)
{
	const struct ttp_wire_format *fmt = ttp_wire_format(hdr->type);

	if (!fmt)
		return sizeof(*hdr);
	return sizeof(*hdr) + fmt->size + fmt->entry * hdr->count;
}

static bool ttp_wire_data_ok(const struct ttp_packet *pkt)
{
	u32 end;

	if (pkt->data.msg_len > TTP_WIRE_MAX_MESSAGE ||
	    pkt->data.offset > pkt->data.msg_len ||
	    pkt->payload > pkt->data.msg_len - pkt->data.offset ||
	    pkt->data.unsched > pkt->data.msg_len)
		return false;
	end = pkt->data.offset + pkt->payload;
	if (!pkt->payload && pkt->data.msg_len)
		return false;
	if (end < pkt->data.msg_len && pkt->payload < TTP_WIRE_MIN_SEGMENT)
		return false;
	if (pkt->id & TTP_WIRE_ID_SERVER)
		return !(pkt->flags & TTP_WIRE_F_ONEWAY) && !pkt->data.limit &&
		       !pkt->data.una && !pkt->data.age_us;
	return true;
}

static bool ttp_wire_parse_data(const void *p, struct ttp_packet *pkt)
{
	const struct ttp_wire_data *d = p;

	pkt->data.msg_len = be32_to_cpu(d->msg_len);
	pkt->data.offset = be32_to_cpu(d->offset);
	pkt->data.unsched = be32_to_cpu(d->unsched);
	pkt->data.limit = be32_to_cpu(d->limit);
	pkt->data.una = be32_to_cpu(d->una);
	pkt->data.age_us = be32_to_cpu(d->age_us);
	return ttp_wire_data_ok(pkt);
}

static bool ttp_wire_parse_grant(const void *p, struct ttp_packet *pkt)
{
	const struct ttp_wire_grant *g = p;

	pkt->grant.granted = be32_to_cpu(g->granted);
	pkt->grant.received = be32_to_cpu(g->received);
	pkt->grant.level = g->level;
	return pkt->grant.granted <= TTP_WIRE_MAX_MESSAGE &&
	       pkt->grant.received <= pkt->grant.granted &&
	       g->level <= TTP_WIRE_TOP_LEVEL &&
	       !memchr_inv(g->pad, 0, sizeof(g->pad));
}

static bool ttp_wire_parse_resend(const void *p, struct ttp_packet *pkt)
{
	const struct ttp_wire_resend *r = p;

	pkt->resend.received = be32_to_cpu(r->received);
	pkt->resend.level = r->level;
	return pkt->resend.received <= TTP_WIRE_MAX_MESSAGE &&
	       r->level <= TTP_WIRE_TOP_LEVEL &&
	       !memchr_inv(r->pad, 0, sizeof(r->pad));
}

static bool ttp_wire_parse_note(const void *p, struct ttp_packet *pkt)
{
	const struct ttp_wire_note *n = p;

	pkt->note.code = n->code;
	pkt->note.value = be32_to_cpu(n->value);
	if (memchr_inv(n->pad, 0, sizeof(n->pad)))
		return false;
	switch (pkt->type) {
	case TTP_WIRE_UNKNOWN:
		return n->code >= TTP_UNKNOWN_NEVER &&
		       n->code <= TTP_UNKNOWN_EPOCH && !n->value;
	case TTP_WIRE_REJECT:
		return n->code >= TTP_REJECT_REFUSED &&
		       n->code <= TTP_REJECT_TOO_LONG &&
		       (n->code == TTP_REJECT_TOO_LONG || !n->value);
	case TTP_WIRE_BUSY:
		return !n->code && pkt->note.value <= TTP_WIRE_MAX_MESSAGE;
	default:
		return !n->code;
	}
}

static bool ttp_wire_parse_cutoffs(const void *p, struct ttp_packet *pkt)
{
	const struct ttp_wire_cutoffs *c = p;
	unsigned int i;

	pkt->table.version = c->version;
	pkt->table.limit = be32_to_cpu(c->limit);
	for (i = 0; i < TTP_WIRE_LEVELS; i++) {
		pkt->table.longest[i] = be32_to_cpu(c->longest[i]);
		if (i && pkt->table.longest[i] > pkt->table.longest[i - 1])
			return false;
	}
	return c->version && !memchr_inv(c->pad, 0, sizeof(c->pad));
}

static bool ttp_wire_parse_type(const void *p, struct ttp_packet *pkt)
{
	switch (pkt->type) {
	case TTP_WIRE_DATA:
		return ttp_wire_parse_data(p, pkt);
	case TTP_WIRE_GRANT:
		return ttp_wire_parse_grant(p, pkt);
	case TTP_WIRE_RESEND:
		return ttp_wire_parse_resend(p, pkt);
	case TTP_WIRE_CUTOFFS:
		return ttp_wire_parse_cutoffs(p, pkt);
	case TTP_WIRE_BUSY:
	case TTP_WIRE_UNKNOWN:
	case TTP_WIRE_REJECT:
	case TTP_WIRE_PROBE:
	case TTP_WIRE_PROBE_REPLY:
		return ttp_wire_parse_note(p, pkt);
	default:
		return true;
	}
}

/* Ascending, disjoint, nothing that has arrived; only the last may be open */
static bool ttp_wire_ranges_ok(const void *buf, const struct ttp_packet *pkt)
{
	u32 last = pkt->resend.received, start, end;
	unsigned int i;

	for (i = 0; i < pkt->count; i++) {
		ttp_wire_get_range(buf, i, &start, &end);
		if (start < last || start >= end ||
		    start > TTP_WIRE_MAX_MESSAGE ||
		    (end > TTP_WIRE_MAX_MESSAGE && end != TTP_WIRE_RANGE_ALL))
			return false;
		last = end;
	}
	return true;
}

static bool ttp_wire_list_ok(const void *buf, const struct ttp_packet *pkt)
{
	struct ttp_ack ack;
	unsigned int i;

	if (pkt->type == TTP_WIRE_RESEND)
		return ttp_wire_ranges_ok(buf, pkt);
	for (i = 0; i < pkt->count; i++) {
		ttp_wire_get_ack(buf, pkt, i, &ack);
		if (ack.id <= TTP_WIRE_ID_SERVER || !ack.sport || !ack.dport ||
		    ack.received > TTP_WIRE_MAX_MESSAGE)
			return false;
	}
	return true;
}

static bool ttp_wire_common_ok(const struct ttp_wire_format *fmt,
			       const struct ttp_packet *pkt)
{
	bool of_rpc = !(fmt->from & FROM_NOBODY);
	u8 from;

	if (pkt->flags & ~TTP_WIRE_F_ALL || pkt->level > TTP_WIRE_TOP_LEVEL ||
	    (!(pkt->flags & TTP_WIRE_F_CRC) && pkt->crc) ||
	    (!(pkt->flags & TTP_WIRE_F_ECHO) && (pkt->echo || pkt->hold)) ||
	    (pkt->flags & TTP_WIRE_F_ONEWAY && pkt->type != TTP_WIRE_DATA) ||
	    !pkt->src_epoch || pkt->mtu < TTP_WIRE_MIN_MTU)
		return false;
	if (!of_rpc)
		return !pkt->id && !pkt->sport && !pkt->dport;
	from = pkt->id & TTP_WIRE_ID_SERVER ? FROM_SERVER : FROM_CLIENT;
	return pkt->id > TTP_WIRE_ID_SERVER && pkt->sport && pkt->dport &&
	       fmt->from & from;
}

static void ttp_wire_parse_common(const struct ttp_wire_hdr *hdr,
				  struct ttp_packet *pkt)
{
	memset(pkt, 0, sizeof(*pkt));
	pkt->type = hdr->type;
	pkt->flags = hdr->flags;
	pkt->level = hdr->level;
	pkt->cong = hdr->cong;
	pkt->count = hdr->count;
	pkt->cutoffs = hdr->cutoffs;
	pkt->length = be16_to_cpu(hdr->length);
	pkt->sport = be16_to_cpu(hdr->sport);
	pkt->dport = be16_to_cpu(hdr->dport);
	pkt->mtu = be16_to_cpu(hdr->mtu);
	pkt->crc = be32_to_cpu(hdr->crc);
	pkt->id = be64_to_cpu(hdr->id);
	pkt->src_epoch = be32_to_cpu(hdr->src_epoch);
	pkt->dst_epoch = be32_to_cpu(hdr->dst_epoch);
	pkt->stamp = be32_to_cpu(hdr->stamp);
	pkt->echo = be32_to_cpu(hdr->echo);
	pkt->hold = be32_to_cpu(hdr->hold);
}

enum ttp_parse ttp_wire_parse(const void *buf, unsigned int frame_len,
			      struct ttp_packet *pkt)
{
	const struct ttp_wire_hdr *hdr = buf;
	const struct ttp_wire_format *fmt;
	unsigned int hlen;

	if (frame_len < sizeof(*hdr))
		return TTP_PARSE_SHORT;
	if (hdr->magic != TTP_WIRE_MAGIC)
		return TTP_PARSE_MAGIC;
	if (hdr->version != TTP_WIRE_VERSION)
		return TTP_PARSE_VERSION;
	fmt = ttp_wire_format(hdr->type);
	if (!fmt)
		return TTP_PARSE_TYPE;

	ttp_wire_parse_common(hdr, pkt);
	hlen = ttp_wire_hlen(hdr);
	if (pkt->length > frame_len - sizeof(*hdr) ||
	    hlen - sizeof(*hdr) > pkt->length)
		return TTP_PARSE_SHORT;
	pkt->hlen = hlen;
	pkt->payload = pkt->length - (hlen - sizeof(*hdr));

	if (pkt->count < fmt->min || pkt->count > fmt->max ||
	    (pkt->payload && !fmt->payload) ||
	    !ttp_wire_common_ok(fmt, pkt) ||
	    !ttp_wire_parse_type(hdr + 1, pkt) ||
	    !ttp_wire_list_ok(buf, pkt))
		return TTP_PARSE_FIELD;
	return TTP_PARSE_OK;
}

static void ttp_wire_build_type(void *p, const struct ttp_packet *pkt)
{
	struct ttp_wire_cutoffs *c = p;
	struct ttp_wire_resend *r = p;
	struct ttp_wire_grant *g = p;
	struct ttp_wire_data *d = p;
	struct ttp_wire_note *n = p;
	unsigned int i;

	switch (pkt->type) {
	case TTP_WIRE_DATA:
		d->msg_len = cpu_to_be32(pkt->data.msg_len);
		d->offset = cpu_to_be32(pkt->data.offset);
		d->unsched = cpu_to_be32(pkt->data.unsched);
		d->limit = cpu_to_be32(pkt->data.limit);
		d->una = cpu_to_be32(pkt->data.una);
		d->age_us = cpu_to_be32(pkt->data.age_us);
		break;
	case TTP_WIRE_GRANT:
		g->granted = cpu_to_be32(pkt->grant.granted);
		g->received = cpu_to_be32(pkt->grant.received);
		g->level = pkt->grant.level;
		break;
	case TTP_WIRE_RESEND:
		r->received = cpu_to_be32(pkt->resend.received);
		r->level = pkt->resend.level;
		break;
	case TTP_WIRE_CUTOFFS:
		c->version = pkt->table.version;
		c->limit = cpu_to_be32(pkt->table.limit);
		for (i = 0; i < TTP_WIRE_LEVELS; i++)
			c->longest[i] = cpu_to_be32(pkt->table.longest[i]);
		break;
	case TTP_WIRE_BUSY:
	case TTP_WIRE_UNKNOWN:
	case TTP_WIRE_REJECT:
	case TTP_WIRE_PROBE:
	case TTP_WIRE_PROBE_REPLY:
		n->code = pkt->note.code;
		n->value = cpu_to_be32(pkt->note.value);
		break;
	}
}

unsigned int ttp_wire_build(void *buf, struct ttp_packet *pkt)
{
	unsigned int size = ttp_wire_size(pkt->type);
	struct ttp_wire_hdr *hdr = buf;

	pkt->hlen = size + ttp_wire_entry_size(pkt->type) * pkt->count;
	pkt->length = pkt->hlen - sizeof(*hdr) + pkt->payload;
	pkt->crc = 0;

	memset(buf, 0, size);
	hdr->magic = TTP_WIRE_MAGIC;
	hdr->version = TTP_WIRE_VERSION;
	hdr->type = pkt->type;
	hdr->flags = pkt->flags;
	hdr->length = cpu_to_be16(pkt->length);
	hdr->level = pkt->level;
	hdr->cong = pkt->cong;
	hdr->sport = cpu_to_be16(pkt->sport);
	hdr->dport = cpu_to_be16(pkt->dport);
	hdr->id = cpu_to_be64(pkt->id);
	hdr->src_epoch = cpu_to_be32(pkt->src_epoch);
	hdr->dst_epoch = cpu_to_be32(pkt->dst_epoch);
	hdr->stamp = cpu_to_be32(pkt->stamp);
	hdr->echo = cpu_to_be32(pkt->echo);
	hdr->hold = cpu_to_be32(pkt->hold);
	hdr->mtu = cpu_to_be16(pkt->mtu);
	hdr->count = pkt->count;
	hdr->cutoffs = pkt->cutoffs;
	ttp_wire_build_type(hdr + 1, pkt);
	return size;
}

void ttp_wire_get_ack(const void *buf, const struct ttp_packet *pkt,
		      unsigned int i, struct ttp_ack *ack)
{
	const struct ttp_wire_ack *w;

	w = buf + ttp_wire_size(pkt->type) + i * sizeof(*w);
	ack->id = be64_to_cpu(w->id);
	ack->sport = be16_to_cpu(w->sport);
	ack->dport = be16_to_cpu(w->dport);
	ack->received = be32_to_cpu(w->received);
}

void ttp_wire_put_ack(void *buf, const struct ttp_ack *ack)
{
	struct ttp_wire_ack *w = buf;

	w->id = cpu_to_be64(ack->id);
	w->sport = cpu_to_be16(ack->sport);
	w->dport = cpu_to_be16(ack->dport);
	w->received = cpu_to_be32(ack->received);
}

void ttp_wire_get_range(const void *buf, unsigned int i, u32 *start, u32 *end)
{
	const struct ttp_wire_range *w;

	w = buf + ttp_wire_size(TTP_WIRE_RESEND) + i * sizeof(*w);
	*start = be32_to_cpu(w->start);
	*end = be32_to_cpu(w->end);
}

void ttp_wire_put_range(void *buf, u32 start, u32 end)
{
	struct ttp_wire_range *w = buf;

	w->start = cpu_to_be32(start);
	w->end = cpu_to_be32(end);
}
