/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Golden bytes of every packet type.  They were made by a program that shares
 * nothing with wire.c, and are the examples in
 * Documentation/networking/ttp-wire.rst.
 */
#ifndef _NET_TTP_TESTS_WIRE_GOLDEN_H
#define _NET_TTP_TESTS_WIRE_GOLDEN_H

#include "../wire.h"

#define TTP_WIRE_TEST_CLIENT	0x0123456789abcde0ULL
#define TTP_WIRE_TEST_SERVER	0x0123456789abcde1ULL

/* Who the client and the server are, by the CRC */
#define TTP_WIRE_TEST_CLIENT_MAC	{ 2, 0, 0, 0, 0, 1 }
#define TTP_WIRE_TEST_SERVER_MAC	{ 2, 0, 0, 0, 0, 2 }

/* Of every golden packet */
#define TTP_WIRE_TEST_LINK						\
	.src_epoch = 0x0a0b0c0d, .stamp = 0x11223344, .mtu = 1500
#define TTP_WIRE_TEST_PEER						\
	TTP_WIRE_TEST_LINK, .dst_epoch = 0x01020304
#define TTP_WIRE_TEST_ECHO						\
	.echo = 0x55667788, .hold = 100000
#define TTP_WIRE_TEST_FROM_CLIENT					\
	.id = TTP_WIRE_TEST_CLIENT, .sport = 0x8001, .dport = 7
#define TTP_WIRE_TEST_FROM_SERVER					\
	.id = TTP_WIRE_TEST_SERVER, .sport = 7, .dport = 0x8001

static const struct ttp_ack ttp_wire_test_acks[] = {
	{ 0x0123456789abcddeULL, 0x8001, 7, 5000 },
	{ 0x0fedcba987654321ULL, 9, 0x9000, 0 },
};

static const u32 ttp_wire_test_ranges[][2] = {
	{ 1400, 2800 },
	{ 7000, TTP_WIRE_RANGE_ALL },
};

/**
 * struct ttp_wire_golden - a packet, as bytes and as a structure
 * @hex: bytes
 * @pkt: the same in host order
 */
struct ttp_wire_golden {
	const char		*hex;
	struct ttp_packet	pkt;
};

enum {
	DATA_REQUEST, DATA_RESPONSE, DATA_ACKS, GRANT, RESEND, ACK, BUSY,
	UNKNOWN, NEED_ACK, FULL, PROBE, PROBE_REPLY, CANCEL, CLOSE, REJECT,
	CUTOFFS,
};

