#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guest.sh ARG...: run by bench in a guest of tools/lab: build the fabric, run
# ttpperf ARG... on it, leave results in /mnt/out.
#
#   HOSTS=N FABRIC="PARAMETER=VALUE..."	the network
#   BESIDE="ARG..."	a second ttpperf at the same time
#   MTU=N		of each host's card
#   TTP_DEV="KEY VALUE..."	settings of each TTP device
#   TTP_CHANGE="KEY VALUE..."	what is changed of them
#   QDISC="WORDS"		of each host's card
#   CLASSES=1		two classes in the card: the higher one for packets of
#			priority 6 and 7, without a QDISC of its own
#   RTO_MIN_US=N	TCP's shortest time-out
. /mnt/lib/hosts.sh

fail() {
	echo "bench: $*"
	exit 1
}

ulimit -n 1000000
fabric "$HOSTS" $FABRIC
# As hosts have it: flows of TCP take turns.  TTP has an order of its own.  Neither
# drops what its own socket buffers have let through.
[ -z "$MTU" ] ||
	hosts_each 'ip -n h$i link set eth0 mtu $MTU || fail "h$i: mtu"'
QDISC=${QDISC:-pfifo limit 100000}
qdiscs() {
	[ "$CLASSES" ] || {
		echo "qdisc replace dev eth0 root $QDISC"
		return
	}
	cat <<-EOT
		qdisc replace dev eth0 root handle 1: mqprio num_tc 2 map 0 0 0 0 0 0 1 1 queues 1@0 1@1 hw 0
		qdisc replace dev eth0 parent 1:1 $QDISC
		qdisc replace dev eth0 parent 1:2 pfifo limit 100000
	EOT
}
hosts_each 'qdiscs | hosts_batch tc -n h$i || fail "h$i: qdisc"'
modprobe ttp
hosts_each '
	on h$i ttpctl dev add eth0 $TTP_DEV || fail "h$i: dev add"
	[ -z "$TTP_CHANGE" ] || on h$i ttpctl dev set eth0 $TTP_CHANGE ||
		fail "h$i: dev set"
	on h$i ttpctl param set mem 256M rcvbuf 32M || fail "h$i: param"
	on h$i sh -c "echo ${RTO_MIN_US:-2000} >/proc/sys/net/ipv4/tcp_rto_min_us &&
		echo 0 >/proc/sys/net/ipv4/tcp_slow_start_after_idle" ||
		fail "h$i: sysctl"
'
out=/mnt/out
if [ "$BESIDE" ]; then
	ttpperf --lab "$HOSTS" -q -f json -p 6000 $BESIDE >$out/beside.json \
		2>$out/beside.err &
	beside=$!
fi
ttpperf --lab "$HOSTS" -q -f json --cdf $out/cdf \
	--mark /sys/kernel/debug/ttp_fabric/reset "$@" >$out/result.json \
	2>$out/result.err
status=$?
fabric_queues >$out/queues
fabric_samples >$out/samples
hosts_each 'on h$i cat /proc/net/ttp/snmp | sed "s/^/h$i /"' >$out/snmp
hosts_each 'on h$i cat /proc/net/netstat /proc/net/snmp | sed "s/^/h$i /"' \
	>$out/tcp
hosts_each 'on h$i tc -s qdisc show dev eth0 | sed "s/^/h$i /"' >$out/qdisc
[ -z "$BESIDE" ] || wait $beside || fail "$(cat $out/beside.err)"
[ -s $out/result.json ] || fail "$(cat $out/result.err)"
exit $((status > 1))
