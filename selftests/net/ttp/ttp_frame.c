// SPDX-License-Identifier: GPL-2.0
/*
 * TTP frames by hand: sound ones, and broken ones as wanted.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "frame.h"

static const char usage[] =
"usage: ttp_frame send DEV MAC WORD... [then WORD...]...\n"
"       ttp_frame recv DEV COUNT TIMEOUT_MS [FILTER...]\n"
"       ttp_frame ask DEV MAC COUNT TIMEOUT_MS WORD... [then WORD...]...\n"
"       ttp_frame print WORD... [then WORD...]...\n"
"       ttp_frame parse [dst=MAC] [src=MAC] HEX...\n"
"\n"
"send builds frames and sends them to MAC; ask also prints what comes in\n"
"after that; print shows the bytes after the Ethernet header.  recv prints\n"
"COUNT frames, one a line in the words below; COUNT 0 is all until the time\n"
"is over.  Exit status: 0, 1 if the time was over first, 2 for wrong usage.\n"
"\n"
"type=data|grant|resend|ack|busy|unknown|need_ack|cutoffs|full|probe|\n"
"     probe_reply|cancel|close|reject|NUMBER\n"
"header:  magic= version= length= level= cong= sport= dport= id= src_epoch=\n"
"         dst_epoch= stamp= echo= hold= mtu= count= cutoffs=\n"
"         flags=WORD,... (crc nocrc_ok echo retrans oneway); those that crc= and\n"
"         echo= imply come by themselves, unless there is a number in the list\n"
"         crc=good|bad|none|NUMBER\n"
"data:    msg_len= offset= unsched= limit= una= age_us=\n"
"grant:   granted= received= at_level= pad=\n"
"resend:  received= at_level= pad=\n"
"busy, unknown, reject, probe, probe_reply: code= value= pad=\n"
"lists:   ack=ID:SPORT:DPORT:RECEIVED   range=START-END|START-all\n"
"payload: payload=BYTES (each is its offset in the message) or text=STRING\n"
"damage:  truncate=BYTES (after the Ethernet header), extra=BYTES (behind),\n"
"         poke=AT:HEX (before the CRC is made), patch=AT:HEX (after)\n"
"frame:   dst=MAC src=MAC ethertype=NUMBER vlan=PCP repeat=TIMES gap_us=TIME\n"
"\n"
"filters: type=LIST from=MAC dir=in|out|any ethertype=NUMBER promisc=1\n";

static void __attribute__((noreturn)) bad(const char *word)
{
	if (word)
		fprintf(stderr, "ttp_frame: cannot understand \"%s\"\n", word);
	fputs(usage, stderr);
	exit(2);
}

/* ---- words */

/* If @word is KEY=..., what follows the = */
static const char *value_of(const char *word, const char *key)
{
	size_t n = strlen(key);

	return !strncmp(word, key, n) && word[n] == '=' ? word + n + 1 : NULL;
}

static bool has_key(const char *word, const char *key, const char **value)
{
	*value = value_of(word, key);
	return *value;
}

/* A number up to @max that @ends behind it; returns what follows */
static const char *number(const char *text, char ends, uint64_t max,
			  uint64_t *n)
{
	char *end;

	errno = 0;
	*n = strtoull(text, &end, 0);
	if (errno || end == text || *text == '-' || *end != ends || *n > max)
		bad(text);
	return end + 1;
}

static uint64_t whole_number(const char *text, uint64_t max)
{
	uint64_t n;

	number(text, '\0', max, &n);
	return n;
}

static void parse_mac(const char *text, uint8_t *mac)
{
	int end = 0;

	if (sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", mac, mac + 1,
		   mac + 2, mac + 3, mac + 4, mac + 5, &end) != 6 || text[end])
		bad(text);
}

static size_t parse_hex(const char *hex, uint8_t *buf, size_t max)
{
	size_t n;
	int end;

	for (n = 0; *hex; n++, hex += 2) {
		end = 0;
		if (n == max || sscanf(hex, "%2hhx%n", &buf[n], &end) != 1 ||
		    end != 2)
			bad(hex);
	}
	return n;
}

static unsigned int parse_type(const char *name, size_t len)
{
	char copy[16] = "";
	unsigned int i;

	if (len < sizeof(copy))
		memcpy(copy, name, len);
	for (i = 1; i < TYPES; i++)
		if (!strcmp(copy, types[i].name))
			return i;
	return whole_number(copy, 0xff);
}

