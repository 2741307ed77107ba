"""How fast live figures mount and follow a hand, in Chromium: the tests marked speed measure it.

Milliseconds, as those tests print them. An idle machine, and `make bench PART=browser`.
"""

import re
import subprocess
import sys
import time

import torch
import torch.nn.functional as F
from results import HERE, processor, shown, table
from torch import nn

from d2lattn_book.pictures import live

TITLE = "Live figures in the browser"
ON = ("Chromium",)
INTRODUCTION = """\
Milliseconds, medians: mounting; from a real key press, or a step of a drag, to the picture. \
`interact.controls` asks the kernel in JupyterLab. The promises are 60 for mounting, 50 for a key \
or a drag, and 150 for a control that asks the kernel."""
LINE = re.compile(r"^(mount|key to picture,|drag to picture,) (.+?): median ([\d.]+) ms", re.M)
TRAINS = re.compile(r"^training (.+?): (\d+) steps a second, (\d+) frames", re.M)
KINDS = {"mount": "mount", "key to picture,": "key", "drag to picture,": "drag"}
# The models of the figure that trains, as its test opens them: words there are and words of a text.
LARGEST = dict(vocab=16, length=11, layers=2, heads=4, width=32, mlp=True)
MODELS = {
    "one layer of width 16": dict(vocab=8, length=10),
    "the largest": LARGEST,
    "two models": dict(vocab=8, length=10, models=2),
    "own text": dict(vocab=26, length=32, batch=8, layers=2, width=32, mlp=True),
}


def machine():
    return f"Chromium on {processor()}"


def measure_part(quick, device):
    chosen = ["-k", "mounting"] if quick else []
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:nbval", "-m", "speed"]
    command += [*chosen, "tests/browser"]
    run = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=False)
    print(run.stdout, run.stderr, sep="\n", file=sys.stderr)
    found = measured(run.stdout)
    if not found:
        sys.exit("the browser tests measured nothing: is chromium installed?")
    training = trained(run.stdout)
    in_torch = {what: round(torch_steps(**MODELS[what])) for what in training}
    return {"rows": found, "training": training, "torch": in_torch, "bytes": sizes()}


def sizes():
    """{kind: bytes} of the code that each figure carries, minified; pages of the site share it."""
    return {path.stem: path.stat().st_size for path in sorted(live.STORED.glob("*.js"))}


class Layer(nn.Module):
    """A layer of the model that trains in the page."""

    def __init__(self, width, heads, mlp):
        super().__init__()
        self.heads = heads
        self.qkv, self.o = (nn.Linear(width, n * width, bias=False) for n in (3, 1))
        up, down = (nn.Linear(n, 3 * width - n, bias=False) for n in (width, 2 * width))
        self.mlp = nn.Sequential(up, nn.ReLU(), down) if mlp else None

    def forward(self, x):
        q, k, v = self.qkv(F.rms_norm(x, x.shape[-1:])).unflatten(-1, (3, self.heads, -1)).unbind(2)
        y = F.scaled_dot_product_attention(*(m.transpose(1, 2) for m in (q, k, v)), is_causal=True)
        x = x + self.o(y.transpose(1, 2).flatten(2))
        return x if self.mlp is None else x + self.mlp(F.rms_norm(x, x.shape[-1:]))


def torch_steps(
    *, vocab, length, batch=32, layers=1, heads=1, width=16, mlp=False, models=1, seconds=2.0
):
    """Steps a second of the same training in torch: float32, one thread, Adam."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    embedding, logits = nn.Embedding(vocab, width), nn.Linear(width, vocab, bias=False)
    position = nn.Embedding(length, width)
    stack = nn.Sequential(*(Layer(width, heads, mlp) for _ in range(layers)))
    parts = nn.ModuleList([embedding, position, stack, logits])
    adam = torch.optim.Adam(parts.parameters(), lr=0.01)
    texts = torch.randint(vocab, (batch, length + 1))
    start, steps = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        x = stack(embedding(texts[:, :-1]) + position.weight)
        scores = logits(F.rms_norm(x, x.shape[-1:]))
        adam.zero_grad()
        F.cross_entropy(scores.flatten(0, 1), texts[:, 1:].flatten()).backward()
        adam.step()
        steps += 1
    torch.set_num_threads(threads)
    return steps / seconds / models


def trained(said):
    """{what: [steps, frames]} a second, of the figure that trains."""
    return {what: [int(steps), int(frames)] for what, steps, frames in TRAINS.findall(said)}


def measured(said):
    """{figure: {"mount" or "key" or "drag": ms}} from what the tests print."""
    found = {}
    for kind, name, median in LINE.findall(said):
        found.setdefault(name, {})[KINDS[kind]] = float(median)
    return found


def section(data):
    kinds = list(KINDS.values())
    body = [
        [name, *(shown(row.get(kind), ".0f") for kind in kinds)]
        for name, row in data["rows"].items()
    ]
    text = table(["figure", "mounting", "key to picture", "drag to picture"], body)
    if data.get("training"):
        text += "\n\nThe figure that trains, a second: steps, and frames of the page meanwhile; "
        text += "steps of torch, on one thread and in float32.\n\n"
        rows = [beside_torch(data, what) for what in data["training"]]
        text += table(["model", "steps", "frames", "torch", "torch / page"], rows)
    if data.get("bytes"):
        text += "\n\nThe code that each figure carries, minified; what is promised is at most "
        text += "60 kB for the one that trains.\n\n"
        rows = [[kind, f"{size:,}"] for kind, size in data["bytes"].items()]
        text += table(["figure", "bytes"], rows)
    return text


def beside_torch(data, what):
    """A row: steps and frames of a model, the steps of torch, and how many for one of the page."""
    steps, frames = data["training"][what]
    in_torch = data.get("torch", {}).get(what)
    ratio = in_torch and in_torch / steps
    return [what, str(steps), str(frames), shown(in_torch, "d"), shown(ratio, ".1f")]
