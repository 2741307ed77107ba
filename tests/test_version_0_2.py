"""Models that readers made and saved with version 0.2: one seed gives them again, and they load.

models_0_2.pt was written by that version: of each model its arguments, a digest of the weights it
drew, and of most the names, shapes and float16 numbers of others with the logits they gave.
"""

import hashlib
import pathlib

import draws
import pytest
import torch

from d2lattn import Decoder, Encoder, LatentAttention

FILE = torch.load(pathlib.Path(__file__).with_name("models_0_2.pt"), weights_only=True)
SIZES = dict(num_layers=2, num_heads=4, max_len=7, seed=3)


def made(kind, options):
    """Latents were an option then, and are a part now."""
    part = dict(attention=LatentAttention) if "latent_dim" in options else {}
    return dict(Decoder=Decoder, Encoder=Encoder)[kind](7, 8, **SIZES | options | part).eval()


def digest(model):
    found = hashlib.sha256()
    for name, x in model.state_dict().items():
        found.update(name.encode() + x.numpy().tobytes())
    return found.hexdigest()[:16]


@pytest.mark.parametrize("name", FILE["models"])
def test_a_seed_draws_what_it_drew(name):
    saved = FILE["models"][name]
    assert digest(made(saved["kind"], saved["options"])) == saved["drawn"]


@torch.no_grad()
@pytest.mark.parametrize(
    "name", [name for name, saved in FILE["models"].items() if "shapes" in saved]
)
def test_a_saved_model_loads_and_says_the_same(name):
    saved = FILE["models"][name]
    model, shapes = made(saved["kind"], saved["options"]), saved["shapes"]
    parts = saved["weights"].float().split([torch.Size(shape).numel() for shape in shapes.values()])
    state = {name: x.view(shape) for (name, shape), x in zip(shapes.items(), parts, strict=True)}
    model.load_state_dict(state)
    draws.assert_close(model(FILE["tokens"]), saved["logits"], 1e-5)
