"""The live figures' numbers and the sentences that tell them (run in node), to the last digit.

What a sentence must say was counted by hand, or is computed here in another way: with torch, with
complex numbers, by a walk.
"""

import cmath
import itertools
import math

import pytest
import torch
from test_live import assert_close, in_node, needs_node, plain, play, plays, rows_of
from test_live_cache import SIZES as CACHES
from test_live_cache import figure as cache
from test_live_reader import VOCABULARY, by_torch, decoder, sent
from test_live_reader import figure as reader
from test_live_told import SMALL

from d2lattn_book.pictures import live
from d2lattn_book.pictures.packed import unpack

pytestmark = needs_node
WRITTEN = [  # a function of kit/numbers.js, what it is given, and what it writes
    ("show", [math.nan], "–"),
    ("show", [math.inf], "∞"),
    ("show", [-math.inf], "−∞"),
    ("show", [0], "0.00"),
    ("show", [1.234], "1.23"),
    ("show", [-1.236], "−1.24"),
    ("show", [-0.004], "0.00"),
    ("show", [12.3456, 3], "12.346"),
    ("show", [99.96], "99.96"),
    ("show", [100], "100.0"),
    ("show", [-150.26, 3], "−150.3"),
    ("show", [123.4, 0], "123"),
    ("show", [9999.9], "9999.9"),
    ("show", [10000], "1.0e+4"),
    ("show", [-123456], "−1.2e+5"),
    ("show", [1e-9], "0.00"),
    ("show", [9e-10], "9.0e−10"),
    ("short", [0], "0.00"),
    ("short", [5e-10], "0.00"),
    ("short", [-9.98], "−9.98"),
    ("short", [9.994], "9.99"),
    ("short", [9.995], "10.0"),
    ("short", [-9.996], "−10.0"),
    ("short", [99.94], "99.9"),
    ("short", [99.96], "100"),
    ("short", [-999.4], "−999"),
    ("short", [1000], "1e3"),
    ("short", [-2600], "−3e3"),
    ("short", [123456], "1e5"),
    ("short", [math.inf], "∞"),
    ("short", [-math.inf], "−∞"),
    ("plain", [1], "1"),
    ("plain", [-0.5], "−0.5"),
    ("plain", [1.25], "1.25"),
    ("plain", [10], "10"),
    ("plain", [100], "100"),
    ("plain", [0.001], "0"),
    ("plain", [12345], "1.2e+4"),
    ("plain", [10000], "1.0e+4"),
    ("factor", [2], "2"),
    ("factor", [-1.5], "(−1.5)"),
    ("factor", [-0.001], "0"),
    ("cut", ["hungry", 6], "hungry"),
    ("cut", ["hungry", 5], "hung…"),
    ("clamp", [5, 0, 3], 3),
    ("clamp", [-1, 0, 3], 0),
    ("clamp", [2, 0, 3], 2),
    ("sum", [[1, 2, 4.5]], 7.5),
    ("sum", [[]], 0),
    ("dot", [[1, 2], [3, 4]], 11),
    ("replaced", [[[1, 2], [3, 4]], 1, 0, 9], [[1, 2], [9, 4]]),
]


def test_numbers_are_written_as_they_should_stand():
    for name, rows in itertools.groupby(WRITTEN, key=lambda row: row[0]):
        rows = list(rows)
        written = in_node("kit/numbers", name, [given for _, given, _ in rows])
        assert written == [expected for *_, expected in rows]


def test_a_softmax_sees_what_is_visible():
    cases, expected = [], []
    for seed in range(60):
        scores = rows_of(seed, 1 + seed % 6, scale=(1, 900)[seed % 2])
        visible = rows_of(seed + 99, len(scores)) > 0
        if seed % 3 == 0:
            cases.append([scores.tolist()])
            visible = torch.ones_like(visible)
        else:
            cases.append([scores.tolist(), visible.tolist()])
        expected.append(scores.masked_fill(~visible, -math.inf))
    nothing = 0
    for got, scores in zip(in_node("kit/numbers", "softmax", cases), expected, strict=True):
        assert float(got["largest"]) == scores.max()
        assert_close(got["weights"], scores.softmax(0).nan_to_num())
        assert_close(got["sum"], (scores - scores.max()).exp().nan_to_num().sum())
        nothing += scores.max() == -math.inf
    assert nothing


