// SPDX-License-Identifier: GPL-2.0
/*
 * Requests that the program has received, by sender, oldest first: what it sends
 * there next answers them.  The lock of sock.c protects all of it.
 *
 * There is no way to tell which requests a program will never answer, so there
 * are so many at most, and the oldest is forgotten.  What is forgotten costs
 * nothing but that the answer, should one come, is a message of its own.
 */
#include <string.h>
#include <sys/mman.h>

#include "run.h"

#define TAGS		16384U
#define BUCKETS		4096U
#define NONE		TAGS

struct link {
	uint32_t next;
	uint32_t prev;
};

struct tag {
	const struct sock	*sock;	/* NULL: unused */
	struct sockaddr_ttp	addr;
	struct link		bucket;
	struct link		age;
};

struct list {
	uint32_t first;
	uint32_t last;
};

static struct tag *tags;
static struct list buckets[BUCKETS];
static struct list ages = { NONE, NONE };
static uint32_t unused = NONE;	/* by age.next */
static uint32_t fresh;		/* never used so far, from here on */

static uint32_t hash_of(const struct sock *s, const struct sockaddr_ttp *addr)
{
	uint32_t hash = addr->sttp_port ^ (uintptr_t)s >> 6;
	unsigned int i;

	for (i = 0; i < sizeof(addr->sttp_addr); i++)
		hash = (hash ^ addr->sttp_addr[i]) * 16777619U;
	hash = (hash ^ addr->sttp_ifindex) * 16777619U;
	return hash >> 8 & (BUCKETS - 1);
}

static bool matches(const struct tag *tag, const struct sock *s,
		    const struct sockaddr_ttp *addr)
{
	return tag->sock == s && tag->addr.sttp_port == addr->sttp_port &&
	       tag->addr.sttp_ifindex == addr->sttp_ifindex &&
	       !memcmp(tag->addr.sttp_addr, addr->sttp_addr,
		       sizeof(addr->sttp_addr));
}

static struct link *link_of(uint32_t i, bool by_age)
{
	return by_age ? &tags[i].age : &tags[i].bucket;
}

static void append(struct list *list, uint32_t i, bool by_age)
{
	struct link *link = link_of(i, by_age);

	link->next = NONE;
	link->prev = list->last;
	if (list->last == NONE)
		list->first = i;
	else
		link_of(list->last, by_age)->next = i;
	list->last = i;
}

static void unlink_from(struct list *list, uint32_t i, bool by_age)
{
	struct link *link = link_of(i, by_age);

	if (link->prev == NONE)
		list->first = link->next;
	else
		link_of(link->prev, by_age)->next = link->next;
	if (link->next == NONE)
		list->last = link->prev;
	else
		link_of(link->next, by_age)->prev = link->prev;
}

static void drop(uint32_t i)
{
	struct tag *tag = tags + i;

	unlink_from(buckets + hash_of(tag->sock, &tag->addr), i, false);
	unlink_from(&ages, i, true);
	tag->sock = NULL;
	tag->age.next = unused;
	unused = i;
}

static uint32_t get_unused(void)
{
	uint32_t i;

	if (unused == NONE && fresh < TAGS)
		return fresh++;
	if (unused == NONE)
		drop(ages.first);
	i = unused;
	unused = tags[i].age.next;
	return i;
}

void tags_add(const struct sock *s, const struct sockaddr_ttp *from)
{
	uint32_t i;

	if (!tags)
		return;
	i = get_unused();
	tags[i].sock = s;
	tags[i].addr = *from;
	append(buckets + hash_of(s, from), i, false);
	append(&ages, i, true);
}

/* Make @to the answer to the oldest request from there; false: there is none */
bool tags_take(const struct sock *s, struct sockaddr_ttp *to)
{
	uint32_t i = tags ? buckets[hash_of(s, to)].first : NONE;

	while (i != NONE && !matches(tags + i, s, to))
		i = tags[i].bucket.next;
	if (i == NONE)
		return false;
	to->sttp_rpc = tags[i].addr.sttp_rpc;
	drop(i);
	return true;
}

/* It was not answered after all, and is the oldest again */
void tags_put_back(const struct sock *s, const struct sockaddr_ttp *to)
{
	struct list *bucket = buckets + hash_of(s, to);
	uint32_t first = bucket->first, i;

	tags_add(s, to);
	i = bucket->last;
	if (!tags || first == NONE || i == first || bucket->first != first)
		return;
	unlink_from(bucket, i, false);
	tags[i].bucket.prev = NONE;
	tags[i].bucket.next = first;
	tags[first].bucket.prev = i;
	bucket->first = i;
}

/* Those of an address, or of a socket */
void tags_drop(const struct sock *s, const struct sockaddr_ttp *addr)
{
	uint32_t i = ages.first, next;

	for (; tags && i != NONE; i = next) {
		next = tags[i].age.next;
		if (tags[i].sock == s && (!addr || matches(tags + i, s, addr)))
			drop(i);
	}
}

void tags_init(void)
{
	unsigned int i;

	for (i = 0; i < BUCKETS; i++)
		buckets[i] = (struct list){ NONE, NONE };
	tags = mmap(NULL, TAGS * sizeof(*tags), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (tags == MAP_FAILED)
		tags = NULL;
}
