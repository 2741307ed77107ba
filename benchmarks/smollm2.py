"""The real model on a laptop: how long it takes to read and to write."""

import statistics

import torch
from results import table
from timing import clock, saying

from d2lattn import generate
from d2lattn_book import real

TITLE = "SmolLM2 on a laptop"
ON = ("processor",)
STEPS = 48
INTRODUCTION = "SmolLM2-135M-Instruct as `real.load()` gives it, float32, one thread."


@torch.no_grad()
def measure_part(quick, device):
    torch.set_num_threads(1)
    model, tokenizer = real.load()
    tokens = torch.randint(49152, (1, 100), generator=torch.Generator().manual_seed(0))
    prompt = torch.tensor([tokenizer.encode("The museum stands on the river, and").ids])
    saying("the real model")
    turns = 1 if quick else 3
    reading = [clock(lambda: model(tokens)) for _ in range(turns)]
    written = {
        use_cache: [
            clock(lambda: generate(model, prompt, steps=STEPS, temperature=0, use_cache=use_cache))
            for _ in range(turns)
        ]
        for use_cache in (True, False)
    }
    return {
        "pass of 100, s": statistics.median(reading),
        "pieces a second": STEPS / statistics.median(written[True]),
        "without the cache": STEPS / statistics.median(written[False]),
    }


def section(data):
    header = ["a pass of 100 tokens, s", "tokens a second", "without the cache"]
    row = [f"{data['pass of 100, s']:.2f}"]
    row += [f"{data[name]:.0f}" for name in ("pieces a second", "without the cache")]
    return table(header, [row])
