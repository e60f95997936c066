// SPDX-License-Identifier: GPL-2.0
/*
 * ttp_fuzz FRAMES SEED: frames from a host that knows epochs, ports and ids,
 * but not what it does; in between, it and another host do real RPCs.
 *
 * Everything goes on in one thread, so that a seed tells all (in UML): a
 * burst of frames, then whatever the sockets have to do.
 */
#include "raw.h"

#define PORT		7
#define REAL_PORT	8
#define CLIENT_PORT	9
#define IDS		24
#define BURST		64
#define MAX_LEN		60000

static unsigned long frames, seed;
static uint64_t state;

static uint32_t rnd(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return below ? (state >> 16) % below : state >> 16;
}

static bool chance(unsigned int percent)
{
	return rnd(100) < percent;
}

static int fail(const char *what)
{
	printf("# ttp_fuzz: %s (seed %lu)\n", what, seed);
	return 1;
}

/* ---- the frames */

/* The ids that are in use; old ones are replaced by and by */
static struct raw_rpc known[IDS];

/* Values that are near to something */
static uint32_t value(void)
{
	static const uint32_t edges[] = {
		0, 1, 127, 128, 129, 256, 1000, 1399, 1400, 1500, 2000, 4096,
		40000, 65536, MAX_LEN, 1 << 24, MAX_MESSAGE, 0x7fffffff,
		0x80000000, 0xffffffff,
	};
	uint32_t v = edges[rnd(sizeof(edges) / sizeof(edges[0]))];

	if (chance(30))
		v = rnd(5000);
	return v + (chance(30) ? rnd(3) - 1 : 0);
}

static void add_list(struct raw *raw, struct frame *f, unsigned int type)
{
	unsigned int n = chance(90) ? 1 + rnd(3) : rnd(30);
	uint32_t at = rnd(3000);
	struct raw_rpc *rpc;

	(void)raw;
	while (n--) {
		if (type == RESEND) {
			raw_range(f, at, chance(5) ? 0xffffffff : at + 1 +
				  rnd(3000));
			at += 1 + rnd(5000);
			continue;
		}
		rpc = &known[rnd(IDS)];
		raw_ack(f, rpc->id, rpc->sport, rpc->dport, rnd(5000));
	}
}

static void make_data(struct frame *f)
{
	uint32_t len = chance(50) ? rnd(3000) : rnd(MAX_LEN), offset = 0, n;

	if (chance(50) && len > 1400)
		offset = rnd(len);
	n = len - offset < 1400 ? len - offset : 128 + rnd(1272);
	if (offset + n > len)
		offset = len - n;
	frame_put(f->pkt + 48, 4, chance(95) ? len : value());
	frame_put(f->pkt + 52, 4, chance(95) ? offset : value());
	frame_put(f->pkt + 56, 4, rnd(len + 1));
	if (!(f->pkt[23] & 1)) {
		frame_put(f->pkt + 60, 4, chance(90) ? 1 << 24 : value());
		if (chance(10))
			frame_put(f->pkt + 64, 4, rnd(IDS));
		if (chance(10))
			frame_put(f->pkt + 68, 4, value());
	}
	if (chance(20))
		f->pkt[3] |= FLAG_RETRANS;
	if (chance(10) && !(f->pkt[23] & 1))
		f->pkt[3] |= FLAG_ONEWAY;
	raw_payload(f, offset, n);
}

static void make_body(struct raw *raw, struct frame *f, unsigned int type)
{
	switch (type) {
	case DATA:
		if (chance(20))
			add_list(raw, f, type);
		make_data(f);
		break;
	case ACK:
	case RESEND:
		if (type == RESEND)
			frame_put(f->pkt + 48, 4, chance(90) ? 0 : rnd(3000));
		add_list(raw, f, type);
		break;
	case GRANT:
		frame_put(f->pkt + 48, 4, chance(80) ? 3000 + rnd(MAX_LEN) :
			  value());
		frame_put(f->pkt + 52, 4, chance(80) ? rnd(3000) : value());
		break;
	case UNKNOWN:
	case REJECT:
		f->pkt[48] = 1 + rnd(3);
		break;
	case BUSY:
		frame_put(f->pkt + 52, 4, chance(80) ? rnd(3000) : value());
		break;
	}
}

