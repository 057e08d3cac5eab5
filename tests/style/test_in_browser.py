"""Compare computed styles and boxes with Chromium, and test rendering with it."""

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
from tests.style.css.test_styles import CASES, QUIRKS, read_style

import broadsheet
from broadsheet.cli.app import run
from broadsheet.many import Item
from broadsheet.methods import Method
from broadsheet.page import TEXT, Page, read_page
from broadsheet.style import compute_styles, find_boxes

pytest.importorskip("playwright", reason="playwright is not installed")

from broadsheet.style.browser import RenderOptions, close_browser, find_chromium, render_page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(find_chromium() is None, reason="Chromium is not installed"),
]
EXAMPLE = Path(__file__).parents[2] / "examples" / "pages" / "harbour.html"
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


def check_style(html: str, name: str, value: object) -> None:
    page = render(html)
    (row,) = page.nodes.select("#x")
    style = read_style(compute_styles(page), row, name)
    assert style == (pytest.approx(value, abs=0.01) if isinstance(value, float) else value)


@pytest.mark.parametrize(("css", "body", "name", "value"), CASES)
def test_chromium_computes_the_same(css: str, body: str, name: str, value: object) -> None:
    check_style(f"<!doctype html><html><head><style>{css}</style></head><body>{body}", name, value)


@pytest.mark.parametrize(("html", "name", "value"), QUIRKS)
def test_chromium_computes_the_same_in_quirks_mode(html: str, name: str, value: object) -> None:
    check_style(html, name, value)


@pytest.mark.parametrize("html", [HARD, EXAMPLE.read_text("utf-8")])
def test_all_nodes_outside_templates_are_mapped(html: str) -> None:
    page = render(html)
    assert page.rendering is not None
    inside = {row + step for row in page.nodes.select("template") for step in range(1, page.nodes.end[row] - row)}
    assert page.rendering.mapped == pytest.approx(1 - len(inside) / len(page.nodes))


def test_boxes_of_the_browser() -> None:
    page = render(HARD)
    boxes, nodes = find_boxes(page, compute_styles(page)), page.nodes
    (row,) = nodes.select("#a")
    assert (boxes.x[row], boxes.y[row], boxes.width[row]) == (8, 8, 1264)
    assert 34 <= boxes.height[row] <= 40  # two lines; the fonts of the system decide
    assert boxes.page_width == 1280
    (row,) = nodes.select(".no")
    assert boxes.width[row] == boxes.height[row] == 0
    assert compute_styles(page).display(nodes.select(".c")[0]) == "contents"
    assert compute_styles(page).is_shown(nodes.select("#in")[0])


def test_estimated_boxes_of_a_simple_page() -> None:
    html = "<!doctype html><body><h1>Head</h1>" + "<p>" + "Words of a paragraph. " * 60
    rendered_page, page = render(html), read_page(html)
    rendered = find_boxes(rendered_page, compute_styles(rendered_page))
    estimated = find_boxes(page, compute_styles(page))
    for row, tag in enumerate(page.nodes.tag):
        if tag != TEXT and estimated.height[row]:
            assert estimated.width[row] == pytest.approx(rendered.width[row], abs=2)
            assert estimated.y[row] == pytest.approx(rendered.y[row], abs=8)
            assert estimated.height[row] == pytest.approx(rendered.height[row], rel=0.35)


def test_page_sheets_are_loaded_without_network_and_scripts() -> None:
    html = "<link rel=stylesheet href=a.css><link rel=stylesheet href=b.css><p id=x>a<script>document.body.remove()</script>"
    page = read_page(html, url="https://h.example/d/")
    from dataclasses import replace

    page = render_page(html, replace(page, sheets={"https://h.example/d/a.css": "p{color:red}"}))
    assert compute_styles(page).color(page.nodes.select("#x")[0]) == 0xFF0000


def test_scripts_option() -> None:
    html = "<p id=x>a<script>document.getElementById('x').style.color = 'red'</script>"
    page = render_page(html, read_page(html), RenderOptions(scripts=True))
    assert compute_styles(page).color(page.nodes.select("#x")[0]) == 0xFF0000


