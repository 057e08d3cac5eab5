from __future__ import annotations

from dataclasses import replace

import pytest

from broadsheet.blocks import segment
from broadsheet.methods.visual import VisualConfig
from broadsheet.methods.visual.nce import (
    TextNodes,
    find_comments,
    find_relevant,
    find_separator,
    list_children,
    read_text_nodes,
)
from broadsheet.page import Nodes, read_page

CONFIG = VisualConfig(alpha_1=10, alpha_2=60, beta_1=0.5, beta_2=100, beta_3=50, beta_4=0.5, beta_5=2, beta_6=0.8)
LONG = "The council met on Tuesday and kept the ferry that half of the town needs."  # 74 characters


def read(html: str) -> tuple[Nodes, TextNodes]:
    page = read_page(html)
    return page.nodes, read_text_nodes(page, segment(page))


def test_text_and_links_below_a_node() -> None:
    nodes, text = read("<div><p>four <a href=x>six 66</a></p><p>  five5 \n </p></div>")
    div = nodes.tag.index("div")
    assert [text.length(row) for row in (div, div + 1)] == [15, 10]
    assert text.link_density(div + 1) == pytest.approx(6 / 10)
    assert text.link_density(nodes.tag.index("head")) == 0


SEPARATORS = [
    ("closest ancestor that is large enough", f"<div id=a><div id=b><p>{LONG}</p><p>{LONG}</p></div></div>", "b"),
    ("a paragraph is not a separator", f"<div id=a><p id=p>{LONG} <b>{LONG}</b></p></div>", "a"),
    ("too little text below", f"<div id=a><div id=b>{LONG}</div><div>{LONG}</div></div>", "a"),
    ("no leaf is long enough", "<div id=a>" + "<p>short, and again</p>" * 20 + "</div>", None),
    ("one sibling with much text is allowed", f"<div id=a><div id=b>{LONG}<br>{LONG}</div><div>{LONG}</div></div>", "b"),
    ("two such siblings are not allowed", f"<div id=a><div id=b>{LONG}<br>{LONG}</div><div>{LONG}</div><div>{LONG}</div></div>", "a"),
    ("siblings full of links do not count", f"<div id=a><div id=b>{LONG}<br>{LONG}</div>" + f"<div><a href=x>{LONG}</a></div>" * 3 + "</div>", "b"),
    ("the first leaf of the page decides", f"<div id=a>{LONG}<p>{LONG}</p></div><div id=b>{LONG}<p>{LONG}</p></div>", "a"),
]  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), [case[1:] for case in SEPARATORS], ids=[case[0] for case in SEPARATORS])
def test_separator(html: str, expected: str | None) -> None:
    nodes, text = read(html)
    row = find_separator(nodes, text, CONFIG)
    assert (None if row is None else nodes.attr(row, "id")) == expected


def test_children_with_many_links_are_dropped() -> None:
    nodes, text = read(
        f"<div id=u><p id=1>{LONG}</p><ul id=2><li><a href=x>more</a></ul><p id=3>{LONG}<a href=x>x</a></div>"
    )
    assert [nodes.attr(row, "id") for row in find_relevant(nodes, text, CONFIG)] == ["1", "3"]
    keeps_links = replace(CONFIG, beta_4=1.0)
    assert [nodes.attr(row, "id") for row in find_relevant(nodes, text, keeps_links)] == ["1", "2", "3"]


def test_without_a_separator_the_whole_page_is_relevant() -> None:
    nodes, text = read("<p>short</p>")
    assert find_relevant(nodes, text, CONFIG) == [0]


ONE, TWO, THREE = (
    f"<li>{name} wrote on 5 May 2012 at 1{at}:0{at}</li>" for at, name in enumerate(("Ann", "Bob", "Eve"))
)
COMMENTS = [
    ("three similar ones in a list", f"<p>{LONG}</p><ol id=z>{ONE}{TWO}{THREE}</ol><p>{LONG}</p>", "z"),
    ("two are not a section", f"<p>{LONG}</p><ol id=z>{ONE}{TWO}</ol>", None),
    ("further apart than β5", f"<ol id=z>{ONE}" + "<li>quite other words</li><li>0123456789 0123</li><li>zzz kkk qqq jjj xxx</li>" + f"{TWO}{THREE}</ol>", None),
    ("longer than α2", f"<p>{LONG}</p><p>{LONG}</p><p>{LONG}</p>", None),
]  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), [case[1:] for case in COMMENTS], ids=[case[0] for case in COMMENTS])
def test_comments_begin_at_the_common_ancestor(html: str, expected: str | None) -> None:
    nodes, text = read(f"<div>{html}</div>")
    row = find_comments(nodes, text, list_children(nodes, nodes.tag.index("div")), CONFIG)
    assert (None if row is None else nodes.attr(row, "id")) == expected


def test_comments_at_the_roots_of_the_forest_begin_with_the_first() -> None:
    nodes, text = read(f"<div><p>{LONG}</p>{ONE}{TWO}{THREE}</div>".replace("li>", "div>"))
    roots = list(list_children(nodes, nodes.tag.index("div")))
    assert find_comments(nodes, text, roots, CONFIG) == roots[1]


@pytest.mark.parametrize(("count", "expected"), [(300, "z"), (500, None)])
def test_only_the_first_candidates_are_compared(count: int, expected: str | None) -> None:
    different = "".join(f"<p>{chr(0x4E00 + number) * 12}</p>" for number in range(count))
    nodes, text = read(f"<div>{different}<ol id=z>{ONE}{TWO}{THREE}</ol></div>")
    row = find_comments(nodes, text, [0], CONFIG)
    assert (None if row is None else nodes.attr(row, "id")) == expected
