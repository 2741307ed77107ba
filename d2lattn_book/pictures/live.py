"""Live figures: pictures that recompute in the browser, without a kernel and without a network.

Each function returns a `Figure`, which a notebook shows. Its HTML holds a sentence and a plain
table of the numbers, then an element with its data in an attribute, then the code that draws it.
Where no code runs, sentence and table remain; in a terminal, one line.
"""

import hashlib
import html
import json
import math
import os
import re
from collections.abc import Sequence
from pathlib import Path

import torch

from d2lattn.arguments import check_choice, check_count, check_number, show
from d2lattn.transformer import Decoder
from d2lattn_book.comparison import attention_cost, conv_cost, rnn_cost
from d2lattn_book.host import on_the_host
from d2lattn_book.pictures import arrays
from d2lattn_book.pictures.arrays import (
    Numbers,
    Words,
    on_one_line,
    position,
    read_vocabulary,
    readable,
    to_numpy,
    token_ids,
)
from d2lattn_book.pictures.colours import ROLES
from d2lattn_book.pictures.packed import in_bytes, pack, unpack
from d2lattn_book.pictures.tables import plain_table, weights_table

STORED = Path(__file__).resolve().parent / "live_js" / "stored"
SITE = "https://d2lattn.github.io/d2lattn/"
STILL = (
    f'Here it stands still. The figure moves <a href="{SITE}">on the website</a>, in a trusted '
    "notebook and where its cell is run."
)
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; font-family: sans-serif; }}
main {{ max-width: 1180px; margin: 16px auto; }}
</style>
<main>
{figure}
</main>
</html>
"""
MASKS = ("none", "padding", "causal", "window", "causal + padding", "causal + window")
MOST_TOKENS = 12  # of the microscope: every number has to be legible
ATTENTION_PARTS = ("temperature", "divisor", "mask")
POSITIONS_PARTS = ("clocks", "turn")
MOST_WORDS, MOST_HEADS, MOST_SHARES = 64, 16, 65_536  # of the maps
MOST_STEPS, MOST_SHARES_IN_TRAINING = 500, 50_000  # a figure of at most 100 kB in the notebook
MOST_READ, LISTED = 32, 5  # words that the reader reads, and words that its table lists
MOST_RANKS, MOST_IN_RING = 4, 24  # ranks of a ring, and words on all of them
SPLITS = ("contiguous", "striped")
MOST_KEPT = 16  # words that come into a cache
MOST_SIZE = 4096  # of a model: the bytes stay whole numbers in a double
KINDS_KEPT = ("full", "grouped", "latent", "window", "sinks", "state")
TASKS = {  # of the figure that trains, and how each is called there
    "back": "predict the previous token",
    "like": "find the same letter",
    "asked": "follow a pointer",
    "copy": "associative recall, letter → number",
    "sort": "sort five digits",
    "sentences": "the book's sentences",
    "text": "your own text",
}
SETTINGS = {
    "layers": (1, 2),
    "heads": (1, 2, 4),
    "width": (8, 16, 24, 32),
    "positions": ("none", "added", "rotary"),
    "mask": (False, True),
    "divisor": ("1", "√d", "d"),
    "same_qk": (False, True),
    "mlp": (False, True),
}
MOST_NUMBERS = 8  # in a token, query, key or value of the microscope


class Figure:
    """A live figure. `html` is its fragment, `str` the line that stands for it in a terminal."""

    def __init__(self, kind: str, line: str, data: dict, table: str, note: str = "") -> None:
        self.line = line
        data = {"figure": kind, "title": line, "roles": ROLES, **data}
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        text = html.escape(text, quote=False).replace("'", "&#x27;")
        self.html = f"{fallback(line, table)}\n{element(kind, text)}{note}"

    def __repr__(self):
        return self.line

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the figure as a page of HTML that needs no kernel and no network.

        Example:
            >>> steps([1.0, 3.0], [10.0, 20.0]).save("softmax.html")  # doctest: +SKIP
        """
        known = isinstance(path, (str, os.PathLike))
        if not known or Path(path).suffix.lower() not in (".html", ".htm"):
            raise ValueError(f"path must be the path of a page, *.html, got {show(path)}")
        title = html.escape(self.line)
        Path(path).write_text(PAGE.format(title=title, figure=self.html), encoding="utf-8")

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/plain": self.line, "text/html": self.html}


def fallback(line: str, table: str) -> str:
    """What is seen where no code runs: a sentence, a table, and where the figure moves."""
    said = html.escape(line.removeprefix("live "), quote=False)
    said = re.sub(", each weight within [^ ,]+", "", said)  # which says nothing to a reader
    said = f'<p class="said">{said[0].upper()}{said[1:]}.</p>'
    return f'<div class="live-fallback">{said}{table}<p>{STILL}</p></div>'


