/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The TTP packet format, for test programs.
 *
 * Written from Documentation/networking/ttp-wire.rst alone; shares nothing
 * with net/ttp, so that each checks the other.
 */
#ifndef _TTP_TEST_FRAME_H
#define _TTP_TEST_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define HDR_LEN		48
#define MAX_FRAME	65536
#define ETHERTYPE	0x88b5

struct field {
	const char	*name;
	uint8_t		at;
	uint8_t		size;
};

static const struct field hdr_fields[] = {
	{ "magic", 0, 1 }, { "version", 1, 1 }, { "type", 2, 1 },
	{ "flags", 3, 1 }, { "length", 4, 2 }, { "level", 6, 1 },
	{ "cong", 7, 1 }, { "sport", 8, 2 }, { "dport", 10, 2 },
	{ "crc", 12, 4 }, { "id", 16, 8 }, { "src_epoch", 24, 4 },
	{ "dst_epoch", 28, 4 }, { "stamp", 32, 4 }, { "echo", 36, 4 },
	{ "hold", 40, 4 }, { "mtu", 44, 2 }, { "count", 46, 1 },
	{ "cutoffs", 47, 1 }, { NULL, 0, 0 },
};

static const struct field data_fields[] = {
	{ "msg_len", 48, 4 }, { "offset", 52, 4 }, { "unsched", 56, 4 },
	{ "limit", 60, 4 }, { "una", 64, 4 }, { "age_us", 68, 4 },
	{ NULL, 72, 0 },
};

static const struct field grant_fields[] = {
	{ "granted", 48, 4 }, { "received", 52, 4 }, { "at_level", 56, 1 },
	{ "pad", 57, 7 }, { NULL, 64, 0 },
};

static const struct field resend_fields[] = {
	{ "received", 48, 4 }, { "at_level", 52, 1 }, { "pad", 53, 3 },
	{ NULL, 56, 0 },
};

static const struct field note_fields[] = {
	{ "code", 48, 1 }, { "pad", 49, 3 }, { "value", 52, 4 },
	{ NULL, 56, 0 },
};

static const struct field cutoffs_fields[] = {
	{ "table", 48, 1 }, { "pad", 49, 3 }, { "most", 52, 4 },
	{ "longest0", 56, 4 }, { "longest1", 60, 4 }, { "longest2", 64, 4 },
	{ "longest3", 68, 4 }, { "longest4", 72, 4 }, { "longest5", 76, 4 },
	{ "longest6", 80, 4 }, { "longest7", 84, 4 }, { NULL, 88, 0 },
};

static const struct field no_fields[] = { { NULL, 48, 0 } };

/* Packet types; the entry of the list without name gives the body's end */
static const struct type {
	const char		*name;
	const struct field	*fields;
	uint8_t			entry;
} types[] = {
	[0] = { NULL, no_fields, 0 },
	[1] = { "data", data_fields, 16 },
	[2] = { "grant", grant_fields, 0 },
	[3] = { "resend", resend_fields, 8 },
	[4] = { "ack", no_fields, 16 },
	[5] = { "busy", note_fields, 0 },
	[6] = { "unknown", note_fields, 0 },
	[7] = { "need_ack", no_fields, 0 },
	[8] = { "cutoffs", cutoffs_fields, 0 },
	[9] = { "full", no_fields, 0 },
	[10] = { "probe", note_fields, 0 },
	[11] = { "probe_reply", note_fields, 0 },
	[12] = { "cancel", no_fields, 0 },
	[13] = { "close", no_fields, 0 },
	[14] = { "reject", note_fields, 0 },
};
#define TYPES	(sizeof(types) / sizeof(types[0]))

static const char * const flag_names[] = {
	"crc", "nocrc_ok", "echo", "retrans", "oneway", NULL,
};
#define FLAG_CRC	0x01
#define FLAG_ECHO	0x04

static inline uint64_t get(const uint8_t *p, unsigned int size)
{
	uint64_t v = 0;

	while (size--)
		v = v << 8 | *p++;
	return v;
}

static inline void put(uint8_t *p, unsigned int size, uint64_t v)
{
	while (size--)
		p[size] = v, v >>= 8;
}

