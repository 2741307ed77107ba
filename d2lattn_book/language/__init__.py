"""The words of the book: sentences, stories, word vectors, and a small model that learns them.

- `words`: the running corpus, what can be counted in it, and the vectors of the larger one.
- `next_word`: one head of attention that learns the running corpus in about a second.
- `stories`: the larger corpus, a grammar of seven topics.
- `spelling`: real words, English ones, and how they are spoken; the same held out everywhere.
- `encoder_decoder`: models that go from the letters of a word to its sounds, and a trained one.
- `own_text`: a text that a reader brings, for a model that reads letters, and counting beside it.
"""
