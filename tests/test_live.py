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

from d2lattn import live
from d2lattn.roles import ROLES

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
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    def whole(low, high):
        return torch.randint(low, high + 1, (), generator=generator).item()

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
    given = torch.rand(n, n, generator=generator) < 0.5
    given[whole(0, n - 1)] = False
    return {
        "x": x.tolist(),
        "projections": projections,
        "divisor": (1, math.sqrt(d), d, 0.37)[seed % 4],
        "temperature": 10 ** (2 * torch.rand((), generator=generator).item() - 1),
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


FIGURES = {
    "attention": lambda: live.attention(X, tokens=SENTENCE),
    "attention with projections": lambda: live.attention(
        X, tokens=SENTENCE, projections=[torch.eye(3), torch.eye(3).flip(0), torch.ones(2, 3)]
    ),
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
        (dict(tokens=["a"]), "tokens must fit the 2 rows of x, got 1"),
        (dict(tokens="ab"), "tokens must be a list of words, got 'ab'"),
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
