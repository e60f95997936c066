#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Who sends when: priority levels, the receiver's grants, the sender's order,
# on the fabric in virtual time.
#
# slow: yes
# kernels: uml
# wall: 300

. ./ttp_lib.sh
. ./perf_lib.sh

# frames HOST LEVEL...: that it was sent by the switch; a level of the fabric is
# the rank of a PCP in 802.1Q's order: PCP 1, 0, 2, 3, 4, 5, 6, 7
frames() {
	frames_host=$1
	shift
	for frames_level in "$@"; do
		fabric_queues | sed -n \
			"s/^leaf0.$frames_host level=$frames_level frames=\([0-9]*\) .*/\1/p"
	done | awk '{ n += $1 } END { print n + 0 }'
}

set_all() {	# KEY VALUE...
	for set_host in $(seq $hosts_n); do
		on h$set_host ttpctl dev set eth0 "$@" || exit 1
	done
}

counters() {	# NAME: of all hosts
	hosts_each 'counter h$i '"$1" | awk '{ n += $1 } END { print n + 0 }'
}

# -- levels.  Alone, 100 bytes take two frames of 212 bytes or less on two
# links each: 2 x (2 x (100 + 72 + 4 + 14 + 24) x 8 / 25 + 1000 ns)
fabric 3 rate=25000 delay_ns=500
with_ttp
perf pingpong --lab 3 -s 100 -n 50
close_to "100 bytes there and back, nothing else, us" "$(us all p50)" 2.274 1
same "the rate of the card is known" \
	"$(on h1 ttpctl -j -s dev show | grep -o '"speed_mbps":[0-9]*')" \
	'"speed_mbps":25000'

fabric_reset
perf pingpong --lab 2 -s 100 -n 50 --warmup 0
within "short messages go at level 6" "$(frames 'host[12]' 6)" 100 104
within "what is no data at level 7" "$(frames 'host[12]' 7)" 1 30
same "and nothing else" "$(frames 'host[12]' 0 1 2 3 4 5)" 0
fabric_reset
perf pingpong --lab 2 -s 1500 -n 20 --warmup 0
within "up to 1,500 bytes: level 5" "$(frames 'host[12]' 5)" 80 82
fabric_reset
perf pingpong --lab 2 -s 6000 -n 20 --warmup 0
within "up to 10,000 bytes: level 4" "$(frames 'host[12]' 4)" 200 210
fabric_reset
perf stream --lab 2 -s 500000 -n 20 -d 1 --warmup 0
within "the start of a long message: level 3" "$(frames 'host[12]' 3)" 100 300
within "what is granted: the lowest" "$(frames 'host[12]' 0)" 6000 8000
same "retransmissions" "$(counters TtpRetransmits)" 0

set_all pcp-map 0,0,0,0,0,0,5,5
fabric_reset
perf pingpong --lab 2 -s 100 -n 50 --warmup 0
within "another table" "$(frames 'host[12]' 5)" 101 140
set_all pcp-map 1,0,2,3,4,5,6,7 tag off
fabric_reset
perf pingpong --lab 2 -s 100 -n 50 --warmup 0
same "without tags all is best effort" "$(frames 'host[12]' 0 2 3 4 5 6 7)" 0
within "without tags it goes all the same" "$(frames 'host[12]' 1)" 101 140
set_all tag on levels 2
fabric_reset
perf stream --lab 2 -s 500000 -n 20 -d 1 --warmup 0
within "two levels: granted bytes" "$(frames 'host[12]' 0)" 6000 8000
within "two levels: the rest" "$(frames 'host[12]' 1)" 100 2000
set_all levels 1
fabric_reset
perf stream --lab 2 -s 500000 -n 20 -d 1 --warmup 0
same "one level: all at it" "$(frames 'host[12]' 1 2 3 4 5 6 7)" 0
set_all levels 8

