"""What a mark † stands for: the rows of benchmarks/EXPERIMENTS.md that it names, as HTML.

A mark is `[†](address#name)<!-- exp: name/row row -->` (notebooks.py writes the link). On the
website it is a button, and a table of these rows comes over the page where it is touched: a native
popover, which needs no script, closes with Escape and is not there on paper.
"""

import functools
import html
import re

from cells import ROOT, address

TABLES = ROOT / "benchmarks" / "EXPERIMENTS.md"
PAGE = "experiments"  # of the website: all tables
MARK = re.compile(
    r'<a [^>]*href="[^"]*EXPERIMENTS\.md#\w+"[^>]*>†</a><!-- exp: (\w+)/([\w -]+?) -->'
)
BUTTON = (
    '<button type="button" class="evidence" popovertarget="{}" aria-label="Evidence: {}">†</button>'
)
SHOWN = """<div popover id="{place}" class="evidence-shown"
  role="dialog" aria-label="Evidence: {name}">
<p>{question}</p>
<table><thead><tr><td></td>{heads}</tr></thead><tbody>{body}</tbody></table>
{about}
<p><a href="{root}{page}.html#{anchor}">All rows of <em>{name}</em></a></p>
</div>
"""
SAID = ("Held", "Control", "Seeds")  # what is shown beside the rows


def with_popovers(page, root=""):
    """A page with a button for each mark, and behind its text what they show, each once.

    Args:
        page (str): HTML.
        root (str): the way from the page to the root of the website.
    """
    places = {}

    def button(mark):
        name, rows = mark.groups()
        place = places.setdefault((name, rows), f"evidence-{len(places) + 1}")
        return BUTTON.format(place, name)

    page = MARK.sub(button, page)
    shown = [popover(name, rows.split(), place, root) for (name, rows), place in places.items()]
    return page + "".join(shown)


def popover(name, rows, place, root=""):
    """The HTML of one popover: rows of an experiment side by side, its question and control."""
    section = experiments()[name]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    head, _, *table = [line.strip("|").split("|") for line in lines]
    kept = [cells for cells in table if fits(cells[-1].strip(" `"), rows)]
    if not kept:
        raise LookupError(
            f"EXPERIMENTS.md must have the rows of its mark, got {name}/{' '.join(rows)}"
        )
    columns = [[cells[0] for cells in kept], *zip(*[cells[1:-1] for cells in kept], strict=True)]
    heads = "".join(f'<th scope="col">{inline(text)}</th>' for text in columns[0])
    body = "".join(
        f'<tr><th scope="row">{inline(title)}</th>'
        + "".join(f"<td>{inline(text)}</td>" for text in texts)
        + "</tr>"
        for title, texts in zip(head[1:-1], columns[1:], strict=True)
    )
    about = [line[2:] for line in section.splitlines() if line.startswith("- ")]
    told = "".join(f"<li>{inline(line)}</li>" for line in about if line.startswith(SAID))
    question = inline(section.strip().split("\n\n")[0])
    return SHOWN.format(
        name=name, page=PAGE, place=place, question=question, heads=heads, body=body,
        about=f"<ul>{told}</ul>", root=root, anchor=name.replace("_", "-"),
    )  # fmt: skip


def fits(row, named):
    """Whether a row of a table is one of those named: by its name, or without its steps."""
    return row in named or row.rpartition("-")[0] in named


@functools.cache
def experiments():
    """{name: the section of an experiment} in EXPERIMENTS.md."""
    _, *sections = re.split(r"^## (\w+)\n", TABLES.read_text(encoding="utf-8"), flags=re.M)
    return dict(zip(sections[::2], sections[1::2], strict=True))


def inline(text):
    """A line of Markdown as HTML: code, what is bold and what is emphasised."""
    text = html.escape(text.strip(), quote=False)
    text = re.sub(r"`([^`]*)`", r"<code>\1</code>", text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)


def tables():
    """The page of all experiments: EXPERIMENTS.md, its link to data as one to the repository."""
    text = TABLES.read_text(encoding="utf-8")
    return text.replace("](data/", f"]({address()}/blob/main/benchmarks/data/")