/* CRC32C: polynomial 0x1edc6f41, reflected, ones in front and inverted */
static inline uint32_t crc32c(uint32_t crc, const uint8_t *p, size_t n)
{
	int bit;

	crc = ~crc;

	while (n--)
		for (crc ^= *p++, bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	return ~crc;
}

/*
 * What the crc field should hold in a packet of @len bytes from one MAC
 * address to another; @eth is the Ethernet header, which begins with those
 */
static inline uint32_t packet_crc(const uint8_t *eth, const uint8_t *pkt,
				  size_t len)
{
	size_t n = HDR_LEN + get(pkt + 4, 2);
	static const uint8_t zeros[4];
	uint32_t crc;

	if (n > len)
		n = len;
	crc = crc32c(0, eth, 12);
	crc = crc32c(crc, pkt, 12);
	crc = crc32c(crc, zeros, 4);
	return crc32c(crc, pkt + 16, n - 16);
}

/* ---- printing, in the words that ttp_frame takes */

static inline void print_hex(const char *key, const uint8_t *p, size_t n)
{
	if (n)
		printf(" %s=", key);
	while (n--)
		printf("%02x", *p++);
}

static inline void print_mac(const char *key, const uint8_t *m)
{
	printf("%s=%02x:%02x:%02x:%02x:%02x:%02x ", key, m[0], m[1], m[2], m[3],
	       m[4], m[5]);
}

static inline void print_flags(uint8_t flags)
{
	const char *comma = "";
	unsigned int i;

	printf(" flags=");
	if (!flags || flags & 0xe0) {
		printf("0x%02x", flags);
		return;
	}
	for (i = 0; flag_names[i]; i++)
		if (flags & 1 << i) {
			printf("%s%s", comma, flag_names[i]);
			comma = ",";
		}
}

static inline void print_fields(const uint8_t *pkt, const struct field *f)
{
	for (; f->name; f++) {
		uint64_t v = get(pkt + f->at, f->size);

		if (!strcmp(f->name, "flags"))
			print_flags(v);
		else if (!strcmp(f->name, "id"))
			printf(" id=0x%llx", (unsigned long long)v);
		else if (strcmp(f->name, "magic") && strcmp(f->name, "version") &&
			 strcmp(f->name, "type") && strcmp(f->name, "crc") &&
			 (strcmp(f->name, "pad") || v))
			printf(" %s=%llu", f->name, (unsigned long long)v);
	}
}

/* The list, as far as it lies inside @len; returns what follows it */
static inline size_t print_list(const uint8_t *pkt, size_t at, size_t len,
				unsigned int entry)
{
	unsigned int i;

	for (i = 0; entry && i < pkt[46] && at + entry <= len; i++, at += entry) {
		const uint8_t *e = pkt + at;

		if (entry == 16)
			printf(" ack=0x%llx:%u:%u:%u",
			       (unsigned long long)get(e, 8),
			       (unsigned int)get(e + 8, 2),
			       (unsigned int)get(e + 10, 2),
			       (unsigned int)get(e + 12, 4));
		else if (get(e + 4, 4) == 0xffffffff)
			printf(" range=%u-all", (unsigned int)get(e, 4));
		else
			printf(" range=%u-%u", (unsigned int)get(e, 4),
			       (unsigned int)get(e + 4, 4));
	}
	return at;
}

static inline void print_packet(const uint8_t *eth, const uint8_t *pkt,
				size_t len)
{
	const struct field *f;
	const struct type *t;
	size_t at, end;

	if (len < HDR_LEN || pkt[0] != 0x54 || pkt[1] != 1) {
		printf("wrong=%s bytes=%zu", len < HDR_LEN ? "short" :
		       pkt[0] != 0x54 ? "magic" : "version", len);
		print_hex("hex", pkt, len);
		putchar('\n');
		return;
	}
	t = &types[pkt[2] < TYPES ? pkt[2] : 0];
	for (f = t->fields; f->name; f++)
		;
	end = HDR_LEN + get(pkt + 4, 2);
	if (t->name)
		printf("type=%s", t->name);
	else
		printf("type=%u", pkt[2]);
	printf(" crc=%s", !(pkt[3] & FLAG_CRC) ? "none" :
	       packet_crc(eth, pkt, len) == get(pkt + 12, 4) ? "good" : "bad");
	print_fields(pkt, hdr_fields);
	if (end > len || f->at > end) {
		printf(" wrong=short bytes=%zu\n", len);
		return;
	}
	print_fields(pkt, t->fields);
	at = print_list(pkt, f->at, end, t->entry);
	printf(" payload=%zu", end - at);
	print_hex("hex", pkt + at, end - at < 32 ? end - at : 32);
	if (len > end)
		printf(" extra=%zu", len - end);
	putchar('\n');
}

#endif /* _TTP_TEST_FRAME_H */
