#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_libttp.sh: addresses by name and by IP address.  Needs no TTP.
#
# cpus: 1
# wall: 400

. ./ttp_lib.sh

hosts 3 delay 2ms

# h1 and h2 have a second network of their own
ip link add eth1 netns h1 address 02:00:00:00:01:01 type veth \
	peer name eth1 netns h2 address 02:00:00:00:01:02
for h in 1 2; do
	ip -n h$h link set eth1 up
	ip -n h$h addr add 10.9.0.$h/24 dev eth1
done
# names as they may be
ip -n h1 link add 'a]b]c]d]e]f]g]h' type dummy
ip -n h1 link add 999 type dummy
# no Ethernet
on h1 ip tuntap add tun0 mode tun
ip -n h1 link set tun0 up
ip -n h1 route add 10.66.0.0/24 dev tun0
ip -n h1 route add 10.44.0.0/24 dev lo
# an address that is on the loopback device as well, as virtual servers have it
ip -n h1 addr add 10.9.0.1/32 dev lo
# elsewhere, and nowhere; there is no default route
ip -n h1 route add 10.8.0.0/24 via 10.0.0.2
ip -n h1 route add blackhole 10.6.0.0/24
ip -n h1 route add prohibit 10.5.0.0/24

v6="-V v6 -T link_local_addresses_have_a_device"
if [ -d /proc/sys/net/ipv6 ]; then
	v6=
	for h in 1 2 3; do
		on h$h sh -c 'cd /proc/sys/net/ipv6/conf
			for f in all default eth0; do
				echo 0 >$f/accept_dad
				echo 0 >$f/disable_ipv6
			done'
		ip -n h$h addr add fd00::$h/64 dev eth0 nodad
	done
	for h in 1 2; do
		on h$h sh -c 'cd /proc/sys/net/ipv6/conf/eth1
			echo 0 >accept_dad; echo 0 >disable_ipv6'
		ip -n h$h addr add fd09::$h/64 dev eth1 nodad
	done
	echo 0 | on h1 tee /proc/sys/net/ipv6/conf/lo/disable_ipv6 >/dev/null
	ip -n h1 addr add fd09::1/128 dev lo
	ip -n h1 route add fd44::/64 dev lo
	ip -n h1 route add fd66::/64 dev tun0
	ip -n h1 route add fd08::/64 via fd00::2
	ip -n h1 route add blackhole fd06::/64
	ip -n h1 route add prohibit fd05::/64
fi

seq 0 1999 | awk '{
	printf "neigh replace 10.0.%d.%d lladdr 02:01:00:00:%02x:%02x dev eth0\n",
		100 + $1 / 256, $1 % 256, $1 / 256, $1 % 256
}' >/tmp/many

# an /etc of our own
mkdir -p /tmp/etc
cp -a /etc/passwd /etc/protocols /etc/services /etc/ld.so.* /tmp/etc/ 2>/dev/null
cat >/tmp/etc/nsswitch.conf <<-EOT
	passwd: files
	ethers: files
	hosts: files dns
EOT
cat >/tmp/etc/resolv.conf <<-EOT
	nameserver 10.0.0.3
	options timeout:1 attempts:1
EOT
cat >/tmp/etc/ethers <<-EOT
	02:00:00:00:00:aa one.ethers
	02:00:00:00:00:bb both.test
EOT
cat >/tmp/etc/hosts <<-EOT
	10.0.0.2 two.test both.test
	10.8.0.1 several.test behind.test dead.test
	10.0.0.3 several.test
	10.0.0.99 dead.test
	127.0.1.1 self.test
EOT
echo "multi on" >/tmp/etc/host.conf
mount --bind /tmp/etc /etc
ttp_libttp $v6 "$@"
status=$?
umount /etc
exit $status
