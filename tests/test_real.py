"""The helper of the experiments with the real model: its text, its passages, its losses."""

import pytest
import real
import torch

from d2lattn_book.real import trace
from d2lattn_book.real.edits import Edit


def test_the_text_is_the_frozen_one(tmp_path, monkeypatch):
    assert len(real.prose()) == real.PIECES
    changed = tmp_path / "prose.txt"
    changed.write_bytes(real.PROSE.read_bytes() + b".")
    monkeypatch.setattr(real, "PROSE", changed)
    with pytest.raises(ValueError, match=r"prose.txt must be as it was frozen"):
        real.prose.__wrapped__()


def test_passages_are_of_the_text_and_hang_on_the_seed():
    drawn, text = real.passages(3, 5, 40), real.prose().unfold(0, 40, 1)
    assert drawn.shape == (5, 40)
    assert all((text == passage).all(1).any() for passage in drawn)
    assert torch.equal(drawn, real.passages(3, 5, 40))
    assert not torch.equal(drawn, real.passages(4, 5, 40))
    assert not torch.equal(real.noise(0, 2, 9), real.noise(1, 2, 9))


def test_a_second_text_is_asked_for_by_its_name():
    (passage,) = real.passages(3, 1, 40, "manual")
    text = real.manual().unfold(0, 40, 1)
    assert (text == passage).all(1).any()
    assert not (real.prose().unfold(0, 40, 1) == passage).all(1).any()


def test_losses_are_what_the_model_thinks_of_the_next_piece():
    tokens = real.passages(0, 2, 12)
    with torch.no_grad():
        told = real.model()(tokens).log_softmax(-1)
    expected = [-told[1, i, tokens[1, i + 1]] for i in range(11)]
    torch.testing.assert_close(real.losses(tokens)[1], torch.stack(expected), rtol=1e-4, atol=1e-4)
    assert real.nats(tokens, start=5) == pytest.approx(real.losses(tokens)[:, 4:].mean().item())
    assert real.nats(tokens, Edit("from_mlp", lambda x, layer: 0 * x, [0])) > real.nats(tokens) + 1


def test_a_word_is_one_piece():
    assert real.encode("an apple")[0, -1] == real.piece("apple")
    with pytest.raises(ValueError, match="word must be one piece, got 'appleorchard'"):
        real.piece("appleorchard")


def test_a_stream_is_read_on_from_any_layer():
    tokens = real.passages(1, 2, 9)
    stream = trace(real.model(), tokens, keep=["stream"]).stream
    for layer in (0, 17, 30):
        last = real.onwards(stream[layer], layer)
        torch.testing.assert_close(last, stream[30], rtol=1e-3, atol=1e-3)
    told = real.losses_of(last, tokens, 4)
    torch.testing.assert_close(told, real.losses(tokens)[:, 3:], rtol=1e-3, atol=1e-3)
