/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints of TTP: packets, states of RPCs, and each decision of receiver,
 * timer and recovery.  What is dropped is seen at skb:kfree_skb, and counted.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ttp

#if !defined(_TRACE_TTP_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_TTP_H

#include <linux/if_ether.h>
#include <linux/tracepoint.h>

struct ttp_cutoffs;
struct ttp_link;
struct ttp_packet;
struct ttp_peer;
struct ttp_rpc;
struct ttp_sched_news;

#define ttp_trace_types							\
	{ 1, "DATA" }, { 2, "GRANT" }, { 3, "RESEND" }, { 4, "ACK" },	\
	{ 5, "BUSY" }, { 6, "UNKNOWN" }, { 7, "NEED_ACK" },		\
	{ 8, "CUTOFFS" }, { 9, "FULL" }, { 10, "PROBE" },		\
	{ 11, "PROBE_REPLY" }, { 12, "CANCEL" }, { 13, "CLOSE" },	\
	{ 14, "REJECT" }

#define ttp_trace_flags							\
	{ 0x01, "CRC" }, { 0x02, "NOCRC_OK" }, { 0x04, "ECHO" },	\
	{ 0x08, "RETRANS" }, { 0x10, "ONEWAY" }

/* enum ttp_rpc_state */
#define ttp_trace_states						\
	{ 0, "outgoing" }, { 1, "incoming" }, { 2, "ready" },		\
	{ 3, "service" }, { 4, "replying" }, { 5, "done" }, { 6, "dead" }

/* A packet that is well formed; offset and granted are of DATA and GRANT */
DECLARE_EVENT_CLASS(ttp_packet_class,
	TP_PROTO(const struct ttp_link *link, const u8 *mac,
		 const struct ttp_packet *pkt),
	TP_ARGS(link, mac, pkt),
	TP_STRUCT__entry(
		__field(u64, id)
		__field(int, ifindex)
		__field(u32, offset)
		__field(u16, sport)
		__field(u16, dport)
		__field(u16, payload)
		__field(u8, type)
		__field(u8, flags)
		__field(u8, level)
		__field(u8, cong)
		__array(u8, mac, ETH_ALEN)
	),
	TP_fast_assign(
		__entry->id = pkt->id;
		__entry->ifindex = link->ifindex;
		__entry->offset = pkt->type == TTP_WIRE_DATA ? pkt->data.offset :
				  pkt->type == TTP_WIRE_GRANT ? pkt->grant.granted : 0;
		__entry->sport = pkt->sport;
		__entry->dport = pkt->dport;
		__entry->payload = pkt->payload;
		__entry->type = pkt->type;
		__entry->flags = pkt->flags;
		__entry->level = pkt->level;
		__entry->cong = pkt->cong;
		memcpy(__entry->mac, mac, ETH_ALEN);
	),
	TP_printk("ifindex=%d peer=%pM type=%s id=%016llx sport=%u dport=%u at=%u payload=%u level=%u cong=%u flags=%s",
		  __entry->ifindex, __entry->mac,
		  __print_symbolic(__entry->type, ttp_trace_types),
		  __entry->id, __entry->sport, __entry->dport,
		  __entry->offset, __entry->payload, __entry->level,
		  __entry->cong,
		  __print_flags(__entry->flags, "|", ttp_trace_flags))
);

DEFINE_EVENT(ttp_packet_class, ttp_packet_in,
	TP_PROTO(const struct ttp_link *link, const u8 *mac,
		 const struct ttp_packet *pkt),
	TP_ARGS(link, mac, pkt)
);

DEFINE_EVENT(ttp_packet_class, ttp_packet_out,
	TP_PROTO(const struct ttp_link *link, const u8 *mac,
		 const struct ttp_packet *pkt),
	TP_ARGS(link, mac, pkt)
);

/* What all events of an RPC tell; under its lock */
#define TTP_TRACE_RPC_FIELDS						\
		__field(u64, id)					\
		__field(int, ifindex)					\
		__field(u16, lport)					\
		__field(u16, pport)					\
		__array(u8, mac, ETH_ALEN)
#define TTP_TRACE_RPC_ASSIGN						\
		__entry->id = rpc->key.id;				\
		__entry->ifindex = rpc->key.peer->key.link->ifindex;	\
		__entry->lport = rpc->lport;				\
		__entry->pport = rpc->pport;				\
		memcpy(__entry->mac, rpc->key.peer->key.mac, ETH_ALEN)
