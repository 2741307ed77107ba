"""One query: what it attends to, and its output.

Read from the bottom to the top. The query (orange) meets every word on a rail and leaves a score
under it; above the word stands its weight; from each bar the word's value flows, as wide as the
weight, into the output. The bands' widths add up to the height of the output, as the weights add up
to 1. Colours: `d2lattn_book.pictures.colours`. Readers find `flow` in
`d2lattn_book.pictures.plots`.
"""

import math
from itertools import accumulate, islice

from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.textpath import TextPath

from d2lattn.arguments import show
from d2lattn_book.pictures import arrays
from d2lattn_book.pictures.arrays import Numbers, Query, Words, asking_row, number
from d2lattn_book.pictures.colours import FAINT, INK, ROLES
from d2lattn_book.pictures.kit import Ax, Axes, Label, arrow, laid_out, sheet, text, word

# Across, the unit is the size of the words' letters (an em); a column is as wide as it needs.
# Upwards, it is a bar whose weight is 1.
SCORE, RAIL, WORD, NUMBER, FLOOR = -0.92, -0.5, 0.0, 0.46, 0.68
OUTPUT, TALL = 1.86, 1.1  # the output's foot, above the tallest bar, and its height
ROW = 0.36  # one row of text more
GAP = 2.6  # from the last column to the output
BAR = 1.5  # width of a bar, and of a band whose weight is 1
SMALL, SMALLER = 0.8, 0.72  # size of numbers and of the values' labels, beside the words


def flow(
    tokens: Words,
    weights: Numbers,
    *,
    query: Query,
    scores: Numbers | None = None,
    values: Words | None = None,
    output: str | None = None,
    mask: Numbers | None = None,
    ax: Ax = None,
    title: Label = None,
    fmt: str = ".2f",
) -> Axes:
    """Draw one query: its scores, its attention weights, and the values that it averages.

    output = Σ_j weights[query, j] · value_j (Vaswani et al. 2017, equation 1, one row of it).
    The letters are as large as fits.

    Args:
        tokens: n words, the keys, in their order.
        weights: (n,) attention weights of the query, or (L, n), of which `query` picks a row.
        query: a position (-1 is the last), or a word that occurs once.
        scores: (n,) or (L, n), printed under the words; under hidden words stands -∞.
        values: n short labels for the values, printed above the words.
        output (str): printed beside the bar of the output.
        mask: boolean (n,) or (L, n), True = may attend; words that may not are drawn in grey.
        fmt (str): the format of scores and weights.

    Raises:
        ValueError: shapes that do not fit the tokens; a query that is not there; weights that are
            negative, do not add up to 1 (or to 0: nothing is seen), or are not 0 where the mask
            hides; a name that is no string; a format that is none.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> words = ["the", "bat", "slept"]
        >>> print(describe(flow(words, [0.1, 0.7, 0.2], query="slept", output="bat")))
        slept attends to: bat 0.70, slept 0.20, the 0.10; output bat.
    """
    tokens = arrays.names("tokens", tokens)
    n = len(tokens)
    if output is not None and not isinstance(output, str):
        raise ValueError(f"output must be a string or None, got {show(output)}")
    arrays.check_format(fmt)
    weights = arrays.to_numpy(weights, "weights")
    row = arrays.position(query, tokens)
    weights = arrays.weights_of(weights, row, n)
    seen = [True] * n if mask is None else asking_row("mask", mask, row, n, kinds="b")
    hidden = [i for i, ok in enumerate(seen) if not ok and weights[i] > 0]
    if hidden:
        raise ValueError(f"weights must be 0 where mask hides a word, got more at {hidden}")
    scores = None if scores is None else asking_row("scores", scores, row, n)
    values = None if values is None else arrays.names("values", values, n)

    shown = dict(weight=_shown(weights, seen, fmt, "0"))
    if scores is not None:
        shown["score"] = _shown(scores, seen, fmt, "−∞")
    x = _columns(tokens, shown.values(), values)
    lift = 0 if values is None else ROW
    ax, size = _prepare(ax, x, lift, scores is not None, output, title)

    _draw_words(ax, x, tokens, seen, row, size)
    _draw_query(ax, x, row, size)
    if scores is not None:
        _draw_row(ax, x, SCORE, "score", shown["score"], seen, SMALL * size)
    if values is not None:
        _draw_row(ax, x, NUMBER, "value", values, seen, SMALLER * size)
    _draw_row(ax, x, NUMBER + lift, "weight", shown["weight"], seen, SMALL * size)
    _draw_weights(ax, x, weights, FLOOR + lift)
    _draw_values(ax, x, weights, FLOOR + lift, OUTPUT + lift)
    _draw_output(ax, x[-1] + GAP, OUTPUT + lift, output, size)
    ax.describes_itself = describe_flows
    return ax


