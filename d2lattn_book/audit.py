"""Is this attention right? Questions that are put to anybody's model or layer.

    audit.model(model, vocab_size=50)     tokens (3, 23) -> logits (3, 23, 50)
    audit.layer(layer, embed_dim=32)      vectors (3, 23, 32) -> vectors (3, 23, 32)

Each of these questions has one right answer, whatever the parameters are. For example, no output of
a causal model may change when a later token changes. To ask, the model is called a few times on
random tokens of which some are changed. Nothing is trained, and nothing is downloaded.

A difference counts if it is larger than `SAME` · eps · max|y| between calls of equal shapes, where
right models give exactly the same, and than `SUMS` · eps · max|y| where the shapes differ or sums
are taken in another order. eps is that of y. A module in half precision is asked in float32.
"""

import contextlib
import copy
import html
import inspect
import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook

from d2lattn.arguments import check_count, expect

CLINIC = "https://d2lattn.github.io/d2lattn/clinic/"
ROWS = 3
SAME = 16
SUMS = 64  # right models show at most 4
CAUSAL = ("future", "prefix", "window", "own", "cache")
HALF = (torch.bfloat16, torch.float16)
ASKED_IN_HALF = ("random", "future", "padding", "batch")
SILENT = "a model whose outputs depend on its input"
LONG = (512, 384, 256, 192, 128, 96, 64, 48, 32)

# What a question compares: differences (B, L), and what to say if one is not 0.
Answers = Iterator[tuple[Tensor, str, dict[str, Any]]]  # "like": the question whose page fits
Lengths = bool | Callable[..., Any] | None


@dataclass(frozen=True)
class Finding:
    """One wrong answer.

    Attributes:
        name: which question, a key of `QUESTIONS`.
        sentence: what was changed and which output changed with it, often with a likely cause.
        numbers: the position of the output, the largest difference, and more for some questions.
        example: the inputs of two calls that show it, and the lengths that were passed.
        clinic: the address of the page on this symptom, or None.

    Example:
        >>> from d2lattn_book import audit
        >>> audit.layer(lambda x: x.cumsum(0), 8).findings[0].name
        'batch'
    """

    name: str
    sentence: str
    numbers: dict[str, float]
    example: dict[str, Tensor]
    clinic: str | None