/* What CRC and length say is not believed: damage before they are made */
static void damage(struct frame *f)
{
	unsigned int n = 1 + rnd(3), at;

	while (n--) {
		at = chance(80) ? rnd(80) : rnd(f->len);
		switch (rnd(4)) {
		case 0:
			f->pkt[at] ^= 1 << rnd(8);
			break;
		case 1:
			f->pkt[at] = rnd(256);
			break;
		case 2:
			frame_put(f->pkt + (at & ~3), 4, value());
			break;
		default:
			f->pkt[at] += chance(50) ? 1 : -1;
		}
	}
}

static void one_frame(struct raw *raw)
{
	static const uint8_t often[] = {
		DATA, DATA, DATA, DATA, GRANT, RESEND, ACK, BUSY, NEED_ACK,
		FULL, PROBE, PROBE_REPLY, UNKNOWN, CANCEL, REJECT,
	};
	unsigned int type = often[rnd(sizeof(often))];
	struct raw_rpc *rpc = &known[rnd(IDS)], renewed;
	struct frame f;

	if (chance(10) && rpc->client)
		*rpc = raw_new_rpc(raw, PORT);
	renewed = *rpc;
	if (chance(3))
		renewed.id ^= 1;
	if (chance(3))
		renewed.sport ^= 1 << rnd(4);
	if (chance(3))
		renewed.dport = rnd(10);
	if (type == ACK || type == PROBE || type == PROBE_REPLY)
		raw_begin(raw, &f, type, NULL);
	else
		raw_begin(raw, &f, type, &renewed);
	make_body(raw, &f, type);
	if (chance(10))
		frame_put(f.pkt + 28, 4, chance(70) ? 0 : rnd(0));
	if (chance(20)) {	/* a round trip of some length */
		f.pkt[3] |= 4;
		frame_put(f.pkt + 36, 4, frame_get(f.pkt + 32, 4) -
			  rnd(chance(90) ? 100000 : 0x7fffffff));
	}
	if (chance(5))
		frame_put(f.pkt + 44, 2, 256 + rnd(9000));
	frame_put(f.pkt + 4, 2, f.len - HDR_LEN);
	if (chance(25))
		damage(&f);
	if (chance(98))
		raw_crc(&f);
	if (chance(3))
		f.len = 1 + rnd(f.len);
	else if (chance(3))
		f.len += rnd(64);
	if (chance(1))
		f.eth[rnd(12)] ^= 1 << rnd(8);
	raw_send(raw, &f);
	/* rarely a new life; all known ids are of the old one then */
	if (!rnd(2000)) {
		raw_begin(raw, &f, CLOSE, NULL);
		raw_end(&f);
		raw_send(raw, &f);
		raw_new_epoch(raw);
	}
}

/* ---- the target's sockets, which do what programs do */

static char buf[MAX_LEN];

static void serve(int fd)
{
	struct got got;
	long n;

	while ((n = get(fd, buf, sizeof(buf), MSG_DONTWAIT, &got)) >= 0)
		if (got.from.sttp_rpc && chance(80))
			put(fd, buf, chance(80) ? rnd(4000) : rnd(MAX_LEN),
			    MSG_DONTWAIT, got.from);
}

/* Calls to the raw host, which may be answered, by chance */
static void call(struct raw *raw, int fd)
{
	struct sockaddr_ttp to = {
		.sttp_family = AF_TTP,
		.sttp_port = htons(CLIENT_PORT),
		.sttp_ifindex = raw->ifindex,
	};
	struct got got;

	while (get(fd, buf, sizeof(buf), MSG_DONTWAIT, &got) != -EAGAIN)
		;
	if (status_of(fd).rpcs_out > 16)
		do_abort(fd, 0);
	memcpy(to.sttp_addr, raw->mac, ETH_ALEN);
	put(fd, buf, rnd(4000), MSG_DONTWAIT, to);
}

