"""What is the same for every picture of one Axes, asked of all of them."""

import ast
import inspect
from functools import cache, partial
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
import torch
from artists import outside, overlapping, pixels, sizes, written
from IPython.core.inputtransformer2 import TransformerManager
from matplotlib.colors import to_hex

from d2lattn_book.pictures import drawings, plots
from d2lattn_book.pictures.colours import FAINT, INK

ROOT = Path(__file__).parents[2]
WORDS = ["the", "bat", "slept"]
X = np.array([[0.25, -0.5], [1, 2], [3, 1]])
WEIGHTS = np.array([[0.25, 0.25, 0.5], [0.125, 0.625, 0.25], [0.5, 0.25, 0.25]])
EYE, TWO = np.eye(2), np.array([[1.0, 0.5], [-0.25, 1]])
ASKS = dict(query="bat")
LAYER = {"RNN": np.array([1, 2]), "CNN": np.array([2, 1])}


DRAWINGS = {
    "weighted_average": partial(drawings.weighted_average, WORDS, X, WEIGHTS, **ASKS),
    "bottleneck": partial(drawings.bottleneck, WORDS, ["die", "Fledermaus"]),
    "columns": partial(plots.columns, X, np.array([1, 0])),
    "cross_attention": partial(drawings.cross_attention, WORDS[:2], WORDS, WEIGHTS[:2], **ASKS),
    "encoder_decoder": partial(drawings.encoder_decoder),
    "flow": partial(plots.flow, WORDS, WEIGHTS, scores=WEIGHTS, output="it", **ASKS),
    "heatmap": partial(plots.heatmap, WEIGHTS, tokens=WORDS, annot=True),
    "induction": partial(drawings.induction, ["a", *WORDS, "a"]),
    "jumping_bits": partial(drawings.jumping_bits, 9),
    "kept": partial(drawings.kept, 4, 4, num_kv_heads=2, latent_dim=6, rope_dim=2),
    "layer_lines": partial(drawings.layer_lines, np.array([1, 2]), LAYER),
    "lines": partial(plots.lines, np.array([1, 2]), LAYER),
    "model_map": partial(drawings.model_map, 3),
    "network": partial(drawings.network, [np.eye(4, dtype=bool)], unit=(1, 2)),
    "single_output": partial(drawings.single_output, WORDS, abs(X.round()), EYE, EYE, EYE, **ASKS),
    "one_layer": partial(drawings.one_layer),
    "projections": partial(drawings.projections, 3, 5, 7),
    "weight_lines": partial(drawings.weight_lines, WORDS, X, WEIGHTS, around=X, **ASKS),
    "ranks": partial(drawings.ranks, 3, travels="query"),
    "shadows": partial(drawings.shadows, WORDS, X, **ASKS),
    "shared_heads": partial(drawings.shared_heads, 6, 3),
    "split_and_join": partial(
        drawings.split_and_join, WORDS, np.stack([WEIGHTS, WEIGHTS]), head_dim=4
    ),
    "staircase": partial(drawings.staircase, ["well", *WORDS]),
    "stretching_fractions": partial(drawings.stretching_fractions, [4, 6]),
    "transformer_block": partial(drawings.transformer_block),
    "turning_arrows": partial(drawings.turning_arrows, *TWO, (2, 1)),
    "two_memories": partial(drawings.two_memories, 64, 1.5),
    "word_map": partial(drawings.word_map, WORDS, X, output=["the"], outline=WORDS, **ASKS),
    "words_for_heads": partial(drawings.words_for_heads, 3),
}


def is_numbers(given):
    """An array, or a dictionary with one."""
    inside = given.values() if isinstance(given, dict) else ()
    return isinstance(given, np.ndarray) or any(map(is_numbers, inside))


def given(what):
    """The drawings with such an argument."""
    all_of = {name: [*draw.args, *draw.keywords.values()] for name, draw in DRAWINGS.items()}
    return [name for name, arguments in all_of.items() if any(map(what, arguments))]


QUERIES = [name for name, draw in DRAWINGS.items() if "query" in draw.keywords]
every_drawing = pytest.mark.parametrize("draw", DRAWINGS.values(), ids=DRAWINGS)


@cache
def as_it_is(draw):
    """The pixels of a drawing with the arguments of the table."""
    return pixels(draw())


