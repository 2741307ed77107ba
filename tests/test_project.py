"""The project's files agree with each other, and the commands say clearly what is wrong."""

import ast
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
import tomllib
from pathlib import Path

import fuzz
import lock
import package_tests
import pytest
import versions
import yaml
from cells import book, published, repository
from draws import assert_close

import notebooks

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
GROUPS = PROJECT["optional-dependencies"]


def test_conda_and_binder_install_the_lock_with_pip():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    (pip,) = [part["pip"] for part in environment["dependencies"] if isinstance(part, dict)]
    assert {"-c requirements.txt", "-e .[book,lab,test]"} <= set(pip)
    assert "==" not in str(environment)  # the versions stand in the lock alone
    assert "-r requirements-nodeps.txt" in (ROOT / "postBuild").read_text(encoding="utf-8")


def test_a_codespace_sets_itself_up_with_a_command_that_exists():
    box = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    name = box["postCreateCommand"].removeprefix("make ")
    assert re.search(rf"^{name}: \$\(STAMP\)", (ROOT / "Makefile").read_text("utf-8"), re.M)


def test_whoever_has_no_gpu_is_told_of_the_small_torch():
    """One address for all who set the book up on a processor alone, and for readers by hand."""
    small = "https://download.pytorch.org/whl/cpu"
    for name in ("Makefile", "README.md"):
        assert f"PIP_EXTRA_INDEX_URL={small} make lab" in (ROOT / name).read_text(encoding="utf-8")
    for name in ("ci", "pages", "release", "weekly"):
        workflow = (ROOT / ".github" / "workflows" / f"{name}.yml").read_text(encoding="utf-8")
        assert yaml.safe_load(workflow)["env"] == {"PIP_EXTRA_INDEX_URL": small}
    for name in ("environment.yml", ".devcontainer/devcontainer.json", "deploy/Dockerfile"):
        assert small in (ROOT / name).read_text(encoding="utf-8")


def test_by_hand_as_by_make_a_test_has_one_thread(monkeypatch):
    """Several processes with several threads each would keep a busy machine waiting for itself."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    code = "import conftest, torch; print(torch.get_num_threads())"
    for threads in ("1", "2"):
        said = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True)
        assert said == f"{threads}\n"
        monkeypatch.setenv("OMP_NUM_THREADS", "2")  # who asks for more has more


def number(version):
    return tuple(map(int, version.split(".")))


def test_every_package_of_every_group_has_one_version_and_its_range_admits_it():
    ranges, pinned = versions.ranges() | versions.ranges(*GROUPS), versions.pins()
    assert PROJECT["requires-python"] == ">=3.11"
    assert set(ranges) == set(pinned)
    for name, least in ranges.items():
        assert number(pinned[name]) >= number(least), name
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert len(re.findall(r"^[^#\n]", text, re.M)) == len(pinned)
    assert all(f"\n# {group}: " in text for group in GROUPS)


LOCKS = lock.WITH_THE_BOOK | lock.ALONE


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_has_the_packages_of_its_groups_and_a_hash_for_each(name):
    found = lock.read(name)
    book = versions.ranges() if name in lock.WITH_THE_BOOK else {}
    for package in (versions.ranges(*LOCKS[name]) | book).keys() - {"torch"}:
        ((version, whom, _),) = found[canonical(package)]
        assert (version, whom) == (versions.pins()[package], ""), package
    assert all(hashes for part in found.values() for _, _, hashes in part)
    assert not any(lock.OF_TORCH.fullmatch(package) for package in found)
    assert "://" not in (ROOT / "locks" / f"{name}.txt").read_text(encoding="utf-8")


def canonical(name):
    """As an index spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_all_locks_agree():
    assert {path.stem for path in (ROOT / "locks").iterdir()} == set(LOCKS)
    every = {}
    for name in LOCKS:
        for package, parts in lock.read(name).items():
            every.setdefault(package, set()).update(version for version, *_ in parts)
    assert len(every) > 200
    # One version, unless an older Python or another system needs another.
    several = {package for package, found in every.items() if len(found) > 1}
    forks = {p for name in LOCKS for p, parts in lock.read(name).items() if len(parts) > 1}
    assert several <= forks and len(several) < 12


