"""Live figures: their numbers against torch (run in node), their HTML, their errors."""

import html
import json
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from draws import generator

from d2lattn import comparison
from d2lattn.pictures import live
from d2lattn.pictures.colours import ROLES
from d2lattn.positions import apply_rotary, sinusoidal_encoding

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import live_code as maker  # noqa: E402

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")
SENTENCE = ["the", "hungry", "cat", "found", "the", "milk"]
X = torch.tensor(
    [[0, 0, 0.2], [1.5, 0, 0.5], [1.0, 1.6, 0], [0, 0.5, 1.0], [0, 0, 0.2], [0.3, 0, 1.8]]
)


def in_node(module, function, cases):
    """What a function of a JavaScript module returns for each list of arguments."""
    cases = json.dumps(cases).replace("-Infinity", '"-inf"')
    run = [NODE, str(ROOT / "tests" / "js" / "compute.mjs"), module, function]
    done = subprocess.run(run, input=cases, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def assert_close(got, expected):
    """Equal to 1e-6 of the size of the numbers, which are all finite."""
    got = torch.tensor(got, dtype=torch.float64)
    torch.testing.assert_close(got, expected.double(), rtol=1e-6, atol=1e-6)


RULES = ("none", "padding", "causal", "window", "causal + padding", "causal + window", "given")


def attention_setting(seed):
    """A random setting of the microscope: sizes, masks with empty rows, large scores, ties, −0."""
    draw = generator(seed)

    def normal(*shape):
        return torch.randn(*shape, generator=draw, dtype=torch.float64)

    def whole(low, high):
        return torch.randint(low, high + 1, (), generator=draw).item()

    n, d, width, out = whole(1, 8), whole(1, 5), whole(1, 5), whole(1, 4)
    x = normal(n, d) * (1, 1, 60)[seed % 3]  # products of some thousands
    if seed % 4 == 0:
        x = x.round()  # ties
    x[0, 0] = -0.0
    projections = None
    if seed % 2:
        projections = [
            normal(width, d).tolist(),
            normal(width, d).tolist(),
            normal(out, d).tolist(),
        ]
    given = torch.rand(n, n, generator=draw) < 0.5
    given[whole(0, n - 1)] = False
    return {
        "x": x.tolist(),
        "projections": projections,
        "divisor": (1, math.sqrt(d), d, 0.37)[seed % 4],
        "temperature": 10 ** (2 * torch.rand((), generator=draw).item() - 1),
        "rule": RULES[seed % len(RULES)],
        "size": whole(0, n),
        "given": ["".join(str(int(may)) for may in row) for row in given.tolist()],
    }


def attention_by_torch(setting):
    x = torch.tensor(setting["x"], dtype=torch.float64)
    matrices = setting["projections"] or [torch.eye(x.shape[1]).tolist()] * 3
    query, key, value = (x @ torch.tensor(m, dtype=torch.float64).T for m in matrices)
    n, rule, size = len(x), setting["rule"], setting["size"]
    i, j = torch.arange(n)[:, None], torch.arange(n)
    visible = torch.ones(n, n, dtype=torch.bool)
    if "padding" in rule:
        visible &= j < size
    if "causal" in rule:
        visible &= j <= i
    if "window" in rule:
        visible &= (i - j).abs() < size
    if rule == "given":
        visible = torch.tensor([[c == "1" for c in row] for row in setting["given"]])
    products = query @ key.T
    scores = products / setting["divisor"] / setting["temperature"]
    shares = scores.masked_fill(~visible, -math.inf).softmax(-1).nan_to_num()
    return dict(products=products, scores=scores, shares=shares, output=shares @ value)


@needs_node
def test_the_microscope_computes_what_torch_computes():
    settings = [attention_setting(seed) for seed in range(200)]
    empty = 0
    for setting, got in zip(
        settings, in_node("attention", "attend", [[s] for s in settings]), strict=True
    ):
        expected = attention_by_torch(setting)
        for name, tensor in expected.items():
            assert_close(got[name], tensor)
        empty += int((expected["shares"].sum(-1) == 0).any())
    assert empty > 20  # rows that may see nobody did occur


def rows_of(seed, *shape, scale=3.0):
    return scale * torch.randn(*shape, generator=generator(seed), dtype=torch.float64)


@needs_node
def test_the_online_softmax_is_the_softmax_after_every_number():
    cases = []
    for seed in range(200):
        n, d = 1 + seed % 12, 1 + seed % 3
        scores = rows_of(seed, n, scale=(1, 30, 800)[seed % 3])
        if seed % 5 == 0:
            scores = scores.round()  # ties
            scores[0] = -0.0
        if seed % 4 == 0:
            scores[: 1 + seed % 3] = -math.inf  # the first ones are hidden, at times all
        cases.append((scores, rows_of(seed + 999, n, d)))
    got = in_node("steps", "online", [[s.tolist(), v.tolist()] for s, v in cases])
    for (scores, values), states in zip(cases, got, strict=True):
        assert len(states) == len(scores) + 1 and states[0]["output"] == [0] * values.shape[1]
        for t, state in enumerate(states[1:], 1):
            shares = scores[:t].softmax(0).nan_to_num()
            assert_close(state["output"], shares @ values[:t])
            largest = scores[:t].max()
            assert float(state["largest"]) == largest  # "-Infinity" reads as such
            assert_close(state["sum"], (scores[:t] - largest).exp().nan_to_num().sum())


@needs_node
def test_heads_are_recomputed_from_what_was_sent():
    cases, expected = [], []
    for seed in range(200):
        T, H, L, S, d = 1 + seed % 2, 1 + seed % 3, 3 + seed % 9, 4 + seed % 7, 1 + seed % 2
        query, key = rows_of(seed, T, H, L, d), rows_of(seed + 999, T, H, S, d)
        weights = (query @ key.mT * d**-0.5).softmax(-1)
        if seed % 3 == 0:
            weights[0, 0, 0] = 0  # a row that may see nobody
            query = key = None
        sent, bound = live._sent(weights, query, key)
        cases.append([{"shape": [T, H, L, S], **sent}])
        expected.append((weights, sent, query, key, bound))
    by_query = 0
    for got, (weights, sent, query, key, bound) in zip(
        in_node("heads", "weightsOf", cases), expected, strict=True
    ):
        got = torch.tensor(list(got.values()), dtype=torch.float64).reshape(weights.shape)
        assert (got - weights).abs().max() <= bound < 0.01
        if "query" in sent:
            by_query += 1
            q = live._unpacked(sent["query"], query.shape)
            k = live._unpacked(sent["key"], key.shape)
            assert_close(got.tolist(), (q @ k.mT * q.shape[-1] ** -0.5).softmax(-1))
        else:
            assert_close(got.tolist(), live._unpacked(sent["weights"], weights.shape))
    assert by_query > 20


@needs_node
def test_positions_turn_as_the_package_does():
    cases = [(seed * 7 % 256, 2 + 2 * (seed % 16), (2.0, 100.0, 1e4, 1e6)[seed % 4])
             for seed in range(200)]  # fmt: skip
    for (p, dim, base), got in zip(cases, in_node("positions", "encoding", cases), strict=True):
        row = sinusoidal_encoding(1, dim, base=base, offset=p, dtype=torch.float64)
        assert_close(got, row[0])
    turned, expected = [], []
    for p, dim, base in cases:
        pair, q = p % (dim // 2), (3 * p + 5) % 256
        query, key = rows_of(p, 2), rows_of(p + 999, 2)
        turned.append([query.tolist(), key.tolist(), p, q, pair, dim, base])
        a, b = torch.zeros(2, 1, dim, dtype=torch.float64)
        a[0, 2 * pair : 2 * pair + 2], b[0, 2 * pair : 2 * pair + 2] = query, key
        a, b = apply_rotary(a, offset=p, base=base), apply_rotary(b, offset=q, base=base)
        expected.append((a * b).sum())
    for got, value in zip(in_node("positions", "turnedScore", turned), expected, strict=True):
        assert_close(got, value)


@needs_node
def test_a_unit_sees_what_the_convolution_reads():
    cases = []
    for seed in range(200):
        k, causal = 1 + seed % 9, seed % 3 > 0
        k += k % 2 == 0 and not causal
        n, depth = 2 + seed % 20, 1 + seed % 5
        cases.append(
            dict(n=n, k=k, depth=depth, dilated=bool(seed % 2), causal=causal, top=seed % n)
        )
    for case, got in zip(cases, in_node("field", "seen", [[c] for c in cases]), strict=True):
        stack = [
            comparison.conv_connectivity(
                case["n"],
                case["k"],
                dilation=case["k"] ** layer if case["dilated"] else 1,
                causal=case["causal"],
            )
            for layer in range(case["depth"])
        ]
        for level in range(case["depth"]):
            reached = comparison.compose(stack[level:])[case["top"]].nonzero()[:, 0].tolist()
            assert got[level] == reached


@needs_node
def test_costs_are_those_of_the_package():
    cases = [
        (1 + 37 * seed, 1 + 11 * seed % 300, 1 + 2 * (seed % 5), bool(seed % 2), bool(seed % 3))
        for seed in range(200)
    ]
    for (n, d, k, dilated, causal), got in zip(
        cases, in_node("field", "costs", cases), strict=True
    ):
        expected = [
            comparison.conv_cost(n, d, k, dilated=dilated, causal=causal),
            comparison.rnn_cost(n, d),
            comparison.attention_cost(n, d),
        ]
        read = [[float(str(value)) for value in row] for row in got.values()]
        assert read == [list(map(float, cost)) for cost in expected]


FIGURES = {
    "attention": lambda: live.attention(X, tokens=SENTENCE),
    "attention with projections": lambda: live.attention(
        X, tokens=SENTENCE, projections=[torch.eye(3), torch.eye(3).flip(0), torch.ones(2, 3)]
    ),
    "heads": lambda: live.heads(rows_of(1, 4, 6, 6).softmax(-1), tokens=SENTENCE),
    "heads from queries": lambda: live.heads(
        query=rows_of(1, 2, 6, 2),
        key=rows_of(2, 2, 5, 2),
        tokens=SENTENCE,
        key_tokens=list("abcde"),
    ),
    "positions": lambda: live.positions(16, base=10000.0, length=60),
    "steps": lambda: live.steps([1.0, 3.0, -math.inf, 2.0, 4.0, 0.5], [10.0, 20, 5, -3, 8, 1]),
    "field": lambda: live.field(3, 3, dilated=True, causal=True),
}


def parts(figure):
    """The fallback, the data and the code of a figure's HTML."""
    pattern = (
        r'<div class="live-fallback">(.*)</div>\n<(live-[0-9a-f]{8}) data-live=\'(.*)\'></\2>\n'
        r'<script type="module">(.*)</script>'
    )
    fallback, name, data, code = re.fullmatch(pattern, figure.html, re.DOTALL).groups()
    return fallback, name, json.loads(html.unescape(data)), code


@pytest.mark.parametrize("kind", FIGURES)
def test_html(kind):
    figure = FIGURES[kind]()
    bundle = figure._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    assert bundle == FIGURES[kind]()._repr_mimebundle_()  # the same bytes on every run
    assert "\n" not in bundle["text/plain"] and bundle["text/plain"] == repr(figure)
    assert len(figure.html.encode()) <= 20_000
    fallback, name, data, code = parts(figure)
    assert set(re.findall(r"</?(\w+)", fallback)) <= {"table", "caption", "tr", "th", "td", "p"}
    assert name in code and data["roles"] == ROLES
    assert "</script" not in code.lower()
    for forbidden in ("innerHTML", "getElementById", "document.querySelector", "currentScript",
                      "import ", "import(", "fetch(", "eval("):  # fmt: skip
        assert forbidden not in code
    assert not re.search(r"\bid=", figure.html)
    assert "http" not in figure.html.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize("kind", sorted({kind.split()[0] for kind in FIGURES}))
def test_stored_code_belongs_to_its_source(kind):
    first = (live.STORED / f"{kind}.js").read_text().split("\n", 1)[0]
    assert first == f"// {maker.source_hash(kind)}", f"run `make live` ({kind})"


def test_words_are_escaped_and_come_back():
    words = ["<b>", "it's", '"q"', "</script", "naïve", "日本"]
    figure = live.attention(X, tokens=words)
    assert parts(figure)[2]["tokens"] == words
    assert "</script" not in figure.html.split("<script")[0]


def test_numbers_are_rounded_and_lose_the_sign_of_zero():
    _, _, data, _ = parts(live.attention([[1 / 3, -0.0], [1e-20, 2.0]], tokens=["a", "b"]))
    assert data["x"] == [[0.333333, 0], [1e-20, 2]]
    assert "-0" not in json.dumps(data["x"][0])


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(x=[[1.0], [math.nan]]), "x must be finite, got nan"),
        (dict(x=[1.0, 2.0]), r"x must have axes \(tokens, numbers\), got shape \(2,\)"),
        (dict(x=torch.zeros(2, 0)), "x must have axes"),
        (dict(x="ab"), "x must hold numbers"),
        (dict(x=[[1.0]] * 13, tokens=["a"] * 13), "x must have at most 12 tokens, got 13"),
        (dict(x=[[1.0] * 9] * 2), "x must have at most 8 numbers, got 9"),
        (dict(x=[[1.0], [-2e6]]), r"x must lie within ±1e\+06, got 2e\+06"),
        (dict(tokens=["a"]), "tokens must fit the 2 rows of x, got 1"),
        (dict(tokens="ab"), "tokens must be a list of words, got 'ab'"),
        (dict(tokens=2), "tokens must be a list of words, got 2"),
        (dict(scale=0), "scale must be"),
        (dict(scale=math.inf), "scale must be a finite number"),
        (dict(mask="diagonal"), "mask must be one of"),
        (dict(mask=torch.ones(2, 3, dtype=torch.bool)), r"mask must be .* got \(2, 3\)"),
        (dict(mask=torch.ones(2, 2)), "mask must be"),
        (dict(projections=[[[1.0]]]), "projections must be"),
        (dict(projections=[[[1.0, 2.0]]] * 3), "W_q must have 1 columns"),
        (dict(projections=[[[1.0]], [[1.0], [2.0]], [[1.0]]]), "same number of rows"),
    ],
)
def test_attention_refuses(change, message):
    arguments = dict(x=[[1.0], [2.0]], tokens=["a", "b"]) | change
    with pytest.raises(ValueError, match=message):
        live.attention(arguments.pop("x"), **arguments)


