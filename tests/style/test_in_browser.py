"""The same rows of cases in Chromium, and the mapping of its tree onto ours."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.style.css.test_styles import CASES, QUIRKS, look_at

import broadsheet
from broadsheet.cli.app import run
from broadsheet.many import Item
from broadsheet.methods import Method
from broadsheet.page import TEXT, Page, read_page
from broadsheet.style import compute_styles, find_boxes

pytest.importorskip("playwright", reason="the extra 'render' is not installed")

from broadsheet.style.browser.render import RenderOptions, close_browser, find_chromium, render_page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(find_chromium() is None, reason="no Chromium was found on this machine"),
]
SAMPLE = Path(__file__).parents[2] / "examples" / "pages" / "harbour.html"
HARD = """<!doctype html><title>t</title><style>.no{display:none} .c{display:contents} p{margin:0}</style>
<p id=a>One <b>two</b>\n three<br>four</p>  <table><tr><td>cell<p>para</table><div class=no><p>hidden</div>
<div class=c><p id=in>inside</div><svg width=20 height=20><linearGradient id=g><stop/></linearGradient><text>svg</text></svg>
<select><option>o</select><textarea>area</textarea><details><summary>s</summary>folded</details><p>unclosed<div>b</p>
<noscript><p>no script</noscript><template><p>template</template><input value=v><pre>\n two\n lines</pre>&nbsp;&amp;&#0;"""


@pytest.fixture(scope="module", autouse=True)
def browser() -> Iterator[None]:
    yield
    close_browser()


def render(html: str) -> Page:
    return render_page(html, read_page(html))


def check(html: str, what: str, value: object) -> None:
    page = render(html)
    (row,) = page.nodes.select("#x")
    found = look_at(compute_styles(page), row, what)
    assert found == (pytest.approx(value, abs=0.01) if isinstance(value, float) else value)


@pytest.mark.parametrize(("css", "body", "what", "value"), CASES)
def test_the_browser_computes_the_same(css: str, body: str, what: str, value: object) -> None:
    check(f"<!doctype html><html><head><style>{css}</style></head><body>{body}", what, value)


@pytest.mark.parametrize(("html", "what", "value"), QUIRKS)
def test_the_browser_computes_the_same_without_a_doctype(html: str, what: str, value: object) -> None:
    check(html, what, value)


@pytest.mark.parametrize("html", [HARD, SAMPLE.read_text("utf-8")])
def test_every_node_outside_templates_is_found_in_the_browser(html: str) -> None:
    page = render(html)
    assert page.rendering is not None
    inside = {row + step for row in page.nodes.select("template") for step in range(1, page.nodes.end[row] - row)}
    assert page.rendering.mapped == pytest.approx(1 - len(inside) / len(page.nodes))


def test_boxes_are_the_browsers() -> None:
    page = render(HARD)
    boxes, nodes = find_boxes(page, compute_styles(page)), page.nodes
    (row,) = nodes.select("#a")
    assert (boxes.x[row], boxes.y[row], boxes.width[row]) == (8, 8, 1264)
    assert boxes.height[row] == 36  # two lines
    assert boxes.page_width == 1280
    (row,) = nodes.select(".no")
    assert boxes.width[row] == boxes.height[row] == 0
    assert compute_styles(page).display(nodes.select(".c")[0]) == "contents"
    assert compute_styles(page).is_shown(nodes.select("#in")[0])


def test_an_estimate_and_the_browser_agree_on_a_simple_page() -> None:
    html = "<!doctype html><body><h1>Head</h1>" + "<p>" + "Words of a paragraph. " * 60
    theirs, ours = render(html), read_page(html)
    estimated, real = find_boxes(ours, compute_styles(ours)), find_boxes(theirs, compute_styles(theirs))
    for row, tag in enumerate(ours.nodes.tag):
        if tag != TEXT and estimated.height[row]:
            assert estimated.width[row] == pytest.approx(real.width[row], abs=2)
            assert estimated.y[row] == pytest.approx(real.y[row], abs=8)
            assert estimated.height[row] == pytest.approx(real.height[row], rel=0.35)


