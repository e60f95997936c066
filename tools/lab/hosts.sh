# SPDX-License-Identifier: GPL-2.0
# hosts.sh: sourced by test scripts in a lab guest (dash): hosts on a switch.
#
#   hosts N [WORD VALUE]...	netns h1..hN, each with eth0, on a bridge in netns sw
#   hosts_change [WORD VALUE]...	other properties for all links
#   hosts_down			all of it gone, with what runs in there
#   fabric N [PARAMETER=VALUE]...	netns h1..hN, on the switches of the module
#				ttp_fabric (UML only; modinfo lists parameters)
#   fabric_queues, fabric_samples	what happened since fabric_reset
#   fabric_set PARAMETER VALUE
#   on hI COMMAND...		run a command in a host (a program, guest/on.c)
#   mac I, addr I		its Ethernet and IPv4 address
#
# Words: rate 10gbit, delay 5us, loss 1%, duplicate 2%, corrupt 1%, reorder 5%
# describe one direction of one link, so a frame from host to host meets them
# twice.  mtu 9000.  limit 1000: frames a queue holds.  offload on: leave
# segmentation and GRO on.
# Traps: tc cuts a delay down to whole microseconds, then to 64 ns steps, and
# refuses one below 1us; reorder needs a delay, longer than a frame takes.

hosts_die() {
	echo "hosts: $*" >&2
	exit 1
}

mac() {
	printf '02:00:00:00:%02x:%02x' $(($1 / 256)) $(($1 % 256))
}

addr() {
	echo 10.0.$((($1 - 1) / 254)).$((($1 - 1) % 254 + 1))
}

# hosts_batch COMMAND...: feed stdin to ip, tc or bridge, all or nothing
hosts_batch() {
	"$@" -batch - >/tmp/hosts.log 2>&1 ||
		hosts_die "refused: $* : $(cat /tmp/hosts.log)"
}

# hosts_each COMMAND: for each host, with its number in $i
hosts_each() {
	set -- "$1" "$i"
	i=1
	while [ "$i" -le "$hosts_n" ]; do
		eval "$1"
		i=$((i + 1))
	done
	i=$2
}

hosts_words() {
	while [ $# -gt 0 ]; do
		[ $# -gt 1 ] || hosts_die "$1 needs a value"
		case $1 in
		rate)	hosts_rate=$2 ;;
		delay)	case $2 in
			*ns|*.*us) hosts_die "tc wants whole microseconds, not $2" ;;
			esac
			hosts_delay=$2 ;;
		reorder) hosts_reorder=$2 ;;
		loss|duplicate|corrupt)
			hosts_faults="$hosts_faults $1 $2" ;;
		mtu)	hosts_mtu=$2 ;;
		limit)	hosts_limit=$2 ;;
		offload) hosts_offload=$2 ;;
		*)	hosts_die "what is $1?" ;;
		esac
		shift 2
	done
	[ -z "$hosts_reorder" ] || [ "$hosts_delay" ] ||
		hosts_die "reorder needs a delay"
	hosts_netem=${hosts_rate:+ rate $hosts_rate}
	hosts_netem=$hosts_netem${hosts_delay:+ delay $hosts_delay}
	hosts_netem=$hosts_netem${hosts_reorder:+ reorder $hosts_reorder}
	hosts_netem=$hosts_netem$hosts_faults
}

hosts_qdiscs() {
	hosts_how="netem limit $hosts_limit$hosts_netem"
	[ "$hosts_netem" ] || hosts_how=noqueue
	hosts_each 'hosts_batch tc -n h$i <<-EOT
		qdisc replace dev eth0 root $hosts_how
	EOT'
	hosts_each 'echo qdisc replace dev p$i root $hosts_how' |
		hosts_batch tc -n sw
}

# one host: its end of the cable
hosts_up() {
	hosts_batch ip -n "h$i" <<-EOT
		link set lo up
		link set eth0 up
		addr add 10.0.$(((i - 1) / 254)).$(((i - 1) % 254 + 1))/16 dev eth0
	EOT
	[ "$hosts_offload" = on ] ||
		on "h$i" ethtool -K eth0 tso off gso off gro off >/dev/null ||
		hosts_die "ethtool -K failed"
}

hosts() {
	hosts_n=$1
	shift
	hosts_rate= hosts_delay= hosts_reorder= hosts_faults=
	hosts_mtu=1500 hosts_limit=1000 hosts_offload=off
	hosts_words "$@"

	{
		echo netns add sw
		hosts_each 'echo netns add h$i'
		hosts_each 'printf "link add eth0 netns h%d address 02:00:00:00:%02x:%02x mtu %d type veth peer name p%d netns sw mtu %d\n" \
			$i $((i / 256)) $((i % 256)) $hosts_mtu $i $hosts_mtu'
	} | hosts_batch ip
	{
		echo link add br0 mtu $hosts_mtu type bridge stp_state 0 mcast_snooping 0
		echo link set br0 up
		hosts_each 'echo link set p$i master br0 up'
	} | hosts_batch ip -n sw
	hosts_each hosts_up
	hosts_qdiscs

	# links come up in the kernel's own time
	hosts_tries=0
	until [ "$({
		hosts_each 'echo netns exec h$i ip -br link show eth0'
		echo netns exec sw ip -br link
	} | ip -batch - | grep -c ' UP ')" = $((2 * hosts_n + 1)) ]; do
		hosts_tries=$((hosts_tries + 1))
		[ $hosts_tries -lt 100 ] || hosts_die "links stay down"
		sleep 0.1
	done
}

hosts_change() {
	hosts_rate= hosts_delay= hosts_reorder= hosts_faults=
	hosts_words "$@"
	hosts_qdiscs
}

hosts_down() {
	{
		hosts_each 'echo netns pids h$i'
		echo netns pids sw
	} | ip -batch - | xargs -r kill -9
	{
		hosts_each 'echo netns del h$i'
		echo netns del sw
	} | hosts_batch ip
}

# one host of the fabric; it knows the others, so that nobody has to ask
fabric_up() {
	{
		printf 'link set lo up\nlink set eth0 up\naddr add %s/16 dev eth0\n' \
			"$(addr $i)"
		fabric_i=$i
		hosts_each '[ $i = $fabric_i ] ||
			echo neigh add $(addr $i) lladdr $(mac $i) dev eth0'
	} | hosts_batch ip -n "h$i"
}

fabric() {
	hosts_n=$1
	shift
	modprobe ttp_fabric hosts="$hosts_n" "$@" ||
		hosts_die "no fabric of $hosts_n hosts with $*"
	hosts_each 'echo netns add h$i
		echo link set fab$((i - 1)) netns h$i name eth0' |
		hosts_batch ip
	hosts_each fabric_up
}

fabric_queues() {
	cat /sys/kernel/debug/ttp_fabric/queues
}

fabric_samples() {
	cat /sys/kernel/debug/ttp_fabric/samples
}

fabric_reset() {
	echo 1 >/sys/kernel/debug/ttp_fabric/reset
}

fabric_set() {
	echo "$2" >"/sys/module/ttp_fabric/parameters/$1"
}

fabric_down() {
	hosts_each 'echo netns pids h$i' | ip -batch - | xargs -r kill -9
	hosts_each 'echo netns del h$i' | hosts_batch ip
	rmmod ttp_fabric
}
