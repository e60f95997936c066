#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_sock.sh: the calls on a socket, and the messages that pass.
# wall: 600

. ./ttp_lib.sh

ttp_up 2
exec ttp_sock "$@"
