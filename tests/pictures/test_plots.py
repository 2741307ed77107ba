"""Figures: what is drawn is what was given, and `describe` reads it back."""

import io

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from matplotlib.collections import QuadMesh
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from d2lattn import causal_mask
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


def colours(ax):
    mesh(ax).update_scalarmappable()
    return mesh(ax).get_facecolors()


def texts(labels):
    return [label.get_text() for label in labels]


def opaque_white(figure):
    return to_rgba(figure.get_facecolor()) == (1, 1, 1, 1)


# Heatmap ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.asarray, torch.tensor, list])
def test_heatmap_draws_the_matrix_with_row_0_at_the_top(kind):
    ax = heatmap(kind(WEIGHTS))
    assert np.array_equal(cells(ax), WEIGHTS)
    assert ax.yaxis_inverted()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("key (column)", "query (row)")
    assert mesh(ax).get_clim() == (0, 0.9)
    assert colours(ax)[:, :3].sum(-1).argmax() == 3  # weight 0 is the lightest cell
    assert colours(ax)[:, :3].sum(-1).argmin() == 4  # and the largest weight the darkest


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.int64])
def test_heatmap_takes_any_dtype_and_gradients(dtype):
    matrix = torch.tensor([[1, 0], [2, 3]], dtype=dtype)
    if dtype.is_floating_point:
        matrix.requires_grad_()
    assert cells(heatmap(matrix)).tolist() == [[1, 0], [2, 3]]


def test_heatmap_does_not_change_its_input():
    matrix = np.array([[1.0, -np.inf], [0.0, 2.0]])
    copy = matrix.copy()
    heatmap(matrix)
    assert np.array_equal(matrix, copy)


@pytest.mark.parametrize(
    ("matrix", "limits", "expected"),
    [
        ([[1, 2]], {}, (0, 2)),
        ([[-1, 2]], {}, (-1, 2)),
        ([[-3, -2]], {}, (-3, -2)),
        ([[0, 0]], {}, (0, 1)),
        ([[1, 2]], dict(vmin=1, vmax=5), (1, 5)),
        ([[-np.inf, -1, 2]], {}, (-1, 2)),
        ([[np.nan, 1, 2]], {}, (0, 2)),
        ([[-1, 3]], dict(center=0), (-3, 3)),
        ([[-5, 3]], dict(center=1), (-5, 7)),
        ([[-1, 3]], dict(center=0, vmax=2), (-2, 2)),
        ([[-1, 3]], dict(center=0, vmin=-4), (-4, 4)),
        ([[0, 0]], dict(center=0), (-1, 1)),
        ([[-np.inf, 1]], dict(center=0), (-1, 1)),
        ([[1, 2]], dict(vmin=5), (5, 6)),
        ([[1, 2]], dict(vmax=-1), (-2, -1)),
        ([[-np.inf, np.nan]], {}, (0, 1)),
        ([[1, 2]], dict(vmax=torch.tensor(3.0)), (0, 3)),
        ([[1, 2]], dict(vmax=np.float32(3)), (0, 3)),
    ],
)
def test_heatmap_colour_scale(matrix, limits, expected):
    assert mesh(heatmap(matrix, **limits)).get_clim() == expected


def test_heatmap_with_a_centre_is_white_there_and_differs_on_both_sides():
    low, middle, high = colours(heatmap([[-2.0, 0.0, 2.0]], center=0))
    assert np.allclose(middle[:3], 1, atol=0.07)
    assert low[2] > low[0]  # blue below
    assert high[0] > high[2]  # red above


def test_heatmap_of_a_mask_draws_true_dark_and_has_no_colour_bar():
    ax = heatmap(causal_mask(2))
    shown, hidden = colours(ax)[0], colours(ax)[1]
    assert cells(ax).tolist() == [[1, 0], [1, 1]]
    assert 0.3 < shown[:3].min() <= shown[:3].max() < 0.6  # grey: black numbers can be read
    assert hidden[:3].min() > 0.9
    assert ax.figure.axes == [ax]


