// SPDX-License-Identifier: GPL-2.0
/*
 * ttpperf: measure messages over AF_TTP, TCP and UDP.
 */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "ttpperf.h"

static const char usage[] =
	"usage: ttpperf MODE --to HOST[,HOST...] [OPTION]...\n"
	"       ttpperf server [-t TRANSPORT] [-p PORT]\n"
	"\n"
	"Modes:\n"
	"  pingpong     one call after the other (--size, --count, --depth)\n"
	"  stream       requests with short answers, --depth at the same time\n"
	"  load         calls at random times, sizes from --workload, at --load\n"
	"  scale        calls from --sockets sockets to all hosts\n"
	"  incast       lab: all hosts send to one at once, --count rounds\n"
	"  alltoall     lab: every host to every other at once, --count rounds\n"
	"  ring, direct lab: all-reduce of --size bytes, sums checked\n"
	"  server       answer the calls of others, until it is killed\n"
	"\n"
	"  -t, --transport T  ttp (default), tcp, udp, or best: no network, but what\n"
	"                     could be reached by who knows all messages at once\n"
	"      --to HOSTS     servers: MAC[%DEVICE] for ttp, else name or address\n"
	"  -p, --port N       default 5000\n"
	"  -s, --size N       bytes of a request, 8 to 16M (default 64)\n"
	"  -a, --answer N     bytes of a response (default: as the request)\n"
	"      --oneway       no responses; away from the lab, short ones\n"
	"  -n, --count N      calls, or rounds (default 1000)\n"
	"  -T, --time S       load: seconds, instead of a count\n"
	"      --warmup P     percent of them that do not count (default 10)\n"
	"  -d, --depth N      calls open at the same time (default 1; stream 8)\n"
	"  -w, --workload F   file of message sizes\n"
	"      --cap N        longest message of it (default 1000000)\n"
	"  -l, --load P       percent of the link, Ethernet included (default 50)\n"
	"      --conns N      TCP connections from host to host (default 4)\n"
	"      --cc NAME      TCP congestion control\n"
	"      --sockets N    that a host asks with (default 1)\n"
	"      --verify       compare every byte\n"
	"      --corrupt N    damage one in N messages, to see that this is seen\n"
	"      --seed N       of times, sizes, servers (default 1)\n"
	"      --link GBPS    Gbit/s of the link (default 25)\n"
	"      --mtu N        its MTU (default 1500)\n"
	"      --headers N    best: bytes of a transport in each frame (default 0)\n"
	"      --tags N       best: bytes of tags, beyond the MTU (default 0)\n"
	"      --hops N       links on the way (default 2)\n"
	"      --delay US     of each of them (default 0.5)\n"
	"      --drain MS     how long to wait for the last (default 10000)\n"
	"  -f, --format F     text (default), json, csv\n"
	"      --cdf FILE     write the distribution of times there\n"
	"      --mark FILE    write a line there when measuring begins\n"
	"      --lab N        play hosts h1 to hN of tools/lab in one process\n"
	"  -q, --quiet        no progress\n"
	"\n"
	"Link, MTU, hops and delay tell what slowdown refers to, and load.\n"
	"Exit status: 0 if every call was answered, and rightly, 1 if not, 2 for\n"
	"wrong usage.\n";

struct options opt = {
	.transport = &transport_ttp, .port = 5000, .cap = 1000000,
	.load = 0.5, .count = 1000, .warmup = 0.1, .size = 64, .conns = 4,
	.sockets = 1, .seed = 1, .rate_gbps = 25, .mtu = 1500, .hops = 2,
	.delay_us = 0.5, .drain_ns = 10 * NSEC, .format = "text",
};

