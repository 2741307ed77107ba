"""Sections, exercises and what points to them: `python tools/sections.py` keeps them together.

    python tools/sections.py                        # after cells were moved by hand
    python tools/sections.py move 5.5 5.8 further   # to the end of Going further, in this order
    python tools/sections.py move "5.10 patches" 2.6 after 4.5
    python tools/sections.py move "exercise 2.2" after "exercise 4.1"
    python tools/sections.py rename 5.6 "What each layer costs"   # a chapter: rename 5 "…"
    python tools/sections.py drop 5.8 5.6           # what pointed to 5.8 points to 5.6 from now on

Each numbers the headings in the order in which they stand (a new one is `## 5.? Its title`), and
every pointer follows: [6.3 Clock hands](06_….ipynb#cell-id=…), [6.3](…), "section 6.3", "exercises
6.2 and 6.4", and in a text (6.3, 6.5 to 6.7). A new link may leave the cell out: #cell-id=.
notebooks/moved.json says where the sections of commit 9a23c6f stand now.

JupyterLab finds a cell by its id. An anchor of the heading's own words is lost there: the heading
is not drawn yet when Lab looks for it, and its √ arrives in another spelling. The website has
an anchor at every heading. Colab knows neither and opens the chapter at its top.
"""

import functools
import json
import re
import sys
from typing import NamedTuple

from cells import FURTHER, ROOT, book

MOVED = "notebooks/moved.json"
NUMBER = r"\d{1,2}\.\d{1,2}"
LINK = re.compile(r"\[([^\]]*)\]\((\d\d_\w+\.ipynb)#cell-id=([\w-]*)\)")
NAME = re.compile(r"(\d+\.\d+)|(\d+(?:\.\d+)?) (.+)")  # of a section, in the text of a link
HEADING = re.compile(r"^(##+) (Exercise )?(\d+\.(?:\d+|\?))( .+)", re.M)

# "Vaswani et al. 2017, section 3.2", or "[Attention](https://…), section 3.2", is one of others.
NAMED = (
    r"(?<!\d{4},\s)(?<![)*\"],\s)(?<!edition,\s)(?<!D2L,\s)(?<!Learning,\s)"
    r"(?<!their )(?<!its )(?<!'s )(?<!\[)(?<!# )\b(?P<kind>[Ss]ection|[Ee]xercise|Solution)s?\s+"
    rf"(?P<list>{NUMBER}(?:(?:, and |, | and | or | to ){NUMBER})*)(?![\w]|\.\d)"
)
IN_BRACKETS = r"[1-9]\d?\.\d{1,2}"
POINTER = re.compile(
    r"\[(?P<text>[^\]]*)\]\((?P<folder>[\w./]*?)(?P<file>\d\d_\w+\.ipynb)(?P<anchor>#[^)]*)?\)"
    r"|\[[^\]]*\]\([^)]*\)|\$[^$]*\$|`[^`]*`|“[^”]*”"  # another link, a formula, code, a quotation
    rf"|{NAMED}|\((?P<brackets>{IN_BRACKETS}(?:(?:, and |, | and | to ){IN_BRACKETS})*)\)"
    r"|(?<=\| )(?P<column>91\.\d+(?:, 91\.\d+)*)(?= \|)"  # the table of the clinic
)
IN_CODE = re.compile(rf'{NAMED}|(?P<call>check\("|section=")(?P<called>{NUMBER})"')
QUOTED = re.compile(rf'(?<=")(?P<quoted>{NUMBER}(?:,? {NUMBER})*)(?="| [A-Za-z])')

TEXTS = ("*.md", "docs/*.md", "deploy/*.md", "tools/*.md")
CODE = ("*/*.py", "*/*/*.py", "*/*/*/*.py", "experiments/EXPERIMENTS.md")
# Where a number in quotes is an exercise, and where it is a section.
EXERCISES = ("d2lattn_book/exercises/*.py", "tools/practice.py", "tests/test_exercises.py")
EXERCISES += ("tests/*_errors.py", "tests/kernel/test_exercises_92.py")
SECTIONS = ("d2lattn_book/pictures/drawings/_one_layer.py", "tests/test_notebooks.py")
SECTIONS += ("tests/test_website.py", "tests/browser/test_lab.py")
HISTORY = {"CHANGELOG.md", "tools/sections.py"}  # where things stood, and examples