def code():
    """Of each notebook."""
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        yield "\n".join(cell.source for cell in cells if cell.cell_type == "code")


def passed(source):
    """(drawing, names of its arguments) of every call; `**labels` are those of labels = dict(…)."""
    tree = ast.parse(TransformerManager().transform_cell(source))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    made = [node for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    kept = {ast.unparse(node.targets[0]): getattr(node.value, "keywords", ()) for node in made}
    for call in calls:
        module, _, name = ast.unparse(call.func).rpartition(".")
        if module == "drawings":
            several = [[w] if w.arg else kept[ast.unparse(w.value)] for w in call.keywords]
            first = [*inspect.signature(getattr(drawings, name)).parameters][: len(call.args)]
            yield name, {*first, *(word.arg for words in several for word in words)}


def test_what_a_drawing_takes_is_handed_to_it_somewhere():
    """What no page needs is still read, checked and tested: only `ax` may wait for its caller."""
    unused = {n: {*inspect.signature(getattr(drawings, n)).parameters} for n in drawings.__all__}
    for name, arguments in (call for source in code() for call in passed(source)):
        unused[name] -= arguments
    unused = {name: left for name, left in unused.items() if left - {"ax"}}
    assert not unused, f"no cell of a chapter and no test of a page passes {unused}: use it, or cut"


def test_no_drawing_is_left_out():
    public = {*drawings.__all__, *plots.__all__} - {"describe", "heatmaps", "pause", "subplots"}
    assert public == set(DRAWINGS), "each has a row in DRAWINGS, by which all these tests draw it"


@every_drawing
def test_a_white_figure_of_its_own_without_axes(draw):
    mine = plt.figure()
    ax = draw()
    assert isinstance(ax, plt.Axes) and ax.figure is not mine and not mine.axes
    assert to_hex(ax.figure.get_facecolor(), keep_alpha=True) == "#ffffffff"


@every_drawing
def test_the_axes_that_are_given_and_no_others(draw):
    figure, (left, right) = plt.subplots(1, 2)
    current = plt.figure()  # another one
    before = plt.get_fignums()
    assert draw(ax=left) is left
    assert plt.get_fignums() == before and plt.gcf() is current
    assert figure.axes[:2] == [left, right]
    assert left.get_children() != right.get_children() and not right.has_data() and not right.texts
    assert plots.describe(left) == plots.describe(draw())


@every_drawing
@pytest.mark.parametrize("ax", ["left", [], 0, plt.Figure()], ids=lambda ax: type(ax).__name__)
def test_what_is_no_axes_is_refused_before_a_figure_is_made(draw, ax):
    with pytest.raises(ValueError, match=r"^ax must be a matplotlib Axes or None, got "):
        draw(ax=ax)
    assert not plt.get_fignums()


@every_drawing
def test_letters_are_large_dark_and_free(draw):
    """At least 9 points, INK or FAINT, nothing on one another, nothing cut off."""
    ax = draw()
    assert min(sizes(ax.figure)) >= 9
    assert not overlapping(ax) and not outside(ax)
    colours = {to_hex(text.get_color()) for text in written(ax)}
    if draw.func is drawings.model_map:  # white, in a dark box, on what the chapter is about
        colours.remove("#ffffff")
    if draw.func is not plots.heatmap:  # seaborn's numbers are dark in light cells, light in dark
        assert colours <= {INK, FAINT}


def turned(convert, given):
    """The arguments with every array of numbers in them converted."""
    if isinstance(given, np.ndarray):
        return convert(given)
    if isinstance(given, dict):
        return {name: turned(convert, value) for name, value in given.items()}
    return given


@pytest.mark.parametrize("name", given(is_numbers))
@pytest.mark.parametrize("convert", [np.ndarray.tolist, torch.from_numpy], ids=["list", "tensor"])
def test_numbers_may_be_lists_or_tensors_as_well_as_arrays(name, convert):
    draw = DRAWINGS[name]
    arguments = [turned(convert, given) for given in draw.args]
    again = draw.func(*arguments, **turned(convert, draw.keywords))
    assert np.array_equal(pixels(again), as_it_is(draw))


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("query", ["cow", 3, True, 1.0])
def test_who_asks_must_be_there(name, query):
    with pytest.raises(ValueError, match=r"^query must .*, got "):
        DRAWINGS[name](query=query)
    assert not plt.get_fignums()
