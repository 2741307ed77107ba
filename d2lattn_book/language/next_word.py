"""The small model that learns the book's sentences in front of the reader, and its training.

One head of attention, a second on one thread: small enough to be looked at before, while and after
it learns.
"""

import dataclasses

import torch
from torch import Tensor, nn

from d2lattn.arguments import show
from d2lattn.attention import attention_weights
from d2lattn.multihead import SelfAttention
from d2lattn.positions import LearnedPositionalEncoding
from d2lattn.training import Run, fit, loss_of
from d2lattn_book.language.words import sentences, vocabulary

BATCH = 32  # sentences


class NextWord(nn.Module):
    """One head of attention that reads a sentence and says, at every word, what comes next.

    x = embedding + position; logits = (x + softmax(Q Kᵀ · scale) V) Wᵀ + b, with Q, K and V from
    `SelfAttention`: a Transformer with one layer, one head and nothing else (Vaswani et al. 2017).

    Args:
        vocabulary: a list of different words.
        embed_dim (int): width of the vectors.
        max_len (int): the longest sentence it can read.
        positions (bool): whether the model is told where a token stands.
        is_causal (bool): whether a token sees only itself and earlier ones. To put the mask on or
            take it off later, set the attribute of this name.
        scale (float): the factor of q·k; 1/√embed_dim when absent.
        seed (int): of the weights it starts with.

    Raises:
        ValueError: a word that is not in the vocabulary, and what its parts refuse.

    Cost:
        2·L·E·(3·E + V) + 4·L²·E FLOPs for a sentence of L tokens and a vocabulary of V.

    Example:
        >>> model = NextWord(vocabulary())
        >>> word, weights = model.read("the dog found the milk what a hungry".split())
        >>> weights.shape
        torch.Size([8, 8])
    """

    def __init__(
        self,
        vocabulary: list[str],
        embed_dim: int = 32,
        *,
        max_len: int = 8,
        positions: bool = True,
        is_causal: bool = True,
        scale: float | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__()
        self.vocabulary, self.is_causal, self.scale = list(vocabulary), is_causal, scale
        with torch.device("meta"):  # the weights come below, from a generator of their own
            self.embedding = nn.Embedding(len(self.vocabulary), embed_dim)
            self.position = LearnedPositionalEncoding(max_len, embed_dim) if positions else None
            self.head = SelfAttention(embed_dim)
            self.lm_head = nn.Linear(embed_dim, len(self.vocabulary))
        self.to_empty(device="cpu")
        generator = torch.Generator().manual_seed(seed)
        for name, parameter in self.named_parameters():
            std = parameter.shape[-1] ** -0.5 if "head" in name else 0.3
            nn.init.normal_(parameter, std=0 if "bias" in name else std, generator=generator)
        self.to(torch.get_default_device())  # drawn on the CPU: a seed gives the same everywhere

    def forward(
        self, tokens: Tensor, *, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Token ids (..., L) -> logits (..., L, V), or (logits, weights (..., L, L))."""
        x = self.embedding(tokens)
        if self.position is not None:
            x = self.position(x)
        query, key, value = self.head.q_proj(x), self.head.k_proj(x), self.head.v_proj(x)
        weights = attention_weights(query, key, is_causal=self.is_causal, scale=self.scale)
        logits = self.lm_head(x + weights @ value)
        return (logits, weights) if need_weights else logits

    def encode(self, corpus: list[list[str]]) -> Tensor:
        """Sentences of one length (list of list of str) -> token ids (count, length)."""
        return self._numbers("corpus", corpus)

    def loss(self, corpus: list[list[str]]) -> Tensor:
        """Mean −log p of every next word of sentences of one length, in nats: a scalar Tensor."""
        return loss_of(self, *_questions(self.encode(corpus)))

    @torch.no_grad()
    def read(self, sentence: list[str]) -> tuple[str, Tensor]:
        """The token that the model predicts (str), and its attention weights (L, L)."""
        if isinstance(sentence, str):  # whose letters would be taken for words
            raise ValueError(f"sentence must be a list of words, got {show(sentence)}")
        logits, weights = self(self._numbers("sentence", [sentence]), need_weights=True)
        return self.vocabulary[logits[0, -1].argmax()], weights[0]

    @torch.no_grad()
    def accuracy(self, corpus: list[list[str]]) -> float:
        """The fraction of sentences whose last token the model predicts."""
        tokens = self.encode(corpus)
        said = self(tokens[:, :-1])[:, -1].argmax(-1)
        return (said == tokens[:, -1]).double().mean().item()

    def _numbers(self, name, corpus):
        numbers = {word: i for i, word in enumerate(self.vocabulary)}
        unknown = [word for sentence in corpus for word in sentence if word not in numbers]
        if unknown:
            raise ValueError(
                f"{name} must hold words of the vocabulary, got {show(sorted(set(unknown)))}"
            )
        rows = [[numbers[word] for word in sentence] for sentence in corpus]
        return torch.tensor(rows, device=self.embedding.weight.device)


def train(
    seed: int = 2,
    *,
    steps: int = 800,
    embed_dim: int = 32,
    positions: bool = True,
    is_causal: bool = True,
    scale: float | None = None,
    learning_rate: float = 0.03,
    weight_decay: float = 0.1,
    every: int = 20,
) -> Run:
    """Teach a `NextWord` the running corpus: about a second on one thread.

    `fit` without a warm-up, on batches of 32 sentences. A sixth of the sentences with each
    adjective is held out, 20 in all. Everything random comes from the seed: weights, batches,
    held-out sentences.

    Args:
        seed (int): another seed, another run.
        steps (int): batches.  embed_dim (int): width of the vectors.
        positions, is_causal, scale: as in `NextWord`.
        learning_rate, weight_decay (float): as in `fit`.
        every (int): steps from one snapshot to the next; the last step has one too.

    Returns:
        Run: its model is a `NextWord`; `seen` and `held_out` are sentences.

    Raises:
        ValueError: a number out of range.

    Cost:
        `steps` passes over 32 × 8 words: about 1.3 ms each at width 32 on one thread.

    Example:
        >>> run = train(steps=40)
        >>> list(run.snapshots), len(run.held_out)
        ([0, 20, 40], 20)
    """
    model = NextWord(
        vocabulary(), embed_dim, positions=positions, is_causal=is_causal, scale=scale, seed=seed
    )
    rates = dict(learning_rate=learning_rate, weight_decay=weight_decay)
    return teach(model, seed, steps=steps, every=every, **rates)


def teach(
    model: NextWord,
    seed: int = 2,
    *,
    steps: int = 800,
    learning_rate: float = 0.03,
    weight_decay: float = 0.1,
    every: int = 20,
) -> Run:
    """Teach the running corpus to a model that you have built or changed; `train` builds its own.

    Args:
        model: a `NextWord` over the vocabulary of the corpus, trained in place.
        seed (int): of the batches and the held-out sentences.
        steps, learning_rate, weight_decay, every: as in `train`.

    Returns:
        Run: as from `train`.

    Raises:
        ValueError: a number out of range.

    Cost:
        As `train`.

    Example:
        >>> model = NextWord(vocabulary())
        >>> model.head.v_proj = nn.Identity()  # without W_v
        >>> run = teach(model, steps=20)
        >>> run.model is model
        True
    """
    generator = torch.Generator().manual_seed(seed)
    seen, held_out = _split(sentences(), generator)
    tokens = model.encode(seen)  # (100, 9)

    def batches(step):
        rows = torch.randint(len(tokens), (BATCH,), generator=generator, device="cpu")
        return _questions(tokens[rows])

    run = fit(
        model,
        batches,
        steps=steps,
        learning_rate=learning_rate,
        warmup=0,
        weight_decay=weight_decay,
        every=every,
    )
    return dataclasses.replace(run, seen=seen, held_out=held_out)


def _questions(tokens):
    """Sentences (count, length) -> each word but the last, and the word that follows it."""
    return tokens[:, :-1], tokens[:, 1:]


def _split(corpus, generator):
    """Sentences to learn from, and a sixth of those with each adjective for the examination."""
    kinds = {}
    for sentence in corpus:
        kinds.setdefault(sentence[-2], []).append(sentence)
    seen, held_out = [], []
    for alike in kinds.values():
        order = torch.randperm(len(alike), generator=generator, device="cpu").tolist()
        cut = len(alike) // 6
        held_out += [alike[i] for i in order[:cut]]
        seen += [alike[i] for i in order[cut:]]
    return seen, held_out