/* ---- building */

struct frame {
	uint8_t		eth[18];	/* with room for a tag */
	unsigned int	eth_len;
	uint8_t		pkt[MAX_FRAME];
	unsigned int	len;
	unsigned int	repeat;
	unsigned int	gap_us;
};

static void build_flags(uint8_t *pkt, const char *list, bool *exact)
{
	unsigned int i;
	size_t n;

	for (; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		for (i = 0; flag_names[i]; i++)
			if (strlen(flag_names[i]) == n &&
			    !memcmp(list, flag_names[i], n))
				break;
		if (flag_names[i]) {
			pkt[3] |= 1 << i;
			continue;
		}
		*exact = true;
		pkt[3] |= whole_number(list, 0xff);
		return;
	}
}

/* Fields that the caller gave, in hdr_fields[] order */
#define GIVEN(i)	(1U << (i))
#define GIVEN_LENGTH	GIVEN(4)
#define GIVEN_COUNT	GIVEN(17)

static bool build_field(uint8_t *pkt, const struct field *f, const char *word,
			uint32_t *given)
{
	unsigned int i;
	const char *v;

	for (i = 0; f[i].name; i++) {
		v = value_of(word, f[i].name);
		if (!v)
			continue;
		put(pkt + f[i].at, f[i].size,
		    whole_number(v, f[i].size < 8 ?
				 (1ULL << 8 * f[i].size) - 1 : -1ULL));
		if (given)
			*given |= GIVEN(i);
		return true;
	}
	return false;
}

static void build_entry(uint8_t *p, const char *ack, const char *range)
{
	uint64_t n;

	if (ack) {
		ack = number(ack, ':', -1ULL, &n);
		put(p, 8, n);
		ack = number(ack, ':', 0xffff, &n);
		put(p + 8, 2, n);
		ack = number(ack, ':', 0xffff, &n);
		put(p + 10, 2, n);
		put(p + 12, 4, whole_number(ack, 0xffffffff));
		return;
	}
	range = number(range, '-', 0xffffffff, &n);
	put(p, 4, n);
	put(p + 4, 4, strcmp(range, "all") ? whole_number(range, 0xffffffff) :
					     0xffffffff);
}

static void build_damage(uint8_t *pkt, const char *v)
{
	uint64_t at;

	v = number(v, ':', MAX_FRAME - 1, &at);
	parse_hex(v, pkt + at, MAX_FRAME - at);
}

/* Words that stand for something else than a field; false if unknown */
static bool build_frame_word(struct frame *f, const char *word)
{
	const char *v;

	if (has_key(word, "dst", &v))
		parse_mac(v, f->eth);
	else if (has_key(word, "src", &v))
		parse_mac(v, f->eth + ETH_ALEN);
	else if (has_key(word, "ethertype", &v))
		put(f->eth + f->eth_len - 2, 2, whole_number(v, 0xffff));
	else if (has_key(word, "repeat", &v))
		f->repeat = whole_number(v, 100000000);
	else if (has_key(word, "gap_us", &v))
		f->gap_us = whole_number(v, 100000000);
	else
		return false;
	return true;
}

static void build_vlan(struct frame *f, unsigned int pcp)
{
	memcpy(f->eth + 16, f->eth + 12, 2);
	put(f->eth + 12, 2, ETH_P_8021Q);
	put(f->eth + 14, 2, pcp << 13);
	f->eth_len = 18;
}

