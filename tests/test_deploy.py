"""The files for a class agree with the rest. What they do, `make test-hub` tries."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import yaml
from traitlets.config import Config

import d2lattn

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"


def pinned(package, text):
    return re.search(rf"\b{package}==([\d.]+)", text)[1]


def test_image_and_values_name_the_versions_of_the_book():
    container = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    lock = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert pinned("torch", container) == pinned("torch", lock)
    values = yaml.safe_load((DEPLOY / "zero-to-jupyterhub.yaml").read_text(encoding="utf-8"))
    assert values["singleuser"]["image"]["tag"] == d2lattn.__version__


CONFIG = ROOT / ".jupyter"
OVERRIDES = CONFIG / "labconfig" / "default_setting_overrides.json"
EXTENSION = CONFIG / "labextensions" / "d2lattn"


def test_a_hidden_answer_is_hidden_wherever_the_book_is_served(monkeypatch):
    """One folder of settings; what they do on the screen, tests/browser/test_lab.py says."""
    script = (EXTENSION / "static" / "reading.js").read_text("utf-8")
    assert ".jp-OutputPlaceholder .jp-PlaceholderText { display: none; }" in script

    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")  # make lab, also in a codespace
    assert "\nexport JUPYTER_CONFIG_PATH := $(CURDIR)/.jupyter\n" in makefile
    codespace = (ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8")
    assert json.loads(codespace)["postCreateCommand"] == "make ready"

    assert configured(monkeypatch).Spawner.environment["JUPYTER_CONFIG_PATH"] == str(CONFIG)
    container = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    assert "COPY . /opt/d2lattn\n" in container
    assert "JUPYTER_CONFIG_PATH=/opt/d2lattn/.jupyter " in container
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert not any(name.startswith(".jupyter") for name in ignored)


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


def test_jupyterlab_finds_how_the_book_is_read_beside_its_settings(tmp_path):
    """What it does at a key, tests/browser/test_reading.py says."""
    command = [sys.executable, "-m", "jupyter", "labextension", "list"]
    environment = {**os.environ, "JUPYTER_CONFIG_PATH": str(CONFIG)}
    told = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert re.search(r"\bd2lattn v1\.0\.0 .*enabled.*OK", told.stdout + told.stderr)


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


def configured(monkeypatch, **settings):
    """What deploy/jupyterhub_config.py sets."""
    for name, value in settings.items():
        monkeypatch.setenv(f"D2LATTN_HUB_{name}", value)
    config = Config()
    monkeypatch.setattr("os.umask", lambda mask: None)
    source = (DEPLOY / "jupyterhub_config.py").read_text(encoding="utf-8")
    names = {"get_config": lambda: config, "__file__": str(DEPLOY / "jupyterhub_config.py")}
    exec(compile(source, "jupyterhub_config.py", "exec"), names)
    return config


@pytest.mark.skipif(not shutil.which("prlimit"), reason="it needs prlimit (Linux)")
def test_a_student_starts_with_the_memory_that_was_set(monkeypatch, tmp_path):
    """The server is one that only says how much it may have, in KiB."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    for name in ("jupyter", "jupyterhub-singleuser"):
        (tmp_path / name).write_text("#!/bin/sh\nulimit -v\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    for name, value in configured(monkeypatch, MEMORY_GIB="1.5").Spawner.environment.items():
        monkeypatch.setenv(name, value)
    command = ["sh", DEPLOY / "student.sh"]
    started = subprocess.run(command, capture_output=True, text=True, check=False)
    assert started.stdout == f"{1.5 * 2**20:.0f}\n", started.stderr
