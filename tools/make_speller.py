"""Make the speller of the book: GRUs with additive attention that have read the dictionary.

Wanted once in the book's life, or when `encoder_decoder` changes; some minutes on one core:

    .venv/bin/python tools/make_speller.py d2lattn_book/language/data/spelling_to_sound.npz

It is the run of benchmarks/experiments/alignment.py with seed 0 and five times the steps, in half
precision; tests/test_encoder_decoder.py holds it to the words that it had right.
"""

import sys

import numpy as np
import torch

from d2lattn_book.language.encoder_decoder import GRUEncoderDecoder, train
from d2lattn_book.language.spelling import SHA256, pronunciations, split

STEPS, SEED = 6000, 0


def main(stored):
    ways = pronunciations()
    learned, held_out = split(ways)
    model = GRUEncoderDecoder("additive", seed=SEED)
    losses = train(model, learned, ways, steps=STEPS, seed=SEED)
    exact = model.right(held_out, ways).double().mean().item()
    state = {name: x.half() for name, x in model.state_dict().items()}
    model.load_state_dict(state)
    right = model.right(held_out, ways)
    np.savez_compressed(
        stored,
        **{name: x.numpy() for name, x in state.items()},
        right=right.numpy(),  # of the words held out, in their order
        dictionary_sha256=np.array(SHA256),
        made_by=np.array(
            f"tools/make_speller.py: torch {torch.__version__}, additive attention, {STEPS} steps, "
            f"seed {SEED}; {sum(losses[-100:]) / 100:.3f} nats per sound in the last 100 steps; of "
            f"{len(held_out)} words held out {exact:.4f} right, {right.double().mean():.4f} in "
            "half precision"
        ),
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
