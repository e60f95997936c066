#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Packets of one message over several paths: two links of 10 Gbit/s, 5 and 15 us
# long, one packet on each in turn.
#
# slow: yes
# kernels: uml
# wall: 300

. ./ttp_lib.sh
. ./perf_lib.sh

hosts_n=2
for i in 1 2; do
	ip netns add h$i
	ip -n h$i link set lo up
	ip -n h$i link add bond0 address 02:00:00:00:00:0$i type bond \
		mode balance-rr miimon 100
done
delay() { [ $1 = path1 ] && echo 5us || echo 15us; }
for path in path1 path2; do
	ip link add $path netns h1 type veth peer name $path netns h2
	for i in 1 2; do
		on h$i ethtool -K $path tso off gso off gro off >/dev/null
		ip -n h$i link set $path master bond0
		on h$i tc qdisc replace dev $path root netem limit 100000 \
			rate 10gbit delay $(delay $path)
	done
done
for i in 1 2; do
	ip -n h$i link set bond0 up
	ip -n h$i addr add 10.9.0.$i/24 dev bond0
	on h$i ethtool -K bond0 tso off gso off gro off >/dev/null
done
sleep 1
modprobe ttp
for i in 1 2; do on h$i ttpctl dev add bond0 rate 20gbit || exit 1; done
start h2 ttpperf server -p 7000
server=$started
stream() {	# MESSAGES
	on h1 ttpperf -q -f json stream --to "02:00:00:00:00:02%bond0" -p 7000 \
		-s 500000 -a 8 -n "$1" -d 4 >/tmp/perf 2>/tmp/perf.err
}
stream 100	# learns how late packets are
again=$(counter h1 TtpRetransmits)
sent=$(counter h1 TtpOutPackets)
order=$(counter h2 TtpInOutOfOrder)
stream 1000
sent=$(($(counter h1 TtpOutPackets) - sent))
same "two paths: all is answered" "$(value failed) $(value unfinished)" "0 0"
# 1,428 bytes in frames of 1,518, with the tag
is "two paths: goodput, Gbit/s" "$(value goodput_gbps)" ">=" \
	"0.95 * 20 * 1428 / 1518"
is "two paths: packets out of order" \
	"$(($(counter h2 TtpInOutOfOrder) - order))" ">" "$sent / 4"
is "two paths: less than 0.1 % is sent again" \
	"$(($(counter h1 TtpRetransmits) - again))" "<" "$sent / 1000"
kill $server
wait $server 2>/dev/null
for i in 1 2; do on h$i ttpctl dev del bond0; done
ip netns del h1
ip netns del h2
ok "the module can be removed" wait_for 5 rmmod ttp
tap_done
