"""The package as a whole: what importing it costs and changes, and what its names promise."""

import inspect
import json
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import d2lattn

ROOT = Path(d2lattn.__file__).parent.parent
PAGE = Path(__file__).with_name("interface.txt")


def of_the_book():
    """{name: value} of the functions and classes of d2lattn_book that the page promises."""
    names = re.findall(r"^(d2lattn_book\.[\w.]+)\(", PAGE.read_text(encoding="utf-8"), re.M)
    parents = {name: pkgutil.resolve_name(name.rpartition(".")[0]) for name in names}
    of_modules = {name: parent for name, parent in parents.items() if inspect.ismodule(parent)}
    return {name: getattr(of_modules[name], name.rpartition(".")[2]) for name in of_modules}


PUBLIC = {
    f"d2lattn.{name}": getattr(d2lattn, name)
    for name in d2lattn.__all__
    if name != "RMSNorm"  # which is torch's
} | of_the_book()

# What a fresh Python says about itself before and after `import d2lattn`, in JSON.
REPORT = """
import json, os, random, sys, warnings
import torch
state = lambda: [
    torch.get_rng_state().tolist(), hash(random.getstate()), repr(torch.get_default_dtype()),
    torch.get_num_threads(), torch.is_grad_enabled(), repr(warnings.filters), dict(os.environ),
]
warnings.simplefilter("error")
modules, before = set(sys.modules), state()
import d2lattn
print(json.dumps([sorted(set(sys.modules) - modules), before == state()]))
"""


@pytest.fixture(scope="module")
def imported():
    """(modules that d2lattn imports beyond torch's, whether global state is as before)"""
    command = [sys.executable, "-c", REPORT]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_import_loads_torch_and_nothing_heavier_and_changes_no_global_state(imported):
    """Counted, not timed: modules of d2lattn itself and at most a few of Python's or torch's."""
    modules, unchanged = imported
    own = [name for name in modules if name.partition(".")[0] == "d2lattn"]
    others = [name for name in modules if name not in own]
    assert {name.partition(".")[0] for name in others} <= {"torch", *sys.stdlib_module_names}
    assert len(others) <= 10 and len(own) <= 24
    assert unchanged


def test_figures_and_controls_change_no_global_style():
    program = """
import matplotlib
before = dict(matplotlib.rcParams)
import d2lattn_book.pictures.plots, d2lattn_book.exercises
assert dict(matplotlib.rcParams) == before
"""
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)


OF_FIGURES = ("Controls", "Figure")  # what their functions give and share


@pytest.mark.parametrize("name", [name for name in PUBLIC if not name.endswith(OF_FIGURES)])
def test_a_public_name_has_a_docstring_with_an_example(name):
    text = inspect.getdoc(PUBLIC[name])
    first, _, rest = text.partition("\n")
    assert first.endswith((".", ":"))
    assert "Example:" in rest
    example = rest.partition("Example:")[2]
    assert ">>> " in example
    assert len(example.strip().splitlines()) <= 8  # six lines of code and what they print


def test_default_device_prefers_cuda_then_mps_then_cpu(monkeypatch):
    for cuda, mps, wanted in [
        (True, True, "cuda"),
        (True, False, "cuda"),
        (False, True, "mps"),
        (False, False, "cpu"),
    ]:
        monkeypatch.setattr(torch.cuda, "is_available", lambda cuda=cuda: cuda)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda mps=mps: mps)
        assert d2lattn.default_device() == torch.device(wanted)
