"""Slips as readers make them: edits of the book's own solutions, and values found by hand.

Each function slip is (part of the diagnosis, {text in the solution: what stands there instead}).
They are written without a look at the functions in `d2lattn.exercises` that recognise them.
"""

import json
import math
import re

import torch
from cells import chapters, is_solution
from torch import nn

import d2lattn


def cells(chapter):
    """(source, whether it is a solution) of each code cell of a chapter."""
    (path,) = chapters([f"{chapter:02d}"])
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            yield "".join(cell["source"]), is_solution(cell)


def solution(number):
    """The solution of an exercise as it stands in its chapter, up to its `check`."""
    title = f"# @title Solution {number}\n"
    (source,) = (
        source for source, _ in cells(int(number.partition(".")[0])) if source.startswith(title)
    )
    return source.partition("\ncheck(")[0]


def answer(number, edits=None):
    """The function or class of a solution, after the edits."""
    source = solution(number)
    for old, new in (edits or {}).items():
        assert old in source, f"the solution of {number} has no {old!r} any more"
        source = source.replace(old, new)
    scope = {"torch": torch, "nn": nn, "math": math} | {
        name: getattr(d2lattn, name) for name in d2lattn.__all__
    }
    if number == "4.3":  # it uses that of 4.2
        exec(solution("4.2"), scope)
    exec(source, scope)
    return scope[re.findall(r"^(?:def|class) (\w+)", source, re.M)[-1]]


