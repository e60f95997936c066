// SPDX-License-Identifier: GPL-2.0
/*
 * The receiver's decision; see sched.h.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "sched.h"
#include "wire.h"

/*
 * A message does not live for long, and its sender knows exactly; the network
 * is for all messages of a peer, and delays mean less.
 */
#define TTP_SCHED_UPLINK_GAIN	4U
#define TTP_SCHED_PATH_GAIN	16U
#define TTP_SCHED_ALL_GAIN	4U
/* By which all that is granted grows with each round, bytes */
#define TTP_SCHED_ALL_STEP	256U

bool ttp_sched_slowed(const struct ttp_sched_peer *peer)
{
	return READ_ONCE(peer->path.bytes);
}

void ttp_sched_init(struct ttp_sched *s)
{
	ttp_srpt_init(&s->peers);
	INIT_LIST_HEAD(&s->by_age);
	s->incoming = 0;
	s->senders = 0;
	s->longest = 0;
	memset(&s->all, 0, sizeof(s->all));
	s->owed = 0;
	memset(s->closing, 0, sizeof(s->closing));
}

void ttp_sched_peer_init(struct ttp_sched_peer *peer)
{
	memset(peer, 0, sizeof(*peer));
	ttp_srpt_init(&peer->queue);
}

/* How far ahead of what has arrived its sender should be */
static u32 ttp_sched_window(const struct ttp_sched_msg *msg)
{
	return min(ttp_share_of(&msg->uplink, msg->window),
		   ttp_share_of(&msg->peer->path, msg->window));
}

static void ttp_sched_learn_uplink(struct ttp_sched_msg *msg,
				   const struct ttp_sched_news *news)
{
	struct ttp_share_rule rule = {
		.floor = news->packet,
		.step = news->packet,
		.gain = TTP_SCHED_UPLINK_GAIN,
	};
	bool stuck;

	/* At full rate half of a window of two round trips is on its way */
	stuck = news->unsent >
		ttp_share_of(&msg->uplink, msg->window) / 4 * 3;
	ttp_share_arrived(&msg->uplink, news->bytes, stuck, msg->window, &rule);
}

/*
 * Switches with little memory have no room for what many senders may send at the
 * same time.  A window at least keeps the link busy.  It takes long to grow
 * again, as nothing but the next losses tells that it was too soon.
 */
static void ttp_sched_learn_all(struct ttp_sched *s, u32 overcommit,
				const struct ttp_sched_news *news)
{
	struct ttp_share_rule rule = {
		.floor = s->longest,
		.step = TTP_SCHED_ALL_STEP,
		.gain = TTP_SCHED_ALL_GAIN,
	};

	ttp_share_arrived(&s->all, news->bytes, news->again,
			  s->longest * overcommit, &rule);
}

/* What has no target is not judged, nor what goes before all that was granted */
static void ttp_sched_learn_path(struct ttp_sched_msg *msg,
				 const struct ttp_sched_news *news)
{
	struct ttp_share_rule rule = {
		.floor = news->packet,
		.step = news->packet,
		.gain = TTP_SCHED_PATH_GAIN,
	};
	struct ttp_sched_peer *peer = msg->peer;

	if (!news->judged) {
		WRITE_ONCE(peer->path.bytes, 0);
		peer->path.alpha = 0;
		peer->late = false;
		return;
	}
	if (!news->granted)
		return;
	if (news->timed)
		peer->late = news->late;
	ttp_share_arrived(&peer->path, news->bytes, peer->late, msg->window,
			  &rule);
}

void ttp_sched_learn(struct ttp_sched *s, struct ttp_sched_msg *msg,
		     u32 overcommit, const struct ttp_sched_news *news)
{
	ttp_sched_learn_uplink(msg, news);
	ttp_sched_learn_path(msg, news);
	if (s->longest)
		ttp_sched_learn_all(s, overcommit, news);
}

