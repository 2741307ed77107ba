"""`make slides`: the decks open from disk with the network blocked, and live figures live there.

Runs with `make test-browser`. Screenshots go to build/screenshots.
"""

import re

import nbformat
import pytest
import slides
from accessible import violations
from cells import chapters, is_imports, is_setup, tags
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from test_live import FIGURES, KINDS

from conftest import SHOTS

NOTE = "Say this aloud: whoever asks is orange."


def told(cell, kind, *tags):
    cell.metadata |= {"slideshow": {"slide_type": kind}, "tags": list(tags)}
    return cell


def lecture():
    """A slide for each kind of live figure, with notes, a formula and a solution."""
    cells = [told(new_markdown_cell("# Figures\n\n**What moves?**\n\n$x^2$"), "slide")]
    notes = f"<details><summary>Notes</summary>{NOTE}</details>"
    cells.append(told(new_markdown_cell(notes), "notes"))
    for name in [*KINDS, "projections"]:
        output = new_output("display_data", FIGURES[name]._repr_mimebundle_())
        cells.append(told(new_markdown_cell(f"## The figure {name}"), "slide"))
        cells.append(new_code_cell(f"live.{name}(…)", outputs=[output]))
    cells.append(told(new_code_cell("the_answer = 42"), "subslide", "solution"))
    return new_notebook(cells=cells)


@pytest.fixture(scope="module")
def folder(decks):
    """All decks, and one of figures as the package draws them now."""
    (decks / "live.html").write_text(slides.deck(lecture()), encoding="utf-8")
    return decks


def open_deck(page, path, width=1280, height=720):
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"file://{path}")
    page.locator(".reveal.ready").wait_for()
    page.evaluate("MathJax.startup.promise.then(() => {})")


def go(page, deck_index):
    """To a slide, and until it has stopped moving."""
    page.evaluate(
        """i => new Promise(done => {
          Reveal.configure({transition: 'none'});
          Reveal.slide(i, 0);
          requestAnimationFrame(() => setTimeout(done));
        })""",
        deck_index,
    )


# A slide with all that appears on it, and nothing has to fade in.
SHOWN = """i => new Promise(done => {
  Reveal.configure({transition: 'none'});
  const {h, v} = Reveal.getIndices(Reveal.getSlides()[i]);
  Reveal.slide(h, v ?? 0, 999);
  document.getAnimations().forEach(fading => fading.finish());
  requestAnimationFrame(() => setTimeout(done));
})"""
PRESENT = ".slides > section.present:not(.stack), .slides > section.present > section.present"


@pytest.mark.parametrize("path", slides.decks(), ids=lambda path: path.name[:2])
def test_axe_finds_nothing_on_any_slide(page, folder, path):
    open_deck(page, folder / f"{path.stem}.html")
    found = set(violations(page))  # the page around the slides is the same for all
    for i in range(page.evaluate("Reveal.getTotalSlides()")):
        page.evaluate(SHOWN, i)
        found |= set(violations(page, PRESENT))
    assert found == set()


@pytest.mark.parametrize("path", slides.decks(), ids=lambda path: path.name[:2])
def test_what_is_on_no_slide_is_in_the_notes(path):
    """All code and prose but ⊕, which comes when it is asked for; a chapter ends at its summary."""
    notebook = nbformat.read(path, as_version=4)
    core, whole = (slides.Deck(notebook.cells, optional).slides for optional in (False, True))
    notes, all_notes = (
        "\n".join(n for slide in deck for n in slide.notes) for deck in (core, whole)
    )
    lines = [slide.line for slide in core] + [slide.question for slide in core]
    optional = False
    for cell in notebook.cells[1:]:
        if cell.source.startswith(("## Summary", "## Symptoms")):
            break
        optional = optional or bool(re.match("##.*⊕", cell.source))
        hidden = is_setup(cell) or is_imports(cell)
        if cell.cell_type == "code" and not hidden:
            assert cell.source in all_notes and (optional or cell.source in notes)
        elif "slide-line" in tags(cell) and not optional:
            assert any(cell.source in line for line in lines)
    assert not any("⊕" in slide.title for slide in core)
    assert optional == (len(all_notes) > len(notes))


def test_solutions_are_left_out(folder):
    for path in chapters():
        page = (folder / f"{path.stem}.html").read_text(encoding="utf-8")
        for cell in nbformat.read(path, as_version=4).cells:
            if "solution" in cell.metadata.get("tags", []):
                assert f"cell-id={cell.id}" not in page
    assert "the_answer" not in (folder / "live.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("size", [(1280, 720), (640, 400), (1920, 1080)], ids=str)
def test_the_pointer_lands_right_on_a_scaled_slide(page, folder, size):
    open_deck(page, folder / "live.html", *size)
    assert page.locator("[data-live]").count() == len(KINDS) + 1
    go(page, 1)
    host = page.locator("[data-live]").first
    host.get_by_label("share of cat for found", exact=False).first.click()
    host.get_by_text("query of found · key of cat", exact=False).first.wait_for()
    assert page.evaluate("Reveal.getIndices().h") == 1  # the click turned no page

    # A number is turned by .1 for each 6 units of the drawing, whatever the size of the slide.
    cell = host.locator("[aria-label^='x of cat, number 2']")
    box = cell.bounding_box()
    unit = cell.evaluate("""cell => {
      const svg = cell.ownerSVGElement;
      return svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    }""")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 60 * unit, steps=3)
    page.mouse.up()
    host.locator("[aria-label='x of cat, number 2: 2.60']").wait_for()

    # Maps and curves take the place from the pointer's coordinates.
    go(page, 2)
    glass = page.locator("[data-live]").nth(1).locator("rect[fill=transparent]")
    box = glass.bounding_box()
    page.mouse.click(box["x"] + 2.5 / 6 * box["width"], box["y"] + 4.5 / 6 * box["height"])
    page.mouse.move(5, 5)
    page.locator("[data-live]").nth(1).get_by_label("the, asks", exact=True).wait_for()
    page.locator("[data-live]").nth(1).get_by_text(", to cat in head 1").wait_for()
    page.screenshot(path=str(SHOTS / f"slide-{size[0]}.png"))


def test_keys_stay_in_the_figure_until_escape(page, folder):
    open_deck(page, folder / "live.html")
    go(page, 1)
    page.locator("[data-live]").first.locator("[role=gridcell]").first.click()
    for key in ("ArrowRight", "o", "b"):
        page.keyboard.press(key)
    text_of_deck = "() => [Reveal.getIndices().h, Reveal.isOverview(), Reveal.isPaused()]"
    assert page.evaluate(text_of_deck) == [1, False, False]
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("Reveal.getIndices().h === 2")


def test_the_speaker_sees_the_notes(page, folder):
    open_deck(page, folder / "live.html")
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    notes = opened.value.locator(".speaker-controls-notes")
    notes.get_by_text(NOTE).wait_for()
    assert page.get_by_text(NOTE).is_hidden()
    opened.value.close()
