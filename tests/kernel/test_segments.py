"""Runs become blocks; context flags and emphasis of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from broadsheet.blocks import segment, tags
from broadsheet.html.names import TAG_NAMES
from broadsheet.kernel.segments import count_shown, measure_emphasis
from broadsheet.page import read_page

PAGE = """<body><ul><li>One <b>two</b> <a href=x> three </a></li><li><br></li></ul>
<table><tr><td>Cell<p>In cell</p></td></tr></table>
<div hidden><p>Hidden</p></div><p>Line<br>line <i>slant</i><br> <br>Next<br><br></p>"""


def test_blocks() -> None:
    blocks = segment(read_page(PAGE))
    assert list(blocks.text) == ["One two three", "Cell", "In cell", "Hidden", "Line\nline slant", "Next"]
    assert list(blocks.link_chars) == [5, 0, 0, 0, 0, 0]
    table = tags.TABLE
    assert list(blocks.context) == [tags.LIST, table | tags.CELL, table, tags.HIDDEN, 0, 0]
    assert [rows[0] for rows in blocks.rows] == list(blocks.first)
    assert [rows[-1] for rows in blocks.rows] == list(blocks.last)


def test_emphasis() -> None:
    page = read_page(PAGE)
    blocks = segment(page)
    shares = np.zeros((3, len(blocks)), np.float32)
    columns = bytes({"b": 1, "i": 2}.get(tag, 0) for tag in TAG_NAMES)
    rows = blocks.rows
    measure_emphasis(page.nodes.table, rows.rows, rows.ends, blocks.text, columns, shares.reshape(-1).data, 1)
    assert not shares[0].any()
    assert shares[1:].tolist() == pytest.approx(np.array([[3 / 13, 0, 0, 0, 0, 0], [0, 0, 0, 0, 5 / 15, 0]]))


@pytest.mark.parametrize(
    ("options", "chars", "prose"),
    [
        ({}, 46, 36),
        ({"skip_links": True}, 46, 20),
        ({"max_chars": 16}, 26, 16),  # stops after the run that exceeds it
    ],
)
def test_shown_characters(options: dict[str, Any], chars: int, prose: int) -> None:
    link, text = "<a href=x>" + "中" * 16 + "</a>", "<p>" + "é" * 15 + "<b>b</b>" + "<br>" + "tail</p>"
    table = read_page(f"<ul><li>{link}<li>ten chars.</ul>{text}").nodes.table
    assert count_shown(table, 16, **options) == (chars, prose)
