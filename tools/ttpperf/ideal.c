// SPDX-License-Identifier: GPL-2.0
/*
 * What the link allows.  No transport's headers are in it, so all of them
 * are compared with the same.
 */
#include "ttpperf.h"

/* Ethernet header and check sequence; preamble and gap */
#define FRAME		18
#define GAP		20
#define MIN_FRAME	64

const char ideal_formula[] =
	"slowdown = time / (request + response), each alone on an idle network: "
	"all its frames (size cut at the MTU, 38 bytes of Ethernet each) sent "
	"once, plus the first frame once more for each further hop, plus the "
	"delay of each hop";

static double frame_wire(uint32_t payload)
{
	uint32_t frame = payload + FRAME;

	return (frame < MIN_FRAME ? MIN_FRAME : frame) + GAP;
}

/* Bytes on the wire of a message of @size bytes */
double ideal_wire(uint32_t size)
{
	uint32_t rest = size % opt.mtu;
	double full = size / opt.mtu * frame_wire(opt.mtu);

	return full + (rest || !size ? frame_wire(rest) : 0);
}

/* Time of a message, ns */
double ideal_ns(uint32_t size)
{
	double first = frame_wire(size < opt.mtu ? size : opt.mtu);
	double bytes = ideal_wire(size) + first * (opt.hops - 1);

	return bytes * 8 / opt.rate_gbps + opt.delay_us * 1000 * opt.hops;
}

double ideal_call_ns(const struct call *c)
{
	double ns = ideal_ns(c->size);

	return c->kind == KIND_ONEWAY ? ns : ns + ideal_ns(c->answer);
}
