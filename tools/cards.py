"""One picture a chapter, for its card on the front page: drawn small, so that it is read small.

The pictures of the chapters are made for a wide page; on a card their letters would be dust. Each
of these takes the drawing that its chapter returns to, with as few words as it bears, as SVG.
Nothing here is trained: attention weights are computed from the map of words of chapter 1, or are
the masks and sizes themselves.
"""

import itertools
import math

import matplotlib.pyplot as plt
import torch

from d2lattn import attention_weights, causal_mask, window_mask
from d2lattn_book.language import words
from d2lattn_book.pictures import drawings, plots
from d2lattn_book.pictures.colours import ROLES

SIZE = (4.8, 2.7)  # inches; a card is as wide
ROOMY = {"02", "09"}  # which need half as much again
SENTENCE = ["the", "girl", "swung", "the", "bat"]


def _places(sentence):
    names, places = words.places()
    return 2 * places[[names.index(word) for word in sentence]]


def _bare_bones(ax):
    x = _places(SENTENCE)
    weights = attention_weights(x, x, scale=1.0)[-1]
    plots.flow(SENTENCE, weights, query="bat", ax=ax)


def _queries(ax):
    drawings.projections(3, 3, 3, ax=ax)


def _masking(ax):
    drawings.staircase([*SENTENCE[:4], "ball"], ax=ax)


def _heads(ax):
    ax.set_axis_off()
    seen = (
        torch.eye(5),
        torch.eye(5).roll(-1, dims=1).tril(),
        causal_mask(5) / torch.arange(1, 6)[:, None],
    )
    for i, (weights, title) in enumerate(
        zip(seen, ("itself", "before it", "all so far"), strict=True)
    ):
        part = ax.inset_axes([i / 3 + 0.02, 0.1, 0.28, 0.8])
        part.imshow(weights, cmap="Purples", vmin=0, vmax=1)
        part.set(xticks=[], yticks=[], title=title)


def _compared(ax):
    near = window_mask(7, width=2)
    drawings.network([near, near], unit=(2, 3), ax=ax)


def _clocks(ax):
    circle = 2 * math.pi * torch.arange(101) / 100
    for i, j in itertools.product(range(2), range(4)):
        x, y = 2.6 * j, -2.5 * i
        ax.plot(circle.cos() + x, circle.sin() + y, color="0.6", lw=1)
        for place, role in ((3 + 20 * i, "query"), (7 + 20 * i, "key")):
            angle = place * 10 ** (-j / 2)
            ax.plot([x, x + math.cos(angle)], [y, y + math.sin(angle)], color=ROLES[role], lw=3)
    ax.set(aspect="equal")
    ax.set_axis_off()


def _turning(ax):
    drawings.turning_arrows([1.0, 0.3], [0.6, 0.8], [2, 5], speed=0.3, ax=ax)
    ax.set(title="", xlim=(-1.6, 1.9), ylim=(-0.3, 1.4))
    ax.set_axis_off()


def _memory(ax):
    drawings.network([window_mask(9, width=3) & causal_mask(9)] * 3, unit=(3, 8), ax=ax)


def _transformer(ax):
    drawings.induction(list("CABDA"), ax=ax)


def _ring(ax):
    angles = torch.arange(4) * torch.pi / 2
    x, y = angles.sin().tolist(), angles.cos().tolist()
    for i in range(4):
        ends = dict(xy=(x[i - 3], y[i - 3]), xytext=(x[i], y[i]))
        way = dict(arrowstyle="-|>", color=ROLES["key"], lw=2.5, shrinkA=26, shrinkB=26)
        ax.annotate("", arrowprops=way | dict(connectionstyle="arc3,rad=-0.3"), **ends)
        ax.plot(x[i], y[i], "s", ms=34, color=ROLES["query"])
        ax.text(x[i], y[i], str(i), color="white", ha="center", va="center", weight="bold")
    ax.set(xlim=(-1.9, 1.9), ylim=(-1.5, 1.5))
    ax.axis("off")


def _kept(ax):
    words = torch.arange(11)
    kinds = (("every token", words), ("a window", words.clamp(max=4)), ("a state", 1 + 0 * words))
    for (name, kept), style in zip(kinds, ("-", "--", ":"), strict=True):
        ax.plot(words, kept, style, color=ROLES["key"], lw=3)
        ax.text(10.3, kept[-1], name, va="center")
    ax.set(xticks=[], yticks=[], xlim=(0, 14), ylim=(0, 10.6), xlabel="tokens", ylabel="cached")
    ax.spines[["top", "right"]].set_visible(False)


def _pages(ax):
    owners = "aabb.ab."
    for place, owner in enumerate(owners):
        face = {"a": ROLES["key"], "b": ROLES["value"], ".": "white"}[owner]
        corner = place % 4, -(place // 4)
        ax.add_patch(plt.Rectangle(corner, 0.88, 0.8, facecolor=face, edgecolor="0.4"))
        ax.text(corner[0] + 0.44, corner[1] + 0.4, owner.strip("."), color="white", size=16)
    ax.set(xlim=(-0.1, 4), ylim=(-1.2, 1))
    ax.axis("off")


DRAWN = {
    "01": (_bare_bones, "the query bat gives swung its largest attention weight"),
    "02": (_queries, "one token becomes a query, a key and a value"),
    "03": (_masking, "a causal mask: every token sees itself and the tokens before it"),
    "04": (_heads, "three heads attend to the token itself, the one before it, and all so far"),
    "05": (_compared, "two layers of a convolution, and the receptive field of one unit"),
    "06": (_clocks, "two positions on four clocks, and twenty steps further: the same angles"),
    "07": (_turning, "a query and a key, rotated by their positions"),
    "08": (_memory, "three layers of a narrow window: the receptive field of the last token"),
    "09": (_transformer, "an induction head: two layers find what followed the same letter before"),
    "11": (_ring, "four ranks in a ring: blocks of keys travel, queries stay"),
    "12": (_pages, "eight pages of memory: two texts lie in those that were free"),
    "10": (_kept, "the cache of a growing text: every token, a window of tokens, or a state"),
}


def save(drawing, path, *, size=SIZE, **options):
    """Draw on paper of `size` inches and write it; the same drawing gives the same file."""
    with plt.rc_context({"svg.hashsalt": path.stem, "font.size": 10}):
        figure, ax = plt.subplots(figsize=size, layout="constrained", facecolor="white")
        drawing(ax)
        figure.savefig(path, **options)
        plt.close(figure)


def draw(folder):
    """{number of a chapter: (name of its SVG, what is seen)}; the files go into `folder`."""
    for number, (drawing, _) in DRAWN.items():
        size = [1.4 * x for x in SIZE] if number in ROOMY else SIZE
        save(drawing, folder / f"signature_{number}.svg", size=size, metadata={"Date": None})
    return {number: (f"signature_{number}.svg", seen) for number, (_, seen) in DRAWN.items()}
