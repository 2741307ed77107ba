"""All attention maps of a language model on a text, as one live figure."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from d2lattn.arguments import check_count, check_shares, show
from d2lattn.devices import on_the_host
from d2lattn.transformer import Transformer, in_evaluation
from d2lattn_book.pictures.arrays import Query, position
from d2lattn_book.pictures.live import MOST_WORDS, Figure
from d2lattn_book.pictures.packed import in_bytes, whole_shares
from d2lattn_book.pictures.pieces import ids_of, names_of, tensor_of
from d2lattn_book.pictures.tables import plain_table, shares_table
from d2lattn_book.real import trace

MOST_BYTES = 3_000_000  # of the figure
LISTED = 5  # heads that stand out, of a kind


@on_the_host
def maps(
    model: nn.Module,
    text: str | Tensor | Sequence[int],
    tokenizer: Any = None,
    *,
    layers: Sequence[int] | None = None,
    heads: Sequence[int] | None = None,
    asks: Query = -1,
) -> Figure:
    """All attention maps of a language model on a text: a figure to look through, and to keep.

    The reader goes through layers and heads with two sliders, asks with any piece of the text, and
    jumps to the heads that stand out. Once drawn it needs no kernel: `maps(…).save("maps.html")`
    writes a page of its own. Layers, heads and pieces are counted from 0.

    A head stands out by the mean share that those who ask give to

    - *previous word*: the piece before, over all pieces but the first;
    - *first word*: the first piece, over all pieces but the first;
    - *same word*: all earlier copies of the piece, over the pieces that have such;
    - *induction*: the pieces that came next after earlier copies, itself left out, over the pieces
      that have such ("induction heads", Olsson et al. 2022).

    The five highest of each are listed, with this score, however low it is.

    A share is sent in 8 bits: less than 1/255 off, and each row has the sum 1.

    Args:
        model: a `Decoder` or an `Encoder` of d2lattn, or a decoder or encoder of transformers,
            which is asked for "eager" attention, for only this makes maps; what it had before is
            put back.
        text: a string of 2 to 64 pieces, or their numbers, also as a batch of one.
        tokenizer: one of the libraries tokenizers or transformers, or the list of the vocabulary's
            words in the order of their numbers. May be absent where text is numbers.
        layers, heads: which; all when absent. Layers without maps, as of linear attention, are
            left out, and the figure names them.
        asks: the piece that asks when the figure opens, by name or position.

    Raises:
        ValueError: a model that gives no maps, or shares that do not add up to 1; fewer than 2 or
            more than 64 pieces, or one that the model does not know; a layer or head that is not
            there; a figure of more than 3 MB, with its size.

    Cost:
        A pass of the model, and 4/3 of a byte for each share: 1.3 MB for 270 heads and 60 pieces.

    Example:
        >>> from d2lattn import Decoder
        >>> model = Decoder(3, 8, num_layers=2, num_heads=2)
        >>> maps(model, "a cat a cat", tokenizer=[".", "a", "cat"])
        live maps: 2 layers of 2 heads over 4 pieces, each share within 4e-03
    """
    ids = ids_of(text, tokenizer)
    if not 2 <= len(ids) <= MOST_WORDS:
        raise ValueError(f"text must have 2 to {MOST_WORDS} pieces, got {len(ids)}")
    found, without = _maps_of(model, ids)
    names = names_of(ids, tokenizer)
    shown = _chosen("layers", layers, found, without)
    counts = {len(found[layer]) for layer in shown}
    if heads is None and len(counts) > 1:
        raise ValueError(f"heads must be given where layers have {_listed(sorted(counts))} of them")
    chosen = _chosen("heads", heads, range(min(counts)), [])
    weights = torch.stack([found[layer][chosen] for layer in shown])  # (T, H, L, L)
    kinds = standing_out(weights, ids)
    layer, head = kinds["previous word"][0][:2]
    data = {
        "shape": [*weights.shape],
        "tokens": names,
        "layers": shown,
        "heads": chosen,
        "standing": [{"name": name, "heads": best} for name, best in kinds.items()],
        "without": without,
        "asks": position(asks, names, "asks"),
        "step": layer,
        "head": head,
        "weights": in_bytes(whole_shares(weights), 8) | {"low": 0, "unit": 1 / 255},
    }
    name = f"layer {shown[layer]}, head {chosen[head]}"
    table = _list(kinds, shown, chosen) + shares_table(weights[layer, head], name, names, names)
    figure = Figure("heads", _line(weights, without), data, table)
    size = len(figure.html.encode())
    if size > MOST_BYTES:
        raise ValueError(
            f"the maps of {_size(weights)} would be a figure of {size / 1e6:.1f} MB, and it must "
            f"have at most {MOST_BYTES / 1e6:.0f}: give fewer layers=, fewer heads= or a shorter "
            "text"
        )
    return figure


def standing_out(weights: Tensor, ids: Sequence[int]) -> dict[str, list[tuple[int, int, float]]]:
    """Kind -> its heads, (place of the layer, place of the head, score), the highest score first.

    Args:
        weights: (layers, H, L, L).
        ids: of the L pieces.

    Example:
        >>> standing_out(torch.tensor([[[[1.0, 0.0], [1.0, 0.0]]]]), [5, 6])["first word"]
        [(0, 0, 1.0)]
    """
    found = {}
    for name, where in looked_for(ids).items():
        asking = where.any(-1)
        given = (weights * where).sum(-1)[..., asking]  # (layers, H, those who ask)
        scores = given.mean(-1).flatten() if asking.any() else weights.new_zeros(0)
        best = scores.argsort(descending=True, stable=True)[:LISTED].tolist()
        H = weights.shape[1]
        found[name] = [(k // H, k % H, round(scores[k].item(), 3)) for k in best]
    return found


def looked_for(ids: Sequence[int]) -> dict[str, Tensor]:
    """Kind -> (L, L), True where such a head would look."""
    words, L = torch.tensor(ids), len(ids)
    i, j = torch.arange(L)[:, None], torch.arange(L)
    before = torch.cat([words.new_full((1,), -1), words[:-1]])  # of each piece, the one before it
    return {
        "previous word": j == i - 1,
        "first word": (j == 0) & (i > 0),
        "same word": (words[:, None] == words) & (j < i),
        "induction": (words[:, None] == before) & (j < i),
    }


def _list(kinds, layers, heads):
    """The heads that stand out, where no code runs."""
    rows = {
        f"{name}: layer {layers[layer]}, head {heads[head]}": score
        for name, best in kinds.items()
        for layer, head, score in best
    }
    scores = torch.tensor([*rows.values()])[:, None]
    table = plain_table("Heads that stand out", rows, ["mean share"], scores)
    return table.replace("<table>", '<table class="trained">')


def _line(weights, without):
    left = f"; no maps in layer{'s' * (len(without) > 1)} {_listed(without)}" if without else ""
    return f"live maps: {_size(weights)}, each share within 4e-03{left}"


def _size(weights):
    T, H, L, _ = weights.shape
    layers, heads = f"layer{'s' * (T > 1)}", f"head{'s' * (H > 1)}"
    return f"{T} {layers} of {H} {heads} over {L} pieces"


def _chosen(name, given, found, without):
    """The layers or heads that are wanted, all of which are there."""
    if given is None:
        return list(found)
    if isinstance(given, (str, bytes)) or not isinstance(given, (Sequence, range)) or not given:
        raise ValueError(f"{name} must be a list of {name} from 0, got {show(given)}")
    for one in given:
        check_count(name, one, least=0)
        if one in without:
            raise ValueError(f"{name} must have maps, got {one}: only {_listed(found)} have")
        if one not in found:
            raise ValueError(f"{name} must be among {_listed(found)}, got {one}")
        if list(given).count(one) > 1:
            raise ValueError(f"{name} must name each once, got {one} twice")
    return list(given)


def _listed(numbers):
    return ", ".join(map(str, numbers))


# The maps of a model ------------------------------------------------------------------------------


def _maps_of(model, ids):
    """Layer -> (H, L, L) in float64, and the layers without."""
    if isinstance(model, Transformer):
        found, count = _ours(model, ids), len(model.blocks)
    elif isinstance(model, nn.Module) and hasattr(model, "get_input_embeddings"):
        found, count = _theirs(model, ids)
    else:
        raise ValueError(
            "model must be a Decoder or an Encoder of d2lattn, or a model of transformers, got "
            f"{type(model).__name__}"
        )
    for layer, weights in found.items():
        if weights.ndim != 3 or weights.shape[1:] != (len(ids), len(ids)):
            raise ValueError(
                f"model must give maps of {len(ids)} × {len(ids)} shares in each head, got shape "
                f"{(*weights.shape,)} in layer {layer}"
            )
        try:
            check_shares(weights)
        except ValueError:
            sums = weights.sum(-1)
            far = sums.flatten()[(sums - 1).abs().argmax()].item()
            raise ValueError(
                f"model must give shares that add up to 1 in each row, got {far:.2f} in layer "
                f"{layer} of {type(model).__name__}"
            ) from None
    return found, [layer for layer in range(count) if layer not in found]


def _ours(model, ids):
    tokens = tensor_of(ids, model.embedding.num_embeddings, model.embedding.weight.device)
    layers = [n for n, block in enumerate(model.blocks) if hasattr(block.attention, "attend")]
    if not layers:
        raise ValueError(f"model must have a layer that gives maps, got {_kinds(model.blocks)}")
    weights = trace(model, tokens, keep=["weights"], layers=layers).weights
    return {n: x[0].cpu().double() for n, x in zip(layers, weights, strict=True)}


def _kinds(blocks):
    return _listed(sorted({type(block.attention).__name__ for block in blocks}))


def _theirs(model, ids):
    """Of a model of transformers: the maps of its layers, and how many layers there are."""
    name, config = type(model).__name__, model.config
    if getattr(config, "is_encoder_decoder", False):
        raise ValueError(f"model must be a decoder or an encoder alone, got {name}")
    words = model.get_input_embeddings()
    tokens = tensor_of(ids, len(words.weight), words.weight.device)
    with in_evaluation(model), eager(model), torch.no_grad():
        given = model(input_ids=tokens, output_attentions=True, return_dict=True)
    given = getattr(given, "attentions", None) or ()
    if all(one is None for one in given):
        raise ValueError(f"model must give maps with eager attention, got none from {name}")
    sizes = config.get_text_config() if hasattr(config, "get_text_config") else config
    count = getattr(sizes, "num_hidden_layers", len(given))
    found = zip(_places(given, count, sizes, name), given, strict=True)
    return {n: x[0].cpu().double() for n, x in found if x is not None}, count


def _places(given, count, sizes, name):
    """The layers to which the maps belong: only some may have given one."""
    if len(given) == count:
        return range(count)
    kinds = getattr(sizes, "layer_types", None) or ()
    places = [n for n, kind in enumerate(kinds) if kind in ATTENDING]
    if len(places) != len(given):
        raise ValueError(
            f"model must tell which of its layers give maps, got {len(given)} maps of {count} "
            f"layers from {name}"
        )
    return places


ATTENDING = ("full_attention", "sliding_attention", "chunked_attention", "attention", "hybrid")


@contextlib.contextmanager
def eager(model: nn.Module) -> Iterator[None]:
    """A model of transformers with attention that makes maps, as long as the block runs."""
    config: Any = model.config
    now = getattr(config, "_attn_implementation", "eager")
    if now in ("eager", None):
        yield
        return
    parts = {name: getattr(config, name, None) for name in getattr(config, "sub_configs", {})}
    own = {name: part._attn_implementation for name, part in parts.items() if part is not None}
    before = {"": now, **own} if own else now
    change: Any = getattr(model, "set_attn_implementation", None)
    try:
        if change is not None:
            change("eager")
        if config._attn_implementation != "eager":
            raise ValueError("it stays")
    except (ValueError, ImportError, NotImplementedError):
        raise ValueError(
            f"model must have eager attention, got {now!r}, which {type(model).__name__} cannot "
            'change: load it with attn_implementation="eager"'
        ) from None
    try:
        yield
    finally:
        change(before)