# -- the host's own queues: by what a packet is
band() {	# N: packets that went through it
	on h1 tc -s class show dev eth0 |
		sed -n "/class prio 1:$1 /,/pkt/s/.* \([0-9]*\) pkt.*/\1/p"
}
on h1 tc qdisc replace dev eth0 root handle 1: prio
perf pingpong --lab 2 -s 100 -n 50 --warmup 0
within "short messages and control: the first band" "$(band 1)" 51 90
same "nothing else of these" "$(band 2) $(band 3)" "0 0"
perf stream --lab 2 -s 500000 -n 20 -d 1 --warmup 0
within "what is granted: the second, with TCP" "$(band 2)" 6000 8000
same "nothing in the last, which starves" "$(band 3)" 0
on h1 tc qdisc del dev eth0 root

# -- when nearly all messages have one length, they are the short ones
perf stream --lab 2 -s 3000 -n 2000 -d 4
sleep 0.15
perf pingpong --lab 2 -s 3000 -n 20
within "peers are told other cutoffs, once" "$(counters TtpCutoffsIn)" 1 2
fabric_reset
perf pingpong --lab 2 -s 3000 -n 20 --warmup 0
within "3,000 bytes: level 6" "$(frames host2 6)" 60 66
same "not told again" "$(($(counters TtpCutoffsOut) <= 2))" 1

# -- the sender's order: a short message passes a long one in its own host
for h in h1 h2; do
	on $h tc qdisc replace dev eth0 root pfifo limit 100000
done
perf stream --lab 2 -s 1M -n 400 -d 4 -p 6000 &
loaded=$!
sleep 0.002
short() {
	ttpperf -q -f json pingpong --lab 2 -s 100 -n 100 >/tmp/short 2>&1
	sed -n '/"class": "all"/s/.*"us": {[^}]*"p99": \([0-9.]*\).*/\1/p' /tmp/short
}
with_pacer=$(short)
set_all rate 400gbit	# more than the card sends: it keeps all of it
without=$(short)
set_all rate auto
wait $loaded
is "beside four long messages 100 bytes take little longer, P99 us" \
	"$with_pacer" "<" 16
is "but not if the card has all of these first, P99 us" "$without" ">" \
	"2 * $with_pacer"
fabric_down

# -- the receiver's grants: ten hosts send to one.  With the window for each of
# them that was there before, its queue is longer
fabric 11 rate=25000 delay_ns=500 shared=1 buffer_kb=12800
with_ttp backlog 500ns
grants() {	# the longest queue to host 1, bytes
	fabric_reset
	perf incast --lab 11 -s 500000 -a 8 -n 4
	sum peak leaf0.host1
}
queue=$(grants)
ideal=$(awk 'BEGIN { print 10 * 343 * 1538 * 8 / 25000 }')
is "ten to one: as fast as the link, us" "$(value round.p50)" "<" "$ideal * 1.05"
is "ten to one: the queue, bytes" "$queue" "<" 400000
is "ten to one: less than 0.1 % is sent again" "$(counters TtpRetransmits)" "<" \
	"4 * 10 * 343 / 1000"
set_all overcommit 1
perf incast --lab 11 -s 500000 -a 8 -n 4
is "overcommitment of 1: still fast, us" "$(value round.p50)" "<" "$ideal * 1.1"
set_all overcommit 32 window 500000
is "grants without limit: a longer queue, bytes" "$(grants)" ">" "3 * $queue"
set_all overcommit 8 window auto

# shortest remaining first: a message of 100 KB that comes last is served first
perf stream --lab 11 -s 4M -n 40 -d 1 -p 6000 &
loaded=$!
sleep 0.002
perf pingpong --lab 11 -s 100000 -a 8 -n 20
one=$(us all p99)
wait $loaded
is "100 KB beside 4 MB, P99 us" "$one" "<" 400

# a share for the longest: it ends, although shorter ones fill the link
perf stream --lab 3 -s 200000 -a 8 -n 4000 -d 4 -p 6000 &
loaded=$!
sleep 0.005
perf pingpong --lab 3 -s 4M -a 8 -n 3 --warmup 0
kill -0 $loaded 2>/dev/null && busy=yes || busy=no
starved=$(us all max)
same "the link was busy all the time" $busy yes
# alone 1.4 ms; with a twentieth of the link 28
is "4 MB beside endless 200 KB, us" "$starved" "<" 60000
kill $loaded 2>/dev/null
wait $loaded 2>/dev/null

