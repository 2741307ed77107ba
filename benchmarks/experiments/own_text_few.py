"""From which step on does a decoder of letters get worse on what it has not read?"""

from experiment import Experiment

from d2lattn_book.language import own_text

FEW, EVERY = 5000, 50
POINTS = (50, 100, 150, 200, 250, 300)


def run(variant, seed, steps):
    """Losses at several points of one training, and the least of the unread ones."""
    text = own_text.read()[:FEW]
    learner = own_text.train_on(text, steps=steps, every=EVERY, seed=seed, progress=False)
    at = {n: learner.steps.index(n) for n in POINTS}
    least = min(range(len(learner.steps)), key=learner.unread.__getitem__)
    return {
        **{f"read, after {n}": learner.read[i] for n, i in at.items()},
        **{f"unread, after {n}": learner.unread[i] for n, i in at.items()},
        "unread, least": learner.unread[least],
        "after steps": learner.steps[least],
        "counting": min(own_text.count(text, order) for order in range(2, 7)),
    }


EXPERIMENT = Experiment(
    section="9.10",
    varies="the steps, in one training of 300",
    held="the first 5,000 letters of the stored text, 4,500 to read and 500 unread; all else of "
    "own_text; losses in nats a letter",
    control="the loss of the read letters must go on falling where that of the unread ones rises, "
    "or else the training itself went astray",
    refuted="the unread letters cost least at the end",
    steps=300,
    seeds=8,
    variants={"few": "its first 5,000 letters"},
    run=run,
    plan={"few": {1: 3}},
)
