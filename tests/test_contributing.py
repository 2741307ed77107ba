"""Every command that a contributor is told to give exists, and so does each file that it names."""

import re
import subprocess

import pytest
from cells import ROOT

PAGES = ("CONTRIBUTING.md", "SECURITY.md")
COMMAND = re.compile(r"`((?:make|python|npx)(?: [^`]+)?)`")
FILE = re.compile(r"(?<![\w/])(?:tests|tools|benchmarks|d2lattn|d2lattn_book)/[\w/]+\.\w+")


def commands():
    found = [COMMAND.findall((ROOT / name).read_text(encoding="utf-8")) for name in PAGES]
    return sorted({command for page in found for command in page})


@pytest.mark.parametrize("command", commands())
def test_a_command_that_contributors_are_told_can_be_given(command):
    if command.startswith("make"):
        asked = ["make", "-n", *command.split()[1:2]]
        command = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert [name for name in FILE.findall(command) if not (ROOT / name).exists()] == []
