// SPDX-License-Identifier: GPL-2.0
/*
 * ttpctl: configure and watch AF_TTP.
 *
 * Options and objects; one file per object has the rest.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ttpctl.h"

struct options opt;

static const char help_text[] =
"Usage: ttpctl [-j] [-p] [-s] [-n NETNS] [-t SECONDS] OBJECT COMMAND ...\n"
"  ttpctl dev add|set DEV [KEY VALUE]...    ttpctl dev del DEV\n"
"  ttpctl dev show [DEV]\n"
"    KEY: ethertype NUMBER, crc on|off, unsched SIZE|auto, window SIZE|auto,\n"
"         ack-every N, rto-min TIME, rto-max TIME\n"
"  ttpctl peer show|flush [dev DEV] [MAC]\n"
"  ttpctl sock show\n"
"  ttpctl rpc show [dev DEV] [sock PORT]\n"
"  ttpctl stats [DEV] [-w SECONDS]\n"
"  ttpctl param show\n"
"  ttpctl param set KEY VALUE...\n"
"    KEY: dead-timeout TIME, max-message SIZE, max-peers N,\n"
"         max-rpcs-per-peer N, mem SIZE, rcvbuf SIZE, sndbuf SIZE\n"
"  ttpctl ping MAC%DEV [-c N] [-i TIME] [-l SIZE]\n"
"  ttpctl monitor\n"
"  ttpctl info\n"
"TIME is 100us, 5ms or 1s; SIZE is bytes or 64K, 16M, 1G.\n"
"  -j JSON   -p indented JSON   -s all details   -V version\n";

static int help_run(int argc, char **argv)
{
	if (argc)
		return no_more(argc, argv);
	fputs(help_text, stdout);
	return EXIT_OK;
}

static const struct command objects[] = {
	{ "dev", dev_run },
	{ "peer", peer_run },
	{ "sock", sock_run },
	{ "rpc", rpc_run },
	{ "stats", stats_run },
	{ "param", param_run },
	{ "ping", ping_run },
	{ "monitor", monitor_run },
	{ "info", info_run },
	{ "help", help_run },
	{ NULL, NULL }
};

int fail(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("ttpctl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return EXIT_ERROR;
}

int usage(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("ttpctl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs("; see ttpctl help\n", stderr);
	return EXIT_USAGE;
}

int no_more(int argc, char **argv)
{
	return argc ? usage("\"%s\" is not expected here", argv[0]) : EXIT_OK;
}

unsigned int word_distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b);
	unsigned int row[32], left, diag, i, j;

	if (la >= 32 || lb >= 32)
		return ~0U;
	/* an unfinished word is nearly right */
	if (la > 1 && la < lb && !strncmp(a, b, la))
		return 1;
	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; i <= la; i++) {
		diag = row[0];
		row[0] = i;
		for (j = 1; j <= lb; j++) {
			left = row[j];
			row[j] = diag + (a[i - 1] != b[j - 1]);
			if (left + 1 < row[j])
				row[j] = left + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			diag = left;
		}
	}
	return row[lb];
}

int command_run(const struct command *table, const char *what, int argc,
		char **argv)
{
	const struct command *c, *near = NULL;
	unsigned int best = WORD_NEAR, d;

	if (!argc) {
		fputs(help_text, stderr);
		return usage("%s is missing", what);
	}
	for (c = table; c->word; c++) {
		if (!strcmp(c->word, argv[0]))
			return c->run(argc - 1, argv + 1);
		d = word_distance(argv[0], c->word);
		if (d < best) {
			best = d;
			near = c;
		}
	}
	fputs(help_text, stderr);
	if (near)
		return usage("%s \"%s\" is unknown, did you mean \"%s\"?",
			     what, argv[0], near->word);
	return usage("%s \"%s\" is unknown", what, argv[0]);
}

static int enter_netns(const char *name)
{
	char path[4096];
	int fd, err;

	if (!*name || strchr(name, '/') || name[0] == '.')
		return usage("\"%s\" is no name of a network namespace", name);
	snprintf(path, sizeof(path), "/var/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail("network namespace \"%s\": %s", name,
			    strerror(errno));
	err = setns(fd, CLONE_NEWNET);
	if (err)
		fail("network namespace \"%s\": %s", name, strerror(errno));
	close(fd);
	return err ? EXIT_ERROR : EXIT_OK;
}

int main(int argc, char **argv)
{
	int c, err;

	opterr = 0;
	/* '+': options of a command come after it */
	while ((c = getopt(argc, argv, "+jpsn:t:hV")) >= 0) {
		switch (c) {
		case 'j':
			opt.json = true;
			break;
		case 'p':
			opt.pretty = true;
			break;
		case 's':
			opt.all = true;
			break;
		case 'n':
			opt.netns = optarg;
			break;
		case 't':
			if (!parse_seconds("-t", optarg, &opt.timeout_ms))
				return EXIT_USAGE;
			break;
		case 'h':
			return help_run(0, NULL);
		case 'V':
			puts("ttpctl " TTPCTL_VERSION);
			return EXIT_OK;
		default:
			return usage("option -%c is unknown or lacks its value",
				     optopt);
		}
	}
	if (opt.netns) {
		err = enter_netns(opt.netns);
		if (err)
			return err;
	}
	err = command_run(objects, "object", argc - optind, argv + optind);
	if ((fflush(stdout) || ferror(stdout)) && !err)
		err = fail("standard output: %s", strerror(errno));
	return err;
}
