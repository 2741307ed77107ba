"""Weights that come from D2L and torch give D2L's and torch's numbers; d2l loads where it can."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import draws
import pytest
import torch
from draws import generator
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from d2lattn.interop import from_d2l, from_torch
from d2lattn_book.real import load_d2l

B, L, S = 2, 5, 7
# The largest difference that 30,000 float32 modules showed is 9.5e-7 of the largest entry: their
# products are summed in another order. A wrong weight or mask is off by 1e-2 and more.
PRECISION = {torch.float32: 4e-6, torch.float64: 1e-12}
every_dtype = pytest.mark.parametrize("dtype", PRECISION)
anything = given(
    heads=st.integers(1, 5),
    head_dim=st.integers(1, 9),
    widths=st.lists(st.integers(1, 40), min_size=3, max_size=3),
    bias=st.booleans(),
    seed=st.integers(0, 10_000),
)


def noise(draw, dtype, *shape):
    return torch.randn(*shape, generator=draw).to(dtype)


def fill(mha, draw):
    """Weights as large as an initialisation makes them, biases that are not 0."""
    for parameter in mha.parameters():
        fan_in = parameter.shape[-1] if parameter.ndim > 1 else 4
        parameter.data = noise(draw, parameter.dtype, *parameter.shape) / fan_in**0.5
    return mha.eval()


def assert_close(got, expected):
    draws.assert_close(got, expected, within=PRECISION[expected.dtype])


def d2l_module(draw, dtype, embed_dim, heads, widths, bias):
    theirs = load_d2l().MultiHeadAttention(embed_dim, heads, 0.25, bias=bias).to(dtype).eval()
    qdim, kdim, vdim = widths
    inputs = [noise(draw, dtype, B, *size) for size in ((L, qdim), (S, kdim), (S, vdim))]
    theirs(*inputs, None)
    return fill(theirs, draw), inputs


# From D2L -----------------------------------------------------------------------------------------


@every_dtype
@anything
def test_from_d2l_is_equal(dtype, heads, head_dim, widths, bias, seed):
    draw = generator(seed)
    theirs, inputs = d2l_module(draw, dtype, heads * head_dim, heads, widths, bias)
    ours = from_d2l(theirs)
    assert_close(ours(*inputs), theirs(*inputs, None))
    for shape in ((B,), (B, L)):
        valid_lens = torch.randint(1, S + 1, shape, generator=draw)
        expected = theirs(*inputs, valid_lens)
        assert_close(ours(*inputs, valid_lens=valid_lens), expected)
        output, weights = ours(*inputs, valid_lens=valid_lens, need_weights=True)
        assert_close(output, expected)
        assert_close(weights.flatten(0, 1), theirs.attention.attention_weights)


@pytest.mark.parametrize("missing", ["W_q", "W_k", "W_v", "W_o"])
def test_from_d2l_copies_weights_and_settings(missing):
    theirs, inputs = d2l_module(generator(), torch.float64, 12, 3, (12, 12, 12), True)
    theirs.W_k.weight.requires_grad_(False)
    getattr(theirs, missing).bias = None
    ours = from_d2l(theirs.train())
    assert (ours.dropout, ours.training, ours.num_heads) == (0.25, True, 3)
    assert not ours.k_proj.weight.requires_grad and ours.q_proj.weight.requires_grad
    before = ours.eval()(*inputs)
    assert_close(before, theirs.eval()(*inputs, None))
    with torch.no_grad():
        theirs.W_q.weight.zero_()
    assert torch.equal(ours(*inputs), before)


# From torch ---------------------------------------------------------------------------------------


@every_dtype
@pytest.mark.parametrize("packed", [False, True])
@anything
def test_from_torch_is_equal(dtype, packed, heads, head_dim, widths, bias, seed):
    """Weights packed, with the batch in the middle, or separate, with the batch first."""
    draw, embed_dim = generator(seed), heads * head_dim
    kdim, vdim = [embed_dim] * 2 if packed else widths[1:]
    options = dict(dropout=0.25, bias=bias, kdim=kdim, vdim=vdim, batch_first=not packed)
    theirs = fill(nn.MultiheadAttention(embed_dim, heads, **options).to(dtype), draw)
    ours = from_torch(theirs)
    sizes = ((L, embed_dim), (S, kdim), (S, vdim))
    inputs = [noise(draw, dtype, B, *size) for size in sizes]

    def torchs(**given):
        turned = [x.transpose(0, 1) if packed else x for x in inputs]
        output, weights = theirs(*turned, average_attn_weights=False, **given)
        return output.transpose(0, 1) if packed else output, weights

    assert_close(ours(*inputs), torchs()[0])
    mask = torch.rand(B * heads, L, S, generator=draw) < 0.7
    mask[..., 0] = True  # torch gives NaN to a query without keys
    valid_lens = torch.randint(1, S + 1, (B,), generator=draw)
    padding = torch.arange(S) >= valid_lens[:, None]
    expected, expected_weights = torchs(attn_mask=~mask, key_padding_mask=padding)
    options = dict(attn_mask=mask.unflatten(0, (B, heads)), valid_lens=valid_lens)
    output, weights = ours(*inputs, **options, need_weights=True)
    assert_close(output, expected)
    assert_close(weights, expected_weights)
    assert_close(ours(*inputs, **options), expected)


def test_from_torch_copies_weights_and_settings():
    theirs = nn.MultiheadAttention(12, 3, dropout=0.25)
    for parameter in theirs.parameters():
        parameter.requires_grad_(False)
    theirs.out_proj.bias = None
    ours = from_torch(theirs)
    assert (ours.dropout, ours.training, ours.num_heads) == (0.25, True, 3)
    assert not any(parameter.requires_grad for parameter in ours.parameters())
    assert ours.out_proj.bias is None
    ours.q_proj.weight.data.zero_()
    assert theirs.in_proj_weight.abs().min() > 0


REFUSED = {
    r"W_q is lazy .* call mha\(queries, keys, values, None\)": lambda: from_d2l(
        load_d2l().MultiHeadAttention(12, 3, 0.0)
    ),
    "mha must be a d2l.MultiHeadAttention, got Linear": lambda: from_d2l(nn.Linear(3, 3)),
    "mha must be a torch.nn.MultiheadAttention, got": lambda: from_torch(nn.Linear(3, 3)),
    "made without add_bias_kv: .*add_bias_kv=False": lambda: from_torch(
        nn.MultiheadAttention(12, 3, add_bias_kv=True)
    ),
    "made without add_zero_attn: .*add_zero_attn=False": lambda: from_torch(
        nn.MultiheadAttention(12, 3, add_zero_attn=True)
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_has_no_equal_is_refused(message):
    with pytest.raises(ValueError, match=message):
        REFUSED[message]()


# Loading d2l --------------------------------------------------------------------------------------


# A program of its own, where d2l's imports are broken or absent: regex, which its tokenizer wants,
# torchvision, which does not match torch, and what it imports for its data.
PROGRAM = """
import importlib.abc, sys

