"""At which layer does a real model know what it will say?"""

import functools

import smollm
import torch
from experiment import Experiment, functions_of

from d2lattn_book.real import trace
from d2lattn_book.real.edits import lens

POINTS = (0, 6, 12, 18, 24, 27, 28, 29, 30)


def run(variant, seed, steps):
    """The rank of a token at points of the stream, and from which point on it is first."""
    prose = variant == "prose"
    streams, answers = of_prose(seed) if prose else of_capitals()
    generator = torch.Generator().manual_seed(seed)
    chosen = torch.randperm(len(answers), generator=generator)[: 64 if prose else 8]
    streams = streams[:, chosen]
    if variant == "capitals_wrong":  # the answer of the next prompt
        answers = answers.roll(1)
    answers = answers[chosen]
    with torch.no_grad():
        logits = [lens(smollm.model(), x) for x in streams]  # 31 times (N, V)
    asked = torch.arange(len(answers))
    ranks = torch.stack([(x > x[asked, answers, None]).sum(-1) for x in logits])  # (31, N)
    first = ranks == 0
    since = 31 - first.flip(0).cumprod(0).sum(0)  # 31: not even at the last point
    found = {f"rank at {n}": ranks[n].double().median() for n in POINTS}
    told = since[since < 31].double()
    found["first at the end, %"] = 100 * first[-1].double().mean()
    found["first from point"] = told.median() if len(told) else torch.tensor(31.0)
    found["earliest"] = since.min().double()
    return found


@functools.cache
def of_capitals():
    """The last token's stream after each prompt, (31, 12, E), and the answers (12,)."""
    _, streams, answers = functions_of("real_exchange").prompts()
    return streams[:, :, -1], answers


@functools.lru_cache(maxsize=16)
def of_prose(seed):
    """Streams of prose from the 33rd token on, (31, N, E), and what is said at last, (N,)."""
    streams = read(smollm.passages(seed, 2, 96))[:, :, 32:].flatten(1, 2)
    with torch.no_grad():
        return streams, lens(smollm.model(), streams[-1]).argmax(-1)


def read(tokens):
    return trace(smollm.model(), tokens, keep=["stream"]).stream


EXPERIMENT = Experiment(
    section="9.7",
    varies="twelve prompts with capitals, of which a seed draws eight; or 64 places in prose, with "
    "the token that the model itself says there, right or wrong",
    held="the stream of the last token at 31 points, 0 the embedding, 30 what the last of 30 "
    "layers left, each read by the last norm and the output matrix; rank 0 is first; medians; "
    "*first from point* over those that are first at the end",
    control="the answer of another prompt: if its rank falls as early and as far, "
    "the model had found a capital, and not this one",
    refuted="half of the right answers are first from the middle of the layers on, point 15",
    variants={
        "capitals": "capitals",
        "capitals_wrong": "another country's capital",
        "prose": "prose, what is said at last",
    },
    seeds=16,
)
