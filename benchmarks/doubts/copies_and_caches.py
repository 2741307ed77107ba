"""Small models of chapter 9 with other seeds and other sentences.

Does the second A find B, copy it and say B (308), also where the symbol after the copy is another,
or where A stood twice? Does the cache make a model read every word once (324)? Has *apple* vectors
of two kinds after two blocks (325), and with one block, four heads, fewer steps, a causal mask?
"""

import torch
import torch.nn.functional as F
from book import pages, tell
from torch import nn

from d2lattn import Decoder, generate

SEEDS = range(100, 103)
page = pages.functions("induction")


@torch.no_grad()
def says(model, change):
    """How often the fifth symbol of the second round is followed by what it is to say."""
    x, second = page.rounds(256, False, torch.Generator().manual_seed(100))
    row, ask = torch.arange(256), (~second).sum(1) + 4  # its earlier copy stands at place 4
    strangers = (x[:, None] != torch.arange(page.SYMBOLS)[:, None]).all(-1).int().argsort(1).flip(1)
    wanted = x[row, ask + 1].clone()
    if change == "another symbol after the copy":
        wanted = x[:, 5] = strangers[:, 0]
    if change == "A twice: at 4 and, with a stranger after it, at 8":
        x[:, 8], x[:, 9] = x[:, 4], strangers[:, 0]
    said = model(x[:, :-1])[row, ask].argmax(-1)
    later = (said == strangers[:, 0]).float().mean().item()
    return (said == wanted).float().mean().item(), later


models = [page.repeater(2, seed=seed).model for seed in SEEDS]
for change in (
    "nothing",
    "another symbol after the copy",
    "A twice: at 4 and, with a stranger after it, at 8",
):
    found = [says(model, change) for model in models]
    tell(f"308, {change}: says it", [right for right, _ in found])
    if "twice" in change:
        tell("  says the stranger", [later for _, later in found])
tell("  symbols copied of 24", [page.copied(model) for model in models])

print("324: words that pass at each call, a prompt of 5, 8 more")
for name, sizes, options in (
    ("two layers", dict(num_layers=2), {}),
    ("three rows at once", dict(num_layers=2), dict(rows=3)),
    ("rotary positions", dict(num_layers=2, positions="rotary"), {}),
    ("a window of 4", dict(num_layers=2, positions="rotary", window=4), {}),
    ("no cache", dict(num_layers=2), dict(use_cache=False)),
):
    decoder, passed = Decoder(20, 16, num_heads=2, max_len=16, **sizes), []
    decoder.embedding.register_forward_hook(lambda m, x, y, seen=passed: seen.append(x[0].shape[1]))
    rows = options.pop("rows", 1)
    generate(decoder, torch.ones(rows, 5).long(), steps=8, temperature=0, **options)
    print(f"  {name:20} {passed} together {sum(passed)}")

page = pages.functions("apple")
APART = ("ripe", "fresh", "sweet", "sour")


def two_kinds(seed, layers=2, heads=1, steps=300, place=1, causal=False):
    """Whether the vectors of the held-out sentences at one place make two groups."""
    options = dict(is_causal=causal)
    model = page.seeded(len(page.vocab), 32, layers, heads, 7, seed=seed, **options)
    page.train(model, page.gaps(seed), steps)
    model.to_logits = nn.Identity()
    with torch.no_grad():
        found = model(page.numbered(page.held_out, page.vocab))[:, place]
    cosines = F.cosine_similarity(found[:, None], found, dim=-1)
    fruit = torch.tensor([sentence[0] in APART for sentence in page.held_out])
    same = fruit[:, None] == fruit
    return (cosines[same].min() - cosines[~same].max()).item()


for name, options in {
    "new seeds": {},
    "one block": dict(layers=1),
    "four heads": dict(heads=4),
    "100 steps": dict(steps=100),
    "30 steps": dict(steps=30),
    "causal": dict(causal=True),
}.items():
    gaps = [two_kinds(seed, **options) for seed in SEEDS]
    tell(f"325, {name}: least cosine of one sense less most of two", gaps)
