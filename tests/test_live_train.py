"""The figure that trains: model, gradient and Adam against torch (in node), tasks, what it says."""

import functools
import math
import re
from collections import Counter

import live_code
import pytest
import torch
import torch.nn.functional as F
from draws import generator
from test_live import in_node, needs_node, parts, play, run_node

from d2lattn_book.language import words
from d2lattn_book.pictures import live

BASE = 100
CHOICES = {
    "layers": (1, 2),
    "heads": (1, 2, 4),
    "width": (8, 16, 24, 32),
    "positions": ("none", "added", "rotary"),
    "mask": (True, False),
    "divisor": ("1", "√d", "d"),
    "same_qk": (True, False),
    "mlp": (True, False),
}
B, L, V, STEPS = 3, 7, 11, 50
MOST_BYTES = 60_000  # of the code that a page carries for it


def test_the_code_of_the_figure_is_small():
    assert 10_000 < (live.STORED / "train.js").stat().st_size <= MOST_BYTES


def drawn_case(seed):
    """A setting drawn at random, and fifty batches for it; some words are not asked."""
    draw = generator(seed)

    def one(choices):
        return choices[torch.randint(len(choices), (), generator=draw).item()]

    settings = {name: one(choices) for name, choices in CHOICES.items()}
    settings |= {"seed": seed, "rate": 0.01}
    tokens = torch.randint(V, (STEPS, B * L), generator=draw)
    targets = torch.randint(-2, V, (STEPS, B * L), generator=draw).clamp(min=-1)
    return dict(
        settings=settings,
        sizes=dict(V=V, L=L),
        tokens=tokens.tolist(),
        targets=targets.tolist(),
    )


CASES = [drawn_case(seed) for seed in range(20)]


@functools.cache
def in_the_page():
    return run_node("train.mjs", live_code.SOURCE / "train", cases=CASES)


def turned(x, d):
    """Rotary positions of (B, H, L, d)."""
    p, j = torch.arange(L)[:, None], torch.arange(0, d, 2)
    turn = torch.polar(torch.ones(L, d // 2).double(), p / BASE ** (j.double() / d))
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * turn).flatten(-2)


def norm(x):
    return F.rms_norm(x, x.shape[-1:], eps=1e-5)


def by_torch(weights, tokens, targets, settings):
    """The loss of one batch, with torch's own parts."""
    E, H = settings["width"], settings["heads"]
    d = E // H
    x = weights["embedding"][torch.tensor(tokens).view(B, L)]
    if settings["positions"] == "added":
        x = x + weights["position"]
    scale = {"1": 1.0, "√d": d**-0.5, "d": 1 / d}[settings["divisor"]]
    for n in range(settings["layers"]):
        a = norm(x)
        names = "qqv" if settings["same_qk"] else "qkv"
        q, k, v = ((a @ weights[f"{m}{n}"].T).unflatten(-1, (H, d)).transpose(1, 2) for m in names)
        if settings["positions"] == "rotary":
            q, k = turned(q, d), turned(k, d)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=settings["mask"], scale=scale)
        x = x + y.transpose(1, 2).flatten(-2) @ weights[f"o{n}"].T
        if settings["mlp"]:
            x = x + (norm(x) @ weights[f"in{n}"].T).relu() @ weights[f"out{n}"].T
    logits = norm(x) @ weights["logits"].T
    return F.cross_entropy(logits.flatten(0, 1), torch.tensor(targets), ignore_index=-1)


def as_weights(lists, settings):
    """The weights as torch has them, from the lists of the page."""
    E = settings["width"]
    wide = {"out": 2 * E}
    shaped = {
        name: torch.tensor(numbers, dtype=torch.float64).view(-1, wide.get(name[:3], E))
        for name, numbers in lists.items()
    }
    return {name: W.requires_grad_() for name, W in shaped.items()}


