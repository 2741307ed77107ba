"""Plain tables, which stand in the place of a live figure where no code runs."""

import html

MOST_CELLS = 12  # rows or columns of a table that shows all weights


def plain_table(caption, rows, columns, values, places=2):
    """A table of numbers with the names of its rows and columns."""
    head = "".join(f"<th>{html.escape(str(name))}</th>" for name in ("", *columns))
    body = "".join(
        f"<tr><th>{html.escape(str(name))}</th>"
        + "".join(f"<td>{value:.{places}f}</td>" for value in row)
        + "</tr>"
        for name, row in zip(rows, values.tolist(), strict=True)
    )
    return f"<table><caption>{html.escape(caption)}</caption><tr>{head}</tr>{body}</table>"


def weights_table(weights, name, tokens, key_tokens):
    """All attention weights of a head, or of many the largest of each row."""
    if max(weights.shape) <= MOST_CELLS:
        table = plain_table(f"Attention weights of {name}", tokens, key_tokens, weights)
    else:
        best = weights.argmax(-1).tolist()
        rows = [f"{word} → {key_tokens[j]}" for word, j in zip(tokens, best, strict=True)]
        largest = weights.amax(-1)[:, None]
        table = plain_table(f"Largest attention weights of {name}", rows, ["weight"], largest)
    return table.replace("<table>", '<table class="trained">')
