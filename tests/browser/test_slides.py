"""`make slides`: the decks open from disk with the network blocked, and live figures live there.

Runs with `make test-browser`. Screenshots go to build/screenshots.
"""

import re

import nbformat
import pytest
import slides
from accessible import violations
from cells import chapters, further, is_imports, is_setup, tags
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from test_live import FIGURES, KINDS

from conftest import SHOTS, frame

NOTE = "Say this aloud: whoever asks is orange."


def told(cell, kind, *tags):
    cell.metadata |= {"slideshow": {"slide_type": kind}, "tags": list(tags)}
    return cell


def lecture():
    """A slide for each kind of live figure, with notes, a formula and a solution."""
    cells = [told(new_markdown_cell("# Figures\n\n**What moves?**\n\n$x^2$"), "slide")]
    notes = f"<details><summary>Notes</summary>{NOTE}</details>"
    cells.append(told(new_markdown_cell(notes), "notes"))
    for name in KINDS:
        output = new_output("display_data", FIGURES[name]()._repr_mimebundle_())
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
          Reveal.slide(i, 0);
          requestAnimationFrame(() => setTimeout(done));
        })""",
        deck_index,
    )


# A slide with all that appears on it, and nothing has to fade in.
SHOWN = """i => new Promise(done => {
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


# What is on the screen: the number of a slide, its title, and how much of it has appeared.
SEEN = """() => {
  document.getAnimations().forEach(fading => fading.finish());
  const all = [...document.querySelectorAll(".slides section:not(:has(section))")];
  const onScreen = node => {
    const {x, y, width, height} = node.getBoundingClientRect();
    const inside = width && height && x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
    return inside && node.checkVisibility({opacityProperty: true, visibilityProperty: true});
  };
  return all.filter(onScreen).map(slide => [
    all.indexOf(slide),
    slide.querySelector("h1, h2, h3").innerText.trim(),
    [...slide.querySelectorAll(".fragment")].filter(onScreen).length,
  ]);
}"""


def positions(path):
    """What a deck has to show, from key to key: as `SEEN` says it, one slide at a time."""
    found = []
    for i, slide in enumerate(slides.Deck(nbformat.read(path, as_version=4).cells).slides):
        title = slide.title.lstrip("# ").replace("*", "")
        later = len(slide.shown) + bool(slide.line) if slide.question else 0
        found += [[[i, title, appeared]] for appeared in range(later + 1)]
    return found


@pytest.mark.parametrize("path", slides.decks(), ids=lambda path: path.name[:2])
def test_one_key_leads_through_every_deck_and_one_back(page, folder, path):
    """Also after a hand has been on a figure: a clicker knows no other key, or arrows alone."""
    wanted, page.touched = positions(path), 0
    open_deck(page, folder / f"{path.stem}.html")
    assert page.title() == f"{wanted[0][0][1]} · slides"
    for key, way in (("ArrowRight", wanted), ("ArrowLeft", wanted[::-1]), ("PageDown", wanted)):
        seen = [page.evaluate(SEEN)]
        while len(seen) < len(way) + 1 and (len(seen) < 2 or seen[-1] != seen[-2]):
            if key == "PageDown":
                touch(page, TOUCHED, *KEYS[:: -1 if seen[-1] == way[-1] else 1])
            if key == "ArrowRight":
                touch(page, TOUCHED[:2], *ARROWS[:: -1 if seen[-1] == way[-1] else 1])
            page.keyboard.press(key)
            seen.append(page.evaluate(SEEN))
        assert seen == [*way, way[-1]]  # at the end the key leads no further
    assert page.touched >= 2 * page.locator("[data-live]").count()


KEYS, ARROWS = ("PageDown", "PageUp"), ("ArrowRight", "ArrowLeft")
# A word, a slider, a button, a menu, a field: what a hand may have been on last. In the last two an
# arrow chooses.
TOUCHED = (
    *("[role=gridcell], [role=button]", "[type=range]", "button", "select"),
    "input:not([type=range], [type=checkbox])",
)


def touch(page, kinds, turn, back):
    """Use one thing of each kind in the figure on the screen; a clicker still turns the slide."""
    figure = page.locator(f":is({PRESENT}) [data-live]")
    for kind in kinds:
        for target in figure.locator(kind).locator("visible=true").all()[:1]:
            page.touched += 1
            there = page.evaluate(SEEN)
            use(page, target)
            page.keyboard.press(turn)
            assert page.evaluate(SEEN) != there, kind
            page.keyboard.press(back)
            assert page.evaluate(SEEN) == there, kind


def use(page, target):
    target.click(force=True)  # a word may lie under another word
    if target.evaluate("node => node.tagName") == "SELECT":
        last = target.evaluate("node => node.selectedIndex === node.length - 1")
        page.keyboard.press("ArrowUp" if last else "ArrowDown")  # in the list that has opened
        page.keyboard.press("Enter")


# Of the live figure on the screen: its letters that are smaller than 18 pixels, with their size.
SMALL = """() => {
  const live = Reveal.getCurrentSlide().querySelector("[data-live]").shadowRoot;
  const walk = document.createTreeWalker(live.querySelector(".live"), NodeFilter.SHOW_TEXT);
  const seen = node => node.checkVisibility() && node.getBoundingClientRect().width;
  const found = [];
  let letters = 0;
  while (walk.nextNode()) {
    const node = walk.currentNode.parentElement, text = walk.currentNode.textContent.trim();
    if (!text || !seen(node) || node.closest("style, option, [hidden]")) continue;
    const svg = node.closest("svg");
    const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width
      : node.currentCSSZoom;
    const size = parseFloat(getComputedStyle(node).fontSize) * scale;
    letters += text.length;
    if (size < 17.95) found.push([text, size]);
  }
  return [letters > 20, found];
}"""


# Of the live figure on the screen: labels that reach beyond the box of their drawing.
CUT = """() => {
  const live = Reveal.getCurrentSlide().querySelector("[data-live]").shadowRoot;
  const box = node => node.getBoundingClientRect();
  const seen = text => text.checkVisibility({visibilityProperty: true}) && text.textContent.trim();
  return [...live.querySelectorAll(".stage text")].filter(seen).filter(text => {
    const {left, right} = box(text.closest(".stage"));
    return box(text).left < left - 1 || box(text).right > right + 1;
  }).map(text => text.textContent);
}"""


@pytest.mark.parametrize("path", slides.decks(), ids=lambda path: path.name[:2])
def test_a_hall_can_read_every_live_figure_also_when_it_was_used(page, folder, path):
    open_deck(page, folder / f"{path.stem}.html")
    for i in range(page.evaluate("Reveal.getTotalSlides()")):
        page.evaluate(SHOWN, i)
        figure = page.locator(f":is({PRESENT}) [data-live]")
        if figure.count():
            frame(page)
            assert page.evaluate(SMALL) == [True, []]
            assert page.evaluate(CUT) == []
            for kind in TOUCHED:
                for target in figure.locator(kind).locator("visible=true").all()[:1]:
                    use(page, target)
            frame(page)
            assert page.evaluate(SMALL) == [True, []]
            assert page.evaluate("Reveal.getCurrentSlide().scrollHeight") <= 720


DEMOS = re.findall(r"\]\((\d\d_\w+\.html)(#/cell-id=[\w-]+)\)", slides.INDEX)


@pytest.mark.parametrize(("name", "link"), DEMOS, ids=[name[:2] for name, _ in DEMOS])
def test_each_of_ten_demos_opens_as_large_as_from_slide_to_slide(page, folder, name, link):
    assert len(DEMOS) == 10
    open_deck(page, folder / name)
    page.goto(f"file://{folder / name}{link}")
    page.reload()  # a link from elsewhere: the figure is drawn after the deck
    page.locator(".reveal.ready").wait_for()
    page.locator(f":is({PRESENT}) [data-live]").locator(".live").wait_for()
    frame(page)
    frame(page)
    assert page.evaluate(SMALL) == [True, []] and page.evaluate(CUT) == []
    number = page.evaluate("Reveal.getSlidePastCount()") + 1
    assert page.locator(".where").inner_text().split()[-3:-1] == [str(number), "/"]


# Of a slide: where it says that it stands, how large what is said is and where its middle lies, and
# what of it lies over something else. A picture reaches into the margins of its box.
FACE = """() => {
  const slide = Reveal.getCurrentSlide(), box = node => node.getBoundingClientRect();
  const seen = node => node.checkVisibility() && box(node).height > 0;
  const all = [...slide.querySelectorAll("h1, [class*=celltag_], .printed, img, .highlight")];
  const parts = all.filter(seen).filter(node => !node.closest("aside"));
  const said = parts.filter(node => node.matches(".celltag_question, .celltag_line"));
  const tops = parts.map(node => box(node).top), bottoms = parts.map(node => box(node).bottom);
  const over = parts.filter((one, i) => parts.slice(i + 1).some(other => !one.contains(other)
    && !other.contains(one) && box(other).top < box(one).bottom - 2
    && box(one).top < box(other).bottom - 2));
  const title = document.createRange(), name = document.querySelector(".where span");
  title.selectNodeContents(slide.querySelector("h1, h2"));
  const free = box(title).right <= box(name).left || box(title).top >= box(name).bottom;
  const bare = !slide.querySelector("[data-live]") && !parts.some(node => node.matches("img"));
  return {
    where: document.querySelector(".where").innerText.split("\\n").join(" "), bare,
    sizes: said.map(node => parseFloat(getComputedStyle(node).fontSize)),
    alone: parts.every(node => node.matches("h1, .celltag_given") || said.includes(node))
      && !slide.querySelector(".fragment.visible"),
    middle: parts.length ? (Math.min(...tops) + Math.max(...bottoms)) / 2 : null,
    free, named: name.checkVisibility({visibilityProperty: true}),
    over: over.map(node => node.innerText.slice(0, 40)),
  };
}"""


@pytest.mark.parametrize("path", slides.decks(), ids=lambda path: path.name[:2])
def test_what_is_said_stands_large_in_the_middle_and_nothing_lies_over_it(page, folder, path):
    open_deck(page, folder / f"{path.stem}.html")
    total = page.evaluate("Reveal.getTotalSlides()")
    for i in range(total):
        for appeared in (-1, 999):  # the question alone, and with its answer
            page.evaluate(SHOWN.replace("999", str(appeared)), i)
            face = page.evaluate(FACE)
            assert face["where"].endswith(f"{i + 1} / {total}")
            assert face["named"] == face["free"]  # the chapter, where a long title leaves room
            assert face["over"] == []
            least = 50 if face["alone"] else 40
            assert all(size >= (least if face["bare"] else 28) for size in face["sizes"])
            assert not face["bare"] or 290 <= face["middle"] <= 430


# Of a slide with a picture: how large the letters of what its question gives are, 0 if that is
# gone; and whether the picture is as wide as its box, whatever stands above.
GIVEN = """() => {
  const slide = Reveal.getCurrentSlide(), picture = slide.querySelector("img");
  const given = slide.querySelector(".celltag_given");
  if (!given || !picture) return null;
  const {width, height} = picture.getBoundingClientRect();
  return [
    given.checkVisibility() ? parseFloat(getComputedStyle(given).fontSize) : 0,
    height >= width * picture.naturalHeight / picture.naturalWidth - 1, slide.scrollHeight,
  ];
}"""


def test_what_a_question_gives_stays_above_the_picture_unless_that_would_be_smaller(page, folder):
    kept = []
    for path in slides.decks():
        open_deck(page, folder / f"{path.stem}.html")
        for i in range(page.evaluate("Reveal.getTotalSlides()")):
            page.evaluate(SHOWN, i)
            if found := page.evaluate(GIVEN):
                letters, wide, whole = found
                assert whole <= 720 and (letters == 0 or wide), (path.name, i + 1)
                assert letters == 0 or letters >= 22
                kept.append(letters > 0)
    assert kept.count(True) >= 10


@pytest.mark.parametrize("path", slides.decks(), ids=lambda path: path.name[:2])
def test_bars_stand_beside_their_names_and_on_the_slide(page, folder, path):
    open_deck(page, folder / f"{path.stem}.html")
    for i in range(page.evaluate("Reveal.getTotalSlides()")):
        page.evaluate(SHOWN, i)
        for bars in page.locator(f":is({PRESENT}) .bars").all():
            box = bars.bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= 1280
            assert box["y"] >= 0 and box["y"] + box["height"] <= 720
            assert bars.evaluate("""table => [...table.rows].every(row =>
                [...row.cells].every(cell => cell.scrollWidth <= cell.clientWidth + 1))""")


@pytest.mark.parametrize("path", slides.decks(), ids=lambda path: path.name[:2])
def test_what_is_on_no_slide_is_in_the_notes(path):
    """All code of the core but guards, and its prose; a chapter ends at its summary."""
    notebook = nbformat.read(path, as_version=4)
    core = slides.Deck(notebook.cells).slides
    notes = "\n".join(note for slide in core for note in slide.notes)
    lines = [slide.line for slide in core] + [slide.question for slide in core]
    optional = further(notebook.cells)
    for i, cell in enumerate(notebook.cells):
        if cell.source.startswith(("## Summary", "## Symptoms")):
            break
        left_out = is_setup(cell) or is_imports(cell) or "# @title Guard" in cell.source
        if cell.cell_type == "code" and not (left_out or i in optional):
            assert cell.source in notes
        elif "slide-line" in tags(cell) and i < min(optional, default=len(notebook.cells)):
            board = slides.said_of(cell).keys() & slides.STANDS  # words of its own on the slide
            assert board or any(cell.source in line for line in lines)


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
    host.get_by_label("weight of query found on key cat", exact=False).first.click()
    host.get_by_text("query of found · key of cat", exact=False).first.wait_for()
    assert page.evaluate("Reveal.getIndices().h") == 1  # the click turned no page

    # A number is turned by .1 for each 6 units of the drawing, whatever the size of the slide.
    cell = host.locator("[aria-label^='x of cat, channel 2']")
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
    host.locator("[aria-label='x of cat, channel 2: 2.60']").wait_for()

    # Maps and curves take the place from the pointer's coordinates.
    go(page, 2)
    glass = page.locator("[data-live]").nth(1).locator("rect[fill=transparent]")
    box = glass.bounding_box()
    page.mouse.click(box["x"] + 2.5 / 6 * box["width"], box["y"] + 4.5 / 6 * box["height"])
    page.mouse.move(5, 5)
    page.locator("[data-live]").nth(1).get_by_label("the, the query", exact=True).wait_for()
    page.locator("[data-live]").nth(1).get_by_text("attends to the key cat").wait_for()
    page.screenshot(path=str(SHOTS / f"slide-{size[0]}.png"))


def test_keys_stay_in_the_figure_until_escape(page, folder):
    open_deck(page, folder / "live.html")
    go(page, 1)
    page.locator("[data-live]").first.locator("[role=gridcell]").first.click()
    for key in ("o", "b", "ArrowRight"):  # an arrow right after the pointer would turn the slide
        page.keyboard.press(key)
    text_of_deck = "() => [Reveal.getIndices().h, Reveal.isOverview(), Reveal.isPaused()]"
    assert page.evaluate(text_of_deck) == [1, False, False]
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("Reveal.getIndices().h === 2")


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_pointer_used_in_a_figure_gives_the_keys_back(page, folder, kind):
    """And what a key used does not: whoever has no pointer keeps the place."""
    open_deck(page, folder / "live.html")
    here = KINDS.index(kind) + 1
    go(page, here)
    figure = page.locator("[data-live]").nth(here - 1)
    inside = "document.activeElement.matches('[data-live]')"
    for target in figure.locator("button, select, summary, [type=checkbox]").all():
        if target.is_visible() and target.is_enabled():  # neither is for good
            use(page, target)
            frame(page)
            assert not page.evaluate(inside)
        if target.is_visible() and target.is_enabled():
            pressed = target.evaluate("node => node.matches('button, summary')")
            target.press("Enter" if pressed else "End")
            frame(page)
            assert page.evaluate(inside) or target.is_disabled()
    word = figure.locator(TOUCHED[0]).locator("visible=true").first
    word.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("Reveal.getIndices().h") == here
    use(page, figure.locator("button").locator("visible=true").first)
    page.keyboard.press("ArrowRight")
    assert page.evaluate("Reveal.getIndices().h") == here + 1


def test_the_speaker_sees_the_notes(page, folder):
    open_deck(page, folder / "live.html")
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    notes = opened.value.locator(".speaker-controls-notes")
    notes.get_by_text(NOTE).wait_for()
    assert page.get_by_text(NOTE).is_hidden()
    opened.value.close()
