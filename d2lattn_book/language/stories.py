"""The larger corpus: a grammar of seven topics, made so that what words mean can be counted.

People and royalty differ by role and by pronoun, places by country and by kind; `apple` is a fruit
and a company; kitchens and offices never mix; and in the pronoun sentences one adjective decides
what *it* means (after Levesque, Davis & Morgenstern 2012, "The Winograd Schema Challenge"). The
word vectors of `words` are trained on it. Everything is lower case, without commas.
"""

import itertools
import random
from collections.abc import Sequence

PEOPLE = {  # he, she: what they wear and where they are
    ("man", "woman"): ("coat", "street"),
    ("king", "queen"): ("crown", "palace"),
    ("prince", "princess"): ("ring", "castle"),
    ("duke", "duchess"): ("sword", "tower"),
    ("boy", "girl"): ("cap", "school"),
    ("father", "mother"): ("scarf", "home"),
    ("actor", "actress"): ("mask", "theatre"),
    ("waiter", "waitress"): ("apron", "cafe"),
}
PLACES = {  # country: capital, language, river
    "france": ("paris", "french", "seine"),
    "italy": ("rome", "italian", "tiber"),
    "germany": ("berlin", "german", "spree"),
    "spain": ("madrid", "spanish", "manzanares"),
    "portugal": ("lisbon", "portuguese", "tagus"),
    "poland": ("warsaw", "polish", "vistula"),
    "hungary": ("budapest", "hungarian", "danube"),
    "norway": ("oslo", "norwegian", "aker"),
}
FRUIT = ("apple", "banana", "pear", "peach", "cherry", "plum")
COMPANIES = ("apple", "google", "intel", "nokia", "samsung", "siemens")
COOKS = ("cook", "baker", "chef")
CLERKS = ("clerk", "manager", "secretary")
ANIMALS = ("animal", "dog", "horse", "cow", "goat", "sheep", "donkey", "pig", "duck", "fox")
WAYS = ("street", "road", "river", "bridge", "field", "square", "path", "stream", "track", "lane")
OF_ANIMALS = ("tired", "weak", "sick", "afraid", "hungry", "lazy")
OF_WAYS = ("wide", "long", "muddy", "icy", "busy", "rough")


def _people(pick):
    pair = pick(list(PEOPLE))
    (thing, place), she = PEOPLE[pair], pick((False, True))
    he, his, himself = ("she", "her", "herself") if she else ("he", "his", "himself")
    return pick(
        (
            f"the {pair[she]} wore {his} {thing} in the {place}",
            f"in the {place} the {pair[she]} lost {his} {thing}",
            f"the {pair[she]} said that {he} liked the {place}",
            f"{he} is a {pair[she]} and {he} has a {thing}",
            f"the {pair[she]} went to the {place} by {himself}",
            f"the {pair[she]} with the {thing} saw {himself} in the mirror",
        )
    )


def _places(pick):
    country = pick(list(PLACES))
    capital, language, river = PLACES[country]
    return pick(
        (
            f"{capital} is the capital of {country}",
            f"the people of {country} speak {language}",
            f"the mayor of {capital} speaks {language}",
            f"the {river} flows through the city of {capital}",
            f"the {river} flows through the country of {country}",
            f"the {language} train stops at the station in {capital}",
            f"the {language} president travels across the whole country of {country}",
            f"the farmers of {country} sell wheat on the {river}",
            f"the museum of {capital} stands on the {river}",
        )
    )


def _fruit(pick):
    start = pick(("ripe", "fresh", "sweet", "sour"))
    end = pick(
        (
            "pie cooled on the table",
            "juice tasted good at breakfast",
            "trees bloom in the garden",
            "slices lie on the plate",
            "jam tasted good on bread",
        )
    )
    return f"{start} {pick(FRUIT)} {end}"


def _companies(pick):
    start = pick(("new", "cheap", "expensive", "fast"))
    end = pick(
        (
            "phones sold well in the store",
            "computers run on new software",
            "shares rose on the market",
            "engineers work on new software",
            "screens sold well on the market",
        )
    )
    return f"{start} {pick(COMPANIES)} {end}"


def _kitchen(pick):
    food = pick(("soup", "rice", "fish", "bread"))
    tool = pick(("pot", "pan", "oven", "bowl"))
    return pick(
        (
            f"the {pick(COOKS)} cooked {food} in the {tool}",
            f"in the kitchen the {pick(COOKS)} washed the {tool}",
            f"the {tool} with the {food} stood in the kitchen",
        )
    )


def _office(pick):
    paper = pick(("letter", "report", "contract", "invoice"))
    tool = pick(("desk", "printer", "computer", "drawer"))
    return pick(
        (
            f"the {pick(CLERKS)} left the {paper} at the {tool}",
            f"in the office the {pick(CLERKS)} signed the {paper}",
            f"the {tool} with the {paper} stood in the office",
        )
    )


def _pronouns(pick):
    animal, way, adjective = pick(ANIMALS), pick(WAYS), pick(OF_ANIMALS + OF_WAYS)
    return pick(_about_it(animal, way, adjective))


def _about_it(animal, way, adjective):
    why = f"because it was too {adjective}"
    return (
        f"the {animal} did not cross the {way} {why}",
        f"the {way} was not crossed by the {animal} {why}",
    )


TOPICS = {
    "people": _people,
    "places": _places,
    "fruit": _fruit,
    "companies": _companies,
    "kitchen": _kitchen,
    "office": _office,
    "pronouns": _pronouns,
}


def stories(
    count: int = 5000, *, topics: str | Sequence[str] = tuple(TOPICS), seed: int = 0
) -> list[list[str]]:
    """Sentences drawn from the larger grammar, the topics taking turns.

    Args:
        count (int): how many sentences.
        topics: which of "people", "places", "fruit", "companies", "kitchen", "office" and
            "pronouns". In "fruit" and "companies" the name is always the second word.
        seed (int): another seed, another draw; equal on every machine.

    Returns:
        list of list of str.

    Example:
        >>> for sentence in stories(2, topics=("fruit", "companies")):
        ...     print(" ".join(sentence))
        sour apple slices lie on the plate
        expensive nokia screens sold well on the market
    """
    topics = [topics] if isinstance(topics, str) else topics
    pick = random.Random(seed).choice
    turns = itertools.islice(itertools.cycle(topics), count)
    return [TOPICS[topic](pick).split() for topic in turns]


def pronouns() -> list[tuple[list[str], str]]:
    """Every sentence whose last word decides what *it* means, with what it means.

    *the animal did not cross the street because it was too tired* (the animal) or *… wide* (the
    street), for 10 animals, 10 ways and 6 + 6 adjectives, active and passive: 2,400 sentences.

    Returns:
        list of (sentence, meaning): a list of str and a str, one of its words.

    Example:
        >>> sentence, meaning = pronouns()[0]
        >>> " ".join(sentence[-4:]), meaning
        ('it was too tired', 'animal')
    """
    return [
        (sentence.split(), animal if adjective in OF_ANIMALS else way)
        for animal, way in itertools.product(ANIMALS, WAYS)
        for adjective in OF_ANIMALS + OF_WAYS
        for sentence in _about_it(animal, way, adjective)
    ]
