"""From which layer on does a real model carry its answer at the last token?

Written down before the run; what made us ask was one trial with twelve prompts in one order. The
lens (real_lens) reads a capital as first only behind the last layer, and a wrong capital as its
control cannot tell whether the stream had it before, in a form that the lens does not read. So
exchange: behind n layers the last token gets the stream that it has in another country's prompt.
If the model then says the other's capital, the last token carried it by then. Predicted: none turn
up to point 18, and nine of ten from point 26 on; the stream of *France* itself, exchanged, does the
opposite: it turns them early and no longer at the end. Refuted if the last token's stream turns
fewer than half of them at point 26, or if the last token of prose in its place does as much.
"""

import functools

import smollm
import torch
from experiment import Experiment

from d2lattn_book.real import trace
from d2lattn_book.real.edits import Edit, edited

POINTS = (0, 6, 12, 18, 20, 22, 24, 26, 29)
COUNTRY, LAST = 3, 4  # The capital of France is
CAPITALS = dict(
    France="Paris",
    Italy="Rome",
    Japan="Tokyo",
    Germany="Berlin",
    Spain="Madrid",
    England="London",
    Russia="Moscow",
    China="Beijing",
    Egypt="Cairo",
    Austria="Vienna",
    Ireland="Dublin",
    Greece="Athens",
)


def run(variant, seed, steps):
    """How many of twelve prompts are answered with the capital of the country exchanged, by n."""
    tokens, streams, answers = prompts()
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(answers), generator=generator)
    other = torch.empty_like(order)
    other[order] = order.roll(1)  # one circle, so that nobody gets its own
    place = COUNTRY if variant == "country" else LAST
    given = streams[:, other, place]  # (31, 12, E)
    if variant == "prose":
        pieces = smollm.passages(seed, len(answers), tokens.shape[1])
        given = trace(smollm.model(), pieces, keep=["stream"]).stream[:, :, LAST]
    said = {n: says(tokens, given[n], place, n) for n in POINTS}
    found = {f"behind {n}": 100 * (said[n] == answers[other]).double().mean() for n in POINTS}
    for n in (18, 22):
        found[f"its own, behind {n}"] = 100 * (said[n] == answers).double().mean()
    return found


@functools.cache
def prompts():
    """The twelve prompts (12, 5), their streams (31, 12, 5, E), and the answers (12,)."""
    tokens = torch.cat([smollm.encode(f"The capital of {country} is") for country in CAPITALS])
    streams = trace(smollm.model(), tokens, keep=["stream"]).stream
    return tokens, streams, torch.tensor([smollm.piece(capital) for capital in CAPITALS.values()])


@torch.no_grad()
def says(tokens, given, place, layer):
    """The likeliest next tokens, a place having been given other streams behind so many layers."""

    def put(x, _):
        x = x.clone()
        x[:, place] = given
        return x

    with edited(smollm.model(), Edit("stream", put, [layer])):
        return smollm.model()(tokens)[:, -1].argmax(-1)


EXPERIMENT = Experiment(
    section="9.20",
    varies="whose stream is exchanged behind n layers, that of the last token or that of the "
    "country; a seed draws who gets whose",
    held="twelve prompts *The capital of … is*, of five tokens; in per cent of them, which token "
    "the model finds likeliest in the end, the other country's capital or (last columns) its own; "
    "point 0 is the embedding, point n behind n layers",
    control="in the last token's place the last token of five of prose: a stream of which no "
    "capital is to be had; and the country, whose exchange must turn the answer early and not late",
    refuted="with the last token exchanged behind 26 layers, fewer than half say the "
    "other's capital, or as many do with a token of prose",
    variants={
        "last": "the last token",
        "country": "the country",
        "prose": "the last token, from prose",
    },
)
