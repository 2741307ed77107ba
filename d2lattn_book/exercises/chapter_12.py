"""Exercises of chapter 12: many texts at once."""

from d2lattn_book.exercises.checking import FunctionExercise, ValueExercise


def _padding(tokens=3 + 7 + 10 + 4, positions=4 * 10):
    return 100 * (1 - tokens / positions)


TEXT = [1, 2, 3, 1, 2, 3, 4, 1, 2, 3, 4, 5, 1, 2]


def _last_time(so_far):
    known = [i for i in range(len(so_far) - 1) if so_far[i] == so_far[-1]]
    return so_far[known[-1] + 1 :][:4] if known else []


def _nothing(so_far):
    return []


def _rightly(so_far):
    return TEXT[len(so_far) : len(so_far) + 4]


def _ones(so_far):
    return [1, 1, 1]


def _half_right(so_far):
    return [2, 9, 4]


def _free(size=2, flops=2, own=1):
    """Tokens of a pass that is memory-bound on an H100, and guesses for each of 40 requests."""
    tokens = int(size * 989 / (flops * 3.35))
    return tokens, tokens // 40 - own


def _guessers():
    """(text, start, guess): guesses from the text itself, none, the right ones, always the same."""
    cases = [(TEXT, 3, _last_time), (TEXT, 5, _nothing), (TEXT, 3, _rightly), (TEXT, 1, _rightly)]
    return [*cases, ([1, 1, 1, 2, 1, 1], 1, _ones), ([1, 2, 3, 4, 5, 6], 1, _half_right)]


# The chapter's solutions; a mistake is an edit of one of them


def my_cu_seqlens(segments):
    begins = [i for i in range(1, len(segments)) if segments[i] != segments[i - 1]]
    return [0, *begins, len(segments)]


def my_pages(shared, own, size):
    full, rest = shared // size, shared % size
    return full + sum((rest + tokens + size - 1) // size for tokens in own)


def my_passes(text, start, guess):
    end, passes = start, 0
    while end < len(text):
        right = 0
        for guessed, actual in zip(guess(text[:end]), text[end:], strict=False):
            if guessed != actual:
                break
            right += 1
        end, passes = end + right + 1, passes + 1
    return passes


MISTAKES: dict[str, dict] = {
    "12.1": {
        "This is the percentage of real tokens. Padding is 100 minus that.": 100 - _padding(),
        "This is a fraction of 1. Give a percentage.": _padding() / 100,
        "This is the number of padding tokens. Give the percentage of all positions.": 16,
        "You divided the padding by the real tokens. Divide by all positions.": 100 * 16 / 24,
    },
    "12.2": {
        "The total number of tokens is missing at the end.": {", len(segments)]": "]"},
        "The 0 is missing: the first text starts there.": {"[0, *begins": "[*begins"},
        "These are the lengths. Return their cumulative sums.": {
            "[0, *begins, len(segments)]": (
                "[b - a for a, b in zip([0, *begins], [*begins, len(segments)])]"
            )
        },
    },
    "12.3": {
        "You forgot the prefix's partly filled page. Each request copies and fills it.": {
            "(rest + tokens + size": "(tokens + size"
        },
        "A partly filled page counts. Round up.": {" + size - 1) // size": ") // size"},
        "You shared nothing. The full pages of the prefix are stored once.": {
            "full + sum((rest": "sum(full + (rest"
        },
    },
    "12.4": {
        "After the accepted guesses a pass also adds one token of the model's own.": {
            "end + right + 1": "end + max(right, 1)"
        },
        "You add no token of the model's own when all guesses are right. The pass has computed "
        "that token as well: add right + 1 every time.": {
            "end + right + 1": "end + right + (right == 0 or right < len(guess(text[:end])))"
        },
        "You accepted a guess after a wrong one. Stop at the first wrong guess.": {
            "                break\n            right += 1": (
                "                continue\n            right += 1"
            )
        },
        "You advance by one token. Add accepted guesses.": {"end + right + 1": "end + 1"},
        "Give `guess` only the text so far.": {"guess(text[:end])": "guess(text)"},
    },
    "12.5": {
        "Each request already has one token in the pass.": _free(own=0),
        "A multiplication and an addition are 2 FLOPs.": _free(flops=1),
        "bfloat16 takes 2 bytes.": _free(size=1),
        "These are the guesses of all 40 requests together.": (295, 255),
        "With 296 tokens computing takes longer. Round down.": (296, 6),
    },
}
EXERCISES = {
    "12.1": ValueExercise(_padding, MISTAKES["12.1"]),
    "12.2": FunctionExercise(
        my_cu_seqlens,
        lambda: [([5, 5, 5, 2, 2, 2, 2, 9, 9],), ([1],), ([0, 1, 2],), ([3, 3, 1, 1, 1, 2],)],
        MISTAKES["12.2"],
    ),
    "12.3": FunctionExercise(
        my_pages,
        lambda: [(10, [3] * 10, 4), (8, [4, 5], 4), (3, [1, 2, 9], 16), (2000, [200] * 10, 16)],
        MISTAKES["12.3"],
    ),
    "12.4": FunctionExercise(my_passes, _guessers, MISTAKES["12.4"]),
    "12.5": ValueExercise(_free, MISTAKES["12.5"]),
}
