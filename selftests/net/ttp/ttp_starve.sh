#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Shortest first starves nobody: nine hosts, each with messages of another length,
# fill the link of a tenth.  Eight send at random times, a ninth of the link
# each; the longest have what is left, and two are always open.
#
# slow: yes
# kernels: uml
# wall: 400

. ./ttp_lib.sh
. ./perf_lib.sh

fabric 10 rate=25000 delay_ns=500
with_ttp backlog 500ns
start h10 ttpperf server -p 7000
server=$started

# shorter HOST BYTES LOAD: as long as the others
shorter() {
	printf '%s\t%s\t1.0\t1.0\n' $2 $2 >/tmp/sizes$1
	on h$1 ttpperf -q load --to "$(mac 10)%eth0" -p 7000 -w /tmp/sizes$1 \
		-a 8 -l $3 -T 10 --seed $1 >/tmp/class$1 2>&1 &
	clients="$clients $!"
}

clients=
# with headers each is a ninth
shorter 1 100 6.1
shorter 2 1000 10
shorter 3 4000 10.4
shorter 4 16000 10.6
shorter 5 64000 10.6
shorter 6 128000 10.6
shorter 7 256000 10.6
shorter 8 500000 10.6
on h9 ttpperf -q -f json stream --to "$(mac 10)%eth0" -p 7000 -s 1000000 -a 8 \
	-n ${COUNT:-100} -d 2 --warmup 10 >/tmp/perf 2>/tmp/perf.err &
longest=$!
sleep 0.005
watch_port leaf0.host10 0.01 25
wait $longest
# those whose share is above it have had theirs to the end
alive=0
for pid in $clients; do
	kill $pid && alive=$((alive + 1))
done
served=0
for i in $(seq 8); do
	[ "$(counter h$i TtpRpcCompleted)" -gt 20 ] && served=$((served + 1))
done

is "the link is full, %" "$use" ">=" 95
same "messages of 1 MB that fail" "$(value failed) $(value unfinished)" "0 0"
is "the longest, longest time and P50, us" "$(us all max)" "<=" \
	"3 * $(us all p50)"
crowded=$(us all p50)
oldest=$(counter h10 TtpGrantOldest)
is "grants of the share of the oldest" "$oldest" ">" 1000
on h9 ttpperf -q -f json stream --to "$(mac 10)%eth0" -p 7000 -s 1000000 -a 8 \
	-n 10 -d 2 >/tmp/perf 2>/tmp/perf.err
is "alone they take less, us" "$crowded" ">" "2 * $(us all p50)"
same "and need no share" "$(counter h10 TtpGrantOldest)" "$oldest"
same "hosts that sent, and were answered, until the end" "$alive $served" "8 8"
kill $server
wait
for i in $(seq $hosts_n); do on h$i ttpctl dev del eth0; done
fabric_down
ok "the module can be removed" wait_for 5 rmmod ttp
tap_done