static const struct ttp_wire_golden ttp_wire_test_golden[] = {
	[DATA_REQUEST] = {
		.hex =
			"54010101001d0600800100075652a1d40123456789abcde00a0b0c0d00000000"
			"11223344000000000000000005dc000000000005000000000000000501000000"
			"000000000000000068656c6c6f",
		.pkt = {
			.type = TTP_WIRE_DATA, .flags = TTP_WIRE_F_CRC,
			.level = 6, .length = 29, .crc = 0x5652a1d4,
			TTP_WIRE_TEST_LINK, TTP_WIRE_TEST_FROM_CLIENT,
			.hlen = 72, .payload = 5,
			.data = {
				.msg_len = 5, .unsched = 5, .limit = 16777216,
			},
		},
	},
	[DATA_RESPONSE] = {
		.hex =
			"5401010d00200300000780013ee47c950123456789abcde10a0b0c0d01020304"
			"1122334455667788000186a005dc000000001388000013800000057800000000"
			"00000000000000000001020304050607",
		.pkt = {
			.type = TTP_WIRE_DATA,
			.flags = TTP_WIRE_F_CRC | TTP_WIRE_F_ECHO |
				 TTP_WIRE_F_RETRANS,
			.level = 3, .length = 32, .crc = 0x3ee47c95,
			TTP_WIRE_TEST_PEER, TTP_WIRE_TEST_ECHO,
			TTP_WIRE_TEST_FROM_SERVER,
			.hlen = 72, .payload = 8,
			.data = {
				.msg_len = 5000, .offset = 4992,
				.unsched = 1400,
			},
		},
	},
	[DATA_ACKS] = {
		.hex =
			"540101150038060080010007e894140d0123456789abcde00a0b0c0d01020304"
			"1122334455667788000186a005dc020000000000000000000000000000000000"
			"00000003000000fa0123456789abcdde80010007000013880fedcba987654321"
			"0009900000000000",
		.pkt = {
			.type = TTP_WIRE_DATA,
			.flags = TTP_WIRE_F_CRC | TTP_WIRE_F_ECHO |
				 TTP_WIRE_F_ONEWAY,
			.level = 6, .length = 56, .crc = 0xe894140d,
			TTP_WIRE_TEST_PEER, TTP_WIRE_TEST_ECHO,
			TTP_WIRE_TEST_FROM_CLIENT,
			.count = 2, .hlen = 104,
			.data = { .una = 3, .age_us = 250 },
		},
	},
	[GRANT] = {
		.hex =
			"5401020500100700000780014fe1ed470123456789abcde10a0b0c0d01020304"
			"1122334455667788000186a005dc00000001a0f00000a0f00200000000000000",
		.pkt = {
			.type = TTP_WIRE_GRANT,
			.flags = TTP_WIRE_F_CRC | TTP_WIRE_F_ECHO,
			.level = 7, .length = 16, .crc = 0x4fe1ed47,
			TTP_WIRE_TEST_PEER, TTP_WIRE_TEST_ECHO,
			TTP_WIRE_TEST_FROM_SERVER,
			.hlen = 64,
			.grant = {
				.granted = 106736, .received = 41200,
				.level = 2,
			},
		},
	},
	[RESEND] = {
		.hex =
			"5401030500180700800100072fa231970123456789abcde00a0b0c0d01020304"
			"1122334455667788000186a005dc020000000578050000000000057800000af0"
			"00001b58ffffffff",
		.pkt = {
			.type = TTP_WIRE_RESEND,
			.flags = TTP_WIRE_F_CRC | TTP_WIRE_F_ECHO,
			.level = 7, .length = 24, .crc = 0x2fa23197,
			TTP_WIRE_TEST_PEER, TTP_WIRE_TEST_ECHO,
			TTP_WIRE_TEST_FROM_CLIENT,
			.count = 2, .hlen = 72,
			.resend = { .received = 1400, .level = 5 },
		},
	},
	[ACK] = {
		.hex =
			"54010401002007000000000061074a3200000000000000000a0b0c0d01020304"
			"11223344000000000000000005dc02000123456789abcdde8001000700001388"
			"0fedcba9876543210009900000000000",
		.pkt = {
			.type = TTP_WIRE_ACK, .flags = TTP_WIRE_F_CRC,
			.level = 7, .length = 32, .crc = 0x61074a32,
			TTP_WIRE_TEST_PEER,
			.count = 2, .hlen = 80,
		},
	},
	[BUSY] = {
		.hex =
			"540105050008070000078001d4c1ffd50123456789abcde10a0b0c0d01020304"
			"1122334455667788000186a005dc00000000000000000005",
		.pkt = {
			.type = TTP_WIRE_BUSY,
			.flags = TTP_WIRE_F_CRC | TTP_WIRE_F_ECHO,
			.level = 7, .length = 8, .crc = 0xd4c1ffd5,
			TTP_WIRE_TEST_PEER, TTP_WIRE_TEST_ECHO,
			TTP_WIRE_TEST_FROM_SERVER,
			.hlen = 56, .note = { .value = 5 },
		},
	},
	[UNKNOWN] = {
		.hex =
			"540106010008070000078001769dc0ee0123456789abcde10a0b0c0d01020304"
			"11223344000000000000000005dc00000200000000000000",
		.pkt = {
			.type = TTP_WIRE_UNKNOWN, .flags = TTP_WIRE_F_CRC,
			.level = 7, .length = 8, .crc = 0x769dc0ee,
			TTP_WIRE_TEST_PEER, TTP_WIRE_TEST_FROM_SERVER,
			.hlen = 56, .note = { .code = TTP_UNKNOWN_GONE },
		},
	},
	[NEED_ACK] = {
		.hex =
			"5401070100000700000780016f6014f70123456789abcde10a0b0c0d01020304"
			"11223344000000000000000005dc0000",
		.pkt = {
			.type = TTP_WIRE_NEED_ACK, .flags = TTP_WIRE_F_CRC,
			.level = 7, .crc = 0x6f6014f7,
			TTP_WIRE_TEST_PEER, TTP_WIRE_TEST_FROM_SERVER,
			.hlen = 48,
		},
	},
	[FULL] = {
		.hex =
			"540109010000070000078001e1b6c4f00123456789abcde10a0b0c0d01020304"
			"11223344000000000000000005dc0000",
		.pkt = {
			.type = TTP_WIRE_FULL, .flags = TTP_WIRE_F_CRC,
			.level = 7, .crc = 0xe1b6c4f0,
			TTP_WIRE_TEST_PEER, TTP_WIRE_TEST_FROM_SERVER,
			.hlen = 48,
		},
	},
	[PROBE] = {
		.hex =
			"54010a02000c0700000000000000000000000000000000000a0b0c0d00000000"
			"11223344000000000000000005dc000000000000deadbeef00010203",
		.pkt = {
			.type = TTP_WIRE_PROBE, .flags = TTP_WIRE_F_NOCRC_OK,
			.level = 7, .length = 12,
			TTP_WIRE_TEST_LINK,
			.hlen = 56, .payload = 4,
			.note = { .value = 0xdeadbeef },
		},
	},
	[PROBE_REPLY] = {
		.hex =
			"54010b06000c0700000000000000000000000000000000000a0b0c0d01020304"
			"1122334455667788000186a005dc000000000000deadbeef00010203",
		.pkt = {
			.type = TTP_WIRE_PROBE_REPLY,
			.flags = TTP_WIRE_F_NOCRC_OK | TTP_WIRE_F_ECHO,
			.level = 7, .length = 12,
			TTP_WIRE_TEST_PEER, TTP_WIRE_TEST_ECHO,
			.hlen = 56, .payload = 4,
			.note = { .value = 0xdeadbeef },
		},
	},
	[CANCEL] = {
		.hex =
			"54010c01000007008001000708eeaeec0123456789abcde00a0b0c0d01020304"
			"11223344000000000000000005dc0000",
		.pkt = {
			.type = TTP_WIRE_CANCEL, .flags = TTP_WIRE_F_CRC,
			.level = 7, .crc = 0x8eeaeec,
			TTP_WIRE_TEST_PEER, TTP_WIRE_TEST_FROM_CLIENT,
			.hlen = 48,
		},
	},
	[CLOSE] = {
		.hex =
			"54010d010000070000000000b8c9813700000000000000000a0b0c0d01020304"
			"11223344000000000000000005dc0000",
		.pkt = {
			.type = TTP_WIRE_CLOSE, .flags = TTP_WIRE_F_CRC,
			.level = 7, .crc = 0xb8c98137,
			TTP_WIRE_TEST_PEER,
			.hlen = 48,
		},
	},
	[CUTOFFS] = {
		.hex =
			"54010801002807000000000088df465100000000000000000a0b0c0d01020304"
			"11223344000000000000000005dc00000300000000000400ffffffffffffffff"
			"ffffffffffffffff0000280000000600000001c000000000",
		.pkt = {
			.type = TTP_WIRE_CUTOFFS, .flags = TTP_WIRE_F_CRC,
			.level = 7, .length = 40, .crc = 0x88df4651,
			TTP_WIRE_TEST_PEER,
			.hlen = 88,
			.table = {
				.version = 3, .limit = 1024,
				.longest = {
					U32_MAX, U32_MAX, U32_MAX, U32_MAX,
					10240, 1536, 448, 0,
				},
			},
		},
	},
	[REJECT] = {
		.hex =
			"54010e050008070000078001d76e906d0123456789abcde10a0b0c0d01020304"
			"1122334455667788000186a005dc00000300000000010000",
		.pkt = {
			.type = TTP_WIRE_REJECT,
			.flags = TTP_WIRE_F_CRC | TTP_WIRE_F_ECHO,
			.level = 7, .length = 8, .crc = 0xd76e906d,
			TTP_WIRE_TEST_PEER, TTP_WIRE_TEST_ECHO,
			TTP_WIRE_TEST_FROM_SERVER,
			.hlen = 56,
			.note = {
				.code = TTP_REJECT_TOO_LONG, .value = 65536,
			},
		},
	},
};

#endif /* _NET_TTP_TESTS_WIRE_GOLDEN_H */
