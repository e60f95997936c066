#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_compat.sh: 32-bit programs on a 64-bit kernel: the tests of the socket
# calls again, between sockets of one host where that will do.
# kernels: 6.1 6.12 7.3
# cpus: 1

. ./ttp_lib.sh

PATH=/mnt/bin32:$PATH
bad=0

part() {	# TEST [ARG]...
	echo "# 32 bits: $*"
	sh "./$@" || bad=1
	for ns in $(ip netns list | cut -d' ' -f1); do
		ip netns pids "$ns" | xargs -r kill -9
		ip netns del "$ns"
	done
}

bits() {	# PROGRAM: of which class is it?
	echo $((32 * $(od -An -tu1 -j4 -N1 "$(command -v "$1")")))
}

# Otherwise it would all be for nothing
for program in ttp_sock ttp_errno ttp_wait ttp_limits ttp_end ttp_exchange \
	       ttp_contract_mem ttp_contract_opt ttp_contract_msg \
	       ttp_contract_addr ttp_more ttp_zerocopy ttp_options; do
	same "$program is a 32-bit program" "$(bits $program)" 32
done

ttp_up 2
start h2 ttp_exchange server 77
out=$(on h1 ttp_exchange client "$(mac 2)%eth0" 77 count=20)
same "20 RPCs between 32-bit programs" "$(field done "$out")" 20
same "with the right content" "$(field wrong "$out")" 0
out=$(on h1 /mnt/bin/ttp_exchange client "$(mac 2)%eth0" 77 count=20)
same "20 RPCs from a 64-bit program to one" "$(field done "$out")" 20
echo "1..$tap_n"
[ $tap_bad = 0 ] || bad=1
kill $started
hosts_down

part ttp_contract.sh
part ttp_sock.sh -v loop -f ttp_netns
part ttp_errno.sh -F ttp_dev
part ttp_wait.sh -v loop
part ttp_end.sh -v loop
part ttp_limits.sh -f ttp_limits
part ttp_more.sh -v loop
part ttp_zerocopy.sh -v loop
part ttp_options.sh -v loop
exit $bad
