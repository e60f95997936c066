#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# cpu_guest.sh: run by bench-cpu in a guest that counts instructions (one CPU,
# an instruction takes 1 ns): what calls cost, both ends together.  Prints
# cpu TRANSPORT SIZE DEPTH NS PACKETS IDLE, each for one call.
. /mnt/lib/hosts.sh

for h in 1 2; do
	ip netns add h$h
done
ip link add eth0 netns h1 address "$(mac 1)" type veth peer name eth0 \
	netns h2 address "$(mac 2)"
hosts_n=2
hosts_each fabric_up
modprobe ttp || exit 1
for h in h1 h2; do
	on $h ttpctl dev add eth0 || exit 1
done

packets() {
	ip netns exec h1 cat /sys/class/net/eth0/statistics/rx_packets \
		/sys/class/net/eth0/statistics/tx_packets |
		awk '{ n += $1 } END { print n }'
}

idle() {
	awk '{ printf "%d\n", $2 * 1000000000 }' /proc/uptime
}

measure() {	# TRANSPORT SIZE DEPTH COUNT
	to=$(addr 2)
	[ "$1" != ttp ] || to=$(mac 2)%eth0
	before=$(packets)
	idle=$(idle)
	on h1 ttpperf -q -f json pingpong --to "$to" -t "$1" -s "$2" -d "$3" \
		-n "$4" --conns "$3" --warmup 10 >/tmp/result || exit 1
	idle=$(($(idle) - idle))
	after=$(packets)
	awk -v t="$1" -v s="$2" -v d="$3" -v n="$4" -v p=$((after - before)) \
	    -v idle=$idle '
		match($0, /"seconds": [0-9.]+/) {
			seconds = substr($0, RSTART + 11, RLENGTH - 11) }
		match($0, /"calls": [0-9]+/) {
			calls = substr($0, RSTART + 9, RLENGTH - 9) }
		END { printf "cpu %s %s %d %.0f %.2f %.0f\n", t, s, d,
		      seconds * 1e9 / calls, p / n, idle / n }' /tmp/result
}

for t in ttp tcp udp; do
	on h2 ttpperf server -t $t >/tmp/server.$t 2>&1 &
done
for t in ttp tcp udp; do
	tries=0
	until grep -q ready /tmp/server.$t; do
		tries=$((tries + 1))
		[ $tries -lt 100 ] || { cat /tmp/server.$t; exit 1; }
		sleep 0.1
	done
done
# Whole steps of 16, for ttpperf makes no others
for t in ttp tcp udp; do
	for d in 1 16; do
		measure $t 32 $d ${CALLS:-2000}
		measure $t 1024 $d ${CALLS:-2000}
		[ $t != udp ] || continue
		measure $t 65536 $d $((${CALLS:-2000} / 128 * 16))
		measure $t 1048576 $d $((${CALLS:-2000} / 640 * 16))
	done
done
