"""Can a token that sees all before it be a sink of a real model?

Written down before the run; what made us ask were a few passages of other texts. For the training,
documents are packed one behind the other, with <|endoftext|> between them. If that token, put in
the middle of a text with everything before it in sight, is a sink, then *a sink is who sees only
itself* says too much. Predicted: it takes a weight of 0.1 or more beside the first token; where the
first is hidden from the later ones, it brings back more than half of what that costs; no other
special or frequent token does; and its stream is made long by the MLP that makes the first token's
long, that of layer 11, so that without this MLP at its place it is none. Refuted if in either text
it takes less than 0.05 or repairs less than a quarter, or if a full stop or a newline does
as much, or if the MLP of layer 10 or 12 matters as much as that of layer 11.
"""

import smollm
import torch
from experiment import Experiment

from d2lattn_book.real import trace
from d2lattn_book.real.edits import Edit, see

LENGTH, PLACE, FROM, MAKER = 112, 40, 64, 11
rows, columns = torch.arange(LENGTH)[:, None], torch.arange(LENGTH)
NO_FIRST = see((columns <= rows) & ((rows < FROM) | (columns != 0)))
PIECES = {"end": "<|endoftext|>", "stop": ".", "newline": "\n"}
SILENT = {"maker": MAKER, "before": MAKER - 1, "after": MAKER + 1}


def run(variant, seed, steps):
    """Where the tokens from the 65th on take from, with the first in sight and without it."""
    which, _, change = variant.partition("_")
    tokens, edits = smollm.passages(seed, 2, LENGTH, which), []
    if change in PIECES:
        (tokens[:, PLACE],) = smollm.encode(PIECES[change])[0]
    if change in SILENT:
        (tokens[:, PLACE],) = smollm.encode(PIECES["end"])[0]
        edits = [silent(SILENT[change])]
    seen, alone = (read(tokens, [*edits, *more]) for more in ([], [NO_FIRST]))
    late = seen.weights[..., FROM:, :].mean((0, 1, 2, 3))
    return {
        "nats": smollm.told(seen.logits[:, FROM:], tokens),
        "weight of the first token": late[0],
        "of the 41st": late[PLACE],
        "nats, first hidden later": smollm.told(alone.logits[:, FROM:], tokens),
    }


def read(tokens, edits):
    return trace(smollm.model(), tokens, keep=["weights"], edits=edits)


def silent(layer):
    """The MLP of a layer adds nothing to the 41st token."""

    def change(x, _):
        x = x.clone()
        x[:, PLACE] = 0
        return x

    return Edit("from_mlp", change, [layer])


EXPERIMENT = Experiment(
    section="10.19",
    varies="the text, the book's prose or Python's manual; which token stands at the 41st place: "
    "that of the text, `<|endoftext|>`, or another that is frequent; and whether the "
    "MLP of layer 10, 11 or 12 adds anything to `<|endoftext|>`",
    held="two passages of 112 tokens; the 41st always sees all before it; weights and loss of the "
    "tokens from the 65th on, with the first token in sight, or hidden from them (*later*); "
    "layers counted from 0",
    control="a full stop and a newline in its place, and the MLPs of the layers beside the 11th",
    refuted="`<|endoftext|>` takes less than 0.05 of the weights in either text, or brings back "
    "less than a quarter of what it costs to hide the first; or one of the controls does as much",
    variants={
        "prose_as": "prose, as it is",
        "prose_end": "prose, the end of a text",
        "prose_stop": "prose, a full stop",
        "prose_newline": "prose, a newline",
        "manual_as": "manual, as it is",
        "manual_end": "manual, the end of a text",
        "prose_maker": "prose, the end of a text, without the MLP of layer 11",
        "prose_before": "prose, the end of a text, without that of layer 10",
        "prose_after": "prose, the end of a text, without that of layer 12",
    },
)