def element(kind: str, data: str) -> str:
    """The element with its data, escaped, and the code that draws it; the name is the code's."""
    code = (STORED / f"{kind}.js").read_text(encoding="utf-8").split("\n", 1)[1].strip()
    if "</script" in code.lower():
        raise ValueError(f"the code of {kind} must not hold </script")
    name = f"live-{hashlib.sha256(code.encode()).hexdigest()[:8]}"
    code = code.replace("live-00000000", name)
    return f"<{name} data-live='{data}'></{name}>\n<script type=\"module\">{code}</script>"


@on_the_host
def attention(
    x: Numbers,
    *,
    tokens: Words,
    scale: float | None = None,
    mask: str = "none",
    query: int | str = -1,
    parts: Sequence[str] = ATTENTION_PARTS,
) -> Figure:
    """Self-attention under the microscope: every number on screen, with its arithmetic in words.

    softmax(X Xᵀ · scale) X: queries, keys and values are the tokens themselves (chapter 1). The
    reader chooses a query, plays it a step at a time, and changes tokens, temperature, divisor and
    mask.

    Args:
        x: (n, d), a tensor or rows of numbers; n up to 12, d up to 8.
        tokens: n words, one for each row.
        scale (float): factor of the scores, 1e-6 to 1e6; 1/√d when absent.
        mask: where the menu of masks begins: "none", "padding", "causal", "window",
            "causal + padding" or "causal + window".
        query: the token whose query is followed when the figure opens, by name or position.
        parts: the controls that the reader is offered, of "temperature", "divisor" and "mask".

    Raises:
        ValueError: shapes that do not fit, numbers that are not finite, more than 12 tokens or 8
            numbers in one, an unknown mask or part, a scale or a number beyond 1e6, an unknown
            word.

    Cost:
        About 26 kB in the notebook for six tokens.

    Example:
        >>> attention([[1.0, 0.0], [1.0, 1.0]], tokens=["small", "cat"])
        live attention: 2 tokens of width 2; cat attends most to cat, attention weight 0.67
    """
    x = readable("x", x, ("tokens", "numbers"), (MOST_TOKENS, MOST_NUMBERS))
    tokens = arrays.names("tokens", tokens, len(x), "rows of x")
    if scale is not None:
        check_number("scale", scale, 1e-6)
    size, visible = _mask(mask, len(x))
    scores = x @ x.T * (x.shape[1] ** -0.5 if scale is None else scale)
    weights = torch.softmax(scores.masked_fill(~visible, -math.inf), dim=-1).nan_to_num()
    query = position(query, tokens, "query")
    parts = _parts(parts, ATTENTION_PARTS)
    best = int(weights[query].argmax())
    line = (
        f"live attention: {len(x)} tokens of width {x.shape[1]}; {tokens[query]} attends "
        f"most to {tokens[best]}, attention weight {weights[query, best]:.2f}"
    )
    data = {"tokens": tokens, "x": _rounded(x), "asks": query, "rule": mask, "size": size}
    if len(parts) < len(ATTENTION_PARTS):
        data["parts"] = parts
    if scale is not None:
        data["divisor"] = _round(1 / scale)
    caption = "Attention weight of each row's query on each column's key"
    return Figure("attention", line, data, plain_table(caption, tokens, tokens, weights))


