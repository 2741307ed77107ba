"""The encoder–decoders compute their formulas, do not see padding, and the stored one spells.

The slow models here go one word, one letter and one number at a time, in float64.
"""

import math

import numpy as np
import pytest
import repeat
import torch
from torch import nn

from d2lattn_book.language.encoder_decoder import (
    BEGIN,
    END,
    GRU_CONTEXTS,
    TRAINED,
    TRANSFORMER_CONTEXTS,
    GRUEncoderDecoder,
    TransformerEncoderDecoder,
    additive_scores,
    letters_of,
    sounds_of,
    spoken,
    train,
    trained,
)
from d2lattn_book.language.spelling import SOUNDS, pronunciations, split

SMALL = dict(embed_dim=6, state_dim=10, attention_dim=7)
MODELS = [
    *((GRUEncoderDecoder, context) for context in GRU_CONTEXTS),
    *((TransformerEncoderDecoder, context) for context in TRANSFORMER_CONTEXTS),
]
every_model = pytest.mark.parametrize(
    ("make", "context"), MODELS, ids=[f"{m.__name__[:3]} {c}" for m, c in MODELS]
)
WORDS = ["cat", "thoroughfares", "knight"]


@pytest.fixture
def sounds():
    """Any sounds, (3, 5), the first of which is the beginning."""
    drawn = torch.randint(3, 42, (3, 5), generator=torch.Generator().manual_seed(1))
    drawn[:, 0] = BEGIN
    return drawn


# Against the formulas -----------------------------------------------------------------------------


def test_additive_scores_are_bahdanaus():
    generator = torch.Generator().manual_seed(0)
    q, k, w = (
        torch.randn(*shape, generator=generator, dtype=torch.float64)
        for shape in ((2, 3, 5, 11), (2, 3, 7, 11), (11,))
    )
    scores = additive_scores(q, k, w)
    assert scores.shape == (2, 3, 5, 7)
    for b, h, i, j in np.ndindex(2, 3, 5, 7):
        one = sum(w[a] * math.tanh(q[b, h, i, a] + k[b, h, j, a]) for a in range(11))
        assert scores[b, h, i, j].item() == pytest.approx(float(one))


def gru_step(x, state, W_x, W_h, b_x, b_h):
    """A gated recurrent unit as torch defines it (Cho et al. 2014, with the reset after W h)."""
    r_x, z_x, n_x = (W_x @ x + b_x).chunk(3)
    r_h, z_h, n_h = (W_h @ state + b_h).chunk(3)
    z = torch.sigmoid(z_x + z_h)
    return (1 - z) * torch.tanh(n_x + torch.sigmoid(r_x + r_h) * n_h) + z * state


def weights_of(cell, suffix=""):
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    return [getattr(cell, name + suffix) for name in names]


def slow_gru(model, word, said):
    """(logits (L, V), weights (L, S)) of one word, without a batch and without padding."""
    x = [model.letters.weight[ord(letter) - 96] for letter in word]
    states = {"_l0": [], "_l0_reverse": []}
    for suffix, order in (("_l0", x), ("_l0_reverse", x[::-1])):
        state = torch.zeros(model.reader.hidden_size).double()
        for letter in order:
            state = gru_step(letter, state, *weights_of(model.reader, suffix))
            states[suffix].append(state)
    there, back = states["_l0"], states["_l0_reverse"]
    h = torch.stack([torch.cat(pair) for pair in zip(there, back[::-1], strict=True)])
    last = torch.cat([there[-1], back[-1]])
    state, logits, weights = torch.tanh(model.start(last)), [], []
    width = h.shape[1]

    def place(p):
        angles = [p / 10000 ** (i / width) for i in range(0, width, 2)]
        return torch.tensor([f(angle) for angle in angles for f in (math.sin, math.cos)]).double()

    for t, sound in enumerate(said):
        by_place = model.context in ("places", "clock")
        k = model.k_proj(torch.stack([place(j) for j in range(len(word))]) if by_place else h)
        q = model.q_proj(place(t) if model.context == "clock" else state)
        if model.context == "dot":
            e = torch.stack([q @ key / math.sqrt(len(q)) for key in k])
        else:
            e = torch.stack([model.score.weight[0] @ torch.tanh(q + key) for key in k])
        a = torch.full((len(word),), 1 / len(word), dtype=torch.float64)
        a = a if model.context == "mean" else e.exp() / e.exp().sum()
        c = last if model.context == "last" else sum(a[j] * h[j] for j in range(len(word)))
        x = torch.cat([model.sounds.weight[sound], c])
        state = gru_step(x, state, *weights_of(model.writer))
        logits.append(model.to_logits(torch.cat([state, c])))
        weights.append(a)
    return torch.stack(logits), torch.stack(weights)


