// SPDX-License-Identifier: GPL-2.0
/*
 * Calls, and the messages they consist of.
 */
#include <stdlib.h>
#include <string.h>

#include "ttpperf.h"

static struct call *calls;
/* The ring of free ids begins at free_at: one that was used comes last */
static uint32_t call_slots, *free_ids, free_at, free_count, serial;
uint64_t calls_open;

void (*deliver)(const struct head *head, const void *buf, uint16_t at);

static void more_calls(void)
{
	uint32_t n = call_slots ? call_slots * 2 : 1024, i;

	calls = realloc(calls, n * sizeof(*calls));
	free_ids = realloc(free_ids, n * sizeof(*free_ids));
	if (!calls || !free_ids)
		fatal("no memory for %u calls", n);
	memset(calls + call_slots, 0, (n - call_slots) * sizeof(*calls));
	/* only called when the ring is empty */
	for (i = call_slots; i < n; i++)
		free_ids[free_count++] = i;
	free_at = 0;
	call_slots = n;
}

/* The pointer is good until the next call is made */
struct call *call_new(uint16_t from, uint16_t to, uint32_t size,
		      uint32_t answer)
{
	struct call *c;

	if (!free_count)
		more_calls();
	c = &calls[free_ids[free_at]];
	free_at = (free_at + 1) % call_slots;
	free_count--;
	memset(c, 0, sizeof(*c));
	c->id = c - calls;
	c->from = from;
	c->to = to;
	c->size = size < MIN_SIZE ? MIN_SIZE : size;
	c->answer = answer < MIN_SIZE ? MIN_SIZE : answer;
	c->used = true;
	c->serial = ++serial;
	if (opt.oneway)
		c->kind = hosts[to].local ? KIND_ONEWAY : KIND_SHORT;
	else if (c->answer == c->size)
		c->kind = KIND_ECHO;
	else
		c->kind = c->answer == MIN_SIZE ? KIND_SHORT : KIND_SIZED;
	if (c->kind == KIND_SIZED && c->size < sizeof(struct head))
		c->size = sizeof(struct head);
	if (c->kind == KIND_SHORT)
		c->answer = MIN_SIZE;
	return c;
}

struct call *call_find(uint32_t id)
{
	return id < call_slots && calls[id].used ? &calls[id] : NULL;
}

void call_begin(struct call *c, uint64_t began_ns)
{
	c->began_ns = began_ns;
	calls_open++;
	report_offered(c);
	opt.transport->send(c);
}

void call_end(struct call *c, int error)
{
	struct call copy = *c;
	uint64_t now = now_ns();

	if (error)
		report_failed(c, error, now);
	else
		report_call(c, now);
	calls_open--;
	c->used = false;
	free_ids[(free_at + free_count++) % call_slots] = c->id;
	if (generator && generator->ended)
		generator->ended(&copy, error);
}

void call_each_open(void (*fn)(const struct call *c, uint64_t now_ns))
{
	uint64_t now = now_ns();
	uint32_t i;

	for (i = 0; i < call_slots; i++)
		if (calls[i].used)
			fn(&calls[i], now);
}

/* A whole message has come to host @at; servers answer those of other kinds */
void call_arrived(const struct head *head, const void *buf, uint16_t at)
{
	struct call *c;

	if (head->pattern && !content_check(head, buf))
		report_wrong();
	if (deliver) {
		deliver(head, buf, at);
		return;
	}
	if (head->kind != KIND_ANSWER && head->kind != KIND_ONEWAY)
		return;
	c = call_find(head->id);
	/* A server that is not ours may be sent one-way messages by others */
	if (c && (head->kind == KIND_ANSWER || c->kind == KIND_ONEWAY))
		call_end(c, 0);
}

uint32_t head_size(const struct head *head)
{
	return head->kind == KIND_SIZED ? sizeof(*head) : MIN_SIZE;
}

/* Is it a message of ours, of so many bytes? */
bool head_valid(const struct head *head, size_t length)
{
	return length >= MIN_SIZE && head->length == length &&
	       length >= head_size(head) && length <= MAX_SIZE &&
	       head->kind <= KIND_ANSWER &&
	       (head->kind != KIND_SIZED || head->answer <= MAX_SIZE);
}

void head_of_call(struct head *out, const struct call *c)
{
	*out = (struct head){
		.length = c->size, .kind = c->kind, .pattern = opt.verify,
		.id = c->id, .answer = c->answer,
	};
}

/* Bytes to answer, 0 for none */
uint32_t head_answer(const struct head *head)
{
	switch (head->kind) {
	case KIND_ECHO:
		return head->length;
	case KIND_SHORT:
		return MIN_SIZE;
	case KIND_SIZED:
		return head->answer < MIN_SIZE ? MIN_SIZE : head->answer;
	default:
		return 0;
	}
}

void head_of_answer(struct head *out, const struct head *request)
{
	*out = (struct head){
		.length = head_answer(request), .kind = KIND_ANSWER,
		.pattern = request->pattern, .id = request->id,
	};
}

/* ---- content */

static uint8_t zeros[MAX_SIZE];

static uint64_t content_word(const struct head *head, uint32_t at)
{
	uint64_t x = ((uint64_t)head->id << 32 | head->kind) + at;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	return x ^ (x >> 31);
}

const uint8_t *content_get(const struct head *head)
{
	uint32_t at = head_size(head), n;
	uint8_t *bytes;
	uint64_t word;

	if (deliver)
		return reduce_content(head);
	if (!head->pattern)
		return zeros;
	bytes = malloc(head->length);
	if (!bytes)
		fatal("no memory for a message of %u bytes", head->length);
	for (; at < head->length; at += n) {
		n = head->length - at < 8 ? head->length - at : 8;
		word = content_word(head, at);
		memcpy(bytes + at, &word, n);
	}
	return bytes;
}

/* Will somebody look at it? */
bool content_wanted(const struct head *head)
{
	return deliver || head->pattern;
}

bool content_check(const struct head *head, const uint8_t *buf)
{
	uint32_t at = head_size(head), n;
	uint64_t word;

	for (; at < head->length; at += n) {
		n = head->length - at < 8 ? head->length - at : 8;
		word = content_word(head, at);
		if (memcmp(buf + at, &word, n))
			return false;
	}
	return true;
}

void content_free(const uint8_t *bytes)
{
	if (bytes && (bytes < zeros || bytes >= zeros + sizeof(zeros)))
		free((void *)bytes);
}
