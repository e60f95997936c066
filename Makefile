# SPDX-License-Identifier: GPL-2.0
#
# AF_TTP: the front door.  `make help` lists what there is.

KDIR	?= /lib/modules/$(shell uname -r)/build
# Where the headers are, when KDIR only points there (O= builds, distributions)
KSRC	:= $(firstword $(wildcard $(KDIR)/source) $(shell sed -n \
	's,^include \(/.*\)/Makefile$$,\1,p' $(KDIR)/Makefile 2>/dev/null) $(KDIR))
# Further words for the kernel's make, for example ARCH=um
KARGS	?=
# KUnit tests go into the module: y or n
KUNIT	?= n
# Another family number than the one in uapi/linux/ttp.h, for a clash
AF_TTP	?=

ROOT	:= $(CURDIR)
# Scripts call make themselves and read what it prints: without our -s, our -j
# and our variables
SCRIPT	:= env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL

.PHONY: help
help:
	@sed -n 's/^#: //p' $(firstword $(MAKEFILE_LIST))

#:   make demo         two virtual hosts, a file, 10,000 RPCs, TCP beside it
#:   make check        all tests (40 minutes the first time, then 15)
#:   make check-all    each of them on each kernel (longer)
#:   make check-fast   lint and most functional tests on one kernel (2 minutes)
#:   make bench        TTP beside TCP and DCTCP in virtual time (about an hour)
#:   make bench-quick  the most telling part of it (3 minutes)
#:   make bench-cpu    instructions for each message, on a real kernel
#:
#:   make modules      net/ttp/ttp.ko and ttp_diag.ko for KDIR (default: the
#:                     running kernel)
#:   make tools        ttpctl, ttprun, examples in build/bin, libraries in build/lib
#:   make install      modules, tools, libraries and manual pages into this system
#:   make lint         style, sparse, kernel-doc, layers, generated code
#:   make gen          netlink code from Documentation/netlink/specs/ttp.yaml
#:   make clean        remove what was built here

include tools/dev/probe.mk

KCFLAGS_TTP := -I$(ROOT)/include -I$(ROOT) $(TTP_PROBES) \
	-I$(ROOT)/include/compat \
	-include $(ROOT)/include/compat/ttp_compat.h
ifneq ($(AF_TTP),)
KCFLAGS_TTP += -DAF_TTP=$(AF_TTP)
endif

.PHONY: modules
modules:
	$(MAKE) -C $(KDIR) M=$(ROOT)/net/ttp CONFIG_TTP=m CONFIG_TTP_DIAG=m \
		$(if $(filter y,$(KUNIT)),CONFIG_TTP_KUNIT_TEST=y) \
		KCFLAGS="$(KCFLAGS_TTP)" $(KARGS) modules

PREFIX	?= /usr/local
# Where libraries go, for distributions that have them elsewhere
LIBDIR	?= $(PREFIX)/lib

.PHONY: tools
tools:
	$(MAKE) -C tools/ttpctl
	$(MAKE) -C tools/libttp
	$(MAKE) -C tools/examples
	$(MAKE) -C tools/ttpperf
	$(MAKE) -C tools/ttprun libdir=$(LIBDIR)

# Test programs want the kernel's kselftest_harness.h
.PHONY: testprogs
testprogs: tools
	$(MAKE) -C selftests/net/ttp

.PHONY: install
install: modules tools
	$(MAKE) -C $(KDIR) M=$(ROOT)/net/ttp INSTALL_MOD_DIR=extra $(KARGS) \
		CONFIG_TTP=m CONFIG_TTP_DIAG=m modules_install
	depmod -a
	install -D -m 755 build/bin/ttpctl $(DESTDIR)$(PREFIX)/sbin/ttpctl
	install -D -m 755 build/bin/ttpperf $(DESTDIR)$(PREFIX)/bin/ttpperf
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/ttpperf \
		tools/ttpperf/workloads/*.cdf
	install -D -m 644 tools/ttpperf/ttpperf.1 \
		$(DESTDIR)$(PREFIX)/share/man/man1/ttpperf.1
	install -D -m 644 tools/ttpctl/ttpctl.8 \
		$(DESTDIR)$(PREFIX)/share/man/man8/ttpctl.8
	install -D -m 644 tools/man/ttp.7 \
		$(DESTDIR)$(PREFIX)/share/man/man7/ttp.7
	$(MAKE) -C tools/libttp install prefix=$(PREFIX) libdir=$(LIBDIR)
	$(MAKE) -C tools/examples install prefix=$(PREFIX)
	$(if $(DESTDIR),,ldconfig)
	$(MAKE) -C tools/ttprun install prefix=$(PREFIX) libdir=$(LIBDIR)
	install -D -m 644 uapi/linux/ttp_netlink.h \
		$(DESTDIR)$(PREFIX)/include/linux/ttp_netlink.h
	install -D -m 644 uapi/linux/ttp_diag.h \
		$(DESTDIR)$(PREFIX)/include/linux/ttp_diag.h

.PHONY: clean
clean:
	-$(MAKE) -C $(KDIR) M=$(ROOT)/net/ttp $(KARGS) clean
	rm -rf build

.PHONY: demo
demo:
	@$(SCRIPT) tools/demo/demo

.PHONY: check check-all check-fast
check:
	@$(SCRIPT) tools/dev/check
check-all:
	@$(SCRIPT) tools/dev/check all
check-fast:
	@$(SCRIPT) tools/dev/check fast

.PHONY: bench bench-quick bench-cpu
bench:
	@$(SCRIPT) tools/bench/bench
bench-quick:
	@$(SCRIPT) tools/bench/bench quick
bench-cpu:
	@$(SCRIPT) tools/bench/bench-cpu

.PHONY: lint
lint:
	@$(SCRIPT) tools/dev/lint

.PHONY: gen
gen:
	tools/dev/gen-netlink.sh
