#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# One frame lost, and what is done about it: each kind of frame, at each place
# of a message.  Then a peer that vanishes, and one that is only slow.
#
# cpus: 1
# wall: 300
# short: LIMITS=auto
# spare: 6.12 7.3
#
# LIMITS: of the unscheduled part and the window, each with each.

. ./ttp_lib.sh

: "${LIMITS:=auto,1,1501,4000}"

server_port=77

client() {	# WORD=VALUE...
	on h1 ttp_exchange client "$(mac 2)%eth0" $server_port "$@"
}

# peer hI: what is known of its only peer, as NAME=VALUE
peer() {
	on "$1" ttpctl -j peer show | sed 's/[][{}"]//g; s/:/=/g; s/,/ /g'
}

# What recovery may cost: the longer RTO of the two sides, and 3 RTT
measure() {
	virtual || return
	peer1=$(peer h1)
	peer2=$(peer h2)
	rtt_us=$(($(field srtt_ns "$peer1") / 1000))
	rto_us=$(field rto_us "$peer1")
	[ "$(field rto_us "$peer2")" -le $rto_us ] ||
		rto_us=$(field rto_us "$peer2")
	recovery_us=$((rto_us + 3 * rtt_us))
}
rtt_us=0 rto_us=0 recovery_us=0

# time in us that may pass, checked where time is not that of a slow machine
in_time() {	# DESCRIPTION US MAX
	virtual && within "$1, us" "$2" 0 "$3"
}

done_well() {	# DESCRIPTION OUTPUT COUNT
	same "$1" "$(field done "$2") $(field failed "$2") $(field wrong "$2")" \
		"$3 0 0"
}

recovers() {	# DESCRIPTION "CLIENT WORDS" "hI all|first WORD..." [...]
	what=$1
	words=$2
	shift 2
	quiet h1 h2
	base=0
	virtual && base=$(field us "$(client $words)") && quiet h1 h2
	limit=$((base + recovery_us))
	for where in "$@"; do
		lose $where
	done
	out=$(client $words)
	done_well "$what is mended" "$out" 1
	in_time "$what" "$(field us "$out")" $limit
	for where in "$@"; do
		within "$what: frames lost" "$(lost "${where%% *}")" 1 1
	done
	for where in "$@"; do
		lose_no_more "${where%% *}"
	done
	ok "$what leaves nothing behind" quiet h1 h2
}

ttp_up 2 delay 50us rate 10gbit
start h2 ttp_exchange server $server_port
done_well "warm-up" "$(client count=100 resp=9000)" 100
measure
# four queues of 50 us there and back; the floor of the time-out is 1 ms
if virtual; then
	within "round-trip time, us" $rtt_us 200 260
	within "time-out, us" $rto_us 1200 1600
fi

# 9000 bytes are 7 packets: 6 of 1428 bytes
data='type=data original=1'
recovers "the only packet of a request" "" "h1 all $data"
recovers "the only packet of a response" "" "h2 all $data"
recovers "an empty request" "req=0" "h1 all $data"
recovers "an empty response" "req=64 resp=0" "h2 all $data"
recovers "the first packet of a request" "req=9000" "h1 all $data offset=0"
recovers "a middle packet of a request" "req=9000" "h1 all $data offset=2856"
recovers "the last packet of a request" "req=9000" "h1 all $data offset=8568"
recovers "the first packet of a response" "resp=9000" "h2 all $data offset=0"
recovers "a middle packet of a response" "resp=9000" \
	"h2 all $data offset=2856"
recovers "the last packet of a response" "resp=9000" "h2 all $data offset=8568"
recovers "a GRANT of a request" "req=43001" "h2 first type=grant"
recovers "a GRANT of a response" "resp=43001" "h1 first type=grant"
recovers "the first GRANT of a long request" "req=400000" \
	"h2 first type=grant"
recovers "the first GRANT of a long response" "resp=400000" \
	"h1 first type=grant"
recovers "a RESEND to the client" "req=9000" \
	"h1 all $data offset=2856" "h2 first type=resend"
recovers "a RESEND to the server" "resp=9000" \
	"h2 all $data offset=2856" "h1 first type=resend"
measure
recovers "a one-way message" "oneway=1" "h1 all $data"
recovers "the last packet of a one-way message" "oneway=1 req=9000" \
	"h1 all $data offset=8568"
recovers "the ACK of a one-way message" "oneway=1" "h2 first type=ack"
# The client asks when it has heard nothing for as long as it expects frames
# to take, and every 200 ms at least
busy_us=20000
virtual || busy_us=1000000
recovers "a BUSY" "delay_us=$busy_us" "h2 first type=busy"

# The client has its response, the server waits for the ACK
server_free() {
	[ "$(counter h2 TtpRpcAnswered)" != "$answered" ]
}
quiet h1 h2
answered=$(counter h2 TtpRpcAnswered)
lose h1 first type=ack
out=$(client)
start_us=$(($(date +%s%N) / 1000))
n=0
until server_free || [ $n = 100000 ]; do
	n=$((n + 1))
	sleep 0.0001
done
us=$(($(date +%s%N) / 1000 - start_us))
ok "the server of a lost ACK is freed" server_free
in_time "the server of a lost ACK is freed" $us $((recovery_us + 100))
within "the ACK was lost" "$(lost h1)" 1 1
lose_no_more h1
ok "a lost ACK leaves nothing behind" quiet h1 h2