def test_threads_share_one_browser() -> None:
    from broadsheet.style import browser as module

    render("<p>first")
    thread = module._browser_thread
    pages: list[Page] = []
    threads = [threading.Thread(target=lambda: pages.append(render(HARD))) for _ in range(4)]
    for worker in threads:
        worker.start()
    for worker in threads:
        worker.join(600)
    assert module._browser_thread is thread
    assert [page.rendering.mapped > 0.9 for page in pages if page.rendering] == [True] * 4


def test_extract_with_render() -> None:
    article = broadsheet.extract(EXAMPLE.read_bytes(), render=True)
    assert article.text == broadsheet.extract(EXAMPLE.read_bytes()).text
    assert [a.status for a in broadsheet.extract_many([EXAMPLE.read_bytes()] * 2, workers=1, render=True)] == [
        "ok",
        "ok",
    ]


@pytest.mark.parametrize("html", ["", "\0", "<", "<div>" * 5000 + "deep", "<p>" + "x" * 200_000, "<meta http-equiv=refresh content='0;url=/x'><p>a", "<base href='https://b.example/'><p>a", "<frameset><frame src=x>"])  # fmt: skip
def test_unusual_pages(html: str) -> None:
    page = render(html)
    assert page.rendering is not None
    assert len(page.rendering.x) == len(page.nodes)


@pytest.mark.data
def test_real_pages() -> None:
    """Measure the agreement as benchmarks/style.py does, on a few dev pages."""
    from benchmarks.style import BrowserProbe, find_pages, measure

    data = Path(__file__).parents[3] / "shared" / "data"
    if not data.is_dir():
        pytest.skip("../shared/data with the labelled pages is missing")
    probe = BrowserProbe()
    scores = [measure(record, probe, with_time=False) for record in find_pages(data, 8, seed=5)]
    probe.close()
    assert sum(score.texts for score in scores) > 500
    for name in ("bold", "size", "shown"):
        assert sum(score.share(name) for score in scores) / len(scores) >= 0.95
    assert min(score.mapped for score in scores) >= 0.9


RED_TEXT = "The ferry was late, said the harbour master of the town."
RED_PAGE = f"<!doctype html><style>p{{color:red}}</style><p>{RED_TEXT}</p><div>Menu</div>"


def test_each_worker_starts_a_browser_and_closes_it(keep_rendered: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROADSHEET_TEST", mark := uuid.uuid4().hex)
    linked = RED_PAGE.replace("<style>p{color:red}</style>", "<link rel=stylesheet href=a.css>")
    items: list[Item] = [RED_PAGE, ("http://a.example/", linked, {"http://a.example/a.css": "p{color:red}"})] * 6
    articles = list(broadsheet.extract_many(items, workers=2, method=keep_rendered, render=True))
    assert [(article.text, article.sources.get("status")) for article in articles] == [(RED_TEXT, None)] * 12
    end = time.monotonic() + 300
    while processes := list_processes(mark):
        assert time.monotonic() < end, processes
        time.sleep(0.2)


def list_processes(mark: str) -> list[str]:
    """List the commands of other processes that have a mark in their environment."""
    commands = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int(folder.name) != os.getpid() and mark.encode() in (folder / "environ").read_bytes():
                commands.append((folder / "cmdline").read_text()[:80])
    return commands


@pytest.mark.parametrize("workers", ["1", "2"])
def test_command_line_with_render(workers: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = f"<p>{'The ferry to the island was late again, said the harbour master of the town. ' * 5}</p>"
    for name in ("one", "two"):
        (tmp_path / f"{name}.html").write_text(f"<!doctype html><title>Ferry</title><h1>Ferry late</h1>{text * 4}")
    assert run(["extract", str(tmp_path), "--method", "visual", "--render", "-j", workers, "-f", "jsonl"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [record["status"] for record in records] == ["ok", "ok"]
    assert all("The ferry to the island" in record["text"] for record in records)
