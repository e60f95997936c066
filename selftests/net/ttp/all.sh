#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# all.sh TEST...: several tests in one guest, where booting is slow.  Each test
# finds what a fresh guest would have: no netns, no module.

bad=0
for test; do
	read -r start idle </proc/uptime
	echo "# test $test"
	timeout -k 10 300 sh "./$test"
	rc=$?
	[ $rc != 124 ] || echo "not ok $test: took too long"
	cpu=${idle%.*}
	seconds=${start%.*}
	read -r start idle </proc/uptime
	seconds=$((${start%.*} - seconds))
	cpu=$((seconds * $(nproc) - ${idle%.*} + cpu))
	echo "# end $test $rc, $seconds s, $cpu s of CPU time"
	[ $rc = 0 ] || [ $rc = 4 ] || bad=1
	for ns in $(ip netns list | cut -d' ' -f1); do
		ip netns pids "$ns" | xargs -r kill -9
		ip netns del "$ns"
	done
	n=0
	while [ -d /sys/module/ttp ] && ! rmmod ttp 2>/dev/null; do
		sleep 0.1
		n=$((n + 1))
		[ $n -lt 100 ] || { echo "not ok $test: module stays"; exit 1; }
	done
done
exit $bad
