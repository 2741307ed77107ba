"""One layer of attention from end to end: each step, its shape, and where it was explained."""

from d2lattn_book.pictures.colours import DARK, FAINT, GROUND, ROLES
from d2lattn_book.pictures.kit import Ax, Axes, arrow, box, sheet, text, tint, word

STREAM, WIDE, SHAPE, SECTION = 0.0, 2.55, 11.0, 13.5  # places: the stream, shapes, sections
QUERY, KEY, VALUE = (2.4 + 2.8 * i for i in range(3))  # and the middles of three parts so wide
SIZE = 12  # of letters, in points
WHOLE, SCORED, BLENDED = "(B, L, E)", "(B, H, L, L)", "(B, H, L, D)"
STEPS = (  # from above: what happens, the colour of its role, its shape, its sections
    ("a score for each pair: Q Kᵀ", "weight", SCORED, "1.2, 2.1"),
    ("divided by √D", "weight", SCORED, "3.1, 3.2"),
    ("mask: −∞ for masked keys", "weight", SCORED, "3.3, 3.6"),
    ("softmax: rows sum to 1", "weight", SCORED, "1.3"),
    ("head outputs: weights · V", "output", BLENDED, "1.4, 1.5"),
    ("concatenate the heads", "output", WHOLE, "4.2, 4.3"),
    ("output projection: heads W_oᵀ", "output", WHOLE, "4.2"),
)


def one_layer(*, ax: Ax = None) -> Axes:
    """Draw multi-head attention from top to bottom, each step with its shape and its section.

    head_h = softmax(Q_h K_hᵀ / √D + M) V_h, and x + [head_0, …] W_oᵀ (Vaswani et al. 2017,
    sections 3.2.1 and 3.2.2, with the residual connection of its section 3.1).

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> print(describe(one_layer())[:65])
        x (B, L, E); project 3 × (B, L, E); split 3 × (B, H, L, D); a sco
    """
    ax = sheet(ax, (7.0, 4.4))
    for x, heading in ((SHAPE, "shape"), (SECTION, "section")):
        text(ax, x, 0.75, heading, color=FAINT, size=SIZE)
    lowest = -2.0 - len(STEPS)
    arrow(ax, (STREAM, -0.28), (STREAM, lowest - 0.7), zorder=1)
    _row(ax, 0, WHOLE, "1.1")
    box(ax, STREAM, 0, 1.4, "x", face=GROUND, size=SIZE)
    _row(ax, -1, f"3 × {WHOLE}", "2.1, 2.2")
    _row(ax, -2, f"3 × {BLENDED}", "4.2, 4.3")
    ax.plot((STREAM, VALUE), (-0.5, -0.5), color=DARK, lw=1.3, zorder=1)
    for x, role in ((QUERY, "query"), (KEY, "key"), (VALUE, "value")):
        look, letter = dict(face=tint(ROLES[role]), size=SIZE), role[0]
        _down(ax, x, -0.5, -1)
        box(ax, x, -1, WIDE, f"{letter.upper()} = x W_{letter}ᵀ", **look)
        _down(ax, x, -1.28, -2)
        box(ax, x, -2, WIDE, f"{letter.upper()} into heads", **look)
    said = ["x " + WHOLE, f"project 3 × {WHOLE}", f"split 3 × {BLENDED}"]
    for i, (happens, role, shape, sections) in enumerate(STEPS):
        y, left = -3 - i, role == "weight"
        x, wide = ((QUERY + KEY) / 2, WIDE + 2.8) if left else (KEY, WIDE + 5.6)
        for above in (QUERY, KEY) if i == 0 else (x,):
            _down(ax, above, y + 0.72, y)
        box(ax, x, y, wide, happens, face=tint(ROLES[role]), size=SIZE)
        _row(ax, y, shape, sections)
        said.append(f"{happens} {shape}")
    _down(ax, VALUE, -2.28, -7)
    _row(ax, lowest - 1, WHOLE, "0.7, 2.3")
    ax.plot((KEY, KEY), (lowest - 0.28, lowest - 1), color=DARK, lw=1.3, zorder=1)
    arrow(ax, (KEY, lowest - 1), (STREAM + 0.22, lowest - 1))
    word(ax, STREAM, lowest - 1, "+", edge=DARK, width=1, shape="circle,pad=0.1", size=13)
    text(ax, 0.9, lowest - 0.7, "added to x", ha="left", size=SIZE)
    text(ax, 0, 0, "; ".join([*said, f"added to x {WHOLE}"]), say=True).set_visible(False)
    ax.set(xlim=(-0.8, 14.4), ylim=(lowest - 1.5, 1.1))
    return ax


def _row(ax, y, shape, sections):
    """On the right what shape comes out of a step, and which sections explain it."""
    text(ax, SHAPE, y, shape, size=SIZE)
    text(ax, SECTION, y, sections, color=FAINT, size=SIZE)


def _down(ax, x, top, y):
    """An arrow onto the box at y."""
    arrow(ax, (x, top), (x, y + 0.32))
