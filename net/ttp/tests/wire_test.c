// SPDX-License-Identifier: GPL-2.0
/*
 * Packet formats: golden bytes of every type, and every check provoked.
 */
#include <kunit/test.h>
#include <linux/crc32c.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "wire_checks.h"
#include "wire_golden.h"

#define TTP_WIRE_TEST_MAX	256U
#define TTP_WIRE_TEST_FUZZ	100000U

static unsigned int ttp_wire_test_nibble(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* The bytes of golden packet @g into @buf; returns how many */
static unsigned int ttp_wire_test_bytes(unsigned int g, u8 *buf)
{
	const char *hex = ttp_wire_test_golden[g].hex;
	unsigned int n;

	for (n = 0; hex[2 * n]; n++)
		buf[n] = ttp_wire_test_nibble(hex[2 * n]) << 4 |
			 ttp_wire_test_nibble(hex[2 * n + 1]);
	return n;
}

/* Index of the first byte that differs, or @len */
static unsigned int ttp_wire_test_differ(const void *a, const void *b,
					 unsigned int len)
{
	const u8 *x = a, *y = b;
	unsigned int i;

	for (i = 0; i < len && x[i] == y[i]; i++)
		;
	return i;
}

/*
 * Parse a copy that ends where the frame does, or where the headers do: what
 * ttp_wire_parse() may read and nothing more, so that KASAN sees to it.
 */
static enum ttp_parse ttp_wire_test_parse(struct kunit *test, const u8 *buf,
					  unsigned int frame_len,
					  struct ttp_packet *pkt)
{
	unsigned int len = min(frame_len, TTP_WIRE_TEST_MAX);
	enum ttp_parse ret;
	void *copy;

	copy = kmemdup(buf, len, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, copy);
	ret = ttp_wire_parse(copy, frame_len, pkt);
	kfree(copy);
	return ret;
}

static void ttp_wire_golden_parses(struct kunit *test)
{
	unsigned int g, i, len;
	u8 buf[TTP_WIRE_TEST_MAX];
	struct ttp_packet pkt;
	struct ttp_ack ack;
	u32 start, end;

	for (g = 0; g < ARRAY_SIZE(ttp_wire_test_golden); g++) {
		len = ttp_wire_test_bytes(g, buf);
		memset(&pkt, 0xff, sizeof(pkt));
		KUNIT_EXPECT_EQ_MSG(test, ttp_wire_hlen((void *)buf),
				    ttp_wire_test_golden[g].pkt.hlen,
				    "packet %u", g);
		KUNIT_EXPECT_EQ_MSG(test,
				    ttp_wire_test_parse(test, buf, len, &pkt),
				    TTP_PARSE_OK, "packet %u", g);
		KUNIT_EXPECT_EQ_MSG(test,
				    ttp_wire_test_differ(&pkt,
					&ttp_wire_test_golden[g].pkt,
					sizeof(pkt)),
				    sizeof(pkt), "packet %u", g);
		for (i = 0; i < pkt.count && pkt.type != TTP_WIRE_RESEND; i++) {
			memset(&ack, 0, sizeof(ack));
			ttp_wire_get_ack(buf, &pkt, i, &ack);
			KUNIT_EXPECT_EQ_MSG(test,
					    ttp_wire_test_differ(&ack,
						&ttp_wire_test_acks[i],
						sizeof(ack)),
					    sizeof(ack), "packet %u", g);
		}
		for (i = 0; i < pkt.count && pkt.type == TTP_WIRE_RESEND; i++) {
			ttp_wire_get_range(buf, i, &start, &end);
			KUNIT_EXPECT_EQ(test, start, ttp_wire_test_ranges[i][0]);
			KUNIT_EXPECT_EQ(test, end, ttp_wire_test_ranges[i][1]);
		}
	}
}

static void ttp_wire_golden_builds(struct kunit *test)
{
	u8 buf[TTP_WIRE_TEST_MAX], out[TTP_WIRE_TEST_MAX], *p;
	unsigned int g, i, len, entry;
	struct ttp_packet pkt;

	for (g = 0; g < ARRAY_SIZE(ttp_wire_test_golden); g++) {
		len = ttp_wire_test_bytes(g, buf);
		memset(buf + offsetof(struct ttp_wire_hdr, crc), 0,
		       sizeof_field(struct ttp_wire_hdr, crc));
		memset(out, 0xff, sizeof(out));
		pkt = ttp_wire_test_golden[g].pkt;
		pkt.length = 0xffff;
		pkt.hlen = 0xffff;

		p = out + ttp_wire_build(out, &pkt);
		KUNIT_EXPECT_EQ(test, p - out, ttp_wire_size(pkt.type));
		entry = ttp_wire_entry_size(pkt.type);
		for (i = 0; i < pkt.count; i++, p += entry) {
			if (pkt.type == TTP_WIRE_RESEND)
				ttp_wire_put_range(p,
						   ttp_wire_test_ranges[i][0],
						   ttp_wire_test_ranges[i][1]);
			else
				ttp_wire_put_ack(p, &ttp_wire_test_acks[i]);
		}
		KUNIT_EXPECT_EQ_MSG(test,
				    ttp_wire_test_differ(buf, out, p - out),
				    p - out, "packet %u", g);
		KUNIT_EXPECT_EQ(test, *p, 0xff);	/* and not beyond */
		KUNIT_EXPECT_EQ(test, p - out, pkt.hlen);
		KUNIT_EXPECT_EQ(test, pkt.hlen + pkt.payload, len);
		KUNIT_EXPECT_EQ(test, pkt.length,
				ttp_wire_test_golden[g].pkt.length);
		KUNIT_EXPECT_EQ(test, pkt.crc, 0U);
	}
}

static void ttp_wire_golden_crc_matches(struct kunit *test)
{
	/* Destination and source, from the server and from the client */
	static const u8 macs[][2][6] = {
		{ TTP_WIRE_TEST_CLIENT_MAC, TTP_WIRE_TEST_SERVER_MAC },
		{ TTP_WIRE_TEST_SERVER_MAC, TTP_WIRE_TEST_CLIENT_MAC },
	};
	const struct ttp_packet *pkt;
	u8 buf[TTP_WIRE_TEST_MAX];
	unsigned int g, len;
	u32 crc;

	for (g = 0; g < ARRAY_SIZE(ttp_wire_test_golden); g++) {
		pkt = &ttp_wire_test_golden[g].pkt;
		if (!(pkt->flags & TTP_WIRE_F_CRC))
			continue;
		len = ttp_wire_test_bytes(g, buf);
		memset(buf + offsetof(struct ttp_wire_hdr, crc), 0,
		       sizeof_field(struct ttp_wire_hdr, crc));
		crc = crc32c(~0U, macs[!(pkt->id & TTP_WIRE_ID_SERVER)],
			     sizeof(macs[0]));
		KUNIT_EXPECT_EQ_MSG(test, ~crc32c(crc, buf, len), pkt->crc,
				    "packet %u", g);
	}
}

static void ttp_wire_truncated_refused(struct kunit *test)
{
	u8 buf[TTP_WIRE_TEST_MAX];
	struct ttp_packet pkt;
	unsigned int g, i, len;

	for (g = 0; g < ARRAY_SIZE(ttp_wire_test_golden); g++) {
		len = ttp_wire_test_bytes(g, buf);
		for (i = 0; i < len; i++)
			KUNIT_EXPECT_EQ_MSG(test,
					    ttp_wire_test_parse(test, buf, i,
								&pkt),
					    TTP_PARSE_SHORT,
					    "packet %u, %u bytes", g, i);
	}
}

static void ttp_wire_padded_parses(struct kunit *test)
{
	static const unsigned int more[] = { 1, 12, 1000, 65535, UINT_MAX };
	u8 buf[TTP_WIRE_TEST_MAX] = {};
	struct ttp_packet pkt;
	unsigned int g, i, len;

	for (g = 0; g < ARRAY_SIZE(ttp_wire_test_golden); g++) {
		len = ttp_wire_test_bytes(g, buf);
		for (i = 0; i < ARRAY_SIZE(more); i++) {
			KUNIT_EXPECT_EQ(test,
					ttp_wire_parse(buf, max(len, len +
								more[i]),
						       &pkt),
					TTP_PARSE_OK);
			KUNIT_EXPECT_EQ(test, pkt.hlen + pkt.payload, len);
		}
	}
}

/* The length field at all its values, in frames of three sizes */
static void ttp_wire_length_lies_refused(struct kunit *test)
{
	unsigned int g, i, length, body, want, frames[3];
	struct ttp_packet pkt, good;
	u8 buf[TTP_WIRE_TEST_MAX];
	bool ok;

	for (g = 0; g < ARRAY_SIZE(ttp_wire_test_golden); g++) {
		frames[0] = ttp_wire_test_bytes(g, buf);
		frames[1] = frames[0] + 1;
		frames[2] = sizeof(struct ttp_wire_hdr) + 0xffff;
		good = ttp_wire_test_golden[g].pkt;
		body = good.hlen - sizeof(struct ttp_wire_hdr);
		for (i = 0; i < 3 * 0x10000; i++) {
			length = i % 0x10000;
			buf[4] = length >> 8;
			buf[5] = length;
			ok = good.type == TTP_WIRE_PROBE ||
			     good.type == TTP_WIRE_PROBE_REPLY ||
			     length == good.length;
			want = ok ? TTP_PARSE_OK : TTP_PARSE_FIELD;
			if (length < body || length >
			    frames[i / 0x10000] - sizeof(struct ttp_wire_hdr))
				want = TTP_PARSE_SHORT;
			if (ttp_wire_parse(buf, frames[i / 0x10000], &pkt) !=
			    want) {
				KUNIT_FAIL(test, "packet %u, length %u, %u",
					   g, length, frames[i / 0x10000]);
				return;
			}
		}
	}
}

/* The count at all its values, the length agreeing with it */
static void ttp_wire_count_refused_outside_bounds(struct kunit *test)
{
	unsigned int g, i, count, entry, min, max, hlen, size = 8192;
	struct ttp_packet pkt;
	u8 *buf, *p;

	buf = kunit_kzalloc(test, size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	for (g = 0; g < ARRAY_SIZE(ttp_wire_test_golden); g++) {
		pkt = ttp_wire_test_golden[g].pkt;
		entry = ttp_wire_entry_size(pkt.type);
		min = pkt.type == TTP_WIRE_ACK || pkt.type == TTP_WIRE_RESEND;
		max = pkt.type == TTP_WIRE_ACK ? TTP_WIRE_MAX_ACKS :
		      pkt.type == TTP_WIRE_RESEND ? TTP_WIRE_MAX_RANGES :
		      pkt.type == TTP_WIRE_DATA ? TTP_WIRE_DATA_ACKS : 0;
		for (count = 0; count < 256; count++) {
			pkt = ttp_wire_test_golden[g].pkt;
			pkt.count = count;
			p = buf + ttp_wire_build(buf, &pkt);
			for (i = 0; i < count && entry; i++, p += entry) {
				if (pkt.type == TTP_WIRE_RESEND)
					ttp_wire_put_range(p, 1400 + 2 * i,
							   1401 + 2 * i);
				else
					ttp_wire_put_ack(p,
							 ttp_wire_test_acks);
			}
			hlen = ttp_wire_size(pkt.type) + count * entry;
			KUNIT_EXPECT_EQ(test, ttp_wire_hlen((void *)buf), hlen);
			KUNIT_EXPECT_EQ_MSG(test,
					    ttp_wire_parse(buf, size, &pkt),
					    count < min || count > max ?
					    TTP_PARSE_FIELD : TTP_PARSE_OK,
					    "packet %u, count %u", g, count);
		}
	}
}

static void ttp_wire_unknown_type_refused(struct kunit *test)
{
	u8 buf[TTP_WIRE_TEST_MAX];
	struct ttp_packet pkt;
	unsigned int g, type;
	bool known;

	for (type = 0; type < 256; type++) {
		ttp_wire_test_bytes(NEED_ACK, buf);
		buf[2] = type;
		known = false;
		for (g = 0; g < ARRAY_SIZE(ttp_wire_test_golden); g++)
			known |= ttp_wire_test_golden[g].pkt.type == type;
		/* every type has a golden packet */
		KUNIT_EXPECT_EQ(test, known, type > 0 && type < __TTP_WIRE_TYPES);
		KUNIT_EXPECT_EQ(test, ttp_wire_size(type) != 0, known);
		if (known)
			continue;
		KUNIT_EXPECT_EQ(test, ttp_wire_entry_size(type), 0U);
		KUNIT_EXPECT_EQ(test, ttp_wire_hlen((void *)buf), 48U);
		KUNIT_EXPECT_EQ(test, ttp_wire_parse(buf, 48, &pkt),
				TTP_PARSE_TYPE);
	}
}

static void ttp_wire_short_segment_refused(struct kunit *test)
{
	static const struct {
		u32 msg_len, offset, payload;
		enum ttp_parse want;
	} cases[] = {
		{ 1000, 0, 127, TTP_PARSE_FIELD },	/* neither long enough */
		{ 1000, 0, 128, TTP_PARSE_OK },
		{ 1000, 872, 127, TTP_PARSE_FIELD },	/* nor the end */
		{ 1000, 872, 128, TTP_PARSE_OK },
		{ 1000, 872, 129, TTP_PARSE_FIELD },
		{ 1000, 999, 1, TTP_PARSE_OK },
		{ 1000, 1000, 0, TTP_PARSE_FIELD },
		{ 1000, 0, 0, TTP_PARSE_FIELD },
		{ 0, 0, 0, TTP_PARSE_OK },
		{ TTP_WIRE_MAX_MESSAGE, TTP_WIRE_MAX_MESSAGE - 1, 1,
		  TTP_PARSE_OK },
		{ TTP_WIRE_MAX_MESSAGE, 0xffffffff, 1, TTP_PARSE_FIELD },
		{ 0xffffffff, 0xfffffffe, 1, TTP_PARSE_FIELD },
	};
	u8 buf[TTP_WIRE_TEST_MAX] = {};
	struct ttp_packet pkt;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		pkt = ttp_wire_test_golden[DATA_REQUEST].pkt;
		pkt.data.msg_len = cases[i].msg_len;
		pkt.data.offset = cases[i].offset;
		pkt.data.unsched = 0;
		pkt.payload = cases[i].payload;
		ttp_wire_build(buf, &pkt);
		KUNIT_EXPECT_EQ_MSG(test,
				    ttp_wire_parse(buf, sizeof(buf), &pkt),
				    cases[i].want, "case %u", i);
	}
}

/* What takes two fields to provoke, or to be right */
static void ttp_wire_lone_range_bounds(struct kunit *test)
{
	static const struct {
		u32 received, start, end;
		enum ttp_parse want;
	} cases[] = {
		{ 0, 0, 1, OK },
		{ 0, 0, ALL, OK },
		{ 0, MAX_MSG - 1, MAX_MSG, OK },
		{ MAX_MSG, MAX_MSG, ALL, OK },
		{ MAX_MSG, MAX_MSG, MAX_MSG, BAD },
		{ MAX_MSG + 1, MAX_MSG + 1, ALL, BAD },
		{ 0, MAX_MSG + 1, ALL, BAD },
		{ 1, 0, ALL, BAD },
	};
	u8 buf[TTP_WIRE_TEST_MAX] = {};
	struct ttp_packet pkt;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		pkt = ttp_wire_test_golden[RESEND].pkt;
		pkt.count = 1;
		pkt.resend.received = cases[i].received;
		ttp_wire_put_range(buf + ttp_wire_build(buf, &pkt),
				   cases[i].start, cases[i].end);
		KUNIT_EXPECT_EQ_MSG(test, ttp_wire_parse(buf, 64, &pkt),
				    cases[i].want, "case %u", i);
	}
}

