#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# check-layers.sh: does every file of net/ttp include only what lies at or
# below its own layer?  The layers are those of the list below; a sidecar may
# be included by anyone, and includes nouns and what is below them.
set -eu
cd "$(dirname "$0")/../../net/ttp"

layer() {
	case $1 in
	wire|ranges|rtt|srpt|sched|share|level|reorder|stamp) echo 0 ;;
	mib|net|cutoffs|link|peer|sock|message|draft|room|rpc|crc) echo 1 ;;
	output|xmit)				echo 2 ;;
	grant|pacer|timer|end|ping)			echo 3 ;;
	sendmsg|recvmsg|input|input_data|input_control) echo 4 ;;
	af_ttp|sockopt)				echo 5 ;;
	main)					echo 6 ;;
	netlink|nl_*|trace)			echo side ;;
	diag)					echo side ;;	# ttp_diag.ko
	*)					echo unknown ;;
	esac
}

bad=0
complain() {
	echo "net/ttp/$1" >&2
	bad=1
}

for file in *.c *.h; do
	stem=${file%.*}
	own=$(layer "$stem")
	[ "$own" != unknown ] || complain "$file: which layer? see $0"
	for inc in $(sed -n 's/^#include "\(.*\)\.h"$/\1/p' "$file"); do
		other=$(layer "$inc")
		case $own,$other in
		*,unknown)	complain "$file: $inc.h is of no layer" ;;
		*,side)		;;
		side,[0-3])	;;
		side,*)		complain "$file: a sidecar must not know $inc.h" ;;
		4,5)		# entry points: one prototype a line
			[ "$inc" = af_ttp ] || complain "$file: $inc.h is above it" ;;
		*)	[ "$other" -le "$own" ] ||
				complain "$file (layer $own): $inc.h is above it ($other)" ;;
		esac
	done
done
# among the nouns there is an order
order="mib net link peer sock room message rpc"
above=
for noun in $order; do
	above="$above $noun"
	for inc in $(sed -n 's/^#include "\(.*\)\.h"$/\1/p' "$noun.h"); do
		case " $order " in
		*" $inc "*) ;;
		*) continue ;;
		esac
		case "$above " in
		*" $inc "*) ;;
		*) complain "$noun.h: $inc comes after it" ;;
		esac
	done
done
# versions are known in one place
if grep -nE 'LINUX_VERSION_CODE|KERNEL_VERSION|TTP_HAVE_' ./*.c ./*.h; then
	complain "the lines above: kernels differ only in include/compat"
fi
exit $bad
