"""What version 0.2 had in this package and `d2lattn_book` has now, for readers' own notebooks."""

import importlib.abc
import sys

MOVED = ("check", "cluster", "exercises", "language", "launch", "pictures")


def moved(name):
    """The error that gives the new line."""
    return ImportError(
        f"d2lattn.{name} is d2lattn_book.{name} since version 0.3: write "
        f"`from d2lattn_book{'' if name == 'check' else f'.{name}'} import ...`",
        name=f"d2lattn.{name}",
    )


class Moved(importlib.abc.MetaPathFinder):
    """Asked last, for a module that nobody found."""

    def find_spec(self, fullname, path=None, target=None):
        package, _, name = fullname.partition(".")
        if package == "d2lattn" and name in MOVED:
            raise moved(name)


sys.meta_path.append(Moved())
