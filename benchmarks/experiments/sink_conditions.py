"""What does a sink hang on, and when does a head that may say nothing fall silent?"""

import pages
import torch
from experiment import Experiment

page = pages.functions("sinks")
SLOW = dict(rate=0.01)
OPTIONS = {
    "plain": SLOW,
    "logit": dict(sink_logit=True) | SLOW,
    "one": dict(sink_logit=True, train_sink=False) | SLOW,
    "mlp": dict(mlp_dim=64),
    "moved": {},
    "never": {},
}


def run(variant, seed, steps):
    """Where the weights go, and the losses without a window and with it."""
    tokens = torch.cat([texts(variant, n, s) for n, s in ((8192, seed), (128, 10**6 + seed))])
    model = trained(tokens[:8192], seed, steps, **OPTIONS[variant])
    fresh = tokens[8192:]
    losses, weights = page.read(model, fresh, page.ALL)
    asked = (fresh[:, :-1] == page.AGAIN)[:, 8:]
    start = (weights * (fresh[:, :-1] == page.FIRST)[:, None]).sum(-1)[:, 8:]
    found = {
        "weight of the start": start[~asked].mean(),
        "of first place": weights[:, 8:, 0][~asked].mean(),
        "loss": losses[:, 8:].mean(),
        "last 8": page.read(model, fresh, page.NEAR)[0][:, 8:].mean(),
        "and first": page.read(model, fresh, page.NEAR | (page.columns == 0))[0][:, 8:].mean(),
    }
    if asked.any():
        found["at *again*"] = losses[:, 8:][asked].mean()
    return found | {"at *again*": found.get("at *again*", torch.tensor(0.0))}


def texts(variant, count, seed):
    """(count, 33): as on the page, with the start token elsewhere, or without *again*."""
    generator = torch.Generator().manual_seed(seed)
    made = page.texts(count, generator)
    if variant == "moved":  # 1 to 7 words of another text stand before it
        before = page.texts(count, generator, first=False)
        place = torch.arange(33) - torch.randint(1, 8, (count, 1), generator=generator)
        made = before.where(place < 0, made.gather(1, place.clamp(min=0)))
    for i in range(1, 33 if variant == "never" else 0):
        made[:, i] = page.FOLLOWS[made[:, i - 1]].multinomial(1, generator=generator)[:, 0]
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
    varies="one thing each: the learning rate, 0.01 instead of 0.03 (plain, with a sink logit, "
    "with one added); an MLP; the place of the start token; texts in which nothing is ever asked",
    held="texts, sizes and batches of the experiment `sinks`; weights where nothing is asked, from "
    "the ninth place on",
    control="each is one: if the sink stays with all of them, it hangs on none; if a logit or one "
    "added stays silent at *again* with 0.01, its silence is not the learning rate",
    refuted="a head that is asked nothing at all has the sink as well, or the first place keeps it "
    "when the start token stands elsewhere",
    steps=300,
    seeds=8,
    variants={
        "plain": "learning rate 0.01",
        "logit": "learning rate 0.01, a learned sink logit",
        "one": "learning rate 0.01, one added to the sum",
        "mlp": "an MLP of width 64",
        "moved": "the start token at place 2 to 8",
        "never": "texts without *again*",
    },
    run=run,
)
