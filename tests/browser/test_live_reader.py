"""The decoder in the page, in headless Chromium: probabilities and maps of heads."""

import pytest
from test_live import sentence, show


def probs(page):
    """The probabilities of what is listed."""
    sentence(page)
    return [float(one or 0) for one in page.locator(".likely > :nth-child(3)").all_inner_texts()]


def test_probs_follow_the_temperature_the_top_k_and_the_heads(page, tmp_path):
    show(page, tmp_path, "stories")
    opened = probs(page)
    page.get_by_label("temperature").fill("0")
    assert probs(page)[0] == 1
    page.get_by_label("temperature").fill("2")
    page.get_by_label("top-k").fill("2")
    listed = probs(page)
    assert listed[0] + listed[1] == pytest.approx(1, abs=0.011) and listed[1] > 0
    page.get_by_role("button", name="Reset").click()
    assert probs(page) == opened
    page.get_by_label("use head").uncheck()
    assert probs(page) != opened
    said = sentence(page)
    assert ", which is off," in said and "with all heads on)" in said
    page.get_by_label("use head").check()
    assert probs(page) == opened


def test_the_map_of_a_head_shows_what_each_word_gives(page, tmp_path):
    """Row by row, as who asks above: the root of a weight is seen, and nothing of later words."""
    show(page, tmp_path, "stories")
    words = page.locator("[aria-label='tokens: which one is the query?'] [role=gridcell]")
    length, opacity = page.evaluate("probe.pixels('.maps .shown canvas')")
    assert length == words.count() == 8
    for i in range(length):
        words.nth(i).click()
        sentence(page)
        row = page.locator(".text small").all_inner_texts()
        weights = [0 if weight == "–" else float(weight) for weight in row]
        for j in range(length):
            weight = (opacity[i * length + j] / 255) ** 2
            assert weight == pytest.approx(weights[j], abs=0.01) if j <= i else weight == 0
