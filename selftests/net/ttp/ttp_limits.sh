#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_limits.sh: what memory, time and answers others can make a host spend.
# slow: yes
# cpus: 1
# wall: 600
# spare: 6.12 7.3
. ./ttp_lib.sh
. ./raw_lib.sh
ttp_raw_up
exec ttp_limits "$@"
