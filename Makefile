# SPDX-License-Identifier: Apache-2.0
# `make help` lists what there is. Everything below works in a fresh clone: `setup` installs what is
# missing, once.
JOBS ?= $(shell nproc)
WERROR ?= OFF
SECONDS_EACH ?= 60
ROUNDS ?= 20
PYTHON := .venv/bin/python
RESULTS := build/test-results
SUPPRESSIONS := $(CURDIR)/test/sanitizers
CXX_FILES = $(shell git ls-files '*.h' '*.cc')

.DEFAULT_GOAL := build
.PHONY: help setup build demo test test-cpp test-python test-interop asan tsan fuzz soak bench \
        fmt fmt-check lint layers docs wheel requirements clean

help:            ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:           ## install what is missing (Debian packages, .venv)
	@scripts/setup.sh build

build: setup     ## the command build/firth and the Python package build/python/firth
	@cmake --preset release -DFIRTH_WERROR=$(WERROR) -DFIRTH_PYTHON=ON --log-level=WARNING >/dev/null
	@cmake --build build -j $(JOBS)

demo: build      ## show, read, travel in time and search a table that Spark wrote
	@scripts/demo.sh

test: build      ## all tests of C++, the command and the Python package
	@scripts/test.sh all

test-cpp: build  ## the C++ tests alone
	@scripts/test.sh cpp

test-python: build ## the tests of the command and the Python package alone
	@scripts/test.sh python

asan: setup      ## the C++ tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/sanitize.sh asan

tsan: setup      ## the C++ tests under ThreadSanitizer
	@scripts/sanitize.sh tsan

fuzz:            ## every decoder under libFuzzer, SECONDS_EACH seconds each
	@scripts/setup.sh build fuzz
	@scripts/fuzz.sh $(SECONDS_EACH)

soak: fuzz       ## fuzz, then the C++ tests ROUNDS times in random order under ASan
	@GTEST_REPEAT=$(ROUNDS) GTEST_SHUFFLE=1 scripts/sanitize.sh asan

bench: setup     ## kernels by Google Benchmark, then 5 million rows beside hudi-rs and pyarrow
	@scripts/bench.sh

test-interop: build ## write tables with stock Hudi on Spark, read them with both, compare
	@test/interop/run.sh

fmt:             ## format C++ and Python
	@scripts/setup.sh build fmt
	@clang-format -i $(CXX_FILES)
	@.venv/bin/ruff format -q . && .venv/bin/ruff check -q --fix .

fmt-check:       ## check the formatting, change nothing
	@scripts/setup.sh build fmt
	@clang-format --dry-run -Werror $(CXX_FILES)
	@.venv/bin/ruff format -q --check .
	@echo "formatting: ok"

layers:          ## check that every include points to a lower layer
	@python3 scripts/check_layers.py

lint: fmt-check layers ## formatting, layers, Python lint and types, licence lines
	@.venv/bin/ruff check -q .
	@.venv/bin/python -m mypy --no-error-summary
	@python3 scripts/check_sources.py

docs:            ## build/docs: the C++ reference; a public item without a comment is an error
	@scripts/setup.sh build docs
	@scripts/docs.sh

wheel: setup     ## dist/*.whl, tagged manylinux_2_36
	@scripts/wheel.sh

requirements:    ## pin requirements*.in again (needs pip-tools)
	pip-compile -q --generate-hashes --strip-extras --no-header --no-emit-find-links --no-emit-index-url -o requirements.txt requirements.in
	pip-compile -q --generate-hashes --strip-extras --no-header --no-emit-find-links --no-emit-index-url -o requirements-dev.txt requirements-dev.in
	pip-compile -q --generate-hashes --strip-extras --no-header --no-emit-find-links --no-emit-index-url -o requirements-bench.txt requirements-bench.in

clean:           ## remove everything that was built
	rm -rf build build-* dist
