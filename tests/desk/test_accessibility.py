"""axe-core finds nothing serious in any view of the desk, in a report, and on an explain page."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from tests.desk.project_desk import run_without_project
from tests.server.running import HARBOUR, Running

from broadsheet.cli.app import run
from broadsheet.style.browser import find_chromium

pytestmark = pytest.mark.browser

sync_api = pytest.importorskip("playwright.sync_api", reason="the extra 'render' is not installed")
pytest.importorskip("axe_playwright_python", reason="axe-core is not installed; make test-browser installs it")
AXE = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
VIEWS = {
    "#/inspect": ".page-card",
    "#/inspect/PAGE": ".page-frame",
    "#/inspect/PAGE?tab=article": ".article-body",
    "#/inspect/PAGE?tab=fields": ".fields",
    "#/inspect/PAGE?tab=json": ".sources pre",
    "#/inspect/PAGE?tab=blocks": ".block-row",
    "#/inspect/PAGE?tab=block&block=9": ".opinions",
    "#/inspect/set/SET": ".page-table .chip",
    "#/compare": ".page-card",
    "#/compare/page/PAGE": ".diff-row",
    "#/compare/set/SET": "table.pages",
    "#/correct": ".choices",  # without a project
    "#/train": ".choices",
}
PROJECT_VIEWS = {"#/correct": ".correct .actions", "#/train": ".column", "#/watch": ".sites"}


@pytest.fixture
def desk() -> Iterator[Running]:
    with run_without_project() as running:
        yield running


@pytest.fixture(params=[(1400, "light"), (1400, "dark"), (390, "light"), (390, "dark")], ids=str)
def page(request: pytest.FixtureRequest) -> Iterator[Any]:
    width, scheme = request.param
    with (
        sync_api.sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"]) as browser,
    ):
        viewport = {"width": width, "height": 844}
        yield browser.new_page(viewport=viewport, color_scheme=scheme, bypass_csp=True, reduced_motion="reduce")


def list_faults(page: Any, name: str) -> list[str]:
    """Return what axe-core calls serious or critical, and views without exactly one headline or too wide."""
    page.evaluate(AXE)
    violations = page.evaluate("axe.run({iframes: false})")["violations"]
    faults = [
        f"{name}: {fault['id']} {fault['nodes'][0]['target']}"
        for fault in violations
        if fault["impact"] in ("serious", "critical")
    ]
    headlines = page.locator("h1:visible:not(.article h1)").count()
    if headlines != 1 and "tab=" not in name and "/PAGE" not in name:
        faults.append(f"{name}: {headlines} headlines")
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        faults.append(f"{name}: wider than the window")
    return faults


def test_desk(page: Any, desk: Running) -> None:
    opened = desk.http.post("/desk/api/files?name=harbour.html", content=HARBOUR).json()[0]["id"]
    samples = [row["id"] for row in desk.http.get("/desk/api/samples").json()]
    collection = desk.http.post("/desk/api/collections", json={"name": "samples", "pages": samples}).json()["id"]
    faults = []
    for views in (VIEWS, PROJECT_VIEWS):
        for path, selector in views.items():
            page.goto("about:blank")
            page.goto(f"{desk.address}/{path.replace('PAGE', opened).replace('SET', collection)}")
            page.locator(selector).first.wait_for(state="attached", timeout=120_000)
            faults += list_faults(page, path)
        desk.http.post("/desk/api/project/open", json={"folder": None})
        desk.http.post("/desk/api/project/samples", json={})
    assert faults == []


def test_report_and_explain_page(page: Any, tmp_path: Path) -> None:
    story = tmp_path / "story.html"
    story.write_bytes(HARBOUR)
    assert run(["extract", str(story), "--with", "blocks", "-o", str(tmp_path / "articles.jsonl")]) == 0
    assert run(["report", str(tmp_path / "articles.jsonl"), "-o", str(tmp_path / "report.html")]) == 0
    assert run(["extract", str(story), "--explain", "-o", str(tmp_path / "explain.html")]) == 0
    faults = []
    for name in ("report.html", "explain.html"):
        page.goto((tmp_path / name).as_uri())
        faults += list_faults(page, name)
    assert faults == []
