"""What does a sink hang on, and when does a head that may say nothing fall silent?"""

import pages
import torch
from experiment import Experiment

page = pages.functions("sinks")
OPTIONS = {
    "one": dict(sink_logit=True, train_sink=False, rate=0.01),
    "mlp": dict(mlp_dim=64),
    "moved": {},
}


def run(variant, seed, steps):
    """Where the weights go, and the losses without a window and with it."""
    tokens = torch.cat([texts(variant, n, s) for n, s in ((8192, seed), (128, 10**6 + seed))])
    model = trained(tokens[:8192], seed, steps, **OPTIONS[variant])
    fresh = tokens[8192:]
    losses, weights = page.read(model, fresh, page.ALL)
    asked = (fresh[:, :-1] == page.AGAIN)[:, 8:]
    start = (weights * (fresh[:, :-1] == page.FIRST)[:, None]).sum(-1)[:, 8:]
    return {
        "weight of the start": start[~asked].mean(),
        "of first place": weights[:, 8:, 0][~asked].mean(),
        "loss": losses[:, 8:].mean(),
        "last 8": page.read(model, fresh, page.NEAR)[0][:, 8:].mean(),
        "and first": page.read(model, fresh, page.NEAR | (page.columns == 0))[0][:, 8:].mean(),
        "at *again*": losses[:, 8:][asked].mean(),
    }


def texts(variant, count, seed):
    """(count, 33): as on the page, or with the start token elsewhere."""
    generator = torch.Generator().manual_seed(seed)
    made = page.texts(count, generator)
    if variant == "moved":  # 1 to 7 words of another text stand before it
        before = page.texts(count, generator, first=False)
        place = torch.arange(33) - torch.randint(1, 8, (count, 1), generator=generator)
        made = before.where(place < 0, made.gather(1, place.clamp(min=0)))
    return made


def trained(tokens, seed, steps, rate=0.03, train_sink=True, mlp_dim=0, **options):
    """The page's `trained` with another rate, MLP or texts."""
    sizes = dict(num_layers=1, num_heads=1, mlp_dim=mlp_dim, positions="sinusoidal", seed=seed)
    model = page.Decoder(22, 32, **sizes, **options)
    if not train_sink:
        model.blocks[0].attention.sink.requires_grad_(False)
    pairs = [(batch[:, :-1], batch[:, 1:]) for batch in tokens.split(32)]
    fit = dict(steps=steps, learning_rate=rate)
    return page.fit(model, lambda step: pairs[step % 256], **fit).model


EXPERIMENT = Experiment(
    section="10.1",
    varies="one thing each: one added to the sum and the learning rate, 0.01 instead of 0.03; an "
    "MLP; the place of the start token",
    held="texts, sizes and batches of the experiment `sinks`; weights where nothing is asked, from "
    "the ninth place on",
    control="each is one: if the sink stays with all of them, it hangs on none; if one added stays "
    "silent at *again* with 0.01, its silence is not the learning rate",
    refuted="the first place keeps the sink when the start token stands elsewhere",
    steps=300,
    variants={
        "one": "learning rate 0.01, one added to the sum",
        "mlp": "an MLP of width 64",
        "moved": "the start token at place 2 to 8",
    },
)
