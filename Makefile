# `make` explains itself. Everything installs into .venv, and what must be told apart from it into
# folders beside it, .venv-oldest, .venv-colab and so on; nothing else on the machine is touched.
.DEFAULT_GOAL := help
.NOTPARALLEL:
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
LOCK := pyproject.toml requirements.txt requirements-d2l.txt $(sort $(wildcard locks/*.txt))
stamp = $(1)/ready-$(shell { cat $(2); pwd; } 2>/dev/null | cksum | cut -d' ' -f1)
STAMP := $(call stamp,.venv,$(LOCK))
OLDEST := $(call stamp,.venv-oldest,$(LOCK) tools/versions.py)
NEWEST := .venv-newest/ready-$(shell date +%G-%V)
COLAB := $(call stamp,.venv-colab,requirements-colab.txt)
SERVING := $(call stamp,.venv-hub,$(LOCK))
HUB := .venv-hub/node_modules/ready
CLASS := $(call stamp,.venv-class,$(LOCK))
SITE := $(call stamp,.venv-site,$(LOCK))
LITE := $(call stamp,.venv-lite,$(LOCK))
MAKING := $(call stamp,.venv-make,$(LOCK))
BROWSER := .venv/browser-ready
DISTRIBUTING := .venv/dist-ready
MUTATING := .venv/mutants-ready
JAVASCRIPT := tools/js/node_modules/ready
STRYKER := tools/stryker/node_modules/ready
PY := .venv/bin/python
PIP := -m pip install --quiet --disable-pip-version-check
# What is locked comes by hash, torch by version (tools/lock.py says why), then the book itself.
HASHED = $(PIP) --require-hashes -r locks/$(1).txt
TORCH_AT := $(PIP) -c requirements.txt torch
ITSELF := $(PIP) --no-deps --no-build-isolation
D2L := $(PIP) --require-hashes --no-deps -r requirements-d2l.txt
# $(call installed,python,lock,how): a lock, torch and the book by a Python; -e . to edit it.
installed = $(1) $(call HASHED,$(2)); $(1) $(TORCH_AT); $(1) $(ITSELF) $(3)

# Every output of every chapter, one kernel on each core and one thread in each.
# Of a live figure the data are compared, not its code. Files are taken in the order of the command:
# the chapters first, which take longest, lest one of them keeps the others waiting in the end.
NBVAL := -q -n auto --dist loadfile --no-loadscope-reorder --nbval --nbval-current-env \
	--nbval-cell-timeout 600 --nbval-kernel-startup-timeout 600 \
	--nbval-sanitize-with "$(CURDIR)/tests/nbval_sanitize.cfg"
# These tests have commands, and some of them environments, of their own.
APART := $(foreach folder,browser class colab device dist hub lite site,--ignore tests/$(folder))
TESTS := test test-oldest test-newest test-portable test-colab test-browser test-site test-student \
	test-assignment test-dist test-lite test-device
settings = IPYTHONDIR="$(CURDIR)/$(1)/ipython" MPLCONFIGDIR="$(CURDIR)/$(1)/matplotlib" OMP_NUM_THREADS=1
apart = $(call settings,$(1)) $(1)/bin/python -m pytest -q -p no:nbval

# $(call jupyterlab,folder): JupyterLab, open at the first chapter in this folder
define jupyterlab
flags="--port=$(PORT) --LabApp.default_url=/lab/tree/$(1)/00_start_here.ipynb"; \
	[ "$$(id -u)" = 0 ] && flags="$$flags --allow-root"; \
	if [ "$$(uname)" = Linux ] && [ -z "$$DISPLAY$$WAYLAND_DISPLAY" ]; then flags="$$flags --no-browser"; fi; \
	exec $(PY) -m jupyterlab $$flags
endef

# Readers' own Jupyter, IPython and Python settings must not change what a chapter shows.
export JUPYTER_PREFER_ENV_PATH := 1
export JUPYTER_CONFIG_PATH := $(CURDIR)/.jupyter
unexport PYTHONPATH PYTHONHOME PYTHONSTARTUP MPLBACKEND D2LATTN_SPEC

.PHONY: help lab edit $(TESTS) test-all fuzz mutants mutants-js test-hub site pdf epub lite slides student assignment hub refresh \
	live bench experiments bench-browser bench-hub dist lock ready clean .venv-make

# A command is listed if ## follows its name, under the ### before it.
help:
	@echo "d2lattn: a textbook on attention in which every claim runs"
	@awk -F ':.*## ' '/^### / { group = substr($$0, 5) } \
	/^[a-z-]+:.*## / { printf "%-9s make %-11s %s\n", group, $$1, $$2; group = "" }' Makefile

### read

# A live figure moves in a trusted notebook only; the book's own chapters and their copies are.
lab: export D2LATTN_PROGRESS := 1
lab: export D2LATTN_SOLVED := $(CURDIR)/work/solved.json
lab edit: export JUPYTER_DATA_DIR := $(CURDIR)/.venv/jupyter
lab: $(STAMP) ## open your copy in JupyterLab (PORT=8888, RESET=03 for a new chapter 3)
	@$(PY) tools/working_copy.py $(RESET)
	@$(call jupyterlab,work)

test: $(STAMP) $(JAVASCRIPT) ## check the style, the package and every chapter, output by output
	@$(PY) -m ruff check --quiet . && $(PY) -m ruff format --quiet --check .
	@$(call settings,.venv) $(PY) -m pytest $(NBVAL) --doctest-modules $(APART) \
		notebooks tests d2lattn

site: $(SITE) ## write the book as a website that opens without network, into build/site
	@.venv-site/bin/python tools/website.py && $(PY) tools/slides.py build/site/slides >/dev/null

pdf: $(BROWSER) site epub ## write the book as one PDF, and as an EPUB, into build (needs Chromium)
	@$(PY) tools/printed.py

epub: $(SITE)
	@.venv-site/bin/python tools/ebook.py

# Chapters 0 to 4 in a browser tab (TORCH_WHEEL=address TORCH_SHA256=hash), into build/lite.
lite: $(LITE) dist
	@.venv-lite/bin/python tools/lite.py "$(TORCH_WHEEL)" "$(TORCH_SHA256)"

### teach

slides: $(STAMP) ## write a deck for a room from each chapter, into build/slides (ALL=1: ⊕)
	@$(PY) tools/slides.py

student: $(STAMP) ## write the chapters without solutions, into build/student
	@$(PY) tools/student.py

assignment: $(STAMP) ## write exercises for nbgrader, into build/assignment (CHAPTER=03)
	@$(PY) tools/assignment.py "$(CHAPTER)"

hub: $(HUB) ## serve a class from this machine (root, Linux; deploy/README.md)
	@cd deploy && PATH="$(CURDIR)/.venv-hub/bin:$$PATH" exec ../.venv-hub/bin/python -m jupyterhub

### maintain

edit: $(STAMP) ## open the book itself in JupyterLab, to change it
	@$(PY) -m jupyter trust notebooks/*.ipynb >/dev/null
	@$(call jupyterlab,notebooks)

refresh: $(STAMP) ## run the chapters and store their outputs (CHAPTERS="01 02" for some)
	@$(call settings,.venv) $(PY) tools/notebooks.py refresh $(CHAPTERS)

live: $(STAMP) $(JAVASCRIPT) ## minify the code of the live figures, for the chapters too (needs node)
	@$(PY) tools/live_code.py

bench: $(STAMP) ## measure, and write benchmarks/RESULTS.md (PART=long for one part)
	@$(PY) benchmarks/bench.py $(PART)

experiments: $(STAMP) ## repeat what the pages conclude from training (EXPERIMENT=name for one)
	@$(call settings,.venv) $(PY) benchmarks/repeat.py $(EXPERIMENT)

fuzz: $(STAMP) ## search with random numbers for what breaks the package (SEED=5 repeats)
	@$(call settings,.venv) $(PY) tools/fuzz.py $(SEED)

# `make -k test-all` goes on after a failure; a class server asks for root and has its own command.
test-all: $(TESTS) ## run every test there is; each is a command, too

clean: ## remove the environments and everything that was built
	rm -rf .venv .venv-* build tools/js/node_modules tools/stryker/node_modules .pytest_cache .hypothesis .ruff_cache *.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} + -o -name .ipynb_checkpoints -prune -exec rm -rf {} +

# The tests one by one, and what is rarely wanted ---------------------------------------------------

# On the lowest version of every range in pyproject.toml. torch and Python are those at hand: an
# older torch would be gigabytes to download.
test-oldest: $(OLDEST)
	@$(call settings,.venv-oldest) .venv-oldest/bin/python -m pytest $(NBVAL) --doctest-modules \
		-m "not pins" $(APART) notebooks tests d2lattn

# On the newest version of every range that pip finds this week, torch aside (TORCH=2.14.1).
test-newest: $(NEWEST)
	@.venv-newest/bin/python -m pip freeze | grep -E "^(torch|numpy|matplotlib|jupyterlab)==" || true
	@$(call settings,.venv-newest) .venv-newest/bin/python -m pytest $(NBVAL) --doctest-modules \
		-m "not pins" $(APART) notebooks tests d2lattn

# A wheel beside what Colab has, installed as a chapter's first cell does, and the book from it.
test-colab: $(COLAB)
	@rm -rf build/colab build/lib && mkdir -p build/colab
	@.venv-colab/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps -w build/colab .
	@$(call settings,.venv-colab) .venv-colab/bin/python -m pytest -q -p no:nbval tests/colab
	@cp -r notebooks build/colab && cd build/colab && \
	$(call settings,.venv-colab) "$(CURDIR)/.venv-colab/bin/python" -m pytest $(NBVAL) notebooks

# The kernels that torch and oneDNN would choose on an older processor round differently.
test-portable: $(STAMP)
	@for kernels in "default SSE41" "avx2 AVX2"; do \
		set -- $$kernels; \
		echo "torch with $$1 kernels, oneDNN with $$2"; \
		ATEN_CPU_CAPABILITY=$$1 ONEDNN_MAX_CPU_ISA=$$2 $(call settings,.venv) \
			$(PY) -m pytest $(NBVAL) notebooks || exit 1; \
	done

# The student edition runs, and its outputs are the book's.
test-student: $(STAMP)
	@rm -rf build/student && $(PY) tools/student.py
	@$(call settings,.venv) $(PY) -m pytest $(NBVAL) build/student

# Every chapter in JupyterLab, and every deck of slides, in headless Chromium: two at a time.
test-browser: $(BROWSER)
	@$(call apart,.venv) -n 2 --dist worksteal -m "not speed" $(AGAIN) tests/browser
# Every page of the website, from disk, without network; then the book on paper and as an EPUB.
test-site: pdf
	@$(call apart,.venv) tests/site
# nbgrader grades a right, a wrong and an empty submission (CHAPTER=03).
test-assignment: $(CLASS)
	@$(call apart,.venv) tests/class
# Wheel and sdist, each installed and imported in a clean environment.
test-dist: $(DISTRIBUTING)
	@$(call apart,.venv) tests/test_dist.py tests/dist
# The chapters in a browser tab start their Python there, with the network off.
test-lite: lite $(BROWSER)
	@$(call apart,.venv) tests/lite
# Every chapter's cells with a GPU, or a pretended one, as torch's default device (build/device.md).
test-device: $(STAMP)
	@$(call apart,.venv) tests/device
# A JupyterHub with six students on this machine (root, Linux).
test-hub: $(HUB)
	@$(call apart,.venv-hub) -s tests/hub

# How fast the live figures mount and follow a hand (idle machine), and what a class needs.
bench-browser: $(BROWSER)
	@$(call settings,.venv) $(PY) benchmarks/bench.py browser
bench-hub: $(HUB)
	@$(call settings,.venv-hub) .venv-hub/bin/python benchmarks/bench.py hub

# Wheel and sdist for a package index, into build/dist.
dist: $(DISTRIBUTING)
	@$(PY) tools/dist.py

# locks/: the hashes of everything that pip installs, at the versions of requirements.txt (NEWEST=1).
lock: $(DISTRIBUTING)
	@PATH="$(CURDIR)/.venv/bin:$$PATH" $(PY) tools/lock.py

# Only the set-up, before somebody looks: a codespace.
ready: $(STAMP) $(JAVASCRIPT)
	@$(PY) tools/working_copy.py

# Where tools/make_words.py and tools/make_gpt2.py run.
.venv-make: $(MAKING)

# Would the tests see a slip? The package is changed in 225 places, one at a time (SEED=5 NUMBER=60).
mutants: $(MUTATING)
	@$(call settings,.venv) $(PY) tools/mutants.py "$(SEED)" "$(NUMBER)"

# Slips in the live figures' numbers that no test sees (SEED=5 NUMBER=100), of which some are argued
# in tests/equivalent_js.md. A search that was stopped goes on.
mutants-js: $(STAMP) $(STRYKER)
	@$(call settings,.venv) $(PY) tools/mutants_js.py "$(SEED)" "$(NUMBER)"

# The environments ---------------------------------------------------------------------------------

# $(call environment,folder,what is done in it,another Python)
define environment
	@test -n "$(or $(3),$(PYTHON))" || { echo "$(OLD): install it, or name it with $(NAMING)"; exit 1; }
	@$(or $(3),$(PYTHON)) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	{ echo "$(OLD), and $(or $(3),$(PYTHON)) is not: install one, or name it with $(NAMING)"; exit 1; }
	@$(PYTHON) tools/once.py $@ 'echo "setting up $(1) (once; a few minutes)"; rm -rf $(1); \
	$(or $(3),$(PYTHON)) -m venv $(1) || { echo "$(or $(3),$(PYTHON)) $(NO_VENV)"; exit 1; }; \
	$(2)'
endef
OLD := d2lattn needs Python 3.11 or newer
NAMING := make PYTHON=/path/to/python
NO_VENV := cannot make a virtual environment: on Debian and Ubuntu, apt install python3-venv

$(STAMP):
	$(call environment,.venv,$(call installed,$(PY),book,-e .); $(PY) $(D2L))

$(OLDEST):
	$(call environment,.venv-oldest,.venv-oldest/bin/python $(PIP) $$($(PYTHON) tools/versions.py oldest); \
	.venv-oldest/bin/python $(D2L); .venv-oldest/bin/python $(PIP) --no-deps -e .)

$(NEWEST):
	$(call environment,.venv-newest,.venv-newest/bin/python $(PIP) --upgrade $$($(PYTHON) tools/versions.py newest); \
	.venv-newest/bin/python $(D2L); .venv-newest/bin/python $(PIP) --no-deps -e .)

$(COLAB):
	$(call environment,.venv-colab,.venv-colab/bin/python $(PIP) -r requirements-colab.txt)

$(SERVING):
	$(call environment,.venv-hub,$(call installed,.venv-hub/bin/python,hub,.); .venv-hub/bin/python $(D2L),$(OPEN_PYTHON))

$(HUB): $(SERVING) deploy/proxy/package-lock.json
	@cp deploy/proxy/package*.json .venv-hub && npm ci --prefix .venv-hub --ignore-scripts --no-audit --no-fund --silent
	@touch $@

# nbgrader has many dependencies of its own; the kernel in which it grades is the book's.
$(CLASS): $(STAMP)
	$(call environment,.venv-class,.venv-class/bin/python $(call HASHED,class); \
	$(PY) -m ipykernel install --prefix .venv-class --name python3 >/dev/null 2>&1,$(PY))

# Sphinx reads the package's docstrings, so it must see the packages of the book; its own come first.
$(SITE): $(STAMP)
	$(call environment,.venv-site,.venv-site/bin/python $(call HASHED,site); \
	place="import sysconfig; print(sysconfig.get_path(\"purelib\"))"; \
	$(PY) -c "$$place" > "$$(.venv-site/bin/python -c "$$place")/book.pth",$(PY))

$(LITE):
	$(call environment,.venv-lite,.venv-lite/bin/python $(call HASHED,lite))

$(MAKING):
	$(call environment,.venv-make,$(call installed,.venv-make/bin/python,make,-e .))

$(BROWSER): $(STAMP)
	@$(PYTHON) tools/once.py $@ '$(PY) $(call HASHED,browser)'

$(MUTATING): $(STAMP)
	@$(PYTHON) tools/once.py $@ '$(PY) $(call HASHED,mutants)'

$(DISTRIBUTING): $(STAMP)
	@$(PYTHON) tools/once.py $@ '$(PY) $(call HASHED,dist)'

# What formats, checks and minifies the JavaScript of the live figures. Without it (no node, no
# network) only the tests that ask for it are skipped.
$(JAVASCRIPT): tools/js/package-lock.json
	@if command -v npm >/dev/null && npm ci --prefix tools/js --ignore-scripts --no-audit --no-fund --silent --fetch-retry-mintimeout=500; then touch $@; \
	else echo "the JavaScript is not checked: that needs node and, once, the network (npm ci --prefix tools/js)"; fi

# Stryker's mutators, for make mutants-js alone.
$(STRYKER): tools/stryker/package-lock.json
	@npm ci --prefix tools/stryker --ignore-scripts --no-audit --no-fund --silent && touch $@
