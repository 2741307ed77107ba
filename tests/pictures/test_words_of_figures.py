"""One word, one thing: what figures, controls and tables call what they show (appendix 90).

Prose is for a reader's ear; here stands what has one right spelling. Names in code are torch's.
"""

import html
import json
import re

import cells
import nbformat
import pytest
from test_every_drawing import DRAWINGS

from d2lattn_book.pictures import live, plots

# What a figure must not say: what it must say instead.
WRONG = {
    r"(?<![-.])(?<!\d )\bweights?\b": "share, of one that a softmax made; learned ones are counted",
    r"(?<!decimal )(?<!in their )\bplaces?\b": "position",
    r"\b(features?|components?)\b": "channel",
    r"\breader\b": "model",
    r"\bforetells?\b": "predict",
    r"\b(who|columns?) answers?\b|\banswers? →": "is asked: a key describes its word, no reply",
    r"\bgives? (its|most|the)\b": "takes: a word takes a share",
}
IN_CODE = re.compile(r'"[^"\n]*"|`[^`]*`')  # a text of JavaScript, left to right
TOLD = [path for path in cells.chapters() if path.name[:2] <= "04"]


def wrong(text):
    """The wrong words of a text, with what stands around them and the word that is wanted."""
    found = [(hit, wanted) for rule, wanted in WRONG.items() for hit in re.finditer(rule, text)]
    return [
        f"{text[max(0, hit.start() - 30) : hit.end() + 20]!r}: for {hit[0]!r} say {wanted}"
        for hit, wanted in found
    ]


def said(output):
    """What an output says beside its numbers: a figure, a live figure's data and table, a print."""
    data = output.get("data", {})
    page = data.get("text/html", "")
    if "<live-" in page:
        (sent,) = re.findall(r"data-live='([^']*)'", page)
        table = re.sub(r"<[^>]*>", " ", page.partition("<live-")[0])
        return f"{strings(json.loads(html.unescape(sent)))} {html.unescape(table)}"
    if cells.pictures({"outputs": [output]}):
        return data["text/plain"]
    return re.sub(r"\bweights\b", "", output.get("text", ""))  # in the plural they may be learned


def strings(sent):
    """The words in the data of a live figure."""
    if isinstance(sent, dict):
        return " ".join(strings(value) for name, value in sent.items() if name not in NAMES)
    if isinstance(sent, list):
        return " ".join(map(strings, sent))
    return sent if isinstance(sent, str) else ""


NAMES = {"figure", "roles", "shapes", "data"}  # of kinds, colours, tensors; and bytes


@pytest.mark.parametrize("draw", DRAWINGS.values(), ids=DRAWINGS)
def test_a_drawing_calls_things_by_their_names(draw):
    ax = draw()
    heads = [ax.get_title(), ax.get_xlabel(), ax.get_ylabel()]
    texts = [text.get_text() for text in ax.texts]
    assert wrong("\n".join([plots.describe(ax), *heads, *texts])) == []


@pytest.mark.parametrize("kind", sorted(path.stem for path in live.STORED.glob("*.js")))
def test_a_live_figure_calls_things_by_their_names(kind):
    for path in (live.STORED.parent / kind).glob("*.js"):
        lines = path.read_text(encoding="utf-8").splitlines()
        code = "\n".join(line for line in lines if not line.strip().startswith("//"))
        texts = [re.sub(r"\$\{[^{}]*\}", "", text) for text in IN_CODE.findall(code)]
        assert wrong("\n".join(text for text in texts if " " in text)) == [], path.name


@pytest.mark.parametrize("path", TOLD, ids=lambda path: path.name[:2])
def test_what_a_chapter_shows_calls_things_by_their_names(path):
    for cell in nbformat.read(path, as_version=4).cells:
        for output in cell.get("outputs", []):
            assert wrong(said(output)) == [], cell.source


def test_wrong_words_are_found_and_right_ones_are_not():
    for text in ("own weight 0.11", "place of the key", "feature of the token", "cat gives its"):
        assert wrong(text), text
    (said,) = wrong("from this place on")
    assert said == "'from this place on': for 'place' say position"
    for text in (
        "40,416 weights",
        "font-weight: 600",
        "14 decimal places",
        "an RNN in their place",
    ):
        assert not wrong(text), text
    data = {"title": "by place", "roles": {"weight": "#968cc4"}, "steps": ["a", 2]}
    assert strings(data) == "by place a "
