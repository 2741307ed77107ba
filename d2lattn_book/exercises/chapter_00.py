"""Exercises of chapter 0: what a reader should know before (0.1 to 0.3), and can say after it."""

import math

from d2lattn_book.exercises.checking import ValueExercise

MISTAKES: dict[str, dict] = {
    "0.1": {
        "You computed BA. For AB, multiply each row of A by each column of B.": [[3, 6], [1, 4]],
        "This is A * B. For AB, multiply each row of A by each column of B.": [[3, 0], [0, 2]],
    },
    "0.2": {
        "This is 3/1. Compare the exponentials: exp(3) is 20.1 and exp(1) is 2.72.": 3,
        "This is 3 − 1. The ratio of the two weights is exp(3)/exp(1) = exp(2).": 2,
        "This is exp(3). Divide it by exp(1).": math.exp(3),
        "This is exp(3) − exp(1). Divide the first by the second.": math.exp(3) - math.e,
    },
    "0.3": {
        "This is the plain average. Multiply each number by its own weight, then add.": 16 / 3,
        "You divided by the number of weights. They sum to 1 already: do not divide.": 1.5,
        "This is the plain sum. Multiply each number by its weight before you add.": 16,
    },
    "0.4": {
        "Equal scores give equal weights. Divide 1 by the number of tokens.": 1,
        "You counted the tokens. The weights add up to 1, so each gets 1 of 5 parts.": 5,
        "You left out the token itself. It is one of the five, and it gets a weight, too.": 1 / 4,
        "Scores of 0 do not give weights of 0: exp(0) = 1. Apply the softmax.": 0,
    },
    "0.5": {
        "“cat” provides the key and the value. Which token has the query that finds it?": "cat",
        "“milk” provides a key. The query belongs to the last token of the prompt, because we "
        "want to know what follows it.": "milk",
        "The query of “what” looks for the token after “what”, and that was “a”.": "what",
        "The query of “a” looks for the token after “a”, and that was “hungry”.": "a",
        "The next token is not in the prompt yet, so it has no query.": "animal",
    },
    "0.6": {
        "You took the logarithm to the base 10. A loss in nats uses the natural logarithm.": 2,
        "This loss is in bits. A loss in nats uses the natural logarithm.": math.log2(100),
        "You left out the logarithm: 100 is 1/p. The loss is its logarithm.": 100,
        "This is the probability p. The loss is −ln p.": 1 / 100,
        "The sign is wrong: −ln p is positive, because p is below 1.": -math.log(100),
    },
    "0.7": {
        "You counted the visible scores. Count the masked ones, those of later tokens.": 55,
        "Half of 100 hides half of the diagonal, but each token may attend to itself.": 50,
        "You counted everything off the diagonal. Count only the later tokens.": 90,
    },
    "0.8": {
        "“milk” and “bread” are different tokens. A bag of words tells them apart.": "b",
    },
}
EXERCISES = {
    "0.1": ValueExercise(lambda: [[5, 4], [1, 2]], MISTAKES["0.1"]),
    "0.2": ValueExercise(lambda: math.exp(2), MISTAKES["0.2"]),
    "0.3": ValueExercise(lambda: 4.5, MISTAKES["0.3"]),
    "0.4": ValueExercise(lambda: 1 / 5, MISTAKES["0.4"]),
    "0.5": ValueExercise(lambda: "hungry", MISTAKES["0.5"]),
    "0.6": ValueExercise(lambda: math.log(100), MISTAKES["0.6"]),
    "0.7": ValueExercise(lambda: 45, MISTAKES["0.7"]),
    "0.8": ValueExercise(lambda: "a", MISTAKES["0.8"]),
}
