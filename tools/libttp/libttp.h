/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * libttp: addresses of AF_TTP as text, by name, and by IP address.
 *
 * Nothing in here is needed to use the sockets.  See libttp(3), and ttp(7).
 */
#ifndef _LIBTTP_H
#define _LIBTTP_H

#include <stddef.h>
#include <sys/socket.h>
#include <linux/ttp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Room for any address in text form, with the end of the string */
#define TTP_ADDRSTRLEN	64

/**
 * ttp_pton() - read an address in text form
 * @text: MAC, MAC%DEV, [MAC]:PORT or [MAC%DEV]:PORT; the device by name or
 *	index
 * @addr: is filled in; parts that are missing become 0
 *
 * Return: 1, or 0 with errno if it is no such text (EINVAL), or names a device
 * that is not there (ENODEV).
 */
int ttp_pton(const char *text, struct sockaddr_ttp *addr);

/**
 * ttp_ntop() - write an address as text
 * @addr: address; its tag (sttp_rpc) has no text form
 * @text: gets the text, in a form that ttp_pton() reads
 * @size: of @text; TTP_ADDRSTRLEN suffices
 *
 * Return: @text, or NULL with errno.
 */
const char *ttp_ntop(const struct sockaddr_ttp *addr, char *text, size_t size);

/**
 * ttp_resolve() - find a host by its name
 * @name: any form of ttp_pton(), an IP address, a name of /etc/ethers, or a
 *	host name; all but the first may be followed by %DEV
 * @port: in host order; a port in @name goes before
 * @timeout_ms: how long to wait for a neighbour that is not known yet; -1 is a
 *	second.  Name servers have time-outs of their own.
 * @addr: is filled in
 *
 * Return: 0, or -1 with errno.
 */
int ttp_resolve(const char *name, unsigned short port, int timeout_ms,
		struct sockaddr_ttp *addr);

/**
 * ttp_from_ip() - find the host that has an IP address
 * @ip: struct sockaddr_in or sockaddr_in6; its port is used
 * @len: of @ip
 * @timeout_ms: as for ttp_resolve()
 * @addr: is filled in
 *
 * Return: 0, or -1 with errno.
 */
int ttp_from_ip(const struct sockaddr *ip, socklen_t len, int timeout_ms,
		struct sockaddr_ttp *addr);

/**
 * ttp_to_ip() - find an IP address of a host
 * @addr: of the host; its port is used
 * @family: AF_INET, AF_INET6, or AF_UNSPEC for either
 * @ip: is filled in; struct sockaddr_storage suffices
 * @len: size of @ip, and then of what was filled in
 *
 * Return: 0, or -1 with errno.
 */
int ttp_to_ip(const struct sockaddr_ttp *addr, int family, struct sockaddr *ip,
	      socklen_t *len);

#ifdef __cplusplus
}
#endif

#endif /* _LIBTTP_H */
