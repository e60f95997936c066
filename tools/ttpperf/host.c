// SPDX-License-Identifier: GPL-2.0
/*
 * Hosts: those of the lab, all played here, or ourselves and some servers, or
 * none but in name.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ttpperf.h"

struct host hosts[MAX_HOSTS];
unsigned int host_count;

static int entered = -1;	/* the namespace we are in */
static int home = -1;

/* Sockets made from now on are that host's */
void host_enter(const struct host *h)
{
	int ns = h->netns < 0 ? home : h->netns;

	if (ns == entered || ns < 0)
		return;
	if (setns(ns, CLONE_NEWNET))
		fatal("%s: cannot enter its network namespace: %s", h->name,
		      strerror(errno));
	entered = ns;
}

/* As tools/lab/hosts.sh makes them */
void hosts_lab(unsigned int n)
{
	char path[64];
	unsigned int i, k;

	home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	for (i = 0; i < n; i++) {
		struct host *h = &hosts[i];

		k = i + 1;
		snprintf(h->name, sizeof(h->name), "h%u", k);
		snprintf(path, sizeof(path), "/run/netns/h%u", k);
		h->netns = open(path, O_RDONLY | O_CLOEXEC);
		if (h->netns < 0)
			fatal("%s: %s (is this a guest of tools/lab with %u hosts?)",
			      path, strerror(errno), n);
		h->local = true;
		h->ip.s_addr = htonl(10U << 24 | i / 254 << 8 | (i % 254 + 1));
		host_enter(h);
		h->ttp = (struct sockaddr_ttp){
			.sttp_family = AF_TTP,
			.sttp_ifindex = if_nametoindex("eth0"),
			.sttp_addr = { 2, 0, 0, 0, k / 256, k % 256 },
		};
		if (!h->ttp.sttp_ifindex)
			fatal("%s has no eth0", h->name);
	}
	host_count = n;
}

/* No network is needed */
void hosts_none(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		snprintf(hosts[i].name, sizeof(hosts[i].name), "h%u", i + 1);
		hosts[i].local = true;
		hosts[i].netns = -1;
	}
	host_count = n;
}

static void real_ttp(struct host *h)
{
	char dev[IF_NAMESIZE] = "";
	__u8 *m = h->ttp.sttp_addr;

	h->ttp.sttp_family = AF_TTP;
	if (sscanf(h->name, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%%%15s", m,
		   m + 1, m + 2, m + 3, m + 4, m + 5, dev) < 6)
		fatal("%s: want MAC or MAC%%DEVICE", h->name);
	if (*dev) {
		h->ttp.sttp_ifindex = if_nametoindex(dev);
		if (!h->ttp.sttp_ifindex)
			fatal("%s: no device %s", h->name, dev);
	}
}

static void real_ip(struct host *h)
{
	struct addrinfo hints = { .ai_family = AF_INET }, *ai;
	int rc = getaddrinfo(h->name, NULL, &hints, &ai);

	if (rc)
		fatal("%s: %s", h->name, gai_strerror(rc));
	h->ip = ((struct sockaddr_in *)ai->ai_addr)->sin_addr;
	freeaddrinfo(ai);
}

/* Host 0 is this one */
void hosts_real(const char *list, const char *transport)
{
	char *copy = strdup(list), *name, *save = NULL;
	struct host *h;

	hosts[0] = (struct host){ .name = "here", .local = true, .netns = -1 };
	host_count = 1;
	for (name = strtok_r(copy, ",", &save); name;
	     name = strtok_r(NULL, ",", &save)) {
		if (host_count == MAX_HOSTS)
			fatal("more than %d hosts", MAX_HOSTS - 1);
		h = &hosts[host_count++];
		h->netns = -1;
		if (strlen(name) >= sizeof(h->name))
			fatal("%s: too long a name", name);
		strcpy(h->name, name);
		if (!strcmp(transport, "ttp"))
			real_ttp(h);
		else
			real_ip(h);
	}
	free(copy);
}
