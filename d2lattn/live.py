"""Live figures: pictures that recompute in the browser, without a kernel and without a network.

Each function returns a `Figure`, which a notebook shows. Its HTML holds a plain table of the
numbers, then an element with its data in an attribute, then the code that draws it. Where no code
runs, the table remains; in a terminal, one line.
"""

import hashlib
import html
import json
import math
from pathlib import Path

import torch

from d2lattn.checks import check_number, show
from d2lattn.roles import ROLES

STORED = Path(__file__).resolve().parent / "live_js" / "stored"
MASKS = ("none", "padding", "causal", "window", "causal + padding", "causal + window")
MOST_TOKENS = 12  # of the microscope: every number has to be legible
MOST_NUMBERS = 8  # in a token, query, key or value of the microscope


class Figure:
    """A live figure. `html` is its fragment, `str` the line that stands for it in a terminal."""

    def __init__(self, kind, line, data, table):
        self.line = line
        code = (STORED / f"{kind}.js").read_text(encoding="utf-8").split("\n", 1)[1].strip()
        if "</script" in code.lower():
            raise ValueError(f"the code of {kind} must not hold </script")
        name = f"live-{hashlib.sha256(code.encode()).hexdigest()[:8]}"
        data = json.dumps(
            {"title": line, "roles": ROLES, **data}, ensure_ascii=False, separators=(",", ":")
        )
        data = html.escape(data, quote=False).replace("'", "&#x27;")
        self.html = (
            f'<div class="live-fallback">{table}</div>\n'
            f"<{name} data-live='{data}'></{name}>\n"
            f'<script type="module">{code.replace("live-00000000", name)}</script>'
        )

    def __repr__(self):
        return self.line

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": self.line, "text/html": self.html}


def attention(x, *, tokens, scale=None, mask=None, projections=None):
    """Self-attention under the microscope: every number on screen, with its arithmetic in words.

    softmax(Q Kᵀ · scale) V with Q = X W_qᵀ, K = X W_kᵀ, V = X W_vᵀ, or Q = K = V = X (Vaswani et
    al. 2017, section 3.2.1). The reader picks who asks, and changes tokens, matrices, temperature,
    divisor and mask.

    Args:
        x: (n, d), a tensor or rows of numbers; n up to 12, d up to 8.
        tokens: n words, one for each row.
        scale (float): positive factor of the scores; 1/√(width of a query) when absent.
        mask: where the menu of masks begins: "none", "padding", "causal", "window",
            "causal + padding", "causal + window", or a boolean (n, n), True = may attend.
        projections: three matrices (W_q, W_k, W_v) as nn.Linear stores them, (out, d) each.

    Returns:
        Figure.

    Raises:
        ValueError: shapes that do not fit, numbers that are not finite, more than 12 tokens or 8
            numbers in one, an unknown mask, a scale that is not positive.

    Cost:
        About 18 kB in the notebook for six tokens.

    Example:
        >>> attention([[1.0, 0.0], [1.0, 1.0]], tokens=["small", "cat"])
        live attention: 2 tokens of 2 numbers; cat gives its largest share, 0.67, to cat
    """
    x = _numbers("x", x, ("tokens", "numbers"), most=(MOST_TOKENS, MOST_NUMBERS))
    tokens = _words("tokens", tokens, len(x), "rows of x")
    query = key = x
    if projections is not None:
        projections = _projections(projections, x.shape[1])
        query, key = (x @ weight.T for weight in projections[:2])
    if scale is not None:
        check_number("scale", scale, 0)
        if scale == 0:
            raise ValueError("scale must be positive, got 0")
    rule, size, given, visible = _mask(mask, len(x))
    scores = query @ key.T * (query.shape[1] ** -0.5 if scale is None else scale)
    weights = torch.softmax(scores.masked_fill(~visible, -math.inf), dim=-1).nan_to_num()
    asks = len(x) // 2
    best = weights[asks].argmax().item()
    line = (
        f"live attention: {len(x)} tokens of {x.shape[1]} numbers; {tokens[asks]} gives its "
        f"largest share, {weights[asks, best]:.2f}, to {tokens[best]}"
    )
    data = {"tokens": tokens, "x": _rounded(x), "asks": asks, "rule": rule, "size": size}
    if projections is not None:
        data["projections"] = [_rounded(weight) for weight in projections]
    if scale is not None:
        data["divisor"] = _round(1 / scale)
    if given is not None:
        data["given"] = given
    caption = "Share of each column's word in what comes out for the row's word"
    return Figure("attention", line, data, _table(caption, tokens, tokens, weights))


