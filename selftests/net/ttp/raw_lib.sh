# SPDX-License-Identifier: GPL-2.0
# raw_lib.sh: sourced after ttp_lib.sh by tests that use raw.h (dash).
#
#   ttp_raw_up	hosts h1, h2 with TTP, and a cable from h1 to a host
#		without: eth1 in h1, with TTP, raw0 in h3

ttp_raw_up() {
	ttp_up 2
	hosts_batch ip <<-EOT
		netns add h3
		link add eth1 netns h1 address 02:00:00:00:01:01 mtu 9000 type veth peer name raw0 netns h3 address 02:00:00:00:01:03 mtu 9000
	EOT
	# nothing but what the test sends
	for ttp_i in h1/eth1 h3/raw0; do
		on ${ttp_i%/*} sysctl -qw \
			net.ipv6.conf.${ttp_i#*/}.disable_ipv6=1 2>/dev/null
		ip -n ${ttp_i%/*} link set ${ttp_i#*/} up
	done
	on h1 ttpctl dev add eth1 || exit 1
}
