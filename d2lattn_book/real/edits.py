"""Look into a model while it reads, and change what it does there (chapters 3 to 10).

`trace` keeps what a pass computes on its way: the stream, who looked at whom, what each part added.
An `Edit` changes one of these things, at one place of some layers: a head that is switched off, a
key that is hidden, a stream from another sentence. What the loss does then says what the model used
it for (Geiger et al. 2021; Meng et al. 2022 call it causal tracing).

Shapes: B batch, L tokens, S tokens that are seen, E width, H heads of width D, Hkv of keys and
values, V words of the vocabulary. Layer 0 is the first.
"""

import contextlib
import copy
import functools
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from d2lattn.arguments import (
    check_boolean_mask,
    check_choice,
    check_count,
    check_counts,
    check_number,
    check_on,
    expect,
    fits,
    kind,
    show,
)
from d2lattn.multihead import MultiHeadAttention
from d2lattn.transformer import Transformer
from d2lattn_book.host import in_evaluation

__all__ = [
    "Edit",
    "Trace",
    "edited",
    "heads_off",
    "hide",
    "lens",
    "scale_scores",
    "see",
    "turn",
    "values_off",
]
# What an edit may change, and what stands there.
PLACES = {
    "stream": "tokens (B, L, E) as a layer gets them; after the last layer, the number of layers",
    "rotation": "the function that turns queries and keys, or None",
    "query": "(B, H, L, D), turned",
    "key": "(B, Hkv, S, D), turned, with those of a cache",
    "value": "(B, Hkv, S, D)",
    "visible": "boolean (B, H, L, S) or less, True = may attend",
    "heads": "what each head found, (B, H, L, D)",
    "from_attention": "what attention adds to the stream, (B, L, E)",
    "from_mlp": "what the MLP adds, (B, L, E)",
}
INSIDE_ATTENTION = ("query", "key", "value", "visible", "heads")
# What a trace may keep: of these places, and of two that only show.
SHOWN = ("stream", "weights", "heads", "from_heads", "from_attention", "from_mlp")
MOST = 2**30  # bytes that a trace may keep


@dataclass(frozen=True)
class Edit:
    """A change of what a model computes, at one place of some layers.

    Args:
        place (str): "stream", "rotation", "query", "key", "value", "visible", "heads",
            "from_attention" or "from_mlp".
        change: a function (what stands there, layer) -> what shall stand there, of the same shape;
            what it is given, it leaves as it was.
        layers: where; everywhere when absent. A stream has a place more, after the last layer.

    Example:
        >>> from d2lattn import Decoder
        >>> model, tokens = Decoder(10, 8, num_layers=2, num_heads=2).eval(), torch.tensor([[1, 2]])
        >>> silent = Edit("from_mlp", lambda x, layer: 0 * x, layers=[1])
        >>> with edited(model, silent):
        ...     logits = model(tokens)
        >>> torch.equal(logits, model(tokens))
        False
    """

    place: str
    change: Callable[[Any, int], Any]
    layers: Collection[int] | None = None

    def __post_init__(self) -> None:
        check_choice("place", self.place, tuple(PLACES))
        for layer in () if self.layers is None else _listed("layers", self.layers):
            check_count("layers", layer, least=0)


def _listed(name, values):
    """A list, a range or whatever else holds several values, and is no text."""
    alone = isinstance(values, (str, bytes)) or getattr(values, "ndim", 1) == 0
    if alone or not isinstance(values, Collection):
        raise ValueError(f"{name} must be a list, got {show(values)}")
    return values


def edited(model: Transformer, *edits: Edit) -> contextlib.AbstractContextManager[None]:
    """The model with these changes, as long as the block runs: it may read, write or learn.

    Edits of one place are made in their order. They are hooks of torch on the parts of the model.

    Args:
        model: a `Decoder` or an `Encoder`.
        edits: an `Edit` or several.

    Example:
        >>> from d2lattn import Decoder
        >>> model, tokens = Decoder(10, 8, num_layers=2, num_heads=2), torch.tensor([[1, 2, 3]])
        >>> with edited(model, hide(0)):
        ...     x = model(tokens)
        >>> torch.allclose(x, trace(model, tokens, edits=[hide(0)]).logits)
        True
    """
    _check_edits(model, edits)
    return _edited(model, edits)