def _projections(projections, width):
    if not isinstance(projections, (tuple, list)) or len(projections) != 3:
        raise ValueError(f"projections must be (W_q, W_k, W_v), got {show(projections)}")
    named = zip(("W_q", "W_k", "W_v"), projections, strict=True)
    limits = (MOST_NUMBERS, MOST_NUMBERS)
    checked = [_numbers(name, weight, ("out", "in"), most=limits) for name, weight in named]
    for name, weight in zip(("W_q", "W_k", "W_v"), checked, strict=True):
        if weight.shape[1] != width:
            raise ValueError(
                f"{name} must have {width} columns, one for each number of a token, "
                f"got shape {tuple(weight.shape)}"
            )
    if len(checked[0]) != len(checked[1]):
        raise ValueError(
            f"W_q and W_k must have the same number of rows, got {len(checked[0])} "
            f"and {len(checked[1])}"
        )
    return checked


def _mask(mask, n):
    """The rule that the menu begins with, its size, a mask of the caller's own, and the mask."""
    i, j = torch.arange(n)[:, None], torch.arange(n)
    size = max(n - 1, 1)
    if mask is None or (isinstance(mask, str) and mask in MASKS):
        rule = mask or "none"
        if "window" in rule:
            size = 2
        visible = torch.ones(n, n, dtype=torch.bool)
        if "padding" in rule:
            visible &= j < size
        if "causal" in rule:
            visible &= j <= i
        if "window" in rule:
            visible &= (i - j).abs() < size
        return rule, size, None, visible
    if not torch.is_tensor(mask) or mask.dtype != torch.bool or mask.shape != (n, n):
        got = tuple(mask.shape) if torch.is_tensor(mask) else show(mask)
        raise ValueError(
            f"mask must be one of {MASKS} or a boolean tensor ({n}, {n}), True = may attend, "
            f"got {got}"
        )
    return "given", size, ["".join(str(int(may)) for may in row) for row in mask.tolist()], mask


# What a figure is given, and how it is written down.


def _numbers(name, values, axes, *, most):
    """A float64 tensor with these axes, finite, not empty, and no larger than can be read."""
    try:
        x = torch.as_tensor(values).detach().to("cpu", torch.float64)
    except (TypeError, ValueError, RuntimeError):
        raise ValueError(f"{name} must hold numbers, got {show(values)}") from None
    if x.ndim != len(axes) or x.numel() == 0:
        raise ValueError(f"{name} must have axes ({', '.join(axes)}), got shape {tuple(x.shape)}")
    for axis, size, limit in zip(axes, x.shape, most, strict=True):
        if size > limit:
            raise ValueError(f"{name} must have at most {limit} {axis}, got {size}")
    if not x.isfinite().all():
        raise ValueError(f"{name} must be finite, got {x[~x.isfinite()][0].item()}")
    return x


def _words(name, words, count, of):
    """A list of `count` strings."""
    if isinstance(words, str) or not all(isinstance(word, str) for word in words):
        raise ValueError(f"{name} must be a list of words, got {show(words)}")
    if len(words) != count:
        raise ValueError(f"{name} must fit the {count} {of}, got {len(words)}")
    return list(words)


def _round(value):
    """Six digits, and no zero with a sign: the same text on every processor."""
    value = float(f"{value:.6g}") + 0.0
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def _rounded(x):
    return [_rounded(row) for row in x] if x.ndim else _round(x.item())


def _table(caption, rows, columns, values, places=2):
    """A plain table, for where no code runs."""
    head = "".join(f"<th>{html.escape(str(name))}</th>" for name in ("", *columns))
    body = "".join(
        f"<tr><th>{html.escape(str(name))}</th>"
        + "".join(f"<td>{value:.{places}f}</td>" for value in row)
        + "</tr>"
        for name, row in zip(rows, values.tolist(), strict=True)
    )
    return f"<table><caption>{html.escape(caption)}</caption><tr>{head}</tr>{body}</table>"