def test_heatmap_names_rows_and_columns():
    ax = heatmap(np.eye(2), tokens=["cat", "sat"], title="head 1")
    assert texts(ax.get_xticklabels()) == texts(ax.get_yticklabels()) == ["cat", "sat"]
    assert ax.get_title() == "head 1"
    ax = heatmap(WEIGHTS, xticklabels=["a", "b", "c"], yticklabels=[1, 2], xlabel="x", ylabel="y")
    assert texts(ax.get_xticklabels()) == ["a", "b", "c"]
    assert texts(ax.get_yticklabels()) == ["1", "2"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "y")


def test_a_mask_may_have_another_colour_map():
    assert mesh(heatmap(causal_mask(2))).get_cmap().name == "Greys"
    assert mesh(heatmap(causal_mask(2), cmap="Blues")).get_cmap().name == "Blues"


def test_cells_are_apart_where_there_are_few_of_them():
    assert mesh(heatmap(np.eye(20))).get_linewidth() == 0.5
    assert mesh(heatmap(np.eye(21))).get_linewidth() == 0


def test_long_names_of_columns_lean_and_end_at_their_cell():
    def angles(tokens):
        ax = heatmap(np.eye(2), tokens=tokens)
        assert {label.get_rotation() for label in ax.get_yticklabels()} == {0}
        return {(label.get_rotation(), label.get_ha()) for label in ax.get_xticklabels()}

    assert angles(["cat", "kitten"]) == {(0, "center")}
    assert angles(["cat", "kittens"]) == {(45, "right")}


def test_a_figure_grows_with_its_matrix_up_to_a_page():
    def size(*shape):
        return tuple(heatmap(np.ones(shape)).figure.get_size_inches())

    (width, height), (wider, same) = size(4, 4), size(4, 12)
    assert wider > width and same == height
    assert size(12, 4) == (width, size(12, 12)[1]) and size(12, 4)[1] > height
    assert size(1, 1) == size(4, 4)
    assert size(12, 12) == size(500, 500)
    assert max(size(500, 500)) < 10


@pytest.mark.parametrize("labels", ["auto", True, False, 2])
def test_cells_may_be_numbered_as_seaborn_does(labels):
    ax = heatmap(np.eye(4), xticklabels=labels)
    want = {True: ["0", "1", "2", "3"], False: [], 2: ["0", "2"]}.get(labels, list("0123"))
    assert texts(ax.get_xticklabels()) == want


def test_heatmap_annotates_and_leaves_the_colour_bar_out():
    ax = heatmap(WEIGHTS, annot=True, fmt=".1f", cbar=False)
    assert texts(ax.texts) == [f"{value:.1f}" for value in WEIGHTS.flat]
    assert ax.figure.axes == [ax]
    assert len(heatmap(WEIGHTS).figure.axes) == 2


# Heatmaps -----------------------------------------------------------------------------------------


def test_heatmaps_share_one_scale_and_one_colour_bar():
    stack = torch.arange(2 * 3 * 3).reshape(2, 3, 3) / 10
    figure = heatmaps(stack)
    *heads, bar = figure.axes
    assert opaque_white(figure)
    assert len(heads) == 2
    assert bar.get_label() == "<colorbar>"
    for ax, matrix, title in zip(heads, stack, ["head 0", "head 1"], strict=True):
        assert np.allclose(cells(ax), matrix)
        assert np.allclose(mesh(ax).get_clim(), (0, 1.7))
        assert ax.get_title() == title


def test_heatmaps_without_a_colour_bar_can_be_drawn():
    """No bar is made that a caller would have to take away again: matplotlib 3.10 cannot draw a
    constrained figure whose bar was removed."""
    for figure in (
        heatmaps(np.ones((3, 2, 2)), cbar=False),
        heatmaps(np.ones((3, 2, 2), dtype=bool)),
    ):
        assert [ax.get_label() == "<colorbar>" for ax in figure.axes] == [False] * 3
        figure.savefig(io.BytesIO())


