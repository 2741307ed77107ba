"""The drawings of a layer and of its memory: sizes, shapes and sections are right."""

import re

import cells
import pytest
import sections
import torch
from artists import written

from d2lattn import MultiHeadAttention
from d2lattn_book.pictures import drawings, plots
from d2lattn_book.pictures.drawings import _one_layer

# Two memories -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("table", "vectors"), [(64, 1), (16, 0.5)])
def test_the_title_has_the_sum_of_what_travels(table, vectors):
    ax = drawings.two_memories(table, vectors)
    told = [t for t in written(ax) if t.get_text().replace(".", "").isdigit()]
    sums = [0, 0]
    for number in told:
        sums[number.get_position()[1] < 0] += float(number.get_text())
    assert sums == [4 * table + 6 * vectors, 4 * vectors]
    first, second = (f"{size:g} MiB travel" for size in sums)
    assert plots.describe(ax) == f"naive attention: {first}, one fused kernel: {second}."


# One layer ----------------------------------------------------------------------------------------


def columns_of(ax):
    """{height: (shape, sections)} of what stands on the right of the drawing."""
    rows = {}
    for told in written(ax):
        x, y = told.get_position()
        if told.get_text() not in ("shape", "section") and x >= _one_layer.SHAPE:
            rows.setdefault(y, {})[x] = told.get_text()
    return {y: tuple(row[x] for x in sorted(row)) for y, row in sorted(rows.items(), reverse=True)}


def test_the_shapes_of_a_layer_are_those_that_the_module_makes():
    """As the drawing lists them from above, at sizes that all differ."""
    B, L, E, H = 2, 5, 12, 3
    layer = MultiHeadAttention(E, H)
    x = torch.randn(B, L, E)
    query, key, value = layer.project(x, x, x)
    heads, weights = layer.attend(query, key, value, need_weights=True)
    joined = heads.transpose(1, 2).flatten(2)
    made = [
        x,
        x @ layer.q_proj.weight.T,
        query,
        *4 * [weights],
        heads,
        joined,
        layer.join(heads),
        x,
    ]
    sizes = dict(B=B, L=L, E=E, H=H, D=E // H)
    drawn = [shape for shape, _ in columns_of(drawings.one_layer()).values()]
    assert len(drawn) == len(made)
    for shape, tensor in zip(drawn, made, strict=True):
        names = re.search(r"\((.*)\)", shape)[1].split(", ")
        assert tuple(sizes[name] for name in names) == tensor.shape, shape


def test_what_a_layer_names_is_a_section_of_the_core():
    numbers = [n for _, told in columns_of(drawings.one_layer()).values() for n in told.split(", ")]
    found = [heading for path in cells.book() for heading in sections.headings(path.name)]
    first = {heading.number: heading.text for heading in reversed(found)}
    assert numbers and not [n for n in numbers if "⊕" in first.get(n, "⊕ there is none")]
