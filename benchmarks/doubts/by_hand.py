"""Sentences that arithmetic decides, with other words, other sentences and other numbers.

Is to fit still not to be near, whoever asks (1)? Does the wrong axis forget the word that counts in
another sentence, too (30)? Is every lookup a limit of attention (125), and every score of size √d
(127)?
"""

import math

import torch

from d2lattn import attention

FOOD = {  # chapter 0: (food, technology)
    "bake": (2, 0),
    "pie": (2, 0),
    "cinnamon": (3, 0),
    "charge": (0, 2),
    "phone": (0, 2),
    "adapter": (0, 3),
    "the": (0, 0),
    "with": (0, 0),
    "apple": (1, 1),
}
NIGHT = {  # chapter 1: (sport, day or night)
    "the": (0, 0),
    "swung": (3, 0),
    "racket": (2, 0),
    "girl": (1, 2),
    "chased": (0, -1),
    "owl": (0, -3),
    "bat": (1, -1),
}


def embed(sentence, table):
    return torch.tensor([table[word] for word in sentence.split()], dtype=torch.float64)


def near_or_fitting():
    for sentence in ("bake the apple pie with cinnamon", "charge the apple phone with adapter"):
        told, X = sentence.split(), embed(sentence, FOOD)
        for i, asks in enumerate(told):
            others = [j for j in range(len(told)) if j != i]
            scores, far = X[others] @ X[i], (X[others] - X[i]).norm(dim=-1)
            best = {told[others[j]] for j in (scores == scores.max()).nonzero().flatten()}
            near = {told[others[j]] for j in (far == far.min()).nonzero().flatten()}
            print(
                f"  {asks:9} fits best {' '.join(sorted(best)):35} nearest {' '.join(sorted(near))}"
            )


def wrong_axis():
    for sentence in ("the girl swung the bat", "the owl chased the bat", "the bat chased the owl"):
        told, X = sentence.split(), embed(sentence, NIGHT)
        row, right = (torch.softmax(X @ X.T, dim=dim)[told.index("bat")] for dim in (0, 1))
        most = right.argmax()
        print(f"  {sentence}: row {row.sum():.2f}, from {told[most]} {row[most]:.3f} of it")


def lookups(T=1e-4):
    keys, values = torch.eye(4).double(), torch.arange(4.0).double()[:, None]
    turned = torch.linalg.qr(torch.randn(4, 4, generator=torch.Generator().manual_seed(0)))[0]
    longer = keys * torch.tensor([1.0, 1, 1, 3])[:, None] + 0.5  # no longer one-hot
    for name, query, known in (
        ("a known term", keys[1], keys),
        ("keys turned, so not one-hot", turned[1].double(), turned.double()),
        ("keys of several lengths", longer[1], longer),
        ("two terms, 1 and 3", keys[1] + keys[3], keys),
        ("an unknown term", 0 * keys[1], keys),
    ):
        found = attention(query[None], known, values, scale=1 / T)
        print(f"  {name:28} should find 1, finds {found.item():.2f}")


def sizes():
    generator = torch.Generator().manual_seed(0)

    def flips(d, right=0.5):
        return 2.0 * (torch.rand(2, 20_000, d, generator=generator) < right) - 1

    for d in (4, 1024):
        for name, (q, k) in (
            ("coin flips", flips(d)),
            ("flips that show +1 three times in four", flips(d, 0.75)),
            ("each flip stands in four channels", flips(d // 4).repeat_interleave(4, dim=-1)),
        ):
            scores = (q * k).sum(-1)
            size = scores.square().mean().sqrt()
            print(
                f"  d = {d:4}, √d = {math.sqrt(d):2.0f}, {name:38} variance {scores.var():6.0f}, "
                f"root of the mean square {size:4.0f}"
            )


for number, show in {1: near_or_fitting, 30: wrong_axis, 125: lookups, 127: sizes}.items():
    print(number)
    show()
