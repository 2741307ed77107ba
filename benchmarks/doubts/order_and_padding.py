"""Another order, and padding, with wider numbers, other places and a real model (26, 184).

Does the order of the words change nothing in 300 wide words either, and in float32? Is padding with
any number the same as truncation, on the left, too, and does its cost grow with the square?
"""

import time

import torch
from book import real

from d2lattn import attention, causal_mask
from d2lattn.edits import edited, see
from d2lattn_book.language import next_word

generator = torch.Generator().manual_seed(100)


def another_order():
    for dtype in (torch.float64, torch.float32, torch.bfloat16):
        for n, width in ((5, 2), (300, 64)):
            x = torch.randn(n, width, generator=generator, dtype=torch.float64).to(dtype)
            order = torch.randperm(n, generator=generator)
            one, other = (attention(x[-1:], y, y) for y in (x, x[order]))
            print(
                f"  {n:3} words of {width:2}, {dtype}: differs by {(one - other).abs().max():.1e}"
            )


def fillings():
    def blend(x, may):  # as on the page
        scores = (x @ x.mT / x.shape[-1] ** 0.5).masked_fill(~may, -torch.inf)
        return torch.softmax(scores, dim=-1) @ x

    W = torch.randn(2, 2, generator=generator)
    words, may = torch.randn(5, 2, generator=generator), torch.arange(8) < 5
    for fill in (0.0, 1e6, 1e19, 1e38, 3e38):
        x = torch.cat([words, torch.full((3, 2), fill)])
        for name, y in (("as on the page", x), ("after a matrix", x @ W)):
            alone = y[:5]
            found = blend(y, may)[:5]
            same = torch.allclose(found, blend(alone, torch.tensor(True)))
            print(f"  filled with {fill:.0e}, {name:15} the same: {same}")


def on_the_left():
    model = next_word.train(seed=100).model
    with torch.no_grad():
        compare(model)


def compare(model):
    sentence = ["the", "dog", "found", "the", "milk"]
    x = model.encode([sentence])
    padded = torch.cat([x.new_zeros(1, 3), x], 1)
    may = causal_mask(8) & (torch.arange(8) >= 3)

    def last(tokens, mask):
        y = model.position(model.embedding(tokens))
        q, k, v = model.head.q_proj(y), model.head.k_proj(y), model.head.v_proj(y)
        return model.to_words(y + attention(q, k, v, attn_mask=mask))[0, -1].softmax(-1)

    alone, left = last(x, causal_mask(5)), last(padded, may)
    far = (alone - left).abs().max()
    print(f"  learned positions, padded on the left: a chance moves by {far:.2f}")
    tokens = real.passages(100, 1, 24)
    padded = torch.cat([real.noise(100, 1, 8), tokens], 1)
    may = causal_mask(32) & (torch.arange(32) >= 8)
    alone = real.model()(tokens)[0, -1]
    with edited(real.model(), see(may)):
        left = real.model()(padded)[0, -1]
    print(f"  SmolLM2, padded on the left: logits differ by {(alone - left).abs().max():.1e}")


@torch.no_grad()
def costs():
    before = None
    for length in (64, 128, 256, 512, 1024):
        tokens = real.noise(100, 1, length)
        real.model()(tokens)
        begun = time.perf_counter()
        real.model()(tokens)
        took = time.perf_counter() - begun
        print(
            f"  SmolLM2, {length:4} pieces: {took:.2f} s",
            f"× {took / before:.1f}" if before else "",
        )
        before = took


for name, show in {
    "26": another_order,
    "184, what fills": fillings,
    "184, where": on_the_left,
    "184, cost": costs,
}.items():
    print(name)
    show()
