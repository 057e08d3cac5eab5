"""Correct, Retrain and Watch in a real browser."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra 'server' is not installed")
pytest.importorskip("playwright", reason="the extra 'render' is not installed")

from playwright.sync_api import expect, sync_playwright
from tests.desk.project_desk import RunningProject, run_project, run_without_project
from tests.project.site_pages import is_appeal, make_page

from broadsheet.blocks.roles import LabelRole
from broadsheet.project import PageEntry

pytestmark = pytest.mark.browser
SAMPLE_NOISE = ("belongs to its readers", "Corrections are printed")
WAIT = 120_000  # milliseconds; machines that share their cores are slow at times
expect.set_options(timeout=WAIT)
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
Tab = Any  # a page of Playwright, which is an optional package
# Asked from outside of the frame: the sandbox reports every script inside it, also that of the test.
FIND_PARAGRAPH = """text => {
    const frame = document.querySelector(".page-frame");
    const blocks = [...frame.contentDocument.querySelectorAll("[data-block]")];
    const block = blocks.find((element) => element.textContent.startsWith(text)).getBoundingClientRect();
    const { left, top } = frame.getBoundingClientRect();
    return { x: left + block.left + 20, y: top + block.top + 5 };
}"""
HOSTILE = (
    "<h1>Title</h1><p onclick='parent.hacked=1'>Text of a page that tries to run scripts.</p><script>parent.hacked=1</script>"
    "<img src='https://evil.example/x.png' onerror='parent.hacked=1'><style>@import 'https://evil.example/x.css';</style>"
    "<iframe src='https://evil.example/'></iframe><p>More text of the page, which is long enough to be shown.</p>"
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningProject]:
    with run_project(tmp_path_factory.mktemp("project") / "valley") as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("Chromium is not installed")
    with sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def tab(browser: Any, project: RunningProject) -> Iterator[Tab]:
    """An empty project and a tab."""
    for entry in project.desk.project.list_pages():
        project.desk.project.remove_page(entry.hash)
    with open_tab(browser, project.running.address) as opened:
        yield opened


@contextlib.contextmanager
def open_tab(browser: Any, address: str) -> Iterator[Tab]:
    """Open a tab. At the end: no error in the console, and no request left the machine."""
    tab = browser.new_page(viewport={"width": 1400, "height": 900})
    tab.set_default_timeout(WAIT)
    faults: list[str] = []

    def check_request(request: Any) -> None:
        if not request.url.startswith((address, "about:", "blob:")):
            faults.append(request.url)

    tab.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    tab.on("pageerror", lambda error: faults.append(str(error)))
    tab.on("request", check_request)
    yield tab
    tab.close()
    assert faults == []


def open_view(tab: Tab, project: RunningProject, route: str) -> None:
    tab.goto(f"{project.running.address}/#/{route}")


def get_entry(project: RunningProject, name: str) -> PageEntry:
    return project.desk.project.find_page(name)


def find_role(project: RunningProject, name: str) -> LabelRole:
    """Return the role of the appeal of a page."""
    view = project.desk.project.view_page(get_entry(project, name))
    return next(block.role for block in view.blocks if is_appeal(block.block.text))


def wait_until_saved(tab: Tab) -> None:
    tab.locator(".saved-mark[data-saved=true]").wait_for()


def overlap(first: Any, second: Any) -> bool:
    """Return whether two boxes of the page overlap."""
    return all(
        first[start] < second[start] + second[size] and second[start] < first[start] + first[size]
        for start, size in (("x", "width"), ("y", "height"))
    )


def list_wide_elements(tab: Tab) -> list[str]:
    """Return the elements that make a page wider than a phone, outside of containers that scroll."""
    return list(
        tab.evaluate(
            """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("#app *")]
                .filter((element) => element.getBoundingClientRect().right > innerWidth && !element.closest(".scroll, svg"))
                .map((element) => element.outerHTML.slice(0, 80))"""
        )
    )


def test_without_pages_the_view_says_what_to_do(tab: Tab, project: RunningProject, tmp_path: Path) -> None:
    open_view(tab, project, "correct")
    tab.get_by_role("heading", name="Add pages of your sites").wait_for()
    saved = tmp_path / "saved.html"
    saved.write_text(make_page(1), "utf-8")
    tab.locator("input[type=file]").set_input_files(str(saved))
    tab.get_by_role("link", name="saved.html").wait_for()
    assert get_entry(project, "saved.html").hash in tab.url


def test_a_newcomer_corrects_five_pages_and_the_sixth_improves(tab: Tab, project: RunningProject) -> None:
    """The sample site, with the mouse: two lines on every page are not part of the article."""
    open_view(tab, project, "correct")
    tab.get_by_role("button", name="add six sample pages").click()
    frame = tab.frame_locator(".page-frame")
    corrected = 0
    for done in range(5):
        tab.get_by_text(f"{done} of 6 pages done").wait_for()
        frame.get_by_text("belongs to its readers").wait_for()
        for text in SAMPLE_NOISE:
            line = frame.get_by_text(text)
            expect(line).to_have_attribute("data-role", re.compile("body|boilerplate"))
            if line.get_attribute("data-role") == "body":
                corrected += 1
                line.click()
                tab.get_by_role("button", name=re.compile("boilerplate")).first.click()
                expect(line).to_have_attribute("data-role", "boilerplate")
        wait_until_saved(tab)
        tab.get_by_role("button", name="Accept and next").click()
        tab.get_by_text(re.compile("^Accepted")).last.wait_for()
    assert corrected == 2  # those of the first page; the other pages have them from there
    tab.get_by_text("5 of 6 pages done").wait_for()
    tab.locator(".legend").get_by_text("2 blocks changed by corrections").wait_for()
    for text in SAMPLE_NOISE:
        expect(frame.get_by_text(text)).to_have_attribute("data-role", "boilerplate")
    (entry,) = [entry for entry in project.desk.project.list_pages() if not entry.is_done]
    view = project.desk.project.view_page(entry)
    before = [block.block.text for block in view.blocks if block.block.role is LabelRole.BODY]
    after = [block.block.text for block in view.blocks if block.role is LabelRole.BODY]
    assert [text for text in before if text not in after] == [
        text for text in before if any(noise in text for noise in SAMPLE_NOISE)
    ]
    assert len(after) == len(before) - 2 >= 3


def test_a_desk_without_a_project_opens_one(browser: Any, tmp_path: Path) -> None:
    with run_without_project() as running, open_tab(browser, running.address) as tab:
        for view in ("train", "watch", "correct"):
            tab.goto(f"{running.address}/#/{view}")
            tab.get_by_role("heading", name="Teach Broadsheet your sites").wait_for()
        tab.get_by_role("button", name="Try it with six sample pages").click()
        tab.get_by_text("0 of 6 pages done").wait_for()
    with run_without_project() as running, open_tab(browser, running.address) as tab:
        tab.goto(f"{running.address}/#/correct")
        tab.get_by_label("Folder, new or existing").fill(str(tmp_path / "mine"))
        tab.keyboard.press("Enter")
        tab.get_by_role("heading", name="Add pages of your sites").wait_for()
    assert (tmp_path / "mine" / "project.sqlite").is_file()


def test_a_click_sets_a_role_and_shows_its_effect(tab: Tab, project: RunningProject) -> None:
    first, _ = project.add_page(1), project.add_page(2)
    open_view(tab, project, f"correct/{first}")
    tab.frame_locator(".page-frame").get_by_text("Reporting from").click()
    tab.get_by_role("button", name=re.compile("boilerplate")).first.click()
    tab.locator(".effects").get_by_role("link", name="02.html").wait_for()
    wait_until_saved(tab)
    assert find_role(project, "01.html") is LabelRole.BOILERPLATE
    tab.locator(".effects").get_by_role("link", name="02.html").click()
    mark = tab.frame_locator(".page-frame").locator("[data-differs]")
    mark.wait_for()
    assert is_appeal(mark.inner_text())


def test_a_drag_sets_the_roles_of_several_blocks(tab: Tab, project: RunningProject) -> None:
    page = project.add_page(1)
    open_view(tab, project, f"correct/{page}")
    tab.frame_locator(".page-frame").locator("[data-role=body]").first.wait_for()
    start, end = (tab.evaluate(FIND_PARAGRAPH, text) for text in ("The council of", "The engineer"))
    tab.mouse.move(start["x"], start["y"])
    tab.mouse.down()
    tab.mouse.move(end["x"], end["y"], steps=8)
    tab.mouse.up()
    tab.keyboard.press("6")
    tab.locator(".block[data-source=label]").nth(2).wait_for()
    wait_until_saved(tab)
    view = project.desk.project.view_page(get_entry(project, "01.html"))
    assert [block.role for block in view.blocks].count(LabelRole.CAPTION) == 3


def test_keyboard_only(tab: Tab, project: RunningProject) -> None:
    for number in (1, 2, 3):
        project.add_page(number)
    open_view(tab, project, "inspect")
    tab.locator("#main").wait_for()
    tab.keyboard.press("g")
    tab.keyboard.press("e")
    tab.frame_locator(".page-frame").locator("[data-role=body]").first.wait_for()
    name = tab.locator(".correct-queue [aria-current=true] .page-title").inner_text()
    tab.keyboard.press("j")
    while not is_appeal(tab.locator(".block[aria-current=true] > span:last-child").inner_text()):
        tab.keyboard.press("j")
    tab.keyboard.press("x")
    tab.locator(".block[data-source=label]").wait_for()
    wait_until_saved(tab)
    assert find_role(project, name) is LabelRole.BOILERPLATE
    tab.keyboard.press("u")
    expect(tab.locator(".block[data-source=label]")).to_have_count(0)
    assert find_role(project, name) is LabelRole.BODY
    tab.keyboard.press("8")
    tab.keyboard.press("f")
    tab.keyboard.press("Control+A")
    tab.keyboard.type("Another title")
    tab.keyboard.press("Enter")  # leaves the field
    tab.keyboard.press("Enter")  # accepts the page
    expect(tab.locator(".correct-queue > ol [aria-current=true] .page-title")).not_to_have_text(name)
    entry = get_entry(project, name)
    assert entry.is_done
    assert project.desk.project.view_page(entry).fields["title"] == "Another title"
    tab.keyboard.press("u")  # goes back to the page
    tab.wait_for_url(re.compile(entry.hash))
    wait_until_saved(tab)
    assert not get_entry(project, name).is_done


def test_no_page_is_accepted_unseen(tab: Tab, project: RunningProject) -> None:
    hashes = [project.add_page(number) for number in (1, 2, 3)]
    tab.route(f"**/pages/{hashes[0]}", lambda route: None)  # this page is never loaded
    open_view(tab, project, f"correct/{hashes[0]}")
    tab.get_by_text("Loading the page").wait_for()
    for key in ("Enter", "a"):
        tab.keyboard.press(key)
    tab.unroute_all()
    open_view(tab, project, f"correct/{hashes[1]}")
    tab.locator(".block").first.wait_for()
    tab.evaluate(
        """() => [false, true, true].forEach((repeat) =>
            document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", repeat, bubbles: true})))"""
    )
    tab.wait_for_url(re.compile(f"{hashes[0]}|{hashes[2]}"))
    tab.locator(".block").first.wait_for()
    tab.locator("body").dispatch_event("keydown", {"key": "Enter", "repeat": True})
    tab.get_by_role("button", name="Accept and next").dispatch_event("click", {"detail": 2})
    tab.keyboard.press("a")  # a change that is saved after those before it
    tab.get_by_label("This page is an article").and_(tab.locator(":not(:checked)")).wait_for()
    wait_until_saved(tab)
    assert [project.desk.project.find_page(page).is_done for page in hashes] == [False, True, False]


