"""How many bytes a model keeps of a text, read off its config.json (chapter 10).

What a field means stands in the tables of `fields`; what stands in none of them is named in a
warning.
"""

import json
import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from d2lattn.arguments import check_count, check_number, show
from d2lattn_book.cards import fields as tables

MOST = 10**6  # layers, lest a wrong number fills the memory


class Piece(NamedTuple):
    """Rows of numbers that a layer keeps: `part` is one of PARTS."""

    part: str
    rows: int
    numbers: int
    bytes: int


class Layer(NamedTuple):
    """A layer and what it keeps: nothing, if it has no pieces."""

    kind: str
    pieces: tuple[Piece, ...]

    @property
    def bytes(self) -> int:
        return sum(piece.bytes for piece in self.pieces)


@dataclass(frozen=True, repr=False)
class CacheBytes:
    """Hold what `cache_bytes` counted. Printed it is a table, with equal layers in one row.

    Attributes:
        tokens (int): the number of cached tokens.
        layers: a `Layer` each, with its `kind`, its `bytes`, and its `pieces` (part, rows,
            numbers of a row, bytes).
        notes: what was taken from elsewhere than the fields.
        unknown: names of fields that were not understood.
        total (int): the bytes of all layers.
    """

    tokens: int
    layers: tuple[Layer, ...]
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return sum(layer.bytes for layer in self.layers)

    def __str__(self) -> str:
        places: dict[Layer, list[int]] = {}
        for place, layer in enumerate(self.layers):
            places.setdefault(layer, []).append(place)
        rows = [("layers", "kind", "kept of each: rows × numbers", "bytes of all")]
        for layer, where in places.items():
            kept = ", ".join(f"{p.rows:,} × {p.numbers:,} {p.part}" for p in layer.pieces)
            rows.append((_span(where), layer.kind, kept or "–", f"{len(where) * layer.bytes:,}"))
        rows.append(
            ("", "", f"{self.tokens:,} tokens, {self.total / 2**20:,.1f} MiB", f"{self.total:,}")
        )
        wide = [max(len(row[i]) for row in rows) for i in range(4)]
        lines = [
            f"{a:{wide[0]}}  {b:{wide[1]}}  {c:{wide[2]}}  {d:>{wide[3]}}".rstrip()
            for a, b, c, d in rows
        ]
        remarks = [f"note: {note}" for note in self.notes]
        remarks += [f"not understood: {', '.join(self.unknown)}"] if self.unknown else []
        return "\n".join(lines + remarks)

    def __repr__(self) -> str:
        return str(self)