/* What the target sent: learn its RPCs, and count */
static void listen_to(struct raw *raw, unsigned long *answers)
{
	struct frame f;
	ssize_t n;

	while ((n = recv(raw->fd, &f, ETH_HLEN + sizeof(f.pkt),
			 MSG_DONTWAIT)) >= 0) {
		struct raw_rpc *rpc = &known[rnd(IDS / 3)];

		if (n < ETH_HLEN + HDR_LEN)
			continue;
		++*answers;
		if (f.pkt[2] != DATA || f.pkt[23] & 1)
			continue;
		rpc->client = false;
		rpc->id = frame_get(f.pkt + 16, 8) ^ SERVER_BIT;
		rpc->sport = frame_get(f.pkt + 10, 2);
		rpc->dport = frame_get(f.pkt + 8, 2);
	}
}

/* ---- real traffic, which must not notice */

static unsigned long real_begun, real_done;
static bool real_enough;

static bool real_traffic(int server, int client, struct sockaddr_ttp to)
{
	static char msg[MAX_LEN], back[MAX_LEN];
	struct got got;
	long n;

	while ((n = get(server, back, sizeof(back), MSG_DONTWAIT, &got)) >= 0)
		if (put(server, back, n, 0, got.from) != n)
			return false;
	while ((n = get(client, back, sizeof(back), MSG_DONTWAIT, &got)) >= 0) {
		if (!filled(back, n, 1))
			return false;
		real_done++;
	}
	if (n != -EAGAIN)
		return false;
	if (real_begun - real_done >= 8 || real_enough)
		return true;
	n = chance(70) ? rnd(2000) : rnd(MAX_LEN);
	fill(msg, n, 1);
	if (put(client, msg, n, 0, to) != n)
		return false;
	real_begun++;
	return true;
}

static unsigned long buffers_of(int fd)
{
	return get_opt(fd, SOL_SOCKET, SO_RCVBUF) +
	       get_opt(fd, SOL_SOCKET, SO_SNDBUF);
}

int main(int argc, char **argv)
{
	unsigned long i, answers = 0, mem = 0, most = 0, bound;
	int server, client, real_server, real_client;
	struct counters c;
	struct raw raw;

	if (argc != 3)
		return 2;
	frames = strtoul(argv[1], NULL, 0);
	seed = strtoul(argv[2], NULL, 0);
	state = seed * 0x9e3779b97f4a7c15 + 1;
	if (!raw_open(&raw, seed))
		return fail("the target does not answer");
	server = sock(1);
	client = sock(1);
	real_server = sock(1);
	real_client = sock(2);
	if (bind_to(server, PORT, 0) || bind_to(real_server, REAL_PORT, 0))
		return fail("bind");
	set_opt(server, SOL_SOCKET, SO_RCVBUF, 1 << 18);
	bound = buffers_of(server) + buffers_of(client) +
		buffers_of(real_server);
	for (i = 0; i < IDS; i++)
		known[i] = raw_new_rpc(&raw, PORT);
	for (i = 0; i < frames; i++) {
		one_frame(&raw);
		if (i % BURST)
			continue;
		serve(server);
		call(&raw, client);
		if (!real_traffic(real_server, real_client,
				  addr_of(1, REAL_PORT)))
			return fail("real traffic has suffered");
		usleep(200);
		listen_to(&raw, &answers);
		counters_read(&c);
		mem = counter_of(&c, "TtpCurrMem");
		most = mem > most ? mem : most;
		if (counter_of(&c, "TtpCurrRpcs") > 5000)
			return fail("too many RPCs");
	}
	real_enough = true;
	for (i = 0; i < 5000 && real_done < real_begun; i++) {
		usleep(2000);
		serve(server);
		real_traffic(real_server, real_client, addr_of(1, REAL_PORT));
	}
	if (!real_done || real_done != real_begun)
		return fail("real RPCs are missing");
	listen_to(&raw, &answers);
	counters_read(&c);
	printf("# %u frames sent, %ld sound, %lu answers, %lu real RPCs, %lu bytes at most\n",
	       raw.sent, counter_of(&c, "TtpInPackets"), answers, real_done,
	       most);
	/* of a burst, each may begin or move an RPC of MAX_LEN bytes */
	if (answers > 8UL * raw.sent)
		return fail("too many answers");
	if (most > bound)
		return fail("more memory than the sockets may have");
	close(server);
	close(client);
	close(real_client);
	close(real_server);
	raw_send_plain(&raw, CLOSE, NULL);
	return 0;
}
