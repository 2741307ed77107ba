"""Exercises of chapter 11: one attention over several processes."""

import torch

from d2lattn.engines.chunked import merge, partial_attention
from d2lattn_book.exercises.checking import FunctionExercise, ValueExercise, makes, noise

MIB = 2**20
EVEN = [[0, 1, 2], [3, 4, 5]]  # positions of two ranks


def _held(blocks=3, both=2, tokens=1_000_000, ranks=64, heads=8, width=128, size=2, unit=MIB):
    """MiB of the keys and values that a rank holds during ring attention."""
    return round(blocks * both * tokens / ranks * heads * width * size / unit)


# Layouts


def _layouts():
    """(positions,): shards of a sequence, which need be neither even nor in order."""
    return [(EVEN,), ([[0, 3], [1, 4], [2, 5]],), ([[4, 0, 6], [], [5, 1, 2, 3]],)]


# Tokens for heads


def _shards_of_heads():
    shapes = ((2, 4, 3, 2), (3, 6, 2, 5), (2, 2, 4, 3))  # ranks, heads, tokens of each, width
    return [(list(shards),) for shards in noise(*shapes)]


# The causal ring


def _rings():
    cases = []
    for positions in ([[0, 3, 6], [1, 4, 7], [2, 5, 8]], EVEN, [[5, 0], [3, 1, 4, 2]]):
        sizes = [(len(shard), 4) for shard in positions]
        q, k, v = (noise(*sizes, seed=seed) for seed in range(3))
        cases.append((q, k, v, [torch.tensor(shard) for shard in positions]))
    return cases


# The chapter's solutions; a mistake is an edit of one of them


def my_zigzag(n, ranks, rank):
    size, late = n // (2 * ranks), 2 * ranks - 1 - rank
    return [*range(rank * size, (rank + 1) * size), *range(late * size, (late + 1) * size)]


def my_work(positions):
    return [sum(position + 1 for position in shard) for shard in positions]


def my_exchange(shards):
    ranks = len(shards)
    return [torch.cat([x.chunk(ranks)[rank] for x in shards], 1) for rank in range(ranks)]


def my_ring(queries, keys, values, positions):
    ranks, outputs = len(queries), []
    for rank in range(ranks):
        parts = []
        for turn in range(ranks):
            i = (rank - turn) % ranks
            seen = positions[i] <= positions[rank][:, None]  # (L_r, S)
            parts.append(partial_attention(queries[rank], keys[i], values[i], attn_mask=seen))
        outputs.append(merge(*zip(*parts, strict=True))[0])
    return outputs


def my_messages(n, ranks, window):
    shard, back = n // ranks, window - 1  # the first token of a shard sees `back` tokens before it
    return min(ranks - 1, -(-back // shard))


ONE_BLOCK = {
    "The outputs are right, but you concatenate all blocks, a tensor {}. Use one block at a "
    "time.": makes(lambda q, keys, values, positions: (sum(map(len, keys)), keys[0].shape[1]))
}
MISTAKES: dict[str, dict] = {
    "11.1": {
        "Keys and values travel together: a factor 2 is missing.": _held(both=1),
        "You counted the whole sequence. A rank holds one shard of it.": _held(ranks=1),
        "You counted 4 bytes per number. bfloat16 takes 2.": _held(size=4),
        "You counted only the rank's own block. Two more are in its memory.": _held(blocks=1),
        "You counted two blocks of three: its own, the one in use and the one arriving.": _held(
            blocks=2
        ),
        "These are MB of 10^6 bytes. Give MiB of 2^20.": _held(unit=1e6),
        "You counted one head. Keys and values of 8 heads travel.": _held(heads=1),
    },
    "11.2": {
        "You returned one contiguous chunk. Zigzag pairs an early and a late chunk.": {
            "n // (2 * ranks)": "n // ranks",
            ", *range(late * size, (late + 1) * size)]": "]",
        },
        "You used striping. Zigzag gives each rank two whole chunks.": {
            "rank * size, (rank + 1) * size": "rank, n, ranks",
            ", *range(late * size, (late + 1) * size)]": "]",
        },
        "The first chunk is right. Count the second from the end of the sequence.": {
            "2 * ranks - 1 - rank": "ranks + rank"
        },
        "You left out the second chunk.": {", *range(late * size, (late + 1) * size)]": "]"},
    },
    "11.3": {
        "You left out the token itself. It attends to itself, too.": {"position + 1": "position"},
        "Count the keys that the rank's queries see, not the queries that see its keys.": {
            "position + 1": "sum(map(len, positions)) - position"
        },
    },
    "11.4": {
        "You gave rank r every ranks-th head. It gets neighbouring heads.": {
            "x.chunk(ranks)[rank]": "x[rank::ranks]"
        },
        "Every rank has all heads. Give each its part only.": {"x.chunk(ranks)[rank]": "x"},
        "You concatenated along the heads. The tokens are axis 1.": {"], 1)": "], 0)"},
    },
    "11.5": {
        "The token itself is in the window, so it looks window − 1 tokens back.": {
            "window - 1": "window"
        },
        "Round up: a block of which one token is needed must come as well.": {
            "-(-back // shard)": "back // shard"
        },
        "There are only ranks − 1 other blocks, however wide the window is.": {
            "min(ranks - 1, -(-back // shard))": "-(-back // shard)"
        },
        "These are blocks with the rank's own. It needs no message for that one.": {
            "min(ranks - 1, -(-back // shard))": "min(ranks, 1 - (-back // shard))"
        },
    },
    "11.6": {
        "Later tokens are visible. Compare the positions.": {", attn_mask=seen": ""},
        "This is right for contiguous shards only. Compare the positions, not the ranks.": {
            "seen = positions[i] <= positions[rank][:, None]": (
                "seen = (positions[i] >= 0) & (positions[rank][:, None] >= 0)\n"
                "            seen = seen.tril() if i == rank else seen & (i < rank)"
            )
        },
        "Your tokens do not attend to themselves. Use <=.": {"positions[i] <=": "positions[i] <"},
        "You averaged the partial outputs. Merge them by their log-sum-exps.": {
            "merge(*zip(*parts, strict=True))[0]": "sum(output for output, _ in parts) / ranks"
        },
    },
}
EXERCISES = {
    "11.1": ValueExercise(_held, MISTAKES["11.1"], rounded=True),
    "11.2": FunctionExercise(
        my_zigzag,
        lambda: [(16, 2, 0), (16, 2, 1), (24, 3, 1), (24, 4, 3), (8, 1, 0)],
        MISTAKES["11.2"],
    ),
    "11.3": FunctionExercise(my_work, _layouts, MISTAKES["11.3"]),
    "11.4": FunctionExercise(my_exchange, _shards_of_heads, MISTAKES["11.4"]),
    "11.5": FunctionExercise(
        my_messages,
        lambda: [(64, 8, 9), (64, 8, 10), (64, 8, 8), (64, 8, 1), (64, 8, 100), (60, 3, 25)],
        MISTAKES["11.5"],
    ),
    "11.6": FunctionExercise(my_ring, _rings, MISTAKES["11.6"], ONE_BLOCK),
}
