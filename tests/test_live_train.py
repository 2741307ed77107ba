"""The figure that trains: model, gradient and Adam against torch (in node), tasks, what it says."""

import functools
import math
from collections import Counter

import pytest
import torch
import torch.nn.functional as F
from draws import generator
from test_live import in_node, needs_node, of_kind, play

from d2lattn_book.language import words
from d2lattn_book.pictures import live
from d2lattn_book.pictures.live.train.figure import TASKS

BASE = 100
B, L, V, STEPS = 3, 7, 11, 50
USUAL = dict(layers=1, heads=2, width=8, positions="added", mask=True, divisor="√d")
USUAL |= dict(same_qk=False, mlp=False, rate=0.01)
SETTINGS = [
    {},
    dict(layers=2, heads=4, width=16, positions="rotary", divisor="1"),
    dict(heads=1, width=24, positions="none", mask=False, divisor="d", mlp=True),
    dict(layers=2, width=32, same_qk=True, mlp=True, mask=False),
    dict(positions="rotary", same_qk=True),
]
pytestmark = needs_node


def case_of(seed, settings):
    """Fifty batches for a model; some tokens are not predicted."""
    draw = generator(seed)
    tokens = torch.randint(V, (STEPS, B * L), generator=draw)
    targets = torch.randint(-2, V, (STEPS, B * L), generator=draw).clamp(min=-1)
    settings = USUAL | settings | {"seed": seed}
    sizes = dict(V=V, L=L)
    return dict(settings=settings, sizes=sizes, tokens=tokens.tolist(), targets=targets.tolist())


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


def as_weights(lists, width):
    """The weights as torch has them, from the lists of the page."""
    columns = {name: 2 * width if name.startswith("out") else width for name in lists}
    shaped = {name: torch.tensor(one, dtype=torch.float64) for name, one in lists.items()}
    return {name: W.view(-1, columns[name]).requires_grad_() for name, W in shaped.items()}


def test_loss_slopes_and_fifty_steps_of_adam_are_those_of_torch():
    cases = [case_of(seed, settings) for seed, settings in enumerate(SETTINGS)]
    for case, got in zip(
        cases, of_kind("train", "learning", [[one] for one in cases]), strict=True
    ):
        settings = case["settings"]
        weights = as_weights(got["start"], settings["width"])
        adam = torch.optim.Adam(weights.values(), lr=settings["rate"], betas=(0.9, 0.99))
        for step, (tokens, targets) in enumerate(zip(case["tokens"], case["targets"], strict=True)):
            adam.zero_grad()
            loss = by_torch(weights, tokens, targets, settings)
            loss.backward()
            assert got["losses"][step] == pytest.approx(loss.item(), abs=1e-6)
            if step == 0:
                assert got["loss"] == pytest.approx(loss.item(), abs=1e-12)
                assert got["grads"].keys() == weights.keys()
                for name, W in weights.items():
                    slope = torch.tensor(got["grads"][name], dtype=torch.float64).view_as(W)
                    torch.testing.assert_close(slope, W.grad, rtol=0, atol=1e-9)
                    assert slope.abs().max() > 1e-4, f"{name} is not learned at all"
            adam.step()
        for name, W in weights.items():
            end = torch.tensor(got["end"][name], dtype=torch.float64).view_as(W)
            torch.testing.assert_close(end, W.detach(), rtol=0, atol=1e-6)


# The tasks ----------------------------------------------------------------------------------------


@functools.cache
def texts():
    """Of each task 200 texts as tokens, [(read, wanted)], with None where a token is not asked."""
    names = tuple(TASKS)
    return dict(zip(names, of_kind("train", "textsOf", [[name] for name in names]), strict=True))


def answer(name, words, k):
    """What an honest solver predicts at position k, from the tokens alone."""
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


@pytest.mark.parametrize("name", ["back", "like", "asked", "copy", "sort"])
def test_the_answers_follow_from_the_tokens_so_that_the_bound_is_0(name):
    told = texts()[name]
    assert told["bound"] == 0 and len({*map(str, told["texts"])}) > 150  # of 200, they differ
    asked = Counter()
    for read, wanted in told["texts"]:
        for k, target in enumerate(wanted):
            if target is not None:
                asked[target] += 1
                assert answer(name, read, k) == target
    weights = torch.tensor(list(asked.values())).double()
    entropy = torch.distributions.Categorical(weights / weights.sum()).entropy().item()
    assert told["blind"] == pytest.approx(entropy, abs=0.05)


def test_the_sentences_and_their_bound_are_those_of_the_book():
    corpus = words.sentences()
    assert in_node("train/tasks", "corpus", [[]]) == [corpus]
    begun = Counter(tuple(one[:k]) for one in corpus for k in range(1, 10))
    costs = [
        math.log(begun[tuple(one[:k])] / begun[tuple(one[: k + 1])])
        for one in corpus
        for k in range(1, 9)
    ]
    (least,) = in_node("train/tasks", "leastLoss", [[corpus]])
    assert least == pytest.approx(sum(costs) / len(costs), abs=1e-12)


@pytest.mark.parametrize("name, joined, held_out", [("sentences", " ", 24), ("text", "", None)])
def test_what_is_held_out_is_not_trained_on(name, joined, held_out):
    told = texts()[name]
    known, kept = (
        {joined.join([*read, w[-1]]) for read, w in told[k]} for k in ("texts", "heldOut")
    )
    assert kept and not known & kept and len(kept) == (held_out or len(kept))
    for read, wanted in [*told["texts"], *told["heldOut"]]:
        assert wanted[:-1] == read[1:]


# The training -------------------------------------------------------------------------------------


def trained(*cases):
    """What the engine tells: of each case, {task, models, steps, slice, look}, all messages."""
    return of_kind("train", "training", [[case] for case in cases])


def losses_of(told, model):
    return [loss for one in told for loss in one["news"][model]["losses"]]


def test_slices_and_looking_back_change_no_number():
    case = dict(task="sentences", models=[{}, {"mask": False}], steps=30)
    look = {"step": 20, "text": 0}
    long, short, then, now, longer = trained(
        case,
        case | {"slice": 0.01},
        case | {"steps": 20},
        case | {"look": look},
        dict(task="back", models=[{"width": 8}], steps=250),
    )
    for model in range(2):
        assert len(losses_of(long, model)) == 30
        assert losses_of(long, model) == losses_of(short, model)
        looks = [one[-1]["news"][model]["look"] for one in (long, short, then, now)]
        assert looks[0] == looks[1] and looks[2] == looks[3]
        assert [k for k, sure in enumerate(looks[0]["sure"]) if sure] == [2, 4, 5, 7]
    assert now[-1]["step"] == 30 and now[-1]["kept"] == [*range(31)]
    assert longer[-1]["kept"] == [*range(0, 251, 4)]


def test_without_a_mask_the_loss_falls_below_the_bound_and_with_same_qk_a_pointer_is_not_found():
    order, pointer = trained(
        dict(task="sentences", models=[{}, {"mask": False}], steps=150),
        dict(task="asked", models=[{}, {"same_qk": True}], steps=300),
    )
    good, bad = (one["exams"][-1]["right"] for one in pointer[-1]["news"])
    assert good > 0.9 and bad < 0.8
    bound, blind = (texts()["sentences"][level] for level in ("bound", "blind"))
    assert min(losses_of(order, 0)[-20:]) > bound - 0.25
    assert max(losses_of(order, 1)[-20:]) < 0.15 < bound
    honest, leaking = (one["exams"][-1]["loss"] for one in order[-1]["news"])
    assert leaking > blind > 1.5 > honest


# What is said -------------------------------------------------------------------------------------


def shown(task, *acts, compare=None, **model):
    return play("train", live.train(task=task, model=model, compare=compare), *acts)


def arrivals(told, **more):
    return [("arrived", one | {"run": 1} | more) for one in told]


@pytest.mark.parametrize("divisor, by", [("1", 1), ("√d", 8**0.5), ("d", 8)])
def test_it_tells_how_the_models_do_and_how_a_weight_is_made(divisor, by):
    (told,) = trained(dict(task="copy", models=[{}, {"divisor": divisor}], steps=20))
    look = ("alter", {"layer": 1, "head": 1, "model": 1, "asks": 9, "sides": True})
    *_, plain, last = shown("copy", *arrivals(told), look, compare={"divisor": divisor})
    news = told[-1]["news"]
    opening = "Step 20."
    for k, exam in enumerate(one["exams"][-1] for one in news):
        opening += (
            f" Model {k + 1}: training loss {losses_of(told, k)[-1]:.2f}, held-out loss "
            f"{exam['loss']:.2f}, held-out accuracy {100 * exam['right']:.0f} %."
        )
    assert plain["said"].startswith(opening) and "product" not in plain["said"]
    layer, names = news[1]["look"]["layers"][1], last["now"]["words"]
    q, k = (torch.tensor(layer[key]).double().view(11, 2, 8)[:, 1] for key in "qk")
    products = q[9] @ k[:10].T
    weights = F.pad((products / by).softmax(0), (0, 1))
    assert last["now"]["models"][1]["row"] == pytest.approx(weights.tolist(), abs=1e-6)
    best = weights.argmax()
    product, score = (f"{x:.2f}".replace("-", "−") for x in (products[best], products[best] / by))
    powers = (products / by).exp()
    power, powers = (f"{x:.{1 + (x < 100)}f}" for x in (powers[best], powers.sum()))
    for part in (
        f"In model 2, the query at {names[9]} attends most to {names[best]} (position {best}, "
        f"layer 1, head 1, weight {weights.max():.2f})",
        f"key is {product}; divided by {divisor.replace('d', '8')}, it is the score, {score}.",
        f"is {power}, and {powers} with those of the others: an attention weight of "
        f"{weights.max():.2f}.",
    ):
        assert part in last["said"]


HINTS = [
    ("sentences", {"mask": False}, "The mask is off"),
    ("asked", {"mask": True}, "no query sees later tokens"),
    ("copy", {"layers": 1}, "In one layer"),
    ("back", {"positions": "none"}, "Without positions"),
    ("asked", {"same_qk": True}, "every score is symmetric"),
    ("back", {"divisor": "1"}, "Undivided scores"),
]


def test_a_bad_combination_is_told_what_to_look_at_but_not_before_the_reader_has_guessed():
    ways = [
        (task, model, steps) for task, bad, _ in HINTS for model in ({}, bad) for steps in (0, 1)
    ]
    told = iter(trained(*(dict(task=task, models=[one], steps=n) for task, one, n in ways)))
    for task, bad, hint in HINTS:
        for model, tells in (({}, False), (bad, True)):
            arrived = [("arrived", next(told)[-1] | {"run": 1}) for _ in range(2)]
            *_, first, last = (state["said"] for state in shown(task, *arrived, **model))
            assert "Before training" in first and hint not in first
            assert last.startswith("Step 1.") and (hint in last) == tells, (task, model)


def test_what_was_overtaken_by_a_hand_is_not_shown_and_only_its_own_play_ends():
    (told,) = trained(dict(task="back", steps=3))
    late = ("arrived", told[-1] | {"run": 1, "going": 0})
    for act in [
        ("settle", "heads", 2),
        ("again",),
        ("choose", "copy"),
        ("beside", ["mask", False]),
    ]:
        *_, seen, after = shown("back", late, act, late)
        assert seen["state"] == after["state"] and after["now"]["models"] == []
        assert after["state"]["run"] == 2
    ended = ("arrived", late[1] | {"going": 1})
    states = shown("back", ("play", True), late, ended)[1:]
    assert [one["state"]["playing"] for one in states] == [True, True, False]
    *_, stepped = shown("back", ("arrived", late[1] | {"left": 5}))
    assert not stepped["state"]["playing"]  # ten steps start no play


def test_an_address_holds_the_settings():
    (settings,) = in_node("train/tasks", "settingsOf", [["asked", {"divisor": "d", "mask": True}]])
    state = {"task": "asked", "settings": settings | {"seed": 7}, "change": ["divisor", "√d"]}
    (address,) = in_node("train/address", "toAddress", [[state]])
    said = {"task=asked", "divisor=d", "mask=true", "seed=7", "compare=divisor:√d"}
    assert {*address[1:].split("&")} == said
    addresses = [
        address,
        "#task=back&layers=9&seed=x&compare=a:b",
        "",
        "#task=none",
        "#top",
        "#task=%",
    ]
    read, odd, *unknown = in_node("train/address", "fromAddress", [[one] for one in addresses])
    model = {"divisor": "d", "mask": True, "seed": 7}
    assert read == {"task": "asked", "model": model, "compare": {"divisor": "√d"}}
    assert odd == {"task": "back", "model": {}, "compare": None} and unknown == [None] * 4
    *_, plain, opened, same = shown("back", ("sent", read), ("sent", None))
    state = opened["state"]
    assert state["run"] == plain["state"]["run"] + 1 and state["report"] is None
    assert (state["task"], state["settings"]["seed"]) == ("asked", 7)
    assert state["change"] == ["divisor", "√d"] and state == same["state"]
