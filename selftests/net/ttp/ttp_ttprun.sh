#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_ttprun.sh: programs that talk UDP, over AF_TTP by ttprun: one of our own
# that tries each call, and Debian's, both ends as they come.
#
# kernels: uml uml-debug 6.12
# append: ipv6.disable=0
# programs: sockperf dnsmasq dig memcached snmpd nsd chronyd
# wall: 600

. ./ttp_lib.sh

ttp_up 3 delay 8us
on h3 ttpctl dev del eth0

# All know each other, so that nothing is sent by UDP to find out
hosts_each 'for k in 1 2 3; do
	[ $k = $i ] || ip -n h$i neigh replace "$(addr $k)" \
		lladdr "$(mac $k)" dev eth0
done'
ip -n h2 addr add 10.0.5.2/16 dev eth0
ip -n h1 neigh add 10.0.5.2 lladdr "$(mac 2)" dev eth0
# what is for many or elsewhere, and a device without TTP
ip -n h1 route add 224.0.0.0/4 dev eth0
ip -n h1 route add 255.255.255.255 dev eth0
ip -n h1 route add 10.8.0.0/24 via "$(addr 2)"
ip -n h1 link add dum0 type dummy
ip -n h1 link set dum0 up
ip -n h1 addr add 10.7.0.1/24 dev dum0
ip -n h1 neigh add 10.7.0.9 lladdr 02:00:00:00:07:09 dev dum0

# -- our own program.  Its results, with numbers that go on
harness() {	# DESCRIPTION COMMAND...
	harness_what=$1
	shift
	"$@" >/tmp/harness 2>&1
	harness_rc=$?
	grep -aE '^#|^not ok|ttprun:' /tmp/harness | grep -av '^# *OK ' |
		sed 's/^not ok/# not ok/' >/tmp/harness.log
	[ $harness_rc = 0 ] || cat /tmp/harness.log
	ok "$harness_what" [ $harness_rc = 0 ]
}
harness "UDP calls" ttprun -t 1 ttp_ttprun -f udp
harness "many at a time" ttprun ttp_ttprun -f load
harness "no plain UDP (-n)" ttprun -n ttp_ttprun -f strict
harness "some ports (-p)" ttprun -p 7001,7003 ttp_ttprun -f ports
harness "one-way messages (-o)" ttprun -o ttp_ttprun -f oneway
if [ -d /proc/sys/net/ipv6 ]; then
	for h in 1 2; do
		on h$h sh -c 'cd /proc/sys/net/ipv6/conf
			for f in all default eth0; do
				echo 0 >$f/accept_dad
				echo 0 >$f/disable_ipv6
			done'
		ip -n h$h addr add fd00::$h/64 dev eth0 nodad
		ip -n h$h neigh replace fd00::$((3 - h)) \
			lladdr "$(mac $((3 - h)))" dev eth0
	done
	harness "IPv6" ttprun ttp_ttprun -f v6
fi

# -- Debian's programs: their own output tells that it works, counters that TTP
# carried it, and that UDP carried nothing
udp_out() {	# HOST: datagrams that UDP has sent
	on "$1" awk '$1 == "Udp:" { n = $5 } END { print n }' /proc/net/snmp
}
before() {
	calls_before=$(counter h1 TtpRpcCompleted)
	udp_before=$(udp_out h1).$(udp_out h2)
}
carried() {	# DESCRIPTION CALLS: at least, by TTP
	within "$1: RPCs that TTP has carried" \
		$(($(counter h1 TtpRpcCompleted) - calls_before)) "$2" 1000000
	same "$1: nothing went by UDP" "$(udp_out h1).$(udp_out h2)" "$udp_before"
}
serve() {	# LISTENING PROGRAM...: on h2, in the background, once it has a port
	serve_port=$1
	shift
	on h2 ttprun -v "$@" >/tmp/served 2>&1 &
	served=$!
	wait_for 20 grep -q ":$serve_port: TTP" /tmp/served && return
	sed 's/^/# /' /tmp/served
}
served_no_more() {
	kill $served
	wait $served 2>/dev/null
}
says() {	# DESCRIPTION PATTERN COMMAND...: the program's output has it
	says_what=$1
	says_pattern=$2
	shift 2
	"$@" >/tmp/said 2>&1
	ok "$says_what" grep -qE "$says_pattern" /tmp/said
	grep -qE "$says_pattern" /tmp/said || sed 's/^/# /' /tmp/said
}
client="on h1 ttprun"
cd /tmp || exit 1

virtual && seconds=1 || seconds=4
before
serve 5001 sockperf server -i 0.0.0.0 -p 5001
says "sockperf: none is lost" \
	'dropped messages = 0; # duplicated messages = 0; # out-of-order messages = 0' \
	$client sockperf ping-pong -i 10.0.0.2 -p 5001 -t "$seconds" -m 100 --no-rdtsc
ok "sockperf: it has measured" grep -qE 'Summary: Latency is [0-9.]+ usec' \
	/tmp/said
