#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Two machines with a kernel each: the module of one is taken out and put in
# again while the other waits for it.  ECONNRESET, and nothing runs twice.
# Machine 1 calls and judges; machine 2 serves, and goes by its counters.
# Not on uml-debug: lockdep ends with the first packet of UML's own driver.
#
# slow: yes
# machines: 2
# kernels: uml 7.3

. ./ttp_lib.sh

port=77
memory=/tmp/memory
wire=vec0
[ -d /sys/class/net/vec0 ] || { modprobe virtio_net && wire=eth0; }

count() {
	awk -v n="$1" '$1 == n { v = $2 } END { print v + 0 }' \
		/proc/net/ttp/snmp
}

quiet_here() {
	awk '/^TtpCurr(Rpcs|Mem)/ { n += $2 } END { exit n != 0 }' \
		/proc/net/ttp/snmp
}

at_least() {
	[ "$(count "$1")" -ge "$2" ]
}

wait_until() {
	wait_for 60 at_least "$@" && return
	tap_line "not ok" "machine $LAB_MACHINE waits for $1 = $2"
	grep '[1-9]$' /proc/net/ttp/snmp | sed 's/^/# /'
	tap_done
}

on_wire() {
	ttpctl dev add $wire
}

unload() {
	wait_for 10 rmmod ttp
}

mute() {
	tc qdisc add dev $wire clsact
	tc filter add dev $wire egress protocol 802.1q matchall action drop
}

speak() {
	tc qdisc del dev $wire clsact
}

other_answers() {
	ttpctl ping "$other" -c 1
}

other_is_mute() {
	! other_answers
}

address() {
	echo 02:00:00:00:00:0"$1"
}

# ---- machine 2

# Whoever asks finds somebody who would answer
serve() {
	modprobe ttp || exit 1
	ttp_exchange server $port memory=$memory >/tmp/server &
	server=$!
	wait_for 20 grep -q '^ready' /tmp/server && on_wire
}

stop_serving() {
	kill $server
	wait $server 2>/dev/null
}

server_machine() {
	serve || exit 1

	# goodbye: programs end, and so does the module
	wait_until TtpRpcServer 9
	stop_serving
	ok "server: the module goes" unload
	ok "server: and comes" serve

	# no goodbye: as if the machine had died
	wait_until TtpRpcServer 3
	mute
	stop_serving
	unload
	speak
	serve

	# the client does not know us, we run its request, and die
	wait_until TtpRpcServer 2
	wait_for 20 quiet_here
	mute
	wait_until TtpRpcServer 3
	stop_serving
	unload
	speak
	serve

	# now the client's module goes; the third is one of those it leaves
	wait_until TtpRpcServer 3
	wait_until TtpCloseIn 1
	ok "server: nothing is left of a client that is gone" \
		wait_for 10 quiet_here
	wait_until TtpCloseIn 2
	stop_serving
	ok "server: the module goes at last" unload
}

# ---- machine 1

client() {	# WORD=VALUE...
	ttp_exchange client "$other" $port timeout_ms=60000 "$@" >/tmp/out 2>&1
	out=$(cat /tmp/out)
}

# One that is answered is of the new incarnation: in the old one the server
# had ended before the client was told
answered() {
	client
	[ "$(field done "$out")" = 1 ]
}

reset() {	# DESCRIPTION N
	same "$1: ECONNRESET" "$(field ECONNRESET "$out")" "$2"
	same "$1: no answer" "$(field done "$out")" 0
	within "$1: long before the timeout, ms" \
		$(($(field us "$out") / 1000)) 0 20000
	ok "$1: it comes back, and answers" wait_for 30 answered
	never_twice "$1"
}

never_twice() {
	out=$(ttp_exchange report "$other" $port)
	echo "# $out"
	same "$1: nothing was run twice" "$(field twice "$out")" 0
	same "$1: nothing was damaged" "$(field wrong "$out")" 0
}

client_machine() {
	modprobe ttp && on_wire || exit 1
	ok "client: the server answers" wait_for 30 other_answers

	# the first is being served, the others wait for it
	client count=9 flight=9 delay_us=60000000
	reset "goodbye" 9

	client delay_us=60000000
	reset "no goodbye" 1

	wait_for 30 other_is_mute
	ttpctl peer flush >/dev/null
	client
	reset "a server we did not know" 1

	ran=$(count TtpRpcClient)
	ttp_exchange client "$other" $port count=4 flight=4 \
		delay_us=1000000 >/tmp/out 2>&1 &
	wait_until TtpRpcClient $((ran + 4))
	kill $!
	wait $! 2>/dev/null
	ok "client: the module goes" unload
	ok "client: and comes" modprobe ttp
	on_wire
	client count=1000 flight=20 req=mix resp=mix timeout_ms=60000
	same "client: goes on" "$(field done "$out")" 1000
	never_twice "client reloaded"
	ok "client: the module goes at last" unload
}

ip link set $wire address "$(address "$LAB_MACHINE")" up
other=$(address $((3 - LAB_MACHINE)))%$wire
case $LAB_MACHINE in
1)	client_machine ;;
2)	server_machine ;;
esac
tap_done
