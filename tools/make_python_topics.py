"""The text that chapter 9 learns by letters: `python tools/make_python_topics.py`, Python 3.11.7.

What Python's `help()` has to say, in pydoc_data.topics, without its tables, its code and its
indentation, and each paragraph once: a fifth of the letters are repetitions, and what is read twice
would stand among the unread letters, too.
"""

import hashlib
import sys
from pathlib import Path

VERSION = (3, 11, 7)  # other versions have another text
FILE = Path(__file__).resolve().parents[1] / "d2lattn_book" / "language" / "data"
FILE /= "python_topics.txt"


def prose(topics):
    """The paragraphs that are sentences, one a line, each once, in the order of the topics."""
    paragraphs = "\n\n".join(topics[name] for name in sorted(topics)).split("\n\n")
    joined = (" ".join(paragraph.split()) for paragraph in paragraphs)
    kept = dict.fromkeys(line for line in joined if line.endswith(".") and _is_prose(line))
    return "\n".join(kept) + "\n"


def _is_prose(line):
    return sum(c.islower() or c == " " for c in line) > 0.9 * len(line)


if __name__ == "__main__":
    if sys.version_info[:3] != VERSION:
        raise SystemExit(f"this is written by Python {'.'.join(map(str, VERSION))} alone")
    from pydoc_data.topics import topics

    FILE.write_text(prose(topics), encoding="utf-8", newline="\n")
    print(FILE.name, hashlib.sha256(FILE.read_bytes()).hexdigest())
