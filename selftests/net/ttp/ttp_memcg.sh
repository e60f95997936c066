#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ttp_memcg.sh: what messages take is the memory of their program's group, and
# stays within its limit.
# cpus: 1

. ./ttp_lib.sh

mkdir -p /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup 2>/dev/null
echo +memory >/sys/fs/cgroup/cgroup.subtree_control || exit 1
ttp_up 2
exec ttp_memcg "$@"
