"""The sentences of the book, what can be counted in them, and vectors learned from more of them.

Who found, chased or swung what, and what comes next: *the dog chased the cat what a scared* must
go on with *cat*, and with *fierce* it must go on with *dog*. A grammar writes all 120 sentences, so
that everything the chapters say about them can be counted. `bat` is an animal and a thing. The
small model that learns them is `next_word`; the larger corpus is `stories`.
"""

import math
from collections import Counter
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from d2lattn.arguments import show

VECTORS = Path(__file__).parent / "data" / "word_vectors.npz"

ANIMALS = ("dog", "cat", "fox", "bird", "mouse", "bat")
FOODS = ("milk", "bread", "cheese", "apple")
PEOPLE = ("girl", "boy")
THINGS = ("bat", "racket", "hammer")


# The running corpus -------------------------------------------------------------------------------


def sentences() -> list[list[str]]:
    """The running corpus: 120 sentences of nine words, each told once for either of its nouns.

    *the A found the F what a hungry A* (or *tasty F*), *the A chased the B what a fierce A* (or
    *scared B*), *the P swung the T what a strong P* (or *heavy T*), for all animals A ≠ B, foods F,
    people P and things T: 48 + 60 + 12 sentences of 26 words.

    Returns:
        list of list of str, new at each call.

    Example:
        >>> " ".join(sentences()[0])
        'the dog found the milk what a hungry dog'
    """
    plots = (
        ("found", "hungry", "tasty", ANIMALS, FOODS),
        ("chased", "fierce", "scared", ANIMALS, ANIMALS),
        ("swung", "strong", "heavy", PEOPLE, THINGS),
    )
    return [
        ["the", who, verb, "the", what, "what", "a", adjective, noun]
        for verb, of_who, of_what, subjects, objects in plots
        for who in subjects
        for what in objects
        if who != what
        for adjective, noun in ((of_who, who), (of_what, what))
    ]


def vocabulary(corpus: list[list[str]] | None = None) -> list[str]:
    """The words of a corpus in the order of their first appearance.

    Args:
        corpus: list of list of str; the running corpus when absent.

    Returns:
        list of str.

    Example:
        >>> len(vocabulary()), vocabulary()[:4]
        (26, ['the', 'dog', 'found', 'milk'])
    """
    corpus = sentences() if corpus is None else corpus
    return list(dict.fromkeys(word for sentence in corpus for word in sentence))


def places() -> tuple[list[str], Tensor]:
    """Two coordinates for each word of the running corpus, counted and not learned.

    Two words are alike if they share sentences. The table C of the correlations of "stands in the
    sentence", with 0 for a word and itself, has the eigenvectors u₁, u₂ with the largest
    eigenvalues λ₁, λ₂; the coordinates of word i are (λ₁ u₁ᵢ, λ₂ u₂ᵢ): the sums of its neighbours'
    u, weighted by how much the word shares with them. A word of every sentence tells nothing: *the,
    what, a* lie at 0 exactly. The signs are chosen so that *swung* lies at the right and *found*
    above.

    Returns:
        vocabulary (list of str), coordinates (Tensor (26, 2), float32).

    Example:
        >>> words, xy = places()
        >>> [round(v, 2) for v in xy[words.index("bat")].tolist()]
        [0.02, -0.28]
    """
    words = vocabulary()
    stands = torch.tensor([[w in s for w in words] for s in sentences()], device="cpu").double()
    varied = stands.var(0) > 0
    together = torch.corrcoef(stands[:, varied].T).fill_diagonal_(0)
    eigenvalues, eigenvectors = torch.linalg.eigh(together)  # ascending
    placed = (eigenvectors * eigenvalues)[:, [-1, -2]]
    xy = stands.new_zeros(len(words), 2)
    xy[varied] = placed
    xy[:, 0] *= xy[words.index("swung"), 0].sign()
    xy[:, 1] *= xy[words.index("found"), 1].sign()
    return words, (xy + 0.0).float().to(torch.get_default_device())  # no −0


def least_loss(corpus: list[list[str]] | None = None) -> float:
    """The loss of a perfect reader who sees only the words before, in nats per question.

    −mean log p(word | the words before it), p counted in the corpus (Shannon 1951, equation 1). Who
    scores less has seen the answer, or the corpus by heart.

    Args:
        corpus: list of list of str, all of one length; the running corpus when absent.

    Returns:
        float.

    Example:
        >>> round(least_loss(), 3)
        0.598
    """
    corpus = sentences() if corpus is None else corpus
    length, total = len(corpus[0]), 0.0
    for n in range(1, length):
        before = Counter(tuple(sentence[:n]) for sentence in corpus)
        after = Counter(tuple(sentence[: n + 1]) for sentence in corpus)
        total -= sum(count * math.log(count / before[words[:n]]) for words, count in after.items())
    return total / (len(corpus) * (length - 1))


# The larger corpus' vectors ----------------------------------------------------------------------


def word_vectors() -> tuple[list[str], Tensor]:
    """Vectors that gensim's Word2Vec learned from `stories`, loaded without gensim.

    Skip-gram with negative sampling (Mikolov et al. 2013, "Distributed Representations of Words and
    Phrases"): a word's vector is trained to foretell the five words on either side.
    The file says how they were made, and carries the hash of the corpus.

    Returns:
        vocabulary (list of str, the most frequent first), vectors (Tensor (words, width), float32).

    Example:
        >>> words, vectors = word_vectors()
        >>> vectors.shape
        torch.Size([225, 32])
        >>> analogy("man", "king", "woman")
        'queen'
    """
    with np.load(VECTORS) as stored:
        return stored["words"].tolist(), torch.tensor(stored["vectors"], dtype=torch.float32)


def analogy(a: str, b: str, c: str, *, exclude: bool = True) -> str:
    """The word d of "a is to b as c is to d": its vector is nearest to b − a + c.

    d = argmax cos(v_d, v_b − v_a + v_c) (Mikolov, Yih & Zweig 2013, section 4).

    Args:
        a, b, c (str): words of `word_vectors`.
        exclude (bool): whether a, b and c cannot be the answer, as is the custom.

    Returns:
        str.

    Raises:
        ValueError: a word that has no vector.

    Example:
        >>> analogy("france", "paris", "italy"), analogy("man", "king", "woman", exclude=False)
        ('rome', 'queen')
    """
    words, vectors = word_vectors()
    for name, word in dict(a=a, b=b, c=c).items():
        if word not in words:
            raise ValueError(f"{name} must be a word of word_vectors(), got {show(word)}")
    a, b, c = (words.index(word) for word in (a, b, c))
    nearness = F.cosine_similarity(vectors, vectors[b] - vectors[a] + vectors[c], dim=-1)
    if exclude:
        nearness[[a, b, c]] = -1
    return words[nearness.argmax()]
