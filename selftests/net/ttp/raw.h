/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A host of TTP made of a packet socket, for tests that send what no sane
 * implementation would.  It sits at the other end of a cable of its own, so
 * that no bridge judges its frames: raw0 in h3, eth1 in h1 (see
 * raw_lib.sh).
 */
#ifndef _TTP_TEST_RAW_H
#define _TTP_TEST_RAW_H

#include "ttp_test.h"

/* the other header has these names for messages */
#define get frame_get
#define put frame_put
#include "frame.h"
#undef get
#undef put

#include <linux/if_ether.h>
#include <linux/if_packet.h>

#define RAW_HOST	3
#define RAW_MTU		9000

enum { DATA = 1, GRANT, RESEND, ACK, BUSY, UNKNOWN, NEED_ACK, CUTOFFS, FULL,
	PROBE, PROBE_REPLY, CANCEL, CLOSE, REJECT };

#define FLAG_RETRANS	0x08
#define FLAG_ONEWAY	0x10
#define SERVER_BIT	1ULL
#define MAX_MESSAGE	0x40000000U

/* One after the other on the wire, so that it is one buffer to send */
struct frame {
	uint8_t		eth[ETH_HLEN];
	uint8_t		pkt[RAW_MTU + 64];
	unsigned int	len;		/* of pkt */
};

struct raw {
	int		fd;
	int		ifindex;	/* of the target's end */
	uint8_t		mac[ETH_ALEN];
	uint8_t		target[ETH_ALEN];
	uint32_t	epoch;
	uint32_t	target_epoch;
	uint64_t	first_id;
	uint64_t	next_id;
	unsigned int	sent;		/* frames, since the start */
};

/* An RPC between the raw host and the target, seen from the raw one */
struct raw_rpc {
	const char	*name;
	bool		client;		/* the raw host is */
	uint64_t	id;		/* with the role bit of the raw host */
	uint16_t	sport;		/* of the raw host */
	uint16_t	dport;
	struct sockaddr_ttp tag;	/* to answer by, at the target */
};

static inline unsigned int raw_fixed(unsigned int type)
{
	const struct field *f = types[type].fields;

	while (f->name)
		f++;
	return f->at;
}

static inline void raw_begin(struct raw *raw, struct frame *f,
			     unsigned int type, const struct raw_rpc *rpc)
{
	struct timespec ts;
	uint8_t *p = f->pkt;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	memset(f, 0, sizeof(*f));
	memcpy(f->eth, raw->target, ETH_ALEN);
	memcpy(f->eth + ETH_ALEN, raw->mac, ETH_ALEN);
	frame_put(f->eth + 12, 2, ETHERTYPE);
	p[0] = 0x54;
	p[1] = 1;
	p[2] = type;
	p[3] = FLAG_CRC;
	p[6] = 7;
	frame_put(p + 24, 4, raw->epoch);
	frame_put(p + 28, 4, raw->target_epoch);
	frame_put(p + 32, 4, ts.tv_sec * 1000000000ULL + ts.tv_nsec);
	frame_put(p + 44, 2, 1500);
	if (rpc) {
		frame_put(p + 8, 2, rpc->sport);
		frame_put(p + 10, 2, rpc->dport);
		frame_put(p + 16, 8, rpc->id);
	}
	f->len = raw_fixed(type);
}

static inline void raw_ack(struct frame *f, uint64_t id, unsigned int sport,
			   unsigned int dport, uint32_t received)
{
	uint8_t *p = f->pkt + f->len;

	frame_put(p, 8, id);
	frame_put(p + 8, 2, sport);
	frame_put(p + 10, 2, dport);
	frame_put(p + 12, 4, received);
	f->pkt[46]++;
	f->len += 16;
}

static inline void raw_range(struct frame *f, uint32_t start, uint32_t end)
{
	frame_put(f->pkt + f->len, 4, start);
	frame_put(f->pkt + f->len + 4, 4, end);
	f->pkt[46]++;
	f->len += 8;
}

/* What fill() of the offset would put there */
static inline void raw_payload(struct frame *f, uint32_t offset, unsigned int n)
{
	uint32_t i;

	for (i = offset; i < offset + n; i++)
		f->pkt[f->len++] = i + (i >> 8) * 7;
}

static inline void raw_crc(struct frame *f)
{
	frame_put(f->pkt + 12, 4, packet_crc(f->eth, f->pkt, f->len));
}

/* To be done last: the length and, if that is wanted, the CRC */
static inline void raw_end(struct frame *f)
{
	frame_put(f->pkt + 4, 2, f->len - HDR_LEN);
	raw_crc(f);
}

