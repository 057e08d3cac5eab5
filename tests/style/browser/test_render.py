"""Asking for a browser that is not there: the message says what to install. No browser is started."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

import broadsheet
from broadsheet.errors import MissingExtra, RenderError
from broadsheet.page import Rendering, read_page
from broadsheet.style import compute_styles, find_boxes
from broadsheet.style.browser import render
from broadsheet.style.browser.snapshot import PROPERTIES, read_snapshot


@pytest.fixture(autouse=True)
def fresh_browser() -> Iterator[None]:
    render.close_browser()
    yield
    render.close_browser()


def test_without_playwright(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name.startswith("playwright"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtra, match=r"playwright is not installed; run: pip install 'broadsheet\[render\]'"):
        broadsheet.extract("<p>x", render=True)


class _NoBrowser:
    class chromium:  # noqa: N801 - playwright's name
        executable_path = "/nowhere/chromium"

    def stop(self) -> None: ...


def test_without_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "_start_playwright", _NoBrowser)
    monkeypatch.setattr(render, "find_chromium", lambda: None)
    with pytest.raises(RenderError, match="no Chromium was found; install one"):
        broadsheet.extract("<p>x", render=True)
    (article,) = broadsheet.extract_many(["<p>x"], workers=1, render=True)
    assert article.status == "failed"
    assert "no Chromium" in article.sources["status"]


def snapshot_of(
    rows: list[tuple[int, int, str, str]], layout: list[tuple[int, list[float], list[str]]]
) -> dict[str, Any]:
    """Write a snapshot: nodes as parent, kind, name and value; boxes as node, bounds and styles."""
    strings: list[str] = [""]

    def number(text: str) -> int:
        strings.append(text)
        return len(strings) - 1

    nodes = {
        "parentIndex": [parent for parent, *_ in rows],
        "nodeType": [kind for _, kind, *_ in rows],
        "nodeName": [number(name) for _, _, name, _ in rows],
        "nodeValue": [number(value) for *_, value in rows],
    }
    boxes = {
        "nodeIndex": [node for node, *_ in layout],
        "bounds": [bounds for _, bounds, _ in layout],
        "styles": [[number(value) for value in styles] for *_, styles in layout],
    }
    document = {"nodes": nodes, "layout": boxes, "contentWidth": 1280, "contentHeight": 900}
    return {"documents": [document], "strings": strings}


PLAIN = ["16px", "400", "Arial", "rgb(0, 0, 0)", "rgba(0, 0, 0, 0)", "block", "visible"]
LOUD = ["20px", "700", "monospace", "rgb(255, 0, 0)", "rgb(0, 0, 255)", "block", "visible"]


def read_tree() -> Rendering:
    page = read_page("<p>text</p><div>gone</div>")  # html head body p #text div #text
    rows = [
        (-1, 9, "#document", ""), (0, 1, "HTML", ""), (1, 1, "HEAD", ""), (1, 1, "BODY", ""), (3, 8, "#comment", "x"),
        (3, 3, "#text", "\n"), (3, 1, "P", ""), (6, 3, "#text", "text"), (3, 1, "DIV", ""), (8, 3, "#text", "gone"),
    ]  # fmt: skip
    layout = [(1, [0.0, 0.0, 1280.0, 900.0], PLAIN), (3, [8.0, 8.0, 1264.0, 50.0], PLAIN), (6, [8.0, 8.0, 1264.0, 20.0], LOUD), (7, [8.0, 8.0, 30.0, 20.0], [])]  # fmt: skip
    return read_snapshot(snapshot_of(rows, layout), page.nodes)


def test_a_snapshot_is_mapped_onto_the_table() -> None:
    rendering = read_tree()
    assert len(PROPERTIES) == len(PLAIN)
    assert rendering.mapped == 1
    assert list(rendering.is_shown) == [True, False, True, True, True, False, False]
    assert rendering.font_size[3:5] == [20, 20]
    assert rendering.color[4] == 0xFF0000
    assert rendering.background[4] == 0x0000FF
    assert rendering.background[6] == 0xFFFFFF
    assert rendering.display[5] == "none"


def test_a_rendered_page_answers_from_the_browser() -> None:
    page = replace(read_page("<p>text</p><div>gone</div>"), rendering=read_tree())
    styles, boxes = compute_styles(page), find_boxes(page, compute_styles(page))
    assert (styles.font_size(4), styles.is_bold(4), styles.family(4), styles.is_shown(6)) == (
        20,
        True,
        "monospace",
        False,
    )
    assert (boxes.width[4], boxes.page_height) == (30, 900)
