"""Is a real model's *apple* told by its sense, by the topic or by the word before it?

Written down before the run; what made us ask is *real_senses*, where the word before was exchanged,
and then the topic, but never both. Here all eight combinations stand side by side, eight sentences
each: the sense, the topic of the sentence, and whether an article, an adjective or a number stands
before the word, or a preposition, *and* or *company*. *bank* beside it, whose sentences end in an
article or in an adjective. Each factor is asked alone: among the sentences that share neither of
the other two with the one that asks, is the nearest one that shares it? Then two in a contest: of
those that share the sense alone, and those that share the word before (or the topic) alone, is the
nearest one of the sense?

Predicted: after three layers *apple* is told by the word before (0.75 or more), and in the contest
with it the sense wins in less than a quarter; from point 12 on the sense is told in three quarters
and wins both contests in more than half. *bank* is told by its sense from point 6 on, in 0.85 or
more, and the word before it tells less than 0.65. The one token before, without a model, tells the
word before and no sense. Refuted, for *apple*: the word before is told less well than the sense
after three layers. For both: the sense is told in less than three quarters at all points from 6 on;
then neither figure of the book shows one. And for *bank*, which the book's first figure shows: the
topic wins the contest with the sense at point 12, so that the figure's parting is that of topics.
"""

import torch
import torch.nn.functional as F
from experiment import Experiment, functions_of

senses = functions_of("real_senses")
EACH, DRAWN = 8, 6


def without(sentences, *left_out):
    """Eight of ten sentences of the first experiment."""
    lines = enumerate(sentences.splitlines())
    return "\n".join(line for n, line in lines if n not in left_out)


# The word is the last token of each. First the sense, then the topic, then what stands before it.
APPLE = {
    # fruit
    (0, 0, 0): without(senses.APPLE[0], 4, 8),
    (0, 0, 1): without(senses.ENDINGS[0], 4, 6),
    (0, 1, 0): """At the computer shop on my desk lay a half eaten
The software engineer had nothing for lunch but an
Beside the laptop and the phone stood a bowl with one
The chief executive reached into his bag and ate an
Before the earnings report the analyst peeled an
The phone fell down and landed next to a rotten
He typed with one hand and held in the other an
On the screen of the tablet was a photo of a red""",
    (0, 1, 1): """The drink at the computer shop is pressed from
On his keyboard the software engineer spilled a juice of
At the earnings meeting the investors ate cakes filled with
The lip balm of the programmer smells of
In the data centre the staff drink a tea of mint and
In her lunch break the phone designer prefers pear to
The chief executive had a muffin baked with nuts or
The screen of the laptop was sticky with""",
    # the company
    (1, 0, 0): """The chef wrote his recipes on a laptop of the giant
While she baked the pie she read about the profits of the greedy
The fruit seller owns ten shares of the mighty
The juice maker sued the powerful
In the orchard the farmer talked about his software job at the rich
The cookbook is by a baker who had been an engineer at the old
The cider maker sold his trees and bought stock of the new
The gardener's daughter is a lawyer of the arrogant""",
    (1, 0, 1): """The chef wrote his recipes on a laptop made by
While she baked the pie she watched a film on a phone from
In the orchard the farmer uses a watch by
The fruit seller pays his bills with a tablet from
The juice company sued the technology company
The cookbook was published as an app by
The greengrocer bought ten shares of
In the kitchen a speaker plays music from""",
    (1, 1, 0): without(senses.ENDINGS[1], 8, 9),
    (1, 1, 1): without(senses.APPLE[1], 7, 9),
}
BANK = {
    # money
    (0, 0, 0): without(senses.BANK[0], 3, 9),
    (0, 0, 1): """Her savings account is at the old
The loan came from a small
The interest rates were raised by the new
The robbers took the cash of the nearest
She lost her job as a cashier of the quiet
My salary and my mortgage are with the same
The safe stood in the hall of a beautiful
The cheque was refused and he tried the next""",
    (0, 1, 0): """After fishing all day the angler paid a cheque into the
For his canoe he had borrowed the money from a
The captain of the boat keeps his savings at the
The ferryman took the coins of all passengers to the
For the bridge over the stream the town got a loan from the
After the flood the miller owed his mortgage to the
When the ship had landed the sailors robbed the
The swimmer has an account at the""",
    (0, 1, 1): """The angler paid the money for his trout into the old
The boat was bought with a loan from a small
The ferryman took the coins of all passengers to the new
The captain of the boat cashed his cheque at the nearest
Wet from the water, the boatman stood at the counter of the quiet
The fisherman and the miller have an account at the same
With swans on the stream before it stood the vault of a beautiful
Nobody lends money for a canoe, said the angler, and tried the next""",
    # river
    (1, 1, 0): """Reeds and willows grow along the
The flood washed over the
The boat was pulled up onto the
The otter climbed out of the water onto the
Ducks were nesting on the
The canoe was tied to a tree on the
The swimmer was carried by the stream to a
Cattle came down to drink from the""",
    (1, 1, 1): """Willows and reeds grow on the old
The canoe landed on a small
After the flood the stream had a new
The swimmer turned and reached the nearest
We sat and fished on the quiet
The ducks swam back to the same
The boat drifted through the reeds to a beautiful
The otter dived and came out of the water on the next""",
    (1, 0, 0): """After work the cashier took off her shoes and waded to the
The loan officer left the counter and tied his boat to the
The robbers buried the cash in the mud and reeds of the
The accountant dropped his cheque into the stream from the
The investors counted their money in a canoe tied to the
The finance minister spends his salary on fishing rods and sits on a
The mortgage broker planted willows along the
The credit card was found by a swimmer in the grass of the""",
    (1, 0, 1): """The cashier of the savings fund went fishing from the old
The mortgage was for a hut and a boat on a small
With the insurance money they built against the flood a new
The stockbroker fell out of his canoe and swam to the nearest
When the interest rates had risen the investor sat and fished on the quiet
The accountant and his clients tie their boats to the same
The treasurer spent the money on a painting of reeds on a beautiful
The thief threw the cash box into the stream and swam to the next""",
}
WORDS = dict(apple=APPLE, bank=BANK)
FACTORS = dict(sense=0, topic=1, before=2)


