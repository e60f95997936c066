// SPDX-License-Identifier: GPL-2.0
/*
 * Receive files from ttp_file_send into a directory.  An unfinished one is
 * called NAME.part; it becomes NAME when all of it is there and its checksum is
 * right.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "example.h"
#include "file.h"

static uint32_t crc_of(int fd)
{
	static char buf[1 << 16];
	uint32_t crc = 0;
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, buf, sizeof(buf), at)) > 0) {
		crc = crc32(crc, buf, n);
		at += n;
	}
	return crc;
}

static int write_all(int fd, const char *bytes, size_t len, off_t at)
{
	ssize_t n;

	for (; len; bytes += n, at += n, len -= n) {
		n = pwrite(fd, bytes, len, at);
		if (n < 0)
			return errno;
	}
	return 0;
}

/* Pieces come in order; a request that was sent again finds it has happened */
static int add(int fd, const struct file_request *r, const char *bytes,
	       size_t len, off_t have)
{
	if (be32toh(r->crc) != crc32(0, bytes, len))
		return EBADMSG;
	if (!r->offset && have && ftruncate(fd, 0))
		return errno;
	if (r->offset && be64toh(r->offset) != (uint64_t)have)
		return ESTALE;
	return write_all(fd, bytes, len, be64toh(r->offset));
}

static int finish(int dir, int fd, const char *part,
		  const struct file_request *r, off_t have)
{
	if (be64toh(r->offset) != (uint64_t)have)
		return ESTALE;
	if (be32toh(r->crc) != crc_of(fd)) {
		/* there is no telling which piece is wrong */
		ftruncate(fd, 0);
		return EBADMSG;
	}
	if (fsync(fd) || renameat(dir, part, dir, r->name))
		return errno;
	printf("%s: %lld bytes\n", r->name, (long long)have);
	return 0;
}

static int handle(int dir, const struct file_request *r, size_t len,
		  struct file_answer *a)
{
	char part[sizeof(r->name) + 8];
	struct stat st;
	int fd, error;

	if (len < sizeof(*r) || !memchr(r->name, 0, sizeof(r->name)) ||
	    strchr(r->name, '/') || !r->name[0] || r->name[0] == '.')
		return EINVAL;
	snprintf(part, sizeof(part), "%s.part", r->name);
	fd = openat(dir, part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (fd < 0 || fstat(fd, &st)) {
		error = errno;
	} else {
		switch (be32toh(r->op)) {
		case FILE_STATE:
			a->crc = htobe32(crc_of(fd));
			error = 0;
			break;
		case FILE_DATA:
			error = add(fd, r, (const char *)(r + 1),
				    len - sizeof(*r), st.st_size);
			break;
		case FILE_END:
			error = finish(dir, fd, part, r, st.st_size);
			break;
		default:
			error = EOPNOTSUPP;
		}
		if (!fstat(fd, &st))
			a->length = htobe64(st.st_size);
	}
	if (fd >= 0)
		close(fd);
	return error;
}

int main(int argc, char **argv)
{
	char *buf = malloc(MAX_MESSAGE);
	struct sockaddr_ttp from;
	struct file_answer a;
	int fd, dir;
	socklen_t len;
	ssize_t n;

	if (argc != 3 || !buf)
		errx(2, "usage: ttp_file_receive DIRECTORY PORT");
	dir = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		err(1, "%s", argv[1]);
	fd = server_socket(argv[2]);
	setlinebuf(stdout);
	puts("ready");
	for (;;) {
		len = sizeof(from);
		n = recvfrom(fd, buf, MAX_MESSAGE, 0, (struct sockaddr *)&from,
			     &len);
		if (n < 0)
			err(1, "recvfrom");
		memset(&a, 0, sizeof(a));
		a.error = htobe32(handle(dir, (void *)buf, n, &a));
		if (a.error)
			warnx("%s: %s", name_of(&from),
			      strerror(be32toh(a.error)));
		if (sendto(fd, &a, sizeof(a), 0, (struct sockaddr *)&from,
			   len) < 0)
			warn("%s", name_of(&from));
	}
}
