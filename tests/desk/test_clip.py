"""The bookmarklet: what another page may send to the desk, and what it cannot do."""

from __future__ import annotations

import html
import re

import pytest
from tests.local_site import LocalSite, serve_site
from tests.server.running import Running

from broadsheet.style.browser import find_chromium

FOREIGN = {"Origin": "https://news.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}
PAGE = "<h1>A & B</h1></textarea><script>alert(1)</script>\r\nurl=x\r\nhtml=y"


def send(desk: Running, body: str, **headers: str) -> tuple[int, str]:
    content = body.encode("utf-8", "surrogatepass")
    answer = desk.http.post("/desk/clip", content=content, headers={"Content-Type": "text/plain", **FOREIGN, **headers})
    return answer.status_code, answer.text


def find_bookmarklet(desk: Running) -> str:
    link = re.search(r'href="(javascript:[^"]+)"', desk.http.get("/desk/clip").text)
    assert link
    return html.unescape(link[1])


def test_the_page_with_the_bookmarklet(desk: Running) -> None:
    assert f'f.action="{desk.address}/desk/clip"' in find_bookmarklet(desk)
    policy = desk.http.get("/desk/clip").headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy


def test_a_sent_page_is_shown_as_text_and_not_stored(desk: Running) -> None:
    code, text = send(desk, f"url=https://news.example/a?b=<c>\r\nhtml={PAGE}\r\n")
    assert code == 200
    assert "<script>alert" not in text
    assert re.search(r'<button [^>]*id="open" disabled>', text), "a click before the script has loaded would be lost"
    shown = re.search(r'<textarea id="page" hidden>\n(.*)</textarea>', text, re.DOTALL)
    assert shown
    assert html.unescape(shown[1]) == PAGE
    assert desk.http.get("/desk/clip").text.count("news.example") == 0


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "nonsense", ""])
def test_only_web_addresses_are_kept(desk: Running, url: str) -> None:
    code, text = send(desk, f"url={url}\r\nhtml=<p>x</p>\r\n")
    assert code == 200
    assert '<code id="address">(no address)</code>' in text


@pytest.mark.parametrize("body", ["nonsense", "html=x\r\nurl=y\r\n", "url=https://a.example"])
def test_other_bodies(desk: Running, body: str) -> None:
    code, text = send(desk, body)
    assert code == 422
    assert "install it again" in text


def test_not_in_a_frame_and_not_by_a_script(desk: Running) -> None:
    for place in ("iframe", "empty"):
        assert send(desk, "url=\r\nhtml=x\r\n", **{"Sec-Fetch-Dest": place})[0] == 403
    # Opening needs the origin of the desk itself.
    answer = desk.http.post("/desk/api/pages", json={"html": "<p>x</p>"}, headers=FOREIGN)
    assert answer.status_code == 403


def test_too_large(desk: Running) -> None:
    assert send(desk, "url=\r\nhtml=" + "x" * 2_100_000)[0] == 413


@pytest.mark.browser
def test_in_a_browser(desk: Running) -> None:
    sync_api = pytest.importorskip("playwright.sync_api", reason="the extra 'render' is not installed")
    site = LocalSite(20)
    story = next(article for article in site.list_articles() if not article.is_forbidden)
    arguments = {"executable_path": find_chromium(), "args": ["--no-sandbox"]}
    with (
        serve_site(site) as base,
        sync_api.sync_playwright() as playwright,
        playwright.chromium.launch(**arguments) as browser,
    ):
        page = browser.new_page()
        page.set_default_timeout(120_000)
        page.goto(base.replace("127.0.0.1", "localhost") + story.path)
        page.evaluate(
            "document.querySelector('.text').insertAdjacentHTML('beforeend', '<p>Ünïcode, loaded by a script.</p>')"
        )
        with page.expect_popup() as waiting:
            page.evaluate(find_bookmarklet(desk).removeprefix("javascript:"))
        popup = waiting.value
        popup.locator("#open").click(timeout=120_000)
        popup.locator(".article h1", has_text=story.title).wait_for(timeout=120_000)
        popup.locator(".article p", has_text="Ünïcode, loaded by a script.").wait_for(timeout=120_000)
        assert popup.url.startswith(f"{desk.address}/#/inspect/")
        browser.close()
