"""Does guessing what followed last time write the same text in fewer passes?

Written down before the run. The guess is the page's: where the last three tokens stood before, or
else the last two, what followed there, four tokens of it; the model reads them in one pass, and
what it would not have said itself is taken back. Expected: the same 200 tokens in each of the 24
texts, since a token is only kept where the model alone says it. A table repeats whole rows: less
than half of the passes. Code: less than 120 of 200. Prose, which a small model that always takes
the likeliest token soon repeats as well: 120 to 170. Guesses drawn at random save at most 2 passes.
Time: a pass of five tokens took 1.6 times that of one before this was written, so time falls less
than the passes do, and for prose hardly at all. Refuted if a text differs, if a table takes half of
the passes or more, or if random guesses save more than one pass in twenty.
"""

import functools
import random
import time

import pages
import smollm
from experiment import Experiment

STEPS, AHEAD = 200, 4
page = functools.cache(functools.partial(pages.functions, "real_guess_ahead"))


def run(variant, seed, steps):
    """200 tokens written one by one and ahead, and the passes that other guesses would take."""
    start, draw = TEXTS[variant](seed), random.Random(seed)
    alone, _, seconds = written(start, lambda text: [])
    ahead, passes, sooner = written(start, page().guess)
    assert ahead != alone or passes == passes_of(alone, len(start), page().guess)

    def from_anywhere(text):
        place = draw.randrange(len(text) - AHEAD)
        return text[place : place + AHEAD]

    guesses = dict(random=lambda text: draw.choices(range(1000, 40000), k=AHEAD))
    guesses["the same text, anywhere"] = from_anywhere
    return {
        "passes": passes,
        "the same 200 tokens": ahead == alone,
        "time, % of one by one": 100 * sooner / seconds,
        **{f"passes, guesses {k}": passes_of(alone, len(start), g) for k, g in guesses.items()},
    }


def written(start, guess):
    """The text, its passes, and the processor's seconds."""
    began = time.process_time()
    text, passes = page().generate_ahead(smollm.model(), start, STEPS, guess)
    return text, passes, time.process_time() - began


def passes_of(text, end, guess):
    """How many passes write the rest of a text that is known, with any guesses: no model needed."""
    passes = 0
    while end < len(text):
        right = 0
        for guessed, said in zip(guess(text[:end]), text[end:], strict=False):
            if guessed != said:
                break
            right += 1
        end, passes = end + right + 1, passes + 1
    return passes


def prose(seed):
    return smollm.passages(seed, 1, 96)[0].tolist()


def table(seed):
    """Orders of a shop: six people, each of a city, and five things, each with its price."""
    draw = random.Random(seed)
    names = ["Ada", "Bob", "Cem", "Dora", "Eva", "Finn", "Gus", "Hana"]
    cities = ["London", "Paris", "Rome", "Berlin", "Madrid", "Oslo"]
    people = [(name, draw.choice(cities)) for name in draw.sample(names, 6)]
    goods = [(what, draw.randint(2, 99)) for what in ("bread", "milk", "cheese", "apple", "lamp")]
    rows = ["order, name, city, item, price"]
    for order in range(1, 9):
        rows.append(", ".join(map(str, (order, *draw.choice(people), *draw.choice(goods)))))
    return smollm.encode("\n".join(rows) + "\n")[0].tolist()


def code(seed):
    """The beginning of a class, with methods that get and set its fields."""
    fields = random.Random(seed).sample(["name", "size", "color", "price", "owner", "weight"], 4)
    lines = ["class Item:", f"    def __init__(self, {', '.join(fields)}):"]
    lines += [f"        self.{field} = {field}" for field in fields]
    field = fields[0]
    lines += ["", f"    def get_{field}(self):", f"        return self.{field}"]
    lines += ["", f"    def set_{field}(self, {field}):", f"        self.{field} = {field}", ""]
    return smollm.encode("\n".join(lines))[0].tolist()


TEXTS = {"prose": prose, "table": table, "code": code}

EXPERIMENT = Experiment(
    section="12.9",
    varies="what is written on: prose of this book, a table of orders, the beginning of a class",
    held="SmolLM2, always the likeliest token, 200 tokens, four guessed at most; one thread",
    control="four guesses drawn at random, and four tokens that follow anywhere in the same text, "
    "which must save nothing or little; they are counted on the finished text, as the page does it",
    refuted="a text that differs, a table in half of the passes or more, or random guesses that "
    "save more than one pass in twenty",
    variants={"prose": "prose", "table": "a table", "code": "code"},
    small=dict(STEPS=20),
)
