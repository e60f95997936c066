// SPDX-License-Identifier: GPL-2.0
/*
 * on HOST COMMAND [ARG]...: run the command in the network namespace HOST, as
 * "ip netns exec" does, but in a fifth of the time.  /sys stays as it is.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char path[64];
	int fd;

	if (argc < 3) {
		fputs("usage: on HOST COMMAND [ARG]...\n", stderr);
		return 2;
	}
	snprintf(path, sizeof(path), "/run/netns/%s", argv[1]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		err(1, "%s", path);
	execvp(argv[2], argv + 2);
	err(127, "%s", argv[2]);
}
