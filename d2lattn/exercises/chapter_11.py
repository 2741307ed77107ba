"""Exercises of chapter 11: one attention over several processes."""

import torch

from d2lattn.attention import attention
from d2lattn.engines.chunked import merge, partial_attention
from d2lattn.exercises.checking import FunctionExercise, ValueExercise

MIB = 2**20


def _held(blocks=3, both=2, words=1_000_000, ranks=64, heads=8, width=128, size=2, unit=MIB):
    """What the keys and values take that a rank holds while the ring turns."""
    return round(blocks * both * words / ranks * heads * width * size / unit)


# Shares


def _piece(i, length):
    return list(range(i * length, (i + 1) * length))


def _zigzag(n, ranks, rank, second=lambda ranks, rank: 2 * ranks - 1 - rank):
    length = n // (2 * ranks)
    return _piece(rank, length) + _piece(second(ranks, rank), length)


def _deals():
    """(places,): some shares of a text, which need be neither even nor in order."""
    return [
        ([[0, 1, 2], [3, 4, 5]],),
        ([[0, 3], [1, 4], [2, 5]],),
        ([[4, 0, 6], [], [5, 1, 2, 3]],),
    ]


def _work(places, seen=lambda place, mine, n: place + 1):
    n = sum(map(len, places))
    return [sum(seen(place, mine, n) for place in mine) for mine in places]


# Words for heads


def _shares_of_heads():
    generator = torch.Generator().manual_seed(0)
    shapes = ((2, 4, 3, 2), (3, 6, 2, 5), (2, 2, 4, 3))  # ranks, heads, words of each, width
    return [(list(torch.randn(shape, generator=generator)),) for shape in shapes]


def _exchange(shares, heads=lambda x, rank, ranks: x.chunk(ranks)[rank], order=lambda parts: parts):
    ranks = len(shares)
    return [torch.cat(order([heads(x, r, ranks) for x in shares]), 1) for r in range(ranks)]


