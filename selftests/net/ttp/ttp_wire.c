// SPDX-License-Identifier: GPL-2.0
/*
 * ttp_wire: captured TTP frames, checked or sent again.
 *
 *   ttp_wire check FILE		every frame against ttp-wire.rst
 *   ttp_wire replay DEV FILE [to=MAC] [from=MAC]
 *
 * FILE is what "tcpdump -w" wrote on an Ethernet device.  check prints a line
 * for each rule that a frame breaks, then how many frames of each type there
 * were, as NAME=NUMBER; it exits with 1 if a rule was broken.  replay prints
 * the number of frames sent.
 */
#include <arpa/inet.h>
#include <err.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include "frame.h"

#define FLAG_ONEWAY	0x10

#define MAX_MESSAGE	0x40000000ULL
#define RANGE_ALL	0xffffffffULL
#define DEFAULT_MTU	1500
#define MIN_SEGMENT	128

enum {
	DATA = 1, GRANT, RESEND, ACK, BUSY, UNKNOWN, NEED_ACK, CUTOFFS, FULL,
	PROBE, PROBE_REPLY, CANCEL, CLOSE, REJECT,
};

/* Who may send a type: its client, its server; else it is of no RPC */
#define CLIENT	1
#define SERVER	2

static const struct rule {
	uint8_t	roles;
	uint8_t	min_entries;
	uint8_t	max_entries;
	bool	payload;
} rules[TYPES] = {
	[DATA] = { CLIENT | SERVER, 0, 3, true },
	[GRANT] = { CLIENT | SERVER, 0, 0, false },
	[RESEND] = { CLIENT | SERVER, 1, 24, false },
	[ACK] = { 0, 1, 12, false },
	[BUSY] = { CLIENT | SERVER, 0, 0, false },
	[UNKNOWN] = { SERVER, 0, 0, false },
	[NEED_ACK] = { CLIENT | SERVER, 0, 0, false },
	[CUTOFFS] = { 0, 0, 0, false },
	[FULL] = { CLIENT | SERVER, 0, 0, false },
	[PROBE] = { 0, 0, 0, true },
	[PROBE_REPLY] = { 0, 0, 0, true },
	[CANCEL] = { CLIENT, 0, 0, false },
	[CLOSE] = { 0, 0, 0, false },
	[REJECT] = { SERVER, 0, 0, false },
};

/* ---- the file */

struct frame {
	uint8_t		*eth;
	uint8_t		*pkt;
	size_t		len;		/* from pkt on */
};

static struct frame *frames;
static unsigned int frame_count;

static void read_file(const char *name)
{
	uint32_t head[6], record[4];
	FILE *f = fopen(name, "r");

	if (!f || fread(head, sizeof(head), 1, f) != 1)
		err(2, "%s", name);
	if ((head[0] != 0xa1b2c3d4 && head[0] != 0xa1b23c4d) || head[5] != 1)
		errx(2, "%s is not from tcpdump on an Ethernet device", name);
	while (fread(record, sizeof(record), 1, f) == 1) {
		uint8_t *p = malloc(record[2] + 1);
		struct frame *new = NULL;
		size_t at = ETH_HLEN;

		frames = reallocarray(frames, frame_count + 1, sizeof(*frames));
		if (!p || !frames)
			errx(2, "no memory");
		if (record[2] != record[3] ||
		    fread(p, 1, record[2], f) != record[2])
			errx(2, "%s: a frame was cut off", name);
		if (record[2] >= 18 && get(p + 12, 2) == ETH_P_8021Q)
			at = 18;
		if (record[2] < at || get(p + at - 2, 2) != ETHERTYPE)
			continue;
		new = &frames[frame_count++];
		new->eth = p;
		new->pkt = p + at;
		new->len = record[2] - at;
	}
	fclose(f);
}

/* ---- hosts */

struct host {
	uint8_t		mac[ETH_ALEN];
	uint32_t	epochs[64];
	unsigned int	epoch_count;
	unsigned int	mtu;		/* told so far */
};

static struct host hosts[64];
static unsigned int host_count;

