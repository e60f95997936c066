#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_contract.sh: the user interface, sentence by sentence; contract.list says
# which test shows what.  Arguments are for all programs.
# cpus: 1
# wall: 600

. ./ttp_lib.sh

ttp_up 2
bad=0
for part in mem opt msg; do
	ttp_contract_$part "$@" || bad=1
done

# a second device for h1
ip -batch - <<-EOT || exit 1
	netns add h3
	link add eth1 netns h1 address 02:00:00:00:00:0b type veth peer name eth0 netns h3 address 02:00:00:00:00:03
EOT
ip -n h1 link set eth1 up || exit 1
ip -n h3 link set eth0 up || exit 1
on h1 ttpctl dev add eth1 || exit 1
on h3 ttpctl dev add eth0 || exit 1
ttp_contract_addr "$@" || bad=1
exit $bad
