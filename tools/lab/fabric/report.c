// SPDX-License-Identifier: GPL-2.0
/*
 * What happened, in debugfs: ttp_fabric/{queues,samples,reset}.
 */
#include <linux/debugfs.h>
#include <linux/vmalloc.h>

#include "fabric.h"

#define REPORT_SAMPLES	16384

struct report_sample {
	u64	ns;
	u64	largest;	/* queue of a switch port, bytes */
	u64	total;		/* in all switches */
};

static struct report_sample *report_samples;
static unsigned int report_used;
static u64 report_step_ns;
static struct hrtimer report_timer;
static struct dentry *report_dir;

static void report_line(struct seq_file *m, const struct pipe *p,
			const char *level, const struct pipe_counts *c,
			struct gauge *g, u64 now_ns)
{
	seq_printf(m, "%s level=%s frames=%llu bytes=%llu dropped=%llu marked=%llu lost=%llu peak=%llu p99=%llu mean=%llu\n",
		   p->name, level, c->frames, c->bytes, c->dropped, c->marked,
		   p->lost, g->peak, gauge_percentile(g, 99, now_ns),
		   gauge_mean(g, now_ns));
}

static void report_pipe(struct seq_file *m, struct pipe *p, u64 now_ns)
{
	struct pipe_counts sum = {};
	char level[2] = "0";
	int i;

	for (i = 0; i < FABRIC_LEVELS; i++) {
		const struct pipe_counts *c = &p->counts[i];

		sum.frames += c->frames;
		sum.bytes += c->bytes;
		sum.dropped += c->dropped;
		sum.marked += c->marked;
		level[0] = '0' + i;
		if (c->frames || c->dropped)
			report_line(m, p, level, c, &p->depth[i], now_ns);
	}
	report_line(m, p, "all", &sum, &p->total, now_ns);
}

/* One line a port and level that was used, and one for all levels */
static int queues_show(struct seq_file *m, void *v)
{
	unsigned int i;

	for (i = 0; i < fabric.pipes; i++) {
		spin_lock_bh(&fabric.lock);
		/* No gauge may have been set later than that */
		report_pipe(m, fabric.pipe[i],
			    fabric.frozen_ns ?: fabric_now_ns());
		spin_unlock_bh(&fabric.lock);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(queues);

/* ns since the reset, the longest queue and the sum of all, bytes */
static int samples_show(struct seq_file *m, void *v)
{
	unsigned int i;

	for (i = 0; i < READ_ONCE(report_used); i++)
		seq_printf(m, "%llu %llu %llu\n",
			   report_samples[i].ns - report_samples[0].ns,
			   report_samples[i].largest, report_samples[i].total);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(samples);

/* When all places are taken, keep every other sample, and take half as many */
static void report_thin(void)
{
	unsigned int i;

	for (i = 0; i < REPORT_SAMPLES / 2; i++)
		report_samples[i] = report_samples[2 * i];
	report_used = REPORT_SAMPLES / 2;
	report_step_ns *= 2;
}

static enum hrtimer_restart report_take(struct hrtimer *timer)
{
	struct report_sample *s;
	unsigned int i;

	spin_lock_bh(&fabric.lock);
	if (report_used == REPORT_SAMPLES)
		report_thin();
	s = &report_samples[report_used++];
	memset(s, 0, sizeof(*s));
	s->ns = fabric_now_ns();
	for (i = 0; i < fabric.pipes; i++) {
		if (!fabric.pipe[i]->sw)
			continue;
		s->largest = max(s->largest, fabric.pipe[i]->total.value);
		s->total += fabric.pipe[i]->total.value;
	}
	spin_unlock_bh(&fabric.lock);
	hrtimer_forward_now(timer, ns_to_ktime(report_step_ns));
	return HRTIMER_RESTART;
}

/* "1": begin anew; "0": leave it as it is now */
static ssize_t reset_write(struct file *file, const char __user *buf,
			   size_t len, loff_t *pos)
{
	unsigned int i, on;
	u64 now_ns;
	int err;

	err = kstrtouint_from_user(buf, len, 0, &on);
	if (err)
		return err;
	hrtimer_cancel(&report_timer);
	spin_lock_bh(&fabric.lock);
	now_ns = fabric_now_ns();
	for (i = 0; !on && !fabric.frozen_ns && i < fabric.pipes; i++)
		pipe_settle(fabric.pipe[i], now_ns);
	fabric.frozen_ns = on ? 0 : now_ns;
	for (i = 0; on && i < fabric.pipes; i++)
		pipe_reset(fabric.pipe[i], now_ns);
	if (on) {
		report_used = 0;
		report_step_ns = fabric_sample_ns;
	}
	spin_unlock_bh(&fabric.lock);
	if (on && fabric_sample_ns)
		hrtimer_start(&report_timer, ns_to_ktime(report_step_ns),
			      HRTIMER_MODE_REL_SOFT);
	return len;
}

static const struct file_operations reset_fops = {
	.owner	= THIS_MODULE,
	.write	= reset_write,
};

int report_init(void)
{
	report_samples = vzalloc(REPORT_SAMPLES * sizeof(*report_samples));
	if (!report_samples)
		return -ENOMEM;
	hrtimer_setup(&report_timer, report_take, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
	report_dir = debugfs_create_dir("ttp_fabric", NULL);
	debugfs_create_file("queues", 0444, report_dir, NULL, &queues_fops);
	debugfs_create_file("samples", 0444, report_dir, NULL, &samples_fops);
	debugfs_create_file("reset", 0200, report_dir, NULL, &reset_fops);
	return 0;
}

void report_exit(void)
{
	debugfs_remove(report_dir);
	if (report_samples)
		hrtimer_cancel(&report_timer);
	vfree(report_samples);
}
