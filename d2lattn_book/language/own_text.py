"""A text of one's own, learned letter by letter (chapter 9), beside counting, the line to beat.

Stored with the package is what Python 3.11.7 says in `help()`: 162,852 letters of prose, each
paragraph once (the Python Software Foundation's licence lies beside the file, and
`tools/make_python_topics.py` made it).
"""

import os
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from d2lattn.arguments import check_count, check_counts, check_flag, show
from d2lattn.generation import generate
from d2lattn.training import few_threads, fit
from d2lattn.transformer import Decoder

STORED = Path(__file__).with_name("data") / "python_topics.txt"
SHA256 = "63b7ff22120f82adee62c79752aa73c474eae440aa8b4ba296dd17e035770479"
LENGTH, ROWS = 128, 16  # letters of a row, rows of a step
CONTEXT = LENGTH // 2  # letters that are read, at least, before one whose loss counts
SHORTEST, UNREAD = 2_000, 8_000  # letters of a text; at most so many are kept unread


def read(path: str | os.PathLike | None = None) -> str:
    """The text of a file; without a path, the one that is stored with the package.

    Example:
        >>> len(read())
        162852
    """
    if path is None:
        return STORED.read_text(encoding="utf-8")
    if not isinstance(path, (str, os.PathLike)) or not os.path.isfile(path):
        raise ValueError(f"path must be that of a text file, got {show(path)}")
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"path must be that of a text in UTF-8, such as an editor saves, got {show(path)}: "
            f"{error.reason} at byte {error.start}"
        ) from None


