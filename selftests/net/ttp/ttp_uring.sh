#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_uring.sh: the calls of a socket by io_uring.
# cpus: 1

. ./ttp_lib.sh

ttp_up 2
exec ttp_uring "$@"