def describe_flows(ax):
    """What `flow` drew on these Axes in one line, read off its words and bars; else nothing."""
    words = (text for text in ax.texts if text.get_gid() == "flow-word")
    queries = [text.get_text() for text in ax.texts if text.get_label() == "query"]
    outputs = [text for text in ax.texts if text.get_gid() == "flow-output"]
    lines = []
    for i, bars in enumerate(_drawn(ax)):
        line = _describe_one(queries[i], list(islice(words, len(bars))), bars.datavalues)
        out = [text.get_text() for text in outputs if text.get_label() == str(i)]
        lines.append("; output ".join([line, *out]))
    return ". ".join(lines)


def _drawn(ax):
    """The bars of every flow on these Axes, in the order in which they were drawn."""
    flows = any(text.get_gid() == "flow-word" for text in ax.texts)
    return [bars for bars in ax.containers if flows and bars.get_label() == "weight"]


def _describe_one(query, words, weights, most=3):
    """The query, its `most` largest weights, and how many keys are hidden."""
    names = [word.get_text() for word in words]
    # As printed: the last digit neither settles a tie, which the place does, nor names a word.
    order = sorted(
        (i for i in range(len(words)) if weights[i]), key=lambda i: -round(weights[i], 2)
    )
    named = [i for i in order if round(weights[i], 2) > 0]
    most += len(order) == most + 1  # "1 other" would be no shorter than its name
    named = named[:most] or order[:1]
    parts = [f"{names[i]} {_number(weights[i])}" for i in named]
    if order[len(named) :]:
        rest = sum(weights[i] for i in order[len(named) :])
        others = len(order) - len(named)
        parts.append(f"{others} other{'s' * (others > 1)} {_number(rest)}")
    line = f"{query} attends to: " + (", ".join(parts) or "no key")
    hidden = sum(word.get_color() == FAINT for word in words)
    return line + (f"; {hidden} hidden" if hidden else "")


# The parts of the drawing, from the bottom to the top --------------------------------------------


def _columns(tokens, numbers, values):
    """The middle of each word's column, in ems."""
    widths = [_width(token) + 1.1 for token in tokens]
    for labels in numbers:
        widths = [max(w, SMALL * _width(x) + 0.7) for w, x in zip(widths, labels, strict=True)]
    if values is not None:
        widths = [max(w, SMALLER * _width(x) + 0.8) for w, x in zip(widths, values, strict=True)]
    ends = list(accumulate(widths))
    return [end - width / 2 for end, width in zip(ends, widths, strict=True)]


def _prepare(ax, x, lift, with_scores, output, title):
    """Axes with their limits set, and the size of the words' letters in points."""
    left, right = 3.4, GAP + (1.3 * max(map(_width, output.split("\n"))) + 2.6 if output else 1.8)
    bottom, top = (SCORE if with_scores else RAIL - 0.06) - 0.24, OUTPUT + lift + TALL + 0.08
    wide, high = x[-1] + left + right, top - bottom
    inches = math.ceil(4 * wide / 5.2) / 4  # in quarters: letters differ a little in width
    ax = sheet(ax, (min(max(inches, 6), 11), 0.95 * high + (0.3 if title else 0)), title)
    if title is not None:
        ax.title.set_fontsize(max(10, 3 * ax.bbox.height / ax.figure.dpi))
    width, height = 72 * laid_out(ax).bbox.size / ax.figure.dpi  # in points
    size = min(width / wide, 0.32 * height / high)
    spare = width / size - wide  # where height is short, the columns stay together
    ax.set_xlim(-left - spare / 2, x[-1] + right + spare / 2)
    ax.set_ylim(bottom, top)
    return ax, size