def run(variant, seed, steps):
    """How often the nearest of those that share one factor, or one of two, shares the first."""
    word, *asked = variant.split("_")
    streams, others, before = senses.streams_of("\n".join(WORDS[word].values()), word)
    factors = torch.tensor(list(WORDS[word])).repeat_interleave(EACH, 0)  # of the 64 sentences
    generator = torch.Generator().manual_seed(seed)
    chosen = torch.cat(
        [cell * EACH + torch.randperm(EACH, generator=generator)[:DRAWN] for cell in range(8)]
    )
    factors = factors[chosen]
    first, second = (FACTORS[name] for name in (asked * 2)[:2])
    same = factors[:, None] == factors  # (N, N, 3)
    count = same.sum(-1)
    if first == second:  # those that share this factor alone, or none
        candidates = (count == 0) | ((count == 1) & same[..., first])
    else:  # those that share one of these alone
        candidates = (count == 1) & (same[..., first] | same[..., second])
    at_random = same[torch.randperm(len(chosen), generator=generator)][..., first]
    found = {
        f"point {n}": nearest(streams[n, chosen], candidates, same[..., first])
        for n in senses.POINTS
    }
    return {
        **found,
        "point 12, at random": nearest(streams[12, chosen], candidates, at_random),
        "the other words' embeddings": nearest(others[chosen], candidates, same[..., first]),
        "that of the one token before": nearest(before[chosen], candidates, same[..., first]),
    }


def nearest(x, candidates, right):
    """How many of the nearest candidates are right, the mean of all removed; ties in parts."""
    x = F.normalize((x - x.mean(0)).double(), dim=-1)
    return senses.of_nearest((x @ x.T).masked_fill(~candidates, -2), right).mean()


EXPERIMENT = Experiment(
    section="1.9",
    varies="what is asked of the nearest sentence: whether it shares the sense, the topic, or what "
    "stands before the word, among those that share neither of the other two; or a contest, among "
    "those that share the sense alone or the other alone",
    held="64 sentences with *apple*, 64 with *bank*, eight in each combination of sense (fruit or "
    "company, money or river), topic (that of the one sense or of the other) and word before (for "
    "*apple* an article, an adjective or a number, or else; for *bank* an article or an "
    "adjective); a seed draws six of each eight; the word is the last token; the nearest by the "
    "cosine, the mean removed; point 0 is the embedding, point n the stream behind n layers",
    control="the same with what is shared drawn at random, which must give about a half; the one "
    "token before, or the mean of all words before, without any model; and *bank*",
    refuted="after three layers the word before *apple* is told less well than its sense; or a "
    "sense is told in less than three quarters at all points from 6 on; or with *bank* the topic "
    "wins the contest with the sense at point 12",
    variants={
        f"{word}_{asked}": f"*{word}*, {said}"
        for word in WORDS
        for asked, said in {
            "sense": "the sense alone",
            "topic": "the topic alone",
            "before": "the word before alone",
            "sense_before": "the sense against the word before",
            "sense_topic": "the sense against the topic",
        }.items()
    },
    run=run,
    steps=None,
    seeds=16,
)