@needs_node
@pytest.mark.parametrize("k", range(len(CASES)))
def test_the_slope_at_every_weight_is_that_of_torch(k):
    case, got = CASES[k], in_the_page()[k]
    weights = as_weights(got["start"], case["settings"])
    loss = by_torch(weights, case["tokens"][0], case["targets"][0], case["settings"])
    loss.backward()
    assert got["loss"] == pytest.approx(loss.item(), abs=1e-12)
    assert got["grads"].keys() == weights.keys()
    for name, W in weights.items():
        slope = torch.tensor(got["grads"][name], dtype=torch.float64).view_as(W)
        torch.testing.assert_close(slope, W.grad, rtol=0, atol=1e-9)
        assert slope.abs().max() > 1e-4, f"{name} is not learned at all"


@needs_node
@pytest.mark.parametrize("k", range(len(CASES)))
def test_fifty_steps_of_adam_are_those_of_torch(k):
    case, got = CASES[k], in_the_page()[k]
    weights = as_weights(got["start"], case["settings"])
    adam = torch.optim.Adam(weights.values(), lr=case["settings"]["rate"], betas=(0.9, 0.99))
    for step, (tokens, targets) in enumerate(zip(case["tokens"], case["targets"], strict=True)):
        adam.zero_grad()
        loss = by_torch(weights, tokens, targets, case["settings"])
        loss.backward()
        adam.step()
        assert got["losses"][step] == pytest.approx(loss.item(), abs=1e-6)
    for name, W in weights.items():
        end = torch.tensor(got["end"][name], dtype=torch.float64).view_as(W)
        torch.testing.assert_close(end, W.detach(), rtol=0, atol=1e-6)


def test_the_settings_that_are_drawn_hold_every_choice():
    for name, choices in CHOICES.items():
        assert {case["settings"][name] for case in CASES} == {*choices}


# The tasks ----------------------------------------------------------------------------------------

TASKS = tuple(live.TASKS)


@functools.cache
def texts(name):
    """200 texts of a task as words: [(reads, wanted)], with None where a word is not asked."""
    return run_node("tasks.mjs", live_code.SOURCE / "train", cases=[name])[0]


def answer(name, words, k):
    """What an honest solver says at position k, from the words alone."""
    before = words[:k]
    if name == "back":
        return before[-1]
    if name == "like":
        return next(word[1] for word in words if word[0] == words[k] and len(word) == 2)
    if name == "asked":
        return next(word[3] for word in words if word[0] == words[k][2])
    if name == "copy":
        return words[before.index(words[k]) + 1]
    digits, written = words[:5], words[6 : k + 1]
    return sorted(digits)[len(written)]


@needs_node
@pytest.mark.parametrize("name", ["back", "like", "asked", "copy", "sort"])
def test_the_answers_follow_from_the_words_so_that_the_bound_is_0(name):
    told = texts(name)
    assert told["bound"] == 0 and len(told["texts"]) == 200
    asked = Counter()
    for words_read, wanted in told["texts"]:
        for k, target in enumerate(wanted):
            if target is not None:
                asked[target] += 1
                assert answer(name, words_read, k) == target
    weights = torch.tensor(list(asked.values())).double()
    entropy = torch.distributions.Categorical(weights / weights.sum()).entropy().item()
    assert told["blind"] == pytest.approx(entropy, abs=0.05)
    assert min(len({*map(str, told["texts"])}), 200) > 150  # they differ


@needs_node
def test_the_sentences_and_their_bound_are_those_of_the_book():
    (corpus,) = in_node("train/tasks", "corpus", [[]])
    assert corpus == words.sentences()
    (least,) = in_node("train/tasks", "leastLoss", [[corpus]])
    beginnings = Counter(tuple(one[:k]) for one in corpus for k in range(1, 10))
    costs = [
        math.log(beginnings[tuple(one[:k])] / beginnings[tuple(one[: k + 1])])
        for one in corpus
        for k in range(1, 9)
    ]
    assert least == pytest.approx(sum(costs) / len(costs), abs=1e-12)
    told = texts("sentences")
    held_out = {" ".join([*reads, wanted[-1]]) for reads, wanted in told["heldOut"]}
    known = {" ".join([*reads, wanted[-1]]) for reads, wanted in told["texts"]}
    assert len(held_out) == 24 and not held_out & known
    assert known | held_out <= {" ".join(one) for one in corpus}


