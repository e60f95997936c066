// SPDX-License-Identifier: GPL-2.0
/*
 * ttpctl ping: ask another host for a sign of life.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nl.h"
#include "out.h"
#include "ttpctl.h"

#define DEFAULT_TIMEOUT_MS	1000
#define MAX_TIMEOUT_MS		10000

static const struct key keys[] = {
	{ "DEV", KEY_NUMBER, TTP_A_PING_IFINDEX, 4 },
	{ "MAC", KEY_NUMBER, TTP_A_PING_MAC, 6 },
	{ "-t", KEY_NUMBER, TTP_A_PING_TIMEOUT_MS, 4 },
	{ "-l", KEY_NUMBER, TTP_A_PING_SIZE, 4 },
	{ NULL, 0, 0, 0 }
};

static const struct out_field fields[] = {
	{ TTP_A_PING_RTT_NS, OUT_NS, "rtt_ns", "rtt", 0, NULL },
	{ TTP_A_PING_EPOCH, OUT_HEX, "epoch", "epoch", 0, NULL },
	{ TTP_A_PING_MTU, OUT_NUMBER, "mtu", "mtu", 0, NULL },
	{ 0, 0, NULL, NULL, 0, NULL }
};

struct ping {
	const char *target;
	unsigned int ifindex, timeout_ms, sent, received;
	uint8_t mac[6];
	uint64_t count, interval_ns, size, min, max, sum;
};

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static void reply(uint8_t cmd, const struct nl_attrs *attrs, void *arg)
{
	uint64_t rtt = nl_number(attrs->a[TTP_A_PING_RTT_NS]);
	struct ping *p = arg;

	(void)cmd;
	if (!p->received || rtt < p->min)
		p->min = rtt;
	if (rtt > p->max)
		p->max = rtt;
	p->sum += rtt;
	p->received++;
	if (opt.json) {
		json_open(NULL, '{');
		json_number("seq", p->sent);
		out_fields(fields, attrs);
		json_close('}');
	} else {
		printf("%s seq %u", p->target, p->sent);
		out_fields(fields, attrs);
		putchar('\n');
		fflush(stdout);
	}
}

/* One question; false if there is no point in another one */
static bool ask(struct ping *p)
{
	struct nlmsghdr *nlh = nl_request(TTP_CMD_PING, 0);
	char text[256];
	int err;

	if (!nlh)
		return false;
	mnl_attr_put_u32(nlh, TTP_A_PING_IFINDEX, p->ifindex);
	mnl_attr_put(nlh, TTP_A_PING_MAC, sizeof(p->mac), p->mac);
	mnl_attr_put_u32(nlh, TTP_A_PING_TIMEOUT_MS, p->timeout_ms);
	if (p->size)
		mnl_attr_put_u32(nlh, TTP_A_PING_SIZE, p->size);
	p->sent++;
	/* the kernel's answer comes a moment after its own time-out */
	err = nl_ask(nlh, keys, reply, p, p->timeout_ms + 1000, text,
		     sizeof(text));
	if (err == ETIMEDOUT) {
		if (!opt.json) {
			printf("%s seq %u no answer\n", p->target, p->sent);
			fflush(stdout);
		}
		return true;
	}
	if (err == EINTR)
		p->sent--;
	else if (err)
		fail("%s", text);
	return !err;
}

static void summary(const struct ping *p)
{
	uint64_t avg = p->received ? p->sum / p->received : 0;
	char min[32], mid[32], max[32];

	if (opt.json) {
		json_close(']');
		json_number("sent", p->sent);
		json_number("received", p->received);
		if (p->received) {
			json_number("min_ns", p->min);
			json_number("avg_ns", avg);
			json_number("max_ns", p->max);
		}
		json_close('}');
		json_end();
		return;
	}
	printf("%u sent, %u received", p->sent, p->received);
	if (p->received) {
		out_time(min, sizeof(min), p->min);
		out_time(mid, sizeof(mid), avg);
		out_time(max, sizeof(max), p->max);
		printf(", rtt min/avg/max %s/%s/%s", min, mid, max);
	}
	putchar('\n');
}

static int parse_words(struct ping *p, int argc, char **argv)
{
	char mac[MAC_TEXT];
	const char *dev;
	bool ok;

	if (!argc)
		return usage("MAC%%DEV is missing");
	p->target = argv[0];
	dev = strchr(argv[0], '%');
	if (!dev || !dev[1] || dev - argv[0] >= MAC_TEXT)
		return usage("\"%s\" is not MAC%%DEV", argv[0]);
	snprintf(mac, sizeof(mac), "%.*s", (int)(dev - argv[0]), argv[0]);
	if (!parse_mac(mac, p->mac))
		return usage("\"%s\" is not a MAC address", mac);
	for (argc--, argv++; argc; argc -= 2, argv += 2) {
		if (argv[0][0] != '-' || strlen(argv[0]) != 2 ||
		    !strchr("cil", argv[0][1]))
			return no_more(argc, argv);
		if (argc < 2)
			return usage("%s lacks its value", argv[0]);
		if (argv[0][1] == 'c')
			ok = parse_number("-c", argv[1], UINT32_MAX, &p->count);
		else if (argv[0][1] == 'i')
			ok = parse_time("-i", argv[1], &p->interval_ns);
		else
			ok = parse_size("-l", argv[1], 65535, &p->size);
		if (!ok)
			return EXIT_USAGE;
	}
	p->timeout_ms = opt.timeout_ms ? opt.timeout_ms : DEFAULT_TIMEOUT_MS;
	if (p->timeout_ms > MAX_TIMEOUT_MS)
		return usage("-t: at most %u seconds", MAX_TIMEOUT_MS / 1000);
	p->ifindex = find_dev(dev + 1);
	return p->ifindex ? EXIT_OK : EXIT_ERROR;
}

int ping_run(int argc, char **argv)
{
	struct ping p = { .interval_ns = 1000000000 };
	struct sigaction sa = { .sa_handler = on_signal };
	struct timespec ts;
	bool ok;
	int err;

	err = parse_words(&p, argc, argv);
	if (err)
		return err;
	/* no SA_RESTART: a signal ends the wait, the summary follows */
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	ts.tv_sec = p.interval_ns / 1000000000;
	ts.tv_nsec = p.interval_ns % 1000000000;
	if (opt.json) {
		json_open(NULL, '{');
		json_string("target", p.target);
		json_open("replies", '[');
	}
	do {
		if (p.sent)
			nanosleep(&ts, NULL);
		ok = !stop && ask(&p);
	} while (ok && !stop && (!p.count || p.sent < p.count));
	summary(&p);
	return p.received ? EXIT_OK : EXIT_ERROR;
}
