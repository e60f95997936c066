#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_examples.sh: the programs of tools/examples do what they say.
#
# cpus: 1
# wall: 600
# short: HOSTS=4 CLIENTS=1000 CALLS=2

. ./ttp_lib.sh

HOSTS=${HOSTS:-9}
CLIENTS=${CLIENTS:-1000}
CALLS=${CALLS:-10}

ttp_up "$HOSTS"
one=$(addr 1)

# end_server: stop the server that was started last; what it said is in $said
end_server() {
	kill "$started"
	wait "$started" 2>/dev/null
	said=$(grep -v '^ready' "$start_out")
}

# all_end PID...: did all of them end well?
all_end() {
	all_bad=0
	for all_pid; do
		wait "$all_pid" || all_bad=$((all_bad + 1))
	done
	[ $all_bad = 0 ]
}

# ---- files

mkdir /tmp/in /tmp/out
: >/tmp/in/empty
printf x >/tmp/in/one
head -c 1048576 /dev/urandom >/tmp/in/piece
head -c 3000001 /dev/urandom >/tmp/in/random
head -c 17000000 /dev/zero | tr '\0' z >/tmp/in/long

start h1 ttp_file_receive /tmp/out 10
ok "files are sent" on h2 ttp_file_send "$one" 10 \
	/tmp/in/empty /tmp/in/one /tmp/in/piece /tmp/in/random
ok "in pieces as long as a message may be" on h2 ttp_file_send -c 16776960 \
	"$one" 10 /tmp/in/long
ok "and short ones" on h2 ttp_file_send -c 997 "$one" 10 /tmp/in/piece
ok "nothing is wrong or left over" diff -r /tmp/in /tmp/out
same "a second copy replaces the first" \
	"$(on h2 ttp_file_send "$one" 10 /tmp/in/one)" "one: 1 bytes"
head -c 500000 /dev/zero >/tmp/out/piece.part
ok "what is there and does not belong there is not used" \
	on h2 ttp_file_send "$one" 10 /tmp/in/piece
ok "but replaced" diff -r /tmp/in /tmp/out
cp /tmp/in/one /tmp/in/.hidden
not_ok "names that begin with a dot are refused" on h2 ttp_file_send -r 1 \
	"$one" 10 /tmp/in/.hidden
rm /tmp/in/.hidden

# the receiver is killed when a part has come, and comes back
hosts_change rate 100mbit
rm /tmp/out/random
on h2 ttp_file_send -c 20000 "$one" 10 /tmp/in/random >/tmp/send.log 2>&1 &
sender=$!
ok "a part has come" wait_for 20 sh -c \
	'[ "$(stat -c %s /tmp/out/random.part)" -gt 200000 ]'
kill -9 $started
wait $started 2>/dev/null
not_ok "not all of it" [ -e /tmp/out/random ]
start h1 ttp_file_receive /tmp/out 10
ok "the sender goes on when the receiver comes back" all_end $sender
at=$(sed -n 's/^random: goes on at //p' /tmp/send.log)
within "from where it was, bytes" "${at:-0}" 200000 3000000
ok "nothing is wrong or left over then" diff -r /tmp/in /tmp/out
end_server
rm -r /tmp/in /tmp/out

# ---- many clients, and some loss

hosts_change loss 1%
on h1 ttpctl param set sndbuf 8K
start h1 ttp_epoll_server 11
on h2 ttp_epoll_client -c "$CLIENTS" -n "$CALLS" "$one" 11 >/tmp/c2 2>&1 &
c2=$!
on h3 ttp_epoll_client -c "$CLIENTS" -n "$CALLS" "$one" 11 >/tmp/c3 2>&1 &
c3=$!
ok "all clients end well" all_end $c2 $c3
for c in /tmp/c2 /tmp/c3; do
	same "with sums that are right" "$(cat $c)" \
		"$CLIENTS clients, $((CLIENTS * CALLS)) calls, 0 wrong"
done
end_server
same "the server has seen each of them, and each call once" \
	"${said%, waited*}" \
	"$((2 * CLIENTS)) clients, $((2 * CLIENTS * CALLS)) requests"
waited=${said#*waited }
within "and had to wait for room in its send buffer" "${waited% times}" 1 \
	$((2 * CLIENTS * CALLS))
on h1 ttpctl param set sndbuf 4M
start h1 ttp_epoll_server 11
ok "the hundred of a client" on h2 ttp_epoll_client -c 1 -n 100 "$one" 11
end_server
same "belong to one" "${said%, waited*}" "1 clients, 100 requests"

# ---- io_uring

# The kernel takes a ring apart some time after its program has ended
uring_gone() {
	! on h1 ttpctl sock show | grep -qw 12
}

uring() {	# MODE [OPTION]
	start h1 ttp_uring_server $2 12
	pids=
	for i in 1 2 3; do
		on h$((i % 3 + 1)) ttp_echo_client "$(mac 1)%eth0" 12 10 0 1 \
			1400 50000 262144 >/dev/null 2>/tmp/e$i &
		pids="$pids $!"
	done
	ok "$1: calls of all lengths end well" all_end $pids
	not_ok "$1: a longer one does not" on h2 ttp_echo_client "$one" 12 1 \
		262145
	on h2 ttp_epoll_client -c 300 -n 1 "$one" 12 >/dev/null 2>&1
	end_server
	same "$1: all have been served" "${said% in *}" "$1: 450 requests"
	ok "$1: its port is free again" wait_for 10 uring_gone
}
uring multishot
uring plain -p

# ---- a barrier

hosts_change
start h1 ttp_barrier keep 13 "$HOSTS" 20
pids=
for i in $(seq "$HOSTS"); do
	on h$i ttp_barrier meet "$one" 13 20 5 >/tmp/meet$i 2>&1 &
	pids="$pids $!"
done
ok "all members meet" all_end $pids
wait "$started"
same "as often as they should" "$(grep -v ready "$start_out")" \
	"$HOSTS members met 20 times"
same "and none goes before the last has come" "$(cat /tmp/meet* | awk '
	!($1 in came) || $2 > came[$1] { came[$1] = $2 }
	!($1 in went) || $3 < went[$1] { went[$1] = $3 }
	{ n[$1]++ }
	END {
		for (r in n)
			good += n[r] == '"$HOSTS"' && came[r] <= went[r]
		print good + 0
	}')" 20

# ---- a parameter server; ports of the switch hold 100 frames

hosts_change rate 10gbit limit 100
workers=$((HOSTS - 1))
start h1 ttp_param_server 14 $workers 131072 3
pids=
for i in $(seq $workers); do
	on h$((i + 1)) ttp_param_worker "$one" 14 $((i - 1)) $workers 131072 \
		3 >/tmp/worker$i 2>&1 &
	pids="$pids $!"
done
ok "all workers have what they should" all_end $pids
wait "$started"
same "as the server says" "$(grep -v ready "$start_out")" \
	"3 steps of $workers workers, 131072 parameters"
same "each of them" "$(cat /tmp/worker* | grep -c ' 0 parameters wrong$')" \
	$workers

for i in $(seq "$HOSTS"); do
	set -- "$@" "h$i"
done
ok "nothing is left over" quiet "$@"
tap_done
