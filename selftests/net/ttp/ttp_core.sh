#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A network whose core is the bottleneck: what a receiver grants is steered by
# delay.
#
# slow: yes
# kernels: uml
# wall: 300

. ./ttp_lib.sh
. ./perf_lib.sh

# Eight hosts send to eight others, through a link of twice a host's rate: 4:1
pairs=8
fabric $((2 * pairs)) rate=25000 rack=$pairs core_rate=50000 delay_ns=500 \
	shared=1 buffer_kb=12800
with_ttp backlog 500ns delay-target 5us

start_servers() {
	for i in $(seq $((pairs + 1)) $((2 * pairs))); do
		on h$i ttpperf server -p 7000 >/tmp/s$i 2>&1 &
		servers="$servers $!"
		wait_for 5 grep -q ready /tmp/s$i
	done
}

# load N: messages of 500,000 bytes from each
load() {
	clients=
	for i in $(seq $pairs); do
		on h$i ttpperf -q stream --to "$(mac $((pairs + i)))%eth0" \
			-p 7000 -s 500000 -a 8 -n "$1" -d 2 >/tmp/c$i 2>&1 &
		clients="$clients $!"
	done
}

# core: the middle of a load; its queue (P99) and use of the link to the core
core() {
	load 400
	sleep 0.01
	status=$(on h$((pairs + 1)) ttp_status 1 10)
	limited=$(($(field flags "$status") & 2))
	watch_port leaf0.spine0 0.02 50
	wait $clients
	queue=$(port_field p99)
}

delay_target() {
	for i in $(seq $hosts_n); do
		on h$i ttpctl dev set eth0 delay-target $1 || exit 1
	done
}

start_servers
core
is "4:1, target 5us: queue before the core, P99 bytes" "$queue" "<" \
	"2 * 5000 * 50 / 8"
is "4:1, target 5us: use of the core, %" "$use" ">=" 90
same "TTP_STATUS tells that the sender is limited by delay" "$limited" 2
same "nothing is dropped" "$(sum dropped .)" 0
delay_target 10us
core
is "4:1, target 10us: queue, P99 bytes" "$queue" "<" "2 * 10000 * 50 / 8"
is "4:1, target 10us: use, %" "$use" ">=" 90
delay_target off
core
is "4:1, off: a queue that shows what the target does, P99 bytes" "$queue" ">" \
	"2 * 10000 * 50 / 8"
same "and that it is not" "$limited" 0
kill $servers
wait $servers 2>/dev/null
for i in $(seq $hosts_n); do on h$i ttpctl dev del eth0; done
fabric_down
ok "the module can be removed" wait_for 5 rmmod ttp
tap_done
