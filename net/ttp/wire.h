/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The packet formats of TTP, and their checked translation to host order.
 *
 * Layer 0: knows neither sk_buffs nor locks.  The text of the protocol is
 * Documentation/networking/ttp-wire.rst; golden bytes are in
 * tests/wire_test.c.
 */
#ifndef _NET_TTP_WIRE_H
#define _NET_TTP_WIRE_H

#include <linux/types.h>

#define TTP_WIRE_MAGIC		0x54	/* 'T' */
#define TTP_WIRE_VERSION	1

/* Smallest MTU a device may have: headers, some payload, a few list entries */
#define TTP_WIRE_MIN_MTU	256U
/* Frames to a peer whose MTU is not known yet fit this one */
#define TTP_WIRE_DEFAULT_MTU	1500U
/*
 * A DATA packet that does not end its message carries at least this much, so
 * that memory held per byte of payload stays bounded whoever sends.
 */
#define TTP_WIRE_MIN_SEGMENT	128U
/* Highest message length the format can carry; netns limits are below it */
#define TTP_WIRE_MAX_MESSAGE	0x40000000U
/* As the end of a RESEND range: up to whatever was sent */
#define TTP_WIRE_RANGE_ALL	0xffffffffU

/* Unit of ttp_wire_hdr.cong, bytes */
#define TTP_WIRE_CONG_UNIT	4096U

#define TTP_WIRE_LEVELS		8
#define TTP_WIRE_TOP_LEVEL	(TTP_WIRE_LEVELS - 1)

enum ttp_wire_type {
	TTP_WIRE_DATA		= 1,	/* a piece of a message */
	TTP_WIRE_GRANT		= 2,	/* receiver: you may send up to here */
	TTP_WIRE_RESEND		= 3,	/* receiver: these ranges are missing */
	TTP_WIRE_ACK		= 4,	/* list of messages that arrived whole */
	TTP_WIRE_BUSY		= 5,	/* server: alive, no response yet */
	TTP_WIRE_UNKNOWN	= 6,	/* server: no such RPC, or stale epoch */
	TTP_WIRE_NEED_ACK	= 7,	/* sender: was this message received? */
	TTP_WIRE_CUTOFFS	= 8,	/* receiver: send at these levels */
	TTP_WIRE_FULL		= 9,	/* receiver: no room, wait for a grant */
	TTP_WIRE_PROBE		= 10,	/* anybody: are you there? */
	TTP_WIRE_PROBE_REPLY	= 11,
	TTP_WIRE_CANCEL		= 12,	/* client gave the RPC up */
	TTP_WIRE_CLOSE		= 13,	/* this incarnation ends */
	TTP_WIRE_REJECT		= 14,	/* server will not run this RPC */
	__TTP_WIRE_TYPES
};

/* Bits of ttp_wire_hdr.flags */
#define TTP_WIRE_F_CRC		0x01	/* the crc field is in use */
#define TTP_WIRE_F_NOCRC_OK	0x02	/* sender takes packets without CRC */
#define TTP_WIRE_F_ECHO		0x04	/* echo and hold are valid */
#define TTP_WIRE_F_RETRANS	0x08	/* sent again, or asked for again */
#define TTP_WIRE_F_ONEWAY	0x10	/* message of a one-way RPC */
#define TTP_WIRE_F_ALL		0x1f

/* Lowest bit of an RPC id: set in packets that a server sends */
#define TTP_WIRE_ID_SERVER	1ULL

/* Why a server answers UNKNOWN */
enum ttp_wire_unknown {
	TTP_UNKNOWN_NEVER	= 1,	/* no packet of this RPC ever arrived */
	TTP_UNKNOWN_GONE	= 2,	/* it was here; its state is not */
	TTP_UNKNOWN_EPOCH	= 3,	/* meant for another incarnation */
};

/* Why a server answers REJECT */
enum ttp_wire_reject {
	TTP_REJECT_REFUSED	= 1,	/* nobody listens on the port */
	TTP_REJECT_RESET	= 2,	/* the server's socket was closed */
	TTP_REJECT_TOO_LONG	= 3,	/* longer than value, bytes */
};

