"""Where does a head look that has nothing to look up, and what does a window take from it?"""

import pages
import torch
from experiment import Experiment

page = pages.functions("sinks")
OPTIONS = {
    "plain": {},
    "bare": dict(first=False),
    "window": dict(window=8),
    "gate": dict(gate=True),
    "logit": dict(sink_logit=True),
    "one": dict(sink_logit=True, train_sink=False),
}


def run(variant, seed, steps):
    """Losses of one model under masks, and where its weights go."""
    options = OPTIONS[variant]
    model = page.trained(seed, steps, **options)
    made = page.texts(
        128, torch.Generator().manual_seed(10**6 + seed), first="first" not in options
    )
    seen = page.NEAR if variant == "window" else page.ALL
    losses, weights = page.read(model, made, seen)
    tokens = made[:, :-1]
    called = tokens == page.AGAIN
    idle, called = ((where & (torch.arange(32) >= 8)) for where in (~called, called))

    def late(seen):
        return page.read(model, made, seen)[0][:, 8:].mean().item()

    found = {
        "weight of the first": weights[..., 0][idle].mean().item(),
        "loss": late(seen),
        "at *again*": losses[called].mean().item(),
        "last 8": late(page.NEAR),
        "and first": late(page.NEAR | (page.columns == 0)),
        "and second": late(page.NEAR | (page.columns == 1)),
        "last 9": late(page.rows[:, None] - page.columns < 9),
    }
    return found | values(model, tokens, lambda: late(seen))


def values(model, tokens, loss):
    """How long the first value is in lengths of the others; the loss when it is 0, and as long."""
    attention = model.blocks[0].attention
    with torch.no_grad():
        x = model.blocks[0].attention_norm(model.position(model.embedding(tokens)))
        lengths = attention.v_proj(x).norm(dim=-1)
    ratio = (lengths[:, 0].mean() / lengths[:, 1:].mean()).item()
    found = {}
    for name, factor in (("value 0", 0.0), ("value as long", 1 / ratio)):

        def scale(module, inputs, output, factor=factor):
            kept = output.clone()
            kept[:, 0] *= factor
            return kept

        handle = attention.v_proj.register_forward_hook(scale)
        found[name] = loss()
        handle.remove()
    return found


EXPERIMENT = Experiment(
    section="10.1",
    varies="what the model is trained with: the start token, a window of 8, a gate after "
    "attention, a learned sink logit, a softmax with one added",
    held="the table of followers, one layer with one head of width 32 without MLP, sinusoidal "
    "positions, learning rate 0.03, batches of 32 texts of 33 tokens; 128 new texts, losses and "
    "weights from the ninth place on",
    control="the second token in place of the first beside the window, and a window of 9: if one "
    "of them repairs the loss as well, any one key more would do; the value of the first token "
    "made 0, and as long as the others: if both cost nothing, its shortness says nothing; a model "
    "trained with the window: if it is as bad, the window hides what is needed",
    refuted="the window costs as much with the first token as without it, or nothing",
    steps=300,
    variants={
        "plain": "as on the page",
        "bare": "texts without a first token",
        "window": "trained with a window of 8",
        "gate": "a gate",
        "logit": "a learned sink logit",
        "one": "one added to the sum",
    },
)
