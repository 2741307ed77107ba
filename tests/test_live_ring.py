"""The ring: its rounds (run in node) against a count of pairs and real attention, what it says."""

import functools
import itertools
import re

import pytest
import torch
from draws import generator
from test_live import needs_node, parts, plays

from d2lattn import attention, merge, partial_attention
from d2lattn_book.pictures import live

SIZES = [(R, b) for R in (2, 3, 4) for b in (1, 2, 4, 6)]
WAYS = [
    (R, b, causal, split)
    for (R, b), causal, split in itertools.product(SIZES, (True, False), live.SPLITS)
]


@functools.cache
def all_rounds():
    """Of every way, what there is after each round, and the figure."""
    shown = [live.ring(R, block_size=b, causal=causal, split=split) for R, b, causal, split in WAYS]
    acts = [[("go", s, "the data") for s in range(1, R)] for R, *_ in WAYS]
    played = plays("ring", zip(shown, acts, strict=True))
    return dict(zip(WAYS, zip(played, shown, strict=True), strict=True))


def counted(R, b, causal, split):
    """Scores by round and rank, counted pair by pair: the owner of a word is looked up."""
    n = R * b
    owner = [i // b if split == "contiguous" else i % R for i in range(n)]
    scores = [[0] * R for _ in range(R)]
    for i, j in itertools.product(range(n), repeat=2):
        if j <= i or not causal:
            scores[(owner[i] - owner[j]) % R][owner[i]] += 1
    return scores


@needs_node
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_work_time_and_waiting_are_those_of_the_pairs(way):
    R, _, causal, split = way
    states, shown = all_rounds()[way]
    expected = counted(*way)
    time = [max(row) for row in expected]
    table = re.findall(r"<tr><th>round \d</th>(.*?)</tr>", parts(shown)[0])
    for s, state in enumerate(states):
        now = state["now"]
        assert [one["scores"] for one in now["done"]] == expected
        assert [one["time"] for one in now["done"]] == time
        assert [one["blocks"] for one in now["done"]] == [
            [(r - k) % R for r in range(R)] for k in range(R)
        ]
        assert list(map(int, re.findall(r"\d+", table[s]))) == [*expected[s], time[s]]
        past, spent = expected[: s + 1], sum(time[: s + 1])
        done = sum(map(sum, past))
        assert (now["all"]["scores"], now["all"]["time"]) == (done, spent)
        assert now["all"]["waiting"] == pytest.approx(1 - done / (R * spent))
        waits = [1 - sum(row[r] for row in past) / spent for r in range(R)]
        assert now["all"]["waits"] == pytest.approx(waits)
    share = f"{100 * states[-1]['now']['all']['waiting']:.0f}"
    total, spent = sum(map(sum, expected)), sum(time)
    mask = "causal, " if causal else ""
    assert repr(shown) == (
        f"live ring: {R} ranks, {mask}{split}: {total} scores in {spent} time units, {share}% idle"
    )


@needs_node
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_the_rounds_as_they_are_drawn_are_attention(way):
    """Each rank merges what its round shows; together it is the attention of one process."""
    R, b, causal, _ = way
    states, _ = all_rounds()[way]
    q, k, v = torch.randn(3, R * b, 5, generator=generator(b), dtype=torch.float64)
    out = torch.full_like(q, torch.nan)
    now = states[-1]["now"]
    for rank, places in enumerate(now["places"]):
        found = []
        for one in now["done"]:
            block = one["blocks"][rank]
            seen = torch.tensor(now["seen"][rank][block])
            assert seen.sum() == one["scores"][rank]
            if seen.any():
                keys = now["places"][block]
                found.append(partial_attention(q[places], k[keys], v[keys], attn_mask=seen))
        out[places] = merge(*zip(*found, strict=True))[0]
    torch.testing.assert_close(out, attention(q, k, v, is_causal=causal), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("b", [1, 4, 6])
def test_the_shares_of_waiting_are_the_formulas_of_the_docstring(b):
    R = 4
    share = {}
    for split in live.SPLITS:
        expected = counted(R, b, True, split)
        share[split] = 1 - sum(map(sum, expected)) / (R * sum(map(max, expected)))
    assert share["striped"] == pytest.approx((R - 1) / (R * (b + 1)))
    long = counted(R, 60, True, "contiguous")
    share = 1 - sum(map(sum, long)) / (R * sum(map(max, long)))
    assert share == pytest.approx((R - 1) / (2 * R - 1), abs=0.002)
