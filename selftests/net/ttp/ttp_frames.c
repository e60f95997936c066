// SPDX-License-Identifier: GPL-2.0
/*
 * Frames that are wrong, against RPCs in every state: each is dropped and
 * counted by the counter that it belongs to, nobody is told, and no RPC
 * notices: all of them are completed afterwards.
 */
#include "raw.h"

#include <linux/if_tun.h>
#include <linux/virtio_net.h>

#define PORT		7
#define CLIENT_PORT	9
#define REPLY_LEN	3000
#define LONG_LEN	4000
#define PIECE		1000

enum { INCOMING, READY, SERVICE, REPLYING, DONE, OUTGOING, ANSWERED, RPCS };

static const char * const rpc_names[RPCS] = {
	"incoming", "ready", "service", "replying", "done", "outgoing",
	"answered",
};

FIXTURE(ttp_frames) {
	struct raw	raw;
	int		server;
	int		client;
	struct raw_rpc	rpcs[RPCS];
	char		states[8192];
	char		peers[1024];
	struct counters	before;
	unsigned int	turn;		/* which RPC is next */
	unsigned int	frames;
	unsigned int	wrong;		/* outcomes */
};

/* ---- what is known of the RPCs */

static int compare(const void *a, const void *b)
{
	return strcmp(*(char **)a, *(char **)b);
}

/* One RPC a line, in order of their text, as a list has no order */
static void states_sort(char *buf)
{
	char *copy = strdup(buf), *lines[RPCS * 2], *p = copy;
	unsigned int n = 0, i;

	while (n < RPCS * 2 && (p = strchr(p, '{'))) {
		lines[n++] = p;
		p += strcspn(p, "}");
		*p++ = 0;
	}
	qsort(lines, n, sizeof(*lines), compare);
	for (*buf = 0, i = 0; i < n; i++)
		strcat(strcat(buf, lines[i]), "\n");
	free(copy);
}

/* All that ttpctl tells of h1's RPCs but how old they are */
static void states_read(char *buf, size_t size)
{
	static const char * const skip[] = { "age_us", "silent_us", "retries" };
	FILE *f = popen("ttpctl -n h1 -j rpc show", "r");
	unsigned int i;
	size_t n;
	char *p;

	n = fread(buf, 1, size - 1, f);
	buf[n] = 0;
	pclose(f);
	for (i = 0; i < sizeof(skip) / sizeof(skip[0]); i++)
		while ((p = strstr(buf, skip[i]))) {
			char *end = p + strcspn(p, ",}");

			memmove(p, end, strlen(end) + 1);
		}
	states_sort(buf);
}

/* What is known of h1's peers by what they say of themselves */
static void peers_read(char *buf, size_t size)
{
	FILE *f = popen("ttpctl -n h1 -j peer show | "
			"grep -oE '\"(mac|epoch|mtu)\":[^,}]*' | sort", "r");
	size_t n = fread(buf, 1, size - 1, f);

	buf[n] = 0;
	pclose(f);
}

static unsigned int lines_of(const char *text)
{
	unsigned int n = 0;

	while ((text = strchr(text, '\n')) && text++)
		n++;
	return n;
}

/* ---- RPCs into each state, and to their end */

static bool begin_request(struct raw *raw, struct raw_rpc *rpc,
			  unsigned int flags)
{
	*rpc = raw_new_rpc(raw, PORT);
	raw_send_data(raw, rpc, 10, 0, 10, flags);
	return true;
}

static bool accept_request(int fd, struct raw_rpc *rpc)
{
	struct got got;
	char buf[16];

	if (events_in(fd, POLLIN, 10000) != POLLIN ||
	    get(fd, buf, sizeof(buf), 0, &got) != 10 || !filled(buf, 10, 0))
		return false;
	rpc->tag = got.from;
	return true;
}

static bool begin_call(struct raw *raw, int fd, struct raw_rpc *rpc)
{
	struct sockaddr_ttp to = {
		.sttp_family = AF_TTP,
		.sttp_port = htons(CLIENT_PORT),
		.sttp_ifindex = raw->ifindex,
	};
	char buf[10];
	struct frame f;

	memcpy(to.sttp_addr, raw->mac, ETH_ALEN);
	fill(buf, sizeof(buf), 0);
	raw_drain(raw);
	if (put(fd, buf, sizeof(buf), 0, to) != sizeof(buf) ||
	    !raw_recv(raw, DATA, NULL, &f))
		return false;
	rpc->client = false;
	rpc->id = frame_get(f.pkt + 16, 8) ^ SERVER_BIT;
	rpc->sport = frame_get(f.pkt + 10, 2);
	rpc->dport = frame_get(f.pkt + 8, 2);
	raw_send_plain(raw, BUSY, rpc);
	return true;
}

static bool begin_all(struct raw *raw, int server, int client,
		      struct raw_rpc *r)
{
	char buf[REPLY_LEN];

	fill(buf, sizeof(buf), 0);
	if (!begin_request(raw, &r[SERVICE], 0) ||
	    !accept_request(server, &r[SERVICE]) ||
	    !begin_request(raw, &r[REPLYING], 0) ||
	    !accept_request(server, &r[REPLYING]) ||
	    put(server, buf, sizeof(buf), 0, r[REPLYING].tag) != REPLY_LEN ||
	    !begin_request(raw, &r[DONE], FLAG_ONEWAY) ||
	    !accept_request(server, &r[DONE]))
		return false;
	r[INCOMING] = raw_new_rpc(raw, PORT);
	raw_send_data(raw, &r[INCOMING], LONG_LEN, PIECE, PIECE, 0);
	begin_request(raw, &r[READY], 0);
	if (events_in(server, POLLIN, 10000) != POLLIN ||
	    !begin_call(raw, client, &r[OUTGOING]) ||
	    !begin_call(raw, client, &r[ANSWERED]))
		return false;
	raw_send_data(raw, &r[ANSWERED], LONG_LEN, PIECE, PIECE, 0);
	return true;
}

static void send_rest(struct raw *raw, const struct raw_rpc *rpc)
{
	unsigned int at;

	for (at = 0; at < LONG_LEN; at += PIECE)
		raw_send_data(raw, rpc, LONG_LEN, at, PIECE, 0);
}

static bool read_whole(int fd, long len, struct got *got)
{
	char buf[LONG_LEN];

	return events_in(fd, POLLIN, 10000) == POLLIN &&
	       get(fd, buf, sizeof(buf), 0, got) == len && filled(buf, len, 0);
}

/* Answer, and have the answer arrive whole */
static bool answer(struct raw *raw, int fd, const struct raw_rpc *rpc,
		   struct sockaddr_ttp tag)
{
	struct frame f;
	char buf[10];

