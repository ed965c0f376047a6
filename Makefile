# Everything a newcomer needs is `make play` and `make test`. Both set themselves up: uv comes from pip
# into .tools/, and uv makes .venv/ exactly as uv.lock says. They install into this folder only (and keep what they fetch in
# ~/.cache, which `make clean` leaves). Once set up they fetch nothing until uv.lock changes. (The exceptions are `make test` on a Debian machine without
# Chromium, a font with emoji, Node, nginx, Caddy, PgBouncer or Kannel, a gateway for text messages, and `make docs`
# without Node: they say so, and install it with apt-get; see .ci/system-packages.)
ifndef PYTHON
# An interpreter in a shared library, as pyenv and others build it, takes a quarter more CPU, unless the compiler knew that no other
# library replaces its functions. A Python without that loss is taken first.
QUICK := import pip, sqlite3, ssl; assert "libpython" not in open("/proc/self/maps").read() or \
	"-fno-semantic-interposition" in sysconfig.get_config_var("PY_CFLAGS_NODIST")
PYTHON := $(or $(shell for quick in '$(QUICK)' pass; do \
	{ which -a python3 || echo python3; printf 'python%s\n' 3.14 3.13 3.12 3.11 ''; } | while read -r each; do \
		"$$each" -c "import sys, sysconfig; $$quick; sys.exit(sys.version_info < (3, 11))" && echo "$$each" && break; done | \
		grep . && break; done 2>/dev/null),python3)
endif
PORT ?=
PREFIX ?= /opt/perudo
CONFIG ?=
# The extras that `make run` and `make install` install with the bot: see [project.optional-dependencies] in pyproject.toml.
EXTRAS ?= postgresql
# Most end-to-end tests wait for other processes, so two cores take five of them at a time, and are busy to the end. One worker
# computes the core's tests meanwhile; their output comes whole when they have ended. They have no low priority: on a busy machine
# each test would then wait until its timeout.
WORKERS ?= 5
TESTS ?= tests
# The rules, the tables, the settings, whole games in the service, the translations, and that each option is in all lists. Left out is
# what takes long: agents, hostile input, other engines.
FAST_TESTS := tests/perudo_core tests/test_json_schemas.py::test_the_files_are_those_of_the_table \
	$(addprefix tests/telegram_bot/,tables settings $(patsubst %,features/test_%.py,folders off) \
	$(patsubst %,service/test_%.py,a_game lobby_and_settings reveal secrecy) \
	$(patsubst %,words/test_%.py,a_tables_rules_in_words every_language))
# The tests of what differs from the last commit of the main branch, as far as they need no browser or Node: tests/README.md has the folders.
CHANGED = $(shell { git diff --name-only "$$(git merge-base HEAD origin/main 2>/dev/null || echo HEAD)"; \
	git ls-files --others --exclude-standard; } 2>/dev/null | sed -nE 'h; s,^telegram_bot/(notices|presentation)/.*,tests/telegram_bot/words,p; \
	g; s,^telegram_bot/presentation/.*,tests/telegram_bot/channels/telegram,p; g; s,^telegram_bot/([a-z_]+\.py)$$,tests/telegram_bot/test_\1,p; \
	g; s,^(tests/)?(telegram_bot/((channels|features)/)?[a-z_]+)/.*,tests/\2,p; g; /^tests\/(telegram_bot\/)?test_[a-z_]+\.py$$/p' | sort -u)
CHANGED_TESTS = $(shell grep -rLE "browser|sandbox|prism|[^a-z_]node[^a-z_]" $(CHANGED) /dev/null --include='test_*.py' 2>/dev/null)
SLOW_TESTS := agent analysis batch command_engines example_games openspiel
CORE_COVERAGE := --cov=perudo_core --cov-branch --cov-fail-under=100

UV_VERSION := 0.13.8
UV := .tools/bin/uv
UV_READY := .tools/.uv-$(UV_VERSION)
BIN := .venv/bin
# Compiled modules are kept even where the environment forbids it: the tests start hundreds of processes of the bot, and
# each would take a second more of CPU to compile what it imports. Several processes compute at the same time, so NumPy and
# the recogniser have one thread in each: others would wait in loops that take a tenth of their CPU.
# Sets have the same order in each run, so simulated evenings are the same.
PYTEST := env -u PYTHONDONTWRITEBYTECODE OMP_NUM_THREADS=1 PYTHONHASHSEED=0 $(BIN)/pytest
# Tests that failed in the last run come first, then tests of changed files: see tests/conftest.py.
FORKED := -p test_support.forked_workers --ff --workers

