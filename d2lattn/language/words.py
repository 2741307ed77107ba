"""The sentences of the book, and the small model that learns them in front of the reader.

Who found, chased or swung what, and what comes next: *the dog chased the cat what a scared* must
go on with *cat*, and with *fierce* it must go on with *dog*. A grammar writes all 120 sentences, so
that everything the chapters say about them can be counted. `bat` is an animal and a thing.
"""

import copy
import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from d2lattn.arguments import check_count, check_flag, check_number, show
from d2lattn.attention import attention_weights
from d2lattn.multihead import SelfAttention
from d2lattn.positions import LearnedPositionalEncoding

VECTORS = Path(__file__).parent / "data" / "word_vectors.npz"

ANIMALS = ("dog", "cat", "fox", "bird", "mouse", "bat")
FOODS = ("milk", "bread", "cheese", "apple")
PEOPLE = ("girl", "boy")
THINGS = ("bat", "racket", "hammer")


# The running corpus -------------------------------------------------------------------------------


def sentences():
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


def vocabulary(corpus=None):
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


def word_map():
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
        >>> words, xy = word_map()
        >>> [round(v, 2) for v in xy[words.index("bat")].tolist()]
        [0.02, -0.28]
    """
    words = vocabulary()
    stands = torch.tensor([[w in s for w in words] for s in sentences()], dtype=torch.float64)
    varied = stands.var(0) > 0
    together = torch.corrcoef(stands[:, varied].T).fill_diagonal_(0)
    eigenvalues, eigenvectors = torch.linalg.eigh(together)  # ascending
    placed = (eigenvectors * eigenvalues)[:, [-1, -2]]
    xy = torch.zeros(len(words), 2, dtype=torch.float64)
    xy[varied] = placed
    xy[:, 0] *= xy[words.index("swung"), 0].sign()
    xy[:, 1] *= xy[words.index("found"), 1].sign()
    return words, (xy + 0.0).float()  # no −0


def least_loss(corpus=None):
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
    _check_corpus(corpus)
    length, total = len(corpus[0]), 0.0
    for n in range(1, length):
        before = Counter(tuple(sentence[:n]) for sentence in corpus)
        after = Counter(tuple(sentence[: n + 1]) for sentence in corpus)
        total -= sum(count * math.log(count / before[words[:n]]) for words, count in after.items())
    return total / (len(corpus) * (length - 1))


# The larger corpus' vectors ----------------------------------------------------------------------


def word_vectors():
    """Vectors that gensim's Word2Vec learned from `stories`, loaded without gensim.

    Skip-gram with negative sampling (Mikolov et al. 2013, "Distributed Representations of Words and
    Phrases"): a word's vector is trained to foretell the five words on either side.
    tools/make_words.py makes them anew; the file says how, and carries the hash of the corpus.

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
        return stored["words"].tolist(), torch.from_numpy(stored["vectors"]).float()


def analogy(a, b, c, *, exclude=True):
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
    check_flag("exclude", exclude)
    words, vectors = word_vectors()
    for name, word in dict(a=a, b=b, c=c).items():
        if word not in words:
            raise ValueError(f"{name} must be a word of word_vectors(), got {show(word)}")
    a, b, c = (words.index(word) for word in (a, b, c))
    nearness = F.cosine_similarity(vectors, vectors[b] - vectors[a] + vectors[c], dim=-1)
    if exclude:
        nearness[[a, b, c]] = -1
    return words[nearness.argmax()]


# The model that learns it -------------------------------------------------------------------------


class NextWord(nn.Module):
    """One head of attention that reads a sentence and says, at every word, what comes next.

    x = embedding + position; logits = (x + softmax(Q Kᵀ · scale) V) Wᵀ + b, with Q, K and V from
    `SelfAttention`: a Transformer with one layer, one head and nothing else (Vaswani et al. 2017).

    Args:
        words: the vocabulary, a list of different strings.
        embed_dim (int): width of the vectors.
        max_len (int): the longest sentence it can read.
        positions (bool): whether the model is told where a word stands.
        scale (float): the factor of q·k; 1/√embed_dim when absent.
        seed (int): of the weights it starts with.

    Raises:
        ValueError: a word that is not in the vocabulary, and what its parts refuse.

    Cost:
        2·L·E·(3·E + V) + 4·L²·E FLOPs for a sentence of L words and a vocabulary of V.

    Example:
        >>> model = NextWord(vocabulary())
        >>> word, weights = model.read("the dog found the milk what a hungry".split())
        >>> weights.shape
        torch.Size([8, 8])
    """

    def __init__(self, words, embed_dim=32, *, max_len=8, positions=True, scale=None, seed=0):
        super().__init__()
        check_flag("positions", positions)
        if scale is not None:
            check_number("scale", scale)
        self.words, self.scale = list(words), scale
        twice = [word for word, count in Counter(self.words).items() if count > 1]
        if twice:
            raise ValueError(f"words must be different, got {twice[0]!r} twice")
        with torch.device("meta"):  # the weights come below, from a generator of their own
            self.embedding = nn.Embedding(len(self.words), embed_dim)
            self.position = LearnedPositionalEncoding(max_len, embed_dim) if positions else None
            self.head = SelfAttention(embed_dim)
            self.to_words = nn.Linear(embed_dim, len(self.words))
        self.to_empty(device="cpu")
        generator = torch.Generator().manual_seed(seed)
        for name, parameter in self.named_parameters():
            std = parameter.shape[-1] ** -0.5 if "head" in name or "to_words.w" in name else 0.3
            nn.init.normal_(parameter, std=0 if "bias" in name else std, generator=generator)

    def forward(self, tokens, *, is_causal=True, need_weights=False):
        """Numbers of words (..., L) -> logits (..., L, V), or (logits, weights (..., L, L))."""
        x = self.embedding(tokens)
        if self.position is not None:
            x = self.position(x)
        query, key, value = self.head.q_proj(x), self.head.k_proj(x), self.head.v_proj(x)
        weights = attention_weights(query, key, is_causal=is_causal, scale=self.scale)
        logits = self.to_words(x + weights @ value)
        return (logits, weights) if need_weights else logits

    def encode(self, corpus):
        """Sentences of one length (list of list of str) -> numbers of words (count, length)."""
        _check_corpus(corpus)
        numbers = {word: i for i, word in enumerate(self.words)}
        unknown = {word for sentence in corpus for word in sentence} - numbers.keys()
        if unknown:
            raise ValueError(f"sentence must hold words of the vocabulary, got {sorted(unknown)}")
        return torch.tensor([[numbers[word] for word in sentence] for sentence in corpus])

    def loss(self, corpus, *, is_causal=True):
        """Mean −log p of every next word of sentences of one length, in nats: a scalar Tensor."""
        return self.loss_of(self.encode(corpus), is_causal=is_causal)

    def loss_of(self, tokens, *, is_causal=True):
        """The same of numbers of words (count, L): each but the last is asked for the next one."""
        logits = self(tokens[:, :-1], is_causal=is_causal)
        return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())

    @torch.no_grad()
    def read(self, sentence, *, is_causal=True):
        """The word that the model would say next (str), and its attention weights (L, L)."""
        logits, weights = self(self.encode([sentence]), is_causal=is_causal, need_weights=True)
        return self.words[logits[0, -1].argmax()], weights[0]

    @torch.no_grad()
    def accuracy(self, corpus, *, is_causal=True):
        """The share of sentences whose last word the model says."""
        tokens = self.encode(corpus)
        said = self(tokens[:, :-1], is_causal=is_causal)[:, -1].argmax(-1)
        return (said == tokens[:, -1]).double().mean().item()