#define TTP_TRACE_RPC_FORMAT	"ifindex=%d peer=%pM id=%016llx lport=%u pport=%u"
#define TTP_TRACE_RPC_ARGS						\
		  __entry->ifindex, __entry->mac, __entry->id,		\
		  __entry->lport, __entry->pport

TRACE_EVENT(ttp_rpc_state,
	TP_PROTO(const struct ttp_rpc *rpc, int state),
	TP_ARGS(rpc, state),
	TP_STRUCT__entry(
		TTP_TRACE_RPC_FIELDS
		__field(u8, from)
		__field(u8, to)
		__field(int, error)
	),
	TP_fast_assign(
		TTP_TRACE_RPC_ASSIGN;
		__entry->from = rpc->state;
		__entry->to = state;
		__entry->error = rpc->error;
	),
	TP_printk(TTP_TRACE_RPC_FORMAT " %s->%s error=%d", TTP_TRACE_RPC_ARGS,
		  __print_symbolic(__entry->from, ttp_trace_states),
		  __print_symbolic(__entry->to, ttp_trace_states),
		  __entry->error)
);

/* The receiver lets more of a message be sent */
TRACE_EVENT(ttp_grant,
	TP_PROTO(const struct ttp_rpc *rpc, u32 granted, u8 level),
	TP_ARGS(rpc, granted, level),
	TP_STRUCT__entry(
		TTP_TRACE_RPC_FIELDS
		__field(u32, len)
		__field(u32, received)
		__field(u32, before)
		__field(u32, granted)
		__field(u8, level)
	),
	TP_fast_assign(
		TTP_TRACE_RPC_ASSIGN;
		__entry->len = rpc->in.len;
		__entry->received = rpc->in.received;
		__entry->before = rpc->in.granted;
		__entry->granted = granted;
		__entry->level = level;
	),
	TP_printk(TTP_TRACE_RPC_FORMAT " len=%u received=%u granted=%u->%u level=%u",
		  TTP_TRACE_RPC_ARGS, __entry->len, __entry->received,
		  __entry->before, __entry->granted, __entry->level)
);

/* The receiver passes a message over: its sender is silent, or there is no room */
TRACE_EVENT(ttp_grant_held,
	TP_PROTO(const struct ttp_rpc *rpc, bool stalled),
	TP_ARGS(rpc, stalled),
	TP_STRUCT__entry(
		TTP_TRACE_RPC_FIELDS
		__field(u32, len)
		__field(u32, received)
		__field(bool, stalled)
	),
	TP_fast_assign(
		TTP_TRACE_RPC_ASSIGN;
		__entry->len = rpc->in.len;
		__entry->received = rpc->in.received;
		__entry->stalled = stalled;
	),
	TP_printk(TTP_TRACE_RPC_FORMAT " len=%u received=%u why=%s",
		  TTP_TRACE_RPC_ARGS, __entry->len, __entry->received,
		  __entry->stalled ? "stalled" : "no-room")
);

/*
 * What came with a packet of a granted message, and what its sender may be ahead
 * by that: shares of the window that the sender uses and the path has room for
 */
TRACE_EVENT(ttp_share,
	TP_PROTO(const struct ttp_rpc *rpc, const struct ttp_sched_news *news),
	TP_ARGS(rpc, news),
	TP_STRUCT__entry(
		TTP_TRACE_RPC_FIELDS
		__field(u32, window)
		__field(u32, uplink)
		__field(u32, path)
		__field(u32, unsent)
		__field(bool, late)
		__field(bool, again)
	),
	TP_fast_assign(
		TTP_TRACE_RPC_ASSIGN;
		__entry->window = rpc->rx.window;
		__entry->uplink = ttp_share_of(&rpc->rx.uplink, rpc->rx.window);
		__entry->path = ttp_share_of(&rpc->key.peer->sched.path,
					     rpc->rx.window);
		__entry->unsent = news->unsent;
		__entry->late = news->late;
		__entry->again = news->again;
	),
	TP_printk(TTP_TRACE_RPC_FORMAT " window=%u uplink=%u path=%u unsent=%u late=%d again=%d",
		  TTP_TRACE_RPC_ARGS, __entry->window, __entry->uplink,
		  __entry->path, __entry->unsent, __entry->late,
		  __entry->again)
);

/* The receiver asks for what is missing below a limit */
TRACE_EVENT(ttp_resend,
	TP_PROTO(const struct ttp_rpc *rpc, u32 limit, bool all),
	TP_ARGS(rpc, limit, all),
	TP_STRUCT__entry(
		TTP_TRACE_RPC_FIELDS
		__field(u32, prefix)
		__field(u32, received)
		__field(u32, limit)
		__field(bool, all)
	),
	TP_fast_assign(
		TTP_TRACE_RPC_ASSIGN;
		__entry->prefix = rpc->in.have.prefix;
		__entry->received = rpc->in.received;
		__entry->limit = limit;
		__entry->all = all;
	),
	TP_printk(TTP_TRACE_RPC_FORMAT " prefix=%u received=%u below=%u%s",
		  TTP_TRACE_RPC_ARGS, __entry->prefix, __entry->received,
		  __entry->limit, __entry->all ? " and all beyond" : "")
);

/* Nothing has come for too long */
TRACE_EVENT(ttp_timeout,
	TP_PROTO(const struct ttp_rpc *rpc),
	TP_ARGS(rpc),
	TP_STRUCT__entry(
		TTP_TRACE_RPC_FIELDS
		__field(u8, state)
		__field(u8, tries)
		__field(u32, srtt_ns)
		__field(u32, var_ns)
	),
	TP_fast_assign(
		TTP_TRACE_RPC_ASSIGN;
		__entry->state = rpc->state;
		__entry->tries = rpc->tries;
		__entry->srtt_ns = READ_ONCE(rpc->key.peer->rtt.srtt_ns);
		__entry->var_ns = READ_ONCE(rpc->key.peer->rtt.var_ns);
	),
	TP_printk(TTP_TRACE_RPC_FORMAT " state=%s tries=%u srtt_ns=%u var_ns=%u",
		  TTP_TRACE_RPC_ARGS,
		  __print_symbolic(__entry->state, ttp_trace_states),
		  __entry->tries, __entry->srtt_ns, __entry->var_ns)
);

/* A peer was met, has a new incarnation, or is silent; epoch 0: not known */
DECLARE_EVENT_CLASS(ttp_peer_class,
	TP_PROTO(const struct ttp_peer *peer),
	TP_ARGS(peer),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, epoch)
		__array(u8, mac, ETH_ALEN)
	),
	TP_fast_assign(
		__entry->ifindex = peer->key.link->ifindex;
		__entry->epoch = READ_ONCE(peer->epoch);
		memcpy(__entry->mac, peer->key.mac, ETH_ALEN);
	),
	TP_printk("ifindex=%d peer=%pM epoch=0x%08x", __entry->ifindex,
		  __entry->mac, __entry->epoch)
);

DEFINE_EVENT(ttp_peer_class, ttp_peer_new,
	TP_PROTO(const struct ttp_peer *peer),
	TP_ARGS(peer)
);

DEFINE_EVENT(ttp_peer_class, ttp_peer_restart,
	TP_PROTO(const struct ttp_peer *peer),
	TP_ARGS(peer)
);

DEFINE_EVENT(ttp_peer_class, ttp_peer_dead,
	TP_PROTO(const struct ttp_peer *peer),
	TP_ARGS(peer)
);

/* Peers will be told something else about what they send without a grant */
TRACE_EVENT(ttp_cutoffs,
	TP_PROTO(const struct ttp_cutoffs *cutoffs),
	TP_ARGS(cutoffs),
	TP_STRUCT__entry(
		__field(u8, version)
		__field(u32, limit)
		__field(u32, crowd)
		__array(u32, longest, 3)
	),
	TP_fast_assign(
		__entry->version = cutoffs->version;
		__entry->limit = cutoffs->limit;
		__entry->crowd = cutoffs->crowd;
		__entry->longest[0] = cutoffs->table.longest[4];
		__entry->longest[1] = cutoffs->table.longest[5];
		__entry->longest[2] = cutoffs->table.longest[6];
	),
	TP_printk("version=%u limit=%u crowd=%u longest=%u,%u,%u",
		  __entry->version, __entry->limit, __entry->crowd,
		  __entry->longest[0], __entry->longest[1],
		  __entry->longest[2])
);

#endif /* _TRACE_TTP_H */

#include <trace/define_trace.h>
