"""Where attention maps come from: whatever attends in a module, or tensors."""

import functools
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention.bias import CausalBias
from torch.overrides import TorchFunctionMode

from d2lattn import attention_weights
from d2lattn.arguments import show
from d2lattn.latent import LatentAttention
from d2lattn.multihead import MultiHeadAttention, SelfAttention
from d2lattn_book.host import in_evaluation
from d2lattn_book.pictures import arrays
from d2lattn_book.pictures.model_maps.images import names_of_patches, patches_in
from d2lattn_book.pictures.model_maps.pieces import MOST_PIECES, counted, ids_of, names_of

OURS = (MultiHeadAttention, SelfAttention, LatentAttention)
SOFTMAX = (torch.softmax, F.softmax, Tensor.softmax)
MARKS = ("decoder_start", "eos")
PARTS = ("cross", "decoder", "encoder")  # of an encoder-decoder
CROSS = re.compile(r"cross|encoder_attn|enc\w*dec\w*att|multihead_attn|src_attn", re.IGNORECASE)


class Found(NamedTuple):
    """Maps, and the pieces that they are of.

    Attributes:
        maps: layer -> (H, L, S).
        depth: how many layers there are, with those that have no maps.
        rows, columns: which of the L pieces that ask, and of the S that are asked, are the same:
            equal ones are. Where both are one text, columns are None.
        names, key_names: what is written for them.
        called: where layers are calls of modules that do not stand in a row, the name of each.
        step: how many keys in a row are shown as one.
        image: (C, H, W), of which the last tokens are the patches, line by line, and its lines and
            columns of patches.
    """

    maps: dict[int, Tensor]
    depth: int
    rows: Sequence
    columns: Sequence | None
    names: list[str]
    key_names: list[str]
    called: Sequence[str] = ()
    step: int = 1
    image: tuple[Tensor, int, int] | None = None


def find(model, text, tokenizer, target, part, tokens, key_tokens) -> Found:
    """What the arguments of `maps` ask for."""
    rows: Any = None
    keys: Any = None
    called: Sequence[str] = ()
    if isinstance(model, nn.Module):
        given, count, called, rows, keys = _of_module(model, text, tokenizer, target, part)
    else:
        if text is not None:
            raise ValueError(f"text is what a model reads, tokens name rows, got {show(text)}")
        given, count = _given(model)
    given, step = _gathered(given) if key_tokens is keys is None else (given, 1)
    L, S = _size_of(given, called)
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
        image = None if known else patches_in(text, L)
        if image is not None and tokens is None:
            names = names_of_patches(L, *image[1:])
        return Found(given, count, rows, None, names, names, called, image=image)
    else:
        keys = [(j,) for j in range(S)]  # equal to no row
        key_names = [str(step * j) for j in range(S)]
    return Found(given, count, rows, keys, names, key_names, called, step)


def _size_of(given, names):
    """L and S, which all maps have."""
    named = zip(names or [f"layer {n}" for n in given], given.values(), strict=True)
    sizes = {f"{name}: {x.shape[1]} × {x.shape[2]}": x.shape[1:] for name, x in named}
    if len({*sizes.values()}) > 1:
        raise ValueError(
            f"part must choose maps of one size, where a model has several, got {', '.join(sizes)}"
        )
    L, S = next(iter(sizes.values()))
    counted(range(L), "tokens", least=2 if L == S else 1)
    counted(range(S), "key_tokens")
    return L, S


def _gathered(given):
    """Where there are too many keys, as frames of sound: so many of them become one, whose weight
    is their sum."""
    L, S = next(iter(given.values())).shape[1:]
    step = -(-S // MOST_PIECES) if L < S else 1
    shape, pad = (-1, step), (0, -S % step)
    return {n: F.pad(x, pad).unflatten(-1, shape).sum(-1) for n, x in given.items()}, step


# Tensors ------------------------------------------------------------------------------------------


def _given(weights):
    """Layer -> (H, L, S) of tensors, and how many layers there are."""
    if not isinstance(weights, (list, tuple)) or not any(map(torch.is_tensor, weights)):
        array = arrays.to_numpy(weights, "model")
        stacked = array.ndim in (3, 4) or (array.ndim == 5 and array.shape[1] == 1)
        if array.dtype.kind != "f" or not stacked or not len(array):
            rule = "model must be a model, or attention weights (layers, H, L, S) or (H, L, S), got"
            raise ValueError(f"{rule} {type(weights).__name__} of {array.dtype}, {array.shape}")
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
            f"{weights.dtype} of shape {(*weights.shape,)}: a batch, or batch_first=True left out?"
        )
    return single


