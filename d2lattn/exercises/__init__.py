"""Exercises that say what is wrong: `check` prints a line about an answer, `verdict` returns it."""

from d2lattn.exercises.checking import check, verdict

__all__ = ["check", "verdict"]
