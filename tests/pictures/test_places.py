"""Where everything stands in each drawing: tests/pictures/places.json, looked at once by an eye.

Other tests ask what a drawing says. This one sees that nothing has moved, changed its colour or
size, or gone: who changes a drawing on purpose writes the file anew, by
`python tests/pictures/test_places.py`, and looks at all of them in build/drawings.
"""

import json
from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch
from test_every_drawing import DRAWINGS, SHARES, WORDS, X

from d2lattn_book.pictures import plots

PAGE = Path(__file__).with_name("places.json")
TOLERANCE = 0.002  # in the numbers of the Axes
KEPT = json.loads(PAGE.read_text(encoding="utf-8")) if PAGE.exists() else {}
ANEW = "if it shall be so: python tests/pictures/test_places.py, then look at build/drawings/{}.png"
NEAR = np.tri(3, dtype=bool)
LAYERS = ("CNN", "CNN, dilated", "RNN", "LSTM", "attention, explicit", "attention, fused")
SIX = {name: [1, i // 3] for i, name in enumerate(LAYERS)}
FLOW, NETWORK = partial(plots.flow, WORDS), DRAWINGS["network"].func
DRAWN = DRAWINGS | {  # what shows with other arguments only
    "blend of a row": partial(DRAWINGS["blend"].func, WORDS, X - 1, SHARES[0], query=-1),
    "cross_attention with a gloss": partial(DRAWINGS["cross_attention"], gloss=["a", "b", "c"]),
    "flow that hides": partial(FLOW, [0.25, 0.75, 0], query=0, mask=[1 > 0, 1 > 0, 1 < 0]),
    "flow to another": partial(FLOW, SHARES[0], query=0, asker="who", scores=X[:, 0], title="it"),
    "layer_lines of six": partial(DRAWINGS["layer_lines"].func, [1, 4], SIX, markers=True),
    "model_map, whole": DRAWINGS["model_map"].func,
    "network of two": partial(NETWORK, [NEAR, NEAR], within=~NEAR, unit=(1, 1), title="units"),
    "projections, wide": partial(DRAWINGS["projections"].func, 8, 2, 3),
    "pull from one place": partial(
        DRAWINGS["pull"].func, WORDS, [[0, 1], [2, 0], [0, 1]], SHARES[0], query=1, title="one"
    ),
    "shadows along an axis": partial(DRAWINGS["shadows"].func, WORDS, X - X[0] * [0, 1], query=0),
    "ranks in a ring": partial(DRAWINGS["ranks"].func, 4),
}


def listed(ax):
    """Each thing on the Axes: [what it is, numbers of where it is and how large]."""
    sides = ax.xaxis, ax.yaxis
    names = [side.get_label_text() for side in sides]
    names += [tick.get_text() for side in sides for tick in side.get_ticklabels()] * ax.axison
    frame = [*ax.get_xlim(), *ax.get_ylim(), *ax.figure.get_size_inches(), ax.title.get_fontsize()]
    found = [[f"axes {ax.get_title()!r} {names} {ax.axison}", frame], [plots.describe(ax), ()]]
    for text in ax.texts:
        how = _how(text, "ha", "va", "weight", "rotation", "zorder")
        for part in (text.get_bbox_patch(), getattr(text, "arrow_patch", None)):
            how += f" {_patch(part)}" if part else ""
        points = [*getattr(text, "xy", ()), *text.get_position()]  # what it names, where it stands
        name = f"text {text.get_text()!r} {to_hex(text.get_color())} {how}"
        found.append([name, [*points, text.get_fontsize()]])
    for line in ax.lines:
        how = _how(line, "label", "linestyle", "marker", "alpha", "zorder")
        width = line.get_linewidth(), line.get_markersize()
        found.append([f"line {to_hex(line.get_color())} {how}", [*line.get_xydata().flat, *width]])
    for marks in ax.collections:
        colours = _named(*marks.get_facecolor(), *marks.get_edgecolor())
        offsets, paths = marks.get_offsets(), [path.vertices for path in marks.get_paths()]
        sizes = marks.get_sizes() if hasattr(marks, "get_sizes") else ()
        parts = offsets, sizes, marks.get_linewidths(), *(paths if len(offsets) < 2 else [])
        how = f"{_how(marks, 'label', 'zorder')} {colours}"
        found.append([f"{type(marks).__name__} {how}", np.hstack([np.ravel(one) for one in parts])])
    for patch in ax.patches:
        if isinstance(patch, FancyArrowPatch) and patch._posA_posB is not None:
            bent, head = patch.get_connectionstyle(), patch.get_arrowstyle()
            name = f"{_patch(patch)} {type(bent).__name__} {vars(bent)} {type(head).__name__}"
            drawn = patch.get_mutation_scale(), patch.shrinkA, patch.shrinkB
            found.append([name, [*np.ravel(patch._posA_posB), *drawn]])
        else:
            shape = patch.get_path().vertices
            found.append([_patch(patch), patch.get_patch_transform().transform(shape)])
    return [[what, np.round(np.ravel(where).astype(float), 3).tolist()] for what, where in found]


def _how(artist, *asked):
    return " ".join(str(getattr(artist, f"get_{name}")()) for name in asked)


def _patch(patch):
    colours = _named(patch.get_facecolor(), patch.get_edgecolor())
    look = _how(patch, "linestyle", "zorder")
    return f"{type(patch).__name__} {colours} {look} {patch.get_linewidth():.3g}"


def _named(*colours):
    return [to_hex(colour, keep_alpha=True) for colour in colours]


@pytest.mark.pins
@pytest.mark.parametrize("name", DRAWN)
def test_everything_stands_where_it_was_seen(name):
    found, kept, anew = listed(DRAWN[name]()), KEPT.get(name, []), ANEW.format(name)
    assert [what for what, _ in found] == [what for what, _ in kept], anew
    for (what, now), (_, before) in zip(found, kept, strict=True):
        assert now == pytest.approx(before, abs=TOLERANCE, nan_ok=True), f"{what}: {anew}"


def test_nothing_is_kept_of_a_drawing_that_is_gone():
    assert KEPT.keys() == DRAWN.keys(), "python tests/pictures/test_places.py writes it anew"


if __name__ == "__main__":
    folder = Path("build/drawings")
    folder.mkdir(parents=True, exist_ok=True)
    pages = []
    for name, draw in DRAWN.items():
        ax = draw()
        ax.figure.savefig(folder / f"{name}.png")
        plt.close(ax.figure)
        things = ",\n".join(json.dumps(thing, ensure_ascii=False) for thing in listed(ax))
        pages.append(f'"{name}": [\n{things}\n]')
    PAGE.write_text("{\n" + ",\n".join(pages) + "\n}\n", encoding="utf-8")
