"""The drawings of whole models: boxes and arrows join what the equations join."""

import re
from collections import Counter
from itertools import pairwise

import cells
import numpy as np
import pytest
import sections
import torch
from artists import box_of, flat, links, looks, outside, overlapping, written

from d2lattn import MultiHeadAttention
from d2lattn_book.pictures import drawings, plots
from d2lattn_book.pictures.drawings import _one_layer

# One block, x = x + part(norm(x)) ---------------------------------------------------------------


def test_each_part_leaves_the_stream_is_normed_and_comes_back_with_a_plus():
    ax = drawings.transformer_block()
    drawn = Counter({("words", "embedding + position"): 1, ("embedding + position", "norm"): 1})
    for part in ("attention", "MLP"):
        drawn.update([("stream", "norm"), ("norm", part), (part, "+")])
    drawn.update([("norm", "matrix"), ("matrix", "a logit for each word")])
    assert links(ax) == drawn


# Two stacks, the machine of 2017 ----------------------------------------------------------------

READS, WRITES = "attention: all words", "attention: itself and before"


def test_the_encoder_is_asked_between_the_decoders_own_attention_and_its_mlp():
    ax = drawings.encoder_decoder()
    parts = {READS: 1, WRITES: 1, "cross-attention": 1, "MLP": 2}
    found = links(ax)
    assert {name: found[name, "+, norm"] for name in parts} == parts
    asked = parts | {"cross-attention": 3}  # by a query, and keys and values arrive
    assert {name: found["stream", name] for name in parts} == asked
    assert found["words to read", "embedding + position"] == 1
    assert found["words written so far", "embedding + position"] == 1
    assert found["stream", "a vector for each word"] == found["stream", "matrix"] == 1
    assert found["matrix", "a logit for each word"] == 1


# Two layers, the copy before ----------------------------------------------------------------------


@pytest.mark.parametrize(("words", "found"), [("CABDA", 2), ("ABCA", 1), ("BCXYC", 2)])
def test_layer_1_hands_on_who_stands_before_and_layer_2_finds_the_word_after_the_copy(words, found):
    ax = drawings.induction(list(words))
    asks, says = f"who has {words[-1]} before it?", f"says {words[found]}"
    assert plots.describe(ax) == f"{asks}, {words[found]} has, {says}."
    names = [f"I am {me}, before me: {before}" for before, me in pairwise(words)]
    told, finds = zip(words, names, strict=False), names[found - 1]
    assert finds.endswith(f"before me: {words[-1]}")
    own = [(words[-1], names[-1]), (names[-1], asks)]  # how the last word comes to ask
    assert links(ax) == Counter([*told, *own, (asks, finds), (finds, says)])
    thick = [name for name, (_, _, width) in looks(ax).items() if width > 2]
    assert thick == [finds]


# The map of the book ------------------------------------------------------------------------------

CHAPTERS = range(1, 13)


def numbers(ax):
    """The text of each little label, and where it stands."""
    return {t.get_position(): t.get_text() for t in written(ax) if t.get_bbox_patch()}


def test_every_chapter_has_a_part():
    labelled = "·".join(numbers(drawings.model_map()).values()).split("·")
    assert sorted({int(number) for number in labelled}) == list(CHAPTERS)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_parts_of_a_chapter_stand_out_and_are_named(chapter):
    ax = drawings.model_map(chapter)
    white = [text for text in written(ax) if text.get_color() == "white"]
    dark = [box for box in ax.patches if box.get_fill() and sum(box.get_facecolor()[:3]) < 1]
    assert [box_of(ax, text) for text in white] == dark and dark
    corners = [(box.get_x(), box.get_y() + box.get_height()) for box in dark]
    named = "; ".join(flat(text.get_text()) for text in white)
    labels = [at for at, text in numbers(ax).items() if str(chapter) in text.split("·")]
    np.testing.assert_allclose(sorted(corners), sorted(labels))
    assert plots.describe(ax).rstrip(".") == f"chapter {chapter}: {named}"


# Two memories -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("table", "vectors"), [(64, 1), (16, 0.5)])
def test_the_title_has_the_sum_of_what_travels(table, vectors):
    ax = drawings.two_memories(table, vectors)
    told = [t for t in written(ax) if t.get_text().replace(".", "").isdigit()]
    sums = [0, 0]
    for number in told:
        sums[number.get_position()[0] > 10] += float(number.get_text())
    assert sums == [4 * table + 6 * vectors, 4 * vectors]
    first, second = (f"{size:g} MiB travel" for size in sums)
    assert plots.describe(ax) == f"the formula: {first}, one fused kernel: {second}."


@pytest.mark.parametrize(("table", "vectors"), [(9999, 999), (0.98765, 88.888), (1234.5, 0.0123)])
def test_no_size_that_travels_lies_on_another(table, vectors):
    ax = drawings.two_memories(table, vectors)
    assert overlapping(ax) == outside(ax) == []


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(table=1e4), "table must be a finite number from 0.01 to 9999, got 10000.0"),
        (dict(vectors=1000), "vectors must be a finite number from 0.01 to 999, got 1000"),
    ],
)
def test_two_memories_refuses(change, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        drawings.two_memories(**(dict(table=64, vectors=1) | change))


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
