# `make` explains itself. Everything installs into .venv; the website, other people's libraries and
# kernels have .venv-site, .venv-libraries and .venv-kernel, other versions a folder such as
# .venv-oldest. Nothing else on the machine is touched.
# On Linux pip takes torch with CUDA, some gigabytes. For a processor alone, a tenth of that:
#     PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu make lab
.NOTPARALLEL:
# The first Python of 3.11 or newer on the PATH; override with PYTHON=/path/to/python
FITS := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c '$(FITS)' 2>/dev/null && echo $$p && break; done)

# An environment is a folder with a stamp, which depends on what is installed and on where the
# project lies: another content or another place gives another stamp, and it is built anew.
stamp = ready-$(shell { cat $(1); pwd; } 2>/dev/null | cksum | cut -d' ' -f1)
READY := $(call stamp,pyproject.toml requirements*.txt locks/*.txt tools/versions.py)
STAMP := .venv/$(READY)
TESTED := .venv$(VERSIONS:%=-%)/$(READY)$(if $(filter newest,$(VERSIONS)),-$(shell date +%G-%V))
ENVIRONMENTS := $(sort $(STAMP) $(TESTED)) $(foreach name,site libraries kernel,.venv-$(name)/$(READY))
JAVASCRIPT := tools/js/node_modules/$(call stamp,tools/js/package*.json)
TESTS := test $(addprefix test-,libraries kernel browser site student assignment dist device)
TOOLS := site print slides student assignment refresh tidy live experiments mutants links dist lock ready
.PHONY: help lab edit bench $(TESTS) test-all $(TOOLS) clean

# A command is listed if ## follows its name, under the ### before it.
help:
	@echo "d2lattn: a textbook on attention in which every claim runs"
	@awk -F ':.*## ' '/^### / { group = substr($$0, 5) } \
	/^[a-z-]+:.*## / { printf "%-9s make %-11s %s\n", group, $$1, $$2; group = "" }' Makefile

# The commands, and what each needs: first of all its environment.
### read
lab: $(STAMP) ## open your copy in JupyterLab (PORT=8888, RESET=03 for a new chapter 3)
test: $(TESTED) $(JAVASCRIPT) ## check style, package and chapters (VERSIONS=oldest, newest or colab)
site: .venv-site/$(READY) ## write the book as a website that opens without network, into build/site
print: .venv-site/$(READY) $(STAMP)-more site ## write the book as one PDF into build (needs Chromium)
### teach
slides: $(STAMP) ## write a deck for a room from each chapter, into build/slides
student: $(STAMP) ## write the chapters without solutions, into build/student
assignment: $(STAMP) ## write exercises for nbgrader, into build/assignment (CHAPTER=03)
### maintain
edit: $(STAMP) ## open the book itself in JupyterLab, to change it
refresh: $(if $(filter 92,$(CHAPTERS)),.venv-kernel/$(READY),$(STAMP)) ## run chapters, store what is new (CHAPTERS="01 02" for some, ANEW=1)
tidy: $(STAMP) ## bring what JupyterLab saved into form, and run nothing (CHAPTERS=03)
live: $(STAMP)-more $(JAVASCRIPT) ## bundle the code of live figures, and take their pictures (node, Chromium)
experiments: $(STAMP) ## name the experiments whose rows are stale (EXPERIMENT=name repeats one)
test-all: $(TESTS) experiments ## run every test there is; each is a command, too
clean: ## remove the environments and everything that was built

# Rarely wanted, so not listed. `make -k test-all` goes on after a failure.
test-libraries: .venv-libraries/$(READY) # transformers beside our parts, and what the calls of others do (NEW=1 asks anew)
test-kernel: .venv-kernel/$(READY) # appendix 92 and its kernels in Triton's interpreter (Linux)
test-browser: $(STAMP)-more # every chapter in JupyterLab, and every deck, in headless Chromium
test-site: $(STAMP)-more print # every page from disk, without network; then on paper
test-student: $(STAMP) # the student edition runs, and its outputs are the book's
test-assignment: $(STAMP) .venv-site/$(READY) # nbgrader grades a right, wrong and empty one (CHAPTER=03)
test-dist: $(STAMP)-more # wheel and sdist, each installed and imported in a clean environment
test-device: $(STAMP) # every cell with a GPU as the default, and the package there
bench: $(STAMP) # measure, and write benchmarks/RESULTS.md (PART=engines for one part)
mutants: $(STAMP)-more # mutmut: would tests see a slip? (IN="d2lattn.masks*")
links: .venv-site/$(READY) # Sphinx asks whether the pages that the website names answer (network)
dist: $(STAMP)-more # wheel and sdist for a package index, into build/dist
lock: $(STAMP)-more # locks/: the hashes of all that pip installs, as in requirements.txt (NEWEST=1)
ready: $(STAMP) $(JAVASCRIPT) # only the set-up, before somebody looks: a codespace

# What they do, in the environment of the first thing that they need: there readers' own Jupyter,
# IPython and Python settings cannot change what a chapter shows.
export JUPYTER_PREFER_ENV_PATH := 1
export JUPYTER_CONFIG_PATH := $(CURDIR)/.jupyter
unexport PYTHONPATH PYTHONHOME PYTHONSTARTUP MPLBACKEND D2LATTN_SPEC
HERE = $(CURDIR)/$(firstword $(subst /, ,$<))
PY = "$(HERE)/bin/python"
APART = IPYTHONDIR="$(HERE)/ipython" MPLCONFIGDIR="$(HERE)/matplotlib"
# Kernels know when they are defined who will run them.
test-kernel refresh: export TRITON_INTERPRET := 1
# A live figure moves in a trusted notebook only: tools/working_copy.py says which copies are.
lab: export D2LATTN_SOLVED := $(CURDIR)/work/solved.json
lab edit ready: export JUPYTER_DATA_DIR := $(CURDIR)/.venv/jupyter
lab edit:
	@exec env $(APART) $(PY) tools/open_lab.py $@ --port $(or $(PORT),8888) --reset "$(RESET)"
clean:
	rm -rf .venv .venv-* build mutants tools/*/node_modules .pytest_cache .hypothesis .ruff_cache *.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} + -o -name .ipynb_checkpoints -prune -exec rm -rf {} +
