#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The measuring rig against theory: does the fabric take the time that physics
# says, rank by priority, drop and mark what it should, and does ttpperf count
# right?  If one of these fails no figure of tools/bench means anything.
#
# slow: yes
# kernels: uml
# wall: 300

. ./ttp_lib.sh
. ./perf_lib.sh

cmp_but_cpu() {
	grep -v cpu_ "$1" >/tmp/a && grep -v cpu_ "$2" >/tmp/b && cmp /tmp/a /tmp/b
}

# -- one switch: what a lone datagram takes.  All of it there and back:
# (1472 + 28 + 38 bytes x 2 links x 8 / 25 + 2 x 500 ns) x 2
fabric 3 rate=25000 delay_ns=500
perf pingpong --lab 3 -t udp -s 1472 -n 50
close_to "a full frame at 25 Gbit/s" "$(us all p50)" 3.969 0.5
perf pingpong --lab 3 -t udp -s 8 -n 50
# 84 bytes are the shortest on the wire
close_to "the shortest frame" "$(us all p50)" 2.108 0.5
# 41 frames; the first one twice: (41 x 1538 + 1538) x 8 / 25 + 1000, twice
perf pingpong --lab 3 -t udp -s 60672 -n 20
close_to "41 frames" "$(us all p50)" 43.340 2
same "nothing was lost" "$(sum dropped .)" 0
within "frames were counted" "$(sum frames 'host1.nic')" 920 930
fabric_down

fabric 2 rate=400000 delay_ns=100
perf pingpong --lab 2 -t udp -s 1472 -n 50
close_to "a full frame at 400 Gbit/s" "$(us all p50)" 0.523 2
# (42 x 1538 bytes x 8 / 400 + 200 ns) x 2: no frame may be rounded up
perf pingpong --lab 2 -t udp -s 60672 -n 20
close_to "41 frames at 400 Gbit/s" "$(us all p50)" 2.984 1.5
fabric_down

for p in rate=30000 core_rate=7 hosts=0 hosts=1000 nic_bytes=0 buffer_kb=0 \
	"hosts=4 rack=1 spines=4294967295" "hosts=4 rack=1 spines=0"; do
	not_ok "the fabric refuses $p" modprobe ttp_fabric $p
done

# -- what is possible at best, reckoned without a network: the same
perf pingpong --lab 3 -t best -s 1472 -n 50
# (1472 + 38 bytes x 2 links x 8 / 25 + 2 x 500 ns) x 2
close_to "best: a full frame" "$(us all p50)" 3.933 0.1
perf pingpong --lab 3 -t best --mtu 1500 --headers 28 -s 60672 -n 20
close_to "best: 42 frames, with UDP's and IP's headers" "$(us all p50)" 43.340 2
perf ring --lab 4 -t best -s 1M -n 3
close_to "best: all-reduce" "$(value reduce.p50)" "$(value reduce.ideal)" 0.1
same "best: the sums are right" "$(value wrong)" 0
perf incast --lab 11 -t best -s 150000 -a 8 -n 5
# 100 frames from each, one host after the other
is "best: ten to one takes as long as the link, us" "$(value round.p50)" "<" \
	"(10 * 100 * 1538 * 8 / 25 / 1000 + 5)"
is "best: not less" "$(value round.p50)" ">" "10 * 100 * 1538 * 8 / 25 / 1000"
perf load --lab 10 -t best -w $workloads/w4.cdf -l 80 -n 20000
cp /tmp/perf /tmp/best
close_to "best: what is offered is achieved" "$(value load_achieved)" \
	"$(value load_offered)" 2
is "best: the shortest hardly wait, P99 us" "$(us 0 p99)" "<" 2.6
perf load --lab 10 -t best -w $workloads/w4.cdf -l 80 -n 20000
ok "best: the same again" cmp_but_cpu /tmp/best /tmp/perf
perf load --lab 10 -t best -w $workloads/w4.cdf -l 80 -n 20000 --headers 500
is "best: headers take their part of the link" "$(value load_achieved)" "<" \
	"0.95 * $(value load_offered)"
not_ok "best: it has no network to use" perf pingpong --to 10.0.0.1 -t best
not_ok "no headers but there" perf pingpong --lab 3 -t udp --headers 10

