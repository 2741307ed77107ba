"""What may be drawn: numbers, weights, words, queries, and how a number is written.

Each rule stands here once, for figures, drawings and live figures alike.
"""

import contextlib
import re
from collections.abc import Collection
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import torch

from d2lattn.arguments import show

Numbers: TypeAlias = npt.ArrayLike | torch.Tensor  # whatever `to_numpy` takes
Words: TypeAlias = Collection[object]  # whatever `names` takes: each is written as str() writes it
Query: TypeAlias = int | str  # see `position`
SPACE = r"\s\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"  # as a page has it
PIECE = re.compile(f"[^{SPACE}]+", re.ASCII)
MARKS = (".", ",", ";", ":", "!", "?")
LARGEST = 1e6  # of a number in a live figure: scores stay within what a double holds


def to_numpy(values: Numbers, name: str = "values") -> np.ndarray:
    """A numpy array of a tensor on any device and of any dtype, or of anything numpy takes.

    Raises:
        ValueError: `name` holds nothing that numpy takes (a ragged list, a tensor on meta).

    Example:
        >>> to_numpy(torch.ones(2, dtype=torch.bfloat16, requires_grad=True))
        array([1., 1.], dtype=float32)
    """
    try:
        if not torch.is_tensor(values):
            return np.asarray(values)
        values = values.detach().cpu()
        short = values.is_floating_point() and values.element_size() < 4  # numpy has no bfloat16
        return (values.float() if short else values).numpy()
    except (TypeError, ValueError, RuntimeError) as error:  # NotImplementedError is one of these
        raise ValueError(f"{name} must hold numbers that numpy takes, got {error}") from None


def numbers(name, values, shape, rule, *, kinds="biuf", finite=False, hidden=False):
    """An array of real numbers of this shape, in which None is any size from 1.

    `rule` says the shape in words; `kinds` are letters of numpy's for what is let in ("b": bool).
    Finite ones may be -inf where they are scores of `hidden` keys.
    """
    array = to_numpy(values, name)
    if array.dtype.kind not in kinds:
        what = "be boolean, True = may attend" if kinds == "b" else "hold real numbers"
        got = array.dtype if array.dtype.kind in "biufc" else show(values)
        raise ValueError(f"{name} must {what}, got {got}")
    sizes = zip(array.shape, shape, strict=False)
    if array.ndim != len(shape) or not all(n == want if want else n for n, want in sizes):
        raise ValueError(f"{name} must have {rule}, got shape {array.shape}")
    wrong = ~np.isfinite(array) & ~((array == -np.inf) & hidden)
    if finite and wrong.any():
        raise ValueError(f"{name} must be finite{' or -inf' * hidden}, got {array[wrong][0]}")
    return array


def readable(name, values, axes, most, *, hidden=False):
    """A float64 tensor with these axes, none longer than `most`, of numbers that can be read."""
    rule = f"axes ({', '.join(axes)})"
    array = numbers(name, values, (None,) * len(axes), rule, finite=True, hidden=hidden)
    for axis, size, limit in zip(axes, array.shape, most, strict=True):
        if size > limit:
            raise ValueError(f"{name} must have at most {limit} {axis}, got {size}")
    x = torch.from_numpy(array.astype(float))
    largest = x.where(x.isfinite(), 0).abs().max().item()
    if largest > LARGEST:
        raise ValueError(f"{name} must lie within ±{LARGEST:.0e}, got {largest:.3g}")
    return x


def pair(name, values):
    """Two finite numbers (booleans are none), as an array of floats."""
    return numbers(name, values, (2,), "two numbers", kinds="iuf", finite=True).astype(float)


def asking_row(name, values, row, count, *, kinds="iuf"):
    """`count` numbers, one for each word; of a matrix (L, count) the row of the query."""
    array = to_numpy(values, name)
    array = array[row] if array.ndim == 2 and row < len(array) else array
    rule = f"a number for each of the {count} words, (n,) or (L, n)"
    return numbers(name, array, (count,), rule, kinds=kinds)


def check_weights(weights):
    """Require weights of at least 0 whose rows (the last axis) add up to 1, or 0 if hidden."""
    values = weights if torch.is_tensor(weights) else torch.as_tensor(weights, device="cpu")
    values = values.double()
    sums = values.sum(-1)
    off = torch.minimum(sums.abs(), (sums - 1).abs())
    if not ((values >= 0).all() and (off < 0.01).all()):
        raise ValueError(
            "weights must be at least 0, and each row must have the sum 1 (0 where all is "
            f"hidden), got {show(weights)}"
        )


def weights_of(weights, row, count):
    """The weights of a query, `count` of them: all that was given, or its row of a matrix."""
    weights = asking_row("weights", weights, row, count).astype(float)
    check_weights(weights)
    return weights


