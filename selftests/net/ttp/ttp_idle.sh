#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What is idle costs nothing: 5,000 sockets and 1,000 known peers, and for ten
# seconds no timer of TTP runs and no frame is sent.
#
# slow: yes
# cpus: 1
# wall: 240
# short: SOCKETS=1000 PEERS=300
# spare: 6.12 7.3

. ./ttp_lib.sh

: "${SOCKETS:=5000}" "${PEERS:=1000}"
port=77

ulimit -n $((SOCKETS + 100)) || exit 1
ttp_up 2
start h2 ttp_exchange server $port
sleep 1000 | on h1 ttp_exchange idle "$(mac 2)%eth0" $port \
	"$SOCKETS" >/tmp/idle 2>&1 &
wait_for 60 grep -q ready /tmp/idle || cat /tmp/idle
same "$SOCKETS idle sockets" \
	"$(on h1 ttpctl -j sock show | grep -o '"port":' | wc -l)" "$SOCKETS"

# Requests from hosts that nobody heard of, which take no answer.  Half of them
# is one-way.
peers() {	# FIRST COUNT
	on h1 ttp_frame send eth0 "$(mac 2)" $(awk -v first="$1" -v n="$2" \
		-v port=$port 'BEGIN {
			for (i = first; i < first + n; i++)
				printf("%stype=data src=02:01:00:00:%02x:%02x " \
					"sport=5 dport=%d id=0x1000 msg_len=2 " \
					"unsched=2 limit=1000 payload=2 flags=%s",
					i > first ? " then " : "",
					int(i / 256), i % 256, port,
					i % 2 ? "crc" : "oneway")
		}')
}
for i in $(seq 0 100 $((PEERS - 1))); do
	peers "$i" 100
done
known() {
	[ "$(counter h2 TtpCurrPeers)" -ge "$PEERS" ]
}
ok "$PEERS known peers" wait_for 10 known
out=$(on h1 ttp_exchange client "$(mac 2)%eth0" $port count=100 flight=10)
same "and one that is used" "$(field done "$out")" 100
ok "client at rest" quiet h1
# when it has given up to wait for acknowledgements
ok "server at rest" ttp_count rest 60 h2

timers() {
	cat /proc/timer_list >/tmp/timers || return 1
	! grep -E 'ttp_timer_fn|ttp_[a-z_]* \[ttp\]' /tmp/timers
}
lose h1 all
on h1 ttp_exchange client "$(mac 2)%eth0" $port timeout_ms=3000 >/tmp/lonely &
lonely=$!
wait_for 5 has h1 TtpCurrRpcs
not_ok "an open RPC has a timer" timers
wait $lonely
lose_no_more h1
ok "client at rest again" quiet h1
ok "no timer is armed" timers
runs1=$(counter h1 TtpTimerRuns)
ok "timers that ran are counted" [ "$runs1" -gt 0 ]
runs2=$(counter h2 TtpTimerRuns)
sent1=$(counter h1 TtpOutPackets)
sent2=$(counter h2 TtpOutPackets)
sleep 10
same "no timer ran in 10 s, client" "$(counter h1 TtpTimerRuns)" "$runs1"
same "no timer ran in 10 s, server" "$(counter h2 TtpTimerRuns)" "$runs2"
same "no frame was sent in 10 s, client" "$(counter h1 TtpOutPackets)" "$sent1"
same "no frame was sent in 10 s, server" "$(counter h2 TtpOutPackets)" "$sent2"
ok "still none is armed" timers
ok "all are still known" known
out=$(on h1 ttp_exchange client "$(mac 2)%eth0" $port count=100 flight=10)
same "and it still works" "$(field done "$out")" 100
tap_done
