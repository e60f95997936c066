// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints; see include/trace/events/ttp.h.
 */
#include "rpc.h"

#define CREATE_TRACE_POINTS
#include <trace/events/ttp.h>