	fill(buf, sizeof(buf), 0);
	raw_drain(raw);
	if (put(fd, buf, sizeof(buf), 0, tag) != sizeof(buf) ||
	    !raw_recv(raw, DATA, rpc, &f) ||
	    !filled(f.pkt + f.len - 10, 10, 0))
		return false;
	raw_send_ack(raw, rpc);
	return true;
}

#define STEP(what) do {							\
	if (!(what)) {							\
		printf("# failed: %s\n", #what);			\
		return false;						\
	}								\
} while (0)

static bool end_all(struct raw *raw, int server, int client, struct raw_rpc *r)
{
	struct frame f;
	struct got got;

	STEP(answer(raw, server, &r[SERVICE], r[SERVICE].tag));
	raw_drain(raw);
	raw_begin(raw, &f, RESEND, &r[REPLYING]);
	raw_range(&f, 0, 0xffffffff);
	raw_end(&f);
	sleep_ms(250);		/* the last one honoured was longer ago */
	raw_send(raw, &f);
	STEP(raw_recv(raw, DATA, &r[REPLYING], &f));
	raw_send_ack(raw, &r[REPLYING]);
	raw_drain(raw);
	raw_send_plain(raw, NEED_ACK, &r[DONE]);
	STEP(raw_recv(raw, ACK, NULL, &f));
	raw_send_plain(raw, CANCEL, &r[DONE]);
	STEP(read_whole(server, 10, &got));	/* of READY */
	STEP(answer(raw, server, &r[READY], got.from));
	send_rest(raw, &r[INCOMING]);
	STEP(read_whole(server, LONG_LEN, &got));
	STEP(answer(raw, server, &r[INCOMING], got.from));
	raw_send_data(raw, &r[OUTGOING], 10, 0, 10, 0);
	STEP(read_whole(client, 10, &got));
	send_rest(raw, &r[ANSWERED]);
	STEP(read_whole(client, LONG_LEN, &got));
	return true;
}

/* From h2, which has nothing to do with all this */
static bool real_rpc(void)
{
	struct sockaddr_ttp to = addr_of(1, 8);
	int s = sock(1), c = sock(2);
	char buf[LONG_LEN];
	struct got got;
	bool good;

	fill(buf, sizeof(buf), 1);
	good = !bind_to(s, 8, 0) &&
	       put(c, buf, sizeof(buf), 0, to) == sizeof(buf) &&
	       events_in(s, POLLIN, 10000) == POLLIN &&
	       get(s, buf, sizeof(buf), 0, &got) == sizeof(buf) &&
	       put(s, buf, sizeof(buf), 0, got.from) == sizeof(buf) &&
	       events_in(c, POLLIN, 10000) == POLLIN &&
	       get(c, buf, sizeof(buf), 0, &got) == sizeof(buf) &&
	       filled(buf, sizeof(buf), 1);
	close(s);
	close(c);
	return good;
}

FIXTURE_SETUP(ttp_frames)
{
	ASSERT_TRUE(raw_open(&self->raw, 1));
	self->server = sock(1);
	self->client = sock(1);
	ASSERT_EQ(0, bind_to(self->server, PORT, 0));
	ASSERT_TRUE(begin_all(&self->raw, self->server, self->client,
			      self->rpcs));
	sleep_ms(5);
	states_read(self->states, sizeof(self->states));
	ASSERT_EQ(RPCS, lines_of(self->states));
	peers_read(self->peers, sizeof(self->peers));
	ASSERT_LE(3, lines_of(self->peers));
	counters_read(&self->before);
	self->turn = 0;
	self->frames = 0;
	self->wrong = 0;
}

FIXTURE_TEARDOWN(ttp_frames)
{
	static char states[sizeof(self->states)];
	static char peers[sizeof(self->peers)];

	EXPECT_EQ(0, self->wrong);
	states_read(states, sizeof(states));
	EXPECT_STREQ(self->states, states);
	peers_read(peers, sizeof(peers));
	EXPECT_STREQ(self->peers, peers);
	EXPECT_TRUE(end_all(&self->raw, self->server, self->client,
			    self->rpcs));
	EXPECT_TRUE(real_rpc());
	raw_send_plain(&self->raw, CLOSE, NULL);
	close(self->server);
	close(self->client);
	EXPECT_TRUE(quiet(1));
	EXPECT_TRUE(quiet(2));
	close(self->raw.fd);
}

/* ---- one frame and what came of it */

#define TEST_STATE FIXTURE_DATA(ttp_frames)

/* Counters that timers and what they send may change at any time */
static bool goes_by_itself(const char *name)
{
	return !strncmp(name, "TtpOut", 6) || !strcmp(name, "TtpTimeouts") ||
	       !strcmp(name, "TtpTimerRuns") ||
	       !strcmp(name, "TtpGrantStalled") ||
	       !strcmp(name, "TtpResendOut") ||
	       !strcmp(name, "TtpNeedAckOut") ||
	       !strcmp(name, "TtpGrantOut") || !strcmp(name, "TtpRetransmits");
}

/* Did the counters named in @want, and no others, grow by one each? */
static bool counted(const struct counters *before, const char *want, bool tell)
{
	char list[128] = " ";
	struct counters now;
	unsigned int i;
	bool good = true;

	counters_read(&now);
	strcat(list, want);
	strcat(list, " ");
	for (i = 0; i < now.n; i++) {
		long n = now.values[i] - before->values[i];
		char word[40];

		if (goes_by_itself(now.names[i]))
			continue;
		snprintf(word, sizeof(word), " %s ", now.names[i]);
		if (n == !!strstr(list, word))
			continue;
		good = false;
		if (tell)
			printf("#   %s grew by %ld\n", now.names[i], n);
	}
	return good;
}

static void send_bytes(struct raw *raw, const struct frame *f, bool frags)
{
	struct virtio_net_hdr vnet = { .hdr_len = ETH_HLEN };
	struct iovec iov[2] = {
		{ &vnet, sizeof(vnet) },
		{ (void *)f, ETH_HLEN + f->len },
	};
	int on = 1;

	if (!frags) {
		raw_send(raw, f);
		return;
	}
	/* of what does not fit a page, only so much is linear */
	setsockopt(raw->fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on));
	if (writev(raw->fd, iov, 2) < 0)
		abort();
	on = 0;
	setsockopt(raw->fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on));
}

