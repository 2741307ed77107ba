"""The drawing of the Transformer: its parts in their order, and one more with an MLP."""

import matplotlib as mpl
import pytest
from matplotlib.colors import to_hex

from d2lattn.pictures import drawings, plots
from d2lattn.pictures.colours import ROLES

mpl.use("Agg")


def written(ax):
    return [text.get_text() for text in ax.texts if text.get_text()]


@pytest.mark.parametrize(("mlp", "pluses"), [(True, 2), (False, 1)])
def test_each_part_is_normed_and_added_to_the_stream(mlp, pluses):
    ax = drawings.transformer_block(mlp=mlp)
    said = written(ax)
    assert said.count("+") == pluses
    assert said.count("norm") == pluses + 1
    assert ("MLP" in said) == mlp
    heights = {text.get_text(): text.get_position()[1] for text in ax.texts}
    order = ["words", "embedding + position", "attention", *["MLP"] * mlp, "a logit for each word"]
    assert [heights[name] for name in order] == sorted(heights[name] for name in order)
    assert plots.describe(ax).endswith("texts, from 'words'")


def test_bad_input_is_refused_by_name():
    with pytest.raises(ValueError, match=r"^mlp must be True or False, got 1$"):
        drawings.transformer_block(mlp=1)


def test_only_attention_and_what_comes_out_have_the_colour_of_a_role():
    ax = drawings.transformer_block()
    faces = [to_hex(box.get_facecolor()) for box in ax.patches if hasattr(box, "get_boxstyle")]
    assert sorted(face for face in faces if face in ROLES.values()) == sorted(
        [ROLES["weight"], ROLES["output"]]
    )
    said = " ".join(written(ax))
    assert all(name in said for name in ("residual", "feed-forward", "LayerNorm"))
