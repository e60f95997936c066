#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Two devices of a host, a fast one and a slow one, do not influence each other.
#
# slow: yes
# kernels: uml
# wall: 200

. ./ttp_lib.sh
. ./perf_lib.sh

# h1 gets the card of h2, too; what goes through that is paced at 1 Gbit/s
fabric 4 rate=25000 delay_ns=500
ip -n h2 link set eth0 down
ip -n h2 link set eth0 name eth1 netns h1
ip -n h1 link set eth1 up
modprobe ttp
on h1 ttpctl dev add eth0 backlog 500ns
on h1 ttpctl dev add eth1 backlog 500ns rate 1gbit
on h3 ttpctl dev add eth0 backlog 500ns
on h4 ttpctl dev add eth0 backlog 500ns rate 1gbit
servers=
for h in h3 h4; do
	start $h ttpperf server -p 7000
	servers="$servers $started"
done

fast() {	# ARG...: with h3, over the fast one
	on h1 ttpperf -q -f json "$@" --to "$(mac 3)%eth0" -p 7000 \
		>/tmp/perf 2>/tmp/perf.err
}

slow() {	# with h4, over the slow one, in the background
	on h1 ttpperf -q -f json stream --to "$(mac 4)%eth1" -p 7000 -s 500000 \
		-a 8 -n "$1" -d 4 >/tmp/slow 2>/tmp/slow.err &
	slow=$!
}

fast pingpong -s 100 -n 500
alone=$(us all p99)
fast stream -s 500000 -a 8 -n 400 -d 4
alone_gbps=$(value goodput_gbps)
slow 20
wait $slow
slow_alone=$(sed -n 's/.*"goodput_gbps": \([0-9.]*\).*/\1/p' /tmp/slow)
close_to "the slow one alone, Gbit/s" "$slow_alone" 0.93 4

runs() {	# DESCRIPTION PID HOST: it still does, and the host receives
	bytes=$(counter $3 TtpInBytes)
	sleep 0.002
	ok "$1" kill -0 $2
	is "and sends, bytes" "$(counter $3 TtpInBytes) - $bytes" ">" 100000
}

slow 1000
sleep 0.01
fast pingpong -s 100 -n 500
is "P99 over the fast one beside the slow one, us" "$(us all p99)" "<=" \
	"$alone * 1.02"
fast stream -s 500000 -a 8 -n 400 -d 4
is "Gbit/s of the fast one beside the slow one" "$(value goodput_gbps)" ">=" \
	"$alone_gbps * 0.99"
runs "the slow one is still busy" $slow h4
kill $slow
wait $slow 2>/dev/null

# and the other way round: both ways of the fast one are full
on h1 ttpperf -q stream --to "$(mac 3)%eth0" -p 7000 -s 500000 -n 100000 -d 4 \
	>/dev/null 2>&1 &
busy=$!
sleep 0.005
slow 20
wait $slow
runs "the fast one is still busy" $busy h3
is "Gbit/s of the slow one beside the fast one" \
	"$(sed -n 's/.*"goodput_gbps": \([0-9.]*\).*/\1/p' /tmp/slow)" ">=" \
	"$slow_alone * 0.99"
kill $busy $servers
wait 2>/dev/null
on h1 ttpctl dev del eth0
on h1 ttpctl dev del eth1
on h3 ttpctl dev del eth0
on h4 ttpctl dev del eth0
ip -n h1 link set eth1 down
ip -n h1 link set eth1 name eth0 netns h2 2>/dev/null
fabric_down
ok "the module can be removed" wait_for 5 rmmod ttp
tap_done