static void __attribute__((format(printf, 5, 6)))
expect_of(TEST_STATE *self, const struct frame *f, bool frags,
	  const char *want, const char *what, ...)
{
	struct counters before;
	unsigned int tries = 0;
	va_list args;

	counters_read(&before);
	send_bytes(&self->raw, f, frags);
	self->frames++;
	/* on real machines it takes its time */
	while (!counted(&before, want, false) && ++tries < 50)
		usleep(tries < 3 ? 100 : 2000);
	if (tries < 50)
		return;
	self->wrong++;
	va_start(args, what);
	printf("# wrong: type %u, ", f->pkt[2]);
	vprintf(what, args);
	va_end(args);
	printf(", should count %s\n", *want ? want : "nothing");
	counted(&before, want, true);
}

#define expect(self, f, want, ...) \
	expect_of(self, f, false, want, __VA_ARGS__)

/* ---- sound packets to begin with */

static const uint8_t min_count[15] = { [RESEND] = 1, [ACK] = 1 };
static const uint8_t max_count[15] = { [DATA] = 3, [RESEND] = 24, [ACK] = 12 };

static bool of_rpc(unsigned int type)
{
	return type != ACK && type != PROBE && type != PROBE_REPLY &&
	       type != CLOSE && type != CUTOFFS;
}

static bool from_server_only(unsigned int type)
{
	return type == UNKNOWN || type == REJECT;
}

/* An RPC that the type may be about; each time another one */
static struct raw_rpc *next_rpc(TEST_STATE *self, unsigned int type)
{
	struct raw_rpc *rpc;

	do {
		rpc = &self->rpcs[self->turn++ % RPCS];
	} while ((from_server_only(type) && rpc->client) ||
		 (type == CANCEL && !rpc->client));
	return rpc;
}

static void add_entry(struct frame *f, unsigned int type, unsigned int i)
{
	if (type == RESEND)
		raw_range(f, 10 * i, 10 * i + 5);
	else
		raw_ack(f, 0x1000000 + 2 * i, 5, 6, 7);
}

/* A packet that is well formed, with so many entries */
static void sound(TEST_STATE *self, struct frame *f, unsigned int type,
		  unsigned int entries)
{
	struct raw_rpc *rpc = of_rpc(type) ? next_rpc(self, type) : NULL;
	unsigned int i;

	raw_begin(&self->raw, f, type, rpc);
	for (i = 0; i < entries; i++)
		add_entry(f, type, i);
	switch (type) {
	case DATA:
		frame_put(f->pkt + 48, 4, 1000);
		frame_put(f->pkt + 52, 4, 200);
		frame_put(f->pkt + 56, 4, 1000);
		raw_payload(f, 200, 300);
		break;
	case GRANT:
		frame_put(f->pkt + 48, 4, 2000);
		frame_put(f->pkt + 52, 4, 1000);
		break;
	case UNKNOWN:
	case REJECT:
	case CUTOFFS:
		f->pkt[48] = 1;
		break;
	}
	raw_end(f);
}

static void try_field(TEST_STATE *self, unsigned int type, unsigned int at,
		      unsigned int size, uint64_t value, const char *want)
{
	struct frame f;

	sound(self, &f, type, min_count[type]);
	frame_put(f.pkt + at, size, value);
	raw_crc(&f);
	expect(self, &f, want, "byte %u = 0x%llx", at,
	       (unsigned long long)value);
}

static void try_flip(TEST_STATE *self, unsigned int type, unsigned int at,
		     uint8_t bits, const char *want)
{
	struct frame f;

	sound(self, &f, type, min_count[type]);
	f.pkt[at] ^= bits;
	expect(self, &f, want, "byte %u ^ 0x%x after the CRC", at, bits);
}

/* ---- what may be wrong with any type */

static void try_common(TEST_STATE *self, unsigned int type)
{
	unsigned int i;

	try_field(self, type, 0, 1, 0, "TtpInMagic");
	try_field(self, type, 0, 1, 0x53, "TtpInMagic");
	try_field(self, type, 0, 1, 0xff, "TtpInMagic");
	try_field(self, type, 1, 1, 0, "TtpInVersion");
	try_field(self, type, 1, 1, 2, "TtpInVersion");
	try_field(self, type, 1, 1, 255, "TtpInVersion");
	try_field(self, type, 2, 1, 0, "TtpInType");
	try_field(self, type, 2, 1, 15, "TtpInType");
	try_field(self, type, 2, 1, 255, "TtpInType");
	for (i = 5; i < 8; i++)
		try_field(self, type, 3, 1, 1 | 1 << i, "TtpInField");
	if (type != DATA)
		try_field(self, type, 3, 1, 1 | FLAG_ONEWAY, "TtpInField");
	try_field(self, type, 6, 1, 8, "TtpInField");
	try_field(self, type, 6, 1, 255, "TtpInField");
	/* ports and id */
	for (i = 8; i <= 10; i += 2)
		try_field(self, type, i, 2, of_rpc(type) ? 0 : 1, "TtpInField");
	if (of_rpc(type)) {
		try_field(self, type, 16, 8, 0, "TtpInField");
		try_field(self, type, 16, 8, 1, "TtpInField");
	} else {
		try_field(self, type, 16, 8, 1, "TtpInField");
		try_field(self, type, 16, 8, 2, "TtpInField");
		try_field(self, type, 16, 8, ~0ULL, "TtpInField");
	}
	if (from_server_only(type) || type == CANCEL)
		try_field(self, type, 16, 8, type == CANCEL ? 0x123457 : 0x123456,
			  "TtpInField");
	try_field(self, type, 24, 4, 0, "TtpInField");	/* src_epoch */
	try_field(self, type, 36, 4, 1, "TtpInField");	/* echo unasked */
	try_field(self, type, 40, 4, 1, "TtpInField");	/* hold likewise */
	try_field(self, type, 44, 2, 0, "TtpInField");	/* mtu */
	try_field(self, type, 44, 2, 255, "TtpInField");
	/* CRC */
	for (i = 12; i < 16; i++)
		try_flip(self, type, i, 0x80, "TtpInCrc");
	try_flip(self, type, 3, 1, "TtpInField");	/* says it has none */
	try_flip(self, type, 7, 1, "TtpInCrc");		/* not looked at else */
	try_flip(self, type, 47, 1, "TtpInCrc");
	try_flip(self, type, 32, 1, "TtpInCrc");
}

static void try_no_crc(TEST_STATE *self, unsigned int type)
{
	struct frame f;

	sound(self, &f, type, min_count[type]);
	f.pkt[3] &= ~FLAG_CRC;
	frame_put(f.pkt + 12, 4, 0);
	expect(self, &f, "TtpInCrc", "no CRC");
	f.pkt[3] |= 2;
	expect(self, &f, "TtpInCrc", "no CRC, but NOCRC_OK");
	/* of other addresses */
	sound(self, &f, type, min_count[type]);
	f.eth[11]++;
	raw_crc(&f);
	f.eth[11]--;
	expect(self, &f, "TtpInCrc", "CRC for another source");
}

