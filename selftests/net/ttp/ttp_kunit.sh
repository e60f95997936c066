#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_kunit.sh: the KUnit suites that are built into the module.
# kernels: uml uml-debug
# append: kunit.enable=1
# wall: 300

modprobe ttp || exit 1
for results in /sys/kernel/debug/kunit/ttp_*/results; do
	if [ ! -e "$results" ]; then
		echo "not ok no results; built with KUNIT=y?"
		exit 1
	fi
	suite=${results%/results}
	suite=${suite##*/ttp_}
	# cases are indented below the suite
	sed -n 's/^    \(\(not \)\?ok\) [0-9]* \(.*\)/\1 '$suite' \3/p' "$results"
	! grep -q '^ *not ok' "$results" || { cat "$results"; bad=1; }
done
exit ${bad:-0}