@on_the_host
def heads(
    weights: Numbers,
    *,
    tokens: Words,
    key_tokens: Words | None = None,
    names: Words | tuple[Words, Words | None] | None = None,
    query: int | str = -1,
    head: int | str = 0,
    step: int = 0,
) -> Figure:
    """The attention weights of many heads, or of snapshots of a model in training.

    Small maps, one large, and the weights of one query. Snapshots can be played. What is sent are
    integers of 8 or 16 bits, and the line of text says how far a weight may be off.

    Args:
        weights: (H, L, S), or (T, H, L, S) for up to 500 snapshots, which get a slider.
            Every row adds up to 1, or to 0 where nothing may be seen. At most 65,536 numbers,
            50,000 with snapshots.
        tokens: names of the L queries, at most 64.
        key_tokens: names of the S keys; `tokens` when absent.
        names: H names of heads; for T snapshots a pair (T names of steps, H names or None).
        query: the token whose query is shown when the figure opens, by name or position.
        head: the head with which it opens, by name or position.
        step (int): the snapshot with which it opens, from 0, negative from the end.

    Raises:
        ValueError: shapes that do not fit; rows whose sum is not 1; more than 64 tokens, 16 heads,
            500 snapshots or 65,536 weights; an unknown token, head or step.

    Cost:
        About 21 kB in the notebook for six tokens, 105 kB for 64 words and 16 heads.

    Example:
        >>> heads([[[0.5, 0.5], [0.1, 0.9]]], tokens=["small", "cat"])
        live heads: 1 head over 2 × 2 tokens, each weight within 8e-06
    """
    weights = to_numpy(weights, "weights")
    weights = weights[None] if weights.ndim == 3 else weights  # one snapshot
    limits = MOST_STEPS, MOST_HEADS, MOST_WORDS, MOST_WORDS
    weights = readable("weights", weights, ("steps", "heads", "tokens", "tokens"), limits)
    arrays.check_weights(weights)
    T, H, L, S = weights.shape
    most = MOST_SHARES if T == 1 else MOST_SHARES_IN_TRAINING
    if weights.numel() > most:
        raise ValueError(f"weights must have at most {most} numbers, got {weights.numel()}")
    tokens = arrays.names("tokens", tokens, L, "rows of weights")
    if key_tokens is not None:
        key_tokens = arrays.names("key_tokens", key_tokens, S, "columns of weights")
    elif L != S:
        raise ValueError(f"key_tokens must name the {S} columns of weights, which has {L} rows")
    step_names, head_names = _head_names(names, T, H)
    data = {"shape": [T, H, L, S], "tokens": tokens, "heads": head_names}
    if key_tokens is not None:
        data["key_tokens"] = key_tokens
    if T > 1:
        data["steps"] = step_names
    shown = {
        "asks": position(query, tokens, "query"),
        "head": position(head, head_names, "head"),
        "step": position(step, T, "step"),
    }
    data |= shown
    bits = 16 if weights.numel() <= 4096 else 8
    unit = 1 / (2**bits - 1)
    whole = (weights / unit).round().to(torch.int64)
    data["weights"] = in_bytes(whole, bits) | {"low": 0, "unit": unit}
    line = (
        f"live heads: {f'{T} steps of ' if T > 1 else ''}{H} head{'s' if H > 1 else ''} over "
        f"{L} × {S} tokens, each weight within {unit / 2:.0e}"
    )
    chosen, name = weights[shown["step"], shown["head"]], head_names[shown["head"]]
    table = weights_table(chosen, name, tokens, key_tokens or tokens)
    return Figure("heads", line, data, table)


def _head_names(names, T, H):
    if T > 1 and names is not None and not (isinstance(names, tuple) and len(names) == 2):
        raise ValueError(f"names must be a pair (steps, heads) for snapshots, got {show(names)}")
    steps, heads = names if T > 1 and names is not None else (None, names)
    steps = [f"step {t}" for t in range(T)] if steps is None else steps
    heads = [f"head {h}" for h in range(H)] if heads is None else heads
    steps = arrays.names("names", steps, T, "steps")
    return steps, arrays.names("names", heads, H, "heads")