calls=$(sed -n 's/.*Total Run.*ReceivedMessages=\([0-9]*\).*/\1/p' /tmp/said)
# what it counts has no warm-up in it
carried sockperf "${calls:-1000000}"
served_no_more

before
echo 10.0.0.2 www.lab >/tmp/hosts
serve 53 dnsmasq -d -u root -p 53 -R -h -H /tmp/hosts --conf-file=/dev/null \
	--pid-file=
says "dnsmasq and dig" '^10\.0\.0\.2$' $client dig @10.0.0.2 www.lab +short
says "dnsmasq: from where it was asked" 'SERVER: 10\.0\.5\.2#53' \
	$client dig @10.0.5.2 www.lab
says "dnsmasq: a name that is not there" 'status: (NXDOMAIN|REFUSED)' \
	$client dig @10.0.0.2 nobody.lab
carried dnsmasq 3
served_no_more

if [ "$LAB_KERNEL" = uml ] || [ "$LAB_KERNEL" = uml-debug ]; then
before
mkdir -p /tmp/nsd
cat >/tmp/nsd/nsd.conf <<-EOT
	server:
	  ip-address: 10.0.0.2
	  port: 5353
	  username: ""
	  zonesdir: /tmp/nsd
	  pidfile: /tmp/nsd/pid
	  database: ""
	  xfrdfile: /tmp/nsd/xfrd
	  xfrdir: /tmp/nsd
	  zonelistfile: /tmp/nsd/list
	  server-count: 2
	remote-control:
	  control-enable: no
	zone:
	  name: lab
	  zonefile: lab.zone
EOT
cat >/tmp/nsd/lab.zone <<-EOT
	lab. 60 IN SOA ns.lab. root.lab. 1 3600 600 86400 60
	lab. 60 IN NS ns.lab.
	ns.lab. 60 IN A 10.0.0.2
	*.many.lab. 60 IN A 10.0.9.9
EOT
serve 5353 nsd -d -c /tmp/nsd/nsd.conf
wait_for 10 grep -q 'nsd started' /tmp/served
for i in $(seq 10); do echo "n$i.many.lab A"; done >/tmp/names
says "nsd, two processes with a socket each, and dig" '^10$' sh -c \
	"$client dig -p 5353 @10.0.0.2 -f /tmp/names +short | grep -c 10.0.9.9"
carried nsd 10
served_no_more

before
mkdir -p /tmp/snmp
printf 'rocommunity public\nsyslocation lab, rack 7\n' >/tmp/snmp/snmpd.conf
export SNMP_PERSISTENT_DIR=/tmp/snmp
serve 161 snmpd -f -Lo -C -c /tmp/snmp/snmpd.conf -p /tmp/snmp/pid udp:161
says "snmpd and snmpget" 'lab, rack 7' $client snmpget -v2c -c public \
	10.0.0.2 1.3.6.1.2.1.1.6.0
says "snmpwalk" '^[1-9][0-9]$' sh -c "$client snmpwalk -v2c -c public 10.0.0.2 \
	1.3.6.1.2.1.1 | wc -l"
says "snmpd knows by IP who asks, and where" \
	'UDP: \[10\.0\.0\.1\]:[0-9]+->\[10\.0\.0\.2\]:161' cat /tmp/served
carried snmpd 20
served_no_more
before
says "snmpget gives up when it should" 'Timeout: No Response' \
	$client snmpget -v2c -c public -t 1 -r 1 10.0.0.2 1.3.6.1.2.1.1.6.0

fi

before
serve 11211 memcached -u root -U 11211 -l 0.0.0.0 -t 4
memcached() {	# REQUEST: with the head that it wants by UDP
	printf '\0\7\0\0\0\1\0\0%s\r\n' "$1" |
		$client socat -t 1 - UDP:10.0.0.2:11211 | tail -c +9
}
says "memcached: set" STORED memcached "$(printf 'set key 0 0 5\r\nvalue')"
says "memcached: get" '^value' memcached 'get key'
says "memcached: version" '^VERSION 1' memcached version
carried memcached 3
served_no_more

if [ "$LAB_KERNEL" = uml ] || [ "$LAB_KERNEL" = uml-debug ]; then
before
serve 5683 coap-server-notls -A 0.0.0.0
says "coap-server and coap-client" 'test server made with libcoap' \
	$client coap-client-notls -B 5 coap://10.0.0.2/
seq 2000 >/tmp/file
$client coap-client-notls -B 20 -b 256 -m put -f /tmp/file \
	coap://10.0.0.2/example_data >/tmp/said 2>&1
$client coap-client-notls -B 20 -o /tmp/back coap://10.0.0.2/example_data \
	>>/tmp/said 2>&1
ok "coap: a file in blocks, there and back" cmp /tmp/file /tmp/back
carried coap 40
served_no_more

