/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Entry points of the socket calls.
 */
#ifndef _NET_TTP_AF_TTP_H
#define _NET_TTP_AF_TTP_H

#include <linux/net.h>

#include "link.h"
#include "sock.h"

extern struct proto ttp_prot;
extern const struct net_proto_family ttp_family;

/**
 * ttp_mem_init() - set the limit of all received packets, in all namespaces
 *
 * Context: process, once, before the first socket.
 */
void ttp_mem_init(void);

/**
 * ttp_addr_check() - check an address that a program gives
 * @addr: the address
 * @len: its length, bytes
 *
 * Context: any.
 * Return: 0; -EINVAL if it is short or has bits that must be zero;
 * -EAFNOSUPPORT.
 */
int ttp_addr_check(const struct sockaddr_ttp *addr, int len);

/**
 * ttp_addr_link() - the device a destination is reached through
 * @sk: the socket, whose bindings count
 * @addr: the destination; checked
 *
 * Context: RCU read section.
 * Return: the link without a reference; ERR_PTR of the errno that the sending
 * call returns.
 */
struct ttp_link *ttp_addr_link(struct sock *sk,
			       const struct sockaddr_ttp *addr);

int ttp_sendmsg(struct socket *sock, struct msghdr *msg, size_t len);
int ttp_recvmsg(struct socket *sock, struct msghdr *msg, size_t len, int flags);
int ttp_setsockopt(struct socket *sock, int level, int name, sockptr_t val,
		   unsigned int len);
int ttp_getsockopt(struct socket *sock, int level, int name,
		   char __user *val, int __user *len);

/**
 * ttp_splice_eof() - a file that goes into the socket is at its end
 * @sock: the socket, whose message is complete
 *
 * Context: process, may sleep.
 */
void ttp_splice_eof(struct socket *sock);

#endif /* _NET_TTP_AF_TTP_H */
