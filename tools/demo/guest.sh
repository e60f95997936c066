#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guest.sh: the demonstration itself, inside the lab's kernel; see ./demo.
# FILE: what to transfer.  RPCS: how many calls to make.

. /mnt/lib/hosts.sh

step=0
bad=0
say() {
	step=$((step + 1))
	printf '\n%s. %s\n' "$step" "$*"
}
show() {
	echo "   h1# $*" | sed 's/ip netns exec h1 //'
	on h1 "$@" 2>&1 | sed 's/^/   /'
}
verdict() {	# DESCRIPTION COMMAND...
	what=$1
	shift
	if "$@"; then
		echo "   PASS  $what"
	else
		echo "   FAIL  $what"
		bad=$((bad + 1))
	fi
}
counter() {
	on "$1" awk -v n="$2" '$1 == n { print $2 }' /proc/net/ttp/snmp
}

say "Two hosts, h1 and h2, on a switch: 10 Gbit/s, 5 us per hop, 1 % of the
   frames lost each way (0.5 % at each of two queues)."
modprobe ttp || exit 1
hosts 2 rate 10gbit delay 5us loss 0.5%
# one answer of five is enough: frames get lost here
reaches() {
	on h1 ping -q -c 5 -i 0.1 -W 2 "$(addr 2)" >/dev/null
}
verdict "the hosts are up" reaches

say "TTP is enabled on a device of each host; before that nothing is received."
for h in h1 h2; do
	echo "   $h# ttpctl dev add eth0"
	on $h ttpctl dev add eth0 || exit 1
done
show ttpctl dev show
show ttpctl ping "$(mac 2)%eth0" -c 3 -i 1ms

# What socat's generic socket addresses want: struct sockaddr_ttp in hex,
# without the family: port, device, MAC, padding, RPC, reserved.  The device
# could be 0, the only one; but socat compares who answers with whom it asked.
zeros=0000000000000000
dev=$(printf %02x000000 "$(on h1 ip -o link show eth0 | cut -d: -f1)")
any=x002a000000000000000000000000$zeros$zeros
h2=x002a$dev$(mac 2 | tr -d :)0000$zeros$zeros

say "An unmodified socat asks for a file, another one answers with it, $(wc -c <"$FILE")
   bytes in one message (socat makes a message of each block it reads).
   AF_TTP is family 18; socat knows nothing more about it."
cat <<END
   h2# socat -b 16777216 SOCKET-RECVFROM:18:2:0:$any \\
             OPEN:file,rdonly!!OPEN:/dev/null
   h1# echo please | socat -b 16777216 -t 10 STDIO \\
             SOCKET-SENDTO:18:2:0:$h2 > received
END
on h2 socat -b 16777216 "SOCKET-RECVFROM:18:2:0:$any" \
	"OPEN:$FILE,rdonly!!OPEN:/dev/null" &
until on h2 ttpctl sock show | grep -qw 42; do sleep 0.01; done
echo please | on h1 socat -b 16777216 -t 10 STDIO \
	"SOCKET-SENDTO:18:2:0:$h2" >/tmp/received
sent=$(sha256sum <"$FILE")
received=$(sha256sum </tmp/received)
echo "   sent      ${sent%% *}"
echo "   received  ${received%% *}"
verdict "the file arrived, the checksums match" [ "$sent" = "$received" ]

say "A plain C server and client (tools/examples/echo_*.c): $RPCS calls of mixed
   sizes, one after the other, every byte of every answer compared."
on h2 ttp_echo_server 7 &
server=$!
until on h2 ttpctl sock show | grep -qw 7; do sleep 0.01; done
sizes="8 64 64 64 64 64 64 1024 1024 1024 1024 1024 1024 4096 4096 4096
	16384 16384 16384 65536"
echo "   h1# ttp_echo_client $(mac 2)%eth0 7 $((RPCS / 20))" $sizes
on h1 ttp_echo_client "$(mac 2)%eth0" 7 $((RPCS / 20)) $sizes >/tmp/calls
calls=$?
sort -n -k 1 -k 3 /tmp/calls | awk '
function row() {
	printf "   %8d %7d %9.1f %9.1f %9.1f\n", size, n, us[int((n + 1) / 2)],
		us[int((99 * n + 99) / 100)], us[n]
}
BEGIN { printf "   %8s %7s %9s %9s %9s\n", "bytes", "calls", "P50, us", "P99",
	"max" }
$1 != size && n { row(); n = 0 }
{ size = $1; us[++n] = $3 }
END { row() }'
verdict "$RPCS calls, all answers right" \
	[ "$calls $(wc -l </tmp/calls)" = "0 $((RPCS / 20 * 20))" ]
kill $server

say "The same over TTP and over TCP, with the same sizes, each call when the last
   one has ended; every byte of every answer compared."
on h2 ttp_compare server -t "$(addr 2):9" 9 >/tmp/server 2>&1 &
server=$!
until grep -qs ready /tmp/server; do sleep 0.01; done
on h1 ttp_compare client -t "$(addr 2):9" -n "$RPCS" \
	-s 0x8,64x30,1024x30,4096x16,16Kx10,64Kx4,256Kx1,1Mx1 \
	"$(mac 2)%eth0" 9 >/tmp/client 2>&1
calls=$?
sed 's/^/   /' /tmp/client
verdict "$RPCS calls over TTP, and as many over TCP, all answers right" \
	[ $calls = 0 ]
kill $server

say "What happened, as ttpctl shows it."
show ttpctl stats
show ttpctl peer show
show ttpctl rpc show
verdict "frames were lost, and what was lost was sent again" \
	[ "$(counter h1 TtpRetransmits)" -gt 0 ]
verdict "no call failed" [ "$(counter h1 TtpRpcFailed)" = 0 ]

say "The end."
for h in h1 h2; do
	on $h ttpctl dev del eth0
done
sleep 3
for h in h1 h2; do
	verdict "nothing is left on $h: no RPC, no peer, no memory" \
		[ "$(on $h awk '/TtpCurr/ { n += $2 } END { print n }' \
			/proc/net/ttp/snmp)" = 0 ]
done
hosts_down
verdict "the module unloads" rmmod ttp
echo
if [ $bad = 0 ]; then
	echo "DEMO PASSED"
else
	echo "DEMO FAILED: $bad of the checks above"
fi
[ $bad = 0 ]
