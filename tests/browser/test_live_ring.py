"""What is read off the picture of the ring, in headless Chromium."""

import re

from test_live import resize, show

from conftest import still


def few(places):
    last = f"–{places[-1]}" if places.step == 1 else ""
    return f"{places[0]}{last}" if last else " ".join(map(str, places))


def test_striping_can_be_read_off_the_picture(page, tmp_path):
    """Who has which words, what comes by, who waits, and that stripes end sooner."""
    show(page, tmp_path, "ring")
    resize(page, 358, 1600)  # the times stand below the ranks, and the table below them
    ends = {
        False: (["83", "55", "28", "0"], "10 26 42 58"),
        True: (["30", "20", "10", "0"], "10 20 30 40"),
    }
    for striped, (idle, times) in ends.items():
        page.get_by_role("checkbox", name="striped").set_checked(striped)
        has = [range(r, 16, 4) if striped else range(4 * r, 4 * r + 4) for r in range(4)]
        for s in range(4):
            page.get_by_label("round", exact=True).fill(str(s))
            still(page)
            ranks = page.evaluate("probe.boxed('rect[height=\"106\"]')")
            for r in range(4):
                keys = has[(r - s) % 4]
                seen = sum(j <= i for i in has[r] for j in keys)
                does = f"{seen} scores" if seen else "idle"
                holds = f"keys of rank {(r - s) % 4}"
                assert ranks[r] == [f"rank {r}", does, "queries", few(has[r]), holds, few(keys)]
        told = " ".join(page.evaluate("probe.texts()"))
        lanes = told.partition("time per rank")[2]
        assert re.findall(r"rank \d (?:idle )*idle (\d+) %", lanes) == idle
        assert f" {times} " in lanes
