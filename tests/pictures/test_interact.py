"""Controls: a new value is a new picture, and no figure is left behind."""

import ast
import functools
import html
import io
import pathlib

import ipywidgets
import matplotlib.pyplot as plt
import pytest

from d2lattn_book.pictures import interact
from d2lattn_book.pictures.interact import Controls, controls

# What ipywidgets 8.1 has and 7.7, which Colab brings, has not: widgets, and traits of those here.
ONLY_IN_8 = {
    *("ColorsInput", "DatetimePicker", "FloatsInput", "IntsInput", "NaiveDatetimePicker"),
    *("Stack", "TagsInput", "TimePicker", "TypedTuple"),
    *("behavior", "description_allow_html", "playing", "repeat", "tabbable", "tooltip"),
    *("border_bottom", "border_left", "border_right", "border_top"),
}


@pytest.fixture(autouse=True)
def no_figure_is_left_open():
    yield
    assert plt.get_fignums() == []


def draw(size=1, *, name="a", flag=False):
    _, ax = plt.subplots(figsize=(1, 1))
    ax.bar(["a", "b"], [size, 0])
    ax.set_title(f"{name} {flag}")
    return ax


def png(panel):
    return bytes(panel.picture.value)


def test_a_new_value_redraws_picture_and_words():
    panel = controls(draw, size=(1, 5))
    before, words = png(panel), panel.words.value
    assert before.startswith(b"\x89PNG")
    assert ": a 3, b 0" in words  # a slider starts in the middle
    panel.controls["size"].value = 5
    assert png(panel).startswith(b"\x89PNG")
    assert png(panel) != before
    assert ": a 5, b 0" in panel.words.value
    panel.controls["size"].value = 3
    assert png(panel) == before
    assert panel.words.value == words


@pytest.mark.parametrize("name", ["<pad>", "</s>", "a & b", "&lt;s&gt;", "<img onerror=alert(1)>"])
def test_words_are_no_html(name):
    panel = controls(draw, name=[name])
    shown = panel.words.value.removeprefix("<small>").removesuffix("</small>")
    assert "<" not in shown and html.unescape(shown).startswith(f"{name} False")


def test_the_picture_has_a_white_opaque_background():
    def transparent(size):
        ax = draw(size)
        ax.figure.set_facecolor("none")
        return ax

    pixels = plt.imread(io.BytesIO(png(controls(transparent, size=(1, 3)))))
    assert pixels[0, 0].tolist() == [1, 1, 1, 1]


def test_every_kind_of_control():
    panel = controls(draw, size=(0.0, 1.0, 0.25), name=["a", "b"], flag=True)
    kinds = {name: type(widget) for name, widget in panel.controls.items()}
    assert kinds == {
        "size": ipywidgets.FloatSlider,
        "name": ipywidgets.Dropdown,
        "flag": ipywidgets.Checkbox,
    }
    slider = panel.controls["size"]
    assert (slider.min, slider.max, slider.step) == (0, 1, 0.25)
    panel.controls["name"].value = "b"
    assert "b True" in panel.words.value
    panel.controls["flag"].value = False
    assert "b False" in panel.words.value
    assert panel.children == (*panel.controls.values(), panel.picture, panel.words)


def test_menus_of_names_and_widgets_of_ones_own():
    own = ipywidgets.IntSlider(2, 1, 4)
    panel = controls(draw, name={"first": "x", "second": "y"}, size=own)
    assert panel.controls["size"] is own
    assert "x False" in panel.words.value
    panel.controls["name"].value = "y"
    assert "y False" in panel.words.value
    own.value = 4
    assert ": a 4, b 0" in panel.words.value


def test_nothing_is_used_that_only_ipywidgets_8_has():
    tree = ast.parse(pathlib.Path(interact.__file__).read_text(encoding="utf-8"))
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword)}
    names |= {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    names |= {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert {"Image", "layout", "max_width", "describe"} <= names  # the walk sees all four kinds
    assert not names & ONLY_IN_8


def test_a_menu_is_given_as_pairs():
    """ipywidgets 7 deprecates a dict of options."""
    menu = controls(draw, name={"first": "x", "second": "y"}).controls["name"]
    assert menu.options == (("first", "x"), ("second", "y"))


def test_the_picture_keeps_its_own_size():
    panel = controls(draw, size=(1, 3))
    assert plt.imread(io.BytesIO(png(panel))).shape[:2] == (100, 100)  # an inch each way
    layout = panel.picture.layout
    assert (layout.max_width, layout.align_self) == ("100%", "flex-start")  # never stretched
    assert panel.words.value.startswith("<small>") and panel.words.value.endswith("</small>")


def test_a_control_has_room_for_its_name_and_a_widget_keeps_its_own():
    own = ipywidgets.IntSlider(2, 1, 4, description="how many")
    panel = controls(draw, name=["a"], size=own)
    assert own.description == "how many"
    widths = {widget.style.description_width for widget in panel.controls.values()}
    assert widths == {"initial"}


def test_a_slider_may_have_one_place_only():
    slider = controls(draw, size=(2, 2)).controls["size"]
    assert isinstance(slider, ipywidgets.IntSlider)
    assert (slider.min, slider.value, slider.max) == (2, 2, 2)


def test_names_are_shown_in_words():
    panel = controls(lambda chunk_size: draw(chunk_size), chunk_size=(1, 3))
    assert panel.controls["chunk_size"].description == "chunk size"


def test_a_figure_may_be_returned():
    def two(size):
        figure, axes = plt.subplots(1, 2, figsize=(2, 1))
        for ax in axes:
            ax.bar(["a"], [size])
        return figure

    assert controls(two, size=(1, 5)).words.value.count("1 bar 3") == 2


def test_other_figures_stay_open():
    mine = plt.figure()
    panel = controls(draw, size=(1, 5))
    panel.controls["size"].value = 4
    assert plt.get_fignums() == [mine.number]
    plt.close(mine)


def test_repr_is_the_same_every_time():
    assert isinstance(controls(draw, size=(1, 5)), Controls)
    assert repr(controls(draw, size=(1, 5), flag=False)) == "controls of draw: size, flag"
    partial = functools.partial(draw, flag=True)
    assert repr(controls(partial, size=(1, 5))) == "controls of partial: size"


@pytest.mark.parametrize("choice", [None, (1,), (1, 2, 3, 4), (3, 1), [], {}, object])
def test_a_choice_that_is_none(choice):
    with pytest.raises(ValueError, match=r"^size must be \(min, max\).* got "):
        controls(draw, size=choice)


def test_no_choice_at_all():
    with pytest.raises(ValueError, match="choices must name at least one"):
        controls(draw)


@pytest.mark.parametrize("choice", [(0.0, float("nan")), (1, 3, 0), ("a", "b"), 3, range(3)])
def test_a_choice_that_is_no_range(choice):
    with pytest.raises(ValueError, match=r"^size must be \(min, max\).* got "):
        controls(draw, size=choice)


def test_a_choice_that_the_function_does_not_take():
    with pytest.raises(ValueError, match=r"^draw must take what choices name \(sise\), got: "):
        controls(draw, sise=(1, 3))


@pytest.mark.parametrize("result", [None, "text", 3])
def test_a_function_that_draws_nothing(result):
    with pytest.raises(ValueError, match=f"draw must return .* got {type(result).__name__}"):
        controls(lambda size: result, size=(1, 3))