class Heading(NamedTuple):
    """A heading: the number of the section in which it stands, its text, the id of its cell."""

    number: str
    text: str
    cell: str


@functools.cache
def headings(name):
    """The headings of a part of the book, but for those of exercises."""
    part = json.loads((ROOT / "notebooks" / name).read_text(encoding="utf-8"))
    number, found = "", []
    for cell in part["cells"]:
        text = "".join(cell["source"]) if cell["cell_type"] == "markdown" else ""
        for level, heading in re.findall(r"^(##+) (?!Exercise )(.+)", text, re.M):
            own = re.match(r"\d+\.\d+", heading)
            if own or level == "##":
                number = own[0] if own else str(int(name[:2]))
            found.append(Heading(number, heading, cell["id"]))
    return found


# Links ---------------------------------------------------------------------------------------


def meant(text, name, cell=None):
    """The heading to which the link [text](name#cell-id=cell) leads.

    Raises:
        LookupError: a text that names no section or several, or a cell without a heading.
    """
    named = NAME.fullmatch(text)
    if not named:
        return _only(text, name, lambda heading: heading.cell == cell, several=True)
    alone, number, words = named.groups()
    if alone:
        return _only(text, name, lambda heading: heading.text.startswith(f"{alone} "))
    return _only(text, name, lambda h: h.number == number and words.lower() in h.text.lower())


def _only(text, name, fits, *, several=False):
    found = [heading for heading in headings(name) if fits(heading)]
    if not found or (len(found) > 1 and not several):
        texts = [heading.text for heading in found or headings(name)]
        raise LookupError(f"[{text}]({name}) must lead to one section, got {len(found)} of {texts}")
    return found[0]


def anchored(text):
    """The text with each link to a section leading to its cell, by the words of its heading."""
    return LINK.sub(_to_its_cell, text)


def _to_its_cell(link):
    text, name, cell = link.groups()
    try:
        return f"[{text}]({name}#cell-id={meant(text, name, cell).cell})"
    except LookupError:  # it has other words or another number now, or has moved to another chapter
        there = [path.name for path in book() if cell in {h.cell for h in headings(path.name)}]
        if not there:
            raise
        name = name if name in there else there[0]
        (heading, *_) = (heading for heading in headings(name) if heading.cell == cell)
        if NAME.fullmatch(text):
            text = f"{heading.number} " + re.sub(r"^[\d.]+ ", "", heading.text)
        return f"[{text}]({name}#cell-id={cell})"


def on_the_site(text):
    """The text with each link to a section leading to the website's anchor of its heading."""
    return LINK.sub(lambda link: f"[{link[1]}]({link[2]}#{slug(meant(*link.groups()).text)})", text)


def slug(heading):
    """The anchor that MyST makes of a heading, by GitHub's rule."""
    return re.sub(r"[^\w\- ]", "", heading.lower().replace(" ", "-"))


# Pointers ------------------------------------------------------------------------------------


def pointed(text, to, pattern=POINTER):
    """The text with every number that points to a section or an exercise replaced.

    Args:
        text (str): Markdown, or with another pattern code.
        to (callable): takes "6.3" or "exercise 6.3", and gives the same name or its new one.
        pattern (re.Pattern): what a pointer looks like.
    """

    def each(numbers, kind=""):
        return re.sub(NUMBER, lambda number: to(kind + number[0]).removeprefix(kind), numbers)

    def renewed(found):
        group = found.groupdict()
        if group.get("text") is not None:
            return _led(found, to)
        if group.get("brackets"):
            return f"({each(group['brackets'])})"
        if group.get("list"):
            kind = "" if group["kind"].lower() == "section" else "exercise "
            return found[0].removesuffix(group["list"]) + each(group["list"], kind)
        if group.get("called"):
            kind = "exercise " if group["call"].startswith("check") else ""
            return f'{group["call"]}{each(group["called"], kind)}"'
        return each(found[0]) if group.get("column") or group.get("quoted") else found[0]

    return pattern.sub(renewed, text)


