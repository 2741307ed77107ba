"""Is it the thinning of the softmax that costs answers among many words, and does log n help?"""

import math

import torch
import torch.nn.functional as F
from experiment import Experiment
from torch import nn

LEADS = {"lead": 0.1, "anywhere": 0.0}
FACTORS = {f"times {c}": c for c in (1.5, 2.5, 10)}  # constants, whatever n is


class Largest(nn.Module):
    """Which of ten letters stands next to the largest number? x: (B, n, 1 + 10)."""

    def __init__(self):
        super().__init__()
        self.read = nn.Sequential(nn.Linear(11, 32), nn.GELU(), nn.Linear(32, 32))
        self.score, self.answer = nn.Linear(32, 1), nn.Linear(32, 10)

    def forward(self, x, how="softmax"):
        h = self.read(x)  # (B, n, 32)
        scores = self.score(h)  # (B, n, 1)
        factor = math.log(x.shape[1]) / math.log(16) if how == "log n" else FACTORS.get(how, 1)
        P = (factor * scores).softmax(1)
        if how == "largest alone":
            P = F.one_hot(scores.argmax(1), x.shape[1]).mT.float()
        return self.answer(F.gelu((P * h).sum(1))), P


def ask(n, lead, generator, size):
    numbers = (1 - lead) * torch.rand(size, n, generator=generator)
    numbers[:, 0] = 1 if lead else numbers[:, 0]  # the order of the tokens plays no part
    letters = torch.randint(10, (size, n), generator=generator)
    answers = letters.gather(1, numbers.argmax(1)[:, None])[:, 0]
    return torch.cat([numbers[..., None], F.one_hot(letters, 10)], dim=2), answers


def train_largest(lead, seed, steps):
    torch.manual_seed(seed)
    model, generator = Largest(), torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), 3e-3)
    fall = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for _ in range(steps):
        x, answers = ask(16, lead, generator, size=128)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x)[0], answers)
        loss.backward()
        optimizer.step()
        fall.step()
    return model


@torch.no_grad()
def weight_and_right(model, n, lead, how, size=400):
    """The mean of the largest attention weight, and the fraction of right answers."""
    x, answers = ask(n, lead, torch.Generator().manual_seed(n), size)
    logits, P = model(x, how)
    return P.amax(1).mean().item(), (logits.argmax(1) == answers).float().mean().item()


def run(variant, seed, steps):
    """Largest weights and right answers among 16 and 1,024 words, for each way to weigh."""
    lead = LEADS[variant]
    model = train_largest(lead, seed, steps)
    found = {}
    for n, how in ((16, "softmax"), (1024, "softmax"), (1024, "log n")):
        weight, right = weight_and_right(model, n, lead, how)
        found |= {f"weight, {how}, {n}": weight, f"right, {how}, {n}": right}
    controls = [(1024, "largest alone")]
    controls += [(n, f"times {c}") for c in (1.5, 2.5, 10) for n in (16, 1024)]
    for n, how in controls:
        found[f"right, {how}, {n}"] = weight_and_right(model, n, lead, how)[1]
    return found


EXPERIMENT = Experiment(
    section="10.16",
    varies="whether the largest number is 1 and all others below 0.9, or all lie between 0 and 1",
    held="one head without places, trained on 16 words with a letter and a number each; tested on "
    "400 sets; log n means scores times log n / log 16, in the test alone",
    control="all of the weight on the largest score, which cannot thin out: if it is wrong as "
    "well, thinning is not what costs the answers; a constant factor at all n in the place of log "
    "n (log 1024 / log 16 is 2.5): if it brings as many answers back, and costs none among 16, it "
    "is not the logarithm that does it",
    refuted="where the largest leads, log n leaves the answers as wrong as they are; or where the "
    "numbers lie anywhere, it brings all of them back",
    steps=400,
    variants={"lead": "the largest leads by 0.1", "anywhere": "anywhere between 0 and 1"},
)