# -- two tiers: four links from host to host
fabric 4 rack=2 spines=2 rate=10000 core_rate=40000 delay_ns=500
perf pingpong --lab 4 -t udp -s 1472 -n 20
close_to "in a rack" "$(us all p50)" 6.922 0.5
for i in 1 2 3 4; do
	for k in 1 2 3 4; do
		on h$i ping -c 1 -q "$(addr $k)" >/dev/null || echo "# $i to $k"
	done
done >/tmp/lost
same "all reach all" "$(cat /tmp/lost)" ""
perf alltoall --lab 4 -t tcp -s 20000 -n 5 --verify
same "all to all over TCP: right" "$(value wrong) $(value failed)" "0 0"
within "spines were used" "$(sum frames '^spine')" 100 1000000
fabric_down

# (1538 bytes x 2 x 8 / 10 + 1538 bytes x 2 x 8 / 5 + 4 x 500 ns) x 2
fabric 2 rack=1 rate=10000 core_rate=5000 delay_ns=500
perf pingpong --lab 2 -t udp -s 1472 -n 20
close_to "across a slower core" "$(us all p50)" 18.765 0.5
fabric_down

# -- priorities: behind a queue of best effort, PCP 6 waits for one frame, and
# PCP 1 longer than PCP 0.  h2 and h3 fill the port of h1, h4 asks.
fabric 4 rate=10000 delay_ns=500 buffer_kb=2000 ecn_kb=100
for h in 1 4; do
	ip -n h$h -batch - <<-EOT
		link add link eth0 name v6 type vlan id 6 egress-qos-map 0:6
		link add link eth0 name v1 type vlan id 1 egress-qos-map 0:1
		link set v6 up
		link set v1 up
		addr add 10.6.0.$h/24 dev v6
		addr add 10.1.0.$h/24 dev v1
	EOT
done
rtt() {
	on h4 ping -c 2 -i 0.02 -q "$1" |
		sed -n 's/^rtt.*= [0-9.]*\/\([0-9.]*\).*/\1/p'
}
rtt 10.6.0.1 >/dev/null
rtt 10.1.0.1 >/dev/null
perf incast --lab 3 -t tcp --cc dctcp -s 4M -a 8 -n 25 &
loaded=$!
sleep 0.02
high=$(rtt 10.6.0.1)
base=$(rtt "$(addr 1)")
low=$(rtt 10.1.0.1)
wait $loaded
# 4 x (0.5 us and 102 bytes), and at most a full frame of 1.23 us before it
is "PCP 6 passes the queue, ms" "$high" "<" 0.004
is "best effort waits in it, ms" "$base" ">" 0.020
is "PCP 1 waits longer, ms" "$low" ">" "$base"
within "the queue is about what DCTCP makes of it" \
	"$(sum peak 'leaf0.host1')" 60000 2048000
fabric_down

# -- a card with two classes: what is urgent does not wait behind 64 KB of others
fabric 2 rate=10000 nic_classes=2 nic_bytes=65536
on h1 tc qdisc replace dev eth0 root handle 1: mqprio num_tc 2 \
	map 0 0 0 0 0 0 1 1 queues 1@0 1@1 hw 0
perf stream --lab 2 -t tcp -s 1M -n 100 -d 4 &
loaded=$!
sleep 0.02
base=$(on h1 ping -c 2 -i 0.02 -q "$(addr 2)" |
	sed -n 's/^rtt.*= [0-9.]*\/\([0-9.]*\).*/\1/p')
high=$(on h1 ping -Q 16 -c 2 -i 0.02 -q "$(addr 2)" |
	sed -n 's/^rtt.*= [0-9.]*\/\([0-9.]*\).*/\1/p')
wait $loaded
is "one class waits for the other, ms" "$base" ">" 0.040
is "not the other for it, ms" "$high" "<" 0.010
fabric_down
not_ok "the fabric refuses nine classes" modprobe ttp_fabric nic_classes=9

# -- a full buffer drops, and nothing disappears
fabric 5 rate=10000 buffer_kb=64 sample_ns=1000
fabric_reset
perf incast --lab 5 -t udp -s 60000 -n 2 --drain 50 --warmup 0
sent=$(sum frames '.nic')
arrived=$(sum frames leaf)
dropped=$(sum dropped leaf)
within "a full buffer drops" "$dropped" 10 10000
same "frames are sent or dropped" $((arrived + dropped)) "$sent"
within "samples were taken" "$(fabric_samples | wc -l)" 10 16384
fabric_down

