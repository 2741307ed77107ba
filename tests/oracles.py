"""What all engines and layers are held to: inputs, every way to say who sees whom, the definition.

`loop` is the definition, a query at a time, in float64; `layer_loop` the same from the weights of a
MultiHeadAttention; `naive` the formula as it is written, in the dtype of its inputs.
"""

import cmath
import math

import torch
from draws import generator, size, worst
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from d2lattn import causal_mask, length_mask, window_mask

ENGINES = ("explicit", "chunked", "fused")
B, H, L, S, E, EV = 2, 3, 5, 7, 11, 13


# Inputs -------------------------------------------------------------------------------------------


def noise(*shape, seed=1, dtype=torch.float64):
    return torch.randn(*shape, generator=generator(seed)).to(dtype)


def make(*lead, L=L, S=S, E=E, EV=EV, dtype=torch.float64, seed=0, grad=False):
    """Query, key and value, three different random tensors."""
    draw = generator(seed)
    sizes = [(L, E), (S, E), (S, EV)]
    tensors = [torch.randn(*lead, *size, generator=draw).to(dtype) for size in sizes]
    return [tensor.requires_grad_(grad) for tensor in tensors]


def holes(*shape, seed=2):
    """A random mask in which query 0 sees a key and query 1 sees nothing, whatever is drawn."""
    mask = torch.rand(*shape, generator=generator(seed)) < 0.6
    mask[..., 0, 0], mask[..., 1, :] = True, False
    return mask


def minus_infinity(mask):
    return torch.zeros(mask.shape, dtype=torch.float64).masked_fill(~mask, -math.inf)


def noisy(module, seed=3, std=0.5):
    """Weights far from where they start, so that no part is without effect."""
    with torch.no_grad():
        for i, parameter in enumerate(module.parameters()):
            parameter += std * torch.randn(parameter.shape, generator=generator(seed + i))
    return module.eval()


PER_QUERY = [[1, 7, 2, 0, 3], [5, 4, 0, 0, 7]]
WINDOW = window_mask(L, S, width=3) & causal_mask(L, S, align="bottom-right")
# name -> (L, S, options): every way to say who sees whom, of functions and layers.
CASES = {
    "no mask": (L, S, {}),
    "lengths": (L, S, dict(attn_mask=length_mask([3, 7], S)[:, None])),
    "length 0": (L, S, dict(attn_mask=length_mask([0, 4], S)[:, None])),
    "lengths per query": (L, S, dict(attn_mask=length_mask(PER_QUERY, S)[:, None])),
    "is_causal": (L, L, dict(is_causal=True)),
    "is_causal, offset": (L, S, dict(is_causal=True, query_offset=2)),
    "is_causal, offset 0 of fewer keys": (S, L, dict(is_causal=True, query_offset=0)),
    "is_causal, offset past the keys": (L, S, dict(is_causal=True, query_offset=40)),
    "is_causal, offset of one query": (1, S, dict(is_causal=True, query_offset=3)),
    "causal top-left": (L, S, dict(attn_mask=causal_mask(L, S, align="top-left"))),
    "causal bottom-right": (L, S, dict(attn_mask=causal_mask(L, S, align="bottom-right"))),
    "causal top-left, L > S": (S, L, dict(attn_mask=causal_mask(S, L, align="top-left"))),
    "causal bottom-right, L > S": (S, L, dict(attn_mask=causal_mask(S, L, align="bottom-right"))),
    "window": (L, S, dict(attn_mask=window_mask(L, S, width=2))),
    "window, L > S": (11, L, dict(attn_mask=window_mask(11, L, width=2))),
    "window and causal": (L, L, dict(attn_mask=window_mask(L, width=3), is_causal=True)),
    "lengths and is_causal": (
        S,
        S,
        dict(attn_mask=length_mask([0, 4], S)[:, None], is_causal=True),
    ),
    "lengths, window and causal": (
        L,
        S,
        dict(attn_mask=length_mask([3, 6], S)[:, None] & WINDOW),
    ),
    "a mask for each head, a row empty": (L, S, dict(attn_mask=holes(B, H, L, S))),
    "a mask for all, a row empty": (L, S, dict(attn_mask=holes(L, S))),
    "mask of one row": (L, S, dict(attn_mask=holes(2, S)[:1])),
    "mask of one column": (L, S, dict(attn_mask=holes(L, 1))),
    "mask and an offset": (
        L,
        S,
        dict(attn_mask=holes(B, 1, L, S, seed=5), is_causal=True, query_offset=1),
    ),
    "bias for each head": (L, S, dict(attn_bias=noise(H, L, S))),
    "bias of one row": (L, S, dict(attn_bias=noise(B, 1, 1, S))),
    "bias of one column": (L, S, dict(attn_bias=noise(L, 1))),
    "bias with -inf, a row empty": (L, S, dict(attn_bias=minus_infinity(holes(L, S)))),
    "bias and is_causal": (L, L, dict(attn_bias=noise(H, L, L), is_causal=True)),
    "bias, mask and is_causal": (
        L,
        L,
        dict(attn_bias=noise(H, 1, L), attn_mask=holes(B, 1, L, L), is_causal=True),
    ),
}
# Of functions alone: `scale`. Of layers alone: lengths, and masks (B, L, S) with one for all heads.
SCALES = {
    "scale": (L, S, dict(scale=0.37)),
    "negative scale": (L, S, dict(scale=-0.37)),
    "scale 0": (L, S, dict(scale=0)),
    "negative scale, is_causal": (L, L, dict(scale=-0.3, is_causal=True)),
    "scale 0, is_causal": (L, L, dict(scale=0.0, is_causal=True)),
}
OF_LAYERS = {
    "valid_lens": (L, S, dict(valid_lens=torch.tensor([3, 7]))),
    "valid_lens, a length of 0": (L, S, dict(valid_lens=torch.tensor([0, 4]))),
    "valid_lens per query": (L, S, dict(valid_lens=torch.tensor(PER_QUERY))),
    "valid_lens, is_causal": (S, S, dict(valid_lens=torch.tensor([3, 0]), is_causal=True)),
    "mask (B, L, S)": (L, S, dict(attn_mask=holes(B, L, S))),
    "mask (B, 1, S)": (L, S, dict(attn_mask=holes(B, 2, S)[:, :1])),
    "mask (1, H, 1, S)": (L, S, dict(attn_mask=holes(1, H, 2, S)[:, :, :1])),
    "mask, valid_lens": (L, S, dict(attn_mask=holes(B, H, L, S), valid_lens=torch.tensor([3, 6]))),
    "everything": (
        S,
        S,
        dict(
            **dict(is_causal=True, attn_mask=holes(B, S, S), attn_bias=noise(H, S, S)),
            valid_lens=torch.tensor(PER_QUERY).repeat(1, 2)[:, :S],
        ),
    ),
}