before
printf 'allow all\nlocal stratum 3\nport 123\ncmdport 0\ndriftfile /tmp/drift\n' \
	>/tmp/chrony.conf
serve 123 chronyd -4 -d -x -u root -f /tmp/chrony.conf
says "chrony" 'System clock wrong by -?0\.0000' $client timeout 60 \
	chronyd -4 -d -u root -Q 'server 10.0.0.2 iburst maxsamples 3' \
	'cmdport 0' 'pidfile /tmp/chrony.pid'
carried chrony 3
served_no_more
fi

# a process for each datagram, which answers what its parent has received
before
serve 7 socat UDP-RECVFROM:7,fork EXEC:'tr a-z A-Z'
says "socat, a process each" '^HELLO$' sh -c \
	"echo hello | $client socat -t 2 - UDP:10.0.0.2:7"
carried "socat, a process each" 1
served_no_more

# many lines one way, to a program that never answers: none is lost
before
on h2 ttprun socat -u UDP-RECV:514 CREATE:/tmp/lines &
served=$!
wait_for 10 sh -c 'ttpctl -n h2 sock show | grep -q " 514 "'
seq 500 | on h1 ttprun -o socat -u -b 4 - UDP-SENDTO:10.0.0.2:514
seq 500 >/tmp/want
# as datagrams may, they overtake each other; each has whole lines or 4 bytes
wait_for 10 sh -c '[ "$(wc -c </tmp/lines)" = "$(wc -c </tmp/want)" ]'
ok "one-way: all that was sent before the end arrives" sh -c \
	'fold -b -w 1 /tmp/want | sort >/tmp/a; fold -b -w 1 /tmp/lines |
	sort | cmp /tmp/a -'
carried one-way 100
served_no_more

# -- what it tells, and how often
tells() {	# DESCRIPTION TEXT COMMAND...
	tells_what=$1
	tells_text=$2
	shift 2
	echo x | "$@" >/tmp/told 2>&1
	tells_n=$(grep -c "ttprun: .*$tells_text" /tmp/told)
	same "it tells once: $tells_what" "$tells_n" 1
	[ "$tells_n" = 1 ] || sed 's/^/# /' /tmp/told
}
datagram() {	# HOST ADDRESS
	on "$1" ttprun socat -u - UDP-SENDTO:"$2"
}
before
tells "a host without TTP" "10.0.0.3:9: the host does not answer over TTP.*plain UDP" \
	on h1 ttprun socat -t 2 - UDP:10.0.0.3:9,shut-none
within "and the counter of UDP is what it seems" $(($(udp_out h1) - ${udp_before%.*})) \
	1 1
tells "loopback" "127.0.0.1:9: TTP has no loopback.*plain UDP" \
	datagram h1 127.0.0.1:9
tells "a router" "10.8.0.1:9: not on a directly attached.*plain UDP" \
	datagram h1 10.8.0.1:9
tells "a device without TTP" "10.7.0.9:9: TTP is not enabled on the device" \
	datagram h1 10.7.0.9:9
tells "no device at all" "TTP is not enabled on any device (ttpctl dev add" \
	datagram h3 10.0.0.1:9
tells "refused (-n)" "127.0.0.1:9: TTP has no loopback addresses: refused" \
	on h1 ttprun -n socat -u - UDP-SENDTO:127.0.0.1:9
tells "each time (-v)" "127.0.0.1:9: TTP has no loopback addresses" \
	on h1 ttprun -v socat -u - UDP-SENDTO:127.0.0.1:9
tells "a static program" "ttp_count is statically linked: .*plain UDP" \
	ttprun ttp_count h1 TtpRpcClient
cp "$(command -v id)" /tmp/setuid
chown 65534 /tmp/setuid
chmod 4755 /tmp/setuid
tells "a setuid program" "/tmp/setuid gains privileges.*plain UDP" \
	ttprun /tmp/setuid
same "which runs nevertheless" "$(grep -c euid= /tmp/told)" 1
not_ok "but not with -n" ttprun -n /tmp/setuid
printf '#!/mnt/bin/ttp_count h1\n' >/tmp/script
chmod 755 /tmp/script
tells "the interpreter of a script" "ttp_count is statically linked" \
	ttprun /tmp/script
usage() {	# DESCRIPTION STATUS COMMAND...
	usage_what=$1
	usage_rc=$2
	shift 2
	"$@" >/tmp/usage 2>&1
	same "usage: $usage_what" $? "$usage_rc"
}
usage "nothing to start" 2 ttprun
usage "unknown option" 2 ttprun -x true
usage "ports" 2 ttprun -p 53,,54 true
usage "ports the wrong way round" 2 ttprun -p 54-53 true
usage "no port" 2 ttprun -p 0 true
usage "a time" 2 ttprun -t fast true
usage "no such program" 127 ttprun /nowhere
usage "no program" 126 ttprun /tmp
usage "the program's status" 3 ttprun sh -c 'exit 3'
usage "options of the program are its own" 1 ttprun false -n
tap_done
