"""Does a decoder of letters beat counting on a text of 160,000 letters?"""

from experiment import Experiment

from d2lattn_book.language import own_text


def run(variant, seed, steps):
    text = own_text.read()
    learner = own_text.train_on(text, steps=steps, seed=seed, progress=False)
    counted = min(own_text.count(text, order) for order in range(2, 7))
    return {
        "loss, read letters": learner.read[-1],
        "loss, unread letters": learner.unread[-1],
        "least of 8 times": min(learner.unread),
        "counting": counted,
        "beats counting": learner.unread[-1] < counted,
    }


EXPERIMENT = Experiment(
    section="9.10",
    varies="the first weights and the stretches that are read",
    held="the stored text, 154,852 letters to read and 8,000 unread; `own_text.train_on`: three "
    "layers of width 96, 4 heads, rotary positions, learning rate 0.003, 16 stretches of 128 "
    "letters a step; losses in nats a letter, of unread letters also the least of the eight times "
    "at which it was taken; counting is the best of the orders 2 to 6 and has no seeds",
    control="on few letters (own_text_few) it must know the read ones by heart and lose on the "
    "unread ones, or else the two losses do not tell learning from remembering",
    refuted="on the whole text counting has the smaller loss on unread letters",
    steps=20,
    seeds=8,
    variants={"all": "the whole text"},
    run=run,
    plan={"all": {30: 3}},
)