static inline void raw_send(struct raw *raw, const struct frame *f)
{
	if (send(raw->fd, f, ETH_HLEN + f->len, 0) < 0) {
		perror("raw_send");
		abort();
	}
	raw->sent++;
}

/* A piece of a message, as a whole frame */
static inline void raw_data(struct raw *raw, struct frame *f,
			    const struct raw_rpc *rpc, uint32_t len,
			    uint32_t offset, unsigned int payload)
{
	raw_begin(raw, f, DATA, rpc);
	frame_put(f->pkt + 48, 4, len);
	frame_put(f->pkt + 52, 4, offset);
	frame_put(f->pkt + 56, 4, len);
	if (rpc->client) {
		frame_put(f->pkt + 60, 4, 1 << 24);
		frame_put(f->pkt + 64, 4, (rpc->id - raw->first_id) / 2);
	}
	raw_payload(f, offset, payload);
}

static inline void raw_send_data(struct raw *raw, const struct raw_rpc *rpc,
				 uint32_t len, uint32_t offset,
				 unsigned int payload, unsigned int flags)
{
	struct frame f;

	raw_data(raw, &f, rpc, len, offset, payload);
	f.pkt[3] |= flags;
	raw_end(&f);
	raw_send(raw, &f);
}

/* The start of a message of which the rest waits for a grant */
static inline void raw_send_start(struct raw *raw, const struct raw_rpc *rpc,
				  uint32_t len, uint32_t unsched,
				  unsigned int payload)
{
	struct frame f;

	raw_data(raw, &f, rpc, len, 0, payload);
	frame_put(f.pkt + 56, 4, unsched);
	raw_end(&f);
	raw_send(raw, &f);
}

/* A packet without list or payload */
static inline void raw_send_plain(struct raw *raw, unsigned int type,
				  const struct raw_rpc *rpc)
{
	struct frame f;

	raw_begin(raw, &f, type, rpc);
	raw_end(&f);
	raw_send(raw, &f);
}

static inline void raw_send_ack(struct raw *raw, const struct raw_rpc *rpc)
{
	struct frame f;

	raw_begin(raw, &f, ACK, NULL);
	raw_ack(&f, rpc->id, rpc->sport, rpc->dport, 0);
	raw_end(&f);
	raw_send(raw, &f);
}

/* The next packet of a type from the target, and of an RPC, if one is given */
static inline bool raw_recv(struct raw *raw, unsigned int type,
			    const struct raw_rpc *rpc, struct frame *f)
{
	long end = now_ms() + 2000;
	ssize_t n;

	while (events_in(raw->fd, POLLIN, 100) > 0 || now_ms() < end) {
		n = recv(raw->fd, f, ETH_HLEN + sizeof(f->pkt), MSG_DONTWAIT);
		if (n < ETH_HLEN + HDR_LEN ||
		    memcmp(f->eth + ETH_ALEN, raw->target, ETH_ALEN) ||
		    f->pkt[2] != type ||
		    (rpc && frame_get(f->pkt + 16, 8) !=
			    (rpc->id ^ SERVER_BIT)))
			continue;
		f->len = n - ETH_HLEN;
		return true;
	}
	return false;
}

/* Forget what came in so far */
static inline void raw_drain(struct raw *raw)
{
	char c;

	while (recv(raw->fd, &c, 1, MSG_DONTWAIT) >= 0)
		;
}

static inline void raw_mac_of(int host, const char *dev, uint8_t *mac)
{
	struct ifreq ifr = {};
	int fd;

	enter(host);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", dev);
	if (ioctl(fd, SIOCGIFHWADDR, &ifr))
		abort();
	memcpy(mac, ifr.ifr_hwaddr.sa_data, ETH_ALEN);
	close(fd);
}

static inline void raw_new_epoch(struct raw *raw)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	raw->epoch = (ts.tv_nsec ^ rand()) | 1;
	raw->first_id = ((uint64_t)rand() << 24 ^ ts.tv_nsec) * 2 + 2000;
	raw->next_id = raw->first_id;
}

static inline bool raw_open(struct raw *raw, unsigned int seed)
{
	struct sockaddr_ll ll = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETHERTYPE),
	};
	struct frame f;
	int size = 8 << 20;

	memset(raw, 0, sizeof(*raw));
	raw_mac_of(1, "eth1", raw->target);
	raw->ifindex = ifindex(1, "eth1");
	raw_mac_of(RAW_HOST, "raw0", raw->mac);
	raw->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	ll.sll_ifindex = if_nametoindex("raw0");
	setsockopt(raw->fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
	if (bind(raw->fd, (void *)&ll, sizeof(ll)))
		return false;
	srand(seed);
	raw_new_epoch(raw);
	raw_begin(raw, &f, PROBE, NULL);
	raw_end(&f);
	raw_send(raw, &f);
	if (!raw_recv(raw, PROBE_REPLY, NULL, &f))
		return false;
	raw->target_epoch = frame_get(f.pkt + 24, 4);
	return true;
}

