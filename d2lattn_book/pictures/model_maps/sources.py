"""Where attention maps come from: a model, any module that holds attention, or tensors."""

import contextlib
import functools
import inspect
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from d2lattn.arguments import check_choice, show
from d2lattn.latent import LatentAttention
from d2lattn.multihead import MultiHeadAttention, SelfAttention
from d2lattn.transformer import Transformer
from d2lattn_book.host import in_evaluation
from d2lattn_book.pictures import arrays
from d2lattn_book.pictures.model_maps.pieces import counted, ids_of, names_of, tensor_of
from d2lattn_book.real import trace

PARTS = ("cross", "decoder", "encoder")  # of an encoder-decoder of transformers
ATTENTIONS = (nn.MultiheadAttention, MultiHeadAttention, SelfAttention, LatentAttention)
ATTENDING = ("full_attention", "sliding_attention", "chunked_attention", "attention", "hybrid")


class Found(NamedTuple):
    """Maps, and the pieces that they are of.

    Attributes:
        maps: layer -> (H, L, S).
        depth: how many layers there are, with those that have no maps.
        rows, columns: which of the L pieces that ask, and of the S that are asked, are the same:
            equal ones are. Where both are one text, columns are None.
        names, key_names: what is written for them.
        called: where layers are parts of a module, the name of each.
    """

    maps: dict[int, Tensor]
    depth: int
    rows: Sequence
    columns: Sequence | None
    names: list[str]
    key_names: list[str]
    called: Sequence[str] = ()


def find(model, text, tokenizer, target, part, tokens, key_tokens) -> Found:
    """What the arguments of `maps` ask for."""
    theirs = hasattr(model, "get_input_embeddings") and hasattr(model, "config")
    pair = theirs and getattr(model.config, "is_encoder_decoder", False)
    held = isinstance(model, nn.Module) and not theirs and not isinstance(model, Transformer)
    if target is not None and not pair:
        raise ValueError(f"target is for an encoder-decoder of transformers, got {_kind(model)}")
    if part is not None and not (pair or held):
        raise ValueError(f"part is for a model of several parts, got {_kind(model)}")
    rows: Any = None
    keys: Any = None
    called: Sequence[str] = ()
    if not isinstance(model, nn.Module):
        if text is not None:
            raise ValueError(f"text is what a model reads, tokens name rows, got {show(text)}")
        given, count = _given(model)
    elif text is None:
        raise ValueError("text must be what the model reads, got None")
    elif held:
        given, called, rows = _of_hooks(model, text, tokenizer, part)
        count = len(given)
    elif pair:
        chosen = "cross" if part is None else part
        given, rows, keys = _of_pair(model, ids_of(text, tokenizer), target, tokenizer, chosen)
        count = len(given)
    else:
        rows = ids_of(text, tokenizer)
        given, count = (_theirs if theirs else _ours)(model, rows)
    L, S = _size_of(given, _kind(model))
    known = rows is not None and len(rows) == L
    rows = rows if known else range(L)
    names = names_of(rows, tokenizer if known else None)
    if tokens is not None:
        names = rows = arrays.names("tokens", tokens, L, "rows of maps")
    if key_tokens is not None:
        key_names = keys = arrays.names("key_tokens", key_tokens, S, "columns of maps")
        rows = names
    elif keys is not None:
        key_names = names_of(keys, tokenizer)
        keys = keys if tokens is None else key_names
    elif L == S:
        return Found(given, count, rows, None, names, names, called)
    else:
        keys, key_names = [(j,) for j in range(S)], [str(j) for j in range(S)]  # equal to no row
    return Found(given, count, rows, keys, names, key_names, called)


def _kind(model):
    return type(model).__name__


def _size_of(given, who):
    """L and S, which all maps have."""
    L, S = next(iter(given.values())).shape[-2:]
    for layer, weights in given.items():
        if weights.ndim != 3 or weights.shape[1:] != (L, S):
            raise ValueError(
                f"model must give maps of {L} × {S} weights in each head, got shape "
                f"{(*weights.shape,)} in layer {layer} of {who}"
            )
    counted(range(L), "tokens", least=2 if L == S else 1)
    counted(range(S), "key_tokens")
    return L, S


# Tensors ------------------------------------------------------------------------------------------


def _given(weights):
    """Layer -> (H, L, S) of tensors, and how many layers there are."""
    if not isinstance(weights, (list, tuple)) or not any(map(torch.is_tensor, weights)):
        array = arrays.to_numpy(weights, "model")
        if array.dtype.kind != "f" or not array.ndim or not len(array):
            raise ValueError(f"model must be a model or its maps, got {show(weights)}")
        weights = torch.as_tensor(array[None] if array.ndim == 3 else array)
    found = {n: _single(one) for n, one in enumerate(weights) if one is not None}
    return found, len(weights)


def _single(weights):
    """(H, L, S) of (H, L, S) or a batch of one."""
    weights = torch.as_tensor(weights).detach().cpu()
    single = weights[0] if weights.ndim == 4 and len(weights) == 1 else weights
    if single.ndim != 3 or not single.is_floating_point():
        raise ValueError(
            "model must give maps (H, L, S) of numbers for each layer, or a batch of one, got "
            f"{weights.dtype} of shape {(*weights.shape,)}"
        )
    return single


# Ours ---------------------------------------------------------------------------------------------


def _ours(model, ids):
    tokens = tensor_of(ids, model.embedding.num_embeddings, model.embedding.weight.device)
    layers = [n for n, block in enumerate(model.blocks) if hasattr(block.attention, "attend")]
    if not layers:
        kinds = sorted({_kind(block.attention) for block in model.blocks})
        raise ValueError(f"model must have a layer that gives maps, got {', '.join(kinds)}")
    weights = trace(model, tokens, keep=["weights"], layers=layers).weights
    found = zip(layers, weights, strict=True)
    return {n: _single(x) for n, x in found}, len(model.blocks)


