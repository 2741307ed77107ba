"""Every cell of the book on another device than the CPU: `make test-device`.

On a GPU where there is one, else on the pretended device (tests/fake_device.py). Each cell runs and
its asserts hold, but for those listed here; on the pretended device it prints what the page prints,
and a table of the waits of each cell is written to build/device.md.
"""

import contextlib
from collections import Counter
from pathlib import Path

import fake_device
import matplotlib
import matplotlib.figure
import matplotlib.pyplot as plt
import pytest
import reader
import torch
from cells import run_here

TABLE = Path(__file__).resolve().parents[2] / "build" / "device.md"

# Why a cell stops there: how its error begins -> what it means. "pretend" is what only the
# pretended device has not; on a GPU these cells should run.
REASONS = {
    "RuntimeError: aten::bitwise_and.Tensor: expected": "the page names the CPU itself",
    "RuntimeError: Creating a new Tensor subclass Un": "pretend: has no lazy layers, as D2L has",
    "NotImplementedError: Could not run 'aten::_thnn": "pretend: has no fused LSTM, as a GPU has",
    "RuntimeError: aten::_pack_padded_sequence: expe": "pretend: packs no words of lengths here",
    "RuntimeError: Attempted to access the data poin": "pretend: has no storage to be measured",
    "RuntimeError: Backend doesn't support synchron": "pretend: has no streams to wait for",
    "ValueError: FlexAttention is only supported": "pretend: has no FlexAttention",
    "NameError": "asks for what an earlier cell of this list would have made",
}
NAMED, LAZY, LSTM, PACKED, STORAGE, STREAMS, FLEX, LATER = REASONS.values()

# The cells that stop there: chapter -> reason -> their ids in order.
STOP = {
    "00": {PACKED: "7c1e5a09"},
    "04": {PACKED: "b75a1e60", LATER: "2e91c0d4", LAZY: "0ea0d31c"},
    "05": {
        LSTM: "5c03sign 3e7c4499 5c03lst2",
        LATER: "5c03draw",
        STORAGE: "e3446bbe",
        LAZY: "ccb2fa1b",
    },
    "08": {STORAGE: "c08-058", STREAMS: "c08-120c"},
    "09": {PACKED: "c09b-speller", LSTM: "x7b08db5", LAZY: "x0e21747"},
    "10": {NAMED: "f1ec0003 e1040003", FLEX: "f1ec0005", LATER: "f1ec0006"},
    "91": {LAZY: "lib05591"},
}

# The cells that print something else on the pretended device. Those of 8 count bytes, and there
# each operation is counted once more where it is done, on the CPU; those of 91 show what torch's
# fused programs do, in place of which it has the formula.
DIFFERENT = {"08": "c08-043 c08-063 c08-065 c08-113c", "91": "lib004915 both0191 fast0191"}

# Where the package waits for the device, and why.
WAITS = {
    "pictures/arrays: to_numpy": "a drawing is made of numbers, here and nowhere else",
    "pictures/model_maps: _ours": "maps are written into the page",
    "pictures/packed: pack": "a model is written into the page",
    "comparison: boolean_steps": "who hears whom is reckoned on the host",
    "comparison: _on": "a layer is tried on the host",
    "exercises/chapter_02: _judge_lookup_weights": "an answer is judged on the host",
    "arguments: check_lengths": "lengths are looked at, whether they fit",
    "training: loss_of": "targets are looked at, whether the model has such words",
    "training: fit": "the loss of a step is shown and kept",
    "generation: sample": "a word is drawn where its generator is",
    "transformer: Transformer._draw": "weights are drawn on the host, for all devices alike",
    "interop: from_gpt2": "weights are looked at, whether they fit",
    "language/encoder_decoder: EncoderDecoder.draw_weights": "weights are drawn on the host, too",
    "language/encoder_decoder: GRUEncoderDecoder.encode": "torch wants lengths of words there",
    "language/own_text: _loss": "the loss is told",
    "language/own_text: count": "the loss is told",
    "language/next_word: NextWord.read": "a word is said",
    "language/next_word: NextWord.accuracy": "right answers are counted",
    "language/words: analogy": "a word is said",
}


@pytest.fixture(scope="module")
def device():
    """The device, with pictures that are described and not rendered."""
    with pytest.MonkeyPatch.context() as patch, contextlib.ExitStack() as stack:
        patch.setattr(matplotlib.figure.Figure, "savefig", lambda *_, **__: None)
        matplotlib.use("module://matplotlib_inline.backend_inline")
        plt.ion()  # as in a notebook: what is drawn is shown at the end of its cell
        there = torch.cuda.is_available()
        yield torch.device("cuda", 0) if there else stack.enter_context(fake_device.device())


@pytest.fixture(scope="module")
def ran():
    """Chapter -> its cells, of the tests before; in the end they become the table."""
    chapters = {}
    yield chapters
    rows = ["| chapter | cell | waits | where |", "|---|---|---:|---|"]
    for name, cells in chapters.items():
        for cell in cells:
            where = ", ".join(f"{place} {n}" for place, n in cell.waits.most_common())
            rows.append(f"| {name} | {cell.id} | {cell.waits.total()} | {where} |")
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text("\n".join(rows) + "\n", encoding="utf-8")


def why(error):
    """The reason of an error, or the error itself where none is known."""
    return next((why for start, why in REASONS.items() if error.startswith(start)), error)


@pytest.mark.parametrize("path", run_here(), ids=lambda path: path.name[:2])
def test_a_chapter_runs_there(path, device, ran):
    name = path.name[:2]
    cells = ran[name] = [*reader.read(path, device)]
    plt.close("all")
    stopped = {}
    for cell in cells:
        if cell.error:
            stopped.setdefault(why(cell.error), []).append(cell.id)
    assert not {place for cell in cells for place in cell.left}
    listed = STOP.get(name, {})
    if device.type != fake_device.NAME:  # which lacks less, in other words, and counts no waits
        known = " ".join(ids for why, ids in listed.items() if not why.startswith("pretend"))
        assert {c.id: c.error for c in cells if c.error and c.id not in known.split()} == {}
        return
    assert {why: " ".join(ids) for why, ids in stopped.items()} == listed
    waits = sum((cell.waits for cell in cells), Counter())
    assert waits.keys() - {"cell", "torch"} <= WAITS.keys()
    compared = [cell for cell in cells if cell.compared and not cell.error]
    differ = " ".join(cell.id for cell in compared if cell.said.strip() != cell.stored.strip())
    assert differ == DIFFERENT.get(name, "")


def test_no_place_is_listed_that_does_not_wait(ran, device):
    if device.type != fake_device.NAME:
        pytest.skip("waits are counted on the pretended device alone")
    if len(ran) < len(run_here()):
        pytest.skip("some chapters were not run")
    waits = sum((cell.waits for cells in ran.values() for cell in cells), Counter())
    assert waits.keys() >= WAITS.keys()
