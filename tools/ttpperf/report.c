// SPDX-License-Identifier: GPL-2.0
/*
 * What came out: text, JSON or CSV.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "ttpperf.h"

#define MAX_VALUES	16
#define ERRORS		134

static struct {
	struct hist	time[CLASSES], slow[CLASSES];
	struct hist	time_all, slow_all;
	uint64_t	start_ns, stop_ns;
	double		offered, achieved;	/* bytes, as on the wire */
	double		payload;
	uint64_t	calls, failed, unfinished, wrong;
	uint64_t	errors[ERRORS];
	struct rusage	before, after;
	uint64_t	told_ns;
} r;

static struct {
	const char	*name;
	double		value;
	const char	*unit;
} values[MAX_VALUES];
static unsigned int value_count;

/* Further results of a generator */
void report_value(const char *name, double value, const char *unit)
{
	if (value_count == MAX_VALUES)
		fatal("more than %d results", MAX_VALUES);
	values[value_count].name = name;
	values[value_count].value = value;
	values[value_count++].unit = unit;
}

static bool inside(uint64_t ns)
{
	return r.start_ns && ns >= r.start_ns && (!r.stop_ns || ns <= r.stop_ns);
}

/* What a call puts on the links of the hosts played here */
static double wire_of(const struct call *c)
{
	double bytes = ideal_wire(c->size);

	if (opt.lab && c->kind != KIND_ONEWAY)
		bytes += ideal_wire(c->answer);
	return bytes;
}

