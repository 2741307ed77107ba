"""Is a real model's *bank* told by its sense or by the topic of the sentence?

Written down before the run. Here all eight combinations stand side by side, eight sentences each:
the sense, the topic of the sentence, and whether an article or an adjective stands before the
word. Each factor is asked alone: among the sentences that share neither of the other two with the
one that asks, is the nearest one that shares it? Then two in a contest: of those that share the
sense alone, and those that share the topic alone, is the nearest one of the sense?

Predicted: *bank* is told by its sense from point 6 on, in 0.85 or more. Refuted: the sense is told
in less than three quarters at all points from 6 on; or the topic wins the contest with the sense at
point 12, so that the parting in the book's figure is that of topics.
"""

import torch
import torch.nn.functional as F
from experiment import Experiment, functions_of

senses = functions_of("real_senses")
MONEY = senses.BANK[0].splitlines()
EACH, DRAWN = 8, 6


# The word is the last token of each. First the sense, then the topic, then what stands before it.
BANK = {
    # money
    (0, 0, 0): "\n".join(line for n, line in enumerate(MONEY) if n not in (3, 9)),
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
ASKED = {"bank_sense": (0, 0), "bank_topic": (1, 1), "bank_sense_topic": (0, 1)}


def run(variant, seed, steps):
    """How often the nearest of those that share one factor, or one of two, shares the first."""
    streams, others, before = senses.streams_of("\n".join(BANK.values()), "bank")
    factors = torch.tensor(list(BANK)).repeat_interleave(EACH, 0)  # of the 64 sentences
    generator = torch.Generator().manual_seed(seed)
    chosen = torch.cat(
        [cell * EACH + torch.randperm(EACH, generator=generator)[:DRAWN] for cell in range(8)]
    )
    factors = factors[chosen]
    first, second = ASKED[variant]
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
    varies="what is asked of the nearest sentence: whether it shares the sense or the topic, among "
    "those that share no other factor; or a contest, among those that share the sense alone or the "
    "topic alone",
    held="64 sentences with *bank*, eight in each combination of sense (money or river), topic "
    "(that of the one sense or of the other) and word before (an article or an adjective); a seed "
    "draws six of each eight; the word is the last token; the nearest by the cosine, the mean "
    "removed; point 0 is the embedding, point n the stream behind n layers",
    control="the same with what is shared drawn at random, which must give about a half; the one "
    "token before, or the mean of all words before, without any model",
    refuted="the sense is told in less than three quarters at all points from 6 on; or the topic "
    "wins the contest with the sense at point 12",
    variants={
        "bank_sense": "the sense alone",
        "bank_topic": "the topic alone",
        "bank_sense_topic": "the sense against the topic",
    },
    seeds=16,
)