# -- one buffer for all ports: with alpha = 1 a queue may have half of it, with
# 3 three quarters
for alpha in 1/65536 3/98304; do
	fabric 5 rate=10000 buffer_kb=128 shared=1 alpha_8=$((${alpha%/*} * 8))
	fabric_reset
	perf incast --lab 5 -t udp -s 60000 -n 2 --drain 50 --warmup 0
	within "alpha ${alpha%/*}: a queue's share of the buffer" \
		"$(sum peak 'leaf0.host1')" $((${alpha#*/} - 1538)) \
		$((${alpha#*/} + 1538))
	within "alpha ${alpha%/*}: what is beyond is dropped" \
		"$(sum dropped leaf)" 10 10000
	same "alpha ${alpha%/*}: frames are sent or dropped" \
		$(($(sum frames leaf) + $(sum dropped leaf))) \
		"$(sum frames '.nic')"
	fabric_down
done

# -- ECN: DCTCP keeps the queue near the threshold
fabric 4 rate=10000 buffer_kb=1000 ecn_kb=60
perf incast --lab 4 -t tcp --cc cubic -s 1M -a 8 -n 8
cubic=$(sum p99 'leaf0.host1')
same "cubic is not marked" "$(sum marked leaf)" 0
fabric_reset
perf incast --lab 4 -t tcp --cc dctcp -s 1M -a 8 -n 8
is "DCTCP is marked" "$(sum marked leaf)" ">" 100
is "and has a shorter queue, bytes" "$(sum p99 'leaf0.host1')" "<" "$cubic / 2"
fabric_down

# -- losses
fabric 2 rate=10000 loss_ppm=10000
perf pingpong --lab 2 -t tcp -s 100 -n 1500
within "1 % of the frames are lost" $((100 * $(sum lost .))) \
	$((50 * ($(sum frames .) + $(sum lost .)) / 100)) \
	$((200 * ($(sum frames .) + $(sum lost .)) / 100))
same "TCP repeats them" "$(value failed) $(value unfinished)" "0 0"
fabric_set loss_ppm 0
fabric_down

# -- ttpperf: load, the same every time
fabric 4 rate=25000
with_ttp
for t in ttp tcp udp; do
	perf load --lab 4 -t $t -w $workloads/w3.cdf -l 30 -n 5000 --cap 20000
	same "load over $t: all answered" \
		"$(value failed) $(value unfinished) $(value wrong)" "0 0 0"
	close_to "load over $t: achieved is offered" "$(value load_achieved)" \
		"$(value load_offered)" 3
	close_to "load over $t: offered is what was wanted" \
		"$(value load_offered)" 0.30 10
	is "load over $t: what is shorter is faster" "$(us 0 p50)" "<" \
		"$(us all p90)"
	ok "load over $t: JSON" sh -c 'ttp_json </tmp/perf'
done
for t in ttp tcp; do
	perf stream --lab 4 -t $t -s 500000 -n 30
	# 1500 of 1538 bytes, if there were no headers
	is "stream over $t: no more than the link carries, Gbit/s" \
		"$(value goodput_gbps)" "<" "25 * 1500 / 1538"
done
for t in ttp tcp udp; do
	for mode in pingpong stream scale incast alltoall ring direct; do
		perf $mode --lab 4 -t $t -s 20000 -n 5 --verify
		same "$mode over $t" "$? $(value failed) $(value wrong)" "0 0 0"
	done
done
for t in ttp tcp udp; do
	for mode in pingpong ring direct; do
		perf $mode --lab 4 -t $t -s 20000 -n 5 --verify --corrupt 7
		same "$mode over $t, damaged: status" $? 1
		is "$mode over $t, damaged: seen" "$(value wrong)" ">" 0
	done
done
perf pingpong --lab 4 -s 100 -a 5000 -n 5 --verify
same "another size of response" "$(value wrong) $(value calls)" "0 5"
perf load --lab 4 --oneway -w $workloads/w2.cdf -l 30 -n 2000
same "one-way: all arrive" "$(value failed) $(value unfinished)" "0 0"
is "one-way: in less time than there and back, us" "$(us 0 p50)" "<" 2
perf scale --lab 4 -s 100 --sockets 50 -n 600 --verify
same "many sockets: all answered" "$(value calls) $(value failed)" "540 0"
perf load --lab 4 -w $workloads/w2.cdf -l 30 -n 1000 -f csv
same "CSV: as many fields in each row" \
	"$(awk -F, '{ print NF }' /tmp/perf | sort -u)" 20
same "CSV: the tenths, and all" "$(awk -F, 'NR > 1 { printf "%s ", $3 }' /tmp/perf)" \
	"0 1 2 3 4 5 6 7 8 9 all "
same "CSV: calls add up" "$(awk -F, 'NR > 1 && $3 != "all" { n += $5 }
	$3 == "all" { print n - $5 }' /tmp/perf)" 0
same "CSV: achieved and CPU time" \
	"$(awk -F, '$3 == "all" { print ($14 > 0.2), ($16 + $17 >= 0) }' /tmp/perf)" "1 1"
perf load --lab 4 -w $workloads/w2.cdf -l 30 -n 1000 -f text
for what in "slowdown = " "load: offered" "CPU time of this process"; do
	ok "text tells: $what" grep -q "$what" /tmp/perf
done
# grants that are too small must show
perf stream --lab 4 -s 500000 -n 20 -d 1
good=$(value goodput_gbps)
on h2 ttpctl dev set eth0 window 3000 unsched 1500
perf stream --lab 4 -s 500000 -n 20 -d 1
is "a broken setting is visible, Gbit/s" "$(value goodput_gbps)" "<" \
	"$good / 2"

# -- what is published of TCP: short messages of W4 at 80 % take hundreds of
# microseconds (P50 353, P99 2113, 40 hosts), for they wait behind long ones
for h in $(seq 4); do on h$h ttpctl dev del eth0; done
fabric_down
fabric 10 rate=25000 shared=1 buffer_kb=12800
hosts_each 'on h$i tc qdisc replace dev eth0 root fq limit 100000 flow_limit 10000'
perf load --lab 10 -t tcp --cc cubic --conns 8 -w $workloads/w4.cdf -l 80 -n 3000
is "TCP as published: short P50 of tens to hundreds of us" "$(us 0 p50)" ">" 30
is "and no more" "$(us 0 p50)" "<" 700
is "TCP as published: short P99 of hundreds of us to ms" "$(us 0 p99)" ">" 300
is "and no more" "$(us 0 p99)" "<" 6000
tcp_p99=$(us 0 p99)
perf load --lab 10 -t tcp --cc cubic --conns 8 -w $workloads/w4.cdf -l 10 -n 500
is "but not without load" "$(us 0 p99)" "<" "$tcp_p99 / 3"
fabric_down
fabric 4 rate=25000
with_ttp

# -- as on real machines: a server, and clients that name it
for t in ttp tcp udp; do
	on h2 ttpperf server -t $t -p 5100 >/tmp/server 2>&1 &
	server=$!
	wait_for 5 grep -q ready /tmp/server
	to=$(addr 2)
	[ $t != ttp ] || to=$(mac 2)%eth0
	ok "--to over $t" on h1 ttpperf -q pingpong --to "$to" -t $t -p 5100 \
		-n 20 --verify
	ok "--to over $t, load" on h1 ttpperf -q load --to "$to" -t $t -p 5100 \
		-n 200 -w $workloads/w2.cdf -l 20 --cap 60000
	kill $server
	wait $server 2>/dev/null
done
not_ok "nobody answers: said so" on h1 ttpperf -q pingpong --to "$(mac 3)%eth0" -p 5101

usage() {	# DESCRIPTION ARG...
	tap_what=$1
	shift
	ttpperf "$@" >/tmp/usage 2>&1 </dev/null
	same "usage: $tap_what" "$? $(wc -l </tmp/usage)" "2 1"
}
usage "no mode"
usage "unknown mode" sprint --lab 2
usage "unknown transport" pingpong -t sctp --lab 2
usage "neither --lab nor --to" pingpong
usage "both" pingpong --lab 2 --to a
usage "no workload" load --lab 2
usage "a size that is too long" pingpong --lab 2 -t udp -s 70000
usage "no number" pingpong --lab 2 -n many
usage "incast on real machines" incast --to a
not_ok "no such file" ttpperf -q load --lab 4 -w /nowhere
for h in $(seq 4); do on h$h ttpctl dev del eth0; done
fabric_down
ok "the module can be removed" wait_for 5 rmmod ttp
tap_done
