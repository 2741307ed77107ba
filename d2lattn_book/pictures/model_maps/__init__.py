"""All attention maps of a model on a text, as one live figure."""

import html
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from d2lattn.arguments import check_count
from d2lattn_book.host import on_the_host
from d2lattn_book.pictures.arrays import Numbers, Query, Words, position
from d2lattn_book.pictures.model_maps.images import as_picture
from d2lattn_book.pictures.model_maps.sources import find
from d2lattn_book.pictures.packed import in_bytes, quantized
from d2lattn_book.pictures.page import Figure
from d2lattn_book.pictures.tables import plain_table, weights_table

MOST_BYTES = 3_000_000  # of the figure,
BESIDE = 50_000  # of which so many are no maps
LISTED = 5  # heads that stand out, of a kind
NOTHING = "nothing"  # the column of what weights lack of 1
SCORE = "mean over the queries of the attention weights on all such keys, added up"
KEYS = {  # which those are, of a token
    "previous token": "the token before it",
    "first token": "the first token",
    "same position": "the token at its position in the other text",
    "same token": "all its copies that come earlier or in the other text",
    "induction": "all tokens that came next after such a copy of it, itself left out",
    "next token": "the token after it",
    "last token": "the last token",
    NOTHING: "nothing, which is what weights lack of 1",
}