@needs_node
def test_ones_own_text_is_cut_into_letters_and_its_end_is_held_out():
    told = texts("text")
    assert told["bound"] is None
    known = {"".join(reads) for reads, _ in told["texts"]}
    for reads, wanted in [*told["texts"], *told["heldOut"]]:
        assert wanted[:-1] == reads[1:]
    assert not known & {"".join(reads) for reads, _ in told["heldOut"]}


# The training ---------------------------------------------------------------------------------


def trained(*cases):
    """What the engine tells: of each case, {task, begin, steps, slice}, all messages."""
    return run_node("engine.mjs", live_code.SOURCE / "train", cases=cases)


def losses_of(told, model):
    return [loss for one in told for loss in one["news"][model]["losses"]]


def begun(task, *models, steps, slice=1000, look=None):
    (standard,) = in_node("train/tasks", "settingsOf", [[task]])
    begin = [standard | model for model in models or ({},)]
    return dict(task=task, begin=begin, steps=steps, slice=slice, look=look)


@needs_node
def test_slices_of_any_length_give_the_same_numbers():
    case = begun("sentences", {}, {"mask": False}, steps=40)
    long, short = trained(case, case | {"slice": 0.01})
    assert len(short) >= len(long)
    for model in range(2):
        losses = [losses_of(told, model) for told in (long, short)]
        assert len(losses[0]) == 40 and losses[0] == losses[1]
        assert long[-1]["news"][model]["look"] == short[-1]["news"][model]["look"]


@needs_node
def test_who_reads_the_answer_gets_below_the_bound_and_who_asks_with_keys_is_lost():
    order, cheat = trained(
        begun("sentences", {}, {"mask": False}, steps=150),
        begun("asked", {}, {"same_qk": True}, steps=300),
    )
    good, bad = (one["exams"][-1]["right"] for one in cheat[-1]["news"])
    assert good > 0.9 and bad < 0.8
    honest, blindfold = order[-1]["news"]
    bound, blind = (texts("sentences")[level] for level in ("bound", "blind"))
    assert min(honest["losses"][-20:]) > bound - 0.25
    assert sum(blindfold["losses"]) and max(blindfold["losses"][-20:]) < 0.15 < bound
    assert blindfold["exams"][-1]["loss"] > blind > 1.5 > honest["exams"][-1]["loss"]


@needs_node
def test_it_can_be_looked_back():
    """The maps of a step of the past are those that were seen when it was the newest."""
    case = begun("back", steps=30)
    then = trained(case | {"steps": 20})[0][-1]
    now = trained(case | {"look": {"step": 20, "text": 0}})[0][-1]
    assert now["step"] == 30 and now["kept"] == [*range(31)]
    assert now["news"][0]["look"] == then["news"][0]["look"]
    long = trained(begun("back", {"width": 8}, steps=250))[0][-1]
    assert long["kept"] == [*range(0, 251, 4)]


# What is said ---------------------------------------------------------------------------------


@functools.cache
def message(task="copy", steps=20, **change):
    models = ({}, change) if change else ({},)
    return trained(begun(task, *models, steps=steps))[0]


def said(task, *acts, compare=None, **model):
    figure = live.train(task=task, model=model, compare=compare)
    return play("train", figure, *acts)


@needs_node
def test_a_curve_ends_at_the_mean_of_its_last_bin():
    for count, bin in ((0, 1), (3, 1), (160, 1), (320, 2), (479, 3)):
        (points,) = in_node("train/curves", "means", [[[*range(count)]]])
        ends = range(bin, count + 1, bin)
        assert points == [[1, 0]] * (count > 0) + [[end, end - (bin + 1) / 2] for end in ends]


