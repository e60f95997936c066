# SPDX-License-Identifier: GPL-2.0
# ttp_lib.sh: sourced by the ttp_*.sh tests (dash), inside a lab guest.
#
#   ok DESCRIPTION COMMAND...	a TAP line: does the command succeed?
#   not_ok ...			the opposite
#   same DESCRIPTION A B		are the two words equal?
#   within DESCRIPTION X MIN MAX	MIN <= X <= MAX, integers
#   skip DESCRIPTION WHY
#   tap_done			the plan; exit status 1 if anything failed
#
#   ttp_up N [WORD VALUE]...	hosts (see hosts.sh) with TTP on each eth0
#   counter hI NAME		a counter or gauge of the host, 0 if absent
#   wait_for SECONDS COMMAND...	repeat until it succeeds
#   quiet hI			have the gauges of the host come to rest?

. /mnt/lib/hosts.sh

tap_n=0
tap_bad=0
tap_log=/tmp/tap.log

tap_line() {	# RESULT DESCRIPTION
	tap_n=$((tap_n + 1))
	echo "$1 $tap_n $2"
	[ "$1" = ok ] || tap_bad=$((tap_bad + 1))
}

ok() {
	tap_what=$1
	shift
	if "$@" >$tap_log 2>&1; then
		tap_line ok "$tap_what"
	else
		tap_line "not ok" "$tap_what"
		echo "# failed ($?): $*"
		sed 's/^/#   /' $tap_log | head -20
	fi
}

not_ok() {
	tap_what=$1
	shift
	if "$@" >$tap_log 2>&1; then
		tap_line "not ok" "$tap_what"
		echo "# should have failed: $*"
	else
		tap_line ok "$tap_what"
	fi
}

same() {
	if [ "$2" = "$3" ]; then
		tap_line ok "$1"
	else
		tap_line "not ok" "$1"
		echo "# '$2' is not '$3'"
	fi
}

within() {
	if [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then
		tap_line ok "$1 ($2)"
	else
		tap_line "not ok" "$1"
		echo "# $2 is not within $3 to $4"
	fi
}

skip() {
	tap_line ok "$1 # SKIP $2"
}

tap_done() {
	echo "1..$tap_n"
	[ $tap_bad = 0 ] || exit 1
	exit 0
}

ttp_up() {
	[ -d /sys/module/ttp ] || modprobe ttp || exit 1
	hosts "$@"
	for ttp_i in $(seq "$1"); do
		on "h$ttp_i" ttpctl dev add eth0 || exit 1
	done
}

counter() {
	on "$1" awk -v n="$2" '$1 == n { v = $2 } END { print v + 0 }' \
		/proc/net/ttp/snmp
}

wait_for() {
	wait_n=$(($1 * 100))
	shift
	while ! "$@" >/dev/null 2>&1; do
		wait_n=$((wait_n - 1))
		[ $wait_n -gt 0 ] || return 1
		sleep 0.01
	done
}

quiet_now() {
	[ "$(counter "$1" TtpCurrRpcs)" = 0 ] &&
		[ "$(counter "$1" TtpCurrMem)" = 0 ]
}

quiet() {
	wait_for 10 quiet_now "$1" && return
	on "$1" cat /proc/net/ttp/snmp | grep Curr
	on "$1" ttpctl rpc show
	return 1
}