@contextlib.contextmanager
def _edited(model: Transformer, edits: Sequence[Edit]) -> Iterator[None]:
    def change(place, layer, x):
        for edit in edits:
            if edit.place == place and (edit.layers is None or layer in edit.layers):
                given, x = x, edit.change(x, layer)
                if torch.is_tensor(given) and (not torch.is_tensor(x) or x.shape != given.shape):
                    raise ValueError(
                        f"change must keep the shape {(*given.shape,)} of {place}, layer {layer}, "
                        f"got {(*x.shape,) if torch.is_tensor(x) else kind(x)}"
                    )
        return x

    places = {edit.place for edit in edits}
    with contextlib.ExitStack() as changes:
        for hook in _hooks(model, places, change):
            changes.callback(hook.remove)
        yield


def _hooks(model, places, change):
    """Hooks on the parts of a model, for the places that are asked for."""

    def stream(layer, module, args, options):
        return (change("stream", layer, args[0]), *args[1:]), options

    def rotation(layer, module, args, options):
        context = copy.copy(options["context"])
        context.rotate = change("rotation", layer, context.rotate)
        return args, options | dict(context=context)

    def added(place, layer, module, args, output):
        if isinstance(output, tuple):  # with the weights
            return change(place, layer, output[0]), *output[1:]
        return change(place, layer, output)

    before, after = dict(with_kwargs=True), functools.partial
    for layer, block in enumerate(model.blocks):
        if places & set(INSIDE_ATTENTION):
            hook = after(_attend_by, after(_attend, change, places, layer))
            yield block.attention.register_forward_pre_hook(hook, **before)
        if "stream" in places:
            yield block.register_forward_pre_hook(after(stream, layer), **before)
        if "rotation" in places:
            yield block.attention.register_forward_pre_hook(after(rotation, layer), **before)
        if "from_attention" in places:
            hook = after(added, "from_attention", layer)
            yield block.attention.register_forward_hook(hook)
        if "from_mlp" in places and block.mlp is not None:
            yield block.mlp.register_forward_hook(after(added, "from_mlp", layer))
    if "stream" in places:
        hook = after(stream, len(model.blocks))
        yield model.norm.register_forward_pre_hook(hook, **before)


def _attend_by(way, module, args, options):
    """A hook that lets a layer attend another way, which is given its method first."""
    context = copy.copy(options["context"])
    context.attend = functools.partial(way, context.attend or module.attend)
    return args, options | dict(context=context)


def _attend(change, places, layer, attend, *given, need_weights=False, **options):
    """Attend in the heads of a layer, between changes of what goes in and what comes out."""
    names = ("query", "key", "value")
    given = [change(name, layer, x) for name, x in zip(names, given, strict=False)]
    if "visible" in places:
        shape = *given[0].shape[:3], given[1].shape[2]  # (B, H, L, S)
        visible = options.pop("context").visible(shape, given[0].device)
        seen = visible.allowed()
        seen = given[0].new_ones(shape, dtype=torch.bool) if seen is None else seen
        options["attn_mask"] = change("visible", layer, seen.expand(shape))
        options["attn_bias"] = visible.bias
    heads, weights = attend(*given, need_weights=need_weights, **options)
    return change("heads", layer, heads), weights


def _check_edits(model, edits):
    if not isinstance(model, Transformer):
        raise ValueError(f"model must be a Decoder or an Encoder, got {type(model).__name__}")
    for edit in _listed("edits", edits):
        if not isinstance(edit, Edit):
            raise ValueError(f"edits must be Edits, got {show(edit)}")
        most = len(model.blocks) - (edit.place != "stream")
        layers = range(len(model.blocks)) if edit.layers is None else edit.layers
        for layer in layers:
            if layer > most:
                raise ValueError(
                    f"layers must be at most {most} for {edit.place}, got {layer} of a model with "
                    f"{len(model.blocks)} layers"
                )
            if edit.place == "value" and not isinstance(
                model.blocks[layer].attention, MultiHeadAttention
            ):
                raise ValueError(
                    "place='value' is for layers that project values, got "
                    f"{type(model.blocks[layer].attention).__name__}"
                )


# Edits that are often wanted --------------------------------------------------------------------


def heads_off(*heads: tuple[int, int]) -> Edit:
    """The outputs of these heads, pairs (layer, head), are 0.

    Example:
        >>> from d2lattn import Decoder
        >>> model, tokens = Decoder(10, 8, num_layers=2, num_heads=2), torch.tensor([[1, 2, 3]])
        >>> trace(model, tokens, edits=[heads_off((1, 0))], keep=["heads"]).heads[1, 0, 0, 0]
        tensor([0., 0., 0., 0.])
    """
    for pair in heads:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ValueError(
                f"heads must be pairs (layer, head), each an argument of its own, got {show(pair)}"
            )
        check_counts(0, layer=pair[0], head=pair[1])

    def change(x, layer):
        x = x.clone()
        for head in [head for where, head in heads if where == layer]:
            check_count("head", head, least=0, most=x.shape[1] - 1)
            x[:, head] = 0
        return x

    return Edit("heads", change, sorted({layer for layer, _ in heads}))


