"""The tables of live figures: what a reader does with each, and what is on the screen then.

A new figure gets a row of ROWS, by whose fields the tests of test_live.py try it, and rows of WAYS,
in ways.json.
What needs numbers that are computed here is tested in a file of its own.
"""

import functools
import json
import math
import pathlib
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


def end_of(button, other):
    """Twelve times a button: it is off, keeps the focus, does nothing more, and the other is on."""
    return [
        [["focus", f"role=button[name=/{button}/]"], ""],
        [" ".join(["Enter"] * 12), ["button[aria-disabled=true]:focus", 1]],
        ["Enter", "="],
        ["", [f"role=button[name=/{other}/][disabled=false]", 1]],
    ]


# Of a figure, step by step: what is done, and what is on the screen then. Done are keys (what
# follows a ' is typed), or a locator's method: its selector, and what it is given. On the screen
# is a sentence: ^ for how it begins, = for the same as before; or what a selector finds, and how
# often; null once the focus is out; and where it helps, what that is.
WAYS = json.loads(pathlib.Path(__file__).with_name("ways.json").read_text(encoding="utf-8")) | {
    f"{name}: a key that comes to an end stays where it is": [
        *end_of("forward", "back"),
        *end_of("back", "forward"),
    ]
    for name in ("steps", "cache", "ring")
}
