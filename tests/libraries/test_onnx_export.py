"""What 91.39 says of ONNX: a file for any length, run by onnxruntime, gives the numbers of torch.

torch's exporter wants onnxscript, which the project does not install.
"""

import onnxruntime
import pytest
import torch

from d2lattn import Decoder, MultiHeadAttention, attention

pytest.importorskip("onnxscript")


class Attends(torch.nn.Module):
    def __init__(self, engine):
        super().__init__()
        self.engine = engine

    def forward(self, x):
        return attention(x, x, x, is_causal=True, engine=self.engine)


def decoder(**options):
    return Decoder(10, 16, num_layers=2, num_heads=4, **options)


MODELS = {
    "explicit": lambda: Attends("explicit"),
    "fused": lambda: Attends("fused"),
    "layer": lambda: MultiHeadAttention(16, 2),
    "shared heads": lambda: MultiHeadAttention(16, 4, num_kv_heads=2),
    "rotary": lambda: decoder(positions="rotary"),
    "window": lambda: decoder(positions="rotary", window=4),
    "sinks": lambda: decoder(positions="rotary", window=4, sinks=1),
    "shared heads, rotary": lambda: decoder(positions="rotary", num_kv_heads=2),
    **{name: lambda name=name: decoder(positions=name) for name in
       ("alibi", "learned", "sinusoidal")},
}  # fmt: skip


@torch.no_grad()
@pytest.mark.parametrize("name", MODELS)
def test_a_file_for_any_length_gives_the_numbers_of_torch(name, tmp_path):
    model, place = MODELS[name]().eval(), str(tmp_path / "model.onnx")
    draw = torch.Generator().manual_seed(0)
    words = torch.randint(10, (2, 14), generator=draw)
    if not isinstance(model, Decoder):
        words = torch.randn(2, 14, 16, generator=draw)
    length = torch.export.Dim("length", min=2, max=400)
    given = dict(dynamo=True, dynamic_shapes=({1: length},), verbose=False)
    torch.onnx.export(model, (words[:, :9].contiguous(),), place, **given)
    session = onnxruntime.InferenceSession(place)
    for n in (9, 14):
        (got,) = session.run(None, {session.get_inputs()[0].name: words[:, :n].numpy()})
        torch.testing.assert_close(torch.from_numpy(got), model(words[:, :n]), atol=1e-5, rtol=0)
