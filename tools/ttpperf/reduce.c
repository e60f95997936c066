// SPDX-License-Identifier: GPL-2.0
/*
 * All-reduce: every host has a vector, in the end every host has the sum.
 *
 * ring: the vector in n parts; n - 1 steps in which each host adds what it
 * was sent and passes it on, n - 1 in which the sums go round.  direct: part
 * i of everybody goes to host i, which sends the sum to all.  Both move
 * 2 (n - 1) / n of the vector over each link.  The sums are checked.
 */
#include <stdlib.h>
#include <string.h>

#include "ttpperf.h"

static uint32_t *vector[MAX_HOSTS];
static uint32_t words;			/* of a part */
static unsigned int n, received[MAX_HOSTS], summed[MAX_HOSTS];
static unsigned int finished;
static uint64_t round, skipped, begun_ns, start_ns;
static bool ring;
static struct hist times;

/* What is known about a message on its way, by its id */
static struct passage {
	uint16_t	step;
	uint16_t	part;
	bool		sum;
} *passages;
static uint32_t passage_slots;

static uint32_t value(unsigned int host, uint32_t k)
{
	return (host + 1) * 2654435761U ^ (k * 40503U + round);
}

static uint32_t *part_of(unsigned int host, unsigned int part)
{
	return vector[host] + (size_t)part * words;
}

static void fill(void)
{
	uint32_t k;
	unsigned int i;

	for (i = 0; i < n; i++)
		for (k = 0; k < words * n; k++)
			vector[i][k] = value(i, k);
}

static bool sums_right(void)
{
	uint32_t k, sum;
	unsigned int i;

	for (k = 0; k < words * n; k++) {
		for (i = 0, sum = 0; i < n; i++)
			sum += value(i, k);
		for (i = 0; i < n; i++)
			if (vector[i][k] != sum)
				return false;
	}
	return true;
}

const uint8_t *reduce_content(const struct head *head)
{
	struct call *c = call_find(head->id);
	uint8_t *bytes = malloc(head->length);

	if (!bytes || !c)
		fatal("no memory for a message of %u bytes", head->length);
	memcpy(bytes + MIN_SIZE, part_of(c->from, passages[head->id].part),
	       words * sizeof(uint32_t));
	return bytes;
}

static void pass_on(unsigned int from, unsigned int to, unsigned int step,
		    unsigned int part, bool sum)
{
	struct call *c = call_new(from, to, MIN_SIZE + words * sizeof(uint32_t),
				  MIN_SIZE);

	if (c->id >= passage_slots) {
		passage_slots = c->id * 2 + 64;
		passages = realloc(passages, passage_slots * sizeof(*passages));
		if (!passages)
			fatal("no memory for %u messages", passage_slots);
	}
	passages[c->id] = (struct passage){ step, part, sum };
	c->measured = round >= skipped;
	call_begin(c, now_ns());
}

static void begin_round(void)
{
	unsigned int i, j;

	fill();
	finished = 0;
	memset(received, 0, sizeof(received));
	memset(summed, 0, sizeof(summed));
	begun_ns = now_ns();
	if (round == skipped)
		report_start(begun_ns);
	for (i = 0; i < n; i++) {
		if (ring)
			pass_on(i, (i + 1) % n, 0, i, false);
		for (j = 1; !ring && j < n; j++)
			pass_on(i, (i + j) % n, 0, (i + j) % n, false);
	}
}

static void host_finished(void)
{
	uint64_t now = now_ns();

	if (++finished < n)
		return;
	if (round >= skipped)
		hist_add(&times, now - begun_ns);
	if (!sums_right())
		report_wrong();
	report_progress(++round, opt.count);
	if (round < opt.count) {
		begin_round();
		return;
	}
	report_stop(now);
	loop_stop();
}

static void took_ring(unsigned int at, const struct passage *p)
{
	unsigned int step = p->step + 1;

	if (step == 2 * (n - 1))
		host_finished();
	else
		pass_on(at, (at + 1) % n, step, p->part, step >= n - 1);
}

static void took_direct(unsigned int at, const struct passage *p)
{
	unsigned int j;

	/* its part is complete when all have sent theirs */
	if (!p->sum && ++summed[at] == n - 1)
		for (j = 1; j < n; j++)
			pass_on(at, (at + j) % n, 1, at, true);
	if (++received[at] == 2 * (n - 1))
		host_finished();
}

static void took(const struct head *head, const void *buf, uint16_t at)
{
	const uint32_t *in = (const uint32_t *)((const uint8_t *)buf + MIN_SIZE);
	struct call *c = call_find(head->id);
	struct passage p = passages[head->id];
	uint32_t *mine = part_of(at, p.part), k;

	if (!c || head->kind != KIND_ONEWAY)
		return;
	for (k = 0; k < words; k++)
		mine[k] = p.sum ? in[k] : mine[k] + in[k];
	call_end(c, 0);
	if (ring)
		took_ring(at, &p);
	else
		took_direct(at, &p);
}

static uint64_t due(void)
{
	return start_ns ? start_ns : begun_ns + opt.drain_ns;
}

static void fire(uint64_t now)
{
	if (!start_ns) {
		report_stop(now);	/* a part of it is lost */
		call_each_open(report_unfinished);
		loop_stop();
		return;
	}
	start_ns = 0;
	begin_round();
}

static const struct generator reduce_generator = { .due = due, .fire = fire };

/* At best: one message after the other, or all of a host's at once, twice */
static double reduce_ideal_ns(void)
{
	uint32_t size = MIN_SIZE + words * sizeof(uint32_t);
	double one = ideal_ns(size);
	double wire = ideal_wire(size) * 8 / opt.rate_gbps;

	if (ring)
		return 2 * (n - 1) * one;
	return 2 * (one + (n - 2) * wire);
}

void reduce_start(void)
{
	unsigned int i;

	n = host_count;
	ring = !strcmp(opt.mode, "ring");
	words = opt.size / sizeof(uint32_t) / n;
	if (!words)
		words = 1;
	for (i = 0; i < n; i++) {
		vector[i] = malloc((size_t)words * n * sizeof(uint32_t));
		if (!vector[i])
			fatal("no memory for %u vectors", n);
	}
	deliver = took;
	/* The first round opens connections' windows */
	skipped = opt.warmup * opt.count;
	if (!skipped && opt.warmup > 0 && opt.count > 1)
		skipped = 1;
	start_ns = now_ns() + 1000000;
	generator = &reduce_generator;
	loop_run();
	report_value("reduce.p50", hist_percentile(&times, 50) / 1e3, "us");
	report_value("reduce.max", times.max / 1e3, "us");
	report_value("reduce.ideal", reduce_ideal_ns() / 1e3, "us");
}
