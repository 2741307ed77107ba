"""Exercises of appendix 92: a kernel to read. Their judge wants triton, and is imported late."""

from d2lattn_book.exercises.checking import OpenExercise

ENDS = ((8, 16), (8, 13), (7, 16), (5, 3))  # queries and keys; tiles are 4 × 8
WHOLE = ((8, 16), (12, 40), (4, 8))


def judge_the_end(answer):
    """Mended for any number of queries and keys."""
    from d2lattn_book.exercises.small_kernel import RAGGED, problem

    return problem(answer, RAGGED, ENDS)


def judge_the_rescaling(answer):
    """The running sums of section 8.2; whole tiles, so that the ends are no matter here."""
    from d2lattn_book.exercises.small_kernel import FORGOTTEN, problem

    return problem(answer, FORGOTTEN, WHOLE)


EXERCISES = {
    "92.1": OpenExercise(judge_the_end),
    "92.2": OpenExercise(judge_the_rescaling),
}
