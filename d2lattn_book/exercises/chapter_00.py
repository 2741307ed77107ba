"""Exercises of chapter 0: what a reader should know before (0.1 to 0.3), and can say after it."""

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
    "0.4": ValueExercise(
        lambda: 1 / 5,
        {
            "each of equal words gets the same share, and the shares add up to 1": 1,
            "the word itself is one of the five: it takes a share from itself": 1 / 4,
            "equal scores are not shares of 0: e to the power of 0 is 1": 0,
        },
    ),
    "0.5": ValueExercise(
        lambda: "hungry",
        {
            "cat is what is found: its key is asked, and its value is what comes": "cat",
            "*milk* provides a key. The query belongs to the last token of the prompt, because we "
            "want to know what follows it.": "milk",
            "a asks for the word after itself, which was hungry": "a",
            "what comes next is not in the row yet, so it cannot ask": "animal",
        },
    ),
    "0.6": ValueExercise(
        lambda: math.log(100),
        {
            "this is log 100 to the base 10: nats take the natural logarithm": 2,
            "this is in bits: nats take the natural logarithm": math.log2(100),
            "this is the chance: the loss is -ln of it": 1 / 100,
            "the loss is -ln p, and p is below 1: the sign is the other": -math.log(100),
        },
    ),
    "0.7": ValueExercise(
        lambda: 45,
        {
            "these are the scores that stay: a word sees itself and those before it": 55,
            "the last word sees all ten: its row has none to replace": 50,
            "this is all but the diagonal: words before it are seen": 90,
        },
    ),
    "0.8": ValueExercise(
        lambda: "a",
        {
            "milk and bread are different words, with keys and values of their own: a bag tells "
            "them apart": "b",
        },
    ),
}
