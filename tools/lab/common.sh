#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# common.sh: sourced by the bash scripts of tools/lab: places, messages,
# locks, and Debian packages of other suites than the machine's own.
# Nothing here touches the system's apt or dpkg state.

lab=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$lab/../.." && pwd)
cache=${TTP_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ttp-lab}
mkdir -p "$cache" || exit 1
export LC_ALL=C
shopt -s inherit_errexit
set -E

note() { echo "${0##*/}: $*" >&2; }
die() { note "$@"; exit 1; }
trap 'note "line $LINENO failed: $BASH_COMMAND"' ERR

# cached_cc COMPILER: the same, which does not do twice what it did before, be
# it in another checkout.
export CCACHE_DIR=$cache/ccache CCACHE_BASEDIR=$top CCACHE_NOHASHDIR=1
export CCACHE_MAXSIZE=500M
cached_cc() {
	command -v ccache >/dev/null && echo "ccache $1" || echo "$1"
}

# lock NAME: hold the lock NAME of the cache until this (sub)shell ends.
lock() {
	local fd

	exec {fd}>"$cache/$1.lock" || exit 1
	flock -n "$fd" && return
	note "waiting for another run that works on $1"
	flock "$fd"
}

# quiet LOG COMMAND...: run with output to LOG; show its end on failure.
quiet() {
	local log=$1

	shift
	"$@" >>"$log" 2>&1 </dev/null && return
	tail -n 40 "$log" >&2
	die "failed: $* (all of it in $log)"
}

# mirror SUITE: the archive that serves SUITE, as this machine names it.
# Security suites live beside the main archive, under a path of their own.
mirror() {
	local uri suite main= security=

	while read -r uri suite; do
		case $suite in
		*-security*)
			: "${security:=$uri}" ;;
		*-backports|*-updates|*/*)
			;;
		bookworm|trixie|forky|sid|stable|oldstable|testing|unstable)
			: "${main:=$uri}" ;;
		esac
	done < <(apt-get indextargets --format '$(SITE) $(RELEASE)' \
		'Created-By: Packages')
	[ -n "$main" ] || die "no Debian archive in this machine's apt sources"
	case $1 in
	*-security)
		main=${main%/}
		echo "${security:-${main%/*}/debian-security}" ;;
	*)
		echo "$main" ;;
	esac
}

# suite SUITE: make the package lists of SUITE available; sets $apt, the
# options for apt-get and apt-cache.  Lists are refreshed at most hourly.
suite() {
	local dir=$cache/apt/$1 uri key=/usr/share/keyrings/debian-archive-keyring.gpg

	apt=(-qq -o Dir::Etc::SourceList="$dir/sources.list"
	     -o Dir::Etc::SourceParts=/dev/null
	     -o Dir::Etc::Preferences=/dev/null
	     -o Dir::Etc::PreferencesParts=/dev/null
	     -o Dir::State::Lists="$dir/lists"
	     -o Dir::State::Status=/dev/null
	     -o Dir::Cache="$dir/cache"
	     -o APT::Sandbox::User=root -o Acquire::Retries=3)
	[ -z "$(find "$dir/fresh" -mmin -60 2>/dev/null)" ] || return 0
	uri=$(mirror "$1") || return
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	echo "deb [signed-by=$key] $uri $1 main" >"$dir/sources.list"
	note "reading the package lists of $1"
	# update succeeds with a mere warning when the archive is unreachable
	apt-get "${apt[@]}" -o APT::Update::Error-Mode=any update >&2 ||
		return
	touch "$dir/fresh"
}

# newest SUITE REGEX: name of the newest package whose name matches.
newest() {
	local apt name

	suite "$1" || return
	name=$(apt-cache "${apt[@]}" pkgnames | grep -Ex -- "$2" | sort -V |
		tail -n 1)
	[ -n "$name" ] || { note "no package like $2 in $1"; return 1; }
	echo "$name"
}

# version SUITE PACKAGE: its newest version there.
version() {
	local apt v

	suite "$1" || return
	v=$(apt-cache "${apt[@]}" show --no-all-versions "$2" |
		sed -n 's/^Version: //p')
	[ -n "$v" ] || { note "no package $2 in $1"; return 1; }
	echo "$v"
}

# unpack SUITE DIR PACKAGE...: download packages and unpack them into DIR.
unpack() {
	local apt dir=$2 tmp deb

	suite "$1" || return
	shift 2
	tmp=$(mktemp -d "$cache/debs.XXXXXX") || return
	note "fetching $*"
	(cd "$tmp" && apt-get "${apt[@]}" download "$@" >&2) ||
		{ rm -rf "$tmp"; return 1; }
	for deb in "$tmp"/*.deb; do
		dpkg -x "$deb" "$dir" || { rm -rf "$tmp"; return 1; }
	done
	rm -rf "$tmp"
}