BROKEN = {name: ModuleNotFoundError(name) for name in ("regex", "scipy", "pandas", "requests")}
BROKEN["torchvision"] = RuntimeError("operator torchvision::nms does not exist")

class Breaks(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BROKEN:
            sys.modules[name + ".half"] = sys  # a part that had been loaded before it broke
            raise BROKEN[name.partition(".")[0]]

sys.meta_path.insert(0, Breaks())
sys.path.insert(0, sys.argv[1])
import torch
from d2lattn.interop import from_d2l
from d2lattn_book.real import load_d2l

d2l = load_d2l()
assert d2l is load_d2l() is sys.modules["d2l.torch"] and d2l.__file__.startswith(sys.argv[1])
assert not {name for name in sys.modules if name.partition(".")[0] == "torchvision"}
theirs, x = d2l.MultiHeadAttention(100, 5, 0.5).eval(), torch.randn(2, 4, 100)
expected = theirs(x, x, x, torch.tensor([3, 2]))
ours = from_d2l(theirs)(x, valid_lens=torch.tensor([3, 2]))
assert torch.allclose(ours, expected, atol=1e-6)
try:
    d2l.torchvision.transforms.Resize(3)
except ImportError as problem:
    print(problem)
"""


def test_d2l_loads_where_its_imports_are_broken(tmp_path):
    (tmp_path / "d2l").mkdir()
    text = Path(importlib.util.find_spec("d2l.torch").origin).read_text(encoding="utf-8")
    (tmp_path / "d2l" / "torch.py").write_text(f"import regex\n{text}", encoding="utf-8")
    (tmp_path / "d2l" / "__init__.py").write_text("", encoding="utf-8")
    command = [sys.executable, "-W", "error::ImportWarning", "-c", PROGRAM, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "torchvision.transforms.Resize is needed here" in done.stdout
    assert "install a torchvision that matches torch" in done.stdout


def test_absent_d2l_says_how_to_install_it(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "d2l"]:
        monkeypatch.delitem(sys.modules, name)
    found = importlib.util.find_spec
    absent = lambda name, *rest: None if name == "d2l" else found(name, *rest)  # noqa: E731
    monkeypatch.setattr(importlib.util, "find_spec", absent)
    with pytest.raises(ImportError, match=r"pip install --no-deps d2l==1\.0\.3"):
        load_d2l()
