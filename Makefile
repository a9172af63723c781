# Each target sets up what it needs.
.DELETE_ON_ERROR:
SHELL := /bin/bash
PY := .venv/bin/python
QUIET := -qq --disable-pip-version-check
# Ninja would ask make's job server, which its parents do not pass on, and print an error.
unexport MAKEFLAGS

.PHONY: run demo train-demo native ui lock clean test test-fast test-repeat test-python test-tf test-ui test-browser \
  check check-python check-ui check-workflows format fuzz sanitize sanitize-fast bench bench-prepare bench-finetune wheel wheel-check list-modules

# ---- setup ---------------------------------------------------------------------------------------------
.venv/bin/python:
	@echo "Setting up .venv (about 3 minutes, once) …"
	@python3 -m venv .venv

.venv/dev.stamp: .venv/bin/python requirements-dev.txt requirements-torch.txt
	@$(PY) -m pip install $(QUIET) -r requirements-torch.txt -r requirements-dev.txt
	@touch $@

# An editable install maps each module to its file, so it is renewed when a module moves.
build/modules.txt: list-modules
	@mkdir -p $(@D)
	@find lossboard -name '*.py' | LC_ALL=C sort > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

NATIVE := build/modules.txt $(wildcard native/*.cpp native/*.h native/CMakeLists.txt)
.venv/native.stamp: .venv/dev.stamp pyproject.toml $(NATIVE)
	@echo "Building the native core (about a minute) …"
	@$(PY) -m pip install $(QUIET) --no-build-isolation -e .
	@touch $@

native: .venv/native.stamp

# TensorFlow has its own environment, because its pins conflict with torch's.
.venv-tf/stamp: requirements-tf.txt requirements-tf-nodeps.txt pyproject.toml $(NATIVE)
	@echo "Setting up .venv-tf (a few minutes, once) …"
	@python3 -m venv .venv-tf
	@.venv-tf/bin/pip install $(QUIET) -r requirements-tf.txt
	@.venv-tf/bin/pip install $(QUIET) --no-deps -r requirements-tf-nodeps.txt
	@.venv-tf/bin/pip install $(QUIET) --no-build-isolation --config-settings=build-dir=build/tf -e .
	@touch $@

ui/node_modules/.stamp: ui/package-lock.json
	@cd ui && npm ci --silent --no-audit --no-fund
	@touch $@

UI := $(shell find ui/src ui/public ui/index.html ui/vite.config.ts -type f ! -name '*.test.ts' 2>/dev/null)
lossboard/web/index.html: ui/node_modules/.stamp $(UI)
	@echo "Building the web UI (a few seconds) …"
	@cd ui && node_modules/.bin/vite build --logLevel error

ui: lossboard/web/index.html

# Tools that build and check packages.
.venv-wheel/stamp: requirements-wheel.txt
	@python3 -m venv .venv-wheel
	@.venv-wheel/bin/pip install $(QUIET) -r requirements-wheel.txt
	@touch $@

# Pins the development requirements again after a change of an .in file. make lock UPGRADE=--upgrade takes the newest.
# Torch's CPU build must be found, e.g. through PIP_FIND_LINKS: the other builds ask for CUDA packages.
LOCK = .venv-wheel/bin/uv pip compile -q --system-certs --python-version 3.11 --no-annotate --no-emit-index-url \
  --no-emit-find-links --no-emit-package torch --custom-compile-command "make lock" \
  $(addprefix --find-links ,$(PIP_FIND_LINKS)) $(UPGRADE)
lock: .venv-wheel/stamp
	$(LOCK) pyproject.toml requirements-dev.in -o requirements-dev.txt
	$(LOCK) pyproject.toml requirements-tf.in -o requirements-tf.txt
	$(LOCK) requirements-wheel.in -o requirements-wheel.txt

# ---- running -------------------------------------------------------------------------------------------
# Serves LOGDIR. The default is runs/, or a demo: small finished trainings, and a BERT that is fine-tuned while you watch.
LOGDIR ?= $(if $(wildcard runs),runs,.cache/demo)
demo: native
	@$(PY) examples/demo.py .cache/demo

# Images for a program that the tests run unchanged.
.cache/fashion-mnist: | .venv/native.stamp
	@$(PY) examples/fetch_assets.py fashion-mnist

# Trains in the background while the board runs. An interrupted training resumes the next time; a finished one is kept.
DEMO_TRAINING = ls .cache/demo/*/result.json >/dev/null 2>&1 || { \
	  begun=$$(ls .cache/demo/*/config.json 2>/dev/null | head -1); \
	  echo "$${begun:+Resuming: }Fine-tuning a BERT on film reviews in the background (about 4 minutes on two cores)."; \
	  echo "The board shows its metrics from the first step. Its output is in .cache/finetune.log."; \
	  $(PY) examples/bert.py --runs-dir .cache/demo $${begun:+--resume last} >> .cache/finetune.log 2>&1 & trainer=$$!; \
	  trap 'kill $$trainer 2>/dev/null && wait $$trainer; tail -n 1 .cache/finetune.log' EXIT; };

run: native ui $(if $(filter .cache/demo,$(LOGDIR)),demo)
	@$(if $(filter .cache/demo,$(LOGDIR)),$(DEMO_TRAINING)) $(PY) -m lossboard.cli.main $(LOGDIR)

# ---- testing -------------------------------------------------------------------------------------------
# Runs every part in turn and prints the time that each took.
test:
	@python3 tests/suite.py

# Without the browser and without TensorFlow: a few minutes.
test-fast:
	@python3 tests/suite.py check ui python

# make test-repeat N=5 [LOAD=6] [PART=python|tf|ui|browser] [ONLY=…] runs a part N times in random order, with LOAD busy
# processes. ONLY is a test file or a part of a test's name. Prints the failures of each test and the slowest twenty.
N ?= 5
LOAD ?= 0
test-repeat:
	@python3 tests/repeat.py --times $(N) --load $(LOAD) $(if $(PART),--part $(PART)) $(if $(ONLY),--only '$(ONLY)')

# The parts. ARGS are passed to the test runner.
test-python: native .cache/fashion-mnist
	$(PY) -m pytest -n 2 --dist loadfile -m "not tensorflow" --durations 10 $(ARGS)

# Tests that need TensorFlow, in its own environment without torch.
test-tf: .venv-tf/stamp
	.venv-tf/bin/python -m pytest -m tensorflow tests/train_tf tests/integrations/test_keras.py tests/writer/test_crash_safety.py \
	  tests/kinds/embeddings/test_tf_checkpoint.py $(ARGS)

test-ui: ui/node_modules/.stamp
	cd ui && npx vitest run $(if $(ARGS),$(ARGS),--reporter=dot)

# Tests of a real board in a real browser: /usr/bin/chromium, or the one that CHROMIUM names.
test-browser: native ui
	cd ui && npx vitest run --config vitest.browser.config.ts $(ARGS)

check: check-python check-ui check-workflows

CPP := $(wildcard native/*.cpp native/*.h native/fuzz/*.cpp)
check-python: native
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/clang-format --dry-run --Werror $(CPP)

# Against the schema that comes with the checker, so it works offline.
check-workflows: .venv/dev.stamp
	.venv/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml

# Runs in the root, because tests/browser is outside of ui/.
UI_BIN := ui/node_modules/.bin
PRETTY := ui/src ui/public ui/index.html $(wildcard ui/*.ts ui/*.js ui/*.json) tests/browser bench
check-ui: ui/node_modules/.stamp
	$(UI_BIN)/prettier --check $(PRETTY)
	cd ui && npx svelte-check --fail-on-warnings --output human && npx tsc -p tsconfig.browser.json
	$(UI_BIN)/eslint --config ui/eslint.config.js --max-warnings 0 ui/src ui/*.ts tests/browser

# Formats all code.
format: .venv/dev.stamp ui/node_modules/.stamp
	.venv/bin/ruff format .
	.venv/bin/clang-format -i $(CPP)
	$(UI_BIN)/prettier --write --log-level warn $(PRETTY)

# Compares reading, serving, writing, querying, projecting and fine-tuning with other tools. The last takes half an hour.
bench: native ui
	$(PY) bench/read.py
	$(PY) bench/serve.py
	$(PY) bench/load.py
	$(PY) bench/write.py
	$(PY) bench/query.py
	$(PY) bench/project.py
	@$(MAKE) --no-print-directory bench-prepare
	@$(MAKE) --no-print-directory bench-finetune

FUZZ_SECS := 60
FUZZED := $(addprefix native/,arena.cpp column.cpp crc32c.cpp event_decode.cpp tfrecord.cpp plugin_names.cpp fork.cpp message_reader.cpp run.cpp run_ingest.cpp \
  run_query.cpp segment.cpp string_table.cpp tail.cpp scalar_tensor.cpp utf8.cpp)

# Fuzzes the reader with sanitizers, then reads a thousand corrupt files of each sort.
fuzz: native build/fuzz/reader
	@$(PY) -m native.fuzz.make_seeds build/fuzz/corpus
	build/fuzz/reader -max_total_time=$(FUZZ_SECS) -timeout=1 -rss_limit_mb=1024 -max_len=16384 -print_final_stats=1 build/fuzz/corpus
	$(PY) -m tests.store.damage 1000

build/fuzz/reader: native/fuzz/reader.cpp $(FUZZED) $(wildcard native/*.h) | /usr/bin/clang++
	@mkdir -p $(@D)
	clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Inative $< $(FUZZED) -o $@

# Runs the tests of the core with address and undefined-behavior sanitizers, then with the thread sanitizer.
# sanitize-fast takes a minute or two, and is a part of make test.
SANITIZED := tests/native tests/store tests/series_math tests/events tests/select
sanitize: sanitize-fast build/sanitize/thread/_core.so
	@rm -f build/sanitize/races.*
	$(call with_core,thread,tsan) $(SANITIZED) tests/writer/test_crash_safety.py $(ARGS)
	@! cat build/sanitize/races.* 2>/dev/null
	$(call with_core,address,asan) tests/events tests/writer $(ARGS)

sanitize-fast: build/sanitize/address/_core.so
	$(call with_core,address,asan) $(SANITIZED) $(ARGS)

# $(1) is the build, $(2) its runtime library. Leaks are not checked, because Python itself leaks at exit.
with_core = PYTHONPATH=tests/native/other_core LOSSBOARD_CORE=$$PWD/build/sanitize/$(1)/_core.so \
  LD_PRELOAD=$$($(CXX) -print-file-name=lib$(2).so):$$($(CXX) -print-file-name=libstdc++.so) \
  ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
  TSAN_OPTIONS=die_after_fork=0:suppressions=$$PWD/tests/native/tsan_suppressions.txt:log_path=$$PWD/build/sanitize/races PYTHONMALLOC=malloc \
  $(PY) -m pytest -n 2 --dist loadfile -m "not tensorflow"

build/sanitize/address/_core.so: SANITIZER := address,undefined
build/sanitize/thread/_core.so: SANITIZER := thread
build/sanitize/%/_core.so: $(wildcard native/*.cpp native/*.h native/CMakeLists.txt) | .venv/native.stamp
	@echo "Building the core with sanitizers ($(SANITIZER)) …"
	@mkdir -p $(@D)
	@.venv/bin/cmake -S native -B $(@D) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath .venv/bin/ninja) -DLOSSBOARD_SANITIZE=$(SANITIZER) \
	  -DPython_EXECUTABLE=$(abspath $(PY)) -Dnanobind_DIR=$$($(PY) -m nanobind --cmake_dir) > $(@D).log
	@.venv/bin/cmake --build $(@D) >> $(@D).log || { tail -n 30 $(@D).log; exit 1; }
	@cp $(@D)/_core.*.so $@

/usr/bin/clang++:
	@echo "Installing clang …"
	@$$([ $$(id -u) = 0 ] || echo sudo) apt-get install -y -qq clang >/dev/null

# ---- packaging -----------------------------------------------------------------------------------------
# Builds the sdist, and the wheel from it, into dist/. Needs a C++20 compiler and Node.
WHEEL_LOG = >> build/wheel.log 2>&1 || { tail -n 30 build/wheel.log; exit 1; }
wheel: .venv-wheel/stamp ui
	@rm -rf dist build/wheel build/wheel.log && mkdir -p build
	@echo "Building the sdist and the wheel (about two minutes) …"
	@.venv-wheel/bin/python -m build --outdir build/wheel . $(WHEEL_LOG)
	@PATH=$$PWD/.venv-wheel/bin:$$PATH auditwheel repair -w dist build/wheel/*.whl $(WHEEL_LOG)
	@cp build/wheel/*.tar.gz dist
	.venv-wheel/bin/python release/check_dist.py dist/*
	.venv-wheel/bin/twine check --strict dist/*

# Uses the wheel in a clean environment without compiler and Node.
wheel-check: wheel
	.venv-wheel/bin/python release/try_wheel.py dist/*.whl

# Compares fine-tuning with the Hugging Face Trainer, one epoch each. Takes about half an hour.
bench-finetune: native
	$(PY) bench/finetune.py

# Compares the preparation of 300,000 rows with `datasets`, which is installed beside the environment: it pins other
# versions of what the tests use.
bench-prepare: native build/datasets
	PYTHONPATH=build/datasets $(PY) bench/prepare.py

build/datasets:
	@$(PY) -m pip install $(QUIET) --target $@ datasets==5.2.0

# Fine-tunes the BERT of the demo and logs it to runs/.
train-demo: native
	@$(PY) examples/bert.py

clean:
	rm -rf .venv .venv-tf .venv-wheel build dist lossboard/_commit.txt lossboard/web ui/node_modules
