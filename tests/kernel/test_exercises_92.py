"""The exercises of appendix 92 say what is wrong with a kernel."""

import pytest

from d2lattn_book.exercises import small_kernel, verdict
from d2lattn_book.kernels import kernel, variant

MISTAKES = {"92.1": small_kernel.RAGGED, "92.2": small_kernel.FORGOTTEN}


@pytest.mark.parametrize("number", MISTAKES)
def test_a_right_kernel_is_right(number):
    assert verdict(number, small_kernel.my_kernel).message == f"{number}: correct"
    assert verdict(number, None).correct is None


@pytest.mark.parametrize(
    ("number", "message"), [(n, message) for n, found in MISTAKES.items() for message in found]
)
def test_a_mistake_is_named(number, message):
    wrong = variant(small_kernel.my_kernel, MISTAKES[number][message])
    assert verdict(number, wrong).message == f"{number}: not yet: {message}"


def test_other_answers():
    def plain(query): ...

    said = verdict("92.1", plain).message
    assert said == "92.1: not yet: a kernel is expected, with @triton.jit above it, got function"
    flat = variant(small_kernel.my_kernel, {"* scale  # (ROWS": "* scale * 0.5  # (ROWS"})
    assert "your output is wrong" in verdict("92.2", flat).message


def test_a_variant_must_stand_in_the_text():
    with pytest.raises(ValueError, match="edits must be of what stands in forward_kernel"):
        variant(kernel.forward_kernel, {"no such line": ""})
