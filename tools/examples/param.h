/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What ttp_param_server and ttp_param_worker say to each other: a header, then
 * numbers.  All of it is in network order.
 */
#ifndef _TTP_EXAMPLE_PARAM_H
#define _TTP_EXAMPLE_PARAM_H

#include <endian.h>
#include <stdint.h>

enum param_op {
	PARAM_PUSH,	/* add the gradient that follows; the answer is empty */
	PARAM_PULL,	/* answer with the parameters, when @step is complete */
};

struct param_head {
	uint32_t op;
	uint32_t step;
};

/* With a header, they fit into a message */
#define MAX_PARAMS	1000000

#endif /* _TTP_EXAMPLE_PARAM_H */
