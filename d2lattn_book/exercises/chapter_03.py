"""Exercises of chapter 3: scaling and masking."""

import math

import torch

from d2lattn.attention import masked_softmax
from d2lattn.masks import causal_mask, length_mask
from d2lattn_book.exercises.checking import (
    WRITE_YOUR_OWN,
    FunctionExercise,
    OpenExercise,
    ValueExercise,
    calls,
    is_starter,
    noise,
)


def _heads():
    """Queries (H, L, D) and keys (H, S, D), all sizes different."""
    sizes = (3, 5, 7, 2), (2, 4, 6, 5), (3, 2, 5, 16)
    return [[2 * x for x in noise((H, L, D), (H, S, D))] for H, L, S, D in sizes]


def _scores_and_masks():
    """Scores (L, S) and masks that leave every query a key."""
    first, second = noise((5, 7), (2, 4, 6))
    return [
        (3 * first, causal_mask(5, 7, align="top-left")),
        (3 * second, length_mask([2, 5], 6)),
        # A hidden key that would take all the weight, and scores below any usual fill.
        (torch.tensor([[1.0, 2.0, 300.0]]), torch.tensor([[True, True, False]])),
        (torch.tensor([[-2e10, -4e10, -3e10]]), torch.tensor([[True, True, False]])),
        (torch.tensor([[1.0, 2.0, 1e6]]), torch.tensor([[True, True, False]])),
        (torch.tensor([[0.0, 1.0, 2.0]]), torch.tensor([[True, True, False]])),  # a visible 0
    ]


def _lengths():
    cases = ([6, 4, 1], 6, 3), ([2, 5], 5, 2), ([7], 7, 1)
    return [(torch.tensor(lengths), n, width) for lengths, n, width in cases]


A_SCORE_OF_0 = (
    "You also hide visible keys whose score happens to be 0. Test the mask, not the score."
)


def _judge_safe_softmax(softmax):
    """Values, huge scores, a row without keys and the gradient of such a row, in this order."""
    if not callable(softmax):
        return f"a function is expected, got {type(softmax).__name__}"
    (scores,) = noise((2, 5, 7))
    scores[:, 3, 1] = 0  # visible in both masks
    masks = {
        "every query has a key": causal_mask(5, 7, align="top-left"),
        "query 2 has no key": causal_mask(5, 7, align="top-left") & (torch.arange(5) != 2)[:, None],
    }
    for where, mask in masks.items():
        for size in (1.0, 1e4):
            inputs = (size * scores).requires_grad_()
            given = inputs.clone(), mask.clone()
            weights = softmax(*given)
            if not torch.is_tensor(weights) or weights.shape != scores.shape:
                return "Return a tensor of the same shape as the scores."
            wanted = masked_softmax(size * scores, mask)
            if weights.isnan().any() and size > 1:
                return "exp overflows for scores of ±10,000: NaN. Subtract the largest score."
            if weights.isnan().any():
                return f"You get NaN where {where}, from exp(-inf - (-inf)) or 0 / 0."
            if not torch.allclose(weights, wanted, atol=1e-5):
                without_0 = masked_softmax(size * scores, mask & (scores != 0))
                if torch.allclose(weights, without_0, atol=1e-5):
                    return A_SCORE_OF_0
                return f"the weights are wrong where {where}, for scores of size {size:.0f}"
            if not all(map(torch.equal, given, (inputs, mask))):
                return "The result is right, but your function changes its input. Work on a copy."
            weights.square().sum().backward()
            if not inputs.grad.isfinite().all():
                return (
                    f"The weights are right, but their gradient is NaN where {where}. "
                    "Replace the row's scores before the exponential, not after it."
                )
    biased = torch.full((2, 3), -math.inf).requires_grad_()
    weights = softmax(biased * 1.0, torch.ones(2, 3, dtype=torch.bool))
    weights.sum().backward()
    if not (weights == 0).all() or not biased.grad.isfinite().all():
        return "Scores that are all -inf (an additive mask) must give 0 and a finite gradient."
    found = calls("softmax")(softmax, scores, mask)
    return found and f"The result is right, but {found} computes it. Use exp and a sum."


# The chapter's solutions; a mistake is an edit of one of them


def head_weights(query, key):
    scores = query @ key.mT / math.sqrt(query.shape[-1])  # (H, L, S)
    return torch.softmax(scores, dim=-1)


def my_masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)


def decoder_mask(valid_lens, n, width):
    i, j = torch.arange(n)[:, None], torch.arange(n)  # (n, 1), (n,)
    is_real = j < valid_lens[:, None, None]  # (B, 1, n)
    return is_real & (j <= i) & (i - j < width)


WHOLE = "return torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)"

