#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A network that loses, overtakes, doubles and damages frames, 5, 5, 2 and 1 %
# each way: every message is there once and right, and nothing stays behind.
#
# wall: 300
# short: RPCS=600
#
# RPCS: messages (12500), one in 5 of them one-way.  Half
# go over MTU 1500, half over 9000.  BIG: one in so many has 1 MiB (251, so that
# they are of all kinds), one in 60 about 64 KiB.

. ./ttp_lib.sh

: "${RPCS:=12500}"
: "${BIG:=251}"
port=77
# what each of the two queues on the way has to do, so that they do it together
faults='delay 40us reorder 2.53% loss 2.53% duplicate 1% corrupt 0.5%'

memory() {
	sync
	echo 3 >/proc/sys/vm/drop_caches
	awk '$1 == "MemFree:" { print $2 }' /proc/meminfo
}

objects() {
	awk '$1 == "ttp_rpc" { n = $2 } END { print n + 0 }' /proc/slabinfo
}

exchange() {	# COUNT FIRST_NUMBER
	on h1 ttp_exchange client "$(mac 2)%eth0" $port count="$1" \
		number="$2" flight=24 req=mix resp=mix oneway=5 big="$BIG" \
		port=$((2000 + $2))
}

part() {	# MTU FIRST_NUMBER
	n=$((RPCS / 2))
	before=$(on h2 ttp_exchange report "$(mac 2)%eth0" $port)
	out=$(exchange $n "$2")
	echo "# MTU $1: $out"
	same "MTU $1: all messages arrived" "$(field done "$out")" $n
	same "MTU $1: none failed" "$(field failed "$out")" 0
	same "MTU $1: responses are right" "$(field wrong "$out")" 0
	same "MTU $1: each was reported once" "$(field twice "$out")" 0
	out=$(on h2 ttp_exchange report "$(mac 2)%eth0" $port)
	same "MTU $1: the server got each message" "$(field numbers "$out")" \
		$(($(field numbers "$before") + n))
	same "MTU $1: none was run twice" "$(field twice "$out")" 0
	same "MTU $1: requests are right" "$(field wrong "$out")" 0
	# 1 % of them, some in what comes before the checksum; 2 %; 5 %
	all=0 crc=0 twice=0 overtaken=0
	for h in h1 h2; do
		crc=$((crc + $(counter $h TtpInCrc)))
		all=$((all + $(counter $h TtpInPackets)))
		twice=$((twice + $(counter $h TtpInDuplicate)))
		overtaken=$((overtaken + $(counter $h TtpInOutOfOrder)))
	done
	# Of few frames, few: none to one of the hosts is not rare
	[ $all -lt 3000 ] || for h in h1 h2; do
		within "MTU $1: frames damaged on the way to $h" \
			"$(counter $h TtpInCrc)" 1 1000000
	done
	within "MTU $1: damaged, of $all" $crc $((all / 1000)) \
		$((all * 25 / 1000))
	within "MTU $1: doubled, or sent twice" $twice $((all / 500)) $all
	within "MTU $1: overtaken" $overtaken $((all / 500)) $all
	within "MTU $1: and lost" "$(counter h1 TtpRetransmits)" 1 1000000
	ok "MTU $1: client is at rest" quiet h1
	ok "MTU $1: server is at rest" quiet h2
}

# KASAN keeps freed memory back, up to a 32nd of the machine's; each CPU keeps
# pages
case $LAB_KERNEL in
uml)	most=2048 ;;
uml-debug) most=16384 ;;
*)	most=8192 ;;
esac
for mtu in 1500 9000; do
	ttp_up 2 mtu $mtu limit 10000
	start h2 ttp_exchange server $port
	server=$started
	# first use takes memory for good, be it the allocators'
	exchange 100 0 >/dev/null
	ok "MTU $mtu: at rest" quiet h1
	ok "MTU $mtu: at rest" quiet h2
	free=$(memory)
	hosts_change $faults
	part $mtu 1000
	hosts_change
	lost=$((free - $(memory)))
	within "MTU $mtu: memory is free again, KiB missing" $lost -100000 $most
	# KASAN's are no longer RPCs; the module would not go if they were
	[ ! -r /proc/slabinfo ] || [ "$LAB_KERNEL" = uml-debug ] ||
		within "MTU $mtu: RPC objects left" "$(objects)" 0 512
	kill $server
	wait $server 2>/dev/null
	for h in h1 h2; do
		on $h ttpctl dev del eth0
		same "MTU $mtu: no peer is left on $h" \
			"$(counter $h TtpCurrPeers)" 0
	done
	[ $mtu != 9000 ] || ok "the module can be removed" wait_for 5 rmmod ttp
	hosts_down
done
tap_done