static struct host *host_of(const uint8_t *mac)
{
	unsigned int i;

	for (i = 0; i < host_count; i++)
		if (!memcmp(hosts[i].mac, mac, ETH_ALEN))
			return &hosts[i];
	if (host_count == 64)
		errx(2, "too many hosts");
	memcpy(hosts[i].mac, mac, ETH_ALEN);
	hosts[i].mtu = DEFAULT_MTU;
	host_count++;
	return &hosts[i];
}

static bool has_epoch(const struct host *h, uint32_t epoch)
{
	unsigned int i;

	for (i = 0; i < h->epoch_count; i++)
		if (h->epochs[i] == epoch)
			return true;
	return false;
}

static void note_epoch(const struct frame *f)
{
	struct host *h = host_of(f->eth + ETH_ALEN);
	uint32_t epoch;

	if (f->len < HDR_LEN)
		return;
	epoch = get(f->pkt + 24, 4);
	if (has_epoch(h, epoch))
		return;
	if (h->epoch_count == 64)
		errx(2, "too many incarnations");
	h->epochs[h->epoch_count++] = epoch;
}

/* ---- checking */

static unsigned int number, broken, without_crc;
static unsigned int seen[TYPES];

static bool __attribute__((format(printf, 2, 3)))
rule(bool holds, const char *format, ...)
{
	va_list ap;

	if (holds)
		return true;
	broken++;
	printf("frame %u: ", number);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
	return false;
}

/* The stamp of an earlier frame from that host */
static bool was_stamp(const uint8_t *mac, uint32_t stamp)
{
	unsigned int i = number - 1;

	while (i-- > 0)
		if (!memcmp(frames[i].eth + ETH_ALEN, mac, ETH_ALEN) &&
		    frames[i].len >= HDR_LEN &&
		    get(frames[i].pkt + 32, 4) == stamp)
			return true;
	return false;
}

static void check_header(const struct frame *f)
{
	struct host *from = host_of(f->eth + ETH_ALEN), *to = host_of(f->eth);
	const struct rule *r = &rules[f->pkt[2]];
	const uint8_t *p = f->pkt;
	uint64_t id = get(p + 16, 8);
	unsigned int sport = get(p + 8, 2), dport = get(p + 10, 2);
	unsigned int mtu = get(p + 44, 2);
	uint8_t flags = p[3];

	rule(!(f->eth[0] & 1) && !(f->eth[6] & 1), "group address");
	rule(!(flags & 0xe0), "flags are 0x%02x", flags);
	rule(p[6] <= 7, "level is %u", p[6]);
	rule(p[7] == 0 || p[2] == DATA, "cong is %u", p[7]);
	rule(p[47] == 0 || p[2] == DATA, "cutoffs is %u", p[47]);
	rule(get(p + 24, 4) != 0, "src_epoch is 0");
	rule(!get(p + 28, 4) || has_epoch(to, get(p + 28, 4)),
	     "dst_epoch is none of the receiver's");
	rule(mtu >= 256, "mtu is %u", mtu);
	rule(f->len <= mtu, "%zu bytes exceed the own MTU", f->len);
	rule(f->len <= to->mtu || p[2] == PROBE || p[2] == PROBE_REPLY,
	     "%zu bytes exceed the receiver's MTU", f->len);
	if (flags & FLAG_CRC)
		rule(packet_crc(f->eth, p, f->len) == get(p + 12, 4),
		     "wrong CRC");
	else
		rule(!get(p + 12, 4), "a CRC without its flag");
	without_crc += !(flags & FLAG_CRC);
	if (flags & FLAG_ECHO) {
		rule(was_stamp(f->eth, get(p + 36, 4)), "echo of nothing");
		rule(get(p + 40, 4) <= 1000000000, "held for more than 1 s");
	} else {
		rule(!get(p + 36, 4) && !get(p + 40, 4),
		     "echo without its flag");
	}
	rule(p[2] == DATA || !(flags & FLAG_ONEWAY), "ONEWAY outside DATA");
	if (r->roles) {
		rule(id > 1 && sport && dport, "id or a port is missing");
		rule(r->roles & (id & 1 ? SERVER : CLIENT),
		     "a type of the other role");
	} else {
		rule(!id && !sport && !dport, "an id or port too many");
	}
	from->mtu = mtu;
}

