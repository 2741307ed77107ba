"""The ring in headless Chromium: hand, keys and play, what is read off the picture, how it lies."""

import re

from live_table import ROOT
from test_live import show

from conftest import SHOTS, still

# What is written in the drawing and seen, without the sentence: each text with its place.
WRITTEN = f"""() => [...{ROOT}.querySelectorAll('svg text')]
  .filter(text => text.textContent && getComputedStyle(text).visibility !== 'hidden')
  .map(text => {{
    const box = text.getBoundingClientRect();
    return [text.textContent, box.x + box.width / 2, box.y + box.height / 2];
  }})"""


def picture(page):
    """Read off the drawing: what each rank has, holds and does, its row of time, and the end."""
    still(page)
    written = page.evaluate(WRITTEN)
    lane = next(y for text, _, y in written if text == "time per rank (computing one score = 1)")
    frames = page.evaluate(
        f"[...{ROOT}.querySelectorAll('svg > g')[0].children]"
        ".filter(node => node.localName === 'rect' && node.height.baseVal.value > 100)"
        ".map(node => node.getBoundingClientRect())"
        ".map(box => [box.x, box.right, box.y, box.bottom])"
    )
    ranks = {}
    for left, right, top, bottom in frames:
        texts = [text for text, x, y in written if left < x < right and top < y < bottom]
        name = next(text for text in texts if re.fullmatch(r"rank \d", text))
        places = [text for text in texts if re.fullmatch(r"[\d –]+", text)]
        block = next(text for text in texts if text.startswith("keys"))
        does = next(text for text in texts if re.fullmatch(r"idle|\d+ scores?", text))
        ranks[name] = dict(asks=places[0], holds=block, keys=places[1], does=does)
    right = max(box[1] for box in frames)
    times = [(text, x, y) for text, x, y in written if y > lane and x < right + 9]
    waits = [int(text.split()[1]) for text, _, _ in times if re.fullmatch(r"idle \d+ %", text)]
    ends = [int(text) for text, _, _ in times if text.isdecimal()]
    return ranks, waits, ends


def test_striping_can_be_read_off_the_picture(page, tmp_path):
    """Who has which words, what comes by, who waits, and that stripes end sooner."""
    show(page, tmp_path, "ring", width=884)
    told = {}
    for striped in (False, True):
        page.get_by_role("checkbox", name="striped").set_checked(striped)
        page.get_by_label("round", exact=True).fill("0")
        for s in range(4):
            page.get_by_label("round", exact=True).fill(str(s))
            told[striped, s] = picture(page)
            page.screenshot(path=str(SHOTS / f"live-ring-{'striped' * striped}-{s}.png"))
    for (striped, s), (ranks, _, _) in told.items():
        for r in range(4):
            one, block = ranks[f"rank {r}"], (r - s) % 4
            few = lambda w: f"{w[0]}–{w[-1]}" if not striped else " ".join(map(str, w))  # noqa
            words = [range(4 * k, 4 * k + 4) if not striped else range(k, 16, 4) for k in range(4)]
            assert one["asks"] == few(words[r])
            assert one["holds"] == f"keys of rank {block}"
            assert one["keys"] == few(words[block])
            seen = sum(j <= i for i in words[r] for j in words[block])
            assert one["does"] == (f"{seen} scores" if seen else "idle")
    assert told[False, 3][1:] == ([83, 55, 28, 0], [10, 26, 42, 58])
    assert told[True, 3][1:] == ([30, 20, 10, 0], [10, 20, 30, 40])
    idle = [one["does"] for ranks, _, _ in told.values() for one in ranks.values()]
    assert idle[:16].count("idle") == 6 and idle[16:].count("idle") == 0
