# SPDX-License-Identifier: GPL-2.0
# perf_lib.sh: sourced by tests that measure on the fabric, in virtual time.

echo 1 >/sys/module/kernel/parameters/tt_read_cost
workloads=/mnt/tests/workloads

perf() {	# ARG...
	ttpperf -q -f json "$@" >/tmp/perf 2>/tmp/perf.err
}

# value WORD: of the last run; of the line for all calls
value() {
	sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p" /tmp/perf | tail -n 1
}

# us CLASS WORD: a time of it
us() {
	sed -n "/\"class\": \"$1\"/s/.*\"us\": {[^}]*\"$2\": \([0-9.]*\).*/\1/p" \
		/tmp/perf
}

# close_to DESCRIPTION VALUE WANTED PERCENT
close_to() {
	if awk -v v="$2" -v w="$3" -v p="$4" \
	   'BEGIN { exit !(v >= w * (1 - p / 100) && v <= w * (1 + p / 100)) }'
	then
		tap_line ok "$1 ($2 for $3)"
	else
		tap_line "not ok" "$1"
		echo "# $2 is not $3 within $4 %"
		sed 's/^/# /' /tmp/perf.err
	fi
}

# is DESCRIPTION VALUE OPERATOR VALUE
is() {
	if awk "BEGIN { exit !($2 $3 $4) }"; then
		tap_line ok "$1 ($2 $3 $4)"
	else
		tap_line "not ok" "$1"
		echo "# $2 is not $3 $4"
	fi
}

# sum FIELD PATTERN: of the ports that match
sum() {
	fabric_queues | awk -v f="$1" -v p="$2" '$1 ~ p && /level=all/ {
		for (i = 3; i <= NF; i++) {
			split($i, kv, "=")
			if (kv[1] == f)
				n += kv[2]
		}
	} END { print n + 0 }'
}

# watch_port PORT SECONDS GBPS: how a switch's port is used for a while: $use, in
# percent (with preamble, FCS and gap), and the rest for port_field
watch_port() {
	fabric_reset
	watch_began=$(date +%s%N)
	sleep $2
	fabric_queues >/tmp/queues
	watched=$(($(date +%s%N) - watch_began))
	watched_port=$1
	use=$((($(port_field bytes) + 24 * $(port_field frames)) * 8 * 100 /
		($3 * watched)))
}

port_field() {	# NAME: of the port that was watched
	sed -n "s/^$watched_port level=all .*$1=\([0-9]*\).*/\1/p" /tmp/queues
}

with_ttp() {	# [KEY VALUE]...: settings of each device
	[ -d /sys/module/ttp ] || modprobe ttp || exit 1
	for i in $(seq $hosts_n); do
		on h$i ttpctl dev add eth0 "$@" || exit 1
	done
}