@pytest.mark.parametrize("context", GRU_CONTEXTS)
@torch.no_grad()
def test_the_grus_are_their_equations(context, sounds):
    model = GRUEncoderDecoder(context, **SMALL).double()
    logits, weights = model.decode(model.encode(letters_of(WORDS)), sounds)
    for b, word in enumerate(WORDS):
        one, expected = slow_gru(model, word, sounds[b])
        assert logits[b].numpy() == pytest.approx(one.numpy(), abs=1e-8)
        if context == "last":
            assert weights is None
        else:
            assert weights[b, :, : len(word)].numpy() == pytest.approx(expected.numpy(), abs=1e-6)
            assert (weights[b, :, len(word) :] == 0).all()


@torch.no_grad()
def test_the_transformers_cross_attention_is_one_head(sounds):
    """By hand from what comes in: softmax(q kᵀ / √E) v, through the output's matrix."""
    model = TransformerEncoderDecoder().double()
    memory = model.encode(letters_of(WORDS))
    logits, weights = model.decode(memory, sounds)
    x = model.before(model.position(model.sounds(sounds)), is_causal=True)
    cross = model.cross
    for b, word in enumerate(WORDS):
        h = memory.vectors[b, : len(word)]
        scores = cross.q_proj(model.cross_norm(x[b])) @ cross.k_proj(h).T / math.sqrt(72)
        a = scores.softmax(dim=1)
        assert weights[b, :, : len(word)].numpy() == pytest.approx(a.numpy())
        y = model.after((x[b] + cross.out_proj(a @ cross.v_proj(h)))[None], is_causal=True)
        assert logits[b].numpy() == pytest.approx(model.to_logits(model.norm(y))[0].numpy())


# What a model sees, and what it does not ----------------------------------------------------------


@every_model
@torch.no_grad()
def test_padding_changes_nothing(make, context, sounds):
    model = make(context).double().eval()
    together, apart = model(letters_of(WORDS), sounds), []
    for b, word in enumerate(WORDS):
        apart.append(model(letters_of([word])[:, : len(word)], sounds[b : b + 1]))
    torch.testing.assert_close(together, torch.cat(apart))
    _, weights = model.decode(model.encode(letters_of(WORDS)), sounds)
    if weights is not None:
        assert (weights[0, :, 3:] == 0).all() and (weights[0, :, :3] > 0).all()
        torch.testing.assert_close(weights.sum(-1), torch.ones(3, 5).double())


@every_model
@torch.no_grad()
def test_keys_of_places_know_no_letter(make, context):
    model = make(context)
    keys = [model.encode(letters_of([word])).keys[0, :5] for word in ("horse", "bread")]
    assert torch.equal(*keys) == (context in ("places", "clock"))


@every_model
def test_the_weights_are_as_many_and_as_idle_as_it_says(make, context, sounds):
    model = make(context)
    model(letters_of(WORDS), sounds).sum().backward()
    total = sum(p.numel() for p in model.parameters())
    idle = sum(p.numel() for p in model.parameters() if p.grad is None)
    recurrent = make is GRUEncoderDecoder
    assert total == (221_738 if recurrent else 221_925)
    assert idle == {
        "last": 16_448,
        "mean": 16_448 if recurrent else 2 * 72 * 72 + 2 * 72,  # queries, keys and their norm
        "dot": 64 if recurrent else 0,
    }.get(context, 0)
    for number in (total, idle):
        assert not number or f"{number:,}" in make.__doc__


# Saying a word ------------------------------------------------------------------------------------


