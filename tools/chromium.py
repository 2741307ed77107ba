"""The headless Chromium of the tools that look at what they made; `make test-browser` installs
what it needs, and Chromium has to be there."""

import shutil
import sys
from contextlib import contextmanager

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def opened():
    """A browser, closed at the end."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        sys.exit(f"Chromium is needed, got none of {', '.join(NAMES)} on the PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()
