"""The desk in a real browser: Inspect, Compare, keyboard, narrow screens, hostile pages, no request to other hosts."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.desk.hostile import HOST, HOSTILE, write_hostile
from tests.server.running import HARBOUR, TITLE, Running, run_service

from broadsheet.style.browser import find_chromium

pytestmark = pytest.mark.browser

sync_api = pytest.importorskip("playwright.sync_api", reason="the extra 'render' is not installed")
expect = sync_api.expect
expect.set_options(timeout=120_000)
API = "/desk/api"
WAIT = 120_000  # milliseconds; machines that share their cores are slow at times


@dataclass(slots=True)
class Visit:
    """A page of the browser at the desk. At the end, there must be no error and no request to another host."""

    page: Any
    address: str
    complaints: list[str] = field(default_factory=list)

    def go(self, path: str) -> None:
        self.page.goto(self.address + path)

    def see(self, selector: str, text: str | None = None) -> Any:
        element = self.page.locator(selector).filter(has_text=text).first if text else self.page.locator(selector).first
        element.wait_for(timeout=WAIT)
        return element

    @property
    def frame(self) -> Any:
        return self.page.frame_locator("iframe.page-frame")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with (
        sync_api.sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"]) as browser,
    ):
        yield browser


@pytest.fixture
def visit(browser: Any, desk: Running) -> Iterator[Callable[..., Visit]]:
    visits: list[Visit] = []

    def start(width: int = 1400, **options: Any) -> Visit:
        page = browser.new_page(viewport={"width": width, "height": 844}, **options)
        page.set_default_timeout(WAIT)
        made = Visit(page, desk.address)

        def note_message(message: Any) -> None:
            if message.type in ("error", "warning"):
                made.complaints.append(message.text)

        def check_request(route: Any) -> None:
            if route.request.url.startswith(desk.address + "/"):
                route.continue_()
            else:
                made.complaints.append(f"a request: {route.request.url}")
                route.abort()

        page.on("console", note_message)
        page.on("pageerror", lambda error: made.complaints.append(str(error)))
        page.on("popup", lambda popup: made.complaints.append(f"a window: {popup.url}"))
        page.context.route("**/*", check_request)
        visits.append(made)
        return made

    yield start
    for made in visits:
        assert made.complaints == []
        made.page.context.close()


def find_sample(desk: Running, name: str = "harbour") -> str:
    samples = desk.http.get(f"{API}/samples").json()
    return str(next(page["id"] for page in samples if page["name"].startswith(name)))


def test_a_newcomer_opens_a_sample_and_sees_why(visit: Callable[..., Visit]) -> None:
    at = visit()
    at.go("/")
    assert at.see(".tour").locator("li").count() == 3
    at.see(".page-card", "harbour").click()
    at.see(".article h1", TITLE)
    at.see(".chip.good", "ok")
    paragraph = at.frame.locator("p[data-role=body]").nth(2)
    paragraph.wait_for(timeout=WAIT)
    paragraph.click()
    assert at.see(".block-quote").inner_text() == paragraph.inner_text()
    at.see(".opinions")
    expect(at.page.locator(".opinions tbody tr")).to_have_count(6)
    at.see(".reason")
    at.see(".block-panel .note", "Green speaks for article text, red against it.")
    assert re.search(r"block=\d+", at.page.url)
    at.page.reload()  # the address has the whole state
    assert at.see(".block-quote").inner_text() == paragraph.inner_text()


def test_paste_fields_and_methods(visit: Callable[..., Visit]) -> None:
    at = visit()
    at.go("/")
    at.page.fill("#open-text", HARBOUR.decode())
    at.page.click("button.primary")
    at.see(".article h1", TITLE)
    at.page.get_by_role("tab", name="Fields").click()
    row = at.see(".fields tr", "authors").inner_text()
    assert "Imogen Hale" in row
    assert "json-ld" in row
    at.page.select_option(".toolbar select", "twcem")
    at.page.get_by_role("tab", name="Blocks").click()
    at.see(".block-row", "The service stopped in 2013")
    at.see(".fold", "of boilerplate").click()
    at.see(".block-row", "Subscribe")
    assert "by=twcem" in at.page.url


def test_files_are_dropped(visit: Callable[..., Visit]) -> None:
    at = visit()
    at.go("/")
    at.see("#open-text")
    at.page.evaluate_handle(
        """() => {
            const data = new DataTransfer();
            data.items.add(new File(["<title>Dropped</title><h1>Dropped</h1><p>Some text.</p>"], "dropped.html"));
            document.querySelector(".open-form").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true}));
        }"""
    )
    at.see(".page-name", "dropped.html")


def test_a_wrong_address_gives_one_line(visit: Callable[..., Visit]) -> None:
    at = visit()
    at.go("/")
    at.page.fill("#open-text", "http://127.0.0.1:9/private")
    at.page.keyboard.press("Enter")
    assert "127.0.0.1" in at.see(".notice.error").inner_text()
    at.complaints.clear()  # the browser logs the answer 403


@pytest.mark.parametrize("text", ["http://two words", "ftp://news.example/a", "file:///a.html", "localhost", "Hello"])
def test_text_that_is_neither_an_address_nor_html(visit: Callable[..., Visit], text: str) -> None:
    at = visit()
    at.go("/")
    at.page.fill("#open-text", text)
    at.page.keyboard.press("Enter")
    at.see(".notice.error", "This is neither an address nor HTML.")


@pytest.mark.parametrize(("text", "side"), [("ينشر المقال غدا.", "right"), ("Soon.", "left")])
def test_text_is_shown_in_its_direction(visit: Callable[..., Visit], text: str, side: str) -> None:
    at = visit()
    at.go("/")
    at.page.fill("#open-text", f"<p>{text}</p>")
    at.page.click("button.primary")
    at.see(".article-body p")
    gap = at.page.evaluate(
        """(side) => {
            const paragraph = document.querySelector(".article-body p");
            const range = document.createRange();
            range.selectNodeContents(paragraph);
            return Math.abs(range.getBoundingClientRect()[side] - paragraph.getBoundingClientRect()[side]);
        }""",
        side,
    )
    assert gap < 2


def test_an_empty_file(visit: Callable[..., Visit]) -> None:
    at = visit()
    at.go("/")
    at.see("#open-text")
    at.page.set_input_files("input[type=file] >> nth=0", {"name": "a.html", "mimeType": "text/html", "buffer": b""})
    at.see(".notice.error", "a.html: the file is empty")


def test_keyboard_only(visit: Callable[..., Visit], desk: Running) -> None:
    at = visit()
    at.go("/")
    card = at.see(".page-card", "harbour")
    for _ in range(40):  # Tab reaches the sample
        at.page.keyboard.press("Tab")
        if card.evaluate("element => element === document.activeElement"):
            break
    at.page.keyboard.press("Enter")
    at.see(".article h1", TITLE)
    at.frame.locator("[data-role=body]").first.wait_for(timeout=WAIT)
    for key, block in (("j", 0), ("ArrowDown", 1), ("j", 2), ("k", 1), ("ArrowUp", 0)):
        at.page.keyboard.press(key)
        at.frame.locator(f'[data-block="{block}"][data-selected]').wait_for(timeout=WAIT)
    at.page.keyboard.press("l")  # the first block that is not boilerplate
    expect(at.page.locator(".block-quote")).to_have_text(TITLE)
    at.see(".opinions")
    at.page.keyboard.press("n")
    at.see(".opinions", "boilerplate")  # methods disagree about the table
    at.see(".opinions", "table")
    at.page.keyboard.press("?")
    assert "Next block" in at.see("dialog .keys").inner_text()
    at.page.keyboard.press("f")  # no key acts behind the dialog
    at.page.keyboard.press("Escape")
    at.page.locator("dialog").wait_for(state="detached", timeout=WAIT)
    at.see(".block-quote")
    at.page.keyboard.press("f")
    at.see(".fields")
    at.page.keyboard.press("g")
    at.page.keyboard.press("c")
    at.see("h1", "Compare methods")
    assert at.page.evaluate_handle("() => document.title").json_value().startswith("Compare")


def test_a_click_in_the_frame_leaves_the_keyboard_working(visit: Callable[..., Visit], desk: Running) -> None:
    at = visit()
    at.go(f"/#/inspect/{find_sample(desk)}")
    heading = at.frame.locator("h1[data-role=title]")
    heading.wait_for(timeout=WAIT)
    heading.click()
    block = int(heading.get_attribute("data-block"))
    at.frame.locator(f'[data-block="{block}"][data-selected]').wait_for(timeout=WAIT)
    at.page.keyboard.press("j")
    at.frame.locator(f'[data-block="{block + 1}"][data-selected]').wait_for(timeout=WAIT)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("path", "selector"),
    [
        ("/", ".page-card"),
        ("/#/inspect/SAMPLE?block=14", ".block-strip"),
        ("/#/inspect/SAMPLE?block=14&tab=block", ".reason"),
        ("/#/inspect/SAMPLE?tab=fields", ".fields"),
        ("/#/inspect/SAMPLE?tab=blocks", ".block-row"),
        ("/#/compare", ".page-card"),
        ("/#/compare/page/SAMPLE?by=fusion,gcn", ".diff-cell"),
    ],
)
def test_a_phone_needs_no_horizontal_scrolling(
    visit: Callable[..., Visit], desk: Running, path: str, selector: str, scheme: str
) -> None:
    at = visit(390, color_scheme=scheme)
    at.go(path.replace("SAMPLE", find_sample(desk)))
    at.see(selector)
    width = at.page.evaluate_handle("() => document.documentElement.scrollWidth").json_value()
    assert width == 390
    background = at.page.evaluate_handle("() => getComputedStyle(document.body).backgroundColor").json_value()
    assert (background == "rgb(251, 250, 247)") == (scheme == "light")


def test_the_theme_is_switched_and_kept(visit: Callable[..., Visit]) -> None:
    at = visit(color_scheme="light")
    at.go("/")
    at.see("button[title='Light or dark']").click()
    at.page.reload()
    at.see(".page-card")
    assert at.page.locator("html").get_attribute("data-theme") == "dark"


def test_compare_on_one_page(visit: Callable[..., Visit], desk: Running) -> None:
    at = visit()
    at.go(f"/#/compare/page/{find_sample(desk)}?by=fusion,twcem")
    at.see(".diff-head", "twcem")
    rows = at.page.locator(".summary tbody tr")
    assert "fusion" in rows.nth(0).inner_text()
    assert "1.00" in rows.nth(0).inner_text()
    at.page.get_by_label("visual").check()
    at.see(".diff-head", "visual")
    assert "by=fusion%2Ctwcem%2Cvisual" in at.page.url
    at.page.get_by_role("button", name="Only differences").click()
    at.see(".diff-cell.kept", "The words are those of the skipper")


def test_compare_on_a_collection(visit: Callable[..., Visit], desk: Running, tmp_path: Path) -> None:
    text = "The words of the first page are these, and there are enough of them."
    lines = [
        {"html": f"<h1>Page {number}</h1><p>{text}</p>", "text": text, "id": f"page {number}"} for number in range(3)
    ]
    (tmp_path / "pages.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    at = visit()
    at.go("/#/compare")
    at.see("#open-text")
    at.page.set_input_files("input[type=file] >> nth=0", tmp_path / "pages.jsonl")
    at.see(".with-label", "3 of 3 pages")
    expect(at.page.locator(".chart")).to_have_count(3)
    expect(at.page.locator(".pages tbody tr")).to_have_count(3)
    expect(at.page.locator(".pages tbody tr").first).to_contain_text("F1")
    at.page.keyboard.press("j")
    at.page.keyboard.press("Enter")
    at.see(".diff")
    at.page.keyboard.press("u")
    at.see(".pages")


def test_a_folder_of_pages_and_texts(visit: Callable[..., Visit], tmp_path: Path) -> None:
    for folder in ("html", "txt"):
        (tmp_path / "set" / folder).mkdir(parents=True)
    for name in ("a", "b"):
        (tmp_path / "set" / "html" / f"{name}.html").write_text(
            f"<h1>{name}</h1><p>Text of page {name}, with a comma.</p>", "utf-8"
        )
    (tmp_path / "set" / "txt" / "a.txt").write_text("Text of page a, with a comma.", "utf-8")
    at = visit()
    at.go("/#/compare")
    at.see("#open-text")
    at.page.set_input_files("input[webkitdirectory]", tmp_path / "set")
    at.see(".with-label", "2 of 2 pages")
    scored = [row for row in at.page.locator(".pages tbody tr").all_inner_texts() if "F1" in row]
    assert len(scored) == 1


def test_the_samples_are_compared_with_one_click(visit: Callable[..., Visit]) -> None:
    at = visit()
    at.go("/#/compare")
    at.see("button.primary", "Compare on the samples").click()
    at.see(".with-label", "5 of 5 pages")
    at.page.select_option(".toolbar select", "confidence")
    expect(at.page.locator(".pages tbody tr").first).to_contain_text("front.html")


def test_a_page_that_is_gone(visit: Callable[..., Visit]) -> None:
    at = visit()
    at.go("/#/inspect/0123456789abcdef?url=https%3A%2F%2Fa.example%2Fstory")
    at.see(".empty-state", "not open any more")
    assert "https://a.example/story" in at.see(".empty-state button").inner_text()
    at.complaints.clear()  # the browser logs the answer 404


@pytest.mark.parametrize(("head", "body"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_a_hostile_page_runs_nothing_and_sends_nothing(
    visit: Callable[..., Visit], desk: Running, head: str, body: str
) -> None:
    page = desk.post(f"{API}/pages", json={"html": write_hostile(head, body), "url": f"https://{HOST}/story"}).json()
    at = visit()
    at.go(f"/#/inspect/{page['id']}")
    at.frame.locator("p[data-block]").first.wait_for(timeout=WAIT)
    for block in at.frame.locator("[data-block]").all():
        if block.is_visible():
            block.click(force=True, timeout=WAIT)
            block.hover(force=True, timeout=WAIT)
    at.page.keyboard.press("Tab")
    at.page.wait_for_timeout(150)
    assert at.page.title() == "Inspect · Broadsheet desk"
    assert at.page.locator("iframe.page-frame").get_attribute("sandbox") == "allow-same-origin"
    assert len(at.page.frames) == 2  # no frame inside the page
    at.see(".block-quote")


def test_the_sandbox_and_the_policy_hold_without_the_cleaning(visit: Callable[..., Visit], desk: Running) -> None:
    """Put hostile pages into the frame as they are: the other two layers of protection are enough."""
    at = visit()
    at.go(f"/#/inspect/{find_sample(desk)}")
    at.frame.locator("p[data-block]").first.wait_for(timeout=WAIT)
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    rows = [row for row in HOSTILE if row[0] not in ("meta refresh", "form", "addresses of scripts")]  # these navigate
    page = "".join(meta + write_hostile(*row[1:]) for row in rows)
    at.page.locator("iframe.page-frame").evaluate("(frame, html) => { frame.srcdoc = html; }", page)
    for _ in range(WAIT // 100):
        at.page.wait_for_timeout(100)
        if any("script" in line for line in at.complaints):  # the browser reports what it blocked
            break
    else:
        pytest.fail("no script was blocked")
    at.page.wait_for_timeout(1000)
    assert at.page.title() == "Inspect · Broadsheet desk"
    requests = [line for line in at.complaints if line.startswith("a request")]
    assert requests == []
    at.complaints.clear()


@pytest.mark.skipif(not os.environ.get("BROADSHEET_SCREENSHOTS"), reason="set BROADSHEET_SCREENSHOTS to a folder")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize(
    ("name", "path", "selector"),
    [
        ("start", "/", ".page-card"),
        ("inspect", "/#/inspect/SAMPLE", ".article"),
        ("why", "/#/inspect/SAMPLE?block=20&tab=block", ".reason"),
        ("compare", "/#/compare/page/SAMPLE?by=fusion,twcem,visual", ".diff"),
    ],
)
def test_screenshots(
    visit: Callable[..., Visit], desk: Running, name: str, path: str, selector: str, width: int, scheme: str
) -> None:
    at = visit(width, color_scheme=scheme)
    at.go(path.replace("SAMPLE", find_sample(desk)))
    at.page.locator(selector).first.wait_for(state="attached", timeout=WAIT)
    at.page.wait_for_timeout(800)
    at.page.screenshot(path=Path(os.environ["BROADSHEET_SCREENSHOTS"]) / f"{name}-{width}-{scheme}.png")


def test_the_secret_of_the_address_opens_the_desk_in_all_tabs(browser: Any) -> None:
    from broadsheet.desk.app import add_desk

    with run_service(add_routes=add_desk, token="s3cret", desk_secret="s3cret") as running:
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{running.address}/?token=s3cret")
        page.get_by_text("News report with sidebar").first.wait_for(timeout=WAIT)
        assert page.url.startswith(running.address)
        assert "s3cret" not in page.url
        other = context.new_page()
        other.goto(running.address)
        other.get_by_text("News report with sidebar").first.wait_for(timeout=WAIT)
        context.close()
        stranger = browser.new_context().new_page()
        stranger.goto(running.address)
        stranger.get_by_text("This service needs a token").first.wait_for(timeout=WAIT)
        stranger.context.close()


def make_pages(count: int) -> bytes:
    """Return short pages as JSON Lines; every hundredth has the text of the first one."""
    texts = [
        f"The council heard {number if number % 100 else 'no'} people about the harbour." for number in range(count)
    ]
    pages = [
        f"<title>Story {number:04}</title><h1>Story {number:04}</h1>" + f"<p>{text}</p>" * 3
        for number, text in enumerate(texts)
    ]
    return b"\n".join(json.dumps({"html": html, "id": f"page {n:04}"}).encode() for n, html in enumerate(pages))


def test_a_thousand_pages(visit: Callable[..., Visit]) -> None:
    at = visit()
    at.go("/#/inspect")
    at.see(".page-card")
    pages = {"name": "pages.jsonl", "mimeType": "application/jsonl", "buffer": make_pages(1000)}
    at.page.locator("input[type=file]").first.set_input_files([pages])
    at.see(".page-table tbody th")
    expect(at.page.locator(".toolbar progress")).to_have_count(0)
    expect(at.page.locator(".toolbar [role=status]")).to_have_text("1,000 pages")
    assert at.page.locator(".page-table tbody tr").count() < 60, "only the rows in view are drawn"
    at.page.keyboard.press("End")
    at.see("tr[aria-current]", "Story 0999")
    at.page.select_option("select[aria-label=Status]", "duplicate")
    expect(at.page.locator(".toolbar [role=status]")).to_have_text("9 of 1,000 pages")
    at.page.select_option("select[aria-label=Status]", "")
    at.page.fill(".search", "story 077")
    expect(at.page.locator(".page-table tbody tr")).to_have_count(11)  # Story 0077, too
    at.page.click(".col-title .sort")
    at.page.click(".col-title .sort")
    at.see(".page-table tbody tr:first-child", "Story 0779").click()
    at.see(".article h1", "Story 0779")
    at.page.keyboard.press("]")  # in the order of the table
    at.see(".article h1", "Story 0778")
    at.page.get_by_label("Next page").click()
    at.see(".article h1", "Story 0777")
    at.page.keyboard.press("o")
    at.see("tr[aria-current]", "Story 0779")
    assert at.page.input_value(".search") == "story 077"
