#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Everything the module sends, as seen on the wire of a client and of a server,
# against Documentation/networking/ttp-wire.rst: each type of packet appears,
# and each byte of it is what is written there.
#
# cpus: 1
# wall: 240
# short: RUNS=1500/on,9000/off
# spare: 6.12 7.3
#
# RUNS: MTU and checksum of each

. ./ttp_lib.sh

port=77
server=$(mac 2)%eth0

client() {	# WORD=VALUE...
	on h1 ttp_exchange client "$server" $port "$@" >/dev/null
}

# traffic WORD...: of hosts, and something for each type
traffic() {
	ttp_up 2 delay 50us rate 10gbit "$@"
	on h2 ttpctl param set rcvbuf 32K
	start h2 ttp_exchange server $port
	on h2 ttpctl param set rcvbuf 4M
	[ "$crc" = on ] || for h in h1 h2; do
		on $h ttpctl dev set eth0 crc off
	done
	record h1 /tmp/h1.pcap
	record h2 /tmp/h2.pcap

	# DATA, GRANT, ACK
	client count=40 flight=4 req=mix resp=mix oneway=5 big=0
	client req=300000 resp=300000
	# RESEND
	lose h1 all type=data original=1 offset=0
	client req=9000
	lose_no_more h1
	# BUSY
	client delay_us=500000
	# NEED_ACK
	lose h1 first type=ack
	client
	ok "the server is told by ACK" quiet h2
	lose_no_more h1
	# FULL: the room is for one of them
	client count=4 flight=4 req=30000 delay_us=200000
	# CANCEL
	client delay_us=200000 deadline_ms=100
	# REJECT
	on h1 ttp_exchange client "$server" 9 >/dev/null
	on h1 ttp_exchange client "$server" 9 oneway=1 >/dev/null
	# PROBE, PROBE_REPLY
	on h1 ttpctl ping "$server" -c 1 >/dev/null
	on h1 ttpctl ping "$server" -c 1 -l 1000 >/dev/null
	# UNKNOWN, of an RPC that never was, and of another incarnation
	quiet h2 >/dev/null
	on h1 ttp_frame send eth0 "$(mac 2)" type=need_ack sport=5 \
		dport=$port id=0x1000
	lose h2 all type=close
	on h2 ttpctl dev del eth0
	lose_no_more h2
	on h2 ttpctl dev add eth0 crc $crc
	client
	client
	# CLOSE, both ways
	quiet h1 >/dev/null
	quiet h2 >/dev/null
	on h2 ttpctl dev del eth0
	on h1 ttpctl dev del eth0
	record_end
	kill $started
	wait $started 2>/dev/null
	hosts_down
}

judge() {	# WHERE FILE
	ttp_wire check "$2" >/tmp/wire
	out=$(grep '^frames=' /tmp/wire)
	echo "# $1: $out"
	within "$1: frames" "$(field frames "$out")" 200 100000
	grep '^frame ' /tmp/wire | head -20 | sed 's/^/# /'
	same "$1: all are as documented" "$(field broken "$out")" 0
	missing=
	for type in data grant resend ack busy unknown need_ack full probe \
		    probe_reply cancel close reject; do
		[ "$(field $type "$out")" != 0 ] || missing="$missing $type"
	done
	same "$1: each type is there" "$missing" ""
	same "$1: but no reserved one" "$(field cutoffs "$out")" 0
	if [ $crc = on ]; then
		same "$1: none without CRC" "$(field nocrc "$out")" 0
	else
		within "$1: without CRC" "$(field nocrc "$out")" 100 100000
	fi
}

# Acknowledgments are collected, "ack-every" of them at most in a packet
acks() {	# EVERY PACKETS_MIN PACKETS_MAX
	on h2 ttpctl dev set eth0 ack-every "$1"
	acks=$(counter h2 TtpAckOut)
	client count=120 flight=12 oneway=1
	ok "ack-every $1: at rest" quiet h1 h2
	within "ack-every $1: ACK packets for 120 messages" \
		$(($(counter h2 TtpAckOut) - acks)) "$2" "$3"
}
ttp_up 2 delay 50us rate 10gbit
start h2 ttp_exchange server $port
# One for each; but slow machines ask again, and are told so again
most=240
virtual && most=125
acks 1 120 $most
# 30 and 10, and some that found no company in time
virtual && most=45
acks 4 30 $most
acks 12 10 $most
kill $started
wait $started 2>/dev/null
hosts_down

: "${RUNS:=1500/on,1500/off,9000/on,9000/off}"
for run in $(echo "$RUNS" | tr , ' '); do
	mtu=${run%/*}
	crc=${run#*/}
	traffic mtu $mtu
	judge "client, MTU $mtu, CRC $crc" /tmp/h1.pcap
	judge "server, MTU $mtu, CRC $crc" /tmp/h2.pcap
done

# What is damaged on the way is not what was sent: the check must see that
cp /tmp/h1.pcap /tmp/bad.pcap
printf '\377' | dd of=/tmp/bad.pcap bs=1 seek=105 conv=notrunc 2>/dev/null
not_ok "the check notices a changed byte" ttp_wire check /tmp/bad.pcap
tap_done
