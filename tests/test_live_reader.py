"""The decoder in the page: its numbers against torch (run in node), its weights, its errors."""

import functools
import html
import json
import re

import live_code
import nbformat
import numpy as np
import pytest
import torch
from draws import generator
from test_live import in_node, needs_node, parts, play, run_node

import notebooks
from d2lattn import Decoder, fit
from d2lattn.generation import sample
from d2lattn_book.language import words
from d2lattn_book.pictures import live
from d2lattn_book.pictures.packed import pack, unpack
from d2lattn_book.real.edits import edited, heads_off

VOCABULARY = [".", *words.vocabulary()]  # 27 words
SIZES = dict(num_layers=2, num_heads=4, max_len=10)
KINDS = [  # what a decoder may be made of
    dict(),
    dict(positions="sinusoidal", base=100.0),
    dict(positions="rotary", num_kv_heads=2),
    dict(positions="alibi", bias=False),
    dict(positions=None, window=3, tied=True),
    dict(num_kv_heads=1, mlp_dim=0),
    dict(num_layers=1, num_heads=3, embed_dim=15, positions="alibi", window=2),
    dict(num_layers=3, num_heads=1, mlp_dim=5, positions="rotary", base=50.0, tied=True),
]


def decoder(seed=0, **options):
    """A decoder of all kinds whose every weight is at work."""
    options = SIZES | dict(embed_dim=16) | options
    width = options.pop("embed_dim")
    model = Decoder(len(VOCABULARY), width, seed=seed, **options).eval()
    for x in model.state_dict().values():
        x += 0.3 * torch.randn(x.shape, generator=generator(seed))
    return model


@functools.cache
def trained():
    """A decoder that has learned the book's sentences, as chapter 9 trains its own."""
    rows = [[0, *(VOCABULARY.index(word) for word in one)] for one in words.sentences()]
    rows, draw = torch.tensor(rows), torch.Generator().manual_seed(0)

    def batch(step):
        chosen = rows[torch.randint(len(rows), (32,), generator=draw)]
        return chosen[:, :-1], chosen[:, 1:]

    model = Decoder(len(VOCABULARY), 32, **SIZES)
    fit(model, batch, steps=150)
    return model.eval(), rows


def figure(model=None, **options):
    model = decoder() if model is None else model
    return live.reader(model, VOCABULARY, **(dict(text="the dog found", stop=".") | options))


def sent(one):
    return parts(one)[2]


def by_torch(model, tokens, off=()):
    """Logits (L, V) and maps (layers, H, L, L) in float64."""
    model = model.double()
    with torch.no_grad(), edited(model, heads_off(*map(tuple, off))):
        logits, maps = model(torch.tensor([tokens]), need_weights=True)
    return logits[0], maps[:, 0]


@needs_node
def test_two_hundred_sentences_are_read_as_torch_reads_them():
    data, cases = {}, []
    for k, kind in enumerate(KINDS):
        data[k] = sent(figure(decoder(k, **kind)))["model"]
    for seed in range(200):
        model = data[seed % len(KINDS)]
        layers, heads = model["sizes"]["num_layers"], model["sizes"]["num_heads"]
        draw = generator(seed)
        tokens = torch.randint(len(VOCABULARY), (1 + seed % 10,), generator=draw).tolist()
        off = torch.rand(layers, heads, generator=draw) < 0.3 * (seed % 3)
        cases.append((model, tokens, off))
    got = run("read", [[model, tokens, off.tolist()] for model, tokens, off in cases])
    worst = 0.0
    for (model, tokens, off), (logits, maps) in zip(cases, got, strict=True):
        wanted, weights = by_torch(unpack(model), tokens, off.nonzero().tolist())
        worst = max(worst, (torch.tensor(logits).double() - wanted).abs().max().item())
        for layer, rows in enumerate(maps):
            for i, heads in enumerate(rows):
                for head, row in enumerate(heads):
                    error = torch.tensor(row).double() - weights[layer, head, i, : i + 1]
                    worst = max(worst, error.abs().max().item())
    print(f"\nlargest difference of 200 sentences to torch: {worst:.0e}")
    assert worst < 1e-5


def run(name, cases):
    """`read` or `cached` of tests/js/reader.mjs for each case."""
    return run_node("reader.mjs", live_code.SOURCE / "reader" / "model.js", name, cases=cases)


