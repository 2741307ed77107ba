"""What a reader has solved: in the file that D2LATTN_SOLVED names, in Drive, or in this kernel."""

import importlib
import importlib.util
import json
import linecache
import os
import pathlib
import sys
import warnings

NAMED_BY = "D2LATTN_SOLVED"
DRIVE = pathlib.Path("/content/drive/MyDrive")  # in Colab, once the reader has mounted it
REMEMBERED: dict[str, bool] = {}  # {exercise: solved} in this kernel, whatever file is named
OURS = {"d2lattn", "d2lattn_book"}  # the packages through which a chapter's call comes here


def record(exercise, correct):
    """Keep that an exercise was attempted; what was solved once stays solved."""
    if correct is not None:
        REMEMBERED[exercise] = correct or REMEMBERED.get(exercise, False)
        said = _keep(_path())
        if said.startswith("NOT"):
            warnings.warn(f"your progress is {said}", stacklevel=3)


def progress() -> None:
    """Print how many exercises you have solved, and which you have tried, a line for each chapter.

    `check` and `progress` keep both in the file that the environment variable D2LATTN_SOLVED
    names; `make lab` names one beside the chapters. Without one, Colab keeps them in a mounted
    Drive; otherwise both are forgotten when the kernel stops. The first line says which it is.
    The book's own solutions do not count.

    Example:
        >>> progress()  # doctest: +ELLIPSIS
        kept only until the kernel stops; in Colab, mount your Drive to keep it
        ...
    """
    path = _path()
    print(_keep(path))
    chapters: dict[int, dict[str, bool]] = {}
    for exercise, correct in sorted(_read(path).items(), key=lambda item: _number(item[0])):
        chapters.setdefault(_number(exercise)[0], {})[exercise] = correct
    for chapter, kept in chapters.items():
        said = [
            f"{exercise} {'solved' if correct else 'tried'}" for exercise, correct in kept.items()
        ]
        print(f"chapter {chapter}, {sum(kept.values())} of {_count(chapter)}: {', '.join(said)}")
    if not chapters:
        print("no exercise was tried yet")


def _keep(path):
    """Write what this kernel knows into the file, and say where it is kept, or why it is not."""
    if path is None:
        return "kept only until the kernel stops; in Colab, mount your Drive to keep it"
    if not path.parent.is_dir():
        return f"NOT kept: no such folder {path.parent}"
    try:
        fresh = path.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps(_read(path), indent=1), encoding="utf-8")
        fresh.replace(path)
    except OSError as error:
        return f"NOT kept in {path}: {error.strerror}"
    return f"kept in {path}"


def _count(chapter):
    """How many exercises a chapter has; "?" for one that the book does not have (any more)."""
    name = f"{__package__}.chapter_{chapter:02d}"
    found = importlib.util.find_spec(name)
    return len(importlib.import_module(name).EXERCISES) if found else "?"


def _path():
    named = os.environ.get(NAMED_BY) or (DRIVE.is_dir() and DRIVE / "d2lattn_solved.json")
    return pathlib.Path(named).absolute() if named else None


def _read(path):
    """{exercise: solved}, in this kernel or the file, which may be missing or damaged."""
    try:
        kept = dict(json.loads(path.read_text(encoding="utf-8"))) if path else {}
    except (OSError, ValueError, TypeError):
        kept = {}
    return kept | {one: solved or kept.get(one, False) for one, solved in REMEMBERED.items()}


def by_the_book():
    """Whether the call stands in a solution of the book, which Run All runs, too.

    The cell that asked is found however many of our own functions passed the call on.
    """
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in OURS:
        frame = frame.f_back
    return linecache.getline(frame.f_code.co_filename, 1).startswith("# @title Solution")


def _number(exercise):
    return tuple(map(int, exercise.split(".")))