/* Lists and payload behind the fixed part, then length, count and CRC */
static void build_rest(struct frame *f, char **words, int n,
		       const struct type *t, uint32_t given, bool exact)
{
	const char *v, *r, *crc = "good", *patch[16];
	unsigned int count = 0, patches = 0, i;
	uint64_t extra = 0, cut = MAX_FRAME;
	uint8_t *p = f->pkt + f->len;
	int w;

	for (w = 0; w < n; w++) {
		v = value_of(words[w], "ack");
		r = value_of(words[w], "range");
		if (!v && !r)
			continue;
		build_entry(p, v, r);
		p += v ? 16 : 8;
		count++;
	}
	for (w = 0; w < n; w++) {
		if (has_key(words[w], "payload", &v)) {
			uint64_t offset = t->fields == data_fields ?
					  get(f->pkt + 52, 4) : 0;
			uint64_t len = whole_number(v, 60000);

			for (; len--; offset++)
				*p++ = offset;
		} else if (has_key(words[w], "text", &v)) {
			p = (uint8_t *)stpncpy((char *)p, v, 60000);
		} else if (has_key(words[w], "crc", &v)) {
			crc = v;
		} else if (has_key(words[w], "extra", &v)) {
			extra = whole_number(v, 4000);
		} else if (has_key(words[w], "truncate", &v)) {
			cut = whole_number(v, MAX_FRAME);
		} else if (has_key(words[w], "vlan", &v)) {
			build_vlan(f, whole_number(v, 7));
		} else if (has_key(words[w], "patch", &v) && patches < 16) {
			patch[patches++] = v;
		}
	}
	f->len = p - f->pkt;
	memset(p, 0xee, extra);
	if (!(given & GIVEN_LENGTH))
		put(f->pkt + 4, 2, f->len - HDR_LEN);
	if (!(given & GIVEN_COUNT))
		f->pkt[46] = count;
	if (!exact && get(f->pkt + 36, 8))
		f->pkt[3] |= FLAG_ECHO;
	if (!exact && strcmp(crc, "none"))
		f->pkt[3] |= FLAG_CRC;
	f->len += extra;
	for (w = 0; w < n; w++)
		if (has_key(words[w], "poke", &v))
			build_damage(f->pkt, v);
	if (!strcmp(crc, "good") || !strcmp(crc, "bad"))
		put(f->pkt + 12, 4,
		    packet_crc(f->eth, f->pkt, f->len) ^ !strcmp(crc, "bad"));
	else if (strcmp(crc, "none"))
		put(f->pkt + 12, 4, whole_number(crc, 0xffffffff));
	for (i = 0; i < patches; i++)
		build_damage(f->pkt, patch[i]);
	if (f->len > cut)
		f->len = cut;
}

/* Make the frame that @n words describe; @f->eth is filled in but for src */
static void build(struct frame *f, char **words, int n)
{
	static const char * const later[] = {
		"ack", "range", "payload", "text", "crc", "extra", "truncate",
		"vlan", "poke", "patch", NULL,
	};
	const struct type *t = &types[0];
	uint8_t *pkt = f->pkt;
	uint32_t given = 0;
	bool exact = false;
	struct timespec ts;
	unsigned int i;
	const char *v;
	int w;

	memset(pkt, 0, sizeof(f->pkt));
	clock_gettime(CLOCK_MONOTONIC, &ts);
	pkt[0] = 0x54;
	pkt[1] = 1;
	pkt[6] = 7;
	put(pkt + 24, 4, 1);
	put(pkt + 32, 4, ts.tv_sec * 1000000000ULL + ts.tv_nsec);
	put(pkt + 44, 2, 1500);
	f->repeat = 1;
	f->gap_us = 0;
	for (w = 0; w < n; w++) {
		v = value_of(words[w], "type");
		if (!v)
			continue;
		pkt[2] = parse_type(v, strlen(v));
		t = &types[pkt[2] < TYPES ? pkt[2] : 0];
	}
	for (i = 0; t->fields[i].name; i++)
		;
	f->len = t->fields[i].at;
	for (w = 0; w < n; w++) {
		if (value_of(words[w], "type"))
			continue;
		v = value_of(words[w], "flags");
		if (v) {
			build_flags(pkt, v, &exact);
			continue;
		}
		for (i = 0; later[i] && !value_of(words[w], later[i]); i++)
			;
		if (!later[i] && !build_field(pkt, hdr_fields, words[w], &given) &&
		    !build_field(pkt, t->fields, words[w], NULL) &&
		    !build_frame_word(f, words[w]))
			bad(words[w]);
	}
	build_rest(f, words, n, t, given, exact);
}

/* ---- the device */

static int open_device(const char *dev, int *ifindex, uint8_t *mac,
		       unsigned int proto)
{
	struct sockaddr_ll ll = { .sll_family = AF_PACKET };
	struct ifreq ifr = {};
	int fd, on = 1;

	fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (fd < 0)
		err(2, "AF_PACKET socket");
	*ifindex = if_nametoindex(dev);
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", dev);
	if (!*ifindex || ioctl(fd, SIOCGIFHWADDR, &ifr))
		err(2, "%s", dev);
	if (mac)
		memcpy(mac, ifr.ifr_hwaddr.sa_data, ETH_ALEN);
	/* to receive takes ETH_P_ALL: others do not see a tag of VLAN 0 */
	ll.sll_ifindex = *ifindex;
	ll.sll_protocol = htons(proto);
	setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&ll, sizeof(ll)))
		err(2, "%s", dev);
	return fd;
}

