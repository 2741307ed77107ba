"""How many bytes a model keeps of a text, read off its config.json (chapter 10).

What a field means stands in the tables of `fields`. Fields that stand in none of them are named in
a warning; kinds of layers that are not counted here, such as Mamba's, are refused by name.
"""

import json
import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from d2lattn.arguments import check_count, check_number, show
from d2lattn_book.cards import fields as tables


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

    Raises a ValueError for a config without the sizes it needs, for one of an encoder, and for a
    family whose states or layers it does not count. Warns of fields that it does not know (a
    UserWarning with their names), which may make it more or less; where a config has a window and
    no pattern, all tokens count.

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
    kinds = _without_what_is_shared(card, _kinds(card))
    sizes = _sizes(card, bytes_per_number, tables.STATE in kinds)
    if tables.STATE not in kinds:  # sizes of a state, and no layer is known to have one
        card.unknown_fields += [card.find(n)[0] for n in tables.STATES if card.get(n)]
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
            inner = self.fields.get(name) or {}
            if not isinstance(inner, Mapping):
                raise ValueError(f"config: {name} must hold fields, got {show(inner)}")
            self.fields |= {f"{name}.{key}": value for key, value in inner.items()}
        self.type = self.fields.get("model_type")
        self.notes: list[str] = []
        self.unknown_fields: list[str] = []
        encodes = self.type in tables.ENCODERS and not self.fields.get("is_decoder")
        if encodes or self.fields.get("is_encoder_decoder"):
            raise ValueError(f"config must be that of a decoder, got the encoder {self.type}")
        told = {*self.stated(), f"model_type {self.type}"}
        if refused := sorted(filter(tables.REFUSED.fullmatch, told)):
            got = f"{refused[0]}, a field of another"
            raise ValueError(f"config must be of a family that cache_bytes counts, got {got}")

    def find(self, name: str, layer: int | None = None) -> tuple[str, Any]:
        """The first spelling that is there and not null, and what it says, of a layer if asked."""
        spellings = tables.NAMES.get(name, name).split()
        for field in spellings:
            value = self.fields.get(field)
            if isinstance(value, (list, tuple)) and layer is not None and layer < len(value):
                value = value[layer]
            if value is not None:
                return field, value
        return " or ".join(spellings), None

    def get(self, name: str, layer: int | None = None) -> Any:
        return self.find(name, layer)[1]

    def count(
        self, name: str, default: int | None = None, layer: int | None = None, least: int = 1
    ) -> int:
        """The same, which must be an integer."""
        field, value = self.find(name, layer)
        if value is None and default is None:
            raise ValueError(f"config must give {field}, got neither it nor another name of it")
        found: Any = default if value is None else value
        check_count(f"config: {field}", found, least)
        return int(found)

    def stated(self) -> set[str]:
        """Fields that say something."""
        silent: tuple[Any, ...] = (None, "", [], {})
        return {name for name, value in self.fields.items() if value not in silent} - tables.READ

    def unknown(self) -> tuple[str, ...]:
        """Fields that say something and stand in no table."""
        strange = {name for name in self.stated() if not _harmless(name)}
        if self.fields.get("add_cross_attention"):
            strange.add("add_cross_attention")
        return tuple(sorted({*self.unknown_fields, *strange}))


def _harmless(field: str) -> bool:
    """Whether a field has no influence on what is kept."""
    return field in tables.HARMLESS or bool(tables.WITHOUT.fullmatch(field.split(".")[-1]))


def _sizes(card: _Card, given: Any, has_states: bool) -> dict[str, float]:
    """Bytes of a number, by part."""
    stated = tables.DTYPES.get(str(card.get("state_dtype")))
    sizes: dict[str, float] = dict.fromkeys(tables.PARTS, 2.0) | {"state": stated or 4}
    if not isinstance(given, Mapping):
        given = {part: given for part in tables.PARTS if part != "state"}
    for part, size in given.items():
        if part not in tables.PARTS:
            got = show(part)
            raise ValueError(f"bytes_per_number must have parts of {tables.PARTS}, got {got}")
        sizes[part] = check_number(f"bytes_per_number of {part}", size, least=0)
    if has_states and "state" not in given:
        whose = "as the config says" if stated else "the config gives no dtype: float32, as usual"
        card.notes.append(f"numbers of a state take {sizes['state']:g} bytes, {whose}")
    return sizes