static void mark(const char *text)
{
	FILE *f;

	if (!opt.mark)
		return;
	f = fopen(opt.mark, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		fatal("%s: %s", opt.mark, strerror(errno));
}

void report_start(uint64_t now)
{
	r.start_ns = now;
	getrusage(RUSAGE_SELF, &r.before);
	mark("1\n");
}

void report_stop(uint64_t now)
{
	if (r.stop_ns)
		return;
	r.stop_ns = now;
	getrusage(RUSAGE_SELF, &r.after);
	mark("0\n");
}

void report_offered(const struct call *c)
{
	if (c->measured)
		r.offered += wire_of(c);
}

void report_call(const struct call *c, uint64_t now)
{
	uint64_t ns = now - c->began_ns;
	double slow = ns / ideal_call_ns(c);

	if (inside(now)) {
		r.achieved += wire_of(c);
		r.payload += c->size +
			     (c->kind == KIND_ONEWAY ? 0 : c->answer);
	}
	if (!c->measured)
		return;
	r.calls++;
	hist_add(&r.time[c->class], ns);
	hist_add(&r.time_all, ns);
	hist_add(&r.slow[c->class], slow * 1000);
	hist_add(&r.slow_all, slow * 1000);
}

/* It took at least until now */
void report_unfinished(const struct call *c, uint64_t now)
{
	r.unfinished++;
	report_call(c, now);
}

/* To give up is no way to be fast: it counts as long as we would have waited */
void report_failed(const struct call *c, int error, uint64_t now)
{
	r.failed++;
	if (error > 0 && error < ERRORS)
		r.errors[error]++;
	else
		r.errors[0]++;
	if (c->measured && now < c->began_ns + opt.drain_ns)
		now = c->began_ns + opt.drain_ns;
	report_call(c, now);
}

void report_wrong(void)
{
	r.wrong++;
}

void report_progress(uint64_t done, uint64_t all)
{
	uint64_t now;

	/* a look at the clock costs more than the rest */
	if (opt.quiet || done % 256)
		return;
	now = now_ns();
	if (now - r.told_ns < NSEC)
		return;
	r.told_ns = now;
	if (all && all != UINT64_MAX)
		fprintf(stderr, "\rttpperf: %llu of %llu (%.0f %%) ",
			(unsigned long long)done, (unsigned long long)all,
			100.0 * done / all);
	else
		fprintf(stderr, "\rttpperf: %llu ", (unsigned long long)done);
}

/* ---- printing */

static double us(const struct hist *h, double percent)
{
	return hist_percentile(h, percent) / 1e3;
}

static double slow(const struct hist *h, double percent)
{
	return hist_percentile(h, percent) / 1e3;
}

static double seconds(void)
{
	return (r.stop_ns - r.start_ns) / 1e9;
}

static double load_of(double bytes)
{
	double link = opt.rate_gbps * 1e9 * seconds() *
		      (opt.lab ? host_count : 1);

	return seconds() > 0 ? bytes * 8 / link : 0;
}

static double cpu(const struct timeval *a, const struct timeval *b)
{
	return b->tv_sec - a->tv_sec + (b->tv_usec - a->tv_usec) / 1e6;
}

static double cpu_user(void)
{
	return cpu(&r.before.ru_utime, &r.after.ru_utime);
}

static double cpu_system(void)
{
	return cpu(&r.before.ru_stime, &r.after.ru_stime);
}

static double goodput(void)
{
	return seconds() > 0 ? r.payload * 8 / seconds() / 1e9 : 0;
}

static const char *transport_name(void)
{
	static char name[64];

	snprintf(name, sizeof(name), "%s%s%s", opt.transport->name,
		 opt.cc ? "/" : "", opt.cc ? opt.cc : "");
	return name;
}

static void row(const char *name, const struct hist *t, const struct hist *s)
{
	printf("%-19s %9llu %9.1f %9.1f %9.1f %9.1f %9.1f %8.2f %8.2f\n", name,
	       (unsigned long long)t->count, us(t, 50), us(t, 90), us(t, 99),
	       us(t, 99.9), t->max / 1e3, slow(s, 50), slow(s, 99));
}

static void print_text(void)
{
	char name[64];
	unsigned int i;
	uint32_t from = 0;

	printf("%s over %s, %u hosts, link %g Gbit/s, MTU %u, seed %llu\n",
	       opt.mode, transport_name(), host_count, opt.rate_gbps, opt.mtu,
	       (unsigned long long)opt.seed);
	if (opt.workload)
		printf("workload %s, sizes cut at %u\n", opt.workload, opt.cap);
	printf("%-19s %9s %9s %9s %9s %9s %9s %8s %8s\n", "size, bytes",
	       "count", "P50 us", "P90 us", "P99 us", "P99.9 us", "max us",
	       "slow P50", "slow P99");
	for (i = 0; i < CLASSES; i++) {
		if (!opt.workload)
			break;
		snprintf(name, sizeof(name), "%u to %u", from, workload_bound(i));
		from = workload_bound(i);
		row(name, &r.time[i], &r.slow[i]);
	}
	row("all", &r.time_all, &r.slow_all);
	printf("%s\n", ideal_formula);
	if (!strcmp(opt.mode, "load"))
		printf("load: offered %.2f %%, achieved %.2f %% of the link\n",
		       100 * load_of(r.offered), 100 * load_of(r.achieved));
	printf("%.6f s, %.3f Gbit/s of content, %.0f calls/s\n", seconds(),
	       goodput(), seconds() > 0 ? r.calls / seconds() : 0);
	printf("CPU time of this process: %.3f s user, %.3f s system\n",
	       cpu_user(), cpu_system());
	for (i = 0; i < value_count; i++)
		printf("%s %.3f %s\n", values[i].name, values[i].value,
		       values[i].unit);
	if (opt.verify || deliver)
		printf("%llu messages with wrong content\n",
		       (unsigned long long)r.wrong);
	if (r.failed || r.unfinished)
		printf("%llu calls failed (and count as if we had waited for them), %llu had not ended (and count as if they had)\n",
		       (unsigned long long)r.failed,
		       (unsigned long long)r.unfinished);
	for (i = 0; i < ERRORS; i++)
		if (r.errors[i])
			printf("  %llu: %s\n", (unsigned long long)r.errors[i],
			       strerror(i));
}

static void json_class(const char *name, uint32_t upto, const struct hist *t,
		       const struct hist *s, const char *end)
{
	printf("    {\"class\": \"%s\", \"upto\": %u, \"count\": %llu, "
	       "\"us\": {\"mean\": %.3f, \"p50\": %.3f, \"p90\": %.3f, "
	       "\"p99\": %.3f, \"p999\": %.3f, \"max\": %.3f}, "
	       "\"slowdown\": {\"mean\": %.3f, \"p50\": %.3f, \"p90\": %.3f, "
	       "\"p99\": %.3f, \"p999\": %.3f}}%s\n",
	       name, upto, (unsigned long long)t->count,
	       t->count ? t->sum / t->count / 1e3 : 0, us(t, 50), us(t, 90),
	       us(t, 99), us(t, 99.9), t->max / 1e3,
	       s->count ? s->sum / s->count / 1e3 : 0, slow(s, 50),
	       slow(s, 90), slow(s, 99), slow(s, 99.9), end);
}

static void print_json(void)
{
	char name[16];
	unsigned int i, n;

	printf("{\n  \"mode\": \"%s\", \"transport\": \"%s\", \"hosts\": %u,\n",
	       opt.mode, transport_name(), host_count);
	printf("  \"workload\": \"%s\", \"cap\": %u, \"size\": %u, \"depth\": %u,\n",
	       opt.workload ? opt.workload : "", opt.cap, opt.size, opt.depth);
	printf("  \"link_gbps\": %g, \"mtu\": %u, \"hops\": %u, \"delay_us\": %g, \"seed\": %llu,\n",
	       opt.rate_gbps, opt.mtu, opt.hops, opt.delay_us,
	       (unsigned long long)opt.seed);
	printf("  \"load_wanted\": %.4f, \"load_offered\": %.5f, \"load_achieved\": %.5f,\n",
	       opt.load, load_of(r.offered), load_of(r.achieved));
	printf("  \"seconds\": %.9f, \"goodput_gbps\": %.4f,\n", seconds(),
	       goodput());
	printf("  \"cpu_user_s\": %.6f, \"cpu_system_s\": %.6f,\n",
	       cpu_user(), cpu_system());
	printf("  \"calls\": %llu, \"failed\": %llu, \"unfinished\": %llu, \"wrong\": %llu,\n",
	       (unsigned long long)r.calls, (unsigned long long)r.failed,
	       (unsigned long long)r.unfinished, (unsigned long long)r.wrong);
	printf("  \"errors\": {");
	for (i = 0, n = 0; i < ERRORS; i++)
		if (r.errors[i])
			printf("%s\"%s\": %llu", n++ ? ", " : "", strerror(i),
			       (unsigned long long)r.errors[i]);
	printf("},\n  \"values\": {");
	for (i = 0; i < value_count; i++)
		printf("%s\"%s\": %.3f", i ? ", " : "", values[i].name,
		       values[i].value);
	printf("},\n  \"slowdown_is\": \"%s\",\n  \"classes\": [\n",
	       ideal_formula);
	for (i = 0; opt.workload && i < CLASSES; i++) {
		snprintf(name, sizeof(name), "%u", i);
		json_class(name, workload_bound(i), &r.time[i], &r.slow[i], ",");
	}
	json_class("all", workload_bound(CLASSES - 1), &r.time_all,
		   &r.slow_all, "");
	printf("  ]\n}\n");
}

static void csv_row(const char *name, uint32_t upto, const struct hist *t,
		    const struct hist *s)
{
	printf("%s,%s,%s,%u,%llu,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f",
	       opt.mode, transport_name(), name, upto,
	       (unsigned long long)t->count, us(t, 50), us(t, 90), us(t, 99),
	       us(t, 99.9), t->max / 1e3, slow(s, 50), slow(s, 99));
}

/* What belongs to the whole run stands in the last row only */
static void print_csv(void)
{
	char name[16];
	unsigned int i;

	puts("mode,transport,class,upto,count,p50_us,p90_us,p99_us,p999_us,max_us,slow_p50,slow_p99,load_offered,load_achieved,goodput_gbps,cpu_user_s,cpu_system_s,failed,unfinished,wrong");
	for (i = 0; opt.workload && i < CLASSES; i++) {
		snprintf(name, sizeof(name), "%u", i);
		csv_row(name, workload_bound(i), &r.time[i], &r.slow[i]);
		puts(",,,,,,,,");
	}
	csv_row("all", workload_bound(CLASSES - 1), &r.time_all, &r.slow_all);
	printf(",%.5f,%.5f,%.4f,%.6f,%.6f,%llu,%llu,%llu\n",
	       load_of(r.offered), load_of(r.achieved), goodput(), cpu_user(),
	       cpu_system(), (unsigned long long)r.failed,
	       (unsigned long long)r.unfinished, (unsigned long long)r.wrong);
}

static void cdf_point(uint64_t value, uint64_t upto, void *arg)
{
	const struct hist *h = ((void **)arg)[0];

	fprintf(((void **)arg)[1], "%.3f %.6f\n", value / 1e3,
		(double)upto / h->count);
}

/* us and share, of the shortest decile, then, two lines further, of all */
static void write_cdf(void)
{
	FILE *f = fopen(opt.cdf, "w");
	void *arg[2];

	if (!f)
		fatal("%s: %s", opt.cdf, strerror(errno));
	arg[0] = &r.time[0];
	arg[1] = f;
	hist_each(arg[0], cdf_point, arg);
	fputs("\n\n", f);
	arg[0] = &r.time_all;
	hist_each(arg[0], cdf_point, arg);
	if (fclose(f))
		fatal("%s: %s", opt.cdf, strerror(errno));
}

/* Exit status: 0 if all went well */
int report_print(void)
{
	if (!opt.quiet)
		fputs("\r                                        \r", stderr);
	if (!strcmp(opt.format, "json"))
		print_json();
	else if (!strcmp(opt.format, "csv"))
		print_csv();
	else
		print_text();
	if (opt.cdf)
		write_cdf();
	fflush(stdout);
	return r.failed || r.unfinished || r.wrong ? 1 : 0;
}
