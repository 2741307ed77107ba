"""Do heads rest at the first piece whatever it is, in other texts, too (235)? Other
first pieces, other sentences, pieces at random."""

from book import real, tell

from d2lattn.edits import trace

SENTENCE = "The dog found the milk, the cat found the dog."
FIRST = ["", "Dog", "Milk", ",", ".", "\n", "Yesterday", "Apple", "0", "<|endoftext|>"]
OTHERS = """She works as a software engineer at apple.
Boil the pasta in salted water for ten minutes.
In 1912 the ship sank on its first voyage.
for i in range(10): print(i * i)
Das Kind hat den Hund und die Katze gesucht.
Why would anybody want to leave this town?""".splitlines()


def shares(tokens):
    """What later pieces take from each piece, the mean of heads and pieces, (L,)."""
    weights = trace(real.model(), tokens, keep=["weights"]).weights[:, 0]  # (30, 9, L, L)
    return weights[:, :, 2:].mean((0, 1, 2)).tolist()


print("235, another piece put first: what the first gets, the second, the most of the others")
for first in FIRST:
    found = shares(real.encode(first + SENTENCE))
    print(f"  {first!r:16} {found[0]:.2f} {found[1]:.2f} {max(found[2:]):.2f}")
for sentence in OTHERS:
    found = shares(real.encode(sentence))
    print(f"  {sentence:50} {found[0]:.2f} {found[1]:.2f} {max(found[2:]):.2f}")
for name, draw in (("random pieces", real.noise), ("prose", real.passages)):
    for length in (6, 12, 24, 48, 96, 384):
        runs = [shares(draw(seed, 1, length)) for seed in range(100, 103)]
        tell(f"235, {length} {name}: the first", [found[0] for found in runs])
        tell("  the most of the others", [max(found[1:]) for found in runs])
