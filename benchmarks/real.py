"""The real model and the text it is judged by, for the experiments real_*.py.

The text is the prose of this book at commit f298423, whole paragraphs, frozen: the model is of
2024, the prose of 2026, so that it cannot have been read before. A seed draws passages of it.

A second text asks whether a sentence is one about this book: what Python says in `help()`, as it is
stored with the package. The model may well have read it.
"""

import dataclasses
import functools
import hashlib
import importlib.util
import pathlib
import types

import torch
import torch.nn.functional as F

from d2lattn import apply_rotary
from d2lattn.multihead import Context
from d2lattn_book.language import own_text
from d2lattn_book.real import load
from d2lattn_book.real.edits import edited

PROSE = pathlib.Path(__file__).resolve().parent / "data" / "prose.txt"
SHA256 = "48356c65a9952c5b984f32bafe601939f8ca24437f7673175692ac49e566346d"
LAYERS, HEADS, PIECES = 30, 9, 20765
rotate = functools.partial(apply_rotary, base=100000.0)
ROTATED = Context(rotate)


@functools.cache
def loaded():
    """(model, tokenizer), once in each process."""
    torch.set_num_threads(1)
    return load()


def model():
    return loaded()[0]


def encode(text):
    """The pieces of a text, (1, L)."""
    return torch.tensor([loaded()[1].encode(text).ids])


def piece(word):
    """The one piece that a word with the space before it is."""
    tokens = encode(f" {word}")
    if tokens.numel() != 1:
        raise ValueError(f"word must be one piece, got {word!r} of {tokens.numel()}")
    return tokens.item()


@functools.cache
def prose():
    """All pieces of the frozen text, (20765,)."""
    text = PROSE.read_bytes()
    if hashlib.sha256(text).hexdigest() != SHA256:
        raise ValueError(f"{PROSE.name} must be as it was frozen, got another text")
    return encode(text.decode("utf-8"))[0]


@functools.cache
def manual():
    """All pieces of the second text."""
    return encode(own_text.read())[0]


def passages(seed, count, length, text="prose"):
    """Passages (count, length) that begin anywhere in the text, "prose" or "manual"."""
    pieces = {"prose": prose, "manual": manual}[text]()
    generator = torch.Generator().manual_seed(seed)
    starts = torch.randint(len(pieces) - length + 1, (count,), generator=generator)
    return torch.stack([pieces[start : start + length] for start in starts.tolist()])


def beside(name, text="manual", passages_a_draw=None):
    """The functions of another experiment real_*, with caches of their own, and with passages of
    this text (None: of those that it names); where it draws more than so many, they are fewer."""
    path = PROSE.parents[1] / "experiments" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"beside_{path.stem}_{text}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def drawn(seed, count, length, named="prose"):
        return passages(seed, min(count, passages_a_draw or count), length, text or named)

    module.real = types.SimpleNamespace(**globals() | {"passages": drawn})
    return module


def on_the_manual(name, rows, *, seeds=8, passages_a_draw=None):
    """An experiment real_* with Python's manual in the place of the book's prose."""
    module = beside(name, passages_a_draw=passages_a_draw)
    one = module.EXPERIMENT
    fewer = f", {passages_a_draw} passages a draw" if passages_a_draw else ""
    return dataclasses.replace(
        one,
        held=f"the second text, Python's manual, with its own draws{fewer}; else as in {name}, "
        f"where it says: {one.held}",
        variants={row: one.variants[row] for row in rows},
        run=module.run,
        seeds=seeds,
    )


def noise(seed, count, length):
    """Pieces drawn at random, without the special ones, (count, length)."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(1000, 40000, (count, length), generator=generator)


@torch.no_grad()
def losses(tokens, *edits):
    """The nats of each piece but the first, (B, L - 1), of the model with these edits."""
    with edited(model(), *edits):
        logits = model()(tokens)
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), tokens[:, 1:], reduction="none")


def nats(tokens, *edits, start=1):
    """The mean of the losses of the pieces from this place on."""
    return losses(tokens, *edits)[:, start - 1 :].mean().item()


@torch.no_grad()
def onwards(x, layer):
    """The last stream (B, L, E) of one that this layer gets: the layers before are not computed."""
    for block in model().blocks[layer:]:
        x = block(x, is_causal=True, context=ROTATED)
    return x


@torch.no_grad()
def losses_of(x, tokens, start):
    """The nats (B, L - start) of the pieces from this place on, of a last stream (B, L, E)."""
    logits = model().to_logits(model().norm(x[:, start - 1 : -1]))
    return F.cross_entropy(logits.transpose(1, 2), tokens[:, start:], reduction="none")
