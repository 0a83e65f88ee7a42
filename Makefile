# Everything from a fresh clone, given make and Python 3.11 or newer: `make demo`, `make test`, `make lint`.
# The first run sets up .venv, which takes a minute or two. pip copies files, as it must: a uv that hard-links them breaks nltk's
# data (run-llama/llama_index#22839).

PYTHON ?= python3 python3.14 python3.13 python3.12 python3.11 python
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check

.PHONY: demo test lint clean

demo: $(VENV)/ready
	@$(BIN)/abstracts demo -L build/demo-library

test: $(VENV)/ready-dev
	$(BIN)/coverage run -m pytest
	$(BIN)/coverage report --skip-covered --show-missing

lint: $(VENV)/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:
	rm -rf $(VENV) build dist .coverage .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

# The first of $(PYTHON) that is new enough.
$(VENV)/ready: pyproject.toml constraints.txt
	@for python in $(PYTHON); do \
	    if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then \
	        echo "Setting up $(VENV) with $$("$$python" --version): a minute or two, once."; \
	        exec "$$python" -m venv $(VENV); \
	    fi; \
	done; \
	echo "Python 3.11 or newer is needed; none of these is: $(PYTHON). Name one: make $(MAKECMDGOALS) PYTHON=/path/to/python" >&2; \
	exit 1
	@$(PIP) install --constraint constraints.txt --editable .
	@touch $@

$(VENV)/ready-dev: $(VENV)/ready
	@echo "Adding the development tools to $(VENV)."
	@$(PIP) install --constraint constraints.txt --editable '.[dev]'
	@touch $@
