#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_trace.sh: each tracepoint fires when it should, and says what it should.
#
# cpus: 1

. ./ttp_lib.sh

events="packet_in packet_out rpc_state grant grant_held share resend timeout
	peer_new peer_restart peer_dead cutoffs"
tracing=/sys/kernel/tracing
mountpoint -q $tracing || mount -t tracefs none $tracing 2>/dev/null
ttp_up 2
if [ ! -d $tracing/events/ttp ]; then
	skip "tracepoints" "this kernel has none"
	tap_done
fi
for e in $events; do
	ok "ttp_$e is there" [ -f $tracing/events/ttp/ttp_$e/format ]
done
same "and no other" "$(ls -d $tracing/events/ttp/*/ | wc -l)" "$(echo $events | wc -w)"

traced() {	# EVENT PATTERN: lines
	grep " ttp_$1: " $tracing/trace | grep -cE "$2"
}

fired() {	# DESCRIPTION EVENT PATTERN
	if [ "$(traced "$2" "$3")" -gt 0 ]; then
		tap_line ok "$1"
	else
		tap_line "not ok" "$1"
		grep " ttp_$2: " $tracing/trace | sed 's/^/# /' | head -5
	fi
}

trace() {
	echo 0 >$tracing/tracing_on
	echo >$tracing/trace
	echo 1 >$tracing/tracing_on
}

echo 16384 >$tracing/buffer_size_kb
echo 1 >$tracing/events/ttp/enable
trace
on h2 ttp_echo_server 7 &
server=$!
wait_for 5 sh -c 'on h2 ttpctl sock show | grep -qw 7'
on h1 ttp_echo_client "$(mac 2)%eth0" 7 1 100 >/dev/null
fired "a peer is met" peer_new "peer=$(mac 2) epoch=0x00000000"
fired "a request leaves" packet_out \
	"peer=$(mac 2) type=DATA id=[0-9a-f]+ sport=[0-9]+ dport=7 at=0 payload=100 level=6 cong=0 flags=CRC"
fired "it arrives" packet_in "peer=$(mac 1) type=DATA .* payload=100 "
fired "the server runs it" rpc_state "lport=7 .* ready->service error=0"
fired "the client has the answer" rpc_state "outgoing->ready error=0"
same "nothing is granted of that" "$(traced grant .)" 0

trace
on h1 ttp_echo_client "$(mac 2)%eth0" 7 1 200000 >/dev/null
fired "a long one is granted" grant "lport=7 .*len=200000 .* level=0"
fired "shares of its window" share "window=[0-9]+ uplink=[0-9]+ path=[0-9]+ unsent=[0-9]+ late=[01] again=0"
same "nothing is asked for" "$(traced 'resend|timeout' .)" 0

trace
lose h1 all type=data original=1
on h1 ttp_echo_client "$(mac 2)%eth0" 7 1 100000 >/dev/null
lose_no_more h1
fired "the client hears nothing" timeout "state=outgoing tries=1 srtt_ns=[0-9]"
fired "the server asks" resend "lport=7 .* below="
fired "what is sent again" packet_out "type=DATA .*flags=.*RETRANS"
fired "it is told, too" share "again=1"
# Where the client's time-out comes before the server's nobody is: not each time
tries=0
while [ "$(traced grant_held why=stalled)" = 0 ] && [ $tries -lt 20 ]; do
	tries=$((tries + 1))
	lose h1 all type=data original=1
	on h1 ttp_echo_client "$(mac 2)%eth0" 7 1 100000 >/dev/null
	lose_no_more h1
done
fired "the sender is passed over" grant_held "why=stalled"

trace
n=0
while [ $n -lt 70 ]; do
	on h1 ttp_echo_client "$(mac 2)%eth0" 7 1 20000 >/dev/null
	n=$((n + 1))
done
sleep 0.3
on h1 ttp_echo_client "$(mac 2)%eth0" 7 1 20000 >/dev/null
fired "messages of one length: other cutoffs" cutoffs \
	"version=1 limit=0 crowd=[0-9]+ longest=[0-9]+,[0-9]+,[0-9]+"

kill $server
wait $server 2>/dev/null
trace
lose h2 all type=close
on h2 ttpctl dev del eth0
on h2 ttpctl dev add eth0
lose_no_more h2
on h1 ttp_echo_client "$(mac 2)%eth0" 7 1 100 >/dev/null 2>&1
on h2 ttp_echo_client "$(mac 1)%eth0" 7 1 100 >/dev/null 2>&1
fired "a peer has restarted without a word" peer_restart "peer=$(mac 2)"
fired "nobody listens any more" rpc_state "outgoing->ready error=111"
on h1 ttpctl param set dead-timeout 100ms
on h2 ip link set eth0 down
trace
on h1 ttp_echo_client "$(mac 2)%eth0" 7 1 100 >/dev/null 2>&1
fired "a peer dies" peer_dead "peer=$(mac 2)"
fired "its RPC fails" rpc_state "outgoing->ready error=110"
echo 0 >$tracing/events/ttp/enable
for h in 1 2; do on h$h ttpctl dev del eth0; done
hosts_down
ok "the module can be removed" wait_for 5 rmmod ttp
tap_done