# A tool has the command's name, or it stands here with what it is told.
site := -m website.build && .venv/bin/python tools/slides.py build/site/slides >/dev/null
print := -m website.pdf
assignment = tools/assignment.py "$(CHAPTER)"
refresh = tools/refresh.py refresh $(if $(ANEW),--anew) $(CHAPTERS)
tidy = tools/refresh.py tidy $(CHAPTERS)
live := tools/live_code.py && $(APART) .venv/bin/python tools/stills.py
experiments = experiments/harness/repeat.py $(EXPERIMENT)
links := -m website.build --ask
mutants = -m mutmut run $(IN:%="%")
ready := tools/working_copy.py
$(TOOLS):
	@$(APART) OMP_NUM_THREADS=1 $(PY) $(or $($@),tools/$@.py)
bench:
	@$(APART) $(PY) benchmarks/bench.py $(PART)

# Every output of every chapter, but of a live figure its data alone. Files are taken in the order of
# the command: the chapters first, which take longest, lest the others wait for one in the end.
PYTEST = $(APART) OMP_NUM_THREADS=1 $(PY) -m pytest -q
NBVAL := -n auto --dist loadfile --no-loadscope-reorder --nbval --nbval-current-env \
	--nbval-cell-timeout 600 --nbval-kernel-startup-timeout 600 \
	--nbval-sanitize-with "$(CURDIR)/tests/nbval_sanitize.cfg"
OTHERS := $(foreach folder,assignment browser colab device dist libraries site,--ignore tests/$(folder))
ALL := $(if $(filter colab,$(VERSIONS)),tests/colab notebooks,--doctest-modules $(OTHERS) notebooks tests d2lattn d2lattn_book)
# What pytest is given, unless it is the folder of that name, and what comes before.
test := $(NBVAL) $(if $(VERSIONS),-m "not pins") $(or $(CHAPTERS:%=notebooks/%_*),$(ALL))
test-kernel = $(NBVAL) --doctest-modules notebooks/92_a_kernel_to_read.ipynb tests/kernel d2lattn_book/kernels
test-browser = -p no:nbval -n 2 --dist worksteal $(AGAIN) tests/browser
test-student := $(NBVAL) build/student
test-device := -p no:nbval -m gpu tests/device tests/test_gpu.py tests/test_kernel_on_a_gpu.py
before-test = $(if $(VERSIONS),,$(PY) -m ruff check --quiet . && $(PY) -m ruff format --quiet --check . && \
	echo "appendix 92 and its kernels are not run here, they want triton: make test-kernel" &&)
