"""A text of one's own, for a model that reads letters (chapter 0), and counting, the line to beat.

Stored with the package is what Python 3.11.7 says in `help()`: 162,852 letters of prose, each
paragraph once (the Python Software Foundation's licence lies beside the file).
"""

import os
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import torch

from d2lattn.arguments import check_count, show

STORED = Path(__file__).with_name("data") / "python_topics.txt"
RUN = STORED.with_name("python_topics_run.npz")  # experiments/first_model.py makes it
SHA256 = "63b7ff22120f82adee62c79752aa73c474eae440aa8b4ba296dd17e035770479"
SHORTEST, HELD_OUT = 2_000, 8_000  # characters of a text; at most so many are held out


class NotReadable(ValueError):
    """What is wrong with a reader's file: a notebook shows this line alone, without the code."""

    def _render_traceback_(self):
        return [f"ValueError: {self}"]


def read(path: str | os.PathLike | None = None) -> str:
    """The text of a file; without a path, the one that is stored with the package.

    Example:
        >>> len(read())
        162852
    """
    if path is None:
        return STORED.read_text(encoding="utf-8")
    if not isinstance(path, (str, os.PathLike)) or not os.path.isfile(path):
        texts = ", ".join(sorted(file.name for file in Path().glob("*.txt"))) or "none"
        raise NotReadable(f"no file {show(path)} in {os.getcwd()}; its .txt files: {texts}")
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise NotReadable(f"{path} is no text in UTF-8: in an editor, save it as UTF-8") from None


def split(text: str) -> tuple[str, str]:
    """A text in two: for training, and its last tenth (at most 8,000 characters), held out.

    Example:
        >>> [len(part) for part in split("abcde" * 1000)]
        [4500, 500]
    """
    if not isinstance(text, str) or len(text) < SHORTEST or len(set(text)) < 2:
        got = f"{len(text):,} characters" if isinstance(text, str) else show(text)
        raise NotReadable(f"a text needs {SHORTEST:,} characters, not all the same, got {got}")
    cut = len(text) - min(len(text) // 10, HELD_OUT)
    return text[:cut], text[cut:]


def stored_run() -> tuple[dict, np.ndarray]:
    """Section 0.8's Transformer after 1,200 steps on the stored text: its state, and its curve.

    Example:
        >>> stored_run()[1].shape  # step, training loss, held-out loss
        (49, 3)
    """
    with np.load(RUN) as stored:
        state = {name: torch.tensor(stored[name]).float() for name in stored.files}
    return state, state.pop("curve").numpy()


def count(text: str, order: int) -> float:
    """The loss of an n-gram model, n = `order`, on the held-out characters, in nats.

    p(c | h) = (N(hc) + D(h) · p(c | h′)) / (N(h) + D(h)), where N counts in the read part, h are
    the order − 1 letters before c, D(h) is how many different letters followed h, and h′ is h
    without its first letter; with no letter left, all are equally likely (Witten & Bell 1991,
    "The zero-frequency problem", method C, interpolated).

    Cost:
        Of order 6 about two seconds for 160,000 letters.

    Example:
        >>> round(count("ab" * 1000, 2), 3) < 0.01 < round(count("ab" * 1000, 1), 3)
        True
    """
    part, _ = split(text)
    check_count("order", order, most=100)
    followers = [_followers(part, length) for length in range(order)]
    alphabet, probs = len(set(text)), []
    for i in range(len(part), len(text)):
        p = 1 / alphabet
        for length, table in enumerate(followers):
            after = table.get(text[i - length : i])
            if after is None:
                break  # a longer context was not seen either
            seen, different = after
            p = (seen[text[i]] + different * p) / (seen.total() + different)
        probs.append(p)
    return -torch.tensor(probs, dtype=torch.float64).log().mean().item()


def _followers(part, length):
    """{a context of this length: (how often each letter followed it, how many different did)}."""
    found = defaultdict(Counter)
    for i in range(length, len(part)):
        found[part[i - length : i]][part[i]] += 1
    return {context: (after, len(after)) for context, after in found.items()}
