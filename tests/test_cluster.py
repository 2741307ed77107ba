"""The simulation, by hand and by formula. What it says of machines, chapter 11 prints."""

import itertools
import math

import pytest
import torch

from d2lattn_book import cluster
from d2lattn_book.cluster import Layer, Machine, both_cost, heads_cost, ring_cost

LAYER = Layer(tokens=4096, heads=16, kv_heads=8, head_dim=16)
PAIR = 4 * LAYER.heads * LAYER.head_dim  # FLOPs of one query and one key in all heads
SPLITS = ("contiguous", "striped", "zigzag")


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_pairs_are_those_that_a_causal_mask_leaves(ranks, split):
    shard = 6
    places = torch.arange(ranks * shard).view(ranks, shard)
    if split == "striped":
        places = places.view(shard, ranks).T
    elif split == "zigzag":
        pieces = places.view(2 * ranks, shard // 2)
        places = torch.cat([pieces[:ranks], pieces[ranks:].flip(0)], 1)
    for step, rank in itertools.product(range(ranks), repeat=2):
        seen = places[(rank - step) % ranks][None] <= places[rank][:, None]
        assert cluster.pairs(rank, step, shard, split) == seen.sum()


def ring_by_hand(machine, ranks, *, is_causal, split, overlap):
    """Seconds of a ring, message by message: a rank goes on when its computation is done, its block
    has come and its own has gone."""
    shard = LAYER.tokens // ranks
    message = machine.latency + 2 * shard * 8 * 16 * 2 / machine.bandwidth
    now = [0.0] * ranks
    for step in range(ranks):
        split = split if is_causal else None
        pairs = [cluster.pairs(rank, step, shard, split) for rank in range(ranks)]
        computation = [n * PAIR / machine.flops for n in pairs]
        if step == ranks - 1:
            return max(time + more for time, more in zip(now, computation, strict=True))
        came = [max(now[rank], now[rank - 1]) + message for rank in range(ranks)]
        moved = [max(came[rank], came[(rank + 1) % ranks]) for rank in range(ranks)]
        for rank in range(ranks):
            done = (now[rank] if overlap else moved[rank]) + computation[rank]
            now[rank] = max(done, moved[rank])


@pytest.mark.parametrize("bandwidth", [1e7, 1e8, 3e8, 1e9])
@pytest.mark.parametrize("split", SPLITS)
def test_a_ring_goes_on_when_products_and_both_messages_are_done(split, bandwidth):
    machine = Machine(1e9, bandwidth, 1e-3)
    for ranks, is_causal, overlap in itertools.product([2, 4, 8], [True, False], [True, False]):
        options = dict(is_causal=is_causal, split=split, overlap=overlap)
        got = ring_cost(machine, LAYER, ranks, **options).seconds
        assert math.isclose(got, ring_by_hand(machine, ranks, **options))


def test_heads_and_both_by_formula():
    machine, inside = Machine(1e9, 1e7, 1e-3), Machine(1e9, 1e9, 1e-6)
    heads, ring = heads_cost(machine, LAYER, 8), ring_cost(machine, LAYER, 32)
    numbers = 4096 // 8 * (16 + 8 + 8 + 16) * 16  # queries, keys, values, outputs
    assert heads.sent == numbers * 2 * 7 // 8
    assert math.isclose(heads.computation, 4096 * 4097 / 2 * PAIR / 8 / 1e9)
    assert math.isclose(heads.seconds, heads.computation + 2 * 1e-3 + heads.sent / 1e7)
    one, fast = both_cost(machine, LAYER, 8), both_cost(machine, LAYER, 32, inside=inside)
    assert one.sent == heads.sent and math.isclose(one.seconds, heads.seconds)
    # In a group 1,024 tokens are exchanged, and a ring of 4 passes blocks of one KV head on.
    assert fast.sent == 1024 // 8 * 48 * 16 * 2 * 7 // 8 + 3 * 2 * 1024 * 16 * 2 < ring.sent
    assert fast.seconds < both_cost(machine, LAYER, 32).seconds


def test_ranks_that_do_not_divide_the_tokens_are_refused():
    with pytest.raises(ValueError, match="tokens must be a multiple of 6, got 4096"):
        ring_cost(Machine(1e9, 1e9, 0), LAYER, 3, split="zigzag")