def see(mask: Tensor, layers: Collection[int] | None = None) -> Edit:
    """Another mask in the place of the model's own.

    True = may attend; it broadcasts to (B, H, L, S). The future is seen where it says so.

    Example:
        >>> from d2lattn import Decoder
        >>> model, tokens = Decoder(10, 8, num_layers=2, num_heads=2), torch.tensor([[1, 2, 3]])
        >>> alone = torch.eye(3, dtype=torch.bool)
        >>> trace(model, tokens, edits=[see(alone, layers=[1])]).weights[1, 0, 0, 2]
        tensor([0., 0., 1.])
    """
    check_boolean_mask("mask", mask)

    def change(seen, layer):
        if not fits(mask, seen.shape):
            raise ValueError(
                f"mask must broadcast to (B, H, L, S) = {(*seen.shape,)}, got {(*mask.shape,)}"
            )
        check_on("mask", mask, seen.device)
        return mask.expand_as(seen)

    return Edit("visible", change, layers)


def hide(*columns: int, layers: Collection[int] | None = None) -> Edit:
    """The keys of these tokens are seen by none but the token itself.

    Example:
        >>> from d2lattn import Decoder
        >>> model, tokens = Decoder(10, 8, num_layers=2, num_heads=2), torch.tensor([[1, 2, 3]])
        >>> trace(model, tokens, edits=[hide(0)]).weights[0, 0, 1, 1]
        tensor([0., 1., 0.])
    """
    _check_columns(columns)

    def change(seen, layer):
        L, S = seen.shape[-2:]
        _check_columns(columns, S)
        keys = torch.arange(S, device=seen.device)
        own = keys == keys[S - L :, None]  # (L, S)
        return seen & (own | ~torch.isin(keys, keys[list(columns)]))

    return Edit("visible", change, layers)


def values_off(*columns: int, layers: Collection[int] | None = None) -> Edit:
    """The values of these tokens are 0: who looks at them gathers nothing.

    Example:
        >>> from d2lattn import Decoder
        >>> model, tokens = Decoder(10, 8, num_layers=2, num_heads=2), torch.tensor([[1, 2, 3]])
        >>> trace(model, tokens, edits=[values_off(0)], keep=["heads"]).heads[0, 0, 1, 0]
        tensor([0., 0., 0., 0.])
    """
    _check_columns(columns)

    def change(value, layer):
        _check_columns(columns, value.shape[2])
        value = value.clone()
        value[:, :, list(columns)] = 0
        return value

    return Edit("value", change, layers)


def scale_scores(factor: float, layers: Collection[int] | None = None) -> Edit:
    """All scores times a factor: below 1 the weights are more alike, above 1 less.

    It multiplies the queries, so a bias such as ALiBi's is not scaled.

    Example:
        >>> from d2lattn import Decoder
        >>> model, tokens = Decoder(10, 8, num_layers=2, num_heads=2), torch.tensor([[1, 2, 3]])
        >>> trace(model, tokens, edits=[scale_scores(0)]).weights[0, 0, 1, 2]
        tensor([0.3333, 0.3333, 0.3333])
    """
    factor = check_number("factor", factor)
    return Edit("query", lambda query, layer: factor * query, layers)


def turn(rotate: Callable[[Tensor], Tensor] | None, layers: Collection[int] | None = None) -> Edit:
    """Queries and keys are turned by this function, or with None not at all.

    `functools.partial(apply_rotary, positions=…, base=…)` puts the tokens elsewhere.

    Example:
        >>> from d2lattn import Decoder
        >>> model = Decoder(10, 8, num_layers=1, num_heads=2, positions="rotary")
        >>> still = trace(model, torch.tensor([[5, 5, 5]]), edits=[turn(None)])
        >>> still.weights[0, 0, 1, 2]  # equal words, nowhere
        tensor([0.3333, 0.3333, 0.3333])
    """
    return Edit("rotation", lambda given, layer: rotate, layers)


def _check_columns(columns, count=2**63):
    for column in columns:
        check_count("columns", column, least=0, most=count - 1)


# A pass that keeps what it computes ---------------------------------------------------------------


