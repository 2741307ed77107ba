"""Words on a map that attend to each other."""

import torch

from d2lattn_book.host import on_the_host
from d2lattn_book.pictures import arrays
from d2lattn_book.pictures.arrays import (
    Numbers,
    Words,
    on_one_line,
    position,
    read_vocabulary,
    readable,
    token_ids,
)
from d2lattn_book.pictures.page import MOST_TOKENS, MOST_WORDS, Figure, rounded
from d2lattn_book.pictures.tables import plain_table


@on_the_host
def words(
    vocabulary: Words,
    x: Numbers,
    *,
    sentences: Words,
    query: int | str = -1,
    axes: Words = ("channel 1", "channel 2"),
) -> Figure:
    """Words on a map: one is the query, lines are as thick as its weights, and it moves.

    softmax(XXᵀ)X in the plane, with nothing learned (chapter 1). The reader chooses or types a
    sentence, makes another word the query, and drags words. A word of a sentence is the one of the
    vocabulary that is written like it, or else the first that differs in capitals alone; marks at
    its end (. , ; : ! ?) do not count unless they belong to a word of the vocabulary.

    Args:
        vocabulary: n different words, at most 64.
        x: (n, 2) where they lie.
        sentences: those to choose from, strings of words of the vocabulary, at most 12 each. The
            figure opens with the first.
        query: the word of the first sentence that is the query at first, by name or position.
        axes: what the two channels of a word are called.

    Raises:
        ValueError: shapes that do not fit, numbers that are not finite or beyond 1e6, a word twice
            in the vocabulary, with white space in it or not in the vocabulary, more than 64 words
            or 12 in a sentence, other than two axes.

    Cost:
        About 18 kB in the notebook.

    Example:
        >>> words(["eat", "apple", "phone"], [[3, 0], [1, 1], [0, 2]], sentences=["eat apple"])
        live words: in "eat apple" apple attends most to eat, weight 0.73; output 2.46, 0.27
    """
    vocabulary = read_vocabulary(vocabulary)
    if len(vocabulary) > MOST_WORDS:
        raise ValueError(f"vocabulary must have at most {MOST_WORDS} words, got {len(vocabulary)}")
    x = readable("x", x, ("words", "numbers"), (MOST_WORDS, 2))
    if x.shape != (len(vocabulary), 2):
        raise ValueError(
            f"x must have two numbers for each of the {len(vocabulary)} words, "
            f"got shape {tuple(x.shape)}"
        )
    axes = arrays.names("axes", axes, 2)
    sentences = arrays.names("sentences", sentences)
    ids = [token_ids("sentences", sentence, vocabulary, MOST_TOKENS) for sentence in sentences]
    sentences = [on_one_line(sentence) for sentence in sentences]
    tokens = [vocabulary[k] for k in ids[0]]
    query = position(query, tokens, "query")
    rows = x[ids[0]]  # (tokens, 2)
    weights = torch.softmax(rows[query] @ rows.T, dim=-1)
    best, after = int(weights.argmax()), ", ".join(arrays.number(v) for v in weights @ rows)
    line = (
        f'live words: in "{sentences[0]}" {tokens[query]} attends most to {tokens[best]}, '
        f"weight {weights[best]:.2f}; output {after}"
    )
    data = {"vocabulary": vocabulary, "x": rounded(x), "sentences": sentences, "asks": query}
    table = plain_table(line, tokens, [*axes, "weight"], torch.cat([rows, weights[:, None]], dim=1))
    return Figure("words", line, data | {"axes": axes}, table)
