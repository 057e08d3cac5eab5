# Every target makes the environment that it needs: Python 3.11 and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
PEERS := $(VENV)/.peers
TRAIN := $(VENV)/.train
RENDER := $(VENV)/.render

.PHONY: help demo test lint format check check-data test-train test-browser peers bench wheel clean

help:
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Broadsheet needs Python 3.11 or newer; name one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable '.[dev]'
	@touch $@

# readability-lxml by itself: pip 23 fails when it is asked for in one go with trafilatura (evaluation/peers/table.py).
$(PEERS): $(READY)
	$(PIP) --editable '.[eval]'
	$(PIP) readability-lxml
	@touch $@

# torch by its number first: asked for by a range, pip takes the newest, with gigabytes for graphics cards.
$(TRAIN): $(READY)
	$(PIP) torch==2.13.0
	$(PIP) --editable '.[train]'
	@touch $@

$(RENDER): $(READY)
	$(PIP) --editable '.[render]'
	@touch $@

demo: $(READY)  ## extract the sample page and show the article
	@$(BIN)/broadsheet extract examples/pages/harbour.html --format md

test: $(READY)  ## the whole suite: no torch, no browser, no data from outside
	$(BIN)/python -m pytest

lint: $(READY)  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(READY)  ## put the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

check: lint test  ## what a commit must pass

check-data: $(PEERS)  ## real pages of ../shared/data: nothing raises, hangs, leaks or loses text; quality floors
	$(BIN)/python -m pytest -m data
	$(BIN)/python -m broadsheet.evaluation.gate benchmarks/gate.json ../shared/data

test-train: $(TRAIN)  ## training code (extra 'train')
	$(BIN)/python -m pytest -m train

test-browser: $(RENDER)  ## tests in a real browser (Chromium must be installed)
	$(BIN)/python -m pytest -m browser || [ $$? -eq 5 ]

peers: $(PEERS)  ## other extractors, to compare with in `broadsheet eval`

bench: $(PEERS)  ## speed beside trafilatura and resiliparse on ../shared/data
	$(BIN)/python -m benchmarks.speed

wheel: $(READY)  ## build the wheel into dist/
	$(PIP) build
	$(BIN)/python -m build --wheel

clean:  ## remove the environment and what was built
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache
