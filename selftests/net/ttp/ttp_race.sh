#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Everything at once: sockets, devices, namespaces and the module go while
# others use them.  MS= is how long each part takes, roughly; TIMES= how often
# at most something is pulled away in it.
#
# slow: yes
# short: MS=150 TIMES=6 MESSAGES=150
. ./ttp_lib.sh

ms=${MS:-1000} times=${TIMES:-40} messages=${MESSAGES:-1000}
case $LAB_KERNEL in
uml*)	export PAUSE_US=2000
	ms=${MS:-400} times=${TIMES:-12} messages=${MESSAGES:-300} ;;
esac

# under_traffic DESCRIPTION COMMAND...: the command again and again, among
# RPCs from h2 to h1, some of which may fail, but none may be forgotten
under_traffic() {
	what=$1
	shift
	ttp_race traffic "$ms" 6 1 2 1 >/tmp/traffic 2>&1 &
	race=$!
	n=0
	while kill -0 $race 2>/dev/null && [ $n -lt $times ]; do
		"$@" >/tmp/disturb 2>&1 || {
			cat /tmp/disturb
			break
		}
		n=$((n + 1))
		sleep 0.02
	done
	wait $race
	rc=$?
	ok "$what ($n times; $(grep sent /tmp/traffic))" \
		[ "$rc $((n > 0))" = "0 1" ]
	grep -v ' sent' /tmp/traffic | head -5
}

# passes DESCRIPTION [DEV [MAC]]: RPCs of h2 to h1, none of which may fail
passes() {
	what=$1
	shift
	ok "$what" ttp_race traffic $((ms / 4)) 4 1 2 0 "$@"
}

ttp_up 2

# -- sockets
ok "sockets opened and closed among calls" ttp_race storm "$ms"
ok "signals against receivers" ttp_race signals $messages
ok "two answers to one request" ttp_race answers 200
ok "close and shutdown against 64 receivers" ttp_race blocked 64
ok "shutdown against 16 senders" ttp_race senders 16
ok "100 RPCs to nobody" ttp_race nobody 100
passes "plain traffic"

# -- devices
again() {
	on "$1" ttpctl dev del eth0 && on "$1" ttpctl dev add eth0
}
again_both() { again h1 && sleep 0.05 && again h2; }
under_traffic "dev del and add" again_both

flush() { on h1 ttpctl peer flush; on h2 ttpctl peer flush; }
under_traffic "peer flush" flush

i=0
mtu() {
	i=$((i + 1))
	set -- 1500 576 9000 1500 256 200
	shift $((i % 6))
	ip -n sw link set p1 mtu "$1" && ip -n h1 link set eth0 mtu "$1"
}
ip -n sw link set br0 mtu 9000
under_traffic "MTU changes" mtu
ip -n h1 link set eth0 mtu 1500
ip -n sw link set p1 mtu 1500

new_mac() {
	i=$((i + 1))
	set -- 02:00:00:00:00:22 02:00:00:00:00:02
	shift $((i % 2))
	ip -n h2 link set eth0 address "$1"
}
under_traffic "another MAC address" new_mac
ip -n h2 link set eth0 address 02:00:00:00:00:02

up_down() { ip -n h2 link set eth0 down; ip -n h2 link set eth0 up; }
under_traffic "link down and up" up_down

relink() {
	ip -n h2 link del eth0 || return
	ip link add eth0 netns h2 address 02:00:00:00:00:02 type veth \
		peer name p2 netns sw || return
	ip -n sw link set p2 master br0 up || return
	ip -n h2 link set eth0 up && on h2 ttpctl dev add eth0
}
under_traffic "link del" relink

netns_race() {
	ip netns add h4 || return
	ip link add eth0 netns h4 address 02:00:00:00:00:04 type veth \
		peer name p4 netns sw || return
	ip -n sw link set p4 master br0 up || return
	ip -n h4 link set eth0 up && on h4 ttpctl dev add eth0 || return
	ttp_race traffic 60000 3 2 4 1 >/dev/null 2>&1 &
	sleep 0.1
	kill -9 $!
	ip netns del h4
	wait $! 2>/dev/null
	return 0
}
under_traffic "netns del" netns_race

offloads() {
	for dev in h1 h2; do
		on $dev ethtool -K eth0 "$@" || return
	done
}
ok "scatter-gather off" offloads sg off
passes "without scatter-gather"
ok "offloads on" offloads sg on gro on tso on gso on
passes "with all offloads"

# -- devices on top of others
quiet h1 && quiet h2
if ip -n h1 link add link eth0 name eth0.5 type vlan id 5 2>/dev/null; then
	ip -n h2 link add link eth0 name eth0.5 type vlan id 5
	for dev in h1 h2; do
		ip -n $dev link set eth0.5 up
		on $dev ttpctl dev add eth0.5
	done
	before=$(on h1 ttpctl -s stats eth0 | awk '$1 == "TtpInPackets" { print $2 }')
	passes "VLAN device" eth0.5
	same "nothing of it is eth0's" "$before" "$(on h1 ttpctl -s stats eth0 |
		awk '$1 == "TtpInPackets" { print $2 }')"
	passes "the device below it" eth0
	ip -n h1 link del eth0.5
	ip -n h2 link del eth0.5
else
	skip "VLAN device" "no 8021q"
fi
if ip -n h1 link add link eth0 name mv0 address 02:00:00:00:00:31 \
		type macvlan mode bridge 2>/dev/null; then
	ip -n h1 link set mv0 up
	on h1 ttpctl dev add mv0
	passes "macvlan" eth0 02:00:00:00:00:31
	ip -n h1 link del mv0
else
	skip "macvlan" "no macvlan"
fi
on h1 ttpctl dev del eth0
if ip -n h1 link add br1 address 02:00:00:00:00:01 type bridge 2>/dev/null; then
	ip -n h1 link set eth0 master br1
	ip -n h1 link set br1 up
	on h1 ttpctl dev add br1
	wait_for 5 on h2 ttpctl -t 0.2 ping 02:00:00:00:00:01%eth0 -c 1
	passes "bridge"
	ip -n h1 link del br1
else
	skip "bridge" "no bridge"
fi
if ip -n h1 link add bond0 type bond mode active-backup miimon 10 2>/dev/null; then
	ip -n h1 link set eth0 down
	ip -n h1 link set eth0 master bond0
	ip -n h1 link set bond0 up
	on h1 ttpctl dev add bond0
	wait_for 5 on h2 ttpctl -t 0.2 ping 02:00:00:00:00:01%eth0 -c 1
	passes "bond"
	ip -n h1 link del bond0
	ip -n h1 link set eth0 up
else
	skip "bond" "no bonding"
fi
on h1 ttpctl dev add eth0

# -- rest, and the module goes
ok "h1 comes to rest" quiet h1
ok "h2 comes to rest" quiet h2
n=0
while [ $n -lt 3 ]; do
	ttp_race traffic 60000 4 1 2 1 >/dev/null 2>&1 &
	sleep 0.3
	kill -9 $!
	wait $! 2>/dev/null
	ok "rmmod right after" wait_for 5 rmmod ttp
	modprobe ttp && on h1 ttpctl dev add eth0 && on h2 ttpctl dev add eth0
	n=$((n + 1))
done
passes "after all that"
tap_done
