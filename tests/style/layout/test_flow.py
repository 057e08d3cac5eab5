"""Estimated boxes."""

from __future__ import annotations

import pytest

from broadsheet.page import Page, read_page
from broadsheet.style import Boxes, compute_styles, find_boxes


def lay_out(body: str, css: str = "") -> tuple[Page, Boxes]:
    page = read_page(f"<!doctype html><style>body{{margin:0}}{css}</style>{body}")
    return page, find_boxes(page, compute_styles(page))


def get_box(page: Page, boxes: Boxes, css: str) -> tuple[float, float, float, float]:
    (row,) = page.nodes.select(css)
    return float(boxes.x[row]), float(boxes.y[row]), float(boxes.width[row]), float(boxes.height[row])


LONG = "word " * 400
WIDTHS = [
    ("<div id=x>a</div>", "", 0, 1280),
    ("<div id=x>a</div>", "#x{width:600px}", 0, 600),
    ("<div id=x>a</div>", "#x{width:50%}", 0, 640),
    ("<div id=x>a</div>", "#x{max-width:800px;margin:0 auto}", 240, 800),
    ("<div id=x>a</div>", "#x{margin-left:100px;margin-right:80px}", 100, 1100),
    ("<div style='padding:0 40px'><p id=x>a</p></div>", "", 40, 1200),
    ("<div style='width:50%'><div id=x style='width:50%'>a</div></div>", "", 0, 320),
    ("<blockquote id=x>a</blockquote>", "", 40, 1200),
    ("<ul><li id=x>a</ul>", "", 40, 1240),
    (
        f"<div style='float:left;width:800px'>{LONG}</div><div id=x style='float:right;width:400px'>a</div>",
        "",
        880,
        400,
    ),
    (
        "<div style='display:flex'><div style='width:300px'>a</div><div id=x style='width:500px'>b</div></div>",
        "",
        300,
        500,
    ),
    (f"<div style='display:flex'><div id=x>{LONG}</div><div>{LONG}</div></div>", "", 0, 640),
    ("<div style='display:grid;grid-template-columns:repeat(4,1fr)'><p>a<p id=x>b<p>c</div>", "", 320, 320),
    ("<div style='display:grid;grid-template-columns:1fr 1fr'><p>a<p>b<p id=x>c</div>", "", 0, 640),
    ("<table width=100%><tr><td width=25%>a<td id=x width=75%>b</table>", "", 320, 960),
    ("<p><img id=x width=300 height=200></p>", "", 0, 300),
]


@pytest.mark.parametrize(("body", "css", "left", "width"), WIDTHS)
def test_left_edge_and_width(body: str, css: str, left: float, width: float) -> None:
    x, _, box_width, _ = get_box(*lay_out(body, css), "#x")
    assert x == pytest.approx(left, abs=1)
    assert box_width == pytest.approx(width, abs=1)


def test_blocks_are_below_one_another() -> None:
    page, boxes = lay_out(f"<h1 id=a>Head</h1><p id=b>{LONG}</p><p id=c>{LONG}</p>")
    tops = [get_box(page, boxes, css)[1] for css in ("#a", "#b", "#c")]
    assert tops == sorted(tops)
    assert get_box(page, boxes, "#b")[3] == pytest.approx(len(LONG) * 8 / 1280 * 19.2, rel=0.1)


def test_larger_font_takes_more_space() -> None:
    page, boxes = lay_out(f"<p id=a>{LONG}</p><p id=b>{LONG}</p>", "#b{font-size:32px}")
    assert get_box(page, boxes, "#b")[3] > 3 * get_box(page, boxes, "#a")[3]


def test_cjk_characters_are_square() -> None:
    page, boxes = lay_out("<span id=a>海港渡轮</span><br><span id=b>abcd</span>")
    assert (get_box(page, boxes, "#a")[2], get_box(page, boxes, "#b")[2]) == (64, 32)


def test_flex_children_are_side_by_side() -> None:
    page, boxes = lay_out(f"<div id=r style='display:flex'><div id=a>{LONG}</div><div id=b>{LONG}</div></div><p id=c>x")
    assert get_box(page, boxes, "#a")[1] == get_box(page, boxes, "#b")[1]
    assert get_box(page, boxes, "#c")[1] > get_box(page, boxes, "#b")[3]


def test_hidden_element_has_no_size_and_takes_no_space() -> None:
    page, boxes = lay_out(f"<div id=a>{LONG}<p>{LONG}</p></div><p id=b>x", "#a{display:none}p{margin:0}")
    assert get_box(page, boxes, "#a")[2:] == (0, 0)
    assert get_box(page, boxes, "#b")[1] == 0


def test_out_of_flow_element_takes_no_space() -> None:
    page, boxes = lay_out(f"<div id=a style='position:absolute;width:200px'>{LONG}</div><p id=b style='margin:0'>x")
    assert get_box(page, boxes, "#b")[1] == 0
    assert get_box(page, boxes, "#a")[2] == 200


def test_inline_element_has_box_of_its_text() -> None:
    page, boxes = lay_out("<p style='margin:0'>abcd <b id=x>efgh</b></p>")
    x, y, width, height = get_box(page, boxes, "#x")
    assert (x, y, width) == (40, 0, 32)
    assert height > 0
    (row,) = page.nodes.select("#x")
    assert boxes.width[row + 1] == width


def test_page_height_is_that_of_the_content() -> None:
    _, boxes = lay_out("<p>x")
    assert (boxes.page_width, boxes.page_height) == (1280, 800)
    page, boxes = lay_out(f"<p>{LONG * 20}")
    assert boxes.page_height == pytest.approx(get_box(page, boxes, "p")[3], abs=40)