static void ttp_wire_reject_without_limit_parses(struct kunit *test)
{
	u8 buf[TTP_WIRE_TEST_MAX] = {};
	struct ttp_packet pkt;
	unsigned int code;

	for (code = 0; code < 256; code++) {
		pkt = ttp_wire_test_golden[REJECT].pkt;
		pkt.note.code = code;
		pkt.note.value = 0;
		ttp_wire_build(buf, &pkt);
		KUNIT_EXPECT_EQ_MSG(test, ttp_wire_parse(buf, 56, &pkt),
				    code >= TTP_REJECT_REFUSED &&
				    code <= TTP_REJECT_TOO_LONG ? OK : BAD,
				    "code %u", code);
	}
}

static void ttp_wire_field_out_of_range_refused(struct kunit *test)
{
	const struct ttp_wire_poke *poke = ttp_wire_test_pokes;
	u8 buf[TTP_WIRE_TEST_MAX];
	struct ttp_packet pkt;
	unsigned int i, len;

	for (; poke < ttp_wire_test_pokes + ARRAY_SIZE(ttp_wire_test_pokes);
	     poke++) {
		len = ttp_wire_test_bytes(poke->g, buf);
		for (i = 0; i < poke->size; i++)
			buf[poke->offset + i] =
				poke->value >> (8 * (poke->size - 1 - i));
		KUNIT_EXPECT_EQ_MSG(test,
				    ttp_wire_test_parse(test, buf, len, &pkt),
				    poke->want, "packet %u: 0x%llx at %u",
				    poke->g, poke->value, poke->offset);
	}
}

