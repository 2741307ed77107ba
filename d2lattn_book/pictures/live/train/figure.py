"""A model that learns in the page."""

import html

from d2lattn.arguments import check_choice, check_count, check_number, show
from d2lattn_book.pictures.page import Figure

TASKS = {  # of the figure that trains, and how each is called there
    "back": "predict the previous token",
    "like": "find the same letter",
    "asked": "follow a pointer",
    "copy": "associative recall, letter → number",
    "sort": "sort five digits",
    "sentences": "the book's sentences",
    "text": "your own text",
}
SETTINGS = {
    "layers": (1, 2),
    "heads": (1, 2, 4),
    "width": (8, 16, 24, 32),
    "positions": ("none", "added", "rotary"),
    "mask": (False, True),
    "divisor": ("1", "√d", "d"),
    "same_qk": (False, True),
    "mlp": (False, True),
}


def train(
    *,
    task: str,
    model: dict | None = None,
    compare: dict | None = None,
    address: bool = False,
) -> Figure:
    """A small attention model that learns in the page, with Adam, while the reader looks.

    x + attention(norm(x)), and with an MLP x + W_out·max(0, W_in·norm(x)); norm is
    x / √(mean of x²), the logits are W·norm(x), the loss is the cross-entropy. The reader builds
    the model, plays its steps, goes back over them, and puts a second one beside it that differs in
    one thing: the same seed, the same texts.

    Tasks: "back" (which letter stood one before?), "like" (find the same letter), "asked"
    (a→c1 is named a, points to c and carries 1), "copy" (what followed last time?), "sort" (five
    digits), "sentences" (`words.sentences()`) and "text" (letter by letter).

    Args:
        task: the one with which it opens.
        model: settings other than those with which the task opens: layers 1 or 2; heads 1, 2 or 4;
            width 8, 16, 24 or 32; positions "none", "added" or "rotary"; mask; divisor of the
            scores "1", "√d" or "d"; same_qk, W_q = W_k; mlp; rate; seed.
        compare: one setting in which a second model differs.
        address (bool): whether the page's address holds the settings, for a page of its own.

    Raises:
        ValueError: an unknown task, setting or value, more than one setting to compare.

    Cost:
        About 45 kB in the notebook. A step takes some 6 ms with one layer of width 16.

    Example:
        >>> train(task="copy", compare={"layers": 1})
        live training: associative recall, letter → number; model 2: layers=1
    """
    check_choice("task", task, tuple(TASKS))
    model, compare = _settings("model", model), _settings("compare", compare)
    if len(compare) > 1:
        raise ValueError(f"compare must change one setting, got {show(compare)}")
    line = f"live training: {TASKS[task]}"
    if model:
        line += f", with {_told(model)}"
    if compare:
        line += f"; model 2: {_told(compare)}"
    data = {"task": task, "model": model, "compare": compare or None}
    if address:
        data["address"] = True
    chosen = (model | compare).items()
    rows = [("task", TASKS[task]), *((name, f"{value}") for name, value in chosen)]
    body = "".join(f"<tr><th>{name}</th><td>{html.escape(value)}</td></tr>" for name, value in rows)
    caption = "A model that learns in the page: what is set where it opens"
    return Figure("train", line, data, f"<table><caption>{caption}</caption>{body}</table>")


def _settings(name, given):
    """Settings of a model that learns in the page, each of them checked."""
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise ValueError(f"{name} must be a dict of settings, got {show(given)}")
    for key, value in given.items():
        what = f"{name}[{show(key)}]"
        if key == "rate":
            check_number(what, value, 1e-4, 1)
        elif key == "seed":
            check_count(what, value, most=9999)
        elif key not in SETTINGS:
            known = (*SETTINGS, "rate", "seed")
            raise ValueError(f"{name} must have keys of {known}, got {show(key)}")
        elif not any(
            value is one or (type(value) is type(one) and value == one) for one in SETTINGS[key]
        ):
            raise ValueError(f"{what} must be one of {SETTINGS[key]}, got {show(value)}")
    return dict(given)


def _told(settings):
    return ", ".join(f"{name}={value}" for name, value in settings.items())
