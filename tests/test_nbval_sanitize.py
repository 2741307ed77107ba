"""nbval compares the data of live figures and ignores their code (tests/nbval_sanitize.cfg)."""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from d2lattn_book import pictures
from d2lattn_book.pictures import drawings, live, plots
from d2lattn_book.pictures.figure import bundle

ROOT = Path(__file__).resolve().parent.parent
STEPS = "live.steps([1.0, 3.0], [10.0, 20.0])"
WORDS = "live.words(['a', 'b'], [[1, 2], [3, 4]], sentences=['a b'])"
DRAWN = "drawings.shared_heads(4, 2)"
FLOW = "plots.flow(list('abcde'), [0.4, 0.3, 0.2, 0.06, 0.04], query=0)"
HEADS = "live.heads([[[0.5, 0.5], [0.1, 0.9]]], tokens=['a', 'b'])"
MAPS = (
    "pictures.maps(__import__('d2lattn').Decoder(3, 8, num_layers=2, num_heads=2), [0, 1, 2, 0, 1])"
)
READER = (
    "live.reader(__import__('d2lattn').Decoder(3, 8, num_layers=1, num_heads=2), "
    "['.', 'a', 'cat'], text='a cat', stop='.')"
)


def replaced(pattern, new):
    """A change of the stored output that has to change it."""

    def change(bundle):
        changed = {kind: re.sub(pattern, new, text) for kind, text in bundle.items()}
        assert changed != bundle
        return changed

    return change


def wrong_word(_):
    ax = eval(FLOW, dict(plots=plots))
    (label,) = [text for text in ax.texts if text.get_text() == "weight"]
    label.set_text("height")
    return bundle(ax.figure)


# What is done to the stored output, and whether nbval then passes.
CHANGES = {
    "nothing": (STEPS, dict, True),
    "code": (STEPS, replaced('<script type="module">', '<script type="module">// changed\n'), True),
    "name of the element": (STEPS, replaced("live-[0-9a-f]{8}", "live-01234567"), True),
    "still picture": (STEPS, replaced("</p><table", '</p><p class="still">x</p><table'), True),
    "datum": (STEPS, replaced(r'"scores":\[1,3\]', '"scores":[1,4]'), False),
    "word in a picture": (FLOW, wrong_word, False),
    "alternative text": (DRAWN, replaced('alt="KV', 'alt="QV'), False),
    "weight in a description": (FLOW, replaced("a 0.40", "a 0.41"), False),
    "rest of the weights": (FLOW, replaced("2 others 0.10", "2 others 0.11"), True),
    "weights that are sent": (HEADS, replaced('"text":"', '"text":"A'), True),
    "weights in the table": (HEADS, replaced("<td>0.50</td>", "<td>0.51</td>"), True),
    "bound of the weights": (HEADS, replaced("within 8e-06", "within 9e-06"), False),
    "word": (HEADS, replaced(r'"tokens":\["a"', '"tokens":["c"'), False),
    "scores of heads": (MAPS, replaced(r'("heads":\[\[\d,\d,0)\.\d+', r"\1.999"), True),
    "weights of a decoder": (READER, replaced(r'"text":"...', '"text":"AAA'), True),
    "a word on its map": (WORDS, replaced(r'"x":\[\[1', '"x":[[2'), False),
}


@pytest.mark.pins  # pictures are compared with the pinned versions alone
def test_nbval_compares_the_data_and_not_the_code():
    start = (
        "from d2lattn_book import pictures\nfrom d2lattn_book.pictures import drawings, live, plots"
    )
    cells = [nbformat.v4.new_code_cell(start, execution_count=1)]
    for code, change, _ in CHANGES.values():
        shown = eval(code, dict(pictures=pictures, live=live, drawings=drawings, plots=plots))
        still = code in (DRAWN, FLOW)
        data = change(bundle(shown.figure) if still else shown._repr_mimebundle_())
        count = len(cells) + 1
        kind = "display_data" if still else "execute_result"
        output = nbformat.v4.new_output(kind, data, **({} if still else {"execution_count": count}))
        cells.append(nbformat.v4.new_code_cell(code, outputs=[output], execution_count=count))
    path = ROOT / "build" / "figures.ipynb"  # where the book's conftest.py is heard
    path.parent.mkdir(exist_ok=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    command = [sys.executable, "-m", "pytest", "-v", "--nbval", "--nbval-current-env", str(path)]
    sanitize = ["--nbval-sanitize-with", str(ROOT / "tests" / "nbval_sanitize.cfg")]
    options = ["-p", "no:cacheprovider", "--nbval-kernel-startup-timeout", "600"]  # busy machines
    done = subprocess.run([*command, *sanitize, *options], cwd=ROOT, capture_output=True, text=True)
    verdicts = re.findall(r"::Cell \d+ (PASSED|FAILED)", done.stdout)
    assert len(verdicts) == len(cells), done.stdout + done.stderr
    passed = [verdict == "PASSED" for verdict in verdicts[1:]]
    assert dict(zip(CHANGES, passed, strict=True)) == {
        name: passes for name, (_, _, passes) in CHANGES.items()
    }
