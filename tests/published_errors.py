"""Wrong answers that others published: as exercises would meet them, and where they stand.

Each was written by somebody who meant it, in a course, a library or a question. The code is put
into the form that an exercise asks for; its mistake is left as it is. Pages of GitHub are named
without their beginning, https://github.com/.
"""

import math

import torch
import torch.nn.functional as F


def hidden_by_zero(scores, mask):
    scores = scores * mask
    return scores.masked_fill(scores == 0, -math.inf).softmax(-1)


def zeros_in_a_safe_softmax(scores, mask):
    scores = torch.where(mask, scores, 0)
    hidden = scores == 0
    scores = scores.masked_fill(hidden, -math.inf)
    largest = scores.amax(-1, keepdim=True).detach()
    powers = (scores - largest.masked_fill(largest == -math.inf, 0)).exp()
    total = powers.sum(-1, keepdim=True)
    return powers / total.masked_fill(total == 0, 1)


def heads(X, W, H):
    B, L, E = X.shape
    return (X @ W.T).view(B, L, H, E // H).transpose(1, 2)


def attend(Q, K, V, scale):
    return (Q @ K.transpose(-2, -1) * scale).softmax(-1) @ V


def multi_head(scale, last=lambda weights, D: weights):
    """Multi-head attention with this scale of the widths, and what is done with the weights."""

    def answer(X, Wq, Wk, Wv, Wo, H):
        Q, K, V = (heads(X, W, H) for W in (Wq, Wk, Wv))
        D = Q.shape[-1]
        weights = (Q @ K.transpose(-2, -1) * scale(X.shape[-1], D, H)).softmax(-1)
        return (last(weights, D) @ V).transpose(1, 2).reshape(X.shape) @ Wo.T

    return answer


def views_without_transpose(X, Wq, Wk, Wv, Wo, H):
    B, _, E = X.shape
    Q, K, V = ((X @ W.T).view(B * H, -1, E // H) for W in (Wq, Wk, Wv))
    context = attend(Q, K, V, K.size(-1) ** -0.5)
    return context.view(B, -1, E) @ Wo.T


def joined_without_permute(X, Wq, Wk, Wv, Wo, H):
    Q, K, V = (heads(X, W, H) for W in (Wq, Wk, Wv))
    return attend(Q, K, V, Q.shape[-1] ** -0.5).reshape(X.shape) @ Wo.T


def heads_before_the_batch(X, Wq, Wk, Wv, Wo, H):
    B, L, E = X.shape
    Q, K, V = (heads(X, W, H).reshape(B * H, L, E // H) for W in (Wq, Wk, Wv))
    output = attend(Q, K, V, (E // H) ** -0.5).view(H, B, -1, E // H)
    return output.permute(0, 2, 1, 3).contiguous().view(B, -1, E) @ Wo.T


def without_transposes(X, Wq, Wk, Wv, Wo, H):
    return multi_head(lambda E, D, H: D**-0.5)(X, Wq.T, Wk.T, Wv.T, Wo.T, H)


def column_by_column(length, dim):
    """Two columns at a time, each with its own number in the exponent."""
    pe = torch.zeros(length, dim + dim % 2, dtype=torch.float64)
    for pos in range(length):
        for i in range(0, dim, 2):
            pe[pos, i] = math.sin(pos / (10000 ** ((2 * i) / dim)))
            pe[pos, i + 1] = math.cos(pos / (10000 ** ((2 * (i + 1)) / dim)))
    return pe[:, :dim]


def power_of_twice_the_column(length, dim):
    i = torch.arange(dim, dtype=torch.float64)
    angles = torch.arange(length)[:, None] / 10000 ** (2.0 * i / dim)
    angles[:, 0::2] = angles[:, 0::2].sin()
    angles[:, 1::2] = angles[:, 1::2].cos()
    return angles


def waves(div_term, cosines=None):
    """Sines and cosines of exp and log, as most write them."""

    def answer(length, dim):
        pe = torch.zeros(length, dim, dtype=torch.float64)
        position = torch.arange(length, dtype=torch.float64)[:, None]
        pe[:, 0::2] = torch.sin(position * div_term(dim))
        pe[:, 1::2] = torch.cos(position * (cosines or div_term)(dim))[:, : dim // 2]
        return pe

    return answer


def pairs(dim):
    return torch.arange(0, dim, 2).double()


def rotated(x, angles, other):
    return x * angles.cos() + other * angles.sin()


def angles_of(x):
    speeds = 1.0 / 10000 ** (torch.arange(0, x.shape[-1], 2).float() / x.shape[-1])
    return torch.outer(torch.arange(len(x)).float(), speeds)


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def odd_then_even(x):
    return torch.cat([-x[..., 1::2], x[..., ::2]], dim=-1)


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


def exp_of_the_difference(out, lse, block_out, block_lse):
    new = lse + torch.log(1 + torch.exp(block_lse - lse))
    a, b = (lse - new).exp()[:, None], (block_lse - new).exp()[:, None]
    return a * out + b * block_out, new


def linear(normalise):
    """Causal linear attention of cumulated sums."""

    def answer(q, k, v):
        q, k = F.elu(q) + 1, F.elu(k) + 1
        return normalise(q, k.cumsum(-2), torch.einsum("nd,ne->nde", k, v).cumsum(-3))

    return answer


def divided_by_each_feature(q, k_cumsum, context):
    return torch.einsum("nde,nd->ne", context / k_cumsum.unsqueeze(-1), q)


def inverse_forgotten(q, k_cumsum, context):
    D_inv = torch.einsum("nd,nd->n", q, k_cumsum)
    return torch.einsum("nde,nd,n->ne", context, q, D_inv)


def cut(logits, k):
    kept = torch.full_like(logits, -math.inf)
    chosen = logits.topk(k)
    return kept.scatter(0, chosen.indices, chosen.values)


def exponentials_over_temperature(logits, temperature, k):
    powers = cut(logits, k).exp() / temperature
    return powers / powers.sum()


def block_with(attention_adds, mlp_adds):
    """A block whose two sums are made of the stream or of its norm."""

    def answer(x, block, key, value):
        norm = block.attention_norm(x)
        q, k, v = block.attention.project(norm, norm, norm)
        k, v = torch.cat([key, k], dim=2), torch.cat([value, v], dim=2)
        found = block.attention.join(block.attention.attend(q, k, v)[0])
        x = (norm if attention_adds == "norm" else x) + found
        src = block.mlp_norm(x)
        return (src if mlp_adds == "norm" else x) + block.mlp(src)

    return answer


def accepted_anywhere(text, start, guess):
    end, passes = start, 0
    while end < len(text):
        accepted = [a == b for a, b in zip(guess(text[:end]), text[end:], strict=False)]
        end, passes = end + sum(accepted) + 1, passes + 1
    return passes


def analogy_of_all_words(a, b, c, words, vectors):
    vector = dict(zip(words, vectors, strict=True))
    goal = vector[b] - vector[a] + vector[c]
    return max(words, key=lambda word: F.cosine_similarity(vector[word], goal, dim=0))


def one_after_the_largest(scores):
    powers = (scores - scores.max(dim=-1, keepdim=True).values).exp()
    return powers / (1 + powers.sum(dim=-1, keepdim=True))


# (exercise, part of the diagnosis, where it was published, the answer)
PUBLISHED = [
    ("3.3", "whose score happens to be 0", "duoan/TorchCode/issues/17", hidden_by_zero),
    (
        "3.5",
        "whose score happens to be 0",
        "duoan/TorchCode/issues/17",
        zeros_in_a_safe_softmax,
    ),
    (
        "3.2",
        "You divided by d",
        "duoan/TorchCode/issues/17",
        lambda query, key: (query @ key.mT / query.shape[-1]).softmax(-1),
    ),
    (
        "3.2",
        "You used the square root of the number of heads",
        "tenstorrent/tt-metal/pull/56789",
        lambda query, key: (query @ key.mT / len(query) ** 0.5).softmax(-1),
    ),
    (
        "3.2",
        "You used the square root of the model's",
        "lucidrains/vit-pytorch/issues/65",
        lambda query, key: (query @ key.mT * (len(query) * query.shape[-1]) ** -0.5).softmax(-1),
    ),
    (
        "3.2",
        "Your softmax runs over the queries,",
        "nerminnuraydogan/vision-transformer/issues/1",
        lambda query, key: (query @ key.mT / query.shape[-1] ** 0.5).softmax(1),
    ),
    (
        "3.2",
        "Your softmax runs over the heads",
        "PetrochukM/PyTorch-NLP/issues/2",
        lambda query, key: (query @ key.mT / query.shape[-1] ** 0.5).softmax(0),
    ),
    (
        "3.3",
        "exp(0) = 1, so masked keys",
        "awslabs/gluonts/pull/1401",
        lambda scores, mask: scores.masked_fill(~mask, 1e-9).softmax(-1),
    ),
    (
        "3.3",
        "exp(0) = 1, so masked keys",
        "Shujun-He/RibonanzaNet/issues/5",
        lambda scores, mask: scores.masked_fill(~mask, -1e-9).softmax(-1),
    ),
    (
        "3.3",
        "lower than the number you fill in",
        "TransformerLensOrg/TransformerLens/pull/319",
        lambda scores, mask: scores.masked_fill(~mask, -1e5).softmax(-1),
    ),
    (
        "3.3",
        "You subtract 10,000",
        "huggingface/transformers/issues/14859",
        lambda scores, mask: (scores + (1.0 - mask.float()) * -10000.0).softmax(-1),
    ),
    (
        "3.4",
        "Your window is one key too wide",
        "huggingface/transformers/issues/39408",
        lambda lens, n, width: torch.tensor(
            [[[j < v and i - width <= j <= i for j in range(n)] for i in range(n)] for v in lens]
        ),
    ),
    (
        "4.3",
        "You reshape without a",
        "reczoo/FuxiCTR/issues/30",
        lambda x, H: x.view(len(x), H, -1, x.shape[-1] // H),
    ),
    (
        "4.3",
        "Your head axis comes before the batch axis. Put it after.",
        "lsdefine/attention-is-all-you-need-keras/issues/36",
        lambda x, H: x.view(*x.shape[:2], H, -1).permute(2, 0, 1, 3),
    ),
    (
        "4.4",
        "You divided by √E,",
        "FrancescoSaverioZuppichini/ViT/issues/1",
        multi_head(lambda E, D, H: E**-0.5),
    ),
    (
        "4.4",
        "You multiplied",
        "esceptico/perceiver-io/issues/9",
        multi_head(lambda E, D, H: D**0.5),
    ),
    (
        "4.4",
        "You divided by √(num_heads)",
        "tenstorrent/tt-metal/pull/56789",
        multi_head(lambda E, D, H: H**-0.5),
    ),
    (
        "4.4",
        "Transpose axes 1 and 2 when you split",
        "649453932/Chinese-Text-Classification-Pytorch/issues/53",
        views_without_transpose,
    ),
    (
        "4.4",
        "Before you concatenate the heads, transpose axes 1 and 2.",
        "jsbaan/transformer-from-scratch/pull/6",
        joined_without_permute,
    ),
    (
        "4.4",
        "as if the shape were (H, B, L, D)",
        "gazelle93/Transformer-Various-Positional-Encoding/issues/1",
        heads_before_the_batch,
    ),
    ("4.4", "You did not transpose the", "pytorch/pytorch/issues/139598", without_transposes),
    (
        "5.1",
        "not k·dilation",
        "philipperemy/keras-tcn/issues/196",
        lambda sizes, steps: 1 + sum(k * s for k, s in zip(sizes, steps, strict=True)),
    ),
    (
        "6.2",
        "along the batch axis",
        "pytorch/tutorials/issues/1547",
        lambda X, P: X + P[:, None][: X.size(0)],
    ),
    (
        "6.3",
        "Your exponent uses twice the",
        "SamLynnEvans/Transformer/issues/25",
        column_by_column,
    ),
    (
        "6.3",
        "Your exponent uses twice the",
        "Kyubyong/transformer/issues/38",
        power_of_twice_the_column,
    ),
    (
        "6.3",
        "Each column has its own frequency",
        "luhengshiwo/LLMForEverybody/issues/106",
        waves(
            lambda dim: 10000 ** (-pairs(dim) / dim),
            lambda dim: 10000 ** (-(pairs(dim) + 1) / dim),
        ),
    ),
    (
        "6.3",
        "Your base is 1000",
        "maxjcohen/transformer/issues/62",
        waves(lambda dim: 1 / torch.pow(1000, pairs(dim) / dim)),
    ),
    (
        "6.3",
        "You multiplied the position by",
        "harvardnlp/annotated-transformer/issues/131",
        waves(lambda dim: 1 / torch.exp(pairs(dim) * -(math.log(10000.0) / dim))),
    ),
    (
        "6.3",
        "-log(10000) / d // 2 divides",
        "zju3dv/LoFTR/issues/41",  # its d_model is that of two such encodings
        waves(lambda dim: torch.exp(pairs(dim) * (-math.log(10000.0) / (2 * dim) // 2))),
    ),
    (
        "7.3",
        "You pair columns j and j + d/2, but",
        "raiyanyahya/how-to-train-your-gpt/issues/6",
        lambda x: rotated(x, angles_of(x).repeat_interleave(2, dim=-1), rotate_half(x)),
    ),
    (
        "7.3",
        "You pair columns 2j and 2j + 1, but",
        "facebookresearch/vjepa2/pull/15",
        lambda x: rotated(
            x, angles_of(x).repeat(1, 2), torch.stack([-x[:, 1::2], x[:, ::2]], -1).flatten(-2)
        ),
    ),
    (
        "7.3",
        "You paired (j, j + d/2), the",
        "huggingface/transformers/issues/40462",
        lambda x: rotated(x, torch.cat((angles_of(x),) * 2, -1), rotate_half(x)),
    ),
    (
        "7.3",
        "Your rotated part is in halves, but x is",
        "Tongjilibo/bert4torch/issues/1",
        lambda x: rotated(x, angles_of(x).repeat(1, 2), odd_then_even(x)),
    ),
    (
        "7.4",
        "The sign is",
        "meta-pytorch/attention-gym/pull/86",
        alibi(lambda q, k: q - k),
    ),
    (
        "7.4",
        "Your h starts at 0. It",
        "paiml/aprender/pull/2143",
        alibi(lambda q, k: k - q, first=0),
    ),
    (
        "7.4",
        "Every query has the bias of the last",
        "mosaicml/llm-foundry/issues/186",
        alibi(lambda q, k: k - k.max() + 0 * q),
    ),
    (
        "7.5",
        "You used j − i. The",
        "nntrainer/nntrainer/pull/3982",
        lambda table, n: table[
            (torch.arange(n) - torch.arange(n)[:, None]).clamp(-(len(table) // 2), len(table) // 2)
            + len(table) // 2
        ],
    ),
    (
        "7.5",
        "The table has no",
        "huggingface/transformers/pull/9164",
        lambda table, n: table[torch.arange(n)[:, None] - torch.arange(n) + len(table) // 2],
    ),
    ("8.6", "Your weights use added", "zhuzilin/ring-flash-attention/issues/20", added_lse),
    ("8.6", "exp overflows", "SHI-Labs/NATTEN/pull/202", plain_exponentials),
    (
        "8.6",
        "exp overflows",
        "zhuzilin/ring-flash-attention/pull/30",
        exp_of_the_difference,
    ),
    (
        "8.8",
        "You divided each feature by its own",
        "lucidrains/performer-pytorch/issues/21",
        linear(divided_by_each_feature),
    ),
    (
        "8.8",
        "multiplied by the sum of the weights",
        "lucidrains/performer-pytorch/issues/40",
        linear(inverse_forgotten),
    ),
    (
        "9.1",
        "Leave out the three words of the question. One",
        "https://leyaa.ai/codefly/learn/nlp/part-2/nlp-word-similarity-and-analogies/challenge",
        analogy_of_all_words,
    ),
    (
        "9.3",
        "The temperature has no",
        "google/gemma.cpp/pull/981",
        exponentials_over_temperature,
    ),
    (
        "9.3",
        "You divided the log-probabilities",
        "MoonshotAI/Kimi-Audio/pull/161",
        lambda logits, T, k: (cut(logits, k).log_softmax(-1) / T).exp(),
    ),
    (
        "9.3",
        "divided by the temperature twice",
        "RL-Align/RL-Kernel/issues/81",
        lambda logits, T, k: (cut(logits / T, k) / T).softmax(-1),
    ),
    (
        "9.3",
        "3 can be sampled with top_k=2",
        "vllm-project/vllm/pull/50979",
        lambda logits, T, k: torch.where(
            logits < logits.topk(k).values[-1], -math.inf, logits / T
        ).softmax(-1),
    ),
    (
        "9.4",
        "You set rows to 0, which are",
        "microsoft/nni/issues/5187",
        lambda W, H, head: W * (torch.arange(len(W)) // (len(W) // H) != head)[:, None],
    ),
    (
        "9.9",
        "You added the outputs to",
        "Howuhh/faster-trajectory-transformer/issues/3",
        block_with("norm", "norm"),
    ),
    (
        "9.9",
        "You added the output of the MLP to",
        "SHI-Labs/Compact-Transformers/issues/25",
        block_with("stream", "norm"),
    ),
    (
        "10.1",
        "Your window is one key too narrow",
        "lightseekorg/tokenspeed/pull/578",
        lambda n, window, sinks: torch.tensor(
            [[j <= t and (t - j < window - 1 or j < sinks) for j in range(n)] for t in range(n)]
        ),
    ),
    (
        "10.2",
        "You subtracted the largest score. Subtract",
        "kyegomez/AttentionIsOFFByOne/issues/2",
        one_after_the_largest,
    ),
    (
        "12.4",
        "You accepted a guess after a wrong",
        "vllm-project/vllm/pull/2658",
        accepted_anywhere,
    ),
    # Values: bytes of a cache by the heads of queries
    ("8.2", "You counted a key for", "jranaraki/vllm-fit/issues/2", 31_457),
]
