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
from d2lattn_book.pictures.colours import FAINT, ROLES
from d2lattn_book.pictures.kit import Ax, Axes, Label, arrow, laid_out, sheet, text, word

# Across, the unit is the size of the words' letters (an em); a column is as wide as it needs.
# Upwards, it is a bar whose weight is 1.
SCORE, RAIL, WORD, NUMBER, FLOOR = -0.92, -0.5, 0.0, 0.46, 0.68
OUTPUT, TALL = 1.86, 1.1  # the output's foot, above the tallest bar, and its height
GAP = 2.6  # from the last column to the output
BAR = 1.5  # width of a bar, and of a band whose weight is 1
SMALL = 0.8  # size of numbers, beside the words


def flow(
    tokens: Words,
    weights: Numbers,
    *,
    query: Query,
    scores: Numbers | None = None,
    output: str | None = None,
    ax: Ax = None,
    title: Label = None,
) -> Axes:
    """Draw one query: its scores, its attention weights, and the values that it averages.

    output = Σ_j weights[query, j] · value_j (Vaswani et al. 2017, equation 1, one row of it).
    The letters are as large as fits.

    Args:
        tokens: n words, the keys, in their order.
        weights: (n,) attention weights of the query, or (L, n), of which `query` picks a row.
        query: a position (-1 is the last), or a word that occurs once.
        scores: (n,) or (L, n), printed under the words.
        output (str): printed beside the bar of the output.

    Raises:
        ValueError: shapes that do not fit the tokens; a query that is not there; weights that are
            negative or do not add up to 1 (or to 0: nothing is seen); a name that is no string.

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
    weights = arrays.to_numpy(weights, "weights")
    row = arrays.position(query, tokens)
    weights = arrays.weights_of(weights, row, n)
    scores = None if scores is None else asking_row("scores", scores, row, n)

    shown = dict(weight=[_number(weight) for weight in weights])
    if scores is not None:
        shown["score"] = [_number(score) for score in scores]
    x = _columns(tokens, shown.values())
    ax, size = _prepare(ax, x, scores is not None, output, title)

    _draw_words(ax, x, tokens, row, size)
    _draw_query(ax, x, row, size)
    if scores is not None:
        _draw_row(ax, x, SCORE, "score", shown["score"], SMALL * size)
    _draw_row(ax, x, NUMBER, "weight", shown["weight"], SMALL * size)
    _draw_weights(ax, x, weights)
    _draw_values(ax, x, weights)
    _draw_output(ax, x[-1] + GAP, output, size)
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
    """The query, its `most` largest weights."""
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
    return f"{query} attends to: " + (", ".join(parts) or "no key")


# The parts of the drawing, from the bottom to the top --------------------------------------------


def _columns(tokens, numbers):
    """The middle of each word's column, in ems."""
    widths = [_width(token) + 1.1 for token in tokens]
    for labels in numbers:
        widths = [max(w, SMALL * _width(x) + 0.7) for w, x in zip(widths, labels, strict=True)]
    ends = list(accumulate(widths))
    return [end - width / 2 for end, width in zip(ends, widths, strict=True)]


def _prepare(ax, x, with_scores, output, title):
    """Axes with their limits set, and the size of the words' letters in points."""
    left, right = 3.4, GAP + (1.3 * max(map(_width, output.split("\n"))) + 2.6 if output else 1.8)
    bottom, top = (SCORE if with_scores else RAIL - 0.06) - 0.24, OUTPUT + TALL + 0.08
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


def _draw_words(ax, x, tokens, asking, size):
    for i, token in enumerate(tokens):
        look = dict(edge=ROLES["key"])
        if i == asking:
            look = dict(edge=ROLES["query"], face=ROLES["query"], label="query")
        _word(ax, x[i], token, size, gid="flow-word", **look)


def _draw_query(ax, x, row, size):
    """The rail on which the query meets every key, an arrow's head above each score."""
    line = dict(color=ROLES["query"], solid_capstyle="round", zorder=1)
    ax.plot([x[row], x[row]], [WORD, RAIL], linewidth=size / 4, **line)
    ax.plot([x[0], x[-1]], [RAIL, RAIL], linewidth=size / 7, **line)
    ax.plot(x, [RAIL - 0.08] * len(x), "v", markersize=size / 2, **line)


def _draw_row(ax, x, y, name, labels, size):
    """A row of labels, one under or above each word, its name at the left."""
    _text(ax, -0.4, y, name, size, color=FAINT, ha="right")
    for place, label in zip(x, labels, strict=True):
        _text(ax, place, y, label, size)


def _draw_weights(ax, x, weights):
    ax.bar(x, weights, BAR, FLOOR, color=ROLES["weight"], label="weight", zorder=3)
    ax.plot([x[0] - 1, x[-1] + 1], [FLOOR, FLOOR], color=FAINT, linewidth=0.8, zorder=4)


def _draw_values(ax, x, weights):
    """A band from each bar into the output; the first word's goes on top, so they hardly cross."""
    seen = [i for i, weight in enumerate(weights) if weight > 0]
    gap = 0.012
    tall, top, end = TALL - gap * (len(seen) - 1), OUTPUT + TALL, x[-1] + GAP
    for i in seen:
        start, bottom = FLOOR + weights[i], top - weights[i] * tall / sum(weights)
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


def _draw_output(ax, x, output, size):
    """The bar of the output, and its name."""
    middle = OUTPUT + TALL / 2
    ax.add_patch(Rectangle((x, OUTPUT), 0.5, TALL, facecolor=ROLES["output"], zorder=3))
    _text(ax, x + 0.25, OUTPUT - 0.17, "output", SMALL * size, color=FAINT)
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


def _number(value):
    return number(round(value, 6), ".2f")  # 0.125 and its neighbours print alike
