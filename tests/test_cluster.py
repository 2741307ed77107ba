"""The simulation: its limits by hand, its bytes by formula, and what it refuses."""

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from d2lattn_book import cluster
from d2lattn_book.cluster import Layer, Machine, both_cost, heads_cost, ring_cost

LAYER = Layer(tokens=4096, heads=8, kv_heads=4, head_dim=16)
PAIR = 4 * LAYER.heads * LAYER.head_dim  # FLOPs of one query and one key in all heads
FAST_LINK = Machine(1e9, math.inf, 0.0)
FAST_DEVICE = Machine(math.inf, 1e6, 0.5)
POWERS = st.sampled_from([1, 2, 4, 8, 16])


@given(POWERS)
def test_behind_a_link_without_limit_there_are_only_products(ranks):
    share = LAYER.tokens // ranks
    whole = ring_cost(FAST_LINK, LAYER, ranks, is_causal=False)
    assert whole.seconds == whole.computation
    assert math.isclose(whole.seconds, LAYER.tokens * share * PAIR / 1e9)
    line = ring_cost(FAST_LINK, LAYER, ranks, split="contiguous")  # the last rank sees all
    by_hand = ((ranks - 1) * share**2 + share * (share + 1) / 2) * PAIR / 1e9
    assert math.isclose(line.seconds, by_hand)
    striped = ring_cost(FAST_LINK, LAYER, ranks)
    assert math.isclose(striped.seconds, ranks * share * (share + 1) / 2 * PAIR / 1e9, rel_tol=1e-9)


