#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# gen-netlink.sh [--check] [KERNEL_SOURCE]
#
# Generate the netlink headers and tables from Documentation/netlink/specs/
# ttp.yaml with the YNL generator of a 7.3 kernel tree, by default the one of
# tools/lab.  --check changes nothing and fails when the committed files
# differ from what the specification says.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
check=
if [ "${1-}" = --check ]; then
	check=1
	shift
fi
kernel=${1:-$("$top/tools/lab/kernel" source)}
gen=$kernel/tools/net/ynl/pyynl/ynl_gen_c.py
[ -f "$gen" ] || { echo "$0: no YNL generator in $kernel" >&2; exit 2; }

# The generator wants the schema two levels above the specification and
# climbs without end when no parent directory has a file named MAINTAINERS.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/Documentation/netlink/specs" "$tmp/uapi/linux" "$tmp/net/ttp"
: >"$tmp/MAINTAINERS"
cp "$kernel"/Documentation/netlink/genetlink*.yaml "$tmp/Documentation/netlink"
spec=Documentation/netlink/specs/ttp.yaml
cp "$top/$spec" "$tmp/$spec"

failed=0
generate() { # FILE ARGUMENT...
	file=$1
	shift
	(cd "$tmp" && python3 "$gen" --spec "$spec" -o "$file" "$@")
	# name the script that does it here
	sed -i 's|tools/net/ynl/ynl-regen.sh|tools/dev/gen-netlink.sh|' \
		"$tmp/$file"
	if [ -n "$check" ]; then
		diff -u "$top/$file" "$tmp/$file" || failed=1
	elif ! cmp -s "$tmp/$file" "$top/$file"; then
		cp "$tmp/$file" "$top/$file"
		echo "$file"
	fi
}

generate uapi/linux/ttp_netlink.h --mode uapi --header
generate net/ttp/nl_gen.h --mode kernel --header
generate net/ttp/nl_gen.c --mode kernel --source
exit $failed
