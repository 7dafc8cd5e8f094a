# Two commands matter: `make run` and `make test`. Each prepares .venv by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV := $(VENV)/.dev

.PHONY: run test test-kernels check docs bench release format clean

run: $(READY)
	@$(BIN)/setmargin serve

# Each process has a core of its own, so linear algebra needs no threads beside it; modules are compiled once, whatever
# the environment says; and tests of a folder stay with one process, and so with one browser and one database server.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n auto --dist worksteal

test: $(DEV)
	OPENBLAS_NUM_THREADS=1 $(PYTEST)

# As on an old processor, and on another path to every optimum: what strategies promise holds there too. Statistical
# proofs take as many people here as they are worth; `make test` takes fewer.
test-kernels: $(DEV)
	OPENBLAS_CORETYPE=Nehalem $(PYTEST) --another-path 1 --thorough tests/strategies tests/logits

check: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32 src
	$(BIN)/lint-imports

# The documentation, in site/; a warning is an error.
docs: $(DEV)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# Built, checked, installed where nothing else is, and tried.
release: $(DEV)
	$(BIN)/python scripts/release.py

bench: $(DEV)
	$(BIN)/python -m benchmarks

format: $(DEV)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "setmargin needs Python 3.11 or newer; try: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(READY): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[web]'
	@touch $@

$(DEV): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(READY)

clean:
	rm -rf $(VENV) build dist site src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