static void check_ack(const uint8_t *e)
{
	rule(get(e, 8) > 1 && get(e + 8, 2) && get(e + 10, 2),
	     "id or a port is missing in an acknowledgement");
	rule(get(e + 12, 4) <= MAX_MESSAGE, "too much is acknowledged");
}

static void check_data(const uint8_t *p, size_t payload)
{
	uint64_t msg_len = get(p + 48, 4), offset = get(p + 52, 4);
	bool server = get(p + 16, 8) & 1;

	rule(msg_len <= MAX_MESSAGE, "msg_len is %llu",
	     (unsigned long long)msg_len);
	rule(offset + payload <= msg_len, "payload beyond the message");
	rule(get(p + 56, 4) <= msg_len, "unsched beyond the message");
	rule(payload || !msg_len, "empty piece of a message");
	rule(payload >= MIN_SEGMENT || offset + payload == msg_len,
	     "%zu bytes amid a message", payload);
	if (server)
		rule(!get(p + 60, 4) && !get(p + 64, 4) && !get(p + 68, 4) &&
		     !(p[3] & FLAG_ONEWAY), "fields of a client in a response");
}

static void check_ranges(const uint8_t *p, const uint8_t *list)
{
	uint64_t at = get(p + 48, 4), start, end;
	unsigned int i;

	for (i = 0; i < p[46]; i++, list += 8) {
		start = get(list, 4);
		end = get(list + 4, 4);
		rule(start < end && start <= MAX_MESSAGE &&
		     (end <= MAX_MESSAGE || end == RANGE_ALL),
		     "range %u is bad", i);
		rule(start >= at, "range %u does not ascend", i);
		at = end;
	}
}

static void check_cutoffs(const uint8_t *p)
{
	unsigned int i;

	rule(p[48], "version is 0");
	rule(!get(p + 49, 3), "padding is not zero");
	for (i = 1; i < 8; i++)
		rule(get(p + 56 + 4 * i, 4) <= get(p + 52 + 4 * i, 4),
		     "level %u has longer messages than the one below", i);
}

static void check_note(const uint8_t *p)
{
	uint64_t value = get(p + 52, 4);
	uint8_t code = p[48];

	rule(!get(p + 49, 3), "padding is not zero");
	switch (p[2]) {
	case BUSY:
		rule(!code && value <= MAX_MESSAGE, "bad BUSY");
		break;
	case UNKNOWN:
		rule(code >= 1 && code <= 3 && !value, "bad UNKNOWN");
		break;
	case REJECT:
		rule(code >= 1 && code <= 3 && (code == 3 || !value),
		     "bad REJECT");
		break;
	default:
		rule(!code, "code in a probe");
	}
}

static void check_body(const struct frame *f, size_t at, size_t payload)
{
	const uint8_t *p = f->pkt, *list = p + at;
	unsigned int i;

	if (p[2] == DATA || p[2] == ACK)
		for (i = 0; i < p[46]; i++)
			check_ack(list + 16 * i);
	switch (p[2]) {
	case DATA:
		check_data(p, payload);
		break;
	case GRANT:
		rule(get(p + 52, 4) <= get(p + 48, 4) &&
		     get(p + 48, 4) <= MAX_MESSAGE, "bad GRANT");
		rule(p[56] <= 7 && !get(p + 57, 7), "bad end of GRANT");
		break;
	case RESEND:
		rule(get(p + 48, 4) <= MAX_MESSAGE && p[52] <= 7 &&
		     !get(p + 53, 3), "bad RESEND");
		check_ranges(p, list);
		break;
	case CUTOFFS:
		check_cutoffs(p);
		break;
	case BUSY:
	case UNKNOWN:
	case REJECT:
	case PROBE:
	case PROBE_REPLY:
		check_note(p);
		break;
	}
}

static void check_frame(const struct frame *f)
{
	const struct field *field;
	const struct type *t;
	const struct rule *r;
	size_t end, at, i;

	if (!rule(f->len >= HDR_LEN, "only %zu bytes", f->len))
		return;
	if (!rule(f->pkt[0] == 0x54 && f->pkt[1] == 1, "magic or version"))
		return;
	if (!rule(f->pkt[2] && f->pkt[2] < TYPES, "type %u", f->pkt[2]))
		return;
	t = &types[f->pkt[2]];
	r = &rules[f->pkt[2]];
	seen[f->pkt[2]]++;
	for (field = t->fields; field->name; field++)
		;
	end = HDR_LEN + get(f->pkt + 4, 2);
	rule(f->pkt[46] >= r->min_entries && f->pkt[46] <= r->max_entries,
	     "%s with %u entries", t->name, f->pkt[46]);
	at = field->at + f->pkt[46] * t->entry;
	if (!rule(end <= f->len && at <= end, "%s of length %zu in %zu bytes",
		  t->name, end, f->len))
		return;
	rule(r->payload || at == end, "%s with payload", t->name);
	for (i = end; i < f->len; i++)
		if (!rule(!f->pkt[i], "padding is not zero"))
			break;
	check_header(f);
	check_body(f, field->at, end - at);
}

static int check(void)
{
	unsigned int i;

	for (i = 0; i < frame_count; i++)
		note_epoch(&frames[i]);
	for (i = 0; i < frame_count; i++) {
		number = i + 1;
		check_frame(&frames[i]);
	}
	printf("frames=%u broken=%u nocrc=%u", frame_count, broken,
	       without_crc);
	for (i = 1; i < TYPES; i++)
		printf(" %s=%u", types[i].name, seen[i]);
	putchar('\n');
	return broken || !frame_count;
}

/* ---- replaying */

static void parse_mac(const char *text, uint8_t *mac)
{
	if (sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx", mac, mac + 1,
		   mac + 2, mac + 3, mac + 4, mac + 5) != 6)
		errx(2, "%s is no address", text);
}

static int replay(const char *dev, const uint8_t *to, const uint8_t *from)
{
	struct sockaddr_ll ll = {
		.sll_family = AF_PACKET, .sll_halen = ETH_ALEN,
	};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);
	unsigned int i, n = 0;
	struct frame *f;

	ll.sll_protocol = htons(ETHERTYPE);
	ll.sll_ifindex = if_nametoindex(dev);
	if (fd < 0 || !ll.sll_ifindex)
		err(2, "%s", dev);
	for (i = 0; i < frame_count; i++) {
		f = &frames[i];
		if ((to && memcmp(f->eth, to, ETH_ALEN)) ||
		    (from && memcmp(f->eth + ETH_ALEN, from, ETH_ALEN)))
			continue;
		if (sendto(fd, f->eth, f->pkt - f->eth + f->len, 0,
			   (struct sockaddr *)&ll, sizeof(ll)) < 0)
			err(2, "send");
		n++;
	}
	printf("frames=%u\n", n);
	return 0;
}

int main(int argc, char **argv)
{
	uint8_t to[ETH_ALEN], from[ETH_ALEN];
	bool has_to = false, has_from = false;
	int i;

	if (argc == 3 && !strcmp(argv[1], "check")) {
		read_file(argv[2]);
		return check();
	}
	if (argc < 4 || strcmp(argv[1], "replay"))
		errx(2, "usage: check FILE | replay DEV FILE [to=MAC] [from=MAC]");
	for (i = 4; i < argc; i++) {
		if (!strncmp(argv[i], "to=", 3))
			parse_mac(argv[i] + 3, to), has_to = true;
		else if (!strncmp(argv[i], "from=", 5))
			parse_mac(argv[i] + 5, from), has_from = true;
		else
			errx(2, "what is %s?", argv[i]);
	}
	read_file(argv[3]);
	return replay(argv[2], has_to ? to : NULL, has_from ? from : NULL);
}
