#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_errno.sh: every errno; see ttp_errno.c for what devices it wants.
# cpus: 1
# wall: 600

. ./ttp_lib.sh

ttp_up 2
ip -batch - <<-EOT || exit 1
	netns add h3
	link add eth1 netns h1 address 02:00:00:00:00:0b type veth peer name eth0 netns h3 address 02:00:00:00:00:03
EOT
ip -n h3 link set eth0 up || exit 1
ip -n h1 -batch - <<-EOT || exit 1
	link set eth1 up
	link add off0 up type dummy
	link add off1 type dummy
	link add down0 type dummy
EOT
on h3 ttpctl dev add eth0 || exit 1
on h1 ttpctl dev add eth1 || exit 1
on h1 ttpctl dev add down0 || exit 1
exec ttp_errno "$@"
