#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# How long it takes to mend a loss, on the fabric in virtual time, and whom it
# concerns.
#
# slow: yes
# kernels: uml
# wall: 300

. ./ttp_lib.sh
. ./perf_lib.sh

# A round trip of 10 us: four cables
fabric 4 rate=25000 delay_ns=2420
with_ttp
perf pingpong --lab 2 -s 100 -n 50
rtt=$(us all p50)
close_to "a round trip, us" "$rtt" 10 2

# took BYTES: one request of so many, us
took() {
	perf pingpong --lab 2 -s "$1" -a 8 -n 1 --warmup 0
	us all max
}

# One packet of a request is lost, the first time; 1,428 bytes are in each.
# What begins there may be of another message, too, or two packets.
for packets in 2 5 20 100; do
	size=$((packets * 1428))
	alone=$(took $size)
	# what is granted need not come in whole packets
	at=offset last=offset=$((size - 1428))
	[ $packets -lt 100 ] || at=about last=about=$((size - 1000))
	for lost in 0 $((packets / 2)) $((packets - 2)); do
		[ $packets != 2 ] || [ $lost = 0 ] || continue
		lose h1 all type=data $at=$((lost * 1428)) original=1
		is "packet $lost of $packets is lost: more time, us" \
			"$(took $size) - $alone" "<=" "3 * $rtt + 50"
		within "it was" "$(lost h1)" 1 4
		lose_no_more h1
	done
	# Of the last one nothing tells: a time-out of 1 ms and a few round trips
	lose h1 all type=data $last original=1
	is "the last one of $packets is lost: more time, us" \
		"$(took $size) - $alone" "<=" "1000 + 8 * $rtt"
	within "it was" "$(lost h1)" 1 4
	lose_no_more h1
done

# Of a lone packet nothing tells, either, but answers to such requests do not
# take long here, as is known by now, nor that packets are lost
lone() {	# ROUND-TRIP
	perf pingpong --lab 2 -s 100 -n 100
	alone=$(took 100)
	lose h1 all type=data original=1
	took 100 >/dev/null
	lose_no_more h1
	for who in h1:request h2:response; do
		lose ${who%:*} all type=data original=1
		is "round trip $1 us, a lone ${who#*:} is lost: more time, us" \
			"$(took 100) - $alone" "<=" "3 * $1 + 50"
		within "it was" "$(lost ${who%:*})" 1 2
		lose_no_more ${who%:*}
	done
}
lone "$rtt"

# A server that is slow now and then: it is asked at times, not for each, and runs
# each once
start h2 ttp_exchange server 77
before=$(counter h1 TtpLossProbes)
bad=
for i in $(seq 20); do
	on h1 ttp_exchange client "$(mac 2)%eth0" 77 count=20 >/tmp/quick || bad=1
	on h1 ttp_exchange client "$(mac 2)%eth0" 77 count=20 flight=20 \
		delay_us=600 >/tmp/slow || bad=1
done
# what was in stock, and one for eight answers
within "800 requests to a server that is slow at times: questions" \
	"$(($(counter h1 TtpLossProbes) - before))" 20 132
same "all are answered, and rightly" "$bad" ""
kill $started

# A thousand requests at once, and all are lost
count() { echo $(($(counter h1 TtpOutPackets) + $(counter h2 TtpOutPackets))); }
thousand() {
	perf stream --lab 2 -s 100 -a 100 -n 2000 -d 1000 --warmup 0
}
thousand
before=$(count)
thousand
least=$(($(count) - before))
before=$(count)
lose h1 all type=data original=1
thousand
lose_no_more h1
same "1,000 requests lost at once: all are answered" \
	"$(value failed) $(value unfinished)" "0 0"
is "1,000 requests lost at once: packets" "$(($(count) - before))" "<=" "2 * $least"

# RPCs of which nothing ever arrives, to the same host: others do not mind
start h2 ttpperf server -p 7000
server1=$started
start h2 ttpperf server -p 7001
server2=$started
calls() {	# P99 of calls on port 7000, us
	on h1 ttpperf -q -f json pingpong --to "$(mac 2)%eth0" -p 7000 -s 1000 \
		-n 1000 >/tmp/perf 2>/tmp/perf.err
	us all p99
}
alone=$(calls)
lose h1 all type=data dport=7001
on h1 ttpperf -q pingpong --to "$(mac 2)%eth0" -p 7001 -s 50000 -n 5 \
	>/dev/null 2>&1 &
dead=$!
sleep 0.002
is "beside an RPC of which nothing arrives, P99 us" "$(calls)" "<=" "$alone * 1.02"
within "whose packets were lost" "$(lost h1)" 2 1000
lose_no_more h1
kill $dead $server1 2>/dev/null

# A program that stops reading: only who sends to it has to wait, and goes on as
# soon as it reads.  A socket with room for three messages, so that they do wait.
on h2 ttpctl param set rcvbuf 64K
start h2 ttpperf server -p 7000
server1=$started
fill() {	# seconds
	on h1 ttpperf -q -f json stream --to "$(mac 2)%eth0" -p 7000 -s 20000 \
		-a 8 -n 2000 -d 8 --warmup 0 >/tmp/fill 2>/tmp/fill.err
	sed -n 's/.*"seconds": \([0-9.]*\).*/\1/p' /tmp/fill
}
other() {	# P99 of another host's calls to another program there, us
	on h3 ttpperf -q -f json pingpong --to "$(mac 2)%eth0" -p 7001 -s 1000 \
		-n 500 >/tmp/perf 2>/tmp/perf.err
	us all p99
}
running=$(fill)
alone=$(other)
fill >/tmp/stopped &
filler=$!
sleep 0.003
kill -STOP $server1
began=$(date +%s%N)
sleep 0.01
is "others beside a program that does not read, P99 us" "$(other)" "<=" \
	"$alone * 1.02"
sleep 0.05
took=$(($(date +%s%N) - began))
kill -CONT $server1
wait $filler
is "its senders wait as long as it stops, and a round trip and 50 us, us" \
	"($(cat /tmp/stopped) - $running) * 1000000" "<=" \
	"$took / 1000 + $rtt + 50"
is "they do wait, us" "($(cat /tmp/stopped) - $running) * 1000000" ">" \
	"$took / 1000 - 100"
same "and none fails" "$(sed -n 's/.*"\(failed\|unfinished\)": \([0-9]*\).*/\2/p' /tmp/fill | sort -u)" 0
kill $server1 $server2 2>/dev/null
wait
for h in 1 2 3 4; do on h$h ttpctl dev del eth0; done
fabric_down

# A longer way: the response has left not long before it is asked for
fabric 2 rate=25000 delay_ns=20000
with_ttp
perf pingpong --lab 2 -s 100 -n 100
rtt=$(us all p50)
close_to "a long round trip, us" "$rtt" 80 3
before=$(counter h1 TtpLossProbes)
perf pingpong --lab 2 -s 100 -n 200
same "where nothing is lost nothing is asked" \
	"$(($(counter h1 TtpLossProbes) - before))" 0
lone "$rtt"
for h in 1 2; do on h$h ttpctl dev del eth0; done
fabric_down
ok "the module can be removed" wait_for 5 rmmod ttp
tap_done
