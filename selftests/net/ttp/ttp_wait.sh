#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_wait.sh: blocking calls, poll, full buffers, many threads.
# wall: 600

. ./ttp_lib.sh

ttp_up 2
exec ttp_wait "$@"
