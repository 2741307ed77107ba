"""The decoder in the page: its numbers against torch (run in node), its weights, what it says."""

import html
import itertools
import json
import re

import nbformat
import numpy as np
import pytest
import refresh
import stills
import torch
from draws import generator
from test_live import in_node, needs_node, of_kind, parts, play, plays

from d2lattn import Decoder
from d2lattn.generation import sample
from d2lattn_book.language import words
from d2lattn_book.pictures import live
from d2lattn_book.pictures.live.reader.packed import pack, unpack
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
DATA = "the data"


def decoder(seed=0, **options):
    """A decoder of all kinds whose every weight is at work."""
    options = SIZES | dict(embed_dim=16) | options
    width = options.pop("embed_dim")
    model = Decoder(len(VOCABULARY), width, seed=seed, **options).eval()
    for x in model.state_dict().values():
        x += 0.3 * torch.randn(x.shape, generator=generator(seed))
    return model


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


# The model ----------------------------------------------------------------------------------------


@needs_node
def test_texts_are_read_as_torch_reads_them_with_and_without_the_cache():
    packed = [sent(figure(decoder(k, **kind)))["model"] for k, kind in enumerate(KINDS)]
    cases = []
    for seed in range(80):
        model = packed[seed % len(KINDS)]
        sizes = model["sizes"]
        draw = generator(seed)
        tokens = torch.randint(len(VOCABULARY), (2 + seed % 9,), generator=draw).tolist()
        off = torch.rand(sizes["num_layers"], sizes["num_heads"], generator=draw) < seed % 3 * 0.3
        cases.append([model, tokens, off.tolist(), 0])
    cached = [[*case[:3], 1 + k % (len(case[1]) - 1)] for k, case in enumerate(cases)]
    got = of_kind("reader", "reading", [*cases, *cached])
    for k, (model, tokens, off, _) in enumerate(cases):
        (logits, maps), (again, other) = got[k], got[k + len(cases)]
        wanted, weights = by_torch(unpack(model), tokens, torch.tensor(off).nonzero().tolist())
        assert np.allclose(logits, wanted, atol=1e-5)
        for layer, rows in enumerate(maps):
            for i, heads in enumerate(rows):
                assert np.allclose(heads, weights[layer, :, i, : i + 1], atol=1e-5)
        assert np.allclose(logits[cached[k][3] :], again[-len(tokens) + cached[k][3] :], atol=1e-12)
        assert maps == other


@needs_node
def test_probabilities_are_those_from_which_the_package_draws():
    cases = []
    for seed in range(60):
        logits = 3 * torch.randn(9, generator=generator(seed))
        cases.append([logits.tolist(), (0, 0.3, 1, 2)[seed % 4], 1 + seed % 9])
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


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_what_is_packed_comes_back_rounded(kind):
    model = decoder(kind, **KINDS[kind])
    again = unpack(json.loads(json.dumps(pack(model))))
    for name, x in model.state_dict().items():
        assert torch.equal(again.state_dict()[name], x.half().float()), name
    assert again.to_logits.weight is again.embedding.weight or not KINDS[kind].get("tied")


def test_the_weights_in_a_stored_page_give_the_numbers_beside_them():
    books = [nbformat.read(path, as_version=4) for path in refresh.book()]
    outputs = [output for book in books for output in stills.outputs(book)]
    pages = [one["text/html"] for one in outputs if '"figure":"reader"' in one["text/html"]]
    assert pages
    for page in pages:
        data = json.loads(html.unescape(re.search(r"data-live='([^']*)'", page)[1]))
        rows = re.findall(r"<tr><th>([^<]*)</th><td>(.*?)</td></tr>", page)
        tokens = [data["vocabulary"].index(word) for word in data["begins"].split()]
        logits = by_torch(unpack(data["model"]), [data["stop"], *tokens])[0][-1]
        probs = (logits / data["temperature"]).softmax(-1)
        assert len(rows) == 5
        for word, number in rows:
            token = data["vocabulary"].index(html.unescape(word))
            assert abs(float(number) - probs[token].item()) <= 0.0051, word


# What a hand does ---------------------------------------------------------------------------------


def uniform(seed):
    """The published generator, in whole numbers of 32 bits (mulberry32)."""
    low = 2**32 - 1
    t = seed * 0x6D2B79F5 & low
    t = (t ^ t >> 15) * (t | 1) & low
    t ^= (t + ((t ^ t >> 7) * (t | 61) & low)) & low
    return ((t ^ t >> 14) & low) / 2**32


