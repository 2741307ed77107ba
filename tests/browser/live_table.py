"""The tables of live figures: what a reader does with each, and what is on the screen then.

A new figure gets a row of ROWS, by whose fields the tests of test_live.py try it, and rows of WAYS.
What needs numbers that are computed here is tested in a file of its own.
"""

import functools
import math
from typing import NamedTuple

import live_kinds
import torch
from live_kinds import KEPT, KINDS, SENTENCE, X, normal, weights
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from d2lattn import Decoder, fit
from d2lattn_book.language import stories, words
from d2lattn_book.pictures import live

HOST = "[data-live]"
QUEEN = "the queen went to the palace by"
WORDS = [f"word{i}" for i in range(64)]


@functools.cache
def storyteller(**options):
    """The reader as chapter 9 makes it, with fewer steps."""
    told = stories.stories(2000)
    vocabulary = [".", *words.vocabulary(told)]
    number = {word: k for k, word in enumerate(vocabulary)}
    rows = torch.tensor([[0, *map(number.get, s)] + [0] * (14 - len(s)) for s in told])
    draw = torch.Generator().manual_seed(0)

    def batch(step):
        chosen = rows[torch.randint(len(rows), (32,), generator=draw)]
        return chosen[:, :-1], chosen[:, 1:]

    model = Decoder(len(vocabulary), 32, num_layers=2, num_heads=4, max_len=15)
    fit(model, batch, steps=200)
    return live.reader(model, vocabulary, text=QUEEN, stop=".", **options)


FIGURES = live_kinds.FIGURES | {
    "training": lambda: live.heads(weights(9, 2, 6, 6), tokens=SENTENCE),
    "large": lambda: live.heads(weights(16, 64, 64), tokens=WORDS),
    "maps": live_kinds.model_maps,
}
CASES = FIGURES | {  # whatever has to fit
    "crowded cache": lambda: live.cache(
        (2 * KEPT)[:16], step=16, kind="window"
    ),
    "ring of three": lambda: live.ring(3, block_size=5, split="striped", step=2),
    "full ring": lambda: live.ring(4, block_size=6, step=3),
    "ring of two": lambda: live.ring(2, block_size=12, causal=False, step=1),
    "stories": storyteller,
    "chosen": lambda: storyteller(choices=("the secretary", "ripe apple trees")),
    "many maps": lambda: live_kinds.model_maps(WORDS[:30] * 2, layers=2, heads=32),
    "one large weight": lambda: live.heads([[[0.989] + [0.001] * 11] * 12], tokens=2 * SENTENCE),
    "image": live_kinds.image_maps,
    "few maps": lambda: live_kinds.model_maps(SENTENCE[:4], layers=1, heads=1),
}  # fmt: skip
EIGHT = ["the", "dog", "chased", "the", "cat", "what", "a", "scared"]
CROWDED = {  # many words, long ones, large and tiny numbers, hands that meet
    "eight words": lambda: live.heads(
        weights(2, 8, 8), tokens=EIGHT, names=["who is scared", "nothing in particular"]
    ),
    "two sentences": lambda: live.heads(
        weights(1, 5, 9), tokens=EIGHT[:5], key_tokens=[*EIGHT, "."]
    ),
    "fifteen words": lambda: live.heads(weights(2, 15, 15), tokens=(2 * EIGHT)[:15]),
    "large numbers": lambda: live.attention(8 * normal(8, 4), tokens=EIGHT, mask="causal"),
    "twelve tokens": lambda: live.attention(20 * normal(12, 8), tokens=(2 * EIGHT)[:12]),
    "many positions": lambda: live.positions(32, base=10000.0, length=256),
    "twelve steps": lambda: live.steps([100.0 * j for j in range(12)], normal(12, 4)),
    "turned back": lambda: live.positions(8, base=1e4, length=60, a=7, b=3),
}
SHORT = {  # which are played to their ends
    "steps": lambda: live.steps([1.0, 3.0, 2.0], [1.0, 2, 3]),
    "positions": lambda: live.positions(8, base=100.0, length=12),
}

SHOWN = ("attention", "training", *KINDS[2:])  # in JupyterLab
SOURCES = [
    "from d2lattn_book.pictures import live\n"
    f"live.attention({X}, tokens={SENTENCE}, mask={mask!r})  # is shown"
    for mask in ("none", "causal", "none")
]


def in_a_cell(figure, source):
    output = new_output("execute_result", figure._repr_mimebundle_(), execution_count=1)
    return new_code_cell(source, outputs=[output], execution_count=1)


KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}


def untrusted():
    """A notebook of figures that a kernel can make anew, with words between them."""
    cells, figure = [], FIGURES["attention"]()
    for source in SOURCES:
        between = new_markdown_cell("\n\n".join(["Words in between."] * 12))
        cells += [in_a_cell(figure, source), between]
    return new_notebook(cells=cells, metadata=KERNEL)


def trusted():
    """A notebook with a figure of each kind."""
    cells = [in_a_cell(FIGURES[name](), "live.…") for name in SHOWN]
    return new_notebook(cells=cells, metadata=KERNEL)


TRAINED = {
    "one model": dict(task="sentences", model={"heads": 2}),
    "own text": dict(task="text"),
    "beside another": dict(task="copy", compare={"layers": 1}),
    "as large as can be": dict(
        task="sentences", model={"layers": 2, "heads": 4}, compare={"mask": False}
    ),
}


class Room(NamedTuple):
    """Pixels: the least letters where there is room and where not, and the most height."""

    letters: float = 11
    narrow: float = 11
    slide: float = 600
    page: float = math.inf
    site: float = math.inf


class Row(NamedTuple):
    """What is tried with a figure; what is empty is not.

    Attributes:
        room: what it needs on a slide, a page and a telephone.
        key: where the focus is, and a key that changes what is said.
        plays: what is said at the end, and at the first beat when it is played again.
        glides: JavaScript that sets it going, and of what moves then; by how many pixels at least.
        finger: what a finger drags, where to, and what stands in its label then.
        turns: how often the key is pressed before axe looks again.
    """

    room: Room = Room()
    key: tuple = ()
    plays: tuple = ()
    glides: tuple = ()
    finger: tuple = ()
    turns: tuple = ()


TALL = Room(slide=585, page=585)
CACHE, RING = Room(14, 12, page=650), Room(14, 12, page=600)
ROWS = {
    "attention": Row(
        key=("[aria-label^='x of cat, channel 1']", "Shift+ArrowUp"),
        finger=("[aria-label^='x of cat, channel 2']", (0, 90), "x of cat, channel 2: {:.2f}"),
        turns=(".stepper button >> nth=0", "Enter"),  # the question at its first thought
    ),
    "large": Row(room=Room(slide=650), key=("[aria-label=query] [role=gridcell]", "ArrowRight")),
    "training": Row(key=("input[type=range] >> nth=0", "ArrowRight"), plays=("At step 8", "")),
    "positions": Row(
        key=("input[type=range] >> nth=0", "ArrowRight"),
        plays=("b = 11", ""),
    ),
    "steps": Row(
        key=("[aria-label^='score, key 2']", "Shift+ArrowUp"),
        plays=("All scores are read", "^Step 1 "),
        finger=("[aria-label^='value, key 2']", (0, 90), "value, key 2: {:.2f}"),
    ),
    "field": Row(key=("[aria-label^='layer 3, position 4']", "ArrowRight")),
    "words": Row(
        room=Room(slide=585, page=585, site=585),
        glides=(
            "const menu = probe.root().querySelector('select'); "
            f"menu.value = '{live_kinds.TOLD[1]}'; menu.dispatchEvent(new Event('input'))",
            "probe.root().querySelector('path[fill=\"var(--output)\"]')",
            50,
        ),
        finger=("[role=button][aria-label^='apple']", (0, -100), "technology 1.8"),
    ),
    "stories": Row(room=TALL, turns=(".maps input", "Space")),  # a head is off
    **dict.fromkeys(("reader", "chosen"), Row(room=TALL)),
    "train": Row(room=Room(slide=585, page=679, site=679)),
    **dict.fromkeys(("maps", "image"), Row(room=Room(slide=665, page=720))),
    "many maps": Row(room=Room(slide=770)),
    "cache": Row(
        room=CACHE,
        plays=("^it is the query, token 9", "^hungry is the query, token 2"),
        turns=("[aria-label='kinds of attention'] [tabindex='0']", "ArrowDown ArrowUp ArrowUp"),
    ),
    "crowded cache": Row(room=CACHE),
    "ring": Row(
        room=RING,
        plays=("^Round 3", "^Round 1"),
        glides=(
            "probe.all('button')[2].click()",
            "probe.all('text').find(text => text.textContent === 'keys of rank 0')",
            100,
        ),
        turns=("input[type=range]", "ArrowRight ArrowRight"),
    ),
    **dict.fromkeys(("full ring", "ring of three", "ring of two"), Row(room=RING)),
}


