/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of ttpctl share: options, words and values of the command
 * line, and the entry point of each object.
 */
#ifndef TTPCTL_H
#define TTPCTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit codes */
#define EXIT_OK		0
#define EXIT_ERROR	1	/* the kernel said no, or a look-up failed */
#define EXIT_USAGE	2

#define TTPCTL_VERSION	"0.1"
#define MAC_TEXT	18	/* "xx:xx:xx:xx:xx:xx" and its end */

struct options {
	bool json;
	bool pretty;
	bool all;		/* -s: details, zero counters */
	const char *netns;
	unsigned int timeout_ms;	/* -t; 0 = not given */
};

extern struct options opt;

/* A word of the command line and what it runs with the words behind it */
struct command {
	const char *word;
	int (*run)(int argc, char **argv);
};

/* Edits from what was written to a word that exists; above: not meant */
#define WORD_NEAR	3
unsigned int word_distance(const char *written, const char *word);

int command_run(const struct command *table, const char *what, int argc,
		char **argv);

/* Messages to standard error; the return value is the exit code */
int fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int no_more(int argc, char **argv);

/* Values; each prints what is wrong and returns false if it is not one */
bool parse_number(const char *what, const char *text, uint64_t max,
		  uint64_t *value);
bool parse_size(const char *what, const char *text, uint64_t max,
		uint64_t *value);
bool parse_time(const char *what, const char *text, uint64_t *ns);
bool parse_seconds(const char *what, const char *text, unsigned int *ms);
bool in_range(const char *what, const char *text, uint64_t value, uint64_t max);
bool parse_rate(const char *what, const char *text, uint64_t *mbps);
bool parse_list(const char *what, const char *text, uint8_t *list,
		unsigned int n);
bool parse_mac(const char *text, uint8_t *mac);

/* Look-ups: print an error and return 0 if there is no such device */
unsigned int find_dev(const char *name);

void format_mac(char *buf, const uint8_t *mac);

/* "KEY VALUE" settings that become attributes of a request */
enum key_type {
	KEY_NUMBER,		/* 4, 0x88b5 */
	KEY_SWITCH,		/* on, off */
	KEY_SIZE,		/* 1500, 64K */
	KEY_AUTO_SIZE,		/* the same, or auto = 0 */
	KEY_RATE,		/* 10gbit, 2500mbit, or auto = 0; in Mbit/s */
	KEY_LIST,		/* 1,0,2,3: a byte each */
	KEY_NS,			/* 500ns, 5us */
	KEY_AUTO_NS,		/* the same, auto = 0, or off = all ones */
	KEY_US,			/* 100us, 5ms */
	KEY_MS,
};

struct key {
	const char *name;
	enum key_type type;
	uint16_t attr;
	uint8_t bytes;		/* width of the attribute */
};

struct nlmsghdr;
/* Put settings into a request, or only judge them if @nlh is NULL */
bool keys_put(struct nlmsghdr *nlh, const struct key *keys, int argc,
	      char **argv);
const char *key_name(const struct key *keys, uint16_t attr);

int dev_run(int argc, char **argv);
int info_run(int argc, char **argv);
int monitor_run(int argc, char **argv);
int param_run(int argc, char **argv);
int peer_run(int argc, char **argv);
int ping_run(int argc, char **argv);
int rpc_run(int argc, char **argv);
int sock_run(int argc, char **argv);
int stats_run(int argc, char **argv);

#endif /* TTPCTL_H */