def said(kind, figure, *acts):
    return [state["said"] for state in play(kind, figure, *acts)]


# The microscope -----------------------------------------------------------------------------------


def test_who_is_picked_asks_but_not_whose_key_or_value_it_is():
    figure = live.attention(**SMALL)
    rows = ("word", "score", "weight", "output", "x")
    states = play("attention", figure, *(("pick", kind, 0, 0) for kind in rows))[1:]
    for kind, state in zip(rows, states, strict=True):
        assert state["state"]["at"] == [kind, 0, 0]
    alone = plays("attention", [(figure, [("pick", kind, 0, 0)]) for kind in rows])
    assert [state["state"]["asks"] for _, state in alone] == [0, 0, 0, 0, 1]


@pytest.mark.parametrize(
    "scale, name, divisor",
    [
        (None, "√3", 3**0.5),
        (3**-0.5, "√3", 3**0.5),
        (1, "1", 1),
        (1 / 3, "3", 3),
        (0.4, "2.5", 2.5),
        (4, "0.25", 0.25),
    ],
)
def test_a_scale_is_one_of_the_divisors(scale, name, divisor):
    figure = live.attention(**SMALL, scale=scale)
    choices = [("alter", {"divide": one}) for one in ("1", "√3", "3")]
    states = play("attention", figure, *choices, ("pick", "score", 1, 0))
    assert states[0]["state"]["divide"] == name
    for state, expected in zip(states, (divisor, 1, 3**0.5, 3, 3), strict=True):
        assert state["now"]["divisor"] == pytest.approx(expected, abs=1e-9)
        assert_close(state["now"]["scores"][1][0], torch.tensor(2 / expected))
    assert states[-1]["said"].endswith("2·1 + 0·1 + 1·0 = 2; ÷ 3 = 0.67")


def test_a_length_is_whole_and_within_the_sentence():
    acts = [("resize", size) for size in (1.4, 1.6, 99, -3)]
    states = play("attention", live.attention(**SMALL, mask="padding"), *acts)
    assert [state["state"]["size"] for state in states[1:]] == [1, 2, 2, 0]


# Heads --------------------------------------------------------------------------------------------


def test_thin_bands_are_hidden_where_there_are_many():
    shapes = [(16, 16), (17, 3), (3, 17), (2, 5)]
    begun = in_node("heads/state", "begin", [[{"shape": [1, 1, *shape]}] for shape in shapes])
    assert [one["least"] for one in begun] == [0.01, 0.08, 0.08, 0.01]
    assert [one["asks"] for one in begun] == [15, 16, 2, 1]


# Positions ----------------------------------------------------------------------------------------


def turned_product(angle):
    """Of the two arrows of the figure, as complex numbers, the key turned on by an angle."""
    return (complex(1, 0.3).conjugate() * complex(0.7, -0.7) * cmath.exp(1j * angle)).real


def test_two_turns_and_their_product_are_told():
    figure = live.positions(8, base=100.0, length=20)
    keep, moved = ("alter", {"keep": True}), ("move", "a", 5)
    states = play("positions", figure, keep, ("move", "a", 3), moved, ("alter", {"pair": 1}))
    carried = [state["state"]["carried"] for state in states]
    assert carried == [False, False, False, True, True]
    opening = "The angles of pair 0 at a = 3 and b = 7 differ by 4 · 1 = 4.00 radians, or 229.2°. "
    said = [state["said"] for state in states]
    assert said[0] == opening + "Tick “keep the distance”, and move one."
    assert said[1] == said[2] == opening + "Now move one of them."
    same = "Both have moved, the distance is the same."
    assert said[3] == (
        "The angles of pair 0 at a = 5 and b = 9 differ by 4 · 1 = 4.00 radians, or 229.2°. "
        f"{same} The rotated product is {turned_product(4):.2f}.".replace("-", "−")
    )
    assert said[4] == (
        "The angles of pair 1 at a = 5 and b = 9 differ by 4 · 0.32 = 1.26 radians, or 72.5°. "
        f"{same} The rotated product is {turned_product(1.2649):.2f}.".replace("-", "−")
    )
    for state, speed in zip(states, (1, 1, 1, 1, 100**-0.25), strict=True):
        products = state["now"]["products"]
        assert products["still"] == pytest.approx(turned_product(0))
        assert products["turned"] == pytest.approx(turned_product(4 * speed))
        assert state["now"]["speeds"] == pytest.approx([100 ** (-j / 4) for j in range(4)])
        assert state["now"]["speed"] == pytest.approx(speed)


