"""What chapter 2 says of what it has trained, within bounds that hold on every processor."""

import json

import cells
import pages
import pytest
import torch

from d2lattn import Decoder, attention_scores, causal_mask, masked_softmax
from d2lattn_book.language import next_word
from d2lattn_book.real.edits import Edit, edited

HUNGRY = ["the", "dog", "found", "the", "milk", "what", "a", "hungry"]


@pytest.fixture(scope="module")
def learner():
    """The lookup of section 2.5, learned."""
    page = pages.functions("lookup")
    layer = page.new_layer("all")
    page.descend(layer)
    return layer


def test_each_matrix_of_the_lookup_reads_its_own_columns(learner):
    for role, block in dict(q=slice(6, 12), k=slice(0, 6), v=slice(12, 16)).items():
        squares = getattr(learner, f"{role}_proj").weight ** 2
        assert squares[:, block].sum() > 0.9 * squares.sum(), f"W_{role}"


def test_a_token_that_seeks_a_name_has_the_query_that_fits_its_key(learner):
    seeks, name = learner.q_proj.weight[:, 6:12], learner.k_proj.weight[:, 0:6]  # (6, 6) each
    assert torch.cosine_similarity(seeks, name, dim=0).min() > 0.98
    assert (seeks.T @ name).argmax(dim=1).tolist() == [0, 1, 2, 3, 4, 5]


def test_the_query_turns_from_the_side_of_one_noun_to_that_of_the_other():
    model = next_word.train(steps=200).model
    looks = []
    for adjective in ("hungry", "tasty"):
        x = model.position(model.embedding(model.encode([[*HUNGRY[:-1], adjective]])))[0]
        looks.append((model.head.q_proj(x)[-1], model.head.k_proj(x)[[1, 4]]))  # dog, milk
    (hungry, keys), (tasty, _) = looks
    assert 0 < torch.cosine_similarity(hungry, tasty, dim=0) < 0.4  # nearly a right angle
    dog, milk = keys @ hungry
    assert dog > 0 > milk
    dog, milk = keys @ tasty
    assert milk > 0 > dog


def test_a_lead_is_the_sum_of_what_words_and_places_give():
    model = next_word.train(0, steps=20).model
    x = model.position(model.embedding(model.encode([HUNGRY])))[0]
    scores = attention_scores(model.head.q_proj(x), model.head.k_proj(x))[-1]
    parts = pages.functions("word_or_place").lead(model, HUNGRY, "dog", "milk")
    assert sum(parts) == pytest.approx((scores[1] - scores[4]).item(), abs=1e-4)
    assert min(map(abs, parts)) > 1e-3


def test_edits_that_make_scores_symmetric_change_scores_alone_that_are_not():
    """Section 2.6's, on a layer whose queries are its keys, and on one whose are not."""
    (path,) = cells.chapters(["02"])
    page = json.loads(path.read_text(encoding="utf-8"))["cells"]
    (source,) = (c["source"] for c in page if c["id"] == "c02-mutual")
    names = dict(causal_mask=causal_mask, masked_softmax=masked_softmax, Edit=Edit)
    exec("".join(source), names)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = Decoder(7, 576, num_layers=1, num_heads=9).eval()
    tokens = torch.tensor([[3, 1, 4, 1, 5, 2]])
    attention = model.blocks[0].attention

    @torch.no_grad()
    def changed():
        with edited(model, *names["symmetrized"]()):
            symmetric = model(tokens)
        return (symmetric - model(tokens)).abs().max()

    assert changed() > 1e-2
    attention.k_proj.load_state_dict(attention.q_proj.state_dict())
    assert changed() < 1e-4
