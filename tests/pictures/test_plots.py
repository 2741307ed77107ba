"""Figures: what is drawn is what was given, and `describe` reads it back."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from matplotlib.collections import QuadMesh
from matplotlib.patches import Rectangle

from d2lattn_book.comparison import conv_connectivity
from d2lattn_book.pictures.arrays import to_numpy
from d2lattn_book.pictures.drawings import network
from d2lattn_book.pictures.plots import columns, describe, heatmap, heatmaps, lines

WEIGHTS = np.array([[0.5, 0.25, 0.25], [0.0, 0.9, 0.1]])


def mesh(ax):
    (drawn,) = [artist for artist in ax.collections if isinstance(artist, QuadMesh)]
    return drawn


def cells(ax):
    return np.ma.filled(mesh(ax).get_array(), np.nan)


# Heatmap ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.int64])
def test_heatmap_takes_any_dtype_and_gradients(dtype):
    matrix = torch.tensor([[1, 0], [2, 3]], dtype=dtype)
    if dtype.is_floating_point:
        matrix.requires_grad_()
    assert cells(heatmap(matrix)).tolist() == [[1, 0], [2, 3]]


@pytest.mark.parametrize(
    ("matrix", "limits", "expected"),
    [
        ([[1, 2]], {}, (0, 2)),
        ([[-1, 2]], {}, (-1, 2)),
        ([[-3, -2]], {}, (-3, -2)),
        ([[1, 2]], dict(vmin=1, vmax=5), (1, 5)),
        ([[-np.inf, -1, 2]], {}, (-1, 2)),
        ([[np.nan, 1, 2]], {}, (0, 2)),
        ([[-1, 3]], dict(center=0), (-3, 3)),
        ([[0, 0]], dict(center=0), (-1, 1)),
        ([[1, 2]], dict(vmin=5), (5, 6)),
        ([[1, 2]], dict(vmax=-1), (-2, -1)),
        ([[-np.inf, np.nan]], {}, (0, 1)),
        ([[1, 2]], dict(vmax=torch.tensor(3.0)), (0, 3)),
    ],
)
def test_heatmap_colour_scale(matrix, limits, expected):
    assert mesh(heatmap(matrix, **limits)).get_clim() == expected


# Lines and columns --------------------------------------------------------------------------------


def test_a_point_between_gaps_is_marked_where_no_line_leads_to_it():
    gaps = [1, np.nan, 3, 4, np.nan, 6]
    for markers, drawn in ((False, [0, 5]), (True, None)):
        (line,) = lines(range(6), {"a": gaps}, markers=markers).lines
        assert (line.get_marker(), line.get_markevery()) == ("o", drawn)


# Network ------------------------------------------------------------------------------------------


def test_the_network_draws_the_connections_and_the_receptive_field():
    step = conv_connectivity(5, 3)
    words = describe(network([step, step], unit=(2, 2)))
    assert "connections: 26 edges" in words  # 13 in each layer
    assert "field of unit 2: 9 points, x from 0 to 4, y from 0 to 2" in words  # 1 + 3 + 5
    before = torch.eye(5, dtype=torch.bool).roll(1, dims=0).tril()  # state i sees state i - 1
    words = describe(network([torch.eye(5).bool()], within=before, unit=(1, 3)))
    assert "connections: 9 edges" in words and "field of unit 3: 8 points, x from 0 to 3" in words


# Describe -----------------------------------------------------------------------------------------


def bars():
    _, ax = plt.subplots()
    ax.bar(["a", "b", "c"], [1, 2.5, 0.5])
    ax.add_patch(Rectangle((0, 0), 9, 9))  # a frame is no bar
    return ax


def lying_bars():
    _, ax = plt.subplots()
    ax.barh(["a", "b"], [3, 4])
    return ax


def points():
    _, ax = plt.subplots()
    ax.scatter([1, 2, 3], [4, 5, 9], label="words")
    return ax


def plain_line():
    _, ax = plt.subplots()
    ax.plot([1, 2], [3, 4])
    return ax


def with_help_line():
    ax = lines([0, 1], {"f": [1, 2]}, xlabel="x")
    ax.axhline(100)
    return ax


def image(values):
    _, ax = plt.subplots()
    ax.imshow(values)
    return ax


def words_on_a_line():
    _, ax = plt.subplots()
    ax.plot(["a", "b"], [3, 4], label="named")
    ax.text(0, 3, "beside")
    ax.scatter([], [])
    return ax


def words_alone():
    figure, (left, right) = plt.subplots(1, 2)
    left.set_axis_off()
    left.text(0, 0, "attention")
    right.set_axis_off()
    return figure


def two_lines_of_title():
    return heatmap([[1.0]], title="one\ntwo", xlabel="a\nb", ylabel="c")


@pytest.mark.parametrize(
    ("draw", "text"),
    [
        (
            lambda: heatmap(WEIGHTS, title="h"),
            "h: a map of 2 × 3, query (row) by key (column): "
            "values from 0 to 0.9, the largest 0.9 at (1, 1).",
        ),
        (
            lambda: heatmap(WEIGHTS[:, :2], tokens=["cat", "sat"]),
            "A map of 2 × 2, query (row) by key (column): "
            "values from 0 to 0.9, the largest 0.9 at (sat, sat).",
        ),
        (
            lambda: heatmap([[1.0, 1.0], [1.0, 0.5]], xlabel="", ylabel=""),
            "A map of 2 × 2: values from 0.5 to 1, the largest 1 at (0, 0).",
        ),
        (
            lambda: heatmap([[-np.inf, 0.0], [3.0, -1.0]], xlabel="", ylabel=""),
            "A map of 2 × 2: values from -1 to 3, the largest 3 at (1, 0).",
        ),
        (
            lambda: heatmap([[0.0, 0.0]], xlabel="", ylabel=""),
            "A map of 1 × 2: values 0, the largest 0 at (0, 0).",
        ),
        (
            lambda: heatmap([[1e-8, 3e-8]], xlabel="", ylabel=""),
            "A map of 1 × 2: values from 1e-08 to 3e-08, the largest 3e-08 at (0, 1).",
        ),
        (
            lambda: heatmap(np.arange(40 * 30).reshape(40, 30), xlabel="", ylabel=""),
            "A map of 40 × 30: values from 0 to 1.2e+03, the largest 1.2e+03 at (39, 29).",
        ),
        (
            lambda: lines([1, 2, 3], {"a": [1, 5, 4], "b": [0, 1, -2]}, xlabel="n"),
            "2 lines over n from 1 to 3: a from 1 to 4, b from 0 to -2.",
        ),
        (
            lambda: lines([1, 2], {"a": [1e-9, 1]}, yscale="log"),
            "1 line over x from 1 to 2: a from 1e-09 to 1.",
        ),
        (lambda: lines([1, 2], {"a": [1e-9, 1]}), "1 line over x from 1 to 2: a from 0 to 1."),
        (
            lambda: lines(range(5), {"a": [np.nan, 1, 4, np.nan, 16], "b": [2, 3, *[np.nan] * 3]}),
            "2 lines over x from 0 to 4: a from 1 to 16, b from 2 to 3.",
        ),
        (lambda: lines([1, 2], {"a": [np.nan] * 2}), "1 line over x none: a none."),
        (with_help_line, "1 line over x from 0 to 1: f from 1 to 2."),
        (plain_line, "1 line over x from 1 to 2: line 0 from 3 to 4."),
        (bars, "3 bars from 0.5 to 2.5."),
        (lying_bars, "2 bars from 3 to 4."),
        (points, "words: 3 points, x from 1 to 3, y from 4 to 9."),
        (lambda: image([[1.0, 2.0, 4.0]]), "An image of 1 × 3, values from 1 to 4."),
        (lambda: image(np.zeros((2, 3, 3))), "An image of 2 × 3, in colour."),
        (words_on_a_line, "1 line over x from 0 to 1: named from 3 to 4."),
        (words_alone, "The word attention."),
        (
            lambda: lines([1, 2], {"a": [-0.0, 1e-3]}),
            "1 line over x from 1 to 2: a from 0 to 0.001.",
        ),
        (
            lambda: heatmap([[np.nan, -np.inf]], xlabel="", ylabel=""),
            "A map of 1 × 2: values none.",
        ),
        (
            two_lines_of_title,
            "one two: a map of 1 × 1, c by a b: values 1, the largest 1 at (0, 0).",
        ),
        (
            lambda: heatmaps(np.stack([np.eye(2), np.eye(2)[::-1]])),
            "head 0: a map of 2 × 2, query (row) by key (column): "
            "values from 0 to 1, the largest 1 at (0, 0)."
            " head 1: a map of 2 × 2: values from 0 to 1, the largest 1 at (0, 1).",
        ),
    ],
)
def test_describe_says_what_is_drawn(draw, text):
    assert describe(draw()) == text


# Numbers that stand on the border between two roundings, ties, and what cancels to nothing.
BORDERS = np.array([[0.0, 1 / 32, 3 / 16, 7 / 16], [1.0, 1.0, 0.0625, 1.0]])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [1.0, 1000.0])
def test_describe_is_the_same_with_noise_of_1e_7(seed, size):
    noise = np.random.default_rng(seed).uniform(-1e-7, 1e-7, BORDERS.shape)
    exact, noisy = BORDERS * size, (BORDERS + noise) * size
    assert describe(heatmap(noisy)) == describe(heatmap(exact))
    curves = [dict(zip("abcd", values.T, strict=True)) for values in (noisy, exact)]
    assert describe(lines([0, 1], curves[0])) == describe(lines([0, 1], curves[1]))


# Errors and helpers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: heatmap(np.ones((2, 3, 4))), ["matrix", "two axes", "(2, 3, 4)"]),
        (lambda: heatmap(np.ones(3)), ["matrix", "two axes", "(3,)"]),
        (lambda: heatmap(np.ones((0, 3))), ["matrix", "cell", "(0, 3)"]),
        (lambda: heatmap(np.ones((2, 2)), tokens=["a"]), ["tokens", "2 strings", "1"]),
        (
            lambda: heatmap(np.ones((2, 3)), yticklabels=list("abc")),
            ["yticklabels", "2 strings", "3", "'c'"],
        ),
        (lambda: heatmaps(np.ones((2, 3))), ["stack", "three axes", "(2, 3)"]),
        (lambda: heatmaps(np.ones((2, 3, 3)), titles=["a"]), ["titles", "2", "1"]),
        (lambda: lines([1, 2], {"a": [1, 2, 3]}), ["'a'", "x", "(3,)", "(2,)"]),
        (lambda: lines([1, 2], {"a": [1, 2]}, xscale="lg"), ["xscale", "'log'", "'lg'"]),
        (lambda: columns(np.ones(3), [0]), ["P", "two axes", "(3,)"]),
        (lambda: columns(np.eye(3), [3]), ["which", "0 to 2", "[3]"]),
        (lambda: columns(np.eye(3), [-1]), ["which", "0 to 2", "[-1]"]),
        (lambda: columns(np.eye(3), [0.5]), ["which", "0 to 2", "[0.5]"]),
        (lambda: describe(plt.subplots()[1]), ["ax", "drawn", "empty"]),
        (lambda: describe(plt.subplots()[0]), ["drawn", "empty"]),
    ],
)
def test_errors_name_argument_rule_and_what_was_got(call, words):
    with pytest.raises(ValueError) as error:
        call()
    assert [word for word in words if word not in str(error.value)] == []


def test_a_misspelt_option_is_refused():
    for draw in (
        lambda **options: heatmap(np.ones((2, 2)), **options),
        lambda **options: heatmaps(np.ones((1, 2, 2)), **options),
        lambda **options: lines([1, 2], {"a": [1, 2]}, **options),
    ):
        with pytest.raises(TypeError, match="colour"):
            draw(colour="red")


def test_to_numpy_takes_every_dtype():
    kinds = {torch.bfloat16: "float32", torch.float16: "float32", torch.float8_e4m3fn: "float32"}
    kinds |= {torch.float64: "float64", torch.bool: "bool", torch.int16: "int16"}
    for dtype, kind in kinds.items():
        tensor = torch.tensor([0, 1]).to(dtype)
        array = to_numpy(tensor.requires_grad_(dtype.is_floating_point))
        assert array.tolist() == [0, 1] and array.dtype == kind
    assert to_numpy([1, 2]).tolist() == [1, 2]


def test_a_grid_names_the_largest_cell_where_no_tick_label_is_shown():
    stack = torch.zeros(4, 2, 2)
    stack[:, 0, 1] = 1
    said = describe(heatmaps(stack, tokens=["cat", "mat"], columns=2))
    assert said.count("largest 1 at (cat, mat).") == 4
