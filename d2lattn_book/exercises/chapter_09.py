"""Exercises of chapter 9: a Transformer that learns, and what its heads do."""

import functools
import random

import torch

from d2lattn.attention import masked_softmax
from d2lattn.masks import causal_mask
from d2lattn.transformer import Encoder
from d2lattn_book.exercises.checking import (
    FunctionExercise,
    OpenExercise,
    ValueExercise,
    calls,
    is_starter,
    noise,
)

PROMPT, NEW = 20, 100  # words given, words written

# Analogies


def _words_to_place():
    """In each case the three words of the question, a long vector and the wrong sign lead astray;
    in the first the distance as well: the word in the right direction is the longer one. In the
    fourth the right word is the third, and one points the opposite way. In the fifth the first
    word is the nearest, and without the subtraction another one.

    Columns: royal, female, size.
    """
    words = ["man", "woman", "king", "queen", "crown", "girl", "boy", "castle", "beggar"]
    vectors = torch.tensor(
        [
            [0.0, 0.0, 1.0],
            [0.0, 1.0, 1.0],
            [3.0, 0.0, 1.0],
            [6.0, 5.0, 4.0],
            [9.0, 1.0, -6.0],
            [0.0, 1.2, 0.0],
            [0.0, 0.1, 0.2],
            [8.0, -3.0, 7.0],
            [-4.0, -1.0, -1.5],
        ]
    )
    questions = (("man", "king", "woman"), ("woman", "queen", "man"), ("king", "queen", "man"))
    questions += (("man", "woman", "queen"), ("king", "castle", "man"))
    return [(*question, words, vectors) for question in questions]


# Counting the words that pass through the model


def _passes(prompt=PROMPT, new=NEW):
    """Without a cache the whole text each time, with it each word once; the last is never read."""
    return [sum(range(prompt, prompt + new)), prompt + new - 1]


# From logits to probabilities


def _logits():
    a, b, c = 3 * torch.stack(noise(7, 7, 7))
    return [(a, 1.0, 7), (a, 0.5, 3), (b, 2.0, 4), (c, 0.1, 1)]


def _stay_on_a_tie(answer, *_):
    """How many may be drawn, if it is not top_k, where a threshold cannot tell the logits apart."""
    probabilities = answer(torch.tensor([1.0, 3.0, 2.0, 3.0, 3.0]), 1.0, 2)
    stay = (torch.as_tensor(probabilities) > 0).sum().item()
    return str(stay) if stay != 2 else None


# Switching off a head


def _projections():
    sizes = ((6, 3, 0), (6, 2, 1), (8, 4, 2))
    return [(*noise((E, E), seed=H), H, head) for E, H, head in sizes]


# The induction score


def _maps():
    sizes = ((2, 8, 4), (3, 9, 4), (1, 12, 5))
    return [(noise((H, L, L), seed=H)[0].softmax(-1), period) for H, L, period in sizes]


# The newest word, with the cache


@functools.cache  # two blocks are the same only if they are one object
def _drawn_block(E, H):
    """A block whose norms differ, so that it matters which one stands where."""
    generator = torch.Generator().manual_seed(0)
    block = Encoder(2, E, num_layers=1, num_heads=H).blocks[0].eval().requires_grad_(False)
    for parameter in block.parameters():
        torch.nn.init.normal_(parameter, std=0.7, generator=generator)
    return block


