// SPDX-License-Identifier: GPL-2.0
/*
 * Open loop: calls begin when their time has come, whatever became of those
 * before (Poisson arrivals at every client, servers drawn evenly).
 */
#include <math.h>

#include "ttpperf.h"

static struct source {
	uint16_t	host;
	uint64_t	state;
	uint64_t	next_ns;
} sources[MAX_HOSTS];
static unsigned int source_count;
static double gap_ns;		/* mean, at one source */
static uint64_t made, all, skipped, measured_open, last_ns, end_ns;

static double call_wire(uint32_t size)
{
	if (opt.oneway)
		return ideal_wire(size);
	return ideal_wire(size) +
	       ideal_wire(opt.answer_given ? opt.answer : size);
}

static double gap(struct source *s)
{
	return -log(1 - random_unit(&s->state)) * gap_ns;
}

static struct source *first_source(void)
{
	struct source *s = &sources[0];
	unsigned int i;

	for (i = 1; i < source_count; i++)
		if (sources[i].next_ns < s->next_ns)
			s = &sources[i];
	return s;
}

static uint16_t draw_server(struct source *s)
{
	uint16_t to;

	if (!opt.lab)
		return 1 + random_unit(&s->state) * (host_count - 1);
	to = random_unit(&s->state) * (host_count - 1);
	return to < s->host ? to : to + 1;
}

/* All that counts have been made, and have ended */
static void stop_if_done(void)
{
	if (made >= all && !measured_open)
		loop_stop();
}

static bool last_one(uint64_t due_ns)
{
	if (opt.duration_ns)
		return due_ns >= end_ns;
	return made + 1 >= all;
}

static void make_call(struct source *s)
{
	uint32_t size = workload_draw(&s->state);
	uint16_t to = draw_server(s);
	unsigned int class = workload_class(size, &s->state);
	uint64_t due_ns = s->next_ns;
	struct call *c;

	s->next_ns += (uint64_t)gap(s) + 1;
	c = call_new(s->host, to, size,
		     opt.answer_given ? opt.answer : size);
	c->class = class;
	if (made == skipped)
		report_start(due_ns);
	c->measured = made >= skipped && made < all;
	measured_open += c->measured;
	if (made < all && last_one(due_ns))
		all = made + 1;
	made++;
	call_begin(c, due_ns);
	report_progress(made, all);
	if (made == all) {
		report_stop(due_ns);
		last_ns = due_ns;
		stop_if_done();
	}
}

/*
 * Others go on while those that count end, so that nothing is fast because the
 * network empties; but not for ever.
 */
static bool making(void)
{
	return made / 2 < all;
}

static uint64_t due(void)
{
	uint64_t end = made >= all ? last_ns + opt.drain_ns : UINT64_MAX;
	uint64_t next = making() ? first_source()->next_ns : UINT64_MAX;

	return next < end ? next : end;
}

static void give_up(const struct call *c, uint64_t now)
{
	if (c->measured)
		report_unfinished(c, now);
}

static void fire(uint64_t now)
{
	if (made >= all && now >= last_ns + opt.drain_ns) {
		call_each_open(give_up);
		loop_stop();
		return;
	}
	if (making() && first_source()->next_ns <= now)
		make_call(first_source());
}

static void ended(struct call *c, int error)
{
	(void)error;
	measured_open -= c->measured;
	stop_if_done();
}

static const struct generator open_generator = {
	.due = due, .fire = fire, .ended = ended,
};

void open_start(void)
{
	/*
	 * On a host's link to the network: its requests, and its answers to
	 * as many of others; a single client fills the link it sends on.
	 */
	double wire = workload_mean(opt.lab ? call_wire : ideal_wire);
	uint64_t start = now_ns() + 1000000;
	unsigned int i;

	gap_ns = wire * 8 / (opt.rate_gbps * opt.load);
	source_count = opt.lab ? opt.lab : 1;
	all = opt.duration_ns ? UINT64_MAX : opt.count;
	end_ns = start + opt.duration_ns;
	skipped = opt.duration_ns ?
		  opt.warmup * opt.duration_ns / gap_ns * source_count :
		  opt.warmup * opt.count;
	for (i = 0; i < source_count; i++) {
		sources[i].host = i;
		sources[i].state = opt.seed * 1000003 + i;
		random_next(&sources[i].state);
		sources[i].next_ns = start + gap(&sources[i]);
	}
	generator = &open_generator;
	loop_run();
}
