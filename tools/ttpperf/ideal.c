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

/*
 * Bytes on the wire of a message whose frames have so many @headers of a transport
 * in them, and so many bytes of @tags outside of the MTU
 */
static double wire_with(uint32_t size, uint32_t headers, uint32_t tags)
{
	uint32_t most = opt.mtu - headers, rest = size % most;
	double full = size / most * frame_wire(opt.mtu + tags);

	return full + (rest || !size ? frame_wire(rest + headers + tags) : 0);
}

/* How long its end takes to arrive: the switch has the first frame before it */
static double way_with(uint32_t size, uint32_t headers, uint32_t tags)
{
	uint32_t first = size + headers < opt.mtu ? size + headers : opt.mtu;

	return frame_wire(first + tags) * (opt.hops - 1) * 8 / opt.rate_gbps +
	       opt.delay_us * 1000 * opt.hops;
}

double wire_bytes(uint32_t size)
{
	return wire_with(size, opt.headers, opt.tags);
}

double way_ns(uint32_t size)
{
	return way_with(size, opt.headers, opt.tags);
}

/* Bytes on the wire of a message of @size bytes, and nothing else */
double ideal_wire(uint32_t size)
{
	return wire_with(size, 0, 0);
}

/* Time of a message, ns */
double ideal_ns(uint32_t size)
{
	return ideal_wire(size) * 8 / opt.rate_gbps + way_with(size, 0, 0);
}

double ideal_call_ns(const struct call *c)
{
	double ns = ideal_ns(c->size);

	return c->kind == KIND_ONEWAY ? ns : ns + ideal_ns(c->answer);
}
