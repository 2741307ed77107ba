"""Make what `from_gpt2` is tested against: a small random GPT-2 and its logits, by transformers.

Wanted once in the book's life, or when GPT-2's layout changes; the test compares with transformers
itself:

    make .venv-make
    .venv-make/bin/python tools/make_gpt2.py tests/gpt2_reference.npz
    .venv-make/bin/python -m pytest -q tests/test_gpt2.py

The sizes are odd, so that a matrix that is not turned round does not fit. The weights are as large
as those of a trained network, biases too: with transformers' own start the biases would be 0 and
attention nearly even, which hides mistakes.
"""

import sys

import numpy as np
import torch
import transformers
from transformers import GPT2Config, GPT2LMHeadModel

SIZES = dict(vocab_size=23, n_positions=13, n_embd=15, n_head=3, n_layer=2, n_inner=31)


def small_gpt2(seed=0):
    """A GPT2LMHeadModel whose numbers half precision can hold."""
    model = GPT2LMHeadModel(GPT2Config(**SIZES, bos_token_id=0, eos_token_id=0)).eval()
    generator = torch.Generator().manual_seed(seed)
    for parameter in model.parameters():
        std = parameter.shape[0] ** -0.5 if parameter.ndim > 1 else 0.5
        noise = std * torch.randn(parameter.shape, generator=generator)
        parameter.data = noise.half().float()
    return model


@torch.no_grad()
def main(stored):
    model = small_gpt2()
    tokens = torch.randint(SIZES["vocab_size"], (2, 13), generator=torch.Generator().manual_seed(1))
    np.savez_compressed(
        stored,
        tokens=tokens.numpy(),
        logits=model(tokens).logits.numpy(),
        num_heads=np.array(SIZES["n_head"]),
        made_by=np.array(f"tools/make_gpt2.py: transformers {transformers.__version__}, {SIZES}"),
        **{f"state/{name}": x.half().numpy() for name, x in model.state_dict().items()},
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
