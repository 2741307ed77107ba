"""The real model and the text it is judged by, for the experiments real_*.py.

The text is the prose of this book at commit f298423, whole paragraphs, frozen: the model is of
2024, the prose of 2026, so that it cannot have been read before. A seed draws passages of it.

A second text asks whether a sentence is one about this book: what Python says in `help()`, as it is
stored with the package. The model may well have read it.
"""

import functools
import hashlib
import pathlib

import torch
import torch.nn.functional as F

from d2lattn import apply_rotary
from d2lattn.multihead import Context
from d2lattn_book.language import own_text
from d2lattn_book.real import load, trace
from d2lattn_book.real.edits import Edit, edited

PROSE = pathlib.Path(__file__).resolve().parent.parent / "data" / "prose.txt"
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


def text_and_change(variant):
    """("manual", its rest) of a variant whose name says so, or else ("prose", the variant)."""
    change = variant.removeprefix("manual_")
    return "prose" if change == variant else "manual", change


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


def told(logits, tokens):
    """The mean nats of what the logits (B, rows, V) of the last tokens say of the next ones."""
    rows = logits.shape[1] - 1
    return -logits[:, :-1].log_softmax(-1).gather(2, tokens[:, -rows:, None]).mean()


def with_parts(change, layers=None):
    """Edits that put change(heads, query, key, value) in the place of what the heads of these
    layers found, all (B, H, L, D) and turned."""
    at = {}

    def note(name):
        def keep(x, layer):
            at[name] = x.repeat_interleave(HEADS // x.shape[1], 1)
            return x

        return Edit(name, keep, layers)

    parts = "query", "key", "value"
    heads = Edit("heads", lambda heads, layer: change(heads, *(at[p] for p in parts)), layers)
    return [*map(note, parts), heads]


def turned(x, positions, speeds):
    """Pairs (2j, 2j+1) of x (..., L, D) times e^(i·position·speed)."""
    angles = positions.double()[:, None] * speeds  # (L, D/2)
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    turns = torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(pairs * turns).flatten(-2).to(x.dtype)


def scored(tokens, period, *edits):
    """The mean weight of each head, (layers, H), for the token after the earlier copy, if these
    (B, 2 · period) come twice, and for the token before."""
    weights = trace(model(), tokens, keep=["weights"], edits=edits).weights
    asking, later = torch.arange(period, 2 * period - 1), torch.arange(1, 2 * period)
    after_copy = weights[..., asking, asking - period + 1].mean((1, 3))
    return after_copy, weights[..., later, later - 1].mean((1, 3))


def ranked(scores):
    """All heads (layer, head), the highest score first."""
    order = scores.flatten().argsort(descending=True).tolist()
    return [divmod(place, HEADS) for place in order]
