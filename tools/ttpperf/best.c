// SPDX-License-Identifier: GPL-2.0
/*
 * No transport, but what one could reach that knows everything at once: of all
 * messages the one with the least left is sent first, at the full rate of both
 * its hosts' links; of the others the first whose hosts are free; and so on, anew
 * whenever one begins or ends.  Nothing has to be asked for, nothing is lost,
 * no packet delays another.  (A greedy match by remaining size, with which
 * Montazeri et al. (SIGCOMM 2018) and others compare theirs.  That it is the
 * best in every case is not said; it is for the mean on one link.)
 *
 * Time is reckoned, not waited for: the clock is at the next event at once.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ttpperf.h"

/**
 * struct mail - a message on its way
 * @left: bytes on the wire that are not sent yet
 * @arrives: when it is there, ns; 0 while some of it is not sent
 * @serial: who began first, among equals
 * @from: host that sends it
 * @to: host that it is for
 * @head: its head
 * @content: its bytes
 */
struct mail {
	double		left;
	double		arrives;
	uint64_t	serial;
	uint16_t	from;
	uint16_t	to;
	struct head	head;
	const uint8_t	*content;
};

/* Those that are sent, by what is left of them, and those that are not there yet */
static struct mail *sending, *flying;
static unsigned int sending_count, flying_count, slots;	/* of each */
static bool busy_up[MAX_HOSTS], busy_down[MAX_HOSTS];
static double clock_ns = 1e9;
static uint64_t serial;

static double rate(void)
{
	return opt.rate_gbps / 8;	/* bytes in a ns */
}

/* As good as none: less than takes a ps, or any time that can be told */
static bool nothing(double bytes)
{
	return bytes <= 1e-3 || clock_ns + bytes / rate() <= clock_ns;
}

static uint64_t best_now(void)
{
	return clock_ns;
}

static void more_slots(void)
{
	/* All that is sent will fly */
	if (sending_count + flying_count < slots)
		return;
	slots = slots ? slots * 2 : 1024;
	sending = realloc(sending, slots * sizeof(*sending));
	flying = realloc(flying, slots * sizeof(*flying));
	if (!sending || !flying)
		fatal("no memory for %u messages", slots);
}

static bool before(const struct mail *a, const struct mail *b)
{
	return a->left < b->left || (a->left == b->left && a->serial < b->serial);
}

static void begin(uint16_t from, uint16_t to, const struct head *head)
{
	struct mail m = {
		.left = wire_bytes(head->length), .serial = ++serial,
		.from = from, .to = to, .head = *head, .content = content_get(head),
	};
	unsigned int i;

	more_slots();
	for (i = sending_count++; i && before(&m, &sending[i - 1]); i--)
		sending[i] = sending[i - 1];
	sending[i] = m;
}

/* Who sends now: calls @fn for each, and tells how long until one is done */
static double match(void (*fn)(struct mail *m, double ns), double ns)
{
	double first = INFINITY;
	unsigned int i;

	memset(busy_up, 0, sizeof(busy_up));
	memset(busy_down, 0, sizeof(busy_down));
	for (i = 0; i < sending_count; i++) {
		struct mail *m = &sending[i];

		if (busy_up[m->from] || busy_down[m->to])
			continue;
		busy_up[m->from] = true;
		busy_down[m->to] = true;
		first = fmin(first, m->left / rate());
		if (fn)
			fn(m, ns);
	}
	return first;
}

static void send_for(struct mail *m, double ns)
{
	m->left -= ns * rate();
}

/* What is sent is still to arrive */
static void sort_out(void)
{
	unsigned int i, kept = 0, k;

	for (i = 0; i < sending_count; i++) {
		struct mail m = sending[i];

		if (nothing(m.left)) {
			m.arrives = clock_ns + way_ns(m.head.length);
			flying[flying_count++] = m;
			continue;
		}
		/* Those that were served have moved up */
		for (k = kept++; k && before(&m, &sending[k - 1]); k--)
			sending[k] = sending[k - 1];
		sending[k] = m;
	}
	sending_count = kept;
}

static unsigned int next_arrival(void)
{
	unsigned int i, next = 0;

	for (i = 1; i < flying_count; i++)
		if (flying[i].arrives < flying[next].arrives)
			next = i;
	return next;
}

static void arrive(unsigned int i)
{
	struct mail m = flying[i];
	struct head answer;

	flying[i] = flying[--flying_count];
	call_arrived(&m.head, m.content, m.to);
	content_free(m.content);
	head_of_answer(&answer, &m.head);
	if (answer.length)
		begin(m.to, m.from, &answer);
}

/* Go on until something happens, or @due_ns */
static void best_wait(uint64_t due_ns)
{
	double done = clock_ns + match(NULL, 0);
	double there = flying_count ? flying[next_arrival()].arrives : INFINITY;
	double next = fmin(fmin(done, there), due_ns);

	if (due_ns == UINT64_MAX && isinf(done) && isinf(there))
		fatal("nothing is on its way");
	match(send_for, next - clock_ns);
	clock_ns = next;
	sort_out();
	if (next == there && next < done)
		arrive(next_arrival());
}

static void best_host(struct host *h)
{
	(void)h;
}

static void best_dial(struct host *from, struct host *to)
{
	(void)from;
	(void)to;
}

static void best_send(struct call *c)
{
	struct head head;

	head_of_call(&head, c);
	begin(c->from, c->to, &head);
}

const struct transport transport_best = {
	.name = "best", .max_size = MAX_SIZE,
	.serve = best_host, .dial = best_dial, .send = best_send,
	.now = best_now, .wait = best_wait,
};
