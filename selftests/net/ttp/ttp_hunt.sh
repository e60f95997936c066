#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_hunt.sh: a million RPCs of threads that share sockets, among signals.
# wall: 900
# short: RPCS=20000
# slow: yes

. ./ttp_lib.sh

# Where time is virtual, none passes without it
ttp_up 2 delay 24us
# A busy machine may stop a guest for longer than a second
on h1 ttpctl param set dead-timeout 60s || exit 1
on h2 ttpctl param set dead-timeout 60s || exit 1
exec ttp_hunt -n "${RPCS:-1000000}" -u "${US:-10}"
