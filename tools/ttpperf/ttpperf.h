/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ttpperf: what all parts of it share.
 *
 * One thread, one epoll loop.  A generator makes calls (a request from one
 * host to another, and the response), a transport carries them, the report
 * takes their times.  In the lab one process plays all hosts, so that nothing
 * but the network decides; otherwise it plays one, and others run servers.
 */
#ifndef TTPPERF_H
#define TTPPERF_H

#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/ttp.h>

#define MIN_SIZE	8U		/* the head of a message, below */
#define MAX_SIZE	(16U << 20)
#define MAX_HOSTS	250
#define CLASSES		10		/* deciles of the message size */
#define NSEC		1000000000ULL

/* ---- a message: its head is part of its size */

enum kind {
	KIND_ECHO,		/* answer as many bytes */
	KIND_SHORT,		/* answer MIN_SIZE bytes */
	KIND_SIZED,		/* answer so many: a third word tells */
	KIND_ONEWAY,		/* do not answer */
	KIND_ANSWER,
};

struct head {
	uint32_t	length:28;
	uint32_t	kind:3;
	uint32_t	pattern:1;	/* what follows is to be verified */
	uint32_t	id;
	uint32_t	answer;		/* KIND_SIZED only */
};

/**
 * struct call - a request and its response
 * @id: what the response is known by
 * @from: host that asks
 * @to: host that answers
 * @size: bytes of the request
 * @answer: bytes of the response
 * @kind: of the request
 * @class: decile of its size
 * @measured: whether it counts
 * @used: whether it is open
 * @serial: tells it from others that had its id before
 * @began_ns: when it should have been sent
 * @conn: the transport's
 */
struct call {
	uint32_t	id;
	uint16_t	from;
	uint16_t	to;
	uint32_t	size;
	uint32_t	answer;
	uint8_t		kind;
	uint8_t		class;
	bool		measured;
	bool		used;
	uint32_t	serial;
	uint64_t	began_ns;
	void		*conn;
};

struct call *call_new(uint16_t from, uint16_t to, uint32_t size,
		      uint32_t answer);
struct call *call_find(uint32_t id);
void call_begin(struct call *c, uint64_t now_ns);
void call_arrived(const struct head *head, const void *buf, uint16_t at);
void call_end(struct call *c, int error);
void call_each_open(void (*fn)(const struct call *c, uint64_t now_ns));
extern uint64_t calls_open;

uint32_t head_answer(const struct head *head);
void head_of_answer(struct head *out, const struct head *request);
void head_of_call(struct head *out, const struct call *c);
uint32_t head_size(const struct head *head);
bool head_valid(const struct head *head, size_t length);

/* The bytes of a message behind its head; zero if it has no pattern */
const uint8_t *content_get(const struct head *head);
bool content_wanted(const struct head *head);
bool content_check(const struct head *head, const uint8_t *buf);
void content_free(const uint8_t *bytes);

/* ---- hosts */

/**
 * struct host - one end
 * @local: whether this process plays it
 * @netns: its network namespace, -1 for our own
 * @ip: for TCP and UDP
 * @ttp: for AF_TTP, without the port
 */
struct host {
	char			name[64];
	bool			local;
	int			netns;
	struct in_addr		ip;
	struct sockaddr_ttp	ttp;
	void			*client;	/* the transport's */
	void			*server;
};

extern struct host hosts[MAX_HOSTS];
extern unsigned int host_count;

void hosts_lab(unsigned int n);
void hosts_none(unsigned int n);
void hosts_real(const char *list, const char *transport);
void host_enter(const struct host *h);

/* ---- transports */

/**
 * struct transport - how messages travel
 * @name: as in -t
 * @max_size: of a message
 * @serve: make a host answer
 * @dial: prepare calls from one host to another
 * @send: begin a call; keeps what cannot be sent yet
 * @now: its own time, ns, if there is no network; else NULL
 * @wait: go on to the next event, or to a time, likewise
 */
struct transport {
	const char	*name;
	uint32_t	max_size;
	void		(*serve)(struct host *h);
	void		(*dial)(struct host *from, struct host *to);
	void		(*send)(struct call *c);
	uint64_t	(*now)(void);
	void		(*wait)(uint64_t due_ns);
};

extern const struct transport transport_ttp, transport_tcp, transport_udp;
extern const struct transport transport_best;

