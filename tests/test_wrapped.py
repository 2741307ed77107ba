"""A projection may be any module: an adapter, a quantized or compiled layer, a Sequential."""

import copy

import pytest
import torch
from torch import nn

from d2lattn import Cache, Decoder, LatentAttention, MultiHeadAttention, SelfAttention


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
DECODERS = {"heads": dict(num_kv_heads=2), "latent": LATENT, "learned": dict(positions="learned")}


@pytest.mark.filterwarnings("ignore:torch.ao.quantization:DeprecationWarning")
@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
class TestWrapped:
    @pytest.mark.parametrize(
        "make",
        [
            lambda: SelfAttention(8),
            lambda: MultiHeadAttention(8, 2, gate=True, qk_norm=True),
            lambda: LatentAttention(8, 2, latent_dim=3),
        ],
    )
    def test_a_layer_computes_what_its_wrapped_projections_give(self, wrap, make):
        layer = wrap(make()).eval()
        same = copy.deepcopy(layer)  # with each projection behind a function of its own
        for part in same.children():
            part.forward = part.forward
        x = torch.randn(2, 5, 8)
        torch.testing.assert_close(layer(x, is_causal=True), same(x, is_causal=True))

    @pytest.mark.parametrize("options", DECODERS.values(), ids=DECODERS)
    def test_a_decoder_reads_token_by_token_as_at_once(self, wrap, options):
        options = dict(positions="rotary") | options
        model = Decoder(11, 16, num_layers=2, num_heads=4, init_std=1.0, **options).eval()
        model = wrap(model).eval()
        tokens = torch.randint(11, (1, 6))
        with torch.no_grad():
            cache = Cache(model)
            parts = torch.cat([model(part, cache=cache) for part in tokens.split(1, 1)], 1)
            rounding = 0.2 if wrap is quantized else 1e-4  # each row has its own scale
            torch.testing.assert_close(parts, model(tokens), atol=rounding, rtol=rounding)


def test_latents_are_absorbed_by_plain_matrices_alone():
    layer, x = LatentAttention(8, 2, latent_dim=3), torch.randn(1, 5, 8)
    layer.v_proj.register_forward_hook(lambda module, given, output: 2 * output)
    torch.testing.assert_close(layer(x, absorbed=True), layer(x, absorbed=False))


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
