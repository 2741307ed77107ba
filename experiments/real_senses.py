"""Does a real model's *apple* stand near the *apple* of the same sense?

Its last variant and its last columns were written down before they were run; what made us ask was
one trial with all sentences. All ten fruit sentences end in an article, an adjective or a number,
and all ten of the company in a preposition, *and* or *company*: the word before was never crossed
with the sense, and the mean of all words before does not see it. So ten and ten with these endings
exchanged (*This juice is made from*, *He works for the giant*) ask the first twenty. Predicted:
with endings exchanged the nearest is of the own sense in fewer than half behind three layers, and
the one token before, without a model, gets above 0.75 for *apple* and less than 0.65 for *bank*,
whose sentences end alike. Refuted if with endings exchanged it is of the own sense in three
quarters of the cases behind three layers.
"""

import functools

import smollm
import torch
import torch.nn.functional as F
from experiment import Experiment

from d2lattn_book.real import trace

POINTS = (0, 1, 2, 3, 6, 12, 18, 24, 30)

# Each sentence ends in the word. Ten of one sense, ten of the other; *water* has one sense,
# and two topics.
APPLE = (
    """She peeled a ripe red
He baked a pie with a sweet
In the orchard we picked an
For dessert the child ate an
The recipe needs sugar, butter and one
A worm had eaten into the
The tree was heavy, and down fell an
Beside the pears and plums lay an
The horse was happy to be given an
Every morning with her breakfast she eats an""",
    """The new phone was made by
Shares rose sharply after the earnings report of
She works as a software engineer at
The laptop and the tablet are both from
Google, Microsoft and
The court fined the technology company
Investors sold their stock in
The music service belongs to
The operating system was developed by
The chief executive announced a new watch from""",
)
BANK = (
    """She opened an account at the
He borrowed the money from a
The loan was approved by the
Interest rates were raised by the central
The robbers escaped with cash from the
Every month I pay my mortgage to the
The cashier counted the notes at the
His salary is paid into the
A cheque was sent to the
The crisis began with the failure of a""",
    """They sat fishing on the river
The boat was pulled up onto the
Reeds and willows grow along the
The flood washed over the
The otter climbed out of the water onto the
We walked beside the stream on its grassy
The canoe was tied to a tree on the
Cattle came down to drink at the muddy
The swimmer reached the opposite
Ducks were nesting on the""",
)
WATER = (
    """Boil the pasta in salted
Add flour, yeast and warm
The cook filled the pot with
Rinse the rice in cold
For the soup take two litres of
Drain the beans and keep the
The tea is made with hot
Dissolve the sugar in a cup of
Steam the vegetables over a little
The dough was too dry and needed""",
    """The ship sank in deep
The sailors fell into the icy
A whale came up out of the
The divers went down into the dark
The storm drove waves of grey
The submarine disappeared under the
The harbour has shallow
Sharks were seen in the coastal
The anchor dropped into the
The island is surrounded by clear""",
)
# They ask the first twenty: their last words before *apple* are of the other kind.
ENDINGS = (
    """This juice is made from
The smoothie tastes of
The cake was filled with
The tart is topped with
The baby food contains pear and
The cider is pressed from
The candle smells of
The jam was cooked from plum and
For the crumble use rhubarb or
The children prefer banana to""",
    """The phone was made by a firm called the
He works for the giant
She owns shares of the mighty
The programmer was hired by an arrogant
We compared the old Microsoft with the new
The court punished the greedy
The designer left a troubled
The news is about the richest
Investors were disappointed by a weaker
The engineer complained about his employer, the powerful""",
)
SENTENCES = dict(apple=APPLE, bank=BANK, water=WATER)