@on_the_host
def maps(
    model: nn.Module | Numbers | Sequence[Tensor | None],
    text: str | Tensor | Sequence[int] | tuple[Tensor, ...] | Mapping[str, Any] | None = None,
    tokenizer: Any = None,
    *,
    target: str | Tensor | Sequence[int] | None = None,
    part: str | None = None,
    tokens: Words | None = None,
    key_tokens: Words | None = None,
    layers: Sequence[int] | None = None,
    heads: Sequence[int] | None = None,
    query: Query = -1,
) -> Figure:
    """All attention maps of a model on a text: a figure to look through, and to keep.

    The reader goes through layers and heads with two sliders, chooses any token as the query, and
    jumps to the heads that stand out. Once drawn it needs no kernel: `maps(…).save("maps.html")`
    writes a page of its own. Layers, heads and tokens are counted from 0.

    A head stands out by its score, the mean over the queries of the attention weights on all such
    keys, added up:

    - *previous token*: the token before, over all tokens but the first;
    - *first token*: over all tokens but the first;
    - *same token*: all earlier copies of the token, over the tokens that have such;
    - *induction*: the tokens that came next after earlier copies, itself left out, over the tokens
      that have such ("induction heads", Olsson et al. 2022);
    - *next token* and *last token*, likewise, where tokens see later ones.

    In cross-attention it is *same position*, and *same token*, *induction*, *first token* and *last
    token* of the other text. The five highest of each are listed with this score, which is at
    least 0.01.

    A weight is sent in 8 bits: less than 1/255 off, and each row has the sum 1. Scores are computed
    before that. Where a model's weights add up to less (a sink without a token, as in gpt-oss), the
    rest is a column of its own, *nothing*. Where a module reads an image (1, C, H, W) and its
    tokens are the patches, these are shown in the image. Of more than 264 keys without names, as in
    sound, some in a row are one.

    Args:
        model: one of

            - any module: of your own, of transformers, or of d2lattn. Each call of
              `F.scaled_dot_product_attention`, of `nn.MultiheadAttention` and of attention of
              d2lattn is seen, and each softmax over scores (B, H, L, S) or square (B, L, L). A
              fused kernel of another name (flash_attn, flex_attention) gives no attention weights
              and is refused;
            - maps that are there already: a tensor (layers, H, L, S) or (H, L, S), or a list with
              one for each layer, also as batches of one, or None for a layer without.
        text: a string of 2 to 264 tokens, or their numbers, also as a batch of one; or what else
            the module is called with: a tensor, a tuple of tensors, or a dict of arguments by name,
            as a processor of transformers makes it.
        tokenizer: one of the libraries tokenizers or transformers, or the list of the vocabulary's
            words in the order of their numbers. May be absent where text is numbers.
        target: what the decoder of an encoder-decoder of transformers reads, like text; a string
            gets the model's own beginning.
        part: of an encoder-decoder "cross" (when there is a target), "decoder" or "encoder"; else
            the attention in modules that have this in their name.
        tokens, key_tokens: names of the L queries and the S keys, where the maps
            are tensors or a text has none. key_tokens say that these are two texts.
        layers, heads: which; all when absent. The figure says what is left out, and names layers
            without maps, as of linear attention.
        query: the token whose query is shown when the figure opens, by name or position.

    Raises:
        ValueError: a model that gives no attention weights; fewer than 2 or more
            than 264 tokens; a layer or head that is not there;
            a figure of more than 3 MB, with its size and what would fit.

    Cost:
        A pass of the model, and 4/3 of a byte for each weight: 1.3 MB for 270 heads and 60 tokens,
        87 kB for each head of 256.

    Example:
        >>> from d2lattn import Decoder
        >>> model = Decoder(3, 8, num_layers=2, num_heads=2)
        >>> maps(model, "a cat a cat", tokenizer=[".", "a", "cat"])
        live maps: 2 layers of 2 heads over 4 tokens, each weight within 4e-03
        >>> cross = torch.rand(6, 8, 3, 4).softmax(-1)
        >>> maps(cross, tokens=["das", "Haus", "."], key_tokens=["the", "old", "house", "."])
        live maps: 6 layers of 8 heads over 3 × 4 tokens, each weight within 4e-03
    """
    found = find(model, text, tokenizer, target, part, tokens, key_tokens)
    without = [layer for layer in range(found.depth) if layer not in found.maps]
    shown = _chosen("layers", layers, found.maps, without)
    counts = {len(found.maps[layer]) for layer in shown}
    chosen = _chosen("heads", heads, range(min(counts)), [])
    L, S = len(found.names), len(found.key_names)
    shape = len(shown), len(chosen), L, S
    _check_size(shape, BESIDE + 4 * len(shown) * len(chosen) * L * S // 3)
    weights = torch.stack([found.maps[layer][chosen].double() for layer in shown])  # (T, H, L, S)
    weights, told = _as_weights(weights)
    if found.step > 1:
        told = [f"each key stands for {found.step} in a row, the first of which is named", *told]
    keys, key_names = found.columns, found.key_names
    if weights.shape[-1] > S:
        key_names = [*key_names, NOTHING]
    kinds, sent = standing_out(weights, found.rows, keys), quantized(weights)
    layer, head = next((best[0][:2] for best in kinds.values() if best), (0, 0))
    if len(shown) < len(found.maps) or len(chosen) < max(counts):
        some = f"{len(shown)} of {len(found.maps)} layers and {len(chosen)} of {max(counts)} heads"
        told = [f"{some} are shown", *told]
    names = [f"layer {n} is {name}" for n, name in enumerate(found.called) if n in shown]
    data = {
        "shape": [*weights.shape],
        "tokens": found.names,
        "layers": shown,
        "heads": chosen,
        "standing": [{"name": n, "keys": KEYS[n], "heads": best} for n, best in kinds.items()],
        "score": SCORE,
        "without": without,
        "asks": position(query, found.names, "query"),
        "step": layer,
        "head": head,
        "weights": in_bytes(sent, 8) | {"low": 0, "unit": 1 / 255},
    }
    if key_names is not found.names:
        data["key_tokens"] = key_names
    elif found.image is not None:
        image, lines, columns = found.image
        data["image"] = {"rows": lines, "columns": columns, "href": as_picture(image)}
    name = f"layer {shown[layer]}, head {chosen[head]}"
    table = weights_table(sent[layer, head] / 255, name, found.names, key_names)
    without = [f"no maps in layer{'s' * (len(without) > 1)} {_listed(without)}"] if without else []
    line = "; ".join([f"live maps: {_size(shape)}, each weight within 4e-03", *told, *without])
    note = "".join(f"<p>{html.escape(one[0].upper() + one[1:])}.</p>" for one in told)
    note += f"<p>{html.escape('; '.join(names))}</p>" * bool(names)
    return Figure("heads", line, data, _list(kinds, shown, chosen) + table, note)


def _check_size(shape, size):
    if size > MOST_BYTES:
        fit = 3 * (MOST_BYTES - BESIDE) // (4 * shape[2] * shape[3])
        raise ValueError(
            f"the maps of {_size(shape)} would be a figure of {size / 1e6:.1f} MB, and it must "
            f"have at most {MOST_BYTES / 1e6:.0f}, which hold some {fit} maps of this size: give "
            "fewer layers=, fewer heads= or a shorter text"
        )


def _as_weights(weights):
    """The same maps with a column for what their weights lack, and what is to be told of them."""
    sums = weights.sum(-1)
    low, high = sums.min().item(), sums.max().item()
    if not (weights.min() >= 0 and high <= 1.01):
        rule = "model must give attention weights, at least 0 and in a row at most 1 together, got "
        got = f"{weights.min():.2f} and rows that add up to {low:.2f} to {high:.2f}"
        hint = ": can a query attend to no key? See the clinic, 91.13" * bool(weights.isnan().any())
        raise ValueError(rule + got + hint)
    if (torch.minimum(sums, (sums - 1).abs()) < 0.01).all():
        return weights, []
    rest = (1 - sums).clamp(min=0)[..., None]
    told = f"weights add up to {low:.2f} to {high:.2f}, and {NOTHING} is what they lack of 1"
    return torch.cat([weights, rest], -1), [told]


def standing_out(
    weights: Tensor, rows: Sequence, keys: Sequence | None = None
) -> dict[str, list[tuple[int, int, float]]]:
    """Kind -> its heads, (place of the layer, place of the head, score), the highest score first.

    Args:
        weights: (layers, H, L, S), or with a last column for nothing.
        rows, keys: the tokens of the queries and, if they are others, of the keys.

    Example:
        >>> standing_out(torch.tensor([[[[1.0, 0.0], [1.0, 0.0]]]]), [5, 6])["first token"]
        [(0, 0, 1.0)]
    """
    columns = len(rows if keys is None else keys)
    words, rest = weights[..., :columns], weights[..., columns:]
    where_to = looked_for(rows, keys, ahead=bool(words.triu(1).any()))
    kinds = {name: (words, where) for name, where in where_to.items()}
    if rest.numel():
        kinds[NOTHING] = rest, torch.ones(len(rows), 1, dtype=torch.bool)
    found, H = {}, weights.shape[1]
    for name, (given, where) in kinds.items():
        asking = where.any(-1)
        given = (given * where).sum(-1)[..., asking]  # (layers, H, those who ask)
        scores = given.mean(-1).flatten() if asking.any() else weights.new_zeros(0)
        best = scores.argsort(descending=True, stable=True)[:LISTED].tolist()
        listed = [(k // H, k % H, round(scores[k].item(), 2)) for k in best]  # as it is shown
        found[name] = [one for one in listed if one[2] > 0]  # 0.00 does not stand out
    return found


def looked_for(
    rows: Sequence, keys: Sequence | None = None, ahead: bool = False
) -> dict[str, Tensor]:
    """Kind -> (L, S), True where such a head would look; of one text, or in cross-attention.

    With ahead, tokens of one text see later ones.
    """
    number = {piece: n for n, piece in enumerate({*rows, *(keys or ())})}
    ids = torch.tensor([number[piece] for piece in rows])
    others = ids if keys is None else torch.tensor([number[piece] for piece in keys])
    i, j = torch.arange(len(ids))[:, None], torch.arange(len(others))
    before = torch.cat([others.new_full((1,), -1), others[:-1]])  # of each piece, the one before it
    same, came_next = ids[:, None] == others, ids[:, None] == before
    everyone, last = i >= 0, len(others) - 1
    if keys is not None:
        kinds = {"same position": j == i, "same token": same, "induction": came_next}
        return kinds | {"first token": everyone & (j == 0), "last token": everyone & (j == last)}
    kinds = {
        "previous token": j == i - 1,
        "first token": (j == 0) & (i > 0),
        "same token": same & (j < i),
        "induction": came_next & (j < i),
    }
    if ahead:
        kinds |= {"next token": j == i + 1, "last token": (j == last) & (i < last)}
    return kinds


def _list(kinds, layers, heads):
    """The heads that stand out, where no code runs."""
    rows = {
        f"{name}: layer {layers[layer]}, head {heads[head]}": score
        for name, best in kinds.items()
        for layer, head, score in best
    }
    scores = torch.tensor([*rows.values()])[:, None]
    table = plain_table(f"Heads that stand out: {SCORE}", rows, ["score"], scores)
    return table.replace("<table>", '<table class="trained">')


def _size(shape):
    T, H, L, S = shape
    layers, heads = f"layer{'s' * (T > 1)}", f"head{'s' * (H > 1)}"
    return f"{T} {layers} of {H} {heads} over {L if L == S else f'{L} × {S}'} tokens"


def _chosen(name, given, found, without):
    """The layers or heads that are wanted, all of which are there."""
    if given is None:
        return list(found)
    for one in given:
        check_count(name, one, least=0)
        if one in without:
            raise ValueError(f"{name} must have maps, got {one}: only {_listed(found)} have")
        if one not in found:
            raise ValueError(f"{name} must be among {_listed(found)}, got {one}")
    return list(given)


def _listed(numbers):
    return ", ".join(map(str, numbers))