# -- a host that dies in the middle takes no bandwidth from others for long
on h3 ttpperf server -p 7000 >/tmp/s3 2>&1 &
server=$!
wait_for 5 grep -q ready /tmp/s3
on h2 ttpperf -q stream --to "$(mac 3)%eth0" -p 7000 -s 16M -n 50 -d 8 \
	>/tmp/dies 2>&1 &
dies=$!
sleep 0.01
on h2 ip link set eth0 down
perf stream --lab 1 -n 1 >/dev/null 2>&1
on h1 ttpperf -q -f json stream --to "$(mac 3)%eth0" -p 7000 -s 500000 -n 100 \
	-d 2 >/tmp/perf 2>/tmp/perf.err
good=$(value goodput_gbps)
is "a dead sender is not waited for, Gbit/s" "$good" ">" 18
on h2 ip link set eth0 up
kill $dies $server 2>/dev/null
wait $dies $server 2>/dev/null
for h in $(seq 11); do on h$h ttpctl dev del eth0; done
fabric_down

# -- more long messages all the time than are granted: what of one is on its way is
# not overtaken by those with more left
fabric 4 rate=10000 delay_ns=500
with_ttp backlog 500ns
on h1 ttpperf server -p 7000 >/tmp/s1 2>&1 &
all=$!
wait_for 5 grep -q ready /tmp/s1
for i in 2 3 4; do
	on h$i ttpperf -q stream --to "$(mac 1)%eth0" -p 7000 -s 500000 \
		-n 100000 -d 4 >/dev/null 2>&1 &
	all="$all $!"
done
sleep 0.01
watch_port leaf0.host1 0.05 10
is "a crowd of long ones: use of the link, %" "$use" ">" 98
is "and few bytes wait in the switch (P99)" "$(port_field p99)" "<" 70000
kill $all
wait $all 2>/dev/null
for h in $(seq 4); do on h$h ttpctl dev del eth0; done
fabric_down

# -- more hosts at once than the switch has room for the starts of
fabric 33 rate=25000 delay_ns=500 shared=0 buffer_kb=128
with_ttp backlog 500ns
ideal=$(awk 'BEGIN { print 32 * (20000 + 15 * 114) * 8 / 25000 }')
incast() {	# ROUNDS
	fabric_reset
	perf incast --lab 33 -s 20000 -a 8 -n "$1" --warmup 0
}
incast 1
is "32 to one, the first time: frames are lost" "$(sum dropped leaf0.host1)" ">" 0
incast 9
incast 5
same "then they begin with less: nothing is lost" "$(sum dropped leaf0.host1)" 0
is "and it is as fast as the link, us" "$(value round.p50)" "<" "$ideal * 1.1"
for h in $(seq 33); do on h$h ttpctl dev del eth0; done
fabric_down

# -- a card with several queues: each RPC is a flow
fabric 2 rate=25000 nic_classes=8
with_ttp
perf pingpong --lab 2 -s 100 -n 50 --warmup 0
is "RPCs spread over the queues of a card" "$(on h1 tc -s class show dev eth0 |
	grep -c ' [1-9][0-9]* pkt')" ">=" 7
perf stream --lab 2 -s 100000 -n 100
same "in order within a message" "$(counters TtpInOutOfOrder)" 0
for h in 1 2; do on h$h ttpctl dev del eth0; done
fabric_down

# -- a network that reorders a fifth of the packets, by 20 us, and loses none
hosts 2 rate 10gbit delay 20us reorder 20%
with_ttp
perf stream --lab 2 -s 100000 -n 20
again=$(counters TtpRetransmits)
sent=$(counters TtpOutPackets)
perf stream --lab 2 -s 100000 -n 500
again=$(($(counters TtpRetransmits) - again))
sent=$(($(counters TtpOutPackets) - sent))
same "reordered: all is answered" "$(value failed) $(value unfinished)" "0 0"
is "reordered: packets out of order" "$(counters TtpInOutOfOrder)" ">" "$sent / 20"
is "reordered: less than 0.1 % is sent again" "$again" "<" "$sent / 1000"
for h in 1 2; do on h$h ttpctl dev del eth0; done
hosts_down
ok "the module can be removed" wait_for 5 rmmod ttp
tap_done