@every_model
@torch.no_grad()
def test_writing_is_the_slow_loop(make, context):
    """One word at a time, the likeliest sound each time, until the end."""
    model = make(context, seed=3)
    with torch.no_grad():  # untrained models say one sound for ever
        for parameter in model.parameters():
            parameter += 0.2 * torch.randn(
                parameter.shape, generator=torch.Generator().manual_seed(parameter.numel())
            )
    said, _ = model.write(letters_of(WORDS))
    for word, row in zip(WORDS, spoken(said), strict=True):
        slow = [BEGIN]
        while len(slow) < 16 and slow[-1] != END:
            slow.append(int(model(letters_of([word]), torch.tensor([slow]))[0, -1].argmax()))
        slow = tuple(SOUNDS[i - 3] if i > END else "?" for i in slow[1:] if i != END)
        assert row == slow
        sounds, map_ = model.read(word)
        assert tuple(sounds) == slow
        assert (map_ is None) == (context == "last")
        if map_ is not None:
            assert map_.shape == (len(slow), len(word))
            torch.testing.assert_close(map_.sum(dim=1), torch.ones(len(slow)))


def test_any_pronunciation_of_the_dictionary_is_right():
    class Parrot(GRUEncoderDecoder):
        def write(self, letters):
            said = torch.tensor([[5, 6, END, 9], [5, 6, 7, END], [5, 6, END, END], [5, 0, END, 9]])
            return said, None

    a, b, c = SOUNDS[2:5]
    ways = {"aa": [(a, b)], "bb": [(a, b)], "cc": [(c,), (a, b)], "dd": [(a,)]}
    assert Parrot().right(list(ways), ways).tolist() == [True, False, True, False]


def test_words_and_sounds_have_their_numbers():
    assert letters_of(["az"])[0].tolist() == [1, 26] + [0] * 12
    assert sounds_of([("AA", "ZH")])[0].tolist() == [1, 3, 41, 2] + [0] * 12
    for word in ("", "Cat", "naïve", "antidisestablish", 7):
        with pytest.raises(ValueError, match="a word must be 1 to 14 letters a to z, got"):
            letters_of(["cat", word])


# Learning -----------------------------------------------------------------------------------------

FEW = {"cat": [("K", "AE", "T")], "knight": [("N", "AY", "T")], "tough": [("T", "AH", "F")]}


def test_it_learns_three_words_by_heart():
    model = GRUEncoderDecoder("additive", seed=5)
    losses = train(model, list(FEW), FEW, steps=60, batch_size=4, seed=5)
    assert not model.training and model.right(list(FEW), FEW).all()
    assert losses[-1] < 0.1 * losses[0]


def test_the_loss_asks_every_sound_and_the_end_and_no_padding():
    model = TransformerEncoderDecoder()
    (loss,) = train(model, ["cat"], FEW, steps=1, batch_size=2, learning_rate=0.0)
    with torch.no_grad():
        logits = model(letters_of(["cat"]), sounds_of(FEW["cat"])[:, :4])[0]
    targets = sounds_of(FEW["cat"])[0, 1:5]
    assert targets[-1] == END
    assert loss == pytest.approx(nn.functional.cross_entropy(logits, targets).item(), rel=1e-5)


# The stored one -----------------------------------------------------------------------------------


def test_the_stored_speller_says_what_is_stored_of_it():
    """Every fifth word held out, right or wrong as on the machine that made it, but for ties."""
    with np.load(TRAINED) as stored:
        right, made_by = torch.tensor(stored["right"]), str(stored["made_by"])
    ways = pronunciations()
    words = split(ways)[1]
    assert len(right) == len(words) and "6000 steps, seed 0" in made_by
    now = trained().right(words[::5], ways)
    assert (now != right[::5]).sum() <= 3
    assert TRAINED.stat().st_size < 1e6


def test_the_stored_speller_is_a_run_of_the_experiment():
    measured = repeat.stored("alignment")["rows"]["gru_additive-6000"]["words right"]
    with np.load(TRAINED) as stored:
        assert stored["right"].mean() == pytest.approx(measured[0], abs=0.01)


def test_its_map_goes_along_the_word():
    sounds, weights = trained().read("knight")
    assert sounds == ["N", "AY", "T"]
    assert weights.argmax(dim=1).tolist() == sorted(weights.argmax(dim=1).tolist())
