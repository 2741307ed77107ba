"""What chapter 10 reads off model cards, against sums that were done by hand."""

import json
import math
import re

import pytest
from cells import chapters
from reader_errors import cells

from d2lattn_book.exercises.chapter_10 import my_card

MODELS = {  # bytes that are kept of 2^10, 2^15 and 2^20 words, from the sizes on the cards
    "MPT-7B": (536_870_912, 17_179_869_184, 549_755_813_888),
    "Falcon-7B": (8_388_608, 268_435_456, 8_589_934_592),
    "Mistral 7B v0.1": (134_217_728, 536_870_912, 536_870_912),
    "Llama 3.1 8B": (134_217_728, 4_294_967_296, 137_438_953_472),
    "DeepSeek-V3": (71_958_528, 2_302_672_896, 73_685_532_672),
    "Gemma 3 27B": (520_093_696, 3_120_562_176, 86_335_553_536),
    "Qwen3 8B": (150_994_944, 4_831_838_208, 154_618_822_656),
    "gpt-oss-20b": (28_311_552, 808_452_096, 25_772_949_504),
    "Kimi Linear 48B": (30_703_616, 286_687_232, 8_478_162_944),
    "Qwen3.5 397B": (129_146_880, 1_104_322_560, 32_309_944_320),
}


@pytest.fixture(scope="module")
def page():
    """The names of the cells that hold the calculator and its cards."""
    scope = {"math": math}
    for source, _ in cells(10):
        if source.startswith(("def cache(", "EVER, ONCE")):
            exec(source, scope)
    return scope


@pytest.fixture(scope="module")
def table():
    """{model: the entries of its row, as they stand}."""
    (path,) = chapters(["10"])
    notebook = json.loads(path.read_text(encoding="utf-8"))
    text = "".join("".join(c["source"]) + "\n" for c in notebook["cells"])
    rows = re.findall(r"^\| \[([^]]+)\]\((https://github.com/\S+)\) (\d{4}) \|(.+)\|$", text, re.M)
    return {name: (link, year, *map(str.strip, rest.split("|"))) for name, link, year, rest in rows}


def test_the_calculator_gives_the_bytes_of_ten_models(page):
    found = {
        name: tuple(page["cache"](card, 2**power) for power in (10, 15, 20))
        for name, card in page["CARDS"].items()
    }
    assert found == MODELS


def test_what_is_printed_is_these_bytes_in_mib():
    (path,) = chapters(["10"])
    notebook = json.loads(path.read_text(encoding="utf-8"))
    printed = "".join(
        "".join(output.get("text", ""))
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
    )
    for name, sizes in MODELS.items():
        (row,) = re.findall(rf"^{re.escape(name)} +([\d,]+) +([\d,]+) +([\d,]+)$", printed, re.M)
        assert [int(number.replace(",", "")) for number in row] == [
            round(size / 2**20) for size in sizes
        ]


def test_the_table_says_the_same_as_the_calculator(page, table):
    for name, card in page["CARDS"].items():
        *_, kib, state = table[name.removesuffix(" v0.1")]
        a_word = page["cache"](card, 2**20 + 1) - page["cache"](card, 2**20)
        assert float(kib) == pytest.approx(a_word / 2**10, abs=0.05), name
        fixed = 2 * sum(layers * numbers for layers, numbers, kept in card if kept == 1)
        assert state == (f"{fixed / 2**20:.0f}" if fixed else "–"), name


def test_the_heads_of_the_table_are_those_of_the_calculator(page, table):
    for name, card in page["CARDS"].items():
        _, _, attention, window, *_ = table[name.removesuffix(" v0.1")]
        numbers = {numbers for _, numbers, kept in card if kept != 1}
        kind, key_heads, sign, width = re.fullmatch(
            r"([\w-]+) \d+ : (\d+) ([×+]) (\d+)", attention
        ).groups()
        assert (kind == "latent") == (sign == "+")
        of_both = int(key_heads) + int(width) if sign == "+" else 2 * int(key_heads) * int(width)
        assert numbers == {of_both}, name
        kept = {kept for *_, kept in card} - {math.inf, 1}
        said = window.partition(",")[0].replace("k", " * 1024")
        assert kept == (set() if window == "–" else {eval(said)}), name


def test_every_row_names_its_file_at_a_commit(table):
    assert len(table) == 12
    for link, year, *_ in table.values():
        assert re.fullmatch(r"https://github\.com/[\w-]+/[\w-]+/blob/[0-9a-f]{40}/\S+", link)
        assert 2023 <= int(year) <= 2026


def test_the_answer_of_the_exercise_is_that_of_the_calculator(page):
    heads = dict(num_attention_heads=64, num_key_value_heads=8, head_dim=64)
    layers = dict(layer_types=["sliding_attention", "full_attention"] * 12, sliding_window=128)
    for n, size in zip((2**10, 2**15, 2**20), MODELS["gpt-oss-20b"], strict=True):
        assert my_card(heads | layers, n) == (size, n)


def test_what_claim_43_says_of_kimi_linear(page):
    keeps = page["CARDS"]["Kimi Linear 48B"]
    (layers, numbers, kept), (states, *_) = keeps
    all_latent = [(layers + states, numbers, kept)]
    for n, said in ((2**20, 26), (2**10, 96)):
        assert round(100 * page["cache"](keeps, n) / page["cache"](all_latent, n)) == said