def cache_bytes(
    config: Any, *, tokens: int, bytes_per_number: float | Mapping[str, float] = 2
) -> CacheBytes:
    """Count the bytes of a decoder's KV cache for a number of tokens, layer by layer.

    total = Σ over layers Σ over pieces rows · numbers · bytes of a number

    A layer with attention keeps a row for each token: keys and values, 2 · Hkv · D numbers (or
    Hkv · (D + Dv)), or a latent and the rotary part beside it, C + R (DeepSeek-AI 2024, section
    2.1). With a window of W it keeps min(tokens, W) rows. An indexer keeps one key more. A layer
    with a state keeps it once, and the last kernel - 1 rows before a short convolution. A layer
    that compresses keeps a window and tokens // m rows. It is what must be kept of one sequence,
    without the tokens of an unfinished block and multi-token prediction layers (MTP): a
    server rounds up to pages, may not honour windows, and copies latents to every device.

    Args:
        config: a config.json as it is: a dict, the path of the file or of its folder, or a config
            of transformers (an object with `to_dict`).
        tokens (int): tokens of the text.
        bytes_per_number: of all parts, or a dict of those that differ from 2: "keys", "values",
            "latent", "rotary", "index", "state", "conv". Scales count as parts of a byte: DeepSeek
            serves its latents in fp8 with a float32 for 128 numbers, and the keys of its indexer,
            dict(latent=1 + 4 / 128, index=1 + 4 / 128), 656 and 132 bytes. States take what the
            file says (`mamba_ssm_dtype`) or else float32, unless they stand in a dict.

    Returns:
        CacheBytes: `total`, `layers`, `notes`, `unknown`; it prints as a table.

    Raises a ValueError for a config without the sizes it needs, and for one of an encoder. Warns of
    fields that it does not know (a UserWarning with their names), which may make it more or less;
    where a pattern of windows is not understood, all tokens count. Time and memory: O(layers).

    Example:
        >>> llama = dict(num_hidden_layers=32, num_attention_heads=32, hidden_size=4096)
        >>> llama["num_key_value_heads"] = 8
        >>> cache_bytes(llama, tokens=1024).total == 1024 * 32 * 2 * 8 * 128 * 2
        True
        >>> print(cache_bytes(llama, tokens=1024, bytes_per_number=1))
        layers  kind  kept of each: rows × numbers              bytes of all
        0-31    full  1,024 × 1,024 keys, 1,024 × 1,024 values    67,108,864
                      1,024 tokens, 64.0 MiB                      67,108,864
    """
    card = _Card(_read(config))
    check_count("tokens", tokens)
    kinds = _kinds(card)
    has_states = bool({tables.STATE, tables.BOTH} & {*kinds})
    sizes = _sizes(card, bytes_per_number, has_states)
    if not has_states:  # sizes of a state, and no layer is known to have one
        card.unknown_fields += [card.find(size)[0] for size in tables.STATES if card.get(size)]
    kinds = _without_what_is_shared(card, kinds)
    layers = []
    for i, kind in enumerate(kinds):
        pieces = [
            Piece(part, rows, numbers, _ceil(rows * numbers, sizes[part]))
            for part, rows, numbers in _pieces(card, i, kind, tokens, kinds)
        ]
        layers.append(Layer(kind, tuple(piece for piece in pieces if piece.bytes)))
    unknown = card.unknown()
    if unknown:
        warnings.warn(
            f"config has fields that cache_bytes does not know: {', '.join(unknown)}. If one of "
            "them changes what is kept, the count is wrong",
            stacklevel=2,
        )
    return CacheBytes(tokens, tuple(layers), tuple(card.notes), unknown)


# Reading ------------------------------------------------------------------------------------------


def _read(config: Any) -> Mapping[str, Any]:
    """The fields of a config.json, however it comes."""
    rule = "config must be a dict, the path of a config.json, or have a method to_dict"
    found = config
    if isinstance(config, (str, os.PathLike)):
        path = os.path.join(config, "config.json") if os.path.isdir(config) else config
        try:
            with open(path, encoding="utf-8") as file:
                found = json.load(file)
        except (OSError, ValueError) as error:
            raise ValueError(f"{rule}, got {show(config)}: {error}") from None
    elif hasattr(config, "to_dict") and not isinstance(config, type):
        found = config.to_dict()
    if not isinstance(found, Mapping) or not all(isinstance(name, str) for name in found):
        raise ValueError(f"{rule}, got {show(config)}")
    return found