SHARES = [[[0.5, 0.5], [0.1, 0.9]]]


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(weights=None), "either weights or both"),
        (dict(query=torch.ones(1, 2, 1), key=torch.ones(1, 2, 1)), "either weights or both"),
        (dict(weights=None, query=torch.ones(1, 2, 1)), "query and key must come together"),
        (dict(weights=[[[0.5, 0.6], [0.1, 0.9]]]), "weights must be shares"),
        (dict(weights=[[[1.5, -0.5], [0.1, 0.9]]]), "weights must be shares"),
        (dict(weights=[[[math.nan, 0.5], [0.1, 0.9]]]), "weights must be finite"),
        (dict(weights=[[0.5, 0.5], [0.1, 0.9]]), "weights must have axes"),
        (dict(weights=torch.full((17, 2, 2), 0.5)), "at most 16 heads, got 17"),
        (dict(weights=torch.full((1, 65, 65), 1 / 65)), "at most 64 words, got 65"),
        (dict(weights=torch.eye(50).expand(25, 1, 50, 50)), "at most 50000 numbers, got 62500"),
        (dict(tokens=["a"]), "tokens must fit the 2 rows of weights, got 1"),
        (dict(key_tokens=["a"]), "key_tokens must fit the 2 columns of weights, got 1"),
        (dict(weights=[[[0.5, 0.25, 0.25]] * 2]), "key_tokens must name the 3 columns"),
        (dict(names=["a", "b"]), "names must fit the 1 heads, got 2"),
        (dict(weights=[SHARES] * 3, names=["a"]), "names must be a pair"),
        (dict(weights=[SHARES] * 3, names=(3, None)), "names must begin with a list of steps"),
        (dict(weights=[SHARES] * 3, names=(["a"], None)), "names must fit the 3 steps, got 1"),
        (
            dict(weights=None, query=torch.ones(1, 2, 1), key=torch.ones(1, 2, 3)),
            "query and key must agree in heads and width",
        ),
    ],
)
def test_heads_refuses(change, message):
    arguments = dict(weights=SHARES, tokens=["a", "b"]) | change
    with pytest.raises(ValueError, match=message):
        live.heads(arguments.pop("weights"), **arguments)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: live.steps([1.0, math.nan], [1.0, 2.0]), "scores must be finite or -inf, got nan"),
        (lambda: live.steps([1.0, math.inf], [1.0, 2.0]), "scores must be finite or -inf, got inf"),
        (lambda: live.steps([1.0, 2.0], [1.0, -math.inf]), "values must be finite, got -inf"),
        (lambda: live.steps([1.0, 2.0], [1.0]), "values must fit the 2 scores, got 1"),
        (lambda: live.steps([1.0] * 13, [1.0] * 13), "scores must have at most 12 scores, got 13"),
        (lambda: live.steps([], []), "scores must have axes"),
        (lambda: live.steps([1.0], [[1.0] * 5]), "values must have at most 4 numbers, got 5"),
        (lambda: live.positions(7, base=10.0, length=9), "dim must be even, got 7"),
        (lambda: live.positions(34, base=10.0, length=9), "dim must be an integer of at most 32"),
        (lambda: live.positions(8, base=1, length=9), "base must be above 1"),
        (lambda: live.positions(8, base=math.nan, length=9), "base must be a finite number"),
        (lambda: live.positions(8, base=10.0, length=257), "length must be an integer of at most"),
        (lambda: live.field(2, 2, False, False), "kernel must be odd unless causal, got 2"),
        (lambda: live.field(11, 2, False, True), "kernel must be an integer of at most 9"),
        (lambda: live.field(3, 6, False, True), "depth must be an integer of at most 5"),
        (lambda: live.field(3, 2, 1, True), "dilated must be True or False, got 1"),
    ],
)
def test_the_others_refuse(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_sizes_with_training_steps():
    steps = torch.eye(6).expand(60, 16, 6, 6)
    figure = live.heads(steps, tokens=SENTENCE, names=(list(range(60)), None))
    assert len(figure.html.encode()) <= 100_000
    longest = live.heads(torch.eye(10).expand(500, 1, 10, 10), tokens=list("abcdefghij"))
    assert len(longest.html.encode()) <= 100_000


def test_a_bound_is_rounded_upwards_to_one_digit():
    for bound in (0.00123, 0.5 / 255, 1e-4, 9.9e-3):
        assert bound <= live._rounded_up(bound) <= 2 * bound


@pytest.mark.parametrize("ground", ["#ffffff", "#111111"])
@pytest.mark.parametrize("role", ROLES)
def test_marks_reach_a_contrast_of_3_on_light_and_dark_pages(role, ground):
    def light(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05

    high, low = sorted((light(ROLES[role]), light(ground)), reverse=True)
    assert high / low >= 3
