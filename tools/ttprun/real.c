// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of libc that ours stand before.
 */
#include <dlfcn.h>

#include "run.h"

struct real real;

/*
 * Looked up before main(), as dlsym() is nothing for a signal handler; by the
 * first call if another library's constructor makes one before ours runs.
 */
void real_init(void)
{
	struct real found;

#define X(name) found.name = (__typeof__(found.name))dlsym(RTLD_NEXT, #name);
	REAL_CALLS(X)
#undef X
	real = found;
}
