"""Where everything stands in each drawing: tests/pictures/places.json, looked at once by an eye.

Other tests ask what a drawing says. This one sees that nothing has moved, changed its colour or
gone: who changes a drawing on purpose looks at it and writes the file anew, by
`python tests/pictures/test_places.py`, which draws all of them into build/drawings.
"""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch
from test_every_drawing import DRAWINGS

from d2lattn.pictures import plots

PAGE = Path(__file__).with_name("places.json")
TOLERANCE = 0.002  # in the numbers of the Axes
KEPT = json.loads(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}


def listed(ax):
    """Each thing on the Axes: [what it is, numbers of where it is]."""
    labels = [axis.get_label_text() for axis in (ax.xaxis, ax.yaxis)]
    found = [[f"axes {ax.get_title()!r} {labels} {ax.axison}", [*ax.get_xlim(), *ax.get_ylim()]]]
    found.append([plots.describe(ax), ()])
    for text in ax.texts:
        how = f"{text.get_ha()} {text.get_va()} {to_hex(text.get_color())} {text.get_rotation():g}"
        points = [*getattr(text, "xy", ()), *text.get_position()]  # what it names, where it stands
        found.append([f"text {text.get_text()!r} {how}", points])
    for line in ax.lines:
        found.append([f"line {line.get_label()} {to_hex(line.get_color())}", line.get_xydata()])
    for marks in ax.collections:
        colours = _named(*marks.get_facecolor(), *marks.get_edgecolor())
        offsets, paths = marks.get_offsets(), [path.vertices for path in marks.get_paths()]
        numbers = [np.ravel(part) for part in (offsets, *(paths if len(offsets) < 2 else []))]
        found.append([f"{type(marks).__name__} {marks.get_label()} {colours}", np.hstack(numbers)])
    for patch in ax.patches:
        colours = _named(patch.get_facecolor(), patch.get_edgecolor())
        name = f"{type(patch).__name__} {colours} {patch.get_linestyle()}"
        if isinstance(patch, FancyArrowPatch) and patch._posA_posB is not None:
            bent, head = patch.get_connectionstyle(), patch.get_arrowstyle()
            name += f" {type(bent).__name__} {vars(bent)} {type(head).__name__}"
            found.append([name, patch._posA_posB])
        else:
            shape = patch.get_path().vertices
            found.append([name, patch.get_patch_transform().transform(shape)])
    return [[what, np.round(np.ravel(where).astype(float), 3).tolist()] for what, where in found]


def _named(*colours):
    return [to_hex(colour, keep_alpha=True) for colour in colours]


@pytest.mark.pins
@pytest.mark.parametrize("name", DRAWINGS)
def test_everything_stands_where_it_was_seen(name):
    found, kept = listed(DRAWINGS[name]()), KEPT[name]
    assert [what for what, _ in found] == [what for what, _ in kept]
    for (what, now), (_, before) in zip(found, kept, strict=True):
        assert now == pytest.approx(before, abs=TOLERANCE, nan_ok=True), what


if __name__ == "__main__":
    folder = Path("build/drawings")
    folder.mkdir(parents=True, exist_ok=True)
    pages = []
    for name, draw in DRAWINGS.items():
        ax = draw()
        ax.figure.savefig(folder / f"{name}.png")
        plt.close(ax.figure)
        things = ",\n".join(json.dumps(thing, ensure_ascii=False) for thing in listed(ax))
        pages.append(f'"{name}": [\n{things}\n]')
    PAGE.write_text("{\n" + ",\n".join(pages) + "\n}\n", encoding="utf-8")