@dataclass
class Trace:
    """What a pass computed on its way; None is what was not asked for.

    Attributes:
        logits: (B, rows, V).
        stream: (layers + 1, B, rows, E): the embeddings first, and what every layer left.
        weights: (layers, B, H, rows, S), who looked at whom.
        heads: (layers, B, H, rows, D), what each head found.
        from_heads: (layers, B, H, rows, E), what each head added to the stream; they add up to
            from_attention, but for its bias.
        from_attention, from_mlp: (layers, B, rows, E), what each part added.

    Example:
        >>> from d2lattn import Decoder
        >>> model, tokens = Decoder(10, 8, num_layers=2, num_heads=2), torch.tensor([[1, 2, 3]])
        >>> seen = trace(model, tokens, keep=["stream", "from_attention", "from_mlp"])
        >>> added = seen.from_attention + seen.from_mlp
        >>> torch.allclose(seen.stream[:-1] + added, seen.stream[1:])
        True
    """

    logits: Tensor
    stream: Tensor | None = None
    weights: Tensor | None = None
    heads: Tensor | None = None
    from_heads: Tensor | None = None
    from_attention: Tensor | None = None
    from_mlp: Tensor | None = None


@torch.no_grad()
def trace(
    model: Transformer,
    tokens: Tensor,
    *,
    keep: Collection[str] = ("stream", "weights"),
    layers: Sequence[int] | None = None,
    rows: Sequence[int] | slice | None = None,
    edits: Sequence[Edit] = (),
    **reading: Any,
) -> Trace:
    """Let a model read, and keep what it computes.

    The model is asked in evaluation mode. `lens(model, x)` are the logits of any stream.

    Args:
        model: a `Decoder` or an `Encoder`.
        tokens: int64 (B, L).
        keep: what to keep, out of "stream", "weights", "heads", "from_heads", "from_attention" and
            "from_mlp", see `Trace`.
        layers: of which, in this order; all when absent. -1 is the last. A stream has a point more
            than there are layers.
        rows: of which tokens, also of the logits: a slice, or their places; all when absent.
        edits: changes that are made meanwhile.
        reading: further arguments of the model, such as segments.

    Raises:
        ValueError: more than 1 GiB would be kept, as all maps of a long text are.

    Cost:
        The pass, with the L×S weights of one layer in memory where they are asked for.

    Example:
        >>> from d2lattn import Decoder
        >>> model, tokens = Decoder(10, 8, num_layers=2, num_heads=2), torch.tensor([[1, 2, 3]])
        >>> seen = trace(model, tokens)
        >>> seen.stream.shape, seen.weights.shape
        (torch.Size([3, 1, 3, 8]), torch.Size([2, 1, 2, 3, 3]))
        >>> torch.allclose(lens(model, seen.stream[2]), seen.logits)
        True
    """
    _check_edits(model, edits)
    model.check_tokens(tokens)
    chosen = _Chosen(model, tokens, keep, layers, rows)
    if (size := chosen.size(keep)) > MOST:
        raise ValueError(
            f"keep must be at most {MOST:,} bytes, got {size:,}: keep fewer layers or rows"
        )
    if "need_weights" in reading:
        raise ValueError('need_weights is not for trace, which keeps "weights": name them in keep')
    kept: dict[str, dict[int, Tensor]] = {name: {} for name in keep}
    with in_evaluation(model), edited(model, *edits), _watching(model, chosen, kept):
        logits = model(tokens, **reading)
    found = {
        name: torch.stack([parts[layer] for layer in chosen.layers(name)])
        for name, parts in kept.items()
    }
    return Trace(logits, **found)


def lens(model: Transformer, x: Tensor) -> Tensor:
    """What the model would say if its layers ended here: logits (..., V) of a stream (..., E).

    to_logits(norm(x)), as it reads the last one ("logit lens", nostalgebraist 2020).

    Example:
        >>> from d2lattn import Decoder
        >>> model, tokens = Decoder(10, 8, num_layers=2, num_heads=2), torch.tensor([[1, 2, 3]])
        >>> lens(model, trace(model, tokens).stream[0]).shape
        torch.Size([1, 3, 10])
    """
    if not isinstance(model, Transformer):
        raise ValueError(f"model must be a Decoder or an Encoder, got {type(model).__name__}")
    expect("x", x, f"... {model.embedding.embedding_dim}")
    logits: Tensor = model.to_logits(model.norm(x))
    return logits


