"""The project's files agree with each other, and the commands say clearly what is wrong."""

import functools
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import dist
import lock
import pytest
import refresh
import torch
import versions
import yaml
from cells import book, published, repository
from draws import assert_close

import d2lattn
from d2lattn_book import audit

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_conda_and_binder_install_the_lock_with_pip():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    (pip,) = [part["pip"] for part in environment["dependencies"] if isinstance(part, dict)]
    assert {"-c requirements.txt", "-e .[book,lab,test]"} <= set(pip)
    assert "==" not in str(environment)  # the versions stand in the lock alone
    assert "-r locks/alone.txt" in (ROOT / "postBuild").read_text(encoding="utf-8")


def number(version):
    return tuple(map(int, version.split(".")))


def test_every_package_of_every_group_has_one_version_and_its_range_admits_it():
    ranges, pinned = versions.ranges(*versions.GROUPS), versions.pins()
    assert PROJECT["requires-python"] == ">=3.11"
    assert set(ranges) == set(pinned)
    assert [n for n, least in ranges.items() if number(pinned[n]) < number(least)] == []


@pytest.mark.parametrize("name", lock.LOCKS)
def test_a_lock_has_the_packages_of_its_groups_and_nothing_of_torch(name):
    text = lock.place(name).read_text(encoding="utf-8")
    found = {name: version for name, version, *_ in lock.LINE.findall(text)}
    for package in versions.ranges(*lock.LOCKS[name]).keys() - {"torch"}:
        spelled = re.sub(r"[-_.]+", "-", package).lower()  # as an index spells it
        assert found[spelled] == versions.pins()[package], package
    assert not any(map(lock.OF_TORCH.fullmatch, found)) and "://" not in text


def test_the_ranges_admit_what_colab_has():
    """Else the set-up cell would replace what the reader finds there. gguf it brings."""
    text = (ROOT / "locks" / "colab.txt").read_text(encoding="utf-8")
    colab = dict(re.findall(r"^([\w-]+)==([\w.]+)$", text, re.M))
    ranges = versions.ranges("book")
    assert ranges.keys() - colab.keys() == {"gguf"}
    assert [n for n, at in colab.items() if n in ranges and number(at) < number(ranges[n])] == []


def test_the_public_address_is_the_same_everywhere():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    places = ("colab.research.google.com/github/", "mybinder.org/v2/gh/", "git+https://github.com/")
    for place in map(re.escape, places):
        assert re.findall(rf"{place}([\w.-]+/[\w.-]+?)[/)`]", readme) == [repository()], place
    pages = re.findall(r"https://[\w.-]+\.github\.io/[^)]*", readme)
    assert len(pages) >= 3 and all(page.startswith(published()) for page in pages)
    for path in book():
        text = path.read_text(encoding="utf-8")
        found = re.findall(r"github(?:\.com)?/([\w.-]+/d2lattn)\b", text)
        assert found and set(found) == {repository()}, path.name


def test_the_readme_lists_every_part_and_its_files_exist():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for path in book():
        assert f"(notebooks/{path.name})" in readme
    assert len(readme) <= 8000
    for path in (ROOT / "docs").iterdir():
        assert f"(docs/{path.name})" in readme


def test_every_file_that_a_page_links_to_exists():
    pages = [*ROOT.glob("[A-Z]*.md"), *(ROOT / "docs").iterdir(), ROOT / "deploy" / "README.md"]
    links = [
        (page, link.partition("#")[0])
        for page in pages
        for link in re.findall(r"\]\(([^)#:\s]+(?:#[^)\s]*)?)\)", page.read_text(encoding="utf-8"))
    ]
    assert len(links) > 60
    lost = [f"{page.name}: {link}" for page, link in links if not (page.parent / link).exists()]
    assert lost == []


def test_every_address_in_docs_deploy_and_the_packages_is_of_this_repository():
    """And `links` of tools/refresh.py stamps every file that has one."""
    patterns = ("docs/*", "deploy/*", "d2lattn*/**/*.py")
    for page in (path for pattern in patterns for path in ROOT.glob(pattern)):
        text = page.read_text(encoding="utf-8")
        found = re.findall(r"(?:github(?:\.com)?|gh|new)/([\w.-]+/d2lattn)\b", text)
        assert set(found) <= {repository()}, page.name
        stamped = page.relative_to(ROOT).as_posix() in refresh.PUBLIC_FILES
        assert stamped == (bool(found) or published() in text), page.name


def test_the_examples_of_the_package_run():
    """Those of the README, of transformers and with a network are run by tests/libraries."""
    page = (ROOT / "docs" / "package.md").read_text(encoding="utf-8")
    torchs, first, decoding, real, _, *drawn = re.findall(r"```python\n(.*?)```", page, re.S)
    names = {}
    exec(torchs, names)
    assert_close(names["output"], names["expected"], within=1e-6)
    assert_close(names["weights"].mean(1), names["mean"], within=1e-6)
    exec(first, names)
    assert_close(names["output"], names["same"], within=1e-6)
    exec(decoding + real, names)
    assert torch.equal(names["text"], names["generated"]) and names["cache"].length == 28
    expression, _, said = real.strip().splitlines()[-1].partition("  # ")
    assert repr(eval(expression, names)) == said
    assert (names["without"].logits - names["seen"].logits).abs().max() > 0.1
    for example in (one for one in drawn if "transformers" not in one):
        exec(example, names)
        assert repr(names["figure"]) == example.strip().rpartition("  # ")[2]


