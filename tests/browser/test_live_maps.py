"""All maps of a model, in headless Chromium: layers, heads, what stands out, and a saved page."""

import math
import re

import pytest
import torch
from live_kinds import REPEATED, data_of, model_maps, sent_maps, without_map
from live_table import CASES, ROOT, most_pieces
from test_live import LETTERS, sentence, show, walk

from conftest import PATIENCE, SHOTS, frame, still, watch
from d2lattn_book.pictures import maps

HEADS = "[aria-label='heads'] [role=gridcell]"
LISTED = "[role=toolbar] button"


def weights_of(layer, head, asks):
    """As they travel."""
    return (sent_maps(model_maps()) / 255)[layer, head, asks]


def on_screen(page):
    """The weights of the query, by the labels of the keys."""
    cells = page.locator("[aria-label=key] [role=gridcell]").all()
    labels = [cell.get_attribute("aria-label") for cell in cells]
    assert [label.split(": ")[0] for label in labels] == REPEATED
    return [float(label.rsplit("weight ", 1)[1]) for label in labels]


def set_to(page, name, value):
    page.get_by_label(name, exact=True).fill(str(value))
    frame(page)


def test_a_layer_and_a_head_are_chosen_and_their_weights_read(page, tmp_path):
    show(page, tmp_path, "maps")
    for layer, head, asks in ((2, 5, 12), (0, 8, 12), (1, 0, 7)):
        set_to(page, "layer", layer)
        set_to(page, "head", head)
        page.locator("[aria-label=query] [role=gridcell]").nth(asks).click()
        frame(page)
        row = weights_of(layer, head, asks)
        assert on_screen(page) == pytest.approx(row.tolist(), abs=0.0051)
        best = row.argmax().item()
        assert sentence(page) == (
            f"In layer {layer}, head {head}, the query {REPEATED[asks]} attends most to the key "
            f"{REPEATED[best]}: attention weight {row[best]:.2f}. Its 13 attention weights add up "
            "to 1.00."
        )
        assert page.get_by_label(f"head {head}, shown", exact=True).count() == 1
        for name, value in (("layer", layer), ("head", head)):
            assert page.get_by_label(name, exact=True).get_attribute("aria-valuetext") == str(value)


def test_a_pointer_over_the_map_reads_one_weight(page, tmp_path):
    show(page, tmp_path, "maps")
    set_to(page, "layer", 1)
    box = page.locator("svg rect[fill=transparent]").bounding_box()
    asks, answer = 9, 3
    page.mouse.move(
        box["x"] + (answer + 0.5) / 13 * box["width"], box["y"] + (asks + 0.5) / 13 * box["height"]
    )
    head = int(page.get_by_label("head", exact=True).input_value())
    weight = weights_of(1, head, asks)[answer]
    told = f"In layer 1, head {head}, the query {REPEATED[asks]} attends to the key "
    assert sentence(page).startswith(told + f"{REPEATED[answer]}: attention weight {weight:.2f}.")


def test_every_head_that_stands_out_leads_to_its_map(page, tmp_path):
    show(page, tmp_path, "maps")
    standing = data_of(model_maps())["standing"]
    listed = [(kind["name"], *head) for kind in standing for head in kind["heads"]]
    buttons = page.locator(LISTED)
    assert buttons.count() == len(listed) == 20
    for k, (name, layer, head, score) in enumerate(listed):
        label = f"{name}: layer {layer}, head {head}, mean attention weight {score:.2f}"
        assert buttons.nth(k).get_attribute("aria-label") == label
        assert buttons.nth(k).inner_text() == f"L{layer}H{head} {score:.2f}"
        buttons.nth(k).click()
        assert sentence(page).startswith(f"In layer {layer}, head {head}, ")
        assert buttons.nth(k).get_attribute("aria-pressed") == "true"
    page.get_by_role("button", name="Reset").click()
    _, layer, head, _ = listed[0]
    assert sentence(page).startswith(f"In layer {layer}, head {head}, ")


def test_all_of_it_by_keyboard(page, tmp_path):
    show(page, tmp_path, "maps", width=1180)
    standing = data_of(model_maps())["standing"]

    def listed(kind, k):
        layer, head, _ = standing[kind]["heads"][k]
        return f"^In layer {layer}, head {head}, "

    walk(
        page,
        "input[type=range]",
        ("End", "^In layer 2, head"),
        ("Tab Home ArrowRight", "^In layer 2, head 1,"),
        ("Tab Tab", "="),  # by Reset, to the small maps: to pass by changes nothing
        ("ArrowRight", "^In layer 2, head 2,"),
        ("Tab ArrowDown ArrowRight", "="),  # the list: nothing is pressed on the way
        ("Enter", listed(0, 2)),
        ("End Space", listed(3, 4)),
        ("Shift+Tab Tab Home Enter", listed(0, 0)),  # where it was left
        ("Tab Home", f" the query {REPEATED[7]} attends "),  # the first of line two
    )