def test_text_in_a_field_is_kept_while_another_is_saved(tab: Tab, project: RunningProject) -> None:
    page = project.add_page(1)
    open_view(tab, project, f"correct/{page}")
    tab.get_by_label("Title").fill("Another title")
    tab.get_by_label("Authors").click()
    tab.keyboard.press("Control+A")
    tab.keyboard.type("Ann Li; ")
    tab.locator(".label-fields .is-labelled").wait_for()  # the title was saved
    wait_until_saved(tab)
    tab.keyboard.type("Bo Ek")
    tab.keyboard.press("Enter")
    expect(tab.locator(".label-fields .is-labelled")).to_have_count(2)
    fields = project.desk.project.view_page(get_entry(project, "01.html")).fields
    assert (fields["title"], list(fields["authors"])) == ("Another title", ["Ann Li", "Bo Ek"])


def test_keys_work_after_a_click_on_the_check_box(tab: Tab, project: RunningProject) -> None:
    page = project.add_page(1)
    open_view(tab, project, f"correct/{page}")
    tab.get_by_label("This page is an article").click()
    tab.keyboard.press("j")
    tab.locator(".block[aria-current=true]").wait_for()
    tab.keyboard.press("Space")  # still for the check box
    expect(tab.get_by_label("This page is an article")).to_be_checked()
    wait_until_saved(tab)


