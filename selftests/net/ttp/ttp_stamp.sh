#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Cards that gather what arrives for an interrupt: with their time stamps that
# delay is told from those of the network, and a short target does not stop all.
#
# slow: yes
# kernels: uml
# wall: 400

. ./ttp_lib.sh
. ./perf_lib.sh

pairs=8
counted() {	# COUNTER: of all hosts
	n=0
	for i in $(seq $hosts_n); do
		n=$((n + $(counter h$i $1)))
	done
	echo $n
}

# core STAMP: eight hosts send to eight others through a link of twice a host's
# rate, 4:1; all cards wait for 20 us before they tell what has arrived
core() {
	fabric $((2 * pairs)) rate=25000 rack=$pairs core_rate=50000 \
		delay_ns=500 shared=1 buffer_kb=12800 rx_wait_ns=20000 stamp=$1
	with_ttp backlog 500ns delay-target 5us
	servers=
	clients=
	for i in $(seq $((pairs + 1)) $((2 * pairs))); do
		on h$i ttpperf server -p 7000 >/tmp/s$i 2>&1 &
		servers="$servers $!"
		wait_for 5 grep -q ready /tmp/s$i
	done
	for i in $(seq $pairs); do
		on h$i ttpperf -q stream --to "$(mac $((pairs + i)))%eth0" \
			-p 7000 -s 500000 -a 8 -n 300 -d 2 >/tmp/c$i 2>&1 &
		clients="$clients $!"
	done
	sleep 0.01
	watch_port leaf0.spine0 0.02 50
	wait $clients
	queue=$(port_field p99)
	kill $servers
	wait $servers 2>/dev/null
	sleep 0.1
	stamped=$(counted TtpInStamped)
	packets=$(counted TtpInPackets)
	for i in $(seq $hosts_n); do on h$i ttpctl dev del eth0; done
	fabric_down
}

core 0
without=$use
same "no stamps: none is counted" "$stamped" 0
core 1
same "stamps: all packets have one" "$stamped" "$packets"
# what the target of 5 us is for: see ttp_core.sh, where cards do not gather
is "stamps: the core is used, %" "$use" ">=" 75
is "and many times as much as without, %" "$use" ">" "4 * $without"
ok "the module can be removed" wait_for 5 rmmod ttp
tap_done