def _led(link, to):
    """A link to a part of the book with the number and the file of its section."""
    kind, number, rest = re.match(
        rf"(?:([Ee]xercise ))?({NUMBER})?(.*)", link["text"], re.S
    ).groups()
    text, file = link["text"], link["file"]
    if number:
        new = to((kind or "").lower() + number).removeprefix("exercise ")
        text = f"{kind or ''}{new}{rest}"
        file = book([f"{int(new.split('.')[0]):02d}"])[0].name
    return f"[{text}]({link['folder']}{file}{link['anchor'] or ''})"


def files():
    """(path, [patterns]) of what points to sections beside the notebooks."""
    for paths, pattern in ((TEXTS, POINTER), (CODE, IN_CODE)):
        for path in sorted({path for one in paths for path in ROOT.glob(one)}):
            name = path.relative_to(ROOT)
            if name.as_posix() not in HISTORY and ".venv" not in name.parts:
                yield path, pattern


def repointed(to):
    """{path: text} of the files of the project whose pointers change.

    `to` takes a name, such as "6.3" or "exercise 6.3", and gives the name that it has now. It also
    takes the page on which the name stands, but for a number in quotes, which may be no name.
    """
    found = {}
    for path in book():
        part = json.loads(path.read_text(encoding="utf-8"))
        on_page = functools.partial(to, page=path.name)
        for cell in part["cells"]:
            pattern = POINTER if cell["cell_type"] == "markdown" else IN_CODE
            text = pointed("".join(cell["source"]), on_page, pattern)
            cell["source"] = text.splitlines(keepends=True)
            said = cell["metadata"].get("slideshow", {})
            for key in {"says", "asks", "given", "board", "definition", "formula"} & {*said}:
                said[key] = pointed(said[key], on_page)
            if "tell" in said:
                said["tell"] = [pointed(text, on_page) for text in said["tell"]]
        found[path] = written(part)
    for path, pattern in files():
        on_page = functools.partial(to, page=path.relative_to(ROOT).as_posix())
        text = pointed(path.read_text(encoding="utf-8"), on_page, pattern)
        for kind, places in (("", SECTIONS), ("exercise ", EXERCISES)):
            if any(path.match(place) for place in places):
                text = pointed(
                    text, lambda name, kind=kind: to(kind + name).removeprefix(kind), QUOTED
                )
        found[path] = text
    return {path: text for path, text in found.items() if text != path.read_text(encoding="utf-8")}


def written(part):
    """A notebook as the text of its file."""
    return json.dumps(part, indent=1, ensure_ascii=False) + "\n"


# The command ---------------------------------------------------------------------------------


def stands():
    """{"6.3" or "exercise 6.3": (title, file and cell)} of what is numbered in the book."""
    found = {}
    for path in book():
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] == "markdown":
                for _, exercise, number, title in HEADING.findall("".join(cell["source"])):
                    name = exercise.lower() + number
                    found[name] = title.strip(" ·"), f"{path.name}#cell-id={cell['id']}"
    return found


def renumber(parts):
    """Number the headings of the book, {path: notebook}, in their order; {old name: new name}."""
    new = {}
    for path, part in parts.items():
        counts = {"": 0, "exercise ": 0}

        def numbered(heading, path=path, counts=counts):
            kind = (heading[2] or "").lower()
            counts[kind] += 1
            number = f"{int(path.name[:2])}.{counts[kind]}"
            if kind + heading[3] in new and not heading[3].endswith("?"):
                sys.exit(f"two headings have the number {kind}{heading[3]}")
            new[kind + heading[3]] = kind + number
            return f"{heading[1]} {heading[2] or ''}{number}{heading[4]}"

        for cell in part["cells"]:
            if cell["cell_type"] == "markdown":
                text = HEADING.sub(numbered, "".join(cell["source"]))
                cell["source"] = text.splitlines(keepends=True)
    return new


