from __future__ import annotations

import pytest

from broadsheet.errors import LimitReached
from broadsheet.page import TEXT, Limits, Nodes, read_page


def outline(nodes: Nodes) -> list[str]:
    depths = nodes.depths()
    return [
        f"{'.' * depths[row]}{nodes.text[row].strip() if nodes.tag[row] == TEXT else nodes.tag[row]}"
        for row in range(len(nodes))
    ]


def test_the_node_table_has_the_tree_of_a_browser() -> None:
    nodes = read_page("<title>T</title><p class='a b' id=x>one<b>two</b><table><tr><td>c</table>").nodes
    assert outline(nodes) == [
        "html",
        ".head",
        "..title",
        "...T",
        ".body",
        "..p",
        "...one",
        "...b",
        "....two",
        "...table",
        "....tbody",
        ".....tr",
        "......td",
        ".......c",
    ]
    paragraph = nodes.tag.index("p")
    assert (nodes.attr(paragraph, "class"), nodes.attr(paragraph, "id")) == ("a b", "x")
    assert nodes.end[paragraph] == len(nodes)
    assert nodes.text_of(paragraph) == "onetwoc"
    assert [nodes.tag[row] for row in nodes.ancestors(paragraph)] == ["body", "html"]


def test_descendants_are_inside_the_range_of_their_parent() -> None:
    nodes = read_page("<div><p>a<p>b<ul><li>c<li>d</ul></div>e<br>f").nodes
    for row in range(len(nodes)):
        parent = nodes.parent[row]
        assert row < nodes.end[row] <= len(nodes)
        if parent >= 0:
            assert parent < row < nodes.end[row] <= nodes.end[parent]


def test_code_of_scripts_is_left_out_but_json_is_kept() -> None:
    nodes = read_page("<script>var a = 1</script><script type='application/ld+json'>{}</script>").nodes
    assert [text for text in nodes.text if text] == ["{}"]


def test_attributes_without_a_value() -> None:
    nodes = read_page("<p hidden>x").nodes
    row = nodes.tag.index("p")
    assert nodes.has_attr(row, "hidden")
    assert nodes.attr(row, "hidden") == ""
    assert not nodes.has_attr(row, "class")
    assert nodes.attr(row, "class") == ""


def test_pages_are_cut_at_max_bytes() -> None:
    page = read_page("<p>" + "x" * 100, limits=Limits(max_bytes=50))
    assert page.is_cut
    assert page.nodes.text_of(0) == "x" * 47


def test_pages_are_cut_at_max_nodes() -> None:
    page = read_page("<p>x</p>" * 1000, limits=Limits(max_nodes=100))
    assert page.is_cut
    assert 45 <= len(page.nodes.text_of(0)) <= 50  # two rows, or two tags, for each paragraph
    assert page.nodes.end[0] == len(page.nodes)


def test_a_page_that_grows_during_parsing_is_cut() -> None:
    """The standard reopens unclosed formatting in every paragraph: 2 KB become half a million nodes."""
    html = "<p>" + "".join(f"<b id={n}>" for n in range(500)) + "</p>" + "<p>x</p>" * 400
    page = read_page(html, limits=Limits(max_nodes=2000))
    assert page.is_cut
    assert 2000 <= len(page.nodes) < 2000 + 4097
    assert page.nodes.end[0] == len(page.nodes)


def test_deep_nodes_are_moved_up_to_max_depth() -> None:
    page = read_page("<div>" * 50 + "deep<b>est</b>" + "</div>" * 50 + "<p>after", limits=Limits(max_depth=10))
    nodes = page.nodes
    assert max(nodes.depths()) == 10
    assert nodes.text_of(0) == "deepestafter"
    assert nodes.depths()[nodes.tag.index("p")] == 2
    for row in range(1, len(nodes)):
        assert nodes.parent[row] < row < nodes.end[row] <= nodes.end[nodes.parent[row]]


def test_time_limit() -> None:
    with pytest.raises(LimitReached, match=r"took longer than its time limit; raise Limits\.max_seconds"):
        read_page("<p>x</p>" * 10_000, limits=Limits(max_seconds=0))


@pytest.mark.parametrize(
    ("html", "url", "base"),
    [
        ("", None, None),
        ("", "https://x.example/a", "https://x.example/a"),
        ("<base href=/b/>", "https://x.example/a", "https://x.example/b/"),
        ("<base href=https://y.example/><base href=/z>", "https://x.example/a", "https://y.example/"),
        ("<base href='http://['>", "https://x.example/a", "https://x.example/a"),
        ("<link rel=canonical href=https://x.example/c>", None, "https://x.example/c"),
        ("<link rel=canonical href=/c>", None, None),
        ("<link rel=canonical href=https://x.example/c><base href=d/>", None, "https://x.example/d/"),
    ],
)
def test_base_of_relative_addresses(html: str, url: str | None, base: str | None) -> None:
    assert read_page(html, url=url).base == base


RUNS: list[tuple[str, str, list[tuple[str, str, str, int]]]] = [
    ("a run per container", "<p>a</p><p>b</p>", [("p", "a", "", 0), ("p", "b", "", 0)]),
    ("start and end tags are borders", "<div>a<p>b</p>c</div>", [("div", "a", "", 0), ("p", "b", "", 0), ("div", "c", "", 0)]),
    ("formatting is not", "<p>a<b>b</b>c</p>", [("p", "abc", "", 0)]),
    ("links and breaks", "<p>a<a href=x>b</a><br>c</p>", [("p", "abc", "b", 1)]),
    ("breaks before the text are left out", "<p><br>a</p>", [("p", "a", "", 0)]),
    ("dropped and hidden text is left out", "<p>a<style>x</style><b hidden>x</b></p>", [("p", "a", "", 0)]),
    ("hidden containers are kept", "<p hidden>a</p>", [("p", "a", "", 0)]),
]  # fmt: skip


@pytest.mark.parametrize(("html", "runs"), [case[1:] for case in RUNS], ids=[case[0] for case in RUNS])
def test_runs(html: str, runs: list[tuple[str, str, str, int]]) -> None:
    nodes = read_page(html).nodes

    def join(rows: list[int]) -> str:
        return "".join(nodes.text[row] for row in rows)

    assert [
        (nodes.tag[container], join(rows), join(link_rows), breaks) for container, rows, link_rows, breaks in nodes.runs
    ] == runs
    assert nodes.run_rows() == [row for _, rows, _, _ in nodes.runs for row in rows]


@pytest.mark.parametrize(
    ("doctype", "is_quirky"),
    [
        ("", True),
        ("<!DOCTYPE html>", False),
        ("<!DOCTYPE other>", True),
        ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">', True),
        ('<!DOCTYPE HTML PUBLIC "HTML">', True),
        ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">', True),
        (
            '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">',
            False,
        ),
        ('<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">', False),
    ],
)
def test_quirks_mode(doctype: str, is_quirky: bool) -> None:
    assert read_page(f"{doctype}<p>x").nodes.table.is_quirky is is_quirky


def test_limits_hold_for_the_text_of_noscript() -> None:
    html = "<p>hi</p><noscript>" + "<p>Some text of the article.</p>" * 500 + "</noscript>"
    page = read_page(html, limits=Limits(max_blocks=10, max_chars=300))
    assert page.is_cut
    assert len(page.nodes.runs) <= 10
