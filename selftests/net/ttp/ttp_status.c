// SPDX-License-Identifier: GPL-2.0
/*
 * ttp_status HOST MILLISECONDS
 *
 * TTP_STATUS of a socket that is connected to that host of hosts.sh, read each
 * 20 us for so long: what flags there were at any time.
 */
#include <sys/prctl.h>

#include "ttp_test.h"

int main(int argc, char **argv)
{
	struct ttp_status status = {};
	unsigned int flags = 0, reads = 0;
	long until;
	int fd;

	if (argc != 3) {
		fprintf(stderr, "usage: ttp_status HOST MILLISECONDS\n");
		return 2;
	}
	prctl(PR_SET_TIMERSLACK, 1);
	fd = socket(AF_TTP, SOCK_DGRAM, 0);
	if (fd < 0 || connect_to(fd, addr_of(atoi(argv[1]), 7))) {
		perror("ttp_status");
		return 1;
	}
	until = now_ms() + atoi(argv[2]);
	do {
		status = status_of(fd);
		flags |= status.flags;
		reads++;
		usleep(20);
	} while (now_ms() < until);
	printf("flags=%u reads=%u srtt_us=%u window=%u\n", flags, reads,
	       status.srtt_us, status.window);
	return 0;
}