def test_heatmaps_in_rows_with_names_on_the_outer_ones():
    figure = heatmaps(np.ones((3, 2, 2)), columns=2, tokens=["a", "b"], titles=list("xyz"))
    heads = [ax for ax in figure.axes if ax.axison and ax.get_label() != "<colorbar>"]
    assert [ax.get_title() for ax in heads] == list("xyz")
    assert [bool(ax.get_ylabel()) for ax in heads] == [True, False, True]
    assert [bool(ax.get_xlabel()) for ax in heads] == [False, True, True]


@pytest.mark.parametrize(
    ("count", "columns", "rows", "wide"), [(3, 2, 2, 2), (4, 2, 2, 2), (2, 4, 1, 2), (5, 1, 5, 1)]
)
def test_the_grid_is_as_wide_as_asked_and_no_longer_than_needed(count, columns, rows, wide):
    figure = heatmaps(np.ones((count, 2, 2)), columns=columns, cell_size=3)
    *heads, _ = figure.axes
    grid = heads[0].get_subplotspec().get_gridspec()
    assert (grid.nrows, grid.ncols) == (rows, wide)
    assert [ax.axison for ax in heads] == [True] * count + [False] * (rows * wide - count)
    assert np.allclose(figure.get_size_inches(), (3 * wide + 1.2, 3 * rows + 0.5))


def test_only_the_outer_matrices_of_a_grid_show_their_names():
    figure = heatmaps(np.ones((4, 2, 2)), columns=3, tokens=["a", "b"])
    heads = figure.axes[:4]

    def shown(axis):
        return any(tick.label1.get_visible() for tick in axis.get_major_ticks())

    assert [shown(ax.yaxis) for ax in heads] == [True, False, False, True]
    assert [shown(ax.xaxis) for ax in heads] == [False, True, True, True]


def test_the_colour_bar_stands_beside_the_whole_grid():
    figure = heatmaps(np.ones((2, 2, 2)))
    figure.canvas.draw()
    *heads, bar = figure.axes
    assert all(ax.get_position().x1 < bar.get_position().x0 for ax in heads)
    left, right = (ax.get_position().width for ax in heads)
    assert np.isclose(left, right)


def test_heatmaps_with_a_centre_share_symmetric_ends():
    stack = np.array([[[-3.0, 1.0]], [[0.5, 2.0]]])
    heads = heatmaps(stack, center=0).axes[:2]
    assert [mesh(ax).get_clim() for ax in heads] == [(-3, 3)] * 2
    heads = heatmaps(stack, vmin=-4, vmax=4).axes[:2]
    assert [mesh(ax).get_clim() for ax in heads] == [(-4, 4)] * 2


def test_heatmaps_of_hidden_scores_and_of_masks():
    heads = heatmaps(np.array([[[-np.inf, 1.0]], [[-2.0, 0.0]]])).axes[:2]
    assert [mesh(ax).get_clim() for ax in heads] == [(-2, 1)] * 2
    assert len(heatmaps(causal_mask(3)[None]).axes) == 1


# Lines and columns --------------------------------------------------------------------------------


def test_lines_differ_by_style_and_colour_and_are_named():
    series = {name: [i, i + 1] for i, name in enumerate("abcd")}
    ax = lines(torch.tensor([1, 2]), series, xlabel="n", ylabel="y", title="t", yscale="log")
    assert [line.get_label() for line in ax.lines] == list("abcd")
    assert texts(ax.get_legend().get_texts()) == list("abcd")
    assert len({line.get_linestyle() for line in ax.lines}) == 4
    assert len({line.get_color() for line in ax.lines}) == 4
    for i, line in enumerate(ax.lines):
        assert line.get_xydata().tolist() == [[1, i], [2, i + 1]]
    assert ax.xaxis.get_gridlines()[0].get_visible()
    assert not ax.spines["top"].get_visible() and not ax.spines["right"].get_visible()
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("n", "y", "t")
    assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "log")