SLIPS = {
    "1.2": [
        ("columns sum to 1", {"dim=-1, keepdim=True": "dim=-1"}),
        ("columns sum to 1", {"dim=-1": "dim=0"}),
        ("all weights together", {".sum(dim=-1, keepdim=True)": ".sum()"}),
        ("not divided by their sum", {" / exponentials.sum(dim=-1, keepdim=True)": ""}),
        ("divided by √d", {"X.T)": "X.T / X.shape[1] ** 0.5)"}),
        ("divided by d:", {"X.T)": "X.T / X.shape[1])"}),
        (
            "softmax is missing",
            {"exponentials / exponentials.sum(dim=-1, keepdim=True)": "X @ X.T"},
        ),
        ("these are the weights", {"keepdim=True) @ X": "keepdim=True)"}),
    ],
    "1.3": [
        ("averages the unit rows", {") @ X": ") @ unit"}),
        ("columns of X were made unit", {"norm(dim=-1": "norm(dim=0"}),
        ("columns sum to 1", {"unit.T, dim=-1": "unit.T, dim=0"}),
        ("only one of the two", {"unit @ unit.T": "unit @ X.T"}),
        ("softmax is missing", {"torch.softmax(unit @ unit.T, dim=-1)": "unit @ unit.T"}),
        ("these are the weights", {"dim=-1) @ X": "dim=-1)"}),
    ],
    "1.4": [
        ("multiplied by T", {"/ T": "* T"}),
        ("T has no effect", {" / T": ""}),
        ("columns sum to 1", {".sum(dim=-1, keepdim=True)": ".sum(dim=-1)"}),
        (
            "softmax runs over the queries",
            {
                "exponentials / exponentials.sum(dim=-1, keepdim=True)": (
                    "torch.softmax(scores, dim=0)"
                )
            },
        ),
        ("overflow", {" - scores.max(dim=-1, keepdim=True).values": ""}),
        ("largest of all scores", {".max(dim=-1, keepdim=True).values": ".max()"}),
        ("subtracted from the columns", {".max(dim=-1, keepdim=True)": ".max(dim=-1)"}),
    ],
    "2.2": [
        ("softmax runs over the queries", {"dim=-1": "dim=0"}),
        ("multiplied by T", {"/ T": "* T"}),
        ("T has no effect", {" / T": ""}),
        ("weights are divided by T", {" / T": "", "dim=-1)": "dim=-1) / T"}),
        ("√d as well", {"/ T": "/ T / query.shape[-1] ** 0.5"}),
        ("one key only", {"torch.softmax(scores, dim=-1) @ values": "values[scores.argmax(-1)]"}),
        ("blends the keys", {"dim=-1) @ values": "dim=-1) @ keys"}),
        ("these are the weights", {"dim=-1) @ values": "dim=-1)"}),
        (
            "sums over the queries",
            {"torch.softmax(scores, dim=-1) @ values": "(scores.softmax(-1) @ values).sum(0)"},
        ),
    ],
    "2.3": [
        ("width of the tokens", {"W_q.shape[0]": "X.shape[1]"}),
        ("width of the values", {"W_q.shape[0]": "W_v.shape[0]"}),
        ("take its square root", {" ** 0.5": ""}),
        ("not divided", {" / W_q.shape[0] ** 0.5": ""}),
        ("softmax runs over the queries", {"dim=-1": "dim=0"}),
        ("exchanged", {"Q @ K.T": "K @ Q.T"}),
        ("blends the tokens", {"dim=-1) @ V": "dim=-1) @ X"}),
        ("sums over the tokens", {"return torch": "return sum(torch", "@ V": "@ V)"}),
    ],
    "2.4": [
        ("both weights", {"torch.linalg.inv(A).T": "A"}),
        ("transpose is missing", {"inv(A).T": "inv(A)"}),
        ("inverse is missing", {"torch.linalg.inv(A).T": "A.T"}),
        ("W_k is unchanged", {"torch.linalg.inv(A).T @ ": ""}),
        (
            "W_q should become",
            {"A @ W_q, torch.linalg.inv(A).T @ W_k": "torch.linalg.inv(A).T @ W_q, A @ W_k"},
        ),
    ],
    "2.6": [
        ("the mean is missing", {"K - w @ K": "K"}),
        ("from the plain mean", {"K - w @ K": "K - K.mean(0)"}),
        ("all keys count alike", {"w[:, None] * c": "c / len(K)"}),
        ("with equal shares", {"K - w @ K": "K - K.mean(0)", "w[:, None] * c": "c / len(K)"}),
        (
            "by √d: here",
            {"K @ q,": "K @ q / len(q) ** 0.5,", "return ": "return len(q) ** -0.5 * "},
        ),
        (
            "correction for samples",
            {"c.T @ (w[:, None] * c)": "torch.cov(K.T, aweights=w)"},
        ),
        ("the variances alone", {"c.T @ (w[:, None] * c)": "(w[:, None] * c**2).sum(0)"}),
        (
            "sum of f's numbers",
            {
                "return c.T @ (w[:, None] * c)": (
                    "q = q.clone().requires_grad_()\n"
                    "    return torch.autograd.grad((torch.softmax(K @ q, 0) @ K).sum(), q)[0]"
                )
            },
        ),
        ("this is f(q) itself", {"c.T @ (w[:, None] * c)": "w @ K"}),
    ],
    "3.2": [
        ("by d, not by √d", {"math.sqrt(query.shape[-1])": "query.shape[-1]"}),
        ("root of the model's width", {"sqrt(": "sqrt(len(query) * "}),
        ("by the model's width", {"math.sqrt(": "(len(query) * "}),
        ("not divided by √d", {" / math.sqrt(query.shape[-1])": ""}),
        ("multiplied by √d", {"/ math": "* math"}),
        ("softmax runs over the queries", {"dim=-1": "dim=-2"}),
        ("softmax runs over the heads", {"dim=-1": "dim=0"}),
        ("softmax is missing", {"torch.softmax(scores, dim=-1)": "scores"}),
        (
            "division comes after",
            {" / math.sqrt(query.shape[-1])": "", "dim=-1)": "dim=-1) / query.shape[-1] ** 0.5"},
        ),
    ],
    "3.3": [
        (
            "largest even with",
            {"scores.masked_fill(~mask, -math.inf)": "scores + ~mask * -10000"},
        ),
        (
            "the scores: the softmax is missing",
            {"torch.softmax(": "(", ", dim=-1)": ")"},
        ),
        (
            "scores times the mask",
            {"torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)": ("scores * mask")},
        ),
        (
            "the scores are divided by their sum",
            {
                "return torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)": (
                    "s = scores * mask; return s / s.sum(-1, keepdim=True)"
                )
            },
        ),
        (
            "all scores are divided by one sum",
            {
                "return torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)": (
                    "s = scores * mask; return s / s.sum()"
                )
            },
        ),
        (
            "mask comes after the softmax",
            {"scores.masked_fill(~mask, -math.inf), dim=-1)": "scores, dim=-1) * mask"},
        ),
        (
            "0/0 is left",
            {
                "return torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)": (
                    "w = torch.softmax(scores, dim=-1) * mask; return w / w.sum(-1, keepdim=True)"
                )
            },
        ),
        (
            "0/0 is left",
            {
                "return torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)": (
                    "e = torch.exp(scores - scores.amax(-1, keepdim=True)) * mask; "
                    "return e / e.sum(-1, keepdim=True)"
                )
            },
        ),
        (
            "infinity times a mask",
            {
                "return torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)": (
                    "e = scores.exp() * mask; return e / e.sum(dim=-1, keepdim=True)"
                )
            },
        ),
        ("mask is inverted", {"~mask": "mask"}),
        ("softmax runs over the queries", {"dim=-1": "dim=-2"}),
        ("set to 0", {"-math.inf": "0"}),
        ("below the number you fill in", {"-math.inf": "-1e9"}),
        ("mask has no effect", {"scores.masked_fill(~mask, -math.inf)": "scores"}),
    ],
    "3.4": [
        ("mask is inverted", {"return is_real & ": "return ~(is_real & ", "< width)": "< width))"}),
        ("future and not the past", {"j <= i": "j >= i"}),
        ("every later key", {" & (j <= i)": ""}),
        ("looks both ways", {" & (j <= i)": "", "(i - j < width)": "((i - j).abs() < width)"}),
        ("one key too wide", {"i - j < width": "i - j <= width"}),
        ("window is missing", {" & (i - j < width)": ""}),
        ("one padded key is visible", {"j < valid": "j <= valid"}),
        ("the padding is visible", {"j < valid_lens": "j < n + 0 * valid_lens"}),
        ("hidden as a query", {"j < valid": "i < valid"}),
        ("if one mask allows it", {"is_real & (j <= i) & ": "is_real | (j <= i) | "}),
        ("does not see itself", {"j <= i": "j < i"}),
    ],
    "3.5": [
        ("±10,000: exp overflows", {"(scores - largest)": "scores"}),
        ("±10,000: exp overflows", {"- largest)": "- largest.mean())"}),
        (
            "NaN where query 2 has no key",
            {".masked_fill(total == 0, 1.0)": ".masked_fill(mask.sum() < 0, 1.0)"},
        ),
    ],
    "4.2": [
        ("reshape without", {"L, num_heads, E // num_heads).transpose(1, 2)": "num_heads, L, -1)"}),
        (
            "dealt out in turn",
            {"num_heads, E // num_heads).transpose(1, 2)": "-1, num_heads).permute(0, 3, 1, 2)"},
        ),
        ("transpose is missing", {".transpose(1, 2)": ""}),
        ("before the batch", {".transpose(1, 2)": ".permute(2, 0, 1, 3)"}),
    ],
    "4.3": [
        ("scale is √E", {"D**0.5": "E**0.5"}),
        ("divided by D:", {"D**0.5": "D"}),
        ("not scaled", {" / D**0.5": ""}),
        ("softmax runs over the queries", {"dim=-1": "dim=-2"}),
        ("softmax runs over the heads", {"dim=-1": "dim=1"}),
        (
            "when the heads are split",
            {"my_split_heads(X @ W.T, num_heads)": "(X @ W.T).reshape(B, num_heads, L, D)"},
        ),
        ("when the heads are joined", {".transpose(1, 2)": ""}),
        (
            "twice",
            {
                "my_split_heads(X @ W.T, num_heads)": "(X @ W.T).reshape(B, num_heads, L, D)",
                ".transpose(1, 2)": "",
            },
        ),
        ("weights are not transposed", {"X @ W.T": "X @ W", "@ Wo.T": "@ Wo"}),
        ("Wo is missing", {" @ Wo.T": ""}),
    ],
    "4.4": [
        ("mask is inverted", {">=": "<"}),
        ("one key too few", {">=": ">"}),
        (
            "axes are (S, B)",
            {"torch.arange(S) >= valid_lens[:, None]": "torch.arange(S)[:, None] >= valid_lens"},
        ),
    ],
    "4.5": [
        ("added up already", {"return heads @ per_head": "return (heads @ per_head).sum(dim=1)"}),
        ("takes rows of Wo", {"reshape(-1, H, D).permute(1, 2, 0)": "reshape(H, D, -1)"}),
        ("dealt out", {"-1, H, D).permute(1, 2, 0)": "-1, D, H).permute(2, 1, 0)"}),
    ],
    "5.1": [
        ("unit itself is missing", {"1 + sum": "sum"}),
        ("dilations have no effect", {" * s for": " for"}),
        (
            "kernel sizes are multiplied",
            {
                "1 + sum((k - 1) * s for k, s in zip(kernel_sizes, dilations, strict=True))": (
                    "math.prod(kernel_sizes)"
                )
            },
        ),
        ("not k·dilation", {"(k - 1) * s": "k * s"}),
    ],
    "5.2": [
        ("one layer alone", {"n // 2 + 1": "n"}),
        ("the 1 is missing", {"n // 2 + 1": "math.ceil(n / 2) + 1"}),
        ("rounded down", {"n // 2 + 1": "(n - 1) // 2 + 1"}),
        ("not k²", {"n // 2 + 1": "math.ceil(math.sqrt(n))"}),
    ],
    "5.3": [
        ("near the ends", {" - r * (r + 1)": ""}),
        ("cost of full attention", {"n * (2 * r + 1) - r * (r + 1)": "n**2"}),
        ("not 2r", {"(n - 1) // r": "(n - 1) // (2 * r)"}),
        ("n − 1 positions apart", {"-(n - 1) // r": "-n // r"}),
        ("does not connect all pairs", {"-(-(n - 1) // r)": "1"}),
        ("not 2d", {"4 * d": "2 * d"}),
    ],
    "5.4": [
        ("projections are missing", {"(k - 4)": "k"}),
        ("cost the same", {" + 1)": ")"}),
        ("for k ≤ 4", {"max(1, d * (k - 4) // 2 + 1)": "d * (k - 4) // 2 + 1"}),
    ],
    "5.5": [
        ("transposed", {"return connected": "return connected.T"}),
        ("diagonal", {"return connected": "return connected | torch.eye(n).bool()"}),
        ("does not depend", {"!= still)[0].any(": "== still)[0].all("}),
        ("not boolean", {", dtype=torch.bool": ""}),
    ],
    "6.2": [
        ("along the batch axis", {"X.shape[1]]": "X.shape[0], None]"}),
        ("P[:batch]", {"X.shape[1]": "X.shape[0]"}),
        ("P[:batch]", {"X.shape[1]": "len(X)"}),
        ("every token gets row 0", {": X.shape[1]": "0"}),
        ("rows are the last ones", {": X.shape[1]": "-X.shape[1] :"}),
        ("multiplied", {"X + ": "X * "}),
        ("encoding alone", {"X + P[: X.shape[1]]": "P[: X.shape[1]].expand_as(X)"}),
    ],
    "6.3": [
        (
            "swapped",
            {"angles.cos()[": "angles.sin()[", "= angles.sin()\n": "= angles.cos()\n"},
        ),
        (
            "first half",
            {"P[:, 0::2]": "P[:, : (dim + 1) // 2]", "P[:, 1::2]": "P[:, (dim + 1) // 2 :]"},
        ),
        (
            "frequency of its own",
            {
                "arange(0, dim, 2)": "arange(dim)",
                "angles.sin()": "angles[:, 0::2].sin()",
                "angles.cos()[:, : dim // 2]": "angles[:, 1::2].cos()",
            },
        ),
        ("exponent uses the column", {"arange(0, dim, 2)": "arange(0, 2 * dim, 4)"}),
        ("not j/d", {"arange(0, dim, 2)": "arange((dim + 1) // 2)"}),
        (  # angles of 10⁵: in float32 their sines are noise, which nobody can recognise
            "multiplied by base",
            {"positions / 10000": "positions * 10000", "/ dim).double()": ".double() / dim)"},
        ),
        ("start at 1", {"arange(length,": "arange(1, length + 1,"}),
    ],
    "6.4": [
        ("highest bit comes first", {"arange(count)": "arange(count).flip(0)"}),
        ("numbers start at 1", {"arange(length)": "arange(1, length + 1)"}),
        ("not -1 and 1", {"return torch": "return 2 * (torch", "% 2": "% 2) - 1"}),
        ("axes are swapped", {"[:, None]": "", "arange(count)": "arange(count)[:, None]"}),
    ],
    "6.5": [
        (
            "nothing to learn",
            {"nn.Parameter(0.02 * torch.randn(max_len, dim))": "torch.zeros(max_len, dim)"},
        ),
        ("table of max_len × dim = 36 numbers", {"randn(max_len, dim)": "randn(dim)"}),
        ("the shape is (5, 4)", {"return x": "return x[0]"}),
        ("add along the length", {"x.shape[1]]": "x.shape[0], None]"}),
        ("all positions get the same row", {": x.shape[1]": "0"}),
        ("must not depend on it", {"return x": "return 2 * x"}),
        ("a shorter sentence", {": x.shape[1]": "-x.shape[1] :"}),
        ("must return a tensor, got NoneType", {"return x": "x"}),
        ("must return a tensor, got NoneType", {"return x + self.rows[: x.shape[1]]": "..."}),
        ('missing the required "forward"', {"def forward": "def backward"}),
    ],
    "6.6": [
        (
            "slowest pair alone",
            {
                "int((P - row).norm(dim=1).argmin())": (
                    "round(math.atan2(row[30], row[31]) * 10000 ** (30 / 32))"
                )
            },
        ),
        (
            "fastest pair alone",
            {"int((P - row).norm(dim=1).argmin())": "round(math.atan2(row[0], row[1]))"},
        ),
        ("farthest row", {"argmin": "argmax"}),
        ("number of a column", {"(P - row).norm(dim=1).argmin()": "row.argmax()"}),
    ],
    "7.2": [
        ("moves back", {"angle = delta": "angle = -delta"}),
        ("a 2 is missing", {"-c / dim": "-c / 2 / dim"}),
        (
            "all sines come first",
            {
                "M[c, c] = M[c + 1, c + 1]": "j, k = c // 2, (c + dim) // 2; M[j, j] = M[k, k]",
                "M[c, c + 1]": "M[j, k]",
                "M[c + 1, c] =": "M[k, j] =",
            },
        ),
        ("turn at speed 1", {" * 10000 ** (-c / dim)": ""}),
    ],
    "7.3": [
        (
            "half-split",
            {
                "x[:, 0::2], x[:, 1::2]": "x[:, : d // 2], x[:, d // 2 :]",
                "torch.stack(turned, dim=-1).flatten(-2)": "torch.cat(turned, dim=-1)",
            },
        ),
        ("positions start at 1", {"arange(length)": "arange(1, length + 1)"}),
        ("turn the other way", {"[:, None] * speeds": "[:, None] * -speeds"}),
        ("speed 1", {"-torch.arange(0, d, 2)": "-torch.zeros(d // 2)"}),
        ("side by side", {"torch.stack(turned, dim=-1).flatten(-2)": "torch.cat(turned, dim=-1)"}),
    ],
    "7.4": [
        ("sign is wrong", {"-slopes": "slopes"}),
        ("later keys must get -inf", {".masked_fill(offset < 0, -torch.inf)": ""}),
        (
            "later keys get -m|i - j|",
            {"* offset": "* offset.abs()", ".masked_fill(offset < 0, -torch.inf)": ""},
        ),
        ("slopes are 2^(-h)", {"-8 * torch": "-torch", " / num_heads": ""}),
        ("start at h = 0", {"arange(1, num_heads + 1)": "arange(num_heads)"}),
        ("wrong order", {"-slopes[": "-slopes.flip(0)["}),
    ],
    "7.5": [
        ("j - i here", {"i[:, None] - i": "i - i[:, None]"}),
        ("other end", {"table[(": "table[((", ".clamp(-m, m) + m": " + m) % len(table)"}),
    ],
    "8.4": [
        (
            "plain mean",
            {"share_1 * output_1 + share_2 * output_2": "(output_1 + output_2) / 2"},
        ),
        (
            "the outputs are added",
            {"share_1 * output_1 + share_2 * output_2": "output_1 + output_2"},
        ),
        (
            "made from the logarithms",
            {
                "(l_1 - both).exp()": "(l_1 / (l_1 + l_2))",
                "(l_2 - both).exp()": "(l_2 / (l_1 + l_2))",
            },
        ),
        ("the log-sum-exps are added", {"output_2, both": "output_2, l_1 + l_2"}),
        ("the larger of the two", {"output_2, both": "output_2, torch.maximum(l_1, l_2)"}),
        (
            "swapped",
            {
                "share_1 * output_1 + share_2 * output_2": (
                    "share_2 * output_1 + share_1 * output_2"
                )
            },
        ),
        (
            "exp overflows",
            {
                "torch.logaddexp(l_1, l_2)": "(l_1.exp() + l_2.exp()).log()",
                "(l_1 - both).exp()": "(l_1.exp() / (l_1.exp() + l_2.exp()))",
                "(l_2 - both).exp()": "(l_2.exp() / (l_1.exp() + l_2.exp()))",
            },
        ),
    ],
    "8.5": [
        ("round up", {"ceil": "floor"}),
        ("n - 1 steps, not n", {"(n - 1)": "n"}),
        ("the word itself is one", {"(width - 1)": "width"}),
        ("this divides n by the width", {"(n - 1) / (width - 1)": "n / width"}),
        ("2·width - 1 words", {"(width - 1)": "(2 * width - 1)"}),
        ("both sides of the window", {"(width - 1)": "(2 * width - 2)"}),
        ("does not multiply", {"(n - 1) / (width - 1)": "math.log(n, width)"}),
    ],
    "8.6": [
        (
            "added after it was read",
            {
                "        state = state + key[:, None] * value  # (d, e)\n": "",
                "        features = features + key  # (d,)\n": "",
                "(query @ features))": (
                    "(query @ features))\n"
                    "        state = state + key[:, None] * value\n"
                    "        features = features + key"
                ),
            },
        ),
        (
            "later words are seen too",
            {
                "outputs.append(query @ state / (query @ features))": "pass",
                "torch.stack(outputs)": "q @ state / (q @ features)[:, None]",
            },
        ),
        ("sum of the weights is missing", {" / (query @ features)": ""}),
        ("φ is missing", {"torch.nn.functional.elu(x) + 1": "x"}),
        ("the + 1 is missing", {"elu(x) + 1": "elu(x)"}),
        ("only the last word", {"state + key": "key", "features + key": "key"}),
        (
            "this is the softmax",
            {
                "q, k = (torch.nn.functional.elu(x) + 1 for x in (q, k))": (
                    "return attention(q, k, v, is_causal=True)"
                )
            },
        ),
    ],
    "9.1": [
        ("must be left out", {"    nearness[[a, b, c]] = -1\n": ""}),
        (
            "this is the dot product",
            {
                "torch.nn.functional.cosine_similarity(vectors, goal, dim=-1)": "vectors @ goal",
                "= -1": "= -math.inf",
            },
        ),
        (
            "the sign is turned round",
            {"vectors[b] - vectors[a] + vectors[c]": "vectors[a] - vectors[b] + vectors[c]"},
        ),
    ],
    "9.3": [
        ("multiplied by the temperature", {"logits / temperature": "logits * temperature"}),
        ("the temperature has no effect", {"logits / temperature": "logits"}),
        (
            "comes too late",
            {"(logits / temperature)": "logits", "dim=-1)": "dim=-1) / temperature"},
        ),
        (
            "do not add up to 1",
            {
                ".masked_fill(logits < least, -torch.inf)": "",
                "(scores, dim=-1)": "(scores, dim=-1) * (logits >= least)",
            },
        ),
        ("nothing is cut", {".masked_fill(logits < least, -torch.inf)": ""}),
        ("a logit of 0 is not", {"-torch.inf": "0"}),
    ],
    "9.4": [
        (
            "these are rows",
            {"weight[:, head * D : (head + 1) * D]": "weight[head * D : (head + 1) * D]"},
        ),
        (
            "silences all others",
            {
                "weight[:, head * D : (head + 1) * D] = 0": (
                    "weight[:, : head * D] = 0\n    weight[:, (head + 1) * D :] = 0"
                )
            },
        ),
        (
            "every num_heads-th column",
            {"weight[:, head * D : (head + 1) * D]": "weight[:, head::num_heads]"},
        ),
        ("changes its input", {"    weight = weight.clone()\n": ""}),
    ],
    "9.5": [
        ("the same word one period earlier", {"asks - period + 1": "asks - period"}),
        ("one before the earlier word", {"asks - period + 1": "asks - period - 1"}),
        ("the very first round", {"arange(period, ": "arange(period - 1, "}),
        ("the mean over the heads", {".mean(-1)": ".mean()"}),
        ("this is the sum", {".mean(-1)": ".sum(-1)"}),
    ],
    "9.7": [
        (
            "the newest word sees itself",
            {
                "torch.cat([key, k], dim=2)": "key",
                "torch.cat([value, v], dim=2)": "value",
            },
        ),
        (
            "the kept keys and values are not asked",
            {"torch.cat([key, k], dim=2)": "k", "torch.cat([value, v], dim=2)": "v"},
        ),
        (
            "the kept keys and the kept values are exchanged",
            {"[key, k]": "[value, k]", "[value, v]": "[key, v]"},
        ),
        (
            "the norms are missing",
            {"block.attention_norm(x)": "x", "block.mlp(block.mlp_norm(x))": "block.mlp(x)"},
        ),
        ("query, key and value are made of", {"block.attention_norm(x)": "x"}),
        ("the mlp gets mlp_norm", {"block.mlp(block.mlp_norm(x))": "block.mlp(x)"}),
        (
            "the residuals are missing",
            {"x = x + block": "x = block", "return x + block": "return block"},
        ),
        ("what attention finds is added", {"x = x + block": "x = block"}),
        ("what the mlp finds is added", {"return x + block": "return block"}),
        ("the mlp is missing", {"return x + block.mlp(block.mlp_norm(x))": "return x"}),
    ],
    "10.1": [
        ("is inverted", {"(near | first) & (j <= t)": "~((near | first) & (j <= t))"}),
        ("are exchanged", {"(near | first) & (j <= t)": "((near | first) & (j <= t)).T"}),
        ("a sink in the future", {"(near | first) & (j <= t)": "near & (j <= t) | first"}),
        (
            "reaches into the future",
            {"t - j <": "(t - j).abs() <", "(near | first) & (j <= t)": "near | first & (j <= t)"},
        ),
        ("nothing keeps the future hidden", {" & (j <= t)": ""}),
        ("reach into the future", {"t - j <": "(t - j).abs() <", " & (j <= t)": ""}),
        ("does not see itself", {"j <= t": "j < t"}),
        ("too wide", {"t - j < window": "t - j <= window"}),
        ("too narrow", {"t - j < window": "t - j < window - 1"}),
        ("one sink too many", {"j < sinks": "j <= sinks"}),
        ("the sinks are missing", {"(near | first)": "near"}),
        ("the window is missing", {"(near | first)": "first"}),
        ("not both", {"near | first": "near & first"}),
        ("on top of its", {"< window": "< window - sinks"}),
    ],
    "10.2": [
        ("exp overflows", {".clamp(min=0)": ".clamp(0, 0)"}),
        (
            "exp overflows",
            {
                "(scores - largest).exp()": "scores.exp()",
                "(-largest).exp()": "1",
            },
        ),
        ("all hidden becomes NaN", {".clamp(min=0)": ""}),
        ("counts as exp(largest)", {"(-largest).exp()": "1"}),
        ("as much as the largest key", {".clamp(min=0)": "", "(-largest).exp()": "1"}),
        ("each row sums to 1", {"(-largest).exp() + ": "", ".clamp(min=0)": ""}),
        ("over the last axis", {"dim=-1": "dim=0"}),
        ("for every key", {"(-largest).exp() + powers.sum(": "((-largest).exp() + powers).sum("}),
        (
            "below the line",
            {"(-largest).exp() + ": "", "return powers": "return 1 + powers", ".clamp(min=0)": ""},
        ),
    ],
    "10.3": [
        ("this adds", {"value - key @ state": "value"}),
        (
            "before the word has written",
            {
                "outputs.append(query @ state)": "",
                "        error": "        outputs.append(query @ state)\n        error",
            },
        ),
        ("what the query reads", {"key @ state": "query @ state"}),
        ("this decays", {"value - key @ state": "value", "state + b": "(1 - b) * state + b"}),
        ("transposed", {"outer(key, error)": "outer(error, key)"}),
        ("transposed", {"torch.outer(key, error)": "error[:, None] * key"}),
        ("beta is missing", {"b * torch": "torch"}),
        ("not to the value alone", {"value - key": "b * value - key", "b * torch": "torch"}),
        ("taken out alone", {"value - key": "value - b * key", "b * torch": "torch"}),
        ("sign is turned round", {"value - key @ state": "key @ state - value"}),
        (
            "length 1",
            {"error = value - key": "key = key / key.norm()\n        error = value - key"},
        ),
        ("divided by √d", {"query @ state": "query @ state / q.shape[1] ** 0.5"}),
        (
            "empty state",
            {"        error": "        state = torch.zeros_like(state)\n        error"},
        ),
    ],
    "10.4": [
        ("other documents are seen", {" & (document[q] == document[k])": ""}),
        ("the window is missing", {" & (q - k < width)": ""}),
        ("none that stands behind it", {"(k <= q) & ": ""}),
        ("must not be made positive", {"(k <= q) & (q - k < width)": "((q - k).abs() < width)"}),
        ("too wide", {"q - k < width": "q - k <= width"}),
        ("too narrow", {"q - k < width": "q - k + 1 < width"}),
        ("must see itself", {"k <= q": "k < q"}),
        ("the first `width` words", {"q - k < width": "k < width"}),
        ("True must mean", {"return (": "return ~((", "document[k])": "document[k]))"}),
        (
            "near *and* of the same document",
            {
                "(q - k < width) & (document[q] == document[k])": (
                    "((q - k < width) | (document[q] == document[k]))"
                )
            },
        ),
    ],
    "10.5": [
        ("W_k is transposed", {"q @ W_k": "q @ W_k.T"}),
        ("W_v is transposed", {"blend @ W_v.T": "blend @ W_v"}),
        ("both transposed", {"q @ W_k": "q @ W_k.T", "blend @ W_v.T": "blend @ W_v"}),
        ("the latent's width", {"math.sqrt(q.shape[1])": "math.sqrt(latents.shape[1])"}),
        ("the latent's width", {"math.sqrt(q.shape[1])": "math.sqrt(folded_query.shape[1])"}),
        ("not divided by √d", {" / math.sqrt(q.shape[1])": ""}),
        ("W_v is missing", {"blend @ W_v.T": "blend"}),
        ("W_k stands where W_v", {"W_v.T": "W_k.T"}),
        ("W_v is applied to the query", {"q @ W_k": "q @ W_v"}),
        ("the matrices are swapped", {"q @ W_k": "q @ W_v", "blend @ W_v.T": "blend @ W_k.T"}),
        ("over the queries", {"softmax(1)": "softmax(0)"}),
        ("no softmax", {".softmax(1)": ""}),
        (
            "keys or values are made",
            {"folded_query @ latents.T": "q @ (latents @ W_k.T).T"},
        ),
        (
            "keys or values are made",
            {"@ latents  # (L, c)": "@ (latents @ W_v.T)", "return blend @ W_v.T": "return blend"},
        ),
    ],
    "10.6": [
        ("count those of keys", {"num_key_value_heads": "num_attention_heads"}),
        ("a factor 2 is missing", {"word = 2 * ": "word = "}),
        ("one in bfloat16 takes 2 bytes", {"return 2 * sum": "return sum"}),
        (
            "it is kept once",
            {
                'word = config["kv_lora_rank"] + config["qk_rope_head_dim"]': (
                    'word = 2 * (config["kv_lora_rank"] + config["qk_rope_head_dim"])'
                )
            },
        ),
        ("the rotary part", {' + config["qk_rope_head_dim"]': ""}),
        ("keeps the latent, and no heads", {'if "kv_lora_rank" in config': "if False"}),
        (
            "look at layer_types",
            {"sum(kept[kind] for kind in kinds)": 'len(kinds) * kept["full_attention"]'},
        ),
        (
            "sliding_window words and not all",
            {'"sliding_attention": window * word': ('"sliding_attention": n * word')},
        ),
        (
            "fills only a part",
            {"window * word": 'config.get("sliding_window", 0) * word'},
        ),
        ("does not grow", {"= state * config": "= n * state * config"}),
        ("the states are missing", {"= state * config": "= 0 * config"}),
        ("one full layer is enough", {"max(reach[kind]": ("min(reach[kind] or n")}),
        ("need not lead back", {"max(reach[kind] for kind in kinds)": "n"}),
        ("a state looks nothing up", {'"linear_attention": 0': '"linear_attention": n'}),
        (
            "it is n at most",
            {
                '"sliding_attention": window, ': (
                    '"sliding_attention": config.get("sliding_window", 0), '
                ),
                "max(reach": "(n if 'full_attention' in kinds else 0) or max(reach",
            },
        ),
    ],
    "11.2": [
        ("must count from the end", {"2 * ranks - 1 - rank": "ranks + rank"}),
        ("one too far", {"2 * ranks - 1 - rank": "2 * ranks - rank"}),
        (
            "the second piece is missing",
            {", *range(late * size, (late + 1) * size)]": "]"},
        ),
        ("the pieces are too long", {"n // (2 * ranks)": "n // ranks"}),
        (
            "one stretch of the text",
            {"n // (2 * ranks)": "n // ranks", ", *range(late * size, (late + 1) * size)]": "]"},
        ),
        (
            "this is striped",
            {
                "[*range(rank * size, (rank + 1) * size), ": "[*range(rank, n, ranks)]  # ",
            },
        ),
    ],
    "11.3": [
        ("a word sees itself, too", {"place + 1": "place"}),
        ("no word is hidden", {"place + 1": "sum(map(len, places))"}),
        ("its keys travel", {"place + 1": "sum(map(len, places)) - place"}),
        ("own block alone", {"place + 1": "len([p for p in mine if p <= place])"}),
        ("are left out", {"place + 1": "place - len([p for p in mine if p < place])"}),
        (
            "the same for all",
            {
                "[sum(place + 1 for place in mine) for mine in places]": (
                    "[sum(p + 1 for ps in places for p in ps) / len(places) for _ in places]"
                )
            },
        ),
    ],
    "11.4": [
        ("the order of cards", {"x.chunk(ranks)[rank]": "x[rank::ranks]"}),
        ("has all heads", {"x.chunk(ranks)[rank]": "x"}),
        ("the wrong order", {"for x in shares]": "for x in reversed(shares)]"}),
        ("along the heads", {"], 1)": "], 0)"}),
        ("the words are cut again", {"x.chunk(ranks)": "x.chunk(ranks, dim=1)"}),
        (
            "as they lie in memory",
            {
                "[torch.cat([x.chunk(ranks)[rank] for x in shares], 1) for rank in range(ranks)]": (
                    "list(torch.stack(shares).view(ranks, shares[0].shape[0] // ranks, "
                    "ranks * shares[0].shape[1], -1))"
                )
            },
        ),
    ],
    "11.5": [
        ("compare the places of the keys", {", attn_mask=seen": ""}),
        (
            "the order within the blocks",
            {"attn_mask=seen": "attn_mask=torch.ones_like(seen).tril()"},
        ),
        (
            "contiguous shares alone",
            {
                "seen = places[i] <= places[rank][:, None]": (
                    "seen = (places[i] == places[i]) & (places[rank][:, None] >= 0)\n"
                    "            seen = seen.tril() if i == rank else seen & (i < rank)"
                )
            },
        ),
        ("must travel with the keys", {"places[i] <=": "places[rank] <="}),
        ("does not see itself", {"places[i] <=": "places[i] <"}),
        ("the wrong way round", {"places[i] <=": "places[i] >="}),
        (
            "averaged",
            {"merge(*zip(*parts, strict=True))[0]": "sum(output for output, _ in parts) / ranks"},
        ),
        (
            "one step early",
            {"in range(ranks):\n            i": "in range(ranks - 1):\n            i"},
        ),
    ],
}
# Right answers to the exercises that ask for a value, as a reader may write them.
RIGHT = [
    ("1.1", [0.125, 0.25, 0.625]),
    ("1.1", torch.tensor([1, 2, 5]) / 8),
    ("1.5", 2),
    ("2.1", [0.5, 0.5, 0.5, 0.5, 0]),
    ("3.1", 4),
    ("3.1", 36 * (1 / 3) * (1 / 3)),
    ("4.1", 2_362_368),
    ("6.1", [6.28, 628.3]),
    ("6.1", [6.28, 628]),
    ("6.1", (2 * math.pi, 200 * math.pi)),
    ("7.1", 0.909),
    ("7.1", math.sin(2)),
    ("7.6", 1),
    ("8.1", 56),
    ("8.2", 157_286),
    ("9.2", [6950, 119]),
    ("9.2", (6_950, 119)),
    ("11.1", 183),
]
# Wrong values, and part of what is said about them.
WRONG = [
    ("0.1", [[3, 6], [1, 4]], "this is BA"),
    ("0.1", [[3, 0], [0, 2]], "products in the same place"),
    ("0.1", [[5, 1], [4, 2]], "rows and columns"),
    ("0.2", 3, "this is 3/1"),
    ("0.2", 2, "this is 3 - 1"),
    ("0.2", 20.1, "this is exp(3):"),
    ("0.2", 17.4, "exp(3) - exp(1)"),
    ("0.3", 5.33, "equal shares"),
    ("0.3", 1.5, "do not divide again"),
    ("0.3", 16, "this is the sum"),
    ("1.1", [0.0, 0.301, 0.699], "scores divided by their sum"),
    ("1.1", [1, 2, 5], "these are the exponentials"),
    ("1.1", [0.12, 0.25, 0.63], "every number to three digits"),
    ("1.1", [0.3, 0.3, 0.4], "is not it"),
    ("1.5", 0, "key 0 is a corner"),
    ("1.5", 1, "key 1 is a corner"),
    ("1.5", 3, "key 3 is a corner"),
    ("1.5", 2 + 5j, "complex"),
    ("1.5", 2.005, "is not it"),
    ("3.1", "4", "a number is expected, got the str '4'"),
    ("3.1", [4], "a number is expected, got the list [4]"),
    ("2.1", [1, 1, 1, 1, 0], "sum of the two lists"),
    ("2.1", [0.5] * 5, "T → ∞"),
    ("2.1", [0, 0.5, 0, 0.5], "weights of the terms"),
    ("2.1", [0.5, 0.5, 0.5, 0.5, 1.0], "query a c"),
    ("3.1", 36, "36 needs"),
    ("3.1", 12, "12 counts"),
    ("3.1", 2, "standard deviation"),
    ("3.1", 0.111, "1/9 is the variance"),
    ("3.1", 5.33, "48/9 sums"),
    ("3.1", 4.01, "is not it"),
    ("4.1", 2_359_296, "biases are missing"),
    ("4.1", 1_771_776, "output projection is missing"),
    ("4.1", 2_361_600, "has a bias too"),
    ("4.1", 28_348_416, "the heads share the width"),
    ("4.1", 199_680, "from all 768 channels"),
    ("4.1", 2_362_367, "is not it"),
    ("6.1", [1, 0.01], "angles per position"),
    ("6.1", [1, 100], "these are the divisors"),
    ("6.1", [6.28, 62.8], "not j/d"),
    ("6.1", [6.28, 62_832], "(d - 2)/d"),
    ("6.1", [628, 6.28], "fast pair first"),
    ("6.1", [6.2, 620], "three digits"),
    ("7.1", -0.416, "this is the cosine"),
    ("7.1", -0.909, "the key is ahead"),
    ("7.1", 0, "without the turns"),
    ("7.1", -0.959, "turns only the query"),
    ("7.1", 0.9, "three digits"),
    ("7.1", 0.7, "is not it"),
    ("7.6", 2, "half a turn"),
    ("7.6", 4, "the speeds fall"),
    ("7.6", 0, "more than 2π"),
    ("7.6", True, "is not it"),
    ("8.1", 5, "this is one head"),
    ("8.1", 112, "not 4"),
    ("8.1", 28, "numbers, not bytes"),
    ("8.1", 60, "GB of 1000³ bytes"),
    ("8.1", 57_220, "these are MiB"),
    ("8.1", 55, "is not it"),
    ("8.2", 314_572, "a factor 2 is missing"),
    ("8.2", 31_457, "for each head of queries"),
    ("8.2", 6_291_456, "every layer has its own"),
    ("8.2", 78_643, "2 bytes, not 4"),
    ("8.2", 20_132_659, "one number for each head"),
    ("8.2", 146_484, "not 10^9"),
    ("8.2", 157_287, "is not it"),
    ("9.2", [4950, 99], "the words of the prompt are missing"),
    ("9.2", [7070, 120], "written and never read"),
    ("9.2", [100, 100], "these are the runs of the model"),
    ("9.2", [119, 119], "reads the whole text again"),
    ("9.2", [119, 6950], "the other way round"),
    ("9.2", [6950, 120], "is not it"),
    ("9.2", [6950], "is not it"),
    ("11.1", 92, "a factor 2 is missing"),
    ("11.1", 11_719, "a rank holds a share"),
    ("11.1", 366, "2 bytes, not 4"),
    ("11.1", 61, "two more are on their way"),
    ("11.1", 122, "are three"),
    ("11.1", 192, "a MiB has 2^20"),
    ("11.1", 23, "this is one"),
    ("11.1", 182, "is not it"),
]
