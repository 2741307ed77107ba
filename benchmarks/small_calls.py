"""Small calls, and a call that meets a 0: what is paid beside the kernel.

A NaN in the input must show, and torch's kernel hides it where all it sees is zeros; so a 0 in the
first channel of the output makes the fused engine look again. Here stands what that costs.
"""

import torch
import torch.nn.functional as F
from results import shown, table
from timing import measure, median_ratio, saying
from torch import nn

from d2lattn import MultiHeadAttention, attention
from d2lattn.interop import from_torch

TITLE = "Small calls, and a 0 among the values"
ON = "processor", "GPU"
SMALL, ZEROS = (16, 64, 128, 256), (256, 1024, 2048)
B, H, D = 2, 8, 64
INTRODUCTION = f"""\
Forward, float32, one thread, B={B}, {H} heads of {D}, without gradients; all calls of a row take \
turns, and a ratio is the median over the rounds. The function is compared with torch's \
`scaled_dot_product_attention`, the module with `nn.MultiheadAttention` (without weights)."""
ZERO = """\
How many times as long the same causal call takes if one value is exactly 0 in its first channel, \
if the values come from a ReLU, and if the first quarter of a sequence is rows of 0 before a \
module without bias (padding)."""


def measure_part(quick, device):
    small = [(n, causal) for n in (SMALL[:1] if quick else SMALL) for causal in (False, True)]
    options = dict(rounds=3 if quick else 51, budget=0.2 if quick else 4)
    with torch.no_grad():
        return dict(
            small=[small_row(*which, device, options) for which in small],
            zeros=[zero_row(n, device, options) for n in (ZEROS[:1] if quick else ZEROS)],
        )


def inputs(n, device):
    generator = torch.Generator().manual_seed(n)
    return [torch.randn(B, H, n, D, generator=generator).to(device) for _ in range(3)]


def small_row(n, causal, device, options):
    saying(f"small calls, n={n}")
    q, k, v = inputs(n, device)
    x = torch.randn(B, n, H * D, device=device)
    theirs = nn.MultiheadAttention(H * D, H, batch_first=True).to(device).eval()
    ours = from_torch(theirs).eval()
    hidden = torch.ones(n, n, dtype=torch.bool, device=device).triu(1)
    masked = dict(attn_mask=hidden, is_causal=True) if causal else {}
    seconds = measure(
        {
            "ours": lambda: attention(q, k, v, is_causal=causal),
            "kernel": lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal),
            "module": lambda: ours(x, is_causal=causal),
            "torch": lambda: theirs(x, x, x, need_weights=False, **masked),
        },
        **options,
    )
    return {
        "n": n,
        "seen": "causal" if causal else "all",
        "ours, µs": 1e6 * min(seconds["ours"]),
        "function ÷ kernel": median_ratio(seconds["ours"], seconds["kernel"]),
        "module, µs": 1e6 * min(seconds["module"]),
        "module ÷ torch's": median_ratio(seconds["module"], seconds["torch"]),
    }


def zero_row(n, device, options):
    saying(f"a 0 among the values, n={n}")
    q, k, v = inputs(n, device)
    one = v.clone()
    one[..., 0, 0] = 0
    positive = v.relu()
    x = torch.randn(B, n, H * D, device=device)
    padded = x.clone()
    padded[:, : n // 4] = 0
    module = MultiHeadAttention(H * D, H, bias=False).to(device).eval()
    seconds = measure(
        {
            "plain": lambda: attention(q, k, v, is_causal=True),
            "one": lambda: attention(q, k, one, is_causal=True),
            "relu": lambda: attention(q, k, positive, is_causal=True),
            "module": lambda: module(x, is_causal=True),
            "padded": lambda: module(padded, is_causal=True),
        },
        **options,
    )
    return {
        "n": n,
        "one 0": median_ratio(seconds["one"], seconds["plain"]),
        "after a ReLU": median_ratio(seconds["relu"], seconds["plain"]),
        "module, rows of 0 first": median_ratio(seconds["padded"], seconds["module"]),
    }


def section(data):
    forms = {"n": "", "seen": "", "ours, µs": ".0f", "module, µs": ".0f"}
    tables = []
    for rows in (data["small"], data["zeros"]):
        body = [[shown(x, forms.get(name, ".2f")) for name, x in row.items()] for row in rows]
        tables.append(table(rows[0], body))
    return f"{tables[0]}\n\n{ZERO}\n\n{tables[1]}"