@pytest.mark.parametrize("width", [1240, 884, 358])
@pytest.mark.parametrize("count", [12, 20, 60])
def test_a_band_ends_at_the_token_it_means(page, tmp_path, monkeypatch, count, width):
    """And the names of columns do not lie on one another."""
    looks = [(7 * i + 3) % count for i in range(count)]
    weights, names = torch.eye(count)[looks], [f"w{k}" for k in range(count)]
    monkeypatch.setitem(CASES, "one", lambda: maps(weights[None, None], tokens=names))
    page.set_viewport_size({"width": width + 32, "height": 720})
    show(page, tmp_path, "one", width=width)
    band = page.locator(".stage path").locator("visible=true")
    for asks in (count - 1, count // 2, 0):
        page.locator("[aria-label=query] [role=gridcell]").nth(asks).click()
        still(page)
        key = page.get_by_label(f"w{looks[asks]}: attention weight 1.00", exact=True)
        box = key.locator(".box").bounding_box()
        end = band.evaluate(
            "one => DOMPoint.fromPoint(one.getPointAtLength(one.getTotalLength()))"
            ".matrixTransform(one.getScreenCTM()).toJSON()"
        )
        assert box["x"] - 1 <= end["x"] <= box["x"] + box["width"]
        assert box["y"] - 1 <= end["y"] <= box["y"] + box["height"]
    columns = page.locator(".stage text[transform]").all()
    assert len(columns) == (count if count <= 20 else 0)
    places = [re.findall(r"-?[\d.]+", one.get_attribute("transform")) for one in columns]
    for one, (x, _, turn), (right, *_) in zip(columns, places, places[1:], strict=False):
        letters = float(re.search(r"[\d.]+", one.get_attribute("style"))[0])
        apart = (float(right) - float(x)) * math.sin(math.radians(-float(turn)))
        assert apart > 0.9 * letters  # from one line of writing to the next


MAP = f"""() => {{
  const canvas = {ROOT}.querySelector('.stage canvas');
  const {{data}} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return [...data].filter((_, k) => k % 4 === 3);
}}"""


def test_the_large_map_shows_the_weights(page, tmp_path):
    show(page, tmp_path, "maps")
    set_to(page, "layer", 2)
    set_to(page, "head", 4)
    page.wait_for_timeout(400)  # it glides
    wanted = 255 * (sent_maps(model_maps())[2, 4] / 255).sqrt()
    assert (torch.tensor(page.evaluate(MAP)).view(13, 13) - wanted).abs().max() <= 1


@pytest.mark.parametrize("width", [1280, 400])
def test_a_saved_page_works_from_disk(browser, tmp_path, width):
    """Without a kernel and without a network; and nothing is written below 11 pixels."""
    figure = model_maps()
    figure.save(tmp_path / "maps.html")
    context = browser.new_context(viewport={"width": width, "height": 720})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    watch(page)
    page.goto(f"file://{tmp_path}/maps.html")
    assert page.title() == repr(figure)
    page.get_by_label("layer", exact=True).fill("2")
    page.get_by_label("head 6", exact=True).click()
    frame(page)
    assert on_screen(page) == pytest.approx(weights_of(2, 6, 12).tolist(), abs=0.0051)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("[data-live]").evaluate(LETTERS) >= 11
    still(page)
    page.screenshot(path=str(SHOTS / f"live-maps-saved-{width}.png"), full_page=True)
    assert page.outside == page.errors == []
    context.close()


@pytest.mark.parametrize("width", [358, 884, 1240])
def test_no_button_is_cut(page, tmp_path, width):
    page.set_viewport_size({"width": width + 32, "height": 720})
    show(page, tmp_path, "many maps", width=width)
    cut = page.evaluate(
        f"[...{ROOT}.querySelectorAll('.kind :is(button, b)')]"
        ".filter(node => node.scrollWidth > node.clientWidth + 1).map(node => node.textContent)"
    )
    assert cut == [] and page.locator(LISTED).count() == 20


def test_layers_without_maps_are_named(page, tmp_path, monkeypatch):
    monkeypatch.setitem(CASES, "mixed", lambda: model_maps(change=without_map))
    show(page, tmp_path, "mixed")
    assert page.get_by_text("no maps in: layer 1", exact=True).is_visible()
    set_to(page, "layer", 1)  # the second that is there
    assert "In layer 2, head" in sentence(page)


def test_a_saved_page_of_256_pieces(browser, tmp_path):
    """Each piece can be reached, what weights lack is a piece more, and all is drawn from disk."""
    figure = most_pieces()
    figure.save(tmp_path / "maps.html")
    assert len(figure.html) < 400_000
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    watch(page)
    page.goto(f"file://{tmp_path}/maps.html")
    (told,) = [one for one in page.locator("p:visible").all_inner_texts() if "lack" in one]
    assert re.fullmatch(
        r"Weights add up to 0\.\d\d to 1\.00, and nothing is what they lack of 1\.", told
    )
    asked = page.locator("[aria-label=key] [role=gridcell]")
    assert page.locator("[aria-label=query] [role=gridcell]").count() == 256
    assert asked.count() == 257
    for k in (255, 0, 77):
        page.locator("[aria-label=query] [role=gridcell]").nth(k).click()
        frame(page)
        shown = {}
        for label in asked.evaluate_all(
            "cells => cells.map(one => one.getAttribute('aria-label'))"
        ):
            name, weight = label.rsplit(": attention weight ", 1)
            shown[name] = float(weight)
        taken = 0.5 + 0.5 * k / 255
        seen = {name: weight for name, weight in shown.items() if weight > 0.005}
        wanted = {f"piece{(k - 1) % 256}": taken} | ({"nothing": 1 - taken} if k < 255 else {})
        assert seen == pytest.approx(wanted, abs=0.01)
    still(page)
    page.screenshot(path=str(SHOTS / "live-maps-256.png"), full_page=True)
    assert page.outside == page.errors == []
    context.close()
