"""All maps of a model in one figure: bytes, scores, names of pieces, what is refused, the page."""

import math
import re
import subprocess
import sys

import pytest
import torch
from draws import generator
from live_kinds import model_maps, without_map
from live_kinds import sent_maps as sent
from test_live import in_node, needs_node, parts, play
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from d2lattn import Decoder, Encoder, LatentAttention
from d2lattn_book import pictures
from d2lattn_book.pictures import live, maps, packed
from d2lattn_book.pictures import model_maps as made
from d2lattn_book.pictures.model_maps.pieces import ids_of, names_of
from d2lattn_book.pictures.page import SITE
from d2lattn_book.real import trace

WORDS = ["the", "cat", "saw", "a", "dog", "."]


def decoder(**options):
    """A decoder of few words whose heads look at different things."""
    sizes = dict(num_layers=3, num_heads=4, seed=1) | options
    model = Decoder(len(WORDS), 16, **sizes).eval()
    with torch.no_grad():
        for block in model.blocks:
            block.attention.q_proj.weight *= 5
    return model


def numbers(text):
    return [WORDS.index(word) for word in text.split()]


TEXT = "the cat saw a dog . the cat saw the dog ."

# What travels ------------------------------------------------------------------------------------


def test_weights_are_those_of_the_trace_to_one_part_in_255_and_rows_add_up():
    model = decoder()
    weights = trace(model, torch.tensor([numbers(TEXT)])).weights[:, 0].double()
    whole = sent(maps(model, TEXT, WORDS))
    assert whole.shape == weights.shape == (3, 4, 12, 12)
    assert ((whole / 255 - weights).abs() < 1 / 255).all()
    assert (whole.sum(-1) == 255).all()
    assert (whole[..., torch.ones(12, 12).triu(1).bool()] == 0).all()  # nobody looks ahead
    assert weights.std() > 0.05  # the maps are not all alike


@needs_node
def test_rows_add_up_to_one_again_in_the_page():
    figure = maps(decoder(), TEXT, WORDS)
    (got,) = in_node("heads/state", "unpack", [[parts(figure)[2]["weights"]]])
    got = torch.tensor(got, dtype=torch.float64).view(-1, 12)
    assert (got.sum(-1) - 1).abs().max() < 1e-12
    assert torch.equal((255 * got).round(), sent(figure).view(-1, 12))


