/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages that wait until a socket takes them.
 */
#ifndef TTPPERF_OUT_H
#define TTPPERF_OUT_H

#include <sys/uio.h>

#include "ttpperf.h"

/**
 * struct out - a message that was not sent yet
 * @head: its head
 * @bytes: its content, see content_get()
 * @sent: bytes of it that were (TCP)
 * @cookie: of a request (AF_TTP)
 * @ttp: where to (AF_TTP)
 * @ip: where to (UDP)
 */
struct out {
	struct out		*next;
	struct head		head;
	const uint8_t		*bytes;
	uint32_t		sent;
	uint64_t		cookie;
	struct sockaddr_ttp	ttp;
	struct sockaddr_in	ip;
};

struct out_queue {
	struct out	*first;
	struct out	**last;
};

/**
 * struct end - a socket of a host
 * @watch: its place in the loop
 * @at: the host
 * @queue: what it did not take yet
 * @waits: whether the loop tells when it can take more
 */
struct end {
	struct watch		watch;
	uint16_t		at;
	struct out_queue	queue;
	bool			waits;
};

void out_send(struct end *e, struct out *out,
	      bool (*send_one)(struct end *e, struct out *out));
void out_done(struct end *e);
void out_flush(struct end *e, bool (*send_one)(struct end *e, struct out *out));
void ends_dial(struct host *from, struct end *(*new_client)(struct host *h));
int out_vector(const struct out *out, struct iovec v[2]);

/* A receive buffer for the longest message */
extern uint8_t in_buffer[MAX_SIZE];

#endif