@pytest.mark.parametrize("split", cluster.SPLITS)
@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_pairs_are_those_that_a_causal_mask_leaves(ranks, split):
    share = 6
    places = torch.arange(ranks * share).view(ranks, share)
    if split == "striped":
        places = places.view(share, ranks).T
    elif split == "zigzag":
        pieces = places.view(2 * ranks, share // 2)
        places = torch.cat([pieces[:ranks], pieces[ranks:].flip(0)], 1)
    for step in range(ranks):
        for rank in range(ranks):
            seen = places[(rank - step) % ranks][None] <= places[rank][:, None]
            assert cluster.pairs(rank, step, share, split) == seen.sum()


@given(POWERS)
def test_on_a_device_without_limit_there_are_only_messages(ranks):
    cost = ring_cost(FAST_DEVICE, LAYER, ranks)
    block = 2 * LAYER.tokens // ranks * 4 * 16 * 2
    assert cost.computation == 0 and cost.sent == (ranks - 1) * block
    assert math.isclose(cost.seconds, (ranks - 1) * (0.5 + block / 1e6))


def test_without_overlap_products_and_messages_add_up():
    machine = Machine(1e9, 1e7, 1e-3)
    alone = [ring_cost(m, LAYER, 4).seconds for m in (Machine(1e9, math.inf, 0), machine)]
    messages = ring_cost(machine._replace(flops=math.inf), LAYER, 4).seconds
    apart = ring_cost(machine, LAYER, 4, overlap=False).seconds
    assert math.isclose(apart, alone[0] + messages, rel_tol=1e-3)
    assert max(alone[0], messages) <= alone[1] < apart


def test_a_late_rank_holds_up_its_neighbours_only_as_long_as_they_need_its_block():
    line = ring_cost(Machine(1e9, 1e9, 0.0), LAYER, 4, split="contiguous")
    assert line.seconds < 1.01 * line.computation  # the last rank never waits for those with less


def ring_by_hand(machine, ranks, *, is_causal, split, overlap):
    """Seconds of a ring, message by message: a rank goes on when its computation is done, its block
    has come and its own has gone."""
    share = LAYER.tokens // ranks
    message = machine.latency + 2 * share * 4 * 16 * 2 / machine.bandwidth
    now = [0.0] * ranks
    for step in range(ranks):
        pairs = [
            cluster.pairs(rank, step, share, split if is_causal else None) for rank in range(ranks)
        ]
        computation = [n * PAIR / machine.flops for n in pairs]
        if step == ranks - 1:
            return max(time + more for time, more in zip(now, computation, strict=True))
        came = [max(now[rank], now[rank - 1]) + message for rank in range(ranks)]
        moved = [max(came[rank], came[(rank + 1) % ranks]) for rank in range(ranks)]
        for rank in range(ranks):
            done = (now[rank] if overlap else moved[rank]) + computation[rank]
            now[rank] = max(done, moved[rank])
    raise AssertionError


@pytest.mark.parametrize("bandwidth", [1e7, 1e8, 3e8, 1e9])
@pytest.mark.parametrize("split", cluster.SPLITS)
def test_a_ring_goes_on_when_products_and_both_messages_are_done(split, bandwidth):
    machine = Machine(1e9, bandwidth, 1e-3)
    for ranks in (2, 4, 8):
        for is_causal, overlap in itertools.product([True, False], repeat=2):
            options = dict(is_causal=is_causal, split=split, overlap=overlap)
            got = ring_cost(machine, LAYER, ranks, **options).seconds
            assert math.isclose(got, ring_by_hand(machine, ranks, **options))


@given(st.sampled_from([1, 2, 4]))
def test_heads_send_by_the_formula(ranks):
    cost = heads_cost(FAST_DEVICE, LAYER, ranks)
    numbers = LAYER.tokens // ranks * (8 + 4 + 4 + 8) * 16  # queries, keys, values, outputs
    assert cost.sent == numbers * 2 * (ranks - 1) // ranks
    exchanges = 2 if ranks > 1 else 0  # each pays one latency, however many messages it has
    assert math.isclose(cost.seconds, exchanges * 0.5 + cost.sent / 1e6)
    assert math.isclose(
        heads_cost(FAST_LINK, LAYER, ranks).seconds, 4096 * 4097 / 2 * PAIR / ranks / 1e9
    )


def test_both_are_heads_for_one_group_and_a_ring_for_groups_of_one():
    machine = Machine(1e9, 1e7, 1e-3)
    assert both_cost(machine, LAYER, 4, heads_over=4).sent == heads_cost(machine, LAYER, 4).sent
    ours = both_cost(machine, LAYER, 4, heads_over=1)
    assert ours == ring_cost(machine, LAYER, 4)
    both = both_cost(machine, LAYER, 16, heads_over=4)
    assert both.sent < ring_cost(machine, LAYER, 16).sent
    for is_causal in (True, False):
        alone = heads_cost(machine, LAYER, 4, is_causal=is_causal)
        ours = both_cost(machine, LAYER, 4, heads_over=4, is_causal=is_causal)
        assert math.isclose(ours.seconds, alone.seconds)
        assert math.isclose(ours.computation, alone.computation)


def test_exchanges_in_a_group_go_over_a_link_of_their_own():
    machine, inside = Machine(1e9, 1e7, 1e-3), Machine(5.0, 1e9, 1e-6)  # whose FLOPs do not count
    one, two = (both_cost(machine, LAYER, 16, heads_over=4, inside=x) for x in (None, inside))
    group = LAYER._replace(tokens=LAYER.tokens // 4)
    slow, fast = (heads_cost(m, group, 4) for m in (machine, inside))
    saved = (slow.seconds - slow.computation) - (fast.seconds - fast.computation)
    assert saved > 0 and math.isclose(one.seconds - two.seconds, saved)
    assert one.sent == two.sent and one.computation == two.computation


def test_for_a_short_text_sharing_heads_is_faster_than_a_ring():
    """As the table of section 11.9 says: shares of 512 words in a box of eight GPUs."""
    machine, layer = cluster.MACHINES["H100, NVLink"], Layer(4096, 32, 8, 128)
    alone = ring_cost(machine, layer, 1).seconds
    gains = [alone / cost(machine, layer, 8).seconds for cost in (ring_cost, heads_cost)]
    assert [round(gain, 1) for gain in gains] == [1.3, 2.4]
    late = heads_cost(machine, layer, 8).seconds + 12 * machine.latency  # seven messages for one
    assert round(alone / late, 1) == 0.8


def test_latencies_are_those_of_calculons_file():
    """systems/h100_80g_nvl8.json at commit caa4b11: 0.00001 and 0.00002 seconds."""
    found = [cluster.MACHINES[name].latency for name in ("H100, NVLink", "H100, InfiniBand")]
    assert found == [0.00001, 0.00002]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda m: ring_cost(m, LAYER._replace(tokens=6), 2, split="zigzag"),
            "tokens must be a multiple of 2 · ranks for zigzag, got 6 for 2 ranks",
        ),
        (lambda m: both_cost(m, LAYER, 4, heads_over=4, inside=3), "machine must be a Machine"),
        (lambda m: ring_cost(m, LAYER, 3), "tokens must be a multiple of ranks, 3, got 4096"),
        (lambda m: ring_cost(m, LAYER, 0), "ranks must be an integer of at least 1"),
        (lambda m: ring_cost(m, LAYER, 2, split="cards"), "split must be one of"),
        (lambda m: ring_cost(m, (1, 2), 2), "layer must be a Layer"),
        (lambda m: heads_cost(m, LAYER, 8), "must be multiples of ranks, got 8 and 4 for 8 ranks"),
        (lambda m: both_cost(m, LAYER, 6, heads_over=4), "ranks must be a multiple of heads_over"),
    ],
)
def test_bad_input(call, said):
    with pytest.raises(ValueError, match=said):
        call(FAST_LINK)