/* Change one to four bytes of the @hlen header bytes, not the first three */
static void ttp_wire_test_mutate(struct rnd_state *rnd, u8 *buf,
				 unsigned int hlen)
{
	static const u8 special[] = { 0, 1, 2, 0x7f, 0x80, 0xfe, 0xff };
	unsigned int n = 1 + prandom_u32_state(rnd) % 4;
	u32 r, at;

	while (n--) {
		r = prandom_u32_state(rnd);
		at = 3 + prandom_u32_state(rnd) % (hlen - 3);
		if (r & 1)
			buf[at] ^= 1U << ((r >> 8) % 8);
		else if (r & 2)
			buf[at] = special[(r >> 8) % ARRAY_SIZE(special)];
		else
			buf[at] = r >> 8;
	}
}

static void ttp_wire_test_rebuild(struct kunit *test, const u8 *buf,
				  struct ttp_packet *pkt, u8 *out)
{
	unsigned int i, entry = ttp_wire_entry_size(pkt->type);
	struct ttp_ack ack;
	u32 start, end;
	u8 *p;

	p = out + ttp_wire_build(out, pkt);
	for (i = 0; i < pkt->count; i++, p += entry) {
		if (pkt->type == TTP_WIRE_RESEND) {
			ttp_wire_get_range(buf, i, &start, &end);
			ttp_wire_put_range(p, start, end);
		} else {
			ttp_wire_get_ack(buf, pkt, i, &ack);
			ttp_wire_put_ack(p, &ack);
		}
	}
	KUNIT_ASSERT_EQ(test, p - out, pkt->hlen);
}

