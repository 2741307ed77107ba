"""The ring: its rounds (run in node) against a count of pairs."""

import itertools
import re

import pytest
from test_live import needs_node, parts, plays

from d2lattn_book.pictures import live
from d2lattn_book.pictures.live.ring.figure import SPLITS

WAYS = [*itertools.product((2, 3, 4), (1, 4, 6), (True, False), SPLITS)]


def owners(R, b, split):
    return [i // b if split == "contiguous" else i % R for i in range(R * b)]


def counted(R, b, causal, split):
    """Scores by round and rank, counted pair by pair: the owner of a token is looked up."""
    n = R * b
    owner = owners(R, b, split)
    scores = [[0] * R for _ in range(R)]
    for i, j in itertools.product(range(n), repeat=2):
        if j <= i or not causal:
            scores[(owner[i] - owner[j]) % R][owner[i]] += 1
    return scores


@needs_node
def test_work_time_and_waiting_are_those_of_the_pairs():
    shown = [live.ring(R, block_size=b, causal=causal, split=split) for R, b, causal, split in WAYS]
    acts = [[("go", s, "the data") for s in range(1, R)] for R, *_ in WAYS]
    played = plays([("ring", *one) for one in zip(shown, acts, strict=True)])
    for way, figure, states in zip(WAYS, shown, played, strict=True):
        R, b, causal, split = way
        expected = counted(*way)
        time = [max(row) for row in expected]
        owner = owners(R, b, split)
        held = [[i for i in range(R * b) if owner[i] == r] for r in range(R)]
        assert states[0]["now"]["places"] == held
        table = re.findall(r"<tr><th>round \d</th>(.*?)</tr>", parts(figure)[0])
        for s, state in enumerate(states):
            now = state["now"]
            assert [(one["scores"], one["time"]) for one in now["done"]] == [
                *zip(expected, time, strict=True)
            ]
            assert list(map(int, re.findall(r"\d+", table[s]))) == [*expected[s], time[s]]
            past, spent = expected[: s + 1], sum(time[: s + 1])
            done = sum(map(sum, past))
            assert (now["all"]["scores"], now["all"]["time"]) == (done, spent)
            assert now["all"]["waiting"] == pytest.approx(1 - done / (R * spent))
            waits = [1 - sum(row[r] for row in past) / spent for r in range(R)]
            assert now["all"]["waits"] == pytest.approx(waits)
        assert repr(figure) == (
            f"live ring: {R} ranks, {'causal, ' if causal else ''}{split}: {done} scores in "
            f"{spent} time units, {100 * now['all']['waiting']:.0f}% idle"
        )
