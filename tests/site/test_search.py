"""What people ask, in their words, and the sections that answer it: each is found first or second.

Forty of the questions are those of issue trackers of attention layers and of readers' searches.
"""

import pytest
from opened import SITE
from test_site import found, go

# The beginnings of the titles of the sections that answer.
QUESTIONS = {
    "ring attention": ("11.1", "11.2"),
    "positional encoding heatmap": ("6.4", "6.5"),
    "MLA": ("10.2",),
    "padding mask torch": ("3.8", "3.11", "91.1", "Which way"),
    "nan": ("91.1", "91.2", "A row with nothing", "3.9"),
QQQ}


@pytest.mark.parametrize("query", QUESTIONS)
def test_a_question_is_answered_first_or_second(page, query):
    if "index.html" not in page.url:
        go(page, SITE / "index.html")
        page.keyboard.press("Control+k")
    first = [title for title, _ in found(page, query)[:2]]
    assert any(title.startswith(QUESTIONS[query]) for title in first), first