def test_slow_hands_short_rows_and_pages_without_arrows():
    slow = live.positions(8, base=1e6, length=20)
    told = said("positions", slow, ("alter", {"pair": 3}))[1]
    assert "differ by 4 · 3.2e−5 = 0.00 radians, or 0.0°." in told
    begun = play("positions", live.positions(8, base=100.0, length=3))[0]["state"]
    assert (begun["a"], begun["b"], begun["last"]) == (2, 2, 2)
    begun = play("positions", live.positions(8, base=100.0, length=6))[0]["state"]
    assert (begun["a"], begun["b"]) == (3, 5)
    begun = play("positions", live.positions(8, base=100.0, length=20, a=5, b=12))[0]["state"]
    assert (begun["a"], begun["b"]) == (5, 12)


# The online softmax -------------------------------------------------------------------------------


def told_step(scores, values, t):
    """What step t says, by torch's softmax of the first t scores."""
    here, value = scores[t - 1], values[t - 1]
    largest, before = max(scores[:t]), max(scores[: t - 1], default=-math.inf)
    opening = (
        f"Step {t} reads the score {plain(here)} and the value {', '.join(map(plain, value))}. "
    )
    powers = [[math.exp(score - top) for score in scores[:n]]
              for n, top in ((t - 1, before), (t, largest))]  # fmt: skip
    rescale = math.exp(before - largest)
    if t == 1:
        which = "It is the maximum so far."
    elif largest == before:
        which = f"The maximum stays {plain(largest)}, so nothing is rescaled."
    else:
        which = (
            f"The maximum grows from {plain(before)} to {plain(largest)}, so normalizer "
            f"and accumulator are rescaled: times e^({plain(before)} − {plain(largest)}) = "
            f"{plain(rescale)}."
        )
    total = sum(power * value[0] for power, value in zip(powers[0], values, strict=False))
    output = torch.tensor(scores[:t]).double().softmax(0) @ torch.tensor(values[:t]).double()
    sums = (
        f" Normalizer: {plain(sum(powers[0]))}·{plain(rescale)} + {plain(powers[1][-1])} = "
        f"{plain(sum(powers[1]))}. Output: ({plain(total)}·{plain(rescale)} + "
        f"{plain(powers[1][-1])}·{plain(value[0])}) ÷ {plain(sum(powers[1]))} = {plain(output[0])}"
    )
    end = ", and the same for the other channels." if len(value) > 1 else "."
    last = " All scores are read: the output equals softmax(scores) times the values."
    return opening + which + sums + end + (last if t == len(scores) else "")


@pytest.mark.parametrize("values", [[[10.0], [20], [5], [3]], [[1.0, 4], [2, 8], [0, 1], [3, 7]]])
def test_each_step_is_told_and_stands_in_the_table(values):
    scores = [1.0, 3, 2, 3]
    figure = live.steps(scores, values if len(values[0]) > 1 else [v[0] for v in values])
    states = play("steps", figure, *(("go", t) for t in (1, 2, 3, 4)))
    assert [state["said"] for state in states[1:]] == [
        told_step(scores, values, t) for t in (1, 2, 3, 4)
    ]
    d = len(values[0])
    table = states[0]["now"]["table"]
    x = torch.tensor(scores).double()
    largest = x.cummax(0).values
    before = torch.cat([torch.tensor([-math.inf]), largest[:-1]]).double()
    assert_close(table[1 + d], largest)
    assert_close(table[2 + d], (before - largest).exp())
    assert_close(table[3 + d], (x - largest).exp())
    assert_close(
        table[4 + d], torch.stack([(x[:t] - largest[t - 1]).exp().sum() for t in range(1, 5)])
    )
    v = torch.tensor(values).double()
    totals = [(x[:t] - largest[t - 1]).exp() @ v[:t] for t in range(1, 5)]
    assert_close(table[5 + d : 5 + 2 * d], torch.stack(totals).T)
    assert_close(table[5 + 2 * d :], torch.stack([x[:t].softmax(0) @ v[:t] for t in range(1, 5)]).T)
    for t, state in enumerate(states):
        assert state["now"]["now"] == state["now"]["states"][t]