def having(field):
    """The names of the figures of which a field of the table is not empty."""
    return [name for name, row in ROWS.items() if getattr(row, field)]


RESET, PLAY = "role=button[name=Reset]", "role=button[name=/▶ Play/]"
CAT = "[aria-label^='cat, attention weight']"
NUMBER = "[aria-label='x of cat, channel 2: {}']"


def end_of(button, other):
    """Twelve times a button: it is off, keeps the focus, does nothing more, and the other is on."""
    return [
        (("focus", f"role=button[name=/{button}/]"), ""),
        (" ".join(["Enter"] * 12), ("button[aria-disabled=true]:focus", 1)),
        ("Enter", "="),
        ("", (f"role=button[name=/{other}/][disabled=false]", 1)),
    ]


# Of a figure, step by step: what is done, and what is on the screen then. Done are keys (what
# follows a ' is typed), or a locator's method: its selector, and what it is given. On the screen
# is a sentence: ^ for how it begins, = for the same as before; or what a selector finds, and how
# often; None once the focus is out.
WAYS = {
    "attention: another word takes up the question, and a number ends it": [
        (("click", "role=button[name=/Play one query/]"), "^milk has the query"),
        (("click", CAT), "^cat has the query"),
        (("click", "[aria-label^='output of cat, channel 1']"), "^output of cat, channel 1 = "),
        ("", ("role=button[name=/Play one query/]", 1)),
    ],
    "attention: tab keeps the query": [
        (("click", CAT), (".asking >> text=/^cat$/", 1)),
        ("Tab", (".asking >> text=/^cat$/", 1)),
        ("Tab Tab", (".asking >> text=/^cat$/", 1)),
        ("Tab", ("[role=grid][aria-label=output] [role=gridcell]:focus", 1)),
    ],
    "attention: what a pointer is over is explained": [
        (("hover", "[aria-label^='score of query hungry with key cat']"),
         "^query of hungry · key of cat = "),
        (("hover", "h1 >> nth=0"), "^milk attends most"),
        (("click", "[aria-label^='score of query hungry with key cat']"),
         "^query of hungry · key of cat = "),
        ("ArrowRight", "^query of hungry · key of found = "),  # and the pointer stays
        (("narrow", 390), "="),
        (("focus", NUMBER.format("1.60")), "^Channel 2 of cat is 1.6"),
        ("Shift+ArrowUp", (NUMBER.format("1.70"), 1)),
    ],
    "attention: a number is typed, a mask chosen, and all is put back": [
        ("", (".hint >> visible=true", 1)),
        (("focus", NUMBER.format("1.60")), (".hint >> visible=true", 1)),
        ("'2.5", (".hint >> visible=true", 0)),
        ("Enter", (f"{NUMBER.format('2.50')}:focus", 1)),
        (("select_option", "label=mask", "causal"),
         ("[aria-label='score of query the with key milk: −∞, hidden']", 2)),
        (("click", RESET), "^milk attends most"),
        ("", (NUMBER.format("1.60"), 1)),
        ("", ("[aria-label$=', hidden']", 0)),
        (("tap", NUMBER.format("1.60")), (f"{NUMBER.format('1.60')}:focus", 1)),
        (("drag", NUMBER.format("1.60"), 0, -24), "^Channel 2 of cat is 2"),
    ],
    "words: by mouse": [
        (("click", "[role=button][aria-label^=pie]"), "^pie attends"),
        (("click", "[role=button][aria-label^=adapter]"), "^pie attends"),  # not in the sentence
        (("click", RESET), "cinnamon: score 1 · 3 + 1 · 0 = 3"),
        (("drag", "[role=button][aria-label^=cinnamon]", -60, -150),
         "^apple attends most to cinnamon: score 1 · 2.4"),
        (("click", RESET), "cinnamon: score 1 · 3 + 1 · 0 = 3"),
    ],
    "words: by keyboard": [
        (("focus", "select"), "="),
        ("ArrowDown", "Its output is food 0.17, technology 2.20"),
        ("Tab Control+a", "="),
        ("'bake the apple, mum", "^Not on the map: mum. apple attends"),
        ("Tab Tab ArrowUp Enter", "^Not on the map: mum. bake attends"),  # by Reset, to the map
        ("Tab Tab Tab ArrowDown", "^Not on the map: mum. the has the same"),  # apple, the list
        ("Tab", None),
    ],
    "stories: by keyboard": [
        (("focus", "input[type=text]"), "="),
        ("Control+a", "="),
        ("'The tiger wore", "^Not in its vocabulary: tiger. wore attends most, in head 0"),
        ("Backspace Backspace", ""),
        ("'re", "^Not in its vocabulary: tiger. wore attends most, in head 0"),
        ("Tab Enter", "1 row of each map and took 3 from the cache. Tokens read so far: 4."),
        ("Tab Tab Space", "Tokens read so far: 4."),  # by *generate*, to the cache
        ("Shift+Tab Shift+Tab Enter", "computed 5 rows of each map. Tokens read so far: 9."),
        ("Tab Tab Tab Home End Tab", ""),  # the temperature, and top-k
        ("Tab Enter", "^by attends most, in head 0 of layer 0"),  # Reset
        ("Tab ArrowLeft", "^palace attends"),
        ("Tab ArrowRight ArrowDown", "attends most, in head 1 of layer 1, to"),
        ("Tab Space", "in head 1 of layer 1, which is off, to"),
        ("Space", "attends most, in head 1 of layer 1, to"),
        ("Tab", None),
    ],
    "stories: it writes on to the full stop": [
        (("fill", "label=temperature", "0.2"), ""),
        (("click", "role=button[name=/▶ generate/]"),
         ("[aria-live]:has-text('Here the text ends.')", 1)),
        ("", ("role=button[name=/▶ generate/]", 1)),
    ],
    "chosen: as chapter 9 has it, a word that is begun becomes one it knows": [
        (("select_option", "label=prompt", "the secretary"), "^secretary attends most"),
        (("fill", "label=text", "the queen of the c"),
         ("datalist option[value='the queen of the crown']", 1)),
        ("", ("datalist option:not([value^='the queen of the c'])", 0)),
        (("fill", "label=text", "the queen of the crown"), "^crown attends most"),
        ("", ("datalist option", 0)),
    ],
    "cache: by mouse": [
        (("click", "[aria-label^='linear attention, 8 heads of 16 × 16']"),
         "all 7 tokens are summed into it"),
        (("click", "[aria-label^='cat: ']"), "^cat is the query, token 3. State: 8,192 bytes"),
        (("click", "[aria-label^='multi-head (MHA), 8 heads: 3,072']"), "3 of 3 tokens × 1,024"),
        (("click", RESET), "^and is the query, token 7. Cached: 5 of 7 tokens"),
    ],
    "cache: by keyboard": [
        (("focus", PLAY), "="),
        ("Tab Enter", "^milk is the query, token 6"),  # back
        ("Tab Enter Tab End", "^it is the query, token 9"),  # forward, and the tokens read
        ("Tab Enter", "^and is the query, token 7"),  # Reset
        ("Tab", "="),  # the words: to pass by changes nothing
        ("Home", "^the is the query, token 1"),
        ("ArrowRight", "^hungry is the query, token 2"),
        ("Tab ArrowUp", "Cached: 2 of 2 tokens × 1,024 = 2,048 bytes"),  # the kinds
        ("Home ArrowDown ArrowDown", "however many tokens"),
        ("Tab", None),
    ],
    "ring: by mouse": [
        (("click", "[aria-label^='rank 0, keys of rank 3: round 1']"),
         "^Round 1: each block of keys and values has moved on"),
        (("click", "role=checkbox[name=striped]"), "Rank 0 computes 6 scores, and is then idle."),
        (("click", "role=checkbox[name=causal]"), "0 % idle"),
        (("click", RESET), "^Round 0: each rank has its own block"),
    ],
    "ring: by keyboard": [
        (("focus", PLAY), "="),
        ("Tab Enter", "^Round 0"),  # back: there is no way
        ("Tab Enter", "^Round 1"),  # forward
        ("Tab End", "All rounds, merged: 136 scores in 58 time units"),  # the round
        ("Tab Space", "All rounds, merged: 136 scores in 40 time units"),  # striped
        ("Tab Space", "256 scores in 64 time units, 0 % idle"),  # causal
        ("Tab Enter", "^Round 0"),  # Reset
        ("Tab", "="),  # the table: to pass by changes nothing
        ("ArrowRight", "^Round 3"),  # rank 0, the keys of rank 1
        ("ArrowDown", "^Round 0"),
        ("Tab", None),
    ],
    **{
        f"{name}: a key that comes to an end stays where it is": [
            *end_of("forward", "back"),
            *end_of("back", "forward"),
        ]
        for name in ("steps", "cache", "ring")
    },
}  # fmt: skip
