"""What readers answer beside the solutions and the mistakes that `check` knows as their edits.

Right functions that go another way than the solution, the package's own where it has them;
mistakes in a second form; and values found by hand.
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


def many_heads(X, Wq, Wk, Wv, Wo, H, attend=F.scaled_dot_product_attention):
    """One head after the other."""
    each = zip(*(W.chunk(H) for W in (Wq, Wk, Wv)), strict=True)
    heads = [attend(X @ q.T, X @ k.T, X @ v.T) for q, k, v in each]
    return torch.cat(heads, -1) @ Wo.T


def sines(length, dim):
    """Number by number."""
    return [
        [math.sin(i / 10000 ** (c // 2 * 2 / dim) + c % 2 * math.pi / 2) for c in range(dim)]
        for i in range(length)
    ]


def rope(x):
    """A pair is one complex number."""
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    speeds = 10000 ** (-torch.arange(len(pairs[0])) / len(pairs[0]))
    turned = pairs * torch.polar(torch.ones(()), torch.arange(len(x))[:, None] * speeds)
    return torch.view_as_real(turned).flatten(-2)


def merged(output_1, l_1, output_2, l_2):
    """The weight of the first half is a sigmoid."""
    weight = torch.sigmoid(l_1 - l_2)[:, None]
    return weight * output_1 + (1 - weight) * output_2, torch.stack((l_1, l_2)).logsumexp(0)


def running_sums(q, k, v):
    """All states at once."""
    q, k = F.elu(q) + 1, F.elu(k) + 1
    outputs = torch.einsum("nd,nde->ne", q, torch.einsum("nd,ne->nde", k, v).cumsum(0))
    return outputs / (q * k.cumsum(0)).sum(-1, keepdim=True)


def table_of_pairs(q, k, v):
    """Linear attention as a triangle of weights."""
    weights = ((F.elu(q) + 1) @ (F.elu(k) + 1).T).tril()
    return weights @ v / weights.sum(-1, keepdim=True)


def analogy(a, b, c, words, vectors):
    vector = dict(zip(words, vectors, strict=True))
    goal = vector[b] - vector[a] + vector[c]
    others = {*words} - {a, b, c}
    return max(others, key=lambda word: F.cosine_similarity(vector[word], goal, dim=0))


def sums_ring(queries, keys, values, places):
    """Two sums run along instead of parts."""
    outputs = []
    for q, mine in zip(queries, places, strict=True):
        total, output = 0, 0
        for k, v, theirs in zip(keys, values, places, strict=True):
            powers = (q @ k.T / q.shape[1] ** 0.5).exp() * (theirs <= mine[:, None])
            total, output = total + powers.sum(1, keepdim=True), output + powers @ v
        outputs.append(output / total)
    return outputs


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


RIGHT_FORMS = {
    "1.2": lambda X: ((X @ X.T) - (X @ X.T).logsumexp(-1, keepdim=True)).exp() @ X,
    "1.3": lambda X: attention(F.normalize(X), F.normalize(X), X, scale=1.0),
    "1.4": lambda X, T: attention(X, X, X, scale=1 / T),
    "2.2": lambda X, W_q, W_k, W_v: F.scaled_dot_product_attention(
        *map(X.matmul, (W_q.T, W_k.T, W_v.T))
    ),
    "2.3": lambda W_q, W_k, A: (A @ W_q, torch.linalg.solve(A.T, W_k)),
    "2.4": lambda w: F.normalize(torch.cat([w, w[-1:]]), p=1, dim=0),
    "2.6": lambda q, K: torch.autograd.functional.jacobian(lambda q: (K @ q).softmax(0) @ K, q),
    "3.2": d2lattn.attention_weights,
    "3.3": d2lattn.masked_softmax,
    "3.4": lambda valid_lens, n, width: torch.tensor(
        [[[j < v and 0 <= i - j < width for j in range(n)] for i in range(n)] for v in valid_lens]
    ),
    "4.2": lambda query, keys, values, T: attention(query, keys, values, scale=1 / T),
    "4.3": lambda x, num_heads: torch.stack(x.chunk(num_heads, -1), 1),
    "4.4": many_heads,
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
    "5.6": lambda layer, n, d: torch.stack(
        [
            (layer(torch.eye(n)[j, :, None].expand(1, n, d)) != layer(torch.zeros(1, n, d)))[0].any(
                -1
            )
            for j in range(n)
        ],
        1,
    ),
    "6.2": lambda X, P: torch.stack([tokens + P[: len(tokens)] for tokens in X]),
    "6.3": lambda length, dim: d2lattn.sinusoidal_encoding(length, dim, dtype=torch.float64),
    "6.4": lambda length, count: [
        [int(bit) for bit in f"{i:0{count}b}"[::-1]] for i in range(length)
    ],
    "6.6": lambda row: int((d2lattn.sinusoidal_encoding(1000, 32, dtype=row.dtype) @ row).argmax()),
    "7.2": d2lattn.shift_matrix,
    "7.3": rope,
    "7.4": lambda num_heads, length: d2lattn.alibi_bias(num_heads, length).masked_fill(
        ~d2lattn.causal_mask(length), -torch.inf
    ),
    "7.5": lambda table, length: torch.stack(
        [
            F.pad(table[None], (length, length), "replicate")[0][len(table) // 2 + length - j :][
                :length
            ]
            for j in range(length)
        ],
        1,
    ),
    "8.6": merged,
    "8.7": lambda n, width: -((1 - n) // (width - 1)),
    "8.8": running_sums,
    "9.1": analogy,
    "9.3": lambda logits, temperature, top_k: F.normalize(
        ((logits - logits.max()) / temperature).exp()
        * (logits.argsort().argsort() >= len(logits) - top_k),
        p=1,
        dim=0,
    ),
    "9.4": lambda weight, num_heads, head: (
        weight * (torch.arange(len(weight)) // (len(weight) // num_heads) != head)
    ),
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
    "10.4": lambda b, h, q, k, document, width: (
        (q - k >= 0) & (k > q - width) & (document[q] - document[k] == 0)
    ),
    "10.5": lambda q, latents, W_k, W_v: (
        attention(q @ W_k, latents, latents, scale=q.shape[1] ** -0.5) @ W_v.mT
    ),
    "10.7": lambda q, k, v, alpha: torch.stack(
        [sum(alpha ** (i - j) * (q[i] @ k[j]) * v[j] for j in range(i + 1)) for i in range(len(q))]
    ),
    "11.2": lambda n, ranks, rank: torch.cat(
        [torch.arange(n).chunk(2 * ranks)[i] for i in (rank, -1 - rank)]
    ),
    "11.3": lambda places: [sum(mine) + len(mine) for mine in places],
    "11.4": lambda shards: [
        torch.cat(heads, 1) for heads in zip(*(x.chunk(len(shards)) for x in shards), strict=True)
    ],
    "11.5": lambda n, ranks, window: max(
        i // (n // ranks) - max(0, i - window + 1) // (n // ranks) for i in range(n)
    ),
    "11.6": sums_ring,
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


class Attend(nn.Module):
    """Exercise 1.2 as a module, and with its division last."""

    def forward(self, X):
        powers = torch.exp(X @ X.mT)
        return powers @ X / powers.sum(-1, keepdim=True)


class Rows(nn.Embedding):
    """Exercise 6.5 as a subclass of the table itself."""

    def forward(self, x):
        return x + super().forward(torch.arange(x.shape[1]))


def rope_of_rows(x):
    """Exercise 7.3 row by row, in place, in NumPy."""
    turned = x.numpy().copy()
    for i, row in enumerate(turned):
        angles = i / 10000 ** (np.arange(0, len(row), 2) / len(row))
        even, odd = row[0::2].copy(), row[1::2].copy()
        row[0::2] = even * np.cos(angles) - odd * np.sin(angles)
        row[1::2] = even * np.sin(angles) + odd * np.cos(angles)
    return turned


def sines_of_exp_and_log(length, dim):
    """Exercise 6.3 as most write it, with exp and log."""
    P = np.zeros((length, dim))
    divisors = np.exp(np.arange(0, dim, 2) * -(math.log(10000.0) / dim))
    P[:, 0::2] = np.sin(np.arange(length)[:, None] * divisors)
    P[:, 1::2] = np.cos(np.arange(length)[:, None] * divisors[: dim // 2])
    return P


# Right functions in a style or with results of another kind: (exercise, function).
UNUSUAL = [
    ("6.3", sines_of_exp_and_log),
    ("7.3", rope_of_rows),
    ("1.2", Attend()),
    ("2.3", lambda W_q, W_k, A: (A @ W_q, np.linalg.solve(A.numpy().T, W_k.numpy()))),
    (
        "6.4",
        lambda length, count: (torch.arange(length)[:, None] >> torch.arange(count) & 1).bool(),
    ),
    ("6.5", Rows),
    ("11.4", lambda shards: tuple(torch.cat(shards, 1).chunk(len(shards)))),
]
# Right results that break a rule of the task: (exercise, part of what is said, function).
BROKEN_RULES = [
    ("1.2", "but softmax computes the weights", lambda X: (X @ X.T).softmax(-1) @ X),
    (
        "2.2",
        "but d2lattn's attention computes it",
        lambda X, W_q, W_k, W_v: attention(X @ W_q.T, X @ W_k.T, X @ W_v.T),
    ),
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
    ("4.4", "but d2lattn's attention computes it", lambda *given: many_heads(*given, attention)),
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
# The powers of 10,000 in exercises 6.3 and 7.3, where many write exp and log
OF_SINES = "10000 ** (torch.arange(0, dim, 2) / dim).double()"
OF_ROPE = "10000 ** (-torch.arange(0, d, 2) / d)"
# (exercise, part of the diagnosis, edits of the solution)
SECOND_FORMS = [
    ("1.2", "columns sum to 1", {"dim=-1": "dim=0"}),
    (
        "2.6",
        "This is the gradient",
        {
            "return c.T @ (w[:, None] * c)": (
                "q = q.clone().requires_grad_()\n"
                "    return torch.autograd.grad((torch.softmax(K @ q, 0) @ K).sum(), q)[0]"
            )
        },
    ),
    (
        "3.3",
        "That gives 0/0",
        {
            "return torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)": (
                "e = torch.exp(scores - scores.amax(-1, keepdim=True)) * mask; "
                "return e / e.sum(-1, keepdim=True)"
            )
        },
    ),
    (
        "6.3",
        "Your exponent is",
        {OF_SINES: "torch.exp(torch.arange(0, dim, 2).double() * math.log(10000) / (dim / 2))"},
    ),
    (
        "6.3",
        "The exponent is 2j/d, not j/d.",
        {OF_SINES: "torch.exp(torch.arange(0, dim, 2).double() * math.log(10000) / dim / 2)"},
    ),
    (
        "7.3",
        "Your exponent has the 2",
        {OF_ROPE: "torch.exp(-torch.arange(0, d, 2) * math.log(1e4) / (d // 2))"},
    ),
    (
        "7.3",
        "The 2 is missing",
        {OF_ROPE: "torch.exp(-torch.arange(0, d, 2) * math.log(1e4) / (2 * d))"},
    ),
    ("3.5", "exp overflows for", {"- largest)": "- largest.mean())"}),
    ("6.2", "P[:batch]", {"X.shape[1]": "len(X)"}),
    (
        "6.5",
        "Your module has",
        {"nn.Parameter(0.02 * torch.randn(max_len, dim))": "torch.zeros(max_len, dim)"},
    ),
    ("6.5", "needs max_len × dim = 36", {"randn(max_len, dim)": "randn(dim)"}),
    ("6.5", "the shape is (9, 4)", {"return x": "return x[0]"}),
    ("6.5", "must match the size", {": x.shape[1]": "1 : x.shape[1] + 1"}),
    ("6.5", "The rows get", {"self.rows[": "self.rows.data["}),
    ("6.5", "The sequences of a", {"x.shape[1]]": "x.shape[0], None]"}),
    ("6.5", "All positions get the same", {": x.shape[1]": "0"}),
    ("6.5", "Your rows depend on", {"return x": "return 2 * x"}),
    ("6.5", "A shorter sequence", {": x.shape[1]": "-x.shape[1] :"}),
    ("6.5", "must return a tensor, got NoneType", {"return x": "x"}),
    ("6.5", "must return a tensor, got NoneType", {"return x + self.rows[: x.shape[1]]": "..."}),
    ("6.5", 'missing the required "forward"', {"def forward": "def backward"}),
    ("9.4", "changes its input", {"    weight = weight.clone()\n": ""}),
    (
        "10.2",
        "exp overflows",
        {"(scores - largest).exp()": "scores.exp()", "(-largest).exp()": "1"},
    ),
    ("10.3", "transposed", {"torch.outer(key, error)": "error[:, None] * key"}),
    (
        "10.5",
        "The output is right, but you compute keys or values, a tensor",
        {"@ latents  # (L, c)": "@ (latents @ W_v.T)", "return context @ W_v.T": "return context"},
    ),
]
# Right answers to the exercises that ask for a value, as a reader may write them.
RIGHT = [
    ("0.5", " Hungry "),
    ("0.8", "A"),
    ("1.1", [0.125, 0.25, 0.625]),
    ("1.5", np.float64(2)),
    ("3.1", 36 * (1 / 3) * (1 / 3)),
    ("4.1", 2_362_368),
    ("4.1", 4.0 * 768 * 769),
    ("6.1", [6.28, 628.3]),
    ("6.1", [6.28, 628]),
    ("7.1", 0.909),
    ("8.1", 56),
    ("8.1", 12 * 50_000**2 * 2 / 2**30),
    ("8.1", torch.tensor(55.879)),
    ("8.2", 157_286),
    ("8.3", 2.75),
    ("8.4", [18, 500]),
    ("9.2", [6950, 119]),
    ("10.6", [2094.73, 707.625, 123.19]),
    ("11.1", 183),
    ("11.1", 183.105),
    ("12.1", 40),
    ("12.5", (295, 6)),
]
# Wrong values, and part of what is said about them.
WRONG = [
    ("0.1", [5, 4, 1, 2], "a list of 2 rows is expected, got the list [5, 4, 1, 2]"),
    ("0.4", 20, "This looks like a"),
    ("1.1", [12.5, 25, 62.5], "This looks like a"),
    ("1.1", [0.12, 0.25, 0.63], "every number to three digits"),
    ("1.1", [0.3, 0.3, 0.4], "is not correct"),
    ("1.5", 2 + 5j, "complex"),
    ("1.5", 2.05, "is not correct"),
    ("3.1", "4", "a number is expected, got the str '4'"),
    ("3.1", [4], "a number is expected, got the list [4]"),
    ("2.1", [0.5] * 4, "a list of 5 numbers is expected, got the list"),
    ("2.1", [50, 50, 50, 50, 0], "This looks like a"),
    ("2.1", 0.5, "a list of 5 numbers is expected, got the float 0.5"),
    ("2.1", "a half each", "a list of 5 numbers is expected, got the str"),
    ("3.1", 4.01, "give whole numbers to the last digit"),
    ("3.1", 4.1, "is not correct"),
    ("4.1", 2_359_296, "You left out the four"),
    ("4.1", 1_771_776, "You left out the output"),
    ("4.1", 2_361_600, "You left out the bias"),
    ("4.1", 28_348_416, "You counted the"),
    ("4.1", 199_680, "from all 768 channels"),
    ("4.1", 2.36e6, "2360000.0 is near: give whole numbers to the last digit"),
    ("4.1", 2_362_367, "is not correct"),
    ("4.1", 2_362_400, "is near"),
    ("4.1", 4 * 768**2 + 48, "is not correct"),
    ("5.5", dict.fromkeys(GROWTH, 1), "Look again at “FLOPs of the projections”. Each token"),
    ("5.5", dict.fromkeys(GROWTH, 1) | {"FLOPs of the projections": ...}, "has no answer yet"),
    ("6.1", [6.2, 620], "three digits"),
    ("6.7", {"added: token vectors": True}, "the dictionary with all its entries"),
    ("7.1", 0.9, "three digits"),
    ("7.1", 0.7, "is not correct"),
    ("7.6", True, "is not correct"),
    ("7.7", [*TIES.values()], "the dictionary with all its entries"),
    ("7.7", dict.fromkeys(TIES, "later start"), "and ALiBi, on latest value”. RoPE, ALiBi and"),
    ("7.7", {pair: tests[0] for pair, tests in TIES.items()}, "Use every test once"),
    ("7.7", dict.fromkeys(TIES, "seeds"), "'seeds' is none of the four tests"),
    ("8.1", 5, "You counted one"),
    ("8.1", 112, "You counted 4 bytes"),
    ("8.1", 28, "This is half of"),
    ("8.1", 27.94, "This is half of"),
    ("8.1", 60, "GB of 1000³ bytes"),
    ("8.1", 57_220, "These are MiB. The answer is in GiB"),
    ("8.1", 55, "rounded down"),
    ("8.1", 57, "is not correct"),
    ("8.2", 314_572, "a factor 2 is missing"),
    ("8.2", 31_457, "You counted a key for"),
    ("8.2", 6_291_456, "Every layer has its own"),
    ("8.2", 78_643, "You counted 4"),
    ("8.2", 20_132_659, "You counted one number"),
    ("8.2", 146_484, "not 10^9"),
    ("8.2", 157_286.4, "is near"),
    ("8.2", 157_000, "is near"),
    ("8.2", 157_287, "is not correct"),
    ("8.2", 163_840, "These are the bytes"),
    ("8.3", 13 / 3.5, "Rescale the first"),
    ("8.3", 43 / 9.5, "its sums shrink"),
    ("8.3", 6.5, "Rescale the accumulator"),
    ("8.3", 5.5 / 3.5, "Rescale the normalizer"),
    ("8.3", 3.5, "averaged the outputs"),
    ("8.4", (24, 500), "moves information by 3"),
    ("8.4", (19, 500), "18 back"),
    ("8.4", (18, 15), "One layer of full attention"),
    ("9.2", [4950, 99], "You left out the tokens of the"),
    ("9.2", [7070, 120], "You counted the last"),
    ("9.2", [100, 100], "These are the forward passes"),
    ("9.2", [119, 119], "Without a cache every pass"),
    ("9.2", [119, 6950], "You swapped the two numbers"),
    ("9.2", [6950, 120], "With the cache you counted the last token"),
    ("9.2", [6950], "a list of 2 numbers is expected"),
    ("9.5", "abc", "Sentence c does not follow"),
    ("9.5", "a", "Sentence b follows"),
    ("9.5", ["a", "b"], "a string of letters"),
    ("9.6", ("abcabc", "abcacb"), "in 'abcabc' the head predicts 2 times"),
    (
        "9.6",
        ("abcabcabc", "abcbacbac"),
        "in 'abcbacbac' the head predicts 'b' at position 5, which",
    ),
    ("9.6", ("abcabacbc", "abcacbbca"), "in 'abcabacbc' the head predicts 'c' at position 4, but"),
    ("9.6", ("abcabcabc", "abacadae"), "harms must contain the letters of helps"),
    ("10.6", [2095, 708, 293], "You counted all layers of Gemma 4 E2B as full,"),
    ("10.6", [2095, 708, 65], "The full"),
    ("10.6", [2095, 708, 8], "You counted all layers of Gemma 4 E2B as windows"),
    ("10.6", [2095, 708, 85], "E2B has four to one"),
    ("10.6", [2095, 708, 287], "The last 20 layers of"),
    ("10.6", [1714, 708, 123], "The indexer of"),
    ("10.6", [2095, 1406, 123], "Half the layers of"),
    ("10.6", [2196, 742, 129], "These are MB"),
    ("10.6", [1047, 354, 62], "bfloat16 takes 2"),
    ("10.6", [2095, 708, 124], "is not correct"),
    ("11.1", 92, "a factor 2 is missing"),
    ("11.1", 11_719, "You counted the"),
    ("11.1", 366, "You counted 4"),
    ("11.1", 61, "You counted only the"),
    ("11.1", 122, "You counted two"),
    ("11.1", 192, "These are MB"),
    ("11.1", 23, "You counted one"),
    ("11.1", 182, "is not correct"),
    ("12.5", [295, 7], "already has one token"),
    ("12.5", [590, 13], "are 2 FLOPs"),
    ("12.5", [147, 2], "bfloat16 takes 2"),
    ("12.5", [295, 255], "together"),
    ("12.5", [296, 6], "Round down"),
]
