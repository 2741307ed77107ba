"""What Pyodide is told of the wheels that `make lite` lays beside it; tests/lite opens the site."""

import hashlib
import re
import zipfile

import lite
import pytest
from packaging.requirements import Requirement

LINES = {  # what the locks have, by name
    "comm": "comm",
    "numpy": "numpy",
    "torch": "torch",
    "traitlets": "traitlets",
}


def wheel(folder, name, *needs):
    """A wheel with one module, which needs other packages."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}/__init__.py", "")
        archive.writestr(f"{name}/data.txt", "")
        said = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.0"]
        said += [f"Requires-Dist: {need}" for need in needs]
        archive.writestr(f"{name}-1.0.dist-info/METADATA", "\n".join(said) + "\n")
    return path


def test_a_wheel_is_listed_with_its_hash_and_with_what_it_needs_on_pyodide(tmp_path):
    needs = (
        "Typing_Extensions>=4",
        'psutil; sys_platform != "emscripten"',
        'tomli; python_version < "3.13"',
        'pytest; extra == "test"',
        'comm; python_version >= "3.14" and platform_system == "Emscripten"',
    )
    path = wheel(tmp_path, "My_Package", *needs)
    part = lite.described(path)
    assert part["name"] == "my-package" and part["version"] == "1.0"
    assert part["depends"] == ["comm", "typing-extensions"]
    assert part["imports"] == ["My_Package"] and part["file_name"] == path.name
    assert part["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert lite.described(wheel(tmp_path, "d2l", "numpy==1.23.5"))["depends"] == []


def test_the_locks_have_one_version_of_each_package_for_pyodide_with_hashes():
    lines = lite.locked()
    assert {"ipython", "comm", "seaborn", "micropip", "d2l", "filelock"} <= set(lines)
    for name, line in lines.items():
        asked, *hashes = line.replace("\\\n", "\n").split("\n")
        assert re.fullmatch(r"[\w.-]+==[\w.]+", asked.strip()), name
        found = [part.strip() for part in hashes if part.strip()]
        assert found and all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", h) for h in found), name
    assert not lite.holds(Requirement("contourpy==1.3.3 ; python_full_version < '3.12'"))


def test_what_is_compiled_is_left_to_pyodide_and_what_nobody_has_is_not_asked_for(
    tmp_path, monkeypatch
):
    asked = []

    def download(lines, target):
        asked.append(lines)
        for name in lines:
            wheel(target, name, *(["traitlets"] if name == "comm" else []))

    monkeypatch.setattr(lite, "LOADED", ("d2lattn", "comm"))
    monkeypatch.setattr(lite, "locked", lambda: LINES)
    monkeypatch.setattr(lite, "download", download)
    wheel(tmp_path, "d2lattn", "torch", "numpy", "six", "nowhere")
    theirs = {
        "numpy": {"file_name": "numpy-2-cp314-cp314-pyemscripten_2026_0_wasm32.whl"},
        "six": {"file_name": "six-1-py2.py3-none-any.whl"},
    }
    ours = lite.gather(tmp_path, theirs)
    assert asked == [["comm"], ["traitlets"]]
    assert ours["d2lattn"]["depends"] == ["numpy", "six"] and set(ours) == {
        "comm",
        "d2lattn",
        "traitlets",
    }
    wheel(tmp_path, "torch")
    assert lite.gather(tmp_path, theirs)["d2lattn"]["depends"] == ["numpy", "six", "torch"]


@pytest.mark.parametrize("address", ["path", "file://"])
def test_the_wheel_of_torch_has_to_be_the_one_that_was_meant(tmp_path, address):
    path = wheel(tmp_path, "torch")
    (site := tmp_path / "site").mkdir()
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    given = str(path) if address == "path" else path.as_uri()
    for meant in (sha256, ""):
        lite.fetch(given, meant, site)
        assert (site / path.name).read_bytes() == path.read_bytes()
    with pytest.raises(SystemExit, match=f"^TORCH_SHA256 is 0123, but {path.name} has {sha256}$"):
        lite.fetch(given, "0123", site)
