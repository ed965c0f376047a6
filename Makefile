# Everything a newcomer needs is `make play` and `make test`. Both set themselves up: uv comes from pip
# into .tools/, and uv makes .venv/ exactly as uv.lock says. Nothing is installed outside this folder.
PYTHON ?= python3
UV := .tools/bin/uv
RUN := $(UV) run --frozen --all-extras
UV_VERSION := 0.13.8

.PHONY: play test lint format setup run doctor clean
.DEFAULT_GOAL := help

help:
	@echo "make play   a whole group game in your browser, no account needed"
	@echo "make test   every test"
	@echo "make lint   ruff, mypy --strict, import-linter"

$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; try: make PYTHON=python3.12 play")'
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --no-warn-script-location --target .tools uv==$(UV_VERSION)

.venv/.ready: $(UV) uv.lock pyproject.toml perudo_core/pyproject.toml
	UV_PYTHON=$$($(PYTHON) -c 'import sys; print(sys.executable)') $(UV) sync --quiet --frozen --all-extras
	@touch $@

setup: .venv/.ready

play: setup
	@exec $(RUN) perudo-bot sandbox

test: setup
	.ci/system-packages chromium
	$(RUN) pytest -n 2 --dist loadgroup tests

lint: setup
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(RUN) lint-imports

format: setup
	$(RUN) ruff check --fix .
	$(RUN) ruff format .

clean:
	rm -rf .venv .tools .mypy_cache .ruff_cache .pytest_cache