/* ---- the loop */

struct watch {
	int	fd;
	void	(*ready)(struct watch *w, uint32_t events);
};

void loop_add(struct watch *w, uint32_t events);
void loop_change(struct watch *w, uint32_t events);
void loop_stop(void);
void loop_run(void);
void loop_poll(void);
uint64_t now_ns(void);

/**
 * struct generator - who makes calls
 * @due: time of the next one, UINT64_MAX if a completion comes first
 * @fire: make those that are due
 * @ended: a call is over; @error is an errno or 0
 */
struct generator {
	uint64_t	(*due)(void);
	void		(*fire)(uint64_t now_ns);
	void		(*ended)(struct call *c, int error);
};

extern const struct generator *generator;

/* ---- what to do */

struct options {
	const char	*mode;
	const struct transport *transport;
	unsigned int	lab;		/* hosts of the lab, 0: real ones */
	const char	*to;
	uint16_t	port;
	const char	*workload;
	uint32_t	cap;		/* of a message of the workload */
	double		load;		/* of the link */
	uint64_t	count;		/* calls, or rounds */
	double		warmup;		/* part of them */
	uint64_t	duration_ns;	/* instead of a count */
	uint32_t	size;
	uint32_t	answer;
	bool		answer_given;
	bool		oneway;
	unsigned int	depth;
	unsigned int	conns;		/* TCP, for a pair of hosts */
	unsigned int	sockets;	/* clients of a host */
	const char	*cc;
	bool		verify;
	unsigned int	corrupt;
	uint64_t	seed;
	double		rate_gbps;	/* of the link */
	unsigned int	mtu;
	unsigned int	headers;	/* of a frame, without a network */
	unsigned int	tags;
	unsigned int	hops;
	double		delay_us;	/* of each */
	uint64_t	drain_ns;
	const char	*format;
	const char	*cdf;
	const char	*mark;		/* file to write to when it begins */
	bool		quiet;
};

extern struct options opt;

/* ---- random numbers: the same for every transport */

static inline uint64_t random_next(uint64_t *state)
{
	/* splitmix64 (Steele, Lea, Flood 2014) */
	uint64_t x = *state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* In [0, 1) */
static inline double random_unit(uint64_t *state)
{
	return (random_next(state) >> 11) * 0x1.0p-53;
}

/* ---- workloads */

void workload_load(const char *path, uint32_t cap);
void workload_fixed(uint32_t size);
uint32_t workload_draw(uint64_t *state);
unsigned int workload_class(uint32_t size, uint64_t *state);
double workload_mean(double (*of)(uint32_t size));
uint32_t workload_bound(unsigned int class);

/* ---- what could be, at best */

double wire_bytes(uint32_t size);	/* with headers and tags */
double way_ns(uint32_t size);
double ideal_wire(uint32_t size);
double ideal_ns(uint32_t size);
double ideal_call_ns(const struct call *c);
extern const char ideal_formula[];

/* ---- histograms */

#define HIST_BITS	9
#define HIST_BUCKETS	((64 - HIST_BITS + 1) << HIST_BITS)

struct hist {
	uint64_t	count;
	uint64_t	max;
	double		sum;
	uint64_t	*bucket;
};

void hist_add(struct hist *h, uint64_t value);
uint64_t hist_percentile(const struct hist *h, double percent);
void hist_each(const struct hist *h,
	       void (*fn)(uint64_t value, uint64_t upto, void *arg), void *arg);

/* ---- report */

void report_start(uint64_t now_ns);
void report_stop(uint64_t now_ns);
void report_call(const struct call *c, uint64_t now_ns);
void report_offered(const struct call *c);
void report_unfinished(const struct call *c, uint64_t now_ns);
void report_failed(const struct call *c, int error, uint64_t now_ns);
void report_wrong(void);
void report_progress(uint64_t done, uint64_t all);
void report_value(const char *name, double value, const char *unit);
int report_print(void);

/* ---- generators */

void open_start(void);
void closed_start(void);
void reduce_start(void);
void serve_start(void);

/* reduce.c takes messages itself, and fills them */
extern void (*deliver)(const struct head *head, const void *buf, uint16_t at);
const uint8_t *reduce_content(const struct head *head);

void __attribute__((noreturn, format(printf, 1, 2))) fatal(const char *f, ...);

#endif
