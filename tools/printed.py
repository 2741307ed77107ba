"""What a slide shows of a printed output: a few words or numbers as they are, more of them as bars.

A hall reads three lines of three numbers. More are drawn, a bar for each, if every line says the
same of something else; if not, they stay in the notes, and the slide has its sentence.
"""

import html
import re
from collections import Counter

LINES, COLUMNS = 6, 96  # the most of a printed output that is shown
MOST = 3  # numbers in a line, and lines of as many, that are shown as they are
NAME = 30  # letters of a name beside its bars, twice those of what a column is called
BARS, ROWS = 3, 8  # the most that are drawn, in a line and of lines
ALIKE = 10  # times as long as another column's: there one scale would hide the short one
WIDE = 1130  # pixels for words on a slide of 1280 × 720
NUMBER = r"(?<![\w.])−?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[-+]\d+)?%?"
PLAIN = str.maketrans("−", "-", ",%")  # a number as Python reads it
NAMES = (r"(.*?\S): +(.*\d.*)", r"(.*?\S)  +(.*\d.*)", rf"(.*\S) ({NUMBER})$")


def is_printed(output):
    return 'class="printed' in output.data["text/html"]


def shown(text):
    """As HTML: the lines themselves if they are few, else bars; None if nothing can be drawn."""
    text = re.sub(r"^rank 0 \| ", "", text, flags=re.M)  # which alone prints, for all
    text = re.sub(r"(?<!\w)-(?=\d)", "−", text)
    lines = text.split("\n")
    counts = [len(re.findall(rf"{NUMBER}|\bnan\b", line)) for line in lines]
    much = max(counts) > MOST or sum(counts) > MOST**2
    if drawn := (much or sum(map(bool, counts)) > MOST) and bars(lines):
        return drawn
    longest = max(map(len, lines))
    if much or len(lines) > LINES or longest > COLUMNS:
        return None
    size = min(30, WIDE // longest * 10 // 6)  # a letter is .6 of its height wide
    return f'<pre class="printed" style="font-size:{size}px">{html.escape(text)}</pre>'


def bars(lines):
    """A table: a line for each thing, a bar for each of its numbers; None if lines differ."""
    heading = re.split(r"  +", lines[0].strip()) if not re.search(r"\d", lines[0]) else []
    found = [row(line) for line in (lines[1:] if heading else lines)]
    lists = re.search(r"\[|\(\d+,", "".join(lines))  # a shape is no number to draw
    if not all(found) or not 1 < len(found) <= ROWS or lists:
        return None
    unit = Counter(after for *_, after in found).most_common(1)[0][0]
    rows = [(name, cells) for name, cells, after in found if after == unit or not unit]
    unit = unit or " ".join({after for *_, after in found} - {""})
    if len({name for name, _ in rows}) == 1:  # what they differ in is the first number
        rows = [(f"{name} {cells[0][1]}", cells[1:]) for name, cells in rows]
    says = {tuple(words for words, _ in cells) for _, cells in rows}
    if len(says) != 1 or not 0 < len(columns := [*says.pop()]) <= BARS:
        return None
    if len(heading) == len(columns) + 1:
        columns = heading[1:]
    if max(len(name) for name, _ in rows) > NAME or max(map(len, [*columns, unit])) > NAME // 2:
        return None
    columns[-1] = f"{columns[-1]} {unit}".strip()
    found = [[float(number.translate(PLAIN)) for _, number in cells] for _, cells in rows]
    ends = [(min(0, *column), max(0, *column)) for column in zip(*found, strict=True)]
    corner = heading[0] if len(heading) == len(columns) + 1 else ""
    return table(rows, found, columns, scales(ends), corner) if all(map(any, ends)) else None


def scales(ends):
    """One for all columns, (lowest, highest), unless one of them is ALIKE times as long as another.

    Side by side, bars of like numbers are compared; by scales of their own 1.00 is as long as 0.47.
    """
    spans = [high - low for low, high in ends]
    lows, highs = zip(*ends, strict=True)
    alike = max(spans) < ALIKE * min(spans)
    return [(min(lows), max(highs))] * len(ends) if alike else ends


def row(line):
    """(name, [(words, number), …], words after them) of a line; None if it has no such form."""
    line = re.sub(r" +=.* = +", "  ", line.strip())  # of a sum the result
    line, *of = re.sub(r"(?<=\d)( of [\d,]+)", r"\n\1", line).split("\n")
    for form in NAMES:
        if found := re.fullmatch(form, line):
            *cells, after = re.split(rf"({NUMBER})", found[2])
            cells = [
                (words.strip(" :;,|"), n) for words, n in zip(cells[::2], cells[1::2], strict=True)
            ]
            return re.sub(r" +", " ", found[1]), cells, (after + "".join(of)).strip()
    return None


def table(rows, found, columns, ends, corner):
    """The HTML; bars begin at 0 of their column, and what the rows are stands in the corner."""
    said = "".join(f"<th>{html.escape(words)}</th>" for words in columns)
    drawn = [f"<tr><td>{html.escape(corner)}</td>{said}</tr>" if any(columns) else ""]
    for (name, cells), amounts in zip(rows, found, strict=True):
        line = f"<th>{html.escape(name)}</th>"
        for (_, number), value, (low, high) in zip(cells, amounts, ends, strict=True):
            start, wide = (min(value, 0) - low) / (high - low), abs(value) / (high - low)
            style = f"margin-left:{70 * start:.1f}%;width:{70 * wide:.1f}%"
            share = 60 // len(ends)
            line += f'<td style="width:{share}%"><i style="{style}"></i>{number}</td>'
        drawn.append(f"<tr>{line}</tr>")
    return f'<table class="printed bars">{"".join(drawn)}</table>'
