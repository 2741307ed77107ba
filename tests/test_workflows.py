"""GitHub's workflow files call commands that exist, with every Python that the project allows."""

import re
import subprocess
from pathlib import Path

import package_tests
import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def jobs(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]


def commands(path):
    return [step["run"] for job in jobs(path).values() for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_commands_of_the_project(path):
    for command in commands(path):
        called = re.findall(r"make ([\w-]+)", command)
        files = re.findall(r"[\w/.-]+\.(?:py|txt)", command)
        known = '".[book,test]"', "uv publish"
        assert called or files or any(part in command for part in known), command
        assert set(called) <= COMMANDS, command
        assert all((ROOT / file).exists() for file in files), command


def test_ci_runs_every_test_there_is_on_linux():
    (path,) = [path for path in WORKFLOWS if path.stem == "ci"]
    tests = {command for command in COMMANDS if command.startswith("test")}
    # Colab's versions and older processors have commands of their own, a hub needs root, and a
    # test of the GPU a GPU.
    apart = {"test-all", "test-colab", "test-portable", "test-hub", "test-newest", "test-device"}
    assert tests - apart <= set(re.findall(r"make ([\w-]+)", "\n".join(commands(path))))
    (weekly,) = [path for path in WORKFLOWS if path.stem == "weekly"]
    assert "make test-newest" in commands(weekly)
    linux = jobs(path)["linux"]["strategy"]["matrix"]["python"]
    assert linux == ["3.11", "3.12", "3.13", "3.14"]
    assert jobs(path)["elsewhere"]["strategy"]["matrix"]["os"] == ["macos-latest", "windows-latest"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_an_action_is_named_by_the_hash_of_its_commit_and_may_do_little(path):
    text = path.read_text(encoding="utf-8")
    used = re.findall(r"uses: (.*)", text)
    assert used or not re.search(r"\buses\b", text)
    for action in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}  # v[\d.]+", action), action
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
    assert "pull_request_target" not in text


def test_the_package_tests_are_those_that_use_no_tool():
    chosen = {path.name for path in package_tests.files()}
    assert {"d2lattn", "test_attention.py", "test_masks.py", "test_live.py"} <= chosen
    assert not {"test_notebooks.py", "test_project.py", "test_website.py"} & chosen
    few = ["-n", "0", "--co", "d2lattn/masks.py"]  # all files, with workers, would take long
    listed = subprocess.check_output([*package_tests.PYTEST, *few], cwd=ROOT)
    assert b"d2lattn.masks.causal_mask" in listed


def test_pages_publishes_what_make_site_writes():
    (path,) = [path for path in WORKFLOWS if path.stem == "pages"]
    upload = [step for step in jobs(path)["build"]["steps"] if "upload" in step.get("uses", "")]
    assert upload[0]["with"]["path"] == "build/site"
    assert "make site" in commands(path)


def writes(job):
    return {what for what, may in job.get("permissions", {}).items() if may == "write"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_what_builds_cannot_sign_and_what_signs_runs_nothing_of_the_project(path):
    for job in jobs(path).values():
        if writes(job):
            assert job["needs"] == "build" and not writes(jobs(path)["build"])
            assert job["environment"]["name"] in ("pypi", "github-pages")
            said = [step["run"] for step in job["steps"] if "run" in step]
            assert not re.search(r"\bmake\b|\.py\b|\[", "\n".join(said))


def test_a_release_signs_and_publishes_what_was_built():
    (path,) = [path for path in WORKFLOWS if path.stem == "release"]
    build, publish = jobs(path)["build"], jobs(path)["publish"]
    assert publish["environment"]["name"] == "pypi"
    assert writes(publish) == {"id-token", "attestations"}
    given, *_ = [step["with"] for step in build["steps"] if "upload" in step.get("uses", "")]
    steps = [step.get("uses", step.get("run", "")) for step in publish["steps"]]
    order = ("actions/download-artifact", "actions/attest-build-provenance", "uv publish")
    taken, signed, sent = (
        next(i for i, step in enumerate(steps) if step.startswith(name)) for name in order
    )
    assert taken < signed < sent
    assert publish["steps"][taken]["with"].items() <= given.items()
    assert publish["steps"][signed]["with"] == {"subject-path": f"{given['path']}/*"}
    assert steps[sent].endswith(f" {given['path']}/*")


def test_whatever_is_locked_is_watched_for_new_versions():
    """Every list of packages of others, the image of the container and the actions themselves."""
    text = (ROOT / ".github" / "dependabot.yml").read_text(encoding="utf-8")
    watched = {}
    for entry in yaml.safe_load(text)["updates"]:
        folders = entry.get("directories") or [entry["directory"]]
        watched.setdefault(entry["package-ecosystem"], []).extend(folders)
        assert entry["schedule"]["interval"] in ("weekly", "monthly")
    listed = [path for top in ("tools", "deploy") for path in ROOT.glob(f"{top}/*/package.json")]
    assert sorted(watched.pop("npm")) == sorted(f"/{p.parent.relative_to(ROOT)}" for p in listed)
    (container,) = ROOT.glob("*/Dockerfile")
    assert watched.pop("docker") == [f"/{container.parent.relative_to(ROOT)}"]
    assert watched == {"github-actions": ["/"], "pip": ["/"]}