COLUMNS = "Your softmax runs over the queries, so columns sum to 1. Use dim=-1, the keys."
MISTAKES: dict[str, dict] = {
    "3.1": {
        "36 assumes components of variance 1. What is the variance of q's components?": 36,
        "12 counts the smaller variance once. Both q and k have it.": 12,
        "You found the standard deviation. Square it.": 2,
        "1/9 is the variance of one product of components. q·k adds 36 of them.": 1 / 9,
        "1/3 is the variance of one component of q. q·k adds 36 products.": 1 / 3,
        "48/9 sums over the width of the tokens. q and k have the width of the head.": 48 / 9,
    },
    "3.2": {
        "You divided by d. Divide by √d.": {"math.sqrt(query.shape[-1])": "query.shape[-1]"},
        "You used the square root of the model's width. Use the width of a head.": {
            "sqrt(": "sqrt(len(query) * "
        },
        "You used the square root of the number of heads. Use the width of a head.": {
            "query.shape[-1]": "len(query)"
        },
        "The scores are unscaled. Divide them by √d.": {" / math.sqrt(query.shape[-1])": ""},
        "You multiplied the scores by √d. Divide them.": {"/ math": "* math"},
        COLUMNS: {"dim=-1": "dim=-2"},
        "Your softmax runs over the heads. Use dim=-1, the keys.": {"dim=-1": "dim=0"},
        "These are scores. Apply the softmax.": {"torch.softmax(scores, dim=-1)": "scores"},
    },
    "3.3": {
        "Rows don't sum to 1, because you apply the mask after the softmax. Apply it to the "
        "scores, before the softmax.": {
            "scores.masked_fill(~mask, -math.inf), dim=-1)": "scores, dim=-1) * mask"
        },
        "You mask after the softmax and rescale. That gives 0/0 when a masked key had all the "
        "weight. Mask the scores instead.": {
            WHOLE: "w = scores.softmax(-1) * mask; return w / w.sum(-1, keepdim=True)"
        },
        "exp(300) overflows to infinity, and infinity times 0 is NaN. Mask the scores before "
        "you take the exponential.": {
            WHOLE: "e = scores.exp() * mask; return e / e.sum(dim=-1, keepdim=True)"
        },
        "True and False are swapped: True means *may attend*.": {"~mask": "mask"},
        COLUMNS: {"dim=-1": "dim=-2"},
        "dim=1 is the last axis only when there are two. Use dim=-1.": {"dim=-1": "dim=1"},
        "0 times −inf is NaN, so adding `~mask * -inf` spoils every visible key. Use "
        "`masked_fill`.": {"scores.masked_fill(~mask, -math.inf)": "scores + ~mask * -math.inf"},
        "You set masked scores to 0, but exp(0) = 1, so masked keys still get weight. Set them "
        "to −inf.": {"-math.inf": "0"},
        "Real scores can be lower than the number you fill in; one of our cases has −2e10. Use "
        "−inf.": {"-math.inf": "-1e9"},
        "You subtract 10,000, but one masked score is 1,000,000 and still wins. Replace the "
        "score with −inf instead of subtracting.": {
            "scores.masked_fill(~mask, -math.inf)": "scores + ~mask * -10000"
        },
        A_SCORE_OF_0: {
            WHOLE: "s = scores * mask; return s.masked_fill(s == 0, -math.inf).softmax(-1)"
        },
    },
    "3.4": {
        "True and False are swapped: True means *may attend*.": {
            "return is_real & ": "return ~(is_real & ",
            "< width)": "< width))",
        },
        "Your queries attend to later keys only. Use j ≤ i, not j ≥ i.": {"j <= i": "j >= i"},
        "i − j < width holds for every later key, too. Add j ≤ i.": {" & (j <= i)": ""},
        "The future is visible: your window reaches both ways. Add j ≤ i.": {
            " & (j <= i)": "",
            "(i - j < width)": "((i - j).abs() < width)",
        },
        "Your window is one key too wide. The query's own position counts as one of `width`.": {
            "i - j < width": "i - j <= width"
        },
        "Your window is one key too narrow.": {"i - j < width": "i - j < width - 1"},
        "Your mask has no window. Add i − j < width.": {" & (i - j < width)": ""},
        "One padding key is visible: use j < valid_len.": {"j < valid": "j <= valid"},
        "Padding is visible. Add j < valid_len.": {"j < valid_lens": "j < n + 0 * valid_lens"},
        "You hide padding queries. Hide padding keys.": {"j < valid": "i < valid"},
        "Your queries do not attend to themselves. Use j ≤ i, not j < i.": {"j <= i": "j < i"},
    },
    "3.6": {
        "Row 4 of layer 1 keeps its query and its bag of keys: write 0.": 2 * [[0, 1, 1, 1, 1]],
        "Row 4 of layer 2 attends to rows 1 to 3, which have changed.": 2 * [[0, 1, 1, 1, 0]],
        "Row 2 stands between the two: it now sees another token.": 2 * [[0, 1, 0, 1, 0]],
    },
}
EXERCISES = {
    "3.1": ValueExercise(lambda: 4, MISTAKES["3.1"]),
    "3.2": FunctionExercise(head_weights, _heads, MISTAKES["3.2"]),
    "3.3": FunctionExercise(my_masked_softmax, _scores_and_masks, MISTAKES["3.3"]),
    "3.4": FunctionExercise(decoder_mask, _lengths, MISTAKES["3.4"], WRITE_YOUR_OWN),
    "3.5": OpenExercise(
        _judge_safe_softmax,
        lambda answer: callable(answer) and is_starter(answer, *_scores_and_masks()[0]),
    ),
    "3.6": ValueExercise(lambda: [[0, 1, 1, 1, 0], [0, 1, 1, 1, 1]], MISTAKES["3.6"]),
}
