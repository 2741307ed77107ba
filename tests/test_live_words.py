"""The map of words: its numbers against torch (run in node), what it says, its errors."""

import re

import pytest
import torch
from draws import generator
from test_live import assert_close, in_node, needs_node, parts, play, rows_of

from d2lattn_book.pictures import live

APPLE = {
    "bake": (2, 0), "pie": (2, 0), "cinnamon": (3, 0), "charge": (0, 2), "phone": (0, 2),
    "adapter": (0, 3), "the": (0, 0), "with": (0, 0), "apple": (1, 1),
}  # fmt: skip
TOLD = ["bake the apple pie with cinnamon", "charge the apple phone with adapter"]


def apple(**options):
    arguments = dict(sentences=TOLD, asks="apple", axes=("food", "technology")) | options
    return live.words(list(APPLE), list(APPLE.values()), **arguments)


@needs_node
def test_the_map_computes_what_torch_computes():
    cases, expected = [], []
    for seed in range(200):
        n, length = 2 + seed % 9, 1 + seed % 12
        x = rows_of(seed, n, 2, scale=(1, 3, 40)[seed % 3])
        tokens = torch.randint(n, (length,), generator=generator(seed))
        names = [f"word{k}" for k in range(n)]
        text = " ".join(names[k] for k in tokens)
        asks = seed % length
        state = {"text": text, "x": x.tolist(), "asks": asks}
        cases.append([state, {"vocabulary": names}])
        shares = (x[tokens] @ x[tokens[asks]]).softmax(0)
        drawn = torch.zeros(n, dtype=torch.float64).index_add(0, tokens, shares)
        expected.append(dict(shares=shares, after=shares @ x[tokens], drawn=drawn))
    for got, wanted in zip(in_node("words/state", "compute", cases), expected, strict=True):
        for name, tensor in wanted.items():
            assert_close(got[name], tensor)


@needs_node
def test_apple_has_two_lives():
    vocabulary = list(APPLE)
    fruit, phone, moved, pie = play(
        "words",
        apple(),
        ("type", TOLD[1], vocabulary),
        ("move", vocabulary.index("adapter"), [1.004, 99], [[-1, -1], [4, 4]]),
        ("ask", 3, vocabulary),
    )
    assert fruit["said"] == (
        "apple asks: how well do you fit me? cinnamon fits best, 1 · 3 + 1 · 0 = 3, so the "
        "largest share is taken from it, 0.45. Out comes food 2.20, technology 0.17."
    )
    assert phone["said"].endswith("Out comes food 0.17, technology 2.20.")
    assert moved["state"]["x"][5] == [1, 4]  # to hundredths, and not off the map
    assert "adapter fits best, 1 · 1 + 1 · 4 = 5" in moved["said"]
    assert pie["said"].startswith("phone asks")


@needs_node
def test_what_is_not_on_the_map_is_named():
    said = [
        state["said"]
        for state in play(
            "words",
            apple(),
            *(("type", text, list(APPLE)) for text in ("Eat the Apple!", "eat", "the " * 13, "")),
        )
    ]
    assert said[1].startswith("Not on the map: Eat. apple asks")
    assert said[2] == f"Not on the map: eat. The map has {', '.join(APPLE)}."
    assert said[3].startswith("Only the first 12 words are read. the asks")
    assert "All fit alike, and each share is 0.08. Out comes food 0.00" in said[3]
    assert said[4] == f"The map has {', '.join(APPLE)}."


@needs_node
def test_who_asks_goes_on_asking_where_the_word_still_is():
    texts = ("apple pie", "pie apple", "bake pie", "the apple pie")
    states = play("words", apple(), *(("type", text, list(APPLE)) for text in texts))
    assert [state["state"]["asks"] for state in states] == [2, 0, 1, 1, 1]


def test_it_opens_with_the_first_sentence_and_its_last_word():
    assert repr(apple()) == (
        'live words: apple asks in "bake the apple pie with cinnamon", and takes most, '
        "0.45, from cinnamon; out comes 2.20, 0.17"
    )
    assert parts(apple(asks=-1))[2]["asks"] == 5
    cells = re.findall(r"<t[hd]>(.*?)</t[hd]>", parts(apple())[0])
    assert cells[:8] == ["", "food", "technology", "share", "bake", "2.00", "0.00", "0.17"]


@pytest.mark.parametrize(
    "change, message",
    [
        (dict(x=[[1, 2]]), r"x must have two numbers for each of the 2 words, got shape \(1, 2\)"),
        (dict(x=[[1], [2]]), "x must have two numbers for each of the 2 words"),
        (dict(x=[[1, 2, 3]] * 2), "x must have at most 2 numbers, got 3"),
        (dict(x=[[1, float("nan")]] * 2), "x must be finite, got nan"),
        (dict(vocabulary=["a", "a"]), "vocabulary must hold different words, got 'a' twice"),
        (dict(vocabulary="ab"), "vocabulary must be a list of strings, got 'ab'"),
        (dict(vocabulary=[str(k) for k in range(65)]), "vocabulary must have at most 64 words"),
        (dict(sentences="a b"), "sentences must be a list of strings, got 'a b'"),
        (dict(sentences=["a c"]), "sentences must hold words of the vocabulary, got 'c'"),
        (dict(sentences=["a", ""]), "sentences must have 1 to 12 words, got 0"),
        (dict(sentences=["a " * 13]), "sentences must have 1 to 12 words, got 13"),
        (dict(asks="c"), "asks must be a position from -2 to 1 or a word"),
        (dict(axes=["one"]), "axes must hold 2 strings, got 1"),
    ],
)
def test_words_refuses(change, message):
    arguments = dict(vocabulary=["a", "b"], x=[[1, 2], [3, 4]], sentences=["a b"]) | change
    with pytest.raises(ValueError, match=message):
        live.words(arguments.pop("vocabulary"), arguments.pop("x"), **arguments)
