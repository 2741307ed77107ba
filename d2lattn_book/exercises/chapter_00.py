"""Exercises of chapter 0: what a reader should know before."""

import math

from d2lattn_book.exercises.checking import ValueExercise

EXERCISES = {
    "0.1": ValueExercise(
        lambda: [[5, 4], [1, 2]],
        {
            "this is BA: rows of A meet columns of B": [[3, 6], [1, 4]],
            "these are products in the same place: a row of A meets a column of B": [
                [3, 0],
                [0, 2],
            ],
            "rows and columns are exchanged": [[5, 1], [4, 2]],
        },
    ),
    "0.2": ValueExercise(
        lambda: math.exp(2),
        {
            "this is 3/1: exp(3) is 20.1 and exp(1) is 2.72": 3,
            "this is 3 - 1: exp(3)/exp(1) is exp(2)": 2,
            "this is exp(3): divide it by exp(1)": math.exp(3),
            "this is exp(3) - exp(1): how many times as large is asked": math.exp(3) - math.e,
        },
    ),
    "0.3": ValueExercise(
        lambda: 4.5,
        {
            "this is the average with equal shares": 16 / 3,
            "the shares add up to 1 already: do not divide again": 1.5,
            "this is the sum: each number counts with its share": 16,
        },
    ),
}
