"""Make the word vectors of the book: gensim trains them on 5,000 sentences of `stories`.

Wanted once in the book's life, or when `stories` changes:

    make .venv-make
    .venv-make/bin/python tools/make_words.py d2lattn_book/language/data/word_vectors.npz
"""

import hashlib
import sys

import gensim
import numpy as np
from gensim.models import Word2Vec

from d2lattn_book.language.stories import stories

COUNT, SEED = 5000, 0  # sentences, and the seed of the corpus and of the training
WIDTH, WINDOW, EPOCHS = 32, 5, 20


def main(stored):
    """Skip-gram vectors (Mikolov et al. 2013), the most frequent word first, in half precision.

    One worker: with two, the order in which they write decides the last digits.
    """
    sentences = stories(COUNT, seed=SEED)
    text = "".join(" ".join(sentence) + "\n" for sentence in sentences)
    options = dict(vector_size=WIDTH, window=WINDOW, epochs=EPOCHS, sg=1, min_count=1)
    trained = Word2Vec(sentences, **options, workers=1, seed=SEED).wv
    how = ", ".join(f"{name}={value}" for name, value in options.items())
    np.savez_compressed(
        stored,
        words=np.array(trained.index_to_key),
        vectors=trained.vectors.astype(np.float16),
        corpus_sha256=np.array(hashlib.sha256(text.encode()).hexdigest()),
        made_by=np.array(
            f"tools/make_words.py: gensim {gensim.__version__} Word2Vec({how}, workers=1, "
            f"seed={SEED}) on stories({COUNT}, seed={SEED})"
        ),
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
