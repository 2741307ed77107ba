"""What readers answer beside the solutions and the mistakes that `check` knows as their edits.

Right functions that go another way than the solution, the package's own where it has them; wrong
ones that others published; and values found by hand.
"""

import itertools
import json
import math
import re

import numpy as np
import torch
import torch.nn.functional as F
from cells import chapters, is_solution
from torch import nn

import d2lattn
from d2lattn import attention
from d2lattn.multihead import Context
from d2lattn_book.exercises.chapter_05 import GROWTH
from d2lattn_book.exercises.chapter_07 import TIES


def cells(chapter):
    """(source, whether it is a solution) of each code cell of a chapter."""
    (path,) = chapters([f"{chapter:02d}"])
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            yield "".join(cell["source"]), is_solution(cell)


def solution(number):
    """The function or class of a solution as it stands in its chapter, up to its `check`."""
    title = f"# @title Solution {number} "
    (source,) = (
        source for source, _ in cells(int(number.partition(".")[0])) if source.startswith(title)
    )
    return re.search(r"^(def|class) .*?(?=\n\S|\Z)", source, re.M | re.S)[0].rstrip() + "\n"


def answer(number, edits=None):
    """The function or class of a solution, after the edits {text: what stands there instead}."""
    source = solution(number)
    for old, new in (edits or {}).items():
        assert old in source, f"the solution of {number} has no {old!r} any more"
        source = source.replace(old, new)
    scope = {"torch": torch, "nn": nn, "math": math}
    exec(source, scope)
    return scope[re.match(r"(?:def|class) (\w+)", source)[1]]


def many_heads(X, Wq, Wk, Wv, Wo, H):
    """One head after the other."""
    each = zip(*(W.chunk(H) for W in (Wq, Wk, Wv)), strict=True)
    heads = [attention(X @ q.T, X @ k.T, X @ v.T) for q, k, v in each]
    return torch.cat(heads, -1) @ Wo.T