@dataclass
class Training:
    """What `train` returns: the model, and how it came to be.

    Attributes:
        model (NextWord): after the last step.
        history (list of float): the loss of each step, on its own batch.
        snapshots (dict): step -> a copy of the model then; 0 is the untrained one.
        seen, held_out: the sentences it learned from, and those it never saw.
    """

    model: NextWord
    history: list
    snapshots: dict
    seen: list
    held_out: list


def train(
    seed=2,
    *,
    steps=800,
    embed_dim=32,
    is_causal=True,
    positions=True,
    scale=None,
    learning_rate=0.03,
    weight_decay=0.1,
    every=20,
):
    """Teach a `NextWord` the running corpus: about a second on one thread.

    AdamW (Loshchilov & Hutter 2019) on batches of 32 sentences, the learning rate falling to 0
    along a cosine. A sixth of the sentences with each adjective is held out, 20 in all. Everything
    random comes from the seed: weights, batches, held-out sentences.

    Args:
        seed (int): another seed, another run.
        steps (int): batches.  embed_dim (int): width of the vectors.
        is_causal (bool): whether a word sees only itself and those before it, as an honest reader.
        positions, scale: as in `NextWord`.
        learning_rate, weight_decay (float): of AdamW.
        every (int): steps from one snapshot to the next; the last step has one too.

    Returns:
        Training.

    Raises:
        ValueError: a number out of range.

    Cost:
        `steps` passes over 32 × 8 words: about 1.3 ms each at width 32 on one thread.

    Example:
        >>> training = train(steps=40)
        >>> list(training.snapshots), len(training.held_out)
        ([0, 20, 40], 20)
    """
    check_count("seed", seed, 0)
    for name, count in dict(steps=steps, every=every).items():
        check_count(name, count)
    for name, rate in dict(learning_rate=learning_rate, weight_decay=weight_decay).items():
        check_number(name, rate, 0, 1)

    options = dict(positions=positions, scale=scale, seed=seed)
    model = NextWord(vocabulary(), embed_dim, **options)
    generator = torch.Generator().manual_seed(seed)
    seen, held_out = _split(sentences(), generator)
    tokens = model.encode(seen)
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, weight_decay=weight_decay)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    history, snapshots = [], {0: copy.deepcopy(model)}
    for step in range(1, steps + 1):
        batch = tokens[torch.randint(len(tokens), (32,), generator=generator)]
        loss = model.loss_of(batch, is_causal=is_causal)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        history.append(loss.item())
        if step % every == 0 or step == steps:
            snapshots[step] = copy.deepcopy(model)
    return Training(model, history, snapshots, seen, held_out)


def _split(corpus, generator):
    """Sentences to learn from, and a sixth of those with each adjective for the examination."""
    kinds = {}
    for sentence in corpus:
        kinds.setdefault(sentence[-2], []).append(sentence)
    seen, held_out = [], []
    for kind in kinds.values():
        order = torch.randperm(len(kind), generator=generator).tolist()
        cut = len(kind) // 6
        held_out += [kind[i] for i in order[:cut]]
        seen += [kind[i] for i in order[cut:]]
    return seen, held_out


def _check_corpus(corpus):
    lengths = sorted({len(sentence) for sentence in corpus})
    if not lengths:
        raise ValueError("corpus must hold a sentence, got none")
    if len(lengths) > 1:
        raise ValueError(f"corpus must hold sentences of one length, got lengths {lengths}")