def test_given_sheets_reach_the_browser_and_nothing_else_does() -> None:
    html = "<link rel=stylesheet href=a.css><link rel=stylesheet href=b.css><p id=x>a<script>document.body.remove()</script>"
    page = read_page(html, url="https://h.example/d/")
    from dataclasses import replace

    page = render_page(html, replace(page, sheets={"https://h.example/d/a.css": "p{color:red}"}))
    assert compute_styles(page).color(page.nodes.select("#x")[0]) == 0xFF0000


def test_scripts_run_when_asked_for() -> None:
    html = "<p id=x>a<script>document.getElementById('x').style.color = 'red'</script>"
    page = render_page(html, read_page(html), RenderOptions(scripts=True))
    assert compute_styles(page).color(page.nodes.select("#x")[0]) == 0xFF0000


def test_one_browser_serves_all_threads() -> None:
    from broadsheet.style.browser import render as module

    render("<p>first")
    shared = module._shared
    pages: list[Page] = []
    threads = [threading.Thread(target=lambda: pages.append(render(HARD))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert module._shared is shared
    assert [page.rendering.mapped > 0.9 for page in pages if page.rendering] == [True] * 4


def test_extract_with_a_browser() -> None:
    article = broadsheet.extract(SAMPLE.read_bytes(), render=True)
    assert article.text == broadsheet.extract(SAMPLE.read_bytes()).text
    assert [a.status for a in broadsheet.extract_many([SAMPLE.read_bytes()] * 2, workers=1, render=True)] == [
        "ok",
        "ok",
    ]


@pytest.mark.parametrize("html", ["", "\0", "<", "<div>" * 5000 + "deep", "<p>" + "x" * 200_000, "<meta http-equiv=refresh content='0;url=/x'><p>a", "<base href='https://b.example/'><p>a", "<frameset><frame src=x>"])  # fmt: skip
def test_odd_pages(html: str) -> None:
    page = render(html)
    assert page.rendering is not None
    assert len(page.rendering.x) == len(page.nodes)


@pytest.mark.data
def test_real_pages_agree_with_the_browser() -> None:
    """A small sample of what benchmarks/style.py measures, on dev pages."""
    from benchmarks.style import BrowserProbe, find_pages, measure

    data = Path(__file__).parents[3] / "shared" / "data"
    if not data.is_dir():
        pytest.skip("the labelled pages are not at ../shared/data")
    probe = BrowserProbe()
    scores = [measure(record, probe, with_time=False) for record in find_pages(data, 8, seed=5)]
    probe.close()
    assert sum(score.texts for score in scores) > 500
    for name in ("bold", "size", "shown"):
        assert sum(score.share(name) for score in scores) / len(scores) >= 0.95
    assert min(score.mapped for score in scores) >= 0.9


TEXT_IN_RED = "The ferry was late, said the harbour master of the town."
RED = f"<!doctype html><style>p{{color:red}}</style><p>{TEXT_IN_RED}</p><div>Menu</div>"


def test_workers_have_browsers_of_their_own_and_leave_none_behind(
    keep_rendered: Method, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROADSHEET_TEST", mark := uuid.uuid4().hex)
    linked = RED.replace("<style>p{color:red}</style>", "<link rel=stylesheet href=a.css>")
    items: list[Item] = [RED, ("http://a.example/", linked, {"http://a.example/a.css": "p{color:red}"})] * 6
    found = list(broadsheet.extract_many(items, workers=2, method=keep_rendered, render=True))
    assert [(article.text, article.sources.get("status")) for article in found] == [(TEXT_IN_RED, None)] * 12
    until = time.monotonic() + 20
    while left := list_processes(mark):
        assert time.monotonic() < until, left
        time.sleep(0.2)


def list_processes(mark: str) -> list[str]:
    """Processes that were started with a mark in their environment, but for this one."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int(folder.name) != os.getpid() and mark.encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_text()[:80])
    return found


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_command_line_renders(workers: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = f"<p>{'The ferry to the island was late again, said the harbour master of the town. ' * 5}</p>"
    for name in ("one", "two"):
        (tmp_path / f"{name}.html").write_text(f"<!doctype html><title>Ferry</title><h1>Ferry late</h1>{text * 4}")
    assert run(["extract", str(tmp_path), "--method", "visual", "--render", "-j", workers, "-f", "jsonl"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [record["status"] for record in records] == ["ok", "ok"]
    assert all("The ferry to the island" in record["text"] for record in records)
