"""All maps of a model, in headless Chromium: layers, heads, what stands out, and a saved page."""

import math
import re

import pytest
import torch
from live_kinds import REPEATED, data_of, image_maps, model_maps, sent_maps, without_map
from live_table import HOST
from test_live import resize, sentence, show, walk

from conftest import SHOTS, frame, new_page, still
from d2lattn_book.pictures import maps

NAMES = [f"{t} (position {i})" if REPEATED.count(t) > 1 else t for i, t in enumerate(REPEATED)]


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
    """In the labels, in the sentence, and in the points of the large map."""
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
            f"In layer {layer}, head {head}, the query {NAMES[asks]} attends most to the key "
            f"{NAMES[best]}: attention weight {row[best]:.2f}. Its 13 attention weights add up "
            "to 1.00."
        )
        assert page.get_by_label(f"head {head}, shown", exact=True).count() == 1
        for name, value in (("layer", layer), ("head", head)):
            assert page.get_by_label(name, exact=True).get_attribute("aria-valuetext") == str(value)
    page.wait_for_timeout(400)  # it glides
    shown = torch.tensor(page.evaluate("probe.pixels('.stage canvas')")[1]).view(13, 13)
    assert (shown - 255 * (sent_maps(model_maps())[1, 0] / 255).sqrt()).abs().max() <= 1


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
    told = f"In layer 1, head {head}, the query {NAMES[asks]} attends to the key "
    assert sentence(page).startswith(told + f"{NAMES[answer]}: attention weight {weight:.2f}.")


def test_every_head_that_stands_out_leads_to_its_map(page, tmp_path):
    show(page, tmp_path, "maps", width=1180)
    standing = data_of(model_maps())["standing"]
    listed = [(kind["name"], *head) for kind in standing for head in kind["heads"]]
    buttons = page.locator("[role=toolbar] button")
    assert buttons.count() == len(listed) == 20
    for k, (name, layer, head, score) in enumerate(listed):
        label = f"{name}: layer {layer}, head {head}, score {score:.2f}"
        assert buttons.nth(k).get_attribute("aria-label") == label
        assert buttons.nth(k).inner_text() == f"L{layer}H{head} {score:.2f}"
        buttons.nth(k).click()
        assert sentence(page).startswith(f"In layer {layer}, head {head}, ")
        assert buttons.nth(k).get_attribute("aria-pressed") == "true"

    def told(kind, k):
        layer, head, _ = standing[kind]["heads"][k]
        return f"^In layer {layer}, head {head}, "

    page.get_by_role("button", name="Reset").click()
    assert sentence(page).startswith(told(0, 0)[1:])
    by_keyboard = [
        (("focus", "input[type=range]"), "="),
        ("End", "^In layer 2, head"),
        ("Tab Home ArrowRight", "^In layer 2, head 1,"),
        ("Tab Tab", "="),  # by Reset, to the small maps: to pass by changes nothing
        ("ArrowRight", "^In layer 2, head 2,"),
        ("Tab Home", "="),  # the list: nothing is pressed on the way
        ("ArrowDown ArrowRight", "="),
        ("Enter", told(0, 2)),
        ("End Space", told(3, 4)),
        ("Shift+Tab Tab Home Enter", told(0, 0)),  # where it was left
        ("Tab Home", f" the query {NAMES[7]} attends "),  # the first of line two
    ]
    walk(page, by_keyboard)


@pytest.mark.parametrize("count", [12, 20, 60])
def test_a_band_ends_at_the_token_it_means(page, tmp_path, count):
    """And the names of columns do not lie on one another."""
    looks = [(7 * i + 3) % count for i in range(count)]
    names = [f"w{k}" for k in range(count)]
    show(page, tmp_path, maps(torch.eye(count)[looks][None, None], tokens=names))
    band = page.locator(".stage path").locator("visible=true")
    for width in (358, 884, 1240):
        resize(page, width)
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


@pytest.mark.parametrize("width", [1280, 400])
def test_a_saved_page_works_from_disk(browser, tmp_path, width):
    """Without a kernel and without a network; and nothing is written below 11 pixels."""
    figure = model_maps()
    figure.save(tmp_path / "maps.html")
    with new_page(browser, width, 720) as page:
        page.goto(f"file://{tmp_path}/maps.html")
        assert page.title() == repr(figure)
        set_to(page, "layer", 2)
        page.get_by_label("head 6", exact=True).click()
        frame(page)
        assert on_screen(page) == pytest.approx(weights_of(2, 6, 12).tolist(), abs=0.0051)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.locator(HOST).count() == 1 and page.evaluate("probe.letters()") >= 11
        page.screenshot(path=str(SHOTS / f"live-maps-saved-{width}.png"), full_page=True)
        assert page.outside == page.errors == []


def test_layers_without_maps_are_named(page, tmp_path):
    show(page, tmp_path, model_maps(change=without_map))
    assert page.get_by_text("no maps in: layer 1", exact=True).is_visible()
    walk(page, [(("fill", "label=layer", "1"), "^In layer 2, head")])  # the second that is there


def test_each_of_264_pieces_can_be_reached(page, tmp_path):
    """It looks one back, in one head, and what weights lack of 1 is one piece more."""
    one = torch.eye(264).roll(-1, 1) * torch.linspace(0.5, 1, 264)[:, None]
    names = [f"piece{k}" for k in range(264)]
    show(page, tmp_path, maps(torch.stack([one, one.mT])[None], tokens=names, query=100))
    told = page.get_by_text(re.compile(r"^Weights add up to 0\.\d\d to 1\.00, and nothing is what"))
    assert told.filter(visible=True).count() == 1
    asks = "[aria-label=query] [role=gridcell]"
    steps = [
        ("", (asks, 264)),
        ("", ("[aria-label=key] [role=gridcell]", 265)),
        (("click", f"{asks} >> nth=263"), ("[aria-label='piece262: attention weight 1.00']", 1)),
        (("click", f"{asks} >> nth=77"), ("[aria-label='piece76: attention weight 0.65']", 1)),
        ("", ("[aria-label='nothing: attention weight 0.35']", 1)),
    ]
    walk(page, steps)


@pytest.mark.parametrize("width", [1100, 360])
def test_a_patch_of_an_image_is_the_query_and_the_image_as_bright_as_its_weights(
    page, tmp_path, width
):
    figure = image_maps()
    show(page, tmp_path, figure, width=width)
    cells = page.locator("[aria-label=query] [role=gridcell]")
    squares = [cell.locator("rect").first for cell in cells.all()]
    for asks, name in ((0, "CLS"), (4, "(1, 0)")):
        cells.nth(asks).click()
        frame(page)
        row = (sent_maps(figure) / 255)[0, 0, asks]
        labels = [cell.get_attribute("aria-label") for cell in cells.all()]
        told = [float(label.rsplit("weight ", 1)[1]) for label in labels]
        assert told == pytest.approx(row.tolist(), abs=0.0051)
        assert labels[asks].startswith(f"{name}, the query: ")
        dark = [float(square.get_attribute("fill-opacity")) for square in squares]
        assert dark[1:] == pytest.approx((0.85 * (1 - row / row.max()))[1:].tolist())
    image, last = page.locator("svg image").bounding_box(), squares[-1].bounding_box()
    for side, long in (("x", "width"), ("y", "height")):
        assert last[side] + last[long] == pytest.approx(image[side] + image[long], abs=1)
    page.mouse.move(0, 0)
    walk(
        page,
        [
            (("focus", "[aria-label=query] [tabindex='0']"), "="),
            ("ArrowUp", "query (0, 0) attends"),
        ],
    )