@needs_node
def test_a_word_is_completed_in_either_case():
    data = {"vocabulary": ["The", "then", "cat"]}
    cases = [[text, data] for text in ("a TH", "a t", "a THE", "a ")]
    both = ["a The", "a then"]
    assert in_node("reader/state", "completed", cases) == [both, both, [], []]


@needs_node
def test_the_cache_changes_no_number():
    cases = []
    for seed in range(60):
        model = sent(figure(decoder(seed, **KINDS[seed % len(KINDS)])))["model"]
        tokens = torch.randint(len(VOCABULARY), (10,), generator=generator(seed)).tolist()
        cases.append([model, tokens, [], 1 + seed % 9])
    whole = run("read", cases)
    for (logits, maps), (again, other) in zip(whole, run("cached", cases), strict=True):
        assert np.allclose(logits, again, atol=1e-12)
        assert maps == other


@needs_node
def test_the_next_words_are_those_of_the_model_as_it_was_trained():
    model, rows = trained()
    packed = sent(figure(model))["model"]
    chosen = rows[torch.randperm(len(rows), generator=generator(0))[:100]]
    chosen = [row[:n].tolist() for row in chosen for n in (5, 9)]  # 200 texts
    equal = 0
    for tokens, (logits, _) in zip(chosen, run("read", [[packed, t] for t in chosen]), strict=True):
        wanted = by_torch(model, tokens)[0][-1]
        equal += int(np.argmax(logits[-1])) == wanted.argmax().item()
    model.float()
    print(f"\nequal next words after 200 texts, float16 against the trained: {equal / 200:.1%}")
    assert equal >= 198


@needs_node
def test_probabilities_are_those_from_which_the_package_draws():
    cases = []
    for seed in range(200):
        logits = 3 * torch.randn(9, generator=generator(seed))
        temperature = (0, 0.3, 1, 2)[seed % 4]
        cases.append([logits.tolist(), temperature, 1 + seed % 9])
    for (logits, temperature, most), got in zip(
        cases, in_node("reader/model", "probabilities", cases), strict=True
    ):
        logits = torch.tensor(logits)
        if temperature == 0:
            assert got.index(1) == sample(logits, temperature=0)
            continue
        low = logits.topk(most).values[-1]
        scores = (logits / temperature).masked_fill(logits < low, -torch.inf)
        assert np.allclose(got, scores.softmax(0), atol=1e-6)


@needs_node
def test_it_writes_with_and_without_the_cache_and_counts_what_it_reads():
    shown = figure(trained()[0], text="the dog")
    texts = []
    for cache in (True, False):
        chosen = {"cache": cache, "temperature": 0}
        begun, _, *written = run_play(shown, ("alter", chosen), *[("write",)] * 5)
        assert begun["state"]["passed"] == [3]  # the stop, the, dog
        texts.append([state["state"]["text"] for state in written])
        passed = written[-1]["state"]["passed"]
        assert passed == ([3, 1, 1, 1, 1, 1] if cache else [3, 4, 5, 6, 7, 8])
        assert written[-1]["state"]["kept"] == (7 if cache else 0)
        said = written[-1]["said"]
        assert f"so far: {sum(passed)}." in said and ("from the cache" in said) == cache
    assert texts[0] == texts[1]  # the same words
    model = unpack(sent(shown)["model"])
    tokens = [0, *(VOCABULARY.index(word) for word in ("the", "dog"))]
    for word in texts[0][-1].split()[2:]:
        assert VOCABULARY[by_torch(model, tokens)[0][-1].argmax()] == word
        tokens.append(VOCABULARY.index(word))


def run_play(shown, *acts):
    """As `play`, for changes that need the figure's data."""
    return play("reader", shown, *((act[0], *act[1:], *DATA.get(act[0], ())) for act in acts))


DATA = {"write": ["the data"], "type": ["the data"], "rewind": ["the data"]}


@needs_node
def test_it_ends_at_a_full_stop_and_where_the_room_ends():
    shown = figure(text="the dog .")
    begun, written = run_play(shown, ("write",))
    assert begun["state"]["text"] == written["state"]["text"] == "the dog ."
    begun, *written = run_play(figure(stop=None, text="dog " * 9), ("write",), ("write",))
    assert len(written[-1]["now"]["tokens"]) == 10
    (_, back) = run_play(figure(stop=None, text="dog"), ("rewind",))
    assert back["state"]["text"] == "dog"


