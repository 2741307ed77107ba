"""What a package index shows; tests/dist builds the distributions and installs them."""

import re
import tomllib
from pathlib import Path

import dist
import yaml
from cells import repository

import d2lattn

ROOT = Path(__file__).resolve().parent.parent


def test_relative_links_and_pictures_become_absolute():
    text = "![a bat](images/bat.png) [one](notebooks/01.ipynb) [up](#top) [out](https://d2l.ai)"
    assert dist.absolute(text, "me/mine") == (
        "![a bat](https://raw.githubusercontent.com/me/mine/main/images/bat.png) "
        "[one](https://github.com/me/mine/blob/main/notebooks/01.ipynb) [up](#top) "
        "[out](https://d2l.ai)"
    )


def test_the_readme_of_an_index_has_no_relative_address():
    text = dist.absolute((ROOT / "README.md").read_text("utf-8"), repository())
    addresses = re.findall(r"\]\(([^)]+)\)", text)
    assert len(addresses) > 10
    assert all(re.match(r"https://|#", address) for address in addresses)
    assert "![" in text and f"raw.githubusercontent.com/{repository()}/" in text


def test_the_citation_and_the_changelog_are_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)  # what the format asks
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert citation["version"] == project["version"] == d2lattn.__version__
    assert citation["repository-code"] == project["urls"]["Repository"]
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"\n## {d2lattn.__version__}\n" in changes


def test_a_tag_is_the_version_or_nothing_is_published():
    assert dist.fits(f"v{d2lattn.__version__}")
    assert not dist.fits(d2lattn.__version__) and not dist.fits("v9.9.9")
