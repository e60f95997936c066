#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The control plane: every object and verb of ttpctl, and through it every
# operation of the netlink family; errors, privileges, namespaces, events.
#
#     netns a: ta  <--- veth --->  tb :netns b          netns c: nothing
#
# cpus: 1
# short: USAGE=no

ksft_skip=4
tmp=$(mktemp -d) || exit 1
count=0
failed=0

cleanup() {
	exec 7>&- 8>&- 2>/dev/null
	for ns in a b c; do
		ip netns del $ns 2>/dev/null
	done
	rm -rf "$tmp"
}
trap cleanup EXIT

# ok DESC COMMAND...: one test, passed if the command succeeds
ok() {
	desc=$1
	shift
	count=$((count + 1))
	if "$@"; then
		echo "ok $count - $desc"
		return 0
	fi
	echo "not ok $count - $desc"
	failed=$((failed + 1))
	sed 's/^/# /' "$tmp/out" "$tmp/err" 2>/dev/null
	return 1
}

skip() {
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

# run RC WORD...: whether ttpctl ends with this code; output in $tmp
run() {
	want=$1
	shift
	ttpctl "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	got=$?
	[ $got = "$want" ] && return 0
	echo "exit $got, not $want: ttpctl $*" >>"$tmp/err"
	return 1
}

says() { # REGEX RC WORD...: run, and the output or error has this
	re=$1
	shift
	run "$@" && grep -Eq -e "$re" "$tmp/out" "$tmp/err"
}

lacks() { # REGEX RC WORD...
	re=$1
	shift
	run "$@" && ! grep -Eq -e "$re" "$tmp/out" "$tmp/err"
}

json() { # WORD...: valid JSON, pretty or not
	run 0 -j "$@" && ttp_json <"$tmp/out" &&
		run 0 -j -p "$@" && ttp_json <"$tmp/out"
}

fails() { ! "$@"; }
quiet() { "$@" >"$tmp/out" 2>"$tmp/err"; }

# wait_for COMMAND...: until it succeeds, 5 seconds at most
wait_for() {
	n=0
	until "$@"; do
		n=$((n + 1))
		[ $n -lt 50 ] || return 1
		sleep 0.1
	done
}

mac() { # NETNS DEV
	ip -n "$1" link show dev "$2" | awk '/link\/ether/ { print $2 }'
}

[ "$(id -u)" = 0 ] || { echo "1..0 # SKIP needs root"; exit $ksft_skip; }
command -v ttpctl >/dev/null ||
	{ echo "1..0 # SKIP no ttpctl"; exit $ksft_skip; }
if ! ttpctl info >/dev/null 2>&1; then
	for ko in /mnt/modules/ttp.ko; do
		[ -e $ko ] && insmod $ko
	done
	modprobe ttp 2>/dev/null
fi
ttpctl info >/dev/null || { echo "1..0 # SKIP no TTP"; exit $ksft_skip; }

for ns in a b c; do
	ip netns add $ns || exit 1
done
ip -n a link add ta type veth peer name tb netns b || exit 1
ip -n a link set ta up
ip -n b link set tb up
A="-n a" B="-n b" C="-n c"
maca=$(mac a ta)
macb=$(mac b tb)

# -- info and parameters
ok "info" says '^family +18$' 0 info
ok "info JSON" json info
ok "param show" says '^dead-timeout +1s$' 0 $A param show
ok "param show JSON" json $A param show
ok "param set, several keys" run 0 $A param set dead-timeout 1500ms \
	max-message 1M max-peers 100 max-rpcs-per-peer 50 mem 64M \
	rcvbuf 1M sndbuf 2M
ok "param shows dead-timeout" says '^dead-timeout +1.5s$' 0 $A param show
ok "param shows max-message" says '^max-message +1M$' 0 $A param show
ok "param shows max-peers" says '^max-peers +100$' 0 $A param show
ok "param shows max-rpcs-per-peer" says '^max-rpcs-per-peer +50$' 0 $A \
	param show
ok "param shows mem" says '^mem +64M$' 0 $A param show
ok "param shows rcvbuf" says '^rcvbuf +1M$' 0 $A param show
ok "param shows sndbuf" says '^sndbuf +2M$' 0 $A param show
ok "parameters are per namespace" says '^dead-timeout +1s$' 0 $B param show
ok "param out of range" says 'dead-timeout: .*out of range' 1 $A param set \
	dead-timeout 1ms
ok "param out of range changes nothing" says 'max-peers: .*range' 1 $A \
	param set rcvbuf 3M max-peers 0
ok "as said" says '^rcvbuf +1M$' 0 $A param show
ok "param set back" run 0 $A param set dead-timeout 1s max-message 16M \
	max-peers 16384 max-rpcs-per-peer 4096 rcvbuf 4M sndbuf 4M

# -- usage errors, of which no kernel hears
usage_errors() {
	ok "no object" run 2
	ok "unknown object" says 'did you mean "peer"' 2 pear show
	ok "unknown command" says 'did you mean "show"' 2 dev shwo
	ok "words are exact" says 'did you mean "show"' 2 dev sho
	ok "unknown option" run 2 -x info
	ok "unknown key" says 'did you mean "ack-every"' 2 $A dev add ta ack-evry 3
	ok "key without value" says 'lacks its value' 2 $A dev add ta crc
	ok "key twice" says 'given twice' 2 $A dev add ta crc on crc off
	ok "value of a switch" says 'neither on nor off' 2 $A dev add ta crc 1
	ok "time without unit" says 'not a time' 2 $A dev add ta rto-min 100
	ok "size that is none" says 'not a size' 2 $A dev add ta unsched 1.5K
	ok "MAC that is none" run 2 $A ping 02:00:00:00:00%ta
	ok "ping without device" says 'not MAC%DEV' 2 $A ping "$macb"
	ok "counters are not reset" says 'only grow' 2 $A stats reset
	ok "help" says '^Usage' 0 help
	ok "version" says '^ttpctl [0-9]' 0 -V
}
[ "${USAGE-yes}" = no ] || usage_errors

# -- devices
ok "no device at first" run 0 $A dev show
ok "empty list is valid JSON" json $A dev show
ok "dev add: no such device" says 'device "nope" does not exist' 1 $A \
	dev add nope
ok "dev add: not Ethernet" says 'needs an Ethernet device' 1 $A dev add lo
ok "dev set: not enabled" says 'not enabled' 1 $A dev set ta crc off
ok "dev del: not enabled" says 'not enabled' 1 $A dev del ta
ok "dev show: not enabled" says 'not enabled' 1 $A dev show ta
ok "peer show: not enabled" says 'not enabled' 1 $A peer show dev ta
ok "stats: not enabled" says 'not enabled' 1 $A stats ta
ip -n a link set ta mtu 200
ok "dev add: MTU too small" says 'MTU' 1 $A dev add ta
ip -n a link set ta mtu 1500
ok "dev add: EtherType of another protocol" \
	says 'ethertype: .*another protocol' 1 $A dev add ta ethertype 0x800
ok "dev add: EtherType out of range" says 'ethertype: .*range' 1 $A \
	dev add ta ethertype 100
ok "dev add: ack-every out of range" says 'ack-every: .*range' 1 $A \
	dev add ta ack-every 0
ok "dev add: floor above ceiling" says 'rto-min: .*above' 1 $A dev add ta \
	rto-min 5ms rto-max 1ms
ok "a refused device is not enabled" lacks 'ta' 0 $A dev show
ok "dev add" run 0 $A dev add ta
ok "dev add with all keys" run 0 $B dev add tb ethertype 0x88b5 crc on \
	unsched 20K window auto ack-every 2 rto-min 500us rto-max 100ms
ok "dev add twice" says 'already' 1 $A dev add ta
ok "dev show" says "^ta +$maca +yes +1500 +0 +0 +0x88b5 +on$" 0 $A dev show
ok "dev show DEV" says "^tb +$macb" 0 $B dev show tb
ok "dev show -s" says '20K +auto +2 +500us +100ms +auto +unknown +5us +8 +auto +on +8 +1,0,2,3,4,5,6,7 +auto +auto$' \
	0 -s $B dev show
ok "dev show JSON" json $B dev show
ok "dev show JSON has numbers" says '"rto_min_us":500' 0 -j $B dev show
ok "dev set" run 0 $B dev set tb unsched auto window 128K ack-every 4 \
	rto-max 200ms
ok "dev set took effect" says 'auto +128K +4 +500us +200ms ' 0 -s $B dev show
ok "dev set, the scheduler's" run 0 $B dev set tb rate 2.5gbit backlog 20us \
	overcommit 3 incoming 1M tag off levels 4 pcp-map 0,1,2,3,3,3,3,3 \
	announce 3000 delay-target 12us
ok "and took effect" \
	says ' 2500mbit +unknown +20us +3 +1M +off +4 +0,1,2,3,3,3,3,3 +3000 +12us$' 0 -s $B dev show
ok "a list in JSON" says '"pcp_map":\[0,1,2,3,3,3,3,3\]' 0 -j $B dev show
ok "a rate in JSON" says '"rate_mbps":2500,"speed_mbps":0' 0 -j $B dev show
ok "rate auto" run 0 $B dev set tb rate auto
ok "a rate of 100 Gbit/s" run 0 $B dev set tb rate 100gbit
ok "shown as such" says ' 100gbit +unknown ' 0 -s $B dev show
ok "no PCP above 7" says 'a PCP is above 7' 1 $B dev set tb pcp-map 0,1,2,3,4,5,6,8
ok "no shorter map" says 'is not a list of 8 numbers' 2 $B dev set tb pcp-map 0,1,2
ok "no longer map" says 'is not a list of 8 numbers' 2 \
	$B dev set tb pcp-map 0,1,2,3,4,5,6,7,7
ok "no rate without unit" says 'is not a rate' 2 $B dev set tb rate 25
ok "no nine levels" fails 1 $B dev set tb levels 9
ok "no level" fails 1 $B dev set tb levels 0
ok "no overcommitment of 0" fails 1 $B dev set tb overcommit 0
ok "no backlog of 0" fails 1 $B dev set tb backlog 0us
ok "delay-target off" run 0 $B dev set tb delay-target off
ok "shown as such" says ' off$' 0 -s $B dev show
ok "off is a number in JSON" says '"delay_target_ns":4294967295' 0 -j $B dev show
ok "no delay-target without unit" says 'is not a time' 2 \
	$B dev set tb delay-target 5
ok "no announcement of 2 MB" fails 1 $B dev set tb announce 2M
ok "as it was" run 0 $B dev set tb rate auto backlog 5us overcommit 8 \
	incoming auto tag on levels 8 pcp-map 1,0,2,3,4,5,6,7 \
	announce auto delay-target auto
ok "dev set: floor above the old ceiling" says 'rto-min: .*above' 1 $B \
	dev set tb rto-min 300ms
ok "dev set: EtherType is fixed" says 'ethertype: .*fixed' 1 $B dev set tb \
	ethertype 0x88b6
ok "dev set: same EtherType" run 0 $B dev set tb ethertype 0x88b5
ok "dev set without key" run 2 $B dev set tb

# -- isolation
ok "devices of others are invisible" lacks 'ta|tb' 0 $C dev show
ok "devices of others cannot be named" says 'does not exist' 1 $C dev show ta
ok "unknown namespace" says 'namespace "nope"' 1 -n nope dev show

# -- ping and peers
ok "ping" says "^$macb%ta seq 1 rtt [0-9.]+[mu]?s" 0 $A ping "$macb%ta" -c 1
ok "ping summary" says '^3 sent, 3 received, rtt min/avg/max ' 0 $A \
	ping "$macb%ta" -c 3 -i 10ms
ok "ping with payload" says '1 received' 0 $A ping "$macb%ta" -c 1 -l 1000
ok "ping JSON" json $A ping "$macb%ta" -c 2 -i 10ms
ok "ping: nobody there" says 'no answer' 1 -t 0.3 $A \
	ping 02:00:00:00:00:99%ta -c 1
ok "ping: nobody there, JSON" run 1 -j -t 0.3 $A \
	ping 02:00:00:00:00:99%ta -c 1
ok "that is valid" ttp_json <"$tmp/out"
ok "ping: too long" says 'fit the MTU' 1 $A ping "$macb%ta" -c 1 -l 9000
ok "ping: group address" says 'not the address of one host' 1 $A \
	ping ff:ff:ff:ff:ff:ff%ta -c 1
ok "ping: device not enabled" says 'DEV: .*not enabled' 1 $A \
	ping "$macb%lo" -c 1
ip -n a link set ta down
ok "ping: device down" says 'is down' 1 $A ping "$macb%ta" -c 1
ok "dev show: device down" says "^ta +$maca +no " 0 $A dev show ta
ip -n a link set ta up

# -- sockets and RPCs: b has a server that does not answer
mkfifo "$tmp/b" "$tmp/a"
ip netns exec b ttp_hold server 1234 <"$tmp/b" >"$tmp/b.out" 2>&1 &
exec 7>"$tmp/b"
ok "a server is there" wait_for grep -q ready "$tmp/b.out"
ok "sock show" says '^\* +1234 +yes +0 +0 +0 ' 0 $B sock show
ok "sock show -s" says '^DEV +PORT .*RCVBUF' 0 -s $B sock show
ok "sock show JSON" json $B sock show
ip netns exec a ttp_hold client ta "$macb" 1234 100 <"$tmp/a" \
	>"$tmp/a.out" 2>&1 &
exec 8>"$tmp/a"
ok "a client is there" wait_for grep -q ready "$tmp/a.out"
ok "rpc show, client" wait_for says \
	"client +request +[a-z]+ +ta +[0-9]+ +$macb +1234 +100 " 0 $A rpc show
ok "rpc show, server" wait_for says \
	"server +request +ready +tb +1234 +$maca .* 100 +100 " 0 $B rpc show
ok "rpc show JSON" json $A rpc show
ok "rpc show -s" says 'GRANTED' 0 -s $A rpc show
ok "rpc show dev" says 'server' 0 $B rpc show dev tb
ok "rpc show sock" says 'server' 0 $B rpc show sock 1234
ok "rpc show another sock" lacks 'server' 0 $B rpc show sock 1235
ok "sock show, connected" says "$macb +ta +1234$" 0 $A sock show
ok "sock show, waiting request" says '^\* +1234 +yes +0 +1 +1 +100 ' 0 $B \
	sock show
ok "dev show counts" says "^ta .* 1500 +1 +1 " 0 $A dev show
ok "peer show" says "^ta +$macb " 0 $A peer show
ok "peer show JSON" json $A peer show
ok "peer show -s" says 'RTTVAR' 0 -s $A peer show
ok "peer show dev MAC" says "$macb" 0 $A peer show dev ta "$macb"
ok "peer show another MAC" lacks "$macb" 0 $A peer show 02:00:00:00:00:99
ok "peer flush leaves busy ones" says '^flushed +0$' 0 $A peer flush
exec 8>&-
ok "the RPC ends with its client" wait_for lacks 'client|server' 0 $A rpc show
ok "so it does at the server" wait_for lacks 'client|server' 0 $B rpc show
exec 7>&-
ok "sockets go" wait_for lacks '1234' 0 $B sock show
ok "peer flush dev MAC" wait_for says '^flushed +1$' 0 $A peer flush dev ta \
	"$macb"
ok "flushed" lacks "$macb" 0 $A peer show
ok "peer flush JSON" json $A peer flush
ok "peer flush: not enabled" says 'dev: .*not enabled' 1 $A peer flush dev lo

# -- counters
ok "stats" says '^TtpInPackets +[1-9]' 0 $A stats
ok "stats hides zeros" lacks ' 0$' 0 $A stats
ok "stats -s" says ' 0$' 0 -s $A stats
ok "stats DEV" says '^TtpProbeOut +[1-9]' 0 $A stats ta
ok "stats JSON" json $A stats
ok "stats are those of /proc" sh -c "
	ip netns exec a grep -v TtpCurr /proc/net/ttp/snmp | sed 's/[ \t]\{1,\}/ /' \
		>$tmp/proc
	ttpctl -n a -s stats | sed 's/ \{1,\}/ /' | cmp - $tmp/proc"
ok "stats -w" says '^TtpProbeOut +0$' 0 -s -t 0.3 $A stats ta -w 0.1
ok "stats per namespace" lacks '[1-9]' 0 $C stats

# -- privileges
if command -v setpriv >/dev/null; then
	ok "dev show unprivileged" quiet ip netns exec a \
		setpriv --reuid 65534 --clear-groups ttpctl dev show
	for words in "dev add ta" "dev set ta crc off" "dev del ta" \
		"param set max-peers 3" "peer flush"; do
		ok "$words unprivileged" fails quiet ip netns exec a \
			setpriv --reuid 65534 --clear-groups ttpctl $words
		ok "is refused" grep -q 'not permitted' "$tmp/err"
	done
	ok "root of another user namespace is not ours" fails quiet \
		ip netns exec a unshare -U -r ttpctl dev del ta
	ok "but of his own network" unshare -U -r -n ttpctl param set \
		max-peers 3
else
	skip "privileges" "no setpriv"
fi

# -- events
ip netns exec a ttpctl monitor >"$tmp/mon" 2>&1 &
mon=$!
ip netns exec a ttpctl -j monitor >"$tmp/mon.json" 2>&1 &
monj=$!
poke() {
	ttpctl $A param set max-peers 77
	grep -q param-set "$tmp/mon" && grep -q param-set "$tmp/mon.json"
}
has() { grep -Eq -- "$1" "$tmp/mon"; }
ok "monitor listens" wait_for poke
ok "param-set event" has '^20..-..-..T.* param-set .*max-peers 77'
run 0 $A dev set ta ack-every 5
ok "dev-set event" wait_for has ' dev-set ifindex [0-9]+ dev ta .*ack-every 5'
run 0 $A dev del ta
ok "dev-del event" wait_for has ' dev-del ifindex [0-9]+ dev ta$'
ok "dev del" lacks 'ta' 0 $A dev show
run 0 $A dev add ta
ok "dev-add event" wait_for has " dev-add ifindex [0-9]+ dev ta mac $maca"

# a peer restarts between two requests, and has nobody to say goodbye to
ip netns exec a ttp_hold client ta "$macb" 9 1 </dev/null >"$tmp/a.out" 2>&1
ok "the peer's incarnation is known" wait_for says \
	"$macb +0x[0-9a-f]{2,} " 0 $A peer show
ok "it forgets us" run 0 $B peer flush
run 0 $B dev del tb
run 0 $B dev add tb
ip netns exec a ttp_hold client ta "$macb" 9 1 </dev/null >"$tmp/a.out" 2>&1
ok "peer-restarted event" wait_for has " peer-restarted mac $macb dev ta epoch"

# a peer dies: the device is up, the other end is not
run 0 $A param set dead-timeout 200ms
ip -n b link set tb down
ip -n a link set ta up
mkfifo "$tmp/a2"
ip netns exec a ttp_hold client ta "$macb" 9 1 <"$tmp/a2" >"$tmp/a.out" 2>&1 &
exec 8>"$tmp/a2"
sleep 0.5
exec 8>&-
has ' peer-dead ' || skip "peer-dead event" "veth has no carrier then"
has ' peer-dead ' && ok "peer-dead event" has " peer-dead mac $macb dev ta"
ip -n b link set tb up
run 0 $A param set dead-timeout 1s

# -- rename and removal
ip -n a link set ta down
ip -n a link set ta name t9
ip -n a link set t9 up
ok "a rename changes nothing" says "^t9 +$maca +yes" 0 $A dev show
ip -n a link set t9 mtu 200
ok "MTU too small: not up" says "^t9 +$maca +no" 0 $A dev show
ip -n a link set t9 mtu 1500
ok "MTU raised again: up" says "^t9 +$maca +yes" 0 $A dev show
ip -n a link del t9
ok "a device that goes is not enabled" lacks 't9' 0 $A dev show
ok "dev-del event on removal" wait_for has ' dev-del ifindex [0-9]+ dev t9$'
ok "its other end too" lacks 'tb' 0 $B dev show
ip -n a link add ta type veth peer name tb netns b
ip -n a link set ta up
ip -n b link set tb up
ok "enabled anew" run 0 $A dev add ta
ip -n a link set ta netns c
ok "a device that moves is not enabled" lacks 'ta' 0 $A dev show
ok "nor where it arrives" lacks 'ta' 0 $C dev show

kill $mon $monj
ok "events are valid JSON" ttp_json <"$tmp/mon.json"
ok "monitor -t ends" run 0 -t 0.1 $A monitor

# -- lists longer than one message
ip -n c link set ta name d0
ip -n c link set d0 up
run 0 $C dev add d0
run 0 $C param set dead-timeout 60s
mkfifo "$tmp/c1" "$tmp/c2"
ip netns exec c ttp_hold sockets 500 <"$tmp/c1" >"$tmp/c1.out" 2>&1 &
exec 7>"$tmp/c1"
ip netns exec c ttp_hold peers d0 500 <"$tmp/c2" >"$tmp/c2.out" 2>&1 &
exec 8>"$tmp/c2"
wait_for grep -q ready "$tmp/c1.out"
wait_for grep -q ready "$tmp/c2.out"
all() { # COLUMN REGEX OBJECT: 500 rows with this, no two of them the same
	run 0 $C "$3" show || return 1
	[ "$(awk -v c="$1" -v re="$2" '$c ~ re { print $c }' "$tmp/out" |
		sort -u | wc -l)" = 500 ] &&
	[ "$(awk -v c="$1" -v re="$2" '$c ~ re' "$tmp/out" | wc -l)" = 500 ]
}
ok "500 sockets" all 2 '^2[0-4][0-9][0-9]$' sock
ok "500 peers" all 2 '^02:00:00:00:0[01]:' peer
ok "500 RPCs" all 1 '^0x' rpc
ok "as valid JSON" json $C rpc show
exec 7>&- 8>&-
ip netns del c
ok "a namespace goes with all of it" run 1 $C dev show

echo "1..$count"
[ $failed = 0 ]
