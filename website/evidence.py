"""What a † stands for: rows of experiments/EXPERIMENTS.md, as HTML.

A number is marked by `<!-- exp: name/row row -->`, which nobody sees, and a paragraph or a table
with marks has one link † (refresh.py writes it). On the website it is a button, and the rows of
all these marks come over the page where it is touched: a native popover, which needs no script,
closes with Escape and is not there on paper.
"""

import functools
import re

from cells import ROOT, address
from nbconvert.filters import markdown2html

TABLES = ROOT / "experiments" / "EXPERIMENTS.md"
PAGE = "experiments"  # of the website: all tables
LINK = re.compile(r'<a [^>]*href="[^"]*EXPERIMENTS\.md#\w+"[^>]*>†</a>')
MARK = re.compile(r"<!-- exp: (\w+)/([\w -]+?) -->")
BUTTON = (
    '<button type="button" class="evidence" popovertarget="{}" aria-label="Evidence: {}">†</button>'
)
SHOWN = """<div popover id="{place}" class="evidence-shown"
  role="dialog" aria-label="Evidence: {names}">
<button type="button" popovertarget="{place}" popovertargetaction="hide">Close</button>
{shown}</div>
"""
ROWS = """{question}

{table}

{about}

[All rows of *{name}*]({root}{page}.html#{anchor})"""
SAID = ("- Held", "- Control", "- Seeds")  # what is shown beside the rows


def with_popovers(page, root=""):
    """A page with a button for each †, and behind its text what they show.

    Args:
        page (str): HTML.
        root (str): the way from the page to the root of the website.
    """
    shown = []

    def button(link):
        marks = {}
        for name, rows in MARK.findall(marked(page, link.start())):
            marks.setdefault(name, []).extend(rows.split())
        place, names = f"evidence-{len(shown) + 1}", ", ".join(marks)
        tables = "".join(rows_of(name, rows, root) for name, rows in marks.items())
        shown.append(SHOWN.format(place=place, names=names, shown=tables))
        return BUTTON.format(place, names)

    return LINK.sub(button, page) + "".join(shown)


def marked(page, at):
    """The HTML whose marks the † at a place stands for: its table, its row or its paragraph."""

    def begins(*tags):
        return max(page.rfind(f"<{tag}", 0, at) for tag in tags)

    if begins("thead") > begins("/thead"):
        return page[at : page.index("</table>", at)]
    in_row = begins("tr") > begins("/tr")
    return page[begins("tr") if in_row else begins("p>", "li>", "div") : at]


def rows_of(name, rows, root=""):
    """Rows of an experiment side by side, with its question and control, as HTML."""
    section = experiments()[name].strip()
    head, _, *table = [
        line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")
    ]
    kept = [cells for cells in table if fits(cells[-1].strip(" `"), rows)]
    if not kept:
        mark = f"{name}/{' '.join(rows)}"
        raise LookupError(f"EXPERIMENTS.md must have the rows of its mark, got {mark}")
    lines = ["|".join(cells) for cells in zip(head, *kept, strict=True)][:-1]  # the last names rows
    lines.insert(1, "|".join(["---"] * (len(kept) + 1)))
    text = ROWS.format(
        question=section.partition("\n\n")[0],
        table="\n".join(f"|{line}|" for line in lines),
        about="\n".join(line for line in section.splitlines() if line.startswith(SAID)),
        name=name, root=root, page=PAGE, anchor=name.replace("_", "-"),
    )  # fmt: skip
    return markdown2html(text)


def fits(row, named):
    """Whether a row of a table is one of those named: by its name, or without its steps."""
    return row in named or row.rpartition("-")[0] in named


@functools.cache
def experiments():
    """{name: the section of an experiment} in EXPERIMENTS.md."""
    _, *sections = re.split(r"^## (\w+)\n", TABLES.read_text(encoding="utf-8"), flags=re.M)
    return dict(zip(sections[::2], sections[1::2], strict=True))


def tables():
    """The page of all experiments: EXPERIMENTS.md, its link to data as one to the repository."""
    text = TABLES.read_text(encoding="utf-8")
    return text.replace("](data/", f"]({address()}/blob/main/experiments/data/")


def show(app, pagename, template, context, doctree):
    """Give a page the tables of its marks."""
    if body := context.get("body"):
        context["body"] = with_popovers(body, context["content_root"])


def setup(app):
    """Called by Sphinx."""
    app.connect("html-page-context", show, priority=800)
    return {"parallel_read_safe": True}
