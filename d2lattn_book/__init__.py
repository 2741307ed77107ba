"""What the pages of the book use beside `d2lattn`: the workshop, which that package never imports.

- `check` answers readers; `exercises` holds what it knows of each exercise.
- `pictures` draws, still and live.
- `language` holds the sentences.
- `launch` starts processes, and `cluster` reckons what they would cost.
"""

from d2lattn_book.exercises import check

__all__ = ["check"]