class _Card:
    """The fields of the model of text, those of FLAT under dotted names, and remarks on them."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        inside = [config[name] for name in tables.TEXT if isinstance(config.get(name), Mapping)]
        self.fields: dict[str, Any] = {**config, **(inside[0] if inside else {})}
        for name in tables.FLAT:
            self.fields |= {f"{name}.{key}": value for key, value in self.inner(name).items()}
        self.type = self.fields.get("model_type")
        self.notes: list[str] = []
        self.unknown_fields: list[str] = []
        own = {str(i): its for i, its in self.inner("per_layer_config").items()}.items()
        self.layers = {int(i): dict(its) for i, its in own if i.isdigit() and isinstance(its, dict)}
        fields = {field for its in self.layers.values() for field in its} - tables.READ_BY_LAYER
        strange = {field for field in fields if not _harmless(field)}
        strange |= {i for i, _ in own if not i.isdigit() or int(i) not in self.layers}
        self.unknown_fields += [f"per_layer_config: {field}" for field in sorted(strange)]
        if self.fields.get("is_encoder_decoder"):
            raise ValueError("config must be that of a decoder, got is_encoder_decoder True")
        if self.type in tables.ENCODERS and not self.fields.get("is_decoder"):
            raise ValueError(f"config must be that of a decoder, got the encoder {self.type}")
        if self.type in tables.WITH_DEFAULT_SIZES:
            absent = {n: v for n, v in tables.DEFAULT_SIZES.items() if self.fields.get(n) is None}
            self.fields |= absent
            said = ", ".join(f"{name} {value}" for name, value in absent.items())
            self.notes += [f"as in the class of {self.type}, where absent: {said}"] if said else []

    def find(self, name: str, layer: int | None = None) -> tuple[str, Any]:
        """The first spelling that is there and not null, and what it says, of a layer if asked."""
        spellings = tables.NAMES.get(name, name).split()
        own = {} if layer is None else self.layers.get(layer, {})
        for fields in (own, self.fields):
            for field in spellings:
                value = fields.get(field)
                if isinstance(value, (list, tuple)) and layer is not None and layer < len(value):
                    value = value[layer]
                if value is not None:
                    return field, value
        return " or ".join(spellings), None

    def get(self, name: str, layer: int | None = None) -> Any:
        return self.find(name, layer)[1]

    def inner(self, name: str) -> Mapping[str, Any]:
        """A field that holds fields, or nothing."""
        value = self.fields.get(name)
        if value is not None and not isinstance(value, Mapping):
            raise ValueError(f"config: {name} must hold fields, got {show(value)}")
        return value or {}

    def count(
        self, name: str, default: int | None = None, layer: int | None = None, least: int = 1
    ) -> int:
        """The same, which must be an integer; where there is a default, 0 of what must be at least
        1 is as good as absent."""
        field, value = self.find(name, layer)
        if value == 0 and least == 1 and value is not False and default is not None:
            value = None
        if value is None and default is None:
            raise ValueError(f"config must give {field}, got neither it nor another name of it")
        found: Any = default if value is None else value
        check_count(f"config: {field}", found, least)
        return int(found)

    def unknown(self) -> tuple[str, ...]:
        """Fields that say something and stand in no table."""
        silent: tuple[Any, ...] = (None, "", [], {})
        stated = {k for k, v in self.fields.items() if v not in silent and v != tables.USUAL.get(k)}
        strange = [name for name in stated - tables.READ if not _harmless(name)]
        return tuple(sorted({*self.unknown_fields, *strange}))


def _harmless(field: str) -> bool:
    """Whether a field has no influence on what is kept."""
    return field in tables.HARMLESS or bool(tables.WITHOUT.fullmatch(field.split(".")[-1]))


def _sizes(card: _Card, given: Any, has_states: bool) -> dict[str, float]:
    """Bytes of a number, by part."""
    sizes: dict[str, float] = dict.fromkeys(tables.PARTS, 2.0)
    if isinstance(given, Mapping):
        for part, size in given.items():
            if part not in tables.PARTS:
                raise ValueError(
                    f"bytes_per_number must have parts of {tables.PARTS}, got {show(part)}"
                )
            sizes[part] = check_number(f"bytes_per_number of {part}", size, least=0)
    else:
        sizes = dict.fromkeys(tables.PARTS, check_number("bytes_per_number", given, least=0))
    stated = tables.DTYPES.get(str(card.get("state_dtype")))
    if has_states and not (isinstance(given, Mapping) and "state" in given):
        sizes["state"] = stated or 4
        whose = "as the config says" if stated else "the config gives no dtype: float32, as usual"
        card.notes.append(f"numbers of a state take {sizes['state']:g} bytes, {whose}")
    quantized = card.fields.get("quantization_config")
    scheme = quantized.get("kv_cache_scheme") if isinstance(quantized, Mapping) else None
    if isinstance(scheme, Mapping) and "num_bits" in scheme:
        card.notes.append(f"the config asks for a cache of {scheme['num_bits']} bits a number")
    return sizes


def _ceil(numbers: int, size: float) -> int:
    """Whole bytes of so many numbers, however many: floats would round."""
    top, bottom = size.as_integer_ratio()
    return -(-numbers * top // bottom)


# Which layer is of which kind ---------------------------------------------------------------------


def _kinds(card: _Card) -> list[str]:
    """A kind for each layer: by the first spelling that the config has."""
    searched = card.get("block_configs")
    if isinstance(searched, list):
        return [_searched(card, i) for i in range(len(searched))]
    for field, table in tables.PATTERNS.items():
        entries = card.get(field)
        if not isinstance(entries, (list, str)) or not entries or not _counts(card, field):
            continue
        layers = _layers(card, len(entries))
        if field in tables.REPEATED:
            entries = [entries[i % len(entries)] for i in range(layers)]
        if len(entries) < layers:
            raise ValueError(f"config must have {layers} entries in {field}, got {len(entries)}")
        return [_kind(card, field, entry, table) for entry in entries[:layers]]
    layers = _layers(card)
    for field, (first, some, others) in tables.INDICES.items():
        places = card.get(field)
        if isinstance(places, (list, tuple)) and places:
            return [some if i + first in places else others for i in range(layers)]
    for field, (one, others) in tables.PERIODS.items():
        if card.get(field) is not None and _counts(card, field):
            period = card.count(field)
            offset = card.count("attn_layer_offset", period - 1, least=0)
            return [one if i % period == offset else others for i in range(layers)]
    if card.type in tables.DEFAULTS:
        field, period = tables.DEFAULTS[card.type]
        card.notes.append(f"{field} is absent: {period}, as in the class of {card.type}")
        one, others = tables.PERIODS[field]
        return [others if (i + 1) % period else one for i in range(layers)]
    return _windows(card, layers)


def _layers(card: _Card, default: int | None = None) -> int:
    layers = card.count("layers", default)
    if card.type in tables.PAIRS and card.find("layers")[0] == "num_layers":
        layers *= 2
        card.notes.append("attention stands twice in each of num_layers")
    if layers > MOST:
        raise ValueError(f"config must have at most {MOST:,} layers, got {layers}")
    return layers


def _kind(card: _Card, field: str, entry: Any, table: Mapping[Any, str]) -> str:
    if isinstance(entry, (str, int)) and entry in table:
        return table[entry]
    card.unknown_fields.append(f"{field}: {entry!r}")
    return tables.FULL


def _counts(card: _Card, field: str) -> bool:
    """Layers without rotary places look into chunks only in models that have chunks."""
    return not field.startswith("no_rope") or card.get("chunk") is not None


def _windows(card: _Card, layers: int) -> list[str]:
    """Without a pattern: a window in all layers, in the last ones, or in none."""
    if card.type in tables.PARALLEL:
        return [tables.BOTH] * layers
    if card.type in tables.ALONE:
        return [tables.STATE] * layers
    if card.get("window") is None or card.get("use_sliding_window") is False:
        return [tables.FULL] * layers
    if card.get("use_sliding_window"):
        whole = card.count("max_window_layers", 0, least=0)
        return [tables.FULL if i < whole else tables.WINDOW for i in range(layers)]
    if card.type in tables.WINDOWS_EVERYWHERE:
        return [tables.WINDOW] * layers
    card.unknown_fields.append("sliding_window, without a pattern of layers")
    return [tables.FULL] * layers


def _searched(card: _Card, layer: int) -> str:
    """A layer of a model whose layers were searched one by one (Nemotron)."""
    attention = _attention(card, layer)
    read = {"n_heads_in_group", "no_op", "replace_with_linear"}
    strange = {name for name, value in attention.items() if value} - read
    card.unknown_fields += [f"block_configs: {name}" for name in sorted(strange)]
    return (
        tables.NOTHING
        if attention.get("no_op") or attention.get("replace_with_linear")
        else tables.FULL
    )


def _attention(card: _Card, layer: int) -> Mapping[str, Any]:
    block = card.get("block_configs")[layer]
    if not isinstance(block, Mapping) or not isinstance(block.get("attention"), Mapping):
        raise ValueError(f"config: block_configs must each have attention, got {show(block)}")
    return block["attention"]


def _without_what_is_shared(card: _Card, kinds: list[str]) -> list[str]:
    """A layer that reads the rows of another one keeps none (but its window, in DeepSeek-V4.1)."""
    last = len(kinds) - card.count("shared", 0, least=0)
    sources = card.get("kv_source_layers") or range(len(kinds))
    owners = card.get("kv_source_layer_ids") or range(len(kinds))
    kinds = [
        tables.SHARED if i >= last or sources[i] != i else kind for i, kind in enumerate(kinds)
    ]
    return [
        tables.WINDOW if kind == tables.PACKED and i not in owners else kind
        for i, kind in enumerate(kinds)
    ]


# What a layer keeps -------------------------------------------------------------------------------

Kept = Iterable[tuple[str, int, int]]  # part, rows, numbers of a row


def _pieces(card: _Card, layer: int, kind: str, tokens: int, kinds: list[str]) -> Kept:
    if kind in (tables.FULL, tables.INDEXED, tables.BOTH):
        yield from _rows(card, layer, tokens, "full" if tables.WINDOW in kinds else "")
    indexed = _latent(card, layer) and card.get("index", layer) and _indexes(card, layer)
    if kind == tables.INDEXED or (kind in (tables.FULL, tables.BOTH, tables.SHARED) and indexed):
        yield "index", tokens // card.count("index_pool", 1), card.count("index", layer=layer)
    if kind in (tables.WINDOW, tables.CHUNK):
        seen = min(tokens, _window(card, layer) if kind == tables.WINDOW else card.count("chunk"))
        packs = tables.PACKED in kinds or tables.THINNED in kinds
        yield from _one_row(card, seen) if packs else _rows(card, layer, seen, kind)
    if kind in (tables.PACKED, tables.THINNED):
        name, usual = ("packed", 4) if kind == tables.PACKED else ("thinned", 128)
        blocks = tokens // card.count(name, usual, layer)
        yield from _one_row(card, min(tokens, card.count("window")))
        yield from _one_row(card, blocks)
        if kind == tables.PACKED:
            yield "index", blocks, card.count("index")
    if kind in (tables.STATE, tables.BOTH):
        state, channels, kernel = _state(card)
        yield "state", 1, state
        yield "conv", kernel - 1, channels
    if kind == tables.CONV:
        yield "conv", card.count("kernel") - 1, card.count("width")
    if card.type in tables.FOUR_CONVS:  # before keys, values, and the sums of attention and MLP
        widths = [numbers for _, _, numbers in _rows(card, layer, 0, kind)]
        for width in [*widths, card.count("width"), card.count("width")]:
            yield "conv", card.count("kernel") - 1, width


def _window(card: _Card, layer: int) -> int:
    """Rows of a window; the published file of MiMo-V2-Flash does not count the token itself."""
    if card.type in tables.TWICE_IN_WINDOWS and card.fields.get("sliding_window_size"):
        return int(card.fields["sliding_window_size"]) + 1
    return card.count("window", layer=layer)


def _rows(card: _Card, layer: int, rows: int, of: str) -> Kept:
    """Keys and values, or latents; `of` is the kind whose heads may differ from the others'."""
    if _latent(card, layer):
        yield "latent", rows, card.count("latent", layer=layer)
        yield "rotary", rows, card.count("rotary", layer=layer, least=0)
        return
    dim = card.count(f"{of}_head_dim", _head_dim(card, layer))
    value = card.count(f"{of}_value_dim", card.count("value_dim", dim, layer))
    twice = of == tables.WINDOW and card.type in tables.TWICE_IN_WINDOWS
    heads = card.count(f"{of}_kv_heads", _kv_heads(card, layer) * (2 if twice else 1))
    yield "keys", rows, heads * dim
    yield "values", rows, heads * value