def options_for(case, dtype=torch.float64):
    """(sizes, options) of a case, with its bias in this dtype."""
    queries, keys, options = (CASES | SCALES | OF_LAYERS)[case]
    options = {k: v.clone().to(dtype) if k == "attn_bias" else v for k, v in options.items()}
    return dict(L=queries, S=keys), options


# The definition -----------------------------------------------------------------------------------


def spread(options, shape):
    """Who sees whom, and the bias, at full size (B, H, L, S)."""
    mask, (L, S) = options.get("attn_mask", torch.tensor(True)), shape[-2:]
    mask = (mask[:, None] if mask.ndim == 3 and len(shape) == 4 else mask).expand(shape)
    if options.get("is_causal"):
        places = torch.arange(L) + (options.get("query_offset") or 0)
        mask = mask & (torch.arange(S) <= places[:, None])
    if "valid_lens" in options:
        lengths = options["valid_lens"].reshape(shape[0], -1, 1)  # one for each query, or for all
        mask = mask & (torch.arange(S) < lengths)[:, None]
    bias = options.get("attn_bias", torch.tensor(0.0, dtype=torch.float64)).double().expand(shape)
    return mask, bias


def loop(query, key, value, options, sink=None):
    """The definition, one query at a time, over the keys it may see and no others.

    Heads that share keys stand one after the other. A sink (H,) takes its share and gives nothing.
    """
    query, key, value = query.double(), key.double(), value.double()
    shape = (*query.shape[:-1], key.shape[-2])
    mask, bias = spread(options, shape)
    scale = options.get("scale", 1 / math.sqrt(query.shape[-1]))
    zero = value.new_zeros(())
    weights, outputs = [], []
    for b, h, i in torch.cartesian_prod(*map(torch.arange, shape[:-1])).tolist():
        its = h * key.shape[1] // shape[1]
        score = {
            j: (query[b, h, i] * key[b, its, j]).sum() * scale + bias[b, h, i, j]
            for j in range(shape[-1])
            if mask[b, h, i, j] and bias[b, h, i, j] > -math.inf
        }
        others = {} if sink is None else {"sink": sink[h]}
        top = max((s.item() for s in (score | others).values()), default=0.0)
        total = sum((s - top).exp() for s in (score | others).values())
        row = {j: (s - top).exp() / total for j, s in score.items()}
        weights.append(torch.stack([row.get(j, zero) for j in range(shape[-1])]))
        found = (w * value[b, its, j] for j, w in row.items())
        outputs.append(sum(found, value.new_zeros(value.shape[-1])))
    return (
        torch.stack(outputs).reshape(*shape[:-1], -1),
        torch.stack(weights).reshape(shape),
    )