AUDIT = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")


@torch.random.fork_rng(devices=[])
def test_the_examples_of_audit_print_what_its_page_shows(capsys):
    """But that of transformers, which tests/libraries runs."""
    torch.manual_seed(0)
    names = {}
    for code, shown in re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", AUDIT, re.S):
        if "transformers" not in code:
            exec(code, names)
            printed = capsys.readouterr().out
            assert printed == shown if shown else not printed or "Nothing found." in printed
    names["test_my_model_is_causal_and_keeps_texts_apart"]()


def test_the_page_of_audit_lists_its_questions_with_their_pages_of_the_clinic():
    listed = dict(re.findall(r"^\| \[?`(\w+)`(?:\]\(.*?clinic/(.*)\.html\))? \|", AUDIT, re.M))
    pages = {name: page or "" for name, (_, page) in audit.QUESTIONS.items()}
    pages["padding"] = pages["prefix"] = pages["future"]  # as for the sentences that it shows
    assert listed == pages


def make(folder, *arguments):
    return subprocess.run(
        ["make", "-s", "-C", str(folder), *arguments], capture_output=True, text=True, check=False
    )


@functools.cache
def commands():
    """The names of all commands of make."""
    phony = make(ROOT, "-p", "-n", "help").stdout
    return set(re.search(r"^\.PHONY: (.*)", phony, re.M)[1].split())


def test_make_explains_its_commands_to_three_readers_on_one_screen():
    title, *lines = make(ROOT).stdout.splitlines()
    assert title.startswith("d2lattn") and len(lines) <= 14
    rows = [re.fullmatch(r"(\w+)? +make ([a-z-]+) +(\S.*)", line).groups() for line in lines]
    assert [group for group, _, _ in rows if group] == ["read", "teach", "maintain"]
    assert max(map(len, lines)) <= 100
    listed = [name for _, name, _ in rows]
    assert set(listed) <= commands() and {"lab", "test", "refresh", "test-all"} <= set(listed)


PAGES = [
    *ROOT.glob("[A-Z]*.md"),
    *ROOT.glob("docs/*.md"),
    ROOT / "deploy" / "README.md",
    ROOT / ".devcontainer" / "devcontainer.json",
    ROOT / ".ci" / "run",
    *ROOT.glob(".github/workflows/*.yml"),
]
FILE = re.compile(r"(?<![\w/])(?:tests|tools|benchmarks|experiments|d2lattn\w*)/[\w/]+\.\w+")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_says_to_run_is_there(page):
    text = page.read_text(encoding="utf-8")
    if page.name == "CHANGELOG.md":  # what was there
        text = text[: text.index("\n## ", text.index("\n## ") + 1)]
    told = re.findall(r"(?:^|[`\"]|run: |\|\| )make ([a-z-]+)", text, re.M)
    assert set(told) <= commands()
    run = re.findall(r"`(?:python|npx) [^`]+`|run: python .*", text)
    assert [name for name in FILE.findall("".join(run)) if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("path", [*ROOT.glob(".github/workflows/*.yml")], ids=lambda p: p.stem)
def test_a_workflow_names_actions_by_hash_and_what_builds_may_only_read(path):
    text = path.read_text(encoding="utf-8")
    for action in re.findall(r"uses: (.*)", text):
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}  # v[\d.]+", action), action
    flow = yaml.safe_load(text)
    assert flow["permissions"] == {"contents": "read"} and "pull_request_target" not in text
    for job in flow["jobs"].values():
        if "write" in str(job.get("permissions")):
            said = "\n".join(step.get("run", "") for step in job["steps"])
            assert job["needs"] == "build" and not re.search(r"\bmake\b|\.py\b|\[", said)


def test_a_place_of_the_makefile_may_have_a_space():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    unquoted = re.findall(r'.*[^"]\$\((?:CURDIR|HERE)\).*', text)
    named = re.compile(r"(?:.*export \w+ :|HERE )= \$\(CURDIR\)")
    assert [line for line in unquoted if not named.match(line)] == []


def test_an_unfit_python_gives_one_clear_line(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    for python in ("false", str(tmp_path / "absent")):
        result = make(tmp_path, f"PYTHON={python}", "test")
        assert result.returncode != 0
        (line,) = result.stdout.splitlines()
        assert line.startswith("d2lattn needs Python 3.11 or newer")


# What a package index shows; tests/dist builds the distributions and installs them -----------


def test_the_readme_of_an_index_has_no_relative_address():
    text = "![a bat](images/bat.png) [one](notebooks/01.ipynb) [up](#top) [out](https://d2l.ai)"
    assert dist.absolute(text, "me/mine") == (
        "![a bat](https://raw.githubusercontent.com/me/mine/main/images/bat.png) "
        "[one](https://github.com/me/mine/blob/main/notebooks/01.ipynb) [up](#top) "
        "[out](https://d2l.ai)"
    )


def test_the_citation_and_the_changelog_are_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)  # what the format asks
    assert citation["version"] == PROJECT["version"] == d2lattn.__version__
    assert citation["repository-code"] == PROJECT["urls"]["Repository"]
    assert dist.fits(f"v{d2lattn.__version__}") and not dist.fits("v9.9.9")
