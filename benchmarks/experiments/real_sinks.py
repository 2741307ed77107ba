"""Does a real model need its first token, its value or only a place to rest on?"""

import real
import torch
from experiment import Experiment

from d2lattn_book.real import trace
from d2lattn_book.real.edits import Edit, hide, see, values_off

LENGTH, WINDOW = 160, 32
rows, columns = torch.arange(LENGTH)[:, None], torch.arange(LENGTH)
ALL = columns <= rows
NEAR = ALL & (columns > rows - WINDOW)
LATE = rows >= WINDOW  # the first 32 tokens read as ever


def later(*hidden):
    """These keys are hidden from the later tokens; the first 32 tokens read as ever."""
    return see(ALL & ~(LATE & torch.isin(columns, torch.tensor(hidden))))


def window(*kept):
    """The last 32 tokens, and some of the first."""
    return see(NEAR | (ALL & torch.isin(columns, torch.tensor(kept))))


EDITS = {
    "all": [],
    "window": [window()],
    "window_first": [window(0)],
    "window_second": [window(1)],
    "window_ninth": [window(8)],
    "window_four": [window(0, 1, 2, 3)],
    "hidden_first": [hide(0)],
    "hidden_two": [hide(0, 1)],
    "hidden_eight": [hide(*range(8))],
    "later_first": [later(0)],
    "later_second": [later(1)],
    "later_ninth": [later(8)],
    "later_two": [later(0, 1)],
    "later_seven": [later(*range(1, 8))],
    "value_first": [values_off(0)],
    "value_ninth": [values_off(8)],
}


def run(variant, seed, steps):
    """The loss of the tokens after the 32nd, where their weights go, and a value's length."""
    tokens = real.passages(seed, 3, LENGTH)
    edits = for_others(tokens) if variant == "value_for_others" else EDITS[variant]
    lengths = []

    def measure(value, layer):
        norms = value.norm(dim=-1)  # (B, Hkv, S)
        lengths.append((norms[..., 0] / norms[..., 8:].median(-1).values).mean())
        return value

    edits = [*edits, Edit("value", measure)]
    late = slice(WINDOW, None)
    seen = trace(real.model(), tokens, keep=["weights"], rows=late, edits=edits)
    told = seen.logits[:, :-1].log_softmax(-1).gather(2, tokens[:, WINDOW + 1 :, None])
    weights = seen.weights.mean((1, 3))  # (layers, H, S), the mean of texts and rows
    return {
        "nats": -told.mean(),
        "weight of token 1": weights[..., 0].mean(),
        "in the first two layers": weights[:2, :, 0].mean(),
        "heads that give it half, %": 100 * (weights[..., 0] > 0.5).double().mean(),
        "weight of token 2": weights[..., 1].mean(),
        "of token 3": weights[..., 2].mean(),
        "of token 9": weights[..., 8].mean(),
        "value of token 1 ÷ others": torch.stack(lengths).mean(),
    }


def for_others(tokens):
    """The value of the first token is 0 for the others, and its own stream is as it was."""
    stream = trace(real.model(), tokens, keep=["stream"]).stream

    def as_it_was(x, layer):
        x = x.clone()
        x[:, 0] = stream[layer][:, 0]
        return x

    return [values_off(0), Edit("stream", as_it_was)]


EXPERIMENT = Experiment(
    section="10.1",
    varies="what the tokens after the 32nd see: all, a window of the last 32, a window and some of "
    "the first tokens, all but some; or whose value is 0. *Hidden from all* means from the second "
    "token on, *hidden later* that the first 32 tokens read as ever",
    held="three passages of 160 tokens; the loss and the weights of the tokens after the 32nd; "
    "values longer or shorter than the median from the ninth on",
    control="the second and the ninth token in the place of the first: if a window with one of "
    "them, or without one of them, is worth as much, any key more or less would do",
    refuted="hiding the first token from the later ones costs no more than hiding the second",
    variants={
        "all": "all in sight",
        "window": "the last 32",
        "window_first": "the last 32 and the first token",
        "window_second": "the last 32 and the second",
        "window_ninth": "the last 32 and the ninth",
        "window_four": "the last 32 and the first four",
        "hidden_first": "the first hidden from all",
        "hidden_two": "the first two hidden from all",
        "hidden_eight": "the first eight hidden from all",
        "later_first": "the first hidden later",
        "later_second": "the second hidden later",
        "later_ninth": "the ninth hidden later",
        "later_two": "the first two hidden later",
        "later_seven": "the second to eighth hidden later",
        "value_first": "the value of the first is 0",
        "value_for_others": "the same, its own stream as it was",
        "value_ninth": "the value of the ninth is 0",
    },
    run=run,
    steps=None,
    seeds=8,
)