def linear(x, part):
    return x @ part.weight.mT + (0 if part.bias is None else part.bias)


def unit(x, part):
    return x if part is None else x / torch.sqrt((x**2).mean(-1, keepdim=True) + 1e-6) * part.weight


def layer_loop(mha, query, key, value, options, turn=lambda heads: heads):
    """(output, weights) of a float64 MultiHeadAttention, by its weights alone, head by head.

    turn: what is done to the heads of queries and of keys before they meet.
    """
    D = mha.head_dim

    def heads(x, part, count):
        return torch.stack([linear(x, part)[..., h * D : h * D + D] for h in range(count)], 1)

    query_heads = unit(heads(query, mha.q_proj, mha.num_heads), mha.q_norm)
    key_heads = unit(heads(key, mha.k_proj, mha.num_kv_heads), mha.k_norm)
    value_heads = heads(value, mha.v_proj, mha.num_kv_heads)
    found, weights = loop(turn(query_heads), turn(key_heads), value_heads, options, mha.sink)
    joined = torch.cat(found.unbind(1), -1)
    if mha.gate_proj is not None:
        joined = joined / (1 + torch.exp(-linear(query, mha.gate_proj)))
    return linear(joined, mha.out_proj), weights


def turned(x, base=10000.0):
    """(..., L, D): each pair of numbers of word i is a complex number, times e to the i θ."""
    pairs, (L, D) = torch.complex(x[..., ::2], x[..., 1::2]), x.shape[-2:]
    turns = [[cmath.exp(1j * i * base ** (-2 * j / D)) for j in range(D // 2)] for i in range(L)]
    return torch.view_as_real(pairs * torch.tensor(turns, dtype=torch.complex128)).flatten(-2)


def naive(query, key, value, options):
    """The formula as it is written, each step rounded to the dtype of the inputs."""
    mask, bias = spread(options, (*query.shape[:-1], key.shape[-2]))
    scores = (query @ key.mT) * options.get("scale", 1 / math.sqrt(query.shape[-1]))
    scores = scores + bias.to(query.dtype)
    mask = mask & (bias > -math.inf)
    unseen = ~mask.any(-1, keepdim=True)
    scores = scores.masked_fill(~(mask | unseen), -math.inf)
    return scores.masked_fill(unseen, 0).softmax(-1).masked_fill(unseen, 0) @ value


class LargestOutput(TorchDispatchMode):
    """Remembers how many numbers the largest tensor holds that an operation made; views do not
    count for more than what they look at."""

    def __init__(self):
        super().__init__()
        self.numel, self.sizes = 0, {}

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        for x in filter(torch.is_tensor, tree_leaves(result)):
            size = x.untyped_storage().nbytes() // x.element_size()
            self.numel = max(self.numel, size)
            self.sizes[x.untyped_storage().data_ptr()] = size
        return result


# Gradients, and how near --------------------------------------------------------------------------


def gradients(output, inputs, seed=3):
    """Gradients of a random weighted sum of the output, a sum of plain 1s would miss errors."""
    weights = torch.randn(output.shape, generator=generator(seed)).double()
    wanted = torch.autograd.grad((output.double() * weights).sum(), inputs, allow_unused=True)
    return [torch.zeros_like(x) if g is None else g for x, g in zip(inputs, wanted, strict=True)]


def results(function, *tensors):
    """What a function returns, and the gradients of a sum of it with random factors."""
    tensors = [x.detach().clone().requires_grad_() for x in tensors]
    found = function(*tensors)
    found = found if isinstance(found, tuple) else (found,)
    finite = [x.masked_fill(x == -math.inf, 0) for x in found]
    loss = sum((x * noise(*x.shape, seed=7 + i)).sum() for i, x in enumerate(finite))
    return [*(x.detach() for x in found), *torch.autograd.grad(loss, tensors)]


def with_gradients(output, inputs):
    return [output, *gradients(output, inputs)]


def assert_errs_at_most_twice(got, formula, wanted):
    """No tensor is more than twice as far from what is wanted as the formula in that precision.

    No bound lies below what storing the largest number costs: half a unit in the last place.
    """
    for mine, theirs, exact in zip(got, formula, wanted, strict=True):
        stored = exact.abs().max().item() / size(exact) * torch.finfo(mine.dtype).eps / 2
        assert worst([mine], [exact]) <= 2 * max(worst([theirs], [exact]), stored)