/**
 * struct ttp_wire_hdr - what every packet starts with, after the EtherType
 * @magic: TTP_WIRE_MAGIC, since others may use the same EtherType
 * @version: TTP_WIRE_VERSION
 * @type: enum ttp_wire_type
 * @flags: TTP_WIRE_F_*
 * @length: bytes after this header, without the padding of short frames
 * @level: priority level the packet was sent at, 0 to 7 (7 = highest)
 * @cong: congestion octet of DATA: how much of its message may be sent and was
 *	not, in TTP_WIRE_CONG_UNIT, saturating; else zero
 * @sport: sender's port; 0 where the packet is of no RPC
 * @dport: receiver's port, likewise
 * @crc: CRC32C of destination address, source address and the packet from
 *	@magic on, this field being zero
 * @id: RPC; lowest bit tells the sender's role; 0 = of no RPC
 * @src_epoch: sender's incarnation, never zero
 * @dst_epoch: receiver's incarnation as the sender knows it; 0 = unknown
 * @stamp: sender's clock, ns, low 32 bits
 * @echo: @stamp of the last packet that arrived from the receiver
 * @hold: ns between arrival of that packet and departure of this one
 * @mtu: bytes after the Ethernet header that the sender's device can take
 * @count: entries in the list after the type's own header
 * @cutoffs: DATA: version of the receiver's table of levels in use; 0 = none
 */
struct ttp_wire_hdr {
	__u8	magic;
	__u8	version;
	__u8	type;
	__u8	flags;
	__be16	length;
	__u8	level;
	__u8	cong;
	__be16	sport;
	__be16	dport;
	__be32	crc;
	__be64	id;
	__be32	src_epoch;
	__be32	dst_epoch;
	__be32	stamp;
	__be32	echo;
	__be32	hold;
	__be16	mtu;
	__u8	count;
	__u8	cutoffs;
} __packed __aligned(2);

/**
 * struct ttp_wire_data - after the common header of DATA
 * @msg_len: length of the whole message
 * @offset: of this packet's payload in the message
 * @unsched: bytes from the start that come without a grant
 * @limit: request: longest response the client takes; else zero
 * @una: request: (id - oldest open id of this client at this peer) / 2,
 *	saturating.  Everything older is finished.
 * @age_us: request: time since the message was first sent, saturating
 *
 * A list of @count struct ttp_wire_ack follows, then the payload.
 */
struct ttp_wire_data {
	__be32	msg_len;
	__be32	offset;
	__be32	unsched;
	__be32	limit;
	__be32	una;
	__be32	age_us;
} __packed __aligned(2);

/**
 * struct ttp_wire_ack - one message that arrived whole
 * @id: its RPC, with the bit of the sender of the acknowledgment
 * @sport: port of the sender of the acknowledgment
 * @dport: port of the sender of the message
 * @received: length of the message
 */
struct ttp_wire_ack {
	__be64	id;
	__be16	sport;
	__be16	dport;
	__be32	received;
} __packed __aligned(2);

/**
 * struct ttp_wire_grant - after the common header of GRANT
 * @granted: bytes from the start of the message that may be sent
 * @received: bytes from the start that have arrived without a hole
 * @level: priority level to send them at
 * @pad: zero
 */
struct ttp_wire_grant {
	__be32	granted;
	__be32	received;
	__u8	level;
	__u8	pad[7];
} __packed __aligned(2);

/**
 * struct ttp_wire_resend - after the common header of RESEND
 * @received: as in GRANT
 * @level: priority level to send at
 * @pad: zero
 *
 * A list of @count struct ttp_wire_range follows, ascending and disjoint, none
 * of it below @received; each also grants up to its end.
 */
struct ttp_wire_resend {
	__be32	received;
	__u8	level;
	__u8	pad[3];
} __packed __aligned(2);

/**
 * struct ttp_wire_range - missing bytes
 * @start: first one
 * @end: the one after the last; TTP_WIRE_RANGE_ALL = all that was sent
 */
struct ttp_wire_range {
	__be32	start;
	__be32	end;
} __packed __aligned(2);

