"""Is it the thinning of the softmax that costs answers among many words, and does log n help?"""

import pages
from experiment import Experiment

page = pages.functions("thinning")
LEADS = {"lead": 0.1, "anywhere": 0.0}


def run(variant, seed, steps):
    """Shares and right answers among 16 and 1,024 words, for each way to weigh."""
    lead = LEADS[variant]
    model = page.train_largest(lead, seed, steps)
    found = {}
    for n, how in ((16, "softmax"), (1024, "softmax"), (1024, "log n")):
        share, right = page.share_and_right(model, n, lead, how)
        found |= {f"weight, {how}, {n}": share, f"right, {how}, {n}": right}
    controls = [(1024, "largest alone")]
    controls += [(n, f"times {c}") for c in (1.5, 2.5, 10) for n in (16, 1024)]
    for n, how in controls:
        found[f"right, {how}, {n}"] = page.share_and_right(model, n, lead, how)[1]
    return found


EXPERIMENT = Experiment(
    section="10.16",
    varies="whether the largest number is 1 and all others below 0.9, or all lie between 0 and 1",
    held="one head without places, trained on 16 words with a letter and a number each; tested on "
    "400 sets; log n means scores times log n / log 16, in the test alone",
    control="all of the weight on the largest score, which cannot thin out: if it is wrong as "
    "well, thinning is not what costs the answers; a constant factor at all n in the place of log "
    "n (log 1024 / log 16 is 2.5): if it brings as many answers back, and costs none among 16, it "
    "is not the logarithm that does it",
    refuted="where the largest leads, log n leaves the answers as wrong as they are; or where the "
    "numbers lie anywhere, it brings all of them back",
    steps=400,
    seeds=8,
    variants={"lead": "the largest leads by 0.1", "anywhere": "anywhere between 0 and 1"},
    run=run,
)
