"""Controls: a figure that is drawn again whenever a slider or a menu changes."""

import html
import inspect
import io
from collections.abc import Callable
from typing import Any, TypeAlias

import ipywidgets
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from d2lattn.arguments import is_finite_number, show
from d2lattn_book.pictures.describe import describe

Draw: TypeAlias = Callable[..., Axes | Figure]  # a function of what the controls choose


class Controls(ipywidgets.VBox):
    """Sliders and menus above a picture, and the picture in words below it.

    The picture is a PNG in an `Image` widget, so it redraws without flicker, and the text form is
    the same on every machine, so a cell that ends in it is compared like any other.
    """

    def __init__(
        self, draw: Callable[..., Axes | Figure], widgets: dict[str, ipywidgets.Widget]
    ) -> None:
        self.draw = draw
        self.controls = widgets
        self.picture = ipywidgets.Image(  # in its own size: a VBox would stretch it to the page
            format="png",
            layout={"max_width": "100%", "object_fit": "contain", "align_self": "flex-start"},
        )
        self.words = ipywidgets.HTML()
        super().__init__([*widgets.values(), self.picture, self.words])
        for widget in widgets.values():
            widget.observe(self._redraw, names="value")
        self._redraw()

    def _redraw(self, change=None):
        drawn = self.draw(**{name: widget.value for name, widget in self.controls.items()})
        if not isinstance(drawn, (plt.Axes, plt.Figure)):
            raise ValueError(f"draw must return an Axes or a Figure, got {type(drawn).__name__}")
        figure = drawn.figure  # a Figure's figure is itself
        figure.set(dpi=100, facecolor="white")
        png = io.BytesIO()
        FigureCanvasAgg(figure).print_png(png)  # savefig would draw it twice
        self.picture.value = png.getvalue()
        self.words.value = f"<small>{html.escape(describe(drawn))}</small>"  # <pad> is a word
        plt.close(figure)

    def __repr__(self):
        name = getattr(self.draw, "__name__", type(self.draw).__name__)
        return f"controls of {name}: {', '.join(self.controls)}"


def controls(draw: Draw, **choices: Any) -> Controls:
    """Draw a figure and draw it again whenever a control changes.

    Args:
        draw: function of the named values that returns an Axes or a Figure of its own.
        choices: for each argument of `draw` either (min, max) or (min, max, step) for a slider, a
            list of values or a dict name -> value for a menu, a bool for a box to tick, or a
            widget of ipywidgets with a `value`.

    Returns:
        Controls, a widget. Its attribute `controls` maps each name to its widget.

    Raises:
        ValueError: a choice that no control can be made of, none at all, or one that `draw` does
            not take; a `draw` that is no function or returns something else.

    Example:
        >>> from d2lattn_book.pictures.plots import heatmap
        >>> def draw(size):
        ...     return heatmap([[float(size)]])
        >>> controls(draw, size=(1, 3))
        controls of draw: size
    """
    if not choices:
        raise ValueError("choices must name at least one argument of draw, got none")
    try:
        inspect.signature(draw).bind(**choices)
    except TypeError as error:
        named = ", ".join(choices)
        raise ValueError(f"draw must take what choices name ({named}), got: {error}") from None
    return Controls(draw, {name: _control(name, choice) for name, choice in choices.items()})


def _control(name, choice):
    """The widget for one choice, with a description."""
    if not _is_choice(choice):
        raise ValueError(
            f"{name} must be (min, max), (min, max, step), a list, a dict, a bool or a widget, "
            f"got {show(choice)}"
        )
    menu = list(choice.items()) if isinstance(choice, dict) else choice
    widget = ipywidgets.interactive.widget_from_abbrev(menu)
    widget.description = widget.description or name.replace("_", " ")
    widget.style = {"description_width": "initial"}
    return widget


def _is_choice(choice):
    if isinstance(choice, (list, dict)):
        return len(choice) > 0
    if isinstance(choice, tuple) and len(choice) in (2, 3) and all(map(is_finite_number, choice)):
        low, high, *step = choice
        return low <= high and all(one > 0 for one in step)
    described = isinstance(choice, ipywidgets.Widget) and choice.has_trait("description")
    return isinstance(choice, bool) or (described and choice.has_trait("value"))
