"""A projection may be any module: an adapter, a quantized or compiled layer, a Sequential."""

import pytest
import torch
from torch import nn

from d2lattn import Cache, Decoder, LatentAttention, SelfAttention, attention


class LoRA(nn.Module):
    """x W + x A B (Raschka 2024, appendix E.4)."""

    def __init__(self, linear, rank=2):
        super().__init__()
        self.linear = linear
        self.A = nn.Parameter(torch.randn(linear.in_features, rank))
        self.B = nn.Parameter(torch.randn(rank, linear.out_features))

    def forward(self, x):
        return self.linear(x) + x @ self.A @ self.B


class LikePeft(LoRA):
    """An adapter that shows the weight of what it wraps, which is not all that it does."""

    weight = property(lambda self: self.linear.weight)
    bias = property(lambda self: self.linear.bias)


def each_linear(wrap):
    def change(module):
        for name, part in list(module.named_children()):
            if isinstance(part, nn.Linear):
                setattr(module, name, wrap(part))
            else:
                change(part)
        return module

    return change


def quantized(module):
    return torch.ao.quantization.quantize_dynamic(module, {nn.Linear}, dtype=torch.qint8)


WRAPS = {
    "LoRA": each_linear(LoRA),
    "like peft": each_linear(LikePeft),
    "Sequential": each_linear(lambda linear: nn.Sequential(linear, nn.Dropout(0.5))),
    "quantized": quantized,
    "compiled": each_linear(lambda linear: torch.compile(linear, backend="eager")),
}
LATENT = dict(attention=LatentAttention, latent_dim=6, rope_dim=2)
DECODERS = {
    "heads": dict(num_kv_heads=2, gate=True, qk_norm=True),
    "latent": LATENT,
    "learned": dict(positions="learned"),
}


@pytest.mark.filterwarnings("ignore:torch.ao.quantization:DeprecationWarning")
@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
@pytest.mark.parametrize("options", DECODERS.values(), ids=DECODERS)
@torch.no_grad()
def test_a_decoder_reads_token_by_token_as_at_once(wrap, options):
    options = dict(positions="rotary") | options
    model = Decoder(11, 16, num_layers=2, num_heads=4, init_std=1.0, **options)
    model, tokens = wrap(model).eval(), torch.randint(11, (1, 6))
    cache = Cache(model)
    parts = torch.cat([model(part, cache=cache) for part in tokens.split(1, 1)], 1)
    rounding = 0.2 if wrap is quantized else 1e-4  # each row has its own scale
    torch.testing.assert_close(parts, model(tokens), atol=rounding, rtol=rounding)


@pytest.mark.filterwarnings("ignore:torch.ao.quantization:DeprecationWarning")
@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_one_head_takes_wrapped_projections(wrap):
    layer, x = wrap(SelfAttention(8)).eval(), torch.randn(5, 8)
    wanted = attention(layer.q_proj(x), layer.k_proj(x), layer.v_proj(x))
    torch.testing.assert_close(layer(x), wanted)


@pytest.mark.parametrize("positions", ["learned", "sinusoidal", "rotary", "alibi"])
def test_a_model_is_made_without_memory_and_filled_from_a_file(positions, monkeypatch):
    """As accelerate's init_empty_weights: each parameter goes to the meta device when it is set."""

    def make():
        return Decoder(11, 8, num_layers=1, num_heads=2, positions=positions, tied=True).eval()

    model, register = make(), nn.Module.register_parameter

    def on_meta(module, name, parameter):
        register(module, name, parameter)
        if parameter is not None:
            module._parameters[name] = nn.Parameter(parameter.to("meta"))

    monkeypatch.setattr(nn.Module, "register_parameter", on_meta)
    empty = make()
    monkeypatch.undo()
    assert all(parameter.is_meta for parameter in empty.parameters())
    empty.load_state_dict(model.state_dict(), assign=True)
    tokens = torch.tensor([[1, 2, 3]])
    torch.testing.assert_close(empty(tokens), model(tokens))