@needs_node
def test_it_generates_with_and_without_the_cache_and_counts_what_it_computes():
    shown, write = figure(stop=None, text="the dog found"), [("write", DATA)] * 5
    rows = [("reader", shown, [("alter", {"cache": cache}), *write]) for cache in (True, False)]
    for states, passed in zip(plays(rows), ([3, 1, 1, 1, 1, 1], [3, 4, 5, 6, 7, 8]), strict=True):
        assert states[0]["state"]["passed"] == [3]
        last = states[-1]
        assert last["state"]["passed"] == passed
        assert last["state"]["kept"] == (7 if passed[1] == 1 else 0)
        assert f"so far: {sum(passed)}." in last["said"]
        assert ("from the cache" in last["said"]) == (passed[1] == 1)
        for number, (state, after) in enumerate(itertools.pairwise(states[1:]), 1):
            place = (torch.tensor(state["now"]["probs"]).cumsum(0) <= uniform(number)).sum()
            text = f"{state['state']['text']} {VOCABULARY[place]}"
            assert after["state"]["text"] == text


@needs_node
def test_a_reading_is_told_with_the_numbers_of_torch():
    model = decoder(5)
    shown = figure(model, text="the dog found the", head=(1, 1))
    acts = [("alter", {"asks": 2}), ("show", 1, 3), ("toggle", 1, 3), ("write", DATA)]
    opened, _, on, off, written = play("reader", shown, *acts)
    assert (opened["state"]["layer"], opened["state"]["head"]) == (1, 1)
    tokens = [0, *(VOCABULARY.index(word) for word in ("the", "dog", "found", "the"))]
    twin = unpack(sent(shown)["model"])
    whole, maps = by_torch(twin, tokens)
    silent, _ = by_torch(twin, tokens, [(1, 3)])
    weights = maps[1, 3, 2]
    best = VOCABULARY[tokens[weights.argmax()]]
    for state, logits, which in ((on, whole, ","), (off, silent, ", which is off,")):
        probs = (logits[2] / 0.5).softmax(0)  # at its temperature
        key = int(probs.argmax())
        before = (whole[2] / 0.5).softmax(0)[key]
        also = f" ({before:.2f} with all heads on)" if logits is silent else ""
        assert state["said"] == (
            f"dog attends most, in head 3 of layer 1{which} to {best}: attention weight "
            f"{weights.max():.2f}. The most probable next token is {VOCABULARY[key]}, probability "
            f"{probs[key]:.2f}{also}."
        )
    end = " The last step computed 1 row of each map and took 5 from the cache. Tokens read so far"
    assert f"{end}: 6." in written["said"]


HANDS = {  # figure, acts: what is in the state, in what is computed and in the sentence at the end
    "a text ends with what stops it": (
        dict(text="the dog ."), [("write", DATA)], {"text": "the dog ."}, 4, "Here the text ends.",
    ),
    "or where the context ends": (
        dict(text="dog " * 9, stop=None), [("write", DATA), ("write", DATA)], {}, 10,
        "Here the text ends.",
    ),
    "a longer one is cut": (
        dict(text="dog"), [("type", "cat " * 12, DATA)], {}, 10,
        "Its context is 10 tokens at most. ",
    ),
    "unknown words are named": (
        dict(text="dog"), [("type", "qux zap Cat.", DATA)], {}, 3,
        "Not in its vocabulary: qux, zap. ",
    ),
    "nothing known": (
        dict(text="dog", stop=None), [("type", "qux", DATA)], {}, 0,
        "Not in its vocabulary: qux. Type a word.",
    ),
    "an empty text is begun": (
        dict(text="dog"), [("type", "", DATA), ("write", DATA), ("write", DATA)], {"kept": 2}, 3,
        "computed 1 row of each map and took 2 from the cache.",
    ),
    "another head has all read again": (
        dict(text="dog"), [("write", DATA), ("toggle", 0, 1)], {"kept": 0}, 3,
        "computed 3 rows of each map.",
    ),
    "rewind": (
        dict(text="dog"), [("write", DATA), ("rewind", DATA)],
        {"text": "dog", "passed": [2], "kept": 0}, 2, "",
    ),
}  # fmt: skip


@needs_node
def test_a_hand_changes_what_is_read():
    rows = [("reader", figure(**given), acts) for given, acts, *_ in HANDS.values()]
    for (name, (*_, state, tokens, said)), states in zip(HANDS.items(), plays(rows), strict=True):
        last = states[-1]
        assert last["state"] | state == last["state"], name
        assert len(last["now"]["tokens"]) == tokens and said in last["said"], (name, last["said"])


def test_texts_to_begin_with_are_all_different_and_on_one_line():
    shown = figure(text="the dog", choices=["the\ndog", "a cat", "a  cat"])
    assert sent(shown)["choices"] == ["the dog", "a cat"]