def _newest_words():
    """The newest word of two sequences, a block, and the keys and values of the words before."""
    generator = torch.Generator().manual_seed(0)
    found = []
    for E, H, S in ((6, 2, 3), (8, 4, 5)):
        kept = torch.randn(2, 2, H, S, E // H, generator=generator)
        found.append((torch.randn(2, 1, E, generator=generator), _drawn_block(E, H), *kept))
    return found


# What does this head do?


def mystery(text):
    """One head over the letters of a text; exercise 9.6 asks by what rule it shares.

    Its queries and keys are written by hand, so that there is a rule.

    Args:
        text (str): small letters a to z, 1 to 40 of them.

    Returns:
        Tensor (L, L): row i holds the shares of letter i.

    Raises:
        ValueError: an empty or longer text, or one with another character.

    Example:
        >>> mystery("so").shape
        torch.Size([2, 2])
    """
    if not isinstance(text, str) or not 1 <= len(text) <= 40:
        raise ValueError(f"text must be a str of 1 to 40 letters, got {text!r}")
    if not (text.isascii() and text.isalpha() and text.islower()):
        raise ValueError(f"text must hold small letters a to z only, got {text!r}")
    vowel = torch.tensor([letter in "aeiou" for letter in text]).float()
    place = torch.arange(len(text)).float()
    query = torch.stack([100 * (1 - vowel), 100 * vowel, torch.ones(len(text))], dim=-1)  # (L, 3)
    key = torch.stack([vowel, 1 - vowel, 2 * place], dim=-1)  # the other kind, and late
    return masked_softmax(query @ key.T, causal_mask(len(text)))


def judge_rule(answer):
    """A rule is a function text -> where each letter looks; right if it foretells the head."""
    if not callable(answer):
        return f"a function of a text is expected, got {type(answer).__name__}"
    told = right = 0
    first_error = None
    for text in _texts():
        said = [int(place) for place in answer(text)]
        if len(said) != len(text):
            return f"{text!r} has {len(text)} letters, the rule names {len(said)} places"
        for i, (guess, best) in enumerate(
            zip(said, mystery(text).argmax(-1).tolist(), strict=True)
        ):
            told, right = told + 1, right + (guess == best)
            if guess != best and first_error is None:
                first_error = f"in {text!r} letter {i} looks at {best}, the rule says {guess}"
    if right < 0.95 * told:
        return f"the rule is right for {100 * right // told} % of the letters; {first_error}"
    if calls("masked_softmax")(answer, "attention"):
        return "the rule is right, but it asks the head itself: write down what you found"
    return None


def _texts():
    pick = random.Random(0)
    words = ["attention", "banana", "rhythm", "queue", "a", "strength"]
    letters = "abcdefghijklmnopqrstuvwxyzaeiouaeiou"
    return words + ["".join(pick.choices(letters, k=pick.randint(5, 20))) for _ in range(40)]


# The chapter's solutions; a mistake is an edit of one of them


def my_analogy(a, b, c, words, vectors):
    a, b, c = (words.index(word) for word in (a, b, c))
    goal = vectors[b] - vectors[a] + vectors[c]
    nearness = torch.nn.functional.cosine_similarity(vectors, goal, dim=-1)
    nearness[[a, b, c]] = -1
    return words[nearness.argmax()]


def my_probabilities(logits, temperature, top_k):
    kept = logits.topk(top_k).indices  # exactly so many, even where some are equal
    scores = torch.full_like(logits, -torch.inf)
    scores[kept] = logits[kept] / temperature
    return torch.softmax(scores, dim=-1)


def my_silenced(weight, num_heads, head):
    weight = weight.clone()
    D = weight.shape[0] // num_heads
    weight[:, head * D : (head + 1) * D] = 0
    return weight


def my_induction_score(weights, period):
    asks = torch.arange(period, weights.shape[-1])
    return weights[:, asks, asks - period + 1].mean(-1)  # (H, L - period) -> (H,)


def my_step(x, block, key, value):
    x_norm = block.attention_norm(x)
    q, k, v = block.attention.project(x_norm, x_norm, x_norm)
    k, v = torch.cat([key, k], dim=2), torch.cat([value, v], dim=2)
    heads, _ = block.attention.attend(q, k, v)
    x = x + block.attention.join(heads)
    return x + block.mlp(block.mlp_norm(x))


MLP = "return x + block.mlp(block.mlp_norm(x))"
OF_THE_NORM = "x = block.mlp_norm(x)\n    return x + block.mlp(x)"

EXERCISES = {
    "9.1": FunctionExercise(
        my_analogy,
        _words_to_place,
        {
            "the three words of the question must be left out: one of them is often the nearest": {
                "    nearness[[a, b, c]] = -1\n": ""
            },
            "this is the dot product: a long vector wins. Divide by the lengths": {
                "torch.nn.functional.cosine_similarity(vectors, goal, dim=-1)": "vectors @ goal",
                "= -1": "= -torch.inf",
            },
            "this is the distance: a long vector is far away, also in the right direction. Take "
            "the cosine": {
                "torch.nn.functional.cosine_similarity(vectors, goal, dim=-1)": (
                    "-(vectors - goal).norm(dim=-1)"
                ),
                "= -1": "= -torch.inf",
            },
            "You leave out b and c but not a, and here a is the nearest. Leave out all three.": {
                "[[a, b, c]]": "[[b, c]]"
            },
            "You add b and c without subtracting a: the goal is b - a + c": {" - vectors[a]": ""},
            "You scale the vectors to length 1 before you add them. Add them as they are; only the "
            "cosine divides by lengths.": {
                "    goal =": "    vectors = torch.nn.functional.normalize(vectors)\n    goal ="
            },
            "the second nearest need not be right: leave out the three words of the question": {
                "    nearness[[a, b, c]] = -1\n": "",
                "nearness.argmax()": "nearness.argsort(descending=True)[1]",
            },
            "a word in the opposite direction counts as near here: its cosine is -1": {
                "goal, dim=-1)": "goal, dim=-1).abs()"
            },
            "the sign is turned round: go from a to b, starting at c": {
                "vectors[b] - vectors[a] + vectors[c]": "vectors[a] - vectors[b] + vectors[c]"
            },
        },
    ),
    "9.2": ValueExercise(
        _passes,
        {
            "the words of the prompt are missing: they are read as well": _passes(0),
            "the last word is written and never read": [
                sum(range(PROMPT, PROMPT + NEW + 1)),
                PROMPT + NEW,
            ],
            "these are the runs of the model: a run reads several words": [NEW, NEW],
            "without a cache every run reads the whole text again": [PROMPT + NEW - 1] * 2,
            "the other way round: with a cache it is less": _passes()[::-1],
        },
    ),
    "9.3": FunctionExercise(
        my_probabilities,
        _logits,
        {
            "multiplied by the temperature: a low one should sharpen, so divide": {
                "/ temperature": "* temperature"
            },
            "the temperature has no effect: it belongs under the logits, before the softmax": {
                " / temperature": ""
            },
            "divided by the temperature twice": {"/ temperature": "/ temperature**2"},
            "they do not add up to 1: log-probabilities are divided by the temperature, which the "
            "softmax has to see": {
                " / temperature": "",
                "torch.softmax(scores, dim=-1)": "(scores.log_softmax(-1) / temperature).exp()",
            },
            "the temperature comes too late: dividing probabilities changes only their sum": {
                " / temperature": "",
                "dim=-1)": "dim=-1) / temperature",
            },
            "they do not add up to 1: cut before the softmax, or divide by the sum of the rest": {
                "return torch.softmax(scores, dim=-1)": (
                    "P = torch.softmax(logits / temperature, -1); return P * (scores > -torch.inf)"
                ),
            },
            "nothing is cut: all but the top_k largest get 0": {
                "torch.full_like(logits, -torch.inf)": "logits / temperature"
            },
            "the last of the top_k is cut as well: it stays": {
                "logits.topk(top_k).indices": "logits > logits.topk(top_k).values[-1]"
            },
            "one too many stays: sorted, they are the numbers 0 to top_k - 1": {
                "topk(top_k)": "topk(min(top_k + 1, len(logits)))"
            },
            "these are the top_k alone: the others keep their positions, with 0": {
                "softmax(scores,": "softmax(scores[kept],"
            },
            "a logit of 0 is not a probability of 0: the cut ones need -inf": {"-torch.inf": "0"},
        },
        {
            "{} may be drawn where three logits are the largest and top_k is 2: choose positions, "
            "topk(top_k).indices, and not by a threshold": _stay_on_a_tie
        },
    ),
    "9.4": FunctionExercise(
        my_silenced,
        _projections,
        {
            "these are rows, what comes out: a head enters by its columns": {
                "weight[:, head * D : (head + 1) * D]": "weight[head * D : (head + 1) * D]"
            },
            "this keeps the head alone, and silences all others": {
                "weight[:, head * D : (head + 1) * D] = 0": (
                    "weight[:, : head * D] = 0\n    weight[:, (head + 1) * D :] = 0"
                )
            },
            "heads are numbered from 0: this is the head before": {
                "head * D : (head + 1) * D": "(head - 1) * D : head * D"
            },
            "the width of a head is E / num_heads, not num_heads": {
                "D = weight.shape[0] // num_heads": "D = num_heads"
            },
            "every num_heads-th column is cut: the columns of a head stand side by side": {
                "weight[:, head * D : (head + 1) * D]": "weight[:, head::num_heads]"
            },
        },
    ),
    "9.5": FunctionExercise(
        my_induction_score,
        _maps,
        {
            "You measure the attention to the earlier copy itself. The induction score is about "
            "the position *after* it: `i - period + 1`.": {"asks - period + 1": "asks - period"},
            "this looks one before the earlier word: the one after it is asked": {
                "asks - period + 1": "asks - period - 1"
            },
            "rows and columns are exchanged: the row asks, the column is asked": {
                "asks, asks - period + 1": "asks - period + 1, asks"
            },
            "the very first round counts too, where nothing has been repeated yet": {
                "arange(period, ": "arange(period - 1, "
            },
            "one number for each head is asked, this is the mean over the heads": {
                ".mean(-1)": ".mean()"
            },
            "this is the sum over the positions: divide by how many ask": {".mean(-1)": ".sum(-1)"},
            "this is how often the largest share lies there: the mean of the share is asked": {
                "weights[:, asks, asks - period + 1]": (
                    "(weights[:, asks].argmax(-1) == asks - period + 1).float()"
                )
            },
        },
    ),
    "9.6": OpenExercise(
        judge_rule, lambda answer: callable(answer) and is_starter(answer, "attention")
    ),
    "9.7": FunctionExercise(
        my_step,
        _newest_words,
        {
            "the newest word sees itself, too: its own key and value join those that are kept": {
                "torch.cat([key, k], dim=2)": "key",
                "torch.cat([value, v], dim=2)": "value",
            },
            "the kept keys and values are not asked: without them the word is alone": {
                "torch.cat([key, k], dim=2)": "k",
                "torch.cat([value, v], dim=2)": "v",
            },
            "the kept keys and the kept values are exchanged": {
                "[key, k]": "[value, k]",
                "[value, v]": "[key, v]",
            },
            "the norms are missing: each part gets norm(x)": {
                "block.attention_norm(x)": "x",
                "block.mlp(block.mlp_norm(x))": "block.mlp(x)",
            },
            "a norm is missing: query, key and value are made of attention_norm(x)": {
                "block.attention_norm(x)": "x"
            },
            "a norm is missing: the mlp gets mlp_norm(x)": {
                "block.mlp(block.mlp_norm(x))": "block.mlp(x)"
            },
            "the norm's result is added up: what a part finds is added to x, not to norm(x)": {
                "x = x + block": "x = x_norm + block",
                MLP: OF_THE_NORM,
            },
            "attention's result is added to attention_norm(x): add it to x": {
                "x = x + block": "x = x_norm + block"
            },
            "the mlp's result is added to mlp_norm(x): add it to x": {MLP: OF_THE_NORM},
            "the residuals are missing: what a part finds is added to x": {
                "x = x + block": "x = block",
                "return x + block": "return block",
            },
            "a residual is missing: what attention finds is added to x": {
                "x = x + block": "x = block"
            },
            "a residual is missing: what the mlp finds is added to x": {
                "return x + block": "return block"
            },
            "the mlp is missing: this is the first half of the block": {MLP: "return x"},
        },
    ),
}
