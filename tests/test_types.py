"""The public surface says what it takes and gives, and mypy finds nothing that contradicts it."""

import inspect
import subprocess
import sys

import pytest
from test_package import PUBLIC, ROOT

import d2lattn_book.pictures.drawings
from d2lattn_book import audit, pictures
from d2lattn_book.pictures import live, plots

PICTURES = {
    f"{module.__name__}.{name}": value
    for module in (audit, d2lattn_book.pictures.drawings, pictures, plots, live)
    for name, value in vars(module).items()
    if name in getattr(module, "__all__", [])
    or (callable(value) and name[0] != "_" and value.__module__ == module.__name__)
}


def functions(value):
    """A function itself; of a class what is called: its constructor and its public methods."""
    if not inspect.isclass(value):
        return [value]
    own = {name: method for name, method in vars(value).items() if inspect.isfunction(method)}
    return [method for name, method in own.items() if name == "__init__" or name[0] != "_"]


@pytest.mark.parametrize("name", PUBLIC | PICTURES)
def test_a_public_name_says_what_it_takes_and_gives(name):
    for function in functions((PUBLIC | PICTURES)[name]):
        signature = inspect.signature(function)
        bare = [
            parameter.name
            for parameter in signature.parameters.values()
            if parameter.annotation is parameter.empty and parameter.name != "self"
        ]
        assert not bare, function
        assert signature.return_annotation is not signature.empty, function


@pytest.mark.pins
def test_mypy_finds_nothing():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
