#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Random frames in between real traffic.  FRAMES=100000 for more of them,
# LAB_SEED for others.
#
# cpus: 1
. ./ttp_lib.sh
. ./raw_lib.sh
ttp_raw_up
on h1 ttpctl param set dead-timeout 5s || exit 1
ttp_fuzz "${FRAMES:-20000}" "${LAB_SEED:-1}"
ok "random frames among real traffic" [ $? = 0 ]
ok "h1 comes to rest" quiet h1
ok "h2 comes to rest" quiet h2
ok "peers can be forgotten" on h1 ttpctl peer flush
ok "the devices can be disabled" on h1 ttpctl dev del eth1
ok "and the other one" on h1 ttpctl dev del eth0
tap_done