def _one_row(card: _Card, rows: int) -> Kept:
    """A row that is key and value of all heads at once."""
    yield "latent", rows, card.count("head_dim")


def _latent(card: _Card, layer: int) -> bool:
    """Whether this layer keeps latents."""
    return card.get("use_mla") is not False and bool(card.get("latent", layer))


def _head_dim(card: _Card, layer: int) -> int:
    if card.get("head_dim", layer):
        return card.count("head_dim", layer=layer)
    return card.count("width") // card.count("heads", layer=layer)


def _kv_heads(card: _Card, layer: int) -> int:
    heads = card.count("heads", layer=layer)
    if isinstance(card.get("block_configs"), list):
        return heads // (_attention(card, layer).get("n_heads_in_group") or heads)
    if card.type in tables.ONE_HEAD and not card.get("new_decoder_architecture"):
        return 1 if card.get("multi_query") else heads
    if card.get("multi_query_attention") is False:
        return heads
    return card.count("kv_heads", heads, layer=layer)


def _indexes(card: _Card, layer: int) -> bool:
    """Whether this layer has an indexer, and does not use what another one's chose."""
    types = card.get("indexer_types") or card.get("index_topk_pattern")
    if types:
        return types[layer] in ("full", "F")
    first = card.count("index_skip_topk_offset", 2, least=0)
    return max(layer - first + 1, 0) % card.count("index_topk_freq", 1) == 0