void fatal(const char *f, ...)
{
	va_list ap;

	va_start(ap, f);
	fputs("ttpperf: ", stderr);
	vfprintf(stderr, f, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(1);
}

static void __attribute__((noreturn, format(printf, 1, 2)))
bad_usage(const char *f, ...)
{
	va_list ap;

	va_start(ap, f);
	fputs("ttpperf: ", stderr);
	vfprintf(stderr, f, ap);
	fputs("; ttpperf --help tells more\n", stderr);
	va_end(ap);
	exit(2);
}

/* A number with K, M or G behind it, if it is whole */
static double number(const char *name, const char *text, double min, double max)
{
	char *end;
	double n;

	errno = 0;
	n = strtod(text, &end);
	if (end != text && *end == 'K')
		n *= 1024, end++;
	else if (end != text && *end == 'M')
		n *= 1 << 20, end++;
	else if (end != text && *end == 'G')
		n *= 1 << 30, end++;
	if (errno || end == text || *end || !(n >= min && n <= max))
		bad_usage("%s wants a number from %g to %g, not \"%s\"", name,
			  min, max, text);
	return n;
}

static const struct transport *transport_by_name(const char *name)
{
	static const struct transport *const all[] = {
		&transport_ttp, &transport_tcp, &transport_udp,
		&transport_best,
	};
	unsigned int i;

	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	bad_usage("no transport \"%s\": ttp, tcp, udp or best", name);
}

enum {
	O_TO = 256, O_ONEWAY, O_WARMUP, O_CAP, O_CONNS, O_CC, O_SOCKETS,
	O_VERIFY, O_CORRUPT, O_SEED, O_LINK, O_MTU, O_HOPS, O_DELAY, O_DRAIN, O_CDF,
	O_MARK, O_LAB, O_HEADERS, O_TAGS,
};

static const struct option options[] = {
	{ "transport", 1, NULL, 't' }, { "to", 1, NULL, O_TO },
	{ "port", 1, NULL, 'p' }, { "size", 1, NULL, 's' },
	{ "answer", 1, NULL, 'a' }, { "oneway", 0, NULL, O_ONEWAY },
	{ "count", 1, NULL, 'n' }, { "time", 1, NULL, 'T' },
	{ "warmup", 1, NULL, O_WARMUP }, { "depth", 1, NULL, 'd' },
	{ "workload", 1, NULL, 'w' }, { "cap", 1, NULL, O_CAP },
	{ "load", 1, NULL, 'l' }, { "conns", 1, NULL, O_CONNS },
	{ "cc", 1, NULL, O_CC }, { "sockets", 1, NULL, O_SOCKETS },
	{ "verify", 0, NULL, O_VERIFY }, { "corrupt", 1, NULL, O_CORRUPT },
	{ "seed", 1, NULL, O_SEED }, { "link", 1, NULL, O_LINK }, { "mtu", 1, NULL, O_MTU },
	{ "headers", 1, NULL, O_HEADERS }, { "tags", 1, NULL, O_TAGS },
	{ "hops", 1, NULL, O_HOPS }, { "delay", 1, NULL, O_DELAY },
	{ "drain", 1, NULL, O_DRAIN }, { "format", 1, NULL, 'f' },
	{ "cdf", 1, NULL, O_CDF }, { "mark", 1, NULL, O_MARK },
	{ "lab", 1, NULL, O_LAB }, { "quiet", 0, NULL, 'q' },
	{ "help", 0, NULL, 'h' }, {}
};

static void set_format(const char *name)
{
	if (strcmp(name, "text") && strcmp(name, "json") && strcmp(name, "csv"))
		bad_usage("no format \"%s\": text, json or csv", name);
	opt.format = name;
}

static void set_option(int o, char *v)
{
	switch (o) {
	case 't':	opt.transport = transport_by_name(v); break;
	case O_TO:	opt.to = v; break;
	case 'p':	opt.port = number("--port", v, 1, 65535); break;
	case 's':	opt.size = number("--size", v, 0, 1U << 30); break;
	case 'a':	opt.answer = number("--answer", v, 0, MAX_SIZE);
			opt.answer_given = true; break;
	case O_ONEWAY:	opt.oneway = true; break;
	case 'n':	opt.count = number("--count", v, 1, 1e12); break;
	case 'T':	opt.duration_ns = number("--time", v, 1e-6, 1e6) * NSEC; break;
	case O_WARMUP:	opt.warmup = number("--warmup", v, 0, 90) / 100; break;
	case 'd':	opt.depth = number("--depth", v, 1, 1e6); break;
	case 'w':	opt.workload = v; break;
	case O_CAP:	opt.cap = number("--cap", v, MIN_SIZE, MAX_SIZE); break;
	case 'l':	opt.load = number("--load", v, 0.01, 200) / 100; break;
	case O_CONNS:	opt.conns = number("--conns", v, 1, 1024); break;
	case O_CC:	opt.cc = v; break;
	case O_SOCKETS:	opt.sockets = number("--sockets", v, 1, 1e6); break;
	case O_VERIFY:	opt.verify = true; break;
	case O_CORRUPT:	opt.corrupt = number("--corrupt", v, 1, 1e9); break;
	case O_SEED:	opt.seed = number("--seed", v, 0, 1e15); break;
	case O_LINK:	opt.rate_gbps = number("--link", v, 1e-3, 1e4); break;
	case O_MTU:	opt.mtu = number("--mtu", v, 64, 65535); break;
	case O_HEADERS:	opt.headers = number("--headers", v, 0, 1000); break;
	case O_TAGS:	opt.tags = number("--tags", v, 0, 1000); break;
	case O_HOPS:	opt.hops = number("--hops", v, 1, 16); break;
	case O_DELAY:	opt.delay_us = number("--delay", v, 0, 1e6); break;
	case O_DRAIN:	opt.drain_ns = number("--drain", v, 0, 1e9) * 1e6; break;
	case 'f':	set_format(v); break;
	case O_CDF:	opt.cdf = v; break;
	case O_MARK:	opt.mark = v; break;
	case O_LAB:	opt.lab = number("--lab", v, 2, MAX_HOSTS); break;
	case 'q':	opt.quiet = true; break;
	case 'h':	fputs(usage, stdout); exit(0);
	default:	bad_usage("unknown option");
	}
}

/* Who talks to whom, among the hosts of the lab */
static bool all_to_all(unsigned int from, unsigned int to)
{
	return from != to;
}

static bool first_to_second(unsigned int from, unsigned int to)
{
	return !from && to == 1;
}

static bool first_to_all(unsigned int from, unsigned int to)
{
	return !from && to;
}

static bool all_to_first(unsigned int from, unsigned int to)
{
	return from && !to;
}

static bool to_the_next(unsigned int from, unsigned int to)
{
	return to == (from + 1) % host_count;
}

static const struct mode {
	const char	*name;
	void		(*start)(void);
	bool		(*talk)(unsigned int from, unsigned int to);
	bool		lab_only;
	bool		reduce;
} modes[] = {
	{ "pingpong", closed_start, first_to_second, false, false },
	{ "stream", closed_start, first_to_second, false, false },
	{ "load", open_start, all_to_all, false, false },
	{ "scale", closed_start, first_to_all, false, false },
	{ "incast", closed_start, all_to_first, true, false },
	{ "alltoall", closed_start, all_to_all, true, false },
	{ "ring", reduce_start, to_the_next, true, true },
	{ "direct", reduce_start, all_to_all, true, true },
	{ "server", serve_start, NULL, false, false },
};

static const struct mode *mode_by_name(const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (!strcmp(modes[i].name, name))
			return &modes[i];
	bad_usage("no mode \"%s\"", name);
}

static void check_best(const struct mode *m)
{
	if (m->start == serve_start)
		bad_usage("best has no network to serve");
	if (!opt.lab)
		bad_usage("best needs --lab: it has no network");
	if (opt.headers >= opt.mtu)
		bad_usage("--headers is less than --mtu");
	if (opt.cc || opt.sockets > 1 || opt.corrupt)
		bad_usage("best knows neither --cc nor --sockets nor --corrupt");
}

static void check(const struct mode *m)
{
	uint32_t max = opt.transport->max_size;

	if (m->lab_only && !opt.lab)
		bad_usage("%s needs --lab", m->name);
	if (opt.transport->wait)
		check_best(m);
	else if (opt.headers || opt.tags)
		bad_usage("--headers and --tags are for -t best");
	if (m->start == serve_start) {
		if (opt.lab || opt.to)
			bad_usage("server takes neither --to nor --lab");
		return;
	}
	if (!opt.lab == !opt.to)
		bad_usage("%s wants either --to HOSTS or --lab N", m->name);
	if (m->start == open_start && !opt.workload)
		bad_usage("load wants --workload FILE");
	if (m->start != open_start && opt.workload)
		bad_usage("--workload is for load");
	if (m->start != open_start && opt.duration_ns)
		bad_usage("--time is for load");
	if (m->reduce) {
		opt.oneway = true;
		opt.verify = false;	/* the sums are */
	}
	if (!m->reduce && opt.size > MAX_SIZE)
		bad_usage("--size is at most %u", MAX_SIZE);
	if (m->reduce ? opt.size / opt.lab + MIN_SIZE + 4 > max :
	    opt.workload ? opt.cap > max : opt.size > max || opt.answer > max)
		bad_usage("%s carries messages of up to %u bytes",
			  opt.transport->name, max);
	if (!strcmp(m->name, "stream") && !opt.answer_given) {
		opt.answer = MIN_SIZE;
		opt.answer_given = true;
	}
	if (!opt.depth)
		opt.depth = strcmp(m->name, "stream") ? 1 : 8;
}

/* ---- a call for each pair of hosts, so that all of them know each other */

static uint64_t warm_left, warm_until_ns;

static uint64_t warm_due(void)
{
	return warm_until_ns;
}

static void no_answer(const struct call *c, uint64_t now)
{
	(void)now;
	fatal("%s gets no answer from %s", hosts[c->from].name,
	      hosts[c->to].name);
}

static void warm_fire(uint64_t now)
{
	(void)now;
	call_each_open(no_answer);
}

static void warm_ended(struct call *c, int error)
{
	if (error)
		fatal("%s does not reach %s: %s", hosts[c->from].name,
		      hosts[c->to].name, strerror(error));
	if (!--warm_left)
		loop_stop();
}

static const struct generator warm_generator = {
	.due = warm_due, .fire = warm_fire, .ended = warm_ended,
};

/* Away from the lab, host 0 is the client and all others are servers */
static bool talks(const struct mode *m, unsigned int from, unsigned int to)
{
	return (opt.lab ? m->talk : first_to_all)(from, to);
}

static void warm_up(const struct mode *m)
{
	unsigned int from, to;

	generator = &warm_generator;
	for (from = 0; from < host_count; from++)
		for (to = 0; to < host_count; to++)
			if (talks(m, from, to))
				opt.transport->dial(&hosts[from], &hosts[to]);
	warm_until_ns = now_ns() + opt.drain_ns;
	for (from = 0; from < host_count; from++) {
		for (to = 0; to < host_count; to++) {
			if (!talks(m, from, to))
				continue;
			warm_left++;
			call_begin(call_new(from, to, MIN_SIZE, MIN_SIZE),
				   now_ns());
		}
	}
	loop_run();
}

/* ---- */

void serve_start(void)
{
	static const struct host here = { .name = "here", .local = true, .netns = -1 };

	hosts[0] = here;
	host_count = 1;
	opt.transport->serve(&hosts[0]);
	puts("ready");
	fflush(stdout);
	loop_run();
}

static void run(const struct mode *m)
{
	unsigned int i;

	if (opt.transport->wait)
		hosts_none(opt.lab);
	else if (opt.lab)
		hosts_lab(opt.lab);
	else
		hosts_real(opt.to, opt.transport->name);
	if (opt.workload)
		workload_load(opt.workload, opt.cap);
	else
		workload_fixed(opt.size);
	for (i = 0; i < host_count && opt.lab; i++)
		opt.transport->serve(&hosts[i]);
	warm_up(m);
	m->start();
}

static void allow_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv)
{
	const struct mode *m;
	int o;

	allow_files();

	/* timers that are as exact as the clock */
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	while ((o = getopt_long(argc, argv, "t:p:s:a:n:T:d:w:l:f:qh", options,
				NULL)) != -1)
		set_option(o, optarg);
	if (optind != argc - 1)
		bad_usage("one mode, please");
	m = mode_by_name(argv[optind]);
	opt.mode = m->name;
	check(m);
	if (m->start == serve_start) {
		serve_start();
		return 0;
	}
	run(m);
	return report_print();
}
