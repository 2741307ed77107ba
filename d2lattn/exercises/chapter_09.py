"""Exercises of chapter 9: a Transformer that learns, and what its heads do."""

import functools
import random

import torch

from d2lattn.attention import masked_softmax
from d2lattn.exercises.checking import FunctionExercise, OpenExercise, ValueExercise, is_starter
from d2lattn.masks import causal_mask
from d2lattn.transformer import Encoder

PROMPT, NEW = 20, 100  # words given, words written

# Analogies


def _analogy(a, b, c, words, vectors, exclude=True, unit=True, toward=1):
    a, b, c = (words.index(word) for word in (a, b, c))
    goal = toward * (vectors[b] - vectors[a]) + vectors[c]
    lengths = vectors.norm(dim=-1) if unit else 1
    nearness = vectors @ goal / lengths
    if exclude:
        nearness[[a, b, c]] = -torch.inf
    return words[nearness.argmax()]


def _words_to_place():
    """In each case the three words of the question, a long vector and the wrong sign lead astray.

    Columns: royal, female, size.
    """
    words = ["man", "woman", "king", "queen", "crown", "girl", "boy", "castle"]
    vectors = torch.tensor(
        [
            [0.0, 0.0, 1.0],
            [0.0, 1.0, 1.0],
            [3.0, 0.0, 1.0],
            [3.0, 2.5, 2.0],
            [9.0, 1.0, -6.0],
            [0.0, 1.2, 0.0],
            [0.0, 0.1, 0.2],
            [8.0, -3.0, 7.0],
        ]
    )
    questions = (("man", "king", "woman"), ("woman", "queen", "man"), ("king", "queen", "man"))
    return [(*question, words, vectors) for question in questions]


# Counting the words that pass through the model


def _passes(prompt=PROMPT, new=NEW):
    """Without a cache the whole text each time, with it each word once; the last is never read."""
    return [sum(range(prompt, prompt + new)), prompt + new - 1]


# From logits to probabilities


def _logits():
    generator = torch.Generator().manual_seed(0)
    draws = [3 * torch.randn(7, generator=generator) for _ in range(3)]
    return [(draws[0], 1.0, 7), (draws[0], 0.5, 3), (draws[1], 2.0, 4), (draws[2], 0.1, 1)]


def _kept(logits, top_k):
    return logits >= logits.topk(top_k).values[-1]


def _probabilities(logits, temperature, top_k):
    cut = (logits / temperature).masked_fill(~_kept(logits, top_k), -torch.inf)
    return cut.softmax(-1)


# Switching off a head


def _projections():
    generator = torch.Generator().manual_seed(0)
    sizes = ((6, 3, 0), (6, 2, 1), (8, 4, 2))
    return [(torch.randn(E, E, generator=generator), H, head) for E, H, head in sizes]


def _silenced(weight, num_heads, head, axis=1):
    """0 on the `head`-th share of the columns (axis 1) or rows (axis 0)."""
    D = weight.shape[0] // num_heads
    keep = torch.ones(weight.shape[0])
    keep[head * D : (head + 1) * D] = 0
    return weight * (keep if axis == 1 else keep[:, None])


def _cut_every_nth(weight, num_heads, head):
    return weight * (torch.arange(weight.shape[0]) % num_heads != head)


# The induction score


def _maps():
    generator = torch.Generator().manual_seed(0)
    return [
        (torch.randn(H, L, L, generator=generator).softmax(-1), period)
        for H, L, period in ((2, 8, 4), (3, 9, 4), (1, 12, 5))
    ]


def _score(weights, period, shift=1, first=None):
    """Mean share that position i gives to i - period + shift, over the positions from `first`."""
    L = weights.shape[-1]
    asks = torch.arange(period if first is None else first, L)
    return weights[:, asks, asks - period + shift].mean(-1)


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


def _plain(x):
    return x


def _step(
    x, block, key, value, asks=("kept", "own"), norms=(True, True), keep=(True, True), mlp=True
):
    """The block for the newest word; `asks` says whom, `keep` whether x is added to each part."""
    attention_norm, mlp_norm = (
        norm if taken else _plain
        for norm, taken in zip((block.attention_norm, block.mlp_norm), norms, strict=True)
    )
    query, *own = block.attention.project(*3 * [attention_norm(x)])
    key, value = (
        torch.cat([part for who, part in (("kept", kept), ("own", new)) if who in asks], dim=2)
        for kept, new in zip((key, value), own, strict=True)
    )
    x = keep[0] * x + block.attention.join(block.attention.attend(query, key, value))
    return keep[1] * x + block.mlp(mlp_norm(x)) if mlp else x


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
    return None


