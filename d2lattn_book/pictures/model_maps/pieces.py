"""The pieces into which a tokenizer cuts a text: their numbers, and names that can be read."""

import functools
import unicodedata

from d2lattn.arguments import show
from d2lattn_book.pictures import arrays

MOST_PIECES = 264  # 16 × 16 patches of an image with their class and register tokens
SEEN = {" ": "␣", "▁": "␣", "\n": "↵", "\t": "⇥"}  # what a space looks like
UNREADABLE = "\N{REPLACEMENT CHARACTER}"  # what a part of a letter is decoded to


def ids_of(text, tokenizer, name="text", least=2):
    """The numbers of the pieces of a text, which may also be these numbers."""
    ids = _cut(text, tokenizer, name) if isinstance(text, str) else _given(text, name)
    return counted(ids, name, least)


def counted(pieces, name="text", least=2):
    """The same pieces, if a figure has room for so many."""
    if not least <= len(pieces) <= MOST_PIECES:
        raise ValueError(f"{name} must have {least} to {MOST_PIECES} tokens, got {len(pieces)}")
    return pieces


def names_of(ids, tokenizer):
    """What stands for each piece: its text, in which what cannot be seen is made visible."""
    return [str(i) if tokenizer is None else _name(i, tokenizer) for i in ids]


def _cut(text, tokenizer, name):
    arrays.names(name, [text])  # UTF-8 can write it
    if tokenizer is None:
        raise ValueError(f"tokenizer must be given where {name} is a string, got None")
    if isinstance(tokenizer, (list, tuple)):
        words = arrays.names("tokenizer", tokenizer, different=True)
        return arrays.token_ids(name, text, words, MOST_PIECES)
    if not hasattr(tokenizer, "encode"):
        raise ValueError(
            "tokenizer must be one of tokenizers or transformers, or the list of the words of the "
            f"vocabulary, got {show(tokenizer)}"
        )
    encoded = tokenizer.encode(text)
    return list(getattr(encoded, "ids", encoded))  # tokenizers tells more than numbers


def _given(text, name):
    rule = f"{name} must be a string, or the numbers of its tokens, a batch of one,"
    ids = arrays.to_numpy(text, name)
    if ids.dtype.kind not in "iu":
        raise ValueError(f"{rule} got {show(text)}")
    ids = ids[0] if ids.ndim == 2 and len(ids) == 1 else ids
    if ids.ndim != 1:
        raise ValueError(f"{rule} got shape {ids.shape}")
    return ids.tolist()


def _name(i, tokenizer):
    if isinstance(tokenizer, (list, tuple)):
        return str(tokenizer[i]) if 0 <= i < len(tokenizer) else str(i)
    stored = _stored(i, tokenizer)
    if "▁" in stored:  # of sentencepiece; decoded alone, a piece would lose its space
        return _visible(stored)
    text = _decoded(i, tokenizer)
    if UNREADABLE in text:
        text = _bytes_of(stored).decode("utf-8", "backslashreplace") or text
    return _visible(text or stored or str(i))


def _stored(i, tokenizer):
    """A piece as the tokenizer keeps it, where it tells."""
    for name in ("id_to_token", "convert_ids_to_tokens"):
        if hasattr(tokenizer, name):
            return getattr(tokenizer, name)(i) or ""
    return ""


def _decoded(i, tokenizer):
    if hasattr(tokenizer, "id_to_token"):
        return tokenizer.decode([i], skip_special_tokens=False)
    if hasattr(tokenizer, "convert_ids_to_tokens"):
        return tokenizer.decode([i], clean_up_tokenization_spaces=False)
    return tokenizer.decode([i])


def _bytes_of(stored):
    """The bytes of a piece of GPT-2's kind; none where it is of another."""
    letters = _letters()
    known = all(letter in letters for letter in stored)
    return bytes(letters[letter] for letter in stored) if known else b""


@functools.cache
def _letters():
    """Letter -> byte, as GPT-2 writes bytes: what cannot be seen gets letters from 256 on."""
    seen = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in seen]
    return {chr(b): b for b in seen} | {chr(256 + n): b for n, b in enumerate(others)}


def _visible(text):
    text = "".join(SEEN.get(c, c if c.isprintable() else c.encode("unicode_escape").decode())
                   for c in text)  # fmt: skip
    return f"◌{text}" if unicodedata.combining(text[0]) else text
