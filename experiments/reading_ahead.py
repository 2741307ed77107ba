"""What does a model learn that is trained without the causal mask?"""

from experiment import Experiment

from d2lattn_book.language import next_word, words

SENTENCE = words.sentences()[0][:-1]  # the dog found the milk what a hungry


def run(variant, seed, steps):
    """The loss as it was trained, that with the mask put on, and where the guessing words look."""
    trained = next_word.train(seed, steps=steps, every=steps, is_causal=variant == "mask")
    model, least = trained.model, words.least_loss(trained.seen)
    as_trained = model.loss(trained.seen).item()
    weights = model.read(SENTENCE)[1]
    model.is_causal = True  # put the mask on
    with_mask = model.loss(trained.seen).item()
    return {
        "loss as trained": as_trained,
        "with the mask put on": with_mask,
        "as trained, below an honest reader": as_trained < least,
        "with the mask, above twice an honest reader": with_mask > 2 * least,
        "both *the* look at the next word": bool((weights[[0, 3], [1, 4]] > 0.5).all()),
        "*a* looks at *hungry*": bool(weights[6, 7] > 0.5),
    }


EXPERIMENT = Experiment(
    section="3.5",
    varies="whether the model is trained with the causal mask",
    held="sentences, width 32, AdamW, learning rate 0.03, batches of 32",
    control="the same model trained with the mask: if its loss, too, falls below that of an honest "
    "reader, a loss near 0 is no sign of a leak",
    refuted="trained without the mask the loss stays near that of an honest reader, or it stays "
    "low when the mask is put on",
    steps=200,
    seeds=16,
    variants={"none": "trained without the mask", "mask": "trained with it"},
)