static void try_length(TEST_STATE *self, unsigned int type, int length,
		       const char *want)
{
	struct frame f;

	sound(self, &f, type, min_count[type]);
	frame_put(f.pkt + 4, 2, length);
	raw_crc(&f);
	expect(self, &f, want, "length %d of %u", length, f.len - HDR_LEN);
}

static void try_lengths(TEST_STATE *self, unsigned int type)
{
	unsigned int least = raw_fixed(type) - HDR_LEN +
			     types[type].entry * min_count[type];
	struct frame f;
	unsigned int i, all;

	sound(self, &f, type, min_count[type]);
	all = f.len - HDR_LEN;
	for (i = 0; i < least; i++)
		try_length(self, type, i, "TtpInShort");
	try_length(self, type, all + 1, "TtpInShort");
	try_length(self, type, all + 2000, "TtpInShort");
	try_length(self, type, 0xffff, "TtpInShort");
	if (type != DATA && type != PROBE && type != PROBE_REPLY) {
		sound(self, &f, type, min_count[type]);
		f.len += 8;
		raw_end(&f);
		expect(self, &f, "TtpInField", "payload");
	}
	/* the frame ends too early, at every byte */
	for (i = 0; i < all + HDR_LEN; i++) {
		sound(self, &f, type, min_count[type]);
		f.len = i;
		if (i)	/* one without any byte is not delivered */
			expect(self, &f, "TtpInShort", "%u bytes", i);
	}
}

static void try_counts(TEST_STATE *self, unsigned int type)
{
	struct frame f;

	/* more than there are */
	if (types[type].entry) {
		try_field(self, type, 46, 1, 255, "TtpInShort");
		sound(self, &f, type, max_count[type] + 1);
		expect(self, &f, "TtpInField", "%u entries",
		       max_count[type] + 1);
		if (type != DATA)
			try_field(self, type, 46, 1, min_count[type] + 1,
				  "TtpInShort");
	} else {
		try_field(self, type, 46, 1, 1, "TtpInField");
		try_field(self, type, 46, 1, 255, "TtpInField");
	}
	if (min_count[type]) {
		try_field(self, type, 46, 1, 0, "TtpInField");
		sound(self, &f, type, 0);
		expect(self, &f, "TtpInField", "no entries");
	}
}

static void try_addresses(TEST_STATE *self, unsigned int type)
{
	static const struct {
		unsigned int	at;
		uint8_t		mac[ETH_ALEN];
		const char	*want;
		const char	*what;
	} macs[] = {
		{ 0, { 255, 255, 255, 255, 255, 255 }, "TtpInSource",
		  "to all" },
		{ 0, { 1, 0x80, 0xc2, 0, 0, 0x0e }, "TtpInSource", "to group" },
		{ 0, { 2, 0, 0, 0, 1, 9 }, "", "to another host" },
		{ 6, { 255, 255, 255, 255, 255, 255 }, "TtpInSource",
		  "from all" },
		{ 6, { 3, 0, 0, 0, 1, 3 }, "TtpInSource", "from group" },
		{ 6, { 0, 0, 0, 0, 0, 0 }, "TtpInSource", "from zero" },
		{ 6, { 2, 0, 0, 0, 1, 1 }, "TtpInSource", "from itself" },
	};
	struct frame f;
	unsigned int i;

	for (i = 0; i < sizeof(macs) / sizeof(macs[0]); i++) {
		sound(self, &f, type, min_count[type]);
		memcpy(f.eth + macs[i].at, macs[i].mac, ETH_ALEN);
		raw_crc(&f);
		expect(self, &f, macs[i].want, "%s", macs[i].what);
	}
}

/* Tags: that of no VLAN means nothing, that of a VLAN somebody else */
static void try_vlan(TEST_STATE *self, unsigned int type)
{
	struct frame f;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		sound(self, &f, type, min_count[type]);
		f.pkt[45] = 0;	/* mtu 0x0500, and then a wrong one */
		f.pkt[44] = 0;
		raw_crc(&f);
		memmove(f.pkt + 4, f.pkt, f.len);
		memcpy(f.pkt, (uint8_t []){ 0xe0, i * 6, 0x88, 0xb5 }, 4);
		frame_put(f.eth + 12, 2, ETH_P_8021Q);
		f.len += 4;
		expect(self, &f, i ? "" : "TtpInField", "VLAN %u", i * 6);
	}
	/* VLAN 5 has a device here, of which TTP knows nothing */
	sound(self, &f, type, min_count[type]);
	memmove(f.pkt + 4, f.pkt, f.len);
	memcpy(f.pkt, (uint8_t []){ 0x00, 5, 0x88, 0xb5 }, 4);
	frame_put(f.eth + 12, 2, ETH_P_8021Q);
	f.len += 4;
	expect(self, &f, "", "VLAN 5");
}

static void try_epochs(TEST_STATE *self, unsigned int type)
{
	const char *answer = "TtpInPackets TtpInStale TtpUnknownOut";
	const char *silent = "TtpInPackets TtpInStale";
	struct frame f;
	bool asks;

	sound(self, &f, type, min_count[type]);
	frame_put(f.pkt + 28, 4, self->raw.target_epoch ^ 1);
	raw_crc(&f);
	asks = of_rpc(type) && type != CANCEL &&
	       !(frame_get(f.pkt + 16, 8) & SERVER_BIT);
	expect(self, &f, asks ? answer : silent, "to a former epoch");
	sound(self, &f, type, min_count[type]);
	frame_put(f.pkt + 28, 4, 0xffffffff);
	raw_crc(&f);
	asks = of_rpc(type) && type != CANCEL &&
	       !(frame_get(f.pkt + 16, 8) & SERVER_BIT);
	expect(self, &f, asks ? answer : silent, "to an unknown epoch");
}

static void try_big(TEST_STATE *self, unsigned int type)
{
	struct frame f;
	unsigned int i, at[] = { 0, 1, 2, 3, 6, 12, 24, 44, 46 };
	const char *want[] = {
		"TtpInMagic", "TtpInVersion", "TtpInType", "TtpInField",
		"TtpInField", "TtpInCrc", "TtpInCrc", "TtpInField",
		NULL,
	};

	for (i = 0; i < sizeof(at) / sizeof(at[0]) - 1; i++) {
		sound(self, &f, type, min_count[type]);
		f.pkt[at[i]] ^= 0xf8;
		if (at[i] == 44)
			f.pkt[44] = 0;
		f.len = 6000;	/* the rest is padding */
		expect_of(self, &f, true, want[i], "paged, byte %u", at[i]);
	}
	sound(self, &f, type, min_count[type]);
	frame_put(f.pkt + 4, 2, 6001 - HDR_LEN);
	f.len = 6000;
	expect_of(self, &f, true, "TtpInShort", "paged, too long");
	if (types[type].entry) {
		sound(self, &f, type, min_count[type]);
		f.pkt[46] = 255;
		frame_put(f.pkt + 4, 2, 6000 - HDR_LEN);
		f.len = 6000;
		expect_of(self, &f, true, "TtpInField", "paged, 255 entries");
	}
}

