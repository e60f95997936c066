#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_more.sh: messages in parts (MSG_MORE), and those that files become.
# cpus: 1

. ./ttp_lib.sh

ttp_up 2
exec ttp_more "$@"
