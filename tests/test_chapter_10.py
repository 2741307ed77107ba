"""What chapter 10 reads off config.json files, against sums by hand and the files as found."""

import json
import re
from pathlib import Path

import pytest
from cells import chapters
from reader_errors import cells

from d2lattn_book.cards import cache_bytes
from d2lattn_book.exercises.chapter_10 import _kept

CONFIGS = Path(__file__).resolve().parent / "configs"
MIB = 2**20


def pair(layers, heads, width, rows):
    """Keys and values in bfloat16."""
    return layers * 2 * heads * width * 2 * rows


def latent(layers, n):
    return layers * (512 + 64) * 2 * n


def delta(layers, heads, bytes_of_state, conv=3 * 3 * 128):
    """States of 128 × 128, and three rows before a short convolution."""
    return layers * heads * (128**2 * bytes_of_state + conv * 2)


BY_HAND = {  # bytes that are kept of n tokens, from the sizes in the files
    "Mistral 7B": lambda n: pair(32, 8, 128, min(n, 4096)),
    "Llama 3.1 8B": lambda n: pair(32, 8, 128, n),
    "DeepSeek-V3": lambda n: latent(61, n),
    "gpt-oss-20b": lambda n: pair(12, 8, 64, n) + pair(12, 8, 64, min(n, 128)),
    "Kimi Linear 48B": lambda n: latent(7, n) + delta(20, 32, 4),
    "DeepSeek-V4-Flash": lambda n: (
        43 * 512 * 2 * min(n, 128) + 21 * (512 + 128) * 2 * (n // 4) + 20 * 512 * 2 * (n // 128)
    ),
}
FOUND = {  # the same model in tests/configs
    "Llama 3.1 8B": "llama-3.1-8b",
    "DeepSeek-V3": "deepseek-v3",
    "gpt-oss-20b": "gpt-oss-20b",
    "DeepSeek-V4-Flash": "deepseek-v4-flash",
}


@pytest.fixture(scope="module")
def page():
    """The names of the cells that hold the fields, and what models were made for."""
    scope = {"cache_bytes": cache_bytes}
    for source, _ in cells(10):
        if re.match(r"GROUPED = |# @title Folded: (the fields of|what the six models)", source):
            exec(source, scope)
    return scope


@pytest.fixture(scope="module")
def notebook():
    (path,) = chapters(["10"])
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def table(notebook):
    """{model: the entries of its row, as they stand}."""
    text = "".join("".join(c["source"]) + "\n" for c in notebook["cells"])
    at_a_commit = r"https://github.com/[\w-]+/[\w-]+/blob/[0-9a-f]{40}/\S+"
    rows = re.findall(rf"^\| \[([^]]+)\]\({at_a_commit}\) \d{{4}} \|(.+)\|$", text, re.M)
    return {name: [*map(str.strip, rest.split("|"))] for name, rest in rows}


def count(page, name, n):
    return cache_bytes(page["CONFIGS"][name], tokens=n)


@pytest.mark.parametrize("n", [2**10, 2**15, 2**20])
def test_the_configs_keep_what_was_summed_by_hand(page, n):
    assert {name: count(page, name, n).total for name in page["CONFIGS"]} == {
        name: by_hand(n) for name, by_hand in BY_HAND.items()
    }


@pytest.mark.parametrize(("name", "found"), FOUND.items())
def test_the_fields_on_the_page_count_as_the_file_does(page, name, found):
    for n in (100, 2**10, 2**15, 2**20):
        whole = cache_bytes(CONFIGS / f"{found}.json", tokens=n)
        assert count(page, name, n).total == whole.total
    assert count(page, name, 1).unknown == ()


def test_what_is_printed_is_these_bytes_in_mib(page, notebook):
    """In parentheses where a text is longer than what the model was made for."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    printed = "".join("".join(output.get("text", "")) for output in outputs)
    for name, by_hand in BY_HAND.items():
        (row,) = re.findall(rf"^{re.escape(name)} +(\(?[\d,]+.*)$", printed, re.M)
        most = 1024 * page["made_for"].get(name, 1024)
        want = [(n, f"{by_hand(n) / MIB:,.0f}") for n in (2**10, 2**15, 2**20)]
        assert row.split() == [f"({size})" if n > most else size for n, size in want], name


def test_the_table_says_the_same_as_the_fields(page, table):
    assert set(table) == set(page["CONFIGS"]) == set(page["KINDS"])
    for name, (*_, kib, state) in table.items():
        grown = count(page, name, 2**20 + 128).total - count(page, name, 2**20).total
        assert float(kib) == pytest.approx(grown / 128 / 2**10, abs=0.05), name
        pieces = [piece for layer in count(page, name, 1).layers for piece in layer.pieces]
        fixed = sum(piece.bytes for piece in pieces if piece.part in ("state", "conv"))
        assert state == (f"{fixed / MIB:.0f}" if fixed else "–"), name


def test_the_heads_of_the_table_are_those_of_the_fields(page, table):
    """Of the layers that grow with the text; and the windows are the most that a layer keeps."""
    for name, (_, attention, window, *_) in table.items():
        kind, key_heads, sign, width = re.fullmatch(
            r"([\w-]+) \d+ : (\d+) ([×+]) (\d+)", attention
        ).groups()
        assert (kind == "latent") == (sign == "+")
        layers = {layer.kind: layer for layer in count(page, name, 2**20).layers}
        full = layers.get("full") or layers.get("compressed, indexed") or layers["window"]
        numbers = [p.numbers for p in full.pieces if p.part in ("keys", "latent", "rotary")]
        said = (int(key_heads), int(width)) if sign == "+" else (int(key_heads) * int(width),)
        assert set(numbers) == set(said), name
        rows = {p.rows for p in layers["window"].pieces} if "window" in layers else set()
        shown = window.partition(",")[0].replace("k", " * 1024")
        assert rows == (set() if window == "–" else {eval(shown)}), name


def test_the_configs_of_the_exercise_are_those_that_were_found():
    found = [cache_bytes(CONFIGS / f"{n}.json", tokens=20_000) for n in ("glm-5.1", "gpt-oss-120b")]
    assert _kept()[:2] == [round(kept.total / MIB) for kept in found]
    fields = json.loads((CONFIGS / "gemma-4-e2b.json").read_text(encoding="utf-8"))["text_config"]
    assert "layer_types" not in fields and fields["num_kv_shared_layers"] == 20
    assert _kept()[2] == round((pair(12, 1, 256, 512) + pair(3, 1, 512, 20_000)) / MIB)


def test_what_the_page_says_of_absorbed_latents_in_flops(notebook):
    """128 heads over rows of 512 + 64; 131,072 tokens and an indexer."""
    text = " ".join("".join(cell["source"]) for cell in notebook["cells"])
    a_key = 2 * 128 * (576 + 512)
    assert f"are **{a_key / 1152:.0f} for each byte**" in text
    whole, some, indexer = a_key * 131_072, a_key * 2048, 2 * 64 * 128 * 131_072
    said = f"{whole / 1e9:.1f}·10⁹ for all keys and {some / 1e9:.2f}·10⁹ for 2,048 of them; the"
    assert f"{said} indexer adds {indexer / 1e9:.1f}·10⁹." in text
    assert f"That is {whole / (some + indexer):.0f} times less." in text


def test_what_claim_43_says_of_kimi_linear():
    """With states in bfloat16 and in float32."""
    for size, n, said in ((2, 2**20, 26), (2, 2**10, 96), (4, 2**10, 162)):
        kept = latent(7, n) + delta(20, 32, size)
        assert round(100 * kept / latent(27, n)) == said