def _ceil(numbers: int, size: float) -> int:
    """Whole bytes of so many numbers, however many: floats would round."""
    top, bottom = size.as_integer_ratio()
    return -(-numbers * top // bottom)


# Which layer is of which kind ---------------------------------------------------------------------


def _kinds(card: _Card) -> list[str]:
    """A kind for each layer: by the first spelling that the config has."""
    for field, table in tables.PATTERNS.items():
        if entries := card.get(field):
            layers = card.count("layers", len(entries))
            if len(entries) < layers:
                got = f"{len(entries)} in {field}"
                raise ValueError(f"config must have an entry for all {layers} layers, got {got}")
            return [_kind(field, entry, table) for entry in entries[:layers]]
    layers = card.count("layers")
    if whole := card.get(tables.WHOLE_LAYERS):  # their numbers, from 1
        return [tables.FULL if i + 1 in whole else tables.STATE for i in range(layers)]
    for field, others in tables.PERIODS.items():
        if card.get(field) is None and card.type in tables.DEFAULTS.get(field, {}):
            card.fields[field] = tables.DEFAULTS[field][card.type]
            card.notes.append(
                f"{field} is absent: {card.fields[field]}, as in the class of {card.type}"
            )
        if card.get(field) is not None:
            period = card.count(field)
            return [others if (i + 1) % period else tables.FULL for i in range(layers)]
    return _windows(card, layers)


def _kind(field: str, entry: Any, table: Mapping[Any, str]) -> str:
    if not isinstance(entry, (str, int)) or entry not in table:
        raise ValueError(f"config: {field} must have entries of {[*table]}, got {show(entry)}")
    return table[entry]


def _windows(card: _Card, layers: int) -> list[str]:
    """Without a pattern: a window in all layers, in the last ones, or in none."""
    if card.get("window") is None or card.get("use_sliding_window") is False:
        return [tables.FULL] * layers
    if card.get("use_sliding_window"):
        whole = card.count("max_window_layers", 0, least=0)
        return [tables.FULL if i < whole else tables.WINDOW for i in range(layers)]
    if card.type in tables.WINDOWS_EVERYWHERE:
        return [tables.WINDOW] * layers
    card.unknown_fields.append("sliding_window, without a pattern of layers")
    return [tables.FULL] * layers


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
    packs = tables.PACKED in kinds or tables.THINNED in kinds
    if kind == tables.FULL:
        yield from _rows(card, layer, tokens, "full" if tables.WINDOW in kinds else "")
    if kind in (tables.FULL, tables.SHARED) and card.get("latent") and _indexes(card, layer):
        yield "index", tokens // card.count("index_pool", 1), card.count("index")
    if kind == tables.WINDOW:
        seen = min(tokens, card.count("window", layer=layer))
        yield from _one_row(card, seen) if packs else _rows(card, layer, seen, kind)
    if kind in (tables.PACKED, tables.THINNED):
        name, usual = ("packed", 4) if kind == tables.PACKED else ("thinned", 128)
        blocks = tokens // card.count(name, usual, layer)
        yield from _one_row(card, min(tokens, card.count("window")))
        yield from _one_row(card, blocks)
        if kind == tables.PACKED:
            yield "index", blocks, card.count("index")
    if kind == tables.STATE:
        state, channels = _state(card)
        yield "state", 1, state
        yield "conv", card.count("kernel") - 1, channels


def _rows(card: _Card, layer: int, rows: int, of: str) -> Kept:
    """Keys and values, or latents; `of` is the kind whose heads may differ from the others'."""
    if card.get("latent"):
        yield "latent", rows, card.count("latent")
        yield "rotary", rows, card.count("rotary", least=0)
        return
    usual = card.count("head_dim", 0, layer, 0) or card.count("width") // card.count("heads")
    dim = card.count(f"{of}_head_dim", usual)
    heads = card.count(f"{of}_kv_heads", card.count("kv_heads", card.count("heads"), layer))
    yield "keys", rows, heads * dim
    yield "values", rows, heads * card.count("value_dim", dim)


def _one_row(card: _Card, rows: int) -> Kept:
    """A row that is key and value of all heads at once."""
    yield "latent", rows, card.count("head_dim")


def _indexes(card: _Card, layer: int) -> bool:
    """Whether this layer has an indexer, and does not use what another one's chose."""
    types = card.get("indexer_types")
    if types or not card.get("index"):
        return bool(types) and types[layer] == "full"
    first = card.count("index_skip_topk_offset", 2, least=0)
    return max(layer - first + 1, 0) % card.count("index_topk_freq", 1) == 0


def _state(card: _Card) -> tuple[int, int]:
    """Numbers of a state, and channels of the convolution before it."""
    if card.get("delta_heads"):  # Gated DeltaNet
        heads, dim = card.count("delta_heads"), card.count("delta_key_dim")
        values = heads * card.count("delta_value_dim")
        return values * dim, values + 2 * card.count("delta_key_heads") * dim
    if card.get("kda_heads"):  # Kimi Delta Attention
        heads, dim = card.count("kda_heads"), card.count("kda_dim")
        return heads * dim**2, 3 * heads * dim
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