def _draw_words(ax, x, tokens, seen, asking, size):
    for i, (token, ok) in enumerate(zip(tokens, seen, strict=True)):
        look = dict(edge=ROLES["key"] if ok else FAINT, color=INK if ok else FAINT)
        if i == asking:
            look.update(edge=ROLES["query"], face=ROLES["query"])
        label = "query" if i == asking else ""
        _word(ax, x[i], token, size, gid="flow-word", label=label, **look)


def _draw_query(ax, x, row, size):
    """The rail on which the query meets every key, an arrow's head above each score."""
    line = dict(color=ROLES["query"], solid_capstyle="round", zorder=1)
    ax.plot([x[row], x[row]], [WORD, RAIL], linewidth=size / 4, **line)
    ax.plot([x[0], x[-1]], [RAIL, RAIL], linewidth=size / 7, **line)
    ax.plot(x, [RAIL - 0.08] * len(x), "v", markersize=size / 2, **line)


def _draw_row(ax, x, y, name, labels, seen, size):
    """A row of labels, one under or above each word, its name at the left."""
    _text(ax, -0.4, y, name, size, color=FAINT, ha="right")
    for place, label, ok in zip(x, labels, seen, strict=True):
        _text(ax, place, y, label, size, color=INK if ok else FAINT)


def _draw_weights(ax, x, weights, floor):
    ax.bar(x, weights, BAR, floor, color=ROLES["weight"], label="weight", zorder=3)
    ax.plot([x[0] - 1, x[-1] + 1], [floor, floor], color=FAINT, linewidth=0.8, zorder=4)


def _draw_values(ax, x, weights, floor, foot):
    """A band from each bar into the output; the first word's goes on top, so they hardly cross."""
    seen = [i for i, weight in enumerate(weights) if weight > 0]
    gap = 0.012
    tall, top, end = TALL - gap * (len(seen) - 1), foot + TALL, x[-1] + GAP
    for i in seen:
        start, bottom = floor + weights[i], top - weights[i] * tall / sum(weights)
        left, right = x[i] - weights[i] * BAR / 2, x[i] + weights[i] * BAR / 2
        bend = 0.45 * (end - x[i])  # how soon the band turns
        corners = [
            *((left, start), (left, top), (left + bend, top), (end, top)),
            *((end, bottom), (right + bend, bottom), (right, bottom), (right, start)),
        ]
        codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3]
        # The thin edge keeps the smallest weight in sight.
        band = PathPatch(Path(corners, codes), color=ROLES["value"], linewidth=0.6, zorder=2)
        band.set(gid="flow-value", label=str(i))
        ax.add_patch(band)
        top = bottom - gap


def _draw_output(ax, x, foot, output, size):
    """The bar of the output, and its name."""
    middle = foot + TALL / 2
    ax.add_patch(Rectangle((x, foot), 0.5, TALL, facecolor=ROLES["output"], zorder=3))
    _text(ax, x + 0.25, foot - 0.17, "output", SMALL * size, color=FAINT)
    if output:
        arrow(ax, (x + 0.5, middle), (x + 2, middle), ROLES["output"], width=size / 6)
        look = dict(ha="left", weight="bold", gid="flow-output", label=str(len(_drawn(ax)) - 1))
        _text(ax, x + 2.3, middle, output, 1.1 * size, **look)


def _word(ax, x, token, size, **look):
    word(ax, x, WORD, token, size=size, width=size / 8, va="center_baseline", **look)


def _text(ax, x, y, words, size, **look):
    text(ax, x, y, words, size=size, va="center_baseline", **look)


def _width(text):
    """How wide a word is, in ems."""
    return TextPath((0, 0), text, size=100).get_extents().width / 100 if text.strip() else 0.3


def _number(value, fmt=".2f"):
    return number(round(value, 6), fmt)  # 0.125 and its neighbours print alike


def _shown(values, seen, fmt, hidden):
    """The numbers as they are printed; `hidden` where the asking word may not look."""
    pairs = zip(values, seen, strict=True)
    return [_number(value, fmt) if ok else hidden for value, ok in pairs]
