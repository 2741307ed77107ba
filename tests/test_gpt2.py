"""GPT-2's weights in our decoder: the logits of `transformers`, stored; live in tests/libraries."""

import types
from pathlib import Path

import draws
import numpy as np
import pytest
import safetensors.torch as safetensors
import torch
from torch import nn

from d2lattn_book.real import from_gpt2

STORED = Path(__file__).with_name("gpt2_reference.npz")


@pytest.fixture(scope="module")
def stored():
    """(state dict, tokens, logits, heads) that transformers wrote."""
    with np.load(STORED) as file:
        state = {
            name.removeprefix("state/"): torch.from_numpy(file[name]).float()
            for name in file.files
            if name.startswith("state/")
        }
        tokens, logits = (torch.from_numpy(file[name]) for name in ("tokens", "logits"))
        return state, tokens, logits, int(file["num_heads"])


def assert_close(got, expected):
    draws.assert_close(got, expected, within=1e-5)


@torch.no_grad()
def test_the_logits_are_those_of_transformers(stored):
    state, tokens, logits, heads = stored
    assert logits.std() > 0.5  # the comparison is between numbers that differ
    assert_close(from_gpt2(state, num_heads=heads)(tokens), logits)


class LikeTransformers(nn.Module):
    """What `from_gpt2` asks of a GPT2LMHeadModel: its weights, and its options."""

    def __init__(self, state, **config):
        super().__init__()
        self.config, self.kept = types.SimpleNamespace(**config), state

    def state_dict(self):
        return self.kept


@torch.no_grad()
def test_a_model_tells_its_heads(stored):
    state, tokens, logits, heads = stored
    for name in ("gelu_new", "gelu_pytorch_tanh"):
        like = LikeTransformers(state, n_head=heads, activation_function=name)
        assert_close(from_gpt2(like)(tokens), logits)
    with pytest.raises(ValueError, match=r"^source must have activation_function 'gelu_new' or"):
        from_gpt2(LikeTransformers(state, n_head=heads, activation_function="relu"))
    with pytest.raises(ValueError, match=r"GPT2LMHeadModel.* got Linear"):
        from_gpt2(nn.Linear(2, 2))
    with pytest.raises(ValueError, match=rf"^num_heads must be .* of the source, {heads}, got 1$"):
        from_gpt2(LikeTransformers(state, n_head=heads), num_heads=1)


@torch.no_grad()
def test_files_of_every_age_are_read(stored):
    """The hub's own file has no prefix, no head, and the causal mask as a weight."""
    state, tokens, logits, heads = stored
    old = {name.removeprefix("transformer."): x for name, x in state.items()}
    del old["lm_head.weight"]
    old["h.0.attn.bias"] = torch.ones(1, 1, 13, 13).tril()
    old["h.0.attn.masked_bias"] = torch.tensor(-1e4)
    assert_close(from_gpt2(old, num_heads=heads)(tokens), logits)


@torch.no_grad()
def test_a_head_of_its_own_is_kept(stored):
    state, tokens, _, heads = stored
    tied = from_gpt2(state, num_heads=heads)
    assert tied.to_logits.weight is tied.embedding.weight
    loose = from_gpt2(state | {"lm_head.weight": -state["lm_head.weight"]}, num_heads=heads)
    assert loose.to_logits.weight is not loose.embedding.weight
    assert_close(loose(tokens), -tied(tokens))


def test_the_weights_are_copies_of_the_dtype(stored):
    state, _, _, heads = stored
    state = {name: x.double() for name, x in state.items()}
    model = from_gpt2(state, num_heads=heads)
    assert model.embedding.weight.dtype == torch.float64 and not model.training
    model.norm.bias.data.zero_()
    assert state["transformer.ln_f.bias"].abs().sum() > 0


def test_heads_that_nobody_told(stored):
    state, *_ = stored
    with pytest.raises(ValueError, match=r"num_heads must be given.*width of 15"):
        from_gpt2(state)
    with pytest.raises(ValueError, match="num_heads must divide embed_dim"):
        from_gpt2(state, num_heads=2)
    wider = {15: 128, 45: 384}
    wide = {name: torch.zeros([wider.get(n, n) for n in x.shape]) for name, x in state.items()}
    assert from_gpt2(wide).blocks[0].attention.num_heads == 2


def test_what_is_missing_or_does_not_fit_is_named(stored):
    state, _, _, heads = stored
    wte, wide = state["transformer.wte.weight"], torch.zeros(16)
    for name, wrong, message in [
        ("wpe.weight", None, "the weights of GPT-2, got no wpe.weight"),
        ("wte.weight", wte.long(), "floating tensors, got torch.int64 for wte.weight"),
        ("h.0.mlp.c_fc.weight", wide, r"a h.0.mlp.c_fc.weight with 2 axes, got shape \(16,\)"),
        ("h.1.ln_1.bias", wide, r"weights that fit a width of 15, but for .* \(15,\) got \(16,\)"),
        ("h.0.attn.c_attn.lora_A.weight", wide, r".* no others, got 'h\.0\.attn\.c_attn\.lora_A"),
    ]:
        changed = {**state, f"transformer.{name}": wrong}
        changed = {key: x for key, x in changed.items() if x is not None}
        with pytest.raises(ValueError, match=f"^source must hold {message}"):
            from_gpt2(changed, num_heads=heads)


def test_a_file_of_another_kind_is_named(stored, tmp_path):
    torch.save(stored[0], tmp_path / "model.bin")
    with pytest.raises(ValueError, match=r"^source must be a safetensors file, got .*model\.bin: "):
        from_gpt2(tmp_path / "model.bin")
    for source in ("gpt2", tmp_path):
        with pytest.raises(ValueError, match=r"^source must be the path of a .*: there is none$"):
            from_gpt2(source)


@torch.no_grad()
def test_a_safetensors_file(stored, tmp_path):
    state, tokens, logits, heads = stored
    state = {name: x.clone() for name, x in state.items()}
    safetensors.save_file(state, tmp_path / "model.safetensors")
    assert_close(from_gpt2(str(tmp_path / "model.safetensors"), num_heads=heads)(tokens), logits)
