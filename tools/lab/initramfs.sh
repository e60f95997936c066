#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# initramfs.sh: sourced by run: the root of the QEMU guests, three archives in
# a row.  base: this machine's programs, the same ones UML scripts see.
# modules: what tests want of Debian's.  stage: /mnt, made for each run.

# Real programs, not busybox's idea of them; it fills in what is not here.
guest_programs=(
	dash busybox kmod ip tc bridge ss ethtool socat tcpdump iperf3 ping
	awk mawk grep sed find xargs diff cmp tar od
	mount umount dmesg unshare nsenter setpriv taskset chrt flock
	basename cat chmod cksum comm cp cut date dd df dirname du echo env
	expr false head id join kill ln ls md5sum mkdir mkfifo mktemp mv nice
	nohup nproc paste printf pwd readlink realpath rm rmdir seq sha1sum
	sha256sum shuf sleep sort split stat stdbuf stty sync tac tail tee
	test timeout touch tr true truncate tty uname uniq wc who yes
)

guest_modules=(
	virtio_pci virtio_console virtio_net
	veth dummy ifb tun macvlan bonding bridge 8021q af_packet netdevsim
	packet_diag inet_diag tcp_diag udp_diag unix_diag netlink_diag
	sch_netem sch_prio sch_tbf sch_htb sch_ets sch_fq sch_fq_codel
	sch_etf sch_mqprio sch_red sch_plug sch_ingress sch_taprio
	cls_basic cls_u32 cls_flower cls_matchall cls_fw
	em_meta em_cmp em_u32
	act_police act_gact act_mirred act_pedit act_skbedit act_vlan
	crc32_generic crc32c_generic crc32c-intel crc32c_cryptoapi libcrc32c
)

# libraries FILE...: the shared objects they need
libraries() {
	# ldd frowns at static ones
	{ ldd "$@" 2>/dev/null || true; } |
		sed -nE 's/^\t(.*=> )?(\/[^ ]+) \(.*/\2/p' | sort -u
}

# archive DIR: DIR as a cpio archive on stdout
archive() {
	(cd "$1" && find . -print0 | cpio -0o -H newc -R 0:0 --quiet)
}

# Writes $base, and $base.libs, the libraries that are in there.
base_initramfs() {
	local dir p f lib files=() key

	base=$top/build/lab/base
	for p in "${guest_programs[@]}"; do
		f=$(PATH=/usr/sbin:/usr/bin:/sbin:/bin type -P "$p") ||
			die "$p is missing: run tools/lab/deps"
		files+=("$f")
	done
	key=$(stat -L -c '%n %s %Y' "${files[@]}" "$lab/initramfs.sh" | sha256sum)
	exec 7>"$base.lock"
	flock 7
	if [ "$key" = "$(cat "$base.key" 2>/dev/null)" ]; then
		exec 7>&-
		return
	fi
	note "building the base initramfs (once)"
	dir=$(mktemp -d)
	mkdir -p "$dir"/{usr/bin,usr/sbin,usr/lib,usr/lib64,etc,dev,proc,sys,tmp,run,mnt,root}
	ln -s usr/bin usr/sbin usr/lib usr/lib64 "$dir/"
	ln -s ../run "$dir/usr/run"
	mkdir "$dir/var"
	ln -s ../run "$dir/var/run"
	for p in $(busybox --list); do
		ln -s busybox "$dir/usr/bin/$p"
	done
	for f in "${files[@]}"; do
		rm -f "$dir/usr/bin/${f##*/}"
		cp -L "$f" "$dir/usr/bin/"
	done
	for p in modprobe insmod rmmod lsmod depmod modinfo; do
		ln -sf ../bin/kmod "$dir/usr/sbin/$p"
		rm -f "$dir/usr/bin/$p"
	done
	ln -sf dash "$dir/usr/bin/sh"
	libraries "${files[@]}" >"$base.libs"
	while read -r lib; do
		mkdir -p "$dir$(dirname "$lib")"
		cp -L "$lib" "$dir$lib"
	done <"$base.libs"
	echo root:x:0:0::/root:/bin/sh >"$dir/etc/passwd"
	cp /etc/protocols /etc/services "$dir/etc/" 2>/dev/null || true
	ln -s mnt/lib/init "$dir/init"
	archive "$dir" | zstd -q -6 >"$base.new"
	rm -rf "$dir"
	mv "$base.new" "$base"
	echo "$key" >"$base.key"
	exec 7>&-	# the guest would keep the lock
}

# Debian's modules join $modules, unpacked; those of guest_modules and what
# they need are in the archive $debian.
debian_modules() {
	local all=$kdir/modules want=$kdir/guest name f

	debian=$kdir/guest.cpio.zst
	exec 7>"$kdir/guest.lock"
	flock 7
	if [ ! "$debian" -nt "$lab/initramfs.sh" ]; then
		note "collecting modules of $release (once)"
		rm -rf "$want" "$debian" "$kdir/depmod"
		mkdir -p "$want/mnt/lib/modules/$release" "$kdir/depmod/lib/modules"
		ln -s "$(realpath "$all")" "$kdir/depmod/lib/modules/$release"
		[ -e "$all/modules.dep" ] || PATH=$PATH:/sbin:/usr/sbin \
			depmod -b "$kdir/depmod" "$release"
		for name in "${guest_modules[@]}"; do
			# absent: built in, or not in this kernel
			grep -E "/${name//[-_]/[-_]}\.ko(\.[a-z]+)?:" \
				"$all/modules.dep" || true
		done | tr -d : | tr ' ' '\n' | sort -u | while read -r name; do
			f=$want/mnt/lib/modules/$release/${name%.xz}
			mkdir -p "${f%/*}"
			case $name in
			*.xz)	xz -dc "$all/$name" >"$f" ;;
			*)	cp "$all/$name" "$f" ;;
			esac
			strip -g "$f"
		done
		cp "$all"/modules.{order,builtin,builtin.modinfo} \
			"$want/mnt/lib/modules/$release/"
		archive "$want" | zstd -q -6 >"$debian"
	fi
	rsync -a "$want/mnt/lib/modules/$release/" "$modules/"
	exec 7>&-
}

# Joins the archives into $stage.initrd.
stage_initramfs() {
	local list lib

	list=$(find "$stage/bin" "$stage/script" -type f -perm -u+x)
	{
		cat "$base"
		# what follows a compressed archive must start on four bytes
		head -c $((-$(stat -c %s "$base") & 3)) /dev/zero
		cat "$debian"
		head -c $((-$(stat -c %s "$debian") & 3)) /dev/zero
		(
			cd "$stage/.." || exit 1
			# as /mnt, and without Debian's modules
			root=$(mktemp -d)
			ln -s "$stage" "$root/mnt"
			cd "$root" || exit 1
			find mnt/ -path "mnt/lib/modules/*/kernel" -prune -o \
				-print0 |
				cpio -0o -H newc -R 0:0 --quiet
			rm -rf "$root"
		)
		[ -z "$list" ] || libraries $list | comm -23 - "$base.libs" |
			cpio -oL -H newc -R 0:0 --quiet
	} >"$stage.initrd"
}
