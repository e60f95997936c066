// SPDX-License-Identifier: GPL-2.0
/*
 * Send files to ttp_file_receive, a request for each piece.  When the other
 * side restarts or is away for a while, go on with what it has.
 *
 * A request is a header, sent with MSG_MORE, and the piece, which sendfile()
 * takes from the page cache as it is.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "example.h"
#include "file.h"

static const char usage[] =
	"usage: ttp_file_send [-c BYTES] [-r TIMES] HOST PORT FILE...\n"
	"  -c BYTES  length of the pieces (default 1048576)\n"
	"  -r TIMES  tries before it gives up, a second apart (default 10)\n";

struct file {
	const char *name;
	int fd;
	const char *bytes;
	uint64_t size;
};

static size_t piece = 1 << 20;
static int tries = 10;

/* False with errno if there is no answer, or one that is no good */
static bool call(int fd, const struct file *f, enum file_op op, uint64_t offset,
		 size_t len, uint32_t crc, struct file_answer *a)
{
	struct file_request r = {
		.op = htobe32(op),
		.crc = htobe32(crc),
		.offset = htobe64(offset),
	};
	off_t at = offset;
	ssize_t n;

	strcpy(r.name, f->name);
	if (send(fd, &r, sizeof(r), len ? MSG_MORE : 0) < 0)
		return false;
	if (len) {
		n = sendfile(fd, f->fd, &at, len);
		if (n >= 0)
			errno = EIO;	/* it was made shorter */
		if ((size_t)n != len)
			return false;
	}
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
		printf("%s: goes on at %ju\n", f->name, (uintmax_t)at);
	/* an empty file has one piece, which is empty */
	do {
		len = f->size - at < piece ? f->size - at : piece;
		if (!call(fd, f, FILE_DATA, at, len,
			  crc32(0, f->bytes + at, len), &a))
			return false;
		at += len;
	} while (at < f->size);
	return call(fd, f, FILE_END, f->size, 0,
		    crc32(0, f->bytes, f->size), &a);
}

/* Each try has a new socket: what is unfinished in the last one goes with it */
static bool try(const struct sockaddr_ttp *to, const struct file *f)
{
	int fd = connected_socket(to);
	bool good = fd >= 0 && transfer(fd, f);

	if (!good)
		warn("%s", f->name);
	if (fd >= 0)
		close(fd);
	return good;
}

static bool send_file(const struct sockaddr_ttp *to, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct file f = {
		.name = slash ? slash + 1 : path,
		.fd = open(path, O_RDONLY | O_CLOEXEC),
		.bytes = "",
	};
	struct stat st;
	int n, good;

	if (f.fd < 0 || fstat(f.fd, &st))
		err(1, "%s", path);
	if (!S_ISREG(st.st_mode) || strlen(f.name) >= MAX_NAME)
		errx(1, "%s: no regular file, or its name is too long", path);
	f.size = st.st_size;
	if (f.size)
		f.bytes = mmap(NULL, f.size, PROT_READ, MAP_SHARED, f.fd, 0);
	if (f.bytes == MAP_FAILED)
		err(1, "%s", path);
	for (n = 0; !(good = try(to, &f)) && ++n < tries; sleep(1))
		;
	if (good)
		printf("%s: %ju bytes\n", f.name, (uintmax_t)f.size);
	if (f.size)
		munmap((void *)f.bytes, f.size);
	close(f.fd);
	return good;
}

int main(int argc, char **argv)
{
	struct sockaddr_ttp to;
	bool good = true;
	int c;

	setlinebuf(stdout);
	while ((c = getopt(argc, argv, "c:r:")) != -1) {
		if (c == 'c')
			piece = number(optarg, 1, MAX_PIECE);
		else if (c == 'r')
			tries = number(optarg, 1, 1000000);
		else
			errx(2, "%s", usage);
	}
	if (argc - optind < 3)
		errx(2, "%s", usage);
	to = host_addr(argv[optind], argv[optind + 1]);
	for (argv += optind + 2; *argv; argv++)
		good &= send_file(&to, *argv);
	return !good;
}