def test_one_line_needs_no_legend_and_markers_are_drawn_on_demand():
    ax = lines([1, 2], {"only": torch.tensor([1.0, 2.0], requires_grad=True)}, markers=True)
    assert ax.get_legend() is None
    assert ax.lines[0].get_marker() == "o"
    ax = lines([1, 2], {name: [1, 2] for name in "abcdef"}, markers=True)
    assert "".join(line.get_marker() for line in ax.lines) == "osD^vo"
    assert len(texts(lines([1, 2], {"a": [1, 2], "b": [2, 1]}).get_legend().get_texts())) == 2
    assert lines([1, 2], {"only": [1, 2]}).lines[0].get_marker() == "None"


def test_a_point_between_gaps_is_marked_where_no_line_leads_to_it():
    gaps = [1, np.nan, 3, 4, np.nan, 6]
    for markers, drawn in ((False, [0, 5]), (True, None)):
        (line,) = lines(range(6), {"a": gaps}, markers=markers).lines
        assert (line.get_marker(), line.get_markevery()) == ("o", drawn)


@pytest.mark.parametrize("which", [[6, 7], range(6, 8), (6, 7), torch.tensor([6, 7])])
def test_columns_draws_the_columns_that_are_asked_for(which):
    P = np.random.default_rng(0).normal(size=(10, 8))
    ax = columns(P, which)
    assert [line.get_label() for line in ax.lines] == ["column 6", "column 7"]
    for line, column in zip(ax.lines, (6, 7), strict=True):
        assert line.get_xdata().tolist() == list(range(10))
        assert np.array_equal(line.get_ydata(), P[:, column])
    assert ax.get_xlabel() == "position (row)"


@pytest.mark.parametrize("scale", [dict(xscale="log"), dict(yscale="log"), {}])
def test_a_scale_that_is_not_named_stays_as_the_axes_has_it(scale):
    _, ax = plt.subplots()
    ax.set(xscale="symlog", yscale="symlog")
    lines([1, 2], {"a": [1, 2]}, ax=ax, **scale)
    want = dict(xscale="symlog", yscale="symlog") | scale
    assert (ax.get_xscale(), ax.get_yscale()) == (want["xscale"], want["yscale"])


# Network ------------------------------------------------------------------------------------------


def test_the_network_draws_the_connections_and_the_receptive_field():
    step = conv_connectivity(5, 3)
    words = describe(network([step, step], unit=(2, 2)))
    assert "connections: 26 edges" in words  # 13 in each layer
    assert "field of unit 2: 9 points, x from 0 to 4, y from 0 to 2" in words  # 1 + 3 + 5
    before = torch.eye(5, dtype=torch.bool).roll(1, dims=0).tril()  # state i sees state i - 1
    words = describe(network([torch.eye(5).bool()], within=before, unit=(1, 3)))
    assert "connections: 9 edges" in words and "field of unit 3: 8 points, x from 0 to 3" in words


def test_the_network_takes_arrays_and_a_list_as_unit():
    step = conv_connectivity(5, 3)
    said = describe(network([step, step], unit=(2, 2)))
    assert describe(network([step.numpy(), step], unit=[2, 2])) == said


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


def test_describe_sees_a_wrong_figure():
    assert describe(heatmap(np.eye(3))) != describe(heatmap(np.eye(3) * 0.99))
    assert describe(heatmap(np.eye(3))) != describe(heatmap(np.eye(3)[::-1]))
    assert describe(heatmap(np.ones((2, 3)))) != describe(heatmap(np.ones((3, 2))))


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
