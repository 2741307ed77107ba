"""Two ways to number words that fail, one drawing for each: chapter 6, section 6.2.

Fractions take steps that depend on the length, bits jump.
"""

from collections.abc import Sequence

import numpy as np
import seaborn as sns

from d2lattn_book.pictures.colours import INK, MIDDLE
from d2lattn_book.pictures.kit import Ax, Axes, axes, text

MARKED = 2  # the place of the word that is followed


def stretching_fractions(lengths: Sequence[int], *, ax: Ax = None) -> Axes:
    """Draw the places i/(n − 1) of sentences of n words: one word's place moves with the length.

    Args:
        lengths: numbers of words, each above 2; the word at place 2 is marked in all of them.

    Example:
        >>> ax = stretching_fractions([5, 9])
        >>> ax.get_title()
        'token 2 stands at 0.5 of 5 tokens, 0.25 of 9 tokens'
    """
    ax = axes(ax, (6, 0.8 + 0.9 * len(lengths)))
    for row, length in enumerate(lengths):
        places = np.arange(length) / (length - 1)
        ax.plot(places, [row] * length, "o-", color=MIDDLE, label=f"{length} tokens")
        ax.plot(places[MARKED], row, "o", color=INK, markersize=11)
        for i, place in enumerate(places):
            text(ax, place, row + 0.18, i, va="top", size=9)
    ax.set(xlabel="positional encoding of a token: i / (n − 1)", ylim=(len(lengths) - 0.4, -0.6))
    ax.set_yticks(range(len(lengths)), [f"{length} tokens" for length in lengths])
    places = (f"{MARKED / (length - 1):.2g} of {length} tokens" for length in lengths)
    ax.set_title(f"token {MARKED} stands at {', '.join(places)}", fontsize=10)
    sns.despine(ax=ax)
    return ax


def jumping_bits(count: int, *, ax: Ax = None) -> Axes:
    """Draw how many bits flip from each whole number to the next, from 0 to `count`.

    Args:
        count (int): the last number, up to 64.

    Example:
        >>> ax = jumping_bits(8)
        >>> [int(bar.get_height()) for bar in ax.patches]
        [1, 2, 1, 3, 1, 2, 1, 4]
    """
    ax = axes(ax, (6, 3.2))
    flips = [(i ^ (i + 1)).bit_count() for i in range(count)]
    width = count.bit_length()
    ax.bar(range(count), flips, color=[INK if f == max(flips) else MIDDLE for f in flips])
    names = [f"{i} → {i + 1}" for i in range(count)]
    ax.set_xticks(range(count), names, rotation=90, fontsize=9)
    ax.set(ylabel="bits that flip", yticks=range(max(flips) + 1))
    i = flips.index(max(flips))
    ax.set_title(f"from {i:0{width}b} to {i + 1:0{width}b}, {flips[i]} bits flip", fontsize=10)
    sns.despine(ax=ax)
    return ax
