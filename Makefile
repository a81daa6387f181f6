# make run    from a fresh clone to a running site with the demo study in it
# make test   from a fresh clone to the whole suite passed
# make explore   the tests of properties, with new seeds and many more examples
# make quick  checks, and tests of what changed since the last commit
# make wheel  the installable package, into dist/
# make lock   requirements.txt and locks/ from pyproject.toml (UPGRADE="django numpy": new versions)
# make audit  known vulnerabilities of the locked versions, and their licences
# make docs   the documentation as a site, into build/docs/
# make test-pythons  the wheel's `metrics` and `analysis` tested on each installed Python, 3.11 to 3.13

PYTHON ?= python3.11
PORT ?= 8000
PROCESSES ?= 4
BIN := .venv/bin

# Packages are installed by uv where it is there, and otherwise by pip, which takes longer. All
# processors compile them afterwards, where pip would use one. What does not compile is not meant
# to: templates of other Pythons.
PIP := $(BIN)/pip install --progress-bar off --no-compile --disable-pip-version-check
UV := $(shell command -v uv)
INSTALL := $(if $(UV),$(UV) pip install --python $(BIN)/python,$(PIP)) --require-hashes
COMPILE := $(BIN)/python -m compileall -qq -j 0 .venv/lib || true

# Keep bytecode, wherever this runs: otherwise each process would compile all modules and tests anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run test suite voting explore quick checks kernels docs wheel lock audit test-pythons ready tools clean

help:
	@sed -n 's/^# \(make \)/\1/p' Makefile

run: $(BIN)/tercet ready
	@PORT=$(PORT) BIN=$(BIN) sh scripts/run.sh

test:
	$(MAKE) -j3 .venv/ready-dev ready tools
	$(MAKE) -j3 checks voting suite

# Four processes at a time on two processors: those that wait for a browser or a server compute little.
# They leave the processors to the one process of `voting` and to `checks`, which end earlier.
# Sets have the same order in every run; `make explore` tries others.
suite voting: export PYTHONHASHSEED := 0

suite: kernels
	nice -n 5 $(BIN)/pytest -q -n $(PROCESSES) --dist worksteal

# What it finds becomes an `@example` of the test: `make test` draws the same ones everywhere.
explore: .venv/ready-dev ready kernels
	$(BIN)/pytest -q -n $(PROCESSES) -m hypothesis --hypothesis-profile explore

voting: kernels
	$(BIN)/python -m tests.postgresql $(BIN)/pytest -q -m voting tests/annotation tests/browser/test_crowd.py

quick: .venv/ready-dev ready
	@$(BIN)/python scripts/quick.py

checks:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run

# Compile the kernels once, before the tests: otherwise every test process would compile its own.
kernels:
	@$(BIN)/tercet analyse examples/demo --out var/kernels --only table,gaming --draws 1 --resamples 20 --flips 19 >/dev/null

docs: .venv/ready-docs
	$(BIN)/python -m sphinx -W --keep-going -q -d build/doctrees docs build/docs
	@echo "Open build/docs/index.html"

wheel:
	$(PYTHON) -m pip wheel --disable-pip-version-check --no-deps --wheel-dir dist .

lock:
	@PYTHON=$(PYTHON) sh scripts/lock.sh $(UPGRADE)

audit: .venv/ready-dev
	@PYTHON=$(PYTHON) BIN=$(BIN) sh scripts/audit.sh

test-pythons:
	@PYTHON=$(PYTHON) sh scripts/test_pythons.sh

ready: var/secret-key

var/secret-key:
	@mkdir -p var
	@umask 077; head -c 48 /dev/urandom | base64 | tr -d '\n' > $@

.venv/ready: requirements.txt
	@echo "Making a Python environment in .venv and installing $$(grep -c == $<) packages into it: a minute or two."
	@$(PYTHON) -m venv .venv
	@$(INSTALL) -r $<
	@$(COMPILE)
	@touch $@

# The commands run the files of this folder.
$(BIN)/tercet: .venv/ready locks/build.txt pyproject.toml
	@$(INSTALL) -q -r locks/build.txt
	@$(BIN)/pip install -q --disable-pip-version-check --no-index --no-deps --no-build-isolation --editable .
	@touch $@

.venv/ready-docs: .venv/ready locks/docs.txt
	$(INSTALL) -q -r locks/docs.txt
	@touch $@

.venv/ready-dev: $(BIN)/tercet locks/dev.txt locks/embed.txt
	$(INSTALL) -q -r locks/dev.txt
	$(INSTALL) -q --no-deps -r locks/embed.txt
	@$(COMPILE)
	@touch $@

# Some tests drive Debian's Chromium, and one its gettext. Without them they say so; with CI set they fail.
# The Chromium without windows takes half of the processor time; where it may not be installed, the usual one will do.
tools:
	@{ command -v chromium-headless-shell && command -v xgettext; } >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && apt-get update -qq && apt-get install -y -qq chromium-headless-shell gettext; } >/dev/null 2>&1 \
	  || { command -v chromium && command -v xgettext; } >/dev/null \
	  || echo "*** No Chromium or no gettext, and they may not be installed from here: their tests will not run. ***"

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
