"""The three heads of 4.1 and 4.9 with other sentences, other seeds and another number of heads.

How often do the heads of a word look at different words, and what has each found (187)? Does the
map of a word tell which of two large shares decides (222)? And must one run the test to know what a
word mattered (251)?
"""

import torch
from book import pages, tell

from d2lattn_book.language import words

page = pages.functions("hide_a_word")
ENDS = [sentence for sentence in words.sentences() if "found" in sentence]  # 48 of them
SEEDS = range(100, 110)  # the page and its experiment have 0 to 15


def last_row(model, begun):
    """The shares of the last word, (H, 8)."""
    return model.read(begun)[1].reshape(-1, 8, 8)[:, -1]


def looking(models, name):
    """At how many words the heads of one word look most, and whether the noun is one of them."""
    different, noun_and_other, found_too = [], [], []
    for model in models:
        for *begun, end in ENDS:
            row = last_row(model, begun)
            at = set(row.argmax(-1).tolist())
            different.append(len(at))
            noun_and_other.append(begun.index(end) in at and len(at) > 1)
            found_too.append(begun.index(end) in at and begun.index("found") in at)
    tell(f"187, {name}: different words at which the heads look most", different)
    tell("  all look most at one", [count == 1 for count in different])
    tell("  the noun and another word", noun_and_other)
    tell("  the noun and *found*", found_too)


def deciding(models):
    """Of two words with more than half of a head each, does hiding change what is said, and does
    the larger share tell which of them does?"""
    cases = both = neither = one = larger_decides = noun_decides = noun_larger = 0
    for model in models:
        for *begun, end in ENDS:
            row = last_row(model, begun).amax(0)
            noun, verb = begun.index(end), begun.index("found")
            if min(row[noun], row[verb]) > 0.5:
                said = page.hide_each(model, begun).argmax(-1)
                by_noun, by_verb = (bool(said[j] != said[8]) for j in (noun, verb))
                cases, noun_larger = cases + 1, noun_larger + bool(row[noun] > row[verb])
                both, neither = both + (by_noun and by_verb), neither + (not by_noun | by_verb)
                if by_noun != by_verb:
                    one += 1
                    larger_decides += bool(row[noun] > row[verb]) == by_noun
                    noun_decides += by_noun
    print(f"222: {cases} times the noun and *found* have more than half of a head each, the noun")
    print(f"  the larger share in {noun_larger}:")
    print(
        f"  both decide in {both}, neither in {neither}, one in {one}; of these it is the noun in"
    )
    print(f"  {noun_decides}, and the one with the larger share in {larger_decides}")


@torch.no_grad()
def without(model, begun, j):
    """The last logits if the last word cannot see word j, from shares and values alone."""
    x = model.position(model.embedding(model.encode([begun])))
    _, _, value = model.head.project(x, x, x)  # (1, H, 8, D)
    row = last_row(model, begun)
    others = row.clone()
    others[:, j] = 0
    blend = (others / others.sum(-1, keepdim=True))[None, :, None] @ value  # (1, H, 1, D)
    return model.to_words(x[:, -1:] + model.head.join(blend))[0, -1]


def worked_out(models):
    """The largest difference between the chances worked out and those that the test finds."""
    for model in models:
        for *begun, _ in ENDS[::8]:
            tested = page.hide_each(model, begun)
            for j in range(8):
                yield (without(model, begun, j).softmax(-1) - tested[j]).abs().max().item()


three = [page.train(seed)[0] for seed in SEEDS]
looking(three, "three heads, new seeds")
looking([page.train(seed, num_heads=6)[0] for seed in list(SEEDS)[:5]], "six heads")
looking([page.train(seed, width=24)[0] for seed in list(SEEDS)[:5]], "three heads, 24 channels")
deciding(three)
tell("251: worked out and tested, difference of the chances", worked_out(three[:3]))
