#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_clash.sh: another module has the number of the address family.
# kernels: uml uml-debug

. ./ttp_lib.sh

loads() {
	dmesg -c >/dev/null
	modprobe ttp
}

modprobe ttp_squat || exit 1
not_ok "with its family taken the module does not load" loads
ok "it says why, and what to do" sh -c \
	'dmesg | grep -q "ttp: address family 18 is in use; build with AF_TTP="'
not_ok "nothing is left of it" [ -d /sys/module/ttp ]
not_ok "nor in /proc/net" [ -e /proc/net/ttp ]
ok "without the other one" rmmod ttp_squat
ok "it loads" loads
ok "and ends" rmmod ttp
tap_done