@needs_node
def test_it_tells_how_the_models_do():
    told = message("copy", layers=1)
    acts = [("arrived", one | {"run": 1}) for one in told]
    *_, last = said("copy", *acts, compare={"layers": 1})
    first, second = last["now"]["models"]
    losses = [losses_of(told, k) for k in range(2)]
    assert [first["loss"], second["loss"]] == [losses[0][-1], losses[1][-1]]
    exams = [told[-1]["news"][k]["exams"][-1] for k in range(2)]
    assert last["said"].startswith(
        f"Step 20. Model 1: training loss {losses[0][-1]:.2f}, "
        f"held-out loss {exams[0]['loss']:.2f}, held-out accuracy {100 * exams[0]['right']:.0f} %. "
        f"Model 2: training loss {losses[1][-1]:.2f}"
    )
    look = told[-1]["news"][0]["look"]
    maps = torch.tensor(look["layers"][1]["weights"]).double().view(2, 11, 11)
    row = maps[0, last["state"]["asks"]]
    assert first["row"] == pytest.approx(row.tolist(), abs=1e-7)
    words_read = last["now"]["words"]
    most = row.argmax()
    assert f"most to {words_read[most]} (position {most}, layer 1, head 0, weight" in last["said"]
    other = max(second["row"])
    at = second["row"].index(other)
    place = f"{words_read[at]} (position {at}, weight {other:.2f})."
    assert f" In model 2 the query attends most to {place}" in last["said"]
    assert "In one layer a letter can attend to its earlier copy" in last["said"]


@needs_node
@pytest.mark.parametrize("divisor, by", [("1", 1), ("√d", 8**0.5), ("d", 8)])
def test_queries_and_keys_of_the_chosen_head_give_the_row_of_weights(divisor, by):
    told = message("copy", divisor=divisor)
    acts = [("arrived", one | {"run": 1}) for one in told]
    looks = ("alter", {"layer": 1, "head": 1, "model": 1, "asks": 9, "sides": True})
    *_, last = said("copy", *acts, looks, compare={"divisor": divisor})
    model = last["now"]["models"][1]
    layer = told[-1]["news"][1]["look"]["layers"][1]
    for key, rows in model["sides"].items():
        expected = torch.tensor(layer[key]).view(11, 2, 8)[:, 1]
        torch.testing.assert_close(torch.tensor(rows), expected, rtol=0, atol=0)
    q, k = (torch.tensor(model["sides"][key]).double() for key in "qk")
    products = q[9] @ k[:10].T
    weights = F.pad((products / by).softmax(0), (0, 1))
    assert model["row"] == pytest.approx(weights.tolist(), abs=1e-6)
    best = weights.argmax()
    names, largest = last["now"]["words"], f"{weights.max():.2f}"
    product, score = (f"{x:.2f}".replace("-", "−") for x in (products[best], products[best] / by))
    divided = divisor.replace("d", "8")
    assert (
        f"In model 2, the query at {names[9]} attends most to {names[best]} "
        f"(position {best}, layer 1, head 1, weight {largest})" in last["said"]
    )
    assert f"key is {product}; divided by {divided}, it is the score, {score}." in last["said"]
    powers = (products / by).exp()
    power, powers = (f"{x:.{1 + (x < 100)}f}" for x in (powers[best], powers.sum()))
    sums = f"is {power}, and {powers} with those of the others: an attention weight of"
    assert f"{sums} {largest}." in last["said"]
    *_, plain = said("copy", *acts, compare={"divisor": divisor})
    assert "product" not in plain["said"]  # only where they are looked at


@needs_node
@pytest.mark.parametrize(
    "task, setting, hint",
    [
        ("sentences", {"mask": False}, "The mask is off"),
        ("asked", {"mask": True}, "no query sees later tokens"),
        ("copy", {"layers": 1}, "In one layer"),
        ("back", {"positions": "none"}, "Without positions"),
        ("asked", {"same_qk": True}, "every score is symmetric"),
        ("back", {"divisor": "1"}, "Undivided scores"),
    ],
)
def test_a_bad_combination_is_told_what_to_look_at_but_not_before_the_reader_has_guessed(
    task, setting, hint
):
    for model, tells in (({}, False), (setting, True)):
        told = trained(*(begun(task, model, steps=steps) for steps in (0, 1)))
        acts = [("arrived", messages[-1] | {"run": 1}) for messages in told]
        *_, first, last = (shown["said"] for shown in said(task, *acts, **model))
        assert "Before training" in first and hint not in first
        assert last.startswith("Step 1.") and (hint in last) == tells