def where(parts, name):
    """(the cells of its part, its first cell, the one after it) of a section or an exercise."""
    path = book([f"{int(re.search(r'[0-9]+', name)[0]):02d}"])[0]
    stored = parts[path]["cells"]
    if name.startswith("exercise "):
        starts = f"### Exercise {name.removeprefix('exercise ')} "
        _split(stored, starts)
        found = [i for i, cell in enumerate(stored) if "".join(cell["source"]).startswith(starts)]
    else:
        cell = meant(name, path.name).cell
        found = [i for i, one in enumerate(stored) if one["id"] == cell]
    level = _level(stored[found[0]]) if found else 0
    if not level:
        sys.exit(f"the heading of {name} must begin a cell of its own")
    after = range(found[0] + 1, len(stored))
    return stored, found[0], next((i for i in after if 0 < _level(stored[i]) <= level), len(stored))


def _split(stored, heading):
    """Let a heading that stands within a cell, as that of a first exercise does, begin one."""
    for i, cell in enumerate(stored):
        before, found, text = "".join(cell["source"]).partition(f"\n\n{heading}")
        if found and cell["cell_type"] == "markdown":
            cell["source"] = before.splitlines(keepends=True)
            after = {**cell, "id": f"{cell['id']}-1", "source": (heading + text).splitlines(True)}
            stored.insert(i + 1, after)
            return


def _level(cell):
    heading = (
        re.match("(#+) ", "".join(cell["source"])) if cell["cell_type"] == "markdown" else None
    )
    return len(heading[1]) if heading else 0


def move(parts, names, target):
    """Move sections or exercises, in this order, behind another or to the end of Going further."""
    taken = []
    for name in names:
        stored, start, end = where(parts, name)
        taken.append(stored[start:end])
        del stored[start:end]
    if target == "further":
        stored, at = _further(parts, names[0])
        level = 3
    else:
        stored, start, at = where(parts, target)
        level = _level(stored[start])
    further = any("".join(cell["source"]).startswith(f"## {FURTHER}") for cell in stored[:at])
    chapter = next(int(path.name[:2]) for path in parts if parts[path]["cells"] is stored)
    for block in taken:
        down = level - _level(block[0])
        for cell in block:
            if cell["cell_type"] == "markdown":
                text = _lowered("".join(cell["source"]), down)
                cell["source"] = text.splitlines(keepends=True)
        if not HEADING.match("".join(block[0]["source"])) and (further or level == 2):
            block[0]["source"][0] = block[0]["source"][0].replace("# ", f"# {chapter}.? ", 1)
        stored[at:at] = block
        at += len(block)


def _lowered(text, down):
    return re.sub("^##+(?= )", lambda level: "#" * (len(level[0]) + down), text, flags=re.M)


def _further(parts, name):
    """The cells of a chapter and where its part Going further ends; it is made if there is none."""
    path = book([f"{int(re.search(r'[0-9]+', name)[0]):02d}"])[0]
    stored = parts[path]["cells"]
    first = [
        i for i, one in enumerate(stored) if "".join(one["source"]).startswith(f"## {FURTHER}")
    ]
    sources = [i for i, one in enumerate(stored) if "".join(one["source"]).startswith("## Sources")]
    end = sources[0] if sources else len(stored)
    if not first:
        cell = {"cell_type": "markdown", "id": f"further{path.name[:2]}", "metadata": {}}
        stored.insert(end, {**cell, "source": [f"## {FURTHER}"]})
        end += 1
    return stored, end


