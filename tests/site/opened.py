"""The pages of the website, and what the tests of its parts share."""

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SITE = ROOT / "build" / "site"
SHOTS = ROOT / "build" / "screenshots"
WIDE, TELEPHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
PATIENCE = 180_000  # milliseconds; for what never comes: a busy machine may take long
APART = {"_static", "slides"}  # the slides have tests of their own
PAGES = [path for path in sorted(SITE.rglob("*.html")) if not APART & set(path.parts)]
UNFOLD = "for (const fold of document.querySelectorAll('main details')) fold.open = true"
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)


def go(page, path, query=""):
    """Open a page from disk."""
    page.goto(f"{path.as_uri()}{query}")
    page.wait_for_load_state("load")


def live_pages():
    """The pages with a live figure."""
    return [path for path in PAGES if re.search(r"<live-[0-9a-f]{8}", path.read_text("utf-8"))]