# A module that holds attention --------------------------------------------------------------------


def _of_hooks(model, text, tokenizer, part):
    """Maps of all attention that is called, in this order; their names; the pieces if it reads any.

    Torch hands weights out only if asked, and its encoder never asks: a hook before asks, one after
    keeps them, and gives the caller what it would have got.
    """
    pieces = None
    if isinstance(text, tuple) and all(map(torch.is_tensor, text)):
        inputs = text
    elif torch.is_tensor(text):
        inputs, pieces = (text,), None if text.is_floating_point() else text.flatten().tolist()
    else:
        pieces = ids_of(text, tokenizer)
        inputs = (torch.tensor([pieces]),)
    all_held = {name: one for name, one in model.named_modules() if isinstance(one, ATTENTIONS)}
    held = {name: one for name, one in all_held.items() if part is None or part in name}
    if not all_held:
        raise ValueError(
            "model must be of d2lattn or transformers, hold nn.MultiheadAttention or attention of "
            f"d2lattn, or be the maps themselves, tensors (layers, H, L, S), got {_kind(model)}"
        )
    if not held:
        raise ValueError(f"part must be in one of {', '.join(all_held)}, got {show(part)}")
    kept, asked, handles = [], [], []
    for name, one in held.items():
        keep = functools.partial(_keep, name or _kind(one), kept, asked)
        ask = functools.partial(_ask, asked)
        handles += [one.register_forward_pre_hook(ask, with_kwargs=True)]
        handles += [one.register_forward_hook(keep)]
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)  # it would pass the attention by
    try:
        with in_evaluation(model), torch.no_grad():
            model(*inputs)
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
        for handle in handles:
            handle.remove()
    if not kept:
        raise ValueError(f"model must call its attention, got no call of {', '.join(held)}")
    sizes = {f"{name}: {x.shape[-2]} × {x.shape[-1]}": x.shape[-2:] for name, x in kept}
    if len({*sizes.values()}) > 1:
        raise ValueError(
            f"part must choose attention whose maps have one size, got {show(part)} and "
            f"{', '.join(sizes)}"
        )
    return {n: x for n, (_, x) in enumerate(kept)}, [name for name, _ in kept], pieces


def _ask(asked, module, args, options):
    call = inspect.signature(module.forward).bind(*args, **options)
    call.apply_defaults()
    asked.append(dict(call.arguments))
    call.arguments["need_weights"] = True
    if "average_attn_weights" in call.arguments:
        call.arguments["average_attn_weights"] = False
    return call.args, call.kwargs


def _keep(name, kept, asked, module, args, result):
    output, weights = result
    wanted = asked.pop()
    one_head = isinstance(module, SelfAttention)
    kept.append((name, _single(weights.unsqueeze(-3) if one_head else weights)))
    if wanted["need_weights"]:
        return output, weights.mean(-3) if wanted.get("average_attn_weights") else weights
    return (output, None) if isinstance(module, nn.MultiheadAttention) else output


# transformers -------------------------------------------------------------------------------------


def _theirs(model, ids):
    """Of a decoder or an encoder: the maps of its layers, and how many layers there are."""
    given = _attentions(model, "attentions", input_ids=ids)
    config = model.config
    sizes = config.get_text_config() if hasattr(config, "get_text_config") else config
    count = getattr(sizes, "num_hidden_layers", len(given))
    found = zip(_places(given, count, sizes, _kind(model)), given, strict=True)
    return {n: _single(x) for n, x in found if x is not None}, count


def _of_pair(model, ids, target, tokenizer, part):
    """Of an encoder-decoder: the maps of a part, who asks in it, and who is asked if others."""
    check_choice("part", part, PARTS)
    if part == "encoder":
        return _theirs(model.get_encoder(), ids)[0], ids, None
    if target is None:
        raise ValueError("target must be what the decoder reads, got None")
    read = ids_of(target, tokenizer, "target", least=1)
    if isinstance(target, str):  # it reads what it has written, from its own first piece on
        begin, end = (_known(model, f"{name}_token_id") for name in ("decoder_start", "eos"))
        read = read[:-1] if read[-1:] == [end] else read
        read = read if begin is None else [begin, *read]
    counted(read, "target", least=2 if part == "decoder" else 1)
    given = _attentions(model, f"{part}_attentions", input_ids=ids, decoder_input_ids=read)
    maps = {n: _single(x) for n, x in enumerate(given)}
    return maps, read, ids if part == "cross" else None


def _known(model, name):
    """A number that the configuration tells, or that of how it writes."""
    holders = model.config, getattr(model, "generation_config", None)
    return next((x for x in (getattr(one, name, None) for one in holders) if x is not None), None)


def _attentions(model, name, **given):
    who, words = _kind(model), model.get_input_embeddings()
    if getattr(model, "main_input_name", "input_ids") != "input_ids":
        raise ValueError(
            f"model must read tokens of a text, got {who}, which reads {model.main_input_name}: "
            "give the maps that it returns, maps(model(…, output_attentions=True).attentions, "
            "tokens=…)"
        )
    room = len(words.weight), words.weight.device
    tokens = {key: tensor_of(ids, *room) for key, ids in given.items()}
    with in_evaluation(model), eager(model), torch.no_grad():
        output = model(**tokens, output_attentions=True, return_dict=True)
    found = getattr(output, name, None) or ()
    if all(one is None for one in found):
        raise ValueError(f"model must give maps with eager attention, got none from {who}")
    return found


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
