"""What does a real model do without the causal mask that it was trained with?

Written down before the run. The toy of the page, trained without the mask, reads the answer off the
next word. This model never had anything ahead of a token, and no head has learned to look there.
The expectation: without the mask it does not read the next token off, it gets worse, where the next
token is in sight and after the end, where none sees it. Refuted if the loss of tokens in sight
falls below that with the mask when it is taken away in all layers; or if the tokens of
another text in the places ahead cost a nat more than its own, since then it does read its own.
"""

import functools

import smollm
import torch
from experiment import Experiment

from d2lattn_book.real import trace
from d2lattn_book.real.edits import see, turn

LENGTH, START = 64, 32
rows, columns = torch.arange(LENGTH)[:, None], torch.arange(LENGTH)
CAUSAL = columns <= rows
ALL = torch.ones(LENGTH, LENGTH, dtype=torch.bool)
MASKS = {"mask": CAUSAL, "none": ALL, "all_but_next": columns != rows + 1}


def run(variant, seed, steps):
    """What the tokens from the 33rd on say of the next one."""
    passages = smollm.passages(seed, 16, 2 * LENGTH + 1)
    tokens, answers = passages[:, LENGTH:-1], passages[:, LENGTH + 1 :]
    late = slice(START, LENGTH)
    if variant == "other":
        seen = beside(tokens, torch.cat([~ALL, columns > rows], 1), late)
    else:
        edits = [see(MASKS[variant])]
        seen = trace(smollm.model(), tokens, keep=[], rows=late, edits=edits)
    told = seen.logits.log_softmax(-1).gather(2, answers[:, late, None])[..., 0]  # (B, rows)
    right = seen.logits.argmax(-1) == answers[:, late]
    return {
        "nats, the next token in sight": -told[:, :-1].mean(),
        "first guess right, %": 100 * right[:, :-1].double().mean(),
        "nats, after the end": -told[:, -1].mean(),
    }


def beside(tokens, ahead, late):
    """Texts that see, of those ahead of a token, only what the next text in the batch has there;
    that one sees itself in the same way."""
    both = torch.cat([tokens, tokens.roll(1, dims=0)], 1)
    own = torch.cat([CAUSAL, ~ALL], 1) | ahead
    other = torch.cat([~ALL, CAUSAL | ahead[:, LENGTH:]], 1)
    places = torch.cat([columns, columns])
    edits = [
        see(torch.cat([own, other])),
        turn(functools.partial(smollm.rotate, positions=places)),
    ]
    return trace(smollm.model(), both, keep=[], rows=late, edits=edits)


EXPERIMENT = Experiment(
    section="3.5",
    varies="who sees which tokens ahead, in all layers",
    held="16 passages of 64 tokens; rows from the 33rd on; the answer is the next token, which "
    "stands in the passage (columns 1 and 2), or, for the last row, behind it, where none can see "
    "it; nothing is trained",
    control="the tokens of another passage in the places ahead, which tell nothing of the answer; "
    "and all tokens ahead but the next",
    refuted="without the mask the loss of tokens in sight falls below that with it, or the other "
    "passage ahead costs a nat more than its own, which then is read after all",
    variants={
        "mask": "with the mask",
        "none": "without it, in all layers",
        "all_but_next": "without it, but for the next token",
        "other": "another passage ahead",
    },
)