@on_the_host
def positions(
    dim: int,
    *,
    base: float,
    length: int,
    a: int = 3,
    b: int = 7,
    parts: Sequence[str] = POSITIONS_PARTS,
) -> Figure:
    """Clock hands for two positions, and arrows that turn with them.

    Pair j stands at the angle i / base^(2j/dim) at position i (Vaswani et al. 2017, section 3.5);
    the same turn on a query and a key is RoPE (Su et al. 2021). The reader moves two positions, a
    of the query and b of the key, apart or together, and chooses pair and base.

    Args:
        dim (int): numbers in the encoding, even, from 2 to 32.
        base (float): above 1 and at most 1e9.
        length (int): positions, from 2 to 256.
        a, b (int): where the two positions begin; beyond the last, they stand on the last.
        parts: what is drawn, of "clocks" and "turn" (RoPE). Clocks are always drawn; alone, they
            are called clocks 1, 2, … instead of pairs 0, 1, …

    Raises:
        ValueError: an odd dim, a base not above 1, an unknown part, a number outside these limits.

    Cost:
        About 18 kB in the notebook.

    Example:
        >>> positions(8, base=10000.0, length=60)
        live positions: 4 clocks over 60 positions; base 10000, turns of 6.3 to 6283.2 positions
    """
    check_count("dim", dim, 2, 32)
    if dim % 2:
        raise ValueError(f"dim must be even, got {dim}")
    check_number("base", base, 1, 1e9)
    if base == 1:
        raise ValueError("base must be above 1, got 1")
    check_count("length", length, 2, 256)
    check_count("a", a, 0, 255)
    check_count("b", b, 0, 255)
    parts = _parts(parts, POSITIONS_PARTS)
    only_clocks = parts == ["clocks"]
    slowest = 2 * math.pi * base ** ((dim - 2) / dim)
    line = (
        f"live positions: {dim // 2} clocks over {length} positions; base {base:g}, "
        f"turns of 6.3 to {slowest:.1f} positions"
    )
    data = {"dim": dim, "base": _round(base), "length": length, "a": a, "b": b, "parts": parts}
    turns = [2 * math.pi * base ** (2 * j / dim) for j in range(dim // 2)]
    names = [f"clock {j + 1}" if only_clocks else f"pair {j}" for j in range(dim // 2)]
    table = plain_table(line, names, ["positions in one turn"], torch.tensor(turns)[:, None], 1)
    return Figure("positions", line, data, table)


@on_the_host
def field(kernel: int, depth: int, dilated: bool, causal: bool) -> Figure:
    """What one unit in a stack of convolutions sees, and what such a layer costs.

    Layer l reads `kernel` taps, 1 or (dilated) kernelˡ positions apart. The table gives the costs
    of `comparison.conv_cost`, `rnn_cost` and `attention_cost` for n, d and the kernel. The reader
    chooses the unit, kernel, depth, dilation and direction.

    Args:
        kernel (int): 1 to 9, odd unless causal.
        depth (int): layers, 1 to 5.
        dilated, causal (bool): where the drawing begins.

    Raises:
        ValueError: a kernel or depth outside these limits, an even kernel that is not causal.

    Cost:
        About 11 kB in the notebook.

    Example:
        >>> field(3, 2, dilated=True, causal=True)
        live receptive field: 2 layers, kernel 3, dilated, causal; a unit sees up to 9 positions
    """
    check_count("kernel", kernel, 1, 9)
    check_count("depth", depth, 1, 5)
    if kernel % 2 == 0 and not causal:
        raise ValueError(f"kernel must be odd unless causal, got {kernel}")
    reach = sum(kernel**layer if dilated else 1 for layer in range(depth))
    which = "dilated, " * dilated + ("causal" if causal else "centred")
    line = (
        f"live receptive field: {depth} layer{'s' if depth > 1 else ''}, kernel {kernel}, "
        f"{which}; a unit sees up to {1 + (kernel - 1) * reach} positions"
    )
    costs = {
        f"convolution, k = {kernel}": conv_cost(1024, 64, kernel, dilated=dilated, causal=causal),
        "recurrent layer": rnn_cost(1024, 64),
        "self-attention": attention_cost(1024, 64),
    }
    columns = ["FLOPs", "sequential operations", "maximum path length"]
    rows = torch.tensor(list(costs.values()), dtype=torch.float64)
    table = plain_table(f"{line}; costs for n = 1024, d = 64", costs, columns, rows, places=0)
    data = {"kernel": kernel, "depth": depth, "dilated": dilated, "causal": causal}
    return Figure("field", line, data, table)


@on_the_host
def words(
    vocabulary: Words,
    x: Numbers,
    *,
    sentences: Words,
    query: int | str = -1,
    axes: Words = ("channel 1", "channel 2"),
) -> Figure:
    """Words on a map: one is the query, lines are as thick as its weights, and it moves.

    softmax(XXᵀ)X in the plane, with nothing learned (chapter 1). The reader chooses or types a
    sentence, makes another word the query, and drags words. A word of a sentence is the one of the
    vocabulary that is written like it, or else the first that differs in capitals alone; marks at
    its end (. , ; : ! ?) do not count unless they belong to a word of the vocabulary.

    Args:
        vocabulary: n different words, at most 64.
        x: (n, 2) where they lie.
        sentences: those to choose from, strings of words of the vocabulary, at most 12 each. The
            figure opens with the first.
        query: the word of the first sentence that is the query at first, by name or position.
        axes: what the two channels of a word are called.

    Raises:
        ValueError: shapes that do not fit, numbers that are not finite or beyond 1e6, a word twice
            in the vocabulary, with white space in it or not in the vocabulary, more than 64 words
            or 12 in a sentence, other than two axes.

    Cost:
        About 18 kB in the notebook.

    Example:
        >>> words(["eat", "apple", "phone"], [[3, 0], [1, 1], [0, 2]], sentences=["eat apple"])
        live words: in "eat apple" apple attends most to eat, weight 0.73; output 2.46, 0.27
    """
    vocabulary = read_vocabulary(vocabulary)
    if len(vocabulary) > MOST_WORDS:
        raise ValueError(f"vocabulary must have at most {MOST_WORDS} words, got {len(vocabulary)}")
    x = readable("x", x, ("words", "numbers"), (MOST_WORDS, 2))
    if x.shape != (len(vocabulary), 2):
        raise ValueError(
            f"x must have two numbers for each of the {len(vocabulary)} words, "
            f"got shape {tuple(x.shape)}"
        )
    axes = arrays.names("axes", axes, 2)
    sentences = arrays.names("sentences", sentences)
    ids = [token_ids("sentences", sentence, vocabulary, MOST_TOKENS) for sentence in sentences]
    sentences = [on_one_line(sentence) for sentence in sentences]
    tokens = [vocabulary[k] for k in ids[0]]
    query = position(query, tokens, "query")
    rows = x[ids[0]]  # (tokens, 2)
    weights = torch.softmax(rows[query] @ rows.T, dim=-1)
    best, after = int(weights.argmax()), ", ".join(arrays.number(v) for v in weights @ rows)
    line = (
        f'live words: in "{sentences[0]}" {tokens[query]} attends most to {tokens[best]}, '
        f"weight {weights[best]:.2f}; output {after}"
    )
    data = {"vocabulary": vocabulary, "x": _rounded(x), "sentences": sentences, "asks": query}
    table = plain_table(line, tokens, [*axes, "weight"], torch.cat([rows, weights[:, None]], dim=1))
    return Figure("words", line, data | {"axes": axes}, table)


@on_the_host
def reader(
    model: Decoder,
    vocabulary: Words,
    *,
    text: str,
    stop: str | None = None,
    choices: Sequence[str] | None = None,
    temperature: float = 0.5,
    head: tuple[int, int] = (0, 0),
) -> Figure:
    """A trained decoder that reads and generates in the page; parameters travel as float16.

    The computation of `Decoder`, in double precision on the rounded weights. The reader types a
    text, or chooses one, looks into every head of every layer, switches heads off, and generates
    with and without the cache. A word of a text is the one of the vocabulary that is written
    like it, or else the first that differs in capitals alone; marks at its end (. , ; : ! ?) are
    words of their own where the vocabulary has them, and are left out where it has not. A word that
    is begun is completed from the vocabulary; words that are not in it are named and left out.

    Args:
        model: a `Decoder` of at most 140,000 weights.
        vocabulary: its words in the order of their numbers, all different.
        text: the words with which it opens, at most 32 of them and no more than the model has
            learned positions for.
        stop: a word of the vocabulary that ends a text, and is read before its first word, too.
        choices: other texts to begin with, all different; with `text` they stand in a menu.
        temperature (float): with which it opens, 0 to 2. At 0.5, and with all words, a writer
            of the book had most of its texts right and many of them different.
        head: the layer and the head whose map it opens with, counted from 0.

    Raises:
        ValueError: no decoder, one with parts or options that the page cannot run, too many
            weights, a vocabulary of another size, a word with white space in it or an unknown one,
            a text without a word or too long, a temperature outside 0 to 2, a head that the model
            has not.

    Cost:
        3 bytes for each weight and 25 kB in the notebook, 400 kB at most.

    Example:
        >>> model = Decoder(3, 8, num_layers=1, num_heads=2, max_len=16)
        >>> reader(model, [".", "a", "cat"], text="a cat", stop=".")
        live model: 1 layer of 2 heads, 3 tokens, 1,064 parameters as float16
    """
    sent = pack(model)
    size = sent["sizes"]["vocab_size"]
    vocabulary = read_vocabulary(vocabulary, size)
    if stop is not None and stop not in vocabulary:
        raise ValueError(f"stop must be a word of the vocabulary, got {show(stop)}")
    if not isinstance(text, str):
        raise ValueError(f"text must be a string, got {show(text)}")
    room = min(model.position.max_len or MOST_READ, MOST_READ)
    first = [] if stop is None else [vocabulary.index(stop)]
    tokens = first + token_ids("text", text, vocabulary, room - len(first))
    text = on_one_line(text)
    check_number("temperature", temperature, 0, 2)
    layers, heads = sent["sizes"]["num_layers"], sent["sizes"]["num_heads"]
    known = [(layer, one) for layer in range(layers) for one in range(heads)]
    if not isinstance(head, tuple) or not {type(n) for n in head} <= {int} or head not in known:
        raise ValueError(
            f"head must be a pair (layer, head) below ({layers}, {heads}), got {show(head)}"
        )
    data = {
        "vocabulary": vocabulary,
        "begins": text,
        "stop": first[0] if first else None,
        "room": room,
        "asks": len(tokens) - 1,
        "layer": head[0],
        "head": head[1],
        "temperature": float(temperature),
        "most": len(vocabulary),
        "model": sent,
    }
    if choices is not None:
        listed = arrays.names("choices", choices, different=True)
        for one in listed:
            token_ids("choices", one, vocabulary, room - len(first))
        data["choices"] = list(dict.fromkeys([text, *map(on_one_line, listed)]))
    count = sum(math.prod(shape) for shape in sent["shapes"].values())
    line = (
        f"live model: {layers} layer{'s' if layers > 1 else ''} of {heads} "
        f"head{'s' if heads > 1 else ''}, {len(vocabulary)} tokens, {count:,} parameters as float16"
    )
    with torch.no_grad():
        logits = unpack(sent)(torch.tensor([tokens]))[0, -1]
    likely = (logits / max(temperature, 1e-6)).softmax(-1)  # at 0 the likeliest alone
    best = likely.topk(min(LISTED, len(vocabulary)))
    names = [vocabulary[k] for k in best.indices]
    caption = f'{line}. After "{text}", at temperature {temperature:g}, the next token is probably'
    table = plain_table(caption, names, ["probability"], best.values[:, None])
    return Figure("reader", line, data, table.replace("<table>", '<table class="trained">'))


@on_the_host
def steps(scores: Numbers, values: Numbers) -> Figure:
    """The online softmax, one number at a time: running maximum, sum, rescaling and output.

    m' = max(m, s), l' = l·e^(m−m') + e^(s−m'), o' = o·e^(m−m') + e^(s−m')·v; the output is o/l
    (Milakov and Gimelshein 2018; in attention, Dao et al. 2022). The reader goes forwards and
    backwards and changes scores and values.

    Args:
        scores: (n,) numbers, n up to 12; -inf is a hidden key.
        values: (n,) or (n, d) numbers, d up to 4.

    Raises:
        ValueError: other shapes, more than 12 scores, NaN or +inf.

    Cost:
        About 14 kB in the notebook.

    Example:
        >>> steps([1.0, 3.0], [10.0, 20.0])
        live online softmax: 2 keys; the output is 18.81
    """
    scores = readable("scores", scores, ("scores",), (MOST_TOKENS,), hidden=True)
    values = to_numpy(values, "values")
    values = values[:, None] if values.ndim == 1 else values
    values = readable("values", values, ("scores", "numbers"), (MOST_TOKENS, 4))
    if len(values) != len(scores):
        raise ValueError(f"values must fit the {len(scores)} scores, got {len(values)}")
    weights = torch.softmax(scores, dim=0).nan_to_num()
    output = weights @ values
    line = f"live online softmax: {len(scores)} keys; the output is " + ", ".join(
        f"{number + 0.0:.2f}" for number in output.tolist()
    )
    data = {
        "scores": [None if score == -math.inf else _round(score) for score in scores.tolist()],
        "values": _rounded(values),
    }
    names = [f"key {j + 1}" for j in range(len(scores))]
    columns = ["score", "weight", *(f"value {c + 1}" for c in range(values.shape[1]))]
    table = torch.cat([scores[:, None], weights[:, None], values], dim=1)
    return Figure("steps", line, data, plain_table(line, names, columns, table))


@on_the_host
def cache(
    tokens: Words,
    *,
    kinds: Sequence[str] = KINDS_KEPT,
    num_heads: int = 8,
    num_kv_heads: int = 2,
    head_dim: int = 16,
    latent_dim: int = 32,
    rope_dim: int = 8,
    window: int = 4,
    sinks: int = 1,
    num_layers: int = 1,
    dtype: torch.dtype = torch.float32,
    kind: str | None = None,
    step: int = 1,
) -> Figure:
    """Tokens arrive one by one: the bytes of each kind of cache, and the keys still visible.

    Numbers a layer caches of a token: 2·H·D of "full" attention, 2·Hkv·D of "grouped", C + R of
    a "latent"; with a "window", and with "sinks" beside it, 2·H·D of the last w words and the first
    s. A "state" (`delta_attention`) has H·D·D numbers in at least float32, whatever it has read.
    These are the bytes of the rows that a `Cache` has filled. The reader plays the words, chooses a
    kind and sees, for each word when it was the newest, which ones it could look up.

    Args:
        tokens: the words, at most 16.
        kinds: those to compare, of "full", "grouped", "latent", "window", "sinks" and "state".
        num_heads, num_kv_heads, head_dim (int): H, Hkv, which must divide H, and D.
        latent_dim, rope_dim (int): C, and R, which may be 0.
        window, sinks (int): w and s, as in `Decoder`.
        num_layers (int): how often all this is kept.
        dtype: of the numbers.
        kind: the one whose map is shown when the figure opens; the first when absent.
        step (int): the words that have come when it opens, from 1.

    Raises:
        ValueError: more than 16 words, an unknown kind or one that comes twice, heads of keys that
            do not divide the heads, a size or a step outside its limits.

    Cost:
        About 17 kB in the notebook.

    Example:
        >>> cache(["the", "cat", "slept"], kinds=["full", "window"], window=2)
        live cache: bytes of 3 tokens: full 3072, window 2048
    """
    tokens = arrays.names("tokens", tokens)
    if len(tokens) > MOST_KEPT:
        raise ValueError(f"tokens must hold at most {MOST_KEPT} words, got {len(tokens)}")
    kinds = arrays.names("kinds", kinds, different=True)
    for one in kinds:
        check_choice("kinds", one, KINDS_KEPT)
    sizes = dict(num_heads=num_heads, num_kv_heads=num_kv_heads, head_dim=head_dim)
    sizes |= dict(latent_dim=latent_dim, rope_dim=rope_dim, window=window, sinks=sinks)
    sizes |= dict(num_layers=num_layers)
    for name, size in sizes.items():
        check_count(name, size, least=int(name not in ("rope_dim", "sinks")), most=MOST_SIZE)
    if num_heads % num_kv_heads:
        raise ValueError(f"num_kv_heads must divide num_heads={num_heads}, got {num_kv_heads}")
    wide = torch.promote_types(dtype, torch.float32)
    sizes |= dict(itemsize=dtype.itemsize, state_itemsize=wide.itemsize)
    check_count("step", step, most=len(tokens))
    shown = kinds[position(0 if kind is None else kind, kinds, "kind")]
    rows = [[_kept_bytes(one, n, sizes) for one in kinds] for n in range(1, len(tokens) + 1)]
    told = ", ".join(f"{one} {count}" for one, count in zip(kinds, rows[-1], strict=True))
    line = f"live cache: bytes of {len(tokens)} token{'s' * (len(tokens) > 1)}: {told}"
    caption = "Bytes in the cache after each token"
    table = plain_table(caption, tokens, kinds, torch.tensor(rows, dtype=torch.float64), places=0)
    data = {"tokens": tokens, "kinds": kinds, "sizes": sizes, "kind": shown, "step": step}
    return Figure("cache", line, data, table)


@on_the_host
def ring(
    ranks: int = 4,
    *,
    block_size: int = 4,
    causal: bool = True,
    split: str = "contiguous",
    step: int = 0,
) -> Figure:
    """Ring attention: which rank computes what in which round, and which ranks are idle.

    Each rank has the queries of its words. Their keys and values are a block that goes round the
    ring: in round s, from 0, rank r holds the block of rank (r - s) mod R, computes the scores that
    are seen, and merges what comes out with what it has (Liu et al. 2023, "Ring Attention", arXiv
    2310.01889). A block of which it sees nothing is skipped. Contiguous, rank r has the words r·b
    to r·b + b - 1; striped, the words r, r + R, r + 2·R, … (Brandon et al. 2023, "Striped
    Attention", arXiv 2311.09431). A round lasts as long as its slowest rank. Of the time of a
    causal ring (R - 1) / (2·R - 1) is idle in long contiguous blocks, and striped
    (R - 1) / (R·(b + 1)). Time is counted in scores that are seen: a program that computes a block
    whole, and hides half of it then, gains nothing from stripes. Sending costs no time here.

    Args:
        ranks (int): R, from 2 to 4.
        block_size (int): b, the words of a rank; at most 24 on all ranks.
        causal (bool): a word sees itself and those before it, or all.
        split: "contiguous" or "striped".
        step (int): the round in which the figure opens, from 0.

    Raises:
        ValueError: sizes or a step outside these limits, an unknown split.

    Cost:
        About 18 kB in the notebook.

    Example:
        >>> ring(4, block_size=4)
        live ring: 4 ranks, causal, contiguous: 136 scores in 58 time units, 41% idle
        >>> ring(4, block_size=4, split="striped")
        live ring: 4 ranks, causal, striped: 136 scores in 40 time units, 15% idle
    """
    check_count("ranks", ranks, least=2, most=MOST_RANKS)
    check_count("block_size", block_size, most=MOST_IN_RING // ranks)
    check_choice("split", split, SPLITS)
    check_count("step", step, least=0, most=ranks - 1)
    places = torch.arange(ranks * block_size)
    striped = split == "striped"
    places = places.view(-1, ranks).T if striped else places.view(ranks, -1)  # (R, b)
    seen = places[:, None, :, None] >= places[None, :, None, :]  # (R, R, b, b)
    work = (seen if causal else torch.ones_like(seen)).sum((-2, -1))  # of a rank, of a block
    rank = torch.arange(ranks)
    rounds = torch.stack([work[rank, (rank - s) % ranks] for s in range(ranks)])
    time = rounds.amax(1)
    idle = 1 - rounds.sum().item() / (ranks * time.sum().item())
    line = (
        f"live ring: {ranks} ranks, {'causal, ' * causal}{split}: {rounds.sum()} scores in "
        f"{time.sum()} time units, {100 * idle:.0f}% idle"
    )
    names = [f"round {s}" for s in range(ranks)]
    columns = [*(f"rank {r}" for r in range(ranks)), "time"]
    rows = torch.cat([rounds, time[:, None]], dim=1)
    table = plain_table(f"{line}. Scores of each rank", names, columns, rows, places=0)
    data = {"ranks": ranks, "block_size": block_size, "causal": causal, "striped": striped}
    return Figure("ring", line, data | {"step": step}, table)


def train(
    *,
    task: str,
    model: dict | None = None,
    compare: dict | None = None,
    address: bool = False,
) -> Figure:
    """A small attention model that learns in the page, with Adam, while the reader looks.

    x + attention(norm(x)), and with an MLP x + W_out·max(0, W_in·norm(x)); norm is
    x / √(mean of x²), the logits are W·norm(x), the loss is the cross-entropy. The reader builds
    the model, plays its steps, goes back over them, and puts a second one beside it that differs in
    one thing: the same seed, the same texts.

    Tasks: "back" (which letter stood one before?), "like" (find the same letter), "asked"
    (a→c1 is named a, points to c and carries 1), "copy" (what followed last time?), "sort" (five
    digits), "sentences" (`words.sentences()`) and "text" (letter by letter).

    Args:
        task: the one with which it opens.
        model: settings other than those with which the task opens: layers 1 or 2; heads 1, 2 or 4;
            width 8, 16, 24 or 32; positions "none", "added" or "rotary"; mask; divisor of the
            scores "1", "√d" or "d"; same_qk, W_q = W_k; mlp; rate; seed.
        compare: one setting in which a second model differs.
        address (bool): whether the page's address holds the settings, for a page of its own.

    Raises:
        ValueError: an unknown task, setting or value, more than one setting to compare.

    Cost:
        About 45 kB in the notebook. A step takes some 6 ms with one layer of width 16.

    Example:
        >>> train(task="copy", compare={"layers": 1})
        live training: associative recall, letter → number; model 2: layers=1
    """
    check_choice("task", task, tuple(TASKS))
    model, compare = _settings("model", model), _settings("compare", compare)
    if len(compare) > 1:
        raise ValueError(f"compare must change one setting, got {show(compare)}")
    line = f"live training: {TASKS[task]}"
    if model:
        line += f", with {_told(model)}"
    if compare:
        line += f"; model 2: {_told(compare)}"
    data = {"task": task, "model": model, "compare": compare or None}
    if address:
        data["address"] = True
    chosen = (model | compare).items()
    rows = [("task", TASKS[task]), *((name, f"{value}") for name, value in chosen)]
    body = "".join(f"<tr><th>{name}</th><td>{html.escape(value)}</td></tr>" for name, value in rows)
    caption = "A model that learns in the page: what is set where it opens"
    return Figure("train", line, data, f"<table><caption>{caption}</caption>{body}</table>")


def _settings(name, given):
    """Settings of a model that learns in the page, each of them checked."""
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise ValueError(f"{name} must be a dict of settings, got {show(given)}")
    for key, value in given.items():
        what = f"{name}[{show(key)}]"
        if key == "rate":
            check_number(what, value, 1e-4, 1)
        elif key == "seed":
            check_count(what, value, most=9999)
        elif key not in SETTINGS:
            known = (*SETTINGS, "rate", "seed")
            raise ValueError(f"{name} must have keys of {known}, got {show(key)}")
        elif not any(
            value is one or (type(value) is type(one) and value == one) for one in SETTINGS[key]
        ):
            raise ValueError(f"{what} must be one of {SETTINGS[key]}, got {show(value)}")
    return dict(given)


def _told(settings):
    return ", ".join(f"{name}={value}" for name, value in settings.items())


def _kept_bytes(kind, words, sizes):
    """What a kind of attention keeps of so many words."""
    H, D, w, s = (sizes[name] for name in ("num_heads", "head_dim", "window", "sinks"))
    if kind == "state":
        return sizes["num_layers"] * H * D * D * sizes["state_itemsize"]
    rows = {"window": min(words, w), "sinks": min(words, s + w)}.get(kind, words)
    numbers = {
        "grouped": 2 * sizes["num_kv_heads"] * D,
        "latent": sizes["latent_dim"] + sizes["rope_dim"],
    }.get(kind, 2 * H * D)
    return rows * sizes["num_layers"] * numbers * sizes["itemsize"]


def _parts(parts, known):
    """The parts that are wanted, in the order of those that there are."""
    wanted = arrays.listed("parts", parts)
    for part in wanted:
        if part not in known:
            raise ValueError(f"parts must be of {known}, got {show(part)}")
    return [part for part in known if part in wanted]


def _mask(rule, n):
    """The length or width with which the menu of masks begins, and the mask."""
    check_choice("mask", rule, MASKS)
    i, j = torch.arange(n)[:, None], torch.arange(n)
    size = 2 if "window" in rule else max(n - 1, 1)
    visible = torch.ones(n, n, dtype=torch.bool)
    if "padding" in rule:
        visible &= j < size
    if "causal" in rule:
        visible &= j <= i
    if "window" in rule:
        visible &= (i - j).abs() < size
    return size, visible


# How a figure is written down.


def _round(value):
    """Six digits, and no zero with a sign: the same text on every processor."""
    value = float(f"{value:.6g}") + 0.0
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def _rounded(x):
    return [_rounded(row) for row in x] if x.ndim else _round(x.item())
