"""Exercises that say what is wrong.

`check` prints a line about an answer, `verdict` returns it, `progress` shows what was solved.
"""

from d2lattn_book.exercises.checking import check, verdict
from d2lattn_book.exercises.records import progress

__all__ = ["check", "progress", "verdict"]
