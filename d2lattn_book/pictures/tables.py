"""Plain tables, which stand in the place of a live figure where no code runs."""

import html

MOST_CELLS = 12  # rows or columns of a table that shows all shares


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


def shares_table(shares, name, tokens, key_tokens):
    """All shares of a head, or of many the largest of each row."""
    if max(shares.shape) <= MOST_CELLS:
        table = plain_table(f"Shares in {name}", tokens, key_tokens, shares)
    else:
        best = shares.argmax(-1).tolist()
        rows = [f"{word} → {key_tokens[j]}" for word, j in zip(tokens, best, strict=True)]
        largest = shares.amax(-1)[:, None]
        table = plain_table(f"Largest shares in {name}", rows, ["share"], largest)
    return table.replace("<table>", '<table class="trained">')
