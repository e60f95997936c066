/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Round-trip time estimation and the retransmission time-out.
 *
 * Layer 0.  SRTT and RTTVAR as RFC 6298 computes them, in ns, from time
 * stamps echoed by the peer (so retransmissions do not spoil samples and
 * Karn's rule is not needed).  The time-out differs: its floor is added to
 * SRTT, it is in microseconds to milliseconds, and repeated ones are spread
 * by jitter.
 */
#ifndef _NET_TTP_RTT_H
#define _NET_TTP_RTT_H

#include <linux/types.h>

/* Longest sample believed; more is a clock or a wrap gone wrong */
#define TTP_RTT_MAX_NS		2000000000U
/* How long the smallest sample counts: this, or up to twice as long, ns */
#define TTP_RTT_WINDOW_NS	10000000000ULL
/* Time-out before the first sample, ns */
#define TTP_RTT_INITIAL_RTO_NS	5000000U

/**
 * struct ttp_rtt - estimator
 * @srtt_ns: smoothed round-trip time; 0 = no sample yet
 * @var_ns: its mean deviation
 */
struct ttp_rtt {
	u32	srtt_ns;
	u32	var_ns;
};

/**
 * struct ttp_rtt_floor - smallest time seen lately
 * @ns: it; 0 = no sample yet
 * @recent_ns: smallest since @since_ns
 * @since_ns: when the present window began
 *
 * A path may become longer: what is two windows old does not count (the idea is
 * Kathleen Nichols', see lib/win_minmax.c).  It grows by half at a time only, or a
 * microsecond, as it may be a queue that never drains, and what is granted follows it.
 */
struct ttp_rtt_floor {
	u32	ns;
	u32	recent_ns;
	u64	since_ns;
};

/**
 * ttp_rtt_sample() - account one measurement
 * @rtt: the estimator
 * @sample_ns: measured time; ignored when 0 or above TTP_RTT_MAX_NS
 *
 * Context: any; the owner's lock.
 * Return: whether the sample was used.
 */
bool ttp_rtt_sample(struct ttp_rtt *rtt, u32 sample_ns);

/**
 * ttp_rtt_floor_sample() - account one measurement
 * @floor: the smallest time
 * @sample_ns: measured time, not 0
 * @now_ns: monotonic time
 *
 * Context: any; the owner's lock.  Others read ttp_rtt_floor.ns without.
 */
void ttp_rtt_floor_sample(struct ttp_rtt_floor *floor, u32 sample_ns,
			  u64 now_ns);

/**
 * ttp_rtt_rto() - time to wait before doing something about silence
 * @rtt: the estimator
 * @min_ns: floor of what is added to the smoothed time
 * @max_ns: ceiling of the result
 * @tries: time-outs that passed without a sign of life; each doubles
 * @random: any 32 bits; shortens the result by up to a quarter if @tries > 0
 *
 * Context: any.
 * Return: ns, SRTT + max(4 RTTVAR, @min_ns), backed off, at most @max_ns.
 */
u64 ttp_rtt_rto(const struct ttp_rtt *rtt, u64 min_ns, u64 max_ns,
		unsigned int tries, u32 random);

#endif /* _NET_TTP_RTT_H */
