/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every field of the golden packets at and beyond its bounds.
 */
#ifndef _NET_TTP_TESTS_WIRE_CHECKS_H
#define _NET_TTP_TESTS_WIRE_CHECKS_H

#include <linux/stddef.h>

#include "wire_golden.h"

/**
 * struct ttp_wire_poke - a field of a golden packet, overwritten
 * @g: the packet
 * @offset: of the field
 * @size: bytes of it
 * @value: what to write, big endian
 * @want: what must come of it
 */
struct ttp_wire_poke {
	unsigned int	g;
	unsigned int	offset;
	unsigned int	size;
	u64		value;
	enum ttp_parse	want;
};

/* Two members of the structure at once: where, and how long */
#define AT(base, type, field) \
	(base) + offsetof(struct type, field), sizeof_field(struct type, field)
#define HDR(field)	AT(0, ttp_wire_hdr, field)
#define BODY		sizeof(struct ttp_wire_hdr)
#define DATA(field)	AT(BODY, ttp_wire_data, field)
#define GRA(field)	AT(BODY, ttp_wire_grant, field)
#define RES(field)	AT(BODY, ttp_wire_resend, field)
#define NOTE(field)	AT(BODY, ttp_wire_note, field)
#define CUT(field)	AT(BODY, ttp_wire_cutoffs, field)
#define RANGE(i, field)	AT(BODY + sizeof(struct ttp_wire_resend) + \
			   (i) * sizeof(struct ttp_wire_range), \
			   ttp_wire_range, field)
#define DACK(i, field)	AT(TTP_WIRE_DATA_HLEN + \
			   (i) * sizeof(struct ttp_wire_ack), \
			   ttp_wire_ack, field)
#define ACKS(i, field)	AT(BODY + (i) * sizeof(struct ttp_wire_ack), \
			   ttp_wire_ack, field)
#define OK		TTP_PARSE_OK
#define BAD		TTP_PARSE_FIELD
#define MAX_MSG		TTP_WIRE_MAX_MESSAGE
#define ALL		TTP_WIRE_RANGE_ALL
#define CLIENT		TTP_WIRE_TEST_CLIENT
#define SERVER		TTP_WIRE_TEST_SERVER

