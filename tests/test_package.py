"""The package as a whole: what importing it costs and changes, and what its names promise."""

import importlib
import inspect
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import d2lattn
import d2lattn_book
from d2lattn_book.real import edits

ROOT = Path(d2lattn.__file__).parent.parent
# Names of DESIGN.md that are not at the top of the package, because their module is heavier.
ELSEWHERE = {
    "d2lattn_book.real": ["from_llama", "load", "tokens", "trace"],
    "d2lattn_book.real.edits": edits.__all__,
    "d2lattn_book.cards": ["cache_bytes"],
    "d2lattn_book.kernels": ["attention"],
    "d2lattn_book.pictures": ["maps"],
    "d2lattn_book.pictures.plots": ["heatmap", "heatmaps", "columns", "describe", "flow", "lines"],
    "d2lattn_book.pictures.interact": ["controls"],
    "d2lattn_book.language.stories": ["pronouns", "stories"],
    "d2lattn_book.language.words": [
        "analogy",
        "least_loss",
        "places",
        "sentences",
        "vocabulary",
        "word_vectors",
    ],
    "d2lattn_book.language.next_word": ["NextWord", "teach", "train"],
    "d2lattn_book.language.own_text": ["count", "read", "split", "stored_run"],
    "d2lattn_book.language.spelling": ["pronunciations", "split"],
    "d2lattn_book.language.encoder_decoder": [
        "GRUEncoderDecoder",
        "TransformerEncoderDecoder",
        "additive_scores",
        "letters_of",
        "sounds_of",
        "spoken",
        "train",
        "trained",
    ],
    "d2lattn_book.exercises": ["check", "verdict"],
    "d2lattn_book.cluster": ["both_cost", "heads_cost", "ring_cost"],
    "d2lattn_book.launch": ["on_ranks"],
}
PUBLIC = {
    f"d2lattn.{name}": getattr(d2lattn, name)
    for name in d2lattn.__all__
    if name != "RMSNorm"  # which is torch's
} | {
    f"{module}.{name}": getattr(importlib.import_module(module), name)
    for module, names in ELSEWHERE.items()
    for name in names
}

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


def test_import_loads_torch_and_nothing_heavier(imported):
    """Counted, not timed: modules of d2lattn itself and at most a few of Python's or torch's."""
    modules, _ = imported
    own = [name for name in modules if name.partition(".")[0] == "d2lattn"]
    others = [name for name in modules if name not in own]
    assert {name.partition(".")[0] for name in others} <= {"torch", *sys.stdlib_module_names}
    assert len(others) <= 10
    assert len(own) <= 24


def test_import_changes_no_global_state(imported):
    _, unchanged = imported
    assert unchanged


def test_figures_and_controls_change_no_global_style():
    program = """
import matplotlib
before = dict(matplotlib.rcParams)
import d2lattn_book.pictures.plots, d2lattn_book.pictures.interact, d2lattn_book.exercises
assert dict(matplotlib.rcParams) == before
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "MPLBACKEND": "Agg"},
    )
    assert done.returncode == 0, done.stderr


def test_everything_that_is_offered_is_there():
    assert len(set(d2lattn.__all__)) == len(d2lattn.__all__)
    required = {
        "SelfAttention",
        "attention",
        "attention_scores",
        "attention_weights",
        "causal_mask",
        "default_device",
        "length_mask",
        "masked_softmax",
        "window_mask",
    }
    assert required <= set(d2lattn.__all__)


@pytest.mark.parametrize("name", PUBLIC)
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


def test_a_tensor_can_be_made_on_the_default_device():
    assert torch.zeros(1, device=d2lattn.default_device()).item() == 0


def test_check_is_that_of_the_exercises(capsys):
    d2lattn_book.check("1.1", None)
    assert capsys.readouterr().out == "1.1: not attempted yet\n"


def test_the_version_is_that_of_the_project():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'\nversion = "{d2lattn.__version__}"\n' in project


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """(a copy of the project with data files of several kinds added, its wheel installed)"""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("target")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for package in ("d2lattn", "d2lattn_book"):
        shutil.copytree(ROOT / package, source / package)
    compiled = "__pycache__/left_behind.pyc"
    for name in ("figure.js", "words.json", "deep/er/vectors.npy", "no_suffix", compiled):
        path = source / "d2lattn_book" / "planted" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    build = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", target, source]
    subprocess.run([*pip, *build], check=True)
    (built,) = target.glob("*.whl")
    subprocess.run(
        [*pip, "install", "--no-deps", "--no-compile", "--target", target, built], check=True
    )
    return source, target


def files(folder):
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_carries_every_file(wheel):
    source, installed = wheel
    for package in ("d2lattn", "d2lattn_book"):
        assert len(files(source / package)) > 20
        assert files(installed / package) == files(source / package)
    assert not list(installed.rglob("*.pyc"))


def test_the_wheel_can_be_imported_and_finds_its_files(wheel):
    _, installed = wheel
    program = """
import importlib.resources
import d2lattn, d2lattn_book.exercises, d2lattn_book.pictures.plots
print(d2lattn.__file__)
print((importlib.resources.files("d2lattn_book") / "planted" / "words.json").read_text())
d2lattn_book.check("1.2", lambda X: X @ X.T @ X)  # a mistake is made of the source of a solution
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=installed,
        env={**os.environ, "PYTHONPATH": str(installed)},
    )
    assert done.stdout.splitlines() == [
        str(installed / "d2lattn" / "__init__.py"),
        "words.json",
        "1.2: not yet: You multiplied the scores by X. Apply the softmax to the scores first.",
    ], done.stderr
