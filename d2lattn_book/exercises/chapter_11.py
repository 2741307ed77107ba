"""Exercises of chapter 11: one attention over several processes."""

import torch

from d2lattn.engines.chunked import merge, partial_attention
from d2lattn_book.exercises.checking import FunctionExercise, ValueExercise, makes, noise

MIB = 2**20


def _held(blocks=3, both=2, words=1_000_000, ranks=64, heads=8, width=128, size=2, unit=MIB):
    """What the keys and values take that a rank holds while the ring turns."""
    return round(blocks * both * words / ranks * heads * width * size / unit)


# Shares


def _deals():
    """(places,): some shares of a text, which need be neither even nor in order."""
    return [
        ([[0, 1, 2], [3, 4, 5]],),
        ([[0, 3], [1, 4], [2, 5]],),
        ([[4, 0, 6], [], [5, 1, 2, 3]],),
    ]


# Words for heads


def _shares_of_heads():
    shapes = ((2, 4, 3, 2), (3, 6, 2, 5), (2, 2, 4, 3))  # ranks, heads, words of each, width
    return [(list(shares),) for shares in noise(*shapes)]


# The causal ring


def _rings():
    generator = torch.Generator().manual_seed(0)
    cases = []
    for places in (
        [[0, 3, 6], [1, 4, 7], [2, 5, 8]],
        [[0, 1, 2], [3, 4, 5]],
        [[5, 0], [3, 1, 4, 2]],
    ):
        q, k, v = (
            [torch.randn(len(mine), 4, generator=generator) for mine in places] for _ in range(3)
        )
        cases.append((q, k, v, [torch.tensor(mine) for mine in places]))
    return cases


# The chapter's solutions; a mistake is an edit of one of them


def my_zigzag(n, ranks, rank):
    size, late = n // (2 * ranks), 2 * ranks - 1 - rank
    return [*range(rank * size, (rank + 1) * size), *range(late * size, (late + 1) * size)]


def my_work(places):
    return [sum(place + 1 for place in mine) for mine in places]


def my_exchange(shares):
    ranks = len(shares)
    return [torch.cat([x.chunk(ranks)[rank] for x in shares], 1) for rank in range(ranks)]


def my_ring(queries, keys, values, places):
    ranks, outputs = len(queries), []
    for rank in range(ranks):
        parts = []
        for step in range(ranks):
            i = (rank - step) % ranks
            seen = places[i] <= places[rank][:, None]  # (L_r, S)
            parts.append(partial_attention(queries[rank], keys[i], values[i], attn_mask=seen))
        outputs.append(merge(*zip(*parts, strict=True))[0])
    return outputs


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
        rounded=True,
    ),
    "11.2": FunctionExercise(
        my_zigzag,
        lambda: [(16, 2, 0), (16, 2, 1), (24, 3, 1), (24, 4, 3), (8, 1, 0)],
        {
            "this is one stretch of the text: early and late words are not mixed": {
                "n // (2 * ranks)": "n // ranks",
                ", *range(late * size, (late + 1) * size)]": "]",
            },
            "this is striped: zigzag gives two whole pieces": {
                "rank * size, (rank + 1) * size": "rank, n, ranks",
                ", *range(late * size, (late + 1) * size)]": "]",
            },
            "the first piece is right, but the second must count from the end: the first rank gets "
            "the last piece": {"2 * ranks - 1 - rank": "ranks + rank"},
            "the last piece has number 2·ranks - 1: this is one too far": {
                "2 * ranks - 1 - rank": "2 * ranks - rank"
            },
            "these are two lists: join the pieces to one": {
                "[*range(rank": "[[*range(rank",
                "size), *range(late": "size)], [*range(late",
                "(late + 1) * size)]": "(late + 1) * size)]]",
            },
            "the second piece is missing": {", *range(late * size, (late + 1) * size)]": "]"},
            "the pieces are too long: there are two for each rank": {
                "n // (2 * ranks)": "n // ranks"
            },
        },
    ),
    "11.3": FunctionExercise(
        my_work,
        _deals,
        {
            "a word sees itself, too": {"place + 1": "place"},
            "no word is hidden here: under the mask a word sees itself and those before it": {
                "place + 1": "sum(map(len, places))"
            },
            "this counts who looks at a rank's words: its keys travel, its queries do the work": {
                "place + 1": "sum(map(len, places)) - place"
            },
            "this is a rank's own block alone: its queries meet the blocks of all others": {
                "place + 1": "len([p for p in mine if p <= place])"
            },
            "words that a rank holds are left out: its queries meet them as well": {
                "place + 1": "place - len([p for p in mine if p < place])"
            },
            "this is the same for all: it depends on the places": {
                "[sum(place + 1 for place in mine) for mine in places]": (
                    "[sum(p + 1 for ps in places for p in ps) / len(places) for _ in places]"
                )
            },
        },
    ),
    "11.4": FunctionExercise(
        my_exchange,
        _shares_of_heads,
        {
            "these are the right heads in the order of cards: rank r gets neighbouring heads": {
                "x.chunk(ranks)[rank]": "x[rank::ranks]"
            },
            "every rank has all heads here: it gets its part of them": {
                "x.chunk(ranks)[rank]": "x"
            },
            "the words stand in the wrong order: those of rank 0 come first": {
                "for x in shares]": "for x in reversed(shares)]"
            },
            "the numbers are cut as they lie in memory: take the heads of each share, then join "
            "the words": {
                "[torch.cat([x.chunk(ranks)[rank] for x in shares], 1) for rank in range(ranks)]": (
                    "list(torch.stack(shares).view(ranks, shares[0].shape[0] // ranks, "
                    "ranks * shares[0].shape[1], -1))"
                )
            },
            "the parts are joined along the heads: the words are axis 1": {"], 1)": "], 0)"},
            "the words are cut again: here the heads are cut, and the words joined": {
                "x.chunk(ranks)": "x.chunk(ranks, dim=1)"
            },
        },
    ),
    "11.5": FunctionExercise(
        my_ring,
        _rings,
        {
            "later words are seen: compare the places of the keys with those of the queries": {
                ", attn_mask=seen": ""
            },
            "this compares the order within the blocks: compare the places in the text": {
                "attn_mask=seen": "attn_mask=torch.ones_like(seen).tril()"
            },
            "this is right for contiguous shares alone: compare the places, not the ranks": {
                "seen = places[i] <= places[rank][:, None]": (
                    "seen = (places[i] == places[i]) & (places[rank][:, None] >= 0)\n"
                    "            seen = seen.tril() if i == rank else seen & (i < rank)"
                )
            },
            "the places must travel with the keys: these are the places of the rank's own words": {
                "places[i] <=": "places[rank] <="
            },
            "a word does not see itself here": {"places[i] <=": "places[i] <"},
            "only later words are seen: the mask is the wrong way round": {
                "places[i] <=": "places[i] >="
            },
            "the parts are averaged: merge them by their log-sum-exps": {
                "merge(*zip(*parts, strict=True))[0]": "sum(output for output, _ in parts) / ranks"
            },
            "the ring stops one step early: there are as many blocks as ranks": {
                "in range(ranks):\n            i": "in range(ranks - 1):\n            i"
            },
        },
        {
            "the outputs are right, but the blocks of all ranks are joined, a tensor {}: meet one "
            "at a time": makes(
                lambda queries, keys, values, places: (sum(map(len, keys)), keys[0].shape[1])
            ),
        },
    ),
}
