"""The same maps as a page of `maps`, of BertViz and of attnview: bytes, seconds, what each loads.

BertViz and attnview are in no environment of this project: `pip install --no-deps bertviz==1.4.1
attnview==0.5.1` puts them into one of yours, and `python benchmarks/maps_beside.py` prints the
table of docs/package.md. Weights are drawn at random: 12 layers of 12 heads, as BERT's.
"""

import re
import statistics
import time
from importlib.metadata import version

import attnview
import bertviz
import torch

from d2lattn_book.pictures import maps


def bertvizs(weights, tokens):
    given = [layer[None] for layer in weights]
    return bertviz.model_view(given, tokens, html_action="return").data


def attnviews(weights, tokens):
    cache = {f"blocks.{n}.attn.hook_pattern": layer[None] for n, layer in enumerate(weights)}
    return attnview.render_html(attnview.from_cache(cache, tokens=tokens))


def ours(weights, tokens):
    return maps(weights, tokens=tokens).html


def loaded(page):
    """The hosts from which the page loads code."""
    return sorted({*re.findall(r"""(?:src="|: ')https?://([\w.-]+)""", page)})


def main():
    draw = torch.Generator().manual_seed(0)
    for L in (24, 64, 128, 256):
        layers = 12 if L < 128 else 2  # what fits into 3 MB
        weights = torch.randn(layers, 12, L, L, generator=draw).mul(3).softmax(-1)
        tokens = [f"piece{n}" for n in range(L)]
        for name, make in (("d2lattn", ours), ("bertviz", bertvizs), ("attnview", attnviews)):
            times = []
            for _ in range(3):
                start = time.perf_counter()
                page = make(weights, tokens)
                times.append(time.perf_counter() - start)
            row = f"{len(page.encode()) / 1e6:.2f} MB, {statistics.median(times):.2f} s"
            print(f"{layers} × 12 maps of {L} pieces, {name} {version(name)}: {row}", loaded(page))


if __name__ == "__main__":
    main()
