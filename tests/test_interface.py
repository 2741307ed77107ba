"""The public names and how they are called: tests/interface.txt, a promise to other people's code.

`python tests/test_interface.py` writes the file anew; what it changes is a change for users.
"""

import inspect

from test_package import PAGE
from test_types import PICTURES, PUBLIC, functions


def lines():
    """Each public function and class, and a class's own methods, with parameters and defaults."""
    found = set()
    for name, value in (PUBLIC | PICTURES).items():
        called = {name: value} if callable(value) else {}
        if inspect.isclass(value):
            called |= {f"{name}.{f.__name__}": f for f in functions(value) if f.__name__[0] != "_"}
        found |= {name + _without_types(function) for name, function in called.items()}
    return sorted(found)


def _without_types(function):
    signature = inspect.signature(function)
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))


def test_the_public_interface_is_what_it_was():
    kept = PAGE.read_text(encoding="utf-8").splitlines()
    assert lines() == kept, "if users shall see this change: python tests/test_interface.py"


if __name__ == "__main__":
    PAGE.write_text("\n".join(lines()) + "\n", encoding="utf-8")
