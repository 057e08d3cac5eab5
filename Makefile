# Every target makes the environment that it needs: Python 3.11 and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help demo test lint format check check-data test-train test-browser bench wheel clean

help:
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Broadsheet needs Python 3.11 or newer; name one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
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

check-data: $(READY)  ## real pages of ../shared/data: nothing raises, hangs, leaks, or loses text
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[eval]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check readability-lxml  # apart: see evaluation/peers/table.py
	$(BIN)/python -m pytest -m data
	$(BIN)/python -m broadsheet.evaluation.gate benchmarks/gate.json ../shared/data

test-train: $(READY)  ## training code (extra 'train'); no method is trained yet
	$(BIN)/python -m pytest -m train || [ $$? -eq 5 ]

test-browser: $(READY)  ## tests in a real browser (Chromium must be installed)
	$(BIN)/python -m pytest -m browser || [ $$? -eq 5 ]

bench: $(READY)  ## speed beside trafilatura and resiliparse on ../shared/data
	$(BIN)/python -m pip install --quiet --disable-pip-version-check trafilatura resiliparse
	$(BIN)/python benchmarks/speed.py

wheel: $(READY)  ## build the wheel into dist/
	$(BIN)/python -m pip install --quiet --disable-pip-version-check build
	$(BIN)/python -m build --wheel

clean:  ## remove the environment and what was built
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache
