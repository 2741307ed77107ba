"""The figure that trains: model, gradient and Adam against torch (in node), tasks, what it says."""

import functools
import itertools
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
