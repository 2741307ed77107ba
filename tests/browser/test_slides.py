"""`make slides`: the decks open from disk with the network blocked, and live figures live there.

Runs with `make test-browser`. Screenshots go to build/screenshots.
"""

import shutil

import nbformat
import pytest
import slides
from cells import chapters
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from test_live import FIGURES, KINDS

from conftest import SHOTS

NOTE = "Say this aloud: whoever asks is orange."


def told(cell, kind, *tags):
    cell.metadata |= {"slideshow": {"slide_type": kind}, "tags": list(tags)}
    return cell


def lecture():
    """A slide for each kind of live figure, with notes, a formula and a solution."""
    cells = [told(new_markdown_cell("# Figures\n\n$x^2$ and $$\\frac{a}{b}$$"), "slide")]
    notes = f"<details><summary>Notes</summary>{NOTE}</details>"
    cells.append(told(new_markdown_cell(notes), "notes"))
    for name in [*KINDS, "projections"]:
        output = new_output("display_data", FIGURES[name]._repr_mimebundle_())
        cells.append(told(new_markdown_cell(f"## The figure {name}"), "slide"))
        cells.append(new_code_cell(f"live.{name}(…)", outputs=[output]))
    cells.append(told(new_code_cell("the_answer = 42"), "subslide", "solution"))
    return new_notebook(cells=cells)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """All decks, and one of figures as the package draws them now."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("slides")
    slides.slides(folder)
    (folder / "live.html").write_text(slides.deck(lecture()), encoding="utf-8")
    return folder


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


# Slide by slide: where it ends on the page, and what its letters were shrunk to.
SIZES = """async () => {
  Reveal.configure({transition: 'none'});
  const found = [];
  for (const slide of Reveal.getSlides()) {
    const {h, v} = Reveal.getIndices(slide);
    Reveal.slide(h, v ?? 0, 999);
    await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
    found.push({at: [h, v], text: slide.innerText.trim().slice(0, 40), zoom: +slide.style.zoom,
                bottom: slide.getBoundingClientRect().bottom});
  }
  return found;
}"""


@pytest.mark.parametrize("path", chapters(), ids=lambda path: path.name[:2])
def test_no_slide_is_higher_than_the_screen(page, folder, path):
    open_deck(page, folder / f"{path.stem}.html")
    sizes = page.evaluate(SIZES)
    assert len(sizes) > 5
    assert [slide for slide in sizes if slide["bottom"] > 721] == []
    smallest = min(sizes, key=lambda slide: slide["zoom"])
    print(f"\n{path.name[:2]}: {len(sizes)} slides, the smallest at {smallest['zoom']:.0%}")
    assert smallest["zoom"] >= 0.8, smallest
    assert page.locator("mjx-container").count() > 0 or "$" not in path.read_text()
    assert page.locator("mjx-merror").count() == 0


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
