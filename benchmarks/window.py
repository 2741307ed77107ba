"""A window in a model: a pass over a long text, beside the same model that sees all of it.

python benchmarks/window.py 16 8192    # window, words: the peak of a pass in MiB above before
"""

import os
import subprocess
import sys

import peak_rss
import torch
from results import shown, table
from timing import measure, median_ratio, saying

from d2lattn import Decoder

TITLE = "A window in a model"
ON = ("processor",)
WIDTH, HEADS, LAYERS, WINDOW, WORDS = 64, 4, 2, 16, 8192
INTRODUCTION = f"""\
A decoder of width {WIDTH}, {HEADS} heads, {LAYERS} layers and rotary positions reads a text at \
once, float32, one thread, without gradients: with a window of {WINDOW} words, and without one. \
Times take turns; the peak is that of a fresh process, in MiB above what was held before."""


def measure_part(quick, device):
    rows = []
    for words in (256,) if quick else (WORDS // 4, WORDS):
        saying(f"a window, {words} words")
        with torch.no_grad():
            calls = {window: pass_of(window, words) for window in (WINDOW, None)}
            seconds = measure(calls, rounds=3 if quick else 9, budget=30)
        row = {"words": words, "window ÷ none": median_ratio(seconds[WINDOW], seconds[None])}
        for window, name in ((WINDOW, "window"), (None, "none")):
            row |= {f"{name}, ms": 1e3 * min(seconds[window]), f"{name}, MiB": peak(window, words)}
        rows.append(row)
    return dict(rows=rows)


def pass_of(window, words):
    """A pass without arguments."""
    sizes = dict(num_layers=LAYERS, num_heads=HEADS, positions="rotary", window=window)
    model = Decoder(16, WIDTH, **sizes).eval()
    tokens = torch.randint(16, (1, words), generator=torch.Generator().manual_seed(0))
    return lambda: model(tokens)


def peak(window, words):
    """MiB, measured in a fresh process; None where the system keeps no high-water mark."""
    if not peak_rss.KEPT:
        return None
    command = [sys.executable, __file__, str(window or 0), str(words)]
    environment = {**os.environ, **peak_rss.FREEING}
    return float(subprocess.check_output(command, env=environment, text=True))


@torch.no_grad()
def print_peak(window, words):
    torch.set_num_threads(1)
    pass_of(window, 64)()  # the first one warms up
    call = pass_of(window, words)
    before = peak_rss.set_back()
    call()
    print((peak_rss.most() - before) / 1024)


def section(data):
    header = list(data["rows"][0])
    body = [
        [shown(x, ".2f" if "÷" in name else ".0f") for name, x in row.items()]
        for row in data["rows"]
    ]
    return table(header, body)


if __name__ == "__main__":
    window, words = map(int, sys.argv[1:])
    print_peak(window or None, words)
