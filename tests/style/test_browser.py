"""Rendering without a browser: the errors say what to install. Snapshots are converted without a browser."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

import broadsheet
from broadsheet.errors import MissingExtra, RenderError
from broadsheet.page import Rendering, read_page
from broadsheet.style import browser, compute_styles, find_boxes
from broadsheet.style.browser import PROPERTIES, close_browser, read_snapshot


@pytest.fixture(autouse=True)
def close_browser_around_test() -> Iterator[None]:
    close_browser()
    yield
    close_browser()


def test_without_playwright(monkeypatch: pytest.MonkeyPatch) -> None:
    import_module = builtins.__import__

    def import_without_playwright(name: str, *rest: Any) -> Any:
        if name.startswith("playwright"):
            raise ImportError(name)
        return import_module(name, *rest)

    monkeypatch.setattr(builtins, "__import__", import_without_playwright)
    with pytest.raises(MissingExtra, match=r"playwright is not installed; run: pip install 'broadsheet\[render\]'"):
        broadsheet.extract("<p>x", render=True)


class PlaywrightWithoutBrowser:
    class chromium:  # noqa: N801 - as in playwright
        executable_path = "/nowhere/chromium"

    def stop(self) -> None: ...


def test_without_chromium(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser, "_start_playwright", PlaywrightWithoutBrowser)
    monkeypatch.setattr(browser, "find_chromium", lambda: None)
    with pytest.raises(RenderError, match="no Chromium was found; install one"):
        broadsheet.extract("<p>x", render=True)
    (article,) = broadsheet.extract_many(["<p>x"], workers=1, render=True)
    assert article.status == "failed"
    assert "no Chromium" in article.sources["status"]


def make_snapshot(
    rows: list[tuple[int, int, str, str]], layout: list[tuple[int, list[float], list[str]]]
) -> dict[str, Any]:
    """Make a snapshot from nodes (parent, type, name, value) and boxes (node, bounds, computed values)."""
    strings: list[str] = [""]

    def add_string(text: str) -> int:
        strings.append(text)
        return len(strings) - 1

    nodes = {
        "parentIndex": [parent for parent, *_ in rows],
        "nodeType": [node_type for _, node_type, *_ in rows],
        "nodeName": [add_string(name) for _, _, name, _ in rows],
        "nodeValue": [add_string(value) for *_, value in rows],
    }
    boxes = {
        "nodeIndex": [node for node, *_ in layout],
        "bounds": [bounds for _, bounds, _ in layout],
        "styles": [[add_string(value) for value in styles] for *_, styles in layout],
    }
    document = {"nodes": nodes, "layout": boxes, "contentWidth": 1280, "contentHeight": 900}
    return {"documents": [document], "strings": strings}


UNSTYLED = ["16px", "400", "Arial", "rgb(0, 0, 0)", "rgba(0, 0, 0, 0)", "block", "visible"]
STYLED = ["20px", "700", "monospace", "rgb(255, 0, 0)", "rgb(0, 0, 255)", "block", "visible"]


def read_example() -> Rendering:
    page = read_page("<p>text</p><div>gone</div>")  # html head body p #text div #text
    rows = [
        (-1, 9, "#document", ""), (0, 1, "HTML", ""), (1, 1, "HEAD", ""), (1, 1, "BODY", ""), (3, 8, "#comment", "x"),
        (3, 3, "#text", "\n"), (3, 1, "P", ""), (6, 3, "#text", "text"), (3, 1, "DIV", ""), (8, 3, "#text", "gone"),
    ]  # fmt: skip
    layout = [(1, [0.0, 0.0, 1280.0, 900.0], UNSTYLED), (3, [8.0, 8.0, 1264.0, 50.0], UNSTYLED), (6, [8.0, 8.0, 1264.0, 20.0], STYLED), (7, [8.0, 8.0, 30.0, 20.0], [])]  # fmt: skip
    return read_snapshot(make_snapshot(rows, layout), page.nodes)


def test_snapshot_is_mapped_to_the_node_table() -> None:
    rendering = read_example()
    assert len(PROPERTIES) == len(UNSTYLED)
    assert rendering.mapped == 1
    assert list(rendering.is_shown) == [True, False, True, True, True, False, False]
    assert rendering.font_size[3:5] == [20, 20]
    assert rendering.color[4] == 0xFF0000
    assert rendering.background[4] == 0x0000FF
    assert rendering.background[6] == 0xFFFFFF
    assert rendering.display[5] == "none"


def test_rendered_page_has_styles_and_boxes_of_the_browser() -> None:
    page = replace(read_page("<p>text</p><div>gone</div>"), rendering=read_example())
    styles, boxes = compute_styles(page), find_boxes(page, compute_styles(page))
    assert (styles.font_size(4), styles.is_bold(4), styles.family(4), styles.is_shown(6)) == (
        20,
        True,
        "monospace",
        False,
    )
    assert (boxes.width[4], boxes.page_height) == (30, 900)
