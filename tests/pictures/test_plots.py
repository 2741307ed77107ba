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
from d2lattn_book.pictures.plots import describe, heatmap, heatmaps, lines

WEIGHTS = np.array([[0.5, 0.25, 0.25], [0.0, 0.9, 0.1]])


def mesh(ax):
    (drawn,) = [artist for artist in ax.collections if isinstance(artist, QuadMesh)]
    return drawn


# Heatmap ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("matrix", "limits", "expected"),
    [
        ([[1, 2]], {}, (0, 2)),
        ([[-1, 2]], {}, (-1, 2)),
        ([[1, 2]], dict(vmin=1, vmax=5), (1, 5)),
        ([[-np.inf, -1, 2]], {}, (-1, 2)),
        ([[np.nan, 1, 2]], {}, (0, 2)),
        ([[-1, 3]], dict(center=0), (-3, 3)),
        ([[0, 0]], dict(center=0), (-1, 1)),
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
    reached = "unit 2 of layer 2 depends on inputs 0, 1, 2, 3, 4."
    assert words == f"26 connections in 2 layers of 5 units; {reached}"  # 13 in each layer
    before = torch.eye(5, dtype=torch.bool).roll(1, dims=0).tril()  # state i sees state i - 1
    words = describe(network([torch.eye(5).bool()], within=before, unit=(1, 3)))
    reached = "unit 3 of layer 1 depends on inputs 0, 1, 2, 3."
    assert words == f"9 connections in 1 layer of 5 units; {reached}"


# Describe -----------------------------------------------------------------------------------------


def bars():
    _, ax = plt.subplots()
    ax.bar(["a", "b", "c"], [1, 2.5, 0.5])
    ax.add_patch(Rectangle((0, 0), 9, 9))  # a frame is no bar
    return ax


def named_bars():
    _, ax = plt.subplots()
    ax.bar(list("abcde"), [0.011, 0.017, 0.9, 0.042, 0.03])
    return ax


def points():
    _, ax = plt.subplots()
    ax.scatter([1, 2, 3], [4, 5, 9], label="words")
    return ax


def with_help_line():
    ax = lines([0, 1], {"f": [1, 2]}, xlabel="x")
    ax.axhline(100)
    return ax


def words_alone():
    figure, (left, right) = plt.subplots(1, 2)
    left.set_axis_off()
    left.text(0, 0, "attention")
    right.set_axis_off()
    return figure


FIVE = "5 maps of 2 × 2, values 3: head 0, head 1, head 2, head 3, head 4."


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
            lambda: lines([1, 2, 3], {"a": [1, 5, 4], "b": [0, 1, -2]}, xlabel="n"),
            "2 lines over n from 1 to 3: a from 1 to 4, b from 0 to -2.",
        ),
        (
            lambda: lines([1, 2], {"a": [1e-9, 1]}, yscale="log"),
            "1 line over x from 1 to 2: a from 1e-09 to 1.",
        ),
        (
            lambda: lines(range(5), {"a": [np.nan, 1, 4, np.nan, 16], "b": [2, 3, *[np.nan] * 3]}),
            "2 lines over x from 0 to 4: a from 1 to 16, b from 2 to 3.",
        ),
        (with_help_line, "1 line over x from 0 to 1: f from 1 to 2."),
        (bars, "b 2.5, a 1, c 0.5."),
        (named_bars, "c 0.9, d 0.04, e 0.03, 2 others at most 0.02."),
        (lambda: heatmaps(np.full((5, 2, 2), 3)), FIVE),
        (points, "words: 3 points, x from 1 to 3, y from 4 to 9."),
        (words_alone, "The word attention."),
        (
            lambda: heatmaps(np.stack([np.eye(2), np.eye(2)[::-1]])),
            "head 0: a map of 2 × 2, query (row) by key (column): "
            "2 of 4 cells are 1; head 1: a map of 2 × 2: 2 of 4 cells are 1.",
        ),
    ],
)
def test_describe_says_what_is_drawn(draw, text):
    assert describe(draw()) == text


# Errors and helpers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: heatmap(np.ones((2, 3, 4))), ["matrix", "two axes", "(2, 3, 4)"]),
        (lambda: heatmap(np.ones((2, 2)), tokens=["a"]), ["tokens", "2 strings", "1"]),
        (
            lambda: heatmap(np.ones((2, 3)), yticklabels=list("abc")),
            ["yticklabels", "2 strings", "3", "'c'"],
        ),
        (lambda: heatmaps(np.ones((2, 3))), ["stack", "three axes", "(2, 3)"]),
        (lambda: heatmaps(np.ones((2, 3, 3)), titles=["a"]), ["titles", "2", "1"]),
        (lambda: lines([1, 2], {"a": [1, 2, 3]}), ["'a'", "x", "(3,)", "(2,)"]),
        (lambda: describe(plt.subplots()[1]), ["ax", "drawn", "empty"]),
    ],
)
def test_errors_name_argument_rule_and_what_was_got(call, words):
    with pytest.raises(ValueError) as error:
        call()
    assert [word for word in words if word not in str(error.value)] == []


def test_to_numpy_takes_every_dtype():
    kinds = {torch.bfloat16: "float32", torch.float16: "float32", torch.float8_e4m3fn: "float32"}
    kinds |= {torch.float64: "float64", torch.bool: "bool", torch.int16: "int16"}
    for dtype, kind in kinds.items():
        tensor = torch.tensor([0, 1]).to(dtype)
        array = to_numpy(tensor.requires_grad_(dtype.is_floating_point))
        assert array.tolist() == [0, 1] and array.dtype == kind
    assert to_numpy([1, 2]).tolist() == [1, 2]