@dataclass(frozen=True)
class Report:
    """What was found, and which questions were not asked.

    Attributes:
        findings: the wrong answers, causes before consequences.
        not_tried: question -> what to pass so that it is asked, or why it was not.
        remarks: how it was asked, such as the number of tokens.

    Example:
        >>> from d2lattn_book import audit
        >>> audit.layer(lambda x: x, 8).not_tried["padding"]
        'valid_lens='
    """

    findings: list[Finding] = field(default_factory=list)
    not_tried: dict[str, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing was found, of a model whose outputs depend on its input."""
        return not self.findings and SILENT not in self.not_tried.values()

    def assert_ok(self) -> None:
        """Raise an AssertionError with this report if `ok` is False."""
        if not self.ok:
            raise AssertionError(str(self))

    def __str__(self) -> str:
        found = [f"{f.name}: {f.sentence}\n    {f.clinic or ''}".rstrip() for f in self.findings]
        nothing = "Nothing could be asked: the outputs are the same for every input."
        lines = found or ["Nothing found." if self.ok else nothing]
        lines += self.remarks
        lines += [f"Not tried: {name} ({what})" for name, what in self.not_tried.items()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        lines = html.escape(str(self)).splitlines()
        return "<br>".join(re.sub(r"^ +(\S+)", r'<a href="\1">what to do</a>', x) for x in lines)


def model(
    model: Callable[..., Any],
    vocab_size: int,
    *,
    is_causal: bool = True,
    length: int = 23,
    order: bool = True,
    window: int | None = None,
    valid_lens: Lengths = None,
    segments: Lengths = None,
    cache: Callable[[], Callable[[Tensor], Any]] | None = None,
    dtype: torch.dtype | None = None,
) -> Report:
    """Ask a model that maps tokens (3, length) to logits (3, length, vocab_size).

    Args:
        model: a module, or a function that is asked as it is. It takes int64 tokens, and returns
            the logits, a tuple that begins with them, or an object with `.logits`.
        vocab_size: token ids are drawn below it.
        is_causal: False for an encoder.
        length: tokens in a text; if the model raises there, 16, 12 and 8 are tried.
        order: False for a model that is meant to have no positions.
        window: how many tokens an output may depend on, its own with them. N layers with windows of
            w tokens see N·(w - 1) + 1; if one layer has no window, leave it out.
        valid_lens: True asks about padding: the model also takes int64 (3,), by this name or as its
            last argument. Texts are padded on the right. For another interface, such as an
            attention mask, a function `f(tokens, valid_lens)` that calls the model.
        segments: the same for texts packed in one row: int64 (3, length), the number of the text.
        cache: returns a new `step(tokens) -> logits` that remembers the tokens it has read.
        dtype: torch.bfloat16 or torch.float16 compares a copy in it with one in float32.

    Returns:
        A `Report`. Parameters, buffers, gradients, the mode of each submodule and torch's global
        generator are as before.

    Raises:
        ValueError: the output has the wrong shape, or a parameter is not on the CPU.
        Exception: what the model raises if it takes none of the lengths, or with valid_lens or
            segments.

    Cost:
        About 150 calls on 3 texts of 23 tokens, and one on 512 tokens for `dtype`.

    Example:
        >>> from d2lattn_book import audit
        >>> from d2lattn import Decoder
        >>> audit.model(Decoder(50, 32, num_layers=2, num_heads=4), 50).findings
        []
    """
    check_count("vocab_size", vocab_size, 8)
    left_out = {"own", "mixed"} | (set() if order else {"order"})
    asked = _Asked(model, length, is_causal, window or 0, valid_lens, dtype, vocab_size=vocab_size)
    asked.segments, asked.cache = segments, cache
    return _report(asked, left_out)


def layer(
    layer: Callable[..., Any],
    embed_dim: int,
    *,
    is_causal: bool = False,
    length: int = 23,
    positions: bool = False,
    window: int | None = None,
    own: bool = True,
    valid_lens: Lengths = None,
    key_length: int | None = None,
    dtype: torch.dtype | None = None,
    empty: bool = False,
) -> Report:
    """Ask a layer of attention: `layer(x)`, or `layer(query, key, value)` with a key_length.

    Args:
        layer: a module, or a function that is asked as it is. It returns a tensor with the first
            two axes of x or query, or a tuple that begins with one.
        embed_dim: x has shape (3, length, embed_dim).
        is_causal, length, dtype: as in `model`.
        positions: True for a layer that adds or rotates positions itself, and for a stack of causal
            layers, in which an output depends on the order of the tokens before it.
        window: how many keys a query sees, its own the last.
        own: False if a query is not meant to see its own key, as with shared queries and keys.
        valid_lens: as in `model`; with a key_length the lengths are those of the keys.
        key_length: S: keys and values have shape (3, S, embed_dim). If causal, query i may see the
            first S - length + i + 1 keys.
        empty: True asks whether a row without any valid key has finite outputs.

    Returns:
        A `Report`; all is as before, as in `model`.

    Raises:
        Exception: as in `model`; a ValueError also for a causal layer with fewer keys than queries.

    Cost:
        About 100 calls on (3, 23, embed_dim).

    Example:
        >>> from d2lattn_book import audit
        >>> from d2lattn import MultiHeadAttention
        >>> audit.layer(MultiHeadAttention(32, 4), 32, valid_lens=True).findings
        []
    """
    if is_causal and key_length is not None and key_length < length:
        rule = "key_length must be at least length if is_causal is True"
        raise ValueError(f"{rule}, got {key_length} and {length}")
    left_out = {"order", "packed", "cache"} | (set() if own else {"own"})
    left_out |= {"mixed"} if positions or window else set()
    asked = _Asked(layer, length, is_causal, window or 0, valid_lens, dtype, embed_dim=embed_dim)
    asked.key_length, asked.empty = key_length, empty
    return _report(asked, left_out)


class _NotTried(Exception):
    """The question cannot be asked; the words say what to pass, or why."""


@dataclass
class _Asked:
    """A model or a layer, how it is called, and the first input with its outputs."""

    target: Callable[..., Any]
    length: int
    is_causal: bool
    window: int
    valid_lens: Lengths
    dtype: torch.dtype | None  # compared with float32
    vocab_size: int | None = None
    embed_dim: int = 0
    key_length: int | None = None
    segments: Lengths = None
    cache: Any = None
    empty: bool = False
    leak: str | None = None  # the question whose page is on how later tokens are seen

    def __post_init__(self) -> None:
        check_count("length", self.length, 8)
        self.module = self.target if isinstance(self.target, nn.Module) else None
        self.runs_in = torch.float32
        for parameter in self.module.parameters() if self.module else ():
            if parameter.device.type != "cpu":
                raise ValueError(f"parameters must be on the CPU, got {parameter.device}")
            self.runs_in = parameter.dtype if parameter.is_floating_point() else self.runs_in
        if self.runs_in in HALF:
            self.dtype, self.runs_in = self.dtype or self.runs_in, torch.float32

    def begin(self) -> None:
        """Find a length and, for a function, a dtype that runs; keep that input and its outputs.

        The key at position i + offset is that of query i.
        """
        dtypes = [self.runs_in] if self.module else [self.runs_in, torch.float64, *HALF]
        lengths = [self.length, *(n for n in (16, 12, 8) if n < self.length)]
        raised: list[Any] = []
        for self.runs_in, self.length in itertools.product(dtypes, lengths):
            self.read, self.other = self.drawn(self.length)
            self.keys = self.read[-1].shape[1]
            self.places, self.offset = torch.arange(self.keys), self.keys - self.length
            self.lens = torch.tensor([self.keys * 3 // 5, self.keys, 1])
            try:
                self.y = self(self.read)
                hidden = self.y == -torch.inf if self.vocab_size else False  # a token ruled out
                self.wrong = ~(self.y.isfinite() | hidden).all(-1)
                self.is_alive = bool(_difference(self(self.other), self.y).any())
                return
            except _NotTried as error:
                raised.append(error.__cause__)
        raise raised[0]

    def drawn(self, length: int) -> tuple[list[Tensor], list[Tensor]]:
        """A random input of this length, and another that differs from it at each position."""
        generator = torch.Generator().manual_seed(length)
        if self.vocab_size is not None:
            tokens = torch.randint(self.vocab_size, (ROWS, length), generator=generator)
            return [tokens], [(tokens + 1) % self.vocab_size]
        lengths = [length] if self.key_length is None else [length] + 2 * [self.key_length]
        draws = [torch.randn(2, ROWS, n, self.embed_dim, generator=generator) for n in lengths]
        return [x.to(self.runs_in) for x, _ in draws], [x.to(self.runs_in) for _, x in draws]

    def __call__(self, read: list[Tensor], **lengths: Tensor) -> Tensor:
        """The outputs (B, L, C); of valid_lens and segments one at most is given."""
        self.last = read, lengths
        for name, value in lengths.items():
            function = self.module.forward if self.module else self.target
            if callable(given := getattr(self, name)):
                return self.outputs(given, *read, value)
            if name in inspect.signature(function).parameters:
                return self.outputs(self.target, *read, **lengths)
        return self.outputs(self.target, *read, *lengths.values())

    def outputs(self, call: Callable[..., Any], *args: Any, **options: Any) -> Tensor:
        """The outputs of a call; what it raises is a reason not to ask."""
        shape = tuple(args[0].shape)
        try:
            y = call(*args, **options)
        except Exception as error:
            error.add_note(f"raised by your model at {shape}")
            raise _NotTried(f"your model raised {type(error).__name__} at {shape}") from error
        y = getattr(y, "logits", y)
        y = y[0] if isinstance(y, (tuple, list)) and y else y
        if not isinstance(y, Tensor):
            raise ValueError(f"your model must return a tensor or .logits, got {type(y).__name__}")
        expect("your model's output (at every position)", y, f"{shape[0]} {shape[1]} width")
        if y.shape[-1] < (self.vocab_size or 0):
            rule = f"your model must return at least vocab_size={self.vocab_size} logits"
            raise ValueError(f"{rule} for each token, got {y.shape[-1]}")
        return y

    def changed(self, where: Tensor) -> list[Tensor]:
        """The input with other tokens where this says so: other keys and values, not queries."""
        new, where = [x.clone() for x in self.read], where.expand(ROWS, self.keys)
        for x, other in list(zip(new, self.other, strict=True))[-2:]:
            x[where] = other[where]
        return new

    def differs(self, a: Tensor, b: Tensor, times: int) -> Tensor:
        """By how much the outputs differ (B, L), and 0 where that is within the tolerance."""
        by = _difference(a, b)
        return by.where(by > _tolerance(times, b), 0)

    def changes(self, where: Tensor) -> Tensor:
        """By how much each output (B, L) changes if the tokens there are others."""
        return self.differs(self(self.changed(where)), self.y, SAME)

    def influence(self) -> tuple[Tensor, float]:
        """(L, S): by how much the output at i changes with the token at j, and what is faint.

        In float64 if the module runs in it: what passes through many layers may be faint.
        """
        try:
            with self.in_dtype(torch.float64, self.length) as asked:
                y = asked(asked.read)
                changed = [asked(asked.changed(self.places == j)) for j in range(self.keys)]
        except _NotTried:
            y, asked = self.y, copy.copy(self)
            changed = [asked(asked.changed(self.places == j)) for j in range(self.keys)]
        by = torch.stack([_difference(other, y).amax(0) for other in changed], 1)
        return by, _tolerance(SAME, y)

    @contextlib.contextmanager
    def in_dtype(self, dtype: torch.dtype, length: int) -> Iterator["_Asked"]:
        """The module in another dtype, and an input of this length; a function has none."""
        if self.module is None:
            raise _NotTried("the module itself, not a function")
        asked = copy.copy(self)
        asked.runs_in = dtype
        asked.read, asked.other = asked.drawn(length)
        with _as_before(self.module, dtype):
            yield asked


def _report(asked: _Asked, left_out: set[str]) -> Report:
    """Ask all questions but those left out."""
    report = Report()
    with torch.no_grad(), _as_before(asked.module, asked.runs_in):
        asked.begin()
        report.remarks.append(f"Asked with {asked.length} tokens.")
        parts = asked.module.modules() if asked.module else ()
        if any(isinstance(part, nn.modules.batchnorm._BatchNorm) for part in parts):
            report.remarks.append("Not asked: BatchNorm in training, which mixes tokens and texts.")
        if asked.y.dtype in HALF:
            report.remarks.append("In half precision only larger faults are visible.")
        for name in [name for name in QUESTIONS if name not in left_out]:
            try:
                _check_can_be_asked(asked, name, report)
                report.findings.extend(_found(asked, name))
            except _NotTried as why:
                if why.__cause__ and asked.last[1]:  # the caller asked for it
                    raise why.__cause__ from None
                report.not_tried[name] = str(why)
    return report


def _check_can_be_asked(asked: _Asked, name: str, report: Report) -> None:
    """Raise if a question makes no sense here, with what to pass."""
    needs = {"padding": "valid_lens", "empty": "valid_lens", "packed": "segments"}.get(name, name)
    if name in CAUSAL and not asked.is_causal:
        raise _NotTried("is_causal=True")
    if name == "empty" and not asked.empty:
        passed = "empty=True" if asked.valid_lens else "valid_lens=, empty=True"
        raise _NotTried(passed if asked.embed_dim else "audit.layer(…, valid_lens=, empty=True)")
    if not getattr(asked, needs, True):
        raise _NotTried(f"{needs}=")
    if asked.wrong.any():
        if name == "gradient":
            return
        raise _NotTried("a model whose outputs are finite")
    if asked.y.dtype in HALF and name not in ASKED_IN_HALF:
        raise _NotTried("the module itself")
    if "random" in [found.name for found in report.findings]:
        raise _NotTried("a model that returns the same outputs twice")
    if name != "random" and not asked.is_alive:
        raise _NotTried(SILENT)


def _found(asked: _Asked, name: str) -> Iterator[Finding]:
    """The first wrong answer to a question, if there is one."""
    question = QUESTIONS[name][0]
    asked.last = asked.read, {}
    for by, sentence, more in question(asked):
        if by.any():
            place = int(by.amax(0).nonzero()[0])
            own = QUESTIONS[more.pop("like", name) or name][1]  # the page on what is guessed
            numbers = {"position": place, "difference": float(by.max()), **more}
            read, lengths = asked.last
            names = ["input"] if len(read) == 1 else ["query", "key", "value"]
            changed = {f"changed {n}": x.detach() for n, x in zip(names, read, strict=True)}
            example = dict(zip(names, asked.read, strict=True)) | changed | lengths
            said = re.sub(r"\b1 tokens", "1 token", sentence.format(**numbers))
            yield Finding(name, said, numbers, example, own and f"{CLINIC}{own}.html")
            return


def _random(asked: _Asked) -> Answers:
    guess = "does dropout stay on?" if asked.module else "pass the module, or call .eval()."
    by = asked.differs(asked(asked.read), asked.y, SAME)
    yield by, f"two calls with the same input return different outputs: {guess}", {}


def _future(asked: _Asked) -> Answers:
    cuts = range(asked.offset + 1, asked.keys)
    ahead = [c for c in cuts if asked.changes(asked.places >= c)[:, : c - asked.offset].any()]
    if ahead:
        by = asked.changes(asked.places >= ahead[0])[:, : ahead[0] - asked.offset]
        said = "the output at position {position} changes when the tokens from position {first} on "
        said += "change ({cuts} of {of} cuts): " + _which_mask(asked)
        asked.leak = "mixed" if "reshape" in said else "future"
        yield by, said, {"cuts": len(ahead), "of": len(cuts), "first": ahead[0], "like": asked.leak}


def _which_mask(asked: _Asked) -> str:
    """A guess at the mask with which outputs depend on later tokens."""
    influence, faint = asked.influence()
    seen = influence > faint
    later = torch.ones_like(seen).triu(asked.offset + 1)
    ahead, before = seen & later, seen.tril(asked.offset - 1)
    if torch.equal(ahead, later):
        # The last row has no later token: with a finite mask it averages the earlier ones.
        if not before[:-1].any():
            return "the causal mask is inverted."
        said = "is there no causal mask, is a mask of 0 and 1 added to the scores, or does the "
        return said + "softmax run over the queries, or a norm over the tokens?"
    reach = [int(row.nonzero().max()) - i for i, row in enumerate(ahead) if row.any()]
    most = max(reach, default=asked.offset)
    said = f"{len(reach)} of {asked.length} outputs see up to {most - asked.offset} tokens ahead: "
    others = "a wrong reshape, a mask in blocks, or a norm over the tokens?"
    return said + ("a shifted mask?" if torch.equal(ahead, later.tril(most)) else others)


def _prefix(asked: _Asked) -> Answers:
    was_asked = False
    said = "where the text is cut at length {length}, the output at position {position} changes: "
    said += "does a mask, a scale or a norm depend on the length, or does a reshape mix heads?"
    for length in range(1, asked.length):
        keys = [x[:, : length + asked.offset] for x in asked.read[1:]]
        with contextlib.suppress(_NotTried):
            by = asked.differs(asked([asked.read[0][:, :length], *keys]), asked.y[:, :length], SUMS)
            was_asked = True
            yield by, said, {"length": length, "like": asked.leak}
    if not was_asked:
        raise _NotTried("a model that takes shorter texts")


def _window(asked: _Asked) -> Answers:
    if asked.window >= asked.keys:
        raise _NotTried(f"length={2 * asked.window}")
    influence, faint = asked.influence()
    back = torch.arange(asked.length)[:, None] + asked.offset - asked.places
    far = influence.where((back >= asked.window) & (influence > faint), 0)
    numbers = {"window": asked.window, "seen": int((back + 1).where(far > 0, 0).max())}
    said = "the output at position {position} depends on a token outside of its window: outputs "
    yield far.amax(1)[None], said + "see up to {seen} tokens, where window={window}.", numbers
    nearer = torch.stack([influence[back == distance].max() for distance in range(asked.window)])
    if asked.embed_dim or (nearer[nearer > 0][-1:] > 1e6 * faint).all():  # else too faint to tell
        blind = (nearer == 0)[None]
        blind[:, : 1 if asked.embed_dim else -1] = False  # a model sees nearer ones through others
        said = "no output changes with the token {position} places before it, where "
        yield blind, said + "window={window}: is the window narrower?", numbers


def _own(asked: _Asked) -> Answers:
    blind = asked.influence()[0].diagonal(asked.offset) == 0
    said = "the output at position {position} does not change when its own token changes: does the "
    yield blind[None], said + "causal mask hide the diagonal?", {}


def _batch(asked: _Asked) -> Answers:
    by = asked.changes(torch.tensor([[False], [True], [False]]))
    by[1] = 0
    said = "the output at position {position} changes when another text of the batch changes: is "
    said += "the first axis the batch (batch_first=True), or does a reshape mix batch and heads?"
    yield by, said, {}
    alone = [asked([x[row : row + 1] for x in asked.read]) for row in range(ROWS)]
    said = f"a text alone gives another output at position {{position}} than in a batch of {ROWS}."
    yield asked.differs(torch.cat(alone), asked.y, SUMS), said, {}


def _mixed(asked: _Asked) -> Answers:
    shuffled = [_shuffled(x) for x in asked.read]
    by = asked.differs(asked(shuffled), _shuffled(asked.y), SUMS)
    if asked.is_causal:
        by[:, :-1] = 0
    said = "the output at position {position} changes when other tokens are permuted: does a "
    said += "reshape mix heads and tokens? Or does the layer have positions of its own, or several "
    yield by, said + "causal layers: positions=True", {}


def _shuffled(x: Tensor) -> Tensor:
    """All tokens but the last in another order."""
    order = torch.randperm(x.shape[1] - 1, generator=torch.Generator().manual_seed(0))
    return torch.cat([x[:, order], x[:, -1:]], 1)


def _order(asked: _Asked) -> Answers:
    for place in range(asked.length - 1):
        swapped = torch.arange(asked.length)
        swapped[[place, place + 1]] = swapped[[place + 1, place]]
        by = asked.differs(asked([asked.read[0][:, swapped]]), asked.y, SAME)
        by[:, place : place + 2] = 0
        if by.any():
            return
    said = "no other output changes when two neighbouring tokens are swapped: are positions "
    yield torch.ones(1, 1), said + "missing? If that is meant, order=False.", {}


def _padding(asked: _Asked) -> Answers:
    padded = asked.places >= asked.lens[:, None]
    y = asked(asked.read, valid_lens=asked.lens)
    by = asked.differs(asked(asked.changed(padded), valid_lens=asked.lens), y, SAME)
    crossed = asked.key_length is not None  # then the queries have no padding
    said = "the output at position {position} changes when the padding changes: is the mask lost, "
    yield by if crossed else by.where(~padded, 0), said + "or is it inverted?", {"like": "future"}
    if crossed and asked.is_causal:
        return  # with fewer keys a causal query sees others
    said = "padded, a text of {length} tokens gives another output at position {position} than "
    said += "alone: is one of its tokens masked, or do its positions count padding?"
    for row, length in enumerate(asked.lens.tolist()):
        read = [x[row : row + 1, :length] for x in asked.read]
        read[0] = asked.read[0][row : row + 1] if crossed else read[0]
        alone = asked(read)
        by = asked.differs(alone, y[row : row + 1, : alone.shape[1]], SUMS)
        yield by, said, {"length": length}


def _packed(asked: _Asked) -> Answers:
    n = asked.length
    starts = torch.tensor([[n // 3, n * 2 // 3], [2, n // 2], [n // 2, n - 1]])
    segments = (asked.places >= starts[..., None]).sum(1)
    y = asked(asked.read, segments=segments)
    by = asked.differs(asked(asked.changed(segments == 1), segments=segments), y, SAME)
    said = "the output at position {position} changes when another text in the same row changes."
    yield by.where(segments != 1, 0), said, {}
    said = "a packed text of {length} tokens gives another output at position {position} than "
    said += "alone: do its positions begin at 0?"
    for row, text in [(row, text) for row in range(ROWS) for text in range(3)]:
        inside = segments[row] == text
        alone = asked([asked.read[0][row : row + 1, inside]])
        by = asked.differs(alone, y[row : row + 1, inside], SUMS)
        yield by, said, {"length": alone.shape[1]}


def _empty(asked: _Asked) -> Answers:
    y = asked(asked.read, valid_lens=asked.lens - 1)
    said = "a text without valid keys gives an output at position {position} that is not finite: "
    yield ~y.isfinite().all(-1), said + "its softmax is 0/0.", {}


def _cache(asked: _Asked) -> Answers:
    n, tokens = asked.length, asked.read[0]
    said = ", the cached output at position {position} is not that of the whole text: do positions "
    said += "continue after the cached tokens, and does the mask count the cached keys?"
    for how, sizes in ("token by token", [1] * n), ("in chunks", [n // 2, 1, n - n // 2 - 1]):
        step = asked.cache()
        y = torch.cat([asked.outputs(step, chunk) for chunk in tokens.split(sizes, 1)], 1)
        yield asked.differs(y, asked.y, SUMS), how + said, {}


def _gradient(asked: _Asked) -> Answers:
    said = "the output at position {position} is not finite ({count} of {length} positions), with "
    said += "no padding: does a mask, perhaps inverted, hide all keys, or is 0 multiplied by −∞?"
    count = int(asked.wrong.any(0).sum())
    yield asked.wrong, said, {"count": count, "length": asked.length, "like": "future"}
    lens = {"valid_lens": asked.lens - int(asked.empty)}  # with an empty row
    for lengths in [{}, lens] if asked.valid_lens else [{}]:
        y, leaves = _followed(asked, lengths)
        along = torch.randn(y.shape, generator=torch.Generator().manual_seed(0)).to(y.dtype)
        if lengths and asked.key_length is None:
            along[asked.places >= asked.lens[:, None]] = 0
        whole = _gradients(y, leaves, along)
        said = "the gradient of the token at position {position} is not finite: is a whole row of "
        yield ~whole.isfinite(), said + "the softmax masked?", {}
        said = "the token at position {position} has a gradient from an output before {cut}."
        cuts = range(asked.keys - 1, asked.offset, -1) if asked.is_causal and not lengths else ()
        for cut in cuts:
            along[:, cut - asked.offset :] = 0
            later = _gradients(y, leaves, along)
            later[:, :cut] = 0
            by = later.where(later > _tolerance(SAME, whole), 0)
            yield by, said, {"cut": cut, "like": asked.leak}


def _followed(asked: _Asked, lengths: dict[str, Tensor]) -> tuple[Tensor, list[Tensor]]:
    """The outputs, and what gradients are taken of: vectors, or what an nn.Embedding returns."""
    is_model = asked.vocab_size is not None
    read = asked.read if is_model else [x.clone().requires_grad_() for x in asked.read]
    leaves = [] if is_model else read[-2:]

    def keep(part: nn.Module, args: tuple[Any, ...], out: Tensor) -> None:
        if isinstance(part, nn.Embedding) and args and torch.equal(args[0], read[0]):
            leaves.append(out.requires_grad_())

    with torch.enable_grad(), register_module_forward_hook(keep):
        y = asked(read, **lengths)
    if (is_model and len(leaves) != 1) or not y.requires_grad:
        raise _NotTried("a module with one nn.Embedding of the tokens, and gradients on")
    return y, leaves


def _gradients(y: Tensor, leaves: list[Tensor], along: Tensor) -> Tensor:
    """The largest entry at each position (B, S) of the gradients of y · along."""
    given = torch.autograd.grad(y, leaves, along, retain_graph=True, materialize_grads=True)
    return torch.cat(given, -1).abs().amax(-1)


def _dtype(asked: _Asked) -> Answers:
    for length in [*LONG, asked.length] if asked.key_length is None else [asked.length]:
        with contextlib.suppress(_NotTried), asked.in_dtype(torch.float32, length) as full:
            y = full(full.read)
            break
    dtype = asked.dtype or torch.bfloat16
    with asked.in_dtype(dtype, length) as half:
        low = half(half.read).to(dtype)  # outputs are often handed on in float32
    error, tenth = (low.double() - y.double()).abs().mean((0, 2)), max(1, length // 10)
    numbers = {"first": float(error[:tenth].mean()), "last": float(error[-tenth:].mean())}
    said = f"in half precision the error grows along {length} tokens from {{first:.2g}} to "
    grows = torch.tensor([[numbers["last"] > 4 * numbers["first"]]])
    yield grows, said + "{last:.2g}: are positions or angles computed in it?", numbers
    by = _difference(low, y)
    said = "in half precision outputs differ by up to {difference:.2g} from float32: is a sum or a "
    wrong = by.isinf() | (by.median() > _tolerance(8, low))  # a few may differ by a rounded choice
    yield by.where(wrong, 0), said + "softmax computed in it?", numbers


# Question -> its function and its page of the clinic. In this order: causes before consequences.
QUESTIONS: dict[str, tuple[Callable[[_Asked], Answers], str | None]] = {
    "random": (_random, "evaluation-gives-another-result-each-time-dropout-stays-on"),
    "future": (_future, "the-model-attends-to-exactly-the-wrong-tokens-an-inverted-mask"),
    "own": (_own, "the-model-attends-to-exactly-the-wrong-tokens-an-inverted-mask"),
    "window": (_window, "a-text-goes-wrong-once-it-is-longer-than-the-window"),
    "batch": (_batch, "every-token-attends-to-itself-only-heads-and-tokens-are-swapped"),
    "mixed": (_mixed, "the-model-trains-and-stays-bad-a-missing-transpose"),
    "order": (_order, None),
    "prefix": (_prefix, "the-model-trains-and-stays-bad-a-missing-transpose"),
    "padding": (_padding, "padding_sideright-a-batch-generates-other-text-than-each-prompt-alone"),
    "packed": (_packed, "texts-packed-in-one-row-attend-to-one-another"),
    "empty": (_empty, "one-batch-in-a-thousand-gives-nan"),
    "cache": (_cache, "with-a-kv-cache-the-newest-token-sees-only-the-first"),
    "gradient": (_gradient, "the-loss-is-finite-and-the-gradients-are-nan"),
    "dtype": (_dtype, "beyond-position-256-neighbouring-tokens-are-confused-positions-in-bfloat16"),
}


def _difference(a: Tensor, b: Tensor) -> Tensor:
    """By how much outputs differ (B, L): inf where one is not finite and the other not the same."""
    a, b = a.double(), b.double()
    same = (a == b) | (a.isnan() & b.isnan())
    return (a - b).abs().nan_to_num(torch.inf, torch.inf).where(~same, 0).amax(-1)


def _tolerance(times: int, y: Tensor) -> float:
    """times · eps · max|y|, over the finite entries."""
    return times * torch.finfo(y.dtype).eps * float(y.double().nan_to_num(0, 0, 0).abs().max())


@contextlib.contextmanager
def _as_before(module: nn.Module | None, dtype: torch.dtype) -> Iterator[None]:
    """Give a module copies of its tensors in a dtype, in evaluation mode; then put all back."""
    parts = [(part, part.training, part._buffers) for part in module.modules()] if module else []
    parameters = [(p, p.data, p.grad) for p in module.parameters()] if module else []

    def copied(x: Tensor) -> Tensor:
        return x.to(dtype if x.is_floating_point() else x.dtype, copy=True)

    try:
        for part, _, buffers in parts:
            part.training = False
            part._buffers = {k: b if b is None else copied(b) for k, b in buffers.items()}
        for parameter, data, _ in parameters:
            parameter.grad, parameter.data = None, copied(data)
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        for part, mode, buffers in parts:
            part.training, part._buffers = mode, buffers
        for parameter, data, gradient in parameters:
            parameter.data, parameter.grad = data, gradient
