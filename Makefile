# `make` explains itself. Everything installs into .venv, and what must be told apart from it into
# .venv-oldest and .venv-colab; nothing else on the machine is touched.
.DEFAULT_GOAL := help
SHELL := /bin/sh
PORT ?= 8888
# The first Python of 3.11 or newer on the PATH; override with PYTHON=/path/to/python
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)

# Students are not root: a Python in a folder of root's own is none for them.
OPEN_PYTHON = $(shell for p in $(PYTHON) /usr/bin/python3; do \
	runuser -u nobody -- $$(command -v $$p) -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' \
	2>/dev/null && echo $$p && break; done)

# What is installed depends on these files and on where the project lies: another content or
# another place gives another stamp, and the environment is built anew.
stamp = $(1)/ready-$(shell { cat $(2); pwd; } 2>/dev/null | cksum | cut -d' ' -f1)
STAMP := $(call stamp,.venv,requirements.txt requirements-d2l.txt)
OLDEST := $(call stamp,.venv-oldest,pyproject.toml requirements.txt requirements-d2l.txt tools/oldest.py)
COLAB := $(call stamp,.venv-colab,requirements-colab.txt)
BROWSER := .venv/browser-ready
SERVING := $(call stamp,.venv-hub,requirements.txt requirements-d2l.txt requirements-hub.txt)
HUB := .venv-hub/node_modules/.bin/configurable-http-proxy
DISTRIBUTING := .venv/dist-ready-$(shell cksum < requirements-dist.txt | cut -d' ' -f1)
CLASS := .venv-class/ready-$(shell cat requirements.txt requirements-class.txt 2>/dev/null | cksum | cut -d' ' -f1)
SITE := .venv-site/ready-$(shell cat requirements.txt requirements-site.txt 2>/dev/null | cksum | cut -d' ' -f1)
MAKING := .venv-make/ready-$(shell cksum < requirements-make.txt | cut -d' ' -f1)
JAVASCRIPT := tools/js/node_modules/ready
PY := .venv/bin/python
FIRST := notebooks/00_start_here.ipynb
PIP := pip install --quiet --disable-pip-version-check

# Every output of every chapter, one kernel on each core and one thread in each.
# Of a live figure the data are compared, not its code.
NBVAL := -q -n auto --dist loadfile --nbval --nbval-current-env \
	--nbval-cell-timeout 600 --nbval-kernel-startup-timeout 600 \
	--nbval-sanitize-with $(CURDIR)/tests/nbval_sanitize.cfg
# These tests have commands, and some of them environments, of their own.
APART := $(foreach folder,browser class colab dist hub site,--ignore tests/$(folder))
settings = IPYTHONDIR=$(CURDIR)/$(1)/ipython MPLCONFIGDIR=$(CURDIR)/$(1)/matplotlib OMP_NUM_THREADS=1

# Readers' own Jupyter, IPython and Python settings must not change what a chapter shows.
export JUPYTER_PREFER_ENV_PATH := 1
export JUPYTER_CONFIG_PATH := $(CURDIR)/.jupyter
unexport PYTHONPATH PYTHONHOME PYTHONSTARTUP MPLBACKEND D2LATTN_SPEC

.PHONY: help lab test fuzz test-oldest test-colab test-portable test-browser test-dist test-student test-assignment test-hub bench-browser hub refresh live bench slides student assignment words dist links clean gpt2 test-site site animation

help: ## show this list
	@echo "d2lattn: a textbook on attention in which every claim runs"
	@echo
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 24

# A live figure moves in a trusted notebook only; the book's own chapters are.
lab: export JUPYTER_DATA_DIR := $(CURDIR)/.venv/jupyter
lab: $(STAMP) ## open the book in JupyterLab (PORT=8888)
	@$(PY) -m jupyter trust notebooks/*.ipynb >/dev/null
	@flags="--port=$(PORT) --LabApp.default_url=/lab/tree/$(FIRST)"; \
	[ "$$(id -u)" = 0 ] && flags="$$flags --allow-root"; \
	if [ "$$(uname)" = Linux ] && [ -z "$$DISPLAY$$WAYLAND_DISPLAY" ]; then flags="$$flags --no-browser"; fi; \
	exec $(PY) -m jupyterlab $$flags

test: $(STAMP) $(JAVASCRIPT) ## check the style, the package and every chapter, output by output
	@$(PY) -m ruff check --quiet . && $(PY) -m ruff format --quiet --check .
	@$(call settings,.venv) $(PY) -m pytest $(NBVAL) --doctest-modules $(APART) \
		d2lattn tests notebooks

fuzz: $(STAMP) ## search with random numbers for what breaks the package (SEED=5 repeats a search)
	@$(call settings,.venv) $(PY) tools/fuzz.py $(SEED)

# torch and Python are those at hand: an older torch would be gigabytes to download.
test-oldest: $(OLDEST) ## the same on the lowest version of every range in pyproject.toml
	@$(call settings,.venv-oldest) .venv-oldest/bin/python -m pytest $(NBVAL) --doctest-modules \
		-m "not pins" $(APART) d2lattn tests notebooks

test-colab: $(COLAB) ## install a wheel beside what Colab has, as its first cell does, and run the book
	@rm -rf build/colab build/lib && mkdir -p build/colab
	@.venv-colab/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps -w build/colab .
	@$(call settings,.venv-colab) .venv-colab/bin/python -m pytest -q -p no:nbval tests/colab
	@cp -r notebooks build/colab && cd build/colab && \
	$(call settings,.venv-colab) $(CURDIR)/.venv-colab/bin/python -m pytest $(NBVAL) notebooks

# The kernels that torch and oneDNN would choose on an older processor round differently.
test-portable: $(STAMP) ## compare every chapter's outputs on older processors' kernels
	@for kernels in "default SSE41" "avx2 AVX2"; do \
		set -- $$kernels; \
		echo "torch with $$1 kernels, oneDNN with $$2"; \
		ATEN_CPU_CAPABILITY=$$1 ONEDNN_MAX_CPU_ISA=$$2 $(call settings,.venv) \
			$(PY) -m pytest $(NBVAL) notebooks || exit 1; \
	done

test-browser: $(BROWSER) ## open every chapter in JupyterLab in headless Chromium
	@$(call settings,.venv) $(PY) -m pytest -q -p no:nbval -m "not speed" $(AGAIN) tests/browser

bench-browser: $(BROWSER) ## measure how fast the live figures mount and follow a hand (idle machine)
	@$(call settings,.venv) $(PY) -m pytest -q -s -p no:nbval -m speed tests/browser

test-hub: $(HUB) ## start a JupyterHub with six students on this machine (root, Linux)
	@$(call settings,.venv-hub) .venv-hub/bin/python -m pytest -q -s -p no:nbval tests/hub

hub: $(HUB) ## serve a class from this machine (root, Linux; deploy/README.md)
	@cd deploy && PATH="$(CURDIR)/.venv-hub/bin:$$PATH" exec ../.venv-hub/bin/python -m jupyterhub

refresh: $(STAMP) ## run the chapters and store their outputs (CHAPTERS="01 02" for some)
	@$(call settings,.venv) $(PY) tools/notebooks.py refresh $(CHAPTERS)

live: $(STAMP) $(JAVASCRIPT) ## minify the code of the live figures, for the chapters too (needs node)
	@$(PY) tools/live_code.py

bench: $(STAMP) ## measure speed and memory, write benchmarks/RESULTS.md
	@$(PY) benchmarks/bench.py
	@for part in long learn scaling seeds; do $(PY) benchmarks/$$part.py >> benchmarks/RESULTS.md || exit 1; done

slides: $(STAMP) ## write the chapters as slides that open without network, into build/slides
	@$(PY) tools/slides.py

student: $(STAMP) ## write the chapters without solutions, into build/student
	@$(PY) tools/student.py

assignment: $(STAMP) ## write a chapter's exercises for nbgrader, into build/assignment (CHAPTER=03)
	@$(PY) tools/assignment.py "$(CHAPTER)"

test-assignment: $(CLASS) ## let nbgrader grade a right, a wrong and an empty submission (CHAPTER=03)
	@$(call settings,.venv) $(PY) -m pytest -q -p no:nbval tests/class

test-student: $(STAMP) ## run the student edition and compare its outputs
	@rm -rf build/student && $(PY) tools/student.py
	@$(call settings,.venv) $(PY) -m pytest $(NBVAL) build/student

words: $(STAMP) $(MAKING) ## train the word vectors again (with gensim, in an environment of its own)
	@mkdir -p build d2lattn/language/data
	@$(PY) tools/make_words.py corpus build/stories.txt
	@.venv-make/bin/python tools/make_words.py vectors build/stories.txt d2lattn/language/data/word_vectors.npz

site: $(SITE) ## write the book as a website that opens without network, into build/site
	@.venv-site/bin/python tools/website.py

test-site: site $(BROWSER) ## open every page of it in headless Chromium, from disk, without network
	@$(call settings,.venv) $(PY) -m pytest -q -p no:nbval tests/site

animation: $(BROWSER) ## record the README's animation of a live figure (needs chromium)
	@$(PY) tools/animation.py

dist: $(DISTRIBUTING) ## build wheel and sdist for a package index, into build/dist
	@$(PY) tools/dist.py

test-dist: $(DISTRIBUTING) ## build them, and install and import each in a clean environment
	@$(call settings,.venv) $(PY) -m pytest -q -p no:nbval tests/test_dist.py tests/dist

gpt2: $(STAMP) $(MAKING) ## make the reference for GPT-2's weights again, and test against transformers itself
	@.venv-make/bin/python tools/make_gpt2.py tests/gpt2_reference.npz
	@.venv-make/bin/python -m pytest -q tests/test_gpt2.py

links: $(STAMP) ## stamp the public address into the book (REPO=owner/name)
	@$(PY) tools/notebooks.py links "$(REPO)"

clean: ## remove the environment and everything that was built
	rm -rf .venv .venv-* build tools/js/node_modules .pytest_cache .hypothesis .ruff_cache *.egg-info
	find . -name __pycache__ -o -name .ipynb_checkpoints | xargs rm -rf

# $(call environment,folder,what pip installs,that without dependencies,another Python)
define environment
	@test -n "$(or $(4),$(PYTHON))" || { echo "d2lattn needs Python 3.11 or newer: install it, or name it with make PYTHON=/path/to/python"; exit 1; }
	@$(or $(4),$(PYTHON)) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { echo "d2lattn needs Python 3.11 or newer, and $(or $(4),$(PYTHON)) is not: install one, or name it with make PYTHON=/path/to/python"; exit 1; }
	@echo "setting up $(1) (once; a few minutes)"
	@rm -rf $(1)
	@$(or $(4),$(PYTHON)) -m venv $(1) || { echo "$(or $(4),$(PYTHON)) cannot make a virtual environment: on Debian and Ubuntu, apt install python3-venv"; exit 1; }
	@$(1)/bin/python -m $(PIP) $(2)
	$(if $(3),@$(1)/bin/python -m $(PIP) --no-deps $(3))
	@touch $@
endef

$(STAMP): requirements.txt requirements-d2l.txt
	$(call environment,.venv,-r requirements.txt,-r requirements-d2l.txt -e .)

$(OLDEST): pyproject.toml requirements.txt requirements-d2l.txt tools/oldest.py
	$(call environment,.venv-oldest,$$($(PYTHON) tools/oldest.py),-r requirements-d2l.txt -e .)

$(COLAB): requirements-colab.txt
	$(call environment,.venv-colab,-r requirements-colab.txt)

$(SERVING): requirements.txt requirements-d2l.txt requirements-hub.txt
	$(call environment,.venv-hub,-r requirements.txt -r requirements-hub.txt,-r requirements-d2l.txt .,$(OPEN_PYTHON))

$(HUB): $(SERVING)
	@npm install --prefix .venv-hub --no-audit --no-fund --silent configurable-http-proxy@5.3.0
	@touch $@

$(MAKING): $(STAMP) requirements-make.txt
	@rm -rf .venv-make
	@$(PY) -m venv .venv-make
	@.venv-make/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-make.txt
	@touch $(MAKING)

# nbgrader has many dependencies of its own; the kernel in which it grades is the book's.
$(CLASS): $(STAMP) requirements-class.txt
	@rm -rf .venv-class
	@$(PY) -m venv .venv-class
	@.venv-class/bin/python -m $(PIP) -r requirements-class.txt
	@$(PY) -m ipykernel install --prefix .venv-class --name python3 >/dev/null 2>&1
	@touch $@

# Sphinx reads the package's docstrings, so it must see the packages of the book; its own come first.
$(SITE): $(STAMP) requirements-site.txt
	@rm -rf .venv-site
	@$(PY) -m venv .venv-site
	@.venv-site/bin/python -m $(PIP) -r requirements-site.txt
	@places='import sysconfig; print(sysconfig.get_path("purelib"))'; \
	$(PY) -c "$$places" > "$$(.venv-site/bin/python -c "$$places")/book.pth"
	@touch $@

$(DISTRIBUTING): $(STAMP) requirements-dist.txt
	@$(PY) -m $(PIP) -r requirements-dist.txt
	@touch $@

$(BROWSER): $(STAMP) requirements-browser.txt
	@$(PY) -m $(PIP) -r requirements-browser.txt
	@touch $(BROWSER)

# What formats, checks and minifies the JavaScript of the live figures. Without it (no node, no
# network) only the tests that ask for it are skipped.
$(JAVASCRIPT): tools/js/package-lock.json
	@if command -v npm >/dev/null && npm ci --prefix tools/js --ignore-scripts --no-audit --no-fund --silent --fetch-retry-mintimeout=500; then touch $@; \
	else echo "the JavaScript is not checked: that needs node and, once, the network (npm ci --prefix tools/js)"; fi
