// SPDX-License-Identifier: GPL-2.0
/*
 * ttp_count HOST NAME		a counter or gauge of a host; 0 if absent
 * ttp_count rest SECONDS HOST...	wait until no RPC and no memory is in use
 *
 * One start of a program instead of many: that is what takes time in a lab.
 */
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void enter(const char *host)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", host);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		err(1, "%s", path);
	close(fd);
}

static long value_of(const char *name)
{
	FILE *f = fopen("/proc/net/ttp/snmp", "r");
	char line[128], word[64];
	long value, found = 0;

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%63s %ld", word, &value) == 2 &&
		    !strcmp(word, name))
			found = value;
	fclose(f);
	return found;
}

static void pause_ms(int ms)
{
	nanosleep(&(struct timespec) { ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* Asks less and less often, up to ten times a second */
static int rest(int seconds, char **hosts)
{
	int ms = 1, left = seconds * 1000;

	for (; *hosts; hosts++) {
		enter(*hosts);
		while (value_of("TtpCurrRpcs") || value_of("TtpCurrMem")) {
			if (left <= 0) {
				printf("%s: %ld RPCs, %ld bytes\n", *hosts,
				       value_of("TtpCurrRpcs"),
				       value_of("TtpCurrMem"));
				return 1;
			}
			pause_ms(ms);
			left -= ms;
			ms = ms < 50 ? ms * 2 : 100;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 3 && !strcmp(argv[1], "rest"))
		return rest(atoi(argv[2]), argv + 3);
	if (argc != 3) {
		fputs("usage: ttp_count HOST NAME | rest SECONDS HOST...\n",
		      stderr);
		return 2;
	}
	enter(argv[1]);
	printf("%ld\n", value_of(argv[2]));
	return 0;
}
