"""The whole model in one row, each part with the chapter that explains it."""

from d2lattn.arguments import check_count
from d2lattn_book.pictures.colours import FAINT, GROUND, INK
from d2lattn_book.pictures.kit import Ax, Axes, box, frame, sheet, text, word

STREAM, BELOW = 0.0, -1.75  # the height of the model, and of what can be done in it
HIGH, WIDE, LETTERS = 1.2, 2.3, 13  # of a part: a hall reads it
LENGTH = 17.0  # of a row of parts
PARTS = (  # x, y, what happens there, the chapters that explain it
    (0.0, STREAM, "token\nembeddings", (1,)),
    (2.5, STREAM, "positional\nencoding", (6,)),
    (6.5, STREAM, "query, key,\nvalue", (2, 7)),
    (9.1, STREAM, "weights,\noutput", (1, 7)),
    (7.8, 0.95, "multi-head attention", (4,)),
    (12.9, STREAM, "MLP per\ntoken", (9,)),
    (16.0, STREAM, "next\ntoken", (9,)),
    (4.4, BELOW, "CNN, RNN\ninstead", (5,)),
    (7.2, BELOW, "√dₖ, causal\nmask", (3,)),
    (9.95, BELOW, "less memory,\nKV cache", (8,)),
    (12.7, BELOW, "GQA, linear\nattention", (10,)),
    (15.45, BELOW, "many\nGPUs", (11,)),
    (1.6, BELOW, "batches,\nserving", (12,)),
)
HEADS, LAYER = (5.2, 5.2), (4.2, 10.4)  # where the frames begin and how wide they are
LINKS = ((5.4, 5.4, -0.75), (8.2, 8.2, -0.6), (9.2, 9.2, -0.6), (12.7, 10.0, -0.6))  # x, x, y
NORMS, SUMS = (4.8, 11.3), ((4.5, 10.8), (11.05, 14.3))  # in a layer; of residual connections
CHAPTERS = max(chapter for *_, chapters in PARTS for chapter in chapters)


def model_map(chapter: int | None = None, *, ax: Ax = None) -> Axes:
    """Draw a Transformer from tokens to the next token; a number is the chapter about a part.

    The order of the parts is that of the decoder of Vaswani et al. 2017 (figure 1) without its
    encoder: tokens pass from left to right, and what the dashed frame holds is repeated.

    Args:
        chapter (int): 1 to 12; two slim rows of parts, in which its own stand out. The whole model
            with all parts alike when absent.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> print(describe(model_map(3)))
        chapter 3: √dₖ, causal mask.
    """
    if chapter is not None:
        check_count("chapter", chapter, most=CHAPTERS)
        return _rows(chapter, ax)
    ax = sheet(ax, (9.2, 4.0))
    ax.plot((PARTS[0][0], PARTS[6][0]), (STREAM, STREAM), color=FAINT, lw=1.5, zorder=1.15)
    for shift in (0.12, 0.0):  # a second head behind the first
        corner = HEADS[0] + shift, -0.7 + shift
        frame(ax, corner, HEADS[1], 1.65, face="white", edge=FAINT, zorder=1.1, gid="head")
    for x, to, feet in LINKS:
        line = dict(color=FAINT, lw=1.5, ls=":", zorder=1.2)
        ax.plot((x, x, to, to), (BELOW, -1.1, -1.1, feet), **line)
    for x in NORMS:
        box(ax, x, STREAM, 0.36, "norm", height=HIGH, edge=FAINT, size=9, rotation=90)
    for start, end in SUMS:
        ax.plot((start, start, end, end), (STREAM, 1.35, 1.35, STREAM), color=FAINT, lw=1.5)
        word(ax, end, STREAM, "+", edge=FAINT, width=1, shape="circle,pad=0.1", size=LETTERS)
    for x, y, happens, chapters in PARTS:
        wide, high = (WIDE, HIGH) if "\n" in happens else (2 * WIDE, HIGH / 2)
        _part(ax, x, y, wide + 0.25 * (y == BELOW), high, happens, chapters, size=LETTERS)
    frame(ax, (LAYER[0], -0.9), LAYER[1], 2.45, edge=FAINT, linestyle="--")
    note = dict(color=FAINT, size=LETTERS)
    text(ax, sum(LAYER), 1.75, "one layer, repeated", ha="right", va="baseline", **note)
    text(ax, sum(SUMS[1]) / 2, 0.97, "residual\nconnection", **note)
    for x, flows in ((0.0, "n tokens"), (16.0, "n predictions")):
        text(ax, x, -0.65, flows, va="top", **note)
    meaning = "numbers: chapters; dotted: what they change"
    text(ax, -1.15, 1.75, meaning, ha="left", va="baseline", say=True, size=LETTERS)
    ax.set(xlim=(-1.2, 17.2), ylim=(-2.4, 2.1))
    return ax


def _rows(chapter, ax):
    """The model over what can be done in it, the chapter's parts dark and described."""
    ax = sheet(ax, (8.4, 1.75))
    here = []
    for row, height in ((STREAM, 1.0), (BELOW, -0.6)):
        parts = [part for part in PARTS if (part[1] == BELOW) == (row == BELOW)]
        for i, (*_, happens, chapters) in enumerate(parts):
            happens = happens.replace("head ", "head\n")  # each in two rows
            here += [happens.replace("\n", " ")] if chapter in chapters else []
            x, wide = (i + 0.5) * LENGTH / len(parts), LENGTH / len(parts) - 0.12
            _part(ax, x, height, wide, HIGH, happens, chapters, chapter in chapters)
    text(ax, 0, STREAM, f"chapter {chapter}: {'; '.join(here)}", say=True, visible=False)
    ax.set(xlim=(-0.1, LENGTH), ylim=(-1.25, 1.95))
    return ax


def _part(ax, x, y, wide, high, happens, chapters, here=False, size=LETTERS - 1):
    """A part of the model, and in its corner the chapters that explain it."""
    look = dict(face=INK, color="white") if here else dict(face=GROUND)
    box(ax, x, y, wide, "", height=high, edge=FAINT, **look)
    text(ax, x, y - (0.1 if high == HIGH else 0), happens, size=size, color=look.get("color", INK))
    mark = ", ".join(map(str, chapters))
    word(ax, x - wide / 2, y + high / 2, mark, edge=FAINT, width=1, size=size)
