// SPDX-License-Identifier: GPL-2.0
/*
 * ttprun: start a program that talks UDP, over AF_TTP.
 *
 * All it does is to say in the environment what is wanted; the work is done by
 * libttprun.so, in the program.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define LIBRARY		"libttprun.so"
#define MAX_SCRIPTS	4	/* as many as the kernel follows */

static const char usage_text[] =
	"usage: ttprun [-nov] [-p PORTS] [-t SECONDS] COMMAND [ARG]...\n"
	"\n"
	"Run COMMAND so that its UDP sockets are AF_TTP sockets where they can be.\n"
	"\n"
	"  -p PORTS    only sockets that bind to, connect to or send to these:\n"
	"              53,161,5000-5010\n"
	"  -t SECONDS  how long a request may wait for its answer (default 10)\n"
	"  -n          fail where it cannot be TTP, no plain UDP\n"
	"  -o          one-way messages only: for programs that want no answers\n"
	"  -v          tell about every socket\n"
	"\n"
	"See ttprun(1).\n";

static void complain(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static void complain(const char *format, ...)
{
	va_list args;

	fputs("ttprun: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static void __attribute__((noreturn)) usage(void)
{
	fputs(usage_text, stderr);
	exit(2);
}

static bool read_port(const char **text, unsigned long *port)
{
	char *end;

	*port = strtoul(*text, &end, 10);
	if (end == *text || **text < '0' || **text > '9' || *port > 65535)
		return false;
	*text = end;
	return true;
}

static bool are_ports(const char *text)
{
	unsigned long from, to;

	do {
		if (!read_port(&text, &from) || !from)
			return false;
		to = from;
		if (*text == '-') {
			text++;
			if (!read_port(&text, &to))
				return false;
		}
		if (to < from)
			return false;
	} while (*text++ == ',');
	return !text[-1];
}

static void set(const char *name, const char *value)
{
	if (setenv(name, value, 1)) {
		complain("%s", strerror(errno));
		exit(1);
	}
}

static void set_timeout(const char *text)
{
	char *end, ms[32];
	double seconds;

	seconds = strtod(text, &end);
	if (end == text || *end || !(seconds >= 0.001 && seconds <= 86400)) {
		complain("-t: \"%s\" is not a time in seconds, 0.001 to 86400",
			 text);
		exit(2);
	}
	snprintf(ms, sizeof(ms), "%.0f", seconds * 1000);
	set("TTPRUN_TIMEOUT_MS", ms);
}

/* What cannot have a library loaded into it */

/* NULL, or why not */
static const char *elf_trouble(const unsigned char *head, int fd)
{
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	unsigned int i;

	if (head[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
		return "is for another word size than " LIBRARY;
	if (head[EI_CLASS] != ELFCLASS64)
		return NULL;
	if (pread(fd, &ehdr, sizeof(ehdr), 0) != sizeof(ehdr))
		return NULL;
	for (i = 0; i < ehdr.e_phnum; i++) {
		if (pread(fd, &phdr, sizeof(phdr),
			  ehdr.e_phoff + i * sizeof(phdr)) != sizeof(phdr))
			return NULL;
		if (phdr.p_type == PT_INTERP)
			return NULL;
	}
	return "is statically linked";
}

static const char *privilege_trouble(const char *path, const struct stat *st)
{
	if ((st->st_mode & S_ISUID && st->st_uid != geteuid()) ||
	    (st->st_mode & S_ISGID && st->st_gid != getegid()))
		return "gains privileges (setuid or setgid)";
	if (geteuid() && getxattr(path, "security.capability", NULL, 0) > 0)
		return "gains privileges (file capabilities)";
	return NULL;
}

/* The interpreter of a script, into @path; false if it is none */
static bool script(const char *head, char *path, size_t size)
{
	size_t n;

	if (head[0] != '#' || head[1] != '!')
		return false;
	head += 2;
	head += strspn(head, " \t");
	n = strcspn(head, " \t\n");
	if (!n || n >= size)
		return false;
	memcpy(path, head, n);
	path[n] = '\0';
	return true;
}

/* @path becomes that of the interpreter if it is a script */
static const char *trouble(char *path, size_t size, bool *is_script)
{
	char head[256] = "";
	const char *why;
	struct stat st;
	int fd;

	*is_script = false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		/* who may run it need not be able to read it */
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	if (read(fd, head, sizeof(head) - 1) < 4)
		head[0] = 0;
	why = NULL;
	if (!memcmp(head, ELFMAG, SELFMAG)) {
		why = elf_trouble((unsigned char *)head, fd);
		if (!why)
			why = privilege_trouble(path, &st);
	} else {
		*is_script = script(head, path, size);
	}
	close(fd);
	return why;
}

/* Where execvp() will find it */
static bool find(const char *name, char *path, size_t size)
{
	const char *dir = getenv("PATH");
	size_t n;

	if (strchr(name, '/'))
		return snprintf(path, size, "%s", name) < (int)size;
	for (dir = dir ? dir : "/bin:/usr/bin"; ; dir += n + 1) {
		n = strcspn(dir, ":");
		if (snprintf(path, size, "%.*s%s%s", (int)n, dir, n ? "/" : "",
			     name) < (int)size && !access(path, X_OK))
			return true;
		if (!dir[n])
			return false;
	}
}

static void check_program(const char *name, bool strict)
{
	char path[PATH_MAX];
	bool is_script = true;
	const char *why;
	int i;

	if (!find(name, path, sizeof(path)))
		return;		/* exec will say so */
	for (i = 0; i <= MAX_SCRIPTS && is_script; i++) {
		why = trouble(path, sizeof(path), &is_script);
		if (!why)
			continue;
		complain("%s %s: nothing can be loaded into it, %s", path, why,
			 strict ? "not started (-n)" : "it talks plain UDP");
		if (strict)
			exit(1);
	}
}

/* Beside this program, in lib beside its directory, or where it was installed */
static bool find_library(char *path, size_t size)
{
	static const char * const places[] = { "", "../lib/" };
	char self[PATH_MAX];
	unsigned int i;
	ssize_t n;

	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n < 0)
		n = 0;
	self[n] = '\0';
	if (strrchr(self, '/'))
		strrchr(self, '/')[1] = '\0';
	for (i = 0; n && i < 2; i++)
		if (snprintf(path, size, "%s%s%s", self, places[i], LIBRARY) <
		    (int)size && !access(path, R_OK))
			return true;
	snprintf(path, size, "%s/%s", TTPRUN_LIBDIR, LIBRARY);
	return !access(path, R_OK);
}

static void preload(void)
{
	char path[PATH_MAX], value[2 * PATH_MAX];
	const char *others = getenv("LD_PRELOAD");

	if (!find_library(path, sizeof(path))) {
		complain("%s is not there: install it (make install)", path);
		exit(1);
	}
	if (strpbrk(path, " :")) {
		complain("%s: the dynamic linker takes no blanks and colons in a path",
			 path);
		exit(1);
	}
	snprintf(value, sizeof(value), "%s%s%s", path,
		 others && *others ? ":" : "", others ? others : "");
	set("LD_PRELOAD", value);
}

int main(int argc, char **argv)
{
	bool strict = false;
	int o;

	while ((o = getopt(argc, argv, "+nop:t:v")) != -1) {
		switch (o) {
		case 'n':
			strict = true;
			set("TTPRUN_STRICT", "1");
			break;
		case 'o':
			set("TTPRUN_ONEWAY", "1");
			break;
		case 'p':
			if (!are_ports(optarg)) {
				complain("-p: \"%s\" is not like 53,161,5000-5010",
					 optarg);
				return 2;
			}
			set("TTPRUN_PORTS", optarg);
			break;
		case 't':
			set_timeout(optarg);
			break;
		case 'v':
			set("TTPRUN_VERBOSE", "1");
			break;
		default:
			usage();
		}
	}
	if (optind == argc)
		usage();
	check_program(argv[optind], strict);
	preload();
	execvp(argv[optind], argv + optind);
	complain("%s: %s", argv[optind], strerror(errno));
	return errno == ENOENT ? 127 : 126;
}