@pytest.mark.pins
def test_whatever_is_installed_beside_the_book_is_locked():
    """But for torch, the installer, and what has a requirements file of its own."""
    groups = ("mutants", "dist", "browser", "book")
    locked = {name: parts for group in groups for name, parts in lock.read(group).items()}
    locked = {name: {version for version, *_ in parts} for name, parts in locked.items()}
    alone = (ROOT / "requirements-nodeps.txt").read_text(encoding="utf-8")
    elsewhere = {"torch", "d2lattn", "pip", *re.findall(r"^([\w-]+)==", alone, re.M)}
    found = {
        canonical(d.name): d.version
        for d in importlib.metadata.distributions(path=[sysconfig.get_path("purelib")])
    }
    free = {n for n in found if n not in elsewhere and not lock.OF_TORCH.fullmatch(n)}
    assert len(free) > 100
    assert {n: found[n] for n in free if found[n] not in locked.get(n, ())} == {}


def test_what_npm_brings_is_locked_by_hash():
    for folder in ("tools/js", "tools/npm", "deploy/proxy"):
        asked = json.loads((ROOT / folder / "package.json").read_text(encoding="utf-8"))
        found = json.loads((ROOT / folder / "package-lock.json").read_text(encoding="utf-8"))
        packages = found["packages"]
        wanted = asked.get("dependencies", {}) | asked.get("devDependencies", {})
        assert wanted and re.fullmatch(r"[\d.]+", "".join(wanted.values())), folder
        for name, version in wanted.items():
            assert packages[f"node_modules/{name}"]["version"] == version
        assert all("integrity" in part for path, part in packages.items() if path)


def test_the_ranges_admit_what_colab_has():
    """Else the set-up cell would replace what the reader finds there. gguf it brings."""
    text = (ROOT / "requirements-colab.txt").read_text(encoding="utf-8")
    colab = dict(re.findall(r"^([\w-]+)==([\w.]+)$", text, re.M))
    ranges = versions.ranges()
    assert ranges.keys() - colab.keys() == {"gguf"}
    for name, least in ranges.items() - {("gguf", ranges["gguf"])}:
        assert number(colab[name]) >= number(least), name