def split(text: str) -> tuple[str, str]:
    """A text in two: what is read, and its last tenth (at most 8,000 letters), kept unread.

    Example:
        >>> [len(part) for part in split("abcde" * 1000)]
        [4500, 500]
    """
    if not isinstance(text, str) or len(text) < SHORTEST or len(set(text)) < 2:
        got = f"{len(text):,} letters" if isinstance(text, str) else show(text)
        raise ValueError(
            f"text must be a string of at least {SHORTEST:,} letters, not all of them the same, "
            f"got {got}"
        )
    cut = len(text) - min(len(text) // 10, UNREAD)
    return text[:cut], text[cut:]


def count(text: str, order: int) -> float:
    """The loss on the unread letters of who only counts groups of `order` letters, in nats.

    p(c | h) = (N(hc) + D(h) · p(c | h′)) / (N(h) + D(h)), where N counts in the read part, h are
    the order − 1 letters before c, D(h) is how many different letters followed h, and h′ is h
    without its first letter; with no letter left, all are equally likely (Witten & Bell 1991,
    "The zero-frequency problem", method C, interpolated). A context never seen hands over to the
    shorter one.

    Cost:
        Of order 6 about two seconds for 160,000 letters.

    Example:
        >>> round(count("ab" * 1000, 2), 3) < 0.01 < round(count("ab" * 1000, 1), 3)
        True
    """
    part, _ = split(text)
    check_count("order", order, most=100)
    followers = [_followers(part, length) for length in range(order)]
    alphabet, chances = len(set(text)), []
    for i in range(len(part), len(text)):
        p = 1 / alphabet
        for length, table in enumerate(followers):
            after = table.get(text[i - length : i])
            if after is None:
                break  # a longer context was not seen either
            seen, different = after
            p = (seen[text[i]] + different * p) / (seen.total() + different)
        chances.append(p)
    return -torch.tensor(chances, dtype=torch.float64).log().mean().item()


def _followers(part, length):
    """{a context of this length: (how often each letter followed it, how many different did)}."""
    found = defaultdict(Counter)
    for i in range(length, len(part)):
        found[part[i - length : i]][part[i]] += 1
    return {context: (after, len(after)) for context, after in found.items()}


@dataclass
class Learner:
    """What `train_on` returns.

    Attributes:
        model: the `Decoder`, in evaluation mode, as far as it got.
        alphabet (str): its letters, in the order of their numbers.
        steps (list of int): after how many steps the losses were taken.
        read, unread (list of float): mean −ln p of a letter that it was trained on, and of one
            that it was not, in nats; as many as steps.
        interrupted (bool): whether someone stopped it before the last step.
    """

    model: Decoder
    alphabet: str
    steps: list[int]
    read: list[float]
    unread: list[float]
    interrupted: bool


def train_on(
    text: str,
    *,
    steps: int = 600,
    embed_dim: int = 96,
    num_layers: int = 3,
    window: int | None = None,
    every: int | None = None,
    seed: int = 0,
    progress: bool = True,
) -> Learner:
    """Train a decoder with rotary positions and 4 heads on a text, letter by letter, by `fit`.

    Each step reads 16 stretches of 128 letters from the read part (`split`). Ctrl-C or the
    notebook's stop button end it there: the learner is whole, and writes as it can by then.

    Args:
        text: at least 2,000 letters.
        steps, embed_dim, num_layers (int): as in `fit` and `Decoder`.
        window (int): how many letters are seen, the letter itself counted; all 128 when absent.
        every (int): steps from one point of the curves to the next; an eighth when absent.
        seed (int): of the first weights and of the stretches that are read.
        progress (bool): as in `fit`.

    Cost:
        One to four minutes for 600 steps on a core of its own.

    Example:
        >>> learner = train_on("the cat sat. " * 200, steps=4, embed_dim=8, num_layers=1)
        >>> learner.steps, learner.unread[-1] < learner.unread[0]
        ([0, 1, 2, 3, 4], True)
    """
    part, rest = split(text)
    check_counts(steps=steps)
    check_flag("progress", progress)
    every = max(steps // 8, 1) if every is None else every
    check_counts(every=every)
    alphabet = "".join(sorted(set(text)))
    model = Decoder(
        len(alphabet),
        embed_dim,
        num_layers=num_layers,
        num_heads=4,
        positions="rotary",
        window=window,
        seed=seed,
    )
    rows = _numbers(part, alphabet).unfold(0, LENGTH + 1, 1)
    generator = torch.Generator().manual_seed(seed)

    def batch(step):
        some = rows[torch.randint(len(rows), (ROWS,), generator=generator, device="cpu")]
        return some[:, :-1], some[:, 1:]

    run = fit(model, batch, steps=steps, every=every, progress=progress)
    asked = CONTEXT + 1  # letters before the first whose loss counts
    ends = part[-asked:] + rest, part[: asked + len(rest)]
    tokens = [_numbers(end, alphabet) for end in ends]
    points = sorted(run.snapshots)
    unread, seen = ([_loss(run.snapshots[p], some) for p in points] for some in tokens)
    return Learner(model, alphabet, points, seen, unread, run.interrupted)


def write(
    learner: Learner, start: str, *, letters: int = 300, temperature: float = 0.5, seed: int = 0
) -> str:
    """Let a learner go on from `start`, whose letters must stand in the text that it read.

    Args:
        letters (int): how many are drawn.
        temperature: as in `sample`.
        seed (int): of the draw.

    Example:
        >>> learner = train_on("the cat sat. " * 200, steps=4, embed_dim=8, num_layers=1)
        >>> len(write(learner, "the ", letters=20))
        24
    """
    if not isinstance(learner, Learner):
        raise ValueError(f"learner must be what train_on returned, got {show(learner)}")
    if not isinstance(start, str) or not start or not set(start) <= set(learner.alphabet):
        raise ValueError(
            "start must be a string of letters that stand in the text that was read, at least "
            f"one, got {show(start)}"
        )
    check_counts(letters=letters)
    check_counts(0, seed=seed)
    tokens = _numbers(start, learner.alphabet)[None]
    generator = torch.Generator().manual_seed(seed)
    with few_threads(list(learner.model.parameters())):
        row = generate(
            learner.model,
            tokens.to(_device(learner.model)),
            steps=letters,
            temperature=temperature,
            generator=generator,
        )[0]
    return "".join(learner.alphabet[i] for i in row.tolist())


def _numbers(text, alphabet):
    """int64 (letters,), on the CPU: what is read of it goes to the model, row by row."""
    number = {letter: i for i, letter in enumerate(alphabet)}
    return torch.tensor([number[letter] for letter in text], device="cpu")


def _device(model):
    return model.embedding.weight.device


@torch.no_grad()
def _loss(model: nn.Module, tokens: Tensor) -> float:
    """Mean −ln p of the letters after the first CONTEXT + 1: each is predicted from at least
    CONTEXT letters, and at most LENGTH, before it."""
    rows, targets = [], []
    for begin in range(CONTEXT + 1, len(tokens), CONTEXT):
        end = min(begin + CONTEXT, len(tokens))
        row = tokens[end - LENGTH - 1 : end]
        asked = row[1:].clone()
        asked[: LENGTH - (end - begin)] = -100
        rows.append(row[:-1])
        targets.append(asked)
    total, device = 0.0, _device(model)
    with few_threads(list(model.parameters())):
        for x, y in zip(torch.stack(rows).split(32), torch.stack(targets).split(32), strict=True):
            logits = model(x.to(device)).flatten(0, 1)
            total += F.cross_entropy(logits, y.to(device).flatten(), reduction="sum").item()
    return total / (len(tokens) - CONTEXT - 1)
