#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_end.sh: how RPCs end, and what receive calls tell about it.
# cpus: 1
# wall: 600

. ./ttp_lib.sh

ttp_up 2 delay 8us
exec ttp_end "$@"