# Modules ------------------------------------------------------------------------------------------


def _of_module(model, text, tokenizer, target, part):
    """Layer -> (H, L, S), how many layers there are, their names, and the tokens of rows and
    columns, which are None where they are unknown or the same."""
    pair = getattr(getattr(model, "config", None), "is_encoder_decoder", False)
    if target is not None and not pair:
        raise ValueError(f"target is for an encoder-decoder, got {type(model).__name__}")
    if pair and part == "encoder":
        model, part, pair = model.get_encoder(), None, False
    args, options, ids = _inputs(model, text, tokenizer)
    read = ids
    if pair:
        part = "cross" if part is None else part
        read = _read_by_decoder(model, target, tokenizer)
        options["decoder_input_ids"] = _batch(model, read)
    seen = _Seen(model, part)
    try:
        with in_evaluation(model), torch.no_grad(), seen:
            model(*args, **options)
    finally:
        for handle in seen.handles:
            handle.remove()
    names, maps = zip(*seen.found(), strict=True)
    kind = _part_of(names[0]) if pair else None
    rows, keys = ids if kind == "encoder" else read, ids if kind == "cross" else None
    if not pair and ids is not None and maps[0].shape[-1] == len(ids) + 1:
        maps = [weights[..., :-1] for weights in maps]  # the last is the score of a sink
    places, count = _places(model, names)
    called = () if places else names
    return dict(zip(places or range(count), maps, strict=True)), count, called, rows, keys


def _inputs(model, text, tokenizer):
    """What the module is called with, by position and by name, and the tokens if it reads any."""
    if isinstance(text, Mapping):
        ids = text.get("input_ids")
        return (), dict(text), None if ids is None else ids_of(ids, None)
    if isinstance(text, tuple) and all(map(torch.is_tensor, text)):
        return text, {}, None
    if torch.is_tensor(text) and text.is_floating_point():
        return (text,), {}, None
    ids = ids_of(text, tokenizer)
    return (_batch(model, ids),), {}, ids


def _batch(model, ids):
    """The numbers as a batch of one, where the model is."""
    device = next((parameter.device for parameter in model.parameters()), None)
    return torch.tensor([ids], device=device)


def _read_by_decoder(model, target, tokenizer):
    """The tokens that the decoder of a model of transformers reads."""
    if target is None:
        raise ValueError("target must be what the decoder reads, got None")
    read = ids_of(target, tokenizer, "target", least=1)
    if isinstance(target, str):  # it reads what it has written, from its own first piece on
        begin, end = (getattr(model.config, f"{name}_token_id", None) for name in MARKS)
        read = read[:-1] if read[-1:] == [end] else read
        read = read if begin in (None, *read[:1]) else [begin, *read]
    return read


def _part_of(name):
    """The part of an encoder-decoder to which an attention module of this name belongs."""
    found = re.search("encoder|decoder", name)
    return "cross" if CROSS.search(name) else found and found[0]


def _places(model, names):
    """The numbers of the layers in a row of modules, and how long it is; else None, and a count."""
    cut = [name.split(".") for name in names]
    for n, column in enumerate(zip(*cut, strict=False)):
        rests = {(*one[:n], "", *one[n + 1 :]) for one in cut}
        if len(rests) == 1 and all(map(str.isdigit, column)) and len({*column}) == len(names):
            row = model.get_submodule(".".join(cut[0][:n]))
            if isinstance(row, nn.ModuleList):
                return [int(place) for place in column], len(row)
    return None, len(names)


