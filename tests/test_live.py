"""Live figures without a page: what their JavaScript gives, run in node, and the HTML they send.

Numbers that a formula gives are compared with torch; what a hand changes stands in a table.
"""

import functools
import html
import json
import math
import re
import shutil
import subprocess
from pathlib import Path

import live_code
import live_kinds
import pytest
import torch
from draws import generator
from live_kinds import SENTENCE

from d2lattn.positions import apply_rotary
from d2lattn_book import comparison
from d2lattn_book.pictures import arrays, live, page
from d2lattn_book.pictures.colours import ROLES

SCRIPTS = Path(__file__).resolve().parent / "js"
PLAYED = SCRIPTS / "figures.mjs"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")
X = torch.tensor(live_kinds.X)
SMALL = dict(x=[[1.0, 1, 0], [2, 0, 1]], tokens=["small", "cat"])
MAP = [*live_kinds.PLANE]


def node(calls):
    """What one process of node gives for calls of (module, function, arguments)."""
    calls = json.dumps([(str(module), name, given) for module, name, given in calls])
    done = subprocess.run(
        [NODE, SCRIPTS / "run.mjs"],
        input=re.sub(r"(?<=[\[ ])(-?Infinity|NaN)(?=[],}])", r'"\1"', calls),
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def in_node(module, function, cases):
    """What a function of a figure's module returns for each list of arguments."""
    path = live_code.SOURCE / f"{module}.js"
    return node([(path, function, case) for case in cases])


def of_kind(kind, function, cases):
    """What a function of tests/js/figures.mjs returns for a kind and each list of arguments."""
    folder = str(live_code.SOURCE / kind)
    return node([(PLAYED, function, [folder, *case]) for case in cases])


def play(kind, figure, *acts):
    """Each state of a figure, what it computes and what it says: at first, and after every act."""
    return plays([(kind, figure, acts)])[0]


def plays(rows):
    """As `play`, for many rows (kind, figure, acts) at once."""
    folders = [str(live_code.SOURCE / kind.split()[0]) for kind, *_ in rows]
    given = [(parts(figure)[2], acts) for _, figure, acts in rows]
    played = node(
        [(PLAYED, "play", [folder, *one]) for folder, one in zip(folders, given, strict=True)]
    )
    assert {role for states in played for state in states for role in state["roles"]} <= {*ROLES}
    return played


def assert_close(got, expected):
    """Equal to 1e-6 of the size of the numbers, which are all finite."""
    got = torch.tensor(got, dtype=torch.float64)
    torch.testing.assert_close(got, expected.double(), rtol=1e-6, atol=1e-6)


def rows_of(seed, *shape, scale=3.0):
    return scale * torch.randn(*shape, generator=generator(seed), dtype=torch.float64)


# What a function gives ---------------------------------------------------------------------------

ROWS = {"tokens": ["a"] * 16, "keys": ["a"] * 16}
SIZES = dict(num_heads=6, num_kv_heads=1, head_dim=4, latent_dim=7, rope_dim=2, window=3, sinks=2)
BYTES = SIZES | dict(itemsize=2)
CAT = {"vocabulary": ["cat", "."], "stop": 1, "room": 10}
GIVES = [
    ("kit/numbers", "show", [math.nan], "–"),
    ("kit/numbers", "show", [-math.inf], "−∞"),
    ("kit/numbers", "show", [-1.236], "−1.24"),
    ("kit/numbers", "show", [-0.004], "0.00"),
    ("kit/numbers", "show", [-150.26, 3], "−150.3"),
    ("kit/numbers", "show", [9999.9], "9999.9"),
    ("kit/numbers", "show", [10000], "1.0e+4"),
    ("kit/numbers", "show", [1e-9], "0.00"),
    ("kit/numbers", "show", [9e-10], "9.0e−10"),
    ("kit/numbers", "short", [5e-10], "0.00"),
    ("kit/numbers", "short", [9.994], "9.99"),
    ("kit/numbers", "short", [-9.996], "−10.0"),
    ("kit/numbers", "short", [99.96], "100"),
    ("kit/numbers", "short", [-2600], "−3e3"),
    ("kit/numbers", "short", [math.inf], "∞"),
    ("kit/numbers", "plain", [-0.5], "−0.5"),
    ("kit/numbers", "plain", [0.001], "0"),
    ("kit/numbers", "factor", [-1.5], "(−1.5)"),
    ("kit/numbers", "cut", ["hungry", 5], "hung…"),
    ("attention/state", "unfolded", [{"told": [1, 4], "x": [0] * 6}],
     dict(asks=1, scores=4, weights=0, values=0, output=0)),
    ("attention/state", "partsOf", [{"told": [3, 0], "x": [0] * 6}], 6),
    ("heads/state", "crowded", [16, 16], False),
    ("heads/state", "crowded", [3, 17], True),
    ("field/explain", "count", [999_999], "999 999"),
    ("field/explain", "count", [25_165_824], "2.5 × 10⁷"),
    ("field/explain", "count", [1.2e15], "1.2 × 10¹⁵"),
    ("field/explain", "count", [math.inf], "never"),
    ("cache/explain", "whole", [1234567], "1,234,567"),
    ("cache/explain", "nameOf", ["full", SIZES], "multi-head (MHA), 6 heads"),
    ("cache/explain", "nameOf", ["grouped", SIZES], "grouped (GQA), 1 KV head"),
    ("cache/explain", "nameOf", ["latent", SIZES], "latent (MLA), dim 7 + RoPE dim 2"),
    ("cache/explain", "nameOf", ["window", SIZES], "sliding window of 3"),
    ("cache/explain", "nameOf", ["sinks", SIZES], "window of 3 + 2 sinks"),
    ("cache/explain", "nameOf", ["state", SIZES], "linear attention, 6 heads of 4 × 4"),
    ("cache/state", "bytesEach", ["grouped", BYTES], 16),
    ("cache/state", "bytesEach", ["state", BYTES], 192),
    ("words/state", "reads", ["cat " * 12, ["cat"]],
     dict(tokens=[0] * 12, unknown=[], left=False)),
    ("words/state", "reads", ["cat " * 13, ["cat"]], dict(tokens=[0] * 12, unknown=[], left=True)),
    ("reader/state", "reads", ["cat " * 9, CAT],
     dict(tokens=[1] + [0] * 9, unknown=[], left=False)),
    ("reader/state", "reads", ["cat " * 10, CAT],
     dict(tokens=[1] + [0] * 9, unknown=[], left=True)),
    ("reader/state", "completed", ["a TH", {"vocabulary": ["The", "then", "cat"]}],
     ["a The", "a then"]),
    ("reader/state", "completed", ["a THE", {"vocabulary": ["The", "then", "cat"]}], []),
    ("reader/state", "completed", ["a ", {"vocabulary": ["The", "then", "cat"]}], []),
    ("train/curves", "means", [[*range(3)]], [[1, 0], [1, 0], [2, 1], [3, 2]]),
    ("train/curves", "means", [[*range(320)]],
     [[1, 0], *[[end, end - 1.5] for end in range(2, 321, 2)]]),
]  # fmt: skip


@needs_node
def test_a_function_gives():
    calls = [(live_code.SOURCE / f"{module}.js", *call) for module, *call, _ in GIVES]
    for (*call, expected), got in zip(GIVES, node(calls), strict=True):
        assert got == expected, call


# What a hand changes: a figure, its acts, and what there is at first and after each of them -------

PICKED = [["word", 0, 0], ["weight", 1, 0], ["x", 2, 0], ["output", 3, 0]]
STORY = [("tell", 0), ("unfold", 1), ("tell", 1), ("unfold", 4), ("pick", "word", 2, 0),
         ("pick", "score", 1, 1), ("unfold", 2), ("tell", 1), ("tell", None)]  # fmt: skip
KEEP, LET = ("alter", {"keep": True}), ("alter", {"keep": False})
HANDS = {
    "attention is followed from another token": (
        live.attention(X, tokens=SENTENCE), [("pick", *place) for place in PICKED],
        {"state.asks": [5, 0, 1, 1, 3], "state.at": [["word", 5, 0], *PICKED]},
    ),
    "attention is told a thought at a time": (
        live.attention(X, tokens=SENTENCE, query="found"), STORY,
        {"state.told": [None, [0, 0], [0, 1], [1, 0], [1, 4], [1, 4], None, None, [1, 0], None],
         "state.asks": [3, 3, 3, 3, 3, 2, 1, 1, 1, 1]},
    ),
    "attention to a length that is whole and within the sentence": (
        live.attention(**SMALL, mask="padding"), [("resize", n) for n in (1.4, 1.6, 99, -3)],
        {"state.size": [1, 1, 2, 2, 0]},
    ),
    "attention with a scale of its own": (
        live.attention(**SMALL, scale=0.25), [("alter", {"divide": one}) for one in ("√3", "3")],
        {"now.divisor": [4, pytest.approx(3**0.5), 3]},
    ),
    "heads where only the pointed at is told": (
        live.heads(live_kinds.weights(2, 6, 6), tokens=SENTENCE),
        [("ask", 4), ("hover", 2, 5), ("hover", None, 1), ("alter", {"over": None, "key": 3})],
        {"now.asks": [5, 4, 2, 4, 4], "now.key": [None, None, 5, 1, 3]},
    ),
    "positions that move together and stop at the ends": (
        live.positions(8, base=100.0, length=20),
        [KEEP, ("move", "a", 9), ("move", "a", 19), ("move", "b", 0), LET, ("move", "b", 12)],
        {"state.a": [3, 3, 9, 15, 0, 0, 0], "state.b": [7, 7, 13, 19, 4, 4, 12],
         "state.carried": [False, False, True, True, True, True, True],
         "now.further": [{"a": a + 5, "b": b + 5} for a, b in ((3, 7), (3, 7), (9, 13), (15, 19),
                                                               (0, 4), (0, 4), (0, 12))]},
    ),
    "positions of clocks alone are played until b is at the end": (
        live.positions(8, base=100.0, length=9, parts=["clocks"]), [("next",), ("rewind",)],
        {"state.a": [3, 3, 3], "state.b": [7, 8, 3]},
    ),
    "positions with arrows are played together": (
        live.positions(8, base=100.0, length=9), [("next",), ("rewind",)],
        {"state.a": [3, 4, 0], "state.b": [7, 8, 4]},
    ),
    "steps that go forward, back and to a number": (
        live.steps([1.0, 3.0, 2.0], [1.0, 2, 3]),
        [("go", 9), ("go", -1), ("pick", 1, 1), ("write", [0, 0], 4), ("write", [1, 1], -7)],
        {"state.read": [0, 3, 0, 2, 2, 2],
         "state.at": [[0, 0], [0, 2], [0, 0], [1, 1], [1, 1], [1, 1]],
         "state.scores": [[1, 3, 2]] * 4 + [[4, 3, 2]] * 2,
         "state.values": [[[1], [2], [3]]] * 5 + [[[1], [-7], [3]]]},
    ),
    "field of an even kernel is causal": (
        live.field(3, 3, dilated=False, causal=False),
        [("choose", {"k": 2}), ("choose", {"causal": False}), ("deepen", 5), ("deepen", 2),
         ("choose", {"at": [0, 3]})],
        {"state.causal": [False, True, True, True, True, True],
         "state.at": [[3, 8], [3, 8], [3, 8], [5, 8], [2, 8], [0, 3]],
         "now.width": [7, 4, 4, 6, 3, 1]},
    ),
    "words whose query stays where its token is": (
        live_kinds.FIGURES["words"](),
        [("type", text, MAP) for text in ("apple pie", "pie apple", "bake pie", "the apple pie")],
        {"state.asks": [2, 0, 1, 1, 1]},
    ),
    "words that are moved to hundredths and not off the map": (
        live_kinds.FIGURES["words"](), [("move", 0, [1.004, 99], [[-1, -1], [4, 4]])],
        {"state.x": [[*map(list, live_kinds.PLANE.values())],
                     [[1, 4], *map(list, [*live_kinds.PLANE.values()][1:])]]},
    ),
}  # fmt: skip


def within(state, path):
    return functools.reduce(lambda found, key: found[key], path.split("."), state)


@needs_node
def test_a_hand_changes():
    played = plays([(name, figure, acts) for name, (figure, acts, _) in HANDS.items()])
    for (name, (*_, expected)), states in zip(HANDS.items(), played, strict=True):
        for path, values in expected.items():
            assert [within(state, path) for state in states] == values, (name, path)


# Numbers against torch ----------------------------------------------------------------------------

RULES = ("none", "padding", "causal", "window", "causal + padding", "causal + window")


def attention_setting(seed):
    """A random setting of the microscope: sizes, masks with empty rows, large scores, ties, −0."""
    n, d = 1 + seed % 8, 1 + seed % 5
    x = rows_of(seed, n, d, scale=(1, 1, 60)[seed % 3])  # products of some thousands
    if seed % 4 == 0:
        x = x.round()  # ties
    x[0, 0] = -0.0
    return {
        "x": x.tolist(),
        "divisor": (1, math.sqrt(d), d, 0.37)[seed % 4],
        "temperature": (0.1, 1, 3.7, 10)[seed % 7 % 4],
        "rule": RULES[seed % len(RULES)],
        "size": seed % 11 % (n + 1),
    }


def attention_by_torch(setting):
    x = torch.tensor(setting["x"], dtype=torch.float64)
    n, rule, size = len(x), setting["rule"], setting["size"]
    i, j = torch.arange(n)[:, None], torch.arange(n)
    visible = torch.ones(n, n, dtype=torch.bool)
    if "padding" in rule:
        visible &= j < size
    if "causal" in rule:
        visible &= j <= i
    if "window" in rule:
        visible &= (i - j).abs() < size
    products = x @ x.T
    scores = products / setting["divisor"] / setting["temperature"]
    weights = scores.masked_fill(~visible, -math.inf).softmax(-1).nan_to_num()
    return dict(products=products, scores=scores, weights=weights, output=weights @ x)


@needs_node
def test_the_microscope_computes_what_torch_computes():
    settings = [attention_setting(seed) for seed in range(200)]
    empty = 0
    for setting, got in zip(
        settings, in_node("attention/state", "attend", [[s] for s in settings]), strict=True
    ):
        expected = attention_by_torch(setting)
        for name, tensor in expected.items():
            assert_close(got[name], tensor)
        empty += int((expected["weights"].sum(-1) == 0).any())
    assert empty > 20  # rows without a visible key did occur


@needs_node
def test_the_online_softmax_is_the_softmax_after_every_number():
    cases = []
    for seed in range(100):
        scores = rows_of(seed, 1 + seed % 12, scale=(1, 30, 800)[seed % 3])
        if seed % 4 == 0:
            scores[: 1 + seed % 3] = -math.inf  # the first ones are hidden, at times all
        cases.append((scores, rows_of(seed + 999, len(scores), 1 + seed % 3)))
    got = in_node("steps/state", "online", [[s.tolist(), v.tolist()] for s, v in cases])
    for (scores, values), states in zip(cases, got, strict=True):
        assert len(states) == len(scores) + 1 and states[0]["output"] == [0] * values.shape[1]
        for t, state in enumerate(states[1:], 1):
            largest = scores[:t].max()
            powers = (scores[:t] - largest).exp().nan_to_num()
            assert float(state["largest"]) == largest  # "-Infinity" reads as such
            assert_close(state["sum"], powers.sum())
            assert_close(state["total"], powers @ values[:t])
            assert_close(state["output"], scores[:t].softmax(0).nan_to_num() @ values[:t])


@needs_node
def test_the_table_of_the_online_softmax_has_a_row_for_each_number():
    scores, values = [1.0, 3.0, 2.0], [[10.0, 1.0], [20.0, 0.0], [5.0, 7.0]]
    (state,) = play("steps", live.steps(scores, values))
    x, v = torch.tensor(scores).double(), torch.tensor(values).double()
    largest = torch.tensor([1.0, 3, 3]).double()
    powers = [(x[: t + 1] - largest[t]).exp() for t in range(3)]
    totals = torch.stack([powers[t] @ v[: t + 1] for t in range(3)])
    sums = torch.stack([power.sum() for power in powers])
    rescaled = torch.tensor([0, math.exp(-2), 1]).double()
    expected = [x, *v.T, largest, rescaled, (x - largest).exp(), sums, *totals.T]
    expected += [*(totals / sums[:, None]).T]
    assert_close(state["now"]["table"], torch.stack(expected))
    names = [row[0] for row in in_node("steps/state", "rowsOf", [[{"values": values}]])[0]]
    assert names == [
        "score", "value 1", "value 2", "running maximum m", "rescaling factor",
        "new: e^(score − m)", "normalizer l", "accumulator o 1", "accumulator o 2",
        "output 1 = o 1 ÷ l", "output 2",
    ]  # fmt: skip


@needs_node
def test_weights_of_heads_arrive_at_their_step_head_and_query():
    weights = rows_of(1, 3, 2, 6, 6).softmax(-1)
    acts = [("alter", {"head": 1}), ("ask", 4), ("alter", {"step": 0}), ("go", 1)]
    states = play("heads", live.heads(weights, tokens=SENTENCE, step=-1), *acts)
    where = [(2, 0, 5), (2, 1, 5), (2, 1, 4), (0, 1, 4), (1, 1, 4)]
    for state, place in zip(states, where, strict=True):
        now, row = state["now"], weights[place]
        assert (torch.tensor(now["weights"]) - row).abs().max() < 1e-5
        assert now["order"] == row.argsort(descending=True, stable=True).tolist()


@needs_node
def test_positions_turn_as_the_package_does():
    turned, expected = [], []
    for seed in range(100):
        p, dim, base = seed * 7 % 256, 2 + 2 * (seed % 16), (2.0, 100.0, 1e4, 1e6)[seed % 4]
        pair, q = p % (dim // 2), (3 * p + 5) % 256
        query, key = rows_of(p, 2), rows_of(p + 999, 2)
        turned.append([query.tolist(), key.tolist(), p, q, pair, dim, base])
        a, b = torch.zeros(2, 1, dim, dtype=torch.float64)
        a[0, 2 * pair : 2 * pair + 2], b[0, 2 * pair : 2 * pair + 2] = query, key
        a, b = apply_rotary(a, offset=p, base=base), apply_rotary(b, offset=q, base=base)
        expected.append((a * b).sum())
    assert_close(in_node("positions/state", "turnedScore", turned), torch.stack(expected))
    (state,) = play("positions", live.positions(8, base=100.0, length=60, a=9, b=4))
    now = state["now"]  # what is drawn are the arrows of the product
    apart = now["angles"]["query"] - now["angles"]["key"]
    length = math.hypot(1, 0.3) * math.hypot(0.7, 0.7)
    assert now["products"]["turned"] == pytest.approx(length * math.cos(apart))
    assert now["products"]["further"] == pytest.approx(now["products"]["turned"])


@needs_node
@pytest.mark.parametrize("causal", [True, False])
def test_a_unit_sees_what_the_convolution_reads_and_costs_are_those_of_the_package(causal):
    for k, depth, dilated in ((3, 3, True), (3, 2, False), (5, 1, True), (2, 4, True)):
        if k % 2 == 0 and not causal:
            continue
        figure = live.field(k, depth, dilated=dilated, causal=causal)
        tops = [[depth, 16 if causal else 8], [depth - 1, 9], [0, 4]]
        states = play("field", figure, *(("choose", {"at": at}) for at in tops[1:]))
        layers = [
            comparison.conv_connectivity(17, k, dilation=k**n if dilated else 1, causal=causal)
            for n in range(depth)
        ]
        for state, (level, unit) in zip(states, tops, strict=True):
            reached = [
                comparison.compose(layers[n:level])[unit].nonzero()[:, 0].tolist()
                for n in range(level)
            ]
            assert state["now"]["found"] == [*reached, [unit]]
            links = {
                (one["layer"], one["to"], one["from"]): one["used"] for one in state["now"]["links"]
            }
            wired = {(n, *pair) for n, one in enumerate(layers) for pair in one.nonzero().tolist()}
            assert {*links} == wired
            heard = state["now"]["found"]
            used = {link for link in wired if link[0] < level and link[1] in heard[link[0] + 1]}
            assert {link for link in links if links[link]} == used
    cases = [(1 + 37 * n, 1 + 11 * n, 1 + 2 * (n % 5), bool(n % 2), causal) for n in range(50)]
    cases += [(n, 4, 9, True, causal) for n in (4, 7)]  # shorter than the kernel
    for (n, d, k, dilated, _), got in zip(
        cases, in_node("field/state", "costs", cases), strict=True
    ):
        conv = comparison.conv_cost(n, d, k, dilated=dilated, causal=causal)
        expected = [conv, comparison.rnn_cost(n, d), comparison.attention_cost(n, d)]
        read = [[float(value) for value in row] for row in got.values()]
        assert read == [list(map(float, cost)) for cost in expected]


@needs_node
def test_the_map_of_words_computes_what_torch_computes():
    cases, expected = [], []
    for seed in range(100):
        n, length = 2 + seed % 9, 1 + seed % 12
        x = rows_of(seed, n, 2, scale=(1, 3, 40)[seed % 3])
        tokens = torch.randint(n, (length,), generator=generator(seed))
        names = [f"word{k}" for k in range(n)]
        text, asks = " ".join(names[k] for k in tokens), seed % length
        cases.append([{"text": text, "x": x.tolist(), "asks": asks}, {"vocabulary": names}])
        weights = (x[tokens] @ x[tokens[asks]]).softmax(0)
        drawn = torch.zeros(n, dtype=torch.float64).index_add(0, tokens, weights)
        expected.append(dict(weights=weights, after=weights @ x[tokens], drawn=drawn))
    for got, wanted in zip(in_node("words/state", "compute", cases), expected, strict=True):
        for name, tensor in wanted.items():
            assert_close(got[name], tensor)
    frame = in_node("words/state", "prepare", [[{"x": [[-6, 1], [-4, -2]]}]])[0]["frame"]
    assert_close(frame, torch.tensor([[-6.84, -2.84], [2.52, 1.84]]))  # room for names, and 0


READ = [  # a vocabulary, a text, its words as they are read, and those that are unknown
    ("may May Dr. comes", "dr. MAY, comes!", "Dr. may comes", ""),
    ("polish Polish shoes", "shoes Polish POLISH polish", "shoes Polish polish polish", ""),
    (". the dog", "The dog. the: the; CAT!", "the dog . the the", "CAT"),
    (". the dog", "dog...dog dog... .dog", "dog . . .", "dog...dog .dog"),
    (". no. No", "No. no No.. NO", "no. No no. . No", ""),
    ("it's", "It's it’s 'it's'", "it's", "it’s 'it's'"),
    ("ΟΔΟΣ straße İzmir", "οδος ΟΔΟΣ. STRASSE STRAßE i̇zmir", "ΟΔΟΣ ΟΔΟΣ straße İzmir", "STRASSE"),
    ("e\u0301 é", "é e\u0301 E\u0301 É", "é e\u0301 e\u0301 é", ""),
    ("a\x1cb c\x85d x\u200by", "A\x1cB c\x85d x\u200by", "a\x1cb c\x85d x\u200by", ""),
    ("the dog", "the\xa0dog\u2003the\ufeffdog\u3000the\n\tdog\u2028", "the dog " * 3, ""),
    ("__proto__ toString", "toString length constructor", "toString", "length constructor"),
    ("the", " \n .", "", ""),
]


@needs_node
def test_the_page_reads_the_words_that_python_reads():
    cases = [[row[1], other[0].split(" ")] for row in READ for other in READ]
    in_page = [(*one.values(),) for one in in_node("kit/words", "readWords", cases)]
    assert in_page == [arrays.read(*case) for case in cases]
    for (words, _, known, unknown), got in zip(READ, in_page[:: len(READ) + 1], strict=True):
        numbers = [words.split(" ").index(word) for word in known.split(" ") if word]
        assert got == (numbers, [word for word in unknown.split(" ") if word])


# The page that a figure sends ---------------------------------------------------------------------

FIGURES = live_kinds.FIGURES | {
    "maps": live_kinds.model_maps,
    "positions of clocks": lambda: live.positions(16, base=10000.0, length=60, parts=["clocks"]),
}


PARTS = re.compile(
    r'<div class="live-fallback">(.*?)</div>\n'
    r"<(live-[0-9a-f]{8}) data-live='([^']*)'></\2>\n"
    r'<script type="module">(.*?)</script>',
    re.S,
)


def parts(figure):
    """The fallback, the element's name, the data and the code of a figure's HTML."""
    fallback, name, data, code = PARTS.match(figure.html).groups()
    return fallback, name, json.loads(html.unescape(data)), code


@pytest.mark.parametrize("kind", FIGURES)
def test_html(kind):
    figure = FIGURES[kind]()
    bundle = figure._repr_mimebundle_()
    assert bundle == FIGURES[kind]()._repr_mimebundle_()  # the same bytes on every run
    assert "\n" not in bundle["text/plain"] and bundle["text/plain"] == repr(figure)
    _, name, data, code = parts(figure)
    sent = data.get("model", data.get("weights", {}))  # of the reader, and weights
    most = 60_000 if kind == "train" else 29_000  # it carries a model's gradient, too
    assert len(figure.html.encode()) - len(sent.get("text", "")) <= most
    assert name in code and data["roles"] == ROLES
    for forbidden in ("innerHTML", "getElementById", "document.querySelector", "currentScript",
                      "import ", "import(", "fetch(", "eval("):  # fmt: skip
        assert forbidden not in code
    named = figure.html.replace("http://www.w3.org/2000/svg", "").replace(f'href="{page.SITE}"', "")
    assert "http" not in named  # but for the link beside the table


@pytest.mark.parametrize("kind", live_code.KINDS)
def test_stored_code_belongs_to_its_source(kind):
    path = page.STORED / f"{kind}.js"
    first = path.read_text(encoding="utf-8").split("\n", 1)[0]
    assert first == f"// {live_code.source_hash(kind)}", f"run `make live` ({kind})"


def test_an_output_gets_new_code_and_keeps_its_data_and_its_table(monkeypatch, tmp_path):
    old = FIGURES["reader"]()
    code = (page.STORED / "reader.js").read_text(encoding="utf-8")
    (tmp_path / "reader.js").write_text(code + ";'more'", encoding="utf-8")
    monkeypatch.setattr(page, "STORED", tmp_path)
    assert old.html != live_code.renew(old.html) == FIGURES["reader"]().html


def table(figure):
    """The numbers that stand where no code runs."""
    return [float(cell) for cell in re.findall(r"<td>([\d.]+)</td>", parts(figure)[0])]


@pytest.mark.parametrize("rule", RULES)
def test_the_microscopes_table_obeys_the_rule_that_it_opens_with(rule):
    figure = live.attention(X, tokens=SENTENCE, mask=rule, scale=0.5, query="cat", parts=["mask"])
    data = parts(figure)[2]
    setting = dict(x=X.tolist(), divisor=2.0, temperature=1.0)
    found = attention_by_torch(setting | dict(rule=data["rule"], size=data["size"]))["weights"]
    assert (data["rule"], data["size"]) == (rule, 2 if "window" in rule else len(X) - 1)
    assert (data["asks"], data["parts"]) == (2, ["mask"])
    assert table(figure) == pytest.approx(found.flatten().tolist(), abs=0.0051)


@pytest.mark.parametrize(
    "options, step, head, asks",
    [
        ({}, 0, 0, 5),
        (dict(query=SENTENCE[1], step=2, head="two"), 2, 1, 1),
        (dict(query=-3, step=-2, head=-1), 1, 1, 3),
    ],
)
def test_heads_open_where_they_are_told_to(options, step, head, asks):
    steps = rows_of(1, 3, 2, 6, 6).softmax(-1)
    figure = live.heads(steps, tokens=SENTENCE, names=(None, ["one", "two"]), **options)
    data = parts(figure)[2]
    assert (data["step"], data["head"], data["asks"]) == (step, head, asks)
    assert table(figure) == pytest.approx(steps[step, head].ravel().tolist(), abs=0.0051)


def test_words_are_escaped_and_come_back_and_numbers_are_rounded():
    words = ["<b>", "' onmouseover='alert(1)", '"q"', "</script", "naïve", "日本"]
    figure = live.attention([[1 / 3, -0.0], [1e-20, 2.0], *X[:4, :2].tolist()], tokens=words)
    fallback, _, data, _ = parts(figure)
    assert data["tokens"] == words and "</script" not in figure.html.split("<script")[0]
    assert html.escape(words[0]) in fallback and words[0] not in fallback
    assert data["x"][:2] == [[0.333333, 0], [1e-20, 2]] and "-0" not in json.dumps(data["x"][0])
