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
#   has hI NAME			is it above 0?
#   wait_for SECONDS COMMAND...	repeat until it succeeds
#   quiet hI...			do the gauges of the hosts come to rest?
#   start hI PROGRAM [ARG]...	in the background until it says "ready"; $started
#   field NAME TEXT		the value of NAME=VALUE in the text, 0 if absent
#   record hI FILE		tcpdump its TTP frames
#   record_end			of all of them
#   virtual			does time only pass while nothing happens?
#
#   lose hI all|first NAME=VALUE...	drop matching frames that leave the
#				host; names as in ttp_frame: type sport dport
#				id offset, about=OFFSET (the 2 KB around it),
#				original=1 (not RETRANS).  "first" is for frames
#				without payload.
#   lost hI			how many were dropped so far
#   lose_no_more hI		all pass again

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
	# Its static key stays on: emulated CPUs were seen to loop for ever in
	# code that is patched under traffic.
	ip link set lo up
	tc qdisc add dev lo clsact 2>/dev/null
	hosts "$@"
	for ttp_i in $(seq "$1"); do
		on "h$ttp_i" ttpctl dev add eth0 || exit 1
	done
}

counter() {
	ttp_count "$1" "$2"
}

has() {
	[ "$(ttp_count "$1" "$2")" -gt 0 ]
}

# Starting programs is what takes time: less and less often
wait_for() {
	wait_ms=$(($1 * 1000))
	wait_n=0
	shift
	while ! "$@" >/dev/null 2>&1; do
		[ $wait_ms -gt 0 ] || return 1
		wait_n=$((wait_n + 1))
		if [ $wait_n -lt 10 ]; then
			sleep 0.01
			wait_ms=$((wait_ms - 10))
		elif [ $wait_n -lt 20 ]; then
			sleep 0.05
			wait_ms=$((wait_ms - 50))
		else
			sleep 0.25
			wait_ms=$((wait_ms - 250))
		fi
	done
}

quiet() {
	ttp_count rest 30 "$@" && return
	for quiet_host; do
		on "$quiet_host" ttpctl rpc show
	done
	return 1
}

start() {
	start_out=$(mktemp)
	on "$@" >"$start_out" 2>&1 &
	started=$!
	wait_for 10 grep -q '^ready' "$start_out" && return
	cat "$start_out"
	exit 1
}

recorders=
record() {
	on "$1" tcpdump -Z root --immediate-mode -U -n -i eth0 \
		-w "$2" ether proto 0x88b5 2>"$2.log" &
	recorders="$recorders $!"
	wait_for 10 grep -q 'listening on' "$2.log" && return
	cat "$2.log"
	exit 1
}

record_end() {
	sleep 0.1	# for what is on its way to the file
	kill -INT $recorders
	wait $recorders
	recorders=
}

field() {
	for field_word in $2; do
		case $field_word in
		"$1="*)	echo "${field_word#*=}"
			return ;;
		esac
	done
	echo 0
}

virtual() {
	case $LAB_KERNEL${LAB_MACHINE-} in
	uml|uml-debug)	return 0 ;;
	esac
	return 1
}

lose_type() {	# NAME: its number on the wire
	lose_i=1
	for lose_name in data grant resend ack busy unknown need_ack cutoffs \
			 full probe probe_reply cancel close reject; do
		[ "$lose_name" != "$1" ] || echo $lose_i
		lose_i=$((lose_i + 1))
	done
}

# "first": a policer drops what is within its burst, which is enough for one
# such frame and too short for two, and does not fill up again.
lose() {
	lose_host=$1
	lose_how='action drop'
	[ "$2" = all ] ||
		lose_how='action police rate 8bit burst 120 conform-exceed pipe/drop'
	shift 2
	lose_match='match u32 0 0 at 0'
	for lose_word in "$@"; do
		lose_value=${lose_word#*=}
		case $lose_word in
		type=*)	set -- "u8 $(lose_type "$lose_value") 0xff at 2" ;;
		original=1) set -- "u8 0 0x08 at 3" ;;
		sport=*) set -- "u16 $lose_value 0xffff at 8" ;;
		dport=*) set -- "u16 $lose_value 0xffff at 10" ;;
		id=*)	set -- "u32 $((lose_value >> 32)) 0xffffffff at 16 match u32 $((lose_value & 0xffffffff)) 0xffffffff at 20" ;;
		about=*) set -- "u32 $lose_value 0xfffff800 at 52" ;;
		offset=*) set -- "u32 $lose_value 0xffffffff at 52" ;;
		*)	echo "lose: what is $lose_word?"
			exit 1 ;;
		esac
		lose_match="$lose_match match $1"
	done
	on "$lose_host" tc qdisc add dev eth0 clsact 2>/dev/null
	on "$lose_host" tc filter add dev eth0 egress protocol 802.1q u32 \
		$lose_match $lose_how || exit 1
}

lost() {
	on "$1" tc -s filter show dev eth0 egress |
		awk 'sub(/.*\(dropped /, "") { n += $1 } END { print n + 0 }'
}

lose_no_more() {
	on "$1" tc qdisc del dev eth0 clsact
}
