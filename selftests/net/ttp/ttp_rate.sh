#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A card's rate changes, and its carrier goes and comes: what is sent, and what
# is granted, follows.
#
# slow: yes
# kernels: uml
# wall: 200

. ./ttp_lib.sh
. ./perf_lib.sh

fabric 4 rate=25000 delay_ns=500
with_ttp backlog 500ns
servers=
for i in 1 2 3 4; do
	start h$i ttpperf server -p 7000
	servers="$servers $started"
done

speed() {	# is h1's, as TTP knows it, so many Mbit/s?
	on h1 ttpctl -j dev show eth0 | grep -q "\"speed_mbps\":$1[,}]"
}

change() {	# MBPS
	ok "the card is told $1 Mbit/s" on h1 ethtool -s eth0 speed $1 \
		duplex full autoneg off
	ok "and TTP hears of it" wait_for 5 speed $1
}

stream() {	# FROM TO N: in the background, $started
	on h$1 ttpperf -q -f json stream --to "$(mac $2)%eth0" -p 7000 \
		-s 500000 -n $3 -d 4 >/tmp/perf 2>/tmp/perf.err &
	started=$!
}

# short messages of h1 beside long ones to two others: their P99
beside() {
	busy=
	for i in 3 4; do
		stream 1 $i 100000
		busy="$busy $started"
	done
	sleep 0.01
	on h1 ttpperf -q -f json pingpong --to "$(mac 2)%eth0" -p 7000 -s 100 \
		-n 500 >/tmp/perf 2>/tmp/perf.err
	kill $busy
	wait $busy 2>/dev/null
	sleep 0.1
	us all p99
}

gbps() {	# FROM TO: of long messages
	stream $1 $2 200
	wait $started
	value goodput_gbps
}

# what one message to h1 may have on the way: a window, that is two round trips
window() {
	stream 3 1 20
	most=0
	for i in $(seq 20); do
		sleep 0.0001
		set -- $(on h1 ttpctl -j rpc show | tr ',{}' '\n' | awk -F: '
			/"in_received"/ { r = $2 }
			/"in_granted"/ && $2 - r > n { n = $2 - r }
			END { print n + 0 }')
		[ $1 -le $most ] || most=$1
	done
	wait $started
	echo $most
}

fast_out=$(gbps 1 3)
fast_in=$(gbps 3 1)
fast_p99=$(beside)
fast_window=$(window)
change 10000
slow_out=$(gbps 1 3)
slow_in=$(gbps 3 1)
slow_p99=$(beside)
slow_window=$(window)
is "what is sent, Gbit/s" "$slow_out" ">" "$fast_out * 10 / 25 * 0.97"
is "what arrives, Gbit/s" "$slow_in" ">" "$fast_in * 10 / 25 * 0.97"
is "a short one waits for 500 ns and two frames more, us" "$slow_p99" "<" \
	"$fast_p99 + 3"
is "a window is less, bytes" "$slow_window" "<" "$fast_window * 0.75"

# what would happen if it did not follow
on h1 ttpctl dev set eth0 rate 25gbit
is "paced at the old rate it would wait longer, us" "$(beside)" ">" \
	"2 * $slow_p99"
on h1 ttpctl dev set eth0 rate auto

change 25000
close_to "what is sent, as before, Gbit/s" "$(gbps 1 3)" "$fast_out" 3
close_to "what arrives" "$(gbps 3 1)" "$fast_in" 3
close_to "how long a short one takes" "$(beside)" "$fast_p99" 10

# the cable is out for a while, under load both ways
stream 1 3 400
out=$started
stream 4 1 400
in=$started
sleep 0.002
ip -n h1 link set eth0 carrier off
sent=$(counter h1 TtpOutBytes)
sleep 0.5
ok "without carrier the rate is still known" speed 25000
is "and little is sent in half a second, bytes" "$(counter h1 TtpOutBytes) - $sent" "<" \
	1000000
ip -n h1 link set eth0 carrier on
wait $out
same "all that was to be sent gets there" $? 0
wait $in
same "and all that was to come" $? 0
same "none timed out" \
	"$(counter h1 TtpRpcTimeout) $(counter h4 TtpRpcTimeout)" "0 0"
close_to "and the rate is what it was" "$(gbps 1 3)" "$fast_out" 3

kill $servers
wait $servers 2>/dev/null
for i in $(seq $hosts_n); do on h$i ttpctl dev del eth0; done
fabric_down
ok "the module can be removed" wait_for 5 rmmod ttp
tap_done
