"""The drawings of whole models: boxes and arrows join what the equations join."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.colors import to_hex
from seen import arrows, box_of, flat, frames, links, looks, pens, place, strings, written

from d2lattn.pictures import drawings, plots
from d2lattn.pictures.colours import ROLES

# One block, x = x + part(norm(x)) ---------------------------------------------------------------


@pytest.mark.parametrize("parts", [["attention"], ["attention", "MLP"]], ids=len)
def test_each_part_leaves_the_stream_is_normed_and_comes_back_with_a_plus(parts):
    ax = drawings.transformer_block(mlp=len(parts) == 2)
    drawn = Counter({("words", "embedding + position"): 1, ("embedding + position", "norm"): 1})
    for part in parts:
        drawn.update([("stream", "norm"), ("norm", part), (part, "+")])
    drawn.update([("norm", "matrix"), ("matrix", "a logit for each word")])
    assert links(ax) == drawn


def test_the_parts_follow_one_another_on_the_stream():
    """One leaves it above the plus of the one before, and below its own."""
    ax = drawings.transformer_block()
    x, foot = place(ax, "embedding + position")
    (way,) = [way for way in arrows(ax) if np.allclose(way[:, 0], x) and np.ptp(way[:, 1]) > 2]
    leaves = [start[1] for start, end in arrows(ax) if abs(start[0] - x) < 0.1 < end[0] - x]
    back = sorted(t.get_position() for t in written(ax) if t.get_text() == "+")
    assert [at for at, _ in back] == [x, x]
    heights = [way[0, 1], leaves[0], back[0][1], leaves[1], back[1][1], way[1, 1]]
    assert heights == sorted(heights) and foot < heights[0]


def test_the_block_is_framed_with_all_that_is_repeated():
    ax = drawings.transformer_block()
    (frame,) = [frame for frame in frames(ax) if frame.get_linestyle() == "--"]
    held = [t for t in written(ax) if frame.get_bbox().contains(*t.get_position())]
    inside = [flat(text.get_text()) for text in held]
    assert Counter(inside) >= Counter(["norm", "norm", "attention", "MLP", "+", "+"])
    assert not {"words", "embedding + position", "matrix", "a logit for each word"} & set(inside)
    assert any("repeated in each layer" in text for text in inside)
    said = " ".join(strings(ax))
    assert all(name in said for name in ("residual", "feed-forward", "LayerNorm"))


def test_only_attention_and_what_comes_out_have_the_colour_of_a_role():
    ax = drawings.transformer_block()
    roles = {name: face for name, (face, *_) in looks(ax).items() if face in ROLES.values()}
    assert roles == {"attention": ROLES["weight"], "a logit for each word": ROLES["output"]}


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
    heights = [place(ax, name)[1] for name in (WRITES, "cross-attention")]
    thinks = max(t.get_position()[1] for t in written(ax) if t.get_text() == "MLP")
    assert heights[0] < heights[1] < thinks
    assert place(ax, READS)[0] < 0 < place(ax, WRITES)[0] == place(ax, "cross-attention")[0]
    assert plots.describe(ax) == "encoder, decoder, keys, values, query."


def test_query_key_and_value_arrive_at_cross_attention_each_in_its_colour():
    ax = drawings.encoder_decoder()
    x, y = place(ax, "cross-attention")
    for role, side in (("query", 1), ("key", -1), ("value", -1)):
        ((start, end),) = arrows(ax, ROLES[role])
        assert abs(end[0] - x) < 1.5 and abs(end[1] - y) < 0.4
        assert (end[0] - x) * side > 1 and (start[0] - end[0]) * side > 0
        if side < 0:  # keys and values come from the top of the encoder
            (way,) = [line for line in ax.lines if to_hex(line.get_color()) == ROLES[role]]
            assert np.allclose(way.get_xydata()[-1], start, atol=0.1)
            top = place(ax, "a vector for each word")
            assert abs(way.get_ydata()[0] - top[1]) < 0.28


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


def test_who_asks_is_orange_and_what_comes_out_is_red():
    ax = drawings.induction(["A", "B", "C", "A"])
    edges = {name: edge for name, (_, edge, _) in looks(ax).items()}
    assert edges["who has A before it?"] == edges["A"] == ROLES["query"]
    assert edges["I am B, before me: A"] == ROLES["key"] and edges["says B"] == ROLES["output"]


# The map of the book ------------------------------------------------------------------------------

CHAPTERS = range(1, 12)


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


def test_all_parts_are_alike_without_a_chapter():
    ax = drawings.model_map()
    parts = [patch for patch in ax.patches if patch.get_fill() and patch.get_gid() != "head"]
    assert len(parts) == 12 and len({part.get_facecolor() for part in parts}) == 1
    assert plots.describe(ax) == "a number: the chapter about a part."


def test_a_head_holds_queries_and_blends_and_a_layer_holds_the_heads():
    ax = drawings.model_map()
    *_, front = heads = [patch for patch in ax.patches if patch.get_gid() == "head"]
    texts = [text for text in written(ax) if "\n" in text.get_text()]
    inside = [flat(t.get_text()) for t in texts if front.get_bbox().contains(*t.get_position())]
    assert inside == ["query, key and value", "score, share and blend"]
    (layer,) = frames(ax)
    assert all(
        layer.get_bbox().contains(*corner) for h in heads for corner in h.get_bbox().get_points()
    )


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


def test_tables_are_written_and_read_and_only_the_output_comes_down_from_one_kernel():
    ax = drawings.two_memories(64, 1)
    thick = {pen.get_linewidth() for pen in pens(ax)}
    assert len(thick) == 2
    ways = {True: [], False: []}
    for pen, (start, tip) in zip(pens(ax), arrows(ax), strict=True):
        if abs(start[1] - tip[1]) > 1:  # between the memories
            ways[bool(start[0] > 10)].append((pen.get_linewidth() == max(thick), tip[1] > start[1]))
    assert sorted(ways[False])[-4:] == [(True, False)] * 2 + [(True, True)] * 2
    assert sorted(ways[True]) == [(False, False)] + [(False, True)] * 3
