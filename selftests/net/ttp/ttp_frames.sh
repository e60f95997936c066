#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Frames that are wrong, against RPCs in every state.
#
# cpus: 1
. ./ttp_lib.sh
. ./raw_lib.sh
ttp_raw_up
# nothing ends by itself; VLAN 5 is nobody's business
on h1 ttpctl param set dead-timeout 3600s || exit 1
hosts_batch ip -n h1 <<-EOT
	link add link eth1 name eth1.5 type vlan id 5
	link set eth1.5 up
EOT
[ -c /dev/net/tun ] || modprobe tun	# no udev here that would
exec ttp_frames "$@"