def told(*arguments):
    """What tools/versions.py prints."""
    command = [sys.executable, ROOT / "tools" / "versions.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_oldest_versions_are_the_floors_and_torch_is_at_hand():
    lines = told("oldest").stdout.splitlines()
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f"torch=={versions.pins()['torch']}" in lines
    others = [line for line in lines if not line.startswith("torch==")]
    assert len(others) == len(lines) - 1 > 10
    for line in others:
        assert f'"{line.replace("==", ">=")}"' in pyproject


def test_a_group_has_its_own_packages_alone_at_the_versions_of_the_lock():
    pinned = versions.pins()
    assert told("class").stdout == f"nbgrader=={pinned['nbgrader']}\n"
    both = told("dist", "hub").stdout.split()
    assert both[0] == f"build=={pinned['build']}" and f"jupyterhub=={pinned['jupyterhub']}" in both
    assert not any(line.startswith("torch") for line in both)
    unknown = told("hubs")
    assert unknown.returncode and "one of book, lab, test, " in unknown.stderr


@pytest.mark.pins
def test_the_installed_versions_are_the_pinned_ones():
    from importlib.metadata import version

    for package in versions.ranges() | versions.ranges("lab", "test"):
        pinned = versions.pins()[package]
        assert version(package).split("+")[0] == pinned, f"{package}: run make test, not pytest"


def test_the_public_address_is_the_same_everywhere():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for address in (
        r"colab\.research\.google\.com/github/",
        r"mybinder\.org/v2/gh/",
        r"git\+https://github\.com/",
    ):
        assert re.findall(rf"{address}([\w.-]+/[\w.-]+?)[/)`]", readme) == [repository()], address
    pages = [f"{published()}{name}" for name in ("00_start_here.html", "", "playground.html")]
    assert re.findall(r"https://[\w.-]+\.github\.io/[^)]*", readme) == pages
    for path in book():
        text = path.read_text(encoding="utf-8")
        found = re.findall(r"github(?:\.com)?/([\w.-]+/d2lattn)\b", text)
        assert found and set(found) == {repository()}, path.name


def test_the_readme_lists_every_part_and_its_files_exist():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for path in book():
        assert f"(notebooks/{path.name})" in readme
    assert len(readme) <= 9000
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


def test_every_address_in_a_page_of_docs_is_of_this_repository():
    """And `links` of tools/notebooks.py stamps every page that has one."""
    for page in (ROOT / "docs").iterdir():
        text = page.read_text(encoding="utf-8")
        found = re.findall(r"(?:github(?:\.com)?|gh|new)/([\w.-]+/d2lattn)\b", text)
        assert set(found) <= {repository()}, page.name
        stamped = f"docs/{page.name}" in notebooks.PUBLIC_FILES
        assert stamped == (bool(found) or published() in text), page.name


def test_text_is_utf_8_on_every_machine():
    """Windows would read and write another encoding, where none is said."""
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("it needs git")
    for name in listed.stdout.split():
        for node in ast.walk(ast.parse((ROOT / name).read_text(encoding="utf-8"))):
            called = getattr(getattr(node, "func", None), "attr", "")
            if called in ("read_text", "write_text") and len(node.args) < 2:
                said = node.args and called == "read_text"
                assert said or any(k.arg == "encoding" for k in node.keywords), (
                    f"{name}:{node.lineno}: {called} without encoding"
                )


def test_an_issue_has_a_form_for_each_kind():
    forms = [*(ROOT / ".github/ISSUE_TEMPLATE").glob("[!c]*.yml")]
    assert len(forms) == 3
    for form in forms:
        asked = yaml.safe_load(form.read_text(encoding="utf-8"))
        assert {"name", "description", "body"} <= set(asked)
        assert any(field.get("validations", {}).get("required") for field in asked["body"])


def test_the_examples_of_the_package_run():
    """That of the README is run beside transformers, by tests/libraries."""
    page = (ROOT / "docs" / "package.md").read_text(encoding="utf-8")
    first, real, own = re.findall(r"```python\n(.*?)```", page, re.S)
    names = {}
    exec(first, names)
    assert_close(names["output"], names["same"], within=1e-6)
    *lines, last = real.strip().splitlines()
    exec("\n".join(lines), names)
    expression, _, said = last.partition("  # ")
    assert repr(eval(expression, names)) == said
    assert (names["without"].logits - names["seen"].logits).abs().max() > 0.1
    *lines, last = own.strip().splitlines()
    exec("\n".join(lines), names)
    assert repr(names["figure"]) == last.partition("  # ")[2]


def make(folder, *arguments):
    return subprocess.run(
        ["make", "-s", "-C", str(folder), *arguments], capture_output=True, text=True, check=False
    )


def commands():
    """The names of all commands of make."""
    phony = make(ROOT, "-p", "-n", "help").stdout
    return set(re.search(r"^\.PHONY: (.*)", phony, re.M)[1].split())


def test_make_explains_its_commands_to_three_readers_on_one_screen():
    title, *lines = make(ROOT).stdout.splitlines()
    assert title.startswith("d2lattn") and len(lines) <= 17
    rows = [re.fullmatch(r"(\w+)? +make ([a-z-]+) +(\S.*)", line).groups() for line in lines]
    assert [group for group, _, _ in rows if group] == ["read", "teach", "maintain"]
    assert max(map(len, lines)) <= 100
    listed = [name for _, name, _ in rows]
    assert set(listed) <= commands() and {"lab", "test", "refresh", "test-all"} <= set(listed)


def test_every_command_that_readers_and_lecturers_are_told_is_there():
    pages = [ROOT / "README.md", *(ROOT / "docs").iterdir(), ROOT / "deploy" / "README.md"]
    texts = [page.read_text(encoding="utf-8") for page in pages]
    told = {name for text in texts for name in re.findall(r"(?:^|`)make ([a-z-]+)", text, re.M)}
    assert told <= commands() and {"lab", "site", "slides", "assignment", "hub"} <= told


def test_test_all_is_every_test_but_that_of_the_class_server():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^(test[\w-]*):", makefile, re.M))
    assert targets - {"test-all", "test-hub"} == names_of_tests()
    assert targets <= commands()


def names_of_tests():
    """The commands that TESTS has in the Makefile."""
    return set(variables(ROOT)["TESTS"].split())


def test_the_first_check_of_a_clone_says_what_it_leaves_out():
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    header, rest = text.split("set -eu", 1)
    run = set(re.search(r"^for part in (.*); do", rest, re.M)[1].split())
    left = set(re.findall(r"\btest-[a-z]+", header)) - {"test-all"}
    assert run | left == names_of_tests() | {"test-hub", "experiments"} and not run & left


@pytest.mark.skipif(not shutil.which("bash"), reason="it needs bash")
@pytest.mark.parametrize("second", [0, 1])
def test_what_the_browser_said_at_first_stays(second, tmp_path, monkeypatch):
    """With a make whose browser tests fail at the first try, and succeed at the second or not."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci")
    again = f'*AGAIN*) echo "2 tried again in 1.0s"; exit {second} ;;'
    first = 'test-browser) echo "2 failed in 9.0s"; exit 1 ;;'
    program(
        tmp_path / "bin" / "make", f'case "$*" in {again} {first} esac; echo "5 passed in 3.0s"'
    )
    program(tmp_path / "bin" / "chromium", "")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    done = subprocess.run(["bash", ".ci/run"], cwd=tmp_path, capture_output=True, text=True)
    logs = {path.stem: path.read_text(encoding="utf-8") for path in tmp_path.glob("build/ci/*")}
    assert logs["test-browser"] == "2 failed in 9.0s\n"
    assert logs["test-browser-again"] == "2 tried again in 1.0s\n"
    assert logs["test"] == logs["test-oldest"] == "5 passed in 3.0s\n"
    verdict = "FAILED" if second else "passed at the second try"
    assert f"make test-browser: {verdict} after" in done.stdout and done.returncode == second


def test_two_makes_at_once_set_an_environment_up_once(tmp_path):
    """The second waits, says for what, and leaves alone what the first has made."""
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "once.py", tmp_path / "tools")
    once = [sys.executable, "tools/once.py", "env/ready"]
    work = [*once, "mkdir env; echo made >> env/log; until [ -e go ]; do sleep 0.1; done"]
    first = subprocess.Popen(work, cwd=tmp_path)
    while not (tmp_path / "env" / "log").exists():
        assert first.poll() is None
        time.sleep(0.01)
    second = subprocess.Popen(work, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    said = second.stdout.readline()
    (tmp_path / "go").touch()
    assert said == "another make is setting something up here: waiting for it\n"
    assert second.communicate()[0] == "" and first.wait() == second.returncode == 0
    assert (tmp_path / "env" / "log").read_text(encoding="utf-8") == "made\n"
    failed = [sys.executable, "tools/once.py", "env/other", "false; touch env/wrong"]
    assert subprocess.run(failed, cwd=tmp_path, check=False).returncode == 1
    assert {path.name for path in (tmp_path / "env").iterdir()} == {"ready", "log"}


def copy_set_up(folder):
    """The files that `make` reads to set something up; returns the stamps."""
    names = ["Makefile", "pyproject.toml"]
    found = ["tools/*.py", "requirements*.txt", "locks/*.txt"]
    found += ["tools/*/package*.json", "deploy/*/package*.json"]
    for path in (*(ROOT / name for name in names), *(p for name in found for p in ROOT.glob(name))):
        copy = folder / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    return variables(folder)


def variables(folder):
    """What the Makefile calls by a name: a stamp, for one."""
    said = make(folder, "-p", "-n", "help").stdout
    return dict(re.findall(r"^([A-Z0-9]+) :?= (.*)$", said, re.M))


def program(path, text):
    """A shell script that others start."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


# Waits for the file `go`; that it lies in the way of a second one is seen in its log.
NPM = """mkdir -p "$3/node_modules"; echo "$@" >> npm.log
n=0; until [ -e go ] || [ $n = 300 ]; do sleep 0.1; n=$((n + 1)); done"""


@pytest.mark.parametrize("name", ["HUB", "JAVASCRIPT", "tools/npm.py"])
def test_two_at_once_start_one_npm(name, tmp_path, monkeypatch):
    folder = tmp_path / "b c"
    stamps = copy_set_up(folder)
    program(tmp_path / "npm", NPM)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    serving = folder / ".venv-hub" / Path(stamps["STAMP"]).name
    program(serving, "")
    command = ["make", "-s", f"PYTHON={sys.executable}", stamps.get(name, "")]
    if name not in stamps:
        command = [sys.executable, "-c", "import npm; npm.bring('package', [], npm.FOLDER)"]
        monkeypatch.setenv("PYTHONPATH", str(folder / "tools"))
    first = subprocess.Popen(command, cwd=folder)
    while not (folder / "npm.log").exists():
        assert first.poll() is None
        time.sleep(0.01)
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as second:
        assert "waiting for it" in second.stdout.readline()
        (folder / "go").touch()
        assert second.communicate()[0] == ""
    assert first.wait() == second.returncode == 0
    (line,) = (folder / "npm.log").read_text(encoding="utf-8").splitlines()
    where = line.split()[2]
    assert line.startswith(f"ci --prefix {where} --ignore-scripts ")
    assert (folder / where / "package-lock.json").exists()
    assert len([*(folder / where / "node_modules").glob("ready-*")]) == 1
    if name in stamps:
        source = "deploy/proxy" if name == "HUB" else where
        (folder / source / "package-lock.json").write_text("another", encoding="utf-8")
        assert variables(folder)[name] != stamps[name]


# Makes a copy of itself in the place of an environment. That writes down what it is given; the
# first one is a Python for all the rest.
PYTHON = """case "$0 $1 $2" in
*" -m venv") mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;;
*/bin/python*) echo "$@" >> pip.log; echo . ;;
*) exec "{}" "$@" ;;
esac"""


def test_every_environment_is_set_up_by_a_python_below_a_folder_with_a_space(tmp_path, monkeypatch):
    folder = tmp_path / "b c"
    stamps, python = copy_set_up(folder), tmp_path / "my python" / "python3"
    program(python, PYTHON.format(sys.executable))
    program(tmp_path / "runuser", 'shift 3; exec "$@"')  # students may start it, too
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    added = [f"{stamps['STAMP']}-{name}" for name in ("browser", "dist", "mutants")]
    environments = stamps["ENVIRONMENTS"].split()
    assert len(environments) == 9 and any(name.startswith(".venv-hub/") for name in environments)
    for name in [*environments, *added]:
        result = make(folder, f"PYTHON={python}", name)
        assert result.returncode == 0, f"{name}: {result.stderr}"
        assert (folder / name).exists()
        made = folder / Path(name).parent / "bin" / "python"
        assert made.read_text(encoding="utf-8") == python.read_text(encoding="utf-8"), name
    packages = (folder / "pip.log").read_text(encoding="utf-8")
    assert packages.count("matplotlib") == 2  # of tools/versions.py, oldest and newest


def test_make_test_runs_in_a_folder_with_a_space(tmp_path):
    """With programs that only say what they were given in the place of Python."""
    folder = tmp_path / "my documents" / "b c"
    ignored = shutil.ignore_patterns("__py*", "node_modules")
    shutil.copytree(ROOT / "tools", folder / "tools", ignore=ignored)
    stamps = copy_set_up(folder)
    (folder / "tools" / "js" / "node_modules").mkdir()
    (folder / stamps["JAVASCRIPT"]).touch()  # asks no network
    python = folder / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$IPYTHONDIR" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    (folder / stamps["STAMP"]).touch()
    for command in ("test", "refresh", "test-portable", "test-student"):
        result = make(folder, command)
        assert result.returncode == 0, result.stderr
        said = result.stdout.splitlines()
        assert f"{folder}/.venv/ipython" in said
        assert command == "refresh" or f"{folder}/tests/nbval_sanitize.cfg" in said
    unquoted = re.findall(r'.*[^"]\$\((?:CURDIR|HERE)\).*', (ROOT / "Makefile").read_text("utf-8"))
    named = re.compile(r"(?:.*export \w+ :|HERE )= \$\(CURDIR\)")
    assert [line for line in unquoted if not named.match(line)] == []


def test_an_unfit_python_gives_one_clear_line(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    old = tmp_path / "python2"
    old.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    old.chmod(0o755)
    for python in ("", str(old), str(tmp_path / "absent")):
        result = make(tmp_path, f"PYTHON={python}", "test")
        assert result.returncode != 0
        assert result.stdout.startswith("d2lattn needs Python 3.11 or newer")
        assert len(result.stdout.splitlines()) == 1


def test_a_search_says_pytest_what_it_understands():
    few = ["-n", "0", "--co", "tests/test_masks.py"]
    listed = subprocess.check_output([*package_tests.PYTEST, *few, *fuzz.options("7")], cwd=ROOT)
    assert b"test_masks.py::test_window_mask" in listed
