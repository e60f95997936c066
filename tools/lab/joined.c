// SPDX-License-Identifier: GPL-2.0
/*
 * joined COMMAND [ARG]...: start the command twice, with LAB_MACHINE=1 and 2,
 * with a socket as file descriptor 3 that takes frames to the other one.
 * What machine 2 prints is shown in the end.  Ends with the greater of their
 * exit statuses.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t start(const char *name, int fd, int output, char **command)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid)
		return pid;
	if (output >= 0 && (dup2(output, 1) < 0 || dup2(output, 2) < 0))
		err(1, "output");
	if (dup2(fd, 3) < 0 || setenv("LAB_MACHINE", name, 1))
		err(1, "machine %s", name);
	execvp(command[0], command);
	err(127, "%s", command[0]);
}

int main(int argc, char **argv)
{
	/* clear of 3; those of the other machine must not stay open in it */
	int ends[2], i, size = 4 << 20, status, worst = 0;
	FILE *second = tmpfile();
	char buf[4096];
	size_t n;

	if (argc < 2) {
		fputs("usage: joined COMMAND [ARG]...\n", stderr);
		return 2;
	}
	if (!second)
		err(1, "tmpfile");
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends))
		err(1, "socketpair");
	for (i = 0; i < 2; i++) {
		setsockopt(ends[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
		ends[i] = fcntl(ends[i], F_DUPFD_CLOEXEC, 10);
		if (ends[i] < 0)
			err(1, "fcntl");
	}
	start("1", ends[0], -1, argv + 1);
	start("2", ends[1], fileno(second), argv + 1);
	close(ends[0]);
	close(ends[1]);
	while (wait(&status) > 0) {
		status = WIFEXITED(status) ? WEXITSTATUS(status) : 125;
		worst = status > worst ? status : worst;
	}
	rewind(second);
	puts("# machine 2");
	while ((n = fread(buf, 1, sizeof(buf), second)) > 0)
		fwrite(buf, 1, n, stdout);
	return worst;
}