@needs_node
def test_words_that_differ_in_capitals_or_hold_a_mark_are_read_as_the_model_knows_them():
    vocabulary = ["may", "May", "Dr.", "comes", "."]
    model = Decoder(len(vocabulary), 16, num_layers=1, num_heads=2, max_len=10, seed=1).eval()
    shown = live.reader(model, vocabulary, text="Dr. May", choices=["may\ncomes", "may comes"])
    assert sent(shown)["choices"] == ["Dr. May", "may comes"]
    opened, written = run_play(shown, ("write",))
    logits = by_torch(unpack(sent(shown)["model"]), [2, 1])[0][-1]
    assert opened["now"]["tokens"] == [2, 1] and "Not in" not in opened["said"]
    assert np.allclose(opened["now"]["probs"], (logits / 0.5).softmax(0), atol=1e-6)
    assert len(written["now"]["tokens"]) == 3


@needs_node
def test_an_empty_text_is_begun_and_a_head_that_is_switched_has_all_read_again():
    acts = [("type", ""), ("write",), ("write",), ("toggle", 0, 1)]
    _, empty, first, second, off = run_play(figure(text="dog"), *acts)
    assert not empty["now"]["used"]["over"] and "Here the text ends" not in empty["said"]
    kept = [state["state"]["kept"] for state in (empty, first, second, off)]
    assert kept == [0, 1, 2, 0] and len(off["now"]["tokens"]) == 3
    assert "computed 1 row of each map and took 2 from the cache." in second["said"]
    assert "computed 3 rows of each map." in off["said"]


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_what_is_packed_comes_back_rounded(kind):
    model = decoder(kind, **KINDS[kind])
    again = unpack(json.loads(json.dumps(pack(model))))
    for name, x in model.state_dict().items():
        assert torch.equal(again.state_dict()[name], x.half().float()), name
    assert again.to_logits.weight is again.embedding.weight or not KINDS[kind].get("tied")


def test_it_opens_with_the_head_that_is_asked_for():
    for head in ((0, 0), (1, 1)):
        opened = sent(figure(decoder(num_layers=2), head=head))
        assert (opened["layer"], opened["head"]) == head


def test_sizes():
    most = Decoder(500, 64, num_layers=2, num_heads=4, mlp_dim=80, max_len=32)
    assert 110_000 < sum(x.numel() for x in most.parameters()) <= 140_000
    names = [f"word{k}" for k in range(500)]
    shown = live.reader(most, names, text="word1 word2")
    assert len(shown.html.encode()) <= 400_000
    assert len(figure(trained()[0]).html.encode()) <= 120_000


def stored():
    """Every reader that a chapter carries."""
    for path in notebooks.book():
        for cell in nbformat.read(path, as_version=4).cells:
            for output in cell.get("outputs", []):
                page = output.get("data", {}).get("text/html", "")
                if '{"title":"live model' in page:
                    yield path.name, page


def read_back(page):
    """The table that Python wrote, and the same from the weights that lie in the page."""
    data = json.loads(html.unescape(re.search(r"data-live='([^']*)'", page)[1]))
    rows = re.findall(r"<tr><th>([^<]*)</th><td>(.*?)</td></tr>", page)
    tokens = [data["vocabulary"].index(word) for word in data["begins"].split()]
    tokens = tokens if data["stop"] is None else [data["stop"], *tokens]
    logits = by_torch(unpack(data["model"]), tokens)[0][-1]
    probs = (logits / data["temperature"]).softmax(-1)
    said = {html.unescape(word): float(number) for word, number in rows}
    return said, {word: probs[data["vocabulary"].index(word)].item() for word in said}


def test_the_weights_in_a_stored_page_give_the_numbers_beside_them():
    pages = [("made here", figure(trained()[0]).html), *stored()]
    for name, page in pages:
        said, computed = read_back(page)
        assert len(said) == 5
        for word, number in said.items():
            assert abs(number - computed[word]) <= 0.0051, (name, word)
    page = pages[0][1]
    spoiled = re.sub(r'[\w+/]{4000}(=*"})', lambda found: "A" * 4000 + found[1], page)
    said, computed = read_back(spoiled)
    assert spoiled != page and any(abs(said[word] - computed[word]) > 0.01 for word in said)
