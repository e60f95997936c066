// SPDX-License-Identifier: GPL-2.0
/*
 * Peers: table, incarnations, timer.
 */
#include <linux/etherdevice.h>
#include <linux/slab.h>
#include <trace/events/ttp.h>

#include "netlink.h"
#include "peer.h"

static const struct rhashtable_params ttp_peer_table = {
	.key_len		= sizeof(struct ttp_peer_key),
	.key_offset		= offsetof(struct ttp_peer, key),
	.head_offset		= offsetof(struct ttp_peer, hash),
	.automatic_shrinking	= true,
};

static enum hrtimer_restart (*ttp_peer_timer_fn)(struct hrtimer *timer);

void ttp_peer_hooks(enum hrtimer_restart (*fn)(struct hrtimer *timer))
{
	ttp_peer_timer_fn = fn;
}

int ttp_peer_net_init(struct ttp_net *tn)
{
	return rhashtable_init(&tn->peers, &ttp_peer_table);
}

void ttp_peer_net_exit(struct ttp_net *tn)
{
	rhashtable_destroy(&tn->peers);
}

static void ttp_peer_key(struct ttp_peer_key *key, struct ttp_link *link,
			 const u8 *mac)
{
	memset(key, 0, sizeof(*key));
	key->link = link;
	ether_addr_copy(key->mac, mac);
}

static struct ttp_peer *ttp_peer_lookup(const struct ttp_peer_key *key)
{
	struct ttp_peer *peer;

	peer = rhashtable_lookup(&key->link->tn->peers, key, ttp_peer_table);
	if (peer && !refcount_inc_not_zero(&peer->refcnt))
		peer = NULL;
	return peer;
}

struct ttp_peer *ttp_peer_find(struct ttp_link *link, const u8 *mac)
{
	struct ttp_peer_key key;

	ttp_peer_key(&key, link, mac);
	return ttp_peer_lookup(&key);
}

static void ttp_peer_free_rcu(struct rcu_head *rcu)
{
	struct ttp_peer *peer = container_of(rcu, struct ttp_peer, rcu);

	ttp_ranges_free(&peer->seen);
	kfree(peer);
}

void ttp_peer_put(struct ttp_peer *peer)
{
	if (!refcount_dec_and_test(&peer->refcnt))
		return;
	ttp_link_put(peer->key.link);
	call_rcu(&peer->rcu, ttp_peer_free_rcu);
}

