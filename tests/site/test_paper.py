"""The book as PDF: `make print` wrote it from the pages tested here."""

import re

import nbformat
import pypdf
import pytest
from cells import COMPARE, book, published
from opened import ROOT


@pytest.fixture(scope="module")
def pdf():
    return pypdf.PdfReader(ROOT / "build" / "d2lattn.pdf")


@pytest.fixture(scope="module")
def told(pdf):
    """The text of each page."""
    return [page.extract_text().replace("ﬁ", "fi") for page in pdf.pages]


def test_outline_and_contents_name_the_page_of_every_chapter(pdf, told):
    chapters = [entry for entry in pdf.outline if not isinstance(entry, list)]
    assert len(chapters) == len(book()) + 1  # and what was corrected
    assert [isinstance(entry, list) for entry in pdf.outline[1:3]] == [True, False]
    contents = "\n".join(told[1:7])
    for chapter in chapters:
        number = pdf.get_destination_page_number(chapter)
        assert chapter.title.split()[0] in told[number]
        assert re.search(rf"{re.escape(chapter.title)}\s*{number + 1}\b", contents), chapter.title


def test_no_page_is_blank_and_pictures_are_there(pdf, told):
    pictures = 0
    for page, text in zip(pdf.pages, told, strict=True):
        inside = page["/Resources"].get("/XObject", {}).values()
        pictures += sum(one.get_object()["/Subtype"] == "/Image" for one in inside)
        assert len(text.split()) > 3 or inside, f"page {page.page_number + 1} is blank"
    assert pictures >= 90


def test_a_mark_leads_to_its_table_and_what_answers_a_guess_stands_in_the_open(pdf, told):
    links = [note.get_object() for page in pdf.pages for note in page.get("/Annots", [])]
    places = [link["/A"].get("/URI", "") for link in links if "/A" in link]
    assert f"{published()}experiments.html#which-matrices" in places
    text = "\n".join(told)
    assert "†" in text and not re.search(r"All rows of [a-z]+_", text)
    cells = [cell for path in book() for cell in nbformat.read(path, as_version=4).cells]
    folds = [cell for cell in cells if COMPARE in cell.source]
    assert len(re.findall(r"^Compare\s*$", text, re.M)) >= len(folds) > 0