def test_rows_of_the_table_are_named():
    one, two = in_node("steps/state", "rowsOf", [[{"values": [[1]]}], [{"values": [[1, 2]]}]])
    assert [row[:2] for row in one] == [
        ["score", "key"], ["value", "value"], ["running maximum m", None],
        ["rescaling factor", None], ["new: e^(score − m)", "weight"], ["normalizer l", None],
        ["accumulator o", "value"], ["output = o ÷ l", "output"],
    ]  # fmt: skip
    assert [row[:2] for row in two] == [
        ["score", "key"], ["value 1", "value"], ["value 2", "value"], ["running maximum m", None],
        ["rescaling factor", None], ["new: e^(score − m)", "weight"], ["normalizer l", None],
        ["accumulator o 1", "value"], ["accumulator o 2", "value"],
        ["output 1 = o 1 ÷ l", "output"], ["output 2", "output"],
    ]  # fmt: skip
    state = {"scores": [1, 2], "values": [[3, 4], [5, 6]]}
    places = [[0, 1], [1, 1], [2, 0]]
    assert in_node("steps/state", "read", [[state, at] for at in places]) == [2, 5, 4]
    inputs = in_node("steps/state", "isInput", [[state, i] for i in range(4)])
    assert inputs == [True, True, True, False]


# The receptive field ------------------------------------------------------------------------------


def test_a_link_is_used_if_the_unit_hears_through_it():
    ways = itertools.product((2, 3), (True, False), (True, False))
    for k, dilated, causal in ways:
        causal = causal or k == 2
        figure = live.field(k, 3, dilated=dilated, causal=causal)
        states = play("field", figure, ("choose", {"at": [2, 9]}), ("choose", {"at": [0, 4]}))
        for state, (level, unit) in zip(
            states, ([3, 16 if causal else 8], [2, 9], [0, 4]), strict=True
        ):
            links = state["now"]["links"]
            heard, used = {(level, unit)}, set()
            for link in sorted(links, key=lambda link: -link["layer"]):
                if (link["layer"] + 1, link["to"]) in heard:
                    heard.add((link["layer"], link["from"]))
                    used.add((link["layer"], link["from"], link["to"]))
            shown = {(one["layer"], one["from"], one["to"]) for one in links if one["used"]}
            assert shown == used
            found = [sorted(i for at, i in heard if at == one) for one in range(level + 1)]
            assert state["now"]["found"] == found


def test_large_counts_are_powers_of_ten():
    counts = {0: "0", 999: "999", 1000: "1 000", 999_999: "999 999", 10**6: "1.0 × 10⁶",
              25_165_824: "2.5 × 10⁷", 1.2e15: "1.2 × 10¹⁵", math.inf: "never"}  # fmt: skip
    assert in_node("field/explain", "count", [[one] for one in counts]) == [*counts.values()]


# The cache ----------------------------------------------------------------------------------------