static void transmit(int fd, int ifindex, const struct frame *f)
{
	struct sockaddr_ll to = {
		.sll_family = AF_PACKET,
		.sll_ifindex = ifindex,
		.sll_halen = ETH_ALEN,
		.sll_protocol = htons(get(f->eth + f->eth_len - 2, 2)),
	};
	struct iovec iov[2] = {
		{ (void *)f->eth, f->eth_len },
		{ (void *)f->pkt, f->len },
	};
	struct msghdr msg = {
		.msg_name = &to, .msg_namelen = sizeof(to),
		.msg_iov = iov, .msg_iovlen = 2,
	};
	struct timespec gap = {
		f->gap_us / 1000000, f->gap_us % 1000000 * 1000,
	};
	unsigned int i;

	memcpy(to.sll_addr, f->eth, ETH_ALEN);
	for (i = 0; i < f->repeat; i++) {
		if (i && f->gap_us)
			nanosleep(&gap, NULL);
		if (sendmsg(fd, &msg, 0) < 0)
			err(2, "send");
	}
}

/* Build each frame of the words and do @fd = -1: print, else: send it */
static void each_frame(char **words, int n, int fd, int ifindex,
		       const uint8_t *dst, const uint8_t *src)
{
	static struct frame f;
	unsigned int i;
	int end;

	for (; n > 0; words += end + 1, n -= end + 1) {
		for (end = 0; end < n && strcmp(words[end], "then"); end++)
			;
		memcpy(f.eth, dst, ETH_ALEN);
		memcpy(f.eth + ETH_ALEN, src, ETH_ALEN);
		put(f.eth + 12, 2, ETHERTYPE);
		f.eth_len = ETH_HLEN;
		build(&f, words, end);
		if (fd >= 0) {
			transmit(fd, ifindex, &f);
			continue;
		}
		for (i = 0; i < f.len; i++)
			printf("%02x", f.pkt[i]);
		putchar('\n');
	}
}

/* ---- receiving */

struct filter {
	uint32_t	types;		/* bits; others than we know: bit 0 */
	bool		in, out;
	bool		from_set;
	uint8_t		from[ETH_ALEN];
	unsigned int	ethertype;
	bool		promisc;
};

static void parse_filter(struct filter *flt, char **words, int n)
{
	unsigned int type;
	const char *v;
	size_t len;

	memset(flt, 0, sizeof(*flt));
	flt->in = true;
	flt->ethertype = ETHERTYPE;
	for (; n > 0; words++, n--) {
		if (has_key(*words, "type", &v)) {
			for (; *v; v += len + (v[len] == ',')) {
				len = strcspn(v, ",");
				type = parse_type(v, len);
				flt->types |= 1U << (type < TYPES ? type : 0);
			}
		} else if (has_key(*words, "from", &v)) {
			parse_mac(v, flt->from);
			flt->from_set = true;
		} else if (has_key(*words, "dir", &v)) {
			if (strcmp(v, "in") && strcmp(v, "out") &&
			    strcmp(v, "any"))
				bad(*words);
			flt->in = strcmp(v, "out");
			flt->out = strcmp(v, "in");
		} else if (has_key(*words, "ethertype", &v)) {
			flt->ethertype = whole_number(v, 0xffff);
		} else if (has_key(*words, "promisc", &v)) {
			flt->promisc = whole_number(v, 1);
		} else {
			bad(*words);
		}
	}
	if (!flt->types)
		flt->types = ~0U;
}

static int vlan_pcp(struct msghdr *msg)
{
	struct tpacket_auxdata aux;
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_PACKET ||
		    c->cmsg_type != PACKET_AUXDATA)
			continue;
		memcpy(&aux, CMSG_DATA(c), sizeof(aux));
		if (aux.tp_status & TP_STATUS_VLAN_VALID)
			return aux.tp_vlan_tci >> 13;
	}
	return -1;
}

