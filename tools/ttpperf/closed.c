// SPDX-License-Identifier: GPL-2.0
/*
 * Closed loop: a call follows the one before it.  Ping-pong, stream and scale
 * keep so many open for each pair of hosts; incast and all-to-all begin all
 * at once, and again when the last is over.
 */
#include <stdlib.h>
#include <string.h>

#include "ttpperf.h"

static struct pair {
	uint16_t	from;
	uint16_t	to;
} *pairs;
static unsigned int pair_count;
static bool rounds;
static uint64_t made, done, all, skipped, round_ns, start_ns, last_ns;
static unsigned int round_open;
static struct hist round_times;

static void add_pair(uint16_t from, uint16_t to)
{
	pairs = realloc(pairs, (pair_count + 1) * sizeof(*pairs));
	if (!pairs)
		fatal("no memory for pairs");
	pairs[pair_count++] = (struct pair){ from, to };
}

static void make_pairs(void)
{
	unsigned int i, j;

	if (!strcmp(opt.mode, "incast") && opt.lab) {
		for (i = 1; i < host_count; i++)
			add_pair(i, 0);
	} else if (!strcmp(opt.mode, "alltoall") && opt.lab) {
		for (j = 1; j < host_count; j++)
			for (i = 0; i < host_count; i++)
				add_pair(i, (i + j) % host_count);
	} else if (!strcmp(opt.mode, "scale")) {
		for (i = 1; i < host_count; i++)
			add_pair(0, i);
	} else {
		for (i = 1; i < host_count && (i == 1 || !opt.lab); i++)
			add_pair(0, i);
	}
}

static void make_call(const struct pair *p, uint64_t now)
{
	struct call *c = call_new(p->from, p->to, opt.size,
				  opt.answer_given ? opt.answer : opt.size);

	if (rounds && made == skipped)
		report_start(now);
	c->measured = made >= skipped && made < all;
	made++;
	call_begin(c, now);
}

static void make_round(void)
{
	uint64_t now = now_ns();
	unsigned int i;

	round_ns = now;
	round_open = pair_count;
	for (i = 0; i < pair_count; i++)
		make_call(&pairs[i], now);
}

static void end_round(void)
{
	if (done > skipped)
		hist_add(&round_times, now_ns() - round_ns);
	if (made < all)
		make_round();
}

/* Everything begins inside the loop; later, nothing has come for too long */
static void fire(uint64_t now)
{
	unsigned int i, k;

	if (!start_ns) {
		report_stop(now);
		call_each_open(report_unfinished);
		loop_stop();
		return;
	}
	start_ns = 0;
	if (!rounds && !skipped)
		report_start(now);
	last_ns = now;
	if (rounds) {
		make_round();
		return;
	}
	for (k = 0; k < opt.depth; k++)
		for (i = 0; i < pair_count; i++)
			make_call(&pairs[i], now);
}

static uint64_t due(void)
{
	return start_ns ? start_ns : last_ns + opt.drain_ns;
}

/*
 * The measurement goes from the end of a call to the end of a call, and others
 * are open all the time: so as many bytes of some that began before it are in
 * it as bytes of others that end after it are not.
 */
static void ended(struct call *c, int error)
{
	struct pair p = { c->from, c->to };

	(void)error;
	done++;
	report_progress(done, all);
	last_ns = now_ns();
	if (!rounds && done == skipped)
		report_start(last_ns);
	if (done == all) {
		report_stop(last_ns);
		loop_stop();
	}
	if (rounds && !--round_open)
		end_round();
	else if (!rounds && done < all)
		make_call(&p, last_ns);
}

static const struct generator closed_generator = {
	.due = due, .fire = fire, .ended = ended,
};

/* In step, calls that are open together end together: count whole steps */
static uint64_t whole_steps(uint64_t calls)
{
	uint64_t step = opt.depth * pair_count;

	return (calls + step - 1) / step * step;
}

void closed_start(void)
{
	make_pairs();
	if (!pair_count)
		fatal("%s needs at least two hosts", opt.mode);
	rounds = !strcmp(opt.mode, "incast") || !strcmp(opt.mode, "alltoall");
	all = opt.count * (rounds ? pair_count : 1);
	skipped = (uint64_t)(opt.warmup * opt.count) * (rounds ? pair_count : 1);
	if (!rounds) {
		skipped = whole_steps(skipped);
		all = whole_steps(all);
		/* all of them are a step */
		if (skipped && skipped == all)
			all += whole_steps(1);
	}
	start_ns = now_ns() + 1000000;
	generator = &closed_generator;
	loop_run();
	if (!rounds)
		return;
	report_value("round.p50", hist_percentile(&round_times, 50) / 1e3, "us");
	report_value("round.p99", hist_percentile(&round_times, 99) / 1e3, "us");
	report_value("round.max", round_times.max / 1e3, "us");
}
