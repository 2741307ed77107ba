"""Does an idle head rest on the first token, whatever tells it the positions?"""

import pages
import torch
from experiment import Experiment

from d2lattn_book.real import trace
from d2lattn_book.real.edits import see

page = pages.functions("sinks")


def run(variant, seed, steps):
    """Where the weights go where nothing is asked, and what a window costs."""
    seed += 100  # none of the seeds of `sinks`
    made = page.texts(8192, torch.Generator().manual_seed(seed))
    sizes = dict(num_layers=1, num_heads=1, mlp_dim=0, positions=variant, max_len=32, seed=seed)
    model = page.Decoder(22, 32, **sizes)
    pairs = [(batch[:, :-1], batch[:, 1:]) for batch in made.split(32)]
    fit = dict(steps=steps, learning_rate=0.03)
    model = page.fit(model, lambda step: pairs[step % 256], **fit).model
    fresh = page.texts(128, torch.Generator().manual_seed(10**6 + seed))
    losses, weights = read(model, fresh, page.ALL)
    asked = (fresh[:, :-1] == page.AGAIN)[:, 8:]
    near = [
        read(model, fresh, page.NEAR | seen)[0] for seen in (page.columns < 0, page.columns < 1)
    ]
    first = weights[:, 8:, 0][~asked]
    return {
        "weight of the first": first.mean(),
        "above a half": first.mean().item() > 0.5,
        "of itself": weights.diagonal(0, 1, 2)[:, 8:][~asked].mean(),
        "loss": losses[:, 8:].mean(),
        "at *again*": losses[:, 8:][asked].mean(),
        "the window costs": (near[0] - losses)[:, 8:].mean(),
        "and with the first": (near[1] - losses)[:, 8:].mean(),
    }


@torch.no_grad()
def read(model, tokens, seen):
    """The page's `read`, for a model that may turn its queries and keys."""
    found = trace(model, tokens[:, :-1], keep=["weights"], edits=[see(seen & page.ALL.tril())])
    nats = torch.nn.functional.cross_entropy(found.logits.mT, tokens[:, 1:], reduction="none")
    return nats, found.weights[0][:, 0]


EXPERIMENT = Experiment(
    section="10.1",
    varies="what tells the positions: sinusoids, as on the page, a learned table, or RoPE",
    held="texts, sizes, learning rate and batches of the experiment `sinks`, with other seeds, 100 "
    "to 107; weights where nothing is asked, from the ninth position on",
    control="the page's sinusoids with seeds of which none was seen before: if the first token "
    "gets less than with the page's eight, these were lucky",
    refuted="with a learned table or RoPE the first token gets as much as with sinusoids",
    steps=300,
    plan={name: {1: 8, 2: 8} for name in ("sinusoidal", "learned", "rotary")},
    variants={"sinusoidal": "sinusoids", "learned": "a learned table", "rotary": "RoPE"},
)