def as_weights(weights, shape, rule):
    """Attention weights of this shape; each row has the sum 1, or 0 where all is hidden."""
    array = numbers("weights", weights, shape, rule, kinds="iuf").astype(float)
    check_weights(array)
    return array


def curves(x, series):
    """The positions (n,) of curves, and name -> values (n,) of each; NaN leaves a gap."""
    if not isinstance(series, dict) or not series:
        raise ValueError(f"series must be a dict name -> values with a curve, got {show(series)}")
    x = numbers("x", x, (None,), "one axis and a point")
    rule = f"the shape of x, {x.shape}"
    return x, {name: numbers(f"series {name!r}", y, x.shape, rule) for name, y in series.items()}


def listed(name, values, what="strings"):
    """A list of what comes in a list, an array, a set: in something that has an end."""
    if isinstance(values, Collection) and not isinstance(values, (str, bytes)):
        with contextlib.suppress(TypeError):  # of an array without an axis
            return list(values)
    raise ValueError(f"{name} must be a list of {what}, got {show(values)}")


def names(name, values, count=None, of=None, *, different=False):
    """A list of strings, at least one; `count` of them if that is given, one for each `of` such."""
    texts = [str(value) for value in listed(name, values)]
    if not texts:
        raise ValueError(f"{name} must hold at least 1 string, got none")
    for text in texts:
        if any(0xD800 <= ord(letter) <= 0xDFFF for letter in text):  # half a letter of UTF-16
            raise ValueError(f"{name} must hold text that UTF-8 can write, got {text!a}")
    if count is not None and len(texts) != count:
        rule = f"fit the {count} {of}" if of else f"hold {count} strings"
        raise ValueError(f"{name} must {rule}, got {len(texts)}: {show(texts)}")
    twice = [word for i, word in enumerate(texts) if word in texts[:i]] if different else []
    if twice:
        raise ValueError(f"{name} must hold different words, got {twice[0]!r} twice")
    return texts


def read(text, vocabulary):
    """The words of a text, by their positions in the vocabulary, and those that are not in it.

    A text is cut at white space. A piece is the word of the vocabulary that is written like it, or
    else the first that differs in capitals alone. A piece that is neither gives up a mark at its
    end, one of . , ; : ! ?, as often as that helps; a mark that was given up is a word where the
    vocabulary has it, and is left out where it has not. `readWords` of live/kit/words.js does
    the same in a page.

    Example:
        >>> read("Dr. May comes.", ["may", "May", "Dr.", "comes", "."])
        ([2, 1, 3, 4], [])
        >>> read("The cat, alas!", ["the", "cat"])
        ([0, 1], ['alas'])
    """
    small = [word.lower() for word in vocabulary]

    def known(word):
        pairs = ((word, vocabulary), (word.lower(), small))
        return next(([words.index(one)] for one, words in pairs if one in words), [])

    found, unknown = [], []
    for piece in PIECE.findall(text):
        word = piece
        while not known(word) and word.endswith(MARKS):
            word = word[:-1]
        if word and not known(word):
            unknown.append(word)
        for part in (word, *piece[len(word) :]):
            found += known(part)
    return found, unknown


def read_vocabulary(words, count=None):
    """The words of a vocabulary, `count` of them, such that each can be read in a text."""
    vocabulary = names("vocabulary", words, count, different=True)
    unread = [word for word in vocabulary if not PIECE.fullmatch(word)]
    if unread:
        raise ValueError(f"vocabulary must hold words without white space, got {unread[0]!r}")
    return vocabulary


def on_one_line(text):
    """The same words with one space between them: the field of a page drops line ends."""
    return " ".join(PIECE.findall(text))


def token_ids(name, text, vocabulary, most):
    """The positions in the vocabulary of the words of a text, from 1 to `most` of them."""
    found, unknown = read(text, vocabulary)
    if unknown:
        raise ValueError(f"{name} must hold words of the vocabulary, got {unknown[0]!r}")
    if not 1 <= len(found) <= most:
        raise ValueError(f"{name} must have 1 to {most} words, got {len(found)}: {show(text)}")
    return found


def position(query, words, name="query"):
    """The place from 0 of who asks: an integer, negative from the end, or a word that occurs once.

    `words` are those among which to look, or how many rows there are if these have no names.
    """
    named, count = ([], words) if isinstance(words, int) else (words, len(words))
    if isinstance(query, str) and named.count(query) == 1:
        return named.index(query)
    whole = isinstance(query, (int, np.integer)) and not isinstance(query, bool)
    if whole and -count <= query < count:
        return int(query) % count
    once = f" or a word that occurs once in {show(named)}" if named else ""
    raise ValueError(
        f"{name} must be a position from {-count} to {count - 1}{once}, got {show(query)}"
    )


def number(value, fmt=".2f", *, minus="−"):
    """The number in this format, with a real minus and no −0."""
    text = format(value, fmt)
    if text.startswith("-"):
        text = (minus if text.strip("-0.") else "") + text[1:]
    return text
