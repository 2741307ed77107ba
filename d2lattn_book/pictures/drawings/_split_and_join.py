"""Where the numbers of multi-head attention lie: projected, cut into heads, attended, joined.

Read from the left to the right. A block has a row for each token and a unit of width for each
channel, at most twelve for all heads. The first head is in full colour, so that it can be followed
from end to end; a frame follows the last token's row. Colours: `d2lattn_book.pictures.colours`.
"""

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle

from d2lattn.arguments import check_count
from d2lattn_book.pictures.arrays import Numbers, Words, as_weights, names
from d2lattn_book.pictures.colours import FAINT, GROUND, INK, PALE, ROLES
from d2lattn_book.pictures.kit import Ax, Axes, sheet, text

SEEN = 0.45  # how much one sees of the heads that are not followed
BELOW, BESIDE, ARROW = 4.0, 1.2, 6.5  # gaps between blocks, and between groups of blocks
LETTERS = 13  # points: a slide shows the picture as wide as it is
NAME = 12  # units that the name of a map takes
QKV = ("query", "key", "value")


def split_and_join(tokens: Words, weights: Numbers, *, head_dim: int, ax: Ax = None) -> Axes:
    """Draw one sentence's way through multi-head attention.

    X (L, E) → Q, K, V (L, E), split into (L, H, D) → (H, L, D) → attention weights (H, L, L) and
    head outputs (H, L, D) → concatenated (L, E) → output (L, E), E = H·D (Vaswani et al. 2017,
    section 3.2.2).

    Args:
        tokens: L words.
        weights: (H, L, L) the weights of each head, which colour its map.
        head_dim (int): D, channels of a head.

    Example:
        >>> from d2lattn_book.pictures.plots import describe
        >>> print(describe(split_and_join(["a", "bat"], np.eye(2)[None], head_dim=4)))
        2 tokens of 4 numbers: project, split into 1 × 4, attend, concatenate, project to 2 × 4.
    """
    tokens = names("tokens", tokens)
    L, D = len(tokens), head_dim
    rule = f"shape (heads, {L}, {L}), as there are tokens"
    weights = as_weights(weights, (None, L, L), rule).clip(max=1)
    H = len(weights)
    check_count("head_dim", D)
    ax = sheet(ax, (8.4, max(5.4, 1.3 * H)))
    wide = max(1, min(D, 12 // H))  # units of a head: more would leave no room for names
    draw = _Blocks(ax, H, L, wide)
    E, whole, group = H * D, H * wide, 3 * wide + 2 * BESIDE
    x = [0, whole + ARROW, 2 * (whole + ARROW)]  # the left sides: x, then Q, K, V, then the heads,
    x += [x[2] + group + BESIDE, x[2] + group + 2 * BESIDE + max(L, NAME)]  # their maps, outputs,
    end = x[4] + wide + BESIDE  # of a head
    x += [end + 1.4 * ARROW, end + whole + 2.4 * ARROW]  # concatenated, a long name; the output

    (y,), thirds, feet = draw.feet(1), draw.feet(3), draw.feet(H)
    draw.names(tokens, y)
    inputs = draw.block(x[0], y, whole, PALE, "X")  # it plays no role yet
    cut = [
        draw.cut(x[1], at, ROLES[role], role[0].upper())
        for at, role in zip(thirds, QKV, strict=True)
    ]
    frame = end - x[2]
    heads = [draw.head(x[2], at, h, frame) for h, at in enumerate(feet)]
    for h, at in enumerate(feet):
        draw.average(x[3], at, h, weights[h])
    joined = draw.cut(x[5], y, ROLES["output"], "concatenated")
    output = draw.block(x[6], y, whole, ROLES["output"], "output")

    draw.edges("project", [(inputs, block, None) for block in cut], ["W_q", "W_k", "W_v"])
    bundle = draw.bracket([end for _, end in cut])
    draw.edges("split", [(bundle, into, h) for h, into in enumerate(heads)])
    draw.edges("concatenate", [(head, joined, h) for h, head in enumerate(heads)])
    draw.edges("project", [(joined, output, None)], ["W_o"])
    middles = [x[0] + whole / 2, x[1] + whole / 2, x[2] + frame / 2]
    middles += [x[5] + whole / 2, x[6] + whole / 2]
    shapes = [f"{L, E}", f"{L, E} →\n{L, H, D}", f"{H, L, D};\nweights {H, L, L}"]
    shapes += [f"{L, H, D} →\n{L, E}", f"{L, E}"]
    draw.captions(-3.5, middles, shapes)
    steps = ["project", "reshape,\ntranspose", "attend", "transpose,\nreshape", "project"]
    ends = [x[1], x[2], x[3] + ARROW / 2 - BESIDE / 2, x[5], x[6]]
    draw.captions(-8.6, [end - ARROW / 2 for end in ends], steps, weight="bold")
    ax.set(xlim=(-10.5, x[6] + whole + 1), ylim=(-11, draw.high + 3))
    steps = f"project, split into {H} × {D}, attend, concatenate, project to {L} × {E}"
    ax.describes_itself = f"{L} tokens of {E} numbers: {steps}"
    return ax


class _Blocks:
    """Draws blocks of L rows on one Axes; what belongs to other heads than the first is pale."""

    def __init__(self, ax, H, L, D):
        self.ax, self.H, self.L, self.D = ax, H, L, D
        self.high = max(3, H) * (L + BELOW) - BELOW

    def feet(self, count):
        """The feet of `count` blocks, one above the other, the first on top."""
        whole = count * (self.L + BELOW) - BELOW
        top = (self.high + whole) / 2
        return [top - self.L - i * (self.L + BELOW) for i in range(count)]

    def block(self, x, y, width, color, name="", h=None):
        """One block; returns the middles of its left and right sides."""
        alpha = self._alpha(h)
        box = dict(edgecolor="white", linewidth=0.8, alpha=alpha)
        self.ax.add_patch(Rectangle((x, y), width, self.L, facecolor=color, **box))
        self.frame(x, y, width, alpha)
        self.text(x + width / 2, y + self.L + 1.1, name)
        return (x, y + self.L / 2), (x + width, y + self.L / 2)

    def cut(self, x, y, color, name):
        """A block for all heads, cut between them."""
        for h in range(self.H):
            self.block(x + h * self.D, y, self.D, color, h=h)
        self.text(x + self.H * self.D / 2, y + self.L + 1.1, name)
        return (x, y + self.L / 2), (x + self.H * self.D, y + self.L / 2)

    def head(self, x, y, h, wide):
        """The frame of one head, and in it query, key and value."""
        box = dict(facecolor=GROUND, edgecolor=FAINT, linewidth=0.6, zorder=0)
        place = (x - BESIDE, y - BESIDE)
        self.ax.add_patch(Rectangle(place, wide + 2 * BESIDE, self.L + 3 * BESIDE, **box))
        step = self.D + BESIDE
        for i, role in enumerate(QKV):
            self.block(x + i * step, y, self.D, ROLES[role], f"{role[0].upper()}{_low(h)}", h)
        return (x - BESIDE, y + self.L / 2), (x + wide + BESIDE, y + self.L / 2)

    def average(self, x, y, h, weights):
        """One head's map, a cell for each weight, and its output."""
        self.block(x + max(self.L, NAME) + BESIDE, y, self.D, ROLES["output"], f"head{_low(h)}", h)
        x += max(0, (NAME - self.L) / 2 - BESIDE)
        for i, j in np.argwhere(weights):
            cell = (x + j, y + self.L - 1 - i)
            alpha = self._alpha(h) ** 0.5 * weights[i, j]  # pale weights must be seen too
            self.ax.add_patch(Rectangle(cell, 1, 1, color=ROLES["weight"], alpha=alpha, lw=0))
        self.ax.add_patch(Rectangle((x, y), self.L, self.L, fill=False, ec=FAINT, lw=0.6))
        self.frame(x, y, self.L, self._alpha(h))
        self.text(x + self.L / 2, y + self.L + 1.1, f"weights{_low(h)}")

    def frame(self, x, y, width, alpha):
        """Around the row of the last token, which is followed."""
        row = Rectangle((x, y), width, 1, fill=False, ec=INK, lw=1.8, alpha=alpha)
        self.ax.add_patch(row)

    def bracket(self, ends):
        """Bind what leaves several blocks, one above the other; returns where it goes on."""
        (x, top), (_, foot) = ends[0], ends[-1]
        lines = [[end, (x + BESIDE, end[1])] for end in ends] + [
            [(x + BESIDE, top), (x + BESIDE, foot)]
        ]
        self.ax.add_collection(LineCollection(lines, colors=INK, linewidths=1.1, label="_bracket"))
        middle = (x + BESIDE, (top + foot) / 2)
        return middle, middle

    def edges(self, name, links, matrices=()):
        """From the right side of one block to the left side of another."""
        ends = [(start[1], end[0]) for start, end, _ in links]
        alphas = [self._alpha(h) for *_, h in links]
        lines = LineCollection(ends, colors=INK, linewidths=1.1, alpha=alphas, label=name)
        self.ax.add_collection(lines)
        for ((x, y), (to_x, to_y)), matrix in zip(ends, matrices, strict=False):
            place = (x + to_x) / 2, (y + to_y) / 2 + 1.2
            self.text(*place, matrix, bbox=dict(facecolor="white", linewidth=0, pad=1))

    def names(self, tokens, y):
        """The first token and the last, which is followed: all would be too small to read."""
        self.text(-0.8, y + self.L - 0.5, tokens[0], ha="right")
        self.text(-2.5, y + self.L / 2, "⋮" if self.L > 4 else "")
        self.text(-0.8, y + 0.5, tokens[-1], ha="right", weight="bold")

    def captions(self, y, places, texts, **style):
        for x, words in zip(places, texts, strict=True):
            self.text(x, y, words, color=FAINT, **style)

    def text(self, x, y, words, **style):
        text(self.ax, x, y, words, va="center_baseline", size=LETTERS, **style)

    def _alpha(self, h):
        return 1 if h in (None, 0) else SEEN


def _low(h):
    return "".join("₀₁₂₃₄₅₆₇₈₉"[int(digit)] for digit in str(h))
