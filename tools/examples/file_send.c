// SPDX-License-Identifier: GPL-2.0
/*
 * Send files to ttp_file_receive, a request for each piece.  When the other
 * side restarts or is away for a while, go on with what it has.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "example.h"
#include "file.h"

static const char usage[] =
	"usage: ttp_file_send [-c BYTES] [-r TIMES] HOST PORT FILE...\n"
	"  -c BYTES  length of the pieces (default 1048576)\n"
	"  -r TIMES  tries before it gives up, a second apart (default 10)\n";

struct file {
	const char *name;
	const char *bytes;
	uint64_t size;
	size_t piece;
};

/* False with errno if there is no answer, or one that is no good */
static bool call(int fd, const struct file *f, enum file_op op, uint64_t offset,
		 size_t len, uint32_t crc, struct file_answer *a)
{
	struct file_request r = {
		.op = htobe32(op),
		.crc = htobe32(crc),
		.offset = htobe64(offset),
	};
	struct iovec iov[2] = {
		{ &r, sizeof(r) }, { (char *)f->bytes + offset, len },
	};
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = len ? 2 : 1 };
	ssize_t n;

	strcpy(r.name, f->name);
	if (sendmsg(fd, &msg, 0) < 0)
		return false;
	n = recv(fd, a, sizeof(*a), 0);
	if (n >= 0)
		errno = n == sizeof(*a) ? be32toh(a->error) : EPROTO;
	return n >= 0 && !errno;
}

static bool transfer(int fd, const struct file *f)
{
	struct file_answer a;
	uint64_t at;
	size_t len;

	if (!call(fd, f, FILE_STATE, 0, 0, 0, &a))
		return false;
	at = be64toh(a.length);
	if (at > f->size || crc32(0, f->bytes, at) != be32toh(a.crc))
		at = 0;
	if (at)
		printf("%s: goes on at %llu\n", f->name,
		       (unsigned long long)at);
	/* an empty file has one piece, which is empty */
	do {
		len = f->size - at < f->piece ? f->size - at : f->piece;
		if (!call(fd, f, FILE_DATA, at, len,
			  crc32(0, f->bytes + at, len), &a))
			return false;
		at += len;
	} while (at < f->size);
	return call(fd, f, FILE_END, f->size, 0,
		    crc32(0, f->bytes, f->size), &a);
}

static bool send_file(int fd, const char *path, size_t piece, int tries)
{
	const char *slash = strrchr(path, '/');
	struct file f = {
		.name = slash ? slash + 1 : path,
		.bytes = "",
		.piece = piece,
	};
	int in = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool good;

	if (in < 0 || fstat(in, &st))
		err(1, "%s", path);
	if (!S_ISREG(st.st_mode) ||
	    strlen(f.name) >= sizeof(((struct file_request *)0)->name))
		errx(1, "%s: no regular file, or its name is too long", path);
	f.size = st.st_size;
	if (f.size)
		f.bytes = mmap(NULL, f.size, PROT_READ, MAP_SHARED, in, 0);
	if (f.bytes == MAP_FAILED)
		err(1, "%s", path);
	while (!(good = transfer(fd, &f)) && --tries > 0) {
		warn("%s: trying again", f.name);
		sleep(1);
	}
	if (good)
		printf("%s: %llu bytes\n", f.name, (unsigned long long)f.size);
	else
		warn("%s", f.name);
	if (f.size)
		munmap((void *)f.bytes, f.size);
	close(in);
	return good;
}

int main(int argc, char **argv)
{
	size_t piece = 1 << 20;
	int fd, c, tries = 10;
	bool good = true;

	setlinebuf(stdout);
	while ((c = getopt(argc, argv, "c:r:")) != -1) {
		if (c == 'c')
			piece = number(optarg, 1, MAX_MESSAGE -
				       sizeof(struct file_request));
		else if (c == 'r')
			tries = number(optarg, 1, 1000000);
		else
			errx(2, "%s", usage);
	}
	if (argc - optind < 3)
		errx(2, "%s", usage);
	fd = client_socket(argv[optind], argv[optind + 1]);
	for (argv += optind + 2; *argv; argv++)
		good &= send_file(fd, *argv, piece, tries);
	return !good;
}
