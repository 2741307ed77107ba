"""The table of live figures: what a reader does with each, and what must come of it.

A new figure gets a row, and the tests of test_live.py that its fields name: they are not written
again for it. What only one figure can do is tested in a file of its own.
"""

import functools
import math
from typing import NamedTuple

import live_kinds
import torch
from live_kinds import KEPT, SENTENCE, normal, weights

from d2lattn import Decoder, fit
from d2lattn_book.language import stories, words
from d2lattn_book.pictures import live, maps

HOST = ".output > :not(div, script)"
ROOT = f"document.querySelector('{HOST}').shadowRoot"
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


def most_pieces():
    """A map of 256 pieces, which looks one back, and one that lacks something of 1."""
    one = torch.eye(256).roll(-1, 1) * torch.linspace(0.5, 1, 256)[:, None]
    names = [f"piece{k}" for k in range(256)]
    return maps(torch.stack([one, one.mT])[None], tokens=names, query=100)


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
}
SHORT = {  # which are played to their ends
    "steps": lambda: live.steps([1.0, 3.0, 2.0], [1.0, 2, 3]),
    "positions": lambda: live.positions(8, base=100.0, length=12),
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
        still: whether who wants less motion is shown to see the end of that at once.
        walk: where the keyboard begins, and steps: keys (what follows a ' is typed), and what is
            said then: ^ for how it begins, = for the same as before; None once the focus is out.
        clicks: what is clicked, and what is said then.
        plays: what is said at the end, and at the first beat when it is played again.
        glides: JavaScript that sets it going, and of what moves then; by how many pixels at least.
        finger: what a finger drags, where to, and what stands in its label then.
        turns: how often the key is pressed before axe looks again.
    """

    room: Room = Room()
    key: tuple = ()
    still: bool = False
    walk: tuple = ()
    clicks: tuple = ()
    plays: tuple = ()
    glides: tuple = ()
    finger: tuple = ()
    turns: tuple = ()


TALL = Room(slide=585, page=585)
CACHE, RING = Room(14, 12, page=650), Room(14, 12, page=600)
RESET = "role=button[name=Reset]"
ROWS = {
    "attention": Row(
        key=("[aria-label^='x of cat, channel 1']", "Shift+ArrowUp"),
        still=True,
        finger=("[aria-label^='x of cat, channel 2']", (0, 90), "x of cat, channel 2: {:.2f}"),
        turns=(".stepper button >> nth=0", "Enter"),  # the question at its first thought
    ),
    "large": Row(
        room=Room(slide=650),
        key=("[aria-label=query] [role=gridcell]", "ArrowRight"),
    ),
    "training": Row(
        key=("input[type=range] >> nth=0", "ArrowRight"), still=True, plays=("At step 8", "")
    ),
    "positions": Row(
        key=("input[type=range] >> nth=0", "ArrowRight"),
        still=True,
        plays=("b = 11", ""),
    ),
    "steps": Row(
        key=("[aria-label^='score, key 2']", "Shift+ArrowUp"),
        still=True,
        plays=("All scores are read", "^Step 1 "),
        finger=("[aria-label^='value, key 2']", (0, 90), "value, key 2: {:.2f}"),
    ),
    "field": Row(key=("[aria-label^='layer 3, position 4']", "ArrowRight")),
    "words": Row(
        room=Room(slide=585, page=585, site=585),
        walk=(
            "select",
            ("ArrowDown", "Its output is food 0.17, technology 2.20"),
            ("Tab Control+a", "="),
            ("'bake the apple, mum", "^Not on the map: mum. apple attends"),
            ("Tab Tab ArrowUp Enter", "^Not on the map: mum. bake attends"),  # by Reset, to the map
            ("Tab Tab Tab ArrowDown", "^Not on the map: mum. the has the same"),  # apple, the list
            ("Tab", None),
        ),
        clicks=(
            ("[role=button][aria-label^=pie]", "^pie attends"),
            ("[role=button][aria-label^=adapter]", "^pie attends"),  # is not in the sentence
            (RESET, "cinnamon: score 1 · 3 + 1 · 0 = 3"),
        ),
        glides=(
            f"const menu = {ROOT}.querySelector('select'); menu.value = '{live_kinds.TOLD[1]}'; "
            "menu.dispatchEvent(new Event('input'))",
            f"{ROOT}.querySelector('path[fill=\"var(--output)\"]')",
            50,
        ),
        finger=("[role=button][aria-label^='apple']", (0, -100), "technology 1.8"),
    ),
    "stories": Row(
        room=TALL,
        walk=(
            "input[type=text]",
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
        ),
        turns=(".maps input", "Space"),  # a head is off
    ),
    **dict.fromkeys(("reader", "chosen"), Row(room=TALL)),
    "train": Row(room=Room(slide=585, page=679, site=679)),
    "maps": Row(room=Room(slide=665, page=720)),
    "many maps": Row(room=Room(slide=770)),
    "cache": Row(
        room=CACHE,
        walk=(
            "role=button[name=/Play/]",
            ("Tab Enter", "^milk is the query, token 6"),  # back
            ("Tab Enter Tab End", "^it is the query, token 9"),  # forward, and the tokens read
            ("Tab Enter", "^and is the query, token 7"),  # Reset
            ("Tab", "="),  # the words: to pass by changes nothing
            ("Home", "^the is the query, token 1"),
            ("ArrowRight", "^hungry is the query, token 2"),
            ("Tab ArrowUp", "Cached: 2 of 2 tokens × 1,024 = 2,048 bytes"),  # the kinds
            ("Home ArrowDown ArrowDown", "however many tokens"),
            ("Tab", None),
        ),
        clicks=(
            (
                "[aria-label^='linear attention, 8 heads of 16 × 16']",
                "all 7 tokens are summed into it",
            ),
            ("[aria-label^='cat: ']", "^cat is the query, token 3. State: 8,192 bytes"),
            ("[aria-label^='multi-head (MHA), 8 heads: 3,072']", "3 of 3 tokens × 1,024"),
            (RESET, "^and is the query, token 7. Cached: 5 of 7 tokens"),
        ),
        plays=("^it is the query, token 9", "^hungry is the query, token 2"),
        turns=("[aria-label='kinds of attention'] [tabindex='0']", "ArrowDown ArrowUp ArrowUp"),
    ),
    "crowded cache": Row(
        room=CACHE,
    ),
    "ring": Row(
        room=RING,
        walk=(
            "role=button[name=/Play/]",
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
        ),
        clicks=(
            (
                "[aria-label^='rank 0, keys of rank 3: round 1']",
                "^Round 1: each block of keys and values has moved on",
            ),
            ("role=checkbox[name=striped]", "Rank 0 computes 6 scores, and is then idle."),
            ("role=checkbox[name=causal]", "0 % idle"),
            (RESET, "^Round 0: each rank has its own block"),
        ),
        plays=("^Round 3", "^Round 1"),
        glides=(
            f"{ROOT}.querySelectorAll('button')[2].click()",
            f"[...{ROOT}.querySelectorAll('text')].find(t => t.textContent === 'keys of rank 0')",
            100,
        ),
        turns=("input[type=range]", "ArrowRight ArrowRight"),
    ),
    "full ring": Row(
        room=RING,
    ),
    **dict.fromkeys(("ring of three", "ring of two"), Row(room=RING)),
}


def having(field):
    """The names of the figures of which a field of the table is not empty."""
    return [name for name, row in ROWS.items() if getattr(row, field)]
