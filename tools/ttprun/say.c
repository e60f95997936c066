// SPDX-License-Identifier: GPL-2.0
/*
 * What the environment says, and what is told on standard error.
 *
 * A cause is told once in a process, or the log of a server would be full of
 * it.  Programs close their standard error and have other things under its
 * number: then nothing is told.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run.h"

struct settings settings = { .timeout_ms = 10000 };

static struct stat stderr_file;
static bool has_stderr;
static unsigned int told;		/* a bit for each cause */
static unsigned long failures;

/* of ports that are meant; none: all are */
static uint8_t *ports;

static const struct {
	const char *text;
	int error;
} causes[CAUSE_COUNT] = {
	[CAUSE_NO_TTP] = { "the kernel has no AF_TTP (modprobe ttp)",
			   EAFNOSUPPORT },
	[CAUSE_NO_DEVICE] = { "TTP is not enabled on any device (ttpctl dev add DEV)",
			      ENETUNREACH },
	[CAUSE_DEVICE] = { "TTP is not enabled on the device (ttpctl dev add DEV)",
			   ENETUNREACH },
	[CAUSE_DOWN] = { "the device is down", ENETDOWN },
	[CAUSE_LOOPBACK] = { "TTP has no loopback addresses", ENETUNREACH },
	[CAUSE_MULTICAST] = { "TTP has no multicast", ENETUNREACH },
	[CAUSE_BROADCAST] = { "TTP has no broadcast", ENETUNREACH },
	[CAUSE_REMOTE] = { "not on a directly attached Ethernet",
			   EHOSTUNREACH },
	[CAUSE_NEIGHBOUR] = { "no neighbour has the address", EHOSTUNREACH },
	[CAUSE_SILENT] = { "the host does not answer over TTP (ttpctl dev add there?)",
			   ETIMEDOUT },
	[CAUSE_REFUSED] = { "nobody has the port in TTP there (ttprun there?)",
			    ECONNREFUSED },
	[CAUSE_PORT] = { "the port is taken in TTP (which has no SO_REUSEADDR and SO_REUSEPORT)",
			 EADDRINUSE },
	[CAUSE_OPTION] = { "a socket option that only UDP has", EOPNOTSUPP },
	[CAUSE_NETNS] = { "the socket is of another network namespace",
			  ENETUNREACH },
	[CAUSE_LOOKUP] = { "the address could not be looked up",
			   EHOSTUNREACH },
	[CAUSE_TABLE] = { "too many sockets or options, or too high a descriptor",
			  ENOBUFS },
};

static void put_line(const char *format, va_list args)
{
	char line[400];
	struct stat now;
	int n, m;

	if (!has_stderr || fstat(STDERR_FILENO, &now) ||
	    now.st_dev != stderr_file.st_dev ||
	    now.st_ino != stderr_file.st_ino)
		return;
	n = snprintf(line, sizeof(line), "ttprun: %s[%d]: ",
		     program_invocation_short_name, getpid());
	m = vsnprintf(line + n, sizeof(line) - n - 1, format, args);
	n = m < (int)sizeof(line) - n - 1 ? n + m : (int)sizeof(line) - 2;
	line[n++] = '\n';
	if (real.write(STDERR_FILENO, line, n) < 0)
		return;
}

static void __attribute__((format(printf, 1, 2))) say(const char *format, ...)
{
	int saved = errno;
	va_list args;

	va_start(args, format);
	put_line(format, args);
	va_end(args);
	errno = saved;
}

void say_verbose(const char *format, ...)
{
	int saved = errno;
	va_list args;

	if (!settings.verbose)
		return;
	va_start(args, format);
	put_line(format, args);
	va_end(args);
	errno = saved;
}

/* @what: address, port or option that it is about */
void say_cause(enum cause cause, const char *what)
{
	unsigned int bit = 1U << cause;

	if (cause == CAUSE_NONE ||
	    (__atomic_fetch_or(&told, bit, __ATOMIC_RELAXED) & bit &&
	     !settings.verbose))
		return;
	say("%s%s%s: %s", what ? what : "", what ? ": " : "",
	    causes[cause].text, settings.strict ? "refused (-n)" : "plain UDP");
}

/* What a call fails with that may not be plain UDP */
int say_errno(enum cause cause)
{
	return causes[cause].error;
}

/* Is it one of those that are meant? */
bool say_port(in_port_t port)
{
	unsigned int n = ntohs(port);

	return !ports || ports[n / 8] & 1 << n % 8;
}

void say_failure(int error)
{
	__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
	say_verbose("a request ended without an answer: %s",
		    strerrordesc_np(error));
}

void say_end(void)
{
	if (failures)
		say_verbose("%lu requests ended without an answer", failures);
}

/* 53,161,5000-5010; ttprun has checked it */
static void read_ports(const char *text)
{
	unsigned long from, to;
	char *end;

	ports = calloc(1, 65536 / 8);
	if (!ports)
		return;
	do {
		from = strtoul(text, &end, 10);
		to = *end == '-' ? strtoul(end + 1, &end, 10) : from;
		for (; from <= to && from < 65536; from++)
			ports[from / 8] |= 1 << from % 8;
		text = end + 1;
	} while (*end == ',');
}

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value && strcmp(value, "0");
}

void say_init(void)
{
	const char *value;

	has_stderr = !fstat(STDERR_FILENO, &stderr_file);
	settings.verbose = is_set("TTPRUN_VERBOSE");
	settings.strict = is_set("TTPRUN_STRICT");
	settings.oneway = is_set("TTPRUN_ONEWAY");
	value = getenv("TTPRUN_TIMEOUT_MS");
	if (value && atol(value) > 0)
		settings.timeout_ms = atol(value);
	value = getenv("TTPRUN_PORTS");
	if (value && *value)
		read_ports(value);
}
