#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Hosts that start anew while they are talked to, with and without a goodbye;
# frames that come again, late; devices that go away, move, change their name.
# No request is ever run twice, and nobody waits for what cannot come.
#
# slow: yes
# cpus: 1
# wall: 300
# spare: 6.12 7.3

. ./ttp_lib.sh

port=77
server=$(mac 2)%eth0

client() {	# WORD=VALUE...
	on h1 ttp_exchange client "$server" $port "$@"
}

# The same in the background, as $pid, with its output in /tmp/out
begin() {
	begun=$(counter h2 TtpRpcServer)
	failed=$(counter h1 TtpRpcFailed)
	on h1 ttp_exchange client "$server" $port "$@" \
		>/tmp/out 2>&1 &
	pid=$!
}

# Has the server got so many of them?
arrived_now() {
	[ $(($(counter h2 TtpRpcServer) - begun)) -ge "$1" ]
}

arrived() {
	wait_for 20 arrived_now "$1" && return
	tap_line "not ok" "$1 requests arrive"
}

failed_some() {
	[ "$(counter h1 TtpRpcFailed)" -gt "$failed" ]
}

report() {
	on h2 ttp_exchange report "$server" $port
}

restart() {	# hI
	on "$1" ttpctl dev del eth0 && on "$1" ttpctl dev add eth0
}

# Of the server, at any time; the later ones without a goodbye
ten_restarts() {
	for i in 1 2 3 4 5 6 7 8 9 10; do
		sleep 0.0$((i * 7 % 10))3
		restart h2
		[ $i != 5 ] || lose h2 all type=close
	done
	lose_no_more h2
}

in_time() {	# DESCRIPTION MS MIN MAX
	virtual && within "$1, ms" "$2" "$3" "$4"
}

never_twice() {
	same "$1: nothing was run twice" "$(field twice "$(report)")" 0
	same "$1: nothing was damaged" "$(field wrong "$(report)")" 0
}

ran() {
	field messages "$(report)"
}

# RPCs that must be open at a given time; a slow machine may have none
some=0
virtual && some=1

ttp_up 2 delay 50us rate 10gbit
start h2 ttp_exchange server $port

# -- with a goodbye
client count=10 >/dev/null
begin count=9 flight=9 delay_us=3000000
arrived 9
restart h2
wait $pid
out=$(cat /tmp/out)
same "goodbye: ECONNRESET" "$(field ECONNRESET "$out")" 9
in_time "goodbye: at once" $(($(field us "$out") / 1000)) 0 30
same "goodbye: counted by the client" "$(counter h1 TtpCloseIn)" 1
never_twice goodbye
same "goodbye: the new incarnation answers" "$(field done "$(client)")" 1

# -- without
lose h2 all type=close
begin delay_us=2000000 timeout_ms=5000
arrived 1
restart h2
wait $pid
out=$(cat /tmp/out)
same "no goodbye: ECONNRESET" "$(field ECONNRESET "$out")" 1
# it asks for a sign of life every 200 ms at least
in_time "no goodbye: the client's own question" \
	$(($(field us "$out") / 1000)) 0 300
sleep 2
never_twice "no goodbye"
begin delay_us=2000000 timeout_ms=5000
arrived 1
restart h2
out=$(client)
within "no goodbye: another RPC to it" \
	$(($(field done "$out") + $(field ECONNRESET "$out"))) 1 1
wait $pid
same "no goodbye: ECONNRESET at that contact" \
	"$(field ECONNRESET "$(cat /tmp/out)")" 1
in_time "no goodbye: ECONNRESET at that contact" \
	$(($(field us "$(cat /tmp/out)") / 1000)) 0 30
sleep 2
never_twice "no goodbye"

# The client did not know the server yet: it must not run it again either
lose_no_more h2
quiet h1 h2
restart h1
on h1 ttpctl peer flush >/dev/null
on h2 ttpctl peer flush >/dev/null
before=$(ran)
ran_one_more() {
	[ "$(ran)" -gt "$before" ]
}
lose h2 all
begin timeout_ms=20000
ok "server not known: it runs the request" wait_for 20 ran_one_more
on h2 ttpctl dev del eth0
lose_no_more h2
on h2 ttpctl dev add eth0
wait $pid
same "server not known: ECONNRESET" \
	"$(field ECONNRESET "$(cat /tmp/out)")" 1
same "server not known: run once" "$(ran)" $((before + 1))
never_twice "server not known"

# Again and again, at any time
begin count=100000 flight=8 req=64,5000,60000 resp=60000,64 \
	gap_us=200 oneway=7
ten_restarts
sleep 0.01
kill -TERM $pid
wait $pid
out=$(cat /tmp/out)
echo "# $out"
same "10 restarts: every message ended" \
	$(($(field done "$out") + $(field failed "$out"))) \
	"$(field sent "$out")"
same "10 restarts: by a response or ECONNRESET" "$(field failed "$out")" \
	"$(field ECONNRESET "$out")"
within "10 restarts: most got through" "$(field failed "$out")" 0 200
same "10 restarts: content" "$(field wrong "$out")" 0
never_twice "10 restarts"
ok "10 restarts: at rest" quiet h1 h2

# The client starts anew: the server forgets its RPCs
begin count=5 flight=5 delay_us=3000000
arrived 5
restart h1
wait $pid
same "client restarted: its RPCs ended" \
	"$(field EHOSTUNREACH "$(cat /tmp/out)")" 5
same "client restarted: goes on" "$(field done "$(client)")" 1
sleep 3
never_twice "client restarted"

# -- what was once sent comes again
quiet h1 h2
record h2 /tmp/late.pcap
client count=2 flight=2 req=5000 resp=5000 oneway=2 >/dev/null
quiet h1 h2
record_end
before=$(report)
replay=$(counter h2 TtpInReplay)
no_rpc1=$(counter h1 TtpInNoRpc)
no_rpc2=$(counter h2 TtpInNoRpc)
duplicate=$(counter h2 TtpInDuplicate)
out=$(on h1 ttp_wire replay eth0 /tmp/late.pcap to="$(mac 2)")
within "late frames for the server" "$(field frames "$out")" 9 30
out=$(on h2 ttp_wire replay eth0 /tmp/late.pcap to="$(mac 1)")
within "late frames for the client" "$(field frames "$out")" 4 30
sleep 0.1
same "late frames: nothing ran" "$(report)" "$before"
within "late frames: counted as replayed" \
	$(($(counter h2 TtpInReplay) - replay)) 8 20
within "late frames: of no RPC, by the client" \
	$(($(counter h1 TtpInNoRpc) - no_rpc1)) 4 20
ok "late frames: at rest" quiet h1 h2
on h1 ttp_wire replay eth0 /tmp/late.pcap to="$(mac 2)" >/dev/null
sleep 0.1
same "late frames, once more: nothing ran" "$(report)" "$before"

stale=$(counter h2 TtpInStale)
restart h1
client >/dev/null
quiet h1 h2
before=$(report)
on h1 ttp_wire replay eth0 /tmp/late.pcap to="$(mac 2)" >/dev/null
sleep 0.1
same "late frames of a former client: nothing ran" "$(report)" "$before"
within "late frames of a former client: stale" \
	$(($(counter h2 TtpInStale) - stale)) 9 30
stale=$(counter h2 TtpInStale)
restart h2
on h1 ttp_wire replay eth0 /tmp/late.pcap to="$(mac 2)" >/dev/null
sleep 0.1
same "late frames for a former server: nothing ran" "$(report)" "$before"
within "late frames for a former server: stale" \
	$(($(counter h2 TtpInStale) - stale)) 9 30
ok "late frames: at rest" quiet h1 h2

# -- down and up; where time is real, 50 ms may take a second
limit() {
	virtual && return
	for h in h1 h2; do on $h ttpctl param set dead-timeout "$1"; done
}
limit 30s
client >/dev/null
begin count=8 flight=8 delay_us=30000
arrived 8
on h2 ip link set eth0 down
sleep 0.05
on h2 ip link set eth0 up
wait $pid
same "server down for 50 ms" "$(field done "$(cat /tmp/out)")" 8
begin count=8 flight=8 delay_us=30000
arrived 8
on h1 ip link set eth0 down
sleep 0.05
on h1 ip link set eth0 up
wait $pid
same "client down for 50 ms" "$(field done "$(cat /tmp/out)")" 8
begin count=10000 flight=100 gap_us=5000
arrived 1
on h1 ip link set eth0 down
sleep 0.05
on h1 ip link set eth0 up
sleep 0.05
kill -TERM $pid
wait $pid
out=$(cat /tmp/out)
echo "# $out"
within "own device down: ENETDOWN" "$(field ENETDOWN "$out")" 1 10000
same "own device down: nothing else fails" "$(field ENETDOWN "$out")" \
	"$(field failed "$out")"
within "own device down: goes on" "$(field done "$out")" 10 1000
never_twice "down and up"

# -- another name
begin count=8 flight=8 delay_us=30000
arrived 8
on h1 ip link set eth0 down
on h1 ip link set eth0 name wire0
on h1 ip link set wire0 up
wait $pid
same "renamed: RPCs go on" "$(field done "$(cat /tmp/out)")" 8
out=$(on h1 ttp_exchange client "$(mac 2)%wire0" $port)
same "renamed: as before" "$(field done "$out")" 1
on h1 ip link set wire0 down
on h1 ip link set wire0 name eth0
on h1 ip link set eth0 up
ok "renamed: at rest" quiet h1 h2
limit 1s

# -- gone elsewhere
ip netns add elsewhere
begin count=100000 flight=8 gap_us=1000 delay_us=3000
arrived 4
ip -n h1 link set eth0 netns elsewhere
wait_for 5 failed_some
kill -TERM $pid
wait $pid
out=$(cat /tmp/out)
echo "# $out"
same "moved: every message ended" \
	$(($(field done "$out") + $(field failed "$out"))) \
	"$(field sent "$out")"
within "moved: EHOSTUNREACH" "$(field EHOSTUNREACH "$out")" $some 8
same "moved: nothing else, and no new ones" "$(field failed "$out")" \
	$(($(field EHOSTUNREACH "$out") + $(field ENODEV "$out") + \
	   $(field ENETDOWN "$out") + $(field ENETUNREACH "$out")))
same "moved: TTP is off there" \
	"$(on elsewhere ttpctl -j dev show)" "[]"
ip -n elsewhere link set eth0 netns h1
ip -n h1 link set eth0 up
same "moved back: still off" "$(on h1 ttpctl -j dev show)" "[]"
on h1 ttpctl dev add eth0
wait_for 5 on h1 ttpctl ping "$server" -c 1
same "moved back and enabled" "$(field done "$(client)")" 1
sleep 2
never_twice moved
ok "moved: at rest" quiet h1 h2

begin flight=8 count=8 delay_us=30000
arrived 8
ip -n h2 link set eth0 netns elsewhere
wait $pid
out=$(cat /tmp/out)
echo "# $out"
# It is down before it moves, which may keep it from saying goodbye
same "server moved: every RPC ended" $(($(field done "$out") + \
	$(field ECONNRESET "$out") + $(field ETIMEDOUT "$out"))) 8
ip -n elsewhere link set eth0 netns h2
ip -n h2 link set eth0 up
on h2 ttpctl dev add eth0
wait_for 5 on h1 ttpctl ping "$server" -c 1
same "server moved back and enabled" "$(field done "$(client)")" 1
never_twice "server moved"
ok "server moved: at rest" quiet h1 h2

# -- pulled out
begin count=100000 flight=8 gap_us=1000 delay_us=3000
arrived 4
ip -n h2 link del eth0
ok "server pulled out: RPCs fail" wait_for 20 failed_some
kill -TERM $pid
wait $pid
out=$(cat /tmp/out)
echo "# $out"
same "server pulled out: every message ended" \
	$(($(field done "$out") + $(field failed "$out"))) \
	"$(field sent "$out")"
within "server pulled out: ETIMEDOUT" "$(field ETIMEDOUT "$out")" 1 1000
same "server pulled out: nothing else" "$(field failed "$out")" \
	"$(field ETIMEDOUT "$out")"
ok "server pulled out: it is at rest" quiet h2
kill $started
wait $started 2>/dev/null
hosts_down

ttp_up 2 delay 50us rate 10gbit
start h2 ttp_exchange server $port
begin count=100000 flight=8 gap_us=1000 delay_us=3000
arrived 4
ip -n h1 link del eth0
wait_for 5 failed_some
kill -TERM $pid
wait $pid
out=$(cat /tmp/out)
echo "# $out"
same "client pulled out: every message ended" \
	$(($(field done "$out") + $(field failed "$out"))) \
	"$(field sent "$out")"
within "client pulled out: EHOSTUNREACH" \
	"$(field EHOSTUNREACH "$out")" $some 8
same "client pulled out: nothing else" "$(field failed "$out")" \
	$(($(field EHOSTUNREACH "$out") + $(field ENODEV "$out") + \
	   $(field ENETDOWN "$out") + $(field ENETUNREACH "$out")))
ok "client pulled out: it is at rest" quiet h1
ok "client pulled out: the server forgets it" quiet h2
kill $started
wait $started 2>/dev/null
hosts_down
# -- what may be run again is: none fails.  On a server of its own, as it runs
# some twice
ttp_up 2 delay 50us rate 10gbit
start h2 ttp_exchange server $port
client count=10 >/dev/null
again=$(counter h1 TtpRpcAgain)
begin count=100000 flight=8 req=64,5000,60000 resp=60000,64 gap_us=200 \
	idempotent=1
ten_restarts
sleep 0.3
kill -TERM $pid
wait $pid
out=$(cat /tmp/out)
echo "# $out"
same "10 restarts, idempotent: all are answered" "$(field done "$out")" \
	"$(field sent "$out")"
same "10 restarts, idempotent: content" "$(field wrong "$out")" 0
virtual && within "10 restarts, idempotent: begun anew" \
	$(($(counter h1 TtpRpcAgain) - again)) 10 1000
same "10 restarts, idempotent: nothing was damaged" "$(field wrong "$(report)")" 0
ok "10 restarts, idempotent: at rest" quiet h1 h2
kill $started
wait $started 2>/dev/null
hosts_down
ok "the module can be removed" wait_for 5 rmmod ttp
tap_done
