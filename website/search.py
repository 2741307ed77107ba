"""An index of sections, searched in the page by MiniSearch: it works from disk, without a server.
And what others find: the description of each page.

A record is a section or a name of the package. What newcomers ask (the index of questions in the
last appendix but three) leads to the sections that answer it, in whatever words these are written,
and the glossary and the table of symptoms, with their other names, to those that explain them.
asked.json has, for each section, how a stranger asks for it; words.json what a question is built
of and not about, and what others write for what the book writes. A term of the glossary gets its
meaning.
"""

import html
import json
import re
from pathlib import Path

from cells import FURTHER
from docutils import nodes
from npm import FOLDER, bring
from sections import slug
from sphinx import addnodes

QUESTIONS = "90_notation_and_claims"
CLINIC = "91_when_libraries_disagree"
ASKED = json.loads(Path(__file__).with_name("asked.json").read_text(encoding="utf-8"))
WORDS = Path(__file__).with_name("words.json").read_text(encoding="utf-8")
OTHERS = ("theirs", "other names")  # how a column is headed that has what others call a thing
SIGNS = {"sqrt": "√", "cdot": "·", "dots": "…", "top": "ᵀ", "sum": "Σ", "infty": "∞", "to": "→"}
SIGNS |= {"times": "×", "le": "≤", "ge": "≥", "approx": "≈", "lVert": "‖", "rVert": "‖"}
LAYOUT = r"\\(begin|end)\{\w+\}|\\(text|math\w+|t?frac|left|right|q?quad)\b|&"
APART = (nodes.section, nodes.raw, nodes.comment, nodes.image, nodes.Invisible, addnodes.desc)


def _text(node, code=False):
    """The text of a node without the sections in it; with code=True the code alone."""
    if isinstance(node, nodes.literal_block):
        return node.astext() if code else ""
    if isinstance(node, APART):
        return ""
    if isinstance(node, nodes.Text):
        return "" if code else str(node)
    if isinstance(node, (nodes.math, nodes.math_block)):
        return "" if code else _plain(node.astext())
    apart = " " if not isinstance(node, nodes.TextElement) else ""
    return apart.join(_text(child, code) for child in node.children)


def _plain(formula):
    """A formula in a line of text: letters and signs, without TeX's commands and braces."""
    said = re.sub(LAYOUT, " ", formula).replace("}{", "}/{")
    said = re.sub(r"\\([A-Za-z]+)", lambda m: SIGNS.get(m[1], f"{m[1]} "), said)
    return re.sub(r"[{}$]|\\\W?", "", said).strip()


def _own(node, kind):
    """The nodes of a kind in a part of a section, without those of the sections below."""
    return [] if isinstance(node, APART) else node.findall(kind)


def _title(section):
    return section[section.first_child_matching_class(nodes.title)]


def _is_beyond(section):
    """Whether a section is beyond the core, or in one that is."""
    while isinstance(section, nodes.section):
        if _title(section).astext() == FURTHER:
            return True
        section = section.parent
    return False


def _sections(doctree):
    for section in doctree.findall(nodes.section):
        title = _title(section)
        rest = [child for child in section.children if child is not title]
        anchor = "" if section.parent is doctree else section["ids"][0]
        yield anchor, title.astext(), rest, _is_beyond(section)
    for described in doctree.findall(addnodes.desc):
        signature = described[0]
        if signature.get("ids"):
            yield signature["ids"][0], signature["ids"][0], list(described[-1].children), False


def _led(link):
    """Where a link of an index leads: (file, the words of the heading, or its number alone)."""
    page = link.get("refuri", "").partition(".html")[0] or QUESTIONS
    return page, re.sub(r"^[\d.]+ ", "", link.astext()).lower()  # "3.2 What …", or "3.2"


def _questions(doctree):
    """{(file, words of a heading): [questions]} from the table of questions."""
    found = {}
    for row in doctree.findall(nodes.row):
        question, *_, where = row.children
        for link in where.findall(nodes.reference):
            found.setdefault(_led(link), []).append(question.astext())
    return found


def _terms(doctree):
    """The same from tables with a column of other names: its entries, and what is bold first."""
    found, column = {}, None
    for row in doctree.findall(nodes.row):
        cells = [cell.astext().strip() for cell in row.children]
        if isinstance(row.parent, nodes.thead):
            column = next((cells.index(name) for name in OTHERS if name in cells), None)
        elif column is not None:
            said = [bold.astext() for bold in row.children[0].findall(nodes.strong)]
            said += [name for name in re.split("[,;] ", cells[column]) if name and ": " not in name]
            for link in row.children[-1].findall(nodes.reference):
                found.setdefault(_led(link), []).extend(said)
    return found


def _glossary(doctree):
    """[[term, meaning, other names, anchor]] from the table below Glossary, its rows anchored."""
    (section,) = [one for one in doctree.findall(nodes.section) if "glossary" in one["ids"]]
    _, *rows = section.findall(nodes.row)
    for row in rows:
        row["ids"] = [f"term-{slug(row[0].astext())}"]
    return [[*(cell.astext() for cell in row.children[:3]), row["ids"][0]] for row in rows]


