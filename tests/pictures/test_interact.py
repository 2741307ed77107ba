"""Controls: a new value is a new picture, and no figure is left behind."""

import functools
import html
import io

import ipywidgets
import matplotlib.pyplot as plt
import pytest

from d2lattn_book.pictures.interact import controls


@pytest.fixture(autouse=True)
def no_figure_is_left_open():
    yield
    assert plt.get_fignums() == []


def draw(size=1, *, name="a", flag=False):
    _, ax = plt.subplots(figsize=(1, 1), facecolor="none")
    ax.bar(["a", "b"], [size, 0])
    ax.set_title(f"{name} {flag}")
    return ax


def two(size):
    figure, axes = plt.subplots(1, 2, figsize=(2, 1))
    for ax in axes:
        ax.bar(["a"], [size])
    return figure


def test_a_new_value_redraws_picture_and_words():
    panel = controls(draw, size=(1, 5))
    before, words = panel.picture.value, panel.words.value
    assert ": a 3, b 0" in words  # a slider starts in the middle
    panel.controls["size"].value = 5
    assert panel.picture.value != before and ": a 5, b 0" in panel.words.value
    panel.controls["size"].value = 3
    assert (panel.picture.value, panel.words.value) == (before, words)
    pixels = plt.imread(io.BytesIO(panel.picture.value))
    assert pixels.shape[:2] == (100, 100)  # an inch each way, and opaque
    assert pixels[0, 0].tolist() == [1, 1, 1, 1]
    assert controls(two, size=(1, 5)).words.value.count("1 bar 3") == 2


@pytest.mark.parametrize("name", ["<pad>", "a & b", "&lt;s&gt;", "<img onerror=alert(1)>"])
def test_words_are_no_html(name):
    panel = controls(draw, name=[name])
    shown = panel.words.value.removeprefix("<small>").removesuffix("</small>")
    assert "<" not in shown and html.unescape(shown).startswith(f"{name} False")


CONTROLS = [  # a choice, its widget, what it begins with and another value
    (dict(size=(1, 5)), ipywidgets.IntSlider, 3, 4),
    (dict(size=(2, 2)), ipywidgets.IntSlider, 2, 2),
    (dict(size=(0.0, 1.0, 0.25)), ipywidgets.FloatSlider, 0.5, 0.75),
    (dict(name=["a", "b"]), ipywidgets.Dropdown, "a", "b"),
    (dict(name={"first": "x", "second": "y"}), ipywidgets.Dropdown, "x", "y"),
    (dict(flag=True), ipywidgets.Checkbox, True, False),
    (dict(size=ipywidgets.IntSlider(2, 1, 4, description="how many")), ipywidgets.IntSlider, 2, 3),
]


@pytest.mark.parametrize("choice, kind, first, other", CONTROLS)
def test_a_choice_is_a_control(choice, kind, first, other):
    panel = controls(draw, **choice)
    ((name, widget),) = panel.controls.items()
    assert isinstance(widget, kind) and widget.value == first
    assert widget.description in (name, "how many")
    assert widget.style.description_width == "initial"
    widget.value = other
    assert (f": a {other}" if name == "size" else str(other)) in panel.words.value


def test_other_figures_stay_open_and_a_cell_that_ends_in_controls_says_which():
    mine = plt.figure()
    panel = controls(functools.partial(draw, flag=True), size=(1, 5))
    panel.controls["size"].value = 4
    assert plt.get_fignums() == [mine.number]
    plt.close(mine)
    assert repr(panel) == "controls of partial: size"


RANGE = r"^size must be \(min, max\).* got "
WRONG = [
    *((draw, dict(size=one), RANGE) for one in (None, (3, 1), (0.0, float("nan")), ("a", "b"), [])),
    (draw, {}, "choices must name at least one"),
    (draw, dict(sise=(1, 3)), r"^draw must take what choices name \(sise\), got: "),
    (lambda size: None, dict(size=(1, 3)), "draw must return .* got NoneType"),
]


@pytest.mark.parametrize("function, choices, message", WRONG)
def test_controls_refuse(function, choices, message):
    with pytest.raises(ValueError, match=message):
        controls(function, **choices)