def test_pages_that_are_in_the_project_already(tab: Tab, project: RunningProject, tmp_path: Path) -> None:
    saved = tmp_path / "saved.html"
    saved.write_text(make_page(1), "utf-8")
    open_view(tab, project, "correct")
    for message in ("1 page added.", "1 page is in the project already."):
        tab.locator("input[type=file]").set_input_files(str(saved))
        tab.locator(".notice", has_text=message).wait_for()


def test_the_export_is_downloaded(tab: Tab, project: RunningProject) -> None:
    project.correct(project.add_page(1))
    open_view(tab, project, "train")
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Download labels").click()
    (line,) = Path(download.value.path()).read_text("utf-8").splitlines()
    assert not any(map(is_appeal, json.loads(line)["text"].splitlines()))


def test_retraining_with_before_and_after(tab: Tab, project: RunningProject) -> None:
    for number in range(12):
        project.correct(project.add_page(number))
    open_view(tab, project, "train")
    tab.get_by_role("button", name="Retrain").wait_for()
    tab.keyboard.press("r")
    tab.get_by_role("button", name="Cancel").wait_for()
    use = tab.get_by_role("button", name="Use these weights")
    use.wait_for(timeout=900_000)
    assert "Word F1" in tab.locator(".comparison").inner_text()
    assert " to " in tab.locator(".comparison .interval").first.inner_text()
    use.click()
    tab.get_by_text("are in use: broadsheet extract").wait_for()
    assert project.desk.project.default_run is not None
    tab.get_by_role("button", name="Use the shipped weights").click()
    tab.get_by_text("The shipped weights are in use").wait_for()
    assert project.desk.project.default_run is None


