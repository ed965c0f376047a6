# Targets that only CI and maintainers run: `.ci/run NAME`, with variables such as SECONDS=60 behind it.
#
#   audit            known vulnerabilities of what uv.lock holds (asks the network)
#   rates            how often typed bids are understood, and how soon players are asked (virtual time): each against its limit (3 min)
#   test-features    `make test-fast` without each feature, which is deleted       (FEATURES=daily for some; FEATURES=all: none is left)
#   wheels           the packages, the core compiled as well, built into dist/ and checked
#   test-release     what dist/ holds, installed and used as a stranger does, by the first Python of .ci/interpreters
#                    (PYTHONS= for each)
#   publish          wheels, test-release, and the upload                          (REPOSITORY=where the source is)
#   film             the pictures of README.md and docs/film.md, played again
#   fuzz             odd inputs of one door, guided by the code that they reach     (DOOR=words, SECONDS=600)
#   mutants          does a test still notice each fault of benchmarks/mutants.tsv? (OPTIONS=--help)
#   simulate         evenings of the whole bot in virtual time, with faults         (SECONDS=600)
#   test-cost        `make test`, and the CPU seconds of each folder and of the costliest tests; fails if one costs too much
#   test-failover    each part of an installation on several machines killed        (Linux, as root)
#   test-operating   the operators' pages typed word for word in a new account      (Linux, as root)
#   test-training    MaskablePPO of sb3-contrib learns to win in perudo_core.gymnasium; fetches torch
#   test-voice       how well a model hears people say bids                         (MODEL=its folder)
include Makefile
.PHONY: audit fast-tests film fuzz mutants publish rates simulate test-cost test-failover test-features test-operating test-release \
	test-training test-voice wheels

test-cost:
	@$(MAKE) --no-print-directory test PYTEST="$(PYTEST) -p test_support.test_cost $(WRITE)"

fast-tests:
	@echo $(FAST_TESTS)

# Each feature deleted in a copy of the files, and the bot's part of `make test-fast` there: a minute for each.
test-features: setup
	@$(BIN)/python -m test_support.without_features $(FEATURES)

# Human number words against a real model, which no test downloads.
VOICES := asterisk-core-sounds-en-g722 asterisk-core-sounds-it-g722 asterisk-core-sounds-fr-g722 \
	asterisk-core-sounds-es-g722 asterisk-prompt-it-menardi-wav asterisk-prompt-fr-armelle asterisk-prompt-es-co
test-voice: setup
ifeq ($(MODEL),)
	@echo "NOT RUN: test-voice needs a model, and measured nothing. First: perudo-bot voice setup" >&2
	@echo "         then: .ci/run test-voice MODEL=~/.cache/perudo-bot/models/small" >&2
	@exit 1
else
	@.ci/system-packages $(VOICES)
	@$(BIN)/python -m benchmarks.voice ears "$(MODEL)"
endif

# Half an hour: the tests of `make test-fast` once, and up to 60 of them for each fault.
mutants: setup
	@$(BIN)/python -m benchmarks.mutants $(OPTIONS)

# Evenings of the whole bot in virtual time, with new seeds, every second played twice with other dice. A failure prints the
# command that repeats it, and a shorter plan.
SECONDS ?= 600
simulate: setup
	@PYTHONHASHSEED=0 $(BIN)/python -W ignore -m test_support.simulation --seconds $(SECONDS)

# Odd inputs of one door that needs no bot, guided by the code that they reach; one that fails is printed.
DOOR ?= words
fuzz: setup
	@$(UV) run --quiet --frozen --with 'atheris>=3' python -W ignore -m test_support.doors.fuzz "$(DOOR)" --seconds $(SECONDS)

# Twenty tables go on while each part of an installation on several machines is killed: ten minutes, before a release.
test-failover: setup
	@.ci/system-packages patroni etcd-server postgresql
	@$(BIN)/python -m tests.operating.failover

# The commands for operators, typed: two to three minutes, and nothing of it stays on the machine.
test-operating: setup
	@.ci/system-packages sudo
	@$(BIN)/python -m tests.operating.follow

# Not a part of `make test`: torch needs 750 MB of disk, and for Linux on x86-64 PyPI has it only with its part for GPUs, several GB.
# It leaves nothing on the machine.
test-training:
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && "$(PYTHON)" -m venv "$$folder" && \
		"$$folder/bin/pip" install --quiet 'torch==2.13.0' 'sb3-contrib==2.9.2' './perudo_core[gymnasium]' && \
		OMP_NUM_THREADS=1 "$$folder/bin/python" tests/operating/training.py

audit: setup
	@$(BIN)/python .ci/audit

wheels: setup
	@.ci/wheels

# The packages in dist/, installed and used as a stranger does, by each Python of .ci/interpreters: about a minute each.
test-release: setup
	@$(BIN)/python -m tests.operating.in_a_copy
	@$(BIN)/python -m tests.operating.release $(PYTHONS)

# From the commit of the version's tag, by someone who may upload the three names (or by .github/workflows/release.yml).
publish: setup
	@test -n "$(REPOSITORY)" || { echo "Where is the source? .ci/run publish REPOSITORY=https://…" >&2; exit 1; }
	@git tag --points-at HEAD | grep -qx "v$$($(BIN)/perudo-bot --version | cut -d ' ' -f 2)" || { \
		echo "This commit does not have the tag of its version" >&2; exit 1; }
	@REPOSITORY="$(REPOSITORY)" COMPILE_FOR="$$(.ci/interpreters)" .ci/wheels
	@$(BIN)/python -m tests.operating.release
	$(BIN)/twine upload --skip-existing dist/*.whl dist/*.tar.gz

rates: setup
	@$(BIN)/python -m benchmarks.phrases --floors && echo "Each rate of typed bids is above its floor."
	@$(BIN)/python -m benchmarks.prompts --goal && echo "Each player to call is asked in time."

# The real bot in a browser: three minutes. Emoji of a monochrome font would not look as they do on a telephone.
film: setup
	@.ci/system-packages chromium-headless-shell fonts-noto-color-emoji
	$(BIN)/python -m test_support.film
