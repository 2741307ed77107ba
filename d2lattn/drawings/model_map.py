"""The whole model in one row, each part with the chapter that explains it."""

from matplotlib.patches import FancyBboxPatch

from d2lattn.canvas import FAINT, INK, axes
from d2lattn.checks import check_count

HIGH, WIDE = 0.95, 2.1  # of a part
STREAM, BELOW = 0.0, -1.7  # the height at which words pass, and that of what can be done there
PARTS = (  # x, y, what happens there, the chapters that explain it
    (0.0, STREAM, "words become\nvectors", (1,)),
    (2.5, STREAM, "where does\neach stand?", (6, 7)),
    (5.5, STREAM, "query, key\nand value", (2,)),
    (8.0, STREAM, "score, share\nand blend", (1,)),
    (10.5, STREAM, "several heads\nside by side", (4,)),
    (13.0, STREAM, "each word\nby itself", (9,)),
    (16.0, STREAM, "which word\ncomes next?", (9,)),
    (5.5, BELOW, "or a CNN,\nor an RNN?", (5,)),
    (8.0, BELOW, "divide by √d,\nhide the future", (3,)),
    (10.5, BELOW, "the same in\nless memory", (8,)),
)


def model_map(chapter=None, *, ax=None):
    """Draw a Transformer from words to the next word; a number says which chapter explains a part.

    The order of the parts is that of the decoder of Vaswani et al. 2017 (figure 1) without its
    encoder: words pass from left to right, and what the dashed frame holds is repeated.

    Args:
        chapter (int): 1 to 9; its parts stand out. All alike when absent.
        ax (Axes): where to draw; a new figure when absent.

    Returns:
        matplotlib Axes.

    Raises:
        ValueError: a chapter that is no integer from 1 to 9.

    Example:
        >>> from d2lattn.plots import describe
        >>> print(describe(model_map(3)))
        chapter 3: divide by √d, hide the future
    """
    if chapter is not None:
        check_count("chapter", chapter, most=9)
    ax = axes(ax, (11, 2.2))
    ax.plot((PARTS[0][0], PARTS[6][0]), (STREAM, STREAM), color=FAINT, lw=1.5, zorder=1)
    for x, y, happens, chapters in PARTS:
        here = chapter in chapters
        pen = "white" if here else INK
        box = (x - WIDE / 2, y - HIGH / 2), WIDE, HIGH
        fill = dict(fc=INK if here else "#eeeeee", ec="0.5", zorder=2)
        ax.add_patch(FancyBboxPatch(*box, boxstyle="round,pad=0.03", **fill))
        ax.text(x, y, happens, ha="center", va="center", fontsize=9, color=pen, zorder=3)
        numbers = "·".join(str(number) for number in chapters)
        mark = dict(boxstyle="round,pad=0.25", fc="white", ec="0.5")
        ax.text(box[0][0], y + HIGH / 2, numbers, ha="center", va="center", fontsize=9, bbox=mark)
        if y == BELOW:
            ax.plot((x, x), (BELOW, STREAM), color=FAINT, lw=1.5, ls=":", zorder=1)
    layer = (4.25, -0.75), 10.0, 1.5
    ax.add_patch(FancyBboxPatch(*layer, boxstyle="round,pad=0.05", fill=False, ls="--", ec=FAINT))
    ax.text(14.25, 0.95, "a layer, several times over", ha="right", color=FAINT, fontsize=9)
    here = [part[2].replace("\n", " ") for part in PARTS if chapter in part[3]]
    said = f"chapter {chapter}: {'; '.join(here)}" if here else "a number: the chapter about a part"
    ax.text(-1.05, 0.95, said, fontsize=10, gid="said")
    ax.set(xlim=(-1.2, 17.2), ylim=(-2.3, 1.3))
    ax.set_axis_off()
    return ax