def _is_kda(card: _Card) -> bool:
    return bool(card.get("kda_heads")) or card.type in tables.KDA_OF_HEADS


def _state(card: _Card) -> tuple[int, int, int]:
    """Numbers of a state, channels of the convolution before it, and its kernel."""
    if card.get("delta_heads"):  # Gated DeltaNet
        heads, dim = card.count("delta_heads"), card.count("delta_key_dim")
        values = heads * card.count("delta_value_dim")
        return values * dim, values + 2 * card.count("delta_key_heads") * dim, card.count("kernel")
    if _is_kda(card):  # Kimi Delta Attention; without a kernel its place is taken by an older rule
        own = card.get("kda_heads")
        heads = card.count("kda_heads" if own else "heads")
        dim = card.count("kda_dim") if own else _head_dim(card, 0)
        return heads * dim**2, 3 * heads * dim, card.count("kernel", None if own else 1)
    if card.get("mamba_state"):
        width = card.count("width") * card.count("mamba_expand", 2)
        if card.type in tables.ALONE:
            width = card.count("intermediate_size", width)
        state, groups = card.count("mamba_state"), 0
        if card.get("mamba_heads") or card.type == "mamba2":  # Mamba-2
            inner, head_dim = card.count("mamba_inner", width), card.get("mamba_dim")
            given = head_dim not in (None, "auto")
            width = card.count("mamba_heads") * card.count("mamba_dim") if given else inner
            groups = card.count("mamba_groups", 8 if card.type == "mamba2" else 1)
        return width * state, width + 2 * groups * state, card.count("kernel")
    if card.get("lru"):
        return card.count("lru"), card.count("lru"), card.count("kernel")
    if card.type in tables.LIGHTNING:
        return card.count("heads") * _head_dim(card, 0) ** 2, 0, 1
    raise ValueError("config must give the sizes of the states of its linear layers, got none")


def _span(places: list[int]) -> str:
    """0-3, 5, 7-8: at most four runs."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][1] + 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    shown = [str(a) if a == b else f"{a}-{b}" for a, b in runs]
    if len(shown) > 4:
        shown = [*shown[:2], "…", shown[-1], f"({len(places)})"]
    return ", ".join(shown).replace(", …,", " …").replace(", (", " (")
