"""Make what the book stores about words. `make words` runs it, in an environment of its own.

    make_words.py corpus FILE           write the larger corpus, a sentence a line (needs d2lattn)
    make_words.py vectors FILE STORED   train the vectors on it and store them (needs gensim)

Two commands, so that gensim's environment needs no torch and the book's needs no gensim.
"""

import hashlib
import sys
from pathlib import Path

import numpy as np

COUNT, SEED = 5000, 0  # sentences, and the seed of the corpus and of the training
WIDTH, WINDOW, EPOCHS = 32, 5, 20


def write_corpus(path):
    """The sentences that the vectors are trained on, one on each line."""
    from d2lattn.language.stories import stories

    lines = [" ".join(sentence) for sentence in stories(COUNT, seed=SEED)]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_vectors(path, stored):
    """Skip-gram vectors (Mikolov et al. 2013), the most frequent word first, in half precision.

    One worker: with two, the order in which they write decides the last digits.
    """
    import gensim
    from gensim.models import Word2Vec

    text = Path(path).read_text(encoding="utf-8")
    sentences = [line.split() for line in text.splitlines()]
    options = dict(vector_size=WIDTH, window=WINDOW, epochs=EPOCHS, sg=1, min_count=1)
    trained = Word2Vec(sentences, **options, workers=1, seed=SEED).wv
    how = ", ".join(f"{name}={value}" for name, value in options.items())
    np.savez_compressed(
        stored,
        words=np.array(trained.index_to_key),
        vectors=trained.vectors.astype(np.float16),
        corpus_sha256=np.array(hashlib.sha256(text.encode()).hexdigest()),
        made_by=np.array(
            f"make words: gensim {gensim.__version__} Word2Vec({how}, workers=1, seed={SEED}) "
            f"on stories({COUNT}, seed={SEED})"
        ),
    )


if __name__ == "__main__":
    command, *paths = sys.argv[1:] or [""]
    commands = {"corpus": (write_corpus, 1), "vectors": (write_vectors, 2)}
    if command not in commands or len(paths) != commands[command][1]:
        sys.exit(__doc__)
    commands[command][0](*paths)