/*
 * Bytes of a message that are still to come although they were granted.  A rest
 * that is too small for a packet comes with the next grant only.
 */
static u32 ttp_sched_ahead(const struct ttp_sched_msg *msg)
{
	u32 ahead = msg->granted - min(msg->granted, msg->received);

	if (msg->granted < msg->len && ahead < TTP_WIRE_MIN_SEGMENT)
		return 0;
	return ahead;
}

static void ttp_sched_count(struct ttp_sched *s, struct ttp_sched_msg *msg)
{
	u32 count = msg->stalled ? 0 : ttp_sched_ahead(msg);

	s->incoming += count;
	s->incoming -= msg->counted;
	msg->counted = count;
}

/*
 * Having all of its grants it is no longer among those that are ranked, and yet
 * has less left than they.
 */
static void ttp_sched_close(struct ttp_sched *s, struct ttp_sched_msg *msg)
{
	bool closing = !msg->stalled && msg->granted == msg->len &&
		       msg->received < msg->len;

	if (msg->closing)
		s->closing[msg->closing - 1]--;
	msg->closing = closing ? 1 + msg->lowest : 0;
	if (closing)
		s->closing[msg->lowest]++;
}

/* A sender is where the first of its messages belongs */
static void ttp_sched_place_peer(struct ttp_sched *s,
				 struct ttp_sched_peer *peer)
{
	const struct ttp_srpt_node *first = ttp_srpt_first(&peer->queue);

	if (!first) {
		ttp_srpt_del(&s->peers, &peer->node);
		return;
	}
	/* Ties are rare, and not worth another birth */
	ttp_srpt_put(&s->peers, &peer->node, first->left, 0);
}

static void ttp_sched_place(struct ttp_sched *s, struct ttp_sched_msg *msg)
{
	bool wants = msg->granted < msg->len && !msg->stalled && !msg->blocked;

	if (wants && !msg->node.in)
		list_add_tail(&msg->age, &s->by_age);
	else if (!wants && msg->node.in)
		list_del(&msg->age);
	if (wants)
		ttp_srpt_put(&msg->peer->queue, &msg->node,
			     msg->len - msg->received, 0);
	else
		ttp_srpt_del(&msg->peer->queue, &msg->node);
	ttp_sched_place_peer(s, msg->peer);
	ttp_sched_count(s, msg);
	ttp_sched_close(s, msg);
}

void ttp_sched_add(struct ttp_sched *s, struct ttp_sched_peer *peer,
		   struct ttp_sched_msg *msg)
{
	msg->peer = peer;
	if (!peer->msgs++)
		s->senders++;
	memset(&msg->uplink, 0, sizeof(msg->uplink));
	msg->counted = 0;
	/* What goes without a grant goes before all others */
	msg->lowest = TTP_LEVELS - 1;
	msg->closing = 0;
	msg->favoured = false;
	msg->stalled = false;
	msg->blocked = false;
	msg->node.in = false;
	ttp_sched_place(s, msg);
}

void ttp_sched_arrived(struct ttp_sched *s, struct ttp_sched_msg *msg,
		       u32 received)
{
	msg->received = received;
	msg->stalled = false;
	ttp_sched_place(s, msg);
}

void ttp_sched_stall(struct ttp_sched *s, struct ttp_sched_msg *msg)
{
	msg->stalled = true;
	ttp_sched_place(s, msg);
}

void ttp_sched_block(struct ttp_sched *s, struct ttp_sched_msg *msg,
		     u32 granted)
{
	msg->granted = granted;
	msg->blocked = true;
	ttp_sched_place(s, msg);
}

void ttp_sched_unblock(struct ttp_sched *s, struct ttp_sched_msg *msg,
		       u32 granted)
{
	msg->granted = max(msg->granted, granted);
	msg->blocked = false;
	ttp_sched_place(s, msg);
}