static void try_all(TEST_STATE *self, unsigned int type)
{
	try_common(self, type);
	try_no_crc(self, type);
	try_lengths(self, type);
	try_counts(self, type);
	try_addresses(self, type);
	try_vlan(self, type);
	try_epochs(self, type);
	try_big(self, type);
}

#define FIELD(at, size, value) try_field(self, type, at, size, value, \
					 "TtpInField")

/* A list entry with a wrong field */
static void try_ack_entry(TEST_STATE *self, unsigned int type,
			  unsigned int entries)
{
	static const struct {
		uint8_t at, size;
		uint32_t value;
	} bad[] = {
		{ 0, 8, 0 }, { 0, 8, 1 }, { 8, 2, 0 }, { 10, 2, 0 },
		{ 12, 4, MAX_MESSAGE + 1 }, { 12, 4, 0xffffffff },
	};
	unsigned int i, j;
	struct frame f;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		for (j = 0; j < entries; j += entries > 1 ? entries - 1 : 1) {
			sound(self, &f, type, entries);
			frame_put(f.pkt + raw_fixed(type) + 16 * j + bad[i].at,
				  bad[i].size, bad[i].value);
			raw_crc(&f);
			expect(self, &f, "TtpInField", "ack %u, byte %u = %x",
			       j, bad[i].at, bad[i].value);
		}
}

static void try_note(TEST_STATE *self, unsigned int type, unsigned int codes)
{
	unsigned int i;

	FIELD(48, 1, 255);
	FIELD(48, 1, codes + 1);
	if (codes)
		FIELD(48, 1, 0);
	for (i = 49; i < 52; i++)
		FIELD(i, 1, 1);
}

/* ---- by type */

static void try_data_piece(TEST_STATE *self, uint32_t msg_len, uint32_t offset,
			   uint32_t unsched, unsigned int payload)
{
	struct frame f;

	raw_begin(&self->raw, &f, DATA, next_rpc(self, DATA));
	frame_put(f.pkt + 48, 4, msg_len);
	frame_put(f.pkt + 52, 4, offset);
	frame_put(f.pkt + 56, 4, unsched);
	raw_payload(&f, 0, payload);
	raw_end(&f);
	expect(self, &f, "TtpInField", "%u at %u of %u, unsched %u", payload,
	       offset, msg_len, unsched);
}

TEST_F(ttp_frames, data_pieces)
{
	const unsigned int type = DATA;
	struct raw_rpc *rpc;
	struct frame f;
	unsigned int i;

	try_all(self, type);
	try_ack_entry(self, type, 1);
	try_ack_entry(self, type, 3);
	try_data_piece(self, MAX_MESSAGE + 1, 0, 0, 300);
	try_data_piece(self, 0xffffffff, 0, 0, 300);
	try_data_piece(self, 0xffffffff, 0xffffffff - 300, 0, 300);
	try_data_piece(self, 1000, 1001, 0, 300);
	try_data_piece(self, 1000, 701, 0, 300);
	try_data_piece(self, 1000, 1000, 0, 300);
	try_data_piece(self, 1000, 1000, 0, 0);
	try_data_piece(self, 1000, 0, 0, 1001);
	try_data_piece(self, 299, 0, 0, 300);
	try_data_piece(self, 0, 0, 0, 1);
	try_data_piece(self, 0, 1, 0, 0);
	try_data_piece(self, 1, 0, 0, 0);
	try_data_piece(self, 1000, 0, 0, 0);
	try_data_piece(self, 1000, 0xffffffff, 0, 300);
	try_data_piece(self, 1000, 0xffffff00, 0, 300);
	try_data_piece(self, 1000, 0x80000000, 0, 300);
	try_data_piece(self, 1000, 0, 1001, 300);
	try_data_piece(self, 1000, 0, 0xffffffff, 300);
	try_data_piece(self, 0, 0, 1, 0);
	try_data_piece(self, 1000, 0, 0, 1);
	try_data_piece(self, 1000, 0, 0, 127);
	try_data_piece(self, 1000, 998, 0, 1);
	/* from a server some are 0 */
	for (i = 0; i < 4; i++) {
		do {
			rpc = next_rpc(self, type);
		} while (rpc->client);
		raw_data(&self->raw, &f, rpc, 1000, 0, 300);
		if (i < 3)
			f.pkt[60 + 4 * i] = 1;
		else
			f.pkt[3] |= FLAG_ONEWAY;
		raw_end(&f);
		expect(self, &f, "TtpInField", "from a server, %u", i);
	}
	/* other lengths than before, other messages than can be */
	for (i = 0; i < 2; i++) {
		rpc = &self->rpcs[i ? ANSWERED : INCOMING];
		raw_data(&self->raw, &f, rpc, LONG_LEN - 1, 0, 300);
		raw_end(&f);
		expect(self, &f, "TtpInPackets TtpInMismatch", "shorter now");
		raw_data(&self->raw, &f, rpc, LONG_LEN + 1, 0, 300);
		raw_end(&f);
		expect(self, &f, "TtpInPackets TtpInMismatch", "longer now");
		raw_data(&self->raw, &f, rpc, LONG_LEN, PIECE, PIECE);
		raw_end(&f);
		expect(self, &f, "TtpInPackets TtpInDuplicate", "twice");
		raw_data(&self->raw, &f, rpc, LONG_LEN, PIECE + 100, PIECE / 2);
		raw_end(&f);
		expect(self, &f, "TtpInPackets TtpInDuplicate", "a part twice");
	}
	for (i = READY; i <= DONE; i++) {
		raw_data(&self->raw, &f, &self->rpcs[i], 10, 0, 10);
		raw_end(&f);
		expect(self, &f, "TtpInPackets TtpInDuplicate",
		       "twice, when %s", rpc_names[i]);
	}
	/* ports of another RPC; also as a question */
	for (i = INCOMING; i <= ANSWERED; i++) {
		raw_data(&self->raw, &f, &self->rpcs[i], 10, 0, 10);
		frame_put(f.pkt + 8, 2, 5001);
		if (i >= OUTGOING)
			frame_put(f.pkt + 28, 4, 0);
		else
			f.pkt[3] |= FLAG_RETRANS;
		raw_end(&f);
		expect(self, &f, "TtpInPackets TtpInMismatch",
		       "of another port, when %s", rpc_names[i]);
	}
	raw_data(&self->raw, &f, &self->rpcs[OUTGOING], MAX_MESSAGE, 0, 300);
	raw_end(&f);
	expect(self, &f, "TtpInPackets TtpInMismatch", "beyond the limit");
	printf("# %u frames\n", self->frames);
}

