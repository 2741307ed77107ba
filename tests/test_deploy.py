"""The files for a class agree with the rest. What they do is tried by `make test-hub`."""

import copy
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
from traitlets.config import Config

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"


def pinned(package, text):
    return re.search(rf"\b{package}==([\d.]+)", text)[1]


def test_the_container_has_the_torch_of_the_book():
    container = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    assert pinned("torch", container) == pinned(
        "torch", (ROOT / "requirements.txt").read_text(encoding="utf-8")
    )
    for name in re.findall(r"-[rc] (\S+\.txt)", container):
        assert (ROOT / name).exists(), name


def test_the_values_for_kubernetes_name_what_exists():
    values = yaml.safe_load((DEPLOY / "zero-to-jupyterhub.yaml").read_text(encoding="utf-8"))
    config = values["hub"]["config"]
    assert config == {"JupyterHub": {"authenticator_class": "name-your-authenticator-here"}}
    user = values["singleuser"]
    version = re.search(
        r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.M
    )[1]
    assert user["image"]["tag"] == version
    assert (ROOT / "notebooks" / Path(user["defaultUrl"]).name).exists()
    hook = user["lifecycleHooks"]["postStart"]["exec"]["command"][-1]
    assert (ROOT / hook.removeprefix(". /opt/d2lattn/")).exists()


def values():
    return yaml.safe_load((DEPLOY / "zero-to-jupyterhub.yaml").read_text(encoding="utf-8"))


CHART = json.loads((ROOT / "tests" / "jupyterhub_chart.json").read_text(encoding="utf-8"))


def test_the_values_fit_the_schema_of_the_chart():
    """The chart's own; Helm asks it before it renders anything. Helm itself was not at hand."""
    jsonschema.validate(values(), CHART)


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("singleuser", "memori"), {}),
        (("singleuser", "memory", "limit"), ["2G"]),
        (("cull", "timeout"), "an hour"),
        (("hub", "configuration"), {}),
    ],
)
def test_the_schema_sees_a_slip(path, wrong):
    slipped = copy.deepcopy(values())
    *above, name = path
    part = slipped
    for key in above:
        part = part[key]
    part[name] = wrong
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(slipped, CHART)


HIDDEN = ROOT / ".jupyter" / "labconfig" / "default_setting_overrides.json"


def test_a_hidden_answer_is_hidden_wherever_the_book_is_served(monkeypatch):
    """One file of settings; what it does on the screen, tests/browser/test_lab.py says."""
    rules = json.loads(HIDDEN.read_text("utf-8"))["@deathbeds/jupyterlab-fonts:fonts"]["styles"]
    assert rules[".jp-OutputPlaceholder .jp-PlaceholderText"] == {"display": "none"}
    server = str(HIDDEN.parent.parent)

    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")  # make lab, also in a codespace
    assert "\nexport JUPYTER_CONFIG_PATH := $(CURDIR)/.jupyter\n" in makefile
    codespace = (ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8")
    assert json.loads(codespace)["postCreateCommand"] == "make ready"

    assert configured(monkeypatch).Spawner.environment["JUPYTER_CONFIG_PATH"] == server
    container = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    assert "COPY . /opt/d2lattn\n" in container
    assert "JUPYTER_CONFIG_PATH=/opt/d2lattn/.jupyter " in container
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert not any(name.startswith(".jupyter") for name in ignored)


def test_jupyterlab_finds_how_the_book_is_read_beside_its_settings(tmp_path):
    """What it does at a key, tests/browser/test_reading.py says."""
    command = [sys.executable, "-m", "jupyter", "labextension", "list"]
    environment = {**os.environ, "JUPYTER_CONFIG_PATH": str(HIDDEN.parent.parent)}
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
    there = tmp_path / "etc" / "jupyter" / "labconfig" / HIDDEN.name
    assert there.resolve() == HIDDEN.resolve()
    reading = tmp_path / "share" / "jupyter" / "labextensions" / "d2lattn"
    assert reading.resolve() == HIDDEN.parent.parent / "labextensions" / "d2lattn"


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


def test_a_public_address_gives_each_student_an_origin_and_cookies_that_stay_there(monkeypatch):
    alone = configured(monkeypatch).JupyterHub
    assert "subdomain_host" not in alone and "cookie_host_prefix_enabled" not in alone
    public = configured(monkeypatch, DOMAIN="https://class.example.org").JupyterHub
    assert public.subdomain_host == "https://class.example.org"
    assert public.cookie_host_prefix_enabled is True
    with pytest.raises(SystemExit, match="D2LATTN_HUB_DOMAIN must begin with https://"):
        configured(monkeypatch, DOMAIN="http://class.example.org")


@pytest.mark.skipif(not shutil.which("prlimit"), reason="it needs prlimit (Linux)")
@pytest.mark.parametrize("shell", ["sh", "dash", "bash"])
@pytest.mark.parametrize("gib", ["1.5", "2"])
def test_a_student_starts_with_the_memory_that_was_set(monkeypatch, tmp_path, shell, gib):
    """The server is one that only says how much it may have, in KiB."""
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    for name in ("jupyter", "jupyterhub-singleuser"):
        (tmp_path / name).write_text("#!/bin/sh\nulimit -v\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    for name, value in configured(monkeypatch, MEMORY_GIB=gib).Spawner.environment.items():
        monkeypatch.setenv(name, value)
    command = [shell, DEPLOY / "student.sh"]
    started = subprocess.run(command, capture_output=True, text=True, check=False)
    assert started.stdout == f"{float(gib) * 2**20:.0f}\n", started.stderr


@pytest.mark.parametrize("name", ["MEMORY_GIB", "TOTAL_GIB"])
@pytest.mark.parametrize("wrong", ["6 GiB", "1,5", "0", "-1", "nan", "inf"])
def test_a_memory_that_is_none_is_refused_before_anybody_comes(monkeypatch, name, wrong):
    said = f"D2LATTN_HUB_{name} must be a number above 0, got {wrong}"
    with pytest.raises(SystemExit, match=said):
        configured(monkeypatch, **{name: wrong})


def test_what_the_hub_writes_is_neither_published_nor_shipped():
    written = {"jupyterhub_cookie_secret", "jupyterhub.sqlite", "jupyterhub-proxy.pid"}
    for name in (".gitignore", ".dockerignore"):
        ignored = (ROOT / name).read_text(encoding="utf-8").split()
        assert {f"deploy/{file}" for file in written} <= {*ignored}, name


def test_every_setting_of_the_hub_is_documented_with_its_default():
    read = (DEPLOY / "jupyterhub_config.py").read_text(encoding="utf-8")
    settings = dict(re.findall(r'(?:setting|gib)\("(\w+)", "([^"]+)"\)', read))
    table = dict(re.findall(r"^\| `D2LATTN_HUB_(\w+)` \| `?([^`|]+?)`? \|",
                            (DEPLOY / "README.md").read_text(encoding="utf-8"), re.M))  # fmt: skip
    ports = {"PROXY_API", "HUB_API"}  # between the hub's own parts
    assert table == {name: default for name, default in settings.items() if name not in ports} | {
        "DOMAIN": "–",
        "TOTAL_GIB": "–",
    }
