// SPDX-License-Identifier: GPL-2.0
/*
 * detrand: preloaded into a UML kernel, makes its entropy a function of
 * LAB_SEED.  getrandom() of the host is all a UML guest draws from, so that
 * with virtual time whole runs repeat: ports, hash seeds, losses, time stamps.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>

ssize_t getrandom(void *buf, size_t len, unsigned int flags);

ssize_t getrandom(void *buf, size_t len, unsigned int flags)
{
	static uint64_t state;
	unsigned char *p = buf;
	const char *seed;
	uint64_t z;
	size_t i;

	(void)flags;
	if (!state) {
		seed = getenv("LAB_SEED");
		state = 2 * (seed ? strtoull(seed, NULL, 0) : 0) + 1;
	}

	/* splitmix64, of which one byte per step is used */
	for (i = 0; i < len; i++) {
		state += 0x9e3779b97f4a7c15;
		z = state;
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
		z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
		p[i] = z ^ (z >> 31);
	}
	return len;
}