TEST_F(ttp_frames, grant)
{
	const unsigned int type = GRANT;
	unsigned int i;

	try_all(self, type);
	FIELD(48, 4, MAX_MESSAGE + 1);
	FIELD(48, 4, 0xffffffff);
	FIELD(48, 4, 999);
	FIELD(48, 4, 0);
	FIELD(52, 4, 2001);
	FIELD(52, 4, 0xffffffff);
	FIELD(56, 1, 8);
	FIELD(56, 1, 255);
	for (i = 57; i < 64; i++)
		FIELD(i, 1, 1);
	printf("# %u frames\n", self->frames);
}

static void try_ranges(TEST_STATE *self, uint32_t received,
		       const uint32_t *ranges, unsigned int n)
{
	struct frame f;
	unsigned int i;

	raw_begin(&self->raw, &f, RESEND, next_rpc(self, RESEND));
	frame_put(f.pkt + 48, 4, received);
	for (i = 0; i < n; i++)
		raw_range(&f, ranges[2 * i], ranges[2 * i + 1]);
	raw_end(&f);
	expect(self, &f, "TtpInField", "received %u, %u ranges, %x to %x",
	       received, n, ranges[0], ranges[1]);
}

TEST_F(ttp_frames, resend)
{
	const unsigned int type = RESEND;
	unsigned int i;

	try_all(self, type);
	FIELD(48, 4, MAX_MESSAGE + 1);
	FIELD(48, 4, 0xffffffff);
	FIELD(48, 4, 1);		/* above the first range */
	FIELD(52, 1, 8);
	FIELD(52, 1, 255);
	for (i = 53; i < 56; i++)
		FIELD(i, 1, 1);
#define RANGES(received, ...) do {					\
	uint32_t r[] = { __VA_ARGS__ };					\
	try_ranges(self, received, r, sizeof(r) / 8);			\
} while (0)
	RANGES(0, 0, 0);
	RANGES(0, 1, 1);
	RANGES(0, 2, 1);
	RANGES(0, 0xffffffff, 0xffffffff);
	RANGES(0, MAX_MESSAGE + 1, MAX_MESSAGE + 2);
	RANGES(0, MAX_MESSAGE + 1, 0xffffffff);
	RANGES(0, 0, MAX_MESSAGE + 1);
	RANGES(0, 0, 0xfffffffe);
	RANGES(100, 99, 200);
	RANGES(0, 0, 100, 99, 200);
	RANGES(0, 100, 200, 0, 50);
	RANGES(0, 0, 100, 0, 100);
	RANGES(0, 0, 0xffffffff, 0, 0xffffffff);
	RANGES(0, 0, 0xffffffff, 5, 10);
	RANGES(0, 0, 100, 200, 0xffffffff, 300, 400);
	printf("# %u frames\n", self->frames);
}

TEST_F(ttp_frames, ack)
{
	struct frame f;
	unsigned int i;

	try_all(self, ACK);
	try_ack_entry(self, ACK, 1);
	try_ack_entry(self, ACK, 12);
	/* of RPCs that have nothing to be acknowledged */
	for (i = 0; i < RPCS; i++) {
		raw_begin(&self->raw, &f, ACK, NULL);
		raw_ack(&f, self->rpcs[i].id, self->rpcs[i].sport,
			self->rpcs[i].dport + (i == REPLYING), 10);
		raw_end(&f);
		expect(self, &f, "TtpInPackets TtpAckIn TtpInMismatch",
		       "of %s", rpc_names[i]);
	}
	printf("# %u frames\n", self->frames);
}

TEST_F(ttp_frames, busy)
{
	const unsigned int type = BUSY;

	try_all(self, type);
	try_note(self, type, 0);
	FIELD(52, 4, MAX_MESSAGE + 1);
	FIELD(52, 4, 0xffffffff);
}

TEST_F(ttp_frames, unknown)
{
	const unsigned int type = UNKNOWN;

	try_all(self, type);
	try_note(self, type, 3);
	FIELD(52, 4, 1);
	FIELD(52, 4, 0xffffffff);
}

TEST_F(ttp_frames, reject)
{
	const unsigned int type = REJECT;

	try_all(self, type);
	try_note(self, type, 3);
	FIELD(52, 4, 1);		/* the code is REFUSED */
}

TEST_F(ttp_frames, need_ack)
{
	try_all(self, NEED_ACK);
}

TEST_F(ttp_frames, full)
{
	try_all(self, FULL);
}

TEST_F(ttp_frames, probe)
{
	try_all(self, PROBE);
	try_note(self, PROBE, 0);
}

TEST_F(ttp_frames, probe_reply)
{
	try_all(self, PROBE_REPLY);
	try_note(self, PROBE_REPLY, 0);
}

TEST_F(ttp_frames, cancel)
{
	try_all(self, CANCEL);
}

TEST_F(ttp_frames, cutoffs)
{
	const unsigned int type = CUTOFFS;
	unsigned int i;

	try_all(self, type);
	FIELD(48, 1, 0);
	for (i = 49; i < 52; i++)
		FIELD(i, 1, 1);
	for (i = 1; i < 8; i++)
		FIELD(56 + 4 * i, 4, 1);
}

TEST_F(ttp_frames, close)
{
	try_all(self, CLOSE);
}

