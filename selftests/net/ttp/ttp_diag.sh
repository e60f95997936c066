#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_diag.sh: sockets as sock_diag tells of them, and lists that are read while
# sockets come and go.
#
# short: SOCKETS=4000 ROUNDS=5
# spare: 6.12 7.3
# wall: 600
. ./ttp_lib.sh

ttp_up 2
ttp_diag "$@"
rc=$?

# The list of sockets may lack memory: that is all which fails here, where the
# kernel has means to make it.
slab=/sys/kernel/slab/radix_tree_node/failslab
if [ -e $slab ]; then
	cd /sys/kernel/debug/failslab || exit 1
	echo 1 >$slab
	echo Y >cache-filter
	echo Y >task-filter
	echo N >ignore-gfp-wait
	echo 0 >verbose
	echo -1 >times
	echo 100 >probability
	ttp_hold nomem >/tmp/nomem
	grep . /tmp/nomem
	[ "$(cat /tmp/nomem)" = "No buffer space available" ] || rc=1
	echo 0 >probability
	echo 0 >$slab
	echo N >task-filter
	echo N >cache-filter
	cd /
fi

# it would keep ttp from being removed
[ ! -d /sys/module/ttp_diag ] || rmmod ttp_diag || rc=1
exit $rc
