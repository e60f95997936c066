#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check-libttp.sh: is libttp what programs can count on, when it is installed?
# What it exports, its soname, what pkg-config says, headers in C and C++, the
# programs in the manual pages and the examples.
set -eu
cd "$(dirname "$0")/../.."
top=$PWD

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
complain() {
	echo "libttp: $*"
	bad=1
}

make -s -C tools/libttp all install O="$dir/build" prefix=/usr \
	DESTDIR="$dir/root" libdir=/usr/lib/here
make -s -C tools/examples install prefix=/usr DESTDIR="$dir/root"
lib=$dir/root/usr/lib/here

want="ttp_from_ip ttp_ntop ttp_pton ttp_resolve ttp_to_ip"
symbols() {
	nm --defined-only "$@" | awk 'NF == 3 && $2 != "A" { print $3 }' |
		sort | xargs
}
got=$(symbols -D "$lib/libttp.so")
[ "$got" = "$(sed 's/\>/@@LIBTTP_0/g' <<<"$want")" ] ||
	complain "libttp.so exports $got"
got=$(symbols -g "$lib/libttp.a")
[ "$got" = "$want" ] || complain "libttp.a exports $got"
# a function that prints would be a surprise in any program
! nm -D --undefined-only "$lib/libttp.so" |
	grep -E ' (v?f?printf|puts|fput[sc]|fwrite|perror|v?syslog|exit|abort)@' ||
	complain "it prints, or ends the program"
got=$(objdump -p "$lib/libttp.so" | awk '$1 == "SONAME" { print $2 }')
[ "$got" = libttp.so.0 ] || complain "its soname is $got"
[ -e "$lib/libttp.so.0" ] || complain "there is no libttp.so.0"
got=$(objdump -p "$lib/libttp.so" | awk '$1 == "NEEDED" { print $2 }' | xargs)
[ "$got" = "libmnl.so.0 libc.so.6" ] || complain "it needs $got"

# From here on as somebody who has it installed
config() {
	PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$dir/root \
		pkg-config "$@" libttp
}
config --exists --print-errors || complain "pkg-config does not know it"
cflags="-D_GNU_SOURCE -Wall -Wextra -Werror $(config --cflags) -I$dir/root/usr/include"
libs=$(config --libs)

builds() {	# COMPILER FILE OPTION...: a program that the libraries suffice for
	local how=$1 file=$2; shift 2
	$how $cflags -o "$dir/program" "$file" "$@" ||
		complain "$how $file $*: does not build"
}

# Each of the headers alone, and both, by the strictest compilers there are
cat >"$dir/use.c" <<-'EOT'
	#include <libttp.h>

	int main(int argc, char **argv)
	{
		struct sockaddr_ttp a;
		struct sockaddr_storage s;
		socklen_t l = sizeof(s);
		char text[TTP_ADDRSTRLEN];

		return argc > 1 && ttp_pton(argv[1], &a) &&
			ttp_ntop(&a, text, sizeof(text)) &&
			!ttp_resolve(argv[1], 1, -1, &a) &&
			!ttp_to_ip(&a, AF_INET, (struct sockaddr *)&s, &l) &&
			!ttp_from_ip((struct sockaddr *)&s, l, -1, &a);
	}
EOT
cp "$dir/use.c" "$dir/use.cc"
for std in c99 c11 gnu17; do
	builds "gcc -std=$std -pedantic" "$dir/use.c" $libs
done
for std in c++98 c++11 c++20; do
	builds "g++ -std=$std" "$dir/use.cc" $libs
done
# The static one is for programs that are not to depend on the other
builds gcc "$dir/use.c" "$lib/libttp.a" $(pkg-config --libs libmnl)
objdump -p "$dir/program" | grep -q 'NEEDED *libttp' &&
	complain "the static library needs the shared one"

# Programs in manual pages begin with an #include
for page in tools/man/ttp.7 tools/libttp/libttp.3; do
	awk -v out="$dir/example" '
		/^\.EX/	{ getline; on = /^#include/; n += on }
		/^\.EE/	{ on = 0 }
		on	{ gsub(/\\-/, "-"); gsub(/\\\(aq/, "\047")
			  gsub(/\\&/, ""); gsub(/\\e/, "\\")
			  print >(out n ".c") }
		END	{ print n + 0 }' "$page" >"$dir/n"
	[ "$page" != tools/man/ttp.7 ] || [ "$(cat "$dir/n")" = 2 ] ||
		complain "$page: two examples are not there"
	for example in "$dir"/example*.c; do
		[ ! -e "$example" ] || builds gcc "$example" $libs
	done
	rm -f "$dir"/example*.c
done

# and so do those that are installed
for example in "$dir"/root/usr/share/doc/ttp/examples/*.c; do
	builds "gcc -std=gnu11" "$example" $libs \
		$(grep -q liburing "${example%/*}/uring.h" &&
		  [[ $example == *uring* ]] && pkg-config --libs liburing)
done
cd "$top"
exit $bad