def sines(length, dim):
    """Number by number."""
    return [
        [math.sin(i / 10000 ** (c // 2 * 2 / dim) + c % 2 * math.pi / 2) for c in range(dim)]
        for i in range(length)
    ]


def waves(divisors):
    """Exercise 6.3 as most write it: in place, in NumPy, with exp and log."""

    def encoding(length, dim):
        P = np.zeros((length, dim))
        angles = np.arange(length)[:, None] * divisors(np.arange(0, dim, 2), dim)
        P[:, 0::2], P[:, 1::2] = np.sin(angles), np.cos(angles)[:, : dim // 2]
        return P

    return encoding


def table_of_pairs(q, k, v):
    """Linear attention as a triangle of weights."""
    weights = ((F.elu(q) + 1) @ (F.elu(k) + 1).T).tril()
    return weights @ v / weights.sum(-1, keepdim=True)


def analogy(a, b, c, words, vectors):
    vector = dict(zip(words, vectors, strict=True))
    goal = vector[b] - vector[a] + vector[c]
    others = {*words} - {a, b, c}
    return max(others, key=lambda word: F.cosine_similarity(vector[word], goal, dim=0))


def whole_ring(queries, keys, values, places):
    """One attention of all words, cut into shards afterwards."""
    order = torch.cat(places)
    output = attention(*map(torch.cat, (queries, keys, values)), attn_mask=order <= order[:, None])
    return list(output.split([len(mine) for mine in places]))


def passes_of(text, start, guess):
    """Pass by pass, with what is still to come."""
    passes, left = 0, text[start:]
    while left:
        same = [a == b for a, b in zip(guess(text[: len(text) - len(left)]), left, strict=False)]
        left, passes = left[[*same, False].index(False) + 1 :], passes + 1
    return passes


class Attend(nn.Module):
    """Exercise 1.2 as a module, and with its division last."""

    def forward(self, X):
        powers = torch.exp(X @ X.mT)
        return powers @ X / powers.sum(-1, keepdim=True)


class Rows(nn.Embedding):
    """Exercise 6.5 as a subclass of the table itself."""

    def forward(self, x):
        return x + super().forward(torch.arange(x.shape[1]))


# Right functions of another form; those that break a rule of the task stand below.
RIGHT_FORMS = {
    "1.2": Attend(),
    "1.3": lambda X: attention(F.normalize(X), F.normalize(X), X, scale=1.0),
    "1.4": lambda X, T: attention(X, X, X, scale=1 / T),
    "1.6": lambda w, j, causal: F.normalize(torch.cat([w, w[[j]] * (not causal)]), p=1, dim=0),
    "2.3": lambda W_q, W_k, A: (A @ W_q, np.linalg.solve(A.numpy().T, W_k.numpy())),
    "2.4": lambda w: F.normalize(torch.cat([w, w[-1:]]), p=1, dim=0),
    "2.6": lambda q, K: torch.autograd.functional.jacobian(lambda q: (K @ q).softmax(0) @ K, q),
    "3.2": d2lattn.attention_weights,
    "3.3": d2lattn.masked_softmax,
    "4.2": lambda query, keys, values, T: attention(query, keys, values, scale=1 / T),
    "4.3": lambda x, num_heads: torch.stack(x.chunk(num_heads, -1), 1),
    "4.5": lambda valid_lens, S: torch.tensor([[s >= v for s in range(S)] for v in valid_lens]),
    "4.6": lambda heads, Wo: torch.stack(
        [head @ W.T for head, W in zip(heads.unbind(1), Wo.chunk(heads.shape[1], 1), strict=True)],
        1,
    ),
    "4.7": lambda Wq, Wk, Wv, Wo, num_heads, on: (
        *(torch.cat([W.chunk(num_heads)[h] for h in on]) for W in (Wq, Wk, Wv)),
        torch.cat([Wo.chunk(num_heads, 1)[h] for h in on], 1),
    ),
    "5.1": lambda sizes, steps: 1 + (torch.tensor(sizes) - 1) @ torch.tensor(steps),
    "5.2": lambda n: next(k for k in range(n + 1) if 2 * (k - 1) + 1 >= n),
    "5.3": lambda n, d, r: (
        4 * d * sum(abs(i - j) <= r for i in range(n) for j in range(n)),
        math.ceil((n - 1) / r),
    ),
    "5.4": lambda d, k: next(
        n for n in itertools.count(1) if 8 * n * d**2 + 4 * n**2 * d > 2 * n * k * d**2
    ),
    "6.2": lambda X, P: torch.stack([tokens + P[: len(tokens)] for tokens in X]),
    "6.3": waves(lambda c, dim: np.exp(-c * math.log(10000) / dim)),
    "6.4": lambda length, n: (torch.arange(length)[:, None] >> torch.arange(n) & 1).bool(),
    "6.5": Rows,
    "6.6": lambda row: int((d2lattn.sinusoidal_encoding(1000, 32, dtype=row.dtype) @ row).argmax()),
    "7.2": d2lattn.shift_matrix,
    "7.4": lambda num_heads, length: d2lattn.alibi_bias(num_heads, length).masked_fill(
        ~d2lattn.causal_mask(length), -torch.inf
    ),
    "7.5": lambda table, n: torch.tensor(
        [
            [table[sorted((0, i - j + len(table) // 2, len(table) - 1))[1]] for j in range(n)]
            for i in range(n)
        ]
    ),
    "8.7": lambda n, width: -((1 - n) // (width - 1)),
    "9.1": analogy,
    "9.3": lambda logits, temperature, top_k: F.normalize(
        ((logits - logits.max()) / temperature).exp()
        * (logits.argsort().argsort() >= len(logits) - top_k),
        p=1,
        dim=0,
    ),
    "9.4": lambda W, H, head: W * (torch.arange(len(W)) // (len(W) // H) != head),
    "9.7": lambda weights, period: weights.diagonal(1 - period, 1, 2)[:, 1:].mean(-1),
    "9.9": lambda x, block, key, value: block(
        x,
        context=Context(
            update_cache=lambda k, v: (torch.cat([key, k], 2), torch.cat([value, v], 2))
        ),
    ),
    "10.1": lambda n, window, sinks: torch.tensor(
        [[j <= t and (t - j < window or j < sinks) for j in range(n)] for t in range(n)]
    ),
    "10.2": lambda scores: F.pad(scores, (0, 1)).softmax(-1)[..., :-1],
    "10.3": lambda q, k, v, beta: d2lattn.delta_attention(q, k, v, beta=beta),
    "10.4": lambda b, h, q, k, text, width: (q >= k) & (k > q - width) & (text[q] - text[k] == 0),
    "10.7": lambda q, k, v, alpha: torch.stack(
        [sum(alpha ** (i - j) * (q[i] @ k[j]) * v[j] for j in range(i + 1)) for i in range(len(q))]
    ),
    "11.2": lambda n, ranks, rank: torch.cat(
        [torch.arange(n).chunk(2 * ranks)[i] for i in (rank, -1 - rank)]
    ),
    "11.3": lambda places: [sum(mine) + len(mine) for mine in places],
    "11.4": lambda shards: tuple(torch.cat(shards, 1).chunk(len(shards))),
    "11.5": lambda n, ranks, window: max(
        i // (n // ranks) - max(0, i - window + 1) // (n // ranks) for i in range(n)
    ),
    "12.2": lambda segments: [
        i
        for i in range(len(segments) + 1)
        if i in (0, len(segments)) or segments[i] != segments[i - 1]
    ],
    "12.3": lambda shared, own, size: (
        shared // size + sum(math.ceil((shared % size + words) / size) for words in own)
    ),
    "12.4": passes_of,
}
# Right results that break a rule of the task: (exercise, part of what is said, function).
BROKEN_RULES = [
    ("1.2", "but softmax computes the weights", lambda X: (X @ X.T).softmax(-1) @ X),
    ("2.2", "but d2lattn's attention computes it", lambda X, *W: attention(*(X @ w.T for w in W))),
    (
        "3.4",
        "but d2lattn's length_mask computes it",
        lambda lens, n, width: (
            d2lattn.length_mask(lens, n)
            & d2lattn.causal_mask(n)
            & d2lattn.window_mask(n, width=width)
        ),
    ),
    ("3.5", "but d2lattn's masked_softmax computes it", d2lattn.masked_softmax),
    ("4.4", "but d2lattn's attention computes it", many_heads),
    ("6.3", "The numbers are right, but", sines),
    ("7.3", "but d2lattn's apply_rotary computes it", d2lattn.apply_rotary),
    (
        "8.6",
        "but d2lattn's merge computes it",
        lambda output_1, l_1, output_2, l_2: d2lattn.merge((output_1, output_2), (l_1, l_2)),
    ),
    ("8.8", "a table of all pairs, a tensor (5, 5)", table_of_pairs),
    (
        "10.5",
        "keys or values, a tensor (7, 4)",
        lambda q, latents, W_k, W_v: attention(q, latents @ W_k.T, latents @ W_v.T),
    ),
    (
        "9.3",
        "3 can be sampled with top_k=2, where three logits tie",
        lambda logits, T, k: (
            (logits / T).masked_fill(logits < logits.topk(k).values[-1], -math.inf).softmax(-1)
        ),
    ),
    ("11.6", "all blocks, a tensor (9, 4)", whole_ring),
]


def without_transpose(X, Wq, Wk, Wv, Wo, H):
    B, _, E = X.shape
    Q, K, V = ((X @ W.T).view(B * H, -1, E // H) for W in (Wq, Wk, Wv))
    return F.scaled_dot_product_attention(Q, K, V).view(B, -1, E) @ Wo.T


def heads_before_the_batch(X, Wq, Wk, Wv, Wo, H):
    B, L, E = X.shape
    Q, K, V = ((X @ W.T).view(B, L, H, -1).transpose(1, 2) for W in (Wq, Wk, Wv))
    output = F.scaled_dot_product_attention(Q, K, V).reshape(H, B, -1, E // H)
    return output.permute(0, 2, 1, 3).contiguous().view(B, -1, E) @ Wo.T


def column_by_column(length, dim):
    """Two columns at a time, each with its own number in the exponent."""
    pe = torch.zeros(length, dim + dim % 2, dtype=torch.float64)
    for pos in range(length):
        for i in range(0, dim, 2):
            pe[pos, i] = math.sin(pos / (10000 ** ((2 * i) / dim)))
            pe[pos, i + 1] = math.cos(pos / (10000 ** ((2 * (i + 1)) / dim)))
    return pe[:, :dim]


def rotated(other, repeat):
    """RoPE with this rotated part, and the angles of pairs repeated in this way."""

    def rope(x):
        speeds = 1.0 / 10000 ** (torch.arange(0, x.shape[-1], 2).float() / x.shape[-1])
        angles = repeat(torch.outer(torch.arange(len(x)).float(), speeds))
        return x * angles.cos() + other(x) * angles.sin()

    return rope


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def twice(angles):
    return angles.repeat(1, 2)


def alibi(bias, first=1):
    """ALiBi with heads from number `first` on, and what the slopes are multiplied by."""

    def answer(H, length):
        slopes = torch.tensor([2 ** (-8 * (h + first) / H) for h in range(H)])
        q, k = torch.arange(length)[:, None], torch.arange(length)
        return (slopes[:, None, None] * bias(q, k)).masked_fill(k > q, -math.inf)

    return answer


def added_lse(out, lse, block_out, block_lse):
    new = lse + block_lse
    weights = (lse - new).exp()[:, None], (block_lse - new).exp()[:, None]
    return weights[0] * out + weights[1] * block_out, new


def plain_exponentials(out, lse, block_out, block_lse):
    a, b = lse.exp()[:, None], block_lse.exp()[:, None]
    return (a * out + b * block_out) / (a + b), (a + b).log()[:, 0]


def divided_by_each_feature(q, k, v):
    q, k = F.elu(q) + 1, F.elu(k) + 1
    context = torch.einsum("nd,ne->nde", k, v).cumsum(-3)
    return torch.einsum("nde,nd->ne", context / k.cumsum(-2).unsqueeze(-1), q)


def exponentials_over_temperature(logits, temperature, k):
    chosen = logits.topk(k)
    kept = torch.full_like(logits, -math.inf).scatter(0, chosen.indices, chosen.values)
    powers = kept.exp() / temperature
    return powers / powers.sum()


def one_after_the_largest(scores):
    powers = (scores - scores.max(dim=-1, keepdim=True).values).exp()
    return powers / (1 + powers.sum(dim=-1, keepdim=True))


# (exercise, part of what is said, the answer) of wrong answers that somebody published and meant;
# above each stands where, on https://github.com/. The code has the form that the exercise asks for.
PUBLISHED = [
    # duoan/TorchCode/issues/17
    ("3.2", "You divided by d", lambda query, key: (query @ key.mT / query.shape[-1]).softmax(-1)),
    # tenstorrent/tt-metal/pull/56789
    ("3.2", "number of heads", lambda query, key: (query @ key.mT / len(query) ** 0.5).softmax(-1)),
    # lucidrains/vit-pytorch/issues/65
    ("3.2", "the model's", lambda q, k: (q @ k.mT * (len(q) * q.shape[-1]) ** -0.5).softmax(-1)),
    # nerminnuraydogan/vision-transformer/issues/1
    ("3.2", "the queries,", lambda q, k: (q @ k.mT / q.shape[-1] ** 0.5).softmax(1)),
    # PetrochukM/PyTorch-NLP/issues/2
    ("3.2", "the heads", lambda q, k: (q @ k.mT / q.shape[-1] ** 0.5).softmax(0)),
    # duoan/TorchCode/issues/17
    (
        "3.3",
        "score happens to be 0",
        lambda s, mask: (s * mask).where(s * mask != 0, -math.inf).softmax(-1),
    ),
    # awslabs/gluonts/pull/1401
    ("3.3", "exp(0) = 1, so", lambda scores, mask: scores.masked_fill(~mask, 1e-9).softmax(-1)),
    # TransformerLensOrg/TransformerLens/pull/319
    ("3.3", "lower than the", lambda scores, mask: scores.masked_fill(~mask, -1e5).softmax(-1)),
    # huggingface/transformers/issues/14859
    (
        "3.3",
        "You subtract 10,000",
        lambda s, mask: (s + (1.0 - mask.float()) * -10000.0).softmax(-1),
    ),
    # reczoo/FuxiCTR/issues/30
    ("4.3", "You reshape without a", lambda x, H: x.view(len(x), H, -1, x.shape[-1] // H)),
    # lsdefine/attention-is-all-you-need-keras/issues/36
    ("4.3", "before the batch", lambda x, H: x.view(*x.shape[:2], H, -1).permute(2, 0, 1, 3)),
    # 649453932/Chinese-Text-Classification-Pytorch/issues/53
    ("4.4", "Transpose axes 1 and 2 when you split", without_transpose),
    # gazelle93/Transformer-Various-Positional-Encoding/issues/1
    ("4.4", "as if the shape were (H, B, L, D)", heads_before_the_batch),
    # philipperemy/keras-tcn/issues/196
    (
        "5.1",
        "not k·dilation",
        lambda sizes, steps: 1 + sum(map(math.prod, zip(sizes, steps, strict=True))),
    ),
    # pytorch/tutorials/issues/1547
    ("6.2", "along the batch axis", lambda X, P: X + P[:, None][: X.size(0)]),
    # SamLynnEvans/Transformer/issues/25
    ("6.3", "Your exponent uses twice the", column_by_column),
    # maxjcohen/transformer/issues/62
    ("6.3", "Your base is 1000", waves(lambda c, dim: 1 / 1000 ** (c / dim))),
    # harvardnlp/annotated-transformer/issues/131
    ("6.3", "You multiplied the", waves(lambda c, dim: np.exp(c * math.log(10000) / dim))),
    # zju3dv/LoFTR/issues/41, whose d_model is that of two such encodings
    ("6.3", "// 2 divides", waves(lambda c, dim: np.exp(c * (-math.log(10000) / (2 * dim) // 2)))),
    # raiyanyahya/how-to-train-your-gpt/issues/6
    ("7.3", "j + d/2, but", rotated(rotate_half, lambda angles: angles.repeat_interleave(2, -1))),
    # huggingface/transformers/issues/40462
    ("7.3", "You paired (j, j + d/2), the", rotated(rotate_half, twice)),
    # facebookresearch/vjepa2/pull/15
    (
        "7.3",
        "2j + 1, but",
        rotated(lambda x: torch.stack([-x[:, 1::2], x[:, ::2]], -1).flatten(-2), twice),
    ),
    # Tongjilibo/bert4torch/issues/1
    ("7.3", "is in halves", rotated(lambda x: torch.cat([-x[:, 1::2], x[:, ::2]], -1), twice)),
    # meta-pytorch/attention-gym/pull/86
    ("7.4", "The sign is", alibi(lambda q, k: q - k)),
    # paiml/aprender/pull/2143
    ("7.4", "Your h starts at 0. It", alibi(lambda q, k: k - q, first=0)),
    # mosaicml/llm-foundry/issues/186
    ("7.4", "Every query has the bias of the last", alibi(lambda q, k: k - k.max() + 0 * q)),
    # huggingface/transformers/pull/9164
    ("7.5", "no entry", lambda t, n: t[torch.arange(n)[:, None] - torch.arange(n) + len(t) // 2]),
    # zhuzilin/ring-flash-attention/issues/20
    ("8.6", "Your weights use added", added_lse),
    # SHI-Labs/NATTEN/pull/202
    ("8.6", "exp overflows", plain_exponentials),
    # lucidrains/performer-pytorch/issues/21
    ("8.8", "You divided each feature by its own", divided_by_each_feature),
    # google/gemma.cpp/pull/981
    ("9.3", "The temperature has no", exponentials_over_temperature),
    # SHI-Labs/Compact-Transformers/issues/25
    (
        "9.9",
        "position 0 nothing is cached",
        answer(
            "9.9",
            {"return x": "x = block.mlp_norm(x)\n    return x", "mlp(block.mlp_norm(x))": "mlp(x)"},
        ),
    ),
    # kyegomez/AttentionIsOFFByOne/issues/2
    ("10.2", "You subtracted the largest score. Subtract", one_after_the_largest),
    # jranaraki/vllm-fit/issues/2
    ("8.2", "You counted a key for", 31_457),
]
# (exercise, part of what is said, edits of the solution)
OPEN = [
    ("3.5", "exp overflows for", {"- largest)": "- largest.mean())"}),
    (
        "6.5",
        "Your module has",
        {"nn.Parameter(0.02 * torch.randn(max_len, dim))": "torch.zeros(max_len, dim)"},
    ),
    ("6.5", "needs max_len × dim = 36", {"randn(max_len, dim)": "randn(dim)"}),
    ("6.5", "the shape is (9, 4)", {"return x": "return x[0]"}),
    ("6.5", "The rows get", {"self.rows[": "self.rows.data["}),
    ("6.5", "The sequences of a", {"x.shape[1]]": "x.shape[0], None]"}),
    ("6.5", "All positions get the same", {": x.shape[1]": "0"}),
    ("6.5", "Your rows depend on", {"return x": "return 2 * x"}),
    ("6.5", "A shorter sequence", {": x.shape[1]": "-x.shape[1] :"}),
    ("6.5", "must return a tensor, got NoneType", {"return x": "x"}),
    ("6.5", 'missing the required "forward"', {"def forward": "def backward"}),
]
# Right answers to the exercises that ask for a value, as a reader may write them.
RIGHT = [
    ("0.5", " Hungry "),
    ("1.5", np.float64(2)),
    ("3.1", 36 * (1 / 3) * (1 / 3)),
    ("4.1", 2_362_368),
    ("4.1", 4.0 * 768 * 769),
    ("6.1", [6.28, 628]),
    ("7.1", 0.909),
    ("8.1", torch.tensor(55.879)),
    ("8.2", 157_286),
    ("8.3", 2.75),
    ("8.4", [18, 500]),
    ("9.2", [6950, 119]),
    ("10.6", [2094.73, 707.625, 123.19]),
    ("11.1", 183.105),
    ("12.1", 40),
    ("12.5", (295, 6)),
]
# Wrong values, and part of what is said about them.
WRONG = [
    ("0.1", [5, 4, 1, 2], "a list of 2 rows is expected, got the list [5, 4, 1, 2]"),
    ("1.1", [12.5, 25, 62.5], "This looks like a"),
    ("1.1", [0.12, 0.25, 0.63], "every number to three digits"),
    ("1.5", 2 + 5j, "complex"),
    ("3.1", [4], "a number is expected, got the list [4]"),
    ("3.1", 4.01, "give whole numbers to the last digit"),
    ("0.5", {"a"}, "text in quotes is expected, got {'a'}"),
    ("4.1", 2.36e6, "2360000.0 is close: give whole numbers to the last digit"),
    ("4.1", "2,362,368", "a number without quotes and commas is expected, got text"),
    ("4.1", 2_362_367, "is not correct"),
    ("5.5", dict.fromkeys(GROWTH, 1), "Look again at “FLOPs of the projections”. Each token"),
    ("5.5", dict.fromkeys(GROWTH, 1) | {"FLOPs of the projections": ...}, "has no answer yet"),
    ("6.7", {"added: token vectors": True}, "the dictionary with all its entries"),
    ("7.7", [*TIES.values()], "the dictionary with all its entries"),
    ("7.7", dict.fromkeys(TIES, "later start"), "and ALiBi, on latest value”. RoPE, ALiBi and"),
    ("7.7", {pair: tests[0] for pair, tests in TIES.items()}, "Use every test once"),
    ("7.7", dict.fromkeys(TIES, "seeds"), "'seeds' is none of the four tests"),
    ("8.1", 57, "is not correct"),
    ("9.5", "abc", "Sentence c does not follow"),
    ("9.5", "a", "Sentence b follows"),
    ("9.5", ["a", "b"], "a string of letters"),
    ("9.6", ("abcabc", "abcacb"), "in 'abcabc' the head predicts 2 times"),
    ("9.6", ("abcabcabc", "abcbacbac"), "the head predicts 'b' at position 5, which"),
    ("9.6", ("abcabacbc", "abcacbbca"), "in 'abcabacbc' the head predicts 'c' at position 4, but"),
    ("9.6", ("abcabcabc", "abacadae"), "harms must contain the letters of helps"),
    ("12.5", [295, 7], "already has one token"),
]
