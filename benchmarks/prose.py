"""A text worth reading: the decoder of chapter 9, larger and trained longer, on Python's manual.

The text of chapter 9's last section: what Python's `help()` has to say, in pydoc_data.topics,
without its tables, its code and its indentation. Versions of Python differ a little.
"""

import sys
from pydoc_data.topics import topics

import torch
import torch.nn.functional as F
from results import table

from d2lattn import Decoder, fit, generate

TITLE = "A text that somebody wrote"
ON = ("processor",)
STEPS, LENGTH, ROWS = 2500, 128, 16
SHOWN = (50, 500, 2500)
SIZES = dict(num_layers=4, num_heads=4, positions="rotary", window=64, dropout=0.2)
START, LETTERS, TEMPERATURE = "The ", 400, 0.5
INTRODUCTION = (
    "A decoder of chapter 9 reads the prose behind Python's `help()` letter by letter: "
    f"{SIZES['num_layers']} layers of width 128, {SIZES['num_heads']} heads that see "
    f"{SIZES['window']} letters, rotary positions, dropout {SIZES['dropout']}, "
    f"{STEPS:,} steps of {ROWS} times {LENGTH} letters, learning rate 0.003, seed 0. The last "
    f"tenth of the text is held out. At temperature {TEMPERATURE} it goes on from "
    f"*{START.strip()}*, once, with seed 0. On a core of its own the training takes ten minutes."
)


def prose():
    """The paragraphs that are sentences: mostly small letters and spaces, and a full stop."""
    paragraphs = "\n\n".join(topics[name] for name in sorted(topics)).split("\n\n")
    joined = (" ".join(paragraph.split()) for paragraph in paragraphs)
    return "\n".join(line for line in joined if line.endswith(".") and _is_prose(line))


def _is_prose(line):
    return sum(c.islower() or c == " " for c in line) > 0.9 * len(line)


def measure_part(quick, device):
    """The loss on what it has not read and what it writes, at some steps of one training."""
    text = prose()
    letters = sorted(set(text))
    codes = torch.tensor(list(map({c: i for i, c in enumerate(letters)}.get, text)))
    told, untold = codes.tensor_split([len(codes) * 9 // 10])
    rows, generator = told.unfold(0, LENGTH + 1, 1), torch.Generator().manual_seed(0)

    def batch(step):
        some = rows[torch.randint(len(rows), (ROWS,), generator=generator)]
        return some[:, :-1], some[:, 1:]

    model = Decoder(len(letters), 32 if quick else 128, **SIZES).to(device)
    steps, shown = (2, (1, 2)) if quick else (STEPS, SHOWN)
    run = fit(model, batch, steps=steps, learning_rate=3e-3, every=shown[0])
    return {
        "Python": ".".join(map(str, sys.version_info[:2])),
        "letters": len(codes),
        "weights": sum(p.numel() for p in model.parameters()),
        "counted": counted(told, untold, len(letters)),
        "written": {
            step: told_by(run.snapshots[step], untold, letters, LETTERS // (10 if quick else 1))
            for step in shown
        },
    }


def counted(told, untold, count):
    """Nats a letter of who only counts how often a letter follows the letter before."""
    single = torch.bincount(told, minlength=count) + 1
    pairs = torch.zeros(count, count) + single / single.sum()
    pairs.index_put_((told[:-1], told[1:]), torch.ones(len(told) - 1), accumulate=True)
    pairs = pairs / pairs.sum(-1, keepdim=True)
    return -pairs[untold[:-1], untold[1:]].log().mean().item()


@torch.no_grad()
def told_by(model, untold, letters, count):
    """Nats a letter on the last tenth, and a text."""
    device = model.embedding.weight.device
    x, y = (part.unfold(0, LENGTH, LENGTH) for part in (untold[:-1], untold[1:]))
    logits = torch.cat([model(some.to(device)).cpu() for some in x.split(50)])
    start = torch.tensor([[letters.index(c) for c in START]], device=device)
    how = dict(temperature=TEMPERATURE, generator=torch.Generator().manual_seed(0))
    row = generate(model, start, steps=count, **how)[0]
    return {
        "nats": F.cross_entropy(logits.flatten(0, 1), y.flatten()).item(),
        "text": "".join(letters[i] for i in row.tolist()),
    }


def section(data):
    written = data["written"]
    rows = [[step, f"{found['nats']:.2f}"] for step, found in written.items()]
    rows = [["none, pairs of letters counted", f"{data['counted']:.2f}"], *rows]
    last = list(written.values())[-1]["text"]
    return "\n\n".join(
        [
            f"{data['letters']:,} letters of Python {data['Python']}, {data['weights']:,} weights.",
            table(["steps", "nats a letter"], rows),
            "What it writes after the last step:",
            f"```text\n{last}\n```",
        ]
    )