/**
 * struct ttp_wire_note - after the common header of BUSY, UNKNOWN, REJECT,
 *	PROBE and PROBE_REPLY
 * @code: enum ttp_wire_unknown or ttp_wire_reject; else zero
 * @pad: zero
 * @value: BUSY: bytes of the message received from the start; REJECT: the
 *	limit if too long, else zero; PROBE: chosen by the sender, PROBE_REPLY
 *	gives it back; UNKNOWN: zero
 *
 * In PROBE and PROBE_REPLY payload may follow, which measures a path's MTU.
 */
struct ttp_wire_note {
	__u8	code;
	__u8	pad[3];
	__be32	value;
} __packed __aligned(2);

/**
 * struct ttp_wire_cutoffs - after the common header of CUTOFFS
 * @version: of the table, not zero
 * @pad: zero
 * @limit: bytes of a message that may come without a grant; 0 = as many as the
 *	sender thinks
 * @longest: by level: bytes of the longest message that is sent at it without a
 *	grant, if not at a higher one; none longer than of the level below
 */
struct ttp_wire_cutoffs {
	__u8	version;
	__u8	pad[3];
	__be32	limit;
	__be32	longest[TTP_WIRE_LEVELS];
} __packed __aligned(2);

/* Header bytes before list and payload */
#define TTP_WIRE_DATA_HLEN \
	(sizeof(struct ttp_wire_hdr) + sizeof(struct ttp_wire_data))

/* List entries that one packet may hold, and that fit the smallest MTU */
#define TTP_WIRE_MAX_ACKS	12U
#define TTP_WIRE_MAX_RANGES	24U
/* Acknowledgments that ride in a DATA packet */
#define TTP_WIRE_DATA_ACKS	3U

/**
 * struct ttp_packet - a packet in host order
 * @type: enum ttp_wire_type
 * @flags: TTP_WIRE_F_*
 * @level: priority level
 * @cong: congestion octet
 * @count: list entries
 * @cutoffs: version of the priority table
 * @length: bytes after the common header
 * @sport: sender's port
 * @dport: receiver's port
 * @mtu: sender's MTU
 * @crc: as on the wire
 * @id: as on the wire, with the sender's role bit
 * @src_epoch: sender's incarnation
 * @dst_epoch: receiver's incarnation, or 0
 * @stamp: sender's clock, ns
 * @echo: stamp given back
 * @hold: how long it was held, ns
 * @hlen: offset of the payload from the start of the common header
 * @payload: bytes of payload
 * @data: of DATA
 * @grant: of GRANT
 * @resend: of RESEND
 * @note: of BUSY, UNKNOWN, REJECT, PROBE, PROBE_REPLY
 * @table: of CUTOFFS
 */
struct ttp_packet {
	u8	type;
	u8	flags;
	u8	level;
	u8	cong;
	u8	count;
	u8	cutoffs;
	u16	length;
	u16	sport;
	u16	dport;
	u16	mtu;
	u32	crc;
	u64	id;
	u32	src_epoch;
	u32	dst_epoch;
	u32	stamp;
	u32	echo;
	u32	hold;
	u16	hlen;
	u16	payload;
	union {
		struct {
			u32	msg_len;
			u32	offset;
			u32	unsched;
			u32	limit;
			u32	una;
			u32	age_us;
		} data;
		struct {
			u32	granted;
			u32	received;
			u8	level;
		} grant;
		struct {
			u32	received;
			u8	level;
		} resend;
		struct {
			u32	value;
			u8	code;
		} note;
		struct {
			u32	longest[TTP_WIRE_LEVELS];
			u32	limit;
			u8	version;
		} table;
	};
};

/**
 * enum ttp_parse - what came of ttp_wire_parse()
 * @TTP_PARSE_OK: the packet is well formed
 * @TTP_PARSE_SHORT: the frame ends before the headers do
 * @TTP_PARSE_MAGIC: not ours
 * @TTP_PARSE_VERSION: a version this code does not speak
 * @TTP_PARSE_TYPE: unknown packet type
 * @TTP_PARSE_FIELD: a field has a value that it must not have
 */