before-test-libraries = $(PY) tools/make_references.py &&
before-test-student = rm -rf build/student && $(PY) tools/student.py &&
$(TESTS):
	@$(before-$@) $(PYTEST) $(or $($@),-p no:nbval tests/$(@:test-%=%))

# The environments: what is locked by hash, torch by version (tools/lock.py says why), then the book.
PIP = $(@D)/bin/python -m pip install --quiet --disable-pip-version-check
HASHED = $(PIP) --require-hashes -r locks/$(1).txt
BOOK = $(PIP) --no-deps --no-build-isolation -e .; $(PIP) --require-hashes --no-deps -r locks/alone.txt
.venv = $(call HASHED,book); $(PIP) -c requirements.txt torch; $(BOOK)
.venv-kernel = $(.venv); $(PIP) --no-deps -c requirements.txt triton
.venv-libraries = $(PIP) --no-deps -c requirements.txt torch; $(call HASHED,libraries); $(BOOK)
.venv-oldest = $(PIP) "setuptools>=77" $$("$(PYTHON)" tools/versions.py $(VERSIONS)); $(BOOK)
.venv-newest = $(.venv-oldest)
# The first cell of a chapter adds the book to what Colab has; it runs where it does not see this folder.
SET_UP = import json; cells = json.load(open("../notebooks/00_start_here.ipynb", encoding="utf-8"))["cells"]; \
	exec("".join(next(c for c in cells if "setup" in c["metadata"].get("tags", []))["source"]))
.venv-colab = $(PIP) -r locks/colab.txt; .venv-colab/bin/pip list --format freeze > .venv-colab/before.txt; \
	rm -rf build/lib; cd build; D2LATTN_SPEC="..[book]" ../.venv-colab/bin/python -c '$(SET_UP)'
# Sphinx and nbgrader. Sphinx reads the package's docstrings, so it must see the packages of the book;
# its own come first. The kernel in which nbgrader grades is the book's.
.venv-site = $(call HASHED,site); place="import sysconfig; print(sysconfig.get_path(\"purelib\"))"; \
	.venv/bin/python -c "$$place" > "$$(.venv-site/bin/python -c "$$place")/book.pth"; \
	.venv/bin/python -m ipykernel install --prefix .venv-site --name python3 >/dev/null 2>&1
MADE_BY = $(if $(filter %site,$(@D)),.venv/bin/python,$(PYTHON))
.venv-site/$(READY): $(STAMP)
$(ENVIRONMENTS):
	@p="$(MADE_BY)"; "$$p" -c '$(FITS)' 2>/dev/null || { p="$${p:+, and $$p is not}"; echo "d2lattn needs" \
	"Python 3.11 or newer$$p: install one, or name it with make PYTHON=/path/to/python"; exit 1; }
	@echo "setting up $(@D) (once; a few minutes)"; rm -rf $(@D); mkdir -p build; "$(MADE_BY)" -m venv $(@D) || \
	{ echo "$(MADE_BY) cannot make a virtual environment: on Debian and Ubuntu, apt install python3-venv"; exit 1; }
	@set -e; $($(@D))
	@touch $@
$(STAMP)-%: $(STAMP)
	@$(call HASHED,$*)
	@touch $@
# What formats, checks and minifies the JavaScript of the live figures, and what changes it. Without
# it (no node, no network) the tests that ask for it are skipped.
$(JAVASCRIPT):
	@command -v npm >/dev/null && npm ci --prefix tools/js --ignore-scripts --no-audit --no-fund --silent && touch $@ || \
	echo "the JavaScript is not checked: that needs node and, once, the network (npm ci --prefix tools/js)"
