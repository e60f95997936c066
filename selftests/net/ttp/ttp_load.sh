#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_load.sh: loading on demand, unloading, loading again.
#
# cpus: 1

. ./ttp_lib.sh

loaded() { [ -d /sys/module/ttp ]; }
gone() { ! loaded; }

[ ! -d /sys/module/ttp ] || rmmod ttp
not_ok "the module is not loaded at first" loaded

# a server socket asks for net-pf-18
ttp_echo_server 7 &
server=$!
ok "socket() loads the module" wait_for 10 loaded
not_ok "it stays while a socket is open" rmmod ttp
kill $server
wait $server 2>/dev/null
ok "it goes when the socket is closed" wait_for 5 rmmod ttp

ok "ttpctl loads it by the name of the netlink family" ttpctl info
ok "and it goes again" rmmod ttp

n=0
while [ $n -lt 10 ] && modprobe ttp && rmmod ttp; do n=$((n + 1)); done
same "it is loaded and unloaded ten times" $n 10

ttp_up 2
on h2 ttp_echo_server 7 &
server=$!
wait_for 5 sh -c 'on h2 ttpctl sock show | grep -qw 7'
ok "two hosts talk" on h1 ttp_echo_client "$(mac 2)%eth0" 7 3 100
kill $server
wait $server 2>/dev/null
ok "it goes with devices enabled and peers known" wait_for 5 rmmod ttp
ok "and comes back" modprobe ttp
same "nothing is enabled then" "$(on h1 ttpctl dev show | wc -l)" 1
on h1 ttpctl dev add eth0
on h2 ttpctl dev add eth0
on h2 ttp_echo_server 7 &
wait_for 5 sh -c 'on h2 ttpctl sock show | grep -qw 7'
ok "the hosts talk again" on h1 ttp_echo_client "$(mac 2)%eth0" 7 3 100
kill $!
hosts_down
ok "it goes after its namespaces" wait_for 5 rmmod ttp
ok "nothing of it is left" gone
tap_done