def test_kinds_are_named_and_what_they_keep_is_multiplied():
    sizes = dict(num_heads=6, num_kv_heads=1, head_dim=4, latent_dim=7, rope_dim=2, window=3,
                 sinks=2)  # fmt: skip
    names = in_node("cache/explain", "nameOf", [[kind, sizes] for kind in live.KINDS_KEPT])
    assert names == [
        "multi-head (MHA), 6 heads", "grouped (GQA), 1 KV head", "latent (MLA), dim 7 + RoPE dim 2",
        "sliding window of 3", "window of 3 + 2 sinks", "linear attention, 6 heads of 4 × 4",
    ]  # fmt: skip
    one = sizes | dict(num_heads=1, rope_dim=0, sinks=1)
    names = in_node("cache/explain", "nameOf", [[kind, one] for kind in live.KINDS_KEPT])
    assert names[0] == "multi-head (MHA), 1 head" and names[2] == "latent (MLA), dim 7"
    assert names[4] == "window of 3 + 1 sink"
    wholes = {1: "1", 12: "12", 999: "999", 1000: "1,000", 12345: "12,345", 1234567: "1,234,567"}
    assert in_node("cache/explain", "whole", [[one] for one in wholes]) == [*wholes.values()]
    figures = [cache(CACHES[2], kind=kind, step=4) for kind in live.KINDS_KEPT]
    told = [states[0]["said"] for states in plays("cache", [(one, []) for one in figures])]
    opening = "found is the query, token 4. "
    pairs = "2 layers · keys and values: 2 · 6 heads · head_dim 4 · 2 bytes per element = 192"
    assert told == [
        f"{opening}Cached: 4 of 4 tokens × 192 = 768 bytes ({pairs}). All of them are visible.",
        f"{opening}Cached: 4 of 4 tokens × 96 = 384 bytes (2 layers · keys and values: 2 · 3 heads "
        "· head_dim 4 · 2 bytes per element = 96). All of them are visible.",
        f"{opening}Cached: 4 of 4 tokens × 36 = 144 bytes (2 layers · latent dim 7 + RoPE dim 2, "
        "together 9 · 2 bytes per element = 36). All of them are visible.",
        f"{opening}Cached: 3 of 4 tokens × 192 = 576 bytes ({pairs}). No longer visible: the.",
        f"{opening}Cached: 4 of 4 tokens × 192 = 768 bytes ({pairs}). All of them are visible.",
        f"{opening}State: 768 bytes, however many tokens (2 layers · 6 heads · 4 × 4 · "
        "4 bytes per element = 768). The outer products of keys and values of all 4 "
        "tokens are summed into it: none can be looked up on its own.",
    ]
    (first,) = play("cache", cache(CACHES[3], kind="grouped", step=1))
    assert first["said"] == (
        "the is the query, token 1. Cached: 1 of 1 token × 64 = 64 bytes (keys and values: 2 · 1 "
        "head · head_dim 8 · 4 bytes per element = 64). All of them are visible."
    )
    latent = play("cache", cache(CACHES[1], kind="latent", step=1))[0]["said"]
    assert "(3 layers · latent dim 5 · 8 bytes per element = 120)" in latent


# The map of words ---------------------------------------------------------------------------------


def test_the_map_has_room_around_its_words_and_more_for_names():
    framed = in_node("words/state", "prepare", [[{"x": [[1, 4], [3, -1]]}], [{"x": [[0, 0]]}],
                                                [{"x": [[-6, 1], [-4, -2]]}]])  # fmt: skip
    expected = [[[-0.7, -1.7], [5.1, 4.7]], [[-0.14, -0.14], [0.42, 0.14]],
                [[-6.84, -2.84], [2.52, 1.84]]]  # fmt: skip
    for one, frame in zip(framed, expected, strict=True):
        assert_close(one["frame"], torch.tensor(frame))


# The ring -----------------------------------------------------------------------------------------


def test_a_block_is_at_a_rank_in_one_round():
    cases = [(rank, block, R) for R in (2, 3, 4) for rank in range(R) for block in range(R)]
    rounds = in_node("ring/state", "blockOf", cases)
    assert rounds == [(rank - block) % R for rank, block, R in cases]


# The reader ---------------------------------------------------------------------------------------


def mulberry(seed):
    """The published generator, in whole numbers of 32 bits."""
    low = 2**32 - 1
    t = seed * 0x6D2B79F5 & low
    t = (t ^ t >> 15) * (t | 1) & low
    t ^= (t + ((t ^ t >> 7) * (t | 61) & low)) & low
    return ((t ^ t >> 14) & low) / 2**32


