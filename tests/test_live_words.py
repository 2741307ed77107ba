"""The map of words: its numbers against torch (run in node), what it says, its errors."""

import re

import live_kinds
import pytest
import torch
from draws import generator
from live_kinds import TOLD
from test_live import assert_close, in_node, needs_node, parts, play, rows_of

from d2lattn_book.pictures import arrays, live

APPLE = live_kinds.PLANE


def apple(**options):
    arguments = dict(sentences=TOLD, query="apple", axes=("food", "technology")) | options
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
        weights = (x[tokens] @ x[tokens[asks]]).softmax(0)
        drawn = torch.zeros(n, dtype=torch.float64).index_add(0, tokens, weights)
        expected.append(dict(weights=weights, after=weights @ x[tokens], drawn=drawn))
    for got, wanted in zip(in_node("words/state", "compute", cases), expected, strict=True):
        for name, tensor in wanted.items():
            assert_close(got[name], tensor)


READ = [  # a vocabulary, a text, its words as they are read, and those that are unknown
    ("may May Dr. comes", "Dr. May comes", "Dr. May comes", ""),
    ("may May Dr. comes", "dr. MAY, comes!", "Dr. may comes", ""),
    ("polish Polish shoes", "shoes Polish POLISH polish", "shoes Polish polish polish", ""),
    (". the dog", "The dog. the CAT!", "the dog . the", "CAT"),
    (". the dog", "dog...dog dog... .dog", "dog . . .", "dog...dog .dog"),
    ("the dog", "the, dog ... ?! !the", "the dog", "!the"),
    (". no. No", "No. no No.. NO", "no. No no. . No", ""),
    ("1.5 5 ?!", "1.5 5. 1,5 5?! ?!", "1.5 5 5 ?!", "1,5"),
    ("it's", "It's it’s 'it's'", "it's", "it’s 'it's'"),
    ("ΟΔΟΣ straße İzmir", "οδος ΟΔΟΣ. STRASSE STRAßE i̇zmir", "ΟΔΟΣ ΟΔΟΣ straße İzmir", "STRASSE"),
    ("e\u0301 é", "é e\u0301 E\u0301 É", "é e\u0301 e\u0301 é", ""),
    ("👩\u200d🚀 می\u200cخواهم", "می\u200cخواهم 👩\u200d🚀! 👩", "می\u200cخواهم 👩\u200d🚀", "👩"),
    ("a\x1cb c\x85d x\u200by", "A\x1cB c\x85d x\u200by", "a\x1cb c\x85d x\u200by", ""),
    ("the dog", "the\xa0dog\u2003the\ufeffdog\u3000the\n\tdog\u2028", "the dog " * 3, ""),
    ("__proto__ toString", "toString length constructor", "toString", "length constructor"),
    ("the", " \n .", "", ""),
]


@needs_node
def test_the_page_reads_the_words_that_python_reads():
    by_hand = []
    for words, text, known, unknown in READ:
        vocabulary = words.split(" ")
        by_hand.append(([vocabulary.index(word) for word in known.split(" ") if word],
                        [word for word in unknown.split(" ") if word]))  # fmt: skip
        assert arrays.read(text, vocabulary) == by_hand[-1], text
    cases = [[row[1], other[0].split(" ")] for row in READ for other in READ]
    in_page = [(*one.values(),) for one in in_node("kit/words", "readWords", cases)]
    assert in_page == [arrays.read(*case) for case in cases]
    assert in_page[:: len(READ) + 1] == [(*one,) for one in by_hand]


@needs_node
@pytest.mark.parametrize(
    "vocabulary, sentence, asks, text",
    [
        (["Dr.", "Who", "left"], "Dr. Who left", 2, "dr. who: left!"),
        (["polish", "Polish", "shoes"], "shoes Polish", 1, "Shoes Polish."),
        (["a", "b", "."], "A b\n.", 2, "a B."),
    ],
)
def test_a_sentence_opens_as_python_has_read_it(vocabulary, sentence, asks, text):
    shown = live.words(vocabulary, [[3, 0], [0, 3], [1, 1]], sentences=[sentence])
    opened, typed = play("words", shown, ("type", text, vocabulary))
    after = ", ".join(f"{number:.2f}" for number in opened["now"]["after"])
    assert str(shown).endswith(f"output {after}")
    assert opened["state"]["asks"] == typed["state"]["asks"] == asks
    assert opened["now"] == typed["now"] and "Not on the map" not in typed["said"]
    assert "\n" not in opened["state"]["text"]  # the field of a page drops it


@needs_node
def test_a_word_is_moved_to_hundredths_and_not_off_the_map():
    at = list(APPLE).index("adapter")
    acts = ("type", TOLD[1], list(APPLE)), ("move", at, [1.004, 99], [[-1, -1], [4, 4]])
    moved = play("words", apple(), *acts, ("ask", 3, list(APPLE)))[2:]
    assert moved[0]["state"]["x"][at] == [1, 4]
    assert "to adapter: score 1 · 1 + 1 · 4 = 5" in moved[0]["said"]
    assert moved[1]["said"].startswith("phone attends most")


@needs_node
def test_what_is_not_on_the_map_is_named():
    texts = ("Eat the Apple!", "eat", "the " * 13, "")
    states = play("words", apple(), *(("type", text, list(APPLE)) for text in texts))
    _, some, none, long, empty = (state["said"] for state in states)
    assert some.startswith("Not on the map: Eat. apple attends most")
    assert none == f"Not on the map: eat. {empty}"
    assert empty == f"The map has {', '.join(APPLE)}."
    assert long.startswith("Only the first 12 words are read. the has the same score")
    assert "each attention weight is 0.08. Its output is food 0.00" in long


@needs_node
def test_who_asks_goes_on_asking_where_the_word_still_is():
    texts = ("apple pie", "pie apple", "bake pie", "the apple pie")
    states = play("words", apple(), *(("type", text, list(APPLE)) for text in texts))
    assert [state["state"]["asks"] for state in states] == [2, 0, 1, 1, 1]


def test_it_opens_with_the_first_sentence_and_its_last_word():
    assert repr(apple()) == (
        'live words: in "bake the apple pie with cinnamon" apple attends most to cinnamon, '
        "weight 0.45; output 2.20, 0.17"
    )
    assert parts(apple(query=-1))[2]["asks"] == 5
    cells = re.findall(r"<t[hd]>(.*?)</t[hd]>", parts(apple())[0])
    assert cells[:8] == ["", "food", "technology", "weight", "bake", "2.00", "0.00", "0.17"]