# A command adds to .venv what it needs, and takes nothing away that another one has installed: .venv/.extras lists the extras that are
# there; `dev` is all of them, and the developers' tools. The version is part of the mark's name, so that `make PYTHON=python3.13 …`
# makes the environment anew.
PYTHON_VERSION := $(or $(shell "$(PYTHON)" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null),none)
empty :=
THERE = $(shell cat .venv/.extras 2>/dev/null)
with = $(sort $(or $(filter dev,$(THERE) $1),$(THERE) $1))
mark = $(subst $(empty) $(empty),-,$(strip .venv/.ready-$(PYTHON_VERSION) $1))
ready = $(call mark,$(call with,$1))
# For a command that any environment will do for.
any = $(call ready,$(if $(THERE),,$1))
READY := $(call ready,dev)

# uv keeps to this folder and to the Python it is told; it trusts the machine's certificates, as pip does.
export UV_PROJECT_ENVIRONMENT := .venv
export UV_PYTHON_DOWNLOADS := never
export UV_SYSTEM_CERTS ?= $(if $(wildcard /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem),true,false)
ifeq ($(filter install,$(MAKECMDGOALS)),)
ifneq ($(shell test -n "$$HOME" && mkdir -p "$$HOME/.cache/uv" 2>/dev/null && test -w "$$HOME/.cache/uv" && echo yes),yes)
export UV_CACHE_DIR ?= $(CURDIR)/.tools/cache
endif
endif
unexport VIRTUAL_ENV

.DEFAULT_GOAL := help
.PHONY: help announce announce-lint play party run install doctor setup test-fast test lint format docs bench clean

help:
	@echo "To play and to host"
	@echo "make play         a whole group game in your browser, no account needed  (PORT=9000 for another port)"
	@echo "make party        the pages for an evening at home, on your own phones    (PORT=9000 for another port)"
	@echo "make run          the bot itself; needs PERUDO_TOKEN                      (CONFIG=my.toml for your settings)"
	@echo "make doctor       is everything in place for it to run?"
	@echo "make install      the bot for a service, exactly as uv.lock says, into PREFIX (/opt/perudo)"
	@echo "make clean        forget the environment and what was built"
	@echo "To change it"
	@echo "make setup        the environment for developers, 1.7 GB"
	@echo "make test-fast    rules, tables, whole games, and what you have changed; no system package"
	@echo "make test         every test; every line and branch of perudo_core       (TESTS=tests/perudo_core for some)"
	@echo "make lint         ruff, mypy --strict, import-linter, plain English; with Node, the pages' JavaScript"
	@echo "make format       what ruff can fix by itself"
	@echo "make docs         all documents as a site with a search, every link checked, into dist/docs"
	@echo "make bench        how fast the core is, compared with OpenSpiel"
	@echo ".ci/run           all that a change must pass, and what only maintainers run: see .ci/maintainers.mk"

$(UV_READY):
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Python 3.11 or newer is needed, and '$(PYTHON)' is $(PYTHON_VERSION:none=not there). Try: make PYTHON=python3.12 play" >&2; exit 1; }
	@"$(PYTHON)" -m pip --version >/dev/null 2>&1 || { \
		echo "pip is missing for '$(PYTHON)'. On Debian and Ubuntu: apt-get install python3-pip" >&2; exit 1; }
	@echo "Fetching uv, once: 40 MB into .tools"
	@rm -rf .tools/bin .tools/uv .tools/uv-*.dist-info .tools/.uv-*
	@PIP_USER=0 PIP_ROOT_USER_ACTION=ignore "$(PYTHON)" -m pip install --quiet --disable-pip-version-check --no-warn-script-location \
		--target .tools uv==$(UV_VERSION)
	@touch $@

# Sizes as du -sh prints them on Debian 12. An environment whose Python has been taken away from under it is made anew.
WITH = $(call with,$(filter-out $(PYTHON_VERSION),$(subst -, ,$*)))
.PHONY: always
.venv/.ready-%: uv.lock pyproject.toml perudo_core/pyproject.toml telegram_sandbox/pyproject.toml \
		$(if $(wildcard $(BIN)/python),,always) | $(UV_READY)
	@echo "Setting up, once: $(if $(filter dev,$(WITH)),1.7 GB into .venv for developers; this takes one to five minutes,$(if \
		$(filter voice kokoro piper,$(WITH)),700 MB into .venv,150 MB into .venv); this takes less than a minute)"
	@UV_PYTHON="$$("$(PYTHON)" -c 'import sys; print(getattr(sys, "_base_executable", None) or sys.executable)')" \
		$(UV) sync --quiet --frozen $(if $(filter dev,$(WITH)),--all-extras,--inexact --no-dev $(addprefix --extra ,$(WITH)))
	@rm -f .venv/.ready-*
	@printf '%s\n' $(WITH) >.venv/.extras
	@touch $(call mark,$(WITH))

setup: $(READY)

# `make test` says how long it takes, and what it will install before the first download.
announce:
	@$(if $(filter tests,$(TESTS)),echo "All tests take about eight minutes on two cores that nothing else uses." >&2)
	@test -f $(READY) || echo "The tests need 1.7 GB in .venv and .tools; this takes one to five minutes." >&2
	@.ci/node-parts --announce
	@.ci/system-packages --announce $(SYSTEM_PACKAGES) nodejs npm