# Many at once
many() {	# DESCRIPTION hI
	quiet h1 h2
	sent1=$(counter h1 TtpOutPackets)
	sent2=$(counter h2 TtpOutPackets)
	lose "$2" all $data
	out=$(client count=200 flight=200)
	done_well "200 $1 lost at once" "$out" 200
	in_time "200 $1 lost at once" "$(field us "$out")" \
		$((recovery_us + 3 * rtt_us + 200 * 20))
	ok "200 $1 lost: at rest" quiet h1 h2
	within "200 $1 lost: at least those" "$(lost "$2")" 200 1000
	lose_no_more "$2"
	if virtual; then
		most=1000
	else
		most=4000	# slow machines wait too long, and ask again
	fi
	within "200 $1 lost: frames of the client" \
		$(($(counter h1 TtpOutPackets) - sent1)) 200 $most
	within "200 $1 lost: frames of the server" \
		$(($(counter h2 TtpOutPackets) - sent2)) 200 $most
}
many requests h1
many responses h2

# One RPC's packets are always lost: the others do not wait
base=$(field max_us "$(client count=100 flight=4 req=9000)")
start h2 ttp_exchange server 78
lose h1 all dport=78
on h1 ttp_exchange client "$(mac 2)%eth0" 78 timeout_ms=2000 >/tmp/lonely &
lonely=$!
wait_for 5 has h1 TtpCurrRpcs
out=$(client count=100 flight=4 req=9000)
done_well "others go on while one cannot" "$out" 100
in_time "others are not delayed" "$(field max_us "$out")" \
	$((base + base / 5))
wait $lonely
lose_no_more h1
# The peer is alive, so it is not silent; silence of an RPC counts from there
within "the unlucky one timed out or lives" \
	"$(field ETIMEDOUT "$(cat /tmp/lonely)")" 1 1

# A peer that vanished
gives_up() {	# DESCRIPTION MS "CLIENT WORDS"
	out=$(client $3)
	same "$1: ETIMEDOUT" "$(field ETIMEDOUT "$out")" 1
	virtual && within "$1, ms" $(($(field us "$out") / 1000)) \
		$(($2 * 9 / 10)) $(($2 * 11 / 10))
}
quiet h1 h2
lose h1 all
sent1=$(counter h1 TtpOutPackets)
gives_up "all frames lost" 1000 ""
# doubled up to an eighth of the limit, that is a dozen
within "all frames lost: less and less often, frames" \
	$(($(counter h1 TtpOutPackets) - sent1)) 6 20
gives_up "all frames lost, TTP_TIMEOUT_MS below the default" 150 timeout_ms=150
gives_up "all frames lost, TTP_TIMEOUT_MS above the default" 2500 \
	timeout_ms=2500
gives_up "all frames lost, deadline" 70 deadline_ms=70
on h1 ttpctl param set dead-timeout 300ms
gives_up "all frames lost, dead-timeout 300ms" 300 ""
gives_up "a one-way message" 300 oneway=1
gives_up "a long message" 300 req=1000000
on h1 ttpctl param set dead-timeout 1s
lose_no_more h1
ok "time-outs leave nothing behind" quiet h1 h2

on sw ip link set p2 down
gives_up "the switch port is down" 1000 ""
on sw ip link set p2 up
wait_for 5 on h1 ttpctl ping "$(mac 2)%eth0" -c 1
done_well "it is up again" "$(client)" 1

(sleep 0.1; on sw ip link set p2 down) &
gives_up "the peer vanishes while it works" 1100 delay_us=5000000
wait $!
on sw ip link set p2 up
wait_for 5 on h1 ttpctl ping "$(mac 2)%eth0" -c 1
sleep 6		# the server works on it
ok "the server has forgotten it" quiet h1 h2

# A slow one, and one that refuses
out=$(client delay_us=3000000)
done_well "a server that takes 3 s" "$out" 1
in_time "a server that takes 3 s" "$(field us "$out")" 3010000
gives_up "a deadline, the server being alive" 200 \
	"delay_us=1000000 deadline_ms=200"
sleep 1
ok "at rest after the deadline" quiet h1 h2

out=$(on h1 ttp_exchange client "$(mac 2)%eth0" 9)
same "nobody listens: ECONNREFUSED" "$(field ECONNREFUSED "$out")" 1
in_time "nobody listens" "$(field us "$out")" $((rtt_us * 3 / 2))

# Limits that must not stop a message behind its unscheduled part
limits=$(echo "$LIMITS" | tr , ' ')
for unsched in $limits; do
	for window in $limits; do
		for h in h1 h2; do
			on $h ttpctl dev set eth0 unsched $unsched \
				window $window
		done
		at=$unsched
		[ $at != auto ] || at=40000
		[ $at != 1 ] || at=1500
		out=$(client count=9 req=$at,$((at + 1)),300000 \
			resp=$((at + 1)),300000,$at)
		done_well "unsched $unsched, window $window" "$out" 9
	done
done
for h in h1 h2; do
	on $h ttpctl dev set eth0 unsched auto window auto
done
ok "at rest in the end" quiet h1 h2
tap_done
