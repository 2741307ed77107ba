"""Live figures: their numbers against torch (run in node), their HTML, their errors."""

import itertools
import json
import math
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import live_code
import live_kinds
import numpy as np
import pytest
import torch
from draws import generator
from live_kinds import SENTENCE

from d2lattn.positions import apply_rotary
from d2lattn_book import comparison
from d2lattn_book.pictures import live
from d2lattn_book.pictures.colours import ROLES

ROOT = Path(__file__).resolve().parent.parent
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")
X = torch.tensor(live_kinds.X)


def in_node(module, function, cases):
    """What a function of a JavaScript module returns for each list of arguments."""
    return run_node("compute.mjs", live_code.SOURCE / f"{module}.js", function, cases=cases)


def play(kind, figure, *acts):
    """Each state of a figure, what it computes and what it says: at first, and after every act."""
    return plays(kind, [(figure, acts)])[0]


def plays(kind, figures):
    """As `play`, for many figures with their acts at once: a process of node for all of them."""
    cases = [{"data": parts(figure)[2], "acts": acts} for figure, acts in figures]
    played = run_node("play.mjs", live_code.SOURCE / kind, cases=cases)
    for state in itertools.chain(*played):
        assert ROLES.keys() >= {*state["roles"]}
    return played


def run_node(script, *arguments, cases):
    done = subprocess.run(
        [NODE, ROOT / "tests" / "js" / script, *arguments],
        input=re.sub(r"(?<=[\[ ])(-?Infinity|NaN)(?=[],}])", r'"\1"', json.dumps(cases)),
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def assert_close(got, expected):
    """Equal to 1e-6 of the size of the numbers, which are all finite."""
    got = torch.tensor(got, dtype=torch.float64)
    torch.testing.assert_close(got, expected.double(), rtol=1e-6, atol=1e-6)


RULES = ("none", "padding", "causal", "window", "causal + padding", "causal + window")


def attention_setting(seed):
    """A random setting of the microscope: sizes, masks with empty rows, large scores, ties, −0."""
    draw = generator(seed)

    def normal(*shape):
        return torch.randn(*shape, generator=draw, dtype=torch.float64)

    def whole(low, high):
        return torch.randint(low, high + 1, (), generator=draw).item()

    n, d = whole(1, 8), whole(1, 5)
    x = normal(n, d) * (1, 1, 60)[seed % 3]  # products of some thousands
    if seed % 4 == 0:
        x = x.round()  # ties
    x[0, 0] = -0.0
    return {
        "x": x.tolist(),
        "divisor": (1, math.sqrt(d), d, 0.37)[seed % 4],
        "temperature": 10 ** (2 * torch.rand((), generator=draw).item() - 1),
        "rule": RULES[seed % len(RULES)],
        "size": whole(0, n),
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
    got = in_node("steps/state", "online", [[s.tolist(), v.tolist()] for s, v in cases])
    for (scores, values), states in zip(cases, got, strict=True):
        assert len(states) == len(scores) + 1 and states[0]["output"] == [0] * values.shape[1]
        for t, state in enumerate(states[1:], 1):
            weights = scores[:t].softmax(0).nan_to_num()
            assert_close(state["output"], weights @ values[:t])
            largest = scores[:t].max()
            assert float(state["largest"]) == largest  # "-Infinity" reads as such
            assert_close(state["sum"], (scores[:t] - largest).exp().nan_to_num().sum())


@needs_node
def test_positions_turn_as_the_package_does():
    cases = [(seed * 7 % 256, 2 + 2 * (seed % 16), (2.0, 100.0, 1e4, 1e6)[seed % 4])
             for seed in range(200)]  # fmt: skip
    turned, expected = [], []
    for p, dim, base in cases:
        pair, q = p % (dim // 2), (3 * p + 5) % 256
        query, key = rows_of(p, 2), rows_of(p + 999, 2)
        turned.append([query.tolist(), key.tolist(), p, q, pair, dim, base])
        a, b = torch.zeros(2, 1, dim, dtype=torch.float64)
        a[0, 2 * pair : 2 * pair + 2], b[0, 2 * pair : 2 * pair + 2] = query, key
        a, b = apply_rotary(a, offset=p, base=base), apply_rotary(b, offset=q, base=base)
        expected.append((a * b).sum())
    for got, value in zip(in_node("positions/state", "turnedScore", turned), expected, strict=True):
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
    for case, got in zip(cases, in_node("field/state", "seen", [[c] for c in cases]), strict=True):
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
        cases, in_node("field/state", "costs", cases), strict=True
    ):
        expected = [
            comparison.conv_cost(n, d, k, dilated=dilated, causal=causal),
            comparison.rnn_cost(n, d),
            comparison.attention_cost(n, d),
        ]
        read = [[float(str(value)) for value in row] for row in got.values()]
        assert read == [list(map(float, cost)) for cost in expected]


# A figure without a page: the changes that a hand makes, and what follows from them.


@needs_node
def test_who_asks_which_head_and_what_a_pointer_is_over():
    weights = rows_of(1, 3, 2, 6, 6).softmax(-1)
    weights[2, 1, 4] = 0  # may see nobody
    states = play(
        "heads",
        live.heads(weights, tokens=SENTENCE, step=-1),
        ("alter", {"head": 1}),
        ("ask", 4),
        ("hover", 2, 5),
        ("alter", {"over": None, "step": 0}),
        ("alter", {"key": 3}),
        ("ask", 0),
        ("go", 1),
    )
    expected = [  # step, head, who asks, who is asked
        (2, 0, 5, None), (2, 1, 5, None), (2, 1, 4, None), (2, 1, 2, 5), (0, 1, 4, None),
        (0, 1, 4, 3), (0, 1, 0, None), (1, 1, 0, None),
    ]  # fmt: skip
    for state, (step, head, asks, key) in zip(states, expected, strict=True):
        now, row = state["now"], weights[step, head, asks]
        assert (now["asks"], now["key"]) == (asks, key)
        assert (torch.tensor(now["weights"]) - row).abs().max() < 1e-5
        assert now["order"] == row.argsort(descending=True, stable=True).tolist()
        told = row.argmax().item() if key is None else key
        if row.sum():
            assert (
                f" to the key {SENTENCE[told]}: attention weight {row[told]:.2f}." in state["said"]
            )
    said = "At step 2, in head 1, the query the sees no key: every attention weight is 0."
    assert states[2]["said"] == said


@needs_node
def test_two_positions_move_together_and_stop_at_the_ends():
    figure = live.positions(8, base=100.0, length=20)
    keep, let = ("alter", {"keep": True}), ("alter", {"keep": False})
    states = play("positions", figure, keep, ("move", "a", 9), ("move", "a", 19), ("move", "b", 0),
                  let, ("move", "b", 12), ("alter", {"pair": 2, "base": 2}))  # fmt: skip
    places = [(state["state"]["a"], state["state"]["b"]) for state in states]
    assert places == [(3, 7), (3, 7), (9, 13), (15, 19), (0, 4), (0, 4), (0, 12), (0, 12)]
    for (a, b), state in zip(places, states, strict=True):
        pair, base = state["state"]["pair"], state["state"]["base"]
        turn = (b - a) * base ** (-2 * pair / 8)
        now = state["now"]
        assert now["turn"] == pytest.approx(turn)
        assert now["further"] == {"a": a + 5, "b": b + 5}
        assert now["products"]["turned"] == pytest.approx(now["products"]["further"])
        apart = now["angles"]["query"] - now["angles"]["key"]  # of the arrows that are drawn
        length = math.hypot(1, 0.3) * math.hypot(0.7, 0.7)
        assert now["products"]["turned"] == pytest.approx(length * math.cos(apart))
        assert f"b = {b} differ by {b - a} · " in state["said"]


@needs_node
def test_steps_go_forwards_and_backwards_and_their_table_follows():
    scores, values = torch.tensor([1.0, 3.0, 2.0]).double(), rows_of(2, 3, 2).round(decimals=2)
    acts = [("go", 9), ("go", -1), ("pick", 2, 1), ("write", [0, 0], 4), ("write", [2, 1], -7),
            ("write", [5, 0], 99)]  # fmt: skip
    states = play("steps", live.steps(scores, values), *acts)
    assert [state["state"]["read"] for state in states] == [0, 3, 0, 2, 2, 2, 2]
    assert [state["state"]["at"] for state in states[:4]] == [[0, 0], [0, 2], [0, 0], [2, 1]]
    for step, state in enumerate(states):
        if step == 4:
            scores[0] = 4
        elif step == 5:
            values[1, 1] = -7  # and what is computed cannot be changed
        table = state["now"]["table"]
        assert_close(table[:3], torch.cat([scores[None], values.T]))
        assert_close(table[3], scores.cummax(0).values)
        for t in (1, 2, 3):
            output = scores[:t].softmax(0) @ values[:t]
            assert_close([row[t - 1] for row in table[-2:]], output)
    assert states[2]["said"].startswith("No score is read yet")
    assert states[1]["said"].endswith("the output equals softmax(scores) times the values.")


@needs_node
def test_an_even_kernel_is_causal_and_a_unit_stays_within_the_layers():
    figure = live.field(3, 3, dilated=False, causal=False)
    acts = [("choose", {"k": 2}), ("choose", {"causal": False}), ("deepen", 5), ("deepen", 2),
            ("choose", {"at": [4, 6], "dilated": True}), ("choose", {"at": [0, 3]})]  # fmt: skip
    states = play("field", figure, *acts)
    chosen = [(state["state"]["causal"], state["state"]["at"]) for state in states]
    assert chosen == [(False, [3, 8]), (True, [3, 8]), (True, [3, 8]), (True, [5, 8]),
                      (True, [2, 8]), (True, [2, 6]), (True, [0, 3])]  # fmt: skip
    assert [state["now"]["width"] for state in states] == [7, 4, 4, 6, 3, 4, 1]
    for state in states:
        depth, k = state["state"]["depth"], state["state"]["k"]
        dilations = [k**layer if state["state"]["dilated"] else 1 for layer in range(depth)]
        links = [(link["layer"], link["from"], link["to"]) for link in state["now"]["links"]]
        assert len(set(links)) == len(links)
        for layer, dilation in enumerate(dilations):
            reads = comparison.conv_connectivity(
                17, k, dilation=dilation, causal=state["state"]["causal"]
            )
            drawn = {(to, start) for level, start, to in links if level == layer}
            assert drawn == {tuple(pair) for pair in reads.nonzero().tolist()}
    assert (states[0]["state"]["n"], states[0]["state"]["d"]) == (1024, 64)


FIGURES = live_kinds.FIGURES | {
    "maps": live_kinds.model_maps,
    "positions of clocks": lambda: live.positions(16, base=10000.0, length=60, parts=["clocks"]),
}


class Fragment(HTMLParser):
    """What a browser finds in a figure's HTML: tags with attributes, and the text between them."""

    def __init__(self, text):
        super().__init__()
        self.starts, self.text = [], {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.starts.append((tag, attributes))

    def handle_data(self, text):
        tag = self.starts[-1][0]
        self.text[tag] = self.text.get(tag, "") + text


def parts(figure):
    """The fallback, the element's name, the data and the code of a figure's HTML."""
    found = Fragment(figure.html)
    (name,) = (tag for tag, _ in found.starts if re.fullmatch("live-[0-9a-f]{8}", tag))
    plain = ("table", "caption", "tr", "th", "td", "p")
    link = ("a", [("href", live.SITE)])
    others = [start for start in found.starts if start[0] not in plain and start != link]
    data = dict(others[1][1])["data-live"]
    assert others == [  # nothing that a reader wrote has become a tag or an attribute
        ("div", [("class", "live-fallback")]),
        (name, [("data-live", data)]),
        ("script", [("type", "module")]),
    ]
    fallback = figure.html.removeprefix('<div class="live-fallback">').split("</div>\n<live-")[0]
    return fallback, name, json.loads(data), found.text["script"]


@pytest.mark.parametrize("kind", FIGURES)
def test_html(kind):
    figure = FIGURES[kind]()
    bundle = figure._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}
    assert bundle == FIGURES[kind]()._repr_mimebundle_()  # the same bytes on every run
    assert "\n" not in bundle["text/plain"] and bundle["text/plain"] == repr(figure)
    data = parts(figure)[2]
    sent = data.get("model", data.get("weights", {}))  # of the reader, and weights
    most = 60_000 if kind == "train" else 29_000  # it carries a model's gradient, too
    assert len(figure.html.encode()) - len(sent.get("text", "")) <= most
    _, name, data, code = parts(figure)
    assert name in code and data["roles"] == ROLES
    assert "</script" not in code.lower()
    for forbidden in ("innerHTML", "getElementById", "document.querySelector", "currentScript",
                      "import ", "import(", "fetch(", "eval("):  # fmt: skip
        assert forbidden not in code
    assert not re.search(r"\bid=", figure.html)
    named = figure.html.replace("http://www.w3.org/2000/svg", "").replace(f'href="{live.SITE}"', "")
    assert "http" not in named  # but for the link beside the table


@pytest.mark.parametrize("kind", live_code.KINDS)
def test_stored_code_belongs_to_its_source(kind):
    path = live.STORED / f"{kind}.js"
    first = path.read_text(encoding="utf-8").split("\n", 1)[0]
    assert first == f"// {live_code.source_hash(kind)}", f"run `make live` ({kind})"


@pytest.mark.parametrize("kind", live_code.KINDS)
def test_an_output_gets_new_code_and_keeps_its_data_and_its_table(kind, monkeypatch, tmp_path):
    old = FIGURES[kind]()
    code = (live.STORED / f"{kind}.js").read_text(encoding="utf-8")
    (tmp_path / f"{kind}.js").write_text(code + ";'more'", encoding="utf-8")
    monkeypatch.setattr(live, "STORED", tmp_path)
    assert old.html != live_code.renew(old.html) == FIGURES[kind]().html


def test_a_figure_opens_where_it_is_told_to():
    steps = rows_of(1, 3, 2, 6, 6).softmax(-1)
    names = (None, ["one", "two"])
    for options, step, head, asks in (
        ({}, 0, 0, 5),
        (dict(query=SENTENCE[1], step=2, head="two"), 2, 1, 1),
        (dict(query=-3, step=-2, head=-1), 1, 1, 3),
    ):
        figure = live.heads(steps, tokens=SENTENCE, **options, names=names)
        (state,) = play("heads", figure)
        opened = state["state"]
        assert (opened["step"], opened["head"], opened["asks"]) == (step, head, asks)
        cells = re.findall(r"<td>(.*?)</td>", parts(figure)[0])
        assert cells == [f"{weight:.2f}" for weight in steps[step, head].ravel().tolist()]
    for options, asks in (({}, 5), ({"query": SENTENCE[2], "parts": ["mask"]}, 2)):
        figure = live.attention(X, tokens=SENTENCE, **options)
        (state,) = play("attention", figure)
        assert state["state"]["asks"] == asks and state["said"].startswith(SENTENCE[asks])
        assert parts(figure)[2].get("parts") == options.get("parts")


@needs_node
def test_the_question_is_told_a_thought_at_a_time():
    figure = live.attention(X, tokens=SENTENCE, mask="causal", query="found")
    acts = [("tell", 0), ("unfold", 1), ("tell", 1), ("unfold", 4), ("tell", 2), ("unfold", 1),
            ("tell", 3), ("unfold", 6), ("tell", 4), ("unfold", 1), ("pick", "word", 2, 0),
            ("pick", "score", 1, 1), ("tell", 1), ("tell", None)]  # fmt: skip
    states = play("attention", figure, *acts)
    told = [state["state"]["told"] for state in states]
    assert told == [None, [0, 0], [0, 1], [1, 0], [1, 4], [2, 0], [2, 1], [3, 0], [3, 6], [4, 0],
                    [4, 1], [4, 1], None, [1, 0], None]  # fmt: skip
    names = ["asks", "scores", "weights", "values", "output"]
    seen = in_node("attention/state", "unfolded", [[state["state"]] for state in states])
    seen = [[some[name] for name in names] for some in seen]
    assert seen[:11] == [
        [1, 6, 1, 6, 1], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [1, 0, 0, 0, 0], [1, 4, 0, 0, 0],
        [1, 6, 0, 0, 0], [1, 6, 1, 0, 0], [1, 6, 1, 0, 0], [1, 6, 1, 6, 0], [1, 6, 1, 6, 0],
        [1, 6, 1, 6, 1],
    ]  # fmt: skip
    parts_of = in_node(
        "attention/state", "partsOf", [[states[k]["state"]] for k in (1, 3, 5, 7, 9)]
    )
    assert parts_of == [1, 6, 1, 6, 1]
    x = X.double()
    scores = (x @ x.T / math.sqrt(3)).masked_fill(~torch.ones(6, 6).tril().bool(), -math.inf)
    weights = scores.softmax(-1)
    output = [plain(value) for value in (weights @ x)[3].tolist()]
    terms = [
        f"{plain(weight)}·{plain(value)}" for weight, value in zip(weights[3], x[:, 0], strict=True)
    ]
    assert [states[k]["said"] for k in (2, 4, 6, 8, 10)] == [
        "found has the query (0, 0.5, 1), which is compared with every key.",
        "Every key gets a score. The highest: query of found · key of found = 0·0 + 0.5·0.5 + "
        "1·1 = 1.25; ÷ √3 = 0.72. A hidden key gets none.",
        "Softmax: e^score, divided by the sum of these powers, is the attention weight. found "
        f"gives {weights[3, 3]:.2f} of its attention to found; its weights add up to 1.",
        "Each value is multiplied by its attention weight: its band ends that wide.",
        f"The output is their sum. Channel 1: {' + '.join(terms)} = {output[0]}, and so on. "
        f"The output of found is ({', '.join(output)}).",
    ]
    cat = ", ".join(plain(value) for value in (weights @ x)[2].tolist())
    assert states[11]["said"].endswith(f"The output of cat is ({cat}).")


def plain(value):
    """As the figures write a number inside arithmetic."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


@needs_node
def test_what_a_pointer_is_over_is_explained_and_changes_nothing():
    figure = live.attention(X, tokens=SENTENCE)
    over = ("alter", {"over": ["output", 2, 0]})
    first, pointed, gone = play("attention", figure, over, ("alter", {"over": None}))
    assert pointed["said"].startswith("output of cat, channel 1 = attention weights · values = ")
    assert first == gone and pointed["now"] == first["now"]


@needs_node
def test_places_are_played_to_the_end_and_again():
    for wanted in (["clocks"], ["clocks", "turn"]):
        figure = live.positions(8, base=100.0, length=9, parts=wanted)
        script = (live_code.SOURCE / "positions" / "state.js").as_uri()
        code = f"""
          import {{begin, playOf}} from {json.dumps(script)};
          const data = {json.dumps(parts(figure)[2])};
          const {{next, ended, rewind}} = playOf(data);
          let state = begin(data), places = [];
          while (!ended(state)) {{ state = next(state); places.push([state.a, state.b]); }}
          state = rewind(state); places.push([state.a, state.b]);
          console.log(JSON.stringify(places));
        """
        run = [NODE, "--input-type=module", "-e", code]
        done = subprocess.run(run, capture_output=True, encoding="utf-8", check=True)
        expected = [[3, 8], [3, 3]] if wanted == ["clocks"] else [[4, 8], [0, 4]]
        assert json.loads(done.stdout) == expected


@pytest.mark.parametrize("rule", RULES)
def test_the_microscopes_table_obeys_the_rule_that_it_opens_with(rule):
    """Without code, too: what stands in the cells is what torch computes."""
    figure = live.attention(X, tokens=SENTENCE, mask=rule, scale=0.5)
    fallback, _, data, _ = parts(figure)
    cells = [float(cell) for cell in re.findall(r"<td>([\d.]+)</td>", fallback)]
    setting = dict(x=X.tolist(), divisor=2.0, temperature=1.0)
    found = attention_by_torch(setting | dict(rule=data["rule"], size=data["size"]))["weights"]
    assert (data["rule"], data["size"]) == (rule, 2 if "window" in rule else len(X) - 1)
    assert cells == pytest.approx(found.flatten().tolist(), abs=0.0051)


def test_words_may_be_anything_that_has_a_name():
    table = parts(live.attention(X[:2], tokens=np.array(["a", "b"])))[2]
    assert table["tokens"] == ["a", "b"]
    assert parts(live.heads([[[1.0]]], tokens=[7], names=range(1)))[2]["heads"] == ["0"]


def test_words_are_escaped_and_come_back():
    words = ["<b>", "' onmouseover='alert(1)", '"q"', "</script", "naïve", "日本"]
    figure = live.attention(X, tokens=words)
    assert parts(figure)[2]["tokens"] == words
    assert "</script" not in figure.html.split("<script")[0]


def test_numbers_are_rounded_and_lose_the_sign_of_zero():
    _, _, data, _ = parts(live.attention([[1 / 3, -0.0], [1e-20, 2.0]], tokens=["a", "b"]))
    assert data["x"] == [[0.333333, 0], [1e-20, 2]]
    assert "-0" not in json.dumps(data["x"][0])


def test_sizes_with_training_steps():
    steps = torch.eye(6).expand(60, 16, 6, 6)
    figure = live.heads(steps, tokens=SENTENCE, names=(list(range(60)), None))
    assert len(figure.html.encode()) <= 100_000
    longest = live.heads(torch.eye(10).expand(500, 1, 10, 10), tokens=list("abcdefghij"))
    assert len(longest.html.encode()) <= 100_000


@pytest.mark.parametrize("ground", ["#ffffff", "#111111"])
@pytest.mark.parametrize("role", ROLES)
def test_marks_reach_a_contrast_of_3_on_light_and_dark_pages(role, ground):
    def light(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05

    high, low = sorted((light(ROLES[role]), light(ground)), reverse=True)
    assert high / low >= 3