def _messages(doctree, docname):
    """A record for every row of the clinic's table of messages; its list leads to these, too."""
    found = []
    for message in doctree.findall(nodes.literal):
        link = message.parent.parent
        if link.get("refuri", "").startswith("more-messages"):
            link["refuri"] += f"#{slug(message.astext())}"
    for row in doctree.findall(nodes.row) if docname.startswith("clinic/more-messages") else ():
        for message in row[0].findall(nodes.literal):
            message["ids"] = [slug(message.astext())]
            record = dict(page="More messages", place=docname, anchor=message["ids"][0])
            text = ". Remedy: ".join(cell.astext() for cell in row[1:])
            found.append(record | dict(title=f"91.44 {message.astext()}", text=text))
    return found


def _is_at(record, page, words):
    """Whether a section is the one that an index names; its quotes were made typographic."""
    plain = str.maketrans("“”‘’", "\"\"''", "*")
    title, words = record["title"].lower().translate(plain), words.translate(plain)
    named = title.startswith(f"{words} ") if re.fullmatch(r"[\d.]+", words) else words in title
    return record["place"] == page and named


def gather(app, doctree, docname):
    """Note the sections of a page, and the questions if it is the page that has them."""
    if not hasattr(app, "sections"):
        app.sections, app.indices = [], {"asked": {}, "indexed": {}}
    # A table is found from the sentence it carries, and the clinic's pages in their appendix.
    if docname in ("index", "experiments") or docname.startswith("clinic/"):
        app.sections += _messages(doctree, docname)
        return
    if docname == QUESTIONS:
        app.indices["indexed"] = _terms(doctree)
        app.glossary = _glossary(doctree)
    page = app.env.titles[docname].astext()
    for anchor, title, rest, beyond in _sections(doctree):
        if docname == "practice" and anchor:  # an exercise is found in its chapter
            continue
        text = " ".join(" ".join(_text(node) for node in rest).split())
        code = " ".join(" ".join(_text(node, code=True) for node in rest).split())
        terms = " ".join(bold.astext() for node in rest for bold in _own(node, nodes.strong))
        record = dict(page=page, place=docname, anchor=anchor, title=title, text=text, code=code)
        record["terms"] = terms  # what is bold is what is explained here
        record |= {"beyond": 1} if beyond else {}
        app.sections.append(record)
        if docname == QUESTIONS and "question" in title.lower():
            app.indices["asked"] = _questions(rest[0].parent)


def description(doctree):
    """What a page is about: its first whole sentences that fit into 170 letters, or its title's."""
    said = ""
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(_text(paragraph).split()).rstrip(":")
        if isinstance(paragraph.parent, nodes.section) and not re.match("[a-z]|Section 91", text):
            for sentence in re.split(r"(?<=[.?!]) (?=[A-Z])", text):
                longer = f"{said} {sentence}".strip()
                if said and (len(said) > 80 or " " not in sentence):
                    return said
                said = longer if len(longer) <= 170 and " " in longer else said
    return said


def describe(app, pagename, template, context, doctree):
    """Describe a page to those who list it; a page without text of its own by its title."""
    plain = f"{context.get('title') or pagename}, on the website of a textbook on attention"
    said = html.escape(description(doctree) if doctree else plain)
    context["meta"] = {**(context.get("meta") or {}), "og:description": said}
    meta = f'<meta name="description" content="{said}" />\n'
    context["metatags"] = context.get("metatags", "") + meta


def write(app, exception):
    """Write the records and what searches them into one script, loaded when somebody searches."""
    if exception or app.builder.name != "html" or not hasattr(app, "sections"):
        return
    for place, headings in ASKED.items():
        for heading, said in headings.items():
            app.indices["asked"].setdefault((place, heading.lower()), []).extend(said)
    for kind, index in app.indices.items():
        for (page, words), said in index.items():
            for record in app.sections:
                if _is_at(record, page, words):
                    record[kind] = "\n".join([record.get(kind, ""), *said]).strip()
    for record in app.sections:  # a symptom has a page of its own: clinic.py
        numbered = re.fullmatch(r"91\.\d+ (.+)", record["title"])
        if numbered and record["place"] == CLINIC:
            text = record["text"].partition("message cause remedy")[0]  # each row has a record
            record |= {"place": f"clinic/{slug(numbered[1])}", "anchor": "", "text": text}
    bring("minisearch", [], FOLDER)
    code = (FOLDER / "node_modules/minisearch/dist/umd/index.js").read_text(encoding="utf-8")
    code = re.sub(r"//# sourceMappingURL.*", "", code)
    records = json.dumps(app.sections, ensure_ascii=False, separators=(",", ":"))
    terms = json.dumps(app.glossary, ensure_ascii=False)
    text = f"{code}\nvar SECTIONS = {records}, WORDS = {WORDS}, GLOSSARY = {terms};\n"
    Path(app.outdir, "_static", "sections.js").write_text(text, encoding="utf-8")


def setup(app):
    """Called by Sphinx, whose own index is not written."""

    def no_index_of_its_own(app):
        app.builder.search = False

    app.connect("builder-inited", no_index_of_its_own)
    app.connect("doctree-resolved", gather)
    app.connect("html-page-context", describe, priority=400)  # before sphinxext.opengraph
    app.connect("build-finished", write)
    app.add_js_file("search.js")
    return {"parallel_read_safe": False}
