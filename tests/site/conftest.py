"""A page in headless Chromium, without network."""

import re

import pytest
from opened import CHROMIUM, PATIENCE, SHOTS, TELEPHONE, WIDE
from playwright.sync_api import expect, sync_playwright


@pytest.fixture(scope="module")
def page():
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    SHOTS.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-background-networking"]
        )
        page = browser.new_page(viewport=WIDE)
        page.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        page.outside = []

        def refuse(route):
            page.outside.append(route.request.url)
            route.abort()

        page.route(re.compile("^(http|ws)"), refuse)
        yield page
        browser.close()


@pytest.fixture
def telephone(page):
    page.set_viewport_size(TELEPHONE)
    yield page
    page.set_viewport_size(WIDE)
