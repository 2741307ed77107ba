"""The words of the book: sentences, stories, word vectors, and a small model that learns them.

- `words`: the running corpus, what can be counted in it, and the vectors of the larger one.
- `next_word`: one head of attention that learns the running corpus in about a second.
- `stories`: the larger corpus, a grammar of seven topics.
"""