@pytest.mark.parametrize("length", [1, 3, 255])
def test_quantized_weights_are_less_than_one_off(length):
    drawn = torch.rand(50, length, generator=generator(length), dtype=torch.float64)
    drawn = drawn ** torch.arange(1, 51)[:, None]  # from even to a single large weight
    drawn[7, : length // 2] = 0
    weights = drawn / drawn.sum(-1, keepdim=True).clamp(min=1e-300)
    weights[3] = 0
    whole = packed.quantized(weights)
    assert whole.dtype == torch.int64
    assert ((whole - 255 * weights).abs() < 1 + 1e-9).all()
    sums = [255 * (row.sum().item() > 0) for row in weights]
    assert whole.sum(-1).tolist() == sums
    assert (whole[weights == 0] == 0).all()


@pytest.mark.parametrize("sum_", [0.991, 1.0, 1.009])
def test_weights_that_nearly_add_up_are_made_to(sum_):
    """Those of half precision, and whatever `check_weights` lets in."""
    weights = torch.rand(40, 3, generator=generator(2)).softmax(-1).to(torch.bfloat16).double()
    whole = packed.quantized(sum_ * weights)
    assert (whole.sum(-1) == 255).all()
    assert ((whole - 255 * weights / weights.sum(-1, keepdim=True)).abs() < 1).all()


def test_layers_and_heads_are_those_that_are_wanted():
    model = decoder()
    whole = sent(maps(model, TEXT, WORDS))
    some = maps(model, TEXT, WORDS, layers=[2, 0], heads=range(1, 3))
    assert torch.equal(sent(some), whole[[2, 0], 1:3])
    data = parts(some)[2]
    assert (data["layers"], data["heads"]) == ([2, 0], [1, 2])
    shown = "2 of 3 layers and 2 of 4 heads are shown"
    assert repr(some) == (
        f"live maps: 2 layers of 2 heads over 12 tokens, each weight within 4e-03; {shown}"
    )
    assert some.html.endswith(f"</script><p>{shown}.</p>")  # beside the figure that moves
    assert shown not in maps(model, TEXT, WORDS).html


def test_an_encoder_and_a_latent_decoder_have_maps():
    encoder = Encoder(len(WORDS), 16, num_layers=1, num_heads=2).eval()
    weights = trace(encoder, torch.tensor([numbers(TEXT)])).weights[:, 0]
    assert weights[..., 0, -1].min() > 0  # it looks ahead
    assert ((sent(maps(encoder, TEXT, WORDS)) / 255 - weights).abs() < 1 / 255).all()
    latent = Decoder(
        len(WORDS), 16, num_layers=2, num_heads=2, attention=LatentAttention, latent_dim=4
    ).eval()
    weights = trace(latent, torch.tensor([numbers(TEXT)])).weights[:, 0]
    assert ((sent(maps(latent, TEXT, WORDS)) / 255 - weights).abs() < 1 / 255).all()


def mixed(**options):
    """A decoder whose layer 1 has no map."""
    model = decoder(**options)
    without_map(model)
    return model


def test_layers_without_maps_are_left_out_and_named():
    figure = maps(mixed(), TEXT, WORDS)
    data = parts(figure)[2]
    assert (data["layers"], data["without"]) == ([0, 2], [1])
    assert repr(figure).startswith("live maps: 2 layers of 4 heads over 12 tokens")
    assert repr(figure).endswith("; no maps in layer 1")
    with pytest.raises(ValueError, match=r"^layers must have maps, got 1: only 0, 2 have"):
        maps(mixed(), TEXT, WORDS, layers=[0, 1])


def test_the_model_is_left_as_it_was():
    model = decoder(dropout=0.5).train()
    one, other = maps(model, TEXT, WORDS), maps(model, TEXT, WORDS)
    assert model.training and one.html == other.html  # no dropout


def test_a_figure_of_the_most_heads_and_one_that_is_too_large():
    model = Decoder(len(WORDS), 18, num_layers=30, num_heads=9).eval()
    ids = torch.arange(60) % len(WORDS)
    figure = maps(model, ids, WORDS)
    assert len(figure.html.encode()) < 1_400_000 < made.MOST_BYTES
    large = Decoder(len(WORDS), 64, num_layers=20, num_heads=32).eval()
    with pytest.raises(ValueError, match=r"would be a figure of 3\.1 MB, .* at most 3, which hold"):
        maps(large, ids, WORDS)
    assert len(maps(large, ids, WORDS, layers=range(10)).html) < made.MOST_BYTES


# Who stands out ----------------------------------------------------------------------------------


def by_loops(weights, ids, keys=None):
    """The mean weight of one head of each kind, from the definition."""
    L, found = len(ids), {}

    def add(kind, weight):
        found.setdefault(kind, []).append(weight)

    for i in range(L):
        if keys is not None:
            S = len(keys)
            if i < S:
                add("same position", weights[i][i])
            add("first token", weights[i][0])
            add("last token", weights[i][S - 1])
            copies = [j for j in range(S) if keys[j] == ids[i]]
            after = [j + 1 for j in copies if j + 1 < S]
        else:
            if i:
                add("previous token", weights[i][i - 1])
                add("first token", weights[i][0])
            if i < L - 1:
                add("next token", weights[i][i + 1])
                add("last token", weights[i][L - 1])
            copies = [j for j in range(i) if ids[j] == ids[i]]
            after = [j + 1 for j in copies if j + 1 < i]
        if copies:
            add("same token", sum(weights[i][j] for j in copies))
        if after:
            add("induction", sum(weights[i][j] for j in after))
    return {kind: sum(all) / len(all) for kind, all in found.items()}


@pytest.mark.parametrize("texts", ["past", "all", "two"])
@pytest.mark.parametrize("seed", range(6))
def test_scores_are_those_of_slow_loops(seed, texts):
    """Of a text whose pieces see the past, of one whose pieces see all, of one that asks another"""
    draw = generator(seed)
    L = 2 + seed % 9
    S = 2 + seed % 4 if texts == "two" else L
    ids = torch.randint(1 + seed % 5, (L,), generator=draw).tolist()
    keys = torch.randint(1 + seed % 5, (S,), generator=draw).tolist() if texts == "two" else None
    scores = 3 * torch.randn(3, 2, L, S, generator=draw, dtype=torch.float64)
    if texts == "past":
        scores = scores.masked_fill(torch.ones(L, L).triu(1).bool(), -math.inf)
    weights = scores.softmax(-1)
    found = made.standing_out(weights, ids, keys)
    expected = {
        (t, h): by_loops(weights[t, h].tolist(), ids, keys) for t in range(3) for h in range(2)
    }
    kinds = {kind for one in expected.values() for kind in one} | {"same token", "induction"}
    assert {*found} == kinds - ({"next token", "last token"} if texts == "past" else set())
    for kind, best in found.items():
        scores = {place: one.get(kind) for place, one in expected.items()}
        if None in scores.values():
            assert best == []
            continue
        order = sorted(scores, key=lambda place: -scores[place])[:5]
        assert [(t, h) for t, h, _ in best] == order
        for t, h, score in best:
            assert score == pytest.approx(scores[t, h], abs=0.00051)


# What the figure says ----------------------------------------------------------------------------


@needs_node
def test_layers_and_heads_are_gone_through_and_visited():
    model = decoder()
    weights = trace(model, torch.tensor([numbers(TEXT)])).weights[:, 0]
    acts = [("alter", {"step": 2}), ("alter", {"head": 3}), ("alter", {"step": 1, "head": 2}),
            ("ask", 4), ("alter", {"key": 1})]  # fmt: skip
    first, *states = play("heads", maps(model, TEXT, WORDS, layers=[2, 1, 0]), *acts)
    opened = first["state"]
    best = made.standing_out(weights.flip(0).double(), numbers(TEXT))["previous token"][0]
    assert [opened["step"], opened["head"], opened["asks"]] == [*best[:2], 11]
    expected = [(0, best[1], 11), (0, 3, 11), (1, 2, 11), (1, 2, 4)]
    for state, (layer, head, asks) in zip(states, expected, strict=False):
        row = weights[layer, head, asks]
        largest = row.argmax().item()
        now = torch.tensor(state["now"]["weights"])
        assert (now - row).abs().max() < 1 / 255
        assert state["said"] == (
            f"In layer {layer}, head {head}, the query {TEXT.split()[asks]} attends most to the "
            f"key {TEXT.split()[largest]}: attention weight {row[largest]:.2f}. "
            "Its 12 attention weights add up to 1.00."
        )
    told = "In layer 1, head 2, the query dog attends to the key cat: attention weight "
    told += f"{states[-1]['now']['weights'][1]:.2f}."
    assert states[-1]["said"].startswith(told)


@needs_node
@pytest.mark.parametrize("width", [884, 340])
@pytest.mark.parametrize("count", [8, 60])
def test_bands_end_at_the_keys_in_reading_order(count, width):
    """Each at a place of its own, line by line: a token of the second line is not one above it."""
    names = [f"w{k}" for k in range(count)]
    (bands,) = in_node("heads/sentences", "bandsOf", [[dict(tokens=names, keys=names), width, 0]])
    ends = [re.fullmatch(r".*[ H]([\d.]+),([\d.]+)", d).groups() for d in bands]
    places = [(float(y), float(x)) for x, y in ends]
    assert places == sorted({*places}) and len(places) == count


def test_without_code_the_heads_that_stand_out_remain():
    figure = maps(decoder(), "the cat saw the dog", WORDS, query="saw")
    fallback, _, data, _ = parts(figure)
    assert fallback.count("<table") == 2 and "Heads that stand out" in fallback
    t, h, score = data["standing"][0]["heads"][0]
    assert f"previous token: layer {t}, head {h}</th><td>{score:.2f}</td>" in fallback
    assert f"Attention weights of layer {t}, head {h}" in fallback
    assert data["asks"] == 2


def test_a_figure_is_saved_as_a_page_of_its_own(tmp_path):
    for figure in (model_maps(), live.steps([1.0], [2.0])):
        path = tmp_path / "page.html"
        figure.save(path)
        page = path.read_text(encoding="utf-8")
        assert page.startswith("<!doctype html>") and figure.html in page
        assert f"<title>{figure.line}</title>" in page
        named = page.replace("http://www.w3.org/2000/svg", "").replace(f'href="{SITE}"', "")
        assert "http" not in named  # but for the link beside the table
    for wrong in (3, "page.png", tmp_path):
        with pytest.raises(ValueError, match=r"^path must be the path of a page, \*\.html, got "):
            figure.save(wrong)


# Pieces ------------------------------------------------------------------------------------------


def byte_level():
    """A tokenizer whose pieces are single bytes, as GPT-2 writes them, and a word with a space."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: i for i, letter in enumerate(letters)} | {"Ġa": 256}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("Ġ", "a")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(["<|end|>"])
    return tokenizer


def test_what_cannot_be_seen_is_made_visible():
    model = Decoder(300, 8, num_layers=1, num_heads=1).eval()
    data = parts(maps(model, "b a\n\té\u00ad<|end|>", byte_level()))[2]
    pieces = ["b", "␣a", "↵", "⇥", r"\xc3", r"\xa9", r"\xc2", r"\xad", "<|end|>"]
    assert data["tokens"] == pieces


def test_pieces_of_sentencepiece_keep_their_space():
    vocabulary = [("<unk>", 0.0), ("▁the", -1.0), ("▁", -3.0), ("cat", -1.0), ("́", -2.0)]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    ids = ids_of("the thecat\u0301", tokenizer)
    assert names_of(ids, tokenizer) == ["␣the", "␣the", "cat", "◌́"]


def test_numbers_of_pieces_are_a_text_too():
    model, ids = decoder(), numbers(TEXT)
    figure = maps(model, TEXT, WORDS)
    for given in (ids, torch.tensor(ids), torch.tensor([ids]), [ids]):
        assert maps(model, given, WORDS).html == figure.html
    bare = parts(maps(model, ids))[2]
    assert bare["tokens"] == [str(i) for i in ids]
    assert bare["weights"] == parts(figure)[2]["weights"]


def test_pieces_that_the_tokenizer_does_not_have():
    """A model may know more numbers than there are pieces; what it does not know, it refuses."""
    model = Decoder(300, 8, num_layers=1, num_heads=1).eval()
    figure = maps(model, [0, 299], byte_level())
    assert parts(figure)[2]["tokens"] == ["!", "299"]
    for wrong in (-1, 300, 2**40):
        with pytest.raises(ValueError, match=r"^tokens must lie between 0 and 299"):
            maps(model, [0, wrong], byte_level())


# One spelling, and what an import costs ----------------------------------------------------------


def test_importing_it_loads_no_library_of_models_or_pictures():
    code = (
        "import sys; from d2lattn_book.pictures import maps; "
        "print({'matplotlib', 'transformers', 'tokenizers', 'gguf'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
    assert pictures.maps is maps
