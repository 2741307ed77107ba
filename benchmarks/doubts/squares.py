"""Is the square in the memory only if the shares are written down (56), and does the formula always
hold two tables that grow sixteenfold (212)? What is kept for the backward pass, and what is alive
at once, with a mask, with dropout, in float64, and by other engines."""

import json

import torch
import torch.nn.functional as F
from book import cells

from d2lattn import attention, causal_mask


def chapter(number, word):
    """What the first cell of a chapter in which this word stands defines."""
    path = next(path for path in cells.book() if path.name.startswith(number))
    sources = ["".join(c["source"]) for c in json.loads(path.read_text(encoding="utf-8"))["cells"]]
    names = {}
    for source in (sources[2], next(source for source in sources if word in source)):
        exec(compile(source, path.name, "exec"), names)
    return names


kept_bytes = chapter("05", "def kept_bytes")["kept_bytes"]
Watch = chapter("08", "class Watch")["Watch"]


def fused(**options):
    """torch's call as chapter 8 makes it, with an axis for the heads."""
    return lambda x: F.scaled_dot_product_attention(*3 * [x[:, None]], **options)


def masked(n):
    return fused(attn_mask=causal_mask(n))


print("56: how many times as much is kept for twice the words (1,024 and 2,048)")
for name, of in {
    "formula": lambda n: lambda x: attention(x, x, x, engine="explicit"),
    "fused": lambda n: fused(),
    "fused, no axis for heads": lambda n: lambda x: F.scaled_dot_product_attention(x, x, x),
    "fused, causal": lambda n: fused(is_causal=True),
    "fused, a table of True and False as mask": masked,
    "fused, a learned bias for each pair": lambda n: fused(
        attn_mask=torch.zeros(n, n, requires_grad=True)
    ),
    "fused, dropout 0.1": lambda n: fused(dropout_p=0.1),
    "chunked, causal": lambda n: lambda x: attention(x, x, x, engine="chunked", is_causal=True),
}.items():
    once, twice = (kept_bytes(of(n), n, 16) for n in (1024, 2048))
    print(f"  {name:42} {twice / once:.1f}")


def alive(n, dtype, **options):
    qkv = torch.ones(3, 1, 1, n, 64, device="meta", dtype=dtype)
    with torch.no_grad(), Watch() as watch:
        attention(*qkv, engine="explicit", **options)
    return watch.most / 2**20


print("212: MiB alive at once, 4,096 and 16,384 words, and their ratio")
for name, dtype, options in (
    ("float32", torch.float32, {}),
    ("float64", torch.float64, {}),
    ("bfloat16", torch.bfloat16, {}),
    ("float32, causal", torch.float32, dict(is_causal=True)),
    ("float32, 8 heads", torch.float32, dict(heads=8)),
):
    heads = options.pop("heads", 1)
    few, many = (heads * alive(n, dtype, **options) for n in (4096, 16384))
    print(f"  {name:18} {few:8.0f} {many:9.0f} {many / few:6.1f}")
