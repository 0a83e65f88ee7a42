# Everything from a fresh clone with Python 3.11+ and make: `make demo`, `make test`, `make lint`.
# pip copies files; a uv that hard-links them breaks nltk's data (run-llama/llama_index#22839).

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint clean

demo: $(VENV)/ready
	$(BIN)/abstracts demo -L build/demo-library

test: $(VENV)/ready-dev
	$(BIN)/coverage run -m pytest
	$(BIN)/coverage report --skip-covered --show-missing

lint: $(VENV)/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:
	rm -rf $(VENV) build dist

$(VENV)/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	touch $@

$(VENV)/ready-dev: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@
