#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Senders that are busy with other receivers keep none idle, and what these
# grant them in vain does not fill queues: what informed overcommitment is for.
#
# slow: yes
# kernels: uml
# wall: 300

. ./ttp_lib.sh
. ./perf_lib.sh

# h1 receives; h2 to h5 send to it and to h7 to h10 each, h6 to h1 only, and what
# has most left
fabric 10 rate=25000 delay_ns=500
with_ttp backlog 500ns

servers=
for i in 1 7 8 9 10; do
	start h$i ttpperf server -p 7000
	servers="$servers $started"
done

stream() {	# FROM TO BYTES COUNT
	on h$1 ttpperf -q stream --to "$(mac $2)%eth0" -p 7000 -s $3 -a 8 \
		-n $4 -d 1 --warmup 0 >/tmp/c$1.$2 2>&1 &
	clients="$clients $!"
}

# 10 ms of it: part of its link that h1 uses, in percent, and its longest queue
once() {
	clients=
	for i in 2 3 4 5; do
		for to in 1 7 8 9 10; do
			stream $i $to 1000000 30
		done
	done
	stream 6 1 4000000 60
	sleep 0.01
	watch_port leaf0.host1 0.01 25
	kill $clients
	wait $clients 2>/dev/null
	sleep 0.2
	uses=$((uses + use)) peak=$((peak + $(port_field peak)))
}

# outcast [KEY VALUE]...: three times, means
outcast() {
	for i in $(seq $hosts_n); do
		on h$i ttpctl dev set eth0 "$@"
	done
	uses=0 peak=0
	once
	once
	once
	use=$((uses / 3)) peak=$((peak / 3))
}

# As wide as what auto is here, but whatever the senders say of themselves
outcast window 31K
plain_use=$use plain_peak=$peak
outcast window auto
is "use of the receiver's link, %" "$use" ">=" 70
is "use, and without regard to its senders, %" "$use" ">=" "$plain_use - 10"
is "queue before it, and without regard, bytes" "$peak" "<=" "$plain_peak * 0.9"
same "nothing is dropped" "$(sum dropped .)" 0
# Grants raise and lower levels all the time: what overtakes by that is no loss.
# What waits in a sender for longer than a time-out may be asked for
sent=0 again=0
for i in $(seq $hosts_n); do
	sent=$((sent + $(counter h$i TtpOutPackets)))
	again=$((again + $(counter h$i TtpRetransmits)))
done
is "nothing was lost; packets sent again, of $sent" "$again" "<=" "$sent / 5000"
kill $servers
wait $servers 2>/dev/null
for i in $(seq $hosts_n); do on h$i ttpctl dev del eth0; done
fabric_down
ok "the module can be removed" wait_for 5 rmmod ttp
tap_done
