// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting in the own host; see stamp.h.
 */
#include <linux/minmax.h>

#include "stamp.h"

static void ttp_stamp_begin(struct ttp_stamp *s, int ifindex, s64 diff_ns,
			    u64 now_ns)
{
	s->ifindex = ifindex;
	s->least_ns = diff_ns;
	s->recent_ns = diff_ns;
	s->since_ns = now_ns;
}

u32 ttp_stamp_wait(struct ttp_stamp *s, int ifindex, s64 card_ns, u64 now_ns)
{
	s64 diff_ns = (s64)now_ns - card_ns, wait_ns;
	u64 age_ns = now_ns - s->since_ns;

	if (s->ifindex != ifindex || age_ns >= 2 * TTP_STAMP_WINDOW_NS) {
		ttp_stamp_begin(s, ifindex, diff_ns, now_ns);
	} else if (age_ns >= TTP_STAMP_WINDOW_NS) {
		s->least_ns = s->recent_ns;
		s->recent_ns = diff_ns;
		s->since_ns += TTP_STAMP_WINDOW_NS;
	}
	s->recent_ns = min(s->recent_ns, diff_ns);
	s->least_ns = min(s->least_ns, diff_ns);
	wait_ns = diff_ns - s->least_ns;
	if (wait_ns <= TTP_STAMP_MAX_NS)
		return wait_ns;
	ttp_stamp_begin(s, ifindex, diff_ns, now_ns);
	return 0;
}