def test_watch_shows_sites_and_pages(tab: Tab, project: RunningProject) -> None:
    for number in range(4):
        project.add_page(number)
    open_view(tab, project, "watch")
    site, heading = tab.get_by_role("button", name="valley.example"), tab.get_by_role("heading", name="valley.example")
    heading.wait_for()  # the only site is open at first
    site.click()
    heading.wait_for(state="detached")
    site.click()
    heading.wait_for()
    tab.locator("figure .time-chart circle").nth(3).wait_for(state="attached")
    expect(tab.get_by_role("link", name="03.html")).to_have_count(1)


def test_watch_shows_pages_without_an_address(tab: Tab, project: RunningProject) -> None:
    project.add_page(1)
    project.post("/pages", html=make_page(2), name="saved.html")
    open_view(tab, project, "watch")
    tab.get_by_role("button", name="unknown site").click()
    tab.get_by_role("link", name="saved.html").wait_for()


@pytest.mark.parametrize("width", [390, 1400])
def test_the_last_page_is_followed_by_the_next_step(tab: Tab, project: RunningProject, width: int) -> None:
    tab.set_viewport_size({"width": width, "height": 844})
    project.add_page(1)
    project.add_page(2)
    open_view(tab, project, "correct")
    tab.get_by_role("button", name="Accept and next").click()
    notice, button = tab.get_by_text(re.compile("^Accepted")), tab.get_by_role("button", name="Accept and next")
    notice.wait_for()
    button.wait_for()
    assert not overlap(notice.bounding_box(), button.bounding_box())
    button.click()
    tab.get_by_role("heading", name="All pages are done").wait_for()
    assert tab.url.endswith("#/correct")


@pytest.mark.parametrize("route", ["correct", "train", "watch"])
def test_nothing_is_wider_than_a_phone(tab: Tab, project: RunningProject, route: str) -> None:
    for number in range(2):
        project.add_page(number)
    tab.set_viewport_size({"width": 390, "height": 844})
    open_view(tab, project, route)
    tab.locator(".correct-side, .column").wait_for()
    assert list_wide_elements(tab) == []
    if route == "correct":
        for name in ("Blocks", "Fields", "Queue"):
            tab.get_by_role("tab", name=name).click()
            assert list_wide_elements(tab) == []
        assert tab.get_by_role("link", name="01.html").is_visible()


def test_a_hostile_page_does_nothing(tab: Tab, project: RunningProject) -> None:
    page = project.post("/pages", html=HOSTILE, name="hostile.html")["page"]["hash"]
    open_view(tab, project, f"correct/{page}")
    tab.frame_locator(".page-frame").get_by_text("Text of a page").click()
    tab.keyboard.press("b")
    wait_until_saved(tab)
    assert tab.evaluate("window.hacked") is None


def test_keys_that_are_pressed_fast_are_not_lost(tab: Tab, project: RunningProject) -> None:
    page = project.add_page(1)
    open_view(tab, project, f"correct/{page}")
    tab.locator(".block").nth(8).wait_for()
    # All in one task: nothing is drawn in between.
    tab.evaluate(
        """() => [..."jjjjjx"].forEach((key) => document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true})))"""
    )
    tab.locator(".block[data-source=label]").wait_for()
    wait_until_saved(tab)
    sources = [view.source for view in project.desk.project.view_page(get_entry(project, "01.html")).blocks]
    assert [number for number, source in enumerate(sources) if source == "label"] == [4]