static inline struct raw_rpc raw_new_rpc(struct raw *raw, uint16_t dport)
{
	struct raw_rpc rpc = {
		.client = true,
		.id = raw->next_id,
		.sport = 5000,
		.dport = dport,
	};

	raw->next_id += 2;
	return rpc;
}

/* All counters of h1 at once; parsed where they are wanted */

#define MAX_COUNTERS	128

struct counters {
	unsigned int	n;
	char		names[MAX_COUNTERS][32];
	long		values[MAX_COUNTERS];
};

static inline void counters_read(struct counters *c)
{
	static int fd = -1;
	char buf[16384], *line = buf;
	ssize_t n;
	int end;

	if (fd < 0) {
		enter(1);
		fd = open("/proc/thread-self/net/ttp/snmp", O_RDONLY);
	}
	n = pread(fd, buf, sizeof(buf) - 1, 0);
	if (n <= 0)
		abort();
	buf[n] = 0;
	for (c->n = 0; c->n < MAX_COUNTERS; c->n++, line += end) {
		end = 0;
		if (sscanf(line, "%31s %ld%n", c->names[c->n],
			   &c->values[c->n], &end) != 2)
			break;
	}
}

static inline long counter_of(const struct counters *c, const char *name)
{
	unsigned int i;

	for (i = 0; i < c->n; i++)
		if (!strcmp(c->names[i], name))
			return c->values[i];
	return -1;
}

/* Single steps of a peer that takes advantage */

static inline void raw_send_grant(struct raw *raw, const struct raw_rpc *rpc,
				  uint32_t granted)
{
	struct frame f;

	raw_begin(raw, &f, GRANT, rpc);
	frame_put(f.pkt + 48, 4, granted);
	raw_end(&f);
	raw_send(raw, &f);
}

static inline bool raw_is(const struct frame *f, unsigned int type,
			  const struct raw_rpc *rpc)
{
	return f->pkt[2] == type &&
	       frame_get(f->pkt + 16, 8) == (rpc->id ^ SERVER_BIT);
}

/* As raw_recv(), of what is there now */
static inline bool raw_try(struct raw *raw, unsigned int type,
			   const struct raw_rpc *rpc, struct frame *f)
{
	ssize_t n;

	while ((n = recv(raw->fd, f, ETH_HLEN + sizeof(f->pkt),
			 MSG_DONTWAIT)) >= 0) {
		f->len = n - ETH_HLEN;
		if (raw_is(f, type, rpc))
			return true;
	}
	return false;
}

/* Bytes of a message that the target sent */
struct raw_seen {
	uint8_t	*bytes;
	bool	*have;
	long	len;
	long	n;		/* different ones */
};

/* Has all of the message been seen? */
static inline bool raw_collect(struct raw *raw, const struct raw_rpc *rpc,
			       struct raw_seen *seen)
{
	struct frame f;

	while (raw_try(raw, DATA, rpc, &f)) {
		unsigned int hlen = 72 + 16 * f.pkt[46];
		long at = frame_get(f.pkt + 52, 4);
		long end = at + HDR_LEN + frame_get(f.pkt + 4, 2) - hlen;

		if (end > seen->len)
			continue;
		memcpy(seen->bytes + at, f.pkt + hlen, end - at);
		for (; at < end; at++) {
			seen->n += !seen->have[at];
			seen->have[at] = true;
		}
	}
	return seen->n == seen->len;
}

/* A whole message at once */
static inline void raw_send_all(struct raw *raw, const struct raw_rpc *rpc,
				long len)
{
	long at, n;

	for (at = 0; at < len; at += n) {
		n = len - at < 8000 ? len - at : 8000;
		raw_send_data(raw, rpc, len, at, n, 0);
	}
}

/* A request of the raw host that the server has received */
static inline bool raw_ask(struct raw *raw, struct raw_rpc *rpc, int fd)
{
	struct got got;

	raw_send_data(raw, rpc, 10, 0, 10, 0);
	if (get(fd, NULL, 0, MSG_TRUNC, &got) != 10)
		return false;
	rpc->tag = got.from;
	return true;
}

/* By how much has a counter of h1 grown? */
static inline long counter_grown(const struct counters *before,
				 const char *name)
{
	struct counters now;

	counters_read(&now);
	return counter_of(&now, name) - counter_of(before, name);
}

#endif /* _TTP_TEST_RAW_H */