void ttp_sched_lowest(struct ttp_sched *s, struct ttp_sched_msg *msg,
		      u8 lowest)
{
	msg->lowest = lowest;
	ttp_sched_close(s, msg);
}

void ttp_sched_levelled(struct ttp_sched_msg *msg, u8 level)
{
	if (level < msg->level)
		msg->favoured = false;
	msg->level = level;
}

void ttp_sched_del(struct ttp_sched *s, struct ttp_sched_msg *msg)
{
	if (!msg->peer)
		return;
	msg->stalled = true;
	ttp_sched_place(s, msg);
	if (!--msg->peer->msgs)
		s->senders--;
	msg->peer = NULL;
}

static struct ttp_sched_msg *ttp_sched_msg_of(struct ttp_srpt_node *node)
{
	return container_of(node, struct ttp_sched_msg, node);
}

/*
 * The lowest levels for those that are granted, the one with the least left
 * highest: whoever is before them next finds a level above.
 */
static u8 ttp_sched_level(unsigned int rank, unsigned int active, u8 levels)
{
	unsigned int top = min_t(unsigned int, active, levels);

	return rank < top ? top - 1 - rank : 0;
}

static void ttp_sched_grant(struct ttp_sched *s, struct ttp_sched_msg *msg,
			    u32 granted, u8 level)
{
	msg->granted = granted;
	msg->level = level;
	msg->lowest = min(msg->lowest, level);
	ttp_sched_place(s, msg);
}

/*
 * Grant a message a window, as far as the limit for all allows; whether it got
 * any.  A few packets ahead per GRANT are enough to keep the sender going.
 */
static bool ttp_sched_give(struct ttp_sched *s, struct ttp_sched_msg *msg,
			   u64 limit, u8 level)
{
	u32 window = ttp_sched_window(msg);
	u64 want = min_t(u64, msg->len, (u64)msg->received + window);

	want = min(want, msg->granted + limit - min(limit, s->incoming));
	if (want <= msg->granted ||
	    (want < msg->len &&
	     (want - msg->granted < min_t(u64, window, limit) / 4 ||
	      want < msg->received + TTP_WIRE_MIN_SEGMENT)))
		return false;
	ttp_sched_grant(s, msg, want, level);
	return true;
}

/*
 * What the oldest message was granted may wait in a switch behind all others:
 * grant it a little more than a window, to overtake that; whether it got any.
 */
static bool ttp_sched_favour(struct ttp_sched *s, struct ttp_sched_msg *msg,
			     u64 limit, u8 level)
{
	u64 most = min_t(u64, msg->len, (u64)msg->received +
					ttp_sched_window(msg) +
					2 * TTP_SRPT_QUANTUM);
	u64 more = min_t(u64, TTP_SRPT_QUANTUM,
			 most - min_t(u64, most, msg->granted));

	more = min(more, limit - min(limit, s->incoming));
	if (!more || (msg->granted + more < msg->len &&
		      (more < min_t(u64, TTP_SRPT_QUANTUM, limit) / 4 ||
		       more < TTP_WIRE_MIN_SEGMENT)))
		return false;
	msg->favoured = true;
	ttp_sched_grant(s, msg, msg->granted + more, level);
	return true;
}

/* The first message of each of the first senders */
static unsigned int ttp_sched_firsts(const struct ttp_sched *s,
				     const struct ttp_sched_rules *rules,
				     struct ttp_sched_msg **firsts)
{
	struct ttp_srpt_node *node = ttp_srpt_first(&s->peers);
	struct ttp_sched_peer *peer;
	unsigned int n = 0;

	for (; node && n < min(rules->overcommit, TTP_SCHED_MAX); node = ttp_srpt_after(node)) {
		peer = container_of(node, struct ttp_sched_peer, node);
		firsts[n++] = ttp_sched_msg_of(ttp_srpt_first(&peer->queue));
	}
	return n;
}