static void ttp_wire_mutated_stays_inside_frame(struct kunit *test)
{
	u8 buf[TTP_WIRE_TEST_MAX], out[TTP_WIRE_TEST_MAX];
	unsigned int i, g, len, frame, accepted = 0;
	struct ttp_packet pkt, parsed;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, 20260718);
	for (i = 0; i < TTP_WIRE_TEST_FUZZ; i++) {
		g = prandom_u32_state(&rnd) % ARRAY_SIZE(ttp_wire_test_golden);
		len = ttp_wire_test_bytes(g, buf);
		ttp_wire_test_mutate(&rnd, buf,
				     ttp_wire_test_golden[g].pkt.hlen);
		frame = len;
		if (!(prandom_u32_state(&rnd) % 4))
			frame = prandom_u32_state(&rnd) % TTP_WIRE_TEST_MAX;
		memset(buf + len, 0, sizeof(buf) - len);
		if (ttp_wire_test_parse(test, buf, frame, &pkt) != OK)
			continue;

		accepted++;
		parsed = pkt;
		KUNIT_ASSERT_LE(test, pkt.hlen + pkt.payload, frame);
		ttp_wire_test_rebuild(test, buf, &pkt, out);
		memset(buf + offsetof(struct ttp_wire_hdr, crc), 0,
		       sizeof_field(struct ttp_wire_hdr, crc));
		KUNIT_ASSERT_EQ_MSG(test,
				    ttp_wire_test_differ(buf, out, pkt.hlen),
				    pkt.hlen, "round %u", i);
		pkt.crc = parsed.crc;
		KUNIT_ASSERT_EQ_MSG(test,
				    ttp_wire_test_differ(&pkt, &parsed,
							 sizeof(pkt)),
				    sizeof(pkt), "round %u", i);
	}
	/* or else it tested nothing */
	KUNIT_EXPECT_GT(test, accepted, TTP_WIRE_TEST_FUZZ / 20);
	kunit_info(test, "%u of %u accepted\n", accepted, TTP_WIRE_TEST_FUZZ);
}

static struct kunit_case ttp_wire_cases[] = {
	KUNIT_CASE(ttp_wire_golden_parses),
	KUNIT_CASE(ttp_wire_golden_builds),
	KUNIT_CASE(ttp_wire_golden_crc_matches),
	KUNIT_CASE(ttp_wire_truncated_refused),
	KUNIT_CASE(ttp_wire_padded_parses),
	KUNIT_CASE(ttp_wire_length_lies_refused),
	KUNIT_CASE(ttp_wire_count_refused_outside_bounds),
	KUNIT_CASE(ttp_wire_unknown_type_refused),
	KUNIT_CASE(ttp_wire_short_segment_refused),
	KUNIT_CASE(ttp_wire_lone_range_bounds),
	KUNIT_CASE(ttp_wire_reject_without_limit_parses),
	KUNIT_CASE(ttp_wire_field_out_of_range_refused),
	KUNIT_CASE(ttp_wire_mutated_stays_inside_frame),
	{}
};

static struct kunit_suite ttp_wire_suite = {
	.name = "ttp_wire",
	.test_cases = ttp_wire_cases,
};

kunit_test_suite(ttp_wire_suite);