/* Print one frame if it is wanted; returns whether it was */
static bool receive_one(int fd, const struct filter *flt)
{
	static uint8_t buf[MAX_FRAME + ETH_HLEN];
	struct iovec iov = { buf, sizeof(buf) };
	struct sockaddr_ll from;
	char control[256];
	struct msghdr msg = {
		.msg_name = &from, .msg_namelen = sizeof(from),
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	ssize_t n = recvmsg(fd, &msg, MSG_DONTWAIT);
	unsigned int type, at = ETH_HLEN;
	bool out;
	int pcp;

	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			err(2, "receive");
		return false;
	}
	out = from.sll_pkttype == PACKET_OUTGOING;
	pcp = vlan_pcp(&msg);
	if (n >= ETH_HLEN + 4 && get(buf + 12, 2) == ETH_P_8021Q) {
		pcp = buf[14] >> 5;
		at += 4;
	}
	if (n < (ssize_t)at || get(buf + at - 2, 2) != flt->ethertype ||
	    (out ? !flt->out : !flt->in) ||
	    (flt->from_set && memcmp(buf + 6, flt->from, ETH_ALEN)))
		return false;
	type = n >= (ssize_t)at + HDR_LEN && buf[at + 2] < TYPES ?
	       buf[at + 2] : 0;
	if (!(flt->types & 1U << type))
		return false;
	if (flt->in && flt->out)
		printf("dir=%s ", out ? "out" : "in");
	print_mac("from", buf + 6);
	print_mac("to", buf);
	if (pcp >= 0)
		printf("vlan=%d ", pcp);
	print_packet(buf, buf + at, n - at);
	fflush(stdout);
	return true;
}

static int receive(int fd, const struct filter *flt, uint64_t count,
		   uint64_t timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct timespec t, left;
	int64_t end_ns, ns;
	uint64_t got = 0;

	clock_gettime(CLOCK_MONOTONIC, &t);
	end_ns = t.tv_sec * 1000000000LL + t.tv_nsec + timeout_ms * 1000000LL;
	while (!count || got < count) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		ns = end_ns - (t.tv_sec * 1000000000LL + t.tv_nsec);
		if (ns <= 0)
			return count ? 1 : 0;
		left.tv_sec = ns / 1000000000;
		left.tv_nsec = ns % 1000000000;
		if (ppoll(&p, 1, &left, NULL) > 0)
			got += receive_one(fd, flt);
	}
	return 0;
}

static void set_promisc(int fd, int ifindex)
{
	struct packet_mreq mreq = {
		.mr_ifindex = ifindex, .mr_type = PACKET_MR_PROMISC,
	};

	if (setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &mreq,
		       sizeof(mreq)))
		err(2, "promiscuous mode");
}

static int parse_words(char **words, int n)
{
	static uint8_t buf[MAX_FRAME];
	uint8_t eth[ETH_HLEN] = {};
	const char *v;

	for (; n > 0; words++, n--) {
		if (has_key(*words, "dst", &v))
			parse_mac(v, eth);
		else if (has_key(*words, "src", &v))
			parse_mac(v, eth + ETH_ALEN);
		else
			print_packet(eth, buf,
				     parse_hex(*words, buf, sizeof(buf)));
	}
	return 0;
}

int main(int argc, char **argv)
{
	uint8_t mac[ETH_ALEN] = {}, dst[ETH_ALEN] = {};
	struct filter flt;
	int fd, ifindex;

	if (argc == 2 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc > 4 && !strcmp(argv[1], "send")) {
		fd = open_device(argv[2], &ifindex, mac, 0);
		parse_mac(argv[3], dst);
		each_frame(argv + 4, argc - 4, fd, ifindex, dst, mac);
		return 0;
	}
	if (argc > 4 && !strcmp(argv[1], "recv")) {
		parse_filter(&flt, argv + 5, argc - 5);
		fd = open_device(argv[2], &ifindex, NULL, ETH_P_ALL);
		if (flt.promisc)
			set_promisc(fd, ifindex);
		return receive(fd, &flt, whole_number(argv[3], 100000000),
			       whole_number(argv[4], 100000000));
	}
	if (argc > 6 && !strcmp(argv[1], "ask")) {
		parse_filter(&flt, NULL, 0);
		fd = open_device(argv[2], &ifindex, mac, ETH_P_ALL);
		parse_mac(argv[3], dst);
		each_frame(argv + 6, argc - 6, fd, ifindex, dst, mac);
		return receive(fd, &flt, whole_number(argv[4], 100000000),
			       whole_number(argv[5], 100000000));
	}
	if (argc > 2 && !strcmp(argv[1], "print")) {
		each_frame(argv + 2, argc - 2, -1, 0, dst, mac);
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "parse"))
		return parse_words(argv + 2, argc - 2);
	bad(NULL);
}