class _Seen(TorchFunctionMode):
    """While it is on, each attention that a module computes is kept, with the name of its module.

    Torch hands every call of its functions over before it is done. Of a fused kernel the attention
    weights are computed beside it, and of scores (B, H, L, S) the softmax is kept. Layers of
    d2lattn are asked for their attention weights, as is torch's function for nn.MultiheadAttention;
    the caller gets what it would have got.
    """

    def __init__(self, model, part):
        super().__init__()
        self.who, self.part = type(model).__name__, part
        self.names, self.calls = [], []  # all, and those of the part
        self.others = set()  # functions of another name
        self.inside, self.asked, self.handles = [], [], []
        for name, one in model.named_modules():
            enter = functools.partial(self._enter, name or type(one).__name__)
            self.handles += [one.register_forward_pre_hook(enter, with_kwargs=True)]
            self.handles += [one.register_forward_hook(self._leave)]

    def _enter(self, name, module, args, options):
        self.inside.append(name)
        if isinstance(module, OURS):
            self.asked.append(options.get("need_weights", False))
            options = options | {"need_weights": True}
        return args, options

    def _leave(self, module, args, result):
        if isinstance(module, OURS):
            output, weights = result
            self._keep(weights.unsqueeze(-3) if isinstance(module, SelfAttention) else weights)
            result = result if self.asked.pop() else output
        self.inside.pop()
        return result

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if self.asked:  # a layer of d2lattn gives its weights itself
            return function(*args, **kwargs)
        if function is F.multi_head_attention_forward:
            return self._of_torch(args, kwargs)
        result = function(*args, **kwargs)
        if function is F.scaled_dot_product_attention:
            self._keep(weights_of(*args, **kwargs))
        elif function in SOFTMAX:
            dim = kwargs.get("dim", args[1] if len(args) > 1 else None)
            shape = result.shape
            square = len(shape) == 3 and shape[-2] == shape[-1]
            if dim in (-1, len(shape) - 1) and (len(shape) == 4 or square):
                self._keep(result)
        elif re.search("attn|attention", name := getattr(function, "__name__", "")):
            self.others.add(name)
        return result

    def _of_torch(self, args, kwargs):
        asked = dict(need_weights=True, average_attn_weights=False)
        output, weights = F.multi_head_attention_forward(*args, **kwargs | asked)
        self._keep(weights)
        weights = weights.mean(-3) if kwargs["average_attn_weights"] else weights
        return output, weights if kwargs["need_weights"] else None

    def _keep(self, weights):
        name = self.inside[-1]
        self.names.append(name)
        if self.part in (None, _part_of(name)) or (self.part not in PARTS and self.part in name):
            single = _single(weights)
            counted(range(single.shape[-2]), "tokens", 1)  # before there are many too large ones
            self.calls.append((name, single))

    def found(self):
        """(name, (H, L, S)) of all calls of the part."""
        if not self.names:
            others = ", ".join(sorted(self.others)) or "none of these"
            raise ValueError(
                "model must attend by F.scaled_dot_product_attention, nn.MultiheadAttention, a "
                "layer of d2lattn or a softmax over scores (B, H, L, S), since a kernel of another "
                f"name gives no attention weights, got {others} from {self.who}: have it use one "
                'of these (in transformers model.set_attn_implementation("sdpa")), or give the '
                "maps themselves, tensors (layers, H, L, S)"
            )
        if not self.calls:
            names = ", ".join(dict.fromkeys(self.names))
            raise ValueError(f"part must be in one of {names}, got {show(self.part)}")
        return self.calls


def weights_of(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    """The attention weights of a call of F.scaled_dot_product_attention, which has these arguments.

    Causality counts from the top left there, whatever L and S are.
    """
    if enable_gqa:
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
    if isinstance(attn_mask, CausalBias):
        attn_mask = attn_mask._materialize(query.device)
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        attn_mask = torch.where(attn_mask, 0.0, -math.inf)
    bias = None if attn_mask is None else attn_mask.float()
    given = dict(attn_bias=bias, is_causal=is_causal, query_offset=0 if is_causal else None)
    return attention_weights(query.float(), key.float(), scale=scale, **given)