# On a machine of a contributor, `make lint` checks no JavaScript without Node; CI installs it.
NODE := $(or $(CI),$(shell command -v npm))
NO_NODE := NOT CHECKED: the pages' JavaScript, which needs Node (on Debian: apt-get install nodejs npm)
announce-lint:
	@test -f $(READY) || echo "The checks need 1.7 GB in .venv and .tools; this takes one to five minutes." >&2
	@$(if $(NODE),.ci/node-parts --announce,echo "$(NO_NODE)" >&2)
ifneq ($(filter test lint,$(MAKECMDGOALS)),)
ANNOUNCE := $(if $(filter test,$(MAKECMDGOALS)),announce,announce-lint)
$(UV_READY) $(READY): | $(ANNOUNCE)
test lint: $(ANNOUNCE)
endif

# The core compiled, ahead of its sources on the path of the bot; where it cannot be built, the sources play. The tests run the sources.
# Its name is relative: make splits a target at each space of the folder's path.
.venv/compiled: perudo_core/pyproject.toml $(wildcard perudo_core/src/perudo_core/*.py perudo_core/src/perudo_core/agents/*.py) | $(call ready,$(EXTRAS))
	@echo "Compiling the rules, once: this takes about half a minute"
	@rm -rf $@ && mkdir $@
	@HATCH_BUILD_HOOKS_ENABLE=true $(UV) build --quiet --package perudo-core --python $(BIN)/python --out-dir $@ >$@/log 2>&1 && \
		$(UV) pip install --quiet --no-deps --target $@ $@/*.whl >>$@/log 2>&1 || true

# `exec` hands Ctrl-C straight to the program, which then leaves with status 0: nothing for make to complain about.
# The sources play, quick enough for one table: no visitor waits for a compiler.
play: $(call ready,sandbox)
	@exec $(BIN)/perudo-bot sandbox $(if $(PORT),--port $(PORT))

party: $(call any,sandbox)
	@exec $(BIN)/perudo-bot party $(if $(PORT),--port $(PORT))

run: $(call ready,$(EXTRAS)) .venv/compiled
	@exec env PYTHONPATH="$$PWD/.venv/compiled$${PYTHONPATH:+:$$PYTHONPATH}" $(BIN)/perudo-bot run $(if $(CONFIG),--config "$(CONFIG)")

# An environment of its own: a checkout may go on to another version while the service runs. It needs no `setup`, which as root
# would leave root's files here.
install:
	@config/deploy/install "$(PYTHON)" "$(PREFIX)" "$(UV_VERSION)" "$(if $(wildcard $(UV_READY)),$(UV))" $(EXTRAS)

doctor: $(call any,$(EXTRAS))
	@$(BIN)/perudo-bot doctor $(if $(CONFIG),--config "$(CONFIG)")

# The site draws its diagrams and plays its first page by programs of npm; their lock file has the hashes.
SITE_PARTS := .tools/site/node_modules/.package-lock.json
$(SITE_PARTS): .ci/site/package-lock.json
	@.ci/system-packages nodejs npm
	@mkdir -p .tools/site && cp .ci/site/package*.json .tools/site
	@npm --prefix .tools/site ci --ignore-scripts --no-audit --no-fund --loglevel=error --no-update-notifier && touch $@

SYSTEM_PACKAGES := chromium-headless-shell fonts-noto-color-emoji kannel nginx caddy openssl pgbouncer
test: setup $(SITE_PARTS)
	@.ci/system-packages $(SYSTEM_PACKAGES)
	@.ci/node-parts
ifeq ($(TESTS),tests)
	@$(BIN)/python -m test_support.side_by_side \
		"env COVERAGE_FILE=.coverage.core $(PYTEST) $(FORKED) 1 -o cache_dir=.pytest_cache/core $(CORE_COVERAGE) tests/perudo_core" \
		"$(PYTEST) $(FORKED) $(WORKERS) tests --ignore=tests/perudo_core"
else
	$(PYTEST) $(FORKED) $(WORKERS) $(TESTS)
endif

# No program that pip does not install: it needs no root, and is meant to run on macOS too.
test-fast: setup
	$(PYTEST) -q $(FORKED) 2 $(FAST_TESTS) $(filter-out /dev/null,$(CHANGED_TESTS)) $(patsubst %,--ignore-glob='*test_%*',$(SLOW_TESTS))

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m test_support.recipes
	$(BIN)/basedpyright
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/python -m test_support.plain_english
ifneq ($(NODE),)
	@.ci/node-parts
	$(BIN)/python -m test_support.typed_pages
else
	@echo "$(NO_NODE)" >&2
endif

docs: setup $(SITE_PARTS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet --config-file config/site/mkdocs.yml
	@! grep -rlE --include=*.html '<(script|link|img)[^>]* (src|href)="?(https?:)?//' dist/docs || { echo "These pages ask another server" >&2; exit 1; }

bench: setup
	$(BIN)/python -m benchmarks.core_speed

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv .tools dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage*
