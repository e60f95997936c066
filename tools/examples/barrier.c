// SPDX-License-Identifier: GPL-2.0
/*
 * A barrier: nobody goes on before all have come.
 *
 * To come is to send a request; the keeper answers all of them when it has as
 * many as there are members.  An RPC waits as long as it takes, as its server
 * is alive; the tags in the addresses are all that the keeper has to remember.
 */
#include <endian.h>
#include <time.h>

#include "example.h"

static const char usage[] =
	"usage: ttp_barrier keep PORT MEMBERS [ROUNDS]\n"
	"       ttp_barrier meet HOST PORT [ROUNDS [MAX_DELAY_MS]]\n"
	"The keeper is at HOST. The members meet ROUNDS times (default 10); each\n"
	"comes after a random delay, and prints when it came and when it went.\n";

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* One round; the number of members that were lost */
static unsigned int keep_round(int fd, struct sockaddr_ttp *who,
			       unsigned int members, uint32_t round)
{
	unsigned int i, lost = 0;
	socklen_t len;
	uint32_t r;
	ssize_t n;

	for (i = 0; i < members; i++) {
		len = sizeof(who[i]);
		n = recvfrom(fd, &r, sizeof(r), MSG_TRUNC,
			     (struct sockaddr *)&who[i], &len);
		if (n < 0)
			err(1, "recvfrom");
		if (n != sizeof(r) || be32toh(r) != round)
			errx(1, "%s is not in round %u", name_of(&who[i]),
			     round);
	}
	r = htobe32(round);
	for (i = 0; i < members; i++) {
		if (sendto(fd, &r, sizeof(r), 0, (struct sockaddr *)&who[i],
			   sizeof(who[i])) >= 0)
			continue;
		warn("%s", name_of(&who[i]));
		lost++;
	}
	return lost;
}

static int keep(int argc, char **argv)
{
	unsigned int members, rounds = 10, round, lost = 0;
	struct sockaddr_ttp *who;
	int fd;

	if (argc < 2 || argc > 3)
		errx(2, "%s", usage);
	members = number(argv[1], 1, 100000);
	if (argc > 2)
		rounds = number(argv[2], 1, 1000000000);
	who = calloc(members, sizeof(*who));
	if (!who)
		err(1, "memory");
	fd = server_socket(argv[0]);
	puts("ready");
	fflush(stdout);
	for (round = 0; round < rounds && !lost; round++)
		lost = keep_round(fd, who, members, round);
	printf("%u members met %u times\n", members, round);
	return !!lost;
}

static int meet(int argc, char **argv)
{
	unsigned int rounds = 10, round, delay_ms = 0;
	double came, went;
	uint32_t r;
	ssize_t n;
	int fd;

	if (argc < 2 || argc > 4)
		errx(2, "%s", usage);
	if (argc > 2)
		rounds = number(argv[2], 1, 1000000000);
	if (argc > 3)
		delay_ms = number(argv[3], 0, 1000000);
	fd = client_socket(argv[0], argv[1]);
	srandom(getpid());
	for (round = 0; round < rounds; round++) {
		if (delay_ms)
			usleep(random() % (delay_ms * 1000L));
		r = htobe32(round);
		came = now();
		n = send(fd, &r, sizeof(r), 0);
		if (n >= 0)
			n = recv(fd, &r, sizeof(r), MSG_TRUNC);
		went = now();
		if (n < 0)
			err(1, "round %u", round);
		if (n != sizeof(r) || be32toh(r) != round)
			errx(1, "round %u: an answer to another", round);
		printf("%u %.9f %.9f\n", round, came, went);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "keep"))
		return keep(argc - 2, argv + 2);
	if (argc > 2 && !strcmp(argv[1], "meet"))
		return meet(argc - 2, argv + 2);
	errx(2, "%s", usage);
}