def _texts():
    pick = random.Random(0)
    words = ["attention", "banana", "rhythm", "queue", "a", "strength"]
    letters = "abcdefghijklmnopqrstuvwxyzaeiouaeiou"
    return words + ["".join(pick.choices(letters, k=pick.randint(5, 20))) for _ in range(40)]


EXERCISES = {
    "9.1": FunctionExercise(
        _analogy,
        _words_to_place,
        {
            "the three words of the question must be left out: one of them is often the nearest": (
                functools.partial(_analogy, exclude=False)
            ),
            "this is the dot product: a long vector wins. Divide by the lengths": (
                functools.partial(_analogy, unit=False)
            ),
            "the sign is turned round: go from a to b, starting at c": (
                functools.partial(_analogy, toward=-1)
            ),
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
        _probabilities,
        _logits,
        {
            "multiplied by the temperature: a low one should sharpen, so divide": (
                lambda logits, temperature, top_k: _probabilities(logits, 1 / temperature, top_k)
            ),
            "the temperature has no effect: it belongs under the logits, before the softmax": (
                lambda logits, temperature, top_k: _probabilities(logits, 1.0, top_k)
            ),
            "the temperature comes too late: dividing probabilities changes only their sum": (
                lambda logits, temperature, top_k: _probabilities(logits, 1.0, top_k) / temperature
            ),
            "they do not add up to 1: cut before the softmax, or divide by the sum of the rest": (
                lambda logits, temperature, top_k: (
                    (logits / temperature).softmax(-1) * _kept(logits, top_k)
                )
            ),
            "nothing is cut: all but the top_k largest get 0": (
                lambda logits, temperature, top_k: (logits / temperature).softmax(-1)
            ),
            "a logit of 0 is not a probability of 0: the cut ones need -inf": (
                lambda logits, temperature, top_k: (
                    (logits / temperature).where(_kept(logits, top_k), 0).softmax(-1)
                )
            ),
        },
    ),
    "9.4": FunctionExercise(
        _silenced,
        _projections,
        {
            "these are rows, what comes out: a head enters by its columns": (
                lambda weight, num_heads, head: _silenced(weight, num_heads, head, axis=0)
            ),
            "this keeps the head alone, and silences all others": (
                lambda weight, num_heads, head: weight - _silenced(weight, num_heads, head)
            ),
            "every num_heads-th column is cut: the columns of a head stand side by side": (
                _cut_every_nth
            ),
        },
    ),
    "9.5": FunctionExercise(
        _score,
        _maps,
        {
            "this is the share of the same word one period earlier: the one after it is asked": (
                lambda weights, period: _score(weights, period, shift=0)
            ),
            "this looks one before the earlier word: the one after it is asked": (
                lambda weights, period: _score(weights, period, shift=-1)
            ),
            "the very first round counts too, where nothing has been repeated yet": (
                lambda weights, period: _score(weights, period, first=period - 1)
            ),
            "one number for each head is asked, this is the mean over the heads": (
                lambda weights, period: _score(weights, period).mean()
            ),
            "this is the sum over the positions: divide by how many ask": (
                lambda weights, period: _score(weights, period) * (weights.shape[-1] - period)
            ),
        },
    ),
    "9.6": OpenExercise(
        judge_rule, lambda answer: callable(answer) and is_starter(answer, "attention")
    ),
    "9.7": FunctionExercise(
        _step,
        _newest_words,
        {
            "the newest word sees itself, too: its own key and value join those that are kept": (
                functools.partial(_step, asks=("kept",))
            ),
            "the kept keys and values are not asked: without them the word is alone": (
                functools.partial(_step, asks=("own",))
            ),
            "the kept keys and the kept values are exchanged": (
                lambda x, block, key, value: _step(x, block, value, key)
            ),
            "the norms are missing: each part gets norm(x)": (
                functools.partial(_step, norms=(False, False))
            ),
            "a norm is missing: query, key and value are made of attention_norm(x)": (
                functools.partial(_step, norms=(False, True))
            ),
            "a norm is missing: the mlp gets mlp_norm(x)": (
                functools.partial(_step, norms=(True, False))
            ),
            "the residuals are missing: what a part finds is added to x": (
                functools.partial(_step, keep=(False, False))
            ),
            "a residual is missing: what attention finds is added to x": (
                functools.partial(_step, keep=(False, True))
            ),
            "a residual is missing: what the mlp finds is added to x": (
                functools.partial(_step, keep=(True, False))
            ),
            "the mlp is missing: this is the first half of the block": (
                functools.partial(_step, mlp=False)
            ),
        },
    ),
}