/* The share of the message that is the oldest, when enough has come together */
static struct ttp_sched_msg *ttp_sched_share(struct ttp_sched *s, u64 limit,
					     struct ttp_sched_msg **firsts,
					     unsigned int active, u8 levels)
{
	struct ttp_sched_msg *msg;
	unsigned int i;
	u32 before;

	/* Nothing is owed unless there is one */
	if (s->owed < (s64)TTP_SRPT_QUANTUM)
		return NULL;
	msg = list_first_entry(&s->by_age, struct ttp_sched_msg, age);
	/* Some have their turn anyway, before all others or in a line with them */
	for (i = 0; i < active; i++)
		if (firsts[i] == msg &&
		    (!i || ttp_sched_level(i, active, levels) == levels - 1))
			return NULL;
	before = msg->granted;
	if (!ttp_sched_favour(s, msg, limit, levels - 1))
		return NULL;
	s->owed -= msg->granted - before;
	return msg;
}

/* Is what a message was granted last still to overtake what it was before? */
static bool ttp_sched_frozen(struct ttp_sched_msg *msg, unsigned int rank)
{
	msg->favoured &= rank && ttp_sched_ahead(msg);
	return msg->favoured;
}

static u64 ttp_sched_limit(struct ttp_sched *s,
			   const struct ttp_sched_rules *rules,
			   struct ttp_sched_msg **firsts, unsigned int active)
{
	u32 longest = 0;
	unsigned int i;

	for (i = 0; i < active; i++)
		longest = max(longest, firsts[i]->window);
	if (active)
		s->longest = longest;
	if (rules->incoming)
		return rules->incoming;
	return ttp_share_of(&s->all, longest * rules->overcommit);
}

/*
 * One of the first senders' messages, by its rank; whether it got any.  All that
 * is given makes for the share of the oldest.
 */
static bool ttp_sched_turn(struct ttp_sched *s, struct ttp_sched_msg *msg,
			   unsigned int rank, u64 limit, u8 level)
{
	u32 before = msg->granted;

	if (ttp_sched_frozen(msg, rank) ||
	    !ttp_sched_give(s, msg, limit, level))
		return false;
	s->owed = min_t(s64, s->owed + (msg->granted - before) / TTP_SRPT_SHARE,
			2 * TTP_SRPT_QUANTUM);
	return true;
}

/*
 * The levels of a moment are not those of the next.  What has more left must not
 * overtake what is on its way at a level that has become too low: that would
 * wait for as long as others fill the link.
 */
static u8 ttp_sched_ceiling(const struct ttp_sched *s)
{
	u8 level;

	for (level = 0; level < TTP_LEVELS - 1; level++)
		if (s->closing[level])
			break;
	return level;
}

unsigned int ttp_sched_run(struct ttp_sched *s,
			   const struct ttp_sched_rules *rules,
			   struct ttp_sched_msg *picks[TTP_SCHED_PICKS],
			   bool *again)
{
	struct ttp_sched_msg *firsts[TTP_SCHED_MAX], *msg;
	u8 level, ceiling = ttp_sched_ceiling(s);
	unsigned int i, n, active;
	bool given;
	u64 limit;

	active = ttp_sched_firsts(s, rules, firsts);
	if (!active)
		s->owed = 0;
	limit = ttp_sched_limit(s, rules, firsts, active);
	picks[0] = ttp_sched_share(s, limit, firsts, active, rules->levels);
	n = picks[0] ? 1 : 0;
	*again = n && picks[0]->granted == picks[0]->len;
	for (i = 0; i < active; i++) {
		msg = firsts[i];
		level = ttp_sched_level(i, active, rules->levels);
		given = ttp_sched_turn(s, msg, i, limit, min(level, ceiling));
		if (ttp_sched_ahead(msg))
			ceiling = min(ceiling, msg->lowest);
		if (!given)
			continue;
		*again |= msg->granted == msg->len;
		picks[n++] = msg;
	}
	return n;
}
