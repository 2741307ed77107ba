"""Does a real model need its first token, its value or only a place to rest on?"""

import smollm
import torch
from experiment import Experiment

from d2lattn_book.real import trace
from d2lattn_book.real.edits import Edit, hide, see, values_off

LENGTH, WINDOW = 160, 32
rows, columns = torch.arange(LENGTH)[:, None], torch.arange(LENGTH)
ALL = columns <= rows
NEAR = ALL & (columns > rows - WINDOW)
LATE = rows >= WINDOW  # the first 32 tokens read as ever


def later(hidden):
    """This key is hidden from the later tokens; the first 32 tokens read as ever."""
    return see(ALL & ~(LATE & (columns == hidden)))


def window(*kept):
    """The last 32 tokens, and some of the first."""
    return see(NEAR | (ALL & torch.isin(columns, torch.tensor(kept))))


EDITS = {
    "all": [],
    "window": [window()],
    "window_first": [window(0)],
    "window_second": [window(1)],
    "window_ninth": [window(8)],
    "hidden_first": [hide(0)],
    "later_first": [later(0)],
    "later_second": [later(1)],
    "value_first": [values_off(0)],
}


def run(variant, seed, steps):
    """The loss of the tokens after the 32nd, where their weights go, and a value's length."""
    text, change = smollm.text_and_change(variant)
    tokens, lengths = smollm.passages(seed, dict(prose=3, manual=2)[text], LENGTH, text), []

    def measure(value, layer):
        norms = value.norm(dim=-1)  # (B, Hkv, S)
        lengths.append((norms[..., 0] / norms[..., 8:].median(-1).values).mean())
        return value

    edits, late = [*EDITS[change], Edit("value", measure)], slice(WINDOW, None)
    seen = trace(smollm.model(), tokens, keep=["weights"], rows=late, edits=edits)
    weights = seen.weights.mean((1, 3))  # (layers, H, S), the mean of texts and rows
    return {
        "nats": smollm.told(seen.logits, tokens),
        "weight of token 1": weights[..., 0].mean(),
        "heads that give it half, %": 100 * (weights[..., 0] > 0.5).double().mean(),
        "weight of token 2": weights[..., 1].mean(),
        "value of token 1 ÷ others": torch.stack(lengths).mean(),
    }


EXPERIMENT = Experiment(
    section="10.1",
    varies="what the tokens after the 32nd see: all, a window of the last 32, a window and one of "
    "the first tokens, all but one; or whose value is 0; and the text, the book's prose or "
    "Python's manual. *Hidden from all* means from the second token on, *hidden later* that the "
    "first 32 tokens read as ever",
    held="three passages of 160 tokens of the prose, two of the manual; the loss and the weights "
    "of the tokens after the 32nd; values longer or shorter than the median from the ninth on",
    control="the second and the ninth token in the place of the first: if a window with one of "
    "them, or without one of them, is worth as much, any key more or less would do",
    refuted="hiding the first token from the later ones costs no more than hiding the second",
    variants={
        "all": "all in sight",
        "window": "the last 32",
        "window_first": "the last 32 and the first token",
        "window_second": "the last 32 and the second",
        "window_ninth": "the last 32 and the ninth",
        "hidden_first": "the first hidden from all",
        "later_first": "the first hidden later",
        "later_second": "the second hidden later",
        "value_first": "the value of the first is 0",
        "manual_all": "manual, all in sight",
        "manual_window": "manual, the last 32",
        "manual_window_first": "manual, the last 32 and the first token",
    },
)
