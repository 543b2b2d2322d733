# SPDX-License-Identifier: MIT
# Thin front of the CMake presets. Nothing here installs anything; ./test and ./demo do.
MAKEFLAGS += --no-print-directory
JOBS ?= $(shell nproc)

.PHONY: help build test test-long demo bench cost fuzz man tidy format clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' Makefile

build: ## release build; leaves the command at build/coradio, the examples in build/examples
	@mkdir -p build
	@cmake --preset release >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset release -j $(JOBS) --target coradio tcp_send http_serve

test: build ## all tests, under AddressSanitizer and UBSan
	@scripts/run-tests.sh short

test-long: build ## the tests that take longer
	@scripts/run-tests.sh long

demo: build ## the main job: a recording from a virtual board to a sink
	@scripts/demo.sh

bench: build ## what we measure about ourselves
	@cmake --build --preset release -j $(JOBS)
	@for script in bench/*.sh; do echo "== $$script"; "$$script" || exit 1; done

cost: ## instructions, code, RAM and stack on a Cortex-M, beside lwIP
	@for kind in count callgrind size stack; do COST_OUT=build/cost/$$kind tests/size/$$kind.sh || exit 1; done

man: build ## the manual pages, into build/man
	@build/coradio --man build/man && ls build/man

fuzz: ## each fuzzer for FUZZ_SECONDS (600); needs clang
	@scripts/fuzz.sh $(or $(FUZZ_SECONDS),600)

tidy: ## clang-tidy and cppcheck over the core
	@scripts/lint.sh

format: ## clang-format over the tree
	@git ls-files '*.c' '*.h' | xargs clang-format-14 -i

clean: ## remove what was built
	@rm -rf build build-host build-asan build-coverage build-fuzz