class _Chosen:
    """Which layers and rows a trace keeps, as lists of their numbers."""

    def __init__(self, model, tokens, keep, layers, rows):
        for name in _listed("keep", keep):
            check_choice("keep", name, SHOWN)
        if "from_mlp" in keep and any(block.mlp is None for block in model.blocks):
            raise ValueError("keep must name what all blocks have, got 'from_mlp' without an MLP")
        if "from_heads" in keep and any(
            isinstance(part, nn.RMSNorm)
            for block in model.blocks
            for part in block.attention.out_proj.modules()
        ):
            raise ValueError("keep must leave out 'from_heads' where a norm comes after the heads")
        self.model, self.tokens, self.count = model, tokens, len(model.blocks)
        points = self.count + ("stream" in keep)
        self.given = range(points) if layers is None else _listed("layers", layers)
        for layer in self.given:
            check_count("layers", layer, least=-points, most=points - 1)
        places = range(tokens.shape[1])
        rows = slice(None) if rows is None else rows
        self.rows = list(places[rows]) if isinstance(rows, slice) else _listed("rows", rows)
        for place in self.rows:
            check_count("rows", place, least=-len(places), most=len(places) - 1)
        for name in keep:
            if not self.layers(name):
                raise ValueError(f"layers must name some that have {name}, got {show(layers)}")

    def layers(self, name):
        """The layers of which something is kept: of a stream the last point, too."""
        points = range(self.count + (name == "stream"))
        return [points[n] for n in self.given if -len(points) <= n < len(points)]

    def size(self, keep):
        """How many bytes are kept, with the logits."""
        (B, S), H = self.tokens.shape, self.model.num_heads
        E = self.model.embedding.embedding_dim
        each = dict(stream=E, weights=H * S, heads=E, from_heads=H * E)
        each |= dict(from_attention=E, from_mlp=E)
        numbers = self.model.embedding.num_embeddings
        numbers += sum(len(self.layers(name)) * each[name] for name in keep)
        return numbers * B * len(self.rows) * self.model.embedding.weight.itemsize


@contextlib.contextmanager
def _watching(model, chosen, kept):
    """Put down what passes, after all changes, while the block runs."""
    which, inputs, parts = sorted(set(chosen.layers("weights"))), {}, functools.partial

    def see_stream(layer, module, args):
        if layer in chosen.layers("stream") and "stream" in kept:
            kept["stream"][layer] = args[0][:, chosen.rows]
        if layer == chosen.count:  # only these rows become logits
            return args[0][:, chosen.rows]
        return None

    def see_added(name, layer, module, args, output):
        kept[name][layer] = (output[0] if isinstance(output, tuple) else output)[:, chosen.rows]

    def see_input(layer, module, args):
        inputs[layer] = args[0]  # which opens the gates of a layer that has some

    def see_heads(layer, attend, *given, need_weights=False, **options):
        heads, weights = attend(*given, need_weights="weights" in kept, **options)
        if "weights" in kept:
            kept["weights"][layer] = weights[:, :, chosen.rows]
        if "heads" in kept:
            kept["heads"][layer] = heads[:, :, chosen.rows]
        if "from_heads" in kept:
            attention = model.blocks[layer].attention
            kept["from_heads"][layer] = _added(attention, heads, inputs[layer], chosen)
        return heads, weights if need_weights else None

    attentions = [model.blocks[layer].attention for layer in which]
    with contextlib.ExitStack() as watched:
        hooks = [
            block.register_forward_pre_hook(parts(see_stream, layer))
            for layer, block in enumerate(model.blocks)
        ]
        hooks.append(model.norm.register_forward_pre_hook(parts(see_stream, chosen.count)))
        for layer, attention in zip(which, attentions, strict=True):
            hooks.append(attention.register_forward_pre_hook(parts(see_input, layer)))
            if kept.keys() & {"weights", "heads", "from_heads"}:
                hook = parts(_attend_by, parts(see_heads, layer))
                hooks.append(attention.register_forward_pre_hook(hook, with_kwargs=True))
            added = dict(from_attention=attention, from_mlp=model.blocks[layer].mlp)
            for name in kept.keys() & added.keys():
                hooks.append(added[name].register_forward_hook(parts(see_added, name, layer)))
        for hook in hooks:
            watched.callback(hook.remove)
        yield


def _added(layer, heads, x, chosen):
    """What each head alone adds, (B, heads, rows, E): the join of it among zeros, without bias."""
    gated = (x[:, chosen.rows],) if getattr(layer, "gate_proj", None) is not None else ()
    heads = heads[:, :, chosen.rows]
    nothing = torch.zeros_like(heads)
    parts = []
    for head in range(heads.shape[1]):
        alone = nothing.clone()
        alone[:, head] = heads[:, head]
        parts.append(layer.join(alone, *gated) - layer.join(nothing, *gated))
    return torch.stack(parts, 1)
