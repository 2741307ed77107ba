"""The words of the book: sentences, stories, word vectors, and a small model that learns them."""
