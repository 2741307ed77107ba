"""The decoder in the page, in headless Chromium: keys, what it says, heads, cache."""

import pytest
from live_table import ROOT
from test_live import sentence, show, text_of


def probs(page):
    """Word and probability of what is listed."""
    root = ROOT
    return page.evaluate(
        f"[...{root}.querySelectorAll('.likely')].map(row => [row.children[0].textContent,"
        "Number(row.children[2].textContent)])"
    )


def test_chances_follow_the_temperature_the_most_likely_and_the_heads(page, tmp_path):
    show(page, tmp_path, "stories")
    opened = probs(page)
    page.get_by_label("temperature").fill("0")
    sentence(page)
    assert probs(page)[0][1] == 1
    page.get_by_label("temperature").fill("2")
    page.get_by_label("top-k").fill("2")
    sentence(page)
    listed = probs(page)
    assert listed[0][1] + listed[1][1] == pytest.approx(1, abs=0.011) and listed[1][1] > 0
    page.get_by_role("button", name="Reset").click()
    assert sentence(page) and probs(page) == opened
    page.get_by_label("is on").uncheck()
    said = sentence(page)
    assert ", which is off," in said and "with all heads on)" in said
    assert probs(page) != opened
    page.get_by_label("is on").check()
    assert sentence(page) and probs(page) == opened


def test_the_map_of_a_head_shows_what_each_word_gives(page, tmp_path):
    """Row by row, as who asks above: the root of a weight is seen, and nothing of later words."""
    show(page, tmp_path, "stories")
    root = ROOT
    pixels = f"""() => {{
      const canvas = {root}.querySelector('.maps .shown canvas');
      const {{data}} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return [canvas.width, [...data].filter((_, k) => k % 4 === 3)];
    }}"""
    words = page.locator("[aria-label='tokens: which one is the query?'] [role=gridcell]")
    length, opacity = page.evaluate(pixels)
    assert length == words.count() == 8
    for i in range(length):
        words.nth(i).click()
        text_of(page)
        row = page.locator(".text small").all_inner_texts()
        weights = [0 if weight == "–" else float(weight) for weight in row]
        for j in range(length):
            weight = (opacity[i * length + j] / 255) ** 2
            assert weight == pytest.approx(weights[j], abs=0.01) if j <= i else weight == 0


def test_it_writes_on_to_the_full_stop(page, tmp_path):
    show(page, tmp_path, "stories")
    page.get_by_label("temperature").fill("0.2")
    page.get_by_role("button", name="▶ generate").click()
    page.get_by_role("button", name="▶ generate").wait_for()  # it has stopped by itself
    said = sentence(page)
    assert said.endswith("Here the text ends.")
    assert page.get_by_label("text", exact=True).input_value().startswith("the queen went to")


def test_it_opens_with_texts_to_choose_and_completes_a_word(page, tmp_path):
    """As chapter 9 has it: careful, with a menu, and a word that is begun becomes one it knows."""
    show(page, tmp_path, "chosen")
    text = page.get_by_label("text", exact=True)
    assert page.get_by_label("temperature").input_value() == "0.5"
    page.get_by_label("prompt").select_option("the secretary")
    assert sentence(page).startswith("secretary attends most")
    assert text.input_value() == "the secretary"
    text.fill("the queen of the c")
    offers = f"[...{ROOT}.querySelectorAll('datalist option')]"
    text_of(page)
    offered = page.evaluate(f"{offers}.map(one => one.value)")
    assert "the queen of the crown" in offered and len(offered) > 3
    assert all(one.startswith("the queen of the c") for one in offered)
    text.fill(offered[0])
    assert not sentence(page).startswith("Not in its vocabulary")
    assert page.evaluate(f"{offers}.length") == 0