static struct ttp_peer *ttp_peer_alloc(const struct ttp_peer_key *key,
				       gfp_t gfp)
{
	struct ttp_peer *peer;
	u64 ticks;

	peer = kzalloc_obj(*peer, gfp | __GFP_ACCOUNT | __GFP_NOWARN);
	if (!peer)
		return NULL;
	peer->key = *key;
	ttp_link_get(key->link);
	INIT_LIST_HEAD(&peer->link_node);
	ttp_sched_peer_init(&peer->sched);
	INIT_LIST_HEAD(&peer->open);
	INIT_LIST_HEAD(&peer->served);
	INIT_LIST_HEAD(&peer->done);
	refcount_set(&peer->refcnt, 2);		/* the table's, the caller's */
	spin_lock_init(&peer->lock);
	peer->mtu = TTP_WIRE_DEFAULT_MTU;
	peer->cutoffs = ttp_level_defaults;
	peer->forgot_ns = READ_ONCE(key->link->forgot_ns);
	/*
	 * Ids advance by 2 an RPC, and there is less than one RPC a ns: so a
	 * peer that was forgotten never sees one of its old ids again.
	 */
	ticks = ktime_get_ns() - key->link->born_ns;
	peer->next_id = key->link->id_base + 2 * (ticks + 1);
	ttp_ranges_init(&peer->seen, TTP_PEER_MAX_HOLES);
	timerqueue_init_head(&peer->queue);
	hrtimer_setup(&peer->timer, ttp_peer_timer_fn, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
	return peer;
}

/* An idle peer, not heard of for a while, that may make room for another */
static struct ttp_peer *ttp_peer_idle(struct ttp_link *link)
{
	u64 now_ns = ktime_get_ns();
	struct ttp_peer *peer, *idle = NULL;
	unsigned int tries = 16;

	spin_lock_bh(&link->peer_lock);
	list_for_each_entry(peer, &link->peers, link_node) {
		if (!tries--)
			break;
		if (READ_ONCE(peer->rpcs_in) || READ_ONCE(peer->rpcs_out) ||
		    now_ns - READ_ONCE(peer->heard_ns) < TTP_PEER_EVICT_NS ||
		    !refcount_inc_not_zero(&peer->refcnt))
			continue;
		idle = peer;
		break;
	}
	/* Look at others next time */
	if (!list_entry_is_head(peer, &link->peers, link_node))
		list_rotate_to_front(&peer->link_node, &link->peers);
	spin_unlock_bh(&link->peer_lock);
	return idle;
}

static bool ttp_peer_make_room(struct ttp_link *link)
{
	struct ttp_net *tn = link->tn;
	struct ttp_peer *idle;
	bool done = false;

	if (atomic_read(&tn->peer_count) < READ_ONCE(tn->params.max_peers))
		return true;
	idle = ttp_peer_idle(link);
	if (idle) {
		done = ttp_peer_unhash(idle, true);
		ttp_peer_put(idle);
	}
	if (!done) {
		TTP_INC(link, PEER_LIMIT);
		ttp_netlink_limit_event(tn, TTP_NL_LIMIT_MAX_PEERS, link, NULL);
	}
	return done;
}

struct ttp_peer *ttp_peer_create(struct ttp_link *link, const u8 *mac,
				 gfp_t gfp)
{
	struct ttp_peer *peer, *old;
	struct ttp_peer_key key;

	ttp_peer_key(&key, link, mac);
	peer = ttp_peer_lookup(&key);
	if (peer)
		return peer;
	if (!ttp_peer_make_room(link))
		return ERR_PTR(-ENOBUFS);
	peer = ttp_peer_alloc(&key, gfp);
	if (!peer)
		return ERR_PTR(-ENOMEM);
	atomic_inc(&link->tn->peer_count);

	/* Under the lock that ttp_end_link() empties the list with */
	spin_lock_bh(&link->peer_lock);
	if (link->ending)
		old = ERR_PTR(-ENETUNREACH);
	else
		old = rhashtable_lookup_get_insert_fast(&link->tn->peers,
							&peer->hash,
							ttp_peer_table);
	if (!old)
		list_add_tail(&peer->link_node, &link->peers);
	else if (!IS_ERR(old) && !refcount_inc_not_zero(&old->refcnt))
		old = ERR_PTR(-ENOMEM);
	spin_unlock_bh(&link->peer_lock);

	if (!old) {
		TTP_INC(link, PEER_NEW);
		trace_ttp_peer_new(peer);
		return peer;
	}
	atomic_dec(&link->tn->peer_count);
	refcount_set(&peer->refcnt, 1);		/* never was in the table */
	ttp_peer_put(peer);
	return old;
}

bool ttp_peer_unhash(struct ttp_peer *peer, bool only_idle)
{
	struct ttp_link *link = peer->key.link;
	bool gone, timer = false;

	spin_lock_bh(&peer->lock);
	gone = !peer->dead &&
	       !(only_idle && (peer->rpcs_in || peer->rpcs_out));
	if (gone) {
		peer->dead = true;
		if (peer->seen.prefix)
			WRITE_ONCE(link->forgot_ns, ktime_get_ns());
		timer = ttp_peer_disarm(peer);
		/* Together with being dead: who finds it may count on it */
		rhashtable_remove_fast(&link->tn->peers, &peer->hash,
				       ttp_peer_table);
	}
	spin_unlock_bh(&peer->lock);
	if (!gone)
		return false;

	spin_lock_bh(&link->peer_lock);
	list_del_init(&peer->link_node);
	spin_unlock_bh(&link->peer_lock);
	atomic_dec(&link->tn->peer_count);
	if (timer)
		ttp_peer_put(peer);
	ttp_peer_put(peer);
	return true;
}

void ttp_peer_arm(struct ttp_peer *peer, u64 when_ns)
{
	lockdep_assert_held(&peer->lock);

	if (peer->dead || (peer->timer_ns && peer->timer_ns <= when_ns))
		return;
	/* One reference, whether it is queued, runs, or both */
	if (!peer->timer_held)
		ttp_peer_get(peer);
	peer->timer_held = true;
	peer->timer_ns = when_ns;
	hrtimer_start(&peer->timer, ns_to_ktime(when_ns),
		      HRTIMER_MODE_ABS_SOFT);
}

bool ttp_peer_disarm(struct ttp_peer *peer)
{
	lockdep_assert_held(&peer->lock);

	peer->timer_ns = 0;
	if (!peer->timer_held || hrtimer_try_to_cancel(&peer->timer) < 0)
		return false;
	peer->timer_held = false;
	return true;
}

bool ttp_peer_disarmed(struct ttp_peer *peer)
{
	lockdep_assert_held(&peer->lock);

	/* Queued under the lock only, and not fired again while it runs */
	if (hrtimer_is_queued(&peer->timer))
		return false;
	peer->timer_held = false;
	return true;
}

bool ttp_peer_used(const struct ttp_peer *peer, u64 number)
{
	u64 start, end;

	lockdep_assert_held(&peer->lock);

	return !ttp_ranges_gap(&peer->seen, number, number + 1, &start, &end);
}

int ttp_peer_uses(struct ttp_peer *peer, u64 number, u32 una)
{
	struct ttp_ranges *seen = &peer->seen;
	u64 start, end;
	int err;

	lockdep_assert_held(&peer->lock);

	if (una <= number)
		ttp_ranges_raise(seen, number - una);
	if (ttp_peer_used(peer, number))
		return 0;
	err = ttp_ranges_add(seen, number, number + 1);
	if (err != -ENOSPC ||
	    !ttp_ranges_gap(seen, seen->prefix, U64_MAX, &start, &end))
		return err;
	ttp_ranges_raise(seen, end);
	return ttp_peer_used(peer, number) ?
	       0 : ttp_ranges_add(seen, number, number + 1);
}

void ttp_peer_refuses(struct ttp_peer *peer, u64 number)
{
	lockdep_assert_held(&peer->lock);

	peer->refused[peer->refused_at] = number;
	peer->refused_at = (peer->refused_at + 1) % TTP_PEER_REFUSED;
}

bool ttp_peer_refused(const struct ttp_peer *peer, u64 number)
{
	unsigned int i;

	lockdep_assert_held(&peer->lock);

	for (i = 0; i < TTP_PEER_REFUSED; i++)
		if (peer->refused[i] == number)
			return true;
	return false;
}

bool ttp_peer_epoch_old(const struct ttp_peer *peer, u32 epoch)
{
	unsigned int i;

	lockdep_assert_held(&peer->lock);

	for (i = 0; i < TTP_PEER_OLD_EPOCHS; i++)
		if (peer->old_epochs[i] == epoch)
			return true;
	return false;
}

u32 ttp_peer_set_epoch(struct ttp_peer *peer, u32 epoch)
{
	u32 old = peer->epoch;

	lockdep_assert_held(&peer->lock);

	if (old == epoch)
		return 0;
	WRITE_ONCE(peer->epoch, epoch);
	if (!old)
		return 0;
	memmove(peer->old_epochs + 1, peer->old_epochs,
		sizeof(peer->old_epochs) - sizeof(peer->old_epochs[0]));
	peer->old_epochs[0] = old;
	/* Whatever it used to be, it starts afresh */
	ttp_ranges_free(&peer->seen);
	memset(peer->refused, 0, sizeof(peer->refused));
	peer->crc_free = false;
	peer->fresh = false;
	peer->ack_count = 0;
	peer->ack_due_ns = 0;
	WRITE_ONCE(peer->rtt.srtt_ns, 0);	/* the next sample is the first */
	WRITE_ONCE(peer->min_rtt.ns, 0);
	WRITE_ONCE(peer->min_path.ns, 0);
	peer->answer.srtt_ns = 0;
	peer->credit = 0;
	WRITE_ONCE(peer->lossy_ns, 0);
	ttp_peer_set_cutoffs(peer, 0, 0, &ttp_level_defaults);
	WRITE_ONCE(peer->mtu, TTP_WIRE_DEFAULT_MTU);
	return old;
}

void ttp_peer_set_cutoffs(struct ttp_peer *peer, u8 version, u32 limit,
			  const struct ttp_level_cutoffs *cutoffs)
{
	lockdep_assert_held(&peer->lock);

	WRITE_ONCE(peer->limit, limit);
	peer->cutoffs = *cutoffs;
	WRITE_ONCE(peer->cutoffs_version, version);
}

u8 ttp_peer_level(struct ttp_peer *peer, u32 len)
{
	u8 levels = READ_ONCE(peer->key.link->config.levels);
	u8 level;

	spin_lock(&peer->lock);
	level = ttp_level_unsched(levels, &peer->cutoffs, len);
	spin_unlock(&peer->lock);
	return level;
}

u32 ttp_peer_unsched(const struct ttp_peer *peer, u32 len)
{
	const struct ttp_link *link = peer->key.link;
	u32 announce = READ_ONCE(link->config.announce);
	u32 limit = READ_ONCE(link->config.unsched);

	if (limit)
		limit = max(limit, READ_ONCE(link->mtu));
	else
		limit = ttp_link_bdp(link, READ_ONCE(peer->min_rtt.ns));
	/* One that has to wait for a grant anyway may as well wait sooner */
	if (announce && len > limit)
		limit = min(limit, max(announce, READ_ONCE(link->mtu)));
	return limit;
}

u32 ttp_peer_target(const struct ttp_peer *peer)
{
	u32 delay_ns = READ_ONCE(peer->key.link->config.delay_ns);
	u32 rtt_ns = READ_ONCE(peer->min_path.ns);

	/* Without a rate nobody knows whether it waits before this link */
	if (!rtt_ns || delay_ns == TTP_DELAY_OFF ||
	    !ttp_link_rate(peer->key.link))
		return 0;
	/* As much as a round trip in queues keeps the link busy in any case */
	if (!delay_ns)
		delay_ns = max(rtt_ns, TTP_AUTO_DELAY_NS);
	/* Paths that differ in length are no queues */
	return min_t(u64, U32_MAX, (u64)rtt_ns + delay_ns +
				   READ_ONCE(peer->reorder.late_ns));
}

u32 ttp_peer_window(const struct ttp_peer *peer)
{
	const struct ttp_link *link = peer->key.link;
	u32 own = READ_ONCE(link->config.window);
	u32 rtt_ns;

	if (own)
		return max(own, READ_ONCE(link->mtu));
	rtt_ns = READ_ONCE(peer->min_rtt.ns);
	/* The shortest path is not the only one if packets overtake others */
	if (rtt_ns)
		rtt_ns += READ_ONCE(peer->reorder.late_ns);
	/* A GRANT comes for a quarter of it */
	return 2 * ttp_link_bdp(link, rtt_ns);
}