def test_what_is_written_is_drawn_with_the_numbers_of_the_seed():
    shown = reader(decoder(3), text="the dog", stop=None)
    *states, last = play("reader", shown, *[("write", "the data")] * 6)
    for number, state in enumerate(states, start=1):
        probs = torch.tensor(state["now"]["probs"])
        place = int((probs.cumsum(0) <= mulberry(number)).sum())
        assert state["state"]["seed"] == number
        after = [*states, last][number]["state"]["text"]
        assert after == f"{state['state']['text']} {VOCABULARY[place]}"
    again = play("reader", shown, ("write", "the data"), ("rewind", "the data"))[-1]["state"]
    assert (again["text"], again["passed"], again["kept"]) == ("the dog", [2], 0)


def test_a_reading_is_told_with_the_numbers_of_torch():
    model = decoder(5)
    shown = reader(model, text="the dog found the")
    acts = [("alter", {"asks": 2, "layer": 1, "head": 3}), ("toggle", 1, 3)]
    _, *states = play("reader", shown, *acts, ("write", "the data"), ("show", 0, 1))
    tokens = [0, *(VOCABULARY.index(word) for word in ("the", "dog", "found", "the"))]
    twin = unpack(sent(shown)["model"])

    def told(read, asks, head, off=(), end=""):
        logits, maps = by_torch(twin, read, off)
        weights = maps[head[0], head[1], asks]
        probs, best = (logits[asks] / 0.5).softmax(0), int(weights.argmax())  # at its temperature
        key = int(probs.argmax())
        whole = (by_torch(twin, read)[0][asks] / 0.5).softmax(0)[key]
        silent = f" ({whole:.2f} with all heads on)" if off else ""
        which = ", which is off," if head in off else ","
        return (
            f"{VOCABULARY[read[asks]]} attends most, in head {head[1]} of layer {head[0]}{which} "
            f"to {VOCABULARY[read[best]]}: attention weight {weights[best]:.2f}. The most probable "
            f"next token is {VOCABULARY[key]}, probability {probs[key]:.2f}{silent}.{end}"
        )

    off = [(1, 3)]
    assert states[0]["state"]["asks"] == 2
    assert states[0]["said"] == told(tokens, 2, (1, 3))
    assert states[1]["said"] == told(tokens, 2, (1, 3), off)
    written = states[2]["now"]["tokens"]
    assert written[:5] == tokens
    end = " The last step computed 1 row of each map and took 5 from the cache."
    end += " Tokens read so far: 6."
    end += " Here the text ends." * (written[5] == 0)
    assert states[2]["said"] == told(written, 5, (1, 3), off, end)
    assert states[3]["said"] == told(written, 5, (0, 1), off, end)


def test_the_text_is_cut_where_the_room_ends():
    typed = [("type", text, "the data") for text in ("cat " * 12, "qux zap Cat.", "")]
    _, *states = play("reader", reader(text="dog"), ("alter", {"asks": 0}), *typed)
    assert [len(state["now"]["tokens"]) for state in states] == [2, 10, 3, 1]
    assert states[1]["said"].startswith("Its context is 10 tokens at most. ")
    assert states[2]["said"].startswith("Not in its vocabulary: qux, zap. ")
    assert states[2]["said"].endswith(" Here the text ends.")
    assert [state["state"]["asks"] for state in states] == [0, 0, 0, 0]
    empty = play("reader", reader(text="dog", stop=None), ("type", "qux", "the data"))[1]
    assert empty["said"] == "Not in its vocabulary: qux. Type a word."
    assert empty["now"]["used"]["over"]


def test_only_what_is_beyond_the_room_is_left():
    cases = [["cat " * n, ["cat"]] for n in (12, 13)]
    read = in_node("words/state", "reads", cases)
    assert [(len(one["tokens"]), one["left"]) for one in read] == [(12, False), (12, True)]
    data = {"vocabulary": ["cat", "."], "stop": 1, "room": 10}
    read = in_node("reader/state", "reads", [["cat " * n, data] for n in (9, 10)])
    assert [(len(one["tokens"]), one["left"]) for one in read] == [(10, False), (10, True)]
