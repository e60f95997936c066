#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_options.sh: what the socket layer offers to all: time stamps, filters,
# priorities, marks, busy polling.
# cpus: 1

. ./ttp_lib.sh

# The first socket that wants time stamps has the kernel's code patched, which
# emulated CPUs do not survive under traffic: it is there before.
socat -u UDP-RECV:9,so-timestamp=1 - >/dev/null &
ttp_up 2
# Packets of priority 5 are counted apart
on h1 tc qdisc replace dev eth0 root handle 1: prio bands 3 \
	priomap 0 0 0 0 0 2 0 0 0 0 0 0 0 0 0 0 || exit 1
on h1 tc qdisc add dev eth0 parent 1:3 handle 30: pfifo || exit 1
[ $# = 0 ] || exec ttp_options "$@"
ttp_options -F options_napi -F options_loss
rc=$?
# A device with NAPI has something to poll: one end of a veth pair that merges
# what the other end does not send in one
for i in 1 2; do
	on h$i ethtool -K eth0 gro on
	on sw ethtool -K p$i tso off >/dev/null
done
ttp_options -f options_napi || rc=1
on h1 tc qdisc del dev eth0 root
hosts_change delay 24us loss 8%
ttp_options -f options_loss && exit $rc