def run(variant, seed, steps):
    """How often the nearest of eight and eight sentences is of the same sense, by layer."""
    word, _, asking = variant.partition("_")
    streams, others, before = streams_of("\n".join(SENTENCES[word]), word)
    generator = torch.Generator().manual_seed(seed)
    chosen = torch.stack([torch.randperm(10, generator=generator)[:8] + s for s in (0, 10)])
    chosen, sense = chosen.flatten(), torch.arange(16) // 8
    at_random = sense[torch.randperm(16, generator=generator)]
    if asking:
        new = streams_of("\n".join(ENDINGS), word)
        own = torch.arange(len(new[1])) * 2 // len(new[1])
        pairs = {f"point {n}": (new[0][n], streams[n, chosen]) for n in POINTS}
        pairs["others"], pairs["before"] = (new[1], others[chosen]), (new[2], before[chosen])
        found = {name: same_from(x, own, y, sense) for name, (x, y) in pairs.items()}
        by_chance = same_from(new[0][12], own, streams[12, chosen], at_random).mean()
    else:
        own, x = sense, {f"point {n}": streams[n, chosen] for n in POINTS}
        x |= {"others": others[chosen], "before": before[chosen]}
        found = {name: same(vectors, sense) for name, vectors in x.items()}
        by_chance = same(streams[12, chosen], at_random).mean()
    return {
        **{name: found[name].mean() for name in found if name.startswith("point")},
        "point 12, senses at random": by_chance,
        "the other words' embeddings": found["others"].mean(),
        "that of the one token before": found["before"].mean(),
        "point 3, the first sense": found["point 3"][own == 0].mean(),
        "the second": found["point 3"][own == 1].mean(),
    }


def same(x, sense):
    """For each vector whether the nearest, without their mean, is of its sense; ties in parts."""
    x = F.normalize((x - x.mean(0)).double(), dim=-1)
    return of_nearest((x @ x.T).fill_diagonal_(-2), sense[:, None] == sense)


def same_from(x, own, y, sense):
    """The same for each x, with the nearest among the vectors y, without the mean of all."""
    mean = torch.cat([x, y]).mean(0)
    x, y = (F.normalize((vectors - mean).double(), dim=-1) for vectors in (x, y))
    return of_nearest(x @ y.T, own[:, None] == sense)


def of_nearest(cosines, right):
    """How many of the nearest of each row, all where vectors are the same, are right."""
    nearest = cosines > cosines.amax(1, keepdim=True) - 1e-9
    return (nearest & right).sum(1).double() / nearest.sum(1)


@functools.cache
def streams_of(sentences, word):
    """The word's stream in its sentences, (31, N, E), the mean embedding of the words before it,
    (N, E), and the embedding of the last of these, (N, E)."""
    streams, others, before = [], [], []
    for sentence in sentences.splitlines():
        tokens = smollm.encode(f"{sentence} {word}")
        if tokens[0, -1] != smollm.piece(word):
            raise ValueError(f"the word must be the last token, got {sentence!r}")
        stream = trace(smollm.model(), tokens, keep=["stream"]).stream[:, 0]
        streams.append(stream[:, -1])
        others.append(stream[0, :-1].mean(0))
        before.append(stream[0, -2])
    return torch.stack(streams, 1), torch.stack(others), torch.stack(before)


EXPERIMENT = Experiment(
    section="9.2",
    varies="the word: two of two senses, and one of one sense in sentences on two topics; a seed "
    "draws eight of ten sentences of each kind; in the last row new sentences with *apple* ask "
    "these sixteen, and end like those of the other sense",
    held="the word is the last token, so that all it knows comes from what stands before it; the "
    "nearest by the cosine, the mean of the sixteen removed; the stream's point 0 is the "
    "embedding, point n the stream behind n layers",
    control="senses at random, which must give about a half; the mean embedding of the words "
    "before, or that of the one token before, without any model: if it is as good, no layer was "
    "needed; *water*: if it parts as well as the others, it need not be the sense; and the last "
    "row: if the sense is told, it is told with other endings",
    refuted="the nearest is of the other sense in more than a quarter of the cases at all points; "
    "with endings exchanged, in more than a quarter at point 3",
    variants={
        "apple": "*apple*, fruit or company",
        "bank": "*bank*, money or river",
        "water": "*water*, in the kitchen or at sea",
        "apple_endings": "*apple*, endings exchanged",
    },
    seeds=16,
)
