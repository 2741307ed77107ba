"""What chapter 12 says of pages that readers share, with the page's own classes."""

import cells
import nbformat
import pytest
import torch

from d2lattn import Cache, Decoder

(TWELVE,) = (nbformat.read(path, as_version=4).cells for path in cells.chapters(["12"]))


@pytest.fixture(scope="module")
def page():
    """The names that the cells on pages define."""
    names = {"torch": torch, "copy": __import__("copy"), "Cache": Cache}
    for start in (
        "class Pool:",
        "class PagedCache(",
        "class Request:",
        "def fork(",
        "def copy_on_write(",
    ):
        (source,) = [cell.source for cell in TWELVE if cell.source.startswith(start)]
        exec(source, names)
    return names


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return Decoder(50, 32, num_layers=2, num_heads=4, init_std=0.3).requires_grad_(False)


@pytest.mark.parametrize("read", [8, 9, 12, 14])  # words before the second reader comes
@pytest.mark.parametrize("keep", [0, 3, 4, 6, 8])  # words that the second reader does not take back
def test_who_takes_words_back_and_writes_on_leaves_other_readers_alone(page, model, read, keep):
    """Two readers of one beginning; what the second writes runs over the end of a page."""
    pool, words, more = page["Pool"](model, 20), torch.arange(read)[None], torch.arange(20, 29)
    first, alone, fresh = page["PagedCache"](model, pool), Cache(model), Cache(model)
    model(words, cache=first), model(words, cache=alone)
    second = page["fork"](first)
    second.crop(keep)
    if keep:
        model(words[:, :keep], cache=fresh)
    for new in more[None].split([5, 4], 1):
        page["copy_on_write"](second)
        found, expected = model(new, cache=second), model(new, cache=fresh)
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)
    page["copy_on_write"](first)
    new = torch.tensor([[30, 31, 32]])
    assert torch.equal(model(new, cache=first), model(new, cache=alone))
    tables = first.table + second.table
    assert pool.ref_count == [tables.count(page) for page in range(20)]


def test_a_full_pool_says_so_and_pages_have_the_dtype_of_the_model(page):
    half = Decoder(50, 32, num_layers=2, num_heads=4).bfloat16().requires_grad_(False)
    pool = page["Pool"](half, 2)
    first, second = (page["PagedCache"](half, pool) for _ in range(2))
    assert half(torch.arange(8)[None], cache=first).dtype == pool.keys.dtype == torch.bfloat16
    with pytest.raises(ValueError, match="the pool is full: all of its 2 pages are in use"):
        half(torch.tensor([[8]]), cache=second)
