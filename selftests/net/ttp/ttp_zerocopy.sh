#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_zerocopy.sh: MSG_ZEROCOPY: contents, completions, errors; with loss, too.
# cpus: 1

. ./ttp_lib.sh

ttp_up 2
# Nobody is there to have the bytes copied for
on h1 ip link add quiet0 type dummy || exit 1
on h1 ip link set quiet0 up
[ $# = 0 ] || exec ttp_zerocopy "$@"
ttp_zerocopy -F zerocopy_loss
rc=$?
hosts_change delay 24us loss 3%
ttp_zerocopy -f zerocopy_loss -f zerocopy_end && exit $rc
