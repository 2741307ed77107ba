"""The files for a class agree with the rest. What they do is tried by `make test-hub`."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"


def pinned(package, text):
    return re.search(rf"\b{package}==([\d.]+)", text)[1]


def test_the_container_has_the_torch_of_the_book():
    container = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    assert pinned("torch", container) == pinned(
        "torch", (ROOT / "requirements.txt").read_text(encoding="utf-8")
    )
    for name in re.findall(r"-[rc] (\S+)", container):
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


def test_what_the_hub_writes_is_neither_published_nor_shipped():
    written = {"jupyterhub_cookie_secret", "jupyterhub.sqlite", "jupyterhub-proxy.pid"}
    for name in (".gitignore", ".dockerignore"):
        ignored = (ROOT / name).read_text(encoding="utf-8").split()
        assert {f"deploy/{file}" for file in written} <= {*ignored}, name


def test_every_setting_of_the_hub_is_documented_with_its_default():
    read = (DEPLOY / "jupyterhub_config.py").read_text(encoding="utf-8")
    settings = dict(re.findall(r'setting\("(\w+)", "([^"]+)"\)', read))
    table = dict(re.findall(r"^\| `D2LATTN_HUB_(\w+)` \| `?([^`|]+?)`? \|",
                            (DEPLOY / "README.md").read_text(encoding="utf-8"), re.M))  # fmt: skip
    ports = {"PROXY_API", "HUB_API"}  # between the hub's own parts
    assert table == {name: default for name, default in settings.items() if name not in ports}
