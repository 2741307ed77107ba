# `make` explains itself. Everything installs into .venv; nothing else on the machine is touched.
.DEFAULT_GOAL := help
SHELL := /bin/sh
PORT ?= 8888
# The first Python of 3.11 or newer on the PATH; override with PYTHON=/path/to/python
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

# What is installed depends on these files and on where the project lies: another content or
# another place gives another stamp, and the environment is built anew.
STAMP := .venv/ready-$(shell { cat requirements.txt requirements-d2l.txt; pwd; } | cksum | cut -d' ' -f1)
BROWSER := .venv/browser-ready
PY := .venv/bin/python
FIRST := notebooks/00_start_here.ipynb

# Readers' own Jupyter, IPython and Python settings must not change what a chapter shows.
export JUPYTER_PREFER_ENV_PATH := 1
export JUPYTER_CONFIG_PATH := $(CURDIR)/.jupyter
unexport PYTHONPATH PYTHONHOME PYTHONSTARTUP MPLBACKEND D2LATTN_SPEC

.PHONY: help lab test test-browser refresh live bench slides student links clean

help: ## show this list
	@echo "d2lattn: a textbook on attention in which every claim runs"
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22

lab: $(STAMP) ## open the book in JupyterLab (PORT=8888)
	@flags="--port=$(PORT) --LabApp.default_url=/lab/tree/$(FIRST)"; \
	[ "$$(id -u)" = 0 ] && flags="$$flags --allow-root"; \
	if [ "$$(uname)" = Linux ] && [ -z "$$DISPLAY$$WAYLAND_DISPLAY" ]; then flags="$$flags --no-browser"; fi; \
	exec $(PY) -m jupyterlab $$flags

test: export IPYTHONDIR := $(CURDIR)/.venv/ipython
test: export MPLCONFIGDIR := $(CURDIR)/.venv/matplotlib
test: export OMP_NUM_THREADS := 1
test: $(STAMP) ## check the style, the package and every chapter, output by output
	@$(PY) -m ruff check --quiet . && $(PY) -m ruff format --quiet --check .
	@$(PY) -m pytest -q -n auto --dist loadfile --nbval --nbval-current-env --nbval-cell-timeout 120 \
		--doctest-modules --ignore tests/browser d2lattn tests notebooks

test-browser: $(BROWSER) ## open every chapter in JupyterLab in headless Chromium
	@$(PY) -m pytest -q -p no:nbval tests/browser

refresh: export IPYTHONDIR := $(CURDIR)/.venv/ipython
refresh: export MPLCONFIGDIR := $(CURDIR)/.venv/matplotlib
refresh: $(STAMP) ## run the chapters and store their outputs (CHAPTERS="01 02" for some)
	@$(PY) tools/notebooks.py refresh $(CHAPTERS)

live: $(STAMP) ## minify the code of the live figures (needs node and, once, the network)
	@$(PY) tools/live_code.py

bench: $(STAMP) ## measure speed and memory, write benchmarks/RESULTS.md
	@$(PY) benchmarks/bench.py

slides: $(STAMP) ## write the chapters as slides that open without network, into build/slides
	@$(PY) tools/notebooks.py slides

student: $(STAMP) ## write the chapters without solutions, into build/student
	@$(PY) tools/notebooks.py student

links: $(STAMP) ## stamp the public address into the book (REPO=owner/name)
	@$(PY) tools/notebooks.py links "$(REPO)"

clean: ## remove the environment and everything that was built
	rm -rf .venv build .pytest_cache .hypothesis .ruff_cache *.egg-info
	find . -name __pycache__ -o -name .ipynb_checkpoints | xargs rm -rf

$(STAMP): requirements.txt requirements-d2l.txt
	@test -n "$(PYTHON)" || { echo "d2lattn needs Python 3.11 or newer: install it, or name it with make PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { echo "d2lattn needs Python 3.11 or newer, and $(PYTHON) is not: install one, or name it with make PYTHON=/path/to/python"; exit 1; }
	@echo "setting up .venv (once; a few minutes)"
	@rm -rf .venv
	@$(PYTHON) -m venv .venv || { echo "$(PYTHON) cannot make a virtual environment: on Debian and Ubuntu, apt install python3-venv"; exit 1; }
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-d2l.txt -e .
	@touch $(STAMP)

$(BROWSER): $(STAMP) requirements-browser.txt
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-browser.txt
	@touch $(BROWSER)
