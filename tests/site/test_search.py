"""What people ask, in their words, and the sections that answer it: each is found early.

The questions are those of issue trackers of attention layers and of readers who searched.
"""

import json
import re
from pathlib import Path

import pytest
from opened import SITE, go
from playwright.sync_api import expect

# Each answer is a pattern of numbers or words of headings. `questions` are found first or second,
# `visitors`, in the words of somebody who has not seen the book's, among the first three,
# `messages` first or second on a page of the clinic. `forty` were written by two people who saw the
# table of contents alone, with the sections they would expect, before the search was touched; two
# messages also have the entry that quotes them word for word, which no heading tells.
ASKED = json.loads((Path(__file__).parent / "questions.json").read_text(encoding="utf-8"))
PLACES = {"questions": 2, "visitors": 3, "messages": 2}
TABLE = [
    pytest.param(query, answers, PLACES[kind], id=query)
    for kind in PLACES
    for query, answers in ASKED[kind].items()
]


def found(page, query):
    """The headings that the search field leads to, best first, and their places."""
    page.locator("#pst-search-dialog input").fill(query)
    results = page.locator("#pst-search-dialog .found li a")
    page.wait_for_function(
        "q => document.querySelector('dialog .found').dataset.query === q", arg=query
    )
    return [(link.inner_text(), link.get_attribute("href")) for link in results.all()]


@pytest.fixture(scope="module")
def field(page):
    """The front page with its search open."""
    go(page, SITE / "index.html")
    page.keyboard.press("Control+k")
    return page


@pytest.mark.parametrize(("query", "answers", "places"), TABLE)
def test_a_question_is_answered_among_the_first(field, query, answers, places):
    first = found(field, query)[:places]
    wanted = re.compile(rf"(?<![\d.])({answers.replace('.', '[.]')})(?![\d.])", re.I)
    answering = [place for title, place in first if wanted.search(title)]
    assert answering, first
    assert query not in ASKED["messages"] or "clinic/" in answering[0]


def test_of_forty_questions_most_are_answered_first(field):
    places = []
    for query, sections in ASKED["forty"]:
        numbers = [title.split(" ")[0] for title, _ in found(field, query)[:3]]
        places.append(next((i for i, one in enumerate(numbers) if one in sections), None))
    assert places.count(0) >= 34
    assert len(places) - places.count(None) >= 38


@pytest.mark.parametrize("term", ["temperature", "attention weights", "residual stream", "MLA"])
def test_a_term_of_the_glossary_gets_its_meaning_above_the_sections(field, term):
    found(field, term)
    assert len(field.locator("dialog .found .meaning").inner_text().split()) > 8
    found(field, "why a value matrix")
    expect(field.locator("dialog .found .meaning")).to_have_count(0)


def test_a_result_shows_a_formula_as_text_and_only_what_was_looked_for_in_bold(field):
    found(field, "nan softmax")
    said = field.locator("dialog .found li p")
    assert not re.search(r"\\[a-z]|[{}]", " ".join(said.all_inner_texts()))
    assert not {"now", "near", "need_weights"} & {*said.locator("mark").all_inner_texts()}


def test_what_the_book_does_not_have_is_not_found(field):
    assert found(field, "banana bread recipe") == []
    expect(field.locator(".found [role=status] a")).to_have_text("list of symptoms")


def test_a_name_of_the_package_is_found_with_the_words_around_it_and_without_network(field):
    place = next(
        href for name, href in found(field, "causal_mask") if name.endswith(".causal_mask")
    )
    excerpt = field.locator("#pst-search-dialog .found li p").first
    expect(excerpt.locator("mark").first).to_be_visible()
    field.locator(f"#pst-search-dialog a[href='{place}']").click()
    expect(field.locator("dt[id='d2lattn.masks.causal_mask']")).to_be_in_viewport()
    assert field.outside == []


def test_the_page_of_results_shows_sections_too(page):
    go(page, SITE / "search.html", "?q=why+divide+by+sqrt+d")
    first = page.locator("#search-results li a").first
    expect(first).to_have_text(re.compile(r"3\.[12]"))
    first.click()
    expect(page.locator("section:target h2")).to_be_in_viewport()
    expect(page.locator("section:target .veil")).to_have_count(0)  # its answers are open


def test_a_term_leads_to_its_row_of_the_glossary_on_a_telephone(telephone):
    go(telephone, SITE / "index.html")
    telephone.keyboard.press("Control+k")
    found(telephone, "residual stream")
    telephone.locator("dialog .found .meaning a").click()
    row = telephone.locator("#glossary tr:target")
    expect(row).to_contain_text("residual stream")
    expect(row).to_be_in_viewport(ratio=1)
    assert row.locator("td").nth(1).bounding_box()["width"] > 300  # stacked, not beside the term
