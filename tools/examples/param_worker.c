// SPDX-License-Identifier: GPL-2.0
/*
 * A worker of ttp_param_server: pushes gradients that can be told in advance,
 * and so knows what must be pulled.
 */
#include <time.h>

#include "example.h"
#include "param.h"

static union {
	struct {
		struct param_head head;
		uint64_t gradient[MAX_PARAMS];
	} push;
	struct param_head pull;
} request;

static uint64_t response[MAX_PARAMS + 1];

/* The gradient of a worker in a step */
static int64_t gradient(unsigned long worker, unsigned long step,
			unsigned long i)
{
	return (int64_t)((worker + 1) * (i % 1009)) - (int64_t)(step * 7);
}

/* A request and its response; the length of that */
static size_t call(int fd, size_t len, const char *what)
{
	ssize_t n = send(fd, &request, len, 0);

	if (n >= 0)
		n = recv(fd, response, sizeof(response), 0);
	if (n < 0)
		err(1, "%s", what);
	return n;
}

static unsigned long wrong_in(unsigned long workers, unsigned long params,
			      unsigned long steps)
{
	unsigned long i, w, s, wrong = 0;
	int64_t want;

	for (i = 0; i < params; i++) {
		want = 0;
		for (w = 0; w < workers; w++)
			for (s = 0; s < steps; s++)
				want += gradient(w, s, i);
		wrong += (int64_t)be64toh(response[i]) != want;
	}
	return wrong;
}

int main(int argc, char **argv)
{
	unsigned long me, workers, params, steps, step, i, wrong = 0;
	struct timespec t0, t1;
	double us = 0;
	int fd;

	if (argc != 7)
		errx(2, "usage: ttp_param_worker HOST PORT NUMBER WORKERS PARAMETERS STEPS\n"
			"NUMBER is that of this worker, from 0");
	workers = number(argv[4], 1, 10000);
	me = number(argv[3], 0, workers - 1);
	params = number(argv[5], 1, MAX_PARAMS);
	steps = number(argv[6], 1, 1000000000);
	fd = client_socket(argv[1], argv[2]);
	for (step = 0; step < steps; step++) {
		for (i = 0; i < params; i++)
			request.push.gradient[i] =
				htobe64(gradient(me, step, i));
		request.push.head.op = htobe32(PARAM_PUSH);
		request.push.head.step = htobe32(step);
		clock_gettime(CLOCK_MONOTONIC, &t0);
		if (call(fd, sizeof(request.push.head) +
			     params * sizeof(*request.push.gradient), "push"))
			errx(1, "push: a response that is not empty");
		request.pull.op = htobe32(PARAM_PULL);
		if (call(fd, sizeof(request.pull), "pull") !=
		    params * sizeof(*response))
			errx(1, "pull: not all parameters");
		clock_gettime(CLOCK_MONOTONIC, &t1);
		us += (t1.tv_sec - t0.tv_sec) * 1e6 +
		      (t1.tv_nsec - t0.tv_nsec) / 1e3;
		wrong += wrong_in(workers, params, step + 1);
	}
	printf("worker %lu: %lu steps, %.0f us each, %lu parameters wrong\n",
	       me, steps, us / steps, wrong);
	return !!wrong;
}
