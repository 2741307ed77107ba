"""Is it linear attention that fails when it is put into a real model untrained, or elu + 1?

Written down before the run; what made us ask were a few passages. Section 8.12 said that linear
attention agrees no better than equal weights *since its features were never trained*. But other
features need no training to come near the softmax: the random ones of Performer, exp(w·x − |x|²/2)
for w drawn from a Gaussian, have e^(q·k) for their mean. Predicted: 64 of them, in a state as large
as that of elu + 1, agree with the model's weights by 0.1 or more above equal weights, where elu + 1
does not, and cost at least half a nat less than elu + 1; with 1,024 the loss is lower again, and
still at least one nat above that of the softmax, since the scores of a trained model are large.
Refuted if 64 random features agree by less than 0.05 above equal weights in either text, so that it
was the training that they lacked, or if 1,024 cost less than half a nat, so that linear attention
can be put in place untrained.
"""

import functools

import smollm
import torch
import torch.nn.functional as F
from experiment import Experiment

from d2lattn import attention_weights, causal_mask

LENGTH, FROM, COUNT = 192, 96, 2
SEE = causal_mask(LENGTH)


def run(variant, seed, steps):
    """Nats of the second half of two passages, and how far weights agree with the model's."""
    text, _, kind = variant.partition("_")
    tokens = smollm.passages(seed, COUNT, LENGTH, text)
    weights = functools.partial(KINDS[kind], seed=seed)
    found = []

    def compare(heads, q, k, v):
        least = torch.minimum(weights(q, k), attention_weights(q, k, is_causal=True))
        found.append(least[:, :, FROM:].sum(-1).mean())
        return heads

    smollm.losses(tokens, *smollm.with_parts(compare))
    cheaper = smollm.with_parts(lambda heads, q, k, v: weights(q, k) @ v)
    return {
        "nats": smollm.nats(tokens, *cheaper, start=FROM),
        "agreement of the weights": torch.stack(found).mean(),
    }


def softmax(q, k, seed):
    return attention_weights(q, k, is_causal=True)


def equal(q, k, seed):
    return divided(torch.ones(*q.shape[:3], LENGTH))


def elu(q, k, seed):
    return divided((F.elu(q) + 1) @ (F.elu(k) + 1).mT)


def at_random(count):
    """Positive features of the exponential (Choromanski et al. 2021), one draw for all heads."""

    def features(x, w, largest):
        power = x @ w.T - x.pow(2).sum(-1, keepdim=True) / 2
        return (power - power.amax(largest, keepdim=True)).exp()  # a factor that divides out

    def weights(q, k, seed):
        width = q.shape[-1]
        w = torch.randn(count, width, generator=torch.Generator().manual_seed(seed))
        q, k = q / width**0.25, k / width**0.25
        return divided(features(q, w, -1) @ features(k, w, (-2, -1)).mT + 1e-30)

    return weights


def divided(products):
    """Shares of the keys so far, each row with the sum 1."""
    products = products * SEE
    return products / products.sum(-1, keepdim=True)


KINDS = {
    "softmax": softmax,
    "equal": equal,
    "elu": elu,
    "random_64": at_random(64),
    "random_1024": at_random(1024),
}
TEXTS = {"prose": "prose", "manual": "manual"}
WAYS = {
    "softmax": "softmax, as trained",
    "equal": "equal weights",
    "elu": "elu + 1, 64 features",
    "random_64": "64 random features of the exponential",
    "random_1024": "1,024 of them",
}
EXPERIMENT = Experiment(
    section="8.12",
    varies="the features by which all 30 layers attend, without any training for it; and the "
    "text, the book's prose or Python's manual",
    held="two passages of 192 tokens, as in real_cheaper_loss, the loss of the second half; the "
    "agreement, the sum over keys of the smaller of two weights, is that of the same queries and "
    "keys, those of the model as trained, in the mean of rows from the 97th on, heads and layers",
    control="equal weights, which look at no key, and the softmax itself, which agrees with 1",
    refuted="64 random features agree by less than 0.05 above equal weights in either text, or "
    "1,024 cost less than half a nat more than the softmax",
    variants={
        f"{t}_{kind}": f"{name}, {way}" for t, name in TEXTS.items() for kind, way in WAYS.items()
    },
)