def _reshaped(shares):
    whole = torch.cat(shares)  # (ranks · heads, L_r, d), and then numbers as they lie
    ranks, (heads, length, width) = len(shares), shares[0].shape
    return list(whole.reshape(ranks, heads // ranks, ranks * length, width))


# The causal ring


def _rings():
    generator = torch.Generator().manual_seed(0)
    cases = []
    for places in (
        [[0, 1, 2], [3, 4, 5]],
        [[0, 3, 6], [1, 4, 7], [2, 5, 8]],
        [[5, 0], [3, 1, 4, 2]],
    ):
        q, k, v = (
            [torch.randn(len(mine), 4, generator=generator) for mine in places] for _ in range(3)
        )
        cases.append((q, k, v, [torch.tensor(mine) for mine in places]))
    return cases


def _whole(queries, keys, values, places):
    """One attention of all words, cut into shares afterwards."""
    order = torch.cat(places)
    seen = order <= order[:, None]
    output = attention(*map(torch.cat, (queries, keys, values)), attn_mask=seen)
    return list(output.split([len(mine) for mine in places]))


def _ring(queries, keys, values, places, *, seen=None, joined=None, steps=0):
    """A ring with one slip. seen(mine, theirs, rank, step): who may look at whom."""
    ranks, outputs = len(queries), []
    seen = seen or (lambda mine, theirs, rank, step: theirs <= mine[:, None])
    for rank in range(ranks):
        parts = []
        for step in range(ranks - steps):
            i = (rank - step) % ranks
            mask = seen(places[rank], places[i], rank, step)
            parts.append(partial_attention(queries[rank], keys[i], values[i], attn_mask=mask))
        outputs.append((joined or merge)(*zip(*parts, strict=True))[0])
    return outputs


def _all_seen(mine, theirs, rank, step):
    return torch.ones(len(mine), len(theirs), dtype=torch.bool)


def _within_blocks(mine, theirs, rank, step):
    return _all_seen(mine, theirs, rank, step).tril()


def _by_rank(mine, theirs, rank, step):
    """As for contiguous shares: earlier ranks whole, the own one as a triangle."""
    whole = _all_seen(mine, theirs, rank, step)
    return whole.tril() if step == 0 else whole & (step <= rank)


def _mean(outputs, logsumexps):
    return torch.stack(outputs).mean(0), None


EXERCISES = {
    "11.1": ValueExercise(
        _held,
        {
            "keys and values travel together: a factor 2 is missing": _held(both=1),
            "this is the whole text: a rank holds a share of it": _held(ranks=1),
            "bfloat16 takes 2 bytes, not 4": _held(size=4),
            "this is the rank's own block: two more are on their way": _held(blocks=1),
            "this is two blocks: the own one, the one that is met and the one that is coming are "
            "three": _held(blocks=2),
            "these are MB of 10^6 bytes: a MiB has 2^20": _held(unit=1e6),
            "8 heads leave keys and values: this is one": _held(heads=1),
        },
    ),
    "11.2": FunctionExercise(
        _zigzag,
        lambda: [(16, 2, 0), (16, 2, 1), (24, 3, 1), (24, 4, 3), (8, 1, 0)],
        {
            "this is one stretch of the text: early and late words are not mixed": (
                lambda n, ranks, rank: _piece(rank, n // ranks)
            ),
            "this is striped: zigzag gives two whole pieces": (
                lambda n, ranks, rank: list(range(rank, n, ranks))
            ),
            "the first piece is right, but the second must count from the end: the first rank gets "
            "the last piece": (
                lambda n, ranks, rank: _zigzag(n, ranks, rank, lambda ranks, rank: ranks + rank)
            ),
            "the last piece has number 2·ranks - 1: this is one too far": (
                lambda n, ranks, rank: _zigzag(n, ranks, rank, lambda ranks, rank: 2 * ranks - rank)
            ),
            "the second piece is missing": lambda n, ranks, rank: _piece(rank, n // (2 * ranks)),
            "the pieces are too long: there are two for each rank": (
                lambda n, ranks, rank: (
                    _piece(rank, n // ranks) + _piece(2 * ranks - 1 - rank, n // ranks)
                )
            ),
        },
    ),
    "11.3": FunctionExercise(
        _work,
        _deals,
        {
            "a word sees itself, too": lambda places: _work(places, lambda place, mine, n: place),
            "no word is hidden here: under the mask a word sees itself and those before it": (
                lambda places: _work(places, lambda place, mine, n: n)
            ),
            "this counts who looks at a rank's words: its keys travel, its queries do the work": (
                lambda places: _work(places, lambda place, mine, n: n - place)
            ),
            "this is a rank's own block alone: its queries meet the blocks of all others": (
                lambda places: _work(
                    places, lambda place, mine, n: sum(other <= place for other in mine)
                )
            ),
            "words that a rank holds are left out: its queries meet them as well": (
                lambda places: _work(
                    places,
                    lambda place, mine, n: place + 1 - sum(other <= place for other in mine),
                )
            ),
            "this is the same for all: it depends on the places": (
                lambda places: [sum(_work(places)) / len(places)] * len(places)
            ),
        },
    ),
    "11.4": FunctionExercise(
        _exchange,
        _shares_of_heads,
        {
            "these are the right heads in the order of cards: rank r gets neighbouring heads": (
                lambda shares: _exchange(shares, lambda x, rank, ranks: x[rank::ranks])
            ),
            "every rank has all heads here: it gets its part of them": (
                lambda shares: _exchange(shares, lambda x, rank, ranks: x)
            ),
            "the words stand in the wrong order: those of rank 0 come first": (
                lambda shares: _exchange(shares, order=lambda parts: parts[::-1])
            ),
            "the numbers are cut as they lie in memory: take the heads of each share, then join "
            "the words": _reshaped,
            "the parts are joined along the heads: the words are axis 1": (
                lambda shares: [
                    torch.cat([x.chunk(len(shares))[r] for x in shares]) for r in range(len(shares))
                ]
            ),
            "the words are cut again: here the heads are cut, and the words joined": (
                lambda shares: [
                    torch.cat([x.chunk(len(shares), 1)[r] for x in shares], 1)
                    for r in range(len(shares))
                ]
            ),
        },
    ),
    "11.5": FunctionExercise(
        _whole,
        _rings,
        {
            "later words are seen: compare the places of the keys with those of the queries": (
                lambda *given: _ring(*given, seen=_all_seen)
            ),
            "this compares the order within the blocks: compare the places in the text": (
                lambda *given: _ring(*given, seen=_within_blocks)
            ),
            "this is right for contiguous shares alone: compare the places, not the ranks": (
                lambda *given: _ring(*given, seen=_by_rank)
            ),
            "the places must travel with the keys: these are the places of the rank's own words": (
                lambda *given: _ring(*given, seen=lambda mine, theirs, r, s: mine <= mine[:, None])
            ),
            "a word does not see itself here": (
                lambda *given: _ring(*given, seen=lambda mine, theirs, r, s: theirs < mine[:, None])
            ),
            "only later words are seen: the mask is the wrong way round": (
                lambda *given: _ring(
                    *given, seen=lambda mine, theirs, r, s: theirs >= mine[:, None]
                )
            ),
            "the parts are averaged: merge them by their log-sum-exps": (
                lambda *given: _ring(*given, joined=_mean)
            ),
            "the ring stops one step early: there are as many blocks as ranks": (
                lambda *given: _ring(*given, steps=1)
            ),
        },
    ),
}