@needs_node
def test_what_was_overtaken_by_a_hand_is_not_shown():
    (told,) = trained(begun("back", steps=0))
    late = ("arrived", told[-1] | {"run": 1})
    for act in [
        ("settle", "heads", 2),
        ("again",),
        ("choose", "copy"),
        ("beside", ["mask", False]),
    ]:
        *_, seen, after = said("back", late, act, late)
        assert seen["state"] == after["state"] and after["now"]["models"] == []
        assert after["state"]["run"] == 2


@needs_node
def test_only_what_is_told_of_a_play_ends_it():
    """A worker that starts tells of a model that stands still, when Play is pressed already."""
    (told,) = trained(begun("back", steps=3))
    assert told[-1]["left"] == 0
    late, last = (("arrived", told[-1] | {"run": 1, "going": going}) for going in (0, 1))
    *_, started, still, ended = said("back", ("play", True), late, last)
    assert [one["state"]["playing"] for one in (started, still, ended)] == [True, True, False]


@needs_node
def test_an_address_holds_the_settings():
    cases = [
        ({"task": "copy"}, {}, None, "#task=copy"),
        ({"task": "copy"}, {"layers": 1, "seed": 7}, ["mask", False],
         "#task=copy&layers=1&seed=7&compare=mask:false"),
        ({"task": "asked"}, {"divisor": "d", "rate": 0.5, "mask": True}, ["divisor", "√d"],
         "#task=asked&divisor=d&rate=0.5&mask=true&compare=divisor:√d"),
    ]  # fmt: skip
    for task, chosen, change, address in cases:
        (settings,) = in_node("train/tasks", "settingsOf", [[task["task"], chosen]])
        state = task | {"settings": settings, "change": change}
        (written,) = in_node("train/address", "toAddress", [[state]])
        assert {*written[1:].split("&")} == {*address[1:].split("&")}
        (read,) = in_node("train/address", "fromAddress", [[written]])
        assert read == task | {"model": chosen, "compare": change and dict([change])}
    unknown = ["", "#", "#task=none", "#layers=2", "#top", "#task=%"]
    assert in_node("train/address", "fromAddress", [[one] for one in unknown]) == [None] * 6
    (odd,) = in_node("train/address", "fromAddress", [["#task=back&layers=9&seed=x&compare=a:b"]])
    assert odd == {"task": "back", "model": {}, "compare": None}


@needs_node
def test_another_address_opens_what_it_says_and_one_that_says_nothing_changes_nothing():
    read = {"task": "copy", "model": {"layers": 1}, "compare": {"layers": 2}}
    *_, plain, opened, same = said("back", ("sent", read), ("sent", None))
    state = opened["state"]
    assert state["run"] == plain["state"]["run"] + 1 and state["report"] is None
    assert (state["task"], state["settings"]["layers"]) == ("copy", 1)
    assert state["change"] == ["layers", 2] and state == same["state"]


# The package ------------------------------------------------------------------------------------


def test_its_line_and_table_tell_where_it_opens():
    figure = live.train(task="asked", model={"layers": 2, "mask": True}, compare={"same_qk": True})
    assert repr(figure) == (
        "live training: follow a pointer, with layers=2, mask=True; model 2: same_qk=True"
    )
    table, _, data, *_ = parts(figure)
    rows = re.findall(r"<tr><th>(.*?)</th><td>(.*?)</td></tr>", table)
    assert rows == [
        ("task", "follow a pointer"),
        ("layers", "2"),
        ("mask", "True"),
        ("same_qk", "True"),
    ]
    assert data["compare"] == {"same_qk": True}
    assert len(figure.html.encode()) < 60_000