def rename(parts, name, title):
    """Give a section or a chapter another title."""
    if re.fullmatch(r"\d+", name):
        path = book([f"{int(name):02d}"])[0]
        first = parts[path]["cells"][0]["source"]
        old = first[0].strip().partition(" · ")[2]
        first[0] = f"# {name} · {title}\n"
        link = re.compile(rf"\[((?:\d+ · )?){re.escape(old)}\](?=\((?:notebooks/)?{path.name})")
        for cell in (cell for part in parts.values() for cell in part["cells"]):
            cell["source"] = [link.sub(rf"[\g<1>{title}]", line) for line in cell["source"]]
        readme = ROOT / "README.md"
        text = link.sub(rf"[\g<1>{title}]", readme.read_text(encoding="utf-8"))
        readme.write_text(text, encoding="utf-8")
    else:
        stored, start, _ = where(parts, name)
        line = stored[start]["source"][0]
        head = re.match(r"#+ (?:Exercise )?(?:[\d.]+ )?(?:· )?", line)[0]
        stored[start]["source"][0] = head + title + "\n" * line.endswith("\n")


def drop(parts, name, instead):
    """Delete a section; the links to its cells lead to what says it instead."""
    stored, start, end = where(parts, name)
    there, first, _ = where(parts, instead)
    file = next(path.name for path in parts if parts[path]["cells"] is there)
    ids = "|".join(cell["id"] for cell in stored[start:end])
    link = re.compile(rf"\[([^\]]*)\]\(\d\d_\w+\.ipynb#cell-id=(?:{ids})\)")

    def led(found):
        text = instead if NAME.fullmatch(found[1]) else found[1]
        return f"[{text}]({file}#cell-id={there[first]['id']})"

    del stored[start:end]
    for cell in (cell for part in parts.values() for cell in part["cells"]):
        cell["source"] = [link.sub(led, line) for line in cell["source"]]


def follow(to, gone):
    """Bring notebooks/moved.json up to date; what was dropped says what stands in its place."""
    path, now = ROOT / MOVED, stands()
    moved = json.loads(path.read_text(encoding="utf-8"))
    for entry in moved.values():
        old = entry["now"] or entry["instead"]
        new = to(old, page=MOVED)
        if entry["now"] and old not in gone:
            entry["now"] = new
        else:
            entry.update(now=None, instead=new)
        entry["title"], entry["cell"] = now.get(new, ("", ""))
    lines = (f' "{name}": {json.dumps(entry, ensure_ascii=False)}' for name, entry in moved.items())
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def fill_in():
    """Give each link to a section its cell and the words of its heading; what leads nowhere."""
    stale = []
    for path in book():
        part = json.loads(path.read_text(encoding="utf-8"))
        for cell in part["cells"]:
            if cell["cell_type"] == "markdown":
                try:
                    text = anchored("".join(cell["source"]))
                except LookupError as error:
                    stale.append(f"{path.name}: {error}")
                    continue
                cell["source"] = text.splitlines(keepends=True)
        write({path: written(part)})
    return stale


def main(command="", *names):
    parts = {path: json.loads(path.read_text(encoding="utf-8")) for path in book()}
    before = {path: [cell["id"] for cell in part["cells"]] for path, part in parts.items()}
    gone, missing = {}, set()
    if command == "move":
        move(parts, [name for name in names[:-1] if name != "after"], names[-1])
    elif command == "rename":
        rename(parts, *names)
    elif command == "drop":
        gone = dict([names])
        if names[0] in stands():
            drop(parts, *names)
    elif command:
        sys.exit(__doc__)
    new = renumber(parts)
    write({path: written(part) for path, part in parts.items()})

    def to(name, page=None):
        name = gone.get(name, name)
        if page and name not in new and not name.startswith("exercise 0."):  # no headings
            missing.add(f"{page}: nothing has the number {name}")
        return new.get(name, name)

    write(repointed(to))
    stale = fill_in()
    follow(to, gone)
    moved = [
        path.name[:2] for path in parts if before[path] != [c["id"] for c in parts[path]["cells"]]
    ]
    if moved:
        print(f"now: make refresh CHAPTERS='{' '.join(moved)}'")
    if stale or missing:
        sys.exit("\n".join(sorted({*stale, *missing})))


def write(texts):
    """Write the files whose text has changed."""
    for path, text in texts.items():
        if text != path.read_text(encoding="utf-8"):
            path.write_text(text, encoding="utf-8")
            print(f"{path.relative_to(ROOT)}: renewed")
    headings.cache_clear()


if __name__ == "__main__":
    main(*sys.argv[1:])
