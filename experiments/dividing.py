"""Why does a model whose scores are not divided fail: by its start, or by its steps?

AdamW steps all weights by about the learning rate, Adafactor by a share of their size, so that a
smaller start is a smaller step as well. Dividing q·k by 8 is the same function of W_q and W_k as
dividing both by √8, and makes both start and step √8 smaller.
"""

import torch
from experiment import Experiment

from d2lattn.training import loss_of, rate
from d2lattn_book.language import next_word, words

WIDTH, BATCH, LEARNING_RATE, DECAY = 64, 32, 0.03, 0.1
ADAFACTOR_RATE = 0.1  # of a weight's size
DIVISORS = {"by_1": 1.0, "by_root": 8.0, "by_d": 64.0}
RATES = {"003": 0.003, "01": 0.01, "": LEARNING_RATE, "10": 0.1}
# name: how W_q and W_k start and how they step, as parts of the usual, and the optimiser
UNDIVIDED = {
    "start_step": ((8**-0.5, 8**-0.5), (8**-0.5, 8**-0.5), "AdamW"),
    "step": ((1, 1), (8**-0.5, 8**-0.5), "AdamW"),
    "t5_adamw": ((1 / 8, 1), (1, 1), "AdamW"),
    "adafactor": ((1, 1), (1, 1), "Adafactor"),
    "t5": ((1 / 8, 1), (1, 1), "Adafactor"),
}


def run(variant, seed, steps):
    """How many of the 20 held-out sentences it completes, and the loss on the others."""
    if variant.startswith("by"):
        by, divisor, *name = variant.split("_")
        options = dict(
            steps=steps, embed_dim=WIDTH, every=steps, learning_rate=RATES["".join(name)]
        )
        trained = next_word.train(seed, scale=1 / DIVISORS[f"{by}_{divisor}"], **options)
        model, seen, held_out = trained.model, trained.seen, trained.held_out
    else:
        model, seen, held_out = undivided(seed, steps, *UNDIVIDED[variant])
    right = round(20 * model.accuracy(held_out))
    return {"right of 20": right, "18 or more": right >= 18, "loss": model.loss(seen).item()}


def undivided(seed, steps, starts, parts, name):
    """`next_word.train` undivided, where W_q and W_k start and step as told."""
    model = next_word.NextWord(words.vocabulary(), WIDTH, scale=1.0, seed=seed)
    generator = torch.Generator().manual_seed(seed)
    seen, held_out = next_word._split(words.sentences(), generator)
    tokens, groups = model.encode(seen), _groups(model, starts, parts)
    if name == "AdamW":
        optimizer = torch.optim.AdamW(groups, lr=LEARNING_RATE, betas=(0.9, 0.98))
    else:
        optimizer = torch.optim.Adafactor(model.parameters(), lr=ADAFACTOR_RATE)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: rate(done, 0, steps))
    for _ in range(steps):
        some = tokens[torch.randint(len(tokens), (BATCH,), generator=generator)]
        loss = loss_of(model, some[:, :-1], some[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    return model.eval(), seen, held_out


def _groups(model, starts, parts):
    """Groups of weights for AdamW; who steps less keeps the share of it that decays in a step."""
    chosen = (model.head.q_proj.weight, model.head.k_proj.weight)
    others = [weight for weight in model.parameters() if all(weight is not one for one in chosen)]
    groups = [dict(params=others, weight_decay=DECAY)]
    for weight, start, part in zip(chosen, starts, parts, strict=True):
        weight.data *= start
        groups.append(dict(params=[weight], lr=LEARNING_RATE * part, weight_decay=DECAY / part))
    return groups


RATE_ROWS = {
    f"{by}_{name}": f"divided by {DIVISORS[by]:g}, learning rate {RATES[name]:g}"
    for name in ("003", "01", "10")
    for by in DIVISORS
}
EXPERIMENT = Experiment(
    section="3.2",
    varies="what q·k is divided by, and in the last rows the learning rate; undivided, how W_q and "
    "W_k start and step; the optimiser",
    held="sentences, width 64, batches of 32, learning rate (AdamW 0.03 if no other is named, "
    "Adafactor 0.1), the share of a weight that decays in a step of AdamW",
    control="undivided, with only the steps or only the start smaller: if one of them is enough, "
    "the other is idle; undivided with Adafactor: if that does well, T5's start is idle; undivided "
    "at smaller rates: if small steps alone do what dividing does, no divisor is needed",
    refuted="undivided, with W_q and W_k that start and step √8 smaller, fails as undivided does; "
    "at 0.003 or 0.01 d gets at least a sentence more right than √d, or at 0.1 it does not",
    steps=200,
    seeds=16,
    variants={
        "by_1": "undivided",
        "by_root": "divided by √d = 8",
        "by_d": "divided by d = 64",
        "start_step": "undivided, W_q and W_k start and step √8 smaller",
        "step": "undivided, W_q and W_k only step √8 smaller",
        "t5_adamw": "undivided, W_q only starts 8 times smaller",
        "adafactor": "undivided, Adafactor",
        "t5": "undivided, Adafactor, W_q starts 8 times smaller",
    }
    | RATE_ROWS,
    plan={name: {1: 16, 2: 16, 5: 16} for name in (*DIVISORS, *UNDIVIDED)}
    | {name: {5: 8} for name in RATE_ROWS},
)