enum ttp_parse {
	TTP_PARSE_OK,
	TTP_PARSE_SHORT,
	TTP_PARSE_MAGIC,
	TTP_PARSE_VERSION,
	TTP_PARSE_TYPE,
	TTP_PARSE_FIELD,
};

/**
 * ttp_wire_hlen() - header bytes to make linear before parsing
 * @hdr: common header
 *
 * Context: any.
 * Return: bytes from the start of the common header to the payload, as the
 * type and the entry count say; the size of the common header for types that
 * are not known.
 */
unsigned int ttp_wire_hlen(const struct ttp_wire_hdr *hdr);

/**
 * ttp_wire_parse() - check a packet and put it into host order
 * @buf: common header and all that ttp_wire_hlen() counts
 * @frame_len: bytes of the frame from the common header on, padding included
 * @pkt: filled in
 *
 * Everything that can be judged without knowing the RPC is judged here: on
 * success no length, offset or count in @pkt can lead outside the frame or
 * overflow.  List entries are read by ttp_wire_get_ack() and _get_range().
 *
 * Context: any.
 * Return: TTP_PARSE_OK or what is wrong.
 */
enum ttp_parse ttp_wire_parse(const void *buf, unsigned int frame_len,
			      struct ttp_packet *pkt);

/**
 * ttp_wire_build() - write the headers of a packet
 * @buf: at least ttp_wire_size(@pkt->type) bytes; every one is written
 * @pkt: type, flags, level, count, ports, ids, epochs, stamps, mtu, payload
 *	and the part of the type; length, hlen and crc are computed
 *
 * The crc field is written as zero.  List entries are put behind by
 * ttp_wire_put_ack() and ttp_wire_put_range().
 *
 * Context: any.
 * Return: bytes written.
 */
unsigned int ttp_wire_build(void *buf, struct ttp_packet *pkt);

/**
 * ttp_wire_size() - size of the fixed headers of a packet type
 * @type: enum ttp_wire_type
 *
 * Context: any.
 * Return: bytes of common header and type header, without list; 0 for types
 * that do not exist.
 */
unsigned int ttp_wire_size(u8 type);

/**
 * ttp_wire_entry_size() - size of a list entry of a packet type
 * @type: enum ttp_wire_type
 *
 * Context: any.
 * Return: bytes; 0 where the type has no list.
 */
unsigned int ttp_wire_entry_size(u8 type);

/**
 * struct ttp_ack - a list entry of ACK or DATA in host order
 * @id: RPC, with the role bit of the acknowledging side
 * @sport: port of the acknowledging side
 * @dport: port of the other side
 * @received: length of the message
 */
struct ttp_ack {
	u64	id;
	u16	sport;
	u16	dport;
	u32	received;
};

/**
 * ttp_wire_get_ack() - read one acknowledgment
 * @buf: start of the common header of a packet that parsed
 * @pkt: that packet
 * @i: index below @pkt->count
 * @ack: filled in
 *
 * Context: any.
 */
void ttp_wire_get_ack(const void *buf, const struct ttp_packet *pkt,
		      unsigned int i, struct ttp_ack *ack);

/**
 * ttp_wire_put_ack() - write one acknowledgment
 * @buf: where the entry goes
 * @ack: what to write
 *
 * Context: any.
 */
void ttp_wire_put_ack(void *buf, const struct ttp_ack *ack);

/**
 * ttp_wire_get_range() - read one range of a RESEND
 * @buf: start of the common header of a packet that parsed
 * @i: index below the packet's count
 * @start: first byte
 * @end: one after the last byte, above @start
 *
 * Context: any.
 */
void ttp_wire_get_range(const void *buf, unsigned int i, u32 *start, u32 *end);

/**
 * ttp_wire_put_range() - write one range of a RESEND
 * @buf: where the entry goes
 * @start: first byte
 * @end: one after the last byte
 *
 * Context: any.
 */
void ttp_wire_put_range(void *buf, u32 start, u32 end);

#endif /* _NET_TTP_WIRE_H */
