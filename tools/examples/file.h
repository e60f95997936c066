/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What ttp_file_send and ttp_file_receive say to each other.  Every request
 * names the file, so that the receiver needs no memory but the file itself:
 * either side may start again at any time.
 */
#ifndef _TTP_EXAMPLE_FILE_H
#define _TTP_EXAMPLE_FILE_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_NAME	240
#define MAX_PIECE	((16 << 20) - sizeof(struct file_request))

/* What is asked for; all numbers are in network order */
enum file_op {
	FILE_STATE,	/* how much is there */
	FILE_DATA,	/* add what follows at @offset; 0 starts again */
	FILE_END,	/* it is complete: @offset bytes */
};

struct file_request {
	uint32_t op;
	uint32_t crc;		/* of what follows; at the end, of the file */
	uint64_t offset;
	char name[MAX_NAME];
};

struct file_answer {
	uint32_t error;		/* errno */
	uint32_t crc;		/* of the bytes that are there, for FILE_STATE */
	uint64_t length;	/* that are there */
};

/* CRC-32 of @len more bytes */
static inline uint32_t crc32(uint32_t crc, const void *bytes, size_t len)
{
	static uint32_t table[256];
	const uint8_t *p = bytes;
	uint32_t i, j, c;

	for (i = 0; !table[255] && i < 256; i++) {
		for (c = i, j = 0; j < 8; j++)
			c = c & 1 ? 0xedb88320 ^ (c >> 1) : c >> 1;
		table[i] = c;
	}
	for (crc = ~crc; len--; p++)
		crc = table[(crc ^ *p) & 0xff] ^ (crc >> 8);
	return ~crc;
}

#endif /* _TTP_EXAMPLE_FILE_H */
