# A thin front of CMake; `make help` lists the targets.
PREFIX = /usr/local
DESTDIR =
JOBS := $(shell nproc)
MAKEFLAGS += --no-print-directory
.NOTPARALLEL:
.PHONY: all setup shortest test check torture fuzz demo demo-mpi bench docs install deb tar debug asan clean help

# This installs nothing. The targets below install what they need; tests are configured by `make test`.
all:
	@scripts/setup --check build
	@[ -f build/release/Makefile ] || cmake --preset release -DBUILD_TESTING=OFF
	@cmake --build --preset release --parallel $(JOBS)

# GROUP: what is installed for, as scripts/setup has it: build, test, programs, machines, torture, fuzz, demo, bench, docs, deb, tar, or ci
GROUP = build
setup:
	@scripts/setup $(GROUP)

# Less than a minute when everything is built.
shortest:
	@scripts/setup test
	@scripts/test shortest

test:
	@scripts/setup test
	@scripts/test

check:
	@scripts/setup ci
	@scripts/test check

# Full figures of what `make test` samples: crashes, faults, processes.
torture:
	@scripts/setup torture
	@cmake --preset release -DBUILD_TESTING=ON
	@cmake --build --preset release --parallel $(JOBS)
	@ctest --test-dir build/release -C torture -L torture --verbose --no-tests=error

# `make fuzz FUZZ_SECONDS=600` runs each target for so long; TARGET="fuzz_npy fuzz_text" some of them.
fuzz:
	@scripts/setup fuzz
	@cmake --preset fuzz
	@cmake --build --preset fuzz --parallel $(JOBS)
	@FUZZ_SECONDS="$(FUZZ_SECONDS)" scripts/fuzz $(TARGET)

demo:
	@scripts/setup demo
	@$(MAKE) all
	@scripts/demo build/release

demo-mpi:
	@scripts/setup demo
	@$(MAKE) all
	@scripts/demo build/release 4

# `make bench BENCH="--only planes --repeat 3"` passes options on.
bench:
	@scripts/setup bench
	@[ -f build/release/Makefile ] || cmake --preset release -DBUILD_TESTING=OFF
	@cmake --preset release -DDRX_BENCH=ON
	@cmake --build --preset release --parallel $(JOBS)
	@scripts/bench $(BENCH)

docs:
	@scripts/setup docs
	@scripts/docs

install: all
	cmake --install build/release --prefix "$(PREFIX)"
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi

deb:
	@scripts/setup deb
	@scripts/deb

tar:
	@scripts/setup tar
	@$(MAKE) all
	@scripts/tar

debug asan:
	@scripts/setup ci
	@cmake --preset $@
	@cmake --build --preset $@ --parallel $(JOBS)

clean:
	rm -rf build

help:
	@echo 'make                      build the library and the program drx in build/release'
	@echo 'make setup                install what the build needs (Debian packages)'
	@echo 'make shortest             build and run some tests of every kind, in less than a minute once it is built'
	@echo 'make test                 build and run tests of every kind, in minutes'
	@echo 'make check                all that must hold before a change goes in, as CI runs it'
	@echo 'make torture              crashes, faults and processes, with full figures: an hour or more'
	@echo 'make fuzz                 build and run the fuzz targets, each for a minute or FUZZ_SECONDS=...'
	@echo 'make demo                 build and show what it does'
	@echo 'make demo-mpi             the same by four processes together, on MPI'
	@echo 'make bench                measure it against others, in an hour and a half; writes docs/benchmarks*.md'
	@echo 'make docs                 the documents as HTML with search, in build/html'
	@echo 'make install PREFIX=...   install, by default to /usr/local; DESTDIR is honoured'
	@echo 'make deb                  Debian packages, in build/deb'
	@echo 'make tar                  what runs wherever it is unpacked, in build/drx-*.tar.gz'
	@echo 'make debug, make asan     build with tests in build/debug, build/asan'
	@echo 'make clean                remove build/'
