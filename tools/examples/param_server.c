// SPDX-License-Identifier: GPL-2.0
/*
 * A parameter server: in each step every worker pushes a gradient and pulls the
 * parameters that all gradients have been added to.  All push at the same time,
 * which is what receivers of TTP schedule: senders have no way to flood it.
 *
 * A pull that comes before the step is complete waits for its answer.
 */
#include "example.h"
#include "param.h"

static int64_t *params;
static unsigned long n_params;

/* What is pulled, as it goes over the wire */
static uint64_t *wire;

static int fd;

/* Workers that wait for the end of the step */
static struct sockaddr_ttp *waiting;
static unsigned int n_waiting, n_pushed, n_workers;
static uint32_t step;

static void reply(const struct sockaddr_ttp *to, const void *bytes, size_t len)
{
	if (sendto(fd, bytes, len, 0, (const struct sockaddr *)to,
		   sizeof(*to)) < 0)
		err(1, "%s", name_of(to));	/* there are too few now */
}

static void add(const uint64_t *gradient)
{
	unsigned long i;

	for (i = 0; i < n_params; i++)
		params[i] += (int64_t)be64toh(gradient[i]);
}

/* All that was pushed is in: answer whoever waits */
static void end_step(void)
{
	unsigned long i;

	for (i = 0; i < n_params; i++)
		wire[i] = htobe64(params[i]);
	for (i = 0; i < n_waiting; i++)
		reply(&waiting[i], wire, n_params * sizeof(*wire));
	n_waiting = 0;
	n_pushed = 0;
	step++;
}

static void handle(const struct sockaddr_ttp *from,
		   const struct param_head *head, size_t len)
{
	size_t full = sizeof(*head) + n_params * sizeof(*wire);

	if (len < sizeof(*head))
		errx(1, "%s: %zu bytes", name_of(from), len);
	if (be32toh(head->op) == PARAM_PUSH && len == full &&
	    be32toh(head->step) == step && n_pushed < n_workers) {
		add((const uint64_t *)(head + 1));
		reply(from, NULL, 0);
		if (++n_pushed == n_workers)
			end_step();
	} else if (be32toh(head->op) == PARAM_PULL && len == sizeof(*head) &&
		   be32toh(head->step) == step && n_waiting < n_workers) {
		waiting[n_waiting++] = *from;
	} else if (be32toh(head->op) == PARAM_PULL && len == sizeof(*head) &&
		   be32toh(head->step) + 1 == step) {
		/* the step was complete before it asked */
		reply(from, wire, n_params * sizeof(*wire));
	} else {
		errx(1, "%s: not what belongs into step %u", name_of(from),
		     step);
	}
}

int main(int argc, char **argv)
{
	unsigned long steps, pulls = 0;
	struct sockaddr_ttp from;
	const void *head;
	socklen_t len;
	char *buf;
	ssize_t n;

	if (argc != 5)
		errx(2, "usage: ttp_param_server PORT WORKERS PARAMETERS STEPS");
	n_workers = number(argv[2], 1, 10000);
	n_params = number(argv[3], 1, MAX_PARAMS);
	steps = number(argv[4], 1, 1000000000);
	params = calloc(n_params, sizeof(*params));
	wire = calloc(n_params, sizeof(*wire));
	waiting = calloc(n_workers, sizeof(*waiting));
	buf = malloc(MAX_MESSAGE);
	if (!params || !wire || !waiting || !buf)
		err(1, "memory");
	head = buf;
	fd = server_socket(argv[1]);
	puts("ready");
	fflush(stdout);
	while (pulls < steps * n_workers) {
		len = sizeof(from);
		n = recvfrom(fd, buf, MAX_MESSAGE, 0, (struct sockaddr *)&from,
			     &len);
		if (n < 0)
			err(1, "recvfrom");
		handle(&from, head, n);
		pulls += n == sizeof(struct param_head);
	}
	printf("%u steps of %u workers, %lu parameters\n", step, n_workers,
	       n_params);
	return 0;
}