/* Sound packets that do not fit the state of their RPC */
TEST_F(ttp_frames, out_of_place)
{
	static const struct {
		uint8_t		type;
		uint8_t		rpc;
		const char	*want;
	} odd[] = {
		{ GRANT, INCOMING, "TtpGrantIn TtpInMismatch" },
		{ GRANT, READY, "TtpGrantIn TtpInMismatch" },
		{ GRANT, SERVICE, "TtpGrantIn TtpInMismatch" },
		{ GRANT, DONE, "TtpGrantIn TtpInMismatch" },
		{ GRANT, ANSWERED, "TtpGrantIn TtpInMismatch" },
		{ FULL, INCOMING, "TtpFullIn TtpInMismatch" },
		{ FULL, READY, "TtpFullIn TtpInMismatch" },
		{ FULL, SERVICE, "TtpFullIn TtpInMismatch" },
		{ FULL, DONE, "TtpFullIn TtpInMismatch" },
		{ FULL, ANSWERED, "TtpFullIn TtpInMismatch" },
		{ NEED_ACK, READY, "TtpNeedAckIn TtpBusyOut" },
		{ NEED_ACK, SERVICE, "TtpNeedAckIn TtpBusyOut" },
		{ BUSY, INCOMING, "TtpBusyIn TtpInMismatch" },
		{ BUSY, READY, "TtpBusyIn TtpInMismatch" },
		{ BUSY, SERVICE, "TtpBusyIn TtpInMismatch" },
		{ BUSY, DONE, "TtpBusyIn TtpInMismatch" },
		{ BUSY, REPLYING, "TtpBusyIn" },
		{ BUSY, ANSWERED, "TtpBusyIn" },
		{ BUSY, OUTGOING, "TtpBusyIn" },
	};
	struct raw_rpc stranger = {};
	struct frame f;
	unsigned int i;

	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		char want[128];

		snprintf(want, sizeof(want), "TtpInPackets %s", odd[i].want);
		raw_begin(&self->raw, &f, odd[i].type,
			  &self->rpcs[odd[i].rpc]);
		raw_end(&f);
		expect(self, &f, want, "when %s", rpc_names[odd[i].rpc]);
	}
	/* of RPCs that are not here */
	stranger = raw_new_rpc(&self->raw, PORT);
#define STRANGER(type, want) do {					\
	raw_begin(&self->raw, &f, type, &stranger);			\
	if ((type) == RESEND)						\
		raw_range(&f, 0, 0xffffffff);				\
	if ((type) == UNKNOWN || (type) == REJECT)			\
		f.pkt[48] = 1;						\
	raw_end(&f);							\
	expect(self, &f, "TtpInPackets TtpInNoRpc " want, "stranger");	\
} while (0)
	STRANGER(GRANT, "");
	STRANGER(FULL, "");
	STRANGER(CANCEL, "");
	STRANGER(RESEND, "TtpUnknownOut");
	STRANGER(NEED_ACK, "TtpUnknownOut");
	stranger.client = false;
	stranger.id |= SERVER_BIT;
	STRANGER(BUSY, "");
	STRANGER(UNKNOWN, "");
	STRANGER(REJECT, "");
	STRANGER(FULL, "");
	STRANGER(GRANT, "TtpCancelOut");
	STRANGER(RESEND, "TtpCancelOut");
	STRANGER(NEED_ACK, "TtpAckOut");
}

/* What must be accepted although it looks odd */
TEST_F(ttp_frames, odd_but_sound)
{
	struct frame f;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		raw_begin(&self->raw, &f, PROBE, NULL);
		if (i == 1)
			f.pkt[7] = f.pkt[47] = 0xff;	/* ignored */
		if (i == 2)
			frame_put(f.pkt + 44, 2, 0xffff);
		raw_end(&f);
		if (i == 0)
			memset(f.pkt + f.len, 0xee, 100);
		if (i == 0)
			f.len += 100;	/* not covered by anything */
		if (i == 3) {
			memmove(f.pkt + 4, f.pkt, f.len);
			memcpy(f.pkt, (uint8_t []){ 0xe0, 0, 0x88, 0xb5 }, 4);
			frame_put(f.eth + 12, 2, ETH_P_8021Q);
			f.len += 4;
		}
		expect(self, &f, "TtpInPackets TtpProbeIn", "sound %u", i);
	}
	/* large, in pages, with more behind it */
	raw_begin(&self->raw, &f, PROBE, NULL);
	raw_payload(&f, 0, 7000);
	raw_end(&f);
	f.len += 500;
	expect_of(self, &f, true, "TtpInPackets TtpProbeIn", "paged");
}

/* A new incarnation of the raw host ends all it had to do with */
TEST(restart_ends_all)
{
	struct raw_rpc rpcs[RPCS];
	struct counters before, now;
	int server, client, i;
	struct frame f;
	struct raw raw;

	ASSERT_TRUE(raw_open(&raw, 2));
	server = sock(1);
	client = sock(1);
	ASSERT_EQ(0, bind_to(server, PORT, 0));
	ASSERT_TRUE(begin_all(&raw, server, client, rpcs));
	counters_read(&before);
	raw_begin(&raw, &f, PROBE, NULL);
	frame_put(f.pkt + 24, 4, raw.epoch ^ 2);
	raw_end(&f);
	raw_send(&raw, &f);
	for (i = 0; i < 2; i++)
		EXPECT_EQ(-ECONNRESET, get_len(client));
	EXPECT_EQ(POLLOUT, events(server) & (POLLIN | POLLOUT));
	counters_read(&now);
	EXPECT_EQ(1, counter_of(&now, "TtpPeerRestart") -
		     counter_of(&before, "TtpPeerRestart"));
	/* what comes of the former one is late */
	for (i = 0; i < 3; i++) {
		raw_send_data(&raw, &rpcs[INCOMING], 10, 0, 10, FLAG_RETRANS);
		raw_send_plain(&raw, CLOSE, NULL);
		raw_send_plain(&raw, CANCEL, &rpcs[SERVICE]);
	}
	EXPECT_TRUE(WAIT_FOR((counters_read(&now),
			      counter_of(&now, "TtpInStale") -
			      counter_of(&before, "TtpInStale") == 9)));
	EXPECT_EQ(0, counter_of(&now, "TtpCloseIn") -
		     counter_of(&before, "TtpCloseIn"));
	EXPECT_TRUE(quiet(1));
	close(server);
	close(client);
}

/*
 * An RPC is not run twice because the server has forgotten the client: the
 * client that asks for the response of a request sent before is told that it
 * cannot be known.
 */
TEST(forgotten_is_not_run_again)
{
	struct raw_rpc rpc;
	struct frame f;
	struct raw raw;
	int server;
	long ms;

	ASSERT_TRUE(raw_open(&raw, 3));
	server = sock(1);
	ASSERT_EQ(0, bind_to(server, PORT, 0));
	begin_request(&raw, &rpc, 0);
	ASSERT_TRUE(accept_request(server, &rpc));
	ASSERT_TRUE(answer(&raw, server, &rpc, rpc.tag));
	ASSERT_TRUE(quiet(1));
	sleep_ms(20);
	ms = now_ms();
	ASSERT_EQ(0, sh("ttpctl -n h1 peer flush dev eth1"));
	sleep_ms(20);
	raw_drain(&raw);
	raw_data(&raw, &f, &rpc, 10, 0, 10);
	/* age, us: older than that */
	frame_put(f.pkt + 68, 4, (now_ms() - ms + 50) * 1000);
	f.pkt[3] |= FLAG_RETRANS;
	raw_end(&f);
	raw_send(&raw, &f);
	EXPECT_TRUE(raw_recv(&raw, UNKNOWN, &rpc, &f));
	EXPECT_EQ(3, f.pkt[48]);		/* EPOCH */
	EXPECT_EQ(0, events(server) & POLLIN);
	/* a new one is fine */
	begin_request(&raw, &rpc, 0);
	EXPECT_TRUE(accept_request(server, &rpc));
	EXPECT_TRUE(answer(&raw, server, &rpc, rpc.tag));
	EXPECT_TRUE(quiet(1));
	close(server);
}

