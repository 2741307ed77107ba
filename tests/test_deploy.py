"""What serves the book elsewhere than `make lab`: a class server, a codespace, Binder."""

import hashlib
import json
import os
import subprocess
import sysconfig
from pathlib import Path

import pytest
import yaml

import d2lattn

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def values():
    """What Zero to JupyterHub is told. Helm checks its keys by the schema of the chart."""
    return yaml.safe_load((ROOT / "deploy" / "zero-to-jupyterhub.yaml").read_text(encoding="utf-8"))


def test_the_image_of_a_class_has_the_version_of_the_book(values):
    assert values["singleuser"]["image"]["tag"] == d2lattn.__version__
    page = (ROOT / "deploy" / "README.md").read_text(encoding="utf-8")
    assert f"{values['singleuser']['image']['name']}:{d2lattn.__version__} " in page


def test_a_student_has_the_chapters_before_the_server_starts(values, tmp_path):
    for name in ("python", "jupyterhub-singleuser"):
        (tmp_path / name).write_text(f'#!/bin/sh\necho {name} "$@"\n', encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    command = [*values["singleuser"]["cmd"], "--port=8888"]
    path = f"{tmp_path}:{os.environ['PATH']}"
    said = subprocess.check_output(command, env={**os.environ, "PATH": path}, text=True)
    assert said == "python tools/working_copy.py\njupyterhub-singleuser --port=8888\n"
    assert (ROOT / "tools" / "working_copy.py").exists()


CONFIG = ROOT / ".jupyter"
OVERRIDES = CONFIG / "labconfig" / "default_setting_overrides.json"
EXTENSION = CONFIG / "labextensions" / "d2lattn"


def test_a_hidden_answer_is_hidden_wherever_the_book_is_served():
    """One folder of settings; what they do on the screen, tests/browser/test_lab.py says."""
    script = (EXTENSION / "static" / "reading.js").read_text("utf-8")
    assert ".jp-OutputPlaceholder .jp-PlaceholderText { display: none; }" in script

    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")  # make lab, also in a codespace
    assert "\nexport JUPYTER_CONFIG_PATH := $(CURDIR)/.jupyter\n" in makefile
    codespace = (ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8")
    assert json.loads(codespace)["postCreateCommand"] == "make ready"


def test_nothing_is_set_but_what_jupyterlab_itself_knows():
    """The book asks for no extension but its own."""
    schemas = Path(sysconfig.get_path("data")) / "share" / "jupyter" / "lab" / "schemas"
    for name in json.loads(OVERRIDES.read_text("utf-8")):
        package, _, plugin = name.partition(":")
        assert package.startswith("@jupyterlab/"), name
        assert (schemas / package / f"{plugin}.json").exists(), name


def test_a_changed_script_has_a_new_address():
    """Or a browser that has kept the old one goes on with that."""
    script = hashlib.sha256((EXTENSION / "static" / "reading.js").read_bytes()).hexdigest()
    described = json.loads((EXTENSION / "package.json").read_text("utf-8"))
    assert described["jupyterlab"]["_build"]["load"] == f"static/reading.js?{script[:8]}"


def test_binder_has_the_settings_of_make_lab(tmp_path):
    (tmp_path / "pip").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "python").write_text(f"#!/bin/sh\necho '{tmp_path}'\n", encoding="utf-8")
    for name in ("pip", "python"):
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    for _ in range(2):
        subprocess.run([ROOT / "postBuild"], cwd=ROOT, env={**os.environ, "PATH": path}, check=True)
    there = tmp_path / "etc" / "jupyter" / "labconfig" / OVERRIDES.name
    assert there.resolve() == OVERRIDES.resolve()
    reading = tmp_path / "share" / "jupyter" / "labextensions" / "d2lattn"
    assert reading.resolve() == EXTENSION
