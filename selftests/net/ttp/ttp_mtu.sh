#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_mtu.sh: frames fit the smaller MTU of both ends, also when it changes.
#
# cpus: 1

. ./ttp_lib.sh

big=02:00:00:00:00:01 small=02:00:00:00:00:02
ttp_up 2 mtu 9000
on h2 ip link set eth0 mtu 1500

# the longest frame that h2 was sent, as the switch port to it saw it
longest() {
	sed -n 's/.* length \([0-9]*\).*/\1/p' "$1" | sort -n | tail -n 1
}
capture() {
	on sw tcpdump -Z root -l -n -e -i "$1" ether proto 0x88b5 \
		>"$2" 2>/tmp/tcpdump &
	tcpdump=$!
	wait_for 20 grep -q 'listening on' /tmp/tcpdump
}
end_capture() {
	sleep 0.1
	kill $tcpdump
	wait $tcpdump 2>/dev/null
}

on h1 ttp_echo_server 7 &
on h2 ttp_echo_server 7 &
wait_for 5 sh -c 'on h2 ttpctl sock show | grep -qw 7'
wait_for 5 sh -c 'on h1 ttpctl sock show | grep -qw 7'

capture p2 /tmp/to_h2
ok "9000 to 1500: 100,000 bytes there and back" \
	on h1 ttp_echo_client $small%eth0 7 3 100000
ok "1500 to 9000: 100,000 bytes there and back" \
	on h2 ttp_echo_client $big%eth0 7 3 100000
end_capture
within "no frame is longer than the smaller MTU" "$(longest /tmp/to_h2)" 1400 1518
same "h1 knows the MTU of h2" "$(on h1 ttpctl -j peer show |
	tr ',' '\n' | sed -n 's/.*"mtu": *\([0-9]*\).*/\1/p')" 1500

on h2 ip link set eth0 mtu 9000
ok "h2 gets 9000 too" on h2 ttp_echo_client $big%eth0 7 3 100000
capture p2 /tmp/to_h2
ok "now frames may be long" on h1 ttp_echo_client $small%eth0 7 3 100000
end_capture
within "and are" "$(longest /tmp/to_h2)" 8000 9018

for mtu in 256 576 1280; do
	on h2 ip link set eth0 mtu $mtu
	ok "MTU $mtu: 50,000 bytes from there" \
		on h2 ttp_echo_client $big%eth0 7 2 50000
	ok "MTU $mtu: 50,000 bytes to there" \
		on h1 ttp_echo_client $small%eth0 7 2 50000
done

on h2 ip link set eth0 mtu 200
not_ok "below 256 sending fails" on h2 ttp_echo_client $big%eth0 7 1 10
on h2 ip link set eth0 mtu 1500
ok "until the MTU is raised" on h2 ttp_echo_client $big%eth0 7 1 10
on h1 ttpctl dev del eth0
on h1 ip link set eth0 mtu 255
not_ok "a device with MTU 255 is refused" on h1 ttpctl dev add eth0
on h1 ip link set eth0 mtu 256
ok "one with 256 is not" on h1 ttpctl dev add eth0
tap_done