static const struct ttp_wire_poke ttp_wire_test_pokes[] = {
	{ CLOSE, HDR(magic), 0, TTP_PARSE_MAGIC },
	{ CLOSE, HDR(magic), 0x53, TTP_PARSE_MAGIC },
	{ CLOSE, HDR(magic), 0x55, TTP_PARSE_MAGIC },
	{ CLOSE, HDR(magic), 0xff, TTP_PARSE_MAGIC },
	{ CLOSE, HDR(version), 0, TTP_PARSE_VERSION },
	{ CLOSE, HDR(version), 2, TTP_PARSE_VERSION },
	{ CLOSE, HDR(version), 0xff, TTP_PARSE_VERSION },
	/* flags: CRC 1, NOCRC_OK 2, ECHO 4, RETRANS 8, ONEWAY 16 */
	{ DATA_REQUEST, HDR(flags), 0x00, BAD },	/* crc is not zero */
	{ PROBE, HDR(flags), 0x00, OK },		/* crc is zero */
	{ PROBE, HDR(flags), 0x01, OK },
	{ DATA_REQUEST, HDR(flags), 0x1f, OK },
	{ DATA_REQUEST, HDR(flags), 0x21, BAD },
	{ DATA_REQUEST, HDR(flags), 0x41, BAD },
	{ DATA_REQUEST, HDR(flags), 0x81, BAD },
	{ DATA_REQUEST, HDR(flags), 0xff, BAD },
	{ GRANT, HDR(flags), 0x01, BAD },		/* echo is not zero */
	{ GRANT, HDR(flags), 0x0f, OK },
	{ GRANT, HDR(flags), 0x15, BAD },		/* one-way */
	{ CANCEL, HDR(flags), 0x11, BAD },
	{ CLOSE, HDR(flags), 0x11, BAD },
	{ DATA_RESPONSE, HDR(flags), 0x1d, BAD },
	{ CLOSE, HDR(echo), 1, BAD },
	{ CLOSE, HDR(hold), 1, BAD },
	{ GRANT, HDR(echo), 0, OK },
	{ GRANT, HDR(hold), 0xffffffff, OK },
	{ CLOSE, HDR(level), 0, OK },
	{ CLOSE, HDR(level), 8, BAD },
	{ CLOSE, HDR(level), 0xff, BAD },
	{ CLOSE, HDR(cong), 0xff, OK },
	{ CLOSE, HDR(cutoffs), 0xff, OK },
	{ CLOSE, HDR(src_epoch), 0, BAD },
	{ CLOSE, HDR(src_epoch), 1, OK },
	{ CLOSE, HDR(src_epoch), 0xffffffff, OK },
	{ CLOSE, HDR(dst_epoch), 0, OK },
	{ CLOSE, HDR(dst_epoch), 0xffffffff, OK },
	{ CLOSE, HDR(stamp), 0, OK },
	{ CLOSE, HDR(mtu), 0, BAD },
	{ CLOSE, HDR(mtu), 255, BAD },
	{ CLOSE, HDR(mtu), 256, OK },
	{ CLOSE, HDR(mtu), 0xffff, OK },
	/* of an RPC, and who may send it */
	{ CANCEL, HDR(sport), 0, BAD },
	{ CANCEL, HDR(sport), 0xffff, OK },
	{ CANCEL, HDR(dport), 0, BAD },
	{ CANCEL, HDR(dport), 0xffff, OK },
	{ CANCEL, HDR(id), 0, BAD },
	{ CANCEL, HDR(id), 1, BAD },
	{ CANCEL, HDR(id), 2, OK },
	{ CANCEL, HDR(id), 3, BAD },
	{ CANCEL, HDR(id), -2ULL, OK },
	{ BUSY, HDR(id), 1, BAD },
	{ BUSY, HDR(id), 2, OK },
	{ BUSY, HDR(id), 3, OK },
	{ BUSY, HDR(id), -1ULL, OK },
	{ UNKNOWN, HDR(id), CLIENT, BAD },
	{ REJECT, HDR(id), CLIENT, BAD },
	{ DATA_REQUEST, HDR(id), 0, BAD },
	{ DATA_REQUEST, HDR(id), 1, BAD },
	{ GRANT, HDR(id), CLIENT, OK },
	{ RESEND, HDR(id), SERVER, OK },
	{ NEED_ACK, HDR(id), CLIENT, OK },
	{ FULL, HDR(id), CLIENT, OK },
	/* of none */
	{ ACK, HDR(sport), 1, BAD },
	{ ACK, HDR(dport), 1, BAD },
	{ ACK, HDR(id), 2, BAD },
	{ PROBE, HDR(sport), 1, BAD },
	{ PROBE, HDR(dport), 1, BAD },
	{ PROBE, HDR(id), 2, BAD },
	{ PROBE_REPLY, HDR(id), 3, BAD },
	{ CLOSE, HDR(sport), 0xffff, BAD },
	{ CLOSE, HDR(dport), 0xffff, BAD },
	{ CLOSE, HDR(id), -1ULL, BAD },
	/* DATA */
	{ DATA_REQUEST, DATA(msg_len), 0, BAD },
	{ DATA_REQUEST, DATA(msg_len), 4, BAD },
	{ DATA_REQUEST, DATA(msg_len), 6, BAD },
	{ DATA_REQUEST, DATA(msg_len), MAX_MSG, BAD },
	{ DATA_REQUEST, DATA(msg_len), MAX_MSG + 1, BAD },
	{ DATA_REQUEST, DATA(msg_len), 0xffffffff, BAD },
	{ DATA_REQUEST, DATA(offset), 1, BAD },
	{ DATA_REQUEST, DATA(offset), 5, BAD },
	{ DATA_REQUEST, DATA(offset), 6, BAD },
	{ DATA_REQUEST, DATA(offset), 0xffffffff, BAD },
	{ DATA_REQUEST, DATA(offset), -5U, BAD },
	{ DATA_REQUEST, DATA(unsched), 0, OK },
	{ DATA_REQUEST, DATA(unsched), 4, OK },
	{ DATA_REQUEST, DATA(unsched), 6, BAD },
	{ DATA_REQUEST, DATA(unsched), 0xffffffff, BAD },
	{ DATA_REQUEST, DATA(limit), 0, OK },
	{ DATA_REQUEST, DATA(limit), 0xffffffff, OK },
	{ DATA_REQUEST, DATA(una), 0xffffffff, OK },
	{ DATA_REQUEST, DATA(age_us), 0xffffffff, OK },
	{ DATA_RESPONSE, DATA(limit), 1, BAD },
	{ DATA_RESPONSE, DATA(una), 1, BAD },
	{ DATA_RESPONSE, DATA(age_us), 1, BAD },
	{ DATA_ACKS, DATA(msg_len), 1, BAD },
	{ DATA_ACKS, DATA(offset), 1, BAD },
	{ DATA_ACKS, DATA(unsched), 1, BAD },
	{ DATA_ACKS, DACK(0, id), 0, BAD },
	{ DATA_ACKS, DACK(0, id), 1, BAD },
	{ DATA_ACKS, DACK(0, id), 2, OK },
	{ DATA_ACKS, DACK(1, sport), 0, BAD },
	{ DATA_ACKS, DACK(1, dport), 0, BAD },
	{ DATA_ACKS, DACK(1, received), MAX_MSG, OK },
	{ DATA_ACKS, DACK(1, received), MAX_MSG + 1, BAD },
	/* ACK */
	{ ACK, ACKS(0, id), 0, BAD },
	{ ACK, ACKS(1, id), 1, BAD },
	{ ACK, ACKS(1, id), -1ULL, OK },
	{ ACK, ACKS(0, sport), 0, BAD },
	{ ACK, ACKS(1, dport), 0, BAD },
	{ ACK, ACKS(0, received), 0, OK },
	{ ACK, ACKS(0, received), MAX_MSG, OK },
	{ ACK, ACKS(0, received), MAX_MSG + 1, BAD },
	{ ACK, ACKS(1, received), 0xffffffff, BAD },
	/* GRANT; it has received 41200 */
	{ GRANT, GRA(granted), 0, BAD },
	{ GRANT, GRA(granted), 41199, BAD },
	{ GRANT, GRA(granted), 41200, OK },
	{ GRANT, GRA(granted), MAX_MSG, OK },
	{ GRANT, GRA(granted), MAX_MSG + 1, BAD },
	{ GRANT, GRA(granted), 0xffffffff, BAD },
	{ GRANT, GRA(received), 0, OK },
	{ GRANT, GRA(received), 106736, OK },
	{ GRANT, GRA(received), 106737, BAD },
	{ GRANT, GRA(received), 0xffffffff, BAD },
	{ GRANT, GRA(level), 7, OK },
	{ GRANT, GRA(level), 8, BAD },
	{ GRANT, GRA(pad[0]), 1, BAD },
	{ GRANT, GRA(pad[6]), 0x80, BAD },
	/* RESEND of 1400 to 2800 and from 7000, received 1400 */
	{ RESEND, RES(received), 0, OK },
	{ RESEND, RES(received), 1399, OK },
	{ RESEND, RES(received), 1401, BAD },
	{ RESEND, RES(received), MAX_MSG + 1, BAD },
	{ RESEND, RES(received), 0xffffffff, BAD },
	{ RESEND, RES(level), 7, OK },
	{ RESEND, RES(level), 8, BAD },
	{ RESEND, RES(pad[0]), 1, BAD },
	{ RESEND, RES(pad[2]), 0x80, BAD },
	{ RESEND, RANGE(0, start), 0, BAD },
	{ RESEND, RANGE(0, start), 1399, BAD },
	{ RESEND, RANGE(0, start), 2799, OK },
	{ RESEND, RANGE(0, start), 2800, BAD },
	{ RESEND, RANGE(0, start), 0xffffffff, BAD },
	{ RESEND, RANGE(0, end), 0, BAD },
	{ RESEND, RANGE(0, end), 1400, BAD },
	{ RESEND, RANGE(0, end), 1401, OK },
	{ RESEND, RANGE(0, end), 7000, OK },	/* touching */
	{ RESEND, RANGE(0, end), 7001, BAD },	/* overlapping */
	{ RESEND, RANGE(0, end), ALL, BAD },	/* not the last one */
	{ RESEND, RANGE(1, start), 2799, BAD },
	{ RESEND, RANGE(1, start), 2800, OK },
	{ RESEND, RANGE(1, start), MAX_MSG, OK },
	{ RESEND, RANGE(1, start), MAX_MSG + 1, BAD },
	{ RESEND, RANGE(1, start), ALL - 1, BAD },
	{ RESEND, RANGE(1, start), ALL, BAD },
	{ RESEND, RANGE(1, end), 7000, BAD },
	{ RESEND, RANGE(1, end), 7001, OK },
	{ RESEND, RANGE(1, end), MAX_MSG, OK },
	{ RESEND, RANGE(1, end), MAX_MSG + 1, BAD },
	{ RESEND, RANGE(1, end), ALL - 1, BAD },
	/* BUSY, UNKNOWN, REJECT, PROBE */
	{ BUSY, NOTE(code), 1, BAD },
	{ BUSY, NOTE(value), 0, OK },
	{ BUSY, NOTE(value), MAX_MSG, OK },
	{ BUSY, NOTE(value), MAX_MSG + 1, BAD },
	{ BUSY, NOTE(pad[0]), 1, BAD },
	{ BUSY, NOTE(pad[2]), 0x80, BAD },
	{ UNKNOWN, NOTE(code), 0, BAD },
	{ UNKNOWN, NOTE(code), TTP_UNKNOWN_NEVER, OK },
	{ UNKNOWN, NOTE(code), TTP_UNKNOWN_EPOCH, OK },
	{ UNKNOWN, NOTE(code), TTP_UNKNOWN_EPOCH + 1, BAD },
	{ UNKNOWN, NOTE(code), 0xff, BAD },
	{ UNKNOWN, NOTE(value), 1, BAD },
	{ REJECT, NOTE(code), 0, BAD },
	{ REJECT, NOTE(code), TTP_REJECT_REFUSED, BAD },	/* has a limit */
	{ REJECT, NOTE(code), TTP_REJECT_RESET, BAD },
	{ REJECT, NOTE(code), TTP_REJECT_TOO_LONG + 1, BAD },
	{ REJECT, NOTE(code), 0xff, BAD },
	{ REJECT, NOTE(value), 0xffffffff, OK },
	{ PROBE, NOTE(code), 1, BAD },
	{ PROBE, NOTE(value), 0, OK },
	{ PROBE_REPLY, NOTE(code), 0xff, BAD },
	{ PROBE_REPLY, NOTE(pad[1]), 1, BAD },
	/* CUTOFFS */
	{ CUTOFFS, CUT(version), 0, BAD },
	{ CUTOFFS, CUT(version), 255, OK },
	{ CUTOFFS, CUT(pad[0]), 1, BAD },
	{ CUTOFFS, CUT(pad[2]), 0x80, BAD },
	{ CUTOFFS, CUT(limit), 0, OK },
	{ CUTOFFS, CUT(limit), 0xffffffff, OK },
	{ CUTOFFS, CUT(longest[0]), 0xfffffffe, BAD },
	{ CUTOFFS, CUT(longest[4]), 1536, OK },
	{ CUTOFFS, CUT(longest[4]), 1535, BAD },
	{ CUTOFFS, CUT(longest[5]), 10241, BAD },
	{ CUTOFFS, CUT(longest[7]), 448, OK },
	{ CUTOFFS, CUT(longest[7]), 449, BAD },
};

#endif /* _NET_TTP_TESTS_WIRE_CHECKS_H */
