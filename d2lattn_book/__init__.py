"""What the pages of the book use beside `d2lattn`: the workshop, which that package never imports.

- `audit` asks a model or a layer of attention whether it is right.
- `check` answers readers; `exercises` holds what it knows of each exercise.
- `pictures` draws, still and live.
- `language` holds the sentences, `real` a model that others have trained, and a look inside.
- `cards` reads what a model keeps of a text off its config.json.
- `kernels` are the programs of appendix 92, in Triton.
- `launch` starts processes, and `cluster` reckons what they would cost.
"""

from d2lattn_book.exercises import check

__all__ = ["check"]