/*
 * "Nobody listens" must not be said of a request that a program has read: the
 * frame that told of its end may be lost, and the request comes again.
 */
TEST(read_and_closed_is_not_refused)
{
	struct raw_rpc rpc;
	struct frame f;
	struct raw raw;
	int server;

	ASSERT_TRUE(raw_open(&raw, 3));
	server = sock(1);
	ASSERT_EQ(0, bind_to(server, PORT, 0));
	begin_request(&raw, &rpc, 0);
	ASSERT_TRUE(accept_request(server, &rpc));
	close(server);
	ASSERT_TRUE(quiet(1));
	raw_drain(&raw);	/* and so the REJECT, RESET, is lost */
	raw_send_data(&raw, &rpc, 10, 0, 10, FLAG_RETRANS);
	EXPECT_TRUE(raw_recv(&raw, UNKNOWN, &rpc, &f));
	EXPECT_EQ(2, f.pkt[48]);		/* GONE */
}

/* A client RPC must not be answered by the whole message each time it asks */
TEST(resend_storm)
{
	struct counters before, now;
	struct raw_rpc rpc;
	static char buf[65536 / 2];
	struct frame f;
	struct raw raw;
	int server, i;
	long ms;

	ASSERT_TRUE(raw_open(&raw, 4));
	server = sock(1);
	ASSERT_EQ(0, bind_to(server, PORT, 0));
	begin_request(&raw, &rpc, 0);
	ASSERT_TRUE(accept_request(server, &rpc));
	ASSERT_EQ(sizeof(buf), put(server, buf, sizeof(buf), 0, rpc.tag));
	sleep_ms(5);
	counters_read(&before);
	ms = now_ms();
	for (i = 0; i < 200; i++) {
		raw_begin(&raw, &f, RESEND, &rpc);
		raw_range(&f, 0, 0xffffffff);
		raw_end(&f);
		raw_send(&raw, &f);
	}
	EXPECT_TRUE(WAIT_FOR((counters_read(&now),
			      counter_of(&now, "TtpResendIn") -
			      counter_of(&before, "TtpResendIn") == 200)));
	/* all of it, 24 packets, but not more often than each half ms */
	ms = now_ms() - ms;
	EXPECT_LE(counter_of(&now, "TtpRetransmits") -
		  counter_of(&before, "TtpRetransmits"), 24 * (2 * ms + 3));
	raw_send_ack(&raw, &rpc);
	EXPECT_TRUE(quiet(1));
	close(server);
}

/* A packet kept here is no burden of its sender any more */
TEST(kept_frames_leave_their_sender)
{
	struct raw_rpc rpc;
	struct raw raw;
	int server, n;

	ASSERT_TRUE(raw_open(&raw, 5));
	server = sock(1);
	ASSERT_EQ(0, bind_to(server, PORT, 0));
	rpc = raw_new_rpc(&raw, PORT);
	raw_send_data(&raw, &rpc, LONG_LEN, 0, PIECE, 0);
	EXPECT_TRUE(WAIT_FOR(!ioctl(raw.fd, SIOCOUTQ, &n) && !n));
	raw_send_plain(&raw, CANCEL, &rpc);
	EXPECT_TRUE(quiet(1));
	close(server);
}

/* Frames whose bytes lie in page fragments, cut at every place */

static int open_tap(uint8_t *mac)
{
	struct ifreq ifr = {
		.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_NAPI | IFF_NAPI_FRAGS,
		.ifr_name = "tap0",
	};
	int fd;

	enter(1);
	fd = open("/dev/net/tun", O_RDWR);
	if (fd < 0)
		return -1;
	if (ioctl(fd, TUNSETIFF, &ifr))
		return -1;
	if (sh("ip -n h1 link set tap0 up") || sh("ttpctl -n h1 dev add tap0"))
		return -1;
	raw_mac_of(1, "tap0", mac);
	return fd;
}

static void send_cut(int fd, const struct frame *f, unsigned int first,
		     unsigned int second)
{
	struct iovec iov[3] = {
		{ (void *)f, first },
		{ (uint8_t *)f + first, second - first },
		{ (uint8_t *)f + second, ETH_HLEN + f->len - second },
	};

	if (writev(fd, iov, 3) < 0)
		perror("writev");
}

TEST(every_cut)
{
	struct raw raw = { .mac = { 2, 0, 0, 0, 9, 9 } };
	struct counters before, now;
	unsigned int i, all, n = 0, cuts = 0;
	struct raw_rpc rpc;
	struct frame f;
	int tap, server;
	char buf[300];

	tap = open_tap(raw.target);
	ASSERT_LE(0, tap);
	srand(6);
	raw_new_epoch(&raw);
	server = sock(1);
	ASSERT_EQ(0, bind_to(server, PORT, 0));
	all = ETH_HLEN + 72 + 300;
	for (i = ETH_HLEN; i < all - 1; i += i < 120 ? 1 : 37) {
		rpc = raw_new_rpc(&raw, PORT);
		raw_data(&raw, &f, &rpc, 300, 0, 300);
		f.pkt[3] |= FLAG_ONEWAY;
		raw_end(&f);
		send_cut(tap, &f, i, i + 1);
		cuts++;
		if (events_in(server, POLLIN, 1000) != POLLIN)
			TH_LOG("cut at %u: nothing", i);
		else if (recv(server, buf, 300, 0) == 300 &&
			 filled(buf, 300, 0))
			n++;
		/* and one that promises more than there is */
		counters_read(&before);
		rpc = raw_new_rpc(&raw, PORT);
		raw_data(&raw, &f, &rpc, 300, 0, 300);
		raw_end(&f);
		f.len--;
		send_cut(tap, &f, i, i + 1);
		EXPECT_TRUE(WAIT_FOR((counters_read(&now),
				      counter_of(&now, "TtpInShort") -
				      counter_of(&before, "TtpInShort") == 1)));
	}
	EXPECT_EQ(cuts, n);
	close(server);
	close(tap);
	EXPECT_TRUE(quiet(1));
}

TEST_HARNESS_MAIN
