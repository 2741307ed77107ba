"""What the vector at a silent g knows, in other words than *knight* (11).

Asked as the page does not: the letter t, or each other letter, is hidden from the speller when it
says the last sound; and the letter after the g is changed before anything is read.
"""

import torch
import torch.nn.functional as F
from book import tell

from d2lattn_book.language import encoder_decoder

WORDS = (
    "knight",
    "night",
    "light",
    "right",
    "fight",
    "sight",
    "tight",
    "might",
    "bright",
    "flight",
)
speller = encoder_decoder.trained()


@torch.no_grad()
def last_sound(word, places):
    """What the speller says last if this sound may ask the letters of these places only, and the
    chance that it gives to T."""
    memory = speller.encode(encoder_decoder.letters_of([word]))
    said = speller.read(word)[0]
    sounds = encoder_decoder.sounds_of([tuple(said)])[:, : len(said)]  # begin, all but the last
    mask = torch.zeros_like(memory.mask)
    mask[..., places] = True
    chances = speller.decode(memory._replace(mask=mask), sounds)[0][0, -1].softmax(-1)
    spoken = encoder_decoder.spoken(chances.argmax()[None, None])[0]
    return "".join(spoken), chances[encoder_decoder.sounds_of([("T",)])[0, 1]].item()


shares_of, chance_of = {x: [] for x in "ght"}, {x: [] for x in "ght"}
for word in WORDS:
    sounds, shares = speller.read(word)
    print(f"{word:8}", *sounds, end="; ")
    for letter in "ght":
        at = word.rindex(letter)
        shares_of[letter].append(shares[-1, at].item())
        sound, chance = last_sound(word, [at])
        chance_of[letter].append(chance)
        print(f"from {letter} alone {sound} ({chance:.2f})", end=", ")
    rest = [i for i in range(len(word)) if i != word.rindex("t")]
    print("all but t: {} ({:.2f})".format(*last_sound(word, rest)))
for letter in "ght":
    tell(f"share of the last sound from {letter}", shares_of[letter])
    tell("  the chance of T from it alone", chance_of[letter])

print("how far the vector at g moves (1 - cosine) when another letter of knight is changed to s")
with torch.no_grad():
    whole = speller.encode(encoder_decoder.letters_of(["knight"])).vectors[0]
    for i, letter in enumerate("knight"):
        if letter != "g":
            changed = "knight"[:i] + "s" + "knight"[i + 1 :]
            vectors = speller.encode(encoder_decoder.letters_of([changed])).vectors[0]
            print(f"  {changed}: {1 - F.cosine_similarity(whole[3], vectors[3], dim=0):.2f}")
