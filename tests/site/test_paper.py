"""The book as PDF: `make print` wrote it from the pages tested here."""

import re

import nbformat
import pypdf
import pytest
from cells import COMPARE, book, published
from opened import ROOT

PDF = ROOT / "build" / "d2lattn.pdf"


@pytest.fixture(scope="module")
def pdf():
    return pypdf.PdfReader(PDF)


def test_the_outline_has_every_chapter_at_its_first_page(pdf):
    chapters = [entry for entry in pdf.outline if not isinstance(entry, list)]
    assert len(chapters) == len(book()) + 1  # and what was corrected
    assert [isinstance(entry, list) for entry in pdf.outline[1:3]] == [True, False]
    for chapter in chapters:
        page = pdf.pages[pdf.get_destination_page_number(chapter)]
        assert chapter.title.split()[0] in page.extract_text()


def test_the_contents_name_the_page_of_every_chapter(pdf):
    text = "\n".join(page.extract_text() for page in pdf.pages[1:7])
    for chapter in (entry for entry in pdf.outline[2:] if not isinstance(entry, list)):
        number = pdf.get_destination_page_number(chapter) + 1
        assert re.search(rf"{re.escape(chapter.title)}\s*{number}\b", text), chapter.title


def test_no_page_is_blank_and_pictures_are_there(pdf):
    pictures = 0
    for number, page in enumerate(pdf.pages, 1):
        inside = page["/Resources"].get("/XObject", {}).values()
        pictures += sum(one.get_object()["/Subtype"] == "/Image" for one in inside)
        assert len(page.extract_text().split()) > 3 or inside, f"page {number} is blank"
    print(f"{len(pdf.pages)} pages, {pictures} pictures, {PDF.stat().st_size / 1e6:.1f} MB")
    assert pictures >= 90


def test_the_fonts_are_in_the_pdf(pdf):
    fonts = pdf.pages[20]["/Resources"]["/Font"].values()
    for font in (font.get_object() for font in fonts):
        inner = font.get("/DescendantFonts", [font])[0].get_object()
        described = inner.get("/FontDescriptor", {})
        assert font["/Subtype"] == "/Type3" or any("/FontFile" in key for key in described)


def test_a_mark_leads_to_its_table_on_the_website(pdf):
    links = [note.get_object() for page in pdf.pages for note in page.get("/Annots", [])]
    places = [link["/A"].get("/URI", "") for link in links if "/A" in link]
    assert f"{published()}experiments.html#which-matrices" in places
    told = "\n".join(page.extract_text() for page in pdf.pages)
    assert "†" in told and "All rows of" not in told


def test_what_answers_a_guess_stands_in_the_open(pdf):
    told = "\n".join(page.extract_text() for page in pdf.pages)
    guesses = [nbformat.read(path, as_version=4).cells for path in book()]
    folds = [cell for cells in guesses for cell in cells if COMPARE in cell.source]
    assert len(re.findall(r"^Compare\s*$", told, re.M)) >= len(folds) > 0
